/*
 * The library's entry: settings, and the check that it runs under its own SQL.
 */
#include "wattgpu.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/indexing.h"
#include "catalog/pg_extension.h"
#include "commands/extension.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/guc.h"
#include "utils/rel.h"

PG_MODULE_MAGIC;

int			wattgpu_unknown_name = UNKNOWN_NAME_ERROR;
int			wattgpu_threads = 1;

static const struct config_enum_entry unknown_name_options[] = {
	{"error", UNKNOWN_NAME_ERROR, false},
	{"null", UNKNOWN_NAME_NULL, false},
	{NULL, 0, false}
};

/* NOLINTNEXTLINE(bugprone-reserved-identifier): the server's name for it */
extern PGDLLEXPORT void _PG_init(void);

void
_PG_init(void)
{
	DefineCustomEnumVariable("wattgpu.unknown_name",
							 "What a GPU, LLM or scenario that is not in the catalogue gives.",
							 "\"error\" stops the query; \"null\" makes that row's prediction NULL.",
							 &wattgpu_unknown_name,
							 UNKNOWN_NAME_ERROR,
							 unknown_name_options,
							 PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomIntVariable("wattgpu.threads",
							"Threads that training may use.",
							"Predictions always run in the backend's own thread.",
							&wattgpu_threads,
							1, 1, 64,
							PGC_SUSET, 0, NULL, NULL, NULL);
#if PG_VERSION_NUM >= 150000
	MarkGUCPrefixReserved("wattgpu");
#else
	EmitWarningsOnPlaceholders("wattgpu");
#endif
}

/*
 * A library that was replaced under an extension of another version would
 * read tables it does not know, so it refuses. While the extension's own
 * script runs, the version is in the making and there is nothing to compare.
 */
void
check_version(Oid function)
{
	Relation	rel;
	SysScanDesc scan;
	ScanKeyData key;
	HeapTuple	tuple;
	char	   *installed = NULL;

	if (creating_extension)
		return;

	ScanKeyInit(&key, Anum_pg_extension_extname, BTEqualStrategyNumber, F_NAMEEQ,
				CStringGetDatum("wattgpu"));
	rel = table_open(ExtensionRelationId, AccessShareLock);
	scan = systable_beginscan(rel, ExtensionNameIndexId, true, NULL, 1, &key);
	tuple = systable_getnext(scan);
	if (HeapTupleIsValid(tuple))
	{
		bool		isnull;
		Datum		version = heap_getattr(tuple, Anum_pg_extension_extversion,
										   RelationGetDescr(rel), &isnull);

		installed = isnull ? NULL : TextDatumGetCString(version);
	}
	systable_endscan(scan);
	table_close(rel, AccessShareLock);

	if (!installed)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("function with OID %u of wattgpu is called without the extension", function),
				 errhint("Run CREATE EXTENSION wattgpu.")));
	if (strcmp(installed, WATTGPU_VERSION) != 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("wattgpu library version %s does not match extension version %s",
						WATTGPU_VERSION, installed),
				 errhint("Run ALTER EXTENSION wattgpu UPDATE, then start a new session.")));
}

/* Materialize mode by hand: the server's own helper differs between the versions. */
ResultSet
result_set_begin(FunctionCallInfo fcinfo)
{
	ReturnSetInfo *info = (ReturnSetInfo *) fcinfo->resultinfo;
	ResultSet	result;
	MemoryContext caller;

	if (!info || !IsA(info, ReturnSetInfo) || !(info->allowedModes & SFRM_Materialize))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("set-valued function called in context that cannot accept a set")));
	caller = MemoryContextSwitchTo(info->econtext->ecxt_per_query_memory);
	if (get_call_result_type(fcinfo, NULL, &result.desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "a set-valued function does not return rows");
	result.desc = BlessTupleDesc(result.desc);
	result.store = tuplestore_begin_heap((info->allowedModes & SFRM_Materialize_Random) != 0, false, work_mem);
	info->returnMode = SFRM_Materialize;
	info->setResult = result.store;
	info->setDesc = result.desc;
	MemoryContextSwitchTo(caller);
	return result;
}

Datum
text_array(const char **values, int n)
{
	Datum	   *datums = palloc(sizeof *datums * (n + 1));

	for (int i = 0; i < n; i++)
		datums[i] = CStringGetTextDatum(values[i]);
	return PointerGetDatum(construct_array(datums, n, TEXTOID, -1, false, TYPALIGN_INT));
}

Datum
double_array(const double *values, int n)
{
	Datum	   *datums = palloc(sizeof *datums * (n + 1));

	for (int i = 0; i < n; i++)
		datums[i] = Float8GetDatum(values[i]);
	return PointerGetDatum(construct_array(datums, n, FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}
