// leaders - the first wave replaces what all of them have just read, with no barrier in between, as
// kernels of rocSOLVER do: hardware, whose waves go step by step, lets the others read first.
#include "check.h"

enum { STEPS = 20, THREADS = 512 };

__global__ void steps(int *late)
{
    __shared__ volatile int step;
    if (threadIdx.x == 0) step = 0;
    __syncthreads();
    int wrong = 0;
    for (int k = 0; k < STEPS; k++) {
        int seen = step;
        if (threadIdx.x == 0) step = k + 1;
        __syncthreads();
        wrong += seen != k;
    }
    late[blockIdx.x * blockDim.x + threadIdx.x] = wrong;
}

int main()
{
    const int groups = 50;
    std::vector<int> in(groups * THREADS, -1);
    device_array<int> late(in);
    steps<<<groups, THREADS>>>(late.data);
    size_t wrong = 0;
    for (int n : late.host())
        wrong += n != 0;
    report("leaders", in.size(), wrong);
    return wrong_total;
}
