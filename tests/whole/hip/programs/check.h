// check.h - shared by the HIP test programs: error checks, a small random generator that host and
// tests agree on, and the one line of output that each check prints.
#pragma once
#include <hip/hip_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define HIP(call)                                                                                  \
    do {                                                                                           \
        hipError_t error_ = (call);                                                                \
        if (error_ != hipSuccess) {                                                                \
            std::printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, hipGetErrorString(error_));  \
            std::exit(2);                                                                          \
        }                                                                                          \
    } while (0)

static int wrong_total = 0;

// Prints "name: n checked, k wrong"; main returns wrong_total != 0.
static inline void report(const char *name, size_t n, size_t wrong)
{
    std::printf("%s: %zu checked, %zu wrong\n", name, n, wrong);
    if (wrong) wrong_total = 1;
}

static inline uint32_t next_random(uint32_t &state)
{
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

template <typename T> struct device_array {
    T *data = nullptr;
    size_t count;
    explicit device_array(size_t n) : count(n) { HIP(hipMalloc(&data, n * sizeof(T))); }
    explicit device_array(const std::vector<T> &host) : device_array(host.size())
    {
        HIP(hipMemcpy(data, host.data(), count * sizeof(T), hipMemcpyHostToDevice));
    }
    ~device_array() { (void)hipFree(data); }
    std::vector<T> host() const
    {
        std::vector<T> out(count);
        HIP(hipMemcpy(out.data(), data, count * sizeof(T), hipMemcpyDeviceToHost));
        return out;
    }
};
