/* aql_test.c - AQL packets: launch state, order, barriers, completion, scratch, errors.
 *
 * Expected register contents are worked out here from the ABI's tables, one value at a time. */
#include "rig.h"

#include "asm.h"

#include <hsa/hsa.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

/* Stores v0 and the three workgroup ids at args[0] + 16 * (lane's number in the whole launch). The
 * slot comes from an atomic counter at args[1], so no assumption about ids is made. */
static const char record_text[] = "s_load_dwordx4 s[8:11], s[0:1], 0x0\n"
                                  "s_waitcnt lgkmcnt(0)\n"
                                  "v_mov_b32 v10, 0\n"
                                  "v_mov_b32 v11, 1\n"
                                  "global_atomic_add v12, v10, v11, s[10:11] glc\n"
                                  "s_waitcnt vmcnt(0)\n"
                                  "v_lshlrev_b32 v12, 4, v12\n"
                                  "v_mov_b32 v4, v0\n"
                                  "v_mov_b32 v5, s2\n"
                                  "v_mov_b32 v6, s3\n"
                                  "v_mov_b32 v7, s4\n"
                                  "global_store_dwordx4 v12, v[4:7], s[8:9]\n"
                                  "s_endpgm\n";

static const char add_text[] = /* atomically adds args[1] to *args[0], once for each wave */
    "s_load_dwordx4 s[8:11], s[0:1], 0x0\n"
    "s_waitcnt lgkmcnt(0)\n"
    "v_mov_b32 v10, 0\n"
    "v_mov_b32 v11, s10\n"
    "s_mov_b64 exec, 1\n"
    "global_atomic_add v10, v11, s[8:9]\n"
    "s_endpgm\n";

static uint64_t args2(rig_t *r, uint64_t a, uint64_t b)
{
    uint64_t va = rig_alloc(r, 16);
    uint64_t *p = rig_ptr(r, va);
    p[0] = a;
    p[1] = b;
    return va;
}

static int by_all(const void *a, const void *b)
{
    return memcmp(a, b, 16);
}

/* Every work-item of the grid reports once, with the ids the HSA specification gives it. */
static void check_grid(const uint32_t grid[3], const uint32_t group[3], uint32_t axes)
{
    rig_t *r = rig_create(2);
    rig_queue_t q;
    assert_true(rig_aql(r, &q));
    uint32_t items = grid[0] * grid[1] * grid[2];
    uint64_t out = rig_alloc(r, 16ull * items), counter = rig_alloc(r, 4),
             signal = rig_signal(r, 1);
    rig_dispatch(&q, &(rig_dispatch_t){
                         .kernel = rig_kernel(r, record_text, &(rig_kernel_t){.id_axes = axes}),
                         .args = args2(r, out, counter),
                         .signal = signal,
                         .grid = {grid[0], grid[1], grid[2]},
                         .group = {group[0], group[1], group[2]}});
    assert_true(rig_wait(r, signal, 0));
    assert_int_equal(*(uint32_t *)rig_ptr(r, counter), items);

    uint32_t(*want)[4] = calloc(items, 16), n = 0;
    for (uint32_t z = 0; z < grid[2]; z++)
        for (uint32_t y = 0; y < grid[1]; y++)
            for (uint32_t x = 0; x < grid[0]; x++, n++) {
                want[n][0] = x % group[0];
                if (axes > 1) want[n][0] |= (y % group[1]) << 10;
                if (axes > 2) want[n][0] |= (z % group[2]) << 20;
                want[n][1] = x / group[0];
                want[n][2] = y / group[1];
                want[n][3] = z / group[2];
            }
    qsort(want, items, 16, by_all);
    qsort(rig_ptr(r, out), items, 16, by_all);
    assert_memory_equal(rig_ptr(r, out), want, 16ull * items);
    free(want);
    rig_close(&q);
}

static void test_launch_shapes(void **state)
{
    static const uint32_t shapes[][7] = {
        /* grid, group, axes of ids */
        {1, 1, 1, 1, 1, 1, 3},      {64, 1, 1, 64, 1, 1, 1},   {100, 1, 1, 64, 1, 1, 1},
        {1000, 1, 1, 256, 1, 1, 3}, {33, 17, 1, 16, 16, 1, 3}, {33, 17, 1, 16, 16, 1, 1},
        {9, 9, 9, 4, 4, 4, 3},      {7, 3, 5, 8, 8, 4, 2},     {4096, 1, 1, 1024, 1, 1, 3},
        {20000, 1, 1, 64, 1, 1, 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        check_grid(shapes[i], shapes[i] + 3, shapes[i][6]);
}

/* User registers in ABI order. The kernel dumps s0..s15. */
static void test_user_registers(void **state)
{
    (void)state;
    static const char text[] = /* kernarg at s[8:9]: buffer 4, dispatch 2, queue 2 come before */
        "s_load_dwordx2 s[20:21], s[8:9], 0x0\n"
        "s_waitcnt lgkmcnt(0)\n"
        "v_mov_b32 v1, 0\n"
        "s_mov_b64 exec, 1\n"
#define PUT(n) "v_mov_b32 v2, s" #n "\nglobal_store_dword v1, v2, s[20:21] offset:4*" #n "\n"
        PUT(0) PUT(1) PUT(2) PUT(3) PUT(4) PUT(5) PUT(6) PUT(7) PUT(8) PUT(9) PUT(10) PUT(11)
            PUT(12) PUT(13) PUT(14) PUT(15) PUT(16) PUT(17) PUT(18) "s_endpgm\n";
    rig_t *r = rig_create(1);
    rig_queue_t q;
    assert_true(rig_aql(r, &q));
    enum { BUFFER_DISPATCH_QUEUE_ID_FLAT_SIZE = 1 | 2 | 4 | 16 | 32 | 64, INFO = 1 << 10 };
    uint64_t out = rig_alloc(r, 128), args = args2(r, out, 0), signal = rig_signal(r, 1);
    uint64_t kernel = rig_kernel(r, text,
                                 &(rig_kernel_t){.user_sgprs = 15,
                                                 .properties = BUFFER_DISPATCH_QUEUE_ID_FLAT_SIZE,
                                                 .rsrc2 = INFO});
    for (uint32_t i = 0; i < 4; i++)
        q.descriptor->scratch_resource_descriptor[i] = 0xabc0 + i;
    q.descriptor->scratch_backing_memory_location = 0x123456789abcull;
    q.descriptor->compute_tmpring_size = 4 | 1 << 12;
    rig_dispatch(&q,
                 &(rig_dispatch_t){
                     .kernel = kernel, .args = args, .signal = signal, .scratch = 16, .grid = {1}});
    assert_true(rig_wait(r, signal, 0));
    const uint32_t *s = rig_ptr(r, out);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(s[i], 0xabc0 + i);
    assert_int_equal(s[4] | (uint64_t)s[5] << 32, q.ring_va);
    assert_int_equal(s[6] | (uint64_t)s[7] << 32, q.descriptor_va);
    assert_int_equal(s[8] | (uint64_t)s[9] << 32, args);
    assert_int_equal(s[10] | s[11], 0);                                 /* dispatch id */
    assert_int_equal(s[12] | (uint64_t)s[13] << 32, 0x123456789abcull); /* flat scratch */
    assert_int_equal(s[14], 16);                                        /* private size */
    assert_int_equal(s[15] | s[16] | s[17], 0);                         /* workgroup */
    assert_int_equal(s[18], 0x80000001u);                               /* first wave of 1 */
    rig_close(&q);
}

static void test_completion(void **state)
{
    (void)state;
    rig_t *r = rig_create(1);
    rig_queue_t q;
    assert_true(rig_aql(r, &q));
    uint64_t sum = rig_alloc(r, 4), signal = rig_signal(r, 5), mailbox = rig_alloc(r, 8);
    amd_signal_t *s = rig_signal_at(r, signal);
    s->event_mailbox_ptr = mailbox;
    s->event_id = 1234;
    q.descriptor->queue_properties = AMD_QUEUE_PROPERTIES_ENABLE_PROFILING;
    uint64_t before = sg_device_clock();
    rig_dispatch(&q, &(rig_dispatch_t){.kernel = rig_kernel(r, add_text, NULL),
                                       .args = args2(r, sum, 7),
                                       .signal = signal});
    assert_true(rig_wait(r, signal, 4));
    assert_true(rig_wait_word(&r->raised[1234], 1));
    assert_int_equal(s->value, 4);
    assert_int_equal(*(uint64_t *)rig_ptr(r, mailbox), 1234);
    assert_int_equal(*(uint32_t *)rig_ptr(r, sum), 7);
    assert_true(before <= s->start_ts && s->start_ts <= s->end_ts &&
                s->end_ts <= sg_device_clock());
    rig_close(&q);
}

/* Ten times round the ring: read index, slots, and nothing lost. */
static void test_ring_wraps(void **state)
{
    (void)state;
    rig_t *r = rig_create(2);
    rig_queue_t q;
    assert_true(rig_aql(r, &q));
    uint64_t sum = rig_alloc(r, 4), signal = rig_signal(r, 10 * RIG_SLOTS);
    rig_dispatch_t d = {
        .kernel = rig_kernel(r, add_text, NULL), .args = args2(r, sum, 1), .signal = signal};
    for (unsigned i = 0; i < 10 * RIG_SLOTS; i++) {
        d.barrier = i % 3 == 0;
        rig_dispatch(&q, &d);
    }
    assert_true(rig_wait(r, signal, 0));
    assert_int_equal(*(uint32_t *)rig_ptr(r, sum), 10 * RIG_SLOTS);
    uint64_t *read = (uint64_t *)&q.descriptor->read_dispatch_id;
    while (__atomic_load_n(read, __ATOMIC_ACQUIRE) < 10 * RIG_SLOTS) {
    }
    for (unsigned i = 0; i < RIG_SLOTS; i++)
        assert_int_equal(*(uint16_t *)rig_ptr(r, q.ring_va + i * 64), HSA_PACKET_TYPE_INVALID);
    rig_close(&q);
}

/* In these tests mostly to show that something does not happen, for which there is no event: a
 * queue that goes on too early does so within microseconds, so that some milliseconds are enough.
 */
static void sleep_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

static void submit_barrier(rig_queue_t *q, uint8_t type, const uint64_t *deps, uint64_t signal)
{
    hsa_barrier_and_packet_t p = {.header = type, .completion_signal = {signal}};
    for (unsigned i = 0; i < 5; i++)
        p.dep_signal[i].handle = deps[i];
    rig_submit(q, &p);
}

static void test_barriers(void **state)
{
    (void)state;
    rig_t *r = rig_create(1);
    rig_queue_t q;
    assert_true(rig_aql(r, &q));
    uint64_t a = rig_signal(r, 1), b = rig_signal(r, 1), c = rig_signal(r, 1),
             done = rig_signal(r, 1);
    submit_barrier(&q, HSA_PACKET_TYPE_BARRIER_AND, (uint64_t[5]){a, 0, b, 0, 0}, done);
    sleep_ms(30); /* long enough for the queue to be past its spinning */
    assert_int_equal(rig_signal_at(r, done)->value, 1);
    __atomic_store_n((int64_t *)&rig_signal_at(r, a)->value, 0, __ATOMIC_RELEASE);
    sleep_ms(5);
    assert_int_equal(rig_signal_at(r, done)->value, 1);
    __atomic_store_n((int64_t *)&rig_signal_at(r, b)->value, 0, __ATOMIC_RELEASE);
    assert_true(rig_wait(r, done, 0));

    uint64_t open = rig_signal(r, 1), either = rig_signal(r, 1), none = rig_signal(r, 1);
    submit_barrier(&q, HSA_PACKET_TYPE_BARRIER_OR, (uint64_t[5]){open, c, 0, 0, 0}, either);
    sleep_ms(2);
    assert_int_equal(rig_signal_at(r, either)->value, 1);
    __atomic_store_n((int64_t *)&rig_signal_at(r, c)->value, 0, __ATOMIC_RELEASE);
    assert_true(rig_wait(r, either, 0));
    submit_barrier(&q, HSA_PACKET_TYPE_BARRIER_OR, (uint64_t[5]){0}, none);
    assert_true(rig_wait(r, none, 0));
    rig_close(&q);
}

/* AMD's barrier-value packet. */
static void test_barrier_value(void **state)
{
    static const struct {
        uint32_t condition;
        int64_t value, mask, before, after;
    } rows[] = {
        {0, 3, 0xff, 4, 0x103},
        {1, 3, -1, 3, 9},
        {2, 0, -1, 5, -1},
        {3, 10, -1, 9, 10},
    };
    (void)state;
    rig_t *r = rig_create(1);
    rig_queue_t q;
    assert_true(rig_aql(r, &q));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t signal = rig_signal(r, rows[i].before), done = rig_signal(r, 1);
        uint64_t words[8] = {0 | 2 << 16,
                             signal,
                             (uint64_t)rows[i].value,
                             (uint64_t)rows[i].mask,
                             rows[i].condition,
                             0,
                             0,
                             done};
        rig_submit(&q, words);
        sleep_ms(2);
        assert_int_equal(rig_signal_at(r, done)->value, 1);
        __atomic_store_n((int64_t *)&rig_signal_at(r, signal)->value, rows[i].after,
                         __ATOMIC_RELEASE);
        assert_true(rig_wait(r, done, 0));
    }
    /* no signal is a dependency that is met, whatever the rest says */
    for (uint32_t condition = 0; condition < 5; condition++) {
        uint64_t done = rig_signal(r, 1);
        uint64_t words[8] = {0 | 2 << 16, 0, 7, 0, condition, 0, 0, done};
        rig_submit(&q, words);
        assert_true(rig_wait(r, done, 0));
    }
    assert_int_equal(atomic_load(&r->errors), 0);
    rig_close(&q);
}

/* A packet with the barrier bit starts after all before it: each kernel doubles and adds. */
static void test_barrier_bit_orders(void **state)
{
    static const char text[] = /* *args[0] = 3 * *args[0] + args[1], not atomic */
        "s_load_dwordx4 s[8:11], s[0:1], 0x0\n"
        "s_waitcnt lgkmcnt(0)\n"
        "s_movk_i32 s12, 0x100\n"
        "again: s_sub_u32 s12, s12, 1\n"
        "s_cmp_lg_u32 s12, 0\n"
        "s_cbranch_scc1 again\n"
        "v_mov_b32 v1, 0\n"
        "s_mov_b64 exec, 1\n"
        "global_load_dword v2, v1, s[8:9]\n"
        "s_waitcnt vmcnt(0)\n"
        "v_mul_u32_u24 v2, 3, v2\n"
        "v_add_u32 v2, s10, v2\n"
        "global_store_dword v1, v2, s[8:9]\n"
        "s_endpgm\n";
    (void)state;
    rig_t *r = rig_create(4);
    rig_queue_t q;
    assert_true(rig_aql(r, &q));
    uint64_t kernel = rig_kernel(r, text, NULL), cell = rig_alloc(r, 4), signal = rig_signal(r, 12);
    uint32_t want = 0;
    for (uint32_t i = 1; i <= 12; i++) {
        want = 3 * (want & 0xffffff) + i;
        rig_dispatch(&q, &(rig_dispatch_t){.kernel = kernel,
                                           .args = args2(r, cell, i),
                                           .signal = signal,
                                           .barrier = true});
    }
    assert_true(rig_wait(r, signal, 0));
    assert_int_equal(*(uint32_t *)rig_ptr(r, cell), want);
    rig_close(&q);
}

/* PM4 in a vendor packet: memory, registers, clock, wait, end-of-pipe write with interrupt. */
static void test_pm4(void **state)
{
    (void)state;
    rig_t *r = rig_create(1);
    rig_queue_t q;
    assert_true(rig_aql(r, &q));
    uint64_t out = rig_alloc(r, 64), flag = rig_alloc(r, 4), ib = rig_alloc(r, 512),
             done = rig_signal(r, 1);
    uint32_t lo = (uint32_t)out, hi = (uint32_t)(out >> 32), flo = (uint32_t)flag, n = 0;
    uint32_t *dw = rig_ptr(r, ib);
#define P3(op, body) (3u << 30 | ((body)-1u) << 16 | (op) << 8)
#define ADD(...)                                                                                   \
    do {                                                                                           \
        uint32_t w_[] = {__VA_ARGS__};                                                             \
        memcpy(dw + n, w_, sizeof w_);                                                             \
        n += sizeof w_ / 4;                                                                        \
    } while (0)
    ADD(0x80000000u);                                              /* type 2 filler */
    ADD(3u << 30 | 0x3fffu << 16 | 0x10u << 8);                    /* NOP of one dword */
    ADD(P3(0x10u, 2u), 1, 2);                                      /* NOP with a body */
    ADD(P3(0x37u, 5u), 5u << 8, lo, hi, 0x11, 0x22);               /* WRITE_DATA */
    ADD(P3(0x79u, 3u), 0x10, 0x33, 0x44);                          /* SET_UCONFIG_REG 0xc010.. */
    ADD(P3(0x40u, 5u), 5u << 8 | 1u << 16, 0xc010, 0, lo + 8, hi); /* COPY_DATA: registers */
    ADD(P3(0x40u, 5u), 5u << 8 | 1u << 16 | 9, 0, 0, lo + 16, hi); /* COPY_DATA: clock */
    ADD(P3(0x40u, 5u), 5u << 8 | 5, 0x55, 0, lo + 24, hi);         /* COPY_DATA: immediate */
    ADD(P3(0x58u, 6u), 1u << 29, 0, 0, 0, 0, 0);                   /* ACQUIRE_MEM */
    ADD(P3(0x46u, 1u), 7 | 4u << 8);                               /* EVENT_WRITE flush */
    ADD(P3(0x3cu, 6u), 3 | 1u << 4, flo, hi, 9, 0xff, 4);          /* WAIT_REG_MEM == 9 */
    ADD(P3(0x3cu, 6u), 4, 0x338, 0, 1, 1u << 30,
        4); /* a register's bit is not 1: at the end of traces */
    ADD(P3(0x1eu, 8u), 7, lo + 28, hi, 0x66, 0, 0, 0, 0); /* ATOMIC_MEM swap */
    ADD(P3(0x49u, 7u), 0x14 | 5u << 8, 2u << 24 | 1u << 29, lo + 32, hi, 0x77, 0,
        300); /* RELEASE_MEM */
    uint32_t packet[16] = {
        1u << 16, P3(0x3fu, 3u), (uint32_t)ib, (uint32_t)(ib >> 32), n | 1u << 23, 10};
    memcpy(packet + 14, &done, 8);
    rig_submit(&q, packet);
    sleep_ms(3);
    assert_int_equal(rig_signal_at(r, done)->value, 1);
    __atomic_store_n((uint32_t *)rig_ptr(r, flag), 0x709, __ATOMIC_RELEASE);
    assert_true(rig_wait(r, done, 0));
    const uint32_t *w = rig_ptr(r, out);
    uint64_t clock = w[4] | (uint64_t)w[5] << 32;
    assert_true(clock && clock <= sg_device_clock());
    const uint32_t want[] = {0x11, 0x22, 0x33, 0x44, w[4], w[5], 0x55, 0x66, 0x77};
    assert_int_equal(atomic_load(&r->errors), 0);
    assert_memory_equal(w, want, sizeof want);
    assert_int_equal(atomic_load(&r->raised[300]), 1);
    rig_close(&q);
}

/* Atomic operations, their old values, and copies by the command processor: PC sampling of newer
 * runtimes exchanges and copies its buffers with these. */
static void test_pm4_atomics_and_copies(void **state)
{
    static const struct {
        uint32_t code; /* + 32: 64 bits */
        uint64_t before, source, compare, after;
    } rows[] = {
        {7, 1, 2, 0, 2},
        {8, 1, 2, 1, 2},
        {8, 1, 2, 3, 1},
        {15, 0xffffffff, 2, 0, 1},
        {16, 1, 2, 0, 0xffffffff},
        {17, 1, 0xffffffff, 0, 0xffffffff}, /* signed minimum of 1 and -1 */
        {18, 1, 0xffffffff, 0, 1},
        {19, 1, 0xffffffff, 0, 1},
        {20, 1, 0xffffffff, 0, 0xffffffff},
        {21, 6, 3, 0, 2},
        {22, 6, 3, 0, 7},
        {23, 6, 3, 0, 5},
        {24, 6, 7, 0, 7},
        {24, 7, 7, 0, 0},
        {25, 0, 7, 0, 7},
        {25, 9, 7, 0, 7},
        {25, 5, 7, 0, 4},
        {39, UINT64_C(0x8000000000000005), 9, 0, 9},
        {40, UINT64_C(1) << 40, UINT64_C(1) << 41, UINT64_C(1) << 40, UINT64_C(1) << 41},
        {47, 0xffffffff, 2, 0, UINT64_C(0x100000001)},
        {49, 1, UINT64_MAX, 0, UINT64_MAX},
    };
    enum { ROWS = sizeof rows / sizeof rows[0], BORDER = 32 << 20, COPIED = 1000 };
    (void)state;
    rig_t *r = rig_create(1);
    rig_queue_t q;
    assert_true(rig_aql(r, &q));
    uint64_t cells = rig_alloc(r, 8 * ROWS), olds = rig_alloc(r, 8 * ROWS), fill = rig_alloc(r, 16),
             ib = rig_alloc(r, 4096), done = rig_signal(r, 1), source = rig_alloc(r, COPIED),
             target = RIG_VA + BORDER - 500; /* across extents */
    uint32_t *dw = rig_ptr(r, ib), n = 0;
    for (uint32_t i = 0; i < ROWS; i++) {
        uint64_t at = cells + 8ull * i, old = olds + 8ull * i, s = rows[i].source,
                 c = rows[i].compare;
        bool wide = rows[i].code & 32;
        memcpy(rig_ptr(r, at), &rows[i].before, 8);
        ADD(P3(0x1eu, 8u), rows[i].code, (uint32_t)at, (uint32_t)(at >> 32), (uint32_t)s,
            (uint32_t)(s >> 32), (uint32_t)c, (uint32_t)(c >> 32), 0); /* ATOMIC_MEM */
        ADD(P3(0x40u, 5u), 6 | 2u << 8 | (wide ? 1u << 16 : 0) | 1u << 20, 0, 0, (uint32_t)old,
            (uint32_t)(old >> 32)); /* COPY_DATA: what it found */
    }
    for (uint32_t i = 0; i < COPIED; i++)
        *(uint8_t *)rig_ptr(r, source + i) = (uint8_t)(i * 7);
    ADD(P3(0x50u, 6u), 3u << 29 | 3u << 20, (uint32_t)source, (uint32_t)(source >> 32),
        (uint32_t)target, (uint32_t)(target >> 32), COPIED); /* DMA_DATA */
    ADD(P3(0x50u, 6u), 2u << 29 | 0u << 20, 0x01020304, 0, (uint32_t)fill, (uint32_t)(fill >> 32),
        10);
    uint32_t packet[16] = {
        1u << 16, P3(0x3fu, 3u), (uint32_t)ib, (uint32_t)(ib >> 32), n | 1u << 23, 10};
    memcpy(packet + 14, &done, 8);
    rig_submit(&q, packet);
    if (!rig_wait(r, done, 0)) fail_msg("%s", r->error_text);
    for (uint32_t i = 0; i < ROWS; i++) {
        uint64_t cell, old;
        memcpy(&cell, rig_ptr(r, cells + 8ull * i), 8);
        memcpy(&old, rig_ptr(r, olds + 8ull * i), 8);
        if (cell != rows[i].after || old != rows[i].before)
            fail_msg("row %u: memory %llx, old value %llx", i, (unsigned long long)cell,
                     (unsigned long long)old);
    }
    assert_memory_equal(rig_ptr(r, target), rig_ptr(r, source), COPIED);
    assert_memory_equal(rig_ptr(r, fill), "\4\3\2\1\4\3\2\1\4\3\0\0", 12);
    rig_close(&q);
}

/* The queue asks for scratch through its inactive signal, waits, and gives each wave its own. */
static void test_scratch(void **state)
{
    static const char
        text[] = /* args[0] + 4 * (workgroup * 2 + wave in group): wave offset in s7 */
        "s_load_dwordx2 s[8:9], s[0:1], 0x0\n"
        "v_lshrrev_b32 v1, 6, v0\n"
        "v_readfirstlane_b32 s10, v1\n"
        "s_lshl_b32 s11, s4, 1\n"
        "s_add_u32 s11, s11, s10\n"
        "s_lshl_b32 s11, s11, 2\n"
        "v_mov_b32 v2, s11\n"
        "v_mov_b32 v3, s7\n"
        "s_waitcnt lgkmcnt(0)\n"
        "s_barrier\n"
        "s_mov_b64 exec, 1\n"
        "global_store_dword v2, v3, s[8:9]\n"
        "s_endpgm\n";
    enum { FLAT_INIT = 32, SCRATCH_OFFSET = 1, WAVE_KB = 2, WAVES = 8 };
    (void)state;
    rig_t *r = rig_create(1);
    rig_queue_t q;
    assert_true(rig_aql(r, &q));
    uint64_t out = rig_alloc(r, 4096), signal = rig_signal(r, 1);
    uint64_t inactive = q.descriptor->queue_inactive_signal.handle;
    amd_signal_t *s = rig_signal_at(r, inactive);
    s->event_id = 77;
    s->event_mailbox_ptr = rig_alloc(r, 8);
    rig_dispatch(&q, &(rig_dispatch_t){.kernel = rig_kernel(r, text,
                                                            &(rig_kernel_t){.properties = FLAT_INIT,
                                                                            .user_sgprs = 4,
                                                                            .rsrc2 = SCRATCH_OFFSET,
                                                                            .id_axes = 1}),
                                       .args = args2(r, out, 0),
                                       .signal = signal,
                                       .scratch = 20,
                                       .grid = {64 * 128},
                                       .group = {128}});
    assert_true(rig_wait_word(&r->raised[77], 1));
    assert_int_equal(s->value, 1);
    assert_int_equal(q.descriptor->read_dispatch_id, 0);
    q.descriptor->compute_tmpring_size = WAVES | WAVE_KB << 12;
    q.descriptor->scratch_backing_memory_location = rig_alloc(r, WAVES * WAVE_KB << 10);
    __atomic_store_n((int64_t *)&s->value, 0, __ATOMIC_RELEASE);
    assert_true(rig_wait(r, signal, 0));
    const uint32_t *offset = rig_ptr(r, out);
    for (unsigned i = 0; i < 64; i++) {
        assert_true(offset[2 * i] !=
                    offset[2 * i + 1]); /* both waves of a group are there at once */
        for (unsigned k = 2 * i; k < 2 * i + 2; k++) {
            assert_int_equal(offset[k] % (WAVE_KB << 10), 0);
            assert_true(offset[k] < WAVES * WAVE_KB << 10);
        }
    }
    rig_close(&q);
}

/* A ring for not even one packet, or one whose packets stand anywhere, is none. */
static void test_rings_that_do_not_fit(void **state)
{
    static const struct {
        uint64_t add, bytes;
    } rows[] = {{0, 32}, {0, 3 * 64}, {8, 256}, {RIG_UNMAPPED - RIG_VA, 256}};
    (void)state;
    rig_t *r = rig_create(1);
    rig_queue_t q, sdma;
    assert_true(rig_aql(r, &q) && rig_sdma(r, &sdma));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_int_equal(sg_queue_update(q.queue, q.ring_va + rows[i].add, rows[i].bytes, 100),
                         -EINVAL);
    assert_int_equal(sg_queue_update(sdma.queue, sdma.ring_va, 10, 100), -EINVAL);
    assert_int_equal(sg_queue_update(sdma.queue, sdma.ring_va + 2, 64, 100), -EINVAL);
    assert_int_equal(sg_queue_update(q.queue, q.ring_va, RIG_SLOTS * 64, 100), 0);
    uint64_t done = rig_signal(r, 1);
    submit_barrier(&q, HSA_PACKET_TYPE_BARRIER_AND, (uint64_t[5]){0}, done);
    assert_true(rig_wait(r, done, 0));
    rig_close(&q);
    rig_close(&sdma);
}

/* ---- errors: each ends the queue with its own text and the code ROCr understands ---- */

typedef struct {
    const char *name;
    void (*submit)(rig_queue_t *q, uint64_t kernel);
    const char *kernel;
    const rig_kernel_t how;
    sg_queue_error_t what;
    int64_t code;
    const char *text;
} error_row_t;

static void submit_plain(rig_queue_t *q, uint64_t kernel)
{
    rig_dispatch(q, &(rig_dispatch_t){.kernel = kernel, .args = args2(q->rig, 0, 0)});
}

static void submit_no_kernel(rig_queue_t *q, uint64_t kernel)
{
    (void)kernel;
    rig_dispatch(q, &(rig_dispatch_t){.kernel = RIG_UNMAPPED});
}

static void submit_large_group(rig_queue_t *q, uint64_t kernel)
{
    rig_dispatch(q, &(rig_dispatch_t){.kernel = kernel, .grid = {2048}, .group = {1025}});
}

static void submit_registers(rig_queue_t *q, uint64_t kernel)
{
    rig_dispatch(q, &(rig_dispatch_t){.kernel = kernel, .grid = {1024}, .group = {1024}});
}

static void submit_lds(rig_queue_t *q, uint64_t kernel)
{
    rig_dispatch(q, &(rig_dispatch_t){.kernel = kernel, .lds = 65537});
}

static void submit_no_dimension(rig_queue_t *q, uint64_t kernel)
{
    hsa_kernel_dispatch_packet_t p = {.header = HSA_PACKET_TYPE_KERNEL_DISPATCH,
                                      .kernel_object = kernel,
                                      .workgroup_size_x = 64,
                                      .workgroup_size_y = 1,
                                      .workgroup_size_z = 1,
                                      .grid_size_x = 64,
                                      .grid_size_y = 0,
                                      .grid_size_z = 1};
    rig_submit(q, &p);
}

/* 2^64 workgroups, which would be counted as none. */
static void submit_large_grid(rig_queue_t *q, uint64_t kernel)
{
    rig_dispatch(q, &(rig_dispatch_t){.kernel = kernel, .grid = {1u << 31, 1u << 31, 4}});
}

static void submit_agent(rig_queue_t *q, uint64_t kernel)
{
    (void)kernel;
    rig_submit(q, (uint64_t[8]){HSA_PACKET_TYPE_AGENT_DISPATCH});
}

static void submit_vendor(rig_queue_t *q, uint64_t kernel)
{
    (void)kernel;
    rig_submit(q, (uint64_t[8]){99u << 16});
}

static void submit_bad_condition(rig_queue_t *q, uint64_t kernel)
{
    (void)kernel;
    rig_submit(q, (uint64_t[8]){2u << 16, rig_signal(q->rig, 1), 0, 0, 4});
}

static void submit_bad_signal(rig_queue_t *q, uint64_t kernel)
{
    (void)kernel;
    submit_barrier(q, HSA_PACKET_TYPE_BARRIER_AND, (uint64_t[5]){RIG_UNMAPPED}, 0);
}

static void submit_odd_signal(rig_queue_t *q, uint64_t kernel)
{
    (void)kernel;
    submit_barrier(q, HSA_PACKET_TYPE_BARRIER_OR, (uint64_t[5]){rig_signal(q->rig, 1) + 4}, 0);
}

static const error_row_t errors[] = {
    {"kernel object",
     submit_no_kernel,
     "s_endpgm",
     {0},
     SG_QUEUE_ERROR_PACKET,
     0x8,
     "0x7d0000001000"},
    {"workgroup size",
     submit_large_group,
     "s_endpgm",
     {0},
     SG_QUEUE_ERROR_RESOURCES,
     0x40,
     "1025 work-items, limit 1024"},
    {"registers",
     submit_registers,
     "s_endpgm",
     {.vgprs = 256},
     SG_QUEUE_ERROR_RESOURCES,
     0x80,
     "16 waves of 256 registers"},
    {"LDS",
     submit_lds,
     "s_endpgm",
     {0},
     SG_QUEUE_ERROR_RESOURCES,
     0x4,
     "65537 bytes of LDS, limit 65536"},
    {"dimension",
     submit_no_dimension,
     "s_endpgm",
     {0},
     SG_QUEUE_ERROR_PACKET,
     0x2,
     "grid size of axis y"},
    {"workgroups",
     submit_large_grid,
     "s_endpgm",
     {0},
     SG_QUEUE_ERROR_PACKET,
     0x2,
     "grid of 2147483648x2147483648x4 in workgroups of 1x1x1, limit 2^56"},
    {"agent dispatch", submit_agent, "s_endpgm", {0}, SG_QUEUE_ERROR_PACKET, 0x20, "type 4"},
    {"vendor format",
     submit_vendor,
     "s_endpgm",
     {0},
     SG_QUEUE_ERROR_PACKET,
     0x100,
     "vendor format 99"},
    {"barrier condition",
     submit_bad_condition,
     "s_endpgm",
     {0},
     SG_QUEUE_ERROR_PACKET,
     0x100,
     "condition 4"},
    {"dependency",
     submit_bad_signal,
     "s_endpgm",
     {0},
     SG_QUEUE_ERROR_PACKET,
     0x20,
     "0x7d0000001000"},
    {"odd signal",
     submit_odd_signal,
     "s_endpgm",
     {0},
     SG_QUEUE_ERROR_PACKET,
     0x20,
     "not mapped, or not aligned"},
    {"abort",
     submit_plain,
     "s_trap 2\ns_endpgm",
     {0},
     SG_QUEUE_ERROR_TRAP,
     0x80000000,
     "s_trap 2 at 0x7e"},
    {"illegal",
     submit_plain,
     ".long 0xffffffff\ns_endpgm",
     {0},
     SG_QUEUE_ERROR_ILLEGAL,
     0x40000000,
     "0x7e"},
};

static void test_errors(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        const error_row_t *e = &errors[i];
        rig_t *r = rig_create(1);
        rig_queue_t q;
        assert_true(rig_aql(r, &q));
        e->submit(&q, rig_kernel(r, e->kernel, &e->how));
        assert_true(rig_wait_word(&r->errors, 1));
        if (r->error != e->what || !strstr(r->error_text, e->text))
            fail_msg("%s: error %d, \"%s\"", e->name, (int)r->error, r->error_text);
        int64_t *code =
            (int64_t *)&rig_signal_at(r, q.descriptor->queue_inactive_signal.handle)->value;
        for (int tries = 0; tries < 1000 && !__atomic_load_n(code, __ATOMIC_ACQUIRE); tries++)
            sleep_ms(1);
        assert_int_equal(__atomic_load_n(code, __ATOMIC_ACQUIRE), e->code);
        rig_close(&q);
    }
}

static void test_memory_fault(void **state)
{
    static const char text[] = "s_load_dwordx2 s[8:9], s[0:1], 0x0\n"
                               "v_mov_b32 v1, 0\n"
                               "s_waitcnt lgkmcnt(0)\n"
                               "global_store_dword v1, v1, s[8:9]\n"
                               "s_endpgm\n";
    (void)state;
    rig_t *r = rig_create(1);
    rig_queue_t q;
    assert_true(rig_aql(r, &q));
    uint64_t signal = rig_signal(r, 1);
    rig_dispatch(&q, &(rig_dispatch_t){.kernel = rig_kernel(r, text, NULL),
                                       .signal = signal,
                                       .args = args2(r, RIG_UNMAPPED, 0),
                                       .grid = {1 << 20},
                                       .group = {256}});
    assert_true(rig_wait_word(&r->faults, 1));
    assert_int_equal(r->fault_va, RIG_UNMAPPED);
    assert_true(r->fault_flags & 2);
    sleep_ms(5);
    assert_int_equal(rig_signal_at(r, signal)->value,
                     1); /* a dispatch that failed never completes */
    assert_int_equal(atomic_load(&r->faults), 1);
    rig_close(&q);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_launch_shapes),
        cmocka_unit_test(test_user_registers),
        cmocka_unit_test(test_completion),
        cmocka_unit_test(test_ring_wraps),
        cmocka_unit_test(test_barriers),
        cmocka_unit_test(test_barrier_value),
        cmocka_unit_test(test_barrier_bit_orders),
        cmocka_unit_test(test_pm4),
        cmocka_unit_test(test_pm4_atomics_and_copies),
        cmocka_unit_test(test_scratch),
        cmocka_unit_test(test_rings_that_do_not_fit),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_memory_fault),
    };
    if (!asm_available()) return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
