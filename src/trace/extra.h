/* extra.h - passes counter definitions that the user adds (-E) through the environment.
 *
 * rocprofv3 sends the text itself, because the program may run in another root directory, and the
 * file may change before it starts. A text that is too large for an environment variable is passed
 * as the path of its file. */
#ifndef CROCPROF_TRACE_EXTRA_H
#define CROCPROF_TRACE_EXTRA_H

#include <stddef.h>

/* The kernel accepts no environment variable larger than 128 KiB. */
enum { TRACE_EXTRA_VARIABLE_MAX = 120 << 10, TRACE_EXTRA_MAX = 1 << 20 };

/* Sets the variables for a text that was read from `path`. Returns 0, or -1 with a line in
 * `why`. */
int trace_extra_send(const char *path, const char *text, size_t bytes, char *why, size_t why_bytes);

/* Returns the text that was sent, which the caller frees; NULL with an empty `why` if none was
 * sent, NULL with a line in `why` if it cannot be read. */
char *trace_extra_receive(char *why, size_t why_bytes);

#endif
