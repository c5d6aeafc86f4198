/*
 * What a model was trained on, as ranges: outside of them it extrapolates.
 */
#ifndef WATTGPU_RANGE_H
#define WATTGPU_RANGE_H

#include "spec.h"

/* in_flight: requests in flight at once; NAN offline and where it is not known. */
typedef struct RangeSubject
{
	const GpuSpec *gpu;
	const LlmSpec *llm;
	const Workload *workload;
	double		in_flight;
} RangeSubject;

#define NUM_RANGES 17

typedef struct Range
{
	double		least;
	double		most;
} Range;

/* What is of a kind and not a number. */
#define NUM_KINDS 4
#define UNKNOWN_KIND "?"

extern const char *kind_name(int i);
extern const void *kind_spec(int i, const GpuSpec *gpu, const LlmSpec *llm);
extern const char *kind_value(int i, const GpuSpec *gpu, const LlmSpec *llm);
extern const char *range_name(int i);
extern const void *range_spec(int i, const RangeSubject *s);
extern double range_value(int i, const RangeSubject *s);
extern void range_extend(Range *ranges, const RangeSubject *s);

#endif
