/* test_queues.c - dispatches through the hooks: signals, times, order, losses, threads.
 *
 * The client counts what it is told; expectations come from the fake GPU, which knows nothing of
 * the profiler. Tests run in order in one process, the last ones end the collecting. */
#include "fake_hsa.h"
#include "hsa/lane.h"
#include "hsa/queues.h"
#include "hsa/runtime.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct {
    uint64_t number; /* the dispatch's kernarg address */
    uint64_t queue;
    hsax_mark_t mark;
} mine_t;

static atomic_bool want = true;
static atomic_long begun, submitted_count, completed, lost_count, wrong;
static hsa_signal_t program_signals[1000000];

static bool wanted(void)
{
    return atomic_load(&want);
}

static bool begin(hsax_item_t *item, uint64_t queue, const hsa_kernel_dispatch_packet_t *packet)
{
    mine_t *mine = (mine_t *)item->client;
    mine->number = (uintptr_t)packet->kernarg_address;
    mine->queue = queue;
    if (packet->kernel_object == 0xdead) return false;
    if (packet->kernel_object == 0x3a4c) {
        mine->mark = (hsax_mark_t){{mine->number, 2, 3, 4, 5, 6}};
        item->special = true;
        item->mark = &mine->mark;
    }
    atomic_fetch_add(&begun, 1);
    return true;
}

static void submitted(hsax_item_t *item)
{
    (void)item;
    atomic_fetch_add(&submitted_count, 1);
}

static bool signal_drops(hsa_signal_t signal);

/* Signals wait for reports this long, so that a machine with much else to do changes nothing. */
#define PATIENCE_NS 20000000000

#define BLOCKING 0xb10c /* the number of a dispatch whose report waits for other signals */
static hsa_signal_t awaited[2];
static atomic_long waits_over;

static void nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
}

#define IN_PIECES 0x91ece /* the number of a dispatch that is reported piece by piece, for long */
static atomic_bool last_piece;

/* The program's signal completes after this. */
static void complete(hsax_item_t *item)
{
    while (((mine_t *)item->client)->number == IN_PIECES && !atomic_load(&last_piece)) {
        nap();
        hsax_collect_piece();
    }
    if (((mine_t *)item->client)->number == BLOCKING) {
        if (signal_drops(awaited[0]) && signal_drops(awaited[1])) waits_over++;
        atomic_fetch_add(&completed, 1);
        return;
    }
    hsa_signal_t program = {__atomic_load_n(&item->program_signal.handle, __ATOMIC_ACQUIRE)};
    if (program.handle && fake_signal_value(program) != 1) wrong++;
    if (item->end_ns != item->start_ns + 500 || item->start_ns % 1000) wrong++;
    atomic_fetch_add(&completed, 1);
}

static void lost(hsax_item_t *item)
{
    (void)item;
    atomic_fetch_add(&lost_count, 1);
}

static struct {
    hsax_mark_t mark;
    const hsa_queue_t *queue;
    uint64_t packet;
} place;

static void placed(const hsax_mark_t *mark, const hsa_queue_t *queue, uint64_t packet)
{
    place.mark = *mark;
    place.queue = queue;
    place.packet = packet;
}

static const hsax_dispatch_client_t client = {.client_size = sizeof(mine_t),
                                              .wanted = wanted,
                                              .begin = begin,
                                              .submitted = submitted,
                                              .complete = complete,
                                              .lost = lost,
                                              .placed = placed};

/* True if the value reaches `wanted_value` within ten seconds. */
static bool reaches(atomic_long *value, long wanted_value)
{
    for (int i = 0; i < 100000 && atomic_load(value) < wanted_value; i++)
        nap();
    return atomic_load(value) == wanted_value;
}

static bool signal_drops(hsa_signal_t signal)
{
    for (int i = 0; i < 100000 && fake_signal_value(signal) > 0; i++)
        nap();
    return fake_signal_value(signal) == 0;
}

static hsa_kernel_dispatch_packet_t dispatch(uint64_t number, hsa_signal_t signal)
{
    hsa_kernel_dispatch_packet_t p = {0};
    p.header = (uint16_t)(HSA_PACKET_TYPE_KERNEL_DISPATCH << HSA_PACKET_HEADER_TYPE |
                          (number & 1) << HSA_PACKET_HEADER_BARRIER);
    p.kernarg_address = (void *)(uintptr_t)number;
    p.kernel_object = 0x40;
    p.completion_signal = signal;
    return p;
}

static void reset(void)
{
    begun = submitted_count = completed = lost_count = wrong = 0;
}

/* Queues for cooperative launches are one queue of the agent: destroying ours would free it under
 * the others, and keeping it would keep the agent's. */
static void test_cooperative_queue_is_shared(void **state)
{
    (void)state;
    reset();
    for (unsigned round = 1; round <= 2; round++) {
        hsa_queue_t *queue = fake_cooperative_queue_create(256), *again, *other;
        assert_non_null(queue);
        for (uint64_t i = 0; i < 3; i++) {
            hsa_kernel_dispatch_packet_t packet = dispatch(i, fake_signal(1));
            fake_submit(queue, &packet, 1);
            assert_true(signal_drops(packet.completion_signal));
            again = fake_cooperative_queue_create(256);
            assert_ptr_equal(again, queue);
            fake_queue_destroy(queue);
            assert_int_not_equal(fake_agents_queue_shares, 0);
        }
        assert_true(reaches(&completed, 3 * (int)round));
        assert_int_equal(wrong, 0);
        assert_int_equal(fake_agents_queue_wraps, round);
        other = fake_queue_create(256); /* ordinary ones come and go */
        assert_ptr_not_equal(other, queue);
        fake_queue_destroy(other);
        fake_queue_destroy(queue); /* of the last user: the agent's goes, in its own way */
        assert_int_equal(fake_agents_queue_shares, 0);
        assert_int_equal(fake_agents_queue_frees, 0);
    }
}

static void test_packets_unchanged_but_for_the_signal(void **state)
{
    (void)state;
    reset();
    enum { N = 100 };
    hsa_kernel_dispatch_packet_t packets[N];
    hsa_queue_t *queue = fake_queue_create(1024); /* no mark comes between */
    for (uint64_t i = 0; i < N; i++) {
        packets[i] = dispatch(i, i % 3 ? fake_signal(1) : (hsa_signal_t){0});
        if (i % 5 == 4) packets[i].header = HSA_PACKET_TYPE_BARRIER_AND;
        if (i % 7 == 6) packets[i].kernel_object = 0xdead; /* the client does not want these */
    }
    fake_submit(queue, packets, N);
    assert_int_equal(fake_writes, 1);
    assert_int_equal(fake_received(queue), N);
    long dispatches = 0;
    for (uint64_t i = 0; i < N; i++) {
        hsa_kernel_dispatch_packet_t got;
        memcpy(&got, fake_packet(queue, i), sizeof got);
        bool ours = i % 5 != 4 && i % 7 != 6;
        dispatches += ours;
        if (ours)
            assert_int_not_equal(got.completion_signal.handle, packets[i].completion_signal.handle);
        else
            assert_int_equal(got.completion_signal.handle, packets[i].completion_signal.handle);
        got.completion_signal = packets[i].completion_signal;
        assert_memory_equal(&got, &packets[i], sizeof got);
    }
    assert_true(reaches(&completed, dispatches));
    for (uint64_t i = 0; i < N; i++) {
        hsa_signal_t s = packets[i].completion_signal;
        if (!s.handle) continue;
        assert_true(signal_drops(s));
        assert_int_equal(fake_block(s)->end_ts, fake_block(s)->start_ts + 500);
    }
    assert_int_equal(submitted_count, dispatches);
    assert_int_equal(wrong, 0);
    fake_queue_destroy(queue);
    assert_int_equal(lost_count, 0);
}

/* Before a dispatch with a mark is written, the client hears which packet it will be; the program's
 * packets are all that the GPU gets. */
static void test_a_marker_before_its_dispatch(void **state)
{
    (void)state;
    hsa_kernel_dispatch_packet_t packets[3], got;
    reset();
    hsa_queue_t *queue = fake_queue_create(256);
    for (uint64_t i = 0; i < 3; i++)
        packets[i] = dispatch(40 + i, fake_signal(1));
    packets[1].kernel_object = 0x3a4c;
    fake_submit(queue, packets, 3);
    assert_int_equal(fake_received(queue), 3);
    memcpy(&got, fake_packet(queue, 1), sizeof got);
    assert_int_equal(got.kernel_object, 0x3a4c);
    assert_ptr_equal(got.kernarg_address, (void *)41);
    const uint64_t words[] = {41, 2, 3, 4, 5, 6};
    assert_memory_equal(&place.mark, words, sizeof words);
    assert_ptr_equal(place.queue, queue);
    assert_int_equal(place.packet, 1);
    assert_true(reaches(&completed, 3));
    fake_queue_destroy(queue);
}

static void test_nothing_wanted_nothing_touched(void **state)
{
    (void)state;
    reset();
    hsa_queue_t *queue = fake_queue_create(64);
    hsa_kernel_dispatch_packet_t p = dispatch(1, fake_signal(1));
    atomic_store(&want, false);
    fake_submit(queue, &p, 1);
    atomic_store(&want, true);
    assert_memory_equal(fake_packet(queue, 0), &p, sizeof p);
    assert_true(signal_drops(p.completion_signal));
    assert_int_equal(begun, 0);
    fake_queue_destroy(queue);
}

/* A kernel that waits for what the host does after a later kernel must not hold that one up. */
static void test_completion_out_of_order(void **state)
{
    (void)state;
    reset();
    fake_gpu_hold(true);
    hsa_queue_t *queue = fake_queue_create(64);
    hsa_signal_t program[2] = {fake_signal(1), fake_signal(1)};
    hsa_signal_t ours[2];
    for (int i = 0; i < 2; i++) {
        hsa_kernel_dispatch_packet_t p = dispatch(0, program[i]), got;
        fake_submit(queue, &p, 1);
        memcpy(&got, fake_packet(queue, (uint64_t)i), sizeof got);
        ours[i] = got.completion_signal;
    }
    fake_complete(ours[1], 7000, 7500);
    assert_true(signal_drops(program[1]));
    assert_int_equal(fake_block(program[1])->start_ts, 7000);
    assert_int_equal(fake_signal_value(program[0]), 1);
    assert_int_equal(completed, 1);
    fake_complete(ours[0], 1000, 1500);
    assert_true(signal_drops(program[0]));
    assert_int_equal(wrong, 0);
    fake_queue_destroy(queue);
    fake_gpu_hold(false);
}

/* A tool that waits, while it is told of a dispatch, for that dispatch's own signal and a later
 * one's: both complete all the same. */
static void test_tool_that_blocks(void **state)
{
    (void)state;
    reset();
    hsax_held_up_ns = 50000000;
    hsa_queue_t *queue = fake_queue_create(64);
    for (int i = 0; i < 2; i++)
        awaited[i] = fake_signal(1);
    hsa_kernel_dispatch_packet_t first = dispatch(BLOCKING, awaited[0]);
    hsa_kernel_dispatch_packet_t second = dispatch(2, awaited[1]);
    fake_submit(queue, &first, 1);
    nap(); /* so that it is reported by itself */
    nap();
    fake_submit(queue, &second, 1);
    assert_true(reaches(&waits_over, 1));
    assert_true(reaches(&completed, 2));
    assert_int_equal(fake_signal_value(awaited[0]), 0);
    assert_int_equal(fake_signal_value(awaited[1]), 0);
    wrong = 0; /* of the second: its signal did not wait for the report */
    hsax_held_up_ns = PATIENCE_NS;
    fake_queue_destroy(queue);
}

static void test_destroy_with_work_in_flight(void **state)
{
    (void)state;
    reset();
    fake_gpu_hold(true);
    hsa_queue_t *queue = fake_queue_create(64);
    hsa_kernel_dispatch_packet_t p[3], got;
    for (uint64_t i = 0; i < 3; i++)
        p[i] = dispatch(i, (hsa_signal_t){0});
    fake_submit(queue, p, 3);
    memcpy(&got, fake_packet(queue, 1), sizeof got);
    fake_complete(got.completion_signal, 2000, 2500);
    fake_queue_destroy(queue); /* returns, and by then all three are accounted for */
    assert_int_equal(completed, 1);
    assert_int_equal(lost_count, 2);
    fake_gpu_hold(false);
}

/* Signals are a pool: as many as were in flight at once, not as many as there were dispatches. */
static void test_signals_are_reused(void **state)
{
    (void)state;
    reset();
    hsa_queue_t *queue = fake_queue_create(1024);
    long before = fake_signals_alive();
    for (long i = 1; i <= 20000; i++) {
        hsa_kernel_dispatch_packet_t p = dispatch((uint64_t)i, (hsa_signal_t){0});
        fake_submit(queue, &p, 1);
        if (i % 50 == 0) assert_true(reaches(&completed, i));
    }
    assert_true(fake_signals_alive() - before <= 128);
    fake_queue_destroy(queue);
    for (int i = 0; i < 100000 && fake_signals_alive() > before; i++)
        nap(); /* the collector frees what was the queue's */
    assert_true(fake_signals_alive() <= before);
    assert_int_equal(wrong, 0);
}

/* More in flight than a lane may have: the producer waits and gives up without hanging; what it
 * could not take goes through untouched. */
static void test_limit(void **state)
{
    (void)state;
    reset();
    enum { N = 4096 + 64 };
    fake_gpu_hold(true);
    hsa_queue_t *queue = fake_queue_create(64);
    hsa_signal_t signal = fake_signal(N);
    for (uint64_t i = 0; i < N; i++) {
        hsa_kernel_dispatch_packet_t p = dispatch(i, (hsa_signal_t){0});
        if (i == N - 1) p.completion_signal = signal;
        if (i < 4096 || i == N - 1) fake_submit(queue, &p, 1);
    }
    assert_int_equal(begun, 4096);
    assert_int_equal(hsax_queues_missed(), 1);
    hsa_kernel_dispatch_packet_t got;
    memcpy(&got, fake_packet(queue, fake_received(queue) - 1), sizeof got);
    assert_int_equal(got.completion_signal.handle, signal.handle);
    fake_gpu_hold(false);
    assert_true(reaches(&completed, 4096));
    fake_queue_destroy(queue);
}

/* A ring is never filled to its last slot while the GPU moves at all: the producer waits. */
static void *crowd(void *data)
{
    for (uint64_t i = 0; i < 1000; i++) {
        hsa_kernel_dispatch_packet_t p = dispatch(i, (hsa_signal_t){0});
        if (i % 2) p.kernel_object = 0xdead; /* the client does not want it */
        fake_submit(data, &p, 1);
    }
    return NULL;
}

static void test_ring_is_not_filled(void **state)
{
    (void)state;
    reset();
    fake_gpu_hold(true);
    hsa_queue_t *queue = fake_queue_create(64);
    pthread_t producer;
    pthread_create(&producer, NULL, crowd, queue);
    /* time to overfill the ring, which must not happen and therefore has no event */
    struct timespec some = {.tv_nsec = 300000000};
    nanosleep(&some, NULL);
    uint64_t received = fake_received(queue);
    fake_gpu_hold(false);
    pthread_join(producer, NULL);
    assert_in_range(received, 32, 63);
    uint64_t total = fake_received(queue), marks = 0;
    for (uint64_t i = 0; i < total; i++) {
        hsa_barrier_and_packet_t got, mark = {.header = HSA_PACKET_TYPE_BARRIER_AND};
        memcpy(&got, fake_packet(queue, i), sizeof got);
        mark.completion_signal = got.completion_signal;
        marks += memcmp(&got, &mark, sizeof got) == 0;
    }
    assert_int_equal(total - marks, 1000);
    assert_in_range(marks, 40, 70);
    assert_true(reaches(&completed, 500));
    fake_queue_destroy(queue);
}

enum { THREADS = 8, EACH = 20000, QUEUES = 5 };

static void *launch(void *data)
{
    hsa_signal_t *signals = data;
    for (int q = 0; q < QUEUES; q++) {
        hsa_queue_t *queue = fake_queue_create(256);
        for (int i = 0; i < EACH / QUEUES; i++) {
            bool with_signal = i % 4 == 0;
            hsa_signal_t s = with_signal ? fake_signal(1) : (hsa_signal_t){0};
            signals[q * (EACH / QUEUES) + i] = s;
            hsa_kernel_dispatch_packet_t p = dispatch((uint64_t)i, s);
            fake_submit(queue, &p, 1);
            if (with_signal && i % 400 == 0 && !signal_drops(s)) wrong++;
        }
        for (int i = 0; i < EACH / QUEUES; i += 4)
            if (!signal_drops(signals[q * (EACH / QUEUES) + i])) wrong++;
        fake_queue_destroy(queue);
    }
    return NULL;
}

static void test_threads(void **state)
{
    (void)state;
    reset();
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, launch, program_signals + i * EACH);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(begun, THREADS * EACH);
    assert_int_equal(completed + lost_count, THREADS * EACH);
    assert_int_equal(wrong, 0);
}

/* A dispatch without a program signal may be reported a millisecond late; not so after a look,
 * which does not wait for what the GPU has not completed. */
static void test_look(void **state)
{
    (void)state;
    reset();
    hsa_queue_t *queue = fake_queue_create(1024); /* no mark comes between */
    fake_gpu_hold(true);
    hsa_kernel_dispatch_packet_t p = dispatch(1, (hsa_signal_t){0});
    fake_submit(queue, &p, 1);
    for (long i = 1; i <= 200; i++) {
        fake_submit(queue, &p, 1);
        const hsa_kernel_dispatch_packet_t *got = (const void *)fake_packet(queue, (uint64_t)i);
        fake_complete(got->completion_signal, 1000, 1500);
        hsax_collect_look(20000);
        assert_int_equal(completed, i);
    }
    fake_complete(((const hsa_kernel_dispatch_packet_t *)(const void *)fake_packet(queue, 0))
                      ->completion_signal,
                  1000, 1500);
    fake_gpu_hold(false);
    assert_true(reaches(&completed, 201));
    fake_queue_destroy(queue);
}

static void *wait_for_all(void *waits)
{
    hsax_collect_wait(1000);
    atomic_fetch_sub((atomic_long *)waits, 1);
    return NULL;
}

/* Who waits for at most a second goes on waiting while a report gets on, however long it takes. */
static void test_long_report(void **state)
{
    (void)state;
    reset();
    atomic_long waits = 1;
    pthread_t waiter;
    hsa_queue_t *queue = fake_queue_create(64);
    hsa_kernel_dispatch_packet_t p = dispatch(IN_PIECES, (hsa_signal_t){0});
    fake_submit(queue, &p, 1);
    assert_int_equal(pthread_create(&waiter, NULL, wait_for_all, &waits), 0);
    for (int i = 0; i < 20; i++)
        nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    assert_int_equal(waits, 1);
    atomic_store(&last_piece, true);
    pthread_join(waiter, NULL);
    assert_int_equal(completed, 1);
    fake_queue_destroy(queue);
}

/* The child neither reports nor waits; its packets pass as they are. */
static void test_fork(void **state)
{
    (void)state;
    hsa_queue_t *queue = fake_queue_create(64);
    pid_t child = fork();
    if (child == 0) {
        hsa_kernel_dispatch_packet_t p = dispatch(1, (hsa_signal_t){0});
        fake_submit(queue, &p, 1);
        bool same = memcmp(fake_packet(queue, 0), &p, sizeof p) == 0;
        fake_queue_destroy(queue);
        hsax_collect_look(1000);
        hsax_collect_wait(1000);
        hsax_collect_finish(1000);
        _exit(same ? 0 : 1);
    }
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    fake_queue_destroy(queue);
}

/* The end with a kernel that hangs: bounded, counted; and the program's signal still follows. */
static void test_finish(void **state)
{
    (void)state;
    reset();
    hsa_queue_t *queue = fake_queue_create(64);
    hsa_signal_t signal = fake_signal(1);
    hsa_kernel_dispatch_packet_t p[2] = {dispatch(1, (hsa_signal_t){0}), dispatch(2, signal)}, got;
    fake_submit(queue, &p[0], 1);
    assert_true(reaches(&completed, 1));
    fake_gpu_hold(true);
    fake_submit(queue, &p[1], 1);
    struct timespec from, to;
    clock_gettime(CLOCK_MONOTONIC, &from);
    assert_int_equal(hsax_collect_finish(1000), 1);
    clock_gettime(CLOCK_MONOTONIC, &to);
    assert_true(to.tv_sec - from.tv_sec <= 30);
    assert_int_equal(lost_count, 1);
    fake_submit(queue, &p[0], 1); /* after the end: untouched */
    assert_memory_equal(fake_packet(queue, 2), &p[0], sizeof p[0]);
    memcpy(&got, fake_packet(queue, 1), sizeof got);
    fake_complete(got.completion_signal, 3000, 3500);
    assert_true(signal_drops(signal));
    assert_int_equal(fake_block(signal)->end_ts, 3500);
    assert_int_equal(completed, 1);
    fake_queue_destroy(queue);
    fake_gpu_hold(false);
}

static int start(void **state)
{
    (void)state;
    hsax_held_up_ns = PATIENCE_NS;
    hsax_api_table_t *table = fake_table(getenv("FAKE_NEW_LAYOUT") == NULL);
    return hsax_runtime_start(table, NULL) && hsax_queues_hook(table, &client) ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_packets_unchanged_but_for_the_signal),
        cmocka_unit_test(test_a_marker_before_its_dispatch),
        cmocka_unit_test(test_nothing_wanted_nothing_touched),
        cmocka_unit_test(test_completion_out_of_order),
        cmocka_unit_test(test_tool_that_blocks),
        cmocka_unit_test(test_destroy_with_work_in_flight),
        cmocka_unit_test(test_signals_are_reused),
        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_ring_is_not_filled),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_cooperative_queue_is_shared),
        cmocka_unit_test(test_look),
        cmocka_unit_test(test_long_report),
        cmocka_unit_test(test_fork),
        cmocka_unit_test(test_finish),
    };
    return cmocka_run_group_tests(tests, start, NULL);
}
