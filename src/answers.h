/*
 * What a backend remembers of predictions by name.
 */
#ifndef WATTGPU_ANSWERS_H
#define WATTGPU_ANSWERS_H

#include "prediction.h"

extern void answers_prefetch(const GpuSpec *gpu, const Workload *scenario, int model);
extern bool figure_remembered(const GpuSpec *gpu, const LlmSpec *llm, const Workload *scenario, int model, Target target, double *figure);
extern void figure_remember(const GpuSpec *gpu, const LlmSpec *llm, const Workload *scenario, int model, Target target, double figure);
extern const Prediction *answer_remembered(const GpuSpec *gpu, const LlmSpec *llm, const Workload *scenario, int model);
extern void answer_remember(const GpuSpec *gpu, const LlmSpec *llm, const Workload *scenario, int model, const Prediction *prediction);

#endif
