/*
 * A forest as masks of the leaves that are still within reach.
 *
 * Walking a tree waits for memory and for mispredicted branches at every
 * node. Here each tree is a word with a bit for each leaf, and each value of
 * a feature, between two neighbouring thresholds of the whole forest, has a
 * row of words made beforehand: the leaves that the tree's nodes on this
 * feature leave within reach. The rows of all features are combined with AND,
 * a straight run over memory, and the first bit left in a word is the leaf
 * (the idea of QuickScorer, Lucchese et al., SIGIR 2015).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "leaves.h"

/* A processor with wider registers than the compiler may take for granted uses them. */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
#define WITH_WIDE_REGISTERS __attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
#else
#define WITH_WIDE_REGISTERS
#endif

typedef uint32_t Lanes __attribute__((vector_size(32)));
typedef int32_t Ints __attribute__((vector_size(32)));
typedef float Floats __attribute__((vector_size(32)));

#define LANES LEAVES_LANES
#define PARTS 8					/* of a block: as many as stay in registers */
#define BLOCK (PARTS * LANES)

#define ALIGNMENT ((size_t) 64)

/* A split, and the leaves below its left child: what a value that goes right cannot reach. */
typedef struct Split
{
	float		threshold;
	int32_t		feature;
	int32_t		tree;
	bool		missing_right;
	uint32_t	left_leaves;
} Split;

/* Under way through one tree. */
typedef struct Walk
{
	const ForestNode *nodes;
	int32_t		tree;
	Split	   *splits;
	int32_t		num_splits;
	float	   *leaves;
	int32_t		num_leaves;
} Walk;

/* Number the leaves below a node from left to right, and note the splits; false if there are too many. */
static bool
walk(Walk *w, int32_t node)
{
	const ForestNode *n = &w->nodes[node];
	int32_t		first = w->num_leaves;
	Split	   *split;

	if (n->left == 0)
	{
		w->leaves[w->num_leaves++] = n->value;
		return true;
	}
	if (w->num_splits == LEAVES_MAX - 1)
		return false;
	split = &w->splits[w->num_splits++];
	*split = (Split) {n->value, n->feature, w->tree, n->missing_right, 0};
	if (!walk(w, node + n->left))
		return false;
	for (int32_t leaf = first; leaf < w->num_leaves; leaf++)
		split->left_leaves |= (uint32_t) 1 << leaf;
	return walk(w, node + n->left + 1);
}

/* Every tree's splits and leaves; the number of splits, or -1 if a tree has too many. */
static int32_t
walk_forest(const Forest *forest, Split *splits, float *leaves)
{
	int32_t		n = 0;

	for (int32_t t = 0; t < forest->num_trees; t++)
	{
		Walk		w = {forest->nodes, t, splits + n, 0, leaves + (size_t) t * LEAVES_MAX, 0};

		if (!walk(&w, forest->roots[t]))
			return -1;
		n += w.num_splits;
	}
	return n;
}

static int
compare_splits(const void *a, const void *b)
{
	const Split *s = a;
	const Split *t = b;

	if (s->feature != t->feature)
		return s->feature < t->feature ? -1 : 1;
	return s->threshold < t->threshold ? -1 : s->threshold > t->threshold;
}

static bool
new_threshold(const Split *splits, int32_t i)
{
	return i == 0 || splits[i].feature != splits[i - 1].feature || splits[i].threshold != splits[i - 1].threshold;
}

/* The splits on one feature, by rising threshold, become rows; returns where the next feature's rows go. */
static uint32_t *
fill_rows(const Split *splits, int32_t n, int32_t stride, uint32_t *rows)
{
	size_t		row_size = (size_t) stride * sizeof *rows;
	uint32_t   *row = rows;

	memset(row, 0xFF, row_size);
	for (int32_t i = 0; i < n; i++)
	{
		if (new_threshold(splits, i))
		{
			memcpy(row + stride, row, row_size);
			row += stride;
		}
		row[splits[i].tree] &= ~splits[i].left_leaves;
	}
	row += stride;
	memset(row, 0xFF, row_size);
	for (int32_t i = 0; i < n; i++)
		if (splits[i].missing_right)
			row[splits[i].tree] &= ~splits[i].left_leaves;
	return row + stride;
}

/* The splits on one feature among all, sorted. */
typedef struct Run
{
	const Split *splits;
	int32_t		num_splits;
	uint32_t	num_thresholds;
} Run;

static int
compare_runs(const void *a, const void *b)
{
	const Run  *s = a;
	const Run  *t = b;

	return s->num_thresholds == t->num_thresholds ? s->splits->feature - t->splits->feature
		: s->num_thresholds > t->num_thresholds ? -1 : 1;
}

/* How many features are split on; most thresholds first, so that those of a group have about as many. */
static int32_t
find_runs(const Split *splits, int32_t num_splits, Run *runs)
{
	int32_t		n = 0;

	for (int32_t i = 0; i < num_splits; i++)
	{
		if (i == 0 || splits[i].feature != splits[i - 1].feature)
			runs[n++] = (Run) {splits + i, 0, 0};
		runs[n - 1].num_splits++;
		runs[n - 1].num_thresholds += new_threshold(splits, i);
	}
	qsort(runs, (size_t) n, sizeof *runs, compare_runs);
	return n;
}

/* A run's thresholds into its lane of the group's; no value reaches NAN, which the others are. */
static void
fill_lane(const Run *run, float *lane, int32_t num_thresholds)
{
	int32_t		n = 0;

	for (int32_t i = 0; i < run->num_splits; i++)
		if (new_threshold(run->splits, i))
			lane[(size_t) n++ * LANES] = run->splits[i].threshold;
	while (n < num_thresholds)
		lane[(size_t) n++ * LANES] = NAN;
}

static void *
align(void *p)
{
	return (char *) p + (ALIGNMENT - (uintptr_t) p % ALIGNMENT) % ALIGNMENT;
}

/* Lay out masks for the sorted splits in one block. */
static LeafMasks *
lay_out(const Forest *forest, const Split *splits, int32_t num_splits, const float *leaves, ForestAlloc alloc)
{
	static const Run none = {0};
	Run			runs[LEAVES_MAX_FEATURES];
	int32_t		num_used = find_runs(splits, num_splits, runs);
	int32_t		stride = (forest->num_trees + BLOCK - 1) / BLOCK * BLOCK;
	size_t		leaves_size = (size_t) forest->num_trees * LEAVES_MAX * sizeof(float);
	size_t		num_thresholds = 0;
	size_t		num_rows = 0;
	LeafMasks  *m;
	float	   *thresholds;
	uint32_t   *rows;

	for (int32_t i = 0; i < num_used; i++)
	{
		num_rows += runs[i].num_thresholds + 2;
		if (i % LANES == 0)
			num_thresholds += (size_t) runs[i].num_thresholds * LANES;
	}
	if (num_rows * (size_t) stride * sizeof *rows > LEAVES_MAX_SIZE)
		return NULL;
	m = alloc(sizeof *m + leaves_size + num_thresholds * sizeof *thresholds + num_rows * (size_t) stride * sizeof *rows + 2 * ALIGNMENT);
	if (!m)
		return NULL;
	memset(m, 0, sizeof *m);
	m->base_score = forest->base_score;
	m->num_trees = forest->num_trees;
	m->stride = stride;
	m->leaves = memcpy(m + 1, leaves, leaves_size);
	m->num_used = num_used;
	thresholds = align((char *) (m + 1) + leaves_size);
	rows = align(thresholds + num_thresholds);
	for (int32_t i = 0; i < num_used; i++)
	{
		m->feature[i] = runs[i].splits->feature;
		m->rows[i] = rows;
		m->missing_row[i] = runs[i].num_thresholds + 1;
		rows = fill_rows(runs[i].splits, runs[i].num_splits, stride, rows);
	}
	for (int32_t i = 0; i < num_used; i += LANES)
	{
		int32_t		n = (int32_t) runs[i].num_thresholds;

		m->num_thresholds[i / LANES] = n;
		m->thresholds[i / LANES] = thresholds;
		for (int32_t lane = 0; lane < LANES; lane++)
			fill_lane(i + lane < num_used ? &runs[i + lane] : &none, thresholds + lane, n);
		thresholds += (size_t) n * LANES;
	}
	return m;
}

/*
 * The forest in this form, as one block that is the caller's to free. NULL if
 * it has more trees, leaves or features than the form holds, or memory is out;
 * then it must be walked.
 */
LeafMasks *
leaves_make(const Forest *forest, ForestAlloc alloc)
{
	LeafMasks  *m = NULL;
	Split	   *splits;
	float	   *leaves;
	int32_t		num_splits;

	if (forest->num_trees > LEAVES_MAX_TREES || forest->num_features > LEAVES_MAX_FEATURES)
		return NULL;
	splits = malloc((size_t) forest->num_trees * (LEAVES_MAX - 1) * sizeof *splits);
	leaves = calloc((size_t) forest->num_trees * LEAVES_MAX, sizeof *leaves);
	num_splits = splits && leaves ? walk_forest(forest, splits, leaves) : -1;
	if (num_splits >= 0)
	{
		qsort(splits, (size_t) num_splits, sizeof *splits, compare_splits);
		m = lay_out(forest, splits, num_splits, leaves, alloc);
	}
	free(splits);
	free(leaves);
	return m;
}

/* Where the row of each used feature's value begins, in both vectors. All thresholds are counted, which takes no branch that could be mispredicted. */
static inline __attribute__((always_inline)) void
find_rows(const LeafMasks *m, const float *a, const float *b, uint32_t *rows_a, uint32_t *rows_b)
{
	float		values_a[LANES];
	float		values_b[LANES];

	for (int32_t i = 0, group = 0; i < m->num_used; i += LANES, group++)
	{
		const Floats *thresholds = (const Floats *) (const void *) m->thresholds[group];
		Floats		value_a;
		Floats		value_b;
		Lanes		missing;
		Lanes		count_a = {0};
		Lanes		count_b = {0};

		for (int lane = 0; lane < LANES; lane++)
		{
			values_a[lane] = a[m->feature[i + lane]];
			values_b[lane] = b[m->feature[i + lane]];
		}
		memcpy(&value_a, values_a, sizeof value_a);
		memcpy(&value_b, values_b, sizeof value_b);
#pragma GCC unroll 4
		for (int32_t k = 0; k < m->num_thresholds[group]; k++)
		{
			count_a -= (Lanes) (thresholds[k] <= value_a);
			count_b -= (Lanes) (thresholds[k] <= value_b);
		}
		memcpy(&missing, m->missing_row + i, sizeof missing);
		count_a |= (Lanes) (value_a != value_a) & missing;
		count_b |= (Lanes) (value_b != value_b) & missing;
		count_a *= (uint32_t) m->stride;
		count_b *= (uint32_t) m->stride;
		memcpy(rows_a + i, &count_a, sizeof count_a);
		memcpy(rows_b + i, &count_b, sizeof count_b);
	}
}

/* One block of each row, combined into words; unrolled so that they stay in registers. */
static inline __attribute__((always_inline)) void
combine(Lanes *words, const uint32_t *const *rows, int n, int32_t at)
{
	Lanes		w[PARTS];

	memcpy(w, words, sizeof w);
	for (int i = 0; i < n; i++)
	{
		const Lanes *row = (const Lanes *) (const void *) (rows[i] + at);

#pragma GCC unroll 8
		for (int k = 0; k < PARTS; k++)
			w[k] &= row[k];
	}
	memcpy(words, w, sizeof w);
}

/* Words to where their leaves are, counted from the block's first: a float's exponent tells which bit is the lowest one. */
static inline __attribute__((always_inline)) void
find_leaves(Lanes *words)
{
	Lanes		offset = {0, 1 * LEAVES_MAX, 2 * LEAVES_MAX, 3 * LEAVES_MAX, 4 * LEAVES_MAX, 5 * LEAVES_MAX, 6 * LEAVES_MAX, 7 * LEAVES_MAX};

	for (int k = 0; k < PARTS; k++)
	{
		Lanes		lowest = words[k] & -words[k];
		Lanes		exponent = (Lanes) __builtin_convertvector((Ints) lowest, Floats) >> 23 & 0xFF;

		words[k] = exponent - 127 + offset;
		offset += LANES * LEAVES_MAX;
	}
}

/*
 * Both vectors at once: what they have in common is combined once, and their
 * sums, which run tree by tree in XGBoost's order and in float so as to agree
 * with it to the last bit, need not wait for each other.
 */
WITH_WIDE_REGISTERS void
leaves_eval_pair(const LeafMasks *m, const float *a, const float *b, float *margin_a, float *margin_b)
{
	const uint32_t *common[LEAVES_MAX_FEATURES];
	const uint32_t *only_a[LEAVES_MAX_FEATURES];
	const uint32_t *only_b[LEAVES_MAX_FEATURES];
	uint32_t	rows_a[LEAVES_MAX_FEATURES];
	uint32_t	rows_b[LEAVES_MAX_FEATURES];
	int			num_common = 0;
	int			num_a = 0;
	int			num_b = 0;
	float		sum_a = m->base_score;
	float		sum_b = m->base_score;

	find_rows(m, a, b, rows_a, rows_b);
	/* Below all thresholds, every leaf stays within reach. */
	for (int i = 0; i < m->num_used; i++)
	{
		const uint32_t *rows = m->rows[i];
		uint32_t	at_a = rows_a[i];
		uint32_t	at_b = rows_b[i];

		/* Mostly the same features differ from call to call. */
		if (at_a == at_b)
		{
			common[num_common] = rows + at_a;
			num_common += at_a > 0;
			continue;
		}
		only_a[num_a] = rows + at_a;
		num_a += at_a > 0;
		only_b[num_b] = rows + at_b;
		num_b += at_b > 0;
	}
	for (int32_t at = 0; at < m->stride; at += BLOCK)
	{
		Lanes		words[PARTS];
		Lanes		other[PARTS];
		const uint32_t *places_a = (const uint32_t *) (const void *) words;
		const uint32_t *places_b = (const uint32_t *) (const void *) other;
		const float *leaves = m->leaves + (size_t) at * LEAVES_MAX;
		int			n = m->num_trees - at < BLOCK ? m->num_trees - at : BLOCK;

		memset(words, 0xFF, sizeof words);
		combine(words, common, num_common, at);
		memcpy(other, words, sizeof other);
		combine(words, only_a, num_a, at);
		combine(other, only_b, num_b, at);
		find_leaves(words);
		find_leaves(other);
#pragma GCC unroll 8
		for (int i = 0; i < n; i++)
		{
			sum_a += leaves[places_a[i]];
			sum_b += leaves[places_b[i]];
		}
	}
	*margin_a = sum_a;
	*margin_b = sum_b;
}
