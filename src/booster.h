/*
 * Boosters through libxgboost: training, saving, and what a forest is held to.
 */
#ifndef WATTGPU_BOOSTER_H
#define WATTGPU_BOOSTER_H

#include "postgres.h"

typedef struct Booster Booster;

/* A dense row-major matrix; NAN is a missing value. */
typedef struct Matrix
{
	float	   *values;
	int			rows;
	int			columns;
} Matrix;

typedef struct BoosterParam
{
	const char *name;
	const char *value;
} BoosterParam;

extern const char *booster_library_version(void);
extern Booster *booster_train(Matrix x, const float *label, const float *weight,
							  const BoosterParam *params, int num_params, int rounds);
extern Booster *booster_load(const void *data, size_t size);
extern bytea *booster_save(Booster *booster);
extern float *booster_margins(Booster *booster, Matrix x);
extern float *booster_contributions(Booster *booster, Matrix x);
extern void booster_free(Booster *booster);

#endif
