/* lds_gws.c - global wave sync: barriers and semaphores across workgroups.
 *
 * The instructions have the DS encoding but do not access LDS. A wave that has to wait yields and
 * tries its instruction again when it next runs, so that the scheduler needs no list of waiting
 * waves.
 *
 * Who takes part first is seen by the program, so waves come one after the other (isa_alone()). */
#include "softgpu/exec/handler.h"
#include "softgpu/exec/mem_lanes.h"

enum { WAITS = 1 }; /* in isa_wave_t.gws_turn: the wave waits */

/* A resource: a counter in the low half, and in the high half the turn, an even number that changes
 * whenever all waves that wait are released. */
typedef struct {
    uint32_t counter, turn;
} resource_t;

static resource_t unpack(uint64_t word)
{
    return (resource_t){(uint32_t)word, (uint32_t)(word >> 32)};
}

static uint64_t pack(resource_t r)
{
    return r.counter | (uint64_t)r.turn << 32;
}

/* The resource that the instruction names: M0[21:16] is the base given by the driver. NULL: there
 * is none, or the instruction will be tried again. */
static _Atomic uint64_t *resource(isa_wave_t *w, const isa_inst_t *i)
{
    isa_gws_t *gws = w->group->dispatch->gws;
    if (!isa_alone(w, i)) return NULL;
    if (gws) return &gws->state[(i->offset0 + (w->m0 >> 16)) & (ISA_GWS_RESOURCES - 1)];
    isa_stop_unsupported(w, i, "no global wave sync");
    return NULL;
}

/* The operand, one number for the wave: that of its first active lane. */
static uint32_t operand(isa_wave_t *w, const isa_inst_t *i)
{
    return isa_row_of(w, &i->src[1])[0][w->exec ? __builtin_ctzll(w->exec) : 0];
}

static void wait_here(isa_wave_t *w, const isa_inst_t *i, uint32_t turn)
{
    w->gws_turn = turn | WAITS;
    isa_retry(w, i, ISA_STOP_YIELD);
}

/* The wave has waited, and continues. */
static void go_on(isa_wave_t *w)
{
    w->gws_turn = 0;
    isa_retried(w);
}

/* For a wave that waits already: it continues if the turn has changed, else it waits again. */
static void wait_on(isa_wave_t *w, const isa_inst_t *i, const _Atomic uint64_t *at)
{
    const uint32_t turn = unpack(atomic_load(at)).turn;
    if ((turn | WAITS) == w->gws_turn)
        wait_here(w, i, turn);
    else
        go_on(w);
}

ISA_INST(ds_gws_init)
{
    _Atomic uint64_t *at = resource(w, i);
    if (!at) return;
    uint64_t old = atomic_load(at);
    while (!atomic_compare_exchange_weak(at, &old,
                                         pack((resource_t){operand(w, i), unpack(old).turn})))
        ;
}

/* The counter is one less than the number of waves that the barrier still needs. The wave that
 * finds 0 is the last one: it releases the waiting waves, and its operand is the counter for the
 * next round. */
ISA_INST(ds_gws_barrier)
{
    _Atomic uint64_t *at = resource(w, i);
    if (!at) return;
    if (w->gws_turn & WAITS) {
        wait_on(w, i, at);
        return;
    }
    uint64_t old = atomic_load(at), next;
    do {
        const resource_t r = unpack(old);
        next = r.counter ? pack((resource_t){r.counter - 1, r.turn})
                         : pack((resource_t){operand(w, i), r.turn + 2});
    } while (!atomic_compare_exchange_weak(at, &old, next));
    if (unpack(old).counter) wait_here(w, i, unpack(old).turn);
}

/* ---- semaphores ---- */

static void add_to_counter(isa_wave_t *w, const isa_inst_t *i, uint32_t n, bool release_all)
{
    _Atomic uint64_t *at = resource(w, i);
    if (!at) return;
    uint64_t old = atomic_load(at), next;
    do {
        const resource_t r = unpack(old);
        next = pack((resource_t){r.counter + n, r.turn + (release_all ? 2 : 0)});
    } while (!atomic_compare_exchange_weak(at, &old, next));
}

ISA_INST(ds_gws_sema_v)
{
    add_to_counter(w, i, 1, false);
}
ISA_INST(ds_gws_sema_br)
{
    add_to_counter(w, i, operand(w, i), false);
}
ISA_INST(ds_gws_sema_release_all)
{
    add_to_counter(w, i, 0, true);
}

/* Decrements the counter. If the counter is 0, waits until it is not, or until all waiting waves
 * are released. */
ISA_INST(ds_gws_sema_p)
{
    _Atomic uint64_t *at = resource(w, i);
    if (!at) return;
    uint64_t old = atomic_load(at), next;
    do {
        const resource_t r = unpack(old);
        if (w->gws_turn & WAITS && (r.turn | WAITS) != w->gws_turn) {
            go_on(w);
            return;
        }
        if (!r.counter) {
            wait_here(w, i, r.turn);
            return;
        }
        next = pack((resource_t){r.counter - 1, r.turn});
    } while (!atomic_compare_exchange_weak(at, &old, next));
    go_on(w);
}
