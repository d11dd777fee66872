// waits.hip - compiled kernels with waits, barriers and wait states of all kinds, for mutate.py; see corpus.h.
//
// Each wait that the compiler has placed is there for a reason, or for none: walk.py decides. Nothing here is wrong.
#include "corpus.h"

typedef float float4_t __attribute__((ext_vector_type(4)));
typedef float float16_t __attribute__((ext_vector_type(16)));
typedef double double4_t __attribute__((ext_vector_type(4)));
typedef int int4_t __attribute__((ext_vector_type(4)));
typedef _Float16 half4_t __attribute__((ext_vector_type(4)));
typedef _Float16 half16_t __attribute__((ext_vector_type(16)));
typedef float float8_t __attribute__((ext_vector_type(8)));

enum { TILE = 64, STEPS = 3 };

__global__ void copies(int *to)
{
    int4_t *wide = reinterpret_cast<int4_t *>(to) + threadIdx.x % 32;
    int4_t one = wide[0], other = wide[32];
    wide[64] = one + other;
    one.x = other.y;
    wide[96] = one;
}

__global__ void chained(int *to)
{
    int at = threadIdx.x;
    for (int k = 0; k < STEPS; k++)
        at = to[(at + k) % TILE] + to[k];
    to[2 * TILE + threadIdx.x] = at;
}

__global__ void divided(int *to)
{
    const float x = static_cast<float>(to[threadIdx.x] + 3), y = static_cast<float>(to[threadIdx.x + TILE] + 7);
    const double z = static_cast<double>(x) / (y + 1.5);
    to[threadIdx.x] = static_cast<int>(x / y + static_cast<float>(z));
}

__global__ void uniform(int *to)
{
    const int lane = __builtin_amdgcn_readfirstlane(to[threadIdx.x]) & 31;
    const int there = __builtin_amdgcn_readlane(to[threadIdx.x + TILE], lane);
    to[there % TILE + 2 * TILE] = lane;
}

__global__ void shifted(int *to)
{
    int sum = to[threadIdx.x];
    sum += __builtin_amdgcn_update_dpp(0, sum, 0x111, 0xf, 0xf, true); // row_shr:1
    sum += __builtin_amdgcn_update_dpp(0, sum, 0x112, 0xf, 0xf, true);
    sum += __builtin_amdgcn_ds_bpermute(4 * (63 - threadIdx.x), sum);
    to[threadIdx.x] = sum;
}

#ifdef __GFX9__ // matrix instructions, as far as the GPU has them
__global__ void products(int *to)
{
    const float a = static_cast<float>(to[threadIdx.x]), b = static_cast<float>(to[threadIdx.x + TILE]);
    float4_t small = {a, b, a, b};
    float16_t large = {};
    small = __builtin_amdgcn_mfma_f32_4x4x1f32(a, b, small, 0, 0, 0);
    large = __builtin_amdgcn_mfma_f32_32x32x2f32(small[0], small[3], large, 0, 0, 0);
    large = __builtin_amdgcn_mfma_f32_32x32x2f32(a, b, large, 0, 0, 0);
    float4_t middle = __builtin_amdgcn_mfma_f32_16x16x4f32(large[1], b, small, 0, 0, 0);
    to[threadIdx.x] = static_cast<int>(middle[0] + large[15]);
    to[threadIdx.x + TILE] = static_cast<int>(middle[3]);
}

__global__ void halves(int *to)
{
    const half4_t a = {static_cast<_Float16>(to[threadIdx.x]), 1, 2, 3}, b = {1, static_cast<_Float16>(to[TILE]), 1, 2};
    float4_t sum = {};
    sum = __builtin_amdgcn_mfma_f32_16x16x16f16(a, b, sum, 0, 0, 0);
    sum = __builtin_amdgcn_mfma_f32_16x16x16f16(b, a, sum, 0, 0, 0);
    reinterpret_cast<float4_t *>(to)[threadIdx.x] = sum;
}

__global__ void doubles(int *to)
{
#ifndef __gfx908__ // has no matrix instructions of f64
    const double a = to[threadIdx.x], b = to[threadIdx.x + TILE];
    double4_t sum = {a, b, a, b};
    sum = __builtin_amdgcn_mfma_f64_16x16x4f64(a, b, sum, 0, 0, 0);
    const double one = __builtin_amdgcn_mfma_f64_4x4x4f64(sum[0], b, a, 0, 0, 0);
    reinterpret_cast<double *>(to)[threadIdx.x] = one + sum[3] * a;
#endif
}
#else
__global__ void products(int *to)
{
#ifdef __GFX11__
    half16_t a, b;
    float8_t sum = {};
    for (int k = 0; k < 16; k++) {
        a[k] = static_cast<_Float16>(to[threadIdx.x + k]);
        b[k] = static_cast<_Float16>(to[threadIdx.x + 16 + k]);
    }
    sum = __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(a, b, sum);
    sum = __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(__builtin_bit_cast(half16_t, sum), b, sum);
    for (int k = 0; k < 8; k++) to[8 * threadIdx.x + k] = static_cast<int>(sum[k]);
#endif
}
__global__ void halves(int *) {}
__global__ void doubles(int *) {}
#endif

// Tiles of LDS by turns: a barrier for each.
__global__ void turns(int *to)
{
    __shared__ int tile[2][4 * TILE];
    const int i = threadIdx.x;
    int sum = 0;
    tile[0][i] = to[i];
    __syncthreads();
#pragma nounroll
    for (int k = 0; k < STEPS; k++) {
        tile[(k + 1) % 2][i] = to[i + k + 1] + k;
        sum += tile[k % 2][4 * TILE - 1 - i];
        __syncthreads();
    }
    to[4 * TILE + i] = sum;
}

__global__ void counted(int *to)
{
    __shared__ int bins[16], all;
    const int i = threadIdx.x;
    if (i < 16) bins[i] = i;
    if (!i) all = 0;
    __syncthreads();
    const int before = atomicAdd(&bins[to[i] & 15], 1);
    __syncthreads();
    if (i < 16) atomicAdd(&all, bins[i]);
    __syncthreads();
    to[i] = before + all;
    if (!i) atomicAdd(&to[999], all);
}

// Either memory: FLAT.
__attribute__((noinline)) __device__ int fetch(const int *from, int at)
{
    return from[at] + from[at + 1];
}

__global__ void either(int *to)
{
    __shared__ int held[4 * TILE + 1];
    const int i = threadIdx.x;
    held[i] = to[i];
    if (!i) held[4 * TILE] = 0;
    __syncthreads();
    to[4 * TILE + i] = fetch(i % 2 ? held : to, i);
}

template <void (*kernel)(int *), int group = 64> static void launch()
{
    int *memory;
    allocate(&memory, N);
    (void)hipMemset(memory, 1, N * sizeof(int));
    kernel<<<1, group>>>(memory);
    (void)hipDeviceSynchronize();
    (void)hipFree(memory);
}

static const row_t rows[] = {
    {"copies", launch<copies>},
    {"chained", launch<chained>},
    {"divided", launch<divided>},
    {"uniform", launch<uniform>},
    {"shifted", launch<shifted>},
    {"products", launch<products>},
    {"halves", launch<halves>},
    {"doubles", launch<doubles>},
    {"turns", launch<turns, 4 * TILE>},
    {"counted", launch<counted, 4 * TILE>},
    {"either", launch<either, 4 * TILE>},
};

int main(int argc, char **argv)
{
    return run(rows, argc, argv);
}
