/* status_line.h - rocprofv3 --progress: one line at the bottom of the terminal while a program
 * runs.
 *
 * The line has the last row to itself: the program scrolls in the rows above it. Each time it is
 * drawn in one write that brings the cursor back, so what the program writes stays what it was.
 * However this process ends, the row is given back. On anything but a terminal, and in the
 * background, nothing is drawn. */
#ifndef CROCPROF_CLI_STATUS_LINE_H
#define CROCPROF_CLI_STATUS_LINE_H

typedef struct cli_status_line cli_status_line_t;

/* Begins to show what the run records, by a thread of its own that takes no signals; NULL where
 * there is nothing to draw on. */
cli_status_line_t *cli_status_line_begin(const char *run);
/* The line is gone, the rows are as they were. NULL is allowed. */
void cli_status_line_end(cli_status_line_t *l);

#endif
