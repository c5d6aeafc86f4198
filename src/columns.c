/*
 * How rows of the catalogue's tables become specs.
 *
 * The tables' own constraints keep their rows within range. A row that a
 * query makes up has passed none of them, so the same ranges stand here for
 * what predictions use.
 */
#include "columns.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "port/pg_crc32c.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/datetime.h"

#define ABOVE_0 4.9e-324			/* the least double above 0 */

typedef struct Number
{
	const char *name;
	size_t		offset;
	double		least;
	double		most;
} Number;

typedef struct Text
{
	const char *name;
	size_t		offset;
	const char *allowed;		/* words, each with a blank around it; NULL for any text */
} Text;

static const Number gpu_numbers[] = {
	{"release_date", offsetof(GpuSpec, release_year), 1990, 2100},
	{"process_nm", offsetof(GpuSpec, process_nm), ABOVE_0, 1000},
	{"transistors_m", offsetof(GpuSpec, transistors_m), ABOVE_0, 1e8},
	{"streaming_multiprocessors", offsetof(GpuSpec, streaming_multiprocessors), 1, PG_INT32_MAX},
	{"shading_units", offsetof(GpuSpec, shading_units), 1, PG_INT32_MAX},
	{"base_clock_mhz", offsetof(GpuSpec, base_clock_mhz), ABOVE_0, 1e5},
	{"boost_clock_mhz", offsetof(GpuSpec, boost_clock_mhz), ABOVE_0, 1e5},
	{"memory_gb", offsetof(GpuSpec, memory_gb), ABOVE_0, 1e5},
	{"memory_total_mib", offsetof(GpuSpec, memory_total_mib), ABOVE_0, 1e8},
	{"memory_bandwidth_gb_s", offsetof(GpuSpec, memory_bandwidth_gb_s), ABOVE_0, 1e6},
	{"l2_cache_mb", offsetof(GpuSpec, l2_cache_mb), ABOVE_0, 1e5},
	{"tdp_w", offsetof(GpuSpec, tdp_w), ABOVE_0, 1e5},
	{"fp16_tflops", offsetof(GpuSpec, fp16_tflops), ABOVE_0, 1e6},
	{"fp32_tflops", offsetof(GpuSpec, fp32_tflops), ABOVE_0, 1e6},
	{"idle_power_w", offsetof(GpuSpec, idle_power_w), ABOVE_0, 1e5},
};

static const Text gpu_texts[] = {
	{"gpu", offsetof(GpuSpec, gpu), NULL},
	{"architecture", offsetof(GpuSpec, architecture), NULL},
	{"memory_type", offsetof(GpuSpec, memory_type), NULL},
};

static const Number llm_numbers[] = {
	{"total_params_b", offsetof(LlmSpec, total_params_b), ABOVE_0, 1e6},
	{"active_params_b", offsetof(LlmSpec, active_params_b), ABOVE_0, 1e6},
	{"num_layers", offsetof(LlmSpec, num_layers), 1, 10000},
	{"hidden_size", offsetof(LlmSpec, hidden_size), 1, 1e7},
	{"num_attention_heads", offsetof(LlmSpec, num_attention_heads), 1, 1e6},
	{"num_key_value_heads", offsetof(LlmSpec, num_key_value_heads), 1, 1e6},
	{"head_dim", offsetof(LlmSpec, head_dim), 1, 1e6},
	{"vocab_size", offsetof(LlmSpec, vocab_size), 1, 1e9},
	{"num_experts", offsetof(LlmSpec, num_experts), 1, PG_INT32_MAX},
	{"num_experts_per_token", offsetof(LlmSpec, num_experts_per_token), 1, PG_INT32_MAX},
	{"tie_word_embeddings", offsetof(LlmSpec, tie_word_embeddings), 0, 1},
};

static const Text llm_texts[] = {
	{"llm", offsetof(LlmSpec, llm), NULL},
	{"model_type", offsetof(LlmSpec, model_type), NULL},
	{"architecture", offsetof(LlmSpec, architecture), " dense moe hybrid ssm "},
	{"weight_dtype", offsetof(LlmSpec, weight_dtype), " fp32 bf16 fp16 fp8 int8 int4 mxfp4 nvfp4 "},
	{"quantization", offsetof(LlmSpec, quantization), " none fp8 awq gptq bitsandbytes compressed-tensors mxfp4 nvfp4 gguf "},
	{"attention_kind", offsetof(LlmSpec, attention_kind), " mha gqa mqa mla hybrid none "},
};

static const Number scenario_numbers[] = {
	{"arrival_rate_qps", offsetof(Workload, arrival_rate_qps), ABOVE_0, 1e6},
	{"prompt_tokens", offsetof(Workload, prompt_tokens), 1, 1e7},
	{"output_tokens", offsetof(Workload, output_tokens), 1, 1e7},
	{"builtin", offsetof(Workload, builtin), 0, 1},
};

static const Text scenario_texts[] = {
	{"scenario", offsetof(Workload, scenario), NULL},
};

#define COLUMNS(kind) kind##_numbers, lengthof(kind##_numbers), kind##_texts, lengthof(kind##_texts)

static const struct
{
	const char *table;
	size_t		size;
	const Number *numbers;
	size_t		num_numbers;
	const Text *texts;
	size_t		num_texts;
}			kinds[NUM_SPEC_KINDS] = {
	[KIND_GPU] = {"wattgpu_gpus", sizeof(GpuSpec), COLUMNS(gpu)},
	[KIND_LLM] = {"wattgpu_llms", sizeof(LlmSpec), COLUMNS(llm)},
	[KIND_SCENARIO] = {"wattgpu_scenarios", sizeof(Workload), COLUMNS(scenario)},
};

size_t
spec_size(Kind kind)
{
	return kinds[kind].size;
}

const char *
spec_table(Kind kind)
{
	return kinds[kind].table;
}

static AttrNumber
attribute(Kind kind, TupleDesc desc, const char *name)
{
	for (int i = 0; i < desc->natts; i++)
		if (!TupleDescAttr(desc, i)->attisdropped && strcmp(NameStr(TupleDescAttr(desc, i)->attname), name) == 0)
			return (AttrNumber) (i + 1);
	elog(ERROR, "%s has no column %s", kinds[kind].table, name);
}

RowShape
row_shape(Kind kind, TupleDesc desc)
{
	RowShape	shape = {.desc = desc};
	int			n = 0;

	for (size_t i = 0; i < kinds[kind].num_numbers; i++)
		shape.attnos[n++] = attribute(kind, desc, kinds[kind].numbers[i].name);
	for (size_t i = 0; i < kinds[kind].num_texts; i++)
		shape.attnos[n++] = attribute(kind, desc, kinds[kind].texts[i].name);
	return shape;
}

static double
number_of(Oid type, Datum value)
{
	int			year,
				month,
				day;

	switch (type)
	{
		case FLOAT8OID:
			return DatumGetFloat8(value);
		case INT4OID:
			return DatumGetInt32(value);
		case BOOLOID:
			return DatumGetBool(value) ? 1 : 0;
		case DATEOID:
			if (DATE_NOT_FINITE(DatumGetDateADT(value)))
				return INFINITY;
			j2date(DatumGetDateADT(value) + POSTGRES_EPOCH_JDATE, &year, &month, &day);
			return year;
		default:
			elog(ERROR, "a column of the catalogue has an unexpected type");
	}
}

/* All texts into one piece of memory: a made-up card has three, and each takes as long to allocate as all of them. */
static void
read_texts(Kind kind, const AttrNumber *attnos, const Datum *values, const bool *nulls, void *spec)
{
	const text *texts[MAX_SPEC_COLUMNS];
	Size		size = 0;
	char	   *next;

	for (size_t i = 0; i < kinds[kind].num_texts; i++)
	{
		texts[i] = nulls[attnos[i] - 1] ? NULL : DatumGetTextPP(values[attnos[i] - 1]);
		if (texts[i])
			size += VARSIZE_ANY_EXHDR(texts[i]) + 1;
	}
	next = palloc(size);
	for (size_t i = 0; i < kinds[kind].num_texts; i++)
	{
		*(const char **) ((void *) ((char *) spec + kinds[kind].texts[i].offset)) = texts[i] ? next : NULL;
		if (!texts[i])
			continue;
		memcpy(next, VARDATA_ANY(texts[i]), VARSIZE_ANY_EXHDR(texts[i]));
		next += VARSIZE_ANY_EXHDR(texts[i]);
		*next++ = '\0';
	}
}

/* Within, NAN stands for NULL alone. */
static void
refuse_number(Kind kind, const Number *column, double value)
{
	if (isnan(value))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s in the row of %s is NaN", column->name, kinds[kind].table),
				 errhint("Leave it NULL if it is not known.")));
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("%s in the row of %s is %g, which is out of range", column->name, kinds[kind].table, value),
			 column->least == ABOVE_0 ? errhint("It must be above 0 and at most %g.", column->most)
			 : errhint("It must be from %g to %g.", column->least, column->most)));
}

/* The row's texts are copied into the current memory context. */
void
row_read(Kind kind, const RowShape *shape, HeapTuple tuple, void *spec)
{
	Datum		values[MaxTupleAttributeNumber];
	bool		nulls[MaxTupleAttributeNumber];
	const AttrNumber *attno = shape->attnos;

	heap_deform_tuple(tuple, shape->desc, values, nulls);
	for (size_t i = 0; i < kinds[kind].num_numbers; i++, attno++)
	{
		const Number *column = &kinds[kind].numbers[i];
		double		number = NAN;

		if (!nulls[*attno - 1])
		{
			number = number_of(TupleDescAttr(shape->desc, *attno - 1)->atttypid, values[*attno - 1]);
			if (!(number >= column->least && number <= column->most))
				refuse_number(kind, column, number);
		}
		*(double *) ((void *) ((char *) spec + column->offset)) = number;
	}
	read_texts(kind, attno, values, nulls, spec);
	if (kind == KIND_SCENARIO)
		((Workload *) spec)->num_gpus = 1;
}

static double
number_in(const void *spec, size_t offset)
{
	return *(const double *) (const void *) ((const char *) spec + offset);
}

static const char *
text_in(const void *spec, size_t offset)
{
	return *(const char *const *) (const void *) ((const char *) spec + offset);
}

static void
refuse(Kind kind, const char *what, const char *hint)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("%s in the row of %s", what, kinds[kind].table),
			 errhint("%s", hint)));
}

static bool
allowed(const char *words, const char *word)
{
	const char *at = strstr(words, word);

	return at && *word && !strchr(word, ' ') && at[-1] == ' ' && at[strlen(word)] == ' ';
}

/* What holds between columns; a comparison with an unknown number says nothing. */
static void
check_together(Kind kind, const void *spec)
{
	const GpuSpec *gpu = spec;
	const LlmSpec *llm = spec;

	if (kind == KIND_GPU)
	{
		if (gpu->boost_clock_mhz < gpu->base_clock_mhz)
			refuse(kind, "boost_clock_mhz is below base_clock_mhz", "A boost clock is never the lower one.");
		if (gpu->idle_power_w > gpu->tdp_w)
			refuse(kind, "idle_power_w is above tdp_w", "No card draws more than its limit.");
		if (gpu->memory_total_mib < gpu->memory_gb * 512 || gpu->memory_total_mib > gpu->memory_gb * 1536)
			refuse(kind, "memory_total_mib differs by half from memory_gb", "Change both together, or leave memory_total_mib NULL.");
	}
	else if (kind == KIND_LLM)
	{
		if (llm->active_params_b > llm->total_params_b)
			refuse(kind, "active_params_b is above total_params_b", "No token uses more weights than there are.");
		if (llm->num_key_value_heads > llm->num_attention_heads ||
			fmod(llm->num_attention_heads, llm->num_key_value_heads) > 0)
			refuse(kind, "num_attention_heads is no multiple of num_key_value_heads", "Each key-value head serves as many attention heads.");
		if (llm->num_experts_per_token > llm->num_experts)
			refuse(kind, "num_experts_per_token is above num_experts", "No token uses more experts than there are.");
	}
	else if (isnan(((const Workload *) spec)->prompt_tokens))
		refuse(kind, "prompt_tokens is NULL", "Every scenario has a length of prompts.");
}

/* Error unless the tables' constraints would let the spec in, as far as predictions use it. */
void
spec_check(Kind kind, const void *spec)
{
	for (size_t i = 0; i < kinds[kind].num_texts; i++)
	{
		const Text *column = &kinds[kind].texts[i];
		const char *value = text_in(spec, column->offset);

		if (value && (*value == '\0' || (column->allowed && !allowed(column->allowed, value))))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("%s in the row of %s is \"%s\", which is none of its values", column->name, kinds[kind].table, value),
					 column->allowed ? errhint("Its values are%sor NULL.", column->allowed) : errhint("It must not be empty.")));
	}
	check_together(kind, spec);
}

/*
 * What a spec says, but for its name, as printed: the same on every machine.
 * What a user measures (idle power) or reads off a card (its memory to the
 * MiB) makes no other card of it.
 */
uint32
spec_crc(Kind kind, const void *spec)
{
	pg_crc32c	crc;
	char		text[32];

	INIT_CRC32C(crc);
	for (size_t i = 0; i < kinds[kind].num_numbers; i++)
	{
		size_t		offset = kinds[kind].numbers[i].offset;

		if (kind == KIND_GPU && (offset == offsetof(GpuSpec, idle_power_w) || offset == offsetof(GpuSpec, memory_total_mib)))
			continue;
		COMP_CRC32C(crc, text, (size_t) snprintf(text, sizeof text, "%.9g;", number_in(spec, offset)));
	}
	/* The first text is the name. */
	for (size_t i = 1; i < kinds[kind].num_texts; i++)
	{
		const char *value = text_in(spec, kinds[kind].texts[i].offset);

		COMP_CRC32C(crc, value ? value : "?", value ? strlen(value) + 1 : 1);
	}
	FIN_CRC32C(crc);
	return crc;
}

/* Whether two specs say the same of what predictions use. */
bool
spec_equal(Kind kind, const void *a, const void *b)
{
	for (size_t i = 0; i < kinds[kind].num_numbers; i++)
	{
		double		x = number_in(a, kinds[kind].numbers[i].offset);
		double		y = number_in(b, kinds[kind].numbers[i].offset);

		if (x != y && !(isnan(x) && isnan(y)))
			return false;
	}
	for (size_t i = 0; i < kinds[kind].num_texts; i++)
	{
		const char *x = text_in(a, kinds[kind].texts[i].offset);
		const char *y = text_in(b, kinds[kind].texts[i].offset);

		if (x != y && !(x && y && strcmp(x, y) == 0))
			return false;
	}
	return true;
}
