/*
 * What is known of a GPU, an LLM and a workload, as plain numbers and strings.
 *
 * These structs are what the pure rooms (features, physics) compute from, so
 * this header includes nothing of the server. A missing number is NAN and a
 * missing string is NULL: unknown must stay unknown all the way to the trees.
 */
#ifndef WATTGPU_SPEC_H
#define WATTGPU_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* number: which of what a backend looked up; of no use elsewhere. crc: of what a model knows the card or LLM by, beside its name. */
typedef struct GpuSpec
{
	const char *gpu;
	const char *architecture;
	const char *memory_type;
	double		release_year;
	double		process_nm;
	double		transistors_m;
	double		streaming_multiprocessors;
	double		shading_units;
	double		base_clock_mhz;
	double		boost_clock_mhz;
	double		memory_gb;
	double		memory_total_mib;
	double		memory_bandwidth_gb_s;
	double		l2_cache_mb;
	double		tdp_w;
	double		fp16_tflops;
	double		fp32_tflops;
	double		idle_power_w;
	uint32_t	number;
	uint32_t	crc;
} GpuSpec;

typedef struct LlmSpec
{
	const char *llm;
	const char *model_type;
	const char *architecture;
	const char *weight_dtype;
	const char *quantization;
	const char *attention_kind;
	double		total_params_b;
	double		active_params_b;
	double		num_layers;
	double		hidden_size;
	double		num_attention_heads;
	double		num_key_value_heads;
	double		head_dim;
	double		vocab_size;
	double		num_experts;
	double		num_experts_per_token;
	double		tie_word_embeddings;	/* 1, 0 or NAN */
	uint32_t	number;
	uint32_t	crc;
} LlmSpec;

/* What an answer is taken to be where neither the workload nor a measurement of the LLM says. */
#define ASSUMED_OUTPUT_TOKENS 200

/*
 * output_tokens is NAN where the workload leaves it open; arrival_rate_qps is NAN when all requests are there at once (offline).
 * power_limit_w is what each card was capped to, below its own limit; 0 where it was not.
 */
typedef struct Workload
{
	const char *scenario;
	double		arrival_rate_qps;
	double		prompt_tokens;
	double		output_tokens;
	double		num_gpus;
	double		builtin;		/* 1 for a shipped scenario that nobody changed */
	uint32_t	number;
	double		power_limit_w;
} Workload;

#endif
