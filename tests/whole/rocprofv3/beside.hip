// beside.hip - kernels of two streams, while another thread has the HSA runtime copy in the GPU's memory.
//
// Those copies are kernels of the runtime's own, in a queue of its own, which no profiler sees or holds back; so is the
// upload of code at a kernel's first launch. Prints what the kernels have added up.
#include <hip/hip_runtime.h>
#include <hsa/hsa.h>

#include <atomic>
#include <cstdio>
#include <thread>

enum { STREAMS = 2, LAUNCHES = 12, GROUPS = 40, ITEMS = 256, BYTES = 1 << 18 };

__global__ void add(unsigned *a, const unsigned *b)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned k = 0; k < 8; k++) a[i] += b[(i + 64 * k) % (GROUPS * ITEMS)];
}

static std::atomic<int> failures;
#define CHECK(call)                                                                                \
    if ((call) != 0) failures++

int main()
{
    std::atomic<bool> stop{false}, copied{false};
    unsigned *a[STREAMS], *b, sums[STREAMS] = {};
    hipStream_t streams[STREAMS];
    char *from, *to;
    CHECK(hipMalloc(&b, GROUPS * ITEMS * sizeof *b));
    CHECK(hipMemset(b, 1, GROUPS * ITEMS * sizeof *b));
    for (int s = 0; s < STREAMS; s++) {
        CHECK(hipStreamCreate(&streams[s]));
        CHECK(hipMalloc(&a[s], GROUPS * ITEMS * sizeof *b));
        CHECK(hipMemset(a[s], 0, GROUPS * ITEMS * sizeof *b));
    }
    CHECK(hipMalloc(&from, BYTES));
    CHECK(hipMalloc(&to, BYTES));
    CHECK(hipDeviceSynchronize());
    std::thread copies([&] {
        while (!stop) {
            CHECK(hsa_memory_copy(to, from, BYTES));
            copied = true;
        }
    });
    while (!copied) std::this_thread::yield();
    for (int i = 0; i < LAUNCHES; i++)
        for (int s = 0; s < STREAMS; s++) {
            add<<<GROUPS, ITEMS, 0, streams[s]>>>(a[s], b);
            CHECK(hipStreamSynchronize(streams[s]));
        }
    stop = true;
    copies.join();
    for (int s = 0; s < STREAMS; s++) CHECK(hipMemcpy(&sums[s], a[s], sizeof sums[s], hipMemcpyDeviceToHost));
    printf("%#x %#x, %d failures\n", sums[0], sums[1], failures.load());
    return failures != 0;
}
