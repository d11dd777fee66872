/* registers_test.c - the counter registers as packets see them: states, broadcast, instances. */
#include "counting.h"

#include "asm.h"
#include "softgpu/device/internal.h"
#include "softgpu/perf/perf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { ENGINES = 2, CUS = 2, SQ_WAVES = 4, SQ_INSTS = 25, MASKS = 0x0f0ff000 };

static rig_dispatch_t waves(counting_t *c, uint32_t n)
{
    return (rig_dispatch_t){
        .kernel = rig_kernel(c->rig, "s_endpgm\n", NULL), .grid = {64 * n}, .group = {64}};
}

static void state_of(counting_t *c, uint32_t value)
{
    counting_set(c, REG_CP_PERFMON_CNTL, value);
    counting_send(c);
}

static counting_t *wanting_waves(void)
{
    counting_t *c = counting_create(ENGINES, CUS);
    counting_want(c, SQ, SQ_WAVES);
    return c;
}

static void test_states(void **state)
{
    (void)state;
    counting_t *c = wanting_waves();
    rig_dispatch_t d = waves(c, 6);
    counting_dispatch(c, &d); /* nothing has been started */
    counting_start(c);
    counting_dispatch(c, &d);
    assert_int_equal(counting_sum(c, 0, ENGINES, 1), 6); /* while it runs */
    state_of(c, 1);                                      /* started already: goes on */
    counting_dispatch(c, &d);
    state_of(c, 2);
    counting_dispatch(c, &d); /* stopped: not counted, the value stays */
    assert_int_equal(counting_sum(c, 0, ENGINES, 1), 12);
    state_of(c, 1); /* goes on from there */
    counting_dispatch(c, &d);
    counting_stop(c);
    assert_int_equal(counting_sum(c, 0, ENGINES, 1), 18);
    state_of(c, 0);
    assert_int_equal(counting_sum(c, 0, ENGINES, 1), 0);
    counting_dispatch(c, &d); /* disabled */
    assert_int_equal(counting_sum(c, 0, ENGINES, 1), 0);
    state_of(c, 1);
    counting_dispatch(c, &d);
    assert_int_equal(counting_sum(c, 0, ENGINES, 1), 6);
}

/* With the sample bit a read is answered by the values of that moment. */
static void test_sample(void **state)
{
    (void)state;
    counting_t *c = wanting_waves();
    rig_dispatch_t d = waves(c, 6);
    counting_start(c);
    counting_dispatch(c, &d);
    state_of(c, 0x401);
    counting_dispatch(c, &d);
    assert_int_equal(counting_sum(c, 0, ENGINES, 1), 6);
    state_of(c, 0x401);
    assert_int_equal(counting_sum(c, 0, ENGINES, 1), 12);
    state_of(c, 1);
    counting_dispatch(c, &d);
    assert_int_equal(counting_sum(c, 0, ENGINES, 1), 18);
}

static void test_index(void **state)
{
    const uint32_t select = counting_select_reg(SQ, 1);
    const uint32_t ta_select = counting_select_reg(TA, 0);
    (void)state;
    counting_t *c = wanting_waves();
    /* one engine alone */
    counting_set(c, REG_GRBM_GFX_INDEX, 1u << 30 | 1u << 29 | 1 << 16);
    counting_set(c, select, SQ_INSTS | MASKS);
    counting_send(c);
    assert_int_equal(counting_read(c, 1u << 29 | 1 << 16, select), SQ_INSTS | MASKS);
    assert_int_equal(counting_read(c, 0, select), 0);
    assert_int_equal(counting_read(c, EVERYWHERE, select), 0); /* number 0 answers */
    /* all engines */
    counting_set(c, select, SQ_WAVES | MASKS);
    counting_send(c);
    for (uint32_t e = 0; e < ENGINES; e++)
        assert_int_equal(counting_read(c, e << 16, select), SQ_WAVES | MASKS);
    /* an instance of one engine, of all engines, of none */
    counting_set(c, REG_GRBM_GFX_INDEX, 1 << 16 | 1);
    counting_set(c, ta_select, 32);
    counting_set(c, REG_GRBM_GFX_INDEX, 1u << 31 | 0);
    counting_set(c, ta_select, 44);
    counting_set(c, REG_GRBM_GFX_INDEX, 1 << 16 | 9);
    counting_set(c, ta_select, 45);
    counting_send(c);
    assert_int_equal(counting_read(c, 1 << 16 | 1, ta_select), 32);
    assert_int_equal(counting_read(c, 0 << 16 | 1, ta_select), 0);
    assert_int_equal(counting_read(c, 0 << 16 | 0, ta_select), 44);
    assert_int_equal(counting_read(c, 1 << 16 | 0, ta_select), 44);
    assert_int_equal(counting_read(c, 1 << 16 | 9, ta_select), 0);
    assert_int_equal(counting_read(c, 7 << 16 | 0, ta_select), 0);
    assert_int_equal(counting_read(c, 7 << 16, select), 0);
}

/* Values of engines and units that do not exist are 0, those with broadcast bits of number 0. */
static void test_reads(void **state)
{
    (void)state;
    counting_t *c = wanting_waves();
    rig_dispatch_t d = waves(c, 5); /* engines 0, 1, 0, 1, 0 */
    counting_start(c);
    counting_dispatch(c, &d);
    counting_stop(c);
    const uint32_t low = counting_low_reg(SQ, 0), high = counting_high_reg(SQ, 0);
    assert_int_equal(counting_read(c, EVERYWHERE, low), 3);
    assert_int_equal(counting_read(c, 0, low), 3);
    assert_int_equal(counting_read(c, 1 << 16, low), 2);
    assert_int_equal(counting_read(c, 2 << 16, low), 0);
    assert_int_equal(counting_read(c, 0, high), 0);
    /* a single instance answers under any instance number */
    assert_int_equal(counting_read(c, 1 << 16 | 5, low), 2);
}

/* Slots count by themselves, the same event any number of times. */
static void test_slots(void **state)
{
    (void)state;
    counting_t *c = counting_create(ENGINES, CUS);
    for (unsigned i = 0; i < 8; i++)
        counting_want(c, SQ, i == 3 ? SQ_INSTS : i == 5 ? 500 : SQ_WAVES);
    for (unsigned i = 0; i < 6; i++)
        counting_want(c, SPI, i & 1 ? 52 : 49);
    rig_dispatch_t d = waves(c, 10);
    counting_start(c);
    counting_dispatch(c, &d);
    counting_stop(c);
    for (unsigned i = 0; i < 14; i++) /* no such event: 0; one instruction a wave: all are 10 */
        assert_int_equal(counting_sum(c, i, ENGINES, 1), i == 5 ? 0 : 10);
    /* SPI has the halves of a counter the other way round */
    assert_int_equal(counting_read(c, 0, 0xd181), 5);
    assert_int_equal(counting_read(c, 0, 0xd180), 0);
}

/* A value is 64 bits wide and can be written. */
static void test_wide(void **state)
{
    const uint32_t low = counting_low_reg(SQ, 0), high = counting_high_reg(SQ, 0);
    (void)state;
    counting_t *c = wanting_waves();
    rig_dispatch_t d = waves(c, 4);
    counting_start(c);
    counting_set(c, low, 0xfffffffe);
    counting_set(c, high, 7);
    counting_send(c);
    counting_dispatch(c, &d);
    counting_stop(c);
    assert_int_equal(counting_value(c, 0, 0, 0), (UINT64_C(8) << 32));
    assert_int_equal(counting_value(c, 0, 1, 0), (UINT64_C(8) << 32));
}

static uint64_t gated(counting_t *c, const rig_dispatch_t *d, uint32_t reg, uint32_t value)
{
    counting_start(c);
    if (reg) counting_set(c, reg, value);
    counting_send(c);
    counting_dispatch(c, d);
    counting_stop(c);
    return counting_sum(c, 0, ENGINES, 1);
}

/* What keeps SQ from counting: its controls, and a launch that does not ask for it. */
static void test_gates(void **state)
{
    (void)state;
    counting_t *c = wanting_waves();
    rig_dispatch_t d = waves(c, 8); /* two for each of the four units */
    assert_int_equal(gated(c, &d, 0, 0), 8);
    assert_int_equal(gated(c, &d, REG_ENABLE, 0), 0);
    assert_int_equal(gated(c, &d, REG_SQ_CTRL, 0xffff0000u | 0x3f), 0); /* no compute waves */
    assert_int_equal(gated(c, &d, REG_SQ_CTRL, 0x0000007f), 0);         /* of no memory id */
    assert_int_equal(gated(c, &d, REG_SQ_MASK, 0), 0);
    assert_int_equal(gated(c, &d, REG_SQ_MASK, 0x2), 4); /* the second unit of each engine */
    assert_int_equal(gated(c, &d, counting_select_reg(SQ, 0), SQ_WAVES), 0); /* on no SIMD */
    /* SPI does not look at them */
    counting_want(c, SPI, 52);
    counting_start(c);
    counting_set(c, REG_SQ_CTRL, 0);
    counting_send(c);
    counting_dispatch(c, &d);
    counting_stop(c);
    assert_int_equal(counting_sum(c, 0, ENGINES, 1), 0);
    assert_int_equal(counting_sum(c, 1, ENGINES, 1), 8);
}

/* A select that is written while counting runs counts from then on. */
static void test_select_while_running(void **state)
{
    (void)state;
    counting_t *c = wanting_waves();
    rig_dispatch_t d = waves(c, 4);
    counting_start(c);
    counting_dispatch(c, &d);
    counting_set(c, counting_select_reg(SQ, 0), SQ_INSTS | MASKS);
    counting_set(c, counting_select_reg(SPI, 2), 52);
    counting_send(c);
    counting_dispatch(c, &d);
    counting_stop(c);
    assert_int_equal(counting_sum(c, 0, ENGINES, 1), 8);
    assert_int_equal(counting_read(c, 0, counting_low_reg(SPI, 2)), 2);
}

/* Waits on a counter, and copies of it to another register. */
static void test_wait_and_copy(void **state)
{
    (void)state;
    counting_t *c = wanting_waves();
    rig_dispatch_t d = waves(c, 4);
    counting_start(c);
    counting_dispatch(c, &d);
    const uint32_t low = counting_low_reg(SQ, 0);
    const uint32_t wait[] = {3u << 30 | 5 << 16 | 0x3c << 8, 3, low, 0, 2, 0xffffffff, 0x10};
    const uint32_t copy[] = {3u << 30 | 4 << 16 | 0x40 << 8, 4 | 1 << 16, low, 0, 0xc300, 0};
    memcpy(c->ib + c->n, wait, sizeof wait);
    c->n += 7;
    memcpy(c->ib + c->n, copy, sizeof copy);
    c->n += 6;
    counting_copy(c, 0xc300);
    counting_copy(c, 0xc301);
    const uint32_t *out = counting_send(c);
    assert_int_equal(out[0], 2);
    assert_int_equal(out[1], 0);
}

/* WRITE_DATA reaches the registers as SET_UCONFIG_REG does. */
static void test_write_data(void **state)
{
    const uint32_t select = counting_select_reg(SQ, 0);
    const uint32_t two[] = {
        3u << 30 | 4 << 16 | 0x37 << 8, 0, select, 0, SQ_INSTS | MASKS, SQ_WAVES | MASKS};
    (void)state;
    counting_t *c = wanting_waves();
    memcpy(c->ib + c->n, two, sizeof two);
    c->n += 6;
    counting_copy(c, select);
    counting_copy(c, select + 1);
    const uint32_t *out = counting_send(c);
    assert_int_equal(out[0], SQ_INSTS | MASKS);
    assert_int_equal(out[1], SQ_WAVES | MASKS);
}

/* Each XCC has registers of its own. Packets act on all of them, and read the first, but those that
 * PRED_EXEC gives to some: what an XCC that does not exist would execute is skipped. */
static void test_xccs(void **state)
{
    enum { SET = 3, COPY = 6, XCCS = 3 };
    static const uint32_t indexes[] = {0x40000000, 0x40010000, 0x40020000}; /* of engines */
    const uint32_t select = counting_select_reg(SQ, 0);
    (void)state;
    rig_xccs = XCCS;
    counting_t *c = counting_create(ENGINES, 1);
    rig_xccs = 1;
    counting_set(c, REG_GRBM_GFX_INDEX, EVERYWHERE);
    counting_set(c, select, SQ_WAVES | MASKS);
    counting_predicate(c, 1 << 1, 2 * SET);
    counting_set(c, REG_GRBM_GFX_INDEX, indexes[1]);
    counting_set(c, select, SQ_INSTS | MASKS);
    counting_predicate(c, 1 << 5, SET);
    counting_set(c, select, 1);
    counting_copy(c, REG_GRBM_GFX_INDEX);
    counting_set(c, REG_GRBM_GFX_INDEX, EVERYWHERE);
    for (uint32_t xcc = 0; xcc < XCCS; xcc++)
        for (uint32_t e = 0; e < 3; e++) {
            counting_predicate(c, 1u << xcc, SET + COPY);
            counting_set(c, REG_GRBM_GFX_INDEX, indexes[e]);
            counting_copy(c, select);
        }
    const uint32_t *out = counting_send(c);
    assert_int_equal(out[0], EVERYWHERE);
    for (uint32_t xcc = 0; xcc < XCCS; xcc++)
        for (uint32_t e = 0; e < 3; e++) {
            const uint32_t event = xcc == 1 && e == 1 ? SQ_INSTS : SQ_WAVES;
            assert_int_equal(out[1 + 3 * xcc + e], e < ENGINES ? event | MASKS : 0);
        }
}

/* Whatever is written anywhere, reads answer and counting works afterwards. */
static void test_any_bits(void **state)
{
    sg_profile_t profile = {.name = "any"};
    uint64_t random = 88172645463325252;
#define SET_DEFAULT(key, def, lo, hi) profile.key = def;
    SG_PROFILE_KEYS(SET_DEFAULT)
#undef SET_DEFAULT
    (void)state;
    sg_perf_t *p = sg_perf_create(&profile, NULL, NULL);
    assert_non_null(p);
    for (unsigned i = 0; i < 100000; i++) {
        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        const uint32_t reg =
            SG_PERF_FIRST_REGISTER +
            (uint32_t)(random >> 32) % (SG_PERF_LAST_REGISTER - SG_PERF_FIRST_REGISTER + 1);
        if (!sg_perf_owns(p, reg)) continue;
        sg_perf_write(p, 1, reg, (uint32_t)random);
        sg_perf_read(p, 1, reg);
        const sg_perf_queue_t queue = {.enable = i & 1};
        assert_in_range(sg_perf_level(p, &queue), SG_PERF_OFF, SG_PERF_MODEL);
    }
    assert_false(sg_perf_owns(p, 0));
    assert_false(sg_perf_owns(p, 0xffffffff));
    sg_perf_write(p, 1, REG_CP_PERFMON_CNTL, 0);
    sg_perf_write(p, 1, REG_GRBM_GFX_INDEX, EVERYWHERE);
    assert_int_equal(sg_perf_read(p, 1, counting_low_reg(SQ, 0)), 0);
    sg_perf_destroy(p);
}

/* A flush waits for waves that were launched before, barrier bit or not. */
static void test_flush_waits(void **state)
{
    static const char text[] = "s_movk_i32 s8, 0x7fff\n"
                               "again: s_sub_u32 s8, s8, 1\n"
                               "s_cmp_lg_u32 s8, 0\n"
                               "s_cbranch_scc1 again\n"
                               "s_endpgm\n";
    (void)state;
    counting_t *c = wanting_waves();
    rig_dispatch_t d = {.kernel = rig_kernel(c->rig, text, NULL), .grid = {64 * 64}, .group = {64}};
    counting_start(c);
    rig_dispatch(&c->queue, &d);
    counting_flush_waves(c);
    counting_copy(c, counting_low_reg(SQ, 0));
    assert_int_equal(counting_send(c)[0], 32);
}

/* Slots beyond the product's: three registers each from 0x10000 on, 1024 slots to a block. What
 * accumulates sees the slot before it, whichever registers that has. */
static void test_more_slots(void **state)
{
    enum { WIDE = 0x10000, SLOTS = 1024, SQ_ID = 6, LEVEL_WAVES = 5, ACCUM = 185, FIRST = 8 };
    const uint32_t eighth = WIDE + (SQ_ID * SLOTS + FIRST) * 3,
                   last = WIDE + (SQ_ID * SLOTS + SLOTS - 1) * 3;
    (void)state;
    counting_t *c = counting_create(1, 1);
    rig_dispatch_t d = waves(c, 6);
    for (unsigned i = 0; i < FIRST; i++)
        counting_want(c, SQ, i == FIRST - 1 ? LEVEL_WAVES : SQ_WAVES);
    counting_set(c, REG_GRBM_GFX_INDEX, EVERYWHERE);
    counting_set(c, eighth, ACCUM | MASKS);
    counting_set(c, last, SQ_INSTS | MASKS);
    counting_start(c);
    counting_dispatch(c, &d);
    counting_stop(c);
    assert_int_equal(counting_sum(c, 0, 1, 1), 6);
    assert_int_equal(counting_read(c, 0, last), SQ_INSTS | MASKS);
    assert_int_equal(counting_read(c, 0, last + 1), 6);
    assert_int_equal(counting_read(c, 0, last + 2), 0);
    assert_in_range(counting_read(c, 0, eighth + 1), 6 * 4, UINT32_MAX);
    counting_set(c, last + 2, 7); /* values may be written, the high half too */
    counting_send(c);
    assert_int_equal(counting_read(c, 0, last + 2), 7);
}

/* The clock when a packet's completion is told, as another queue's packets would read it. */
typedef struct {
    counting_t *c;
    uint32_t clock;
} told_t;

static void read_clock(void *user)
{
    told_t *told = user;
    told->clock = sg_perf_read(told->c->rig->device->perf, 1, counting_low_reg(GRBM, 0));
}

/* Sends what was collected, or runs a kernel, in another queue than the one that counts. */
static void send_in(counting_t *c, rig_queue_t *other, const rig_dispatch_t *d)
{
    const rig_queue_t own = c->queue;
    c->queue = *other;
    if (d)
        counting_dispatch(c, d);
    else
        counting_send(c);
    *other = c->queue;
    c->queue = own;
}

/* A packet of another queue that is counted has had its clocks when it is known to be over. */
static void test_other_queue(void **state)
{
    enum { GRBM_COUNT = 0, EVENT = 99, CLOCKS = 5500 };
    (void)state;
    counting_t *c = counting_create(1, 1);
    told_t told = {.c = c};
    rig_queue_t other;
    assert_true(rig_aql(c->rig, &other));
    hsa_barrier_and_packet_t packet = {
        .header = HSA_PACKET_TYPE_BARRIER_AND,
        .completion_signal = {rig_signal(c->rig, 1)},
    };
    amd_signal_t *signal = rig_signal_at(c->rig, packet.completion_signal.handle);
    signal->event_mailbox_ptr = rig_alloc(c->rig, 8);
    signal->event_id = EVENT;
    counting_set(c, REG_ENABLE, 1);
    send_in(c, &other, NULL);
    counting_want(c, GRBM, GRBM_COUNT);
    counting_start(c);
    c->rig->on_event_user = &told;
    c->rig->on_event = read_clock;
    rig_submit(&other, &packet);
    assert_true(rig_wait_word(&c->rig->raised[EVENT], 1));
    c->rig->on_event = NULL;
    counting_stop(c);
    assert_int_equal(counting_value(c, 0, 0, 0), 2 * CLOCKS); /* the one that started, and this */
    assert_int_equal(told.clock, 2 * CLOCKS);
}

/* Each queue has its own COMPUTE_PERFCOUNT_ENABLE. What one does in which that is 0, such as copies
 * by the runtime while kernels of the program are counted, changes no counter: neither its waves
 * nor its packets, fences and lines of the caches do. */
static void test_queue_that_is_not_counted(void **state)
{
    enum { CHANNELS = 32, WAVES = 8, COUNTERS = 5, EMPTY = 1 << 23 | 1 << 22 | 1 << 27 | 1 << 29 };
    static const struct {
        counting_block_t block;
        unsigned event;
        uint32_t engines, instances;
    } counters[COUNTERS] = {{SQ, SQ_WAVES, ENGINES, 1}, /* of `wanting_waves` */
                            {GRBM, 0, 1, 1},            /* clocks */
                            {SPI, 52, ENGINES, 1},      /* waves */
                            {TCC, 3, 1, CHANNELS},      /* requests */
                            {TCC, 19, 1, CHANNELS}};    /* misses */
    (void)state;
    uint64_t counted[2][COUNTERS];
    counting_t *c = wanting_waves();
    rig_queue_t other;
    assert_true(rig_aql(c->rig, &other));
    const rig_dispatch_t d = waves(c, WAVES);
    for (unsigned i = 1; i < COUNTERS; i++)
        counting_want(c, counters[i].block, counters[i].event);
    for (unsigned busy = 0; busy < 2; busy++) {
        counting_acquire(c, EMPTY, UINT64_C(0xffffffff));
        counting_send(c);
        counting_start(c);
        if (busy) send_in(c, &other, &d);
        if (busy) counting_acquire(c, EMPTY, UINT64_C(0xffffffff));
        if (busy) send_in(c, &other, NULL);
        counting_dispatch(c, &d);
        if (busy) counting_acquire(c, EMPTY, UINT64_C(0xffffffff));
        if (busy) send_in(c, &other, NULL);
        counting_dispatch(c, &d);
        counting_stop(c);
        for (unsigned i = 0; i < COUNTERS; i++)
            counted[busy][i] = counting_sum(c, i, counters[i].engines, counters[i].instances);
    }
    assert_memory_equal(counted[1], counted[0], sizeof counted[0]);
    assert_int_equal(counted[1][0], 2 * WAVES);
    /* and from when it is 1, all of it counts */
    counting_set(c, REG_ENABLE, 1);
    send_in(c, &other, NULL);
    counting_start(c);
    send_in(c, &other, &d);
    counting_stop(c);
    assert_int_equal(counting_sum(c, 0, ENGINES, 1), WAVES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_states),        cmocka_unit_test(test_sample),
        cmocka_unit_test(test_index),         cmocka_unit_test(test_reads),
        cmocka_unit_test(test_slots),         cmocka_unit_test(test_wide),
        cmocka_unit_test(test_gates),         cmocka_unit_test(test_select_while_running),
        cmocka_unit_test(test_wait_and_copy), cmocka_unit_test(test_flush_waits),
        cmocka_unit_test(test_write_data),    cmocka_unit_test(test_xccs),
        cmocka_unit_test(test_any_bits),      cmocka_unit_test(test_more_slots),
        cmocka_unit_test(test_other_queue),   cmocka_unit_test(test_queue_that_is_not_counted),
    };
    if (!asm_available()) return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
