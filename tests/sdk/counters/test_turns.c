/* test_turns.c - turns of dispatches: packets, gates, and what may run beside what.
 *
 * The fake runtime takes packets; the GPU is written here: a thread for each queue, which does what
 * barriers say, takes its time over dispatches and looks at who else is at work. */
#include "../../hsa/fake_hsa.h"
#include "hsa/lane.h"
#include "hsa/queues.h"
#include "hsa/runtime.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#define COUNTED  0xc0 /* kernel objects: what the client does with them */
#define UNWANTED 0xdead
#define MARK     0x77 /* in the wrap's packets */

typedef struct {
    hsax_wrap_t wrap;
} mine_t;

static atomic_bool serial_now = true;
static atomic_long completed, lost_count, wrong;
static unsigned char before[64], after[2][64];

static bool wanted(void)
{
    return true;
}

static bool serial(void)
{
    return atomic_load(&serial_now);
}

static bool begin(hsax_item_t *item, uint64_t queue, const hsa_kernel_dispatch_packet_t *packet)
{
    (void)queue;
    mine_t *mine = (mine_t *)item->client;
    mine->wrap =
        (hsax_wrap_t){.before = before, .before_count = 1, .after = after, .after_count = 2};
    if (packet->kernel_object == UNWANTED) return false;
    if (packet->kernel_object != COUNTED) return true;
    hsax_make_signal(&mine->wrap.done);
    item->wrap = &mine->wrap;
    return true;
}

static void submitted(hsax_item_t *item)
{
    (void)item;
}

/* All of the wrap is over by now, and the program has not been told. */
static void complete(hsax_item_t *item)
{
    mine_t *mine = (mine_t *)item->client;
    if (mine->wrap.done.handle && fake_signal_value(mine->wrap.done) != 0) wrong++;
    if (item->program_signal.handle && fake_signal_value(item->program_signal) != 1) wrong++;
    completed++;
}

static void lost(hsax_item_t *item)
{
    (void)item;
    lost_count++;
}

static hsax_dispatch_client_t client = {.client_size = sizeof(mine_t),
                                        .wanted = wanted,
                                        .begin = begin,
                                        .submitted = submitted,
                                        .complete = complete,
                                        .lost = lost,
                                        .serial = serial};

static void nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
}

static bool drops(hsa_signal_t signal)
{
    for (int i = 0; i < 400000 && fake_signal_value(signal) > 0; i++)
        nap();
    return fake_signal_value(signal) == 0;
}

/* Whether nothing happens to it, for which there is no event: what is due happens within
 * microseconds. */
static bool stays(hsa_signal_t signal)
{
    nanosleep(&(struct timespec){.tv_nsec = 30000000}, NULL);
    return fake_signal_value(signal) == 1;
}

static hsa_kernel_dispatch_packet_t dispatch(uint64_t object, hsa_signal_t signal)
{
    hsa_kernel_dispatch_packet_t p = {0};
    p.header = HSA_PACKET_TYPE_KERNEL_DISPATCH << HSA_PACKET_HEADER_TYPE;
    p.kernel_object = object;
    p.completion_signal = signal;
    return p;
}

static hsa_barrier_and_packet_t packet_at(hsa_queue_t *queue, uint64_t index)
{
    hsa_barrier_and_packet_t p;
    assert_true(index < fake_received(queue));
    memcpy(&p, fake_packet(queue, index), sizeof p);
    return p;
}

static unsigned type(const hsa_barrier_and_packet_t *p)
{
    return p->header & 0xff;
}

/* Packets first to first + 4 of a counted dispatch; completes them. */
static void run_counted(hsa_queue_t *queue, uint64_t first)
{
    assert_memory_equal(fake_packet(queue, first), before, 64);
    hsa_barrier_and_packet_t p = packet_at(queue, first + 1);
    assert_int_equal(type(&p), HSA_PACKET_TYPE_KERNEL_DISPATCH);
    assert_int_equal(p.header >> HSA_PACKET_HEADER_BARRIER & 1, 1);
    fake_complete(p.completion_signal, 1000, 1500);
    assert_memory_equal(fake_packet(queue, first + 2), after[0], 64);
    assert_memory_equal(fake_packet(queue, first + 3), after[1], 64);
    p = packet_at(queue, first + 4);
    assert_int_equal(type(&p), HSA_PACKET_TYPE_BARRIER_AND);
    assert_int_equal(p.header >> HSA_PACKET_HEADER_BARRIER & 1, 1);
    assert_true(stays(p.completion_signal));
    fake_complete(p.completion_signal, 0, 0);
}

static void test_alone_without_gate(void **state)
{
    (void)state;
    completed = wrong = 0;
    hsa_queue_t *queue = fake_queue_create(64);
    hsa_signal_t signal = fake_signal(1);
    hsa_kernel_dispatch_packet_t p = dispatch(COUNTED, signal);
    fake_submit(queue, &p, 1);
    assert_int_equal(fake_received(queue), 5);
    run_counted(queue, 0);
    assert_true(drops(signal));
    assert_int_equal(completed, 1);
    assert_int_equal(wrong, 0);
    /* nobody counts any more: nothing is added */
    atomic_store(&serial_now, false);
    p = dispatch(1, fake_signal(1));
    fake_submit(queue, &p, 1);
    assert_int_equal(fake_received(queue), 6);
    fake_complete(packet_at(queue, 5).completion_signal, 1000, 1500);
    assert_true(drops(p.completion_signal));
    atomic_store(&serial_now, true);
    fake_queue_destroy(queue);
}

/* A gate of the second queue opens when both have come so far. */
static void test_gate(void **state)
{
    (void)state;
    completed = wrong = 0;
    hsa_queue_t *a = fake_queue_create(64), *b = fake_queue_create(64);
    hsa_signal_t signals[2] = {fake_signal(1), fake_signal(1)};
    hsa_kernel_dispatch_packet_t p = dispatch(COUNTED, signals[0]);
    fake_submit(a, &p, 1);
    p = dispatch(UNWANTED, signals[1]); /* has to wait although nobody follows it */
    fake_submit(b, &p, 1);
    assert_int_equal(fake_received(b), 3);
    hsa_signal_t ready = packet_at(b, 0).completion_signal, go = packet_at(b, 1).dep_signal[0];
    fake_complete(ready, 0, 0);
    assert_true(stays(go));
    run_counted(a, 0);
    assert_true(drops(signals[0]));
    assert_true(drops(go));
    fake_complete(packet_at(b, 2).completion_signal, 1000, 1500);
    assert_true(drops(signals[1]));
    assert_int_equal(completed, 1);
    assert_int_equal(wrong, 0);
    fake_queue_destroy(a);
    fake_queue_destroy(b);
}

/* Behind a program's barrier a dispatch has no turn until it could run; others pass. */
static void test_barred(void **state)
{
    (void)state;
    hsa_queue_t *a = fake_queue_create(64), *b = fake_queue_create(64);
    hsa_signal_t signals[2] = {fake_signal(1), fake_signal(1)};
    hsa_barrier_and_packet_t barrier = {.header = HSA_PACKET_TYPE_BARRIER_AND};
    barrier.dep_signal[0] = signals[1];
    fake_submit(a, &barrier, 1);
    hsa_kernel_dispatch_packet_t p = dispatch(COUNTED, signals[0]);
    fake_submit(a, &p, 1);
    assert_int_equal(fake_received(a), 1 + 2 + 5);
    p = dispatch(COUNTED, signals[1]);
    fake_submit(b, &p, 1);
    assert_int_equal(fake_received(b), 2 + 5);
    hsa_signal_t go_b = packet_at(b, 1).dep_signal[0];
    fake_complete(packet_at(b, 0).completion_signal, 0, 0);
    assert_true(drops(go_b)); /* before a, whose packets are older */
    run_counted(b, 2);
    assert_true(drops(signals[1]));
    fake_complete(packet_at(a, 1).completion_signal, 0, 0);
    assert_true(drops(packet_at(a, 2).dep_signal[0]));
    run_counted(a, 3);
    assert_true(drops(signals[0]));
    fake_queue_destroy(a);
    fake_queue_destroy(b);
}

/* A queue that is destroyed with a turn in flight holds nobody up. */
static void test_destroyed(void **state)
{
    (void)state;
    lost_count = 0;
    hsa_queue_t *a = fake_queue_create(64), *b = fake_queue_create(64);
    hsa_kernel_dispatch_packet_t p = dispatch(COUNTED, fake_signal(1));
    fake_submit(a, &p, 1);
    p = dispatch(COUNTED, fake_signal(1));
    fake_submit(b, &p, 1);
    fake_complete(packet_at(b, 0).completion_signal, 0, 0);
    assert_true(stays(packet_at(b, 1).dep_signal[0]));
    fake_queue_destroy(a);
    assert_true(drops(packet_at(b, 1).dep_signal[0]));
    assert_int_equal(lost_count, 1);
    run_counted(b, 2);
    assert_true(drops(p.completion_signal));
    fake_queue_destroy(b);
}

/* ---- several dispatches in one call, as from a handler of another tool ---- */

enum { SEVERAL = 20 };

/* Submits them; how many packets there are then. */
static uint64_t submit_several(hsa_queue_t *queue, unsigned count, hsa_signal_t *signals)
{
    hsa_kernel_dispatch_packet_t p[SEVERAL];
    for (unsigned i = 0; i < count; i++) {
        signals[i] = fake_signal(1);
        p[i] = dispatch(COUNTED, signals[i]);
    }
    fake_submit(queue, p, count);
    return fake_received(queue);
}

/* Completes `wrapped` counted dispatches and then `bare` others, which is all there is. */
static void run_several(hsa_queue_t *queue, unsigned wrapped, unsigned bare,
                        const hsa_signal_t *signals)
{
    uint64_t all = wrapped * 5 + bare;
    assert_in_range(fake_received(queue), all, all + 1); /* a mark of the room, in small rings */
    for (unsigned i = 0; i < wrapped; i++)
        run_counted(queue, 5 * i);
    for (unsigned i = 0; i < bare; i++) {
        hsa_barrier_and_packet_t p = packet_at(queue, 5 * wrapped + i);
        assert_int_equal(type(&p), HSA_PACKET_TYPE_KERNEL_DISPATCH);
        fake_complete(p.completion_signal, 1000, 1500);
    }
    for (unsigned i = 0; i < wrapped + bare; i++)
        assert_true(drops(signals[i]));
    assert_int_equal(completed, wrapped);
    assert_int_equal(wrong, 0);
    fake_queue_destroy(queue);
}

static void test_several_in_one_write(void **state)
{
    (void)state;
    completed = wrong = 0;
    hsa_signal_t signals[SEVERAL];
    hsa_queue_t *queue = fake_queue_create(1024);
    submit_several(queue, SEVERAL, signals);
    assert_int_equal(fake_writes, 1);
    run_several(queue, SEVERAL, 0, signals);
}

/* What the ring cannot hold with all that belongs to it is not counted. */
static void test_several_in_a_small_ring(void **state)
{
    (void)state;
    completed = wrong = 0;
    hsa_signal_t signals[SEVERAL];
    uint64_t missed = hsax_queues_missed();
    hsa_queue_t *queue = fake_queue_create(64);
    assert_in_range(submit_several(queue, SEVERAL, signals), SEVERAL, 61);
    assert_int_equal(fake_writes, 1);
    missed = hsax_queues_missed() - missed;
    assert_in_range(missed, 1, SEVERAL - 1);
    run_several(queue, SEVERAL - (unsigned)missed, (unsigned)missed, signals);
}

static hsa_status_t reserve(void **va, size_t size, uint64_t address, uint64_t flags)
{
    (void)va, (void)size, (void)address, (void)flags;
    return HSA_STATUS_ERROR;
}

/* A client that may wait for dispatches before: they are written first, or it is not asked. */
static void test_several_with_a_client_that_waits(void **state)
{
    (void)state;
    hsa_signal_t signals[SEVERAL];
    client.begin_waits = true;
    for (unsigned newer = 0; newer < 2; newer++) {
        completed = wrong = 0;
        uint64_t missed = hsax_queues_missed();
        hsax.amd_ext.hsa_amd_vmem_address_reserve_fn = newer ? reserve : NULL;
        hsa_queue_t *queue = fake_queue_create(256);
        submit_several(queue, 3, signals);
        assert_int_equal(fake_writes, newer ? 3 : 1);
        assert_int_equal(hsax_queues_missed() - missed, newer ? 0 : 2);
        run_several(queue, newer ? 3 : 1, newer ? 0 : 2, signals);
    }
    hsax.amd_ext.hsa_amd_vmem_address_reserve_fn = NULL;
    client.begin_waits = false;
}

/* ---- a GPU that looks ---- */

enum { QUEUES = 4, EACH = 90 };

typedef struct {
    hsa_queue_t *queue;
    pthread_mutex_t lock; /* the producer writes, the GPU reads */
    hsa_signal_t signals[EACH];
    int number;
} lane_t;

static lane_t lanes[QUEUES];
static atomic_int running; /* dispatches */
static atomic_int window;  /* 1 + the queue that counts; 0: none */
static atomic_bool over;

static bool next_packet(lane_t *lane, uint64_t index, hsa_barrier_and_packet_t *p)
{
    pthread_mutex_lock(&lane->lock);
    bool there = index < fake_received(lane->queue);
    if (there) memcpy(p, fake_packet(lane->queue, index), sizeof *p);
    pthread_mutex_unlock(&lane->lock);
    return there;
}

static void run_dispatch(const lane_t *lane, const hsa_barrier_and_packet_t *p)
{
    int others = window;
    if (others && others != lane->number + 1) wrong++;
    running++;
    nap();
    running--;
    fake_complete(p->completion_signal, 1000, 1500);
}

static void run_packet(lane_t *lane, const hsa_barrier_and_packet_t *p, int *marks)
{
    switch (type(p)) {
    case HSA_PACKET_TYPE_KERNEL_DISPATCH: run_dispatch(lane, p); break;
    case HSA_PACKET_TYPE_BARRIER_AND:
        for (int i = 0; i < 5; i++)
            while (p->dep_signal[i].handle && fake_signal_value(p->dep_signal[i]) > 0)
                nap();
        if (*marks == 3) { /* the end of a wrap */
            window = *marks = 0;
        }
        if (p->completion_signal.handle) fake_complete(p->completion_signal, 0, 0);
        break;
    default:
        if (!(*marks)++ && (atomic_exchange(&window, lane->number + 1) || running)) wrong++;
    }
}

static void *gpu(void *data)
{
    lane_t *lane = data;
    hsa_barrier_and_packet_t p;
    int marks = 0;
    for (uint64_t index = 0;;) {
        if (next_packet(lane, index, &p)) {
            run_packet(lane, &p, &marks);
            index++;
        } else if (over) {
            return NULL;
        } else {
            nap();
        }
    }
}

static void *produce(void *data)
{
    lane_t *lane = data;
    static const uint64_t objects[] = {1, COUNTED, UNWANTED, 2, COUNTED, COUNTED, 3};
    for (int i = 0; i < EACH; i++) {
        hsa_kernel_dispatch_packet_t p =
            dispatch(objects[(i + lane->number) % 7], lane->signals[i]);
        /* now and then after a dispatch of the next queue that may not be written yet */
        hsa_barrier_and_packet_t barrier = {.header = HSA_PACKET_TYPE_BARRIER_AND};
        if (lane->number + 1 < QUEUES) barrier.dep_signal[0] = lane[1].signals[i];
        pthread_mutex_lock(&lane->lock);
        if (i % 11 == 5) fake_submit(lane->queue, &barrier, 1);
        fake_submit(lane->queue, &p, 1);
        pthread_mutex_unlock(&lane->lock);
        if (i % 4 == 0) nap();
    }
    return NULL;
}

static void test_many(void **state)
{
    (void)state;
    completed = wrong = 0;
    pthread_t gpus[QUEUES], producers[QUEUES];
    for (int q = 0; q < QUEUES; q++) {
        lanes[q].number = q;
        lanes[q].queue = fake_queue_create(64);
        pthread_mutex_init(&lanes[q].lock, NULL);
        for (int i = 0; i < EACH; i++)
            lanes[q].signals[i] = fake_signal(1);
    }
    for (int q = 0; q < QUEUES; q++) {
        pthread_create(&gpus[q], NULL, gpu, &lanes[q]);
        pthread_create(&producers[q], NULL, produce, &lanes[q]);
    }
    for (int q = 0; q < QUEUES; q++)
        pthread_join(producers[q], NULL);
    for (int q = 0; q < QUEUES; q++)
        for (int i = 0; i < EACH; i++)
            assert_true(drops(lanes[q].signals[i]));
    over = true;
    for (int q = 0; q < QUEUES; q++)
        pthread_join(gpus[q], NULL);
    assert_int_equal(wrong, 0);
    long unwanted = 0;
    for (int q = 0; q < QUEUES; q++)
        for (int i = 0; i < EACH; i++)
            unwanted += (i + q) % 7 == 2;
    assert_int_equal(completed, QUEUES * EACH - unwanted);
    for (int q = 0; q < QUEUES; q++)
        fake_queue_destroy(lanes[q].queue);
}

static int start(void **state)
{
    (void)state;
    hsax_held_up_ns = 20000000000;
    memset(before, MARK, sizeof before);
    memset(after, MARK, sizeof after);
    before[0] = after[0][0] = after[1][0] = HSA_PACKET_TYPE_VENDOR_SPECIFIC;
    before[1] = after[0][1] = after[1][1] = 1; /* the barrier bit */
    memset(before + 56, 0, 8);                 /* no signals: the fake would complete them */
    memset(after[0] + 56, 0, 8);
    memset(after[1] + 56, 0, 8);
    fake_gpu_hold(true); /* its own GPU has a day off */
    hsax_api_table_t *table = fake_table(true);
    return hsax_runtime_start(table, NULL) && hsax_queues_hook(table, &client) ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alone_without_gate),
        cmocka_unit_test(test_gate),
        cmocka_unit_test(test_barred),
        cmocka_unit_test(test_destroyed),
        cmocka_unit_test(test_several_in_one_write),
        cmocka_unit_test(test_several_in_a_small_ring),
        cmocka_unit_test(test_several_with_a_client_that_waits),
        cmocka_unit_test(test_many),
    };
    return cmocka_run_group_tests(tests, start, NULL);
}
