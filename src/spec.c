/*
 * Looking up a GPU, an LLM or a scenario by any of its spellings, and what was
 * measured of them.
 */
#include "wattgpu.h"

#include <math.h>

#include "common/hashfn.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/datetime.h"
#include "utils/memutils.h"

#include "names.h"

/* A backend that is asked for more distinct spellings than this starts over. */
#define MAX_CACHED_NAMES 20000

typedef enum Kind
{
	KIND_GPU,
	KIND_LLM,
	KIND_SCENARIO
} Kind;

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
	const void *spec;			/* NULL: looked up and not found */
} NameEntry;

#define SH_PREFIX name_map
#define SH_ELEMENT_TYPE NameEntry
#define SH_KEY_TYPE NameKey
#define SH_KEY key
#define SH_HASH_KEY(tb, key) \
	(hash_bytes((const unsigned char *) (key).data, (int) (key).len) ^ ((key).kind * 0x9E3779B9u))
#define SH_EQUAL(tb, a, b) \
	((a).kind == (b).kind && (a).len == (b).len && memcmp((a).data, (b).data, (a).len) == 0)
#define SH_STORE_HASH
#define SH_GET_HASH(tb, e) (e)->hash
#define SH_SCOPE static inline
#define SH_DEFINE
#define SH_DECLARE
#include "lib/simplehash.h"

/* What was measured of a configuration, by the specs that make it up. */
typedef struct MeasuredKey
{
	const GpuSpec *gpu;
	const LlmSpec *llm;
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

#define SH_PREFIX measured_map
#define SH_ELEMENT_TYPE MeasuredEntry
#define SH_KEY_TYPE MeasuredKey
#define SH_KEY key
#define SH_HASH_KEY(tb, key) hash_bytes((const unsigned char *) &(key), sizeof(MeasuredKey))
#define SH_EQUAL(tb, a, b) (memcmp(&(a), &(b), sizeof(MeasuredKey)) == 0)
#define SH_STORE_HASH
#define SH_GET_HASH(tb, e) (e)->hash
#define SH_SCOPE static inline
#define SH_DEFINE
#define SH_DECLARE
#include "lib/simplehash.h"

typedef struct Column
{
	const char *name;
	size_t		offset;
} Column;

static const Column gpu_numbers[] = {
	{"release_date", offsetof(GpuSpec, release_year)},
	{"process_nm", offsetof(GpuSpec, process_nm)},
	{"transistors_m", offsetof(GpuSpec, transistors_m)},
	{"streaming_multiprocessors", offsetof(GpuSpec, streaming_multiprocessors)},
	{"shading_units", offsetof(GpuSpec, shading_units)},
	{"base_clock_mhz", offsetof(GpuSpec, base_clock_mhz)},
	{"boost_clock_mhz", offsetof(GpuSpec, boost_clock_mhz)},
	{"memory_gb", offsetof(GpuSpec, memory_gb)},
	{"memory_total_mib", offsetof(GpuSpec, memory_total_mib)},
	{"memory_bandwidth_gb_s", offsetof(GpuSpec, memory_bandwidth_gb_s)},
	{"l2_cache_mb", offsetof(GpuSpec, l2_cache_mb)},
	{"tdp_w", offsetof(GpuSpec, tdp_w)},
	{"fp16_tflops", offsetof(GpuSpec, fp16_tflops)},
	{"fp32_tflops", offsetof(GpuSpec, fp32_tflops)},
	{"idle_power_w", offsetof(GpuSpec, idle_power_w)},
};

static const Column gpu_texts[] = {
	{"gpu", offsetof(GpuSpec, gpu)},
	{"architecture", offsetof(GpuSpec, architecture)},
	{"memory_type", offsetof(GpuSpec, memory_type)},
};

static const Column llm_numbers[] = {
	{"total_params_b", offsetof(LlmSpec, total_params_b)},
	{"active_params_b", offsetof(LlmSpec, active_params_b)},
	{"num_layers", offsetof(LlmSpec, num_layers)},
	{"hidden_size", offsetof(LlmSpec, hidden_size)},
	{"num_attention_heads", offsetof(LlmSpec, num_attention_heads)},
	{"num_key_value_heads", offsetof(LlmSpec, num_key_value_heads)},
	{"head_dim", offsetof(LlmSpec, head_dim)},
	{"vocab_size", offsetof(LlmSpec, vocab_size)},
	{"num_experts", offsetof(LlmSpec, num_experts)},
	{"num_experts_per_token", offsetof(LlmSpec, num_experts_per_token)},
	{"tie_word_embeddings", offsetof(LlmSpec, tie_word_embeddings)},
};

static const Column llm_texts[] = {
	{"llm", offsetof(LlmSpec, llm)},
	{"model_type", offsetof(LlmSpec, model_type)},
	{"architecture", offsetof(LlmSpec, architecture)},
	{"weight_dtype", offsetof(LlmSpec, weight_dtype)},
	{"quantization", offsetof(LlmSpec, quantization)},
	{"attention_kind", offsetof(LlmSpec, attention_kind)},
};

static const Column scenario_numbers[] = {
	{"arrival_rate_qps", offsetof(Workload, arrival_rate_qps)},
	{"prompt_tokens", offsetof(Workload, prompt_tokens)},
	{"output_tokens", offsetof(Workload, output_tokens)},
	{"builtin", offsetof(Workload, builtin)},
};

static const Column scenario_texts[] = {
	{"scenario", offsetof(Workload, scenario)},
};

/*
 * How each kind is read. The names query gives every spelling with the
 * canonical name it stands for, for the hint of an error.
 */
typedef struct KindInfo
{
	const char *noun;
	const char *table;
	const char *lookup;
	const char *names;
	size_t		size;
	const Column *numbers;
	size_t		num_numbers;
	const Column *texts;
	size_t		num_texts;
} KindInfo;

#define LOOKUP(key, table, aliases) \
	"SELECT t.* FROM ((SELECT 0 AS via, x.* FROM %1$s." table " x" \
	" WHERE pg_catalog.lower(x." key " COLLATE pg_catalog.\"C\") OPERATOR(pg_catalog.=) $1)" \
	" UNION ALL (SELECT 1, x.* FROM %1$s." aliases " a JOIN %1$s." table " x" \
	" ON x." key " OPERATOR(pg_catalog.=) a." key \
	" WHERE pg_catalog.lower(a.alias COLLATE pg_catalog.\"C\") OPERATOR(pg_catalog.=) $1)) t" \
	" ORDER BY t.via LIMIT 1"
#define NAMES(key, table, aliases) \
	"SELECT " key ", " key " FROM %1$s." table " UNION ALL SELECT alias, " key " FROM %1$s." aliases
#define COLUMNS(kind) kind##_numbers, lengthof(kind##_numbers), kind##_texts, lengthof(kind##_texts)

static const KindInfo kinds[] = {
	[KIND_GPU] = {
		"GPU", "wattgpu_gpus",
		LOOKUP("gpu", "wattgpu_gpus", "wattgpu_gpu_aliases"),
		NAMES("gpu", "wattgpu_gpus", "wattgpu_gpu_aliases"),
		sizeof(GpuSpec), COLUMNS(gpu)
	},
	[KIND_LLM] = {
		"LLM", "wattgpu_llms",
		LOOKUP("llm", "wattgpu_llms", "wattgpu_llm_aliases"),
		NAMES("llm", "wattgpu_llms", "wattgpu_llm_aliases"),
		sizeof(LlmSpec), COLUMNS(llm)
	},
	[KIND_SCENARIO] = {
		"scenario", "wattgpu_scenarios",
		"SELECT x.* FROM %1$s.wattgpu_scenarios x"
		" WHERE pg_catalog.lower(x.scenario COLLATE pg_catalog.\"C\") OPERATOR(pg_catalog.=) $1",
		"SELECT scenario, scenario FROM %1$s.wattgpu_scenarios",
		sizeof(Workload), COLUMNS(scenario)
	},
};

/* What was looked up; it lives in the catalogue's memory and goes with it. */
static struct
{
	uint64		epoch;
	SPIPlanPtr	lookups[lengthof(kinds)];
	name_map_hash *names;
	measured_map_hash *measured;
} cache;

/* Make the cache good for the current epoch of the catalogue. */
static void
refresh(void)
{
	if (cache.epoch == catalogue_epoch())
	{
		if (cache.names->members > MAX_CACHED_NAMES || cache.measured->members > MAX_CACHED_NAMES)
			catalogue_is_full();
		return;
	}
	for (size_t i = 0; i < lengthof(kinds); i++)
	{
		if (cache.lookups[i])
			SPI_freeplan(cache.lookups[i]);
		cache.lookups[i] = NULL;
	}
	cache.names = name_map_create(catalogue_memory(), 256, NULL);
	cache.measured = measured_map_create(catalogue_memory(), 64, NULL);
	cache.epoch = catalogue_epoch();
}

static void
read_numbers(HeapTuple tuple, TupleDesc desc, const KindInfo *kind, void *spec)
{
	for (size_t i = 0; i < kind->num_numbers; i++)
	{
		const Column *column = &kind->numbers[i];
		int			attno = SPI_fnumber(desc, column->name);
		bool		isnull;
		Datum		value;
		double		number = NAN;

		if (attno == SPI_ERROR_NOATTRIBUTE)
			elog(ERROR, "%s has no column %s", kind->table, column->name);
		value = SPI_getbinval(tuple, desc, attno, &isnull);
		if (!isnull)
		{
			switch (SPI_gettypeid(desc, attno))
			{
				case INT4OID:
					number = DatumGetInt32(value);
					break;
				case FLOAT8OID:
					number = DatumGetFloat8(value);
					break;
				case BOOLOID:
					number = DatumGetBool(value) ? 1 : 0;
					break;
				case DATEOID:
					{
						int			year,
									month,
									day;

						j2date(DatumGetDateADT(value) + POSTGRES_EPOCH_JDATE, &year, &month, &day);
						number = year;
						break;
					}
				default:
					elog(ERROR, "column %s of %s has an unexpected type", column->name, kind->table);
			}
		}
		*(double *) ((void *) ((char *) spec + column->offset)) = number;
	}
}

static void
read_texts(HeapTuple tuple, TupleDesc desc, const KindInfo *kind, void *spec)
{
	for (size_t i = 0; i < kind->num_texts; i++)
	{
		const Column *column = &kind->texts[i];
		int			attno = SPI_fnumber(desc, column->name);
		char	   *value;

		if (attno == SPI_ERROR_NOATTRIBUTE)
			elog(ERROR, "%s has no column %s", kind->table, column->name);
		value = SPI_getvalue(tuple, desc, attno);
		*(const char **) ((void *) ((char *) spec + column->offset)) =
			value ? MemoryContextStrdup(catalogue_memory(), value) : NULL;
	}
}

static void *
look_up(Kind kind, const char *folded)
{
	const KindInfo *info = &kinds[kind];
	Oid			type = TEXTOID;
	Datum		value;
	void	   *spec = NULL;

	catalogue_connect();
	if (!cache.lookups[kind])
	{
		SPIPlanPtr	plan = SPI_prepare(catalogue_query(info->lookup), 1, &type);

		if (!plan || SPI_keepplan(plan) != 0)
			elog(ERROR, "could not prepare the lookup of a %s", info->noun);
		cache.lookups[kind] = plan;
	}
	value = CStringGetTextDatum(folded);
	if (SPI_execute_plan(cache.lookups[kind], &value, NULL, true, 1) != SPI_OK_SELECT)
		elog(ERROR, "could not look up a %s", info->noun);
	if (SPI_processed > 0)
	{
		spec = MemoryContextAllocZero(catalogue_memory(), info->size);
		read_numbers(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, info, spec);
		read_texts(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, info, spec);
	}
	catalogue_disconnect();
	if (spec && kind == KIND_SCENARIO)
		((Workload *) spec)->num_gpus = 1;
	return spec;
}

/* The closest names there are, quoted, for a hint; or NULL if nothing is close. */
static char *
closest_names(Kind kind, const char *folded)
{
	enum {NUM = 3};
	char	   *best[NUM] = {NULL};
	double		score[NUM] = {0.2, 0.2, 0.2};
	MemoryContext caller = CurrentMemoryContext;
	StringInfoData list;

	catalogue_connect();
	if (SPI_execute(catalogue_query(kinds[kind].names), true, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not read the names of each %s", kinds[kind].noun);
	for (uint64 row = 0; row < SPI_processed; row++)
	{
		char		other[NAME_MAX_BYTES + 1];
		char	   *spelling = SPI_getvalue(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, 1);
		char	   *name = SPI_getvalue(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, 2);
		double		s;
		int			at = 0;
		int			from = NUM - 1;

		CHECK_FOR_INTERRUPTS();
		name_fold(spelling, strlen(spelling), other);
		s = name_similarity(folded, other);
		pfree(spelling);
		while (at < NUM && s <= score[at])
			at++;
		for (int i = 0; i < NUM; i++)
			if (best[i] && strcmp(best[i], name) == 0)
				from = i;
		if (at > from || at == NUM)
		{
			pfree(name);
			continue;
		}
		for (int i = from; i > at; i--)
		{
			best[i] = best[i - 1];
			score[i] = score[i - 1];
		}
		best[at] = name;
		score[at] = s;
	}
	MemoryContextSwitchTo(caller);
	initStringInfo(&list);
	for (int i = 0; i < NUM && best[i]; i++)
		appendStringInfo(&list, "%s\"%s\"", i == 0 ? "" : ", ", best[i]);
	catalogue_disconnect();
	return list.len > 0 ? list.data : NULL;
}

static void
report_unknown(Kind kind, const char *name, size_t len, const char *folded)
{
	const char *closest = closest_names(kind, folded);
	int			shown = pg_mbcliplen(name, (int) len, 128);

	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_OBJECT),
			 errmsg("unknown %s \"%.*s%s\"", kinds[kind].noun, shown, name, shown < (int) len ? "..." : ""),
			 closest ? errhint("The closest names are %s.", closest)
			 : errhint("Table %s lists what is known.", kinds[kind].table)));
}

/*
 * The spec of that name. Unknown names are remembered too: a report over an
 * inventory asks for the same wrong name again and again.
 */
static const void *
find(Kind kind, const char *name, size_t len)
{
	NameKey		key;
	NameEntry  *entry = NULL;
	const void *spec = NULL;

	refresh();
	name_trim(&name, &len);
	key = (NameKey) {name, (uint32) len, kind};
	if (len > 0 && len <= NAME_MAX_BYTES)
		entry = name_map_lookup(cache.names, key);
	if (entry)
		spec = entry->spec;
	else if (len > 0 && len <= NAME_MAX_BYTES)
	{
		char		folded[NAME_MAX_BYTES + 1];
		bool		found;
		char	   *copy;

		name_fold(name, len, folded);
		spec = look_up(kind, folded);
		copy = MemoryContextAlloc(catalogue_memory(), len + 1);
		memcpy(copy, name, len);
		key.data = copy;
		entry = name_map_insert(cache.names, key, &found);
		entry->spec = spec;
	}
	if (!spec && wattgpu_unknown_name == UNKNOWN_NAME_ERROR)
	{
		char		folded[NAME_MAX_BYTES + 1];

		name_fold(name, len, folded);
		report_unknown(kind, name, len, folded);
	}
	return spec;
}

const GpuSpec *
gpu_find(const char *name, size_t len)
{
	return find(KIND_GPU, name, len);
}

const LlmSpec *
llm_find(const char *name, size_t len)
{
	return find(KIND_LLM, name, len);
}

const Workload *
scenario_find(const char *name, size_t len)
{
	return find(KIND_SCENARIO, name, len);
}

static double
number_of(int attno)
{
	bool		isnull;
	Datum		value = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, attno, &isnull);

	return isnull ? NAN : DatumGetFloat8(value);
}

/* The mean over the runs of exactly this configuration; NAN where nobody measured it. */
Measured
measured_find(const GpuSpec *gpu, const LlmSpec *llm, const Workload *scenario)
{
	MeasuredKey key;
	MeasuredEntry *entry;
	bool		found;
	Oid			types[] = {TEXTOID, TEXTOID, TEXTOID, FLOAT8OID};
	Datum		values[4];
	Measured	measured;

	refresh();
	memset(&key, 0, sizeof key);
	key.gpu = gpu;
	key.llm = llm;
	key.scenario = scenario->scenario;
	key.num_gpus = (int64) scenario->num_gpus;
	entry = measured_map_lookup(cache.measured, key);
	if (entry)
		return entry->measured;

	values[0] = CStringGetTextDatum(gpu->gpu);
	values[1] = CStringGetTextDatum(llm->llm);
	values[2] = CStringGetTextDatum(scenario->scenario);
	values[3] = Float8GetDatum(scenario->num_gpus);
	catalogue_connect();
	if (SPI_execute_with_args(catalogue_query("SELECT pg_catalog.sum(power_w OPERATOR(pg_catalog.*) runs) OPERATOR(pg_catalog./) pg_catalog.sum(runs) FILTER (WHERE power_w IS NOT NULL),"
											  " pg_catalog.sum(itl_s OPERATOR(pg_catalog.*) runs) OPERATOR(pg_catalog./) pg_catalog.sum(runs) FILTER (WHERE itl_s IS NOT NULL)"
											  " FROM %1$s.wattgpu_measurements WHERE gpu OPERATOR(pg_catalog.=) $1 AND llm OPERATOR(pg_catalog.=) $2"
											  " AND scenario OPERATOR(pg_catalog.=) $3 AND num_gpus::pg_catalog.float8 OPERATOR(pg_catalog.=) $4"),
							  4, types, values, NULL, true, 1) != SPI_OK_SELECT || SPI_processed != 1)
		elog(ERROR, "could not read wattgpu_measurements");
	measured.power_w = number_of(1);
	measured.itl_s = number_of(2);
	catalogue_disconnect();
	entry = measured_map_insert(cache.measured, key, &found);
	entry->measured = measured;
	return measured;
}
