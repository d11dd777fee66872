/* mem_image.c - MIMG: loads, stores, atomic operations and samples of images.
 *
 * image.h computes the texels and their weights; this file accesses and converts them. Lanes out of
 * range read 0 (or 1 where the descriptor selects that), and write nothing. An access that is
 * undefined on hardware stops the wave. */
#include "softgpu/exec/atomic.h"
#include "softgpu/exec/fpu.h"
#include "softgpu/exec/handler.h"
#include "softgpu/exec/image.h"
#include "softgpu/exec/texel_rows.h"

#include <math.h>

static bool begin(isa_wave_t *w, const isa_inst_t *i, isa_image_access_t *x)
{
    const char *why = w->exec ? isa_image_access(w, i, x) : NULL;
    if (why) isa_stop_unsupported(w, i, why);
    return w->exec && !why;
}

static void lanes_of(const isa_texels_t *t, isa_lanes_t *at)
{
    memcpy(at->va, t->va, sizeof at->va);
    at->exec = t->lanes;
    at->dword_step = 4;
    at->lds = false;
}

static void load_raw(isa_wave_t *w, const isa_texels_t *t, uint32_t bytes, isa_row_t raw[4])
{
    isa_lanes_t at;
    lanes_of(t, &at);
    if (bytes >= 4)
        isa_lanes_load(w, &at, raw, bytes / 4);
    else
        isa_lanes_load_sub(w, &at, raw, bytes == 1 ? ISA_SUB_U8 : ISA_SUB_U16);
}

static void store_raw(isa_wave_t *w, const isa_texels_t *t, uint32_t bytes, const isa_row_t raw[4])
{
    isa_lanes_t at;
    lanes_of(t, &at);
    if (bytes >= 4)
        isa_lanes_store(w, &at, raw, bytes / 4);
    else
        isa_lanes_store_sub(w, &at, raw, bytes, 0);
}

/* ---- components and registers: DMASK selects the components ---- */

static void put(isa_wave_t *w, const isa_inst_t *i, const isa_format_t *f, unsigned l,
                const uint32_t value[4])
{
    uint32_t some[4];
    unsigned n = 0;
    for (unsigned c = 0; c < 4; c++)
        if (isa_image_mask(i) >> c & 1) some[n++] = value[c];
    isa_put_components(f, isa_row_of(w, &i->dst), l, some, n, isa_image_packing(i));
}

/* ---- loads ---- */

static void load(isa_wave_t *w, const isa_inst_t *i)
{
    isa_image_access_t x;
    isa_row_t raw[4] = {{0}};
    if (!begin(w, i, &x)) return;
    const isa_format_t *f = &x.image.format;
    load_raw(w, &x.texel[0], f->bytes, raw);
    if (w->stop) return;
    for (uint64_t left = w->exec; left; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctzll(left);
        uint32_t have[4], value[4];
        if (x.texel[0].lanes >> l & 1) {
            isa_texel_components(f, (uint32_t[4]){raw[0][l], raw[1][l], raw[2][l], raw[3][l]},
                                 have);
            isa_texel_select(f, have, value);
        } else {
            isa_texel_missing(f, value);
        }
        put(w, i, f, l, value);
    }
}

/* Loads without conversion: the registers get the element's bytes from memory. */
static void load_packed(isa_wave_t *w, const isa_inst_t *i, bool is_signed)
{
    isa_image_access_t x;
    isa_row_t raw[4] = {{0}};
    if (!begin(w, i, &x)) return;
    const uint32_t bytes = x.image.format.bytes;
    load_raw(w, &x.texel[0], bytes, raw);
    if (w->stop) return;
    for (uint64_t left = w->exec; left; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctzll(left);
        uint32_t value[4] = {0};
        for (unsigned c = 0; x.texel[0].lanes >> l & 1 && c < 4; c++)
            value[c] = raw[c][l];
        if (is_signed && bytes && bytes < 4) /* 0: an invalid format */
            value[0] = (uint32_t)((int32_t)(value[0] << (32 - 8 * bytes)) >> (32 - 8 * bytes));
        put(w, i, &x.image.format, l, value);
    }
}

/* ---- samples ---- */

/* A lane's result while its texels come one by one. */
typedef struct {
    double sum[4];
    uint32_t whole[4]; /* the texel of weight 1: a result without rounding */
    bool some, is_whole;
} blend_t;

static void add_texel(blend_t *b, isa_reduce_t reduce, float weight, const uint32_t have[4])
{
    if (weight == 1) {
        memcpy(b->whole, have, sizeof b->whole);
        b->is_whole = true;
        return;
    }
    for (unsigned c = 0; c < 4; c++) {
        const double v = fpu_f32(have[c]);
        if (reduce == ISA_REDUCE_BLEND)
            b->sum[c] += weight * v;
        else if (!b->some)
            b->sum[c] = v;
        else
            b->sum[c] = reduce == ISA_REDUCE_MIN ? fmin(b->sum[c], v) : fmax(b->sum[c], v);
    }
    b->some = true;
}

/* The reference of a lane, within the range of texels if they are fixed-point numbers from 0 to 1,
 * where a NaN counts as 0. */
static float reference_of(const isa_image_access_t *x, unsigned l)
{
    const float reference = x->reference[l];
    if (x->image.format.num != ISA_NUM_UNORM) return reference;
    return reference > 1 ? 1 : reference > 0 ? reference : 0;
}

/* The comparison of a texel with a lane's reference takes the place of its first component. A NaN
 * is neither less than a number nor greater nor equal: "not equal" is true, as in IEEE 754. */
static void compare(const isa_image_access_t *x, unsigned l, uint32_t have[4])
{
    const unsigned unequal = ISA_COMPARE_LESS | ISA_COMPARE_GREATER;
    const float texel = fpu_f32(have[0]), reference = reference_of(x, l);
    const bool is = reference < texel    ? x->compare & ISA_COMPARE_LESS
                    : reference > texel  ? x->compare & ISA_COMPARE_GREATER
                    : reference == texel ? x->compare & ISA_COMPARE_EQUAL
                                         : (x->compare & unequal) == unequal;
    have[0] = is ? fpu_bits32(1.0f) : 0;
}

/* The components of a lane's texel t, of which raw has the element. */
static void components_of(const isa_image_access_t *x, const isa_texels_t *t,
                          const isa_row_t raw[4], unsigned l, uint32_t have[4])
{
    if (t->lanes >> l & 1)
        isa_texel_components(&x->image.format,
                             (uint32_t[4]){raw[0][l], raw[1][l], raw[2][l], raw[3][l]}, have);
    else
        memcpy(have, x->border, sizeof x->border);
    if (x->compares) compare(x, l, have);
}

static void add_texels(isa_wave_t *w, const isa_image_access_t *x, const isa_texels_t *t,
                       blend_t *blend)
{
    isa_row_t raw[4] = {{0}};
    load_raw(w, t, x->image.format.bytes, raw);
    for (uint64_t left = t->lanes | t->border; left && !w->stop; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctzll(left);
        uint32_t have[4];
        components_of(x, t, raw, l, have);
        add_texel(&blend[l], x->reduce, t->weight[l], have);
    }
}

static void finish(const isa_format_t *f, const blend_t *b, uint32_t value[4])
{
    uint32_t have[4];
    for (unsigned c = 0; c < 4; c++)
        have[c] = b->is_whole ? b->whole[c] : fpu_bits32((float)b->sum[c]);
    isa_texel_select(f, have, value);
}

static void sample(isa_wave_t *w, const isa_inst_t *i)
{
    isa_image_access_t x;
    blend_t blend[ISA_LANES] = {{.some = false}};
    if (!begin(w, i, &x)) return;
    const isa_format_t *f = &x.image.format;
    for (unsigned k = 0; k < x.n && !w->stop; k++)
        if (x.texel[k].lanes | x.texel[k].border) add_texels(w, &x, &x.texel[k], blend);
    for (uint64_t left = w->exec; left && !w->stop; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctzll(left);
        uint32_t value[4];
        if (blend[l].some || blend[l].is_whole)
            finish(f, &blend[l], value);
        else
            isa_texel_missing(f, value);
        put(w, i, f, l, value);
    }
}

/* Writes a component of each of the four texels, which DMASK selects. They come in the order: lower
 * left, lower right, upper right, upper left. */
static void gather(isa_wave_t *w, const isa_inst_t *i)
{
    static const uint8_t order[4] = {2, 3, 1, 0};
    const unsigned component = (unsigned)__builtin_ctz((i->image & ISA_IMAGE_DMASK) | 16u) & 3;
    isa_image_access_t x;
    isa_row_t raw[4][4] = {{{0}}};
    if (!begin(w, i, &x)) return;
    for (unsigned k = 0; k < x.n && k < 4 && !w->stop; k++)
        load_raw(w, &x.texel[k], x.image.format.bytes, raw[k]);
    for (uint64_t left = w->exec; left && !w->stop; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctzll(left);
        uint32_t result[4], have[4], value[4];
        for (unsigned k = 0; k < 4; k++) {
            const isa_texels_t *t = &x.texel[order[k]];
            if (x.gathers && (t->lanes | t->border) >> l & 1) {
                components_of(&x, t, raw[order[k]], l, have);
                isa_texel_select(&x.image.format, have, value);
            } else {
                isa_texel_missing(&x.image.format, value);
            }
            result[k] = value[component];
        }
        put(w, i, &x.image.format, l, result);
    }
}

#define SAMPLE(name)                                                                               \
    ISA_INST(image_sample##name)                                                                   \
    {                                                                                              \
        sample(w, i);                                                                              \
    }
#define GATHER(name)                                                                               \
    ISA_INST(image_gather4##name)                                                                  \
    {                                                                                              \
        gather(w, i);                                                                              \
    }

SAMPLE()
SAMPLE(_cl)
SAMPLE(_d)
SAMPLE(_d_cl)
SAMPLE(_l)
SAMPLE(_b)
SAMPLE(_b_cl)
SAMPLE(_lz)
SAMPLE(_c)
SAMPLE(_c_cl)
SAMPLE(_c_d)
SAMPLE(_c_d_cl)
SAMPLE(_c_l)
SAMPLE(_c_b)
SAMPLE(_c_b_cl)
SAMPLE(_c_lz)
SAMPLE(_o)
SAMPLE(_cl_o)
SAMPLE(_d_o)
SAMPLE(_d_cl_o)
SAMPLE(_l_o)
SAMPLE(_b_o)
SAMPLE(_b_cl_o)
SAMPLE(_lz_o)
SAMPLE(_c_o)
SAMPLE(_c_cl_o)
SAMPLE(_c_d_o)
SAMPLE(_c_d_cl_o)
SAMPLE(_c_l_o)
SAMPLE(_c_b_o)
SAMPLE(_c_b_cl_o)
SAMPLE(_c_lz_o)
SAMPLE(_cd)
SAMPLE(_cd_cl)
SAMPLE(_c_cd)
SAMPLE(_c_cd_cl)
SAMPLE(_cd_o)
SAMPLE(_cd_cl_o)
SAMPLE(_c_cd_o)
SAMPLE(_c_cd_cl_o)
SAMPLE(_cd_g16)
SAMPLE(_cd_cl_g16)
SAMPLE(_c_cd_g16)
SAMPLE(_c_cd_cl_g16)
SAMPLE(_cd_o_g16)
SAMPLE(_cd_cl_o_g16)
SAMPLE(_c_cd_o_g16)
SAMPLE(_c_cd_cl_o_g16)
SAMPLE(_d_g16)
SAMPLE(_d_cl_g16)
SAMPLE(_c_d_g16)
SAMPLE(_c_d_cl_g16)
SAMPLE(_d_o_g16)
SAMPLE(_d_cl_o_g16)
SAMPLE(_c_d_o_g16)
SAMPLE(_c_d_cl_o_g16)

GATHER()
GATHER(_cl)
GATHER(_l)
GATHER(_b)
GATHER(_b_cl)
GATHER(_lz)
GATHER(_c)
GATHER(_c_cl)
GATHER(_c_l)
GATHER(_c_b)
GATHER(_c_b_cl)
GATHER(_c_lz)
GATHER(_o)
GATHER(_cl_o)
GATHER(_l_o)
GATHER(_b_o)
GATHER(_b_cl_o)
GATHER(_lz_o)
GATHER(_c_o)
GATHER(_c_cl_o)
GATHER(_c_l_o)
GATHER(_c_b_o)
GATHER(_c_b_cl_o)
GATHER(_c_lz_o)

ISA_INST(image_get_lod)
{
    static const isa_format_t floats = {.num = ISA_NUM_FLOAT};
    float clamped[ISA_ROW], raw[ISA_ROW];
    const char *why = w->exec ? isa_image_lod(w, i, clamped, raw) : NULL;
    if (why) {
        isa_stop_unsupported(w, i, why);
        return;
    }
    for (uint64_t left = w->exec; left; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctzll(left);
        put(w, i, &floats, l, (uint32_t[4]){fpu_bits32(clamped[l]), fpu_bits32(raw[l]), 0, 0});
    }
}

/* ---- stores ---- */

static void store(isa_wave_t *w, const isa_inst_t *i)
{
    isa_image_access_t x;
    isa_row_t raw[4];
    if (!begin(w, i, &x)) return;
    if (x.image.format.num == ISA_NUM_SRGB && !isa_image_is_packed(i)) {
        isa_stop_unsupported(w, i, "store of an sRGB image");
        return;
    }
    for (uint64_t left = x.texel[0].lanes; left; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctzll(left);
        uint32_t element[4];
        isa_image_element(w, i, &x.image, l, element);
        for (unsigned k = 0; k < 4; k++)
            raw[k][l] = element[k];
    }
    store_raw(w, &x.texel[0], x.image.format.bytes, raw);
}

#define LOAD(name, ...)                                                                            \
    ISA_INST(image_load##name)                                                                     \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
    }
#define STORE(name)                                                                                \
    ISA_INST(image_store##name)                                                                    \
    {                                                                                              \
        store(w, i);                                                                               \
    }

LOAD(, load(w, i))
LOAD(_mip, load(w, i))
LOAD(_pck, load_packed(w, i, false))
LOAD(_pck_sgn, load_packed(w, i, true))
LOAD(_mip_pck, load_packed(w, i, false))
LOAD(_mip_pck_sgn, load_packed(w, i, true))
STORE()
STORE(_mip)
STORE(_pck)
STORE(_mip_pck)

/* ---- sizes ---- */

ISA_INST(image_get_resinfo)
{
    static const isa_format_t integers = {.num = ISA_NUM_UINT};
    for (uint64_t left = w->exec; left; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctzll(left);
        uint32_t size[4];
        const char *why = isa_image_size(w, i, l, size);
        if (why) {
            isa_stop_unsupported(w, i, why);
            return;
        }
        put(w, i, &integers, l, size);
    }
}

/* ---- atomic operations ---- */

/* Sets *at to the lanes in range. False: the wave is stopped, or no lane is active. */
static bool atomic_begin(isa_wave_t *w, const isa_inst_t *i, uint32_t bytes, isa_lanes_t *at)
{
    isa_image_access_t x;
    if (!isa_alone(w, i) || !begin(w, i, &x)) return false;
    if (x.image.type != ISA_IMAGE_NONE && x.image.format.bytes != bytes) {
        isa_stop_unsupported(w, i, "elements of another size");
        return false;
    }
    lanes_of(&x.texel[0], at);
    return true;
}

static unsigned atomic_dwords(const isa_inst_t *i)
{
    return i->src[1].bits / 32u / (isa_table[i->op].mods & ISA_M_CAS ? 2 : 1);
}

/* `of_two`: what is done for elements of two dwords. */
#define ATOMIC_OF(name, of_one, of_two)                                                            \
    ISA_INST(image_atomic_##name)                                                                  \
    {                                                                                              \
        const unsigned dwords = atomic_dwords(i);                                                  \
        const isa_row_t *data = isa_row_of(w, &i->src[1]);                                         \
        isa_row_t *dst = i->flags & ISA_F_GLC ? isa_row_of(w, &i->dst) : NULL;                     \
        isa_lanes_t at;                                                                            \
        if (!atomic_begin(w, i, 4 * dwords, &at)) return;                                          \
        const uint64_t outside = w->exec & ~at.exec;                                               \
        if (dwords == 1)                                                                           \
            of_one(w, &at, data, dst);                                                             \
        else                                                                                       \
            of_two;                                                                                \
        if (dst) isa_lanes_zero(dst, dwords, outside);                                             \
    }

#define ATOMIC(name)                                                                               \
    ATOMIC_OF(name, isa_lanes_atomic_##name, isa_lanes_atomic_##name##_x2(w, &at, data, dst))

ATOMIC(swap)
ATOMIC(cmpswap)
ATOMIC(add)
ATOMIC(sub)
ATOMIC(smin)
ATOMIC(umin)
ATOMIC(smax)
ATOMIC(umax)
ATOMIC(and)
ATOMIC(or)
ATOMIC(xor)
ATOMIC(inc)
ATOMIC(dec)
ATOMIC(fmin)
ATOMIC(fmax)
ATOMIC(fcmpswap)

/* Atomic additions of floats, of 32 bits alone. */
#define ATOMIC_ADD(name, of_one)                                                                   \
    ATOMIC_OF(name, of_one, {                                                                      \
        isa_stop_unsupported(w, i, "elements of another size");                                    \
        return;                                                                                    \
    })

ATOMIC_ADD(add_flt, isa_lanes_atomic_add_f32)
ATOMIC_ADD(pk_add_f16, isa_lanes_atomic_pk_add_f16)
ATOMIC_ADD(pk_add_bf16, isa_lanes_atomic_pk_add_bf16)
