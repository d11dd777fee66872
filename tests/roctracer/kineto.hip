// Traces itself through libroctracer64 in the way of PyTorch's profiler, and prints what it was told:
// calls with their arguments, work of the GPU with the call that started it, marks, external ids. The
// output is the same each time; kineto.txt has it.
#include <roctracer/roctracer.h>
#include <roctracer/roctracer_ext.h>
#include <roctracer/roctracer_hip.h>
#include <roctracer/roctracer_roctx.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

static int failures;
#define EXPECT(what)                                                                                                   \
    do {                                                                                                               \
        if (!(what)) {                                                                                                 \
            std::printf("line %d: not so: %s\n", __LINE__, #what);                                                     \
            failures++;                                                                                                \
        }                                                                                                              \
    } while (0)
#define DONE(call) EXPECT((call) == ROCTRACER_STATUS_SUCCESS)

__global__ void add(int *data, int value)
{
    data[threadIdx.x] += value;
}

__global__ void twice(int *data)
{
    data[threadIdx.x] *= 2;
}

enum { COUNT = 64 };
static int *device;
static int host[COUNT];
static std::map<uint64_t, std::string> calls; // by correlation id
static std::vector<std::pair<uint64_t, std::string>> lines; // with when work of the GPU began; calls have 0
static uint64_t session_begin, session_end;

static void line(const std::string &text, uint64_t began = 0)
{
    lines.emplace_back(began, text);
}

// Work of the GPU by when it began: the runtime says of two kernels that they ended in any order.
static void print_lines(const char *title)
{
    std::printf("%s\n", title);
    std::stable_sort(lines.begin(), lines.end(), [](auto &a, auto &b) { return a.first < b.first; });
    for (const auto &[began, text] : lines)
        std::printf("  %s\n", text.c_str());
    lines.clear();
}

static std::string arguments(uint32_t cid, const hip_api_data_t *data)
{
    char text[256] = "";
    switch (cid) {
    case HIP_API_ID_hipMalloc:
        EXPECT(data->args.hipMalloc.ptr == reinterpret_cast<void **>(&device));
        EXPECT(data->args.hipMalloc.ptr__val == device);
        std::snprintf(text, sizeof text, " size %zu", data->args.hipMalloc.size);
        break;
    case HIP_API_ID_hipFree:
        EXPECT(data->args.hipFree.ptr == device);
        break;
    case HIP_API_ID_hipMemcpy:
        EXPECT(data->args.hipMemcpy.dst == device || data->args.hipMemcpy.src == device);
        std::snprintf(text, sizeof text, " bytes %zu kind %d", data->args.hipMemcpy.sizeBytes,
                      int(data->args.hipMemcpy.kind));
        break;
    case HIP_API_ID_hipLaunchKernel: {
        const auto &launch = data->args.hipLaunchKernel;
        EXPECT(launch.stream == nullptr && launch.args != nullptr);
        std::snprintf(text, sizeof text, " blocks %u,%u,%u threads %u,%u,%u shared %zu", launch.numBlocks.x,
                      launch.numBlocks.y, launch.numBlocks.z, launch.dimBlocks.x, launch.dimBlocks.y,
                      launch.dimBlocks.z, launch.sharedMemBytes);
    }
    }
    return text;
}

// At the end of a call, as Kineto: by then its results are there.
static void on_call(uint32_t domain, uint32_t cid, const void *data, void *arg)
{
    const auto *call = static_cast<const hip_api_data_t *>(data);
    EXPECT(domain == ACTIVITY_DOMAIN_HIP_API && arg == &calls);
    const char *name = roctracer_op_string(ACTIVITY_DOMAIN_HIP_API, cid, 0);
    if (call->phase == ACTIVITY_API_PHASE_ENTER) {
        calls[call->correlation_id] = name;
        return;
    }
    EXPECT(calls[call->correlation_id] == name);
    line(name + arguments(cid, call));
}

static void on_mark(uint32_t domain, uint32_t cid, const void *data, void *arg)
{
    const auto *mark = static_cast<const roctx_api_data_t *>(data);
    EXPECT(domain == ACTIVITY_DOMAIN_ROCTX && arg == &lines);
    line(std::string{roctracer_op_string(domain, cid, 0)} + ' ' + (mark->args.message ? mark->args.message : "-") +
         (mark->args.id ? " id" : ""));
}

static void on_records(const char *begin, const char *end, void *arg)
{
    EXPECT((end - begin) % sizeof(roctracer_record_t) == 0 && arg == &lines);
    const auto *record = reinterpret_cast<const roctracer_record_t *>(begin);
    const auto *last = reinterpret_cast<const roctracer_record_t *>(end);
    while (record < last) {
        std::string text = "domain " + std::to_string(record->domain) + " op " + std::to_string(record->op);
        if (record->domain == ACTIVITY_DOMAIN_EXT_API) {
            line(text + " external " + std::to_string(record->external_id));
        } else if (record->domain == ACTIVITY_DOMAIN_HIP_API) {
            EXPECT(record->thread_id != 0 && record->process_id != 0);
            line(roctracer_op_string(record->domain, record->op, 0));
        } else {
            EXPECT(record->begin_ns >= session_begin && record->begin_ns < record->end_ns);
            EXPECT(session_end == 0 || record->begin_ns <= session_end);
            EXPECT(record->device_id == 0);
            if (record->kind == 0x11F4) { // HIP 5 copies so few bytes to the GPU without its help
                DONE(roctracer_next_record(record, &record));
                continue;
            }
            text += std::string{" "} + roctracer_op_string(record->domain, record->op, record->kind);
            text += record->op == HIP_OP_ID_DISPATCH ? std::string{" "} + record->kernel_name
                                                     : " bytes " + std::to_string(record->bytes);
            line(text + " from " + calls[record->correlation_id], record->begin_ns);
        }
        DONE(roctracer_next_record(record, &record));
    }
    EXPECT(record == last);
}

static void work()
{
    EXPECT(hipMalloc(reinterpret_cast<void **>(&device), sizeof host) == hipSuccess);
    EXPECT(hipMemcpy(device, host, sizeof host, hipMemcpyHostToDevice) == hipSuccess);
    roctxRangePushA("kernels");
    add<<<1, COUNT>>>(device, 3);
    twice<<<dim3(1), dim3(COUNT)>>>(device);
    roctxRangePop();
    EXPECT(hipDeviceSynchronize() == hipSuccess);
    EXPECT(hipMemcpy(host, device, sizeof host, hipMemcpyDeviceToHost) == hipSuccess);
    EXPECT(hipFree(device) == hipSuccess);
}

static int starts, stops;
static roctracer_pool_t *pool;

static void begin_session()
{
    DONE(roctracer_get_timestamp(&session_begin));
    session_end = 0;
    roctracer_start();
}

static void end_session()
{
    roctracer_stop();
    DONE(roctracer_get_timestamp(&session_end));
    DONE(roctracer_flush_activity_expl(pool));
}

static void misuse()
{
    uint32_t op = 0;
    roctracer_properties_t properties = {};
    EXPECT(roctracer_op_code(ACTIVITY_DOMAIN_HIP_API, "hipNothing", &op, nullptr) ==
           ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT);
    EXPECT(roctracer_op_code(ACTIVITY_DOMAIN_ROCTX, "roctxMarkA", &op, nullptr) ==
           ROCTRACER_STATUS_ERROR_INVALID_DOMAIN_ID);
    char *message = const_cast<char *>(roctracer_error_string());
    EXPECT(std::strstr(message, "domain 6"));
    std::free(message);
    EXPECT(roctracer_enable_domain_callback(ACTIVITY_DOMAIN_HIP_API, nullptr, nullptr) ==
           ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT);
    EXPECT(roctracer_enable_domain_callback(ACTIVITY_DOMAIN_KFD_API, on_call, nullptr) ==
           ROCTRACER_STATUS_ERROR_INVALID_DOMAIN_ID);
    EXPECT(roctracer_enable_op_activity(ACTIVITY_DOMAIN_HIP_OPS, HIP_OP_ID_NUMBER) ==
           ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT);
    EXPECT(roctracer_enable_domain_activity(ACTIVITY_DOMAIN_HIP_OPS) ==
           ROCTRACER_STATUS_ERROR_DEFAULT_POOL_UNDEFINED);
    properties.buffer_size = sizeof(roctracer_record_t) - 1;
    EXPECT(roctracer_open_pool(&properties) == ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT);
    EXPECT(roctracer_set_properties(ACTIVITY_DOMAIN_ROCTX, nullptr) == ROCTRACER_STATUS_ERROR_INVALID_DOMAIN_ID);
    DONE(roctracer_flush_activity());
    DONE(roctracer_close_pool());
    activity_correlation_id_t id = 5;
    EXPECT(roctracer_activity_pop_external_correlation_id(&id) ==
               ROCTRACER_STATUS_ERROR_MISMATCHED_EXTERNAL_CORRELATION_ID &&
           id == 0);
}

int main()
{
    EXPECT(roctracer_version_major() == 4 && roctracer_version_minor() == 1);
    misuse();

    // as Kineto sets up
    DONE(roctracer_set_properties(ACTIVITY_DOMAIN_HIP_API, nullptr));
    roctracer_ext_properties_t told = {[] { starts++; }, [] { stops++; }};
    DONE(roctracer_set_properties(ACTIVITY_DOMAIN_EXT_API, &told));
    DONE(roctracer_enable_domain_callback(ACTIVITY_DOMAIN_HIP_API, on_call, &calls));
    for (const char *name : {"hipGetDevice", "hipSetDevice", "hipGetLastError", "__hipPushCallConfiguration",
                             "__hipPopCallConfiguration", "hipCtxSetCurrent", "hipEventRecord", "hipEventQuery",
                             "hipGetDeviceProperties", "hipPeekAtLastError", "hipModuleGetFunction",
                             "hipEventCreateWithFlags"}) {
        uint32_t op = 0, kind = 9;
        if (roctracer_op_code(ACTIVITY_DOMAIN_HIP_API, name, &op, &kind) != ROCTRACER_STATUS_SUCCESS)
            continue; // HIP 6 has another name for the properties
        EXPECT(kind == 0 && std::string{roctracer_op_string(ACTIVITY_DOMAIN_HIP_API, op, 0)} == name);
        DONE(roctracer_disable_op_callback(ACTIVITY_DOMAIN_HIP_API, op));
    }
    DONE(roctracer_enable_domain_callback(ACTIVITY_DOMAIN_ROCTX, on_mark, &lines));
    roctracer_properties_t first = {};
    first.buffer_size = 0x1000;
    DONE(roctracer_open_pool(&first));
    EXPECT(roctracer_open_pool(&first) == ROCTRACER_STATUS_ERROR_DEFAULT_POOL_ALREADY_DEFINED);
    roctracer_properties_t second = {};
    second.buffer_size = 0x4000;
    second.buffer_callback_fun = on_records;
    second.buffer_callback_arg = &lines;
    DONE(roctracer_open_pool_expl(&second, &pool));
    DONE(roctracer_enable_domain_activity_expl(ACTIVITY_DOMAIN_HCC_OPS, pool));
    EXPECT(roctracer_default_pool() != nullptr && roctracer_default_pool() != pool);

    begin_session();
    work();
    print_lines("session 1: calls and marks");
    end_session();
    print_lines("session 1: records");

    work();
    roctxMarkA("between");
    DONE(roctracer_flush_activity_expl(pool));
    print_lines("between sessions");

    // records of calls, external ids in front of those of this thread, texts that do not fit one buffer
    DONE(roctracer_disable_domain_callback(ACTIVITY_DOMAIN_HIP_API));
    DONE(roctracer_disable_domain_callback(ACTIVITY_DOMAIN_ROCTX));
    second.buffer_size = 3 * sizeof(roctracer_record_t);
    roctracer_pool_t *small = nullptr;
    DONE(roctracer_open_pool_expl(&second, &small));
    uint32_t op = 0;
    for (const char *name : {"hipMalloc", "hipFree"}) {
        DONE(roctracer_op_code(ACTIVITY_DOMAIN_HIP_API, name, &op, nullptr));
        DONE(roctracer_enable_op_activity_expl(ACTIVITY_DOMAIN_HIP_API, op, small));
    }
    DONE(roctracer_enable_op_activity_expl(ACTIVITY_DOMAIN_HIP_OPS, HIP_OP_ID_DISPATCH, small));
    begin_session();
    DONE(roctracer_activity_push_external_correlation_id(7));
    DONE(roctracer_activity_push_external_correlation_id(8));
    work();
    activity_correlation_id_t last = 0;
    DONE(roctracer_activity_pop_external_correlation_id(&last));
    EXPECT(last == 8);
    roctracer_stop();
    DONE(roctracer_get_timestamp(&session_end));
    DONE(roctracer_close_pool_expl(small));
    std::map<std::string, int> counts;
    for (const auto &[began, text] : lines)
        counts[text.substr(0, text.find(" from"))]++;
    std::printf("session 2: records of a small pool\n");
    for (const auto &[text, count] : counts)
        std::printf("  %d %s\n", count, text.c_str());
    lines.clear();

    // as Kineto takes down
    DONE(roctracer_disable_domain_activity(ACTIVITY_DOMAIN_HCC_OPS));
    DONE(roctracer_close_pool_expl(pool));
    print_lines("left for the end");
    roctracer_start();
    work();
    EXPECT(lines.empty());
    std::printf("started %d, stopped %d\n", starts, stops);
    std::printf("%d failures\n", failures);
    return failures != 0;
}
