/*
 * What a backend remembers of predictions by name: a fleet asks for few
 * configurations many times. Specs and scenarios keep their numbers as long as
 * nothing is forgotten, and what was answered is forgotten with them. A card's
 * answers under one scenario and model lie side by side, by the LLM's number,
 * each kind of answer apart: so the figures of a whole fleet stay in a
 * processor's caches, outside of which reaching one costs more than all else
 * that a call does.
 */
#include "answers.h"

#include "utils/memutils.h"

/* Figures are kept apart by target, beside all of a prediction. */
enum {ALL = NUM_TARGETS, NUM_PLANES};

/* With all of it remembered, a backend holds about 12 MB. */
#define MAX_BYTES ((size_t) 10 << 20)

typedef struct Row
{
	uint64		key;			/* the numbers of card, scenario and model */
	uint32		hash;
	char		status;
	uint32		size[NUM_PLANES];	/* in LLMs */
	void	   *plane[NUM_PLANES];
} Row;

/* No figure: predictions that cannot be made are other NaNs. */
#define NOT_THERE (~UINT64CONST(0))

StaticAssertDecl(MAX_SPEC_NUMBER < 1 << 20 && MAX_REMEMBERED_MODELS < 1 << 4, "all numbers fit a key");

#define SH_PREFIX rows
#define SH_ELEMENT_TYPE Row
#define SH_KEY_TYPE uint64
#define SH_KEY key
#define SH_HASH_KEY(tb, key) ((uint32) (((key) * UINT64CONST(0x9E3779B97F4A7C15)) >> 32))
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
	rows_hash  *rows;
	size_t		bytes;
} memory;

static void
start_over(void)
{
	if (memory.epoch != catalogue_epoch())
		memory.memory = AllocSetContextCreate(catalogue_memory(), "wattgpu answers", ALLOCSET_DEFAULT_SIZES);
	MemoryContextReset(memory.memory);
	memory.rows = rows_create(memory.memory, 256, NULL);
	memory.bytes = 0;
	memory.epoch = catalogue_epoch();
}

static inline uint64
row_key(const GpuSpec *gpu, const Workload *scenario, int model)
{
	return (uint64) gpu->number << 24 | (uint64) scenario->number << 4 | (uint64) model;
}

/* Where the answer would be, or NULL if there is no place for it yet. */
static inline void *
find_place(const GpuSpec *gpu, const LlmSpec *llm, const Workload *scenario, int model, int plane, size_t width)
{
	Row		   *row;

	if (memory.epoch != catalogue_epoch())
		return NULL;
	row = rows_lookup(memory.rows, row_key(gpu, scenario, model));
	if (!row || llm->number >= row->size[plane])
		return NULL;
	return (char *) row->plane[plane] + llm->number * width;
}

/* The answer's place; new ones are filled with a byte. */
static void *
make_place(const GpuSpec *gpu, const LlmSpec *llm, const Workload *scenario, int model, int plane, size_t width, int filler)
{
	Row		   *row;
	bool		found;
	uint32		size;

	if (memory.epoch != catalogue_epoch() || memory.bytes > MAX_BYTES)
		start_over();
	row = rows_insert(memory.rows, row_key(gpu, scenario, model), &found);
	if (!found)
	{
		memset(row->size, 0, sizeof row->size);
		memory.bytes += sizeof *row;
	}
	if (llm->number >= row->size[plane])
	{
		char	   *answers;

		size = row->size[plane] ? row->size[plane] : 8;
		while (size <= llm->number)
			size *= 2;
		answers = MemoryContextAllocHuge(memory.memory, (Size) size * width);
		memset(answers, filler, (Size) size * width);
		if (row->size[plane])
		{
			memcpy(answers, row->plane[plane], row->size[plane] * width);
			pfree(row->plane[plane]);
		}
		memory.bytes += (size - row->size[plane]) * width;
		row->plane[plane] = answers;
		row->size[plane] = size;
	}
	return (char *) row->plane[plane] + llm->number * width;
}

/* The figure; false if it is not remembered. */
bool
figure_remembered(const GpuSpec *gpu, const LlmSpec *llm, const Workload *scenario, int model, Target target, double *figure)
{
	uint64	   *place = find_place(gpu, llm, scenario, model, (int) target, sizeof *place);

	if (!place || *place == NOT_THERE)
		return false;
	memcpy(figure, place, sizeof *figure);
	return true;
}

void
figure_remember(const GpuSpec *gpu, const LlmSpec *llm, const Workload *scenario, int model, Target target, double figure)
{
	memcpy(make_place(gpu, llm, scenario, model, (int) target, sizeof figure, 0xFF), &figure, sizeof figure);
}

/* The whole prediction, or NULL if it is not remembered. Valid until the next one is. */
const Prediction *
answer_remembered(const GpuSpec *gpu, const LlmSpec *llm, const Workload *scenario, int model)
{
	Prediction *place = find_place(gpu, llm, scenario, model, ALL, sizeof *place);

	return place && place->has ? place : NULL;
}

void
answer_remember(const GpuSpec *gpu, const LlmSpec *llm, const Workload *scenario, int model, const Prediction *prediction)
{
	*(Prediction *) make_place(gpu, llm, scenario, model, ALL, sizeof *prediction, 0) = *prediction;
}
