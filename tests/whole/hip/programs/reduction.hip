// reduction - tree in LDS, then one atomic per workgroup; integer and float, several sizes.
#include "check.h"

template <typename T> __global__ void sum(const T *in, T *out, int n)
{
    __shared__ T part[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = i < n ? in[i] : T(0);
    __syncthreads();
    for (int half = blockDim.x / 2; half; half /= 2) {
        if ((int)threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(out, part[0]);
}

template <typename T> void run(const char *name)
{
    size_t wrong = 0, checked = 0;
    for (int n : {1, 63, 64, 65, 255, 1000, 65536, 70001}) {
        std::vector<T> in(n), zero(1);
        T expected = 0;
        for (int i = 0; i < n; i++) expected += in[i] = T(i % 17); // exact in float up to 2^24
        device_array<T> din(in), out(zero);
        sum<T><<<(n + 255) / 256, 256>>>(din.data, out.data, n);
        wrong += out.host()[0] != expected;
        checked++;
    }
    report(name, checked, wrong);
}

int main()
{
    run<int>("reduction int");
    run<unsigned long long>("reduction u64");
    run<float>("reduction float");
    run<double>("reduction double");
    return wrong_total;
}
