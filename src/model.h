/*
 * A trained model: what it was trained on and how, and its forest.
 */
#ifndef WATTGPU_MODEL_H
#define WATTGPU_MODEL_H

#include "wattgpu.h"

typedef enum Target
{
	TARGET_POWER,
	TARGET_ITL
} Target;

#define NUM_TARGETS 2

/* The distinct values of a category, in the order of their codes. */
typedef struct Categories
{
	const char **values;
	int			count;
} Categories;

typedef struct Model
{
	const char *model;
	Target		target;
	int			num_features;
	int		   *features;
	Categories *categories;		/* one a feature; empty for numbers */
	Forest		forest;
	bytea	   *booster;		/* only while it is made or read */
} Model;

extern const char *target_name(Target target);
extern Target target_parse(text *name);
extern const Model *model_find(Target target, const char *name);
extern void model_vector(const Model *model, const GpuSpec *gpu, const LlmSpec *llm, const Workload *w, float *x);
extern double model_predict(const Model *model, const GpuSpec *gpu, const LlmSpec *llm, const Workload *w);
extern const char *model_read_forest(Model *model);
extern bytea *model_booster(const Model *model);

#endif
