/*
 * A trained model: what it was trained on and how, and its forest.
 */
#ifndef WATTGPU_MODEL_H
#define WATTGPU_MODEL_H

#include "wattgpu.h"

#include "draw.h"
#include "range.h"
#include "step.h"

#define MAX_FEATURES FEATURES_MAX
#define MAX_PRIOR 32

typedef enum Target
{
	TARGET_POWER,
	TARGET_ITL
} Target;

#define NUM_TARGETS 2

/* What a model has not seen of a pair: the LLM, the GPU, or both. */
typedef enum Novelty
{
	NOVELTY_NONE,
	NOVELTY_LLM,
	NOVELTY_GPU,
	NOVELTY_BOTH,
	NUM_NOVELTIES
} Novelty;

/* An interval's two quantiles for each novelty, for a full batch or not, and for given or settled lengths of answers. */
#define NUM_INTERVALS (2 * NUM_NOVELTIES * 2 * 2)

/* Distinct names, sorted bytewise; a category's code is its value's place. */
typedef struct Names
{
	const char **values;
	int			count;
} Names;

typedef struct Model
{
	const char *model;
	Target		target;
	bool		builtin;
	bool		physical;		/* the booster learnt what a physical prior leaves */
	int			num_features;
	Feature    *features;
	FeatureOrder order;
	const char **feature_names;	/* of a stored model */
	Names	   *categories;		/* one a feature; empty for numbers */
	double		prior[MAX_PRIOR];	/* weights of the physical terms */
	int			num_prior;
	Names		gpus;			/* what it was trained on */
	Names		llms;
	double	   *gpu_crcs;		/* what each of these cards and LLMs was then */
	double	   *llm_crcs;
	double	   *llm_tokens;		/* mean answer of each of these LLMs; NAN where not known */
	Names		kinds;			/* "memory_type=...", "architecture=...": what cannot be a range */
	Range		ranges[NUM_RANGES];
	Names		kind_values[NUM_KINDS];	/* the same, apart; of a stored model */
	double		intervals[NUM_INTERVALS];	/* quantiles of ln(measured / predicted); NAN until calibrated */
	double		interval_factors[NUM_INTERVALS];	/* their exponentials; of a stored model */
	const struct Model *itl;	/* power only, physical: the ITL it is based on */
	const char *fingerprint;	/* of a stored model: its training rows and parameters */
	Forest		forest;
	struct FastForest *fast;	/* of a stored model */
	bytea	   *booster;		/* only while it is made or read */
} Model;

/* The forest in its faster form, once it is worth making; NULL where it does not fit that form. */
typedef struct FastForest
{
	int			walks;
	LeafMasks  *masks;
	/* the places of the last LLM's names: one LLM mostly meets many cards. A number is of its epoch alone. */
	uint64		llm_epoch;
	uint32		llm_number;
	int			llm_place;
	int			type_place;
	/* what the last vectors of this LLM and of an unseen card have in common with the next ones */
	bool		kept;
	bool		kept_assumed;
	bool		kept_regime;	/* of the second vector */
	double		kept_tokens;
	float		kept_full[MAX_FEATURES];
	float		kept_alone[MAX_FEATURES];
} FastForest;

/* An LLM served on a card at a workload, as the physical recipe sees it. */
typedef struct Served
{
	Workload	workload;		/* with the answers' length settled */
	bool		assumed;		/* ... by a guess */
	Step		step;
	StepTime	time;
	double		in_flight;
	double		step_s;
	double		itl_s;
	bool		saturated;
	bool		capped;			/* a power limit makes it slower, */
	bool		below_idle;		/* or is less than the idle card draws */
} Served;

extern const char *target_name(Target target);
extern Target target_parse(text *name);
/* By which a backend remembers what was predicted by a model that was named: 0 is the default. */
#define MAX_REMEMBERED_MODELS 15
#define NOT_REMEMBERED (-1)

extern int	model_number(const char *name);
extern const Model *model_find(Target target, const char *name);
extern bytea *model_booster(const Model *model);
extern Novelty model_novelty(const Model *model, const GpuSpec *gpu, const LlmSpec *llm);
extern int	interval_index(Novelty novelty, bool offline, bool given);
extern const char *model_read_forest(Model *model);
extern void model_margins(const Model *model, const float *a, const float *b, float *margin_a, float *margin_b);
extern bool model_knows_gpu(const Model *model, const GpuSpec *gpu);
extern bool model_has_changed(const Model *model, const GpuSpec *gpu, const LlmSpec *llm);
extern int	model_llm_place(const Model *model, const LlmSpec *llm);
extern bool names_have(const Names *names, const char *name);
extern int	names_find(const Names *names, const char *name);
extern void model_vector(const Model *model, const Subject *subject, float *x);
extern void model_vectors(const Model *model, const Subject *full, const Subject *alone, float *x_full, float *x_alone);
extern double model_predict(const Model *model, const GpuSpec *gpu, const LlmSpec *llm, const Workload *w);

/* physical.c */
extern Served physical_serve(const Model *itl, const GpuSpec *gpu, const LlmSpec *llm, const Workload *w);
extern void physical_cap(const Model *power, const GpuSpec *gpu, const LlmSpec *llm, Served *served);
extern Subject physical_subject(const Model *model, const GpuSpec *gpu, const LlmSpec *llm, const Served *served, bool full_batch);
extern double physical_prior(const Model *model, const GpuSpec *gpu, const LlmSpec *llm, const Served *served);
extern double physical_power(const Model *power, const GpuSpec *gpu, const LlmSpec *llm, const Served *served);
extern void settle_tokens(const Model *model, const LlmSpec *llm, Served *served);
extern double full_share(const Served *served);

#endif
