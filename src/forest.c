/*
 * A trained booster as flat arrays, evaluated without libxgboost.
 *
 * The bytes read here are the UBJSON that XGBoosterSaveModelToBuffer writes
 * and that wattgpu_models.booster holds, so that the registry keeps one form
 * of a model and nothing can disagree with it. They may have been damaged:
 * every length, index and type is checked before it is used.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "forest.h"
#include "ubjson.h"

#define MAX_FEATURES 256

typedef struct Tree
{
	Array		left;
	Array		right;
	Array		feature;
	Array		value;
	Array		default_left;
	Array		split_type;
	Array		parent;
	int64_t		most;			/* the longest of the arrays that only libxgboost reads, */
	int64_t		least;			/* and the shortest */
	double		num_nodes;
} Tree;

/* What the walk over the document gathers before anything is allocated. */
typedef struct Document
{
	bool		has_base_score;
	bool		is_gbtree;
	float		base_score;
	int64_t		num_features;
	int64_t		num_trees;
	int64_t		stated_trees;	/* as the parameters say */
	int64_t		num_infos;
	int64_t		num_nodes;
	const uint8_t *trees;		/* the first tree's bytes */
} Document;

static void
take_tree_param(Reader *r, Tree *t)
{
	Text		key;
	char		type;

	while (next_member(r, &key, &type))
	{
		if (same(key, "num_nodes"))
			t->num_nodes = take_number_text(r, type);
		else if (same(key, "size_leaf_vector"))
		{
			if (take_number_text(r, type) > 1)
				fail(r, "its leaves are vectors");
		}
		else
			skip_value(r, type, 0);
	}
}

static Tree
take_tree(Reader *r)
{
	Tree		t;
	Text		key;
	char		type;

	memset(&t, 0, sizeof t);
	t.least = INT64_MAX;
	t.num_nodes = -1;
	while (next_member(r, &key, &type))
	{
		if (same(key, "left_children"))
			t.left = take_typed_array(r, type);
		else if (same(key, "right_children"))
			t.right = take_typed_array(r, type);
		else if (same(key, "split_indices"))
			t.feature = take_typed_array(r, type);
		else if (same(key, "split_conditions"))
			t.value = take_typed_array(r, type);
		else if (same(key, "default_left"))
			t.default_left = take_typed_array(r, type);
		else if (same(key, "split_type"))
			t.split_type = take_typed_array(r, type);
		else if (type == '{' && same(key, "tree_param"))
			take_tree_param(r, &t);
		else if (same(key, "base_weights") || same(key, "loss_changes") || same(key, "sum_hessian") || same(key, "parents"))
		{
			Array		a = take_typed_array(r, type);
			int64_t		count = a.count;

			if (same(key, "parents"))
				t.parent = a;
			t.most = count > t.most ? count : t.most;
			t.least = count < t.least ? count : t.least;
		}
		else if (type == '[')
		{
			if (take_typed_array(r, type).count != 0)
				fail(r, "a tree has categories");
		}
		else
			skip_value(r, type, 0);
	}
	if (!r->error &&
		(t.left.count < 1 || t.left.count > INT32_MAX / 2 ||
		 t.right.count != t.left.count || t.feature.count != t.left.count ||
		 t.value.count != t.left.count || t.default_left.count != t.left.count ||
		 (t.split_type.data && t.split_type.count != t.left.count)))
		fail(r, "a tree's arrays differ in length");
	/* Not read here, but libxgboost trusts them. */
	if (!r->error && ((t.most > 0 && (t.most != t.left.count || t.least != t.left.count)) ||
					  (t.num_nodes >= 0 && t.num_nodes != (double) t.left.count)))
		fail(r, "a tree's arrays differ in length");
	if (!r->error &&
		((t.left.type != 'l' && t.left.type != 'L') || t.right.type != t.left.type ||
		 (t.feature.type != 'l' && t.feature.type != 'L') || t.value.type != 'd' ||
		 type_size(t.default_left.type) != 1 ||
		 (t.split_type.data && type_size(t.split_type.type) != 1) ||
		 (t.parent.data && t.parent.type != t.left.type)))
		fail(r, "a tree's array has the wrong type");
	return t;
}

static void
take_trees(Reader *r, char type, Document *doc)
{
	Array		a;

	if (type != '[')
	{
		fail(r, "the trees are not an array");
		return;
	}
	a = take_array_head(r);
	if (!r->error && (a.type != '\0' || a.count < 0))
	{
		fail(r, "the trees have no count");
		return;
	}
	doc->num_trees = a.count;
	doc->trees = r->at;
	for (int64_t i = 0; i < a.count && !r->error; i++)
	{
		if (take_type(r) != '{')
			fail(r, "a tree is not an object");
		else
			doc->num_nodes += take_tree(r).left.count;
		if (doc->num_nodes > INT32_MAX / 2)
			fail(r, "it has too many nodes");
	}
}

/* Which output each tree belongs to: there is one. */
static void
take_tree_info(Reader *r, char type, Document *doc)
{
	Array		a;

	if (type != '[')
	{
		fail(r, "tree_info is not an array");
		return;
	}
	a = take_array_head(r);
	doc->num_infos = a.count;
	for (int64_t i = 0; i < a.count && !r->error; i++)
	{
		char		element = a.type;
		size_t		size;
		const uint8_t *p;

		if (element == '\0')
			element = take_type(r);
		size = type_size(element);
		if (size == 0 || element == 'd' || element == 'D')
			fail(r, "tree_info is not of integers");
		else if ((p = take(r, size)) != NULL && integer_at(element, p) != 0)
			fail(r, "it has several outputs");
	}
}

/* Walk into the few members that matter; everything else is skipped. */
static void
take_object(Reader *r, Document *doc, int depth)
{
	Text		key;
	char		type;

	if (depth > UBJSON_MAX_DEPTH)
	{
		fail(r, "it is nested too deep");
		return;
	}
	while (next_member(r, &key, &type))
	{
		if (type == '{' && (same(key, "learner") || same(key, "gradient_booster") ||
							same(key, "model") || same(key, "learner_model_param") ||
							same(key, "gbtree_model_param")))
			take_object(r, doc, depth + 1);
		else if (same(key, "trees"))
			take_trees(r, type, doc);
		else if (same(key, "base_score"))
		{
			doc->base_score = (float) take_number_text(r, type);
			doc->has_base_score = true;
		}
		else if (same(key, "tree_info"))
			take_tree_info(r, type, doc);
		else if (same(key, "num_trees") && type == 'S')
			doc->stated_trees = (int64_t) take_number_text(r, type);
		else if (same(key, "num_parallel_tree") && type == 'S')
		{
			double		n = take_number_text(r, type);

			if (!(n >= 1 && n <= 1000))
				fail(r, "its number of parallel trees is out of range");
		}
		else if (same(key, "num_target") && type == 'S')
		{
			if (take_number_text(r, type) != 1)
				fail(r, "it has several targets");
		}
		else if (same(key, "num_feature") && type == 'S')
			doc->num_features = (int64_t) take_number_text(r, type);
		else if (same(key, "num_class") && type == 'S')
		{
			if (take_number_text(r, type) > 1)
				fail(r, "it is a classifier");
		}
		else if (same(key, "name") && type == 'S')
			doc->is_gbtree |= same(take_text(r), "gbtree");
		else
			skip_value(r, type, depth);
	}
}

/*
 * Lay a tree's nodes out breadth first, siblings side by side. A node reached
 * twice would need more slots than the tree has, which is how loops show.
 */
static const char *
lay_out(const Tree *t, int64_t num_features, ForestNode *nodes, int32_t *used, int64_t *source)
{
	int32_t		first = *used;
	int32_t		limit = first + (int32_t) t->left.count;
	size_t		child_size = type_size(t->left.type);
	size_t		feature_size = type_size(t->feature.type);
	int32_t		next = first + 1;

	source[first] = 0;
	for (int32_t n = first; n < next; n++)
	{
		int64_t		i = source[n];
		int64_t		left = integer_at(t->left.type, t->left.data + i * child_size);
		int64_t		right = integer_at(t->right.type, t->right.data + i * child_size);
		int64_t		feature = integer_at(t->feature.type, t->feature.data + i * feature_size);
		ForestNode *node = &nodes[n];

		memset(node, 0, sizeof *node);
		node->value = float_at(t->value.data + i * 4);
		if (!isfinite(node->value))
			return "a node's value is not finite";
		if (left == -1 && right == -1)
			continue;
		if (left <= 0 || left >= t->left.count || right <= 0 || right >= t->left.count)
			return "a child is out of range";
		if (feature < 0 || feature >= num_features)
			return "a feature is out of range";
		if (t->split_type.data && t->split_type.data[i] != 0)
			return "it splits on categories";
		if (next > limit - 2)
			return "a tree has a loop";
		if (t->parent.data &&
			(integer_at(t->parent.type, t->parent.data + left * child_size) != i ||
			 integer_at(t->parent.type, t->parent.data + right * child_size) != i))
			return "a child has another parent";
		if (next - n > UINT16_MAX)
			return "a tree has too many nodes";
		node->feature = (uint8_t) feature;
		node->missing_right = t->default_left.data[i] == 0;
		node->left = (uint16_t) (next - n);
		source[next++] = left;
		source[next++] = right;
	}
	*used = next;
	return NULL;
}

/*
 * Read a booster. Returns NULL, or what is wrong with it. The one block that
 * is allocated is forest->nodes, and it is the caller's to free.
 */
const char *
forest_read(const uint8_t *data, size_t size, ForestAlloc alloc, Forest *forest)
{
	Reader		r = {data, data + size, NULL};
	Document	doc = {0};
	ForestNode *nodes;
	int32_t    *roots;
	int64_t    *source;
	int32_t		used = 0;

	memset(forest, 0, sizeof *forest);
	if (take_type(&r) != '{')
		return "it does not begin as UBJSON";
	take_object(&r, &doc, 0);
	if (r.error)
		return r.error;
	if (!doc.is_gbtree)
		return "it is not a gbtree booster";
	if (!doc.has_base_score)
		return "it has no base_score";
	if (doc.num_features < 1 || doc.num_features > MAX_FEATURES)
		return "its number of features is out of range";
	if (!doc.trees || doc.num_trees < 1)
		return "it has no trees";
	if (doc.stated_trees != doc.num_trees || doc.num_infos != doc.num_trees)
		return "it has another number of trees than it says";

	nodes = alloc((size_t) doc.num_nodes * (sizeof *nodes) + (size_t) doc.num_trees * sizeof *roots);
	source = malloc((size_t) doc.num_nodes * sizeof *source);
	if (!nodes || !source)
	{
		free(source);
		return "out of memory";
	}
	roots = (int32_t *) (nodes + doc.num_nodes);

	r.at = doc.trees;
	for (int64_t i = 0; i < doc.num_trees && !r.error; i++)
	{
		Tree		t;

		take_type(&r);
		t = take_tree(&r);
		roots[i] = used;
		if (!r.error)
			r.error = lay_out(&t, doc.num_features, nodes, &used, source);
	}
	free(source);

	forest->base_score = doc.base_score;
	forest->num_features = (int32_t) doc.num_features;
	forest->num_trees = (int32_t) doc.num_trees;
	forest->num_nodes = used;
	forest->roots = roots;
	forest->nodes = nodes;
	return r.error;
}

#define FOREST_MAGIC 0x77670001	/* the last digits count the form's versions */

size_t
forest_image_size(const Forest *forest)
{
	return sizeof(ForestImage) + (size_t) forest->num_trees * sizeof *forest->roots + (size_t) forest->num_nodes * sizeof *forest->nodes;
}

void
forest_write(const Forest *forest, void *image)
{
	ForestImage head = {FOREST_MAGIC, forest->base_score, forest->num_features, forest->num_trees, forest->num_nodes};
	char	   *at = image;

	memcpy(at, &head, sizeof head);
	at += sizeof head;
	memcpy(at, forest->roots, (size_t) forest->num_trees * sizeof *forest->roots);
	at += (size_t) forest->num_trees * sizeof *forest->roots;
	memcpy(at, forest->nodes, (size_t) forest->num_nodes * sizeof *forest->nodes);
}

/*
 * The forest in an image, which must stay and be aligned to 4 bytes. Returns
 * NULL, or what is wrong with it. Children come after their parents, so that
 * no walk goes round in a loop.
 */
const char *
forest_open(const void *image, size_t size, Forest *forest)
{
	const ForestImage *head = image;

	if (size < sizeof *head || head->magic != FOREST_MAGIC)
		return "its forest is not of this version";
	if (head->num_features < 1 || head->num_features > MAX_FEATURES || head->num_trees < 1 || head->num_nodes < head->num_trees)
		return "its forest's head is not whole";
	forest->base_score = head->base_score;
	forest->num_features = head->num_features;
	forest->num_trees = head->num_trees;
	forest->num_nodes = head->num_nodes;
	if (size != forest_image_size(forest))
		return "its forest has another size than it says";
	forest->roots = (const int32_t *) (head + 1);
	forest->nodes = (const ForestNode *) (const void *) (forest->roots + forest->num_trees);
	for (int32_t t = 0; t < forest->num_trees; t++)
		if (forest->roots[t] < 0 || forest->roots[t] >= forest->num_nodes)
			return "a tree of its forest is out of range";
	for (int32_t n = 0; n < forest->num_nodes; n++)
	{
		const ForestNode *node = &forest->nodes[n];

		if (node->left != 0 && (n + node->left > forest->num_nodes - 2 ||
								node->feature >= forest->num_features || node->missing_right > 1))
			return "a node of its forest is out of range";
	}
	return NULL;
}

/* The sum runs in XGBoost's order, in float, so that the two agree to the last bit. */
float
forest_eval(const Forest *forest, const float *features)
{
	const ForestNode *nodes = forest->nodes;
	float		sum = forest->base_score;

	for (int32_t t = 0; t < forest->num_trees; t++)
	{
		const ForestNode *n = &nodes[forest->roots[t]];

		while (n->left != 0)
		{
			float		x = features[n->feature];
			int			right = isnan(x) ? n->missing_right : !(x < n->value);

			n += n->left + right;
		}
		sum += n->value;
	}
	return sum;
}
