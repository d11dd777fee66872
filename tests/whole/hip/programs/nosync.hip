// nosync - leaves main with kernels and copies in flight: no hang, no crash, status 5.
#include "check.h"

__global__ void spin(int *x, int n)
{
    int item = blockIdx.x * blockDim.x + threadIdx.x, v = x[item];
    for (int i = 0; i < n; i++) v = v * 3 + i;
    x[item] = v;
}

int main()
{
    int *x;
    HIP(hipMalloc(&x, 4096));
    HIP(hipMemset(x, 0, 4096));
    for (int i = 0; i < 20; i++) spin<<<4, 256>>>(x, 2000);
    std::printf("leaving\n");
    return 5;
}
