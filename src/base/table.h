/* table.h - lines of a table as text: cells side by side, padded to the widths of their columns.
 *
 * Widths are counted in characters of UTF-8, not in bytes. The caller first measures all cells,
 * then writes the lines, so that no table has to be kept in memory. */
#ifndef CROCPROF_BASE_TABLE_H
#define CROCPROF_BASE_TABLE_H

#include <stddef.h>

/* BASE_CENTRE: if the gap is odd, the larger half is behind the text. */
typedef enum { BASE_LEFT, BASE_RIGHT, BASE_CENTRE } base_align_t;

typedef struct {
    size_t width;
    base_align_t align;
} base_column_t;

/* The texts around the cells of a line. If `after` is empty, the last cell is not padded. */
typedef struct {
    const char *before, *between, *after;
} base_frame_t;

/* Makes the column at least as wide as the text. */
void base_column_fit(base_column_t *column, const char *text);

/* Writes a line, without its end, in several pieces. */
void base_table_line(const base_column_t *columns, size_t count, const char *const *cells,
                     const base_frame_t *frame, void (*put)(void *to, const char *text), void *to);

#endif
