/* callbacks_test.c - callbacks of libroctracer64 that are replaced while a call is reported.
 *
 * A callback is replaced from within the function that makes its data, which runs between the look
 * at what is enabled and the call: so it may happen on another thread at any time. */
#include "roctracer/internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const activity_domain_t domain_of_test = ACTIVITY_DOMAIN_HSA_API;
enum { ID = 3 };

static int first_arg, second_arg;
static unsigned first_calls, second_calls, wrong_args;

static void first(uint32_t domain, uint32_t id, const void *data, void *arg)
{
    (void)domain, (void)id, (void)data;
    first_calls++;
    wrong_args += arg != &first_arg;
}

static void second(uint32_t domain, uint32_t id, const void *data, void *arg)
{
    (void)domain, (void)id, (void)data;
    second_calls++;
    wrong_args += arg != &second_arg;
}

static void enable(activity_rtapi_callback_t callback, void *arg)
{
    assert_int_equal(roctracer_enable_op_callback(domain_of_test, ID, callback, arg),
                     ROCTRACER_STATUS_SUCCESS);
}

static void nothing(void *data, const rocprofiler_callback_tracing_record_t *record,
                    rocprofiler_user_data_t *user_data, bool recorded)
{
    (void)data, (void)record, (void)user_data, (void)recorded;
}

static void replace(void *data, const rocprofiler_callback_tracing_record_t *record,
                    rocprofiler_user_data_t *user_data, bool recorded)
{
    nothing(data, record, user_data, recorded);
    enable(second, &second_arg);
}

static void disable(void *data, const rocprofiler_callback_tracing_record_t *record,
                    rocprofiler_user_data_t *user_data, bool recorded)
{
    nothing(data, record, user_data, recorded);
    assert_int_equal(roctracer_disable_op_callback(domain_of_test, ID), ROCTRACER_STATUS_SUCCESS);
}

static void tell(rtr_fill_t fill)
{
    rocprofiler_callback_tracing_record_t record = {.phase = ROCPROFILER_CALLBACK_PHASE_ENTER};
    rocprofiler_user_data_t user_data = {0};
    char data;
    rtr_tell_call(domain_of_test, ID, &record, &user_data, fill, &data);
}

static int forget_calls(void **state)
{
    (void)state;
    first_calls = second_calls = wrong_args = 0;
    return 0;
}

static void a_callback_gets_its_own_argument(void **state)
{
    (void)state;
    enable(first, &first_arg);
    tell(replace);
    assert_int_equal(first_calls, 1);
    assert_int_equal(second_calls, 0);
    tell(nothing);
    assert_int_equal(second_calls, 1);
    assert_int_equal(wrong_args, 0);
    tell(disable);
    tell(nothing);
    assert_int_equal(second_calls, 2);
    assert_int_equal(wrong_args, 0);
}

/* Handlers may hold a callback and its argument for ever, so these are kept; once each. */
static void what_is_set_again_takes_no_memory(void **state)
{
    (void)state;
    enum { ROUNDS = 100 };
    const rtr_op_t *op = rtr_operation(domain_of_test, ID);
    enable(first, &first_arg);
    const rtr_hook_t *kept = rtr_hook(op);
    for (unsigned i = 0; i < ROUNDS; i++) {
        enable(second, &first_arg);
        assert_ptr_not_equal(rtr_hook(op), kept);
        enable(first, &first_arg);
        assert_ptr_equal(rtr_hook(op), kept);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_callback_gets_its_own_argument, forget_calls),
        cmocka_unit_test_setup(what_is_set_again_takes_no_memory, forget_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
