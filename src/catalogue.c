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

#include "catalog/pg_class.h"
#include "commands/trigger.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

/* Every table whose change makes what is remembered wrong. */
static const char *const watched_tables[] = {
	"wattgpu_gpus", "wattgpu_gpu_aliases", "wattgpu_llms", "wattgpu_llm_aliases",
	"wattgpu_scenarios", "wattgpu_measurements", "wattgpu_models", "wattgpu_default_models",
};

static struct
{
	MemoryContext context;		/* all that is remembered, models included */
	uint64		epoch;
	bool		stale;
	int			busy;			/* lookups under way */
	Oid			schema_oid;
	char	   *schema;			/* quoted */
	Oid			watched[lengthof(watched_tables)];
} cache = {.stale = true};

static void
on_relation_change(Datum arg, Oid relid)
{
	(void) arg;
	if (relid == InvalidOid)
		cache.stale = true;
	for (size_t i = 0; i < lengthof(watched_tables); i++)
		if (cache.watched[i] == relid)
			cache.stale = true;
}

static void
on_schema_change(Datum arg, int cacheid, uint32 hashvalue)
{
	(void) arg;
	(void) cacheid;
	(void) hashvalue;
	cache.stale = true;
}

/*
 * Forget everything. The schema comes from the called function, so that the
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
		CacheRegisterRelcacheCallback(on_relation_change, (Datum) 0);
		CacheRegisterSyscacheCallback(NAMESPACEOID, on_schema_change, (Datum) 0);
	}
	cache.schema = NULL;
	MemoryContextReset(cache.context);
	cache.epoch++;

	cache.stale = false;		/* before reading: a change during it must count */
	check_version(function);
	for (size_t i = 0; i < lengthof(watched_tables); i++)
		cache.watched[i] = get_relname_relid(watched_tables[i], schema);
	cache.schema_oid = schema;
	cache.schema = MemoryContextStrdup(cache.context, quote_identifier(name));
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

/* Counts how often everything was forgotten. */
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
 * rows. SPI's memory goes at the end, on an error too, and the count with it.
 */
void
catalogue_connect(void)
{
	MemoryContextCallback *callback;

	SPI_connect();
	callback = palloc0(sizeof *callback);
	callback->func = end_lookup;
	MemoryContextRegisterResetCallback(CurrentMemoryContext, callback);
	cache.busy++;
	PushActiveSnapshot(GetCatalogSnapshot(cache.watched[0]));
}

void
catalogue_disconnect(void)
{
	PopActiveSnapshot();
	SPI_finish();
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

Oid
catalogue_measurements(void)
{
	return get_relname_relid("wattgpu_measurements", cache.schema_oid);
}

PG_FUNCTION_INFO_V1(wattgpu_catalogue_changed);

/*
 * Trigger on every watched table. Sent for each row and not once a statement,
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
	return PointerGetDatum(NULL);
}
