// kernels.hip - the kernel of sampling.c.
#include <hip/hip_runtime.h>

extern "C" __global__ void wait_a_little()
{
    for (int i = 0; i < 100; i++)
        __builtin_amdgcn_s_sleep(1);
}
