/* window.h - the part of the time that --start, --end and their like choose. */
#ifndef CROCPROF_ROCPD_WINDOW_H
#define CROCPROF_ROCPD_WINDOW_H

#include <stdbool.h>

#include "rocpd/files.h"

typedef struct {
    long long begin, end;
    bool inclusive, whole; /* whole: there is no window */
} rocpd_window_t;

/* Reads the window from the options; percentages and markers are those of all files together, and
 * the bounds are printed. 0, or -1 with the reason told. */
int rocpd_window_find(rocpd_window_t *w, const rocpd_files_t *f, const rocpd_options_t *o);

/* SQL: " WHERE" and a condition that is true for the rows of the table in the window; "" if all
 * rows are. To be freed with sqlite3_free(); NULL: no memory. */
char *rocpd_window_condition(const rocpd_window_t *w, const char *table);

#endif
