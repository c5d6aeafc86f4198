/*
 * Measured rows, and models fitted on them.
 */
#ifndef WATTGPU_TRAIN_H
#define WATTGPU_TRAIN_H

#include "wattgpu.h"

#include "utils/jsonb.h"

#include "booster.h"
#include "model.h"

#define MAX_PARAMS 20

typedef struct Measurement
{
	const GpuSpec *gpu;
	const LlmSpec *llm;
	const Workload *scenario;
	Workload	workload;		/* the scenario's, but for what the row says itself */
	double		power_w;		/* NAN where it was not measured */
	double		itl_s;
	double		runs;
} Measurement;

typedef struct Recipe
{
	const char *name;
	Target		target;
	bool		physical;
	int			rounds;
	const char *objective;
	const char *const *features;
	int			num_features;
	const char *const *rising;	/* features that may only raise the prediction */
	const char *params;			/* jsonb text; the caller's own override them */
} Recipe;

typedef struct Params
{
	BoosterParam list[MAX_PARAMS];
	int			count;
	int			rounds;
} Params;

typedef struct Fitted
{
	Model		model;
	Matrix		x;				/* a measurement may be shown more than once */
	float	   *label;
	float	   *weight;
	int			rows;			/* measurements */
	double		weight_scale;
	double		runs;
	Booster    *booster;
} Fitted;

typedef struct RawMeasurements RawMeasurements;

extern void require_argument(FunctionCallInfo fcinfo, int arg, const char *name, const char *hint);
extern RawMeasurements *measurements_read(Oid relation);
extern Measurement *measurements_resolve(const RawMeasurements *raw, int *count);
extern int	measurements_select(Measurement *rows, int n, Target target);
extern double measurement_target(const Measurement *m, Target target);
extern const Recipe *recipe_find(Target target, const char *name);
extern const Params *recipe_params(const Recipe *recipe);
extern void model_seal(const char *name, const char *target);
extern void params_read(Jsonb *json, Params *params);
extern Fitted *recipe_fit(const Recipe *recipe, const Params *params, const Measurement *rows, int n, const Model *itl, const Params *itl_params);

#endif
