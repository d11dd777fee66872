// streams.hip - kernels of the shape of the second measured program: each work-item reads 8 elements.
//
// Usage: streams. Fills 32 Mi doubles by hipMemset, then reads them as each type with 0, 1 and 8
// rounds of arithmetic, and says so. The measured program (mixbench) has kernels of this shape: work-
// groups of 256, whose lanes read side by side; what they compute is never written.
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>

#define OK(call)                                                                                   \
    do {                                                                                           \
        const hipError_t status = (call);                                                          \
        if (status == hipSuccess) break;                                                           \
        fprintf(stderr, "%s: %s\n", #call, hipGetErrorString(status));                             \
        exit(1);                                                                                   \
    } while (0)

constexpr unsigned block = 256, each = 8;
constexpr size_t elements = 32 << 20;

__device__ inline bool rare(float v) { return v == -1; }
__device__ inline bool rare(double v) { return v == -1; }
__device__ inline bool rare(int v) { return v == -1; }
__device__ inline bool rare(short v) { return v == -1; }
__device__ inline bool rare(__half2 v) { return __half2float(__low2half(v)) == -1; }
__device__ inline bool rare(float2 v) { return v.x == -1; }

template <class T> __device__ inline T zero() { return T(0); }
template <> __device__ inline __half2 zero<__half2>() { return __float2half2_rn(0); }
template <> __device__ inline float2 zero<float2>() { return float2(0, 0); }

// a * b + c in the instructions of the measured code
template <class T> __device__ inline T joined(T a, T b, T c) { return a * b + c; }
template <> __device__ inline float joined(float a, float b, float c) { return fmaf(a, b, c); }
template <> __device__ inline double joined(double a, double b, double c) { return fma(a, b, c); }
template <> __device__ inline __half2 joined(__half2 a, __half2 b, __half2 c) { return __hfma2(a, b, c); }
template <> __device__ inline int joined(int a, int b, int c)
{
    int product = a * b;
    asm("" : "+v"(product)); // no multiply-add of 64 bits
    return product + c;
}

template <class T, unsigned rounds> __global__ void squares(T seed, T *data)
{
    // the measured code adds in the upper half of 64 bits and shifts: one instruction of 64 bits a load
    const uint64_t first = static_cast<uint64_t>(blockIdx.x * block * each + threadIdx.x) << 32;
    T value[each];
#pragma unroll
    for (unsigned k = 0; k < each; k++) {
        value[k] = data[static_cast<int64_t>(first + (static_cast<uint64_t>(k * block) << 32)) >> 32];
#pragma unroll
        for (unsigned r = 0; r < rounds; r++)
            value[k] = joined(value[k], value[k], seed);
    }
    T sum = zero<T>();
#pragma unroll
    for (unsigned k = 0; k < each; k += 2)
        sum = joined(value[k], value[k + 1], sum);
    if (rare(sum)) data[static_cast<int64_t>(first) >> 32] = sum; // the measured sums are never -1
}

template <class T, unsigned rounds> void read_all(T seed, void *data, size_t n)
{
    squares<T, rounds><<<n / block / each, block>>>(seed, static_cast<T *>(data));
    OK(hipGetLastError());
    OK(hipDeviceSynchronize());
}

template <class T> void each_round(T seed, void *data)
{
    read_all<T, 0>(seed, data, elements);
    read_all<T, 1>(seed, data, elements);
    read_all<T, 8>(seed, data, elements);
}

int main()
{
    void *data;
    OK(hipMalloc(&data, elements * sizeof(double)));
    OK(hipMemset(data, 0, elements * sizeof(double)));
    OK(hipDeviceSynchronize());
    read_all<short, 0>(1, data, 256 * block * each / 2);
    each_round<float>(1, data);
    each_round<float2>(float2(1, 1), data);
    each_round<double>(1, data);
    each_round<__half2>(__float2half2_rn(1), data);
    each_round<int>(1, data);
    OK(hipFree(data));
    printf("read\n");
    return 0;
}
