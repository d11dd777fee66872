// costs.hip - kernels whose costs follow from the source, for costs.py, which works them out. One
// wave of 64 unless a launch says more. The lines marked below are looked up by what stands behind
// them.
#include "within.h"

#include <hip/hip_runtime.h>
#include <rocprofiler-sdk-roctx/roctx.h>

#include <cstdint>
#include <cstdio>
#include <vector>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        hipError_t error = (call);                                                                 \
        if (error) {                                                                               \
            fprintf(stderr, "%s: %s\n", #call, hipGetErrorString(error));                          \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)

// Elements of one size, `step` of them apart, from any byte.
template <typename T> __global__ void strided(const char *in, T *out, int step, int first)
{
    const T *from = reinterpret_cast<const T *>(in + first);
    out[threadIdx.x] = from[threadIdx.x * step]; // strided
}

__global__ void gather(const int *where, const float *in, float *out)
{
    out[threadIdx.x] = in[where[threadIdx.x]]; // gather
}

__global__ void banks(float *out, int step)
{
    __shared__ volatile float tile[64 * 33];
    const unsigned at = threadIdx.x * step % (64 * 33);
    tile[at] = out[threadIdx.x];
    out[threadIdx.x] = tile[at];
}

// A third of the lanes go one way and the others another; then each as often as its number says.
__global__ void divergent(float *out)
{
    const int t = threadIdx.x;
    float x = out[t];
    if (t % 3 == 0)
        asm volatile("v_add_f32 %0, 1.0, %0" : "+v"(x)); // third
    else
        asm volatile("v_sub_f32 %0, %0, %0" : "+v"(x)); // others
    for (int k = 0; k < t % 8; k++)
        asm volatile("v_mul_f32 %0, 2.0, %0" : "+v"(x)); // rounds
    out[t] = x;
}

// More values than the registers that 1024 threads leave each.
__global__ __launch_bounds__(1024) void spilled(const float *in, float *out)
{
    float x[192];
#pragma unroll
    for (int k = 0; k < 192; k++)
        x[k] = in[k * 1024 + threadIdx.x];
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 192; k++) {
        asm volatile("" : "+v"(x[k]));
        sum += x[k] * x[191 - k];
    }
    out[threadIdx.x] = sum;
}

__global__ void atomics(int *out)
{
    __shared__ int most[4];
    if (threadIdx.x < 4) most[threadIdx.x] = 0;
    __syncthreads();
    atomicMax(&most[threadIdx.x % 4], static_cast<int>(threadIdx.x * 7 % 64)); // shared
    __syncthreads();
    atomicMax(&out[threadIdx.x % 32 * 16], most[threadIdx.x % 4]); // global
}

__global__ void inlined(float *out)
{
    out[threadIdx.x] = within(out[threadIdx.x]);
}

// The modules have another of this name.
extern "C" __global__ void same(float *out, int rounds)
{
    out[threadIdx.x] = 1; // same
    (void)rounds;
}

static int run_module(const char *path, float *out, int rounds)
{
    hipModule_t module;
    hipFunction_t kernel;
    void *arguments[] = {&out, &rounds};
    CHECK(hipModuleLoad(&module, path));
    CHECK(hipModuleGetFunction(&kernel, module, "same"));
    CHECK(hipModuleLaunchKernel(kernel, 1, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr));
    CHECK(hipDeviceSynchronize());
    CHECK(hipModuleUnload(module));
    return 0;
}

template <typename T> static void run_strided(const char *in, void *out)
{
    for (int step = 1; step <= 64; step++)
        strided<T><<<1, 64>>>(in, static_cast<T *>(out), step, 0);
    for (int first = 1; first < 64; first += 7) // not aligned
        strided<T><<<1, 64>>>(in, static_cast<T *>(out), 1, first);
}

// costs MODULE...: each is loaded, run and unloaded, twice.
int main(int argc, char **argv)
{
    enum { BYTES = 1 << 20 };
    std::vector<int> where(64);
    for (int k = 0; k < 64; k++)
        where[k] = k * 37 % 64 * 5;
    char *in;
    float *out;
    int *indices;
    CHECK(hipMalloc(&in, BYTES));
    CHECK(hipMalloc(&out, BYTES));
    CHECK(hipMalloc(&indices, 64 * sizeof(int)));
    CHECK(hipMemset(in, 0, BYTES));
    CHECK(hipMemset(out, 0, BYTES));
    CHECK(hipMemcpy(indices, where.data(), 64 * sizeof(int), hipMemcpyHostToDevice));
    roctxRangePush("strides");
    run_strided<uint8_t>(in, out);
    run_strided<uint16_t>(in, out);
    run_strided<uint32_t>(in, out);
    run_strided<uint2>(in, out);
    roctxRangePush("wide");
    run_strided<uint4>(in, out);
    roctxRangePop();
    roctxRangePop();
    gather<<<1, 64>>>(indices, reinterpret_cast<float *>(in), out);
    for (int step = 1; step <= 33; step++)
        banks<<<1, 64>>>(out, step);
    divergent<<<1, 64>>>(out);
    spilled<<<1, 1024>>>(reinterpret_cast<float *>(in), out);
    atomics<<<1, 64>>>(reinterpret_cast<int *>(out));
    inlined<<<1, 64>>>(out);
    same<<<1, 64>>>(out, 0);
    CHECK(hipDeviceSynchronize());
    for (int again = 0; again < 2; again++)
        for (int k = 1; k < argc; k++)
            if (run_module(argv[k], out, 5 * k)) return 1;
    printf("%d launches\n", 5 * (64 + 9) + 33 + 6);
    return 0;
}
