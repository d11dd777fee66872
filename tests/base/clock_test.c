/* clock_test.c - the difference of two clocks, read by a thread that is held up between. */
#include "base/clock.h"
#include "held_up.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static void is_right_within_its_error(void **state)
{
    (void)state;
    for (unsigned phase = 0; phase < HELD_UP_EACH; phase++) {
        uint64_t error;
        held_up_begin(phase);
        uint64_t to = base_clock_difference(CLOCK_MONOTONIC, CLOCK_BOOTTIME, &error);
        assert_true(error <= 2 * READING_NS);
        assert_true(llabs((long long)(to - (held_up_start(CLOCK_BOOTTIME) -
                                            held_up_start(CLOCK_MONOTONIC)))) <= (long long)error);
        /* and back: modulo 2^64 */
        uint64_t from = base_clock_difference(CLOCK_BOOTTIME, CLOCK_MONOTONIC, NULL);
        assert_true(llabs((long long)(to + from)) <= 2 * (long long)error);
    }
}

static void is_nothing_of_one_clock(void **state)
{
    (void)state;
    uint64_t error;
    held_up_begin(0);
    assert_int_equal(base_clock_difference(CLOCK_BOOTTIME, CLOCK_BOOTTIME, &error), 0);
    assert_int_equal(error, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_right_within_its_error),
        cmocka_unit_test(is_nothing_of_one_clock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
