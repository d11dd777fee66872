/* run.h - run.conf: the settings of a run, kept for a conversion after rocprofv3 itself is gone.
 *
 * One ROCPROF_* variable per line, NAME=value, with \n and \\ for line breaks and backslashes. */
#ifndef CROCPROF_TRACE_RUN_H
#define CROCPROF_TRACE_RUN_H

#include <stddef.h>

typedef struct trace_run trace_run_t;

/* Writes the ROCPROF_* variables of the environment to `directory`/run.conf. Returns 0, or -1 with
 * errno. */
int trace_run_write(const char *directory);

/* Reads run.conf. Returns NULL with errno if that is not possible. */
trace_run_t *trace_run_read(const char *directory);

/* Returns the value of a variable or NULL; `run` is a trace_run_t (void for use as a callback). */
const char *trace_run_value(const void *run, const char *name);
void trace_run_free(trace_run_t *run);

/* Adds a variable that was not in the environment of the run's processes. Returns 0, or -1 with
 * errno. */
int trace_run_add(const char *directory, const char *name, const char *value);

#endif
