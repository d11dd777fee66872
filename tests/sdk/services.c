/* services.c - external ids on request, streams, retirement, allocations and scratch memory.
 *
 * Over fake HIP and HSA runtimes, one scenario per process; the program is its own tool and writes
 * down what it is told, one line each. Usage: services SCENARIO. */
#include "fake.h"
#include "../hsa/fake_hsa.h"

#include <rocprofiler-sdk/external_correlation.h>

#include <pthread.h>
#include <stdarg.h>
#include <string.h>

#include <unistd.h>

typedef struct {
    const char *name;
    void (*configure)(void);
    void (*run)(void);
} scenario_t;

static const scenario_t *scenario;
static rocprofiler_context_id_t context;
static rocprofiler_buffer_id_t buffer;
static char told[8192]; /* what the tool was told */

static void tell(const char *format, ...)
{
    size_t used = strlen(told);
    va_list args;
    va_start(args, format);
    vsnprintf(told + used, sizeof told - used, format, args);
    va_end(args);
}

static void expect(const char *wanted)
{
    if (strcmp(told, wanted)) {
        fprintf(stderr, "got:\n%s\nexpected:\n%s\n", told, wanted);
        failures++;
    }
    told[0] = 0;
}

static void on_records(rocprofiler_context_id_t from, rocprofiler_buffer_id_t id,
                       rocprofiler_record_header_t **headers, size_t count, void *data,
                       uint64_t lost);

static void flush(void)
{
    OK(rocprofiler_flush_buffer(buffer));
}

static void on_callback(rocprofiler_callback_tracing_record_t r, rocprofiler_user_data_t *user,
                        void *data)
{
    (void)user, (void)data;
    const char *phase = r.phase == ROCPROFILER_CALLBACK_PHASE_NONE    ? "-"
                        : r.phase == ROCPROFILER_CALLBACK_PHASE_ENTER ? "enter"
                                                                      : "exit";
    const char *name = "?";
    rocprofiler_query_callback_tracing_kind_operation_name(r.kind, r.operation, &name, NULL);
    tell("%s %s ext=%llu", name, phase, (unsigned long long)r.correlation_id.external.value);
    if (r.kind == ROCPROFILER_CALLBACK_TRACING_HIP_STREAM) {
        const rocprofiler_callback_tracing_hip_stream_data_t *d = r.payload;
        CHECK_EQ(d->size, sizeof *d);
        CHECK_EQ(r.correlation_id.internal, 0);
        tell(" stream=%llu%s", (unsigned long long)d->stream_id.handle,
             d->stream_value.ptr ? "" : " null");
    } else if (r.kind == ROCPROFILER_CALLBACK_TRACING_MEMORY_ALLOCATION) {
        const rocprofiler_callback_tracing_memory_allocation_data_t *d = r.payload;
        CHECK_EQ(d->size, sizeof *d);
        CHECK(!d->end_timestamp || d->end_timestamp >= d->start_timestamp);
        CHECK_EQ(d->end_timestamp != 0, r.phase == ROCPROFILER_CALLBACK_PHASE_EXIT);
        tell(" at=%llx bytes=%llu", (unsigned long long)d->address.value,
             (unsigned long long)d->allocation_size);
    } else if (r.kind == ROCPROFILER_CALLBACK_TRACING_SCRATCH_MEMORY) {
        const rocprofiler_callback_tracing_scratch_memory_data_t *d = r.payload;
        CHECK_EQ(d->size, sizeof *d);
        tell(" kind=%d queue=%llu flags=%d", d->args_kind, (unsigned long long)d->queue_id.handle,
             d->flags);
        if (d->args_kind == HSA_AMD_TOOL_EVENT_SCRATCH_ALLOC_END)
            tell(" bytes=%zu slots=%zu", d->args.alloc_end.size, d->args.alloc_end.num_slots);
    }
    tell("\n");
}

static void on_records(rocprofiler_context_id_t from, rocprofiler_buffer_id_t id,
                       rocprofiler_record_header_t **headers, size_t count, void *data,
                       uint64_t lost)
{
    (void)from, (void)id, (void)data, (void)lost;
    static uint64_t first_id; /* ids are told from the first one on */
    for (size_t i = 0; i < count; i++) {
        uint32_t kind = headers[i]->kind;
        if (kind == ROCPROFILER_BUFFER_TRACING_CORRELATION_ID_RETIREMENT) {
            const rocprofiler_buffer_tracing_correlation_id_retirement_record_t *r =
                headers[i]->payload;
            CHECK_EQ(r->size, sizeof *r);
            CHECK_EQ(r->kind, kind);
            CHECK(r->timestamp);
            tell("retired %lld\n", (long long)(r->internal_correlation_id - first_id));
            continue;
        }
        if (kind == ROCPROFILER_BUFFER_TRACING_KERNEL_DISPATCH) {
            const rocprofiler_buffer_tracing_kernel_dispatch_record_t *r = headers[i]->payload;
            if (!first_id) first_id = r->correlation_id.internal;
            tell("dispatch id=%lld ext=%llu\n", (long long)(r->correlation_id.internal - first_id),
                 (unsigned long long)r->correlation_id.external.value);
            continue;
        }
        const rocprofiler_buffer_tracing_hip_api_record_t *r = headers[i]->payload;
        const char *name = "?";
        rocprofiler_query_buffer_tracing_kind_operation_name(
            (rocprofiler_buffer_tracing_kind_t)kind, r->operation, &name, NULL);
        if (!first_id) first_id = r->correlation_id.internal;
        tell("record %s id=%lld ext=%llu", name, (long long)(r->correlation_id.internal - first_id),
             (unsigned long long)r->correlation_id.external.value);
        if (kind == ROCPROFILER_BUFFER_TRACING_MEMORY_ALLOCATION) {
            const rocprofiler_buffer_tracing_memory_allocation_record_t *a = headers[i]->payload;
            CHECK_EQ(a->size, sizeof *a);
            CHECK(a->start_timestamp && a->end_timestamp >= a->start_timestamp);
            CHECK_EQ(a->thread_id, gettid());
            tell(" at=%llx bytes=%llu", (unsigned long long)a->address.value,
                 (unsigned long long)a->allocation_size);
        } else if (kind == ROCPROFILER_BUFFER_TRACING_SCRATCH_MEMORY) {
            const rocprofiler_buffer_tracing_scratch_memory_record_t *a = headers[i]->payload;
            CHECK_EQ(a->size, sizeof *a);
            CHECK(a->start_timestamp && a->end_timestamp >= a->start_timestamp);
            tell(" queue=%llu bytes=%llu flags=%d", (unsigned long long)a->queue_id.handle,
                 (unsigned long long)a->allocation_size, a->flags);
        }
        tell("\n");
    }
}

static void follow(rocprofiler_callback_tracing_kind_t callback,
                   rocprofiler_buffer_tracing_kind_t record)
{
    if (callback)
        OK(rocprofiler_configure_callback_tracing_service(context, callback, NULL, 0, on_callback,
                                                          NULL));
    if (record) OK(rocprofiler_configure_buffer_tracing_service(context, record, NULL, 0, buffer));
}

/* ---- External ids ---- */

static uint64_t asked_id;

/* 100 times the question's number; declines for hipFree. */
static int on_request(rocprofiler_thread_id_t tid, rocprofiler_context_id_t from,
                      rocprofiler_external_correlation_id_request_kind_t kind,
                      rocprofiler_tracing_operation_t operation, uint64_t internal,
                      rocprofiler_user_data_t *value, void *data)
{
    static uint64_t questions;
    CHECK_EQ(tid, gettid());
    CHECK_EQ(from.handle, context.handle);
    CHECK(data == &questions || data == told);
    CHECK(internal != asked_id);
    asked_id = internal;
    CHECK_EQ(value->value, 0);
    const char *name = "?";
    rocprofiler_query_external_correlation_id_request_kind_name(kind, &name, NULL);
    const char *call = "?";
    rocprofiler_query_callback_tracing_kind_operation_name(
        ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API, operation, &call, NULL);
    tell("asked %s %s\n", name, call);
    value->value = 100 * ++questions;
    return kind == ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_HIP_RUNTIME_API &&
           operation == ROCPROFILER_HIP_RUNTIME_API_ID_hipFree;
}

static void external_configure(void)
{
    follow(ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API,
           ROCPROFILER_BUFFER_TRACING_HIP_RUNTIME_API);
    follow(ROCPROFILER_CALLBACK_TRACING_HIP_COMPILER_API,
           ROCPROFILER_BUFFER_TRACING_HIP_COMPILER_API);
    rocprofiler_external_correlation_id_request_kind_t kinds[] = {
        ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_HIP_RUNTIME_API,
        ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_LAST};
    CHECK_EQ(rocprofiler_configure_external_correlation_id_request_service(
                 (rocprofiler_context_id_t){1}, kinds, 1, on_request, told),
             ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND);
    CHECK_EQ(rocprofiler_configure_external_correlation_id_request_service(context, kinds, 1, NULL,
                                                                           told),
             ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT);
    CHECK_EQ(rocprofiler_configure_external_correlation_id_request_service(context, kinds, 0,
                                                                           on_request, told),
             ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT);
    CHECK_EQ(rocprofiler_configure_external_correlation_id_request_service(context, kinds, 2,
                                                                           on_request, told),
             ROCPROFILER_STATUS_ERROR_KIND_NOT_FOUND);
    OK(rocprofiler_configure_external_correlation_id_request_service(context, kinds, 1, on_request,
                                                                     told));
    CHECK_EQ(rocprofiler_configure_external_correlation_id_request_service(context, kinds, 1,
                                                                           on_request, told),
             ROCPROFILER_STATUS_ERROR_SERVICE_ALREADY_CONFIGURED);
}

static void external_run(void)
{
    void *pointer;
    rocprofiler_user_data_t value = {.value = 7};
    OK(rocprofiler_push_external_correlation_id(context, (uint64_t)gettid(), value));
    fake_hipMalloc(&pointer, 8);
    fake_hipFree(pointer);             /* calls hipGetLastError, whose question is its own */
    fake_hipUnregisterFatBinary(NULL); /* not asked for */
    flush();
    expect("asked HIP_RUNTIME_API hipMalloc\n"
           "hipMalloc enter ext=100\nhipMalloc exit ext=100\n"
           "asked HIP_RUNTIME_API hipFree\nhipFree enter ext=7\n"
           "asked HIP_RUNTIME_API hipGetLastError\n"
           "hipGetLastError enter ext=300\nhipGetLastError exit ext=300\n"
           "hipFree exit ext=7\n"
           "__hipUnregisterFatBinary enter ext=7\n__hipUnregisterFatBinary exit ext=7\n"
           "record hipMalloc id=0 ext=100\nrecord hipGetLastError id=2 ext=300\n"
           "record hipFree id=1 ext=7\nrecord __hipUnregisterFatBinary id=3 ext=7\n");
    CHECK_EQ(rocprofiler_configure_external_correlation_id_request_service(context, NULL, 0,
                                                                           on_request, told),
             ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED);
}

/* Threads that push nothing carry what the first thread has pushed, also before they began. */
static void inherited_configure(void)
{
    follow(0, ROCPROFILER_BUFFER_TRACING_HIP_RUNTIME_API);
}

static pthread_barrier_t barrier;

static void *other_thread(void *argument)
{
    uint64_t tid = (uint64_t)gettid();
    fake_hipGetLastError(); /* 7 */
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    fake_hipGetLastError(); /* 8 */
    OK(rocprofiler_push_external_correlation_id(context, tid,
                                                (rocprofiler_user_data_t){.value = 9}));
    fake_hipGetLastError(); /* 9 */
    OK(rocprofiler_pop_external_correlation_id(context, tid, NULL));
    fake_hipGetLastError(); /* 8 */
    return argument;
}

static void inherited_run(void)
{
    uint64_t tid = (uint64_t)gettid();
    pthread_t thread;
    OK(rocprofiler_push_external_correlation_id(context, tid,
                                                (rocprofiler_user_data_t){.value = 7}));
    pthread_barrier_init(&barrier, NULL, 2);
    CHECK_EQ(pthread_create(&thread, NULL, other_thread, NULL), 0);
    pthread_barrier_wait(&barrier);
    OK(rocprofiler_push_external_correlation_id(context, tid,
                                                (rocprofiler_user_data_t){.value = 8}));
    pthread_barrier_wait(&barrier);
    pthread_join(thread, NULL);
    flush();
    const char *at = told;
    for (const char *value = "7898"; *value; value++) {
        at = strstr(at, " ext=");
        CHECK(at && at[5] == *value && at[6] == '\n');
        if (at) at++;
    }
}

/* ---- Streams ---- */

static void streams_configure(void)
{
    follow(ROCPROFILER_CALLBACK_TRACING_HIP_STREAM, 0);
    rocprofiler_tracing_operation_t launch[] = {ROCPROFILER_HIP_RUNTIME_API_ID_hipLaunchKernel};
    OK(rocprofiler_configure_callback_tracing_service(
        context, ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API, launch, 1, on_callback, NULL));
}

static void launch(hipStream_t stream)
{
    fake_hipLaunchKernel(NULL, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0, stream);
}

static void streams_run(void)
{
    hipStream_t stream, again;
    launch(NULL);
    CHECK_EQ(fake_hipStreamCreate(&stream), hipSuccess);
    launch(stream);
    CHECK_EQ(fake_hipStreamDestroy(stream), hipSuccess);
    CHECK_EQ(fake_hipStreamCreate(NULL), hipErrorInvalidValue);
    CHECK_EQ(fake_hipStreamCreate(&again), hipSuccess);
    CHECK(again == stream); /* the same place, another stream */
    launch(again);
    launch((hipStream_t)0x55); /* unheard of: the runtime decides what to say */
    expect("HIP_STREAM_SET enter ext=0 stream=0 null\n"
           "hipLaunchKernel enter ext=0\nhipLaunchKernel exit ext=0\n"
           "HIP_STREAM_SET exit ext=0 stream=0 null\n"
           "HIP_STREAM_CREATE - ext=0 stream=1\n"
           "HIP_STREAM_SET enter ext=0 stream=1\n"
           "hipLaunchKernel enter ext=0\nhipLaunchKernel exit ext=0\n"
           "HIP_STREAM_SET exit ext=0 stream=1\n"
           "HIP_STREAM_DESTROY - ext=0 stream=1\n"
           "HIP_STREAM_CREATE - ext=0 stream=2\n"
           "HIP_STREAM_SET enter ext=0 stream=2\n"
           "hipLaunchKernel enter ext=0\nhipLaunchKernel exit ext=0\n"
           "HIP_STREAM_SET exit ext=0 stream=2\n"
           "HIP_STREAM_SET enter ext=0 stream=3\n"
           "hipLaunchKernel enter ext=0\nhipLaunchKernel exit ext=0\n"
           "HIP_STREAM_SET exit ext=0 stream=3\n");
    /* many: the table of streams grows, and numbers stay */
    for (uintptr_t i = 1; i < 3000; i++)
        launch((hipStream_t)(i << 8));
    told[0] = 0;
    launch((hipStream_t)0x55);
    CHECK(strstr(told, "stream=3\n"));
}

/* ---- Retirement ---- */

static void retirement_configure(void)
{
    follow(0, ROCPROFILER_BUFFER_TRACING_HIP_RUNTIME_API);
    follow(0, ROCPROFILER_BUFFER_TRACING_CORRELATION_ID_RETIREMENT);
}

static void retirement_run(void)
{
    fake_hipGetLastError();
    fake_hipFree(NULL);
    flush();
    expect("record hipGetLastError id=0 ext=0\n"
           "record hipGetLastError id=2 ext=0\n"
           "record hipFree id=1 ext=0\n"
           "retired 0\nretired 2\nretired 1\n");
}

static void register_hsa(hsax_api_table_t *table)
{
    void *tables[] = {table};
    CHECK_EQ(rocprofiler_set_api_table("hsa", 11400, 0, tables, 1), 0);
}

/* An id lives as long as the dispatches that a call has made. */
static void dispatch_retirement_configure(void)
{
    retirement_configure();
    follow(0, ROCPROFILER_BUFFER_TRACING_KERNEL_DISPATCH);
}

static hsa_queue_t *queue;

static hipError_t launching(const void *function, dim3 blocks, dim3 threads, void **arguments,
                            size_t shared, hipStream_t stream)
{
    (void)function, (void)blocks, (void)threads, (void)arguments, (void)shared, (void)stream;
    enum { HEADER = HSA_PACKET_TYPE_KERNEL_DISPATCH << HSA_PACKET_HEADER_TYPE };
    hsa_kernel_dispatch_packet_t packets[2] = {{.header = HEADER}, {.header = HEADER}};
    fake_submit(queue, packets, 2);
    return hipSuccess;
}

static void dispatch_retirement_run(void)
{
    register_hsa(fake_table(false));
    queue = fake_queue_create(64);
    fake_gpu_hold(true);
    launch(NULL);
    flush();
    expect("record hipLaunchKernel id=0 ext=0\n");
    fake_gpu_hold(false);
    for (int i = 0; i < 5000 && !strstr(told, "retired"); i++) {
        usleep(1000);
        flush();
    }
    expect("dispatch id=0 ext=0\ndispatch id=0 ext=0\nretired 0\n");
    fake_queue_destroy(queue);
}

/* ---- Allocations ---- */

static void allocations_configure(void)
{
    follow(ROCPROFILER_CALLBACK_TRACING_MEMORY_ALLOCATION,
           ROCPROFILER_BUFFER_TRACING_MEMORY_ALLOCATION);
}

static hsa_status_t fake_allocate(hsa_region_t region, size_t size, void **ptr)
{
    if (!region.handle) return HSA_STATUS_ERROR_INVALID_REGION;
    *ptr = (void *)(uintptr_t)(0xa000 + size);
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t fake_pool_allocate(hsa_amd_memory_pool_t pool, size_t size, uint32_t flags,
                                       void **ptr)
{
    (void)flags;
    return fake_allocate((hsa_region_t){pool.handle}, size, ptr);
}

static hsa_status_t fake_free(void *ptr)
{
    return ptr ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

static hsa_status_t fake_handle_create(hsa_amd_memory_pool_t pool, size_t size, int type,
                                       uint64_t flags, hsax_handle_t *handle)
{
    (void)pool, (void)type, (void)flags;
    handle->handle = 0xb000 + size;
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t fake_handle_release(hsax_handle_t handle)
{
    (void)handle;
    return HSA_STATUS_SUCCESS;
}

static void allocations_run(void)
{
    hsax_api_table_t *t = fake_table(false);
    t->core->hsa_memory_allocate_fn = fake_allocate;
    t->core->hsa_memory_free_fn = fake_free;
    t->amd_ext->hsa_amd_memory_pool_allocate_fn = fake_pool_allocate;
    t->amd_ext->hsa_amd_memory_pool_free_fn = fake_free;
    t->amd_ext->hsa_amd_vmem_handle_create_fn = fake_handle_create;
    t->amd_ext->hsa_amd_vmem_handle_release_fn = fake_handle_release;
    register_hsa(t);
    void *ptr = NULL;
    hsax_handle_t handle;
    CHECK_EQ(t->core->hsa_memory_allocate_fn((hsa_region_t){1}, 16, &ptr), HSA_STATUS_SUCCESS);
    CHECK_EQ(t->core->hsa_memory_free_fn(ptr), HSA_STATUS_SUCCESS);
    CHECK_EQ(t->amd_ext->hsa_amd_memory_pool_allocate_fn((hsa_amd_memory_pool_t){0}, 32, 0, &ptr),
             HSA_STATUS_ERROR_INVALID_REGION);
    CHECK_EQ(
        t->amd_ext->hsa_amd_vmem_handle_create_fn((hsa_amd_memory_pool_t){1}, 64, 0, 0, &handle),
        HSA_STATUS_SUCCESS);
    CHECK_EQ(t->amd_ext->hsa_amd_vmem_handle_release_fn(handle), HSA_STATUS_SUCCESS);
    CHECK_EQ(t->amd_ext->hsa_amd_memory_pool_free_fn(NULL), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    flush();
    expect("MEMORY_ALLOCATION_ALLOCATE enter ext=0 at=0 bytes=16\n"
           "MEMORY_ALLOCATION_ALLOCATE exit ext=0 at=a010 bytes=16\n"
           "MEMORY_ALLOCATION_FREE enter ext=0 at=a010 bytes=0\n"
           "MEMORY_ALLOCATION_FREE exit ext=0 at=a010 bytes=0\n"
           "MEMORY_ALLOCATION_ALLOCATE enter ext=0 at=0 bytes=32\n"
           "MEMORY_ALLOCATION_ALLOCATE exit ext=0 at=0 bytes=32\n"
           "MEMORY_ALLOCATION_VMEM_ALLOCATE enter ext=0 at=0 bytes=64\n"
           "MEMORY_ALLOCATION_VMEM_ALLOCATE exit ext=0 at=b040 bytes=64\n"
           "MEMORY_ALLOCATION_VMEM_FREE enter ext=0 at=b040 bytes=0\n"
           "MEMORY_ALLOCATION_VMEM_FREE exit ext=0 at=b040 bytes=0\n"
           "MEMORY_ALLOCATION_FREE enter ext=0 at=0 bytes=0\n"
           "MEMORY_ALLOCATION_FREE exit ext=0 at=0 bytes=0\n"
           "record MEMORY_ALLOCATION_ALLOCATE id=0 ext=0 at=a010 bytes=16\n"
           "record MEMORY_ALLOCATION_FREE id=1 ext=0 at=a010 bytes=0\n"
           "record MEMORY_ALLOCATION_ALLOCATE id=2 ext=0 at=0 bytes=32\n"
           "record MEMORY_ALLOCATION_VMEM_ALLOCATE id=3 ext=0 at=b040 bytes=64\n"
           "record MEMORY_ALLOCATION_VMEM_FREE id=4 ext=0 at=b040 bytes=0\n"
           "record MEMORY_ALLOCATION_FREE id=5 ext=0 at=0 bytes=0\n");
}

/* ---- Scratch memory ---- */

static void scratch_configure(void)
{
    follow(ROCPROFILER_CALLBACK_TRACING_SCRATCH_MEMORY, ROCPROFILER_BUFFER_TRACING_SCRATCH_MEMORY);
}

typedef struct {
    int kind;
    const hsa_queue_t *queue;
    uint32_t flags;
    uint64_t dispatch_id;
    size_t size, num_slots;
} scratch_event_t;

static hsax_handle_t at(const scratch_event_t *event)
{
    return (hsax_handle_t){(uintptr_t)event};
}

static void scratch_run(void)
{
    /* a runtime without the table tells nothing; another comes when it is down */
    hsax_api_table_t *old = fake_table(true);
    register_hsa(old);
    old->core->hsa_shut_down_fn();
    hsax_api_table_t *t = fake_table(false);
    hsax_tools_table_t tools = {.version = {.major_id = 1, .minor_id = sizeof tools}};
    t->tools = &tools;
    t->version.minor_id = sizeof *t;
    register_hsa(t);
    hsa_queue_t queue_of_event = {.id = 12};
    scratch_event_t event = {.kind = HSA_AMD_TOOL_EVENT_SCRATCH_ALLOC_START,
                             .queue = &queue_of_event,
                             .flags = 1,
                             .dispatch_id = 5};
    tools.hsa_amd_tool_scratch_event_alloc_start_fn(at(&event));
    event.kind = HSA_AMD_TOOL_EVENT_SCRATCH_ALLOC_END;
    event.size = 65536;
    event.num_slots = 8;
    tools.hsa_amd_tool_scratch_event_alloc_end_fn(at(&event));
    event.flags = 0;
    event.kind = HSA_AMD_TOOL_EVENT_SCRATCH_FREE_END; /* an end without a start */
    tools.hsa_amd_tool_scratch_event_free_end_fn(at(&event));
    event.kind = HSA_AMD_TOOL_EVENT_SCRATCH_ALLOC_START;
    tools.hsa_amd_tool_scratch_event_alloc_start_fn(at(&event));
    event.kind = HSA_AMD_TOOL_EVENT_SCRATCH_ASYNC_RECLAIM_START; /* one within another */
    tools.hsa_amd_tool_scratch_event_async_reclaim_start_fn(at(&event));
    event.kind = HSA_AMD_TOOL_EVENT_SCRATCH_ASYNC_RECLAIM_END;
    tools.hsa_amd_tool_scratch_event_async_reclaim_end_fn(at(&event));
    event.kind = HSA_AMD_TOOL_EVENT_SCRATCH_ALLOC_END;
    tools.hsa_amd_tool_scratch_event_alloc_end_fn(at(&event));
    flush();
    expect("SCRATCH_MEMORY_ALLOC enter ext=0 kind=1 queue=12 flags=1\n"
           "SCRATCH_MEMORY_ALLOC exit ext=0 kind=2 queue=12 flags=1 bytes=65536 slots=8\n"
           "SCRATCH_MEMORY_ALLOC enter ext=0 kind=1 queue=12 flags=0\n"
           "SCRATCH_MEMORY_ASYNC_RECLAIM enter ext=0 kind=5 queue=12 flags=0\n"
           "SCRATCH_MEMORY_ASYNC_RECLAIM exit ext=0 kind=6 queue=12 flags=0\n"
           "SCRATCH_MEMORY_ALLOC exit ext=0 kind=2 queue=12 flags=0 bytes=65536 slots=8\n"
           "record SCRATCH_MEMORY_ALLOC id=0 ext=0 queue=12 bytes=65536 flags=1\n"
           "record SCRATCH_MEMORY_ASYNC_RECLAIM id=2 ext=0 queue=12 bytes=0 flags=0\n"
           "record SCRATCH_MEMORY_ALLOC id=1 ext=0 queue=12 bytes=65536 flags=0\n");
}

/* ---- What cannot be had ---- */

static rocprofiler_status_t
no_configurations(const rocprofiler_pc_sampling_configuration_t *configs, size_t count, void *data)
{
    (void)configs, (void)count, (void)data;
    failures++;
    return ROCPROFILER_STATUS_SUCCESS;
}

static rocprofiler_status_t sample(rocprofiler_context_id_t with)
{
    return rocprofiler_configure_pc_sampling_service(
        with, (rocprofiler_agent_id_t){.handle = 1}, ROCPROFILER_PC_SAMPLING_METHOD_HOST_TRAP,
        ROCPROFILER_PC_SAMPLING_UNIT_TIME, 1000, buffer, 0);
}

static void refusals_configure(void)
{
    CHECK_EQ(sample(context), ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED);
    setenv("ROCPROFILER_PC_SAMPLING_BETA_ENABLED", "on", 1);
    CHECK_EQ(sample(context), ROCPROFILER_STATUS_ERROR_AGENT_NOT_FOUND);
    for (int kind = 1; kind < ROCPROFILER_BUFFER_TRACING_LAST; kind++) {
        rocprofiler_status_t status = rocprofiler_configure_buffer_tracing_service(
            context, (rocprofiler_buffer_tracing_kind_t)kind, NULL, 0, buffer);
        bool driver = kind >= ROCPROFILER_BUFFER_TRACING_KFD_EVENT_PAGE_MIGRATE &&
                      kind <= ROCPROFILER_BUFFER_TRACING_KFD_QUEUE;
        if (!driver || status != ROCPROFILER_STATUS_ERROR_INCOMPATIBLE_KERNEL) OK(status);
    }
    for (int kind = 1; kind < ROCPROFILER_CALLBACK_TRACING_LAST; kind++)
        OK(rocprofiler_configure_callback_tracing_service(
            context, (rocprofiler_callback_tracing_kind_t)kind, NULL, 0, on_callback, NULL));
}

static int count_operation(rocprofiler_buffer_tracing_kind_t kind,
                           rocprofiler_tracing_operation_t operation, void *data)
{
    (void)kind, (void)operation;
    ++*(int *)data;
    return 0;
}

/* Every kind has a name; every operation that is listed has one, and no other. */
static void check_names(void)
{
    const char *name = "x";
    uint64_t length = 1;
    for (int kind = 0; kind < ROCPROFILER_BUFFER_TRACING_LAST; kind++) {
        rocprofiler_buffer_tracing_kind_t k = (rocprofiler_buffer_tracing_kind_t)kind;
        OK(rocprofiler_query_buffer_tracing_kind_name(k, &name, &length));
        CHECK_EQ(strlen(name), length);
        int operations = 0, named = 0;
        rocprofiler_status_t status =
            rocprofiler_iterate_buffer_tracing_kind_operations(k, count_operation, &operations);
        CHECK_EQ(status, !kind ? ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT
                         : kind == ROCPROFILER_BUFFER_TRACING_CORRELATION_ID_RETIREMENT
                             ? ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED
                             : ROCPROFILER_STATUS_SUCCESS);
        for (int operation = 0; operation < 1000; operation++) {
            name = "x";
            rocprofiler_status_t found =
                rocprofiler_query_buffer_tracing_kind_operation_name(k, operation, &name, &length);
            named += found == ROCPROFILER_STATUS_SUCCESS;
            if (found == ROCPROFILER_STATUS_ERROR_OPERATION_NOT_FOUND) CHECK(!name && !length);
        }
        CHECK_EQ(named, operations);
    }
    CHECK_EQ(
        rocprofiler_query_buffer_tracing_kind_name(ROCPROFILER_BUFFER_TRACING_LAST, &name, &length),
        ROCPROFILER_STATUS_ERROR_KIND_NOT_FOUND);
}

static void refusals_run(void)
{
    check_names();
    rocprofiler_agent_id_t nobody = {.handle = 1};
    CHECK_EQ(sample(context), ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED);
    CHECK_EQ(rocprofiler_query_pc_sampling_agent_configurations(nobody, NULL, NULL),
             ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT);
    CHECK_EQ(rocprofiler_query_pc_sampling_agent_configurations(nobody, no_configurations, NULL),
             ROCPROFILER_STATUS_ERROR_AGENT_NOT_FOUND);
    CHECK(!strcmp(rocprofiler_get_pc_sampling_instruction_type_name(
                      ROCPROFILER_PC_SAMPLING_INSTRUCTION_TYPE_DUAL_VALU),
                  "ROCPROFILER_PC_SAMPLING_INSTRUCTION_TYPE_DUAL_VALU"));
    CHECK(!rocprofiler_get_pc_sampling_instruction_type_name(
        ROCPROFILER_PC_SAMPLING_INSTRUCTION_TYPE_LAST));
    CHECK(!strcmp(rocprofiler_get_pc_sampling_instruction_not_issued_reason_name(
                      ROCPROFILER_PC_SAMPLING_INSTRUCTION_NOT_ISSUED_REASON_SLEEP_WAIT),
                  "ROCPROFILER_PC_SAMPLING_INSTRUCTION_NOT_ISSUED_REASON_SLEEP_WAIT"));
    CHECK(!rocprofiler_get_pc_sampling_instruction_not_issued_reason_name(
        ROCPROFILER_PC_SAMPLING_INSTRUCTION_NOT_ISSUED_REASON_LAST));
}

/* Tables of other ages than the rows of the SDK: what it does not know, and what lies behind the
 * size that a table states, stays as it is. */
enum { RUNTIME_ROWS = ROCPROFILER_HIP_RUNTIME_API_ID_LAST, OLDER_ROWS = 474, COMPILER_ROWS = 9 };

static void tables_configure(void)
{
    OK(rocprofiler_configure_callback_tracing_service(
        context, ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API, NULL, 0, on_callback, NULL));
    OK(rocprofiler_configure_callback_tracing_service(
        context, ROCPROFILER_CALLBACK_TRACING_HIP_COMPILER_API, NULL, 0, on_callback, NULL));
}

static void tables_fill(bool newer)
{
    for (size_t i = 0; i < sizeof fake_hip.entries / sizeof *fake_hip.entries; i++)
        fake_hip.entries[i] = fake_hip_compiler.entries[i] = (void *)tables_configure;
    if (!newer) fake_hip.size = (OLDER_ROWS + 1) * sizeof(void *);
    fake_hip_compiler.size = sizeof fake_hip_compiler;
}

static void check_replaced(const fake_table_t *table, size_t rows)
{
    size_t entries = sizeof table->entries / sizeof *table->entries;
    CHECK(entries > rows);
    for (size_t i = 0; i < entries; i++)
        if ((table->entries[i] != (void *)tables_configure) != (i < rows))
            CHECK_EQ(i, -1); /* shows which */
}

static void older_run(void)
{
    check_replaced(&fake_hip, OLDER_ROWS);
    check_replaced(&fake_hip_compiler, COMPILER_ROWS);
}

static void newer_run(void)
{
    check_replaced(&fake_hip, RUNTIME_ROWS);
    check_replaced(&fake_hip_compiler, COMPILER_ROWS);
}

static const scenario_t scenarios[] = {
    {"older_tables", tables_configure, older_run},
    {"newer_tables", tables_configure, newer_run},
    {"refusals", refusals_configure, refusals_run},
    {"external", external_configure, external_run},
    {"inherited", inherited_configure, inherited_run},
    {"streams", streams_configure, streams_run},
    {"retirement", retirement_configure, retirement_run},
    {"dispatch_retirement", dispatch_retirement_configure, dispatch_retirement_run},
    {"allocations", allocations_configure, allocations_run},
    {"scratch", scratch_configure, scratch_run},
};

static int initialize(rocprofiler_client_finalize_t f, void *data)
{
    (void)f, (void)data;
    OK(rocprofiler_create_context(&context));
    OK(rocprofiler_create_buffer(context, 1 << 20, 1 << 20, ROCPROFILER_BUFFER_POLICY_LOSSLESS,
                                 on_records, NULL, &buffer));
    scenario->configure();
    OK(rocprofiler_start_context(context));
    return 0;
}

rocprofiler_tool_configure_result_t *rocprofiler_configure(uint32_t version, const char *text,
                                                           uint32_t priority,
                                                           rocprofiler_client_id_t *id)
{
    (void)version, (void)text, (void)priority;
    id->name = "services";
    static rocprofiler_tool_configure_result_t result = {sizeof result, initialize, NULL, NULL};
    return &result;
}

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++)
        if (argc == 2 && !strcmp(argv[1], scenarios[i].name)) scenario = &scenarios[i];
    if (!scenario) return 2;
    fake_fill();
    if (scenario->configure == tables_configure) tables_fill(scenario->run == newer_run);
    if (!strcmp(scenario->name, "dispatch_retirement"))
        FAKE_ENTRY(&fake_hip, hipLaunchKernel) = (void *)launching;
    void *tables[] = {&fake_hip}, *compiler[] = {&fake_hip_compiler};
    CHECK_EQ(rocprofiler_set_api_table("hip", 60200, 0, tables, 1), 0);
    CHECK_EQ(rocprofiler_set_api_table("hip_compiler", 60200, 0, compiler, 1), 0);
    scenario->run();
    return failures != 0;
}
