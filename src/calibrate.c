/*
 * wattgpu_calibrate: the 90 % intervals of a stored model, from the errors that
 * its recipe makes on what it was not trained on.
 */
#include "evaluate.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "stats.h"
#include "unknown.h"

/*
 * Eight cards say little about a ninth family: for an unseen GPU the interval
 * reaches somewhat further than the errors on the eight would have it.
 */
static double
tail_of(Novelty novelty)
{
	return novelty == NOVELTY_GPU || novelty == NOVELTY_BOTH ? 0.035 : 0.05;
}

static void
fill_intervals(const Evaluation *e, const double *predicted, bool given, double *intervals)
{
	Novelty		novelty = strategy_novelty(e->strategy);
	double	   *errors = palloc(sizeof *errors * (e->n + 1));

	for (int offline = 0; offline < 2; offline++)
	{
		int			at = interval_index(novelty, offline == 1, given);
		int			k = 0;

		for (int i = 0; i < e->n; i++)
			if (isnan(e->rows[i].workload.arrival_rate_qps) == offline && predicted[i] > 0)
				errors[k++] = log(measurement_target(&e->rows[i], e->target) / predicted[i]);
		/* The prediction itself always lies within. */
		intervals[at] = least(0, quantile(errors, k, tail_of(novelty)));
		intervals[at + 1] = most(0, quantile(errors, k, 1 - tail_of(novelty)));
	}
	pfree(errors);
}

/* What has seen less is never the narrower, whatever the few cards say. */
static void
widen(double *intervals)
{
	static const Novelty less[][2] = {
		{NOVELTY_NONE, NOVELTY_LLM}, {NOVELTY_NONE, NOVELTY_GPU}, {NOVELTY_LLM, NOVELTY_BOTH}, {NOVELTY_GPU, NOVELTY_BOTH}
	};

	for (int given = 0; given < 2; given++)
		for (int offline = 0; offline < 2; offline++)
			for (size_t i = 0; i < lengthof(less); i++)
			{
				const double *from = intervals + interval_index(less[i][0], offline == 1, given == 1);
				double	   *to = intervals + interval_index(less[i][1], offline == 1, given == 1);

				to[0] = least(from[0], to[0]);
				to[1] = most(from[1], to[1]);
			}
}

static void
store_intervals(const char *model, Target target, const double *intervals)
{
	Oid			types[] = {TEXTOID, TEXTOID, FLOAT8ARRAYOID};
	Datum		values[3] = {CStringGetTextDatum(model), CStringGetTextDatum(target_name(target))};

	values[2] = double_array(intervals, NUM_INTERVALS);
	SPI_connect();
	if (SPI_execute_with_args(catalogue_query("UPDATE %1$s.wattgpu_models SET intervals = $3"
											  " WHERE model OPERATOR(pg_catalog.=) $1 AND target OPERATOR(pg_catalog.=) $2"),
							  3, types, values, NULL, false, 0) != SPI_OK_UPDATE)
		elog(ERROR, "could not store the intervals of model \"%s\"", model);
	if (SPI_processed > 0)
		model_seal(model, target_name(target));
	SPI_finish();
}

PG_FUNCTION_INFO_V1(wattgpu_calibrate);

/* model, target (NULL: both), measurements, training */
Datum
wattgpu_calibrate(PG_FUNCTION_ARGS)
{
	const char *name;
	double		intervals[NUM_TARGETS][NUM_INTERVALS];
	bool		wanted[NUM_TARGETS] = {true, true};

	require_argument(fcinfo, 0, "model", "Table wattgpu_models lists the models there are.");
	catalogue_begin(fcinfo);
	catalogue_require_owner("calibrate");
	name = text_to_cstring(PG_GETARG_TEXT_PP(0));
	for (int t = 0; t < NUM_TARGETS; t++)
	{
		wanted[t] = PG_ARGISNULL(1) || target_parse(PG_GETARG_TEXT_PP(1)) == (Target) t;
		if (!wanted[t])
			continue;
		model_find((Target) t, name);
		for (int s = 0; s < NUM_STRATEGIES; s++)
		{
			Evaluation *e = evaluation_new((Target) t, (Strategy) s, name, PG_ARGISNULL(2) ? InvalidOid : PG_GETARG_OID(2),
										   PG_ARGISNULL(3) ? InvalidOid : PG_GETARG_OID(3));

			if (e->baseline)
				elog(ERROR, "\"%s\" is a baseline and not a stored model", name);
			e->predicted_by_scenario = palloc(sizeof(double) * e->n);
			evaluation_run(e);
			fill_intervals(e, e->predicted, true, intervals[t]);
			fill_intervals(e, e->predicted_by_scenario, false, intervals[t]);
		}
		widen(intervals[t]);
	}
	for (int t = 0; t < NUM_TARGETS; t++)
		if (wanted[t])
			store_intervals(name, (Target) t, intervals[t]);
	PG_RETURN_VOID();
}
