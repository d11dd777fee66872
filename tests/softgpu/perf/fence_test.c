/* fence_test.c - fences of packets that are no dispatches, as docs/counter-model.md tells of them.
 *
 * The kernel writes one dword per lane of a wave: 256 bytes, which are 2 lines of L2 and 4
 * transactions of 64 bytes below it. Its arguments, its flag and its code are a line each. The
 * dispatches have no fences of their own. */
#include "counting.h"

#include "asm.h"

#include <hsa/hsa.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#define HOST_VA UINT64_C(0x7d8000000000)
/* OTHER_LINES of L2: arguments, flag, and two 64-byte lines of code */
enum { UNITS = 4, CHANNELS = 32, LINES = 2, HALVES = 4, OTHER_LINES = 3, PAGE = 4096 };
enum { NONE, AGENT, SYSTEM };
enum { AND = HSA_PACKET_TYPE_BARRIER_AND, OR = HSA_PACKET_TYPE_BARRIER_OR, VALUE = 0 };

/* ORDER: as counters() wants the events */
typedef struct {
    uint64_t writeback, wrreq, op_writeback, op_evict, emptied;
} sums_t;

typedef struct {
    counting_t *c;
    rig_dispatch_t writes;
    uint32_t *data, *flag;
    sums_t last;
} bench_t;

/* Waits for the flag, which is set but where a test clears it, then writes. */
static const char text[] = "s_load_dwordx4 s[8:11], s[0:1], 0x0\n"
                           "v_lshlrev_b32 v1, 2, v0\n"
                           "v_mov_b32 v2, 0\n"
                           "s_waitcnt lgkmcnt(0)\n"
                           "again: global_load_dword v3, v2, s[10:11] glc\n"
                           "s_waitcnt vmcnt(0)\n"
                           "v_readfirstlane_b32 s14, v3\n"
                           "s_cmp_lg_u32 s14, 0\n"
                           "s_cbranch_scc0 again\n"
                           "global_store_dword v1, v0, s[8:9]\n"
                           "s_endpgm\n";

/* It writes to the GPU's own memory, of type RW, or to the host's, NC. */
static bench_t setup(bool host)
{
    static _Alignas(PAGE) uint32_t page[PAGE / 4];
    bench_t b = {.c = counting_create(1, UNITS)};
    counting_t *c = b.c;
    const uint64_t args = rig_alloc(c->rig, 16), flag = rig_alloc(c->rig, 4);
    const uint64_t data = host ? HOST_VA : rig_alloc(c->rig, 256);
    if (host)
        assert_int_equal(
            0, sg_memory_map(c->rig->memory, HOST_VA, PAGE, page, SG_MEM_WRITABLE | SG_MEM_HOST));
    memcpy(rig_ptr(c->rig, args), (uint64_t[]){data, flag}, 16);
    b.data = host ? page : rig_ptr(c->rig, data);
    b.flag = rig_ptr(c->rig, flag);
    *b.flag = 1;
    b.writes = (rig_dispatch_t){
        .kernel = rig_kernel(c->rig, text, NULL), .args = args, .grid = {64}, .group = {64}};
    return b;
}

static void counters(bench_t *b)
{
    static const unsigned tcc[] = {22, 26, 73, 80};
    for (unsigned i = 0; i < 4; i++)
        counting_want(b->c, TCC, tcc[i]);
    counting_want(b->c, TCP, 45);
    counting_start(b->c);
}

/* What has been added since the last time. */
static sums_t more(bench_t *b)
{
    uint64_t now[5], *last = &b->last.writeback;
    sums_t out;
    for (unsigned i = 0; i < 5; i++) {
        now[i] = counting_sum(b->c, i, 1, i == 4 ? UNITS : CHANNELS);
        (&out.writeback)[i] = now[i] - last[i];
    }
    memcpy(last, now, sizeof now);
    return out;
}

static void assert_sums(sums_t is, sums_t should)
{
    assert_int_equal(is.writeback, should.writeback);
    assert_int_equal(is.wrreq, should.wrreq);
    assert_int_equal(is.op_writeback, should.op_writeback);
    assert_int_equal(is.op_evict, should.op_evict);
    assert_int_equal(is.emptied, should.emptied);
}

static const sums_t nothing, written_back = {LINES, HALVES, LINES, 0, 0};

/* Sends a barrier packet of the type, whose condition is met, and waits for it. */
static void barrier(counting_t *c, rig_queue_t *queue, unsigned type, unsigned acquire,
                    unsigned release, bool bit)
{
    uint64_t words[8] = {0};
    words[0] = type | (bit ? 1 << HSA_PACKET_HEADER_BARRIER : 0) |
               acquire << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
               release << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE;
    if (type == VALUE) {
        words[0] |= 2 << 16;
        words[1] = rig_signal(c->rig, 0); /* equals, behind a mask of 0, the value 0 */
    }
    words[7] = rig_signal(c->rig, 1);
    rig_submit(queue, words);
    assert_true(rig_wait(c->rig, words[7], 0));
}

/* RELEASE_MEM's cache actions */
enum { TCL1_VOL = 1 << 12, TC_WB = 1 << 15, TCL1 = 1 << 16, TC = 1 << 17, TC_NC = 1 << 19 };

static void release_mem(counting_t *c, uint32_t actions)
{
    counting_release(c, actions);
    counting_send(c);
}

/* What a kernel leaves dirty is written back by the first release to the system. */
static void test_barrier_packets(void **state)
{
    static const unsigned types[] = {AND, OR, VALUE};
    (void)state;
    bench_t b = setup(false);
    counting_t *c = b.c;
    counters(&b);
    for (unsigned i = 0; i < 3; i++) {
        counting_dispatch(c, &b.writes);
        assert_sums(more(&b), nothing);
        barrier(c, &c->queue, types[i], NONE, NONE, true);
        assert_sums(more(&b), nothing);
        barrier(c, &c->queue, types[i], AGENT, AGENT, true);
        assert_sums(more(&b), (sums_t){.emptied = UNITS});
        barrier(c, &c->queue, types[i], NONE, SYSTEM, true);
        assert_sums(more(&b), written_back);
        barrier(c, &c->queue, types[i], NONE, SYSTEM, true); /* they have stayed, clean */
        assert_sums(more(&b), nothing);
        barrier(c, &c->queue, types[i], SYSTEM, NONE, true); /* nothing but RW is there */
        assert_sums(more(&b), (sums_t){.emptied = UNITS});
    }
}

/* Lines of the host's memory do not outlive an acquire from the system. */
static void test_host_memory(void **state)
{
    const sums_t dropped = {LINES, HALVES, LINES, LINES, 0};
    sums_t emptied_too = dropped;
    (void)state;
    bench_t b = setup(true);
    counting_t *c = b.c;
    emptied_too.emptied = UNITS;
    counters(&b);
    counting_dispatch(c, &b.writes);
    barrier(c, &c->queue, AND, SYSTEM, SYSTEM, true);
    assert_sums(more(&b), emptied_too);
    counting_dispatch(c, &b.writes);
    release_mem(c, TC | TC_NC);
    assert_sums(more(&b), dropped);
    release_mem(c, TC | TC_NC);
    assert_sums(more(&b), nothing);
}

/* The same where the packet comes while nothing is counted, as a runtime's does between kernels
 * that a profiler counts: it is in no kernel's counters, and the next kernel finds clean lines. */
static void test_between_counted(void **state)
{
    (void)state;
    bench_t b = setup(false);
    counting_t *c = b.c;
    counters(&b);
    for (unsigned round = 0; round < 3; round++) {
        counting_dispatch(c, &b.writes);
        counting_stop(c);
        for (unsigned i = 0; i < 2; i++) /* again makes no difference */
            barrier(c, &c->queue, AND, AGENT, SYSTEM, true);
        assert_sums(more(&b), nothing);
        counting_start(c);
        b.last = nothing;
        barrier(c, &c->queue, AND, AGENT, SYSTEM, true);
        assert_sums(more(&b), (sums_t){.emptied = UNITS});
    }
}

static void test_release_mem(void **state)
{
    (void)state;
    bench_t b = setup(false);
    counting_t *c = b.c;
    counters(&b);
    counting_dispatch(c, &b.writes);
    release_mem(c, 0);
    assert_sums(more(&b), nothing);
    release_mem(c, TC_WB);
    assert_sums(more(&b), written_back);
    release_mem(c, TCL1);
    assert_sums(more(&b), (sums_t){.emptied = UNITS});
    release_mem(c, TCL1_VOL);
    assert_sums(more(&b), (sums_t){.emptied = UNITS});
    counting_dispatch(c, &b.writes);
    release_mem(c, TC | TC_NC);
    assert_sums(more(&b), nothing);
    release_mem(c, TC);
    assert_sums(more(&b), (sums_t){LINES, HALVES, LINES, LINES + OTHER_LINES, 0});
}

/* What a profiler sends behind the packets that copy values to memory leaves the caches alone. */
static void test_buffer_of_values(void **state)
{
    (void)state;
    bench_t b = setup(false);
    counting_t *c = b.c;
    counters(&b);
    counting_dispatch(c, &b.writes);
    more(&b);
    counting_acquire(c, 0x7fffffff, 16);
    counting_send(c);
    assert_sums(more(&b), nothing);
    barrier(c, &c->queue, AND, NONE, SYSTEM, true);
    assert_sums(more(&b), written_back);
}

/* A fence without the barrier bit is through before the kernel ahead of it, and takes place behind
 * it all the same: the lines that the kernel writes afterwards are written back. */
static void test_order_of_packets(void **state)
{
    (void)state;
    bench_t b = setup(false);
    counting_t *c = b.c;
    rig_dispatch_t writes = b.writes;
    writes.signal = rig_signal(c->rig, 1);
    counters(&b);
    __atomic_store_n(b.flag, 0, __ATOMIC_RELEASE);
    rig_dispatch(&c->queue, &writes);
    barrier(c, &c->queue, AND, NONE, SYSTEM, false);
    barrier(c, &c->queue, AND, AGENT, NONE, false);
    barrier(c, &c->queue, AND, AGENT, SYSTEM, false);
    __atomic_store_n(b.flag, 1, __ATOMIC_RELEASE);
    assert_true(rig_wait(c->rig, writes.signal, 0));
    const sums_t sums = more(&b);
    assert_int_equal(b.data[63], 63);
    assert_int_equal(sums.op_writeback, LINES);
    assert_int_equal(sums.emptied, 2 * UNITS);
}

/* Packets of one queue do not wait for a modelled kernel of another to end. */
static void test_other_queue(void **state)
{
    enum { PACKETS = 50 };
    rig_queue_t other;
    (void)state;
    bench_t b = setup(false);
    counting_t *c = b.c;
    rig_dispatch_t writes = b.writes;
    writes.signal = rig_signal(c->rig, 1);
    assert_true(rig_aql(c->rig, &other));
    counters(&b);
    __atomic_store_n(b.flag, 0, __ATOMIC_RELEASE);
    rig_dispatch(&c->queue, &writes);
    for (unsigned i = 0; i < PACKETS; i++)
        barrier(c, &other, AND, SYSTEM, SYSTEM, true);
    __atomic_store_n(b.flag, 1, __ATOMIC_RELEASE);
    assert_true(rig_wait(c->rig, writes.signal, 0));
    rig_close(&other);
    more(&b);
    barrier(c, &c->queue, AND, NONE, SYSTEM, true);
    assert_sums(more(&b), written_back);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_barrier_packets),  cmocka_unit_test(test_host_memory),
        cmocka_unit_test(test_between_counted),  cmocka_unit_test(test_release_mem),
        cmocka_unit_test(test_order_of_packets), cmocka_unit_test(test_buffer_of_values),
        cmocka_unit_test(test_other_queue),
    };
    if (!asm_available()) return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
