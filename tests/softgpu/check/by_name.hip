// by_name.hip - the kernel of by_name.c and by_name.py.
#include <hip/hip_runtime.h>

extern "C" __global__ void fill(int *to, int n, int value)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = value;
}
