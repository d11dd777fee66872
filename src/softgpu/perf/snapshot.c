/* snapshot.c - see snapshot.h: when a wave is sampled, and what the sample says.
 *
 * The clocks of an instruction have parts, in this order: its code is being fetched, it waits,
 * other waves are chosen, it is issued, and a barrier waits for other waves. */
#include "softgpu/perf/snapshot.h"

#include "softgpu/exec/exec.h"

#include <string.h>

enum { NO_CODE, WAITS, LOSES, ISSUED, BARRIER };
_Static_assert(BARRIER + 1 == SG_SNAPSHOT_PARTS, "each has its samples");

static uint32_t at_least_one(uint64_t n)
{
    return n ? (uint32_t)n : 1;
}

/* The number of waves that the unit holds at once, of those that the dispatch has for it. */
static uint32_t waves_of_unit(const sg_perf_t *p, const sg_perf_launch_t *l, uint32_t waves)
{
    const sg_profile_t *profile = &p->profile;
    uint64_t slots = profile->waves_per_simd;
    if (l->vgprs && p->arch->simd_vgprs / l->vgprs < slots) slots = p->arch->simd_vgprs / l->vgprs;
    uint64_t groups = slots * profile->simds_per_cu / waves;
    const uint64_t given = (l->groups + p->n_units - 1) / p->n_units;
    const uint64_t lds = l->lds_bytes ? ((uint64_t)profile->lds_kb << 10) / l->lds_bytes : groups;
    if (lds < groups) groups = lds;
    if (given < groups) groups = given;
    return at_least_one(groups) * waves;
}

void sg_snapshots_start(sg_snapshots_t *s, const sg_perf_t *p, const sg_perf_launch_t *launch,
                        const isa_group_t *group, uint64_t clock)
{
    const isa_arch_t *arch = p->arch;
    s->period = 0;
    if (!launch->snapshots) return;
    s->waves = waves_of_unit(p, launch, group->n_waves);
    if (__builtin_mul_overflow(launch->snapshots, s->waves, &s->period)) s->period = UINT64_MAX;
    const uint32_t simds = p->profile.simds_per_cu, of_simd = (s->waves + simds - 1) / simds;
    for (unsigned k = 0; k < SG_PIPES; k++)
        s->beside[k] = k < SG_SIMD_PIPES ? of_simd : s->waves;
    for (uint32_t i = 0; i < group->n_waves; i++) {
        const uint32_t place = group->waves[i]->hw_id;
        const uint32_t slot = isa_bits_get(arch->hw_id.slot, place);
        const uint64_t turn = (uint64_t)slot * simds + isa_bits_get(arch->hw_id.simd, place);
        const uint64_t first = turn % s->waves * launch->snapshots, at = clock % s->period;
        s->wave[i] = (sg_snapshot_wave_t){.due = first >= at ? first - at : first - at + s->period,
                                          .slot = (uint8_t)slot,
                                          .turn = (uint16_t)turn};
    }
}

/* ---- samples ---- */

typedef struct {
    uint8_t type, unit;
} seen_t;

/* By class of instructions. */
static const seen_t seen[ISA_CLASS_COUNT] = {
    [ISA_CLASS_SALU] = {ISA_SNAPSHOT_SCALAR, ISA_ARBITER_SCALAR},
    [ISA_CLASS_BRANCH] = {ISA_SNAPSHOT_NOT_TAKEN, ISA_ARBITER_MISC},
    [ISA_CLASS_MSG] = {ISA_SNAPSHOT_MESSAGE, ISA_ARBITER_MISC},
    [ISA_CLASS_INTERNAL] = {ISA_SNAPSHOT_OTHER, ISA_ARBITER_MISC},
    [ISA_CLASS_SMEM] = {ISA_SNAPSHOT_SCALAR, ISA_ARBITER_SCALAR},
    [ISA_CLASS_SMEM_RD] = {ISA_SNAPSHOT_SCALAR, ISA_ARBITER_SCALAR},
    [ISA_CLASS_SMEM_WR] = {ISA_SNAPSHOT_SCALAR, ISA_ARBITER_SCALAR},
    [ISA_CLASS_SMEM_AT] = {ISA_SNAPSHOT_SCALAR, ISA_ARBITER_SCALAR},
    [ISA_CLASS_VALU] = {ISA_SNAPSHOT_VALU, ISA_ARBITER_VALU},
    [ISA_CLASS_MFMA] = {ISA_SNAPSHOT_MATRIX, ISA_ARBITER_MATRIX},
    [ISA_CLASS_LDS] = {ISA_SNAPSHOT_LDS, ISA_ARBITER_LDS},
    [ISA_CLASS_LDS_RD] = {ISA_SNAPSHOT_LDS, ISA_ARBITER_LDS},
    [ISA_CLASS_LDS_WR] = {ISA_SNAPSHOT_LDS, ISA_ARBITER_LDS},
    [ISA_CLASS_LDS_AT] = {ISA_SNAPSHOT_LDS, ISA_ARBITER_LDS},
    [ISA_CLASS_GWS] = {ISA_SNAPSHOT_LDS, ISA_ARBITER_LDS},
    [ISA_CLASS_FLAT... ISA_CLASS_FLAT_AT] = {ISA_SNAPSHOT_FLAT, ISA_ARBITER_FLAT},
    [ISA_CLASS_VMEM... ISA_CLASS_VMEM_AT] = {ISA_SNAPSHOT_TEX, ISA_ARBITER_TEX},
};

/* FLAT instructions to one segment of memory have classes of vector memory, but are issued as FLAT,
 * as thread traces show. */
static seen_t seen_of(const isa_inst_t *i)
{
    const isa_class_t klass = (isa_class_t)isa_table[i->op].klass;
    if (i->fmt == ISA_FMT_FLAT || i->fmt == ISA_FMT_GLOBAL || i->fmt == ISA_FMT_SCRATCH)
        return seen[ISA_CLASS_FLAT];
    if (i->op == ISA_OP_s_barrier) return (seen_t){ISA_SNAPSHOT_BARRIER, ISA_ARBITER_MISC};
    if (klass == ISA_CLASS_BRANCH && i->fmt != ISA_FMT_SOPP)
        return (seen_t){ISA_SNAPSHOT_JUMP, ISA_ARBITER_MISC};
    return seen[klass];
}

static uint32_t not_issued(isa_snapshot_reason_t why, uint32_t stalls)
{
    return ISA_SNAPSHOT_VALID | ISA_SNAPSHOT_NO_INST << ISA_SNAPSHOT_TYPE |
           (uint32_t)why << ISA_SNAPSHOT_REASON | stalls << ISA_SNAPSHOT_STALLS;
}

/* Whether the operand has rows that are of the last matrix instruction's result. */
static bool of_result(const sg_snapshot_wave_t *v, const isa_wave_t *w, const isa_operand_t *o)
{
    if (!v->n_results || !isa_is_row(o)) return false;
    const uint32_t first = isa_first_row(w, o);
    return first < v->result + v->n_results && v->result < first + isa_operand_dwords(o);
}

/* Whether a matrix instruction needs what the one before it computes, as a factor or as a part of
 * its addend, which v_smfmac has in its result. An addend that is that whole result comes in time:
 * behind most instructions the tables of wait states ask for none there, but for any other use. */
static bool needs_result(const sg_snapshot_wave_t *v, const isa_wave_t *w, const isa_inst_t *i)
{
    const bool adds = isa_table[i->op].marks & ISA_IS_TIED;
    const isa_operand_t *addend = adds ? &i->dst : &i->src[2];
    const bool whole = isa_is_row(addend) && isa_first_row(w, addend) == v->result &&
                       isa_operand_dwords(addend) == v->n_results;
    return of_result(v, w, &i->src[0]) || of_result(v, w, &i->src[1]) ||
           (adds && of_result(v, w, &i->src[2])) || (!whole && of_result(v, w, addend));
}

/* Remembers a matrix instruction's result until another instruction replaces a part of it. */
static void remember_result(sg_snapshot_wave_t *v, const isa_wave_t *w, const isa_inst_t *i,
                            bool matrix)
{
    if (matrix) {
        v->result = isa_first_row(w, &i->dst);
        v->n_results = isa_operand_dwords(&i->dst);
    } else if (of_result(v, w, &i->dst)) {
        v->n_results = 0;
    }
}

/* The sample of an instruction that waits. It waits by itself (s_waitcnt, s_nop, s_sleep), or for
 * the result of a matrix instruction, or it has been chosen and its unit does not accept it: the
 * unit still works for the wave itself, or the most possible instructions are in flight. */
static uint32_t waiting(seen_t what, const sg_traits_t *t, bool needs)
{
    if (t->flow == SG_FLOW_WAIT) return not_issued(ISA_REASON_WAITCNT, 0);
    if (t->klass == ISA_CLASS_INTERNAL) return not_issued(ISA_REASON_INTERNAL, 0);
    if (needs) return not_issued(ISA_REASON_ALU_DEPENDENCY, 0);
    return not_issued(ISA_REASON_WIN_STALL, 1u << what.unit);
}

/* The sample of an instruction in whose place another wave's is issued to the same unit. */
static uint32_t losing(seen_t what)
{
    return not_issued(ISA_REASON_NOT_WIN, 0) | UINT32_C(1) << (ISA_SNAPSHOT_ISSUES + what.unit);
}

static uint32_t issued(seen_t what)
{
    return ISA_SNAPSHOT_VALID | ISA_SNAPSHOT_ISSUED | (uint32_t)what.type << ISA_SNAPSHOT_TYPE |
           UINT32_C(1) << (ISA_SNAPSHOT_ISSUES + what.unit);
}

/* The number of the wave's samples before the clock `until`; sets v->due to the next one. */
static uint32_t samples_until(sg_snapshots_t *s, sg_snapshot_wave_t *v, uint64_t until)
{
    if (v->due >= until) return 0;
    const uint64_t n = (until - v->due - 1) / s->period + 1;
    v->due += n * s->period;
    return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

static void at_least(uint64_t *late, uint64_t free, uint64_t asked)
{
    if (free > asked + *late) *late = free - asked;
}

/* How late the wave is whose last instruction has asked for a pipe at the clock `asked`. Waves that
 * share the pipe use it by turns: the pipe is free for the wave when each of them has had it as
 * often as the wave had `before`, and those whose turn comes first once more. If the wave were
 * alone, the pipe would be free when it has done what the wave itself had asked for. */
static void lose(const sg_snapshots_t *s, sg_snapshot_wave_t *v, const sg_wave_clock_t *c,
                 const uint64_t before[SG_PIPES], uint64_t asked)
{
    for (unsigned k = 0; k < SG_PIPES; k++) {
        const uint64_t used = c->pipe[k] - before[k];
        const uint32_t first = (k < SG_SIMD_PIPES ? v->slot : v->turn) % s->beside[k];
        if (!used) continue;
        at_least(&v->late_alone, before[k], asked);
        at_least(&v->late, before[k] * s->beside[k] + used * first, asked);
    }
}

void sg_snapshots_step(sg_snapshots_t *s, sg_wave_clock_t *c, const sg_clock_of_t *of,
                       isa_watch_t *watch, isa_wave_t *w, const isa_inst_t *i, const sg_traits_t *t)
{
    uint64_t own[SG_WAITS] = {0}, pipe[SG_PIPES], *const lent = c->by_wait;
    sg_snapshot_wave_t *v = &s->wave[w->index_in_group];
    const uint64_t late = v->late, alone = v->late_alone, begin = c->now + late;
    memcpy(pipe, c->pipe, sizeof pipe);
    if (!lent) c->by_wait = own;
    const uint64_t code = c->by_wait[SG_WAIT_CODE];
    sg_wave_clock_step(c, of, watch, w, i, t);
    const uint64_t no_code = c->by_wait[SG_WAIT_CODE] - code;
    c->by_wait = lent;
    lose(s, v, c, pipe, c->now - t->issue);
    const bool matrix = t->klass == ISA_CLASS_MFMA, needs = matrix && needs_result(v, w, i);
    remember_result(v, w, i, matrix);
    const uint64_t end = c->now + v->late, more = v->late_alone - alone;
    const uint64_t stalled = more < v->late - late ? more : v->late - late;
    if (v->due >= end) return;
    const seen_t what = seen_of(i);
    v->pc = i->pc;
    v->behind = i->pc + 4ul * i->dwords;
    v->part[NO_CODE].n = samples_until(s, v, begin + no_code);
    v->part[NO_CODE].data = not_issued(ISA_REASON_NO_INSTRUCTION, 0);
    v->part[WAITS].n = samples_until(s, v, c->now + late + stalled - t->issue);
    v->part[WAITS].data = waiting(what, t, needs);
    v->part[LOSES].n = samples_until(s, v, end - t->issue);
    v->part[LOSES].data = losing(what);
    v->part[ISSUED].n = samples_until(s, v, end);
    v->part[ISSUED].data = issued(what);
    w->snapshot.due = true;
}

/* Samples of s_barrier itself are not taken yet: a wave that has stopped takes no trap. */
static void wait_at_barrier(sg_snapshots_t *s, isa_wave_t *w, uint64_t until)
{
    sg_snapshot_wave_t *v = &s->wave[w->index_in_group];
    if (v->due >= until) return;
    v->behind = isa_wave_pc(w);
    v->pc = v->behind - 4;
    v->part[BARRIER].n = samples_until(s, v, until);
    v->part[BARRIER].data = not_issued(ISA_REASON_BARRIER, 0);
    w->snapshot.due = true;
}

void sg_snapshots_barrier(sg_snapshots_t *s, const isa_group_t *group, const sg_wave_clock_t *clock,
                          uint64_t last)
{
    uint64_t until = 0, alone = 0;
    if (!s->period) return;
    for (uint32_t i = 0; i < group->n_waves; i++) {
        const sg_snapshot_wave_t *v = &s->wave[i];
        if (clock[i].now + v->late > until) until = clock[i].now + v->late;
        if (clock[i].now + v->late_alone > alone) alone = clock[i].now + v->late_alone;
    }
    for (uint32_t i = 0; i < group->n_waves; i++) {
        if (clock[i].ended) continue;
        wait_at_barrier(s, group->waves[i], until);
        s->wave[i].late = until - last;
        s->wave[i].late_alone = alone - last;
    }
}

bool sg_snapshots_take(sg_snapshots_t *s, isa_wave_t *w)
{
    sg_snapshot_wave_t *v = &s->wave[w->index_in_group];
    unsigned part = NO_CODE;
    while (part < SG_SNAPSHOT_PARTS && !v->part[part].n)
        part++;
    w->snapshot.due = part < SG_SNAPSHOT_PARTS;
    if (part == SG_SNAPSHOT_PARTS) return false;
    const uint32_t branch = ISA_SNAPSHOT_NOT_TAKEN << ISA_SNAPSHOT_TYPE;
    const uint32_t mask = 15u << ISA_SNAPSHOT_TYPE, data = v->part[part].data;
    const bool taken = (data & mask) == branch && isa_wave_pc(w) != v->behind;
    v->part[part].n--;
    w->snapshot.pc = v->pc;
    w->snapshot.data[0] =
        taken ? (data & ~mask) | (uint32_t)ISA_SNAPSHOT_TAKEN << ISA_SNAPSHOT_TYPE : data;
    w->snapshot.data[1] = s->waves;
    return true;
}
