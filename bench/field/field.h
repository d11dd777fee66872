// field.h - what the kernels of bench_field share: one case for each, data, comparison.
//
// A case makes its data once, runs its kernels as often as it is told, does the same work on the
// host, and says how far the two results are apart. A new kernel is a file with a case and a line
// in field.hip's list; its kernels' names begin with field_, by which field.py finds their counts.
#pragma once

#include <hip/hip_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

struct field_case {
    const char *name, *what;
    void (*prepare)();
    void (*launch)();  // the whole piece of work, repeatable: starts what is to be measured
    void (*host)();    // the same work by one host thread
    double (*error)(); // of the device's result against the host's
    double limit;      // largest error that counts as equal
};

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
