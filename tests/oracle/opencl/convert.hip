// convert - what convert.cl ought to give, from the exact value of each operand: a sign, an integer
// of 64 bits and a power of two, rounded here bit by bit without any arithmetic of the host's.
// AMD's library goes its own way in two places, which are left out: what a NaN saturates to in
// signed integers, and directed rounding of signed integers to half, which it limits to +-32767
// first and truncates.
#include "opencl.h"

enum mode { RTE, RTZ, RTP, RTN };
static const mode MODES[5] = {RTE, RTE, RTZ, RTP,
                              RTN}; // the first is replaced by the default of the target

struct exact { // (-1)^negative * digits * 2^scale, or special
    bool nan, infinite, negative;
    uint64_t digits;
    int scale;
};

struct format { // of a floating point number
    int mantissa, exponents;
    int bias() const { return (1 << (exponents - 1)) - 1; }
    int width() const { return 1 + mantissa + exponents; }
};

struct type {
    const char *name;
    int bits; // of an integer, else 0
    bool is_signed;
    format floating;
    __int128 lowest() const { return is_signed ? -((__int128)1 << (bits - 1)) : 0; }
    __int128 highest() const { return ((__int128)1 << (is_signed ? bits - 1 : bits)) - 1; }
};

static const type TYPES[] = {
    {"char", 8, true, {}},       {"uchar", 8, false, {}},       {"short", 16, true, {}},
    {"ushort", 16, false, {}},   {"int", 32, true, {}},         {"uint", 32, false, {}},
    {"long", 64, true, {}},      {"ulong", 64, false, {}},      {"half", 0, true, {10, 5}},
    {"float", 0, true, {23, 8}}, {"double", 0, true, {52, 11}},
};

static exact from_float(uint64_t word, const format &f)
{
    exact x{};
    const uint64_t fraction = word & (((uint64_t)1 << f.mantissa) - 1);
    const int exponent = (int)(word >> f.mantissa & ((1u << f.exponents) - 1));
    x.negative = word >> (f.width() - 1) & 1;
    if (exponent == (1 << f.exponents) - 1) {
        x.nan = fraction != 0;
        x.infinite = !x.nan;
        return x;
    }
    x.digits = fraction | (exponent ? (uint64_t)1 << f.mantissa : 0);
    x.scale = (exponent ? exponent : 1) - f.bias() - f.mantissa;
    return x;
}

static exact from_integer(uint64_t word, const type &t)
{
    exact x{};
    __int128 value =
        t.bits < 64 ? (__int128)(word & (((uint64_t)1 << t.bits) - 1)) : (__int128)word;
    if (t.is_signed && value > t.highest()) value -= (__int128)1 << t.bits;
    x.negative = value < 0;
    x.digits = (uint64_t)(value < 0 ? -value : value);
    return x;
}

// digits / 2^shift as an integer; shift may be anything above 0.
static uint64_t divide(uint64_t digits, int shift, bool negative, mode m)
{
    const uint64_t quotient = shift < 64 ? digits >> shift : 0;
    const uint64_t rest = shift < 64 ? digits & (((uint64_t)1 << shift) - 1) : digits;
    bool up = false;
    if (rest) {
        const uint64_t half = shift <= 64 ? (uint64_t)1 << (shift - 1) : 0;
        switch (m) {
        case RTE: up = half && (rest > half || (rest == half && (quotient & 1))); break;
        case RTZ: break;
        case RTP: up = !negative; break;
        case RTN: up = negative; break;
        }
    }
    return quotient + up;
}

// False if the value does not fit: then `word` has the saturated one.
static bool to_integer(const exact &x, const type &t, mode m, uint64_t &word)
{
    const uint64_t mask = t.bits < 64 ? ((uint64_t)1 << t.bits) - 1 : ~0ull;
    __int128 value;
    bool huge = x.infinite;
    if (x.nan) {
        word = 0;
        return false;
    }
    if (!huge && x.scale > 0) huge = x.digits && (x.scale > 63);
    if (huge)
        value = (__int128)1 << 126;
    else if (x.scale < 0)
        value = divide(x.digits, -x.scale, x.negative, m);
    else
        value = (__int128)x.digits << (x.digits ? x.scale : 0);
    if (x.negative) value = -value;
    const bool fits = value >= t.lowest() && value <= t.highest();
    if (!fits) value = value < 0 ? t.lowest() : t.highest();
    word = (uint64_t)value & mask;
    return fits;
}

static uint64_t to_float(const exact &x, const format &f, mode m)
{
    const uint64_t sign = (uint64_t)x.negative << (f.width() - 1);
    const uint64_t infinity = (((uint64_t)1 << f.exponents) - 1) << f.mantissa;
    if (x.nan) return infinity | (uint64_t)1 << (f.mantissa - 1);
    if (x.infinite) return sign | infinity;
    if (!x.digits) return sign;
    const int zeros = __builtin_clzll(x.digits);
    const uint64_t digits = x.digits << zeros;
    const int scale = x.scale - zeros, least = 1 - f.bias();
    int exponent = scale + 63 < least ? least : scale + 63;
    uint64_t rounded = divide(digits, exponent - f.mantissa - scale, x.negative, m);
    if (rounded >> (f.mantissa + 1)) {
        rounded >>= 1;
        exponent++;
    }
    if (!(rounded >> f.mantissa)) return sign | rounded; // denormal, or it has become zero
    if (exponent <= f.bias())
        return sign | (uint64_t)(exponent + f.bias()) << f.mantissa |
               (rounded & (((uint64_t)1 << f.mantissa) - 1));
    const bool outward = m == RTE || (m == RTP && !x.negative) || (m == RTN && x.negative);
    return sign | (outward ? infinity : infinity - 1);
}

static bool is_nan(uint64_t word, const format &f)
{
    return from_float(word, f).nan;
}

static uint64_t random_operand(const type &t, uint64_t word)
{
    switch (t.bits ? t.bits : -t.floating.width()) {
    case 8: return pick<uint8_t>(word);
    case 16: return pick<uint16_t>(word);
    case 32: return pick<uint32_t>(word);
    case 64: return pick<uint64_t>(word);
    case -16: return as<uint16_t>(pick<_Float16>(word));
    }
    // Half of the floating point numbers are near the limits of some other type.
    double d = std::ldexp(1.0, (int)(word >> 8 & 63)) * ((int)(word & 15) - 8) / 4 +
               (int)(word >> 16 & 7) / 2.0;
    if (t.floating.width() == 32)
        return word >> 32 & 1 ? as<uint32_t>(pick<float>(word)) : as<uint32_t>((float)d);
    return word >> 32 & 1 ? as<uint64_t>(pick<double>(word)) : as<uint64_t>(d);
}

static exact read(const type &t, uint64_t word)
{
    return t.bits ? from_integer(word, t) : from_float(word, t.floating);
}

enum { ITEMS = 4096 };

static void compare_floats(module &m, const char *kernel, const type &from, const format &to,
                           bool only_loads = false)
{
    auto in = random_words(kernel, ITEMS);
    for (auto &w : in)
        w = random_operand(from, w);
    const size_t words = only_loads ? 1 : 5;
    auto got = run_items(m, kernel, in, ITEMS, words);
    for (size_t i = 0; i < got.size(); i++) {
        if (from.bits > 8 && from.is_signed && to.mantissa == 10 && i % words >= 2) continue;
        const uint64_t want = to_float(read(from, in[i / words]), to, MODES[i % words]);
        if (is_nan(want, to) && is_nan(got[i], to)) got[i] = want;
        m.expect(kernel, in[i / words], i % words, got[i], want);
    }
}

static void compare_integers(module &m, const char *kernel, const type &from, const type &to)
{
    auto in = random_words(kernel, ITEMS);
    for (auto &w : in)
        w = random_operand(from, w);
    auto got = run_items(m, kernel, in, ITEMS, 10);
    for (size_t i = 0; i < got.size(); i++) {
        const bool saturated = i % 10 >= 5;
        const exact x = read(from, in[i / 10]);
        uint64_t want;
        if (x.nan && to.is_signed) continue;
        const bool fits = to_integer(x, to, i % 5 ? MODES[i % 5] : RTZ, want);
        if (!fits && !saturated) {
            if (!from.bits) continue; // open
            want = (x.negative ? 0 - x.digits : x.digits) &
                   (uint64_t)(((__int128)1 << to.bits) - 1); // as in C
        }
        m.expect(kernel, in[i / 10], i % 10, got[i], want);
    }
}

int main(int argc, char **argv)
{
    return for_modules(argc, argv, [](module &m) {
        for (auto &to : TYPES) {
            for (auto &from : TYPES) {
                const std::string kernel = std::string("convert_") + from.name + "_" + to.name;
                if (to.bits)
                    compare_integers(m, kernel.c_str(), from, to);
                else
                    compare_floats(m, kernel.c_str(), from, to.floating);
            }
            m.report((std::string("to ") + to.name).c_str());
        }
        const type &half = TYPES[8], &single = TYPES[9], &twice = TYPES[10];
        compare_floats(m, "store_half_float", single, half.floating);
        compare_floats(m, "store_half_double", twice, half.floating);
        compare_floats(m, "load_half", half, single.floating, true);
        m.report("half in memory");
    });
}
