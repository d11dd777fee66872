/* options.c - see options.h. The parser, which is driven by the table of option-table.c; and what
 * is made of the values: variables of the program's environment, and help. */
#include "cli/options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/words.h"
#include "cli/att.h"
#include "cli/input.h"
#include "cli/launch.h"
#include "cli/periods.h"
#include "trace/extra.h"

typedef struct {
    cli_command_t *c;
    int argc, next;
    char **argv;
    char *why;
    size_t why_bytes;
} parser_t;

enum { WORDS_MAX = 1024 };

#define REFUSE(p, ...) (snprintf((p)->why, (p)->why_bytes, __VA_ARGS__), -1)

/* Edit distance of two words, for suggestions; words are short. */
static unsigned distance(const char *a, const char *b)
{
    enum { WORD_MAX = 40 };
    unsigned row[WORD_MAX + 1];
    size_t columns = strnlen(b, WORD_MAX);
    for (size_t j = 0; j <= columns; j++)
        row[j] = (unsigned)j;
    for (size_t i = 0; a[i] && i < WORD_MAX; i++) {
        unsigned corner = row[0]++;
        for (size_t j = 0; j < columns; j++) {
            unsigned replaced = corner + (a[i] != b[j]);
            corner = row[j + 1];
            unsigned least = row[j] < corner ? row[j] + 1 : corner + 1;
            row[j + 1] = replaced < least ? replaced : least;
        }
    }
    return row[columns];
}

static const cli_option_t *find_nearest(const char *name)
{
    const cli_option_t *nearest = NULL;
    unsigned least = 4; /* names with a larger distance are not similar */
    for (size_t i = 0; i < cli_option_rows; i++) {
        unsigned d = distance(name, cli_options[i].name);
        if (d >= least) continue;
        least = d;
        nearest = &cli_options[i];
    }
    return nearest;
}

static int unknown_option(parser_t *p, const char *word)
{
    const cli_option_t *nearest = find_nearest(word + strspn(word, "-"));
    if (nearest) return REFUSE(p, "unknown option '%s': did you mean --%s?", word, nearest->name);
    return REFUSE(p, "unknown option '%s': see --help", word);
}

/* Is `word` one of the choices, which are separated by blanks, in any case? `found` gets its
 * spelling in the list. */
static bool among(const char *choices, const char *word, char found[32])
{
    size_t bytes = strlen(word);
    for (const char *at = choices; *at; at += strspn(at, " ")) {
        size_t length = strcspn(at, " ");
        if (length == bytes && bytes < 32 && strncasecmp(at, word, bytes) == 0) {
            memcpy(found, at, bytes);
            found[bytes] = 0;
            return true;
        }
        at += length;
    }
    return false;
}

static int keep(parser_t *p, size_t option, const char *value)
{
    char *copy = strdup(value);
    if (!copy) return REFUSE(p, "%s", strerror(ENOMEM));
    free(p->c->values[option]);
    p->c->values[option] = copy;
    return 0;
}

/* The next word; NULL if it is an option or there is none. */
static const char *next_word(parser_t *p)
{
    if (p->next >= p->argc) return NULL;
    const char *word = p->argv[p->next];
    if (word[0] == '-' && word[1]) return NULL;
    p->next++;
    return word;
}

/* From here on: checks for words both of the command line and of input files. */
static int set_bool(parser_t *p, size_t option, const char *const *words, size_t count)
{
    int value = count ? base_truth(words[0]) : 1;
    if (value < 0 || count > 1)
        return REFUSE(p, "--%s: '%s' is no truth value (yes, no, true, false, on, off, 1, 0)",
                      cli_options[option].name, words[count > 1]);
    return keep(p, option, value ? "1" : "0");
}

/* A whole number, in decimal or hexadecimal; kept in decimal. */
static int set_integer(parser_t *p, size_t option, const char *word)
{
    char digits[32];
    uint64_t value;
    if (!base_number(word, 0, UINT64_MAX, &value))
        return REFUSE(p, "--%s: '%s' is no whole number", cli_options[option].name, word);
    snprintf(digits, sizeof(digits), "%" PRIu64, value);
    return keep(p, option, digits);
}

static int check_number(parser_t *p, size_t option, const char *word)
{
    const char *name = cli_options[option].name;
    if (!*word || strspn(word, "0123456789") != strlen(word) || strlen(word) >= 16)
        return REFUSE(p, "--%s: '%s' is no whole number", name, word);
    if (option == CLI_PMC_GROUP_INTERVAL && strspn(word, "0") == strlen(word))
        return REFUSE(p, "--%s: '%s': a group's turn is one dispatch at least", name, word);
    return 0;
}

static int set_one(parser_t *p, size_t option, const char *const *words, size_t count)
{
    const cli_option_t *o = &cli_options[option];
    char found[32];
    if (!count) return REFUSE(p, "--%s needs a value (%s)", o->name, o->values);
    if (count > 1) return REFUSE(p, "--%s takes one value (%s)", o->name, o->values);
    const char *word = words[0];
    if (o->form == CLI_INTEGER) return set_integer(p, option, word);
    if (o->form == CLI_NUMBER && check_number(p, option, word) != 0) return -1;
    if (o->form == CLI_CHOICE) {
        if (!among(o->values, word, found))
            return REFUSE(p, "--%s: '%s' is none of: %s", o->name, word, o->values);
        word = found;
    }
    return keep(p, option, word);
}

static int refuse_choice(parser_t *p, const cli_option_t *o, const char *word)
{
    char found[32];
    bool format = o == &cli_options[CLI_OUTPUT_FORMAT];
    if (format && among("otf2", word, found))
        return REFUSE(p, "--output-format: %s is not written here; there are: %s", found,
                      o->values);
    return REFUSE(p, "--%s: '%s' is none of: %s", o->name, word, o->values);
}

/* Copies the groups given before, one on each line, to `all`. Words may be separated by commas or
 * blanks. */
static int begin_group(parser_t *p, size_t option, char *all, size_t bytes)
{
    const char *before = p->c->values[option];
    if (!before) return 0;
    int n = snprintf(all, bytes, "%s\n", before);
    return (size_t)n < bytes ? n : REFUSE(p, "--%s: values are too long", cli_options[option].name);
}

/* NAME:device=0,device=1 is one word, despite its comma. */
static bool names_device(const char *text)
{
    return strncmp(text, "device=", strlen("device=")) == 0;
}

static int set_list(parser_t *p, size_t option, const char *const *words, size_t count)
{
    const cli_option_t *o = &cli_options[option];
    char all[32768] = "", found[32];
    bool groups = o->form == CLI_GROUPS;
    if (!count) return REFUSE(p, "--%s needs at least one value (%s)", o->name, o->values);
    int before = groups ? begin_group(p, option, all, sizeof(all)) : 0;
    if (before < 0) return -1;
    size_t used = (size_t)before;
    for (size_t i = 0; i < count; i++) {
        const char *word = words[i];
        if (o->form == CLI_CHOICES || o->form == CLI_PARTS) {
            if (!among(o->values, word, found)) return refuse_choice(p, o, word);
            word = found;
        }
        const char *between = i == 0 ? "" : !groups ? "\n" : names_device(word) ? "," : " ";
        size_t start = used;
        used += (size_t)snprintf(all + used, sizeof(all) - used, "%s%s", between, word);
        if (used >= sizeof(all)) return REFUSE(p, "--%s: values are too long", o->name);
        for (; groups && start < used; start++)
            if (all[start] == '\n' || (all[start] == ',' && !names_device(all + start + 1)))
                all[start] = ' ';
    }
    if (groups && strspn(all + before, " ") == strlen(all + before))
        return REFUSE(p, "--%s needs at least one value (%s)", o->name, o->values);
    return keep(p, option, all);
}

/* The whole of a feature, nothing of it, or parts of it. */
static int set_parts(parser_t *p, size_t option, const char *const *words, size_t count)
{
    bool truth = !count || (count == 1 && base_truth(words[0]) >= 0);
    return truth ? set_bool(p, option, words, count) : set_list(p, option, words, count);
}

static int set_words(parser_t *p, size_t option, const char *const *words, size_t count)
{
    switch (cli_options[option].form) {
    case CLI_BOOL:
    case CLI_NOT: return set_bool(p, option, words, count);
    case CLI_TEXT:
    case CLI_NUMBER:
    case CLI_INTEGER:
    case CLI_CHOICE: return set_one(p, option, words, count);
    case CLI_CHOICES:
    case CLI_WORDS:
    case CLI_GROUPS: return set_list(p, option, words, count);
    case CLI_PARTS: return set_parts(p, option, words, count);
    }
    return -1;
}

/* Takes the words that belong to the option: up to the next option, as many as its form takes. */
static int set_option(parser_t *p, size_t option, const char *attached)
{
    const char *words[WORDS_MAX];
    size_t count = 0;
    cli_form_t form = cli_options[option].form;
    if (option == CLI_PMC_GROUPS || option == CLI_PMC_GROUP_INTERVAL)
        return REFUSE(p, "--%s has its place in input files (-i)", cli_options[option].name);
    if (attached) {
        words[count++] = attached;
    } else if (form == CLI_BOOL || form == CLI_NOT) {
        if (p->next < p->argc && base_truth(p->argv[p->next]) >= 0)
            words[count++] = p->argv[p->next++];
    } else {
        bool list =
            form == CLI_CHOICES || form == CLI_WORDS || form == CLI_GROUPS || form == CLI_PARTS;
        for (const char *word; (!count || list) && (word = next_word(p));) {
            if (count == WORDS_MAX)
                return REFUSE(p, "--%s: more than %d values", cli_options[option].name, WORDS_MAX);
            words[count++] = word;
        }
    }
    return set_words(p, option, words, count);
}

static bool is_word(const char *name, const char *word, size_t bytes)
{
    return strlen(name) == bytes && memcmp(name, word, bytes) == 0;
}

static bool is_named(const cli_option_t *o, const char *word, size_t bytes)
{
    for (const cli_alias_t *a = cli_aliases; a->alias; a++)
        if (is_word(a->alias, word, bytes)) return strcmp(a->name, o->name) == 0;
    return is_word(o->name, word, bytes);
}

/* --name, --name=value */
static int parse_long(parser_t *p, const char *word)
{
    const char *equal = strchr(word, '=');
    size_t bytes = equal ? (size_t)(equal - word) - 2 : strlen(word) - 2;
    for (size_t i = 0; i < cli_option_rows; i++)
        if (is_named(&cli_options[i], word + 2, bytes))
            return set_option(p, i, equal ? equal + 1 : NULL);
    return unknown_option(p, word);
}

/* -x, -xvalue, -x=value */
static int parse_short(parser_t *p, const char *word)
{
    for (size_t i = 0; i < cli_option_rows; i++) {
        if (!cli_options[i].letter || cli_options[i].letter != word[1]) continue;
        const char *attached = word[2] ? word + 2 + (word[2] == '=') : NULL;
        return set_option(p, i, attached);
    }
    return unknown_option(p, word);
}

int cli_parse(cli_command_t *c, int argc, char **argv, char *why, size_t why_bytes)
{
    parser_t p = {
        .c = c, .argc = argc, .next = 1, .argv = argv, .why = why, .why_bytes = why_bytes};
    memset(c, 0, sizeof(*c));
    while (p.next < argc) {
        const char *word = argv[p.next++];
        if (strcmp(word, "--") == 0) {
            c->program = p.next < argc ? argv + p.next : NULL;
            return 0;
        }
        if (word[0] != '-' || !word[1])
            return REFUSE(&p, "'%s' stands where an option is expected; the program goes after --",
                          word);
        if ((word[1] == '-' ? parse_long(&p, word) : parse_short(&p, word)) != 0) return -1;
    }
    return 0;
}

int cli_set(cli_command_t *c, size_t option, const char *const *words, size_t count, char *why,
            size_t why_bytes)
{
    parser_t p = {.c = c, .why = why, .why_bytes = why_bytes};
    return set_words(&p, option, words, count);
}

/* A file describes runs, so options that start runs or name files do not belong in it. */
static bool belongs_in_file(size_t option)
{
    return option != CLI_HELP && option != CLI_VERSION && option != CLI_INPUT &&
           option != CLI_GPU && option != CLI_ECHO && option != CLI_PROGRESS;
}

int cli_find_key(const char *key, char *why, size_t why_bytes)
{
    parser_t p = {.why = why, .why_bytes = why_bytes};
    char name[64];
    size_t bytes = strlen(key);
    if (bytes >= sizeof(name)) return REFUSE(&p, "unknown key '%.60s...'", key);
    for (size_t i = 0; i <= bytes; i++)
        name[i] = key[i] == '_' ? '-' : key[i];
    for (size_t i = 0; i < cli_option_rows; i++) {
        if (!is_named(&cli_options[i], name, bytes)) continue;
        if (!belongs_in_file(i)) return REFUSE(&p, "'%s' has no place in an input file", key);
        return (int)i;
    }
    const cli_option_t *nearest = find_nearest(name);
    if (nearest) {
        snprintf(name, sizeof(name), "%s", nearest->name);
        for (char *at = name; *at; at++)
            if (*at == '-') *at = '_';
        return REFUSE(&p, "unknown key '%s': did you mean %s?", key, name);
    }
    return REFUSE(&p, "unknown key '%s': keys are the names of options with underscores", key);
}

void cli_command_free(cli_command_t *c)
{
    for (int i = 0; i < CLI_OPTION_COUNT; i++)
        free(c->values[i]);
    memset(c->values, 0, sizeof(c->values));
}

bool cli_is_on(const cli_command_t *c, cli_option_id_t option)
{
    return c->values[option] && strcmp(c->values[option], "0") != 0;
}

bool cli_traces(const cli_command_t *c)
{
    for (int i = CLI_RUNTIME_TRACE; i <= CLI_KFD_DROPPED_EVENTS_TRACE; i++)
        if (cli_is_on(c, (cli_option_id_t)i)) return true;
    return false;
}

bool cli_counts(const cli_command_t *c)
{
    return c->values[CLI_PMC] || c->values[CLI_PMC_GROUPS];
}

/* Options come after those that imply them, so one pass is enough. */
static int imply(cli_command_t *c, const cli_option_t *o)
{
    char found[32];
    for (int i = 0; i < CLI_OPTION_COUNT; i++) {
        if (c->values[i] || !among(o->implies, cli_options[i].name, found)) continue;
        c->values[i] = strdup("1");
        if (!c->values[i]) return -1;
    }
    return 0;
}

static int set_variables(const cli_option_t *o, const char *value)
{
    char names[256];
    snprintf(names, sizeof(names), "%s", o->variable);
    for (char *rest = names, *name; (name = strsep(&rest, " "));)
        if (setenv(name, value, 1) != 0) return -1;
    return 0;
}

/* Replaces line feeds by the separator that the variable's reader knows. */
static int set_joined(const cli_option_t *o, const char *list, const char *separator)
{
    char joined[16384] = "";
    size_t used = 0;
    for (; *list; list++) {
        int n = *list == '\n' ? snprintf(joined + used, sizeof(joined) - used, "%s", separator)
                              : snprintf(joined + used, sizeof(joined) - used, "%c", *list);
        used += (size_t)n;
        if (used >= sizeof(joined)) return -1;
    }
    return set_variables(o, joined);
}

/* Sets two variables: "1" and the parts, or a truth value and no parts. */
static int set_parts_of(const cli_option_t *o, const char *value)
{
    char names[256], *rest = names;
    bool parts = base_truth(value) < 0;
    cli_option_t second = *o;
    snprintf(names, sizeof(names), "%s", o->variable);
    const char *first = strsep(&rest, " ");
    second.variable = rest;
    if (setenv(first, parts ? "1" : value, 1) != 0) return -1;
    return parts ? set_joined(&second, value, ",") : unsetenv(rest);
}

/* Sets "pmc: A B" for each group. */
static int set_counters(const char *variable, const char *groups)
{
    char *text = NULL, *lines = strdup(groups);
    int result = lines ? 0 : -1;
    for (char *rest = lines, *line; result == 0 && (line = strsep(&rest, "\n"));) {
        char *longer = NULL;
        if (asprintf(&longer, "%s%spmc: %s", text ? text : "", text ? "\n" : "", line) < 0) {
            result = -1;
            break;
        }
        free(text);
        text = longer;
    }
    if (result == 0) result = setenv(variable, text ? text : "", 1);
    if (result == 0) result = setenv("ROCPROF_COUNTER_COLLECTION", "1", 1);
    free(text);
    free(lines);
    return result;
}

/* Sets "spm: A B". */
static int set_streams(const cli_option_t *o, const char *words)
{
    char *text;
    if (asprintf(&text, "spm: %s", words) < 0) return -1;
    int result = set_joined(o, text, " ");
    free(text);
    return result ? result : setenv("ROCPROF_SPM_COUNTER_COLLECTION", "1", 1);
}

/* The words have been checked with the options of the run. */
static int set_periods(const cli_option_t *o, const char *words, const char *unit)
{
    char why[256];
    char *list = cli_periods(words, unit, why, sizeof(why));
    int result = list ? set_variables(o, list) : -1;
    free(list);
    return result;
}

static int set_environment(const cli_command_t *c, int option)
{
    const cli_option_t *o = &cli_options[option];
    const char *value = c->values[option];
    if (option == CLI_PMC) return set_counters("ROCPROF_COUNTERS", value);
    if (option == CLI_ATT_ACTIVITY) return cli_att_set_activity(value);
    if (option == CLI_PMC_GROUPS)
        return unsetenv("ROCPROF_COUNTERS") | set_counters("ROCPROF_COUNTER_GROUPS", value);
    if (!o->variable) return 0;
    if (option == CLI_SPM) return set_streams(o, value);
    if (option == CLI_KERNEL_ITERATION_RANGE) return set_joined(o, value, ", ");
    if (option == CLI_SUMMARY_GROUPS) return set_joined(o, value, "##@@##");
    if (option == CLI_ATT_LIBRARY_PATH) return set_joined(o, value, ":");
    if (option == CLI_ATT_GPU_INDEX) return set_joined(o, value, ",");
    if (option == CLI_ATT_PERFCOUNTERS) return set_joined(o, value, " ");
    if (option == CLI_COLLECTION_PERIOD)
        return set_periods(o, value, c->values[CLI_COLLECTION_PERIOD_UNIT]);
    if (o->form == CLI_CHOICES) return set_joined(o, value, ",");
    if (o->form == CLI_PARTS) return set_parts_of(o, value);
    if (o->form == CLI_NOT) value = strcmp(value, "0") == 0 ? "1" : "0";
    if (option == CLI_REPLAY_MODE) value = strcmp(value, "kernel") == 0 ? "1" : "0";
    if (option == CLI_LOG_LEVEL && (strcmp(value, "env") == 0 || strcmp(value, "config") == 0))
        value = "warning"; /* the other two levels are rocprofv3's own */
    return set_variables(o, value);
}

static int set_extra_counters(const char *path, char *why, size_t why_bytes)
{
    size_t bytes;
    char *text = cli_read_file(path, TRACE_EXTRA_MAX, &bytes, why, why_bytes);
    int result = text ? trace_extra_send(path, text, bytes, why, why_bytes) : -1;
    free(text);
    return result;
}

int cli_apply(cli_command_t *c, char *why, size_t why_bytes)
{
    char bytes[32];
    const char *extra = c->values[CLI_EXTRA_COUNTERS];
    if (extra && set_extra_counters(extra, why, why_bytes) != 0) return CLI_EXIT_USAGE;
    for (int i = 0; i < CLI_OPTION_COUNT; i++)
        if (cli_options[i].implies && cli_is_on(c, (cli_option_id_t)i) && imply(c, &cli_options[i]))
            goto fail;
    for (int i = 0; i < CLI_OPTION_COUNT; i++)
        if (c->values[i] && set_environment(c, i) != 0) goto fail;
    const char *minimum = c->values[CLI_MINIMUM_OUTPUT_DATA];
    snprintf(bytes, sizeof(bytes), "%llu", minimum ? strtoull(minimum, NULL, 10) * 1024 : 0ull);
    if (minimum && setenv("ROCPROF_MINIMUM_OUTPUT_BYTES", bytes, 1) != 0) goto fail;
    return 0;
fail:
    snprintf(why, why_bytes, "setting the environment: %s", strerror(errno ? errno : ENOMEM));
    return CLI_EXIT_SETUP;
}

static void print_row(const cli_option_t *o)
{
    char left[128], letter[8] = "";
    if (o->letter) snprintf(letter, sizeof(letter), "-%c, ", o->letter);
    bool parts = o->form == CLI_PARTS;
    const char *what = o->form == CLI_BOOL || o->form == CLI_NOT ? "[BOOL]" : o->values;
    bool list = o->form == CLI_WORDS || o->form == CLI_CHOICES || o->form == CLI_GROUPS;
    const char *more = list ? " ..." : "";
    bool choice = o->form == CLI_CHOICE || o->form == CLI_CHOICES;
    snprintf(left, sizeof(left), "%s--%s %s%s", letter, o->name,
             parts    ? "[BOOL | WORD ...]"
             : choice ? "WORD"
                      : what,
             more);
    printf("  %-34s %s%s", left, strlen(left) > 34 ? "\n                                     " : "",
           o->help);
    if (choice || parts) printf(": %s", o->values);
    putchar('\n');
}

void cli_print_help(void)
{
    const char *group = "";
    printf("Usage: rocprofv3 [options] -- program [arguments]\n"
           "       rocprofv3 COMMAND [options] [DIR...]\n\n"
           "Traces a GPU program; every process it starts gets files of its own.\n"
           "BOOL is yes, no, true, false, on, off, 1 or 0; the option alone means yes.\n");
    for (int i = 0; i < CLI_OPTION_COUNT; i++) {
        const cli_option_t *o = &cli_options[i];
        if (strcmp(group, o->group) != 0) printf("\n%s:\n", group = o->group);
        print_row(o);
    }
    printf(
        "\nKeys in names: %%argv%% %%args%% %%argt%% %%tag%% %%argN%% %%hostname%% %%pid%% "
        "%%ppid%% "
        "%%pgid%% %%psid%%\n  %%psize%% %%job%% %%rank%% %%size%% %%nid%% %%cwd%% %%launch_date%% "
        "%%launch_time%% %%env{NAME}%%\n");
}
