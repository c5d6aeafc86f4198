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
settle_tokens(const Names *llms, const double *llm_tokens, const LlmSpec *llm, Served *served)
{
	Workload   *w = &served->workload;
	int			i;

	served->assumed = false;
	if (!isnan(w->output_tokens))
		return;
	i = names_find(llms, llm->llm);
	w->output_tokens = ASSUMED_OUTPUT_TOKENS;
	/* A model that was given no lengths has learnt from guesses, and must be told that this is one. */
	served->assumed = true;
	for (int k = 0; k < llms->count; k++)
		if (!isnan(llm_tokens[k]))
			served->assumed = false;
	if (i >= 0 && !isnan(llm_tokens[i]))
		w->output_tokens = llm_tokens[i];
}

Subject
physical_subject(const Model *model, const GpuSpec *gpu, const LlmSpec *llm, const Served *served, bool full_batch)
{
	Subject		s = {
		.gpu = gpu, .llm = llm, .workload = &served->workload, .step = &served->step,
		.full_batch = full_batch, .assumed = served->assumed,
		.gpu_known = names_find(&model->gpus, gpu->gpu) >= 0,
		.llm_known = names_find(&model->llms, llm->llm) >= 0,
	};

	if (model->target == TARGET_ITL)
		s.shares = step_shares(&served->step, model->prior, model->prior + FULL_TERMS, full_batch);
	s.busy = busy_share(served->in_flight);
	s.bandwidth_use = least(1.2, served->step.read_s / served->time.single_s);
	return s;
}

static double
factor(const Model *model, const Subject *s)
{
	float		x[MAX_FEATURES];

	model_vector(model, s, x);
	return exp(forest_eval(&model->forest, x));
}

Served
physical_serve(const Model *itl, const GpuSpec *gpu, const LlmSpec *llm, const Workload *w)
{
	Served		served = {.workload = *w};
	Subject		s;
	double		full;
	double		alone;

	settle_tokens(&itl->llms, itl->llm_tokens, llm, &served);
	served.step = step_of(gpu, llm, &served.workload);
	s = physical_subject(itl, gpu, llm, &served, true);
	full = factor(itl, &s);
	s = physical_subject(itl, gpu, llm, &served, false);
	alone = factor(itl, &s);
	served.time = step_time(&served.step, itl->prior, itl->prior + FULL_TERMS, full, alone);
	served.saturated = step_saturated(&served.step, &served.time);
	served.in_flight = step_in_flight(&served.step, &served.time);
	served.step_s = served.step.offline ? served.time.full_s : step_time_at(&served.step, &served.time, served.in_flight);
	/* Offline is wall time over all tokens of the batch; else each request waits for every step. */
	served.itl_s = served.step.offline ? served.time.full_s / served.step.batch_max : served.step_s;
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
	double		terms[Max((int) DRAW_TERMS, (int) ALONE_TERMS)];
	double		alone = 0;
	Subject		s = physical_subject(model, gpu, llm, served, served->step.offline);

	if (model->target == TARGET_ITL)
	{
		if (served->step.offline)
			return s.shares.step_s / served->step.batch_max;
		step_alone_terms(&served->step, s.busy, terms);
		for (int i = 0; i < ALONE_TERMS; i++)
			alone += terms[i] * model->prior[FULL_TERMS + i];
		return alone;
	}
	if (served->step.offline)
		return model->prior[0] * tdp;
	draw_terms(gpu, &served->step, n, s.bandwidth_use, terms);
	return draw_w(terms, model->prior + 1, tdp, gpu->idle_power_w * n, s.busy);
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
	double		terms[DRAW_TERMS];
	Subject		s = physical_subject(power, gpu, llm, served, true);
	double		full = least(power->prior[0] * tdp * factor(power, &s), tdp);
	double		own;

	/* Where the step is not known, nor is what it draws. */
	if (isnan(served->in_flight))
		return NAN;
	if (!isnan(gpu->idle_power_w))
		full = most(full, gpu->idle_power_w * n);

	if (served->step.offline)
		return full;
	s.full_batch = false;
	draw_terms(gpu, &served->step, n, s.bandwidth_use, terms);
	own = least(draw_w(terms, power->prior + 1, tdp, gpu->idle_power_w * n, s.busy) * factor(power, &s), tdp);
	return own + full_share(served) * most(0, full - own);
}
