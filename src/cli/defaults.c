/* defaults.c - see defaults.h.
 *
 * Variables that only choose among outputs are checked by their reader (output/config.h), before
 * the program runs. Here are those that decide what is collected, and formats. */
#include "cli/defaults.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/env.h"
#include "trace/selection.h"
#include "trace/settings.h"

#define REFUSE(...) (snprintf(why, why_bytes, __VA_ARGS__), -1)

static const char *value_of(const char *variable)
{
    const char *value = variable ? base_env(variable) : NULL;
    return value && *value ? value : NULL;
}

/* Sets an option as if given on the command line; error messages name the variable. */
static int set(cli_command_t *c, size_t option, const char *variable, const char *const *words,
               size_t count, char *why, size_t why_bytes)
{
    char problem[512];
    if (cli_set(c, option, words, count, problem, sizeof(problem)) == 0) return 0;
    return REFUSE("%s=%s in the environment: %s", variable, base_env(variable), problem);
}

/* A variable that says no is left alone, since its reader understands it, and so that -s can still
 * say yes. */
static int take_bool(cli_command_t *c, size_t option, char *why, size_t why_bytes)
{
    static const char *const yes = "1";
    const trace_setting_t *o = &trace_settings[option];
    bool opposite = o->form == TRACE_FORM_NOT;
    if (base_env_bool(o->variable, opposite) == opposite) return 0;
    return set(c, option, o->variable, &yes, 1, why, why_bytes);
}

int cli_check_formats(const char *value, char *why, size_t why_bytes)
{
    const char *words[16];
    char *copy = value ? strdup(value) : NULL, problem[256];
    cli_command_t found = {0};
    size_t count = 0;
    int result = value && !copy ? REFUSE("%s", strerror(ENOMEM)) : 0;
    for (char *rest = copy, *word; result == 0 && (word = strsep(&rest, " ,;:"));)
        if (*word && count < sizeof(words) / sizeof(*words)) words[count++] = word;
    if (result == 0 && count &&
        cli_set(&found, CLI_OUTPUT_FORMAT, words, count, problem, sizeof(problem)) != 0)
        result = REFUSE("%s=%s: %s", trace_settings[CLI_OUTPUT_FORMAT].variable, value, problem);
    free(copy);
    cli_command_free(&found);
    return result;
}

/* Joins the words of one set, as in "A B:device=1". */
static char *words_of(const trace_set_t *set)
{
    char *text = NULL, *longer;
    for (size_t i = 0; i < set->count; i++) {
        const trace_wanted_t *w = &set->counters[i];
        const char *before = text ? text : "", *gap = text ? " " : "";
        int n = w->device == TRACE_ALL_DEVICES
                    ? asprintf(&longer, "%s%s%s", before, gap, w->name)
                    : asprintf(&longer, "%s%s%s:device=%d", before, gap, w->name, w->device);
        free(text);
        if (n < 0) return NULL;
        text = longer;
    }
    return text;
}

static int take_sets(cli_command_t *c, size_t option, const char *variable, char *why,
                     size_t why_bytes)
{
    char problem[512];
    trace_sets_t sets;
    int result = 0;
    if (trace_sets_read(&sets, base_env(variable), problem, sizeof(problem)) != 0)
        result = REFUSE("%s in the environment: %s", variable, problem);
    for (size_t i = 0; result == 0 && i < sets.count; i++) {
        char *words = words_of(&sets.sets[i]);
        const char *word = words;
        result = words ? set(c, option, variable, &word, 1, why, why_bytes)
                       : REFUSE("%s", strerror(ENOMEM));
        free(words);
    }
    trace_sets_free(&sets);
    return result;
}

static int take_counters(cli_command_t *c, char *why, size_t why_bytes)
{
    if (cli_counts(c) || !trace_setting_on(TRACE_SET_COUNTER_COLLECTION)) return 0;
    bool one = value_of("ROCPROF_COUNTERS");
    size_t option = one ? CLI_PMC : CLI_PMC_GROUPS;
    const char *variable = one ? "ROCPROF_COUNTERS" : "ROCPROF_COUNTER_GROUPS";
    if (take_sets(c, option, variable, why, why_bytes) != 0) return -1;
    if (cli_counts(c)) return 0;
    return REFUSE("ROCPROF_COUNTER_COLLECTION is set in the environment, but neither "
                  "ROCPROF_COUNTERS nor ROCPROF_COUNTER_GROUPS names counters");
}

static int take_streams(cli_command_t *c, char *why, size_t why_bytes)
{
    static const char variable[] = "ROCPROF_SPM_COUNTERS";
    char problem[512];
    trace_sets_t sets;
    int result = 0;
    if (cli_streams(c) || !trace_setting_on(TRACE_SET_SPM_COUNTER_COLLECTION)) return 0;
    if (trace_streams_read(&sets, base_env(variable), problem, sizeof(problem)) != 0)
        result = REFUSE("%s in the environment: %s", variable, problem);
    else if (sets.count != 1)
        result = REFUSE("ROCPROF_SPM_COUNTER_COLLECTION is set in the environment, but %s names "
                        "%s counters",
                        variable, sets.count ? "several sets of" : "no");
    char *words = result == 0 ? words_of(&sets.sets[0]) : NULL;
    const char *word = words;
    if (result == 0)
        result = words ? set(c, CLI_SPM, variable, &word, 1, why, why_bytes)
                       : REFUSE("%s", strerror(ENOMEM));
    free(words);
    trace_sets_free(&sets);
    return result;
}

static int take_benchmark(cli_command_t *c, char *why, size_t why_bytes)
{
    const char *variable = trace_settings[CLI_BENCHMARK_MODE].variable, *value = value_of(variable);
    if (c->values[CLI_BENCHMARK_MODE] || !value || strcasecmp(value, "none") == 0) return 0;
    return set(c, CLI_BENCHMARK_MODE, variable, &value, 1, why, why_bytes);
}

/* The variables for the method of sampling count only if the environment also turns sampling on. */
static int take_sampling(cli_command_t *c, char *why, size_t why_bytes)
{
    static const cli_option_id_t options[] = {CLI_PC_SAMPLING_METHOD, CLI_PC_SAMPLING_UNIT,
                                              CLI_PC_SAMPLING_INTERVAL};
    for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++) {
        const char *variable = trace_settings[options[i]].variable, *value = value_of(variable);
        const bool none = !value || strcasecmp(value, "none") == 0;
        if (!c->values[options[i]] && !none &&
            set(c, options[i], variable, &value, 1, why, why_bytes) != 0)
            return -1;
        if (!c->values[CLI_PC_SAMPLING_METHOD]) return 0;
    }
    return 0;
}

/* The variable of an option that was not given. */
static int take(cli_command_t *c, size_t option, char *why, size_t why_bytes)
{
    const trace_setting_t *s = &trace_settings[option];
    const char *value = value_of(s->variable);
    if (c->values[option] || !value) return 0;
    if (s->form == TRACE_FORM_BOOL || s->form == TRACE_FORM_NOT)
        return take_bool(c, option, why, why_bytes);
    return s->taken ? set(c, option, s->variable, &value, 1, why, why_bytes) : 0;
}

int cli_take_environment(cli_command_t *c, char *why, size_t why_bytes)
{
    for (size_t i = 0; i < CLI_OPTION_COUNT; i++)
        if (take(c, i, why, why_bytes) != 0) return -1;
    if (cli_check_formats(value_of(trace_settings[CLI_OUTPUT_FORMAT].variable), why, why_bytes) !=
        0)
        return -1;
    if (take_sampling(c, why, why_bytes) != 0 || take_benchmark(c, why, why_bytes) != 0) return -1;
    return take_counters(c, why, why_bytes) || take_streams(c, why, why_bytes) ? -1 : 0;
}
