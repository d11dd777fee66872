/* mem_quad.h - one lane's element in memory: aligned elements of 4, 8 and 16 bytes move whole.
 *
 * A file of its own because every path that moves dwords between memory and registers has to give
 * this guarantee: programs exchange values of these sizes between waves without locks. Part of the
 * core. */
#ifndef SOFTGPU_EXEC_MEM_QUAD_H
#define SOFTGPU_EXEC_MEM_QUAD_H

#include "softgpu/exec/mem.h"
#include "softgpu/exec/vector.h"

#define ISA_QUAD static inline __attribute__((always_inline)) ISA_NO_TSAN

/* x86-64 moves aligned 8 bytes in one access on every processor. Intel, AMD and Zhaoxin guarantee
 * the same for the aligned 16 bytes of an SSE or AVX move on processors that have AVX. The
 * instruction below allows any address; if the address is aligned, those processors treat it as the
 * aligned one. Older processors without AVX may move two halves: there a program can see half of an
 * element. Volatile: a compiler may neither split such a move nor join it with its neighbours. */
ISA_QUAD __m128i isa_quad_load(const uint8_t *p)
{
    return *(const volatile __m128i_u *)p;
}

ISA_QUAD void isa_quad_store(uint8_t *p, __m128i x)
{
    *(volatile __m128i_u *)p = x;
}

typedef volatile isa_u64_any_t isa_pair_t;
typedef volatile isa_u32_any_t isa_dword_t;

/* Move n dwords between p and lane l of n rows: four at once, else pairs, else single ones. */
ISA_QUAD void isa_lane_load(const uint8_t *p, isa_row_t *rows, size_t l, unsigned n)
{
    if (n == 4) {
        const __v4su x = (__v4su)isa_quad_load(p);
        for (unsigned k = 0; k < 4; k++)
            rows[k][l] = x[k];
        return;
    }
    for (unsigned k = 0; k + 1 < n; k += 2) {
        const uint64_t pair = *(const isa_pair_t *)(p + 4 * k);
        rows[k][l] = (uint32_t)pair;
        rows[k + 1][l] = (uint32_t)(pair >> 32);
    }
    if (n & 1) rows[n - 1][l] = *(const isa_dword_t *)(p + 4 * (n - 1));
}

ISA_QUAD void isa_lane_store(uint8_t *p, const isa_row_t *rows, size_t l, unsigned n)
{
    if (n == 4) {
        isa_quad_store(p, (__m128i)(__v4su){rows[0][l], rows[1][l], rows[2][l], rows[3][l]});
        return;
    }
    for (unsigned k = 0; k + 1 < n; k += 2)
        *(isa_pair_t *)(p + 4 * k) = rows[k][l] | (uint64_t)rows[k + 1][l] << 32;
    if (n & 1) *(isa_dword_t *)(p + 4 * (n - 1)) = rows[n - 1][l];
}

/* ---- elements of two dwords, side by side, all lanes ---- */

/* Each move is a whole register of the host: a processor that splits it does so between aligned
 * groups of 8 bytes, never within one. Volatile as above. */
typedef isa_vec_t isa_vec_any_t __attribute__((aligned(1), may_alias));

#if ISA_VEC_BYTES == 64
#define ISA_EVEN      0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
#define ISA_ODD       1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31
#define ISA_PAIR_LOW  0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define ISA_PAIR_HIGH 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#elif ISA_VEC_BYTES == 32
#define ISA_EVEN      0, 2, 4, 6, 8, 10, 12, 14
#define ISA_ODD       1, 3, 5, 7, 9, 11, 13, 15
#define ISA_PAIR_LOW  0, 8, 1, 9, 2, 10, 3, 11
#define ISA_PAIR_HIGH 4, 12, 5, 13, 6, 14, 7, 15
#else
#define ISA_EVEN      0, 2, 4, 6
#define ISA_ODD       1, 3, 5, 7
#define ISA_PAIR_LOW  0, 4, 1, 5
#define ISA_PAIR_HIGH 2, 6, 3, 7
#endif

ISA_QUAD void isa_pairs_to_rows(const uint8_t *p, isa_row_t *rows)
{
    const volatile isa_vec_any_t *v = (const volatile isa_vec_any_t *)p;
    for (unsigned l = 0; l < ISA_LANES; l += ISA_VEC, v += 2) {
        const isa_vec_t a = v[0], b = v[1];
        isa_vec_store(rows[0] + l, __builtin_shufflevector(a, b, ISA_EVEN));
        isa_vec_store(rows[1] + l, __builtin_shufflevector(a, b, ISA_ODD));
    }
}

ISA_QUAD void isa_pairs_from_rows(uint8_t *p, const isa_row_t *rows)
{
    volatile isa_vec_any_t *v = (volatile isa_vec_any_t *)p;
    for (unsigned l = 0; l < ISA_LANES; l += ISA_VEC, v += 2) {
        const isa_vec_t a = isa_vec_load(rows[0] + l), b = isa_vec_load(rows[1] + l);
        v[0] = __builtin_shufflevector(a, b, ISA_PAIR_LOW);
        v[1] = __builtin_shufflevector(a, b, ISA_PAIR_HIGH);
    }
}

/* ---- elements of four dwords, all lanes ---- */

/* A register of the host holds the elements of ISA_QUADS lanes: l, l + 4, l + 8 and so on. After
 * four such registers, from l to l + 3, are transposed within each 16 bytes, each of them is a part
 * of one of the four rows. */
enum { ISA_QUADS = ISA_VEC_BYTES / 16 };

/* The offset of lane l's element: at[l], or adjacent elements if `at` is NULL. */
ISA_QUAD size_t isa_quad_at(const uint32_t *at, unsigned l)
{
    return at ? at[l] : 16 * (size_t)l;
}

#if ISA_VEC_BYTES == 64
typedef __m512i isa_quads_t;
#define ISA_QUADS_OP(name) _mm512_##name

ISA_QUAD __m512i isa_quads_load(const uint8_t *base, const uint32_t *at, unsigned l)
{
    __m512i x = _mm512_castsi128_si512(isa_quad_load(base + isa_quad_at(at, l)));
    x = _mm512_inserti32x4(x, isa_quad_load(base + isa_quad_at(at, l + 4)), 1);
    x = _mm512_inserti32x4(x, isa_quad_load(base + isa_quad_at(at, l + 8)), 2);
    return _mm512_inserti32x4(x, isa_quad_load(base + isa_quad_at(at, l + 12)), 3);
}

/* Element n of the register. */
ISA_QUAD __m128i isa_quads_one(__m512i x, unsigned n)
{
    switch (n) {
    case 0: return _mm512_castsi512_si128(x);
    case 1: return _mm512_extracti32x4_epi32(x, 1);
    case 2: return _mm512_extracti32x4_epi32(x, 2);
    default: return _mm512_extracti32x4_epi32(x, 3);
    }
}
#elif ISA_VEC_BYTES == 32
typedef __m256i isa_quads_t;
#define ISA_QUADS_OP(name) _mm256_##name

ISA_QUAD __m256i isa_quads_load(const uint8_t *base, const uint32_t *at, unsigned l)
{
    const __m256i x = _mm256_castsi128_si256(isa_quad_load(base + isa_quad_at(at, l)));
    return _mm256_inserti128_si256(x, isa_quad_load(base + isa_quad_at(at, l + 4)), 1);
}

ISA_QUAD __m128i isa_quads_one(__m256i x, unsigned n)
{
    return n ? _mm256_extracti128_si256(x, 1) : _mm256_castsi256_si128(x);
}
#else
typedef __m128i isa_quads_t;
#define ISA_QUADS_OP(name) _mm_##name

ISA_QUAD __m128i isa_quads_load(const uint8_t *base, const uint32_t *at, unsigned l)
{
    return isa_quad_load(base + isa_quad_at(at, l));
}

ISA_QUAD __m128i isa_quads_one(__m128i x, unsigned n)
{
    (void)n;
    return x;
}
#endif

/* Dword m of element k becomes dword k of register m; its own inverse. */
ISA_QUAD void isa_quads_transpose(isa_quads_t x[4])
{
    const isa_quads_t a = ISA_QUADS_OP(unpacklo_epi32)(x[0], x[1]);
    const isa_quads_t b = ISA_QUADS_OP(unpackhi_epi32)(x[0], x[1]);
    const isa_quads_t c = ISA_QUADS_OP(unpacklo_epi32)(x[2], x[3]);
    const isa_quads_t d = ISA_QUADS_OP(unpackhi_epi32)(x[2], x[3]);
    x[0] = ISA_QUADS_OP(unpacklo_epi64)(a, c);
    x[1] = ISA_QUADS_OP(unpackhi_epi64)(a, c);
    x[2] = ISA_QUADS_OP(unpacklo_epi64)(b, d);
    x[3] = ISA_QUADS_OP(unpackhi_epi64)(b, d);
}

ISA_QUAD void isa_quads_to_rows(const uint8_t *base, const uint32_t *at, isa_row_t *rows)
{
    for (unsigned l = 0; l < ISA_LANES; l += 4 * ISA_QUADS) {
        isa_quads_t x[4];
        for (unsigned k = 0; k < 4; k++)
            x[k] = isa_quads_load(base, at, l + k);
        isa_quads_transpose(x);
        for (unsigned k = 0; k < 4; k++)
            isa_vec_store(rows[k] + l, (isa_vec_t)x[k]);
    }
}

/* Stores in the order of the lanes: of two elements at one address, that of the higher lane
 * remains. */
ISA_QUAD void isa_quads_from_rows(uint8_t *base, const uint32_t *at, const isa_row_t *rows)
{
    for (unsigned l = 0; l < ISA_LANES; l += 4 * ISA_QUADS) {
        isa_quads_t x[4];
        for (unsigned k = 0; k < 4; k++)
            x[k] = (isa_quads_t)isa_vec_load(rows[k] + l);
        isa_quads_transpose(x);
        for (unsigned k = 0; k < 4 * ISA_QUADS; k++)
            isa_quad_store(base + isa_quad_at(at, l + k), isa_quads_one(x[k % 4], k / 4));
    }
}

#endif
