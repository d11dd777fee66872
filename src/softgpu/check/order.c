/* order.c - see order.h: vector clocks decide which of two actors comes first.
 *
 * Each actor has a chain (a sequence of actors that run one after the other), a position in it, and
 * a vector clock: by chain, up to which position actors were over when it began. An actor happens
 * after those before it in its chain and after those in its clock. Queues, words that can be waited
 * for, and the program have clocks too. An actor that changes a word joins its clock to that of the
 * word; a queue or thread that waits for the word joins the word's clock to its own. One lock
 * guards all changes; chk_order_before() takes none. */
#include "softgpu/check/order.h"

#include "base/grow.h"
#include "softgpu/check/request.h"
#include "softgpu/check/check.h"
#include "softgpu/check/clock.h"
#include "softgpu/check/fork.h"
#include "softgpu/check/sink.h"

#include <hsa/hsa.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum {
    ACTORS = 1 << 20, /* number of the latest actors that are recorded */
    ENDED = 1024,     /* how many actors that are over keep their clocks */
    OPEN = 32, /* packets of a queue that may run at once; the next packet counts as having waited
                  for the 32nd before it */
    CHAINS = 4096,   /* of all queues; when they are used up, queues share the first */
    PLACE_BITS = 48, /* the low bits of actor_t.place are a position, the others a chain */
    WORD_LISTS = 4096,
    PACKET_BYTES = 64
};

typedef struct {
    _Atomic uint64_t place;
    _Atomic(chk_clock_t *) clock; /* NULL: dropped, long after the actor's end */
} actor_t;

/* Eight bytes of memory that a queue or the program waits for, such as a signal's value. */
typedef struct word {
    struct word *next;
    uint64_t va;
    chk_clock_t *clock;   /* the joined clocks of all actors that have changed the word */
    int64_t armed, value; /* value before the first of these changes, and after the last one */
    uint32_t changing;    /* changes in progress */
    uint32_t changed;     /* those that have ended since there was none in progress */
} word_t;

/* The program has rung the doorbell when the packets below `upto` were in the queue: `call` and
 * `clock` are those of the program at that time. */
typedef struct {
    uint64_t upto;
    chk_clock_t *clock;
    uint64_t call; /* request.h, or 0 */
} ring_t;

struct chk_line {
    chk_line_t *next;
    uint64_t queue;
    chk_clock_t *base;      /* joined to the clock of every packet from now on */
    chk_clock_t *acquired;  /* joined to `base` when all actors that run now are over */
    uint32_t chain[OPEN];   /* by packet since the last barrier bit; CHAINS: none taken yet */
    uint32_t open;          /* number of packets since the last barrier bit */
    uint64_t copy;          /* the actor of the copy that is being made, or 0 */
    chk_clock_t *copy_host; /* the program's clock when that copy began */
    uint64_t packets;       /* number of packets taken from the queue */
    uint64_t call;          /* that rang the doorbell for the last of these packets, or 0 */
    uint64_t last;          /* the last serial given out in this queue */
    bool rung; /* the program has rung its doorbell: it is no queue that only a runtime uses */
    ring_t *ring;
    size_t n_rings, rings_room;
};

/* The clock that a running actor had before chk_order_synchronise() replaced it. Threads may still
 * be reading the old clock, so it is kept until the actor is over. */
typedef struct held {
    struct held *next;
    uint64_t serial;
    chk_clock_t *clock;
} held_t;

enum { LOOKED_AT = 64 };

static struct {
    pthread_once_t once;
    pthread_mutex_t lock;
    actor_t *actor; /* by serial; NULL: the order is not recorded */
    _Atomic uint64_t latest;
    _Atomic bool lost;  /* out of memory: from now on all accesses count as ordered */
    _Atomic bool heard; /* the program's calls are reported; without them its waits are unknown, and
                           all accesses count as ordered */
    uint64_t begun[CHAINS], over[CHAINS];
    uint32_t n_chains;
    uint32_t spare[CHAINS], n_spare; /* chains of destroyed queues, to be used again */
    uint32_t handlers;               /* the chain of signal handlers; CHAINS: none taken yet */
    chk_clock_t *host;
    chk_line_t *lines;
    held_t *held;
    uint64_t ended[ENDED],
        n_ended; /* a ring of the last actors that have ended, and how many have ended so far */
    uint64_t looked_at[LOOKED_AT]; /* signals that calls of the runtime may be testing now */
    unsigned n_looked_at;
    word_t *words[WORD_LISTS];
} order = {.once = PTHREAD_ONCE_INIT, .lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local uint64_t copying;
static _Thread_local chk_clock_t *handled; /* clock of the signal whose handler this thread runs */

/* ---- questions ---- */

static uint32_t chain_of(uint64_t place)
{
    return (uint32_t)(place >> PLACE_BITS);
}

static uint64_t position_of(uint64_t place)
{
    return place & ((UINT64_C(1) << PLACE_BITS) - 1);
}

static actor_t *actor_of(uint64_t serial)
{
    return &order.actor[serial % ACTORS];
}

static bool is_forgotten(uint64_t serial)
{
    return atomic_load(&order.latest) - serial >= ACTORS;
}

bool chk_order_before(uint64_t earlier, uint64_t later)
{
    if (!earlier || !order.actor || atomic_load_explicit(&order.lost, memory_order_relaxed) ||
        !atomic_load_explicit(&order.heard, memory_order_relaxed))
        return true;
    const uint64_t a = atomic_load(&actor_of(earlier)->place);
    const uint64_t b = atomic_load(&actor_of(later)->place);
    const chk_clock_t *clock = atomic_load(&actor_of(later)->clock);
    if (!clock || is_forgotten(earlier) || is_forgotten(later)) return true;
    if (chain_of(a) == chain_of(b)) return position_of(a) < position_of(b);
    return position_of(a) <= chk_clock_upto(clock, chain_of(a));
}

uint64_t chk_order_copying(void)
{
    return copying;
}

/* ---- clocks; everything from here on holds the lock ---- */

static void lock(void)
{
    pthread_mutex_lock(&order.lock);
}

static void unlock(void)
{
    pthread_mutex_unlock(&order.lock);
}

static void join(chk_clock_t **c, chk_clock_t *more)
{
    if (!chk_clock_join(c, more)) atomic_store(&order.lost, true);
}

static void raise(chk_clock_t **c, uint32_t chain, uint64_t upto)
{
    if (!chk_clock_raise(c, chain, upto)) atomic_store(&order.lost, true);
}

static void raise_all(chk_clock_t **c, const uint64_t *upto)
{
    for (uint32_t k = 0; k < order.n_chains; k++)
        raise(c, k, upto[k]);
}

static uint32_t take_chain(void)
{
    if (order.n_spare) return order.spare[--order.n_spare];
    return order.n_chains < CHAINS ? order.n_chains++ : 0;
}

void chk_order_fork(chk_fork_t when)
{
    chk_fork_mutex(&order.lock, when);
}

static void begin(void)
{
    if (!(chk_wanted() & CHK_RACE)) return;
    order.host = chk_clock_keep(&chk_clock_nothing);
    order.handlers = CHAINS;
    order.actor = calloc(ACTORS, sizeof *order.actor);
}

/* ---- actors ---- */

/* All actors of the queue are over: they are added to the clock of its next packets. The next actor
 * is in the first chain, and an actor needs no clock entry for its own chain. */
static void close_line(chk_line_t *l)
{
    join(&l->base, l->acquired);
    for (uint32_t k = 1; k < l->open && k < OPEN; k++)
        raise(&l->base, l->chain[k], order.begun[l->chain[k]]);
    l->open = 0;
}

/* If one packet is open, the next packet may run at the same time and gets another chain. The clock
 * of that packet needs an entry for the first chain, up to the packets before the open one. */
static void name_first(chk_line_t *l)
{
    if (l->open == 1) raise(&l->base, l->chain[0], order.begun[l->chain[0]] - 1);
}

/* Makes the next actor of the chain, with this clock. */
static uint64_t begin_actor(uint32_t *chain, chk_clock_t *clock)
{
    if (*chain == CHAINS) *chain = take_chain();
    const uint64_t serial = atomic_fetch_add(&order.latest, 1) + 1;
    const uint64_t place = (uint64_t)*chain << PLACE_BITS | ++order.begun[*chain];
    atomic_store(&actor_of(serial)->place, place);
    atomic_store(&actor_of(serial)->clock, chk_clock_keep(clock));
    return serial;
}

static uint64_t start(chk_line_t *l)
{
    name_first(l);
    return l->last = begin_actor(&l->chain[l->open++ % OPEN], l->base);
}

static void is_over(uint64_t place)
{
    uint64_t *over = &order.over[chain_of(place)];
    if (position_of(place) > *over) *over = position_of(place);
}

static void drop_held(uint64_t serial)
{
    for (held_t **link = &order.held; *link;) {
        held_t *h = *link;
        if (h->serial != serial) {
            link = &h->next;
            continue;
        }
        *link = h->next;
        chk_clock_drop(h->clock);
        free(h);
    }
}

static void forget_clock(uint64_t serial)
{
    if (serial && !is_forgotten(serial))
        chk_clock_drop(atomic_exchange(&actor_of(serial)->clock, NULL));
}

/* Ends an actor. Its clock is kept for a while: a wave may read a value of the actor later, and is
 * then ordered after it (chk_order_synchronise()). */
static void end(uint64_t serial)
{
    if (is_forgotten(serial)) return;
    is_over(atomic_load(&actor_of(serial)->place));
    uint64_t *kept = &order.ended[order.n_ended++ % ENDED];
    forget_clock(*kept);
    *kept = serial;
    drop_held(serial);
}

static void end_copy(chk_line_t *l)
{
    if (!l->copy) return;
    end(l->copy);
    chk_clock_drop(l->copy_host);
    l->copy = 0;
    l->open = 0;
}

/* Joins to *c the clock of the actor, and the actor itself, which is over. */
static void join_actor(chk_clock_t **c, uint64_t serial)
{
    const uint64_t place = atomic_load(&actor_of(serial)->place);
    chk_clock_t *clock = atomic_load(&actor_of(serial)->clock);
    if (clock)
        join(c, clock);
    else
        raise_all(c, order.over); /* its clock has been dropped */
    raise(c, chain_of(place), position_of(place));
}

/* The actors after this one in its queue are also ordered after those that chk_order_synchronise()
 * has put before this one. */
static void pass_order_on(chk_line_t *l, uint64_t serial)
{
    const held_t *h = order.held;
    while (h && h->serial != serial)
        h = h->next;
    chk_clock_t *clock = h ? atomic_load(&actor_of(serial)->clock) : NULL;
    if (clock) join(&l->acquired, clock);
}

void chk_order_synchronise(uint64_t earlier, uint64_t later)
{
    if (!earlier || !order.actor || chk_order_before(earlier, later)) return;
    lock();
    _Atomic(chk_clock_t *) *clock = &actor_of(later)->clock;
    chk_clock_t *was = atomic_load(clock);
    held_t *h = malloc(sizeof *h);
    if (!h) atomic_store(&order.lost, true);
    if (was && h) {
        chk_clock_t *now = chk_clock_keep(was);
        join_actor(&now, earlier);
        *h = (held_t){order.held, later, was};
        order.held = h;
        atomic_store(clock, now);
        h = NULL;
    }
    free(h);
    unlock();
}

uint64_t chk_order_handle(void)
{
    if (!handled) return 0;
    lock();
    const uint64_t serial = begin_actor(&order.handlers, handled);
    unlock();
    return serial;
}

void chk_order_over(uint64_t serial)
{
    lock();
    end(serial);
    unlock();
}

void chk_order_publish(uint64_t serial)
{
    if (!order.actor) return;
    lock();
    join_actor(&order.host, serial);
    unlock();
}

/* ---- words ---- */

static word_t **list_of(uint64_t va)
{
    return &order.words[(va >> 3 ^ va >> 15) % WORD_LISTS];
}

static word_t *find_word(uint64_t va)
{
    const uint64_t at = va & ~UINT64_C(7);
    word_t *w = *list_of(at);
    while (w && w->va != at)
        w = w->next;
    return w;
}

static word_t *make_word(uint64_t va, int64_t value)
{
    const uint64_t at = va & ~UINT64_C(7);
    word_t *w = find_word(at), **list = list_of(at);
    if (w) return w;
    if (!(w = malloc(sizeof *w))) {
        atomic_store(&order.lost, true);
        return NULL;
    }
    *w = (word_t){.next = *list,
                  .va = at,
                  .clock = chk_clock_keep(&chk_clock_nothing),
                  .armed = value,
                  .value = value};
    return *list = w;
}

/* ---- lines ---- */

chk_line_t *chk_line_create(uint64_t queue)
{
    pthread_once(&order.once, begin);
    chk_line_t *l = order.actor ? calloc(1, sizeof *l) : NULL;
    if (order.actor && !l) atomic_store(&order.lost, true);
    if (!l) return NULL;
    l->queue = queue;
    for (uint32_t k = 0; k < OPEN; k++)
        l->chain[k] = CHAINS;
    lock();
    l->base = chk_clock_keep(&chk_clock_nothing);
    l->acquired = chk_clock_keep(&chk_clock_nothing);
    l->next = order.lines;
    order.lines = l;
    unlock();
    return l;
}

/* The chains are given to other queues, whose actors then count as ordered after those of this
 * queue. */
void chk_line_free(chk_line_t *l)
{
    if (!l) return;
    lock();
    end_copy(l);
    chk_line_t **link = &order.lines;
    while (*link != l)
        link = &(*link)->next;
    *link = l->next;
    for (uint32_t k = 0; k < OPEN; k++)
        if (l->chain[k] != CHAINS && l->chain[k]) order.spare[order.n_spare++] = l->chain[k];
    for (size_t k = 0; k < l->n_rings; k++)
        chk_clock_drop(l->ring[k].clock);
    chk_clock_drop(l->base);
    chk_clock_drop(l->acquired);
    unlock();
    free(l->ring);
    free(l);
}

/* The program's clock at the time when it rang the doorbell for the packet; if no ring was seen,
 * its present clock. Sets l->call to the call that rang. */
static chk_clock_t *clock_at_ring(chk_line_t *l, uint64_t index)
{
    size_t gone = 0;
    while (gone < l->n_rings && l->ring[gone].upto <= index)
        chk_clock_drop(l->ring[gone++].clock);
    l->n_rings -= gone;
    for (size_t k = 0; gone && k < l->n_rings; k++)
        l->ring[k] = l->ring[k + gone];
    l->call = l->n_rings ? l->ring[0].call : 0;
    return l->n_rings ? l->ring[0].clock : order.host;
}

void chk_line_packet(chk_line_t *l, uint64_t index, bool barrier)
{
    if (!l) return;
    lock();
    end_copy(l);
    if (barrier) close_line(l);
    join(&l->base, clock_at_ring(l, index));
    l->packets = index + 1;
    unlock();
}

uint64_t chk_line_call(const chk_line_t *l)
{
    return l ? l->call : 0;
}

uint64_t chk_line_dispatch(chk_line_t *l)
{
    if (!l) return atomic_fetch_add(&order.latest, 1) + 1;
    lock();
    const uint64_t serial = start(l);
    unlock();
    return serial;
}

/* The call that requested the copy has not returned. If a signal that the copy has to wait for had
 * its value already, the runtime may not have passed that signal to the copy engine: signals that
 * the runtime has been testing are joined here. */
static void join_looked_at(chk_line_t *l)
{
    for (unsigned k = 0; k < order.n_looked_at; k++) {
        const word_t *w = find_word(order.looked_at[k]);
        if (w && w->value < w->armed) join(&l->base, w->clock);
    }
}

void chk_line_copy(chk_line_t *l)
{
    if (!l) return;
    lock();
    if (!l->copy || l->copy_host != order.host) {
        end_copy(l);
        close_line(l);
        join(&l->base, order.host);
        join_looked_at(l);
        l->copy = start(l);
        l->copy_host = chk_clock_keep(order.host);
    }
    copying = l->copy;
    unlock();
}

void chk_line_drained(chk_line_t *l)
{
    if (!l) return;
    lock();
    end_copy(l);
    close_line(l);
    unlock();
}

/* ---- changes of words ---- */

/* The word is set to a new value: the clock of its former changes does not apply any more. */
static void arm(word_t *w, int64_t value)
{
    chk_clock_drop(w->clock);
    w->clock = chk_clock_keep(&chk_clock_nothing);
    w->armed = w->value = value;
}

void chk_order_change_begin(chk_line_t *l, uint64_t serial, uint64_t va, int64_t seen)
{
    if (!l) return;
    lock();
    word_t *w = make_word(va, seen);
    if (w && !w->changing && w->value != seen) arm(w, seen);
    if (w && !w->changing++) w->changed = 0;
    if (serial) is_over(atomic_load(&actor_of(serial)->place));
    if (!serial) end_copy(l);
    if (w && serial) {
        join_actor(&w->clock, serial);
    } else if (w) {
        name_first(l);
        join(&w->clock, l->base);
        if (!l->open && l->chain[0] != CHAINS)
            raise(&w->clock, l->chain[0], order.begun[l->chain[0]]);
    }
    unlock();
}

void chk_order_change_end(chk_line_t *l, uint64_t va, int64_t value)
{
    if (!l) return;
    lock();
    word_t *w = find_word(va);
    if (w) {
        if (!w->changed++ || value < w->value) w->value = value;
        w->changing -= w->changing > 0;
    }
    unlock();
}

void chk_order_end(chk_line_t *l, uint64_t serial)
{
    if (!l) return;
    lock();
    pass_order_on(l, serial);
    end(serial);
    unlock();
}

/* Whether the value comes from a change that was not announced, for example one by a kernel. The
 * answer is no while an announced change is in progress, and if the value lies between the one
 * before the first announced change (w->armed) and the one after the last (w->value): then it was
 * read between two changes. */
static bool is_unannounced(const word_t *w, int64_t value)
{
    if (!w) return true;
    return !w->changing && (value < w->value || (value > w->value && value > w->armed));
}

/* After a value of unknown origin, the queue counts as ordered after all actors that have
 * begun. */
void chk_line_waited(chk_line_t *l, uint64_t va, int64_t value)
{
    if (!l) return;
    lock();
    const word_t *w = find_word(va);
    end_copy(l);
    if (w) join(&l->base, w->clock);
    if (is_unannounced(w, value)) raise_all(&l->base, order.begun);
    unlock();
}

/* ---- the program ---- */

static bool is_written(const void *ring, uint64_t slots, uint64_t packet)
{
    const uint16_t *header = (const uint16_t *)((const char *)ring + packet % slots * PACKET_BYTES);
    return (__atomic_load_n(header, __ATOMIC_ACQUIRE) & 0xff) != HSA_PACKET_TYPE_INVALID;
}

/* Records that the packets below `upto` are written. */
static void add_ring(chk_line_t *l, uint64_t upto)
{
    ring_t *last = l->n_rings ? &l->ring[l->n_rings - 1] : NULL;
    const uint64_t call = chk_request_now();
    if (last && last->clock == order.host && last->call == call) {
        last->upto = upto;
        return;
    }
    if (!BASE_GROW(l->ring, l->n_rings, &l->rings_room))
        return; /* then the packet gets the program's clock of the time when it is taken */
    l->ring[l->n_rings++] = (ring_t){upto, chk_clock_keep(order.host), call};
}

/* The program rings a doorbell. Other threads may have reserved earlier packets and not written
 * them yet: the ring counts up to the first packet that is not written. */
static void rung(uint64_t queue, uint64_t packet, const void *ring, uint64_t slots)
{
    atomic_store(&order.heard, true);
    lock();
    chk_line_t *l = order.lines;
    while (l && l->queue != queue)
        l = l->next;
    if (l) {
        uint64_t upto = l->n_rings ? l->ring[l->n_rings - 1].upto : 0;
        if (upto < l->packets) upto = l->packets;
        const uint64_t from = upto;
        while (upto <= packet && is_written(ring, slots, upto))
            upto++;
        if (upto > from) add_ring(l, upto);
        l->rung = true;
    }
    unlock();
}

/* The program has read a value. After one of unknown origin, perhaps from a profiler, the program
 * counts as ordered after all actors that are over. */
static void seen(uint64_t va, int64_t value, bool waited)
{
    lock();
    const word_t *w = find_word(va);
    const bool others = is_unannounced(w, value);
    const bool changed =
        w ? value < w->armed || (value != w->armed && (waited || others)) : waited || value <= 0;
    if (w && changed) join(&order.host, w->clock);
    if (changed && others) raise_all(&order.host, order.over);
    unlock();
}

static void handling(uint64_t va, int64_t value)
{
    lock();
    const word_t *w = va ? find_word(va) : NULL;
    chk_clock_drop(handled);
    handled = w && !is_unannounced(w, value) ? chk_clock_keep(w->clock) : NULL;
    unlock();
}

static void looking(uint64_t va, bool begins)
{
    lock();
    unsigned k = 0;
    while (k < order.n_looked_at && (begins || order.looked_at[k] != va))
        k++;
    if (begins && k < LOOKED_AT)
        order.looked_at[order.n_looked_at++] = va;
    else if (!begins && k < order.n_looked_at)
        order.looked_at[k] = order.looked_at[--order.n_looked_at];
    unlock();
}

static void stored(uint64_t va, int64_t value)
{
    atomic_store(&order.heard, true);
    lock();
    word_t *w = make_word(va, value);
    if (w) {
        arm(w, value);
        join(&w->clock, order.host);
    }
    unlock();
}

static void added(uint64_t va, int64_t found, int64_t add)
{
    lock();
    word_t *w = make_word(va, found);
    if (w && (add > 0 || w->value != found)) arm(w, add > 0 ? found + add : found);
    if (w) {
        join(&w->clock, order.host);
        if (add < 0) w->value = found + add;
    }
    unlock();
}

static uint64_t called(void)
{
    return atomic_load(&order.latest);
}

/* The call has waited for its copies or kernels. They ran in queues that only the runtime uses:
 * those queues that have begun an actor since the call began. */
static void returned(uint64_t number)
{
    lock();
    for (const chk_line_t *l = order.lines; l; l = l->next)
        for (uint32_t k = 0; !l->rung && l->last > number && k < OPEN; k++)
            if (l->chain[k] != CHAINS) raise(&order.host, l->chain[k], order.over[l->chain[k]]);
    unlock();
}

const softgpu_order_api_t *chk_order_api(void)
{
    static const softgpu_order_api_t api = {.seen = seen,
                                            .looking = looking,
                                            .stored = stored,
                                            .added = added,
                                            .rung = rung,
                                            .handling = handling,
                                            .called = called,
                                            .returned = returned};
    pthread_once(&order.once, begin);
    return order.actor ? &api : NULL;
}
