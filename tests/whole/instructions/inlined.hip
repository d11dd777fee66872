// inlined.hip - kernels of inlined functions: of the user's files, of headers that stand for HIP's, and
// HIP's own. The marked lines have counts that the test works out. 2 groups of 128: 4 waves.
#include <hip/hip_runtime.h>

#include <cstdio>

#include "layers.h"

__global__ __launch_bounds__(128) void layered(float *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x; // builtins
    float x = out[i];
    asm volatile("v_max_f32 %0, 1.0, %0" : "+v"(x)); // waits
    x = outer(x);                                    // layers
    x = scaled(x);                                   // scale
    asm volatile("v_max_f32 %0, 2.0, %0" : "+v"(x)); // plain
    __syncthreads();                                 // barrier
    out[i] = x;
}

struct twice {
    __device__ float operator()(float x) const
    {
        asm volatile("v_add_f32 %0, %0, %0" : "+v"(x)); // functor
        return scaled(x);                               // within
    }
};

int main()
{
    float *out, first = 0;
    if (hipMalloc(&out, 256 * sizeof(float)) != hipSuccess) return 1;
    if (hipMemset(out, 0, 256 * sizeof(float)) != hipSuccess) return 1;
    layered<<<2, 128>>>(out);
    applied<<<2, 128>>>(out, twice());
    if (hipMemcpy(&first, out, sizeof(first), hipMemcpyDeviceToHost) != hipSuccess) return 1;
    printf("%g\n", (double)first);
    return 0;
}
