/*
 * The published evaluation: predictions for what was left out of training.
 */
#include "evaluate.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "portability/instr_time.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "names.h"
#include "stats.h"

static const char *const strategy_names[] = {
	[STRATEGY_CV] = "CV",
	[STRATEGY_LOGO] = "LOGO",
	[STRATEGY_LOLO] = "LOLO",
	[STRATEGY_BOTH] = "BOTH",
};

#define CV_FOLDS 5
#define LLM_GROUPS 6			/* of STRATEGY_BOTH: one model a GPU and LLM would take hours */

/* What stands in for a model: the physical baselines need no training. */
static const struct
{
	const char *name;
	Target		target;
}			baselines[] = {
	{"tdp", TARGET_POWER},
	{"load_scaled_tdp", TARGET_POWER},
	{"roofline", TARGET_ITL},
};

/* The place of each key among the distinct ones, which are sorted into groups; returns how many there are. */
static int
rank_keys(const char **keys, int n, const char **groups, int *rank)
{
	int			num_groups = 0;

	memcpy(groups, keys, sizeof *groups * n);
	qsort(groups, n, sizeof *groups, name_compare);
	for (int i = 0; i < n; i++)
		if (num_groups == 0 || strcmp(groups[num_groups - 1], groups[i]) != 0)
			groups[num_groups++] = groups[i];
	for (int i = 0; i < n; i++)
		rank[i] = (int) ((const char **) bsearch(&keys[i], groups, num_groups, sizeof *groups, name_compare) - groups);
	return num_groups;
}

/*
 * Folds come from the sorted distinct GPUs, LLMs or pairs of them, so they
 * depend on which rows there are and not on their order. CV deals the pairs
 * out in turn.
 */
static void
make_folds(Evaluation *e)
{
	bool		apart = e->training != e->rows;
	int			total = e->n + (apart ? e->num_training : 0);
	const char **keys = palloc(sizeof *keys * (total + 1));
	const char **gpus = palloc(sizeof *gpus * (total + 1));
	const char **groups = palloc(sizeof *groups * (total + 1));
	int		   *gpu = palloc(sizeof *gpu * (total + 1));
	int		   *fold = palloc(sizeof *fold * (total + 1));
	int			num_gpus;
	int			num_groups;

	for (int i = 0; i < total; i++)
		keys[i] = (i < e->n ? &e->rows[i] : &e->training[i - e->n])->gpu->gpu;
	num_gpus = rank_keys(keys, total, gpus, gpu);
	for (int i = 0; i < total; i++)
	{
		const Measurement *m = i < e->n ? &e->rows[i] : &e->training[i - e->n];

		if (e->strategy == STRATEGY_CV)
			keys[i] = psprintf("%s\n%s", m->gpu->gpu, m->llm->llm);
		else if (e->strategy != STRATEGY_LOGO)
			keys[i] = m->llm->llm;
	}
	num_groups = rank_keys(keys, total, groups, fold);

	switch (e->strategy)
	{
		case STRATEGY_CV:
			e->num_folds = Min(CV_FOLDS, num_groups);
			for (int i = 0; i < total; i++)
				fold[i] %= e->num_folds;
			break;
		case STRATEGY_BOTH:
			e->num_folds = num_gpus * LLM_GROUPS;
			for (int i = 0; i < total; i++)
				fold[i] = gpu[i] * LLM_GROUPS + fold[i] % LLM_GROUPS;
			break;
		default:
			e->num_folds = num_groups;
	}
	e->folds = palloc(sizeof *e->folds * (e->num_folds + 1));
	for (int f = 0; f < e->num_folds; f++)
		e->folds[f] = e->strategy == STRATEGY_CV ? psprintf("%d", f + 1)
			: e->strategy == STRATEGY_BOTH ? psprintf("%s and LLM group %d", gpus[f / LLM_GROUPS], f % LLM_GROUPS + 1)
			: groups[f];
	e->row_fold = fold;
	e->training_fold = apart ? fold + e->n : fold;
}

/* Whether a training row must not be learnt from when a fold is predicted. */
static bool
is_left_out(const Evaluation *e, int row, int fold)
{
	int			f = e->training_fold[row];

	if (e->strategy == STRATEGY_BOTH)
		return f / LLM_GROUPS == fold / LLM_GROUPS || f % LLM_GROUPS == fold % LLM_GROUPS;
	return f == fold;
}

static double
predict_baseline(const Evaluation *e, const Measurement *m)
{
	if (strcmp(e->baseline, "tdp") == 0)
		return m->gpu->tdp_w;
	if (strcmp(e->baseline, "load_scaled_tdp") == 0)
		return load_share(&m->workload) * m->gpu->tdp_w;
	return roofline_itl_s(m->gpu, m->llm, &m->workload);
}

static void
run_fold(Evaluation *e, int fold)
{
	MemoryContext memory = AllocSetContextCreate(CurrentMemoryContext, "wattgpu fold", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(memory);
	Measurement *kept = palloc(sizeof *kept * (e->num_training + 1));
	int			n = 0;
	int			first = 0;
	instr_time	start;
	instr_time	end;
	Fitted	   *f;

	INSTR_TIME_SET_CURRENT(start);
	while (first < e->n && e->row_fold[first] != fold)
		first++;
	if (first == e->n)
	{
		MemoryContextSwitchTo(caller);
		MemoryContextDelete(memory);
		return;
	}
	for (int i = 0; i < e->num_training; i++)
		if (!is_left_out(e, i, fold))
			kept[n++] = e->training[i];
	if (n < 2)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("without fold %d (%s) there are too few measurements to train: %d", fold + 1, e->folds[fold], n),
				 errhint("%s needs at least two groups to leave out one.", strategy_names[e->strategy])));
	f = recipe_fit(e->recipe, &e->params, kept, n, NULL, e->itl_params);
	for (int i = 0; i < e->n; i++)
		if (e->row_fold[i] == fold)
		{
			const Measurement *m = &e->rows[i];

			e->predicted[i] = model_predict(&f->model, m->gpu, m->llm, &m->workload);
			if (e->predicted_by_scenario)
				e->predicted_by_scenario[i] = model_predict(&f->model, m->gpu, m->llm, m->scenario);
		}
	INSTR_TIME_SET_CURRENT(end);
	INSTR_TIME_SUBTRACT(end, start);
	ereport(NOTICE,
			(errmsg("fold %d of %d: %s, %.1f s", fold + 1, e->num_folds, e->folds[fold], INSTR_TIME_GET_DOUBLE(end))));
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(memory);
}

static Strategy
parse_strategy(const char *name)
{
	for (size_t i = 0; i < lengthof(strategy_names); i++)
		if (strcmp(strategy_names[i], name) == 0)
			return (Strategy) i;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("unknown strategy \"%s\"", name),
			 errhint("The strategies are \"CV\", \"LOGO\" (leave one GPU out), \"LOLO\" (leave one LLM out) and \"BOTH\".")));
}

/* The recipe and parameters of a stored model; NULL if there is none. */
static const Recipe *
stored_recipe(const char *name, Target target, Params *params)
{
	Oid			types[] = {TEXTOID, TEXTOID};
	Datum		values[] = {CStringGetTextDatum(name), CStringGetTextDatum(target_name(target))};
	MemoryContext caller = CurrentMemoryContext;
	const Recipe *recipe = NULL;
	bool		isnull;

	catalogue_connect();
	if (SPI_execute_with_args(catalogue_query("SELECT m.recipe, m.params FROM %1$s.wattgpu_models m"
											  " WHERE m.model OPERATOR(pg_catalog.=) $1 AND m.target OPERATOR(pg_catalog.=) $2"),
							  2, types, values, NULL, true, 1) != SPI_OK_SELECT)
		elog(ERROR, "could not read wattgpu_models");
	if (SPI_processed > 0)
	{
		recipe = recipe_find(target, TextDatumGetCString(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull)));
		params->rounds = recipe->rounds;
		MemoryContextSwitchTo(caller);
		params_read(DatumGetJsonbP(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 2, &isnull)), params);
	}
	catalogue_disconnect();
	return recipe;
}

/* A stored model stands for its recipe and parameters: each fold trains it anew, with the itl that it is based on. */
static void
find_method(Evaluation *e, const char *name)
{
	for (size_t i = 0; i < lengthof(baselines); i++)
		if (strcmp(baselines[i].name, name) == 0 && baselines[i].target == e->target)
		{
			e->baseline = baselines[i].name;
			return;
		}
	e->recipe = stored_recipe(name, e->target, &e->params);
	if (!e->recipe)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("there is no model \"%s\" for %s", name, target_name(e->target)),
				 errhint("Table wattgpu_models lists the models there are; the baselines are \"tdp\" and \"load_scaled_tdp\" for power, \"roofline\" for itl.")));
	if (e->recipe->physical && e->target == TARGET_POWER)
	{
		e->itl_params = palloc0(sizeof *e->itl_params);
		if (!stored_recipe(name, TARGET_ITL, e->itl_params))
			e->itl_params = NULL;
	}
}

Evaluation *
evaluation_new(Target target, Strategy strategy, const char *model, Oid measurements, Oid training)
{
	Evaluation *e = palloc0(sizeof *e);
	RawMeasurements *raw = measurements_read(OidIsValid(measurements) ? measurements : catalogue_measurements());
	RawMeasurements *raw_training = OidIsValid(training) ? measurements_read(training) : NULL;

	e->target = target;
	e->strategy = strategy;
	find_method(e, model);
	e->rows = measurements_resolve(raw, &e->n);
	e->n = measurements_select(e->rows, e->n, target);
	e->training = e->rows;
	e->num_training = e->n;
	if (raw_training)
	{
		e->training = measurements_resolve(raw_training, &e->num_training);
		e->num_training = measurements_select(e->training, e->num_training, target);
	}
	if (e->n < (raw_training ? 1 : 2))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("there are too few measurements to evaluate %s on: %d", target_name(target), e->n),
				 errhint("Rows count where a dense LLM ran on one GPU, the target was measured, and answers had more than one token.")));
	make_folds(e);
	e->predicted = palloc(sizeof *e->predicted * e->n);
	return e;
}

void
evaluation_run(Evaluation *e)
{
	for (int i = 0; e->baseline && i < e->n; i++)
		e->predicted[i] = predict_baseline(e, &e->rows[i]);
	for (int f = 0; !e->baseline && f < e->num_folds; f++)
		run_fold(e, f);
}

/* What a fold's model has not seen of what it predicts. */
Novelty
strategy_novelty(Strategy strategy)
{
	switch (strategy)
	{
		case STRATEGY_LOGO:
			return NOVELTY_GPU;
		case STRATEGY_LOLO:
			return NOVELTY_LLM;
		case STRATEGY_BOTH:
			return NOVELTY_BOTH;
		default:
			return NOVELTY_NONE;
	}
}

/* target, strategy, model, measurements, training */
static Evaluation *
evaluate(FunctionCallInfo fcinfo, const double **intervals)
{
	Target		target;
	Strategy	strategy;
	const char *model = text_to_cstring(PG_GETARG_TEXT_PP(2));
	Evaluation *e;

	catalogue_begin(fcinfo);
	target = target_parse(PG_GETARG_TEXT_PP(0));
	strategy = parse_strategy(text_to_cstring(PG_GETARG_TEXT_PP(1)));
	e = evaluation_new(target, strategy, model, PG_ARGISNULL(3) ? InvalidOid : PG_GETARG_OID(3),
					   PG_ARGISNULL(4) ? InvalidOid : PG_GETARG_OID(4));
	evaluation_run(e);
	*intervals = e->baseline ? NULL : model_find(target, model)->intervals;
	return e;
}

/* The 90 % interval that the stored model would give with this novelty; NAN if it is not calibrated. */
static void
interval_of(const Evaluation *e, int row, const double *intervals, double *lo, double *hi)
{
	const Workload *w = &e->rows[row].workload;
	int			i = interval_index(strategy_novelty(e->strategy), isnan(w->arrival_rate_qps), !isnan(w->output_tokens));

	*lo = intervals ? e->predicted[row] * exp(intervals[i]) : NAN;
	*hi = intervals ? e->predicted[row] * exp(intervals[i + 1]) : NAN;
}

static bool
any_null(FunctionCallInfo fcinfo)
{
	return PG_ARGISNULL(0) || PG_ARGISNULL(1) || PG_ARGISNULL(2);
}

PG_FUNCTION_INFO_V1(wattgpu_cross_validate);

Datum
wattgpu_cross_validate(PG_FUNCTION_ARGS)
{
	ResultSet	result = result_set_begin(fcinfo);
	Evaluation *e;
	const double *intervals;

	if (any_null(fcinfo))
		return (Datum) 0;
	e = evaluate(fcinfo, &intervals);
	for (int i = 0; i < e->n; i++)
	{
		const Measurement *m = &e->rows[i];
		double		measured = measurement_target(m, e->target);
		Datum		values[13];
		bool		nulls[13] = {false};
		double		lo;
		double		hi;

		values[0] = CStringGetTextDatum(e->folds[e->row_fold[i]]);
		values[1] = CStringGetTextDatum(m->gpu->gpu);
		values[2] = CStringGetTextDatum(m->llm->llm);
		values[3] = CStringGetTextDatum(m->workload.scenario);
		values[4] = Float8GetDatum(m->workload.arrival_rate_qps);
		nulls[4] = isnan(m->workload.arrival_rate_qps);
		values[5] = Float8GetDatum(m->workload.prompt_tokens);
		values[6] = Float8GetDatum(m->workload.output_tokens);
		nulls[6] = isnan(m->workload.output_tokens);
		values[7] = Int32GetDatum((int32) m->runs);
		values[8] = Float8GetDatum(measured);
		values[9] = Float8GetDatum(e->predicted[i]);
		values[10] = Float8GetDatum((e->predicted[i] - measured) / measured);
		nulls[9] = nulls[10] = !isfinite(e->predicted[i]);
		interval_of(e, i, intervals, &lo, &hi);
		values[11] = Float8GetDatum(lo);
		nulls[11] = !isfinite(lo);
		values[12] = Float8GetDatum(hi);
		nulls[12] = !isfinite(hi);
		tuplestore_putvalues(result.store, result.desc, values, nulls);
	}
	return (Datum) 0;
}

/*
 * Mean over groups of Kendall's tau-b between measured and predicted, each
 * taken as the mean over a group's rows of one member: over the GPUs for each
 * LLM and scenario, or over the LLMs for each GPU and scenario. Groups that
 * are constant or of one member have no tau and are left out.
 */
typedef struct TauRow
{
	const char *group;
	const char *scenario;
	const char *member;
	double		measured;
	double		predicted;
} TauRow;

static int
compare_groups(const TauRow *a, const TauRow *b)
{
	int			c = strcmp(a->group, b->group);

	return c ? c : strcmp(a->scenario, b->scenario);
}

static int
compare_tau_rows(const void *x, const void *y)
{
	const TauRow *a = x;
	const TauRow *b = y;
	int			c = compare_groups(a, b);

	return c ? c : strcmp(a->member, b->member);
}

/* Means of equal values over unequal numbers of rows may differ in their last bits, and are ties all the same. */
static double
without_noise(double x)
{
	int			exponent;
	double		fraction = frexp(x, &exponent);

	return ldexp(rint(fraction * 1e12) / 1e12, exponent);
}

static double
mean_tau(TauRow *rows, int n)
{
	double	   *measured = palloc(sizeof *measured * (n + 1));
	double	   *predicted = palloc(sizeof *predicted * (n + 1));
	double		sum = 0;
	int			groups = 0;

	qsort(rows, n, sizeof *rows, compare_tau_rows);
	for (int i = 0; i < n;)
	{
		int			group = i;
		int			members = 0;
		double		tau;

		while (i < n && compare_groups(&rows[i], &rows[group]) == 0)
		{
			int			member = i;

			measured[members] = predicted[members] = 0;
			for (; i < n && compare_tau_rows(&rows[i], &rows[member]) == 0; i++)
			{
				measured[members] += rows[i].measured;
				predicted[members] += rows[i].predicted;
			}
			measured[members] = without_noise(measured[members] / (i - member));
			predicted[members] = without_noise(predicted[members] / (i - member));
			members++;
		}
		tau = kendall_tau_b(measured, predicted, members);
		if (!isnan(tau))
		{
			sum += tau;
			groups++;
		}
	}
	pfree(measured);
	pfree(predicted);
	return groups > 0 ? sum / groups : NAN;
}

PG_FUNCTION_INFO_V1(wattgpu_evaluate);

Datum
wattgpu_evaluate(PG_FUNCTION_ARGS)
{
	ResultSet	result = result_set_begin(fcinfo);
	Evaluation *e;
	double	   *truth;
	double	   *predicted;
	double	   *scratch;
	TauRow	   *taus;
	const double *intervals;

	if (any_null(fcinfo))
		return (Datum) 0;
	e = evaluate(fcinfo, &intervals);
	truth = palloc(sizeof *truth * e->n);
	predicted = palloc(sizeof *predicted * e->n);
	scratch = palloc(sizeof *scratch * e->n);
	taus = palloc(sizeof *taus * e->n);
	for (int offline = 1; offline >= 0; offline--)
	{
		int			k = 0;
		int			inside = 0;
		int			judged = 0;
		double		figures[5];
		int			unpredicted = 0;
		Datum		values[8];
		bool		nulls[8] = {false};
		int		   *members = palloc(sizeof *members * e->n);
		double		lo;
		double		hi;

		for (int i = 0; i < e->n; i++)
		{
			if (isnan(e->rows[i].workload.arrival_rate_qps) != offline)
				continue;
			unpredicted += !isfinite(e->predicted[i]);
			if (isfinite(e->predicted[i]))
			{
				members[k] = i;
				truth[k] = measurement_target(&e->rows[i], e->target);
				predicted[k++] = e->predicted[i];
				interval_of(e, i, intervals, &lo, &hi);
				judged += isfinite(lo) && isfinite(hi);
				inside += lo <= truth[k - 1] && truth[k - 1] <= hi;
			}
		}
		figures[0] = mdape(truth, predicted, k, scratch);
		figures[1] = pearson_r(truth, predicted, k);
		for (int i = 0; i < k; i++)
			taus[i] = (TauRow) {e->rows[members[i]].llm->llm, e->rows[members[i]].workload.scenario, e->rows[members[i]].gpu->gpu, truth[i], predicted[i]};
		figures[2] = mean_tau(taus, k);
		for (int i = 0; i < k; i++)
			taus[i] = (TauRow) {e->rows[members[i]].gpu->gpu, e->rows[members[i]].workload.scenario, e->rows[members[i]].llm->llm, truth[i], predicted[i]};
		figures[3] = mean_tau(taus, k);
		figures[4] = judged > 0 ? (double) inside / judged : NAN;

		values[0] = CStringGetTextDatum(offline ? "offline" : "server");
		values[1] = Int64GetDatum(k);
		for (int f = 0; f < 5; f++)
		{
			values[2 + f] = Float8GetDatum(figures[f]);
			nulls[2 + f] = isnan(figures[f]);
		}
		values[7] = Int64GetDatum(unpredicted);
		tuplestore_putvalues(result.store, result.desc, values, nulls);
		pfree(members);
	}
	return (Datum) 0;
}
