/*
 * One decode step. Everything here is a property of a step at a batch, so
 * that quantised weights, experts, several cards and larger batches are other
 * inputs and not other formulas.
 */
#include <math.h>
#include <string.h>

#include "physics.h"
#include "step.h"
#include "unknown.h"

#define GIB_GB 1.0737
#define MAX_NUM_SEQS 256		/* sequences that the measured server takes into a batch */
#define MEASURED_PROMPT 20		/* tokens; the weight of the prefill term holds for prompts up to here */
#define PREFILL_USE 0.5			/* share of the peak rate that long prompts reach; set by hand */

static double
known_or(double value, double other)
{
	return isnan(value) ? other : value;
}

/*
 * A card without tensor cores computes in 32 bits. A boost clock that is not
 * published follows from the vector rate: two operations a shader and clock.
 */
static double
tflops_of(const GpuSpec *g)
{
	return known_or(g->fp16_tflops, g->fp32_tflops);
}

static double
boost_mhz(const GpuSpec *g)
{
	return known_or(g->boost_clock_mhz, g->fp32_tflops * 1e6 / (2 * g->shading_units));
}

Step
step_of(const GpuSpec *g, const LlmSpec *l, const Workload *w)
{
	double		n = w->num_gpus;
	double		bytes = bytes_per_weight(l);
	double		head = l->vocab_size * l->hidden_size / 1e9;
	double		embedding = l->tie_word_embeddings == 1 ? 0 : isnan(l->tie_word_embeddings) ? NAN : head;
	double		tflops = tflops_of(g) * n;
	double		kv = kv_gb_per_token(l);
	double		room;
	Step		s = {.offline = isnan(w->arrival_rate_qps)};

	s.rate = s.offline ? 0 : w->arrival_rate_qps;
	s.tokens = w->output_tokens;
	s.prompt = w->prompt_tokens;
	s.bandwidth_gb_s = g->memory_bandwidth_gb_s * n;
	s.sm_ghz = g->streaming_multiprocessors * boost_mhz(g) / 1000 * n;
	s.old = known_or(g->process_nm, 7) >= 12;
	/* A decode step looks up one row of an untied input embedding and does not read the rest. */
	s.used_gb = bytes * (l->active_params_b - embedding) + (bytes_per_head_weight(l) - bytes) * head;
	/* What a dense LLM does not use of its weights are tables that no step reads. */
	if (!isnan(l->num_experts) || (l->architecture && strcmp(l->architecture, "moe") == 0))
		s.expert_gb = most(0, bytes * (l->total_params_b - l->active_params_b));
	s.experts = l->num_experts;
	s.experts_per_token = l->num_experts_per_token;
	s.read_s = s.used_gb / s.bandwidth_gb_s;
	s.compute_s = 2 * (l->active_params_b - embedding) / (tflops * 1e3);
	s.prefill_s = s.prompt > MEASURED_PROMPT ? s.compute_s * (s.prompt - MEASURED_PROMPT) / PREFILL_USE / s.tokens : 0;
	room = most(g->memory_gb * n * 0.9 * GIB_GB - weights_gb(l) - n, 0.3);
	s.batch_max = kv > 0 ? most(1, least(MAX_NUM_SEQS, room / (kv * (s.prompt + s.tokens)))) : kv == 0 ? MAX_NUM_SEQS : NAN;
	s.kv_s = kv * (s.prompt + s.tokens / 2) / s.bandwidth_gb_s;
	s.layers = l->num_layers;
	s.activation_s = l->num_layers * l->hidden_size * 1e-6 / s.bandwidth_gb_s / (1 + known_or(g->l2_cache_mb, 10) / 50);
	s.logit_s = l->vocab_size * 2e-8 / s.bandwidth_gb_s;
	s.kernel_s = l->num_layers / s.sm_ghz * 1e-5;
	return s;
}

/*
 * Bytes of the weights that a step of a batch touches. Each sequence draws
 * its experts on its own, so of E experts E (1 - (1 - k/E)^batch) are read.
 */
double
step_read_gb(const Step *s, double batch)
{
	double		e = s->experts;
	double		k = s->experts_per_token;

	if (s->expert_gb == 0)
		return s->used_gb;
	if (!(e > k && k > 0))
		return NAN;
	return s->used_gb + s->expert_gb * most(0, (e * (1 - pow(1 - k / e, batch)) - k) / (e - k));
}

/* weights, arithmetic, KV cache, 1 ms, activations, KV without FlashAttention, logits, prefill, draining the last batch, kernels */
void
step_full_terms(const Step *s, double *terms)
{
	double		b = s->batch_max;

	terms[0] = step_read_gb(s, b) / s->bandwidth_gb_s;
	terms[1] = s->compute_s * b;
	terms[2] = s->kv_s * b;
	terms[3] = 1e-3;
	terms[4] = s->activation_s * b;
	terms[5] = s->kv_s * b * s->old;
	terms[6] = s->logit_s * b;
	terms[7] = s->compute_s * b * least(s->prompt, MEASURED_PROMPT) / s->tokens;
	terms[8] = most(0, MAX_NUM_SEQS - s->tokens) / (1000 * s->tokens) * b * 1e-3;
	terms[9] = s->kernel_s * b;
}

/*
 * Alone: weights, KV cache, 1 ms, layers, first token (weights, fixed),
 * kernels, KV cache and layers without FlashAttention. In company, as far as
 * the card is busy: weights, the same without FlashAttention, fixed.
 */
void
step_alone_terms(const Step *s, double busy, double *terms)
{
	terms[0] = s->read_s;
	terms[1] = s->kv_s;
	terms[2] = 1e-3;
	terms[3] = s->layers * 1e-4;
	terms[4] = s->read_s / s->tokens;
	terms[5] = 1e-2 / s->tokens;
	terms[6] = s->kernel_s * 100;
	terms[7] = s->kv_s * s->old;
	terms[8] = s->layers * 1e-4 * s->old;
	terms[9] = s->read_s * 0.1 * busy;
	terms[10] = s->read_s * s->old * 0.1 * busy;
	terms[11] = 1e-4 * busy;
}

/* The share of time in which at least one of so many requests is there, if they come at random. */
double
busy_share(double in_flight)
{
	return 1 - exp(-in_flight);
}

static double
weigh(const double *terms, const double *weights, int from, int to)
{
	double		sum = 0;

	for (int i = from; i < to; i++)
		sum += terms[i] * weights[i];
	return sum;
}

StepPrior
step_prior(const Step *s, const double *full_weights, const double *alone_weights)
{
	double		full[FULL_TERMS];
	double		alone[ALONE_TERMS];
	StepPrior	p;

	step_full_terms(s, full);
	step_alone_terms(s, 1, alone);
	p.full.step_s = weigh(full, full_weights, 0, FULL_TERMS);
	p.full.read = full[0] * full_weights[0] / p.full.step_s;
	p.full.kv = (full[2] * full_weights[2] + full[5] * full_weights[5]) / p.full.step_s;
	p.full.host = full[3] * full_weights[3] / p.full.step_s;
	p.single.step_s = weigh(alone, alone_weights, 0, SINGLE_TERMS);
	p.single.read = alone[0] * alone_weights[0] / p.single.step_s;
	p.single.kv = (alone[1] * alone_weights[1] + alone[7] * alone_weights[7]) / p.single.step_s;
	p.single.host = alone[2] * alone_weights[2] / p.single.step_s;
	p.company_s = weigh(alone, alone_weights, SINGLE_TERMS, ALONE_TERMS);
	p.gb_s = alone_weights[0] / s->bandwidth_gb_s;
	return p;
}

/* A request's step with so many in its company, as if they did not fill the batch. */
static double
alone_at(const Step *s, const StepTime *t, double in_flight)
{
	return t->single_s + busy_share(in_flight) * t->company_s + t->gb_s * (step_read_gb(s, 1 + in_flight) - step_read_gb(s, 1));
}

/* The factors are what was learnt beyond the terms. A full batch is never faster than the same steps one by one. */
StepTime
step_time(const Step *s, const StepPrior *p, double full_factor, double alone_factor)
{
	StepTime	t;

	t.single_s = p->single.step_s * alone_factor + s->prefill_s;
	t.company_s = p->company_s * alone_factor;
	t.gb_s = p->gb_s * alone_factor;
	t.full_s = p->full.step_s * full_factor + s->prefill_s * s->batch_max;
	t.full_s = most(t.full_s, alone_at(s, &t, s->batch_max));
	return t;
}

/* From the step of a single request to that of a full batch, in proportion to the requests in flight. */
double
step_time_at(const Step *s, const StepTime *t, double in_flight)
{
	double		x = in_flight / s->batch_max;

	return (1 - x) * alone_at(s, t, in_flight) + x * t->full_s;
}

/* More requests come than the largest batch can answer. */
bool
step_saturated(const Step *s, const StepTime *t)
{
	return !s->offline && s->rate * s->tokens * t->full_s >= s->batch_max;
}

/* How many more requests would be in flight than there are: above 0 if there are too few of them for Little's law. */
static double
missing_requests(const Step *s, const StepTime *t, double in_flight)
{
	return s->rate * s->tokens * step_time_at(s, t, in_flight) - in_flight;
}

/*
 * Little's law: requests in flight = rate x tokens x step(in flight). The
 * step grows slower than in proportion, so there is one solution and it grows
 * with the rate; at most the batch is full. No fewer requests are in flight
 * than the step of a single one would make it, and mostly hardly more, so the
 * chord from none to these says where to begin. Found by the Illinois method:
 * the chord of a bracket, whose end is weighed less when it stays.
 */
double
step_in_flight(const Step *s, const StepTime *t)
{
	double		low = 0;
	double		high = s->batch_max;
	double		at_low;
	double		at_high;
	double		x = NAN;
	double		last = NAN;
	int			stayed = 0;

	if (isnan(t->full_s) || isnan(t->single_s) || isnan(t->company_s) || isnan(s->rate * s->tokens))
		return NAN;
	if (s->offline || step_saturated(s, t))
		return s->batch_max;
	/* with none and with a full batch, the step is known */
	at_low = s->rate * s->tokens * t->single_s;
	at_high = s->rate * s->tokens * t->full_s - high;
	if (at_low < high)
	{
		double		at = missing_requests(s, t, at_low);

		x = at_low + at * at_low / (at_low - at);
		low = at_low;
		at_low = at;
	}
	for (int i = 0; i < 100; i++)
	{
		double		at;

		if (!(x >= low && x < high))
			x = (low * at_high - high * at_low) / (at_high - at_low);
		if (fabs(x - last) <= 1e-12 * x)
			return x;
		last = x;
		at = missing_requests(s, t, x);
		if (at >= 0)
		{
			low = x;
			at_low = at;
			if (stayed == 1)
				at_high /= 2;
			stayed = 1;
		}
		else
		{
			high = x;
			at_high = at;
			if (stayed == -1)
				at_low /= 2;
			stayed = -1;
		}
		x = (low * at_high - high * at_low) / (at_high - at_low);
	}
	return last;
}
