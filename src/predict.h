/*
 * What the functions that predict have in common: their arguments.
 */
#ifndef WATTGPU_PREDICT_H
#define WATTGPU_PREDICT_H

#include "prediction.h"

/* The arguments that wattgpu_power and wattgpu_itl share, in their order. */
enum
{
	ARG_GPU,
	ARG_LLM,
	ARG_SCENARIO,
	ARG_ARRIVAL_RATE,
	ARG_OUTPUT_TOKENS,
	ARG_PROMPT_TOKENS,
	ARG_NUM_GPUS,
	ARG_MODEL,
	ARG_POWER_LIMIT
};

/* And those that take rows. */
enum
{
	ARG_ROWS_MODEL = ARG_SCENARIO + 1,
	ARG_ROWS_NUM_GPUS,
	ARG_ROWS_POWER_LIMIT
};

typedef struct Request
{
	const GpuSpec *gpu;
	const LlmSpec *llm;
	const char *gpu_name;		/* for the answer: a made-up card's name is no card's that a model knows */
	const char *llm_name;
	const Workload *scenario;
	Workload	workload;		/* the scenario's, but for what the caller gives */
	bool		changed;		/* the caller gave something */
	bool		made_up;		/* the specs are of rows, not looked up */
} Request;

/* What a call site keeps from call to call. */
typedef struct LastRow LastRow;

typedef struct CallSite
{
	TupleDesc	result;
	LastRow    *last;			/* one for each argument that is a row */
} CallSite;

extern CallSite *call_site(FunctionCallInfo fcinfo);

extern const GpuSpec *gpu_argument(FunctionCallInfo fcinfo, int arg);
extern const LlmSpec *llm_argument(FunctionCallInfo fcinfo, int arg);
extern const Workload *scenario_argument(FunctionCallInfo fcinfo, int arg);
extern const char *optional_cstring(FunctionCallInfo fcinfo, int arg);
extern void check_argument(const char *name, double value, double least, double most);
extern Datum number_or_null(FunctionCallInfo fcinfo, double value);
extern void check_num_gpus(FunctionCallInfo fcinfo, int arg, Request *request);
extern void check_power_limit(FunctionCallInfo fcinfo, int arg, Request *request);
extern bool request_find(FunctionCallInfo fcinfo, Request *request);
extern void request_workload(FunctionCallInfo fcinfo, Request *request);
extern void request_check_model(const Model *model, const Workload *w, bool changed);
extern double predict(const Request *request, Target target, const char *model);

/* answer.c */
extern Datum answer_row(FunctionCallInfo fcinfo, const Request *request, const char *model);

#endif
