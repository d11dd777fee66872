/* hazard_wave.c - see hazard_wave.h. Every instruction comes here: what is usual is told by a few
 * loads and compares, and only what has met something is looked at closely. */
#include "softgpu/check/hazard_wave.h"

#include <stddef.h>
#include <string.h>

enum { MODE_GPR_INDEX = 1 << 27, RARE_STATES = 2 }; /* RARE_STATES: of the rows of CHK_FIRST_RARE */

/* ---- sets of registers ---- */

static uint64_t mask_of(unsigned n)
{
    return (1ull << n) - 1; /* tuples are of 32 registers at most */
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
}

static bool overlap(chk_regs_t a, chk_regs_t b)
{
    return a.first < b.first + b.n && b.first < a.first + a.n;
}

/* ---- what counts down ---- */

static bool has_returned(const chk_hazard_wave_t *s, unsigned flow, uint32_t number)
{
    return (int32_t)(number - s->returned[flow]) <= 0;
}

/* Forgets registers whose loads have returned. */
static void release(chk_hazard_wave_t *s, chk_reg_set_t *set)
{
    for (unsigned k = 0; k < (CHK_REGS + 63) / 64; k++)
        for (uint64_t left = set->bits[k]; left; left &= left - 1) {
            const unsigned reg = 64 * k + (unsigned)__builtin_ctzll(left);
            if (has_returned(s, s->flow[reg], s->number[reg])) set->bits[k] &= ~(1ull << reg % 64);
        }
}

static bool at_most(chk_hazard_wave_t *s, unsigned flow, unsigned n)
{
    if (s->issued[flow] - s->returned[flow] <= n) return false;
    s->returned[flow] = s->issued[flow] - n;
    return true;
}

/* gfx9: vmcnt in bits 3:0 and 15:14, expcnt in 6:4, lgkmcnt in 11:8. */
static void waitcnt(chk_hazard_wave_t *s, uint32_t simm16)
{
    const unsigned vm = (simm16 & 15) | (simm16 >> 14 & 3) << 4, lgkm = simm16 >> 8 & 15;
    bool some = at_most(s, CHK_FLOW_VM, vm) | at_most(s, CHK_FLOW_LDS, lgkm);
    if (!lgkm) some |= at_most(s, CHK_FLOW_ANY, 0);
    if (!vm) some |= at_most(s, CHK_FLOW_FLAT_MEMORY, 0);
    if (!vm) s->flat_vm = s->issued[CHK_FLOW_FLAT];
    if (!lgkm) s->flat_lgkm = s->issued[CHK_FLOW_FLAT];
    const uint32_t flat = s->flat_vm < s->flat_lgkm ? s->flat_vm : s->flat_lgkm;
    some |= at_most(s, CHK_FLOW_FLAT, s->issued[CHK_FLOW_FLAT] - flat);
    if (some) release(s, &s->pending);
    if (at_most(s, CHK_FLOW_EXP, simm16 >> 4 & 7)) release(s, &s->locked);
}

static void issue(chk_hazard_wave_t *s, chk_reg_set_t *set, unsigned flow, const chk_use_t *u,
                  unsigned from, unsigned to)
{
    const uint32_t number = ++s->issued[flow];
    s->pc[flow][number % CHK_ISSUES] = u->pc;
    for (unsigned k = from; k < to; k++) {
        change_bits(set, u->regs[k], true);
        for (unsigned r = u->regs[k].first; r < u->regs[k].first + u->regs[k].n; r++) {
            s->flow[r] = (uint8_t)flow;
            s->number[r] = number;
        }
    }
}

/* FLAT waits for LDS where a lane is in its aperture only. */
static unsigned flow_of(const chk_use_t *u, const isa_wave_t *w, const isa_inst_t *i)
{
    if (u->flow != CHK_FLOW_FLAT) return u->flow;
    const uint32_t shared = (uint32_t)(w->group->dispatch->shared_base >> 32);
    const uint32_t *high = w->vgpr[i->src[0].reg + 1];
    for (uint64_t left = w->exec; left; left &= left - 1)
        if (high[__builtin_ctzll(left)] == shared) return CHK_FLOW_FLAT;
    return CHK_FLOW_FLAT_MEMORY;
}

/* ---- reads and writes of pending registers ---- */

static bool pending_hazard(chk_hazard_wave_t *s, const chk_use_t *u, unsigned k, chk_reg_set_t *set,
                           chk_hazard_t *out)
{
    const uint64_t bits = bits_at(set, u->regs[k]);
    const unsigned reg = u->regs[k].first + (unsigned)__builtin_ctzll(bits);
    const unsigned flow = s->flow[reg];
    const uint32_t number = s->number[reg];
    const bool written = u->regs[k].roles & CHK_ROLE_WRITTEN;
    /* a load into what another of the same order is going to write comes after it */
    if (written && flow == u->flow && flow <= CHK_FLOW_LDS) return false;
    *out = (chk_hazard_t){.kind = written ? CHK_HAZARD_OVERWRITE : CHK_HAZARD_READ,
                          .reg = (uint16_t)reg,
                          .flow = (uint8_t)flow,
                          .outstanding = s->issued[flow] - s->returned[flow],
                          .behind = s->issued[flow] - number};
    if (out->behind < CHK_ISSUES) out->pc = s->pc[flow][number % CHK_ISSUES];
    change_bits(set, u->regs[k], false);
    return true;
}

static bool check_pending(chk_hazard_wave_t *s, const chk_use_t *u, bool indexed, chk_hazard_t *out)
{
    for (unsigned k = 0; k < u->n; k++) {
        if (indexed && u->regs[k].first < CHK_REG_SCALAR) continue;
        if (bits_at(&s->pending, u->regs[k]) && pending_hazard(s, u, k, &s->pending, out))
            return true;
        if (k >= u->n_reads && bits_at(&s->locked, u->regs[k]) &&
            pending_hazard(s, u, k, &s->locked, out))
            return true;
    }
    return false;
}

/* ---- wait states ---- */

/* What registers of the second are, by chk_share_t; 0: no register matters. */
static const uint16_t roles_of[] = {
    [CHK_SHARE_SCALAR] = CHK_ROLE_SCALAR,     [CHK_SHARE_LANE] = CHK_ROLE_LANE,
    [CHK_SHARE_VCC] = CHK_ROLE_SCALAR,        [CHK_SHARE_VECTOR] = CHK_ROLE_VECTOR,
    [CHK_SHARE_VECTOR_F64] = CHK_ROLE_VECTOR, [CHK_SHARE_AB] = CHK_ROLE_AB,
    [CHK_SHARE_C_SAME] = CHK_ROLE_C,          [CHK_SHARE_C_OTHER] = CHK_ROLE_C,
    [CHK_SHARE_WRITTEN] = CHK_ROLE_WRITTEN,   [CHK_SHARE_HELD] = CHK_ROLE_WRITTEN,
    [CHK_SHARE_DOT_READ] = CHK_ROLE_VECTOR,   [CHK_SHARE_DOT_WRITTEN] = CHK_ROLE_WRITTEN,
};

/* Whether the register of the second belongs to what the first has of it. */
static bool shares(const chk_rule_t *rule, const chk_recent_t *f, const chk_use_t *u,
                   const chk_regs_t *r, bool behind_f64)
{
    const bool same_op = f->op == u->op;
    const chk_regs_t *const written = f->regs, *held = &f->regs[2];
    unsigned roles = roles_of[rule->share];
    switch ((chk_share_t)rule->share) {
    case CHK_SHARE_HELD: return r->roles & roles && held->n && overlap(*held, *r);
    case CHK_SHARE_VCC:
        if (r->first != CHK_REG_SCALAR + ISA_CODE_VCC) return false;
        break;
    case CHK_SHARE_VECTOR_F64:
        if (!behind_f64) return false;
        break;
    case CHK_SHARE_DOT_READ:
        if (same_op) roles = CHK_ROLE_AB;
        break;
    case CHK_SHARE_DOT_WRITTEN:
        if (same_op) return false;
        break;
    default: break;
    }
    if (!(r->roles & roles)) return false;
    const bool first = written[0].n && overlap(written[0], *r);
    const bool same = written[0].first == r->first && written[0].n == r->n;
    if (rule->share == CHK_SHARE_C_SAME) return same;
    if (rule->share == CHK_SHARE_C_OTHER) return first && !same;
    return first || (written[1].n && overlap(written[1], *r));
}

static bool meets(const chk_rule_t *rule, const chk_recent_t *f, const chk_use_t *u,
                  unsigned settled, bool behind_f64, uint16_t *reg)
{
    if (rule->share == CHK_SHARE_NOTHING) return true;
    if (rule->share == CHK_SHARE_HWREG) return f->hwreg == u->hwreg;
    for (unsigned k = 0; k < u->n; k++) {
        if (rule->first & CHK_FIRST_MATRIX && settled >> k & 1) continue;
        if (!shares(rule, f, u, &u->regs[k], behind_f64)) continue;
        *reg = u->regs[k].first;
        return true;
    }
    return false;
}

/* Of several matrix instructions that wrote a register the last one decides. */
static unsigned settle(const chk_recent_t *f, const chk_use_t *u)
{
    unsigned settled = 0;
    for (unsigned k = 0; k < u->n && f->first & CHK_FIRST_MATRIX; k++)
        settled |= (unsigned)overlap(f->regs[0], u->regs[k]) << k;
    return settled;
}

/* Back through what has been issued within `reach` states. The greatest need that is not met. */
static bool check_states(const chk_hazard_wave_t *s, const chk_use_t *u, unsigned reach,
                         chk_hazard_t *out)
{
    const uint32_t n = s->n_recent < CHK_RECENT ? s->n_recent : CHK_RECENT;
    unsigned settled = 0, missing = 0;
    bool behind_f64 = false;
    for (uint32_t back = 1; back <= n; back++) {
        const chk_recent_t *f = &s->recent[(s->n_recent - back) % CHK_RECENT];
        const uint32_t had = s->states - f->end;
        if (had >= reach) break;
        for (uint64_t left = f->as_first & u->as_second; left; left &= left - 1) {
            const unsigned rule = (unsigned)__builtin_ctzll(left);
            uint16_t reg = CHK_REGS;
            if (had + missing >= chk_rules[rule].states ||
                !meets(&chk_rules[rule], f, u, settled, behind_f64, &reg))
                continue;
            missing = chk_rules[rule].states - had;
            *out = (chk_hazard_t){.kind = CHK_HAZARD_STATES,
                                  .reg = reg,
                                  .rule = (uint8_t)rule,
                                  .needed = chk_rules[rule].states,
                                  .had = had,
                                  .pc = f->pc};
        }
        settled |= settle(f, u);
        behind_f64 |= f->first & CHK_FIRST_F64;
    }
    return missing;
}

/* How far back it is worth while to look. */
static unsigned reach_of(const chk_hazard_wave_t *s, const chk_use_t *u, bool indexed)
{
    unsigned reach = u->flags & CHK_USE_WALKS ? u->near : 0;
    if (s->states - s->rare_end < RARE_STATES && reach < RARE_STATES) reach = RARE_STATES;
    if (!indexed && (int32_t)(s->marked_until - s->states) > 0)
        for (unsigned k = 0; k < u->n; k++)
            if (bits_at(&s->marked, u->regs[k])) return u->far;
    return reach < u->far ? reach : u->far;
}

static void remember(chk_hazard_wave_t *s, const chk_use_t *u)
{
    chk_recent_t *f = &s->recent[s->n_recent++ % CHK_RECENT];
    *f = (chk_recent_t){.as_first = u->as_first,
                        .pc = u->pc,
                        .first = u->first,
                        .end = s->states + u->states,
                        .op = u->op,
                        .hwreg = u->hwreg};
    for (unsigned k = u->n_reads, n = 0; k < u->n && n < 2; k++)
        f->regs[n++] = u->regs[k];
    if (u->held < CHK_USE_REGS) f->regs[2] = u->regs[u->held];
    if (u->first & CHK_FIRST_RARE) s->rare_end = f->end;
    if (!(u->first & CHK_FIRST_MARKS)) return;
    if ((int32_t)(s->marked_until - s->states) <= 0) s->marked = (chk_reg_set_t){{0}};
    s->marked_until = f->end + CHK_RULE_STATES_MAX;
    for (unsigned k = 0; k < 3; k++)
        if (f->regs[k].n) change_bits(&s->marked, f->regs[k], true);
}

/* ---- */

void chk_hazard_start(chk_hazard_wave_t *s)
{
    memset(s, 0, offsetof(chk_hazard_wave_t, recent));
    s->rare_end = 0u - RARE_STATES;
}

unsigned chk_hazard_step(chk_hazard_wave_t *s, const chk_use_t *u, const isa_wave_t *w,
                         const isa_inst_t *i, chk_hazard_t found[CHK_HAZARDS_MAX])
{
    const bool indexed = w->mode & MODE_GPR_INDEX && u->flags & CHK_USE_INDEXED;
    unsigned n = 0;
    if (check_pending(s, u, indexed, &found[n])) n++;
    if (u->as_second) {
        const unsigned reach = reach_of(s, u, indexed);
        if (reach && check_states(s, u, reach, &found[n])) n++;
    }
    if (u->flags & (CHK_USE_READS_SCC | CHK_USE_WRITES_SCC) && !s->scc_known) {
        if (u->flags & CHK_USE_READS_SCC) found[n++] = (chk_hazard_t){.kind = CHK_HAZARD_UNSET};
        s->scc_known = true;
    }

    if (u->as_first && !indexed) remember(s, u);
    s->states += u->states;
    if (u->flags & CHK_USE_WAITCNT) waitcnt(s, (uint32_t)i->imm);
    if (u->flow != CHK_FLOW_NONE) {
        const bool idle = u->flags & CHK_USE_VECTOR && !w->exec;
        issue(s, &s->pending, flow_of(u, w, i), u, u->n_reads, idle ? u->n_reads : u->n);
        if (u->flags & CHK_USE_LOCKS)
            issue(s, &s->locked, CHK_FLOW_EXP, u, 0, idle ? 0 : u->n_reads);
    }
    return n;
}
