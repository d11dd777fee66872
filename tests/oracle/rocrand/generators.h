// generators.h - rocRAND's generators on the host, from the publications: Marsaglia's XORWOW,
// L'Ecuyer's MRG32k3a, Salmon's Philox4x32-10, Saito's MTGP32, Sobol' sequences with Joe and Kuo's
// numbers. Of rocRAND are only its ways of seeding, how far its streams are apart (2^67 numbers;
// of MRG32k3a 2^76, though it is documented as 2^67 too), the order in which streams fill an array,
// and MTGP32's parameters. No code is shared, jumps are computed anew.
#pragma once
#include "../programs/twin.h"

#include <array>
#include <rocrand/rocrand.h>
#include <rocrand/rocrand_mtgp32_11213.h>

// The numbers that distributions consume. Group g is the inputs of one call of a distribution.
struct source {
    virtual ~source() {}
    // Input i of `width` of group g of the next array.
    virtual uint64_t word(size_t g, unsigned width, unsigned i) const = 0;
    // An array of so many groups has been made.
    virtual void advance(size_t groups, unsigned width) = 0;
};

enum { STREAMS = 512 * 256, MOST = 32 }; // parallel streams, numbers kept of each

// Streams that take turns, one group each; a new array goes on with the stream after the last.
struct parallel : source {
    std::vector<uint32_t> numbers, position;
    size_t start = 0;
    parallel() : numbers((size_t)STREAMS * MOST), position(STREAMS) {}
    uint64_t word(size_t g, unsigned width, unsigned i) const override
    {
        const size_t e = (start + g) % STREAMS, at = position[e] + g / STREAMS * width + i;
        if (at >= MOST) std::abort();
        return numbers[e * MOST + at];
    }
    void advance(size_t groups, unsigned width) override
    {
        for (size_t g = 0; g < groups; g++)
            position[(start + g) % STREAMS] += width;
        start = (start + groups) % STREAMS;
    }
};

struct xorwow : parallel {
    typedef std::array<uint32_t, 5> bits; // of the xorshift part
    typedef std::vector<bits> matrix;     // 160 columns: images of single bits

    static void step(bits &x)
    {
        uint32_t t = x[0] ^ x[0] >> 2;
        for (int i = 0; i < 4; i++)
            x[i] = x[i + 1];
        x[4] = x[4] ^ x[4] << 4 ^ t ^ t << 1;
    }
    static bits apply(const matrix &m, const bits &x)
    {
        bits out{};
        for (int c = 0; c < 160; c++)
            if (x[c / 32] >> (c % 32) & 1)
                for (int i = 0; i < 5; i++)
                    out[i] ^= m[c][i];
        return out;
    }

    explicit xorwow(uint64_t seed)
    {
        matrix jump(160); // one step, squared 67 times
        for (int c = 0; c < 160; c++) {
            jump[c] = bits{};
            jump[c][c / 32] = 1u << (c % 32);
            step(jump[c]);
        }
        for (int k = 0; k < 67; k++) {
            matrix squared(160);
            for (int c = 0; c < 160; c++)
                squared[c] = apply(jump, jump[c]);
            jump = squared;
        }
        const uint32_t low = ((uint32_t)seed ^ 0x2c7f967fu) * 1228688033u;
        const uint32_t high = ((uint32_t)(seed >> 32) ^ 0xa03697cbu) * 2073658381u;
        bits start{123456789u + low, 362436069u ^ low, 521288629u + high, 88675123u ^ high,
                   5783321u + low};
        for (size_t e = 0; e < STREAMS; e++) {
            bits x = start;
            uint32_t weyl = 6615241u + low + high; // 2^67 steps change it by nothing
            for (int k = 0; k < MOST; k++) {
                step(x);
                numbers[e * MOST + k] = x[4] + (weyl += 362437u);
            }
            start = apply(jump, start);
        }
    }
};

struct mrg32k3a : parallel {
    static const uint64_t M1 = 4294967087u, M2 = 4294944443u;
    typedef std::array<uint64_t, 3> vector;
    typedef std::array<vector, 3> matrix;

    static vector apply(const matrix &m, const vector &v, uint64_t modulus)
    {
        vector out{};
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++)
                out[r] = (out[r] + m[r][c] * v[c] % modulus) % modulus;
        return out;
    }
    static matrix far(matrix m, uint64_t modulus)
    {
        for (int k = 0; k < 76; k++) {
            matrix squared{};
            for (int c = 0; c < 3; c++) {
                const vector column = apply(m, vector{m[0][c], m[1][c], m[2][c]}, modulus);
                for (int r = 0; r < 3; r++)
                    squared[r][c] = column[r];
            }
            m = squared;
        }
        return m;
    }

    explicit mrg32k3a(uint64_t seed)
    {
        const matrix one{vector{0, 1, 0}, vector{0, 0, 1}, vector{M1 - 810728, 1403580, 0}};
        const matrix two{vector{0, 1, 0}, vector{0, 0, 1}, vector{M2 - 1370589, 0, 527612}};
        const matrix far_one = far(one, M1), far_two = far(two, M2);
        const unsigned __int128 x = (uint32_t)seed ^ 0x55555555u,
                                y = (uint32_t)(seed >> 32) ^ 0xaaaaaaaau;
        const uint64_t x1 = (uint64_t)(x * seed % M1), y1 = (uint64_t)(y * seed % M1);
        const uint64_t x2 = (uint64_t)(x * seed % M2), y2 = (uint64_t)(y * seed % M2);
        vector first{x1, y1, x1}, second{y2, x2, y2};
        for (size_t e = 0; e < STREAMS; e++) {
            vector a = first, b = second;
            for (int k = 0; k < MOST; k++) {
                a = apply(one, a, M1);
                b = apply(two, b, M2);
                numbers[e * MOST + k] = (uint32_t)(a[2] > b[2] ? a[2] - b[2] : a[2] + M1 - b[2]);
            }
            first = apply(far_one, first, M1);
            second = apply(far_two, second, M2);
        }
    }
};

struct mtgp32 : source {
    enum { GENERATORS = 512, LANES = 256, N = 351, CALLS = 32 };
    std::vector<uint32_t> numbers, position;

    explicit mtgp32(uint64_t seed)
        : numbers((size_t)GENERATORS * LANES * CALLS), position(GENERATORS)
    {
        seed ^= seed >> 32;
        for (int g = 0; g < GENERATORS; g++) {
            const auto &p = mtgp32dc_params_fast_11213[g];
            const uint32_t hidden = p.tbl[4] ^ p.tbl[8] << 16;
            uint32_t mixed = hidden + (hidden >> 16);
            mixed += mixed >> 8;
            std::vector<uint32_t> x(N + LANES * CALLS, (mixed & 0xff) * 0x01010101u);
            x[0] = (uint32_t)seed + g + 1;
            x[1] = hidden;
            for (int i = 1; i < N; i++)
                x[i] ^= 1812433253u * (x[i - 1] ^ x[i - 1] >> 30) + i;
            for (int i = 0; i < LANES * CALLS; i++) {
                uint32_t v = (x[i] & mtgp32dc_params_fast_11213[0].mask) ^ x[i + 1];
                v ^= v << p.sh1;
                const uint32_t y = v ^ x[i + p.pos] >> p.sh2;
                x[i + N] = y ^ p.tbl[y & 15];
                uint32_t t = x[i + p.pos - 1];
                t ^= t >> 16;
                t ^= t >> 8;
                numbers[(size_t)g * LANES * CALLS + i] = x[i + N] ^ p.tmp_tbl[t & 15];
            }
        }
    }
    // All lanes of a generator draw together, once for each input.
    uint64_t word(size_t g, unsigned width, unsigned i) const override
    {
        const size_t from = g / LANES % GENERATORS,
                     call = position[from] + g / (GENERATORS * LANES) * width + i;
        if (call >= CALLS) std::abort();
        return numbers[(from * CALLS + call) * LANES + g % LANES];
    }
    void advance(size_t groups, unsigned width) override
    {
        for (size_t g = 0; g < groups; g += LANES)
            position[g / LANES % GENERATORS] += width;
    }
};

struct philox : source {
    uint64_t key, position = 0;
    explicit philox(uint64_t seed) : key(seed) {}
    uint64_t word(size_t g, unsigned width, unsigned i) const override
    {
        const uint64_t at = position + g * width + i, block = at / 4;
        uint32_t c[4] = {(uint32_t)block, (uint32_t)(block >> 32), 0, 0},
                 k[2] = {(uint32_t)key, (uint32_t)(key >> 32)};
        for (int round = 0; round < 10; round++) {
            const uint64_t a = 0xd2511f53ull * c[0], b = 0xcd9e8d57ull * c[2];
            const uint32_t next[4] = {(uint32_t)(b >> 32) ^ c[1] ^ k[0], (uint32_t)b,
                                      (uint32_t)(a >> 32) ^ c[3] ^ k[1], (uint32_t)a};
            std::memcpy(c, next, sizeof c);
            k[0] += 0x9e3779b9u;
            k[1] += 0xbb67ae85u;
        }
        return c[at % 4];
    }
    void advance(size_t groups, unsigned width) override { position += groups * width; }
};

// Dimension after dimension, `points` each in every array.
template <typename U> struct sobol : source {
    enum { WIDTH = 8 * sizeof(U), DIMENSIONS = 10 };
    std::vector<U> numbers;
    const size_t points, all;
    size_t position = 0;
    sobol(size_t in_array, size_t arrays)
        : numbers(in_array * arrays * DIMENSIONS), points(in_array), all(in_array * arrays)
    {
        // degree and coefficients of the primitive polynomial, first direction numbers
        static const struct {
            int degree;
            unsigned coefficients, m[5];
        } table[DIMENSIONS - 1] = {
            {1, 0, {1}},
            {2, 1, {1, 3}},
            {3, 1, {1, 3, 1}},
            {3, 2, {1, 1, 1}},
            {4, 1, {1, 1, 3, 3}},
            {4, 4, {1, 3, 5, 13}},
            {5, 2, {1, 1, 5, 5, 17}},
            {5, 4, {1, 1, 5, 5, 5}},
            {5, 7, {1, 1, 7, 11, 19}},
        };
        for (int d = 0; d < DIMENSIONS; d++) {
            U v[WIDTH];
            for (int i = 0; i < WIDTH; i++) {
                const auto &p = table[d ? d - 1 : 0];
                if (d == 0)
                    v[i] = (U)1 << (WIDTH - 1 - i);
                else if (i < p.degree)
                    v[i] = (U)p.m[i] << (WIDTH - 1 - i);
                else {
                    v[i] = v[i - p.degree] ^ v[i - p.degree] >> p.degree;
                    for (int k = 1; k < p.degree; k++)
                        if (p.coefficients >> (p.degree - 1 - k) & 1) v[i] ^= v[i - k];
                }
            }
            U x = 0;
            for (size_t i = 0; i < all; i++) {
                numbers[d * all + i] = x;
                x ^= v[__builtin_ctzll(~(uint64_t)i)];
            }
        }
    }
    uint64_t word(size_t g, unsigned, unsigned) const override
    {
        return numbers.at(g / points * all + position + g % points);
    }
    void advance(size_t, unsigned) override { position += points; }
};
