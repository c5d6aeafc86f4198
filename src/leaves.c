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
#define LANE_BYTES 32
#define WITH_AVX2 __attribute__((target_clones("avx2", "default")))
#else
#define LANE_BYTES 16
#define WITH_AVX2
#endif

typedef uint32_t Lanes __attribute__((vector_size(LANE_BYTES)));
typedef float Floats __attribute__((vector_size(LANE_BYTES)));

#define LANES ((int) (sizeof(Lanes) / sizeof(uint32_t)))
#define BLOCK (4 * LANES)

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

/* The splits on one feature, by rising threshold, become its thresholds and rows; returns where the next feature's rows go. */
static uint32_t *
fill_rows(const Split *splits, int32_t n, int32_t stride, FeatureMasks *feature, float *thresholds, uint32_t *rows)
{
	size_t		row_size = (size_t) stride * sizeof *rows;
	uint32_t   *row = rows;

	feature->thresholds = thresholds;
	feature->rows = rows;
	for (int32_t i = 0; i < n; i++)
	{
		if (new_threshold(splits, i))
		{
			row = rows + (size_t) feature->num_thresholds * (size_t) stride;
			if (feature->num_thresholds == 0)
				memset(row, 0xFF, row_size);
			else
				memcpy(row, row - stride, row_size);
			thresholds[feature->num_thresholds++] = splits[i].threshold;
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

static void *
align(void *p)
{
	return (char *) p + (ALIGNMENT - (uintptr_t) p % ALIGNMENT) % ALIGNMENT;
}

/* Lay out masks for the sorted splits in one block. */
static LeafMasks *
lay_out(const Forest *forest, const Split *splits, int32_t num_splits, const float *leaves, ForestAlloc alloc)
{
	int32_t		stride = (forest->num_trees + BLOCK - 1) / BLOCK * BLOCK;
	size_t		leaves_size = (size_t) forest->num_trees * LEAVES_MAX * sizeof(float);
	size_t		num_thresholds = 0;
	size_t		num_rows;
	LeafMasks  *m;
	float	   *thresholds;
	uint32_t   *rows;

	for (int32_t i = 0; i < num_splits; i++)
		num_thresholds += new_threshold(splits, i);
	num_rows = num_thresholds + (size_t) forest->num_features;
	num_thresholds += (size_t) (forest->num_features * LANES);
	if (num_rows * (size_t) stride * sizeof *rows > LEAVES_MAX_SIZE)
		return NULL;
	m = alloc(sizeof *m + leaves_size + num_thresholds * sizeof *thresholds + num_rows * (size_t) stride * sizeof *rows + 2 * ALIGNMENT);
	if (!m)
		return NULL;
	memset(m, 0, sizeof *m);
	m->base_score = forest->base_score;
	m->num_features = forest->num_features;
	m->num_trees = forest->num_trees;
	m->stride = stride;
	m->leaves = memcpy(m + 1, leaves, leaves_size);
	thresholds = align((char *) (m + 1) + leaves_size);
	rows = align(thresholds + num_thresholds);
	for (int32_t i = 0, n; i < num_splits; i += n)
	{
		FeatureMasks *feature = &m->features[splits[i].feature];

		for (n = 1; i + n < num_splits && splits[i + n].feature == splits[i].feature; n++)
			;
		rows = fill_rows(splits + i, n, stride, feature, thresholds, rows);
		thresholds += feature->num_thresholds;
		/* No value reaches NAN. */
		while ((uintptr_t) thresholds % sizeof(Floats) != 0)
			*thresholds++ = NAN;
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

/* How many thresholds a value reaches. There are few, and counting them all takes no branch that could be mispredicted. */
static inline __attribute__((always_inline)) int32_t
count_reached(const FeatureMasks *feature, float value)
{
	Lanes		count = {0};
	int32_t		sum = 0;

	for (int32_t i = 0; i < feature->num_thresholds; i += LANES)
		count -= (Lanes) (*(const Floats *) (const void *) (feature->thresholds + i) <= value);
	for (int k = 0; k < LANES; k++)
		sum += (int32_t) count[k];
	return sum;
}

/* The row of a value, or NULL if every leaf stays within reach: it is below all thresholds. */
static inline __attribute__((always_inline)) const uint32_t *
row_of(const LeafMasks *m, int f, float value)
{
	const FeatureMasks *feature = &m->features[f];
	int32_t		row = (isnan(value) ? feature->num_thresholds + 1 : count_reached(feature, value)) - 1;

	return feature->num_thresholds == 0 || row < 0 ? NULL : feature->rows + (size_t) row * (size_t) m->stride;
}

/* One block of each row, combined into words; written out so that they stay in registers. */
static inline __attribute__((always_inline)) void
combine(Lanes *words, const uint32_t *const *rows, int n, int32_t at)
{
	Lanes		a = words[0];
	Lanes		b = words[1];
	Lanes		c = words[2];
	Lanes		d = words[3];

	for (int i = 0; i < n; i++)
	{
		const Lanes *row = (const Lanes *) (const void *) (rows[i] + at);

		a &= row[0];
		b &= row[1];
		c &= row[2];
		d &= row[3];
	}
	words[0] = a;
	words[1] = b;
	words[2] = c;
	words[3] = d;
}

/*
 * Both vectors at once: what they have in common is combined once, and their
 * sums, which run tree by tree in XGBoost's order and in float so as to agree
 * with it to the last bit, need not wait for each other.
 */
WITH_AVX2 void
leaves_eval_pair(const LeafMasks *m, const float *a, const float *b, float *margin_a, float *margin_b)
{
	const uint32_t *common[LEAVES_MAX_FEATURES];
	const uint32_t *only_a[LEAVES_MAX_FEATURES];
	const uint32_t *only_b[LEAVES_MAX_FEATURES];
	int			num_common = 0;
	int			num_a = 0;
	int			num_b = 0;
	float		sum_a = m->base_score;
	float		sum_b = m->base_score;

	for (int f = 0; f < m->num_features; f++)
	{
		const uint32_t *row_a = row_of(m, f, a[f]);
		const uint32_t *row_b = a[f] == b[f] || (isnan(a[f]) && isnan(b[f])) ? row_a : row_of(m, f, b[f]);

		common[num_common] = row_a;
		only_a[num_a] = row_a;
		only_b[num_b] = row_b;
		num_common += row_a == row_b && row_a;
		num_a += row_a != row_b && row_a;
		num_b += row_a != row_b && row_b;
	}
	for (int32_t at = 0; at < m->stride; at += BLOCK)
	{
		Lanes		words[4];
		Lanes		other[4];
		const uint32_t *words_a = (const uint32_t *) (const void *) words;
		const uint32_t *words_b = (const uint32_t *) (const void *) other;
		const float *leaves = m->leaves + (size_t) at * LEAVES_MAX;
		int			n = m->num_trees - at < BLOCK ? m->num_trees - at : BLOCK;

		memset(words, 0xFF, sizeof words);
		combine(words, common, num_common, at);
		memcpy(other, words, sizeof other);
		combine(words, only_a, num_a, at);
		combine(other, only_b, num_b, at);
		for (int i = 0; i < n; i++, leaves += LEAVES_MAX)
		{
			sum_a += leaves[__builtin_ctz(words_a[i])];
			sum_b += leaves[__builtin_ctz(words_b[i])];
		}
	}
	*margin_a = sum_a;
	*margin_b = sum_b;
}
