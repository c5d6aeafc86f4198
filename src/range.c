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

/* optional: that it is not known says nothing. */
static const struct
{
	const char *name;
	double		(*value) (const RangeSubject *s);
	bool		optional;
}			ranges[NUM_RANGES] = {
	{"memory_bandwidth_gb_s", value_memory_bandwidth_gb_s, false},
	{"memory_gb", value_memory_gb, false},
	{"fp16_tflops", value_fp16_tflops, false},
	{"tdp_w", value_tdp_w, false},
	{"sm_ghz", sm_ghz, false},
	{"process_nm", value_process_nm, false},
	{"l2_cache_mb", value_l2_cache_mb, false},
	{"total_params_b", value_total_params_b, false},
	{"active_share", active_share, false},
	{"bytes_per_weight", weight_bytes, false},
	{"num_layers", value_num_layers, false},
	{"hidden_size", value_hidden_size, false},
	{"kv_gb_per_token", kv_cache, false},
	{"num_gpus", value_num_gpus, false},
	{"prompt_tokens", value_prompt_tokens, false},
	{"output_tokens", output_tokens, true},
	{"requests_in_flight", in_flight, true},
};

const char *
range_name(int i)
{
	return ranges[i].name;
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
