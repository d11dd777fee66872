/* trace.c - callback and buffer tracing of a fake HIP runtime, one scenario per process.
 *
 * The program is its own tool: rocprofiler_configure below gives the scenario's initialize and
 * finalize functions. Usage: trace SCENARIO. What a tool must see is stated as exact numbers. */
#include "fake.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include <unistd.h>

typedef struct {
    const char *name;
    int (*initialize)(rocprofiler_client_finalize_t, void *);
    void (*run)(void);
    void (*finalize)(void *);
} scenario_t;

static const scenario_t *scenario;
static rocprofiler_client_finalize_t finalizer;
static rocprofiler_client_id_t *client;
static rocprofiler_context_id_t context, second_context;
static rocprofiler_buffer_id_t buffer;
static _Atomic int finalized_calls;

/* ---- Records seen ---- */

typedef struct {
    rocprofiler_callback_tracing_record_t record;
    uint64_t user;
    void *payload_pointer;
    hipError_t retval;
    size_t size_argument;
} seen_t;

static seen_t seen[256];
static size_t seen_count;

static void remember(rocprofiler_callback_tracing_record_t record, rocprofiler_user_data_t *user,
                     void *data)
{
    CHECK(data == &seen);
    if (seen_count == 256) return;
    seen_t *s = &seen[seen_count++];
    s->record = record;
    if (record.phase == ROCPROFILER_CALLBACK_PHASE_ENTER) {
        CHECK_EQ(user->value, 0);
        user->value = 1000 + record.correlation_id.internal;
    }
    s->user = user->value;
    const rocprofiler_callback_tracing_hip_api_data_t *payload = record.payload;
    CHECK_EQ(payload->size, sizeof *payload);
    s->retval = payload->retval.hipError_t_retval;
    if (record.kind == ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API &&
        record.operation == ROCPROFILER_HIP_RUNTIME_API_ID_hipMalloc)
        s->size_argument = payload->args.hipMalloc.size;
}

static void check_seen(size_t i, int operation, int phase, uint64_t ancestor)
{
    CHECK(i < seen_count);
    CHECK_EQ(seen[i].record.operation, operation);
    CHECK_EQ(seen[i].record.phase, phase);
    CHECK_EQ(seen[i].record.correlation_id.ancestor, ancestor);
    CHECK_EQ(seen[i].record.thread_id, gettid());
    CHECK_EQ(seen[i].user, 1000 + seen[i].record.correlation_id.internal);
}

/* ---- Callback tracing ---- */

static int callback_init(rocprofiler_client_finalize_t f, void *data)
{
    finalizer = f;
    CHECK(data == &scenario);
    OK(rocprofiler_create_context(&context));
    OK(rocprofiler_configure_callback_tracing_service(
        context, ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API, NULL, 0, remember, &seen));
    OK(rocprofiler_configure_callback_tracing_service(
        context, ROCPROFILER_CALLBACK_TRACING_HIP_COMPILER_API, NULL, 0, remember, &seen));
    OK(rocprofiler_start_context(context));
    return 0;
}

static int gather_argument(rocprofiler_callback_tracing_kind_t kind,
                           rocprofiler_tracing_operation_t operation, uint32_t number,
                           const void *const address, int32_t indirections, const char *type,
                           const char *name, const char *value, int32_t dereferenced, void *data)
{
    (void)kind, (void)operation, (void)address, (void)dereferenced;
    char *text = data;
    sprintf(text + strlen(text), "%u %s %s=%s *%d;", number, type, name, value, indirections);
    return 0;
}

static char arguments_text[512];

/* Arguments of a made-up call as text, followed `most` times. */
static void check_text(int operation, rocprofiler_callback_phase_t phase, int32_t most,
                       const rocprofiler_callback_tracing_hip_api_data_t *payload,
                       const char *wanted)
{
    char text[1024] = "";
    rocprofiler_callback_tracing_record_t record = {
        .kind = ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API,
        .operation = operation,
        .phase = phase,
        .payload = (void *)(uintptr_t)payload,
    };
    OK(rocprofiler_iterate_callback_tracing_kind_operation_args(record, gather_argument, most,
                                                                text));
    if (strcmp(text, wanted)) {
        fprintf(stderr, "got %s\nexpected %s\n", text, wanted);
        failures++;
    }
}

static void check_texts(void)
{
    const rocprofiler_callback_phase_t ENTER = ROCPROFILER_CALLBACK_PHASE_ENTER,
                                       EXIT = ROCPROFILER_CALLBACK_PHASE_EXIT;
    rocprofiler_callback_tracing_hip_api_data_t payload = {.size = sizeof payload};
    payload.args.hipMemcpy.dst = (void *)0x10;
    payload.args.hipMemcpy.sizeBytes = 8;
    payload.args.hipMemcpy.kind = hipMemcpyDeviceToHost;
    check_text(ROCPROFILER_HIP_RUNTIME_API_ID_hipMemcpy, ENTER, 1, &payload,
               "0 void* dst=0x10 *1;1 const void* src=0x0 *1;2 size_t sizeBytes=8 *0;"
               "3 hipMemcpyKind kind=DeviceToHost *0;");
    payload.args.hipMemcpy.kind = (hipMemcpyKind)77;
    check_text(ROCPROFILER_HIP_RUNTIME_API_ID_hipMemcpy, EXIT, 1, &payload,
               "0 void* dst=0x10 *1;1 const void* src=0x0 *1;2 size_t sizeBytes=8 *0;"
               "3 hipMemcpyKind kind=hipMemcpy_UNKNOWN=77 *0;");
    int count = 3;
    payload.args.hipGetDeviceCount.count = &count;
    check_text(ROCPROFILER_HIP_RUNTIME_API_ID_hipGetDeviceCount, EXIT, 1, &payload,
               "0 int* count=3 *1;");
    payload.args.hipGetDeviceCount.count = NULL;
    check_text(ROCPROFILER_HIP_RUNTIME_API_ID_hipGetDeviceCount, EXIT, 1, &payload,
               "0 int* count=(null) *1;");
    payload.args.hipGetDeviceCount.count = (int *)0x20; /* not to be followed */
    check_text(ROCPROFILER_HIP_RUNTIME_API_ID_hipGetDeviceCount, EXIT, 0, &payload,
               "0 int* count=0x20 *1;");
    check_text(ROCPROFILER_HIP_RUNTIME_API_ID_hipGetDeviceCount, ENTER, 1, &payload,
               "0 int* count=0x20 *1;");
    hipStream_t stream = (hipStream_t)0x30;
    payload.args.hipStreamCreate.stream = &stream;
    check_text(ROCPROFILER_HIP_RUNTIME_API_ID_hipStreamCreate, EXIT, 1, &payload,
               "0 hipStream_t* stream=0x30 *1;");
    char name[] = "gpu";
    payload.args.hipDeviceGetName.name = name;
    payload.args.hipDeviceGetName.len = 4;
    payload.args.hipDeviceGetName.device = 1;
    check_text(ROCPROFILER_HIP_RUNTIME_API_ID_hipDeviceGetName, EXIT, 0, &payload,
               "0 char* name=gpu *1;1 int len=4 *0;2 hipDevice_t device=1 *0;");
    hipModule_t module = NULL;
    payload.args.hipModuleLoad.module = &module;
    payload.args.hipModuleLoad.fname = "file";
    char wanted[128];
    snprintf(wanted, sizeof wanted, "0 hipModule_t* module=0x%llx *1;1 const char* fname=file *1;",
             (unsigned long long)(uintptr_t)&module);
    check_text(ROCPROFILER_HIP_RUNTIME_API_ID_hipModuleLoad, ENTER, 0, &payload, wanted);
}

static void callback_run(void)
{
    void *pointer = NULL;
    OK(fake_hipMalloc(&pointer, 64));
    CHECK_EQ(pointer, 0x1040);
    OK(fake_hipFree(pointer));
    CHECK(!strcmp(fake_hipGetErrorString(hipSuccess), "fake error"));
    hipChannelFormatDesc desc = fake_hipCreateChannelDesc(1, 2, 3, 4, hipChannelFormatKindFloat);
    CHECK(desc.x == 1 && desc.y == 2 && desc.z == 3 && desc.w == 4);
    CHECK_EQ(fake_hipLaunchKernel(NULL, (dim3){2, 3, 4}, (dim3){5, 6, 7}, NULL, 0, NULL), 234);
    fake_hipUnregisterFatBinary(NULL);
    CHECK_EQ(seen_count, 14);
    uint64_t free_id = seen[2].record.correlation_id.internal;
    enum { ENTER = ROCPROFILER_CALLBACK_PHASE_ENTER, EXIT = ROCPROFILER_CALLBACK_PHASE_EXIT };
    check_seen(0, ROCPROFILER_HIP_RUNTIME_API_ID_hipMalloc, ENTER, 0);
    check_seen(1, ROCPROFILER_HIP_RUNTIME_API_ID_hipMalloc, EXIT, 0);
    check_seen(2, ROCPROFILER_HIP_RUNTIME_API_ID_hipFree, ENTER, 0);
    check_seen(3, ROCPROFILER_HIP_RUNTIME_API_ID_hipGetLastError, ENTER, free_id);
    check_seen(4, ROCPROFILER_HIP_RUNTIME_API_ID_hipGetLastError, EXIT, free_id);
    check_seen(5, ROCPROFILER_HIP_RUNTIME_API_ID_hipFree, EXIT, 0);
    check_seen(12, ROCPROFILER_HIP_COMPILER_API_ID___hipUnregisterFatBinary, ENTER, 0);
    CHECK_EQ(seen[12].record.kind, ROCPROFILER_CALLBACK_TRACING_HIP_COMPILER_API);
    CHECK_EQ(seen[0].size_argument, 64);
    CHECK_EQ(seen[1].retval, hipSuccess);
    CHECK_EQ(seen[4].retval, 7);
    CHECK_EQ(seen[0].record.correlation_id.internal, seen[1].record.correlation_id.internal);
    CHECK_EQ(seen[0].record.context_id.handle, context.handle);
    OK(rocprofiler_stop_context(context));
    CHECK_EQ(rocprofiler_stop_context(context), ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND);
    fake_hipGetLastError();
    CHECK_EQ(seen_count, 14);
    OK(rocprofiler_start_context(context));
    OK(rocprofiler_start_context(context));
    rocprofiler_thread_id_t tid = 0;
    OK(rocprofiler_get_thread_id(&tid));
    OK(rocprofiler_push_external_correlation_id(context, tid,
                                                (rocprofiler_user_data_t){.value = 11}));
    OK(rocprofiler_push_external_correlation_id(context, tid,
                                                (rocprofiler_user_data_t){.value = 22}));
    fake_hipGetLastError();
    rocprofiler_user_data_t popped = {0};
    OK(rocprofiler_pop_external_correlation_id(context, tid, &popped));
    CHECK_EQ(popped.value, 22);
    fake_hipGetLastError();
    OK(rocprofiler_pop_external_correlation_id(context, tid, NULL));
    popped.value = 5;
    OK(rocprofiler_pop_external_correlation_id(context, tid, &popped)); /* empty */
    CHECK_EQ(popped.value, 0);
    CHECK_EQ(rocprofiler_pop_external_correlation_id(context, 1 << 30, NULL),
             ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT);
    CHECK_EQ(seen[14].record.correlation_id.external.value, 22);
    CHECK_EQ(seen[16].record.correlation_id.external.value, 11);
    rocprofiler_callback_tracing_hip_api_data_t payload = {.size = sizeof payload};
    payload.args.hipMalloc.ptr = &pointer;
    payload.args.hipMalloc.size = 64;
    rocprofiler_callback_tracing_record_t record = seen[1].record;
    record.payload = &payload;
    OK(rocprofiler_iterate_callback_tracing_kind_operation_args(record, gather_argument, 1,
                                                                arguments_text));
    char wanted[128];
    snprintf(wanted, sizeof wanted, "0 void** ptr=0x%llx *2;1 size_t size=64 *0;",
             (unsigned long long)(uintptr_t)&pointer);
    CHECK(!strcmp(arguments_text, wanted));
    check_texts();
}

static void count_finalize(void *data)
{
    CHECK(data == &scenario);
    finalized_calls++;
}

/* ---- Buffer tracing: fields, order, time ---- */

typedef struct {
    rocprofiler_buffer_tracing_hip_api_record_t records[64];
    size_t count, batches;
    uint64_t dropped;
} collected_t;

static collected_t collected;

static void collect(rocprofiler_context_id_t from, rocprofiler_buffer_id_t id,
                    rocprofiler_record_header_t **headers, size_t count, void *data,
                    uint64_t dropped)
{
    CHECK_EQ(from.handle, context.handle);
    CHECK_EQ(id.handle, buffer.handle);
    collected_t *c = data;
    c->batches++;
    c->dropped += dropped;
    for (size_t i = 0; i < count; i++) {
        CHECK_EQ(headers[i]->category, ROCPROFILER_BUFFER_CATEGORY_TRACING);
        CHECK_EQ(headers[i]->hash,
                 rocprofiler_record_header_compute_hash(headers[i]->category, headers[i]->kind));
        rocprofiler_buffer_tracing_hip_api_record_t *r = headers[i]->payload;
        CHECK_EQ(r->kind, headers[i]->kind);
        if (c->count < 64) c->records[c->count++] = *r;
    }
}

static int buffered_init(rocprofiler_client_finalize_t f, void *data)
{
    (void)data;
    finalizer = f;
    OK(rocprofiler_create_context(&context));
    OK(rocprofiler_create_buffer(context, 1 << 16, 1 << 15, ROCPROFILER_BUFFER_POLICY_LOSSLESS,
                                 collect, &collected, &buffer));
    OK(rocprofiler_configure_buffer_tracing_service(
        context, ROCPROFILER_BUFFER_TRACING_HIP_RUNTIME_API, NULL, 0, buffer));
    rocprofiler_tracing_operation_t only[] = {
        ROCPROFILER_HIP_COMPILER_API_ID___hipUnregisterFatBinary};
    OK(rocprofiler_configure_buffer_tracing_service(
        context, ROCPROFILER_BUFFER_TRACING_HIP_COMPILER_API, only, 1, buffer));
    OK(rocprofiler_configure_buffer_tracing_service(
        context, ROCPROFILER_BUFFER_TRACING_RUNTIME_INITIALIZATION, NULL, 0, buffer));
    OK(rocprofiler_start_context(context));
    return 0;
}

static void buffered_run(void)
{
    rocprofiler_timestamp_t before = 0, between = 0, after = 0;
    OK(rocprofiler_flush_buffer(buffer));
    CHECK_EQ(collected.count, 1); /* HIP has started */
    CHECK_EQ(collected.records[0].kind, ROCPROFILER_BUFFER_TRACING_RUNTIME_INITIALIZATION);
    CHECK_EQ(collected.records[0].operation, ROCPROFILER_RUNTIME_INITIALIZATION_HIP);
    collected.count = 0;
    void *pointer;
    OK(rocprofiler_get_timestamp(&before));
    fake_hipMalloc(&pointer, 1);
    OK(rocprofiler_get_timestamp(&between));
    fake_hipFree(pointer);
    OK(rocprofiler_get_timestamp(&after));
    fake_hipUnregisterFatBinary(NULL);
    CHECK_EQ(collected.count, 0); /* far below the watermark */
    OK(rocprofiler_flush_buffer(buffer));
    CHECK_EQ(collected.count, 4);
    const rocprofiler_buffer_tracing_hip_api_record_t *r = collected.records;
    CHECK_EQ(r[0].operation, ROCPROFILER_HIP_RUNTIME_API_ID_hipMalloc);
    CHECK_EQ(r[1].operation, ROCPROFILER_HIP_RUNTIME_API_ID_hipGetLastError);
    CHECK_EQ(r[2].operation, ROCPROFILER_HIP_RUNTIME_API_ID_hipFree);
    CHECK_EQ(r[3].kind, ROCPROFILER_BUFFER_TRACING_HIP_COMPILER_API);
    CHECK_EQ(r[1].correlation_id.ancestor, r[2].correlation_id.internal);
    CHECK(r[0].correlation_id.internal &&
          r[0].correlation_id.internal != r[1].correlation_id.internal);
    CHECK(before <= r[0].start_timestamp && r[0].start_timestamp <= r[0].end_timestamp);
    CHECK(r[0].end_timestamp <= between && between <= r[2].start_timestamp);
    CHECK(r[2].start_timestamp <= r[1].start_timestamp && r[1].end_timestamp <= r[2].end_timestamp);
    CHECK(r[2].end_timestamp <= after);
    for (int i = 0; i < 4; i++) {
        CHECK_EQ(r[i].size, sizeof r[i]);
        CHECK_EQ(r[i].thread_id, gettid());
    }
    struct timespec now;
    clock_gettime(CLOCK_BOOTTIME, &now);
    int64_t boot = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    CHECK(boot - (int64_t)after >= -20000 && boot - (int64_t)after < 1000000000);
    fake_hipGetLastError(); /* delivered by the finalisation */
    finalizer(*client);
    CHECK_EQ(collected.count, 5);
    CHECK_EQ(finalized_calls, 1);
    finalizer(*client);
    CHECK_EQ(finalized_calls, 1);
    int status = 0;
    OK(rocprofiler_is_finalized(&status));
    CHECK_EQ(status, 1);
    fake_hipGetLastError();
    CHECK_EQ(rocprofiler_flush_buffer(buffer), ROCPROFILER_STATUS_ERROR_FINALIZED);
    CHECK_EQ(rocprofiler_start_context(context), ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED);
    OK(rocprofiler_stop_context(context));
    CHECK_EQ(collected.count, 5);
}

/* ---- Direct delivery: a watermark of 0 ---- */

static struct {
    _Atomic uint64_t delivered, dropped;
    _Atomic bool meet, nest;
    pthread_barrier_t meeting;
} direct;

static void on_direct(rocprofiler_context_id_t from, rocprofiler_buffer_id_t id,
                      rocprofiler_record_header_t **headers, size_t count, void *data,
                      uint64_t drop_count)
{
    CHECK_EQ(from.handle, context.handle);
    CHECK_EQ(id.handle, buffer.handle);
    CHECK(data == &direct);
    direct.delivered += count;
    direct.dropped += drop_count;
    if (!count) return;
    const rocprofiler_buffer_tracing_hip_api_record_t *r = headers[0]->payload;
    rocprofiler_timestamp_t now = 0;
    OK(rocprofiler_get_timestamp(&now));
    CHECK_EQ(count, 1);
    CHECK_EQ(headers[0]->kind, ROCPROFILER_BUFFER_TRACING_HIP_RUNTIME_API);
    CHECK_EQ(r->operation, ROCPROFILER_HIP_RUNTIME_API_ID_hipGetLastError);
    CHECK_EQ(r->thread_id, gettid());
    CHECK(r->start_timestamp <= r->end_timestamp && r->end_timestamp <= now);
    CHECK_EQ(rocprofiler_flush_buffer(buffer), ROCPROFILER_STATUS_ERROR_BUFFER_BUSY);
    if (direct.meet) pthread_barrier_wait(&direct.meeting);
    if (direct.nest) fake_hipGetLastError();
    CHECK_EQ(r->operation, ROCPROFILER_HIP_RUNTIME_API_ID_hipGetLastError); /* it is still there */
    CHECK_EQ(r->thread_id, gettid());
}

static int direct_init(rocprofiler_client_finalize_t f, void *data)
{
    (void)data;
    finalizer = f;
    OK(rocprofiler_create_context(&context));
    OK(rocprofiler_create_buffer(context, 1, 0, ROCPROFILER_BUFFER_POLICY_LOSSLESS, on_direct,
                                 &direct, &buffer));
    OK(rocprofiler_configure_buffer_tracing_service(
        context, ROCPROFILER_BUFFER_TRACING_HIP_RUNTIME_API, NULL, 0, buffer));
    OK(rocprofiler_start_context(context));
    return 0;
}

static void *make_a_call(void *unused)
{
    (void)unused;
    fake_hipGetLastError();
    return NULL;
}

static void direct_run(void)
{
    for (uint64_t i = 1; i <= 1000; i++) {
        fake_hipGetLastError();
        CHECK_EQ(direct.delivered, i); /* before the call returns */
    }
    /* two threads are inside the callback at once: neither waits for the other */
    pthread_t other;
    pthread_barrier_init(&direct.meeting, NULL, 2);
    direct.meet = true;
    pthread_create(&other, NULL, make_a_call, NULL);
    make_a_call(NULL);
    pthread_join(other, NULL);
    direct.meet = false;
    CHECK_EQ(direct.delivered, 1002);
    /* each callback makes a record: they end where the thread's page does, and that is told */
    direct.nest = true;
    fake_hipGetLastError();
    direct.nest = false;
    uint64_t nested = direct.delivered - 1002;
    CHECK(nested > 10 && nested < 4096 / sizeof(rocprofiler_buffer_tracing_hip_api_record_t));
    fake_hipGetLastError();
    CHECK_EQ(direct.delivered, 1002 + nested + 1);
    CHECK(direct.dropped <= 1); /* a delivery before the flush may have told the loss */
    OK(rocprofiler_flush_buffer(buffer));
    CHECK_EQ(direct.dropped, 1);
    finalizer(*client);
    fake_hipGetLastError();
    CHECK_EQ(direct.delivered, 1002 + nested + 1);
    CHECK_EQ(direct.dropped, 1);
}

/* ---- Two contexts ---- */

static _Atomic int counts[2];

static void count_one(rocprofiler_callback_tracing_record_t record, rocprofiler_user_data_t *user,
                      void *data)
{
    (void)record, (void)user;
    counts[data != NULL]++;
}

static int two_init(rocprofiler_client_finalize_t f, void *data)
{
    (void)f, (void)data;
    rocprofiler_tracing_operation_t only[] = {ROCPROFILER_HIP_RUNTIME_API_ID_hipMalloc};
    OK(rocprofiler_create_context(&context));
    OK(rocprofiler_create_context(&second_context));
    CHECK_EQ(second_context.handle, context.handle + 1);
    OK(rocprofiler_configure_callback_tracing_service(
        context, ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API, NULL, 0, count_one, NULL));
    OK(rocprofiler_configure_callback_tracing_service(
        second_context, ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API, only, 1, count_one, &counts));
    return 0;
}

static void two_run(void)
{
    void *pointer;
    fake_hipMalloc(&pointer, 1);
    CHECK_EQ(counts[0] + counts[1], 0);
    OK(rocprofiler_start_context(second_context));
    fake_hipMalloc(&pointer, 1);
    fake_hipGetLastError();
    CHECK(counts[0] == 0 && counts[1] == 2);
    OK(rocprofiler_start_context(context));
    fake_hipMalloc(&pointer, 1);
    fake_hipGetLastError();
    CHECK(counts[0] == 4 && counts[1] == 4);
    OK(rocprofiler_stop_context(second_context));
    fake_hipMalloc(&pointer, 1);
    CHECK(counts[0] == 6 && counts[1] == 4);
    /* operations that nobody asked for are not wrapped at all */
    CHECK(FAKE_ENTRY(&fake_hip_compiler, __hipUnregisterFatBinary) != NULL);
    int status = 0;
    OK(rocprofiler_context_is_active(context, &status));
    CHECK_EQ(status, 1);
    OK(rocprofiler_context_is_active(second_context, &status));
    CHECK_EQ(status, 0);
    OK(rocprofiler_context_is_valid(second_context, &status));
    CHECK_EQ(status, 1);
    /* the same table again: nothing is wrapped twice */
    fake_table_t *again[1] = {&fake_hip};
    CHECK_EQ(rocprofiler_set_api_table("hip", 60200, 1, (void **)again, 1), 0);
    fake_hipMalloc(&pointer, 1);
    CHECK(counts[0] == 8 && counts[1] == 4);
}

/* ---- What is refused ---- */

static int refused_init(rocprofiler_client_finalize_t f, void *data)
{
    (void)f, (void)data;
    int status = 5;
    OK(rocprofiler_is_initialized(&status));
    CHECK_EQ(status, -1);
    rocprofiler_context_id_t taken = {.handle = 5}, none = {.handle = 1};
    CHECK_EQ(rocprofiler_create_context(NULL), ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT);
    CHECK_EQ(rocprofiler_create_context(&taken), ROCPROFILER_STATUS_ERROR_CONTEXT_ID_NOT_ZERO);
    OK(rocprofiler_create_context(&context));
    CHECK_EQ(rocprofiler_start_context(none), ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND);
    CHECK_EQ(rocprofiler_create_buffer(none, 1, 1, ROCPROFILER_BUFFER_POLICY_DISCARD, collect, NULL,
                                       &buffer),
             ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND);
    CHECK_EQ(rocprofiler_create_buffer(context, 0, 0, ROCPROFILER_BUFFER_POLICY_DISCARD, collect,
                                       NULL, &buffer),
             ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT);
    CHECK_EQ(rocprofiler_create_buffer(context, 8, 9, ROCPROFILER_BUFFER_POLICY_DISCARD, collect,
                                       NULL, &buffer),
             ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT);
    OK(rocprofiler_create_buffer(context, 4096, 4096, ROCPROFILER_BUFFER_POLICY_DISCARD, collect,
                                 &collected, &buffer));
    rocprofiler_tracing_operation_t bad[] = {0, 100000};
    rocprofiler_buffer_id_t no_buffer = {.handle = 1};
    const rocprofiler_callback_tracing_kind_t HIP = ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API;
    CHECK_EQ(rocprofiler_configure_callback_tracing_service(none, HIP, NULL, 0, remember, NULL),
             ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND);
    CHECK_EQ(rocprofiler_configure_callback_tracing_service(context, HIP, bad, 2, remember, NULL),
             ROCPROFILER_STATUS_ERROR_OPERATION_NOT_FOUND);
    CHECK_EQ(rocprofiler_configure_callback_tracing_service(context, HIP, NULL, 0, NULL, NULL),
             ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT);
    CHECK_EQ(rocprofiler_configure_callback_tracing_service(
                 context, (rocprofiler_callback_tracing_kind_t)99, NULL, 0, remember, NULL),
             ROCPROFILER_STATUS_ERROR_KIND_NOT_FOUND);
    OK(rocprofiler_configure_callback_tracing_service(context, HIP, NULL, 0, remember, &seen));
    CHECK_EQ(rocprofiler_configure_callback_tracing_service(context, HIP, NULL, 0, remember, NULL),
             ROCPROFILER_STATUS_ERROR_SERVICE_ALREADY_CONFIGURED);
    CHECK_EQ(rocprofiler_configure_buffer_tracing_service(
                 context, ROCPROFILER_BUFFER_TRACING_HIP_RUNTIME_API, NULL, 0, no_buffer),
             ROCPROFILER_STATUS_ERROR_BUFFER_NOT_FOUND);
    CHECK_EQ(rocprofiler_force_configure(NULL), ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED);
    return 0;
}

static int count_kind(rocprofiler_callback_tracing_kind_t kind, void *data)
{
    (void)kind;
    return ++*(int *)data == 100;
}

static int count_operation(rocprofiler_callback_tracing_kind_t kind,
                           rocprofiler_tracing_operation_t operation, void *data)
{
    const char *name = NULL;
    uint64_t length = 0;
    OK(rocprofiler_query_callback_tracing_kind_operation_name(kind, operation, &name, &length));
    CHECK_EQ(strlen(name), length);
    ++*(int *)data;
    return 0;
}

static void refused_run(void)
{
    rocprofiler_context_id_t late = {0};
    CHECK_EQ(rocprofiler_create_context(&late), ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED);
    CHECK_EQ(late.handle, 0);
    CHECK_EQ(rocprofiler_configure_callback_tracing_service(
                 context, ROCPROFILER_CALLBACK_TRACING_HIP_COMPILER_API, NULL, 0, remember, NULL),
             ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED);
    CHECK_EQ(rocprofiler_at_intercept_table_registration((rocprofiler_intercept_library_cb_t)abort,
                                                         0, NULL),
             ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED);
    CHECK(rocprofiler_set_api_table("nothing", 1, 0, NULL, 0) != 0);
    void *tables[1] = {&fake_hip};
    CHECK(rocprofiler_set_api_table("roctx", 1, 0, tables, 1) != 0);
    const char *name = NULL;
    OK(rocprofiler_query_callback_tracing_kind_name(ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API,
                                                    &name, NULL));
    CHECK(!strcmp(name, "HIP_RUNTIME_API"));
    OK(rocprofiler_query_buffer_tracing_kind_operation_name(ROCPROFILER_BUFFER_TRACING_MEMORY_COPY,
                                                            ROCPROFILER_MEMORY_COPY_HOST_TO_DEVICE,
                                                            &name, NULL));
    CHECK(!strcmp(name, "MEMORY_COPY_HOST_TO_DEVICE"));
    OK(rocprofiler_query_intercept_table_name(ROCPROFILER_RCCL_TABLE, &name, NULL));
    CHECK(!strcmp(name, "RCCL"));
    CHECK_EQ(rocprofiler_query_intercept_table_name((rocprofiler_intercept_table_t)3, &name, NULL),
             ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT);
    CHECK(!strcmp(rocprofiler_get_status_name(ROCPROFILER_STATUS_ERROR_BUFFER_BUSY),
                  "ROCPROFILER_STATUS_ERROR_BUFFER_BUSY"));
    CHECK(!rocprofiler_get_status_name(ROCPROFILER_STATUS_LAST));
    CHECK(!rocprofiler_get_status_string(ROCPROFILER_STATUS_LAST));
    for (int i = 0; i < ROCPROFILER_STATUS_LAST; i++)
        CHECK(rocprofiler_get_status_string((rocprofiler_status_t)i) != NULL);
    int kinds = 0, operations = 0;
    OK(rocprofiler_iterate_callback_tracing_kinds(count_kind, &kinds));
    CHECK_EQ(kinds, ROCPROFILER_CALLBACK_TRACING_LAST);
    OK(rocprofiler_iterate_callback_tracing_kind_operations(
        ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API, count_operation, &operations));
    CHECK_EQ(operations, ROCPROFILER_HIP_RUNTIME_API_ID_LAST);
    uint32_t major = 0;
    OK(rocprofiler_get_version(&major, NULL, NULL));
    CHECK_EQ(major, 1);
}

/* ---- Intercept tables ---- */

static hipError_t (*chained_malloc)(void **, size_t);
static int intercepted, chained;

static hipError_t my_malloc(void **pointer, size_t size)
{
    chained++;
    return chained_malloc(pointer, size * 2);
}

static void take_table(rocprofiler_intercept_table_t type, uint64_t version, uint64_t instance,
                       void **tables, uint64_t count, void *data)
{
    CHECK_EQ(type, ROCPROFILER_HIP_RUNTIME_TABLE);
    CHECK(version == 60200 && instance == 0 && count == 1 && data == &intercepted);
    intercepted++;
    void **entry = &FAKE_ENTRY(tables[0], hipMalloc);
    chained_malloc = (hipError_t(*)(void **, size_t)) * entry;
    *entry = (void *)my_malloc;
}

static int intercept_init(rocprofiler_client_finalize_t f, void *data)
{
    callback_init(f, data);
    CHECK_EQ(rocprofiler_at_intercept_table_registration(NULL, 0, NULL),
             ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT);
    OK(rocprofiler_at_intercept_table_registration(take_table, ROCPROFILER_HIP_RUNTIME_TABLE,
                                                   &intercepted));
    return 0;
}

static void intercept_run(void)
{
    void *pointer;
    OK(fake_hipMalloc(&pointer, 16));
    CHECK(intercepted == 1 && chained == 1);
    CHECK_EQ(pointer, 0x1020);
    CHECK_EQ(seen_count, 2); /* the library's wrapper lies below the tool's function */
    CHECK_EQ(seen[0].size_argument, 32);
}

/* ---- Exit ---- */

/* finalisation by exit(): checked there, and the exit status shows it */
static void exit_finalize(void *data)
{
    count_finalize(data);
    CHECK_EQ(collected.count, 2);
    OK(rocprofiler_flush_buffer(buffer)); /* allowed, nothing is left */
    OK(rocprofiler_stop_context(context));
    if (failures) _exit(1);
    fputs("finalised by exit\n", stdout);
    fflush(stdout);
}

static void *exit_thread(void *argument)
{
    fake_hipGetLastError();
    exit(0);
    return argument;
}

static void exit_run(void)
{
    pthread_t thread; /* not the first thread ends the process */
    CHECK_EQ(pthread_create(&thread, NULL, exit_thread, NULL), 0);
    pthread_join(thread, NULL);
}

/* ---- Records with arguments ---- */

static char ext_text[256];
static hipError_t ext_result;

static int gather_ext(rocprofiler_buffer_tracing_kind_t kind,
                      rocprofiler_tracing_operation_t operation, uint32_t number,
                      const void *const address, int32_t indirections, const char *type,
                      const char *name, const char *value, void *data)
{
    (void)kind, (void)operation, (void)address, (void)indirections, (void)data;
    size_t used = strlen(ext_text);
    snprintf(ext_text + used, sizeof ext_text - used, "%u %s %s=%s;", number, type, name, value);
    return 0;
}

static void collect_ext(rocprofiler_context_id_t from, rocprofiler_buffer_id_t id,
                        rocprofiler_record_header_t **headers, size_t count, void *data,
                        uint64_t dropped)
{
    (void)from, (void)id, (void)data, (void)dropped;
    for (size_t i = 0; i < count; i++) {
        const rocprofiler_buffer_tracing_hip_api_ext_record_t *r = headers[i]->payload;
        if (r->kind == ROCPROFILER_BUFFER_TRACING_HIP_COMPILER_API) {
            CHECK_EQ(rocprofiler_iterate_buffer_tracing_record_args(*headers[i], gather_ext, NULL),
                     ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED);
            continue;
        }
        CHECK_EQ(r->kind, ROCPROFILER_BUFFER_TRACING_HIP_RUNTIME_API_EXT);
        CHECK_EQ(r->size, sizeof *r);
        OK(rocprofiler_iterate_buffer_tracing_record_args(*headers[i], gather_ext, NULL));
        ext_result = r->retval.hipError_t_retval;
    }
}

static int ext_init(rocprofiler_client_finalize_t f, void *data)
{
    (void)f, (void)data;
    OK(rocprofiler_create_context(&context));
    OK(rocprofiler_create_buffer(context, 4096, 0, ROCPROFILER_BUFFER_POLICY_NONE, collect_ext,
                                 NULL, &buffer));
    OK(rocprofiler_configure_buffer_tracing_service(
        context, ROCPROFILER_BUFFER_TRACING_HIP_RUNTIME_API_EXT, NULL, 0, buffer));
    OK(rocprofiler_configure_buffer_tracing_service(
        context, ROCPROFILER_BUFFER_TRACING_HIP_COMPILER_API, NULL, 0, buffer));
    OK(rocprofiler_start_context(context));
    return 0;
}

static void ext_run(void)
{
    fake_hipLaunchKernel((void *)0x10, (dim3){2, 3, 4}, (dim3){5, 6, 7}, NULL, 8, NULL);
    fake_hipUnregisterFatBinary(NULL);
    OK(rocprofiler_flush_buffer(buffer));
    CHECK(!strcmp(ext_text, "0 const void* function_address=0x10;1 dim3 numBlocks={z=4, y=3, x=2};"
                            "2 dim3 dimBlocks={z=7, y=6, x=5};3 void** args=(null);"
                            "4 size_t sharedMemBytes=8;5 hipStream_t stream=0x0;"));
    CHECK_EQ(ext_result, 234);
}

/* ---- Forced configuration, before any runtime; calls after the end ---- */

static void force_early(void)
{
    int status = 5;
    OK(rocprofiler_is_initialized(&status));
    CHECK_EQ(status, 0);
    OK(rocprofiler_force_configure(rocprofiler_configure));
    OK(rocprofiler_is_initialized(&status));
    CHECK_EQ(status, 1);
    CHECK(!strcmp(getenv("ROCPROFILER_REGISTER_FORCE_LOAD"), "1"));
    CHECK_EQ(rocprofiler_force_configure(NULL), ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED);
}

static void force_run(void)
{
    fake_hipGetLastError();
    CHECK_EQ(seen_count, 2);
}

/* runs after the library's exit handler: the runtime is still called, nothing is reported */
__attribute__((destructor)) static void call_at_the_end(void)
{
    if (!scenario || !fake_hip.size) return;
    size_t before = seen_count;
    fake_hipGetLastError();
    if (seen_count != before) _exit(3);
}

static const scenario_t scenarios[] = {
    {"ext", ext_init, ext_run, count_finalize},
    {"force", callback_init, force_run, count_finalize},
    {"callback", callback_init, callback_run, count_finalize},
    {"direct", direct_init, direct_run, NULL},
    {"buffered", buffered_init, buffered_run, count_finalize},
    {"two_contexts", two_init, two_run, count_finalize},
    {"refused", refused_init, refused_run, count_finalize},
    {"intercept", intercept_init, intercept_run, count_finalize},
    {"exit", buffered_init, exit_run, exit_finalize},
};

rocprofiler_tool_configure_result_t *rocprofiler_configure(uint32_t version, const char *text,
                                                           uint32_t priority,
                                                           rocprofiler_client_id_t *id)
{
    static rocprofiler_tool_configure_result_t result;
    CHECK_EQ(version, 10000);
    CHECK(!strcmp(text, "1.0.0"));
    CHECK_EQ(priority, 0);
    CHECK(id->size == sizeof *id && !id->name && id->handle);
    rocprofiler_context_id_t early = {0};
    CHECK_EQ(rocprofiler_create_context(&early), ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED);
    id->name = "trace";
    client = id;
    result = (rocprofiler_tool_configure_result_t){sizeof result, scenario->initialize,
                                                   scenario->finalize, &scenario};
    return &result;
}

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++)
        if (argc == 2 && !strcmp(argv[1], scenarios[i].name)) scenario = &scenarios[i];
    if (!scenario) return 2;
    if (!strcmp(scenario->name, "force")) force_early();
    CHECK_EQ(fake_register(), 0);
    int status = 0;
    OK(rocprofiler_is_initialized(&status));
    CHECK_EQ(status, 1);
    scenario->run();
    return failures != 0;
}
