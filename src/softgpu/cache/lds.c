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

/* Clocks of an access whose lanes are all inside. */
typedef struct {
    uint32_t clocks, bank_conflict, addr_conflict, unaligned;
} use_t;

static use_t use_of(const sgc_lanes_t *a, bool atomic, bool flat)
{
    const unsigned step = phase_lanes(a->bytes);
    use_t u = {0, 0, 0, 0};
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

static void count_use(sgc_t *t, sgc_cu_t *cu, const use_t *u, uint32_t bytes, bool returns,
                      sgc_cost_t *cost)
{
    sgc_sq_counts_t *c = &cu->sq;
    const uint32_t phases = ISA_LANES / phase_lanes(bytes);
    c->lds_bank_conflict += u->bank_conflict;
    c->lds_addr_conflict += u->addr_conflict;
    c->lds_unaligned_stall += u->unaligned;
    c->lds_idx_active += u->clocks;
    if (returns) c->lds_atomic_return += phases;
    cost->lds_issue += u->clocks;
    const uint32_t latency = t->profile.lds_latency + cost->lds_issue - phases;
    if (latency > cost->latency) cost->latency = latency;
}

void sgc_lds_access(sgc_t *t, sgc_cu_t *cu, const sgc_lanes_t *lanes, uint32_t size,
                    const sgc_op_t *op, bool flat, bool returns, sgc_cost_t *cost)
{
    sgc_lanes_t a = *lanes;
    cu->sq.lds_mem_violations += drop_outside(&a, size);
    const use_t u = use_of(&a, op->access == SGC_ATOMIC, flat);
    count_use(t, cu, &u, a.bytes, returns, cost);
}

static const uint32_t *address_row(const isa_wave_t *w, const isa_inst_t *i)
{
    const isa_operand_t *o = &i->src[0];
    return w->vgpr[o->reg + (o->kind == ISA_OPK_AGPR ? w->acc_offset : 0)];
}

/* Even lanes: what they cost depends on their step and on how they lie in a dword, not on where
 * they begin, since a shift by dwords only renames the banks. False where that does not apply. */
static bool even_element(sgc_t *t, sgc_cu_t *cu, const isa_wave_t *w, const sgc_op_t *op,
                         uint32_t offset, const uint32_t *row, sgc_cost_t *cost)
{
    uint32_t step;
    const uint32_t size = w->group->lds_bytes;
    if (w->exec != ~UINT64_C(0) || !sgc_row_even(row, size, &step) ||
        row[0] + 63 * (uint64_t)step + offset + op->bytes > size)
        return false;
    const uint8_t low = (row[0] + offset) & 3;
    const bool atomic = op->access == SGC_ATOMIC;
    const uint32_t key = step * 5 + op->bytes * 3 + low + 32 * atomic;
    sgc_lds_memo_t *m = &t->lds_memo[key % SGC_LDS_MEMOS];
    if (!m->clocks || m->step != step || m->bytes != op->bytes || m->low != low ||
        m->atomic != atomic) {
        sgc_lanes_t a = {.exec = w->exec, .bytes = op->bytes, .dword_step = 4};
        for (unsigned l = 0; l < ISA_LANES; l++)
            a.va[l] = low + (uint64_t)l * step;
        const use_t u = use_of(&a, atomic, false);
        *m = (sgc_lds_memo_t){step,           op->bytes, low, atomic, u.clocks, u.bank_conflict,
                              u.addr_conflict};
    }
    const use_t u = {m->clocks, m->bank_conflict, m->addr_conflict, 0};
    count_use(t, cu, &u, op->bytes, op->returns, cost);
    return true;
}

static void element(sgc_t *t, sgc_cu_t *cu, const isa_wave_t *w, const isa_inst_t *i,
                    const sgc_op_t *op, uint32_t offset, sgc_cost_t *cost)
{
    sgc_lanes_t a;
    if (op->special != SGC_LANE && even_element(t, cu, w, op, offset, address_row(w, i), cost))
        return;
    a.exec = w->exec;
    a.bytes = op->bytes;
    a.dword_step = 4;
    a.even = false;
    if (op->special == SGC_LANE) {
        const uint64_t base = offset + (w->m0 & 0xffff);
        for (unsigned l = 0; l < ISA_LANES; l++)
            a.va[l] = base + 4 * l;
    } else {
        const uint32_t *row = address_row(w, i);
        for (unsigned l = 0; l < ISA_LANES; l++)
            a.va[l] = row[l] + offset;
    }
    sgc_lds_access(t, cu, &a, w->group->lds_bytes, op, false, op->returns, cost);
}

void sgc_lds(sgc_t *t, sgc_cu_t *cu, const isa_wave_t *w, const isa_inst_t *i, const sgc_op_t *op,
             sgc_cost_t *cost)
{
    if (i->flags & ISA_F_GDS) return;
    switch (op->special) {
    case SGC_PAIR:
        element(t, cu, w, i, op, (uint32_t)i->offset0 * op->unit_bytes * 4, cost);
        element(t, cu, w, i, op, (uint32_t)i->offset1 * op->unit_bytes * 4, cost);
        break;
    case SGC_CROSS:
    case SGC_WAVE:
        cost->lds_issue = op->special == SGC_CROSS ? ISA_LANES / SGC_LDS_BANKS : 1;
        cost->latency = t->profile.lds_latency;
        cu->sq.lds_idx_active += cost->lds_issue;
        break;
    default: element(t, cu, w, i, op, isa_ds_offset16(i), cost); break;
    }
}
