/* graphs.hip - launches of HIP graphs, and events between two streams, for graphs.py.
 *
 * It says on standard output where its events are; what it prints and returns must be the same
 * whether or not it is profiled. */
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        hipError_t error_ = (call);                                                                \
        if (error_ != hipSuccess) {                                                                \
            fprintf(stderr, "%s: %s\n", #call, hipGetErrorString(error_));                         \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

__global__ void add(int *data, int value)
{
    data[blockIdx.x * blockDim.x + threadIdx.x] += value;
}

/* Runs until there is time for the host to say what comes after it. */
__global__ void linger(int *data, int turns)
{
    int sum = 0;
    for (int i = 0; i < turns; i++)
        sum += data[(i * 7 + threadIdx.x) & 255];
    if (sum == 12345) data[0] = sum;
}

enum { THREADS = 256 };

static int *device, *host;

static hipGraphExec_t capture(hipStream_t stream, int kernels, bool copies, hipEvent_t event)
{
    hipGraph_t graph;
    hipGraphExec_t executable;
    CHECK(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
    for (int i = 0; i < kernels; i++)
        add<<<1, THREADS, 0, stream>>>(device, 1);
    if (event) CHECK(hipEventRecord(event, stream));
    if (copies)
        CHECK(hipMemcpyAsync(host, device, THREADS * sizeof(int), hipMemcpyDeviceToHost, stream));
    CHECK(hipStreamEndCapture(stream, &graph));
    CHECK(hipGraphInstantiate(&executable, graph, NULL, NULL, 0));
    CHECK(hipGraphDestroy(graph));
    return executable;
}

static void graphs(hipStream_t stream)
{
    hipGraphExec_t three = capture(stream, 3, true, NULL), one = capture(stream, 1, false, NULL);
    CHECK(hipGraphLaunch(three, stream));
    CHECK(hipGraphLaunch(one, stream));
    CHECK(hipGraphLaunch(three, stream));
    CHECK(hipStreamSynchronize(stream));
    CHECK(hipGraphExecDestroy(one));
    one = capture(stream, 1, false, NULL); /* perhaps where the other was */
    CHECK(hipGraphLaunch(one, stream));
    add<<<1, THREADS, 0, stream>>>(device, 1); /* of none */
    CHECK(hipStreamSynchronize(stream));
    CHECK(hipGraphExecDestroy(one));
    CHECK(hipGraphExecDestroy(three));
    printf("%d\n", host[7]);
}

static hipEvent_t event(const char *name, unsigned flags)
{
    hipEvent_t made;
    CHECK(hipEventCreateWithFlags(&made, flags));
    printf("%s %p\n", name, (void *)made);
    return made;
}

static void events(hipStream_t a, hipStream_t b)
{
    hipEvent_t first = event("first", hipEventDefault), second = event("second", hipEventDefault),
               quiet = event("quiet", hipEventDisableTiming), captured = event("captured", 0);
    for (int i = 0; i < 3; i++) {
        linger<<<1, THREADS, 0, a>>>(device, 20000);
        CHECK(hipEventRecord(first, a));
        CHECK(hipStreamWaitEvent(b, first, 0));
        add<<<1, THREADS, 0, b>>>(device, 1);
        CHECK(hipEventRecord(second, b));
        CHECK(hipEventSynchronize(second));
    }
    CHECK(hipStreamWaitEvent(b, second, 0)); /* its own stream: nothing to wait for */
    for (int i = 0; i < 3; i++)
        CHECK(hipEventRecord(quiet, a));
    CHECK(hipDeviceSynchronize());
    hipGraphExec_t executable = capture(a, 1, false, captured);
    CHECK(hipGraphExecDestroy(executable));
    float ms;
    CHECK(hipEventElapsedTime(&ms, first, second));
    printf("%s\n", ms >= 0 ? "in order" : "out of order");
    for (hipEvent_t e : {first, second, quiet, captured})
        CHECK(hipEventDestroy(e));
}

int main()
{
    hipStream_t a, b;
    CHECK(hipMalloc(&device, THREADS * sizeof(int)));
    CHECK(hipHostMalloc(&host, THREADS * sizeof(int), 0));
    CHECK(hipMemset(device, 0, THREADS * sizeof(int)));
    CHECK(hipStreamCreate(&a));
    CHECK(hipStreamCreate(&b));
    graphs(a);
    events(a, b);
    CHECK(hipStreamDestroy(a));
    CHECK(hipStreamDestroy(b));
    CHECK(hipHostFree(host));
    CHECK(hipFree(device));
    return 0;
}
