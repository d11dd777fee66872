/* hazard_wave.c - see hazard_wave.h. These functions run for every instruction of a wave. A few
 * loads and compares settle the usual case; only an instruction that uses a register with an
 * operation in flight is compared in detail. */
#include "softgpu/check/hazard_wave.h"

#include "softgpu/exec/address.h"

#include <stddef.h>
#include <string.h>

/* ---- sets of registers ---- */

static uint64_t mask_of(unsigned n)
{
    return (1ull << n) - 1; /* a tuple has at most 32 registers */
}

static uint64_t bits_at(const chk_reg_set_t *s, chk_regs_t r)
{
    uint64_t bits;
    memcpy(&bits, (const uint8_t *)s->bits + r.first / 8, sizeof bits);
    return bits >> r.first % 8 & mask_of(r.n);
}

static void change_bits(chk_reg_set_t *s, chk_regs_t r, bool on)
{
    uint8_t *at = (uint8_t *)s->bits + r.first / 8;
    const uint64_t mask = mask_of(r.n) << r.first % 8;
    uint64_t bits;
    memcpy(&bits, at, sizeof bits);
    bits = on ? bits | mask : bits & ~mask;
    memcpy(at, &bits, sizeof bits);
    if (on) s->digest |= chk_regs_digest(r);
}

static bool overlap(chk_regs_t a, chk_regs_t b)
{
    return a.first < b.first + b.n && b.first < a.first + a.n;
}

static bool same_regs(chk_regs_t a, chk_regs_t b)
{
    return a.first == b.first && a.n == b.n;
}

/* ---- operations that are outstanding ---- */

static bool has_returned(const chk_hazard_wave_t *s, unsigned flow, uint32_t number)
{
    return (int32_t)(number - s->returned[flow]) <= 0;
}

static bool all_have_returned(const chk_hazard_wave_t *s)
{
    uint32_t outstanding = 0;
    for (unsigned flow = 0; flow < CHK_FLOWS; flow++)
        outstanding |= s->issued[flow] ^ s->returned[flow];
    return !outstanding;
}

static bool is_in_flight(const chk_hazard_wave_t *s, const chk_in_flight_t *x)
{
    return !has_returned(s, x->flow, x->number);
}

/* Removes the halves of the register whose loads have returned. True: nothing is left. */
static bool release_register(chk_hazard_wave_t *s, unsigned reg)
{
    const bool low = is_in_flight(s, &s->of[0][reg]), high = is_in_flight(s, &s->of[1][reg]);
    if (s->half[reg] == CHK_WHOLE) return !low;
    s->half[reg] &= (uint8_t)((low ? CHK_LOW : 0) | (high ? CHK_HIGH : 0));
    return !s->half[reg];
}

/* Removes registers whose loads have returned. */
static void release(chk_hazard_wave_t *s, chk_reg_set_t *set)
{
    if (!set->digest) return;
    if (all_have_returned(s)) {
        *set = (chk_reg_set_t){.digest = 0};
        return;
    }
    set->digest = 0;
    for (unsigned k = 0; k < (CHK_REGS + 63) / 64; k++) {
        for (uint64_t left = set->bits[k]; left; left &= left - 1) {
            const unsigned reg = 64 * k + (unsigned)__builtin_ctzll(left);
            if (release_register(s, reg)) set->bits[k] &= ~(1ull << reg % 64);
        }
        set->digest |= set->bits[k];
    }
}

static bool at_most(chk_hazard_wave_t *s, unsigned flow, uint32_t n)
{
    if (s->issued[flow] - s->returned[flow] <= n) return false;
    s->returned[flow] = s->issued[flow] - n;
    return true;
}

/* Counts operations of FLAT_MIXED that both VM and LDS have returned. True: there were some. To be
 * called whenever one of these two has changed. */
static bool count_mixed(chk_hazard_wave_t *s)
{
    uint32_t *n = &s->returned[CHK_FLOW_FLAT_MIXED];
    const uint32_t before = *n;
    for (; *n != s->issued[CHK_FLOW_FLAT_MIXED]; ++*n) {
        const unsigned k = (*n + 1) % CHK_ISSUES;
        if (!has_returned(s, CHK_FLOW_VM, s->mixed[k].vm) ||
            !has_returned(s, CHK_FLOW_LDS, s->mixed[k].lds))
            break;
    }
    return *n != before;
}

static void waitcnt(chk_hazard_wave_t *s, isa_wait_limits_t waits)
{
    const unsigned vm = waits.loads, lds = waits.lds;
    bool some = at_most(s, CHK_FLOW_VM, vm);
    some |= at_most(s, CHK_FLOW_LDS, lds);
    some |= at_most(s, CHK_FLOW_SAMPLES, waits.samples);
    some |= at_most(s, CHK_FLOW_RAYS, waits.rays);
    some |= count_mixed(s);
    at_most(s, CHK_FLOW_STORES, waits.stores); /* no register waits for these */
    if (!waits.scalar) some |= at_most(s, CHK_FLOW_ANY, 0);
    if (!vm) some |= at_most(s, CHK_FLOW_FLAT_MEMORY, 0);
    if (!vm) s->flat_vm = s->issued[CHK_FLOW_FLAT];
    if (!lds) s->flat_lgkm = s->issued[CHK_FLOW_FLAT];
    const uint32_t flat = s->flat_vm < s->flat_lgkm ? s->flat_vm : s->flat_lgkm;
    some |= at_most(s, CHK_FLOW_FLAT, s->issued[CHK_FLOW_FLAT] - flat);
    const bool exp = at_most(s, CHK_FLOW_EXP, waits.exp);
    if (some || exp) release(s, &s->pending);
    if (exp) release(s, &s->locked);
}

/* An operation on a register, or on a half of it. The last one that was in flight on the same part
 * is forgotten, but for its lanes. If one of the two covers the whole register, both count as if
 * they did. */
static inline void put_in_flight(chk_hazard_wave_t *s, unsigned reg, unsigned half, bool before,
                                 chk_in_flight_t x)
{
    const unsigned was = before ? s->half[reg] : half;
    const bool whole = half == CHK_WHOLE || was == CHK_WHOLE;
    const unsigned at = !whole && half == CHK_HIGH;
    for (unsigned k = 0; before && k < 2; k++) {
        const bool has = was == CHK_WHOLE ? !k : was >> k & 1;
        if (has && (whole || k == at)) x.lanes |= s->of[k][reg].lanes;
    }
    s->of[at][reg] = x;
    s->half[reg] = (uint8_t)(whole ? CHK_WHOLE : was | half);
}

/* Issues an operation, of which at most `most` can be outstanding, on the registers of index `from`
 * to `to`. */
static inline void issue(chk_hazard_wave_t *s, chk_reg_set_t *set, unsigned flow, uint32_t most,
                         const chk_use_t *u, uint64_t lanes, unsigned from, unsigned to)
{
    const uint32_t number = ++s->issued[flow];
    s->pc[flow][number % CHK_ISSUES] = u->pc;
    const bool some = at_most(s, flow, most), mixed = count_mixed(s);
    if (some || mixed) release(s, &s->pending);
    if (some || mixed) release(s, &s->locked);
    for (unsigned k = from; k < to; k++) {
        const uint64_t before = bits_at(set, u->regs[k]);
        change_bits(set, u->regs[k], true);
        for (unsigned n = 0; n < u->regs[k].n; n++)
            put_in_flight(s, u->regs[k].first + n, u->regs[k].half, before >> n & 1,
                          (chk_in_flight_t){.lanes = lanes,
                                            .number = number,
                                            .flow = (uint8_t)flow,
                                            .kind = chk_use_kind(u)});
    }
}

/* The flow of FLAT that counts what memory does, where it returns in order. */
static unsigned memory_flow(const chk_use_t *u, const isa_arch_t *arch)
{
    const bool stores = u->flags & CHK_USE_STORES && u->n == u->n_reads;
    return stores && arch->stores_apart ? CHK_FLOW_STORES : CHK_FLOW_VM;
}

/* The flow of a FLAT operation: by its lanes in the LDS aperture. */
static unsigned flow_of(const chk_use_t *u, const isa_wave_t *w, const isa_inst_t *i)
{
    if (u->flow != CHK_FLOW_FLAT) return u->flow;
    const uint64_t lds = isa_address_flat_lanes(w, i).in[ISA_SPACE_LDS];
    if (!u->rules->flat_in_order) return lds ? CHK_FLOW_FLAT : CHK_FLOW_FLAT_MEMORY;
    if (!lds) return memory_flow(u, w->group->dispatch->arch);
    return lds != w->exec && u->n > u->n_reads ? CHK_FLOW_FLAT_MIXED : CHK_FLOW_LDS;
}

static void count(chk_hazard_wave_t *s, const chk_use_t *u, const isa_wave_t *w, unsigned flow)
{
    const uint32_t most = chk_most_outstanding(flow, w->group->dispatch->arch);
    issue(s, &s->pending, flow, most, u, 0, 0, 0);
}

/* FLAT that returns in order is counted with memory and with LDS: in both of these flows, except
 * for `flow`, whose registers are still to be recorded. */
static void count_both(chk_hazard_wave_t *s, const chk_use_t *u, const isa_wave_t *w, unsigned flow)
{
    if (u->flow != CHK_FLOW_FLAT || !u->rules->flat_in_order) return;
    const unsigned memory = memory_flow(u, w->group->dispatch->arch);
    if (flow != memory) count(s, u, w, memory);
    if (flow != CHK_FLOW_LDS) count(s, u, w, CHK_FLOW_LDS);
    if (flow != CHK_FLOW_FLAT_MIXED) return;
    const unsigned next = (s->issued[flow] + 1) % CHK_ISSUES;
    s->mixed[next].vm = s->issued[CHK_FLOW_VM];
    s->mixed[next].lds = s->issued[CHK_FLOW_LDS];
}

/* ---- reads and writes of pending registers ---- */

/* Whether one operation of vector memory writes its registers after another one that was issued
 * before. */
static bool in_order(const chk_use_t *u, const chk_in_flight_t *x)
{
    return !u->rules->memory_any_order && chk_use_kind(u) == x->kind;
}

/* Whether a load of flow `by` returns after an earlier operation, so that it may write the same
 * register: those of VM, SAMPLES and RAYS do where they come in order, and those of LDS and EXP
 * always. Of FLAT, the lanes that the flow `by` does not count must have returned. */
static bool returns_after(const chk_hazard_wave_t *s, const chk_use_t *u, unsigned by,
                          const chk_in_flight_t *x)
{
    const unsigned mixed = x->number % CHK_ISSUES;
    const bool memory = by == CHK_FLOW_VM && in_order(u, x);
    switch (x->flow) {
    case CHK_FLOW_LDS:
    case CHK_FLOW_EXP: return by == x->flow;
    case CHK_FLOW_VM:
    case CHK_FLOW_RAYS:
    case CHK_FLOW_SAMPLES: return by == x->flow && in_order(u, x);
    case CHK_FLOW_FLAT_MEMORY: return memory;
    case CHK_FLOW_FLAT: return memory && (int32_t)(x->number - s->flat_lgkm) <= 0;
    case CHK_FLOW_FLAT_MIXED:
        return (by == x->flow && in_order(u, x)) ||
               (memory && has_returned(s, CHK_FLOW_LDS, s->mixed[mixed].lds)) ||
               (by == CHK_FLOW_LDS && has_returned(s, CHK_FLOW_VM, s->mixed[mixed].vm));
    default: return false;
    }
}

/* Whether a load or store need not wait for the operation on that half of the register: a store of
 * the other half for none, a load into the other half for none of its own flow. */
static bool has_other_half(const chk_regs_t *r, unsigned half, unsigned by,
                           const chk_in_flight_t *x)
{
    const bool written = r->roles & CHK_ROLE_WRITTEN;
    return r->half && half && r->half != half && (!written || by == x->flow);
}

/* The operation for whose result the instruction had to wait before it uses that register, the last
 * one of two; NULL: there is none. `by`: the instruction's flow. */
static const chk_in_flight_t *in_the_way(const chk_hazard_wave_t *s, const chk_use_t *u,
                                         unsigned by, const chk_regs_t *r, unsigned reg,
                                         uint64_t exec, bool pending)
{
    const chk_in_flight_t *found = NULL;
    const unsigned halves = s->half[reg];
    for (unsigned k = 0; k < (halves ? 2 : 1); k++) {
        const chk_in_flight_t *x = &s->of[k][reg];
        const unsigned half = halves & (CHK_LOW << k);
        if ((halves && !half) || !(x->lanes & exec)) continue;
        if (pending && has_other_half(r, half, by, x)) continue;
        if (pending && r->roles & CHK_ROLE_WRITTEN && returns_after(s, u, by, x)) continue;
        if (!found || s->issued[x->flow] - x->number < s->issued[found->flow] - found->number)
            found = x;
    }
    return found;
}

/* `by`: the instruction's flow. */
static bool pending_hazard(chk_hazard_wave_t *s, const chk_use_t *u, unsigned by, unsigned k,
                           uint64_t exec, chk_reg_set_t *set, chk_hazard_t *out)
{
    const chk_in_flight_t *x = NULL;
    const bool pending = set == &s->pending;
    unsigned reg = 0;
    for (uint64_t bits = bits_at(set, u->regs[k]); bits && !x; bits &= bits - 1) {
        reg = u->regs[k].first + (unsigned)__builtin_ctzll(bits);
        x = in_the_way(s, u, by, &u->regs[k], reg, exec, pending);
    }
    if (!x) return false;
    const bool written = u->regs[k].roles & CHK_ROLE_WRITTEN;
    const bool both = s->half[reg] == (CHK_LOW | CHK_HIGH);
    *out = (chk_hazard_t){.kind = written ? CHK_HAZARD_OVERWRITE : CHK_HAZARD_READ,
                          .reg = (uint16_t)reg,
                          .flow = x->flow,
                          .half = pending && !both ? s->half[reg] : CHK_WHOLE,
                          .outstanding = s->issued[x->flow] - s->returned[x->flow],
                          .behind = s->issued[x->flow] - x->number};
    if (out->behind < CHK_ISSUES) out->pc = s->pc[x->flow][x->number % CHK_ISSUES];
    change_bits(set, u->regs[k], false);
    return true;
}

/* The lanes in which the instruction uses its register number k. */
static uint64_t lanes_of(const chk_use_t *u, unsigned k, uint64_t exec)
{
    const chk_regs_t *r = &u->regs[k];
    if (r->first >= CHK_REG_SCALAR || u->flags & CHK_USE_ALL_LANES) return ~0ull;
    if (u->flags & CHK_USE_WRITES_QUADS) return isa_whole_quads(exec);
    if (r->quad) return isa_whole_quads(exec) & 0x1111111111111111u << (r->quad - 1);
    return exec;
}

static bool check_pending(chk_hazard_wave_t *s, const chk_use_t *u, unsigned by, uint64_t exec,
                          bool indexed, chk_hazard_t *out)
{
    for (unsigned k = 0; k < u->n; k++) {
        const bool scalar = u->regs[k].first >= CHK_REG_SCALAR;
        const uint64_t lanes = lanes_of(u, k, exec);
        if (indexed && !scalar) continue;
        if (bits_at(&s->pending, u->regs[k]) &&
            pending_hazard(s, u, by, k, lanes, &s->pending, out))
            return true;
        if (k + u->changed >= u->n_reads && bits_at(&s->locked, u->regs[k]) &&
            pending_hazard(s, u, by, k, lanes, &s->locked, out))
            return true;
    }
    return false;
}

/* ---- wait states ---- */

/* By chk_share_t: the roles that a register of the second instruction must have; 0: no register
 * matters. */
static const uint16_t roles_of[] = {
    [CHK_SHARE_SCALAR] = CHK_ROLE_SCALAR,
    [CHK_SHARE_LANE] = CHK_ROLE_LANE,
    [CHK_SHARE_VCC] = CHK_ROLE_SCALAR,
    [CHK_SHARE_CONSTANT] = CHK_ROLE_SCALAR,
    [CHK_SHARE_CONSTANT_VCC] = CHK_ROLE_SCALAR,
    [CHK_SHARE_VECTOR] = CHK_ROLE_VECTOR,
    [CHK_SHARE_VECTOR_F64] = CHK_ROLE_VECTOR,
    [CHK_SHARE_AB] = CHK_ROLE_AB,
    [CHK_SHARE_C_SAME] = CHK_ROLE_C,
    [CHK_SHARE_C_OTHER] = CHK_ROLE_C,
    [CHK_SHARE_WRITTEN] = CHK_ROLE_WRITTEN,
    [CHK_SHARE_HELD] = CHK_ROLE_WRITTEN,
    [CHK_SHARE_USED] = CHK_ROLE_VECTOR | CHK_ROLE_WRITTEN,
    [CHK_SHARE_DOT_READ] = CHK_ROLE_VECTOR,
    [CHK_SHARE_DOT_WRITTEN] = CHK_ROLE_WRITTEN,
};

/* The first register that two tuples have in common, which overlap. */
static unsigned first_of_both(chk_regs_t a, chk_regs_t b)
{
    return a.first > b.first ? a.first : b.first;
}

/* The first register that `f` writes and `r` includes; CHK_REGS: there is none. */
static unsigned written_of(const chk_use_t *f, const chk_regs_t *r)
{
    for (unsigned k = f->n_reads; k < f->n; k++)
        if (overlap(f->regs[k], *r)) return first_of_both(f->regs[k], *r);
    return CHK_REGS;
}

static bool is_vcc(const chk_regs_t *r)
{
    return r->first - (unsigned)(CHK_REG_SCALAR + ISA_CODE_VCC) < 2;
}

/* The first of the registers `r` of the second instruction by which the row's condition with the
 * first instruction is met; CHK_REGS: it is not met. */
static unsigned shared(const chk_rule_t *rule, const chk_use_t *f, const chk_use_t *u,
                       const chk_regs_t *r)
{
    const bool same_op = f->op == u->op;
    unsigned roles = roles_of[rule->share];
    if (rule->share == CHK_SHARE_DOT_READ && same_op) roles = CHK_ROLE_AB;
    if (rule->share == CHK_SHARE_USED && u->first & CHK_FIRST_MATRIX) roles = CHK_ROLE_AB;
    if (rule->share == CHK_SHARE_USED && u->flow != CHK_FLOW_NONE) roles = CHK_ROLE_VECTOR;
    if (!(r->roles & roles)) return CHK_REGS;
    /* scalars that are results have this role as well: only those that are read count */
    if (roles & (CHK_ROLE_SCALAR | CHK_ROLE_LANE) && r->roles & CHK_ROLE_WRITTEN) return CHK_REGS;
    switch ((chk_share_t)rule->share) {
    case CHK_SHARE_HELD:
        if (f->held == CHK_USE_REGS || !overlap(f->regs[f->held], *r)) return CHK_REGS;
        return first_of_both(f->regs[f->held], *r);
    case CHK_SHARE_CONSTANT:
    case CHK_SHARE_CONSTANT_VCC:
        if (r->roles & CHK_ROLE_MASK) return CHK_REGS;
        if (is_vcc(r) != (rule->share == CHK_SHARE_CONSTANT_VCC)) return CHK_REGS;
        break;
    case CHK_SHARE_VCC:
        if (r->first != CHK_REG_SCALAR + ISA_CODE_VCC) return CHK_REGS;
        break;
    case CHK_SHARE_DOT_WRITTEN:
        if (same_op) return CHK_REGS;
        break;
    case CHK_SHARE_C_SAME: return same_regs(f->regs[f->n_reads], *r) ? r->first : CHK_REGS;
    case CHK_SHARE_C_OTHER:
        if (same_regs(f->regs[f->n_reads], *r)) return CHK_REGS;
        break;
    default: break;
    }
    return written_of(f, r);
}

static bool applies(const chk_rule_t *rule, const chk_use_t *f, const chk_use_t *u,
                    unsigned settled, uint16_t *reg)
{
    if (rule->share == CHK_SHARE_NOTHING) return true;
    if (rule->share == CHK_SHARE_HWREG) return f->hwreg == u->hwreg;
    for (unsigned k = 0; k < u->n; k++) {
        if (rule->first & CHK_FIRST_MATRIX && settled >> k & 1) continue;
        *reg = (uint16_t)shared(rule, f, u, &u->regs[k]);
        if (*reg != CHK_REGS) return true;
    }
    return false;
}

/* The registers of `u` that the matrix instruction `f` wrote. If several instructions wrote a
 * register, only the last one counts. */
static unsigned settle(const chk_use_t *f, const chk_use_t *u)
{
    unsigned settled = 0;
    for (unsigned k = 0; k < u->n && f->first & CHK_FIRST_MATRIX; k++)
        settled |= (unsigned)overlap(f->regs[f->n_reads], u->regs[k]) << k;
    return settled;
}

/* Searches the instructions that were issued within `reach` wait states, for the pair that lacks
 * most wait states. */
static bool check_states(const chk_hazard_wave_t *s, const chk_use_t *u, unsigned reach,
                         chk_hazard_t *out)
{
    const uint32_t n = s->n_recent < CHK_RECENT ? s->n_recent : CHK_RECENT;
    unsigned settled = 0, missing = 0, trans = 0;
    uint64_t as_second = u->as_second & ~u->behind_f64;
    for (uint32_t back = 1; back <= n; back++) {
        const chk_recent_t *recent = &s->recent[(s->n_recent - back) % CHK_RECENT];
        const chk_use_t *f = recent->use;
        const uint32_t had = s->states - recent->end;
        if (had >= reach) break;
        if (f->inst != recent->inst) continue;
        for (uint64_t left = f->as_first & as_second; left; left &= left - 1) {
            const chk_rule_t *rule = &u->rules->rows[__builtin_ctzll(left)];
            uint16_t reg = CHK_REGS;
            if (rule->first & CHK_FIRST_TRANS && u->rules->trans &&
                (trans >= u->rules->trans || (int32_t)(s->n_recent - back - s->trans_from) < 0))
                continue;
            if (had + missing >= rule->states || !applies(rule, f, u, settled, &reg)) continue;
            missing = rule->states - had;
            *out = (chk_hazard_t){.kind = CHK_HAZARD_STATES,
                                  .reg = reg,
                                  .rule = rule,
                                  .needed = rule->states,
                                  .had = had,
                                  .pc = f->pc};
        }
        settled |= settle(f, u);
        trans += (f->first & CHK_FIRST_TRANS) != 0;
        if (f->first & CHK_FIRST_F64) as_second = u->as_second;
    }
    return missing;
}

/* How many wait states back a row may still apply to the instruction. */
static unsigned reach_of(const chk_hazard_wave_t *s, const chk_use_t *u, bool indexed)
{
    const chk_hazard_rules_t *r = u->rules;
    unsigned reach = u->near;
    if ((int32_t)(s->look_until - s->states) <= 0) return reach;
    if (s->states - s->rare_end < r->rare && reach < r->rare) reach = r->rare;
    if (!indexed && u->touches & s->marked.digest && (int32_t)(s->marked_until - s->states) > 0) {
        /* a dot product may use the result of the same one, except as A or B */
        const unsigned roles = u->op == s->only_dot ? CHK_ROLE_AB : ~0u;
        for (unsigned k = 0; k < u->n; k++)
            if (u->regs[k].roles & roles && bits_at(&s->marked, u->regs[k])) {
                const bool matrix = s->states - s->matrix_end < r->most;
                reach = matrix || reach > r->mark ? r->most : r->mark;
                break;
            }
    }
    return reach < u->far ? reach : u->far;
}

static void extend(uint32_t *until, uint32_t states)
{
    if ((int32_t)(states - *until) > 0) *until = states;
}

/* Records the instruction as the possible first of a pair. */
static void mark(chk_hazard_wave_t *s, const chk_use_t *u)
{
    const uint32_t end = s->states + u->states;
    const bool matrix = u->first & CHK_FIRST_MATRIX;
    if (u->flags & CHK_USE_RARE) {
        s->rare_end = end;
        extend(&s->look_until, end + u->rules->rare);
    }
    if (!(u->flags & CHK_USE_MARKS)) return;
    const uint16_t dot = u->first & CHK_FIRST_DOT ? u->op : 0;
    if ((int32_t)(s->marked_until - s->states) <= 0) {
        s->marked = (chk_reg_set_t){.digest = 0};
        s->only_dot = dot;
    }
    if (s->only_dot != dot) s->only_dot = 0;
    if (matrix) s->matrix_end = end;
    const uint32_t until = end + (matrix ? u->rules->most : u->rules->mark);
    extend(&s->marked_until, until);
    extend(&s->look_until, until);
    for (unsigned k = u->n_reads; k < u->n; k++)
        change_bits(&s->marked, u->regs[k], true);
    if (u->held < CHK_USE_REGS) change_bits(&s->marked, u->regs[u->held], true);
}

/* ---- instructions ---- */

void chk_hazard_start(chk_hazard_wave_t *s)
{
    if (s->pending.digest) s->pending = (chk_reg_set_t){.digest = 0};
    if (s->locked.digest) s->locked = (chk_reg_set_t){.digest = 0};
    memset(s, 0, offsetof(chk_hazard_wave_t, pending));
    memset(&s->copies, 0, offsetof(chk_copies_t, written_at));
    s->rare_end = s->matrix_end = 0u - CHK_RECENT; /* too long ago for any row */
}

static bool check_copies(chk_hazard_wave_t *s, const chk_use_t *u, const isa_wave_t *w,
                         chk_hazard_t *out)
{
    chk_copy_t copy;
    if (!chk_copies_look(&s->copies, u, w->group->dispatch->narrow, &copy)) return false;
    *out =
        (chk_hazard_t){.kind = CHK_HAZARD_COPY, .reg = copy.reg, .wait = copy.wait, .pc = copy.pc};
    return true;
}

unsigned chk_hazard_look(chk_hazard_wave_t *s, const chk_use_t *u, const isa_wave_t *w,
                         const isa_inst_t *i, chk_hazard_t found[CHK_HAZARDS_MAX])
{
    const bool indexed = chk_is_indexed(w, u);
    const unsigned flow = flow_of(u, w, i);
    unsigned n = 0;
    if (u->flags & CHK_USE_WAITS_FIRST) waitcnt(s, u->waits);
    if (chk_hazard_touches(s, u) && check_pending(s, u, flow, w->exec, indexed, &found[n])) n++;
    if (u->as_second) {
        const unsigned reach = reach_of(s, u, indexed);
        if (reach && check_states(s, u, reach, &found[n])) n++;
    }
    if (u->flags & CHK_USE_COPIES && check_copies(s, u, w, &found[n])) n++;
    if (u->flags & (CHK_USE_READS_SCC | CHK_USE_WRITES_SCC) && !s->scc_known) {
        if (u->flags & CHK_USE_READS_SCC) found[n++] = (chk_hazard_t){.kind = CHK_HAZARD_UNSET};
        s->scc_known = true;
    }

    if (u->flags & (CHK_USE_MARKS | CHK_USE_RARE)) mark(s, u);
    if (indexed)
        s->states += u->states;
    else
        chk_hazard_pass(s, u);
    if (u->flags & CHK_USE_ENDS_TRANS) s->trans_from = s->n_recent;
    if (u->flags & CHK_USE_WAITCNT) waitcnt(s, u->waits);
    if (u->flow == CHK_FLOW_NONE) return n;
    const bool idle = u->flags & CHK_USE_VECTOR && !w->exec;
    uint64_t lanes = u->flags & CHK_USE_VECTOR ? w->exec : ~0ull; /* scalars: all */
    if (u->flags & CHK_USE_WRITES_QUADS) lanes = isa_whole_quads(w->exec);
    count_both(s, u, w, flow);
    const uint32_t most =
        flow == u->flow ? u->most : chk_most_outstanding(flow, w->group->dispatch->arch);
    const unsigned writes = u->n_reads - u->changed;
    issue(s, &s->pending, flow, most, u, lanes, writes, idle ? writes : u->n);
    if (u->flags & CHK_USE_LOCKS)
        issue(s, &s->locked, CHK_FLOW_EXP, UINT32_MAX, u, lanes, 0, idle ? 0 : u->n_reads);
    return n;
}
