/* replayed.hip - kernels that change what they read, so that whoever runs one twice is found out:
 * arrays in place, counters, a variable of the code, in two streams with copies beside them. With a
 * word of any kind: one that reads the same memory again and again, for who looks at caches. */
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

static void check(hipError_t error)
{
    if (error == hipSuccess) return;
    fprintf(stderr, "%s\n", hipGetErrorString(error));
    exit(1);
}

__device__ unsigned calls;

/* How long the loop is depends on the memory that it changes. */
__global__ void collatz(unsigned *x, unsigned *steps)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    while (x[i] > 1) {
        x[i] = x[i] & 1 ? 3 * x[i] + 1 : x[i] / 2;
        atomicAdd(steps, 1);
    }
    if (i == 0) atomicAdd(&calls, 1);
}

__global__ void twice(unsigned *x)
{
    x[blockIdx.x * blockDim.x + threadIdx.x] *= 2;
}

/* One wave: `loads` loads of 256 bytes each, all of them twice, past L1. */
__global__ void sweeps(unsigned *x, unsigned loads, unsigned *to)
{
    unsigned sum = 0;
    for (unsigned sweep = 0; sweep < 2; sweep++)
        for (unsigned i = 0; i < loads; i++)
            sum += __hip_atomic_load(&x[i * 64 + threadIdx.x], __ATOMIC_RELAXED,
                                     __HIP_MEMORY_SCOPE_AGENT);
    to[threadIdx.x] = sum;
}

static int sweep()
{
    enum { LOADS = 32 };
    unsigned *x, *to;
    check(hipMalloc((void **)&x, LOADS * 256));
    check(hipMalloc((void **)&to, 256));
    check(hipMemset(x, 0, LOADS * 256));
    for (unsigned loads : {LOADS / 2, (int)LOADS, LOADS / 2}) {
        sweeps<<<1, 64>>>(x, loads, to);
        check(hipDeviceSynchronize());
    }
    return 0;
}

int main(int argc, char **)
{
    if (argc > 1) return sweep();
    enum { N = 256, ROUNDS = 2 };
    unsigned *x, *steps, *y, *pinned, got[2] = {}, sum = 0;
    hipStream_t stream;
    std::vector<unsigned> host(N);
    check(hipMalloc((void **)&x, N * sizeof *x));
    check(hipMalloc((void **)&y, N * sizeof *y));
    check(hipMalloc((void **)&steps, sizeof *steps));
    check(hipHostMalloc((void **)&pinned, N * sizeof *pinned, 0));
    check(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    check(hipMemset(steps, 0, sizeof *steps));
    check(hipDeviceSynchronize());
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (unsigned i = 0; i < N; i++) {
            host[i] = i + 1 + round;
            pinned[i] = i * (round + 1);
        }
        check(hipMemcpy(x, host.data(), N * sizeof *x, hipMemcpyHostToDevice));
        collatz<<<N / 64, 64>>>(x, steps);
        /* meanwhile */
        check(hipMemcpyAsync(y, pinned, N * sizeof *y, hipMemcpyHostToDevice, stream));
        twice<<<N / 64, 64, 0, stream>>>(y);
        check(hipMemcpyAsync(pinned, y, N * sizeof *y, hipMemcpyDeviceToHost, stream));
        check(hipDeviceSynchronize());
        for (unsigned i = 0; i < N; i++)
            sum += pinned[i];
    }
    check(hipMemcpy(&got[0], steps, sizeof *got, hipMemcpyDeviceToHost));
    check(hipMemcpyFromSymbol(&got[1], HIP_SYMBOL(calls), sizeof *got));
    printf("%u steps, %u calls, sum %u\n", got[0], got[1], sum);
    return 0;
}
