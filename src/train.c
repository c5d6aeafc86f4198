/*
 * wattgpu_train: a booster fitted on measured rows and kept in the registry.
 */
#include "train.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"

#include "stats.h"

#define NUM_GOLDEN 32

static Datum
text_array(const char **values, int n)
{
	Datum	   *datums = palloc((n + 1) * sizeof *datums);

	for (int i = 0; i < n; i++)
		datums[i] = CStringGetTextDatum(values[i]);
	return PointerGetDatum(construct_array(datums, n, TEXTOID, -1, false, TYPALIGN_INT));
}

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
	Size		x_size = (Size) f->rows * f->x.columns * sizeof(float);
	Size		row_size = (Size) f->rows * sizeof(float);
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
			predicted[k++] = model_predict(m, rows[i].gpu, rows[i].llm, &rows[i].workload);
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

static void
store(const char *name, const Recipe *recipe, const Params *params, const Fitted *f, const char *metrics)
{
	const Model *m = &f->model;
	int			step = f->rows <= NUM_GOLDEN ? 1 : f->rows / NUM_GOLDEN;
	int			num_golden = 0;
	float	   *golden = palloc(sizeof *golden * (NUM_GOLDEN + 1) * m->num_features);
	float	   *margins;
	enum {COLUMNS = 16};
	Oid			types[COLUMNS] = {
		TEXTOID, TEXTOID, TEXTOID, TEXTARRAYOID, TEXTARRAYOID, TEXTOID, TEXTOID, TEXTOID,
		INT4OID, INT8OID, TEXTOID, TEXTOID, FLOAT4ARRAYOID, FLOAT4ARRAYOID, BYTEAOID, TEXTOID
	};
	Datum		values[COLUMNS];

	for (int i = 0; i < f->rows && num_golden < NUM_GOLDEN; i += step)
		memcpy(golden + (Size) num_golden++ * m->num_features,
			   f->x.values + (Size) i * m->num_features, sizeof *golden * m->num_features);
	for (int i = 0; i < m->num_features; i++)
		golden[num_golden * m->num_features + i] = NAN;
	num_golden++;
	margins = booster_margins(f->booster, (Matrix) {golden, num_golden, m->num_features});

	values[0] = CStringGetTextDatum(name);
	values[1] = CStringGetTextDatum(target_name(m->target));
	values[2] = CStringGetTextDatum(recipe->name);
	values[3] = text_array((const char **) recipe->features, m->num_features);
	values[4] = category_array(recipe, m);
	values[5] = CStringGetTextDatum(params_json(params));
	values[6] = CStringGetTextDatum(booster_library_version());
	values[7] = CStringGetTextDatum(WATTGPU_VERSION);
	values[8] = Int32GetDatum(f->rows);
	values[9] = Int64GetDatum((int64) f->runs);
	values[10] = CStringGetTextDatum(training_digest(f));
	values[11] = CStringGetTextDatum(metrics);
	values[12] = real_array(golden, num_golden * m->num_features);
	values[13] = real_array(margins, num_golden);
	values[14] = PointerGetDatum(m->booster);
	values[15] = CStringGetTextDatum(sha256_hex(VARDATA(m->booster), VARSIZE(m->booster) - VARHDRSZ));

	SPI_connect();
	if (SPI_execute_with_args(catalogue_query(
								  "INSERT INTO %1$s.wattgpu_models AS m (model, target, recipe, features, categories, params,"
								  " library_version, wattgpu_version, training_rows, training_runs, training_sha256, metrics,"
								  " golden_features, golden_margins, booster, booster_sha256)"
								  " VALUES ($1, $2, $3, $4, $5, $6::pg_catalog.jsonb, $7, $8, $9, $10, $11, $12::pg_catalog.jsonb, $13, $14, $15, $16)"
								  " ON CONFLICT (model, target) DO UPDATE SET recipe = excluded.recipe, features = excluded.features,"
								  " categories = excluded.categories, params = excluded.params, library_version = excluded.library_version,"
								  " wattgpu_version = excluded.wattgpu_version, training_rows = excluded.training_rows,"
								  " training_runs = excluded.training_runs, training_sha256 = excluded.training_sha256,"
								  " metrics = excluded.metrics, golden_features = excluded.golden_features,"
								  " golden_margins = excluded.golden_margins, booster = excluded.booster,"
								  " booster_sha256 = excluded.booster_sha256, trained_at = pg_catalog.now()"
								  " WHERE NOT m.builtin"),
							  COLUMNS, types, values, NULL, false, 0) != SPI_OK_INSERT)
		elog(ERROR, "could not store model \"%s\"", name);
	if (SPI_processed == 0)
		ereport(ERROR,
				(errcode(ERRCODE_RESERVED_NAME),
				 errmsg("model \"%s\" for %s is shipped with wattgpu", name, target_name(m->target)),
				 errhint("Train under another name, then make it the default with wattgpu_set_default.")));
	SPI_finish();
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
	char	   *metrics;
	TupleDesc	desc;
	Datum		values[5];
	bool		nulls[5] = {false};

	for (int i = 0; i < 5; i++)
		if (PG_ARGISNULL(i) && i != 3)
			PG_RETURN_NULL();
	catalogue_begin(fcinfo);
	if (!catalogue_owned())
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("only the owner of extension wattgpu may train")));
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

	rows = measurements_load(PG_ARGISNULL(3) ? catalogue_measurements() : PG_GETARG_OID(3), &n);
	n = measurements_select(rows, n, target);
	if (n < 2)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("there are too few measurements to train %s: %d", target_name(target), n),
				 errhint("Rows count where a dense LLM ran on one GPU, the target was measured, and answers had more than one token.")));
	f = recipe_fit(recipe, &params, rows, n);
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
