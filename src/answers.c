/*
 * What a backend remembers of predictions by name: a fleet asks for few
 * configurations many times. Specs and scenarios keep their numbers as long as
 * nothing is forgotten, and what was answered is forgotten with them. A card's
 * answers under one scenario and model lie side by side, by the LLM's number,
 * figures apart from all else: so those of a whole catalogue stay in a
 * processor's caches, outside of which reaching one costs more than all else
 * that a call does. Of many cards that one LLM is asked for, the row has its
 * figures itself.
 */
#include "answers.h"

#include "utils/memutils.h"

/* With all of it remembered, a backend holds about 12 MB. */
#define MAX_BYTES ((size_t) 12 << 20)

typedef struct Row
{
	uint64		key;			/* the numbers of card, scenario and model */
	double		first[NUM_TARGETS];	/* of the LLM that came first */
	double	   *figures;		/* of the others: by number for one target, then for the next */
	Prediction *predictions;
	uint32		num_figures;
	uint32		num_predictions;
	uint32		first_llm;
	char		status;
} Row;

/* No figure: predictions that cannot be made are other NaNs. */
#define NOT_THERE (~UINT64CONST(0))

StaticAssertDecl(MAX_SPEC_NUMBER < 1 << 20 && MAX_REMEMBERED_MODELS < 1 << 4, "all numbers fit a key");

#define SH_PREFIX rows
#define SH_ELEMENT_TYPE Row
#define SH_KEY_TYPE uint64
#define SH_KEY key
#define HASH_KEY(key) ((uint32) (((key) * UINT64CONST(0x9E3779B97F4A7C15)) >> 32))
#define SH_HASH_KEY(tb, key) HASH_KEY(key)
#define SH_EQUAL(tb, a, b) ((a) == (b))
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

/* Bring the row closer while the LLM is still looked up. */
void
answers_prefetch(const GpuSpec *gpu, const Workload *scenario, int model)
{
	uint64		key = row_key(gpu, scenario, model);

	if (memory.epoch == catalogue_epoch())
		__builtin_prefetch(&memory.rows->data[HASH_KEY(key) & memory.rows->sizemask]);
}

static inline Row *
find_row(const GpuSpec *gpu, const Workload *scenario, int model)
{
	return memory.epoch == catalogue_epoch() ? rows_lookup(memory.rows, row_key(gpu, scenario, model)) : NULL;
}

static Row *
make_row(const GpuSpec *gpu, const Workload *scenario, int model)
{
	Row		   *row;
	bool		found;

	if (memory.epoch != catalogue_epoch() || memory.bytes > MAX_BYTES)
		start_over();
	row = rows_insert(memory.rows, row_key(gpu, scenario, model), &found);
	if (!found)
	{
		row->first_llm = 0;
		row->num_figures = 0;
		row->num_predictions = 0;
		memory.bytes += sizeof *row;
	}
	return row;
}

/* How large an array must be to have a place for that number. */
static uint32
size_for(uint32 number, uint32 size)
{
	size = Max(size, 2);
	while (size <= number)
		size *= 2;
	return size;
}

/* An array in place of another one, whose places are copied; new ones are filled with a byte. */
static void *
grown(void *array, Size size, Size wanted, Size width, Size parts, int filler)
{
	char	   *larger = MemoryContextAllocHuge(memory.memory, parts * wanted * width);

	memset(larger, filler, parts * wanted * width);
	for (Size part = 0; part < parts && size > 0; part++)
		memcpy(larger + part * wanted * width, (char *) array + part * size * width, size * width);
	if (size > 0)
		pfree(array);
	memory.bytes += parts * (wanted - size) * width;
	return larger;
}

static inline double *
figure_place(Row *row, const LlmSpec *llm, Target target)
{
	if (row->first_llm == llm->number)
		return &row->first[target];
	return llm->number < row->num_figures ? &row->figures[(Size) target * row->num_figures + llm->number] : NULL;
}

static inline bool
is_there(const double *place)
{
	uint64		bits;

	memcpy(&bits, place, sizeof bits);
	return bits != NOT_THERE;
}

/* The figure; false if it is not remembered. */
bool
figure_remembered(const GpuSpec *gpu, const LlmSpec *llm, const Workload *scenario, int model, Target target, double *figure)
{
	Row		   *row = find_row(gpu, scenario, model);
	const double *place = row ? figure_place(row, llm, target) : NULL;

	if (!place || !is_there(place))
		return false;
	*figure = *place;
	return true;
}

void
figure_remember(const GpuSpec *gpu, const LlmSpec *llm, const Workload *scenario, int model, Target target, double figure)
{
	Row		   *row = make_row(gpu, scenario, model);

	if (row->first_llm == 0)
	{
		row->first_llm = llm->number;
		memset(row->first, 0xFF, sizeof row->first);
	}
	if (!figure_place(row, llm, target))
	{
		uint32		size = size_for(llm->number, row->num_figures);

		row->figures = grown(row->figures, row->num_figures, size, sizeof figure, NUM_TARGETS, 0xFF);
		row->num_figures = size;
	}
	*figure_place(row, llm, target) = figure;
}

/* The whole prediction, or NULL if it is not remembered. Valid until the next one is. */
const Prediction *
answer_remembered(const GpuSpec *gpu, const LlmSpec *llm, const Workload *scenario, int model)
{
	const Row  *row = find_row(gpu, scenario, model);

	return row && llm->number < row->num_predictions && row->predictions[llm->number].has ? &row->predictions[llm->number] : NULL;
}

void
answer_remember(const GpuSpec *gpu, const LlmSpec *llm, const Workload *scenario, int model, const Prediction *prediction)
{
	Row		   *row = make_row(gpu, scenario, model);

	if (llm->number >= row->num_predictions)
	{
		uint32		size = size_for(llm->number, row->num_predictions);

		row->predictions = grown(row->predictions, row->num_predictions, size, sizeof *prediction, 1, 0);
		row->num_predictions = size;
	}
	row->predictions[llm->number] = *prediction;
}
