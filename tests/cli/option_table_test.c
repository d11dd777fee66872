/* option_table_test.c - every option of AMD's rocprofv3 is a row: it takes the same words and sets
 * the same variables.
 *
 * amd-options.tsv is the list, transcribed from AMD's program and not from the table under test. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cli/options.h"

enum { SPELLINGS_MAX = 4 };

typedef struct {
    char line[512];
    const char *spellings[SPELLINGS_MAX + 1];
    char *values, *variables;
    size_t row; /* of cli_options */
} entry_t;

static bool is_spelt(const trace_setting_t *o, const char *spelling)
{
    if (spelling[1] != '-') return o->letter == spelling[1] && !spelling[2];
    if (o->alias && strcmp(o->alias, spelling + 2) == 0) return true;
    return strcmp(o->name, spelling + 2) == 0;
}

/* The one row that has all spellings of an entry. */
static void find_row(entry_t *e)
{
    for (e->row = 0; e->row < CLI_OPTION_COUNT; e->row++)
        if (is_spelt(&trace_settings[e->row], e->spellings[0])) break;
    if (e->row == CLI_OPTION_COUNT) fail_msg("%s has no row", e->spellings[0]);
    for (int i = 1; e->spellings[i]; i++)
        if (!is_spelt(&trace_settings[e->row], e->spellings[i]))
            fail_msg("%s is not another spelling of %s", e->spellings[i], e->spellings[0]);
}

static size_t read_entries(entry_t **entries)
{
    FILE *f = fopen(AMD_OPTIONS, "r");
    size_t count = 0;
    *entries = calloc(256, sizeof(**entries));
    assert_non_null(f);
    for (entry_t *e = *entries; count < 256 && fgets(e->line, sizeof(e->line), f);) {
        if (e->line[0] != '-') continue;
        char *rest = e->line, *words = strsep(&rest, "\t");
        for (int i = 0; i < SPELLINGS_MAX && words; i++)
            e->spellings[i] = strsep(&words, " ");
        e->values = strsep(&rest, "\t");
        e->variables = strsep(&rest, "\t");
        assert_non_null(rest);
        find_row(e++);
        count++;
    }
    fclose(f);
    assert_int_equal(count, 108);
    return count;
}

/* rocprofv3 SPELLING [WORD] */
static int parse(cli_command_t *c, const char *spelling, const char *word, char why[512])
{
    char *argv[] = {(char *)"rocprofv3", (char *)(size_t)spelling, (char *)(size_t)word, NULL};
    return cli_parse(c, word ? 3 : 2, argv, why, 512);
}

/* Words of which one has to be chosen are small letters; others stand for what the user writes. */
static bool are_choices(const char *values)
{
    return *values >= 'a' && *values <= 'z';
}

static const char *word_for(const char *values)
{
    static const struct {
        const char *values, *word;
    } words[] = {{"[BOOL]", "yes"},
                 {"INT", "3"},
                 {"KB", "3"},
                 {"LIST", "1"},
                 {"PID", "1"},
                 {"X.Y.Z", "1.2.3"},
                 {"RANGE", "[1-3]"},
                 {"INT or 0xHEX", "3"},
                 {"DELAY:TIME:REPEAT", "1:1:1"},
                 {"DELAY:TIME:REPEAT ...", "1:1:1"}};
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
        if (strcmp(words[i].values, values) == 0) return words[i].word;
    return *values ? "word" : NULL;
}

static void accept(const entry_t *e, const char *spelling, const char *word)
{
    cli_command_t c;
    char why[512] = "";
    if (parse(&c, spelling, word, why) != 0) fail_msg("%s %s: %s", spelling, word, why);
    assert_non_null(c.values[e->row]);
    cli_command_free(&c);
}

static void every_option_is_a_row(void **state)
{
    (void)state;
    entry_t *entries;
    size_t count = read_entries(&entries);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++)
            assert_int_not_equal(entries[i].row, entries[j].row);
    free(entries);
}

static void it_works(void **state)
{
    (void)state;
    entry_t *entries;
    size_t count = read_entries(&entries);
    for (entry_t *e = entries; e < entries + count; e++) {
        assert_true(trace_settings[e->row].help && *trace_settings[e->row].help);
        for (const char *const *spelling = e->spellings; *spelling; spelling++)
            if (!are_choices(e->values)) accept(e, *spelling, word_for(e->values));
    }
    free(entries);
}

/* A word may still be refused, if the message says which words there are. */
static void same_choices(void **state)
{
    (void)state;
    entry_t *entries;
    size_t count = read_entries(&entries);
    for (entry_t *e = entries; e < entries + count; e++) {
        if (!are_choices(e->values)) continue;
        cli_command_t c;
        char why[512] = "";
        assert_int_not_equal(parse(&c, e->spellings[0], "nosuchword", why), 0);
        cli_command_free(&c);
        for (char *rest = e->values, *word; (word = strsep(&rest, " "));) {
            if (parse(&c, e->spellings[0], word, why) != 0 && !strstr(why, "not written here"))
                fail_msg("%s %s: %s", e->spellings[0], word, why);
            cli_command_free(&c);
        }
    }
    free(entries);
}

static void unset_all(const char *names)
{
    char copy[256];
    snprintf(copy, sizeof(copy), "%s", names);
    for (char *rest = copy, *name; (name = strsep(&rest, " "));)
        unsetenv(name);
}

/* Of those that are set where the options are applied; the files' contents and paths, as Kokkos'
 * variable has them, are told elsewhere. */
static void same_variables(void **state)
{
    (void)state;
    entry_t *entries;
    size_t count = read_entries(&entries);
    for (entry_t *e = entries; e < entries + count; e++) {
        cli_command_t c;
        char why[512] = "", *rest = e->variables;
        size_t row = e->row;
        if (!*rest || row == CLI_EXTRA_COUNTERS) continue;
        const char *value = are_choices(e->values) ? strsep(&e->values, " ") : word_for(e->values);
        assert_int_equal(parse(&c, e->spellings[0], value, why), 0);
        unset_all(rest);
        assert_int_equal(cli_apply(&c, why, sizeof(why)), 0);
        for (char *name; (name = strsep(&rest, " "));)
            if (!getenv(name) && strcmp(name, "ROCPROF_COUNTER_GROUPS") != 0 &&
                strcmp(name, "ROCPROF_ATTACH_TOOL_LIBRARY") != 0 &&
                strcmp(name, "KOKKOS_TOOLS_LIBS") != 0)
                fail_msg("%s does not set %s", e->spellings[0], name);
        cli_command_free(&c);
    }
    free(entries);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_option_is_a_row),
        cmocka_unit_test(it_works),
        cmocka_unit_test(same_choices),
        cmocka_unit_test(same_variables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
