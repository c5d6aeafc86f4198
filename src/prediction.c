/*
 * All that is predicted of one configuration: what both models say, and how
 * far it lies from what they were trained on.
 */
#include "prediction.h"

#include <math.h>

#include "common/hashfn.h"
#include "utils/builtins.h"

StaticAssertDecl(BELOW_IDLE < 32, "a bit for each range and kind, and two more");

static uint32_t
find_outside(const Model *model, const double *values, const GpuSpec *gpu, const LlmSpec *llm)
{
	uint32_t	outside = 0;

	for (int i = 0; i < NUM_RANGES; i++)
	{
		Range		range = model->ranges[i];
		double		slack = 1e-6 * fmax(fabs(range.least), fabs(range.most));

		if (range.least <= range.most && !isnan(values[i]) &&
			!(values[i] >= range.least - slack && values[i] <= range.most + slack))
			outside |= (uint32_t) 1 << i;
	}
	for (int i = 0; i < NUM_KINDS; i++)
		if (names_find(&model->kind_values[i], kind_value(i, gpu, llm)) < 0)
			outside |= (uint32_t) 1 << (NUM_RANGES + i);
	return outside;
}

static char *
outside_words(const Model *model, int bit, const RangeSubject *s)
{
	int			kind = bit - NUM_RANGES;
	double		value;

	if (bit == OUTSIDE_LIMIT)
		return psprintf("power_limit_w = %g, below what the card would draw: slowed down by a model, not by measurements", s->workload->power_limit_w);
	if (bit == BELOW_IDLE)
		return psprintf("power_limit_w = %g, no more than the idle card draws", s->workload->power_limit_w);
	if (kind >= 0)
	{
		const char *name = kind_value(kind, s->gpu, s->llm);

		return strcmp(name, UNKNOWN_KIND) == 0 ? psprintf("%s is not known", kind_name(kind))
			: psprintf("%s=%s, not trained on", kind_name(kind), name);
	}
	value = range_value(bit, s);
	return isinf(value) ? psprintf("%s is not known", range_name(bit))
		: psprintf("%s = %g, trained on %g to %g", range_name(bit), value, model->ranges[bit].least, model->ranges[bit].most);
}

/* Words that were put together once, for a looked-up card or LLM: printing numbers costs more than predicting them. */
typedef struct WordsKey
{
	const Model *model;
	const void *spec;
	int64		bit;
} WordsKey;

typedef struct WordsEntry
{
	WordsKey	key;
	text	   *words;
	uint32		hash;
	char		status;
} WordsEntry;

#define SH_PREFIX words
#define SH_ELEMENT_TYPE WordsEntry
#define SH_KEY_TYPE WordsKey
#define SH_KEY key
#define SH_HASH_KEY(tb, key) hash_bytes((const unsigned char *) &(key), sizeof(WordsKey))
#define SH_EQUAL(tb, a, b) (memcmp(&(a), &(b), sizeof(WordsKey)) == 0)
#define SH_STORE_HASH
#define SH_GET_HASH(tb, e) (e)->hash
#define SH_SCOPE static inline
#define SH_DEFINE
#define SH_DECLARE
#include "lib/simplehash.h"

#define MAX_WORDS 30000

static struct
{
	uint64		epoch;
	words_hash *table;
} known;

/* What that bit of outside means, as a text. made_up: the specs are of rows, and gone tomorrow. */
Datum
prediction_outside(const Model *model, int bit, const RangeSubject *s, bool made_up)
{
	const void *spec = bit >= OUTSIDE_LIMIT ? s->workload : bit < NUM_RANGES ? range_spec(bit, s)
		: kind_spec(bit - NUM_RANGES, s->gpu, s->llm);
	WordsKey	key = {model, spec, bit};
	WordsEntry *entry;
	text	   *words;
	bool		found;

	if (made_up || spec == s->workload)
		return CStringGetTextDatum(outside_words(model, bit, s));
	if (known.epoch != catalogue_epoch())
	{
		known.table = words_create(catalogue_memory(), 64, NULL);
		known.epoch = catalogue_epoch();
	}
	entry = words_lookup(known.table, key);
	if (entry)
		return PointerGetDatum(entry->words);
	words = cstring_to_text(outside_words(model, bit, s));
	if (known.table->members < MAX_WORDS)
	{
		text	   *copy = MemoryContextAlloc(catalogue_memory(), VARSIZE(words));

		memcpy(copy, words, VARSIZE(words));
		words_insert(known.table, key, &found)->words = copy;
	}
	return PointerGetDatum(words);
}

static void
add_all(Prediction *p, const Model *power, const Model *itl, const GpuSpec *gpu, const LlmSpec *llm, const Workload *w)
{
	const Model *serving = power->physical ? power->itl : itl->physical ? itl : NULL;
	RangeSubject subject = {gpu, llm, w, NAN};
	double		values[NUM_RANGES];
	Served		served = {.assumed = false};

	if (serving)
	{
		served = physical_serve(serving, gpu, llm, w);
		if (power->physical)
			physical_cap(power, gpu, llm, &served);
		subject.workload = &served.workload;
		if (!served.step.offline)
			subject.in_flight = served.in_flight;
		p->in_flight = served.in_flight;
		p->saturated = served.saturated;
	}
	p->power_w = power->physical ? physical_power(power, gpu, llm, &served) : model_predict(power, gpu, llm, w);
	p->itl_s = itl == serving ? served.itl_s : w->power_limit_w > 0 ? NAN : model_predict(itl, gpu, llm, w);
	for (int i = 0; i < NUM_RANGES; i++)
		values[i] = range_value(i, &subject);
	p->outside[TARGET_POWER] = find_outside(power, values, gpu, llm);
	p->outside[TARGET_ITL] = find_outside(itl, values, gpu, llm);
	if (served.capped)
		p->outside[TARGET_POWER] |= (uint32_t) 1 << (served.below_idle ? BELOW_IDLE : OUTSIDE_LIMIT);
	p->novelty[TARGET_POWER] = model_novelty(power, gpu, llm);
	p->novelty[TARGET_ITL] = model_novelty(itl, gpu, llm);
}

/* Work out what was asked for and is not there yet. Models are needed as far as their figures are. */
void
prediction_add(Prediction *p, int has, const Model *power, const Model *itl, const GpuSpec *gpu, const LlmSpec *llm, const Workload *w)
{
	if (p->has == 0)
		*p = (Prediction) {.power_w = NAN, .itl_s = NAN, .in_flight = NAN, .fit = fits(gpu, llm, w)};
	/* What a limit does to the time follows from the power. */
	if (w->power_limit_w > 0)
		has |= HAS_ALL;
	has &= ~p->has;
	p->has |= has;
	if (p->fit != FIT_YES)
		return;
	if (has & HAS_ALL)
		add_all(p, power, itl, gpu, llm, w);
	else if (has & HAS_POWER)
		p->power_w = model_predict(power, gpu, llm, w);
	else if (has & HAS_ITL)
		p->itl_s = model_predict(itl, gpu, llm, w);
}
