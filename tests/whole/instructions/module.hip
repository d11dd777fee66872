// module.hip - a kernel of a name that the program has too, in an object of its own, at -O0 and at
// -O3.
#include <hip/hip_runtime.h>

extern "C" __global__ void same(float *out, int rounds)
{
    float x = out[threadIdx.x];
    for (int k = 0; k < rounds; k++)
        asm volatile("v_mul_f32 %0, 2.0, %0" : "+v"(x)); // rounds
    out[threadIdx.x] = x;                                // store
}
