// printf - device printf: strings, integers, floats, one line per work-item in some order per wave.
#include "check.h"

__global__ void speak(int base)
{
    if (threadIdx.x % 32 == 0) printf("item %d of group %d: %s %.3f %llx\n", (int)threadIdx.x, (int)blockIdx.x + base, "text", 0.125 * threadIdx.x, 0x123456789abcull + threadIdx.x);
}

int main()
{
    speak<<<1, 64>>>(5);
    HIP(hipDeviceSynchronize());
    std::printf("host\n");
    return 0;
}
