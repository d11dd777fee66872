/* vector.h - the host's vectors as types: as many dwords as a register of this core variant holds.
 *
 * For the few loops that compilers do not vectorise well by themselves. C's operators work on the
 * types; operations for which C has no operator (fused multiply-add, lane masks) are functions
 * here. Part of the core. */
#ifndef SOFTGPU_EXEC_VECTOR_H
#define SOFTGPU_EXEC_VECTOR_H

#include "softgpu/exec/fpu.h"
#include "softgpu/exec/wave.h"

/* The base core has only what is in emmintrin.h: immintrin.h, with the functions of every processor
 * since, takes half a second to read. */
#ifdef __AVX2__
#include <immintrin.h>
#else
#include <emmintrin.h>
#endif

#if defined(__AVX512F__)
#define ISA_VEC_BYTES 64
#elif defined(__AVX2__) && defined(__FMA__)
#define ISA_VEC_BYTES 32
#else
#define ISA_VEC_BYTES 16
#endif

enum { ISA_VEC = ISA_VEC_BYTES / 4 };

typedef uint32_t isa_vec_t __attribute__((vector_size(ISA_VEC_BYTES)));
typedef int32_t isa_vec_i32_t __attribute__((vector_size(ISA_VEC_BYTES)));
typedef int16_t isa_vec_i16_t __attribute__((vector_size(ISA_VEC_BYTES)));
typedef uint16_t isa_vec_u16_t __attribute__((vector_size(ISA_VEC_BYTES)));
typedef float isa_vec_f32_t __attribute__((vector_size(ISA_VEC_BYTES)));

#define ISA_VECTOR static inline __attribute__((always_inline))

#ifdef __clang__
#define ISA_UNROLL _Pragma("clang loop unroll(full)")
#else
#define ISA_UNROLL _Pragma("GCC unroll 16")
#endif

ISA_VECTOR isa_vec_t isa_vec_load(const uint32_t *p)
{
    isa_vec_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

ISA_VECTOR void isa_vec_store(uint32_t *p, isa_vec_t v)
{
    memcpy(p, &v, sizeof v);
}

ISA_VECTOR isa_vec_t isa_vec_all(uint32_t x)
{
    return x - (isa_vec_t){0};
}

/* a where the mask, the result of a comparison (all ones or 0), is set, else b. */
ISA_VECTOR isa_vec_t isa_vec_pick(isa_vec_i32_t mask, isa_vec_t a, isa_vec_t b)
{
    return ((isa_vec_t)mask & a) | (~(isa_vec_t)mask & b);
}

/* In the translator's library (chunk.h), sets of lanes are made from vectors, and vectors from
 * sets, as clang's vectors of truth values. With these functions the compiler keeps a comparison's
 * result in a vector, although the handler makes bits of it and selects by those bits.
 * _mm256_movemask_ps() hides from the compiler where the bits come from. */
#if ISA_VEC_BYTES == 32 && defined(ISA_CHUNK)
#define ISA_VEC_SETS
typedef bool isa_vec_set_t __attribute__((ext_vector_type(ISA_VEC)));
_Static_assert(sizeof(isa_vec_set_t) == sizeof(uint8_t), "a set of lanes is a byte");
#endif

/* a where the element's bit is set, else b. `bits` may have more bits than there are elements. */
ISA_VECTOR isa_vec_t isa_vec_lanes(uint32_t bits, isa_vec_t a, isa_vec_t b)
{
#if ISA_VEC_BYTES == 64
    return (isa_vec_t)_mm512_mask_blend_epi32((__mmask16)bits, (__m512i)b, (__m512i)a);
#elif defined(ISA_VEC_SETS)
    const uint8_t byte = (uint8_t)bits;
    isa_vec_set_t set;
    memcpy(&set, &byte, sizeof set);
    return isa_vec_pick(-__builtin_convertvector(set, isa_vec_i32_t), a, b);
#elif ISA_VEC_BYTES == 32
    const isa_vec_t bit = {1, 2, 4, 8, 16, 32, 64, 128};
    return isa_vec_pick((isa_vec_all(bits) & bit) == bit, a, b);
#else
    const isa_vec_t bit = {1, 2, 4, 8};
    return isa_vec_pick((isa_vec_all(bits) & bit) == bit, a, b);
#endif
}

/* The larger of two unsigned elements. */
ISA_VECTOR isa_vec_t isa_vec_max(isa_vec_t x, isa_vec_t y)
{
#if ISA_VEC_BYTES == 64
    return (isa_vec_t)_mm512_max_epu32((__m512i)x, (__m512i)y);
#elif ISA_VEC_BYTES == 32
    return (isa_vec_t)_mm256_max_epu32((__m256i)x, (__m256i)y);
#else
    return isa_vec_pick(x > y, x, y);
#endif
}

/* Shifts by as many places as the other's element says: the result is 0 for 32 places or more. */
ISA_VECTOR isa_vec_t isa_vec_left(isa_vec_t x, isa_vec_t places)
{
#if ISA_VEC_BYTES == 64
    return (isa_vec_t)_mm512_sllv_epi32((__m512i)x, (__m512i)places);
#elif ISA_VEC_BYTES == 32
    return (isa_vec_t)_mm256_sllv_epi32((__m256i)x, (__m256i)places);
#else
    return isa_vec_pick(places < 32, x << (places & 31), isa_vec_all(0));
#endif
}

ISA_VECTOR isa_vec_t isa_vec_right(isa_vec_t x, isa_vec_t places)
{
#if ISA_VEC_BYTES == 64
    return (isa_vec_t)_mm512_srlv_epi32((__m512i)x, (__m512i)places);
#elif ISA_VEC_BYTES == 32
    return (isa_vec_t)_mm256_srlv_epi32((__m256i)x, (__m256i)places);
#else
    return isa_vec_pick(places < 32, x >> (places & 31), isa_vec_all(0));
#endif
}

/* 0, 1, 2... times `step`. */
ISA_VECTOR isa_vec_t isa_vec_count(uint32_t step)
{
#if ISA_VEC_BYTES == 64
    return (isa_vec_t){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15} * step;
#elif ISA_VEC_BYTES == 32
    return (isa_vec_t){0, 1, 2, 3, 4, 5, 6, 7} * step;
#else
    return (isa_vec_t){0, 1, 2, 3} * step;
#endif
}

/* Bit n is the top bit of element n. */
ISA_VECTOR uint32_t isa_vec_signs(isa_vec_t x)
{
#if ISA_VEC_BYTES == 64
    return _mm512_movepi32_mask((__m512i)x);
#elif defined(ISA_VEC_SETS)
    const isa_vec_set_t set = __builtin_convertvector((isa_vec_i32_t)x < 0, isa_vec_set_t);
    uint8_t byte;
    memcpy(&byte, &set, sizeof byte);
    return byte;
#elif ISA_VEC_BYTES == 32
    return (uint32_t)_mm256_movemask_ps((__m256)x);
#else
    return (uint32_t)_mm_movemask_ps((__m128)x);
#endif
}

/* Makes a lane mask from a row, aligned to 64 bytes: of the lanes whose dwords are negative.
 * Inline, so that the row is still in the host's registers, or was stored by vectors of the size
 * that is loaded here. */
ISA_VECTOR uint64_t isa_vec_mask(const uint32_t *row)
{
    uint64_t mask = 0;
    for (unsigned l = 0; l < ISA_LANES; l += ISA_VEC)
        mask |= (uint64_t)isa_vec_signs(isa_vec_load(row + l)) << l;
    return mask;
}

/* Makes a row from a lane mask: x in lanes of the mask, 0 in others. */
ISA_VECTOR void isa_vec_expand(uint32_t *row, uint64_t mask, uint32_t x)
{
    ISA_UNROLL for (unsigned l = 0; l < ISA_LANES; l += ISA_VEC) isa_vec_store(
        row + l, isa_vec_lanes((uint32_t)(mask >> l), isa_vec_all(x), isa_vec_all(0)));
}

/* Bit n is set if element n of x is greater than that of y; unsigned. */
ISA_VECTOR uint32_t isa_vec_above(isa_vec_t x, isa_vec_t y)
{
#if ISA_VEC_BYTES == 64
    return _mm512_cmpgt_epu32_mask((__m512i)x, (__m512i)y);
#else
    return isa_vec_signs((isa_vec_t)(x > y));
#endif
}

/* Not 0 if an element of x or y is a NaN. The order of the bits depends on the host. */
ISA_VECTOR uint32_t isa_vec_unordered(isa_vec_t x, isa_vec_t y)
{
#if ISA_VEC_BYTES == 64
    return _mm512_cmp_ps_mask((__m512)x, (__m512)y, _CMP_UNORD_Q);
#elif ISA_VEC_BYTES == 32
    return (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps((__m256)x, (__m256)y, _CMP_UNORD_Q));
#else
    return (uint32_t)_mm_movemask_ps(_mm_cmpunord_ps((__m128)x, (__m128)y));
#endif
}

/* Multiplies signed words and adds up the two products in each dword. */
ISA_VECTOR isa_vec_t isa_vec_dot16(isa_vec_i16_t x, isa_vec_i16_t y)
{
#if ISA_VEC_BYTES == 64
    return (isa_vec_t)_mm512_madd_epi16((__m512i)x, (__m512i)y);
#elif ISA_VEC_BYTES == 32
    return (isa_vec_t)_mm256_madd_epi16((__m256i)x, (__m256i)y);
#else
    return (isa_vec_t)_mm_madd_epi16((__m128i)x, (__m128i)y);
#endif
}

/* x * y + z in single precision, rounded once. */
ISA_VECTOR isa_vec_t isa_vec_fma(isa_vec_t x, isa_vec_t y, isa_vec_t z)
{
#if ISA_VEC_BYTES == 64
    return (isa_vec_t)_mm512_fmadd_ps((__m512)x, (__m512)y, (__m512)z);
#elif ISA_VEC_BYTES == 32
    return (isa_vec_t)_mm256_fmadd_ps((__m256)x, (__m256)y, (__m256)z);
#else
    isa_vec_f32_t a = (isa_vec_f32_t)x, b = (isa_vec_f32_t)y, c = (isa_vec_f32_t)z;
    for (int k = 0; k < ISA_VEC; k++)
        c[k] = __builtin_fmaf(a[k], b[k], c[k]);
    return (isa_vec_t)c;
#endif
}

/* x * y + z where the product is exact: then a host without fused instructions gets the same result
 * by two operations. */
ISA_VECTOR isa_vec_t isa_vec_fma_exact(isa_vec_t x, isa_vec_t y, isa_vec_t z)
{
#if ISA_VEC_BYTES == 16
    return (isa_vec_t)((isa_vec_f32_t)x * (isa_vec_f32_t)y + (isa_vec_f32_t)z);
#else
    return isa_vec_fma(x, y, z);
#endif
}

/* ---- doubles: low dwords in one row, high dwords in another ----
 *
 * Two vectors of dwords make two vectors of doubles. The doubles are in the order that is cheapest
 * for the host. All pairs have the same order, so that operations on elements do not depend on it,
 * and isa_vec_part() restores the order of the dwords. */

typedef double isa_vec_f64_t __attribute__((vector_size(ISA_VEC_BYTES)));
typedef int64_t isa_vec_i64_t __attribute__((vector_size(ISA_VEC_BYTES)));

typedef struct {
    isa_vec_f64_t x[2];
} isa_vec_pair_t;

ISA_VECTOR isa_vec_pair_t isa_vec_join(isa_vec_t low, isa_vec_t high)
{
#if ISA_VEC_BYTES == 64
    return (isa_vec_pair_t){{(isa_vec_f64_t)_mm512_unpacklo_epi32((__m512i)low, (__m512i)high),
                             (isa_vec_f64_t)_mm512_unpackhi_epi32((__m512i)low, (__m512i)high)}};
#elif ISA_VEC_BYTES == 32
    return (isa_vec_pair_t){{(isa_vec_f64_t)_mm256_unpacklo_epi32((__m256i)low, (__m256i)high),
                             (isa_vec_f64_t)_mm256_unpackhi_epi32((__m256i)low, (__m256i)high)}};
#else
    return (isa_vec_pair_t){{(isa_vec_f64_t)_mm_unpacklo_epi32((__m128i)low, (__m128i)high),
                             (isa_vec_f64_t)_mm_unpackhi_epi32((__m128i)low, (__m128i)high)}};
#endif
}

/* Low (0) or high (1) dwords of a pair. */
ISA_VECTOR isa_vec_t isa_vec_part(isa_vec_pair_t p, const int high)
{
#if ISA_VEC_BYTES == 64
    return (isa_vec_t)(high ? _mm512_shuffle_ps((__m512)p.x[0], (__m512)p.x[1], 0xdd)
                            : _mm512_shuffle_ps((__m512)p.x[0], (__m512)p.x[1], 0x88));
#elif ISA_VEC_BYTES == 32
    return (isa_vec_t)(high ? _mm256_shuffle_ps((__m256)p.x[0], (__m256)p.x[1], 0xdd)
                            : _mm256_shuffle_ps((__m256)p.x[0], (__m256)p.x[1], 0x88));
#else
    return (isa_vec_t)(high ? _mm_shuffle_ps((__m128)p.x[0], (__m128)p.x[1], 0xdd)
                            : _mm_shuffle_ps((__m128)p.x[0], (__m128)p.x[1], 0x88));
#endif
}

/* x * y + z in double precision, rounded once. */
ISA_VECTOR isa_vec_f64_t isa_vec_fma64(isa_vec_f64_t x, isa_vec_f64_t y, isa_vec_f64_t z)
{
#if ISA_VEC_BYTES == 64
    return (isa_vec_f64_t)_mm512_fmadd_pd((__m512d)x, (__m512d)y, (__m512d)z);
#elif ISA_VEC_BYTES == 32
    return (isa_vec_f64_t)_mm256_fmadd_pd((__m256d)x, (__m256d)y, (__m256d)z);
#else
    for (int k = 0; k < ISA_VEC / 2; k++)
        z[k] = __builtin_fma(x[k], y[k], z[k]);
    return z;
#endif
}

/* As isa_vec_unordered(), for doubles. */
ISA_VECTOR uint32_t isa_vec_unordered64(isa_vec_f64_t x, isa_vec_f64_t y)
{
#if ISA_VEC_BYTES == 64
    return _mm512_cmp_pd_mask((__m512d)x, (__m512d)y, _CMP_UNORD_Q);
#elif ISA_VEC_BYTES == 32
    return (uint32_t)_mm256_movemask_pd(_mm256_cmp_pd((__m256d)x, (__m256d)y, _CMP_UNORD_Q));
#else
    return (uint32_t)_mm_movemask_pd(_mm_cmpunord_pd((__m128d)x, (__m128d)y));
#endif
}

/* Whether any bit is set. */
ISA_VECTOR bool isa_vec_any(isa_vec_t x)
{
#if ISA_VEC_BYTES == 64
    return _mm512_test_epi32_mask((__m512i)x, (__m512i)x) != 0;
#elif ISA_VEC_BYTES == 32
    return !_mm256_testz_si256((__m256i)x, (__m256i)x);
#else
    return _mm_movemask_epi8(_mm_cmpeq_epi8((__m128i)x, _mm_setzero_si128())) != 0xffff;
#endif
}

/* The dwords of a row that the indices (modulo the number of lanes) select. */
ISA_VECTOR isa_vec_t isa_vec_permute(const uint32_t *row, isa_vec_t index)
{
#if ISA_VEC_BYTES == 64
    const __m512i i = (__m512i)index;
    const __m512i low =
        _mm512_permutex2var_epi32(_mm512_loadu_si512(row), i, _mm512_loadu_si512(row + 16));
    if (ISA_LANES == 32) return (isa_vec_t)low;
    const __m512i high =
        _mm512_permutex2var_epi32(_mm512_loadu_si512(row + 32), i, _mm512_loadu_si512(row + 48));
    return (isa_vec_t)_mm512_mask_blend_epi32(_mm512_test_epi32_mask(i, _mm512_set1_epi32(32)), low,
                                              high);
#else
    for (int k = 0; k < ISA_VEC; k++)
        index[k] = row[index[k] & (ISA_LANES - 1)];
    return index;
#endif
}

/* Converts halves, in the low 16 bits of each dword with 0 above, to single precision, as
 * fpu_f16_to_f32() does. */
ISA_VECTOR isa_vec_t isa_vec_from_half(isa_vec_t x)
{
#if ISA_VEC_BYTES == 64
    return (isa_vec_t)_mm512_cvtph_ps(_mm512_cvtepi32_epi16((__m512i)x));
#elif ISA_VEC_BYTES == 32 && defined(__F16C__)
    const __m256i y = (__m256i)x;
    return (isa_vec_t)_mm256_cvtph_ps(
        _mm_packus_epi32(_mm256_castsi256_si128(y), _mm256_extracti128_si256(y, 1)));
#else
    for (int k = 0; k < ISA_VEC; k++)
        x[k] = fpu_f16_to_f32(x[k]);
    return x;
#endif
}

#endif
