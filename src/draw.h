/*
 * What a card draws while it serves: idle with a model loaded, and decoding.
 */
#ifndef WATTGPU_DRAW_H
#define WATTGPU_DRAW_H

#include "step.h"

enum
{
	IDLE_TERMS = 3,
	DECODE_TERMS = 3,
	DRAW_TERMS = IDLE_TERMS + DECODE_TERMS
};

extern void draw_terms(const GpuSpec *gpu, const Step *s, double num_gpus, double bandwidth_use, double *terms);
extern double draw_cap_w(double tdp_w);
extern double draw_idle_w(const double *terms, const double *weights, double tdp_w, double measured_idle_w);
extern double draw_w(const double *terms, const double *weights, double tdp_w, double measured_idle_w, double busy);

#endif
