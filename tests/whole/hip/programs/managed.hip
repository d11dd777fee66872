// managed - memory that host and GPU use at one address: advice and prefetches are noted and told, results
// stay right, and memory that has been freed is out of the GPU's reach.
#include "scene.h"

__global__ void add(int *p, int count, int value)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) p[i] += value;
}

static const int n = 100000, groups = (n + 255) / 256;

static int range(hipMemRangeAttribute attribute, const void *p, size_t bytes)
{
    int value = -99;
    HIP(hipMemRangeGetAttribute(&value, sizeof value, attribute, p, bytes));
    return value;
}

static int touch_freed_memory()
{
    int *p;
    HIP(hipMallocManaged(&p, 64 << 20));
    p[0] = 1;
    add<<<groups, 256>>>(p, n, 1);
    HIP(hipDeviceSynchronize());
    HIP(hipFree(p));
    add<<<groups, 256>>>(p, n, 1);
    HIP(hipDeviceSynchronize());
    return 0;
}

int main()
{
    scene_end end = scene_run(touch_freed_memory);
    bool fault = end.out.find("Memory access fault by GPU node-1") != std::string::npos ||
                 end.out.find("illegal memory access") != std::string::npos; // HIP 7 gives it back
    std::printf("freed memory: %s\n", fault && end.status ? "out of reach" : end.out.c_str());

    const size_t bytes = n * sizeof(int), half = 200 << 10;
    int *p, managed = 0, concurrent = 0;
    HIP(hipDeviceGetAttribute(&managed, hipDeviceAttributeManagedMemory, 0));
    HIP(hipDeviceGetAttribute(&concurrent, hipDeviceAttributeConcurrentManagedAccess, 0));
    report("attributes", 2, (managed != 1) + (concurrent != 1));

    HIP(hipMallocManaged(&p, bytes));
    for (int i = 0; i < n; i++) p[i] = i;
    add<<<groups, 256>>>(p, n, 5);
    HIP(hipDeviceSynchronize());
    size_t wrong = 0;
    for (int i = 0; i < n; i++) wrong += p[i] != i + 5;
    report("host and GPU", n, wrong);

    HIP(hipMemAdvise(p, bytes, hipMemAdviseSetReadMostly, 0));
    HIP(hipMemAdvise(p, bytes, hipMemAdviseSetPreferredLocation, 0));
    HIP(hipMemAdvise(p, bytes, hipMemAdviseSetAccessedBy, 0));
    HIP(hipMemPrefetchAsync(p, bytes, 0, nullptr));
    HIP(hipDeviceSynchronize());
    wrong = range(hipMemRangeAttributeReadMostly, p, bytes) != 1;
    wrong += range(hipMemRangeAttributePreferredLocation, p, bytes) != 0;
    wrong += range(hipMemRangeAttributeAccessedBy, p, bytes) != 0;
    wrong += range(hipMemRangeAttributeLastPrefetchLocation, p, bytes) != 0;
    report("advice", 4, wrong);

    HIP(hipMemPrefetchAsync(p, half, hipCpuDeviceId, nullptr)); // half of it back again
    HIP(hipMemAdvise(p, half, hipMemAdviseUnsetReadMostly, 0));
    HIP(hipDeviceSynchronize());
    wrong = range(hipMemRangeAttributeLastPrefetchLocation, p, half) != hipCpuDeviceId;
    wrong += range(hipMemRangeAttributeReadMostly, p, half) != 0;
    report("other advice for a half", 2, wrong);

    for (int round = 0; round < 20; round++) { // advice changes while kernels run
        add<<<groups, 256>>>(p, n, 1);
        HIP(hipMemPrefetchAsync(p, half, round % 2 ? 0 : hipCpuDeviceId, nullptr));
        HIP(hipMemAdvise((char *)p + half / 2, half / 2, round % 2 ? hipMemAdviseSetReadMostly : hipMemAdviseUnsetReadMostly, 0));
    }
    HIP(hipDeviceSynchronize());
    wrong = 0;
    for (int i = 0; i < n; i++) wrong += p[i] != i + 25;
    report("under way", n, wrong);
    HIP(hipFree(p));

    std::vector<int> own(n, 1); // memory of the program, registered twice over
    wrong = 0;
    for (int round = 0; round < 3; round++) {
        int *seen;
        HIP(hipHostRegister(own.data(), bytes, hipHostRegisterDefault));
        HIP(hipHostGetDevicePointer((void **)&seen, own.data(), 0));
        add<<<groups, 256>>>(seen, n, 1);
        HIP(hipDeviceSynchronize());
        HIP(hipHostUnregister(own.data()));
        for (int x : own) wrong += x != 2 + round;
    }
    report("registered", 3 * n, wrong);
    return wrong_total;
}
