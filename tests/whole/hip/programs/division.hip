// division - integer division, remainder, shifts, multiplication of all widths and signs.
#include "check.h"

template <typename T> __host__ __device__ inline void compute(T a, T b, T *out)
{
    out[0] = b ? (T)(a / b) : T(0);
    out[1] = b ? (T)(a % b) : T(1);
    out[2] = (T)(a * b);
    out[3] = (T)(a / T(7)) + (T)(a % T(10));
    out[4] = (T)(a >> (unsigned)(b & 7));
    out[5] = (T)(a << (unsigned)(b & 5));
    out[6] = a < b ? T(a - b) : T(a ^ b);
    out[7] = (T)(a + b + (a > b));
}

template <typename T> __global__ void device(const T *a, const T *b, T *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) compute(a[i], b[i], out + 8 * i);
}

template <typename T> void run(const char *name)
{
    const int n = 3000;
    std::vector<T> a(n), b(n);
    uint32_t seed = 31;
    for (int i = 0; i < n; i++) {
        a[i] = (T)((uint64_t)next_random(seed) << 32 | next_random(seed));
        b[i] = (T)((uint64_t)next_random(seed) << 32 | next_random(seed));
        if (i % 3 == 0) b[i] = (T)(b[i] >> (sizeof(T) * 4)); // small divisors too
        if (i % 50 == 0) b[i] = (T)1;
        if (i % 51 == 0) a[i] = (T)0;
        if (b[i] == (T)-1) b[i] = (T)3; // INT_MIN / -1 is undefined on the host
    }
    device_array<T> da(a), db(b), dout(8 * n);
    device<T><<<(n + 255) / 256, 256>>>(da.data, db.data, dout.data, n);
    auto out = dout.host();
    size_t wrong = 0;
    for (int i = 0; i < n; i++) {
        T expected[8];
        compute(a[i], b[i], expected);
        for (int k = 0; k < 8; k++) wrong += out[8 * i + k] != expected[k];
    }
    report(name, 8 * n, wrong);
}

int main()
{
    run<int8_t>("i8");
    run<uint8_t>("u8");
    run<int16_t>("i16");
    run<uint16_t>("u16");
    run<int32_t>("i32");
    run<uint32_t>("u32");
    run<int64_t>("i64");
    run<uint64_t>("u64");
    return wrong_total;
}
