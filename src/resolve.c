/*
 * Which row of the catalogue a spelling stands for: the one place that decides
 * it, for predictions and for the functions that explain it (resolution.c).
 */
#include "resolve.h"

#include "miscadmin.h"
#include "utils/builtins.h"

#include "names.h"

/* How each kind is looked up: first among the canonical names, then among the aliases. */
typedef struct KindInfo
{
	const char *noun;
	const char *key;			/* the column of the canonical name */
	const char *name_index;
	const char *by_name;
	const char *key_index;
	const char *by_key;
	const char *aliases;		/* NULL: there are none */
	const char *alias_index;
	const char *by_alias;
} KindInfo;

#define WHERE_EQUAL(table, expression) \
	"SELECT x.* FROM %1$s." table " x WHERE " expression " OPERATOR(pg_catalog.=) $1"
#define BY_LOWER(table, column) WHERE_EQUAL(table, "pg_catalog.lower(x." column " COLLATE pg_catalog.\"C\")")
#define BY_KEY(table, column) WHERE_EQUAL(table, "x." column)
#define BY_FUNCTION(table, function, column) WHERE_EQUAL(table, "%1$s." function "(x." column ") COLLATE pg_catalog.\"C\"")
#define WITH_ALIASES(key) \
	key, "wattgpu_" key "s_name", BY_LOWER("wattgpu_" key "s", key), "wattgpu_" key "s_pkey", BY_KEY("wattgpu_" key "s", key), \
	"wattgpu_" key "_aliases", "wattgpu_" key "_aliases_name", BY_LOWER("wattgpu_" key "_aliases", "alias")

static const KindInfo kinds[NUM_SPEC_KINDS] = {
	[KIND_GPU] = {"GPU", WITH_ALIASES("gpu")},
	[KIND_LLM] = {"LLM", WITH_ALIASES("llm")},
	[KIND_SCENARIO] = {
		.noun = "scenario", .key = "scenario", .name_index = "wattgpu_scenarios_name", .by_name = BY_LOWER("wattgpu_scenarios", "scenario")
	},
};

const char *
kind_noun(Kind kind)
{
	return kinds[kind].noun;
}

static char *
text_column(const CatalogueRow *row, const char *column)
{
	bool		isnull;
	Datum		value = catalogue_column(row, column, &isnull);

	return isnull ? NULL : TextDatumGetCString(value);
}

static bool
by_name(Kind kind, const char *folded, CatalogueRow *row)
{
	Datum		key = CStringGetTextDatum(folded);

	return catalogue_row(spec_table(kind), kinds[kind].name_index, kinds[kind].by_name, 1, &key, row);
}

static bool
by_alias(Kind kind, const char *folded, CatalogueRow *alias)
{
	Datum		key = CStringGetTextDatum(folded);

	return kinds[kind].aliases && catalogue_row(kinds[kind].aliases, kinds[kind].alias_index, kinds[kind].by_alias, 1, &key, alias);
}

static bool
by_key(Kind kind, const char *canonical, CatalogueRow *row)
{
	Datum		key = CStringGetTextDatum(canonical);

	return catalogue_row(spec_table(kind), kinds[kind].key_index, kinds[kind].by_key, 1, &key, row);
}

/* The row that a spelling stands for as it is, and the kind of alias that it is, or NULL. */
static Match
as_it_is(Kind kind, const char *folded, CatalogueRow *row, char **alias_kind)
{
	CatalogueRow alias;

	*alias_kind = NULL;
	if (by_name(kind, folded, row))
		return MATCH_CANONICAL;
	if (!by_alias(kind, folded, &alias) || !by_key(kind, text_column(&alias, kinds[kind].key), row))
		return MATCH_NONE;
	*alias_kind = text_column(&alias, "kind");
	return MATCH_ALIAS;
}

/* All rows with that value of an index's expression. */
static List *
rows_of(const char *table_name, const char *index_name, const char *query, const char *value)
{
	Datum		key = CStringGetTextDatum(value);

	return catalogue_rows(table_name, index_name, query, 1, &key, 0);
}

/* A spelling in the catalogue that has the same key as the one in question. */
typedef struct Claim
{
	char	   *folded;
	char	   *gpu;
} Claim;

static List *
add_claims(List *claims, List *rows, const char *spelling_column)
{
	for (int i = 0; i < list_length(rows); i++)
	{
		CatalogueRow *row = list_nth(rows, i);
		Claim	   *claim = palloc(sizeof *claim);
		char	   *spelling = text_column(row, spelling_column);

		claim->folded = palloc(NAME_MAX_BYTES + 1);
		name_fold(spelling, strlen(spelling), claim->folded);
		claim->gpu = text_column(row, "gpu");
		claims = lappend(claims, claim);
	}
	return claims;
}

static List *
claimants(List *claims)
{
	List	   *names = NIL;

	for (int i = 0; i < list_length(claims); i++)
		names = add_name(names, ((Claim *) list_nth(claims, i))->gpu);
	return names;
}

/* Those that say Tesla where the name does, and do not where it does not: "Tesla A100" came with 40 GB. */
static List *
closer_claims(List *claims, const char *folded)
{
	List	   *closer = NIL;
	char		key[GPU_KEY_SIZE];
	char		other[GPU_KEY_SIZE];

	gpu_key(folded, true, key);
	for (int i = 0; i < list_length(claims); i++)
	{
		Claim	   *claim = list_nth(claims, i);

		gpu_key(claim->folded, true, other);
		if (strcmp(key, other) == 0)
			closer = lappend(closer, claim);
	}
	return closer;
}

static const char *const ambiguous_note = "several cards are sold under this name; the most deployed one is taken";

static const char *const part_notes[] = {
	[CARD_MIG] = "names a MIG slice, a part of a card",
	[CARD_VGPU] = "names a vGPU profile, a part of a card",
	[CARD_SHARED] = "names a share of a card that several use in turn",
};

/* By the key that the name has in common with one card's spellings. */
static void
resolve_normalised_gpu(const char *folded, Resolution *r)
{
	char		key[GPU_KEY_SIZE];
	const char *maker = gpu_maker(folded);
	const char *manufacturer;
	CardPart	part = gpu_part(folded);
	List	   *claims;
	List	   *names;

	/* "8b" behind an organisation is no profile, but a size of LLM */
	if (part != CARD_WHOLE && !(part == CARD_VGPU && llm_base_name(folded)))
		r->note = part_notes[part];
	if (gpu_key(folded, false, key) == 0)
		return;
	claims = add_claims(NIL, rows_of("wattgpu_gpus", "wattgpu_gpus_key", BY_FUNCTION("wattgpu_gpus", "wattgpu_gpu_key", "gpu"), key), "gpu");
	claims = add_claims(claims, rows_of("wattgpu_gpu_aliases", "wattgpu_gpu_aliases_key",
										BY_FUNCTION("wattgpu_gpu_aliases", "wattgpu_gpu_key", "alias"), key), "alias");
	names = claimants(claims);
	if (list_length(names) > 1)
	{
		List	   *closer = closer_claims(claims, folded);

		if (list_length(claimants(closer)) != 1)
		{
			r->ambiguous = true;
			r->several = names;
			r->note = "several cards have a name like this, and none is taken";
			return;
		}
		claims = closer;
		names = claimants(closer);
	}
	if (names == NIL || !by_key(KIND_GPU, linitial(names), &r->row))
		return;
	manufacturer = text_column(&r->row, "manufacturer");
	if (maker && manufacturer && pg_strcasecmp(maker, manufacturer) != 0)
	{
		r->note = "names the maker of another card";
		return;
	}
	r->match = MATCH_NORMALISED;
}

/* A name that a tool prints is that of one product, and no shorthand. */
static bool
is_of_a_tool(const char *alias_kind)
{
	static const char *const kinds[] = {"k8s_label", "gcp", "nvidia_smi", "pci_id"};

	for (size_t i = 0; alias_kind && i < lengthof(kinds); i++)
		if (strcmp(alias_kind, kinds[i]) == 0)
			return true;
	return false;
}

/* Punctuation does not make a short name a full one: whether several cards may be meant depends on the key, unless a tool prints it so. */
static bool
shares_short_name(const char *folded, const char *gpu)
{
	char		key[GPU_KEY_SIZE];
	CatalogueRow alias;
	List	   *rows;

	if (gpu_key(folded, false, key) == 0 || (by_alias(KIND_GPU, folded, &alias) && is_of_a_tool(text_column(&alias, "kind"))))
		return false;
	rows = rows_of("wattgpu_gpu_aliases", "wattgpu_gpu_aliases_key", BY_FUNCTION("wattgpu_gpu_aliases", "wattgpu_gpu_key", "alias"), key);
	for (int i = 0; i < list_length(rows); i++)
	{
		const char *kind = text_column(list_nth(rows, i), "kind");

		if (kind && strcmp(kind, "short_ambiguous") == 0 && strcmp(text_column(list_nth(rows, i), "gpu"), gpu) == 0)
			return true;
	}
	return false;
}

static bool
is_gguf(const CatalogueRow *row)
{
	const char *quantization = text_column(row, "quantization");

	return quantization && strcmp(quantization, "gguf") == 0;
}

/* Does the LLM have the weights that a tag says? */
static bool
has_weights(const CatalogueRow *row, TagWeights weights)
{
	const char *dtype = text_column(row, "weight_dtype");
	const char *quantization = text_column(row, "quantization");

	if (!dtype || !quantization)
		return false;
	if (weights == TAG_16_BIT)
		return strcmp(quantization, "none") == 0 && (strcmp(dtype, "bf16") == 0 || strcmp(dtype, "fp16") == 0);
	return strcmp(quantization, "gguf") == 0 &&
		strcmp(dtype, weights == TAG_4_BIT ? "int4" : weights == TAG_8_BIT ? "int8" : weights == TAG_MXFP4 ? "mxfp4" : "") == 0;
}

/* By a name of Ollama's library: a canonical name of ours, or an alias that Ollama uses. Elsewhere the same name may mean other weights. */
static bool
by_ollama_name(const char *name, CatalogueRow *row)
{
	CatalogueRow alias;
	const char *kind;

	if (by_name(KIND_LLM, psprintf("ollama/%s", name), row))
		return true;
	if (!by_alias(KIND_LLM, name, &alias))
		return false;
	kind = text_column(&alias, "kind");
	return kind && strncmp(kind, "ollama", 6) == 0 && by_key(KIND_LLM, text_column(&alias, "llm"), row);
}

/* The stem with one of the endings that stand for such weights. */
static bool
by_tag(const char *stem, TagWeights weights, CatalogueRow *row)
{
	static const char *const endings[][3] = {
		[TAG_4_BIT] = {"q4_k_m", "q4_0", NULL},
		[TAG_8_BIT] = {"q8_0", NULL},
		[TAG_16_BIT] = {"fp16", NULL},
		[TAG_MXFP4] = {"mxfp4", NULL},
		[TAG_OTHER] = {NULL},
	};

	for (int i = 0; endings[weights][i]; i++)
		if (by_ollama_name(psprintf("%s-%s", stem, endings[weights][i]), row) && has_weights(row, weights))
			return true;
	return false;
}

/*
 * What "model:size-quantisation" says: the build of that model with weights of
 * as many bits, whatever the scheme. "model:size" is a build of its own, whose
 * full name leads to its siblings.
 */
static bool
by_quantised_tag(const char *name, CatalogueRow *row, const char **note)
{
	static const char *const missing[] = {
		[TAG_4_BIT] = "names a 4-bit build that is not in the catalogue",
		[TAG_8_BIT] = "names an 8-bit build that is not in the catalogue",
		[TAG_16_BIT] = "names a 16-bit build that is not in the catalogue",
		[TAG_MXFP4] = "names an MXFP4 build that is not in the catalogue",
		[TAG_OTHER] = "names a build whose weights have neither 4 nor 8 nor 16 bits",
	};
	size_t		stem_len = 0;
	TagWeights	weights = llm_tag_weights(name, &stem_len);
	char	   *stem = pnstrdup(name, stem_len);
	char	   *full;
	CatalogueRow build;

	if (weights == TAG_SAYS_NOTHING)
		return strlen(name) > 7 && strcmp(name + strlen(name) - 7, ":latest") == 0 &&
			by_ollama_name(pnstrdup(name, strlen(name) - 7), row);
	*note = missing[weights];
	if (strchr(name, '/'))
		return false;
	if (by_tag(stem, weights, row))
		return true;
	if (!by_ollama_name(stem, &build))
		return false;
	if (has_weights(&build, weights))
	{
		*row = build;
		return true;
	}
	full = text_column(&build, "llm");
	if (strncmp(full, "ollama/", 7) != 0)
		return false;
	stem = palloc(NAME_MAX_BYTES + 1);
	name_fold(full + 7, strlen(full + 7), stem);
	if (llm_tag_weights(stem, &stem_len) != TAG_SAYS_NOTHING)
		stem[stem_len] = '\0';
	return by_tag(stem, weights, row);
}

/* By the name without the organisation, which the catalogue has from another one; a GGUF build is not what such a name means. */
static bool
by_base_name(const char *folded, Resolution *r)
{
	const char *base = llm_base_name(folded);
	char	   *alias_kind;
	List	   *rows;

	if (base && as_it_is(KIND_LLM, base, &r->row, &alias_kind) != MATCH_NONE && !is_gguf(&r->row))
		return true;
	rows = rows_of("wattgpu_llms", "wattgpu_llms_base_name", BY_FUNCTION("wattgpu_llms", "wattgpu_llm_base_name", "llm"), base ? base : folded);
	if (list_length(rows) == 1)
	{
		r->row = *(CatalogueRow *) linitial(rows);
		return !base || !is_gguf(&r->row);
	}
	for (int i = 0; i < list_length(rows); i++)
		r->several = add_name(r->several, text_column(list_nth(rows, i), "llm"));
	r->ambiguous = rows != NIL;
	if (r->ambiguous)
		r->note = "several organisations have an LLM of this name, and none is taken";
	return false;
}

static void
resolve_other_llm(const char *folded, Resolution *r)
{
	static const char *const registries[] = {"ollama/", "library/", "registry.ollama.ai/library/"};

	for (size_t i = 0; i < lengthof(registries); i++)
		if (strncmp(folded, registries[i], strlen(registries[i])) == 0)
		{
			const char *name = folded + strlen(registries[i]);

			if (by_ollama_name(name, &r->row))
				r->match = MATCH_ORGANISATION;
			else if (by_quantised_tag(name, &r->row, &r->note))
				r->match = MATCH_QUANTISED;
			return;
		}
	if (strchr(folded, ':'))
	{
		if (by_quantised_tag(folded, &r->row, &r->note))
			r->match = MATCH_QUANTISED;
	}
	else if (by_base_name(folded, r))
		r->match = MATCH_ORGANISATION;
}

/* Find the row. What takes longer is asked only when canonical names and aliases do not know the spelling. */
void
resolve(Kind kind, const char *folded, Resolution *r)
{
	char	   *alias_kind;

	memset(r, 0, sizeof *r);
	if (!*folded)
		return;
	r->match = as_it_is(kind, folded, &r->row, &alias_kind);
	if (kind == KIND_GPU && alias_kind && strcmp(alias_kind, "short_ambiguous") == 0)
	{
		r->ambiguous = true;
		r->note = ambiguous_note;
	}
	if (r->match == MATCH_NONE && kind == KIND_GPU)
		resolve_normalised_gpu(folded, r);
	if (r->match == MATCH_NONE && kind == KIND_LLM)
		resolve_other_llm(folded, r);
	if (r->match != MATCH_NONE && r->match != MATCH_CANONICAL && r->match != MATCH_ALIAS && !r->ambiguous)
		r->note = NULL;
}

/* The canonical name of what was found. */
char *
resolved_name(Kind kind, const Resolution *r)
{
	return text_column(&r->row, kinds[kind].key);
}

/* Whether a spelling that has no row is the name of something else, as when arguments change places. Predictions do not ask. */
bool
find_other_kind(Kind kind, const char *folded, Resolution *r)
{
	static const char *const notes[NUM_SPEC_KINDS][NUM_SPEC_KINDS] = {
		[KIND_GPU] = {[KIND_LLM] = "is the name of an LLM, not of a GPU", [KIND_SCENARIO] = "is the name of a scenario, not of a GPU"},
		[KIND_LLM] = {[KIND_GPU] = "is the name of a GPU, not of an LLM", [KIND_SCENARIO] = "is the name of a scenario, not of an LLM"},
		[KIND_SCENARIO] = {[KIND_GPU] = "is the name of a GPU, not of a scenario", [KIND_LLM] = "is the name of an LLM, not of a scenario"},
	};

	if (r->match != MATCH_NONE || r->several)
		return false;
	for (Kind other = 0; other < NUM_SPEC_KINDS; other++)
	{
		Resolution	found;

		if (other == kind || !catalogue_is_readable(spec_table(other)) ||
			(kinds[other].aliases && !catalogue_is_readable(kinds[other].aliases)))
			continue;
		resolve(other, folded, &found);
		if (found.match == MATCH_NONE)
			continue;
		r->note = notes[kind][other];
		return true;
	}
	return false;
}

/* What else may be meant by a spelling that has its row. Predictions do not ask. */
void
find_others(Kind kind, const char *folded, const char *name, Resolution *r)
{
	static const char *const latest[] = {"%s:latest", "ollama/%s:latest"};

	if (r->match == MATCH_NONE || r->match == MATCH_CANONICAL)
		return;
	if (kind == KIND_GPU && !r->ambiguous && shares_short_name(folded, name))
	{
		r->ambiguous = true;
		r->note = ambiguous_note;
	}
	if (kind != KIND_LLM || strpbrk(folded, ":/"))
		return;
	for (size_t i = 0; i < lengthof(latest); i++)
	{
		char	   *tagged = psprintf(latest[i], folded);
		Resolution	other;

		if (strlen(tagged) > NAME_MAX_BYTES)
			return;
		resolve(KIND_LLM, tagged, &other);
		if (other.match == MATCH_NONE || strcmp(text_column(&other.row, "llm"), name) == 0)
			continue;
		r->ambiguous = true;
		r->note = "Ollama takes this name, which is short for its tag latest, for another LLM";
		r->several = add_name(r->several, text_column(&other.row, "llm"));
	}
}
