/* lds.c - LDS loads and stores, the lane exchanges (swizzle, permute) and the wave counters.
 *
 * Read-modify-write operations are in lds_atomic.c. mem_lanes.c makes the accesses themselves: LDS
 * is a small memory without a page table. */
#include "softgpu/exec/lds.h"
#include "softgpu/exec/mem_block.h"
#include "softgpu/exec/transpose.h"
#include "softgpu/exec/vector.h"

#include <string.h>

/* Limits *a to the active lanes whose elements are in LDS; returns the other active lanes. */
static uint64_t take_inside(const isa_wave_t *w, uint32_t bytes, isa_lanes_t *a)
{
    const uint64_t outside = isa_lanes_outside(a->va, w->exec, bytes, w->group->lds_bytes);
    a->dword_step = 4;
    a->lds = true;
    a->exec = w->exec & ~outside;
    return outside;
}

uint64_t isa_ds_addresses(isa_wave_t *w, const isa_inst_t *i, uint32_t offset, uint32_t bytes,
                          isa_lanes_t *a)
{
    const uint32_t *addr = isa_row_of(w, &i->src[0])[0];
    for (unsigned l = 0; l < ISA_LANES; l++)
        a->va[l] = addr[l] + offset;
    return take_inside(w, bytes, a);
}

bool isa_ds_sums_in_range(const uint32_t *addr, uint32_t offset, uint32_t limit, uint64_t exec,
                          uint32_t *restrict room)
{
    isa_vec_t most = isa_vec_all(0);
    for (unsigned l = 0; l < ISA_LANES; l += ISA_VEC) {
        isa_vec_t x = isa_vec_load(addr + l) + offset;
        if (exec != ISA_ALL_LANES) x = isa_row_active(x, l, exec);
        most = isa_vec_max(most, x);
        isa_vec_store(room + l, x);
    }
    return !isa_vec_above(most, isa_vec_all(limit));
}

static bool turn_comes(const isa_wave_t *w)
{
    return w->lds_turn == ISA_LDS_READ && w->group->n_waves > 1;
}

bool isa_ds_lets_go_first(isa_wave_t *w, const isa_inst_t *i)
{
    if (!turn_comes(w)) return false;
    const unsigned klass = isa_table[i->op].klass;
    if (klass == ISA_CLASS_FLAT_WR) return isa_address_flat_lanes(w, i).in[ISA_SPACE_LDS];
    return klass == ISA_CLASS_LDS_WR || isa_loads_to_lds(i);
}

bool isa_ds_wait_or_go(isa_wave_t *w, const isa_inst_t *i)
{
    const bool waits = turn_comes(w);
    w->lds_turn = waits ? ISA_LDS_WAITS : ISA_LDS_WAITED;
    if (waits)
        isa_retry(w, i, ISA_STOP_STEP);
    else
        isa_retried(w);
    return waits;
}

/* ---- loads and stores ---- */

ISA_BLOCK void load(isa_wave_t *w, const isa_inst_t *i, unsigned dwords)
{
    isa_lanes_t a;
    isa_ds_elements_t e;
    isa_row_t room, *rows = isa_row_of(w, &i->dst);
    if (isa_ds_in_range(w, i, isa_ds_offset16(i), 4 * dwords, room, &e)) {
        isa_gather(e.base, e.at, w->exec, rows, dwords);
        return;
    }
    if (!isa_ds_ready(w, i)) return;
    const uint64_t outside = isa_ds_addresses(w, i, isa_ds_offset16(i), 4 * dwords, &a);
    isa_lanes_load(w, &a, rows, dwords);
    isa_lanes_zero(rows, dwords, outside);
}

ISA_BLOCK void load_sub(isa_wave_t *w, const isa_inst_t *i, isa_sub_t kind)
{
    isa_lanes_t a;
    isa_ds_elements_t e;
    isa_row_t room, *rows = isa_row_of(w, &i->dst);
    if (isa_ds_in_range(w, i, isa_ds_offset16(i), 4, room, &e)) {
        isa_gather_sub(e.base, e.at, w->exec, *rows, kind);
        return;
    }
    if (!isa_ds_ready(w, i)) return;
    const uint64_t outside = isa_ds_addresses(w, i, isa_ds_offset16(i), isa_sub_bytes(kind), &a);
    isa_lanes_load_sub(w, &a, rows, kind);
    isa_lanes_zero(rows, 1, outside);
}

ISA_BLOCK void store(isa_wave_t *w, const isa_inst_t *i, unsigned dwords)
{
    isa_lanes_t a;
    isa_ds_elements_t e;
    isa_row_t room;
    if (isa_ds_in_range(w, i, isa_ds_offset16(i), 4 * dwords, room, &e)) {
        isa_scatter(e.base, e.at, w->exec, isa_row_of(w, &i->src[1]), dwords);
        return;
    }
    if (!isa_ds_ready(w, i)) return;
    isa_ds_addresses(w, i, isa_ds_offset16(i), 4 * dwords, &a);
    isa_lanes_store(w, &a, isa_row_of(w, &i->src[1]), dwords);
}

static void store_sub(isa_wave_t *w, const isa_inst_t *i, unsigned bytes, unsigned shift)
{
    isa_lanes_t a;
    if (!isa_ds_ready(w, i)) return;
    isa_ds_addresses(w, i, isa_ds_offset16(i), bytes, &a);
    isa_lanes_store_sub(w, &a, isa_row_of(w, &i->src[1]), bytes, shift);
}

/* Both elements of a lane as one stretch of LDS, from the beginning of the nearer element to the
 * end of the other. */
typedef struct {
    uint32_t offset, bytes;
    uint32_t first, second; /* where in the stretch the elements are */
} pair_t;

ISA_BLOCK pair_t pair_of(const isa_inst_t *i, unsigned dwords, uint32_t unit)
{
    const unsigned near = i->offset0 < i->offset1 ? i->offset0 : i->offset1;
    const unsigned far = i->offset0 < i->offset1 ? i->offset1 : i->offset0;
    return (pair_t){near * unit, (far - near) * unit + 4 * dwords, (i->offset0 - near) * unit,
                    (i->offset1 - near) * unit};
}

/* Two elements, each at its own offset in units of `unit` bytes. The destination may hold the
 * address, so both addresses are computed first. */
ISA_BLOCK void load2(isa_wave_t *w, const isa_inst_t *i, unsigned dwords, uint32_t unit)
{
    isa_lanes_t a, b;
    isa_ds_elements_t e;
    isa_row_t room, *rows = isa_row_of(w, &i->dst);
    const pair_t p = pair_of(i, dwords, unit);
    if (isa_ds_in_range(w, i, p.offset, p.bytes, room, &e)) {
        const uint32_t *at = isa_row_kept(e.at, rows, 2 * dwords, room);
        /* Compilers load an element of twice the size so, if it may be aligned to less. Lanes whose
         * first parts are side by side are two blocks. Under a partial EXEC `at` does not show
         * whether they are, since inactive lanes may have any offset. */
        if (w->exec == ISA_ALL_LANES && p.second == p.first + 4 * dwords &&
            !isa_row_counts(at, 4 * dwords)) {
            isa_gather(e.base + p.first, at, w->exec, rows, 2 * dwords);
            return;
        }
        isa_gather(e.base + p.first, at, w->exec, rows, dwords);
        isa_gather(e.base + p.second, at, w->exec, rows + dwords, dwords);
        return;
    }
    if (!isa_ds_ready(w, i)) return;
    const uint64_t outside_a = isa_ds_addresses(w, i, i->offset0 * unit, 4 * dwords, &a);
    const uint64_t outside_b = isa_ds_addresses(w, i, i->offset1 * unit, 4 * dwords, &b);
    isa_lanes_load(w, &a, rows, dwords);
    isa_lanes_zero(rows, dwords, outside_a);
    isa_lanes_load(w, &b, rows + dwords, dwords);
    isa_lanes_zero(rows + dwords, dwords, outside_b);
}

ISA_BLOCK void store2(isa_wave_t *w, const isa_inst_t *i, unsigned dwords, uint32_t unit)
{
    isa_lanes_t a;
    isa_ds_elements_t e;
    isa_row_t room;
    const pair_t p = pair_of(i, dwords, unit);
    if (isa_ds_in_range(w, i, p.offset, p.bytes, room, &e)) {
        isa_scatter(e.base + p.first, e.at, w->exec, isa_row_of(w, &i->src[1]), dwords);
        isa_scatter(e.base + p.second, e.at, w->exec, isa_row_of(w, &i->src[2]), dwords);
        return;
    }
    if (!isa_ds_ready(w, i)) return;
    isa_ds_addresses(w, i, i->offset0 * unit, 4 * dwords, &a);
    isa_lanes_store(w, &a, isa_row_of(w, &i->src[1]), dwords);
    isa_ds_addresses(w, i, i->offset1 * unit, 4 * dwords, &a);
    isa_lanes_store(w, &a, isa_row_of(w, &i->src[2]), dwords);
}

#define LOAD(name, dwords)                                                                         \
    ISA_INST(name)                                                                                 \
    {                                                                                              \
        isa_ds_reads(w);                                                                           \
        load(w, i, dwords);                                                                        \
    }
#define LOAD_SUB(name, kind)                                                                       \
    ISA_INST(name)                                                                                 \
    {                                                                                              \
        isa_ds_reads(w);                                                                           \
        isa_row_t old;                                                                             \
        const bool keeps = isa_sub_keeps(w, i, kind, old);                                         \
        load_sub(w, i, kind);                                                                      \
        if (keeps) isa_sub_keep(w, i, kind, old);                                                  \
    }
#define STORE(name, dwords)                                                                        \
    ISA_INST(name)                                                                                 \
    {                                                                                              \
        if (!isa_ds_waits(w, i)) store(w, i, dwords);                                              \
    }
#define STORE_SUB(name, bytes, shift)                                                              \
    ISA_INST(name)                                                                                 \
    {                                                                                              \
        if (!isa_ds_waits(w, i)) store_sub(w, i, bytes, shift);                                    \
    }
#define LOAD2(name, dwords, unit)                                                                  \
    ISA_INST(name)                                                                                 \
    {                                                                                              \
        isa_ds_reads(w);                                                                           \
        load2(w, i, dwords, unit);                                                                 \
    }
#define STORE2(name, dwords, unit)                                                                 \
    ISA_INST(name)                                                                                 \
    {                                                                                              \
        if (!isa_ds_waits(w, i)) store2(w, i, dwords, unit);                                       \
    }

LOAD(ds_read_b32, 1)
LOAD(ds_read_b64, 2)
LOAD(ds_read_b96, 3)
LOAD(ds_read_b128, 4)
LOAD_SUB(ds_read_u8, ISA_SUB_U8)
LOAD_SUB(ds_read_i8, ISA_SUB_I8)
LOAD_SUB(ds_read_u16, ISA_SUB_U16)
LOAD_SUB(ds_read_i16, ISA_SUB_I16)
LOAD_SUB(ds_read_u8_d16, ISA_SUB_U8_D16)
LOAD_SUB(ds_read_u8_d16_hi, ISA_SUB_U8_D16_HI)
LOAD_SUB(ds_read_i8_d16, ISA_SUB_I8_D16)
LOAD_SUB(ds_read_i8_d16_hi, ISA_SUB_I8_D16_HI)
LOAD_SUB(ds_read_u16_d16, ISA_SUB_B16_D16)
LOAD_SUB(ds_read_u16_d16_hi, ISA_SUB_B16_D16_HI)
LOAD2(ds_read2_b32, 1, 4)
LOAD2(ds_read2_b64, 2, 8)
LOAD2(ds_read2st64_b32, 1, 4 * 64)
LOAD2(ds_read2st64_b64, 2, 8 * 64)
STORE(ds_write_b32, 1)
STORE(ds_write_b64, 2)
STORE(ds_write_b96, 3)
STORE(ds_write_b128, 4)
STORE_SUB(ds_write_b8, 1, 0)
STORE_SUB(ds_write_b8_d16_hi, 1, 16)
STORE_SUB(ds_write_b16, 2, 0)
STORE_SUB(ds_write_b16_d16_hi, 2, 16)
STORE2(ds_write2_b32, 1, 4)
STORE2(ds_write2_b64, 2, 8)
STORE2(ds_write2st64_b32, 1, 4 * 64)
STORE2(ds_write2st64_b64, 2, 8 * 64)

/* ---- loads that transpose ---- */

/* The hardware requires a full EXEC; here an inactive lane contributes zeros and its registers are
 * unchanged. */
static void load_transposed(isa_wave_t *w, const isa_inst_t *i, unsigned dwords)
{
    isa_lanes_t a;
    isa_row_t read[3] = {{0}}, out[3], *rows = isa_row_of(w, &i->dst);
    isa_ds_reads(w);
    if (!isa_ds_ready(w, i)) return;
    isa_ds_addresses(w, i, isa_ds_offset16(i), 4 * dwords, &a);
    isa_lanes_load(w, &a, read, dwords);
    if (w->stop) return;
    isa_transpose(read, out, dwords, isa_transposed_bits(i->op));
    for (unsigned k = 0; k < dwords; k++)
        for (unsigned l = 0; l < ISA_LANES; l++)
            if (w->exec >> l & 1) rows[k][l] = out[k][l];
}

ISA_INST(ds_read_b64_tr_b16)
{
    load_transposed(w, i, 2);
}
ISA_INST(ds_read_b64_tr_b8)
{
    load_transposed(w, i, 2);
}
ISA_INST(ds_read_b64_tr_b4)
{
    load_transposed(w, i, 2);
}
ISA_INST(ds_read_b96_tr_b6)
{
    load_transposed(w, i, 3);
}

/* ---- addresses from M0 and the lane number ---- */

/* As isa_ds_addresses, at offset + M0[15:0] + 4 * lane. */
static uint64_t addtid_addresses(const isa_wave_t *w, const isa_inst_t *i, isa_lanes_t *a)
{
    isa_address_lds_lanes(a->va, w, isa_ds_offset16(i));
    return take_inside(w, 4, a);
}

ISA_INST(ds_read_addtid_b32)
{
    isa_lanes_t a;
    isa_row_t *rows = isa_row_of(w, &i->dst);
    isa_ds_reads(w);
    if (!isa_ds_ready(w, i)) return;
    const uint64_t outside = addtid_addresses(w, i, &a);
    isa_lanes_load(w, &a, rows, 1);
    isa_lanes_zero(rows, 1, outside);
}

ISA_INST(ds_write_addtid_b32)
{
    isa_lanes_t a;
    if (isa_ds_waits(w, i) || !isa_ds_ready(w, i)) return;
    addtid_addresses(w, i, &a);
    /* the instruction has no address operand: the data is the first source of its encoding */
    isa_lanes_store(w, &a, isa_row_of(w, &i->src[1]), 1);
}

/* A counter for the whole wave: every active lane gets its old value. */
static void count_lanes(isa_wave_t *w, const isa_inst_t *i, bool up)
{
    if (!isa_ds_ready(w, i) || !isa_alone(w, i) || !w->exec) return;
    const uint32_t at = isa_ds_offset16(i) + (w->m0 & 0xffff);
    const uint32_t lanes = isa_lane_count(w->exec);
    uint32_t *row = isa_row_of(w, &i->dst)[0];
    uint32_t old = 0;
    if ((uint64_t)at + 4 <= w->group->lds_bytes) {
        memcpy(&old, w->group->lds + at, 4);
        const uint32_t now = up ? old + lanes : old - lanes;
        memcpy(w->group->lds + at, &now, 4);
    }
    for (unsigned l = 0; l < ISA_LANES; l++)
        row[l] = w->exec >> l & 1 ? old : row[l];
}

ISA_INST(ds_append)
{
    count_lanes(w, i, true);
}
ISA_INST(ds_consume)
{
    count_lanes(w, i, false);
}
ISA_INST(ds_nop) {}

/* ---- exchanges between lanes ---- */

/* Lane that lane l reads under ds_swizzle's offset. Modes by the offset's top bits: FFT from
 * 0xe000, rotate from 0xc000, quad permute from 0x8000, else and/or/xor masks within 32 lanes. */
static unsigned swizzle_source(uint32_t offset, unsigned l)
{
    const unsigned mask = offset & 31;
    if (offset >= 0xe000) {
        unsigned reversed = 0;
        for (unsigned b = 0; b < 5; b++)
            reversed |= (l >> b & 1) << (4 - b);
        return reversed >> __builtin_popcount(mask) | (l & mask) | (l & 32);
    }
    if (offset >= 0xc000) {
        const unsigned steps = offset >> 5 & 31, turned = offset & 1 << 10 ? l - steps : l + steps;
        return (l & mask) | (turned & ~mask & 31) | (l & 32);
    }
    if (offset & 0x8000) return (l & ~3u) | (offset >> 2 * (l & 3) & 3);
    return (((l & mask) | (offset >> 5 & 31)) ^ (offset >> 10 & 31)) | (l & 32);
}

/* Writes `from` to the active lanes of the destination. */
ISA_BLOCK void write_row(isa_wave_t *w, const isa_inst_t *i, const uint32_t *from)
{
    uint32_t *row = isa_row_of(w, &i->dst)[0];
    for (unsigned l = 0; l < ISA_LANES; l += ISA_VEC)
        isa_vec_store(row + l, isa_vec_lanes((uint32_t)(w->exec >> l), isa_vec_load(from + l),
                                             isa_vec_load(row + l)));
}

/* The row of a data operand from which lanes read: an inactive lane reads as 0. */
ISA_BLOCK const uint32_t *offered_row(isa_wave_t *w, const isa_operand_t *o, uint32_t *room)
{
    const uint32_t *data = isa_row_of(w, o)[0];
    if (w->exec == ISA_ALL_LANES) return data;
    for (unsigned l = 0; l < ISA_LANES; l += ISA_VEC)
        isa_vec_store(room + l, isa_vec_lanes((uint32_t)(w->exec >> l), isa_vec_load(data + l),
                                              isa_vec_all(0)));
    return room;
}

ISA_INST(ds_swizzle_b32)
{
    const uint32_t offset = isa_ds_offset16(i);
    isa_row_t out, room;
    const uint32_t *offered = offered_row(w, &i->src[0], room);
    for (unsigned l = 0; l < ISA_LANES; l++)
        out[l] = offered[swizzle_source(offset, l)];
    write_row(w, i, out);
}

/* Mask of the bits of an address that select a lane. A GPU that has waves of 32 lanes, too,
 * permutes the two halves of a wave of 64 lanes separately. */
static unsigned permuted_bits(const isa_wave_t *w)
{
    const unsigned lanes = w->group->dispatch->arch->lanes;
    return (lanes < ISA_LANES ? lanes : ISA_LANES) - 1;
}

/* The row's dwords of these lanes. Where neighbours read from neighbours, or all of a vector's
 * lanes from one vector, as in most sums over a wave, the core for AVX2 does it at once. */
ISA_BLOCK isa_vec_t of_lanes(const uint32_t *row, isa_vec_t lane)
{
#if ISA_VEC_BYTES == 32
    const uint32_t first = lane[0];
    if (!isa_vec_any((lane - isa_vec_count(1)) ^ first)) return isa_vec_load(row + first);
    if (!isa_vec_any((lane ^ first) & ~7u))
        return (isa_vec_t)_mm256_permutevar8x32_epi32((__m256i)isa_vec_load(row + (first & ~7u)),
                                                      (__m256i)lane);
#endif
    return isa_vec_permute(row, lane);
}

static void permute_back(isa_wave_t *w, const isa_inst_t *i, const uint32_t *offered)
{
    const uint32_t *addr = isa_row_of(w, &i->src[0])[0];
    const uint32_t offset = isa_ds_offset16(i);
    const unsigned bits = permuted_bits(w);
    isa_row_t out;
    for (unsigned l = 0; l < ISA_LANES; l += ISA_VEC) {
        const isa_vec_t lane = (isa_vec_load(addr + l) + offset) >> 2;
        isa_vec_store(out + l, of_lanes(offered, (lane & bits) | (l & ~bits)));
    }
    write_row(w, i, out);
}

ISA_INST(ds_bpermute_b32)
{
    isa_row_t room;
    permute_back(w, i, offered_row(w, &i->src[1], room));
}

/* Values of inactive lanes can be read, too. */
ISA_INST(ds_bpermute_fi_b32)
{
    permute_back(w, i, isa_row_of(w, &i->src[1])[0]);
}

ISA_INST(ds_permute_b32)
{
    const uint32_t *addr = isa_row_of(w, &i->src[0])[0];
    const uint32_t *data = isa_row_of(w, &i->src[1])[0];
    const uint32_t offset = isa_ds_offset16(i);
    const unsigned bits = permuted_bits(w);
    isa_row_t out = {0};
    for (unsigned l = 0; l < ISA_LANES; l++)
        if (w->exec >> l & 1) out[((addr[l] + offset) >> 2 & bits) | (l & ~bits)] = data[l];
    write_row(w, i, out);
}

/* ---- one value for all lanes ---- */

/* M0 has the value's address and type. A quad of lanes gets it if EXEC includes one of them. */
ISA_INST(lds_direct_load)
{
    const isa_operand_t direct = {.kind = ISA_OPK_SPECIAL, .reg = ISA_CODE_LDS_DIRECT};
    const uint32_t value = (uint32_t)isa_read_special(w, &direct);
    const uint64_t lanes = isa_whole_quads(w->exec);
    uint32_t *row = *isa_row_of(w, &i->dst);
    for (unsigned l = 0; l < ISA_LANES; l++)
        if (lanes >> l & 1) row[l] = value;
}
