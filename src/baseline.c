/*
 * What needs no model: canonical names, what fits, and the physical baselines.
 */
#include "predict.h"

#include <math.h>

#include "utils/builtins.h"

PG_FUNCTION_INFO_V1(wattgpu_canonical_gpu);
PG_FUNCTION_INFO_V1(wattgpu_canonical_llm);

Datum
wattgpu_canonical_gpu(PG_FUNCTION_ARGS)
{
	const GpuSpec *gpu;

	catalogue_begin(fcinfo);
	gpu = gpu_argument(fcinfo, 0);
	if (!gpu)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(gpu->gpu));
}

Datum
wattgpu_canonical_llm(PG_FUNCTION_ARGS)
{
	const LlmSpec *llm;

	catalogue_begin(fcinfo);
	llm = llm_argument(fcinfo, 0);
	if (!llm)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(llm->llm));
}

PG_FUNCTION_INFO_V1(wattgpu_fits);
PG_FUNCTION_INFO_V1(wattgpu_power_tdp);
PG_FUNCTION_INFO_V1(wattgpu_power_load_scaled);
PG_FUNCTION_INFO_V1(wattgpu_itl_roofline);

Datum
wattgpu_fits(PG_FUNCTION_ARGS)
{
	enum {ARG_FITS_NUM_GPUS = ARG_SCENARIO + 1};
	Request		r;
	Fit			fit;

	check_argument("num_gpus", PG_GETARG_INT32(ARG_FITS_NUM_GPUS), 1, 1024);
	if (!request_find(fcinfo, &r))
		PG_RETURN_NULL();
	r.workload.num_gpus = PG_GETARG_INT32(ARG_FITS_NUM_GPUS);
	fit = fits(r.gpu, r.llm, &r.workload);
	if (fit == FIT_UNKNOWN)
		PG_RETURN_NULL();
	PG_RETURN_BOOL(fit == FIT_YES);
}

Datum
wattgpu_power_tdp(PG_FUNCTION_ARGS)
{
	const GpuSpec *gpu;

	catalogue_begin(fcinfo);
	gpu = gpu_argument(fcinfo, 0);
	return number_or_null(fcinfo, gpu ? gpu->tdp_w : NAN);
}

/* The published shares of TDP; they say nothing of a scenario of the user's own. */
Datum
wattgpu_power_load_scaled(PG_FUNCTION_ARGS)
{
	const GpuSpec *gpu;
	const Workload *w;

	catalogue_begin(fcinfo);
	gpu = gpu_argument(fcinfo, 0);
	w = scenario_argument(fcinfo, 1);
	return number_or_null(fcinfo, gpu && w ? load_share(w) * gpu->tdp_w : NAN);
}

Datum
wattgpu_itl_roofline(PG_FUNCTION_ARGS)
{
	Request		r;

	if (!request_find(fcinfo, &r) || fits(r.gpu, r.llm, &r.workload) != FIT_YES)
		PG_RETURN_NULL();
	return number_or_null(fcinfo, roofline_itl_s(r.gpu, r.llm, &r.workload));
}
