/*
 * Specs to the numbers a booster splits on.
 *
 * A model stores its features by name and in order, so a feature's meaning
 * must never change under its name: a better formula gets a new name.
 */
#include <math.h>
#include <string.h>

#include "features.h"
#include "physics.h"

typedef struct Definition
{
	const char *name;
	double		(*number) (const Subject *s);
	const char *(*category) (const Subject *s);
	bool		of_regime;		/* differs between a full batch and less */
} Definition;

#define SPEC_NUMBER(spec, field) \
	static double number_##field(const Subject *s) { return s->spec->field; }
#define SPEC_CATEGORY(spec, field) \
	static const char *category_##field(const Subject *s) { return s->spec->field; }

SPEC_NUMBER(gpu, base_clock_mhz)
SPEC_NUMBER(gpu, fp16_tflops)
SPEC_NUMBER(gpu, memory_bandwidth_gb_s)
SPEC_NUMBER(gpu, memory_gb)
SPEC_NUMBER(gpu, release_year)
SPEC_NUMBER(gpu, tdp_w)
SPEC_NUMBER(gpu, transistors_m)
SPEC_NUMBER(llm, hidden_size)
SPEC_NUMBER(llm, num_attention_heads)
SPEC_NUMBER(llm, num_key_value_heads)
SPEC_NUMBER(llm, num_layers)
SPEC_NUMBER(llm, total_params_b)
SPEC_CATEGORY(gpu, memory_type)
SPEC_CATEGORY(llm, model_type)
SPEC_CATEGORY(workload, scenario)
SPEC_CATEGORY(gpu, gpu)

static double
boost_ratio(const Subject *s)
{
	return s->gpu->boost_clock_mhz / s->gpu->base_clock_mhz;
}

static double
log_params(const Subject *s)
{
	return log(s->llm->total_params_b);
}

static double
bandwidth_latency(const Subject *s)
{
	return bandwidth_latency_s(s->gpu, s->llm);
}

static double
compute_latency(const Subject *s)
{
	return compute_latency_s(s->gpu, s->llm);
}

static double
log_step(const Subject *s)
{
	return log(s->shares.step_s);
}

static double
share_read(const Subject *s)
{
	return s->shares.read;
}

static double
share_kv(const Subject *s)
{
	return s->shares.kv;
}

static double
share_host(const Subject *s)
{
	return s->shares.host;
}

static double
params_per_layer(const Subject *s)
{
	return s->llm->total_params_b / s->llm->num_layers;
}

static double
compute_intensity(const Subject *s)
{
	return s->gpu->fp16_tflops * 1e3 / s->gpu->memory_bandwidth_gb_s;
}

static double
kv_per_token(const Subject *s)
{
	return kv_gb_per_token(s->llm);
}

static double
full_batch(const Subject *s)
{
	return s->full_batch;
}

static double
log_tokens(const Subject *s)
{
	return s->assumed ? NAN : log(s->step->tokens);
}

static double
read_latency(const Subject *s)
{
	return s->step->read_s;
}

static double
token_compute(const Subject *s)
{
	return s->step->compute_s;
}

static double
kv_latency(const Subject *s)
{
	return s->step->kv_s;
}

static double
batch_max(const Subject *s)
{
	return s->step->batch_max;
}

static double
batch(const Subject *s)
{
	return s->full_batch ? s->step->batch_max : 1;
}

/* A full batch is always busy; a guess at how busy the card is goes into a feature of its own. */
static double
busy(const Subject *s)
{
	return s->full_batch ? 1 : s->assumed ? NAN : s->busy;
}

static double
log_busy(const Subject *s)
{
	return s->full_batch ? 0 : s->assumed ? NAN : log(s->busy + 1e-4);
}

static double
busy_assumed(const Subject *s)
{
	return s->assumed && !s->full_batch ? s->busy : NAN;
}

static double
bandwidth_use(const Subject *s)
{
	return s->full_batch ? NAN : s->bandwidth_use;
}

static double
headroom(const Subject *s)
{
	return s->full_batch ? NAN : s->gpu->tdp_w * s->workload->num_gpus / s->step->sm_ghz;
}

static const Definition features[] = {
	{"bandwidth_latency_s", bandwidth_latency, NULL, false},
	{"bandwidth_use", bandwidth_use, NULL, true},
	{"base_clock_mhz", number_base_clock_mhz, NULL, false},
	{"batch", batch, NULL, true},
	{"batch_max", batch_max, NULL, false},
	{"boost_ratio", boost_ratio, NULL, false},
	{"busy", busy, NULL, true},
	{"busy_assumed", busy_assumed, NULL, true},
	{"compute_intensity", compute_intensity, NULL, false},
	{"compute_latency_s", compute_latency, NULL, false},
	{"fp16_tflops", number_fp16_tflops, NULL, false},
	{"full_batch", full_batch, NULL, true},
	{"gpu", NULL, category_gpu, false},
	{"headroom_w_per_sm_ghz", headroom, NULL, true},
	{"hidden_size", number_hidden_size, NULL, false},
	{"kv_gb_per_token", kv_per_token, NULL, false},
	{"kv_latency_s", kv_latency, NULL, false},
	{"log_busy", log_busy, NULL, true},
	{"log_params", log_params, NULL, false},
	{"log_step", log_step, NULL, true},
	{"log_tokens", log_tokens, NULL, false},
	{"memory_bandwidth_gb_s", number_memory_bandwidth_gb_s, NULL, false},
	{"memory_gb", number_memory_gb, NULL, false},
	{"memory_type", NULL, category_memory_type, false},
	{"model_type", NULL, category_model_type, false},
	{"num_attention_heads", number_num_attention_heads, NULL, false},
	{"num_key_value_heads", number_num_key_value_heads, NULL, false},
	{"num_layers", number_num_layers, NULL, false},
	{"params_per_layer_b", params_per_layer, NULL, false},
	{"read_latency_s", read_latency, NULL, false},
	{"release_year", number_release_year, NULL, false},
	{"scenario", NULL, category_scenario, false},
	{"share_host", share_host, NULL, true},
	{"share_kv", share_kv, NULL, true},
	{"share_read", share_read, NULL, true},
	{"tdp_w", number_tdp_w, NULL, false},
	{"token_compute_s", token_compute, NULL, false},
	{"total_params_b", number_total_params_b, NULL, false},
	{"transistors_m", number_transistors_m, NULL, false},
};

/* The feature of that name, whose prefix says when it is missing. */
bool
feature_find(const char *name, Feature *feature)
{
	static const char *const prefixes[] = {
		[VISIBLE_KNOWN_GPU] = "card:",
		[VISIBLE_KNOWN_GPU_SERVER] = "card_server:",
		[VISIBLE_FULL_BATCH] = "full:",
		[VISIBLE_KNOWN_LLM] = "llm:",
	};

	feature->visibility = VISIBLE;
	for (int v = VISIBLE_KNOWN_GPU; v <= VISIBLE_KNOWN_LLM; v++)
		if (strncmp(name, prefixes[v], strlen(prefixes[v])) == 0)
		{
			feature->visibility = (Visibility) v;
			name += strlen(prefixes[v]);
			break;
		}
	for (feature->index = 0; feature->index < (int) (sizeof features / sizeof features[0]); feature->index++)
		if (strcmp(features[feature->index].name, name) == 0)
		{
			feature->category = features[feature->index].category != NULL;
			feature->of_regime = features[feature->index].of_regime ||
				(feature->visibility != VISIBLE && feature->visibility != VISIBLE_KNOWN_GPU);
			return true;
		}
	return false;
}

static bool
is_visible(Visibility v, const Subject *s)
{
	switch (v)
	{
		case VISIBLE_KNOWN_GPU:
			return s->gpu_known;
		case VISIBLE_KNOWN_GPU_SERVER:
			return s->gpu_known || s->full_batch;
		case VISIBLE_FULL_BATCH:
			return s->full_batch;
		case VISIBLE_KNOWN_LLM:
			return s->llm_known || !s->assumed || s->full_batch;
		default:
			return true;
	}
}

double
feature_number(Feature feature, const Subject *s)
{
	return is_visible(feature.visibility, s) ? features[feature.index].number(s) : NAN;
}

bool
feature_is_model_type(Feature feature)
{
	return features[feature.index].category == category_model_type;
}

static int
add_features(FeatureOrder *order, int at, const Feature *list, int n, bool category, bool of_regime)
{
	for (int i = 0; i < n; i++)
		if (list[i].category == category && list[i].of_regime == of_regime)
		{
			order->features[at].number = features[list[i].index].number;
			order->features[at].place = (uint8_t) i;
			order->features[at++].visibility = (uint8_t) list[i].visibility;
		}
	return at;
}

FeatureOrder
feature_order(const Feature *list, int n)
{
	FeatureOrder order;

	order.num_fixed = add_features(&order, 0, list, n, false, false);
	order.num_numbers = add_features(&order, order.num_fixed, list, n, false, true);
	order.num_changing = add_features(&order, order.num_numbers, list, n, true, true);
	add_features(&order, order.num_changing, list, n, true, false);
	return order;
}

/* Each number into its place in x; categories' places are left alone. */
void
feature_numbers(const FeatureOrder *order, bool of_regime_only, const Subject *s, float *x)
{
	bool		visible[VISIBLE_KNOWN_LLM + 1];

	for (int v = VISIBLE; v <= VISIBLE_KNOWN_LLM; v++)
		visible[v] = is_visible((Visibility) v, s);
	for (int i = of_regime_only ? order->num_fixed : 0; i < order->num_numbers; i++)
		x[order->features[i].place] = visible[order->features[i].visibility] ? (float) order->features[i].number(s) : NAN;
}

const char *
feature_category(Feature feature, const Subject *s)
{
	return is_visible(feature.visibility, s) ? features[feature.index].category(s) : NULL;
}
