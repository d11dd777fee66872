// memory.hip - programs whose accesses or frees are wrong; see corpus.h.
#include "corpus.h"

__global__ void fill(int *to, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = i; // bug: write
}

static void write_behind()
{
    int *to;
    allocate(&to, N);
    fill<<<GROUPS, GROUP>>>(to, right ? N : N + 5);
    (void)hipDeviceSynchronize();
    (void)hipFree(to);
}

__global__ void sum(const int *from, int *to, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, s = 0;
    if (i < n) s = from[i]; // bug: read
    if (s) atomicAdd(to, s);
}

static void read_behind()
{
    int *from, *to;
    allocate(&from, N);
    allocate(&to, 1);
    (void)hipMemset(from, 0, N * sizeof(int));
    (void)hipMemset(to, 0, sizeof(int));
    sum<<<GROUPS, GROUP>>>(right ? from : from + 8, to, N);
    (void)hipDeviceSynchronize();
    (void)hipFree(from);
    (void)hipFree(to);
}

__global__ void count(int *at, int offset)
{
    atomicAdd((int *)((char *)at + offset), 1); // bug: atomic
}

static void atomic_behind()
{
    int *at;
    allocate(&at, 4);
    (void)hipMemset(at, 0, 4 * sizeof(int));
    count<<<1, 64>>>(at, right ? 12 : 16);
    (void)hipDeviceSynchronize();
    (void)hipFree(at);
}

static void used_freed()
{
    int *from, *to;
    allocate(&from, N);
    allocate(&to, 1);
    (void)hipMemset(from, 0, N * sizeof(int));
    if (!right) (void)hipFree(from); // bug: freed
    sum<<<GROUPS, GROUP>>>(from, to, N);
    (void)hipDeviceSynchronize(); // where the runtime ends the program
}

static void freed_twice()
{
    int *at;
    allocate(&at, N);
    (void)hipFree(at);
    if (!right) (void)hipFree(at); // bug: double-free
}

static void freed_inside()
{
    int *at;
    allocate(&at, N);
    if (!right) (void)hipFree(at + 4); // bug: free
    (void)hipFree(at);
}

// ---- LDS ----

__global__ void turn(int *to, int shift)
{
    extern __shared__ int held[];
    int i = threadIdx.x;
    held[i] = i; // bug: lds-write
    __syncthreads();
    to[blockIdx.x * blockDim.x + i] = held[blockDim.x - 1 - i + shift]; // bug: lds-read
}

static void lds_short()
{
    int *to;
    allocate(&to, GROUPS * GROUP);
    turn<<<GROUPS, GROUP, GROUP * sizeof(int) - (right ? 0 : 64)>>>(to, 0);
    (void)hipDeviceSynchronize();
    (void)hipFree(to);
}

static void lds_shifted()
{
    int *to;
    allocate(&to, GROUPS * GROUP);
    turn<<<GROUPS, GROUP, GROUP * sizeof(int)>>>(to, right ? 0 : 2);
    (void)hipDeviceSynchronize();
    (void)hipFree(to);
}

static const row_t rows[] = {
    {"write-behind", write_behind}, {"read-behind", read_behind},   {"atomic-behind", atomic_behind},
    {"used-freed", used_freed},     {"freed-twice", freed_twice},   {"freed-inside", freed_inside},
    {"lds-short", lds_short},       {"lds-shifted", lds_shifted},
};

int main(int argc, char **argv)
{
    return run(rows, argc, argv);
}
