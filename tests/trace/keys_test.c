/* keys_test.c - output keys: every key, every spelling, every mistake. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "trace/keys.h"
#include "trace/ranks.h"

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
        const char *variables[15], *expected;
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
        /* the innermost launcher: mpirun in a script of Slurm, which is Slurm's rank 0 */
        {{"SLURM_PROCID", "0", "SLURM_NTASKS", "8", "PMI_RANK", "3", "PMI_SIZE", "4"}, "3/4/3"},
        {{"SLURM_PROCID", "0", "SLURM_NTASKS", "8", "OMPI_COMM_WORLD_RANK", "5",
          "OMPI_COMM_WORLD_SIZE", "6"},
         "5/6/5"},
        {{"OMPI_COMM_WORLD_RANK", "1", "OMPI_COMM_WORLD_SIZE", "2", "RANK", "6", "WORLD_SIZE", "8"},
         "6/8/6"},
        {{"JOB_COMPLETION_INDEX", "4", "RANK", "9", "WORLD_SIZE", "16"}, "9/16/9"},
        {{"JOB_COMPLETION_INDEX", "4", "SLURM_PROCID", "1", "SLURM_NTASKS", "2"}, "1/2/1"},
        {{"JOB_COMPLETION_INDEX", "4"}, "4/1/4"},
        /* torchrun's names are anybody's: one alone, or a rank beyond the size, is not its */
        {{"RANK", "3"}, "0/1/42"},
        {{"RANK", "8", "WORLD_SIZE", "8"}, "0/1/42"},
        /* what a launcher does not tell is told by one around it that counts the same rank */
        {{"PMIX_RANK", "3", "SLURM_PROCID", "3", "SLURM_NTASKS", "4"}, "3/4/3"},
        {{"PMIX_RANK", "3", "SLURM_PROCID", "0", "SLURM_NTASKS", "8"}, "3/1/3"},
        {{"SLURM_PROCID", "2", "PMI_RANK", "2", "PMI_SIZE", "4"}, "2/4/2"},
        {{"PBS_NODENUM", "1", "PBS_O_TASKNUM", "3", "SLURM_PROCID", "2", "SLURM_NTASKS", "6"},
         "2/6/2"},
        {{"ROCPROF_MPI_RANK_VAR", "MINE", "MINE", "4", "PMI_RANK", "1"}, "4/1/4"},
        {{"ROCPROF_MPI_RANK_VAR", "MINE", "MINE", "4", "SLURM_PROCID", "1"}, "4/1/4"},
        /* names that rocprofv3 has found: mpirun below it is further inside */
        {{"ROCPROF_MPI_RANK_VAR", "SLURM_PROCID", "ROCPROF_MPI_VARS_FOUND", "1", "SLURM_PROCID",
          "0", "SLURM_NTASKS", "8", "PMI_RANK", "3", "PMI_SIZE", "4"},
         "3/4/3"},
        {{"ROCPROF_MPI_RANK_VAR", "SLURM_PROCID", "SLURM_PROCID", "0", "SLURM_NTASKS", "8",
          "PMI_RANK", "3", "PMI_SIZE", "4"},
         "0/1/0"},
        {{"PMI_RANK", "none"}, "0/1/42"},
        {{"PMI_RANK", "99999999999999999999"}, "0/1/42"},
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

/* What each launcher tells, as %rank%/%size%/%local_rank%/%node%/%job%. */
static void facts_of_launchers(void **state)
{
    (void)state;
    static const struct {
        const char *variables[15], *expected;
    } cases[] = {
        {{"RANK", "5", "WORLD_SIZE", "8", "LOCAL_RANK", "1", "GROUP_RANK", "2",
          "TORCHELASTIC_RUN_ID", "night/7"},
         "5/8/1/2/night_7"},
        {{"RANK", "5", "WORLD_SIZE", "8", "TORCHELASTIC_RUN_ID", "none"}, "5/8/0/0/0"},
        {{"OMPI_COMM_WORLD_RANK", "6", "OMPI_COMM_WORLD_SIZE", "8", "OMPI_COMM_WORLD_LOCAL_RANK",
          "2"},
         "6/8/2/0/0"},
        {{"MV2_COMM_WORLD_RANK", "6", "MV2_COMM_WORLD_SIZE", "8", "MV2_COMM_WORLD_LOCAL_RANK", "3"},
         "6/8/3/0/0"},
        {{"PMI_RANK", "7", "PMI_SIZE", "9", "MPI_LOCALRANKID", "4"}, "7/9/4/0/0"},
        {{"FLUX_TASK_RANK", "3", "FLUX_JOB_SIZE", "4", "FLUX_TASK_LOCAL_ID", "1", "FLUX_JOB_ID",
          "fA1"},
         "3/4/1/0/fA1"},
        {{"SLURM_PROCID", "9", "SLURM_NTASKS", "12", "SLURM_LOCALID", "1", "SLURM_NODEID", "4",
          "SLURM_JOB_ID", "77"},
         "9/12/1/4/77"},
        {{"PBS_NODENUM", "1", "PBS_O_TASKNUM", "3", "PBS_JOBID", "12.host"}, "1/3/0/0/12.host"},
        /* the scheduler around them has the job, and where its rank is the same, the node */
        {{"OMPI_COMM_WORLD_RANK", "6", "OMPI_COMM_WORLD_SIZE", "8", "LSB_JOBID", "31"},
         "6/8/0/0/31"},
        {{"PMIX_RANK", "2", "SLURM_PROCID", "2", "SLURM_NTASKS", "4", "SLURM_LOCALID", "1",
          "SLURM_NODEID", "1", "SLURM_JOB_ID", "8"},
         "2/4/1/1/8"},
        {{"PMI_RANK", "2", "PMI_SIZE", "4", "SLURM_PROCID", "0", "SLURM_LOCALID", "1",
          "SLURM_NODEID", "1", "SLURM_JOB_ID", "8"},
         "2/4/0/0/8"},
        {{NULL}, "0/1/0/0/0"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        char out[TRACE_PATH_MAX], why[256];
        trace_keys_t k = facts;
        launched = cases[i].variables;
        k.env = launcher;
        assert_int_equal(trace_keys_expand(&k, "%rank%/%size%/%local_rank%/%node%/%job%", out,
                                           sizeof(out), why, sizeof(why)),
                         0);
        assert_string_equal(out, cases[i].expected);
    }
}

static void lists_of_ranks(void **state)
{
    (void)state;
    static const struct {
        const char *list, *has; /* of the ranks 0 to 9 */
        long most;
    } good[] = {
        {"0", "0", 0},
        {"0,5-7", "0567", 7},
        {"every:4", "048", -1},
        {"1,every:4,6-6", "01468", 6},
        {"every:1", "0123456789", -1},
        {"2147483647", "", 2147483647},
    };
    static const struct {
        const char *list, *piece;
    } bad[] = {
        {"", "--ranks : '': ranks are numbers from 0 to 2147483647"},
        {"1,,2", "--ranks 1,,2: '': ranks"},
        {"1,x", "--ranks 1,x: 'x': ranks"},
        {"1-", "'1-'"},
        {"-1", "'-1'"},
        {"1-2-3", "'1-2-3'"},
        {"0,2147483648", "'2147483648'"},
        {"0,99999999999999999999", "'99999999999999999999'"},
        {"every:", "'every:'"},
        {"every:2-3", "'every:2-3'"},
        {"4,every:0", "--ranks 4,every:0: 'every:0': the least step is 1"},
        {"3,7-5", "--ranks 3,7-5: 7-5 ends before it begins"},
    };
    trace_ranks_t found;
    char why[256];
    for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
        for (long rank = 0; rank < 10; rank++) {
            assert_int_equal(trace_ranks_read(good[i].list, rank, &found, why, sizeof(why)), 0);
            assert_int_equal(found.has, strchr(good[i].has, (int)('0' + rank)) != NULL);
        }
        assert_int_equal(found.most, good[i].most);
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        assert_int_equal(trace_ranks_read(bad[i].list, 0, &found, why, sizeof(why)), -1);
        if (!strstr(why, bad[i].piece)) fail_msg("%s: %s", bad[i].list, why);
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
        cmocka_unit_test(facts_of_launchers),
        cmocka_unit_test(lists_of_ranks),
        cmocka_unit_test(own_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
