/* keys_test.c - output keys: every key, every spelling, every mistake. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "trace/keys.h"

static const char *environment(const char *name)
{
    static const char *const values[][2] = {
        {"OMPI_COMM_WORLD_RANK", "3"}, {"MPI_RANK", "1"},
        {"OMPI_COMM_WORLD_SIZE", "8"}, {"SLURM_JOB_ID", "77"},
        {"PLACE", " /a b/c"},          {"NESTED", "x%pid%"},
        {"LOOP", "%env{LOOP}%y"},      {"ROCPROF_DATE_FORMAT", "%Y"},
    };
    for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
        if (strcmp(values[i][0], name) == 0) return values[i][1];
    return NULL;
}

/* A program's words are no keys. */
static char *like_keys[] = {"app", "-o", "x/%argt%", "%pid%", "%foo%", "%env{", NULL};

static char *command[] = {"./bin/my prog", "--", "in/a.txt", "-n", "../../5", NULL};

static const trace_keys_t facts = {.argc = 5,
                                   .argv = command,
                                   .pid = 42,
                                   .ppid = 41,
                                   .pgid = 40,
                                   .sid = 39,
                                   .launch = 86400 * 366,
                                   .hostname = "host",
                                   .cwd = "/home/dir",
                                   .env = environment};

static void expect(const char *name, const char *expected)
{
    char out[TRACE_PATH_MAX], why[256] = "";
    if (trace_keys_expand(&facts, name, out, sizeof(out), why, sizeof(why)) != 0)
        fail_msg("%s: %s", name, why);
    assert_string_equal(out, expected);
}

static void refuse(const char *name, const char *expected)
{
    char out[TRACE_PATH_MAX], why[256] = "";
    assert_int_not_equal(trace_keys_expand(&facts, name, out, sizeof(out), why, sizeof(why)), 0);
    if (!strstr(why, expected)) fail_msg("%s: '%s' does not say '%s'", name, why, expected);
}

static void every_key(void **state)
{
    (void)state;
    expect("%pid%-%ppid%-%pgid%-%psid%", "42-41-40-39");
    expect("{pid}.{hostname}", "42.host");
    expect("%hostname%/%pid%", "host/42");
    expect("%cwd%/x", "/home/dir/x");
    expect("%tag%", "my prog");
    expect("%args%", "in_a.txt_-n_5");
    expect("%argt%", "my progin_a.txt_-n_5");
    expect("%argv%", "bin_my prog_in_a.txt_-n_5");
    expect("%arg0%|%arg2%", "bin_my prog|in_a.txt");
    expect("a%arg9%_-b%arg9%", "ab");
    expect("%rank%/%size%/%job%/%nid%", "3/8/77/3");
    expect("%launch_date%", "1971");
}

static void short_forms(void **state)
{
    (void)state;
    expect("%h-%p-%j-%r-%s", "host-42-77-3-8");
    expect("%h%p", "host42");
    expect("%h_%p", "host_42");
    expect("100%", "100%");
    expect("{other}", "{other}");
    expect("a{b", "a{b");
}

static void environment_keys(void **state)
{
    (void)state;
    expect("%env{PLACE}%", "a_b_c");
    expect("$ENV{PLACE}.", "a_b_c.");
    expect("%q{PLACE}-", "a_b_c-");
    expect("%env{UNSET}%z", "z");
    expect("%env{NESTED}%", "x42");
}

static void mistakes(void **state)
{
    (void)state;
    refuse("%foo%", "unknown key '%foo%'");
    refuse("%hostnam%", "unknown key '%hostnam%'");
    refuse("%env{PLACE", "malformed key");
    refuse("%env{lower}%", "malformed key");
    refuse("%env{}%", "malformed key");
    refuse("%env{LOOP}%", "never end");
    char out[4], why[256];
    assert_int_not_equal(trace_keys_expand(&facts, "%cwd%", out, sizeof(out), why, sizeof(why)), 0);
}

static void words_of_the_program(void **state)
{
    (void)state;
    char out[TRACE_PATH_MAX], why[256] = "";
    trace_keys_t other = facts;
    trace_keys_of_command(&other, like_keys);
    assert_int_equal(other.argc, 6);
    assert_int_equal(trace_keys_expand(&other, "%argt%/%arg2%", out, sizeof(out), why, sizeof(why)),
                     0);
    assert_string_equal(out, "app-o_x_%argt%_%pid%_%foo%_%env{/x_%argt%");
}

/* What a launcher sets, name and value in turn. */
static const char *const *launched;

static const char *launcher(const char *name)
{
    for (const char *const *v = launched; *v; v += 2)
        if (strcmp(v[0], name) == 0) return v[1];
    return NULL;
}

static void ranks_of_launchers(void **state)
{
    (void)state;
    static const struct {
        const char *variables[9], *expected;
    } cases[] = {
        {{"OMPI_COMM_WORLD_RANK", "5", "OMPI_COMM_WORLD_SIZE", "8"}, "5/8/5"},
        {{"PMI_RANK", "3", "PMI_SIZE", "4"}, "3/4/3"},
        {{"SLURM_PROCID", "2", "SLURM_NTASKS", "6", "SLURM_JOB_ID", "9"}, "2/6/2"},
        {{"FLUX_TASK_RANK", "1", "FLUX_JOB_SIZE", "2"}, "1/2/1"},
        {{"PMIX_RANK", "7"}, "7/1/7"},
        {{"PBS_NODENUM", "1", "PBS_O_TASKNUM", "3"}, "1/3/1"},
        {{"MPI_LOCALRANKID", "2", "MPI_LOCALNRANKS", "3"}, "2/3/2"},
        /* both of a launcher go before the rank alone of an earlier one */
        {{"PMI_RANK", "9", "MPI_RANK", "1", "MPI_SIZE", "2"}, "1/2/1"},
        {{"SLURM_PROCID", "6", "PMI_RANK", "3", "PMI_SIZE", "4"}, "6/4/6"},
        {{"PBS_NODENUM", "1", "PBS_O_TASKNUM", "3", "SLURM_PROCID", "2", "SLURM_NTASKS", "6"},
         "2/6/2"},
        {{"ROCPROF_MPI_RANK_VAR", "MINE", "MINE", "4", "PMI_RANK", "1"}, "4/1/4"},
        {{"ROCPROF_MPI_RANK_VAR", "MINE", "MINE", "4", "SLURM_PROCID", "1"}, "4/1/4"},
        {{"PMI_RANK", "none"}, "0/1/42"},
        {{NULL}, "0/1/42"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        char out[TRACE_PATH_MAX], why[256];
        trace_keys_t k = facts;
        launched = cases[i].variables;
        k.env = launcher;
        assert_int_equal(
            trace_keys_expand(&k, "%rank%/%size%/%nid%", out, sizeof(out), why, sizeof(why)), 0);
        assert_string_equal(out, cases[i].expected);
    }
}

static void own_process(void **state)
{
    (void)state;
    char out[TRACE_PATH_MAX], why[256];
    trace_keys_t *own = trace_keys_current();
    assert_non_null(own);
    assert_int_equal(trace_keys_expand(own, "%tag% %psize%", out, sizeof(out), why, sizeof(why)),
                     0);
    assert_true(strncmp(out, "unit_rocprofv3_keys ", 20) == 0);
    assert_true(atoi(out + 20) >= 1);
    trace_keys_free(own);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_key),
        cmocka_unit_test(short_forms),
        cmocka_unit_test(environment_keys),
        cmocka_unit_test(mistakes),
        cmocka_unit_test(words_of_the_program),
        cmocka_unit_test(ranks_of_launchers),
        cmocka_unit_test(own_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
