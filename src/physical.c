/*
 * The physical recipe: a decode step's time and a card's draw from terms with
 * fitted weights, each times what the booster learnt beyond them.
 *
 * The server was measured at two ends: with a full batch (offline) and with
 * about one request at a time. Both are one formula here: the step at an
 * arrival rate lies between the two in proportion to the requests in flight.
 */
#include "model.h"

#include <math.h>

#include "unknown.h"

/*
 * A scenario that leaves the answers' length open takes the LLM's own, as it
 * was measured on other cards.
 */
void
settle_tokens(const Model *model, const LlmSpec *llm, Served *served)
{
	Workload   *w = &served->workload;
	int			i;

	served->assumed = false;
	if (!isnan(w->output_tokens))
		return;
	i = model_llm_place(model, llm);
	w->output_tokens = ASSUMED_OUTPUT_TOKENS;
	/* A model that was given no lengths has learnt from guesses, and must be told that this is one. */
	served->assumed = true;
	for (int k = 0; k < model->llms.count && served->assumed; k++)
		served->assumed = isnan(model->llm_tokens[k]);
	if (i >= 0 && !isnan(model->llm_tokens[i]))
		w->output_tokens = model->llm_tokens[i];
}

Subject
physical_subject(const Model *model, const GpuSpec *gpu, const LlmSpec *llm, const Served *served, bool full_batch)
{
	Subject		s = {
		.gpu = gpu, .llm = llm, .workload = &served->workload, .step = &served->step,
		.full_batch = full_batch,
		.assumed = served->assumed,
		.gpu_known = model_knows_gpu(model, gpu),
		.llm_known = model_llm_place(model, llm) >= 0,
	};

	if (model->target == TARGET_ITL)
		s.prior = step_prior(&served->step, model->prior, model->prior + FULL_TERMS);
	s.busy = busy_share(served->in_flight);
	s.bandwidth_use = least(1.2, served->step.read_s / served->time.single_s);
	return s;
}

/* What the booster makes of both regimes: factors on the prior. */
static void
factors(const Model *model, const Subject *full, const Subject *alone, double *full_factor, double *alone_factor)
{
	float		x[2][MAX_FEATURES];
	float		margins[2];

	model_vectors(model, full, alone, x[0], x[1]);
	model_margins(model, x[0], x[1], &margins[0], &margins[1]);
	*full_factor = exp(margins[0]);
	*alone_factor = exp(margins[1]);
}

/* From the times of a step: requests in flight, and what each of them waits for. */
static void
settle_flow(Served *s)
{
	s->saturated = step_saturated(&s->step, &s->time);
	s->in_flight = step_in_flight(&s->step, &s->time);
	s->step_s = s->step.offline ? s->time.full_s : step_time_at(&s->step, &s->time, s->in_flight);
	/* Offline is wall time over all tokens of the batch; else each request waits for every step. */
	s->itl_s = s->step.offline ? s->time.full_s / s->step.batch_max : s->step_s;
}

Served
physical_serve(const Model *itl, const GpuSpec *gpu, const LlmSpec *llm, const Workload *w)
{
	Served		served = {.workload = *w};
	Subject		batch;
	Subject		single;
	double		full;
	double		alone;

	settle_tokens(itl, llm, &served);
	served.step = step_of(gpu, llm, &served.workload);
	batch = physical_subject(itl, gpu, llm, &served, true);
	single = batch;
	single.full_batch = false;
	factors(itl, &batch, &single, &full, &alone);
	served.time = step_time(&served.step, &batch.prior, full, alone);
	settle_flow(&served);
	return served;
}

/* How much of the time the step of a full batch makes up. */
double
full_share(const Served *served)
{
	return least(1, most(0, served->in_flight / served->step.batch_max * served->time.full_s / served->step_s));
}

/* What the terms alone make of the regime that is asked about, before the booster: W or s. */
double
physical_prior(const Model *model, const GpuSpec *gpu, const LlmSpec *llm, const Served *served)
{
	double		n = served->workload.num_gpus;
	double		tdp = gpu->tdp_w * n;
	double		terms[DRAW_TERMS];
	Subject		s = physical_subject(model, gpu, llm, served, served->step.offline);

	if (model->target == TARGET_ITL)
	{
		if (served->step.offline)
			return s.prior.full.step_s / served->step.batch_max;
		return s.prior.single.step_s + s.busy * s.prior.company_s;
	}
	if (served->step.offline)
		return model->prior[0] * tdp;
	draw_terms(gpu, &served->step, n, s.bandwidth_use, terms);
	return draw_w(terms, model->prior + 1, tdp, gpu->idle_power_w * n, s.busy);
}

/*
 * How much longer a step takes under a power limit. The power above idle
 * goes about with the square of the clock in the upper range, where cards are
 * capped, and the work done with the clock; what waits for memory is slowed
 * less, so this is on the slow side. Modelled, not measured.
 */
static double
stretch(double demand_w, double idle_w, double limit_w)
{
	if (limit_w >= demand_w)
		return 1;
	return limit_w > idle_w ? sqrt((demand_w - idle_w) / (limit_w - idle_w)) : NAN;
}

/* Hold the serving to the workload's power limit, if it has one. */
void
physical_cap(const Model *power, const GpuSpec *gpu, const LlmSpec *llm, Served *served)
{
	double		n = served->workload.num_gpus;
	double		tdp = gpu->tdp_w * n;
	double		limit = served->workload.power_limit_w * n;
	double		terms[DRAW_TERMS];
	Subject		batch;
	double		idle;
	double		full;
	double		alone;
	double		ignored;

	if (limit == 0)
		return;
	batch = physical_subject(power, gpu, llm, served, true);
	factors(power, &batch, &batch, &full, &ignored);
	draw_terms(gpu, &served->step, n, batch.bandwidth_use, terms);
	idle = draw_idle_w(terms, power->prior + 1, tdp, gpu->idle_power_w * n);
	full = stretch(least(power->prior[0] * tdp * full, tdp), idle, limit);
	alone = stretch(draw_w(terms, power->prior + 1, tdp, gpu->idle_power_w * n, 1), idle, limit);
	served->capped = !(full == 1 && alone == 1);
	served->below_idle = limit <= idle;
	served->time.full_s *= full;
	served->time.single_s *= alone;
	served->time.company_s *= alone;
	served->time.gb_s *= alone;
	served->time.full_s = most(served->time.full_s, served->time.single_s + busy_share(served->step.batch_max) * served->time.company_s);
	settle_flow(served);
}

/*
 * Never falls with the rate: busy share, prior and share of the full batch
 * rise with it, the booster is constrained to, and the larger of the two
 * powers is what is mixed in.
 */
double
physical_power(const Model *power, const GpuSpec *gpu, const LlmSpec *llm, const Served *served)
{
	double		n = served->workload.num_gpus;
	double		tdp = gpu->tdp_w * n;
	double		limit = served->workload.power_limit_w > 0 ? least(tdp, served->workload.power_limit_w * n) : tdp;
	double		terms[DRAW_TERMS];
	Subject		batch = physical_subject(power, gpu, llm, served, true);
	Subject		own = batch;
	double		full_factor;
	double		own_factor;
	double		full;
	double		own_w;

	/* Where the step is not known, nor is what it draws. */
	if (isnan(served->in_flight))
		return NAN;
	own.full_batch = served->step.offline;
	factors(power, &batch, &own, &full_factor, &own_factor);
	full = least(power->prior[0] * tdp * full_factor, limit);
	if (!isnan(gpu->idle_power_w))
		full = most(full, gpu->idle_power_w * n);
	if (served->step.offline)
		return full;
	draw_terms(gpu, &served->step, n, own.bandwidth_use, terms);
	own_w = least(draw_w(terms, power->prior + 1, tdp, gpu->idle_power_w * n, own.busy) * own_factor, limit);
	/* Between its steps a capped card is as idle as any other. */
	if (served->capped)
	{
		double		idle = draw_idle_w(terms, power->prior + 1, tdp, gpu->idle_power_w * n);

		own_w = least(own_w, idle + own.busy * most(limit - idle, 0));
	}
	return own_w + full_share(served) * most(0, full - own_w);
}
