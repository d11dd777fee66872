/* grid.h - a table of texts with aligned columns, or in Markdown. */
#ifndef CROCPROF_RESULTS_GRID_H
#define CROCPROF_RESULTS_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct {
    const char *const *heads; /* heads of the columns; if a head begins with '>', its column is
                               * aligned to the right */
    size_t columns;
    char **cells; /* row by row */
    size_t count;
    bool failed; /* out of memory */
} res_grid_t;

void res_grid_begin(res_grid_t *g, const char *const *heads, size_t columns);
/* Sets the next cell. */
void res_grid_cell(res_grid_t *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
size_t res_grid_rows(const res_grid_t *g);
/* Both write nothing if the table has no rows. */
void res_grid_text(const res_grid_t *g, FILE *f);
void res_grid_markdown(const res_grid_t *g, FILE *f);
void res_grid_free(res_grid_t *g);

#endif
