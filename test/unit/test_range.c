/*
 * What a model was trained on, as ranges: each value by hand, by its name,
 * since the order is nobody's business.
 */
#include <string.h>

#include "range.h"
#include "tap.h"

#define COUNT(a) ((int) (sizeof(a) / sizeof((a)[0])))

typedef struct Given
{
	GpuSpec		gpu;
	LlmSpec		llm;
	Workload	workload;
	RangeSubject subject;
} Given;

static void
given(Given *g)
{
	g->gpu = (GpuSpec) {
		.gpu = "NVIDIA A30", .memory_type = "HBM2e", .process_nm = 7, .streaming_multiprocessors = 56,
		.shading_units = 3584, .boost_clock_mhz = 1440, .memory_gb = 24, .memory_bandwidth_gb_s = 933.1,
		.l2_cache_mb = 24, .tdp_w = 165, .fp16_tflops = 312, .fp32_tflops = 10.32, .idle_power_w = NAN,
	};
	/* The shape of Mixtral 8x7B, with weights and tokens of its own so that no two values are the same. */
	g->llm = (LlmSpec) {
		.llm = "an LLM", .model_type = "mixtral", .architecture = "moe", .weight_dtype = "int4", .quantization = "awq",
		.attention_kind = "gqa", .total_params_b = 46.70, .active_params_b = 12.88, .num_layers = 32,
		.hidden_size = 4096, .num_attention_heads = 32, .num_key_value_heads = 8, .head_dim = 128,
		.vocab_size = 32000, .num_experts = 8, .num_experts_per_token = 2, .tie_word_embeddings = 0,
	};
	g->workload = (Workload) {"a test", 0.33, 15, 200, 2, 0, 0, 0};
	g->subject = (RangeSubject) {&g->gpu, &g->llm, &g->workload, 1.5};
}

static int
find(const char *name)
{
	for (int i = 0; i < NUM_RANGES; i++)
		if (strcmp(range_name(i), name) == 0)
			return i;
	return -1;
}

static double
value(const char *name, const Given *g)
{
	int			i = find(name);

	return i < 0 ? NAN : range_value(i, &g->subject);
}

static int
count_unknown(const Given *g)
{
	int			n = 0;

	for (int i = 0; i < NUM_RANGES; i++)
		n += range_value(i, &g->subject) == -INFINITY;
	return n;
}

/* A spec that is taken away makes just the ranges that need it say so. */
static void
missing(const char *name, Given *g, double *spec, int ranges)
{
	double		kept = *spec;

	*spec = NAN;
	ok(value(name, g) == -INFINITY && count_unknown(g) == ranges, "%s should be known", name);
	*spec = kept;
}

static void
values(Given *g)
{
	static const struct
	{
		const char *name;
		double		value;
	}			expected[] = {
		{"memory_bandwidth_gb_s", 933.1}, {"memory_gb", 24}, {"fp16_tflops", 312}, {"tdp_w", 165},
		{"sm_ghz", 80.64},		/* 56 x 1.44, of one card */
		{"process_nm", 7}, {"l2_cache_mb", 24}, {"total_params_b", 46.70},
		{"active_share", 0.275802997859},	/* 12.88 / 46.70 */
		{"bytes_per_weight", 0.53125},		/* 4.25 / 8 */
		{"num_layers", 32}, {"hidden_size", 4096},
		{"kv_gb_per_token", 131072e-9},		/* 4 x 8 x 128 x 32 */
		{"num_gpus", 2}, {"prompt_tokens", 15}, {"output_tokens", 200}, {"requests_in_flight", 1.5},
	};
	bool		unique = true;

	ok(COUNT(expected) == NUM_RANGES, "every range is looked at");
	for (int i = 0; i < COUNT(expected); i++)
		ok(close_to(value(expected[i].name, g), expected[i].value, 1e-9), "%s (%.12g)", expected[i].name, value(expected[i].name, g));
	/* A model is stored with the names, and read back by them. */
	for (int i = 0; i < NUM_RANGES; i++)
		for (int k = 0; k < i; k++)
			unique &= strcmp(range_name(i), range_name(k)) != 0;
	ok(unique, "no two ranges have one name");
}

static void
not_known(Given *g)
{
	ok(count_unknown(g) == 0, "all is known at first");
	missing("memory_bandwidth_gb_s", g, &g->gpu.memory_bandwidth_gb_s, 1);
	missing("memory_gb", g, &g->gpu.memory_gb, 1);
	missing("fp16_tflops", g, &g->gpu.fp16_tflops, 1);
	missing("tdp_w", g, &g->gpu.tdp_w, 1);
	missing("sm_ghz", g, &g->gpu.streaming_multiprocessors, 1);
	missing("process_nm", g, &g->gpu.process_nm, 1);
	missing("total_params_b", g, &g->llm.total_params_b, 2);	/* the active share needs it too */
	missing("active_share", g, &g->llm.active_params_b, 1);
	missing("num_layers", g, &g->llm.num_layers, 2);	/* so does the KV cache */
	missing("hidden_size", g, &g->llm.hidden_size, 1);	/* it does not where head_dim is known */
	missing("kv_gb_per_token", g, &g->llm.num_key_value_heads, 1);
	missing("num_gpus", g, &g->workload.num_gpus, 1);
	missing("prompt_tokens", g, &g->workload.prompt_tokens, 1);
	g->llm.weight_dtype = NULL;
	ok(value("bytes_per_weight", g) == -INFINITY && count_unknown(g) == 1, "bytes_per_weight should be known");
	g->llm.weight_dtype = "int4";

	g->workload.output_tokens = NAN;
	ok(isnan(value("output_tokens", g)) && count_unknown(g) == 0, "an answer's length that is left open says nothing");
	g->workload.output_tokens = 200;
	g->subject.in_flight = NAN;
	ok(isnan(value("requests_in_flight", g)) && count_unknown(g) == 0, "nor does offline, which has no requests in flight");
	g->subject.in_flight = 1.5;

	/* What ranges do not look at may be missing. */
	g->gpu.idle_power_w = g->gpu.memory_total_mib = g->llm.head_dim = NAN;
	ok(count_unknown(g) == 0, "a spec that no range needs may be missing");
}

static bool
is(const Range *r, const char *name, double least, double most)
{
	int			i = find(name);

	return i >= 0 && close_to(r[i].least, least, 1e-12) && close_to(r[i].most, most, 1e-12);
}

static void
extend(Given *g)
{
	Range		r[NUM_RANGES];
	Range		before[NUM_RANGES];
	bool		one = true;
	bool		same = true;
	Given		none = {.workload = {.arrival_rate_qps = NAN}};

	for (int i = 0; i < NUM_RANGES; i++)
		r[i] = (Range) {INFINITY, -INFINITY};
	range_extend(r, &g->subject);
	for (int i = 0; i < NUM_RANGES; i++)
		one &= r[i].least == range_value(i, &g->subject) && r[i].most == r[i].least;
	ok(one, "one row is a range of one value");

	g->gpu.memory_gb = 80;
	g->gpu.tdp_w = 70;
	range_extend(r, &g->subject);
	ok(is(r, "memory_gb", 24, 80) && is(r, "tdp_w", 70, 165) && is(r, "num_layers", 32, 32), "a second row extends up and down, what is the same stays");
	g->gpu.memory_gb = 48;
	g->gpu.tdp_w = 100;
	range_extend(r, &g->subject);
	ok(is(r, "memory_gb", 24, 80) && is(r, "tdp_w", 70, 165), "a row in between changes nothing");

	/* -INFINITY is for who asks, and not for what was trained on: it would make all below known. */
	g->gpu.memory_gb = g->workload.output_tokens = g->subject.in_flight = NAN;
	g->llm.num_layers = 80;
	range_extend(r, &g->subject);
	ok(is(r, "memory_gb", 24, 80) && is(r, "output_tokens", 200, 200) && is(r, "requests_in_flight", 1.5, 1.5), "what a row does not know extends nothing");
	ok(is(r, "num_layers", 32, 80), "what else it knows does");

	none.gpu = (GpuSpec) {.process_nm = NAN, .streaming_multiprocessors = NAN, .boost_clock_mhz = NAN, .memory_gb = NAN,
		.memory_bandwidth_gb_s = NAN, .l2_cache_mb = NAN, .tdp_w = NAN, .fp16_tflops = NAN};
	none.llm = (LlmSpec) {.total_params_b = NAN, .active_params_b = NAN, .num_layers = NAN, .hidden_size = NAN,
		.num_attention_heads = NAN, .num_key_value_heads = NAN, .head_dim = NAN};
	none.workload.prompt_tokens = none.workload.output_tokens = none.workload.num_gpus = NAN;
	none.subject = (RangeSubject) {&none.gpu, &none.llm, &none.workload, NAN};
	memcpy(before, r, sizeof before);
	range_extend(r, &none.subject);
	for (int i = 0; i < NUM_RANGES; i++)
		same &= r[i].least == before[i].least && r[i].most == before[i].most;
	ok(same, "a row that knows nothing changes nothing");
	for (int i = 0; i < NUM_RANGES; i++)
		r[i] = (Range) {INFINITY, -INFINITY};
	range_extend(r, &none.subject);
	same = true;
	for (int i = 0; i < NUM_RANGES; i++)
		same &= r[i].least > r[i].most;
	ok(same, "and leaves ranges empty that were");
}

int
main(void)
{
	Given		g;

	given(&g);
	values(&g);
	not_known(&g);
	given(&g);
	extend(&g);
	return done_testing();
}
