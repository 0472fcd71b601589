/*
 * What random-io writes. Each aligned 8-byte word of a file is made of the place where it belongs and of the operation
 * that wrote it:
 *
 *   bits 0-19   offset / 8        bits 44-50  number of the file
 *   bits 20-43  operation         bits 51-63  a hash of the other bits and the seed
 *
 * so that a word that turns up elsewhere, or that should have been overwritten, tells where it comes from.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "choices.h"

enum { WORD_FILES = 128, WORD_HASH_SHIFT = 51 };

static inline uint64_t word_hash(uint64_t low, uint64_t seed)
{
    return mix(low ^ seed) << WORD_HASH_SHIFT;
}

/* Writes what belongs at [offset, offset + length) of a file to `to`. */
static inline void fill_words(unsigned char *to, uint64_t seed, unsigned file, uint64_t operation, size_t offset,
                              size_t length)
{
    uint64_t same = (operation & 0xffffff) << 20 | (uint64_t)file << 44;
    while (length > 0) {
        uint64_t low = same | (offset / 8 & 0xfffff), word = low | word_hash(low, seed);
        size_t skip = offset % 8, n = 8 - skip < length ? 8 - skip : length;
        memcpy(to, (unsigned char *)&word + skip, n);
        to += n;
        offset += n;
        length -= n;
    }
}

/* Prints what the 8 bytes at p are. */
static inline void print_word(const unsigned char *p, uint64_t seed)
{
    uint64_t word, low;
    memcpy(&word, p, sizeof word);
    low = word & ((UINT64_C(1) << WORD_HASH_SHIFT) - 1);
    if (word == 0)
        printf("zeros\n");
    else if (word == (low | word_hash(low, seed)))
        printf("file %u, offset %u, written by operation %u\n", (unsigned)(low >> 44), (unsigned)(low & 0xfffff) * 8,
               (unsigned)(low >> 20 & 0xffffff));
    else
        printf("not a word that was written\n");
}
