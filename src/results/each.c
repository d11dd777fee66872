/* each.c - see each.h. A worker that has read its database waits until the databases before it have
 * been added. Since the databases of ranks have about the same size, it does not wait for long. */
#include "results/each.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/log.h"
#include "base/pool.h"
#include "output/crew.h"

unsigned res_workers(size_t files)
{
    cpu_set_t set;
    long cpus = 1;
    if (sched_getaffinity(0, sizeof(set), &set) == 0)
        cpus = CPU_COUNT(&set);
    else /* this fails if the machine has more CPUs than the set has room for */
        cpus = sysconf(_SC_NPROCESSORS_ONLN);
    if (cpus < 1) cpus = 1;
    if (cpus > RES_WORKERS_MAX) cpus = RES_WORKERS_MAX;
    return (size_t)cpus < files ? (unsigned)cpus : files ? (unsigned)files : 1;
}

/* ---- threads ---- */

typedef struct {
    size_t count;
    atomic_size_t taken;
    void (*work)(void *data, size_t file);
    void *data;
} shared_t;

static void *run_shared(void *argument)
{
    shared_t *s = argument;
    for (size_t file; (file = atomic_fetch_add(&s->taken, 1)) < s->count;)
        s->work(s->data, file);
    return NULL;
}

void res_share(size_t count, void (*work)(void *data, size_t file), void *data)
{
    pthread_t others[RES_WORKERS_MAX];
    shared_t s = {.count = count, .work = work, .data = data};
    const unsigned workers = res_workers(count);
    unsigned started = 0;
    if (count > 1) base_pool_keep_memory();
    while (started + 1 < workers && out_thread_start(&others[started], run_shared, &s))
        started++;
    run_shared(&s);
    while (started)
        pthread_join(others[--started], NULL);
}

/* ---- adding in order ---- */

typedef struct {
    res_run_t *run;
    const res_each_t *e;
    pthread_mutex_t lock; /* guards the following members */
    pthread_cond_t turned;
    size_t turn; /* number of the database to be added next */
    bool failed;
} ordered_t;

/* Waits until the databases before this one have been added. Returns false if one of them has
 * failed. */
static bool wait_for_turn(ordered_t *o, size_t file)
{
    pthread_mutex_lock(&o->lock);
    while (o->turn != file && !o->failed)
        pthread_cond_wait(&o->turned, &o->lock);
    const bool good = !o->failed;
    pthread_mutex_unlock(&o->lock);
    return good;
}

static bool has_failed(ordered_t *o)
{
    pthread_mutex_lock(&o->lock);
    const bool failed = o->failed;
    pthread_mutex_unlock(&o->lock);
    return failed;
}

static void pass_turn(ordered_t *o, bool good)
{
    pthread_mutex_lock(&o->lock);
    o->turn++;
    if (!good) o->failed = true;
    pthread_cond_broadcast(&o->turned);
    pthread_mutex_unlock(&o->lock);
}

static int add(ordered_t *o, const db_t *db, size_t file)
{
    void *part = o->e->read(db, file, o->e->data);
    const bool mine = wait_for_turn(o, file);
    int result = -1;
    if (mine) {
        result = part ? o->e->add(part, db, file, o->e->data) : -1;
        pass_turn(o, result == 0);
    }
    if (part) o->e->forget(part);
    return result;
}

static void read_file(void *data, size_t file)
{
    ordered_t *o = data;
    db_t db;
    if (has_failed(o)) return;
    if (rocpd_open_one(&o->run->base, file, &db) == 0) {
        db_hold(&db); /* if it cannot be, what reads says why */
        add(o, &db, file);
        db_release(&db);
        db_close(&db);
    } else if (wait_for_turn(o, file)) {
        pass_turn(o, false);
    }
}

int res_each(res_run_t *r, const res_each_t *e)
{
    ordered_t o = {.run = r, .e = e};
    pthread_mutex_init(&o.lock, NULL);
    pthread_cond_init(&o.turned, NULL);
    if (r->files.count == 1)
        add(&o, r->db, 0);
    else
        res_share(r->files.count, read_file, &o);
    pthread_cond_destroy(&o.turned);
    pthread_mutex_destroy(&o.lock);
    return o.failed ? -1 : 0;
}
