// order.hip - programs whose streams, events, copies and graphs lack an order; see corpus.h.
#include "corpus.h"

#include <hsa/hsa_ext_amd.h>
#include <hsa/hsa_ext_image.h>

#include <atomic>

enum { BYTES = N * sizeof(int) };

// Both change all of it, each in its own way: what is there in the end depends on their order.
__global__ void put(int *at, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) at[i] = i; // bug: put
}

__global__ void change(int *at, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) at[i] = 2 * at[i] + 1; // bug: change
}

// The program waits for the flag, which is in memory of its own.
__global__ void put_and_tell(int *at, int n, volatile int *flag)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        at[i] = i;
    __syncthreads();
    __threadfence_system();
    if (threadIdx.x == 0) *flag = 1;
}

__global__ void wait_for(volatile int *gate)
{
    while (!*gate) {
    }
}

// One wave hands over what it has put to one that runs beside it.
__global__ void put_for(int *at, int n, int *flag)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        at[i] = i;
    __hip_atomic_store(flag, 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_SYSTEM);
}

__global__ void get(int *flag)
{
    while (!__hip_atomic_load(flag, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_SYSTEM)) {
    }
}

__global__ void tell(volatile int *flag)
{
    *flag = 1;
}

__global__ void count(int *at)
{
    at[threadIdx.x]++;
}

struct setting {
    hipStream_t first, second; // which do not wait for the null stream
    hipEvent_t event;
    int *at, *host;

    setting()
    {
        (void)hipStreamCreateWithFlags(&first, hipStreamNonBlocking);
        (void)hipStreamCreateWithFlags(&second, hipStreamNonBlocking);
        (void)hipEventCreateWithFlags(&event, hipEventDisableTiming);
        allocate(&at, N);
        (void)hipHostMalloc((void **)&host, N * sizeof(int), 0);
        std::memset(host, 0, N * sizeof(int));
    }
    ~setting()
    {
        (void)hipDeviceSynchronize();
        (void)hipHostFree(host);
        (void)hipFree(at);
        (void)hipEventDestroy(event);
        (void)hipStreamDestroy(first);
        (void)hipStreamDestroy(second);
    }
    void put_on(hipStream_t stream) { put<<<GROUPS, GROUP, 0, stream>>>(at, N); }
    void change_on(hipStream_t stream) { change<<<GROUPS, GROUP, 0, stream>>>(at, N); }
    void to_host(hipStream_t stream)
    {
        (void)hipMemcpyAsync(host, at, BYTES, hipMemcpyDeviceToHost, stream); // copy: to host
    }
    void from_host(hipStream_t stream)
    {
        (void)hipMemcpyAsync(at, host, BYTES, hipMemcpyHostToDevice, stream); // copy: from host
    }
    // What is given to the second stream from now on comes after what the first has.
    void in_order(hipStream_t before, hipStream_t after)
    {
        (void)hipEventRecord(event, before);
        (void)hipStreamWaitEvent(after, event, 0);
    }
};

// ---- kernels ----

static void two_streams()
{
    setting s;
    s.put_on(s.first);
    if (right) s.in_order(s.first, s.second);
    s.change_on(s.second);
}

static void event_of_the_wrong_stream()
{
    setting s;
    s.put_on(s.first);
    s.in_order(right ? s.first : s.second, s.second);
    s.change_on(s.second);
}

// Who waits for an event that has not been recorded waits for nothing.
static void wait_before_record()
{
    setting s;
    s.put_on(s.first);
    if (right) (void)hipEventRecord(s.event, s.first);
    (void)hipStreamWaitEvent(s.second, s.event, 0);
    s.change_on(s.second);
    if (!right)
        (void)hipEventRecord(s.event,
                             s.first); // the runtime looks at the event's signal when it likes
}

// The event is recorded again before the second stream waits, but before the kernel.
static void record_too_early()
{
    setting s;
    if (!right) (void)hipEventRecord(s.event, s.first);
    s.put_on(s.first);
    if (right) (void)hipEventRecord(s.event, s.first);
    (void)hipStreamWaitEvent(s.second, s.event, 0);
    s.change_on(s.second);
}

static void null_stream()
{
    setting s;
    hipStream_t blocking;
    (void)hipStreamCreate(&blocking);
    s.put_on(nullptr);
    s.change_on(right ? blocking : s.second);
    (void)hipStreamDestroy(blocking);
}

static void other_stream_is_waited_for()
{
    setting s;
    s.put_on(s.first);
    (void)hipStreamSynchronize(right ? s.first : s.second);
    s.change_on(s.second);
}

// The second stream waits for a value that the first writes.
static void value_too_early()
{
    setting s;
    int *value;
    if (hipExtMallocWithFlags((void **)&value, 8, hipMallocSignalMemory) != hipSuccess) return;
    *(volatile int *)value = 0;
    if (!right) (void)hipStreamWriteValue32(s.first, value, 1, 0);
    s.put_on(s.first);
    if (right) (void)hipStreamWriteValue32(s.first, value, 1, 0);
    (void)hipStreamWaitValue32(s.second, value, 1, hipStreamWaitValueGte, 0xffffffff);
    s.change_on(s.second);
    (void)hipDeviceSynchronize();
    (void)hipFree(value);
}

// Hundreds of others come in between.
static void long_ago()
{
    setting s;
    int *other;
    allocate(&other, 64);
    (void)hipMemset(other, 0, 64 * sizeof(int));
    (void)hipDeviceSynchronize();
    s.put_on(s.first);
    if (right) s.in_order(s.first, s.second);
    for (int k = 0; k < 400; k++)
        count<<<1, 64, 0, s.second>>>(other);
    s.change_on(s.second);
    (void)hipDeviceSynchronize();
    (void)hipFree(other);
}

static hipGraphNode_t add_node(hipGraph_t graph, void (*kernel)(int *, int), int **at)
{
    hipGraphNode_t node;
    hipKernelNodeParams how = {};
    int n = N;
    void *arguments[] = {at, &n};
    how.func = (void *)kernel;
    how.gridDim = dim3(GROUPS);
    how.blockDim = dim3(GROUP);
    how.kernelParams = arguments;
    (void)hipGraphAddKernelNode(&node, graph, nullptr, 0, &how);
    return node;
}

static void graph_without_edge()
{
    setting s;
    hipGraph_t graph;
    hipGraphExec_t whole;
    (void)hipGraphCreate(&graph, 0);
    hipGraphNode_t first = add_node(graph, put, &s.at), second = add_node(graph, change, &s.at);
    if (right) (void)hipGraphAddDependencies(graph, &first, &second, 1);
    (void)hipGraphInstantiate(&whole, graph, nullptr, nullptr, 0);
    for (int k = 0; k < 3; k++)
        (void)hipGraphLaunch(whole, s.first);
    (void)hipStreamSynchronize(s.first);
    (void)hipGraphExecDestroy(whole);
    (void)hipGraphDestroy(graph);
}

// ---- copies ----

static void copied_too_early()
{
    setting s;
    s.put_on(s.first);
    if (right) s.in_order(s.first, s.second);
    s.to_host(s.second);
    (void)hipStreamSynchronize(s.second); // before the program knows anything of the first
}

// The kernel is held back until the copy is there, of which it was not told.
static void copied_beside(void (setting::*copy)(hipStream_t))
{
    setting s;
    volatile int *gate;
    (void)hipHostMalloc((void **)&gate, sizeof *gate, 0);
    *gate = 0;
    s.put_on(s.first);
    if (right) (s.*copy)(s.first);
    s.in_order(s.first, s.second);
    wait_for<<<1, 1, 0, s.second>>>(gate);
    s.change_on(s.second);
    if (!right) (s.*copy)(s.first); // copy: beside a kernel
    (void)hipStreamSynchronize(s.first);
    *gate = 1;
    (void)hipDeviceSynchronize();
    (void)hipHostFree((void *)gate);
}

static void changed_while_copied()
{
    copied_beside(&setting::to_host);
}

static void not_there_yet()
{
    copied_beside(&setting::from_host);
}

// Two copies, by engines of two directions.
static void two_copies()
{
    setting s;
    s.host[0] = 1;
    s.from_host(s.first);
    if (right) s.in_order(s.first, s.second);
    s.to_host(s.second);
}

// Two of one direction within the GPU, by kernels of the runtime, which all look alike.
static void two_copies_inside()
{
    setting s;
    int *one, *two;
    allocate(&one, N);
    allocate(&two, N);
    (void)hipMemset(one, 1, BYTES);
    (void)hipMemset(two, 2, BYTES);
    (void)hipDeviceSynchronize();
    (void)hipMemcpyAsync(s.at, one, BYTES, hipMemcpyDeviceToDevice, s.first); // copy: one
    if (right) s.in_order(s.first, s.second);
    (void)hipMemcpyAsync(s.at, two, BYTES, hipMemcpyDeviceToDevice, s.second); // copy: two
    (void)hipDeviceSynchronize();
    (void)hipFree(one);
    (void)hipFree(two);
}

static void two_fills()
{
    setting s;
    (void)hipMemsetAsync(s.at, 1, BYTES, s.first); // fill: one
    if (right) s.in_order(s.first, s.second);
    (void)hipMemsetAsync(s.at, 2, BYTES, s.second); // fill: two
}

static void fill_and_copy()
{
    setting s;
    (void)hipMemsetAsync(s.at, 1, BYTES, s.first); // fill: beside a copy
    if (right) s.in_order(s.first, s.second);
    s.to_host(s.second);
}

static void fill_and_kernel()
{
    setting s;
    (void)hipMemsetAsync(s.at, 1, BYTES, s.first); // fill: beside a kernel
    if (right) s.in_order(s.first, s.second);
    s.put_on(s.second);
}

// A copy of a graph is named by the call that has added it.
static void graph_of_copies()
{
    setting s;
    hipGraph_t graph;
    hipGraphExec_t whole;
    hipGraphNode_t fill, copy;
    const hipMemcpyKind to_host = hipMemcpyDeviceToHost;
    hipMemsetParams how = {};
    how.dst = s.at;
    how.elementSize = 1;
    how.width = BYTES;
    how.height = 1;
    how.value = 1;
    (void)hipGraphCreate(&graph, 0);
    (void)hipGraphAddMemsetNode(&fill, graph, nullptr, 0, &how);                     // node: fill
    (void)hipGraphAddMemcpyNode1D(&copy, graph, 0, 0, s.host, s.at, BYTES, to_host); // node: copy
    if (right) (void)hipGraphAddDependencies(graph, &fill, &copy, 1);
    (void)hipGraphInstantiate(&whole, graph, nullptr, nullptr, 0);
    (void)hipGraphLaunch(whole, s.first);
    (void)hipStreamSynchronize(s.first);
    (void)hipGraphExecDestroy(whole);
    (void)hipGraphDestroy(graph);
}

// Memory is given back on a stream that does not wait for its user. The stream is held back until
// the user is done, which the program sees after it has asked for all of that.
static void freed_beside()
{
    setting s;
    volatile int *gate = s.host;
    int *at;
    if (hipMallocAsync((void **)&at, N * sizeof(int), s.first) != hipSuccess) return;
    s.in_order(s.first, s.second);
    wait_for<<<1, 1, 0, s.first>>>(gate);
    if (right) put<<<GROUPS, GROUP, 0, s.second>>>(at, N);
    if (right) s.in_order(s.second, s.first);
    (void)hipFreeAsync(at, s.first); // freed: beside
    if (!right) put<<<GROUPS, GROUP, 0, s.second>>>(at, N);
    tell<<<1, 1, 0, s.second>>>(gate + 1);
    while (!gate[1]) {
    }
    *gate = 1;
}

// ---- programs that are right ----

// Newer than some runtimes.
extern "C" __attribute__((weak)) hipError_t hipLaunchHostFunc(hipStream_t stream, hipHostFn_t call,
                                                              void *argument);

static std::atomic<int> called;

static void on_stream(void *)
{
    called++;
}

static void when_done(hipStream_t, hipError_t, void *)
{
    called++;
}

// Each way in which a program may wait for one stream before it goes on with another.
static void ways_to_wait()
{
    setting s;
    int *other;
    for (int way = 0; way < 10; way++) {
        s.put_on(s.first);
        s.change_on(s.first);
        (void)hipEventRecord(s.event, s.first);
        called = 0;
        *(volatile int *)s.host = 0;
        switch (way) {
        case 0: (void)hipDeviceSynchronize(); break;
        case 1: (void)hipStreamSynchronize(s.first); break;
        case 2: (void)hipEventSynchronize(s.event); break;
        case 3:
            while (hipStreamQuery(s.first) == hipErrorNotReady)
                ;
            break;
        case 4:
            while (hipEventQuery(s.event) == hipErrorNotReady)
                ;
            break;
        case 5:
            s.to_host(s.first);
            (void)hipStreamSynchronize(s.first);
            break;
        case 6:
            if (!hipLaunchHostFunc) continue;
            (void)hipLaunchHostFunc(s.first, on_stream, nullptr);
            while (!called)
                ;
            break;
        case 7:
            (void)hipStreamAddCallback(s.first, when_done, nullptr, 0);
            while (!called)
                ;
            break;
        case 8:
            allocate(&other, N);
            (void)hipFree(other); // waits for the device
            break;
        case 9:
            put_and_tell<<<1, GROUP, 0, s.first>>>(s.at, N, s.host);
            while (*(volatile int *)s.host != 1)
                ;
            break;
        }
        s.change_on(s.second);
        (void)hipStreamSynchronize(s.second);
    }
}

// Streams that wait for the null stream, and it for them; chains of events; a stream that waits for
// two.
static void ways_of_streams()
{
    setting s;
    hipStream_t blocking[2];
    for (auto &b : blocking)
        (void)hipStreamCreate(&b);
    for (int round = 0; round < 3; round++) {
        s.put_on(blocking[0]);
        s.change_on(nullptr);
        s.change_on(blocking[1]);
        (void)hipMemcpy(s.host, s.at, N * sizeof(int), hipMemcpyDeviceToHost);
        s.change_on(s.first);
        s.in_order(s.first, s.second);
        s.to_host(s.second);
        s.in_order(s.second, s.first);
        s.change_on(s.first);
        (void)hipStreamAddCallback(s.first, when_done, nullptr, 0);
        s.from_host(s.first);
        s.in_order(s.first, blocking[0]);
        s.change_on(blocking[0]);
        (void)hipMemsetAsync(s.at, 0, BYTES, blocking[0]);
        (void)hipStreamSynchronize(blocking[0]);
    }
    for (auto b : blocking)
        (void)hipStreamDestroy(b);
}

// What comes after a kernel that has waited for another's flag comes after that other, too.
static void flag_of_another()
{
    setting s;
    int *flag;
    allocate(&flag, 1);
    (void)hipMemset(flag, 0, sizeof *flag);
    (void)hipDeviceSynchronize();
    get<<<1, 1, 0, s.second>>>(flag);
    s.change_on(s.second);
    put_for<<<1, 64, 0, s.first>>>(s.at, N, flag);
    (void)hipDeviceSynchronize();
    (void)hipFree(flag);
}

// Memory of a pool that one stream gives back and another gets.
static void pool()
{
    setting s;
    for (int round = 0; round < 8; round++) {
        int *at;
        hipStream_t on = round % 2 ? s.first : s.second;
        if (hipMallocAsync((void **)&at, N * sizeof(int), on) != hipSuccess) return;
        put<<<GROUPS, GROUP, 0, on>>>(at, N);
        change<<<GROUPS, GROUP, 0, on>>>(at, N);
        (void)hipFreeAsync(at, on);
        if (round % 3 == 2) (void)hipStreamSynchronize(on);
    }
}

// ---- HSA's images: its calls wait for the kernels by which they work ----

static hsa_status_t take_gpu(hsa_agent_t agent, void *to)
{
    hsa_device_type_t type;
    hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type);
    if (type != HSA_DEVICE_TYPE_GPU) return HSA_STATUS_SUCCESS;
    *static_cast<hsa_agent_t *>(to) = agent;
    return HSA_STATUS_INFO_BREAK;
}

struct picture_t {
    hsa_ext_image_t image;
    void *memory;
};

static picture_t picture(hsa_agent_t gpu, hsa_ext_image_geometry_t geometry, size_t width, size_t height)
{
    const hsa_ext_image_descriptor_t d = {geometry, width, height, 0, 0,
                                          {HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8, HSA_EXT_IMAGE_CHANNEL_ORDER_RGBA}};
    hsa_ext_image_data_info_t room;
    picture_t p = {};
    hsa_ext_image_data_get_info(gpu, &d, HSA_ACCESS_PERMISSION_RW, &room);
    (void)hipMalloc(&p.memory, room.size);
    hsa_ext_image_create(gpu, &d, p.memory, HSA_ACCESS_PERMISSION_RW, &p.image);
    return p;
}

static void drop(hsa_agent_t gpu, picture_t p)
{
    hsa_ext_image_destroy(gpu, p.image);
    (void)hipFree(p.memory);
}

static void image_calls()
{
    const hsa_dim3_t none = {0, 0, 0};
    const hsa_ext_image_region_t all = {none, {32, 16, 1}}, row = {none, {512, 1, 1}};
    const float colour[4] = {1, 0, 1, 0};
    hsa_agent_t gpu = {};
    char *from, *to;
    (void)hipHostMalloc(&from, 2048);
    (void)hipHostMalloc(&to, 2048);
    memset(from, 1, 2048);
    hsa_init();
    hsa_iterate_agents(take_gpu, &gpu);
    const picture_t one = picture(gpu, HSA_EXT_IMAGE_GEOMETRY_2D, 32, 16),
                    other = picture(gpu, HSA_EXT_IMAGE_GEOMETRY_2D, 32, 16),
                    line = picture(gpu, HSA_EXT_IMAGE_GEOMETRY_1DB, 512, 0);
    hsa_ext_image_import(gpu, from, 128, 2048, one.image, &all);
    hsa_ext_image_copy(gpu, one.image, &none, other.image, &none, &all.range);
    hsa_ext_image_export(gpu, other.image, to, 128, 2048, &all);
    if (memcmp(from, to, 2048)) puts("a copy is wrong");
    hsa_ext_image_clear(gpu, other.image, colour, &all);
    hsa_ext_image_clear(gpu, line.image, colour, &row); // elements of four bytes from four registers
    hsa_ext_image_copy(gpu, other.image, &none, one.image, &none, &all.range);
    hsa_ext_image_export(gpu, one.image, from, 128, 2048, &all);
    hsa_ext_image_export(gpu, line.image, to, 2048, 2048, &row);
    if (memcmp(from, to, 2048)) puts("a clear is wrong");
    for (const picture_t &p : {one, other, line})
        drop(gpu, p);
    (void)hipHostFree(from);
    (void)hipHostFree(to);
    hsa_shut_down();
}

static const row_t rows[] = {
    {"two-streams", two_streams},
    {"event-of-the-wrong-stream", event_of_the_wrong_stream},
    {"wait-before-record", wait_before_record},
    {"record-too-early", record_too_early},
    {"null-stream", null_stream},
    {"other-stream-is-waited-for", other_stream_is_waited_for},
    {"value-too-early", value_too_early},
    {"long-ago", long_ago},
    {"graph-without-edge", graph_without_edge},
    {"copied-too-early", copied_too_early},
    {"changed-while-copied", changed_while_copied},
    {"not-there-yet", not_there_yet},
    {"two-copies", two_copies},
    {"two-copies-inside", two_copies_inside},
    {"two-fills", two_fills},
    {"fill-and-copy", fill_and_copy},
    {"fill-and-kernel", fill_and_kernel},
    {"graph-of-copies", graph_of_copies},
    {"freed-beside", freed_beside},
    {"ways-to-wait", ways_to_wait},
    {"ways-of-streams", ways_of_streams},
    {"flag-of-another", flag_of_another},
    {"pool", pool},
    {"image-calls", image_calls},
};

int main(int argc, char **argv)
{
    return run(rows, argc, argv);
}
