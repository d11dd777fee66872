/* crew.c - see crew.h. Batches have numbers, given in the order of taking; whoever has rendered one
 * waits until as many are written. */
#include "output/crew.h"

#include <sched.h>
#include <signal.h>
#include <unistd.h>

typedef struct {
    const out_crew_work_t *work;
    pthread_mutex_t taking; /* for `taken`, `ended` and the work's `take` */
    uint64_t taken;
    bool ended;
    pthread_mutex_t writing;
    pthread_cond_t turn;
    uint64_t written;
} crew_t;

typedef struct {
    crew_t *crew;
    void *state;
    pthread_t thread;
} worker_t;

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
    return records >= OUT_CREW_LEAST_RECORDS ? size : 1;
}

/* The number of the batch that the worker has from now on; false at the end. */
static bool take(crew_t *c, void *state, uint64_t *number)
{
    pthread_mutex_lock(&c->taking);
    bool some = !c->ended && c->work->take(state);
    c->ended = !some;
    if (some) *number = c->taken++;
    pthread_mutex_unlock(&c->taking);
    return some;
}

static void write_in_turn(crew_t *c, void *state, uint64_t number)
{
    pthread_mutex_lock(&c->writing);
    while (c->written < number)
        pthread_cond_wait(&c->turn, &c->writing);
    pthread_mutex_unlock(&c->writing);
    c->work->write(state);
    pthread_mutex_lock(&c->writing);
    c->written++;
    pthread_cond_broadcast(&c->turn);
    pthread_mutex_unlock(&c->writing);
}

static void *run(void *argument)
{
    const worker_t *w = argument;
    for (uint64_t number; take(w->crew, w->state, &number);) {
        w->crew->work->render(w->state, number == 0);
        write_in_turn(w->crew, w->state, number);
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

/* The first one is the caller's own. */
static bool begin_worker(crew_t *c, worker_t *w, bool own)
{
    *w = (worker_t){.crew = c, .state = c->work->begin(c->work->to)};
    if (!w->state) return false;
    if (own || out_thread_start(&w->thread, run, w)) return true;
    c->work->end(w->state);
    return false;
}

bool out_crew_run(const out_crew_work_t *work, unsigned workers)
{
    crew_t c = {.work = work};
    worker_t all[OUT_CREW_MAX];
    unsigned count = 0;
    pthread_mutex_init(&c.taking, NULL);
    pthread_mutex_init(&c.writing, NULL);
    pthread_cond_init(&c.turn, NULL);
    while (count < workers && begin_worker(&c, &all[count], !count))
        count++;
    if (count) run(&all[0]);
    for (unsigned i = 0; i < count; i++) {
        if (i) pthread_join(all[i].thread, NULL);
        work->end(all[i].state);
    }
    pthread_mutex_destroy(&c.taking);
    pthread_mutex_destroy(&c.writing);
    pthread_cond_destroy(&c.turn);
    return count;
}
