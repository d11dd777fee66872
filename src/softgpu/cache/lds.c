/* lds.c - LDS: phases, banks, conflicts.
 *
 * Which lanes a clock serves and what makes it take another one: docs/counter-model.md, "LDS". */
#include "softgpu/cache/model.h"

#include "softgpu/isa/address.h"

#include <string.h>

/* Lanes of one phase: as many as the banks can serve at once. */
static unsigned phase_lanes(uint32_t bytes)
{
    return bytes <= 4 ? 32 : bytes <= 8 ? 16 : 8;
}

typedef struct {
    uint32_t words; /* most distinct dwords in one bank: clocks for loads and stores */
    uint32_t lanes; /* most lanes in one bank: clocks for atomics, which do not share a dword */
} load_t;

/* The general case: the dwords of a phase's lanes, counted by bank. */
static load_t bank_load(const sgc_lanes_t *a, unsigned first, unsigned lanes)
{
    /* lists of distinct dwords by bank, linked through `next`; 8 lanes of 16 bytes unaligned have
     * 5 dwords each, 32 lanes of 4 bytes 2 */
    uint64_t word[64];
    int8_t next[64], head[SGC_LDS_BANKS];
    uint8_t distinct[SGC_LDS_BANKS] = {0}, all[SGC_LDS_BANKS] = {0};
    load_t most = {0, 0};
    unsigned n = 0;
    memset(head, -1, sizeof head);
    for (unsigned l = first; l < first + lanes; l++) {
        if (!(a->exec >> l & 1)) continue;
        const uint64_t end = (a->va[l] + a->bytes - 1) / 4;
        for (uint64_t d = a->va[l] / 4; d <= end; d++) {
            const unsigned bank = d % SGC_LDS_BANKS;
            int k = head[bank];
            while (k >= 0 && word[k] != d)
                k = next[k];
            if (++all[bank] > most.lanes) most.lanes = all[bank];
            if (k >= 0) continue;
            word[n] = d;
            next[n] = head[bank];
            head[bank] = (int8_t)n++;
            if (++distinct[bank] > most.words) most.words = distinct[bank];
        }
    }
    return most;
}

static bool unaligned(const sgc_lanes_t *a, unsigned first, unsigned lanes)
{
    const uint64_t low = a->bytes >= 4 ? 3 : a->bytes - 1;
    uint64_t bits = 0;
    for (unsigned l = first; l < first + lanes; l++)
        if (a->exec >> l & 1) bits |= a->va[l];
    return bits & low;
}

/* Takes lanes beyond `size` out. */
static unsigned drop_outside(sgc_lanes_t *a, uint32_t size)
{
    uint64_t outside = 0;
    bool any = false;
    for (unsigned l = 0; l < ISA_LANES; l++)
        any |= a->va[l] + a->bytes > size;
    if (!any) return 0;
    for (unsigned l = 0; l < ISA_LANES; l++)
        outside |= (uint64_t)(a->va[l] + a->bytes > size) << l;
    outside &= a->exec;
    a->exec &= ~outside;
    return (unsigned)__builtin_popcountll(outside);
}

/* `a`: the lanes that are inside. */
static sgc_lds_use_t use_of(const sgc_lanes_t *a, bool atomic, bool flat)
{
    const unsigned step = phase_lanes(a->bytes);
    sgc_lds_use_t u = {.phases = ISA_LANES / step};
    for (unsigned first = 0; first < ISA_LANES; first += step) {
        load_t most = bank_load(a, first, step);
        if (!most.words) most = (load_t){1, 1}; /* an idle phase takes its clock */
        u.clocks += atomic ? most.lanes : most.words;
        u.bank_conflict += most.words - 1;
        if (atomic) u.addr_conflict += most.lanes - most.words;
        if (!flat || !unaligned(a, first, step)) continue;
        u.unaligned++;
        u.clocks++;
    }
    return u;
}

sgc_lds_use_t sgc_lds_lanes(const sgc_lanes_t *lanes, uint32_t size, const sgc_op_t *op, bool flat)
{
    sgc_lanes_t a = *lanes;
    const unsigned outside = drop_outside(&a, size);
    sgc_lds_use_t u = use_of(&a, op->access == SGC_ATOMIC, flat);
    u.outside = outside;
    return u;
}

static const uint32_t *address_row(const isa_wave_t *w, const isa_inst_t *i)
{
    const isa_operand_t *o = &i->src[0];
    return w->vgpr[o->reg + (o->kind == ISA_OPK_AGPR ? w->acc_offset : 0)];
}

/* Even lanes: what they cost depends on their step and on how they lie in a dword, not on where
 * they begin, since a shift by dwords only renames the banks. False where that does not apply. */
static bool even_element(sgc_lds_memo_t *memo, const isa_wave_t *w, const sgc_op_t *op,
                         uint32_t offset, const uint32_t *row, sgc_lds_use_t *use)
{
    uint32_t step;
    const uint32_t size = w->group->lds_bytes;
    if (w->exec != ~UINT64_C(0) || !sgc_row_even(row, size, &step) ||
        row[0] + 63 * (uint64_t)step + offset + op->bytes > size)
        return false;
    const uint8_t low = (row[0] + offset) & 3;
    const bool atomic = op->access == SGC_ATOMIC;
    const uint32_t key = step * 5 + op->bytes * 3 + low + 32 * atomic;
    sgc_lds_memo_t *m = &memo[key % SGC_LDS_MEMOS];
    if (!m->use.clocks || m->step != step || m->bytes != op->bytes || m->low != low ||
        m->atomic != atomic) {
        sgc_lanes_t a = {.exec = w->exec, .bytes = op->bytes, .dword_step = 4};
        for (unsigned l = 0; l < ISA_LANES; l++)
            a.va[l] = low + (uint64_t)l * step;
        *m = (sgc_lds_memo_t){step, op->bytes, low, atomic, use_of(&a, atomic, false)};
    }
    *use = m->use;
    return true;
}

/* Where the lanes of an element are. */
static void element_lanes(const isa_wave_t *w, const isa_inst_t *i, const sgc_op_t *op,
                          uint32_t offset, sgc_lanes_t *a)
{
    a->exec = w->exec;
    a->bytes = op->bytes;
    a->dword_step = 4;
    a->even = false;
    if (op->special == SGC_LANE) {
        const uint64_t base = offset + (w->m0 & 0xffff);
        for (unsigned l = 0; l < ISA_LANES; l++)
            a->va[l] = base + 4 * l;
    } else {
        const uint32_t *row = address_row(w, i);
        for (unsigned l = 0; l < ISA_LANES; l++)
            a->va[l] = row[l] + offset;
    }
}

static sgc_lds_use_t element(sgc_lds_memo_t *memo, const isa_wave_t *w, const isa_inst_t *i,
                             const sgc_op_t *op, uint32_t offset)
{
    sgc_lds_use_t use;
    sgc_lanes_t a;
    if (op->special != SGC_LANE && even_element(memo, w, op, offset, address_row(w, i), &use))
        return use;
    element_lanes(w, i, op, offset, &a);
    return sgc_lds_lanes(&a, w->group->lds_bytes, op, false);
}

/* The same; even lanes are not written down one by one. */
static void reach_element(const isa_wave_t *w, const isa_inst_t *i, const sgc_op_t *op,
                          uint32_t offset, sgc_lanes_t *a)
{
    const uint32_t *row = address_row(w, i);
    uint32_t step;
    if (op->special == SGC_LANE || w->exec != ~UINT64_C(0) || !sgc_row_even(row, SGC_LINE, &step) ||
        row[0] + (ISA_LANES - 1) * (uint64_t)step + offset > UINT32_MAX) {
        element_lanes(w, i, op, offset, a);
        return;
    }
    a->exec = w->exec;
    a->bytes = op->bytes;
    a->dword_step = 4;
    a->even = true;
    a->step = step;
    a->va[0] = row[0] + offset;
}

unsigned sgc_lds_reach(const isa_wave_t *w, const isa_inst_t *i, const sgc_op_t *op,
                       sgc_lanes_t lanes[2])
{
    const uint32_t unit = op->unit_bytes * 4u;
    if (i->flags & ISA_F_GDS || op->special == SGC_CROSS || op->special == SGC_WAVE) return 0;
    if (op->special != SGC_PAIR) {
        reach_element(w, i, op, isa_ds_offset16(i), &lanes[0]);
        return 1;
    }
    reach_element(w, i, op, i->offset0 * unit, &lanes[0]);
    reach_element(w, i, op, i->offset1 * unit, &lanes[1]);
    return 2;
}

bool sgc_lds_within(const isa_wave_t *w, const isa_inst_t *i, const sgc_op_t *op, uint32_t room)
{
    const uint32_t unit = op->unit_bytes * 4u, *row = address_row(w, i);
    uint32_t offset = isa_ds_offset16(i), bits = 0;
    if (i->flags & ISA_F_GDS || op->special == SGC_CROSS || op->special == SGC_WAVE ||
        op->special == SGC_LANE)
        return false;
    if (op->special == SGC_PAIR)
        offset = unit * (i->offset0 > i->offset1 ? i->offset0 : i->offset1);
    for (unsigned l = 0; l < ISA_LANES; l++) /* no address is above all bits together */
        bits |= row[l];
    return (uint64_t)bits + offset + op->bytes <= room;
}

unsigned sgc_lds_use(sgc_lds_memo_t *memo, const isa_wave_t *w, const isa_inst_t *i,
                     const sgc_op_t *op, sgc_lds_use_t use[2])
{
    const uint32_t unit = op->unit_bytes * 4u;
    if (i->flags & ISA_F_GDS) return 0;
    switch (op->special) {
    case SGC_PAIR:
        use[0] = element(memo, w, i, op, i->offset0 * unit);
        use[1] = element(memo, w, i, op, i->offset1 * unit);
        return 2;
    case SGC_CROSS:
    case SGC_WAVE:
        use[0] =
            (sgc_lds_use_t){.phases = op->special == SGC_CROSS ? ISA_LANES / SGC_LDS_BANKS : 1};
        use[0].clocks = use[0].phases;
        return 1;
    default: use[0] = element(memo, w, i, op, isa_ds_offset16(i)); return 1;
    }
}

/* ---- what the model counts of it ---- */

static void count_use(sgc_t *t, sgc_cu_t *cu, const sgc_lds_use_t *u, bool returns,
                      sgc_cost_t *cost)
{
    sgc_sq_counts_t *c = &cu->sq;
    c->lds_mem_violations += u->outside;
    c->lds_bank_conflict += u->bank_conflict;
    c->lds_addr_conflict += u->addr_conflict;
    c->lds_unaligned_stall += u->unaligned;
    c->lds_idx_active += u->clocks;
    if (returns) c->lds_atomic_return += u->phases;
    cost->lds_issue += u->clocks;
    const uint32_t latency = t->profile.lds_latency + cost->lds_issue - u->phases;
    if (latency > cost->latency) cost->latency = latency;
}

void sgc_lds_access(sgc_t *t, sgc_cu_t *cu, const sgc_lanes_t *a, uint32_t size, const sgc_op_t *op,
                    bool flat, bool returns, sgc_cost_t *cost)
{
    const sgc_lds_use_t u = sgc_lds_lanes(a, size, op, flat);
    count_use(t, cu, &u, returns, cost);
}

void sgc_lds(sgc_t *t, sgc_cu_t *cu, const isa_wave_t *w, const isa_inst_t *i, const sgc_op_t *op,
             sgc_cost_t *cost)
{
    sgc_lds_use_t use[2];
    const unsigned n = sgc_lds_use(t->lds_memo, w, i, op, use);
    for (unsigned k = 0; k < n; k++)
        count_use(t, cu, &use[k], op->returns, cost);
}
