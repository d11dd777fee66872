/* options_test.c - rocprofv3's command line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cli/options.h"
#include "cli/rules.h"

static char why[512];

static int parse(cli_command_t *c, const char *line)
{
    static char words[1024];
    static char *argv[64];
    int argc = 0;
    strcpy(words, line);
    for (char *at = strtok(words, " "); at; at = strtok(NULL, " "))
        argv[argc++] = at;
    argv[argc] = NULL;
    why[0] = 0;
    return cli_parse(c, argc, argv, why, sizeof(why));
}

static void refuse(const char *line, const char *expected)
{
    cli_command_t c;
    assert_int_not_equal(parse(&c, line), 0);
    if (!strstr(why, expected)) fail_msg("%s: '%s' does not say '%s'", line, why, expected);
    cli_command_free(&c);
}

static void expect(const char *line, cli_option_id_t option, const char *value)
{
    cli_command_t c;
    if (parse(&c, line) != 0) fail_msg("%s: %s", line, why);
    if (value)
        assert_string_equal(c.values[option], value);
    else
        assert_null(c.values[option]);
    cli_command_free(&c);
}

static void rows_are_distinct(void **state)
{
    (void)state;
    for (size_t i = 0; i < TRACE_SET_COUNT; i++) {
        const trace_setting_t *s = &trace_settings[i];
        assert_int_equal(!s->name, i >= CLI_OPTION_COUNT);
        assert_true(s->help && *s->help);
        if (strstr(s->help, "{default}")) assert_non_null(s->fallback);
        for (size_t j = 0; j < i; j++) {
            const trace_setting_t *t = &trace_settings[j];
            if (s->name) assert_string_not_equal(s->name, t->name);
            assert_true(!s->letter || s->letter != t->letter);
            if (s->variable && t->variable) assert_string_not_equal(s->variable, t->variable);
        }
    }
}

/* What a variable of this form and default means. */
static void settings_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *value;
        bool on;
    } rows[] = {{NULL, false}, {"", false},    {"1", true},
                {"00", false}, {"off", false}, {"x", true}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        for (size_t id = 0; id < TRACE_SET_COUNT; id++)
            if (trace_settings[id].variable) unsetenv(trace_settings[id].variable);
        if (rows[i].value) setenv("ROCPROF_KERNEL_TRACE", rows[i].value, 1);
        if (rows[i].value) setenv("ROCPROF_DEMANGLE_KERNELS", rows[i].value, 1);
        assert_int_equal(trace_setting_on(TRACE_SET_KERNEL_TRACE), rows[i].on);
        /* yes is the default of the variable, and the option says the opposite */
        assert_int_equal(trace_setting_on(TRACE_SET_MANGLED_KERNELS),
                         rows[i].value && *rows[i].value && !rows[i].on);
        assert_false(trace_setting_on(TRACE_SET_REPLAY_MODE) ||
                     trace_setting_on(TRACE_SET_OMPT_TRACE));
        assert_true(trace_setting_on(TRACE_SET_ATTACH_CHILDREN));
    }
    assert_null(trace_setting_given(TRACE_SET_OUTPUT_FORMAT));
    assert_string_equal(trace_setting(TRACE_SET_OUTPUT_FORMAT), "rocpd");
    assert_int_equal(trace_setting_number(TRACE_SET_ATT_SIMD_SELECT), 15);
    assert_int_equal(trace_setting_number(TRACE_SET_ATT_PERFCOUNTER_CTRL), 0);
    assert_int_equal(trace_setting_set(TRACE_SET_ATT_SIMD_SELECT, "0x3"), 0);
    assert_int_equal(trace_setting_number(TRACE_SET_ATT_SIMD_SELECT), 3);
    assert_int_equal(trace_setting_set(TRACE_SET_ATT_SIMD_SELECT, "16"), 0);
    assert_int_equal(trace_setting_number(TRACE_SET_ATT_SIMD_SELECT), 15);
    assert_int_equal(trace_setting_choice(TRACE_SET_PC_SAMPLING_METHOD), -1);
    assert_int_equal(trace_setting_set(TRACE_SET_PC_SAMPLING_METHOD, "Host_Trap"), 0);
    assert_int_equal(trace_setting_choice(TRACE_SET_PC_SAMPLING_METHOD), 1);
    unsetenv("ROCPROF_PC_SAMPLING_METHOD");
    unsetenv("ROCPROF_ATT_PARAM_SIMD_SELECT");
    unsetenv("ROCPROF_KERNEL_TRACE");
    unsetenv("ROCPROF_DEMANGLE_KERNELS");
}

static void truth_values(void **state)
{
    (void)state;
    static const char *const yes[] = {"y", "yes", "t", "true", "on", "1", "YES", "True"};
    static const char *const no[] = {"n", "no", "f", "false", "off", "0", "OFF"};
    char line[64];
    expect("r --kernel-trace -- prog", CLI_KERNEL_TRACE, "1");
    for (size_t i = 0; i < sizeof(yes) / sizeof(*yes); i++) {
        strcat(strcpy(line, "r --kernel-trace "), yes[i]);
        expect(line, CLI_KERNEL_TRACE, "1");
        strcat(strcpy(line, "r --kernel-trace="), yes[i]);
        expect(line, CLI_KERNEL_TRACE, "1");
    }
    for (size_t i = 0; i < sizeof(no) / sizeof(*no); i++) {
        strcat(strcpy(line, "r -S "), no[i]);
        expect(line, CLI_SUMMARY, "0");
        strcat(strcpy(line, "r -S"), no[i]);
        expect(line, CLI_SUMMARY, "0");
    }
    refuse("r --kernel-trace=maybe", "'maybe' is no truth value");
}

static void values(void **state)
{
    (void)state;
    expect("r -d out -- p", CLI_OUTPUT_DIRECTORY, "out");
    expect("r -dout -- p", CLI_OUTPUT_DIRECTORY, "out");
    expect("r --output-directory=a=b -- p", CLI_OUTPUT_DIRECTORY, "a=b");
    expect("r -u MSEC -- p", CLI_SUMMARY_UNITS, "msec");
    expect("r -f CSV -- p", CLI_OUTPUT_FORMAT, "csv");
    expect("r --summary-groups A|B C.* -S -- p", CLI_SUMMARY_GROUPS, "A|B\nC.*");
    expect("r -o a -o b -- p", CLI_OUTPUT_FILE, "b");
    expect("r -s -- p --stats", CLI_STATS, NULL);
    refuse("r -u weeks", "'weeks' is none of: sec msec usec nsec");
#ifdef CROCPROF_OTF2
    expect("r -f otf2 -- p", CLI_OUTPUT_FORMAT, "otf2");
#else
    refuse("r -f otf2", "otf2 is not written here; there are: csv json pftrace rocpd");
#endif
    refuse("r -f csv xml", "'xml' is none of: csv");
    refuse("r -d", "--output-directory needs a value");
    refuse("r -d -- p", "--output-directory needs a value");
    refuse("r --summary-groups -- p", "needs at least one value");
    expect("r --pmc A B,C --pmc D -- p", CLI_PMC, "A B C\nD");
    expect("r --pmc=A,B -- p", CLI_PMC, "A B");
    expect("r --pmc A:device=0,device=1,B -- p", CLI_PMC, "A:device=0,device=1 B");
    expect("r --pmc A:device=0 device=1 -- p", CLI_PMC, "A:device=0,device=1");
    expect("r --kernel-iteration-range [1-3],[5] 9 -- p", CLI_KERNEL_ITERATION_RANGE,
           "[1-3],[5]\n9");
    refuse("r --pmc -- p", "--pmc needs at least one value");
    refuse("r --pmc , -- p", "--pmc needs at least one value");
    refuse("r --pmc-groups A -- p", "--pmc-groups has its place in input files");
    refuse("r -E", "--extra-counters needs a value");
    refuse("r --minimum-output-data many", "'many' is no whole number");
}

static void program(void **state)
{
    (void)state;
    cli_command_t c;
    assert_int_equal(parse(&c, "r -s -- prog -x --stats -- y"), 0);
    assert_string_equal(c.program[0], "prog");
    assert_string_equal(c.program[3], "--");
    cli_command_free(&c);
    assert_int_equal(parse(&c, "r -s"), 0);
    assert_null(c.program);
    cli_command_free(&c);
    assert_int_equal(parse(&c, "r -s --"), 0);
    assert_null(c.program);
    cli_command_free(&c);
    refuse("r -s prog", "the program goes after --");
}

/* Of all options that are on alone, those trace whose name says so, but for thread traces, for
 * which cli_records() asks by themselves. */
static void what_traces(void **state)
{
    unsigned count = 0;
    (void)state;
    for (size_t i = 0; i < CLI_OPTION_COUNT; i++) {
        cli_command_t c = {0};
        const char *end = strstr(trace_settings[i].name, "-trace");
        const bool traces = end && !end[strlen("-trace")] && i != CLI_ATT;
        c.values[i] = strdup("1");
        if (cli_traces(&c) != traces)
            fail_msg("--%s %s", trace_settings[i].name, traces ? "does not trace" : "traces");
        count += traces;
        cli_command_free(&c);
    }
    assert_true(count >= 30);
}

static void unknown_and_wrong(void **state)
{
    (void)state;
    refuse("r --kernel-trce", "unknown option '--kernel-trce': did you mean --kernel-trace?");
    refuse("r --sumary", "did you mean --summary?");
    refuse("r --completely-other", "unknown option '--completely-other': see --help");
    refuse("r --kernel", "unknown option '--kernel'"); /* abbreviations are refused */
    refuse("r -z", "unknown option '-z'");
    refuse("r --benchmark-mode sdk", "--benchmark-mode: 'sdk' is none of");
    expect("r --benchmark-mode execution-profile -- p", CLI_BENCHMARK_MODE, "execution-profile");
    expect("r --spm-beta-enabled no -- p", CLI_STATS, NULL);
    expect("r --att=off -- p", CLI_ATT, "0");
    expect("r --att --att-buffer-size 0x1000000 -- p", CLI_ATT_BUFFER_SIZE, "16777216");
    expect("r --att --att-simd-select 3 -- p", CLI_ATT_SIMD_SELECT, "3");
    refuse("r --att --att-target-cu 0x", "--att-target-cu: '0x' is no whole number");
    refuse("r --att --att-target-cu 1x", "--att-target-cu: '1x' is no whole number");
    refuse("r --att --att-target-cu -1", "--att-target-cu needs a value");
}

static void apply(const char *line)
{
    cli_command_t c;
    static const char *const variables[] = {"ROCPROF_KERNEL_TRACE",
                                            "ROCPROF_MEMORY_COPY_TRACE",
                                            "ROCPROF_HIP_RUNTIME_API_TRACE",
                                            "ROCPROF_HIP_COMPILER_API_TRACE",
                                            "ROCPROF_HSA_CORE_API_TRACE",
                                            "ROCPROF_HSA_FINALIZER_EXT_API_TRACE",
                                            "ROCPROF_DEMANGLE_KERNELS",
                                            "ROCPROF_STATS_SUMMARY_GROUPS",
                                            "ROCPROF_LOG_LEVEL",
                                            "ROCTX_LOG_LEVEL",
                                            "ROCPROF_MINIMUM_OUTPUT_BYTES"};
    for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++)
        unsetenv(variables[i]);
    assert_int_equal(parse(&c, line), 0);
    assert_int_equal(cli_apply(&c, why, sizeof(why)), 0);
    cli_command_free(&c);
}

#define EXPECT_VARIABLE(name, value) assert_string_equal(getenv(name), value)

static void variables(void **state)
{
    (void)state;
    apply("r -s --hsa-core-trace no -- p");
    EXPECT_VARIABLE("ROCPROF_KERNEL_TRACE", "1");
    EXPECT_VARIABLE("ROCPROF_HIP_COMPILER_API_TRACE", "1");
    EXPECT_VARIABLE("ROCPROF_HSA_CORE_API_TRACE", "0");
    EXPECT_VARIABLE("ROCPROF_HSA_FINALIZER_EXT_API_TRACE", "1");
    assert_null(getenv("ROCPROF_DEMANGLE_KERNELS"));
    apply("r -r -M --summary-groups A B --log-level env --minimum-output-data 3 -- p");
    EXPECT_VARIABLE("ROCPROF_HIP_RUNTIME_API_TRACE", "1");
    EXPECT_VARIABLE("ROCPROF_MEMORY_COPY_TRACE", "1");
    assert_null(getenv("ROCPROF_HIP_COMPILER_API_TRACE"));
    EXPECT_VARIABLE("ROCPROF_DEMANGLE_KERNELS", "0");
    EXPECT_VARIABLE("ROCPROF_STATS_SUMMARY_GROUPS", "A##@@##B");
    EXPECT_VARIABLE("ROCPROF_LOG_LEVEL", "warning");
    EXPECT_VARIABLE("ROCPROF_MINIMUM_OUTPUT_BYTES", "3072");
    apply("r --pmc A B --kernel-include-regex add --kernel-iteration-range [1-3] 5 -- p");
    EXPECT_VARIABLE("ROCPROF_COUNTER_COLLECTION", "1");
    EXPECT_VARIABLE("ROCPROF_COUNTERS", "pmc: A B");
    EXPECT_VARIABLE("ROCPROF_KERNEL_FILTER_INCLUDE_REGEX", "add");
    EXPECT_VARIABLE("ROCPROF_KERNEL_FILTER_RANGE", "[1-3], 5");
    apply("r --log-level info -- p");
    EXPECT_VARIABLE("ROCPROF_LOG_LEVEL", "info");
    EXPECT_VARIABLE("ROCTX_LOG_LEVEL", "info");
}

/* Every word of a rule is an option, and its value, if there is one, one of the option's words. */
static void rules_name_options(void **state)
{
    (void)state;
    assert_true(trace_rule_count > 0);
    for (size_t i = 0; i < 2 * trace_rule_count; i++) {
        const trace_rule_t *rule = &trace_rules[i / 2];
        const char *list = i % 2 ? rule->others : rule->options;
        assert_int_equal(rule->others == NULL, rule->relation == TRACE_TOGETHER);
        for (char *copy = list ? strdup(list) : NULL, *rest = copy, *word; copy;) {
            if (!(word = strsep(&rest, " "))) {
                free(copy);
                break;
            }
            const char *value = strchr(word, '=');
            const size_t bytes = strcspn(word, "=");
            for (char *at = word; *at; at++)
                if (*at == '_') *at = '-';
            const int option = cli_find_option(word, bytes);
            if (option < 0) fail_msg("%s is no option", word);
            if (value && trace_word_among(trace_settings[option].words, value + 1,
                                          strlen(value + 1), NULL) < 0)
                fail_msg("%s is no word of the option", word);
        }
    }
}

static void refuse_together(const char *line, const char *message)
{
    cli_command_t c;
    assert_int_equal(parse(&c, line), 0);
    assert_int_equal(cli_rules_check(&c, why, sizeof(why)), message ? -1 : 0);
    if (message) assert_string_equal(why, message);
    cli_command_free(&c);
}

static void rules(void **state)
{
    (void)state;
    refuse_together("r --spm A --spm-beta-enabled --spm-sample-interval 320", NULL);
    refuse_together("r --spm A", "--spm needs --spm-beta-enabled");
    refuse_together("r --spm-sample-interval 320", "--spm-sample-interval needs --spm");
    refuse_together("r --spm A --spm-beta-enabled --pmc B", "--spm and --pmc exclude each other");
    refuse_together("r --spm A --spm-beta-enabled --replay-mode kernel",
                    "--spm and --replay-mode kernel exclude each other");
    refuse_together("r --replay-mode application", NULL);
    refuse_together("r --replay-mode Kernel --kernel-replay-beta-enabled",
                    "--replay-mode kernel needs --pmc");
    refuse_together("r --att-no-detail", "--att-no-detail needs --att");
    refuse_together("r --att-no-detail no", NULL);
    refuse_together("r --att-no-detail --att-no-intercept", NULL);
    refuse_together("r --att --att-perfcounters A",
                    "--att-perfcounters and --att-perfcounter-ctrl need each other: "
                    "--att-perfcounter-ctrl is missing");
    refuse_together("r --pc-sampling-method host_trap --pc-sampling-interval 5",
                    "--pc-sampling-method, --pc-sampling-unit and --pc-sampling-interval need each "
                    "other: --pc-sampling-unit is missing");
    refuse_together(
        "r --pc-sampling-method host_trap --pc-sampling-interval 0 --pc-sampling-unit time", NULL);
    refuse_together("r --pid 1 --replay-mode application",
                    "--pid and --replay-mode exclude each other: memory that was allocated before "
                    "is not known");
    refuse_together("r --benchmark-mode tool-runtime-overhead --pmc A", NULL);
    refuse_together("r --benchmark-mode execution-profile --pmc A",
                    "--benchmark-mode execution-profile and --pmc exclude each other");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_distinct),
        cmocka_unit_test(settings_are_read),
        cmocka_unit_test(truth_values),
        cmocka_unit_test(values),
        cmocka_unit_test(program),
        cmocka_unit_test(what_traces),
        cmocka_unit_test(unknown_and_wrong),
        cmocka_unit_test(variables),
        cmocka_unit_test(rules_name_options),
        cmocka_unit_test(rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
