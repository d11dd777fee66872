// deviceabort - abort() on the device ends the program through the runtime.
#include "check.h"

__global__ void give_up(int x)
{
    if (threadIdx.x == (unsigned)x) abort();
}

int main()
{
    std::printf("before\n");
    std::fflush(stdout);
    give_up<<<1, 64>>>(3);
    HIP(hipDeviceSynchronize());
    std::printf("after\n");
    return 0;
}
