// sharing - what lanes do together: LDS exchanges between barriers, atomics on every memory, votes
// and lane moves. A test is a list of phases; the host runs each phase for all lanes of a group
// before the next, the GPU puts a barrier between two. Sums are of integers or of small multiples
// of a power of two, so that no order of additions shows.
#include "twin.h"

enum { GROUP = 256, GROUPS = 12, SHARED = 4096, RESULTS = 8, GLOBALS = 64 };

struct lane_state {
    int lane, group, n;    // lane in the group, group, lanes in a group
    uint64_t words[RESULTS]; // random at first, results in the end
    char *shared;          // the group's LDS, zero at first
    uint64_t *global;      // shared by all groups; only atomics in any order are well defined on it
    template <typename T> BOTH T *lds(int offset = 0) { return (T *)(shared + offset); }
};

template <typename T> __global__ __launch_bounds__(GROUP) void phases(const uint64_t *in, uint64_t *out, uint64_t *global, int n)
{
    alignas(16) __shared__ char shared[SHARED];
    for (int i = threadIdx.x; i < SHARED; i += n) shared[i] = 0;
    size_t item = (size_t)blockIdx.x * n + threadIdx.x;
    lane_state s{(int)threadIdx.x, (int)blockIdx.x, n, {}, shared, global};
    for (int i = 0; i < RESULTS; i++) s.words[i] = in[item * RESULTS + i];
    for (int p = 0; p < T::PHASES; p++) {
        __syncthreads();
        T::phase(p, s);
    }
    for (int i = 0; i < RESULTS; i++) out[item * RESULTS + i] = s.words[i];
}

template <typename T> void compare(const char *name, int n)
{
    size_t items = (size_t)GROUPS * n;
    std::vector<uint64_t> in(items * RESULTS), want(in.size()), got(in.size()), global(GLOBALS), global_got(GLOBALS);
    uint64_t random = n;
    for (auto &w : in) w = random = scramble(random);
    for (int g = 0; g < GROUPS; g++) {
        alignas(16) char shared[SHARED] = {};
        std::vector<lane_state> lanes(n);
        for (int i = 0; i < n; i++) {
            lanes[i] = lane_state{i, g, n, {}, shared, global.data()};
            std::memcpy(lanes[i].words, &in[((size_t)g * n + i) * RESULTS], sizeof lanes[i].words);
        }
        for (int p = 0; p < T::PHASES; p++)
            for (auto &lane : lanes) T::phase(p, lane);
        for (int i = 0; i < n; i++) std::memcpy(&want[((size_t)g * n + i) * RESULTS], lanes[i].words, sizeof lanes[i].words);
    }
    uint64_t *din, *dout, *dglobal;
    HIP(hipMalloc(&din, in.size() * 8));
    HIP(hipMalloc(&dout, in.size() * 8));
    HIP(hipMalloc(&dglobal, GLOBALS * 8));
    HIP(hipMemcpy(din, in.data(), in.size() * 8, hipMemcpyHostToDevice));
    HIP(hipMemset(dglobal, 0, GLOBALS * 8));
    phases<T><<<GROUPS, n>>>(din, dout, dglobal, n);
    HIP(hipMemcpy(got.data(), dout, got.size() * 8, hipMemcpyDeviceToHost));
    HIP(hipMemcpy(global_got.data(), dglobal, GLOBALS * 8, hipMemcpyDeviceToHost));
    HIP(hipFree(din));
    HIP(hipFree(dout));
    HIP(hipFree(dglobal));
    size_t wrong = 0;
    auto check = [&](const char *what, const std::vector<uint64_t> &a, const std::vector<uint64_t> &b, int width) {
        for (size_t k = 0; k < a.size(); k++)
            if (a[k] != b[k] && wrong++ < 6)
                std::printf("%s, groups of %d: %s %zu of %zu is %llx, expected %llx\n", name, n, what, k % width, k / width,
                            (unsigned long long)a[k], (unsigned long long)b[k]);
    };
    check("result", got, want, RESULTS);
    check("global", global_got, global, GLOBALS);
    std::printf("%s, groups of %d: %zu wrong\n", name, n, wrong);
    if (wrong) wrong_total = 1;
}

// The same name for the atomic of the GPU and the plain operation of the host.
#ifdef __HIP_DEVICE_COMPILE__
#define ATOMIC(name, T, expression)                                                                \
    static inline __device__ T both_##name(T *p, T x) { return atomic##name(p, x); }
#else
#define ATOMIC(name, T, expression)                                                                \
    static inline __host__ __device__ T both_##name(T *p, T x)                                     \
    {                                                                                              \
        T old = *p;                                                                                \
        *p = (T)(expression);                                                                      \
        return old;                                                                                \
    }
#endif
typedef unsigned long long ulong64;
#define INTEGER_ATOMICS(T)                                                                         \
    ATOMIC(Add, T, old + x)                                                                        \
    ATOMIC(Min, T, old < x ? old : x)                                                              \
    ATOMIC(Max, T, old > x ? old : x)                                                              \
    ATOMIC(And, T, old &x)                                                                         \
    ATOMIC(Or, T, old | x)                                                                         \
    ATOMIC(Xor, T, old ^ x)                                                                        \
    ATOMIC(Exch, T, x)
INTEGER_ATOMICS(int)
INTEGER_ATOMICS(unsigned)
INTEGER_ATOMICS(ulong64)
ATOMIC(Sub, int, old - x)
ATOMIC(Sub, unsigned, old - x)
ATOMIC(Inc, unsigned, old >= x ? 0 : old + 1)
ATOMIC(Dec, unsigned, old == 0 || old > x ? x : old - 1)
ATOMIC(Add, float, old + x)
ATOMIC(Add, double, old + x)

template <typename T> BOTH T swap_if(T *p, T expected, T x)
{
#ifdef __HIP_DEVICE_COMPILE__
    return atomicCAS(p, expected, x);
#else
    T old = *p;
    if (old == expected) *p = x;
    return old;
#endif
}

// Adds by compare-and-swap; meaningful on the GPU only if lanes of one wave make progress.
template <typename T> BOTH void add_slowly(T *p, T x)
{
    T seen = *(volatile T *)p, before;
    do {
        before = seen;
        seen = swap_if(p, before, (T)(before + x));
    } while (seen != before);
}

// Every operand size of LDS, in strides that meet every bank and pair form.
struct exchange {
    enum { PHASES = 4 };
    static BOTH void phase(int p, lane_state &s)
    {
        int next = (s.lane + 1) % s.n, mirror = s.n - 1 - s.lane;
        uint8_t *bytes = s.lds<uint8_t>();
        uint16_t *halves = s.lds<uint16_t>(256);
        uint32_t *words = s.lds<uint32_t>(768);
        uint64_t *pairs = s.lds<uint64_t>(1792);
        switch (p) {
        case 0:
            bytes[s.lane] = (uint8_t)s.words[0];
            halves[s.lane] = (uint16_t)s.words[1];
            words[s.lane] = (uint32_t)s.words[2];
            pairs[s.lane] = s.words[3];
            break;
        case 1:
            s.words[0] = bytes[next] | (uint64_t)(int8_t)bytes[mirror] << 8;
            s.words[1] = halves[next] | (uint64_t)(int16_t)halves[mirror] << 16;
            s.words[2] = words[next] * 3 + words[mirror];
            s.words[3] = pairs[next] ^ pairs[mirror] >> 1;
            s.words[4] = words[s.lane / 2] + (uint64_t)words[s.lane / 2 + 1 < s.n ? s.lane / 2 + 1 : 0] * 5;
            s.words[5] = pairs[s.words[5] % s.n] + pairs[(s.lane * 7) % s.n];
            break;
        case 2:
            words[(s.lane * 5 + 3) % s.n] = (s.n % 5 ? 1 : 0) * (uint32_t)s.lane; // one writer each, or all zero
            bytes[mirror] ^= (uint8_t)s.lane;
            break;
        case 3: s.words[6] = words[s.lane] | (uint64_t)bytes[next] << 32; break;
        }
    }
};

// Sorts the group's words bitonically: 36 barriers for 256 lanes.
struct sorting {
    enum { PHASES = 38 };
    static BOTH void phase(int p, lane_state &s)
    {
        uint64_t *data = s.lds<uint64_t>();
        if (p == 0) data[s.lane] = s.words[0];
        if (p == 37) s.words[1] = data[s.lane];
        if (p == 0 || p == 37) return;
        int k = 2, j = 1;
        for (int i = 1; i < p; i++) {
            if ((j >>= 1) == 0) j = k, k *= 2;
        }
        int other = s.lane ^ j;
        if (other <= s.lane || other >= s.n || k > s.n) return;
        bool up = (s.lane & k) == 0;
        if ((data[s.lane] > data[other]) == up) {
            uint64_t t = data[s.lane];
            data[s.lane] = data[other];
            data[other] = t;
        }
    }
};

// Inclusive scan with doubling strides, then a histogram of what came out.
struct scanning {
    enum { PHASES = 12 };
    static BOTH void phase(int p, lane_state &s)
    {
        uint32_t *sums = s.lds<uint32_t>(), *counts = s.lds<uint32_t>(1024);
        if (p == 0) sums[s.lane] = (uint32_t)s.words[0] & 0xff;
        if (p >= 1 && p <= 8) { // two buffers, so that one barrier is enough
            uint32_t *from = sums + (p & 1 ? 0 : 512), *to = sums + (p & 1 ? 512 : 0);
            int back = 1 << (p - 1);
            to[s.lane] = from[s.lane] + (s.lane >= back ? from[s.lane - back] : 0);
        }
        if (p == 9) {
            s.words[0] = sums[s.lane];
            both_Add(&counts[s.words[0] % 50], 1u);
        }
        if (p == 10) s.words[1] = counts[s.lane % 50];
        if (p == 11) counts[s.lane % 50] = 0;
    }
};

template <typename T> BOTH void integer_atomics(T *p, T x, int lane)
{
    both_Add(p, x);
    both_Min(p + 1, (T)(x ^ (T)-1));
    both_Max(p + 2, x);
    both_And(p + 3, (T)(x | (T)0xff));
    both_Or(p + 4, (T)(x & (T)0x8181));
    both_Xor(p + 5, x);
    if (lane % 3 == 0) add_slowly(p + 6, x);
}

struct integer_sums {
    enum { PHASES = 3 };
    static BOTH void phase(int p, lane_state &s)
    {
        int *i = s.lds<int>();
        unsigned *u = s.lds<unsigned>(64);
        ulong64 *l = s.lds<ulong64>(128), *g = (ulong64 *)s.global;
        if (p == 0 && s.lane == 0) {
            i[1] = 5, i[3] = -1, u[1] = ~0u, u[3] = ~0u, l[1] = ~0ull, l[3] = ~0ull;
        }
        if (p == 1) {
            integer_atomics<int>(i, (int)s.words[0], s.lane);
            integer_atomics<unsigned>(u, (unsigned)s.words[1], s.lane);
            integer_atomics<ulong64>(l, s.words[2], s.lane);
            both_Sub(i + 8, (int)s.words[3]);
            both_Inc(u + 8, 17u);
            both_Dec(u + 9, 1000u);
            both_Add(g, (ulong64)s.words[4]);
            both_Max(g + 1, (ulong64)s.words[4]);
            both_Or(g + 2, (ulong64)(s.words[4] & s.words[5] & s.words[6]));
            both_Xor(g + 3, (ulong64)s.words[5]);
            both_Add((unsigned *)(g + 4), (unsigned)s.words[6]);
            both_Sub((int *)(g + 5), (int)s.words[6]);
            both_Max((int *)(g + 6), (int)s.words[6]);
            both_Max((unsigned *)(g + 7), (unsigned)s.words[6]);
            both_Inc((unsigned *)(g + 8), 999u);
            both_Dec((unsigned *)(g + 9), 12345u);
            both_And((unsigned *)(g + 10), (unsigned)s.words[6]);
            add_slowly(g + 11, (ulong64)s.words[7]);
            if (s.words[7] % 3 == 0) both_Add(g + 12, 1ull); // some lanes only
        }
        if (p == 2 && s.lane < 16) {
            s.words[0] = (uint64_t)i[s.lane];
            s.words[1] = u[s.lane];
            s.words[2] = l[s.lane % 8];
        }
    }
};

// Sums of halves up to 2^20 are exact in any order.
struct float_sums {
    enum { PHASES = 2 };
    static BOTH void phase(int p, lane_state &s)
    {
        float *f = s.lds<float>();
        double *d = s.lds<double>(64);
        if (p == 0) {
            both_Add(f + s.lane % 3, (float)(int)(s.words[0] % 1001) / 2);
            both_Add(d + s.lane % 2, (double)(int)(s.words[1] % 100001) / 8 - 4000);
            both_Add((float *)(s.global + 20), (float)(int)(s.words[2] % 101) / 2);
            both_Add((double *)(s.global + 21 + s.group % 2), (double)(int)(s.words[3] % 100001) / 8);
        }
        if (p == 1) {
            s.words[0] = bits(f[s.lane % 3]);
            s.words[1] = bits(d[s.lane % 2]);
        }
    }
};

// The old values that atomics return: a permutation of what was there, summed up.
struct tickets {
    enum { PHASES = 4 };
    static BOTH void phase(int p, lane_state &s)
    {
        unsigned *next = s.lds<unsigned>(), *taken = s.lds<unsigned>(16);
        if (p == 0) {
            unsigned ticket = both_Add(next, 1u);
            taken[ticket] = (unsigned)s.words[0] & 0xfffff; // each lane a place of its own
        }
        if (p == 1) {
            unsigned sum = 0;
            for (int i = 0; i < s.n; i++) sum += taken[i];
            s.words[0] = sum;
        }
        if (p == 2) both_Add(next + 1, both_Exch(next + 2, (unsigned)s.lane + 1));
        if (p == 3) s.words[1] = next[1] + next[2];
    }
};

// Votes and moves between lanes of a wave; the host looks into the other lanes' words, which are a
// function of their number.
BOTH static inline uint32_t word_of(int group, int lane, int k) { return (uint32_t)scramble(group * 7919 + lane * 31 + k); }

struct lanes {
    enum { PHASES = 1 };
    static BOTH void phase(int, lane_state &s)
    {
        int me = s.lane % 64, base = s.lane - me, in_wave = s.n - base < 64 ? s.n - base : 64;
        uint32_t mine = word_of(s.group, s.lane, 0);
        bool odd = mine & 1;
        int pick = (int)(mine >> 8) % in_wave, half = me & 31;
#ifdef __HIP_DEVICE_COMPILE__
        s.words[0] = __ballot(odd);
        s.words[1] = (uint32_t)__shfl((int)mine, pick);
        s.words[2] = (uint32_t)__shfl_xor((int)mine, 1);
        s.words[3] = (uint32_t)__shfl_down((int)mine, 2, 32);
        s.words[4] = (uint32_t)__shfl_up((int)mine, 3, 32);
        s.words[5] = __any((mine & 31) == 7) | __all(mine & 0xffff) << 1;
        s.words[6] = (uint32_t)__builtin_amdgcn_readfirstlane(mine);
        uint64_t below = 0;
        if (odd) below = __popcll(__ballot(mine >> 1 & 1) & ((1ull << me) - 1)); // of the lanes in this branch
        s.words[7] = below;
#else
        auto of = [&](int lane) { return word_of(s.group, base + lane, 0); };
        uint64_t vote = 0, both = 0, any = 0, all = 1;
        for (int i = 0; i < in_wave; i++) {
            vote |= (uint64_t)(of(i) & 1) << i;
            both |= (uint64_t)((of(i) & 3) == 3) << i;
            any |= (of(i) & 31) == 7;
            all &= (of(i) & 0xffff) != 0;
        }
        s.words[0] = vote;
        s.words[1] = of(pick);
        s.words[2] = of(me ^ 1);
        s.words[3] = half + 2 < 32 ? of(me + 2) : mine;
        s.words[4] = half >= 3 ? of(me - 3) : mine;
        s.words[5] = any | all << 1;
        s.words[6] = of(0);
        s.words[7] = odd ? __builtin_popcountll(both & ((1ull << me) - 1)) : 0;
#endif
        if (in_wave < 64 && (me ^ 1) >= in_wave) s.words[2] = 0; // lanes that do not exist have no value
        if (half + 2 < 32 && me + 2 >= in_wave) s.words[3] = 0;
    }
};

// A barrier that not all phases reach alike: loops of different length between barriers.
struct uneven {
    enum { PHASES = 6 };
    static BOTH void phase(int p, lane_state &s)
    {
        uint32_t *data = s.lds<uint32_t>();
        if (p % 2 == 0) {
            uint64_t x = s.words[p / 2];
            for (int i = 0; i < (int)(x % 37); i++) x = scramble(x) + p;
            if (s.lane % 64 < 50 || p == 2) data[s.lane] += (uint32_t)x;
        } else {
            s.words[3 + p / 2] = data[(s.lane + 64 * p + 5) % s.n];
        }
    }
};

int main()
{
    for (int n : {256, 64, 192, 100, 7}) {
        compare<exchange>("exchange", n);
        compare<scanning>("scanning", n);
        compare<integer_sums>("integer sums", n);
        compare<float_sums>("float sums", n);
        compare<tickets>("tickets", n);
        compare<lanes>("lanes", n);
        compare<uneven>("uneven", n);
    }
    compare<sorting>("sorting", 256);
    compare<sorting>("sorting", 64);
    return wrong_total;
}
