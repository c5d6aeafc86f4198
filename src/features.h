/*
 * Specs to the numbers a booster splits on, each known by its name.
 */
#ifndef WATTGPU_FEATURES_H
#define WATTGPU_FEATURES_H

#include "spec.h"
#include "step.h"

#define FEATURES_MAX 64

/*
 * What features are computed from. The members below the first three are the
 * physical recipe's: a step, the regime that is asked about (a full batch or
 * not), how busy the card is, and what the model has seen.
 */
typedef struct Subject
{
	const GpuSpec *gpu;
	const LlmSpec *llm;
	const Workload *workload;
	const Step *step;
	StepPrior	prior;			/* of an ITL model */
	double		busy;
	double		bandwidth_use;
	bool		full_batch;
	bool		assumed;		/* the answers' length is a guess */
	bool		gpu_known;
	bool		llm_known;
} Subject;

/* When a feature is missing although its value is known. */
typedef enum Visibility
{
	VISIBLE,
	VISIBLE_KNOWN_GPU,			/* "card:": for a card that was trained on */
	VISIBLE_KNOWN_GPU_SERVER,	/* "card_server:": the same, but always for a full batch */
	VISIBLE_FULL_BATCH,			/* "full:": for a full batch alone */
	VISIBLE_KNOWN_LLM			/* "llm:": not for an unseen LLM whose answers' length is a guess, unless the batch is full */
} Visibility;

typedef struct Feature
{
	int			index;
	Visibility	visibility;
	bool		category;		/* its value is a name, and not a number */
	bool		of_regime;		/* differs between a full batch and less, for the same pair and workload */
	bool		steady;			/* the same for all cards that were not trained on, for the same LLM and answers' length */
} Feature;

/* Groups of a list's features: a sum of these. */
enum
{
	FEATURE_OF_REGIME = 1,
	FEATURE_STEADY = 2,
	FEATURE_CATEGORY = 4,
	NUM_FEATURE_GROUPS = 8
};

/* A list's features by group, so that a vector is filled without looking at each. */
typedef struct FeatureOrder
{
	struct
	{
		double		(*number) (const Subject *s);
		uint8_t		place;
		uint8_t		visibility;
	}			features[FEATURES_MAX];
	int			end[NUM_FEATURE_GROUPS];
} FeatureOrder;

/* Where a group begins. */
static inline int
feature_group(const FeatureOrder *order, int group)
{
	return group == 0 ? 0 : order->end[group - 1];
}

extern bool feature_find(const char *name, Feature *feature);
extern bool feature_is_model_type(Feature feature);
extern double feature_number(Feature feature, const Subject *s);
extern FeatureOrder feature_order(const Feature *list, int n);
extern void feature_numbers(const FeatureOrder *order, int group, const Subject *s, float *x);
extern const char *feature_category(Feature feature, const Subject *s);

#endif
