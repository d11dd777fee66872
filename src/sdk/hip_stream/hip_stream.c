/* hip_stream.c - HIP streams get numbers, and tools are told which stream a call works on.
 *
 * The null stream is 0; others count up in the order in which they are created or first seen. A
 * stream that comes into being where another was gets a new number. Numbers are found without a
 * lock in an open table that only grows; replaced tables stay, for readers that are in them. */
#include "sdk/hip_stream/hip_stream.h"
#include "sdk/core/context.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    _Atomic uintptr_t stream; /* 0: free */
    _Atomic uint64_t id;
} place_t;

typedef struct {
    size_t size; /* a power of 2 */
    size_t used; /* under the lock */
    place_t places[];
} streams_t;

enum { FIRST_SIZE = 256 };

static streams_t *_Atomic streams;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* between sdk_emit_begin and _end */
static uint64_t last_id;                                 /* under the lock */

/* The place that has the stream, or the free one where it would be. */
static place_t *look_up(streams_t *table, uintptr_t stream)
{
    size_t at = (size_t)(stream * 0x9e3779b97f4a7c15u >> 20) & (table->size - 1);
    for (;; at = (at + 1) & (table->size - 1)) {
        uintptr_t there = atomic_load_explicit(&table->places[at].stream, memory_order_acquire);
        if (there == stream || !there) return &table->places[at];
    }
}

static streams_t *make_table(size_t size)
{
    streams_t *table = calloc(1, sizeof *table + size * sizeof(place_t));
    if (table) table->size = size;
    return table;
}

static void put(streams_t *table, uintptr_t stream, uint64_t id)
{
    place_t *place = look_up(table, stream);
    atomic_store_explicit(&place->id, id, memory_order_relaxed);
    if (atomic_load_explicit(&place->stream, memory_order_relaxed) == stream) return;
    table->used++;
    atomic_store_explicit(&place->stream, stream, memory_order_release);
}

/* Room for one stream more; NULL without memory. Under the lock. */
static streams_t *room(void)
{
    streams_t *table = atomic_load_explicit(&streams, memory_order_relaxed);
    if (table && table->used < table->size / 2) return table;
    streams_t *larger = make_table(table ? table->size * 2 : FIRST_SIZE);
    if (!larger) return NULL;
    for (size_t i = 0; table && i < table->size; i++)
        if (table->places[i].stream) put(larger, table->places[i].stream, table->places[i].id);
    atomic_store_explicit(&streams, larger, memory_order_release);
    return larger;
}

/* Number of a stream that is new, or seen for the first time. */
static uint64_t add(hipStream_t stream, bool created)
{
    sdk_thread_t *self = sdk_thread_self();
    if (!self) return 0;
    uint64_t id = 0;
    sdk_emit_begin(self);
    pthread_mutex_lock(&lock);
    streams_t *table = room();
    if (table) {
        const place_t *place = look_up(table, (uintptr_t)stream);
        if (created || !place->stream)
            put(table, (uintptr_t)stream, id = ++last_id);
        else
            id = place->id; /* another thread was faster */
    }
    pthread_mutex_unlock(&lock);
    sdk_emit_end(self);
    return id;
}

static uint64_t id_of(hipStream_t stream)
{
    if (!stream) return 0;
    streams_t *table = atomic_load_explicit(&streams, memory_order_acquire);
    const place_t *place = table ? look_up(table, (uintptr_t)stream) : NULL;
    if (place && atomic_load_explicit(&place->stream, memory_order_acquire))
        return atomic_load_explicit(&place->id, memory_order_relaxed);
    return add(stream, false);
}

/* ---- What tools are told ---- */

/* Streams are told besides the calls and have no correlation ids. */
static void begin(sdk_stream_use_t *use, const sdk_plan_t *plan, hipStream_t stream, uint64_t id)
{
    sdk_operation_begin_apart(&use->operation, plan);
    use->data = (rocprofiler_callback_tracing_hip_stream_data_t){
        .size = sizeof use->data, .stream_id = {.handle = id}, .stream_value = {.ptr = stream}};
}

void sdk_stream_enter(sdk_stream_use_t *use, const sdk_plan_t *plan, hipStream_t stream)
{
    begin(use, plan, stream, id_of(stream));
    sdk_operation_callback(&use->operation, ROCPROFILER_CALLBACK_PHASE_ENTER, &use->data);
}

void sdk_stream_exit(sdk_stream_use_t *use)
{
    sdk_operation_callback(&use->operation, ROCPROFILER_CALLBACK_PHASE_EXIT, &use->data);
}

static void tell(rocprofiler_hip_stream_operation_t operation, hipStream_t stream, uint64_t id)
{
    const sdk_plan_t *plan = sdk_plan(SDK_DOMAIN_HIP_STREAM, (int32_t)operation);
    if (!plan) return;
    sdk_stream_use_t use;
    begin(&use, plan, stream, id);
    sdk_operation_callback(&use.operation, ROCPROFILER_CALLBACK_PHASE_NONE, &use.data);
}

void sdk_stream_created(hipStream_t stream)
{
    /* numbered whether or not a context runs now: one may start later */
    tell(ROCPROFILER_HIP_STREAM_CREATE, stream, add(stream, true));
}

void sdk_stream_destroyed(hipStream_t stream)
{
    tell(ROCPROFILER_HIP_STREAM_DESTROY, stream, id_of(stream));
}

void sdk_stream_install(void *table)
{
    static void *wrapped[SDK_INSTANCES];
    if (!sdk_domain_configured(SDK_DOMAIN_HIP_STREAM)) return;
    int instance = sdk_api_place(wrapped, table, "hipStream_t");
    size_t size;
    memcpy(&size, table, sizeof size);
    for (unsigned i = 0; i < sdk_stream_row_count && instance >= 0; i++)
        sdk_api_wrap(&sdk_stream_rows[i], sdk_stream_rows[i].offset, table, size, instance);
}
