/* left_out.c - see left_out.h. It calls functions of the C library that front_library.c has, and no
 * others. Options and ranks are read by the code with which the launcher reads them. */
#include "cli/left_out.h"

#include <stdbool.h>
#include <string.h>

#include "base/arguments.h"
#include "base/words.h"
#include "cli/options.h"
#include "cli/spelling.h"
#include "trace/ranks.h"

/* What the command line has said so far. */
typedef struct {
    const char *ranks; /* the list of --ranks, or NULL */
    bool on[CLI_OPTION_COUNT];
} said_t;

/* Variables that steer rocprofv3, its libraries and its tool begin with this. */
#define OURS "ROCP"

/* Options that mean nothing to a rank that is left out, that no rule forbids or needs beside each
 * other, and whose values are right if their form is. All others are left to the launcher. */
static bool is_plain(int option)
{
    switch (option) {
    case CLI_OUTPUT_FILE:
    case CLI_OUTPUT_DIRECTORY:
    case CLI_OUTPUT_FORMAT:
    case CLI_OUTPUT_CONFIG:
    case CLI_STATS:
    case CLI_SUMMARY:
    case CLI_SUMMARY_PER_DOMAIN:
    case CLI_SUMMARY_OUTPUT_FILE:
    case CLI_SUMMARY_UNITS:
    case CLI_MANGLED_KERNELS:
    case CLI_TRUNCATE_KERNELS:
    case CLI_KERNEL_RENAME:
    case CLI_PROFILE_MPI_RANKS:
    case CLI_GROUP_BY_QUEUE:
    case CLI_PROCESS_SYNC:
    case CLI_SYNC_CLOCKS:
    case CLI_PROGRESS: return true;
    default: return trace_setting_traces((trace_setting_id_t)option);
    }
}

/* Returns whether all words are among the choices. There are limits to the length of a list that
 * only a list with many repetitions can reach. */
static bool are_choices(const char *choices, const char *const *words, size_t count)
{
    enum { WORDS_MOST = 16 };
    for (size_t i = 0; i < count; i++)
        if (trace_word_among(choices, words[i], strlen(words[i]), NULL) < 0) return false;
    return count > 0 && count <= WORDS_MOST;
}

/* Takes the words of an option. Returns false if they are not plainly right. */
static bool take_words(said_t *said, base_arguments_t *a, int option)
{
    const trace_setting_t *o = &trace_settings[option];
    const char *const *words;
    const size_t count = base_arguments_words(a, cli_option_takes(o->form), &words);
    const int truth = !count ? 1 : count == 1 ? base_truth(words[0]) : -1;
    switch (o->form) {
    case TRACE_FORM_BOOL:
    case TRACE_FORM_NOT:
    case TRACE_FORM_PARTS: said->on[option] = truth > 0; return truth >= 0;
    case TRACE_FORM_CHOICE: return count == 1 && are_choices(o->words, words, count);
    case TRACE_FORM_CHOICES: return are_choices(o->words, words, count);
    case TRACE_FORM_TEXT:
        if (count && option == CLI_PROFILE_MPI_RANKS) said->ranks = words[0];
        return count == 1;
    default: return false;
    }
}

static bool traces(const said_t *said)
{
    for (int i = 0; i < CLI_OPTION_COUNT; i++)
        if (said->on[i] && trace_setting_traces((trace_setting_id_t)i)) return true;
    return false;
}

/* Reads the options. Returns the program, or NULL if there is none, or if an option is not
 * plain. */
static char **read_options(said_t *said, int argc, char **argv)
{
    base_arguments_t a = {.argc = argc, .argv = argv, .next = 1};
    while (base_arguments_next(&a)) {
        if (strcmp(a.word, "--") == 0) return a.next < argc ? argv + a.next : NULL;
        const int option = a.option ? cli_option_spelt(&a) : -1;
        if (option < 0 || !is_plain(option) || !take_words(said, &a, option)) return NULL;
    }
    return NULL;
}

static bool steers(char **environment)
{
    for (; *environment; environment++)
        if (strncmp(*environment, OURS, sizeof(OURS) - 1) == 0) return true;
    return false;
}

const char *cli_variable(const void *environment, const char *name)
{
    const size_t bytes = strlen(name);
    for (char *const *at = environment; *at; at++)
        if (strncmp(*at, name, bytes) == 0 && (*at)[bytes] == '=') return *at + bytes + 1;
    return NULL;
}

/* Returns whether the list is right, the rank is known, and the list has other ranks. */
static bool leaves_out(const char *list, char **environment)
{
    const trace_variables_t variables = {cli_variable, environment};
    const trace_rank_t here = trace_rank(NULL, NULL, &variables);
    trace_ranks_t found;
    const char *wrong;
    if (here.rank < 0 || trace_ranks_find(list, here.rank, &found, &wrong) != TRACE_LIST_RIGHT)
        return false;
    return !found.has && (here.size < 0 || found.most < here.size);
}

char **cli_left_out(int argc, char **argv, char **environment)
{
    said_t said = {0};
    char **program = read_options(&said, argc, argv);
    if (!program || !**program || !said.ranks || steers(environment)) return NULL;
    if (said.on[CLI_STATS] && !traces(&said)) return NULL; /* which is refused */
    return leaves_out(said.ranks, environment) ? program : NULL;
}
