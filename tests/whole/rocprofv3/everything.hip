// everything.hip - records of every kind that a HIP program makes: calls with arguments, a kernel that
// needs scratch memory, copies, memory given out and taken back, marks and ranges, a thread with a name.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <pthread.h>
#include <rocprofiler-sdk-roctx/roctx.h>
#include <thread>

#define CHECK(call)                                                                               \
    do {                                                                                          \
        hipError_t error_ = call;                                                                 \
        if (error_ != hipSuccess) {                                                               \
            fprintf(stderr, "%s: %s\n", #call, hipGetErrorString(error_));                        \
            exit(99);                                                                             \
        }                                                                                         \
    } while (0)

constexpr int N = 256, PRIVATE = 3000;

// Too much for registers, and where it lies is known at run time only.
__global__ void scatter(int *out, int stride)
{
    int many[PRIVATE];
    for (int i = 0; i < PRIVATE; i++) many[(i * stride) % PRIVATE] = i;
    out[threadIdx.x] = many[(threadIdx.x * stride) % PRIVATE];
}

static void work()
{
    int host[N], *device;
    CHECK(hipMalloc(&device, sizeof(host)));
    CHECK(hipMemset(device, 0, sizeof(host)));
    hipLaunchKernelGGL(scatter, dim3(1), dim3(N), 0, 0, device, 7);
    CHECK(hipMemcpy(host, device, sizeof(host), hipMemcpyDeviceToHost));
    CHECK(hipFree(device));
    for (int i = 0; i < N; i++)
        if (host[i] != i) exit(98);
}

int main()
{
    roctxMarkA("before");
    roctxRangePushA("working");
    std::thread worker([] {
        pthread_setname_np(pthread_self(), "worker of all");
        work();
    });
    worker.join();
    roctxRangePop();
    work();
    puts("right");
}
