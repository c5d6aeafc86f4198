/*
 * A decode step against the written formulas: beside each assertion is the
 * calculation that it was worked out from, by hand or in Python and not by
 * this code. What the formulas promise at every rate is checked as such.
 */
#include <string.h>

#include "step.h"
#include "tap.h"

#define COUNT(a) ((int) (sizeof(a) / sizeof((a)[0])))
#define TOLERANCE 1e-9

/* Any would do; all differ, so that a term with another's weight shows. */
static const double full_weights[FULL_TERMS] = {1.1, 0.4, 1.3, 2, 3, 1.5, 0.7, 0.9, 1.2, 0.5};
static const double alone_weights[ALONE_TERMS] = {1.2, 1.1, 0.5, 0.3, 0.8, 0.6, 0.25, 1.4, 0.35, 0.15, 0.45, 0.9};
static const double fast_full[FULL_TERMS] = {0.011, 0.004, 0.013, 0.02, 0.03, 0.015, 0.007, 0.009, 0.012, 0.005};

static const Workload server = {"server_high", 0.33, 15, 200, 1, 1, 0, 0};

static GpuSpec
a30(void)
{
	GpuSpec		g = {
		.gpu = "NVIDIA A30", .memory_type = "HBM2e", .process_nm = 7, .streaming_multiprocessors = 56,
		.shading_units = 3584, .boost_clock_mhz = 1440, .memory_gb = 24, .memory_bandwidth_gb_s = 933.1,
		.l2_cache_mb = 24, .tdp_w = 165, .fp16_tflops = 165, .fp32_tflops = 10.32, .idle_power_w = NAN,
	};

	return g;
}

static GpuSpec
t4(void)
{
	GpuSpec		g = {
		.gpu = "Tesla T4", .memory_type = "GDDR6", .process_nm = 12, .streaming_multiprocessors = 40,
		.shading_units = 2560, .boost_clock_mhz = 1590, .memory_gb = 16, .memory_bandwidth_gb_s = 320,
		.l2_cache_mb = 4, .tdp_w = 70, .fp16_tflops = 65, .fp32_tflops = 8.141, .idle_power_w = NAN,
	};

	return g;
}

static GpuSpec
h200(void)
{
	GpuSpec		g = {
		.gpu = "NVIDIA H200", .memory_type = "HBM3e", .process_nm = 5, .streaming_multiprocessors = 132,
		.shading_units = 16896, .boost_clock_mhz = 1980, .memory_gb = 141, .memory_bandwidth_gb_s = 4800,
		.l2_cache_mb = 50, .tdp_w = 700, .fp16_tflops = 989, .fp32_tflops = 66.9, .idle_power_w = NAN,
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

static LlmSpec
llama_of(double params_b)
{
	LlmSpec		l = llama();

	l.total_params_b = l.active_params_b = params_b;
	return l;
}

static LlmSpec
mixtral(void)
{
	LlmSpec		l = llama_of(46.70);

	l.llm = "mistralai/Mixtral-8x7B-Instruct-v0.1";
	l.architecture = "moe";
	l.active_params_b = 12.88;
	l.vocab_size = 32000;
	l.num_experts = 8;
	l.num_experts_per_token = 2;
	return l;
}

/* Beside a MoE, little memory is left, so that its full batch does not touch every expert. */
static GpuSpec
tight_h200(void)
{
	GpuSpec		g = h200();

	g.memory_gb = 98.5;
	return g;
}

static Step
step(GpuSpec g, LlmSpec l, double rate, double prompt, double tokens, double num_gpus)
{
	Workload	w = {"a test", rate, prompt, tokens, num_gpus, 0, 0, 0};

	return step_of(&g, &l, &w);
}

static void
compare(const char *what, const double *found, const double *expected, const char *const *names, int n)
{
	for (int i = 0; i < n; i++)
		ok(close_to(found[i], expected[i], TOLERANCE), "%s: %s (%.12g)", what, names[i], found[i]);
}

static StepTime
time_of(const Step *s, const double *full_weights, const double *alone_weights, double full_factor, double alone_factor)
{
	StepPrior	p = step_prior(s, full_weights, alone_weights);

	return step_time(s, &p, full_factor, alone_factor);
}

static void
check_full(const char *what, const Step *s, const double *expected)
{
	static const char *const names[FULL_TERMS] = {
		"weights", "arithmetic", "KV cache", "1 ms", "activations",
		"KV cache without FlashAttention", "logits", "prefill", "draining", "kernels"
	};
	double		terms[FULL_TERMS];

	step_full_terms(s, terms);
	compare(what, terms, expected, names, FULL_TERMS);
}

static void
check_alone(const char *what, const Step *s, double busy, const double *expected)
{
	static const char *const names[ALONE_TERMS] = {
		"weights", "KV cache", "1 ms", "layers", "first token, weights", "first token, fixed", "kernels",
		"KV cache without FlashAttention", "layers without FlashAttention",
		"company, weights", "company, weights without FlashAttention", "company, fixed"
	};
	double		terms[ALONE_TERMS];

	step_alone_terms(s, busy, terms);
	compare(what, terms, expected, names, ALONE_TERMS);
}

static void
terms(void)
{
	Step		s = step(a30(), llama(), 0.33, 15, 200, 1);
	Step		offline = step(a30(), llama(), NAN, 15, 300, 1);
	Step		old = step(t4(), llama_of(3.5), 0.33, 15, 200, 1);
	Step		chatty = step(a30(), llama(), 0.33, 500, 100, 1);
	GpuSpec		g = a30();

	/* input embedding 128256 x 4096 = .525336576e9 weights, not read: 2 x (8.03 - .525336576) */
	ok(close_to(s.used_gb, 15.009326848, TOLERANCE), "2 bytes of 7.504663424e9 weights are read");
	/* KV 4 x 8 x 128 x 32 = 131072 bytes a token; room 24 x .9 x 1.0737 - 16.06 - 1 = 6.13192; / (131072e-9 x 215) */
	ok(close_to(s.batch_max, 217.594590298, TOLERANCE), "the batch that fits besides the weights");
	ok(close_to(s.sm_ghz, 80.64, TOLERANCE), "56 x 1.44 GHz");
	ok(!s.offline && s.rate == 0.33, "a rate is served");
	ok(offline.offline && offline.rate == 0, "no rate is offline");

	check_full("A30, server", &s, (double[]) {
		0.0160854429836,		/* 15.009326848 / 933.1 */
		0.019793626219,			/* 2 x 7.504663424 / 165000 = 9.09656172606e-5, x 217.594590298 */
		0.00351501895407,		/* 131072e-9 x (15 + 100) / 933.1 = 1.61539813525e-5, x B */
		1e-3,
		0.0206522852766,		/* 32 x 4096e-6 / 933.1 / (1 + 24/50) = 9.49117588277e-5, x B */
		0,						/* 7 nm */
		0.000598174081519,		/* 128256 x 2e-8 / 933.1 = 2.74903011467e-6, x B */
		0.00148452196643,		/* .019793626219 x 15 / 200 */
		6.09264852834e-05,		/* 56 / 200000 x B x 1e-3 */
		0.00086347059642,		/* 32 / 80.64 x 1e-5 x B */
	});
	check_alone("A30, server", &s, 1, (double[]) {
		0.0160854429836, 1.61539813525e-05, 1e-3,
		0.0032,					/* 32 x 1e-4 */
		8.0427214918e-05,		/* .0160854429836 / 200 */
		5e-05,					/* 1e-2 / 200 */
		0.000396825396825,		/* 32 / 80.64 x 1e-3 */
		0, 0,
		0.00160854429836, 0, 1e-4,
	});
	/* Company is paid as far as there is any. */
	check_alone("A30, a quarter of the time in company", &s, 0.25, (double[]) {
		0.0160854429836, 1.61539813525e-05, 1e-3, 0.0032, 8.0427214918e-05, 5e-05, 0.000396825396825, 0, 0,
		0.00040213607459, 0, 2.5e-5,
	});

	/* B = 6.13192 / (131072e-9 x 315) = 148.516942584; more than 256 tokens leave nothing to drain */
	check_full("A30, offline, 300 tokens", &offline, (double[]) {
		0.0160854429836, 0.0135099353558,
		0.00344224423453,		/* 131072e-9 x 165 / 933.1 x B */
		1e-3, 0.0140960042364, 0, 0.000408277547703,
		0.000675496767792,		/* .0135099353558 x 15 / 300 */
		0, 0.000589352946763,
	});
	check_alone("A30, offline, 300 tokens", &offline, 0, (double[]) {
		0.0160854429836, 2.31774515057e-05, 1e-3, 0.0032, 5.36181432787e-05, 3.33333333333e-05, 0.000396825396825,
		0, 0, 0, 0, 0,
	});
	ok(step(a30(), llama(), NAN, 15, 200, 1).batch_max == s.batch_max, "the batch that fits is the same offline");

	/* B = 6.13192 / (131072e-9 x 600) = 77.9713948568 */
	check_full("A30, long prompts", &chatty, (double[]) {
		0.0160854429836, 0.00709271606182,
		0.00602392741042,		/* 131072e-9 x (500 + 50) / 933.1 x B */
		1e-3, 0.00740040222411, 0, 0.000214345712544,
		0.00141854321236,		/* .00709271606182 x 20 / 100: the prompts that were measured */
		0.000121635375977,		/* 156 / 100000 x B x 1e-3 */
		0.000309410297051,
	});

	/* 12 nm has no FlashAttention; 16 x .9 x 1.0737 - 7 - 1 = 7.46128 hold 264.8, of which the server takes 256. */
	ok(old.batch_max == 256, "no more than 256 at once");
	check_full("T4", &old, (double[]) {
		0.0185916464,			/* 2 x (3.5 - .525336576) / 320 */
		0.0234311949706,		/* 2 x 2.974663424 / 65000 x 256 */
		0.012058624,			/* 131072e-9 x 115 / 320 x 256 */
		1e-3,
		0.0970903703704,		/* .131072 / 320 / 1.08 x 256 */
		0.012058624,			/* the KV cache again */
		0.002052096, 0.00175733962279, 7.168e-05,
		0.00128805031447,		/* 32 / (40 x 1.59) x 1e-5 x 256 */
	});
	check_alone("T4", &old, 0.5, (double[]) {
		0.0185916464, 4.7104e-05, 1e-3, 0.0032, 9.2958232e-05, 5e-05, 0.000503144654088,
		4.7104e-05, 0.0032, 0.00092958232, 0.00092958232, 5e-5,
	});

	/* What the specification says a missing process and L2 count as. */
	g.process_nm = NAN;
	g.l2_cache_mb = NAN;
	s = step(g, llama(), 0.33, 15, 200, 1);
	ok(s.old == 0, "a card of unknown process is taken to be a newer one");
	/* 32 x 4096e-6 / 933.1 / (1 + 10/50) */
	ok(close_to(s.activation_s, 0.000117057835888, TOLERANCE), "an unknown L2 counts as 10 MB");
	g.process_nm = 10;
	ok(step(g, llama(), 0.33, 15, 200, 1).old == 0, "10 nm has FlashAttention");
}

static void
bytes(void)
{
	LlmSpec		l = mixtral();
	Step		s = step(h200(), l, 0.33, 500, 200, 1);
	Step		dense = step(a30(), llama(), 0.33, 15, 200, 1);
	int			rises = 1;

	/* used: 2 x (12.88 - 32000 x 4096e-9) = 25.497856; the other experts 2 x (46.70 - 12.88) = 67.64 */
	ok(close_to(step_read_gb(&s, 1), 25.497856, TOLERANCE), "MoE: one sequence reads its own two experts of eight");
	/* 8 (1 - .75^2) = 3.5 experts: 1.5 of the other 6, 67.64 / 4 = 16.91 */
	ok(close_to(step_read_gb(&s, 2), 42.407856, TOLERANCE), "MoE: two sequences read 3.5 experts");
	/* 8 (1 - .75^8) = 7.19909668: 67.64 x 5.19909668 / 6 = 58.6111499023 */
	ok(close_to(step_read_gb(&s, 8), 84.1090059023, TOLERANCE), "MoE: eight sequences read 7.2 experts");
	ok(close_to(step_read_gb(&s, INFINITY), 93.137856, TOLERANCE), "MoE: a huge batch reads every expert");
	ok(close_to(step_read_gb(&s, 0), 25.497856, TOLERANCE), "MoE: no batch reads less than one sequence");
	for (double b = 1; b < 40; b += 0.25)
		rises &= step_read_gb(&s, b + 0.25) > step_read_gb(&s, b);
	ok(rises, "MoE: each further sequence reads more");
	l.num_experts_per_token = 1;
	s = step(h200(), l, 0.33, 500, 200, 1);
	/* 8 (1 - .875^8) = 5.25112867: 67.64 x 4.25112867 / 7 = 41.0780490685 */
	ok(close_to(step_read_gb(&s, 8), 66.5759050685, TOLERANCE), "MoE of one expert a token");
	l = mixtral();
	ok(step_read_gb(&dense, 1) == dense.used_gb && step_read_gb(&dense, 8) == dense.used_gb && step_read_gb(&dense, INFINITY) == dense.used_gb,
	   "dense: every batch reads the same");

	/* 141 x .9 x 1.0737 - 93.4 - 1 = 41.85253 hold 456. The weights go with the batch, the arithmetic with one token's experts. */
	check_full("H200, MoE", &s, (double[]) {
		0.01940372,				/* (25.497856 + 67.64) / 4800: .75^256 is nothing */
		0.00660005170475,		/* 2 x 12.748928 / 989000 x 256 */
		0.004194304,			/* 131072e-9 x 600 / 4800 x 256 */
		1e-3, 0.00349525333333, 0, 3.41333333333e-05, 0.000660005170475, 7.168e-05, 0.000313437404346,
	});
	check_alone("H200, MoE", &s, 1, (double[]) {
		0.00531205333333,		/* 25.497856 / 4800 */
		1.6384e-05, 1e-3, 0.0032, 2.65602666667e-05, 5e-05, 0.000122436486073, 0, 0, 0.000531205333333, 0, 1e-4,
	});

	l.architecture = "hybrid";
	s = step(h200(), l, 0.33, 500, 200, 1);
	ok(close_to(step_read_gb(&s, 8), 84.1090059023, TOLERANCE), "experts count whatever the layers between them are");

	/* As Gemma 4 E2B: tables that are looked up, and no experts. */
	l = llama();
	l.active_params_b = 6;
	s = step(a30(), l, 0.33, 15, 200, 1);
	ok(close_to(step_read_gb(&s, 1), 10.949326848, TOLERANCE) && step_read_gb(&s, 8) == step_read_gb(&s, 1),
	   "dense, not all of it used: 2 x (6 - .525336576), and no batch reads the rest");
	ok(s.batch_max == dense.batch_max, "which takes memory all the same");

	l = llama();
	l.tie_word_embeddings = 1;
	s = step(a30(), l, 0.33, 15, 200, 1);
	ok(close_to(s.used_gb, 16.06, TOLERANCE), "a tied embedding is the output head, and is read: 2 x 8.03");
	ok(close_to(s.compute_s, 9.73333333333e-05, TOLERANCE), "and computed with: 2 x 8.03 / 165000");
	ok(s.batch_max == dense.batch_max, "it takes the same memory");
	l.tie_word_embeddings = NAN;
	s = step(a30(), l, 0.33, 15, 200, 1);
	ok(isnan(s.used_gb) && isnan(s.read_s) && isnan(s.compute_s), "whether it is tied is not known, nor are the bytes");
	ok(s.batch_max == dense.batch_max, "but the memory is");

	/* A quantised checkpoint reads less and leaves more room; arithmetic and KV cache stay. */
	l = llama();
	l.weight_dtype = "fp8";
	l.quantization = "fp8";
	/* two cards' worth of weights on one, embedding and head (.525336576 each) in 16 bits: 24 x .9 x 1.0737 - 21.050673152 - 1; / .02818048 */
	l.total_params_b = 20;
	ok(close_to(step(a30(), l, 0.33, 15, 200, 1).batch_max, 40.4977788881, TOLERANCE), "fp8: room beside one byte a weight, two for embedding and head");
	l.total_params_b = 8.03;
	s = step(a30(), l, 0.33, 15, 200, 1);
	ok(close_to(s.read_s, 0.0086057228593, TOLERANCE), "fp8: (6.979326848 + 2 x .525336576) / 933.1");
	ok(s.compute_s == dense.compute_s && s.kv_s == dense.kv_s, "fp8: arithmetic and KV cache as in 16 bits");
	l.weight_dtype = "int4";
	l.quantization = "awq";
	s = step(a30(), l, 0.33, 15, 200, 1);
	ok(close_to(s.read_s, 0.00509960405101, TOLERANCE), "AWQ: (6.979326848 x 4.25 / 8 + 2 x .525336576) / 933.1");
	l.quantization = "gguf";
	s = step(a30(), l, 0.33, 15, 200, 1);
	ok(close_to(s.read_s, 0.0048758999044, TOLERANCE), "GGUF: 4.85 bits, 7.504663424 x 4.85 / 8 / 933.1");
	l = mixtral();
	l.weight_dtype = "fp8";
	l.quantization = "fp8";
	s = step(h200(), l, 0.33, 500, 200, 1);
	ok(close_to(step_read_gb(&s, 8), 42.1855749512, TOLERANCE), "fp8 halves the experts too, not the head (.131072)");

	l = llama();
	l.attention_kind = "none";
	s = step(a30(), l, 0.33, 15, 200, 1);
	ok(s.batch_max == 256 && s.kv_s == 0, "without a KV cache the server's limit is what is left");
	l = llama_of(20);
	s = step(a30(), l, 0.33, 15, 200, 1);
	ok(close_to(s.batch_max, 10.6456667878, TOLERANCE), "weights that do not fit leave .3 GB: / .02818048");
	l.num_layers = 3200;
	ok(step(a30(), l, 0.33, 15, 200, 1).batch_max == 1, "and never less than one sequence");
}

static void
cards(void)
{
	Step		one = step(a30(), llama_of(20), 0.33, 15, 200, 1);
	Step		two = step(a30(), llama_of(20), 0.33, 15, 200, 2);
	Step		whole = step(a30(), llama(), 0.33, 15, 200, 1);
	Step		s;
	GpuSpec		g = a30();

	/* 48 x .9 x 1.0737 - 40 - 2 = 4.38384; / .02818048 */
	ok(close_to(two.batch_max, 155.562999637, TOLERANCE), "two cards have twice the memory, and twice the reserve");
	ok(close_to(two.bandwidth_gb_s, 1866.2, TOLERANCE), "twice the bandwidth");
	ok(close_to(two.sm_ghz, 161.28, TOLERANCE), "twice the multiprocessors");
	ok(close_to(two.read_s, one.read_s / 2, TOLERANCE) && close_to(two.compute_s, one.compute_s / 2, TOLERANCE) &&
	   close_to(two.kernel_s, one.kernel_s / 2, TOLERANCE) && close_to(two.activation_s, one.activation_s / 2, TOLERANCE),
	   "and take half the time");
	check_full("two A30", &two, (double[]) {
		0.0208709285436,		/* 2 x 19.474663424 / 1866.2 */
		0.0183608306615,		/* 2 x 19.474663424 / 330000 x 155.562999637 */
		0.00125648089763, 1e-3, 0.00738237895202, 0, 0.000213823685365, 0.00137706229961, 4.35576398983e-05, 0.000308656745311,
	});

	g.boost_clock_mhz = NAN;
	s = step(g, llama(), 0.33, 15, 200, 1);
	/* 10.32e12 / (2 x 3584) = 1439.732142857 MHz; x 56 */
	ok(close_to(s.sm_ghz, 80.625, TOLERANCE), "a missing boost clock follows from the 32-bit rate");
	g.fp32_tflops = NAN;
	s = step(g, llama(), 0.33, 15, 200, 1);
	ok(isnan(s.sm_ghz) && isnan(s.kernel_s), "which may be missing too");
	ok(close_to(s.compute_s, whole.compute_s, TOLERANCE), "the 16-bit rate is its own");

	g = a30();
	g.fp16_tflops = NAN;
	s = step(g, llama(), 0.33, 15, 200, 1);
	ok(close_to(s.compute_s, 0.00145439213643, TOLERANCE), "without a 16-bit rate it computes in 32: 15.009326848 / 10320");
	g.fp32_tflops = NAN;
	s = step(g, llama(), 0.33, 15, 200, 1);
	ok(isnan(s.compute_s), "without either the time is not known");
	ok(close_to(s.sm_ghz, 80.64, TOLERANCE) && close_to(s.read_s, whole.read_s, TOLERANCE), "the rest still is");
}

/* Which terms an unknown spec makes unknown, as a string: x where it does. */
static void
unknown_terms(const char *what, const Step *s, const char *expected_full, const char *expected_alone)
{
	double		full[FULL_TERMS];
	double		alone[ALONE_TERMS];
	char		found_full[FULL_TERMS + 1] = "";
	char		found_alone[ALONE_TERMS + 1] = "";

	step_full_terms(s, full);
	step_alone_terms(s, 1, alone);
	for (int i = 0; i < FULL_TERMS; i++)
		found_full[i] = isnan(full[i]) ? 'x' : '.';
	for (int i = 0; i < ALONE_TERMS; i++)
		found_alone[i] = isnan(alone[i]) ? 'x' : '.';
	ok(strcmp(found_full, expected_full) == 0, "unknown %s, full batch: %s", what, found_full);
	ok(strcmp(found_alone, expected_alone) == 0, "unknown %s, alone: %s", what, found_alone);
}

static void
unknown(void)
{
	GpuSpec		g = a30();
	LlmSpec		l = llama();
	Step		s;
	StepTime	t;

	g.memory_bandwidth_gb_s = NAN;
	s = step(g, llama(), 0.33, 15, 200, 1);
	unknown_terms("bandwidth", &s, "x.x.xxx...", "xx..x..x.xx.");
	t = time_of(&s, full_weights, alone_weights, 1, 1);
	ok(isnan(t.single_s) && isnan(t.company_s) && isnan(t.gb_s) && isnan(t.full_s), "unknown bandwidth: no time is known");
	ok(isnan(step_time_at(&s, &t, 1)), "unknown bandwidth: nor at a batch of one");
	ok(!step_saturated(&s, &t), "unknown bandwidth: it is not said to be saturated");

	g = a30();
	g.streaming_multiprocessors = NAN;
	s = step(g, llama(), 0.33, 15, 200, 1);
	unknown_terms("multiprocessors", &s, ".........x", "......x.....");
	t = time_of(&s, full_weights, alone_weights, 1, 1);
	ok(isnan(t.single_s) && isnan(t.full_s), "unknown multiprocessors: no time is known");
	ok(isnan(step_in_flight(&s, &t)), "unknown multiprocessors: nor are the requests in flight");
	s.offline = true;
	ok(isnan(step_in_flight(&s, &t)), "unknown multiprocessors: nor offline");

	g = a30();
	g.fp16_tflops = g.fp32_tflops = NAN;
	s = step(g, llama(), 0.33, 15, 200, 1);
	unknown_terms("arithmetic", &s, ".x.....x..", "............");
	/* The floor of a full batch is known here. It must not stand in for the batch. */
	t = time_of(&s, full_weights, alone_weights, 1, 1);
	ok(isnan(t.full_s) && !isnan(t.single_s), "unknown arithmetic: alone is known, a full batch is not");
	ok(isnan(step_in_flight(&s, &t)), "unknown arithmetic: nor the requests in flight");
	s = step(a30(), llama(), 0.33, 15, 200, 1);
	t = time_of(&s, full_weights, alone_weights, NAN, 1);
	ok(isnan(t.full_s), "an unknown factor leaves the full batch unknown");

	g = a30();
	g.memory_gb = NAN;
	s = step(g, llama(), 0.33, 15, 200, 1);
	ok(isnan(s.batch_max), "unknown memory: nor the batch, .3 GB is for memory that is known to be short");
	unknown_terms("memory", &s, ".xx.xxxxxx", "............");
	t = time_of(&s, full_weights, alone_weights, 1, 1);
	ok(isnan(t.full_s) && isnan(step_in_flight(&s, &t)), "unknown memory: no full batch, no requests in flight");

	l.num_layers = NAN;
	s = step(a30(), l, 0.33, 15, 200, 1);
	ok(isnan(s.batch_max), "unknown layers: nor the KV cache, nor the batch");
	unknown_terms("layers", &s, ".xx.xxxxxx", ".x.x..xxx...");

	l = llama();
	l.num_key_value_heads = NAN;
	s = step(a30(), l, 0.33, 15, 200, 1);
	unknown_terms("KV heads", &s, ".xx.xxxxxx", ".x.....x....");
	t = time_of(&s, full_weights, alone_weights, 1, 1);
	ok(isnan(step_time_at(&s, &t, 1)) && isnan(step_in_flight(&s, &t)), "unknown KV heads: no time, and no requests in flight");

	l = llama();
	l.active_params_b = NAN;
	s = step(a30(), l, 0.33, 15, 200, 1);
	unknown_terms("active parameters", &s, "xx.....x..", "x...x....xx.");

	l = llama();
	l.weight_dtype = "fp6";
	l.quantization = "fp6";
	s = step(a30(), l, 0.33, 15, 200, 1);
	unknown_terms("bytes a weight", &s, "xxx.xxxxxx", "x...x....xx.");
	t = time_of(&s, full_weights, alone_weights, 1, 1);
	ok(isnan(t.single_s) && isnan(t.full_s), "unknown bytes a weight: no time is known");

	l = llama();
	l.total_params_b = NAN;
	s = step(a30(), l, 0.33, 15, 200, 1);
	unknown_terms("parameters", &s, ".xx.xxxxxx", "............");

	l = mixtral();
	l.total_params_b = NAN;
	s = step(h200(), l, 0.33, 500, 200, 1);
	ok(isnan(step_read_gb(&s, 8)), "unknown parameters: a MoE's batch reads unknown experts");
	l = mixtral();
	l.num_experts_per_token = NAN;
	s = step(h200(), l, 0.33, 500, 200, 1);
	unknown_terms("experts a token", &s, "x.........", "............");
	l.num_experts_per_token = 2;
	l.num_experts = NAN;
	s = step(h200(), l, 0.33, 500, 200, 1);
	ok(isnan(step_read_gb(&s, 8)), "unknown experts: a MoE's batch is not taken for a dense LLM's");

	s = step(a30(), llama(), 0.33, 15, NAN, 1);
	unknown_terms("output tokens", &s, ".xx.xxxxxx", ".x..xx.x....");
}

static void
times(void)
{
	Step		s = step(a30(), llama(), 0.33, 15, 200, 1);
	Step		old = step(t4(), llama_of(3.5), 0.33, 15, 200, 1);
	Step		moe = step(h200(), mixtral(), 0.33, 500, 200, 1);
	Step		tight = step(tight_h200(), mixtral(), 0.33, 500, 200, 1);
	StepTime	t = time_of(&s, full_weights, alone_weights, 1.3, 0.9);
	StepShares	shares;

	/* 1.3 x the full terms above by their weights, .9 x the first nine and the last three alone; 1.2 / 933.1 x .9 */
	ok(close_to(t.full_s, 0.125316694031, TOLERANCE), "A30: a full batch (%.12g)", t.full_s);
	ok(close_to(t.single_s, 0.0188764641729, TOLERANCE), "A30: alone (%.12g)", t.single_s);
	ok(close_to(t.company_s, 0.000298153480279, TOLERANCE), "A30: company (%.12g)", t.company_s);
	ok(close_to(t.gb_s, 0.0011574322152, TOLERANCE), "A30: another GB of experts (%.12g)", t.gb_s);
	ok(close_to(step_time_at(&s, &t, 0), 0.0188764641729, TOLERANCE), "A30: a request that finds nobody");
	/* u = .0188764641729 + (1 - e^-5) x .000298153480279 = .0191726087108; x = 5 / 217.594590298 */
	ok(close_to(step_time_at(&s, &t, 5), 0.0216116418957, TOLERANCE), "A30: five in flight");
	ok(close_to(step_time_at(&s, &t, s.batch_max), t.full_s, TOLERANCE), "A30: all in flight is the full batch");

	t = time_of(&old, full_weights, alone_weights, 1, 1);
	ok(close_to(t.full_s, 0.360606661357, TOLERANCE) && close_to(t.single_s, 0.0252378884291, TOLERANCE) &&
	   close_to(t.company_s, 0.001205498784, TOLERANCE), "T4");

	t = time_of(&moe, full_weights, alone_weights, 1, 1);
	/* 2 x 12.748928 / 989000 at half of the peak, x 480 of the prompt's 500 tokens / 200 */
	ok(close_to(moe.prefill_s, 0.000123750969464, TOLERANCE) && s.prefill_s == 0, "the rest of a long prompt");
	/* alone .00793434373485 + .00012375, + (1 - 1/e) x .0001696808, + .00025 x 16.91 of experts; x = 1/256 of .0427831 + 256 x .00012375 */
	ok(close_to(step_time_at(&moe, &t, 1), 0.0126353162988, TOLERANCE), "MoE: the second request brings its experts");
	ok(close_to(step_time_at(&moe, &t, 5), 0.0221655978059, TOLERANCE), "MoE: five in flight");

	/* Terms that make a full batch faster than its requests one by one: it takes as long as they do. */
	t = time_of(&s, fast_full, alone_weights, 1, 1);
	/* .020973849081 + (1 - e^-217.6) x .000331281644754 */
	ok(close_to(t.full_s, 0.0213051307257, TOLERANCE), "A30: a full batch takes no less than one request in company");
	t = time_of(&tight, fast_full, alone_weights, 1, 1);
	/* 98.5 x .9 x 1.0737 - 94.4 = 0.783505 GB hold 8.53952680315; with one more 25.497856 + 61.8418972293 GB are read */
	ok(close_to(t.full_s, 0.023688216625, TOLERANCE), "MoE: nor than with the experts that its batch touches");
	moe.prefill_s = 0;
	t = time_of(&moe, fast_full, alone_weights, 1, 1);
	/* .00793434373485 + .0001696808 + .00025 x 67.64 */
	ok(close_to(t.full_s, 0.0250140245349, TOLERANCE), "MoE: nor than with every expert");

	/* weights 1.1 x .0160854429836; KV 1.3 x .00351501895407; fixed 2e-3; of .096397456947 */
	shares = step_prior(&s, full_weights, alone_weights).full;
	ok(close_to(shares.step_s, 0.096397456947, TOLERANCE) && close_to(shares.read, 0.183552428066, TOLERANCE) &&
	   close_to(shares.kv, 0.0474029583873, TOLERANCE) && close_to(shares.host, 0.0207474352887, TOLERANCE), "A30: what a full batch goes into");
	/* weights 1.2 x .0160854429836; KV 1.1 x 1.61539813525e-5; fixed .5e-3; of .020973849081 */
	shares = step_prior(&s, full_weights, alone_weights).single;
	ok(close_to(shares.step_s, 0.020973849081, TOLERANCE) && close_to(shares.read, 0.920314221096, TOLERANCE) &&
	   close_to(shares.kv, 0.000847215950641, TOLERANCE) && close_to(shares.host, 0.0238392103457, TOLERANCE), "A30: what a step alone goes into");
	/* (1.3 + 1.5) x .012058624 and (1.1 + 1.4) x 4.7104e-5: without FlashAttention the KV cache counts twice */
	ok(close_to(step_prior(&old, full_weights, alone_weights).full.kv, 0.0936315127206, TOLERANCE), "T4: KV cache of a full batch");
	ok(close_to(step_prior(&old, full_weights, alone_weights).single.kv, 0.00466600049884, TOLERANCE), "T4: KV cache alone");

	ok(busy_share(0) == 0 && close_to(busy_share(1), 0.632120558829, TOLERANCE) && busy_share(INFINITY) == 1, "busy: 1 - e^-x");
}

typedef struct Case
{
	const char *name;
	Step		step;
	StepTime	time;
} Case;

/* Requests that arrive at a rate: what queueing says of every card. */
static void
rates(const Case *c)
{
	Step		s = c->step;
	const StepTime *t = &c->time;
	double		last = 0;
	double		last_s = 0;
	double		most = 0;
	int			open = 0;
	int			full = 0;
	bool		little = true;
	bool		grows = true;
	bool		slows = true;
	bool		bounded = true;
	bool		flagged = true;
	double		edge = s.batch_max / (s.tokens * t->full_s);
	double		below;

	for (int i = 0; i < 200; i++)
	{
		double		in_flight;
		double		step_s;
		bool		beyond;

		s.rate = 1e-6 * pow(1e10, i / 199.0);
		in_flight = step_in_flight(&s, t);
		step_s = step_time_at(&s, t, in_flight);
		/* The flag is the queue's: work comes in faster than a full batch does it. */
		beyond = s.rate * s.tokens > s.batch_max / t->full_s;
		flagged &= step_saturated(&s, t) == beyond;
		if (beyond)
		{
			full++;
			grows &= in_flight == s.batch_max;
			slows &= close_to(step_s, t->full_s, TOLERANCE);
		}
		else
		{
			double		off = fabs(in_flight - s.rate * s.tokens * step_s);

			open++;
			most = fmax(most, off);
			little &= off <= 1e-9;
			grows &= in_flight > last;
			slows &= step_s >= last_s * (1 - 1e-12);
		}
		bounded &= in_flight > 0 && in_flight <= s.batch_max && in_flight >= last && step_s >= t->single_s * (1 - 1e-12) && step_s <= t->full_s * (1 + 1e-12);
		last = in_flight;
		last_s = step_s;
	}
	ok(open > 20 && full > 20, "%s: the rates go from idle to overrun (%d, %d)", c->name, open, full);
	ok(little, "%s: requests in flight = rate x tokens x step, to 1e-9 (%.1e)", c->name, most);
	ok(grows, "%s: more requests, more in flight, until the batch is full", c->name);
	ok(slows, "%s: and slower steps", c->name);
	ok(bounded, "%s: between one request's step and the full batch's", c->name);
	ok(flagged, "%s: saturated where more comes than goes", c->name);

	/* Where it saturates nothing jumps. */
	s.rate = edge * (1 - 1e-9);
	below = step_in_flight(&s, t);
	ok(!step_saturated(&s, t) && below < s.batch_max && close_to(below, s.batch_max, 1e-7), "%s: just below saturation almost all are in flight", c->name);
	ok(close_to(step_time_at(&s, t, below), t->full_s, 1e-7), "%s: and steps take almost as long", c->name);
	s.rate = edge * (1 + 1e-9);
	ok(step_saturated(&s, t) && step_in_flight(&s, t) == s.batch_max, "%s: just above all are", c->name);
	s.rate = 0;
	ok(step_in_flight(&s, t) < 1e-9, "%s: no requests, none in flight", c->name);
	s.offline = true;
	ok(!step_saturated(&s, t) && step_in_flight(&s, t) == s.batch_max, "%s: offline the batch is full, by intent", c->name);
}

static void
little(void)
{
	Step		s = step(a30(), llama(), 0.33, 15, 200, 1);
	Step		moe = step(h200(), mixtral(), 0.33, 500, 200, 1);
	LlmSpec		huge = llama_of(20);
	Case		cases[] = {
		{.name = "A30", .step = s},
		{.name = "T4", .step = step(t4(), llama_of(3.5), 0.33, 15, 200, 1)},
		{.name = "MoE on H200", .step = moe},
		{.name = "MoE, a small batch", .step = step(tight_h200(), mixtral(), 0.33, 500, 200, 1)},
		{.name = "two A30", .step = step(a30(), llama_of(20), 0.33, 15, 1000, 2)},
		{.name = "long prompts", .step = step(a30(), llama(), 0.33, 500, 100, 1)},
		{.name = "a batch of one"},
	};
	StepTime	t = time_of(&s, full_weights, alone_weights, 1, 1);

	huge.num_layers = 3200;
	cases[COUNT(cases) - 1].step = step(a30(), huge, 0.33, 15, 20, 1);
	ok(cases[COUNT(cases) - 1].step.batch_max == 1, "a card that holds one sequence");

	/* Solved in Python by repeated substitution, x <- rate x 200 x t(x). */
	ok(close_to(step_in_flight(&s, &t), 1.43361245942, TOLERANCE), "A30 at .33 a second");
	s.rate = 0.017;
	ok(close_to(step_in_flight(&s, &t), 0.0714729884691, TOLERANCE), "A30 at .017 a second");
	t = time_of(&moe, full_weights, alone_weights, 1.3, 0.9);
	ok(close_to(step_in_flight(&moe, &t), 0.675193795083, TOLERANCE), "MoE at .33 a second");

	for (int i = 0; i < COUNT(cases); i++)
	{
		Case	   *c = &cases[i];

		c->time = time_of(&c->step, full_weights, alone_weights, 1, 1);
		rates(c);
		/* The same where the floor holds the full batch. */
		c->time = time_of(&c->step, fast_full, alone_weights, 1, 1.1);
		rates(c);
	}
}

/* The floor of the full batch, over factors that a booster may come up with. */
static void
floors(void)
{
	static const double factors[] = {0.01, 0.3, 1, 3, 100};
	Step		steps[] = {
		step(a30(), llama(), 0.33, 15, 200, 1),
		step(t4(), llama_of(3.5), 0.33, 15, 200, 1),
		step(h200(), mixtral(), 0.33, 500, 200, 1),
		step(tight_h200(), mixtral(), 0.33, 500, 200, 1),
		step(a30(), llama_of(20), 0.33, 15, 200, 1),
	};
	bool		never = true;
	int			held = 0;

	for (int i = 0; i < COUNT(steps); i++)
		for (int f = 0; f < COUNT(factors); f++)
			for (int a = 0; a < COUNT(factors); a++)
			{
				const Step *s = &steps[i];
				StepTime	t = time_of(s, full_weights, alone_weights, factors[f], factors[a]);
				double		b = s->batch_max;
				/* h(1 + B) of the other experts, once more from its formula; none in a dense LLM */
				double		share = s->experts > 0 ? (8 * (1 - pow(0.75, 1 + b)) - 2) / 6 : 0;
				double		alone = t.single_s + (1 - exp(-b)) * t.company_s + (s->experts > 0 ? t.gb_s * 67.64 * share : 0);

				never &= t.full_s >= alone * (1 - 1e-12);
				held += close_to(t.full_s, alone, 1e-12);
			}
	ok(never, "a full batch is never faster than its requests one by one");
	ok(held > 10 && held < 115, "which sometimes holds it back and sometimes does not (%d of 125)", held);
}

int
main(void)
{
	GpuSpec		g = a30();
	LlmSpec		l = llama();
	Step		s = step_of(&g, &l, &server);

	ok(s.tokens == 200 && s.prompt == 15, "the workload's tokens");
	terms();
	bytes();
	cards();
	unknown();
	times();
	little();
	floors();
	return done_testing();
}
