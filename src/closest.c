/*
 * The names that are close to one nobody knows: all spellings of the catalogue
 * by their trigrams, kept for as long as the catalogue stays what it is. A
 * report over an inventory asks for a hundred thousand of them.
 */
#include "resolve.h"

#include "common/hashfn.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "names.h"

/* What is no closer than this is no help. */
#define LEAST_SIMILARITY 0.2

/* The spellings that have a trigram: some of them in a row in Spellings.having. */
typedef struct GramEntry
{
	uint32		gram;
	uint32		first;
	uint32		num;
	char		status;
} GramEntry;

#define SH_PREFIX gram_map
#define SH_ELEMENT_TYPE GramEntry
#define SH_KEY_TYPE uint32
#define SH_KEY gram
#define SH_HASH_KEY(tb, key) murmurhash32(key)
#define SH_EQUAL(tb, a, b) ((a) == (b))
#define SH_SCOPE static inline
#define SH_DEFINE
#define SH_DECLARE
#include "lib/simplehash.h"

typedef struct Spelling
{
	const char *folded;
	const char *name;			/* canonical */
	uint16		num_grams;
	bool		tells;			/* it stands for this one alone, in words */
} Spelling;

typedef struct Spellings
{
	uint32		num;
	Spelling   *spellings;
	gram_map_hash *grams;
	uint32	   *having;
	uint16	   *shared;			/* scratch: trigrams shared with the name in question */
} Spellings;

static struct
{
	uint64		epoch;
	Spellings  *of[NUM_SPEC_KINDS];
} cache;

#define WITH_ALIASES(key) \
	"SELECT " key ", " key ", NULL FROM %1$s.wattgpu_" key "s UNION ALL SELECT alias, " key ", kind FROM %1$s.wattgpu_" key "_aliases"

static const char *const queries[NUM_SPEC_KINDS] = {
	[KIND_GPU] = WITH_ALIASES("gpu"),
	[KIND_LLM] = WITH_ALIASES("llm"),
	[KIND_SCENARIO] = "SELECT scenario, scenario, NULL FROM %1$s.wattgpu_scenarios",
};

static void *
huge(MemoryContext memory, Size n, Size size)
{
	return MemoryContextAllocHuge(memory, Max(n, 1) * size);
}

/* First count how many spellings have each trigram, then write down which. */
static void
index_grams(Spellings *s, MemoryContext memory)
{
	Size		total = 0;
	Size		room = 1024;
	uint32	   *all = palloc(room * sizeof *all);
	uint32		first = 0;
	gram_map_iterator it;
	GramEntry  *entry;
	bool		found;

	s->grams = gram_map_create(memory, 1024, NULL);
	for (uint32 i = 0; i < s->num; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (room < total + NAME_MAX_GRAMS)
		{
			room = 2 * room + NAME_MAX_GRAMS;
			all = repalloc_huge(all, room * sizeof *all);
		}
		s->spellings[i].num_grams = (uint16) name_grams(s->spellings[i].folded, all + total);
		for (uint32 g = 0; g < s->spellings[i].num_grams; g++)
		{
			entry = gram_map_insert(s->grams, all[total++], &found);
			entry->num = found ? entry->num + 1 : 1;
		}
	}
	gram_map_start_iterate(s->grams, &it);
	while ((entry = gram_map_iterate(s->grams, &it)) != NULL)
	{
		entry->first = first;
		first += entry->num;
		entry->num = 0;
	}
	s->having = huge(memory, total, sizeof *s->having);
	s->shared = huge(memory, s->num, sizeof *s->shared);
	total = 0;
	for (uint32 i = 0; i < s->num; i++)
		for (uint32 g = 0; g < s->spellings[i].num_grams; g++)
		{
			entry = gram_map_lookup(s->grams, all[total++]);
			s->having[entry->first + entry->num++] = i;
		}
	pfree(all);
}

static text *
text_at(uint64 row, int column)
{
	bool		isnull;
	Datum		value = SPI_getbinval(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, column, &isnull);

	return isnull ? NULL : DatumGetTextPP(value);
}

static bool
is_text(text *value, const char *other)
{
	return VARSIZE_ANY_EXHDR(value) == strlen(other) && memcmp(VARDATA_ANY(value), other, strlen(other)) == 0;
}

static char *
keep(MemoryContext memory, const char *data, size_t len)
{
	char	   *copy = MemoryContextAlloc(memory, len + 1);

	memcpy(copy, data, len);
	copy[len] = '\0';
	return copy;
}

static Spellings *
read_spellings(Kind kind)
{
	MemoryContext memory;
	Spellings  *s;

	catalogue_connect();
	if (SPI_execute(catalogue_query(queries[kind]), true, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not read the names in %s", spec_table(kind));
	memory = AllocSetContextCreate(CurrentMemoryContext, "wattgpu spellings", ALLOCSET_DEFAULT_SIZES);
	s = MemoryContextAllocZero(memory, sizeof *s);
	s->num = (uint32) SPI_processed;
	s->spellings = huge(memory, s->num, sizeof *s->spellings);
	for (uint32 i = 0; i < s->num; i++)
	{
		text	   *spelling = text_at(i, 1);
		text	   *name = text_at(i, 2);
		text	   *alias_kind = text_at(i, 3);
		char		folded[NAME_MAX_BYTES + 1];
		size_t		len = name_fold(VARDATA_ANY(spelling), VARSIZE_ANY_EXHDR(spelling), folded);

		CHECK_FOR_INTERRUPTS();
		s->spellings[i].folded = keep(memory, folded, len);
		s->spellings[i].name = keep(memory, VARDATA_ANY(name), VARSIZE_ANY_EXHDR(name));
		s->spellings[i].tells = !alias_kind || !(is_text(alias_kind, "short_ambiguous") || is_text(alias_kind, "pci_id"));
	}
	index_grams(s, memory);
	MemoryContextSetParent(memory, catalogue_memory());
	catalogue_disconnect();
	return s;
}

static Spellings *
spellings_of(Kind kind)
{
	if (cache.epoch != catalogue_epoch())
	{
		memset(cache.of, 0, sizeof cache.of);
		cache.epoch = catalogue_epoch();
	}
	if (!cache.of[kind])
		cache.of[kind] = read_spellings(kind);
	return cache.of[kind];
}

/* Two neighbours that changed places leave few trigrams as they were. */
static bool
is_transposed(const char *a, const char *b)
{
	while (*a && *a == *b)
	{
		a++;
		b++;
	}
	return *a && *b && a[0] == b[1] && a[1] == b[0] && strcmp(a + 2, b + 2) == 0;
}

/*
 * The canonical names, at most NUM_CLOSEST, whose own or other spelling shares
 * the most of its trigrams with the folded name, or is it but for two letters
 * in turn, closest first, of equal ones the first in the tables. Returns how
 * many.
 */
int
closest_names(Kind kind, const char *folded, const char **closest)
{
	Spellings  *s = spellings_of(kind);
	double		score[NUM_CLOSEST];
	int			n = 0;
	uint32		grams[NAME_MAX_GRAMS];
	uint32		num_grams = (uint32) name_grams(folded, grams);

	CHECK_FOR_INTERRUPTS();
	memset(s->shared, 0, s->num * sizeof *s->shared);
	for (uint32 g = 0; g < num_grams; g++)
	{
		GramEntry  *entry = gram_map_lookup(s->grams, grams[g]);

		for (uint32 i = 0; entry && i < entry->num; i++)
			s->shared[s->having[entry->first + i]]++;
	}
	for (uint32 i = 0; i < s->num; i++)
	{
		uint32		shared = s->shared[i];
		const char *name = s->spellings[i].name;
		double		similarity;
		int			at;
		int			from = 0;

		if (shared == 0)
			continue;
		similarity = is_transposed(folded, s->spellings[i].folded) ? 1
			: (double) shared / (double) (num_grams + s->spellings[i].num_grams - shared);
		if (similarity <= (n == NUM_CLOSEST ? score[n - 1] : LEAST_SIMILARITY))
			continue;
		while (from < n && strcmp(closest[from], name) != 0)
			from++;
		if (from < n && similarity <= score[from])
			continue;
		if (from == n)
			n == NUM_CLOSEST ? from-- : n++;
		for (at = from; at > 0 && similarity > score[at - 1]; at--)
		{
			closest[at] = closest[at - 1];
			score[at] = score[at - 1];
		}
		closest[at] = name;
		score[at] = similarity;
	}
	return n;
}

static int
compare_names(const ListCell *a, const ListCell *b)
{
	return strcmp(lfirst(a), lfirst(b));
}

void
sort_names(List *names)
{
	list_sort(names, compare_names);
}

/* Each name once. */
List *
add_name(List *names, const char *name)
{
	for (int i = 0; i < list_length(names); i++)
		if (strcmp(list_nth(names, i), name) == 0)
			return names;
	return lappend(names, unconstify(char *, name));
}

/* Cards one of whose spellings says what the keyed part of the name does. */
static List *
that_may_be(List *names, const char *folded)
{
	Spellings  *s = spellings_of(KIND_GPU);
	char		key[GPU_KEY_SIZE];

	gpu_key(folded, false, key);
	for (uint32 i = 0; i < s->num; i++)
		if (s->spellings[i].tells && gpu_may_be(s->spellings[i].folded, key))
			names = add_name(names, s->spellings[i].name);
	return names;
}

/*
 * The cards that an ambiguous spelling may stand for, the chosen one first: those
 * of whose names it is a part. "MI250X / MI250" names two.
 */
List *
gpus_that_may_be(const char *folded, const char *chosen)
{
	List	   *names = NIL;
	char		part[NAME_MAX_BYTES + 1];
	char	   *rest = part;
	char	   *slash;

	strlcpy(part, folded, sizeof part);
	do
	{
		slash = strchr(rest, '/');
		if (slash)
			*slash = '\0';
		names = that_may_be(names, rest);
		rest = slash ? slash + 1 : rest;
	} while (slash);
	sort_names(names);
	for (int i = list_length(names) - 1; i >= 0; i--)
		if (strcmp(list_nth(names, i), chosen) == 0)
			names = list_delete_nth_cell(names, i);
	return lcons(unconstify(char *, chosen), names);
}
