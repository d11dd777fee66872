/* benchmark.c - see benchmark.h. The profile counts the SDK's requests for external correlation
 * ids: the SDK makes one request for each call, kernel, copy and the like. */
#include "tool/benchmark.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tool/sink.h"
#include "trace/format.h"
#include "trace/settings.h"
#include "trace/store.h"

enum {
    KINDS = ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_LAST,
    WORDS = (TRACE_OPERATION_MAX + 1) / 64,
    CONTEXTS = 64
};

static struct {
    uint64_t count;
    uint64_t operations[WORDS]; /* a bit for each operation that was seen */
} kinds[KINDS];
static uint64_t threads, contexts; /* `contexts` has a bit for each context */
static __thread bool counted;

/* The setting's words stand in the order of the enumeration, behind "none". */
tool_benchmark_t tool_benchmark(void)
{
    return (tool_benchmark_t)(trace_setting_choice(TRACE_SET_BENCHMARK_MODE) + 1);
}

bool tool_benchmark_ignores(void)
{
    const tool_benchmark_t mode = tool_benchmark();
    return mode == TOOL_BENCHMARK_BUFFERS || mode == TOOL_BENCHMARK_CALLBACKS ||
           mode == TOOL_BENCHMARK_PROFILE;
}

void tool_benchmark_call(rocprofiler_callback_tracing_record_t record,
                         rocprofiler_user_data_t *user, void *data)
{
    (void)record, (void)user, (void)data;
}

void tool_benchmark_buffer(rocprofiler_context_id_t context, rocprofiler_buffer_id_t buffer,
                           rocprofiler_record_header_t **headers, size_t count, void *data,
                           uint64_t lost)
{
    (void)context, (void)buffer, (void)headers, (void)count, (void)data, (void)lost;
}

/* ---- the profile ---- */

static int on_request(rocprofiler_thread_id_t thread, rocprofiler_context_id_t context,
                      rocprofiler_external_correlation_id_request_kind_t kind,
                      rocprofiler_tracing_operation_t operation, uint64_t internal,
                      rocprofiler_user_data_t *external, void *data)
{
    (void)thread, (void)internal, (void)external, (void)data;
    const uint32_t bit = (uint32_t)operation & TRACE_OPERATION_MAX;
    if ((unsigned)kind >= KINDS) return 1;
    __atomic_fetch_add(&kinds[kind].count, 1, __ATOMIC_RELAXED);
    if (!(__atomic_load_n(&kinds[kind].operations[bit / 64], __ATOMIC_RELAXED) >> bit % 64 & 1))
        __atomic_fetch_or(&kinds[kind].operations[bit / 64], UINT64_C(1) << bit % 64,
                          __ATOMIC_RELAXED);
    if (!counted) {
        counted = true;
        __atomic_fetch_add(&threads, 1, __ATOMIC_RELAXED);
        __atomic_fetch_or(&contexts, UINT64_C(1) << context.handle % CONTEXTS, __ATOMIC_RELAXED);
    }
    return 1; /* the tool supplies no id */
}

rocprofiler_status_t tool_benchmark_count(rocprofiler_context_id_t context)
{
    return rocprofiler_configure_external_correlation_id_request_service(context, NULL, 0,
                                                                         on_request, NULL);
}

static void put(const char *text)
{
    const trace_head_t head = trace_head(TRACE_INFO, 0, 0, 0, sizeof(head));
    tool_sink_fact(&head, sizeof(head), (const char *const[]){TRACE_INFO_PROFILE, text}, 2);
}

void tool_benchmark_put(void)
{
    char text[128];
    if (tool_benchmark() != TOOL_BENCHMARK_PROFILE) return;
    snprintf(text, sizeof(text), "%" PRIu64 " %d", threads, __builtin_popcountll(contexts));
    put(text);
    for (int kind = 0; kind < KINDS; kind++) {
        const char *name = NULL;
        int unique = 0;
        for (int i = 0; i < WORDS; i++)
            unique += __builtin_popcountll(kinds[kind].operations[i]);
        rocprofiler_query_external_correlation_id_request_kind_name(
            (rocprofiler_external_correlation_id_request_kind_t)kind, &name, NULL);
        if (!name || !kinds[kind].count) continue;
        snprintf(text, sizeof(text), "%" PRIu64 " %d %s", kinds[kind].count, unique, name);
        put(text);
    }
}
