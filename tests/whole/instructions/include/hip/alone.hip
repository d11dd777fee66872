// alone.hip - the file that is compiled itself lies below include/hip/: it is its user's all the same.
#include <hip/hip_runtime.h>
#include <hip/scaled.h>

__global__ void alone(float *out)
{
    float x = out[threadIdx.x];
    asm volatile("v_max_f32 %0, 1.0, %0" : "+v"(x)); // waits
    x = scaled(x);                                   // scale
    out[threadIdx.x] = x;
}

int main()
{
    float *out;
    if (hipMalloc(&out, 64 * sizeof(float)) != hipSuccess) return 1;
    alone<<<1, 64>>>(out);
    return hipDeviceSynchronize() != hipSuccess;
}
