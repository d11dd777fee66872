/* mem_gpus.c - memory instructions that not all GPUs of the family have: loads from memory into
 * LDS, loads that transpose, atomic sums of pairs, scratch addresses.
 *
 * The words of a row are llvm-mc 21.1.8's for its text, which our disassembler has to give back.
 * Where data go is worked out byte by byte, bit by bit or in doubles, from AMD's manuals of CDNA 3
 * and 4. Every core that is built is tested. */
#include "mem_rig.h"

#include "isa/isa.h"

#include <math.h>

typedef struct {
    const char *gpu, *text;
    uint32_t words[2];
    unsigned bytes;
    bool is_signed;
} test_t;

static isa_inst_t decoded(rig_t *r, const test_t *t)
{
    char ours[128];
    isa_inst_t i = {.op = 0};
    r->dispatch.arch = isa_arch_named(t->gpu);
    assert_non_null(r->dispatch.arch);
    if (isa_decode(r->dispatch.arch, t->words, 2, &i) <= 0) fail_msg("%s: no instruction", t->text);
    isa_disassemble(r->dispatch.arch, &i, ours, sizeof ours);
    assert_string_equal(ours, t->text);
    return i;
}

/* A core's rig with random state. */
typedef void check_t(rig_t *r);

static void on_every_core(check_t *check)
{
    unsigned tested = 0;
    for (unsigned c = 0; c < RIG_CORES; c++) {
        rig_t *r = rig_create(rig_cores[c]);
        if (!r) continue;
        check(r);
        rig_destroy(r);
        tested++;
    }
    assert_true(tested);
}

static void set_descriptor(rig_t *r)
{
    r->wave.sgpr[12] = (uint32_t)RIG_VA;
    r->wave.sgpr[13] = (uint32_t)(RIG_VA >> 32);
    r->wave.sgpr[14] = RIG_MEM;
    r->wave.sgpr[15] = 0x00027000;
}

/* ---- loads into LDS ---- */

static const test_t to_lds[] = {
    /* where a bit says it */
    {"gfx908", "global_load_ubyte v[4:5], off offset:16 lds", {0xdc40a010, 0x007f0004}, 1, false},
    {"gfx90a", "global_load_sbyte v[4:5], off offset:16 lds", {0xdc44a010, 0x007f0004}, 1, true},
    {"gfx908", "global_load_ushort v[4:5], off offset:16 lds", {0xdc48a010, 0x007f0004}, 2, false},
    {"gfx90a", "global_load_sshort v[4:5], off offset:16 lds", {0xdc4ca010, 0x007f0004}, 2, true},
    {"gfx908", "global_load_dword v[4:5], off offset:16 lds", {0xdc50a010, 0x007f0004}, 4, false},
    {"gfx908", "scratch_load_ubyte v6, off offset:16 lds", {0xdc406010, 0x007f0006}, 1, false},
    {"gfx90a", "scratch_load_sbyte v6, off offset:16 lds", {0xdc446010, 0x007f0006}, 1, true},
    {"gfx908", "scratch_load_ushort v6, off offset:16 lds", {0xdc486010, 0x007f0006}, 2, false},
    {"gfx90a", "scratch_load_sshort v6, off offset:16 lds", {0xdc4c6010, 0x007f0006}, 2, true},
    {"gfx908", "scratch_load_dword v6, off offset:16 lds", {0xdc506010, 0x007f0006}, 4, false},
    /* where the opcode does */
    {"gfx942", "global_load_lds_dword v[4:5], off offset:16", {0xdca88010, 0x007f0004}, 4, false},
    {"gfx942", "global_load_lds_ubyte v[4:5], off", {0xdc988000, 0x007f0004}, 1, false},
    {"gfx942", "global_load_lds_sbyte v[4:5], off", {0xdc9c8000, 0x007f0004}, 1, true},
    {"gfx942", "global_load_lds_ushort v[4:5], off", {0xdca08000, 0x007f0004}, 2, false},
    {"gfx942", "global_load_lds_sshort v4, s[8:9] offset:64", {0xdca48040, 0x00080004}, 2, true},
    {"gfx950", "global_load_lds_dwordx3 v[4:5], off", {0xddf88000, 0x007f0004}, 12, false},
    {"gfx950", "global_load_lds_dwordx4 v4, s[8:9]", {0xddf48000, 0x00080004}, 16, false},
    {"gfx942", "scratch_load_lds_dword off, off offset:16", {0xdca84010, 0x007f0000}, 4, false},
    {"gfx942", "scratch_load_lds_ubyte v6, off", {0xdc986000, 0x007f0006}, 1, false},
    {"gfx942", "scratch_load_lds_sbyte off, s10", {0xdc9c4000, 0x000a0000}, 1, true},
    {"gfx942", "scratch_load_lds_ushort v6, s10", {0xdca06000, 0x000a0006}, 2, false},
    {"gfx942", "scratch_load_lds_sshort off, off", {0xdca44000, 0x007f0000}, 2, true},
    {"gfx950",
     "buffer_load_dwordx4 v6, s[12:15], 0 offen lds",
     {0xe05d1000, 0x80030006},
     16,
     false},
    {"gfx950",
     "buffer_load_dwordx3 v6, s[12:15], 0 offen lds",
     {0xe0591000, 0x80030006},
     12,
     false},
};

enum { M0 = 32, SCALAR = 48 /* s10: an offset in scratch */ };

/* Offset in memory of byte k of lane l's element. */
static unsigned from(const rig_t *r, const isa_inst_t *i, unsigned l, unsigned k)
{
    const unsigned offset = (unsigned)i->imm;
    unsigned at = offset + k;
    if (i->fmt == ISA_FMT_MUBUF) return at + r->want.v[6][l];
    if (i->fmt == ISA_FMT_GLOBAL)
        return at + (unsigned)((r->want.v[4][l] |
                                (i->flags & ISA_F_SADDR ? 0 : (uint64_t)r->want.v[5][l] << 32)) -
                               (i->flags & ISA_F_SADDR ? 0 : RIG_VA));
    if (i->src[0].kind == ISA_OPK_VGPR) at += r->want.v[6][l];
    if (i->flags & ISA_F_SADDR) at += SCALAR;
    return at / 4 * 256 + 4 * l + at % 4; /* scratch: dwords of all lanes side by side */
}

static void set_addresses(rig_t *r, const isa_inst_t *i)
{
    for (unsigned l = 0; l < 64; l++) {
        const uint32_t at = 100 * ((l * 37) % 64); /* any order */
        const uint64_t va = i->flags & ISA_F_SADDR ? at : RIG_VA + at;
        r->want.v[4][l] = (uint32_t)va;
        r->want.v[5][l] = (uint32_t)(va >> 32);
        r->want.v[6][l] = i->fmt == ISA_FMT_MUBUF ? at : 4 * (l % 8);
    }
    r->wave.sgpr[8] = (uint32_t)RIG_VA;
    r->wave.sgpr[9] = (uint32_t)(RIG_VA >> 32);
    r->wave.sgpr[10] = SCALAR;
    r->wave.flat_scratch = RIG_VA;
    set_descriptor(r);
}

static void check_to_lds(rig_t *r)
{
    for (const test_t *t = to_lds; t < to_lds + sizeof to_lds / sizeof *to_lds; t++) {
        const isa_inst_t i = decoded(r, t);
        const unsigned whole = t->bytes < 4 ? 4 : t->bytes, step = whole == 12 ? 16 : whole;
        rig_fill(r);
        set_addresses(r, &i);
        rig_load(r);
        r->wave.m0 = M0;
        r->wave.exec = UINT64_C(0xfffffff0ff0fffff);
        for (unsigned l = 0; l < 64; l++) {
            uint8_t *to = &r->want.lds[M0 + (unsigned)i.imm + step * l];
            if (!(r->wave.exec >> l & 1)) continue;
            for (unsigned k = 0; k < whole; k++)
                to[k] = k < t->bytes                       ? r->want.mem[from(r, &i, l, k)]
                        : t->is_signed && to[k - 1] & 0x80 ? 0xff
                                                           : 0;
        }
        rig_run(r, &i, t->text);
        rig_compare(r, t->text);
    }
}

static void loads_fill_lds(void **state)
{
    (void)state;
    on_every_core(check_to_lds);
}

/* M0 has 16 bits of an offset, or 18 where there is more LDS. */
static void check_m0(rig_t *r)
{
    static uint8_t lds[160 << 10];
    static const struct {
        test_t test;
        uint32_t begin;
    } cases[] = {
        {{"gfx942", "global_load_lds_dword v[4:5], off offset:16", {0xdca88010, 0x007f0004}, 4, 0},
         0x2340 + 16},
        {{"gfx950", "global_load_lds_dword v[4:5], off offset:16", {0xdca88010, 0x007f0004}, 4, 0},
         0x12340 + 16},
    };
    for (unsigned k = 0; k < 2; k++) {
        const isa_inst_t i = decoded(r, &cases[k].test);
        rig_fill(r);
        set_addresses(r, &i);
        rig_load(r);
        memset(lds, 0, sizeof lds);
        r->group.lds = lds;
        r->group.lds_bytes = r->dispatch.arch->group_lds;
        r->wave.m0 = 0x40012340;
        r->wave.exec = ISA_ALL_LANES;
        rig_run(r, &i, cases[k].test.text);
        assert_memory_equal(lds + cases[k].begin + 4 * 9, &r->want.mem[from(r, &i, 9, 0)], 4);
        r->group.lds = r->lds;
        r->group.lds_bytes = RIG_LDS;
    }
}

static void m0_reaches_all_of_lds(void **state)
{
    (void)state;
    on_every_core(check_m0);
}

/* ---- other loads ---- */

static const test_t loads[] = {
    {"gfx942", "scratch_load_dword v20, v6, s10 offset:8", {0xdc506008, 0x140a0006}, 4, false},
    {"gfx942", "scratch_load_dword v20, off, off offset:8", {0xdc504008, 0x147f0006}, 4, false},
    {"gfx950",
     "buffer_load_dwordx4 v[20:23], v6, s[12:15], 0 offen",
     {0xe05c1000, 0x80031406},
     16,
     false},
    {"gfx950",
     "buffer_load_dwordx3 v[20:22], v6, s[12:15], 0 offen",
     {0xe0581000, 0x80031406},
     12,
     false},
};

static void check_loads(rig_t *r)
{
    for (const test_t *t = loads; t < loads + sizeof loads / sizeof *loads; t++) {
        const isa_inst_t i = decoded(r, t);
        rig_fill(r);
        set_addresses(r, &i);
        rig_load(r);
        r->wave.exec = ISA_ALL_LANES;
        for (unsigned l = 0; l < 64; l++)
            for (unsigned k = 0; k < t->bytes; k++) {
                uint32_t *to = &r->want.v[20 + k / 4][l];
                *to = (*to & ~(0xffu << 8 * (k % 4))) | (uint32_t)r->want.mem[from(r, &i, l, k)]
                                                            << 8 * (k % 4);
            }
        rig_run(r, &i, t->text);
        rig_compare(r, t->text);
    }
}

static void addresses_add_up(void **state)
{
    (void)state;
    on_every_core(check_loads);
}

/* Sixteen lanes' elements one behind the other are a matrix with 16 columns; lane n gets column n.
 */
static const test_t transposed[] = {
    {"gfx950", "ds_read_b64_tr_b16 v[20:21], v6", {0xd9c60000, 0x14000006}, 16, false},
    {"gfx950", "ds_read_b64_tr_b8 v[20:21], v6 offset:8", {0xd9c40008, 0x14000006}, 8, false},
    {"gfx950", "ds_read_b64_tr_b4 v[20:21], v6", {0xd9c00000, 0x14000006}, 4, false},
    {"gfx950", "ds_read_b96_tr_b6 v[20:22], v6", {0xd9c20000, 0x14000006}, 6, false},
};

static unsigned bit_of(const uint8_t *bytes, unsigned n)
{
    return bytes[n / 8] >> n % 8 & 1;
}

static void check_transposed(rig_t *r)
{
    for (unsigned k = 0; k < sizeof transposed / sizeof *transposed; k++) {
        const test_t *t = &transposed[k];
        const isa_inst_t i = decoded(r, t);
        const unsigned bits = t->bytes, wide = bits == 6 ? 12 : 8;
        rig_fill(r);
        for (unsigned l = 0; l < 64; l++)
            r->want.v[6][l] = 16 * ((l * 29) % 64);
        rig_load(r);
        r->wave.exec = ISA_ALL_LANES;
        for (unsigned group = 0; group < 64; group += 16) {
            uint8_t matrix[16 * 12];
            for (unsigned l = 0; l < 16; l++)
                memcpy(matrix + wide * l, &r->want.lds[r->want.v[6][group + l] + (unsigned)i.imm],
                       wide);
            for (unsigned column = 0; column < 16; column++) {
                uint8_t got[12] = {0};
                for (unsigned n = 0; n < 8 * wide; n++) {
                    const unsigned row = n / bits, bit = n % bits;
                    got[n / 8] |=
                        (uint8_t)(bit_of(matrix, (16 * row + column) * bits + bit) << n % 8);
                }
                for (unsigned d = 0; d < wide / 4; d++)
                    memcpy(&r->want.v[20 + d][group + column], got + 4 * d, 4);
            }
        }
        rig_run(r, &i, t->text);
        rig_compare(r, t->text);
    }
}

static void loads_transpose(void **state)
{
    (void)state;
    on_every_core(check_transposed);
}

/* ---- atomic sums of pairs ---- */

typedef enum { F16, BF16, F32 } sum_t;

static const struct {
    test_t test;
    sum_t type;
} sums[] = {
    {{"gfx942", "flat_atomic_add_f32 v[4:5], v8", {0xdd340000, 0x00000804}, 4, 0}, F32},
    {{"gfx942", "flat_atomic_pk_add_f16 v[4:5], v8", {0xdd380000, 0x00000804}, 4, 0}, F16},
    {{"gfx942", "flat_atomic_pk_add_bf16 v20, v[4:5], v8 sc0", {0xdd490000, 0x14000804}, 4, 0},
     BF16},
    {{"gfx942", "global_atomic_pk_add_bf16 v[4:5], v8, off", {0xdd488000, 0x007f0804}, 4, 0}, BF16},
    {{"gfx950",
      "buffer_atomic_pk_add_bf16 v8, v6, s[12:15], 0 offen",
      {0xe1481000, 0x80030806},
      4,
      0},
     BF16},
    {{"gfx942", "ds_pk_add_f16 v6, v8", {0xd82e0000, 0x00000806}, 4, 0}, F16},
    {{"gfx942", "ds_pk_add_bf16 v6, v8", {0xd8300000, 0x00000806}, 4, 0}, BF16},
    {{"gfx942", "ds_pk_add_rtn_f16 v20, v6, v8", {0xd96e0000, 0x14000806}, 4, 0}, F16},
    {{"gfx942", "ds_pk_add_rtn_bf16 v20, v6, v8", {0xd9700000, 0x14000806}, 4, 0}, BF16},
};

static double bf16(uint32_t bits)
{
    const uint32_t x = bits << 16;
    float f;
    memcpy(&f, &x, 4);
    return (double)f;
}

/* The bfloat16 that is nearest to x: of the two around it, the one with an even last place if both
 * are as near. */
static uint32_t nearest_bf16(double x)
{
    const uint32_t sign = signbit(x) ? 0x8000 : 0;
    uint32_t low = 0, high = 0x7f80;
    const double size = fabs(x);
    if (isinf(x)) return sign | 0x7f80;
    while (high - low > 1) {
        const uint32_t middle = (low + high) / 2;
        if (bf16(middle) <= size)
            low = middle;
        else
            high = middle;
    }
    const double above = high == 0x7f80 ? 0x1p128 : bf16(high);
    const double down = size - bf16(low), up = above - size;
    return sign | (down < up || (down == up && low % 2 == 0) ? low : high);
}

static uint32_t sum_bf16(uint32_t m, uint32_t d)
{
    if ((m & 0x7fff) > 0x7f80) return m | 0x40;
    if ((d & 0x7fff) > 0x7f80) return d | 0x40;
    if (isinf(bf16(m)) && isinf(bf16(d)) && (m ^ d) & 0x8000) return 0x7fc0;
    return nearest_bf16(bf16(m) + bf16(d));
}

static uint32_t sum_f16(uint32_t m, uint32_t d)
{
    const uint16_t x = (uint16_t)m, y = (uint16_t)d;
    _Float16 a, b;
    uint16_t bits;
    memcpy(&a, &x, 2);
    memcpy(&b, &y, 2);
    const _Float16 r = (_Float16)((double)a + (double)b);
    memcpy(&bits, &r, 2);
    return bits;
}

static uint32_t sum(sum_t type, uint32_t m, uint32_t d)
{
    float a, b;
    if (type == BF16) return sum_bf16(m & 0xffff, d & 0xffff) | sum_bf16(m >> 16, d >> 16) << 16;
    if (type == F16) return sum_f16(m & 0xffff, d & 0xffff) | sum_f16(m >> 16, d >> 16) << 16;
    memcpy(&a, &m, 4);
    memcpy(&b, &d, 4);
    a += b;
    memcpy(&m, &a, 4);
    return m;
}

/* Of F16 and F32 numbers of about 1: what becomes of denormals is mem_flat.c's and mem_lds.c's. */
static uint32_t operand(rig_t *r, sum_t type)
{
    const uint32_t x = rig_random(r);
    static const uint16_t some[] = {0,      0x8000, 1,      0x7f,   0x80,
                                    0x7f80, 0xff80, 0x7fc0, 0x7f81, 0x7f7f};
    if (type == F32) return (x & 0x83ffffff) | 0x3c000000;
    if (type == F16) return (x & 0x83ff83ff) | 0x38003c00;
    if (x & 1) return (x & 0x81ff81ff) | 0x3f003f00;
    return x & 2 ? rig_random(r) : (uint32_t)some[x % 10] | (uint32_t)some[x / 16 % 10] << 16;
}

/* The test's sums in memory at `base`, in LDS or in a buffer, or, on memory where the GPU has no
 * such sums, nothing but zeros that are returned. */
static void check_sum(rig_t *r, const test_t *t, sum_t type, uint64_t base, bool nothing)
{
    const isa_inst_t i = decoded(r, t);
    const bool lds = i.fmt == ISA_FMT_DS;
    rig_fill(r);
    for (unsigned l = 0; l < 64; l++) {
        const uint32_t at = 4 * ((l * 29) % 48); /* some lanes share a dword */
        r->want.v[4][l] = (uint32_t)(base + at);
        r->want.v[5][l] = (uint32_t)((base + at) >> 32);
        r->want.v[6][l] = at;
        r->want.v[8][l] = operand(r, type);
        const uint32_t m = operand(r, type);
        memcpy((lds ? r->want.lds : r->want.mem) + at, &m, 4);
    }
    set_descriptor(r);
    rig_load(r);
    r->wave.exec = UINT64_C(0xffffffff7fffffff);
    for (unsigned l = 0; l < 64; l++) {
        uint8_t *p = (lds ? r->want.lds : r->want.mem) + r->want.v[6][l];
        uint32_t m;
        if (!(r->wave.exec >> l & 1)) continue;
        memcpy(&m, p, 4);
        if (i.dst.kind == ISA_OPK_VGPR) r->want.v[20][l] = nothing ? 0 : m;
        if (nothing) continue;
        m = sum(type, m, r->want.v[8][l]);
        memcpy(p, &m, 4);
    }
    rig_run(r, &i, t->text);
    rig_compare(r, t->text);
}

static void check_sums(rig_t *r)
{
    static const test_t without = {
        "gfx90a", "global_atomic_add_f32 v20, v[4:5], v8, off glc", {0xdd358000, 0x147f0804}, 4, 0};
    for (unsigned k = 0; k < sizeof sums / sizeof *sums; k++) {
        check_sum(r, &sums[k].test, sums[k].type, RIG_VA, false);
        check_sum(r, &sums[k].test, sums[k].type, RIG_FINE, false);
    }
    check_sum(r, &without, F32, RIG_VA, false);
    check_sum(r, &without, F32, RIG_FINE, true);
}

static void sums_are_rounded_once(void **state)
{
    (void)state;
    on_every_core(check_sums);
}

/* ---- caches ---- */

static void check_caches(rig_t *r)
{
    static const test_t tests[] = {
        {"gfx942", "buffer_inv sc0 sc1", {0xe0a4c000, 0}, 0, false},
        {"gfx942", "buffer_wbl2 sc1", {0xe0a08000, 0}, 0, false},
    };
    for (unsigned k = 0; k < 2; k++) {
        const isa_inst_t i = decoded(r, &tests[k]);
        rig_fill(r);
        rig_load(r);
        r->wave.exec = ISA_ALL_LANES;
        rig_run(r, &i, tests[k].text);
        rig_compare(r, tests[k].text);
    }
}

static void cache_operations_change_nothing(void **state)
{
    (void)state;
    on_every_core(check_caches);
}

int main(void)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(loads_fill_lds),        cmocka_unit_test(m0_reaches_all_of_lds),
        cmocka_unit_test(addresses_add_up),      cmocka_unit_test(loads_transpose),
        cmocka_unit_test(sums_are_rounded_once), cmocka_unit_test(cache_operations_change_nothing),
    };
    return cmocka_run_group_tests(all, NULL, NULL);
}
