/* lines.h - whole lines for people: to standard error, or to the end of a file that a variable
 * names.
 *
 * The program may close what it has not opened: the file is then opened again. Where nobody reads
 * the lines any more, the program goes on; a file that takes no more is told, once. */
#ifndef CROCPROF_BASE_LINES_H
#define CROCPROF_BASE_LINES_H

#include "base/file.h"

typedef struct {
    const char *variable;
    int fd;
    base_file_id_t file; /* of fd, unless it is standard error */
    bool told;           /* that the file takes no more */
} base_lines_t;

/* Unset or empty: standard error, as for a file that cannot be opened, which is told: `what` goes
 * elsewhere then. */
void base_lines_open(base_lines_t *l, const char *variable, const char *what);

/* One thread at a time, lest lines be mixed. */
void base_lines_write(base_lines_t *l, const char *text, size_t length);

#endif
