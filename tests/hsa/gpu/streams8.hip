// streams8.hip - eight threads that make streams, launch, copy and destroy them, mostly without
// waiting: 8 * 10 * 20 launches and 8 * 10 copies each way. What the tool counts is known.
#include <hip/hip_runtime.h>

#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

static std::atomic<int> failures;
#define CHECK(call)                                                                                \
    if (hipError_t e = (call)) {                                                                   \
        fprintf(stderr, "line %d: %s\n", __LINE__, hipGetErrorString(e));                          \
        failures++;                                                                                \
    }

__global__ void increment(int *a) { a[blockIdx.x * blockDim.x + threadIdx.x]++; }

static void work()
{
    const int n = 256;
    int *host, *device;
    CHECK(hipHostMalloc((void **)&host, n * sizeof *host, 0));
    CHECK(hipMalloc((void **)&device, n * sizeof *device));
    for (int round = 0; round < 10; round++) {
        hipStream_t stream;
        CHECK(hipStreamCreate(&stream));
        for (int i = 0; i < n; i++) host[i] = i;
        CHECK(hipMemcpyAsync(device, host, n * sizeof *host, hipMemcpyHostToDevice, stream));
        for (int i = 0; i < 20; i++) increment<<<n / 64, 64, 0, stream>>>(device);
        CHECK(hipMemcpyAsync(host, device, n * sizeof *host, hipMemcpyDeviceToHost, stream));
        // HIP 5.2 waits for a stream's work when it destroys it; 5.7 does not, nor does hipDeviceSynchronize then
        if (round % 3 == 0 || HIP_VERSION_MAJOR > 5 || HIP_VERSION_MINOR >= 7) CHECK(hipStreamSynchronize(stream));
        CHECK(hipStreamDestroy(stream));
        for (int i = 0; i < n; i++)
            if (host[i] != i + 20) failures++;
    }
    CHECK(hipFree(device));
    CHECK(hipHostFree(host));
}

int main()
{
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; i++) threads.emplace_back(work);
    for (auto &t : threads) t.join();
    printf("failures: %d\n", failures.load());
    return failures != 0;
}
