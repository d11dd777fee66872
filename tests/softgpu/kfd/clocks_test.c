/* clocks_test.c - the driver's clocks are of one moment, though its thread is held up between them.
 *
 * ROCr converts a kernel's times by what the driver said last: where a pair is wrong by more than
 * the time between two kernels, they overlap in a trace. */
#include "../../base/held_up.h"
#include "fake_device.h"

#include "softgpu/kfd/kfd.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static long long off(uint64_t counter, clockid_t clock, uint64_t system)
{
    return llabs((long long)(counter - held_up_start(clock)) -
                 (long long)(system - held_up_start(CLOCK_BOOTTIME)));
}

static void clocks_are_of_one_moment(void **state)
{
    kfd_process_t *process = *state;
    for (unsigned phase = 0; phase < HELD_UP_EACH; phase++) {
        struct kfd_ioctl_get_clock_counters_args args = {.gpu_id = kfd_gpu_id(0)};
        held_up_begin(phase);
        assert_int_equal(kfd_ioctl(process, AMDKFD_IOC_GET_CLOCK_COUNTERS, &args), 0);
        assert_in_range(
            off(args.gpu_clock_counter, sg_device_clock_id(), args.system_clock_counter), 0,
            2 * READING_NS);
        assert_in_range(off(args.cpu_clock_counter, CLOCK_MONOTONIC_RAW, args.system_clock_counter),
                        0, 2 * READING_NS);
    }
}

static int set_up(void **state)
{
    *state = kfd_process_get();
    return *state ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(clocks_are_of_one_moment)};
    return cmocka_run_group_tests(tests, set_up, NULL);
}
