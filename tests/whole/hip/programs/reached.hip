/* reached.hip - the ways in which programs reach HIP's functions, and what newer HIP offers.
 *
 * Functions are bound by the linker, asked of hipGetProcAddress (from 6.1 on), looked up in a
 * library that the program opened, and recorded in graphs. With the argument "calls" it prints how
 * often it called each function: that is what a trace must show. */
#include "check.h"

#include <dlfcn.h>
#include <map>
#include <string>

static std::map<std::string, int> calls;
#define CALL(function, ...) (calls[#function]++, function(__VA_ARGS__))
/* HIP's C++ header gives some functions of the library another name or other parameters. */
#define CALLED(name, ...) (calls[name]++, __VA_ARGS__)

__global__ void scale(int n, float by, float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= by;
}

enum { N = 1024 };

static float sum(const float *x)
{
    static float host[N];
    HIP(CALL(hipMemcpy, host, x, sizeof host, hipMemcpyDeviceToHost));
    float total = 0;
    for (float value : host)
        total += value;
    return total;
}

static void launch(hipStream_t stream, float by, float *x)
{
    for (auto name : {"__hipPushCallConfiguration", "__hipPopCallConfiguration", "hipLaunchKernel"})
        calls[name]++;
    scale<<<N / 256, 256, 0, stream>>>(N, by, x);
}

static void graphs(hipStream_t stream, float *x)
{
    hipGraph_t graph;
    hipGraphExec_t ready;
#if HIP_VERSION >= 60200000
    hipGraph_t made;
    HIP(CALL(hipGraphCreate, &made, 0));
    HIP(CALL(hipStreamBeginCaptureToGraph, stream, made, nullptr, nullptr, 0,
             hipStreamCaptureModeGlobal));
#else
    HIP(CALL(hipStreamBeginCapture, stream, hipStreamCaptureModeGlobal));
#endif
    launch(stream, 2, x);
    launch(stream, 0.75f, x);
    HIP(CALL(hipStreamEndCapture, stream, &graph));
    HIP(CALL(hipGraphInstantiate, &ready, graph, nullptr, nullptr, 0));
    for (int i = 0; i < 2; i++)
        HIP(CALL(hipGraphLaunch, ready, stream));
    HIP(CALL(hipStreamSynchronize, stream));
    std::printf("graph: %g\n", sum(x)); /* 1024 * 1.5 * 1.5 */
    HIP(CALL(hipGraphExecDestroy, ready));
    HIP(CALL(hipGraphDestroy, graph));
}

typedef hipError_t (*set_t)(void *, int, size_t, hipStream_t);
typedef hipError_t (*wait_t)();

#if HIP_VERSION >= 60100000
typedef hipError_t (*ask_t)(const char *, void **, int, uint64_t,
                            hipDriverProcAddressQueryResult *);

static void *asked(ask_t ask, const char *name)
{
    void *function = nullptr;
    hipDriverProcAddressQueryResult found;
    HIP(CALLED("hipGetProcAddress", ask(name, &function, HIP_VERSION_MAJOR * 100, 0, &found)));
    return function;
}

static void by_name(set_t *set, wait_t *wait)
{
    *set = (set_t)asked(hipGetProcAddress, "hipMemsetAsync");
    *wait =
        (wait_t)asked((ask_t)asked(hipGetProcAddress, "hipGetProcAddress"), "hipDeviceSynchronize");
}
#else
static void by_name(set_t *set, wait_t *wait)
{
    *set = hipMemsetAsync;
    *wait = hipDeviceSynchronize;
}
#endif

/* Functions that came with the newest HIP. */
static void newest(hipStream_t stream, float *x)
{
#if HIP_VERSION >= 60400000
    hipEvent_t event;
    HIP(CALL(hipEventCreate, &event));
    HIP(CALL(hipEventRecordWithFlags, event, stream, hipEventRecordDefault));
    HIP(CALL(hipEventSynchronize, event));
    HIP(CALL(hipEventDestroy, event));
#endif
#if HIP_VERSION >= 70200000
    unsigned long long id;
    size_t available;
    for (int i = 0; i < 2; i++)
        HIP(CALL(hipStreamGetId, stream, &id));
    HIP(CALL(hipMemsetD2D8, x, 64, 0, 64, 1));
    HIP(CALL(hipOccupancyAvailableDynamicSMemPerBlock, &available, (const void *)scale, 1, 256));
#endif
    (void)stream, (void)x;
}

int main(int argc, char **)
{
    float *x;
    static float ones[N];
    for (float &one : ones)
        one = 1;
    hipStream_t stream;
    HIP(CALLED("hipMalloc", hipMalloc(&x, sizeof ones)));
    HIP(CALL(hipMemcpy, x, ones, sizeof ones, hipMemcpyHostToDevice));
    HIP(CALL(hipStreamCreate, &stream));
    graphs(stream, x);

    set_t set;
    wait_t wait;
    by_name(&set, &wait);
    for (int i = 0; i < 3; i++)
        HIP(CALLED("hipMemsetAsync", set(x, 0, sizeof ones, stream)));
    HIP(CALLED("hipDeviceSynchronize", wait()));
    std::printf("by name: %g\n", sum(x));
    newest(stream, x);

    /* a function without an entry in HIP's tables: its address is in HIP itself */
    Dl_info where;
    void *own = dlsym(RTLD_DEFAULT, "hipGetCmdName");
    void *library = own && dladdr(own, &where) ? dlopen(where.dli_fname, RTLD_LAZY) : nullptr;
    auto info =
        library ? (hipError_t(*)(size_t *, size_t *))dlsym(library, "hipMemGetInfo") : nullptr;
    size_t available, total = 0;
    for (int i = 0; info && i < 2; i++)
        HIP(CALLED("hipMemGetInfo", info(&available, &total)));
    std::printf("opened: %s\n", total ? "yes" : "no");
    /* what this HIP lacks stays missing */
    std::printf("missing: %s\n",
                library && !dlsym(library, "hipMemPrefetchBatchAsync") ? "yes" : "no");

    HIP(CALL(hipStreamDestroy, stream));
    HIP(CALL(hipFree, x));
    for (auto &called : calls)
        if (argc == 2) std::printf("called %s %d\n", called.first.c_str(), called.second);
}
