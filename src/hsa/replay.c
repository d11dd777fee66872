/* replay.c - the thread that saves and restores the memory of GPUs for replays (replay.h). It works
 * for one dispatch at a time, whose turn is exclusive, so the runs wait only for the steps.
 *
 * There are two locks. `traffic` is held for reading by a thread of the program while it changes
 * memory of GPUs, and by asynchronous copies until they have ended, unless one may wait for its own
 * thread; it is held for writing from the first step to the last. `lock` guards the lists and is
 * held briefly. */
#include "hsa/replay.h"

#include "base/log.h"
#include "hsa/agents.h"
#include "hsa/code_objects.h"
#include "hsa/host_memory.h"
#include "hsa/lane.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/grow.h"

enum { NAP_NS = 20000, PATIENCE_NS = 1000000000 };

struct hsax_replay {
    struct hsax_replay *next;
    const hsax_lane_t *lane;
    unsigned runs;
    bool dropped;
    hsax_step_t steps[];
};

typedef struct {
    char *base;
    size_t size;
} range_t;

static pthread_rwlock_t traffic = PTHREAD_RWLOCK_INITIALIZER;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static hsax_replay_t *waiting, *in_hand;
static bool hooked, running, stopping;
static pthread_t thread;

/* The program's allocations; guarded by `lock`. */
static struct {
    range_t *ranges;
    size_t count, room;
    const char *lost; /* the memory that cannot be saved any more, and why */
} memory;

static struct {
    hsax_core_table_t core;
    hsax_amd_ext_table_t amd_ext;
} below;

static void nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = NAP_NS}, NULL);
}

static bool has_dropped(hsa_signal_t signal)
{
    return __atomic_load_n(&hsax_signal_block(signal)->value, __ATOMIC_ACQUIRE) < 1;
}

/* ---- the memory of GPUs ---- */

static void lose(const char *what)
{
    if (hsax_forked()) return;
    pthread_mutex_lock(&lock);
    if (!memory.lost) memory.lost = what;
    pthread_mutex_unlock(&lock);
}

static bool add_range(range_t range)
{
    if (!BASE_GROW(memory.ranges, memory.count, &memory.room)) return false;
    memory.ranges[memory.count++] = range;
    return true;
}

static void note(void *base, size_t size)
{
    if (hsax_forked()) return; /* the lock may be held for ever */
    pthread_mutex_lock(&lock);
    if (!add_range((range_t){base, size})) memory.lost = "an allocation: no memory to note it";
    pthread_mutex_unlock(&lock);
}

static void forget(const void *base)
{
    if (hsax_forked()) return;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < memory.count; i++)
        if (memory.ranges[i].base == base) memory.ranges[i--] = memory.ranges[--memory.count];
    pthread_mutex_unlock(&lock);
}

/* Determines whether a pool or a region belongs to a GPU. */
typedef struct {
    uint64_t handle;
    bool found;
} search_t;

static hsa_status_t look_at_pool(hsa_amd_memory_pool_t pool, void *data)
{
    search_t *s = data;
    s->found |= pool.handle == s->handle;
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t look_at_region(hsa_region_t region, void *data)
{
    search_t *s = data;
    s->found |= region.handle == s->handle;
    return HSA_STATUS_SUCCESS;
}

static bool is_of_gpu(uint64_t handle, bool pool)
{
    search_t s = {handle, false};
    for (unsigned i = 0; i < hsax_agent_count() && !s.found; i++) {
        const hsax_agent_t *a = hsax_agent_at(i);
        if (a->gpu && pool)
            below.amd_ext.hsa_amd_agent_iterate_memory_pools_fn(a->agent, look_at_pool, &s);
        else if (a->gpu)
            below.core.hsa_agent_iterate_regions_fn(a->agent, look_at_region, &s);
    }
    return s.found;
}

/* ---- changes of memory by the program ---- */

static bool begin_traffic(void)
{
    return !hsax_forked() && pthread_rwlock_rdlock(&traffic) == 0;
}

static void end_traffic(bool begun)
{
    if (begun) pthread_rwlock_unlock(&traffic);
}

static hsa_status_t pool_allocate(hsa_amd_memory_pool_t pool, size_t size, uint32_t flags,
                                  void **ptr)
{
    hsa_status_t status = below.amd_ext.hsa_amd_memory_pool_allocate_fn(pool, size, flags, ptr);
    if (!status && is_of_gpu(pool.handle, true)) note(*ptr, size);
    return status;
}

static hsa_status_t pool_free(void *ptr)
{
    bool begun = begin_traffic();
    forget(ptr);
    hsa_status_t status = below.amd_ext.hsa_amd_memory_pool_free_fn(ptr);
    end_traffic(begun);
    return status;
}

static hsa_status_t region_allocate(hsa_region_t region, size_t size, void **ptr)
{
    hsa_status_t status = below.core.hsa_memory_allocate_fn(region, size, ptr);
    if (!status && is_of_gpu(region.handle, false)) note(*ptr, size);
    return status;
}

static hsa_status_t region_free(void *ptr)
{
    bool begun = begin_traffic();
    forget(ptr);
    hsa_status_t status = below.core.hsa_memory_free_fn(ptr);
    end_traffic(begun);
    return status;
}

static hsa_status_t handle_create(hsa_amd_memory_pool_t pool, size_t size, int type, uint64_t flags,
                                  hsax_handle_t *handle)
{
    lose("memory that is mapped by handles (hipMemCreate)");
    return below.amd_ext.hsa_amd_vmem_handle_create_fn(pool, size, type, flags, handle);
}

static hsa_status_t copy(void *to, const void *from, size_t size)
{
    bool begun = begin_traffic();
    hsa_status_t status = below.core.hsa_memory_copy_fn(to, from, size);
    end_traffic(begun);
    return status;
}

static hsa_status_t fill(void *to, uint32_t value, size_t count)
{
    bool begun = begin_traffic();
    hsa_status_t status = below.amd_ext.hsa_amd_memory_fill_fn(to, value, count);
    end_traffic(begun);
    return status;
}

/* Copies for which no replay waits. Such a copy may wait for something that only its own thread can
 * complete, and may hold up every later copy of its engine. */
static _Atomic bool copies_abandoned;

static void let_go(void)
{
    if (!atomic_exchange(&copies_abandoned, true))
        base_warning("a copy waits for something for a second: it may be undone if a kernel is "
                     "run again meanwhile");
}

static bool is_too_long_since(uint64_t begin)
{
    return base_clock_ns(CLOCK_MONOTONIC) - begin > PATIENCE_NS;
}

/* Waits for the dependencies of a copy, which could begin at any later time. It gives up after
 * PATIENCE_NS and returns false, since a dependency may be one that only this thread can
 * complete. */
static bool await_all(uint32_t count, const hsa_signal_t *signals)
{
    uint64_t begin = base_clock_ns(CLOCK_MONOTONIC);
    for (uint32_t i = 0; i < count; i++)
        while (below.core.hsa_signal_load_scacquire_fn(signals[i]) != 0) {
            if (is_too_long_since(begin)) return false;
            nap();
        }
    return true;
}

typedef struct {
    bool begun;
    hsa_signal_t signal;
    hsa_signal_value_t before;
} async_t;

static async_t begin_async(uint32_t count, const hsa_signal_t *signals, hsa_signal_t signal)
{
    async_t a = {.signal = signal};
    if (hsax_forked()) return a;
    if (!await_all(signals ? count : 0, signals)) {
        let_go();
        return a;
    }
    a.begun = begin_traffic();
    if (signal.handle) a.before = below.core.hsa_signal_load_scacquire_fn(signal);
    return a;
}

static hsa_status_t end_async(const async_t *a, hsa_status_t status)
{
    uint64_t begin = base_clock_ns(CLOCK_MONOTONIC);
    while (a->begun && !status && a->signal.handle &&
           below.core.hsa_signal_load_scacquire_fn(a->signal) >= a->before) {
        if (atomic_load(&copies_abandoned) && is_too_long_since(begin)) break;
        nap();
    }
    end_traffic(a->begun);
    return status;
}

static hsa_status_t async_copy(void *dst, hsa_agent_t dst_agent, const void *src,
                               hsa_agent_t src_agent, size_t size, uint32_t count,
                               const hsa_signal_t *signals, hsa_signal_t signal)
{
    async_t a = begin_async(count, signals, signal);
    return end_async(&a, below.amd_ext.hsa_amd_memory_async_copy_fn(dst, dst_agent, src, src_agent,
                                                                    size, count, signals, signal));
}

static hsa_status_t async_copy_on_engine(void *dst, hsa_agent_t dst_agent, const void *src,
                                         hsa_agent_t src_agent, size_t size, uint32_t count,
                                         const hsa_signal_t *signals, hsa_signal_t signal,
                                         int engine, bool force)
{
    async_t a = begin_async(count, signals, signal);
    return end_async(
        &a, below.amd_ext.hsa_amd_memory_async_copy_on_engine_fn(
                dst, dst_agent, src, src_agent, size, count, signals, signal, engine, force));
}

static hsa_status_t async_copy_rect(const hsa_pitched_ptr_t *dst, const hsa_dim3_t *dst_offset,
                                    const hsa_pitched_ptr_t *src, const hsa_dim3_t *src_offset,
                                    const hsa_dim3_t *range, hsa_agent_t agent,
                                    hsa_amd_copy_direction_t direction, uint32_t count,
                                    const hsa_signal_t *signals, hsa_signal_t signal)
{
    async_t a = begin_async(count, signals, signal);
    return end_async(
        &a, below.amd_ext.hsa_amd_memory_async_copy_rect_fn(
                dst, dst_offset, src, src_offset, range, agent, direction, count, signals, signal));
}

/* Puts a hook below all others. These call the saved table's functions, so the hook is put there,
 * too. */
#define HOOK_BELOW(part, macro, name, function)                                                    \
    do {                                                                                           \
        if (hsax.part.name##_fn && macro(table, name, function)) hsax.part.name##_fn = function;   \
    } while (0)

void hsax_replay_hook(const hsax_api_table_t *table)
{
    below.core = hsax.core;
    below.amd_ext = hsax.amd_ext;
    memory.count = 0; /* forgets the allocations of a runtime that was shut down */
    memory.lost = NULL;
    hooked = true;
    HOOK_BELOW(core, HSAX_HOOK_CORE, hsa_memory_allocate, region_allocate);
    HOOK_BELOW(core, HSAX_HOOK_CORE, hsa_memory_free, region_free);
    HOOK_BELOW(core, HSAX_HOOK_CORE, hsa_memory_copy, copy);
    HOOK_BELOW(amd_ext, HSAX_HOOK_AMD_EXT, hsa_amd_memory_pool_allocate, pool_allocate);
    HOOK_BELOW(amd_ext, HSAX_HOOK_AMD_EXT, hsa_amd_memory_pool_free, pool_free);
    HOOK_BELOW(amd_ext, HSAX_HOOK_AMD_EXT, hsa_amd_memory_fill, fill);
    HOOK_BELOW(amd_ext, HSAX_HOOK_AMD_EXT, hsa_amd_memory_async_copy, async_copy);
    HOOK_BELOW(amd_ext, HSAX_HOOK_AMD_EXT, hsa_amd_memory_async_copy_on_engine,
               async_copy_on_engine);
    HOOK_BELOW(amd_ext, HSAX_HOOK_AMD_EXT, hsa_amd_memory_async_copy_rect, async_copy_rect);
    HOOK_BELOW(amd_ext, HSAX_HOOK_AMD_EXT, hsa_amd_vmem_handle_create, handle_create);
}

bool hsax_replay_possible(void)
{
    static _Atomic bool told;
    pthread_mutex_lock(&lock);
    const char *lost = hooked ? memory.lost : "memory that was allocated before";
    pthread_mutex_unlock(&lock);
    if (lost && !told)
        base_error("kernels cannot be run again and are not counted: %s cannot be saved", lost);
    if (lost) told = true;
    return !lost;
}

/* ---- Saving and restoring ---- */

typedef struct {
    range_t *ranges;
    size_t count;
    char *bytes; /* copy of all ranges, one after the other, in host memory that GPUs can access */
    size_t size, room;
} image_t;

static image_t image; /* used by the thread only */

static void add_object(const hsax_code_object_t *o, void *unused)
{
    (void)unused;
    const hsax_agent_t *a = hsax_agent_find(o->agent);
    if (a && a->gpu && o->load_size)
        image.ranges[image.count++] = (range_t){(char *)(uintptr_t)o->load_base, o->load_size};
}

static void count_object(const hsax_code_object_t *o, void *count)
{
    (void)o;
    ++*(size_t *)count;
}

/* Lists the memory to save. No allocation can be freed while `traffic` is held, but there may be
 * new ones, which the dispatch does not use. */
static bool list_ranges(void)
{
    size_t objects = 0;
    hsax_code_objects_each(count_object, &objects);
    pthread_mutex_lock(&lock);
    free(image.ranges);
    image.ranges = malloc((memory.count + objects + 1) * sizeof *image.ranges);
    image.count = image.ranges ? memory.count : 0;
    if (image.count) memcpy(image.ranges, memory.ranges, image.count * sizeof *image.ranges);
    pthread_mutex_unlock(&lock);
    if (!image.ranges) return false;
    size_t most = image.count + objects;
    hsax_code_objects_each(add_object, NULL);
    if (image.count > most) image.count = most; /* more code objects have been loaded meanwhile */
    image.size = 0;
    for (size_t i = 0; i < image.count; i++)
        image.size += image.ranges[i].size;
    return true;
}

static bool copy_all(bool restore)
{
    char *at = image.bytes;
    for (size_t i = 0; i < image.count; at += image.ranges[i++].size) {
        range_t r = image.ranges[i];
        hsa_status_t status = restore ? below.core.hsa_memory_copy_fn(r.base, at, r.size)
                                      : below.core.hsa_memory_copy_fn(at, r.base, r.size);
        if (status == HSA_STATUS_SUCCESS) continue;
        base_error("%zu bytes of a GPU's memory at %p cannot be %s (HSA status 0x%x)", r.size,
                   (void *)r.base, restore ? "restored" : "saved", status);
        return false;
    }
    return true;
}

static bool save(hsa_agent_t agent)
{
    if (!list_ranges()) return false;
    if (image.size > image.room) {
        void *bytes = NULL;
        hsax_host_free(image.bytes);
        image.bytes = NULL;
        image.room = 0;
        if (hsax_host_allocate(agent, image.size, &bytes) != HSA_STATUS_SUCCESS) {
            base_error("no memory to save %zu bytes of GPUs", image.size);
            return false;
        }
        image.bytes = bytes;
        image.room = image.size;
    }
    return copy_all(false);
}

/* ---- The thread ---- */

static bool is_over(const hsax_replay_t *r)
{
    pthread_mutex_lock(&lock);
    bool over = r->dropped || atomic_load(&r->lane->failed);
    pthread_mutex_unlock(&lock);
    return over;
}

/* Carries out a replay. If memory cannot be saved, the kernel runs nevertheless, since the program
 * must not hang. */
static void replay(hsax_replay_t *r)
{
    pthread_rwlock_wrlock(&traffic);
    bool saved = save(hsax_lane_agent(r->lane));
    for (unsigned run = 0; run < r->runs; run++) {
        while (!has_dropped(r->steps[run].ready) && !is_over(r))
            nap();
        if (is_over(r)) break;
        if (run && saved) saved = copy_all(true);
        if (!saved) lose("memory");
        __atomic_store_n(&hsax_signal_block(r->steps[run].go)->value, 0, __ATOMIC_RELEASE);
    }
    pthread_rwlock_unlock(&traffic);
}

static void destroy_signals(hsax_replay_t *r)
{
    for (unsigned i = 0; i < r->runs; i++) {
        if (r->steps[i].ready.handle) hsax.core.hsa_signal_destroy_fn(r->steps[i].ready);
        if (r->steps[i].go.handle) hsax.core.hsa_signal_destroy_fn(r->steps[i].go);
    }
}

/* Takes the first replay whose turn has come out of the list. To be called with the lock held. */
static hsax_replay_t *take_ready(void)
{
    for (hsax_replay_t **link = &waiting; *link; link = &(*link)->next) {
        hsax_replay_t *r = *link;
        if (!has_dropped(r->steps[0].ready)) continue;
        *link = r->next;
        return r;
    }
    return NULL;
}

static void *work(void *unused)
{
    (void)unused;
    pthread_setname_np(pthread_self(), "rocprof-replay");
    pthread_mutex_lock(&lock);
    while (!stopping) {
        in_hand = take_ready();
        if (!in_hand) {
            if (!waiting)
                pthread_cond_wait(&changed, &lock);
            else {
                pthread_mutex_unlock(&lock);
                nap();
                pthread_mutex_lock(&lock);
            }
            continue;
        }
        hsax_replay_t *r = in_hand;
        pthread_mutex_unlock(&lock);
        replay(r);
        pthread_mutex_lock(&lock);
        in_hand = NULL;
        pthread_cond_broadcast(&changed);
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

static bool start_thread(void)
{
    sigset_t all, before;
    if (running) return true;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    running = pthread_create(&thread, NULL, work, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return running;
}

hsax_replay_t *hsax_replay_begin(hsax_lane_t *lane, unsigned runs)
{
    hsax_replay_t *r = calloc(1, sizeof *r + runs * sizeof *r->steps);
    if (!r) return NULL;
    *r = (hsax_replay_t){.lane = lane, .runs = runs};
    bool made = true;
    for (unsigned i = 0; made && i < runs; i++)
        made = hsax_make_signal(&r->steps[i].ready) && hsax_make_signal(&r->steps[i].go);
    pthread_mutex_lock(&lock);
    made = made && start_thread();
    if (made) {
        hsax_replay_t **end = &waiting;
        while (*end)
            end = &(*end)->next;
        *end = r;
        pthread_cond_broadcast(&changed);
    }
    pthread_mutex_unlock(&lock);
    if (made) return r;
    destroy_signals(r);
    free(r);
    return NULL;
}

hsax_step_t hsax_replay_step(const hsax_replay_t *r, unsigned run)
{
    return r->steps[run];
}

/* Takes the replay out of the list, or waits until the thread has done it. To be called with the
 * lock held. */
static void take_back(hsax_replay_t *r)
{
    for (hsax_replay_t **link = &waiting; *link; link = &(*link)->next)
        if (*link == r) {
            *link = r->next;
            return;
        }
    while (in_hand == r)
        pthread_cond_wait(&changed, &lock);
}

void hsax_replay_end(hsax_replay_t *r, bool done)
{
    pthread_mutex_lock(&lock);
    r->dropped |= !done;
    take_back(r);
    pthread_mutex_unlock(&lock);
    if (done) destroy_signals(r);
    free(r);
}

void hsax_replay_shut_down(void)
{
    pthread_mutex_lock(&lock);
    bool ends = running;
    stopping = ends; /* a thread that is started later must not see it */
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    if (ends) pthread_join(thread, NULL);
    hsax_host_free(image.bytes);
    image.bytes = NULL;
    image.room = 0;
    pthread_mutex_lock(&lock);
    running = stopping = hooked = false;
    pthread_mutex_unlock(&lock);
}
