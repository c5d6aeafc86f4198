/*
 * Fitting a booster on measured rows as a recipe says.
 */
#include "train.h"

#include <math.h>

#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/numeric.h"

/* What a caller may set, and the range within which libxgboost takes it. */
static const struct
{
	const char *name;
	double		least;
	double		most;
	bool		whole;
}			known_params[] = {
	{"rounds", 1, 5000, true},
	{"max_depth", 1, 16, true},
	{"max_bin", 2, 4096, true},
	{"seed", 0, 2147483647, true},
	{"eta", 1e-6, 1, false},
	{"lambda", 0, 1e9, false},
	{"alpha", 0, 1e9, false},
	{"gamma", 0, 1e9, false},
	{"min_child_weight", 0, 1e9, false},
	{"subsample", 0.01, 1, false},
	{"colsample_bytree", 0.01, 1, false},
};

static void
set_param(Params *params, const char *name, double value)
{
	for (size_t k = 0; k < lengthof(known_params); k++)
	{
		if (strcmp(known_params[k].name, name) != 0)
			continue;
		if (!(value >= known_params[k].least && value <= known_params[k].most) ||
			(known_params[k].whole && value != floor(value)))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("parameter \"%s\" is %g, which is out of range", name, value),
					 errhint("It must be a %s from %g to %g.", known_params[k].whole ? "whole number" : "number",
							 known_params[k].least, known_params[k].most)));
		if (strcmp(name, "rounds") == 0)
			params->rounds = (int) value;
		else
		{
			params->list[params->count].name = pstrdup(name);
			params->list[params->count++].value = psprintf("%.9g", value);
		}
		return;
	}
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("unknown parameter \"%s\"", name),
			 errhint("The parameters are rounds, max_depth, max_bin, seed, eta, lambda, alpha, gamma, min_child_weight, subsample and colsample_bytree.")));
}

void
params_read(Jsonb *json, Params *params)
{
	JsonbIterator *it;
	JsonbValue	v;
	JsonbIteratorToken token;
	char	   *name = NULL;

	if (!JB_ROOT_IS_OBJECT(json))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("params is not a JSON object")));
	it = JsonbIteratorInit(&json->root);
	while ((token = JsonbIteratorNext(&it, &v, true)) != WJB_DONE)
	{
		if (token == WJB_KEY)
			name = pnstrdup(v.val.string.val, v.val.string.len);
		else if (token == WJB_VALUE)
		{
			if (v.type != jbvNumeric)
				ereport(ERROR,
						(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						 errmsg("parameter \"%s\" is not a number", name)));
			set_param(params, name, DatumGetFloat8(DirectFunctionCall1(numeric_float8, NumericGetDatum(v.val.numeric))));
		}
	}
}

static int
compare_strings(const void *a, const void *b)
{
	return strcmp(*(const char *const *) a, *(const char *const *) b);
}

/* The distinct values of a category among the rows; sorted, so that codes do not depend on their order. */
static void
find_categories(Categories *c, int feature, const Measurement *rows, int n)
{
	c->values = palloc((n + 1) * sizeof *c->values);
	for (int i = 0; i < n; i++)
	{
		const char *value = feature_category(feature, rows[i].gpu, rows[i].llm, &rows[i].workload);

		if (value)
			c->values[c->count++] = value;
	}
	qsort(c->values, c->count, sizeof *c->values, compare_strings);
	n = c->count;
	c->count = 0;
	for (int i = 0; i < n; i++)
		if (c->count == 0 || strcmp(c->values[c->count - 1], c->values[i]) != 0)
			c->values[c->count++] = c->values[i];
}

/* What the booster learns: power as a share of TDP, or the logarithm of the ITL. */
static double
label_of(const Measurement *m, Target target)
{
	return target == TARGET_POWER ? m->power_w / m->gpu->tdp_w : log(m->itl_s);
}

/*
 * Rows are means over runs and weigh as many runs as they hold: XGBoost's
 * lambda is felt relative to the total weight, so unweighted means would be
 * regularised several times as hard as the runs behind them.
 */
Fitted *
recipe_fit(const Recipe *recipe, const Params *params, const Measurement *rows, int n)
{
	Fitted	   *f = palloc0(sizeof *f);
	Model	   *m = &f->model;
	float	   *x;
	float	   *label = palloc((n + 1) * sizeof *label);
	float	   *weight = palloc((n + 1) * sizeof *weight);
	double		sum = 0;
	Params		all = *params;
	const char *wrong;

	m->target = recipe->target;
	m->num_features = recipe->num_features;
	m->features = palloc(m->num_features * sizeof *m->features);
	m->categories = palloc0(m->num_features * sizeof *m->categories);
	for (int i = 0; i < m->num_features; i++)
	{
		m->features[i] = feature_find(recipe->features[i]);
		if (m->features[i] < 0)
			elog(ERROR, "recipe %s has an unknown feature %s", recipe->name, recipe->features[i]);
		if (feature_is_category(m->features[i]))
			find_categories(&m->categories[i], m->features[i], rows, n);
	}

	x = palloc((Size) (n + 1) * m->num_features * sizeof *x);
	for (int i = 0; i < n; i++)
	{
		model_vector(m, rows[i].gpu, rows[i].llm, &rows[i].workload, x + (Size) i * m->num_features);
		label[i] = (float) label_of(&rows[i], m->target);
		weight[i] = (float) rows[i].runs;
		sum += rows[i].runs * label[i];
		f->runs += rows[i].runs;
	}
	f->rows = n;
	f->x = (Matrix) {x, n, m->num_features};
	f->label = label;
	f->weight = weight;

	all.list[all.count++] = (BoosterParam) {"objective", "reg:squarederror"};
	all.list[all.count++] = (BoosterParam) {"tree_method", "hist"};
	all.list[all.count++] = (BoosterParam) {"base_score", psprintf("%.9g", sum / f->runs)};
	f->booster = booster_train(f->x, label, weight, all.list, all.count, all.rounds);
	m->booster = booster_save(f->booster);
	wrong = model_read_forest(m);
	if (wrong)
		ereport(ERROR,
				(errcode(ERRCODE_EXTERNAL_ROUTINE_EXCEPTION),
				 errmsg("libxgboost saved a booster that cannot be read: %s", wrong)));
	return f;
}

/* Rows that can teach a target: one GPU, a dense LLM, measured, and more than a single token in each answer. */
int
measurements_select(Measurement *rows, int n, Target target)
{
	int			kept = 0;

	for (int i = 0; i < n; i++)
	{
		const Measurement *m = &rows[i];

		if (measurement_is_dense(m) && m->workload.num_gpus == 1 &&
			isfinite(measurement_target(m, target)) && isfinite(label_of(m, target)) &&
			(isnan(m->workload.arrival_rate_qps) || m->workload.output_tokens >= 2))
			rows[kept++] = *m;
	}
	return kept;
}
