/* status_line.h - rocprofv3 --progress: one line at the bottom of the terminal while a program
 * runs.
 *
 * The last row is reserved for the line: the program scrolls in the rows above it. The line is
 * drawn in a single write that also restores the cursor, so the program's output is not disturbed.
 * However this process ends, the row is freed. Nothing is drawn if the output is not a terminal, or
 * in the background. */
#ifndef CROCPROF_CLI_STATUS_LINE_H
#define CROCPROF_CLI_STATUS_LINE_H

typedef struct cli_status_line cli_status_line_t;

/* Begins to show the counts of the run's records, on a thread that blocks all signals; NULL if
 * there is no terminal to draw on. */
cli_status_line_t *cli_status_line_begin(const char *run);
/* Erases the line and frees the row. NULL is allowed. */
void cli_status_line_end(cli_status_line_t *l);

#endif
