/*
 * What the rooms on the server's side of the extension share.
 */
#ifndef WATTGPU_H
#define WATTGPU_H

#include "postgres.h"

#include "fmgr.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/tuplestore.h"
#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif

/* PostgreSQL 13 has no names for these. */
#ifndef FLOAT4ARRAYOID
#define FLOAT4ARRAYOID 1021
#endif
#ifndef FLOAT8ARRAYOID
#define FLOAT8ARRAYOID 1022
#endif

#include "features.h"
#include "forest.h"
#include "leaves.h"
#include "physics.h"
#include "spec.h"

typedef enum UnknownName
{
	UNKNOWN_NAME_ERROR,
	UNKNOWN_NAME_NULL
} UnknownName;

/* wattgpu.c */
extern int	wattgpu_unknown_name;
extern int	wattgpu_threads;
extern void check_version(Oid function);

/* Rows of a set-returning function, as they are gathered. */
typedef struct ResultSet
{
	Tuplestorestate *store;
	TupleDesc	desc;
} ResultSet;

extern ResultSet result_set_begin(FunctionCallInfo fcinfo);
extern Datum text_array(const char **values, int n);
extern Datum double_array(const double *values, int n);

/* catalogue.c */
extern void catalogue_begin(FunctionCallInfo fcinfo);
extern MemoryContext catalogue_memory(void);
extern uint64 catalogue_epoch(void);
extern MemoryContext catalogue_models_memory(void);
extern uint64 catalogue_models_epoch(void);
extern void catalogue_is_full(void);
extern char *catalogue_query(const char *format);
extern void catalogue_connect(void);
extern void catalogue_disconnect(void);

/* A row of the catalogue's tables. */
typedef struct CatalogueRow
{
	HeapTuple	tuple;
	TupleDesc	desc;
} CatalogueRow;

extern List *catalogue_rows(const char *table, const char *index, const char *query, int num_keys, Datum *keys, int most);
extern bool catalogue_row(const char *table, const char *index, const char *query, int num_keys, Datum *keys, CatalogueRow *row);
extern Datum catalogue_column(const CatalogueRow *row, const char *name, bool *isnull);
extern void catalogue_require_owner(const char *action);
extern bool catalogue_is_readable(const char *table);
extern Oid	catalogue_measurements(void);

/* spec.c */
#define MAX_SPEC_NUMBER 300000	/* specs that a backend looks up before it starts over */

typedef struct Measured
{
	double		power_w;
	double		itl_s;
} Measured;

extern Measured measured_find(const GpuSpec *gpu, const LlmSpec *llm, const Workload *scenario);
extern const GpuSpec *gpu_find(const char *name, size_t len);
extern const LlmSpec *llm_find(const char *name, size_t len);
extern const Workload *scenario_find(const char *name, size_t len);

#endif
