/*
 * wattgpu_predict: a prediction with all that must be known to use it.
 */
#include "predict.h"

#include <math.h>

#include "funcapi.h"
#include "utils/builtins.h"

#include "unknown.h"

enum
{
	OUT_GPU,
	OUT_LLM,
	OUT_SCENARIO,
	OUT_POWER,
	OUT_POWER_LO,
	OUT_POWER_HI,
	OUT_ITL,
	OUT_ITL_LO,
	OUT_ITL_HI,
	OUT_TOKENS_PER_S,
	OUT_ENERGY,
	OUT_FITS,
	OUT_SATURATED,
	OUT_BASIS,
	OUT_EXTRAPOLATED,
	OUT_OUT_OF_RANGE,
	OUT_MEASURED_POWER,
	OUT_MEASURED_ITL,
	OUT_IN_FLIGHT,
	OUT_ARRIVAL_RATE,
	OUT_PROMPT_TOKENS,
	OUT_OUTPUT_TOKENS,
	OUT_NUM_GPUS,
	OUT_POWER_MODEL,
	OUT_ITL_MODEL,
	NUM_OUT
};

typedef struct Answer
{
	Datum		values[NUM_OUT];
	bool		nulls[NUM_OUT];
} Answer;

static void
set(Answer *a, int out, Datum value)
{
	a->values[out] = value;
	a->nulls[out] = false;
}

static void
set_number(Answer *a, int out, double value)
{
	if (isfinite(value))
		set(a, out, Float8GetDatum(value));
}

static void
set_text(Answer *a, int out, const char *value)
{
	set(a, out, CStringGetTextDatum(value));
}

/* Prediction and 90 % interval; wider for what the model has not seen. */
static void
set_interval(Answer *a, int out, double value, const Model *model, const Request *r, bool given, double limit)
{
	int			i = interval_index(model_novelty(model, r->gpu, r->llm), isnan(r->workload.arrival_rate_qps), given);

	set_number(a, out, value);
	set_number(a, out + 1, value * exp(model->intervals[i]));
	/* No card draws more than its limit. */
	set_number(a, out + 2, most(value, least(value * exp(model->intervals[i + 1]), limit)));
}

/* What lies outside of the training rows, in words; each once, though both models may say it. */
static int
find_out_of_range(const Model *model, const RangeSubject *s, const char **found, int n)
{
	Names		kinds = kinds_of(s->gpu, s->llm);

	for (int i = 0; i < NUM_RANGES; i++)
	{
		double		v = range_value(i, s);
		Range		range = model->ranges[i];
		double		slack = 1e-6 * fmax(fabs(range.least), fabs(range.most));
		bool		known = false;

		if (isnan(v) || range.least > range.most || (v >= range.least - slack && v <= range.most + slack))
			continue;
		for (int k = 0; k < n; k++)
			known |= strncmp(found[k], range_name(i), strlen(range_name(i))) == 0 && found[k][strlen(range_name(i))] == ' ';
		if (!known)
			found[n++] = isinf(v) ? psprintf("%s is not known", range_name(i))
				: psprintf("%s = %g, trained on %g to %g", range_name(i), v, range.least, range.most);
	}
	for (int i = 0; i < kinds.count; i++)
	{
		size_t		length = strlen(kinds.values[i]);
		const char *words = kinds.values[i][length - 1] == '?'
			? psprintf("%.*s is not known", (int) length - 2, kinds.values[i]) : psprintf("%s, not trained on", kinds.values[i]);
		bool		known = names_find(&model->kinds, kinds.values[i]) >= 0;

		for (int k = 0; k < n; k++)
			known |= strcmp(found[k], words) == 0;
		if (!known)
			found[n++] = words;
	}
	return n;
}

static void
answer(Answer *a, Request *r, const Model *power, const Model *itl, bool changed)
{
	bool		given = !isnan(r->workload.output_tokens);
	const Model *serving = power->physical ? power->itl : itl->physical ? itl : NULL;
	RangeSubject subject = {r->gpu, r->llm, &r->workload, NAN};
	const char *out_of_range[2 * (NUM_RANGES + MAX_KINDS)];
	int			n = 0;
	double		power_w;
	double		itl_s;
	double		tokens_per_s = NAN;
	Measured	measured = {NAN, NAN};
	Served		served = {.assumed = false};

	if (serving)
		served = physical_serve(serving, r->gpu, r->llm, &r->workload);
	power_w = power->physical ? physical_power(power, r->gpu, r->llm, &served) : model_predict(power, r->gpu, r->llm, &r->workload);
	itl_s = itl == serving ? served.itl_s : model_predict(itl, r->gpu, r->llm, &r->workload);
	set_interval(a, OUT_POWER, power_w, power, r, given, r->gpu->tdp_w * r->workload.num_gpus);
	set_interval(a, OUT_ITL, itl_s, itl, r, given, INFINITY);
	if (serving)
	{
		subject.workload = &served.workload;
		if (!served.step.offline)
			subject.in_flight = served.in_flight;
		set_number(a, OUT_IN_FLIGHT, served.in_flight);
		if (!isnan(served.in_flight))
		{
			set(a, OUT_SATURATED, BoolGetDatum(served.saturated));
			tokens_per_s = served.in_flight / served.step_s;
		}
	}
	/* Offline a token takes its share of the batch's time; else tokens come as fast as they are asked for, if they can. */
	if (isnan(r->workload.arrival_rate_qps))
		tokens_per_s = 1 / itl_s;
	else if (!serving || !served.saturated)
		tokens_per_s = r->workload.arrival_rate_qps * subject.workload->output_tokens;
	set_number(a, OUT_OUTPUT_TOKENS, subject.workload->output_tokens);
	set_number(a, OUT_TOKENS_PER_S, tokens_per_s);
	set_number(a, OUT_ENERGY, power_w / tokens_per_s);

	n = find_out_of_range(power, &subject, out_of_range, 0);
	n = find_out_of_range(itl, &subject, out_of_range, n);
	set(a, OUT_EXTRAPOLATED, BoolGetDatum(n > 0));
	set(a, OUT_OUT_OF_RANGE, text_array(out_of_range, n));
	if (!changed)
		measured = measured_find(r->gpu, r->llm, &r->workload);
	set_number(a, OUT_MEASURED_POWER, measured.power_w);
	set_number(a, OUT_MEASURED_ITL, measured.itl_s);
	set_text(a, OUT_BASIS, !isnan(measured.power_w) || !isnan(measured.itl_s) ? "measured" : n > 0 ? "extrapolated" : "predicted");
}

PG_FUNCTION_INFO_V1(wattgpu_predict);

Datum
wattgpu_predict(PG_FUNCTION_ARGS)
{
	Request		r;
	Answer		a;
	TupleDesc	desc;
	bool		changed;
	Fit			fit;
	const char *name = PG_ARGISNULL(ARG_MODEL) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(ARG_MODEL));
	const Model *power;
	const Model *itl;

	if (!request_find(fcinfo, &r))
		PG_RETURN_NULL();
	request_workload(fcinfo, &r.workload, &changed);
	power = model_find(TARGET_POWER, name);
	itl = model_find(TARGET_ITL, name);
	request_check_model(power, &r.workload, changed);
	request_check_model(itl, &r.workload, changed);

	memset(a.nulls, true, sizeof a.nulls);
	set_text(&a, OUT_GPU, r.gpu->gpu);
	set_text(&a, OUT_LLM, r.llm->llm);
	set_text(&a, OUT_SCENARIO, r.workload.scenario);
	set_text(&a, OUT_POWER_MODEL, power->model);
	set_text(&a, OUT_ITL_MODEL, itl->model);
	set_number(&a, OUT_ARRIVAL_RATE, r.workload.arrival_rate_qps);
	set_number(&a, OUT_PROMPT_TOKENS, r.workload.prompt_tokens);
	set_number(&a, OUT_OUTPUT_TOKENS, r.workload.output_tokens);
	set(&a, OUT_NUM_GPUS, Int32GetDatum((int32) r.workload.num_gpus));
	fit = fits(r.gpu, r.llm, &r.workload);
	if (fit != FIT_UNKNOWN)
		set(&a, OUT_FITS, BoolGetDatum(fit == FIT_YES));
	if (fit == FIT_YES)
		answer(&a, &r, power, itl, changed);

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "wattgpu_predict does not return a row");
	return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc), a.values, a.nulls));
}
