/* crew.c - see crew.h. Batches are numbered in the order in which they are taken. A thread that has
 * rendered a batch puts its parcel into `ready`. If no other thread is writing, it then writes all
 * batches whose predecessors are written, and goes on with a spare parcel. So no thread waits until
 * its batch may be written, which would take longer than rendering a batch. A thread only waits if
 * all parcels are rendered but not yet written. */
#include "output/crew.h"

#include <sched.h>
#include <signal.h>
#include <unistd.h>

/* For each worker there are one parcel that it renders, and two that may wait while another thread
 * writes. */
enum { PARCELS_EACH = 3, PARCELS_MAX = PARCELS_EACH * OUT_CREW_MAX };

typedef struct {
    const out_crew_work_t *work;
    pthread_mutex_t taking; /* guards `taken`, `ended` and work->take */
    uint64_t taken;
    bool ended;
    pthread_mutex_t passing; /* guards all following members */
    pthread_cond_t some_spare;
    void *spare[PARCELS_MAX]; /* a stack: the last one is most likely in a cache */
    unsigned spares, parcels, waiting;
    void *ready[PARCELS_MAX]; /* by number of the batch: rendered and not written */
    uint64_t written;
    bool writing; /* a thread is writing */
} crew_t;

static unsigned cpus(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof(set), &set) == 0) return (unsigned)CPU_COUNT(&set);
    /* Fails if the machine has more CPUs than the set has room for. */
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (unsigned)online : 1;
}

unsigned out_crew_size(unsigned wanted, uint64_t records)
{
    unsigned size = wanted ? wanted : cpus();
    if (size > OUT_CREW_MAX) size = OUT_CREW_MAX;
    return records >= OUT_CREW_LEAST_RECORDS ? size : 1;
}

static void *take_parcel(crew_t *c)
{
    pthread_mutex_lock(&c->passing);
    while (!c->spares) {
        c->waiting++;
        pthread_cond_wait(&c->some_spare, &c->passing);
        c->waiting--;
    }
    void *parcel = c->spare[--c->spares];
    pthread_mutex_unlock(&c->passing);
    return parcel;
}

/* Wakes the threads that wait for a spare parcel. To be called with `passing` locked. */
static void wake(crew_t *c)
{
    if (c->waiting && c->spares) pthread_cond_broadcast(&c->some_spare);
}

/* Returns a parcel to the spare ones. Waking a thread takes as long as a batch, so threads are
 * woken when half of the parcels are spare. If no thread is writing, they are woken at once, since
 * no later call would do it. */
static void give_back(crew_t *c, void *parcel)
{
    c->spare[c->spares++] = parcel;
    if (c->spares > c->parcels / 2 || !c->writing) wake(c);
}

/* Takes the next batch into the parcel and sets its number; returns false at the end. */
static bool take_batch(crew_t *c, void *parcel, uint64_t *number)
{
    pthread_mutex_lock(&c->taking);
    bool some = !c->ended && c->work->take(parcel);
    c->ended = !some;
    if (some) *number = c->taken++;
    pthread_mutex_unlock(&c->taking);
    return some;
}

static void **place_of(crew_t *c, uint64_t number)
{
    return &c->ready[number % c->parcels];
}

/* Passes on a rendered batch, and writes the batches whose predecessors are written. If another
 * thread is writing, that thread will write this batch. */
static void pass_on(crew_t *c, void *parcel, uint64_t number)
{
    pthread_mutex_lock(&c->passing);
    *place_of(c, number) = parcel;
    if (!c->writing) {
        c->writing = true;
        while ((parcel = *place_of(c, c->written))) {
            pthread_mutex_unlock(&c->passing);
            c->work->write(parcel);
            pthread_mutex_lock(&c->passing);
            *place_of(c, c->written++) = NULL;
            give_back(c, parcel);
        }
        c->writing = false;
        wake(c);
    }
    pthread_mutex_unlock(&c->passing);
}

static void *run(void *argument)
{
    crew_t *c = argument;
    void *parcel = take_parcel(c);
    for (uint64_t number; take_batch(c, parcel, &number); parcel = take_parcel(c)) {
        c->work->render(parcel, number == 0);
        pass_on(c, parcel, number);
    }
    pthread_mutex_lock(&c->passing);
    give_back(c, parcel);
    pthread_mutex_unlock(&c->passing);
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

static void begin(crew_t *c, unsigned workers)
{
    pthread_mutexattr_t spins;
    pthread_mutexattr_init(&spins);
    /* both mutexes are held for microseconds: spin before sleeping */
    pthread_mutexattr_settype(&spins, PTHREAD_MUTEX_ADAPTIVE_NP);
    pthread_mutex_init(&c->taking, &spins);
    pthread_mutex_init(&c->passing, &spins);
    pthread_mutexattr_destroy(&spins);
    pthread_cond_init(&c->some_spare, NULL);
    const unsigned wanted = workers > 1 ? PARCELS_EACH * workers : 1;
    while (c->spares < wanted && (c->spare[c->spares] = c->work->begin(c->work->to)))
        c->spares++;
    c->parcels = c->spares;
}

static void end(crew_t *c)
{
    while (c->spares)
        c->work->end(c->spare[--c->spares]);
    pthread_mutex_destroy(&c->taking);
    pthread_mutex_destroy(&c->passing);
    pthread_cond_destroy(&c->some_spare);
}

bool out_crew_run(const out_crew_work_t *work, unsigned workers)
{
    crew_t c = {.work = work};
    pthread_t others[OUT_CREW_MAX];
    unsigned count = 0;
    begin(&c, workers);
    const bool some = c.parcels;
    while (some && count + 1 < workers && out_thread_start(&others[count], run, &c))
        count++;
    if (some) run(&c);
    while (count)
        pthread_join(others[--count], NULL);
    end(&c);
    return some;
}
