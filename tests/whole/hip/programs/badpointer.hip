// badpointer - a store to an address that nobody mapped: the runtime's own report, status 134.
#include "check.h"

__global__ void store(int *p) { p[threadIdx.x] = 1; }

int main()
{
    std::printf("before\n");
    std::fflush(stdout);
    store<<<1, 64>>>((int *)0x123456789000);
    HIP(hipDeviceSynchronize());
    std::printf("after\n");
    return 0;
}
