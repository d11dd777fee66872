// groups - what groups.cl ought to give: group functions from all operands of a group, counters
// from all operands of a launch, places by counting the items of the launch one after the other.
#include "hsa.h"
#include "opencl.h"

enum { ITEMS = 1024, WAVE = 64 };

template <typename T> static uint64_t word_of(T x)
{
    uint64_t word = 0;
    std::memcpy(&word, &x, sizeof x);
    return word;
}

template <typename T>
static void together(module &m, const char *name, uint32_t items, uint32_t group)
{
    const std::string kernel = std::string("group_") + name;
    const int WORDS = 14;
    auto in = random_words(name, items);
    memory from(in), to((size_t)items * WORDS);
    m.launch(kernel.c_str(), arguments(from.data, to.data), {items, 1, 1}, {group, 1, 1});
    auto got = to.host();
    std::vector<T> x(items);
    for (uint32_t i = 0; i < items; i++)
        x[i] = (T)((int)(in[i] % 2001) - 1000);
    // sum, minimum and maximum of the operands from `first` on, fewer than `end`
    auto fold = [&](uint32_t first, uint32_t end, T &sum, T &low, T &high) {
        sum = 0, low = high = first < end ? x[first] : 0;
        for (uint32_t i = first; i < end; i++) {
            sum += x[i];
            low = std::min(low, x[i]);
            high = std::max(high, x[i]);
        }
    };
    for (uint32_t i = 0; i < items; i++) {
        const uint32_t first = i / group * group, end = std::min(items, first + group);
        const uint32_t wave = first + (i - first) / WAVE * WAVE,
                       wave_end = std::min(end, wave + WAVE);
        T all[3], until[3], before[3], ours[3], ours_until[3], ours_before[3];
        fold(first, end, all[0], all[1], all[2]);
        fold(first, i + 1, until[0], until[1], until[2]);
        fold(first, i, before[0], before[1], before[2]);
        fold(wave, wave_end, ours[0], ours[1], ours[2]);
        fold(wave, i + 1, ours_until[0], ours_until[1], ours_until[2]);
        fold(wave, i, ours_before[0], ours_before[1], ours_before[2]);
        const T want[WORDS] = {all[0],         all[1],
                               all[2],         until[0],
                               until[1],       until[2],
                               before[0],      x[first + (end - first) / 3],
                               ours[0],        ours[2],
                               ours_until[0],  ours_until[1],
                               ours_before[0], x[wave + (wave_end - wave) / 2]};
        for (int k = 0; k < WORDS; k++)
            m.expect(kernel.c_str(), i, k, got[(size_t)i * WORDS + k], word_of(want[k]));
    }
}

static void votes(module &m, uint32_t items, uint32_t group)
{
    auto in = random_words("votes", items);
    auto got = [&] {
        memory from(in), to((size_t)items * 4);
        m.launch("group_votes", arguments(from.data, to.data), {items, 1, 1}, {group, 1, 1});
        return to.host();
    }();
    for (uint32_t i = 0; i < items; i++) {
        const uint32_t first = i / group * group, end = std::min(items, first + group);
        const uint32_t wave = first + (i - first) / WAVE * WAVE,
                       wave_end = std::min(end, wave + WAVE);
        bool any = false, ours = false;
        for (uint32_t k = first; k < end; k++)
            any |= (uint32_t)in[k] % 97 == 3;
        for (uint32_t k = wave; k < wave_end; k++)
            ours |= (uint32_t)in[k] % 61 == 3;
        const uint64_t want[4] = {any ? 1u : 2u, ours ? 1u : 2u,
                                  (wave_end - wave) | std::min<uint32_t>(WAVE, group) << 8 |
                                      (end - first + WAVE - 1) / WAVE << 16 |
                                      (i - first) / WAVE << 24,
                                  i - wave};
        for (int k = 0; k < 4; k++)
            m.expect("group_votes", i, k, got[4 * i + k], want[k]);
    }
}

static void local_memory(module &m, uint32_t items, uint32_t group)
{
    auto in = random_words("local", items);
    auto got = [&] {
        memory from(in), to((size_t)items * 6);
        m.launch("group_local", arguments(from.data, to.data, (uint64_t)0), {items, 1, 1},
                 {group, 1, 1}, 4 * group);
        return to.host();
    }();
    for (uint32_t i = 0; i < items; i++) {
        const uint32_t n = group, lane = i % n;
        const uint64_t *of = &in[i - lane];
        const uint64_t word = in[i], changed = word & 1 ? word + 3 : word;
        const uint64_t want[6] = {(uint32_t)(of[n - 1 - lane] ^ of[lane * 13 % n]),
                                  (of[(lane + 7) % n] >> 32 & 0xffff) |
                                      (of[lane ^ 1] >> 32 & 0xffff) << 16,
                                  of[lane * 5 % n],
                                  of[lane / 2 * 2],
                                  word & 1 ? 5 : 8 ^ word,
                                  changed ^ (word & 1 ? 1 : 2)};
        for (int k = 0; k < 6; k++)
            m.expect("group_local", i, k, got[6 * i + k], want[k]);
    }
}

template <typename T> static void atomics(module &m, const char *name)
{
    const uint32_t group = 256, groups = ITEMS / group;
    const std::string kernel = std::string("atomics_") + name;
    auto in = random_words(name, ITEMS);
    memory from(in), to(std::vector<uint64_t>(9 * (1 + groups)));
    m.launch(kernel.c_str(), arguments(from.data, to.data), {ITEMS, 1, 1}, {group, 1, 1});
    auto words = to.host();
    std::vector<T> got(9 * (1 + groups)), want(got.size());
    std::memcpy(got.data(), words.data(), got.size() * sizeof(T));
    typedef typename std::make_unsigned<T>::type U;
    for (uint32_t i = 0; i < ITEMS; i++) {
        const uint32_t x = (uint32_t)in[i];
        for (T *at : {&want[0], &want[9 + 9 * (i / group)]}) {
            at[0] = (T)((U)at[0] + (U)(T)x);
            at[1] = (T)((U)at[1] - (U)(T)x);
            at[2]++;
            at[3]--;
            at[4] = std::min(at[4], (T)(x * 2654435761u));
            at[5] = std::max(at[5], (T)(x * 2654435761u));
            at[6] &= (T)x | ~(T)0x1010101;
            at[7] |= (T)x & 0x80420;
            at[8] ^= (T)x;
        }
    }
    for (size_t k = 0; k < got.size(); k++)
        m.expect(kernel.c_str(), k / 9, k % 9, (uint64_t)got[k], (uint64_t)want[k]);
}

static void atomics_c11(module &m)
{
    const uint32_t group = 128;
    auto in = random_words("c11", ITEMS);
    memory from(in), cells(std::vector<uint64_t>(4)), seen(std::vector<uint64_t>(ITEMS / 2)),
        wide(std::vector<uint64_t>{0, ~0ull, 0, ~0ull});
    m.launch("atomics_c11", arguments(from.data, cells.data, seen.data, wide.data), {ITEMS, 1, 1},
             {group, 1, 1});
    uint32_t want[8] = {ITEMS}, got[8];
    uint64_t far[4] = {0, ~0ull, 0, ~0ull};
    float sum = 0;
    for (uint32_t i = 0; i < ITEMS; i += group) {
        uint32_t bits = 0;
        for (uint32_t k = i; k < i + group; k++) {
            const uint32_t x = (uint32_t)in[k];
            want[1] += x & 0xffff;
            want[3] += x >> 16;
            sum += (float)(x % 64);
            bits |= 1u << (x & 31);
            want[6]--;
            far[0] = std::max(far[0], in[k]);
            far[1] = std::min(far[1], in[k]);
            far[2] += in[k];
            far[3] &= in[k] | 0xffff;
        }
        want[5] ^= bits;
    }
    want[4] = as<uint32_t>(sum);
    std::memcpy(got, cells.host().data(), sizeof got);
    for (int k = 0; k < 8; k++)
        m.expect("atomics_c11", 0, k, got[k], want[k]);
    for (uint64_t w : seen.host())
        m.expect("atomics_c11 tickets", 0, 0, w, 1ull << 32 | 1);
    auto got_far = wide.host();
    for (int k = 0; k < 4; k++)
        m.expect("atomics_c11 64 bits", 0, k, got_far[k], far[k]);
}

struct space {
    uint32_t global[3], local[3];
    uint64_t offset[3];
    unsigned dimensions;
};

// All items of a launch; groups at the far ends may be partial.
static void check_places(module &m, const char *what, const space &s,
                         const std::vector<uint64_t> &got)
{
    const uint32_t *g = s.global, *l = s.local;
    size_t item = 0;
    uint32_t at[3];
    for (at[2] = 0; at[2] < g[2]; at[2]++) {
        for (at[1] = 0; at[1] < g[1]; at[1]++) {
            for (at[0] = 0; at[0] < g[0]; at[0]++, item++) {
                uint64_t in[3], of[3], size[3], groups[3], global[3];
#if __clang_major__ > 15
                const uint64_t *const row = size;
#else // the device library then took every group for a whole one
                const uint64_t row[3] = {l[0], l[1], l[2]};
#endif
                for (int d = 0; d < 3; d++) {
                    in[d] = at[d] % l[d];
                    of[d] = at[d] / l[d];
                    size[d] = std::min(l[d], g[d] - (uint32_t)of[d] * l[d]);
                    groups[d] = (g[d] + l[d] - 1) / l[d];
                    global[d] = at[d] + s.offset[d];
                }
                const uint64_t want[4] = {
                    in[0] | in[1] << 8 | in[2] << 16 | of[0] << 24 | of[1] << 32 | of[2] << 40 |
                        ((in[2] * row[1] + in[1]) * row[0] + in[0]) << 48,
                    size[0] | size[1] << 8 | size[2] << 16 | (uint64_t)l[0] << 24 |
                        (uint64_t)l[1] << 32 | (uint64_t)l[2] << 40 | (uint64_t)s.dimensions << 48,
                    groups[0] | groups[1] << 8 | groups[2] << 16 | (uint64_t)g[0] << 24 |
                        (uint64_t)g[1] << 32 | (uint64_t)g[2] << 40,
                    global[0] | global[1] << 16 | global[2] << 32 | (uint64_t)item << 48,
                };
                for (int k = 0; k < 4; k++)
                    m.expect(what, item, k, got[4 * item + k], want[k]);
            }
        }
    }
}

static void places(module &m, const char *path)
{
    static const space spaces[] = {
        {{64, 4, 3}, {16, 4, 1}, {}, 3},
        {{100, 7, 5}, {32, 2, 2}, {}, 3},
        {{17, 33, 9}, {8, 8, 4}, {}, 3},
        {{255, 1, 2}, {64, 1, 1}, {}, 3},
    };
    for (auto &s : spaces) {
        memory to((size_t)4 * s.global[0] * s.global[1] * s.global[2]);
        m.launch("places", arguments(to.data), s.global, s.local);
        check_places(m, "places", s, to.host());
    }
    const uint32_t global[3] = {24, 12, 6}, local[3] = {8, 4, 2};
    memory to((size_t)24 * 12 * 6);
    m.launch("places_fixed", arguments(to.data), global, local);
    auto got = to.host();
    for (uint32_t i = 0; i < got.size(); i++) {
        const uint32_t x = i % 24, y = i / 24 % 12, z = i / (24 * 12);
        const uint32_t told = ((z / 2 * 2 + 1) * 12 + y / 4 * 4 + 3) * 24 + x / 8 * 8 + 7;
        m.expect("places_fixed", i, 0, got[i],
                 (z % 2 * 4 + y % 4) * 8 + x % 8 + (8u << 8 | 4u << 16 | 2u << 24) +
                     ((uint64_t)told << 32));
    }
    m.report("places");

    static const space moved[] = {
        {{200, 1, 1}, {64, 1, 1}, {1000, 0, 0}, 1},
        {{50, 20, 1}, {16, 8, 1}, {7, 1234, 0}, 2},
        {{20, 10, 6}, {8, 4, 4}, {5000, 600, 70}, 3},
        {{255, 1, 1}, {128, 1, 1}, {65000, 0, 0}, 1},
    };
    own_queue queue(path);
    for (auto &s : moved) {
        memory out((size_t)4 * s.global[0] * s.global[1] * s.global[2]);
        queue.launch("places", arguments(out.data), s.offset, s.dimensions, s.global, s.local);
        check_places(m, "places with an offset", s, out.host());
    }
    m.report("places with offsets");
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        module m(argv[i]);
        for (auto &at : {std::pair<uint32_t, uint32_t>{ITEMS, 256},
                         {512, 64},
                         {1000, 100},
                         {300, 3},
                         {777, 256}}) {
            const uint32_t items = at.first, group = at.second;
            together<int32_t>(m, "int", items, group);
            together<uint32_t>(m, "uint", items, group);
            together<int64_t>(m, "long", items, group);
            together<uint64_t>(m, "ulong", items, group);
            together<float>(m, "float", items, group);
            together<double>(m, "double", items, group);
        }
        m.report("group functions");
        for (auto &at :
             {std::pair<uint32_t, uint32_t>{ITEMS, 256}, {512, 64}, {1000, 100}, {777, 256}})
            votes(m, at.first, at.second);
        m.report("votes");
        for (uint32_t group : {256, 64, 128})
            local_memory(m, ITEMS, group);
        m.report("local memory");
        atomics<int32_t>(m, "int");
        atomics<uint32_t>(m, "uint");
        atomics<int64_t>(m, "long");
        atomics<uint64_t>(m, "ulong");
        m.report("atomics");
        atomics_c11(m);
        m.report("C11 atomics");
        places(m, argv[i]);
    }
    return wrong_total;
}
