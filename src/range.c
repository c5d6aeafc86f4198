/*
 * What a model was trained on, as ranges: outside of them it extrapolates.
 */
#include <math.h>

#include "physics.h"
#include "range.h"

#define SPEC_VALUE(spec, field) \
	static double value_##field(const RangeSubject *s) { return s->spec->field; }

SPEC_VALUE(gpu, fp16_tflops)
SPEC_VALUE(gpu, l2_cache_mb)
SPEC_VALUE(gpu, memory_bandwidth_gb_s)
SPEC_VALUE(gpu, memory_gb)
SPEC_VALUE(gpu, process_nm)
SPEC_VALUE(gpu, tdp_w)
SPEC_VALUE(llm, hidden_size)
SPEC_VALUE(llm, num_layers)
SPEC_VALUE(llm, total_params_b)
SPEC_VALUE(workload, num_gpus)
SPEC_VALUE(workload, prompt_tokens)

static double
sm_ghz(const RangeSubject *s)
{
	return s->gpu->streaming_multiprocessors * s->gpu->boost_clock_mhz / 1000;
}

static double
active_share(const RangeSubject *s)
{
	return s->llm->active_params_b / s->llm->total_params_b;
}

static double
weight_bytes(const RangeSubject *s)
{
	return bytes_per_weight(s->llm);
}

static double
kv_cache(const RangeSubject *s)
{
	return kv_gb_per_token(s->llm);
}

static double
in_flight(const RangeSubject *s)
{
	return s->in_flight;
}

static double
output_tokens(const RangeSubject *s)
{
	return s->workload->output_tokens;
}

typedef enum Of
{
	OF_GPU,
	OF_LLM,
	OF_WORKLOAD
} Of;

/* optional: that it is not known says nothing. */
static const struct
{
	const char *name;
	double		(*value) (const RangeSubject *s);
	Of			of;
	bool		optional;
}			ranges[NUM_RANGES] = {
	{"memory_bandwidth_gb_s", value_memory_bandwidth_gb_s, OF_GPU, false},
	{"memory_gb", value_memory_gb, OF_GPU, false},
	{"fp16_tflops", value_fp16_tflops, OF_GPU, false},
	{"tdp_w", value_tdp_w, OF_GPU, false},
	{"sm_ghz", sm_ghz, OF_GPU, false},
	{"process_nm", value_process_nm, OF_GPU, false},
	{"l2_cache_mb", value_l2_cache_mb, OF_GPU, false},
	{"total_params_b", value_total_params_b, OF_LLM, false},
	{"active_share", active_share, OF_LLM, false},
	{"bytes_per_weight", weight_bytes, OF_LLM, false},
	{"num_layers", value_num_layers, OF_LLM, false},
	{"hidden_size", value_hidden_size, OF_LLM, false},
	{"kv_gb_per_token", kv_cache, OF_LLM, false},
	{"num_gpus", value_num_gpus, OF_WORKLOAD, false},
	{"prompt_tokens", value_prompt_tokens, OF_WORKLOAD, false},
	{"output_tokens", output_tokens, OF_WORKLOAD, true},
	{"requests_in_flight", in_flight, OF_WORKLOAD, true},
};

const char *
range_name(int i)
{
	return ranges[i].name;
}

/* The spec that alone decides a range's value, or the workload. */
const void *
range_spec(int i, const RangeSubject *s)
{
	return ranges[i].of == OF_GPU ? (const void *) s->gpu : ranges[i].of == OF_LLM ? (const void *) s->llm : s->workload;
}

/* What is of a kind and not a number. */
static const struct
{
	const char *name;
	bool		of_llm;
	size_t		offset;
}			kinds[NUM_KINDS] = {
	{"architecture", false, offsetof(GpuSpec, architecture)},
	{"llm_architecture", true, offsetof(LlmSpec, architecture)},
	{"llm_attention", true, offsetof(LlmSpec, attention_kind)},
	{"memory_type", false, offsetof(GpuSpec, memory_type)},
};

const char *
kind_name(int i)
{
	return kinds[i].name;
}

const void *
kind_spec(int i, const GpuSpec *gpu, const LlmSpec *llm)
{
	return kinds[i].of_llm ? (const void *) llm : gpu;
}

const char *
kind_value(int i, const GpuSpec *gpu, const LlmSpec *llm)
{
	const char *value = *(const char *const *) (const void *) ((const char *) kind_spec(i, gpu, llm) + kinds[i].offset);

	return value ? value : UNKNOWN_KIND;
}

/* NAN where it is not known and that says nothing; -INFINITY where it should be known. */
double
range_value(int i, const RangeSubject *s)
{
	double		v = ranges[i].value(s);

	return isnan(v) && !ranges[i].optional ? -INFINITY : v;
}

/* Ranges start as {INFINITY, -INFINITY}; what a training row does not know leaves them as they are. */
void
range_extend(Range *r, const RangeSubject *s)
{
	for (int i = 0; i < NUM_RANGES; i++)
	{
		double		v = ranges[i].value(s);

		if (v < r[i].least)
			r[i].least = v;
		if (v > r[i].most)
			r[i].most = v;
	}
}
