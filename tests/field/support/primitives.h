// primitives.h - what programs of rocPRIM's device functions share: memory, calls with temporary storage, results.
#pragma once
#include <hip/hip_runtime.h>
#include <rocprim/rocprim.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

static const unsigned N = 50021; // many workgroups, the last of them not full

static int failed;

static void must(hipError_t status, const char *what)
{
    if (status == hipSuccess) return;
    std::printf("%s: %s\n", what, hipGetErrorString(status));
    std::exit(1);
}

template <typename T> struct buffer {
    T *at = nullptr;
    explicit buffer(size_t count) { must(hipMalloc(&at, count * sizeof(T)), "hipMalloc"); }
    explicit buffer(const std::vector<T> &from) : buffer(from.size())
    {
        must(hipMemcpy(at, from.data(), from.size() * sizeof(T), hipMemcpyHostToDevice), "hipMemcpy");
    }
    ~buffer() { (void)hipFree(at); }
    std::vector<T> get(size_t count) const
    {
        std::vector<T> to(count);
        must(hipMemcpy(to.data(), at, count * sizeof(T), hipMemcpyDeviceToHost), "hipMemcpy");
        return to;
    }
};

// Asks how much memory the function wants, and calls it with as much.
template <typename F> static void call(const char *name, F f)
{
    size_t bytes = 0;
    must(f(nullptr, bytes), name);
    buffer<char> temporary(bytes);
    must(f(temporary.at, bytes), name);
    must(hipDeviceSynchronize(), name);
}

static void expect(const char *name, bool right)
{
    std::printf("%s %s\n", name, right ? "right" : "wrong");
    failed |= !right;
}
