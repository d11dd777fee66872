/* count_tool.c - counts dispatches and checks each: waves against the grid, one at a time, ids.
 *
 * Environment: COUNT_EVERY=n counts each n-th dispatch only; COUNT_BUFFER=bytes takes a buffer of
 * that size that discards, else values come by callback; COUNT_TRACE follows dispatches as well.
 * Prints one line at the end. What is expected follows from the dispatch alone. */

#include "tools.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static rocprofiler_context_id_t context;
static rocprofiler_buffer_id_t buffer;
static rocprofiler_agent_id_t gpu;
static rocprofiler_counter_id_t waves;
static rocprofiler_counter_config_id_t config;
static long every = 1, values_each;
static atomic_long launched, asked, counted, wrong, traced, delivered, dropped;

enum { SPANS = 100000 };
static struct {
    uint64_t start, end;
} spans[SPANS];
static atomic_long span_count;

static void refused(const char *what, rocprofiler_status_t status)
{
    if (status == ROCPROFILER_STATUS_SUCCESS) return;
    printf("%s: %s\n", what, rocprofiler_get_status_name(status));
    wrong++;
}
#define OK(call) refused(#call, call)

static void on_dispatch(rocprofiler_dispatch_counting_service_data_t data,
                        rocprofiler_counter_config_id_t *chosen, rocprofiler_user_data_t *user,
                        void *mine)
{
    if (mine != &config || data.size != sizeof data || !data.correlation_id.internal ||
        data.start_timestamp || data.end_timestamp)
        wrong++;
    if (launched++ % every) return;
    user->value = data.dispatch_info.dispatch_id * 3;
    *chosen = config;
    asked++;
}

static void check_values(const rocprofiler_dispatch_counting_service_data_t *data,
                         const rocprofiler_counter_record_t *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        rocprofiler_counter_id_t id;
        rocprofiler_query_record_counter_id(values[i].id, &id);
        if (id.handle != waves.handle || values[i].agent_id.handle != gpu.handle ||
            values[i].dispatch_id != data->dispatch_info.dispatch_id ||
            values[i].user_data.value != data->dispatch_info.dispatch_id * 3)
            wrong++;
        sum += values[i].counter_value;
    }
    if (sum != expected_waves(&data->dispatch_info)) {
        printf("dispatch %llu: %.0f waves, expected %.0f\n",
               (unsigned long long)data->dispatch_info.dispatch_id, sum,
               expected_waves(&data->dispatch_info));
        wrong++;
    }
    if ((long)count != values_each || !data->correlation_id.internal) wrong++;
}

static void add_span(uint64_t start, uint64_t end)
{
    long i = span_count++;
    if (i < SPANS) {
        spans[i].start = start;
        spans[i].end = end;
    }
}

static void on_values(rocprofiler_dispatch_counting_service_data_t data,
                      rocprofiler_counter_record_t *values, size_t count,
                      rocprofiler_user_data_t user, void *mine)
{
    if (mine != &waves || user.value != data.dispatch_info.dispatch_id * 3) wrong++;
    check_values(&data, values, count);
    add_span(data.start_timestamp, data.end_timestamp);
    counted++;
}

static void on_records(rocprofiler_context_id_t from, rocprofiler_buffer_id_t id,
                       rocprofiler_record_header_t **headers, size_t count, void *data,
                       uint64_t drop_count)
{
    (void)from, (void)id, (void)data;
    for (size_t i = 0; i < count; i++) {
        if (headers[i]->category != ROCPROFILER_BUFFER_CATEGORY_COUNTERS) continue;
        delivered++;
        if (headers[i]->kind != ROCPROFILER_COUNTER_RECORD_PROFILE_COUNTING_DISPATCH_HEADER)
            continue;
        const rocprofiler_dispatch_counting_service_record_t *header = headers[i]->payload;
        if (header->size != sizeof *header || (long)header->num_records != values_each ||
            header->end_timestamp < header->start_timestamp)
            wrong++;
        counted++;
    }
    dropped += (long)drop_count;
}

static void on_trace(rocprofiler_callback_tracing_record_t record, rocprofiler_user_data_t *user,
                     void *data)
{
    (void)user, (void)data;
    traced += record.operation == ROCPROFILER_KERNEL_DISPATCH_COMPLETE;
}

static int initialize(rocprofiler_client_finalize_t finalizer, void *data)
{
    (void)finalizer, (void)data;
    const char *size = getenv("COUNT_BUFFER");
    found_gpus_t found;
    rocprofiler_counter_info_v1_t info;
    if (getenv("COUNT_EVERY")) every = atol(getenv("COUNT_EVERY"));
    OK(find_gpus(&found));
    gpu = found.gpus[0];
    OK(find_counter(gpu, "SQ_WAVES", &info));
    waves = info.id;
    values_each = (long)info.dimensions_instances_count;
    OK(rocprofiler_create_profile_config(gpu, &waves, 1, &config));
    OK(rocprofiler_create_context(&context));
    if (size) {
        OK(rocprofiler_create_buffer(context, (size_t)atol(size), 0,
                                     ROCPROFILER_BUFFER_POLICY_DISCARD, on_records, NULL, &buffer));
        OK(rocprofiler_configure_buffer_dispatch_counting_service(context, buffer, on_dispatch,
                                                                  &config));
    } else {
        OK(rocprofiler_configure_callback_dispatch_counting_service(context, on_dispatch, &config,
                                                                    on_values, &waves));
    }
    if (getenv("COUNT_TRACE"))
        OK(rocprofiler_configure_callback_tracing_service(
            context, ROCPROFILER_CALLBACK_TRACING_KERNEL_DISPATCH, NULL, 0, on_trace, NULL));
    OK(rocprofiler_start_context(context));
    return 0;
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void finalize(void *data)
{
    (void)data;
    long overlaps = 0, n = span_count < SPANS ? span_count : SPANS;
    qsort(spans, (size_t)n, sizeof *spans, compare);
    for (long i = 1; i < n; i++)
        overlaps += spans[i].start < spans[i - 1].end;
    if (buffer.handle)
        printf("%ld launched, %ld asked for, records %s, %ld wrong\n", (long)launched, (long)asked,
               delivered + dropped == asked * (values_each + 1) ? "all accounted for" : "missing",
               (long)wrong);
    else
        printf("%ld launched, %ld asked for, %ld counted, %ld overlap, %ld wrong\n", (long)launched,
               (long)asked, (long)counted, overlaps, (long)wrong);
    if (getenv("COUNT_TRACE")) printf("%ld traced\n", (long)traced);
    fflush(stdout);
}

TOOL("count tool", initialize, finalize)
