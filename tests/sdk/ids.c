/* ids.c - what tools may rely on: correlation ids without gaps, their retirement after everything
 * else that has them, each of them once where signal handlers call too, texts that stay, calls of a
 * second copy of a runtime.
 *
 * Over fake HIP, HSA and ROCTx runtimes, one scenario per process; the program is its own tool. */
#include "fake.h"
#include "../hsa/fake_hsa.h"

#include <rocprofiler-sdk-roctx/api_trace.h>

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include <unistd.h>

enum { THREADS = 4, CALLS = 3000, IDS_MAX = 1 << 18 };

typedef struct {
    const char *name;
    void (*configure)(void);
    void (*run)(void);
} scenario_t;

static const scenario_t *scenario;
static rocprofiler_context_id_t context;
static rocprofiler_buffer_id_t buffer;
static hsax_api_table_t *hsa;

static int scale(int n)
{
    const char *text = getenv("STRESS_DIVISOR"); /* sanitizers are slow */
    int divisor = text ? atoi(text) : 1;
    return n / (divisor ? divisor : 1);
}

static void follow(rocprofiler_buffer_tracing_kind_t kind)
{
    OK(rocprofiler_configure_buffer_tracing_service(context, kind, NULL, 0, buffer));
}

static void register_table(const char *name, void *table)
{
    void *tables[] = {table};
    CHECK_EQ(rocprofiler_set_api_table(name, 60200, 0, tables, 1), 0);
}

static void in_threads(void *(*run)(void *))
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, run, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

/* ---- What is delivered; deliveries of a buffer come one after the other ---- */

static struct {
    bool called, retired;
    uint64_t end; /* of its last record */
} ids[IDS_MAX];
static bool slow;
static atomic_uint_fast64_t retired;
static uint64_t called, dispatched, early, not_after, last_id;

static void record_of(uint64_t id, uint64_t end)
{
    if (id >= IDS_MAX) {
        CHECK_EQ(id, IDS_MAX);
        return;
    }
    early += ids[id].retired;
    if (end > ids[id].end) ids[id].end = end;
    if (id > last_id) last_id = id;
}

static void on_records(rocprofiler_context_id_t from, rocprofiler_buffer_id_t which,
                       rocprofiler_record_header_t **headers, size_t count, void *data,
                       uint64_t lost)
{
    (void)from, (void)which, (void)data;
    CHECK_EQ(lost, 0);
    if (slow) usleep(200); /* much happens between the looks at two threads */
    for (size_t i = 0; i < count; i++) {
        if (headers[i]->kind == ROCPROFILER_BUFFER_TRACING_CORRELATION_ID_RETIREMENT) {
            const rocprofiler_buffer_tracing_correlation_id_retirement_record_t *r =
                headers[i]->payload;
            record_of(r->internal_correlation_id, 0);
            not_after += r->timestamp <= ids[r->internal_correlation_id].end;
            ids[r->internal_correlation_id].retired = true;
            retired++;
        } else if (headers[i]->kind == ROCPROFILER_BUFFER_TRACING_KERNEL_DISPATCH) {
            const rocprofiler_buffer_tracing_kernel_dispatch_record_t *r = headers[i]->payload;
            record_of(r->correlation_id.internal, r->end_timestamp);
            dispatched++;
        } else if (headers[i]->kind == ROCPROFILER_BUFFER_TRACING_HIP_RUNTIME_API) {
            const rocprofiler_buffer_tracing_hip_api_record_t *r = headers[i]->payload;
            record_of(r->correlation_id.internal, r->end_timestamp);
            called += !ids[r->correlation_id.internal].called;
            ids[r->correlation_id.internal].called = true;
        } else {
            const rocprofiler_buffer_tracing_runtime_initialization_record_t *r =
                headers[i]->payload;
            CHECK_EQ(r->correlation_id.internal, 0); /* nobody has called anything */
        }
    }
}

/* ---- Retirement is the last record of its id ---- */

static void order_configure(void)
{
    follow(ROCPROFILER_BUFFER_TRACING_HIP_RUNTIME_API);
    follow(ROCPROFILER_BUFFER_TRACING_KERNEL_DISPATCH);
    follow(ROCPROFILER_BUFFER_TRACING_CORRELATION_ID_RETIREMENT);
}

static _Thread_local hsa_queue_t *queue;
static _Thread_local hsa_signal_t done;
static atomic_bool over;

/* Some wait for their kernel: then the call ends last, otherwise the kernel. */
static hipError_t launching(const void *function, dim3 blocks, dim3 threads, void **arguments,
                            size_t shared, hipStream_t stream)
{
    (void)function, (void)threads, (void)arguments, (void)shared, (void)stream;
    hsa_kernel_dispatch_packet_t packet = {.header = HSA_PACKET_TYPE_KERNEL_DISPATCH
                                                     << HSA_PACKET_HEADER_TYPE,
                                           .completion_signal = {blocks.x ? done.handle : 0}};
    if (blocks.x) __atomic_store_n(&fake_block(done)->value, 1, __ATOMIC_RELEASE);
    fake_submit(queue, &packet, 1);
    while (blocks.x && fake_signal_value(done) > 0)
        usleep(10);
    return hipSuccess;
}

static void *launch_often(void *unused)
{
    queue = fake_queue_create(1024);
    done = fake_signal(0);
    for (int i = 0; i < scale(CALLS); i++) {
        fake_hipLaunchKernel(NULL, (dim3){i % 8 == 0, 1, 1}, (dim3){1, 1, 1}, NULL, 0, NULL);
        fake_hipFree(NULL); /* a call within a call */
    }
    return unused;
}

static void *flush_often(void *unused)
{
    while (!over)
        rocprofiler_flush_buffer(buffer);
    return unused;
}

static void order_run(void)
{
    pthread_t flusher;
    fake_real_time = slow = true;
    pthread_create(&flusher, NULL, flush_often, NULL);
    in_threads(launch_often);
    for (int i = 0; i < 5000 && retired < 3 * THREADS * (uint64_t)scale(CALLS); i++)
        usleep(1000); /* the GPU is still at it */
    over = true;
    pthread_join(flusher, NULL);
    OK(rocprofiler_flush_buffer(buffer));
    CHECK_EQ(dispatched, THREADS * scale(CALLS));
    CHECK_EQ(called, 3 * THREADS * scale(CALLS));
    CHECK_EQ(retired, called);
    CHECK_EQ(early, 0);
    CHECK_EQ(not_after, 0);
}

/* ---- Ids have no gaps ---- */

static void on_code_object(rocprofiler_callback_tracing_record_t record,
                           rocprofiler_user_data_t *user, void *data)
{
    (void)user, (void)data;
    CHECK_EQ(record.correlation_id.internal, 0);
}

static void dense_configure(void)
{
    follow(ROCPROFILER_BUFFER_TRACING_HIP_RUNTIME_API);
    follow(ROCPROFILER_BUFFER_TRACING_RUNTIME_INITIALIZATION);
    OK(rocprofiler_configure_callback_tracing_service(
        context, ROCPROFILER_CALLBACK_TRACING_CODE_OBJECT, NULL, 0, on_code_object, NULL));
}

static void *call_often(void *unused)
{
    for (int i = 0; i < scale(CALLS); i++)
        fake_hipFree(NULL);
    return unused;
}

static void dense_run(void)
{
    hsa->core->hsa_executable_freeze_fn((hsa_executable_t){4}, NULL);
    in_threads(call_often);
    in_threads(call_often); /* other threads, entries of those before */
    OK(rocprofiler_flush_buffer(buffer));
    CHECK_EQ(called, 4 * THREADS * scale(CALLS));
    CHECK_EQ(last_id, called);
}

/* ---- Each id is one call's, whoever interrupts whom ---- */

enum { HANDLER_CALLS = 3, MANY = 3 << 18, MANY_MAX = 1 << 23 };
static uint64_t given[MANY_MAX / 64]; /* a bit for each id */
static atomic_uint_fast64_t twice, all_calls;
static atomic_bool called_enough;

static void on_call(rocprofiler_callback_tracing_record_t record, rocprofiler_user_data_t *user,
                    void *data)
{
    (void)user, (void)data;
    const uint64_t id = record.correlation_id.internal, bit = UINT64_C(1) << id % 64;
    if (record.phase != ROCPROFILER_CALLBACK_PHASE_ENTER || id >= MANY_MAX) return;
    all_calls++;
    if (__atomic_fetch_or(&given[id / 64], bit, __ATOMIC_RELAXED) & bit) twice++;
}

static void on_signal(int number)
{
    (void)number;
    for (int i = 0; i < HANDLER_CALLS; i++)
        fake_hipFree(NULL);
}

static void *call_many(void *unused)
{
    for (int i = 0; i < scale(MANY); i++)
        fake_hipFree(NULL);
    return unused;
}

static void *disturb(void *victim)
{
    while (!called_enough) {
        pthread_kill(*(pthread_t *)victim, SIGUSR1);
        usleep(1);
    }
    return NULL;
}

static void signals_configure(void)
{
    OK(rocprofiler_configure_callback_tracing_service(
        context, ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API, NULL, 0, on_call, NULL));
}

static void signals_run(void)
{
    pthread_t self = pthread_self(), disturber;
    signal(SIGUSR1, on_signal);
    pthread_create(&disturber, NULL, disturb, &self);
    call_many(NULL);
    called_enough = true;
    pthread_join(disturber, NULL);
    CHECK_EQ(all_calls > (uint64_t)scale(MANY), true);
    CHECK_EQ(twice, 0);
}

/* ---- Texts stay ---- */

enum { KEPT_MAX = 64 };
static struct {
    const char *pointer;
    char then[64];
} kept[KEPT_MAX];
static int kept_count;

static void keep(const char *text)
{
    if (kept_count == KEPT_MAX) return;
    kept[kept_count].pointer = text;
    snprintf(kept[kept_count++].then, sizeof kept->then, "%s", text);
}

static void on_texts(rocprofiler_callback_tracing_record_t record, rocprofiler_user_data_t *user,
                     void *data)
{
    (void)user, (void)data;
    if (record.kind == ROCPROFILER_CALLBACK_TRACING_MARKER_CORE_RANGE_API) {
        const rocprofiler_callback_tracing_marker_api_data_t *range = record.payload;
        keep(range->args.roctxThreadRangeA.message);
    } else if (record.operation == ROCPROFILER_CODE_OBJECT_LOAD) {
        const rocprofiler_callback_tracing_code_object_load_data_t *object = record.payload;
        keep(object->uri);
    } else if (record.operation == ROCPROFILER_CODE_OBJECT_DEVICE_KERNEL_SYMBOL_REGISTER) {
        const rocprofiler_callback_tracing_code_object_kernel_symbol_register_data_t *kernel =
            record.payload;
        keep(kernel->kernel_name);
    }
}

static void on_extended(rocprofiler_context_id_t from, rocprofiler_buffer_id_t which,
                        rocprofiler_record_header_t **headers, size_t count, void *data,
                        uint64_t lost)
{
    (void)from, (void)which, (void)data, (void)lost;
    for (size_t i = 0; i < count; i++) {
        const rocprofiler_buffer_tracing_hip_api_ext_record_t *r = headers[i]->payload;
        if (r->operation == ROCPROFILER_HIP_RUNTIME_API_ID_hipDeviceGetByPCIBusId)
            keep(r->args.hipDeviceGetByPCIBusId.pciBusId);
    }
}

static void texts_configure(void)
{
    static const rocprofiler_callback_tracing_kind_t kinds[] = {
        ROCPROFILER_CALLBACK_TRACING_CODE_OBJECT,
        ROCPROFILER_CALLBACK_TRACING_MARKER_CORE_RANGE_API};
    for (int i = 0; i < 2; i++)
        OK(rocprofiler_configure_callback_tracing_service(context, kinds[i], NULL, 0, on_texts,
                                                          NULL));
    rocprofiler_buffer_id_t extended;
    OK(rocprofiler_create_buffer(context, 4096, 2048, ROCPROFILER_BUFFER_POLICY_LOSSLESS,
                                 on_extended, NULL, &extended));
    OK(rocprofiler_configure_buffer_tracing_service(
        context, ROCPROFILER_BUFFER_TRACING_HIP_RUNTIME_API_EXT, NULL, 0, extended));
    buffer = extended;
}

static int push(const char *message)
{
    (void)message;
    return 0;
}

static int pop(void)
{
    return 0;
}

static hipError_t by_bus(int *device, const char *bus)
{
    *device = bus[0];
    return hipSuccess;
}

static void texts_run(void)
{
    static roctxCoreApiTable_t core = {
        .size = sizeof core, .roctxRangePushA_fn = push, .roctxRangePop_fn = pop};
    static roctxControlApiTable_t control = {.size = sizeof control};
    static roctxNameApiTable_t name = {.size = sizeof name};
    void *tables[] = {&core, &control, &name};
    CHECK_EQ(rocprofiler_set_api_table("roctx", 10000, 0, tables, 3), 0);
    char text[16];
    int device;
    for (int i = 0; i < 3; i++) {
        hsa->core->hsa_executable_freeze_fn((hsa_executable_t){4}, NULL);
        hsa->core->hsa_executable_destroy_fn((hsa_executable_t){4});
        snprintf(text, sizeof text, "range %d", i);
        core.roctxRangePushA_fn(text);
        core.roctxRangePop_fn();
        snprintf(text, sizeof text, "00:%d", i);
        ((hipError_t(*)(int *, const char *))FAKE_ENTRY(&fake_hip, hipDeviceGetByPCIBusId))(&device,
                                                                                            text);
    }
    memset(text, 0, sizeof text);
    OK(rocprofiler_flush_buffer(buffer));
    CHECK_EQ(kept_count, 3 * 2 * (1 + 2 + 1) + 3);
    for (int i = 0; i < kept_count; i++) {
        if (!strcmp(kept[i].pointer, kept[i].then) && kept[i].then[0]) continue;
        fprintf(stderr, "\"%s\" was \"%s\"\n", kept[i].pointer, kept[i].then);
        failures++;
    }
    for (int i = 0; i < kept_count; i++) /* each once */
        for (int j = 0; j < i; j++)
            CHECK_EQ(!strcmp(kept[i].then, kept[j].then), kept[i].pointer == kept[j].pointer);
}

/* ---- Two copies of a runtime ---- */

static fake_table_t other_hip, third_hip;

static hipError_t other_last_error(void)
{
    return (hipError_t)8;
}

static void copies_configure(void)
{
    follow(ROCPROFILER_BUFFER_TRACING_HIP_RUNTIME_API);
}

static void copies_run(void)
{
    hipError_t (*other)(void), (*third)(void);
    FAKE_ENTRY(&other_hip, hipGetLastError) = (void *)other_last_error;
    FAKE_ENTRY(&third_hip, hipGetLastError) = (void *)other_last_error;
    register_table("hip", &other_hip);
    register_table("hip", &other_hip); /* once more: nothing changes */
    register_table("hip", &third_hip); /* a warning */
    *(void **)&other = FAKE_ENTRY(&other_hip, hipGetLastError);
    *(void **)&third = FAKE_ENTRY(&third_hip, hipGetLastError);
    CHECK_EQ(other(), 8);
    CHECK_EQ(fake_hipGetLastError(), 7);
    CHECK(other != other_last_error);
    CHECK(third == other_last_error);
    OK(rocprofiler_flush_buffer(buffer));
    CHECK_EQ(called, 2);
    /* the runtime was shut down and starts anew */
    FAKE_ENTRY(&other_hip, hipGetLastError) = (void *)other_last_error;
    register_table("hip", &other_hip);
    *(void **)&other = FAKE_ENTRY(&other_hip, hipGetLastError);
    CHECK_EQ(other(), 8);
    OK(rocprofiler_flush_buffer(buffer));
    CHECK_EQ(called, 3);
}

/* ---- The tool ---- */

static const scenario_t scenarios[] = {
    {"order", order_configure, order_run},       {"dense", dense_configure, dense_run},
    {"signals", signals_configure, signals_run}, {"texts", texts_configure, texts_run},
    {"copies", copies_configure, copies_run},
};

static int initialize(rocprofiler_client_finalize_t f, void *data)
{
    (void)f, (void)data;
    OK(rocprofiler_create_context(&context));
    OK(rocprofiler_create_buffer(context, 16384, 8192, ROCPROFILER_BUFFER_POLICY_LOSSLESS,
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
    id->name = "ids";
    static rocprofiler_tool_configure_result_t result = {sizeof result, initialize, NULL, NULL};
    return &result;
}

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++)
        if (argc == 2 && !strcmp(argv[1], scenarios[i].name)) scenario = &scenarios[i];
    if (!scenario) return 2;
    fake_fill();
    FAKE_ENTRY(&fake_hip, hipLaunchKernel) = (void *)launching;
    FAKE_ENTRY(&fake_hip, hipDeviceGetByPCIBusId) = (void *)by_bus;
    hsa = fake_table(false);
    fake_kernels = 2;
    other_hip = third_hip = fake_hip;
    register_table("hsa", hsa);
    register_table("hip", &fake_hip);
    scenario->run();
    return failures != 0;
}
