/* test_replay.c - the thread that runs dispatches again: what it waits for, and its end.
 *
 * Copies go to an engine of the test's own, which does them one after the other, each when its
 * dependency is 0. */
#include "fake_hsa.h"
#include "hsa/lane.h"
#include "hsa/replay.h"
#include "hsa/runtime.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

enum { SECONDS = 20, COPIES = 8 };

static hsax_lane_t lane;

static void nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
}

static bool signal_drops(hsa_signal_t signal)
{
    uint64_t begin = base_clock_ns(CLOCK_MONOTONIC);
    while (fake_signal_value(signal) > 0 &&
           base_clock_ns(CLOCK_MONOTONIC) - begin < SECONDS * 1000000000ull)
        nap();
    return fake_signal_value(signal) == 0;
}

static void set_to_0(hsa_signal_t signal)
{
    __atomic_store_n(&fake_block(signal)->value, 0, __ATOMIC_RELEASE);
}

/* ---- the engine ---- */

static struct {
    hsa_signal_t dependency, done;
} copies[COPIES];
static unsigned copy_count;

static void *engine(void *unused)
{
    (void)unused;
    for (unsigned i = 0; i < COPIES; i++) {
        while (__atomic_load_n(&copy_count, __ATOMIC_ACQUIRE) <= i)
            nap();
        while (copies[i].dependency.handle && fake_signal_value(copies[i].dependency) != 0)
            nap();
        fake_complete(copies[i].done, 0, 1);
    }
    return NULL;
}

static hsa_status_t async_copy(void *dst, hsa_agent_t dst_agent, const void *src,
                               hsa_agent_t src_agent, size_t size, uint32_t count,
                               const hsa_signal_t *signals, hsa_signal_t signal)
{
    (void)dst, (void)dst_agent, (void)src, (void)src_agent, (void)size;
    if (count) copies[copy_count].dependency = signals[0];
    copies[copy_count].done = signal;
    __atomic_store_n(&copy_count, copy_count + 1, __ATOMIC_RELEASE);
    return HSA_STATUS_SUCCESS;
}

static hsa_signal_value_t load(hsa_signal_t signal)
{
    return fake_signal_value(signal);
}

static hsa_status_t copy(uint32_t count, const hsa_signal_t *dependency, hsa_signal_t done)
{
    return fake_current->amd_ext->hsa_amd_memory_async_copy_fn(NULL, FAKE_GPU, NULL, FAKE_CPU, 0,
                                                               count, dependency, done);
}

static bool begin_runtime(void)
{
    hsax_api_table_t *table = fake_table(false);
    table->amd_ext->hsa_amd_memory_async_copy_fn = async_copy;
    table->core->hsa_signal_load_scacquire_fn = load;
    if (!hsax_runtime_start(table, hsax_replay_shut_down)) return false;
    hsax_replay_hook(table);
    return true;
}

/* ---- tests ---- */

static void assert_replays(void)
{
    enum { RUNS = 2 };
    hsax_replay_t *replay = hsax_replay_begin(&lane, RUNS);
    assert_non_null(replay);
    for (unsigned run = 0; run < RUNS; run++) {
        set_to_0(hsax_replay_step(replay, run).ready);
        assert_true(signal_drops(hsax_replay_step(replay, run).go));
    }
    hsax_replay_end(replay, true);
}

/* The runtime goes down and comes up again: before the thread was needed, and after. */
static void test_shut_down_and_again(void **state)
{
    (void)state;
    fake_current->core->hsa_shut_down_fn();
    assert_false(hsax_replay_possible());
    assert_true(begin_runtime());
    assert_true(hsax_replay_possible());
    assert_replays();
    fake_current->core->hsa_shut_down_fn();
    assert_true(begin_runtime());
    assert_replays();
}

static hsa_signal_t dependency, first_done, second_done;

/* The second copy is behind the first in the engine, and the first waits for this thread. */
static void *copy_twice(void *returned)
{
    copy(1, &dependency, first_done);
    copy(0, NULL, second_done);
    set_to_0(dependency);
    __atomic_store_n((bool *)returned, true, __ATOMIC_RELEASE);
    return NULL;
}

static void test_copy_waits_for_its_thread(void **state)
{
    (void)state;
    static bool returned;
    pthread_t threads[2];
    dependency = fake_signal(1);
    first_done = fake_signal(1);
    second_done = fake_signal(1);
    pthread_create(&threads[0], NULL, engine, NULL);
    pthread_create(&threads[1], NULL, copy_twice, &returned);
    assert_true(signal_drops(second_done));
    assert_true(signal_drops(first_done));
    pthread_join(threads[1], NULL);
    assert_true(returned);
    assert_replays();
}

static int start(void **state)
{
    (void)state;
    return begin_runtime() ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shut_down_and_again),
        cmocka_unit_test(test_copy_waits_for_its_thread),
    };
    return cmocka_run_group_tests(tests, start, NULL);
}
