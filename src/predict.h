/*
 * What the functions that predict have in common: their arguments.
 */
#ifndef WATTGPU_PREDICT_H
#define WATTGPU_PREDICT_H

#include "model.h"

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
	ARG_MODEL
};

typedef struct Request
{
	const GpuSpec *gpu;
	const LlmSpec *llm;
	const Workload *scenario;
	Workload	workload;		/* the scenario's, but for what the caller gives */
} Request;

extern bool request_find(FunctionCallInfo fcinfo, Request *request);
extern void request_workload(FunctionCallInfo fcinfo, Workload *w, bool *changed);
extern void request_check_model(const Model *model, const Workload *w, bool changed);

#endif
