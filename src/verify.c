/*
 * wattgpu_verify_model: the forest held to libxgboost.
 */
#include "wattgpu.h"

#include <math.h>

#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "booster.h"
#include "model.h"

#define BATCH 4096

typedef struct Comparison
{
	const Model *model;
	Booster    *booster;
	float	   *x;
	int			rows;
	int64		vectors;
	int64		mismatches;
	double		max_relative_difference;
} Comparison;

static void
compare_batch(Comparison *c)
{
	int			columns = c->model->num_features;
	float	   *expected;

	CHECK_FOR_INTERRUPTS();
	if (c->rows == 0)
		return;
	expected = booster_margins(c->booster, (Matrix) {c->x, c->rows, columns});
	for (int i = 0; i < c->rows; i++)
	{
		const float *x = c->x + (Size) i * columns;
		float		margin;
		float		next;

		/* Each vector beside the next one: predictions come in pairs. */
		model_margins(c->model, x, c->x + (Size) ((i + 1) % c->rows) * columns, &margin, &next);
		if (margin != expected[i] || next != expected[(i + 1) % c->rows] || forest_eval(&c->model->forest, x) != expected[i])
		{
			double		difference = fabs((double) margin - expected[i]) / fabs((double) expected[i]);

			c->mismatches++;
			c->max_relative_difference = fmax(c->max_relative_difference, difference);
		}
	}
	pfree(expected);
	c->vectors += c->rows;
	c->rows = 0;
}

static float *
next_row(Comparison *c)
{
	if (c->rows == BATCH)
		compare_batch(c);
	return c->x + (Size) c->rows++ * c->model->num_features;
}

static char **
all_names(const char *query, int *count)
{
	MemoryContext caller = CurrentMemoryContext;
	char	  **names;

	catalogue_connect();
	if (SPI_execute(catalogue_query(query), true, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not read the catalogue");
	*count = (int) SPI_processed;
	names = MemoryContextAlloc(caller, (SPI_processed + 1) * sizeof *names);
	for (uint64 i = 0; i < SPI_processed; i++)
		names[i] = MemoryContextStrdup(caller, SPI_getvalue(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 1));
	catalogue_disconnect();
	return names;
}

/* Both regimes where the model knows them apart: a full batch, and one request at a time. */
static void
add_vectors(Comparison *c, const GpuSpec *gpu, const LlmSpec *llm, const Workload *w)
{
	if (!c->model->physical)
	{
		Subject		s = {.gpu = gpu, .llm = llm, .workload = w};

		model_vector(c->model, &s, next_row(c));
		return;
	}
	for (int full = 0; full < 2; full++)
	{
		Served		served = physical_serve(c->model->itl ? c->model->itl : c->model, gpu, llm, w);
		Subject		s = physical_subject(c->model, gpu, llm, &served, full == 1);

		model_vector(c->model, &s, next_row(c));
	}
}

static void
compare_catalogue(Comparison *c)
{
	int			num_gpus,
				num_llms,
				num_scenarios;
	char	  **gpus = all_names("SELECT gpu FROM %1$s.wattgpu_gpus ORDER BY gpu", &num_gpus);
	char	  **llms = all_names("SELECT llm FROM %1$s.wattgpu_llms ORDER BY llm", &num_llms);
	char	  **scenarios = all_names("SELECT scenario FROM %1$s.wattgpu_scenarios ORDER BY scenario", &num_scenarios);

	for (int g = 0; g < num_gpus; g++)
		for (int l = 0; l < num_llms; l++)
			for (int s = 0; s < num_scenarios; s++)
			{
				const GpuSpec *gpu = gpu_find(gpus[g], strlen(gpus[g]));
				const LlmSpec *llm = llm_find(llms[l], strlen(llms[l]));
				const Workload *w = scenario_find(scenarios[s], strlen(scenarios[s]));

				if (gpu && llm && w)
					add_vectors(c, gpu, llm, w);
			}
}

/* xorshift64: the vectors must be the same on every server version, whose own generators differ. */
static uint64
next_random(uint64 *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* Each value is a threshold of the forest's own, one float below or above it, or missing: where trees could differ. */
static void
compare_random(Comparison *c, int rows)
{
	const Forest *forest = &c->model->forest;
	uint64		state = 20260704;

	for (int i = 0; i < rows; i++)
	{
		float	   *x = next_row(c);

		for (int f = 0; f < c->model->num_features; f++)
		{
			const ForestNode *node = &forest->nodes[next_random(&state) % forest->num_nodes];

			for (int tries = 0; tries < 64 && (node->left == 0 || node->feature != f); tries++)
				node = &forest->nodes[next_random(&state) % forest->num_nodes];
			switch (next_random(&state) % 5)
			{
				case 0:
					x[f] = NAN;
					break;
				case 1:
					x[f] = nextafterf(node->value, -INFINITY);
					break;
				case 2:
					x[f] = nextafterf(node->value, INFINITY);
					break;
				default:
					x[f] = node->value;
			}
		}
	}
}

PG_FUNCTION_INFO_V1(wattgpu_verify_model);

/* model, target, random_rows */
Datum
wattgpu_verify_model(PG_FUNCTION_ARGS)
{
	int			random_rows = PG_GETARG_INT32(2);
	Comparison	c = {0};
	bytea	   *bytes;
	TupleDesc	desc;
	Datum		values[3];
	bool		nulls[3] = {false};

	if (random_rows < 0 || random_rows > 1000000)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("random_rows is %d, which is out of range", random_rows),
				 errhint("It must be from 0 to 1000000.")));
	catalogue_begin(fcinfo);
	c.model = model_find(target_parse(PG_GETARG_TEXT_PP(1)), text_to_cstring(PG_GETARG_TEXT_PP(0)));
	bytes = model_booster(c.model);
	c.booster = booster_load(VARDATA(bytes), VARSIZE(bytes) - VARHDRSZ);
	c.x = palloc((Size) BATCH * c.model->num_features * sizeof(float));
	compare_catalogue(&c);
	compare_random(&c, random_rows);
	compare_batch(&c);
	booster_free(c.booster);

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "wattgpu_verify_model does not return a row");
	values[0] = Int64GetDatum(c.vectors);
	values[1] = Int64GetDatum(c.mismatches);
	values[2] = Float8GetDatum(c.max_relative_difference);
	return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc), values, nulls));
}
