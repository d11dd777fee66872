/* sink.h - where the benchmarks of tracing send what is traced: nowhere, but counted.
 *
 * Included once by each of them. What a tool does with records is not the library's cost, so keep
 * it as small as this. */
#ifndef BENCH_SINK_H
#define BENCH_SINK_H

#include <rocprofiler-sdk/rocprofiler.h>

#include <stdatomic.h>

static _Atomic uint64_t delivered, dropped;

static void on_callback(rocprofiler_callback_tracing_record_t record, rocprofiler_user_data_t *user,
                        void *data)
{
    (void)record, (void)user, (void)data;
}

static void on_buffer(rocprofiler_context_id_t context, rocprofiler_buffer_id_t id,
                      rocprofiler_record_header_t **headers, size_t count, void *data,
                      uint64_t drop_count)
{
    (void)context, (void)id, (void)headers, (void)data;
    delivered += count;
    dropped += drop_count;
}

#endif
