/*
 * The masks of leaves against the same trees walked node by node.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "leaves.h"
#include "tap.h"

enum {TREES = 37, FEATURES = 19, MAX_NODES = TREES * (2 * LEAVES_MAX - 1)};

static ForestNode nodes[MAX_NODES + 4096];
static int32_t roots[TREES];
static int32_t used;

/* Few values, so that thresholds repeat and vectors hit them. */
static float
some_value(void)
{
	return (float) (rand() % 17 - 8) / 4;
}

/* A tree of so many leaves, split at random. */
static void
grow(int32_t at, int leaves)
{
	int			left = leaves > 1 ? 1 + rand() % (leaves - 1) : 0;

	nodes[at] = (ForestNode) {leaves > 1 ? some_value() : (float) rand() / 1e9f, 0, 0, 0};
	if (leaves == 1)
		return;
	nodes[at].feature = (uint8_t) (rand() % FEATURES);
	nodes[at].missing_right = (uint8_t) (rand() & 1);
	nodes[at].left = (uint16_t) (used - at);
	used += 2;
	grow(at + nodes[at].left, left);
	grow(at + nodes[at].left + 1, leaves - left);
}

static Forest
random_forest(int most_leaves)
{
	used = 0;
	for (int t = 0; t < TREES; t++)
	{
		roots[t] = used++;
		grow(roots[t], 1 + rand() % most_leaves);
	}
	return (Forest) {0.5f, FEATURES, TREES, used, roots, nodes};
}

static void
random_vector(float *x)
{
	for (int f = 0; f < FEATURES; f++)
		switch (rand() % 8)
		{
			case 0:
				x[f] = NAN;
				break;
			case 1:
				x[f] = rand() & 1 ? INFINITY : -INFINITY;
				break;
			case 2:
				x[f] = rand() & 1 ? 0.0f : -0.0f;
				break;
			default:
				x[f] = some_value();
		}
}

/* How often the two disagree, in any bit. */
static int
differences(const Forest *forest)
{
	uint64_t	steady = (uint64_t) (rand() & rand());
	LeafMasks  *m = leaves_make(forest, steady, malloc);
	int			different = 0;
	float		a[FEATURES];
	float		b[FEATURES];

	if (!m)
		return -1;
	random_vector(a);
	random_vector(b);
	for (int i = 0; i < 500; i++)
	{
		bool		same = rand() % 4 > 0;
		float		x[FEATURES];
		float		y[FEATURES];
		float		margin_a;
		float		margin_b;

		random_vector(x);
		random_vector(y);
		/* Steady features mostly stay, and a pair mostly shares what does not depend on the regime. */
		for (int f = 0; f < FEATURES; f++)
		{
			if (same && steady >> f & 1)
				continue;
			a[f] = x[f];
			b[f] = rand() & 1 ? a[f] : y[f];
		}
		leaves_eval_pair(m, a, b, &margin_a, &margin_b);
		different += margin_a != forest_eval(forest, a) || margin_b != forest_eval(forest, b);
	}
	free(m);
	return different;
}

/* A tree that is one long chain to the left or to the right. */
static Forest
chain(int leaves, int right)
{
	used = 1;
	roots[0] = 0;
	for (int32_t at = 0, n = leaves; n > 1; n--)
	{
		nodes[at] = (ForestNode) {some_value(), (uint16_t) (used - at), 0, 0};
		nodes[used] = nodes[used + 1] = (ForestNode) {(float) n, 0, 0, 0};
		at = used + right;
		used += 2;
	}
	return (Forest) {0, FEATURES, 1, used, roots, nodes};
}

int
main(void)
{
	int			different = 0;
	Forest		forest;

	srand(1);
	for (int round = 0; round < 200; round++)
	{
		forest = random_forest(round % 2 ? LEAVES_MAX : 4);
		different += differences(&forest);
	}
	ok(different == 0, "random forests give the same margins to the bit (%d differ of 100000)", different);
	forest = random_forest(1);
	ok(differences(&forest) == 0, "so do trees without a split");
	for (int right = 0; right < 2; right++)
	{
		forest = chain(LEAVES_MAX, right);
		ok(differences(&forest) == 0, "and a chain of as many leaves as a word has bits");
		forest = chain(LEAVES_MAX + 1, right);
		ok(differences(&forest) == -1, "one more leaf is refused");
		forest = chain(2000, right);
		ok(differences(&forest) == -1, "and so is a chain that is much longer");
	}
	forest = random_forest(4);
	forest.num_features = LEAVES_MAX_FEATURES + 1;
	ok(differences(&forest) == -1, "too many features are refused");
	return done_testing();
}
