/*
 * Which row of the catalogue a spelling stands for, and which are close to it.
 */
#ifndef WATTGPU_RESOLVE_H
#define WATTGPU_RESOLVE_H

#include "wattgpu.h"

#include "columns.h"

typedef enum Match
{
	MATCH_NONE,
	MATCH_CANONICAL,
	MATCH_ALIAS,
	MATCH_NORMALISED,
	MATCH_QUANTISED,
	MATCH_ORGANISATION
} Match;

/* row is that of the spec's table, if there is a match; several: canonical names that claim the spelling, of which none is taken. */
typedef struct Resolution
{
	Match		match;
	CatalogueRow row;
	bool		ambiguous;
	const char *note;			/* NULL: there is nothing to say */
	List	   *several;
} Resolution;

/* resolve.c; between catalogue_connect and catalogue_disconnect */
extern const char *kind_noun(Kind kind);
extern char *resolved_name(Kind kind, const Resolution *r);
extern void resolve(Kind kind, const char *folded, Resolution *r);
extern bool find_other_kind(Kind kind, const char *folded, Resolution *r);
extern void find_others(Kind kind, const char *folded, const char *name, Resolution *r);

/* resolution.c */
extern void report_unknown(Kind kind, const char *name, size_t len);

/* closest.c; the strings belong to the catalogue's memory */
#define NUM_CLOSEST 3

extern int	closest_names(Kind kind, const char *folded, const char **closest);
extern List *add_name(List *names, const char *name);
extern void sort_names(List *names);
extern List *gpus_that_may_be(const char *folded, const char *chosen);

#endif
