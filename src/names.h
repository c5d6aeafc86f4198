/*
 * How names are compared, and which ones are close to a name nobody knows.
 */
#ifndef WATTGPU_NAMES_H
#define WATTGPU_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Names longer than this are nobody's: they are not looked up. */
#define NAME_MAX_BYTES 256

extern void name_trim(const char **name, size_t *len);
extern size_t name_fold(const char *name, size_t len, char *folded);
extern int	name_compare(const void *a, const void *b);

/* A word has one trigram more than letters, and parts of a byte beside it. A trigram is its three bytes in an integer. */
#define NAME_MAX_GRAMS (NAME_MAX_BYTES + 1)

extern size_t name_grams(const char *folded, uint32_t *grams);

/* Holds the key of a name: "80g" may grow to "80gb", once more often than a separator goes. */
#define GPU_KEY_SIZE (NAME_MAX_BYTES + 3)

/* What of a card a name stands for. */
typedef enum CardPart
{
	CARD_WHOLE,
	CARD_MIG,
	CARD_VGPU,
	CARD_SHARED
} CardPart;

extern CardPart gpu_part(const char *folded);
extern const char *gpu_maker(const char *folded);
extern size_t gpu_key(const char *folded, bool keep_tesla, char *key);
extern bool gpu_may_be(const char *folded, const char *key);

/* What weights a tag of Ollama says. */
typedef enum TagWeights
{
	TAG_SAYS_NOTHING,
	TAG_4_BIT,
	TAG_8_BIT,
	TAG_16_BIT,
	TAG_MXFP4,
	TAG_OTHER
} TagWeights;

extern TagWeights llm_tag_weights(const char *folded, size_t *stem_len);
extern const char *llm_base_name(const char *folded);

#endif
