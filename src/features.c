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
	bool		of_llm;			/* follows from the LLM, the regime and the answers' length alone */
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

static const StepShares *
shares(const Subject *s)
{
	return s->full_batch ? &s->prior.full : &s->prior.single;
}

static double
log_step(const Subject *s)
{
	return log(shares(s)->step_s);
}

static double
share_read(const Subject *s)
{
	return shares(s)->read;
}

static double
share_kv(const Subject *s)
{
	return shares(s)->kv;
}

static double
share_host(const Subject *s)
{
	return shares(s)->host;
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
	{"bandwidth_latency_s", bandwidth_latency, NULL, false, false},
	{"bandwidth_use", bandwidth_use, NULL, true, false},
	{"base_clock_mhz", number_base_clock_mhz, NULL, false, false},
	{"batch", batch, NULL, true, false},
	{"batch_max", batch_max, NULL, false, false},
	{"boost_ratio", boost_ratio, NULL, false, false},
	{"busy", busy, NULL, true, false},
	{"busy_assumed", busy_assumed, NULL, true, false},
	{"compute_intensity", compute_intensity, NULL, false, false},
	{"compute_latency_s", compute_latency, NULL, false, false},
	{"fp16_tflops", number_fp16_tflops, NULL, false, false},
	{"full_batch", full_batch, NULL, true, true},
	{"gpu", NULL, category_gpu, false, false},
	{"headroom_w_per_sm_ghz", headroom, NULL, true, false},
	{"hidden_size", number_hidden_size, NULL, false, true},
	{"kv_gb_per_token", kv_per_token, NULL, false, true},
	{"kv_latency_s", kv_latency, NULL, false, false},
	{"log_busy", log_busy, NULL, true, false},
	{"log_params", log_params, NULL, false, true},
	{"log_step", log_step, NULL, true, false},
	{"log_tokens", log_tokens, NULL, false, true},
	{"memory_bandwidth_gb_s", number_memory_bandwidth_gb_s, NULL, false, false},
	{"memory_gb", number_memory_gb, NULL, false, false},
	{"memory_type", NULL, category_memory_type, false, false},
	{"model_type", NULL, category_model_type, false, true},
	{"num_attention_heads", number_num_attention_heads, NULL, false, true},
	{"num_key_value_heads", number_num_key_value_heads, NULL, false, true},
	{"num_layers", number_num_layers, NULL, false, true},
	{"params_per_layer_b", params_per_layer, NULL, false, true},
	{"read_latency_s", read_latency, NULL, false, false},
	{"release_year", number_release_year, NULL, false, false},
	{"scenario", NULL, category_scenario, false, false},
	{"share_host", share_host, NULL, true, false},
	{"share_kv", share_kv, NULL, true, false},
	{"share_read", share_read, NULL, true, false},
	{"tdp_w", number_tdp_w, NULL, false, false},
	{"token_compute_s", token_compute, NULL, false, false},
	{"total_params_b", number_total_params_b, NULL, false, true},
	{"transistors_m", number_transistors_m, NULL, false, false},
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
			feature->steady = features[feature->index].of_llm || feature->visibility == VISIBLE_KNOWN_GPU;
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

FeatureOrder
feature_order(const Feature *list, int n)
{
	FeatureOrder order;
	int			at = 0;

	for (int group = 0; group < NUM_FEATURE_GROUPS; group++)
	{
		for (int i = 0; i < n; i++)
			if (group == (list[i].category ? FEATURE_CATEGORY : 0) + (list[i].steady ? FEATURE_STEADY : 0) + (list[i].of_regime ? FEATURE_OF_REGIME : 0))
			{
				order.features[at].number = features[list[i].index].number;
				order.features[at].place = (uint8_t) i;
				order.features[at++].visibility = (uint8_t) list[i].visibility;
			}
		order.end[group] = at;
	}
	return order;
}

/* A group's numbers into their places in x. */
void
feature_numbers(const FeatureOrder *order, int group, const Subject *s, float *x)
{
	for (int i = feature_group(order, group); i < order->end[group]; i++)
	{
		Visibility	v = (Visibility) order->features[i].visibility;

		x[order->features[i].place] = v == VISIBLE || is_visible(v, s) ? (float) order->features[i].number(s) : NAN;
	}
}

const char *
feature_category(Feature feature, const Subject *s)
{
	return is_visible(feature.visibility, s) ? features[feature.index].category(s) : NULL;
}
