// integers - what integers.cl ought to give, computed in 128 bits, one element at a time. In the
// second part vectors are arrays of elements read from memory as the kernel's vloads read it.
#include "opencl.h"

typedef __int128 wide;
enum { ITEMS = 2048 };

template <typename T> static T limit(wide x)
{
    const wide low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
    return (T)(x < low ? low : x > high ? high : x);
}

// Floor division by a power of two.
static wide shifted(wide x, int n)
{
    return x >> n;
}

template <typename T> static int leading_zeros(T x)
{
    typedef typename std::make_unsigned<T>::type U;
    int n = 0;
    for (int i = 8 * sizeof(T) - 1; i >= 0 && !((U)x >> i & 1); i--)
        n++;
    return n;
}

template <typename T> static void functions(module &m, const char *name)
{
    typedef typename std::make_unsigned<T>::type U;
    const int width = 8 * sizeof(T), WORDS = 20;
    const std::string kernel = std::string("integers_") + name;
    auto in = random_words(kernel.c_str(), 4 * ITEMS);
    for (auto &w : in)
        w = (uint64_t)pick<T>(w);
    auto got = run_items(m, kernel.c_str(), in, ITEMS, WORDS);
    for (size_t i = 0; i < ITEMS; i++) {
        const T a = (T)in[4 * i], b = (T)in[4 * i + 1], c = (T)in[4 * i + 2];
        const wide A = a, B = b, C = c;
        const T low = b < c ? b : c, high = b < c ? c : b;
        const int turn = (int)((U)b % width);
        U mixed = 0;
        int ones = 0, trailing = 0;
        for (int k = 0; k < width; k++) {
            const U bit = (U)((U)1 << k);
            mixed |= (U)(c & bit ? b & bit : a & bit);
            ones += (a & bit) != 0;
        }
        while (trailing < width && !((U)a >> trailing & 1))
            trailing++;
        // the product of unsigned longs does not fit a signed wide
        const unsigned __int128 P = (unsigned __int128)A * (unsigned __int128)B;
        const T product_high =
            std::is_signed<T>::value ? (T)shifted(A * B, width) : (T)(P >> width);
        const wide product = std::is_signed<T>::value || P >> 127 == 0
                                 ? (wide)P
                                 : (wide)((unsigned __int128)-1 >> 1);
        wide total; // saturates by itself only where the sum leaves 128 bits, which is too much for
                    // any type
        if (__builtin_add_overflow(product, C, &total)) total = (wide)((unsigned __int128)-1 >> 1);
        const U want[WORDS] = {
            (U)limit<T>(A + B),
            (U)limit<T>(A - B),
            (U)shifted(A + B, 1),
            (U)shifted(A + B + 1, 1),
            (U)product_high,
            (U)((U)product_high + (U)c),
            (U)limit<T>(total),
            (U)((U)((U)a << turn) | (turn ? (U)a >> (width - turn) : 0)),
            (U)leading_zeros(a),
            (U)ones,
            (U)(A < 0 ? -A : A),
            (U)(A < B ? B - A : A - B),
            (U)(a < b ? a : b),
            (U)(a < b ? b : a),
            (U)(a < low    ? low
                : a > high ? high
                           : a),
            mixed,
            (U)(c ? b : a),
            (U)trailing,
            (U)(P + (unsigned __int128)C),
            (U)(b == 0                                   ? c
                : b == (T)-1 && std::is_signed<T>::value ? a
                : b == (T)-1                             ? a
                                                         : (T)(A / B)),
        };
        for (int k = 0; k < WORDS; k++)
            m.expect(kernel.c_str(), in[4 * i], k, got[WORDS * i + k], want[k]);
    }
}

static void other(module &m)
{
    auto in = random_words("other", 4 * ITEMS);
    for (auto &w : in)
        w = pick<uint64_t>(w);
    auto got = run_items(m, "integers_other", in, ITEMS, 10);
    for (size_t i = 0; i < ITEMS; i++) {
        const uint64_t a = in[4 * i], b = in[4 * i + 1];
        auto extended = [](uint64_t x) {
            return (wide)(int32_t)(x & 0xffffff) - ((x & 0x800000) << 1);
        };
        const wide ua = a & 0xffffff, ub = b & 0xffffff, c = (wide)(uint32_t)in[4 * i + 2];
        const uint64_t want[10] = {
            (uint32_t)(extended(a) * extended(b)),
            (uint32_t)(ua * ub),
            (uint32_t)(extended(a) * extended(b) + c),
            (uint32_t)(ua * ub + c),
            (a & 0xff) << 8 | (b & 0xff),
            (a & 0xff) << 8 | (b & 0xff),
            (a & 0xffff) << 16 | (b & 0xffff),
            (a & 0xffff) << 16 | (b & 0xffff),
            a << 32 | (b & 0xffffffff),
            a << 32 | (b & 0xffffffff),
        };
        for (int k = 0; k < 10; k++)
            m.expect("integers_other", a, k, got[10 * i + k], want[k]);
    }
}

// Numbers of the kernel's sum: what element k of n counts.
static uint64_t factor(int k, int n)
{
    static const uint64_t first[4] = {1, 3, 5, 7};
    return n > 8   ? factor(k % 8, 8) * (k >= 8 ? 11 : 1)
           : n > 4 ? factor(k % 4, 4) * (k >= 4 ? 9 : 1)
                   : first[k];
}

template <typename T, int N> static void vectors(module &m, const char *name)
{
    typedef typename std::make_unsigned<T>::type U;
    typedef typename std::make_signed<T>::type S;
    const int width = 8 * sizeof(T), WORDS = 12;
    const std::string kernel = std::string("vectors_") + name + std::to_string(N);
    auto in = random_words(kernel.c_str(), 32 * ITEMS);
    for (size_t i = 0; i < in.size(); i += 3)
        in[i] &= in[i] >> 5 & in[i] << 9; // some small elements, some alike
    for (size_t i = 0; i < in.size(); i += 8)
        in[i] = in[i + 1] = i % 64 ? in[i] : 0x0101010101010101ull;
    auto got = run_items(m, kernel.c_str(), in, ITEMS, WORDS);
    for (size_t i = 0; i < ITEMS; i++) {
        T a[N], b[N], c = (T)in[32 * i + 31];
        std::memcpy(a, &in[32 * i], sizeof a); // vload: N elements from N * offset, no gap for 3
        std::memcpy(b, (const char *)&in[32 * i + 8] + sizeof b, sizeof b);
        uint64_t want[WORDS] = {};
        bool any_less = false, all_same = true, any_same = false;
        for (int k = 0; k < N; k++) {
            const uint64_t f = factor(k, N);
            const wide A = a[k], B = b[k];
            const bool less = a[k] < b[k], same = (a[k] & 3) == (b[k] & 3);
            const int n = (int)((U)b[k] % width);
            any_less |= less;
            any_same |= same;
            all_same &= same;
            auto count = [&](int word, wide x) { want[word] += f * (U)x; };
            auto truth = [](bool x) { return (S)(x ? -1 : 0); };
            count(0, (U)(A + (wide)(U)b[k] * (U)c));
            count(1, truth(less));
            count(2, truth((same && less) || a[k] > c));
            count(3, (U)((U)a[k] << n));
            count(4, (T)(a[k] >> n));
            count(5, less ? b[k] : a[k]);
            count(6, less ? a[k] : c);
            const T high = std::is_signed<T>::value
                               ? (T)shifted(A * B, width)
                               : (T)((unsigned __int128)A * (unsigned __int128)B >> width);
            count(8, (U)limit<T>(A + B) ^ (U)high);
            count(9, truth(a[k] && (b[k] & 1)));
            const T stored = k == 0 ? c : k == 1 ? (T)(a[1] ^ b[0]) : a[k];
            count(10, stored);
            count(11, (U)(0 - (U)stored - (U) ~(U)b[k]));
        }
        want[7] = (uint64_t)any_less | all_same << 1 | any_same << 2 | 8;
        want[9] += a[0] == 0;
        for (int k = 0; k < WORDS; k++)
            m.expect(kernel.c_str(), in[32 * i], k, got[WORDS * i + k], want[k]);
    }
}

// Elements in another order: a list of them for each vector that the kernel writes; 0 to 15 are
// elements of a, from 16 on of b.
template <typename T, int N>
static void moves(module &m, const char *kernel, int results,
                  const std::function<void(const T *, const T *, T *)> &move)
{
    const size_t words = results * N * sizeof(T) / 8, step = 4;
    auto in = random_words(kernel, step * ITEMS);
    auto got = run_items(m, kernel, in, ITEMS, words);
    for (size_t i = 0; i < ITEMS; i++) {
        T a[N], b[N];
        std::vector<T> to(results * N);
        std::vector<uint64_t> want(words);
        std::memcpy(a, &in[step * i], sizeof a);
        std::memcpy(b, (const char *)&in[step * i] + sizeof a, sizeof b);
        move(a, b, to.data());
        std::memcpy(want.data(), to.data(), words * 8);
        for (size_t k = 0; k < words; k++)
            m.expect(kernel, in[step * i], k, got[words * i + k], want[k]);
    }
}

template <typename T> static void four(const T *a, const T *b, T *to)
{
    const T rows[4][4] = {{a[1], a[3], b[0], b[2]},
                          {b[2], b[3], a[0], a[1]},
                          {a[3], a[2], a[1], a[0]},
                          {a[1], a[1], a[1], b[2]}};
    std::memcpy(to, rows, sizeof rows);
    for (int k = 0; k < 4; k++) {
        to[16 + k] = a[b[k] & 3];
        const int from = (b[k] ^ a[k]) & 7;
        to[20 + k] = from < 4 ? a[from] : b[from - 4];
    }
    const T changed[4] = {a[2], b[1], b[2], a[2]};
    std::memcpy(to + 28, changed, sizeof changed);
}

int main(int argc, char **argv)
{
    return for_modules(argc, argv, [](module &m) {
        functions<int8_t>(m, "char");
        functions<uint8_t>(m, "uchar");
        functions<int16_t>(m, "short");
        functions<uint16_t>(m, "ushort");
        functions<int32_t>(m, "int");
        functions<uint32_t>(m, "uint");
        functions<int64_t>(m, "long");
        functions<uint64_t>(m, "ulong");
        other(m);
        m.report("integer functions");

        vectors<int8_t, 2>(m, "char");
        vectors<int8_t, 3>(m, "char");
        vectors<int8_t, 4>(m, "char");
        vectors<int8_t, 16>(m, "char");
        vectors<uint8_t, 2>(m, "uchar");
        vectors<uint8_t, 3>(m, "uchar");
        vectors<uint8_t, 4>(m, "uchar");
        vectors<int16_t, 2>(m, "short");
        vectors<int16_t, 3>(m, "short");
        vectors<int16_t, 4>(m, "short");
        vectors<uint16_t, 2>(m, "ushort");
        vectors<uint16_t, 3>(m, "ushort");
        vectors<uint16_t, 4>(m, "ushort");
        vectors<uint16_t, 8>(m, "ushort");
        vectors<int32_t, 2>(m, "int");
        vectors<int32_t, 3>(m, "int");
        vectors<int32_t, 4>(m, "int");
        vectors<uint32_t, 2>(m, "uint");
        vectors<uint32_t, 3>(m, "uint");
        vectors<uint32_t, 4>(m, "uint");
        vectors<int64_t, 2>(m, "long");
        vectors<uint64_t, 2>(m, "ulong");
        m.report("vectors");

        moves<uint8_t, 16>(
            m, "moves_uchar16", 8, [](const uint8_t *a, const uint8_t *b, uint8_t *to) {
                for (int k = 0; k < 8; k++) {
                    to[2 * k] = a[2 * k + 1];
                    to[2 * k + 1] = b[2 * k];
                    to[16 + k] = b[8 + k];
                    to[24 + k] = a[k];
                    to[48 + k] = a[2 * k];
                }
                const uint8_t rest[8] = {b[0], b[8], 7, b[2], a[1], a[2], a[3], a[4]};
                std::memcpy(to + 56, rest, 8);
                for (int k = 0; k < 16; k++) {
                    to[32 + k] = a[15 - k];
                    to[64 + k] = a[b[k] & 15];
                    const int from = (b[k] ^ a[k]) & 31;
                    to[80 + k] = from < 16 ? a[from] : b[from - 16];
                    to[96 + k] = b[k];
                    to[112 + k] = a[4 * (const int[]){3, 2, 0, 1}[k / 4] + k % 4]; // wzxy
                }
                to[96] = a[15], to[99] = a[10], to[102] = a[5], to[105] = a[0];
                to[108]++;
            });
        moves<uint16_t, 4>(m, "moves_ushort4", 8,
                           [](const uint16_t *a, const uint16_t *b, uint16_t *to) {
                               four(a, b, to);
                               for (int k = 0; k < 4; k++)
                                   to[24 + k] = (uint16_t)(a[k] << 8 | a[k] >> 8);
                           });
        moves<uint32_t, 4>(m, "moves_uint4", 8,
                           [](const uint32_t *a, const uint32_t *b, uint32_t *to) {
                               four(a, b, to);
                               const uint32_t array[4] = {a[0], b[1], a[2], b[3]};
                               for (int k = 0; k < 4; k++)
                                   to[24 + k] = array[k] ^ ((b[0] & 3) == (uint32_t)k ? a[1] : 0);
                           });
        m.report("moves");
    });
}
