/*
 * wattgpu_train: a booster fitted on measured rows and kept in the registry.
 */
#include "train.h"

#include <math.h>

#include "access/xact.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/timestamp.h"

#include "stats.h"

#define NUM_GOLDEN 32


static Datum
real_array(const float *values, int n)
{
	Datum	   *datums = palloc((n + 1) * sizeof *datums);

	for (int i = 0; i < n; i++)
		datums[i] = Float4GetDatum(values[i]);
	return PointerGetDatum(construct_array(datums, n, FLOAT4OID, sizeof(float4), true, TYPALIGN_INT));
}

/* Codes as "feature=value", in order: what an unseen value is missing from. */
static Datum
category_array(const Recipe *recipe, const Model *m)
{
	int			n = 0;
	const char **pairs;

	for (int i = 0; i < m->num_features; i++)
		n += m->categories[i].count;
	pairs = palloc((n + 1) * sizeof *pairs);
	n = 0;
	for (int i = 0; i < m->num_features; i++)
		for (int c = 0; c < m->categories[i].count; c++)
			pairs[n++] = psprintf("%s=%s", recipe->features[i], m->categories[i].values[c]);
	return text_array(pairs, n);
}

static char *
sha256_hex(const void *data, Size size)
{
	bytea	   *b = palloc(size + VARHDRSZ);
	Datum		digest;

	SET_VARSIZE(b, size + VARHDRSZ);
	memcpy(VARDATA(b), data, size);
	digest = DirectFunctionCall1(sha256_bytea, PointerGetDatum(b));
	pfree(b);
	return TextDatumGetCString(DirectFunctionCall2(binary_encode, digest, CStringGetTextDatum("hex")));
}

/* One digest over features, labels and weights: two models with the same one learnt from the same rows. */
static char *
training_digest(const Fitted *f)
{
	Size		x_size = (Size) f->x.rows * f->x.columns * sizeof(float);
	Size		row_size = (Size) f->x.rows * sizeof(float);
	char	   *all = palloc(x_size + 2 * row_size);

	memcpy(all, f->x.values, x_size);
	memcpy(all + x_size, f->label, row_size);
	memcpy(all + x_size + row_size, f->weight, row_size);
	return sha256_hex(all, x_size + 2 * row_size);
}

/* In-sample errors: they say that a model was fitted, not how it does on what it has not seen. */
static char *
metrics_json(const Model *m, const Measurement *rows, int n)
{
	double	   *truth = palloc((n + 1) * sizeof *truth);
	double	   *predicted = palloc((n + 1) * sizeof *predicted);
	double	   *scratch = palloc((n + 1) * sizeof *scratch);
	StringInfoData json;

	initStringInfo(&json);
	appendStringInfoChar(&json, '{');
	for (int offline = 1; offline >= 0; offline--)
	{
		int			k = 0;

		for (int i = 0; i < n; i++)
		{
			if (isnan(rows[i].workload.arrival_rate_qps) != offline)
				continue;
			truth[k] = measurement_target(&rows[i], m->target);
			predicted[k] = model_predict(m, rows[i].gpu, rows[i].llm, &rows[i].workload);
			/* What a missing spec leaves open is not judged; what was learnt must be a number. */
			if (isfinite(predicted[k]))
				k++;
			else if (!isnan(predicted[k]))
				ereport(ERROR,
						(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						 errmsg("training diverged: LLM \"%s\" on GPU \"%s\" is predicted as %g",
								rows[i].llm->llm, rows[i].gpu->gpu, predicted[k]),
						 errhint("Give a larger lambda, a smaller eta, or fewer rounds.")));
		}
		if (k > 0)
			appendStringInfo(&json, "%s\"in_sample_mdape_%s\": %.3f", json.len > 1 ? ", " : "",
							 offline ? "offline" : "server", mdape(truth, predicted, k, scratch));
	}
	appendStringInfoChar(&json, '}');
	return json.data;
}

static char *
params_json(const Params *params)
{
	StringInfoData json;

	initStringInfo(&json);
	appendStringInfo(&json, "{\"rounds\": %d", params->rounds);
	for (int i = 0; i < params->count; i++)
		appendStringInfo(&json, ", \"%s\": %s", params->list[i].name, params->list[i].value);
	appendStringInfoChar(&json, '}');
	return json.data;
}

/* A column of wattgpu_models with what is stored in it. */
typedef struct Stored
{
	const char *name;
	Oid			type;
	const char *cast;
	Datum		value;
} Stored;

/* Write the checksum of what is stored; within an SPI connection. */
void
model_seal(const char *name, const char *target)
{
	Oid			types[] = {TEXTOID, TEXTOID};
	Datum		values[] = {CStringGetTextDatum(name), CStringGetTextDatum(target)};

	if (SPI_execute_with_args(catalogue_query("UPDATE %1$s.wattgpu_models AS m SET crc32c = %1$s.wattgpu_model_crc32c(m)"
											  " WHERE m.model OPERATOR(pg_catalog.=) $1 AND m.target OPERATOR(pg_catalog.=) $2"),
							  2, types, values, NULL, false, 0) != SPI_OK_UPDATE || SPI_processed != 1)
		elog(ERROR, "could not seal model \"%s\"", name);
}

static void
store(const char *name, const Recipe *recipe, const Params *params, const Fitted *f, const char *metrics)
{
	const Model *m = &f->model;
	int			step = Max(1, f->x.rows / NUM_GOLDEN);
	int			num_golden = 0;
	float	   *golden = palloc(sizeof *golden * (NUM_GOLDEN + 1) * m->num_features);
	float	   *margins;
	const char *range_names[NUM_RANGES];
	double		range_least[NUM_RANGES];
	double		range_most[NUM_RANGES];

	for (int i = 0; i < f->x.rows && num_golden < NUM_GOLDEN; i += step)
		memcpy(golden + (Size) num_golden++ * m->num_features,
			   f->x.values + (Size) i * m->num_features, sizeof *golden * m->num_features);
	for (int i = 0; i < m->num_features; i++)
		golden[num_golden * m->num_features + i] = NAN;
	num_golden++;
	margins = booster_margins(f->booster, (Matrix) {golden, num_golden, m->num_features});
	for (int i = 0; i < NUM_RANGES; i++)
	{
		range_names[i] = range_name(i);
		range_least[i] = m->ranges[i].least;
		range_most[i] = m->ranges[i].most;
	}

	{
		const Stored stored[] = {
			{"model", TEXTOID, "", CStringGetTextDatum(name)},
			{"target", TEXTOID, "", CStringGetTextDatum(target_name(m->target))},
			{"recipe", TEXTOID, "", CStringGetTextDatum(recipe->name)},
			{"features", TEXTARRAYOID, "", text_array((const char **) recipe->features, m->num_features)},
			{"categories", TEXTARRAYOID, "", category_array(recipe, m)},
			{"params", TEXTOID, "::pg_catalog.jsonb", CStringGetTextDatum(params_json(params))},
			{"library_version", TEXTOID, "", CStringGetTextDatum(booster_library_version())},
			{"wattgpu_version", TEXTOID, "", CStringGetTextDatum(WATTGPU_VERSION)},
			{"training_rows", INT4OID, "", Int32GetDatum(f->rows)},
			{"training_runs", INT8OID, "", Int64GetDatum((int64) f->runs)},
			{"training_sha256", TEXTOID, "", CStringGetTextDatum(training_digest(f))},
			{"trained_at", TIMESTAMPTZOID, "", TimestampTzGetDatum(GetCurrentTransactionStartTimestamp())},
			{"trained_gpus", TEXTARRAYOID, "", text_array(m->gpus.values, m->gpus.count)},
			{"trained_llms", TEXTARRAYOID, "", text_array(m->llms.values, m->llms.count)},
			{"trained_gpu_crcs", FLOAT8ARRAYOID, "", double_array(m->gpu_crcs, m->gpus.count)},
			{"trained_llm_crcs", FLOAT8ARRAYOID, "", double_array(m->llm_crcs, m->llms.count)},
			{"trained_llm_tokens", FLOAT8ARRAYOID, "", double_array(m->llm_tokens, m->llms.count)},
			{"trained_kinds", TEXTARRAYOID, "", text_array(m->kinds.values, m->kinds.count)},
			{"range_names", TEXTARRAYOID, "", text_array(range_names, NUM_RANGES)},
			{"range_least", FLOAT8ARRAYOID, "", double_array(range_least, NUM_RANGES)},
			{"range_most", FLOAT8ARRAYOID, "", double_array(range_most, NUM_RANGES)},
			{"based_on", TEXTOID, "", CStringGetTextDatum(m->itl && m->target == TARGET_POWER ? m->itl->fingerprint : "")},
			{"prior", FLOAT8ARRAYOID, "", double_array(m->prior, m->num_prior)},
			{"intervals", FLOAT8ARRAYOID, "", double_array(NULL, 0)},
			{"metrics", TEXTOID, "::pg_catalog.jsonb", CStringGetTextDatum(metrics)},
			{"golden_features", FLOAT4ARRAYOID, "", real_array(golden, num_golden * m->num_features)},
			{"golden_margins", FLOAT4ARRAYOID, "", real_array(margins, num_golden)},
			{"booster", BYTEAOID, "", PointerGetDatum(m->booster)},
			{"crc32c", INT8OID, "", Int64GetDatum(0)},
		};
		Oid			types[lengthof(stored)];
		Datum		values[lengthof(stored)];
		StringInfoData columns;
		StringInfoData numbers;
		StringInfoData updates;

		initStringInfo(&columns);
		initStringInfo(&numbers);
		initStringInfo(&updates);
		for (size_t i = 0; i < lengthof(stored); i++)
		{
			const char *comma = i == 0 ? "" : ", ";

			types[i] = stored[i].type;
			values[i] = stored[i].value;
			appendStringInfo(&columns, "%s%s", comma, stored[i].name);
			appendStringInfo(&numbers, "%s$%zu%s", comma, i + 1, stored[i].cast);
			appendStringInfo(&updates, "%s%s = excluded.%s", comma, stored[i].name, stored[i].name);
		}
		SPI_connect();
		if (SPI_execute_with_args(catalogue_query(psprintf("INSERT INTO %%1$s.wattgpu_models AS m (%s) VALUES (%s)"
														   " ON CONFLICT (model, target) DO UPDATE SET %s WHERE NOT m.builtin",
														   columns.data, numbers.data, updates.data)),
								  lengthof(stored), types, values, NULL, false, 0) != SPI_OK_INSERT)
			elog(ERROR, "could not store model \"%s\"", name);
	}
	if (SPI_processed == 0)
		ereport(ERROR,
				(errcode(ERRCODE_RESERVED_NAME),
				 errmsg("model \"%s\" for %s is shipped with wattgpu", name, target_name(m->target)),
				 errhint("Train under another name, then make it the default with wattgpu_set_default.")));
	model_seal(name, target_name(m->target));
	SPI_finish();
}

/* What acts has nothing to do for NULL, and must not pass for done. */
void
require_argument(FunctionCallInfo fcinfo, int arg, const char *name, const char *hint)
{
	if (PG_ARGISNULL(arg))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s is NULL", name),
				 errhint("%s", hint)));
}

PG_FUNCTION_INFO_V1(wattgpu_train);

/* target, model, recipe, measurements, params */
Datum
wattgpu_train(PG_FUNCTION_ARGS)
{
	Target		target;
	char	   *name;
	const Recipe *recipe;
	Params		params = {.count = 0};
	Measurement *rows;
	int			n;
	Fitted	   *f;
	const Model *itl = NULL;
	char	   *metrics;
	TupleDesc	desc;
	Datum		values[5];
	bool		nulls[5] = {false};

	require_argument(fcinfo, 0, "target", "It is power or itl.");
	require_argument(fcinfo, 1, "model", "Name the model that is to be stored.");
	require_argument(fcinfo, 2, "recipe", "It is physical or paper.");
	require_argument(fcinfo, 4, "params", "The recipe's own are {}.");
	catalogue_begin(fcinfo);
	catalogue_require_owner("train");
	target = target_parse(PG_GETARG_TEXT_PP(0));
	name = text_to_cstring(PG_GETARG_TEXT_PP(1));
	if (*name == '\0' || strlen(name) > 100)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a model's name must have 1 to 100 bytes, not %zu", strlen(name))));
	recipe = recipe_find(target, text_to_cstring(PG_GETARG_TEXT_PP(2)));
	params.rounds = recipe->rounds;
	params_read(DatumGetJsonbP(DirectFunctionCall2(jsonb_concat,
												   DirectFunctionCall1(jsonb_in, CStringGetDatum(recipe->params)),
												   PG_GETARG_DATUM(4))), &params);

	rows = measurements_resolve(measurements_read(PG_ARGISNULL(3) ? catalogue_measurements() : PG_GETARG_OID(3)), &n);
	n = measurements_select(rows, n, target);
	if (n < 2)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("there are too few measurements to train %s: %d", target_name(target), n),
				 errhint("Rows count where a dense LLM ran on one GPU, the target was measured, and answers had more than one token.")));
	/* A physical power model is based on the ITL model of the same name, so that the pair agrees. */
	if (recipe->physical && target == TARGET_POWER)
		itl = model_find(TARGET_ITL, name);
	if (itl && !itl->physical)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("model \"%s\" for itl is not of the recipe physical", name),
				 errhint("Train its itl by that recipe first, then its power.")));
	f = recipe_fit(recipe, &params, rows, n, itl, NULL);
	metrics = metrics_json(&f->model, rows, n);
	store(name, recipe, &params, f, metrics);
	booster_free(f->booster);

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "wattgpu_train does not return a row");
	values[0] = CStringGetTextDatum(name);
	values[1] = CStringGetTextDatum(target_name(target));
	values[2] = Int32GetDatum(f->rows);
	values[3] = Int64GetDatum((int64) f->runs);
	values[4] = DirectFunctionCall1(jsonb_in, CStringGetDatum(metrics));
	return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc), values, nulls));
}
