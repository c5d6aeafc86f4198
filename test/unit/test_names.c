#include <string.h>

#include "names.h"
#include "tap.h"

static char folded[NAME_MAX_BYTES + 1];
static char key[GPU_KEY_SIZE];

static const char *
fold(const char *name)
{
	name_fold(name, strlen(name), folded);
	return folded;
}

static const char *
key_of(const char *name)
{
	gpu_key(fold(name), false, key);
	return key;
}

static int
same_key(const char *a, const char *b)
{
	char		other[GPU_KEY_SIZE];

	strcpy(other, key_of(a));
	return other[0] && strcmp(other, key_of(b)) == 0;
}

/* How many of the trigrams of one name the other one has. */
static size_t
shared_grams(const char *a, const char *b, size_t *num_a, size_t *num_b)
{
	uint32_t	grams_a[NAME_MAX_GRAMS];
	uint32_t	grams_b[NAME_MAX_GRAMS];
	size_t		shared = 0;

	*num_a = name_grams(a, grams_a);
	*num_b = name_grams(b, grams_b);
	for (size_t i = 0; i < *num_a; i++)
		for (size_t j = 0; j < *num_b; j++)
			shared += grams_a[i] == grams_b[j];
	return shared;
}

static void
test_folding(void)
{
	char		long_name[NAME_MAX_BYTES + 2];

	ok(strcmp(fold(" \t NVIDIA A30\r\n"), "nvidia a30") == 0, "surrounding blanks and case go");
	ok(strcmp(fold("phi-4"), "phi-4") == 0 && strcmp(fold("phi4"), "phi4") == 0, "punctuation stays");
	ok(strcmp(fold("\xc3\x84"), "\xc3\x84") == 0, "other scripts stay as they are");
	ok(name_fold("", 0, folded) == 0 && name_fold("   ", 3, folded) == 0, "nothing is no name");
	memset(long_name, 'a', sizeof long_name);
	ok(name_fold(long_name, NAME_MAX_BYTES, folded) == NAME_MAX_BYTES, "the longest name fits");
	ok(name_fold(long_name, NAME_MAX_BYTES + 1, folded) == 0 && folded[0] == '\0', "a longer one is none");
}

static void
test_trigrams(void)
{
	char		long_name[NAME_MAX_BYTES + 1];
	uint32_t	grams[NAME_MAX_GRAMS];
	size_t		a;
	size_t		b;

	/* "cat" gives "  c", " ca", "cat", "at "; "cats" shares the first three and adds "ats", "ts " */
	ok(shared_grams("cat", "cats", &a, &b) == 3 && a == 4 && b == 5, "cat and cats share 3 of 4 and 5 trigrams");
	ok(shared_grams("cat", "dog", &a, &b) == 0, "cat and dog share nothing");
	ok(name_grams("", grams) == 0 && name_grams("- /", grams) == 0, "no word has no trigram");
	ok(shared_grams("cat dog", "dog-cat", &a, &b) == 8 && a == 8 && b == 8, "words count, their order and what parts them do not");
	ok(name_grams("aaaaaa", grams) == 4, "each trigram counts once");
	ok(name_grams("a", grams) == 2 && grams[0] == ((uint32_t) ' ' << 16 | ' ' << 8 | 'a'), "a letter is two trigrams, blanks around it");
	ok(shared_grams("nvidia a100-smx4-40gb", "nvidia a100-sxm4-40gb", &a, &b) >
	   shared_grams("nvidia a100-smx4-40gb", "nvidia a100-pcie-40gb", &a, &b), "swapped letters find the right card");
	for (int i = 0; i < NAME_MAX_BYTES; i++)
		long_name[i] = "a "[i % 2];
	long_name[NAME_MAX_BYTES] = '\0';
	ok(name_grams(long_name, grams) == 2, "many words are no more than their trigrams");
	for (int i = 0; i < NAME_MAX_BYTES; i++)
		long_name[i] = (char) (0x80 + i * 37 % 128);
	for (int i = 128; i < NAME_MAX_BYTES; i++)
		long_name[i] = (char) (0x80 + i * 53 % 128);
	a = name_grams(long_name, grams);
	ok(a > 200 && a <= NAME_MAX_GRAMS, "the most trigrams fit");
	for (b = 1; b < a && grams[b - 1] < grams[b]; b++)
		;
	ok(b == a, "in ascending order");
}

static void
test_gpu_keys(void)
{
	char		long_name[NAME_MAX_BYTES + 1];

	ok(strcmp(key_of("NVIDIA A100-SXM4-80GB"), "a100sxm4 80gb") == 0, "maker, case and punctuation go, two numbers stay apart");
	ok(same_key("NVIDIA A100-SXM4-80GB", "a100_sxm4 80 GB") && same_key("A100 80G", "a100 80GiB") && same_key("A100 80 g", "a100/80gb"), "gigabytes have one spelling");
	ok(same_key("NVIDIA Corporation Tesla T4", "t4") && same_key("Tesla(TM) T4", "T4") && same_key("AMD MI300X", "mi-300x"), "makers' words go");
	ok(same_key("Intel(R) Data Center GPU Max 1550", "data-center gpu max1550") && same_key("NVIDIA\xc2\xae T4\xe2\x84\xa2", "T4"), "trade marks go");
	ok(same_key("RTX 4090", "rtx4090") && same_key("RTX 3090 Ti", "RTX3090TI") && same_key("RTX PRO 6000 Max-Q", "RTX PRO 6000 MaxQ"), "words run together");
	ok(!same_key("A10 0", "A100") && !same_key("L4-0", "L40") && !same_key("A100 40GB", "A10 040GB"), "numbers do not");
	ok(!same_key("A10", "A100") && !same_key("A10", "A10G") && !same_key("L40", "L40S") && !same_key("RTX 4090", "RTX 4090 D") &&
	   !same_key("A100 40GB", "A100 80GB") && !same_key("A100", "A100 40GB"), "other products have other keys");
	ok(strcmp(key_of("T4 G"), "t4g") == 0 && strcmp(key_of("A10G"), "a10g") == 0, "a G behind letters is no gigabyte");
	ok(!same_key("A100.", "A100") && !same_key("A100+", "A100") && !same_key("A30\x01", "A30") && !same_key("\"A30\"", "A30"), "other punctuation counts");
	ok(!*key_of("") && !*key_of("NVIDIA") && !*key_of("Tesla") && !*key_of("- / (R)"), "a maker is no card");
	ok(strcmp(key_of("Tesla NVIDIA T4"), "nvidiat4") == 0 && strcmp(key_of("AMD Tesla T4"), "teslat4") == 0, "only one maker's words go");
	gpu_key(fold("NVIDIA Tesla A100"), true, key);
	ok(strcmp(key, "teslaa100") == 0, "Tesla is kept where it counts");
	ok(strcmp(gpu_maker("nvidia t4"), "nvidia") == 0 && strcmp(gpu_maker("tesla t4"), "nvidia") == 0 && strcmp(gpu_maker("amd mi100"), "amd") == 0 &&
	   !gpu_maker("t4") && !gpu_maker("nvidiat4") && !gpu_maker(""), "the maker is the first word");
	for (int i = 0; i < NAME_MAX_BYTES; i++)
		long_name[i] = "5 1g "[i % 5];
	long_name[NAME_MAX_BYTES] = '\0';
	ok(gpu_key(long_name, false, key) <= GPU_KEY_SIZE - 1, "the longest key fits");
	memset(long_name, '8', NAME_MAX_BYTES);
	long_name[NAME_MAX_BYTES - 1] = 'g';
	ok(gpu_key(long_name, false, key) == NAME_MAX_BYTES + 1, "also where it grows");
}

static void
test_parts_of_cards(void)
{
	static const struct {const char *name; CardPart part;} cases[] = {
		{"NVIDIA-A100-SXM4-40GB-MIG-1g.5gb", CARD_MIG}, {"NVIDIA A100-SXM4-40GB MIG 3g.20gb", CARD_MIG}, {"A100 1g.5gb", CARD_MIG},
		{"A100 1g 5gb", CARD_MIG}, {"H100-1g.10gb+me", CARD_MIG}, {"mig-1g.5gb", CARD_MIG}, {"MIG1", CARD_MIG}, {"A100 (MIG)", CARD_MIG},
		{"A40-8Q", CARD_VGPU}, {"NVIDIA A40-48A", CARD_VGPU}, {"GRID A100-8C", CARD_VGPU}, {"NVIDIA GRID T4", CARD_VGPU},
		{"A100-1-5CME", CARD_VGPU}, {"T4-2B4", CARD_VGPU}, {"A16 vGPU", CARD_VGPU},
		{"Tesla-T4-SHARED", CARD_SHARED}, {"NVIDIA A30 shared", CARD_SHARED},
		{"NVIDIA A100-SXM4-40GB", CARD_WHOLE}, {"GH200 144G HBM3e", CARD_WHOLE}, {"A100-40g", CARD_WHOLE}, {"A100 80 GB PCIe", CARD_WHOLE},
		{"NVIDIA A10G", CARD_WHOLE}, {"NVIDIA B300 SXM6 AC", CARD_WHOLE}, {"Migo 5", CARD_WHOLE}, {"", CARD_WHOLE},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
	{
		ok(gpu_part(fold(cases[i].name)) == cases[i].part, "\"%s\" is %s", cases[i].name, cases[i].part == CARD_WHOLE ? "a whole card" : "a part of one");
		ok(cases[i].part == CARD_WHOLE || !*key_of(cases[i].name), "\"%s\" has a key only if it is whole", cases[i].name);
	}
}

static void
test_what_may_be_meant(void)
{
	ok(gpu_may_be("nvidia h100 nvl", "h100") && gpu_may_be("amd instinct mi300x", "mi300") && gpu_may_be("nvidia geforce rtx 4060 ti 16gb", "rtx4060ti"), "the name says it, and more");
	ok(!gpu_may_be("nvidia gh200 480gb", "h200") && !gpu_may_be("nvidia a100", "a10") && !gpu_may_be("nvidia a100", "") && !gpu_may_be("", "a100"), "within a word or a number it says something else");
}

static TagWeights
weights(const char *name, size_t *stem_len)
{
	*stem_len = 0;
	return llm_tag_weights(fold(name), stem_len);
}

static void
test_llm_names(void)
{
	size_t		len;

	ok(weights("llama3.1:8b-instruct-q4_K_M", &len) == TAG_4_BIT && len == strlen("llama3.1:8b-instruct"), "q4_K_M is 4 bits");
	ok(weights("x:7b-q4_0", &len) == TAG_4_BIT && weights("x:7b-iq4_xs", &len) == TAG_4_BIT && weights("x:7b-q8_0", &len) == TAG_8_BIT, "so is iq4_xs, and q8_0 is 8");
	ok(weights("x:7b-fp16", &len) == TAG_16_BIT && weights("x:7b-bf16", &len) == TAG_16_BIT && weights("x:7b-mxfp4", &len) == TAG_MXFP4, "16 bits and mxfp4");
	ok(weights("x:7b-q5_K_M", &len) == TAG_OTHER && weights("x:7b-q2_k", &len) == TAG_OTHER, "others");
	ok(weights("x:q4_0", &len) == TAG_4_BIT && len == 1, "the quantisation may be the whole tag");
	ok(weights("x:7b", &len) == TAG_SAYS_NOTHING && weights("x-q4_0", &len) == TAG_SAYS_NOTHING && weights("x:7b-q40", &len) == TAG_SAYS_NOTHING &&
	   weights("x:7b-q4_\xc3\xa4", &len) == TAG_SAYS_NOTHING && weights(":", &len) == TAG_SAYS_NOTHING && weights("", &len) == TAG_SAYS_NOTHING &&
	   weights(":q4_0", &len) == TAG_SAYS_NOTHING && weights("x:7b-", &len) == TAG_SAYS_NOTHING && weights("x:7b-q", &len) == TAG_SAYS_NOTHING, "what says nothing");
	ok(strcmp(llm_base_name("org/name"), "name") == 0 && !llm_base_name("name") && !llm_base_name("/name") && !llm_base_name("org/") &&
	   !llm_base_name("a/b/c") && !llm_base_name(""), "the name behind one organisation");
}

int
main(void)
{
	test_folding();
	test_trigrams();
	test_gpu_keys();
	test_parts_of_cards();
	test_what_may_be_meant();
	test_llm_names();
	return done_testing();
}
