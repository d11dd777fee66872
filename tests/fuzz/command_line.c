/* command_line.c - fuzz target: any words and any environment are a run of rocprofv3 or refused.
 *
 * Words end in a zero byte; those behind an empty one are variables, NAME=value. What is accepted
 * goes all the way that it goes before a program is started: into variables, which their readers
 * take, and into the names of files, keys replaced. A refusal says why in one line. What the front
 * takes for a rank that is left out is that for the launcher, too. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/env.h"
#include "cli/defaults.h"
#include "cli/jobs.h"
#include "cli/left_out.h"
#include "cli/options.h"
#include "cli/ranks.h"
#include "cli/rules.h"
#include "output/config.h"
#include "trace/keys.h"
#include "trace/selection.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { WORDS_MAX = 64, VARIABLES_MAX = 64, WHY_BYTES = 2048 };

typedef struct {
    char *text; /* what the words point into */
    char *argv[WORDS_MAX + 2];
    int argc;
    char *variables[VARIABLES_MAX + 1];
    size_t variable_count;
} input_t;

static char why[WHY_BYTES];

static void split(input_t *in, const uint8_t *data, size_t size)
{
    bool words = true;
    in->text = malloc(size + 1);
    if (!in->text) abort();
    memcpy(in->text, data, size);
    in->text[size] = 0;
    in->argv[in->argc++] = (char *)(uintptr_t) "rocprofv3";
    for (char *at = in->text; at < in->text + size; at += strlen(at) + 1) {
        if (words && !*at)
            words = false;
        else if (words && in->argc <= WORDS_MAX)
            in->argv[in->argc++] = at;
        else if (!words && strchr(at, '=') && *at != '=' && in->variable_count < VARIABLES_MAX)
            in->variables[in->variable_count++] = at;
    }
}

/* A refusal without a word would leave its reader alone. */
static bool refused(bool is)
{
    if (is && !*why) abort();
    why[WHY_BYTES - 1] = 0;
    return is;
}

static const char *variable(const void *from, const char *name)
{
    (void)from;
    return base_env(name);
}

static void read_back(void)
{
    out_config_t config;
    trace_selection_t selection;
    trace_sets_t sets;
    bool bad = out_config_read(&config, variable, NULL, why, sizeof(why)) != 0;
    out_config_free(&config);
    if (refused(bad)) return;
    bad = trace_selection_read(&selection, base_env("ROCPROF_KERNEL_FILTER_INCLUDE_REGEX"),
                               base_env("ROCPROF_KERNEL_FILTER_EXCLUDE_REGEX"),
                               base_env("ROCPROF_KERNEL_FILTER_RANGE"), why, sizeof(why)) != 0;
    trace_selection_free(&selection);
    refused(bad);
    bad = trace_sets_read(&sets, base_env("ROCPROF_COUNTER_GROUPS"), why, sizeof(why)) != 0;
    trace_sets_free(&sets);
    refused(bad);
}

static void expand(const cli_command_t *c, cli_option_id_t option)
{
    char path[TRACE_PATH_MAX];
    trace_keys_t keys = {.pid = 7,
                         .ppid = 6,
                         .pgid = 5,
                         .sid = 4,
                         .launch = 1700000000,
                         .hostname = "host",
                         .cwd = "/tmp",
                         .env = base_env};
    if (c->program) trace_keys_of_command(&keys, c->program);
    if (c->values[option])
        refused(trace_keys_expand(&keys, c->values[option], path, sizeof(path), why, sizeof(why)) !=
                0);
}

static void prepare(cli_command_t *c)
{
    if (refused(cli_take_environment(c, why, sizeof(why)) != 0)) return;
    if (refused(cli_rules_check(c, why, sizeof(why)) != 0)) return;
    if (refused(cli_ranks_check(c, why, sizeof(why)) != 0)) return;
    if (refused(cli_ranks_select(c, why, sizeof(why)) <= 0)) return;
    if (refused(cli_apply(c, why, sizeof(why)) != 0)) return;
    read_back();
    expand(c, CLI_OUTPUT_FILE);
    expand(c, CLI_OUTPUT_DIRECTORY);
}

/* Options that show something, or that make more of a command than one run. */
static bool only_runs(const cli_command_t *c)
{
    return !cli_is_on(c, CLI_HELP) && !cli_is_on(c, CLI_VERSION) && !cli_is_on(c, CLI_LIST_AVAIL) &&
           !c->values[CLI_PID] && !c->values[CLI_INPUT] && !c->values[CLI_DOCTOR] &&
           !c->values[CLI_LOG_LEVEL] && !c->values[CLI_GPU];
}

/* Does what the launcher does with a rank that the front has left out. */
static void agree(const input_t *in, char **program)
{
    cli_command_t c;
    cli_plan_t plan;
    if (cli_parse(&c, in->argc, (char **)(uintptr_t)in->argv, why, sizeof(why)) != 0) abort();
    if (c.program != program || !only_runs(&c)) abort();
    if (cli_plan(&plan, &c, why, sizeof(why)) != 0 || plan.count != 1) abort();
    if (cli_ranks_select(&plan.runs[0].command, why, sizeof(why)) != 0) abort();
    cli_plan_free(&plan);
    cli_command_free(&c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input_t in = {0};
    cli_command_t c;
    split(&in, data, size);
    why[0] = 0;
    clearenv();
    for (size_t i = 0; i < in.variable_count; i++) {
        char *value = strchr(in.variables[i], '=');
        *value = 0;
        if (setenv(in.variables[i], value + 1, 1) != 0) abort();
    }
    char *none[] = {NULL}, **program = cli_left_out(in.argc, in.argv, environ ? environ : none);
    if (program) agree(&in, program);
    if (!refused(cli_parse(&c, in.argc, in.argv, why, sizeof(why)) != 0)) prepare(&c);
    cli_command_free(&c);
    clearenv();
    free(in.text);
    return 0;
}
