/*
 * A trained booster as flat arrays, evaluated without libxgboost.
 */
#ifndef WATTGPU_FOREST_H
#define WATTGPU_FOREST_H

#include <stddef.h>
#include <stdint.h>

/* The right child always follows the left one, so one distance serves both. Small: every new session reads them all. */
typedef struct ForestNode
{
	float		value;			/* split threshold, or the leaf's value */
	uint16_t	left;			/* how many nodes further on the left child is; 0 marks a leaf */
	uint8_t		feature;
	uint8_t		missing_right;	/* 1 if a missing value goes right */
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

/* A forest in one piece, as wattgpu_models.forest holds it; roots and nodes follow. */
typedef struct ForestImage
{
	uint32_t	magic;
	float		base_score;
	int32_t		num_features;
	int32_t		num_trees;
	int32_t		num_nodes;
} ForestImage;

extern size_t forest_image_size(const Forest *forest);
extern void forest_write(const Forest *forest, void *image);
extern const char *forest_open(const void *image, size_t size, Forest *forest);
extern const char *forest_read(const uint8_t *data, size_t size, ForestAlloc alloc, Forest *forest);
extern float forest_eval(const Forest *forest, const float *features);

#endif
