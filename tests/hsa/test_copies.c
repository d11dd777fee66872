/* test_copies.c - asynchronous copies and code objects through the hooks, and the shut-down.
 *
 * The fake runtime knows the time of a copy only by the signal it was given itself. */
#include "fake_hsa.h"
#include "hsa/code_objects.h"
#include "hsa/copies.h"
#include "hsa/lane.h"
#include "hsa/kernel_map.h"
#include "hsa/runtime.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

static atomic_long begun, completed, lost_count, refused_count;
static hsax_copy_t seen;
static uint64_t seen_start, seen_end;

static bool yes(void)
{
    return true;
}

static bool begin(hsax_item_t *item, const hsax_copy_t *copy)
{
    (void)item;
    seen = *copy;
    begun++;
    return true;
}

static void nothing(hsax_item_t *item)
{
    (void)item;
}

static void complete(hsax_item_t *item)
{
    seen_start = item->start_ns;
    seen_end = item->end_ns;
    completed++;
}

static void lost(hsax_item_t *item)
{
    (void)item;
    lost_count++;
}

static void refused(hsax_item_t *item)
{
    (void)item;
    refused_count++;
}

static const hsax_copy_client_t copy_client = {8, yes, begin, nothing, complete, lost, refused};

static char events[4096];

static void note(const char *what, const hsax_code_object_t *o)
{
    char text[256];
    snprintf(text, sizeof text, "%s %llu base %llx %s kernels", what, (unsigned long long)o->id,
             (unsigned long long)o->load_base, o->uri);
    strcat(events, text);
    for (unsigned i = 0; i < o->kernel_count; i++) {
        const hsax_kernel_t *k = &o->kernels[i];
        snprintf(text, sizeof text, " %llu:%s:%llx:%u:%u", (unsigned long long)k->id, k->name,
                 (unsigned long long)hsax_kernel_id(k->object), k->arch_vgprs, k->kernarg_size);
        strcat(events, text);
    }
    strcat(events, "\n");
}

static void loaded(hsax_code_object_t *o)
{
    note("load", o);
}
static void unloaded(hsax_code_object_t *o)
{
    note("unload", o);
}

static const hsax_code_object_client_t code_client = {loaded, unloaded};

static bool signal_drops(hsa_signal_t signal)
{
    for (int i = 0; i < 100000 && fake_signal_value(signal) > 0; i++)
        nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
    return fake_signal_value(signal) == 0;
}

static hsa_status_t copy(void *to, hsa_agent_t to_agent, const void *from, hsa_agent_t from_agent,
                         size_t size, hsa_signal_t signal)
{
    return fake_current->amd_ext->hsa_amd_memory_async_copy_fn(to, to_agent, from, from_agent, size,
                                                               0, NULL, signal);
}

static hsa_status_t copy_time(hsa_signal_t signal, hsa_amd_profiling_async_copy_time_t *time)
{
    return fake_current->amd_ext->hsa_amd_profiling_get_async_copy_time_fn(signal, time);
}

static void test_copy(void **state)
{
    (void)state;
    char from[100] = "abc", to[100] = "";
    hsa_signal_t signal = fake_signal(1);
    hsa_amd_profiling_async_copy_time_t time;
    assert_int_equal(copy_time(signal, &time), HSA_STATUS_ERROR);
    assert_int_equal(copy(to, FAKE_GPU, from, FAKE_CPU, sizeof from, signal), HSA_STATUS_SUCCESS);
    assert_int_not_equal(fake_copy_signal.handle, signal.handle);
    assert_true(signal_drops(signal));
    assert_string_equal(to, "abc");
    assert_int_equal(completed, 1);
    assert_int_equal(seen.bytes, 100);
    assert_ptr_equal(seen.dst, to);
    assert_ptr_equal(seen.src, from);
    assert_true(seen.dst_gpu);
    assert_false(seen.src_gpu);
    assert_int_equal(seen_end, seen_start + 500);
    /* What the program asks of its own signal is the same. */
    assert_int_equal(copy_time(signal, &time), HSA_STATUS_SUCCESS);
    assert_int_equal(time.start, seen_start);
    assert_int_equal(time.end, seen_end);
    assert_int_equal(fake_block(signal)->start_ts, seen_start);
    /* Gone with the signal. */
    fake_current->core->hsa_signal_destroy_fn(signal);
    assert_int_equal(copy_time(signal, &time), HSA_STATUS_ERROR);
}

static void test_refused(void **state)
{
    (void)state;
    char from[4] = "", to[4];
    hsa_signal_t signal = fake_signal(1);
    fake_copy_status = HSA_STATUS_ERROR_INVALID_ARGUMENT;
    assert_int_equal(copy(to, FAKE_CPU, from, FAKE_GPU, 4, signal),
                     HSA_STATUS_ERROR_INVALID_ARGUMENT);
    fake_copy_status = HSA_STATUS_SUCCESS;
    assert_int_equal(refused_count, 1);
    assert_int_equal(fake_signal_value(signal), 1);
    /* An agent nobody knows: left alone. */
    assert_int_equal(copy(to, (hsa_agent_t){7}, from, FAKE_GPU, 4, signal), HSA_STATUS_SUCCESS);
    assert_int_equal(fake_copy_signal.handle, signal.handle);
    assert_true(signal_drops(signal));
}

static void test_many_signals(void **state)
{
    (void)state;
    enum { N = 500 };
    char byte = 1, to;
    hsa_signal_t signals[N];
    long before = completed;
    for (int i = 0; i < N; i++) {
        signals[i] = fake_signal(1);
        copy(&to, FAKE_GPU, &byte, FAKE_GPU, 1, signals[i]);
        assert_true(signal_drops(signals[i]));
    }
    assert_int_equal(completed - before, N);
    for (int i = 0; i < N; i++) {
        hsa_amd_profiling_async_copy_time_t time;
        assert_int_equal(copy_time(signals[i], &time), HSA_STATUS_SUCCESS);
        assert_int_equal(time.start, fake_block(signals[i])->start_ts);
        fake_current->core->hsa_signal_destroy_fn(signals[i]);
    }
}

static void test_code_objects(void **state)
{
    (void)state;
    hsax_core_table_t *core = fake_current->core;
    fake_kernels = 2;
    core->hsa_executable_freeze_fn((hsa_executable_t){0}, NULL); /* fails: nothing is loaded */
    core->hsa_executable_freeze_fn((hsa_executable_t){4}, NULL);
    core->hsa_executable_freeze_fn((hsa_executable_t){4}, NULL); /* again: known */
    core->hsa_executable_freeze_fn((hsa_executable_t){8}, NULL);
    core->hsa_executable_destroy_fn((hsa_executable_t){4});
    hsax_code_objects_finish();
    hsax_code_objects_finish();
    assert_string_equal(
        events, "load 1 base 50000 memory://1#offset=0x10&size=32 kernels 1:kernel0.kd:1:16:100 "
                "2:kernel1.kd:2:16:101\n"
                "load 2 base 90000 memory://1#offset=0x10&size=32 kernels 3:kernel0.kd:3:16:100 "
                "4:kernel1.kd:4:16:101\n"
                "unload 1 base 50000 memory://1#offset=0x10&size=32 kernels 1:kernel0.kd:0:16:100 "
                "2:kernel1.kd:0:16:101\n"
                "unload 2 base 90000 memory://1#offset=0x10&size=32 kernels 3:kernel0.kd:0:16:100 "
                "4:kernel1.kd:0:16:101\n");
}

static int downs;

static void down(void)
{
    downs++;
}

static bool begin_runtime(hsax_api_table_t *table)
{
    if (!hsax_runtime_start(table, down)) return false;
    hsax_copies_hook(table, &copy_client);
    hsax_code_objects_hook(table, &code_client);
    return true;
}

/* Down only at the last of the program's references; then up again with a fresh table. */
static void test_shut_down_and_again(void **state)
{
    (void)state;
    char from = 1, to;
    hsa_signal_t signal = fake_signal(1);
    copy(&to, FAKE_GPU, &from, FAKE_CPU, 1, signal);
    fake_current->core->hsa_init_fn();
    fake_current->core->hsa_shut_down_fn();
    assert_int_equal(downs, 0);
    assert_true(hsax_runtime_up());
    long before = fake_signals_alive();
    fake_current->core->hsa_shut_down_fn();
    assert_int_equal(downs, 1);
    assert_false(hsax_runtime_up());
    assert_int_equal(fake_signal_value(signal), 0);
    assert_true(fake_signals_alive() <= before - 64); /* the pool is gone */
    assert_true(begin_runtime(fake_table(false)));
    assert_false(begin_runtime(fake_current)); /* the same table twice */
    signal = fake_signal(1);
    copy(&to, FAKE_GPU, &from, FAKE_CPU, 1, signal);
    assert_true(signal_drops(signal));
    assert_int_equal(lost_count, 0);
}

static int start(void **state)
{
    (void)state;
    hsax_held_up_ns = 20000000000; /* however busy the machine is */
    return begin_runtime(fake_table(true)) ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_copy),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_many_signals),
        cmocka_unit_test(test_code_objects),
        cmocka_unit_test(test_shut_down_and_again),
    };
    return cmocka_run_group_tests(tests, start, NULL);
}
