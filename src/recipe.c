/*
 * The recipes that wattgpu_train follows: features in order, and parameters.
 */
#include "train.h"

static const char *const paper_power[] = {
	"scenario", "log_params", "model_type", "num_key_value_heads", "num_layers",
	"memory_bandwidth_gb_s", "boost_ratio", "transistors_m", "base_clock_mhz",
	"release_year", "bandwidth_latency_s",
};

static const char *const paper_itl[] = {
	"scenario", "model_type", "total_params_b", "hidden_size", "num_attention_heads",
	"num_key_value_heads", "num_layers", "memory_bandwidth_gb_s", "memory_gb",
	"memory_type", "fp16_tflops", "release_year", "bandwidth_latency_s", "compute_latency_s",
};

/* WattGPU (arXiv 2607.02391), with the parameters of the notebook that prints its tables. */
static const Recipe recipes[] = {
	{"paper", TARGET_POWER, 200, paper_power, lengthof(paper_power), "{\"max_depth\": 6, \"lambda\": 150}"},
	{"paper", TARGET_ITL, 100, paper_itl, lengthof(paper_itl), "{\"max_depth\": 5, \"lambda\": 100}"},
};

const Recipe *
recipe_find(Target target, const char *name)
{
	for (size_t i = 0; i < lengthof(recipes); i++)
		if (recipes[i].target == target && strcmp(recipes[i].name, name) == 0)
			return &recipes[i];
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("unknown recipe \"%s\"", name),
			 errhint("The recipe of the published models is \"paper\".")));
}
