/* salu.c - scalar instructions against bit-by-bit models of what the manual says.
 *
 * A row is an instruction with the sources s[0:1] and s[2:3] and the result in s[8:9]; every row
 * runs with all pairs of corner values on every core. Models work on single bits or on wider
 * integers, never with the expressions of the implementation. */
#include "code_rig.h"

typedef struct {
    uint64_t a, b, d; /* 32-bit sources and results: the low half */
    uint64_t exec;
    uint32_t scc;
} state_t;

typedef void model_t(state_t *s);

typedef struct {
    const char *text;
    model_t *model;
} row_t;

#define A32 ((uint32_t)s->a)
#define B32 ((uint32_t)s->b)
#define SA  ((int64_t)(int32_t)s->a)
#define SB  ((int64_t)(int32_t)s->b)

static bool bit(uint64_t value, unsigned k)
{
    return k < 64 && value >> k & 1;
}

/* Sets bit k of d where f says so for the two source bits. f: bit 2*a+b of a truth table. */
static void logic(state_t *s, unsigned size, unsigned table)
{
    s->d = 0;
    for (unsigned k = 0; k < size; k++)
        if (table >> (2 * bit(s->a, k) + bit(s->b, k)) & 1) s->d += UINT64_C(1) << k;
    s->scc = s->d != 0;
}
/* Truth tables: bit 0 for (0,0), bit 1 for (0,1), bit 2 for (1,0), bit 3 for (1,1). */
#define LOGIC(name, table)                                                                         \
    static void m_##name##_b32(state_t *s)                                                         \
    {                                                                                              \
        logic(s, 32, table);                                                                       \
    }                                                                                              \
    static void m_##name##_b64(state_t *s)                                                         \
    {                                                                                              \
        logic(s, 64, table);                                                                       \
    }
LOGIC(and, 8)
LOGIC(or, 14)
LOGIC(xor, 6)
LOGIC(andn2, 4)
LOGIC(orn2, 13)
LOGIC(nand, 7)
LOGIC(nor, 1)
LOGIC(xnor, 9)

#define MODEL(name, ...)                                                                           \
    static void m_##name(state_t *s)                                                               \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

static void sum(state_t *s, int64_t exact, bool is_signed)
{
    s->d = (uint32_t)exact;
    s->scc = is_signed ? exact != (int32_t)exact : exact != (int64_t)(uint32_t)exact;
}
MODEL(add_u32, sum(s, (int64_t)A32 + B32, false);)
MODEL(sub_u32, sum(s, (int64_t)A32 - B32, false);)
MODEL(add_i32, sum(s, SA + SB, true);)
MODEL(sub_i32, sum(s, SA - SB, true);)
MODEL(addc, sum(s, (int64_t)A32 + B32 + s->scc, false);)
MODEL(subb, sum(s, (int64_t)A32 - B32 - s->scc, false);)
MODEL(lshl1_add, sum(s, (int64_t)A32 * 2 + B32, false);)
MODEL(lshl2_add, sum(s, (int64_t)A32 * 4 + B32, false);)
MODEL(lshl3_add, sum(s, (int64_t)A32 * 8 + B32, false);)
MODEL(lshl4_add, sum(s, (int64_t)A32 * 16 + B32, false);)
MODEL(min_i32, s->scc = SA < SB; s->d = s->scc ? A32 : B32;)
MODEL(max_i32, s->scc = SA > SB; s->d = s->scc ? A32 : B32;)
MODEL(min_u32, s->scc = A32 < B32; s->d = s->scc ? A32 : B32;)
MODEL(max_u32, s->scc = A32 > B32; s->d = s->scc ? A32 : B32;)
MODEL(cselect32, s->d = s->scc ? A32 : B32;)
MODEL(cselect64, s->d = s->scc ? s->a : s->b;)
MODEL(mul, s->d = (uint32_t)(SA * SB);)
MODEL(mul_hi_u, s->d = (uint32_t)((unsigned __int128)A32 * B32 / 4294967296u);)
MODEL(mul_hi_i, __int128 p = (__int128)SA * SB; p -= ((p % 4294967296) + 4294967296) % 4294967296;
      s->d = (uint32_t)(int64_t)(p / 4294967296);)
MODEL(absdiff, int32_t x = (int32_t)(SA - SB); s->d = (uint32_t)(x < 0 ? -(int64_t)x : x);
      s->scc = s->d != 0;)
MODEL(pack_ll, s->d = A32 % 65536 + (B32 % 65536 * 65536u);)
MODEL(pack_lh, s->d = A32 % 65536 + (B32 / 65536 * 65536u);)
MODEL(pack_hh, s->d = A32 / 65536 + (B32 / 65536 * 65536u);)

/* Moves bits by `by` places (negative: right), filling with `fill`. */
static void shift(state_t *s, unsigned size, int by, bool fill)
{
    s->d = 0;
    for (int k = 0; k < (int)size; k++) {
        int from = k - by;
        bool one = from >= 0 && from < (int)size ? bit(s->a, (unsigned)from) : from > 0 && fill;
        s->d += (uint64_t)one << k;
    }
    s->scc = s->d != 0;
}
MODEL(lshl32, shift(s, 32, (int)(B32 % 32), false);)
MODEL(lshr32, shift(s, 32, -(int)(B32 % 32), false);)
MODEL(ashr32, shift(s, 32, -(int)(B32 % 32), bit(s->a, 31));)
MODEL(lshl64, shift(s, 64, (int)(B32 % 64), false);)
MODEL(lshr64, shift(s, 64, -(int)(B32 % 64), false);)
MODEL(ashr64, shift(s, 64, -(int)(B32 % 64), bit(s->a, 63));)

static void mask(state_t *s, unsigned size)
{
    unsigned width = A32 % size, offset = B32 % size;
    s->d = 0;
    for (unsigned k = offset; k < offset + width && k < size; k++)
        s->d += UINT64_C(1) << k;
}
MODEL(bfm32, mask(s, 32);)
MODEL(bfm64, mask(s, 64);)

static void field(state_t *s, unsigned size, bool is_signed)
{
    unsigned offset = B32 % size, width = B32 >> 16 & 127;
    bool last = false;
    s->d = 0;
    for (unsigned k = 0; k < size; k++) {
        if (k < width && offset + k < size)
            last = bit(s->a, offset + k);
        else if (!is_signed)
            last = false;
        s->d += (uint64_t)last << k;
    }
    s->scc = s->d != 0;
}
MODEL(bfe_u32, field(s, 32, false);)
MODEL(bfe_i32, field(s, 32, true);)
MODEL(bfe_u64, field(s, 64, false);)
MODEL(bfe_i64, field(s, 64, true);)

#define COMPARE(name, relation)                                                                    \
    MODEL(cmp_##name##_i32, s->scc = SA relation SB;)                                              \
    MODEL(cmp_##name##_u32, s->scc = A32 relation B32;)                                            \
    MODEL(cmpk_##name##_i32, s->scc = SA relation - 2;)                                            \
    MODEL(cmpk_##name##_u32, s->scc = A32 relation 0xfffeu;)
COMPARE(eq, ==)
COMPARE(lg, !=)
COMPARE(gt, >)
COMPARE(ge, >=)
COMPARE(lt, <)
COMPARE(le, <=)
MODEL(cmp_eq_u64, s->scc = s->a == s->b;)
MODEL(cmp_lg_u64, s->scc = s->a != s->b;)
MODEL(bitcmp0_b32, s->scc = !bit(s->a, B32 % 32);)
MODEL(bitcmp1_b32, s->scc = bit(s->a, B32 % 32);)
MODEL(bitcmp0_b64, s->scc = !bit(s->a, B32 % 64);)
MODEL(bitcmp1_b64, s->scc = bit(s->a, B32 % 64);)

MODEL(mov32, s->d = A32;)
MODEL(mov64, s->d = s->a;)
MODEL(cmov32, if (s->scc) s->d = A32;)
MODEL(cmov64, if (s->scc) s->d = s->a;)
MODEL(not32, s->d = 0xffffffffu - A32; s->scc = s->d != 0;)
MODEL(not64, s->d = UINT64_MAX - s->a; s->scc = s->d != 0;)
MODEL(abs, s->d = (uint32_t)(SA < 0 ? -SA : SA); s->scc = s->d != 0;)
MODEL(sext8, s->d = (uint32_t)((A32 % 256 ^ 128) - 128);)
MODEL(sext16, s->d = (uint32_t)((A32 % 65536 ^ 32768) - 32768);)

static unsigned ones(uint64_t value, unsigned size)
{
    unsigned n = 0;
    for (unsigned k = 0; k < size; k++)
        n += bit(value, k);
    return n;
}
MODEL(bcnt0_32, s->d = 32 - ones(s->a, 32); s->scc = s->d != 0;)
MODEL(bcnt0_64, s->d = 64 - ones(s->a, 64); s->scc = s->d != 0;)
MODEL(bcnt1_32, s->d = ones(s->a, 32); s->scc = s->d != 0;)
MODEL(bcnt1_64, s->d = ones(s->a, 64); s->scc = s->d != 0;)

/* First bit equal to `value`, from the bottom or from the top; all ones if there is none. */
static void search(state_t *s, unsigned size, bool value, bool from_top)
{
    s->d = 0xffffffff;
    for (unsigned k = 0; k < size; k++)
        if (bit(s->a, from_top ? size - 1 - k : k) == value) {
            s->d = k;
            return;
        }
}
MODEL(ff0_32, search(s, 32, false, false);)
MODEL(ff0_64, search(s, 64, false, false);)
MODEL(ff1_32, search(s, 32, true, false);)
MODEL(ff1_64, search(s, 64, true, false);)
MODEL(flbit32, search(s, 32, true, true);)
MODEL(flbit64, search(s, 64, true, true);)
MODEL(flbit_i32, search(s, 32, !bit(s->a, 31), true);)
MODEL(flbit_i64, search(s, 64, !bit(s->a, 63), true);)

static void rearrange(state_t *s, unsigned size, unsigned how)
{
    s->d = 0;
    for (unsigned k = 0; k < size; k++) {
        bool one = false;
        for (unsigned q = 0; q < 4; q++) {
            if (how == 1) /* quad of k, one bit for all four */
                one |= bit(s->a, k / 4 * 4 + q);
            if (how == 2 && k < size / 4) /* quad k, one bit */
                one |= bit(s->a, 4 * k + q);
        }
        if (how == 0) one = bit(s->a, size - 1 - k);
        if (how == 3) one = bit(s->a, k / 2);
        s->d += (uint64_t)one << k;
    }
}
MODEL(brev32, rearrange(s, 32, 0);)
MODEL(brev64, rearrange(s, 64, 0);)
MODEL(wqm32, rearrange(s, 32, 1); s->scc = s->d != 0;)
MODEL(wqm64, rearrange(s, 64, 1); s->scc = s->d != 0;)
MODEL(quadmask32, rearrange(s, 32, 2); s->scc = s->d != 0;)
MODEL(quadmask64, rearrange(s, 64, 2); s->scc = s->d != 0;)
MODEL(replicate, rearrange(s, 64, 3);)
MODEL(bitset0_32, if (bit(s->d, A32 % 32)) s->d -= UINT64_C(1) << A32 % 32;)
MODEL(bitset1_32, if (!bit(s->d, A32 % 32)) s->d += UINT64_C(1) << A32 % 32;)
MODEL(bitset0_64, if (bit(s->d, A32 % 64)) s->d -= UINT64_C(1) << A32 % 64;)
MODEL(bitset1_64, if (!bit(s->d, A32 % 64)) s->d += UINT64_C(1) << A32 % 64;)

static void exec_mask(state_t *s, unsigned table, bool save)
{
    uint64_t old = s->exec;
    s->b = old;
    logic(s, 64, table);
    s->exec = s->d;
    if (save) s->d = old;
}
MODEL(and_save, exec_mask(s, 8, true);)
MODEL(or_save, exec_mask(s, 14, true);)
MODEL(xor_save, exec_mask(s, 6, true);)
MODEL(andn2_save, exec_mask(s, 4, true);)
MODEL(orn2_save, exec_mask(s, 13, true);)
MODEL(nand_save, exec_mask(s, 7, true);)
MODEL(nor_save, exec_mask(s, 1, true);)
MODEL(xnor_save, exec_mask(s, 9, true);)
MODEL(andn1_save, exec_mask(s, 2, true);)
MODEL(orn1_save, exec_mask(s, 11, true);)
MODEL(andn1_wr, exec_mask(s, 2, false);)
MODEL(andn2_wr, exec_mask(s, 4, false);)

MODEL(movk, s->d = 0xfffffffe;)
MODEL(cmovk, if (s->scc) s->d = 0xfffffffe;)
MODEL(addk, s->a = s->d; sum(s, SA - 2, true);)
MODEL(mulk, s->a = s->d; s->d = (uint32_t)(SA * -2);)
MODEL(literal, s->d = 0x12345678;)
MODEL(literal64, s->d = 0xfedcba98;)
MODEL(literal_i64, s->d = UINT64_C(0xffffffff8edcba98); s->scc = 1;)
MODEL(inline_int, s->d = UINT64_MAX - 15;)
MODEL(inline_float, s->d = UINT64_C(0x4010000000000000);)
MODEL(inline_float32, s->d = 0x3e22f983;)
MODEL(shared_base, s->d = UINT64_C(1) << 48;)
MODEL(private_limit, s->d = (UINT64_C(2) << 48) + 0xffffffff;)
MODEL(scc_source, s->d = s->scc;)
MODEL(execz_source, s->d = s->exec == 0;)

#define ROWS_LOGIC(name)                                                                           \
    {"s_" #name "_b32 s8, s0, s2", m_##name##_b32},                                                \
    {                                                                                              \
        "s_" #name "_b64 s[8:9], s[0:1], s[2:3]", m_##name##_b64                                   \
    }
#define ROWS_COMPARE(name)                                                                         \
    {"s_cmp_" #name "_i32 s0, s2", m_cmp_##name##_i32},                                            \
        {"s_cmp_" #name "_u32 s0, s2", m_cmp_##name##_u32},                                        \
        {"s_cmpk_" #name "_i32 s0, -2", m_cmpk_##name##_i32},                                      \
    {                                                                                              \
        "s_cmpk_" #name "_u32 s0, 0xfffe", m_cmpk_##name##_u32                                     \
    }
#define ROW_32(name, model)                                                                        \
    {                                                                                              \
        "s_" name " s8, s0, s2", m_##model                                                         \
    }
#define ROW_1(name, model)                                                                         \
    {                                                                                              \
        "s_" name " s8, s0", m_##model                                                             \
    }
#define ROW_1_64(name, model)                                                                      \
    {                                                                                              \
        "s_" name " s[8:9], s[0:1]", m_##model                                                     \
    }
#define ROW_64_TO_32(name, model)                                                                  \
    {                                                                                              \
        "s_" name " s8, s[0:1]", m_##model                                                         \
    }
#define ROW_SAVE(name)                                                                             \
    {                                                                                              \
        "s_" #name "_saveexec_b64 s[8:9], s[0:1]", m_##name##_save                                 \
    }

static const row_t rows[] = {
    ROWS_LOGIC(and),
    ROWS_LOGIC(or),
    ROWS_LOGIC(xor),
    ROWS_LOGIC(andn2),
    ROWS_LOGIC(orn2),
    ROWS_LOGIC(nand),
    ROWS_LOGIC(nor),
    ROWS_LOGIC(xnor),
    ROW_32("add_u32", add_u32),
    ROW_32("sub_u32", sub_u32),
    ROW_32("add_i32", add_i32),
    ROW_32("sub_i32", sub_i32),
    ROW_32("addc_u32", addc),
    ROW_32("subb_u32", subb),
    ROW_32("lshl1_add_u32", lshl1_add),
    ROW_32("lshl2_add_u32", lshl2_add),
    ROW_32("lshl3_add_u32", lshl3_add),
    ROW_32("lshl4_add_u32", lshl4_add),
    ROW_32("min_i32", min_i32),
    ROW_32("max_i32", max_i32),
    ROW_32("min_u32", min_u32),
    ROW_32("max_u32", max_u32),
    ROW_32("cselect_b32", cselect32),
    {"s_cselect_b64 s[8:9], s[0:1], s[2:3]", m_cselect64},
    ROW_32("mul_i32", mul),
    ROW_32("mul_hi_u32", mul_hi_u),
    ROW_32("mul_hi_i32", mul_hi_i),
    ROW_32("absdiff_i32", absdiff),
    ROW_32("pack_ll_b32_b16", pack_ll),
    ROW_32("pack_lh_b32_b16", pack_lh),
    ROW_32("pack_hh_b32_b16", pack_hh),
    ROW_32("lshl_b32", lshl32),
    ROW_32("lshr_b32", lshr32),
    ROW_32("ashr_i32", ashr32),
    {"s_lshl_b64 s[8:9], s[0:1], s2", m_lshl64},
    {"s_lshr_b64 s[8:9], s[0:1], s2", m_lshr64},
    {"s_ashr_i64 s[8:9], s[0:1], s2", m_ashr64},
    ROW_32("bfm_b32", bfm32),
    {"s_bfm_b64 s[8:9], s0, s2", m_bfm64},
    ROW_32("bfe_u32", bfe_u32),
    ROW_32("bfe_i32", bfe_i32),
    {"s_bfe_u64 s[8:9], s[0:1], s2", m_bfe_u64},
    {"s_bfe_i64 s[8:9], s[0:1], s2", m_bfe_i64},
    ROWS_COMPARE(eq),
    ROWS_COMPARE(lg),
    ROWS_COMPARE(gt),
    ROWS_COMPARE(ge),
    ROWS_COMPARE(lt),
    ROWS_COMPARE(le),
    {"s_cmp_eq_u64 s[0:1], s[2:3]", m_cmp_eq_u64},
    {"s_cmp_lg_u64 s[0:1], s[2:3]", m_cmp_lg_u64},
    {"s_bitcmp0_b32 s0, s2", m_bitcmp0_b32},
    {"s_bitcmp1_b32 s0, s2", m_bitcmp1_b32},
    {"s_bitcmp0_b64 s[0:1], s2", m_bitcmp0_b64},
    {"s_bitcmp1_b64 s[0:1], s2", m_bitcmp1_b64},
    ROW_1("mov_b32", mov32),
    ROW_1_64("mov_b64", mov64),
    ROW_1("cmov_b32", cmov32),
    ROW_1_64("cmov_b64", cmov64),
    ROW_1("not_b32", not32),
    ROW_1_64("not_b64", not64),
    ROW_1("abs_i32", abs),
    ROW_1("sext_i32_i8", sext8),
    ROW_1("sext_i32_i16", sext16),
    ROW_1("bcnt0_i32_b32", bcnt0_32),
    ROW_64_TO_32("bcnt0_i32_b64", bcnt0_64),
    ROW_1("bcnt1_i32_b32", bcnt1_32),
    ROW_64_TO_32("bcnt1_i32_b64", bcnt1_64),
    ROW_1("ff0_i32_b32", ff0_32),
    ROW_64_TO_32("ff0_i32_b64", ff0_64),
    ROW_1("ff1_i32_b32", ff1_32),
    ROW_64_TO_32("ff1_i32_b64", ff1_64),
    ROW_1("flbit_i32_b32", flbit32),
    ROW_64_TO_32("flbit_i32_b64", flbit64),
    ROW_1("flbit_i32", flbit_i32),
    ROW_64_TO_32("flbit_i32_i64", flbit_i64),
    ROW_1("brev_b32", brev32),
    ROW_1_64("brev_b64", brev64),
    ROW_1("wqm_b32", wqm32),
    ROW_1_64("wqm_b64", wqm64),
    ROW_1("quadmask_b32", quadmask32),
    ROW_1_64("quadmask_b64", quadmask64),
    {"s_bitreplicate_b64_b32 s[8:9], s0", m_replicate},
    ROW_1("bitset0_b32", bitset0_32),
    ROW_1("bitset1_b32", bitset1_32),
    {"s_bitset0_b64 s[8:9], s0", m_bitset0_64},
    {"s_bitset1_b64 s[8:9], s0", m_bitset1_64},
    ROW_SAVE(and),
    ROW_SAVE(or),
    ROW_SAVE(xor),
    ROW_SAVE(andn2),
    ROW_SAVE(orn2),
    ROW_SAVE(nand),
    ROW_SAVE(nor),
    ROW_SAVE(xnor),
    ROW_SAVE(andn1),
    ROW_SAVE(orn1),
    {"s_andn1_wrexec_b64 s[8:9], s[0:1]", m_andn1_wr},
    {"s_andn2_wrexec_b64 s[8:9], s[0:1]", m_andn2_wr},
    {"s_movk_i32 s8, -2", m_movk},
    {"s_cmovk_i32 s8, -2", m_cmovk},
    {"s_addk_i32 s8, -2", m_addk},
    {"s_mulk_i32 s8, -2", m_mulk},
    {"s_mov_b32 s8, 0x12345678", m_literal},
    {"s_mov_b64 s[8:9], 0xfedcba98", m_literal64},
    {"s_ashr_i64 s[8:9], 0x8edcba98, 0", m_literal_i64},
    {"s_mov_b64 s[8:9], -16", m_inline_int},
    {"s_mov_b64 s[8:9], 4.0", m_inline_float},
    {"s_mov_b32 s8, 0.15915494", m_inline_float32},
    {"s_mov_b64 s[8:9], src_shared_base", m_shared_base},
    {"s_mov_b64 s[8:9], src_private_limit", m_private_limit},
    {"s_mov_b32 s8, src_scc", m_scc_source},
    {"s_mov_b64 s[8:9], src_execz", m_execz_source},
};
enum { N_ROWS = sizeof(rows) / sizeof(*rows) };

static const uint64_t corners[] = {0,
                                   1,
                                   2,
                                   0xffffffff,
                                   0x80000000,
                                   0x7fffffff,
                                   0xfffffffe,
                                   UINT64_MAX,
                                   UINT64_C(1) << 63,
                                   UINT64_C(0x7fffffffffffffff),
                                   UINT64_C(0x100000000),
                                   UINT64_C(0xffffffff00000000),
                                   UINT64_C(0x0123456789abcdef),
                                   UINT64_C(0xfedcba9876543210),
                                   31,
                                   32,
                                   63,
                                   64,
                                   0x00200000,
                                   0x0010001f,
                                   0x00400000,
                                   0x007f0003,
                                   0x00080008,
                                   0x00010000,
                                   UINT64_C(0x8000000080000000),
                                   0xffff,
                                   0x8000,
                                   0x7fff,
                                   0xfffe,
                                   0xf0f0f0f0,
                                   0x00000080,
                                   0x001f0000,
                                   0x003f0000,
                                   0x000f0010};
enum { N_CORNERS = sizeof(corners) / sizeof(*corners) };

/* Is the result 64 bits wide, 32, or none? */
static unsigned result_bits(const char *text)
{
    if (!strncmp(text, "s_cmp", 5) || !strncmp(text, "s_bitcmp", 8)) return 0;
    return strstr(text, " s[8:9]") ? 64 : 32;
}

static void check_row(rig_t *r, const row_t *row, uint64_t pc, uint64_t a, uint64_t b, uint32_t scc)
{
    uint64_t before = UINT64_C(0xa5a5a5a55a5a5a5a) ^ a, exec = b;
    state_t s = {.a = a, .b = b, .d = before, .exec = exec, .scc = scc};
    isa_wave_t *w = &r->wave;
    memset(w->sgpr, 0, sizeof(w->sgpr));
    rig_set_s64(r, 0, a);
    rig_set_s64(r, 2, b);
    rig_set_s64(r, 8, before);
    w->exec = exec;
    w->scc = scc;
    assert_int_equal(rig_run_from(r, pc), ISA_STOP_END);
    if (result_bits(row->text) == 32) s.d &= 0xffffffff;
    row->model(&s);
    if (result_bits(row->text) == 32) s.d = (s.d & 0xffffffff) | (before & 0xffffffff00000000);
    if (result_bits(row->text) == 0) s.d = before;
    if (rig_s64(r, 8) != s.d || w->scc != s.scc || w->exec != s.exec)
        fail_msg("%s on %s with 0x%llx, 0x%llx, scc %u: 0x%llx scc %u exec 0x%llx, expected 0x%llx "
                 "scc %u exec 0x%llx",
                 row->text, r->core->name, (unsigned long long)a, (unsigned long long)b, scc,
                 (unsigned long long)rig_s64(r, 8), w->scc, (unsigned long long)w->exec,
                 (unsigned long long)s.d, s.scc, (unsigned long long)s.exec);
}

static void arithmetic(void **state)
{
    (void)state;
    size_t at[N_ROWS], room = 0;
    for (unsigned k = 0; k < N_ROWS; k++)
        room += strlen(rows[k].text) + 16;
    char *text = calloc(1, room), *to = text;
    assert_non_null(text);
    for (unsigned k = 0; k < N_ROWS; k++)
        to += sprintf(to, "%s\ns_endpgm\n", rows[k].text);
    rig_t *r = rig_create();
    size_t n = rig_assemble(r, 0, text), where = 0;
    for (unsigned k = 0; k < N_ROWS; k++) {
        isa_inst_t inst;
        at[k] = where;
        where += (size_t)isa_decode(ASM_ARCH, r->code + where, 3, &inst) + 1;
    }
    assert_int_equal(where, n);
    for (unsigned c = 0; c < RIG_CORES; c++) {
        r->core = isa_core_by_name(rig_cores[c]);
        for (unsigned k = 0; r->core && k < N_ROWS; k++)
            for (unsigned x = 0; x < N_CORNERS * N_CORNERS * 2; x++)
                check_row(r, &rows[k], RIG_CODE + 4 * at[k], corners[x / 2 % N_CORNERS],
                          corners[x / 2 / N_CORNERS], x & 1);
    }
    rig_destroy(r);
    free(text);
}

static void relative_moves(void **state)
{
    (void)state;
    rig_t *r = rig_create();
    for (unsigned k = 0; k < 102; k++)
        r->wave.sgpr[k] = 1000 + k;
    r->wave.m0 = 5;
    assert_int_equal(rig_run(r, "s_movrels_b32 s0, s10\n"
                                "s_movrels_b64 s[2:3], s[20:21]\n" /* 25 rounds down to 24 */
                                "s_movreld_b32 s40, s11\n"
                                "s_movreld_b64 s[50:51], s[12:13]\n"
                                "s_mov_b32 m0, 200\n"
                                "s_movrels_b32 s60, s10\n"
                                "s_movreld_b32 s61, s10\n"
                                "s_endpgm\n"),
                     ISA_STOP_END);
    assert_int_equal(r->wave.sgpr[0], 1015);
    assert_int_equal(rig_s64(r, 2), 1024 | UINT64_C(1025) << 32);
    assert_int_equal(r->wave.sgpr[45], 1011);
    assert_int_equal(rig_s64(r, 54), 1012 | UINT64_C(1013) << 32);
    assert_int_equal(r->wave.sgpr[60], 1015); /* out of range: s0 */
    assert_int_equal(r->wave.sgpr[61], 1061);
    rig_destroy(r);
}

static void hardware_registers(void **state)
{
    (void)state;
    rig_t *r = rig_create();
    r->wave.mode = 0x2f0;
    r->wave.hw_id = 0x12345678;
    r->wave.vcc = 0;
    assert_int_equal(rig_run(r, "s_getreg_b32 s0, hwreg(HW_REG_MODE)\n"
                                "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 0xf5\n"
                                "s_getreg_b32 s1, hwreg(HW_REG_MODE, 0, 8)\n"
                                "s_movk_i32 s9, 3\n"
                                "s_setreg_b32 hwreg(HW_REG_MODE, 4, 2), s9\n"
                                "s_getreg_b32 s2, hwreg(HW_REG_MODE)\n"
                                "s_getreg_b32 s3, hwreg(HW_REG_HW_ID, 8, 4)\n"
                                "s_cmp_eq_u32 s9, 3\n"
                                "s_getreg_b32 s4, hwreg(HW_REG_STATUS)\n"
                                "s_getreg_b32 s5, hwreg(HW_REG_SH_MEM_BASES)\n"
                                "s_getreg_b32 s6, hwreg(HW_REG_LDS_ALLOC, 12, 9)\n"
                                "s_setreg_imm32_b32 hwreg(HW_REG_STATUS), 0\n"
                                "s_setreg_imm32_b32 hwreg(HW_REG_TRAPSTS), 0\n"
                                "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 8, 1), 1\n"
                                "s_endpgm\n"),
                     ISA_STOP_END);
    assert_int_equal(r->wave.sgpr[0], 0x2f0);
    assert_int_equal(r->wave.sgpr[1], 0xf5);
    assert_int_equal(r->wave.sgpr[2], 0x2f5);
    assert_int_equal(r->wave.sgpr[3], 6);
    /* SCC, TRAP_EN, VCCZ, IN_TG, VALID */
    assert_int_equal(r->wave.sgpr[4], 1 | 1 << 6 | 1 << 10 | 1 << 11 | 1 << 16);
    assert_int_equal(r->wave.sgpr[5], 2 | 1 << 16);
    assert_int_equal(r->wave.sgpr[6], 2);
    assert_int_equal(r->wave.mode, 0x3f5);
    rig_destroy(r);
}

static void gpr_index(void **state)
{
    (void)state;
    rig_t *r = rig_create();
    r->wave.m0 = 0xabcdef00;
    r->wave.sgpr[0] = 0x1234;
    assert_int_equal(rig_run(r, "s_set_gpr_idx_on s0, gpr_idx(SRC0,DST)\n"
                                "s_mov_b32 s1, m0\n"
                                "s_getreg_b32 s2, hwreg(HW_REG_MODE, 27, 1)\n"
                                "s_set_gpr_idx_idx 7\n"
                                "s_mov_b32 s3, m0\n"
                                "s_set_gpr_idx_mode gpr_idx(SRC1)\n"
                                "s_mov_b32 s4, m0\n"
                                "s_set_gpr_idx_off\n"
                                "s_getreg_b32 s5, hwreg(HW_REG_MODE, 27, 1)\n"
                                "s_endpgm\n"),
                     ISA_STOP_END);
    assert_int_equal(r->wave.sgpr[1], 0xabcd9f34);
    assert_int_equal(r->wave.sgpr[2], 1);
    assert_int_equal(r->wave.sgpr[3], 0xabcd9f07);
    assert_int_equal(r->wave.sgpr[4], 0xabcd2f07);
    assert_int_equal(r->wave.sgpr[5], 0);
    rig_destroy(r);
}

static void refused(void **state)
{
    (void)state;
    static const char *const programs[] = {"s_setvskip 1, 0\n",
                                           "s_sethalt 1\n",
                                           "s_sendmsg sendmsg(MSG_SAVEWAVE)\n",
                                           "s_getreg_b32 s0, hwreg(9)\n",
                                           "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 28, 1), 1\n",
                                           "s_sendmsghalt sendmsg(MSG_INTERRUPT)\n"};
    rig_t *r = rig_create();
    for (unsigned k = 0; k < sizeof(programs) / sizeof(*programs); k++) {
        char name[32];
        sscanf(programs[k], "%31s", name);
        assert_int_equal(rig_run(r, programs[k]), ISA_STOP_UNSUPPORTED);
        assert_non_null(strstr(r->wave.message, name));
        assert_non_null(strstr(r->wave.message, "0x7fff00010000"));
    }
    rig_destroy(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arithmetic),
        cmocka_unit_test(relative_moves),
        cmocka_unit_test(hardware_registers),
        cmocka_unit_test(gpr_index),
        cmocka_unit_test(refused),
    };
    if (!asm_available()) return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
