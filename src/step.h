/*
 * One decode step: what it reads and computes, how long it takes at a batch,
 * and how many requests are in flight at an arrival rate.
 */
#ifndef WATTGPU_STEP_H
#define WATTGPU_STEP_H

#include "spec.h"

enum
{
	FULL_TERMS = 10,			/* a step at the largest batch */
	SINGLE_TERMS = 9,			/* a step alone on the card */
	COMPANY_TERMS = 3,			/* what the second request adds */
	ALONE_TERMS = SINGLE_TERMS + COMPANY_TERMS
};

/* Times in s, sizes in 1e9 bytes; NAN where a spec is missing. All cards that the LLM runs on count together. */
typedef struct Step
{
	bool		offline;
	double		rate;			/* requests a second; 0 offline */
	double		tokens;			/* tokens an answer */
	double		prompt;
	double		bandwidth_gb_s;
	double		sm_ghz;			/* streaming multiprocessors x boost clock */
	double		old;			/* 1 for 12 nm and older, which the server runs without FlashAttention */
	double		batch_max;		/* sequences that the server runs at once at most */
	double		read_s;			/* weights of one token, read once */
	double		compute_s;		/* arithmetic of one token */
	double		prefill_s;		/* what a prompt takes beyond the length of those that were measured, by each token of the answer */
	double		kv_s;			/* KV cache of one sequence at mid-answer, read once */
	double		activation_s;	/* activation traffic of one sequence, less what L2 keeps */
	double		logit_s;
	double		kernel_s;		/* fixed work a layer and sequence, on the card's multiprocessors */
	double		layers;
	double		used_gb;		/* weights that every token uses, as read */
	double		expert_gb;		/* weights of the experts that a token does not use */
	double		experts;
	double		experts_per_token;
} Step;

/* How long a step takes, once the terms have their weights. */
typedef struct StepTime
{
	double		single_s;		/* alone */
	double		company_s;		/* added by the second request */
	double		gb_s;			/* each further 1e9 bytes of experts */
	double		full_s;			/* at batch_max */
} StepTime;

extern Step step_of(const GpuSpec *gpu, const LlmSpec *llm, const Workload *w);
extern double step_read_gb(const Step *s, double batch);
extern void step_full_terms(const Step *s, double *terms);
extern void step_alone_terms(const Step *s, double busy, double *terms);
/* What the terms make of a step, before anything is learnt: its time, and what it goes into. */
typedef struct StepShares
{
	double		step_s;
	double		read;			/* weights */
	double		kv;				/* KV caches */
	double		host;			/* the same for every step */
} StepShares;

typedef struct StepPrior
{
	StepShares	full;			/* at batch_max */
	StepShares	single;			/* alone */
	double		company_s;
	double		gb_s;
} StepPrior;

extern StepPrior step_prior(const Step *s, const double *full_weights, const double *alone_weights);
extern double busy_share(double in_flight);
extern StepTime step_time(const Step *s, const StepPrior *p, double full_factor, double alone_factor);
extern double step_time_at(const Step *s, const StepTime *t, double in_flight);
extern double step_in_flight(const Step *s, const StepTime *t);
extern bool step_saturated(const Step *s, const StepTime *t);

#endif
