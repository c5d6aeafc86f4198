/*
 * What is said of a spelling: the row that it stands for and what else may be
 * meant, or why nobody knows it.
 */
#include "resolve.h"

#include "access/htup_details.h"
#include "funcapi.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"

#include "names.h"

static void
append_names(StringInfo list, const char **names, int n)
{
	for (int i = 0; i < n; i++)
		appendStringInfo(list, "%s\"%s\"", i == 0 ? "" : ", ", names[i]);
}

static int
names_of(List *list, const char **names)
{
	int			n = 0;

	for (int i = 0; i < list_length(list); i++)
		names[n++] = list_nth(list, i);
	return n;
}

/* Error: nobody knows the name, or nobody can tell which one is meant. */
void
report_unknown(Kind kind, const char *name, size_t len)
{
	int			shown = pg_mbcliplen(name, (int) len, 128);
	char		folded[NAME_MAX_BYTES + 1];
	MemoryContext caller = CurrentMemoryContext;
	Resolution	r;
	StringInfoData hint;

	name_fold(name, len, folded);
	catalogue_connect();
	resolve(kind, folded, &r);
	sort_names(r.several);
	MemoryContextSwitchTo(caller);
	initStringInfo(&hint);
	if (find_other_kind(kind, folded, &r))
		appendStringInfoString(&hint, "Names are given in the order gpu, llm, scenario");
	else if (r.several)
	{
		const char **several = palloc(list_length(r.several) * sizeof *several);

		appendStringInfoString(&hint, "It may be one of ");
		append_names(&hint, several, names_of(r.several, several));
	}
	else
	{
		const char *closest[NUM_CLOSEST];
		int			n = closest_names(kind, folded, closest);

		appendStringInfoString(&hint, n > 0 ? "The closest names are " : "Table ");
		append_names(&hint, closest, n);
		if (n == 0)
			appendStringInfo(&hint, "%s lists what is known", spec_table(kind));
	}
	catalogue_disconnect();
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_OBJECT),
			 errmsg("%s %s \"%.*s%s\"", r.several ? "ambiguous" : "unknown", kind_noun(kind), shown, name, shown < (int) len ? "..." : ""),
			 r.note && !r.several ? errdetail("It %s.", r.note) : 0,
			 errhint("%s.", hint.data)));
}

PG_FUNCTION_INFO_V1(wattgpu_gpu_key);
PG_FUNCTION_INFO_V1(wattgpu_llm_base_name);
PG_FUNCTION_INFO_V1(wattgpu_resolve_gpu);
PG_FUNCTION_INFO_V1(wattgpu_resolve_llm);

static bool
fold_argument(FunctionCallInfo fcinfo, char *folded)
{
	text	   *name = PG_GETARG_TEXT_PP(0);

	return name_fold(VARDATA_ANY(name), VARSIZE_ANY_EXHDR(name), folded) > 0;
}

Datum
wattgpu_gpu_key(PG_FUNCTION_ARGS)
{
	char		folded[NAME_MAX_BYTES + 1];
	char		key[GPU_KEY_SIZE];

	if (!fold_argument(fcinfo, folded) || gpu_key(folded, false, key) == 0)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(key));
}

Datum
wattgpu_llm_base_name(PG_FUNCTION_ARGS)
{
	char		folded[NAME_MAX_BYTES + 1];
	const char *base;

	if (!fold_argument(fcinfo, folded) || (base = llm_base_name(folded)) == NULL)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(base));
}

static Datum
resolution_row(FunctionCallInfo fcinfo, Kind kind)
{
	static const char *const words[] = {
		[MATCH_CANONICAL] = "canonical",
		[MATCH_ALIAS] = "alias",
		[MATCH_NORMALISED] = "normalised",
		[MATCH_QUANTISED] = "quantised tag",
		[MATCH_ORGANISATION] = "organisation",
	};
	text	   *spelling = PG_GETARG_TEXT_PP(0);
	const char *given = VARDATA_ANY(spelling);
	size_t		len = VARSIZE_ANY_EXHDR(spelling);
	MemoryContext caller = CurrentMemoryContext;
	char		folded[NAME_MAX_BYTES + 1];
	char	   *name = NULL;
	Resolution	r;
	bool		misplaced = false;
	List	   *candidates = NIL;
	const char **names;
	Datum		values[5];
	bool		nulls[5] = {false};
	TupleDesc	desc;

	catalogue_begin(fcinfo);
	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "a resolution is not a row");
	desc = BlessTupleDesc(desc);
	name_trim(&given, &len);
	name_fold(given, len, folded);

	catalogue_connect();
	resolve(kind, folded, &r);
	if (r.match != MATCH_NONE)
	{
		name = resolved_name(kind, &r);
		find_others(kind, folded, name, &r);
	}
	else
		misplaced = find_other_kind(kind, folded, &r);
	MemoryContextSwitchTo(caller);
	if (name)
		name = pstrdup(name);
	if (r.several)
	{
		candidates = list_copy(r.several);
		sort_names(candidates);
		if (name)
			candidates = lcons(name, candidates);
	}
	else if (r.ambiguous)
		candidates = gpus_that_may_be(folded, name);
	names = palloc((list_length(candidates) + NUM_CLOSEST) * sizeof *names);
	values[3] = text_array(names, r.several || r.match != MATCH_NONE || misplaced ? names_of(candidates, names) : closest_names(kind, folded, names));
	catalogue_disconnect();

	if (len == 0)
		r.note = "is no name";
	else if (len > NAME_MAX_BYTES)
		r.note = "is longer than any name, 256 bytes";
	nulls[0] = !name;
	nulls[1] = r.match == MATCH_NONE;
	nulls[4] = !r.note;
	if (name)
		values[0] = CStringGetTextDatum(name);
	if (!nulls[1])
		values[1] = CStringGetTextDatum(words[r.match]);
	values[2] = BoolGetDatum(r.ambiguous);
	if (r.note)
		values[4] = CStringGetTextDatum(r.note);
	return HeapTupleGetDatum(heap_form_tuple(desc, values, nulls));
}

Datum
wattgpu_resolve_gpu(PG_FUNCTION_ARGS)
{
	return resolution_row(fcinfo, KIND_GPU);
}

Datum
wattgpu_resolve_llm(PG_FUNCTION_ARGS)
{
	return resolution_row(fcinfo, KIND_LLM);
}
