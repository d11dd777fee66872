// Follows HSA below HIP through libroctracer64, as tools of the tracing library's time do: calls at both
// ends, records of calls, kernels and copies; beside it HIP's own, which keep the call of HIP.
#include <roctracer/roctracer.h>
#include <roctracer/roctracer_ext.h>
#include <roctracer/roctracer_hip.h>
#include <roctracer/roctracer_hsa.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <string>

static std::atomic<int> failures;
#define EXPECT(what)                                                                                                   \
    do {                                                                                                               \
        if (!(what)) {                                                                                                 \
            std::printf("line %d: not so: %s\n", __LINE__, #what);                                                     \
            failures++;                                                                                                \
        }                                                                                                              \
    } while (0)
#define DONE(call) EXPECT((call) == ROCTRACER_STATUS_SUCCESS)

__global__ void add(int *data)
{
    data[threadIdx.x]++;
}

enum { COUNT = 1 << 20, KERNELS = 3 };
static int *device;
static int host[COUNT];

static std::mutex lock; // HSA is called on threads of the runtimes, too
static std::map<uint64_t, std::string> hip_calls, hsa_calls;
static std::map<uint64_t, uint32_t> open_calls;
static size_t allocated, ended;
static bool with_records; // of calls: then phase_data is not kept

static void on_hip(uint32_t, uint32_t cid, const void *data, void *)
{
    const auto *call = static_cast<const hip_api_data_t *>(data);
    std::lock_guard<std::mutex> guard{lock};
    hip_calls[call->correlation_id] = roctracer_op_string(ACTIVITY_DOMAIN_HIP_API, cid, 0);
}

static void on_hsa(uint32_t domain, uint32_t cid, const void *data, void *arg)
{
    const auto *call = static_cast<const hsa_api_data_t *>(data);
    const char *name = roctracer_op_string(ACTIVITY_DOMAIN_HSA_API, cid, 0);
    EXPECT(domain == ACTIVITY_DOMAIN_HSA_API && arg == &failures && name);
    std::lock_guard<std::mutex> guard{lock};
    if (call->phase == ACTIVITY_API_PHASE_ENTER) {
        hsa_calls[call->correlation_id] = name;
        open_calls[call->correlation_id] = cid;
        if (!with_records) *call->phase_data = call->correlation_id + 1;
        return;
    }
    if (!open_calls.erase(call->correlation_id)) return; // began before
    ended++;
    EXPECT(with_records || *call->phase_data == call->correlation_id + 1);
    if (cid == HSA_API_ID_hsa_amd_memory_pool_allocate) {
        const auto &args = call->args.hsa_amd_memory_pool_allocate;
        EXPECT(call->hsa_status_t_retval == HSA_STATUS_SUCCESS && *args.ptr);
        if (args.size >= sizeof host) allocated++;
    }
}

// What HSA's events tell: the memory of the big buffer, a copy, kernels and their code.
static struct {
    int allocated, released, access, copies, submits, kernels, unloads, objects, code;
} events;

static void on_event(uint32_t domain, uint32_t cid, const void *data, void *)
{
    const auto *event = static_cast<const hsa_evt_data_t *>(data);
    static std::set<const void *> memory;
    std::lock_guard<std::mutex> guard{lock};
    EXPECT(domain == ACTIVITY_DOMAIN_HSA_EVT && roctracer_op_string(domain, cid, 0));
    switch (cid) {
    case HSA_EVT_ID_ALLOCATE:
        events.code += event->allocate.is_code && event->allocate.size;
        if (event->allocate.size >= sizeof host && !event->allocate.is_code) {
            EXPECT(event->allocate.segment == HSA_AMD_SEGMENT_GLOBAL);
            EXPECT(event->allocate.global_flag & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED);
            memory.insert(event->allocate.ptr);
            events.allocated++;
        } else if (event->allocate.size == 0) {
            events.released += (int)memory.erase(event->allocate.ptr);
        }
        break;
    case HSA_EVT_ID_DEVICE:
        events.access += event->device.ptr && event->device.agent.handle && event->device.id == 0;
        break;
    case HSA_EVT_ID_MEMCOPY:
        events.copies += event->memcopy.size == sizeof host && event->memcopy.dst && event->memcopy.src;
        break;
    case HSA_EVT_ID_SUBMIT:
        EXPECT(event->submit.device_type == HSA_DEVICE_TYPE_GPU && event->submit.device_id == 0);
        events.submits += event->submit.kernel_name && std::strstr(event->submit.kernel_name, "add");
        break;
    case HSA_EVT_ID_KSYMBOL:
        EXPECT(std::strlen(event->ksymbol.name) == event->ksymbol.name_length && event->ksymbol.object);
        if (std::strstr(event->ksymbol.name, "add")) (event->ksymbol.unload ? events.unloads : events.kernels)++;
        break;
    case HSA_EVT_ID_CODEOBJ:
        EXPECT(std::strlen(event->codeobj.uri) == event->codeobj.uri_length && event->codeobj.load_size);
        events.objects += !event->codeobj.unload;
    }
}

static std::map<std::string, int> records;

static void on_records(const char *begin, const char *end, void *)
{
    const auto *record = reinterpret_cast<const roctracer_record_t *>(begin);
    std::lock_guard<std::mutex> guard{lock};
    for (; record < reinterpret_cast<const roctracer_record_t *>(end); record++) {
        EXPECT(record->begin_ns && record->begin_ns <= record->end_ns);
        const char *name = roctracer_op_string(record->domain, record->op, record->kind);
        if (record->domain == ACTIVITY_DOMAIN_HSA_API) {
            EXPECT(record->process_id && record->thread_id && name);
            records["calls of HSA"]++;
            continue;
        }
        bool hip = record->domain == ACTIVITY_DOMAIN_HIP_OPS;
        bool kernel = record->op == HSA_OP_ID_DISPATCH;
        if (kernel && !std::strstr(record->kernel_name, "add")) continue; // the runtimes' own
        if (!kernel && record->bytes != sizeof host) continue;
        const auto &calls = hip ? hip_calls : hsa_calls;
        const auto found = calls.find(record->correlation_id);
        bool known = found != calls.end();
        std::string text = std::string{hip ? "HIP " : "HSA "} + name;
        if (hip)
            text += " from " + (known ? found->second : "no call of HIP");
        else
            text += known ? " from a call of HSA" : hsa_calls.empty() ? "" : " from elsewhere";
        records[text]++;
    }
}

static void work()
{
    EXPECT(hipMalloc(reinterpret_cast<void **>(&device), sizeof host) == hipSuccess);
    EXPECT(hipMemcpy(device, host, sizeof host, hipMemcpyHostToDevice) == hipSuccess);
    for (int i = 0; i < KERNELS; i++)
        add<<<1, 64>>>(device);
    EXPECT(hipDeviceSynchronize() == hipSuccess);
    EXPECT(hipMemcpy(host, device, sizeof host, hipMemcpyDeviceToHost) == hipSuccess);
    EXPECT(hipFree(device) == hipSuccess);
}

static roctracer_pool_t *pool;

static void print(const char *title)
{
    DONE(roctracer_flush_activity_expl(pool));
    std::lock_guard<std::mutex> guard{lock};
    std::printf("%s\n", title);
    for (const auto &[text, count] : records)
        if (text == "calls of HSA")
            std::printf("  %s\n", text.c_str());
        else
            std::printf("  %d %s\n", count, text.c_str());
    records.clear();
}

int main()
{
    // the program's code comes to the GPU, and HIP allocates what it does once
    DONE(roctracer_enable_domain_callback(ACTIVITY_DOMAIN_HSA_EVT, on_event, nullptr));
    EXPECT(!std::strcmp(roctracer_op_string(ACTIVITY_DOMAIN_HSA_EVT, HSA_EVT_ID_KSYMBOL, 0), "KSYMBOL"));
    work();
    EXPECT(events.kernels == 1 && events.objects > 0 && events.code == events.objects);
    EXPECT(events.submits == KERNELS && events.copies >= 2 && events.access > 0);
    EXPECT(events.allocated >= 1 && events.released >= 1);
    DONE(roctracer_disable_domain_callback(ACTIVITY_DOMAIN_HSA_EVT));
    int before_stop = events.submits;
    work();
    EXPECT(events.submits == before_stop);
    uint32_t op = 0, kind = 9;
    DONE(roctracer_op_code(ACTIVITY_DOMAIN_HSA_API, "hsa_amd_memory_pool_allocate", &op, &kind));
    EXPECT(op == HSA_API_ID_hsa_amd_memory_pool_allocate && kind == 0);
    EXPECT(!std::strcmp(roctracer_op_string(ACTIVITY_DOMAIN_HSA_API, HSA_API_ID_hsa_ext_image_create, 0),
                        "hsa_ext_image_create"));
    EXPECT(roctracer_op_code(ACTIVITY_DOMAIN_HSA_API, "hipMalloc", &op, &kind) ==
           ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT);
    EXPECT(!roctracer_op_string(ACTIVITY_DOMAIN_HSA_API, HSA_API_ID_NUMBER, 0));
    EXPECT(!std::strcmp(roctracer_op_string(ACTIVITY_DOMAIN_HSA_OPS, HSA_OP_ID_COPY, 0), "COPY"));
    EXPECT(roctracer_enable_op_callback(ACTIVITY_DOMAIN_HSA_API, HSA_API_ID_NUMBER, on_hsa, nullptr) ==
           ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT);
    DONE(roctracer_enable_op_callback(ACTIVITY_DOMAIN_HSA_OPS, HSA_OP_ID_COPY, on_hsa, nullptr));

    roctracer_properties_t properties = {};
    properties.buffer_size = 0x4000;
    properties.buffer_callback_fun = on_records;
    DONE(roctracer_open_pool_expl(&properties, &pool));
    hsa_ops_properties_t none = {};
    DONE(roctracer_set_properties(ACTIVITY_DOMAIN_HSA_OPS, &none));
    DONE(roctracer_enable_domain_activity_expl(ACTIVITY_DOMAIN_HSA_OPS, pool));
    work();
    print("HSA_OPS alone");

    DONE(roctracer_enable_domain_activity_expl(ACTIVITY_DOMAIN_HIP_OPS, pool));
    DONE(roctracer_enable_domain_callback(ACTIVITY_DOMAIN_HIP_API, on_hip, nullptr));
    DONE(roctracer_enable_domain_callback(ACTIVITY_DOMAIN_HSA_API, on_hsa, &failures));
    work();
    print("and calls of both");
    EXPECT(allocated == 1 && ended > KERNELS);

    // what is left of an earlier session belongs to no call
    DONE(roctracer_disable_domain_callback(ACTIVITY_DOMAIN_HIP_API));
    hip_calls.clear();
    work();
    print("no calls of HIP");

    with_records = true;
    DONE(roctracer_enable_domain_activity_expl(ACTIVITY_DOMAIN_HSA_API, pool));
    DONE(roctracer_disable_domain_activity(ACTIVITY_DOMAIN_HSA_OPS));
    DONE(roctracer_disable_domain_activity(ACTIVITY_DOMAIN_HIP_OPS));
    work();
    print("records of calls");

    DONE(roctracer_disable_domain_activity(ACTIVITY_DOMAIN_HSA_API));
    DONE(roctracer_disable_domain_callback(ACTIVITY_DOMAIN_HSA_API));
    size_t before = ended;
    work();
    print("nothing");
    EXPECT(ended == before);
    DONE(roctracer_close_pool_expl(pool));
    std::printf("%d failures\n", failures.load());
    return failures != 0;
}
