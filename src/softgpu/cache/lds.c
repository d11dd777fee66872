/* lds.c - LDS: phases, banks, conflicts.
 *
 * docs/counter-model.md, "LDS", says which lanes are served in one clock, and what causes a further
 * clock. */
#include "softgpu/cache/model.h"

#include "base/golden.h"
#include "softgpu/exec/address.h"

#include <string.h>

enum { LDS_MOST = 1 << 16 }; /* the most bytes of LDS that a workgroup can have */

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
    /* lists of distinct dwords by bank, linked through `next`; 8 lanes with unaligned elements of
     * 16 bytes have 5 dwords each, 32 lanes with elements of 4 bytes have 2 */
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

static unsigned lanes_of(const isa_wave_t *w)
{
    return isa_dispatch_lanes(w->group->dispatch);
}

/* The cost of lanes that are all inside LDS, in a wave of `lanes` lanes. */
static sgc_lds_use_t use_of(const sgc_lanes_t *a, unsigned lanes, bool atomic, bool flat)
{
    const unsigned step = phase_lanes(a->bytes);
    sgc_lds_use_t u = {.phases = lanes / step};
    for (unsigned first = 0; first < lanes; first += step) {
        load_t most = {1, 1}; /* a phase without lanes takes one clock, too */
        if (a->exec >> first & isa_first_lanes(step)) most = bank_load(a, first, step);
        u.clocks += atomic ? most.lanes : most.words;
        u.bank_conflict += most.words - 1;
        if (atomic) u.addr_conflict += most.lanes - most.words;
        if (!flat || !unaligned(a, first, step)) continue;
        u.unaligned++;
        u.clocks++;
    }
    return u;
}

sgc_lds_use_t sgc_lds_lanes(const isa_wave_t *w, const sgc_lanes_t *lanes, const sgc_op_t *op,
                            bool flat)
{
    sgc_lanes_t a = *lanes;
    const uint64_t outside = isa_lanes_outside(a.va, a.exec, a.bytes, w->group->lds_bytes);
    a.exec &= ~outside;
    sgc_lds_use_t u = use_of(&a, lanes_of(w), op->access == SGC_ATOMIC, flat);
    u.outside = isa_lane_count(outside);
    return u;
}

static const uint32_t *address_row(const isa_wave_t *w, const isa_inst_t *i)
{
    return *isa_row_of(w, &i->src[0]);
}

/* ---- cached costs, for lanes with the same distances from each other ---- */

static unsigned memo_of(const isa_wave_t *w, const sgc_op_t *op, const uint32_t *row)
{
    enum { LAST = ISA_LANES - 1, SHIFT = 32 };
    const uint64_t steps = (row[1] - row[0]) ^ (uint64_t)(row[LAST] - row[0]) << 16;
    const uint64_t key = w->exec ^ steps ^ (uint64_t)op->bytes << 24;
    return (key * BASE_GOLDEN >> SHIFT) % SGC_LDS_MEMOS;
}

static bool is_known(const sgc_lds_memo_t *m, const isa_wave_t *w, const sgc_op_t *op, uint8_t low,
                     const uint32_t *row, uint32_t first)
{
    if (m->exec != w->exec || m->bytes != op->bytes || m->low != low ||
        m->atomic != (op->access == SGC_ATOMIC))
        return false;
    uint32_t differ = 0;
    for (unsigned l = 0; l < ISA_LANES; l++)
        differ |= (row[l] - first) ^ m->lane[l];
    return !differ;
}

/* Computes the cost and caches it in *m. False: the lanes are too far apart to be in LDS. */
static bool fill_memo(sgc_lds_memo_t *m, const isa_wave_t *w, const sgc_op_t *op, uint8_t low,
                      const uint32_t *row, uint32_t first)
{
    uint32_t least = first, most = first;
    for (uint64_t lanes = w->exec; lanes; lanes &= lanes - 1) {
        const uint32_t at = row[__builtin_ctzll(lanes)];
        if (at < least) least = at;
        if (at > most) most = at;
    }
    if (most - least >= LDS_MOST) return false;
    sgc_lanes_t a = {.exec = w->exec, .bytes = op->bytes, .dword_step = 4};
    for (unsigned l = 0; l < ISA_LANES; l++) {
        a.va[l] = row[l] - least + ((low - (first - least)) & 3);
        m->lane[l] = row[l] - first;
    }
    m->exec = w->exec;
    m->before = first - least;
    m->after = most - first;
    m->bytes = op->bytes;
    m->low = low;
    m->atomic = op->access == SGC_ATOMIC;
    m->use = use_of(&a, lanes_of(w), m->atomic, false);
    return true;
}

/* The cached cost of an access. It depends on the distances between the lanes and on their place
 * within a dword, but not on the first lane's dword, since a shift by dwords only renames the
 * banks. NULL: there is no cached cost, and each lane has to be counted. `offset`: of any of the
 * instruction's elements, whose distance is a number of dwords. */
static const sgc_lds_memo_t *find_memo(sgc_lds_memo_t *memo, const isa_wave_t *w,
                                       const sgc_op_t *op, const uint32_t *row, uint32_t offset)
{
    if (!w->exec) return NULL;
    const uint32_t first = row[__builtin_ctzll(w->exec)];
    const uint8_t low = (first + offset) & 3;
    sgc_lds_memo_t *m = &memo[memo_of(w, op, row)];
    return is_known(m, w, op, low, row, first) || fill_memo(m, w, op, low, row, first) ? m : NULL;
}

/* Whether all lanes of the element at `offset` are in the workgroup's LDS. */
static bool is_inside(const sgc_lds_memo_t *m, const isa_wave_t *w, const uint32_t *row,
                      uint32_t offset)
{
    const uint32_t first = row[__builtin_ctzll(w->exec)];
    return first >= m->before &&
           first + (uint64_t)m->after + offset + m->bytes <= w->group->lds_bytes;
}

/* Computes the addresses of an element's lanes. */
static void element_lanes(const isa_wave_t *w, const isa_inst_t *i, const sgc_op_t *op,
                          uint32_t offset, sgc_lanes_t *a)
{
    a->exec = w->exec;
    a->bytes = op->bytes;
    a->dword_step = 4;
    a->even = false;
    if (op->kind == ISA_ACCESS_LANE) {
        isa_address_lds_lanes(a->va, w, offset);
    } else if (op->kind == ISA_ACCESS_DIRECT) {
        const isa_lds_direct_t d = isa_address_lds_direct(w->m0);
        a->exec = isa_whole_quads(w->exec);
        a->bytes = d.bytes;
        for (unsigned l = 0; l < ISA_LANES; l++)
            a->va[l] = d.at;
    } else {
        const uint32_t *row = address_row(w, i);
        for (unsigned l = 0; l < ISA_LANES; l++)
            a->va[l] = row[l] + offset;
    }
}

/* The cost with EXEC = 0: one clock for each phase. */
static sgc_lds_use_t idle(const isa_wave_t *w, const sgc_op_t *op)
{
    const unsigned phases = lanes_of(w) / phase_lanes(op->bytes);
    return (sgc_lds_use_t){.clocks = phases, .phases = phases};
}

/* `m`: the cached cost of the lanes, or NULL. */
static sgc_lds_use_t element(const sgc_lds_memo_t *m, const isa_wave_t *w, const isa_inst_t *i,
                             const sgc_op_t *op, uint32_t offset)
{
    sgc_lanes_t a;
    if (!w->exec) return idle(w, op);
    if (m && is_inside(m, w, address_row(w, i), offset)) return m->use;
    element_lanes(w, i, op, offset, &a);
    return sgc_lds_lanes(w, &a, op, false);
}

/* Whether the address is in M0, not in a register of the instruction. */
static bool is_in_m0(const sgc_op_t *op)
{
    return op->kind == ISA_ACCESS_LANE || op->kind == ISA_ACCESS_DIRECT;
}

/* As element_lanes(), but sets a->even for addresses that rise evenly, instead of each address. */
static void reach_element(const isa_wave_t *w, const isa_inst_t *i, const sgc_op_t *op,
                          uint32_t offset, sgc_lanes_t *a)
{
    const uint32_t *row = address_row(w, i);
    uint32_t step;
    if (is_in_m0(op) || w->exec != ISA_ALL_LANES || !sgc_row_even(row, SGC_LINE, &step) ||
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
    const uint32_t unit = op->step;
    if (i->flags & ISA_F_GDS || op->kind == ISA_ACCESS_CROSS || op->kind == ISA_ACCESS_WAVE)
        return 0;
    if (op->kind != ISA_ACCESS_PAIR) {
        reach_element(w, i, op, isa_ds_offset16(i), &lanes[0]);
        return 1;
    }
    reach_element(w, i, op, i->offset0 * unit, &lanes[0]);
    reach_element(w, i, op, i->offset1 * unit, &lanes[1]);
    return 2;
}

bool sgc_lds_within(const isa_wave_t *w, const isa_inst_t *i, const sgc_op_t *op, uint32_t room)
{
    const uint32_t unit = op->step, *row = address_row(w, i);
    uint32_t offset = isa_ds_offset16(i), bits = 0;
    if (i->flags & ISA_F_GDS || op->kind == ISA_ACCESS_CROSS || op->kind == ISA_ACCESS_WAVE ||
        is_in_m0(op))
        return false;
    if (op->kind == ISA_ACCESS_PAIR)
        offset = unit * (i->offset0 > i->offset1 ? i->offset0 : i->offset1);
    for (unsigned l = 0; l < ISA_LANES; l++) /* no address is above the OR of all */
        bits |= row[l];
    return (uint64_t)bits + offset + op->bytes <= room;
}

unsigned sgc_lds_use(sgc_lds_memo_t *memo, const isa_wave_t *w, const isa_inst_t *i,
                     const sgc_op_t *op, sgc_lds_use_t use[2])
{
    const uint32_t unit = op->step;
    const sgc_lds_memo_t *m;
    if (i->flags & ISA_F_GDS) return 0;
    switch (op->kind) {
    case ISA_ACCESS_PAIR:
        m = find_memo(memo, w, op, address_row(w, i), 0);
        use[0] = element(m, w, i, op, i->offset0 * unit);
        use[1] = element(m, w, i, op, i->offset1 * unit);
        return 2;
    case ISA_ACCESS_CROSS:
    case ISA_ACCESS_DIRECT:
    case ISA_ACCESS_WAVE:
        use[0] = (sgc_lds_use_t){
            .phases = op->kind == ISA_ACCESS_CROSS ? lanes_of(w) / SGC_LDS_BANKS : 1};
        use[0].clocks = use[0].phases;
        return 1;
    case ISA_ACCESS_LANE: use[0] = element(NULL, w, i, op, isa_ds_offset16(i)); return 1;
    default:
        m = find_memo(memo, w, op, address_row(w, i), isa_ds_offset16(i));
        use[0] = element(m, w, i, op, isa_ds_offset16(i));
        return 1;
    }
}

/* ---- counts of an access to LDS ---- */

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

void sgc_lds_access(sgc_t *t, sgc_cu_t *cu, const isa_wave_t *w, const sgc_lanes_t *a,
                    const sgc_op_t *op, bool flat, bool returns, sgc_cost_t *cost)
{
    const sgc_lds_use_t u = sgc_lds_lanes(w, a, op, flat);
    count_use(t, cu, &u, returns, cost);
}

void sgc_lds(sgc_t *t, sgc_cu_t *cu, isa_watch_t *watch, const isa_wave_t *w, const isa_inst_t *i,
             const sgc_op_t *op, sgc_cost_t *cost)
{
    unsigned n;
    const sgc_lds_use_t *use = sgc_seen_lds_use(watch, w, i, &n);
    for (unsigned k = 0; k < n; k++)
        count_use(t, cu, &use[k], op->returns, cost);
}
