/* rules_test.c - suppression rules: which are accepted, which are refused and at what line, what
 * they mean. */
#include "softgpu/check/rules.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static chk_rules_t *read_text(const char *text)
{
    char why[512] = "";
    chk_rules_t *r = chk_rules_parse(text, strlen(text), "a.rules", why, sizeof why);
    assert_string_equal(why, "");
    return r;
}

static void test_what_is_taken(void **state)
{
    (void)state;
    chk_rules_t *r = read_text("# all of it\r\n"
                               "\n"
                               "  invalid-read kernel=\"^a \\\\(b\\\"\" at=x.hip:12\t# why\r\n"
                               "*");
    assert_int_equal(chk_rules_count(r), 2);
    assert_string_equal(chk_rule_place(r, 0), "a.rules:3");
    assert_string_equal(chk_rule_text(r, 0), "invalid-read kernel=\"^a \\\\(b\\\"\" at=x.hip:12");
    assert_string_equal(chk_rule_place(r, 1), "a.rules:4");
    const char *file = "/src/x.hip";
    uint32_t line = 12;
    chk_subject_t s = {.kind = CHK_KIND_READ, .kernel = "a (b\"c)", .at = {&file, &line, 1}};
    assert_int_equal(chk_rules_find(r, &s), 0);
    line = 1;
    assert_int_equal(chk_rules_find(r, &s), 1);
    line = 12;
    s.kind = CHK_KIND_WRITE;
    assert_int_equal(chk_rules_find(r, &s), 1);
    chk_rules_free(r);
    assert_int_equal(chk_rules_find(NULL, &s), CHK_NO_RULE);
}

static void test_what_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *why;
    } rows[] = {
        {"invalid-raed", "a.rules:1: \"invalid-raed\" is no kind and no family of findings"},
        {"\n* kernel=(", "a.rules:2: kernel=\"(\": "},
        {"* kernel=a kernel=b", "a.rules:1: kernel= stands twice"},
        {"* \"at=x", "a.rules:1: a quote is not closed"},
        {"* at",
         "a.rules:1: \"at\" is none of kernel=REGEX, at=FILE:LINE, made=FILE:LINE and call=NAME"},
        {"* at=",
         "a.rules:1: \"at=\" is none of kernel=REGEX, at=FILE:LINE, made=FILE:LINE and call=NAME"},
        {"* where=x", "a.rules:1: \"where\" is none of kernel, at, made and call"},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        char why[512] = "";
        assert_null(
            chk_rules_parse(rows[k].text, strlen(rows[k].text), "a.rules", why, sizeof why));
        assert_memory_equal(why, rows[k].why, strlen(rows[k].why));
    }
    char why[512] = "";
    assert_null(chk_rules_parse("*\0x", 3, "a.rules", why, sizeof why));
    assert_string_equal(why, "a.rules:1: a zero byte");
}

static void test_calls(void **state)
{
    (void)state;
    chk_rules_t *r = read_text("memory call=hipFree");
    chk_subject_t s = {.kind = CHK_KIND_FREE, .call = "hipFree"};
    assert_int_equal(chk_rules_find(r, &s), 0);
    s.call = "hipHostFree";
    assert_int_equal(chk_rules_find(r, &s), CHK_NO_RULE);
    s.call = NULL;
    assert_int_equal(chk_rules_find(r, &s), CHK_NO_RULE);
    chk_rules_free(r);
}

/* Names of files with and without folders, with and without a line, of any of the places. */
static void test_places(void **state)
{
    (void)state;
    static const struct {
        const char *rule;
        bool means;
    } rows[] = {{"* at=b.hip", true},
                {"* at=*.hip", true},
                {"* at=*/src/*", true},
                {"* at=/src/b.hip", true},
                {"* at=b.hip:20", true},
                {"* at=a.hip:10", true},
                {"* at=b.hip:2", false},
                {"* at=b.hip:10", false},
                {"* at=c.cpp", false},
                {"* at=/b.hip", false},
                {"* made=c.cpp", true},
                {"* made=c.cpp:30", true},
                {"* made=c.cpp:3", false},
                {"* made=b.hip", false},
                {"* made=c.cpp at=a.hip", true},
                {"* made=c.cpp at=c.cpp", false},
                {"* at=a.hip:1 at=b.hip", true},
                {"* at=b.hip:*", true},
                {"* at=c.cpp:*", false}};
    const char *file[] = {"/src/a.hip", "/src/b.hip"}, *made = "/host/c.cpp";
    const uint32_t line[] = {10, 20}, made_line = 30;
    const chk_subject_t s = {
        .kind = CHK_KIND_READ, .at = {file, line, 2}, .made = {&made, &made_line, 1}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        chk_rules_t *r = read_text(rows[k].rule);
        if ((chk_rules_find(r, &s) == 0) != rows[k].means) fail_msg("%s", rows[k].rule);
        chk_rules_free(r);
    }
}

/* The rule that is made of a finding means it, and no other kernel, file, line or call. */
static void test_offered_rules(void **state)
{
    (void)state;
    static const char *const names[] = {"f",        "void a::b<1, (x)2>(int*, char const (&) [3])",
                                        "a\nb\tc",  "q\"\\\"",
                                        "\xff\xfe", "*?[",
                                        "a b#c",    "$^",
                                        "{1}|{2}",  "\xc3\xbc"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        uint32_t line = 12;
        const char *file = names[k], *other = "other";
        chk_subject_t s = {.kind = CHK_KIND_WRITE, .kernel = names[k], .at = {&file, &line, 1}};
        char *text = NULL;
        size_t bytes;
        FILE *f = open_memstream(&text, &bytes);
        chk_rule_write(f, &s);
        fclose(f);
        chk_rules_t *r = read_text(text);
        assert_int_equal(chk_rules_find(r, &s), 0);
        s.kernel = other;
        assert_int_equal(chk_rules_find(r, &s), CHK_NO_RULE);
        s.kernel = names[k];
        s.at.file = &other;
        assert_int_equal(chk_rules_find(r, &s), CHK_NO_RULE);
        s.at.file = &file;
        line = 13;
        assert_int_equal(chk_rules_find(r, &s), CHK_NO_RULE);
        chk_rules_free(r);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_taken), cmocka_unit_test(test_what_is_refused),
        cmocka_unit_test(test_calls),         cmocka_unit_test(test_places),
        cmocka_unit_test(test_offered_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
