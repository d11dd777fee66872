// csmith.h - what a program made by csmith needs around it, for the host and for the GPU alike:
// arithmetic that is defined for all operands, the checksum, and the kernels and the loop that run
// one program on many lanes and compare them with the host. csmith.py turns the C program into a
// C++ struct whose members are its globals, so that every lane has globals of its own.
// What may be changed: anything that both sides see alike; no result may depend on the side.
#pragma once
#include <hip/hip_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>
#include <unistd.h>
#include <vector>

#pragma clang force_cuda_host_device begin
namespace oracle
{
// The functions that csmith calls in place of operators. What they give where C leaves the result
// undefined is free to choose, as long as it is defined.
template <typename T> struct safe {
    using U = typename std::make_unsigned<T>::type;
    using W = unsigned long long;
    static constexpr int width = 8 * sizeof(T);
    static constexpr T lowest = std::is_signed<T>::value ? (T)((W)1 << (width - 1)) : (T)0;

    static T add(T a, T b) { return (T)((W)a + (W)b); }
    static T sub(T a, T b) { return (T)((W)a - (W)b); }
    static T mul(T a, T b) { return (T)((W)a * (W)b); }
    static T negative(T a) { return (T)(0 - (W)a); }
    static bool bad_quotient(T a, T b)
    {
        return b == 0 || (std::is_signed<T>::value && a == lowest && b == (T)-1);
    }
    // LLVM 15 takes the quotient of 64-bit values that it knows to have 32 bits for one of 24-bit
    // values, so the GPU's compiler must not know.
    static T opaque(T a)
    {
#ifdef __HIP_DEVICE_COMPILE__
        if (sizeof(T) == 8) __asm__("" : "+v"(a));
#endif
        return a;
    }
    static T div(T a, T b) { return bad_quotient(a, b) ? a : (T)(opaque(a) / opaque(b)); }
    static T mod(T a, T b) { return bad_quotient(a, b) ? a : (T)(opaque(a) % opaque(b)); }
    template <typename S> static T left(T a, S n)
    {
        return n < 0 || n >= width ? a : (T)((W)a << n);
    }
    template <typename S> static T right(T a, S n) { return n < 0 || n >= width ? a : (T)(a >> n); }
};

inline int count_leading(unsigned long long x, int width)
{
    return x ? __builtin_clzll(x) - (64 - width) : width;
}
inline int count_trailing(unsigned long long x, int width)
{
    return x ? __builtin_ctzll(x) : width;
}

inline unsigned scramble(unsigned x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

// FNV-1a over 64-bit values; a NaN counts as one value, because hosts and GPUs make different ones.
struct checksum {
    uint64_t state = 0xcbf29ce484222325ull;
    void mix(uint64_t x) { state = (state ^ x) * 0x100000001b3ull; }
    void value(float x)
    {
        unsigned bits;
        __builtin_memcpy(&bits, &x, sizeof bits);
        mix(x != x ? 0x7fc00000u : bits);
    }
    template <typename T> void value(T x) { mix((uint64_t)x); }
    void bytes(const float *p, size_t) { value(*p); }
    void bytes(const void *p, size_t n)
    {
        for (size_t i = 0; i < n; i++) mix(((const unsigned char *)p)[i]);
    }
};

// What the struct that a program becomes inherits.
struct program {
    checksum sum_;
    int fuel_ = 2000; // rounds of loops
    bool spent_() { return fuel_ == 0 || --fuel_ == 0; }
};
} // namespace oracle

#define SAFE_OPS(T, s)                                                                              \
    inline T safe_unary_minus_func_##T##_##s(T a) { return oracle::safe<T>::negative(a); }            \
    inline T safe_add_func_##T##_##s##_##s(T a, T b) { return oracle::safe<T>::add(a, b); }                 \
    inline T safe_sub_func_##T##_##s##_##s(T a, T b) { return oracle::safe<T>::sub(a, b); }                 \
    inline T safe_mul_func_##T##_##s##_##s(T a, T b) { return oracle::safe<T>::mul(a, b); }                 \
    inline T safe_div_func_##T##_##s##_##s(T a, T b) { return oracle::safe<T>::div(a, b); }                 \
    inline T safe_mod_func_##T##_##s##_##s(T a, T b) { return oracle::safe<T>::mod(a, b); }                 \
    inline T safe_lshift_func_##T##_##s##_s(T a, int n) { return oracle::safe<T>::left(a, n); }          \
    inline T safe_lshift_func_##T##_##s##_u(T a, unsigned n) { return oracle::safe<T>::left(a, n); }     \
    inline T safe_rshift_func_##T##_##s##_s(T a, int n) { return oracle::safe<T>::right(a, n); }         \
    inline T safe_rshift_func_##T##_##s##_u(T a, unsigned n) { return oracle::safe<T>::right(a, n); }
SAFE_OPS(int8_t, s)
SAFE_OPS(int16_t, s)
SAFE_OPS(int32_t, s)
SAFE_OPS(int64_t, s)
SAFE_OPS(uint8_t, u)
SAFE_OPS(uint16_t, u)
SAFE_OPS(uint32_t, u)
SAFE_OPS(uint64_t, u)
#undef SAFE_OPS
inline float safe_add_func_float_f_f(float a, float b) { return a + b; }
inline float safe_sub_func_float_f_f(float a, float b) { return a - b; }
inline float safe_mul_func_float_f_f(float a, float b) { return a * b; }
inline float safe_div_func_float_f_f(float a, float b) { return a / b; }
#pragma clang force_cuda_host_device end

// csmith's bit builtins have undefined results for zero; these have not.
#define __builtin_clz(x) oracle::count_leading((unsigned)(x), 32)
#define __builtin_clzl(x) oracle::count_leading((unsigned long)(x), 64)
#define __builtin_ctz(x) oracle::count_trailing((unsigned)(x), 32)
#define __builtin_ctzl(x) oracle::count_trailing((unsigned long)(x), 64)
#define __builtin_ia32_crc32qi(a, b) oracle::scramble((unsigned)(a) ^ (unsigned)(b))

// Inside the struct: csmith's own names for what it does with its globals at the end.
#define transparent_crc(x, name, flag) sum_.value(x)
#define transparent_crc_bytes(p, size, name, flag) sum_.bytes(p, size)

namespace oracle
{
enum { LANES = 96, GROUP = 48 }; // groups that do not fill a wave

template <typename P> __host__ __device__ inline uint64_t run_one(P *p, unsigned lane)
{
    if (lane) p->perturb_(lane);
    return p->main_();
}

template <typename P> __global__ __launch_bounds__(GROUP) void in_memory(char *heap, uint64_t *out)
{
    unsigned lane = blockIdx.x * GROUP + threadIdx.x;
    out[lane] = run_one(new (heap + sizeof(P) * lane) P, lane);
}

template <typename P> __global__ __launch_bounds__(GROUP) void on_stack(char *, uint64_t *out)
{
    unsigned lane = blockIdx.x * GROUP + threadIdx.x;
    P p;
    out[lane] = run_one(&p, lane);
}

inline void check(hipError_t error, const char *what)
{
    if (error == hipSuccess) return;
    std::printf("%s: %s\n", what, hipGetErrorString(error));
    std::exit(2);
}

// Runs a program on the host, then in both ways on the GPU. Returns how many ways went wrong.
template <typename P> int compare(const char *name)
{
    std::vector<uint64_t> want(LANES), got(LANES);
    void *place = std::calloc(1, sizeof(P) + 64);
    alarm(5); // whether it takes long is known after the host's run
    for (unsigned lane = 0; lane < LANES; lane++) {
        std::memset(place, 0, sizeof(P));
        want[lane] = run_one(new (place) P, lane);
    }
    alarm(0);
    std::free(place);
    std::printf("%s: the host is done\n", name);
    std::fflush(stdout);

    char *heap;
    uint64_t *out;
    check(hipMalloc(&heap, sizeof(P) * LANES), "hipMalloc");
    check(hipMalloc(&out, LANES * sizeof *out), "hipMalloc");
    int wrong = 0;
    struct way {
        const char *name;
        void (*kernel)(char *, uint64_t *);
    } ways[] = {{"memory", in_memory<P>}, {"stack", on_stack<P>}};
    for (auto &way : ways) {
        check(hipMemset(heap, 0, sizeof(P) * LANES), "hipMemset");
        check(hipMemset(out, 0, LANES * sizeof *out), "hipMemset");
        way.kernel<<<LANES / GROUP, GROUP>>>(heap, out);
        check(hipMemcpy(got.data(), out, LANES * sizeof *out, hipMemcpyDeviceToHost), name);
        int lanes = 0, first = -1;
        for (int lane = 0; lane < LANES; lane++)
            if (got[lane] != want[lane]) {
                if (first < 0) first = lane;
                lanes++;
            }
        if (!lanes) continue;
        std::printf("%s in %s: %d lanes wrong, the first %d: got %016llx, expected %016llx\n", name,
                    way.name, lanes, first, (unsigned long long)got[first],
                    (unsigned long long)want[first]);
        wrong++;
    }
    check(hipFree(heap), "hipFree");
    check(hipFree(out), "hipFree");
    if (!wrong) std::printf("%s: ok\n", name);
    std::fflush(stdout);
    return wrong;
}
} // namespace oracle
