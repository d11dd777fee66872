/* smem.c - scalar memory: addresses, range checks, tuples, atomics, faults.
 *
 * Data lie at known places of two adjacent pages; expected values come from arrays in the test. */
#include "code_rig.h"

static uint32_t *words_of(rig_t *r)
{
    return (uint32_t *)(void *)r->data;
}

static rig_t *rig_with_data(void)
{
    rig_t *r = rig_create();
    for (unsigned k = 0; k < RIG_DATA_BYTES / 4; k++)
        words_of(r)[k] = 0xda7a0000 + k;
    rig_set_s64(r, 0, RIG_DATA);
    return r;
}

static void expect_words(const rig_t *r, unsigned reg, unsigned n, unsigned first)
{
    for (unsigned k = 0; k < n; k++)
        if (r->wave.sgpr[reg + k] != 0xda7a0000 + first + k)
            fail_msg("s%u is 0x%x, expected word %u", reg + k, r->wave.sgpr[reg + k], first + k);
}

static void loads(void **state)
{
    (void)state;
    rig_t *r = rig_with_data();
    r->wave.sgpr[2] = 0x40;
    r->wave.sgpr[3] = 0x43; /* low bits are dropped */
    assert_int_equal(rig_run(r, "s_load_dword s4, s[0:1], 0x10\n"
                                "s_load_dwordx2 s[6:7], s[0:1], s2\n"
                                "s_load_dwordx4 s[8:11], s[0:1], s2 offset:0x8\n"
                                "s_load_dwordx8 s[16:23], s[0:1], 0xff4\n" /* over the page end */
                                "s_load_dwordx16 s[32:47], s[0:1], s3\n"
                                "s_scratch_load_dword s5, s[0:1], s2\n" /* 64-byte units */
                                "s_scratch_load_dwordx2 s[12:13], s[0:1], 0x20\n"
                                "s_add_u32 s50, s0, 0x100\n"
                                "s_mov_b32 s51, s1\n"
                                "s_load_dword s14, s[50:51], -0x4\n"
                                "s_load_dwordx2 s[0:1], s[0:1], 0x0\n"
                                "s_endpgm\n"),
                     ISA_STOP_END);
    expect_words(r, 4, 1, 4);
    expect_words(r, 6, 2, 16);
    expect_words(r, 8, 4, 18);
    expect_words(r, 16, 8, 0xff4 / 4);
    expect_words(r, 32, 16, 16);
    expect_words(r, 5, 1, 0x40 * 64 / 4);
    expect_words(r, 12, 2, 8);
    expect_words(r, 14, 1, 63);
    expect_words(r, 0, 2, 0);
    rig_destroy(r);
}

/* The last two bits of each part of an address are dropped before the sum, of a buffer's offset
 * after it. Offsets are signed, registers are not. */
static void parts_of_addresses_are_dwords(void **state)
{
    (void)state;
    rig_t *r = rig_with_data();
    rig_set_s64(r, 0, RIG_DATA + 3);
    r->wave.sgpr[2] = 0x43;
    rig_set_s64(r, 60, RIG_DATA - 0x80000000); /* a register of 2 GiB is not a negative one */
    r->wave.sgpr[62] = 0x80000010;
    rig_set_s64(r, 4, RIG_DATA + 2);
    r->wave.sgpr[6] = 0x100;
    r->wave.sgpr[7] = 0;
    r->wave.sgpr[3] = 0x12;
    assert_int_equal(rig_run(r, "s_load_dword s20, s[0:1], s2 offset:0x3\n"
                                "s_load_dword s21, s[0:1], s2 offset:-0x1e\n"
                                "s_load_dword s22, s[60:61], s62\n"
                                "s_load_dword s23, s[60:61], s62 offset:-0x8\n"
                                "s_store_dword s2, s[0:1], 0x7\n"
                                "s_buffer_load_dword s24, s[4:7], s3 offset:0x2\n"
                                "s_buffer_load_dword s25, s[4:7], s3\n"
                                "s_endpgm\n"),
                     ISA_STOP_END);
    expect_words(r, 20, 1, 16);
    expect_words(r, 21, 1, 16 - 8);
    expect_words(r, 22, 1, 4);
    expect_words(r, 23, 1, 2);
    assert_int_equal(words_of(r)[1], 0x43);
    expect_words(r, 24, 1, 5);
    expect_words(r, 25, 1, 4);
    rig_destroy(r);
}

/* V#: 40 bytes from offset 0x100 of the data. Dwords out of range are 0. */
static void buffers(void **state)
{
    (void)state;
    rig_t *r = rig_with_data();
    rig_set_s64(r, 4, RIG_DATA + 0x100);
    r->wave.sgpr[6] = 42; /* ten dwords and a half */
    r->wave.sgpr[7] = 0;
    rig_set_s64(r, 8, RIG_DATA + 0x100);
    r->wave.sgpr[9] |= 8 << 16; /* stride 8, five records */
    r->wave.sgpr[10] = 5;
    r->wave.sgpr[2] = 0x20;
    assert_int_equal(rig_run(r, "s_buffer_load_dword s20, s[4:7], 0x24\n"
                                "s_buffer_load_dword s21, s[4:7], 0x28\n"
                                "s_buffer_load_dwordx4 s[24:27], s[4:7], s2\n"
                                "s_buffer_load_dwordx4 s[28:31], s[8:11], s2 offset:0x4\n"
                                "s_buffer_load_dwordx16 s[36:51], s[8:11], 0x0\n"
                                "s_buffer_store_dword s2, s[4:7], 0x28\n"
                                "s_buffer_store_dwordx2 s[20:21], s[4:7], 0x4\n"
                                "s_buffer_atomic_add s2, s[4:7], 0x28 glc\n"
                                "s_endpgm\n"),
                     ISA_STOP_END);
    expect_words(r, 20, 1, 64 + 9);
    assert_int_equal(r->wave.sgpr[21], 0);
    expect_words(r, 24, 2, 64 + 8);
    assert_int_equal(rig_s64(r, 26), 0);
    expect_words(r, 28, 1, 64 + 9);
    assert_int_equal(r->wave.sgpr[29], 0);
    expect_words(r, 36, 10, 64);
    assert_int_equal(rig_s64(r, 46), 0);
    assert_int_equal(words_of(r)[64 + 10], 0xda7a0000 + 64 + 10);
    assert_int_equal(words_of(r)[64 + 1], 0xda7a0000 + 64 + 9);
    assert_int_equal(words_of(r)[64 + 2], 0);
    assert_int_equal(r->wave.sgpr[2], 0); /* an atomic out of range returns 0 */
    rig_destroy(r);
}

static void stores(void **state)
{
    (void)state;
    rig_t *r = rig_with_data();
    for (unsigned k = 20; k < 32; k++)
        r->wave.sgpr[k] = k;
    assert_int_equal(rig_run(r, "s_store_dword s20, s[0:1], 0x8\n"
                                "s_store_dwordx2 s[22:23], s[0:1], 0x10\n"
                                "s_store_dwordx4 s[24:27], s[0:1], 0xff8\n"
                                "s_movk_i32 s2, 1\n"
                                "s_scratch_store_dword s28, s[0:1], s2\n"
                                "s_dcache_wb\n"
                                "s_endpgm\n"),
                     ISA_STOP_END);
    assert_int_equal(words_of(r)[2], 20);
    assert_int_equal(words_of(r)[4], 22);
    assert_int_equal(words_of(r)[5], 23);
    for (unsigned k = 0; k < 4; k++)
        assert_int_equal(words_of(r)[0xff8 / 4 + k], 24 + k);
    assert_int_equal(words_of(r)[16], 28);
    rig_destroy(r);
}

static void atomics(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint64_t old, data, new; /* 32-bit rows */
        uint64_t new64;
    } rows[] = {
        {"swap", 5, 9, 9, 9},
        {"add", 0xffffffff, 2, 1, UINT64_C(0x100000001)},
        {"sub", 1, 2, 0xffffffff, UINT64_MAX},
        {"smin", 0xffffffff, 2, 0xffffffff, 2},
        {"umin", 0xffffffff, 2, 2, 2},
        {"smax", 0xffffffff, 2, 2, 0xffffffff},
        {"umax", 0xffffffff, 2, 0xffffffff, 0xffffffff},
        {"and", 0xc, 0xa, 8, 8},
        {"or", 0xc, 0xa, 0xe, 0xe},
        {"xor", 0xc, 0xa, 6, 6},
        {"inc", 7, 7, 0, 0},
        {"inc", 6, 7, 7, 7},
        {"dec", 0, 7, 7, 7},
        {"dec", 9, 7, 7, 7},
        {"dec", 5, 7, 4, 4},
    };
    rig_t *r = rig_with_data();
    for (unsigned k = 0; k < sizeof(rows) / sizeof(*rows); k++) {
        char text[512];
        snprintf(text, sizeof(text),
                 "s_atomic_%s s4, s[0:1], 0x10 glc\ns_atomic_%s_x2 s[6:7], s[0:1], 0x20 glc\n"
                 "s_atomic_%s s8, s[0:1], 0x30\ns_endpgm\n",
                 rows[k].name, rows[k].name, rows[k].name);
        memset(r->data, 0, 64);
        words_of(r)[4] = words_of(r)[8] = words_of(r)[12] = (uint32_t)rows[k].old;
        r->wave.sgpr[4] = r->wave.sgpr[6] = r->wave.sgpr[8] = (uint32_t)rows[k].data;
        r->wave.sgpr[7] = 0;
        assert_int_equal(rig_run(r, text), ISA_STOP_END);
        assert_int_equal(words_of(r)[4], rows[k].new);
        assert_int_equal(words_of(r)[8] | (uint64_t)words_of(r)[9] << 32, rows[k].new64);
        assert_int_equal(words_of(r)[12], rows[k].new);
        assert_int_equal(r->wave.sgpr[4], rows[k].old);
        assert_int_equal(rig_s64(r, 6), rows[k].old);
        assert_int_equal(r->wave.sgpr[8], rows[k].data);
    }
    /* compare-and-swap: {new value, comparand} */
    words_of(r)[4] = 100;
    words_of(r)[6] = 200;
    words_of(r)[7] = 0;
    r->wave.sgpr[4] = 1, r->wave.sgpr[5] = 100;
    rig_set_s64(r, 8, 2), rig_set_s64(r, 10, 200);
    assert_int_equal(rig_run(r, "s_atomic_cmpswap s[4:5], s[0:1], 0x10 glc\n"
                                "s_atomic_cmpswap_x2 s[8:11], s[0:1], 0x18 glc\n"
                                "s_movk_i32 s12, 3\n"
                                "s_movk_i32 s13, 100\n"
                                "s_atomic_cmpswap s[12:13], s[0:1], 0x10 glc\n" /* fails */
                                "s_endpgm\n"),
                     ISA_STOP_END);
    assert_int_equal(words_of(r)[4], 1);
    assert_int_equal(words_of(r)[6], 2);
    assert_int_equal(r->wave.sgpr[4], 100);
    assert_int_equal(r->wave.sgpr[5], 100);
    assert_int_equal(rig_s64(r, 8), 200);
    assert_int_equal(r->wave.sgpr[12], 1);
    rig_destroy(r);
}

static void faults(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t address;
        uint32_t flags;
    } rows[] = {
        {"s_load_dwordx4 s[4:7], s[0:1], 0x1ff8\n", RIG_DATA + 0x2000, ISA_FAULT_READ},
        {"s_load_dword s4, s[2:3], 0x0\n", 0x4000, ISA_FAULT_READ},
        {"s_store_dword s4, s[2:3], 0x4\n", 0x4004, ISA_FAULT_WRITE},
        {"s_atomic_add_x2 s[4:5], s[0:1], 0x4\n", RIG_DATA + 4, ISA_FAULT_WRITE},
    };
    rig_t *r = rig_with_data();
    rig_set_s64(r, 2, 0x4000);
    for (unsigned k = 0; k < sizeof(rows) / sizeof(*rows); k++) {
        for (unsigned reg = 4; reg < 8; reg++)
            r->wave.sgpr[reg] = reg;
        assert_int_equal(rig_run(r, rows[k].text), ISA_STOP_MEMORY);
        assert_int_equal(r->wave.fault_addr, rows[k].address);
        assert_true(r->wave.fault_flags & rows[k].flags);
        for (unsigned reg = 4; reg < 8; reg++)
            assert_int_equal(r->wave.sgpr[reg], reg);
    }
    rig_destroy(r);
}

static void clocks(void **state)
{
    (void)state;
    rig_t *r = rig_create();
    assert_int_equal(rig_run(r, "s_memrealtime s[0:1]\ns_memtime s[2:3]\ns_memrealtime s[4:5]\n"
                                "s_endpgm\n"),
                     ISA_STOP_END);
    /* nanoseconds, clocks of an engine of 1,700 MHz, nanoseconds */
    assert_true(rig_s64(r, 0) * 17 / 10 <= rig_s64(r, 2));
    assert_true(rig_s64(r, 2) <= rig_s64(r, 4) * 17 / 10);
    assert_true(rig_s64(r, 4) - rig_s64(r, 0) < 1000000000u);
    assert_true(rig_s64(r, 0) > 0);
    rig_destroy(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads),   cmocka_unit_test(parts_of_addresses_are_dwords),
        cmocka_unit_test(buffers), cmocka_unit_test(stores),
        cmocka_unit_test(atomics), cmocka_unit_test(faults),
        cmocka_unit_test(clocks),
    };
    if (!asm_available()) return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
