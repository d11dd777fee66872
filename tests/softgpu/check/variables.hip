// variables.hip - programs that go beyond their __device__, __constant__ and __managed__ variables,
// or beyond a half that is changed by its dword; see corpus.h.
#include "corpus.h"

#include <cstdint>

// The one that is set is alone in its section; whatever follows another begins at a multiple of 8.
__device__ int first[4] = {1, 2, 3, 4}; // made: first

namespace numbers
{
__device__ int counts[101]; // made: counts
}

__constant__ int table[5]; // made: table
__managed__ int shared[N]; // made: shared

struct totals
{
    static __device__ unsigned long long sums[4]; // made: sums
};
__device__ unsigned long long totals::sums[4];

__global__ void fill_counts(int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) numbers::counts[i] = i; // bug: variable
}

static void variable_behind()
{
    fill_counts<<<1, GROUP>>>(right ? 101 : 102);
    (void)hipDeviceSynchronize();
}

__global__ void decrease(int offset)
{
    first[(int)threadIdx.x + offset]--; // bug: before
}

static void variable_before()
{
    decrease<<<1, 4>>>(right ? 0 : -1);
    (void)hipDeviceSynchronize();
}

__global__ void look_up(int *to, int n)
{
    int i = threadIdx.x;
    if (i < n) to[i] = table[i]; // bug: table
}

static void constant_behind()
{
    int *to;
    allocate(&to, 64);
    look_up<<<1, 64>>>(to, right ? 5 : 6);
    (void)hipDeviceSynchronize();
    (void)hipFree(to);
}

__global__ void fill_shared(int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) shared[i] = i; // bug: shared
}

static void managed_variable_behind()
{
    fill_shared<<<GROUPS, GROUP>>>(right ? N : N + 5);
    (void)hipDeviceSynchronize();
}

__global__ void sum_up(int offset)
{
    atomicAdd((unsigned long long *)((char *)totals::sums + offset), 1); // bug: sums
}

static void variable_misaligned()
{
    sum_up<<<1, 1>>>(right ? 8 : 4);
    (void)hipDeviceSynchronize();
}

// HIP refuses such copies, and who does not ask for their status never knows
static void copied_to_symbol()
{
    static const int from[128] = {};
    (void)hipMemcpyToSymbol(HIP_SYMBOL(numbers::counts), from, right ? 400 : 404, 4); // bug: to-symbol
    (void)hipDeviceSynchronize();
}

static void copied_from_symbol()
{
    static int to[128];
    (void)hipMemcpyFromSymbol(to, HIP_SYMBOL(table), right ? 20 : 21); // bug: from-symbol
    (void)hipDeviceSynchronize();
}

static void filled_variable()
{
    void *at = nullptr;
    (void)hipGetSymbolAddress(&at, HIP_SYMBOL(numbers::counts));
    (void)hipMemset(at, 0, right ? 404 : 512); // bug: set-variable
    (void)hipDeviceSynchronize();
}

// as programs do it that have no such instruction: all of the dword is read, and compared
__global__ void add_to_half(uint16_t *half)
{
    unsigned *around = (unsigned *)((uintptr_t)half & ~(uintptr_t)2), found = *around, expected; // bug: half
    const unsigned shift = (uintptr_t)half & 2 ? 16 : 0;
    do {
        expected = found;
        const unsigned sum = ((expected >> shift) + 1) & 0xffff;
        found = atomicCAS(around, expected, (expected & ~(0xffffu << shift)) | sum << shift);
    } while (found != expected);
}

static void half_behind()
{
    uint16_t *halves;
    if (hipMalloc(&halves, 6) != hipSuccess) return; // made: halves
    (void)hipMemset(halves, 0, 6);
    add_to_half<<<1, 1>>>(halves + (right ? 2 : 4));
    (void)hipDeviceSynchronize();
    (void)hipFree(halves);
}

static const row_t rows[] = {
    {"variable-behind", variable_behind},
    {"variable-before", variable_before},
    {"constant-behind", constant_behind},
    {"managed-variable-behind", managed_variable_behind},
    {"variable-misaligned", variable_misaligned},
    {"copied-to-symbol", copied_to_symbol},
    {"copied-from-symbol", copied_from_symbol},
    {"filled-variable", filled_variable},
    {"half-behind", half_behind},
};

int main(int argc, char **argv)
{
    return run(rows, argc, argv);
}
