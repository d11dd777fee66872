/* table.h - lines of a table for people: cells side by side, padded to the widths of their columns.
 *
 * Widths are counted in characters of UTF-8, not in bytes. Who writes a table measures its cells
 * first and asks for its lines then, so that no table has to be kept in memory. */
#ifndef CROCPROF_BASE_TABLE_H
#define CROCPROF_BASE_TABLE_H

#include <stddef.h>

/* In the centre: the larger half of an odd gap is behind the text. */
typedef enum { BASE_LEFT, BASE_RIGHT, BASE_CENTRE } base_align_t;

typedef struct {
    size_t width;
    base_align_t align;
} base_column_t;

/* What stands around the cells of a line. If nothing stands behind the last cell, it is not padded.
 */
typedef struct {
    const char *before, *between, *after;
} base_frame_t;

/* Makes the column at least as wide as the text. */
void base_column_fit(base_column_t *column, const char *text);

/* Writes a line, without its end, piece by piece. */
void base_table_line(const base_column_t *columns, size_t count, const char *const *cells,
                     const base_frame_t *frame, void (*put)(void *to, const char *text), void *to);

#endif
