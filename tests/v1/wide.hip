// wide.hip - one kernel of many waves: more than a small trace buffer takes.
#include <hip/hip_runtime.h>

#include <cstdio>

enum { GROUPS = 20000, ITEMS = 64 };

__global__ void fill(int *x)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    x[i] = i;
}

int main()
{
    int *x, last = 0;
    if (hipMalloc((void **)&x, GROUPS * ITEMS * sizeof *x)) return 1;
    fill<<<GROUPS, ITEMS>>>(x);
    if (hipMemcpy(&last, x + GROUPS * ITEMS - 1, sizeof last, hipMemcpyDeviceToHost)) return 1;
    std::printf("%d\n", last);
    return 0;
}
