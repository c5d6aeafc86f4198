/*
 * What a backend remembers of the extension's tables, and when it forgets.
 *
 * Like the server's own catalogue caches, lookups read the newest committed
 * rows (and the transaction's own), whatever snapshot the query has: a cached
 * row would otherwise outlive the old snapshot it was read under. Triggers on
 * the tables send relation cache invalidations, which reach every session at
 * commit, standbys included, and are undone by a rollback.
 */
#include "wattgpu.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/tableam.h"
#include "catalog/pg_class.h"
#include "commands/trigger.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/rls.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

/* Every table whose change makes what is remembered wrong; models are from FIRST_OF_MODELS on. */
static const char *const watched_tables[] = {
	"wattgpu_gpus", "wattgpu_gpu_aliases", "wattgpu_llms", "wattgpu_llm_aliases",
	"wattgpu_scenarios", "wattgpu_measurements", "wattgpu_models", "wattgpu_default_models",
};

enum {FIRST_OF_MODELS = 6};

static struct
{
	MemoryContext context;		/* all that is remembered but for the models */
	MemoryContext models;		/* they take longer to read, and change less often than the catalogue */
	uint64		epoch;
	uint64		models_epoch;
	bool		stale;
	bool		models_stale;
	int			busy;			/* lookups under way */
	Oid			user;			/* who looked up what is remembered */
	Oid			schema_oid;
	char	   *schema;			/* quoted */
	Oid			watched[lengthof(watched_tables)];
} cache = {.stale = true, .models_stale = true};

static void
on_relation_change(Datum arg, Oid relid)
{
	(void) arg;
	for (size_t i = 0; i < lengthof(watched_tables); i++)
		if (relid == InvalidOid || cache.watched[i] == relid)
		{
			cache.stale = true;
			cache.models_stale |= i >= FIRST_OF_MODELS;
		}
}

static void
on_schema_change(Datum arg, int cacheid, uint32 hashvalue)
{
	(void) arg;
	(void) cacheid;
	(void) hashvalue;
	cache.stale = true;
	cache.models_stale = true;
}

/*
 * Forget everything that may have changed. The schema comes from the called function, so that the
 * extension works wherever it was installed and whatever search_path says.
 */
static void
start_over(Oid function)
{
	Oid			schema = get_func_namespace(function);
	char	   *name = get_namespace_name(schema);

	if (!name)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the schema of extension wattgpu was dropped")));
	if (!cache.context)
	{
		cache.context = AllocSetContextCreate(CacheMemoryContext, "wattgpu", ALLOCSET_DEFAULT_SIZES);
		cache.models = AllocSetContextCreate(CacheMemoryContext, "wattgpu models", ALLOCSET_DEFAULT_SIZES);
		CacheRegisterRelcacheCallback(on_relation_change, (Datum) 0);
		CacheRegisterSyscacheCallback(NAMESPACEOID, on_schema_change, (Datum) 0);
	}
	cache.schema = NULL;
	MemoryContextReset(cache.context);
	cache.epoch++;
	if (cache.models_stale)
	{
		MemoryContextReset(cache.models);
		cache.models_epoch++;
	}

	cache.stale = cache.models_stale = false;	/* before reading: a change during it must count */
	check_version(function);
	for (size_t i = 0; i < lengthof(watched_tables); i++)
		cache.watched[i] = get_relname_relid(watched_tables[i], schema);
	cache.schema_oid = schema;
	cache.schema = MemoryContextStrdup(cache.context, quote_identifier(name));
}

/* May the role read all of the table, and is no policy in the way? */
static bool
may_read(Oid table, Oid user)
{
	return pg_class_aclcheck(table, user, ACL_SELECT) == ACLCHECK_OK && check_enable_rls(table, user, true) != RLS_ENABLED;
}

/* What one role looked up serves another one only if neither is kept from any of it. */
static void
change_user(Oid user)
{
	/* Tables that changed may be gone. */
	bool		shared = cache.schema && !cache.stale;

	for (size_t i = 0; shared && i < lengthof(watched_tables); i++)
		shared = OidIsValid(cache.watched[i]) && may_read(cache.watched[i], cache.user) && may_read(cache.watched[i], user);
	if (!shared)
		cache.stale = cache.models_stale = true;
	cache.user = user;
}

/*
 * Called first by every SQL function: what it looks up afterwards stays valid
 * until the next call. The backend catches up with what other sessions
 * committed, as opening a table would, so that no answer is older than that:
 * in a loop of PL/pgSQL or an open cursor, too. A call from within a lookup (a
 * policy that predicts) must not take away what the outer one holds.
 */
void
catalogue_begin(FunctionCallInfo fcinfo)
{
	AcceptInvalidationMessages();
	if (cache.busy > 0)
		return;
	if (cache.user != GetUserId())
		change_user(GetUserId());
	if (cache.stale || !cache.schema)
	{
		cache.stale = true;
		start_over(fcinfo->flinfo->fn_oid);
	}
}

/* Start over at the next call: more was asked for than a backend should remember. */
void
catalogue_is_full(void)
{
	cache.stale = true;
}

/* Where what belongs to the cache is kept; it goes when the cache does. */
MemoryContext
catalogue_memory(void)
{
	return cache.context;
}

MemoryContext
catalogue_models_memory(void)
{
	return cache.models;
}

/* Counts how often the models were forgotten; the epoch of all else changes with it. */
uint64
catalogue_models_epoch(void)
{
	return cache.models_epoch;
}

/* Counts how often all else was forgotten. */
uint64
catalogue_epoch(void)
{
	return cache.epoch;
}

/* The query with the extension's schema, quoted, for each %1$s. */
char *
catalogue_query(const char *format)
{
	StringInfoData query;

	initStringInfo(&query);
	for (const char *p = format; *p; p++)
	{
		if (strncmp(p, "%1$s", 4) == 0)
		{
			appendStringInfoString(&query, cache.schema);
			p += 3;
		}
		else
			appendStringInfoChar(&query, *p);
	}
	return query.data;
}

static void
end_lookup(void *arg)
{
	(void) arg;
	cache.busy--;
}

/*
 * Between these two, SPI queries marked read-only see the newest committed
 * rows. The tables are locked before the snapshot is taken: a snapshot that is
 * older than a TRUNCATE it waited for would see an empty table. A lookup
 * within a lookup sees what the outer one does. SPI's memory goes at the end,
 * on an error too, and the count with it.
 */
void
catalogue_connect(void)
{
	MemoryContextCallback *callback;

	SPI_connect();
	callback = palloc0(sizeof *callback);
	callback->func = end_lookup;
	MemoryContextRegisterResetCallback(CurrentMemoryContext, callback);
	if (cache.busy++ > 0)
	{
		PushActiveSnapshot(GetActiveSnapshot());
		return;
	}
	for (size_t i = 0; i < lengthof(watched_tables); i++)
		if (OidIsValid(cache.watched[i]))
			LockRelationOid(cache.watched[i], AccessShareLock);
	PushActiveSnapshot(GetCatalogSnapshot(cache.watched[0]));
}

void
catalogue_disconnect(void)
{
	PopActiveSnapshot();
	SPI_finish();
}

static void
add_row(List **rows, HeapTuple tuple, TupleDesc desc)
{
	CatalogueRow *row = palloc(sizeof *row);

	*row = (CatalogueRow) {tuple, desc};
	*rows = lappend(*rows, row);
}

static List *
scan_for_rows(Relation table, Relation index, int num_keys, const Datum *keys, int most)
{
	ScanKeyData scan_keys[2];
	TupleTableSlot *slot = table_slot_create(table, NULL);
	ScanDirection direction = num_keys < index->rd_index->indnkeyatts ? BackwardScanDirection : ForwardScanDirection;
	TupleDesc	desc = NULL;
	List	   *rows = NIL;
	IndexScanDesc scan;

	for (int i = 0; i < num_keys; i++)
		ScanKeyEntryInitialize(&scan_keys[i], 0, (AttrNumber) (i + 1), BTEqualStrategyNumber, TEXTOID,
							   index->rd_indcollation[i], F_TEXTEQ, keys[i]);
#if PG_VERSION_NUM >= 180000
	scan = index_beginscan(table, index, GetActiveSnapshot(), NULL, num_keys, 0);
#else
	scan = index_beginscan(table, index, GetActiveSnapshot(), num_keys, 0);
#endif
	index_rescan(scan, scan_keys, num_keys, NULL, 0);
	while ((most == 0 || list_length(rows) < most) && index_getnext_slot(scan, direction, slot))
	{
		if (!desc)
			desc = CreateTupleDescCopy(RelationGetDescr(table));
		add_row(&rows, ExecCopySlotHeapTuple(slot), desc);
	}
	index_endscan(scan);
	ExecDropSingleTupleTableSlot(slot);
	return rows;
}

/*
 * The rows whose index columns have these text values, as CatalogueRow; at
 * most so many, or all if most is 0. With one value less than the index has
 * columns, the last ones come first. Read by the index itself: in a new
 * session, planning a query for it takes longer than all else. Where that
 * would go past the role's rights or a policy, the query asks instead. To be
 * called between catalogue_connect and catalogue_disconnect, as long as which
 * the rows are there.
 */
List *
catalogue_rows(const char *table_name, const char *index_name, const char *query, int num_keys, Datum *keys, int most)
{
	Oid			table_oid = get_relname_relid(table_name, cache.schema_oid);
	Oid			index_oid = get_relname_relid(index_name, cache.schema_oid);
	Oid			types[] = {TEXTOID, TEXTOID};
	List	   *rows = NIL;
	Relation	table;
	Relation	index;

	if (!OidIsValid(table_oid) || !OidIsValid(index_oid) || !may_read(table_oid, GetUserId()))
	{
		if (SPI_execute_with_args(catalogue_query(query), num_keys, types, keys, NULL, true, most) != SPI_OK_SELECT)
			elog(ERROR, "could not read %s", table_name);
		for (uint64 i = 0; i < SPI_processed; i++)
			add_row(&rows, SPI_tuptable->vals[i], SPI_tuptable->tupdesc);
		return rows;
	}
	table = table_open(table_oid, AccessShareLock);
	index = index_open(index_oid, AccessShareLock);
	rows = scan_for_rows(table, index, num_keys, keys, most);
	index_close(index, NoLock);
	table_close(table, NoLock);
	return rows;
}

/* The first of them; false if there is none. */
bool
catalogue_row(const char *table_name, const char *index_name, const char *query, int num_keys, Datum *keys, CatalogueRow *row)
{
	List	   *rows = catalogue_rows(table_name, index_name, query, num_keys, keys, 1);

	if (rows != NIL)
		*row = *(CatalogueRow *) linitial(rows);
	return rows != NIL;
}

/* A column of a row; an error if there is none of that name. */
Datum
catalogue_column(const CatalogueRow *row, const char *name, bool *isnull)
{
	int			attno = SPI_fnumber(row->desc, name);

	if (attno == SPI_ERROR_NOATTRIBUTE)
		elog(ERROR, "the catalogue has no column %s", name);
	return heap_getattr(row->tuple, attno, row->desc, isnull);
}

/* Error unless the current role may do what only the extension's owner may, and now. */
void
catalogue_require_owner(const char *action)
{
	Oid			models = get_relname_relid("wattgpu_models", cache.schema_oid);

#if PG_VERSION_NUM >= 160000
	bool		owned = object_ownercheck(RelationRelationId, models, GetUserId());
#else
	bool		owned = pg_class_ownercheck(models, GetUserId());
#endif

	if (!owned)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("only the owner of extension wattgpu may %s", action)));
	PreventCommandIfReadOnly(psprintf("wattgpu_%s()", action));
}

/* May the current role see that table? What is only helpful is left unsaid where it may not. */
bool
catalogue_is_readable(const char *table)
{
	Oid			relation = get_relname_relid(table, cache.schema_oid);

	return OidIsValid(relation) && pg_class_aclcheck(relation, GetUserId(), ACL_SELECT) == ACLCHECK_OK;
}

Oid
catalogue_measurements(void)
{
	return get_relname_relid("wattgpu_measurements", cache.schema_oid);
}

PG_FUNCTION_INFO_V1(wattgpu_catalogue_changed);

/*
 * Trigger on every watched table, before a change and after it: what a failed
 * statement predicted of its own rows must be forgotten as well, and no
 * trigger fires after it failed. Sent for each row and not once a statement,
 * since logical replication applies rows without firing statement triggers.
 */
Datum
wattgpu_catalogue_changed(PG_FUNCTION_ARGS)
{
	TriggerData *trigger = (TriggerData *) fcinfo->context;

	if (!CALLED_AS_TRIGGER(fcinfo))
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("wattgpu_catalogue_changed is not called by a trigger")));
	CacheInvalidateRelcache(trigger->tg_relation);
	if (TRIGGER_FIRED_BEFORE(trigger->tg_event))
		return PointerGetDatum(TRIGGER_FIRED_BY_UPDATE(trigger->tg_event) ? trigger->tg_newtuple : trigger->tg_trigtuple);
	return PointerGetDatum(NULL);
}
