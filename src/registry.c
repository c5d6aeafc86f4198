/*
 * The registry: stored models by name and target, checked as they are loaded.
 */
#include "model.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "port/pg_crc32c.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/jsonb.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

/* What was loaded; it goes with the catalogue's memory. */
typedef struct Loaded
{
	const Model *model;
	struct Loaded *next;
} Loaded;

static struct
{
	uint64		epoch;
	Loaded	   *first;
	const char *defaults[NUM_TARGETS];
	const Model *default_models[NUM_TARGETS];
	const char *numbered[MAX_REMEMBERED_MODELS];
	int			num_numbered;
} loaded;

static void
refresh_loaded(void)
{
	if (loaded.epoch == catalogue_models_epoch())
		return;
	memset(&loaded, 0, sizeof loaded);
	loaded.epoch = catalogue_models_epoch();
}

/* The number of a model's name, whether or not there is such a model; NOT_REMEMBERED for one name too many. */
int
model_number(const char *name)
{
	refresh_loaded();
	if (!name)
		return 0;
	for (int i = 0; i < loaded.num_numbered; i++)
		if (strcmp(loaded.numbered[i], name) == 0)
			return i + 1;
	if (loaded.num_numbered == MAX_REMEMBERED_MODELS)
		return NOT_REMEMBERED;
	loaded.numbered[loaded.num_numbered] = MemoryContextStrdup(catalogue_models_memory(), name);
	return ++loaded.num_numbered;
}

static const Model *find_or_load(Target target, const char *name);
static Model *load_model(Target target, const char *name);

static void
damaged(const Model *model, const char *what)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATA_CORRUPTED),
			 errmsg("model \"%s\" for %s is damaged: %s", model->model, target_name(model->target), what),
			 errhint("Delete it from wattgpu_models and import or train it again.")));
}

static void
check_sorted(const Model *model, const Names *names)
{
	for (int i = 1; i < names->count; i++)
		if (strcmp(names->values[i - 1], names->values[i]) >= 0)
			damaged(model, "its names are not in order");
}

/* The elements of a text[], real[] or double precision[] column, or -1 if it is NULL or holds one. */
static int
array_column(const CatalogueRow *row, const char *name, Oid type, Datum **values)
{
	bool		isnull;
	Datum		value = catalogue_column(row, name, &isnull);
	bool	   *nulls;
	int			n;

	if (isnull)
		return -1;
	if (type == TEXTOID)
		deconstruct_array(DatumGetArrayTypeP(value), type, -1, false, TYPALIGN_INT, values, &nulls, &n);
	else if (type == FLOAT4OID)
		deconstruct_array(DatumGetArrayTypeP(value), type, sizeof(float4), true, TYPALIGN_INT, values, &nulls, &n);
	else
		deconstruct_array(DatumGetArrayTypeP(value), type, sizeof(float8), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE, values, &nulls, &n);
	for (int i = 0; i < n; i++)
		if (nulls[i])
			return -1;
	return n;
}

static void
read_features(Model *model, const CatalogueRow *row)
{
	Datum	   *names;
	Datum	   *pairs;
	int			n = array_column(row, "features", TEXTOID, &names);
	int			num_pairs = array_column(row, "categories", TEXTOID, &pairs);

	if (n < 1 || n > MAX_FEATURES || num_pairs < 0)
		damaged(model, "it has no list of features");
	model->num_features = n;
	model->features = palloc(sizeof *model->features * n);
	model->feature_names = palloc(sizeof *model->feature_names * n);
	model->categories = palloc0(sizeof *model->categories * n);
	for (int i = 0; i < n; i++)
	{
		char	   *name = TextDatumGetCString(names[i]);
		size_t		len = strlen(name);
		Names	   *c = &model->categories[i];

		model->feature_names[i] = name;
		if (!feature_find(name, &model->features[i]))
			damaged(model, psprintf("feature \"%s\" is not known to this version", name));
		if (!model->features[i].category)
			continue;
		c->values = palloc(sizeof *c->values * (num_pairs + 1));
		for (int p = 0; p < num_pairs; p++)
		{
			char	   *pair = TextDatumGetCString(pairs[p]);

			if (strncmp(pair, name, len) == 0 && pair[len] == '=')
				c->values[c->count++] = pair + len + 1;
		}
		check_sorted(model, c);
	}
	model->order = feature_order(model->features, n);
}

/* A column of sorted names; false if it holds none that can be read. */
static bool
read_names(const Model *model, const CatalogueRow *row, const char *name, Names *names)
{
	Datum	   *values;
	int			n = array_column(row, name, TEXTOID, &values);

	if (n < 0)
		return false;
	names->count = n;
	names->values = palloc(sizeof(char *) * (n + 1));
	for (int i = 0; i < n; i++)
		names->values[i] = TextDatumGetCString(values[i]);
	check_sorted(model, names);
	return true;
}

/* A column of so many numbers. */
static bool
read_doubles(const CatalogueRow *row, const char *name, int n, double **numbers)
{
	Datum	   *values;

	if (array_column(row, name, FLOAT8OID, &values) != n)
		return false;
	*numbers = palloc(sizeof(double) * (n + 1));
	for (int i = 0; i < n; i++)
		(*numbers)[i] = DatumGetFloat8(values[i]);
	return true;
}

/* What the model was trained on, and the weights of the physical terms. */
static void
read_training(Model *model, const CatalogueRow *row)
{
	Datum	   *prior;

	model->num_prior = array_column(row, "prior", FLOAT8OID, &prior);
	if (!read_names(model, row, "trained_gpus", &model->gpus) || !read_names(model, row, "trained_llms", &model->llms) ||
		model->gpus.count < 1 || model->llms.count < 1 || !read_doubles(row, "trained_gpu_crcs", model->gpus.count, &model->gpu_crcs) ||
		!read_doubles(row, "trained_llm_crcs", model->llms.count, &model->llm_crcs) ||
		!read_doubles(row, "trained_llm_tokens", model->llms.count, &model->llm_tokens))
		damaged(model, "it does not say what it was trained on");
	if (model->num_prior != (!model->physical ? 0 : model->target == TARGET_POWER ? 1 + DRAW_TERMS : FULL_TERMS + ALONE_TERMS))
		damaged(model, "it has another number of weights for the physical terms");
	for (int i = 0; i < model->num_prior; i++)
	{
		model->prior[i] = DatumGetFloat8(prior[i]);
		if (!(model->prior[i] >= 0) || !isfinite(model->prior[i]))
			damaged(model, "a weight of the physical terms is not a number");
	}
}

/* The values of each kind, out of the sorted "name=value" of all of them. */
static void
split_kinds(Model *model)
{
	for (int k = 0; k < NUM_KINDS; k++)
	{
		Names	   *values = &model->kind_values[k];
		size_t		len = strlen(kind_name(k));

		values->values = palloc(sizeof(char *) * (model->kinds.count + 1));
		for (int i = 0; i < model->kinds.count; i++)
			if (strncmp(model->kinds.values[i], kind_name(k), len) == 0 && model->kinds.values[i][len] == '=')
				values->values[values->count++] = model->kinds.values[i] + len + 1;
	}
}

/* Where the model's training rows lay. A range that this version does not know is not checked. */
static void
read_ranges(Model *model, const CatalogueRow *row)
{
	Datum	   *names;
	Datum	   *least;
	Datum	   *most;
	Datum	   *intervals;
	int			n = array_column(row, "range_names", TEXTOID, &names);
	int			num_intervals;

	if (n < 0 || array_column(row, "range_least", FLOAT8OID, &least) != n || array_column(row, "range_most", FLOAT8OID, &most) != n)
		damaged(model, "its ranges are not whole");
	for (int i = 0; i < NUM_RANGES; i++)
	{
		model->ranges[i] = (Range) {-INFINITY, INFINITY};
		for (int k = 0; k < n; k++)
			if (strcmp(range_name(i), TextDatumGetCString(names[k])) == 0)
				model->ranges[i] = (Range) {DatumGetFloat8(least[k]), DatumGetFloat8(most[k])};
	}
	if (!read_names(model, row, "trained_kinds", &model->kinds))
		damaged(model, "it does not say what it was trained on");
	split_kinds(model);

	num_intervals = array_column(row, "intervals", FLOAT8OID, &intervals);
	if (num_intervals > 0 && num_intervals != NUM_INTERVALS)
		damaged(model, "it has another number of intervals");
	for (int i = 0; i < NUM_INTERVALS; i++)
	{
		model->intervals[i] = num_intervals > 0 ? DatumGetFloat8(intervals[i]) : NAN;
		model->interval_factors[i] = exp(model->intervals[i]);
	}
}

/* The golden rows were predicted by libxgboost when the model was trained; the forest must agree to the bit. */
static void
check_golden(const Model *model, const CatalogueRow *row)
{
	Datum	   *x;
	Datum	   *margins;
	int			num_x = array_column(row, "golden_features", FLOAT4OID, &x);
	int			n = array_column(row, "golden_margins", FLOAT4OID, &margins);

	if (n < 1 || num_x != n * model->num_features)
		damaged(model, "it has no golden rows");
	for (int i = 0; i < n; i++)
	{
		float		row[MAX_FEATURES];

		for (int f = 0; f < model->num_features; f++)
			row[f] = DatumGetFloat4(x[i * model->num_features + f]);
		if (forest_eval(&model->forest, row) != DatumGetFloat4(margins[i]))
			damaged(model, psprintf("golden row %d of %d is not reproduced", i + 1, n));
	}
}

/* Which training gave a model; intervals come and go without changing it. */
static char *
model_fingerprint(const char *training_sha256, Datum params)
{
	return psprintf("%s %s", training_sha256, DatumGetCString(DirectFunctionCall1(jsonb_out, params)));
}

/* A pair was mostly trained on the same cards and LLMs: then one list is looked through for both. */
static void
share_names(Names *names, const Names *other)
{
	if (names->count != other->count)
		return;
	for (int i = 0; i < names->count; i++)
		if (strcmp(names->values[i], other->values[i]) != 0)
			return;
	names->values = other->values;
}

/* The ITL that a power was fitted on, and not merely one of its name. */
static void
find_itl(Model *power, const char *based_on)
{
	power->itl = find_or_load(TARGET_ITL, power->model);
	/* The one that was found first may be older than this power: a pair is often trained in one transaction. */
	if (power->itl && strcmp(power->itl->fingerprint, based_on) != 0)
		power->itl = load_model(TARGET_ITL, power->model);
	if (!power->itl || !power->itl->physical || strcmp(power->itl->fingerprint, based_on) != 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 power->itl ? errmsg("model \"%s\" for power is based on another itl than the one of its name", power->model)
				 : errmsg("model \"%s\" for power is based on an itl of its name, and there is none", power->model),
				 errhint("Train or import the pair's itl first, then its power.")));
	share_names(&power->gpus, &power->itl->gpus);
	share_names(&power->llms, &power->itl->llms);
}

/* Open the forest that is stored beside a booster; where there is none, the booster says why. */
static const char *
open_forest(Model *model, const CatalogueRow *row, bytea *forest)
{
	bool		isnull;
	const char *wrong;

	if (!forest)
	{
		model->booster = DatumGetByteaP(catalogue_column(row, "booster", &isnull));
		wrong = model_read_forest(model);
		return wrong ? wrong : "it has no forest";
	}
	wrong = forest_open(VARDATA(forest), VARSIZE(forest) - VARHDRSZ, &model->forest);
	if (!wrong && model->forest.num_features != model->num_features)
		wrong = "the booster has another number of features";
	model->fast = palloc0(sizeof *model->fast);
	return wrong;
}

/* CRC-32C of all that a stored model predicts with. forest: the column's bytes, if they are at hand. */
static int64
row_crc32c(const CatalogueRow *row, bytea *forest)
{
	static const struct
	{
		const char *name;
		Oid			send;
	}			sealed[] = {
		{"target", F_TEXTSEND}, {"recipe", F_TEXTSEND}, {"features", F_ARRAY_SEND}, {"categories", F_ARRAY_SEND},
		{"params", F_JSONB_SEND}, {"trained_gpus", F_ARRAY_SEND}, {"trained_llms", F_ARRAY_SEND},
		{"trained_gpu_crcs", F_ARRAY_SEND}, {"trained_llm_crcs", F_ARRAY_SEND}, {"trained_llm_tokens", F_ARRAY_SEND}, {"trained_kinds", F_ARRAY_SEND}, {"range_names", F_ARRAY_SEND},
		{"range_least", F_ARRAY_SEND}, {"range_most", F_ARRAY_SEND}, {"prior", F_ARRAY_SEND}, {"based_on", F_TEXTSEND},
		{"intervals", F_ARRAY_SEND}, {"golden_features", F_ARRAY_SEND}, {"golden_margins", F_ARRAY_SEND},
		{"booster_sha256", F_TEXTSEND}, {"forest", F_BYTEASEND},
	};
	pg_crc32c	crc;

	INIT_CRC32C(crc);
	for (size_t i = 0; i < lengthof(sealed); i++)
	{
		bool		isnull;
		Datum		value = catalogue_column(row, sealed[i].name, &isnull);
		bytea	   *bytes;

		if (isnull)
			continue;
		/* Sending bytes would copy them. */
		if (sealed[i].send == F_BYTEASEND)
			bytes = forest ? forest : DatumGetByteaPP(value);
		else
			bytes = DatumGetByteaPP(OidFunctionCall1(sealed[i].send, value));
		COMP_CRC32C(crc, VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes));
	}
	FIN_CRC32C(crc);
	return (int64) crc;
}

/* In a memory context of its own, which stays only once every check has passed. */
static Model *
read_model(Target target, const CatalogueRow *row)
{
	MemoryContext memory = AllocSetContextCreate(CurrentMemoryContext, "wattgpu model", ALLOCSET_DEFAULT_SIZES);
	MemoryContext temporary = MemoryContextSwitchTo(memory);
	Model	   *model = palloc0(sizeof *model);
	bytea	   *forest = NULL;
	Datum		stored;
	const char *wrong;
	bool		isnull;

	model->target = target;
	model->model = TextDatumGetCString(catalogue_column(row, "model", &isnull));
	model->builtin = DatumGetBool(catalogue_column(row, "builtin", &isnull));
	model->fingerprint = model_fingerprint(TextDatumGetCString(catalogue_column(row, "training_sha256", &isnull)),
										   catalogue_column(row, "params", &isnull));
	model->physical = strcmp(TextDatumGetCString(catalogue_column(row, "recipe", &isnull)), "physical") == 0;
	read_features(model, row);
	read_training(model, row);
	read_ranges(model, row);
	stored = catalogue_column(row, "forest", &isnull);
	if (!isnull)
		forest = DatumGetByteaPCopy(stored);
	MemoryContextSwitchTo(temporary);
	if (row_crc32c(row, forest) != DatumGetInt64(catalogue_column(row, "crc32c", &isnull)))
		damaged(model, "it does not match its checksum");

	MemoryContextSwitchTo(memory);
	wrong = open_forest(model, row, forest);
	MemoryContextSwitchTo(temporary);
	if (wrong)
		damaged(model, wrong);
	check_golden(model, row);
	if (model->physical && target == TARGET_POWER)
		find_itl(model, TextDatumGetCString(catalogue_column(row, "based_on", &isnull)));
	MemoryContextSetParent(memory, catalogue_models_memory());
	return model;
}

static Model *
load_model(Target target, const char *name)
{
	Datum		key[] = {CStringGetTextDatum(name), CStringGetTextDatum(target_name(target))};
	CatalogueRow row;
	Model	   *model = NULL;

	catalogue_connect();
	if (catalogue_row("wattgpu_models", "wattgpu_models_pkey",
					  "SELECT m.* FROM %1$s.wattgpu_models m WHERE m.model OPERATOR(pg_catalog.=) $1 AND m.target OPERATOR(pg_catalog.=) $2",
					  2, key, &row))
		model = read_model(target, &row);
	catalogue_disconnect();
	return model;
}

/* The newest row of wattgpu_default_models says which model answers where none is named. */
static const char *
default_name(Target target)
{
	Datum		key = CStringGetTextDatum(target_name(target));
	CatalogueRow row;
	bool		isnull;

	if (loaded.defaults[target])
		return loaded.defaults[target];
	catalogue_connect();
	if (catalogue_row("wattgpu_default_models", "wattgpu_default_models_pkey",
					  "SELECT d.* FROM %1$s.wattgpu_default_models d WHERE d.target OPERATOR(pg_catalog.=) $1 ORDER BY d.set_at DESC LIMIT 1",
					  1, &key, &row))
		loaded.defaults[target] = MemoryContextStrdup(catalogue_models_memory(), TextDatumGetCString(catalogue_column(&row, "model", &isnull)));
	catalogue_disconnect();
	if (!loaded.defaults[target])
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("there is no default model for %s", target_name(target)),
				 errhint("Table wattgpu_models lists the models there are; wattgpu_set_default makes one the default.")));
	return loaded.defaults[target];
}

/* The model of that name, or NULL. */
static const Model *
find_or_load(Target target, const char *name)
{
	Loaded	   *entry;
	Model	   *model;

	for (entry = loaded.first; entry; entry = entry->next)
		if (entry->model->target == target && strcmp(entry->model->model, name) == 0)
			return entry->model;
	model = load_model(target, name);
	if (!model)
		return NULL;
	entry = MemoryContextAlloc(catalogue_models_memory(), sizeof *entry);
	entry->model = model;
	entry->next = loaded.first;
	loaded.first = entry;
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
	const Model *model;
	bool		by_default = !name;

	refresh_loaded();
	if (by_default && loaded.default_models[target])
		return loaded.default_models[target];
	if (by_default)
		name = default_name(target);
	model = find_or_load(target, name);
	if (!model)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("there is no model \"%s\" for %s", name, target_name(target)),
				 errhint("Table wattgpu_models lists the models there are.")));
	if (by_default)
		loaded.default_models[target] = model;
	return model;
}

/* The booster's bytes, for libxgboost. The model was checked when it was found, but for these: predictions do not read them. */
bytea *
model_booster(const Model *model)
{
	Oid			types[] = {TEXTOID, TEXTOID};
	Datum		values[] = {CStringGetTextDatum(target_name(model->target)), CStringGetTextDatum(model->model)};
	MemoryContext caller = CurrentMemoryContext;
	MemoryContext temporary;
	bytea	   *booster;
	bool		isnull;

	catalogue_connect();
	if (SPI_execute_with_args(catalogue_query("SELECT m.booster, pg_catalog.encode(pg_catalog.sha256(m.booster), 'hex') OPERATOR(pg_catalog.=) m.booster_sha256"
											  " FROM %1$s.wattgpu_models m"
											  " WHERE m.target OPERATOR(pg_catalog.=) $1 AND m.model OPERATOR(pg_catalog.=) $2"),
							  2, types, values, NULL, true, 1) != SPI_OK_SELECT || SPI_processed != 1)
		elog(ERROR, "could not read the booster of model \"%s\"", model->model);
	if (!DatumGetBool(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 2, &isnull)))
		damaged(model, "its booster does not match its checksum");
	temporary = MemoryContextSwitchTo(caller);
	booster = DatumGetByteaPCopy(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull));
	MemoryContextSwitchTo(temporary);
	catalogue_disconnect();
	return booster;
}

PG_FUNCTION_INFO_V1(wattgpu_forest);

Datum
wattgpu_forest(PG_FUNCTION_ARGS)
{
	bytea	   *booster = PG_GETARG_BYTEA_PP(0);
	Forest		forest;
	bytea	   *image;

	if (forest_read((const uint8_t *) VARDATA_ANY(booster), VARSIZE_ANY_EXHDR(booster), palloc, &forest))
		PG_RETURN_NULL();
	image = palloc(VARHDRSZ + forest_image_size(&forest));
	SET_VARSIZE(image, VARHDRSZ + forest_image_size(&forest));
	forest_write(&forest, VARDATA(image));
	PG_RETURN_BYTEA_P(image);
}

PG_FUNCTION_INFO_V1(wattgpu_model_crc32c);

Datum
wattgpu_model_crc32c(PG_FUNCTION_ARGS)
{
	HeapTupleHeader header = PG_GETARG_HEAPTUPLEHEADER(0);
	HeapTupleData tuple = {.t_data = header, .t_len = HeapTupleHeaderGetDatumLength(header)};
	TupleDesc	desc = lookup_rowtype_tupdesc(HeapTupleHeaderGetTypeId(header), HeapTupleHeaderGetTypMod(header));
	CatalogueRow row = {&tuple, desc};
	int64		crc = row_crc32c(&row, NULL);

	ReleaseTupleDesc(desc);
	PG_RETURN_INT64(crc);
}

PG_FUNCTION_INFO_V1(wattgpu_load_model);

Datum
wattgpu_load_model(PG_FUNCTION_ARGS)
{
	catalogue_begin(fcinfo);
	model_find(target_parse(PG_GETARG_TEXT_PP(1)), text_to_cstring(PG_GETARG_TEXT_PP(0)));
	PG_RETURN_VOID();
}
