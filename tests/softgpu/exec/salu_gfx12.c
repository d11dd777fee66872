/* salu_gfx12.c - scalar instructions that gfx1201 has and no GPU before, its barrier, at which
 * waves signal and wait apart, and memory instructions with its offsets and atomic operations.
 *
 * Expected values are worked out by hand. */
#include "words_rig.h"

enum { SIGNAL = 0xbe804ec1, WAIT = 0xbf94ffff, END = 0xbfb00000, FIRST = 0xbe804fc1 };

/* ---- scalar instructions ---- */

static void set64(unsigned reg, uint64_t x)
{
    rig->wave.sgpr[reg] = (uint32_t)x;
    rig->wave.sgpr[reg + 1] = (uint32_t)(x >> 32);
}

static uint64_t get64(unsigned reg)
{
    return rig->wave.sgpr[reg] | (uint64_t)rig->wave.sgpr[reg + 1] << 32;
}

static void sums_of_64_bits(void)
{
    static const struct {
        const char *text;
        uint32_t word;
        uint64_t a, b, d;
    } rows[] = {
        {"s_add_nc_u64 s[8:9], s[2:3], s[4:5]", 0xa9880402, 0xffffffff, 1, UINT64_C(0x100000000)},
        {"s_sub_nc_u64 s[8:9], s[2:3], s[4:5]", 0xaa080402, 0, 1, UINT64_MAX},
        {"s_mul_u64 s[8:9], s[2:3], s[4:5]", 0xaa880402, UINT64_C(0x123456789), 0x10001,
         UINT64_C(0x123468ace6789)},
    };
    for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++) {
        set64(2, rows[k].a);
        set64(4, rows[k].b);
        rig->wave.scc = 1;
        words_do(rows[k].text, &rows[k].word, 1);
        if (get64(8) != rows[k].d)
            fail_msg("%s is %llx", rows[k].text, (unsigned long long)get64(8));
        assert_int_equal(rig->wave.scc, 1);
    }
}

static void floats(void)
{
    static const struct {
        const char *text;
        uint32_t word, a, b, d;
    } rows[] = {
        {"s_minimum_f32 s8, s2, s3", 0xa7880302, 0x3f800000, 0x7f812345, 0x7fc12345},
        {"s_maximum_f32 s8, s2, s3", 0xa8080302, 0x80000000, 0, 0},
        {"s_minimum_f16 s8, s2, s3", 0xa8880302, 0xffff3c00, 0xc000, 0xc000},
        {"s_maximum_f16 s8, s2, s3", 0xa9080302, 0x7c01, 0xc000, 0x7e01},
        {"s_min_num_f32 s8, s2, s3", 0xa1080302, 0x3f800000, 0x7f812345, 0x3f800000},
    };
    for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++) {
        rig->wave.sgpr[2] = rows[k].a;
        rig->wave.sgpr[3] = rows[k].b;
        words_do(rows[k].text, &rows[k].word, 1);
        if (rig->wave.sgpr[8] != rows[k].d) fail_msg("%s is %x", rows[k].text, rig->wave.sgpr[8]);
    }
}

/* MODE has no bit for DX10_CLAMP, which counts as set, and none for IEEE. */
static void registers(void)
{
    const uint32_t mode = 0xb888f801, state = 0xb8880244, set[2] = {0xb980f801, 0x3ff};
    rig->wave.mode = 0x1f0;
    words_do("s_getreg_b32 s8, hwreg(HW_REG_WAVE_MODE)", &mode, 1);
    assert_int_equal(rig->wave.sgpr[8], 0xf0);
    words_do("s_setreg_imm32_b32 hwreg(HW_REG_WAVE_MODE), 0x3ff", set, 2);
    assert_int_equal(rig->wave.mode, 0x1ff);
    rig->wave.mode = 0xf0;
    rig->wave.scc = 1;
    words_do("s_getreg_b32 s8, hwreg(HW_REG_WAVE_STATE_PRIV, 9, 1)", &state, 1);
    assert_int_equal(rig->wave.sgpr[8], 1);
}

/* ---- memory ---- */

static void put(unsigned at, uint32_t x)
{
    memcpy(rig->data + at, &x, sizeof x);
}

static uint32_t data(unsigned at)
{
    uint32_t x;
    memcpy(&x, rig->data + at, sizeof x);
    return x;
}

static void scalar_loads(void)
{
    static const struct {
        const char *text;
        uint32_t words[2];
        uint32_t d;
    } rows[] = {
        {"s_load_u8 s8, s[2:3], 0x3", {0xf4012201, 0xf8000003}, 0x84},
        {"s_load_i8 s8, s[2:3], 0x3", {0xf4010201, 0xf8000003}, 0xffffff84},
        {"s_load_u16 s8, s[2:3], 0x1", {0xf4016201, 0xf8000001}, 0x8382},
        {"s_load_i16 s8, s[2:3], s4 offset:-0x1", {0xf4014201, 0x08ffffff}, 0xffff8382},
        {"s_load_b32 s8, s[2:3], 0x0", {0xf4000201, 0xf8000000}, 0x84838281},
        {"s_buffer_load_u8 s8, s[12:15], 0x2", {0xf4032206, 0xf8000002}, 0x83},
        {"s_buffer_load_u16 s8, s[12:15], 0x7", {0xf4036206, 0xf8000007}, 0}, /* half outside */
    };
    put(0, 0x84838281);
    put(4, 0x88878685);
    put(8, 0x8c8b8a89);
    for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++) {
        set64(2, WORDS_DATA);
        rig->wave.sgpr[4] = 2;
        set64(12, WORDS_DATA);
        set64(14, 8); /* bytes */
        words_do(rows[k].text, rows[k].words, 2);
        if (rig->wave.sgpr[8] != rows[k].d) fail_msg("%s is %x", rows[k].text, rig->wave.sgpr[8]);
    }
}

/* Three dwords at each distance from a multiple of 12, of which one is aligned to three dwords, in
 * memory that the wave remembers. */
static void loads_of_three(void)
{
    static const uint32_t one[2] = {0xf4000201, 0xf8000000};
    static const struct {
        const char *text;
        uint32_t words[2];
    } rows[] = {
        {"s_load_b96 s[8:10], s[2:3], 0x0", {0xf400a201, 0xf8000000}},
        {"s_load_b96 s[8:10], s[2:3], 0x4", {0xf400a201, 0xf8000004}},
        {"s_load_b96 s[8:10], s[2:3], 0x8", {0xf400a201, 0xf8000008}},
    };
    for (unsigned k = 0; k < 5; k++)
        put(4 * k, 0x84838281 + 0x4040404 * k);
    set64(2, WORDS_DATA);
    words_do("s_load_b32 s8, s[2:3], 0x0", one, 2);
    for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++) {
        for (unsigned n = 0; n < 4; n++)
            rig->wave.sgpr[8 + n] = 7;
        words_do(rows[k].text, rows[k].words, 2);
        for (unsigned n = 0; n < 4; n++)
            if (rig->wave.sgpr[8 + n] != (n < 3 ? data(4 * (k + n)) : 7))
                fail_msg("%s: s%u is %x", rows[k].text, 8 + n, rig->wave.sgpr[8 + n]);
    }
}

static void lane_address(unsigned lane, unsigned at)
{
    const uint64_t va = WORDS_DATA + at;
    rig->rows[4][lane] = (uint32_t)va;
    rig->rows[5][lane] = (uint32_t)(va >> 32);
}

/* Offsets of 24 bits, negative ones of flat instructions, too. */
static void offsets(void)
{
    static const struct {
        const char *text;
        uint32_t words[3];
        unsigned at;
    } rows[] = {
        {"global_load_b32 v16, v[4:5], off offset:-8", {0xee05007c, 0x00000010, 0xfffff804}, 108},
        {"flat_load_b32 v16, v[4:5] offset:-8", {0xec05007c, 0x00000010, 0xfffff804}, 108},
        {"global_load_b32 v16, v6, s[2:3] offset:8388607 scope:SCOPE_SYS",
         {0xee050002, 0x000c0010, 0x7fffff06},
         92},
    };
    rig->wave.exec = 1;
    put(100, 0x11223344);
    for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++) {
        lane_address(0, rows[k].at);
        set64(2, WORDS_DATA - 8388607);
        rig->rows[6][0] = 100;
        rig->rows[16][0] = 0;
        words_do(rows[k].text, rows[k].words, 3);
        if (rig->rows[16][0] != 0x11223344) fail_msg("%s is %x", rows[k].text, rig->rows[16][0]);
    }
}

/* What is in memory and what comes back, from 10 with the operand 3 or 12. */
static void atomics(void)
{
    static const struct {
        const char *text;
        uint32_t words[3];
        uint32_t with, memory, old;
    } rows[] = {
        {"global_atomic_sub_clamp_u32 v16, v[4:5], v8, off th:TH_ATOMIC_RETURN",
         {0xee0dc07c, 0x04100010, 4},
         3,
         7,
         10},
        {"global_atomic_sub_clamp_u32 v[4:5], v8, off", {0xee0dc07c, 0x04000010, 4}, 12, 0, 99},
        {"flat_atomic_cond_sub_u32 v16, v[4:5], v8 th:TH_ATOMIC_RETURN",
         {0xec14007c, 0x04100010, 4},
         3,
         7,
         10},
        {"flat_atomic_cond_sub_u32 v[4:5], v8 scope:SCOPE_DEV",
         {0xec14007c, 0x04080010, 4},
         12,
         10,
         99},
        {"global_atomic_add_u32 v16, v[4:5], v8, off th:TH_ATOMIC_NT_RETURN scope:SCOPE_SYS",
         {0xee0d407c, 0x043c0010, 4},
         3,
         13,
         10},
        {"global_atomic_add_u32 v[4:5], v8, off th:TH_ATOMIC_NT",
         {0xee0d407c, 0x04200010, 4},
         3,
         13,
         99},
    };
    rig->wave.exec = 1;
    for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++) {
        lane_address(0, 200);
        put(200, 10);
        rig->rows[8][0] = rows[k].with;
        rig->rows[16][0] = 99;
        words_do(rows[k].text, rows[k].words, 3);
        if (data(200) != rows[k].memory || rig->rows[16][0] != rows[k].old)
            fail_msg("%s: %u and %u", rows[k].text, data(200), rig->rows[16][0]);
    }
    static const uint32_t lds[2] = {0xda600000, 0x00000804};
    const uint32_t ten = 10;
    memcpy(rig->lds + 8, &ten, 4);
    rig->rows[4][0] = 8;
    rig->rows[8][0] = 3;
    words_do("ds_cond_sub_u32 v4, v8", lds, 2);
    assert_int_equal(rig->lds[8], 7);
}

/* Lanes that are not active are sources, too. */
static void permutes_all_lanes(void)
{
    static const uint32_t words[2] = {0xdb340000, 0x10000804};
    rig->wave.exec = 1;
    rig->rows[4][0] = 4 * 3;
    rig->rows[8][3] = 77;
    words_do("ds_bpermute_fi_b32 v16, v4, v8", words, 2);
    assert_int_equal(rig->rows[16][0], 77);
}

static void all(void)
{
    sums_of_64_bits();
    floats();
    registers();
    scalar_loads();
    loads_of_three();
    offsets();
    atomics();
    permutes_all_lanes();
}

static void results_are_right(void **state)
{
    (void)state;
    words_every_core("gfx1201", all);
}

/* ---- barriers ---- */

static void load(const uint32_t *words, unsigned n)
{
    memcpy(rig->code, words, 4 * (size_t)n);
    isa_code_invalidate(rig->cache);
}

static void start(isa_wave_t *waves, unsigned n)
{
    rig->group.n_waves = n;
    memset(&rig->group.barrier, 0, sizeof rig->group.barrier);
    for (unsigned k = 0; k < n; k++) {
        waves[k] = rig->wave;
        waves[k].index_in_group = k;
        waves[k].scc = 0;
        assert_true(rig->core->set_pc(&waves[k], WORDS_CODE));
    }
}

static isa_stop_t go(isa_wave_t *w)
{
    return rig->core->run(w, 100);
}

static void waits_for_signals(void)
{
    static const uint32_t twice[] = {SIGNAL, WAIT, SIGNAL, WAIT, END};
    isa_wave_t w[3];
    load(twice, 5);
    start(w, 3);
    assert_int_equal(go(&w[0]), ISA_STOP_STEP);
    assert_int_equal(go(&w[0]), ISA_STOP_STEP);
    assert_int_equal(go(&w[1]), ISA_STOP_STEP);
    assert_int_equal(go(&w[2]), ISA_STOP_STEP); /* passes the first, and waits at the second */
    assert_int_equal(go(&w[0]), ISA_STOP_STEP);
    assert_int_equal(go(&w[1]), ISA_STOP_END); /* the last to come there */
    assert_int_equal(go(&w[0]), ISA_STOP_END);
    assert_int_equal(go(&w[2]), ISA_STOP_END);
}

/* A wave that has ended is not waited for. */
static void ends_count(void)
{
    static const uint32_t code[] = {SIGNAL, WAIT, END, END};
    isa_wave_t w[2];
    load(code, 4);
    start(w, 2);
    assert_int_equal(go(&w[0]), ISA_STOP_STEP);
    assert_true(rig->core->set_pc(&w[1], WORDS_CODE + 12));
    assert_int_equal(go(&w[1]), ISA_STOP_END);
    assert_int_equal(go(&w[0]), ISA_STOP_END);
}

static void first_is_told(void)
{
    static const uint32_t code[] = {FIRST, WAIT, END};
    isa_wave_t w[2];
    load(code, 3);
    start(w, 2);
    assert_int_equal(go(&w[0]), ISA_STOP_STEP);
    assert_int_equal(go(&w[1]), ISA_STOP_END);
    assert_int_equal(w[0].scc, 1);
    assert_int_equal(w[1].scc, 0);
}

/* A barrier with a number, and that of trap handlers. */
static void others_are_refused(void)
{
    static const uint32_t code[][2] = {
        {0xbe804e81, END}, {0xbe804ec2, END}, {0xbf940001, END}, {0xbe805281, END}};
    for (unsigned k = 0; k < sizeof code / sizeof *code; k++) {
        isa_wave_t w[1];
        load(code[k], 2);
        start(w, 1);
        assert_int_equal(go(&w[0]), ISA_STOP_UNSUPPORTED);
    }
}

static void all_barriers(void)
{
    waits_for_signals();
    ends_count();
    first_is_told();
    others_are_refused();
}

static void barriers(void **state)
{
    (void)state;
    words_every_core("gfx1201", all_barriers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_right),
        cmocka_unit_test(barriers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
