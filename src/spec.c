/*
 * Looking up a GPU, an LLM or a scenario by any of its spellings, and what was
 * measured of them.
 */
#include "wattgpu.h"

#include <math.h>

#include "common/hashfn.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/datetime.h"
#include "utils/memutils.h"

#include "columns.h"
#include "names.h"
#include "resolve.h"

/* A backend that is asked for more distinct spellings than this starts over; of those that nobody knows it forgets sooner. */
#define MAX_NAMES MAX_SPEC_NUMBER
#define MAX_UNKNOWN_NAMES 20000

typedef struct NameKey
{
	const char *data;
	uint32		len;
	uint32		kind;
} NameKey;

typedef struct NameEntry
{
	NameKey		key;
	uint32		hash;
	char		status;
	const void *spec;
} NameEntry;

/*
 * Eight bytes a step, the last ones with what came before: names are short,
 * and three of them are hashed for every row of an inventory.
 */
static inline uint32
hash_name(NameKey key)
{
	const char *end = key.data + key.len;
	uint64		h = (uint64) key.len << 8 | key.kind;
	uint64		bytes = 0;

#define MIX(b) (h = (h ^ (b)) * UINT64CONST(0x9E3779B97F4A7C15), h ^= h >> 32)
	if (key.len >= sizeof bytes)
	{
		for (const char *p = key.data; p < end - sizeof bytes; p += sizeof bytes)
		{
			memcpy(&bytes, p, sizeof bytes);
			MIX(bytes);
		}
		memcpy(&bytes, end - sizeof bytes, sizeof bytes);
	}
	else
		for (const char *p = key.data; p < end; p++)
			bytes = bytes << 8 | (unsigned char) *p;
	MIX(bytes);
#undef MIX
	return (uint32) (h >> 8);
}

/* As memcmp, but without a call. */
static inline bool
same_name(NameKey a, NameKey b)
{
	uint64		x;
	uint64		y;

	if (a.kind != b.kind || a.len != b.len)
		return false;
	if (a.len < sizeof x)
	{
		for (uint32 i = 0; i < a.len; i++)
			if (a.data[i] != b.data[i])
				return false;
		return true;
	}
	for (uint32 i = 0; i < a.len - sizeof x; i += sizeof x)
	{
		memcpy(&x, a.data + i, sizeof x);
		memcpy(&y, b.data + i, sizeof y);
		if (x != y)
			return false;
	}
	memcpy(&x, a.data + a.len - sizeof x, sizeof x);
	memcpy(&y, b.data + a.len - sizeof y, sizeof y);
	return x == y;
}

#define SH_PREFIX name_map
#define SH_ELEMENT_TYPE NameEntry
#define SH_KEY_TYPE NameKey
#define SH_KEY key
#define SH_HASH_KEY(tb, key) hash_name(key)
#define SH_EQUAL(tb, a, b) same_name(a, b)
#define SH_STORE_HASH
#define SH_GET_HASH(tb, e) (e)->hash
#define SH_SCOPE static inline
#define SH_DEFINE
#define SH_DECLARE
#include "lib/simplehash.h"

/* What was measured of a configuration, by its names. */
typedef struct MeasuredKey
{
	const char *gpu;
	const char *llm;
	const char *scenario;
	int64		num_gpus;
} MeasuredKey;

typedef struct MeasuredEntry
{
	MeasuredKey key;
	uint32		hash;
	char		status;
	Measured	measured;
} MeasuredEntry;

static uint32
hash_measured(MeasuredKey key)
{
	uint32		h = hash_bytes((const unsigned char *) key.gpu, (int) strlen(key.gpu));

	h = hash_combine(h, hash_bytes((const unsigned char *) key.llm, (int) strlen(key.llm)));
	return hash_combine(h, hash_bytes((const unsigned char *) key.scenario, (int) strlen(key.scenario)) + (uint32) key.num_gpus);
}

static bool
same_measured(MeasuredKey a, MeasuredKey b)
{
	return a.num_gpus == b.num_gpus && strcmp(a.gpu, b.gpu) == 0 && strcmp(a.llm, b.llm) == 0 && strcmp(a.scenario, b.scenario) == 0;
}

#define SH_PREFIX measured_map
#define SH_ELEMENT_TYPE MeasuredEntry
#define SH_KEY_TYPE MeasuredKey
#define SH_KEY key
#define SH_HASH_KEY(tb, key) hash_measured(key)
#define SH_EQUAL(tb, a, b) same_measured(a, b)
#define SH_STORE_HASH
#define SH_GET_HASH(tb, e) (e)->hash
#define SH_SCOPE static inline
#define SH_DEFINE
#define SH_DECLARE
#include "lib/simplehash.h"

/* What was looked up; it lives in the catalogue's memory and goes with it. */
static struct
{
	uint64		epoch;
	name_map_hash *names;
	name_map_hash *unknown;
	MemoryContext unknown_memory;
	uint32		num_specs[NUM_SPEC_KINDS];
	measured_map_hash *measured;	/* NULL until it is needed */
} cache;

static void
forget_unknown(void)
{
	MemoryContextReset(cache.unknown_memory);
	cache.unknown = name_map_create(cache.unknown_memory, 64, NULL);
}

/* Make the cache good for the current epoch of the catalogue. */
static void
refresh(void)
{
	if (cache.epoch == catalogue_epoch())
	{
		if (cache.names->members > MAX_NAMES)
			catalogue_is_full();
		if (cache.unknown->members > MAX_UNKNOWN_NAMES)
			forget_unknown();
		return;
	}
	cache.names = name_map_create(catalogue_memory(), 256, NULL);
	cache.unknown_memory = AllocSetContextCreate(catalogue_memory(), "wattgpu unknown names", ALLOCSET_DEFAULT_SIZES);
	forget_unknown();
	cache.measured = NULL;
	memset(cache.num_specs, 0, sizeof cache.num_specs);
	cache.epoch = catalogue_epoch();
}

static void *
look_up(Kind kind, const char *folded)
{
	Resolution	r;
	void	   *spec = NULL;

	catalogue_connect();
	resolve(kind, folded, &r);
	if (r.match != MATCH_NONE)
	{
		RowShape	shape = row_shape(kind, r.row.desc);
		MemoryContext temporary = MemoryContextSwitchTo(catalogue_memory());

		spec = palloc0(spec_size(kind));
		row_read(kind, &shape, r.row.tuple, spec);
		if (kind == KIND_GPU)
			((GpuSpec *) spec)->crc = spec_crc(kind, spec);
		else if (kind == KIND_LLM)
			((LlmSpec *) spec)->crc = spec_crc(kind, spec);
		MemoryContextSwitchTo(temporary);
	}
	catalogue_disconnect();
	return spec;
}

/* Numbers are given out one by one, so that they may index an array. */
static void
number_spec(Kind kind, void *spec)
{
	*(kind == KIND_GPU ? &((GpuSpec *) spec)->number : kind == KIND_LLM ? &((LlmSpec *) spec)->number
	  : &((Workload *) spec)->number) = ++cache.num_specs[kind];
}

static NameEntry *
remember(name_map_hash *map, MemoryContext memory, NameKey key, const void *spec)
{
	char	   *copy = MemoryContextAlloc(memory, key.len + 1);
	NameEntry  *entry;
	bool		found;

	memcpy(copy, key.data, key.len);
	key.data = copy;
	entry = name_map_insert(map, key, &found);
	entry->spec = spec;
	return entry;
}

/* Look a spelling up in the tables. One card is one spec, whatever it was called by. */
static const void *
find_new(Kind kind, NameKey key)
{
	char		folded[NAME_MAX_BYTES + 1];
	void	   *spec;
	const char *canonical;
	NameKey		canonical_key;
	NameEntry  *entry;

	name_fold(key.data, key.len, folded);
	spec = look_up(kind, folded);
	if (!spec)
	{
		remember(cache.unknown, cache.unknown_memory, key, NULL);
		return NULL;
	}
	canonical = kind == KIND_GPU ? ((const GpuSpec *) spec)->gpu
		: kind == KIND_LLM ? ((const LlmSpec *) spec)->llm : ((const Workload *) spec)->scenario;
	canonical_key = (NameKey) {canonical, (uint32) strlen(canonical), kind};
	entry = name_map_lookup(cache.names, canonical_key);
	if (!entry)
	{
		number_spec(kind, spec);
		entry = remember(cache.names, catalogue_memory(), canonical_key, spec);
	}
	if (!same_name(key, canonical_key))
		entry = remember(cache.names, catalogue_memory(), key, entry->spec);
	return entry->spec;
}

/*
 * The spec of that name. Unknown names are remembered too: a report over an
 * inventory asks for the same wrong name again and again.
 */
static const void *
find(Kind kind, const char *name, size_t len, bool error)
{
	NameKey		key;
	NameEntry  *entry;
	const void *spec = NULL;

	refresh();
	name_trim(&name, &len);
	key = (NameKey) {name, (uint32) len, kind};
	if (len > 0 && len <= NAME_MAX_BYTES)
	{
		entry = name_map_lookup(cache.names, key);
		if (entry)
			return entry->spec;
		if (!name_map_lookup(cache.unknown, key))
			spec = find_new(kind, key);
	}
	if (!spec && error)
		report_unknown(kind, name, len);
	return spec;
}

/* The catalogue's own row of a made-up row's name, or NULL. */
const void *
spec_named(Kind kind, const char *name)
{
	return find(kind, name, strlen(name), false);
}

const GpuSpec *
gpu_find(const char *name, size_t len)
{
	return find(KIND_GPU, name, len, wattgpu_unknown_name == UNKNOWN_NAME_ERROR);
}

const LlmSpec *
llm_find(const char *name, size_t len)
{
	return find(KIND_LLM, name, len, wattgpu_unknown_name == UNKNOWN_NAME_ERROR);
}

const Workload *
scenario_find(const char *name, size_t len)
{
	return find(KIND_SCENARIO, name, len, wattgpu_unknown_name == UNKNOWN_NAME_ERROR);
}

static Datum
column_of(uint64 row, int attno, bool *isnull)
{
	return SPI_getbinval(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, attno, isnull);
}

static double
number_of(uint64 row, int attno)
{
	bool		isnull;
	Datum		value = column_of(row, attno, &isnull);

	return isnull ? NAN : DatumGetFloat8(value);
}

static char *
text_of(uint64 row, int attno)
{
	bool		isnull;

	return TextDatumGetCString(column_of(row, attno, &isnull));
}

/* All means at once: asked for one by one they would cost more than the predictions beside them. */
static measured_map_hash *
read_measured(void)
{
	MemoryContext memory;
	measured_map_hash *map;

	catalogue_connect();
	if (SPI_execute(catalogue_query("SELECT gpu, llm, scenario, num_gpus,"
									" pg_catalog.sum(power_w OPERATOR(pg_catalog.*) runs) OPERATOR(pg_catalog./) pg_catalog.sum(runs) FILTER (WHERE power_w IS NOT NULL),"
									" pg_catalog.sum(itl_s OPERATOR(pg_catalog.*) runs) OPERATOR(pg_catalog./) pg_catalog.sum(runs) FILTER (WHERE itl_s IS NOT NULL)"
									" FROM %1$s.wattgpu_measurements GROUP BY 1, 2, 3, 4"), true, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not read wattgpu_measurements");
	memory = AllocSetContextCreate(CurrentMemoryContext, "wattgpu measurements", ALLOCSET_DEFAULT_SIZES);
	map = measured_map_create(memory, (uint32) SPI_processed + 1, NULL);
	for (uint64 row = 0; row < SPI_processed; row++)
	{
		MemoryContext temporary = MemoryContextSwitchTo(memory);
		bool		found;
		MeasuredKey key = {text_of(row, 1), text_of(row, 2), text_of(row, 3), DatumGetInt32(column_of(row, 4, &found))};
		MeasuredEntry *entry = measured_map_insert(map, key, &found);

		MemoryContextSwitchTo(temporary);
		CHECK_FOR_INTERRUPTS();
		entry->measured = (Measured) {number_of(row, 5), number_of(row, 6)};
	}
	MemoryContextSetParent(memory, catalogue_memory());
	catalogue_disconnect();
	return map;
}

/* The mean over the runs of exactly this configuration; NAN where nobody measured it. */
Measured
measured_find(const GpuSpec *gpu, const LlmSpec *llm, const Workload *scenario)
{
	MeasuredKey key = {gpu->gpu, llm->llm, scenario->scenario, (int64) scenario->num_gpus};
	MeasuredEntry *entry;

	refresh();
	if (!cache.measured)
		cache.measured = read_measured();
	entry = measured_map_lookup(cache.measured, key);
	return entry ? entry->measured : (Measured) {NAN, NAN};
}
