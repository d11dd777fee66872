/* input_test.c - input files of all three forms, the plans made of them, and what is wrong in them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "cli/input.h"
#include "cli/jobs.h"
#include "trace/selection.h"

static char why[1024];

static int parse(cli_jobs_t *jobs, cli_input_form_t form, const char *text)
{
    why[0] = 0;
    return cli_input_parse(jobs, form, "file", text, strlen(text), why, sizeof(why));
}

static void refuse(cli_input_form_t form, const char *text, const char *expected)
{
    cli_jobs_t jobs;
    assert_int_not_equal(parse(&jobs, form, text), 0);
    assert_string_equal(why, expected);
    cli_jobs_free(&jobs);
}

static void text_lines(void **state)
{
    (void)state;
    cli_jobs_t jobs;
    const char *text = "# a comment\n"
                       "pmc: SQ_WAVES, SQ_INSTS_VALU # and more\n"
                       "range: 0:16\n\n"
                       "  pmc : GRBM_COUNT:device=1\r\n";
    if (parse(&jobs, CLI_INPUT_TEXT, text) != 0) fail_msg("%s", why);
    assert_int_equal(jobs.count, 2);
    assert_string_equal(jobs.directory, "pmc_");
    assert_string_equal(jobs.jobs[0].values[CLI_PMC], "SQ_WAVES SQ_INSTS_VALU");
    assert_string_equal(jobs.jobs[1].values[CLI_PMC], "GRBM_COUNT:device=1");
    assert_int_equal(jobs.jobs[1].lines[CLI_PMC], 5);
    cli_jobs_free(&jobs);
    refuse(CLI_INPUT_TEXT, "", "file: no line begins with 'pmc:'");
    refuse(CLI_INPUT_TEXT, "#pmc: A\n", "file: no line begins with 'pmc:'");
    refuse(CLI_INPUT_TEXT, "\npmc: , # A\n", "file:2: pmc: needs the names of counters");
}

static const char yaml[] = "jobs:\n"
                           "  - pmc: [SQ_WAVES, GRBM_COUNT]\n"
                           "    kernel_include_regex: \"add.*\"\n"
                           "    kernel_exclude_regex: ''\n"
                           "    kernel_iteration_range: \"[1-3,5]\"\n"
                           "    output_format: [csv]\n"
                           "  - kernel_trace: true\n"
                           "    hip_trace: off\n"
                           "    kernel_iteration_range: [[1-2], 7]\n"
                           "    pmc: SQ_WAVES GRBM_COUNT\n"
                           "  - pmc_groups: [[A, B], [C]]\n"
                           "    pmc_group_interval: 3\n";

static const char json[] =
    "{\"jobs\": [\n"
    "\t{\"pmc\": [\"SQ_WAVES\", \"GRBM_COUNT\"], \"kernel_include_regex\": \"add.*\",\n"
    "\t \"kernel_exclude_regex\": \"\", \"kernel_iteration_range\": \"[1-3,5]\",\n"
    "\t \"output_format\": [\"csv\"]},\n"
    "\t{\"kernel_trace\": true, \"hip_trace\": false,\n"
    "\t \"kernel_iteration_range\": [\"[1-2]\", 7], \"pmc\": [\"SQ_WAVES GRBM_COUNT\"]},\n"
    "\t{\"pmc_groups\": [[\"A\", \"B\"], [\"C\"]], \"pmc_group_interval\": 3}\n"
    "]}\n";

static void check_jobs(cli_input_form_t form, const char *text, const char *range)
{
    cli_jobs_t jobs;
    if (parse(&jobs, form, text) != 0) fail_msg("%s", why);
    assert_int_equal(jobs.count, 3);
    assert_string_equal(jobs.directory, "pass_");
    const cli_command_t *j = jobs.jobs;
    assert_string_equal(j[0].values[CLI_PMC], "SQ_WAVES GRBM_COUNT");
    assert_string_equal(j[0].values[CLI_KERNEL_INCLUDE_REGEX], "add.*");
    assert_null(j[0].values[CLI_KERNEL_EXCLUDE_REGEX]);
    assert_string_equal(j[0].values[CLI_KERNEL_ITERATION_RANGE], "[1-3,5]");
    assert_string_equal(j[0].values[CLI_OUTPUT_FORMAT], "csv");
    assert_string_equal(j[1].values[CLI_KERNEL_TRACE], "1");
    assert_string_equal(j[1].values[CLI_HIP_TRACE], "0");
    assert_string_equal(j[1].values[CLI_KERNEL_ITERATION_RANGE], range);
    assert_string_equal(j[1].values[CLI_PMC], "SQ_WAVES GRBM_COUNT");
    assert_string_equal(j[2].values[CLI_PMC_GROUPS], "A B\nC");
    assert_string_equal(j[2].values[CLI_PMC_GROUP_INTERVAL], "3");
    cli_jobs_free(&jobs);
}

static void yaml_and_json_say_the_same(void **state)
{
    (void)state;
    check_jobs(CLI_INPUT_YAML, yaml, "1-2\n7");
    check_jobs(CLI_INPUT_JSON, json, "[1-2]\n7");
}

static void errors_have_places(void **state)
{
    (void)state;
    refuse(CLI_INPUT_YAML, "", "file: 'jobs:' with a list of jobs is expected");
    refuse(CLI_INPUT_YAML, "jobs: []\n", "file:1:7: the list of jobs is empty");
    refuse(CLI_INPUT_YAML, "jobs: 5\n", "file:1:7: 'jobs' has to be a list");
    refuse(CLI_INPUT_YAML, "job:\n  - pmc: [A]\n", "file:1:1: only 'jobs' may stand here");
    refuse(CLI_INPUT_YAML, "jobs:\n  - pmcs: [A]\n",
           "file:2:5: unknown key 'pmcs': did you mean pmc?");
    refuse(CLI_INPUT_YAML, "jobs:\n  - input: x\n",
           "file:2:5: 'input' has no place in an input file");
    refuse(CLI_INPUT_YAML, "jobs:\n  - kernel_trace: maybe\n",
           "file:2:19: --kernel-trace: 'maybe' is no truth value (yes, no, true, false, on, off, "
           "1, 0)");
    refuse(CLI_INPUT_YAML, "jobs:\n  - pmc: {a: b}\n",
           "file:2:10: a text, a number or a list of them is expected");
    refuse(CLI_INPUT_YAML, "jobs:\n  - pmc: [A]\n    pmc: [B]\n",
           "file:3:5: 'pmc' stands here for the second time (line 2)");
    refuse(CLI_INPUT_YAML, "jobs:\n  - pmc: [A]\n    pmc_groups: [[B]]\n",
           "file:3: pmc and pmc_groups exclude each other");
    refuse(CLI_INPUT_YAML, "jobs:\n  - pmc: [A\n",
           "file:3:1: while parsing a flow sequence: did "
           "not find expected ',' or ']'");
    refuse(CLI_INPUT_JSON, "{\"jobs\": [}", "file:1:11: unexpected token near '}'");
    refuse(CLI_INPUT_JSON, "jobs:\n - pmc: [A]\n", "file:1:4: '[' or '{' expected near 'jobs'");
    refuse(CLI_INPUT_JSON, "{\"jobs\": [{\"pmc\": [\"A\"],\n  \"stats\": \"perhaps\"}]}",
           "file:2:12: --stats: 'perhaps' is no truth value (yes, no, true, false, on, off, 1, 0)");
}

/* Plans of command lines; files are written to where the test runs. */
static int plan(cli_plan_t *p, const char *line)
{
    char words[512], *argv[32];
    int argc = 0;
    cli_command_t c;
    snprintf(words, sizeof(words), "%s", line);
    for (char *at = strtok(words, " "); at; at = strtok(NULL, " "))
        argv[argc++] = at;
    argv[argc] = NULL;
    *p = (cli_plan_t){0};
    int result = cli_parse(&c, argc, argv, why, sizeof(why));
    if (result == 0) result = cli_plan(p, &c, why, sizeof(why));
    cli_command_free(&c);
    return result;
}

static void refuse_plan(const char *line, const char *expected)
{
    cli_plan_t p;
    assert_int_not_equal(plan(&p, line), 0);
    assert_string_equal(why, expected);
    cli_plan_free(&p);
}

static void plans(void **state)
{
    (void)state;
    cli_plan_t p;
    assert_int_equal(plan(&p, "r -s -- x"), 0);
    assert_int_equal(p.count, 1);
    assert_string_equal(p.runs[0].directory, "");
    cli_plan_free(&p);
    assert_int_equal(plan(&p, "r --pmc A,B C -- x"), 0);
    assert_int_equal(p.count, 1);
    assert_string_equal(p.runs[0].directory, "");
    assert_string_equal(p.runs[0].command.values[CLI_PMC], "A B C");
    cli_plan_free(&p);
    assert_int_equal(plan(&p, "r --pmc A B -T --pmc C -- x"), 0);
    assert_int_equal(p.count, 2);
    assert_string_equal(p.runs[0].directory, "pass_1");
    assert_string_equal(p.runs[1].directory, "pass_2");
    assert_string_equal(p.runs[0].command.values[CLI_PMC], "A B");
    assert_string_equal(p.runs[1].command.values[CLI_PMC], "C");
    assert_true(cli_is_on(&p.runs[1].command, CLI_TRUNCATE_KERNELS));
    cli_plan_free(&p);
    refuse_plan("r --pmc A:dev=1 -- x", "counter 'A:dev=1': only :device=NUMBER may follow a name");
    refuse_plan("r --pmc A-B -- x", "counter 'A-B': a name has letters, digits and underscores");
    refuse_plan("r --pmc A --kernel-include-regex ( -- x",
                "--kernel-include-regex: '(': missing closing parenthesis at offset 1");
    refuse_plan(
        "r --pmc A --kernel-iteration-range [3-1] -- x",
        "--kernel-iteration-range: '3-1': iterations are numbers from 1 and ranges of them, "
        "as [1-3,5]");
    refuse_plan("r --stats -- x", "--stats needs a tracing option (--sys-trace traces everything)");
    refuse_plan("r -i file -- x",
                "file: the name of an input file ends in .txt, .yaml, .yml or .json");
    refuse_plan("r -i absent.txt -- x", "absent.txt: No such file or directory");
    refuse_plan("r --pmc A --pmc B -i absent.txt -- x",
                "several --pmc and an input file exclude each other");
}

static void plans_of_files(void **state)
{
    (void)state;
    cli_plan_t p;
    char name[] = "/tmp/crocprof-input-XXXXXX.yaml", line[256];
    int fd = mkstemps(name, 5);
    assert_true(fd >= 0);
    static const char text[] = "jobs:\n  - pmc: [A]\n    output_file: o\n";
    assert_int_equal(write(fd, text, sizeof(text) - 1), sizeof(text) - 1);
    close(fd);
    snprintf(line, sizeof(line), "r -T -i %s -- x", name);
    assert_int_equal(plan(&p, line), 0);
    assert_int_equal(p.count, 1);
    assert_string_equal(p.runs[0].directory, "pass_1");
    assert_string_equal(p.runs[0].command.values[CLI_OUTPUT_FILE], "o");
    assert_true(cli_is_on(&p.runs[0].command, CLI_TRUNCATE_KERNELS));
    cli_plan_free(&p);
    snprintf(line, sizeof(line), "r -o o -i %s -- x", name);
    assert_int_equal(plan(&p, line), 0);
    cli_plan_free(&p);
    snprintf(line, sizeof(line), "r -o other -i %s -- x", name);
    assert_int_not_equal(plan(&p, line), 0);
    assert_string_equal(strchr(why, ':'),
                        ":3: --output-file is 'o' here and 'other' on the command line");
    cli_plan_free(&p);
    unlink(name);
}

static void sets_of_counters(void **state)
{
    (void)state;
    trace_sets_t s;
    assert_int_equal(
        trace_sets_read(&s, "pmc: A B,A;C:device=2 # D\n\n pmc: E\n", why, sizeof(why)), 0);
    assert_int_equal(s.count, 2);
    assert_int_equal(s.sets[0].count, 3);
    assert_string_equal(s.sets[0].counters[2].name, "C");
    assert_int_equal(s.sets[0].counters[2].device, 2);
    assert_int_equal(s.sets[0].counters[1].device, TRACE_ALL_DEVICES);
    assert_string_equal(s.sets[1].counters[0].name, "E");
    trace_sets_free(&s);
    assert_int_equal(trace_sets_read(&s, "pmc: A:device=0,device=3 B", why, sizeof(why)), 0);
    assert_int_equal(s.sets[0].count, 3);
    assert_string_equal(s.sets[0].counters[1].name, "A");
    assert_int_equal(s.sets[0].counters[1].device, 3);
    trace_sets_free(&s);
    assert_int_not_equal(trace_sets_read(&s, "pmc: A,device=3", why, sizeof(why)), 0);
    trace_sets_free(&s);
    assert_int_equal(trace_sets_read(&s, NULL, why, sizeof(why)), 0);
    assert_int_equal(s.count, 0);
    trace_sets_free(&s);
    assert_int_not_equal(trace_sets_read(&s, "A B", why, sizeof(why)), 0);
    assert_string_equal(why, "'A B': a set of counters begins with pmc:");
    trace_sets_free(&s);
    assert_int_not_equal(trace_sets_read(&s, "pmc:\n", why, sizeof(why)), 0);
    trace_sets_free(&s);
}

static void selections(void **state)
{
    (void)state;
    trace_selection_t s;
    assert_int_equal(trace_selection_read(&s, "^add|red", "uce<", "[1-3],[5] 9", why, sizeof(why)),
                     0);
    assert_true(trace_selects_kernel(&s, "add(float*)"));
    assert_false(trace_selects_kernel(&s, "vectoradd(float*)"));
    assert_true(trace_selects_kernel(&s, "reduce(float*)"));
    assert_false(trace_selects_kernel(&s, "void reduce<double>(double*)"));
    uint64_t chosen = 0;
    for (uint64_t i = 1; i < 12; i++)
        chosen |= (uint64_t)trace_selects_iteration(&s, i) << i;
    assert_int_equal(chosen, 1 << 1 | 1 << 2 | 1 << 3 | 1 << 5 | 1 << 9);
    trace_selection_free(&s);
    static const char *const bad[] = {
        "0", "a", "1-", "1-2-3", "3-2", "1.5", "99999999999999999999"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        assert_int_not_equal(trace_selection_read(&s, "", NULL, bad[i], why, sizeof(why)), 0);
        trace_selection_free(&s);
    }
    assert_int_equal(trace_selection_read(&s, "", "", "", why, sizeof(why)), 0);
    assert_true(trace_selects_iteration(&s, 77) && trace_selects_kernel(&s, "x"));
    trace_selection_free(&s);
}

/* `count` times `open`, then `count` times `close`. */
static char *nested(const char *before, size_t count, char open, char close)
{
    size_t used = strlen(before);
    char *text = malloc(used + 2 * count + 1);
    assert_non_null(text);
    memcpy(text, before, used);
    memset(text + used, open, count);
    memset(text + used + count, close, count);
    text[used + 2 * count] = 0;
    return text;
}

/* What would take libyaml hours, or a stack: refused at once. */
static void depth_is_limited(void **state)
{
    (void)state;
    static const size_t depths[] = {65, 100000, 500000};
    for (size_t i = 0; i < 3; i++) {
        char *text = nested("jobs:\n  ", depths[i], '[', ']');
        refuse(CLI_INPUT_YAML, text, "file:2: nested deeper than 64 levels");
        free(text);
    }
    char *text = nested("{\"jobs\": ", 100000, '[', ']');
    refuse(CLI_INPUT_JSON, text, "file:1:2057: maximum parsing depth reached near '['");
    free(text);
    refuse(CLI_INPUT_YAML, "jobs:\n  - pmc: &a [A, *a]\n",
           "file:2:10: a text, a number or a list of them is expected");
}

/* Each level names the one before ten times: a thousand million words, of which 1024 are read. */
static void aliases_are_limited(void **state)
{
    (void)state;
    char text[1024] =
        "jobs:\n  - stats: true\n    pmc:\n      - &a [A, A, A, A, A, A, A, A, A, A]\n";
    for (char level = 'b'; level < 'd'; level++) {
        char line[128], last = (char)(level - 1);
        snprintf(line, sizeof(line),
                 "      - &%c [*%c, *%c, *%c, *%c, *%c, *%c, *%c, *%c, *%c, *%c]\n", level, last,
                 last, last, last, last, last, last, last, last, last);
        strcat(text, line);
    }
    cli_jobs_t jobs;
    assert_int_not_equal(parse(&jobs, CLI_INPUT_YAML, text), 0);
    cli_jobs_free(&jobs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(depth_is_limited),   cmocka_unit_test(aliases_are_limited),
        cmocka_unit_test(text_lines),         cmocka_unit_test(yaml_and_json_say_the_same),
        cmocka_unit_test(errors_have_places), cmocka_unit_test(plans),
        cmocka_unit_test(plans_of_files),     cmocka_unit_test(sets_of_counters),
        cmocka_unit_test(selections),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
