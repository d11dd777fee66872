// math - the device library in float and double against the host's within a few units in the last
// place. Prints the worst error only when a bound is broken, so the output stays the same.
#include "check.h"

#define FUNCTIONS(X)                                                                               \
    X(sqrt, 0.01, 100, 1) X(exp, -20, 20, 2) X(exp2, -20, 20, 2) X(log, 0.01, 1000, 3)             \
    X(log2, 0.01, 1000, 3) X(log10, 0.01, 1000, 3) X(sin, -30, 30, 4) X(cos, -30, 30, 4)           \
    X(tan, -1.4, 1.4, 5) X(asin, -1, 1, 5) X(acos, -1, 1, 5) X(atan, -50, 50, 5)                   \
    X(sinh, -10, 10, 5) X(cosh, -10, 10, 5) X(tanh, -5, 5, 5) X(cbrt, -100, 100, 3)                \
    X(erf, -4, 4, 16) X(floor, -9, 9, 0) X(ceil, -9, 9, 0) X(trunc, -9, 9, 0) X(rint, -9, 9, 0)    \
    X(fabs, -9, 9, 0) X(expm1, -5, 5, 4) X(log1p, -0.9, 50, 4) X(tgamma, 0.5, 8, 40)

template <typename T> struct input { int function; T x; };

template <typename T> __global__ void evaluate(const T *in, T *out, int per)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, f = blockIdx.y;
    if (i >= per) return;
    T x = in[f * per + i], y = 0;
    int k = 0;
#define X(name, lo, hi, ulp) if (f == k++) y = name(x);
    FUNCTIONS(X)
#undef X
    out[f * per + i] = y;
}

template <typename T> double ulps(T got, T expected)
{
    if (std::isnan(got) && std::isnan(expected)) return 0;
    if (got == expected) return 0;
    T next = std::nextafter(std::fabs(expected), (T)INFINITY);
    return std::fabs((double)got - (double)expected) / (double)(next - std::fabs(expected));
}

template <typename T> void run(const char *type)
{
    const int per = 500;
    static const struct { const char *name; double lo, hi, bound; } list[] = {
#define X(name, lo, hi, ulp) {#name, lo, hi, ulp},
        FUNCTIONS(X)
#undef X
    };
    const int functions = sizeof list / sizeof *list;
    std::vector<T> in((size_t)functions * per);
    uint32_t seed = 17;
    for (int f = 0; f < functions; f++)
        for (int i = 0; i < per; i++)
            in[f * per + i] = (T)(list[f].lo + (list[f].hi - list[f].lo) * (next_random(seed) / 4294967295.0));
    device_array<T> din(in), dout(in.size());
    evaluate<T><<<dim3((per + 127) / 128, functions), 128>>>(din.data, dout.data, per);
    auto out = dout.host();
    size_t wrong = 0;
    int f = 0;
    auto check = [&](double (*host)(double)) {
        double worst = 0;
        for (int i = 0; i < per; i++)
            worst = std::fmax(worst, ulps<T>(out[f * per + i], (T)host((double)in[f * per + i])));
        if (!(worst <= list[f].bound)) {
            std::printf("%s(%s): %.2f ulp, bound %.0f\n", list[f].name, type, worst, list[f].bound);
            wrong++;
        }
        f++;
    };
#define X(name, lo, hi, ulp) check([](double x) { return (double)std::name(x); });
    FUNCTIONS(X)
#undef X
    std::printf("math %s: %d functions, %zu outside their bound\n", type, functions, wrong);
    if (wrong) wrong_total = 1;
}

template <typename T> __global__ void two(const T *a, const T *b, T *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[i] = a[i] / b[i];
    out[n + i] = fmod(a[i], b[i]);
    out[2 * n + i] = fma(a[i], b[i], a[i]);
    out[3 * n + i] = fmin(a[i], b[i]) + fmax(a[i], b[i]) * 2;
    out[4 * n + i] = ldexp(a[i], (int)(i % 40) - 20);
    int e;
    out[5 * n + i] = frexp(a[i], &e) + e;
    out[6 * n + i] = copysign(a[i], b[i]);
    out[7 * n + i] = hypot(a[i], b[i]);
    out[8 * n + i] = pow(fabs(a[i]), b[i] / 100);
    out[9 * n + i] = atan2(a[i], b[i]);
}

template <typename T> void binary(const char *name)
{
    const int n = 2000;
    std::vector<T> a(n), b(n);
    uint32_t seed = 23;
    for (int i = 0; i < n; i++) {
        a[i] = (T)((int32_t)next_random(seed) / 1e6);
        b[i] = (T)((int32_t)next_random(seed) / 1e7);
    }
    device_array<T> da(a), db(b), dout(10 * n);
    two<T><<<(n + 63) / 64, 64>>>(da.data, db.data, dout.data, n);
    auto out = dout.host();
    size_t wrong = 0;
    for (int i = 0; i < n; i++) {
        int e;
        T mantissa = std::frexp(a[i], &e);
        T expected[10] = {a[i] / b[i], std::fmod(a[i], b[i]), std::fma(a[i], b[i], a[i]),
                          std::fmin(a[i], b[i]) + std::fmax(a[i], b[i]) * 2,
                          std::ldexp(a[i], i % 40 - 20), mantissa + e, std::copysign(a[i], b[i]),
                          std::hypot(a[i], b[i]), (T)std::pow((double)std::fabs(a[i]), (double)(b[i] / 100)),
                          (T)std::atan2((double)a[i], (double)b[i])};
        for (int k = 0; k < 10; k++) wrong += ulps<T>(out[k * n + i], expected[k]) > (k < 7 ? 0 : k == 8 ? 16 : 6);
    }
    report(name, 10 * n, wrong);
}

int main()
{
    run<float>("float");
    run<double>("double");
    binary<float>("binary float");
    binary<double>("binary double");
    return wrong_total;
}
