/* group.c - see group.h: calls the parts, each one for the instructions that it wants to see. */
#include "softgpu/check/part.h"

#include "softgpu/memory/memory.h"
#include "softgpu/exec/code.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static const chk_part_t chk_barrier_part; /* sees barriers for all of the others */
static const chk_part_t *const chk_parts[] = {&chk_barrier_part, &chk_memory_part, &chk_race_part,
                                              &chk_sync_part,    &chk_hazard_part, &chk_init_part};

enum { BARRIER_BYTES = 4 }; /* of s_barrier */
enum { PARTS = sizeof chk_parts / sizeof *chk_parts };
_Static_assert((size_t)PARTS <= (size_t)CHK_PARTS_MAX, "every part has its state and its bit");

/* The parts whose families are wanted. The parts that are called are bit masks over `part`:
 * `before` and `after` for each instruction, `arrive` and `barrier` at each barrier. */
static struct {
    pthread_once_t once;
    const chk_part_t *part[PARTS];
    unsigned n;
    uint8_t wants[ISA_OP_COUNT]; /* ISA_WANTS_* of all parts together */
    bool busy;                   /* some instruction is seen by a part, */
    bool barriers;               /* or by chk_barrier_part, where barriers are split */
    uint8_t before[ISA_OP_COUNT], after[ISA_OP_COUNT], arrive, barrier;
} wanted = {.once = PTHREAD_ONCE_INIT};

static void choose(void)
{
    const unsigned families = chk_wanted();
    sgc_ops();
    for (unsigned k = 0; k < PARTS; k++) {
        const chk_part_t *p = chk_parts[k];
        uint8_t wants[ISA_OP_COUNT] = {0};
        if (!(families & p->family)) continue;
        if (p->wants) p->wants(wants);
        /* ISA_OP_NONE is no instruction: it ends the kernel */
        for (unsigned op = ISA_OP_NONE + 1; op < ISA_OP_COUNT; op++) {
            wants[op] &=
                ISA_WANTS_BEFORE | ISA_WANTS_AFTER; /* parts cannot see the moment of issue */
            wanted.wants[op] |= wants[op];
            *(p == &chk_barrier_part ? &wanted.barriers : &wanted.busy) |= wants[op] != 0;
            if (wants[op] & ISA_WANTS_BEFORE) wanted.before[op] |= (uint8_t)(1 << wanted.n);
            if (wants[op] & ISA_WANTS_AFTER) wanted.after[op] |= (uint8_t)(1 << wanted.n);
        }
        if (p->arrive) wanted.arrive |= (uint8_t)(1 << wanted.n);
        if (p->barrier) wanted.barrier |= (uint8_t)(1 << wanted.n);
        wanted.part[wanted.n++] = p;
    }
}

/* Calls the function of every part that has one. */
#define EACH(function, ...)                                                                        \
    for (unsigned each = 0; each < wanted.n; each++)                                               \
        if (wanted.part[each]->function) wanted.part[each]->function(__VA_ARGS__)

/* Calls the function of the parts in a bit mask, for what happens often. */
#define CALL(parts, function, g, ...)                                                              \
    for (unsigned left = parts; left; left &= left - 1) {                                          \
        const unsigned k = (unsigned)__builtin_ctz(left);                                          \
        wanted.part[k]->function(g, g->state[k], __VA_ARGS__);                                     \
    }

/* ---- instructions ---- */

static void before(isa_subscriber_t *s, isa_watch_t *watch, isa_wave_t *w, const isa_inst_t *i)
{
    chk_group_t *g = (chk_group_t *)s;
    (void)watch;
    CALL(wanted.before[i->op], before, g, w, i)
}

static void after(isa_subscriber_t *s, isa_watch_t *watch, isa_wave_t *w, const isa_inst_t *i)
{
    chk_group_t *g = (chk_group_t *)s;
    (void)watch;
    CALL(wanted.after[i->op], after, g, w, i)
}

sgc_reach_t *chk_reach(chk_group_t *g, const isa_wave_t *w, const isa_inst_t *i)
{
    return sgc_seen_reach(g->watch, w, i);
}

sgc_lanes_t *chk_lds_reach(chk_group_t *g, const isa_wave_t *w, const isa_inst_t *i, unsigned *n)
{
    return sgc_seen_lds(g->watch, w, i, n);
}

/* ---- findings ---- */

chk_finding_t chk_finding(const chk_group_t *g, const isa_wave_t *w, const isa_inst_t *i,
                          chk_kind_t kind)
{
    const isa_group_t *group = w->group;
    chk_finding_t f = {.kind = kind,
                       .memory = group->dispatch->memory,
                       .kernel_object = g->dispatch->kernel_object,
                       .group = {group->id[0], group->id[1], group->id[2]},
                       .wave = w->index_in_group};
    if (!i) return f;
    f.pc = i->pc;
    f.words = isa_inst_words(w, i);
    f.n_words = i->dwords;
    return f;
}

chk_finding_t chk_finding_lanes(const chk_group_t *g, const isa_wave_t *w, const isa_inst_t *i,
                                chk_kind_t kind, uint64_t lanes)
{
    chk_finding_t f = chk_finding(g, w, i, kind);
    f.lane = (uint32_t)__builtin_ctzll(lanes);
    f.lanes = isa_lane_count(lanes);
    return f;
}

/* ---- workgroups and dispatches ---- */

chk_group_t *chk_group_create(void)
{
    pthread_once(&wanted.once, choose);
    chk_group_t *g = aligned_alloc(_Alignof(chk_group_t), sizeof *g);
    if (!g) return NULL;
    memset(g, 0, sizeof *g);
    g->subscriber = (isa_subscriber_t){.wants = wanted.wants, .before = before, .after = after};
    for (unsigned k = 0; k < wanted.n; k++) {
        const size_t bytes = wanted.part[k]->bytes;
        if (!bytes || (g->state[k] = calloc(1, bytes))) continue;
        chk_group_free(g);
        return NULL;
    }
    return g;
}

void chk_group_free(chk_group_t *g)
{
    for (unsigned k = 0; g && k < wanted.n; k++) {
        if (g->state[k] && wanted.part[k]->free) wanted.part[k]->free(g->state[k]);
        free(g->state[k]);
    }
    free(g);
}

void chk_group_start(chk_group_t *g, const chk_dispatch_t *dispatch, const isa_group_t *group,
                     uint64_t id)
{
    g->dispatch = dispatch;
    g->id = id;
    g->split = group->dispatch->arch->formats->split_barrier;
    g->at_barrier = g->barrier_turn = 0;
    EACH(start, g, g->state[each], group);
}

void chk_group_watch(chk_group_t *g, isa_watch_t *watch)
{
    g->watch = watch;
    if (wanted.busy || (wanted.barriers && g->split)) isa_watch_add(watch, &g->subscriber);
}

/* ---- barriers ---- */

static void arrive(chk_group_t *g, const isa_wave_t *w, uint64_t pc)
{
    g->barrier_pc[w->index_in_group] = pc;
    g->at_barrier |= 1u << w->index_in_group;
    CALL(wanted.arrive, arrive, g, w)
}

static void pass(chk_group_t *g, const isa_group_t *group)
{
    const uint32_t waiting = g->at_barrier;
    g->at_barrier = 0;
    CALL(wanted.barrier, barrier, g, group, waiting)
}

void chk_group_barrier(chk_group_t *g, const isa_group_t *group, uint32_t waiting)
{
    for (uint32_t left = waiting; left; left &= left - 1) {
        const isa_wave_t *w = group->waves[__builtin_ctz(left)];
        arrive(g, w, isa_wave_pc(w) - BARRIER_BYTES);
    }
    pass(g, group);
}

/* Where waves signal and wait by separate instructions, a barrier is over for the parts when the
 * first wave has waited: no wave can have relied on it before. A workgroup of one wave has none. */
static void want_barriers(uint8_t *wants)
{
    wants[ISA_OP_s_barrier_signal] = wants[ISA_OP_s_barrier_signal_isfirst] = ISA_WANTS_BEFORE;
    wants[ISA_OP_s_barrier_wait] = ISA_WANTS_AFTER;
}

static void pass_turn(chk_group_t *g, const isa_group_t *group)
{
    if (!g->at_barrier || g->barrier_turn == group->barrier.turn) return;
    g->barrier_turn = group->barrier.turn;
    pass(g, group);
}

/* A wave that signals again without having waited begins the next barrier: the last one is over. */
static void see_signal(chk_group_t *g, void *state, isa_wave_t *w, const isa_inst_t *i)
{
    (void)state;
    if (w->group->n_waves == 1) return;
    if (g->at_barrier >> w->index_in_group & 1) pass_turn(g, w->group);
    arrive(g, w, i->pc);
}

static void see_wait(chk_group_t *g, void *state, isa_wave_t *w, const isa_inst_t *i)
{
    (void)state;
    pass_turn(g, w->group);
    EACH(waited, g, g->state[each], w, i->pc);
}

static const chk_part_t chk_barrier_part = {.family = CHK_RACE | CHK_SYNC | CHK_HAZARD | CHK_INIT,
                                            .wants = want_barriers,
                                            .before = see_signal,
                                            .after = see_wait};

/* ---- dispatches ---- */

void chk_dispatch_begin(const chk_dispatch_t *d)
{
    pthread_once(&wanted.once, choose);
    EACH(dispatch_begin, d);
}

void chk_dispatch_end(const chk_dispatch_t *d)
{
    EACH(dispatch_end, d);
    chk_flush();
}

/* ---- GPUs ---- */

enum { MEMORIES = 64 };

static _Atomic(const sg_memory_t *) memories[MEMORIES];
static _Atomic(const isa_arch_t *)
    archs[MEMORIES]; /* of the GPU whose memory is at the same index */

void chk_memory_add(const sg_memory_t *m, const isa_arch_t *arch)
{
    for (unsigned k = 0; k < MEMORIES; k++) {
        const sg_memory_t *none = NULL;
        if (!atomic_compare_exchange_strong(&memories[k], &none, m)) continue;
        atomic_store_explicit(&archs[k], arch, memory_order_release);
        return;
    }
}

const isa_arch_t *chk_arch_of(const sg_memory_t *m)
{
    for (unsigned k = 0; m && k < MEMORIES; k++)
        if (atomic_load_explicit(&memories[k], memory_order_acquire) == m)
            return atomic_load_explicit(&archs[k], memory_order_acquire);
    return atomic_load_explicit(&archs[0], memory_order_acquire);
}

const sg_memory_t *chk_memory_of(uint64_t va)
{
    for (unsigned k = 0; k < MEMORIES; k++) {
        const sg_memory_t *m = atomic_load_explicit(&memories[k], memory_order_acquire);
        if (m && sg_memory_find(m, va)) return m;
    }
    return NULL;
}

/* ---- copies and allocations ---- */

void chk_transfer(const struct sg_memory *m, uint64_t from, uint64_t to, uint64_t bytes)
{
    if (!chk_wanted()) return;
    pthread_once(&wanted.once, choose);
    EACH(transfer, m, from, to, bytes);
}

void chk_made(uint64_t begin, uint64_t bytes)
{
    pthread_once(&wanted.once, choose);
    EACH(made, begin, bytes);
}

void chk_going(uint64_t begin, uint64_t bytes)
{
    pthread_once(&wanted.once, choose);
    EACH(going, begin, bytes);
}
