/*
 * Features and physics against hand calculations, written beside each.
 */
#include <string.h>

#include "features.h"
#include "physics.h"
#include "tap.h"

static GpuSpec
a30(void)
{
	GpuSpec		g = {
		.gpu = "NVIDIA A30", .memory_type = "HBM2e", .release_year = 2021, .process_nm = 7,
		.transistors_m = 54200, .streaming_multiprocessors = 56, .base_clock_mhz = 930,
		.boost_clock_mhz = 1440, .memory_gb = 24, .memory_total_mib = 24576,
		.memory_bandwidth_gb_s = 933.1, .tdp_w = 165, .fp16_tflops = 165, .idle_power_w = NAN,
	};

	return g;
}

static LlmSpec
llama(void)
{
	LlmSpec		l = {
		.llm = "meta-llama/Llama-3.1-8B-Instruct", .model_type = "llama", .architecture = "dense",
		.weight_dtype = "bf16", .quantization = "none", .attention_kind = "gqa",
		.total_params_b = 8.03, .active_params_b = 8.03, .num_layers = 32, .hidden_size = 4096,
		.num_attention_heads = 32, .num_key_value_heads = 8, .head_dim = 128, .vocab_size = 128256,
		.num_experts = NAN, .num_experts_per_token = NAN, .tie_word_embeddings = 0,
	};

	return l;
}

static double
number(const char *name, const GpuSpec *g, const LlmSpec *l, const Workload *w)
{
	Subject		s = {.gpu = g, .llm = l, .workload = w};
	Feature		f;

	return feature_find(name, &f) ? feature_number(f, &s) : -1;
}

static const char *
category(const char *name, const GpuSpec *g, const LlmSpec *l, const Workload *w)
{
	Subject		s = {.gpu = g, .llm = l, .workload = w};
	Feature		f;

	return feature_find(name, &f) ? feature_category(f, &s) : "no such feature";
}

static Fit
fit(double total_mib, double params_b, double kv_heads, double head, double layers)
{
	GpuSpec		g = a30();
	LlmSpec		l = llama();
	Workload	w = {"server_high", 0.33, 15, 256, 1, 1, 0, 0};

	g.memory_total_mib = total_mib;
	l.total_params_b = params_b;
	l.num_key_value_heads = kv_heads;
	l.head_dim = head;
	l.num_layers = layers;
	return fits(&g, &l, &w);
}

int
main(void)
{
	GpuSpec		g = a30();
	LlmSpec		l = llama();
	Workload	w = {"server_high", 0.33, 15, 200, 1, 1, 0, 0};
	Feature		f;
	Workload	offline = {"offline", NAN, 15, 200, 1, 1, 0, 0};

	ok(!feature_find("no_such_feature", &f), "an unknown feature is not found");
	ok(feature_find("memory_type", &f) && f.category, "a category is told");
	ok(feature_find("memory_gb", &f) && !f.category, "from a number");
	ok(strcmp(category("scenario", &g, &l, &w), "server_high") == 0, "scenario");
	ok(strcmp(category("model_type", &g, &l, &w), "llama") == 0, "model_type");
	ok(close_to(number("boost_ratio", &g, &l, &w), 1.548387, 1e-6), "boost ratio: 1440 / 930");
	ok(close_to(number("log_params", &g, &l, &w), 2.083185, 1e-6), "ln 8.03");
	ok(close_to(number("bandwidth_latency_s", &g, &l, &w), 0.01721144, 1e-6), "2 x 8.03 / 933.1 s");
	ok(close_to(number("compute_latency_s", &g, &l, &w), 9.733333e-5, 1e-6), "2 x 8.03e9 / 165e12 s");
	ok(close_to(roofline_itl_s(&g, &l, &w), 0.01721144, 1e-6), "the roofline of one request is the bandwidth latency");
	ok(close_to(roofline_itl_s(&g, &l, &offline), 6.723220e-5, 1e-6), "offline it is shared by 256");

	g.base_clock_mhz = NAN;
	ok(isnan(number("boost_ratio", &g, &l, &w)), "a missing clock makes the boost ratio missing");
	g.memory_bandwidth_gb_s = NAN;
	ok(isnan(number("bandwidth_latency_s", &g, &l, &w)), "a missing bandwidth makes the latency missing");
	l.model_type = NULL;
	ok(category("model_type", &g, &l, &w) == NULL, "a missing model type stays missing");

	l = llama();
	ok(close_to(weights_gb(&l), 16.06, 1e-12), "16-bit weights: 2 x 8.03 GB");
	l.weight_dtype = "fp32";
	ok(close_to(weights_gb(&l), 16.06, 1e-12), "fp32 checkpoints are served in 16 bits");
	l.weight_dtype = "fp8";
	l.quantization = "fp8";
	/* embedding and head: 2 x 128256 x 4096 = 1.050673e9 in 16 bits; the rest in 8 */
	ok(close_to(weights_gb(&l), 9.080673, 1e-6), "fp8: 8.03 + 1.050673 GB");
	l.weight_dtype = "int4";
	l.quantization = "gguf";
	ok(close_to(weights_gb(&l), 4.868188, 1e-6), "GGUF 4-bit: 8.03 x 4.85 / 8 GB");
	l.weight_dtype = NULL;
	ok(isnan(weights_gb(&l)), "an unknown dtype leaves the bytes unknown");
	l.quantization = "none";
	ok(close_to(weights_gb(&l), 16.06, 1e-12), "unless nothing is quantised: then 16 bits are served");

	l = llama();
	ok(close_to(kv_gb_per_token(&l), 131072e-9, 1e-12), "KV: 4 x 8 x 128 x 32 bytes a token");
	l.head_dim = NAN;
	ok(close_to(kv_gb_per_token(&l), 131072e-9, 1e-12), "a missing head_dim is hidden_size / heads");
	l.attention_kind = "none";
	ok(kv_gb_per_token(&l) == 0, "no attention, no KV cache");
	l.attention_kind = "mla";
	ok(close_to(kv_gb_per_token(&l), 36864e-9, 1e-12), "MLA: 2 x 576 x 32 bytes a token");

	ok(close_to(usable_gb(&g), 0.85 * 24576 * 1.048576e-3, 1e-12), "usable: 0.85 of what the tool reports");
	g.memory_total_mib = NAN;
	ok(close_to(usable_gb(&g), 0.85 * 24 * 1.073741824, 1e-12), "or of the nominal GiB");

	/* The largest that ran and the smallest that ran out of memory on each card of Watt Counts. */
	ok(fit(15360, 6.051, 16, 256, 28) == FIT_YES, "T4 holds gpt-j-6b");
	ok(fit(15360, 6.91, 32, 128, 30) == FIT_NO, "T4 does not hold deepseek-llm-7b");
	ok(fit(23034, 8.829, 4, 128, 48) == FIT_YES, "L4 holds Yi-1.5-9B");
	ok(fit(23034, 10.73, 8, 128, 48) == FIT_NO, "L4 does not hold SOLAR-10.7B");
	ok(fit(24576, 10.73, 8, 128, 48) == FIT_YES, "A30 holds SOLAR-10.7B");
	ok(fit(24576, 11.77, 8, 256, 48) == FIT_NO, "A30 does not hold gemma-3-12b");
	ok(fit(32768, 13.96, 10, 128, 40) == FIT_YES, "V100-32 holds Phi-3-medium");
	ok(fit(32768, 14.66, 10, 128, 40) == FIT_NO, "V100-32 does not hold phi-4");
	ok(fit(40960, 16.38, 16, 128, 28) == FIT_YES, "A100-40 holds deepseek-moe-16b");
	ok(fit(40960, 19.86, 8, 128, 48) == FIT_NO, "A100-40 does not hold internlm2.5-20b");
	ok(fit(46068, 19.86, 8, 128, 48) == FIT_YES, "L40S holds internlm2.5-20b");
	ok(fit(46068, 20.55, 64, 96, 44) == FIT_NO, "L40S does not hold gpt-neox-20b");
	ok(fit(95830, 31.58, 2, 128, 52) == FIT_YES, "H100 NVL holds Nemotron-3-Nano-30B");
	ok(fit(NAN, 8.03, NAN, 128, 32) == FIT_UNKNOWN, "an unknown KV cache leaves the fit unknown");
	return done_testing();
}
