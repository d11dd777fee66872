/* table_test.c - every counter of share/counters is counted, or 0 for the reason that stands there.
 */
#include "softgpu/perf/internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

typedef enum { EXACT, CACHE, TIMING, NONE } class_t;

/* The counters of all GPUs, one GPU's after the other's. */
static const struct {
    unsigned arch;
    sg_block_t block;
    const char *name;
    uint32_t event;
    class_t klass;
    const char *how;
} rows[] = {
#define SG_TABLE(gpu)
#define SG_TABLE_END
#define SG_COUNTER(gpu, block, name, event, klass, how)                                            \
    {ISA_ARCH_##gpu, SG_BLOCK_##block, #name, event, klass, how},
#include "softgpu/perf_tables.inc"
};

enum { N_ROWS = sizeof rows / sizeof rows[0] };

#define EVENTS sg_perf_events(&isa_archs[rows[i].arch])

static void test_every_row(void **state)
{
    unsigned missing = 0;
    (void)state;
    for (unsigned i = 0; i < N_ROWS; i++) {
        const sg_how_t how = sg_perf_how(EVENTS, rows[i].block, rows[i].event);
        const bool zero = rows[i].how[0] == '0';
        if (how == SG_HOW_MISSING || zero != (how == SG_HOW_ZERO)) {
            print_message("%s: %s, the table says \"%s\"\n", rows[i].name,
                          how == SG_HOW_MISSING ? "missing"
                          : how == SG_HOW_ZERO  ? "always 0"
                                                : "counted",
                          rows[i].how);
            missing++;
        }
    }
    assert_int_equal(missing, 0);
    unsigned of_gpu[ISA_ARCH_COUNT] = {0};
    for (unsigned i = 0; i < N_ROWS; i++)
        of_gpu[rows[i].arch]++;
    assert_int_equal(of_gpu[ISA_ARCH_gfx90a], 267);
}

/* Known by addresses alone, so that the model has to look at them, or by the caches' commands. */
static const char *const exact_by_model[] = {"SQ_LDS_MEM_VIOLATIONS",
                                             "TCP_TOTAL_WRITEBACK_INVALIDATES"};

static bool by_model(const char *name)
{
    for (unsigned i = 0; i < sizeof exact_by_model / sizeof exact_by_model[0]; i++)
        if (!strcmp(name, exact_by_model[i])) return true;
    return false;
}

/* Counters that are exact do not make a launch run under the model, and those that are always 0
 * make it count nothing. */
static void test_levels(void **state)
{
    enum { MASKS = 0x0f0ff000 };
    (void)state;
    for (unsigned i = 0; i < N_ROWS; i++) {
        const uint32_t masks = rows[i].block == SG_BLOCK_SQ ? MASKS : 0;
        const sg_perf_level_t level =
            sg_perf_level_of(EVENTS, rows[i].block, rows[i].event | masks);
        if (sg_perf_how(EVENTS, rows[i].block, rows[i].event) == SG_HOW_ZERO)
            assert_int_equal(level, SG_PERF_OFF);
        else if (rows[i].klass == EXACT)
            assert_int_equal(level, by_model(rows[i].name) ? SG_PERF_MODEL : SG_PERF_EXACT);
        else
            assert_in_range(level, SG_PERF_EXACT, SG_PERF_MODEL);
    }
}

/* Instructions that share a bucket are alike in all that counters tell apart. */
static void test_buckets(void **state)
{
    const sg_buckets_t *b = sg_buckets();
    (void)state;
    assert_in_range(b->n, 20, ISA_BUCKETS - 1);
    for (unsigned op = 1; op < ISA_OP_COUNT; op++) {
        const sg_traits_t t = sg_traits_of(op);
        assert_memory_equal(&b->traits[b->bucket[op]], &t, sizeof t);
        assert_int_equal(t.klass, isa_table[op].klass);
    }
}

/* Nothing is merged without a word: whoever has too little room is told how much is wrong. */
static void test_too_few_buckets(void **state)
{
    const unsigned n = sg_buckets()->n;
    (void)state;
    for (unsigned room = n - 2; room <= n; room++) {
        sg_buckets_t b = {.n = 0};
        unsigned wrong = 0;
        const unsigned told = sg_buckets_fill(&b, room);
        for (unsigned op = 1; op < ISA_OP_COUNT; op++) {
            const sg_traits_t t = sg_traits_of(op);
            wrong += memcmp(&b.traits[b.bucket[op]], &t, sizeof t) != 0;
        }
        assert_int_equal(told, wrong);
        assert_int_equal(b.n, room);
        assert_true((room < n) == (wrong > 0));
    }
}

/* What a lane sends, and what a scalar load gets. */
static void test_dwords(void **state)
{
    static const struct {
        const char *mnemonic;
        unsigned dwords;
    } cases[] = {
        {"global_atomic_add_f64", 2},
        {"global_atomic_min_f64", 2},
        {"global_atomic_max_f64", 2},
        {"flat_atomic_add_f64", 2},
        {"flat_atomic_max_f64", 2},
        {"buffer_atomic_add_f64", 2},
        {"buffer_atomic_min_f64", 2},
        {"global_atomic_add_f32", 1},
        {"global_atomic_pk_add_f16", 1},
        {"global_atomic_add", 1},
        {"global_atomic_add_x2", 2},
        {"global_atomic_cmpswap", 2},
        {"flat_atomic_cmpswap_x2", 4},
        {"buffer_atomic_cmpswap_x2", 4},
        {"global_store_byte", 1},
        {"global_store_short_d16_hi", 1},
        {"scratch_store_dwordx3", 3},
        {"flat_store_dwordx4", 4},
        {"buffer_store_format_xyz", 3},
        {"buffer_store_format_d16_xyz", 2},
        {"tbuffer_store_format_d16_x", 1},
        {"buffer_store_lds_dword", 1},
        {"s_load_dwordx8", 8},
        {"s_buffer_load_dwordx16", 16},
        {"s_memtime", 0},
    };
    (void)state;
    for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++) {
        unsigned op = 1;
        while (op < ISA_OP_COUNT && strcmp(isa_table[op].mnemonic, cases[k].mnemonic) != 0)
            op++;
        assert_in_range(op, 1, ISA_OP_COUNT - 1);
        if (sg_traits_of(op).dwords != cases[k].dwords)
            fail_msg("%s: %u", cases[k].mnemonic, sg_traits_of(op).dwords);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_row), cmocka_unit_test(test_levels),
        cmocka_unit_test(test_buckets), cmocka_unit_test(test_too_few_buckets),
        cmocka_unit_test(test_dwords)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
