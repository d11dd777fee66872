// cooperative - a grid whose workgroups wait for each other: global wave sync, round after round.
#include "check.h"
#include <hip/hip_cooperative_groups.h>

// Each round every item takes its neighbour's number and adds one; two arrays in turn.
__global__ void pass_on(int *data, int rounds, int n)
{
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int r = 0; r < rounds; r++) {
        int v = data[(t + 1) % n + r % 2 * n];
        data[t + (r + 1) % 2 * n] = v + 1;
        grid.sync();
    }
}

int main()
{
    int n = 512, rounds = 24;
    std::vector<int> start(2 * n);
    for (int i = 0; i < n; i++) start[i] = 1000 * i;
    device_array<int> data(start);
    for (int launch = 0; launch < 3; launch++) {
        void *args[] = {&data.data, &rounds, &n};
        HIP(hipLaunchCooperativeKernel((void *)pass_on, dim3(n / 128), dim3(128), args, 0, 0));
    }
    auto got = data.host();
    size_t wrong = 0;
    for (int i = 0; i < n; i++) wrong += got[i] != 1000 * ((i + 3 * rounds) % n) + 3 * rounds;
    report("passed on", n, wrong);
    return wrong_total;
}
