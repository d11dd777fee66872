/* sum_test.c - the one summation: numbers that are known beforehand, and that neither the order of
 * adding nor a division into parts changes a bit of them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/numbers.h"
#include "model/sum.h"

static void assert_same(const sum_t *a, const sum_t *b)
{
    assert_true(a->count == b->count && a->least == b->least && a->most == b->most &&
                a->total == b->total && a->squares == b->squares);
}

static void a_sum_of_nothing_is_zero(void **state)
{
    (void)state;
    sum_t none = {0}, some = {0};
    assert_true(sum_mean(&none) == 0 && sum_deviation(&none) == 0);
    assert_true(sum_share(&none, &none) == 0 && sum_percent(&none, &none) == 0);
    sum_add(&some, 7);
    sum_merge(&some, &none);
    assert_int_equal(some.least, 7);
    sum_merge(&none, &some);
    assert_same(&none, &some);
    assert_true(sum_deviation(&some) == 0);
}

static void statistics(void **state)
{
    (void)state;
    /* 2, 4, 4, 4, 5, 5, 7, 9: mean 5, sum of squared deviations 32, so s = sqrt(32/7) */
    static const int64_t durations[] = {2, 4, 4, 4, 5, 5, 7, 9};
    sums_t s = {0};
    for (int i = 0; i < 8; i++)
        assert_int_equal(sums_add(&s, 0, "many", durations[i]), 0);
    assert_int_equal(sums_add(&s, 1, "one", 60), 0);
    sums_sort(&s);
    assert_int_equal(s.count, 2);
    assert_string_equal(s.rows[0].name, "one");
    const sum_t *many = &s.rows[1].sum, whole = sums_whole(&s);
    assert_int_equal(many->count, 8);
    assert_int_equal(sum_total(many), 40);
    assert_int_equal(many->least, 2);
    assert_int_equal(many->most, 9);
    assert_true(sum_mean(many) == 5);
    assert_true(fabs(sum_deviation(many) - 2.1380899352993952) < 1e-12);
    assert_true(sum_deviation(&s.rows[0].sum) == 0);
    assert_true(sum_percent(many, &whole) == 40 && sum_share(many, &whole) == 0.4);
    sums_free(&s);
}

static void negative_numbers_and_large_ones(void **state)
{
    (void)state;
    sum_t s = {0}, large = {0}, most = {0};
    for (int64_t i = -3; i <= 3; i++)
        sum_add(&s, i);
    assert_int_equal(s.least, -3);
    assert_int_equal(s.most, 3);
    assert_true(sum_mean(&s) == 0);
    assert_true(fabs(sum_deviation(&s) - 2.1602468994692869) < 1e-15);
    /* where 64 bits of squares would overflow: ten durations of an hour and a nanosecond more each
     */
    for (int64_t i = 0; i < 10; i++)
        sum_add(&large, 3600000000000 + i);
    assert_true(fabs(sum_deviation(&large) - 3.0276503540974917) < 1e-15);
    for (int i = 0; i < 3; i++)
        sum_add(&most, INT64_MAX);
    assert_int_equal(sum_total(&most), INT64_MAX);
    assert_true(sum_mean(&most) == 0x1p63);
    sum_add(&s, INT64_MIN);
    sum_add(&s, INT64_MIN);
    assert_int_equal(sum_total(&s), INT64_MIN);
}

/* Numbers of all sizes that durations have. */
static int64_t duration(size_t i)
{
    const uint64_t x = out_mix(i);
    return (int64_t)(x >> (20 + x % 40));
}

static void parts_in_any_order_are_the_whole(void **state)
{
    (void)state;
    enum { COUNT = 10000, PARTS = 7 };
    sum_t whole = {0}, parts[PARTS] = {0}, merged = {0}, backwards = {0};
    for (size_t i = 0; i < COUNT; i++) {
        sum_add(&whole, duration(i));
        sum_add(&parts[out_mix(i + COUNT) % PARTS], duration(i));
        sum_add(&backwards, duration(COUNT - 1 - i));
    }
    for (size_t i = PARTS; i-- > 0;)
        sum_merge(&merged, &parts[i]);
    assert_same(&merged, &whole);
    assert_same(&backwards, &whole);
}

static void rows_are_found_by_name_and_group(void **state)
{
    (void)state;
    sums_t s = {0};
    char name[5000][16], text[16];
    for (int i = 0; i < 5000; i++) {
        snprintf(name[i], sizeof(name[i]), "name%d", i);
        sums_add(&s, 0, name[i], i);
    }
    for (int i = 0; i < 5000; i++)
        sums_add(&s, 0, name[i], 0);
    assert_int_equal(s.count, 5000);
    /* the same name at another address, and in another group */
    snprintf(text, sizeof(text), "name17");
    assert_int_equal(sums_add(&s, 0, text, 10000), 0);
    assert_int_equal(s.count, 5000);
    assert_int_equal(sums_add(&s, 1, text, 1), 0);
    assert_int_equal(s.count, 5001);
    sums_sort(&s);
    assert_string_equal(s.rows[0].name, "name17");
    assert_int_equal(s.rows[0].sum.count, 3);
    assert_string_equal(s.rows[1].name, "name4999");
    assert_string_equal(s.rows[5000].name, "name0");
    sums_free(&s);
}

static void copied_names_outlive_their_text(void **state)
{
    (void)state;
    sums_t s = {0};
    char text[16];
    for (int i = 0; i < 300; i++) {
        snprintf(text, sizeof(text), "%d", i % 100);
        sum_row_t *row = sums_row_copied(&s, 0, text);
        assert_non_null(row);
        sum_add(&row->sum, i % 100);
    }
    assert_int_equal(s.count, 100);
    sums_sort(&s);
    assert_string_equal(s.rows[0].name, "99");
    assert_int_equal(sum_total(&s.rows[0].sum), 297);
    sums_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sum_of_nothing_is_zero),
        cmocka_unit_test(statistics),
        cmocka_unit_test(negative_numbers_and_large_ones),
        cmocka_unit_test(parts_in_any_order_are_the_whole),
        cmocka_unit_test(rows_are_found_by_name_and_group),
        cmocka_unit_test(copied_names_outlive_their_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
