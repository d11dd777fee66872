/* extra.h - definitions of counters that the user adds (-E), on their way through the environment.
 *
 * Apart because rocprofv3 sends them and two programs receive them. Small texts go themselves,
 * since the program may see other files, or see the file changed; what is too large for a variable
 * of the environment goes as the path of its file. */
#ifndef CROCPROF_TRACE_EXTRA_H
#define CROCPROF_TRACE_EXTRA_H

#include <stddef.h>

/* The kernel takes no variable beyond 128 KiB. */
enum { TRACE_EXTRA_VARIABLE_MAX = 120 << 10, TRACE_EXTRA_MAX = 1 << 20 };

#define TRACE_EXTRA_CONTENTS "ROCPROF_EXTRA_COUNTERS_CONTENTS"
/* The file's name, for messages too; the SDK reads it and the next. */
#define TRACE_EXTRA_FILE "ROCPROF_EXTRA_COUNTERS_FILE"
/* Set: wrong entries have been told of already. */
#define TRACE_EXTRA_TOLD "ROCPROF_EXTRA_COUNTERS_TOLD"

/* Sets the variables for a text that was read from `path`. 0, or -1 with a line in `why`. */
int trace_extra_send(const char *path, const char *text, size_t bytes, char *why, size_t why_bytes);

/* The text that was sent, to be freed; NULL with an empty `why` if there is none, NULL with a line
 * in `why` if it cannot be read. */
char *trace_extra_receive(char *why, size_t why_bytes);

#endif
