/* waits.c - what each instruction waits for, on one GPU of each family. The limits are worked out
 * by hand from the fields that AMD's manuals draw. */
#include "isa/waits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Of counters for which an instruction does not wait, all that they can count may be outstanding:
 * 63, of gfx9's LDS and scalar memory 15, of EXP 7. */
static const struct {
    const char *gpu, *mnemonic;
    uint16_t immediate;
    isa_wait_limits_t limits; /* loads, stores, lds, scalar, exp, samples, rays */
} waits[] = {
    /* vmcnt [15:14][3:0], lgkmcnt [11:8], expcnt [6:4]; stores are counted with loads */
    {"gfx90a", "s_waitcnt", 0x0000, {0, 0, 0, 0, 0, 0, 0}},
    {"gfx90a", "s_waitcnt", 0x4231, {17, 17, 2, 2, 3, 17, 17}},
    {"gfx90a", "s_waitcnt", 0xcf7f, {63, 63, 15, 15, 7, 63, 63}},
    /* lgkmcnt [13:8]; stores have a counter of their own */
    {"gfx1030", "s_waitcnt", 0x4231, {17, 63, 2, 2, 3, 17, 17}},
    {"gfx1030", "s_waitcnt", 0x2170, {0, 63, 33, 33, 7, 0, 0}},
    {"gfx1030", "s_waitcnt_vmcnt", 5, {5, 63, 63, 63, 7, 63, 63}},
    {"gfx1030", "s_waitcnt_vscnt", 5, {63, 5, 63, 63, 7, 63, 63}},
    {"gfx1030", "s_waitcnt_expcnt", 2, {63, 63, 63, 63, 2, 63, 63}},
    {"gfx1030", "s_waitcnt_lgkmcnt", 9, {63, 63, 9, 9, 7, 63, 63}},
    {"gfx1030", "s_waitcnt_vmcnt", 300, {63, 63, 63, 63, 7, 63, 63}}, /* never waits */
    /* vmcnt [15:10], lgkmcnt [9:4], expcnt [2:0] */
    {"gfx1100", "s_waitcnt", 0x4231, {16, 63, 35, 35, 1, 16, 16}},
    {"gfx1100", "s_waitcnt_vmcnt", 5, {5, 63, 63, 63, 7, 63, 63}},
    {"gfx1100", "s_waitcnt_vscnt", 5, {63, 5, 63, 63, 7, 63, 63}},
    {"gfx1100", "s_waitcnt_expcnt", 2, {63, 63, 63, 63, 2, 63, 63}},
    {"gfx1100", "s_waitcnt_lgkmcnt", 9, {63, 63, 9, 9, 7, 63, 63}},
    {"gfx1201", "s_waitcnt", 0x4231, {16, 63, 35, 35, 1, 16, 16}},
    /* of two counters LDS is [5:0], the other [13:8] */
    {"gfx1201", "s_wait_loadcnt", 5, {5, 63, 63, 63, 7, 63, 63}},
    {"gfx1201", "s_wait_storecnt", 5, {63, 5, 63, 63, 7, 63, 63}},
    {"gfx1201", "s_wait_dscnt", 9, {63, 63, 9, 63, 7, 63, 63}},
    {"gfx1201", "s_wait_kmcnt", 9, {63, 63, 63, 9, 7, 63, 63}},
    {"gfx1201", "s_wait_expcnt", 2, {63, 63, 63, 63, 2, 63, 63}},
    {"gfx1201", "s_wait_loadcnt_dscnt", 0x0902, {9, 63, 2, 63, 7, 63, 63}},
    {"gfx1201", "s_wait_storecnt_dscnt", 0x0902, {63, 9, 2, 63, 7, 63, 63}},
    {"gfx1201", "s_wait_samplecnt", 5, {63, 63, 63, 63, 7, 5, 63}},
    {"gfx1201", "s_wait_bvhcnt", 5, {63, 63, 63, 63, 7, 63, 5}},
    /* all that there is, whatever an immediate would say */
    {"gfx1030", "s_wait_idle", 0, {0, 0, 0, 0, 0, 0, 0}},
    {"gfx1100", "s_wait_idle", 0, {0, 0, 0, 0, 0, 0, 0}},
    {"gfx1201", "s_wait_idle", 0, {0, 0, 0, 0, 0, 0, 0}},
};
enum { WAITS = sizeof waits / sizeof *waits };

/* The GPU's SOPP or SOPK instruction of this name, or ISA_OP_NONE. */
static unsigned named(const isa_arch_t *a, const char *mnemonic)
{
    static const isa_fmt_t formats[] = {ISA_FMT_SOPP, ISA_FMT_SOPK};
    for (unsigned f = 0; f < 2; f++)
        for (unsigned code = 0; code < ISA_OPCODES; code++) {
            const unsigned op = isa_op_by_code(a, formats[f], code);
            if (op && !strcmp(isa_table[op].mnemonic, mnemonic)) return op;
        }
    return ISA_OP_NONE;
}

static void limits_are(void **state)
{
    (void)state;
    for (unsigned k = 0; k < WAITS; k++) {
        const isa_arch_t *a = isa_arch_named(waits[k].gpu);
        const isa_wait_limits_t *want = &waits[k].limits;
        const isa_inst_t i = {.op = (uint16_t)named(a, waits[k].mnemonic),
                              .imm = waits[k].immediate};
        if (!i.op) fail_msg("%s has no %s", waits[k].gpu, waits[k].mnemonic);
        const isa_wait_limits_t got = isa_wait_limits(a, &i);
        if (memcmp(&got, want, sizeof got) != 0)
            fail_msg("%s, %s 0x%x: loads %u, stores %u, lds %u, scalar %u, exp %u, samples %u, "
                     "rays %u",
                     waits[k].gpu, waits[k].mnemonic, waits[k].immediate, got.loads, got.stores,
                     got.lds, got.scalar, got.exp, got.samples, got.rays);
    }
}

static bool waits_at_all(const isa_wait_limits_t *l)
{
    return l->loads < 63 || l->stores < 63 || l->lds < 63 || l->scalar < 63 || l->exp < 7 ||
           l->samples < 63 || l->rays < 63;
}

/* The rows have all instructions that wait. */
static void no_other_waits(void **state)
{
    unsigned seen = 0;
    (void)state;
    for (unsigned op = 1; op < ISA_OP_COUNT; op++) {
        bool listed = false;
        for (unsigned k = 0; k < WAITS; k++)
            listed |= !strcmp(waits[k].mnemonic, isa_table[op].mnemonic) &&
                      waits_at_all(&waits[k].limits);
        if (listed != isa_is_wait(op)) fail_msg("%s", isa_table[op].mnemonic);
        seen += listed;
    }
    assert_int_equal(seen, 15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(limits_are),
                                       cmocka_unit_test(no_other_waits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
