/* stall.c - see stall.h: finds waves that loop for ever, since what they wait for never happens.
 *
 * A workgroup stands still if its waves return, turn after turn, to states that they were in before
 * (registers, LDS, program counters). If all workgroups in flight stand still for GRACE_SECONDS,
 * and then change no memory in turns in which every store is watched, nothing on the GPU will ever
 * end their loops. The host might: it has GRACE_SECONDS to do so, and loops that read host memory
 * are not reported. Any progress starts the search anew: a new state, a packet, a workgroup that
 * begins or ends. Workgroups that have not begun by then never will, since those that stand still
 * leave them no room. */
#include "softgpu/device/stall.h"

#include "base/env.h"
#include "base/golden.h"
#include "base/text.h"
#include "softgpu/cache/reach.h"
#include "softgpu/check/check.h"
#include "softgpu/check/fork.h"
#include "softgpu/exec/code.h"
#include "isa/table.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    STATES = 8, /* states of a workgroup that are recorded: one for each branch at which a turn may
                   end */
    QUIET_TURNS = 32,  /* turns without a new state before GRACE_SECONDS begin */
    WATCHED_TURNS = 2, /* turns with watched stores; each runs the loop thousands of times */
    SLEPT_TURNS = 64,  /* turns in which waves only sleep are short: one in this many is examined */
    PLACES = 64,       /* rows of the table of places in the code at which waves stand still */
    PLACES_TOLD = 8,   /* places that the message names */
    RUNS = 16,         /* dispatches that may stand still together; more are not reported */
    GRACE_SECONDS = 10,
    ARGUMENT_BYTES =
        4096 /* HIP's limit for a kernel's arguments, which are host memory that does not change */
};

/* Bytes that an instruction is about to change. */
typedef struct {
    const uint8_t *at;
    uint32_t bytes;
    uint8_t was[16];
} change_t;

struct sg_stall {
    isa_subscriber_t
        subscriber; /* used in watched turns; first member, so that its functions can cast it */
    uint64_t state[STATES];      /* hashes of the last states */
    uint32_t next, quiet, slept; /* next: index in `state`; turns without a new state; slept */
    uint64_t epoch, since;       /* `since`: start of the quiet time in this epoch */
    bool told;                   /* the places of its waves are in the table */
    uint32_t watched;            /* watched turns so far; 0: its stores are not watched */
    bool changed, outside; /* in watched turns: the workgroup changed memory; it read host memory */
    uint64_t kernarg;
    uint64_t looks_at[ISA_GROUP_WAVES]; /* each wave's last memory instruction in watched turns */
    uint32_t n_changes;
    change_t change[2 * ISA_LANES];
};

/* A place in the code at which waves stand still. */
typedef struct {
    uint64_t pc;
    const sg_run_t *run;
    const char *how;
    uint32_t waves, wave, group[3]; /* number of waves; the first of them and its workgroup */
} place_t;

/* A run of which workgroups stand still. */
typedef struct {
    const sg_run_t *run;
    uint32_t told; /* number of its workgroups in the table */
} stood_t;

static struct {
    pthread_once_t once;
    bool wanted;
    uint64_t grace_ns;
    uint8_t wants[ISA_OP_COUNT]; /* in watched turns */
    _Atomic uint64_t epoch;      /* changes with any progress */
    _Atomic uint64_t workgroups; /* number of workgroups, of all runs, that have not ended */
    pthread_mutex_t lock;        /* guards the table, which follows */
    uint64_t table_epoch;
    place_t place[PLACES];
    uint32_t n_places, more_waves;
    stood_t stood[RUNS];
    uint32_t n_stood;
} stall = {.once = PTHREAD_ONCE_INIT, .lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- watched turns ---- */

static bool is_looked_at(const sgc_op_t *op)
{
    const bool plain = !isa_is_cache_operation(op->kind);
    return plain &&
           (op->unit == ISA_UNIT_VECTOR || (op->unit == ISA_UNIT_SCALAR && op->access != SGC_READ));
}

/* Whether the address is in memory that the host may change at any time. */
static bool is_outside(const sg_stall_t *s, const isa_wave_t *w, uint64_t va)
{
    const sg_extent_t *e = sg_memory_find(w->group->dispatch->memory, va);
    if (e && !(e->flags & (SG_MEM_HOST | SG_MEM_REGISTERED))) return false;
    return va - s->kernarg >= ARGUMENT_BYTES;
}

static void check_lanes(sg_stall_t *s, const isa_wave_t *w, const sgc_op_t *op, sgc_lanes_t *a)
{
    if (!a->exec) return;
    sgc_lanes_spread(a);
    s->changed |= op->access != SGC_READ &&
                  (a->bytes > sizeof s->change->was || (a->dword_step != 4 && a->bytes > 4));
    for (uint64_t lanes = a->exec; lanes; lanes &= lanes - 1) {
        const uint64_t va = a->va[__builtin_ctzll(lanes)];
        s->outside |= is_outside(s, w, va);
        if (op->access == SGC_READ || s->changed) continue;
        change_t *c = &s->change[s->n_changes];
        c->at = sg_memory_host(w->group->dispatch->memory, va, a->bytes, 0);
        c->bytes = a->bytes;
        if (!c->at) continue;
        memcpy(c->was, c->at, c->bytes);
        s->n_changes++;
    }
}

static void before(isa_subscriber_t *subscriber, isa_watch_t *watch, isa_wave_t *w,
                   const isa_inst_t *i)
{
    sg_stall_t *s = (sg_stall_t *)subscriber;
    const sgc_op_t *op = &sgc_ops_table[i->op];
    s->n_changes = 0;
    if (op->unit == ISA_UNIT_VECTOR || op->unit == ISA_UNIT_LDS)
        s->looks_at[w->index_in_group] = i->pc;
    if (!is_looked_at(op)) return;
    if (op->unit == ISA_UNIT_SCALAR) {
        s->changed = true; /* scalar stores are rare: each counts as a change */
    } else if (w->exec) {
        sgc_reach_t *reach = sgc_seen_reach(watch, w, i);
        for (unsigned k = 0; k < sgc_reach_parts(reach); k++)
            check_lanes(s, w, op, sgc_reach_part(reach, k));
        check_lanes(s, w, op, &reach->own);
    }
}

static void after(isa_subscriber_t *subscriber, isa_watch_t *watch, isa_wave_t *w,
                  const isa_inst_t *i)
{
    sg_stall_t *s = (sg_stall_t *)subscriber;
    (void)watch, (void)w, (void)i;
    for (uint32_t k = 0; k < s->n_changes && !s->changed; k++)
        s->changed = memcmp(s->change[k].at, s->change[k].was, s->change[k].bytes) != 0;
    s->n_changes = 0;
}

void sg_stall_watch(const sg_box_t *b, isa_watch_t *watch)
{
    sg_stall_t *s = b->stall;
    if (s && s->watched) isa_watch_add(watch, &s->subscriber);
}

/* ---- progress ---- */

/* A forked child has no dispatches in flight. */
static void in_forked_child(void)
{
    chk_fork_mutex(&stall.lock, CHK_FORK_CHILD);
    atomic_store(&stall.workgroups, 0);
    stall.n_stood = stall.n_places = stall.more_waves = 0;
}

/* This lock is held while a finding is written, so it is taken before the locks of fork.h. The
 * order at a fork is the same, since handlers that are registered later are called earlier. */
static void before_fork(void)
{
    chk_fork_mutex(&stall.lock, CHK_FORK_BEFORE);
}

static void after_fork(void)
{
    chk_fork_mutex(&stall.lock, CHK_FORK_AFTER);
}

static void prepare(void)
{
    stall.wanted = chk_wanted() & CHK_SYNC;
    stall.grace_ns = UINT64_C(1000000000) *
                     (uint64_t)base_env_int("SOFTGPU_CHECK_HANG", GRACE_SECONDS, 0, INT32_MAX);
    stall.wanted &= stall.grace_ns != 0;
    if (!stall.wanted) return;
    pthread_atfork(before_fork, after_fork, in_forked_child);
    sgc_ops();
    memset(stall.wants, ISA_WANTS_BEFORE | ISA_WANTS_AFTER, sizeof stall.wants);
}

static bool wanted(void)
{
    pthread_once(&stall.once, prepare);
    return stall.wanted;
}

void sg_stall_moved(void)
{
    if (stall.wanted) atomic_fetch_add_explicit(&stall.epoch, 1, memory_order_relaxed);
}

void sg_stall_begin(const sg_run_t *run)
{
    if (!wanted()) return;
    atomic_fetch_add(&stall.workgroups, run->total);
    sg_stall_moved();
}

void sg_stall_settled(uint64_t workgroups)
{
    if (!stall.wanted) return;
    atomic_fetch_sub(&stall.workgroups, workgroups);
    sg_stall_moved();
}

void sg_stall_start(sg_box_t *b)
{
    sg_stall_t *s = b->stall;
    if (!s) return;
    memset(s->state, 0, sizeof s->state);
    s->quiet = s->slept = s->watched = 0;
    s->told = false;
}

void sg_stall_end(sg_box_t *b)
{
    if (b->stall && b->stall->quiet) sg_stall_moved();
}

void sg_stall_free(sg_stall_t *s)
{
    free(s);
}

/* ---- states ---- */

static uint64_t mix(uint64_t h, const void *words, size_t bytes)
{
    const uint64_t *p = words;
    uint64_t part[4] = {h, h + 1, h + 2, h + 3};
    for (size_t k = 0; k + 4 <= bytes / 8; k += 4)
        for (unsigned n = 0; n < 4; n++)
            part[n] = (part[n] ^ p[k + n]) * BASE_GOLDEN ^ part[n] >> 29;
    for (size_t k = bytes / 32 * 4; k < bytes / 8; k++)
        part[0] = (part[0] ^ p[k]) * BASE_GOLDEN;
    for (unsigned n = 0; n < 4; n++)
        h = (h ^ part[n] ^ part[n] >> 32) * UINT64_C(0xff51afd7ed558ccd);
    return h;
}

static uint64_t state_of(const sg_box_t *b)
{
    const isa_dispatch_t *d = b->group.dispatch;
    uint64_t h = mix((uint64_t)b->ended << 32 | b->sleeping, d->gws, sizeof *d->gws);
    h = mix(h, b->group.lds, b->group.lds_bytes);
    for (uint32_t k = 0; k < b->group.n_waves; k++) {
        const isa_wave_t *w = b->wave[k];
        if (b->ended >> k & 1) continue;
        h = mix(h ^ isa_wave_pc(w) ^ (uint64_t)w->scc << 63, w->sgpr, ISA_SCALARS * 4);
        h = mix(h, w->vgpr, d->n_vgpr * sizeof(isa_row_t));
    }
    return h ? h : 1; /* 0 stands for an unused row of sg_stall.state */
}

static bool was_seen(sg_stall_t *s, uint64_t state)
{
    for (unsigned k = 0; k < STATES; k++)
        if (s->state[k] == state) return true;
    s->state[s->next++ % STATES] = state;
    return false;
}

/* ---- the finding ---- */

static void add_wave(const sg_box_t *b, uint32_t index)
{
    const isa_wave_t *w = b->wave[index];
    const bool sleeps = b->sleeping >> index & 1, loop = !sleeps && !w->repeats;
    const bool barrier = sleeps || (w->repeats && w->ip->op == ISA_OP_s_barrier_wait);
    const uint64_t looks_at = loop ? b->stall->looks_at[index] : 0;
    const uint64_t pc = looks_at ? looks_at : isa_wave_pc(w) - (sleeps ? 4 : 0);
    for (uint32_t k = 0; k < stall.n_places; k++)
        if (stall.place[k].pc == pc && stall.place[k].run == b->run) {
            stall.place[k].waves++;
            return;
        }
    if (stall.n_places == PLACES) {
        stall.more_waves++;
        return;
    }
    stall.place[stall.n_places++] =
        (place_t){.pc = pc,
                  .run = b->run,
                  .how = loop      ? "in a loop"
                         : barrier ? "at the barrier"
                                   : "at a global barrier",
                  .waves = 1,
                  .wave = index,
                  .group = {b->group.id[0], b->group.id[1], b->group.id[2]}};
}

static int by_waves(const void *a, const void *b)
{
    const place_t *x = a, *y = b;
    return (x->waves < y->waves) - (x->waves > y->waves);
}

/* Writes a line like "3 waves in a loop at saxpy.hip:14, first wave 0 of group (1,0,0)". */
static void put_place(FILE *f, const place_t *p)
{
    chk_code_t at;
    chk_where_code(p->run->device->memory, p->pc, &at);
    fprintf(f, "%u wave%s %s", p->waves, base_plural(p->waves), p->how);
    for (uint32_t k = 0; k < at.n; k++)
        fprintf(f, "%s%s:%u",
                k == 0   ? " at "
                : k == 1 ? " (inlined at "
                         : ", ",
                at.file[k], at.line[k]);
    fprintf(f, "%s, first wave %u of group (%u,%u,%u)", at.n > 1 ? ")" : "", p->wave, p->group[0],
            p->group[1], p->group[2]);
}

/* Reports the finding at the place with the most waves; its text lists the other places as well. */
static void report(uint64_t not_begun)
{
    char *more = NULL;
    size_t bytes;
    FILE *text = open_memstream(&more, &bytes);
    uint32_t others = stall.more_waves;
    qsort(stall.place, stall.n_places, sizeof *stall.place, by_waves);
    const place_t *first = stall.place;
    for (uint32_t k = 0; k < stall.n_places; k++) {
        if (k >= PLACES_TOLD) others += stall.place[k].waves;
        if (k >= PLACES_TOLD || !text) continue;
        if (k) fputs("\n  ", text);
        put_place(text, &stall.place[k]);
    }
    if (text && others) fprintf(text, "\n  %u wave%s elsewhere", others, base_plural(others));
    if (text && not_begun)
        fprintf(text, "\n  they leave no room for %llu more workgroup%s",
                (unsigned long long)not_begun, base_plural(not_begun));
    if (text) fclose(text);
    const chk_finding_t f = {.kind = CHK_KIND_NEVER,
                             .pc = first->pc,
                             .memory = first->run->device->memory,
                             .kernel_object = first->run->check.kernel_object,
                             .group = {first->group[0], first->group[1], first->group[2]},
                             .wave = first->wave,
                             .more = more};
    chk_report(&f);
    chk_flush(); /* at once, since the dispatch will not end */
    free(more);
}

static void add_run(const sg_run_t *run)
{
    uint32_t k = 0;
    while (k < stall.n_stood && stall.stood[k].run != run)
        k++;
    if (k == RUNS) return;
    if (k == stall.n_stood) stall.stood[stall.n_stood++] = (stood_t){.run = run};
    stall.stood[k].told++;
}

/* Whether all workgroups in flight stand still. *not_begun: how many workgroups of their runs have
 * not begun. */
static bool are_all_stalled(uint64_t *not_begun)
{
    uint64_t left = 0;
    *not_begun = 0;
    for (uint32_t k = 0; k < stall.n_stood; k++) {
        const stood_t *s = &stall.stood[k];
        const uint64_t of_run = atomic_load(&s->run->left);
        if (s->told != atomic_load(&s->run->resident) || of_run < s->told) return false;
        left += of_run;
        *not_begun += of_run - s->told;
    }
    return left == atomic_load(&stall.workgroups);
}

/* The box stands still: enters its waves in the table. If all other workgroups stand still already,
 * reports the finding. */
static void enter(sg_box_t *b, uint64_t epoch)
{
    uint64_t not_begun;
    pthread_mutex_lock(&stall.lock);
    if (stall.table_epoch != epoch) {
        stall.table_epoch = epoch;
        stall.n_stood = stall.n_places = stall.more_waves = 0;
    }
    for (uint32_t k = 0; k < b->group.n_waves; k++)
        if (!(b->ended >> k & 1)) add_wave(b, k);
    add_run(b->run);
    if (epoch == atomic_load(&stall.epoch) && are_all_stalled(&not_begun)) report(not_begun);
    pthread_mutex_unlock(&stall.lock);
}

/* ---- turns ---- */

static bool make(sg_box_t *b)
{
    if (!b->stall && (b->stall = calloc(1, sizeof *b->stall)))
        b->stall->subscriber =
            (isa_subscriber_t){.wants = stall.wants, .before = before, .after = after};
    return b->stall;
}

void sg_stall_turn(sg_box_t *b, bool slept)
{
    if (!stall.wanted || !b->run->checked || !b->check || !make(b)) return;
    sg_stall_t *s = b->stall;
    if (slept && !s->watched && ++s->slept % SLEPT_TURNS) return;
    if (!was_seen(s, state_of(b))) {
        s->quiet = s->watched = 0;
        s->told = false;
        sg_stall_moved();
        return;
    }
    const uint64_t epoch = atomic_load(&stall.epoch);
    if (++s->quiet < QUIET_TURNS || (s->told && s->epoch == epoch)) return;
    const uint64_t now = sg_device_clock();
    if (s->epoch != epoch) {
        s->epoch = epoch;
        s->since = now;
        s->watched = 0;
        s->told = false;
    }
    if (now - s->since < stall.grace_ns) return;
    if (!s->watched++) {
        s->kernarg = b->run->check.kernarg;
        s->changed = s->outside = false;
        memset(s->looks_at, 0, sizeof s->looks_at);
        return;
    }
    if (s->watched <= (slept ? SLEPT_TURNS * WATCHED_TURNS : WATCHED_TURNS)) return;
    s->watched = 0;
    s->since = now;
    if (s->changed) sg_stall_moved();
    if (s->changed || s->outside) return;
    s->told = true;
    enter(b, epoch);
}
