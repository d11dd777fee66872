/* mfma_elements.c - copies elements of A and B from registers to arrays, widened to 32 bits.
 *
 * All code that depends on an element's type is here: the place of its bits in a lane's registers,
 * and their value. Infinities and NaNs of small formats are rare: operands are tested for them
 * together, and converted without them if there are none. */
#include "softgpu/exec/mfma.h"

/* ---- elements to 32 bits ---- */

/* The conversions of gather_as(), a compile-time constant. FINITE: no element is infinite or a
 * NaN. */
typedef enum {
    AS_F32,
    AS_F32_FLUSHED,
    AS_XF32,
    AS_XF32_FLUSHED,
    AS_F16_FLUSHED,
    AS_F16_FLUSHED_FINITE,
    AS_F16,
    AS_BF16_FLUSHED,
    AS_BF16,
    AS_I8,
    AS_FP8_FINITE,
    AS_BF8_FINITE,
    AS_FP8_FNUZ_FINITE,
    AS_BF8_FNUZ_FINITE,
    AS_FP6,
    AS_BF6,
    AS_FP4
} as_t;

/* The numbers whose codes are at `shift` of each dword, in a format whose exponents are all finite.
 * Fields are moved to those of an f32; for an exponent of 0, a leading 1 is added to the mantissa
 * and then subtracted as a number. */
ISA_VECTOR isa_vec_t small_vec(isa_vec_t x, const unsigned shift, const unsigned exponent,
                               const unsigned mantissa, const unsigned bias)
{
    const unsigned sign = shift + exponent + mantissa, to = 23 - mantissa;
    const uint32_t fields = ((1u << (exponent + mantissa)) - 1) << to;
    const isa_vec_t magnitude = (shift > to ? x >> (shift - to) : x << (to - shift)) & fields;
    const isa_vec_t one = isa_vec_all((128 - bias) << 23);
    const isa_vec_t small = (isa_vec_t)((isa_vec_f32_t)(magnitude + one) - (isa_vec_f32_t)one);
    const isa_vec_t normal = magnitude + ((127 - bias) << 23);
    return isa_vec_pick((isa_vec_i32_t)(magnitude < 0x800000), small, normal) |
           (x << (31 - sign) & 0x80000000);
}

/* The element at bit `shift` of each dword. For a finite half that is flushed the bits are moved to
 * the fields of an f32, which is then 2^112 times too small: a denormal half makes a denormal f32,
 * which the multiplication treats as 0 in the host's mode that mfma.c sets. */
ISA_VECTOR isa_vec_t widened(isa_vec_t x, const unsigned shift, const as_t as)
{
    const isa_vec_t part = x >> shift;
    switch (as) {
    case AS_F16_FLUSHED:
        return isa_vec_from_half(isa_vec_pick((part & 0x7c00) == 0, part & 0x8000, part & 0xffff));
    case AS_F16_FLUSHED_FINITE: {
        const isa_vec_t bits = (isa_vec_t)((isa_vec_i32_t)(x << (16 - shift)) >> 3) & 0x8fffe000;
        return (isa_vec_t)((isa_vec_f32_t)bits * 0x1p112f);
    }
    case AS_F16: return isa_vec_from_half(part & 0xffff);
    case AS_BF16_FLUSHED: return mfma_flushed(part << 16);
    case AS_BF16: return part << 16;
    case AS_I8: return (isa_vec_t)((isa_vec_i32_t)(part << 24) >> 24);
    case AS_F32_FLUSHED: return mfma_flushed(x);
    case AS_XF32:
    case AS_XF32_FLUSHED: {
        /* a NaN whose payload is only in the dropped bits stays a NaN */
        const isa_vec_t nan =
            isa_vec_pick((x & 0x7fffffff) > FPU_INF32, isa_vec_all(0x400000), isa_vec_all(0));
        const isa_vec_t cut = (x | nan) & 0xffffe000;
        return as == AS_XF32 ? cut : mfma_flushed(cut);
    }
    case AS_FP8_FINITE: return small_vec(x, shift, 4, 3, 7);
    case AS_BF8_FINITE: return small_vec(x, shift, 5, 2, 15);
    case AS_FP8_FNUZ_FINITE: return small_vec(x, shift, 4, 3, 8);
    case AS_BF8_FNUZ_FINITE: return small_vec(x, shift, 5, 2, 16);
    case AS_FP6: return small_vec(x, shift, 2, 3, 1);
    case AS_BF6: return small_vec(x, shift, 3, 2, 3);
    case AS_FP4: return small_vec(x, shift, 2, 1, 1);
    default: return x;
    }
}

/* ---- from registers to arrays ---- */

/* The array index of element `at` of the lanes of a group, relative to the group's first
 * element. */
ISA_VECTOR size_t place_of(const unsigned at, const unsigned chunk, const unsigned m)
{
    return (at < chunk ? at : at - chunk + chunk * (ISA_LANES / m)) * (size_t)m;
}

/* Stores element x of ISA_VEC lanes from l on. */
ISA_VECTOR void store(uint32_t *to, isa_vec_t x, const unsigned l, const unsigned m, size_t step)
{
    if (m >= ISA_VEC)
        isa_vec_store(to + l / m * step + l % m, x);
    else
        for (unsigned k = 0; k < ISA_VEC; k++)
            to[(l + k) / m * step + (l + k) % m] = x[k];
}

/* Copies `regs` registers with elements of `bits` bits that do not cross registers. A group's
 * elements are `step` away from those of the group before it. */
ISA_VECTOR void gather_as(uint32_t *out, const uint32_t *rows, const unsigned m, size_t step,
                          const unsigned chunk, const as_t as, const unsigned bits,
                          const unsigned regs)
{
    const unsigned in_dword = 32 / bits;
    for (unsigned r = 0; r < regs; r++) {
        const uint32_t *in = rows + r * ISA_LANES;
        ISA_UNROLL for (unsigned l = 0; l < ISA_LANES; l += ISA_VEC)
        {
            const isa_vec_t x = isa_vec_load(in + l);
            ISA_UNROLL for (unsigned e = 0; e < in_dword; e++) store(
                out + place_of(r * in_dword + e, chunk, m), widened(x, e * bits, as), l, m, step);
        }
    }
}

/* Copies six registers that hold 32 elements of 6 bits. */
ISA_VECTOR void gather_six(uint32_t *out, const uint32_t *rows, const unsigned m, size_t step,
                           const unsigned chunk, const as_t as)
{
    for (unsigned e = 0; e < 32; e++) {
        const uint32_t *in = rows + 6 * e / 32 * ISA_LANES;
        const unsigned shift = 6 * e % 32;
        for (unsigned l = 0; l < ISA_LANES; l += ISA_VEC) {
            isa_vec_t x = isa_vec_load(in + l) >> shift;
            if (shift > 26) x |= isa_vec_load(in + ISA_LANES + l) << (32 - shift);
            store(out + place_of(e, chunk, m), widened(x, 0, as), l, m, step);
        }
    }
}

/* Copies 8-bit elements of which some are no finite numbers. */
static __attribute__((noinline)) void gather_codes(uint32_t *out, const uint32_t *rows,
                                                   const mfma_source_t *s, size_t step)
{
    const fpu_format_t *f = &fpu_formats[s->type - MFMA_FP8];
    for (unsigned at = 0; at < 4u * s->regs; at++)
        for (unsigned l = 0; l < ISA_LANES; l++)
            out[place_of(at, s->chunk, s->m) + l / s->m * step + l % s->m] =
                fpu_from_small(f, rows[at / 4 * ISA_LANES + l] >> at % 4 * 8);
}

/* Sets the sign bit of each element that is no finite number. `magnitudes` masks the bits that
 * decide; adding `one` to them carries into the sign for such elements. */
ISA_VECTOR isa_vec_t above(const uint32_t *row, uint32_t magnitudes, uint32_t one)
{
    isa_vec_t found = isa_vec_all(0);
    ISA_UNROLL for (unsigned l = 0; l < ISA_LANES; l += ISA_VEC) found |=
        (isa_vec_load(row + l) & magnitudes) + one;
    return found;
}

/* Sets the top bit of bytes that are 0x80, and perhaps of bytes above such a byte: enough to detect
 * whether there is one. */
ISA_VECTOR isa_vec_t minus_zeros(const uint32_t *row)
{
    isa_vec_t found = isa_vec_all(0);
    ISA_UNROLL for (unsigned l = 0; l < ISA_LANES; l += ISA_VEC)
    {
        const isa_vec_t x = isa_vec_load(row + l) ^ 0x80808080;
        found |= (x - 0x01010101) & ~x;
    }
    return found;
}

ISA_VECTOR bool all_finite(const uint32_t *rows, const mfma_source_t *s, const unsigned type)
{
    isa_vec_t found = isa_vec_all(0);
    for (unsigned r = 0; r < s->regs; r++) {
        const uint32_t *row = rows + r * ISA_LANES;
        switch (type) {
        case MFMA_F16: found |= above(row, 0x7c007c00, 0x04000400); break;
        case MFMA_FP8: found |= above(row, 0x7f7f7f7f, 0x01010101); break;
        case MFMA_BF8: found |= above(row, 0x7c7c7c7c, 0x04040404); break;
        default: found |= minus_zeros(row);
        }
    }
    return !isa_vec_any(found & (type == MFMA_F16 ? 0x80008000 : 0x80808080));
}

#define GATHER(as, bits) gather_as(out, rows, m, step, s->chunk, as, bits, s->regs)

/* The same for the usual number of registers, whose loop is unrolled. */
#define GATHER_USUAL(as, bits, usual)                                                              \
    do {                                                                                           \
        if (s->regs == (usual) && s->chunk == 32 / (bits) * (usual))                               \
            gather_as(out, rows, m, step, 32 / (bits) * (usual), as, bits, usual);                 \
        else                                                                                       \
            GATHER(as, bits);                                                                      \
    } while (0)

#define GATHER_BYTES(as, type)                                                                     \
    do {                                                                                           \
        if (all_finite(rows, s, type))                                                             \
            GATHER_USUAL(as, 8, 2);                                                                \
        else                                                                                       \
            gather_codes(out, rows, s, step);                                                      \
    } while (0)

ISA_VECTOR void gather(uint32_t *out, const uint32_t *rows, const mfma_source_t *s,
                       const unsigned m)
{
    const size_t step = m * (size_t)(s->blocks > 1 ? s->depth : s->chunk);
    if (m == 4 && s->type > MFMA_I8) return; /* there are no such shapes */
    switch (s->type) {
    case MFMA_F32:
        if (s->flush)
            GATHER(AS_F32_FLUSHED, 32);
        else
            GATHER_USUAL(AS_F32, 32, 1);
        break;
    case MFMA_XF32:
        if (s->flush)
            GATHER(AS_XF32_FLUSHED, 32);
        else
            GATHER(AS_XF32, 32);
        break;
    case MFMA_F16:
        if (!s->flush)
            GATHER_USUAL(AS_F16, 16, 2);
        else if (all_finite(rows, s, MFMA_F16))
            GATHER_USUAL(AS_F16_FLUSHED_FINITE, 16, 2);
        else
            GATHER(AS_F16_FLUSHED, 16);
        break;
    case MFMA_BF16:
        if (s->flush)
            GATHER_USUAL(AS_BF16_FLUSHED, 16, 2);
        else
            GATHER(AS_BF16, 16);
        break;
    case MFMA_I8: GATHER_USUAL(AS_I8, 8, 1); break;
    case MFMA_FP6: gather_six(out, rows, m, step, s->chunk, AS_FP6); break;
    case MFMA_BF6: gather_six(out, rows, m, step, s->chunk, AS_BF6); break;
    case MFMA_FP4: GATHER(AS_FP4, 4); break;
    case MFMA_FP8: GATHER_BYTES(AS_FP8_FINITE, MFMA_FP8); break;
    case MFMA_BF8: GATHER_BYTES(AS_BF8_FINITE, MFMA_BF8); break;
    case MFMA_FP8_FNUZ: GATHER_BYTES(AS_FP8_FNUZ_FINITE, MFMA_FP8_FNUZ); break;
    default: GATHER_BYTES(AS_BF8_FNUZ_FINITE, MFMA_BF8_FNUZ); break;
    }
}

void mfma_gather(uint32_t *out, const uint32_t *rows, const mfma_source_t *s)
{
    switch (s->m) {
    case 32: gather(out, rows, s, 32); break;
    case 16: gather(out, rows, s, 16); break;
    default: gather(out, rows, s, 4); break;
    }
}
