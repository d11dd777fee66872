// leaders - waves replace what all of them have just read, with no barrier in between, as kernels of
// rocSOLVER do: hardware, whose waves go step by step, lets the others read first.
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

// All waves add up what all of them have written, and then write the next terms, each its own.
template <typename P> __device__ int sums(P terms)
{
    const int id = threadIdx.x;
    int wrong = 0;
    for (int k = 0; k < STEPS; k++) {
        terms[id] = id + k;
        __syncthreads();
        int sum = 0;
        for (int i = 0; i < THREADS; i++)
            sum += terms[i];
        wrong += sum != THREADS * (THREADS - 1) / 2 + THREADS * k;
    }
    return wrong;
}

__global__ void sums_of_lds(int *late)
{
    __shared__ volatile int terms[THREADS];
    late[blockIdx.x * blockDim.x + threadIdx.x] = sums((volatile int *)terms);
}

// The same through a pointer that may point anywhere.
__global__ void sums_of_flat(int *late, volatile int *elsewhere)
{
    __shared__ volatile int terms[THREADS];
    late[blockIdx.x * blockDim.x + threadIdx.x] = sums(elsewhere ? elsewhere : (volatile int *)terms);
}

static void check(const char *name, device_array<int> &late)
{
    size_t wrong = 0;
    auto all = late.host();
    for (int n : all)
        wrong += n != 0;
    report(name, all.size(), wrong);
}

int main()
{
    const int groups = 50;
    std::vector<int> in(groups * THREADS, -1);
    device_array<int> late(in);
    steps<<<groups, THREADS>>>(late.data);
    check("leaders", late);
    sums_of_lds<<<groups, THREADS>>>(late.data);
    check("sums", late);
    sums_of_flat<<<groups, THREADS>>>(late.data, nullptr);
    check("sums by flat addresses", late);
    return wrong_total;
}
