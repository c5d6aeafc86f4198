/*
 * How names are compared, and which ones are close to a name nobody knows.
 */
#include <string.h>

#include "names.h"

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

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool
in_word(unsigned char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c >= 0x80;
}

/* Into its place among n distinct ascending ones; names are short. Returns how many there are then. */
static size_t
add_gram(uint32_t *grams, size_t n, uint32_t gram)
{
	size_t		at = n;

	while (at > 0 && grams[at - 1] > gram)
		at--;
	if (at > 0 && grams[at - 1] == gram)
		return n;
	memmove(grams + at + 1, grams + at, (n - at) * sizeof *grams);
	grams[at] = gram;
	return n + 1;
}

/*
 * The distinct trigrams of a folded name's words, ascending, each word padded
 * with two blanks before and one after: what pg_trgm compares, here so that a
 * hint does not need that extension. Returns how many; grams holds NAME_MAX_GRAMS.
 */
size_t
name_grams(const char *folded, uint32_t *grams)
{
	const unsigned char *p = (const unsigned char *) folded;
	size_t		n = 0;

	while (*p)
	{
		uint32_t	gram = ' ' << 8 | ' ';

		if (!in_word(*p))
		{
			p++;
			continue;
		}
		for (bool last = false; !last;)
		{
			last = !in_word(*p);
			gram = (gram << 8 | (last ? ' ' : *p++)) & 0xFFFFFF;
			n = add_gram(grams, n, gram);
		}
	}
	return n;
}

typedef struct Word
{
	const char *text;
	size_t		len;
} Word;

/* What parts the words of a GPU's name; other punctuation is part of the word. */
static size_t
separator_length(const char *p)
{
	static const char *const marks[] = {"(r)", "(tm)", "\xc2\xae", "\xe2\x84\xa2"};

	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
		if (strncmp(p, marks[i], strlen(marks[i])) == 0)
			return strlen(marks[i]);
	return *p && (is_blank(*p) || strchr("-_/,()[]", *p)) ? 1 : 0;
}

static bool
next_word(const char **at, Word *word)
{
	size_t		skip;

	while ((skip = separator_length(*at)) > 0)
		*at += skip;
	word->text = *at;
	while (**at && separator_length(*at) == 0)
		(*at)++;
	word->len = (size_t) (*at - word->text);
	return word->len > 0;
}

static bool
is_word(Word word, const char *text)
{
	return word.len == strlen(text) && memcmp(word.text, text, word.len) == 0;
}

static size_t
leading_digits(Word word)
{
	size_t		n = 0;

	while (n < word.len && is_digit(word.text[n]))
		n++;
	return n;
}

static bool
is_gigabytes(Word word)
{
	return is_word(word, "g") || is_word(word, "gb") || is_word(word, "gib");
}

/* The digits of a memory size as "80gb", whose unit may be the word after it; 0 if it is none. */
static size_t
memory_size(Word word, const char **at)
{
	size_t		digits = leading_digits(word);
	const char *after = *at;
	Word		unit = {word.text + digits, word.len - digits};

	if (digits == 0)
		return 0;
	if (unit.len > 0)
		return is_gigabytes(unit) ? digits : 0;
	if (!next_word(&after, &unit) || !is_gigabytes(unit))
		return 0;
	*at = after;
	return digits;
}

/* The first word after the maker's, which Tesla belongs to unless it is kept. */
static bool
skip_maker(const char **at, Word *word, const char **maker, bool keep_tesla)
{
	static const char *const makers[] = {"nvidia", "amd", "intel"};
	bool		more = next_word(at, word);

	*maker = NULL;
	for (size_t i = 0; more && !*maker && i < sizeof makers / sizeof *makers; i++)
		if (is_word(*word, makers[i]))
			*maker = makers[i];
	if (*maker)
		more = next_word(at, word) && (!is_word(*word, "corporation") || next_word(at, word));
	if (more && is_word(*word, "tesla") && (!*maker || *maker == makers[0]))
	{
		*maker = makers[0];
		if (!keep_tesla)
			more = next_word(at, word);
	}
	return more;
}

/* Who makes the card, as its name says in front, in lower case; NULL if it does not say. */
const char *
gpu_maker(const char *folded)
{
	const char *maker;
	Word		word;

	skip_maker(&folded, &word, &maker, false);
	return maker;
}

/* "1g.5gb", or "1g" before "5gb" */
static bool
is_mig_slice(Word word, const char *after)
{
	Word		next;

	if (word.len < 2 || !is_digit(word.text[0]) || word.text[1] != 'g')
		return false;
	if (word.len > 3)
		return word.text[2] == '.' && is_digit(word.text[3]);
	return word.len == 2 && next_word(&after, &next) && leading_digits(next) > 0 &&
		is_gigabytes((Word) {next.text + leading_digits(next), next.len - leading_digits(next)});
}

/* "8q", "48a", "2b4", "5cme": the memory of a vGPU, and what it is for */
static bool
is_vgpu_profile(Word word)
{
	size_t		digits = leading_digits(word);
	Word		rest;

	if (digits == 0 || digits == word.len || !strchr("abcq", word.text[digits]))
		return false;
	rest = (Word) {word.text + digits + 1, word.len - digits - 1};
	return rest.len == 0 || is_word(rest, "4") || is_word(rest, "me");
}

/* Does the name say that it is less than a whole card? */
CardPart
gpu_part(const char *folded)
{
	const char *maker;
	Word		word;
	bool		first = true;

	for (bool more = skip_maker(&folded, &word, &maker, false); more; more = next_word(&folded, &word))
	{
		if ((word.len >= 3 && memcmp(word.text, "mig", 3) == 0 && (word.len == 3 || is_digit(word.text[3]))) || is_mig_slice(word, folded))
			return CARD_MIG;
		if (is_word(word, "grid") || is_word(word, "vgpu") || (!first && is_vgpu_profile(word)))
			return CARD_VGPU;
		if (is_word(word, "shared"))
			return CARD_SHARED;
		first = false;
	}
	return CARD_WHOLE;
}

/*
 * What is left of a GPU's name without its maker and what parts its words, and
 * with one spelling of gigabytes. Where two numbers would become one they stay
 * apart: "A10 0" is no A100. Returns the length, and 0 if nothing is left or
 * the name stands for a part of a card; key holds GPU_KEY_SIZE.
 */
size_t
gpu_key(const char *folded, bool keep_tesla, char *key)
{
	const char *maker;
	const char *at = folded;
	size_t		n = 0;
	Word		word;

	if (gpu_part(folded) == CARD_WHOLE)
		for (bool more = skip_maker(&at, &word, &maker, keep_tesla); more; more = next_word(&at, &word))
		{
			size_t		digits = memory_size(word, &at);
			size_t		copied = digits > 0 ? digits : word.len;

			if (n > 0 && is_digit(key[n - 1]) && is_digit(word.text[0]))
				key[n++] = ' ';
			memcpy(key + n, word.text, copied);
			n += copied;
			if (digits > 0)
			{
				memcpy(key + n, "gb", 2);
				n += 2;
			}
		}
	key[n] = '\0';
	return n;
}

/* Is the key what the name says from one of its words on, whatever it says after that? */
bool
gpu_may_be(const char *folded, const char *key)
{
	size_t		len = strlen(key);
	Word		word;

	while (next_word(&folded, &word))
	{
		char		rest[GPU_KEY_SIZE];

		gpu_key(word.text, false, rest);
		if (len > 0 && strncmp(rest, key, len) == 0 && !(is_digit(key[len - 1]) && is_digit(rest[len])))
			return true;
	}
	return false;
}

static const char *
last_of(const char *text, const char *set)
{
	const char *last = NULL;

	for (const char *p = text; *p; p++)
		if (strchr(set, *p))
			last = p;
	return last;
}

/*
 * The weights that the last part of a name's tag says, as in
 * "llama3.1:8b-instruct-q4_k_m", and the length of what is before it.
 */
TagWeights
llm_tag_weights(const char *folded, size_t *stem_len)
{
	static const char *const sixteen[] = {"fp16", "f16", "bf16"};
	const char *tag = strchr(folded, ':');
	const char *last = tag ? last_of(tag, ":-") : NULL;
	const char *end;

	if (!last || last == folded)
		return TAG_SAYS_NOTHING;
	*stem_len = (size_t) (last - folded);
	last++;
	for (size_t i = 0; i < sizeof sixteen / sizeof *sixteen; i++)
		if (strcmp(last, sixteen[i]) == 0)
			return TAG_16_BIT;
	if (strcmp(last, "mxfp4") == 0)
		return TAG_MXFP4;
	last += *last == 'i';
	if (last[0] != 'q' || !is_digit(last[1]) || (last[2] && last[2] != '_'))
		return TAG_SAYS_NOTHING;
	for (end = last + 2; *end; end++)
		if (*end != '_' && !is_digit(*end) && !(*end >= 'a' && *end <= 'z'))
			return TAG_SAYS_NOTHING;
	return last[1] == '4' ? TAG_4_BIT : last[1] == '8' ? TAG_8_BIT : TAG_OTHER;
}

/* The name behind the organisation in "org/name"; NULL if the name is not of that form. */
const char *
llm_base_name(const char *folded)
{
	const char *slash = strchr(folded, '/');

	return slash && slash > folded && slash[1] && !strchr(slash + 1, '/') ? slash + 1 : NULL;
}
