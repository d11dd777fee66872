/* arguments.h - reads the command lines of the sub-commands that read results: one function for all
 * of them, to which each passes the options that it takes. */
#ifndef CROCPROF_RESULTS_ARGUMENTS_H
#define CROCPROF_RESULTS_ARGUMENTS_H

#include "results/values.h"
#include "results/verdicts.h"

/* The letters in comments are those of the options. An option that a command does not list is
 * refused. */
typedef struct {
    res_format_t format; /* f: one of `formats`; the caller sets the default */
    const char *output;  /* o */
    bool update;         /* u */
    bool code;           /* c */
    bool times;          /* T */
    double tolerance;    /* t, in percent: a share */
    size_t limit;        /* n */
    size_t bytes;        /* b, at least bytes_least */
    char **words;        /* arguments that are not options */
    size_t count;
    /* set by the caller: what the command allows */
    unsigned formats; /* bit set of 1 << res_format_t */
    size_t bytes_least, words_least, words_most;
} res_arguments_t;

struct argp_option;

/* Reads the command line, or ends the process: after printing help, or by RES_EXIT_TROUBLE after
 * reporting the reason. `name` is that of the command, with rocprofv3 before it; `takes` lists the
 * words for the help text, and `help` describes the command. */
void res_arguments(res_arguments_t *a, int argc, char **argv, char *name,
                   const struct argp_option *options, const char *takes, const char *help);

/* Reads the databases of the paths and calls `use` with them and `data`. Returns the result of
 * `use`, or RES_EXIT_TROUBLE after reporting the reason. */
typedef int (*res_use_t)(res_run_t *r, const res_values_t *v, void *data);
int res_read(char *const *paths, size_t count, res_use_t use, void *data);
/* The same for a `use` that needs calls and copies, too: then records are read only once. */
int res_read_whole(char *const *paths, size_t count, res_use_t use, void *data);

#endif
