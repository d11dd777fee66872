/* vector.h - the host's vectors as types: as many dwords as a register of this core variant holds.
 *
 * For the few loops whose shape a compiler does not find by itself. Arithmetic on the types is C's
 * own; what C cannot say (fused multiply-add, lane masks) is a function here. Part of the core. */
#ifndef SOFTGPU_ISA_VECTOR_H
#define SOFTGPU_ISA_VECTOR_H

#include "softgpu/isa/fpu.h"

#include <immintrin.h>

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

/* Comparisons give all ones or 0: picks a where the mask is set, else b. */
ISA_VECTOR isa_vec_t isa_vec_pick(isa_vec_i32_t mask, isa_vec_t a, isa_vec_t b)
{
    return ((isa_vec_t)mask & a) | (~(isa_vec_t)mask & b);
}

/* The top bit of every element. */
ISA_VECTOR uint32_t isa_vec_signs(isa_vec_t x)
{
#if ISA_VEC_BYTES == 64
    return _mm512_movepi32_mask((__m512i)x);
#elif ISA_VEC_BYTES == 32
    return (uint32_t)_mm256_movemask_ps((__m256)x);
#else
    return (uint32_t)_mm_movemask_ps((__m128)x);
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

/* The same where the product is exact: hosts without the instruction need none. */
ISA_VECTOR isa_vec_t isa_vec_fma_exact(isa_vec_t x, isa_vec_t y, isa_vec_t z)
{
#if ISA_VEC_BYTES == 16
    return (isa_vec_t)((isa_vec_f32_t)x * (isa_vec_f32_t)y + (isa_vec_f32_t)z);
#else
    return isa_vec_fma(x, y, z);
#endif
}

/* Halves in the low 16 bits of each dword, 0 above them, to single precision: as fpu_f16_to_f32. */
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
