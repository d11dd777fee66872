/* arguments.h - the words of the sub-commands that read results: one reader for all of them, each
 * with the options that it lists. */
#ifndef CROCPROF_RESULTS_ARGUMENTS_H
#define CROCPROF_RESULTS_ARGUMENTS_H

#include "results/values.h"
#include "results/verdicts.h"

/* Letters of options; what a command does not list is refused. */
typedef struct {
    res_format_t format; /* f: of those allowed; to begin with the usual one */
    const char *output;  /* o */
    bool update;         /* u */
    bool times;          /* T */
    double tolerance;    /* t, in percent: a share */
    size_t limit;        /* n */
    size_t bytes;        /* b, at least bytes_least */
    char **words;        /* that are no options */
    size_t count;
    /* what the command allows */
    unsigned formats; /* bits, 1 << res_format_t */
    size_t bytes_least, words_least, words_most;
} res_arguments_t;

struct argp_option;

/* Reads them, or ends the process: help, or RES_EXIT_TROUBLE with the reason told. `name` is the
 * command's with rocprofv3 before it, `takes` says which words there are, `help` what it does. */
void res_arguments(res_arguments_t *a, int argc, char **argv, char *name,
                   const struct argp_option *options, const char *takes, const char *help);

/* Reads the runs that are named and hands them on, with `data`. What `use` returns, or
 * RES_EXIT_TROUBLE with the reason told. */
typedef int (*res_use_t)(res_run_t *r, const res_values_t *v, void *data);
int res_read(char *const *paths, size_t count, res_use_t use, void *data);

#endif
