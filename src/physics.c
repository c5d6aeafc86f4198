/*
 * What the shape of an LLM and the specs of a card say before anything is
 * learned. GB are 1e9 bytes, except a card's nominal memory, which is GiB.
 */
#include <math.h>
#include <string.h>

#include "physics.h"

#define MIB_GB (1048576.0 / 1e9)
#define GIB_GB (1073741824.0 / 1e9)

static bool
is(const char *s, const char *value)
{
	return s && *s == *value && strcmp(s, value) == 0;
}

/*
 * Bytes of one weight of the layers as served: 16-bit unless quantised
 * (fp32 checkpoints are served in 16 bits too). The 4-bit figures count the
 * scales stored beside the weights. NAN where the catalogue does not say.
 */
double
bytes_per_weight(const LlmSpec *llm)
{
	const char *d = llm->weight_dtype;

	if (!d)
		return is(llm->quantization, "none") ? 2.0 : NAN;
	if (is(d, "bf16") || is(d, "fp16") || is(d, "fp32"))
		return 2.0;
	if (is(d, "fp8"))
		return 1.0;
	if (is(d, "int8"))
		return is(llm->quantization, "gguf") ? 8.5 / 8 : 1.0;
	if (is(d, "int4"))
		return is(llm->quantization, "gguf") ? 4.85 / 8 : 4.25 / 8;
	if (is(d, "mxfp4"))
		return 4.25 / 8;
	if (is(d, "nvfp4"))
		return 4.5 / 8;
	return NAN;
}

/* Bytes of one weight of the embedding and of the output head: outside GGUF a quantised checkpoint keeps them in 16 bits. */
double
bytes_per_head_weight(const LlmSpec *llm)
{
	double		b = bytes_per_weight(llm);

	return b < 2.0 && !is(llm->quantization, "gguf") ? 2.0 : b;
}

/* Bytes of all weights. */
double
weights_gb(const LlmSpec *llm)
{
	double		b = bytes_per_weight(llm);
	double		head = bytes_per_head_weight(llm);
	double		wide = 0;

	if (head != b)
		wide = llm->vocab_size * llm->hidden_size / 1e9 * (llm->tie_word_embeddings == 1 ? 1 : 2);
	return b * (llm->total_params_b - wide) + head * wide;
}

/* Keys and values in 16 bits; multi-head latent attention keeps one vector of 512 + 64 a layer. */
double
kv_gb_per_token(const LlmSpec *llm)
{
	double		head = llm->head_dim;

	if (is(llm->attention_kind, "none"))
		return 0;
	if (is(llm->attention_kind, "mla"))
		return 2.0 * (512 + 64) * llm->num_layers / 1e9;
	if (isnan(head))
		head = llm->hidden_size / llm->num_attention_heads;
	return 4.0 * llm->num_key_value_heads * head * llm->num_layers / 1e9;
}

/*
 * The share of a card's memory that weights and KV cache can take. The server
 * that was measured takes 0.9 of it (0.8 below 20 GB) and keeps part of that
 * for activations and captured graphs; the shares here are what separates
 * every pair that ran from every one that ran out of memory.
 */
double
usable_gb(const GpuSpec *gpu)
{
	double		gb = isnan(gpu->memory_total_mib) ? gpu->memory_gb * GIB_GB : gpu->memory_total_mib * MIB_GB;

	return gb * (gb < 20 ? 0.77 : 0.85);
}

Fit
fits(const GpuSpec *gpu, const LlmSpec *llm, const Workload *w)
{
	double		tokens = w->prompt_tokens + (isnan(w->output_tokens) ? ASSUMED_OUTPUT_TOKENS : w->output_tokens);
	double		need = weights_gb(llm) + kv_gb_per_token(llm) * tokens;
	double		room = usable_gb(gpu) * w->num_gpus;

	if (isnan(need) || isnan(room))
		return FIT_UNKNOWN;
	return need <= room ? FIT_YES : FIT_NO;
}

/* The published form: every weight is read once a step, whether or not a token uses it. */
double
bandwidth_latency_s(const GpuSpec *gpu, const LlmSpec *llm)
{
	return bytes_per_weight(llm) * llm->total_params_b / gpu->memory_bandwidth_gb_s;
}

double
compute_latency_s(const GpuSpec *gpu, const LlmSpec *llm)
{
	return 2.0 * llm->total_params_b / (gpu->fp16_tflops * 1e3);
}

/* The published baseline takes a batch of 256 when all requests are there at once, else of one. */
double
roofline_itl_s(const GpuSpec *gpu, const LlmSpec *llm, const Workload *w)
{
	return bandwidth_latency_s(gpu, llm) / (isnan(w->arrival_rate_qps) ? 256 : 1);
}

/* The published baseline's mean share of TDP; NAN for a scenario it does not have. */
double
load_share(const Workload *w)
{
	if (is(w->scenario, "offline"))
		return 0.9;
	if (is(w->scenario, "server_high"))
		return 0.6;
	if (is(w->scenario, "server_low"))
		return 0.2;
	return NAN;
}
