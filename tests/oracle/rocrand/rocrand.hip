// rocrand - AMD's random number library on softgpu against the generators of generators.h and the
// transformations that it documents. Integers, uniform and Poisson numbers are equal bit by bit;
// how far a normal number may be off is said in compare(): the library takes the GPU's own sine
// and logarithm in single precision.
// What may be changed: another distribution is a function here and a line in compare().
#include "generators.h"

#include <functional>
#include <string>

#define RAND(call)                                                                                 \
    do {                                                                                           \
        rocrand_status status_ = (call);                                                           \
        if (status_ != ROCRAND_STATUS_SUCCESS) {                                                   \
            std::printf("%s:%d: %s: status %d\n", __FILE__, __LINE__, #call, status_);             \
            std::exit(2);                                                                          \
        }                                                                                          \
    } while (0)

enum kind { PLAIN, MRG, QUASI32, QUASI64 };

struct generator {
    const char *name;
    rocrand_rng_type type;
    kind how;
    source *host;
    rocrand_generator handle;
};

static const uint64_t SEED = 0x1234abcd5678ull;
static const double TWO_32 = 0x1p-32, TWO_53 = 0x1p-53, PI = 3.14159265358979323846;

// Draws the next `n` values of type T.
template <typename T>
static std::vector<T> draw(const generator &g, size_t n,
                           const std::function<rocrand_status(rocrand_generator, T *)> &from)
{
    T *data;
    std::vector<T> out(n);
    HIP(hipMalloc(&data, n * sizeof(T)));
    HIP(hipMemset(data, 0xa5, n * sizeof(T)));
    RAND(from(g.handle, data));
    HIP(hipMemcpy(out.data(), data, n * sizeof(T), hipMemcpyDeviceToHost));
    HIP(hipFree(data));
    return out;
}

template <typename T>
static void report(const generator &g, const char *what, const std::vector<T> &got,
                   const std::vector<double> &want, double tolerance)
{
    size_t wrong = 0;
    double worst = 0;
    for (size_t i = 0; i < got.size(); i++) {
        const double off = std::fabs((double)got[i] - want[i]);
        if (!(off <= worst)) worst = off;
        if (off <= tolerance) continue;
        if (wrong++ < 4)
            std::printf("%s, %s: number %zu is %.17g, expected %.17g\n", g.name, what, i,
                        (double)got[i], want[i]);
    }
    std::printf("%s, %s: %zu numbers, %zu wrong\n", g.name, what, got.size(), wrong);
    if (std::getenv("WORST"))
        std::fprintf(stderr, "%s, %s: worst distance %g\n", g.name, what, worst);
    if (wrong) wrong_total = 1;
}

// The integer that a generator gives for a number drawn.
static uint32_t integer(const generator &g, uint64_t word)
{
    if (g.how == MRG) return (uint32_t)((double)((uint32_t)word - 1) * 1.000000048661607);
    return g.how == QUASI64 ? (uint32_t)(word >> 32) : (uint32_t)word;
}

static double uniform(const generator &g, uint64_t word, bool in_single)
{
    if (g.how == MRG)
        return in_single ? (float)(word * 2.3283065498378288e-10) : word * 2.3283065498378288e-10;
    if (in_single)
        return (float)integer(g, word) * TWO_32 + TWO_32; // exact up to the last rounding
    if (g.how == QUASI64) return (double)(word >> 11) * TWO_53 + TWO_53;
    return ((double)word + 1) * TWO_32;
}

// Box and Muller's transformation of a group's words to two numbers.
static void normal_pair(const generator &g, size_t group, bool in_single, double (&out)[2])
{
    double u, angle;
    if (g.how == MRG) {
        u = uniform(g, g.host->word(group, 2, 0), true);
        angle = uniform(g, g.host->word(group, 2, 1), true) * 2 * PI;
    } else if (in_single) {
        u = uniform(g, g.host->word(group, 2, 0), true);
        angle = (float)((float)g.host->word(group, 2, 1) * TWO_32 + TWO_32) * 2 * PI;
    } else {
        const uint64_t a = g.host->word(group, 4, 0) ^ g.host->word(group, 4, 1) << 21;
        const uint64_t b = g.host->word(group, 4, 2) ^ g.host->word(group, 4, 3) << 21;
        u = ((double)a + 1) * TWO_53;
        angle = ((double)b + 1) * 2 * TWO_53 * PI;
    }
    const double radius = std::sqrt(-2 * std::log(u));
    out[0] = std::sin(angle) * radius;
    out[1] = std::cos(angle) * radius;
}

// Winitzki's approximation of the inverse error function, which the library uses for sequences
// that must not mix numbers.
static double normal_inverse(const generator &g, uint64_t word, bool in_single)
{
    const double p = in_single ? uniform(g, word, true) : uniform(g, word, false);
    const double x = in_single ? (float)(2 * p - 1) : 2 * p - 1, log = std::log((1 - x) * (1 + x));
    if (std::isinf(log)) return 0;
    const double a = 2 / (PI * 0.147) + 0.5 * log;
    return (x < 0 ? -1 : 1) * std::sqrt(-a + std::sqrt(a * a - log / 0.147)) *
           1.4142135f; // in single precision there, too
}

static std::vector<double> normals(const generator &g, size_t n, bool in_single)
{
    std::vector<double> out(n);
    if (g.how == QUASI32 || g.how == QUASI64) {
        for (size_t i = 0; i < n; i++)
            out[i] = normal_inverse(g, g.host->word(i, 1, 0), in_single);
        return out;
    }
    for (size_t i = 0; i < n; i += 2) {
        double pair[2];
        normal_pair(g, i / 2, in_single, pair);
        out[i] = pair[0];
        out[i + 1] = pair[1];
    }
    return out;
}

static void poisson(const generator &g, size_t n, double lambda)
{
    const std::string what = "Poisson of " + std::to_string((int)lambda);
    auto got = draw<uint32_t>(g, n, [&](rocrand_generator h, uint32_t *p) {
        return rocrand_generate_poisson(h, p, n, lambda);
    });
    // The tables are the library's; whether they are Poisson's is checked first.
    rocrand_discrete_distribution handle;
    rocrand_discrete_distribution_st d;
    RAND(rocrand_create_poisson_distribution(lambda, &handle));
    HIP(hipMemcpy(&d, handle, sizeof d, hipMemcpyDeviceToHost));
    std::vector<uint32_t> alias(d.size);
    std::vector<double> probability(d.size), cdf(d.size), mass(d.size);
    HIP(hipMemcpy(alias.data(), d.alias, d.size * sizeof alias[0], hipMemcpyDeviceToHost));
    HIP(hipMemcpy(probability.data(), d.probability, d.size * sizeof(double),
                  hipMemcpyDeviceToHost));
    HIP(hipMemcpy(cdf.data(), d.cdf, d.size * sizeof(double), hipMemcpyDeviceToHost));
    RAND(rocrand_destroy_discrete_distribution(handle));
    for (size_t i = 0; i < d.size; i++) {
        mass[i] += probability[i] / d.size;
        mass[alias[i]] += (1 - probability[i]) / d.size;
    }
    double total = 0, off = 0;
    for (size_t i = 0; i < d.size; i++) {
        const double k = (double)(i + d.offset),
                     exact = std::exp(k * std::log(lambda) - lambda - std::lgamma(k + 1));
        total += exact;
        off = std::max({off, std::fabs(mass[i] - exact), std::fabs(cdf[i] - total)});
    }
    if (off > 1e-9) {
        std::printf("%s, %s: the table is off by %g\n", g.name, what.c_str(), off);
        wrong_total = 1;
    }
    std::vector<double> want(n);
    for (size_t i = 0; i < n; i++) {
        const uint64_t word = g.host->word(i, 1, 0);
        if (g.how == QUASI32 || g.how == QUASI64) {
            const double x = g.how == QUASI64 ? (double)word * 0x1p-64 : (double)word * TWO_32;
            size_t k = 0;
            while (k + 1 < d.size && x > cdf[k])
                k++;
            want[i] = (double)(k + d.offset);
        } else {
            const double x = integer(g, word) * TWO_32 * d.size;
            const size_t k = (size_t)x;
            want[i] = d.offset + (x - std::floor(x) < probability[k] ? (double)k : alias[k]);
        }
    }
    report(g, what.c_str(), got, want, 0);
    g.host->advance(n, 1);
}

// Arrays of all distributions, one after the other from one generator.
static void compare(generator g, size_t n)
{
    const bool quasi = g.how == QUASI32 || g.how == QUASI64;
    RAND(rocrand_create_generator(&g.handle, g.type));
    if (quasi)
        RAND(rocrand_set_quasi_random_generator_dimensions(g.handle, sobol<uint32_t>::DIMENSIONS));
    else
        RAND(rocrand_set_seed(g.handle, SEED));
    std::vector<double> want(n);
    for (size_t i = 0; i < n; i++)
        want[i] = integer(g, g.host->word(i, 1, 0));
    report(g, "integers",
           draw<uint32_t>(
               g, n, [&](rocrand_generator h, uint32_t *p) { return rocrand_generate(h, p, n); }),
           want, 0);
    g.host->advance(n, 1);

    if (!quasi) { // shorts and bytes are the halves and quarters of integers
        for (size_t i = 0; i < n; i++)
            want[i] = integer(g, g.host->word(i / 2, 1, 0)) >> (i % 2 * 16) & 0xffff;
        report(g, "shorts",
               draw<uint16_t>(g, n,
                              [&](rocrand_generator h, uint16_t *p) {
                                  return rocrand_generate_short(h, p, n);
                              }),
               want, 0);
        g.host->advance(n / 2, 1);
        for (size_t i = 0; i < n; i++)
            want[i] = integer(g, g.host->word(i / 4, 1, 0)) >> (i % 4 * 8) & 0xff;
        report(g, "bytes",
               draw<uint8_t>(
                   g, n,
                   [&](rocrand_generator h, uint8_t *p) { return rocrand_generate_char(h, p, n); }),
               want, 0);
        g.host->advance(n / 4, 1);
        for (size_t i = 0; i < n; i++) {
            const uint32_t of = integer(g, g.host->word(i / 2, 1, 0)) >> (i % 2 * 16) & 0xffff;
            want[i] = (double)(_Float16)((float)(of + 1) * 0x1p-16f);
        }
        auto halves = draw<_Float16>(g, n, [&](rocrand_generator h, _Float16 *p) {
            return rocrand_generate_uniform_half(h, (half *)p, n);
        });
        report(g, "uniform, half", halves, want, 0);
        g.host->advance(n / 2, 1);
    }

    for (size_t i = 0; i < n; i++) {
        if (g.how != PLAIN)
            want[i] = uniform(g, g.host->word(i, 1, 0), false);
        else
            want[i] =
                ((double)(g.host->word(i, 2, 0) | g.host->word(i, 2, 1) >> 11 << 32) + 1) * TWO_53;
    }
    report(g, "uniform, double",
           draw<double>(g, n,
                        [&](rocrand_generator h, double *p) {
                            return rocrand_generate_uniform_double(h, p, n);
                        }),
           want, 0);
    g.host->advance(n, g.how == PLAIN ? 2 : 1);

    const double mean = 1.5, deviation = 0.75;
    // The inverse takes the root of a difference that is next to nothing near the mean.
    const double near_single = quasi ? 1e-3 : 4e-6, near_double = quasi ? 1e-11 : 1e-14;
    auto next_normals = [&](bool in_single) {
        want = normals(g, n, in_single);
        for (auto &x : want)
            x = mean + deviation * x;
        g.host->advance(quasi ? n : n / 2, in_single || g.how == MRG ? 2 : 4);
    };
    next_normals(false);
    report(g, "normal, double",
           draw<double>(g, n,
                        [&](rocrand_generator h, double *p) {
                            return rocrand_generate_normal_double(h, p, n, mean, deviation);
                        }),
           want, near_double);
    // This version's other distributions of 64-bit sequences take the low halves of numbers, which
    // are zero for long.
    if (g.how != QUASI64) {
        for (size_t i = 0; i < n; i++)
            want[i] = (float)uniform(g, g.host->word(i, 1, 0), true);
        report(g, "uniform",
               draw<float>(g, n,
                           [&](rocrand_generator h, float *p) {
                               return rocrand_generate_uniform(h, p, n);
                           }),
               want, 0);
        g.host->advance(n, 1);
        next_normals(true);
        report(g, "normal",
               draw<float>(g, n,
                           [&](rocrand_generator h, float *p) {
                               return rocrand_generate_normal(h, p, n, mean, deviation);
                           }),
               want, near_single);
        // Compared as logarithms, so that the distance is that of the normal number.
        next_normals(true);
        auto logs = draw<float>(g, n, [&](rocrand_generator h, float *p) {
            return rocrand_generate_log_normal(h, p, n, mean, deviation);
        });
        for (auto &x : logs)
            x = (float)std::log((double)x);
        report(g, "log-normal", logs, want, near_single);
        next_normals(false);
        auto wide = draw<double>(g, n, [&](rocrand_generator h, double *p) {
            return rocrand_generate_log_normal_double(h, p, n, mean, deviation);
        });
        for (auto &x : wide)
            x = std::log(x);
        report(g, "log-normal, double", wide, want, near_double);
    }
    for (double lambda : {3.0, 40.0, 700.0})
        poisson(g, n, lambda);
    RAND(rocrand_destroy_generator(g.handle));
}

int main()
{
    enum { DIMENSIONS = sobol<uint32_t>::DIMENSIONS, ARRAYS = 10 };
    const size_t many = 200000, few = 5000;
    xorwow a(SEED);
    mrg32k3a b(SEED);
    philox c(SEED);
    mtgp32 d(SEED);
    sobol<uint32_t> e(few, ARRAYS);
    sobol<uint64_t> f(few, ARRAYS);
    compare({"XORWOW", ROCRAND_RNG_PSEUDO_XORWOW, PLAIN, &a, {}}, many);
    compare({"MRG32k3a", ROCRAND_RNG_PSEUDO_MRG32K3A, MRG, &b, {}}, many);
    compare({"Philox4x32-10", ROCRAND_RNG_PSEUDO_PHILOX4_32_10, PLAIN, &c, {}}, many);
    compare({"MTGP32", ROCRAND_RNG_PSEUDO_MTGP32, PLAIN, &d, {}}, many);
    compare({"Sobol32", ROCRAND_RNG_QUASI_SOBOL32, QUASI32, &e, {}}, few * DIMENSIONS);
    compare({"Sobol64", ROCRAND_RNG_QUASI_SOBOL64, QUASI64, &f, {}}, few * DIMENSIONS);
    return wrong_total;
}
