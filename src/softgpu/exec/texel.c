/* texel.c - see texel.h: converts components. Conversions are made in double precision, in which
 * each of them is exact until its one rounding.
 *
 * The rounding mode is the executor's, to nearest. A new format is a row of `layouts`. */
#include "softgpu/exec/texel.h"

#include "softgpu/exec/fpu.h"

#include <math.h>
#include <string.h>

/* By data format number. The hardware's names list fields from the high end: 10_11_11 has its
 * 11-bit first component in the low bits. */
static const isa_layout_t layouts[] = {
    [1] = {1, {8}, false},
    [2] = {1, {16}, false},
    [3] = {2, {8, 8}, false},
    [4] = {1, {32}, false},
    [5] = {2, {16, 16}, false},
    [6] = {3, {11, 11, 10}, true},
    [7] = {3, {10, 11, 11}, true},
    [8] = {4, {2, 10, 10, 10}, false},
    [9] = {4, {10, 10, 10, 2}, false},
    [10] = {4, {8, 8, 8, 8}, false},
    [11] = {2, {32, 32}, false},
    [12] = {4, {16, 16, 16, 16}, false},
    [13] = {3, {32, 32, 32}, false},
    [14] = {4, {32, 32, 32, 32}, false},
    /* images only */
    [16] = {3, {5, 6, 5}, false},
    [17] = {4, {5, 5, 5, 1}, false},
    [18] = {4, {1, 5, 5, 5}, false},
    [19] = {4, {4, 4, 4, 4}, false},
    [20] = {2, {24, 8}, false},
    [21] = {2, {8, 24}, false},
    [22] = {2, {32, 8, 24}, false},
};

enum { LAYOUTS = sizeof layouts / sizeof *layouts, SRGB_COMPONENTS = 3 };

/* 32-bit components hold integers or floats; floats have 16 or 32 bits, or the 10 and 11 bits of
 * `small` layouts. (The 8-bit part of X24_8_32 is an integer beside a float.) */
static bool is_defined(const isa_format_t *f)
{
    const unsigned bits = f->layout.bits[0];
    if (!f->layout.n || f->num == ISA_NUM_RESERVED || f->num == ISA_NUM_RESERVED_8) return false;
    if (f->num == ISA_NUM_SRGB) return bits == 8;
    if (bits == 32) return isa_format_is_integer(f) || f->num == ISA_NUM_FLOAT;
    if (f->num == ISA_NUM_FLOAT) return bits == 16 || f->layout.small;
    return true;
}

bool isa_format_find(isa_format_t *f, unsigned data, unsigned num, const uint8_t select[4])
{
    uint32_t bits = 0;
    if (data >= LAYOUTS || num > ISA_NUM_SRGB) return false;
    f->num = (isa_num_format_t)num;
    f->layout = layouts[data];
    for (unsigned c = 0; c < 4; c++) {
        bits += f->layout.bits[c];
        f->select[c] = select[c];
    }
    f->bytes = bits / 8;
    return is_defined(f);
}

/* ---- one component ---- */

/* Unsigned floats of 11 and 10 bits: 5 bits of exponent, 6 or 5 of mantissa. */
static uint32_t small_float_bits(uint32_t raw, unsigned bits)
{
    return fpu_f16_to_f32(raw << (15 - bits));
}

static uint32_t to_small_float(uint32_t f32, unsigned bits)
{
    if (fpu_nan32(f32)) return (1u << bits) - 1;
    if (f32 >> 31) return 0;
    return fpu_f32_to_f16(f32, FPU_ZERO) >> (15 - bits);
}

static int32_t sign_extend(uint32_t raw, unsigned bits)
{
    return (int32_t)(raw << (32 - bits)) >> (32 - bits);
}

/* The curve of sRGB (IEC 61966-2-1): linear near 0, a power above. */
static double linear_of_srgb(double x)
{
    return x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4);
}

static uint32_t unpack_float(uint32_t raw, unsigned bits)
{
    if (bits == 32) return raw;
    if (bits == 16) return fpu_f16_to_f32(raw);
    return bits == 8 ? raw : small_float_bits(raw, bits); /* 8: the stencil beside a depth */
}

/* A component as the 32-bit register holds it. */
static uint32_t unpack(uint32_t raw, unsigned bits, isa_num_format_t num)
{
    const double top = (double)((UINT64_C(1) << bits) - 1), signed_top = floor(top / 2);
    double value;
    switch (num) {
    case ISA_NUM_UINT: return raw;
    case ISA_NUM_SINT: return (uint32_t)sign_extend(raw, bits);
    case ISA_NUM_FLOAT: return unpack_float(raw, bits);
    case ISA_NUM_UNORM: value = raw / top; break;
    case ISA_NUM_SRGB: value = linear_of_srgb(raw / top); break;
    case ISA_NUM_SNORM:
        value = bits > 1 ? sign_extend(raw, bits) / signed_top : 0;
        value = value < -1 ? -1 : value;
        break;
    case ISA_NUM_USCALED: value = raw; break;
    default: value = sign_extend(raw, bits); break;
    }
    return fpu_bits32((float)value);
}

/* Nearest integer to x * scale within [low, high]; NaN counts as 0. */
static uint32_t to_integer(float x, double scale, double low, double high)
{
    double v = x * scale;
    if (v != v) return 0;
    v = v < low ? low : v > high ? high : v;
    return (uint32_t)(int64_t)rint(v);
}

static uint32_t clamp_signed(uint32_t value, unsigned bits)
{
    const int64_t high = (INT64_C(1) << (bits - 1)) - 1;
    int64_t v = (int32_t)value;
    v = v > high ? high : v < -high - 1 ? -high - 1 : v;
    return (uint32_t)v;
}

static uint32_t pack_float(uint32_t value, unsigned bits)
{
    if (bits == 32 || bits == 8) return value;
    return bits == 16 ? fpu_f32_to_f16(value, FPU_NEAREST) : to_small_float(value, bits);
}

/* The reverse of unpack(): the low `bits` bits of the result go to memory. */
static uint32_t pack(uint32_t value, unsigned bits, isa_num_format_t num)
{
    const double top = (double)((UINT64_C(1) << bits) - 1), signed_top = floor(top / 2);
    const float x = fpu_f32(value);
    switch (num) {
    case ISA_NUM_UINT: return bits < 32 && value >> bits ? (uint32_t)top : value;
    case ISA_NUM_SINT: return clamp_signed(value, bits);
    case ISA_NUM_FLOAT: return pack_float(value, bits);
    case ISA_NUM_UNORM: return to_integer(x, top, 0, top);
    case ISA_NUM_SNORM: return to_integer(x, signed_top, -signed_top, signed_top);
    case ISA_NUM_USCALED: return to_integer(x, 1, 0, top);
    default: return to_integer(x, 1, -signed_top - 1, signed_top);
    }
}

/* ---- one element ---- */

/* A field may continue in the next dword of the element. */
static uint32_t get_bits(const uint32_t *raw, unsigned at, unsigned bits)
{
    const uint64_t mask = (UINT64_C(1) << bits) - 1;
    return (uint32_t)(raw[at / 32] >> at % 32 & mask);
}

uint32_t isa_format_one(const isa_format_t *f)
{
    return isa_format_is_integer(f) ? 1 : fpu_bits32(1.0f);
}

void isa_texel_missing(const isa_format_t *f, uint32_t out[4])
{
    for (unsigned c = 0; c < 4; c++)
        out[c] = f->select[c] == ISA_SELECT_ONE ? isa_format_one(f) : 0;
}

void isa_texel_components(const isa_format_t *f, const uint32_t raw[4], uint32_t have[4])
{
    have[0] = have[1] = have[2] = 0;
    have[3] = isa_format_one(f);
    for (unsigned c = 0, at = 0; c < f->layout.n; at += f->layout.bits[c++]) {
        const bool straight = f->num == ISA_NUM_SRGB && c >= SRGB_COMPONENTS;
        have[c] = unpack(get_bits(raw, at, f->layout.bits[c]), f->layout.bits[c],
                         straight ? ISA_NUM_UNORM : f->num);
    }
}

void isa_texel_select(const isa_format_t *f, const uint32_t have[4], uint32_t out[4])
{
    for (unsigned c = 0; c < 4; c++)
        out[c] = f->select[c] >= ISA_SELECT_COMPONENT ? have[f->select[c] - ISA_SELECT_COMPONENT]
                 : f->select[c] == ISA_SELECT_ONE     ? isa_format_one(f)
                                                      : 0;
}

static bool selects_any(const isa_format_t *f)
{
    for (unsigned c = 0; c < 4; c++)
        if (f->select[c] >= ISA_SELECT_COMPONENT) return true;
    return false;
}

void isa_texel_unselect(const isa_format_t *f, const uint32_t value[4], uint32_t have[4])
{
    const bool any = selects_any(f);
    for (unsigned c = 0; c < 4; c++) {
        unsigned from = any ? 0 : c;
        while (any && from < 4 && f->select[from] != ISA_SELECT_COMPONENT + c)
            from++;
        have[c] = from < 4 ? value[from] : 0;
    }
}

void isa_texel_pack(const isa_format_t *f, const uint32_t in[4], uint32_t raw[4])
{
    memset(raw, 0, 4 * sizeof *raw);
    for (unsigned c = 0, at = 0; c < f->layout.n; at += f->layout.bits[c++]) {
        const unsigned bits = f->layout.bits[c];
        const uint64_t mask = (UINT64_C(1) << bits) - 1;
        raw[at / 32] |= (uint32_t)(pack(in[c], bits, f->num) & mask) << at % 32;
    }
}

uint32_t isa_texel_to_d16(const isa_format_t *f, uint32_t value)
{
    return isa_format_is_integer(f) ? value & 0xffff : fpu_f32_to_f16(value, FPU_NEAREST);
}

uint32_t isa_texel_from_d16(const isa_format_t *f, uint32_t half)
{
    if (f->num == ISA_NUM_SINT) return (uint32_t)sign_extend(half, 16);
    return f->num == ISA_NUM_UINT ? half : fpu_f16_to_f32(half);
}
