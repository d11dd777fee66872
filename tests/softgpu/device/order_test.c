/* order_test.c - what happens before what, by packets, signals, copies and what the program sees.
 *
 * Kernels hold until the test lets them go: the order is asked for while the later one runs, with
 * the earlier one long over, so that nothing but what the program may rely on makes a difference.
 */
#include "rig.h"

#include "asm.h"
#include "softgpu/check/group.h"
#include "softgpu/check/order.h"
#include "softgpu/check/sink.h"
#include "softgpu/memory/guard.h"

#include <hsa/hsa.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <cmocka.h>

/* Adds 1 to *args[0], then holds until *args[1] is not 0. */
static const char hold_text[] = "s_load_dwordx4 s[8:11], s[0:1], 0x0\n"
                                "v_mov_b32 v1, 0\n"
                                "v_mov_b32 v2, 1\n"
                                "s_mov_b64 exec, 1\n"
                                "s_waitcnt lgkmcnt(0)\n"
                                "global_atomic_add v1, v2, s[8:9]\n"
                                "again: global_load_dword v3, v1, s[10:11] glc\n"
                                "s_waitcnt vmcnt(0)\n"
                                "v_readfirstlane_b32 s14, v3\n"
                                "s_cmp_eq_u32 s14, 0\n"
                                "s_cbranch_scc1 again\n"
                                "s_endpgm\n";

enum { QUEUES = 3 };

typedef struct {
    rig_t *rig;
    rig_queue_t q[QUEUES], sdma;
    uint64_t kernel, last; /* serial */
    const softgpu_order_api_t *program;
} bench_t;

typedef struct {
    uint64_t serial, started, go, signal;
} held_t;

/* Dispatches are numbered as they begin. */
static void setup(bench_t *b)
{
    b->rig = rig_create(4);
    for (unsigned k = 0; k < QUEUES; k++)
        assert_true(rig_aql(b->rig, &b->q[k]));
    assert_true(rig_sdma(b->rig, &b->sdma));
    b->kernel = rig_kernel(b->rig, hold_text, NULL);
    b->last = chk_line_dispatch(NULL);
    b->program = chk_order_api();
    assert_non_null(b->program);
}

/* Of a program whose calls are not seen, its waits are not either: then all is in order. */
static void test_unheard(void **state)
{
    chk_line_t *one = chk_line_create(0), *other = chk_line_create(0);
    (void)state;
    const uint64_t first = chk_line_dispatch(one), second = chk_line_dispatch(other);
    assert_true(chk_order_before(first, second));
    chk_order_api()->stored(8, 0); /* it creates a signal */
    assert_false(chk_order_before(first, second));
    chk_order_end(one, first);
    chk_order_end(other, second);
    chk_line_free(one);
    chk_line_free(other);
}

static void teardown(bench_t *b)
{
    for (unsigned k = 0; k < QUEUES; k++)
        rig_close(&b->q[k]);
    rig_close(&b->sdma);
    rig_destroy(b->rig);
}

static uint64_t value_of(uint64_t signal)
{
    return signal + offsetof(amd_signal_t, value);
}

static held_t submit(bench_t *b, unsigned queue, bool barrier)
{
    rig_t *r = b->rig;
    held_t h = {++b->last, rig_alloc(r, 4), rig_alloc(r, 4), rig_signal(r, 1)};
    const uint64_t args = rig_alloc(r, 16);
    uint64_t *p = rig_ptr(r, args);
    p[0] = h.started;
    p[1] = h.go;
    rig_dispatch(&b->q[queue], &(rig_dispatch_t){.kernel = b->kernel,
                                                 .args = args,
                                                 .signal = h.signal,
                                                 .barrier = barrier,
                                                 .group = {64},
                                                 .grid = {64}});
    return h;
}

static void wait_started(bench_t *b, const held_t *h)
{
    assert_true(rig_wait_word((_Atomic uint32_t *)rig_ptr(b->rig, h->started), 1));
}

static held_t begin(bench_t *b, unsigned queue, bool barrier)
{
    const held_t h = submit(b, queue, barrier);
    wait_started(b, &h);
    return h;
}

/* The lock of the order is taken, as it will be at the dispatch's end: for the race detector, which
 * does not see the wave wait, what was asked until here comes before that. */
static void let_go(bench_t *b, const held_t *h)
{
    chk_line_free(chk_line_create(0));
    atomic_store((_Atomic uint32_t *)rig_ptr(b->rig, h->go), 1);
    assert_true(rig_wait(b->rig, h->signal, 0));
}

/* One that is over. */
static held_t run(bench_t *b, unsigned queue, bool barrier)
{
    const held_t h = begin(b, queue, barrier);
    let_go(b, &h);
    return h;
}

static void barrier_packet(bench_t *b, unsigned queue, unsigned type, bool bit, uint64_t first,
                           uint64_t second)
{
    const hsa_barrier_and_packet_t p = {
        .header = (uint16_t)(type | (bit ? 1 << HSA_PACKET_HEADER_BARRIER : 0)),
        .dep_signal = {{first}, {second}}};
    rig_submit(&b->q[queue], &p);
}

static void test_packets_of_a_queue(void **state)
{
    bench_t b;
    (void)state;
    setup(&b);
    const held_t first = run(&b, 0, false);
    const held_t second = begin(&b, 0, true);
    assert_true(chk_order_before(first.serial, second.serial));
    const held_t third = begin(&b, 0, false); /* does not wait for the second */
    assert_true(chk_order_before(first.serial, third.serial));
    assert_false(chk_order_before(second.serial, third.serial));
    let_go(&b, &second);
    const held_t fourth = begin(&b, 0, false); /* that the second is over is chance */
    assert_false(chk_order_before(second.serial, fourth.serial));
    assert_false(chk_order_before(third.serial, fourth.serial));
    let_go(&b, &third);
    let_go(&b, &fourth);
    const held_t last = begin(&b, 0, true);
    assert_true(chk_order_before(second.serial, last.serial));
    assert_true(chk_order_before(third.serial, last.serial));
    assert_true(chk_order_before(fourth.serial, last.serial));
    const held_t beside = begin(&b, 0, false);
    assert_true(chk_order_before(fourth.serial, beside.serial));
    assert_false(chk_order_before(last.serial, beside.serial));
    let_go(&b, &last);
    let_go(&b, &beside);
    teardown(&b);
}

static void test_barrier_packets(void **state)
{
    bench_t b;
    (void)state;
    setup(&b);
    const held_t before = run(&b, 0, true), first = run(&b, 0, true), other = run(&b, 1, true);
    const held_t alone = begin(&b, 2, true);
    assert_false(chk_order_before(first.serial, alone.serial));
    let_go(&b, &alone);

    barrier_packet(&b, 2, HSA_PACKET_TYPE_BARRIER_AND, false, first.signal, 0);
    const held_t after = begin(&b, 2, false);
    assert_true(chk_order_before(first.serial, after.serial));
    assert_true(chk_order_before(before.serial, after.serial)); /* which the first knew */
    assert_false(chk_order_before(other.serial, after.serial));
    assert_false(chk_order_before(alone.serial, after.serial)); /* no barrier bit */
    let_go(&b, &after);

    const uint64_t open = rig_signal(b.rig, 1);
    barrier_packet(&b, 2, HSA_PACKET_TYPE_BARRIER_OR, true, open, other.signal);
    const held_t last = begin(&b, 2, false);
    assert_true(chk_order_before(other.serial, last.serial));
    assert_true(chk_order_before(alone.serial, last.serial));
    let_go(&b, &last);
    teardown(&b);
}

/* The value of a signal that somebody has set anew says nothing of those before. */
static void test_signals_are_used_again(void **state)
{
    bench_t b;
    (void)state;
    setup(&b);
    const held_t first = run(&b, 0, true);
    held_t second = submit(&b, 1, true);
    wait_started(&b, &second);
    let_go(&b, &second);
    /* the second's packet again, with the first's signal */
    int64_t *value = (int64_t *)&rig_signal_at(b.rig, first.signal)->value;
    __atomic_store_n(value, 1, __ATOMIC_SEQ_CST);
    b.last++;
    const uint64_t args = rig_alloc(b.rig, 16);
    uint64_t *p = rig_ptr(b.rig, args);
    p[0] = second.started;
    p[1] = second.go;
    rig_dispatch(&b.q[1], &(rig_dispatch_t){.kernel = b.kernel,
                                            .args = args,
                                            .signal = first.signal,
                                            .barrier = true,
                                            .group = {64},
                                            .grid = {64}});
    assert_true(rig_wait(b.rig, first.signal, 0));
    const uint64_t third = b.last;
    barrier_packet(&b, 2, HSA_PACKET_TYPE_BARRIER_AND, false, first.signal, 0);
    const held_t after = begin(&b, 2, false);
    assert_true(chk_order_before(third, after.serial));
    assert_true(chk_order_before(second.serial, after.serial));
    assert_false(chk_order_before(first.serial, after.serial));
    let_go(&b, &after);
    teardown(&b);
}

/* Two count a signal down: who waits for it knows both. */
static void test_signals_that_count(void **state)
{
    bench_t b;
    (void)state;
    setup(&b);
    const uint64_t signal = rig_signal(b.rig, 2);
    held_t h[2];
    for (unsigned k = 0; k < 2; k++) {
        h[k] = begin(&b, k, true);
        let_go(&b, &h[k]);
        barrier_packet(&b, k, HSA_PACKET_TYPE_BARRIER_AND, true, 0, 0);
        rig_submit(&b.q[k], &(hsa_barrier_and_packet_t){.header = HSA_PACKET_TYPE_BARRIER_AND,
                                                        .completion_signal = {signal}});
        assert_true(rig_wait(b.rig, signal, 1 - (int64_t)k));
    }
    barrier_packet(&b, 2, HSA_PACKET_TYPE_BARRIER_AND, false, signal, 0);
    const held_t after = begin(&b, 2, false);
    assert_true(chk_order_before(h[0].serial, after.serial));
    assert_true(chk_order_before(h[1].serial, after.serial));
    let_go(&b, &after);
    teardown(&b);
}

static void test_program_sees(void **state)
{
    bench_t b;
    (void)state;
    setup(&b);
    const held_t first = run(&b, 0, true);
    b.program->seen(value_of(first.signal), 1, false); /* not yet, then */
    const held_t second = begin(&b, 1, true);
    assert_false(chk_order_before(first.serial, second.serial));
    let_go(&b, &second);

    b.program->seen(value_of(first.signal), 0, false);
    const held_t third = begin(&b, 1, true);
    assert_true(chk_order_before(first.serial, third.serial));
    let_go(&b, &third);

    /* it sets a signal: who waits for it knows what the program knew, and no more */
    const uint64_t signal = rig_signal(b.rig, 1);
    const held_t unseen = run(&b, 1, true);
    barrier_packet(&b, 2, HSA_PACKET_TYPE_BARRIER_AND, false, signal, 0);
    b.program->stored(value_of(signal), 0);
    __atomic_store_n(&rig_signal_at(b.rig, signal)->value, 0, __ATOMIC_RELEASE);
    const held_t after = begin(&b, 2, false);
    assert_true(chk_order_before(first.serial, after.serial));
    assert_false(chk_order_before(unseen.serial, after.serial));
    let_go(&b, &after);

    /* nobody knows who has changed this one: a profiler that waits in the program's place */
    const uint64_t foreign = rig_signal(b.rig, 0);
    b.program->seen(value_of(foreign), 0, true);
    const held_t last = begin(&b, 2, true);
    assert_true(chk_order_before(unseen.serial, last.serial));
    let_go(&b, &last);
    teardown(&b);
}

static void ring(bench_t *b, unsigned queue)
{
    const rig_queue_t *q = &b->q[queue];
    b->program->rung(q->descriptor_va, q->write - 1, rig_ptr(b->rig, q->ring_va), RIG_SLOTS);
}

/* A packet knows what the program knew when it rang, however late it is taken. */
static void test_doorbells(void **state)
{
    bench_t b;
    (void)state;
    setup(&b);
    const held_t first = run(&b, 0, true), holding = begin(&b, 1, true);
    const held_t waiting = submit(&b, 1, true);
    ring(&b, 1);
    b.program->seen(value_of(first.signal), 0, true);
    const held_t later = submit(&b, 1, true);
    ring(&b, 1);
    let_go(&b, &holding);
    wait_started(&b, &waiting);
    assert_true(chk_order_before(holding.serial, waiting.serial));
    assert_false(chk_order_before(first.serial, waiting.serial));
    let_go(&b, &waiting);
    wait_started(&b, &later);
    assert_true(chk_order_before(first.serial, later.serial));
    let_go(&b, &later);
    teardown(&b);
}

#define LO(va) ((uint32_t)(va))
#define HI(va) ((uint32_t)((va) >> 32))

static uint64_t copy(bench_t *b, uint64_t to, uint64_t from)
{
    rig_sdma_write(&b->sdma, (uint32_t[]){1, 3, 0, LO(from), HI(from), LO(to), HI(to)}, 7);
    return ++b->last;
}

static void poll(bench_t *b, uint64_t signal)
{
    enum { EQUAL = 3, OF_MEMORY = 1u << 31 };
    const uint64_t va = value_of(signal);
    rig_sdma_write(&b->sdma,
                   (uint32_t[]){8 | (uint32_t)EQUAL << 28 | OF_MEMORY, LO(va), HI(va), 0,
                                UINT32_MAX, 4 | 4095u << 16},
                   6);
}

static void count_down(bench_t *b, uint64_t signal)
{
    enum { ADD_64 = 15 + 32 };
    const uint64_t va = value_of(signal);
    rig_sdma_write(
        &b->sdma,
        (uint32_t[]){10 | (uint32_t)ADD_64 << 25, LO(va), HI(va), UINT32_MAX, UINT32_MAX, 0, 0, 0},
        8);
}

static void drain_sdma(bench_t *b)
{
    const uint64_t *read = rig_ptr(b->rig, b->sdma.sdma_pointers_va);
    while (__atomic_load_n(read, __ATOMIC_ACQUIRE) != b->sdma.write)
        sched_yield();
}

static void test_copies(void **state)
{
    bench_t b;
    (void)state;
    setup(&b);
    const uint64_t from = rig_alloc(b.rig, 4), to = rig_alloc(b.rig, 4);
    const held_t first = run(&b, 0, true);
    const uint64_t early = copy(&b, to, from);
    drain_sdma(&b);
    assert_false(chk_order_before(first.serial, early)); /* which lasts until the next packet */
    poll(&b, first.signal);
    const uint64_t late = copy(&b, to, from);
    drain_sdma(&b);
    assert_true(chk_order_before(first.serial, late));
    assert_true(chk_order_before(early, late));

    const held_t beside = begin(&b, 1, true);
    assert_false(chk_order_before(late, beside.serial));
    let_go(&b, &beside);
    const uint64_t signal = rig_signal(b.rig, 1);
    count_down(&b, signal);
    const uint64_t behind = copy(&b, to, from);
    barrier_packet(&b, 2, HSA_PACKET_TYPE_BARRIER_AND, false, signal, 0);
    drain_sdma(&b);
    const held_t after = begin(&b, 2, false);
    assert_true(chk_order_before(late, after.serial));
    assert_true(chk_order_before(first.serial, after.serial));
    assert_false(chk_order_before(behind, after.serial));
    ring(&b, 2); /* it is the program's own */
    let_go(&b, &after);
    const uint64_t call = b.program->called(); /* which copies by itself, or does not */
    b.program->returned(call);
    const held_t unknowing = begin(&b, 1, true);
    assert_false(chk_order_before(late, unknowing.serial));
    let_go(&b, &unknowing);
    count_down(&b, rig_signal(b.rig, 1)); /* so that the next is another */
    const uint64_t own = copy(&b, to, from);
    count_down(&b, rig_signal(b.rig, 1));
    drain_sdma(&b);
    b.program->returned(call);
    const held_t last = begin(&b, 1, true);
    assert_true(chk_order_before(late, last.serial));
    assert_true(chk_order_before(own, last.serial));
    assert_false(chk_order_before(after.serial, last.serial));
    let_go(&b, &last);
    teardown(&b);
}

/* Waves that meet by atomic accesses. */
static void test_meeting(void **state)
{
    bench_t b;
    (void)state;
    setup(&b);
    const held_t before = run(&b, 0, true), first = begin(&b, 0, true), second = begin(&b, 1, true);
    assert_false(chk_order_before(first.serial, second.serial));
    chk_order_synchronise(first.serial, second.serial);
    assert_true(chk_order_before(first.serial, second.serial));
    assert_true(chk_order_before(before.serial, second.serial));
    assert_false(chk_order_before(second.serial, first.serial));
    let_go(&b, &first);
    let_go(&b, &second);
    const held_t third = begin(&b, 1, true);
    assert_true(chk_order_before(second.serial, third.serial));
    let_go(&b, &third);
    teardown(&b);
}

/* One that has left a flag behind and is over: what came after it in its queue, and is over too, it
 * did not know. */
static void test_meeting_afterwards(void **state)
{
    bench_t b;
    (void)state;
    setup(&b);
    const held_t before = run(&b, 0, true), first = run(&b, 0, true), behind = run(&b, 0, true);
    const held_t reader = begin(&b, 1, true);
    assert_false(chk_order_before(before.serial, reader.serial));
    chk_order_synchronise(first.serial, reader.serial);
    assert_true(chk_order_before(before.serial, reader.serial));
    assert_true(chk_order_before(first.serial, reader.serial));
    assert_false(chk_order_before(behind.serial, reader.serial));
    let_go(&b, &reader);
    teardown(&b);
}

/* Stores args[1] to *args[0]. */
static const char store_text[] = "s_load_dwordx4 s[8:11], s[0:1], 0x0\n"
                                 "v_mov_b32 v1, 0\n"
                                 "s_mov_b64 exec, 1\n"
                                 "s_waitcnt lgkmcnt(0)\n"
                                 "v_mov_b32 v2, s10\n"
                                 "global_store_dword v1, v2, s[8:9]\n"
                                 "s_endpgm\n";

static uint64_t store(bench_t *b, unsigned queue, uint64_t kernel, uint64_t va, uint64_t value)
{
    const uint64_t args = rig_alloc(b->rig, 16), signal = rig_signal(b->rig, 1);
    uint64_t *p = rig_ptr(b->rig, args);
    p[0] = va;
    p[1] = value;
    b->last++;
    rig_dispatch(
        &b->q[queue],
        &(rig_dispatch_t){
            .kernel = kernel, .args = args, .signal = signal, .group = {64}, .grid = {64}});
    return signal;
}

/* Who looks at memory that the program has just taken away fails, and keeps nobody else waiting. */
static void test_memory_goes_meanwhile(void **state)
{
    enum { PAGE = 4096 };
    bench_t b;
    (void)state;
    setup(&b);
    const uint64_t kernel = rig_kernel(b.rig, store_text, NULL), va = RIG_VA + (48 << 20);
    sg_guard_install();
    chk_made(va, PAGE);
    assert_true(rig_wait(b.rig, store(&b, 0, kernel, va, 1), 0));
    assert_int_equal(mprotect(rig_ptr(b.rig, va), PAGE, PROT_NONE), 0);
    store(&b, 1, kernel, va, 2);
    assert_true(rig_wait_word(&b.rig->faults, 1));
    assert_int_equal(mprotect(rig_ptr(b.rig, va), PAGE, PROT_READ | PROT_WRITE), 0);
    assert_true(rig_wait(b.rig, store(&b, 2, kernel, va + 4, 3), 0));
    teardown(&b);
}

/* More actors than are remembered: the oldest are before everything. */
static void test_many(void **state)
{
    enum { MANY = (1 << 20) + 100 };
    (void)state;
    chk_line_t *one = chk_line_create(0), *other = chk_line_create(0);
    assert_non_null(one);
    const uint64_t first = chk_line_dispatch(one);
    chk_order_end(one, first);
    const uint64_t beside = chk_line_dispatch(other);
    assert_false(chk_order_before(first, beside));
    uint64_t last = 0;
    for (uint64_t k = 0; k < MANY; k++) {
        chk_order_end(one, last);
        chk_line_packet(one, k + 1, true);
        last = chk_line_dispatch(one);
    }
    assert_true(chk_order_before(first, beside));
    assert_false(chk_order_before(last - 1, chk_line_dispatch(other)));
    assert_true(chk_order_before(last - 1, last));
    chk_order_end(other, beside);
    chk_line_free(one);
    chk_line_free(other);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unheard),
        cmocka_unit_test(test_packets_of_a_queue),
        cmocka_unit_test(test_barrier_packets),
        cmocka_unit_test(test_signals_are_used_again),
        cmocka_unit_test(test_signals_that_count),
        cmocka_unit_test(test_program_sees),
        cmocka_unit_test(test_doorbells),
        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_meeting),
        cmocka_unit_test(test_meeting_afterwards),
        cmocka_unit_test(test_memory_goes_meanwhile),
        cmocka_unit_test(test_many),
    };
    if (!asm_available()) return 77;
    setenv("SOFTGPU_CHECK", "race", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
