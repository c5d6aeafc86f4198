/*
 * A forest as masks of the leaves that are still within reach.
 */
#ifndef WATTGPU_LEAVES_H
#define WATTGPU_LEAVES_H

#include <stdbool.h>

#include "forest.h"

#define LEAVES_MAX 16			/* a forest with a tree of more is walked instead */
#define LEAVES_MAX_FEATURES 64
#define LEAVES_MAX_TREES 1024
#define LEAVES_MAX_SIZE ((size_t) 4 << 20)	/* beyond, the rows fall out of a processor's caches */

/* Features are compared so many at a time. */
#define LEAVES_LANES 8
#define LEAVES_MAX_SLOTS (LEAVES_MAX_FEATURES + LEAVES_LANES)
#define LEAVES_MAX_GROUPS (LEAVES_MAX_SLOTS / LEAVES_LANES)

typedef struct LeafMasks
{
	float		base_score;
	int32_t		num_trees;
	int32_t		stride;			/* masks a row: trees, rounded up to whole blocks */
	const float *leaves;		/* LEAVES_MAX for each tree, left to right */
	/*
	 * The features that a tree splits on: those that change, those with most
	 * thresholds first; empty slots up to a whole group; then the steady ones.
	 */
	int32_t		num_slots;
	int32_t		num_moving;
	int32_t		first_steady;
	int32_t		feature[LEAVES_MAX_SLOTS];
	const uint16_t *rows[LEAVES_MAX_SLOTS]; /* for 0, 1, 2, ... thresholds that a value reaches, then for a missing value */
	uint32_t	missing_row[LEAVES_MAX_SLOTS];
	/* each group's thresholds, distinct and rising: the first ones of all its features, the second ones, ... */
	int32_t		num_thresholds[LEAVES_MAX_GROUPS];
	const float *thresholds[LEAVES_MAX_GROUPS];
	/* of the last two vectors: the bits of the steady features' values, and if kept is set their rows combined */
	uint32_t	last_bits[LEAVES_MAX_SLOTS][2];
	bool		kept;
	uint16_t   *kept_words[2];
} LeafMasks;

extern LeafMasks *leaves_make(const Forest *forest, uint64_t steady, ForestAlloc alloc);
extern void leaves_eval_pair(LeafMasks *m, const float *a, const float *b, float *margin_a, float *margin_b);

#endif
