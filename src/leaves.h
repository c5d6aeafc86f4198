/*
 * A forest as masks of the leaves that are still within reach.
 */
#ifndef WATTGPU_LEAVES_H
#define WATTGPU_LEAVES_H

#include <stdbool.h>

#include "forest.h"

#define LEAVES_MAX 32			/* a tree with more of them is walked instead */
#define LEAVES_MAX_FEATURES 64
#define LEAVES_MAX_TREES 1024
#define LEAVES_MAX_SIZE ((size_t) 4 << 20)	/* beyond, the rows fall out of a processor's caches */

typedef struct FeatureMasks
{
	int32_t		num_thresholds;
	const float *thresholds;	/* distinct, rising */
	const uint32_t *rows;		/* for 1, 2, ... thresholds that a value reaches, then for a missing value */
} FeatureMasks;

typedef struct LeafMasks
{
	float		base_score;
	int32_t		num_features;
	int32_t		num_trees;
	int32_t		stride;			/* masks a row: trees, rounded up to whole blocks */
	const float *leaves;		/* LEAVES_MAX for each tree, left to right */
	FeatureMasks features[LEAVES_MAX_FEATURES];
} LeafMasks;

extern LeafMasks *leaves_make(const Forest *forest, ForestAlloc alloc);
extern void leaves_eval_pair(const LeafMasks *m, const float *a, const float *b, float *margin_a, float *margin_b);

#endif
