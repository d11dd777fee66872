/* origin.c - see origin.h. The state is per thread and used by that thread alone, except for the
 * first thread's range, which other threads read.
 *
 * Names of kernels are a stack of their own, beside the ranges. AMD's tool puts the texts of ranges
 * and marks on one stack. The end of a range removes the uppermost text, be it the range's or a
 * mark's; nothing else removes a mark's text. With n ranges open, a thread can end at most n before
 * it begins another, so that only the n + 1 uppermost texts can ever name a kernel. These are kept:
 * a mark adds one at the top and drops the lowest, so that marks need no more memory however many
 * there are. */
#include "tool/origin.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/grow.h"
#include "base/log.h"

enum { SHALLOW = 16 };

/* The streams or ranges that a thread is in; the innermost is the last. */
typedef struct {
    uint32_t shallow[SHALLOW],
        *deep;            /* `deep`: NULL, or memory that is used once `shallow` is too small */
    unsigned depth, room; /* `room`: number of elements of `deep` */
} nesting_t;

static __thread struct {
    nesting_t streams, ranges;
    nesting_t names;   /* used if kernels are renamed; the outermost level is outside of all
                        * ranges */
    uint64_t launched; /* external id that was assigned last in the launch of a graph; 0: no graph
                        * is being launched */
} mine = {.names = {.depth = 1}};
static uint32_t first_range; /* innermost range of the first thread */
static bool renames;         /* whether records carry the range, which names kernels */

static struct {
    pthread_once_t once;
    pthread_key_t key; /* its destructor frees the memory of a thread that ends */
    bool have_key;
} ends = {.once = PTHREAD_ONCE_INIT};

static void let_go(nesting_t *n, unsigned depth)
{
    free(n->deep);
    *n = (nesting_t){.depth = depth};
}

static void at_end(void *unused)
{
    (void)unused;
    let_go(&mine.streams, 0);
    let_go(&mine.ranges, 0);
    let_go(&mine.names, 1);
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
    const bool first = !n->deep;
    if (!BASE_RESIZE(n->deep, room)) return false;
    if (first) memcpy(n->deep, n->shallow, sizeof(n->shallow));
    /* levels that were entered earlier may have found no memory */
    for (unsigned i = before; i < room; i++)
        n->deep[i] = n->deep[before - 1];
    n->room = room;
    pthread_once(&ends.once, make_key);
    if (ends.have_key) pthread_setspecific(ends.key, &mine);
    return true;
}

/* Enters a level. Without memory for it, the innermost level that was kept stands for it, too. */
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

/* Returns the number of levels for which there is memory. */
static unsigned kept(const nesting_t *n)
{
    unsigned room = room_of(n);
    return n->depth < room ? n->depth : room;
}

static uint32_t innermost(nesting_t *n)
{
    return n->depth ? places(n)[kept(n) - 1] : 0;
}

/* Makes the value that of the innermost level, and moves each level's value to the next level
 * outwards. */
static void shift_in(nesting_t *n, uint32_t value)
{
    uint32_t *at = places(n);
    unsigned last = kept(n) - 1;
    memmove(at, at + 1, last * sizeof(*at));
    at[last] = value;
}

static void publish(void)
{
    if (gettid() == getpid())
        __atomic_store_n(&first_range, innermost(&mine.ranges), __ATOMIC_RELAXED);
}

void tool_origin_push_range(uint32_t text)
{
    enter(&mine.ranges, text);
    if (renames) enter(&mine.names, text);
    publish();
}

void tool_origin_pop_range(void)
{
    leave(&mine.ranges);
    if (renames && mine.names.depth > 1) leave(&mine.names);
    publish();
}

void tool_origin_mark(uint32_t text)
{
    if (renames) shift_in(&mine.names, text);
}

uint32_t tool_origin_range_now(void)
{
    return mine.ranges.depth ? innermost(&mine.ranges)
                             : __atomic_load_n(&first_range, __ATOMIC_RELAXED);
}

/* Returns the number of the text that names a kernel which the thread launches now. */
static uint32_t name_now(void)
{
    if (!renames) return 0;
    uint32_t name = innermost(&mine.names);
    return name ? name : tool_origin_range_now();
}

/* ---- launches of graphs ----
 *
 * An external id of a kernel or copy of a graph:
 *
 *   63 62               26 25           0
 *  +--+-------------------+--------------+
 *  |1 |      launch       |     node     |
 *  +--+-------------------+--------------+
 *
 * Stream, range and graph of the last LAUNCHES launches are kept in a ring, at the launch's number.
 * That is enough, since work that a GPU has not done yet is in its queues, which hold less. Numbers
 * of launches never wrap, since work of a late launch would count as that of an early one. */

enum { NODE_BITS = 26, LAUNCHES = 1 << 17 };

#define OF_GRAPH   (UINT64_C(1) << 63)
#define NODE_MAX   ((UINT64_C(1) << NODE_BITS) - 1)
#define LAUNCH_MAX (~OF_GRAPH >> NODE_BITS)

static struct {
    uint64_t number; /* number of the launch; written last */
    uint64_t graph;
    uint32_t stream, range;
} launches[LAUNCHES];
static uint64_t last_launch;

/* Returns 0 if no number is left: then the work is recorded without its graph. */
static uint64_t begin_launch(uint64_t graph)
{
    const uint64_t number = __atomic_add_fetch(&last_launch, 1, __ATOMIC_RELAXED);
    if (number == LAUNCH_MAX + 1)
        base_warning("more than %llu launches of graphs: the work of later ones is shown without "
                     "its graph",
                     (unsigned long long)LAUNCH_MAX);
    if (number > LAUNCH_MAX) return 0;
    size_t place = number % LAUNCHES;
    launches[place].graph = graph;
    launches[place].stream = innermost(&mine.streams);
    launches[place].range = name_now();
    __atomic_store_n(&launches[place].number, number, __ATOMIC_RELEASE);
    return OF_GRAPH | number << NODE_BITS;
}

tool_origin_t tool_origin_of(uint64_t external)
{
    if (!(external & OF_GRAPH))
        return (tool_origin_t){.stream = external >> 32, .range = external & UINT32_MAX};
    uint64_t number = (external & ~OF_GRAPH) >> NODE_BITS;
    size_t place = number % LAUNCHES;
    if (__atomic_load_n(&launches[place].number, __ATOMIC_ACQUIRE) != number)
        return (tool_origin_t){0};
    return (tool_origin_t){.stream = launches[place].stream,
                           .range = launches[place].range,
                           .graph = launches[place].graph,
                           .node = external & NODE_MAX};
}

/* Returns the external id for work that the calling thread launches now. */
static uint64_t origin_now(rocprofiler_external_correlation_id_request_kind_t kind)
{
    if (!mine.launched) return (uint64_t)innermost(&mine.streams) << 32 | name_now();
    /* barriers are no nodes; in a graph with more nodes than numbers, the last nodes share one */
    if (kind != ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_HIP_EVENT &&
        (mine.launched & NODE_MAX) < NODE_MAX)
        mine.launched++;
    return mine.launched;
}

static int on_request(rocprofiler_thread_id_t thread, rocprofiler_context_id_t context,
                      rocprofiler_external_correlation_id_request_kind_t kind,
                      rocprofiler_tracing_operation_t operation, uint64_t internal,
                      rocprofiler_user_data_t *external, void *data)
{
    (void)thread, (void)context, (void)operation, (void)internal, (void)data;
    external->value = origin_now(kind);
    return 0;
}

rocprofiler_status_t tool_origin_configure(rocprofiler_context_id_t traced, bool names)
{
    renames = names;
    static const rocprofiler_external_correlation_id_request_kind_t kinds[] = {
        ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_KERNEL_DISPATCH,
        ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_MEMORY_COPY,
        ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_HIP_EVENT};
    return rocprofiler_configure_external_correlation_id_request_service(
        traced, kinds, sizeof(kinds) / sizeof(*kinds), on_request, NULL);
}

/* A stream is left only if it was entered while the context ran; `entered` says so. */
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

/* Launches of graphs can be nested: a host function among a graph's nodes may launch another
 * graph. */
static void on_graph(rocprofiler_callback_tracing_record_t record, rocprofiler_user_data_t *around,
                     void *data)
{
    (void)data;
    const rocprofiler_callback_tracing_hip_graph_data_t *graph = record.payload;
    if (record.phase == ROCPROFILER_CALLBACK_PHASE_ENTER) {
        around->value = mine.launched;
        mine.launched = begin_launch(graph->graph_exec_id.handle);
    } else if (record.phase == ROCPROFILER_CALLBACK_PHASE_EXIT) {
        mine.launched = around->value;
    }
}

rocprofiler_status_t tool_origin_follow_graphs(rocprofiler_context_id_t always)
{
    rocprofiler_tracing_operation_t launch = ROCPROFILER_HIP_GRAPH_OPERATION_EXEC_LAUNCH;
    return rocprofiler_configure_callback_tracing_service(
        always, ROCPROFILER_CALLBACK_TRACING_HIP_GRAPH, &launch, 1, on_graph, NULL);
}
