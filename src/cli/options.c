/* options.c - see options.h. It has the parser, which is driven by the table of settings, and sets
 * the variables of the program's environment from the values; and it prints help. */
#include "cli/options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/arguments.h"
#include "base/file.h"
#include "base/words.h"
#include "cli/att.h"
#include "cli/gpu.h"
#include "cli/input.h"
#include "cli/launch.h"
#include "cli/periods.h"
#include "cli/spelling.h"
#include "gpus/gpus.h"
#include "trace/extra.h"

typedef struct {
    cli_command_t *c;
    base_arguments_t arguments;
    char *why;
    size_t why_bytes;
} parser_t;

#define REFUSE(p, ...) (snprintf((p)->why, (p)->why_bytes, __VA_ARGS__), -1)

/* Returns the edit distance of two words, for suggestions; words are short. */
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

static const trace_setting_t *find_nearest(const char *name)
{
    const trace_setting_t *nearest = NULL;
    unsigned least = 4; /* names with a larger distance are not similar */
    for (size_t i = 0; i < CLI_OPTION_COUNT; i++) {
        unsigned d = distance(name, trace_settings[i].name);
        if (d >= least) continue;
        least = d;
        nearest = &trace_settings[i];
    }
    return nearest;
}

static int unknown_option(parser_t *p, const char *word)
{
    const trace_setting_t *nearest = find_nearest(word + strspn(word, "-"));
    if (nearest) return REFUSE(p, "unknown option '%s': did you mean --%s?", word, nearest->name);
    return REFUSE(p, "unknown option '%s': see --help", word);
}

/* Returns whether `word` is one of the choices, in any case; `found` becomes its spelling in the
 * list. */
static bool among(const char *choices, const char *word, char found[32])
{
    const size_t bytes = strlen(word);
    const char *at;
    if (bytes >= 32 || trace_word_among(choices, word, bytes, &at) < 0) return false;
    memcpy(found, at, bytes);
    found[bytes] = 0;
    return true;
}

static int keep(parser_t *p, size_t option, const char *value)
{
    char *copy = strdup(value);
    if (!copy) return REFUSE(p, "%s", strerror(ENOMEM));
    free(p->c->values[option]);
    p->c->values[option] = copy;
    return 0;
}

/* ---- checks of words, both of the command line and of input files ---- */
static int set_bool(parser_t *p, size_t option, const char *const *words, size_t count)
{
    int value = count ? base_truth(words[0]) : 1;
    if (value < 0 || count > 1)
        return REFUSE(p, "--%s: '%s' is no truth value (yes, no, true, false, on, off, 1, 0)",
                      trace_settings[option].name, words[count > 1]);
    return keep(p, option, value ? "1" : "0");
}

/* Sets an option to a whole number, in decimal or hexadecimal; it is kept in decimal. */
static int set_integer(parser_t *p, size_t option, const char *word)
{
    char digits[32];
    uint64_t value;
    if (!base_number(word, 0, UINT64_MAX, &value))
        return REFUSE(p, "--%s: '%s' is no whole number", trace_settings[option].name, word);
    snprintf(digits, sizeof(digits), "%" PRIu64, value);
    return keep(p, option, digits);
}

static int check_number(parser_t *p, size_t option, const char *word)
{
    const char *name = trace_settings[option].name;
    if (!*word || strspn(word, "0123456789") != strlen(word) || strlen(word) >= 16)
        return REFUSE(p, "--%s: '%s' is no whole number", name, word);
    if (option == CLI_PMC_GROUP_INTERVAL && strspn(word, "0") == strlen(word))
        return REFUSE(p, "--%s: '%s': a group's turn is one dispatch at least", name, word);
    return 0;
}

static int set_one(parser_t *p, size_t option, const char *const *words, size_t count)
{
    const trace_setting_t *o = &trace_settings[option];
    char found[32];
    if (!count) return REFUSE(p, "--%s needs a value (%s)", o->name, o->words);
    if (count > 1) return REFUSE(p, "--%s takes one value (%s)", o->name, o->words);
    const char *word = words[0];
    if (o->form == TRACE_FORM_INTEGER) return set_integer(p, option, word);
    if (o->form == TRACE_FORM_NUMBER && check_number(p, option, word) != 0) return -1;
    if (option == CLI_GPU && cli_is_profile(word)) return keep(p, option, word);
    if (option == CLI_GPU && gpus_product(word)) return keep(p, option, gpus_product(word)->name);
    if (o->form == TRACE_FORM_CHOICE) {
        if (!among(o->words, word, found))
            return REFUSE(p, "--%s: '%s' is none of: %s%s", o->name, word, o->words,
                          option == CLI_GPU
                              ? ", and no product of softgpu --list-gpus; the path of "
                                "a profile has a slash in it"
                              : "");
        word = found;
    }
    return keep(p, option, word);
}

static int refuse_choice(parser_t *p, const trace_setting_t *o, const char *word)
{
    char found[32];
    bool format = o == &trace_settings[CLI_OUTPUT_FORMAT];
    if (format && among("otf2", word, found))
        return REFUSE(p, "--output-format: %s is not written here; there are: %s", found, o->words);
    return REFUSE(p, "--%s: '%s' is none of: %s", o->name, word, o->words);
}

/* Copies the groups given before, one on each line, to `all`. Words may be separated by commas or
 * blanks. */
static int begin_group(parser_t *p, size_t option, char *all, size_t bytes)
{
    const char *before = p->c->values[option];
    if (!before) return 0;
    int n = snprintf(all, bytes, "%s\n", before);
    return (size_t)n < bytes ? n
                             : REFUSE(p, "--%s: values are too long", trace_settings[option].name);
}

/* Returns whether a comma belongs to a word, since NAME:device=0,device=1 is one word. */
static bool names_device(const char *text)
{
    return strncmp(text, "device=", strlen("device=")) == 0;
}

static int set_list(parser_t *p, size_t option, const char *const *words, size_t count)
{
    const trace_setting_t *o = &trace_settings[option];
    char all[32768] = "", found[32];
    bool groups = o->form == TRACE_FORM_GROUPS;
    if (!count) return REFUSE(p, "--%s needs at least one value (%s)", o->name, o->words);
    int before = groups ? begin_group(p, option, all, sizeof(all)) : 0;
    if (before < 0) return -1;
    size_t used = (size_t)before;
    for (size_t i = 0; i < count; i++) {
        const char *word = words[i];
        if (o->form == TRACE_FORM_CHOICES || o->form == TRACE_FORM_PARTS) {
            if (!among(o->words, word, found)) return refuse_choice(p, o, word);
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
        return REFUSE(p, "--%s needs at least one value (%s)", o->name, o->words);
    return keep(p, option, all);
}

/* Sets a feature to all of it, nothing of it, or parts of it. */
static int set_parts(parser_t *p, size_t option, const char *const *words, size_t count)
{
    bool truth = !count || (count == 1 && base_truth(words[0]) >= 0);
    return truth ? set_bool(p, option, words, count) : set_list(p, option, words, count);
}

static int set_words(parser_t *p, size_t option, const char *const *words, size_t count)
{
    switch (trace_settings[option].form) {
    case TRACE_FORM_BOOL:
    case TRACE_FORM_NOT: return set_bool(p, option, words, count);
    case TRACE_FORM_TEXT:
    case TRACE_FORM_NUMBER:
    case TRACE_FORM_INTEGER:
    case TRACE_FORM_CHOICE: return set_one(p, option, words, count);
    case TRACE_FORM_CHOICES:
    case TRACE_FORM_WORDS:
    case TRACE_FORM_GROUPS: return set_list(p, option, words, count);
    case TRACE_FORM_PARTS: return set_parts(p, option, words, count);
    }
    return -1;
}

static int set_option(parser_t *p, size_t option)
{
    const trace_setting_t *o = &trace_settings[option];
    const char *const *words;
    if (o->place == TRACE_FILES)
        return REFUSE(p, "--%s has its place in input files (-i)", o->name);
    const size_t count = base_arguments_words(&p->arguments, cli_option_takes(o->form), &words);
    return set_words(p, option, words, count);
}

static bool is_word(const char *name, const char *word, size_t bytes)
{
    return name && strlen(name) == bytes && memcmp(name, word, bytes) == 0;
}

int cli_find_option(const char *name, size_t bytes)
{
    for (int i = 0; i < CLI_OPTION_COUNT; i++)
        if (is_word(trace_settings[i].name, name, bytes) ||
            is_word(trace_settings[i].alias, name, bytes))
            return i;
    return -1;
}

int cli_parse(cli_command_t *c, int argc, char **argv, char *why, size_t why_bytes)
{
    parser_t p = {.c = c,
                  .arguments = {.argc = argc, .argv = argv, .next = 1},
                  .why = why,
                  .why_bytes = why_bytes};
    base_arguments_t *a = &p.arguments;
    memset(c, 0, sizeof(*c));
    while (base_arguments_next(a)) {
        if (strcmp(a->word, "--") == 0) {
            c->program = a->next < argc ? argv + a->next : NULL;
            return 0;
        }
        if (!a->option)
            return REFUSE(&p, "'%s' stands where an option is expected; the program goes after --",
                          a->word);
        const int option = cli_option_spelt(a);
        if (option < 0) return unknown_option(&p, a->word);
        if (set_option(&p, (size_t)option) != 0) return -1;
    }
    return 0;
}

int cli_set(cli_command_t *c, size_t option, const char *const *words, size_t count, char *why,
            size_t why_bytes)
{
    parser_t p = {.c = c, .why = why, .why_bytes = why_bytes};
    return set_words(&p, option, words, count);
}

int cli_find_key(const char *key, char *why, size_t why_bytes)
{
    parser_t p = {.why = why, .why_bytes = why_bytes};
    char name[64];
    size_t bytes = strlen(key);
    if (bytes >= sizeof(name)) return REFUSE(&p, "unknown key '%.60s...'", key);
    for (size_t i = 0; i <= bytes; i++)
        name[i] = key[i] == '_' ? '-' : key[i];
    const int option = cli_find_option(name, bytes);
    if (option >= 0 && trace_settings[option].place == TRACE_COMMAND_LINE)
        return REFUSE(&p, "'%s' has no place in an input file", key);
    if (option >= 0) return option;
    const trace_setting_t *nearest = find_nearest(name);
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

int cli_next_given(const cli_command_t *c, int i)
{
    while (++i < CLI_OPTION_COUNT)
        if (c->values[i]) return i;
    return -1;
}

bool cli_is_on(const cli_command_t *c, cli_option_id_t option)
{
    return c->values[option] && strcmp(c->values[option], "0") != 0;
}

bool cli_traces(const cli_command_t *c)
{
    for (int i = -1; (i = cli_next_given(c, i)) >= 0;)
        if (cli_is_on(c, (cli_option_id_t)i) && trace_setting_traces((trace_setting_id_t)i))
            return true;
    return false;
}

bool cli_counts(const cli_command_t *c)
{
    return c->values[CLI_PMC] || c->values[CLI_PMC_GROUPS];
}

/* Turns on the options that an option implies. An implied option must imply nothing itself unless
 * its row comes later, since there is one pass. */
static int imply(cli_command_t *c, const trace_setting_t *o)
{
    for (int i = 0; i < CLI_OPTION_COUNT; i++) {
        const char *name = trace_settings[i].name;
        if (c->values[i] || trace_word_among(o->implies, name, strlen(name), NULL) < 0) continue;
        c->values[i] = strdup("1");
        if (!c->values[i]) return -1;
    }
    return 0;
}

/* Sets the setting's variable, and the variables that `also` names, to the value. */
static int set_variables(const trace_setting_t *s, const char *value)
{
    char names[256];
    int result = setenv(s->variable, value, 1);
    snprintf(names, sizeof(names), "%s", s->also ? s->also : "");
    for (char *rest = names, *name; result == 0 && (name = strsep(&rest, " "));)
        if (*name) result = setenv(name, value, 1);
    return result;
}

/* Sets a variable to the list after replacing line feeds by the separator that the variable's
 * reader expects. */
static int set_joined(const char *variable, const char *list, const char *separator)
{
    char joined[16384] = "";
    size_t used = 0;
    for (; *list; list++) {
        int n = *list == '\n' ? snprintf(joined + used, sizeof(joined) - used, "%s", separator)
                              : snprintf(joined + used, sizeof(joined) - used, "%c", *list);
        used += (size_t)n;
        if (used >= sizeof(joined)) return -1;
    }
    return setenv(variable, joined, 1);
}

/* Sets two variables: "1" and the parts, or a truth value and no parts. */
static int set_parts_of(const trace_setting_t *s, const char *value)
{
    const bool parts = base_truth(value) < 0;
    if (setenv(s->variable, parts ? "1" : value, 1) != 0) return -1;
    return parts ? set_joined(s->also, value, s->joined) : unsetenv(s->also);
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
    if (result == 0) result = trace_setting_set(TRACE_SET_COUNTER_COLLECTION, "1");
    free(text);
    free(lines);
    return result;
}

/* Sets "spm: A B". */
static int set_streams(const trace_setting_t *s, const char *words)
{
    char *text;
    if (asprintf(&text, "spm: %s", words) < 0) return -1;
    int result = set_joined(s->variable, text, " ");
    free(text);
    return result ? result : trace_setting_set(TRACE_SET_SPM_COUNTER_COLLECTION, "1");
}

/* Sets the periods. The words have been checked with the options of the run. */
static int set_periods(const trace_setting_t *s, const char *words, const char *unit)
{
    char why[256];
    char *list = cli_periods(words, unit, why, sizeof(why));
    int result = list ? setenv(s->variable, list, 1) : -1;
    free(list);
    return result;
}

static int set_bytes(const trace_setting_t *s, const char *kib)
{
    char bytes[32];
    snprintf(bytes, sizeof(bytes), "%llu", strtoull(kib, NULL, 10) * 1024);
    return setenv(s->variable, bytes, 1);
}

static int set_environment(const cli_command_t *c, int option)
{
    const trace_setting_t *s = &trace_settings[option];
    const char *value = c->values[option];
    switch (option) {
    case CLI_PMC: return set_counters(s->variable, value);
    case CLI_PMC_GROUPS:
        return unsetenv(trace_settings[CLI_PMC].variable) | set_counters(s->variable, value);
    case CLI_SPM: return set_streams(s, value);
    case CLI_ATT_ACTIVITY: return cli_att_set_activity(value);
    case CLI_COLLECTION_PERIOD: return set_periods(s, value, c->values[CLI_COLLECTION_PERIOD_UNIT]);
    case CLI_MINIMUM_OUTPUT_DATA: return set_bytes(s, value);
    case CLI_REPLAY_MODE: return setenv(s->variable, strcmp(value, "kernel") == 0 ? "1" : "0", 1);
    case CLI_LOG_LEVEL: /* two levels are rocprofv3's own */
        if (strcmp(value, "env") == 0 || strcmp(value, "config") == 0) value = "warning";
        break;
    default: break;
    }
    if (!s->variable) return 0;
    if (s->form == TRACE_FORM_PARTS) return set_parts_of(s, value);
    if (s->joined) return set_joined(s->variable, value, s->joined);
    if (s->form == TRACE_FORM_NOT) value = strcmp(value, "0") == 0 ? "1" : "0";
    return set_variables(s, value);
}

static int set_extra_counters(const char *path, char *why, size_t why_bytes)
{
    size_t bytes;
    char *text = base_file_text(path, TRACE_EXTRA_MAX, &bytes, why, why_bytes);
    int result = text ? trace_extra_send(path, text, bytes, why, why_bytes) : -1;
    free(text);
    return result;
}

int cli_apply(cli_command_t *c, char *why, size_t why_bytes)
{
    const char *extra = c->values[CLI_EXTRA_COUNTERS];
    if (extra && set_extra_counters(extra, why, why_bytes) != 0) return CLI_EXIT_USAGE;
    for (int i = -1; (i = cli_next_given(c, i)) >= 0;)
        if (trace_settings[i].implies && cli_is_on(c, (cli_option_id_t)i) &&
            imply(c, &trace_settings[i]))
            goto fail;
    for (int i = -1; (i = cli_next_given(c, i)) >= 0;)
        if (set_environment(c, i) != 0) goto fail;
    return 0;
fail:
    snprintf(why, why_bytes, "setting the environment: %s", strerror(errno ? errno : ENOMEM));
    return CLI_EXIT_SETUP;
}

static void print_text(trace_setting_id_t id)
{
    static const char mark[] = "{default}";
    const char *help = trace_settings[id].help, *at = strstr(help, mark);
    if (at)
        printf("%.*sdefault %s%s", (int)(at - help), help, trace_setting_default(id),
               at + strlen(mark));
    else
        fputs(help, stdout);
}

static void print_row(trace_setting_id_t id)
{
    const trace_setting_t *o = &trace_settings[id];
    char left[128], letter[8] = "";
    if (o->letter) snprintf(letter, sizeof(letter), "-%c, ", o->letter);
    bool parts = o->form == TRACE_FORM_PARTS;
    const char *what =
        o->form == TRACE_FORM_BOOL || o->form == TRACE_FORM_NOT ? "[BOOL]" : o->words;
    bool list = o->form == TRACE_FORM_WORDS || o->form == TRACE_FORM_CHOICES ||
                o->form == TRACE_FORM_GROUPS;
    const char *more = list ? " ..." : "";
    bool choice = o->form == TRACE_FORM_CHOICE || o->form == TRACE_FORM_CHOICES;
    snprintf(left, sizeof(left), "%s--%s %s%s", letter, o->name,
             parts    ? "[BOOL | WORD ...]"
             : choice ? "WORD"
                      : what,
             more);
    printf("  %-34s %s", left, strlen(left) > 34 ? "\n                                     " : "");
    print_text(id);
    if (choice || parts) printf(": %s", o->words);
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
        const trace_setting_t *o = &trace_settings[i];
        if (strcmp(group, o->group) != 0) printf("\n%s:\n", group = o->group);
        print_row((trace_setting_id_t)i);
    }
    printf(
        "\nKeys in names: %%argv%% %%args%% %%argt%% %%tag%% %%argN%% %%hostname%% %%pid%% "
        "%%ppid%% "
        "%%pgid%% %%psid%%\n  %%psize%% %%job%% %%rank%% %%size%% %%local_rank%% %%node%% %%nid%% "
        "%%cwd%% "
        "%%launch_date%%\n  %%launch_time%% %%env{NAME}%%\n");
}
