/* sleep_test.c - no thread of the device sleeps through the one wake that it needed.
 *
 * Each test repeats what was once a window of nanoseconds between looking and sleeping. A thread
 * that misses its wake sleeps for ever, so the rounds run on threads of their own and the test
 * fails when they make no progress any more. */
#include "rig.h"

#include "asm.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sched.h>
#include <sys/prctl.h>
#include <time.h>
#include <cmocka.h>

static uint32_t rounds = 2000; /* of each runner */

enum {
    RUNNERS = 4,
    STANDSTILL_MS = 20000, /* without a round on a runner: it will never come */
    LOOK_MS = 5
};

typedef struct runner {
    bool (*round)(struct runner *me, uint32_t n);
    rig_t *rig;
    rig_queue_t queue;
    uint64_t kernel, signal, used;
    uint32_t rounds;
    _Atomic uint32_t done; /* rounds */
    _Atomic bool failed;
    pthread_t thread;
} runner_t;

static void *run(void *argument)
{
    runner_t *me = argument;
    prctl(PR_SET_TIMERSLACK, 1ul);
    for (uint32_t n = 0; n < me->rounds && !atomic_load(&me->failed); n++) {
        if (!me->round(me, n)) atomic_store(&me->failed, true);
        atomic_fetch_add(&me->done, 1);
    }
    return NULL;
}

static void sleep_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

/* True when all rounds of all runners came to their end. */
static bool all_end(runner_t *runners, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        pthread_create(&runners[i].thread, NULL, run, &runners[i]);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t seen = 0, still = 0;
        while (seen < runners[i].rounds && !atomic_load(&runners[i].failed)) {
            sleep_ms(LOOK_MS);
            uint32_t done = atomic_load(&runners[i].done);
            still = done == seen ? still + LOOK_MS : 0;
            seen = done;
            if (still > STANDSTILL_MS) {
                print_error("a thread of the device sleeps for ever: runner %u, round %u\n", i,
                            seen);
                return false;
            }
        }
        if (atomic_load(&runners[i].failed)) return false;
        pthread_join(runners[i].thread, NULL);
    }
    return true;
}

/* A queue is destroyed while it works through its packets: on one processor its thread is
 * interrupted anywhere, and every few dozen instructions of it are those of the window. */
static bool destroy_busy(runner_t *me, uint32_t n)
{
    rig_t *r = me->rig;
    r->next_slot = 0;
    r->used = me->used;
    rig_queue_t q;
    memset(rig_ptr(r, RIG_VA + r->used), 0, RIG_SDMA_BYTES + 256); /* NOPs, and none is executed */
    ((uint64_t *)rig_ptr(r, RIG_VA + r->used + RIG_SDMA_BYTES))[1] = RIG_SDMA_BYTES;
    if (!rig_sdma(r, &q)) return false;
    nanosleep(&(struct timespec){.tv_nsec = 1000 + n * 777 % 20000}, NULL);
    rig_close(&q);
    return true;
}

static void test_destroy_of_busy_queues(void **state)
{
    (void)state;
    runner_t runners[RUNNERS] = {0};
    for (uint32_t i = 0; i < RUNNERS; i++) {
        runners[i] = (runner_t){.round = destroy_busy, .rig = rig_create(1), .rounds = rounds};
        runners[i].used = runners[i].rig->used;
    }
    assert_true(all_end(runners, RUNNERS));
}

/* One wave's scratch for all: the queue's own thread has it, hands the other workgroups to the
 * workers, which find none, and gives it back to nobody who would notice. */
static bool share_scratch(runner_t *me, uint32_t n)
{
    (void)n;
    rig_signal_at(me->rig, me->signal)->value = 1;
    rig_dispatch(&me->queue, &(rig_dispatch_t){.kernel = me->kernel,
                                               .signal = me->signal,
                                               .scratch = 16,
                                               .grid = {64 * 64},
                                               .group = {64}});
    return rig_wait(me->rig, me->signal, 0);
}

static const char loop_text[] = "s_movk_i32 s4, 400\n"
                                "again: s_sub_u32 s4, s4, 1\n"
                                "s_cmp_lg_u32 s4, 0\n"
                                "s_cbranch_scc1 again\n"
                                "s_endpgm\n";

static void test_scratch_given_back(void **state)
{
    (void)state;
    runner_t runner = {.round = share_scratch, .rig = rig_create(1), .rounds = rounds / 20};
    rig_t *r = runner.rig;
    runner.kernel = rig_kernel(r, loop_text, NULL);
    runner.signal = rig_signal(r, 1);
    assert_true(rig_aql(r, &runner.queue));
    runner.queue.descriptor->scratch_backing_memory_location = rig_alloc(r, 1024);
    runner.queue.descriptor->compute_tmpring_size = 1 | 1 << 12; /* a wave of a KB */
    assert_true(all_end(&runner, 1));
    rig_close(&runner.queue);
}

/* On one processor, where threads are interrupted at any place. The argument is the number of
 * rounds. */
int main(int argc, char **argv)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_destroy_of_busy_queues),
        cmocka_unit_test(test_scratch_given_back),
    };
    cpu_set_t all, one;
    if (!asm_available()) return 77;
    CPU_ZERO(&one);
    if (sched_getaffinity(0, sizeof all, &all) == 0)
        for (int i = 0; i < CPU_SETSIZE && !CPU_COUNT(&one); i++)
            if (CPU_ISSET(i, &all)) CPU_SET(i, &one);
    sched_setaffinity(0, sizeof one, &one);
    if (argc > 1) rounds = (uint32_t)atoi(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
