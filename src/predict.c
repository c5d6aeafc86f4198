/*
 * The SQL functions that predict, and the physical baselines beside them.
 */
#include "wattgpu.h"

#include <math.h>

#include "utils/builtins.h"

#include "predict.h"

/*
 * What was answered for a configuration by name: a fleet asks for few of them
 * many times. Specs and scenarios are the same pointers as long as nothing is
 * forgotten, and what was answered is forgotten with them.
 */
typedef struct AnswerKey
{
	const GpuSpec *gpu;
	const LlmSpec *llm;
	const Workload *scenario;
	int64		target;
} AnswerKey;

typedef struct AnswerEntry
{
	AnswerKey	key;
	uint32		hash;
	char		status;
	double		value;			/* NAN: there is no prediction */
} AnswerEntry;

#define MAX_ANSWERS 200000

static inline uint32
hash_answer(AnswerKey key)
{
	uint64		h = (uintptr_t) key.gpu * UINT64CONST(0x9E3779B97F4A7C15);

	h = (h ^ (uintptr_t) key.llm) * UINT64CONST(0xC2B2AE3D27D4EB4F);
	h = (h ^ (uintptr_t) key.scenario ^ (uint64) key.target) * UINT64CONST(0x165667B19E3779F9);
	return (uint32) (h >> 32);
}

#define SH_PREFIX answers
#define SH_ELEMENT_TYPE AnswerEntry
#define SH_KEY_TYPE AnswerKey
#define SH_KEY key
#define SH_HASH_KEY(tb, key) hash_answer(key)
#define SH_EQUAL(tb, a, b) \
	((a).gpu == (b).gpu && (a).llm == (b).llm && (a).scenario == (b).scenario && (a).target == (b).target)
#define SH_STORE_HASH
#define SH_GET_HASH(tb, e) (e)->hash
#define SH_SCOPE static inline
#define SH_DEFINE
#define SH_DECLARE
#include "lib/simplehash.h"

static struct
{
	uint64		epoch;
	answers_hash *table;
} answered;

static answers_hash *
answers_now(void)
{
	if (answered.epoch != catalogue_epoch())
	{
		answered.table = answers_create(catalogue_memory(), 256, NULL);
		answered.epoch = catalogue_epoch();
	}
	else if (answered.table->members > MAX_ANSWERS)
		catalogue_is_full();
	return answered.table;
}

static const GpuSpec *
gpu_argument(FunctionCallInfo fcinfo, int arg)
{
	text	   *name = PG_GETARG_TEXT_PP(arg);

	return gpu_find(VARDATA_ANY(name), VARSIZE_ANY_EXHDR(name));
}

static const LlmSpec *
llm_argument(FunctionCallInfo fcinfo, int arg)
{
	text	   *name = PG_GETARG_TEXT_PP(arg);

	return llm_find(VARDATA_ANY(name), VARSIZE_ANY_EXHDR(name));
}

static const Workload *
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
	r->llm = llm_argument(fcinfo, ARG_LLM);
	scenario = scenario_argument(fcinfo, ARG_SCENARIO);
	if (!r->gpu || !r->llm || !scenario)
		return false;
	r->scenario = scenario;
	r->workload = *scenario;
	return true;
}

static void
check_argument(const char *name, double value, double least, double most)
{
	if (!(value >= least && value <= most))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s is %g, which is out of range", name, value),
				 errhint("It must be from %g to %g.", least, most)));
}

/* The caller's own figures in place of the scenario's. */
void
request_workload(FunctionCallInfo fcinfo, Workload *w, bool *changed)
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

	*changed = false;
	for (size_t i = 0; i < lengthof(numbers); i++)
	{
		double		value;

		if (PG_ARGISNULL(numbers[i].arg))
			continue;
		value = PG_GETARG_FLOAT8(numbers[i].arg);
		check_argument(numbers[i].name, value, numbers[i].least, numbers[i].most);
		*(double *) ((void *) ((char *) w + numbers[i].offset)) = value;
		*changed = true;
	}
	if (!PG_ARGISNULL(ARG_NUM_GPUS))
	{
		check_argument("num_gpus", PG_GETARG_INT32(ARG_NUM_GPUS), 1, 1024);
		w->num_gpus = PG_GETARG_INT32(ARG_NUM_GPUS);
		*changed |= w->num_gpus != 1;
	}
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
			known = names_find(&model->categories[i], w->scenario) >= 0;
	/* A shipped scenario that was edited is another workload under its name than shipped models were trained on. */
	changed |= model->builtin && w->builtin != 1;
	if (!known || changed)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 known ? errmsg("model \"%s\" takes no workload but its scenarios' own", model->model)
				 : errmsg("model \"%s\" was not trained on scenario \"%s\"", model->model, w->scenario),
				 errhint("It knows a workload by its scenario's name; choose another model for a workload of your own.")));
}

static Datum
number_or_null(FunctionCallInfo fcinfo, double value)
{
	if (!isfinite(value))
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(value);
}

static Datum
predict(FunctionCallInfo fcinfo, Target target)
{
	Request		r;
	const Model *model;
	bool		changed;
	bool		by_name;
	double		value = NAN;
	AnswerKey	key;
	AnswerEntry *entry;
	bool		found;

	if (!request_find(fcinfo, &r))
		PG_RETURN_NULL();
	request_workload(fcinfo, &r.workload, &changed);
	by_name = !changed && PG_ARGISNULL(ARG_MODEL);
	key = (AnswerKey) {r.gpu, r.llm, r.scenario, target};
	if (by_name)
	{
		entry = answers_lookup(answers_now(), key);
		if (entry)
			return number_or_null(fcinfo, entry->value);
	}
	model = model_find(target, PG_ARGISNULL(ARG_MODEL) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(ARG_MODEL)));
	request_check_model(model, &r.workload, changed);
	if (fits(r.gpu, r.llm, &r.workload) == FIT_YES)
		value = model_predict(model, r.gpu, r.llm, &r.workload);
	if (by_name)
	{
		entry = answers_insert(answers_now(), key, &found);
		entry->value = value;
	}
	return number_or_null(fcinfo, value);
}

PG_FUNCTION_INFO_V1(wattgpu_power);
PG_FUNCTION_INFO_V1(wattgpu_itl);

Datum
wattgpu_power(PG_FUNCTION_ARGS)
{
	return predict(fcinfo, TARGET_POWER);
}

Datum
wattgpu_itl(PG_FUNCTION_ARGS)
{
	return predict(fcinfo, TARGET_ITL);
}

PG_FUNCTION_INFO_V1(wattgpu_canonical_gpu);
PG_FUNCTION_INFO_V1(wattgpu_canonical_llm);

Datum
wattgpu_canonical_gpu(PG_FUNCTION_ARGS)
{
	const GpuSpec *gpu;

	catalogue_begin(fcinfo);
	gpu = gpu_argument(fcinfo, 0);
	if (!gpu)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(gpu->gpu));
}

Datum
wattgpu_canonical_llm(PG_FUNCTION_ARGS)
{
	const LlmSpec *llm;

	catalogue_begin(fcinfo);
	llm = llm_argument(fcinfo, 0);
	if (!llm)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(llm->llm));
}

PG_FUNCTION_INFO_V1(wattgpu_fits);
PG_FUNCTION_INFO_V1(wattgpu_power_tdp);
PG_FUNCTION_INFO_V1(wattgpu_power_load_scaled);
PG_FUNCTION_INFO_V1(wattgpu_itl_roofline);

Datum
wattgpu_fits(PG_FUNCTION_ARGS)
{
	enum {ARG_FITS_NUM_GPUS = ARG_SCENARIO + 1};
	Request		r;
	Fit			fit;

	check_argument("num_gpus", PG_GETARG_INT32(ARG_FITS_NUM_GPUS), 1, 1024);
	if (!request_find(fcinfo, &r))
		PG_RETURN_NULL();
	r.workload.num_gpus = PG_GETARG_INT32(ARG_FITS_NUM_GPUS);
	fit = fits(r.gpu, r.llm, &r.workload);
	if (fit == FIT_UNKNOWN)
		PG_RETURN_NULL();
	PG_RETURN_BOOL(fit == FIT_YES);
}

Datum
wattgpu_power_tdp(PG_FUNCTION_ARGS)
{
	const GpuSpec *gpu;

	catalogue_begin(fcinfo);
	gpu = gpu_argument(fcinfo, 0);
	return number_or_null(fcinfo, gpu ? gpu->tdp_w : NAN);
}

/* The published shares of TDP; they say nothing of a scenario of the user's own. */
Datum
wattgpu_power_load_scaled(PG_FUNCTION_ARGS)
{
	const GpuSpec *gpu;
	const Workload *w;

	catalogue_begin(fcinfo);
	gpu = gpu_argument(fcinfo, 0);
	w = scenario_argument(fcinfo, 1);
	return number_or_null(fcinfo, gpu && w ? load_share(w) * gpu->tdp_w : NAN);
}

Datum
wattgpu_itl_roofline(PG_FUNCTION_ARGS)
{
	Request		r;

	if (!request_find(fcinfo, &r) || fits(r.gpu, r.llm, &r.workload) != FIT_YES)
		PG_RETURN_NULL();
	return number_or_null(fcinfo, roofline_itl_s(r.gpu, r.llm, &r.workload));
}
