/*
 * Random choices: numbers (splitmix64), lengths and offsets that like the places where something ends, a page, an inline
 * threshold, a transfer.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    PAGE = 4096,
    LENGTH_LIMIT = (1 << 20) + PAGE /* bytes; the longest read or write */
};

static uint64_t random_state;

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* A number below bound (splitmix64). */
static size_t below(size_t bound)
{
    random_state += UINT64_C(0x9e3779b97f4a7c15);
    return mix(random_state) % bound;
}

static bool one_in(unsigned n)
{
    return below(n) == 0;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* A length of at least 1: often at a boundary that a page, an inline threshold or a transfer size makes. */
static size_t pick_length(size_t limit)
{
    static const size_t edges[] = {1,    2,    3,     4,     5,     8,      100,    1024,   3584,     3968,
                                   4096, 8192, 16384, 65536, 65536, 131072, 262144, 524288, 1 << 20, 1 << 20};
    size_t length;
    if (one_in(2)) {
        length = edges[below(sizeof edges / sizeof *edges)] + below(9);
        length = length > 4 ? length - 4 : length;
    } else {
        length = 1 + below(one_in(8) ? LENGTH_LIMIT : one_in(2) ? 65536 : 8192);
    }
    return least(length, least(limit, LENGTH_LIMIT));
}

static size_t pick_offset(size_t limit)
{
    size_t offset = below(limit);
    if (one_in(2))
        offset = offset / PAGE * PAGE;
    if (one_in(4))
        offset = least(offset + below(7), limit - 1);
    return offset;
}
