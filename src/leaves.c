/*
 * A forest as masks of the leaves that are still within reach.
 *
 * Walking a tree waits for memory and for mispredicted branches at every
 * node. Here each tree is a word with a bit for each leaf, and each value of
 * a feature, between two neighbouring thresholds of the whole forest, has a
 * row of words made beforehand: the leaves that the tree's nodes on this
 * feature leave within reach. The rows of all features are combined with AND,
 * a straight run over memory, and the first bit left in a word is the leaf
 * (the idea of QuickScorer, Lucchese et al., SIGIR 2015). What features that
 * seldom change leave within reach is kept from one evaluation to the next.
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

typedef uint16_t Words __attribute__((vector_size(32)));
typedef uint32_t Lanes __attribute__((vector_size(32)));
typedef int32_t Ints __attribute__((vector_size(32)));
typedef float Floats __attribute__((vector_size(32)));

#define LANES LEAVES_LANES
#define WORDS (2 * LANES)
#define PARTS 3					/* of a block: of both vectors, as many as stay in registers */
#define BLOCK (PARTS * WORDS)

/* By how many bits the first of two words is shifted in the lane that they share. */
#define LOW_HALF (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 0 : 16)

#define ALIGNMENT ((size_t) 64)

/* A split, and the leaves below its left child: what a value that goes right cannot reach. */
typedef struct Split
{
	float		threshold;
	int32_t		feature;
	int32_t		tree;
	bool		missing_right;
	uint16_t	left_leaves;
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
		split->left_leaves |= (uint16_t) (1 << leaf);
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
static uint16_t *
fill_rows(const Split *splits, int32_t n, int32_t stride, uint16_t *rows)
{
	size_t		row_size = (size_t) stride * sizeof *rows;
	uint16_t   *row = rows;

	memset(row, 0xFF, row_size);
	for (int32_t i = 0; i < n; i++)
	{
		if (new_threshold(splits, i))
		{
			memcpy(row + stride, row, row_size);
			row += stride;
		}
		row[splits[i].tree] &= (uint16_t) ~splits[i].left_leaves;
	}
	row += stride;
	memset(row, 0xFF, row_size);
	for (int32_t i = 0; i < n; i++)
		if (splits[i].missing_right)
			row[splits[i].tree] &= (uint16_t) ~splits[i].left_leaves;
	return row + stride;
}

/* The splits on one feature among all, sorted. */
typedef struct Run
{
	const Split *splits;
	int32_t		num_splits;
	uint32_t	num_thresholds;
	bool		steady;
} Run;

static int
compare_runs(const void *a, const void *b)
{
	const Run  *s = a;
	const Run  *t = b;

	if (s->steady != t->steady)
		return s->steady - t->steady;
	return s->num_thresholds == t->num_thresholds ? s->splits->feature - t->splits->feature
		: s->num_thresholds > t->num_thresholds ? -1 : 1;
}

/*
 * A run for each feature that is split on: steady ones last and in groups of
 * their own, and of each kind those with most thresholds first, so that those
 * of a group have about as many. Returns how many, and where the steady begin.
 */
static int32_t
find_runs(const Split *splits, int32_t num_splits, uint64_t steady, Run *runs, int32_t *first_steady)
{
	int32_t		n = 0;
	int32_t		moving = 0;
	int32_t		gap;

	for (int32_t i = 0; i < num_splits; i++)
	{
		if (i == 0 || splits[i].feature != splits[i - 1].feature)
		{
			runs[n] = (Run) {splits + i, 0, 0, steady >> splits[i].feature & 1};
			moving += !runs[n++].steady;
		}
		runs[n - 1].num_splits++;
		runs[n - 1].num_thresholds += new_threshold(splits, i);
	}
	qsort(runs, (size_t) n, sizeof *runs, compare_runs);
	gap = (LANES - moving % LANES) % LANES;
	memmove(runs + moving + gap, runs + moving, (size_t) (n - moving) * sizeof *runs);
	memset(runs + moving, 0, (size_t) gap * sizeof *runs);
	*first_steady = moving + gap;
	return n + gap;
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
lay_out(const Forest *forest, uint64_t steady, const Split *splits, int32_t num_splits, const float *leaves, ForestAlloc alloc)
{
	Run			runs[LEAVES_MAX_SLOTS] = {{0}};
	int32_t		first_steady;
	int32_t		num_slots = find_runs(splits, num_splits, steady, runs, &first_steady);
	int32_t		stride = (forest->num_trees + BLOCK - 1) / BLOCK * BLOCK;
	size_t		leaves_size = ((size_t) forest->num_trees + 1) * LEAVES_MAX * sizeof(float);
	size_t		num_thresholds = 0;
	size_t		num_rows = 2;
	LeafMasks  *m;
	float	   *thresholds;
	uint16_t   *rows;

	for (int32_t i = 0; i < num_slots; i++)
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
	m->num_slots = num_slots;
	m->first_steady = first_steady;
	for (int32_t i = 0; i < first_steady; i++)
		m->num_moving += runs[i].splits != NULL;
	thresholds = align((char *) (m + 1) + leaves_size);
	rows = align(thresholds + num_thresholds);
	for (int v = 0; v < 2; v++, rows += stride)
		m->kept_words[v] = rows;
	for (int32_t i = 0; i < num_slots; i++)
	{
		m->feature[i] = runs[i].splits ? runs[i].splits->feature : 0;
		m->rows[i] = rows;
		m->missing_row[i] = runs[i].splits ? runs[i].num_thresholds + 1 : 0;
		rows = fill_rows(runs[i].splits, runs[i].num_splits, stride, rows);
	}
	for (int32_t i = 0; i < num_slots; i += LANES)
	{
		int32_t		n = (int32_t) runs[i].num_thresholds;

		m->num_thresholds[i / LANES] = n;
		m->thresholds[i / LANES] = thresholds;
		for (int32_t lane = 0; lane < LANES; lane++)
			fill_lane(&runs[i + lane], thresholds + lane, n);
		thresholds += (size_t) n * LANES;
	}
	return m;
}

/*
 * The forest in this form, as one block that is the caller's to free. NULL if
 * it has more trees, leaves or features than the form holds, or memory is out;
 * then it must be walked. Features whose bit is set in steady are expected to
 * be the same from one evaluation to the next.
 */
LeafMasks *
leaves_make(const Forest *forest, uint64_t steady, ForestAlloc alloc)
{
	LeafMasks  *m = NULL;
	Split	   *splits;
	float	   *leaves;
	int32_t		num_splits;

	if (forest->num_trees > LEAVES_MAX_TREES || forest->num_features > LEAVES_MAX_FEATURES)
		return NULL;
	splits = malloc((size_t) forest->num_trees * (LEAVES_MAX - 1) * sizeof *splits);
	/* one more, of zeros: trees are added in twos */
	leaves = calloc((size_t) forest->num_trees + 1, LEAVES_MAX * sizeof *leaves);
	num_splits = splits && leaves ? walk_forest(forest, splits, leaves) : -1;
	if (num_splits >= 0)
	{
		qsort(splits, (size_t) num_splits, sizeof *splits, compare_splits);
		m = lay_out(forest, steady, splits, num_splits, leaves, alloc);
	}
	free(splits);
	free(leaves);
	return m;
}

#define GATHER(x, at) {(x)[(at)[0]], (x)[(at)[1]], (x)[(at)[2]], (x)[(at)[3]], (x)[(at)[4]], (x)[(at)[5]], (x)[(at)[6]], (x)[(at)[7]]}

/* Where the row of each value begins, in both vectors. All thresholds are counted, which takes no branch that could be mispredicted. */
static inline __attribute__((always_inline)) void
find_rows(const LeafMasks *m, int32_t from, int32_t to, const float *a, const float *b, uint32_t *rows_a, uint32_t *rows_b)
{
	for (int32_t i = from; i < to; i += LANES)
	{
		const int32_t group = i / LANES;
		const Floats *thresholds = (const Floats *) (const void *) m->thresholds[group];
		const int32_t *feature = m->feature + i;
		Floats		value_a = GATHER(a, feature);
		Floats		value_b = GATHER(b, feature);
		Lanes		missing;
		Lanes		count_a = {0};
		Lanes		count_b = {0};

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
combine(Words *words, const uint16_t *const *rows, int n, int32_t at)
{
	for (int i = 0; i < n; i++)
	{
		const Words *row = (const Words *) (const void *) (rows[i] + at);

#pragma GCC unroll 8
		for (int k = 0; k < PARTS; k++)
			words[k] &= row[k];
	}
}

/* Which bit of a word is its lowest one: a float's exponent tells, less 127. */
static inline __attribute__((always_inline)) void
lowest_bits(const Words *words, int shift, Lanes *bits)
{
#pragma GCC unroll 8
	for (int k = 0; k < PARTS; k++)
	{
		Lanes		lowest = (Lanes) (words[k] & -words[k]) >> shift & 0xFFFF;

		bits[k] = (Lanes) __builtin_convertvector((Ints) lowest, Floats) >> 23;
	}
}

/* Words to where their leaves are, counted from the block's first: those of even trees, and those of odd ones. */
static inline __attribute__((always_inline)) void
find_leaves(const Words *words, Lanes *even, Lanes *odd)
{
	Lanes		first = {0, 2 * LEAVES_MAX, 4 * LEAVES_MAX, 6 * LEAVES_MAX, 8 * LEAVES_MAX, 10 * LEAVES_MAX, 12 * LEAVES_MAX, 14 * LEAVES_MAX};

	lowest_bits(words, LOW_HALF, even);
	lowest_bits(words, 16 - LOW_HALF, odd);
	first -= 127;
#pragma GCC unroll 8
	for (int k = 0; k < PARTS; k++)
	{
		even[k] += first;
		odd[k] += first + LEAVES_MAX;
		first += WORDS * LEAVES_MAX;
	}
}

/* The rows that two vectors' values lead to. */
typedef struct Rows
{
	const uint16_t *common[LEAVES_MAX_SLOTS];
	const uint16_t *a[LEAVES_MAX_SLOTS];
	const uint16_t *b[LEAVES_MAX_SLOTS];
	int			num_common;
	int			num_a;
	int			num_b;
} Rows;

/* Values decide what is common, and not rows: then it is the same features call after call, which a processor foresees. */
static inline __attribute__((always_inline)) void
collect(const LeafMasks *m, int32_t from, int32_t to, const float *a, const float *b, Rows *rows)
{
	uint32_t	at_a[LEAVES_MAX_SLOTS];
	uint32_t	at_b[LEAVES_MAX_SLOTS];

	find_rows(m, from, to, a, b, at_a, at_b);
	for (int32_t i = from; i < to; i++)
	{
		uint32_t	bits_a;
		uint32_t	bits_b;

		memcpy(&bits_a, &a[m->feature[i]], sizeof bits_a);
		memcpy(&bits_b, &b[m->feature[i]], sizeof bits_b);
		if (bits_a == bits_b)
			rows->common[rows->num_common++] = m->rows[i] + at_a[i];
		else
		{
			rows->a[rows->num_a++] = m->rows[i] + at_a[i];
			rows->b[rows->num_b++] = m->rows[i] + at_b[i];
		}
	}
}

/* What they have in common is combined once. */
static inline __attribute__((always_inline)) void
combine_both(const Rows *rows, int32_t at, Words *words_a, Words *words_b)
{
#pragma GCC unroll 8
	for (int k = 0; k < PARTS; k++)
		words_a[k] = ~(Words) {0};
	combine(words_a, rows->common, rows->num_common, at);
#pragma GCC unroll 8
	for (int k = 0; k < PARTS; k++)
		words_b[k] = words_a[k];
	combine(words_a, rows->a, rows->num_a, at);
	combine(words_b, rows->b, rows->num_b, at);
}

/* Whether the steady features' values are the last vectors'; from now on these are the last. */
static inline __attribute__((always_inline)) bool
are_steady(LeafMasks *m, const float *a, const float *b)
{
	uint32_t	changed = 0;

	for (int32_t i = m->first_steady; i < m->num_slots; i++)
	{
		uint32_t	bits[2];

		memcpy(&bits[0], &a[m->feature[i]], sizeof bits[0]);
		memcpy(&bits[1], &b[m->feature[i]], sizeof bits[1]);
		changed |= (bits[0] ^ m->last_bits[i][0]) | (bits[1] ^ m->last_bits[i][1]);
		m->last_bits[i][0] = bits[0];
		m->last_bits[i][1] = bits[1];
	}
	return !changed;
}

static inline __attribute__((always_inline)) void
keep_steady(LeafMasks *m, const float *a, const float *b)
{
	Rows		rows;

	rows.num_common = rows.num_a = rows.num_b = 0;
	collect(m, m->first_steady, m->num_slots, a, b, &rows);
	for (int32_t at = 0; at < m->stride; at += BLOCK)
	{
		Words		words_a[PARTS];
		Words		words_b[PARTS];

		combine_both(&rows, at, words_a, words_b);
		memcpy(m->kept_words[0] + at, words_a, sizeof words_a);
		memcpy(m->kept_words[1] + at, words_b, sizeof words_b);
	}
	m->kept = true;
}

/*
 * Both vectors at once: their sums, which run tree by tree in XGBoost's order
 * and in float so as to agree with it to the last bit, need not wait for each
 * other. What is steady is kept once it has been the same twice.
 */
WITH_WIDE_REGISTERS void
leaves_eval_pair(LeafMasks *m, const float *a, const float *b, float *margin_a, float *margin_b)
{
	Rows		rows;
	float		sum_a = m->base_score;
	float		sum_b = m->base_score;

	rows.num_common = rows.num_a = rows.num_b = 0;
	collect(m, 0, m->num_moving, a, b, &rows);
	if (!are_steady(m, a, b))
	{
		m->kept = false;
		collect(m, m->first_steady, m->num_slots, a, b, &rows);
	}
	else
	{
		if (!m->kept)
			keep_steady(m, a, b);
		rows.a[rows.num_a++] = m->kept_words[0];
		rows.b[rows.num_b++] = m->kept_words[1];
	}
	for (int32_t at = 0; at < m->stride; at += BLOCK)
	{
		Words		words_a[PARTS];
		Words		words_b[PARTS];
		Lanes		places[4][PARTS];
		const uint32_t *even_a = (const uint32_t *) (const void *) places[0];
		const uint32_t *odd_a = (const uint32_t *) (const void *) places[1];
		const uint32_t *even_b = (const uint32_t *) (const void *) places[2];
		const uint32_t *odd_b = (const uint32_t *) (const void *) places[3];
		const float *leaves = m->leaves + (size_t) at * LEAVES_MAX;
		int			n = (m->num_trees - at < BLOCK ? m->num_trees - at + 1 : BLOCK) / 2;

		combine_both(&rows, at, words_a, words_b);
		find_leaves(words_a, places[0], places[1]);
		find_leaves(words_b, places[2], places[3]);
#pragma GCC unroll 4
		for (int i = 0; i < n; i++)
		{
			sum_a += leaves[even_a[i]];
			sum_b += leaves[even_b[i]];
			sum_a += leaves[odd_a[i]];
			sum_b += leaves[odd_b[i]];
		}
	}
	*margin_a = sum_a;
	*margin_b = sum_b;
}
