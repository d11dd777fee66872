// sync.hip - programs whose waves do not meet; see corpus.h.
#include "corpus.h"

__global__ void leave(int *to, int n)
{
    __shared__ int held[GROUP];
    int i = threadIdx.x;
    if (i >= n) return;
    held[i] = i;
    __syncthreads(); // bug: barrier-exit
    to[i] = held[n - 1 - i];
}

static void left_early()
{
    int *to;
    allocate(&to, GROUP);
    leave<<<1, GROUP>>>(to, right ? GROUP : GROUP - 64);
    (void)hipDeviceSynchronize();
    (void)hipFree(to);
}

static const row_t rows[] = {
    {"left-early", left_early},
};

int main(int argc, char **argv)
{
    return run(rows, argc, argv);
}
