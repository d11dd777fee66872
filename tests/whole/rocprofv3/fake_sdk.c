/* fake_sdk.c - see fake_sdk.h. One context, one buffer, no threads; delivery happens with each
 * record if the tool's watermark is 0, else at flush, when the buffer is full, and at exit. */
#include "fake_counters.h"
#include "fake_sdk.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rocprofiler-sdk/registration.h>
#include <rocprofiler-sdk/rocprofiler.h>

enum { ROOM = 4096, OPERATIONS = 64 };

/* A number that no operation has; those that have many arguments, a huge one among them. */
enum { UNNAMED = 40, WIDE = 48 };

typedef union {
    rocprofiler_buffer_tracing_hsa_api_record_t api;
    rocprofiler_buffer_tracing_hip_api_ext_record_t call;
    rocprofiler_buffer_tracing_rocdecode_api_ext_record_t decode;
    rocprofiler_buffer_tracing_kernel_dispatch_record_t dispatch;
    rocprofiler_buffer_tracing_memory_copy_record_t copy;
    rocprofiler_buffer_tracing_memory_allocation_record_t allocation;
    rocprofiler_buffer_tracing_scratch_memory_record_t scratch;
} payload_t;

static struct {
    pthread_mutex_t lock;
    rocprofiler_tool_configure_result_t tool;
    rocprofiler_buffer_tracing_cb_t deliver;
    void *data;
    rocprofiler_callback_tracing_cb_t code_object, stream;
    struct {
        rocprofiler_callback_tracing_cb_t callback;
        void *data;
    } calls[ROCPROFILER_CALLBACK_TRACING_LAST];
    rocprofiler_external_correlation_id_request_cb_t request;
    void *request_data;
    bool wanted[64];
    payload_t payloads[ROOM];
    rocprofiler_record_header_t headers[ROOM], *pointers[ROOM];
    size_t count;
    bool at_once;
    uint64_t lost;
} fake = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void deliver(void)
{
    rocprofiler_context_id_t context = {1};
    rocprofiler_buffer_id_t buffer = {1};
    if (!fake.deliver || (!fake.count && !fake.lost)) return;
    fake.deliver(context, buffer, fake.pointers, fake.count, fake.data, fake.lost);
    fake.count = 0;
    fake.lost = 0;
}

static void at_exit(void)
{
    rocprofiler_flush_buffer((rocprofiler_buffer_id_t){1});
    if (fake.tool.finalize) fake.tool.finalize(fake.tool.tool_data);
}

static void before_fork(void)
{
    pthread_mutex_lock(&fake.lock);
}
static void after_fork(void)
{
    pthread_mutex_unlock(&fake.lock);
}

static void in_child(void)
{
    fake.count = 0; /* the parent's */
    pthread_mutex_unlock(&fake.lock);
}

void fake_start(void)
{
    static rocprofiler_client_id_t id = {.size = sizeof(id)};
    rocprofiler_configure_func_t configure;
    *(void **)&configure = dlsym(RTLD_DEFAULT, "rocprofiler_configure");
    rocprofiler_tool_configure_result_t *tool =
        configure ? configure(10000, "1.0.0", 0, &id) : NULL;
    if (!tool) return;
    fake.tool = *tool;
    atexit(at_exit);
    pthread_atfork(before_fork, after_fork, in_child);
    fake.tool.initialize(NULL, fake.tool.tool_data);
}

static void add(uint32_t kind, const void *payload, size_t bytes)
{
    if (!fake.wanted[kind]) return;
    pthread_mutex_lock(&fake.lock);
    if (fake.count == ROOM) deliver();
    memcpy(&fake.payloads[fake.count], payload, bytes);
    rocprofiler_record_header_t *h = &fake.headers[fake.count];
    h->category = ROCPROFILER_BUFFER_CATEGORY_TRACING;
    h->kind = kind;
    h->payload = &fake.payloads[fake.count];
    fake.pointers[fake.count++] = h;
    if (fake.at_once) deliver();
    pthread_mutex_unlock(&fake.lock);
}

void fake_api(uint32_t kind, int32_t operation, uint64_t thread, uint64_t correlation,
              uint64_t start, uint64_t end)
{
    rocprofiler_buffer_tracing_hsa_api_record_t r = {.size = sizeof(r),
                                                     .kind =
                                                         (rocprofiler_buffer_tracing_kind_t)kind,
                                                     .operation = operation,
                                                     .correlation_id = {.internal = correlation},
                                                     .start_timestamp = start,
                                                     .end_timestamp = end,
                                                     .thread_id = thread};
    add(kind, &r, sizeof(r));
    /* the same with arguments, if that is what the tool has asked for */
    rocprofiler_buffer_tracing_hip_api_ext_record_t call = {.size = sizeof(call)};
    memcpy(&call, &r, sizeof(r));
    if (kind == ROCPROFILER_BUFFER_TRACING_HIP_RUNTIME_API)
        add(ROCPROFILER_BUFFER_TRACING_HIP_RUNTIME_API_EXT, &call, sizeof(call));
    if (kind == ROCPROFILER_BUFFER_TRACING_HIP_COMPILER_API)
        add(ROCPROFILER_BUFFER_TRACING_HIP_COMPILER_API_EXT, &call, sizeof(call));
    rocprofiler_buffer_tracing_rocdecode_api_ext_record_t decode = {.size = sizeof(decode)};
    memcpy(&decode, &r, sizeof(r));
    decode.retval.uint64_t_retval = 3;
    if (kind == ROCPROFILER_BUFFER_TRACING_ROCDECODE_API)
        add(ROCPROFILER_BUFFER_TRACING_ROCDECODE_API_EXT, &decode, sizeof(decode));
    rocprofiler_buffer_tracing_rocshmem_api_ext_record_t shared = {.size = sizeof(shared)};
    memcpy(&shared, &r, sizeof(r));
    if (kind == ROCPROFILER_BUFFER_TRACING_ROCSHMEM_API)
        add(ROCPROFILER_BUFFER_TRACING_ROCSHMEM_API_EXT, &shared, sizeof(shared));
    rocprofiler_buffer_tracing_hipfile_api_ext_record_t file = {.size = sizeof(file)};
    memcpy(&file, &r, sizeof(r));
    file.retval.int64_t_retval = 3;
    if (kind == ROCPROFILER_BUFFER_TRACING_HIPFILE_API)
        add(ROCPROFILER_BUFFER_TRACING_HIPFILE_API_EXT, &file, sizeof(file));
    /* or for as long as they last; the kinds of these have one number */
    _Static_assert((int)ROCPROFILER_CALLBACK_TRACING_RCCL_API ==
                           (int)ROCPROFILER_BUFFER_TRACING_RCCL_API &&
                       (int)ROCPROFILER_CALLBACK_TRACING_ROCJPEG_API ==
                           (int)ROCPROFILER_BUFFER_TRACING_ROCJPEG_API,
                   "kinds of libraries");
    if (kind >= ROCPROFILER_CALLBACK_TRACING_LAST || !fake.calls[kind].callback) return;
    rocprofiler_user_data_t user = {0};
    rocprofiler_callback_tracing_record_t record = {.thread_id = thread,
                                                    .correlation_id = {.internal = correlation},
                                                    .kind =
                                                        (rocprofiler_callback_tracing_kind_t)kind,
                                                    .operation = operation,
                                                    .phase = ROCPROFILER_CALLBACK_PHASE_ENTER};
    fake.calls[kind].callback(record, &user, fake.calls[kind].data);
    record.phase = ROCPROFILER_CALLBACK_PHASE_EXIT;
    fake.calls[kind].callback(record, &user, fake.calls[kind].data);
}

/* Times of what is seen in callbacks; those of records are given. */
rocprofiler_status_t rocprofiler_get_timestamp(rocprofiler_timestamp_t *ns)
{
    static rocprofiler_timestamp_t now = 2000000;
    *ns = __atomic_add_fetch(&now, 10, __ATOMIC_RELAXED);
    return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t rocprofiler_iterate_callback_tracing_kind_operation_args(
    rocprofiler_callback_tracing_record_t record,
    rocprofiler_callback_tracing_operation_args_cb_t callback, int32_t most, void *data)
{
    (void)most;
    callback(record.kind, record.operation, 0, NULL, 0, "size_t", "count", "77", 0, data);
    return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t rocprofiler_iterate_buffer_tracing_record_args(
    rocprofiler_record_header_t record, rocprofiler_buffer_tracing_operation_args_cb_t callback,
    void *data)
{
    const rocprofiler_buffer_tracing_hip_api_ext_record_t *r = record.payload;
    static char huge[20000];
    memset(huge, 'v', sizeof(huge) - 1);
    uint32_t count = r->operation >= WIDE ? 12 : 1;
    for (uint32_t i = 0; i < count; i++)
        callback((rocprofiler_buffer_tracing_kind_t)record.kind, r->operation, i, NULL, 0, "int",
                 "number", i == 3 ? huge : "1", data);
    return ROCPROFILER_STATUS_SUCCESS;
}

static uint64_t external_of(rocprofiler_external_correlation_id_request_kind_t kind)
{
    rocprofiler_user_data_t external = {0};
    if (fake.request)
        fake.request(500, (rocprofiler_context_id_t){1}, kind, 0, 1, &external, fake.request_data);
    return external.value;
}

/* As HIP's: a stream is set around each call that launches. */
static uint64_t launch(rocprofiler_external_correlation_id_request_kind_t kind, uint64_t stream)
{
    rocprofiler_callback_tracing_hip_stream_data_t data = {.size = sizeof(data),
                                                           .stream_id = {stream}};
    rocprofiler_callback_tracing_record_t record = {.kind = ROCPROFILER_CALLBACK_TRACING_HIP_STREAM,
                                                    .operation = ROCPROFILER_HIP_STREAM_SET,
                                                    .phase = ROCPROFILER_CALLBACK_PHASE_ENTER,
                                                    .payload = &data};
    rocprofiler_user_data_t user = {0};
    if (fake.stream) fake.stream(record, &user, NULL);
    uint64_t external = external_of(kind);
    record.phase = ROCPROFILER_CALLBACK_PHASE_EXIT;
    if (fake.stream) fake.stream(record, &user, NULL);
    return external;
}

void fake_dispatch(uint64_t thread, uint64_t correlation, uint64_t dispatch, uint64_t kernel,
                   uint64_t start, uint64_t end)
{
    rocprofiler_buffer_tracing_kernel_dispatch_record_t r = {
        .size = sizeof(r),
        .kind = ROCPROFILER_BUFFER_TRACING_KERNEL_DISPATCH,
        .operation = ROCPROFILER_KERNEL_DISPATCH_COMPLETE,
        .correlation_id = {.internal = correlation},
        .thread_id = thread,
        .start_timestamp = start,
        .end_timestamp = end,
        .dispatch_info = {.size = sizeof(r.dispatch_info),
                          .agent_id = {11},
                          .queue_id = {3},
                          .kernel_id = kernel,
                          .dispatch_id = dispatch,
                          .private_segment_size = 16,
                          .group_segment_size = 1024,
                          .workgroup_size = {64, 2, 1},
                          .grid_size = {1024, 4, 1}}};
    /* dispatch n runs on stream n + 2 */
    r.correlation_id.external.value =
        launch(ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_KERNEL_DISPATCH, dispatch + 2);
    fake_count(&r);
    add(ROCPROFILER_BUFFER_TRACING_KERNEL_DISPATCH, &r, sizeof(r));
}

void fake_copy(int32_t operation, uint64_t thread, uint64_t correlation, uint64_t start,
               uint64_t end)
{
    bool out = operation == ROCPROFILER_MEMORY_COPY_DEVICE_TO_HOST;
    rocprofiler_buffer_tracing_memory_copy_record_t r = {
        .size = sizeof(r),
        .kind = ROCPROFILER_BUFFER_TRACING_MEMORY_COPY,
        .operation = (rocprofiler_memory_copy_operation_t)operation,
        .correlation_id = {.internal = correlation},
        .thread_id = thread,
        .start_timestamp = start,
        .end_timestamp = end,
        .src_agent_id = {out ? 11 : 10},
        .dst_agent_id = {out ? 10 : 11},
        .bytes = 4096};
    r.correlation_id.external.value =
        launch(ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_MEMORY_COPY, out ? 9 : 8);
    add(ROCPROFILER_BUFFER_TRACING_MEMORY_COPY, &r, sizeof(r));
}

void fake_allocation(int32_t operation, uint64_t thread, uint64_t correlation, uint64_t address,
                     uint64_t bytes, uint64_t start, uint64_t end)
{
    rocprofiler_buffer_tracing_memory_allocation_record_t r = {
        .size = sizeof(r),
        .kind = ROCPROFILER_BUFFER_TRACING_MEMORY_ALLOCATION,
        .operation = (rocprofiler_memory_allocation_operation_t)operation,
        .correlation_id = {.internal = correlation},
        .thread_id = thread,
        .start_timestamp = start,
        .end_timestamp = end,
        .agent_id = {11},
        .address = {address},
        .allocation_size = bytes};
    add(r.kind, &r, sizeof(r));
}

void fake_scratch(int32_t operation, uint64_t thread, uint64_t bytes, uint64_t start, uint64_t end)
{
    rocprofiler_buffer_tracing_scratch_memory_record_t r = {
        .size = sizeof(r),
        .kind = ROCPROFILER_BUFFER_TRACING_SCRATCH_MEMORY,
        .operation = (rocprofiler_scratch_memory_operation_t)operation,
        .correlation_id = {.internal = 12},
        .agent_id = {11},
        .queue_id = {3},
        .thread_id = thread,
        .start_timestamp = start,
        .end_timestamp = end,
        .flags = 2,
        .allocation_size = bytes};
    add(r.kind, &r, sizeof(r));
}

static void tell_of_code(rocprofiler_tracing_operation_t operation, void *payload)
{
    rocprofiler_callback_tracing_record_t record = {.kind =
                                                        ROCPROFILER_CALLBACK_TRACING_CODE_OBJECT,
                                                    .operation = operation,
                                                    .phase = ROCPROFILER_CALLBACK_PHASE_LOAD,
                                                    .payload = payload};
    rocprofiler_user_data_t user = {0};
    if (fake.code_object) fake.code_object(record, &user, NULL);
}

void fake_object(uint64_t id, const void *data, uint64_t bytes)
{
    rocprofiler_callback_tracing_code_object_load_data_t o = {
        .size = sizeof(o),
        .code_object_id = id,
        .uri = "memory://",
        .storage_type = ROCPROFILER_CODE_OBJECT_STORAGE_TYPE_MEMORY,
        .memory_base = (uint64_t)(uintptr_t)data,
        .memory_size = bytes};
    tell_of_code(ROCPROFILER_CODE_OBJECT_LOAD, &o);
}

void fake_kernel(uint64_t id, const char *name)
{
    rocprofiler_callback_tracing_code_object_kernel_symbol_register_data_t k = {
        .size = sizeof(k),
        .kernel_id = id,
        .code_object_id = 1,
        .kernel_name = name,
        .group_segment_size = 100,
        .sgpr_count = (uint32_t)id * 16,
        .arch_vgpr_count = (uint32_t)id * 4,
        .accum_vgpr_count = (uint32_t)id};
    tell_of_code(ROCPROFILER_CODE_OBJECT_DEVICE_KERNEL_SYMBOL_REGISTER, &k);
}

void fake_lose(uint64_t records)
{
    fake.lost += records;
}

void fake_unknown(void)
{
    rocprofiler_record_header_t header = {.category = ROCPROFILER_BUFFER_CATEGORY_COUNTERS};
    rocprofiler_record_header_t *pointer = &header;
    if (fake.deliver)
        fake.deliver((rocprofiler_context_id_t){1}, (rocprofiler_buffer_id_t){1}, &pointer, 1,
                     fake.data, 0);
}

rocprofiler_status_t rocprofiler_force_configure(rocprofiler_configure_func_t configure)
{
    (void)configure;
    return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t rocprofiler_create_context(rocprofiler_context_id_t *context)
{
    context->handle = 1;
    return ROCPROFILER_STATUS_SUCCESS;
}

static int starts, stops;

rocprofiler_status_t rocprofiler_start_context(rocprofiler_context_id_t context)
{
    (void)context;
    __atomic_fetch_add(&starts, 1, __ATOMIC_RELEASE);
    return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t rocprofiler_stop_context(rocprofiler_context_id_t context)
{
    (void)context;
    __atomic_fetch_add(&stops, 1, __ATOMIC_RELEASE);
    return ROCPROFILER_STATUS_SUCCESS;
}

int fake_starts(void)
{
    return __atomic_load_n(&starts, __ATOMIC_ACQUIRE);
}

int fake_stops(void)
{
    return __atomic_load_n(&stops, __ATOMIC_ACQUIRE);
}

rocprofiler_status_t rocprofiler_create_buffer(rocprofiler_context_id_t context, size_t size,
                                               size_t watermark, rocprofiler_buffer_policy_t policy,
                                               rocprofiler_buffer_tracing_cb_t callback, void *data,
                                               rocprofiler_buffer_id_t *buffer)
{
    (void)context, (void)size, (void)policy;
    fake.at_once = watermark == 0;
    fake.deliver = callback;
    fake.data = data;
    buffer->handle = 1;
    return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t rocprofiler_flush_buffer(rocprofiler_buffer_id_t buffer)
{
    (void)buffer;
    pthread_mutex_lock(&fake.lock);
    deliver();
    pthread_mutex_unlock(&fake.lock);
    return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t rocprofiler_configure_buffer_tracing_service(
    rocprofiler_context_id_t context, rocprofiler_buffer_tracing_kind_t kind,
    const rocprofiler_tracing_operation_t *operations, size_t count, rocprofiler_buffer_id_t buffer)
{
    (void)context, (void)operations, (void)count, (void)buffer;
    fake.wanted[kind] = true;
    return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t rocprofiler_configure_callback_tracing_service(
    rocprofiler_context_id_t context, rocprofiler_callback_tracing_kind_t kind,
    const rocprofiler_tracing_operation_t *operations, size_t count,
    rocprofiler_callback_tracing_cb_t callback, void *data)
{
    (void)context, (void)operations, (void)count;
    if (kind == ROCPROFILER_CALLBACK_TRACING_CODE_OBJECT) fake.code_object = callback;
    if (kind == ROCPROFILER_CALLBACK_TRACING_HIP_STREAM) fake.stream = callback;
    if (kind == ROCPROFILER_CALLBACK_TRACING_RCCL_API ||
        kind == ROCPROFILER_CALLBACK_TRACING_ROCJPEG_API) {
        fake.calls[kind].callback = callback;
        fake.calls[kind].data = data;
    }
    return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t rocprofiler_configure_external_correlation_id_request_service(
    rocprofiler_context_id_t context,
    const rocprofiler_external_correlation_id_request_kind_t *kinds, size_t count,
    rocprofiler_external_correlation_id_request_cb_t callback, void *data)
{
    (void)context, (void)kinds, (void)count;
    fake.request = callback;
    fake.request_data = data;
    return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t
rocprofiler_query_available_agents(rocprofiler_agent_version_t version,
                                   rocprofiler_query_available_agents_cb_t callback,
                                   size_t agent_size, void *data)
{
    (void)agent_size;
    static rocprofiler_agent_v0_t agents[2] = {
        {.id = {11},
         .type = ROCPROFILER_AGENT_TYPE_GPU,
         .simd_count = 32,
         .cu_count = 8,
         .wave_front_size = 64,
         .gfx_target_version = 90010,
         .vendor_id = 0x1002,
         .device_id = 0x740f,
         .hive_id = UINT64_MAX,
         .workgroup_max_dim = {1024, 1024, 1024},
         .name = "gfx90a",
         .vendor_name = "AMD",
         .product_name = "fake",
         .model_name = "",
         .node_id = 1,
         .logical_node_id = 1,
         .logical_node_type_id = 0},
        {.id = {10},
         .type = ROCPROFILER_AGENT_TYPE_CPU,
         .cpu_cores_count = 2,
         .name = "cpu",
         .vendor_name = "CPU",
         .product_name = "fake",
         .model_name = "",
         .node_id = 0,
         .logical_node_id = 0,
         .logical_node_type_id = 0},
    };
    const void *pointers[2] = {&agents[0], &agents[1]};
    if (getenv("FAKE_GPU")) agents[0].name = getenv("FAKE_GPU"); /* one without counters */
    return callback(version, pointers, 2, data);
}

rocprofiler_status_t
rocprofiler_query_buffer_tracing_kind_name(rocprofiler_buffer_tracing_kind_t kind,
                                           const char **name, uint64_t *length)
{
    static const char *const names[64] = {[1] = "HSA_CORE_API",
                                          [2] = "HSA_AMD_EXT_API",
                                          [5] = "HIP_RUNTIME_API",
                                          [6] = "HIP_COMPILER_API",
                                          [21] = "HIP_RUNTIME_API_EXT",
                                          [22] = "HIP_COMPILER_API_EXT",
                                          [10] = "MEMORY_COPY",
                                          [11] = "KERNEL_DISPATCH",
                                          [12] = "SCRATCH_MEMORY",
                                          [16] = "MEMORY_ALLOCATION",
                                          [14] = "RCCL_API",
                                          [18] = "ROCDECODE_API",
                                          [19] = "ROCJPEG_API",
                                          [23] = "ROCDECODE_API_EXT",
                                          [33] = "HIP_GRAPH",
                                          [34] = "ROCSHMEM_API",
                                          [35] = "ROCSHMEM_API_EXT",
                                          [36] = "HIPFILE_API",
                                          [37] = "HIPFILE_API_EXT",
                                          [38] = "HIP_EVENT"};
    *name = names[kind];
    if (length) *length = strlen(*name);
    return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t
rocprofiler_query_buffer_tracing_kind_operation_name(rocprofiler_buffer_tracing_kind_t kind,
                                                     rocprofiler_tracing_operation_t operation,
                                                     const char **name, uint64_t *length)
{
    static char text[OPERATIONS][32];
    static const char *const copies[] = {"MEMORY_COPY_NONE", "MEMORY_COPY_HOST_TO_HOST",
                                         "MEMORY_COPY_HOST_TO_DEVICE",
                                         "MEMORY_COPY_DEVICE_TO_HOST"};
    static const char *const allocations[] = {
        "MEMORY_ALLOCATION_NONE", "MEMORY_ALLOCATION_ALLOCATE", "MEMORY_ALLOCATION_VMEM_ALLOCATE",
        "MEMORY_ALLOCATION_FREE"};
    static const char *const scratch[] = {"SCRATCH_MEMORY_NONE", "SCRATCH_MEMORY_ALLOC",
                                          "SCRATCH_MEMORY_FREE"};
    const char *const *texts = kind == ROCPROFILER_BUFFER_TRACING_MEMORY_COPY         ? copies
                               : kind == ROCPROFILER_BUFFER_TRACING_MEMORY_ALLOCATION ? allocations
                               : kind == ROCPROFILER_BUFFER_TRACING_SCRATCH_MEMORY    ? scratch
                                                                                      : NULL;
    int count = !texts ? OPERATIONS : texts == scratch ? 3 : 4;
    if (operation < 0 || operation >= count || operation == UNNAMED)
        return ROCPROFILER_STATUS_ERROR_OPERATION_NOT_FOUND;
    if (!texts)
        snprintf(text[operation], sizeof(text[0]), "%s%d", kind <= 4 ? "hsa_call_" : "hipCall",
                 operation);
    *name = texts ? texts[operation] : text[operation];
    if (length) *length = strlen(*name);
    return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t rocprofiler_iterate_buffer_tracing_kind_operations(
    rocprofiler_buffer_tracing_kind_t kind, rocprofiler_buffer_tracing_kind_operation_cb_t callback,
    void *data)
{
    const char *name;
    rocprofiler_query_buffer_tracing_kind_name(kind, &name, NULL);
    for (int32_t operation = 0; name && operation < OPERATIONS; operation++)
        if (rocprofiler_query_buffer_tracing_kind_operation_name(kind, operation, &name, NULL) ==
            ROCPROFILER_STATUS_SUCCESS)
            callback(kind, operation, data);
    return ROCPROFILER_STATUS_SUCCESS;
}

/* The tool follows streams and code objects by callback, but records no operation of theirs. */
rocprofiler_status_t
rocprofiler_query_callback_tracing_kind_name(rocprofiler_callback_tracing_kind_t kind,
                                             const char **name, uint64_t *length)
{
    (void)kind, (void)name, (void)length;
    return ROCPROFILER_STATUS_ERROR_KIND_NOT_FOUND;
}

rocprofiler_status_t
rocprofiler_query_callback_tracing_kind_operation_name(rocprofiler_callback_tracing_kind_t kind,
                                                       rocprofiler_tracing_operation_t operation,
                                                       const char **name, uint64_t *length)
{
    (void)kind, (void)operation, (void)name, (void)length;
    return ROCPROFILER_STATUS_ERROR_KIND_NOT_FOUND;
}

rocprofiler_status_t rocprofiler_iterate_callback_tracing_kind_operations(
    rocprofiler_callback_tracing_kind_t kind,
    rocprofiler_callback_tracing_kind_operation_cb_t callback, void *data)
{
    (void)kind, (void)callback, (void)data;
    return ROCPROFILER_STATUS_ERROR_KIND_NOT_FOUND;
}

const char *rocprofiler_get_status_string(rocprofiler_status_t status)
{
    return status == ROCPROFILER_STATUS_SUCCESS ? "success" : "failure";
}
