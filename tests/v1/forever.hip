// forever.hip - a kernel that does not end; the program does.
#include <hip/hip_runtime.h>

#include <cstdio>

__global__ void never(volatile int *x)
{
    while (!*x) __builtin_amdgcn_s_sleep(64);
}

int main()
{
    int *x;
    if (hipMalloc((void **)&x, sizeof *x) || hipMemset(x, 0, sizeof *x)) return 1;
    if (hipDeviceSynchronize()) return 1;
    never<<<1, 64>>>(x);
    bool runs = hipStreamQuery(NULL) == hipErrorNotReady;
    std::puts(runs ? "it runs" : "it does not run");
    return 0;
}
