// pipeline.hip - a HIP program with two streams: a kernel and copies on each, work that is counted
// easily.
#include <hip/hip_runtime.h>

#include <cstdio>

__global__ void twice(int *x)
{
    x[blockIdx.x * blockDim.x + threadIdx.x] *= 2;
}

int main()
{
    enum { COUNT = 256 };
    int right = 0;
    int *host[2], *device[2];
    hipStream_t streams[2];
    for (int s = 0; s < 2; s++) {
        if (hipStreamCreate(&streams[s])) return 1;
        if (hipHostMalloc((void **)&host[s], COUNT * sizeof(int), 0)) return 1;
        if (hipMalloc((void **)&device[s], COUNT * sizeof(int))) return 1;
        for (int i = 0; i < COUNT; i++) host[s][i] = i + s;
    }
    for (int s = 0; s < 2; s++) {
        size_t size = COUNT * sizeof(int);
        if (hipMemcpyAsync(device[s], host[s], size, hipMemcpyHostToDevice, streams[s])) return 1;
        for (int i = 0; i <= s; i++) twice<<<2, 128, 0, streams[s]>>>(device[s]);
        if (hipMemcpyAsync(host[s], device[s], size, hipMemcpyDeviceToHost, streams[s])) return 1;
    }
    if (hipDeviceSynchronize()) return 1;
    for (int s = 0; s < 2; s++) {
        for (int i = 0; i < COUNT; i++) right += host[s][i] == (i + s) * (s ? 4 : 2);
        if (hipFree(device[s]) || hipHostFree(host[s]) || hipStreamDestroy(streams[s])) return 1;
    }
    std::printf("pipeline: %d right\n", right);
    return right != 2 * COUNT;
}
