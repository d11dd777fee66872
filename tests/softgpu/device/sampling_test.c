/* sampling_test.c - host traps: waves leave their kernels for a handler, which notes where they
 * were, and go on as if nothing had been.
 *
 * The handler is the test's own: it writes a record for each trap. By the model's time each wave is
 * interrupted after a number of instructions that is worked out here from the profile's defaults.
 */
#include "rig.h"

#include "asm.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum {
    GROUPS = 4,
    GROUP_WAVES = 2,
    LOOPS = 60000,
    LOOP_INSTRUCTIONS = 5,
    STEP = 3,       /* what a turn of the loop adds */
    LOOP_FIRST = 4, /* dwords of the kernel: the loop's first instruction, and what is behind it */
    LOOP_END = 9,
    RECORDS = 4096,
    /* 4 SIMDs of 8 slots, one of which is met in a microsecond of 1700 clocks; an instruction has 4
     */
    PERIOD = 4 * 8 * 1700 / 4 + 1 /* odd */
};

typedef struct {
    uint64_t pc;
    uint32_t group[2], wave, packet;
    uint64_t exec;
} record_t;

typedef struct {
    uint32_t n, reserved[15];
    record_t record[RECORDS];
} notes_t;

static const char handler_text[] = "s_mov_b32 ttmp2, 1\n"
                                   "s_atomic_add ttmp2, ttmp[14:15], 0x0 glc\n"
                                   "s_waitcnt lgkmcnt(0)\n"
                                   "s_lshl_b32 ttmp2, ttmp2, 5\n"
                                   "s_add_u32 ttmp14, ttmp14, ttmp2\n"
                                   "s_addc_u32 ttmp15, ttmp15, 0\n"
                                   "s_and_b32 ttmp1, ttmp1, 0xffff\n"
                                   "s_store_dwordx2 ttmp[0:1], ttmp[14:15], 0x40\n"
                                   "s_store_dwordx2 ttmp[8:9], ttmp[14:15], 0x48\n"
                                   "s_store_dword ttmp11, ttmp[14:15], 0x50\n"
                                   "s_store_dword ttmp6, ttmp[14:15], 0x54\n"
                                   "s_mov_b64 ttmp[4:5], exec\n"
                                   "s_store_dwordx2 ttmp[4:5], ttmp[14:15], 0x58\n"
                                   "s_setreg_b32 hwreg(HW_REG_STATUS), ttmp12\n"
                                   "s_rfe_b64 ttmp[0:1]\n";

/* Both the sum and the end of the loop hang on SCC, which a handler may lose. */
static const char kernel_text[] = "s_load_dwordx4 s[8:11], s[0:1], 0x0\n"
                                  "s_waitcnt lgkmcnt(0)\n"
                                  "s_mov_b32 s12, 0\n"
                                  "hot:\n"
                                  "s_add_u32 s12, s12, 3\n"
                                  "s_addc_u32 s13, s12, 0\n"
                                  "s_sub_u32 s10, s10, 1\n"
                                  "s_cmp_lg_u32 s10, 0\n"
                                  "s_cbranch_scc1 hot\n"
                                  "v_mov_b32 v2, s12\n"
                                  "v_mov_b32 v3, 0\n"
                                  "s_mov_b64 exec, 1\n"
                                  "global_atomic_add v3, v2, s[8:9]\n"
                                  "s_endpgm\n";

typedef struct {
    rig_t *r;
    rig_queue_t q;
    uint64_t notes_va, sum_va, kernel;
    notes_t *notes;
    uint64_t code; /* of the kernel */
} bench_t;

static void open_bench(bench_t *b, bool model, const char *text)
{
    rig_model_time = model;
    b->r = rig_create(2);
    assert_true(rig_aql(b->r, &b->q));
    b->notes_va = rig_alloc(b->r, sizeof(notes_t));
    b->notes = rig_ptr(b->r, b->notes_va);
    b->sum_va = rig_alloc(b->r, 4);
    b->kernel = rig_kernel(b->r, text, &(rig_kernel_t){0});
    b->code = b->kernel + *(uint64_t *)((uint8_t *)rig_ptr(b->r, b->kernel) + 16);

    uint32_t *words;
    size_t n = asm_words(handler_text, &words);
    uint64_t handler = rig_alloc(b->r, 4 * n);
    memcpy(rig_ptr(b->r, handler), words, 4 * n);
    free(words);
    sg_device_set_trap_handler(b->r->device, handler, b->notes_va);
}

static void run(bench_t *b, uint64_t pointer, uint64_t number)
{
    uint64_t args = rig_alloc(b->r, 16), signal = rig_signal(b->r, 1);
    memcpy(rig_ptr(b->r, args), &pointer, 8);
    memcpy((uint8_t *)rig_ptr(b->r, args) + 8, &number, 8);
    rig_dispatch(&b->q, &(rig_dispatch_t){.kernel = b->kernel,
                                          .args = args,
                                          .signal = signal,
                                          .grid = {GROUPS * GROUP_WAVES * 64},
                                          .group = {GROUP_WAVES * 64}});
    assert_true(rig_wait(b->r, signal, 0));
}

static void close_bench(bench_t *b)
{
    assert_int_equal(sg_device_set_host_traps(b->r->device, 0), 0);
    assert_int_equal(b->r->faults + b->r->errors, 0);
    rig_close(&b->q);
    rig_destroy(b->r);
}

/* What a wave's records say, added up over the waves. */
static void count_by_wave(const notes_t *notes, uint32_t count[GROUPS][GROUP_WAVES])
{
    for (uint32_t i = 0; i < notes->n; i++) {
        const record_t *n = &notes->record[i];
        const uint32_t wave = n->wave & 63;
        assert_true(n->group[0] < GROUPS && n->group[1] == 0 && wave < GROUP_WAVES);
        count[n->group[0]][wave]++;
    }
}

static int by_bytes(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(record_t));
}

/* Every wave is met once in a period, in its loop, and comes to the same result. */
static void samples_of_a_hot_loop(void **state)
{
    (void)state;
    bench_t b = {0};
    uint32_t count[GROUPS][GROUP_WAVES] = {{0}}, in_loop = 0;
    const uint32_t instructions = LOOPS * LOOP_INSTRUCTIONS + 7; /* but for the last */
    open_bench(&b, true, kernel_text);
    assert_int_equal(sg_device_set_host_traps(b.r->device, 1), 0);
    run(&b, b.sum_va, LOOPS);
    assert_int_equal(*(uint32_t *)rig_ptr(b.r, b.sum_va), GROUPS * GROUP_WAVES * LOOPS * STEP);
    assert_in_range(b.notes->n, 1, RECORDS);
    count_by_wave(b.notes, count);
    for (unsigned g = 0; g < GROUPS; g++)
        for (unsigned w = 0; w < GROUP_WAVES; w++)
            assert_in_range(count[g][w], instructions / PERIOD, instructions / PERIOD + 1);
    bool seen[LOOP_END] = {false};
    for (uint32_t i = 0; i < b.notes->n; i++) {
        const record_t *n = &b.notes->record[i];
        const uint64_t dword = (n->pc - b.code) / 4;
        assert_true(n->pc >= b.code && dword < 16);
        if (dword < LOOP_FIRST || dword >= LOOP_END) continue;
        assert_int_equal(n->exec, UINT64_MAX);
        assert_int_equal(n->packet, 0);
        in_loop++;
        seen[dword] = true;
    }
    assert_true(in_loop * 100 >= b.notes->n * 95);
    for (unsigned dword = LOOP_FIRST; dword < LOOP_END; dword++)
        assert_true(seen[dword]);

    /* the same again, but for the packet's number */
    notes_t *first = malloc(sizeof *first);
    assert_non_null(first);
    memcpy(first, b.notes, sizeof *first);
    b.notes->n = 0;
    run(&b, b.sum_va, LOOPS);
    assert_int_equal(b.notes->n, first->n);
    for (uint32_t i = 0; i < first->n; i++) {
        assert_int_equal(b.notes->record[i].packet, 1);
        b.notes->record[i].packet = 0;
    }
    qsort(b.notes->record, first->n, sizeof(record_t), by_bytes);
    qsort(first->record, first->n, sizeof(record_t), by_bytes);
    assert_memory_equal(b.notes->record, first->record, first->n * sizeof(record_t));
    free(first);

    /* and no more */
    assert_int_equal(sg_device_set_host_traps(b.r->device, 0), 0);
    b.notes->n = 0;
    run(&b, b.sum_va, LOOPS);
    assert_int_equal(b.notes->n, 0);
    assert_int_equal(*(uint32_t *)rig_ptr(b.r, b.sum_va), 3 * GROUPS * GROUP_WAVES * LOOPS * STEP);
    close_bench(&b);
}

/* By the host's clock: kernels that wait for traps come to an end. */
static void the_clock_interrupts(void **state)
{
    (void)state;
    bench_t b = {0};
    open_bench(&b, false,
               "s_load_dwordx4 s[8:11], s[0:1], 0x0\n"
               "s_waitcnt lgkmcnt(0)\n"
               "spin:\n"
               "s_load_dword s12, s[8:9], 0x0 glc\n"
               "s_waitcnt lgkmcnt(0)\n"
               "s_cmp_lt_u32 s12, s10\n"
               "s_cbranch_scc1 spin\n"
               "s_endpgm\n");
    assert_int_equal(sg_device_set_host_traps(b.r->device, 100), 0);
    run(&b, b.notes_va, 5);
    assert_true(b.notes->n >= 5);
    /* other settings, while it runs */
    assert_int_equal(sg_device_set_host_traps(b.r->device, 50), 0);
    run(&b, b.notes_va, b.notes->n + 5);
    close_bench(&b);
}

/* A handler that is not there is a fault of the queue, none at all is no handler to go to. */
static void handlers_that_are_not_there(void **state)
{
    (void)state;
    bench_t b = {0};
    open_bench(&b, true, kernel_text);
    sg_device_set_trap_handler(b.r->device, 0, 0);
    assert_int_equal(sg_device_set_host_traps(b.r->device, 1), 0);
    run(&b, b.sum_va, LOOPS);
    assert_int_equal(b.notes->n, 0);
    assert_int_equal(*(uint32_t *)rig_ptr(b.r, b.sum_va), GROUPS * GROUP_WAVES * LOOPS * STEP);

    sg_device_set_trap_handler(b.r->device, RIG_UNMAPPED, 0);
    uint64_t args = rig_alloc(b.r, 16);
    memcpy(rig_ptr(b.r, args), &b.sum_va, 8);
    *(uint64_t *)((uint8_t *)rig_ptr(b.r, args) + 8) = LOOPS;
    rig_dispatch(&b.q, &(rig_dispatch_t){.kernel = b.kernel, .args = args, .grid = {64}});
    assert_true(rig_wait_word(&b.r->faults, 1));
    assert_int_equal(b.r->fault_va, RIG_UNMAPPED);
    b.r->faults = 0;
    close_bench(&b);
}

/* Instructions of gfx1201, by llvm-mc; the last dword of a name that ends in _TO is a number. */
#define GETREG_ID       0xb8f0f817u /* s_getreg_b32 ttmp4, hwreg(HW_REG_WAVE_HW_ID1) */
#define SETREG_TRAP_TO  0xb98001d1u /* s_setreg_imm32_b32, bit 7 of EXCP_FLAG_PRIV */
#define SETREG_OTHER_TO 0xb9800291u /* of the same register bit 10 */
#define SETREG_STATE_TO 0xb98001c4u /* bit 7 of STATE_PRIV */
#define MOVE_TO         0xbe8000ffu /* s_mov_b32 s0 */
#define RFE             0xbe804a6cu /* s_rfe_b64 ttmp[0:1] */
#define CODE_END        0xbf9f0000u /* s_code_end */

/* Of gfx1201 a handler that samples is known by what it does alone: it clears the bit of the host
 * trap. */
static void a_handler_without_host_traps(void **state)
{
    (void)state;
    static const struct {
        bool samples;
        uint32_t words[8];
    } handlers[] = {
        {true, {GETREG_ID, SETREG_TRAP_TO, 0, RFE}},
        {true, {MOVE_TO, CODE_END, SETREG_TRAP_TO, 0, RFE}}, /* the first two are one instruction */
        {false, {GETREG_ID, RFE}},
        {false, {GETREG_ID, SETREG_TRAP_TO, 1, RFE}}, /* sets it */
        {false, {GETREG_ID, SETREG_OTHER_TO, 0, RFE}},
        {false, {GETREG_ID, SETREG_STATE_TO, 0, RFE}},
        {false, {MOVE_TO, SETREG_TRAP_TO, 0, RFE}}, /* a number */
        {false, {GETREG_ID, RFE, CODE_END, SETREG_TRAP_TO, 0, RFE}},
    };
    rig_t *r = rig_create_gpu(120001, 1, 2);
    assert_true(sg_device_takes_host_traps(r->device)); /* there is none */
    const uint64_t handler = rig_alloc(r, 4 * 4096);
    sg_device_set_trap_handler(r->device, handler, 0);
    for (size_t i = 0; i < sizeof handlers / sizeof *handlers; i++) {
        memcpy(rig_ptr(r, handler), handlers[i].words, sizeof handlers[i].words);
        if (sg_device_takes_host_traps(r->device) != handlers[i].samples)
            fail_msg("handler %zu", i);
    }
    sg_device_set_trap_handler(r->device, RIG_UNMAPPED, 0);
    assert_false(sg_device_takes_host_traps(r->device));
    rig_destroy(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_of_a_hot_loop),
        cmocka_unit_test(the_clock_interrupts),
        cmocka_unit_test(handlers_that_are_not_there),
        cmocka_unit_test(a_handler_without_host_traps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
