// streams.hip - six threads with streams of their own, 15 launches each on each of eight streams;
// every other launch waits for an event of another stream.
#include <hip/hip_runtime.h>

#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

enum { THREADS = 6, STREAMS = 8, LAUNCHES = 15, ITEMS = 192 };
static std::atomic<int> failures;
#define CHECK(call)                                                                                \
    if ((call) != hipSuccess) failures++

__global__ void increment(int *a) { a[blockIdx.x * blockDim.x + threadIdx.x]++; }

static void work()
{
    hipStream_t streams[2];
    hipEvent_t event;
    int *device[2], host[ITEMS];
    CHECK(hipEventCreate(&event));
    for (int s = 0; s < 2; s++) {
        CHECK(hipMalloc((void **)&device[s], sizeof host));
        CHECK(hipMemset(device[s], 0, sizeof host));
    }
    for (int round = 0; round < STREAMS / 2; round++) {
        for (auto &s : streams) CHECK(hipStreamCreate(&s));
        for (int i = 0; i < LAUNCHES; i++) {
            increment<<<2, ITEMS / 2, 0, streams[0]>>>(device[0]);
            CHECK(hipEventRecord(event, streams[0]));
            if (i % 2) CHECK(hipStreamWaitEvent(streams[1], event, 0));
            increment<<<3, ITEMS / 3, 0, streams[1]>>>(device[1]);
        }
        for (auto &s : streams) {
            CHECK(hipStreamSynchronize(s));
            CHECK(hipStreamDestroy(s));
        }
    }
    for (auto &d : device) {
        CHECK(hipMemcpy(host, d, sizeof host, hipMemcpyDeviceToHost));
        for (int value : host) failures += value != STREAMS / 2 * LAUNCHES;
        CHECK(hipFree(d));
    }
}

// Runs each kernel alone once: code is uploaded at a kernel's first launch, by a kernel of the runtime's own that
// nobody can hold back, and what runs beside a counted kernel is counted. HIP 5.7 makes a null stream for each thread
// that is first to use it.
static void warm_up()
{
    int *device;
    CHECK(hipMalloc(&device, ITEMS * sizeof(int)));
    CHECK(hipMemset(device, 0, ITEMS * sizeof(int)));
    increment<<<2, ITEMS / 2>>>(device);
    CHECK(hipDeviceSynchronize());
    CHECK(hipFree(device));
}

int main()
{
    warm_up();
    std::vector<std::thread> threads;
    for (int i = 0; i < THREADS; i++) threads.emplace_back(work);
    for (auto &t : threads) t.join();
    std::printf("streams: %d failures\n", failures.load());
    return failures != 0;
}
