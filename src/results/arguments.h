/* arguments.h - reads the command lines of the sub-commands that read results: one reader for all
 * of them, each of which lists the options that it takes. */
#ifndef CROCPROF_RESULTS_ARGUMENTS_H
#define CROCPROF_RESULTS_ARGUMENTS_H

#include "results/values.h"
#include "results/verdicts.h"

/* Comments name the letters of options. An option that a command does not list is refused. */
typedef struct {
    res_format_t format; /* f: one of `formats`; the caller sets the default before */
    const char *output;  /* o */
    bool update;         /* u */
    bool code;           /* c */
    bool times;          /* T */
    double tolerance;    /* t, in percent: a share */
    size_t limit;        /* n */
    size_t bytes;        /* b, at least bytes_least */
    char **words;        /* arguments that are no options */
    size_t count;
    /* what the command allows, set by the caller */
    unsigned formats; /* bits, 1 << res_format_t */
    size_t bytes_least, words_least, words_most;
} res_arguments_t;

struct argp_option;

/* Reads the command line, or ends the process: after help, or by RES_EXIT_TROUBLE with the reason
 * told. `name` is the command's with rocprofv3 before it; `takes` says in the help which words
 * there are, `help` what the command does. */
void res_arguments(res_arguments_t *a, int argc, char **argv, char *name,
                   const struct argp_option *options, const char *takes, const char *help);

/* Reads the databases of the paths and calls `use` with them and `data`. Returns what `use`
 * returns, or RES_EXIT_TROUBLE with the reason told. */
typedef int (*res_use_t)(res_run_t *r, const res_values_t *v, void *data);
int res_read(char *const *paths, size_t count, res_use_t use, void *data);
/* The same where `use` asks for calls and copies, too: records are read once. */
int res_read_whole(char *const *paths, size_t count, res_use_t use, void *data);

#endif
