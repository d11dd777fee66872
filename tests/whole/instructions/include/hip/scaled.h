/* scaled.h - stands for a header of HIP's, for it lies below include/hip/: a function for kernels
 * and a kernel, in assembly so that every compiler makes the same of them. */
#pragma once

static __device__ inline float scaled(float x)
{
    asm volatile("v_mul_f32 %0, 2.0, %0\n\tv_mul_f32 %0, 4.0, %0" : "+v"(x)); // scaled
    return x;
}

template <class F> __global__ void applied(float *out, F f)
{
    float x = out[threadIdx.x];
    asm volatile("v_max_f32 %0, 1.0, %0" : "+v"(x)); // waits
    x = f(x);
    asm volatile("v_max_f32 %0, 2.0, %0" : "+v"(x)); // kernel
    out[threadIdx.x] = x;
}
