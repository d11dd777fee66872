/* options.h - rocprofv3's command line, according to the table of settings (trace/settings.h). */
#ifndef CROCPROF_CLI_OPTIONS_H
#define CROCPROF_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "trace/settings.h"

/* The settings that have an option: CLI_HELP is TRACE_SET_HELP. */
typedef enum {
#define OPTION(id, ...) CLI_##id,
#include "trace/settings.def"
    CLI_OPTION_COUNT
} cli_option_id_t;

typedef struct {
    /* NULL if the option is not given; "1" or "0" for BOOL; for lists, words separated by line
     * feeds; for groups, one group per line, with words separated by blanks. */
    char *values[CLI_OPTION_COUNT];
    unsigned lines[CLI_OPTION_COUNT]; /* line in the input file; 0: on the command line */
    char **program;                   /* the words after "--", or NULL */
} cli_command_t;

/* Parses the command line. Returns 0, or -1 with one line in `why`. cli_command_free() is to be
 * called in both cases. */
int cli_parse(cli_command_t *c, int argc, char **argv, char *why, size_t why_bytes);
void cli_command_free(cli_command_t *c);

/* Returns the row of an option for a key of an input file, which has underscores for hyphens; -1
 * with a line in `why` if the name is unknown, refused, or not allowed in a file. */
int cli_find_key(const char *key, char *why, size_t why_bytes);

/* Returns the option with this name or alias; -1 if there is none. */
int cli_find_option(const char *name, size_t bytes);

/* Sets an option to these words, with the same checks as on the command line. Returns 0, or -1 with
 * a line in `why`. */
int cli_set(cli_command_t *c, size_t option, const char *const *words, size_t count, char *why,
            size_t why_bytes);

/* Returns the first given option behind option `i`, and with -1 the first of all; -1 if there is
 * none. An option counts as given, too, if another one has turned it on. */
int cli_next_given(const cli_command_t *c, int i);

bool cli_is_on(const cli_command_t *c, cli_option_id_t option);

/* Returns true if any tracing option is on. */
bool cli_traces(const cli_command_t *c);

/* Returns true if hardware counters are to be collected. */
bool cli_counts(const cli_command_t *c);

/* Returns true if counters are to be sampled while kernels run. */
static inline bool cli_streams(const cli_command_t *c)
{
    return c->values[CLI_SPM];
}

/* Returns true if anything is recorded: calls, counters, thread traces, samples. */
static inline bool cli_records(const cli_command_t *c)
{
    return cli_traces(c) || cli_counts(c) || cli_streams(c) || cli_is_on(c, CLI_ATT) ||
           cli_is_on(c, CLI_ATT_NO_INTERCEPT) || c->values[CLI_PC_SAMPLING_METHOD] ||
           cli_is_on(c, CLI_INSTRUCTION_COUNTS);
}

/* Turns on the options that others imply, then sets the variables of all options. Returns 0, or the
 * exit status and a line in `why`. */
int cli_apply(cli_command_t *c, char *why, size_t why_bytes);

void cli_print_help(void);

#endif
