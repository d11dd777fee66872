/* copies.c - hooks of the copy functions (copies.h) and of the query for a copy's time.
 *
 * The runtime keeps a copy's timestamps in the signal that it was given, which is the collector's.
 * So when the program queries the times of its own signal, they come from a table here: it has an
 * entry for each program signal that has ever completed a copy, until that signal is destroyed. */
#include "hsa/copies.h"

#include "base/golden.h"
#include "base/log.h"
#include "hsa/agents.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define AHEAD 64
#define LIMIT 8192

static const hsax_copy_client_t *client;
static atomic_uint_fast64_t missed;

/* Every thread that copies is a producer of the lane. The lock is held for take and submit only. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static hsax_lane_t *lane;

uint64_t hsax_copies_missed(void)
{
    return atomic_load(&missed);
}

/* ---- times by program signal ---- */

typedef struct {
    uint64_t handle; /* 0: unused; TOMB: removed */
    hsa_amd_profiling_async_copy_time_t time;
} time_entry_t;

#define TOMB UINT64_MAX

static pthread_mutex_t times_lock = PTHREAD_MUTEX_INITIALIZER;
static time_entry_t *times;
static size_t times_size, times_used; /* times_size is a power of two; times_used includes tombs */

static size_t slot_of(uint64_t handle, size_t size)
{
    /* signals lie at multiples of 64; the multiplier is 2^64 divided by the golden ratio */
    return (size_t)((handle >> 6) * BASE_GOLDEN >> 20) & (size - 1);
}

static time_entry_t *find_time(uint64_t handle)
{
    if (!times) return NULL;
    for (size_t i = slot_of(handle, times_size); times[i].handle; i = (i + 1) & (times_size - 1))
        if (times[i].handle == handle) return &times[i];
    return NULL;
}

static bool grow_times(void)
{
    size_t size = 64, live = 0;
    for (size_t i = 0; i < times_size; i++)
        live += times[i].handle && times[i].handle != TOMB;
    while (size < live * 4)
        size *= 2;
    time_entry_t *bigger = calloc(size, sizeof *bigger);
    if (!bigger) return false;
    for (size_t i = 0; i < times_size; i++) {
        if (!times[i].handle || times[i].handle == TOMB) continue;
        size_t to = slot_of(times[i].handle, size);
        while (bigger[to].handle)
            to = (to + 1) & (size - 1);
        bigger[to] = times[i];
    }
    free(times);
    times = bigger;
    times_size = size;
    times_used = live;
    return true;
}

static void keep_time(hsa_signal_t signal, const hsa_amd_profiling_async_copy_time_t *time)
{
    pthread_mutex_lock(&times_lock);
    time_entry_t *entry = find_time(signal.handle);
    if (!entry && (times_used * 2 < times_size || grow_times())) {
        size_t i = slot_of(signal.handle, times_size);
        while (times[i].handle)
            i = (i + 1) & (times_size - 1);
        entry = &times[i];
        entry->handle = signal.handle;
        times_used++;
    }
    if (entry)
        entry->time = *time;
    else
        base_warning("the program will not find the times of a copy: no memory");
    pthread_mutex_unlock(&times_lock);
}

static hsa_status_t get_async_copy_time(hsa_signal_t signal,
                                        hsa_amd_profiling_async_copy_time_t *time)
{
    if (!hsax_forked() && time) {
        pthread_mutex_lock(&times_lock);
        const time_entry_t *entry = find_time(signal.handle);
        if (entry) *time = entry->time;
        pthread_mutex_unlock(&times_lock);
        if (entry) return HSA_STATUS_SUCCESS;
    }
    return hsax.amd_ext.hsa_amd_profiling_get_async_copy_time_fn(signal, time);
}

static hsa_status_t destroy_signal(hsa_signal_t signal)
{
    if (!hsax_forked()) {
        pthread_mutex_lock(&times_lock);
        time_entry_t *entry = find_time(signal.handle);
        if (entry) entry->handle = TOMB;
        pthread_mutex_unlock(&times_lock);
    }
    return hsax.core.hsa_signal_destroy_fn(signal);
}

/* ---- copies ---- */

static bool read_times(hsax_item_t *item)
{
    hsa_amd_profiling_async_copy_time_t time;
    hsa_status_t status =
        hsax.amd_ext.hsa_amd_profiling_get_async_copy_time_fn(item->signal, &time);
    if (status != HSA_STATUS_SUCCESS) {
        base_warning("no timestamps of a memory copy (HSA status 0x%x)", status);
        return false;
    }
    if (item->program_signal.handle) keep_time(item->program_signal, &time);
    item->start_ns = hsax_clock_ns(time.start);
    item->end_ns = hsax_clock_ns(time.end);
    return true;
}

static void open_lane(void)
{
    hsax.amd_ext.hsa_amd_profiling_async_copy_enable_fn(true);
    hsax_lane_ops_t ops = {client->client_size, read_times, client->complete, client->lost};
    lane = hsax_lane_open(&ops, (hsa_agent_t){0}, AHEAD, LIMIT);
}

static hsax_item_t *take_item(void)
{
    pthread_mutex_lock(&lock);
    if (!lane) open_lane();
    hsax_item_t *item = lane ? hsax_lane_take(lane) : NULL;
    pthread_mutex_unlock(&lock);
    if (!item && atomic_fetch_add(&missed, 1) == 0)
        base_warning("memory copies go unrecorded: no free signal");
    return item;
}

static void give_back(hsax_item_t *item)
{
    pthread_mutex_lock(&lock);
    hsax_lane_untake(item);
    pthread_mutex_unlock(&lock);
}

static void submit_item(hsax_item_t *item)
{
    pthread_mutex_lock(&lock);
    hsax_lane_submit(item);
    pthread_mutex_unlock(&lock);
}

/* Replaces the program's signal by an item's, if the client wants the copy. Else returns NULL. */
static hsax_item_t *begin_copy(hsax_copy_t *copy, hsa_signal_t *signal)
{
    if (!signal->handle || !hsax_collecting() || !client->wanted()) return NULL;
    const hsax_agent_t *dst = hsax_agent_find(copy->dst_agent);
    const hsax_agent_t *src = hsax_agent_find(copy->src_agent);
    if (!dst || !src) return NULL;
    copy->dst_gpu = dst->gpu;
    copy->src_gpu = src->gpu;
    hsax_item_t *item = take_item();
    if (!item) return NULL;
    if (!client->begin(item, copy)) {
        give_back(item);
        return NULL;
    }
    item->program_signal = *signal;
    *signal = item->signal;
    return item;
}

static hsa_status_t end_copy(hsax_item_t *item, hsa_status_t status)
{
    if (!item) return status;
    if (status == HSA_STATUS_SUCCESS) {
        client->submitted(item);
        submit_item(item);
    } else {
        client->refused(item);
        give_back(item);
    }
    return status;
}

static hsa_status_t async_copy(void *dst, hsa_agent_t dst_agent, const void *src,
                               hsa_agent_t src_agent, size_t size, uint32_t dep_count,
                               const hsa_signal_t *deps, hsa_signal_t signal)
{
    hsax_copy_t copy = {dst_agent, src_agent, false, false, dst, src, size};
    hsax_item_t *item = begin_copy(&copy, &signal);
    return end_copy(item, hsax.amd_ext.hsa_amd_memory_async_copy_fn(dst, dst_agent, src, src_agent,
                                                                    size, dep_count, deps, signal));
}

static hsa_status_t async_copy_on_engine(void *dst, hsa_agent_t dst_agent, const void *src,
                                         hsa_agent_t src_agent, size_t size, uint32_t dep_count,
                                         const hsa_signal_t *deps, hsa_signal_t signal, int engine,
                                         bool force)
{
    hsax_copy_t copy = {dst_agent, src_agent, false, false, dst, src, size};
    hsax_item_t *item = begin_copy(&copy, &signal);
    return end_copy(
        item, hsax.amd_ext.hsa_amd_memory_async_copy_on_engine_fn(
                  dst, dst_agent, src, src_agent, size, dep_count, deps, signal, engine, force));
}

/* The call has one agent and a direction; the other side of a transfer with the host is the host's
 * agent. */
static hsa_status_t async_copy_rect(const hsa_pitched_ptr_t *dst, const hsa_dim3_t *dst_offset,
                                    const hsa_pitched_ptr_t *src, const hsa_dim3_t *src_offset,
                                    const hsa_dim3_t *range, hsa_agent_t agent,
                                    hsa_amd_copy_direction_t direction, uint32_t dep_count,
                                    const hsa_signal_t *deps, hsa_signal_t signal)
{
    hsax_item_t *item = NULL;
    const hsax_agent_t *host = hsax_agent_host();
    if (dst && src && range && host) {
        bool from_host = direction == hsaHostToHost || direction == hsaHostToDevice;
        bool to_host = direction == hsaHostToHost || direction == hsaDeviceToHost;
        hsax_copy_t copy = {to_host ? host->agent : agent,
                            from_host ? host->agent : agent,
                            false,
                            false,
                            dst->base,
                            src->base,
                            (uint64_t)range->x * range->y * range->z};
        item = begin_copy(&copy, &signal);
    }
    return end_copy(item, hsax.amd_ext.hsa_amd_memory_async_copy_rect_fn(
                              dst, dst_offset, src, src_offset, range, agent, direction, dep_count,
                              deps, signal));
}

/* The times of copies need the runtime's profiling, so it stays on if the program turns it off. */
static hsa_status_t async_copy_enable(bool enable)
{
    if (!enable && hsax_collecting()) return HSA_STATUS_SUCCESS;
    return hsax.amd_ext.hsa_amd_profiling_async_copy_enable_fn(enable);
}

void hsax_copies_hook(const hsax_api_table_t *table, const hsax_copy_client_t *who)
{
    client = who;
    lane = NULL; /* the lane of a runtime that was shut down has been closed */
    free(times);
    times = NULL;
    times_size = times_used = 0;
    HSAX_HOOK_AMD_EXT(table, hsa_amd_memory_async_copy, async_copy);
    HSAX_HOOK_AMD_EXT(table, hsa_amd_memory_async_copy_on_engine, async_copy_on_engine);
    HSAX_HOOK_AMD_EXT(table, hsa_amd_memory_async_copy_rect, async_copy_rect);
    HSAX_HOOK_AMD_EXT(table, hsa_amd_profiling_get_async_copy_time, get_async_copy_time);
    HSAX_HOOK_AMD_EXT(table, hsa_amd_profiling_async_copy_enable, async_copy_enable);
    HSAX_HOOK_CORE(table, hsa_signal_destroy, destroy_signal);
}
