/* race.c - the race check as a part (part.h): which instructions are checked, and how a race is
 * reported.
 *
 * The shadow words are in race_lds.c and race_global.c, the order of accesses in race_clock.c and
 * race_run.c. */
#include "softgpu/check/race.h"

#include "isa/waits.h"
#include "softgpu/check/request.h"
#include "softgpu/check/memory.h"
#include "softgpu/check/race_row.h"
#include "softgpu/memory/memory.h"
#include "softgpu/exec/address.h"
#include "softgpu/exec/image.h"
#include "softgpu/exec/code.h"

#include <string.h>

bool race_rows;

static bool is_gws(unsigned op)
{
    return isa_table[op].klass == ISA_CLASS_GWS;
}

/* Accesses are checked before they run, since a load may replace its own address register; loads
 * and atomic accesses are also handled afterwards, when they have read the values of other
 * waves. */
static void wants(uint8_t *wants)
{
    const isa_core_t *core = isa_core_select();
    race_rows = core && strcmp(core->name, "base") != 0;
    for (unsigned op = 1; op < ISA_OP_COUNT; op++) {
        const sgc_op_t *o = &sgc_ops_table[op];
        const bool moves = o->kind == ISA_ACCESS_PLAIN || o->kind == ISA_ACCESS_PAIR ||
                           o->kind == ISA_ACCESS_LANE || o->kind == ISA_ACCESS_FROM_LDS ||
                           o->kind == ISA_ACCESS_TRANSPOSE || o->kind == ISA_ACCESS_DIRECT;
        if (is_gws(op)) wants[op] = ISA_WANTS_BEFORE | ISA_WANTS_AFTER;
        /* only one lane accesses its scratch; but a load from scratch may write to LDS, which waves
         * share */
        const bool own = isa_table[op].fmt == ISA_FMT_SCRATCH && !(isa_table[op].mods & ISA_M_LDS);
        if (o->unit == ISA_UNIT_NONE || !moves || own) continue;
        wants[op] = ISA_WANTS_BEFORE;
        if (o->unit == ISA_UNIT_VECTOR && o->access != SGC_WRITE) wants[op] |= ISA_WANTS_AFTER;
    }
    for (unsigned op = 1; op < ISA_OP_COUNT; op++)
        if (isa_is_wait(op)) wants[op] = ISA_WANTS_BEFORE;
    wants[ISA_OP_s_endpgm] = ISA_WANTS_BEFORE;
}

/* ---- the words of a report ---- */

/* By the other access: a read, a write or an atomic access of a wave, and, from RACE_KINDS on, a
 * write or a read of a copy. */
#define PAIR(mine, theirs) mine ", with nothing that orders it after the " theirs
#define PAIRS(mine)                                                                                \
    {                                                                                              \
        PAIR(mine, "read"), PAIR(mine, "write"), PAIR(mine, "atomic access"),                      \
            PAIR(mine, "copy to there"), PAIR(mine, "copy from there")                             \
    }

static const char *words_of(const race_access_t *a, bool other_is_copy)
{
    enum { COPY = RACE_FREE + 1 };
    static const char *const words[][RACE_KINDS + 2] = {
        [RACE_LOAD] = PAIRS("a read"),
        [RACE_STORE] = PAIRS("a write"),
        [RACE_RMW] = PAIRS("an atomic access"),
        [RACE_FREE] = PAIRS("it is taken back"),
        [COPY + RACE_LOAD] = PAIRS("a copy from there"),
        [COPY + RACE_STORE] = PAIRS("a copy to there"),
    };
    const unsigned own = a->copy && a->kind != RACE_FREE ? COPY + a->kind : a->kind;
    unsigned other = a->other & RACE_ATOMIC ? RACE_RMW : RACE_STORE;
    if (a->other_is_read) other = RACE_LOAD;
    if (other_is_copy) other = RACE_KINDS + (unsigned)a->other_is_read;
    return words[own][other];
}

static void add_site(chk_other_t *o, uint64_t word)
{
    const race_site_t *site = race_site_of(word);
    if (!site) return;
    o->pc = site->pc;
    o->n_words = site->n_words;
    memcpy(o->words, site->words, sizeof o->words);
}

/* ---- the program's calls for which accesses are made ---- */

/* The calls for which the two accesses of a race were made. The finding points to them, so they
 * have to live as long. */
typedef struct {
    chk_request_t own, other;
} calls_t;

/* The kernel or copy engine that makes an access. */
typedef struct {
    const struct sg_memory *m;
    uint64_t kernel_object; /* 0: a copy engine */
    uint64_t call; /* number of the program's call for which the access is made (request.h), or 0 */
    bool writes;
} maker_t;

/* Only copies, and the kernels with which a runtime copies, are reported with the program's call: a
 * kernel of the program has source lines. */
static bool has_call(const maker_t *by, uint64_t va, uint64_t beside, chk_request_t *call)
{
    return (!by->kernel_object || chk_copy_kernel(by->m, by->kernel_object)) &&
           chk_request_name(by->call, va, by->writes, beside, call);
}

static void name_own(chk_finding_t *f, const maker_t *by, uint64_t va, chk_request_t *call)
{
    if (!has_call(by, va, f->other.request, call)) return;
    f->call = call->call;
    f->stack = &call->stack;
}

static void name_other(chk_finding_t *f, bool is_read, uint64_t va, uint64_t beside,
                       chk_request_t *call)
{
    const maker_t by = {f->memory, f->other.kernel_object, f->other.request, !is_read};
    if (!has_call(&by, va, beside, call)) return;
    f->other.call = call->call;
    f->other.stack = &call->stack;
}

/* ---- reports ---- */

/* Reports the race of *a. The caller has filled in *f except for the other access, of which only
 * the members are set that it shares with *a if both are in one workgroup. `serial`: of the
 * dispatch, or 0; `call`: number of the program's call for which the other access was made, or
 * 0. */
static void report(chk_finding_t *f, const race_access_t *a, uint64_t serial, uint64_t call)
{
    calls_t calls = {0};
    chk_other_t *o = &f->other;
    o->wave = race_wave(a->other);
    o->lane = a->other >> RACE_LANE_SHIFT & (ISA_LANES - 1);
    add_site(o, a->other);
    if (!a->in_lds) {
        const struct sg_memory *m = race_run_describe(a->other, o);
        if (a->kind == RACE_FREE) f->memory = m;
        f->at_address = true;
    }
    o->what = words_of(a, !a->in_lds && !o->kernel_object);
    if (!serial || o->dispatch != serial) {
        const maker_t own = {f->memory, f->kernel_object, call, a->kind != RACE_LOAD};
        if (a->kind != RACE_FREE) name_own(f, &own, a->va, &calls.own);
        name_other(f, a->other_is_read, a->va, calls.own.number, &calls.other);
    }
    chk_report(f);
}

void race_report(const chk_group_t *g, chk_kind_t kind, const race_access_t *a, uint32_t bytes,
                 const char *more)
{
    chk_finding_t f = chk_finding_lanes(g, a->w, a->i, kind, a->lanes);
    f.bytes = bytes;
    f.va = a->in_lds ? 0 : a->va;
    f.more = more;
    f.other.kernel_object = f.kernel_object;
    f.other.dispatch = g->dispatch->serial;
    memcpy(f.other.group, f.group, sizeof f.other.group);
    report(&f, a, g->dispatch->serial, g->dispatch->call);
}

void race_report_copy(const struct sg_memory *m, chk_span_t all, const race_access_t *a)
{
    chk_finding_t f = {
        .kind = CHK_KIND_RACE_GLOBAL, .bytes = all.end - all.begin, .memory = m, .va = all.begin};
    report(&f, a, 0, a->copy->call);
}

void race_report_free(uint64_t bytes, const race_access_t *a)
{
    chk_finding_t f = {.kind = CHK_KIND_RACE_GLOBAL, .bytes = bytes, .va = a->va};
    report(&f, a, 0, 0);
}

static bool same_texel(const race_access_t *x, unsigned lane, const uint8_t *at, uint32_t from,
                       uint32_t bytes)
{
    isa_image_t m;
    uint32_t element[4];
    if (isa_image_decode(x->w->group->dispatch->arch, &x->w->sgpr[x->i->src[2].reg], &m))
        return true; /* the element is outside the image: it is not stored */
    isa_image_element(x->w, x->i, &m, lane, element);
    return from + bytes <= sizeof element && !memcmp((uint8_t *)element + from, at, bytes);
}

/* As same_texel(), for an element of a buffer with a format. */
static bool same_element(const race_access_t *x, unsigned lane, const uint8_t *at, uint32_t from,
                         uint32_t bytes)
{
    const isa_inst_t *i = x->i;
    isa_format_t f;
    uint32_t element[4];
    if (isa_table[i->op].marks & ISA_IS_D16 ||
        !isa_format_of_buffer(&f, x->w->group->dispatch->arch, i, x->w->sgpr[i->src[2].reg + 3]))
        return true; /* value unknown */
    isa_format_element(&f, isa_row_of(x->w, &i->src[1]), lane, sgc_ops_table[i->op].bytes / 4,
                       ISA_PACK_WHOLE, element);
    return from + bytes <= sizeof element && !memcmp((uint8_t *)element + from, at, bytes);
}

bool race_same(const race_access_t *x, unsigned lane, const uint8_t *at, uint32_t from,
               uint32_t bytes)
{
    const isa_operand_t *o = &x->i->src[1 + x->element];
    if (x->i->fmt == ISA_FMT_MIMG) return same_texel(x, lane, at, from, bytes);
    if (!isa_is_row(o)) return true; /* value unknown */
    if (sgc_ops_table[x->i->op].formatted) return same_element(x, lane, at, from, bytes);
    const isa_row_t *rows = isa_row_of(x->w, o);
    for (uint32_t k = from; k < from + bytes; k++)
        if ((uint8_t)(rows[k / 4][lane] >> (8 * (k % 4) + x->site->data_shift)) != *at++)
            return false;
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
    const bool to_lds = isa_loads_to_lds(i);
    sgc_reach_t *r = chk_reach(g, w, i);
    for (unsigned k = 0; k < sgc_reach_parts(r); k++) {
        sgc_lanes_t *a = sgc_reach_part(r, k);
        if (a->exec && a->dword_step == 4) race_global(g, s, w, i, site, kind_of(op), a);
    }
    if (r->lds.exec)
        race_lds(g, s, w, i, site,
                 to_lds                            ? RACE_STORE
                 : op->kind == ISA_ACCESS_FROM_LDS ? RACE_LOAD
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
    if (!isa_wait_limits(w->group->dispatch->arch, i).stores)
        race_clock_wait(&s->clock, w->index_in_group);
}

static void lds(chk_group_t *g, race_state_t *s, isa_wave_t *w, const isa_inst_t *i,
                const sgc_op_t *op)
{
    unsigned n;
    if (!w->exec || w->group->n_waves == 1) return;
    sgc_lanes_t *a = chk_lds_reach(g, w, i, &n);
    const race_site_t *site = n ? race_site(w, i, op) : NULL;
    for (unsigned k = 0; k < n; k++)
        race_lds(g, s, w, i, site, kind_of(op), &a[k], k);
}

static void before(chk_group_t *g, void *state, isa_wave_t *w, const isa_inst_t *i)
{
    race_state_t *s = state;
    const sgc_op_t *op = &sgc_ops_table[i->op];
    s->meets = false;
    race_step(s);
    switch (op->unit) {
    case ISA_UNIT_SCALAR: scalar(g, s, w, i, op); break;
    case ISA_UNIT_VECTOR:
        if (w->exec) vector(g, s, w, i, op);
        break;
    case ISA_UNIT_LDS: lds(g, s, w, i, op); break;
    default:
        if (isa_is_wait(i->op))
            wait(s, w, i);
        else if (is_gws(i->op)) /* a barrier of the whole dispatch */
            race_run_release(s, w->index_in_group, race_run_slot(0));
        break; /* s_endpgm: race_step() is all */
    }
}

static void after(chk_group_t *g, void *state, isa_wave_t *w, const isa_inst_t *i)
{
    race_state_t *s = state;
    if (is_gws(i->op)) /* waves that ran during the wait have published by now */
        race_run_acquire(s, w->index_in_group, race_run_slot(0));
    else if (s->meets)
        race_global_synchronise(s, w, &g->watch->seen->reach.memory);
}

/* ---- workgroups ---- */

static void start(chk_group_t *g, void *state, const isa_group_t *group)
{
    race_state_t *s = state;
    if (race_clock_begin(&s->clock, group->n_waves)) {
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
                                  .wants = wants,
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
