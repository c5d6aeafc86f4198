/*
 * What the shape of an LLM and the specs of a card say before anything is
 * learned: bytes, time bounds, and whether the weights fit.
 */
#ifndef WATTGPU_PHYSICS_H
#define WATTGPU_PHYSICS_H

#include "spec.h"

typedef enum Fit
{
	FIT_UNKNOWN,
	FIT_NO,
	FIT_YES
} Fit;

extern double bytes_per_weight(const LlmSpec *llm);
extern double bytes_per_head_weight(const LlmSpec *llm);
extern double weights_gb(const LlmSpec *llm);
extern double kv_gb_per_token(const LlmSpec *llm);
extern double usable_gb(const GpuSpec *gpu);
extern Fit	fits(const GpuSpec *gpu, const LlmSpec *llm, const Workload *w);
extern double bandwidth_latency_s(const GpuSpec *gpu, const LlmSpec *llm);
extern double compute_latency_s(const GpuSpec *gpu, const LlmSpec *llm);
extern double roofline_itl_s(const GpuSpec *gpu, const LlmSpec *llm, const Workload *w);
extern double load_share(const Workload *w);

#endif
