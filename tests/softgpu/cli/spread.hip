// spread - kernels of one workgroup that takes many rounds: `tile` passes numbers on in LDS between
// barriers, `sums` adds to one number in LDS by atomic operations.
#include <hip/hip_runtime.h>

#include <cstdio>

enum { SIZE = 1024, TURNS = 400, SPINS = 200 };

__device__ unsigned spin(unsigned x)
{
#pragma unroll 1
    for (int k = 0; k < SPINS; k++)
        x = x * 1664525u + 1013904223u;
    return x;
}

__global__ void tile(unsigned *out)
{
    __shared__ unsigned ring[SIZE];
    unsigned x = threadIdx.x;
    for (int k = 0; k < TURNS; k++) {
        ring[(threadIdx.x + 64) % SIZE] = x;
        if (spin(x) == 1) ring[0] = 0;
        __syncthreads();
        x = ring[threadIdx.x] + 1;
        __syncthreads();
    }
    out[threadIdx.x] = x;
}

__global__ void sums(unsigned *out)
{
    __shared__ unsigned sum;
    if (threadIdx.x == 0) sum = 0;
    unsigned spun = threadIdx.x;
    for (int k = 0; k < TURNS; k++)
        spun = spin(spun);
    __syncthreads();
    for (int k = 0; k < TURNS; k++)
        atomicAdd(&sum, 1 + (spun == 1));
    __syncthreads();
    out[threadIdx.x] = sum;
}

int main()
{
    static unsigned host[2][SIZE];
    unsigned *device, bad = 0;
    if (hipMalloc(&device, sizeof host) != hipSuccess) return 1;
    tile<<<1, SIZE>>>(device);
    sums<<<1, SIZE>>>(device + SIZE);
    (void)hipMemcpy(host, device, sizeof host, hipMemcpyDeviceToHost);
    for (unsigned i = 0; i < SIZE; i++) {
        bad += host[0][i] != (i + SIZE * TURNS - 64 * TURNS) % SIZE + TURNS;
        bad += host[1][i] != SIZE * TURNS;
    }
    std::printf("%u wrong\n", bad);
    return bad != 0;
}
