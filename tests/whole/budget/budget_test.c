/* budget_test.c - the reader of budgets: what it takes, what it refuses and where, and that a file
 * is renewed at the right bytes. */
#include "results/budget.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static res_budget_t read_text(const char *text)
{
    char why[512] = "";
    res_budget_t b;
    int result = res_budget_parse(&b, "b.yaml", text, strlen(text), why, sizeof(why));
    assert_string_equal(why, "");
    assert_int_equal(result, 0);
    return b;
}

static void test_rules(void **state)
{
    (void)state;
    static const char text[] = "tolerance: 5 %\n"
                               "matmul*: {SQ_INSTS_VALU: \"<= 60416\", LDSBankConflict: '<1 %',"
                               " vgprs: 8 .. 64, scratch: 0}\n"
                               "\"/^void k<.*>/\":\n"
                               "  total(SQ_WAVES): '= 1e3'\n"
                               "  mean(time): \">= 2.5 ms \302\261 20 %\"\n"
                               "  lds: <= 48KiB +- 1%\n";
    res_budget_t b = read_text(text);
    assert_int_equal(b.count, 2);
    assert_true(b.tolerance == 0.05);
    const res_entry_t *l = &b.kernels[0];
    static const struct {
        const char *quantity;
        res_over_t over;
        res_relation_t relation;
        double low, high;
        res_measure_t measure;
        double tolerance;
        unsigned line;
    } rows[] = {
        {"SQ_INSTS_VALU", RES_EACH, RES_AT_MOST, 60416, 60416, RES_PLAIN, -1, 2},
        {"LDSBankConflict", RES_EACH, RES_BELOW, 1, 1, RES_PERCENT, -1, 2},
        {"vgprs", RES_EACH, RES_WITHIN, 8, 64, RES_PLAIN, -1, 2},
        {"scratch", RES_EACH, RES_EQUAL, 0, 0, RES_PLAIN, -1, 2},
        {"SQ_WAVES", RES_TOTAL, RES_EQUAL, 1000, 1000, RES_PLAIN, -1, 4},
        {"time", RES_MEAN, RES_AT_LEAST, 2.5e6, 2.5e6, RES_TIME, 0.2, 5},
        {"lds", RES_EACH, RES_AT_MOST, 49152, 49152, RES_BYTES, 0.01, 6},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        if (i == 4) l = &b.kernels[1];
        const res_rule_t *r = &l->rules[i < 4 ? i : i - 4];
        assert_string_equal(r->quantity, rows[i].quantity);
        assert_int_equal(r->over, rows[i].over);
        assert_int_equal(r->relation, rows[i].relation);
        assert_true(r->low == rows[i].low && r->high == rows[i].high);
        assert_int_equal(r->measure, rows[i].measure);
        assert_true(r->tolerance == rows[i].tolerance);
        assert_int_equal(r->line, rows[i].line);
        /* its bytes hold its text */
        size_t quotes = strchr("\"'", text[r->begin]) != NULL;
        assert_int_equal(r->end - r->begin, strlen(r->text) + 2 * quotes);
        assert_memory_equal(text + r->begin + quotes, r->text, strlen(r->text));
    }
    res_budget_free(&b);
}

static void test_names(void **state)
{
    (void)state;
    res_budget_t b = read_text("mat*: {vgprs: 1}\n/k<(float|int)>/: {vgprs: 1}\n");
    assert_true(res_entry_matches(&b.kernels[0], "matmul(float*)", NULL));
    assert_true(res_entry_matches(&b.kernels[0], "void matmul<4>(float*)", "matmul"));
    assert_false(res_entry_matches(&b.kernels[0], "void matmul<4>(float*)", NULL));
    assert_true(res_entry_matches(&b.kernels[1], "void k<int>(int*)", "k"));
    assert_false(res_entry_matches(&b.kernels[1], "void k<double>(int*)", "k"));
    res_budget_free(&b);
}

static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *text, *why;
    } rows[] = {
        {"", "b.yaml:1:1: the file is empty"},
        {"- a\n", "b.yaml:1:1: expressions for kernels"},
        {"a: 1\n", "b.yaml:1:4: 'a' needs rules"},
        {"a: {}\n", "b.yaml:1:4: 'a' has no rules"},
        {"a: {v: 1}\na: {v: 1}\n", "b.yaml:2:1: 'a' stands here for the second time (line 1)"},
        {"a: {v: 1, v: 2}\n", "b.yaml:1:11: 'v' stands here for the second time"},
        {"a: {v: 1, mean(v): 2, mean(v): 3}\n", "b.yaml:1:23: 'mean(v)' stands here"},
        {"a:\n  v: \"<= x\"\n", "b.yaml:2:6: '<= x': a rule is"},
        {"a:\n  v: nan\n", "b.yaml:2:6: 'nan': a rule is"},
        {"a:\n  v: 0x10\n", "b.yaml:2:6: '0x10': unknown unit 'x10'"},
        {"a:\n  v: \"<= 1 furlong\"\n", "b.yaml:2:6: '<= 1 furlong': unknown unit 'furlong'"},
        {"a:\n  v: 1 .. x\n", "b.yaml:2:6: '1 .. x': a rule is"},
        {"a:\n  v: \"<= 1 .. 2\"\n", "b.yaml:2:6: '<= 1 .. 2': a range has no relation"},
        {"a:\n  v: 3 .. 2\n", "b.yaml:2:6: '3 .. 2': the range ends before it begins"},
        {"a:\n  v: 3 +- 2\n", "b.yaml:2:6: '3 +- 2': a tolerance is a number and %"},
        {"a:\n  v: 3 4\n", "b.yaml:2:6: '3 4': nothing may follow at '4'"},
        {"a:\n  sum(v): 3\n", "b.yaml:2:3: 'sum(v)': known are NAME, total(NAME) and mean(NAME)"},
        {"a:\n  total(): 3\n", "b.yaml:2:3: a quantity needs a name"},
        {"a:\n  v: [1]\n", "b.yaml:2:6: a rule is expected"},
        {"a:\n  v: {b: 1}\n", "b.yaml:2:6: a rule is expected"},
        {"a:\n  v: |\n    1\n", "b.yaml:2:6: a rule stands on one line"},
        {"a:\n  v: !!int 1\n", "b.yaml:2:6: anchors and tags have no meaning here"},
        {"a: &x {v: 1}\n", "b.yaml:1:4: anchors and tags have no meaning here"},
        {"*mul: {v: 1}\n", "b.yaml:1:1: '*' begins an alias in YAML"},
        {"a: {v: \"1\\0\"}\n", "b.yaml:1:8: a zero byte in a text"},
        {"a: {v: 1\n", "b.yaml:2:1: while parsing a flow mapping"},
        {"a: {v: \"1\n", "b.yaml:2:1: while scanning a quoted scalar"},
        {"a: {v: 1}\n---\nb: {v: 1}\n", "b.yaml:2:1: a second document"},
        {"tolerance: x\na: {v: 1}\n", "b.yaml:1:12: a tolerance is a number and %"},
        {"tolerance: 1 %\ntolerance: 1 %\n", "b.yaml:2:12: 'tolerance' stands here for the second"},
        {"/(/: {v: 1}\n", "b.yaml:1:1: "},
        {"a: {v: 1}\nb: {v: \x80}\n", "b.yaml:2:8: "},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        char why[512] = "";
        res_budget_t b;
        assert_int_equal(
            res_budget_parse(&b, "b.yaml", rows[i].text, strlen(rows[i].text), why, sizeof(why)),
            -1);
        if (strncmp(why, rows[i].why, strlen(rows[i].why)) != 0)
            fail_msg("row %zu: '%s', expected '%s'", i, why, rows[i].why);
    }
}

static void test_bounds(void **state)
{
    (void)state;
    res_budget_t b = read_text("k: {a: <= 10, b: '>= 10', c: '< 10', d: '> 10', e: 10, f: 8 .. 12,"
                               " g: <= -10}\n");
    static const struct {
        size_t rule;
        double value, tolerance;
        bool holds;
    } rows[] = {
        {0, 10, 0, true},     {0, 10.0001, 0, false}, {0, 11, 0.1, true},  {0, 11.1, 0.1, false},
        {1, 10, 0, true},     {1, 9, 0, false},       {1, 9, 0.1, true},   {2, 10, 0, false},
        {2, 10, 0.1, true},   {3, 10, 0, false},      {3, 10, 0.1, true},  {4, 10, 0, true},
        {4, 10.5, 0, false},  {4, 10.5, 0.1, true},   {4, 9.5, 0.1, true}, {5, 8, 0, true},
        {5, 12, 0, true},     {5, 7, 0, false},       {5, 12.5, 0, false}, {6, -10, 0, true},
        {6, -9.5, 0.1, true}, {6, -9.5, 0, false},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
        if (res_rule_holds(&b.kernels[0].rules[rows[i].rule], rows[i].value, rows[i].tolerance) !=
            rows[i].holds)
            fail_msg("row %zu", i);
    res_budget_free(&b);
}

/* Written anew, relation, unit and tolerance stay. */
static void test_renewal(void **state)
{
    (void)state;
    static const struct {
        const char *rule;
        double least, most;
        const char *text;
    } rows[] = {
        {"<= 60416", 7, 9, "<= 9"},
        {"< 60416", 7, 9, "<= 9"},
        {">= 3 %", 7, 9, ">= 7 %"},
        {"5", 7, 7, "7"},
        {"5", 7, 9, "7 .. 9"},
        {"5 .. 6", 7, 7, "7"},
        {"<= 1 KiB \302\261 10 %", 1024, 1536, "<= 1.5 KiB \302\261 10 %"},
        {"<= 1 ms +- 2.5 %", 0, 2e6 / 3, "<= 0.6666666666666666 ms \302\261 2.5 %"},
        {"<= 1", 0, 12345678901234, "<= 12345678901234"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        char text[128];
        snprintf(text, sizeof(text), "k: {v: \"%s\"}\n", rows[i].rule);
        res_budget_t b = read_text(text);
        char *renewed = res_rule_renew(&b.kernels[0].rules[0], rows[i].least, rows[i].most);
        assert_string_equal(renewed, rows[i].text);
        free(renewed);
        res_budget_free(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rules), cmocka_unit_test(test_names), cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_bounds), cmocka_unit_test(test_renewal)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
