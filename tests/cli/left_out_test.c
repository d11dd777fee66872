/* left_out_test.c - what the front of rocprofv3 decides itself, and what it leaves to the launcher.
 *
 * Each command line is given to the front's decision and to the functions by which the launcher
 * decides. Whom the front leaves out, the launcher must leave out, too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "cli/jobs.h"
#include "cli/left_out.h"
#include "cli/ranks.h"
#include "trace/settings.h"

enum { WORDS_MOST = 64 };

typedef struct {
    char *words[WORDS_MOST];
    int count;
    char text[1024];
} words_t;

/* Words are separated by blanks; '' is an empty one. */
static void split(words_t *w, const char *line)
{
    w->count = 0;
    strcpy(w->text, line);
    for (char *rest = w->text, *word; (word = strsep(&rest, " "));)
        w->words[w->count++] = strcmp(word, "''") == 0 ? word + 2 : word;
    w->words[w->count] = NULL;
}

static void set_environment(const char *variables)
{
    words_t w;
    clearenv();
    split(&w, variables);
    for (int i = 0; *variables && i < w.count; i++) {
        char *value = strchr(w.words[i], '=');
        *value = 0;
        setenv(w.words[i], value + 1, 1);
    }
}

/* Returns whether the launcher, where no option shows something, leaves the rank out. */
static bool launcher_leaves_out(words_t *w, char ***program)
{
    char why[1024];
    cli_command_t c;
    cli_plan_t plan = {0};
    bool out = cli_parse(&c, w->count, w->words, why, sizeof(why)) == 0 && c.program &&
               !c.values[CLI_PID] && cli_plan(&plan, &c, why, sizeof(why)) == 0 &&
               plan.count == 1 && cli_ranks_select(&plan.runs[0].command, why, sizeof(why)) == 0;
    *program = c.program;
    cli_plan_free(&plan);
    cli_command_free(&c);
    return out;
}

/* `rest` is the place of the program in the line, or 0: the launcher has to decide. */
static void expect(const char *variables, const char *line, int rest)
{
    words_t w;
    set_environment(variables);
    split(&w, line);
    char *nothing[] = {NULL}, **program, **wanted;
    program = cli_left_out(w.count, w.words, environ ? environ : nothing);
    if (program != (rest ? w.words + rest : NULL))
        fail_msg("%s: %s: the program is %s", variables, line, program ? *program : "unknown");
    if (program && (!launcher_leaves_out(&w, &wanted) || program != wanted))
        fail_msg("%s: %s: the launcher does not leave it out", variables, line);
    clearenv();
}

#define RANK "OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=4"

static void ranks_are_left_out(void **state)
{
    (void)state;
    expect(RANK, "rocprofv3 --ranks 0 -- app", 4);
    expect(RANK, "x --ranks=0,2-3 -- ./app -- --ranks 1", 3);
    expect(RANK, "x --profile-mpi-ranks every:2 -r -d out -o %rank% -f csv -- app", 11);
    expect(RANK, "x --ranks 1 --ranks 0 -- app", 6); /* the last one counts */
    expect(RANK, "x -s yes --stats --ranks 0 -f CSV rocpd --mpi-trace=no -- a", 11);
    expect(RANK, "x --ompt-trace --ompt-trace off -dout -o=y -SD -- a", 0); /* -SD: no truth */
    expect(RANK, "x --ompt-trace -dout -o=y -S -D --sync-clocks -uMSEC --ranks 3 -- a", 11);
    expect("PMI_RANK=7", "x --ranks 0-6,8 -- app", 4);
    expect("PMIX_RANK=2 SLURM_PROCID=2 SLURM_NTASKS=4", "x --ranks 3 -- app", 4);
    expect("RANK=1 WORLD_SIZE=2", "x --ranks 0 -- app", 4);
    expect("SLURM_PROCID=5 SLURM_NTASKS=8", "x --ranks 0 -- app", 4);
    expect("FLUX_TASK_RANK=5 FLUX_JOB_SIZE=8", "x --ranks 0 -- app", 4);
    expect("JOB_COMPLETION_INDEX=5", "x --ranks 0 -- app", 4);
}

static void what_is_no_rank_left_out_is_the_launchers(void **state)
{
    static const char *const lines[] = {
        "x", "x --", "x --ranks 0", "x --ranks 0 --", "x -- app", "x -r -- app",
        "x --ranks 0 -- ''", "x --ranks 0 app", "x app --ranks 0 -- app", "x --ranks 1 -- app",
        "x --ranks 0-3 -- app", "x --ranks every:1 -- app",
        /* lists that are refused */
        "x --ranks -- app", "x --ranks '' -- app", "x --ranks= -- app", "x --ranks 0, -- app",
        "x --ranks a -- app", "x --ranks 3-2 -- app", "x --ranks every:0 -- app",
        "x --ranks 0-4 -- app", "x --ranks 4 -- app", "x --ranks 2147483648 -- app",
        "x --ranks 0-99999999999999999999 -- app", "x --ranks 0 2 -- app",
        "x --ranks every: -- app", "x --ranks 0-2- -- app", "x --ranks +0 -- app"};
    (void)state;
    for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
        expect(RANK, lines[i], 0);
    expect("", "x --ranks 0 -- app", 0);
    expect("RANK=1", "x --ranks 0 -- app", 0);
    expect("OMPI_COMM_WORLD_RANK=-1", "x --ranks 0 -- app", 0);
    expect("OMPI_COMM_WORLD_RANK=99999999999999999999", "x --ranks 0 -- app", 0);
}

static void what_is_doubtful_is_the_launchers(void **state)
{
    static const char *const options[] = {"--help",
                                          "-h",
                                          "-v",
                                          "--version",
                                          "-L",
                                          "--doctor",
                                          "-i jobs.txt",
                                          "--gpu soft",
                                          "--gpu real",
                                          "--pid 1",
                                          "-p 1",
                                          "--attach 1",
                                          "--echo",
                                          "--log-level info",
                                          "--log-level error",
                                          "-E x.yaml",
                                          "--rocm-root /",
                                          "--preload x.so",
                                          "--pmc SQ_WAVES",
                                          "--pmc-groups x",
                                          "--spm x",
                                          "--kernel-include-regex (",
                                          "--mpi-world-rank-variable X",
                                          "--selected-regions",
                                          "--collection-period 1:1:1",
                                          "--att",
                                          "--stats",
                                          "--stats=",
                                          "-f",
                                          "-f none",
                                          "-f csv none",
                                          "-u",
                                          "-u sec msec",
                                          "-u hours",
                                          "--output-format=",
                                          "-r maybe",
                                          "-r=maybe",
                                          "-d",
                                          "-o a b",
                                          "--run",
                                          "--runtime",
                                          "--rank 0",
                                          "--unknown",
                                          "-Z",
                                          "-",
                                          "word",
                                          "--benchmark-mode none",
                                          "--ompt-trace task",
                                          "-P 1:1:1"};
    char line[256];
    (void)state;
    for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++) {
        snprintf(line, sizeof(line), "x --ranks 0 %s -- app", options[i]);
        expect(RANK, line, 0);
        snprintf(line, sizeof(line), "x %s --ranks 0 -- app", options[i]);
        expect(RANK, line, 0);
    }
    expect(RANK " ROCPROF_KERNEL_TRACE=1", "x --ranks 0 -- app", 0);
    expect(RANK " ROCPROF_MPI_RANKS=0", "x -- app", 0);
    expect(RANK " ROCPROFILER_LOG_LEVEL=", "x --ranks 0 -- app", 0);
    expect(RANK " ROCM_PATH=/opt/rocm", "x --ranks 0 -- app", 4);
}

/* The front asks no row for its variable: all have this beginning. */
static void variables_have_one_beginning(void **state)
{
    (void)state;
    for (size_t i = 0; i < TRACE_SET_COUNT; i++)
        if (trace_settings[i].variable) assert_memory_equal(trace_settings[i].variable, "ROCP", 4);
}

/* An option that traces means nothing to a rank that is left out, wherever its row stands. */
static void what_traces_is_plain(void **state)
{
    unsigned count = 0;
    (void)state;
    for (int i = 0; i < CLI_OPTION_COUNT; i++) {
        char line[256];
        const char *end = strstr(trace_settings[i].name, "-trace");
        if (!end || end[strlen("-trace")] || i == CLI_ATT) continue;
        snprintf(line, sizeof(line), "x --%s --stats --ranks 0 -- app", trace_settings[i].name);
        expect(RANK, line, 6);
        count++;
    }
    assert_true(count >= 30);
}

/* Any two options beside --ranks, in either order, with values that are right, empty or wrong. */
static void all_pairs_agree(void **state)
{
    static const char *const values[] = {"", "=yes", "=0", "=csv", "=x:1:2", "="};
    enum { VALUES = sizeof(values) / sizeof(*values) };
    unsigned left_out = 0;
    (void)state;
    for (int i = 0; i < CLI_OPTION_COUNT; i++)
        for (int j = 0; j < CLI_OPTION_COUNT; j++) {
            char line[256], **program, **wanted;
            words_t w;
            snprintf(line, sizeof(line), "x --%s%s --ranks 0 --%s%s -- app", trace_settings[i].name,
                     values[(i + j) % VALUES], trace_settings[j].name,
                     values[(i * 5 + j) % VALUES]);
            split(&w, line);
            set_environment(RANK);
            program = cli_left_out(w.count, w.words, environ);
            if (!program) continue;
            left_out++;
            if (!launcher_leaves_out(&w, &wanted) || program != wanted)
                fail_msg("%s: the launcher does not leave it out", line);
        }
    clearenv();
    assert_true(left_out > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_are_left_out),
        cmocka_unit_test(what_is_no_rank_left_out_is_the_launchers),
        cmocka_unit_test(what_is_doubtful_is_the_launchers),
        cmocka_unit_test(variables_have_one_beginning),
        cmocka_unit_test(what_traces_is_plain),
        cmocka_unit_test(all_pairs_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
