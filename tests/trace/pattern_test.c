/* pattern_test.c - what expressions find, and what is said of wrong ones.
 *
 * Expected answers are those of ECMAScript's regular expressions. */
#include "trace/pattern.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static bool matches(const char *text, bool whole, const char *name)
{
    char why[256] = "";
    trace_pattern_t *p = trace_pattern_make(text, strlen(text), whole, why, sizeof(why));
    if (!p) fail_msg("%s", why);
    bool result = trace_pattern_matches(p, name);
    trace_pattern_free(p);
    return result;
}

static void expressions(void **state)
{
    (void)state;
    static const struct {
        const char *text, *name;
        bool part, whole;
    } rows[] = {
        {"add", "void add(int)", true, false},
        {"^add", "void add(int)", false, false},
        {"\\d+", "gemm128", true, false},
        {"\\w+\\d{3}", "gemm128", true, true},
        {"\\bk\\b", "a k b", true, false},
        {"gemm(?=_v2)", "gemm_v2", true, false},
        {"gemm(?!_v2)", "gemm_v2", false, false},
        {"<(.*?)>", "reduce<float>", true, false},
        {"reduce<.*?>", "reduce<float>", true, true},
        {"(a|b)\\1", "xbb", true, false},
        {"a|ab", "ab", true, true},
        {"[[:upper:]]x", "Qx", true, true},
        {"end$", "end\n", false, false},
        {"[^]", "\n", true, true},
        {"[]", "a", false, false},
        {"(z)?x\\1", "x", true, true},
        {"\\x41\\u0042", "AB", true, true},
        {"a.b",
         "a\xff"
         "b",
         true, true},
        {"", "anything", true, false},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        if (matches(rows[i].text, false, rows[i].name) != rows[i].part ||
            matches(rows[i].text, true, rows[i].name) != rows[i].whole)
            fail_msg("%s in %s", rows[i].text, rows[i].name);
    }
}

/* `expected`: how the message begins; PCRE2's versions count some offsets differently. */
static void refuse(const char *text, const char *expected)
{
    char why[256] = "";
    assert_null(trace_pattern_make(text, strlen(text), false, why, sizeof(why)));
    if (strncmp(why, expected, strlen(expected)) != 0) fail_msg("%s, expected %s", why, expected);
}

static void refusals(void **state)
{
    (void)state;
    refuse("(", "'(': missing closing parenthesis at offset 1");
    refuse("add*+?*", "'add*+?*': quantifier does not follow a repeatable item at offset ");
    refuse("a[b", "'a[b': missing terminating ] for character class at offset 3");
}

/* Ends, though the number of ways to try doubles with each letter. */
static void too_many_steps(void **state)
{
    (void)state;
    assert_false(
        matches("(a|a)*b$", false, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaac"));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(expressions),
        cmocka_unit_test(refusals),
        cmocka_unit_test(too_many_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
