/* counted_test.c - which of a store's counts of instructions are read: those of dispatches that had
 * ended, and all sums by kernel. */
#include "insight/instructions.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "trace/instructions.h"

enum { MOST = 8, COLUMNS = TRACE_INSTRUCTION_COLUMNS };

typedef struct {
    trace_table_t fixed;
    uint64_t numbers[MOST * COLUMNS];
} table_t;

static table_t instructions, kernels;

static uint64_t *row_of(table_t *t, uint32_t columns)
{
    t->fixed.columns = columns;
    return t->numbers + t->fixed.rows++ * columns;
}

/* An instruction of the kernel and group, which was executed once. */
static void put_instruction(uint64_t kernel, uint64_t group, uint64_t address)
{
    uint64_t *row = row_of(&instructions, TRACE_INSTRUCTION_COLUMNS);
    row[TRACE_INSTRUCTION_KERNEL] = kernel;
    row[TRACE_INSTRUCTION_GROUP] = group;
    row[TRACE_INSTRUCTION_ADDRESS] = address;
    row[TRACE_INSTRUCTION_WORDS] = row[TRACE_INSTRUCTION_COUNTS] = 1;
}

static void put_kernel(uint64_t kernel, uint64_t group, trace_counted_by_t by)
{
    uint64_t *row = row_of(&kernels, TRACE_COUNTED_COLUMNS);
    row[TRACE_COUNTED_KERNEL] = kernel;
    row[TRACE_COUNTED_GROUP] = group;
    row[TRACE_COUNTED_DISPATCHES] = kernel != 0;
    row[TRACE_COUNTED_BY] = by;
}

static void load(ins_set_t *set, bool unfinished)
{
    const trace_table_t *code = &instructions.fixed, *counted = &kernels.fixed;
    const out_model_t model = {.instructions = &code,
                               .instruction_count = 1,
                               .counted_kernels = &counted,
                               .counted_kernel_count = 1};
    char why[256];
    assert_int_equal(ins_load(&model, "/nowhere", set, why, sizeof why), 0);
    assert_int_equal(ins_unfinished(&model), unfinished);
}

/* Rows of two dispatches that had ended, and of others whose own rows are missing. */
static void fill(trace_counted_by_t by)
{
    instructions = kernels = (table_t){0};
    put_kernel(0, 0, by);
    put_instruction(1, 4, 0);
    put_instruction(1, 4, 4);
    put_kernel(1, 4, by);
    put_instruction(1, 3, 0);
    put_instruction(2, 5, 8);
    put_kernel(2, 5, by);
    put_instruction(2, 6, 8);
    put_instruction(3, 7, 12);
}

static void parts_of_dispatches_are_left_out(void **state)
{
    static const uint64_t groups[] = {4, 4, 5};
    ins_set_t set;
    (void)state;
    fill(TRACE_COUNTED_BY_DISPATCH);
    load(&set, false);
    assert_int_equal(set.kernel_count, 2);
    assert_int_equal(set.count, 3);
    for (unsigned k = 0; k < 3; k++)
        assert_int_equal(set.items[k].group, groups[k]);
    ins_free(&set);
}

/* Of sums it is said that they are not whole. */
static void parts_of_sums_are_told(void **state)
{
    ins_set_t set;
    (void)state;
    fill(TRACE_COUNTED_BY_KERNEL);
    load(&set, true);
    assert_int_equal(set.count, 6);
    ins_free(&set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_of_dispatches_are_left_out),
        cmocka_unit_test(parts_of_sums_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
