/* newer.hip - what HIP offers from 6.1 on: capture to a graph, flags of events, functions by name.
 *
 * Functions are reached as programs reach them: bound by the linker, asked of hipGetProcAddress, and
 * looked up in a library that the program opened. How often each is called: newer.calls. */
#include "check.h"

#include <dlfcn.h>
#include <stdio.h>

__global__ void scale(int n, float by, float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= by;
}

enum { N = 1024 };

static void *by_name(const char *name)
{
    void *function = nullptr;
    hipDriverProcAddressQueryResult found;
    HIP(hipGetProcAddress(name, &function, 600, 0, &found));
    if (!function) printf("%s is not there\n", name);
    return function;
}

static float sum(const float *x)
{
    static float host[N];
    HIP(hipMemcpy(host, x, sizeof host, hipMemcpyDeviceToHost));
    float total = 0;
    for (float value : host)
        total += value;
    return total;
}

int main()
{
    float *x;
    static float ones[N];
    for (float &one : ones)
        one = 1;
    hipStream_t stream;
    HIP(hipMalloc(&x, sizeof ones));
    HIP(hipMemcpy(x, ones, sizeof ones, hipMemcpyHostToDevice));
    HIP(hipStreamCreate(&stream));

    hipGraph_t graph, captured;
    hipGraphExec_t ready;
    HIP(hipGraphCreate(&graph, 0));
    HIP(hipStreamBeginCaptureToGraph(stream, graph, nullptr, nullptr, 0, hipStreamCaptureModeGlobal));
    scale<<<N / 256, 256, 0, stream>>>(N, 2, x);
    scale<<<N / 256, 256, 0, stream>>>(N, 0.75f, x);
    HIP(hipStreamEndCapture(stream, &captured));
    HIP(hipGraphInstantiate(&ready, captured, nullptr, nullptr, 0));
    for (int i = 0; i < 2; i++)
        HIP(hipGraphLaunch(ready, stream));
    HIP(hipStreamSynchronize(stream));
    printf("graph: %g\n", sum(x)); /* 1024 * 1.5 * 1.5 */

    hipEvent_t event;
    HIP(hipEventCreate(&event));
    HIP(hipEventRecordWithFlags(event, stream, hipEventRecordDefault));
    HIP(hipEventSynchronize(event));
    HIP(hipEventDestroy(event));

    auto set = (hipError_t(*)(void *, int, size_t, hipStream_t))by_name("hipMemsetAsync");
    if (set) {
        for (int i = 0; i < 3; i++)
            HIP(set(x, 0, sizeof ones, stream));
        HIP(hipStreamSynchronize(stream));
        printf("by name: %g\n", sum(x));
    }
    typedef hipError_t (*ask_t)(const char *, void **, int, uint64_t, hipDriverProcAddressQueryResult *);
    auto ask = (ask_t)by_name("hipGetProcAddress");
    hipError_t (*wait)() = nullptr;
    hipDriverProcAddressQueryResult found;
    if (ask) HIP(ask("hipDeviceSynchronize", (void **)&wait, 600, 0, &found));
    if (wait) HIP(wait());
    printf("asked twice: %s\n", wait ? "yes" : "no");

    Dl_info where;
    void *library = dladdr((void *)(uintptr_t)dlsym(RTLD_DEFAULT, "hipRegisterTracerCallback"), &where)
                        ? dlopen(where.dli_fname, RTLD_LAZY)
                        : nullptr;
    auto info = library ? (hipError_t(*)(size_t *, size_t *))dlsym(library, "hipMemGetInfo") : nullptr;
    size_t available, total = 0;
    for (int i = 0; info && i < 2; i++)
        HIP(info(&available, &total));
    printf("opened: %s\n", total ? "yes" : "no");
    /* what HIP does not export stays missing, and what nobody has cannot be asked for */
    printf("missing: %s\n", library && !dlsym(library, "hipNothingOfTheKind") ? "yes" : "no");

    HIP(hipGraphExecDestroy(ready));
    HIP(hipGraphDestroy(graph));
    HIP(hipStreamDestroy(stream));
    HIP(hipFree(x));
}
