// launches.hip - launches a kernel and synchronises, again and again; tells after each how many are
// done, {thread id, launches} in 8 bytes on standard output, until it is killed.
#include <hip/hip_runtime.h>

#include <cstdint>
#include <unistd.h>

__global__ void nothing() {}

int main()
{
    for (uint32_t told[2] = {(uint32_t)gettid(), 0}; told[1] < 1000000;) {
        hipLaunchKernelGGL(nothing, dim3(1), dim3(64), 0, 0);
        if (hipStreamSynchronize(0) != hipSuccess) return 3;
        told[1]++;
        if (write(1, told, sizeof told) != sizeof told) return 4;
    }
    return 0;
}
