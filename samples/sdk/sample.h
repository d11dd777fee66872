/* sample.h - what most of these tools have in common: one context, one buffer, one result line
 * each.
 *
 * A sample defines sample_name, sample_start (configure the services) and sample_end (print), and
 * includes this file once. */
#ifndef SAMPLE_H
#define SAMPLE_H

#include <rocprofiler-sdk/registration.h>
#include <rocprofiler-sdk/rocprofiler.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char sample_name[];
static void sample_start(void);
static void sample_end(void);

static rocprofiler_context_id_t context;
static rocprofiler_buffer_id_t buffer; /* made by sample_buffer */

/* Tells what the library refuses; true if it did not. */
static bool require(rocprofiler_status_t status, const char *what)
{
    if (status == ROCPROFILER_STATUS_SUCCESS) return true;
    fprintf(stderr, "%s: %s: %s\n", sample_name, what, rocprofiler_get_status_string(status));
    return false;
}
#define REQUIRE(call) require(call, #call)

/* A buffer of 1 MiB that is delivered when half full, and at the end. */
static inline void sample_buffer(rocprofiler_buffer_tracing_cb_t on_records)
{
    REQUIRE(rocprofiler_create_buffer(context, 1 << 20, 1 << 19, ROCPROFILER_BUFFER_POLICY_LOSSLESS,
                                      on_records, NULL, &buffer));
}

/* All operations of a kind, as records in the buffer. */
static inline void sample_records(rocprofiler_buffer_tracing_kind_t kind)
{
    REQUIRE(rocprofiler_configure_buffer_tracing_service(context, kind, NULL, 0, buffer));
}

/* All operations of a kind, as callbacks. */
static inline void sample_callbacks(rocprofiler_callback_tracing_kind_t kind,
                                    rocprofiler_callback_tracing_cb_t callback)
{
    REQUIRE(rocprofiler_configure_callback_tracing_service(context, kind, NULL, 0, callback, NULL));
}

static int sample_initialize(rocprofiler_client_finalize_t finalizer, void *data)
{
    (void)finalizer, (void)data;
    if (!REQUIRE(rocprofiler_create_context(&context))) return -1;
    sample_start();
    REQUIRE(rocprofiler_start_context(context));
    return 0;
}

/* Buffers have been delivered when this runs. */
static void sample_finalize(void *data)
{
    (void)data;
    sample_end();
}

rocprofiler_tool_configure_result_t *rocprofiler_configure(uint32_t version,
                                                           const char *runtime_version,
                                                           uint32_t priority,
                                                           rocprofiler_client_id_t *client_id)
{
    (void)version, (void)runtime_version, (void)priority;
    client_id->name = sample_name;
    static rocprofiler_tool_configure_result_t result = {sizeof result, sample_initialize,
                                                         sample_finalize, NULL};
    return &result;
}

#endif
