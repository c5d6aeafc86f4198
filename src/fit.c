/*
 * Fitting a model on measured rows as a recipe says.
 */
#include "train.h"

#include <math.h>

#include "miscadmin.h"

#include "names.h"
#include "nnls.h"
#include "unknown.h"

/* A row is shown again with the card's features missing, at this weight: so one booster serves known and unseen cards. */
#define MASKED_WEIGHT 0.5

/* Regularisation was chosen for means over a few runs: where rows hold more, they weigh in proportion, but no more in all. */
#define MAX_MEAN_RUNS 10.0

/* Robust fits follow most rows: within the tolerance errors count in full, beyond it in proportion less. */
#define FIT_ROUNDS 10
#define STEP_TOLERANCE 0.1
#define DRAW_ROUNDS 12
#define DRAW_TOLERANCE 0.05
#define DRAW_RIDGE 0.005

/* Sorted and distinct, so that codes do not depend on the rows' order. */
static void
make_distinct(Names *names)
{
	int			n = names->count;

	qsort(names->values, n, sizeof *names->values, name_compare);
	names->count = 0;
	for (int i = 0; i < n; i++)
		if (names->count == 0 || strcmp(names->values[names->count - 1], names->values[i]) != 0)
			names->values[names->count++] = names->values[i];
}

static void
find_names(Model *m, const Measurement *rows, int n)
{
	double	   *runs;

	m->gpus.values = palloc(sizeof(char *) * (n + 1));
	m->llms.values = palloc(sizeof(char *) * (n + 1));
	for (int i = 0; i < n; i++)
	{
		m->gpus.values[i] = rows[i].gpu->gpu;
		m->llms.values[i] = rows[i].llm->llm;
	}
	m->gpus.count = m->llms.count = n;
	make_distinct(&m->gpus);
	make_distinct(&m->llms);

	m->gpu_crcs = palloc0(sizeof(double) * (m->gpus.count + 1));
	m->llm_crcs = palloc0(sizeof(double) * (m->llms.count + 1));
	for (int i = 0; i < n; i++)
	{
		m->gpu_crcs[names_find(&m->gpus, rows[i].gpu->gpu)] = rows[i].gpu->crc;
		m->llm_crcs[names_find(&m->llms, rows[i].llm->llm)] = rows[i].llm->crc;
	}
	m->llm_tokens = palloc0(sizeof(double) * (m->llms.count + 1));
	runs = palloc0(sizeof(double) * (m->llms.count + 1));
	for (int i = 0; i < n; i++)
		if (!isnan(rows[i].workload.output_tokens))
		{
			int			l = names_find(&m->llms, rows[i].llm->llm);

			m->llm_tokens[l] += rows[i].runs * rows[i].workload.output_tokens;
			runs[l] += rows[i].runs;
		}
	for (int l = 0; l < m->llms.count; l++)
		m->llm_tokens[l] = runs[l] > 0 ? m->llm_tokens[l] / runs[l] : NAN;
}

static Served
served_with(const Model *m, const Measurement *row)
{
	Served		s = {.workload = row->workload};

	settle_tokens(m, row->llm, &s);
	s.step = step_of(row->gpu, row->llm, &s.workload);
	return s;
}

/* Little's law on a measured step; no more than the batch holds. */
static double
measured_in_flight(const Step *s, double itl_s)
{
	return least(s->rate * s->tokens * itl_s, s->batch_max);
}

/* Where the rows lie, so that a prediction can tell when it leaves them. */
static void
find_ranges(Model *m, const Measurement *rows, int n)
{
	m->kinds.values = palloc(sizeof(char *) * NUM_KINDS * (n + 1));
	for (int i = 0; i < NUM_RANGES; i++)
		m->ranges[i] = (Range) {INFINITY, -INFINITY};
	for (int i = 0; i < n; i++)
	{
		Served		s = served_with(m, &rows[i]);
		RangeSubject subject = {rows[i].gpu, rows[i].llm, &s.workload, NAN};

		if (!s.step.offline)
			subject.in_flight = s.step.rate * s.step.tokens * rows[i].itl_s;
		range_extend(m->ranges, &subject);
		for (int k = 0; k < NUM_KINDS; k++)
			m->kinds.values[m->kinds.count++] = psprintf("%s=%s", kind_name(k), kind_value(k, rows[i].gpu, rows[i].llm));
	}
	make_distinct(&m->kinds);
	for (int i = 0; i < NUM_INTERVALS; i++)
		m->intervals[i] = NAN;
}

static Fitted *
begin_fit(const Recipe *recipe, const Measurement *rows, int n, int presentations)
{
	Fitted	   *f = palloc0(sizeof *f);
	Model	   *m = &f->model;
	int			most = n * presentations + 1;

	m->target = recipe->target;
	m->physical = recipe->physical;
	m->num_features = recipe->num_features;
	m->features = palloc(sizeof *m->features * m->num_features);
	m->categories = palloc0(sizeof *m->categories * m->num_features);
	find_names(m, rows, n);
	find_ranges(m, rows, n);
	for (int i = 0; i < m->num_features; i++)
	{
		Names	   *c = &m->categories[i];

		if (!feature_find(recipe->features[i], &m->features[i]))
			elog(ERROR, "recipe %s has an unknown feature %s", recipe->name, recipe->features[i]);
		if (!m->features[i].category)
			continue;
		c->values = palloc(sizeof(char *) * (n + 1));
		for (int r = 0; r < n; r++)
		{
			Subject		s = {.gpu = rows[r].gpu, .llm = rows[r].llm, .workload = &rows[r].workload, .gpu_known = true, .llm_known = true};
			const char *value = feature_category(m->features[i], &s);

			if (value)
				c->values[c->count++] = value;
		}
		make_distinct(c);
	}
	m->order = feature_order(m->features, m->num_features);
	f->x.columns = m->num_features;
	f->x.values = palloc(sizeof(float) * most * m->num_features);
	f->label = palloc(sizeof(float) * most);
	f->weight = palloc(sizeof(float) * most);
	f->rows = n;
	for (int i = 0; i < n; i++)
		f->runs += rows[i].runs;
	f->weight_scale = least(1, MAX_MEAN_RUNS * n / f->runs);
	return f;
}

static void
add_row(Fitted *f, const Subject *s, double label, double weight)
{
	CHECK_FOR_INTERRUPTS();
	model_vector(&f->model, s, f->x.values + (Size) f->x.rows * f->x.columns);
	f->label[f->x.rows] = (float) label;
	f->weight[f->x.rows++] = (float) (weight * f->weight_scale);
}

/* The booster's columns that may only raise the prediction, as XGBoost wants to be told. */
static char *
monotone_constraints(const Recipe *recipe)
{
	StringInfoData list;

	initStringInfo(&list);
	for (int i = 0; i < recipe->num_features; i++)
	{
		bool		rises = false;

		for (int r = 0; recipe->rising && recipe->rising[r]; r++)
			rises |= strcmp(recipe->rising[r], recipe->features[i]) == 0;
		appendStringInfo(&list, "%c%d", i == 0 ? '(' : ',', rises ? 1 : 0);
	}
	appendStringInfoChar(&list, ')');
	return list.data;
}

static bool
has_param(const Params *params, const char *name)
{
	for (int i = 0; i < params->count; i++)
		if (strcmp(params->list[i].name, name) == 0)
			return true;
	return false;
}

static void
finish_fit(Fitted *f, const Recipe *recipe, const Params *params, double base_score)
{
	Params		all = *params;
	const char *wrong;

	all.list[all.count++] = (BoosterParam) {"objective", recipe->objective};
	all.list[all.count++] = (BoosterParam) {"tree_method", "hist"};
	/* Only where trees grow by their best leaf does it matter how many there may be. */
	all.list[all.count++] = (BoosterParam) {"grow_policy", has_param(params, "max_leaves") ? "lossguide" : "depthwise"};
	all.list[all.count++] = (BoosterParam) {"base_score", psprintf("%.9g", base_score)};
	if (recipe->rising)
		all.list[all.count++] = (BoosterParam) {"monotone_constraints", monotone_constraints(recipe)};
	f->booster = booster_train(f->x, f->label, f->weight, all.list, all.count, all.rounds);
	f->model.booster = booster_save(f->booster);
	wrong = model_read_forest(&f->model);
	if (wrong)
		ereport(ERROR,
				(errcode(ERRCODE_EXTERNAL_ROUTINE_EXCEPTION),
				 errmsg("libxgboost saved a booster that cannot be read: %s", wrong)));
}

/*
 * The published recipe learns power as a share of TDP and the logarithm of the
 * ITL. Rows are means over runs and weigh as many runs as they hold: XGBoost's
 * lambda is felt relative to the total weight, so unweighted means would be
 * regularised several times as hard as the runs behind them.
 */
static Fitted *
fit_paper(const Recipe *recipe, const Params *params, const Measurement *rows, int n)
{
	Fitted	   *f = begin_fit(recipe, rows, n, 1);
	double		sum = 0;

	for (int i = 0; i < n; i++)
	{
		Subject		s = {.gpu = rows[i].gpu, .llm = rows[i].llm, .workload = &rows[i].workload};

		add_row(f, &s, recipe->target == TARGET_POWER ? rows[i].power_w / rows[i].gpu->tdp_w : log(rows[i].itl_s), rows[i].runs);
		sum += rows[i].runs * f->label[i];
	}
	finish_fit(f, recipe, params, sum / f->runs);
	return f;
}

static bool
all_finite(const double *values, int n)
{
	for (int i = 0; i < n; i++)
		if (!isfinite(values[i]))
			return false;
	return true;
}

/* What was gathered of the rows of one regime, to fit weights of terms on. */
typedef struct Terms
{
	int			columns;
	int			count;
	double	   *values;
	double	   *target;
	double	   *weight;
	double	   *busy;
	double	   *cap;
	int		   *rows;			/* which of the measurements */
} Terms;

static Terms
new_terms(int columns, int n)
{
	Terms		t = {.columns = columns};

	t.values = palloc(sizeof(double) * columns * (n + 1));
	t.target = palloc(sizeof(double) * (n + 1));
	t.weight = palloc(sizeof(double) * (n + 1));
	t.busy = palloc(sizeof(double) * (n + 1));
	t.cap = palloc(sizeof(double) * (n + 1));
	t.rows = palloc(sizeof(int) * (n + 1));
	return t;
}

static void
add_terms(Terms *t, const double *values, double target, int row)
{
	memcpy(t->values + (Size) t->columns * t->count, values, sizeof(double) * t->columns);
	t->target[t->count] = target;
	t->rows[t->count++] = row;
}

/* Cards weigh the same, however many LLMs ran on each. */
static void
weigh_cards(Terms *t, const Model *m, const Measurement *rows)
{
	int		   *same = palloc0(sizeof *same * (m->gpus.count + 1));

	for (int i = 0; i < t->count; i++)
		same[names_find(&m->gpus, rows[t->rows[i]].gpu->gpu)]++;
	for (int i = 0; i < t->count; i++)
		t->weight[i] = 1.0 / same[names_find(&m->gpus, rows[t->rows[i]].gpu->gpu)];
	pfree(same);
}

static void
check_fitted(bool fitted, const Terms *t, const char *what)
{
	if (t->count == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("there are no %s measurements to fit the physical terms on", what),
				 errhint("The recipe physical needs offline and server rows; the recipe paper does not.")));
	if (!fitted)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the physical terms cannot be fitted on the %s measurements", what)));
}

/*
 * Offline, the step of a full batch; else what is left of the measured step
 * once the full batch's share is taken out.
 */
static Fitted *
fit_step(const Recipe *recipe, const Params *params, const Measurement *rows, int n)
{
	Fitted	   *f = begin_fit(recipe, rows, n, 2);
	Model	   *m = &f->model;
	Terms		full = new_terms(FULL_TERMS, n);
	Terms		alone = new_terms(ALONE_TERMS, n);
	double	   *share = palloc(sizeof(double) * (n + 1));

	m->num_prior = FULL_TERMS + ALONE_TERMS;
	for (int i = 0; i < n; i++)
	{
		Served		s = served_with(m, &rows[i]);
		double		terms[FULL_TERMS];

		step_full_terms(&s.step, terms);
		if (s.step.offline && all_finite(terms, FULL_TERMS))
			add_terms(&full, terms, rows[i].itl_s * s.step.batch_max, i);
	}
	weigh_cards(&full, m, rows);
	check_fitted(relative_nnls(full.values, full.target, full.weight, full.count, FULL_TERMS,
							   FIT_ROUNDS, STEP_TOLERANCE, 0, m->prior), &full, "offline");

	for (int i = 0; i < n; i++)
	{
		Served		s = served_with(m, &rows[i]);
		double		terms[Max(FULL_TERMS, ALONE_TERMS)];
		double		in_flight = measured_in_flight(&s.step, rows[i].itl_s);
		double		x = in_flight / s.step.batch_max;
		double		full_s = 0;

		step_full_terms(&s.step, terms);
		for (int t = 0; t < FULL_TERMS; t++)
			full_s += terms[t] * m->prior[t];
		share[i] = s.step.offline ? full_s / s.step.batch_max
			: most((rows[i].itl_s - x * full_s) / (1 - least(x, 0.5)), 0.5 * rows[i].itl_s);
		step_alone_terms(&s.step, busy_share(in_flight), terms);
		if (!s.step.offline && all_finite(terms, ALONE_TERMS) && isfinite(share[i]))
			add_terms(&alone, terms, share[i], i);
	}
	weigh_cards(&alone, m, rows);
	check_fitted(relative_nnls(alone.values, alone.target, alone.weight, alone.count, ALONE_TERMS,
							   FIT_ROUNDS, STEP_TOLERANCE, 0, m->prior + FULL_TERMS), &alone, "server");

	for (int masked = 0; masked < 2; masked++)
		for (int i = 0; i < n; i++)
		{
			Served		s = served_with(m, &rows[i]);
			Subject		subject;
			double		in_flight = measured_in_flight(&s.step, rows[i].itl_s);
			double		terms[ALONE_TERMS];
			double		prior = 0;
			double		residual;

			step_alone_terms(&s.step, busy_share(in_flight), terms);
			for (int t = 0; t < ALONE_TERMS; t++)
				prior += terms[t] * m->prior[FULL_TERMS + t];
			residual = log(s.step.offline ? rows[i].itl_s / share[i] : share[i] / prior);
			if (!isfinite(residual))
				continue;
			subject = physical_subject(m, rows[i].gpu, rows[i].llm, &s, s.step.offline);
			subject.gpu_known = !masked;
			add_row(f, &subject, residual, rows[i].runs * (masked ? MASKED_WEIGHT : 1));
		}
	finish_fit(f, recipe, params, 0);
	return f;
}

/*
 * Weights of idle and decode terms, robust and relative as relative_nnls. A
 * card whose decode power would exceed its cap draws the cap while it is busy,
 * whatever the terms say; which rows those are is decided anew each round.
 */
static bool
fit_draw(Terms *t, double *weights)
{
	int			n = t->count;
	double	   *a = palloc0(sizeof(double) * (n + DRAW_TERMS) * DRAW_TERMS);
	double	   *b = palloc0(sizeof(double) * (n + DRAW_TERMS));
	double	   *current = palloc(sizeof(double) * (n + 1));
	bool	   *capped = palloc0(sizeof(bool) * (n + 1));

	memcpy(current, t->weight, sizeof(double) * n);
	for (int round = 0; round < DRAW_ROUNDS; round++)
	{
		double		total = 0;

		CHECK_FOR_INTERRUPTS();
		for (int i = 0; i < n; i++)
		{
			const double *terms = t->values + (Size) i * DRAW_TERMS;
			double		q = sqrt(current[i]) / t->target[i];

			for (int k = 0; k < DRAW_TERMS; k++)
				a[i * DRAW_TERMS + k] = q * terms[k] *
					(k < IDLE_TERMS ? (capped[i] ? 1 - t->busy[i] : 1) : (capped[i] ? 0 : t->busy[i]));
			b[i] = q * (t->target[i] - (capped[i] ? t->busy[i] * draw_cap_w(t->cap[i]) : 0));
			total += current[i];
		}
		for (int k = 0; k < DRAW_TERMS; k++)
			a[(n + k) * DRAW_TERMS + k] = DRAW_RIDGE * sqrt(total);
		if (!nnls(a, b, n + DRAW_TERMS, DRAW_TERMS, weights))
			return false;
		for (int i = 0; i < n; i++)
		{
			const double *terms = t->values + (Size) i * DRAW_TERMS;
			double		idle = 0;
			double		decode = 0;
			double		error;

			for (int k = 0; k < DRAW_TERMS; k++)
				*(k < IDLE_TERMS ? &idle : &decode) += terms[k] * weights[k];
			capped[i] = decode > draw_cap_w(t->cap[i]) - idle;
			error = fabs(draw_w(terms, weights, t->cap[i], NAN, t->busy[i]) / t->target[i] - 1);
			current[i] = t->weight[i] * DRAW_TOLERANCE / most(error, DRAW_TOLERANCE);
		}
	}
	return true;
}

/* A power row as it is learnt from: how it was served, and what of its power is not the full batch's. */
typedef struct PowerRow
{
	Served		served;
	Subject		subject;
	double		own_w;
} PowerRow;

static Fitted *
fit_power(const Recipe *recipe, const Params *params, const Measurement *rows, int n, const Model *itl)
{
	Fitted	   *f = begin_fit(recipe, rows, n, 4);
	Model	   *m = &f->model;
	PowerRow   *p = palloc(sizeof *p * (n + 1));
	Terms		full = new_terms(1, n);
	Terms		own = new_terms(DRAW_TERMS, n);
	double		total = 0;

	m->itl = itl;
	m->num_prior = 1 + DRAW_TERMS;
	for (int i = 0; i < n; i++)
	{
		const double ratio = rows[i].power_w / rows[i].gpu->tdp_w;

		p[i].served = physical_serve(itl, rows[i].gpu, rows[i].llm, &rows[i].workload);
		/* Where the step was measured too, that says better than a prediction how busy the card was. */
		if (!p[i].served.step.offline && !p[i].served.assumed && !isnan(rows[i].itl_s))
			p[i].served.in_flight = measured_in_flight(&p[i].served.step, rows[i].itl_s);
		p[i].subject = physical_subject(m, rows[i].gpu, rows[i].llm, &p[i].served, p[i].served.step.offline);
		if (p[i].served.step.offline)
			add_terms(&full, &ratio, ratio, i);
	}
	weigh_cards(&full, m, rows);
	check_fitted(true, &full, "offline");
	for (int i = 0; i < full.count; i++)
	{
		m->prior[0] += full.weight[i] * full.target[i];
		total += full.weight[i];
	}
	m->prior[0] /= total;

	for (int i = 0; i < n; i++)
	{
		double		share = least(0.9, full_share(&p[i].served));
		double		terms[DRAW_TERMS];

		p[i].own_w = p[i].served.step.offline ? rows[i].power_w
			: most((rows[i].power_w - share * m->prior[0] * rows[i].gpu->tdp_w) / (1 - share), 0.3 * rows[i].power_w);
		draw_terms(rows[i].gpu, &p[i].served.step, rows[i].workload.num_gpus, p[i].subject.bandwidth_use, terms);
		if (p[i].served.step.offline || !all_finite(terms, DRAW_TERMS) || !isfinite(p[i].own_w))
			continue;
		own.busy[own.count] = p[i].subject.busy;
		own.cap[own.count] = rows[i].gpu->tdp_w;
		add_terms(&own, terms, p[i].own_w, i);
	}
	weigh_cards(&own, m, rows);
	check_fitted(own.count > 0 && fit_draw(&own, m->prior + 1), &own, "server");

	/* Each row with its card known and not; where lengths are guesses, with its LLM known and not. */
	for (int view = 0; view < 4; view++)
		for (int i = 0; i < n; i++)
		{
			Subject		s = p[i].subject;
			double		terms[DRAW_TERMS];
			double		prior = m->prior[0] * rows[i].gpu->tdp_w;
			double		residual;

			if (view >= 2 && !p[i].served.assumed)
				continue;
			if (!p[i].served.step.offline)
			{
				draw_terms(rows[i].gpu, &p[i].served.step, rows[i].workload.num_gpus, s.bandwidth_use, terms);
				prior = draw_w(terms, m->prior + 1, rows[i].gpu->tdp_w, rows[i].gpu->idle_power_w, s.busy);
			}
			residual = log(p[i].own_w / prior);
			if (!isfinite(residual))
				continue;
			s.gpu_known = view % 2 == 0;
			s.llm_known = view < 2;
			add_row(f, &s, residual, rows[i].runs * (s.gpu_known ? 1 : MASKED_WEIGHT) * (s.llm_known ? 1 : MASKED_WEIGHT));
		}
	finish_fit(f, recipe, params, 0);
	return f;
}

/* itl is the ITL model that a physical power model is based on; NULL fits one on the same rows, by its parameters or the recipe's. */
Fitted *
recipe_fit(const Recipe *recipe, const Params *params, const Measurement *rows, int n, const Model *itl, const Params *itl_params)
{
	if (!recipe->physical)
		return fit_paper(recipe, params, rows, n);
	if (recipe->target == TARGET_ITL)
		return fit_step(recipe, params, rows, n);
	if (!itl)
	{
		const Recipe *itl_recipe = recipe_find(TARGET_ITL, recipe->name);
		Measurement *timed = palloc(sizeof *timed * (n + 1));
		int			num_timed = 0;

		for (int i = 0; i < n; i++)
			if (!isnan(rows[i].itl_s))
				timed[num_timed++] = rows[i];
		itl = &recipe_fit(itl_recipe, itl_params ? itl_params : recipe_params(itl_recipe), timed, num_timed, NULL, NULL)->model;
	}
	return fit_power(recipe, params, rows, n, itl);
}
