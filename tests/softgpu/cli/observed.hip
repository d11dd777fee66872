// observed - kernels whose executed instructions can be told from outside: `split` lets 16 lanes of
// each wave of 64 work in its loop, `whole` all of them. Many workgroups, so that several threads
// write the trace at once. `turns` changes nothing: each wave's store to LDS lets the other one go
// first, which loads what it replaces, and each sleeps, which is left to the interpreter. The two
// with long names undo each other.
#include <hip/hip_runtime.h>

#include <cstdio>

__global__ void split(int *x, int rounds)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x % 64 < 16)
        for (int k = 0; k < rounds; k++) x[i] += k;
}

__global__ void whole(int *x) { x[blockIdx.x * blockDim.x + threadIdx.x] += 1; }

__global__ void turns(int *x)
{
    __shared__ int both[128];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    both[threadIdx.x] = x[i];
    __syncthreads();
    both[threadIdx.x ^ 64] = both[threadIdx.x];
    __syncthreads();
    __builtin_amdgcn_s_sleep(1);
    x[i] = both[threadIdx.x];
}

// Kernels as generators name them: the names differ after more than 256 characters.
#define A8 aaaaaaaa
#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#define A64 CAT(CAT(CAT(A8, A8), CAT(A8, A8)), CAT(CAT(A8, A8), CAT(A8, A8)))
#define A320 CAT(CAT(CAT(A64, A64), CAT(A64, A64)), A64)
extern "C" __global__ void CAT(A320, _one)(int *x) { x[threadIdx.x] += 1; }
extern "C" __global__ void CAT(A320, _two)(int *x) { x[threadIdx.x] -= 1; }

int main()
{
    enum { GROUPS = 20, SIZE = 128, ITEMS = GROUPS * SIZE, ROUNDS = 10 };
    static int host[ITEMS];
    int *device, bad = 0;
    if (hipMalloc(&device, sizeof host) != hipSuccess) return 1;
    (void)hipMemset(device, 0, sizeof host);
    split<<<GROUPS, SIZE>>>(device, ROUNDS);
    for (int k = 0; k < 3; k++) whole<<<GROUPS, SIZE>>>(device);
    turns<<<GROUPS, SIZE>>>(device);
    CAT(A320, _one)<<<1, 64>>>(device);
    CAT(A320, _two)<<<1, 64>>>(device);
    (void)hipMemcpy(host, device, sizeof host, hipMemcpyDeviceToHost);
    for (int i = 0; i < ITEMS; i++) bad += host[i] != 3 + (i % 64 < 16 ? 45 : 0);
    std::printf("%d wrong\n", bad);
    return bad != 0;
}
