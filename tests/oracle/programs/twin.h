// twin.h - one function body, compiled for the host and for the GPU, run on the same random words
// by both, and compared bit by bit. The host's arithmetic is the oracle.
// A test is TWIN(name, words in, words out) { ... in[i] ... out[i] ... }; it may use nothing whose
// result C leaves open. NaNs compare equal through bits().
// What may be changed: operand classes may be added to pick(); both sides share it.
#pragma once
#include <hip/hip_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#define BOTH __host__ __device__
#define APART __attribute__((noinline)) // a real call

#pragma clang force_cuda_host_device begin
inline uint64_t scramble(uint64_t x)
{
    x += 0x9e3779b97f4a7c15ull;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

template <typename T, typename U> inline T as(U bits)
{
    T value;
    static_assert(sizeof(T) == sizeof(U), "reinterpretation keeps the size");
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}

// An operand of integer type T made of a random word: half of them anything, the rest near the
// values at which instructions change their mind.
template <typename T> inline T pick(uint64_t word)
{
    const int width = 8 * sizeof(T);
    const uint32_t low = (uint32_t)word; // LLVM 15 at -O1 divides 64-bit values of 32 bits as if of 24
    const uint64_t one = 1, near = (uint64_t)(low % 5) - 2;
    switch (word >> 61) {
    case 0: return (T)near;
    case 1: return (T)((one << (low % width)) + (low >> 8) % 3 - 1);
    case 2: return (T)((one << (width - 1)) + near);
    case 3: return (T)(low % 100);
    default: return (T)scramble(word);
    }
}

// The same for floating point, given the words of its format. No NaN is a signalling one: what
// libraries make of those differs.
template <typename F, typename U, int MANTISSA, int BIAS> inline F pick_float(uint64_t word)
{
    const int width = 8 * sizeof(U), exponents = width - 1 - MANTISSA;
    const U any = (U)scramble(word), fraction = any & (((U)1 << MANTISSA) - 1);
    const U sign = any >> (width - 1) << (width - 1), all = ((U)1 << exponents) - 1;
    const uint32_t low = (uint32_t)word;
    U exponent = (U)(BIAS - 8 + low % 17);
    switch (word >> 60) {
    case 0: return as<F>((U)(sign | (low & 1 ? (U)0 : (U)(all << MANTISSA)))); // zero, infinity
    case 1: return as<F>((U)(sign | fraction));                               // denormal
    case 2: return as<F>((U)(sign | (U)(low % 4)));                           // tiniest
    case 3: return as<F>((U)(sign | (U)((U)(all - 1) << MANTISSA) | fraction)); // largest
    case 4: return as<F>((U)(sign | (U)((U)BIAS << MANTISSA)));               // one
    case 5: return as<F>((U)(all << MANTISSA | (U)1 << (MANTISSA - 1)));      // quiet NaN
    case 6: return (F)((int)(low % 2001) - 1000);                               // small integers
    case 7: return as<F>((U)((any << 1 >> 1) > all << MANTISSA ? any | (U)1 << (MANTISSA - 1) : any));
    default: return as<F>((U)(sign | (U)(exponent << MANTISSA) | fraction));
    }
}
template <> inline float pick<float>(uint64_t w)
{
    return pick_float<float, uint32_t, 23, 127>(w);
}
template <> inline double pick<double>(uint64_t w)
{
    return pick_float<double, uint64_t, 52, 1023>(w);
}
template <> inline _Float16 pick<_Float16>(uint64_t w)
{
    return pick_float<_Float16, uint16_t, 10, 15>(w);
}

// The bits of a result; every NaN is the same one, as IEEE 754 leaves its sign and payload open.
inline uint64_t bits(float x) { return x != x ? 0x7fc00000u : as<uint32_t>(x); }
inline uint64_t bits(double x) { return x != x ? 0x7ff8000000000000u : as<uint64_t>(x); }
inline uint64_t bits(_Float16 x) { return x != x ? 0x7e00u : as<uint16_t>(x); }
template <typename T> inline uint64_t bits(T x) { return (uint64_t)x; }
#pragma clang force_cuda_host_device end

#define HIP(call)                                                                                  \
    do {                                                                                           \
        hipError_t error_ = (call);                                                                \
        if (error_ != hipSuccess) {                                                                \
            std::printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, hipGetErrorString(error_));  \
            std::exit(2);                                                                          \
        }                                                                                          \
    } while (0)

static int wrong_total = 0;

enum { TWIN_GROUP = 192, TWIN_ITEMS = 24 * TWIN_GROUP };

template <typename T> __global__ __launch_bounds__(TWIN_GROUP) void twin_kernel(const uint64_t *in, uint64_t *out)
{
    size_t item = blockIdx.x * blockDim.x + threadIdx.x;
    T::run(in + item * T::IN, out + item * T::OUT);
}

struct twin {
    const char *name;
    int in, out;
    void (*host)(const uint64_t *, uint64_t *);
    void (*kernel)(const uint64_t *, uint64_t *);
    static std::vector<twin> &all()
    {
        static std::vector<twin> list;
        return list;
    }
    template <typename T> static twin add(const char *name)
    {
        all().push_back(twin{name, T::IN, T::OUT, T::run, twin_kernel<T>});
        return all().back();
    }

    void compare() const
    {
        std::vector<uint64_t> words((size_t)TWIN_ITEMS * in), want((size_t)TWIN_ITEMS * out), got(want.size());
        uint64_t state = 0;
        for (const char *c = name; *c; c++) state = scramble(state + (unsigned char)*c);
        for (auto &w : words) w = state = scramble(state);
        for (size_t i = 0; i < TWIN_ITEMS; i++) host(&words[i * in], &want[i * out]);
        uint64_t *din, *dout;
        HIP(hipMalloc(&din, words.size() * 8));
        HIP(hipMalloc(&dout, want.size() * 8));
        HIP(hipMemcpy(din, words.data(), words.size() * 8, hipMemcpyHostToDevice));
        HIP(hipMemset(dout, 0xa5, want.size() * 8));
        kernel<<<TWIN_ITEMS / TWIN_GROUP, TWIN_GROUP>>>(din, dout);
        HIP(hipMemcpy(got.data(), dout, got.size() * 8, hipMemcpyDeviceToHost));
        HIP(hipFree(din));
        HIP(hipFree(dout));
        size_t wrong = 0;
        for (size_t k = 0; k < got.size(); k++) {
            if (got[k] == want[k]) continue;
            if (wrong++ >= 4) continue;
            std::printf("%s: out[%zu] is %llx, expected %llx; in:", name, k % out, (unsigned long long)got[k],
                        (unsigned long long)want[k]);
            for (int i = 0; i < in; i++) std::printf(" %llx", (unsigned long long)words[k / out * in + i]);
            std::printf("\n");
        }
        std::printf("%s: %zu wrong\n", name, wrong);
        if (wrong) wrong_total = 1;
    }
};

#define TWIN(name, words_in, words_out)                                                            \
    struct name {                                                                                  \
        enum { IN = words_in, OUT = words_out };                                                   \
        static BOTH void run(const uint64_t *in, uint64_t *out);                                   \
    };                                                                                             \
    static twin twin_##name = twin::add<name>(#name);                                              \
    BOTH void name::run(const uint64_t *in, uint64_t *out)

/* A kernel that recurses has a stack of unknown size. Compilers before LLVM 16 gave it 16 KiB, later
 * ones leave it to the runtime, whose 1 KiB ends in the scratch of another wave. */
static inline int twin_main(int argc, char **argv)
{
#if HIP_VERSION_MAJOR > 5 || HIP_VERSION_MINOR >= 3 /* older HIP cannot set it */
    (void)hipDeviceSetLimit(hipLimitStackSize, 16384);
#endif
    for (auto &t : twin::all())
        if (argc < 2 || !std::strcmp(argv[1], t.name)) t.compare();
    return wrong_total;
}
