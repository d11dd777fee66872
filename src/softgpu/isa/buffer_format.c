/* buffer_format.c - MTBUF, and MUBUF with format: elements packed in memory, converted on the way.
 *
 * A format is a layout (data format: how many components of how many bits) and a meaning (number
 * format). MTBUF instructions carry both; MUBUF takes them from the descriptor, which also selects
 * components. A combination that the hardware does not define stops the wave. */
#include "softgpu/isa/buffer.h"
#include "softgpu/isa/fpu.h"

#include <math.h>
#include <string.h>

typedef enum {
    NUM_UNORM,
    NUM_SNORM,
    NUM_USCALED,
    NUM_SSCALED,
    NUM_UINT,
    NUM_SINT,
    NUM_RESERVED,
    NUM_FLOAT
} num_format_t;

typedef struct {
    uint8_t n;       /* components; 0: no such format */
    uint8_t bits[4]; /* of each, from the low end of the element */
} layout_t;

/* By data format number. The hardware's names list fields from the high end: 10_11_11 has its
 * 11-bit first component in the low bits. */
static const layout_t layouts[16] = {
    [1] = {1, {8}},
    [2] = {1, {16}},
    [3] = {2, {8, 8}},
    [4] = {1, {32}},
    [5] = {2, {16, 16}},
    [6] = {3, {11, 11, 10}},
    [7] = {3, {10, 11, 11}},
    [8] = {4, {2, 10, 10, 10}},
    [9] = {4, {10, 10, 10, 2}},
    [10] = {4, {8, 8, 8, 8}},
    [11] = {2, {32, 32}},
    [12] = {4, {16, 16, 16, 16}},
    [13] = {3, {32, 32, 32}},
    [14] = {4, {32, 32, 32, 32}},
};

typedef struct {
    layout_t layout;
    num_format_t num;
    uint8_t select[4]; /* source of each loaded component: 0, 1, or 4 + component */
    uint32_t bytes;    /* of an element */
} format_t;

enum { SELECT_ZERO, SELECT_ONE, SELECT_COMPONENT = 4 };

static bool is_integer(const format_t *f)
{
    return f->num == NUM_UINT || f->num == NUM_SINT;
}

/* 32-bit components hold integers or floats; floats need 16 or 32 bits, or the shared small kinds.
 */
static bool is_defined(const format_t *f)
{
    const unsigned bits = f->layout.bits[0];
    if (!f->layout.n || f->num == NUM_RESERVED) return false;
    if (bits == 32) return is_integer(f) || f->num == NUM_FLOAT;
    if (f->num == NUM_FLOAT) return bits == 16 || f->layout.n == 3;
    return true;
}

static bool find_format(isa_wave_t *w, const isa_inst_t *i, const isa_buffer_t *b, format_t *f)
{
    const bool typed = i->fmt == ISA_FMT_MTBUF;
    const unsigned data = typed ? i->mtbuf_format & 15 : b->word3 >> 15 & 15;
    f->num = (num_format_t)(typed ? i->mtbuf_format >> 4 & 7 : b->word3 >> 12 & 7);
    f->layout = layouts[data];
    uint32_t bits = 0;
    for (unsigned c = 0; c < 4; c++) {
        bits += f->layout.bits[c];
        f->select[c] = (uint8_t)(typed ? SELECT_COMPONENT + c : b->word3 >> 3 * c & 7);
    }
    f->bytes = bits / 8;
    if (is_defined(f)) return true;
    isa_stop_unsupported(w, i, "undefined buffer format");
    return false;
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

/* Component as the 32-bit register holds it. */
static uint32_t unpack(uint32_t raw, unsigned bits, num_format_t num)
{
    const double top = (double)((UINT64_C(1) << bits) - 1), signed_top = floor(top / 2);
    double value;
    switch (num) {
    case NUM_UINT: return raw;
    case NUM_SINT: return (uint32_t)sign_extend(raw, bits);
    case NUM_FLOAT:
        return bits == 32 ? raw : bits == 16 ? fpu_f16_to_f32(raw) : small_float_bits(raw, bits);
    case NUM_UNORM: value = raw / top; break;
    case NUM_SNORM:
        value = sign_extend(raw, bits) / signed_top;
        value = value < -1 ? -1 : value;
        break;
    case NUM_USCALED: value = raw; break;
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

/* What unpack undoes: the low `bits` bits of the result go to memory. */
static uint32_t pack(uint32_t value, unsigned bits, num_format_t num)
{
    const double top = (double)((UINT64_C(1) << bits) - 1), signed_top = floor(top / 2);
    const float x = fpu_f32(value);
    switch (num) {
    case NUM_UINT: return bits < 32 && value >> bits ? (uint32_t)top : value;
    case NUM_SINT: return clamp_signed(value, bits);
    case NUM_FLOAT:
        return bits == 32   ? value
               : bits == 16 ? fpu_f32_to_f16(value, FPU_NEAREST)
                            : to_small_float(value, bits);
    case NUM_UNORM: return to_integer(x, top, 0, top);
    case NUM_SNORM: return to_integer(x, signed_top, -signed_top, signed_top);
    case NUM_USCALED: return to_integer(x, 1, 0, top);
    default: return to_integer(x, 1, -signed_top - 1, signed_top);
    }
}

/* ---- one element: `raw` is its bytes, low end first ---- */

static uint32_t get_bits(const uint32_t *raw, unsigned at, unsigned bits)
{
    const uint64_t mask = (UINT64_C(1) << bits) - 1;
    return (uint32_t)(raw[at / 32] >> at % 32 & mask);
}

static uint32_t one_of(const format_t *f)
{
    return is_integer(f) ? 1 : fpu_bits32(1.0f);
}

/* What a load out of range delivers: nothing, but the ones that the descriptor asks for. */
static void missing_element(const format_t *f, uint32_t out[4])
{
    for (unsigned c = 0; c < 4; c++)
        out[c] = f->select[c] == SELECT_ONE ? one_of(f) : 0;
}

static void unpack_element(const format_t *f, const uint32_t raw[4], uint32_t out[4])
{
    const uint32_t one = one_of(f);
    uint32_t have[4] = {0, 0, 0, one};
    for (unsigned c = 0, at = 0; c < f->layout.n; at += f->layout.bits[c++])
        have[c] = unpack(get_bits(raw, at, f->layout.bits[c]), f->layout.bits[c], f->num);
    for (unsigned c = 0; c < 4; c++)
        out[c] = f->select[c] >= SELECT_COMPONENT ? have[f->select[c] - SELECT_COMPONENT]
                 : f->select[c] == SELECT_ONE     ? one
                                                  : 0;
}

/* Components that the instruction does not supply are stored as 0. */
static void pack_element(const format_t *f, const uint32_t in[4], uint32_t raw[4])
{
    memset(raw, 0, 4 * sizeof *raw);
    for (unsigned c = 0, at = 0; c < f->layout.n; at += f->layout.bits[c++]) {
        const unsigned bits = f->layout.bits[c];
        const uint64_t mask = (UINT64_C(1) << bits) - 1;
        raw[at / 32] |= (uint32_t)(pack(in[c], bits, f->num) & mask) << at % 32;
    }
}

/* 16-bit components of the d16 instructions: f16 for everything but integers. */
static uint32_t to_d16(const format_t *f, uint32_t value)
{
    return is_integer(f) ? value & 0xffff : fpu_f32_to_f16(value, FPU_NEAREST);
}

static uint32_t from_d16(const format_t *f, uint32_t half)
{
    if (f->num == NUM_SINT) return (uint32_t)sign_extend(half, 16);
    return f->num == NUM_UINT ? half : fpu_f16_to_f32(half);
}

/* ---- instructions ---- */

/* How the components sit in the registers. */
typedef enum { WHOLE, D16, D16_HI } packing_t;

static bool prepare(isa_wave_t *w, const isa_inst_t *i, isa_buffer_access_t *x, format_t *f)
{
    isa_buffer_t b;
    isa_buffer_decode(w, i, true, &b);
    if (!find_format(w, i, &b, f)) return false;
    isa_buffer_addresses(w, i, &b, x);
    return true;
}

static void put_components(const format_t *f, isa_row_t *rows, unsigned l, const uint32_t *value,
                           unsigned n, packing_t packing)
{
    if (packing == WHOLE) {
        for (unsigned c = 0; c < n; c++)
            rows[c][l] = value[c];
    } else if (packing == D16_HI) {
        rows[0][l] = to_d16(f, value[0]) << 16;
    } else {
        for (unsigned c = 0; c < n; c += 2)
            rows[c / 2][l] = to_d16(f, value[c]) | (c + 1 < n ? to_d16(f, value[c + 1]) << 16 : 0);
    }
}

static void take_components(const format_t *f, const isa_row_t *rows, unsigned l, uint32_t *value,
                            unsigned n, packing_t packing)
{
    memset(value, 0, 4 * sizeof *value);
    for (unsigned c = 0; c < n; c++) {
        if (packing == WHOLE)
            value[c] = rows[c][l];
        else
            value[c] =
                from_d16(f, rows[c / 2][l] >> ((c & 1) || packing == D16_HI ? 16 : 0) & 0xffff);
    }
}

static void load(isa_wave_t *w, const isa_inst_t *i, unsigned n, packing_t packing)
{
    isa_buffer_access_t x;
    format_t f;
    isa_lanes_t lds;
    isa_row_t raw[4] = {{0}}, for_lds;
    if (!prepare(w, i, &x, &f)) return;
    const uint64_t exec = x.at.exec;
    const bool to_lds = i->flags & ISA_F_LDS;
    isa_row_t *rows = to_lds ? &for_lds : isa_lanes_rows(w, &i->dst);
    x.at.exec = isa_buffer_inside(&x, 0, f.bytes);
    if (f.bytes >= 4)
        isa_lanes_load(w, &x.at, raw, f.bytes / 4);
    else
        isa_lanes_load_sub(w, &x.at, raw, f.bytes == 1 ? ISA_SUB_U8 : ISA_SUB_U16);
    if (w->stop) return;
    for (uint64_t left = exec; left; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctzll(left);
        uint32_t value[4];
        if (x.at.exec >> l & 1)
            unpack_element(&f, (uint32_t[4]){raw[0][l], raw[1][l], raw[2][l], raw[3][l]}, value);
        else
            missing_element(&f, value);
        put_components(&f, rows, l, value, n, packing);
    }
    if (!to_lds) return;
    isa_buffer_lds_lanes(w, i, exec, &lds);
    isa_lanes_store(w, &lds, rows, 1);
}

static void store(isa_wave_t *w, const isa_inst_t *i, unsigned n, packing_t packing)
{
    isa_buffer_access_t x;
    format_t f;
    isa_row_t raw[4];
    if (!prepare(w, i, &x, &f)) return;
    const isa_row_t *rows = isa_lanes_rows(w, &i->src[1]);
    x.at.exec = isa_buffer_inside(&x, 0, f.bytes);
    for (unsigned l = 0; l < ISA_LANES; l++) {
        uint32_t value[4], element[4];
        take_components(&f, rows, l, value, n, packing);
        pack_element(&f, value, element);
        for (unsigned k = 0; k < 4; k++)
            raw[k][l] = element[k];
    }
    if (f.bytes >= 4)
        isa_lanes_store(w, &x.at, raw, f.bytes / 4);
    else
        isa_lanes_store_sub(w, &x.at, raw, f.bytes, 0);
}

#define LOADS(n, suffix)                                                                           \
    ISA_INST(buffer_load_format_##suffix)                                                          \
    {                                                                                              \
        load(w, i, n, WHOLE);                                                                      \
    }                                                                                              \
    ISA_INST(buffer_load_format_d16_##suffix)                                                      \
    {                                                                                              \
        load(w, i, n, D16);                                                                        \
    }                                                                                              \
    ISA_INST(tbuffer_load_format_##suffix)                                                         \
    {                                                                                              \
        load(w, i, n, WHOLE);                                                                      \
    }                                                                                              \
    ISA_INST(tbuffer_load_format_d16_##suffix)                                                     \
    {                                                                                              \
        load(w, i, n, D16);                                                                        \
    }

#define STORES(n, suffix)                                                                          \
    ISA_INST(buffer_store_format_##suffix)                                                         \
    {                                                                                              \
        store(w, i, n, WHOLE);                                                                     \
    }                                                                                              \
    ISA_INST(buffer_store_format_d16_##suffix)                                                     \
    {                                                                                              \
        store(w, i, n, D16);                                                                       \
    }                                                                                              \
    ISA_INST(tbuffer_store_format_##suffix)                                                        \
    {                                                                                              \
        store(w, i, n, WHOLE);                                                                     \
    }                                                                                              \
    ISA_INST(tbuffer_store_format_d16_##suffix)                                                    \
    {                                                                                              \
        store(w, i, n, D16);                                                                       \
    }

LOADS(1, x)
LOADS(2, xy)
LOADS(3, xyz)
LOADS(4, xyzw)
STORES(1, x)
STORES(2, xy)
STORES(3, xyz)
STORES(4, xyzw)

ISA_INST(buffer_load_format_d16_hi_x)
{
    load(w, i, 1, D16_HI);
}
ISA_INST(buffer_store_format_d16_hi_x)
{
    store(w, i, 1, D16_HI);
}
