/* census.c - the census: how often each instruction of a kernel is executed. A profiler starts it
 * by the functions of include/softgpu/instruction_counts.h.
 *
 * Each thread that runs waves of a dispatch has its own counts. When the dispatch ends they are
 * added to the kernel's sums, or passed to the profiler's visitor of single dispatches. */
#include "softgpu/device/census.h"

#include "base/log.h"
#include "softgpu/perf/census.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* The counts of one thread for a run. */
typedef struct of_thread {
    struct of_thread *next;
    const void *owner; /* the thread, as the address of its `mine` */
    sg_census_t *census;
    uint64_t waves;
    uint64_t times; /* by which all counts are multiplied */
} of_thread_t;

typedef struct kernel {
    struct kernel *next;
    softgpu_counted_kernel_t of;
    sg_census_sum_t sum;
} kernel_t;

struct sg_census_run {
    pthread_mutex_t lock; /* guards the list of threads */
    uint64_t serial;      /* unique among the counted dispatches */
    uint64_t kernel_object, group;
    bool modelled; /* the profiler wants costs by the models of caches and time */
    of_thread_t *threads, *spare;
    _Atomic bool lost;
};

static struct {
    _Atomic bool on;
    _Atomic uint64_t serial;
    pthread_once_t once;
    pthread_mutex_t lock;
    softgpu_instruction_options_t options;
    kernel_t *kernels, **tail;
} state = {.once = PTHREAD_ONCE_INIT, .lock = PTHREAD_MUTEX_INITIALIZER, .tail = &state.kernels};

/* The run for which the thread worked last, and the thread's census of that run. */
static _Thread_local struct {
    uint64_t serial;
    of_thread_t *of;
} mine;

/* ---- dispatches ---- */

static bool wanted(const sg_run_t *run, uint64_t kernel_object, uint64_t *group, bool *modelled)
{
    softgpu_counted_dispatch_t dispatch = {
        .size = sizeof dispatch,
        .kernel_object = kernel_object,
        .queue = (uint64_t)(uintptr_t)run->queue,
    };
    memcpy(dispatch.grid, run->grid, sizeof dispatch.grid);
    memcpy(dispatch.workgroup, run->size, sizeof dispatch.workgroup);
    pthread_mutex_lock(&state.lock);
    const softgpu_instruction_options_t o = state.options;
    pthread_mutex_unlock(&state.lock);
    *modelled = o.level >= SOFTGPU_INSTRUCTION_MODEL_LEVEL;
    return !o.wanted || o.wanted(&dispatch, group, o.user);
}

bool sg_census_run_begin(sg_run_t *run, uint64_t kernel_object)
{
    sg_census_run_t *r = run->census_kept;
    uint64_t group = 0;
    bool modelled;
    run->census = NULL;
    if (!atomic_load_explicit(&state.on, memory_order_acquire)) return false;
    if (!wanted(run, kernel_object, &group, &modelled)) return false;
    if (!r) {
        r = run->census_kept = calloc(1, sizeof *r);
        if (!r) {
            base_error("no memory to count the instructions of a dispatch");
            return false;
        }
        pthread_mutex_init(&r->lock, NULL);
    }
    r->serial = atomic_fetch_add_explicit(&state.serial, 1, memory_order_relaxed) + 1;
    r->kernel_object = kernel_object;
    r->group = group;
    r->modelled = modelled;
    atomic_store_explicit(&r->lost, false, memory_order_relaxed);
    run->census = r;
    return modelled;
}

void sg_census_run_unmodelled(sg_run_t *run)
{
    run->census->modelled = false;
    atomic_store_explicit(&run->census->lost, true, memory_order_relaxed);
}

static of_thread_t *take(sg_census_run_t *r, uint64_t times)
{
    of_thread_t *t = r->threads;
    while (t && (t->owner != &mine || t->times != times))
        t = t->next;
    if (t) return t;
    t = r->spare;
    if (t) {
        r->spare = t->next;
    } else {
        t = calloc(1, sizeof *t);
        if (t && !(t->census = sg_census_create())) {
            free(t);
            t = NULL;
        }
    }
    if (!t) return NULL;
    t->owner = &mine;
    t->waves = 0;
    t->times = times;
    t->next = r->threads;
    return r->threads = t;
}

static void take_for_thread(sg_census_run_t *r, uint64_t times)
{
    pthread_mutex_lock(&r->lock);
    mine.of = take(r, times);
    pthread_mutex_unlock(&r->lock);
    mine.serial = mine.of ? r->serial : 0;
}

void sg_census_stands(sg_run_t *run, uint64_t times)
{
    if (times)
        take_for_thread(run->census, times);
    else
        mine.serial = 0;
}

void sg_census_turn(sg_box_t *b, bool starts)
{
    sg_census_run_t *r = b->run->census;
    if (mine.serial != r->serial) take_for_thread(r, 1);
    b->census = mine.serial ? sg_census_isa(mine.of->census) : NULL;
    if (!b->census)
        atomic_store_explicit(&r->lost, true, memory_order_relaxed);
    else if (starts)
        mine.of->waves += b->group.n_waves;
    if (b->census) b->census->lanes = isa_dispatch_lanes(&b->run->isa);
    if (b->census) b->census->costs = r->modelled;
}

static void share(const sg_census_run_t *r, const sg_perf_contention_t *contention)
{
    sg_perf_contention_t weight = {.bandwidth = 0}, shared = {.bandwidth = 0};
    for (const of_thread_t *t = r->threads; t; t = t->next)
        sg_census_weigh(t->census, &weight);
    for (const of_thread_t *t = r->threads; t; t = t->next)
        sg_census_share(t->census, contention, &weight, &shared);
}

/* Adds the counts of all threads to *sum and empties them. */
static bool add_threads(sg_census_run_t *r, sg_census_sum_t *sum, uint64_t *waves)
{
    bool whole = !atomic_load_explicit(&r->lost, memory_order_relaxed);
    while (r->threads) {
        of_thread_t *t = r->threads;
        whole &= sg_census_add(sum, t->census, t->times);
        *waves += t->times * t->waves;
        r->threads = t->next;
        t->next = r->spare;
        r->spare = t;
    }
    return whole;
}

/* Under the lock: finds or makes the entry of a kernel. NULL: out of memory. */
static kernel_t *kernel_of(uint64_t object, uint64_t group)
{
    kernel_t *k = state.kernels;
    while (k && (k->of.kernel_object != object || k->of.group != group))
        k = k->next;
    if (k || !(k = calloc(1, sizeof *k))) return k;
    k->of.size = sizeof k->of;
    k->of.kernel_object = object;
    k->of.group = group;
    *state.tail = k;
    state.tail = &k->next;
    return k;
}

/* The smallest structure of a visitor, which was that of the first profilers. */
#define VISITOR_LEAST offsetof(softgpu_instruction_visitor_t, end)

static void visit_end(const softgpu_instruction_visitor_t *v)
{
    const bool has_end =
        v->size >= offsetof(softgpu_instruction_visitor_t, end) + sizeof v->end && v->end;
    if (has_end) v->end(v->user);
}

/* Returns false if there is no memory; then the visitor has not been called. */
static bool visit_kernel(const softgpu_instruction_visitor_t *v, kernel_t *k,
                         const softgpu_instruction_range_t *range)
{
    const bool done = sg_census_visit(&k->sum, &k->of, range, v);
    if (done) visit_end(v);
    return done;
}

/* A dispatch whose counts cannot be told for lack of memory is told as one whose counts are lost.
 */
static void visit_dispatch(const softgpu_instruction_visitor_t *v, kernel_t *k)
{
    if (visit_kernel(v, k, NULL)) return;
    base_error("no memory to tell a dispatch's counts");
    k->of.lost = k->of.dispatches;
    v->kernel(&k->of, v->user);
    visit_end(v);
}

void sg_census_run_end(sg_run_t *run, uint64_t end_ts, const sg_perf_contention_t *contention)
{
    sg_census_run_t *r = run->census;
    if (r->modelled) share(r, contention);
    pthread_mutex_lock(&state.lock);
    const softgpu_instruction_visitor_t *each = state.options.each_dispatch;
    kernel_t one = {.of = {.size = sizeof one.of,
                           .kernel_object = r->kernel_object,
                           .start_ns = run->start_ts,
                           .end_ns = end_ts,
                           .group = r->group}};
    kernel_t *k = each ? &one : kernel_of(r->kernel_object, r->group);
    if (!k) k = &one;
    k->of.dispatches++;
    k->of.lost += !add_threads(r, &k->sum, &k->of.waves);
    if (each)
        visit_dispatch(each, k);
    else if (k == &one)
        base_error("no memory for the counts of the instructions of a kernel");
    pthread_mutex_unlock(&state.lock);
    if (one.sum.slot) sg_census_forget(&one.sum, &(softgpu_instruction_range_t){0, 0, true});
}

static void free_threads(of_thread_t *t)
{
    while (t) {
        of_thread_t *next = t->next;
        sg_census_free(t->census);
        free(t);
        t = next;
    }
}

void sg_census_run_free(sg_census_run_t *r)
{
    if (!r) return;
    free_threads(r->threads);
    free_threads(r->spare);
    pthread_mutex_destroy(&r->lock);
    free(r);
}

/* ---- the functions ---- */

/* A forked child starts without counts: the inherited ones belong to its parent. */
static void in_forked_child(void)
{
    pthread_mutex_init(&state.lock, NULL);
    atomic_store(&state.on, false);
    state.kernels = NULL;
    state.tail = &state.kernels;
}

static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, in_forked_child);
}

static int start(const softgpu_instruction_options_t *options)
{
    const softgpu_instruction_visitor_t *each = options ? options->each_dispatch : NULL;
    int result = EBUSY;
    if ((options && options->size < sizeof *options) || (each && each->size < VISITOR_LEAST))
        return EINVAL;
    if (options && options->level > SOFTGPU_INSTRUCTION_MODEL_LEVEL) return EINVAL;
    pthread_once(&state.once, watch_forks);
    pthread_mutex_lock(&state.lock);
    if (!atomic_load(&state.on)) {
        state.options = options ? *options : (softgpu_instruction_options_t){0};
        atomic_store_explicit(&state.on, true, memory_order_release);
        result = 0;
    }
    pthread_mutex_unlock(&state.lock);
    return result;
}

static int stop(void)
{
    return atomic_exchange(&state.on, false) ? 0 : EINVAL;
}

/* Removes the counts of the kernel at *link that are in the range, and the kernel if it has none
 * left. Returns the link of the next kernel. */
static kernel_t **remove_range(kernel_t **link, const softgpu_instruction_range_t *range)
{
    kernel_t *k = *link;
    sg_census_forget(&k->sum, range);
    if (k->sum.n) return &k->next;
    *link = k->next;
    if (state.tail == &k->next) state.tail = link;
    free(k->sum.slot);
    free(k);
    return link;
}

static int read_counts(const softgpu_instruction_range_t *range,
                       const softgpu_instruction_visitor_t *visitor)
{
    int result = 0;
    if (!visitor || visitor->size < VISITOR_LEAST) return EINVAL;
    pthread_mutex_lock(&state.lock);
    for (kernel_t **link = &state.kernels; *link && !result;) {
        kernel_t *k = *link;
        const bool any = sg_census_any(&k->sum, range);
        if (any && !visit_kernel(visitor, k, range)) result = ENOMEM;
        link = any && !result && range && range->forget ? remove_range(link, range) : &k->next;
    }
    pthread_mutex_unlock(&state.lock);
    return result;
}

const softgpu_instruction_counts_api_t *sg_census_api(unsigned version)
{
    static const softgpu_instruction_counts_api_t api = {
        .size = sizeof api, .start = start, .stop = stop, .read = read_counts};
    return version == SOFTGPU_INSTRUCTION_COUNTS_VERSION ? &api : NULL;
}
