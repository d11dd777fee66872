/* arguments.h - command lines of AMD's commands, as Python's argparse reads them: an option takes
 * the words that follow it, up to the next option. This project's own commands use argp. */
#ifndef CROCPROF_BASE_ARGUMENTS_H
#define CROCPROF_BASE_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    int argc, next; /* `next`: index of the word to be read, 1 at first */
    char **argv;
    /* The result of base_arguments_next(): */
    const char *word;
    bool option;          /* --name, --name=value, -x, -xvalue or -x=value */
    const char *name;     /* name of the option, `bytes` long, or a letter */
    size_t bytes;         /* 0: `name` is a single letter */
    const char *attached; /* the value in the option's own word, or NULL */
} base_arguments_t;

typedef enum {
    BASE_TAKES_NOTHING,
    BASE_TAKES_TRUTH, /* a word with a truth value (base_truth), if there is one */
    BASE_TAKES_ONE,   /* one word */
    BASE_TAKES_SEVERAL
} base_takes_t;

/* Reads a word. Returns false at the end. "-" alone is not an option. */
bool base_arguments_next(base_arguments_t *a);

/* Returns whether the option has this name or letter; `letter` is 0 if there is none. */
bool base_arguments_are(const base_arguments_t *a, const char *name, char letter);

/* Takes the words that belong to the option: its attached value, or words of argv that follow it.
 * Returns their number. */
size_t base_arguments_words(base_arguments_t *a, base_takes_t takes, const char *const **words);

#endif
