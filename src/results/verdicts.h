/* verdicts.h - writes the verdicts of check and diff, row by row, as text, Markdown or JUnit XML,
 * and determines their exit statuses. */
#ifndef CROCPROF_RESULTS_VERDICTS_H
#define CROCPROF_RESULTS_VERDICTS_H

#include "results/grid.h"

typedef enum { RES_KEPT, RES_BROKEN, RES_UNCHECKED, RES_OUTCOME_COUNT } res_outcome_t;

/* Exit statuses, the same as those of diff(1). */
enum { RES_EXIT_KEPT = 0, RES_EXIT_BROKEN = 1, RES_EXIT_TROUBLE = 2 };

typedef enum { RES_TEXT, RES_MARKDOWN, RES_JUNIT, RES_JSON, RES_FORMAT_COUNT } res_format_t;

typedef struct {
    res_outcome_t outcome;
    char *group, *name; /* of the test case */
    char *message;      /* why the rule is not kept, or "" */
} res_verdict_t;

typedef struct {
    const char *title;                    /* title of the suite */
    const char *words[RES_OUTCOME_COUNT]; /* names of the outcomes in the line that counts them */
    res_grid_t grid;
    res_verdict_t *rows; /* first those of the grid's rows; further ones are in no table */
    size_t count, counts[RES_OUTCOME_COUNT];
    bool failed; /* out of memory */
} res_verdicts_t;

/* Adds a verdict on the subject of the grid's next row, or on something without a row. */
void res_verdict(res_verdicts_t *v, res_outcome_t outcome, const char *group, const char *message,
                 const char *name, ...) __attribute__((format(printf, 5, 6)));
/* Returns RES_EXIT_BROKEN if anything is broken, else RES_EXIT_TROUBLE if anything is not
 * checked. */
int res_verdicts_status(const res_verdicts_t *v);
/* Writes the verdicts to standard output. With a path, it writes them to that file in the format,
 * and to standard output as text. Returns 0, or -1 after reporting the reason. */
int res_verdicts_write(const res_verdicts_t *v, res_format_t format, const char *path);
void res_verdicts_free(res_verdicts_t *v);

/* Returns the format that the word names, if its bit (1 << format) is set in `allowed`; else -1
 * after reporting the reason. */
int res_format(const char *word, unsigned allowed);

/* Writes the text to a file, completely or not at all. Returns 0, or -1 after reporting the
 * reason. */
int res_save(const char *path, const char *text, size_t bytes);

#endif
