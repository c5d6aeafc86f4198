/*
 * The recipes that wattgpu_train follows: features in order, and parameters.
 */
#include "train.h"

#include "utils/builtins.h"

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

static const char *const physical_itl[] = {
	"full_batch", "log_tokens", "read_latency_s", "token_compute_s", "kv_latency_s", "batch_max", "num_key_value_heads",
	"kv_gb_per_token", "params_per_layer_b", "model_type", "share_read", "share_kv", "share_host", "log_step",
	"card:gpu", "card:memory_bandwidth_gb_s", "card:fp16_tflops", "card:release_year", "card:memory_gb", "card:compute_intensity",
};

static const char *const physical_power_features[] = {
	"full_batch", "busy", "log_busy", "busy_assumed", "bandwidth_use", "log_tokens", "batch", "headroom_w_per_sm_ghz",
	"llm:log_params", "llm:num_layers", "llm:num_key_value_heads", "llm:hidden_size", "llm:params_per_layer_b",
	"llm:model_type", "llm:read_latency_s", "card:gpu", "card:tdp_w", "card:memory_gb", "card_server:boost_ratio",
	"card_server:base_clock_mhz", "card_server:transistors_m", "card_server:memory_bandwidth_gb_s",
	"card_server:release_year",
};

/* More load never lowers the power, whatever was measured. */
static const char *const rising[] = {"busy", "log_busy", "busy_assumed", NULL};

static const Recipe recipes[] = {
	/* WattGPU (arXiv 2607.02391), with the parameters of the notebook that prints its tables */
	{
		.name = "paper", .target = TARGET_POWER, .rounds = 200, .objective = "reg:squarederror",
		.features = paper_power, .num_features = lengthof(paper_power),
		.params = "{\"max_depth\": 6, \"lambda\": 150}"
	},
	{
		.name = "paper", .target = TARGET_ITL, .rounds = 100, .objective = "reg:squarederror",
		.features = paper_itl, .num_features = lengthof(paper_itl),
		.params = "{\"max_depth\": 5, \"lambda\": 100}"
	},
	/* Physics as the prior, XGBoost for what it leaves: doc/models.md. Leaves and bins keep its masks of leaves small. */
	{
		.name = "physical", .target = TARGET_POWER, .physical = true, .rounds = 96, .objective = "reg:squarederror",
		.features = physical_power_features, .num_features = lengthof(physical_power_features), .rising = rising,
		.params = "{\"max_depth\": 6, \"max_leaves\": 16, \"max_bin\": 96, \"lambda\": 50, \"eta\": 0.15, \"colsample_bytree\": 0.7, \"min_child_weight\": 2, \"seed\": 0}"
	},
	{
		.name = "physical", .target = TARGET_ITL, .physical = true, .rounds = 96, .objective = "reg:pseudohubererror",
		.features = physical_itl, .num_features = lengthof(physical_itl),
		.params = "{\"max_depth\": 6, \"max_leaves\": 16, \"max_bin\": 48, \"lambda\": 10, \"eta\": 0.15, \"colsample_bytree\": 0.7, \"min_child_weight\": 2, \"seed\": 0, \"huber_slope\": 0.2}"
	},
};

/* The recipe's own parameters. */
const Params *
recipe_params(const Recipe *recipe)
{
	Params	   *params = palloc0(sizeof *params);

	params->rounds = recipe->rounds;
	params_read(DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(recipe->params))), params);
	return params;
}

const Recipe *
recipe_find(Target target, const char *name)
{
	for (size_t i = 0; i < lengthof(recipes); i++)
		if (recipes[i].target == target && strcmp(recipes[i].name, name) == 0)
			return &recipes[i];
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("unknown recipe \"%s\"", name),
			 errhint("The recipes are \"physical\" and \"paper\".")));
}
