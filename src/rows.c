/*
 * Predictions for a card, an LLM and a scenario that are given as rows, in the
 * catalogue or made up.
 */
#include "predict.h"

#include <math.h>

#include "access/htup_details.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

#include "columns.h"

/* The models that a prediction asks: power, the ITL that it is based on, ITL. NULL where there is none. */
#define MAX_ASKED 3

/* The last row of an argument, as a call site keeps it: mostly one LLM meets many cards. */
struct LastRow
{
	HeapTupleHeader row;
	uint32		size;			/* of what is allocated */
	MemoryContext memory;		/* the spec's texts */
	uint64		epoch;
	const Model *models[MAX_ASKED]; /* that its name was held to */
	const char *name;			/* as the row gives it */
	union
	{
		GpuSpec		gpu;
		LlmSpec		llm;
		Workload	scenario;
	}			spec;
};

/* Descriptors of the three tables' rows, good for an epoch of the catalogue: altering a table ends it. */
static struct
{
	uint64		epoch;
	Oid			types[NUM_SPEC_KINDS];
	RowShape	shapes[NUM_SPEC_KINDS];
} rows;

#define CACHE_LINE ((Size) 64)

/* Rows are numbered beyond what is ever looked up. */
#define FIRST_ROW_NUMBER ((uint32) 1 << 31)
static uint32 num_rows_read;

static const RowShape *
shape_of(Kind kind, HeapTupleHeader row)
{
	Oid			type = HeapTupleHeaderGetTypeId(row);

	if (rows.epoch != catalogue_epoch())
	{
		memset(rows.types, 0, sizeof rows.types);
		rows.epoch = catalogue_epoch();
	}
	if (rows.types[kind] != type)
	{
		TupleDesc	desc = lookup_rowtype_tupdesc(type, HeapTupleHeaderGetTypMod(row));
		MemoryContext temporary = MemoryContextSwitchTo(catalogue_memory());

		rows.shapes[kind] = row_shape(kind, CreateTupleDescCopy(desc));
		rows.types[kind] = type;
		MemoryContextSwitchTo(temporary);
		ReleaseTupleDesc(desc);
	}
	return &rows.shapes[kind];
}

static bool
is_last(const LastRow *last, HeapTupleHeader row, const Model *const *models)
{
	uint32		size = HeapTupleHeaderGetDatumLength(row);

	return last->row && last->epoch == catalogue_epoch() && memcmp(last->models, models, sizeof last->models) == 0 &&
		HeapTupleHeaderGetDatumLength(last->row) == size && memcmp(last->row, row, size) == 0;
}

static void
keep_row(FunctionCallInfo fcinfo, LastRow *last, HeapTupleHeader row, const Model *const *models)
{
	uint32		size = HeapTupleHeaderGetDatumLength(row);

	if (last->size < size)
	{
		if (last->row)
			pfree(last->row);
		last->row = NULL;
		last->size = 0;
		last->row = MemoryContextAlloc(fcinfo->flinfo->fn_mcxt, size);
		last->size = size;
	}
	memcpy(last->row, row, size);
	memcpy(last->models, models, sizeof last->models);
	last->epoch = catalogue_epoch();
}

/* A name that no model asked knows says nothing to them. Returns what the models know it by, if one does. */
static uint32
hide_stranger(Kind kind, void *spec, const char **name, const Model *const *models)
{
	const Names *last = NULL;

	for (int i = 0; i < MAX_ASKED; i++)
	{
		const Names *names = !models[i] ? NULL : kind == KIND_GPU ? &models[i]->gpus : &models[i]->llms;

		/* Mostly one list is shared. */
		if (!names || (last && last->values == names->values))
			continue;
		if (names_have(names, *name))
			return spec_crc(kind, spec);
		last = names;
	}
	*name = NULL;
	return 0;
}

/*
 * A scan mostly hands out the rows of a page one below the other. To wait for
 * the next one to come from memory takes a tenth of a prediction's time, so it
 * is asked for now. Asking for what is no row, or not there, does no harm.
 */
static pg_attribute_always_inline void
prefetch_next(HeapTupleHeader row)
{
	const char *end = (const char *) row;
	Size		size = HeapTupleHeaderGetDatumLength(row) + CACHE_LINE;

	for (Size back = CACHE_LINE; back <= Min(size, 16 * CACHE_LINE); back += CACHE_LINE)
		__builtin_prefetch(end - back);
}

/* An argument's spec; the texts in it last until the next call from the same place. */
static const LastRow *
read_argument(FunctionCallInfo fcinfo, Kind kind, const Model *const *models)
{
	HeapTupleHeader row = PG_GETARG_HEAPTUPLEHEADER((int) kind);
	CallSite   *site = call_site(fcinfo);
	LastRow    *last;
	HeapTupleData tuple = {.t_data = row, .t_len = HeapTupleHeaderGetDatumLength(row)};
	const RowShape *shape;
	MemoryContext temporary;

	if (!site->last)
		site->last = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, NUM_SPEC_KINDS * sizeof *last);
	last = &site->last[kind];
	if (is_last(last, row, models))
		return last;
	prefetch_next(row);
	last->epoch = 0;			/* not this row any more, if an error ends the call */
	shape = shape_of(kind, row);
	if (!last->memory)
		last->memory = AllocSetContextCreate(fcinfo->flinfo->fn_mcxt, "wattgpu row", ALLOCSET_SMALL_SIZES);
	MemoryContextReset(last->memory);
	temporary = MemoryContextSwitchTo(last->memory);
	row_read(kind, shape, &tuple, &last->spec);
	MemoryContextSwitchTo(temporary);
	spec_check(kind, &last->spec);
	if (kind == KIND_GPU)
	{
		last->name = last->spec.gpu.gpu;
		last->spec.gpu.crc = hide_stranger(kind, &last->spec, &last->spec.gpu.gpu, models);
	}
	else if (kind == KIND_LLM)
	{
		last->name = last->spec.llm.llm;
		last->spec.llm.crc = hide_stranger(kind, &last->spec, &last->spec.llm.llm, models);
		last->spec.llm.number = ++num_rows_read | FIRST_ROW_NUMBER;
	}
	else if (last->spec.scenario.builtin == 1)
	{
		const void *own = last->spec.scenario.scenario ? spec_named(kind, last->spec.scenario.scenario) : NULL;

		if (!own || !spec_equal(kind, own, &last->spec))
			last->spec.scenario.builtin = 0;
	}
	keep_row(fcinfo, last, row, models);
	return last;
}

static void
request_rows(FunctionCallInfo fcinfo, Request *r, const Model *power, const Model *itl)
{
	const Model *models[MAX_ASKED] = {power, power ? power->itl : NULL, itl};
	const LastRow *gpu = read_argument(fcinfo, KIND_GPU, models);
	const LastRow *llm = read_argument(fcinfo, KIND_LLM, models);
	const LastRow *scenario = read_argument(fcinfo, KIND_SCENARIO, models);

	*r = (Request) {
		.gpu = &gpu->spec.gpu, .llm = &llm->spec.llm, .scenario = &scenario->spec.scenario,
		.gpu_name = gpu->name, .llm_name = llm->name, .workload = scenario->spec.scenario, .made_up = true
	};
	check_num_gpus(fcinfo, ARG_ROWS_NUM_GPUS, r);
	check_power_limit(fcinfo, ARG_ROWS_POWER_LIMIT, r);
}

static bool
has_null_argument(FunctionCallInfo fcinfo)
{
	return PG_ARGISNULL(ARG_GPU) || PG_ARGISNULL(ARG_LLM) || PG_ARGISNULL(ARG_SCENARIO) || PG_ARGISNULL(ARG_ROWS_NUM_GPUS);
}

static Datum
predict_rows(FunctionCallInfo fcinfo, Target target)
{
	const char *name = optional_cstring(fcinfo, ARG_ROWS_MODEL);
	const Model *model;
	Request		r;

	if (has_null_argument(fcinfo))
		PG_RETURN_NULL();
	catalogue_begin(fcinfo);
	model = model_find(target, name);
	request_rows(fcinfo, &r, target == TARGET_POWER ? model : NULL, target == TARGET_ITL ? model : NULL);
	/* What a limit does to the time, the power's model says. */
	if (target == TARGET_ITL && r.workload.power_limit_w > 0)
		request_rows(fcinfo, &r, model_find(TARGET_POWER, name), model);
	return number_or_null(fcinfo, predict(&r, target, name));
}

PG_FUNCTION_INFO_V1(wattgpu_power_rows);
PG_FUNCTION_INFO_V1(wattgpu_itl_rows);
PG_FUNCTION_INFO_V1(wattgpu_predict_rows);

Datum
wattgpu_power_rows(PG_FUNCTION_ARGS)
{
	return predict_rows(fcinfo, TARGET_POWER);
}

Datum
wattgpu_itl_rows(PG_FUNCTION_ARGS)
{
	return predict_rows(fcinfo, TARGET_ITL);
}

Datum
wattgpu_predict_rows(PG_FUNCTION_ARGS)
{
	const char *name = optional_cstring(fcinfo, ARG_ROWS_MODEL);
	Request		r;

	if (has_null_argument(fcinfo))
		PG_RETURN_NULL();
	catalogue_begin(fcinfo);
	request_rows(fcinfo, &r, model_find(TARGET_POWER, name), model_find(TARGET_ITL, name));
	return answer_row(fcinfo, &r, name);
}
