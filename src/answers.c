/*
 * What a backend remembers of predictions by name: a fleet asks for few
 * configurations many times. Specs and scenarios keep their numbers as long as
 * nothing is forgotten, and what was answered is forgotten with them. Each
 * answer is one place in one table: where it is not in a processor's caches,
 * reaching it costs more than all else that a call does.
 */
#include "answers.h"

#include "utils/memutils.h"

/* With all of it remembered, a backend holds about 15 MB. */
#define MAX_ANSWERS 200000

typedef struct AnswerEntry
{
	uint64		key;			/* the numbers of card, LLM, scenario and model */
	Prediction	prediction;
	uint32		hash;
	char		status;
} AnswerEntry;

StaticAssertDecl(MAX_SPEC_NUMBER < 1 << 20 && MAX_REMEMBERED_MODELS < 1 << 4, "all numbers fit a key");

static inline uint64
configuration_key(const GpuSpec *gpu, const LlmSpec *llm, const Workload *scenario, int model)
{
	return (uint64) gpu->number << 44 | (uint64) llm->number << 24 | (uint64) scenario->number << 4 | (uint64) model;
}

/* A pair's scenarios and models lie side by side: where they are is known before all names are. */
static inline uint32
hash_pair(uint64 key)
{
	return (uint32) (((key >> 24) * UINT64CONST(0x9E3779B97F4A7C15)) >> 32);
}

static inline uint32
hash_key(uint64 key)
{
	return hash_pair(key) + (uint32) (key >> 4 & 0xFFFFF) + (uint32) (key & 0xF) * 16;
}

#define SH_PREFIX answers
#define SH_ELEMENT_TYPE AnswerEntry
#define SH_KEY_TYPE uint64
#define SH_KEY key
#define SH_HASH_KEY(tb, key) hash_key(key)
#define SH_EQUAL(tb, a, b) ((a) == (b))
#define SH_STORE_HASH
#define SH_GET_HASH(tb, e) (e)->hash
#define SH_SCOPE static inline
#define SH_DEFINE
#define SH_DECLARE
#include "lib/simplehash.h"

static struct
{
	uint64		epoch;
	MemoryContext memory;
	answers_hash *table;
} memory;

static void
start_over(void)
{
	if (memory.epoch != catalogue_epoch())
		memory.memory = AllocSetContextCreate(catalogue_memory(), "wattgpu answers", ALLOCSET_DEFAULT_SIZES);
	MemoryContextReset(memory.memory);
	memory.table = answers_create(memory.memory, 256, NULL);
	memory.epoch = catalogue_epoch();
}

/* Fetch what is remembered of a pair into the processor's caches while the scenario is still looked up. */
void
answer_prefetch(const GpuSpec *gpu, const LlmSpec *llm)
{
	uint32		first;

	if (memory.epoch != catalogue_epoch())
		return;
	first = hash_pair(configuration_key(gpu, llm, &(Workload) {.number = 0}, 0)) + 1;
	__builtin_prefetch(&memory.table->data[first & memory.table->sizemask]);
	__builtin_prefetch(&memory.table->data[(first + 2) & memory.table->sizemask]);
}

/* The prediction, or NULL if nothing is remembered of it. Valid until the next one is remembered. */
Prediction *
answer_remembered(const GpuSpec *gpu, const LlmSpec *llm, const Workload *scenario, int model)
{
	AnswerEntry *entry;

	if (memory.epoch != catalogue_epoch())
		return NULL;
	entry = answers_lookup(memory.table, configuration_key(gpu, llm, scenario, model));
	return entry ? &entry->prediction : NULL;
}

/* The prediction to fill in; it may hold a part already. */
Prediction *
answer_remember(const GpuSpec *gpu, const LlmSpec *llm, const Workload *scenario, int model)
{
	AnswerEntry *entry;
	bool		found;

	if (memory.epoch != catalogue_epoch() || memory.table->members >= MAX_ANSWERS)
		start_over();
	entry = answers_insert(memory.table, configuration_key(gpu, llm, scenario, model), &found);
	if (!found)
		entry->prediction.has = 0;
	return &entry->prediction;
}
