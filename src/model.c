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
#include "utils/jsonb.h"
#include "utils/memutils.h"

static const char *const target_names[NUM_TARGETS] = {
	[TARGET_POWER] = "power",
	[TARGET_ITL] = "itl",
};

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

/* The place of a name, or -1. */
int
names_find(const Names *names, const char *name)
{
	int			low = 0;
	int			high = names->count - 1;

	while (low <= high)
	{
		int			middle = (low + high) / 2;
		int			c = strcmp(name, names->values[middle]);

		if (c == 0)
			return middle;
		if (c < 0)
			high = middle - 1;
		else
			low = middle + 1;
	}
	return -1;
}

void
model_vector(const Model *model, const Subject *subject, float *x)
{
	for (int i = 0; i < model->num_features; i++)
	{
		Feature		f = model->features[i];

		if (!feature_is_category(f))
			x[i] = (float) feature_number(f, subject);
		else
		{
			const char *value = feature_category(f, subject);
			int			code = value ? names_find(&model->categories[i], value) : -1;

			x[i] = code < 0 ? NAN : (float) code;
		}
	}
}

Novelty
model_novelty(const Model *model, const GpuSpec *gpu, const LlmSpec *llm)
{
	bool		new_gpu = names_find(&model->gpus, gpu->gpu) < 0;
	bool		new_llm = names_find(&model->llms, llm->llm) < 0;

	return new_gpu ? (new_llm ? NOVELTY_BOTH : NOVELTY_GPU) : (new_llm ? NOVELTY_LLM : NOVELTY_NONE);
}

/* Where the lower of an interval's two quantiles is; the upper follows. */
int
interval_index(Novelty novelty, bool offline, bool given)
{
	return 2 * ((given * 2 + offline) * NUM_NOVELTIES + (int) novelty);
}

static void
add_kind(Names *kinds, const char *name, const char *value)
{
	kinds->values[kinds->count++] = psprintf("%s=%s", name, value ? value : "?");
}

/* What of a card and an LLM is of a kind and not a number; "?" where it is not known. */
Names
kinds_of(const GpuSpec *gpu, const LlmSpec *llm)
{
	Names		kinds = {palloc(sizeof(char *) * MAX_KINDS), 0};

	add_kind(&kinds, "architecture", gpu->architecture);
	add_kind(&kinds, "llm_architecture", llm->architecture);
	add_kind(&kinds, "llm_attention", llm->attention_kind);
	add_kind(&kinds, "memory_type", gpu->memory_type);
	return kinds;
}

/* Mean board power in W, or mean inter-token latency in s; NAN where a spec that it needs is missing. */
double
model_predict(const Model *model, const GpuSpec *gpu, const LlmSpec *llm, const Workload *w)
{
	float		x[MAX_FEATURES];
	Subject		s = {.gpu = gpu, .llm = llm, .workload = w};
	double		margin;

	if (model->physical)
	{
		Served		served = physical_serve(model->itl ? model->itl : model, gpu, llm, w);

		return model->target == TARGET_POWER ? physical_power(model, gpu, llm, &served) : served.itl_s;
	}
	model_vector(model, &s, x);
	margin = forest_eval(&model->forest, x);
	/* Trees may add up to less than nothing far from their training rows; no card draws that. */
	if (model->target == TARGET_POWER)
		return margin > 0 ? margin * gpu->tdp_w : NAN;
	return exp(margin);
}

static const Model *find_or_load(Target target, const char *name);

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

static void
check_sorted(const Model *model, const Names *names)
{
	for (int i = 1; i < names->count; i++)
		if (strcmp(names->values[i - 1], names->values[i]) >= 0)
			damaged(model, "its names are not in order");
}

/* The elements of a text[], real[] or double precision[] column, or -1 if it is NULL or holds one. */
static int
array_column(const char *name, Oid type, Datum **values)
{
	bool		isnull;
	Datum		value = column(name, &isnull);
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
read_features(Model *model)
{
	Datum	   *names;
	Datum	   *pairs;
	int			n = array_column("features", TEXTOID, &names);
	int			num_pairs = array_column("categories", TEXTOID, &pairs);

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
		if (!feature_is_category(model->features[i]))
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
}

/* A column of sorted names; false if it holds none that can be read. */
static bool
read_names(const Model *model, const char *name, Names *names)
{
	Datum	   *values;
	int			n = array_column(name, TEXTOID, &values);

	if (n < 0)
		return false;
	names->count = n;
	names->values = palloc(sizeof(char *) * (n + 1));
	for (int i = 0; i < n; i++)
		names->values[i] = TextDatumGetCString(values[i]);
	check_sorted(model, names);
	return true;
}

/* What the model was trained on, and the weights of the physical terms. */
static void
read_training(Model *model)
{
	Datum	   *tokens;
	Datum	   *prior;
	int			num_tokens = array_column("trained_llm_tokens", FLOAT8OID, &tokens);

	model->num_prior = array_column("prior", FLOAT8OID, &prior);
	if (!read_names(model, "trained_gpus", &model->gpus) || !read_names(model, "trained_llms", &model->llms) ||
		model->gpus.count < 1 || model->llms.count < 1 || num_tokens != model->llms.count)
		damaged(model, "it does not say what it was trained on");
	if (model->num_prior != (!model->physical ? 0 : model->target == TARGET_POWER ? 1 + DRAW_TERMS : FULL_TERMS + ALONE_TERMS))
		damaged(model, "it has another number of weights for the physical terms");
	for (int i = 0; i < model->num_prior; i++)
	{
		model->prior[i] = DatumGetFloat8(prior[i]);
		if (!(model->prior[i] >= 0) || !isfinite(model->prior[i]))
			damaged(model, "a weight of the physical terms is not a number");
	}
	model->llm_tokens = palloc(sizeof(double) * model->llms.count);
	for (int i = 0; i < model->llms.count; i++)
		model->llm_tokens[i] = DatumGetFloat8(tokens[i]);
}

/* Where the model's training rows lay. A range that this version does not know is not checked. */
static void
read_ranges(Model *model)
{
	Datum	   *names;
	Datum	   *least;
	Datum	   *most;
	Datum	   *intervals;
	int			n = array_column("range_names", TEXTOID, &names);
	int			num_intervals;

	if (n < 0 || array_column("range_least", FLOAT8OID, &least) != n || array_column("range_most", FLOAT8OID, &most) != n)
		damaged(model, "its ranges are not whole");
	for (int i = 0; i < NUM_RANGES; i++)
	{
		model->ranges[i] = (Range) {-INFINITY, INFINITY};
		for (int k = 0; k < n; k++)
			if (strcmp(range_name(i), TextDatumGetCString(names[k])) == 0)
				model->ranges[i] = (Range) {DatumGetFloat8(least[k]), DatumGetFloat8(most[k])};
	}
	if (!read_names(model, "trained_kinds", &model->kinds))
		damaged(model, "it does not say what it was trained on");

	num_intervals = array_column("intervals", FLOAT8OID, &intervals);
	if (num_intervals > 0 && num_intervals != NUM_INTERVALS)
		damaged(model, "it has another number of intervals");
	for (int i = 0; i < NUM_INTERVALS; i++)
		model->intervals[i] = num_intervals > 0 ? DatumGetFloat8(intervals[i]) : NAN;
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

/* The ITL that a power was fitted on, and not merely one of its name. */
static void
find_itl(Model *power, const char *based_on)
{
	power->itl = find_or_load(TARGET_ITL, power->model);
	if (!power->itl || !power->itl->physical || strcmp(power->itl->fingerprint, based_on) != 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 power->itl ? errmsg("model \"%s\" for power is based on another itl than the one of its name", power->model)
				 : errmsg("model \"%s\" for power is based on an itl of its name, and there is none", power->model),
				 errhint("Train or import the pair's itl first, then its power.")));
}

static Model *
load_model(Target target, const char *name)
{
	Oid			types[] = {TEXTOID, TEXTOID};
	Datum		values[] = {CStringGetTextDatum(target_names[target]), CStringGetTextDatum(name)};
	const char *query = "SELECT m.*, %1$s.wattgpu_model_sha256(m) AS actual_sha256 FROM %1$s.wattgpu_models m"
		" WHERE m.target OPERATOR(pg_catalog.=) $1 AND m.model OPERATOR(pg_catalog.=) $2";
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
		model->builtin = DatumGetBool(column("builtin", &isnull));
		model->fingerprint = model_fingerprint(TextDatumGetCString(column("training_sha256", &isnull)), column("params", &isnull));
		model->physical = strcmp(TextDatumGetCString(column("recipe", &isnull)), "physical") == 0;
		read_features(model);
		read_training(model);
		read_ranges(model);
		MemoryContextSwitchTo(temporary);

		booster = column("booster", &isnull);
		sha256 = column("actual_sha256", &isnull);
		stored = column("sha256", &isnull);
		if (strcmp(TextDatumGetCString(sha256), TextDatumGetCString(stored)) != 0)
			damaged(model, "it does not match its checksum");
		model->booster = DatumGetByteaP(booster);

		MemoryContextSwitchTo(memory);
		wrong = model_read_forest(model);
		MemoryContextSwitchTo(temporary);
		if (wrong)
			damaged(model, wrong);
		check_golden(model);
		model->booster = NULL;	/* it goes with SPI's memory; the forest is all that is needed */
		if (model->physical && target == TARGET_POWER)
			find_itl(model, TextDatumGetCString(column("based_on", &isnull)));
		/* Only now does it stay: a model that fails its checks leaves nothing behind. */
		MemoryContextSetParent(memory, catalogue_memory());
	}
	catalogue_disconnect();
	return model;
}

/* The newest row of wattgpu_default_models says which model answers where none is named. */
static const char *
default_name(Target target)
{
	Oid			type = TEXTOID;
	Datum		value = CStringGetTextDatum(target_names[target]);

	if (loaded.defaults[target])
		return loaded.defaults[target];
	catalogue_connect();
	if (SPI_execute_with_args(catalogue_query("SELECT d.model FROM %1$s.wattgpu_default_models d"
											  " WHERE d.target OPERATOR(pg_catalog.=) $1 ORDER BY d.set_at DESC LIMIT 1"),
							  1, &type, &value, NULL, true, 1) != SPI_OK_SELECT)
		elog(ERROR, "could not read wattgpu_default_models");
	if (SPI_processed > 0)
		loaded.defaults[target] = MemoryContextStrdup(catalogue_memory(),
													  SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1));
	catalogue_disconnect();
	if (!loaded.defaults[target])
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("there is no default model for %s", target_names[target]),
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
	entry = MemoryContextAlloc(catalogue_memory(), sizeof *entry);
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

	if (loaded.epoch != catalogue_epoch())
	{
		memset(&loaded, 0, sizeof loaded);
		loaded.epoch = catalogue_epoch();
	}
	if (!name)
		name = default_name(target);
	model = find_or_load(target, name);
	if (!model)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("there is no model \"%s\" for %s", name, target_names[target]),
				 errhint("Table wattgpu_models lists the models there are.")));
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
