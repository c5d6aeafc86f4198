/*
 * Reading measured rows: the extension's own, or a relation of the same columns.
 */
#include "train.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

/* A row as it was read, before its names are looked up. */
typedef struct RawRow
{
	char	   *gpu;
	char	   *llm;
	char	   *scenario;
	double		numbers[7];
} RawRow;

struct RawMeasurements
{
	RawRow	   *rows;
	uint64		count;
};

enum
{
	ARRIVAL_RATE,
	PROMPT_TOKENS,
	OUTPUT_TOKENS,
	NUM_GPUS,
	POWER,
	ITL,
	RUNS
};

static const char *const number_names[] = {
	"arrival_rate_qps", "prompt_tokens", "output_tokens", "num_gpus", "power_w", "itl_s", "runs"
};

static void
refuse(uint64 row, const RawRow *raw, const char *what)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("measurement of LLM \"%s\" on GPU \"%s\", scenario \"%s\": %s",
					raw->llm ? raw->llm : "", raw->gpu ? raw->gpu : "",
					raw->scenario ? raw->scenario : "", what),
			 errdetail("It is row " UINT64_FORMAT " in the order of GPU, LLM and scenario.", row + 1)));
}

static void
check_columns(Oid relation)
{
	static const char *const names[] = {"gpu", "llm", "scenario"};

	for (size_t i = 0; i < lengthof(names) + lengthof(number_names); i++)
	{
		const char *name = i < lengthof(names) ? names[i] : number_names[i - lengthof(names)];

		if (get_attnum(relation, name) == InvalidAttrNumber)
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_COLUMN),
					 errmsg("relation \"%s\" has no column \"%s\"", get_rel_name(relation), name),
					 errhint("It needs the columns of wattgpu_measurements; source and builtin may be missing.")));
	}
}

/*
 * The relation's rows in an order of their own, so that training does not
 * depend on how they happen to lie in the table. NULL means unknown: a rate or
 * token count falls back on the scenario's, a missing target leaves the row
 * out of what needs it.
 */
RawMeasurements *
measurements_read(Oid relation)
{
	RawMeasurements *raw = palloc(sizeof *raw);
	MemoryContext caller = CurrentMemoryContext;
	StringInfoData query;
	RawRow	   *rows;

	if (!get_rel_name(relation))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("there is no relation with OID %u", relation)));
	check_columns(relation);
	initStringInfo(&query);
	appendStringInfo(&query,
					 "SELECT m.gpu::pg_catalog.text, m.llm::pg_catalog.text, m.scenario::pg_catalog.text");
	for (size_t i = 0; i < lengthof(number_names); i++)
		appendStringInfo(&query, ", m.%s::pg_catalog.float8", number_names[i]);
	appendStringInfo(&query, " FROM %s m ORDER BY m.gpu::pg_catalog.text COLLATE pg_catalog.\"C\","
					 " m.llm::pg_catalog.text COLLATE pg_catalog.\"C\", m.scenario::pg_catalog.text COLLATE pg_catalog.\"C\","
					 " m.power_w::pg_catalog.float8, m.itl_s::pg_catalog.float8, m.runs::pg_catalog.float8,"
					 " m.arrival_rate_qps::pg_catalog.float8, m.output_tokens::pg_catalog.float8,"
					 " m.prompt_tokens::pg_catalog.float8, m.num_gpus::pg_catalog.float8",
					 quote_qualified_identifier(get_namespace_name(get_rel_namespace(relation)),
												get_rel_name(relation)));

	SPI_connect();
	if (SPI_execute(query.data, true, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not read measurements");
	raw->count = SPI_processed;
	rows = MemoryContextAllocHuge(caller, (raw->count + 1) * sizeof *rows);
	for (uint64 i = 0; i < raw->count; i++)
	{
		HeapTuple	tuple = SPI_tuptable->vals[i];
		TupleDesc	desc = SPI_tuptable->tupdesc;
		char	  **texts[] = {&rows[i].gpu, &rows[i].llm, &rows[i].scenario};

		CHECK_FOR_INTERRUPTS();
		for (int t = 0; t < 3; t++)
		{
			char	   *value = SPI_getvalue(tuple, desc, t + 1);

			*texts[t] = value ? MemoryContextStrdup(caller, value) : NULL;
		}
		for (size_t n = 0; n < lengthof(number_names); n++)
		{
			bool		isnull;
			Datum		value = SPI_getbinval(tuple, desc, 4 + (int) n, &isnull);

			rows[i].numbers[n] = isnull ? NAN : DatumGetFloat8(value);
			if (!isnull && !(rows[i].numbers[n] > 0 && isfinite(rows[i].numbers[n])))
				refuse(i, &rows[i], psprintf("%s is %g, which is not a positive number",
											 number_names[n], rows[i].numbers[n]));
		}
		if (!rows[i].gpu || !rows[i].llm || !rows[i].scenario)
			refuse(i, &rows[i], "it has no name for one of these");
	}
	SPI_finish();
	raw->rows = rows;
	return raw;
}

static double
first_known(double a, double b)
{
	return isnan(a) ? b : a;
}

/*
 * What is read first is looked up afterwards: a relation may be a view that
 * itself predicts, which would let go of what was looked up before it. So all
 * relations are read before the names of any are looked up.
 */
Measurement *
measurements_resolve(const RawMeasurements *raw, int *count)
{
	uint64		num_rows = raw->count;
	const RawRow *rows = raw->rows;
	Measurement *measured;
	int			n = 0;

	if (num_rows > INT_MAX / 64)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many measurements: " UINT64_FORMAT, num_rows)));
	measured = MemoryContextAllocHuge(CurrentMemoryContext, (num_rows + 1) * sizeof *measured);
	for (uint64 i = 0; i < num_rows; i++)
	{
		const double *numbers = rows[i].numbers;
		Measurement *m = &measured[n];
		const Workload *scenario;

		CHECK_FOR_INTERRUPTS();
		m->gpu = gpu_find(rows[i].gpu, strlen(rows[i].gpu));
		m->llm = llm_find(rows[i].llm, strlen(rows[i].llm));
		scenario = scenario_find(rows[i].scenario, strlen(rows[i].scenario));
		if (!m->gpu || !m->llm || !scenario)
			refuse(i, &rows[i], "a name is not known");
		m->scenario = scenario;
		m->workload = *scenario;
		m->workload.arrival_rate_qps = first_known(numbers[ARRIVAL_RATE], scenario->arrival_rate_qps);
		m->workload.prompt_tokens = first_known(numbers[PROMPT_TOKENS], scenario->prompt_tokens);
		m->workload.output_tokens = first_known(numbers[OUTPUT_TOKENS], scenario->output_tokens);
		m->workload.num_gpus = first_known(numbers[NUM_GPUS], 1);
		m->power_w = numbers[POWER];
		m->itl_s = numbers[ITL];
		m->runs = first_known(numbers[RUNS], 1);
		n++;
	}
	*count = n;
	return measured;
}

double
measurement_target(const Measurement *m, Target target)
{
	return target == TARGET_POWER ? m->power_w : m->itl_s;
}

/* The published models and their evaluation know dense LLMs only. */
static bool
measurement_is_dense(const Measurement *m)
{
	return m->llm->total_params_b == m->llm->active_params_b;
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
			isfinite(measurement_target(m, target)) && (target != TARGET_POWER || isfinite(m->gpu->tdp_w)) &&
			(isnan(m->workload.arrival_rate_qps) || !(m->workload.output_tokens < 2)))
			rows[kept++] = *m;
	}
	return kept;
}
