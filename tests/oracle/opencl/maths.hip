// maths - what maths.cl ought to give: exact functions by the host's C library in the same
// precision, the others in 80-bit precision, with the limits in units in the last place that the
// OpenCL specification gives ("Relative Error as ULPs", full profile).
// What may be changed: a function is a line here and one of the same number in maths.cl.
#include "opencl.h"

enum { ITEMS = 4096, WORDS = 32 };

template <typename T> static void exact_values(T a, T b, T c, int n, uint64_t (&want)[WORDS])
{
    int e = 0, q = 0;
    T whole = 0;
    const T fraction = std::modf(a, &whole), mantissa = std::frexp(a, &e);
    const bool larger = std::fabs(a) > std::fabs(b), smaller = std::fabs(a) < std::fabs(b);
    const bool counts = std::isfinite(a) && a != 0;
    const T values[] = {
        a + b,
        a - b,
        a * b,
        a / b,
        std::sqrt(a),
        std::fma(a, b, c),
        std::rint(a),
        std::round(a),
        std::trunc(a),
        std::floor(a),
        std::ceil(a),
        std::fmod(a, b),
        std::remainder(a, b),
        std::fmin(a, b),
        std::fmax(a, b),
        std::copysign(a, b),
        std::fabs(a),
        std::ldexp(a, n),
        std::logb(a),
        std::nextafter(a, b),
        mantissa,
        0,
        fraction,
        whole,
        std::fdim(a, b),
        0,
        std::remquo(a, b, &q),
        larger    ? a
        : smaller ? b
                  : std::fmax(a, b),
        smaller  ? a
        : larger ? b
                 : std::fmin(a, b),
        std::isnan(a) ? (T)0
        : a == 0      ? a
                      : std::copysign((T)1, a),
        b < a ? (T)0 : (T)1,
        counts ? (T)std::ilogb(a) : (T)0,
    };
    for (int k = 0; k < WORDS; k++)
        want[k] = bits(values[k]);
    want[21] = counts ? (uint32_t)e : 0;
    want[25] = (uint64_t)std::isnan(a) | std::isinf(a) << 1 | std::isfinite(a) << 2 |
               std::isnormal(a) << 3 | std::signbit(a) << 4 | (a < b) << 5 | (a >= b) << 6 |
               (a < b || a > b) << 7 | (std::isnan(a) || std::isnan(b)) << 8 | (a == b) << 9 |
               (a != b) << 10;
}

template <typename T, typename U> static void exact(module &m, const char *name)
{
    auto in = random_words(name, 4 * ITEMS);
    for (size_t i = 0; i < in.size(); i++)
        if (i % 4 != 3) in[i] = as<U>(pick<T>(in[i]));
    auto got = run_items(m, name, in, ITEMS, WORDS);
    for (size_t i = 0; i < ITEMS; i++) {
        const T a = as<T>((U)in[4 * i]), b = as<T>((U)in[4 * i + 1]), c = as<T>((U)in[4 * i + 2]);
        uint64_t want[WORDS];
        exact_values(a, b, c, (int)(in[4 * i + 3] % 300) - 150, want);
        for (int k = 0; k < WORDS; k++) {
            uint64_t word = got[WORDS * i + k];
            if (k != 21 && k != 25) word = bits(as<T>((U)word));
            const bool extremum = k == 13 || k == 14 || k == 27 || k == 28; // of zeros: either
            if (extremum && a == 0 && b == 0) continue;
            // LLVM 15 rounds -0.3 to +0, and AMD's library has +0 after the smallest negative
            // number
            if ((k == 7 || k == 19) && as<T>((U)word) == 0) word = want[k] & bits((T)-0.0);
            m.expect(name, in[4 * i], k, word, want[k]);
        }
    }
}

typedef long double real;
struct limit {
    const char *name;
    double units, units_of_half;
    real (*value)(real x, real u, real p, real y, int n);
};
static const real PI = 3.14159265358979323846264338327950288L;

// sin(pi x) without the error of a rounded pi x.
static real sine_of_turns(real x, bool cosine)
{
    real r = std::fmod(x, 2.0L) + (cosine ? 0.5L : 0.0L); // exact: few digits
    r = std::fmod(r, 2.0L);
    if (r > 1) r -= 2;
    if (r < -1) r += 2;
    if (r > 0.5L) r = 1 - r;
    if (r < -0.5L) r = -1 - r;
    return std::fabs(r) > 0.25L ? std::copysign(std::cos(PI * (0.5L - std::fabs(r))), r)
                                : std::sin(PI * r);
}

#define LIMIT(name, units, units_of_half, expression)                                                          \
    {                                                                                                          \
#name, units, units_of_half, [](real x, real u, real p, real y, int n) -> real {                             \
         (void)x, (void)u, (void)p, (void)y, (void)n;                                              \
         return expression;                                                                        \
     } \
    }
static const limit LIMITS[WORDS] = {
    LIMIT(exp, 3, 2, std::exp(x)),
    LIMIT(exp2, 3, 2, std::exp2(x)),
    LIMIT(exp10, 3, 2, std::pow(10.0L, x)),
    LIMIT(expm1, 3, 2, std::expm1(x)),
    LIMIT(log, 3, 2, std::log(p)),
    LIMIT(log2, 3, 2, std::log2(p)),
    LIMIT(log10, 3, 2, std::log10(p)),
    LIMIT(log1p, 2, 2, std::log1p(p)),
    LIMIT(sin, 4, 2, std::sin(y)),
    LIMIT(cos, 4, 2, std::cos(y)),
    LIMIT(tan, 5, 2, std::tan(y)),
    LIMIT(sinpi, 4, 2, sine_of_turns(x, false)),
    LIMIT(cospi, 4, 2, sine_of_turns(x, true)),
    LIMIT(asin, 4, 2, std::asin(u)),
    LIMIT(acos, 4, 2, std::acos(u)),
    LIMIT(atan, 5, 2, std::atan(y)),
    LIMIT(atan2, 6, 2, std::atan2(x, y)),
    LIMIT(sinh, 4, 2, std::sinh(x)),
    LIMIT(cosh, 4, 2, std::cosh(x)),
    LIMIT(tanh, 5, 2, std::tanh(x)),
    LIMIT(asinh, 4, 2, std::asinh(y)),
    LIMIT(acosh, 4, 2, std::acosh(p)), // p is replaced by 1 + p as the kernel rounds it
    LIMIT(atanh, 5, 2, std::atanh(u)),
    LIMIT(cbrt, 2, 2, std::cbrt(y)),
    LIMIT(rsqrt, 2, 1, 1 / std::sqrt(p)),
    LIMIT(pow, 16, 4, std::pow(p, x)),
    LIMIT(hypot, 4, 2, std::hypot(x, y)),
    LIMIT(erf, 16, 4, std::erf(x)),
    LIMIT(erfc, 16, 4, std::erfc(x)),
    LIMIT(tgamma, 16, 4, std::tgamma(x)),
    LIMIT(lgamma, 16, 16, std::lgamma(p)), // the specification has no limit
    LIMIT(pown, 16, 4, std::pow(x, (real)n)),
};

template <typename T>
struct precision { // digits, exponent of the smallest normal number, largest of sines
    enum {
        DIGITS = std::numeric_limits<T>::digits,
        LEAST = std::numeric_limits<T>::min_exponent - 1,
        ANGLE = sizeof(T) == 4 ? 110 : 1000
    };
};
template <> struct precision<_Float16> {
    enum { DIGITS = 11, LEAST = -14, ANGLE = 6 };
};

// The distance of a result in units in the last place of the true value.
template <typename T> static real distance(T result, real want)
{
    const real got = result, nearest = (T)want;
    if (std::isnan(got) || std::isnan(want)) return std::isnan(got) && std::isnan(want) ? 0 : 1e9L;
    if (std::isinf(nearest) || std::isinf(got)) // near the largest number it may be either
        return got == nearest || std::ilogb(want) == 1 - precision<T>::LEAST ? 0 : 1e9L;
    const int exponent =
        want == 0 ? precision<T>::LEAST : std::max<int>(std::ilogb(want), precision<T>::LEAST);
    return std::fabs(got - want) / std::ldexp(1.0L, exponent - precision<T>::DIGITS + 1);
}

template <typename T, typename U> static void near(module &m, const char *name)
{
    auto in = random_words(name, 4 * ITEMS);
    auto share = [](uint64_t word) { return (double)(word >> 11) * 0x1p-53; }; // in [0, 1)
    const double range = sizeof(T) == 2 ? 8 : 20;
    for (size_t i = 0; i < ITEMS; i++) {
        uint64_t *w = &in[4 * i];
        const double x = range * (2 * share(w[0]) - 1), u = 2 * share(w[1]) - 1,
                     y = 2000 * share(w[3]) - 1000;
        const double p = i % 3 ? std::exp2(range * (2 * share(w[2]) - 1)) : 0.75 + share(w[2]) / 2;
        // sines of enormous angles take another way
        w[3] = as<U>((T)(i % 11 == 0 ? std::ldexp(y, (int)(w[1] % precision<T>::ANGLE))
                         : i % 3     ? y
                                     : y / 500));
        w[0] = as<U>((T)(i % 5 ? x : x / 32));
        w[1] = as<U>((T)(i % 7 ? u : u / 1024));
        w[2] = as<U>((T)p);
    }
    auto got = run_items(m, name, in, ITEMS, WORDS);
    for (size_t i = 0; i < ITEMS; i++) {
        const T x = as<T>((U)in[4 * i]), u = as<T>((U)in[4 * i + 1]), p = as<T>((U)in[4 * i + 2]),
                y = as<T>((U)in[4 * i + 3]);
        for (int k = 0; k < WORDS; k++) {
            const limit &f = LIMITS[k];
            if (k == 8 && sizeof(T) == 2)
                continue; // the library's class test is upside down: all sines are NaN
            const T given_x = k == 29 ? (T)((T)std::fabs((real)x) + (T)0.5) : x;
            const T given_p = k == 21 ? (T)((T)1 + p) : k == 30 ? (T)(p + (T)3) : p;
            const real want = f.value(given_x, u, given_p, y, (int)((U)in[4 * i + 1] % 7) - 3);
            const T result = as<T>((U)got[WORDS * i + k]);
            const real off = distance(result, want);
            m.words++;
            if (off <= (sizeof(T) == 2 ? f.units_of_half : f.units)) continue;
            if (m.wrong++ < 8)
                std::printf("%s: %s: %s of %.17g, %.17g, %.17g, %.17g is %.17g, expected %.20Lg: "
                            "%.1Lf units\n",
                            m.name.c_str(), name, f.name, (double)given_x, (double)u,
                            (double)given_p, (double)y, (double)result, want, off);
        }
    }
}

int main(int argc, char **argv)
{
    return for_modules(argc, argv, [](module &m) {
        exact<float, uint32_t>(m, "exact_float");
        m.report("exact, single");
        exact<double, uint64_t>(m, "exact_double");
        m.report("exact, double");
        near<_Float16, uint16_t>(m, "near_half");
        m.report("near, half");
        near<float, uint32_t>(m, "near_float");
        m.report("near, single");
        near<double, uint64_t>(m, "near_double");
        m.report("near, double");
    });
}
