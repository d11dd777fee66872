/* defaults.c - see defaults.h.
 *
 * Variables that only select outputs are checked by their reader (output/config.h), before the
 * program runs. Here are the variables that decide what is collected, and the formats. */
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

/* Sets an option as if given on the command line; error messages name the variable. */
static int set(cli_command_t *c, size_t option, const char *word, char *why, size_t why_bytes)
{
    const char *variable = trace_settings[option].variable;
    char problem[512];
    if (cli_set(c, option, &word, 1, problem, sizeof(problem)) == 0) return 0;
    return REFUSE("%s=%s in the environment: %s", variable, base_env(variable), problem);
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

/* Sets the option to words that were read from its variable; NULL means that there was no
 * memory. */
static int give_words(cli_command_t *c, size_t option, char *words, char *why, size_t why_bytes)
{
    const int result =
        words ? set(c, option, words, why, why_bytes) : REFUSE("%s", strerror(ENOMEM));
    free(words);
    return result;
}

static int take_counters(cli_command_t *c, char *why, size_t why_bytes)
{
    if (cli_counts(c) || !trace_setting_on(TRACE_SET_COUNTER_COLLECTION)) return 0;
    const size_t option = trace_setting_given(TRACE_SET_PMC) ? CLI_PMC : CLI_PMC_GROUPS;
    const char *variable = trace_settings[option].variable;
    char problem[512];
    trace_sets_t sets;
    int result = 0;
    if (trace_sets_read(&sets, base_env(variable), problem, sizeof(problem)) != 0)
        result = REFUSE("%s in the environment: %s", variable, problem);
    for (size_t i = 0; result == 0 && i < sets.count; i++)
        result = give_words(c, option, words_of(&sets.sets[i]), why, why_bytes);
    trace_sets_free(&sets);
    if (result != 0 || cli_counts(c)) return result;
    return REFUSE("ROCPROF_COUNTER_COLLECTION is set in the environment, but neither "
                  "ROCPROF_COUNTERS nor ROCPROF_COUNTER_GROUPS names counters");
}

static int take_streams(cli_command_t *c, char *why, size_t why_bytes)
{
    const char *variable = trace_settings[CLI_SPM].variable;
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
    if (result == 0) result = give_words(c, CLI_SPM, words_of(&sets.sets[0]), why, why_bytes);
    trace_sets_free(&sets);
    return result;
}

/* Returns the value of the option's variable, if the option is not given; NULL if there is none. */
static const char *wanted(const cli_command_t *c, cli_option_id_t option)
{
    return c->values[option] ? NULL : trace_setting_given((trace_setting_id_t)option);
}

/* Takes an option whose variable may be "none". */
static int take_choice(cli_command_t *c, cli_option_id_t option, char *why, size_t why_bytes)
{
    const char *value = wanted(c, option);
    if (!value || strcasecmp(value, "none") == 0) return 0;
    return set(c, option, value, why, why_bytes);
}

/* Takes the options for sampling. The variables for its method count only if the environment also
 * turns sampling on. */
static int take_sampling(cli_command_t *c, char *why, size_t why_bytes)
{
    static const cli_option_id_t options[] = {CLI_PC_SAMPLING_METHOD, CLI_PC_SAMPLING_UNIT,
                                              CLI_PC_SAMPLING_INTERVAL};
    for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++) {
        if (take_choice(c, options[i], why, why_bytes) != 0) return -1;
        if (!c->values[CLI_PC_SAMPLING_METHOD]) return 0;
    }
    return 0;
}

/* Takes an option. A value that means no is not taken, since the variable's reader understands it,
 * and so that -s can still turn the option on. */
static int take(cli_command_t *c, cli_option_id_t option, char *why, size_t why_bytes)
{
    const trace_setting_t *s = &trace_settings[option];
    const char *value = wanted(c, option);
    if (!value) return 0;
    if (s->form == TRACE_FORM_BOOL || s->form == TRACE_FORM_NOT)
        return trace_setting_on((trace_setting_id_t)option) ? set(c, option, "1", why, why_bytes)
                                                            : 0;
    return s->from_variable ? set(c, option, value, why, why_bytes) : 0;
}

int cli_take_environment(cli_command_t *c, char *why, size_t why_bytes)
{
    for (int i = 0; i < CLI_OPTION_COUNT; i++)
        if (take(c, (cli_option_id_t)i, why, why_bytes) != 0) return -1;
    if (cli_check_formats(trace_setting_given(TRACE_SET_OUTPUT_FORMAT), why, why_bytes) != 0)
        return -1;
    if (take_sampling(c, why, why_bytes) != 0 ||
        take_choice(c, CLI_BENCHMARK_MODE, why, why_bytes) != 0)
        return -1;
    return take_counters(c, why, why_bytes) || take_streams(c, why, why_bytes) ? -1 : 0;
}
