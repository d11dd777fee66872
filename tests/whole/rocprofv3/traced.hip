// traced.hip - a small HIP program whose trace is known: two kernels, four dispatches, copies both
// ways, two streams. Ends as its first argument says; with a second one after that many dispatches
// more, of which a synchronization is the last thing it does.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <signal.h>
#include <unistd.h>

#define CHECK(call)                                                                               \
    do {                                                                                          \
        hipError_t error_ = call;                                                                 \
        if (error_ != hipSuccess) {                                                               \
            fprintf(stderr, "%s: %s\n", #call, hipGetErrorString(error_));                        \
            exit(99);                                                                             \
        }                                                                                         \
    } while (0)

constexpr int N = 4096;

__global__ void add(const float *a, const float *b, float *c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    c[i] = a[i] + b[i];
}

template <typename T> __global__ void reverse(const T *in, T *out)
{
    __shared__ T tile[128];
    tile[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
    __syncthreads();
    out[(gridDim.x - 1 - blockIdx.x) * blockDim.x + threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

static void work()
{
    float *host, *a, *b, *c;
    hipStream_t streams[2];
    CHECK(hipHostMalloc((void **)&host, N * sizeof(float), 0));
    CHECK(hipMalloc(&a, N * sizeof(float)));
    CHECK(hipMalloc(&b, N * sizeof(float)));
    CHECK(hipMalloc(&c, N * sizeof(float)));
    for (hipStream_t &s : streams) CHECK(hipStreamCreate(&s));
    for (int i = 0; i < N; i++) host[i] = (float)i;
    CHECK(hipMemcpyAsync(a, host, N * sizeof(float), hipMemcpyHostToDevice, streams[0]));
    CHECK(hipStreamSynchronize(streams[0]));
    for (int i = 0; i < 3; i++) {
        hipLaunchKernelGGL(reverse<float>, dim3(N / 128), dim3(128), 0, streams[i & 1], a, b);
        CHECK(hipStreamSynchronize(streams[i & 1]));
    }
    hipLaunchKernelGGL(add, dim3(N / 256), dim3(256), 0, streams[1], a, b, c);
    CHECK(hipMemcpyAsync(host, c, N * sizeof(float), hipMemcpyDeviceToHost, streams[1]));
    CHECK(hipStreamSynchronize(streams[1]));
    for (int i = 0; i < N; i++)
        if (host[i] != N - 1) {
            fprintf(stderr, "c[%d] is %f\n", i, host[i]);
            exit(98);
        }
    puts("right");
    fflush(stdout);
}

// Dispatches without signals: that of a barrier behind them is what the program waits for.
static void more(int count)
{
    float *a;
    CHECK(hipMalloc(&a, 64 * sizeof(float)));
    for (int i = 0; i < count; i++) hipLaunchKernelGGL(add, dim3(1), dim3(64), 0, 0, a, a, a);
    CHECK(hipStreamSynchronize(0));
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "return";
    work();
    if (argc > 2) more(atoi(argv[2]));
    if (!strcmp(how, "_exit")) _exit(7);
    if (!strcmp(how, "abort")) abort();
    if (!strcmp(how, "term")) raise(SIGTERM);
    if (!strcmp(how, "kill")) {
        usleep(400000); /* for counters, which threads of the profiler deliver; nothing shows that they have */
        raise(SIGKILL);
    }
    if (!strcmp(how, "fault")) {
        hipLaunchKernelGGL(add, dim3(1), dim3(64), 0, 0, nullptr, nullptr, nullptr);
        (void)hipDeviceSynchronize();
    }
    if (!strcmp(how, "exec")) execl(argv[0], argv[0], (char *)nullptr);
    return 0;
}
