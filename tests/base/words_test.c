/* words_test.c - truth values, numbers and units mean the same wherever they are read. */
#include "base/env.h"
#include "base/words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static const struct {
    const char *word;
    int truth;
} truths[] = {
    {"yes", 1},
    {"Y", 1},
    {"true", 1},
    {"T", 1},
    {"on", 1},
    {"1", 1},
    {"2", 1},
    {"010", 1},
    {"no", 0},
    {"N", 0},
    {"FALSE", 0},
    {"f", 0},
    {"off", 0},
    {"0", 0},
    {"00", 0},
    {"", -1},
    {"-1", -1},
    {" 1", -1},
    {"0x0", -1},
    {"maybe", -1},
    {"yess", -1},
    {"99999999999999999999999", 1},
    {"0000000000000000000000000", 0},
};

static void truth(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof truths / sizeof *truths; i++)
        if (base_truth(truths[i].word) != truths[i].truth)
            fail_msg("'%s' is not %d", truths[i].word, truths[i].truth);
}

/* In the environment every word that does not mean no means yes, as in AMD's tool. */
static void truth_of_a_variable(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof truths / sizeof *truths; i++) {
        setenv("WORDS_TEST", truths[i].word, 1);
        assert_int_equal(base_env_bool("WORDS_TEST", true), truths[i].truth != 0);
        assert_int_equal(base_env_bool("WORDS_TEST", false),
                         *truths[i].word ? truths[i].truth != 0 : 0);
    }
}

static void number(void **state)
{
    (void)state;
    static const struct {
        const char *word;
        uint64_t value; /* 7: it is no number */
    } rows[] = {
        {"0", 0},
        {"00", 0},
        {"010", 10},
        {"0x10", 16},
        {"0XfF", 255},
        {"1000", 1000},
        {"1001", 7},
        {"", 7},
        {"0x", 7},
        {"-1", 7},
        {"+1", 7},
        {" 1", 7},
        {"1 ", 7},
        {"1k", 7},
        {"ff", 7},
        {"0x0x1", 7},
        {"0x-1", 7},
        {"0x 1", 7},
        {"99999999999999999999", 7},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t value = 7;
        if (base_number(rows[i].word, 0, 1000, &value) != (rows[i].value != 7) ||
            value != rows[i].value)
            fail_msg("'%s' is not read as %lu but as %lu", rows[i].word, rows[i].value, value);
    }
    uint64_t value = 7;
    assert_false(base_number("1", 2, 1000, &value));
    assert_true(base_number("18446744073709551615", 0, UINT64_MAX, &value));
    assert_int_equal(value, UINT64_MAX);
}

static void number_of_a_variable(void **state)
{
    (void)state;
    setenv("WORDS_TEST", "010", 1);
    assert_int_equal(base_env_int("WORDS_TEST", 1, 0, 100), 10);
    setenv("WORDS_TEST", "0x10", 1);
    assert_int_equal(base_env_int("WORDS_TEST", 1, 0, 100), 16);
    setenv("WORDS_TEST", "101", 1);
    assert_int_equal(base_env_int("WORDS_TEST", 1, 0, 100), 1);
    setenv("WORDS_TEST", "-1", 1);
    assert_int_equal(base_env_int("WORDS_TEST", 1, 0, 100), 1);
}

static void units(void **state)
{
    (void)state;
    assert_int_equal(base_unit_ns("hour"), UINT64_C(3600) * 1000000000);
    assert_int_equal(base_unit_ns("min"), UINT64_C(60) * 1000000000);
    assert_int_equal(base_unit_ns("SEC"), 1000000000);
    assert_int_equal(base_unit_ns("msec"), 1000000);
    assert_int_equal(base_unit_ns("usec"), 1000);
    assert_int_equal(base_unit_ns("nsec"), 1);
    assert_int_equal(base_unit_ns("sek"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(truth),  cmocka_unit_test(truth_of_a_variable),
        cmocka_unit_test(number), cmocka_unit_test(number_of_a_variable),
        cmocka_unit_test(units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
