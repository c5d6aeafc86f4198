/*
 * What a backend remembers of predictions by name.
 */
#ifndef WATTGPU_ANSWERS_H
#define WATTGPU_ANSWERS_H

#include "prediction.h"

extern void answer_prefetch(const GpuSpec *gpu, const LlmSpec *llm);
extern Prediction *answer_remembered(const GpuSpec *gpu, const LlmSpec *llm, const Workload *scenario, int model);
extern Prediction *answer_remember(const GpuSpec *gpu, const LlmSpec *llm, const Workload *scenario, int model);

#endif
