/*
 * The evaluator of this extension against libxgboost in batch, on the same
 * feature matrix: forest ROWS RUNS BOOSTER...
 *
 * Prints one line of JSON for each booster; times are medians in ns a row.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <xgboost/c_api.h>

#include "forest.h"
#include "leaves.h"

#define MAX_RUNS 25
#define MARGIN "{\"type\": 1, \"training\": false, \"iteration_begin\": 0, \"iteration_end\": 0, " \
	"\"strict_shape\": false, \"cache_id\": 0, \"missing\": NaN}"

typedef struct Evaluator
{
	Forest		forest;
	LeafMasks  *masks;
} Evaluator;

static void
fail(const char *what, const char *why)
{
	fprintf(stderr, "%s: %s\n", what, why);
	exit(1);
}

static void *
allocate(size_t size)
{
	void	   *p = malloc(size);

	if (!p)
		fail("malloc", "out of memory");
	return p;
}

static void
check(int status, const char *what)
{
	if (status != 0)
		fail(what, XGBGetLastError());
}

static double
now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static uint8_t *
read_file(const char *name, size_t *size)
{
	FILE	   *f = fopen(name, "rb");
	uint8_t    *data = allocate(1 << 24);

	if (!f)
		fail(name, "cannot be read");
	*size = fread(data, 1, 1 << 24, f);
	fclose(f);
	return data;
}

static Evaluator
prepare(const uint8_t *data, size_t size)
{
	Evaluator	e;
	const char *wrong = forest_read(data, size, allocate, &e.forest);

	if (wrong)
		fail("forest_read", wrong);
	e.masks = leaves_make(&e.forest, 0, allocate);
	return e;
}

/* As a prediction evaluates it: two vectors at a time. */
static void
evaluate(const Evaluator *e, const float *x, int rows, float *margins)
{
	int			n = e->forest.num_features;

	for (int i = 0; i + 1 < rows; i += 2)
		if (e->masks)
			leaves_eval_pair(e->masks, x + (size_t) i * n, x + (size_t) (i + 1) * n, &margins[i], &margins[i + 1]);
		else
		{
			margins[i] = forest_eval(&e->forest, x + (size_t) i * n);
			margins[i + 1] = forest_eval(&e->forest, x + (size_t) (i + 1) * n);
		}
}

static double
uniform(void)
{
	return rand() / (RAND_MAX + 1.0);
}

/* A value that the forest splits on or one near it, so that each branch is taken; one in ten is missing. */
static float *
random_matrix(const Forest *forest, int rows)
{
	float	   *x = allocate(sizeof *x * rows * forest->num_features);
	float	   *thresholds = allocate(sizeof *thresholds * forest->num_nodes);

	srand(1);
	for (int f = 0; f < forest->num_features; f++)
	{
		int			n = 0;

		for (int i = 0; i < forest->num_nodes; i++)
			if (forest->nodes[i].left != 0 && forest->nodes[i].feature == f)
				thresholds[n++] = forest->nodes[i].value;
		for (int i = 0; i < rows; i++)
		{
			float		t = n > 0 ? thresholds[(int) (uniform() * n)] : 0;
			double		kind = uniform();

			x[(size_t) i * forest->num_features + f] = kind < 0.1 ? NAN : kind < 0.3 ? t : t * (float) (0.9 + 0.2 * uniform());
		}
	}
	free(thresholds);
	return x;
}

static int
compare_doubles(const void *a, const void *b)
{
	double		x = *(const double *) a;
	double		y = *(const double *) b;

	return (x > y) - (x < y);
}

static double
median_ns(double *ns, int runs, int rows)
{
	qsort(ns, runs, sizeof *ns, compare_doubles);
	return ns[runs / 2] / rows;
}

static void
run(const char *name, int rows, int runs)
{
	size_t		size;
	uint8_t    *data = read_file(name, &size);
	Evaluator	e = prepare(data, size);
	float	   *x = random_matrix(&e.forest, rows);
	float	   *margins = allocate(sizeof *margins * rows);
	float	   *dense = allocate(sizeof *dense * rows);
	double		ours[MAX_RUNS];
	double		in_place[MAX_RUNS];
	double		matrix[MAX_RUNS];
	int			differ = 0;
	BoosterHandle booster;
	const bst_ulong *shape;
	bst_ulong	dim;
	const float *found;
	char		array[256];

	check(XGBoosterCreate(NULL, 0, &booster), "create a booster");
	check(XGBoosterLoadModelFromBuffer(booster, data, size), "load a booster");
	check(XGBoosterSetParam(booster, "nthread", "1"), "set nthread");
	snprintf(array, sizeof array, "{\"data\": [%llu, true], \"shape\": [%d, %d], \"typestr\": \"<f4\", \"version\": 3}",
			 (unsigned long long) (uintptr_t) x, rows, e.forest.num_features);

	/* The first round warms up. A matrix is made anew each time, since the library remembers what it predicted for one. */
	for (int i = -1; i < runs; i++)
	{
		int			at = i < 0 ? 0 : i;
		DMatrixHandle made;
		double		start = now_ns();

		evaluate(&e, x, rows, margins);
		ours[at] = now_ns() - start;

		start = now_ns();
		check(XGBoosterPredictFromDense(booster, array, MARGIN, NULL, &shape, &dim, &found), "predict in place");
		in_place[at] = now_ns() - start;
		memcpy(dense, found, sizeof *dense * rows);

		check(XGDMatrixCreateFromDense(array, "{\"missing\": NaN, \"nthread\": 1}", &made), "make a matrix");
		start = now_ns();
		check(XGBoosterPredictFromDMatrix(booster, made, MARGIN, &shape, &dim, &found), "predict a matrix");
		matrix[at] = now_ns() - start;
		for (int k = 0; k < rows; k++)
			differ += memcmp(&margins[k], &dense[k], sizeof(float)) != 0 || memcmp(&margins[k], &found[k], sizeof(float)) != 0;
		check(XGDMatrixFree(made), "free a matrix");
	}
	printf("{\"trees\": %d, \"rows\": %d, \"ours_ns\": %.1f, \"in_place_ns\": %.1f, \"matrix_ns\": %.1f, \"differ\": %d}\n",
		   e.forest.num_trees, rows, median_ns(ours, runs, rows), median_ns(in_place, runs, rows), median_ns(matrix, runs, rows), differ);
	check(XGBoosterFree(booster), "free a booster");
	free((void *) e.forest.nodes);
	free(e.masks);
	free(x);
	free(margins);
	free(dense);
	free(data);
}

int
main(int argc, char **argv)
{
	int			rows = argc > 3 ? atoi(argv[1]) : 0;
	int			runs = argc > 3 ? atoi(argv[2]) : 0;

	if (rows < 2 || rows % 2 != 0 || runs < 1 || runs > MAX_RUNS)
		fail("forest", "give an even number of rows, 1 to 25 runs, and boosters");
	for (int i = 3; i < argc; i++)
		run(argv[i], rows, runs);
	return 0;
}
