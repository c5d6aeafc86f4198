/*
 * What a caller of wattgpu_train may set.
 */
#include "train.h"

#include <math.h>

#include "utils/builtins.h"
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
	{"max_leaves", 2, 4096, true},
	{"max_bin", 2, 4096, true},
	{"num_parallel_tree", 1, 100, true},
	{"seed", 0, 2147483647, true},
	{"eta", 1e-6, 1, false},
	{"lambda", 0, 1e9, false},
	{"alpha", 0, 1e9, false},
	{"gamma", 0, 1e9, false},
	{"min_child_weight", 0, 1e9, false},
	{"subsample", 0.01, 1, false},
	{"colsample_bytree", 0.01, 1, false},
	{"huber_slope", 1e-6, 1e6, false},
};

StaticAssertDecl(lengthof(known_params) + 5 <= MAX_PARAMS, "room for what fitting adds");

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
			 errhint("The parameters are rounds, max_depth, max_leaves, max_bin, num_parallel_tree, seed, eta, lambda, alpha, gamma, min_child_weight, subsample, colsample_bytree and huber_slope.")));
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
			set_param(params, name, DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, NumericGetDatum(v.val.numeric))));
		}
	}
}
