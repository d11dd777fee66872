/* arguments_test.c - command lines of AMD's commands: which words belong to which option. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/arguments.h"

/* The options of this test, by their first letter: -n takes nothing, -t a truth value, -o one word,
 * -s several. */
static base_takes_t takes_of(const base_arguments_t *a)
{
    static const char letters[] = "ntos";
    static const char *const names[] = {"nothing", "truth", "one", "several"};
    for (size_t i = 0; i < 4; i++)
        if (base_arguments_are(a, names[i], letters[i])) return (base_takes_t)i;
    fail_msg("%s: no option", a->word);
    return BASE_TAKES_NOTHING;
}

/* Writes what a line means: options in brackets with their words. */
static void expect(const char *line, const char *meaning)
{
    char words[256], text[512] = "", *argv[32];
    base_arguments_t a = {.argv = argv};
    snprintf(words, sizeof(words), "%s", line);
    for (char *rest = words, *word; (word = strsep(&rest, " "));)
        argv[a.argc++] = word;
    while (base_arguments_next(&a)) {
        size_t used = strlen(text);
        if (!a.option) {
            snprintf(text + used, sizeof(text) - used, "%s", a.word);
            continue;
        }
        const base_takes_t takes = takes_of(&a);
        const char *const *found;
        const size_t count = base_arguments_words(&a, takes, &found);
        used += (size_t)snprintf(text + used, sizeof(text) - used, "[%c", "ntos"[takes]);
        for (size_t i = 0; i < count; i++)
            used += (size_t)snprintf(text + used, sizeof(text) - used, " %s", found[i]);
        snprintf(text + used, sizeof(text) - used, "]");
    }
    assert_string_equal(text, meaning);
}

static void words_belong_to_options(void **state)
{
    (void)state;
    expect("-n a", "[n]a");
    expect("--nothing=a b", "[n a]b"); /* whoever reads the option refuses it */
    expect("-t yes a", "[t yes]a");
    expect("--truth a", "[t]a");
    expect("-o a b", "[o a]b");
    expect("--one --several a b -n", "[o][s a b][n]");
    expect("-s a - b -ntail", "[s a - b][n tail]");
    expect("-", "-");
}

static void values_are_attached(void **state)
{
    (void)state;
    expect("--one=a=b c", "[o a=b]c");
    expect("--one= c", "[o ]c");
    expect("-oa -o=b -o c", "[o a][o b][o c]");
    expect("--several=a b", "[s a]b");
    expect("--truth=no yes", "[t no]yes");
    expect("--one=-5", "[o -5]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_belong_to_options),
        cmocka_unit_test(values_are_attached),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
