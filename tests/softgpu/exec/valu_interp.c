/* valu_interp.c - v_interp_* and lds_direct_load of gfx1100 and gfx1201, and what gfx1201 has for
 * waves: the state of the barrier, a request for registers, a load that transposes, the end of the
 * code.
 *
 * Expected values are worked out by hand, from numbers whose products and sums are exact unless a
 * case is about rounding. */
#include "words_rig.h"

enum { END_OF_CODE = 0xbf9f0000 };

static const char *const gpus[] = {"gfx1100", "gfx1201"};
static unsigned gpu;

static uint32_t f(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, 4);
    return bits;
}

static uint32_t h(float x)
{
    const _Float16 half = (_Float16)x;
    uint16_t bits;
    memcpy(&bits, &half, 2);
    return bits;
}

/* The text of an instruction that waits for no exports: LLVM says so of gfx1201 alone. */
static void interp(const char *text, uint32_t first, uint32_t second)
{
    const uint32_t words[] = {first, second};
    char all[96];
    snprintf(all, sizeof all, "%s%s", text, gpu ? " wait_exp:0" : "");
    words_do(all, words, 2);
}

static uint32_t *row(unsigned n)
{
    return rig->rows[n];
}

/* Lane l of quad q has, of a parameter, 100 * q + l % 4: so P0, P10 and P20 are 100 * q, + 1, + 2.
 */
static void put_parameters(bool halves)
{
    for (unsigned l = 0; l < 64; l++) {
        const float x = (float)(100 * (l / 4) + l % 4);
        row(1)[l] = halves ? h(1) | h(x) << 16 : f(x);
        row(2)[l] = f((float)(l % 8) - 3);
        row(3)[l] = halves ? h(-x) : f(x);
        row(4)[l] = 0xabcdabcd;
    }
}

static void expect(unsigned lane, uint32_t want)
{
    if (row(4)[lane] != want)
        fail_msg("%s: lane %u is 0x%x, not 0x%x", gpus[gpu], lane, row(4)[lane], want);
}

/* Lanes that EXEC excludes are read, and not written. */
static void try_floats(void)
{
    const uint64_t exec = UINT64_C(0x7777777788888888) & (UINT64_MAX >> (64 - rig->core->lanes));
    put_parameters(false);
    rig->wave.exec = exec;
    interp("v_interp_p10_f32 v4, v1, v2, v3", 0xcd000004, 0x040e0501);
    for (unsigned l = 0; l < rig->core->lanes; l++) {
        const float p = (float)(100 * (l / 4)), i = (float)(l % 8) - 3;
        expect(l, exec >> l & 1 ? f((p + 1) * i + p) : 0xabcdabcd);
    }
    rig->wave.exec = UINT64_MAX >> (64 - rig->core->lanes);
    interp("v_interp_p10_f32 v4, v1, -v2, v3", 0xcd000004, 0x440e0501);
    for (unsigned l = 0; l < rig->core->lanes; l++) {
        const float p = (float)(100 * (l / 4)), i = 3 - (float)(l % 8);
        expect(l, f((p + 1) * i + p));
    }
    /* the last source is each lane's own */
    interp("v_interp_p2_f32 v4, v1, v2, v3", 0xcd010004, 0x040e0501);
    for (unsigned l = 0; l < rig->core->lanes; l++) {
        const float p = (float)(100 * (l / 4)), j = (float)(l % 8) - 3;
        expect(l, f((p + 2) * j + p + (float)(l % 4)));
    }
}

/* The upper half of the first source, the lower of the last; results of 32 and of 16 bits. */
static void try_halves(void)
{
    put_parameters(true);
    interp("v_interp_p10_f16_f32 v4, v1, v2, v3 op_sel:[1,0,0,0]", 0xcd020804, 0x040e0501);
    for (unsigned l = 0; l < rig->core->lanes; l++) {
        const float p = (float)(100 * (l / 4)), i = (float)(l % 8) - 3;
        expect(l, f((p + 1) * i - p));
    }
    for (unsigned l = 0; l < 64; l++) {
        row(3)[l] = f(5);
        row(4)[l] = 0x12345678;
    }
    interp("v_interp_p2_f16_f32 v4, v1, v2, v3 op_sel:[1,0,0,1]", 0xcd034804, 0x040e0501);
    for (unsigned l = 0; l < rig->core->lanes; l++) {
        const float p = (float)(100 * (l / 4)), j = (float)(l % 8) - 3;
        expect(l, h((p + 2) * j + 5) << 16 | 0x5678);
    }
}

/* 1 + 2^-24 + 2^-26 is above the middle between 1 and the next f32, and 1 + 2^-11 + 2^-20 above that
 * between 1 and the next f16: the plain instructions round them up, those with RTZ down. */
static void try_rounding(void)
{
    const uint32_t mode = rig->wave.mode;
    for (unsigned l = 0; l < 64; l++) {
        row(1)[l] = h(1);
        row(2)[l] = f(0x1p-24f + 0x1p-26f);
        row(3)[l] = h(1);
    }
    rig->wave.mode = (mode & ~15u) | 5; /* all results up */
    interp("v_interp_p10_f16_f32 v4, v1, v2, v3", 0xcd020004, 0x040e0501);
    expect(0, f(1) + 1);
    interp("v_interp_p10_rtz_f16_f32 v4, v1, v2, v3", 0xcd040004, 0x040e0501);
    expect(0, f(1));
    assert_int_equal(rig->wave.mode, (mode & ~15u) | 5);
    rig->wave.mode = mode;
    for (unsigned l = 0; l < 64; l++) {
        row(2)[l] = f(0x1p-11f + 0x1p-20f);
        row(3)[l] = f(1);
        row(4)[l] = 0;
    }
    interp("v_interp_p2_f16_f32 v4, v1, v2, v3", 0xcd030004, 0x040e0501);
    expect(0, h(1) + 1);
    interp("v_interp_p2_rtz_f16_f32 v4, v1, v2, v3", 0xcd050004, 0x040e0501);
    expect(0, h(1));
}

/* M0 has the address and the type: 4 a signed byte, 2 a dword. Whole quads get the value. */
static void try_direct(void)
{
    static const uint32_t word = 0xce100004;
    const char *text =
        gpu ? "ds_direct_load v4 wait_va_vdst:0 wait_vm_vsrc:0" : "lds_direct_load v4";
    memcpy(rig->lds + 64, &(uint32_t){0x81828384}, 4);
    for (unsigned l = 0; l < 64; l++)
        row(4)[l] = 7;
    rig->wave.exec = 1 << 2 | 1 << 12;
    rig->wave.m0 = 4 << 16 | 65;
    words_do(text, &word, 1);
    for (unsigned l = 0; l < rig->core->lanes; l++)
        expect(l, l / 4 == 0 || l / 4 == 3 ? 0xffffff83 : 7);
    rig->wave.m0 = 2 << 16 | 64;
    words_do(text, &word, 1);
    expect(0, 0x81828384);
    rig->wave.exec = UINT64_MAX >> (64 - rig->core->lanes);
}

static void try_end(void)
{
    static const uint32_t word = END_OF_CODE;
    words_load("s_code_end", &word, 1);
    assert_true(rig->core->set_pc(&rig->wave, WORDS_CODE));
    assert_int_equal(rig->core->run(&rig->wave, 100), ISA_STOP_ILLEGAL);
    assert_int_equal(rig->wave.fault_addr, WORDS_CODE);
    rig->wave.stop = ISA_RUN;
}

/* ---- gfx1201 ---- */

/* Five waves, of which one has ended and two have signalled: 4 members in bits 4 to 10, 2 in bits
 * 16 to 22. A single wave has no barrier. */
static void try_barrier(void)
{
    static const uint32_t state = 0xbe8350c1, none = 0xbe8350c2;
    rig->wave.sgpr[3] = 7;
    words_do("s_get_barrier_state s3, -1", &state, 1);
    assert_int_equal(rig->wave.sgpr[3], 0);
    rig->group.n_waves = 5;
    rig->group.barrier.signalled = 1 << 1 | 1 << 3 | 1 << 4;
    rig->group.barrier.ended = 1 << 4; /* after it had signalled, so it counts no longer */
    words_do("s_get_barrier_state s3, -1", &state, 1);
    assert_int_equal(rig->wave.sgpr[3], 0x00020041);
    words_load("s_get_barrier_state s3, -2", &none, 1);
    assert_true(rig->core->set_pc(&rig->wave, WORDS_CODE));
    assert_int_equal(rig->core->run(&rig->wave, 100), ISA_STOP_UNSUPPORTED);
    rig->wave.stop = ISA_RUN;
    rig->group.n_waves = 1;
    rig->group.barrier.signalled = rig->group.barrier.ended = 0;
}

/* Without the mode for it, a request for registers is ignored. */
static void try_registers(void)
{
    static const uint32_t word = 0xbe8053c0;
    for (unsigned scc = 0; scc < 2; scc++) {
        rig->wave.scc = scc;
        words_do("s_alloc_vgpr 64", &word, 1);
        assert_int_equal(rig->wave.scc, scc);
    }
}

/* Lane l reads the halves 8 * l to 8 * l + 7 of memory, each of which holds its number. It gets
 * half l % 8 of what each of the eight lanes has read: as measured of a gfx1201. */
static void try_transpose(void)
{
    static const uint32_t words[] = {0xee15c07c, 0x00000004, 0x00000000};
    static const uint32_t based[] = {0xee15c002, 0x00000004, 0x00004000};
    for (unsigned k = 0; k < 1024; k++)
        memcpy(rig->data + 2 * k, &(uint16_t){(uint16_t)k}, 2);
    for (unsigned l = 0; l < 64; l++) {
        row(0)[l] = (uint32_t)WORDS_DATA + 16 * l;
        row(1)[l] = (uint32_t)(WORDS_DATA >> 32);
    }
    if (rig->core->lanes == 64) {
        words_load("global_load_tr_b128 v[4:7], v[0:1], off", words, 3);
        assert_true(rig->core->set_pc(&rig->wave, WORDS_CODE));
        assert_int_equal(rig->core->run(&rig->wave, 100), ISA_STOP_UNSUPPORTED);
        rig->wave.stop = ISA_RUN;
        return;
    }
    words_do("global_load_tr_b128 v[4:7], v[0:1], off", words, 3);
    for (unsigned based_too = 0; based_too < 2; based_too++) {
        for (unsigned l = 0; l < 32; l++)
            for (unsigned j = 0; j < 8; j++) {
                const uint32_t got = row(4 + j / 2)[l] >> 16 * (j % 2) & 0xffff;
                assert_int_equal(got, 8 * (l / 8 * 8 + j) + l % 8 + 32 * based_too);
            }
        for (unsigned l = 0; l < 64; l++)
            row(0)[l] = 16 * l;
        rig->wave.sgpr[2] = (uint32_t)WORDS_DATA;
        rig->wave.sgpr[3] = (uint32_t)(WORDS_DATA >> 32);
        words_do("global_load_tr_b128 v[4:7], v0, s[2:3] offset:64", based, 3);
    }
    rig->wave.exec = 0x7fffffff;
    words_load("global_load_tr_b128 v[4:7], v[0:1], off", words, 3);
    assert_true(rig->core->set_pc(&rig->wave, WORDS_CODE));
    assert_int_equal(rig->core->run(&rig->wave, 100), ISA_STOP_UNSUPPORTED);
    rig->wave.stop = ISA_RUN;
    rig->wave.exec = UINT32_MAX;
}

/* Lane l reads bytes 8 * l to 8 * l + 7 of memory, each of which holds its number. By hand: lane 0
 * gets the first byte of lanes 0 to 3 and 8 to 11, lane 9 the second one of lanes 4 to 7 and 12 to
 * 15, and lane 31 the last one of lanes 20 to 23 and 28 to 31: as measured of a gfx1201. */
static void try_transposed_bytes(void)
{
    static const uint32_t words[] = {0xee16007c, 0x00000004, 0x00000000};
    static const struct {
        unsigned lane;
        uint32_t low, high;
    } by_hand[] = {{0, 0x18100800, 0x58504840},
                   {9, 0x39312921, 0x79716961},
                   {31, 0xbfb7afa7, 0xfff7efe7}};
    if (rig->core->lanes == 64) return;
    for (unsigned k = 0; k < 256; k++)
        rig->data[k] = (uint8_t)k;
    for (unsigned l = 0; l < 32; l++) {
        row(0)[l] = (uint32_t)WORDS_DATA + 8 * l;
        row(1)[l] = (uint32_t)(WORDS_DATA >> 32);
    }
    words_do("global_load_tr_b64 v[4:5], v[0:1], off", words, 3);
    for (unsigned k = 0; k < sizeof by_hand / sizeof *by_hand; k++) {
        assert_int_equal(row(4)[by_hand[k].lane], by_hand[k].low);
        assert_int_equal(row(5)[by_hand[k].lane], by_hand[k].high);
    }
}

static void try_all(void)
{
    try_floats();
    try_halves();
    try_rounding();
    try_direct();
    try_end();
    if (!gpu) return;
    try_barrier();
    try_registers();
    try_transpose();
    try_transposed_bytes();
}

static void parameters_and_waves(void **state)
{
    (void)state;
    for (gpu = 0; gpu < 2; gpu++)
        words_every_core(gpus[gpu], try_all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(parameters_and_waves)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
