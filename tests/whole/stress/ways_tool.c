/* ways_tool.c - every HIP call goes to a lossless buffer, to a discarding one and to a callback;
 * the sums must agree when the tool ends.
 *
 * Prints one line, "sums: ...", at its end. Exact sums are to be expected if the program's threads
 * are at rest by then; what is lost of the lossless buffer, never. */
#include "../../tool.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { LOSSLESS, DISCARD, BUFFERS };

static _Atomic unsigned long delivered[BUFFERS], dropped[BUFFERS], entered, left, after_end;
static _Atomic bool ended;
static rocprofiler_context_id_t context;

static void on_records(rocprofiler_context_id_t ctx, rocprofiler_buffer_id_t id,
                       rocprofiler_record_header_t **headers, size_t count, void *data,
                       uint64_t lost)
{
    (void)ctx, (void)id, (void)headers;
    size_t index = (size_t)data;
    if (ended) after_end++;
    delivered[index] += count;
    dropped[index] += lost;
}

static void on_call(rocprofiler_callback_tracing_record_t record, rocprofiler_user_data_t *user,
                    void *data)
{
    (void)user, (void)data;
    if (ended) after_end++;
    if (record.phase == ROCPROFILER_CALLBACK_PHASE_ENTER)
        entered++;
    else
        left++;
}

static int initialize(rocprofiler_client_finalize_t finalizer, void *data)
{
    (void)finalizer, (void)data;
    rocprofiler_buffer_id_t buffers[BUFFERS] = {{0}};
    rocprofiler_create_context(&context);
    rocprofiler_configure_callback_tracing_service(
        context, ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API, NULL, 0, on_call, NULL);
    rocprofiler_start_context(context);
    for (size_t i = 0; i < BUFFERS; i++) {
        rocprofiler_context_id_t own = {0};
        rocprofiler_create_context(&own);
        rocprofiler_create_buffer(own, 8192, 4096,
                                  i == LOSSLESS ? ROCPROFILER_BUFFER_POLICY_LOSSLESS
                                                : ROCPROFILER_BUFFER_POLICY_DISCARD,
                                  on_records, (void *)i, &buffers[i]);
        rocprofiler_configure_buffer_tracing_service(
            own, ROCPROFILER_BUFFER_TRACING_HIP_RUNTIME_API, NULL, 0, buffers[i]);
        rocprofiler_configure_buffer_tracing_service(
            own, ROCPROFILER_BUFFER_TRACING_KERNEL_DISPATCH, NULL, 0, buffers[i]);
        if (rocprofiler_start_context(own)) fprintf(stderr, "context %zu does not start\n", i);
    }
    return 0;
}

static void finalize(void *data)
{
    (void)data;
    ended = true;
    unsigned long all = delivered[LOSSLESS];
    bool exact = delivered[LOSSLESS] == delivered[DISCARD] + dropped[DISCARD] && entered == left;
    fprintf(stderr, "sums: %s, %lu lost of lossless, %s\n", exact ? "exact" : "differ",
            dropped[LOSSLESS], all ? "some" : "none");
    if (!exact)
        fprintf(stderr, "lossless %lu, discard %lu + %lu, entered %lu, left %lu\n", all,
                delivered[DISCARD], dropped[DISCARD], entered, left);
    if (after_end) fprintf(stderr, "%lu calls after the end\n", after_end);
}

TOOL("ways", initialize, finalize)
