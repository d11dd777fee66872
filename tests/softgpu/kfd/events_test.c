/* events_test.c - events as the kernel has them: auto-reset, all and any, time-outs, ages, faults.
 */
#include "softgpu/kfd/kfd.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static kfd_events_t *events;

static uint32_t make_event(uint32_t type, bool auto_reset)
{
    struct kfd_ioctl_create_event_args args = {.event_type = type, .auto_reset = auto_reset};
    assert_int_equal(kfd_event_create(events, &args), 0);
    return args.event_id;
}

/* Waits for up to two events; the result, or -errno. */
static int wait_for(uint32_t a, uint32_t b, bool all, uint32_t timeout)
{
    struct kfd_event_data data[2] = {{.event_id = a}, {.event_id = b}};
    struct kfd_ioctl_wait_events_args args = {.events_ptr = (uintptr_t)data,
                                              .num_events = b ? 2 : 1,
                                              .wait_for_all = all,
                                              .timeout = timeout};
    int error = kfd_events_wait(events, &args, false);
    return error ? error : (int)args.wait_result;
}

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void answers_like_the_driver(void **state)
{
    (void)state;
    struct kfd_ioctl_create_event_args args = {.event_type = KFD_IOC_EVENT_SIGNAL};
    assert_int_equal(kfd_event_create(events, &args), 0);
    assert_true(args.event_id > 0 && args.event_id < KFD_SIGNAL_EVENT_LIMIT);
    assert_int_equal(args.event_slot_index, args.event_id);
    assert_int_equal(args.event_trigger_data, args.event_id);
    assert_true(args.event_page_offset != 0); /* without it ROCr has no mailbox */
    assert_int_equal(kfd_event_destroy(events, args.event_id), 0);
    assert_int_equal(kfd_event_destroy(events, args.event_id), -EINVAL);
    assert_int_equal(kfd_event_set(events, args.event_id), -EINVAL);
    assert_int_equal(wait_for(args.event_id, 0, false, 0), -EINVAL);
}

static void auto_reset_is_consumed_once(void **state)
{
    (void)state;
    uint32_t id = make_event(KFD_IOC_EVENT_SIGNAL, true);
    assert_int_equal(wait_for(id, 0, false, 0), KFD_IOC_WAIT_RESULT_TIMEOUT);
    kfd_events_raise(events, id);
    assert_int_equal(wait_for(id, 0, false, 0), KFD_IOC_WAIT_RESULT_COMPLETE);
    assert_int_equal(wait_for(id, 0, false, 0), KFD_IOC_WAIT_RESULT_TIMEOUT);
    kfd_event_destroy(events, id);
}

static void manual_reset_stays(void **state)
{
    (void)state;
    uint32_t id = make_event(KFD_IOC_EVENT_SIGNAL, false);
    assert_int_equal(kfd_event_set(events, id), 0);
    assert_int_equal(wait_for(id, 0, false, 0), KFD_IOC_WAIT_RESULT_COMPLETE);
    assert_int_equal(wait_for(id, 0, false, 0), KFD_IOC_WAIT_RESULT_COMPLETE);
    assert_int_equal(kfd_event_reset(events, id), 0);
    assert_int_equal(wait_for(id, 0, false, 0), KFD_IOC_WAIT_RESULT_TIMEOUT);
    kfd_event_destroy(events, id);
}

static void waits_for_all_or_any(void **state)
{
    (void)state;
    uint32_t a = make_event(KFD_IOC_EVENT_SIGNAL, true), b = make_event(KFD_IOC_EVENT_SIGNAL, true);
    kfd_events_raise(events, a);
    uint64_t begin = now_ns();
    assert_int_equal(wait_for(a, b, true, 20), KFD_IOC_WAIT_RESULT_TIMEOUT);
    assert_true(now_ns() - begin >= 20000000);
    /* the wait that failed has not eaten the event */
    assert_int_equal(wait_for(a, b, false, 0), KFD_IOC_WAIT_RESULT_COMPLETE);
    kfd_events_raise(events, a);
    kfd_events_raise(events, b);
    assert_int_equal(wait_for(a, b, true, 20), KFD_IOC_WAIT_RESULT_COMPLETE);
    kfd_event_destroy(events, a);
    kfd_event_destroy(events, b);
}

/* Raises the event when the other thread, most likely, sleeps in its wait: nothing shows that it
 * does. A thread that comes later finds the event raised, as in other tests. */
static void *raise_later(void *id)
{
    usleep(20000);
    kfd_events_raise(events, *(uint32_t *)id);
    return NULL;
}

typedef struct {
    uint32_t id;
    int result;
} waited_t;

static void *wait_now(void *argument)
{
    waited_t *w = argument;
    w->result = wait_for(w->id, 0, false, 0);
    return NULL;
}

static int wait_on_another_thread(uint32_t id)
{
    pthread_t thread;
    waited_t w = {id, -1};
    assert_int_equal(pthread_create(&thread, NULL, wait_now, &w), 0);
    pthread_join(thread, NULL);
    return w.result;
}

/* Two signals share the event, and each has a thread that waits for it. Whichever thread takes the
 * event, the other one learns of it once; the thread that took it does not learn of it again. */
static void another_thread_learns_of_an_event_that_was_taken(void **state)
{
    (void)state;
    uint32_t id = make_event(KFD_IOC_EVENT_SIGNAL, true);
    kfd_events_raise(events, id);
    assert_int_equal(wait_on_another_thread(id), KFD_IOC_WAIT_RESULT_COMPLETE);
    assert_int_equal(wait_for(id, 0, false, 0), KFD_IOC_WAIT_RESULT_COMPLETE);
    assert_int_equal(wait_for(id, 0, false, 0), KFD_IOC_WAIT_RESULT_TIMEOUT);
    assert_int_equal(wait_on_another_thread(id), KFD_IOC_WAIT_RESULT_TIMEOUT);
    /* taken by a thread that was asleep */
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, raise_later, &id), 0);
    assert_int_equal(wait_for(id, 0, false, 0xfffffffe), KFD_IOC_WAIT_RESULT_COMPLETE);
    pthread_join(thread, NULL);
    assert_int_equal(wait_on_another_thread(id), KFD_IOC_WAIT_RESULT_COMPLETE);
    assert_int_equal(wait_on_another_thread(id), KFD_IOC_WAIT_RESULT_TIMEOUT);
    kfd_event_destroy(events, id);
}

static void *destroy_later(void *id)
{
    usleep(20000); /* as in raise_later() */
    kfd_event_destroy(events, *(uint32_t *)id);
    return NULL;
}

static void wakes_a_sleeper(void **state)
{
    (void)state;
    pthread_t thread;
    uint32_t id = make_event(KFD_IOC_EVENT_SIGNAL, true);
    assert_int_equal(pthread_create(&thread, NULL, raise_later, &id), 0);
    /* the time-out that ROCr's threads use */
    assert_int_equal(wait_for(id, 0, false, 0xfffffffe), KFD_IOC_WAIT_RESULT_COMPLETE);
    pthread_join(thread, NULL);
    /* somebody waited, so an auto-reset event is not left signalled */
    assert_int_equal(wait_for(id, 0, false, 0), KFD_IOC_WAIT_RESULT_TIMEOUT);
    kfd_event_destroy(events, id);
}

static void destroying_ends_the_wait(void **state)
{
    (void)state;
    pthread_t thread;
    uint32_t id = make_event(KFD_IOC_EVENT_SIGNAL, true);
    assert_int_equal(pthread_create(&thread, NULL, destroy_later, &id), 0);
    assert_int_equal(wait_for(id, 0, false, UINT32_MAX), -EIO);
    pthread_join(thread, NULL);
}

static void ages_tell_of_missed_raises(void **state)
{
    (void)state;
    uint32_t id = make_event(KFD_IOC_EVENT_SIGNAL, true);
    uint64_t age = 1;
    struct kfd_event_data data = {.event_id = id};
    struct kfd_ioctl_wait_events_args args = {.events_ptr = (uintptr_t)&data, .num_events = 1};
    memcpy(&data, &age, sizeof(age));
    assert_int_equal(kfd_events_wait(events, &args, true), 0);
    assert_int_equal(args.wait_result, KFD_IOC_WAIT_RESULT_TIMEOUT);
    kfd_events_raise(events, id);
    kfd_event_reset(events, id);
    assert_int_equal(kfd_events_wait(events, &args, true), 0);
    assert_int_equal(args.wait_result, KFD_IOC_WAIT_RESULT_COMPLETE);
    memcpy(&age, &data, sizeof(age));
    assert_int_equal(age, 2);
    assert_int_equal(kfd_events_wait(events, &args, true), 0);
    assert_int_equal(args.wait_result, KFD_IOC_WAIT_RESULT_TIMEOUT);
    kfd_event_destroy(events, id);
}

static void faults_reach_memory_events(void **state)
{
    (void)state;
    struct kfd_hsa_memory_exception_data fault = {
        .failure.NotPresent = 1, .va = 0x1234000, .gpu_id = 7};
    assert_false(kfd_events_memory_fault(events, &fault));
    uint32_t id = make_event(KFD_IOC_EVENT_MEMORY, false);
    assert_true(kfd_events_memory_fault(events, &fault));
    struct kfd_event_data data = {.event_id = id};
    struct kfd_ioctl_wait_events_args args = {.events_ptr = (uintptr_t)&data, .num_events = 1};
    assert_int_equal(kfd_events_wait(events, &args, false), 0);
    assert_int_equal(args.wait_result, KFD_IOC_WAIT_RESULT_COMPLETE);
    assert_int_equal(data.memory_exception_data.va, 0x1234000);
    assert_int_equal(data.memory_exception_data.failure.NotPresent, 1);
    assert_int_equal(data.memory_exception_data.gpu_id, 7);
    kfd_event_destroy(events, id);
}

static void ids_run_out_cleanly(void **state)
{
    (void)state;
    struct kfd_ioctl_create_event_args args = {.event_type = KFD_IOC_EVENT_SIGNAL};
    unsigned n = 0;
    while (kfd_event_create(events, &args) == 0)
        n++;
    assert_int_equal(n, KFD_SIGNAL_EVENT_LIMIT - 1);
    assert_int_equal(kfd_event_create(events, &args), -ENOSPC);
    for (uint32_t id = 1; id < KFD_SIGNAL_EVENT_LIMIT; id++)
        assert_int_equal(kfd_event_destroy(events, id), 0);
}

/* ---- many threads ---- */

enum { PINGS = 2000 };
static uint32_t ping, pong;

static void *answer_pings(void *unused)
{
    for (int i = 0; i < PINGS; i++) {
        if (wait_for(ping, 0, false, UINT32_MAX) != KFD_IOC_WAIT_RESULT_COMPLETE) return unused;
        kfd_events_raise(events, pong);
    }
    return NULL;
}

static void round_trips_lose_nothing(void **state)
{
    (void)state;
    pthread_t thread;
    ping = make_event(KFD_IOC_EVENT_SIGNAL, true);
    pong = make_event(KFD_IOC_EVENT_SIGNAL, true);
    assert_int_equal(pthread_create(&thread, NULL, answer_pings, &ping), 0);
    uint64_t begin = now_ns();
    for (int i = 0; i < PINGS; i++) {
        kfd_events_raise(events, ping);
        assert_int_equal(wait_for(pong, 0, false, 10000), KFD_IOC_WAIT_RESULT_COMPLETE);
    }
    print_message("one wake-up: %.1f us\n", (double)(now_ns() - begin) / 2000 / (int)PINGS);
    void *failed;
    pthread_join(thread, &failed);
    assert_null(failed);
    kfd_event_destroy(events, ping);
    kfd_event_destroy(events, pong);
}

static int set_up(void **state)
{
    (void)state;
    events = kfd_events_create();
    return events ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_like_the_driver),
        cmocka_unit_test(auto_reset_is_consumed_once),
        cmocka_unit_test(manual_reset_stays),
        cmocka_unit_test(waits_for_all_or_any),
        cmocka_unit_test(wakes_a_sleeper),
        cmocka_unit_test(another_thread_learns_of_an_event_that_was_taken),
        cmocka_unit_test(destroying_ends_the_wait),
        cmocka_unit_test(ages_tell_of_missed_raises),
        cmocka_unit_test(faults_reach_memory_events),
        cmocka_unit_test(ids_run_out_cleanly),
        cmocka_unit_test(round_trips_lose_nothing),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
