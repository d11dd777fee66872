// private - arrays indexed at run time live in scratch; recursion and function pointers use it too.
#include "check.h"

__global__ void permute(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int mine[37];
    for (int k = 0; k < 37; k++) mine[k] = in[(i + k) % n];
    for (int k = 0; k < 100; k++) {
        int a = (in[i] + k * 11) % 37, b = (k * 5 + i) % 37;
        int t = mine[a];
        mine[a] = mine[b] + k;
        mine[b] = t;
    }
    char bytes[24];
    for (int k = 0; k < 24; k++) bytes[(k * 7 + in[i]) % 24] = (char)(k + i);
    int sum = 0;
    for (int k = 0; k < 37; k++) sum = sum * 31 + mine[k];
    for (int k = 0; k < 24; k++) sum = sum * 7 + bytes[k];
    out[i] = sum;
}

__host__ __device__ __attribute__((noinline)) int ackermann(int m, int n)
{
    if (m == 0) return n + 1;
    if (n == 0) return ackermann(m - 1, 1);
    return ackermann(m - 1, ackermann(m, n - 1));
}

__global__ void recurse(int *out) { out[threadIdx.x] = ackermann(2, (int)threadIdx.x % 4); }

__device__ __attribute__((noinline)) int twice(int x) { return 2 * x; }
__device__ __attribute__((noinline)) int negate(int x) { return -x; }

__global__ void indirect(int *out)
{
    int (*f)(int) = threadIdx.x % 2 ? twice : negate;
    out[threadIdx.x] = f((int)threadIdx.x);
}

int main()
{
    const int n = 1000;
    std::vector<int> in(n);
    uint32_t seed = 37;
    for (auto &x : in) x = (int)(next_random(seed) % 1000);
    device_array<int> din(in), dout(n);
    permute<<<(n + 255) / 256, 256>>>(din.data, dout.data, n);
    auto out = dout.host();
    size_t wrong = 0;
    for (int i = 0; i < n; i++) {
        int mine[37];
        for (int k = 0; k < 37; k++) mine[k] = in[(i + k) % n];
        for (int k = 0; k < 100; k++) {
            int a = (in[i] + k * 11) % 37, b = (k * 5 + i) % 37, t = mine[a];
            mine[a] = mine[b] + k;
            mine[b] = t;
        }
        signed char bytes[24];
        for (int k = 0; k < 24; k++) bytes[(k * 7 + in[i]) % 24] = (signed char)(k + i);
        unsigned sum = 0;
        for (int k = 0; k < 37; k++) sum = sum * 31u + (unsigned)mine[k];
        for (int k = 0; k < 24; k++) sum = sum * 7u + (unsigned)(int)bytes[k];
        wrong += out[i] != (int)sum;
    }
    report("private arrays", n, wrong);

    recurse<<<1, 64>>>(dout.data);
    out = dout.host();
    wrong = 0;
    for (int i = 0; i < 64; i++) wrong += out[i] != ackermann(2, i % 4);
    report("recursion", 64, wrong);

    indirect<<<1, 64>>>(dout.data);
    out = dout.host();
    wrong = 0;
    for (int i = 0; i < 64; i++) wrong += out[i] != (i % 2 ? 2 * i : -i);
    report("function pointers", 64, wrong);
    return wrong_total;
}
