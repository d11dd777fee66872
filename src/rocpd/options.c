/* options.c - see options.h. Options are rows of a table and are checked here; the sub-commands
 * interpret them. */
#include "rocpd/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/utsname.h>

#include "base/arguments.h"
#include "base/grow.h"
#include "base/log.h"
#include "base/pool.h"
#include "rocpd/table.h"

enum { EXIT_USAGE = 2 };

#define C    (1u << ROCPD_CONVERT)
#define Q    (1u << ROCPD_QUERY)
#define S    (1u << ROCPD_SUMMARY)
#define M    (1u << ROCPD_MERGE)
#define P    (1u << ROCPD_PACKAGE)
#define R    (1u << ROCPD_REDUCE)
#define SHOW "console csv html json md pdf clipboard"
#ifdef CROCPROF_OTF2
#define FORMATS "csv pftrace perfetto otf2 json"
#else
#define FORMATS "csv pftrace perfetto json"
#endif

typedef struct {
    const char *name;
    char letter;
    char form; /* form: F flag, W a word, L one or more words, N a number */
    unsigned commands;
    const char *values; /* allowed words, or the word that help shows for the value */
    bool choice;
    const char *help;
} row_t;

/* ORDER: rocpd_option_t; --format of query and summary is at the end. */
static const row_t rows[] = {
    {"input", 'i', 'L', C | Q | S | M | P | R, "PATH", false,
     "databases, directories with databases, .rpdb directories, index files, wildcards; summary "
     "and reduce: files of sums, too; reduce: what runs have left that are not converted, too"},
    {"output-format", 'f', 'L', C, FORMATS, true, "what to make"},
    {"output-file", 'o', 'W', C | Q | S | M, "NAME", false,
     "base name of outputs (default: $ROCPD_OUTPUT_NAME, else out; merge: merged)"},
    {"output-path", 'd', 'W', C | Q | S | M | P, "DIR", false,
     "directory of outputs (default: $ROCPD_OUTPUT_PATH, else ./rocpd-output-data)"},
    {"kernel-rename", 0, 'F', C | Q | S | R, NULL, false, "kernels have the names of their ranges"},
    {"agent-index-value", 0, 'W', C, "absolute relative type-relative", true,
     "how agents are numbered (default relative)"},
    {"perfetto-backend", 0, 'W', C, "inprocess system", true,
     "accepted; files are written directly"},
    {"perfetto-buffer-fill-policy", 0, 'W', C, "discard ring_buffer", true,
     "accepted; nothing is discarded"},
    {"perfetto-buffer-size", 0, 'N', C, "KB", false, "accepted; there is no buffer"},
    {"perfetto-shmem-size-hint", 0, 'N', C, "KB", false, "accepted; no memory is shared"},
    {"group-by-queue", 0, 'F', C, NULL, false, "tracks of queues in place of streams"},
    {"start", 0, 'W', C | Q | S, "NS|N%", false, "what begins earlier is left out"},
    {"start-marker", 0, 'W', C | Q | S, "TEXT", false, "the same from a marker on"},
    {"end", 0, 'W', C | Q | S, "NS|N%", false, "what ends later is left out"},
    {"end-marker", 0, 'W', C | Q | S, "TEXT", false, "the same up to a marker"},
    {"inclusive", 0, 'W', C | Q | S, "BOOL", false,
     "false keeps what reaches into the window as well (default true)"},
    {"query", 0, 'W', Q, "SQL", false, "statement to run"},
    {"script", 0, 'W', Q, "FILE", false, "SQL to run before it"},
    {"domain-summary", 0, 'F', S | R, NULL, false, "one more summary, of the domains"},
    {"summary-by-rank", 0, 'F', S | R, NULL, false, "one more of each, by process"},
    {"region-categories", 0, 'L', S | R, "WORD", false, "only these regions; NONE for none"},
    {"mangled-kernels", 0, 'F', S | R, NULL, false, "mangled kernel names"},
    {"truncate-kernels", 0, 'F', S | R, NULL, false, "kernel names without arguments"},
    {"consolidate", 'c', 'F', P, NULL, false, "move the databases into the folder"},
    {"copy", 0, 'F', P, NULL, false, "copy them in place of moving"},
    {"jobs", 'j', 'N', C | S | M | R, "N", false,
     "processes that read files (default: one for each CPU)"},
    {"output", 'o', 'W', R, "FILE", false, "file of the sums, which reduce and summary read again"},
    {"show", 0, 'F', R, NULL, false, "print the tables of rocpd summary"},
    {"keep-going", 'k', 'F', R, NULL, false,
     "inputs that cannot be read are told, counted and left out; with --tree they always are"},
    {"tree", 0, 'W', R, "mpi files", true,
     "every rank of a job runs this: each reads its share, rank 0 writes the sum of all; parts go "
     "by messages of MPI, or as files beside the output"},
    {"tree-id", 0, 'W', R, "WORD", false,
     "tells parts in files from those of other runs (default: the launcher's id of the step)"},
    {"tree-wait", 0, 'N', R, "SECONDS", false,
     "how long a part in a file is waited for (default 600)"},
    {"node-local", 0, 'F', R, NULL, false,
     "with --tree: inputs are on the node's own disk, and its ranks share them"},
    {"format", 0, 'W', Q | S | R, SHOW, true, "how to show it (default console)"},
};

_Static_assert(sizeof(rows) / sizeof(*rows) == ROCPD_OPTION_COUNT + 1, "a row for each option");
enum { ROWS = ROCPD_OPTION_COUNT + 1, FORMAT_OF_QUERY = ROCPD_OPTION_COUNT };

static const struct {
    const char *name, *help;
} commands[ROCPD_COMMAND_COUNT] = {
    {"convert", "files of other formats from databases"},
    {"query", "run SQL on one or several databases"},
    {"summary", "where the time went"},
    {"merge", "several databases become one"},
    {"package", "databases become a folder that is read as one"},
    {"reduce", "sums of some ranks as a file, to be added to those of others"},
};

/* Options of AMD's program for drawing pages and sending mail, which this program does not do. */
static const char *const refused[] = {
    "email-to",  "email-from",    "email-subject",   "smtp-server",    "smtp-port",
    "smtp-user", "smtp-password", "zip-attachments", "inline-preview", "template-path",
};

static char letter_of(int row, rocpd_command_t command)
{
    return row == FORMAT_OF_QUERY && (command == ROCPD_SUMMARY || command == ROCPD_REDUCE)
               ? 'f'
               : rows[row].letter;
}

static void print_help(int command)
{
    if (command < 0) {
        printf("Usage: rocpd COMMAND [options]\n       rocpd --help | --version\n\n"
               "Reads the databases that rocprofv3 writes.\n\nCommands:\n");
        for (int i = 0; i < ROCPD_COMMAND_COUNT; i++)
            printf("  %-10s %s\n", commands[i].name, commands[i].help);
        printf("\n'rocpd COMMAND --help' lists the options of one.\n");
        return;
    }
    printf("Usage: %s %s -i PATH... [options]\n\n%s\n\nOptions:\n",
           command == ROCPD_REDUCE ? "rocprofv3" : "rocpd", commands[command].name,
           commands[command].help);
    for (int i = 0; i < ROWS; i++) {
        char left[128], letter[8] = "", short_one = letter_of(i, (rocpd_command_t)command);
        const row_t *r = &rows[i];
        if (!(r->commands & 1u << command)) continue;
        if (short_one) snprintf(letter, sizeof(letter), "-%c, ", short_one);
        snprintf(left, sizeof(left), "%s--%s %s%s", letter, r->name,
                 r->choice   ? "WORD"
                 : r->values ? r->values
                             : "",
                 r->form == 'L' ? "..." : "");
        printf("  %-34s %s%s%s\n", left, r->help, r->choice ? ": " : "",
               r->choice ? r->values : "");
    }
}

static void print_version(void)
{
    struct utsname u = {0};
    uname(&u);
    printf("version: %s\nsystem_name: %s\nsystem_processor: %s\nsystem_version: %s\n",
           CROCPROF_VERSION, u.sysname, u.machine, u.release);
}

static int find_row(rocpd_command_t command, const base_arguments_t *a)
{
    for (int i = 0; i < ROWS; i++)
        if (rows[i].commands & 1u << command &&
            base_arguments_are(a, rows[i].name, letter_of(i, command)))
            return i;
    return -1;
}

static bool is_choice(const char *choices, const char *word)
{
    size_t bytes = strlen(word);
    for (const char *at = choices; *at; at += strcspn(at, " "), at += strspn(at, " "))
        if (strcspn(at, " ") == bytes && strncasecmp(at, word, bytes) == 0) return true;
    return false;
}

static int keep(rocpd_options_t *o, int row, const char *word)
{
    int option = row == FORMAT_OF_QUERY ? ROCPD_FORMAT : row;
    const row_t *r = &rows[row];
    if (r->choice && !is_choice(r->values, word)) {
        base_error("%s --%s: '%s' is none of: %s", commands[o->command].name, r->name, word,
                   r->values);
        return -1;
    }
    if (r->form == 'N' && (!*word || strspn(word, "0123456789") != strlen(word))) {
        base_error("%s --%s: '%s' is no whole number", commands[o->command].name, r->name, word);
        return -1;
    }
    size_t count = r->form == 'L' ? o->values[option].count : 0;
    if (!BASE_GROW_BY_ONE(o->values[option].words, count)) {
        base_error("out of memory");
        return -1;
    }
    o->values[option].words[count] = word;
    o->values[option].count = count + 1;
    o->values[option].given = true;
    return 0;
}

static int unknown(const rocpd_options_t *o, const char *word)
{
    for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++)
        if (strncmp(word, "--", 2) == 0 && strcmp(word + 2, refused[i]) == 0) {
            base_error("%s is refused: nothing here sends mail or fills in templates", word);
            return -1;
        }
    base_error("rocpd %s knows no '%s' (rocpd %s --help lists the options)",
               commands[o->command].name, word, commands[o->command].name);
    return -1;
}

/* Reads an option with its words. */
static int read_option(rocpd_options_t *o, base_arguments_t *a)
{
    const int row = a->option ? find_row(o->command, a) : -1;
    if (row < 0) return unknown(o, a->word);
    const row_t *r = &rows[row];
    const base_takes_t takes = r->form == 'F'   ? BASE_TAKES_NOTHING
                               : r->form == 'L' ? BASE_TAKES_SEVERAL
                                                : BASE_TAKES_ONE;
    const char *const *words;
    const size_t count = base_arguments_words(a, takes, &words);
    if (r->form == 'F' ? count : !count) {
        if (count)
            base_error("--%s takes no value", r->name);
        else
            base_error("--%s needs a value (%s)", r->name, r->values);
        return -1;
    }
    if (r->form == 'F') o->values[row].given = true;
    for (size_t i = 0; i < count; i++)
        if (keep(o, row, words[i]) != 0) return -1;
    return 0;
}

static bool excludes(const rocpd_options_t *o, rocpd_option_t a, rocpd_option_t b)
{
    if (!rocpd_given(o, a) || !rocpd_given(o, b)) return false;
    base_error("--%s and --%s exclude each other", rows[a].name, rows[b].name);
    return true;
}

static int check(const rocpd_options_t *o)
{
    static const rocpd_option_t needed[ROCPD_COMMAND_COUNT][2] = {
        [ROCPD_CONVERT] = {ROCPD_INPUT, ROCPD_FORMAT}, [ROCPD_QUERY] = {ROCPD_INPUT, ROCPD_SQL}};
    for (int i = 0; i < 2; i++) {
        rocpd_option_t option = needed[o->command][i];
        if (rocpd_given(o, option)) continue;
        base_error("rocpd %s needs --%s", commands[o->command].name, rows[option].name);
        return -1;
    }
    if ((o->command == ROCPD_SUMMARY || o->command == ROCPD_REDUCE) &&
        rocpd_form(rocpd_word(o, ROCPD_FORMAT, "")) == ROCPD_CLIPBOARD) {
        base_error("rocpd summary makes several tables, and a clipboard has room for one: "
                   "rocpd query --format clipboard copies the rows of a statement");
        return -1;
    }
    if (!rocpd_given(o, ROCPD_TREE))
        for (rocpd_option_t i = ROCPD_TREE_ID; i <= ROCPD_NODE_LOCAL; i++)
            if (rocpd_given(o, i)) {
                base_error("--%s needs --tree", rows[i].name);
                return -1;
            }
    return excludes(o, ROCPD_START, ROCPD_START_MARKER) || excludes(o, ROCPD_END, ROCPD_END_MARKER)
               ? -1
               : 0;
}

int rocpd_options_read(rocpd_options_t *o, int argc, char **argv, int *status)
{
    const char *word = argc > 1 ? argv[1] : "--help";
    int command = -1;
    memset(o, 0, sizeof(*o));
    *status = 0;
    for (int i = 0; i < ROCPD_COMMAND_COUNT; i++)
        if (strcmp(word, commands[i].name) == 0) command = i;
    if (command < 0) {
        if (strcmp(word, "--version") == 0 || strcmp(word, "-v") == 0)
            print_version();
        else if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
            print_help(-1);
        else {
            base_error("'%s' is none of: convert query summary merge package reduce", word);
            *status = EXIT_USAGE;
        }
        return -1;
    }
    o->command = (rocpd_command_t)command;
    for (base_arguments_t a = {.argc = argc, .argv = argv, .next = 2}; base_arguments_next(&a);) {
        if (a.option && base_arguments_are(&a, "help", 'h')) {
            print_help(command);
            return -1;
        }
        if (read_option(o, &a) != 0) {
            *status = EXIT_USAGE;
            return -1;
        }
    }
    *status = check(o) == 0 ? 0 : EXIT_USAGE;
    return *status ? -1 : 0;
}

void rocpd_options_free(rocpd_options_t *o)
{
    for (int i = 0; i < ROCPD_OPTION_COUNT; i++)
        free(o->values[i].words);
}

const char *rocpd_word(const rocpd_options_t *o, rocpd_option_t option, const char *otherwise)
{
    return o->values[option].count ? o->values[option].words[0] : otherwise;
}

unsigned rocpd_workers(const rocpd_options_t *o, size_t files)
{
    /* a rank of an MPI job has one processor, and must not fork once MPI has begun */
    const char *tree = rocpd_word(o, ROCPD_TREE, NULL);
    const char *jobs =
        tree && strcasecmp(tree, "mpi") == 0 ? "1" : rocpd_word(o, ROCPD_JOBS, tree ? "1" : "0");
    const unsigned long wanted = strtoul(jobs, NULL, 10);
    return base_pool_size(wanted > BASE_POOL_MAX ? BASE_POOL_MAX : (unsigned)wanted, files);
}
