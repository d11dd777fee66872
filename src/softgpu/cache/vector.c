/* vector.c - vector memory instructions: from registers to the lanes' addresses, and which of the
 * lanes go where (memory, scratch, LDS).
 *
 * The addresses are the executor's (isa/address.h). What becomes of them is memory.c and lds.c. */
#include "softgpu/cache/model.h"

#include "softgpu/isa/address.h"
#include "softgpu/isa/isa.h"

#include <string.h>

static const isa_row_t *rows_of(const isa_wave_t *w, const isa_operand_t *o)
{
    return w->vgpr + o->reg + (o->kind == ISA_OPK_AGPR ? w->acc_offset : 0);
}

/* A scalar source; vector memory takes no special register that would mean an address. */
static uint64_t scalar(const isa_wave_t *w, const isa_operand_t *o)
{
    if (o->kind == ISA_OPK_SGPR) return w->sgpr[o->reg] | (uint64_t)w->sgpr[o->reg + 1] << 32;
    return o->kind == ISA_OPK_CONST ? o->k : 0;
}

/* Full EXEC, and lanes evenly apart from `base` + a row: their addresses need not be written down.
 */
static bool even_lanes(sgc_lanes_t *a, uint64_t base, const uint32_t *row)
{
    if (a->exec != ~UINT64_C(0) || !sgc_row_even(row, SGC_LINE, &a->step)) return false;
    a->even = true;
    a->va[0] = base + row[0];
    return true;
}

static bool row_same(const uint32_t *row)
{
    uint32_t step;
    return sgc_row_even(row, 0, &step);
}

static void global_lanes(const isa_wave_t *w, const isa_inst_t *i, sgc_lanes_t *a)
{
    const isa_row_t *v = rows_of(w, &i->src[0]);
    const uint64_t offset = (uint64_t)(int64_t)i->imm;
    if (i->flags & ISA_F_SADDR) {
        const uint64_t base = scalar(w, &i->src[2]) + offset;
        if (!even_lanes(a, base, v[0])) isa_address_based(a->va, base, v[0]);
    } else if (!row_same(v[1]) || !even_lanes(a, ((uint64_t)v[1][0] << 32) + offset, v[0])) {
        isa_address_pairs(a->va, v, offset);
    }
}

static void scratch_lanes(const isa_wave_t *w, const isa_inst_t *i, sgc_lanes_t *a)
{
    const uint32_t offset = (uint32_t)i->imm;
    a->dword_step = ISA_SCRATCH_DWORD_STEP;
    if (i->flags & ISA_F_SADDR)
        isa_address_scratch(a->va, w->flat_scratch, NULL, (uint32_t)scalar(w, &i->src[2]) + offset);
    else
        isa_address_scratch(a->va, w->flat_scratch, rows_of(w, &i->src[0])[0], offset);
}

/* Leaves in *a the lanes of which a byte is in range. */
static void buffer_lanes(const isa_wave_t *w, const isa_inst_t *i, const sgc_op_t *op,
                         sgc_lanes_t *a)
{
    isa_buffer_t b;
    isa_buffer_range_t range;
    const bool indexed = i->flags & (ISA_F_IDXEN | ISA_F_OFFEN);
    isa_address_descriptor(&w->sgpr[i->src[2].reg], op->formatted, &b);
    a->dword_step = isa_buffer_dword_step(&b);
    isa_address_buffer(a->va, &range, &b, i, indexed ? rows_of(w, &i->src[0]) : NULL,
                       (uint32_t)scalar(w, &i->src[3]));
    a->exec = isa_address_inside(&range, a->exec, 0, a->bytes < 4 ? a->bytes : 4);
}

/* The LDS side of a transfer between buffer and LDS. */
static void lds_side(sgc_t *t, sgc_cu_t *cu, const isa_wave_t *w, const isa_inst_t *i,
                     const sgc_op_t *op, uint64_t exec, sgc_cost_t *cost)
{
    sgc_lanes_t a = {.exec = exec, .bytes = 4, .dword_step = 4};
    for (unsigned l = 0; l < ISA_LANES; l++)
        a.va[l] = (w->m0 & 0xffff) + (uint32_t)i->imm + 4 * l;
    sgc_lds_access(t, cu, &a, w->group->lds_bytes, op, false, false, cost);
}

/* Splits a flat access: LDS lanes are counted here, the others stay in *a with their addresses. */
static void flat_lanes(sgc_t *t, sgc_cu_t *cu, const isa_wave_t *w, const isa_inst_t *i,
                       const sgc_op_t *op, sgc_lanes_t *a, sgc_cost_t *cost)
{
    const isa_row_t *v = rows_of(w, &i->src[0]);
    const isa_dispatch_t *d = w->group->dispatch;
    const uint64_t high = (uint64_t)v[1][0] << 32;
    if (high != d->shared_base && high != d->private_base && row_same(v[1]) &&
        even_lanes(a, high + (uint32_t)i->imm, v[0]))
        return;
    a->even = false;
    isa_address_pairs(a->va, v, (uint32_t)i->imm);
    const isa_apertures_t in = isa_address_apertures(v[1], d, a->exec);
    if (in.shared) {
        sgc_lanes_t lds = *a;
        lds.exec = in.shared;
        for (unsigned l = 0; l < ISA_LANES; l++)
            lds.va[l] &= UINT32_MAX;
        const bool returns = op->access == SGC_ATOMIC && i->flags & ISA_F_GLC;
        sgc_lds_access(t, cu, &lds, w->group->lds_bytes, op, true, returns, cost);
        a->exec &= ~in.shared;
    }
    if (!in.private) return;
    /* lanes of one instruction are swizzled or not by aperture: the part in scratch goes first */
    sgc_lanes_t own = *a;
    own.exec = in.private;
    own.dword_step = ISA_SCRATCH_DWORD_STEP;
    for (unsigned l = 0; l < ISA_LANES; l++)
        own.va[l] = isa_scratch_address(w->flat_scratch, (uint32_t)a->va[l], l);
    sgc_memory_access(t, cu, i, op, &own, cost);
    a->exec &= ~in.private;
}

void sgc_vector_invalidate(sgc_cu_t *cu)
{
    if (cu->l1_filled) ways_clear(&cu->l1);
    cu->l1_filled = false;
    cu->tcp.writeback_invalidates++;
}

static bool cache_operation(sgc_t *t, sgc_cu_t *cu, const sgc_op_t *op, sgc_cost_t *cost)
{
    switch (op->special) {
    case SGC_INV_VECTOR: sgc_vector_invalidate(cu); break;
    case SGC_L2_WB: sgc_l2_write_back(t); break;
    case SGC_L2_INV: sgc_l2_invalidate(t, false); break;
    default: return false;
    }
    cost->vmem_issue = 1;
    cost->latency = op->special == SGC_INV_VECTOR ? 1 : t->profile.l2_latency;
    return true;
}

/* What the address and data units count of every instruction. */
static void count_instruction(sgc_cu_t *cu, const sgc_op_t *op)
{
    uint64_t *by = op->buffer ? cu->ta.buffer : cu->ta.flat;
    cu->ta.total_wavefronts++;
    by[0]++;
    by[1 + op->access]++;
    /* stores and atomics pass the data unit as loads too, for their acknowledge */
    cu->td.load_wavefront++;
    cu->td.store_wavefront += op->access == SGC_WRITE;
    cu->td.atomic_wavefront += op->access == SGC_ATOMIC;
    cu->tcp.state_read++;
}

void sgc_vector(sgc_t *t, sgc_cu_t *cu, const isa_wave_t *w, const isa_inst_t *i,
                const sgc_op_t *op, sgc_cost_t *cost)
{
    if (cache_operation(t, cu, op, cost) || !w->exec) return;
    sgc_lanes_t a;
    a.exec = w->exec;
    a.bytes = op->bytes;
    a.dword_step = 4;
    a.even = false;
    count_instruction(cu, op);
    if (op->buffer)
        buffer_lanes(w, i, op, &a);
    else if (op->flat)
        flat_lanes(t, cu, w, i, op, &a, cost);
    else if (i->fmt == ISA_FMT_SCRATCH)
        scratch_lanes(w, i, &a);
    else
        global_lanes(w, i, &a);
    if (a.exec) sgc_memory_access(t, cu, i, op, &a, cost);
    if (i->flags & ISA_F_LDS || op->special == SGC_FROM_LDS)
        lds_side(t, cu, w, i, op, a.exec, cost);
    if (!cost->vmem_issue && !cost->lds_issue) cost->vmem_issue = 1;
    if (!cost->latency) cost->latency = t->profile.l1_vector_latency;
}
