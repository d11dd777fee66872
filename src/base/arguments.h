/* arguments.h - command lines of AMD's commands, as Python's argparse reads them: an option takes
 * words that stand behind it, up to the next option. Commands of our own use argp. */
#ifndef CROCPROF_BASE_ARGUMENTS_H
#define CROCPROF_BASE_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    int argc, next; /* next: place of the word to be read; 1 at first */
    char **argv;
    /* What base_arguments_next() has read: */
    const char *word;
    bool option;          /* --name, --name=value, -x, -xvalue or -x=value */
    const char *name;     /* of the option: `bytes` of it, or a letter */
    size_t bytes;         /* 0: `name` is a letter */
    const char *attached; /* value in the option's own word, or NULL */
} base_arguments_t;

typedef enum {
    BASE_TAKES_NOTHING,
    BASE_TAKES_TRUTH, /* a word with a truth value (base_truth), if there is one */
    BASE_TAKES_ONE,   /* one word */
    BASE_TAKES_SEVERAL
} base_takes_t;

/* Reads a word. False at the end. "-" alone is no option. */
bool base_arguments_next(base_arguments_t *a);

/* Is the option spelt so? `letter`: 0 if it has none. */
bool base_arguments_are(const base_arguments_t *a, const char *name, char letter);

/* Takes the words that belong to the option: its attached value, or words behind it, in argv.
 * Returns their number. */
size_t base_arguments_words(base_arguments_t *a, base_takes_t takes, const char *const **words);

#endif
