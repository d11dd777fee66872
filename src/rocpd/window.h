/* window.h - the part of the time that --start, --end and related options select. */
#ifndef CROCPROF_ROCPD_WINDOW_H
#define CROCPROF_ROCPD_WINDOW_H

#include <stdbool.h>

#include "rocpd/files.h"

typedef struct {
    long long begin, end;
    bool inclusive, whole; /* `whole`: there is no window */
} rocpd_window_t;

/* Reads the window from the options; percentages and markers refer to all files together, and the
 * bounds are printed. Returns 0, or -1 after reporting the reason. */
int rocpd_window_find(rocpd_window_t *w, const rocpd_files_t *f, const rocpd_options_t *o);

/* Returns SQL: " WHERE" and a condition that is true for the rows of the table in the window; "" if
 * all rows are. To be freed with sqlite3_free(); NULL if there is no memory. */
char *rocpd_window_condition(const rocpd_window_t *w, const char *table);

#endif
