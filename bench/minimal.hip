// minimal - the smallest useful HIP program: two copies and one kernel. Start-up is its cost.
#include <hip/hip_runtime.h>

#include <cstdio>

__global__ void increment(int *x) { x[threadIdx.x]++; }

int main()
{
    int host[64] = {}, *device;
    if (hipMalloc(&device, sizeof host) != hipSuccess) return 1;
    (void)hipMemcpy(device, host, sizeof host, hipMemcpyHostToDevice);
    increment<<<1, 64>>>(device);
    (void)hipMemcpy(host, device, sizeof host, hipMemcpyDeviceToHost);
    int sum = 0;
    for (int x : host) sum += x;
    std::printf("%d\n", sum);
    return sum != 64;
}
