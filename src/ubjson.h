/*
 * Reading UBJSON that may have been damaged.
 */
#ifndef WATTGPU_UBJSON_H
#define WATTGPU_UBJSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UBJSON_MAX_DEPTH 32

typedef struct Reader
{
	const uint8_t *at;
	const uint8_t *end;
	const char *error;			/* the first thing that was wrong */
} Reader;

typedef struct Array
{
	char		type;
	int64_t		count;
	const uint8_t *data;
} Array;

typedef struct Text
{
	const char *data;
	size_t		size;
} Text;

extern void fail(Reader *r, const char *error);
extern const uint8_t *take(Reader *r, size_t bytes);
extern char take_type(Reader *r);
extern Text take_text(Reader *r);
extern double take_number_text(Reader *r, char type);
extern Array take_array_head(Reader *r);
extern Array take_typed_array(Reader *r, char type);
extern void skip_value(Reader *r, char type, int depth);
extern bool next_member(Reader *r, Text *key, char *type);
extern bool same(Text t, const char *s);
extern size_t type_size(char type);
extern int64_t integer_at(char type, const uint8_t *p);
extern float float_at(const uint8_t *p);

#endif
