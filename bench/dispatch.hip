// dispatch.hip - what a kernel launch costs its thread: prints ns of thread CPU and of time per
// launch, best of some rounds. Run bare and under a tool that traces dispatches (dispatch.py).
#include <hip/hip_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>

__global__ void nothing() {}

static double now(clockid_t clock)
{
    timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    const int launches = argc > 1 ? atoi(argv[1]) : 2000, rounds = argc > 2 ? atoi(argv[2]) : 10;
    double cpu = 1e18, wall = 1e18;
    nothing<<<1, 64>>>();
    if (hipDeviceSynchronize() != hipSuccess) return 1;
    for (int round = 0; round < rounds; round++) {
        double cpu_from = now(CLOCK_THREAD_CPUTIME_ID), wall_from = now(CLOCK_MONOTONIC);
        for (int i = 0; i < launches; i++) nothing<<<1, 64>>>();
        cpu = std::min(cpu, (now(CLOCK_THREAD_CPUTIME_ID) - cpu_from) / launches);
        wall = std::min(wall, (now(CLOCK_MONOTONIC) - wall_from) / launches);
        if (hipDeviceSynchronize() != hipSuccess) return 1;
    }
    printf("%.0f %.0f\n", cpu, wall);
    return 0;
}
