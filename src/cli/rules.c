/* rules.c - see rules.h. It is apart from the parser, which handles one option at a time. The rules
 * are rows of trace/settings.def (trace_rule_t), which are only interpreted here. */
#include "cli/rules.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define REFUSE(...) (snprintf(why, why_bytes, __VA_ARGS__), -1)

/* A word of a rule, with the state of its option. */
typedef struct {
    char shown[64]; /* as shown in messages */
    bool given, on; /* `on`: the option is given, and is neither "no" nor 0 */
} word_t;

/* Reads the next word, and determines whether its option is on, with its value if it has one.
 * Returns false at the end of the list. */
static bool next_word(const cli_command_t *c, const char **list, word_t *word)
{
    char name[48];
    if (!*list || !**list) return false;
    snprintf(name, sizeof(name), "%.*s", (int)strcspn(*list, " "), *list);
    *list += strlen(name);
    *list += strspn(*list, " ");
    const char *hyphens = strchr(name, '_') ? "" : "--";
    char *value = strchr(name, '=');
    if (value) *value++ = 0;
    snprintf(word->shown, sizeof(word->shown), "%s%s%s%s", hyphens, name, value ? " " : "",
             value ? value : "");
    for (char *at = name; *at; at++)
        if (*at == '_') *at = '-';
    const int option = cli_find_option(name, strlen(name));
    word->given =
        option >= 0 && c->values[option] && (!value || strcasecmp(c->values[option], value) == 0);
    word->on = word->given && cli_is_on(c, (cli_option_id_t)option);
    return true;
}

/* Finds the first word of the list whose option is on. */
static bool find_on(const cli_command_t *c, const char *list, word_t *word)
{
    while (next_word(c, &list, word))
        if (word->on) return true;
    return false;
}

static int check_exclusion(const cli_command_t *c, const trace_rule_t *rule, char *why,
                           size_t why_bytes)
{
    const char *reason = rule->reason;
    word_t word, other;
    if (!find_on(c, rule->options, &word) || !find_on(c, rule->others, &other)) return 0;
    return REFUSE("%s and %s exclude each other%s%s", word.shown, other.shown, reason ? ": " : "",
                  reason ? reason : "");
}

static int check_need(const cli_command_t *c, const trace_rule_t *rule, char *why, size_t why_bytes)
{
    const char *others = rule->others;
    word_t word, other;
    if (!find_on(c, rule->options, &word) || find_on(c, others, &other)) return 0;
    next_word(c, &others, &other);
    return REFUSE("%s needs %s", word.shown, other.shown);
}

static int check_together(const cli_command_t *c, const trace_rule_t *rule, char *why,
                          size_t why_bytes)
{
    char all[256] = "";
    size_t used = 0;
    bool given = false;
    word_t word, missing = {.given = true};
    for (const char *rest = rule->options; next_word(c, &rest, &word);) {
        const char *gap = !used ? "" : *rest ? ", " : " and ";
        used += (size_t)snprintf(all + used, sizeof(all) - used, "%s%s", gap, word.shown);
        given |= word.given;
        if (!word.given) missing = word;
    }
    if (!given || missing.given) return 0;
    return REFUSE("%s need each other: %s is missing", all, missing.shown);
}

int cli_rules_check(const cli_command_t *c, char *why, size_t why_bytes)
{
    static int (*const checks[])(const cli_command_t *, const trace_rule_t *, char *,
                                 size_t) = {[TRACE_TOGETHER] = check_together,
                                            [TRACE_NEEDS] = check_need,
                                            [TRACE_EXCLUDES] = check_exclusion};
    for (size_t i = 0; i < trace_rule_count; i++)
        if (checks[trace_rules[i].relation](c, &trace_rules[i], why, why_bytes) != 0) return -1;
    return 0;
}
