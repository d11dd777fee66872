// field.h - what the kernels of bench_field share: one case for each, data, comparison.
//
// A case makes its data once, runs its kernels as often as it is told, does the same work on the
// host, and says how far the two results are apart. A new kernel is a file with a case and a line
// in field.hip's list; its kernels' names begin with field_, by which field.py finds their counts.
// Kernels work in waves of whatever size they are compiled for, which the host asks field_wave()
// for. FIELD_REACH and field_reach() are the lanes among which a shuffle moves: all, but from gfx10
// on those of one half of a wave of 64.
#pragma once

#include <hip/hip_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

// What not every GPU has, and a case may need. FIELD_HAS is what the GPU has for which this is
// compiled; where the host's code is compiled, it is not defined.
#define FIELD_MFMA   1 // matrix instructions of 32x32x8 f16
#define FIELD_MATRIX 2 // those of 16x16x16 f16
#if defined __gfx908__ || defined __gfx90a__ || defined __gfx942__ || defined __gfx950__
#define FIELD_HAS (FIELD_MFMA | FIELD_MATRIX)
#elif defined __GFX11__ || defined __GFX12__
#define FIELD_HAS FIELD_MATRIX
#elif defined __HIP_DEVICE_COMPILE__
#define FIELD_HAS 0
#endif
#if defined __GFX10__ || defined __GFX11__ || defined __GFX12__
#define FIELD_REACH 32
#else
#define FIELD_REACH 64
#endif

struct field_case {
    const char *name, *what;
    void (*prepare)();
    void (*launch)();  // the whole piece of work, repeatable: starts what is to be measured
    void (*host)();    // the same work by one host thread
    double (*error)(); // of the device's result against the host's
    double limit;      // largest error that counts as equal
    unsigned needs;    // of FIELD_MFMA and so on
};

unsigned field_wave(); // lanes of the waves that the program is compiled for
unsigned field_reach();

// The sum, and four products of signed bytes.
static __device__ inline int field_dot4(int a, int b, int sum)
{
#if defined __GFX11__ || defined __GFX12__
    return __builtin_amdgcn_sudot4(true, a, true, b, sum, false);
#else
    return __builtin_amdgcn_sdot4(a, b, sum, false);
#endif
}

// Not const: HIP would put constants on the device too, host functions and all.
extern field_case field_fft, field_nbody, field_polygon, field_stencil, field_spmv, field_join,
    field_histogram, field_dot, field_gemm, field_quant, field_matrix, field_stream;

// The same numbers on every host.
struct field_random {
    uint64_t state;
    explicit field_random(uint64_t seed) : state(seed) {}
    uint32_t next()
    {
        state = state * 6364136223846793005u + 1442695040888963407u;
        return (uint32_t)(state >> 32);
    }
    uint32_t below(uint32_t n) { return (uint32_t)((uint64_t)next() * n >> 32); }
    double unit() { return next() / 4294967296.0; } // [0, 1)
};

inline void field_demand(hipError_t status, const char *what)
{
    if (status == hipSuccess) return;
    fprintf(stderr, "bench_field: %s: %s\n", what, hipGetErrorString(status));
    exit(1);
}

template <typename T> T *field_room(size_t n)
{
    T *p;
    field_demand(hipMalloc(&p, n * sizeof(T)), "hipMalloc");
    return p;
}

template <typename T> T *field_upload(const std::vector<T> &from)
{
    T *to = field_room<T>(from.size());
    field_demand(hipMemcpy(to, from.data(), from.size() * sizeof(T), hipMemcpyHostToDevice),
                 "copy");
    return to;
}

template <typename T> std::vector<T> field_download(const T *from, size_t n)
{
    std::vector<T> to(n);
    field_demand(hipMemcpy(to.data(), from, n * sizeof(T), hipMemcpyDeviceToHost), "copy back");
    return to;
}

// Largest difference in relation to the largest value.
template <typename T> double field_distance(const std::vector<T> &a, const std::vector<T> &b)
{
    double apart = 0, most = 0;
    for (size_t k = 0; k < a.size(); k++) {
        const double d = std::fabs((double)a[k] - (double)b[k]);
        if (!(d <= apart)) apart = d;
        most = std::max(most, std::fabs((double)b[k]));
    }
    return most > 0 ? apart / most : apart;
}
