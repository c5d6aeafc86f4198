/*
 * How names are compared, and which ones are close to a name nobody knows.
 */
#include <stdlib.h>
#include <string.h>

#include "names.h"

#define MAX_GRAMS (2 * NAME_MAX_BYTES + 4)

static bool
is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Leave surrounding blanks out. */
void
name_trim(const char **name, size_t *len)
{
	while (*len > 0 && is_blank((*name)[0]))
	{
		(*name)++;
		(*len)--;
	}
	while (*len > 0 && is_blank((*name)[*len - 1]))
		(*len)--;
}

/*
 * Without surrounding blanks and in lower case, ASCII alone, as lower() does
 * under the "C" collation that the tables' indexes use: what matches must not
 * depend on a database's locale. Returns the length, or 0 if nothing is left
 * or it is longer than any name can be; folded holds NAME_MAX_BYTES + 1.
 */
size_t
name_fold(const char *name, size_t len, char *folded)
{
	name_trim(&name, &len);
	if (len > NAME_MAX_BYTES)
		len = 0;
	for (size_t i = 0; i < len; i++)
	{
		const char *upper = name[i] ? strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZ", name[i]) : NULL;

		folded[i] = name[i];
		if (upper)
			folded[i] = "abcdefghijklmnopqrstuvwxyz"[*upper - 'A'];
	}
	folded[len] = '\0';
	return len;
}

/* Bytewise, for qsort and bsearch over pointers to strings. */
int
name_compare(const void *a, const void *b)
{
	return strcmp(*(const char *const *) a, *(const char *const *) b);
}

static int
compare_grams(const void *a, const void *b)
{
	return memcmp(a, b, 3);
}

static bool
in_word(unsigned char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c >= 0x80;
}

/* The distinct trigrams of the words, each word padded with two blanks before and one after. */
static size_t
trigrams(const char *name, char (*grams)[3])
{
	char		padded[NAME_MAX_BYTES + 4];
	size_t		n = 0;
	size_t		distinct = 0;

	while (*name)
	{
		size_t		len = 0;

		while (*name && !in_word((unsigned char) *name))
			name++;
		padded[0] = padded[1] = ' ';
		while (len < NAME_MAX_BYTES && in_word((unsigned char) *name))
			padded[2 + len++] = *name++;
		if (len == 0)
			break;
		padded[2 + len] = ' ';
		for (size_t i = 0; i <= len && n < MAX_GRAMS; i++)
			memcpy(grams[n++], padded + i, 3);
	}
	qsort(grams, n, 3, compare_grams);
	for (size_t i = 0; i < n; i++)
		if (i == 0 || memcmp(grams[i], grams[i - 1], 3) != 0)
			memmove(grams[distinct++], grams[i], 3);
	return distinct;
}

/*
 * The share of trigrams that two folded names have in common, from 0 to 1:
 * pg_trgm's measure, here so that a hint does not need that extension.
 */
double
name_similarity(const char *a, const char *b)
{
	char		ga[MAX_GRAMS][3];
	char		gb[MAX_GRAMS][3];
	size_t		na = trigrams(a, ga);
	size_t		nb = trigrams(b, gb);
	size_t		i = 0;
	size_t		j = 0;
	size_t		both = 0;

	while (i < na && j < nb)
	{
		int			c = memcmp(ga[i], gb[j], 3);

		both += c == 0;
		i += c <= 0;
		j += c >= 0;
	}
	return na + nb == 0 ? 0 : (double) both / (double) (na + nb - both);
}
