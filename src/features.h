/*
 * Specs to the numbers a booster splits on, each known by its name.
 */
#ifndef WATTGPU_FEATURES_H
#define WATTGPU_FEATURES_H

#include "spec.h"

extern int	feature_find(const char *name);
extern bool feature_is_category(int feature);
extern double feature_number(int feature, const GpuSpec *gpu, const LlmSpec *llm, const Workload *w);
extern const char *feature_category(int feature, const GpuSpec *gpu, const LlmSpec *llm, const Workload *w);

#endif
