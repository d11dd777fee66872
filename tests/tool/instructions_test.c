/* instructions_test.c - what a store has of the counts of dispatches if the process is killed at
 * any moment, or softgpu is one that does not say where a dispatch's instructions end. softgpu and
 * the store are played here. */
#include "tool/instructions.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#undef stop /* a macro of cmocka 2, and a member of the interface */

#include "softgpu/instruction_counts.h"
#include "tool/facts.h"
#include "tool/launches.h"
#include "tool/selects.h"
#include "trace/format.h"
#include "trace/instructions.h"

enum { KERNEL = 7, OBJECT = 0x1000, INSTRUCTIONS = 200 /* of a dispatch: several records */ };

/* ---- the store ---- */

static struct {
    unsigned rows[4], kernels[4]; /* of each dispatch: instructions, rows of its own */
    unsigned at_end[4];           /* instructions when its own row came */
    bool whole;
} store;

void tool_fact_table(uint32_t type, uint64_t owner, uint32_t part, uint32_t columns,
                     const uint64_t *numbers, uint64_t rows)
{
    (void)owner, (void)part;
    for (uint64_t k = 0; k < rows; k++, numbers += columns) {
        if (type == TRACE_INSTRUCTIONS) {
            assert_int_equal(numbers[TRACE_INSTRUCTION_KERNEL], KERNEL);
            store.rows[numbers[TRACE_INSTRUCTION_GROUP]]++;
        } else if (numbers[TRACE_COUNTED_KERNEL]) {
            const uint64_t dispatch = numbers[TRACE_COUNTED_GROUP];
            store.kernels[dispatch]++;
            store.at_end[dispatch] = store.rows[dispatch];
        } else {
            store.whole = numbers[TRACE_COUNTED_DISPATCHES];
        }
    }
}

bool tool_selects_read(char *why, size_t why_bytes)
{
    (void)why, (void)why_bytes;
    return true;
}

bool tool_selects_begun(uint64_t kernel_id)
{
    return kernel_id == KERNEL;
}

rocprofiler_status_t tool_launches_configure(rocprofiler_context_id_t always)
{
    (void)always;
    return ROCPROFILER_STATUS_SUCCESS;
}

bool tool_launches_take(tool_launch_t *launch, uint64_t queue)
{
    (void)launch, (void)queue;
    return true;
}

const char *rocprofiler_get_status_string(rocprofiler_status_t status)
{
    (void)status;
    return "";
}

/* ---- softgpu ---- */

static softgpu_instruction_options_t options;

static int start_counting(const softgpu_instruction_options_t *o)
{
    options = *o;
    return 0;
}

static int stop_counting(void)
{
    return 0;
}

static int read_none(const softgpu_instruction_range_t *range,
                     const softgpu_instruction_visitor_t *visitor)
{
    (void)range, (void)visitor;
    return 0;
}

__attribute__((visibility("default"))) softgpu_instruction_counts_fn_t softgpu_instruction_counts;

const softgpu_instruction_counts_api_t *softgpu_instruction_counts(unsigned version)
{
    static const softgpu_instruction_counts_api_t api = {
        .size = sizeof api, .start = start_counting, .stop = stop_counting, .read = read_none};
    return version == SOFTGPU_INSTRUCTION_COUNTS_VERSION ? &api : NULL;
}

/* Ends a dispatch. `says`: softgpu says so, as one of before did not. */
static void end_dispatch(uint64_t dispatch, bool says)
{
    const softgpu_instruction_visitor_t *v = options.each_dispatch;
    v->kernel(&(softgpu_counted_kernel_t){.size = sizeof(softgpu_counted_kernel_t),
                                          .kernel_object = OBJECT,
                                          .dispatches = 1,
                                          .group = dispatch},
              v->user);
    for (unsigned k = 0; k < INSTRUCTIONS; k++) {
        const softgpu_instruction_t i = {.size = sizeof i, .address = OBJECT + 4 * k, .n_words = 1};
        v->instruction(&i, v->user);
        assert_int_equal(store.kernels[dispatch], 0); /* it would look whole */
    }
    if (says) v->end(v->user);
}

static int begin(void **state)
{
    const rocprofiler_callback_tracing_code_object_kernel_symbol_register_data_t kernel = {
        .kernel_object = OBJECT, .kernel_id = KERNEL};
    (void)state;
    setenv("ROCPROF_INSTRUCTION_COUNTS", "1", 1);
    setenv("ROCPROF_INSTRUCTION_COUNTS_BY", "dispatch", 1);
    tool_instructions_kernel(&kernel);
    return tool_instructions_start((rocprofiler_context_id_t){1}) ? 0 : -1;
}

static void assert_whole(uint64_t dispatch)
{
    assert_int_equal(store.rows[dispatch], INSTRUCTIONS);
    assert_int_equal(store.kernels[dispatch], 1);
    assert_int_equal(store.at_end[dispatch], INSTRUCTIONS);
}

/* The first cases are of one softgpu that never says where instructions end. */
static void what_is_not_ended_is_when_the_next_begins(void **state)
{
    (void)state;
    end_dispatch(0, false);
    assert_int_equal(store.kernels[0], 0);
    end_dispatch(1, false);
    assert_whole(0);
}

static void what_is_not_ended_is_at_the_end(void **state)
{
    (void)state;
    tool_instructions_stop();
    assert_whole(1);
    assert_true(store.whole);
}

static void a_dispatch_is_written_when_it_ends(void **state)
{
    (void)state;
    for (unsigned k = 2; k < 4; k++) {
        end_dispatch(k, true);
        assert_whole(k);
    }
    tool_instructions_stop();
    for (unsigned k = 0; k < 4; k++)
        assert_whole(k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_ended_is_when_the_next_begins),
        cmocka_unit_test(what_is_not_ended_is_at_the_end),
        cmocka_unit_test(a_dispatch_is_written_when_it_ends),
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}
