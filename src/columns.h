/*
 * How rows of the catalogue's tables become specs.
 */
#ifndef WATTGPU_COLUMNS_H
#define WATTGPU_COLUMNS_H

#include "wattgpu.h"

#include "access/htup.h"

typedef enum Kind
{
	KIND_GPU,
	KIND_LLM,
	KIND_SCENARIO
} Kind;

#define NUM_SPEC_KINDS 3
#define MAX_SPEC_COLUMNS 24

/* Where the columns are in rows of one descriptor. */
typedef struct RowShape
{
	TupleDesc	desc;
	AttrNumber	attnos[MAX_SPEC_COLUMNS];	/* numbers, then texts */
} RowShape;

extern const void *spec_named(Kind kind, const char *name);	/* spec.c */
extern size_t spec_size(Kind kind);
extern const char *spec_table(Kind kind);
extern RowShape row_shape(Kind kind, TupleDesc desc);
extern void row_read(Kind kind, const RowShape *shape, HeapTuple tuple, void *spec);
extern void spec_check(Kind kind, const void *spec);
extern uint32 spec_crc(Kind kind, const void *spec);
extern bool spec_equal(Kind kind, const void *a, const void *b);

#endif
