/*
 * The registry: models by name and target, checked as they are loaded.
 */
#include "model.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

static const char *const target_names[NUM_TARGETS] = {
	[TARGET_POWER] = "power",
	[TARGET_ITL] = "itl",
};

/* What was loaded, by the name that was asked for ("" is the default); it goes with the catalogue's memory. */
typedef struct Loaded
{
	const char *key;
	Model	   *model;
	struct Loaded *next;
} Loaded;

static struct
{
	uint64		epoch;
	Loaded	   *first;
} loaded;

const char *
target_name(Target target)
{
	return target_names[target];
}

Target
target_parse(text *name)
{
	for (int t = 0; t < NUM_TARGETS; t++)
		if (VARSIZE_ANY_EXHDR(name) == strlen(target_names[t]) &&
			memcmp(VARDATA_ANY(name), target_names[t], strlen(target_names[t])) == 0)
			return (Target) t;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("unknown target \"%s\"", text_to_cstring(name)),
			 errhint("The targets are \"power\" and \"itl\".")));
}

static void *
palloc_for_forest(size_t size)
{
	return palloc(size);
}

/* Read model->booster into model->forest; returns what is wrong with it, or NULL. */
const char *
model_read_forest(Model *model)
{
	const char *wrong = forest_read((const uint8_t *) VARDATA_ANY(model->booster),
									VARSIZE_ANY_EXHDR(model->booster),
									palloc_for_forest, &model->forest);

	if (!wrong && model->forest.num_features != model->num_features)
		wrong = "the booster has another number of features";
	return wrong;
}

void
model_vector(const Model *model, const GpuSpec *gpu, const LlmSpec *llm, const Workload *w, float *x)
{
	for (int i = 0; i < model->num_features; i++)
	{
		int			f = model->features[i];

		if (!feature_is_category(f))
			x[i] = (float) feature_number(f, gpu, llm, w);
		else
		{
			const char *value = feature_category(f, gpu, llm, w);

			x[i] = NAN;
			for (int c = 0; value && c < model->categories[i].count; c++)
				if (strcmp(value, model->categories[i].values[c]) == 0)
				{
					x[i] = (float) c;
					break;
				}
		}
	}
}

/* Mean board power in W, or mean inter-token latency in s; NAN where a spec that scales it is missing. */
double
model_predict(const Model *model, const GpuSpec *gpu, const LlmSpec *llm, const Workload *w)
{
	float		x[64];
	double		margin;

	Assert(model->num_features <= (int) lengthof(x));
	model_vector(model, gpu, llm, w, x);
	margin = forest_eval(&model->forest, x);
	return model->target == TARGET_POWER ? margin * gpu->tdp_w : exp(margin);
}

static Datum
column(const char *name, bool *isnull)
{
	int			attno = SPI_fnumber(SPI_tuptable->tupdesc, name);

	if (attno == SPI_ERROR_NOATTRIBUTE)
		elog(ERROR, "wattgpu_models has no column %s", name);
	return SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, attno, isnull);
}

static void
damaged(const Model *model, const char *what)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATA_CORRUPTED),
			 errmsg("model \"%s\" for %s is damaged: %s", model->model, target_names[model->target], what),
			 errhint("Delete it from wattgpu_models and import or train it again.")));
}

/* The elements of a text[] or real[] column, or -1 if it is NULL or holds one. */
static int
array_column(const char *name, Oid type, Datum **values)
{
	bool		isnull;
	Datum		value = column(name, &isnull);
	bool	   *nulls;
	int			n;

	if (isnull)
		return -1;
	deconstruct_array(DatumGetArrayTypeP(value), type,
					  type == TEXTOID ? -1 : (int) sizeof(float4),
					  type != TEXTOID, TYPALIGN_INT, values, &nulls, &n);
	for (int i = 0; i < n; i++)
		if (nulls[i])
			return -1;
	return n;
}

static void
read_features(Model *model)
{
	Datum	   *names;
	Datum	   *pairs;
	int			n = array_column("features", TEXTOID, &names);
	int			num_pairs = array_column("categories", TEXTOID, &pairs);

	if (n < 1 || n > 64 || num_pairs < 0)
		damaged(model, "it has no list of features");
	model->num_features = n;
	model->features = palloc(n * sizeof *model->features);
	model->categories = palloc0(n * sizeof *model->categories);
	for (int i = 0; i < n; i++)
	{
		char	   *name = TextDatumGetCString(names[i]);
		size_t		len = strlen(name);

		model->features[i] = feature_find(name);
		if (model->features[i] < 0)
			damaged(model, psprintf("feature \"%s\" is not known to this version", name));
		if (!feature_is_category(model->features[i]))
			continue;
		model->categories[i].values = palloc((num_pairs + 1) * sizeof(char *));
		for (int p = 0; p < num_pairs; p++)
		{
			char	   *pair = TextDatumGetCString(pairs[p]);

			if (strncmp(pair, name, len) == 0 && pair[len] == '=')
				model->categories[i].values[model->categories[i].count++] = pair + len + 1;
		}
	}
}

/* The golden rows were predicted by libxgboost when the model was trained; the forest must agree to the bit. */
static void
check_golden(const Model *model)
{
	Datum	   *x;
	Datum	   *margins;
	int			num_x = array_column("golden_features", FLOAT4OID, &x);
	int			n = array_column("golden_margins", FLOAT4OID, &margins);

	if (n < 1 || num_x != n * model->num_features)
		damaged(model, "it has no golden rows");
	for (int i = 0; i < n; i++)
	{
		float		row[64];

		for (int f = 0; f < model->num_features; f++)
			row[f] = DatumGetFloat4(x[i * model->num_features + f]);
		if (forest_eval(&model->forest, row) != DatumGetFloat4(margins[i]))
			damaged(model, psprintf("golden row %d of %d is not reproduced", i + 1, n));
	}
}

static Model *
load_model(Target target, const char *name)
{
	Oid			types[] = {TEXTOID, TEXTOID};
	Datum		values[] = {CStringGetTextDatum(target_names[target]), CStringGetTextDatum(name)};
	const char *query = *name ?
		"SELECT m.*, pg_catalog.encode(pg_catalog.sha256(m.booster), 'hex') AS sha256 FROM %1$s.wattgpu_models m"
		" WHERE m.target OPERATOR(pg_catalog.=) $1 AND m.model OPERATOR(pg_catalog.=) $2" :
		"SELECT m.*, pg_catalog.encode(pg_catalog.sha256(m.booster), 'hex') AS sha256 FROM %1$s.wattgpu_models m"
		" JOIN %1$s.wattgpu_default_models d ON d.target OPERATOR(pg_catalog.=) m.target AND d.model OPERATOR(pg_catalog.=) m.model"
		" WHERE m.target OPERATOR(pg_catalog.=) $1 AND $2 IS NOT NULL ORDER BY d.set_at DESC LIMIT 1";
	Model	   *model = NULL;

	catalogue_connect();
	if (SPI_execute_with_args(catalogue_query(query), 2, types, values, NULL, true, 1) != SPI_OK_SELECT)
		elog(ERROR, "could not read wattgpu_models");
	if (SPI_processed > 0)
	{
		bool		isnull;
		MemoryContext memory = AllocSetContextCreate(CurrentMemoryContext, "wattgpu model", ALLOCSET_DEFAULT_SIZES);
		MemoryContext temporary = MemoryContextSwitchTo(memory);
		Datum		booster;
		Datum		sha256;
		Datum		stored;
		const char *wrong;

		model = palloc0(sizeof *model);
		model->target = target;
		model->model = TextDatumGetCString(column("model", &isnull));
		read_features(model);
		MemoryContextSwitchTo(temporary);

		booster = column("booster", &isnull);
		sha256 = column("sha256", &isnull);
		stored = column("booster_sha256", &isnull);
		if (strcmp(TextDatumGetCString(sha256), TextDatumGetCString(stored)) != 0)
			damaged(model, "the booster does not match its checksum");
		model->booster = DatumGetByteaP(booster);

		MemoryContextSwitchTo(memory);
		wrong = model_read_forest(model);
		MemoryContextSwitchTo(temporary);
		if (wrong)
			damaged(model, wrong);
		check_golden(model);
		model->booster = NULL;	/* it goes with SPI's memory; the forest is all that is needed */
		/* Only now does it stay: a model that fails its checks leaves nothing behind. */
		MemoryContextSetParent(memory, catalogue_memory());
	}
	catalogue_disconnect();
	return model;
}

/*
 * The model of that name, or the default if name is NULL. Valid as long as
 * what the catalogue gives. A name that nobody trained is always an error:
 * it comes from the query's author, not from an inventory.
 */
const Model *
model_find(Target target, const char *name)
{
	const char *key = name ? name : "";
	Loaded	   *entry;
	Model	   *model;

	if (loaded.epoch != catalogue_epoch())
	{
		loaded.epoch = catalogue_epoch();
		loaded.first = NULL;
	}
	for (entry = loaded.first; entry; entry = entry->next)
		if (entry->model->target == target && strcmp(entry->key, key) == 0)
			return entry->model;

	model = load_model(target, key);
	if (!model)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 name ? errmsg("there is no model \"%s\" for %s", name, target_names[target])
				 : errmsg("there is no default model for %s", target_names[target]),
				 errhint("Table wattgpu_models lists the models there are.")));
	entry = MemoryContextAlloc(catalogue_memory(), sizeof *entry);
	entry->key = MemoryContextStrdup(catalogue_memory(), key);
	entry->model = model;
	entry->next = loaded.first;
	loaded.first = entry;
	return model;
}

/* The booster's bytes, for libxgboost; the model was checked when it was found. */
bytea *
model_booster(const Model *model)
{
	Oid			types[] = {TEXTOID, TEXTOID};
	Datum		values[] = {CStringGetTextDatum(target_names[model->target]), CStringGetTextDatum(model->model)};
	MemoryContext caller = CurrentMemoryContext;
	MemoryContext temporary;
	bytea	   *booster;
	bool		isnull;

	catalogue_connect();
	if (SPI_execute_with_args(catalogue_query("SELECT m.booster FROM %1$s.wattgpu_models m"
											  " WHERE m.target OPERATOR(pg_catalog.=) $1 AND m.model OPERATOR(pg_catalog.=) $2"),
							  2, types, values, NULL, true, 1) != SPI_OK_SELECT || SPI_processed != 1)
		elog(ERROR, "could not read the booster of model \"%s\"", model->model);
	temporary = MemoryContextSwitchTo(caller);
	booster = DatumGetByteaPCopy(column("booster", &isnull));
	MemoryContextSwitchTo(temporary);
	catalogue_disconnect();
	return booster;
}

PG_FUNCTION_INFO_V1(wattgpu_load_model);

Datum
wattgpu_load_model(PG_FUNCTION_ARGS)
{
	catalogue_begin(fcinfo);
	model_find(target_parse(PG_GETARG_TEXT_PP(1)), text_to_cstring(PG_GETARG_TEXT_PP(0)));
	PG_RETURN_VOID();
}
