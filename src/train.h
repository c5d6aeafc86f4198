/*
 * Measured rows, and models fitted on them.
 */
#ifndef WATTGPU_TRAIN_H
#define WATTGPU_TRAIN_H

#include "wattgpu.h"
#include "model.h"

typedef struct Measurement
{
	const GpuSpec *gpu;
	const LlmSpec *llm;
	Workload	workload;
	double		power_w;		/* NAN where it was not measured */
	double		itl_s;
	double		runs;
} Measurement;

typedef struct Recipe
{
	const char *name;
	Target		target;
	int			rounds;
	const char *const *features;
	int			num_features;
	const char *params;			/* jsonb text; the caller's own override them */
} Recipe;

extern Measurement *measurements_load(Oid relation, int *count);
extern double measurement_target(const Measurement *m, Target target);
extern bool measurement_is_dense(const Measurement *m);
extern const Recipe *recipe_find(Target target, text *name);

#endif
