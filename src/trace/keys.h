/* keys.h - replaces %key% and {key} in output directories and file names.
 *
 * Two programs must expand a name in the same way: the tool library, for the process it runs in,
 * and rocprofv3, which refuses a bad name before the program starts. The keys are the rows of one
 * table in keys.c. */
#ifndef CROCPROF_TRACE_KEYS_H
#define CROCPROF_TRACE_KEYS_H

#include <stddef.h>
#include <sys/types.h>
#include <time.h>

enum { TRACE_PATH_MAX = 4096 };

typedef struct {
    int argc;
    char **argv; /* the program and its arguments */
    pid_t pid, ppid, pgid, sid;
    time_t launch;
    const char *hostname, *cwd;
    const char *(*env)(const char *name);
} trace_keys_t;

/* Collects the facts about the calling process; `argv` comes from /proc. Facts that cannot be read
 * stay empty. To be freed with trace_keys_free(). */
trace_keys_t *trace_keys_current(void);
void trace_keys_free(trace_keys_t *k);

/* Replaces the command line in the facts by that of a program which is yet to be started. `argv`
 * has to live as long as `k`. */
void trace_keys_of_command(trace_keys_t *k, char **argv);

/* Writes `name` with all keys replaced. Keys in the values of environment variables are replaced,
 * too; words of the command line are inserted without a further replacement, even if they look like
 * keys. Returns 0, or -1 with one line in `why`: an unknown key, a brace that is not closed, a
 * result that is too long. */
int trace_keys_expand(const trace_keys_t *k, const char *name, char *out, size_t out_bytes,
                      char *why, size_t why_bytes);

#endif
