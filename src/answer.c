/*
 * wattgpu_predict: a prediction with all that must be known to use it.
 */
#include "predict.h"

#include <math.h>

#include "funcapi.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "answers.h"
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
	if (value)
		set(a, out, CStringGetTextDatum(value));
}

/* Prediction and 90 % interval; wider for what the model has not seen. */
static void
set_interval(Answer *a, int out, double value, Novelty novelty, const Model *model, const Workload *w, double limit)
{
	int			i = interval_index(novelty, isnan(w->arrival_rate_qps), !isnan(w->output_tokens));

	set_number(a, out, value);
	set_number(a, out + 1, value * model->interval_factors[i]);
	/* No card draws more than its limit. */
	set_number(a, out + 2, most(value, least(value * model->interval_factors[i + 1], limit)));
}

/* What lies outside of the training rows, in words; each once, though both models may say it. */
static int
put_outside(const Model *model, uint32 outside, const RangeSubject *s, bool made_up, Datum *words, int n)
{
	for (int bit = 0; outside >> bit; bit++)
		if (outside >> bit & 1)
			words[n++] = prediction_outside(model, bit, s, made_up);
	return n;
}

static void
set_outside(Answer *a, const Prediction *p, const Model *power, const Model *itl, const RangeSubject *s, bool made_up)
{
	Datum		words[BELOW_IDLE + 1];
	int			n = put_outside(power, p->outside[TARGET_POWER], s, made_up, words, 0);

	n = put_outside(itl, p->outside[TARGET_ITL] & ~p->outside[TARGET_POWER], s, made_up, words, n);
	set(a, OUT_EXTRAPOLATED, BoolGetDatum(n > 0));
	set(a, OUT_OUT_OF_RANGE, PointerGetDatum(n == 0 ? construct_empty_array(TEXTOID)
											 : construct_array(words, n, TEXTOID, -1, false, TYPALIGN_INT)));
}

static void
set_predicted(Answer *a, const Prediction *p, const Request *r, const Model *power, const Model *itl)
{
	const Model *serving = power->physical ? power->itl : itl->physical ? itl : NULL;
	const Workload *w = &r->workload;
	bool		offline = isnan(w->arrival_rate_qps);
	Served		served = {.workload = *w};
	RangeSubject subject = {r->gpu, r->llm, &served.workload, offline ? NAN : p->in_flight};
	Measured	measured = {NAN, NAN};
	double		tokens_per_s = NAN;

	if (serving)
		settle_tokens(serving, r->llm, &served);
	set_interval(a, OUT_POWER, p->power_w, p->novelty[TARGET_POWER], power, w,
				 (w->power_limit_w > 0 ? w->power_limit_w : r->gpu->tdp_w) * w->num_gpus);
	set_interval(a, OUT_ITL, p->itl_s, p->novelty[TARGET_ITL], itl, w, INFINITY);
	set_number(a, OUT_IN_FLIGHT, p->in_flight);
	if (!isnan(p->in_flight))
		set(a, OUT_SATURATED, BoolGetDatum(p->saturated));
	/* Offline a token takes its share of the batch's time; else tokens come as fast as they are asked for, if they can. */
	if (offline)
		tokens_per_s = 1 / p->itl_s;
	else if (p->saturated)
		tokens_per_s = p->in_flight / (itl == serving ? p->itl_s : physical_serve(serving, r->gpu, r->llm, w).step_s);
	else if (!serving || !isnan(p->in_flight))
		tokens_per_s = w->arrival_rate_qps * served.workload.output_tokens;
	set_number(a, OUT_OUTPUT_TOKENS, served.workload.output_tokens);
	set_number(a, OUT_TOKENS_PER_S, tokens_per_s);
	set_number(a, OUT_ENERGY, p->power_w / tokens_per_s);
	set_outside(a, p, power, itl, &subject, r->made_up);
	if (p->measured)
		measured = measured_find(r->gpu, r->llm, w);
	set_number(a, OUT_MEASURED_POWER, measured.power_w);
	set_number(a, OUT_MEASURED_ITL, measured.itl_s);
	set_text(a, OUT_BASIS, p->measured ? "measured" : p->outside[TARGET_POWER] | p->outside[TARGET_ITL] ? "extrapolated" : "predicted");
}

/* The type's descriptor; the call site keeps it. */
static TupleDesc
result_desc(FunctionCallInfo fcinfo)
{
	CallSite   *site = call_site(fcinfo);
	TupleDesc	desc;
	MemoryContext temporary;

	if (site->result)
		return site->result;
	temporary = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);
	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "wattgpu_predict does not return a row");
	site->result = BlessTupleDesc(desc);
	MemoryContextSwitchTo(temporary);
	return site->result;
}

/* The row for a request; what was asked for by name is remembered. */
Datum
answer_row(FunctionCallInfo fcinfo, const Request *r, const char *model)
{
	TupleDesc	desc = result_desc(fcinfo);
	const Model *power = model_find(TARGET_POWER, model);
	const Model *itl = model_find(TARGET_ITL, model);
	int			number = r->changed || r->made_up ? NOT_REMEMBERED : model_number(model);
	const Prediction *remembered = NULL;
	Prediction	p = {.has = 0};
	Answer		a;

	request_check_model(power, &r->workload, r->changed);
	request_check_model(itl, &r->workload, r->changed);
	if (number != NOT_REMEMBERED)
		remembered = answer_remembered(r->gpu, r->llm, r->scenario, number);
	if (remembered)
		p = *remembered;
	else
	{
		Measured	measured = {NAN, NAN};

		if (!r->changed && !r->made_up && !model_has_changed(power, r->gpu, r->llm) && !model_has_changed(itl, r->gpu, r->llm))
			measured = measured_find(r->gpu, r->llm, &r->workload);
		prediction_add(&p, HAS_POWER | HAS_ITL | HAS_ALL, power, itl, r->gpu, r->llm, &r->workload);
		p.measured = !isnan(measured.power_w) || !isnan(measured.itl_s);
		if (number != NOT_REMEMBERED)
			answer_remember(r->gpu, r->llm, r->scenario, number, &p);
	}

	memset(a.nulls, true, sizeof a.nulls);
	set_text(&a, OUT_GPU, r->gpu_name);
	set_text(&a, OUT_LLM, r->llm_name);
	set_text(&a, OUT_SCENARIO, r->workload.scenario);
	set_text(&a, OUT_POWER_MODEL, power->model);
	set_text(&a, OUT_ITL_MODEL, itl->model);
	set_number(&a, OUT_ARRIVAL_RATE, r->workload.arrival_rate_qps);
	set_number(&a, OUT_PROMPT_TOKENS, r->workload.prompt_tokens);
	set_number(&a, OUT_OUTPUT_TOKENS, r->workload.output_tokens);
	set(&a, OUT_NUM_GPUS, Int32GetDatum((int32) r->workload.num_gpus));
	if (p.fit != FIT_UNKNOWN)
		set(&a, OUT_FITS, BoolGetDatum(p.fit == FIT_YES));
	if (p.fit == FIT_YES)
		set_predicted(&a, &p, r, power, itl);
	return HeapTupleGetDatum(heap_form_tuple(desc, a.values, a.nulls));
}

PG_FUNCTION_INFO_V1(wattgpu_predict);

Datum
wattgpu_predict(PG_FUNCTION_ARGS)
{
	Request		r;

	if (PG_ARGISNULL(ARG_NUM_GPUS) || !request_find(fcinfo, &r))
		PG_RETURN_NULL();
	request_workload(fcinfo, &r);
	check_power_limit(fcinfo, ARG_POWER_LIMIT, &r);
	return answer_row(fcinfo, &r, optional_cstring(fcinfo, ARG_MODEL));
}
