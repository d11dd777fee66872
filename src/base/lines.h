/* lines.h - whole lines for people: to standard error, or to the end of a file that an environment
 * variable names.
 *
 * If the program has closed our descriptor, the file is opened again. If nobody reads the lines any
 * more, they are dropped and the program goes on. If the file takes no more, an error is logged
 * once. */
#ifndef CROCPROF_BASE_LINES_H
#define CROCPROF_BASE_LINES_H

#include "base/file.h"

typedef struct {
    const char *variable;
    int fd;
    base_file_id_t file; /* of fd, unless it is standard error */
    bool told;           /* the error that the file takes no more has been logged */
} base_lines_t;

/* Opens the file that the environment variable names. If the variable is unset or empty, lines go
 * to standard error; also if the file cannot be opened, and then the log says that `what` goes to
 * standard error. */
void base_lines_open(base_lines_t *l, const char *variable, const char *what);

/* For one thread at a time, or lines would be mixed. */
void base_lines_write(base_lines_t *l, const char *text, size_t length);

#endif
