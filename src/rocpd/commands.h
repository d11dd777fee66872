/* commands.h - the sub-commands; a new one is a row in main.c and an enumerator of rocpd_command_t.
 * Each returns 0, or -1 after reporting the reason. */
#ifndef CROCPROF_ROCPD_COMMANDS_H
#define CROCPROF_ROCPD_COMMANDS_H

#include "rocpd/base.h"
#include "rocpd/partial.h"
#include "rocpd/table.h"

int rocpd_convert(const rocpd_options_t *o, const rocpd_files_t *f);
int rocpd_query(const rocpd_options_t *o, const rocpd_files_t *f);
int rocpd_summary(const rocpd_options_t *o, const rocpd_files_t *f);
int rocpd_merge(const rocpd_options_t *o, const rocpd_files_t *f);
int rocpd_package(const rocpd_options_t *o, const rocpd_files_t *f);

/* rocprofv3 reduce, whose command line is read like that of rocpd's sub-commands. argv begins with
 * the command's name; the program's name must be the word before it. Returns the exit status. */
int rocpd_reduce_command(int argc, char **argv);

/* Shows sums as rocpd summary does. Returns 0, or -1 after reporting the reason. */
int rocpd_summary_show(const rocpd_options_t *o, const rocpd_partial_t *whole);

/* Runs one statement and shows its rows: on standard output, below `title` (or NULL), or in the
 * output file that the options name, with `suffix` ("" or _WORD) behind its name. Returns 0; 1 if
 * there were no rows; -1 after reporting the reason. */
int rocpd_show(const db_t *db, const rocpd_options_t *o, const char *sql, const char *title,
               const char *suffix);

/* Appends the rows of a statement to a CSV file; the line of columns comes before the first of
 * them. *rows is the number of rows so far. Returns 0, or -1 after reporting the reason. */
int rocpd_append_csv(const db_t *db, const char *sql, out_file_t *f, long long *rows);

#endif
