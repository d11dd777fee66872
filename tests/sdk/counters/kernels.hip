// kernels.hip - device code for queues.c.
#include <hip/hip_runtime.h>

extern "C" __global__ void spin(int rounds)
{
    for (int i = 0; i < rounds; i++) __builtin_amdgcn_s_sleep(1);
}

extern "C" __global__ void trap(int)
{
    __builtin_trap();
}
