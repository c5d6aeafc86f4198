/*
 * The SQL functions that predict one figure, and what they share with the others.
 */
#include "wattgpu.h"

#include <math.h>

#include "utils/builtins.h"

#include "answers.h"
#include "predict.h"

CallSite *
call_site(FunctionCallInfo fcinfo)
{
	if (!fcinfo->flinfo->fn_extra)
		fcinfo->flinfo->fn_extra = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(CallSite));
	return fcinfo->flinfo->fn_extra;
}

const GpuSpec *
gpu_argument(FunctionCallInfo fcinfo, int arg)
{
	text	   *name = PG_GETARG_TEXT_PP(arg);

	return gpu_find(VARDATA_ANY(name), VARSIZE_ANY_EXHDR(name));
}

const LlmSpec *
llm_argument(FunctionCallInfo fcinfo, int arg)
{
	text	   *name = PG_GETARG_TEXT_PP(arg);

	return llm_find(VARDATA_ANY(name), VARSIZE_ANY_EXHDR(name));
}

const Workload *
scenario_argument(FunctionCallInfo fcinfo, int arg)
{
	text	   *name = PG_GETARG_TEXT_PP(arg);

	return scenario_find(VARDATA_ANY(name), VARSIZE_ANY_EXHDR(name));
}

/* Look the three names up; false if one is NULL, or unknown where that may be. */
bool
request_find(FunctionCallInfo fcinfo, Request *r)
{
	const Workload *scenario;

	if (PG_ARGISNULL(ARG_GPU) || PG_ARGISNULL(ARG_LLM) || PG_ARGISNULL(ARG_SCENARIO))
		return false;
	catalogue_begin(fcinfo);
	r->gpu = gpu_argument(fcinfo, ARG_GPU);
	scenario = scenario_argument(fcinfo, ARG_SCENARIO);
	if (r->gpu && scenario)
		answers_prefetch(r->gpu, scenario, 0);
	r->llm = llm_argument(fcinfo, ARG_LLM);
	if (!r->gpu || !r->llm || !scenario)
		return false;
	r->gpu_name = r->gpu->gpu;
	r->llm_name = r->llm->llm;
	r->scenario = scenario;
	r->workload = *scenario;
	r->changed = false;
	r->made_up = false;
	return true;
}

void
check_argument(const char *name, double value, double least, double most)
{
	if (!(value >= least && value <= most))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s is %.10g, which is out of range", name, value),
				 errhint("It must be from %g to %g.", least, most)));
}

/* The caller's own figures in place of the scenario's. */
void
request_workload(FunctionCallInfo fcinfo, Request *r)
{
	static const struct
	{
		int			arg;
		const char *name;
		size_t		offset;
		double		least;
		double		most;
	}			numbers[] = {
		{ARG_ARRIVAL_RATE, "arrival_rate_qps", offsetof(Workload, arrival_rate_qps), 1e-9, 1e6},
		{ARG_OUTPUT_TOKENS, "output_tokens", offsetof(Workload, output_tokens), 1, 1e7},
		{ARG_PROMPT_TOKENS, "prompt_tokens", offsetof(Workload, prompt_tokens), 1, 1e7},
	};

	r->changed = false;
	for (size_t i = 0; i < lengthof(numbers); i++)
	{
		double		value;

		if (PG_ARGISNULL(numbers[i].arg))
			continue;
		value = PG_GETARG_FLOAT8(numbers[i].arg);
		check_argument(numbers[i].name, value, numbers[i].least, numbers[i].most);
		*(double *) ((void *) ((char *) &r->workload + numbers[i].offset)) = value;
		r->changed = true;
	}
	check_num_gpus(fcinfo, ARG_NUM_GPUS, r);
}

void
check_num_gpus(FunctionCallInfo fcinfo, int arg, Request *r)
{
	check_argument("num_gpus", PG_GETARG_INT32(arg), 1, 1024);
	r->workload.num_gpus = PG_GETARG_INT32(arg);
	r->changed |= r->workload.num_gpus != 1;
}

/* A limit that the card keeps to anyway changes nothing. */
void
check_power_limit(FunctionCallInfo fcinfo, int arg, Request *r)
{
	if (PG_ARGISNULL(arg))
		return;
	check_argument("power_limit_w", PG_GETARG_FLOAT8(arg), 1, 1e5);
	if (PG_GETARG_FLOAT8(arg) >= r->gpu->tdp_w)
		return;
	r->workload.power_limit_w = PG_GETARG_FLOAT8(arg);
	r->changed = true;
}

/*
 * A model that knows workloads by their scenario's name alone cannot say
 * anything of another one, and must not answer as if it were the same.
 */
void
request_check_model(const Model *model, const Workload *w, bool changed)
{
	Feature		scenario;
	bool		known = false;

	if (model->physical)
		return;
	feature_find("scenario", &scenario);
	for (int i = 0; i < model->num_features; i++)
		if (model->features[i].index == scenario.index)
			known = names_have(&model->categories[i], w->scenario);
	/* A shipped scenario that was edited is another workload under its name than shipped models were trained on. */
	changed |= model->builtin && w->builtin != 1;
	if (!known || changed)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 known ? errmsg("model \"%s\" takes no workload but its scenarios' own", model->model)
				 : w->scenario ? errmsg("model \"%s\" was not trained on scenario \"%s\"", model->model, w->scenario)
				 : errmsg("model \"%s\" takes no scenario without a name", model->model),
				 errhint("It knows a workload by its scenario's name; choose another model for a workload of your own.")));
}

/* The argument as a string; NULL where it is NULL. */
const char *
optional_cstring(FunctionCallInfo fcinfo, int arg)
{
	return PG_ARGISNULL(arg) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(arg));
}

Datum
number_or_null(FunctionCallInfo fcinfo, double value)
{
	if (!isfinite(value))
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(value);
}

double
predict(const Request *r, Target target, const char *model_name)
{
	const Model *models[NUM_TARGETS] = {NULL};
	Prediction	p = {.has = 0};
	int			number = r->changed || r->made_up ? NOT_REMEMBERED : model_number(model_name);
	double		figure;

	if (number != NOT_REMEMBERED && figure_remembered(r->gpu, r->llm, r->scenario, number, target, &figure))
		return figure;
	for (Target t = 0; t < NUM_TARGETS; t++)
		if (t == target || r->workload.power_limit_w > 0)
		{
			models[t] = model_find(t, model_name);
			request_check_model(models[t], &r->workload, r->changed);
		}
	prediction_add(&p, target == TARGET_POWER ? HAS_POWER : HAS_ITL, models[TARGET_POWER], models[TARGET_ITL], r->gpu, r->llm, &r->workload);
	figure = target == TARGET_POWER ? p.power_w : p.itl_s;
	if (number != NOT_REMEMBERED)
		figure_remember(r->gpu, r->llm, r->scenario, number, target, figure);
	return figure;
}

static Datum
predict_by_name(FunctionCallInfo fcinfo, Target target)
{
	Request		r;

	if (PG_ARGISNULL(ARG_NUM_GPUS) || !request_find(fcinfo, &r))
		PG_RETURN_NULL();
	request_workload(fcinfo, &r);
	check_power_limit(fcinfo, ARG_POWER_LIMIT, &r);
	return number_or_null(fcinfo, predict(&r, target, optional_cstring(fcinfo, ARG_MODEL)));
}

PG_FUNCTION_INFO_V1(wattgpu_power);
PG_FUNCTION_INFO_V1(wattgpu_itl);

Datum
wattgpu_power(PG_FUNCTION_ARGS)
{
	return predict_by_name(fcinfo, TARGET_POWER);
}

Datum
wattgpu_itl(PG_FUNCTION_ARGS)
{
	return predict_by_name(fcinfo, TARGET_ITL);
}

