/* image_places.h - whether each texel of an image in blocks has a place of its own.
 *
 * Included by mem_image_later.c and mem_image_gfx12.c behind their benches, which have IMAGE_VA. */
#ifndef TESTS_ISA_IMAGE_PLACES_H
#define TESTS_ISA_IMAGE_PLACES_H

enum { PLACES_MOST = 64 << 20 }; /* bytes of an image in whole blocks */

/* No two texels of an image may be at one place, and none outside it. `most`: bytes in whole
 * blocks. */
static inline void no_texel_twice(const isa_image_t *m, const unsigned size[3], uint8_t *taken,
                                  uint64_t most, const char *what)
{
    isa_level_t level;
    isa_image_level(m, 0, &level);
    memset(taken, 0, most);
    for (uint32_t z = 0; z < size[2]; z++)
        for (uint32_t y = 0; y < size[1]; y++)
            for (uint32_t x = 0; x < size[0]; x++) {
                const uint64_t at = isa_image_address(m, &level, (uint32_t[3]){x, y, z}) - IMAGE_VA;
                if (at >= most || taken[at] || at % m->format.bytes)
                    fail_msg("%s: texel %u %u %u is at %llu of %llu", what, x, y, z,
                             (unsigned long long)at, (unsigned long long)most);
                taken[at] = 1;
            }
}

static inline uint64_t blocks(unsigned size, unsigned log2)
{
    return (size + (UINT64_C(1) << log2) - 1) >> log2;
}

/* Of an image in blocks, whose elements have 2^e bytes. `taken` has PLACES_MOST bytes. */
static inline void places_are_own(const isa_image_t *m, const unsigned size[3], unsigned e,
                                  uint8_t *taken, const char *what)
{
    const isa_layout_of_t *y = &m->layout;
    assert_int_equal(y->dim_log2[0] + y->dim_log2[1] + y->dim_log2[2] + e, y->block_log2);
    const uint64_t n = blocks(size[0], y->dim_log2[0]) * blocks(size[1], y->dim_log2[1]) *
                       blocks(size[2], y->dim_log2[2]);
    assert_true(n << y->block_log2 <= PLACES_MOST);
    no_texel_twice(m, size, taken, n << y->block_log2, what);
}

#endif
