/*
 * How names are compared, and which ones are close to a name nobody knows.
 */
#ifndef WATTGPU_NAMES_H
#define WATTGPU_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/* Names longer than this are nobody's: they are not looked up. */
#define NAME_MAX_BYTES 256

extern void name_trim(const char **name, size_t *len);
extern size_t name_fold(const char *name, size_t len, char *folded);
extern int	name_compare(const void *a, const void *b);
extern double name_similarity(const char *a, const char *b);

#endif
