// streams - four streams with kernels and async copies ordered by events; elapsed time is sane.
#include "check.h"

__global__ void scale(int *x, int n, int factor, int offset)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = x[i] * factor + offset;
}

int main()
{
    const int n = 1 << 14, lanes = 4, rounds = 5;
    hipStream_t stream[lanes];
    hipEvent_t done[lanes], begin, end;
    int *host[lanes], *device[lanes];
    HIP(hipEventCreate(&begin));
    HIP(hipEventCreate(&end));
    for (int s = 0; s < lanes; s++) {
        HIP(hipStreamCreate(&stream[s]));
        HIP(hipEventCreateWithFlags(&done[s], hipEventDisableTiming));
        HIP(hipHostMalloc((void **)&host[s], n * sizeof(int)));
        HIP(hipMalloc(&device[s], n * sizeof(int)));
        for (int i = 0; i < n; i++) host[s][i] = i + s;
    }
    HIP(hipEventRecord(begin, stream[0]));
    for (int s = 0; s < lanes; s++) {
        HIP(hipMemcpyAsync(device[s], host[s], n * sizeof(int), hipMemcpyHostToDevice, stream[s]));
        for (int r = 0; r < rounds; r++) {
            // each stream waits for its left neighbour's round before it goes on
            if (s > 0) HIP(hipStreamWaitEvent(stream[s], done[s - 1], 0));
            scale<<<n / 256, 256, 0, stream[s]>>>(device[s], n, 3, r);
            HIP(hipGetLastError());
            HIP(hipEventRecord(done[s], stream[s]));
        }
        HIP(hipMemcpyAsync(host[s], device[s], n * sizeof(int), hipMemcpyDeviceToHost, stream[s]));
    }
    HIP(hipEventRecord(end, stream[0]));
    size_t wrong = 0;
    for (int s = 0; s < lanes; s++) {
        HIP(hipStreamSynchronize(stream[s]));
        for (int i = 0; i < n; i++) {
            int expected = i + s;
            for (int r = 0; r < rounds; r++) expected = expected * 3 + r;
            wrong += host[s][i] != expected;
        }
    }
    report("streams", (size_t)lanes * n, wrong);
    float ms = -1;
    HIP(hipEventSynchronize(end));
    HIP(hipEventElapsedTime(&ms, begin, end));
    report("elapsed time", 1, !(ms > 0 && ms < 60000));
    HIP(hipDeviceSynchronize());
    report("query", 1, hipStreamQuery(stream[1]) != hipSuccess);
    for (int s = 0; s < lanes; s++) {
        HIP(hipStreamDestroy(stream[s]));
        HIP(hipFree(device[s]));
        HIP(hipHostFree(host[s]));
    }
    return wrong_total;
}
