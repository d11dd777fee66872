/* every_tool.c - a tool that follows everything at once and judges what it got, as those who check
 * traces do: ids of calls without gaps, work that belongs to calls, ids that end when all is over.
 *
 * Says what holds in one line each; everything in one buffer, judged when it is delivered. */
#include <rocprofiler-sdk/registration.h>
#include <rocprofiler-sdk/rocprofiler.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { IDS_MAX = 1 << 16 };

static struct {
    unsigned calls, work, retired;
    uint64_t end;
} ids[IDS_MAX];
static uint64_t last_id;
static unsigned calls, work, retired, early, outside, refused, lost;

/* Records of calls and of GPU work begin alike. */
typedef rocprofiler_buffer_tracing_hip_api_record_t common_t;

static void on_record(const common_t *r, bool call)
{
    uint64_t id = r->correlation_id.internal;
    if (id == 0 || id >= IDS_MAX) {
        outside++;
        return;
    }
    early += ids[id].retired;
    if (r->end_timestamp > ids[id].end) ids[id].end = r->end_timestamp;
    *(call ? &ids[id].calls : &ids[id].work) += 1;
    *(call ? &calls : &work) += 1;
    if (id > last_id) last_id = id;
}

static void on_end(const rocprofiler_buffer_tracing_correlation_id_retirement_record_t *r)
{
    uint64_t id = r->internal_correlation_id;
    if (id == 0 || id >= IDS_MAX) {
        outside++;
        return;
    }
    early += r->timestamp <= ids[id].end;
    ids[id].retired++;
    retired++;
}

static void on_records(rocprofiler_context_id_t context, rocprofiler_buffer_id_t buffer,
                       rocprofiler_record_header_t **headers, size_t count, void *data,
                       uint64_t dropped)
{
    (void)context, (void)buffer, (void)data;
    lost += (unsigned)dropped;
    for (size_t i = 0; i < count; i++)
        switch (headers[i]->kind) {
        case ROCPROFILER_BUFFER_TRACING_HSA_CORE_API:
        case ROCPROFILER_BUFFER_TRACING_HSA_AMD_EXT_API:
        case ROCPROFILER_BUFFER_TRACING_HSA_IMAGE_EXT_API:
        case ROCPROFILER_BUFFER_TRACING_HSA_FINALIZE_EXT_API:
        case ROCPROFILER_BUFFER_TRACING_HIP_RUNTIME_API:
        case ROCPROFILER_BUFFER_TRACING_HIP_COMPILER_API:
            on_record(headers[i]->payload, true);
            break;
        case ROCPROFILER_BUFFER_TRACING_KERNEL_DISPATCH: {
            const rocprofiler_buffer_tracing_kernel_dispatch_record_t *r = headers[i]->payload;
            common_t c = {.correlation_id = {.internal = r->correlation_id.internal},
                          .end_timestamp = r->end_timestamp};
            on_record(&c, false);
            break;
        }
        case ROCPROFILER_BUFFER_TRACING_MEMORY_COPY: {
            const rocprofiler_buffer_tracing_memory_copy_record_t *r = headers[i]->payload;
            common_t c = {.correlation_id = {.internal = r->correlation_id.internal},
                          .end_timestamp = r->end_timestamp};
            on_record(&c, false);
            break;
        }
        case ROCPROFILER_BUFFER_TRACING_MEMORY_ALLOCATION: {
            const rocprofiler_buffer_tracing_memory_allocation_record_t *r = headers[i]->payload;
            common_t c = {.correlation_id = r->correlation_id, .end_timestamp = r->end_timestamp};
            on_record(&c, false);
            break;
        }
        case ROCPROFILER_BUFFER_TRACING_CORRELATION_ID_RETIREMENT:
            on_end(headers[i]->payload);
            break;
        default: break;
        }
}

static void on_callback(rocprofiler_callback_tracing_record_t record, rocprofiler_user_data_t *user,
                        void *data)
{
    (void)record, (void)user, (void)data;
}

static int initialize(rocprofiler_client_finalize_t finalizer, void *data)
{
    rocprofiler_context_id_t context = {0};
    rocprofiler_buffer_id_t buffer;
    (void)finalizer, (void)data;
    if (rocprofiler_create_context(&context) ||
        rocprofiler_create_buffer(context, 65536, 32768, ROCPROFILER_BUFFER_POLICY_LOSSLESS,
                                  on_records, NULL, &buffer))
        return -1;
    for (int kind = 1; kind < ROCPROFILER_BUFFER_TRACING_LAST; kind++) {
        if (kind == ROCPROFILER_BUFFER_TRACING_HIP_RUNTIME_API_EXT ||
            kind == ROCPROFILER_BUFFER_TRACING_HIP_COMPILER_API_EXT)
            continue; /* the same calls once more */
        rocprofiler_status_t status = rocprofiler_configure_buffer_tracing_service(
            context, (rocprofiler_buffer_tracing_kind_t)kind, NULL, 0, buffer);
        refused += status && status != ROCPROFILER_STATUS_ERROR_INCOMPATIBLE_KERNEL;
    }
    for (int kind = 1; kind < ROCPROFILER_CALLBACK_TRACING_LAST; kind++)
        refused += rocprofiler_configure_callback_tracing_service(
                       context, (rocprofiler_callback_tracing_kind_t)kind, NULL, 0, on_callback,
                       NULL) != ROCPROFILER_STATUS_SUCCESS;
    return rocprofiler_start_context(context);
}

static void finalize(void *data)
{
    unsigned gaps = 0, again = 0, strangers = 0, unended = 0;
    (void)data;
    for (uint64_t id = 1; id <= last_id; id++) {
        gaps += !ids[id].calls;
        again += ids[id].calls > 1;
        strangers += ids[id].work && !ids[id].calls;
        unended += ids[id].retired != 1;
    }
    fprintf(stderr, "kinds: %u refused\n", refused);
    fprintf(stderr, "calls: %s, %u gaps, %u ids twice, %u records lost, %u outside\n",
            calls > 100 ? "many" : "few", gaps, again, lost, outside);
    fprintf(stderr, "work: %s, %u without a call\n", work > 5 ? "some" : "little", strangers);
    fprintf(stderr, "ids: %u not retired once, %u too early, %s\n", unended, early,
            retired == calls ? "one for each call" : "not one for each call");
}

rocprofiler_tool_configure_result_t *rocprofiler_configure(uint32_t version, const char *text,
                                                           uint32_t priority,
                                                           rocprofiler_client_id_t *id)
{
    (void)version, (void)text, (void)priority;
    id->name = "every_tool";
    static rocprofiler_tool_configure_result_t result = {sizeof result, initialize, finalize, NULL};
    return &result;
}
