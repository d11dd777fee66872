/* hip_event.c - HIP events, traced as the barriers that they are on the GPU.
 *
 * hipEventRecord writes a barrier packet; hipStreamWaitEvent makes a later barrier of another queue
 * wait for that packet's signal. The wrappers here note the event and stream of a call, and
 * dispatch tracing passes on the packets that it sees (sdk_barriers_t):
 *
 *   hipEventRecord(e, s)      the barrier that is written during the call is RECORD of e;
 *                             if none is written, the runtime lets the last barrier of s stand for
 *                             e, and so does this file
 *   hipStreamWaitEvent(s, e)  the barrier that is written during the call is WAIT for e;
 *                             if none is written, it is the next barrier anywhere that waits for
 *                             the signal of e's RECORD; there is none if e is over by then
 *
 * One lock guards all lists, and no tool code runs under it. Only the calling thread uses the data
 * of a call. */
#include "base/golden.h"
#include "hsa/collect.h"
#include "sdk/api/api.h"
#include "sdk/core/services.h"
#include "sdk/gpu/dispatch.h"
#include "sdk/gpu/gpu.h"

#include <hip/hip_runtime_api.h>
#include <rocprofiler-sdk/hip.h>

#include <hsa/hsa_ext_amd.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 1024, WAITS_MAX = 4096 };

/* One operation to report: the recording of an event, or a wait for one. */
typedef struct told {
    struct told *next;
    sdk_operation_t operation;
    rocprofiler_callback_tracing_hip_event_data_t data;
    sdk_reference_t *reference;
    uint64_t signal; /* of a wait that has no packet yet: the signal for which its packet will
                      * wait */
    bool direct;     /* its packet is written during the call: report ENTER and EXIT */
} told_t;

/* A barrier packet. */
typedef struct {
    /* Number of references: by the packet until it is over, by events and by streams. Guarded by
     * the lock. */
    unsigned users;
    told_t *told;
    bool over;
    uint64_t start, end;
    rocprofiler_agent_id_t agent;
    uint64_t queue, signal; /* `signal`: the packet's completion signal, for which other barriers
                             * wait */
} barrier_t;

/* The barrier in which an event was recorded last, or which was last recorded on a stream. */
typedef struct known {
    struct known *next;
    const void *object; /* event or stream */
    barrier_t *barrier;
    hipStream_t stream;
} known_t;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static known_t *events[BUCKETS], *streams[BUCKETS];
static told_t *waits, **last_wait = &waits; /* waits without a packet, oldest first */

/* The call that this thread is in. */
typedef struct {
    rocprofiler_hip_event_operation_t operation;
    hipEvent_t event;
    hipStream_t stream;
    barrier_t *barrier; /* the barrier written during the call */
} call_t;

static _Thread_local call_t *current __attribute__((tls_model("initial-exec")));

static const sdk_plan_t *plan(rocprofiler_hip_event_operation_t operation)
{
    return sdk_plan(SDK_DOMAIN_HIP_EVENT, (int32_t)operation);
}

/* ---- barriers of events and streams; guarded by the lock ---- */

static void release_barrier(barrier_t *b)
{
    if (b && --b->users == 0) free(b);
}

static known_t **place_of(known_t *table[BUCKETS], const void *object)
{
    known_t **at = &table[((uintptr_t)object * BASE_GOLDEN >> 32) % BUCKETS];
    while (*at && (*at)->object != object)
        at = &(*at)->next;
    return at;
}

static void forget(known_t *table[BUCKETS], const void *object)
{
    known_t **at = place_of(table, object), *k = *at;
    if (!k) return;
    *at = k->next;
    release_barrier(k->barrier);
    free(k);
}

/* Notes the barrier of an event or stream. If there is no memory for the note, waits for the event
 * are not reported. */
static void note_barrier(known_t *table[BUCKETS], const void *object, barrier_t *b,
                         hipStream_t stream)
{
    known_t **at = place_of(table, object);
    if (!*at) {
        if ((*at = calloc(1, sizeof **at)) == NULL) return;
        (*at)->object = object;
    }
    release_barrier((*at)->barrier);
    (*at)->barrier = b;
    (*at)->stream = stream;
    b->users++;
}

/* ---- reporting ---- */

static void emit(told_t *t, uint64_t start, uint64_t end)
{
    sdk_operation_t *o = &t->operation;
    t->data.start_timestamp = start;
    t->data.end_timestamp = end;
    if (o->plan->callback_count)
        sdk_operation_callback(o, ROCPROFILER_CALLBACK_PHASE_NONE, &t->data);
    if (o->plan->buffer_count) {
        rocprofiler_buffer_tracing_hip_event_record_t r = {
            .size = sizeof r,
            .operation = (rocprofiler_hip_event_operation_t)o->plan->operation,
            .correlation_id = {.internal = o->internal},
            .thread_id = o->thread_id,
            .start_timestamp = start,
            .end_timestamp = end,
            .agent_id = t->data.agent_id,
            .queue_id = t->data.queue_id,
            .hip_event_handle = t->data.hip_event_handle,
            .source_queue_id = t->data.source_queue_id,
        };
        sdk_operation_record(o, &r, sizeof r, &r.correlation_id.external);
    }
    sdk_retirement_release(t->reference, end);
    free(t);
}

static void drop(told_t *t)
{
    sdk_retirement_release(t->reference, 0);
    free(t);
}

/* Begins the operation of a call; NULL if no context follows it or there is no memory. */
static told_t *make_told(rocprofiler_hip_event_operation_t operation, hipEvent_t event)
{
    const sdk_plan_t *p = plan(operation);
    if (!p) return NULL;
    told_t *t = calloc(1, sizeof *t);
    if (!t) {
        sdk_operation_lost(p);
        return NULL;
    }
    sdk_operation_begin(&t->operation, p);
    t->reference = sdk_retirement_hold(&t->operation);
    t->data.size = sizeof t->data;
    t->data.hip_event_handle = (uintptr_t)event;
    return t;
}

static void place(told_t *t, const barrier_t *b, uint64_t source)
{
    t->data.agent_id = b->agent;
    t->data.queue_id.handle = b->queue;
    t->data.source_queue_id.handle = source;
}

/* ---- packets ---- */

static bool is_barrier(const hsa_barrier_and_packet_t *packet)
{
    const unsigned type = packet->header >> HSA_PACKET_HEADER_TYPE & 0xff;
    return type == HSA_PACKET_TYPE_BARRIER_AND || type == HSA_PACKET_TYPE_BARRIER_OR;
}

static bool waits_for(const hsa_barrier_and_packet_t *packet, uint64_t signal)
{
    for (int i = 0; i < 5; i++)
        if (is_barrier(packet) && packet->dep_signal[i].handle == signal) return true;
    return false;
}

/* Returns whether the packet belongs to the call: the packet of a record has a completion signal;
 * the packet of a wait waits for a signal. */
static bool is_of_call(const call_t *c, const hsa_barrier_and_packet_t *packet)
{
    if (!c || c->barrier) return false;
    if (c->operation == ROCPROFILER_HIP_EVENT_RECORD) return packet->completion_signal.handle;
    return is_barrier(packet) && packet->dep_signal[0].handle;
}

/* Takes the first wait that the packet carries out off the list. To be called with the lock
 * held. */
static told_t *take_waits(const hsa_barrier_and_packet_t *packet)
{
    told_t *taken = NULL, **end = &taken;
    for (told_t **at = &waits, *t; (t = *at);) {
        if (!waits_for(packet, t->signal)) {
            at = &t->next;
            continue;
        }
        if (last_wait == &t->next) last_wait = at;
        *at = t->next;
        t->next = NULL;
        *end = t;
        end = &t->next;
        atomic_fetch_sub_explicit(&sdk_signals_awaited, 1, memory_order_relaxed);
        break; /* other waits have packets of their own */
    }
    return taken;
}

static bool wants(const void *bytes)
{
    const hsa_barrier_and_packet_t *packet = bytes;
    bool found = is_of_call(current, packet);
    if (found || !atomic_load_explicit(&sdk_signals_awaited, memory_order_relaxed)) return found;
    pthread_mutex_lock(&lock);
    for (const told_t *t = waits; t && !found; t = t->next)
        found = waits_for(packet, t->signal);
    pthread_mutex_unlock(&lock);
    return found;
}

static void signal_used(hsa_signal_t signal)
{
    pthread_mutex_lock(&lock);
    for (told_t **at = &waits, *t; (t = *at);) {
        if (t->signal != signal.handle) {
            at = &t->next;
            continue;
        }
        if (last_wait == &t->next) last_wait = at;
        *at = t->next;
        drop(t);
        atomic_fetch_sub_explicit(&sdk_signals_awaited, 1, memory_order_relaxed);
    }
    pthread_mutex_unlock(&lock);
}

/* Returns the queue in which the event was recorded; if that is unknown, the barrier's own queue.
 * To be called with the lock held. */
static uint64_t source_of(const void *event, const barrier_t *b)
{
    const known_t *k = *place_of(events, event);
    return k ? k->barrier->queue : b->queue;
}

static void *begin(const void *bytes, rocprofiler_agent_id_t agent, uint64_t queue)
{
    const hsa_barrier_and_packet_t *packet = bytes;
    call_t *call = is_of_call(current, packet) ? current : NULL;
    barrier_t *b = calloc(1, sizeof *b);
    if (!b) {
        sdk_operation_lost(call ? plan(call->operation) : plan(ROCPROFILER_HIP_EVENT_WAIT));
        return NULL;
    }
    *b = (barrier_t){
        .users = 1, .agent = agent, .queue = queue, .signal = packet->completion_signal.handle};
    if (sdk_signal_awaited(packet->completion_signal)) signal_used(packet->completion_signal);
    told_t *own = call ? make_told(call->operation, call->event) : NULL;
    pthread_mutex_lock(&lock);
    b->told = take_waits(packet);
    for (told_t *t = b->told; t; t = t->next)
        place(t, b, t->data.source_queue_id.handle);
    if (call) {
        call->barrier = b;
        b->users++; /* this reference ends when the call returns */
        const bool record = call->operation == ROCPROFILER_HIP_EVENT_RECORD;
        if (own) {
            own->direct = true;
            place(own, b, record ? queue : source_of(call->event, b));
            own->next = b->told;
            b->told = own;
        }
        if (record) {
            note_barrier(events, call->event, b, call->stream);
            note_barrier(streams, call->stream, b, call->stream);
        }
    }
    pthread_mutex_unlock(&lock);
    if (own) sdk_operation_callback(&own->operation, ROCPROFILER_CALLBACK_PHASE_ENTER, &own->data);
    return b;
}

static void submitted(void *barrier)
{
    barrier_t *b = barrier;
    /* The first operation is the call's. It cannot be freed yet, because the packet cannot be over
     * before this function returns. */
    pthread_mutex_lock(&lock);
    told_t *t = b->told;
    pthread_mutex_unlock(&lock);
    if (t && t->direct)
        sdk_operation_callback(&t->operation, ROCPROFILER_CALLBACK_PHASE_EXIT, &t->data);
}

static told_t *end(barrier_t *b, uint64_t start, uint64_t stop)
{
    pthread_mutex_lock(&lock);
    told_t *told = b->told;
    b->told = NULL;
    b->over = true;
    b->start = start;
    b->end = stop;
    release_barrier(b);
    pthread_mutex_unlock(&lock);
    return told;
}

static void complete(void *b, uint64_t start, uint64_t stop)
{
    if (stop < start) stop = start;
    for (told_t *t = end(b, start, stop), *next; t; t = next) {
        next = t->next;
        emit(t, start, stop);
    }
}

static void lost(void *b)
{
    for (told_t *t = end(b, 0, 0), *next; t; t = next) {
        next = t->next;
        drop(t);
    }
}

/* ---- calls ---- */

static hipError_t (*is_capturing)(hipStream_t stream, hipStreamCaptureStatus *status);

/* Returns whether the stream is being captured: calls on such a stream submit nothing to the
 * GPU. */
static bool is_captured(hipStream_t stream)
{
    hipStreamCaptureStatus status = hipStreamCaptureStatusNone;
    return is_capturing && stream && is_capturing(stream, &status) == hipSuccess &&
           status != hipStreamCaptureStatusNone;
}

/* The call has written no packet: the last barrier of the stream also stands for this recording of
 * the event. */
static void record_again(hipEvent_t event, hipStream_t stream)
{
    told_t *t = make_told(ROCPROFILER_HIP_EVENT_RECORD, event);
    pthread_mutex_lock(&lock);
    const known_t *k = *place_of(streams, stream);
    barrier_t *b = k ? k->barrier : NULL;
    bool over = b && b->over;
    uint64_t start = over ? b->start : 0, stop = over ? b->end : 0;
    if (b) note_barrier(events, event, b, stream);
    if (b && t) {
        place(t, b, b->queue);
        if (!over) {
            told_t **at = &b->told; /* behind the operation for which the packet was written */
            while (*at)
                at = &(*at)->next;
            *at = t;
        }
    }
    pthread_mutex_unlock(&lock);
    if (t && over && start)
        emit(t, start, stop);
    else if (t && (over || !b))
        drop(t);
}

/* The call has written no packet: perhaps a later packet will wait for the event. */
static void wait_later(hipEvent_t event, hipStream_t stream)
{
    told_t *t = make_told(ROCPROFILER_HIP_EVENT_WAIT, event);
    if (!t) return;
    pthread_mutex_lock(&lock);
    const known_t *k = *place_of(events, event);
    const bool later = k && k->stream != stream && !k->barrier->over && k->barrier->signal &&
                       atomic_load_explicit(&sdk_signals_awaited, memory_order_relaxed) < WAITS_MAX;
    if (later) {
        t->signal = k->barrier->signal;
        t->data.source_queue_id.handle = k->barrier->queue;
        *last_wait = t;
        last_wait = &t->next;
        atomic_fetch_add_explicit(&sdk_signals_awaited, 1, memory_order_relaxed);
    }
    pthread_mutex_unlock(&lock);
    if (!later) drop(t);
}

static void enter(call_t *c, call_t **around)
{
    *around = current;
    current = c;
}

static void leave(call_t *c, call_t *around, hipError_t result)
{
    current = around;
    if (c->barrier) {
        pthread_mutex_lock(&lock);
        release_barrier(c->barrier);
        pthread_mutex_unlock(&lock);
    } else if (result == hipSuccess && c->operation == ROCPROFILER_HIP_EVENT_RECORD) {
        record_again(c->event, c->stream);
    } else if (result == hipSuccess) {
        wait_later(c->event, c->stream);
    }
}

static bool is_told(hipStream_t stream)
{
    return sdk_domain_followed(SDK_DOMAIN_HIP_EVENT) && !hsax_forked() && !is_captured(stream);
}

static void destroyed(hipEvent_t event)
{
    pthread_mutex_lock(&lock);
    forget(events, event);
    pthread_mutex_unlock(&lock);
}

/* ---- the wrappers ---- */

#define RECORD ROCPROFILER_HIP_EVENT_RECORD
#define WAIT   ROCPROFILER_HIP_EVENT_WAIT
#define CALLS(name, i, what, parameters, arguments)                                                \
    static hipError_t event##i##_##name parameters                                                 \
    {                                                                                              \
        if (!is_told(stream)) return saved_##name[i] arguments;                                    \
        call_t call = {.operation = what, .event = event, .stream = stream}, *around;              \
        enter(&call, &around);                                                                     \
        const hipError_t result = saved_##name[i] arguments;                                       \
        leave(&call, around, result);                                                              \
        return result;                                                                             \
    }
#define WRAPPERS(i)                                                                                \
    CALLS(hipEventRecord, i, RECORD, (hipEvent_t event, hipStream_t stream), (event, stream))      \
    CALLS(hipEventRecord_spt, i, RECORD, (hipEvent_t event, hipStream_t stream), (event, stream))  \
    CALLS(hipEventRecordWithFlags, i, RECORD,                                                      \
          (hipEvent_t event, hipStream_t stream, unsigned flags), (event, stream, flags))          \
    CALLS(hipStreamWaitEvent, i, WAIT, (hipStream_t stream, hipEvent_t event, unsigned flags),     \
          (stream, event, flags))                                                                  \
    CALLS(hipStreamWaitEvent_spt, i, WAIT, (hipStream_t stream, hipEvent_t event, unsigned flags), \
          (stream, event, flags))                                                                  \
    static hipError_t event##i##_hipEventDestroy(hipEvent_t event)                                 \
    {                                                                                              \
        const hipError_t result = saved_hipEventDestroy[i](event);                                 \
        if (result == hipSuccess && !hsax_forked()) destroyed(event);                              \
        return result;                                                                             \
    }
#define SAVED(name, ...) static hipError_t (*saved_##name[SDK_INSTANCES])(__VA_ARGS__);
#define ROW(name)                                                                                  \
    {                                                                                              \
#name, {(void *)event0_##name, (void *)event1_##name }, (void **)(void *)saved_##name, 0,  \
                0                                                                                  \
    }

SAVED(hipEventRecord, hipEvent_t, hipStream_t)
SAVED(hipEventRecord_spt, hipEvent_t, hipStream_t)
SAVED(hipEventRecordWithFlags, hipEvent_t, hipStream_t, unsigned)
SAVED(hipStreamWaitEvent, hipStream_t, hipEvent_t, unsigned)
SAVED(hipStreamWaitEvent_spt, hipStream_t, hipEvent_t, unsigned)
SAVED(hipEventDestroy, hipEvent_t)
WRAPPERS(0)
WRAPPERS(1)
_Static_assert(SDK_INSTANCES == 2, "a set of wrappers for each");

static const sdk_api_row_t rows[] = {ROW(hipEventRecord),          ROW(hipEventRecord_spt),
                                     ROW(hipEventRecordWithFlags), ROW(hipStreamWaitEvent),
                                     ROW(hipStreamWaitEvent_spt),  ROW(hipEventDestroy)};

static void install(void *table)
{
    static void *wrapped[SDK_INSTANCES];
    if (!sdk_domain_configured(SDK_DOMAIN_HIP_EVENT)) return;
    const int instance = sdk_api_place(wrapped, table, "hipEvent_t");
    if (instance < 0) return;
    sdk_api_hip_function(table, ROCPROFILER_HIP_RUNTIME_API_ID_hipStreamIsCapturing, &is_capturing);
    sdk_api_wrap_hip(rows, sizeof rows / sizeof *rows, table, instance);
}

static unsigned needs(void)
{
    return sdk_domain_configured(SDK_DOMAIN_HIP_EVENT) ? SDK_GPU_DISPATCHES : 0;
}

static const sdk_barriers_t barriers = {
    SDK_DOMAIN_HIP_EVENT, wants, begin, submitted, complete, lost, signal_used};

/* The wrappers are inside those of API tracing, so that the packets have the correlation id of the
 * call. */
SDK_SERVICE(hip_event) = {.inside = {ROCPROFILER_HIP_RUNTIME_TABLE, install},
                          .gpu = &(const sdk_gpu_part_t){.needs = needs, .barriers = &barriers}};
