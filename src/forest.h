/*
 * A trained booster as flat arrays, evaluated without libxgboost.
 */
#ifndef WATTGPU_FOREST_H
#define WATTGPU_FOREST_H

#include <stddef.h>
#include <stdint.h>

/* The right child always follows the left one, so one index serves both. */
typedef struct ForestNode
{
	float		value;			/* split threshold, or the leaf's value */
	int32_t		left;			/* index of the left child; 0 marks a leaf */
	uint16_t	feature;
	uint16_t	missing_right;	/* 1 if a missing value goes right */
} ForestNode;

typedef struct Forest
{
	float		base_score;
	int32_t		num_features;
	int32_t		num_trees;
	int32_t		num_nodes;
	const int32_t *roots;
	const ForestNode *nodes;
} Forest;

typedef void *(*ForestAlloc) (size_t size);

extern const char *forest_read(const uint8_t *data, size_t size, ForestAlloc alloc, Forest *forest);
extern float forest_eval(const Forest *forest, const float *features);

#endif
