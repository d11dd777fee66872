/* trace_units_test.c - how many units a shader array has for a thread trace to choose from. */
#include "base/trace_units.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void units(void **state)
{
    static const struct {
        uint32_t version, compute_units, units;
        const char *name;
    } rows[] = {
        {90010, 14, 14, "compute unit"},
        {90500, 1, 1, "compute unit"},
        {100306, 2, 1, "workgroup processor"}, /* an array of one */
        {110000, 16, 8, "workgroup processor"},
        {110003, 3, 2, "workgroup processor"}, /* one of them is half off */
        {120001, 0, 0, "workgroup processor"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        assert_int_equal(base_trace_units(rows[i].version, rows[i].compute_units), rows[i].units);
        assert_string_equal(base_trace_unit_name(rows[i].version), rows[i].name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(units)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
