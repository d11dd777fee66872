/* buffer.c - MUBUF: untyped loads, stores and atomics through a buffer descriptor, cache
 * operations.
 *
 * Accesses to linear buffers become ordinary accesses of a wave; in swizzled buffers (mostly the
 * compiler's scratch) the dwords of an element lie index_stride dwords apart. Lanes out of range
 * read 0 and write nothing. Formats are in buffer_format.c. */
#include "softgpu/exec/buffer.h"
#include "softgpu/exec/atomic.h"
#include "softgpu/exec/mem_block.h"

void isa_buffer_decode(const isa_wave_t *w, const isa_inst_t *i, bool formatted, isa_buffer_t *b)
{
    isa_address_descriptor(w, &w->sgpr[i->src[2].reg], formatted, b);
}

void isa_buffer_addresses(isa_wave_t *w, const isa_inst_t *i, const isa_buffer_t *b,
                          isa_buffer_access_t *x)
{
    const bool rows = i->flags & (ISA_F_IDXEN | ISA_F_OFFEN);
    x->at.exec = w->exec;
    x->at.lds = false;
    x->at.dword_step = isa_buffer_dword_step(b);
    isa_address_buffer(x->at.va, &x->range, b, i, rows ? isa_row_of(w, &i->src[0]) : NULL,
                       isa_read32(w, &i->src[3]));
}

uint64_t isa_buffer_inside(const isa_buffer_access_t *x, uint32_t from, uint32_t bytes)
{
    return isa_address_inside(&x->range, x->at.exec, from, bytes);
}

static void prepare(isa_wave_t *w, const isa_inst_t *i, isa_buffer_access_t *x)
{
    isa_buffer_t b;
    isa_buffer_decode(w, i, false, &b);
    isa_buffer_addresses(w, i, &b, x);
}

/* ---- the fast path: spills and variables on the stack ----
 *
 * In a buffer swizzled by 64 lanes, with the lane number as index, a dword at the same offset in
 * all lanes is one block of 256 bytes. No lane of it can be out of range. */

enum { SPILL_BLOCK = 4 * ISA_LANES };

/* Host address of the first dword's block, or NULL if the general path must be taken. */
static uint8_t *spill_place(isa_wave_t *w, const isa_inst_t *i, uint32_t dwords, bool write)
{
    isa_buffer_t b;
    isa_buffer_decode(w, i, false, &b);
    if (!b.swizzle || !b.add_tid || b.index_stride != ISA_LANES || (i->flags & ISA_F_IDXEN) ||
        !w->exec)
        return NULL;
    uint32_t offset = 0;
    if (i->flags & ISA_F_OFFEN) {
        const uint32_t *row = isa_row_of(w, &i->src[0])[0];
        isa_row_t active;
        uint32_t differ = 0;
        offset = row[__builtin_ctzll(w->exec)];
        isa_mask_row(active, w->exec);
        for (unsigned l = 0; l < ISA_LANES; l++)
            differ |= (row[l] ^ offset) & active[l];
        if (differ) return NULL;
    }
    const uint32_t at = isa_buffer_offset(offset, i);
    if (at % 4) return NULL;
    const uint64_t va = b.base + isa_read32(w, &i->src[3]) + (uint64_t)at * ISA_LANES;
    const sg_extent_t *e = isa_mem_extent(w, va);
    if (!e || dwords * SPILL_BLOCK > e->end - va || (write && !(e->flags & SG_MEM_WRITABLE)))
        return NULL;
    return e->host + (va - e->begin);
}

ISA_NO_TSAN static bool load_spill(isa_wave_t *w, const isa_inst_t *i, unsigned dwords)
{
    const uint8_t *p = spill_place(w, i, dwords, false);
    if (!p) return false;
    isa_row_t *rows = isa_row_of(w, &i->dst);
    for (unsigned k = 0; k < dwords; k++, p += SPILL_BLOCK) {
        if (w->exec == ISA_ALL_LANES) {
            isa_block_load(rows + k, p, 1);
            continue;
        }
        for (uint64_t left = w->exec; left; left &= left - 1) {
            const unsigned l = (unsigned)__builtin_ctzll(left);
            rows[k][l] = ((const isa_u32_any_t *)p)[l];
        }
    }
    return true;
}

ISA_NO_TSAN static bool store_spill(isa_wave_t *w, const isa_inst_t *i, unsigned dwords)
{
    uint8_t *p = spill_place(w, i, dwords, true);
    if (!p) return false;
    const isa_row_t *rows = isa_row_of(w, &i->src[1]);
    for (unsigned k = 0; k < dwords; k++, p += SPILL_BLOCK) {
        if (w->exec == ISA_ALL_LANES) {
            isa_block_store(rows + k, p, 1);
            continue;
        }
        for (uint64_t left = w->exec; left; left &= left - 1) {
            const unsigned l = (unsigned)__builtin_ctzll(left);
            ((isa_u32_any_t *)p)[l] = rows[k][l];
        }
    }
    return true;
}

/* ---- elements of dwords: each dword has its own range check ---- */

static void next_dword(isa_lanes_t *a)
{
    for (unsigned l = 0; l < ISA_LANES; l++)
        a->va[l] += a->dword_step;
}

static void load(isa_wave_t *w, const isa_inst_t *i, unsigned dwords)
{
    isa_buffer_access_t x;
    if (load_spill(w, i, dwords)) return;
    prepare(w, i, &x);
    isa_row_t *rows = isa_row_of(w, &i->dst);
    const uint64_t exec = x.at.exec;
    if (isa_buffer_inside(&x, 0, 4 * dwords) == exec) {
        isa_lanes_load(w, &x.at, rows, dwords);
        return;
    }
    for (unsigned k = 0; k < dwords && !w->stop; k++) {
        x.at.exec = exec;
        x.at.exec = isa_buffer_inside(&x, 4 * k, 4);
        isa_lanes_load(w, &x.at, rows + k, 1);
        isa_lanes_zero(rows + k, 1, exec & ~x.at.exec);
        next_dword(&x.at);
    }
}

static void store(isa_wave_t *w, const isa_inst_t *i, unsigned dwords)
{
    isa_buffer_access_t x;
    if (store_spill(w, i, dwords)) return;
    prepare(w, i, &x);
    const isa_row_t *rows = isa_row_of(w, &i->src[1]);
    const uint64_t exec = x.at.exec;
    if (isa_buffer_inside(&x, 0, 4 * dwords) == exec) {
        isa_lanes_store(w, &x.at, rows, dwords);
        return;
    }
    for (unsigned k = 0; k < dwords && !w->stop; k++) {
        x.at.exec = exec;
        x.at.exec = isa_buffer_inside(&x, 4 * k, 4);
        isa_lanes_store(w, &x.at, rows + k, 1);
        next_dword(&x.at);
    }
}

/* ---- LDS ---- */

/* Loads `dwords` dwords per lane, or less than one (`sub`), and stores them in LDS. */
static void load_to_lds(isa_wave_t *w, const isa_inst_t *i, unsigned dwords, const isa_sub_t *sub)
{
    isa_buffer_access_t x;
    isa_lanes_t to;
    isa_row_t rows[4] = {{0}};
    if (isa_ds_waits(w, i)) return;
    prepare(w, i, &x);
    const uint64_t exec = x.at.exec;
    if (sub) {
        x.at.exec = isa_buffer_inside(&x, 0, isa_sub_bytes(*sub));
        isa_lanes_load_sub(w, &x.at, rows, *sub);
    }
    for (unsigned k = 0; !sub && k < dwords && !w->stop; k++) {
        x.at.exec = exec;
        x.at.exec = isa_buffer_inside(&x, 4 * k, 4);
        isa_lanes_load(w, &x.at, rows + k, 1);
        next_dword(&x.at);
    }
    if (w->stop) return;
    isa_lds_side(w, i, exec, 4 * dwords, &to);
    isa_lanes_store(w, &to, rows, dwords);
}

static void load_sub(isa_wave_t *w, const isa_inst_t *i, isa_sub_t kind)
{
    isa_buffer_access_t x;
    if (isa_loads_to_lds(i)) {
        load_to_lds(w, i, 1, &kind);
        return;
    }
    prepare(w, i, &x);
    isa_row_t *row = isa_row_of(w, &i->dst);
    const uint64_t exec = x.at.exec;
    x.at.exec = isa_buffer_inside(&x, 0, isa_sub_bytes(kind));
    isa_lanes_load_sub(w, &x.at, row, kind);
    isa_lanes_zero(row, 1, exec & ~x.at.exec);
}

static void store_sub(isa_wave_t *w, const isa_inst_t *i, unsigned bytes, unsigned shift)
{
    isa_buffer_access_t x;
    prepare(w, i, &x);
    x.at.exec = isa_buffer_inside(&x, 0, bytes);
    isa_lanes_store_sub(w, &x.at, isa_row_of(w, &i->src[1]), bytes, shift);
}

ISA_INST(buffer_load_dword)
{
    if (isa_loads_to_lds(i))
        load_to_lds(w, i, 1, NULL);
    else
        load(w, i, 1);
}

ISA_INST(buffer_store_lds_dword)
{
    isa_buffer_access_t x;
    isa_lanes_t from;
    isa_row_t row = {0};
    isa_ds_reads(w);
    prepare(w, i, &x);
    x.at.exec = isa_buffer_inside(&x, 0, 4);
    isa_lds_side(w, i, x.at.exec, 4, &from);
    isa_lanes_load(w, &from, &row, 1);
    isa_lanes_store(w, &x.at, &row, 1);
}

#define LOAD(name, dwords)                                                                         \
    ISA_INST(buffer_load_##name)                                                                   \
    {                                                                                              \
        load(w, i, dwords);                                                                        \
    }
/* Loads whose data some GPUs can store in LDS instead of registers. */
#define LOAD_OR_LDS(name, dwords)                                                                  \
    ISA_INST(buffer_load_##name)                                                                   \
    {                                                                                              \
        if (isa_loads_to_lds(i))                                                                   \
            load_to_lds(w, i, dwords, NULL);                                                       \
        else                                                                                       \
            load(w, i, dwords);                                                                    \
    }
#define LOAD_SUB(name, kind)                                                                       \
    ISA_INST(buffer_load_##name)                                                                   \
    {                                                                                              \
        isa_row_t old;                                                                             \
        const bool keeps = isa_sub_keeps(w, i, kind, old);                                         \
        load_sub(w, i, kind);                                                                      \
        if (keeps) isa_sub_keep(w, i, kind, old);                                                  \
    }
#define STORE(name, dwords)                                                                        \
    ISA_INST(buffer_store_##name)                                                                  \
    {                                                                                              \
        store(w, i, dwords);                                                                       \
    }
#define STORE_SUB(name, bytes, shift)                                                              \
    ISA_INST(buffer_store_##name)                                                                  \
    {                                                                                              \
        store_sub(w, i, bytes, shift);                                                             \
    }

LOAD(dwordx2, 2)
LOAD(dwordx3, 3)
LOAD(dwordx4, 4)
LOAD_OR_LDS(dwordx3_2, 3)
LOAD_OR_LDS(dwordx4_2, 4)
LOAD_SUB(ubyte, ISA_SUB_U8)
LOAD_SUB(sbyte, ISA_SUB_I8)
LOAD_SUB(ushort, ISA_SUB_U16)
LOAD_SUB(sshort, ISA_SUB_I16)
LOAD_SUB(ubyte_d16, ISA_SUB_U8_D16)
LOAD_SUB(ubyte_d16_hi, ISA_SUB_U8_D16_HI)
LOAD_SUB(sbyte_d16, ISA_SUB_I8_D16)
LOAD_SUB(sbyte_d16_hi, ISA_SUB_I8_D16_HI)
LOAD_SUB(short_d16, ISA_SUB_B16_D16)
LOAD_SUB(short_d16_hi, ISA_SUB_B16_D16_HI)
STORE(dword, 1)
STORE(dwordx2, 2)
STORE(dwordx3, 3)
STORE(dwordx4, 4)
STORE_SUB(byte, 1, 0)
STORE_SUB(byte_d16_hi, 1, 16)
STORE_SUB(short, 2, 0)
STORE_SUB(short_d16_hi, 2, 16)

/* ---- atomics ---- */

/* Sets *x to the lanes in range. Returns the rows for the old values, NULL if the instruction
 * returns none. */
static isa_row_t *atomic_begin(isa_wave_t *w, const isa_inst_t *i, isa_buffer_access_t *x,
                               uint32_t bytes)
{
    isa_row_t *dst = i->flags & ISA_F_GLC ? isa_row_of(w, &i->dst) : NULL;
    prepare(w, i, x);
    x->at.exec = isa_buffer_inside(x, 0, bytes);
    return dst;
}

#define ATOMIC(suffix, bits, op, ignored)                                                          \
    ISA_INST(buffer_atomic_##suffix)                                                               \
    {                                                                                              \
        if (!isa_alone(w, i)) return;                                                              \
        isa_buffer_access_t x;                                                                     \
        isa_row_t *dst = atomic_begin(w, i, &x, bits / 8);                                         \
        isa_lanes_atomic_##suffix(w, &x.at, isa_row_of(w, &i->src[1]), dst);                       \
        if (dst) isa_lanes_zero(dst, bits / 32, w->exec & ~x.at.exec);                             \
    }

ISA_ATOMICS(ATOMIC)
ISA_ATOMICS_FLOAT(ATOMIC)
ISA_ATOMICS_NOT_FLAT(ATOMIC)
ISA_ATOMICS_LATER(ATOMIC)

/* ---- cache operations: the executor has no caches between a wave and memory ---- */

ISA_INST(buffer_wbl2) {}
ISA_INST(buffer_invl2) {}
ISA_INST(buffer_inv) {}
ISA_INST(buffer_gl0_inv) {}
ISA_INST(buffer_gl1_inv) {}
ISA_INST(buffer_wbinvl1) {}
ISA_INST(buffer_wbinvl1_vol) {}
