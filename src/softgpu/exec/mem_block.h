/* mem_block.h - the fast path for a wave's accesses, if all elements are in one piece of host
 * memory.
 *
 * These functions are inlined into handlers that know the places of their lanes' elements from
 * registers alone. All other accesses go to mem_lanes.c, whose results are the same. */
#ifndef SOFTGPU_EXEC_MEM_BLOCK_H
#define SOFTGPU_EXEC_MEM_BLOCK_H

#include "softgpu/exec/mem.h"
#include "softgpu/exec/mem_lanes.h"
#include "softgpu/exec/mem_quad.h"
#include "softgpu/exec/vector.h"

#define ISA_BLOCK static inline __attribute__((always_inline)) ISA_NO_TSAN

/* 1 << l: compilers vectorise a test against a table, but not a shift of EXEC by the lane. */
extern const uint32_t isa_lane_bit[32];

/* Sets a row to all ones for the lanes of `mask`, and to 0 for all other lanes. */
ISA_BLOCK void isa_mask_row(uint32_t *row, uint64_t mask)
{
    for (unsigned half = 0; half < ISA_LANES / 32; half++) {
        const uint32_t bits = (uint32_t)(mask >> 32 * half);
        for (unsigned l = 0; l < 32; l++)
            row[32 * half + l] = bits & isa_lane_bit[l] ? UINT32_MAX : 0;
    }
}

/* Whether row[l] = row[0] + l * stride for all lanes; the numbers do not wrap. */
ISA_BLOCK bool isa_row_counts(const uint32_t *row, uint32_t stride)
{
    isa_vec_t expected = isa_vec_count(stride) + row[0], differ = isa_vec_all(0);
    if (row[ISA_LANES - 1] - row[0] != (ISA_LANES - 1) * stride) return false;
    for (unsigned l = 0; l < ISA_LANES; l += ISA_VEC, expected += ISA_VEC * stride)
        differ |= isa_vec_load(row + l) ^ expected;
    return !isa_vec_any(differ) && row[0] <= UINT32_MAX - ISA_LANES * stride;
}

/* x is a row from lane `at` on; returns it with 0 for lanes that are not in `exec`. A host
 * without mask registers tests a bit in each element: 32 bits of `exec` are broadcast, so that a
 * loop over a row makes two broadcasts, not one for each vector. */
ISA_BLOCK isa_vec_t isa_row_active(isa_vec_t x, unsigned at, uint64_t exec)
{
#if ISA_VEC_BYTES == 64
    return isa_vec_lanes((uint32_t)(exec >> at), x, isa_vec_all(0));
#else
    const isa_vec_t bit = isa_vec_load(isa_lane_bit + at % 32);
    return x & ((isa_vec_all((uint32_t)(exec >> (at & 32))) & bit) == bit);
#endif
}

/* Whether one lane alone is active, as behind `if (threadIdx.x == 0)`. */
ISA_BLOCK bool isa_is_one_lane(uint64_t exec)
{
    return exec && !(exec & (exec - 1));
}

/* Whether row[l] - from <= span in all lanes of `exec`. All lanes are looked at first, which takes
 * no masks: lanes that are not active mostly have what they had when they were. */
ISA_BLOCK bool isa_row_within(const uint32_t *row, uint32_t from, uint32_t span, uint64_t exec)
{
    isa_vec_t most = isa_vec_all(0);
    if (isa_is_one_lane(exec)) return row[__builtin_ctzll(exec)] - from <= span;
    for (unsigned l = 0; l < ISA_LANES; l += ISA_VEC)
        most = isa_vec_max(most, isa_vec_load(row + l) - from);
    if (!isa_vec_above(most, isa_vec_all(span))) return true;
    if (exec == ISA_ALL_LANES) return false;
    most = isa_vec_all(0);
    for (unsigned l = 0; l < ISA_LANES; l += ISA_VEC)
        most = isa_vec_max(most, isa_row_active(isa_vec_load(row + l) - from, l, exec));
    return !isa_vec_above(most, isa_vec_all(span));
}

/* isa_pairs_within() for a full EXEC or any. */
ISA_BLOCK bool isa_pairs_within_of(const uint32_t *high, const uint32_t *low, uint32_t value,
                                   uint32_t from, uint32_t span, uint64_t exec, const bool full)
{
    isa_vec_t differ = isa_vec_all(0), most = isa_vec_all(0);
    for (unsigned l = 0; l < ISA_LANES; l += ISA_VEC) {
        isa_vec_t apart = high ? isa_vec_load(high + l) ^ value : isa_vec_all(0);
        isa_vec_t offset = isa_vec_load(low + l) - from;
        differ |= full ? apart : isa_row_active(apart, l, exec);
        most = isa_vec_max(most, full ? offset : isa_row_active(offset, l, exec));
    }
    return !isa_vec_any(differ) && !isa_vec_above(most, isa_vec_all(span));
}

/* Whether low[l] - from <= span, and, unless `high` is NULL, high[l] == value, in all lanes of
 * `exec`. Of addresses, inactive lanes often have others, so that they are left out at once. */
ISA_BLOCK bool isa_pairs_within(const uint32_t *high, const uint32_t *low, uint32_t value,
                                uint32_t from, uint32_t span, uint64_t exec)
{
    return exec == ISA_ALL_LANES ? isa_pairs_within_of(high, low, value, from, span, exec, true)
                                 : isa_pairs_within_of(high, low, value, from, span, exec, false);
}

/* ---- blocks ---- */

/* Moves 64 adjacent elements of n dwords at p to n rows, or back. An aligned element of one, two or
 * four dwords is moved in one access. */
ISA_BLOCK void isa_block_load(isa_row_t *restrict rows, const uint8_t *restrict p, unsigned n)
{
    const isa_u32_any_t *d = (const isa_u32_any_t *)p;
    if (n == 4) {
        isa_quads_to_rows(p, NULL, rows);
    } else if (n == 2) {
        isa_pairs_to_rows(p, rows);
    } else {
        for (unsigned l = 0; l < ISA_LANES; l++)
            for (unsigned k = 0; k < n; k++)
                rows[k][l] = d[n * l + k];
    }
}

ISA_BLOCK void isa_block_store(const isa_row_t *restrict rows, uint8_t *restrict p, unsigned n)
{
    isa_u32_any_t *d = (isa_u32_any_t *)p;
    if (n == 4) {
        isa_quads_from_rows(p, NULL, rows);
    } else if (n == 2) {
        isa_pairs_from_rows(p, rows);
    } else {
        for (unsigned l = 0; l < ISA_LANES; l++)
            for (unsigned k = 0; k < n; k++)
                d[n * l + k] = rows[k][l];
    }
}

/* ---- elements at base + at[l]; those of all active lanes are known to be accessible ---- */

/* The offsets of lanes l and l + 1, by one load of the host. */
typedef struct {
    uint32_t first, second;
} isa_two_t;

ISA_BLOCK isa_two_t isa_two_of(const uint32_t *at, unsigned l)
{
    uint64_t both;
    memcpy(&both, at + l, sizeof both);
    return (isa_two_t){(uint32_t)both, (uint32_t)(both >> 32)};
}

/* The row `at`, or a copy of it in `room` if it is one of the n rows to which the results go. */
ISA_BLOCK const uint32_t *isa_row_kept(const uint32_t *at, const isa_row_t *rows, unsigned n,
                                       uint32_t *room)
{
    if (at < rows[0] || at >= rows[n]) return at;
    memcpy(room, at, sizeof(isa_row_t));
    return room;
}

/* For up to this many active lanes, single loads are faster. */
enum { ISA_GATHER_FEW = ISA_VEC_BYTES == 64 ? 12 : 24 };

#if ISA_VEC_BYTES == 64
/* Writes the elements that `lanes` names; other elements of the row are unchanged. */
ISA_BLOCK void isa_gather_put(uint32_t *row, __mmask16 lanes, __m512i x, const bool full)
{
    _mm512_storeu_si512(row, full ? x : _mm512_mask_blend_epi32(lanes, _mm512_loadu_si512(row), x));
}

/* The host's gathers take signed indices, but offsets of elements are unsigned: 2^31 is subtracted
 * from each offset and added to the base. Each element is one access of its size; lanes that are
 * not active are not touched. */
ISA_BLOCK void isa_gather_host(const uint8_t *base, const uint32_t *at, uint64_t exec,
                               isa_row_t *rows, unsigned n, const bool full)
{
    const __m512i even =
        _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    const __m512i odd = _mm512_or_epi32(even, _mm512_set1_epi32(1)), none = _mm512_setzero_si512();
    for (unsigned l = 0; l < ISA_LANES; l += 16) {
        const __mmask16 lanes = full ? 0xffff : (__mmask16)(exec >> l);
        const __m512i index =
            _mm512_xor_si512(_mm512_loadu_si512(at + l), _mm512_set1_epi32(INT32_MIN));
        for (unsigned k = 0; k < n; k += 2) {
            const void *from = (const void *)((uintptr_t)base + 0x80000000u + 4 * k);
            if (k + 1 == n) {
                isa_gather_put(rows[k] + l, lanes,
                               _mm512_mask_i32gather_epi32(none, lanes, index, from, 1), full);
                continue;
            }
            const __m512i low = _mm512_mask_i32gather_epi64(none, (__mmask8)lanes,
                                                            _mm512_castsi512_si256(index), from, 1);
            const __m512i high = _mm512_mask_i32gather_epi64(
                none, (__mmask8)(lanes >> 8), _mm512_extracti64x4_epi64(index, 1), from, 1);
            isa_gather_put(rows[k] + l, lanes, _mm512_permutex2var_epi32(low, even, high), full);
            isa_gather_put(rows[k + 1] + l, lanes, _mm512_permutex2var_epi32(low, odd, high), full);
        }
    }
}
#endif

/* Load elements of two dwords to rows, or store them, for four lanes at a time, with instructions
 * that every x86-64 host has. */
ISA_BLOCK void isa_gather_pairs(const uint8_t *base, const uint32_t *at, isa_row_t *rows)
{
    for (unsigned l = 0; l < ISA_LANES; l += 4) {
        const isa_pair_t *p[4];
        for (unsigned k = 0; k < 4; k++)
            p[k] = (const isa_pair_t *)(base + at[l + k]);
        const __m128 a = (__m128)(__v2du){*p[0], *p[1]}, b = (__m128)(__v2du){*p[2], *p[3]};
        _mm_storeu_ps((float *)rows[0] + l, _mm_shuffle_ps(a, b, 0x88));
        _mm_storeu_ps((float *)rows[1] + l, _mm_shuffle_ps(a, b, 0xdd));
    }
}

ISA_BLOCK void isa_scatter_pairs(uint8_t *base, const uint32_t *at, const isa_row_t *rows)
{
    for (unsigned l = 0; l < ISA_LANES; l += 4) {
        const __m128 x = _mm_loadu_ps((const float *)rows[0] + l);
        const __m128 y = _mm_loadu_ps((const float *)rows[1] + l);
        const __v2du a = (__v2du)_mm_unpacklo_ps(x, y), b = (__v2du)_mm_unpackhi_ps(x, y);
        *(isa_pair_t *)(base + at[l]) = a[0];
        *(isa_pair_t *)(base + at[l + 1]) = a[1];
        *(isa_pair_t *)(base + at[l + 2]) = b[0];
        *(isa_pair_t *)(base + at[l + 3]) = b[1];
    }
}

/* Loads elements at any addresses, by the fastest method for n and exec. */
ISA_BLOCK void isa_gather_any(const uint8_t *base, const uint32_t *at, uint64_t exec,
                              isa_row_t *rows, unsigned n)
{
    if (exec == ISA_ALL_LANES && n == 4) {
        isa_quads_to_rows(base, at, rows);
        return;
    }
    if (exec == ISA_ALL_LANES && n == 2 && ISA_VEC_BYTES < 64) {
        isa_gather_pairs(base, at, rows);
        return;
    }
#if ISA_VEC_BYTES == 64
    if (exec == ISA_ALL_LANES) {
        isa_gather_host(base, at, exec, rows, n, true);
        return;
    }
    if (n < 4 && isa_lane_count(exec) > ISA_GATHER_FEW) {
        isa_gather_host(base, at, exec, rows, n, false);
        return;
    }
#else
    if (exec == ISA_ALL_LANES) {
        for (unsigned l = 0; l < ISA_LANES; l += 2) {
            const isa_two_t two = isa_two_of(at, l);
            isa_lane_load(base + two.first, rows, l, n);
            isa_lane_load(base + two.second, rows, l + 1, n);
        }
        return;
    }
#endif
    for (uint64_t left = exec; left; left &= left - 1) {
        const size_t l = (size_t)__builtin_ctzll(left); /* as wide as an address: it is one index */
        isa_lane_load(base + at[l], rows, l, n);
    }
}

/* The address sanitizer must not see loads of other lanes' elements. */
#if ISA_VEC_BYTES == 32 && !defined(__SANITIZE_ADDRESS__)
#define ISA_GATHERS_ADJACENT 1
#else
#define ISA_GATHERS_ADJACENT 0
#endif

#if ISA_GATHERS_ADJACENT
/* Loads, for the lanes of `lanes`, those of the eight adjacent dwords that begin at `begin`. At
 * least one lane is among them. The other lanes' dwords are loaded too where they are in the same
 * page of the host as an element that is known to be accessible; a page that may be missing is not
 * touched. A masked load is no way around that: AMD leaves it to each processor whether it faults
 * for elements that the mask leaves out. An aligned dword moves whole, as mem_quad.h says of a
 * register of the host. */
ISA_BLOCK void isa_gather_eight(uintptr_t begin, uint32_t lanes, uint32_t *row)
{
    enum { HOST_PAGE = 4096 }; /* the smallest page of an x86-64 host */
    if (begin % HOST_PAGE <= HOST_PAGE - ISA_VEC_BYTES) {
        const isa_vec_t x = *(const volatile isa_vec_any_t *)begin;
        isa_vec_store(row, isa_vec_lanes(lanes, x, isa_vec_load(row)));
        return;
    }
    for (; lanes; lanes &= lanes - 1) {
        const unsigned l = (unsigned)__builtin_ctz(lanes);
        row[l] = *(const isa_dword_t *)(begin + 4 * l);
    }
}

/* Loads dwords of the active lanes, if those of all active lanes are adjacent. */
ISA_BLOCK bool isa_gather_adjacent(const uint8_t *base, const uint32_t *at, uint64_t exec,
                                   uint32_t *row)
{
    const unsigned first = (unsigned)__builtin_ctzll(exec);
    /* Lane 0's offset would be below 0 if at[first] < 4 * first. As 32 bits it wraps, and the
     * expected offsets from lane `first` on are right again. No offset after that may wrap: its
     * element would be 4 GiB before the place that is loaded. */
    isa_vec_t expected = isa_vec_count(4) + (at[first] - 4 * first), differ = isa_vec_all(0);
    if (at[first] > UINT32_MAX - 4 * ISA_LANES) return false;
    for (unsigned l = 0; l < ISA_LANES; l += ISA_VEC, expected += 4 * ISA_VEC)
        differ |= isa_row_active(isa_vec_load(at + l) ^ expected, l, exec);
    if (isa_vec_any(differ)) return false;
    /* an integer, since lane 0's address may be before the object that the elements are in */
    const uintptr_t begin = (uintptr_t)base + at[first] - 4 * first;
    for (unsigned l = 0; l < ISA_LANES; l += ISA_VEC) {
        const uint32_t lanes = (uint32_t)(exec >> l) & ((1u << ISA_VEC) - 1);
        if (lanes) isa_gather_eight(begin + 4 * l, lanes, row + l);
    }
    return true;
}
#endif

/* Loads n dwords per lane. The rows may hold `at`: however many lanes are loaded at a time, their
 * offsets are read before any of these lanes' results is written. */
ISA_BLOCK void isa_gather(const uint8_t *base, const uint32_t *at, uint64_t exec, isa_row_t *rows,
                          unsigned n)
{
    if (exec == ISA_ALL_LANES && isa_row_counts(at, 4 * n)) {
        isa_block_load(rows, base + at[0], n);
    } else if (exec == ISA_ALL_LANES && isa_row_counts(at, 0)) {
        isa_lane_load(base + at[0], rows, 0, n);
        for (unsigned k = 0; k < n; k++) {
            const isa_vec_t one = isa_vec_all(rows[k][0]);
            for (unsigned l = 0; l < ISA_LANES; l += ISA_VEC)
                isa_vec_store(rows[k] + l, one);
        }
    } else {
#if ISA_GATHERS_ADJACENT
        if (n == 1 && isa_lane_count(exec) > ISA_GATHER_FEW &&
            isa_gather_adjacent(base, at, exec, *rows))
            return;
#endif
        isa_gather_any(base, at, exec, rows, n);
    }
}

/* The value that a load of less than a dword writes to the register, given the byte or word `raw`
 * from memory. */
ISA_BLOCK uint32_t isa_sub_value(uint32_t raw, isa_sub_t kind)
{
    const uint32_t sext8 = (uint32_t)(int32_t)(int8_t)raw;
    switch (kind) {
    case ISA_SUB_I8: return sext8;
    case ISA_SUB_I16: return (uint32_t)(int32_t)(int16_t)raw;
    case ISA_SUB_I8_D16: return sext8 & 0xffff;
    case ISA_SUB_I8_D16_HI: return sext8 << 16;
    case ISA_SUB_U8_D16_HI:
    case ISA_SUB_B16_D16_HI: return raw << 16;
    default: return raw;
    }
}

/* isa_gather_sub() that reads no byte beyond the elements, for builds with the address sanitizer:
 * the bytes after an element may be beyond the end of one of the program's allocations. */
ISA_BLOCK void isa_gather_narrow(const uint8_t *base, const uint32_t *at, uint64_t exec,
                                 uint32_t *row, uint32_t bytes)
{
    for (uint64_t left = exec; left; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctzll(left);
        row[l] = bytes == 1 ? base[at[l]] : *(const isa_u16_any_t *)(base + at[l]);
    }
}

/* Loads a byte or word for each active lane. Four bytes from each element's address on must be
 * readable. */
ISA_BLOCK void isa_gather_sub(const uint8_t *base, const uint32_t *at, uint64_t exec, uint32_t *row,
                              isa_sub_t kind)
{
    isa_row_t raw[1]; /* not set as a whole: a compiler would do so by a slow instruction */
    const uint32_t bytes = isa_sub_bytes(kind);
    for (unsigned l = 0; exec != ISA_ALL_LANES && l < ISA_LANES; l += ISA_VEC)
        isa_vec_store(raw[0] + l, isa_vec_all(0));
    if (exec == ISA_ALL_LANES && isa_row_counts(at, bytes)) {
        const uint8_t *p = base + at[0];
        const isa_u16_any_t *h = (const isa_u16_any_t *)p;
        for (unsigned l = 0; l < ISA_LANES; l++)
            raw[0][l] = bytes == 1 ? p[l] : h[l];
    } else {
#ifdef __SANITIZE_ADDRESS__
        isa_gather_narrow(base, at, exec, raw[0], bytes);
#else
        isa_gather_any(base, at, exec, raw, 1);
#endif
    }
    for (unsigned l = 0; l < ISA_LANES; l++)
        raw[0][l] = isa_sub_value(raw[0][l] & (bytes == 1 ? 0xff : 0xffff), kind);
    for (unsigned l = 0; l < ISA_LANES; l += ISA_VEC)
        isa_vec_store(row + l, isa_vec_lanes((uint32_t)(exec >> l), isa_vec_load(raw[0] + l),
                                             isa_vec_load(row + l)));
}

ISA_BLOCK void isa_scatter(uint8_t *base, const uint32_t *at, uint64_t exec, const isa_row_t *rows,
                           unsigned n)
{
    if (exec == ISA_ALL_LANES && isa_row_counts(at, 4 * n)) {
        isa_block_store(rows, base + at[0], n);
        return;
    }
    if (exec == ISA_ALL_LANES && n == 4) {
        isa_quads_from_rows(base, at, rows);
        return;
    }
    if (exec == ISA_ALL_LANES && n == 2) {
        isa_scatter_pairs(base, at, rows);
        return;
    }
    if (exec == ISA_ALL_LANES && n == 1) {
        for (unsigned l = 0; l < ISA_LANES; l += 2) {
            const isa_two_t two = isa_two_of(at, l);
            isa_lane_store(base + two.first, rows, l, 1);
            isa_lane_store(base + two.second, rows, l + 1, 1);
        }
        return;
    }
    for (uint64_t left = exec; left; left &= left - 1) {
        const size_t l = (size_t)__builtin_ctzll(left);
        isa_lane_store(base + at[l], rows, l, n);
    }
}

#endif
