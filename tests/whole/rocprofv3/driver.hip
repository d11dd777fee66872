// driver.hip - memory that goes to the GPU, comes back and is freed: what the kernel driver tells of.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                               \
    do {                                                                                          \
        hipError_t error_ = call;                                                                 \
        if (error_ != hipSuccess) {                                                               \
            fprintf(stderr, "%s: %s\n", #call, hipGetErrorString(error_));                        \
            exit(99);                                                                             \
        }                                                                                         \
    } while (0)

constexpr int N = 64;

__global__ void add(int *p) { p[threadIdx.x] += 1; }

int main()
{
    const size_t bytes = 8 * 4096;
    int *p;
    CHECK(hipMallocManaged(&p, bytes));
    for (int i = 0; i < N; i++) p[i] = i;
    CHECK(hipMemPrefetchAsync(p, bytes, 0, nullptr));
    add<<<1, N>>>(p);
    CHECK(hipMemPrefetchAsync(p, bytes, hipCpuDeviceId, nullptr));
    CHECK(hipDeviceSynchronize());
    for (int i = 0; i < N; i++)
        if (p[i] != i + 1) return 98;
    printf("%llu\n", (unsigned long long)p);
    CHECK(hipFree(p));
}
