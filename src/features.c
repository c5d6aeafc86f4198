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

typedef struct Subject
{
	const GpuSpec *gpu;
	const LlmSpec *llm;
	const Workload *w;
} Subject;

typedef struct Feature
{
	const char *name;
	double		(*number) (const Subject *s);
	const char *(*category) (const Subject *s);
} Feature;

#define SPEC_NUMBER(spec, field) \
	static double number_##field(const Subject *s) { return s->spec->field; }
#define SPEC_CATEGORY(spec, field) \
	static const char *category_##field(const Subject *s) { return s->spec->field; }

SPEC_NUMBER(gpu, base_clock_mhz)
SPEC_NUMBER(gpu, fp16_tflops)
SPEC_NUMBER(gpu, memory_bandwidth_gb_s)
SPEC_NUMBER(gpu, memory_gb)
SPEC_NUMBER(gpu, release_year)
SPEC_NUMBER(gpu, transistors_m)
SPEC_NUMBER(llm, hidden_size)
SPEC_NUMBER(llm, num_attention_heads)
SPEC_NUMBER(llm, num_key_value_heads)
SPEC_NUMBER(llm, num_layers)
SPEC_NUMBER(llm, total_params_b)
SPEC_CATEGORY(gpu, memory_type)
SPEC_CATEGORY(llm, model_type)
SPEC_CATEGORY(w, scenario)

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

static const Feature features[] = {
	{"bandwidth_latency_s", bandwidth_latency, NULL},
	{"base_clock_mhz", number_base_clock_mhz, NULL},
	{"boost_ratio", boost_ratio, NULL},
	{"compute_latency_s", compute_latency, NULL},
	{"fp16_tflops", number_fp16_tflops, NULL},
	{"hidden_size", number_hidden_size, NULL},
	{"log_params", log_params, NULL},
	{"memory_bandwidth_gb_s", number_memory_bandwidth_gb_s, NULL},
	{"memory_gb", number_memory_gb, NULL},
	{"memory_type", NULL, category_memory_type},
	{"model_type", NULL, category_model_type},
	{"num_attention_heads", number_num_attention_heads, NULL},
	{"num_key_value_heads", number_num_key_value_heads, NULL},
	{"num_layers", number_num_layers, NULL},
	{"release_year", number_release_year, NULL},
	{"scenario", NULL, category_scenario},
	{"total_params_b", number_total_params_b, NULL},
	{"transistors_m", number_transistors_m, NULL},
};

/* The feature of that name, or -1. */
int
feature_find(const char *name)
{
	for (size_t i = 0; i < sizeof features / sizeof features[0]; i++)
		if (strcmp(features[i].name, name) == 0)
			return (int) i;
	return -1;
}

bool
feature_is_category(int feature)
{
	return features[feature].category != NULL;
}

double
feature_number(int feature, const GpuSpec *gpu, const LlmSpec *llm, const Workload *w)
{
	Subject		s = {gpu, llm, w};

	return features[feature].number(&s);
}

const char *
feature_category(int feature, const GpuSpec *gpu, const LlmSpec *llm, const Workload *w)
{
	Subject		s = {gpu, llm, w};

	/* cppcheck-suppress returnDanglingLifetime; it points into the specs, not into s */
	return features[feature].category(&s);
}
