/* lines.h - writes whole lines to standard error, or to the end of a file that an environment
 * variable names.
 *
 * If the program has closed the file's descriptor, the file is opened again. If the output is a
 * pipe without a reader, lines are dropped and the program goes on. If the file takes no more
 * lines, an error is logged once. */
#ifndef CROCPROF_BASE_LINES_H
#define CROCPROF_BASE_LINES_H

#include "base/file.h"

typedef struct {
    const char *variable;
    int fd;
    base_file_id_t file; /* identity of the file behind `fd`, unless that is standard error */
    bool told;           /* it has been logged that the file takes no more lines */
} base_lines_t;

/* Opens the file that the environment variable names. If the variable is unset or empty, lines go
 * to standard error. They do so, too, if the file cannot be opened; the log then says that `what`
 * goes to standard error. */
void base_lines_open(base_lines_t *l, const char *variable, const char *what);

/* To be called by one thread at a time, since lines would be mixed otherwise. */
void base_lines_write(base_lines_t *l, const char *text, size_t length);

#endif
