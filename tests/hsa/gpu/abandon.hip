// abandon.hip - launches kernels that take a while and ends without waiting for them. All
// are recorded: at exit the library waits for what still makes progress.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>

__global__ void spin(int *out, int rounds)
{
    int a = (int)threadIdx.x;
    for (int i = 0; i < rounds; i++) a = a * 3 + 1;
    out[blockIdx.x * blockDim.x + threadIdx.x] = a;
}

int main()
{
    int *out;
    if (hipMalloc((void **)&out, 4096) != hipSuccess) return 1;
    for (int i = 0; i < 20; i++) spin<<<4, 64>>>(out, 20000);
    puts("leaving");
    exit(0);
}
