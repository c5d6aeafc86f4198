/*
 * What a model makes of a pair: vectors, margins, predictions.
 */
#include "model.h"

#include <math.h>

#include "utils/builtins.h"
#include "utils/memutils.h"

static const char *const target_names[NUM_TARGETS] = {
	[TARGET_POWER] = "power",
	[TARGET_ITL] = "itl",
};

const char *
target_name(Target target)
{
	return target_names[target];
}

Target
target_parse(text *name)
{
	for (int t = 0; t < NUM_TARGETS; t++)
		if (VARSIZE_ANY_EXHDR(name) == strlen(target_names[t]) &&
			memcmp(VARDATA_ANY(name), target_names[t], strlen(target_names[t])) == 0)
			return (Target) t;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("unknown target \"%s\"", text_to_cstring(name)),
			 errhint("The targets are \"power\" and \"itl\".")));
}

/* Read model->booster into model->forest; returns what is wrong with it, or NULL. */
const char *
model_read_forest(Model *model)
{
	const char *wrong = forest_read((const uint8_t *) VARDATA_ANY(model->booster),
									VARSIZE_ANY_EXHDR(model->booster),
									palloc, &model->forest);

	if (!wrong && model->forest.num_features != model->num_features)
		wrong = "the booster has another number of features";
	return wrong;
}

/* Masks pay from some dozens of evaluations on; a session that asks once should not wait for them. */
#define WALKS_BEFORE_MASKS 32

static LeafMasks *
masks_of(const Model *model)
{
	FastForest *fast = model->fast;

	if (!fast)
		return NULL;
	if (fast->walks < WALKS_BEFORE_MASKS && ++fast->walks == WALKS_BEFORE_MASKS)
	{
		MemoryContext temporary = MemoryContextSwitchTo(GetMemoryChunkContext(fast));
		uint64_t	steady = 0;

		for (int i = 0; i < model->num_features; i++)
			steady |= (uint64_t) model->features[i].steady << i;
		fast->masks = leaves_make(&model->forest, steady, palloc);
		MemoryContextSwitchTo(temporary);
	}
	return fast->masks;
}

/* The margins of two vectors, which agree to the bit with what the forest's trees say when they are walked. */
void
model_margins(const Model *model, const float *a, const float *b, float *margin_a, float *margin_b)
{
	LeafMasks  *masks = masks_of(model);

	if (masks)
	{
		leaves_eval_pair(masks, a, b, margin_a, margin_b);
		return;
	}
	*margin_a = forest_eval(&model->forest, a);
	*margin_b = a == b ? *margin_a : forest_eval(&model->forest, b);
}

/* The place of a name, or -1. NULL is nobody's name. */
int
names_find(const Names *names, const char *name)
{
	int			low = 0;
	int			high = name ? names->count - 1 : -1;

	while (low <= high)
	{
		int			middle = (low + high) / 2;
		int			c = (unsigned char) *name - (unsigned char) *names->values[middle];

		if (c == 0)
			c = strcmp(name, names->values[middle]);

		if (c == 0)
			return middle;
		if (c < 0)
			high = middle - 1;
		else
			low = middle + 1;
	}
	return -1;
}

bool
names_have(const Names *names, const char *name)
{
	return names_find(names, name) >= 0;
}

/* A card is known by its name as long as it is what it was. */
bool
model_knows_gpu(const Model *model, const GpuSpec *gpu)
{
	int			i = names_find(&model->gpus, gpu->gpu);

	return i >= 0 && model->gpu_crcs[i] == gpu->crc;
}

static int
llm_place(const Model *model, const LlmSpec *llm)
{
	int			i = names_find(&model->llms, llm->llm);

	return i >= 0 && model->llm_crcs[i] == llm->crc ? i : -1;
}

/* Whether a known name says something else by now: what was measured under it was of something else, too. */
bool
model_has_changed(const Model *model, const GpuSpec *gpu, const LlmSpec *llm)
{
	return (names_have(&model->gpus, gpu->gpu) && !model_knows_gpu(model, gpu)) ||
		(names_have(&model->llms, llm->llm) && llm_place(model, llm) < 0);
}

/* Where the LLM is among those that the model was trained on, or -1. */
int
model_llm_place(const Model *model, const LlmSpec *llm)
{
	FastForest *fast = model->fast;

	if (!fast || llm->number == 0)
		return llm_place(model, llm);
	if (fast->llm_number != llm->number || fast->llm_epoch != catalogue_epoch())
	{
		fast->llm_place = llm_place(model, llm);
		fast->kept = false;
		fast->type_place = -1;
		for (int i = 0; i < model->num_features; i++)
			if (model->features[i].category && feature_is_model_type(model->features[i]))
				fast->type_place = names_find(&model->categories[i], llm->model_type);
		fast->llm_number = llm->number;
		fast->llm_epoch = catalogue_epoch();
	}
	return fast->llm_place;
}

/* A category is the place of its value among those of the training rows. */
static float
category_code(const Model *model, int i, const Subject *subject)
{
	const char *value = feature_category(model->features[i], subject);
	int			code;

	if (value && model->fast && feature_is_model_type(model->features[i]))
	{
		model_llm_place(model, subject->llm);
		code = subject->llm->number > 0 ? model->fast->type_place : names_find(&model->categories[i], value);
	}
	else
		code = names_find(&model->categories[i], value);
	return code < 0 ? NAN : (float) code;
}

static void
put_group(const Model *model, int group, const Subject *subject, float *x)
{
	const FeatureOrder *order = &model->order;

	if (!(group & FEATURE_CATEGORY))
		feature_numbers(order, group, subject, x);
	else
		for (int i = feature_group(order, group); i < order->end[group]; i++)
			x[order->features[i].place] = category_code(model, order->features[i].place, subject);
}

void
model_vector(const Model *model, const Subject *subject, float *x)
{
	for (int group = 0; group < NUM_FEATURE_GROUPS; group++)
		put_group(model, group, subject, x);
}

/* Numbers and categories that are steady, or are not, of both vectors. */
static void
put_both(const Model *model, int steady, const Subject *full, const Subject *alone, float *x_full, float *x_alone)
{
	const FeatureOrder *order = &model->order;

	for (int group = steady; group < NUM_FEATURE_GROUPS; group += FEATURE_CATEGORY)
	{
		put_group(model, group, full, x_full);
		for (int i = feature_group(order, group); i < order->end[group]; i++)
			x_alone[order->features[i].place] = x_full[order->features[i].place];
		put_group(model, group + FEATURE_OF_REGIME, full, x_full);
		put_group(model, group + FEATURE_OF_REGIME, alone, x_alone);
	}
}

/* The vectors of two regimes of the same pair and workload. For cards that were not trained on, what is steady is kept from one to the next. */
void
model_vectors(const Model *model, const Subject *full, const Subject *alone, float *x_full, float *x_alone)
{
	FastForest *fast = model->fast;
	size_t		size = sizeof(float) * (size_t) model->num_features;
	bool		keep = fast && full->llm->number > 0 && !full->gpu_known;

	if (keep)
		model_llm_place(model, full->llm);
	if (keep && fast->kept && fast->kept_tokens == full->step->tokens && fast->kept_assumed == full->assumed && fast->kept_regime == alone->full_batch)
	{
		memcpy(x_full, fast->kept_full, size);
		memcpy(x_alone, fast->kept_alone, size);
	}
	else
	{
		put_both(model, FEATURE_STEADY, full, alone, x_full, x_alone);
		if (keep)
		{
			memcpy(fast->kept_full, x_full, size);
			memcpy(fast->kept_alone, x_alone, size);
			fast->kept_tokens = full->step->tokens;
			fast->kept_assumed = full->assumed;
			fast->kept_regime = alone->full_batch;
			fast->kept = true;
		}
	}
	put_both(model, 0, full, alone, x_full, x_alone);
}

Novelty
model_novelty(const Model *model, const GpuSpec *gpu, const LlmSpec *llm)
{
	bool		new_gpu = !model_knows_gpu(model, gpu);
	bool		new_llm = model_llm_place(model, llm) < 0;

	return new_gpu ? (new_llm ? NOVELTY_BOTH : NOVELTY_GPU) : (new_llm ? NOVELTY_LLM : NOVELTY_NONE);
}

/* Where the lower of an interval's two quantiles is; the upper follows. */
int
interval_index(Novelty novelty, bool offline, bool given)
{
	return 2 * ((given * 2 + offline) * NUM_NOVELTIES + (int) novelty);
}

/* Mean board power in W, or mean inter-token latency in s; NAN where a spec that it needs is missing. */
double
model_predict(const Model *model, const GpuSpec *gpu, const LlmSpec *llm, const Workload *w)
{
	float		x[MAX_FEATURES];
	Subject		s = {.gpu = gpu, .llm = llm, .workload = w};
	double		margin;

	if (model->physical)
	{
		Served		served = physical_serve(model->itl ? model->itl : model, gpu, llm, w);

		return model->target == TARGET_POWER ? physical_power(model, gpu, llm, &served) : served.itl_s;
	}
	model_vector(model, &s, x);
	margin = forest_eval(&model->forest, x);
	/* Trees may add up to less than nothing far from their training rows; no card draws that. */
	if (model->target == TARGET_POWER)
		return margin > 0 ? margin * gpu->tdp_w : NAN;
	return exp(margin);
}
