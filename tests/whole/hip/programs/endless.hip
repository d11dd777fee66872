// endless - a kernel that never ends, for tests that kill the program.
#include "check.h"

#include <unistd.h>

__global__ void spin(volatile int *x)
{
    while (*x == 0) {}
}

int main()
{
    int *x;
    HIP(hipHostMalloc((void **)&x, 4096));
    *x = 0;
    spin<<<8, 64>>>(x);
    std::printf("running\n");
    std::fflush(stdout);
    HIP(hipDeviceSynchronize());
    return 0;
}
