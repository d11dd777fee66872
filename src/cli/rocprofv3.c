/* rocprofv3.c - the command: options, plan, runs, conversion, exit status. Each step has a file of
 * its own; here is only their order. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/env.h"
#include "base/log.h"
#include "base/program.h"
#include "cli/att.h"
#include "cli/ask.h"
#include "cli/attach.h"
#include "cli/clocks.h"
#include "cli/gpu.h"
#include "cli/jobs.h"
#include "cli/launch.h"
#include "cli/options.h"
#include "cli/ranks.h"
#include "cli/session.h"
#include "cli/status_line.h"
#include "cli/subcommands.h"
#include "trace/extra.h"

static void print_version(void)
{
    struct utsname u;
    uname(&u);
    printf("version: %s\nsystem: %s %s\narchitecture: %s\ncompiler: %s\n", CROCPROF_VERSION,
           u.sysname, u.release, u.machine, __VERSION__);
}

static void print_help(void)
{
    cli_print_help();
    /* two blanks follow the longest one: programs that parse the help rely on them */
    int width = 0;
    for (const cli_subcommand_t *c = cli_subcommands; c->name; c++) {
        const int own = (int)(strlen(c->name) + strlen(c->arguments)) + 2;
        if (own > width) width = own;
    }
    printf("\nCommands:\n");
    for (const cli_subcommand_t *c = cli_subcommands; c->name; c++) {
        char left[64];
        snprintf(left, sizeof(left), "%s %s", c->name, c->arguments);
        printf("  %-*s %s\n", width, left, c->help);
    }
    printf("'rocprofv3 COMMAND --help' lists the options of one.\n");
}

static bool level_is(const cli_command_t *c, const char *level)
{
    const char *given = c->values[CLI_LOG_LEVEL];
    return given &&
           (strcmp(given, level) == 0 || strcmp(given, "info") == 0 || strcmp(given, "trace") == 0);
}

static void print_config(const cli_command_t *c)
{
    for (int i = -1; (i = cli_next_given(c, i)) >= 0;)
        fprintf(stderr, "rocprofv3: --%s %s\n", trace_settings[i].name, c->values[i]);
}

static void print_environment(const cli_session_t *s, FILE *f, const char *prefix)
{
    static const char *const ours[] = {"ROCPROF_", "ROCPROFILER_",   "ROCP_",
                                       "ROCTX_",   "HSA_TOOLS_LIB=", "LD_LIBRARY_PATH="};
    for (char **v = environ; *v; v++)
        for (size_t i = 0; i < sizeof(ours) / sizeof(*ours); i++)
            if (strncmp(*v, ours[i], strlen(ours[i])) == 0) fprintf(f, "%s%s\n", prefix, *v);
    if (s->preload) fprintf(f, "%sLD_PRELOAD=%s\n", prefix, s->preload);
}

static void echo(const cli_session_t *s, char **program)
{
    print_environment(s, stdout, "");
    for (char **word = program; word && *word; word++)
        printf("%s%s", word == program ? "" : " ", *word);
    putchar('\n');
}

/* The strings may be part of the environment, which is cleared first. */
static void free_environment(char **saved)
{
    clearenv();
    for (char **v = saved; v && *v; v++)
        free(*v);
    free(saved);
}

/* Returns a copy of the environment, to be restored before every run; NULL without memory. */
static char **save_environment(void)
{
    size_t count = 0;
    while (environ[count])
        count++;
    char **saved = calloc(count + 1, sizeof(*saved));
    for (size_t i = 0; saved && i < count; i++)
        if (!(saved[i] = strdup(environ[i]))) {
            free_environment(saved);
            return NULL;
        }
    return saved;
}

static int restore_environment(char **saved)
{
    clearenv();
    for (char **v = saved; *v; v++)
        if (putenv(*v) != 0) return -1;
    return 0;
}

static bool summarises(const cli_command_t *c)
{
    return cli_is_on(c, CLI_SUMMARY) || cli_is_on(c, CLI_SUMMARY_PER_DOMAIN) ||
           c->values[CLI_SUMMARY_GROUPS];
}

/* If the program has failed, its status is returned and not that of the conversion. */
static int convert(const char *directory, int status)
{
    bool done = cli_convert_run(directory, true) == 0;
    if (cli_interrupted && cli_has_stores(directory)) {
        base_warning("interrupted while converting; what is left: rocprofv3 convert %s", directory);
        return 128 + cli_interrupted;
    }
    if (done || status) return status;
    base_error("the program ended with 0, its conversion failed: status %d", CLI_EXIT_CONVERSION);
    return CLI_EXIT_CONVERSION;
}

/* Warns about options for Perfetto's library, which is not used, if their value is not the
 * default. */
static void tell_perfetto(const cli_command_t *c)
{
    static const struct {
        cli_option_id_t option;
        const char *usual; /* the default; NULL: always warn */
        const char *why;
    } rows[] = {
        {CLI_PERFETTO_BACKEND, "inprocess", "no tracing service is used"},
        {CLI_PERFETTO_BUFFER_SIZE, NULL, "no buffer holds the trace"},
        {CLI_PERFETTO_BUFFER_FILL_POLICY, "discard", "nothing is ever discarded"},
        {CLI_PERFETTO_SHMEM_SIZE_HINT, NULL, "no memory is shared"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        const char *value = c->values[rows[i].option];
        if (!value || (rows[i].usual && strcmp(value, rows[i].usual) == 0)) continue;
        base_warning("--%s %s changes nothing: %s, the trace is written to its file directly",
                     trace_settings[rows[i].option].name, value, rows[i].why);
    }
}

/* Runs the program for a rank that is not profiled. In the last run, this process executes the
 * program itself, since nothing remains to be done after it. */
static int run_bare(cli_run_t *r, const char *path, bool last)
{
    char why[2 * PATH_MAX] = "";
    cli_session_t s;
    pid_t pid;
    int status = cli_session_prepare_bare(&s, &r->command, why, sizeof(why));
    if (status && !why[0]) snprintf(why, sizeof(why), "%s", strerror(ENOMEM));
    if (!status && last)
        status = cli_become(path, r->command.program, s.preload, why, sizeof(why));
    else if (!status)
        status = cli_run(path, r->command.program, s.preload, NULL, &pid, why, sizeof(why));
    if (why[0]) base_error("%s", why);
    cli_session_end(&s);
    return status;
}

/* Prints the error. With CLI_EXIT_USAGE, an empty reason means that it has been printed already
 * (see cli_ask_counters); with other statuses, that there was no memory for it. */
static int refuse(int status, const char *why)
{
    bool told = status == CLI_EXIT_USAGE && !*why;
    if (status && !told) base_error("%s", *why ? why : strerror(ENOMEM));
    return status;
}

/* Runs the program once; `pass` is the number of the run, from 1. */
static int run(cli_run_t *r, const char *path, uint32_t pass)
{
    char why[2 * PATH_MAX] = "";
    cli_command_t *c = &r->command;
    cli_session_t s = {0};
    pid_t pid;
    int status = cli_apply(c, why, sizeof(why));
    /* Faulty definitions have been reported by rocprofv3-avail, when the plan was checked. */
    if (!status && cli_att_check_decoder(c, why, sizeof(why)) != 0) status = CLI_EXIT_USAGE;
    if (!status && c->values[CLI_EXTRA_COUNTERS])
        trace_setting_set(TRACE_SET_EXTRA_COUNTERS_TOLD, "1");
    base_log_init("rocprofv3", "ROCPROF_LOG_LEVEL");
    if (!status) status = cli_session_prepare(&s, c, r->directory, why, sizeof(why));
    if (refuse(status, why)) goto out;
    if (level_is(c, "config")) print_config(c);
    if (level_is(c, "env")) print_environment(&s, stderr, "rocprofv3: ");
    if (cli_is_on(c, CLI_ECHO)) {
        echo(&s, c->program);
        goto out;
    }
    /* no warning if another tool records, or may attach */
    if (!cli_records(c) && !base_env("ROCP_TOOL_LIBRARIES") &&
        !base_env_bool("ROCP_TOOL_ATTACH", false))
        base_warning(
            "no tracing option: the program runs untraced (--sys-trace traces everything)");
    else if (!cli_traces(c) && summarises(c))
        base_warning("no tracing option: there is nothing to summarise (counters have no times)");
    tell_perfetto(c);
    cli_clocks_begin(&s, c, pass);
    if (cli_interrupted) {
        status = 128 + cli_interrupted;
        goto out;
    }
    const char *shown = cli_is_on(c, CLI_PROGRESS) && s.run[0] ? s.run : NULL;
    if (c->values[CLI_PID]) {
        cli_status_line_t *line = shown ? cli_status_line_begin(shown) : NULL;
        status = cli_attach(&s, c, why, sizeof(why));
        cli_status_line_end(line);
    } else {
        status = cli_run(path, c->program, s.preload, shown, &pid, why, sizeof(why));
        cli_clocks_end(&s, c);
    }
    if (why[0]) base_error("%s", why);
    if (s.run[0] && (!why[0] || cli_has_stores(s.run))) status = convert(s.run, status);
out:
    cli_session_end(&s);
    return status;
}

/* Refuses counters that cannot be collected, before the program runs for the first time. */
static int check(cli_plan_t *plan, char **saved, char *why, size_t why_bytes)
{
    for (size_t i = 0; i < plan->count; i++) {
        cli_command_t *c = &plan->runs[i].command;
        if (plan->runs[i].bare || !(cli_counts(c) || cli_streams(c)) || cli_is_on(c, CLI_ECHO))
            continue;
        if (restore_environment(saved) != 0) return CLI_EXIT_SETUP;
        int status = cli_apply(c, why, why_bytes);
        base_log_init("rocprofv3", "ROCPROF_LOG_LEVEL");
        if (!status) status = cli_ask_counters(c, why, why_bytes);
        if (status) return status;
    }
    return 0;
}

static int select_ranks(cli_plan_t *plan, char *why, size_t why_bytes)
{
    for (size_t i = 0; i < plan->count; i++) {
        cli_run_t *r = &plan->runs[i];
        int selected = cli_ranks_select(&r->command, why, why_bytes);
        if (selected < 0) return CLI_EXIT_USAGE;
        if (!selected && level_is(&r->command, "info")) fprintf(stderr, "rocprofv3: %s\n", why);
        r->bare = !selected;
        why[0] = 0;
    }
    return 0;
}

/* Returns whether there is only one run, of a rank that is not profiled. Then this process executes
 * the program itself, and needs no signal handlers. */
static bool is_bare(const cli_plan_t *plan)
{
    return plan->count == 1 && plan->runs[0].bare;
}

/* Makes the plan's runs until one fails. *environment becomes a copy of the environment with which
 * each of them begins, NULL without memory. */
static int make_runs(cli_plan_t *plan, char ***environment)
{
    char why[2 * PATH_MAX] = "", path[PATH_MAX];
    char **program = plan->runs[0].command.program;
    int status = select_ranks(plan, why, sizeof(why));
    /* including the variables that say which ranks are chosen */
    char **saved = *environment = save_environment();
    if (!saved) status = CLI_EXIT_SETUP;
    if (!is_bare(plan)) cli_take_signals();
    if (!status && program)
        status = cli_find_program(program[0], path, sizeof(path), why, sizeof(why));
    if (!status) status = check(plan, saved, why, sizeof(why));
    if (refuse(status, why)) return status;
    for (size_t i = 0; !status && i < plan->count; i++) {
        if (restore_environment(saved) != 0) return refuse(CLI_EXIT_SETUP, "");
        if (plan->count > 1 && base_log_level >= BASE_LOG_WARNING)
            fprintf(stderr, "rocprofv3: run %zu of %zu: %s\n", i + 1, plan->count,
                    plan->runs[i].directory);
        status = plan->runs[i].bare ? run_bare(&plan->runs[i], path, i + 1 == plan->count)
                                    : run(&plan->runs[i], path, (uint32_t)i + 1);
        if (status && i + 1 < plan->count)
            base_error("run %zu of %zu ended with %d: the others are left out", i + 1, plan->count,
                       status);
        else if (!status && cli_interrupted && i + 1 < plan->count) {
            base_error("interrupted after run %zu of %zu: the others are left out", i + 1,
                       plan->count);
            status = 128 + cli_interrupted;
        }
    }
    return status;
}

static int run_plan(cli_plan_t *plan)
{
    char **environment;
    const int status = make_runs(plan, &environment);
    cli_clocks_finish(status);
    free_environment(environment);
    return status;
}

/* Shows the available counters, and goes on if there is a program, too. */
static int list_avail(const cli_command_t *c)
{
    char why[2 * PATH_MAX] = "";
    int status = cli_show_avail(c, why, sizeof(why));
    if (why[0]) base_error("%s", why);
    return status;
}

/* Shows the counters for jobs of an input file with that option. *runs: another job runs a
 * program. */
static int list_of_jobs(const cli_plan_t *plan, bool *runs)
{
    int status = 0;
    *runs = false;
    for (size_t i = 0; i < plan->count; i++)
        *runs |= !cli_is_on(&plan->runs[i].command, CLI_LIST_AVAIL);
    for (size_t i = 0; !status && i < plan->count; i++)
        if (cli_is_on(&plan->runs[i].command, CLI_LIST_AVAIL))
            status = list_avail(&plan->runs[i].command);
    return status;
}

static int no_program(void)
{
    base_error("no program is given: rocprofv3 [options] -- program [arguments]");
    return CLI_EXIT_USAGE;
}

/* Makes the plan's runs; no program is needed if all jobs only show the available counters. */
static int follow_plan(cli_plan_t *plan, const cli_command_t *c)
{
    bool runs = true;
    int status = cli_is_on(c, CLI_LIST_AVAIL) ? 0 : list_of_jobs(plan, &runs);
    if (status) return status;
    if (c->program || c->values[CLI_PID]) return run_plan(plan);
    return runs ? no_program() : 0;
}

static int profile(const cli_command_t *c)
{
    char why[PATH_MAX + 512] = "";
    cli_plan_t plan;
    if (cli_is_on(c, CLI_LIST_AVAIL)) {
        int status = list_avail(c);
        if (status || !c->program) return status;
    }
    if (c->values[CLI_PID]) {
        if (cli_attach_check(c, why, sizeof(why)) != 0) {
            base_error("%s", why);
            return CLI_EXIT_USAGE;
        }
    } else if (!c->program && !c->values[CLI_INPUT])
        return no_program();
    int status = cli_plan(&plan, c, why, sizeof(why)) == 0 ? 0 : CLI_EXIT_USAGE;
    if (status)
        base_error("%s", why);
    else
        status = follow_plan(&plan, c);
    cli_plan_free(&plan);
    return status;
}

/* Executes rocprofv3-doctor with the words that follow. */
static int become_doctor(char **argv)
{
    char why[PATH_MAX], path[PATH_MAX + 32];
    if (cli_find_root(path, NULL, why, sizeof(why)) != 0) {
        base_error("%s", why);
        return CLI_EXIT_SETUP;
    }
    strcat(path, "/bin/rocprofv3-doctor");
    argv[0] = path;
    execv(path, argv);
    base_error("%s: %s: the installation is incomplete", path, strerror(errno));
    return CLI_EXIT_SETUP;
}

int main(int argc, char **argv)
{
    char why[1024];
    cli_command_t c;
    int status = 0;
    base_program_begin("rocprofv3", "ROCPROF_LOG_LEVEL", CLI_EXIT_SETUP);
    const cli_subcommand_t *command = argc > 1 ? cli_subcommand_find(argv[1]) : NULL;
    if (command) return command->run(argc - 1, argv + 1);
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--doctor") == 0) return become_doctor(argv + i);
    if (cli_parse(&c, argc, argv, why, sizeof(why)) != 0) {
        base_error("%s", why);
        status = CLI_EXIT_USAGE;
    } else if (argc == 1 || cli_is_on(&c, CLI_HELP)) {
        print_help();
    } else if (cli_is_on(&c, CLI_VERSION)) {
        print_version();
    } else {
        status = profile(&c);
    }
    cli_command_free(&c);
    return status;
}
