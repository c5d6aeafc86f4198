#include <string.h>

#include "names.h"
#include "tap.h"

static char folded[NAME_MAX_BYTES + 1];

static const char *
fold(const char *name)
{
	name_fold(name, strlen(name), folded);
	return folded;
}

int
main(void)
{
	char		long_name[NAME_MAX_BYTES + 2];

	ok(strcmp(fold(" \t NVIDIA A30\r\n"), "nvidia a30") == 0, "surrounding blanks and case go");
	ok(strcmp(fold("phi-4"), "phi-4") == 0 && strcmp(fold("phi4"), "phi4") == 0, "punctuation stays");
	ok(strcmp(fold("\xc3\x84"), "\xc3\x84") == 0, "other scripts stay as they are");
	ok(name_fold("", 0, folded) == 0 && name_fold("   ", 3, folded) == 0, "nothing is no name");
	memset(long_name, 'a', sizeof long_name);
	ok(name_fold(long_name, NAME_MAX_BYTES, folded) == NAME_MAX_BYTES, "the longest name fits");
	ok(name_fold(long_name, NAME_MAX_BYTES + 1, folded) == 0 && folded[0] == '\0', "a longer one is none");

	/* "cat" gives "  c", " ca", "cat", "at "; "cats" shares the first three of its five: 3 of 4 + 5 - 3 */
	ok(close_to(name_similarity("cat", "cats"), 0.5, 1e-12), "cat and cats share 3 of 6 trigrams");
	ok(name_similarity("cat", "cat") == 1, "a name is as close to itself as can be");
	ok(name_similarity("cat", "dog") == 0, "cat and dog share nothing");
	ok(name_similarity("", "") == 0, "no name is close to none");
	ok(name_similarity("cat dog", "dog-cat") == 1, "words count, their order and what parts them do not");
	ok(name_similarity("nvidia a100-smx4-40gb", "nvidia a100-sxm4-40gb") >
	   name_similarity("nvidia a100-smx4-40gb", "nvidia a100-pcie-40gb"), "swapped letters find the right card");
	return done_testing();
}
