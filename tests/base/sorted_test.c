/* sorted_test.c - a search finds the first row that does not belong in front. */
#include "base/sorted.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

/* The index of the first row that is not below `bound`. */
static size_t search(const int *rows, size_t count, int bound)
{
    size_t i = SIZE_MAX;
    BASE_SEARCH(i, count, rows[i] < bound);
    return i;
}

static void rows_of_every_number(void **state)
{
    static const int rows[] = {10, 20, 30, 40, 50, 60, 70};
    (void)state;
    for (size_t count = 0; count <= sizeof rows / sizeof *rows; count++)
        for (int bound = 5; bound <= 75; bound += 5) {
            size_t expected = 0;
            while (expected < count && rows[expected] < bound)
                expected++;
            assert_int_equal(search(rows, count, bound), expected);
        }
}

static void first_of_equal_rows(void **state)
{
    static const int rows[] = {1, 2, 2, 2, 2, 3, 3};
    (void)state;
    assert_int_equal(search(rows, 7, 2), 1);
    assert_int_equal(search(rows, 7, 3), 5);
    assert_int_equal(search(rows, 7, 4), 7);
}

/* Only rows that exist are looked at, and few of them. */
static void few_rows_are_looked_at(void **state)
{
    enum { ROWS = 1 << 20 };
    size_t i, looks = 0;
    (void)state;
    BASE_SEARCH(i, ROWS, (looks++, assert_true(i < ROWS), i < 777));
    assert_int_equal(i, 777);
    assert_in_range(looks, 20, 21);
    looks = 0;
    BASE_SEARCH(i, 0, (looks++, 1));
    assert_int_equal(i, 0);
    assert_int_equal(looks, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_of_every_number),
                                       cmocka_unit_test(first_of_equal_rows),
                                       cmocka_unit_test(few_rows_are_looked_at)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
