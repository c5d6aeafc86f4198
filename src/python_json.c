/*
 * JSON as Python writes it: Infinity, -Infinity and NaN stand where a number may.
 */
#include "wattgpu.h"

#include <ctype.h>

#include "fmgr.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"

/* A config is some kilobytes; what is far longer is something else. */
#define MAX_JSON_BYTES 1048576

static bool
in_word(char c)
{
	return isalnum((unsigned char) c) || c == '_' || c == '.' || c == '-' || c == '+' || IS_HIGHBIT_SET(c);
}

/* Bytes of the token that Python writes and JSON lacks, if there is one at s. */
static size_t
python_token(const char *s, const char *end)
{
	static const char *const tokens[] = {"-Infinity", "Infinity", "NaN"};

	for (size_t i = 0; i < lengthof(tokens); i++)
	{
		size_t		length = strlen(tokens[i]);

		if ((size_t) (end - s) >= length && memcmp(s, tokens[i], length) == 0 && (s + length == end || !in_word(s[length])))
			return length;
	}
	return 0;
}

/* The parser says where it stopped; whose text it is and what it should be is said here. */
static void
say_whose(void *llm)
{
	if (geterrcode() != ERRCODE_INVALID_TEXT_REPRESENTATION)
		return;
	errcode(ERRCODE_INVALID_PARAMETER_VALUE);
	if (llm)
		errmsg("config of \"%s\" is not JSON", (const char *) llm);
	else
		errmsg("config is not JSON");
	errhint("Give the content of the checkpoint's config.json.");
}

PG_FUNCTION_INFO_V1(wattgpu_python_json);

/* json, llm (NULL: not known) */
Datum
wattgpu_python_json(PG_FUNCTION_ARGS)
{
	text	   *json;
	const char *s;
	const char *end;
	bool		in_string = false;
	bool		after_word = false;
	StringInfoData strict;
	ErrorContextCallback whose = {.previous = error_context_stack, .callback = say_whose};
	Datum		parsed;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	json = PG_GETARG_TEXT_PP(0);
	s = VARDATA_ANY(json);
	end = s + VARSIZE_ANY_EXHDR(json);
	if (end - s > MAX_JSON_BYTES)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("JSON document of %zd bytes is longer than 1 MB", (ssize_t) (end - s)),
				 errhint("A model's config.json has some kilobytes.")));

	initStringInfo(&strict);
	while (s < end)
	{
		size_t		token = in_string || after_word ? 0 : python_token(s, end);

		if (token > 0)
		{
			appendStringInfoString(&strict, "null");
			s += token;
			continue;
		}
		if (in_string && *s == '\\' && s + 1 < end)
			appendStringInfoCharMacro(&strict, *s++);
		else if (*s == '"')
			in_string = !in_string;
		after_word = in_word(*s);
		appendStringInfoCharMacro(&strict, *s++);
	}
	if (!PG_ARGISNULL(1))
		whose.arg = text_to_cstring(PG_GETARG_TEXT_PP(1));
	error_context_stack = &whose;
	parsed = DirectFunctionCall1(jsonb_in, CStringGetDatum(strict.data));
	error_context_stack = whose.previous;
	PG_RETURN_DATUM(parsed);
}
