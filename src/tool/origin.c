/* origin.c - see origin.h. State per thread, read and written by that thread alone, but for the
 * first thread's range, which others read. */
#include "tool/origin.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"

enum { SHALLOW = 16 };

/* Where a thread is nested: the innermost is the last. */
typedef struct {
    uint32_t shallow[SHALLOW], *deep; /* deep: all of them, of a thread that was nested deeper */
    unsigned depth, room;             /* of `deep` */
} nesting_t;

static __thread struct {
    nesting_t streams, ranges;
} mine;
static uint32_t first_range; /* innermost range of the first thread */
static bool renames;         /* records carry the range, which names kernels */

static struct {
    pthread_once_t once;
    pthread_key_t key; /* frees what threads have that end */
    bool have_key;
} ends = {.once = PTHREAD_ONCE_INIT};

static void let_go(nesting_t *n)
{
    free(n->deep);
    *n = (nesting_t){.depth = 0};
}

static void at_end(void *unused)
{
    (void)unused;
    let_go(&mine.streams);
    let_go(&mine.ranges);
}

static void make_key(void)
{
    ends.have_key = pthread_key_create(&ends.key, at_end) == 0;
}

static unsigned room_of(const nesting_t *n)
{
    return n->deep ? n->room : SHALLOW;
}

static uint32_t *places(nesting_t *n)
{
    return n->deep ? n->deep : n->shallow;
}

static bool grow(nesting_t *n)
{
    unsigned before = room_of(n), room = 2 * before;
    uint32_t *deep = realloc(n->deep, room * sizeof(*deep));
    if (!deep) return false;
    if (!n->deep) memcpy(deep, n->shallow, sizeof(n->shallow));
    for (unsigned i = before; i < room; i++) /* there may have been no memory for some of them */
        deep[i] = deep[before - 1];
    n->deep = deep;
    n->room = room;
    pthread_once(&ends.once, make_key);
    if (ends.have_key) pthread_setspecific(ends.key, &mine);
    return true;
}

/* Without memory the innermost place that could be kept stands for what is in it. */
static void enter(nesting_t *n, uint32_t value)
{
    static bool told;
    if (n->depth >= room_of(n) && !grow(n)) {
        if (!__atomic_exchange_n(&told, true, __ATOMIC_RELAXED))
            base_warning("no memory for ranges and streams deeper than %u: kernels in them count "
                         "as of the one around",
                         room_of(n));
    } else {
        places(n)[n->depth] = value;
    }
    n->depth++;
}

static void leave(nesting_t *n)
{
    if (n->depth) n->depth--;
}

static uint32_t innermost(nesting_t *n)
{
    unsigned room = room_of(n);
    return n->depth ? places(n)[(n->depth < room ? n->depth : room) - 1] : 0;
}

static void publish(void)
{
    if (gettid() == getpid())
        __atomic_store_n(&first_range, innermost(&mine.ranges), __ATOMIC_RELAXED);
}

void tool_origin_push_range(uint32_t text)
{
    enter(&mine.ranges, text);
    publish();
}

void tool_origin_pop_range(void)
{
    leave(&mine.ranges);
    publish();
}

uint64_t tool_origin_now(void)
{
    uint64_t stream = innermost(&mine.streams);
    uint64_t range = mine.ranges.depth ? innermost(&mine.ranges)
                                       : __atomic_load_n(&first_range, __ATOMIC_RELAXED);
    return stream << 32 | range;
}

static int on_request(rocprofiler_thread_id_t thread, rocprofiler_context_id_t context,
                      rocprofiler_external_correlation_id_request_kind_t kind,
                      rocprofiler_tracing_operation_t operation, uint64_t internal,
                      rocprofiler_user_data_t *external, void *data)
{
    (void)thread, (void)context, (void)kind, (void)operation, (void)internal, (void)data;
    external->value = tool_origin_now();
    if (!renames) external->value -= tool_origin_range(external->value);
    return 0;
}

rocprofiler_status_t tool_origin_configure(rocprofiler_context_id_t traced, bool names)
{
    renames = names;
    static const rocprofiler_external_correlation_id_request_kind_t kinds[] = {
        ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_KERNEL_DISPATCH,
        ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_MEMORY_COPY};
    return rocprofiler_configure_external_correlation_id_request_service(traced, kinds, 2,
                                                                         on_request, NULL);
}

/* What was entered while the context ran is left again; `entered` says so. */
static void on_stream(rocprofiler_callback_tracing_record_t record,
                      rocprofiler_user_data_t *entered, void *data)
{
    (void)data;
    const rocprofiler_callback_tracing_hip_stream_data_t *stream = record.payload;
    if (record.phase == ROCPROFILER_CALLBACK_PHASE_ENTER) {
        enter(&mine.streams, (uint32_t)stream->stream_id.handle);
        entered->value = 1;
    } else if (record.phase == ROCPROFILER_CALLBACK_PHASE_EXIT && entered->value) {
        leave(&mine.streams);
    }
}

rocprofiler_status_t tool_origin_follow_streams(rocprofiler_context_id_t always)
{
    rocprofiler_tracing_operation_t set = ROCPROFILER_HIP_STREAM_SET;
    return rocprofiler_configure_callback_tracing_service(
        always, ROCPROFILER_CALLBACK_TRACING_HIP_STREAM, &set, 1, on_stream, NULL);
}
