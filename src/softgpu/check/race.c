/* race.c - the part that looks for accesses that nothing orders: which instructions, what is said.
 *
 * The shadows are race_lds.c's and race_global.c's, the order race_clock.c's and race_run.c's. */
#include "softgpu/check/race.h"

#include "softgpu/check/race_row.h"
#include "softgpu/memory/memory.h"
#include "softgpu/isa/address.h"
#include "softgpu/isa/image.h"
#include "softgpu/isa/code.h"

#include <stdio.h>
#include <string.h>

bool race_rows;

static bool is_gws(unsigned op)
{
    return isa_table[op].klass == ISA_CLASS_GWS;
}

/* Accesses before they run, since they may replace their own address; the atomic ones among them
 * also afterwards, when they have read what others have written. */
static void looks(uint8_t *looks)
{
    const isa_core_t *core = isa_core_select();
    race_rows = core && strcmp(core->name, "base") != 0;
    for (unsigned op = 1; op < ISA_OP_COUNT; op++) {
        const sgc_op_t *o = &sgc_ops_table[op];
        const bool moves = o->special == SGC_PLAIN || o->special == SGC_PAIR ||
                           o->special == SGC_LANE || o->special == SGC_FROM_LDS;
        if (is_gws(op)) looks[op] = ISA_CHECK_BEFORE | ISA_CHECK_AFTER;
        if (o->unit == SGC_UNIT_NONE || !moves || isa_table[op].fmt == ISA_FMT_SCRATCH) continue;
        looks[op] = ISA_CHECK_BEFORE;
        if (o->unit == SGC_UNIT_VECTOR && o->access != SGC_WRITE) looks[op] |= ISA_CHECK_AFTER;
    }
    looks[ISA_OP_s_waitcnt] = looks[ISA_OP_s_endpgm] = ISA_CHECK_BEFORE;
}

/* ---- what is said ---- */

#define PAIR(mine, theirs) mine ", with nothing that orders it after the " theirs
#define PAIRS(mine)                                                                                \
    {                                                                                              \
        PAIR(mine, "read"), PAIR(mine, "write"), PAIR(mine, "atomic access")                       \
    }

static void add_site(chk_other_t *o, uint64_t word)
{
    const race_site_t *site = race_site_of(word);
    if (!site) return;
    o->pc = site->pc;
    o->n_words = site->n_words;
    memcpy(o->words, site->words, sizeof o->words);
}

void race_report(const chk_group_t *g, const isa_wave_t *w, const isa_inst_t *i, chk_kind_t kind,
                 const race_access_t *a, uint32_t bytes, const char *more)
{
    static const char *const words[RACE_KINDS][RACE_KINDS] = {
        [RACE_LOAD] = PAIRS("a read"),
        [RACE_STORE] = PAIRS("a write"),
        [RACE_RMW] = PAIRS("an atomic access"),
    };
    static const char *const copies[RACE_KINDS][2] = {
        [RACE_LOAD] = {PAIR("a read", "copy to there"), PAIR("a read", "copy from there")},
        [RACE_STORE] = {PAIR("a write", "copy to there"), PAIR("a write", "copy from there")},
        [RACE_RMW] = {PAIR("an atomic access", "copy to there"),
                      PAIR("an atomic access", "copy from there")},
    };
    const race_kind_t other = a->other_is_read         ? RACE_LOAD
                              : a->other & RACE_ATOMIC ? RACE_RMW
                                                       : RACE_STORE;
    chk_finding_t f = chk_finding_lanes(g, w, i, kind, a->lanes);
    f.bytes = bytes;
    f.more = more;
    f.other = (chk_other_t){.what = words[a->kind][other],
                            .kernel_object = f.kernel_object,
                            .dispatch = g->dispatch->serial,
                            .group = {f.group[0], f.group[1], f.group[2]},
                            .wave = race_wave(a->other),
                            .lane = a->other >> RACE_LANE_SHIFT & (ISA_LANES - 1)};
    add_site(&f.other, a->other);
    if (kind == CHK_KIND_RACE_GLOBAL) {
        f.at_address = true;
        f.va = a->va;
        race_run_tell(a->other, &f.other);
        if (!f.other.kernel_object) f.other.what = copies[a->kind][a->other_is_read];
    }
    chk_report(&f);
}

void race_report_copy(const struct sg_memory *m, race_kind_t kind, uint64_t va, uint64_t bytes,
                      uint64_t other, bool other_is_read)
{
    static const char *const words[2][2] = {
        {PAIR("a copy to there", "write"), PAIR("a copy to there", "read")},
        {PAIR("a copy from there", "write"), PAIR("a copy from there", "read")},
    };
    chk_finding_t f = {.kind = CHK_KIND_RACE_GLOBAL,
                       .bytes = bytes,
                       .memory = m,
                       .at_address = true,
                       .va = va,
                       .other = {.what = words[kind == RACE_LOAD][other_is_read],
                                 .wave = race_wave(other),
                                 .lane = other >> RACE_LANE_SHIFT & (ISA_LANES - 1)}};
    add_site(&f.other, other);
    race_run_tell(other, &f.other);
    chk_report(&f);
}

void race_report_free(uint64_t va, uint64_t bytes, uint64_t other, bool other_is_read)
{
    static const char *const words[] = {PAIR("it is taken back", "write"),
                                        PAIR("it is taken back", "read")};
    chk_finding_t f = {.kind = CHK_KIND_RACE_GLOBAL,
                       .bytes = bytes,
                       .at_address = true,
                       .va = va,
                       .other = {.what = words[other_is_read],
                                 .wave = race_wave(other),
                                 .lane = other >> RACE_LANE_SHIFT & (ISA_LANES - 1)}};
    add_site(&f.other, other);
    f.memory = race_run_tell(other, &f.other);
    chk_report(&f);
}

static bool same_texel(const isa_wave_t *w, const isa_inst_t *i, unsigned lane, const uint8_t *at,
                       uint32_t from, uint32_t bytes)
{
    isa_image_t m;
    uint32_t element[4];
    if (isa_image_decode(&w->sgpr[i->src[2].reg], &m)) return true; /* it will not be stored */
    isa_image_element(w, i, &m, lane, element);
    return from + bytes <= sizeof element && !memcmp((uint8_t *)element + from, at, bytes);
}

bool race_same(const isa_wave_t *w, const isa_inst_t *i, const race_site_t *site, unsigned element,
               unsigned lane, const uint8_t *at, uint32_t from, uint32_t bytes)
{
    const isa_operand_t *o = &i->src[1 + element];
    if (i->fmt == ISA_FMT_MIMG) return same_texel(w, i, lane, at, from, bytes);
    if (o->kind != ISA_OPK_VGPR && o->kind != ISA_OPK_AGPR) return true; /* not known */
    const isa_row_t *rows = w->vgpr + o->reg + (o->kind == ISA_OPK_AGPR ? w->acc_offset : 0);
    for (uint32_t k = from; k < from + bytes; k++)
        if ((uint8_t)(rows[k / 4][lane] >> (8 * (k % 4) + site->data_shift)) != *at++) return false;
    return true;
}

/* ---- instructions ---- */

static race_kind_t kind_of(const sgc_op_t *op)
{
    return op->access == SGC_ATOMIC ? RACE_RMW : op->access == SGC_WRITE ? RACE_STORE : RACE_LOAD;
}

static void vector(chk_group_t *g, race_state_t *s, isa_wave_t *w, const isa_inst_t *i,
                   const sgc_op_t *op)
{
    const race_site_t *site = race_site(w, i, op);
    const bool to_lds = i->flags & ISA_F_LDS;
    sgc_reach_t *r = chk_reach(g, w, i);
    for (unsigned k = 0; k < sgc_reach_parts(r); k++) {
        sgc_lanes_t *a = sgc_reach_part(r, k);
        if (a->exec && a->dword_step == 4) race_global(g, s, w, i, site, kind_of(op), a);
    }
    if (r->lds.exec)
        race_lds(g, s, w, i, site,
                 to_lds                        ? RACE_STORE
                 : op->special == SGC_FROM_LDS ? RACE_LOAD
                                               : kind_of(op),
                 &r->lds, 0);
}

static void scalar(chk_group_t *g, race_state_t *s, isa_wave_t *w, const isa_inst_t *i,
                   const sgc_op_t *op)
{
    if (op->access != SGC_READ || op->scratch) return;
    const isa_scalar_place_t p =
        op->buffer ? isa_address_scalar_buffer(w, i) : isa_address_scalar(w, i, 1);
    if (op->buffer && !isa_scalar_inside(&p, p.offset)) return;
    race_global_scalar(g, s, w, i, race_site(w, i, op), p.base + p.offset, op->bytes);
}

static void wait(race_state_t *s, const isa_wave_t *w, const isa_inst_t *i)
{
    const uint32_t count = (uint32_t)i->imm;
    if (!(count & 15) && !(count >> 14 & 3)) race_clock_wait(&s->clock, w->index_in_group);
}

static void before(chk_group_t *g, void *state, isa_wave_t *w, const isa_inst_t *i)
{
    race_state_t *s = state;
    const sgc_op_t *op = &sgc_ops_table[i->op];
    s->meets = false;
    race_step(s);
    if (i->op == ISA_OP_s_waitcnt) {
        wait(s, w, i);
    } else if (i->op == ISA_OP_s_endpgm) {
        return;
    } else if (op->unit == SGC_UNIT_SCALAR) {
        scalar(g, s, w, i, op);
    } else if (op->unit == SGC_UNIT_VECTOR) {
        if (w->exec) vector(g, s, w, i, op);
    } else if (op->unit == SGC_UNIT_LDS) {
        unsigned n;
        if (!w->exec || w->group->n_waves == 1) return;
        sgc_lanes_t *a = chk_lds_reach(g, w, i, &n);
        for (unsigned k = 0; k < n; k++)
            race_lds(g, s, w, i, race_site(w, i, op), kind_of(op), &a[k], k);
    } else { /* a barrier of the whole dispatch */
        race_run_release(s, w->index_in_group, race_run_slot(0));
    }
}

static void after(chk_group_t *g, void *state, isa_wave_t *w, const isa_inst_t *i)
{
    race_state_t *s = state;
    if (is_gws(i->op)) /* others may have run since it began to wait */
        race_run_acquire(s, w->index_in_group, race_run_slot(0));
    else if (s->meets)
        race_global_met(s, w, &g->reach.memory);
}

/* ---- workgroups ---- */

static void start(chk_group_t *g, void *state, const isa_group_t *group)
{
    race_state_t *s = state;
    (void)group;
    if (race_clock_begin(&s->clock)) {
        memset(&s->lds, 0, sizeof s->lds);
        s->second_time = 0;
    }
    race_run_enter(s, g->dispatch->serial, g->id);
}

static void barrier(chk_group_t *g, void *state, const isa_group_t *group, uint32_t waiting)
{
    (void)g;
    (void)group;
    (void)waiting;
    race_clock_barrier(&((race_state_t *)state)->clock);
}

static void leave(void *state)
{
    race_step_leave(state);
}

const chk_part_t chk_race_part = {.family = CHK_RACE,
                                  .bytes = sizeof(race_state_t),
                                  .looks = looks,
                                  .dispatch_begin = race_run_begin,
                                  .dispatch_end = race_run_end,
                                  .start = start,
                                  .before = before,
                                  .after = after,
                                  .barrier = barrier,
                                  .free = leave,
                                  .transfer = race_global_copy,
                                  .made = race_global_made,
                                  .going = race_global_going};
