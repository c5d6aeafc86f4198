/*
 * All that is predicted of one configuration.
 */
#ifndef WATTGPU_PREDICTION_H
#define WATTGPU_PREDICTION_H

#include "model.h"

/* What was worked out so far. */
enum
{
	HAS_POWER = 1,
	HAS_ITL = 2,
	HAS_ALL = 4
};

/* Beside the bits of ranges and kinds: a power limit makes it slower, or is below what the idle card draws. */
#define OUTSIDE_LIMIT (NUM_RANGES + NUM_KINDS)
#define BELOW_IDLE (OUTSIDE_LIMIT + 1)

/* Kept small: a backend remembers one for each configuration that it was asked for. */
typedef struct Prediction
{
	double		power_w;
	double		itl_s;
	double		in_flight;		/* NAN where the models cannot say */
	uint32_t	outside[NUM_TARGETS];	/* what lies outside of each model's training rows: a bit a range, then a kind */
	uint8_t		has;
	uint8_t		fit;			/* a Fit */
	uint8_t		novelty[NUM_TARGETS];
	bool		saturated;
	bool		measured;		/* this very configuration was */
} Prediction;

extern void prediction_add(Prediction *p, int has, const Model *power, const Model *itl,
						   const GpuSpec *gpu, const LlmSpec *llm, const Workload *w);
extern Datum prediction_outside(const Model *model, int bit, const RangeSubject *subject, bool made_up);

#endif
