/* crew.c - see crew.h. Batches have numbers; slots are taken in turns, and everything that threads
 * wait for is one of three numbers: batches filled, taken by a worker, and written. */
#include "output/crew.h"

#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

enum { SLOTS = 2 * OUT_CREW_MAX };

typedef struct {
    char *items;
    size_t used, room;
} slot_t;

typedef struct {
    struct out_crew *crew;
    void *state;
    pthread_t thread;
} worker_t;

struct out_crew {
    out_crew_work_t work;
    pthread_mutex_t lock;
    pthread_cond_t filled_one, written_one;
    uint64_t filled, taken, written;
    bool closing, no_memory;
    slot_t slots[SLOTS];
    worker_t workers[OUT_CREW_MAX];
    unsigned count;
};

static unsigned cpus(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof(set), &set) == 0) return (unsigned)CPU_COUNT(&set);
    long online = sysconf(_SC_NPROCESSORS_ONLN); /* more than the set has room for */
    return online > 0 ? (unsigned)online : 1;
}

unsigned out_crew_size(unsigned wanted, uint64_t records)
{
    unsigned size = wanted ? wanted : cpus();
    if (size > OUT_CREW_MAX) size = OUT_CREW_MAX;
    return size > 1 && records >= OUT_CREW_LEAST_RECORDS ? size : 0;
}

/* The number of a batch to be rendered; false at the end. */
static bool take(out_crew_t *c, uint64_t *number)
{
    pthread_mutex_lock(&c->lock);
    while (c->taken == c->filled && !c->closing)
        pthread_cond_wait(&c->filled_one, &c->lock);
    bool some = c->taken != c->filled;
    if (some) *number = c->taken++;
    pthread_mutex_unlock(&c->lock);
    return some;
}

static void wait_written(out_crew_t *c, uint64_t count)
{
    pthread_mutex_lock(&c->lock);
    while (c->written < count)
        pthread_cond_wait(&c->written_one, &c->lock);
    pthread_mutex_unlock(&c->lock);
}

static void *run(void *argument)
{
    worker_t *w = argument;
    out_crew_t *c = w->crew;
    for (uint64_t number; take(c, &number);) {
        const slot_t *slot = &c->slots[number % SLOTS];
        c->work.render(w->state, slot->items, slot->used, number == 0);
        wait_written(c, number);
        c->work.write(w->state);
        pthread_mutex_lock(&c->lock);
        c->written++;
        pthread_cond_broadcast(&c->written_one);
        pthread_mutex_unlock(&c->lock);
    }
    return NULL;
}

bool out_thread_start(pthread_t *thread, void *(*body)(void *), void *argument)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    bool started = pthread_create(thread, NULL, body, argument) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

static bool add_worker(out_crew_t *c)
{
    worker_t *w = &c->workers[c->count];
    *w = (worker_t){.crew = c, .state = c->work.begin(c->work.to)};
    if (!w->state) return false;
    if (!out_thread_start(&w->thread, run, w)) {
        c->work.end(w->state);
        return false;
    }
    c->count++;
    return true;
}

out_crew_t *out_crew_begin(const out_crew_work_t *work, unsigned workers)
{
    out_crew_t *c = workers ? calloc(1, sizeof(*c)) : NULL;
    if (!c) return NULL;
    c->work = *work;
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->filled_one, NULL);
    pthread_cond_init(&c->written_one, NULL);
    while (c->count < workers && add_worker(c)) {
    }
    if (c->count) return c;
    out_crew_end(c);
    return NULL;
}

static void hand_over(out_crew_t *c)
{
    pthread_mutex_lock(&c->lock);
    c->filled++;
    pthread_cond_signal(&c->filled_one);
    pthread_mutex_unlock(&c->lock);
}

/* The slot to be filled, once what it held is written. */
static slot_t *next_slot(out_crew_t *c)
{
    slot_t *slot = &c->slots[c->filled % SLOTS];
    if (c->filled >= SLOTS) wait_written(c, c->filled - SLOTS + 1);
    slot->used = 0;
    return slot;
}

void *out_crew_item(out_crew_t *c, size_t bytes)
{
    slot_t *slot = &c->slots[c->filled % SLOTS];
    if (slot->used + bytes > slot->room) {
        if (slot->used) {
            hand_over(c);
            slot = next_slot(c);
        }
        if (bytes > slot->room) {
            size_t room = bytes > c->work.batch_bytes ? bytes : c->work.batch_bytes;
            char *items = realloc(slot->items, room);
            c->no_memory |= !items;
            if (!items) return NULL;
            slot->items = items;
            slot->room = room;
        }
    }
    void *item = slot->items + slot->used;
    slot->used += bytes;
    return item;
}

bool out_crew_end(out_crew_t *c)
{
    if (!c) return true;
    if (c->slots[c->filled % SLOTS].used) hand_over(c);
    pthread_mutex_lock(&c->lock);
    c->closing = true;
    pthread_cond_broadcast(&c->filled_one);
    pthread_mutex_unlock(&c->lock);
    for (unsigned i = 0; i < c->count; i++) {
        pthread_join(c->workers[i].thread, NULL);
        c->work.end(c->workers[i].state);
    }
    for (unsigned i = 0; i < SLOTS; i++)
        free(c->slots[i].items);
    pthread_mutex_destroy(&c->lock);
    pthread_cond_destroy(&c->filled_one);
    pthread_cond_destroy(&c->written_one);
    bool whole = !c->no_memory;
    free(c);
    return whole;
}
