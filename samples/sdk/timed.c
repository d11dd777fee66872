/* timed.c - a tool that ends itself: ten seconds after it has started it stops tracing for good.
 *
 * Shows the explicit finalizer called from a thread of the tool. SAMPLE_FINALIZE_AFTER_MS sets
 * another time. Records go through a buffer; the finalizer delivers the last of them. */
#include <rocprofiler-sdk/registration.h>
#include <rocprofiler-sdk/rocprofiler.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static rocprofiler_client_id_t *client;
static rocprofiler_client_finalize_t finalizer;
static rocprofiler_context_id_t context;
static rocprofiler_buffer_id_t buffer;
static unsigned long long records, lost;
static rocprofiler_timestamp_t started;

static void on_records(rocprofiler_context_id_t from, rocprofiler_buffer_id_t id,
                       rocprofiler_record_header_t **headers, size_t count, void *data,
                       uint64_t drop_count)
{
    (void)from, (void)id, (void)headers, (void)data;
    records += count; /* one thread at a time delivers a buffer */
    lost += drop_count;
}

static void *finalize_later(void *argument)
{
    (void)argument;
    const char *text = getenv("SAMPLE_FINALIZE_AFTER_MS");
    long ms = text ? strtol(text, NULL, 10) : 10000;
    struct timespec wait = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    nanosleep(&wait, NULL);
    finalizer(*client);
    return NULL;
}

static int tool_init(rocprofiler_client_finalize_t fini_func, void *data)
{
    (void)data;
    finalizer = fini_func;
    rocprofiler_get_timestamp(&started);
    if (rocprofiler_create_context(&context) != ROCPROFILER_STATUS_SUCCESS ||
        rocprofiler_create_buffer(context, 1 << 20, 1 << 19, ROCPROFILER_BUFFER_POLICY_LOSSLESS,
                                  on_records, NULL, &buffer) != ROCPROFILER_STATUS_SUCCESS ||
        rocprofiler_configure_buffer_tracing_service(context,
                                                     ROCPROFILER_BUFFER_TRACING_HIP_RUNTIME_API,
                                                     NULL, 0, buffer) != ROCPROFILER_STATUS_SUCCESS)
        return -1;
    rocprofiler_start_context(context);
    pthread_t thread;
    if (pthread_create(&thread, NULL, finalize_later, NULL) == 0) pthread_detach(thread);
    return 0;
}

static void tool_fini(void *data)
{
    (void)data;
    rocprofiler_timestamp_t now = started;
    rocprofiler_get_timestamp(&now);
    fprintf(stderr, "timed tool: finalised after %llu ms, %llu records, %llu lost\n",
            (unsigned long long)((now - started) / 1000000), records, lost);
}

rocprofiler_tool_configure_result_t *rocprofiler_configure(uint32_t version,
                                                           const char *runtime_version,
                                                           uint32_t priority,
                                                           rocprofiler_client_id_t *client_id)
{
    (void)version, (void)runtime_version, (void)priority;
    client_id->name = "timed";
    client = client_id;
    static rocprofiler_tool_configure_result_t result = {sizeof result, tool_init, tool_fini, NULL};
    return &result;
}
