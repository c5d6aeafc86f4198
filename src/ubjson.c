/*
 * Reading UBJSON that may have been damaged.
 *
 * Every length, count and type is checked before it is used; after the first
 * error the reader stands at the end, so that loops over it end too.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ubjson.h"

void
fail(Reader *r, const char *error)
{
	if (!r->error)
		r->error = error;
	r->at = r->end;
}

static uint64_t
big_endian(const uint8_t *p, size_t bytes)
{
	uint64_t	v = 0;

	for (size_t i = 0; i < bytes; i++)
		v = v << 8 | p[i];
	return v;
}

const uint8_t *
take(Reader *r, size_t bytes)
{
	const uint8_t *p = r->at;

	if ((size_t) (r->end - r->at) < bytes)
	{
		fail(r, "it ends too early");
		return NULL;
	}
	r->at += bytes;
	return p;
}

char
take_type(Reader *r)
{
	const uint8_t *p = take(r, 1);

	if (!p)
		return '\0';
	return (char) *p;
}

size_t
type_size(char type)
{
	switch (type)
	{
		case 'i':
		case 'U':
		case 'C':
			return 1;
		case 'I':
			return 2;
		case 'l':
		case 'd':
			return 4;
		case 'L':
		case 'D':
			return 8;
		default:
			return 0;
	}
}

int64_t
integer_at(char type, const uint8_t *p)
{
	switch (type)
	{
		case 'i':
			return p[0] < 128 ? p[0] : p[0] - 256;
		case 'U':
		case 'C':
			return p[0];
		case 'I':
			return (int16_t) big_endian(p, 2);
		case 'l':
			return (int32_t) big_endian(p, 4);
		default:
			return (int64_t) big_endian(p, 8);
	}
}

float
float_at(const uint8_t *p)
{
	uint32_t	bits = (uint32_t) big_endian(p, 4);
	float		f;

	memcpy(&f, &bits, sizeof f);
	return f;
}

static int64_t
take_length(Reader *r)
{
	char		type = take_type(r);
	size_t		size = type_size(type);
	const uint8_t *p;
	int64_t		n;

	if (size == 0 || type == 'd' || type == 'D')
	{
		fail(r, "a length is not an integer");
		return 0;
	}
	p = take(r, size);
	n = p ? integer_at(type, p) : 0;
	if (n < 0 || n > r->end - r->at)
	{
		fail(r, "a length is out of range");
		return 0;
	}
	return n;
}

Text
take_text(Reader *r)
{
	Text		t = {NULL, 0};
	int64_t		n = take_length(r);

	t.data = (const char *) take(r, (size_t) n);
	t.size = t.data ? (size_t) n : 0;
	return t;
}

bool
same(Text t, const char *s)
{
	return t.data && t.size == strlen(s) && memcmp(t.data, s, t.size) == 0;
}

/* The head of an array: element type ('\0' if each says its own) and count (-1 if it ends at ']'). */
Array
take_array_head(Reader *r)
{
	Array		a = {'\0', -1, NULL};

	if (r->at < r->end && *r->at == '$')
	{
		r->at++;
		a.type = take_type(r);
		if (type_size(a.type) == 0)
			fail(r, "an array has an unknown type");
		if (r->at >= r->end || *r->at != '#')
			fail(r, "a typed array has no count");
	}
	if (r->at < r->end && *r->at == '#')
	{
		r->at++;
		a.count = take_length(r);
	}
	a.data = r->at;
	return a;
}

void
skip_value(Reader *r, char type, int depth)
{
	if (depth > UBJSON_MAX_DEPTH)
	{
		fail(r, "it is nested too deep");
		return;
	}
	switch (type)
	{
		case 'Z':
		case 'N':
		case 'T':
		case 'F':
			return;
		case 'S':
			take_text(r);
			return;
		case '{':
			while (r->at < r->end && *r->at != '}')
			{
				take_text(r);
				skip_value(r, take_type(r), depth + 1);
			}
			take(r, 1);
			return;
		case '[':
			{
				Array		a = take_array_head(r);

				if (r->error)
					return;
				if (a.type != '\0')
				{
					if (a.count > (r->end - r->at) / (int64_t) type_size(a.type))
						fail(r, "an array is longer than the document");
					else
						take(r, (size_t) a.count * type_size(a.type));
				}
				else if (a.count >= 0)
				{
					for (int64_t i = 0; i < a.count && !r->error; i++)
						skip_value(r, take_type(r), depth + 1);
				}
				else
				{
					while (r->at < r->end && *r->at != ']')
						skip_value(r, take_type(r), depth + 1);
					take(r, 1);
				}
				return;
			}
		default:
			if (type_size(type) == 0)
				fail(r, "a value has an unknown type");
			else
				take(r, type_size(type));
	}
}

/* Step to the next member of an object whose '{' has been taken. */
bool
next_member(Reader *r, Text *key, char *type)
{
	if (r->error || r->at >= r->end)
	{
		fail(r, "it ends too early");
		return false;
	}
	if (*r->at == '}')
	{
		r->at++;
		return false;
	}
	*key = take_text(r);
	*type = take_type(r);
	return !r->error;
}

double
take_number_text(Reader *r, char type)
{
	char		buffer[64];
	char	   *end;
	Text		t;
	double		v;

	if (type != 'S')
	{
		fail(r, "a parameter is not a string");
		return 0;
	}
	t = take_text(r);
	/* XGBoost 3.1 and later write a vector of one: [5E-1] */
	if (t.size > 2 && t.data[0] == '[' && t.data[t.size - 1] == ']')
	{
		t.data++;
		t.size -= 2;
	}
	if (t.size == 0 || t.size >= sizeof buffer)
	{
		fail(r, "a parameter is not a number");
		return 0;
	}
	memcpy(buffer, t.data, t.size);
	buffer[t.size] = '\0';
	v = strtod(buffer, &end);
	if (*end != '\0' || !isfinite(v))
		fail(r, "a parameter is not a number");
	return v;
}

Array
take_typed_array(Reader *r, char type)
{
	Array		a = {'\0', 0, NULL};
	const uint8_t *start;

	if (type != '[')
	{
		fail(r, "a tree's field is not an array");
		return a;
	}
	start = r->at;
	a = take_array_head(r);
	r->at = start;
	skip_value(r, '[', 0);
	if (!r->error && a.type == '\0')
		fail(r, "a tree's array has no type");
	return a;
}
