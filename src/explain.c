/*
 * wattgpu_explain: what a prediction is made of.
 */
#include "predict.h"

#include <math.h>

#include "utils/builtins.h"

#include "booster.h"

typedef struct Explanation
{
	ResultSet	result;
	double		prediction;
	double		scale;			/* natural units a unit of the booster's margin */
	double		sum;			/* of the rows so far, in natural units */
} Explanation;

static void
put(Explanation *e, const char *feature, double value, const char *category, double margin, double contribution)
{
	Datum		values[5];
	bool		nulls[5] = {false};

	values[0] = CStringGetTextDatum(feature);
	values[1] = Float8GetDatum(value);
	nulls[1] = !isfinite(value);
	nulls[2] = !category;
	values[2] = category ? CStringGetTextDatum(category) : (Datum) 0;
	values[3] = Float8GetDatum(margin);
	nulls[3] = !isfinite(margin);
	values[4] = Float8GetDatum(contribution);
	tuplestore_putvalues(e->result.store, e->result.desc, values, nulls);
	e->sum += contribution;
}

/*
 * From a to b as exp(margin), one unit of margin is worth (b - a) / ln(b / a):
 * contributions in natural units then add up to b - a exactly, however far
 * apart the two are (the logarithmic mean of index decomposition).
 */
static double
logarithmic_mean(double a, double b)
{
	return fabs(b / a - 1) < 1e-9 ? a : (b - a) / log(b / a);
}

/* The features' rows; the bias, what the booster expects before it sees any, is the caller's to place. */
static void
put_features(Explanation *e, const Model *model, const Subject *subject, const float *shap)
{
	float		x[MAX_FEATURES];

	model_vector(model, subject, x);
	for (int i = 0; i < model->num_features; i++)
		put(e, model->feature_names[i], model->features[i].category ? NAN : x[i],
			model->features[i].category ? feature_category(model->features[i], subject) : NULL,
			shap[i], shap[i] * e->scale);
}

static float *
shap_values(const Model *model, const Subject *subject)
{
	bytea	   *bytes = model_booster(model);
	Booster    *booster = booster_load(VARDATA(bytes), VARSIZE(bytes) - VARHDRSZ);
	float		x[MAX_FEATURES];
	float	   *shap;

	model_vector(model, subject, x);
	shap = booster_contributions(booster, (Matrix) {x, 1, model->num_features});
	booster_free(booster);
	return shap;
}

static double
sum_of_margins(const Model *model, const Subject *subject)
{
	float		x[MAX_FEATURES];

	model_vector(model, subject, x);
	return forest_eval(&model->forest, x);
}

/* gpu, llm, scenario, (workload), model, target */
PG_FUNCTION_INFO_V1(wattgpu_explain);

Datum
wattgpu_explain(PG_FUNCTION_ARGS)
{
	enum {ARG_TARGET = ARG_MODEL + 1};
	Explanation e = {.result = result_set_begin(fcinfo)};
	Request		r;
	const Model *model;
	Subject		subject;
	float	   *shap;

	if (PG_ARGISNULL(ARG_TARGET) || PG_ARGISNULL(ARG_NUM_GPUS) || !request_find(fcinfo, &r))
		return (Datum) 0;
	request_workload(fcinfo, &r);
	model = model_find(target_parse(PG_GETARG_TEXT_PP(ARG_TARGET)),
					   optional_cstring(fcinfo, ARG_MODEL));
	request_check_model(model, &r.workload, r.changed);
	if (fits(r.gpu, r.llm, &r.workload) != FIT_YES)
		return (Datum) 0;
	e.prediction = model_predict(model, r.gpu, r.llm, &r.workload);
	if (!isfinite(e.prediction))
		return (Datum) 0;

	if (model->physical)
	{
		Served		served = physical_serve(model->itl ? model->itl : model, r.gpu, r.llm, &r.workload);
		double		prior;

		subject = physical_subject(model, r.gpu, r.llm, &served, served.step.offline);
		prior = physical_prior(model, r.gpu, r.llm, &served);
		shap = shap_values(model, &subject);
		e.scale = logarithmic_mean(prior, prior * exp(sum_of_margins(model, &subject)));
		put(&e, "prior", prior, NULL, NAN, prior);
		put(&e, "bias", NAN, NULL, shap[model->num_features], shap[model->num_features] * e.scale);
	}
	else
	{
		double		bias;

		subject = (Subject) {.gpu = r.gpu, .llm = r.llm, .workload = &r.workload};
		shap = shap_values(model, &subject);
		bias = shap[model->num_features];
		if (model->target == TARGET_POWER)
		{
			e.scale = r.gpu->tdp_w;
			put(&e, "bias", NAN, NULL, bias, bias * e.scale);
		}
		else
		{
			e.scale = logarithmic_mean(exp(bias), e.prediction);
			put(&e, "bias", NAN, NULL, bias, exp(bias));
		}
	}
	put_features(&e, model, &subject, shap);
	/* What a full batch mixes in and limits take away, and what SHAP values lose to 32 bits. */
	put(&e, "full batch, limits, rounding", NAN, NULL, NAN, e.prediction - e.sum);
	return (Datum) 0;
}
