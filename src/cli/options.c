/* options.c - see options.h. The table, and the parser that knows nothing but the table. */
#include "cli/options.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define GENERAL  "General"
#define OUTPUT   "Input and output"
#define ALL      "Aggregate tracing"
#define BASIC    "Basic tracing"
#define GRANULAR "Granular tracing"
#define AFTER    "Post-processing"
#define SUMMARY  "Summary"
#define NAMING   "Kernel naming"
#define FILTER   "Filtering"
#define ADVANCED "Advanced"

/* clang-format off */
/* ORDER: cli_option_id_t. */
const cli_option_t cli_options[] = {
    {"help", 'h', CLI_BOOL, NULL, NULL, NULL, GENERAL, "print this help"},
    {"version", 'v', CLI_BOOL, NULL, NULL, NULL, GENERAL, "print version and system"},
    {"gpu", 0, CLI_CHOICE, "auto real soft", NULL, NULL, GENERAL,
     "real GPU, software GPU, or (auto) the software GPU where there is no /dev/kfd"},
    {"output-file", 'o', CLI_TEXT, "NAME", "ROCPROF_OUTPUT_FILE_NAME", NULL, OUTPUT,
     "prefix of output files, keys allowed (default %hostname%/%pid%)"},
    {"output-directory", 'd', CLI_TEXT, "DIR", "ROCPROF_OUTPUT_PATH", NULL, OUTPUT,
     "output directory, keys allowed (default: current directory)"},
    {"output-format", 'f', CLI_CHOICES, "csv", "ROCPROF_OUTPUT_FORMAT", NULL, OUTPUT,
     "output formats (default csv)"},
    {"log-level", 0, CLI_CHOICE, "fatal error warning info trace env config",
     "ROCPROF_LOG_LEVEL ROCPROFILER_LOG_LEVEL ROCTX_LOG_LEVEL", NULL, OUTPUT,
     "what is reported; env prints the added environment, config the options, info and trace both"},
    {"runtime-trace", 'r', CLI_BOOL, NULL, NULL, "hip-runtime-trace marker-trace kernel-trace memory-copy-trace",
     ALL, "HIP runtime functions, markers, kernels, copies"},
    {"sys-trace", 's', CLI_BOOL, NULL, NULL,
     "hip-trace hsa-trace marker-trace kernel-trace memory-copy-trace", ALL,
     "all HIP and HSA functions, markers, kernels, copies"},
    {"hip-trace", 0, CLI_BOOL, NULL, NULL, "hip-runtime-trace hip-compiler-trace", BASIC,
     "all HIP functions"},
    {"hsa-trace", 0, CLI_BOOL, NULL, NULL,
     "hsa-core-trace hsa-amd-trace hsa-image-trace hsa-finalizer-trace", BASIC,
     "all HSA functions"},
    {"kernel-trace", 0, CLI_BOOL, NULL, "ROCPROF_KERNEL_TRACE", NULL, BASIC, "kernel dispatches"},
    {"marker-trace", 0, CLI_BOOL, NULL, "ROCPROF_MARKER_API_TRACE", NULL, BASIC,
     "marks and ranges that the program sets with ROCTx"},
    {"memory-copy-trace", 0, CLI_BOOL, NULL, "ROCPROF_MEMORY_COPY_TRACE", NULL, BASIC,
     "asynchronous copies"},
    {"hip-runtime-trace", 0, CLI_BOOL, NULL, "ROCPROF_HIP_RUNTIME_API_TRACE", NULL, GRANULAR,
     "HIP runtime functions"},
    {"hip-compiler-trace", 0, CLI_BOOL, NULL, "ROCPROF_HIP_COMPILER_API_TRACE", NULL, GRANULAR,
     "HIP functions that the compiler calls"},
    {"hsa-core-trace", 0, CLI_BOOL, NULL, "ROCPROF_HSA_CORE_API_TRACE", NULL, GRANULAR,
     "HSA core functions"},
    {"hsa-amd-trace", 0, CLI_BOOL, NULL, "ROCPROF_HSA_AMD_EXT_API_TRACE", NULL, GRANULAR,
     "HSA functions of the AMD extension"},
    {"hsa-image-trace", 0, CLI_BOOL, NULL, "ROCPROF_HSA_IMAGE_EXT_API_TRACE", NULL, GRANULAR,
     "HSA functions of the image extension"},
    {"hsa-finalizer-trace", 0, CLI_BOOL, NULL, "ROCPROF_HSA_FINALIZER_EXT_API_TRACE", NULL,
     GRANULAR, "HSA functions of the finalizer extension"},
    {"stats", 0, CLI_BOOL, NULL, "ROCPROF_STATS", NULL, AFTER,
     "statistics files of the traced domains"},
    {"summary", 'S', CLI_BOOL, NULL, "ROCPROF_STATS_SUMMARY", NULL, AFTER,
     "one summary at the end"},
    {"summary-per-domain", 'D', CLI_BOOL, NULL, "ROCPROF_STATS_SUMMARY_PER_DOMAIN", NULL, AFTER,
     "one summary for each domain"},
    {"summary-groups", 0, CLI_WORDS, "REGEX", "ROCPROF_STATS_SUMMARY_GROUPS", NULL, AFTER,
     "one summary for each expression over the domain names"},
    {"summary-output-file", 0, CLI_TEXT, "NAME", "ROCPROF_STATS_SUMMARY_OUTPUT", NULL, SUMMARY,
     "stdout, stderr (default), or a name for <prefix>_<NAME>.txt"},
    {"summary-units", 'u', CLI_CHOICE, "sec msec usec nsec", "ROCPROF_STATS_SUMMARY_UNITS", NULL,
     SUMMARY, "unit of times (default nsec)"},
    {"mangled-kernels", 'M', CLI_NOT, NULL, "ROCPROF_DEMANGLE_KERNELS", NULL, NAMING,
     "keep mangled kernel names"},
    {"truncate-kernels", 'T', CLI_BOOL, NULL, "ROCPROF_TRUNCATE_KERNELS", NULL, NAMING,
     "base names only"},
    {"kernel-rename", 0, CLI_BOOL, NULL, "ROCPROF_KERNEL_RENAME", NULL, NAMING,
     "name kernels after the roctxRangePush range they are launched in"},
    {"selected-regions", 0, CLI_BOOL, NULL, "ROCPROF_SELECTED_REGIONS", NULL, FILTER,
     "trace only between roctxProfilerResume(0) and roctxProfilerPause(0)"},
    {"agent-index", 'A', CLI_CHOICE, "absolute relative type-relative", "ROCPROF_AGENT_INDEX",
     NULL, ADVANCED, "how agents are numbered (default relative)"},
    {"preload", 0, CLI_WORDS, "LIB", NULL, NULL, ADVANCED,
     "libraries to put first in LD_PRELOAD"},
    {"suppress-marker-preload", 0, CLI_BOOL, NULL, NULL, NULL, ADVANCED,
     "leave the program's own ROCTx library in place"},
    {"rocm-root", 0, CLI_TEXT, "PATH", NULL, NULL, ADVANCED,
     "take the profiler's libraries from PATH/lib"},
    {"echo", 0, CLI_BOOL, NULL, NULL, NULL, ADVANCED, "print the command and do not run it"},
    {"disable-signal-handlers", 0, CLI_NOT, NULL, "ROCPROF_SIGNAL_HANDLERS", NULL, ADVANCED,
     "leave the program's fatal signals alone; the last records before one may be lost"},
    {"minimum-output-data", 0, CLI_NUMBER, "KB", NULL, NULL, ADVANCED,
     "write no files below this amount of recorded data"},

    /* Features of the original that are not here. */
    {"input", 'i', CLI_ABSENT, 0, 0, 0, 0, 0}, {"output-config", 0, CLI_ABSENT, 0, 0, 0, 0, 0},
    {"extra-counters", 'E', CLI_ABSENT, 0, 0, 0, 0, 0},
    {"memory-allocation-trace", 0, CLI_ABSENT, 0, 0, 0, 0, 0},
    {"scratch-memory-trace", 0, CLI_ABSENT, 0, 0, 0, 0, 0},
    {"rccl-trace", 0, CLI_ABSENT, 0, 0, 0, 0, 0}, {"kokkos-trace", 0, CLI_ABSENT, 0, 0, 0, 0, 0},
    {"rocdecode-trace", 0, CLI_ABSENT, 0, 0, 0, 0, 0},
    {"rocjpeg-trace", 0, CLI_ABSENT, 0, 0, 0, 0, 0}, {"pmc", 0, CLI_ABSENT, 0, 0, 0, 0, 0},
    {"pc-sampling-beta-enabled", 0, CLI_ABSENT, 0, 0, 0, 0, 0},
    {"pc-sampling-unit", 0, CLI_ABSENT, 0, 0, 0, 0, 0},
    {"pc-sampling-method", 0, CLI_ABSENT, 0, 0, 0, 0, 0},
    {"pc-sampling-interval", 0, CLI_ABSENT, 0, 0, 0, 0, 0},
    {"kernel-include-regex", 0, CLI_ABSENT, 0, 0, 0, 0, 0},
    {"kernel-exclude-regex", 0, CLI_ABSENT, 0, 0, 0, 0, 0},
    {"kernel-iteration-range", 0, CLI_ABSENT, 0, 0, 0, 0, 0},
    {"collection-period", 'P', CLI_ABSENT, 0, 0, 0, 0, 0},
    {"collection-period-unit", 0, CLI_ABSENT, 0, 0, 0, 0, 0},
    {"perfetto-backend", 0, CLI_ABSENT, 0, 0, 0, 0, 0},
    {"perfetto-buffer-size", 0, CLI_ABSENT, 0, 0, 0, 0, 0},
    {"perfetto-buffer-fill-policy", 0, CLI_ABSENT, 0, 0, 0, 0, 0},
    {"perfetto-shmem-size-hint", 0, CLI_ABSENT, 0, 0, 0, 0, 0},
    {"list-avail", 'L', CLI_ABSENT, 0, 0, 0, 0, 0}, {"group-by-queue", 0, CLI_ABSENT, 0, 0, 0, 0, 0},
    {"sdk-soversion", 0, CLI_ABSENT, 0, 0, 0, 0, 0}, {"sdk-version", 0, CLI_ABSENT, 0, 0, 0, 0, 0},
    {"readlink", 0, CLI_ABSENT, 0, 0, 0, 0, 0}, {"realpath", 0, CLI_ABSENT, 0, 0, 0, 0, 0},
    {"benchmark-mode", 0, CLI_ABSENT, 0, 0, 0, 0, 0},
    {"pid", 'p', CLI_ABSENT, 0, 0, 0, 0, 0},
    {"advanced-thread-trace", 0, CLI_ABSENT, 0, 0, 0, 0, 0}, {"att", 0, CLI_ABSENT, 0, 0, 0, 0, 0},
    {"att-library-path", 0, CLI_ABSENT, 0, 0, 0, 0, 0},
    {"att-target-cu", 0, CLI_ABSENT, 0, 0, 0, 0, 0}, {"att-simd-select", 0, CLI_ABSENT, 0, 0, 0, 0, 0},
    {"att-buffer-size", 0, CLI_ABSENT, 0, 0, 0, 0, 0},
    {"att-shader-engine-mask", 0, CLI_ABSENT, 0, 0, 0, 0, 0},
    {"att-gpu-index", 0, CLI_ABSENT, 0, 0, 0, 0, 0},
    {"att-perfcounters", 0, CLI_ABSENT, 0, 0, 0, 0, 0},
    {"att-perfcounter-ctrl", 0, CLI_ABSENT, 0, 0, 0, 0, 0},
    {"att-activity", 0, CLI_ABSENT, 0, 0, 0, 0, 0},
    {"att-serialize-all", 0, CLI_ABSENT, 0, 0, 0, 0, 0},
};
/* clang-format on */

const size_t cli_option_rows = sizeof(cli_options) / sizeof(*cli_options);

typedef struct {
    cli_command_t *c;
    int argc, next;
    char **argv;
    char *why;
    size_t why_bytes;
} parser_t;

#define REFUSE(p, ...) (snprintf((p)->why, (p)->why_bytes, __VA_ARGS__), -1)

/* Edits from one word to another, for the suggestion; words are short. */
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

static int unknown_option(parser_t *p, const char *word)
{
    const cli_option_t *nearest = NULL;
    unsigned least = 4; /* further away is no help */
    for (size_t i = 0; i < cli_option_rows; i++) {
        unsigned d = distance(word + strspn(word, "-"), cli_options[i].name);
        if (cli_options[i].form == CLI_ABSENT || d >= least) continue;
        least = d;
        nearest = &cli_options[i];
    }
    if (nearest) return REFUSE(p, "unknown option '%s': did you mean --%s?", word, nearest->name);
    return REFUSE(p, "unknown option '%s': see --help", word);
}

static int truth(const char *word)
{
    static const char *const yes[] = {"y", "yes", "t", "true", "on", "1"};
    static const char *const no[] = {"n", "no", "f", "false", "off", "0"};
    for (size_t i = 0; i < sizeof(yes) / sizeof(*yes); i++) {
        if (strcasecmp(word, yes[i]) == 0) return 1;
        if (strcasecmp(word, no[i]) == 0) return 0;
    }
    return -1;
}

/* Is `word` one of the blank-separated choices, in any case? Its spelling in the list goes to
 * `found`. */
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

/* The next word, unless it is an option or there is none. */
static const char *next_word(parser_t *p)
{
    if (p->next >= p->argc) return NULL;
    const char *word = p->argv[p->next];
    if (word[0] == '-' && word[1]) return NULL;
    p->next++;
    return word;
}

static int set_bool(parser_t *p, size_t option, const char *attached)
{
    int value = 1;
    if (attached) {
        value = truth(attached);
        if (value < 0)
            return REFUSE(p, "--%s: '%s' is no truth value (yes, no, true, false, on, off, 1, 0)",
                          cli_options[option].name, attached);
    } else if (p->next < p->argc && truth(p->argv[p->next]) >= 0) {
        value = truth(p->argv[p->next++]);
    }
    return keep(p, option, value ? "1" : "0");
}

static int check_number(parser_t *p, size_t option, const char *word)
{
    if (*word && strspn(word, "0123456789") == strlen(word) && strlen(word) < 16) return 0;
    return REFUSE(p, "--%s: '%s' is no whole number", cli_options[option].name, word);
}

static int set_one(parser_t *p, size_t option, const char *attached)
{
    const cli_option_t *o = &cli_options[option];
    char found[32];
    const char *word = attached ? attached : next_word(p);
    if (!word) return REFUSE(p, "--%s needs a value (%s)", o->name, o->values);
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
    if (format && among("json pftrace otf2 rocpd", word, found))
        return REFUSE(p, "--output-format: %s is not implemented; use csv", found);
    return REFUSE(p, "--%s: '%s' is none of: %s", o->name, word, o->values);
}

/* Words up to the next option. */
static int set_list(parser_t *p, size_t option, const char *attached)
{
    const cli_option_t *o = &cli_options[option];
    char all[8192] = "", found[32];
    size_t used = 0;
    const char *word = attached ? attached : next_word(p);
    if (!word) return REFUSE(p, "--%s needs at least one value (%s)", o->name, o->values);
    for (; word; word = attached ? NULL : next_word(p)) {
        if (o->form == CLI_CHOICES) {
            if (!among(o->values, word, found)) return refuse_choice(p, o, word);
            word = found;
        }
        used += (size_t)snprintf(all + used, sizeof(all) - used, "%s%s", used ? "\n" : "", word);
        if (used >= sizeof(all)) return REFUSE(p, "--%s: values are too long", o->name);
    }
    return keep(p, option, all);
}

/* A feature that is turned off need not exist. */
static int absent(parser_t *p, size_t option, const char *attached)
{
    if (attached && truth(attached) == 0) return 0;
    if (!attached && p->next < p->argc && truth(p->argv[p->next]) == 0) {
        p->next++;
        return 0;
    }
    return REFUSE(p, "--%s is not implemented", cli_options[option].name);
}

static int set_option(parser_t *p, size_t option, const char *attached)
{
    switch (cli_options[option].form) {
    case CLI_BOOL:
    case CLI_NOT: return set_bool(p, option, attached);
    case CLI_TEXT:
    case CLI_NUMBER:
    case CLI_CHOICE: return set_one(p, option, attached);
    case CLI_CHOICES:
    case CLI_WORDS: return set_list(p, option, attached);
    case CLI_ABSENT: break;
    }
    return absent(p, option, attached);
}

/* --name, --name=value */
static int parse_long(parser_t *p, const char *word)
{
    const char *equal = strchr(word, '=');
    size_t bytes = equal ? (size_t)(equal - word) - 2 : strlen(word) - 2;
    for (size_t i = 0; i < cli_option_rows; i++)
        if (strlen(cli_options[i].name) == bytes &&
            memcmp(cli_options[i].name, word + 2, bytes) == 0)
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
    for (int i = CLI_RUNTIME_TRACE; i <= CLI_HSA_FINALIZER_TRACE; i++)
        if (cli_is_on(c, (cli_option_id_t)i)) return true;
    return false;
}

/* Rows come after those that imply them, so one pass reaches everything. */
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

/* Line feeds become the separator that the variable's reader knows. */
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

static int set_environment(const cli_command_t *c, int option)
{
    const cli_option_t *o = &cli_options[option];
    const char *value = c->values[option];
    if (option == CLI_SUMMARY_GROUPS) return set_joined(o, value, "##@@##");
    if (o->form == CLI_CHOICES) return set_joined(o, value, ",");
    if (o->form == CLI_NOT) value = strcmp(value, "0") == 0 ? "1" : "0";
    if (option == CLI_LOG_LEVEL && (strcmp(value, "env") == 0 || strcmp(value, "config") == 0))
        value = "warning"; /* these two are the launcher's own */
    return set_variables(o, value);
}

int cli_apply(cli_command_t *c, char *why, size_t why_bytes)
{
    char bytes[32];
    for (int i = 0; i < CLI_OPTION_COUNT; i++)
        if (cli_options[i].implies && cli_is_on(c, (cli_option_id_t)i) && imply(c, &cli_options[i]))
            goto fail;
    for (int i = 0; i < CLI_OPTION_COUNT; i++)
        if (c->values[i] && cli_options[i].variable && set_environment(c, i) != 0) goto fail;
    const char *minimum = c->values[CLI_MINIMUM_OUTPUT_DATA];
    snprintf(bytes, sizeof(bytes), "%llu", minimum ? strtoull(minimum, NULL, 10) * 1024 : 0ull);
    if (minimum && setenv("ROCPROF_MINIMUM_OUTPUT_BYTES", bytes, 1) != 0) goto fail;
    return 0;
fail:
    snprintf(why, why_bytes, "setting the environment: %s", strerror(errno ? errno : ENOMEM));
    return -1;
}

static void print_row(const cli_option_t *o)
{
    char left[128], letter[8] = "";
    if (o->letter) snprintf(letter, sizeof(letter), "-%c, ", o->letter);
    const char *what = o->form == CLI_BOOL || o->form == CLI_NOT ? "[BOOL]" : o->values;
    const char *more = o->form == CLI_WORDS || o->form == CLI_CHOICES ? " ..." : "";
    bool choice = o->form == CLI_CHOICE || o->form == CLI_CHOICES;
    snprintf(left, sizeof(left), "%s--%s %s%s", letter, o->name, choice ? "WORD" : what, more);
    printf("  %-34s %s%s", left, strlen(left) > 34 ? "\n                                     " : "",
           o->help);
    if (choice) printf(": %s", o->values);
    putchar('\n');
}

void cli_print_help(void)
{
    const char *group = "";
    printf("Usage: rocprofv3 [options] -- program [arguments]\n"
           "       rocprofv3 convert DIR\n\n"
           "Traces a GPU program; every process it starts gets files of its own.\n"
           "'convert' makes files of records that a killed rocprofv3 left below DIR.\n"
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
        "%%launch_time%% %%env{NAME}%%\n\nNot implemented:");
    int column = 80;
    for (size_t i = CLI_OPTION_COUNT; i < cli_option_rows; i++) {
        column += (int)strlen(cli_options[i].name) + 3;
        if (column > 78)
            column = printf("\n  --%s", cli_options[i].name) - 1;
        else
            printf(" --%s", cli_options[i].name);
    }
    putchar('\n');
}
