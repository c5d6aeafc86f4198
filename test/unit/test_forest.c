/*
 * The forest against trees small enough to follow by hand, and against damage.
 */
#include <stdlib.h>
#include <string.h>

#include "forest.h"
#include "tap.h"

static uint8_t doc[4096];
static size_t doc_size;

static void
put(const void *data, size_t size)
{
	memcpy(doc + doc_size, data, size);
	doc_size += size;
}

static void
put_byte(char c)
{
	put(&c, 1);
}

static void
put_number(uint64_t v, size_t bytes)
{
	while (bytes-- > 0)
		put_byte((char) (v >> (8 * bytes)));
}

static void
put_length(int64_t n)
{
	put_byte('L');
	put_number((uint64_t) n, 8);
}

static void
put_key(const char *key)
{
	put_length((int64_t) strlen(key));
	put(key, strlen(key));
}

static void
put_text(const char *key, const char *value)
{
	put_key(key);
	put_byte('S');
	put_length((int64_t) strlen(value));
	put(value, strlen(value));
}

static void
put_array(const char *key, char type, int64_t n)
{
	put_key(key);
	put("[$", 2);
	put_byte(type);
	put_byte('#');
	put_length(n);
}

static void
put_ints(const char *key, const int *v, int n)
{
	put_array(key, 'l', n);
	for (int i = 0; i < n; i++)
		put_number((uint32_t) v[i], 4);
}

static void
put_floats(const char *key, const float *v, int n)
{
	put_array(key, 'd', n);
	for (int i = 0; i < n; i++)
	{
		uint32_t	bits;

		memcpy(&bits, &v[i], 4);
		put_number(bits, 4);
	}
}

static void
put_bytes(const char *key, const char *v, int n)
{
	put_array(key, 'U', n);
	put(v, (size_t) n);
}

static void
put_tree(const int *left, const int *right, const int *feature, const float *value, const char *missing_left, int n)
{
	put_byte('{');
	put_ints("left_children", left, n);
	put_ints("right_children", right, n);
	put_ints("split_indices", feature, n);
	put_floats("split_conditions", value, n);
	put_bytes("default_left", missing_left, n);
	put_byte('}');
}

/*
 * Two features. The first tree: x0 < 1.5 (missing left)? then x1 < 10 (missing
 * right) ? 1 : 2; else 4. Its children are stored apart on purpose. The second
 * tree is the single leaf 0.25. The base score is 0.5.
 */
static void
make_document_with(const char *base_score, const char *kind, const char *num_trees, char info)
{
	static const int left[] = {2, -1, 3, -1, -1};
	static const int right[] = {1, -1, 4, -1, -1};
	static const int feature[] = {0, 0, 1, 0, 0};
	static const float value[] = {1.5f, 4, 10, 1, 2};
	static const char missing_left[] = {1, 0, 0, 0, 0};
	static const int no_child[] = {-1};
	static const int no_feature[] = {0};
	static const float leaf[] = {0.25f};

	doc_size = 0;
	put_byte('{');
	put_key("learner");
	put_byte('{');
	put_key("gradient_booster");
	put_byte('{');
	put_key("model");
	put_byte('{');
	put_key("gbtree_model_param");
	put_byte('{');
	put_text("num_trees", num_trees);
	put_byte('}');
	put_key("tree_info");
	put("[#", 2);
	put_length(2);
	put("i\0i", 3);
	put_byte(info);
	put_key("trees");
	put("[#", 2);
	put_length(2);
	put_tree(left, right, feature, value, missing_left, 5);
	put_tree(no_child, no_child, no_feature, leaf, missing_left + 1, 1);
	put_byte('}');
	put_text("name", kind);
	put_byte('}');
	put_key("learner_model_param");
	put_byte('{');
	put_text("base_score", base_score);
	put_text("num_class", "0");
	put_text("num_feature", "2");
	put_byte('}');
	put_byte('}');
	put_byte('}');
}

static void
make_document(const char *base_score, const char *kind)
{
	make_document_with(base_score, kind, "2", 0);
}

static float
eval(const Forest *f, float x0, float x1)
{
	float		x[] = {x0, x1};

	return forest_eval(f, x);
}

static const char *
read_and_free(const uint8_t *data, size_t size)
{
	Forest		f;
	const char *wrong = forest_read(data, size, malloc, &f);

	if (!wrong)
		for (int i = 0; i < 8; i++)
			eval(&f, i & 1 ? NAN : 1, i & 2 ? NAN : 10);
	free((void *) f.nodes);
	return wrong;
}

int
main(void)
{
	Forest		f;
	const char *wrong;
	uint8_t    *copy;
	int			refused = 0;

	make_document("5E-1", "gbtree");
	wrong = forest_read(doc, doc_size, malloc, &f);
	ok(wrong == NULL, "a whole document is read (%s)", wrong ? wrong : "");
	ok(f.num_trees == 2 && f.num_nodes == 6 && f.num_features == 2, "it has 2 trees, 6 nodes, 2 features");
	ok(eval(&f, 1, 9) == 1.75f, "left, left: 0.5 + 1 + 0.25");
	ok(eval(&f, 1, 10) == 2.75f, "a value equal to the threshold goes right: 0.5 + 2 + 0.25");
	ok(eval(&f, 1.5f, 9) == 4.75f, "right: 0.5 + 4 + 0.25");
	ok(eval(&f, NAN, NAN) == 2.75f, "missing follows each split's own default");
	ok(eval(&f, -INFINITY, INFINITY) == 2.75f, "infinities are ordered like numbers");
	free((void *) f.nodes);

	make_document("[5E-1]", "gbtree");
	ok(read_and_free(doc, doc_size) == NULL, "the base score of later versions is read");
	make_document("5E-1x", "gbtree");
	ok(read_and_free(doc, doc_size) != NULL, "a base score that is no number is refused");
	make_document("nan", "gbtree");
	ok(read_and_free(doc, doc_size) != NULL, "a base score of NaN is refused");
	make_document("5E-1", "gblinear");
	ok(read_and_free(doc, doc_size) != NULL, "a linear booster is refused");

	make_document_with("5E-1", "gbtree", "900", 0);
	ok(read_and_free(doc, doc_size) != NULL, "a wrong number of trees is refused");
	make_document_with("5E-1", "gbtree", "2", 100);
	ok(read_and_free(doc, doc_size) != NULL, "a tree of another output is refused");

	make_document("5E-1", "gbtree");
	for (size_t n = 0; n < doc_size; n++)
	{
		copy = malloc(n > 0 ? n : 1);
		memcpy(copy, doc, n);
		refused += read_and_free(copy, n) != NULL;
		free(copy);
	}
	ok(refused == (int) doc_size, "every cut is refused");

	copy = malloc(doc_size);
	for (size_t n = 0; n < doc_size; n++)
		for (int flip = 1; flip < 256; flip++)
		{
			memcpy(copy, doc, doc_size);
			copy[n] ^= (uint8_t) flip;
			read_and_free(copy, doc_size);
		}
	ok(1, "no changed byte makes it read or write out of bounds, or loop");

	srand(1);
	for (int round = 0; round < 200000; round++)
	{
		memcpy(copy, doc, doc_size);
		for (int i = 0; i < 1 + round % 8; i++)
			copy[(size_t) rand() % doc_size] = (uint8_t) rand();
		read_and_free(copy, doc_size);
	}
	ok(1, "nor do several at once");
	free(copy);
	return done_testing();
}
