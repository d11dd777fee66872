// generic - pointers of which each lane's may point to another memory: LDS, its own stack, or
// global memory; read, written and updated atomically through the same instruction.
#include "check.h"

enum { ITEMS = 128, LENGTH = 16 };

__device__ __attribute__((noinline)) int sum(const int *p, int n)
{
    int x = 0;
    for (int i = 0; i < n; i++) x += p[i];
    return x;
}

__device__ __attribute__((noinline)) void bump(int *p, int by)
{
    p[3] += by;
    ((char *)p)[1] ^= 0x55;
    ((short *)p)[5] = (short)by;
}

__global__ void read(const int *in, int *out)
{
    __shared__ int shared[ITEMS];
    int own[LENGTH], t = threadIdx.x;
    shared[t] = 3 * in[t];
    for (int i = 0; i < LENGTH; i++) own[i] = in[t] + i;
    __syncthreads();
    const int *p = t % 3 == 0 ? in : t % 3 == 1 ? shared : own;
    out[t] = sum(p, LENGTH);
}

__global__ void write(int *global, int *out)
{
    __shared__ int shared[ITEMS * LENGTH];
    int own[LENGTH], t = threadIdx.x;
    for (int i = 0; i < LENGTH; i++) own[i] = shared[t * LENGTH + i] = global[t * LENGTH + i] = i * t;
    __syncthreads();
    int *p = t % 3 == 0 ? &global[t * LENGTH] : t % 3 == 1 ? &shared[t * LENGTH] : own;
    bump(p, t);
    out[t] = sum(p, LENGTH);
}

__device__ __attribute__((noinline)) int add(int *p, int x) { return atomicAdd(p, x); }

__global__ void update(int *global, int *lds)
{
    __shared__ int shared;
    int t = threadIdx.x;
    if (t == 0) shared = 0;
    __syncthreads();
    add(t & 1 ? global : &shared, t);
    __syncthreads();
    if (t == 0) *lds = shared;
}

int main()
{
    std::vector<int> in(ITEMS);
    for (int i = 0; i < ITEMS; i++) in[i] = i * 7919 % 251;
    device_array<int> din(in), out(ITEMS), global(ITEMS * LENGTH);
    size_t wrong = 0;
    read<<<1, ITEMS>>>(din.data, out.data);
    auto got = out.host();
    for (int t = 0; t < ITEMS; t++) {
        int want = 0;
        for (int i = 0; i < LENGTH; i++) want += t % 3 == 2 ? in[t] + i : (t % 3 ? 3 : 1) * in[i];
        wrong += got[t] != want;
    }
    report("read", ITEMS, wrong);

    write<<<1, ITEMS>>>(global.data, out.data);
    got = out.host();
    wrong = 0;
    for (int t = 0; t < ITEMS; t++) {
        int a[LENGTH], want = 0;
        for (int i = 0; i < LENGTH; i++) a[i] = i * t;
        a[3] += t;
        a[0] ^= 0x5500;
        a[2] = (a[2] & 0xffff) | t << 16;
        for (int x : a) want += x;
        wrong += got[t] != want;
    }
    report("written", ITEMS, wrong);

    device_array<int> sums(std::vector<int>(2));
    update<<<1, ITEMS>>>(sums.data, sums.data + 1);
    got = sums.host();
    report("updated", 2, (got[0] != 64 * 64) + (got[1] != 64 * 63));
    return wrong_total;
}
