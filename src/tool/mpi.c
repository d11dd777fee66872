/* mpi.c - see mpi.h. */
#include "tool/mpi.h"

#include <pthread.h>
#include <unistd.h>

#include <rocprofiler-sdk/registration.h>

#include "tool/sink.h"
#include "trace/settings.h"
#include "trace/store.h"

static struct {
    rocprofiler_context_id_t traced;
    bool ready;
} mpi;

static __thread uint32_t own_thread __attribute__((tls_model("initial-exec")));

bool tool_mpi_wanted(void)
{
    return trace_setting_on(TRACE_SET_MPI_TRACE);
}

static void in_child(void)
{
    own_thread = 0;
}

void tool_mpi_configure(rocprofiler_context_id_t traced)
{
    mpi.traced = traced;
    pthread_atfork(NULL, NULL, in_child);
    __atomic_store_n(&mpi.ready, true, __ATOMIC_RELEASE);
}

bool rocprofv3_mpi_start(void)
{
    int started = 0;
    if (!tool_mpi_wanted()) return false;
    if (rocprofiler_is_initialized(&started) != ROCPROFILER_STATUS_SUCCESS || !started)
        rocprofiler_force_configure(rocprofiler_configure);
    return __atomic_load_n(&mpi.ready, __ATOMIC_ACQUIRE);
}

uint64_t rocprofv3_mpi_now(void)
{
    rocprofiler_timestamp_t ns = 0;
    rocprofiler_get_timestamp(&ns);
    return ns;
}

/* Notes, once, that calls are missing: then the n-th message that this process sends is not the
 * n-th that another one gets. */
static void note_missing(void)
{
    static bool noted;
    const trace_head_t head = trace_head(TRACE_INFO, 0, 0, 0, sizeof(head));
    if (__atomic_exchange_n(&noted, true, __ATOMIC_RELAXED)) return;
    tool_sink_fact(&head, sizeof(head), (const char *const[]){TRACE_INFO_PAUSED, "1"}, 2);
}

void rocprofv3_mpi_put(trace_mpi_t *record, const void *rest, size_t bytes)
{
    const trace_head_t head = record->call.head;
    int active = 0;
    record->call.end = rocprofv3_mpi_now();
    if (rocprofiler_context_is_active(mpi.traced, &active) != ROCPROFILER_STATUS_SUCCESS ||
        !active) {
        note_missing();
        return;
    }
    if (!own_thread) own_thread = (uint32_t)gettid();
    record->call.head = trace_head(trace_type(head), trace_kind(head), trace_operation(head),
                                   own_thread, sizeof(*record) + bytes);
    tool_sink_mpi(record, rest, bytes);
}
