/* buffer_format.c - MTBUF, and MUBUF with format: elements packed in memory, converted on the way.
 *
 * A format is a layout (data format: how many components of how many bits) and a meaning (number
 * format). MTBUF instructions have both; MUBUF instructions take them from the descriptor, which
 * also selects components. A combination that the hardware does not define stops the wave. */
#include "softgpu/exec/buffer.h"
#include "softgpu/exec/texel_rows.h"

static bool find_format(isa_wave_t *w, const isa_inst_t *i, const isa_buffer_t *b, isa_format_t *f)
{
    if (isa_format_of_buffer(f, w->group->dispatch->arch, i, b->word3)) return true;
    isa_stop_unsupported(w, i, "undefined buffer format");
    return false;
}

/* ---- instructions ---- */

static bool prepare(isa_wave_t *w, const isa_inst_t *i, isa_buffer_access_t *x, isa_format_t *f)
{
    isa_buffer_t b;
    isa_buffer_decode(w, i, true, &b);
    if (!find_format(w, i, &b, f)) return false;
    isa_buffer_addresses(w, i, &b, x);
    return true;
}

static void load_element(const isa_format_t *f, const uint32_t raw[4], uint32_t out[4])
{
    uint32_t have[4];
    isa_texel_components(f, raw, have);
    isa_texel_select(f, have, out);
}

static void load(isa_wave_t *w, const isa_inst_t *i, unsigned n, isa_packing_t packing)
{
    isa_buffer_access_t x;
    isa_format_t f;
    isa_lanes_t lds;
    isa_row_t raw[4] = {{0}}, for_lds;
    const bool to_lds = isa_loads_to_lds(i);
    if (to_lds && isa_ds_waits(w, i)) return;
    if (!prepare(w, i, &x, &f)) return;
    const uint64_t exec = x.at.exec;
    isa_row_t *rows = to_lds ? &for_lds : isa_row_of(w, &i->dst);
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
            load_element(&f, (uint32_t[4]){raw[0][l], raw[1][l], raw[2][l], raw[3][l]}, value);
        else
            isa_texel_missing(&f, value);
        isa_put_components(&f, rows, l, value, n, packing);
    }
    if (!to_lds) return;
    isa_lds_side(w, i, exec, 4, &lds);
    isa_lanes_store(w, &lds, rows, 1);
}

static void store(isa_wave_t *w, const isa_inst_t *i, unsigned n, isa_packing_t packing)
{
    isa_buffer_access_t x;
    isa_format_t f;
    isa_row_t raw[4];
    if (!prepare(w, i, &x, &f)) return;
    const isa_row_t *rows = isa_row_of(w, &i->src[1]);
    x.at.exec = isa_buffer_inside(&x, 0, f.bytes);
    for (unsigned l = 0; l < ISA_LANES; l++) {
        uint32_t element[4];
        isa_format_element(&f, rows, l, n, packing, element);
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
        load(w, i, n, ISA_PACK_WHOLE);                                                             \
    }                                                                                              \
    ISA_INST(buffer_load_format_d16_##suffix)                                                      \
    {                                                                                              \
        load(w, i, n, ISA_PACK_D16);                                                               \
    }                                                                                              \
    ISA_INST(tbuffer_load_format_##suffix)                                                         \
    {                                                                                              \
        load(w, i, n, ISA_PACK_WHOLE);                                                             \
    }                                                                                              \
    ISA_INST(tbuffer_load_format_d16_##suffix)                                                     \
    {                                                                                              \
        load(w, i, n, ISA_PACK_D16);                                                               \
    }

#define STORES(n, suffix)                                                                          \
    ISA_INST(buffer_store_format_##suffix)                                                         \
    {                                                                                              \
        store(w, i, n, ISA_PACK_WHOLE);                                                            \
    }                                                                                              \
    ISA_INST(buffer_store_format_d16_##suffix)                                                     \
    {                                                                                              \
        store(w, i, n, ISA_PACK_D16);                                                              \
    }                                                                                              \
    ISA_INST(tbuffer_store_format_##suffix)                                                        \
    {                                                                                              \
        store(w, i, n, ISA_PACK_WHOLE);                                                            \
    }                                                                                              \
    ISA_INST(tbuffer_store_format_d16_##suffix)                                                    \
    {                                                                                              \
        store(w, i, n, ISA_PACK_D16);                                                              \
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
    load(w, i, 1, ISA_PACK_D16_HI);
}
ISA_INST(buffer_store_format_d16_hi_x)
{
    store(w, i, 1, ISA_PACK_D16_HI);
}
