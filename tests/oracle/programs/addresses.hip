// addresses - how an address comes about of a base, a register and the instruction's offset: private
// arrays, LDS, flat pointers and tables indexed from behind, where compilers make the register
// negative and the offset positive; buffer descriptors, written as instructions, whose addresses and
// limits the host works out from their definition.
#include "twin.h"

// ---- compiled code: the host's arrays are the oracle ----

template <typename T> BOTH inline T value_of(uint64_t seed, int i) { return (T)(seed >> i % 13 ^ (uint64_t)(i * 0x9e37u)); }

// Indices that count down from a constant: the constant becomes the offset.
template <typename T> BOTH uint64_t backwards(T *a, int step, uint64_t seed, uint64_t place)
{
    for (int i = 0; i < 104; i++) a[i * step] = value_of<T>(seed, i);
    int s = (int)(place % 21), far_ = (int)(place >> 8 & 0xffff) % 84;
    a[(20 - s) * step] = (T)(a[(20 - s) * step] + 5);
    a[(103 - far_) * step] = (T)(a[(103 - far_) * step] ^ a[(21 + s) * step]);
    uint64_t sum = 0;
    for (int k = 0; k < 20; k++) sum = sum * 31 + (uint64_t)a[((20 - s) + (k - 10 < -(20 - s) ? 0 : k - 10)) * step];
    for (int i = 0; i < 104; i++) sum = sum * 7 + (uint64_t)a[(103 - i) * step];
    return sum;
}

template <typename T> BOTH uint64_t in_private(uint64_t seed, uint64_t place)
{
    T a[104];
    return backwards(a, 1, seed, place);
}

TWIN(private_bytes, 2, 1) { out[0] = in_private<uint8_t>(in[0], in[1]); }
TWIN(private_halves, 2, 1) { out[0] = in_private<int16_t>(in[0], in[1]); }
TWIN(private_words, 2, 1) { out[0] = in_private<int32_t>(in[0], in[1]); }
TWIN(private_pairs, 2, 1) { out[0] = in_private<uint64_t>(in[0], in[1]); }

// One element from behind, with the constant so near that nothing but the sum is in the array.
TWIN(private_single, 2, 4)
{
    int a[21], b[21], s = (int)(in[1] % 21);
    for (int i = 0; i < 21; i++) a[i] = (int)(in[0] >> i), b[i] = (int)in[0] * i;
    a[20 - s] = -7;
    out[0] = (uint32_t)b[20 - s];
    out[1] = (uint32_t)(a[20 - s] + b[s]);
    out[2] = (uint32_t)a[s];
    out[3] = 0;
    for (int i = 0; i < 21; i++) out[3] = out[3] * 5 + (uint32_t)a[i] + 3 * (uint32_t)b[20 - i];
}

struct four {
    int x, y, z, w;
};

TWIN(private_fours, 2, 1)
{
    four a[28];
    for (int i = 0; i < 28; i++) a[i] = four{(int)in[0] + i, (int)(in[0] >> i), i, (int)(in[1] >> i)};
    int s = (int)(in[1] % 28);
    four picked = a[27 - s], other = a[s];
    a[27 - s] = other;
    uint64_t sum = (uint32_t)(picked.x ^ picked.y + picked.z * picked.w);
    for (int i = 0; i < 28; i++) sum = sum * 13 + (uint32_t)(a[i].x + 3 * a[i].y - a[i].z ^ a[i].w);
    out[0] = sum;
}

// A frame in a function, so that the stack pointer is part of the sum.
APART BOTH uint64_t called(uint64_t seed, uint64_t place, int depth)
{
    uint32_t mine[40];
    for (int i = 0; i < 40; i++) mine[i] = value_of<uint32_t>(seed, i + depth);
    uint32_t &there = mine[39 - (int)(place % 40)];
    there += (uint32_t)depth;
    uint64_t sum = depth ? called(seed + there, place >> 3, depth - 1) : place;
    for (int i = 0; i < 40; i++) sum = sum * 3 + mine[39 - i];
    return sum;
}

TWIN(private_calls, 2, 1) { out[0] = called(in[0], in[1], 3); }

// One space for all: without optimisation each kernel gets the LDS of every function.
__device__ inline char *lds_space()
{
    alignas(16) __shared__ char all[60 * TWIN_GROUP * 4];
    return all;
}

#ifdef __HIP_DEVICE_COMPILE__
#define LDS(T, name, n)                                                                            \
    T *name = (T *)lds_space() + threadIdx.x;                                                      \
    const int name##_step = TWIN_GROUP
#else
#define LDS(T, name, n)                                                                            \
    T name[n];                                                                                     \
    const int name##_step = 1
#endif

TWIN(lds_bytes, 2, 1)
{
    LDS(uint8_t, a, 104);
    out[0] = backwards(a, a_step, in[0], in[1]);
}
TWIN(lds_halves, 2, 1)
{
    LDS(int16_t, a, 104);
    out[0] = backwards(a, a_step, in[0], in[1]);
}

TWIN(lds_words, 2, 2)
{
    LDS(uint32_t, a, 60);
    for (int i = 0; i < 60; i++) a[i * a_step] = value_of<uint32_t>(in[0], i);
    int s = (int)(in[1] % 60);
    out[0] = a[(59 - s) * a_step];
    a[(59 - s) * a_step] = (uint32_t)s;
    out[1] = 0;
    for (int i = 0; i < 60; i++) out[1] = out[1] * 11 + a[(59 - i) * a_step];
}

// A pointer of which nobody knows where it leads.
TWIN(flat_pointers, 3, 2)
{
    LDS(uint32_t, b, 40);
    uint32_t a[40];
    for (int i = 0; i < 40; i++) a[i] = value_of<uint32_t>(in[0], i), b[i * b_step] = value_of<uint32_t>(in[1], i);
    int s = 5 + (int)(in[2] % 30);
    const bool shared = in[2] >> 40 & 1;
    uint32_t *p = shared ? b + s * b_step : a + s;
    const int step = shared ? b_step : 1;
    p[-3 * step] += p[2 * step];
    p[4 * step] ^= p[-5 * step];
    out[0] = p[0] + p[-step] + p[step];
    out[1] = 0;
    for (int i = 0; i < 40; i++) out[1] = out[1] * 3 + a[39 - i] + 7 * (uint64_t)b[(39 - i) * b_step];
}

TWIN(global_table, 8, 2)
{
    int s = (int)(in[0] % 8);
    out[0] = in[7 - s] + in[s];
    out[1] = in[(uint32_t)(7 - s) & 7] ^ in[(unsigned)s + 3 & 7];
}

// ---- buffers: a descriptor, an index and an offset per lane ----

enum { LANES = 64, WORDS = 16384 };
typedef int words4 __attribute__((ext_vector_type(4)));

struct access {
    const char *name;
    int form;         // which instruction of run_buffer
    bool idxen;       // the instruction's
    uint32_t imm;     // the instruction's
    uint32_t stride, records, soffset;
    bool swizzle, tid;
    int index_stride; // of a swizzled buffer
    int32_t first, step; // lane l has register first + l * step
};

enum { IMM = 80 };

// Five registers as scalars s36 to s40, whatever the compiler has made of them; and the wait that
// scalars written by vector instructions need.
#define UNIFORM(a, b, c, d, e)                                                                     \
    "v_readfirstlane_b32 s36, " a "\n\tv_readfirstlane_b32 s37, " b                                \
    "\n\tv_readfirstlane_b32 s38, " c "\n\tv_readfirstlane_b32 s39, " d                           \
    "\n\tv_readfirstlane_b32 s40, " e "\n\ts_nop 4\n\t"
#define UNIFORM_CLOBBERS "s36", "s37", "s38", "s39", "s40", "s41", "memory"

__global__ void run_buffer(words4 descriptor, uint32_t soffset, int form, const uint32_t *reg, uint32_t *out)
{
    uint32_t got = 0xabababab, v = reg[threadIdx.x];
#ifdef __HIP_DEVICE_COMPILE__
#define BUFFER(text)                                                                               \
    asm volatile(UNIFORM("%2", "%3", "%4", "%5", "%6") text "\n\ts_waitcnt vmcnt(0)"               \
                 : "=&v"(got)                                                                      \
                 : "v"(v), "v"(descriptor.x), "v"(descriptor.y), "v"(descriptor.z),                \
                   "v"(descriptor.w), "v"(soffset)                                                 \
                 : UNIFORM_CLOBBERS)
    switch (form) {
    case 0: BUFFER("buffer_load_dword %0, %1, s[36:39], s40 offen"); break;
    case 1: BUFFER("buffer_load_dword %0, %1, s[36:39], s40 offen offset:80"); break;
    case 2: BUFFER("buffer_load_dword %0, %1, s[36:39], s40 idxen"); break;
    case 3: BUFFER("buffer_load_dword %0, %1, s[36:39], s40 idxen offset:80"); break;
    case 4: BUFFER("buffer_load_dword %0, off, s[36:39], s40 offset:80"); break;
    }
#endif
    out[threadIdx.x] = got;
}

// The documented sums, in words of the data; false where the limit forbids.
static bool place(const access &a, int lane, uint64_t *word)
{
    const uint32_t reg = (uint32_t)(a.first + lane * a.step), imm = a.imm;
    const bool offen = a.form < 2;
    const uint32_t index = (a.idxen ? reg : 0) + (a.tid ? (uint32_t)lane : 0), offset = (offen ? reg : 0) + imm;
    uint64_t byte = a.soffset;
    if (a.swizzle)
        byte += ((uint64_t)(index / a.index_stride) * a.stride + offset / 4 * 4) * a.index_stride + index % a.index_stride * 4 + offset % 4;
    else
        byte += (uint64_t)index * a.stride + offset;
    *word = byte / 4;
    if (a.tid && !a.idxen) return true;
    if (a.idxen && a.stride) return index < a.records;
    return (uint64_t)offset + a.soffset + 4 <= a.records;
}

static void buffers()
{
    static const access list[] = {
        {"raw", 0, false, 0, 0, 128, 0, false, false, 64, 0, 4},
        {"raw, a negative register", 1, false, IMM, 0, 128, 0, false, false, 64, -80, 4},
        {"raw, the scalar offset is part of the limit", 0, false, 0, 0, 8320, 8192, false, false, 64, 0, 4},
        {"raw, the scalar offset beyond the limit", 0, false, 0, 0, 128, 8192, false, false, 64, 0, 4},
        {"raw, a stride without an index", 1, false, IMM, 32, 256, 64, false, false, 64, 0, 4},
        {"records", 2, true, 0, 16, 40, 256, false, false, 64, 0, 1},
        {"records, beyond the record", 3, true, IMM, 16, 40, 256, false, false, 64, 0, 1},
        {"records, a large index", 2, true, 0, 16, 40, 0, false, false, 64, -8, 1},
        {"an index without a stride", 3, true, IMM, 0, 84, 0, false, false, 64, 0, 1},
        {"swizzled records", 3, true, IMM, 128, 60, 64, true, false, 16, 0, 1},
        {"scratch", 4, false, IMM, 0, 0, 1024, true, true, 64, 0, 0},
        {"scratch, a negative register", 1, false, IMM, 0, 0, 1024, true, true, 64, -80, 4},
        {"scratch, the same register in all lanes", 1, false, IMM, 0, 0, 1024, true, true, 64, -48, 0},
        {"lanes as records", 4, false, IMM, 24, 0, 512, false, true, 64, 0, 0},
    };
    std::vector<uint32_t> data(WORDS), reg(LANES), got(LANES);
    for (int i = 0; i < WORDS; i++) data[i] = (uint32_t)scramble(i);
    uint32_t *ddata, *dreg, *dout;
    HIP(hipMalloc(&ddata, WORDS * 4));
    HIP(hipMalloc(&dreg, LANES * 4));
    HIP(hipMalloc(&dout, LANES * 4));
    HIP(hipMemcpy(ddata, data.data(), WORDS * 4, hipMemcpyHostToDevice));
    for (const access &a : list) {
        for (int l = 0; l < LANES; l++) reg[l] = (uint32_t)(a.first + l * a.step);
        const uint64_t base = (uint64_t)(uintptr_t)ddata;
        words4 descriptor;
        descriptor.x = (int)base;
        descriptor.y = (int)((uint32_t)(base >> 32) | a.stride << 16 | (uint32_t)a.swizzle << 31);
        descriptor.z = (int)a.records;
        descriptor.w = (__builtin_ctz(a.index_stride) - 3) << 21 | (a.tid ? 1 << 23 : 4 << 15 | 4 << 12);
        HIP(hipMemcpy(dreg, reg.data(), LANES * 4, hipMemcpyHostToDevice));
        run_buffer<<<1, LANES>>>(descriptor, a.soffset, a.form, dreg, dout);
        HIP(hipMemcpy(got.data(), dout, LANES * 4, hipMemcpyDeviceToHost));
        int wrong = 0, outside = 0;
        for (int l = 0; l < LANES; l++) {
            uint64_t word;
            const bool inside = place(a, l, &word);
            const uint32_t want = inside ? data[word] : 0;
            outside += !inside;
            if (got[l] != want && wrong++ < 4) std::printf("%s: lane %d is %x, expected %x\n", a.name, l, got[l], want);
        }
        std::printf("buffer, %s: %d lanes outside, %d wrong\n", a.name, outside, wrong);
        if (wrong) wrong_total = 1;
    }
    HIP(hipFree(ddata));
    HIP(hipFree(dreg));
    HIP(hipFree(dout));
}

// ---- scalar loads ----

__global__ void run_scalar(words4 descriptor, uint32_t soffset, uint32_t *out)
{
    uint32_t got[6] = {};
#ifdef __HIP_DEVICE_COMPILE__
#define SCALAR(k, text)                                                                            \
    asm volatile(UNIFORM("%1", "%2", "%3", "%4", "%5") text                                        \
                 "\n\ts_waitcnt lgkmcnt(0)\n\tv_mov_b32 %0, s41"                                   \
                 : "=&v"(got[k])                                                                   \
                 : "v"(descriptor.x), "v"(descriptor.y), "v"(descriptor.z), "v"(descriptor.w),     \
                   "v"(soffset)                                                                    \
                 : UNIFORM_CLOBBERS)
    SCALAR(0, "s_load_dword s41, s[36:37], s40");
    SCALAR(1, "s_load_dword s41, s[36:37], s40 offset:-0x10");
    SCALAR(2, "s_load_dword s41, s[36:37], 0x24");
    SCALAR(3, "s_buffer_load_dword s41, s[36:39], s40");
    SCALAR(4, "s_buffer_load_dword s41, s[36:39], s40 offset:0x14");
    SCALAR(5, "s_buffer_load_dword s41, s[36:39], s40 offset:0x40");
#endif
    for (int k = 0; k < 6; k++) out[k] = got[k];
}

static void scalars()
{
    enum { SOFFSET = 64, RECORDS = 128 };
    std::vector<uint32_t> data(256), got(6);
    for (int i = 0; i < 256; i++) data[i] = (uint32_t)scramble(i);
    uint32_t *ddata, *dout;
    HIP(hipMalloc(&ddata, 1024));
    HIP(hipMalloc(&dout, 24));
    HIP(hipMemcpy(ddata, data.data(), 1024, hipMemcpyHostToDevice));
    const uint64_t base = (uint64_t)(uintptr_t)ddata;
    words4 descriptor = {(int)base, (int)(base >> 32), RECORDS, 0};
    run_scalar<<<1, 1>>>(descriptor, SOFFSET, dout);
    HIP(hipMemcpy(got.data(), dout, 24, hipMemcpyDeviceToHost));
    const uint32_t want[6] = {data[16], data[12], data[9], data[16], data[21], 0};
    int wrong = 0;
    for (int k = 0; k < 6; k++)
        if (got[k] != want[k]) std::printf("scalar load %d is %x, expected %x\n", k, got[k], want[k]), wrong++;
    std::printf("scalar loads: %d wrong\n", wrong);
    if (wrong) wrong_total = 1;
    HIP(hipFree(ddata));
    HIP(hipFree(dout));
}

int main(int argc, char **argv)
{
    twin_main(argc, argv);
    buffers();
    scalars();
    return wrong_total;
}
