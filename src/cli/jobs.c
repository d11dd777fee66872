/* jobs.c - see jobs.h. It merges the options of command line and job, and refuses
 * contradictions. */
#include "cli/jobs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "cli/att.h"
#include "cli/defaults.h"
#include "cli/periods.h"
#include "cli/ranks.h"
#include "cli/rules.h"
#include "trace/selection.h"

#define REFUSE(...) (snprintf(why, why_bytes, __VA_ARGS__), -1)

static int copy_value(cli_command_t *to, int option, const char *value, size_t bytes, char *why,
                      size_t why_bytes)
{
    to->values[option] = strndup(value, bytes);
    return to->values[option] ? 0 : REFUSE("%s", strerror(ENOMEM));
}

static bool replays_kernels(const cli_command_t *c)
{
    const char *mode = c->values[CLI_REPLAY_MODE];
    return mode && strcmp(mode, "kernel") == 0;
}

static int check_periods(const cli_command_t *c, char *why, size_t why_bytes)
{
    const char *words = c->values[CLI_COLLECTION_PERIOD];
    char *list =
        words ? cli_periods(words, c->values[CLI_COLLECTION_PERIOD_UNIT], why, why_bytes) : NULL;
    free(list);
    return list || !words ? 0 : -1;
}

/* Checks PC sampling. Scripts search the output for the words "PC sampling unavailable", which
 * AMD's rocprofv3 prints. */
static int check_sampling(const cli_command_t *c, char *why, size_t why_bytes)
{
    const char *interval = c->values[CLI_PC_SAMPLING_INTERVAL];
    if (c->values[CLI_PC_SAMPLING_METHOD] && !cli_is_on(c, CLI_PC_SAMPLING_BETA_ENABLED))
        return REFUSE("PC sampling unavailable: it needs --pc-sampling-beta-enabled");
    if (interval && strspn(interval, "0") == strlen(interval))
        return REFUSE("--pc-sampling-interval: '%s': no interval", interval);
    return 0;
}

static int check_streams(const cli_command_t *c, char *why, size_t why_bytes)
{
    trace_sets_t sets = {0};
    char *text;
    if (!cli_streams(c)) return 0;
    if (asprintf(&text, "spm: %s", c->values[CLI_SPM]) < 0) return REFUSE("%s", strerror(ENOMEM));
    for (char *at = text; *at; at++)
        if (*at == '\n') *at = ' ';
    int result = trace_streams_read(&sets, text, why, why_bytes);
    trace_sets_free(&sets);
    free(text);
    return result;
}

/* Checks the options of a run together, before the program runs for the first time. */
static int check(const cli_command_t *c, char *why, size_t why_bytes)
{
    trace_selection_t selection;
    const char *range = c->values[CLI_KERNEL_ITERATION_RANGE];
    if (cli_rules_check(c, why, why_bytes) != 0 || cli_ranks_check(c, why, why_bytes) != 0)
        return -1;
    if (cli_is_on(c, CLI_STATS) && !cli_traces(c))
        return REFUSE("--stats needs a tracing option (--sys-trace traces everything)");
    int result = trace_selection_read(&selection, c->values[CLI_KERNEL_INCLUDE_REGEX],
                                      c->values[CLI_KERNEL_EXCLUDE_REGEX], range, why, why_bytes);
    trace_selection_free(&selection);
    if (result != 0) return -1;
    for (int i = CLI_PMC; i <= CLI_PMC_GROUPS; i++) {
        trace_sets_t sets = {0};
        char *text = NULL, *rest = c->values[i] ? strdup(c->values[i]) : NULL, *all = rest;
        for (char *line; result == 0 && (line = strsep(&rest, "\n"));) {
            if (asprintf(&text, "pmc: %s", line) < 0) text = NULL;
            result = trace_sets_read(&sets, text, why, why_bytes);
            trace_sets_free(&sets);
            free(text);
        }
        free(all);
        if (result != 0) return -1;
    }
    return check_periods(c, why, why_bytes) || cli_att_check(c, why, why_bytes) ||
                   check_sampling(c, why, why_bytes) || check_streams(c, why, why_bytes)
               ? -1
               : 0;
}

/* Merges the options of the command line and of the job; an option in both must have the same
 * value. Options in neither are taken from the environment. */
static int merge(cli_command_t *to, const cli_command_t *c, const cli_command_t *job,
                 const char *pmc, size_t pmc_bytes, const char *input, char *why, size_t why_bytes)
{
    memset(to, 0, sizeof(*to));
    to->program = c->program;
    for (int i = 0; i < CLI_OPTION_COUNT; i++) {
        const char *from = c->values[i], *other = job ? job->values[i] : NULL;
        if (i == CLI_PMC && pmc) {
            if (copy_value(to, i, pmc, pmc_bytes, why, why_bytes) != 0) return -1;
            continue;
        }
        if (from && other && strcmp(from, other) != 0)
            return REFUSE("%s:%u: --%s is '%s' here and '%s' on the command line", input,
                          job->lines[i], trace_settings[i].name, other, from);
        if (!from) from = other;
        if (from && copy_value(to, i, from, strlen(from), why, why_bytes) != 0) return -1;
        if (other) to->lines[i] = job->lines[i];
    }
    if (cli_take_environment(to, why, why_bytes) != 0) return -1;
    return check(to, why, why_bytes);
}

static cli_run_t *add_run(cli_plan_t *plan)
{
    if (!BASE_GROW_BY_ONE(plan->runs, plan->count)) return NULL;
    memset(&plan->runs[plan->count], 0, sizeof(*plan->runs));
    return &plan->runs[plan->count++];
}

static int plan_jobs(cli_plan_t *plan, const cli_command_t *c, const cli_jobs_t *jobs, char *why,
                     size_t why_bytes)
{
    const char *input = c->values[CLI_INPUT];
    for (size_t i = 0; i < jobs->count; i++) {
        cli_run_t *run = add_run(plan);
        if (!run) return REFUSE("%s", strerror(ENOMEM));
        if (merge(&run->command, c, &jobs->jobs[i], NULL, 0, input, why, why_bytes) != 0) return -1;
        if (jobs->count > 1 || run->command.values[CLI_PMC])
            snprintf(run->directory, sizeof(run->directory), "%s%zu", jobs->directory, i + 1);
    }
    return 0;
}

/* Plans a run for each --pmc, or one run for all if kernels are replayed. */
static int plan_groups(cli_plan_t *plan, const cli_command_t *c, char *why, size_t why_bytes)
{
    const char *groups = c->values[CLI_PMC];
    bool together = replays_kernels(c);
    bool several = groups && strchr(groups, '\n') && !together;
    do {
        size_t bytes = groups ? strcspn(groups, together ? "" : "\n") : 0;
        cli_run_t *run = add_run(plan);
        if (!run) return REFUSE("%s", strerror(ENOMEM));
        if (merge(&run->command, c, NULL, groups, bytes, NULL, why, why_bytes) != 0) return -1;
        if (several) snprintf(run->directory, sizeof(run->directory), "pass_%zu", plan->count);
        groups = groups && groups[bytes] ? groups + bytes + 1 : NULL;
    } while (groups);
    return 0;
}

int cli_plan(cli_plan_t *plan, const cli_command_t *c, char *why, size_t why_bytes)
{
    *plan = (cli_plan_t){0};
    if (!c->values[CLI_INPUT]) return plan_groups(plan, c, why, why_bytes);
    if (c->values[CLI_PMC] && strchr(c->values[CLI_PMC], '\n'))
        return REFUSE("several --pmc and an input file exclude each other");
    cli_jobs_t jobs;
    int result = cli_input_read(&jobs, c->values[CLI_INPUT], why, why_bytes);
    if (result == 0) result = plan_jobs(plan, c, &jobs, why, why_bytes);
    cli_jobs_free(&jobs);
    return result;
}

void cli_plan_free(cli_plan_t *plan)
{
    for (size_t i = 0; i < plan->count; i++)
        cli_command_free(&plan->runs[i].command);
    free(plan->runs);
    *plan = (cli_plan_t){0};
}
