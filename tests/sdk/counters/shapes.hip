// shapes.hip - kernels of many grids, with workgroups that are no multiples of a wave and parts of
// workgroups at the edges; then one that goes on while the program ends, if asked to.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>

__global__ void touch(int *out)
{
    out[threadIdx.x & 15] = 1;
}

__global__ void spin(int *out, int rounds)
{
    int a = (int)threadIdx.x;
    for (int i = 0; i < rounds; i++) a = a * 3 + 1;
    out[threadIdx.x & 15] = a;
}

int main(int argc, char **)
{
    static const dim3 shapes[][2] = {
        {{1, 1, 1}, {1, 1, 1}},    {{1, 1, 1}, {64, 1, 1}},  {{1, 1, 1}, {65, 1, 1}},
        {{7, 1, 1}, {100, 1, 1}},  {{3, 2, 1}, {16, 16, 1}}, {{2, 3, 4}, {5, 6, 7}},
        {{40, 1, 1}, {256, 1, 1}}, {{1, 5, 1}, {1, 63, 1}},  {{1, 1, 9}, {4, 4, 8}},
    };
    int *out;
    if (hipMalloc((void **)&out, 4096)) return 1;
    for (auto &shape : shapes) touch<<<shape[0], shape[1]>>>(out);
    if (hipDeviceSynchronize()) return 1;
    if (argc > 1)
        for (int i = 0; i < 20; i++) spin<<<4, 64>>>(out, 20000);
    std::puts("shapes: done");
    std::fflush(stdout);
    std::exit(0);
}
