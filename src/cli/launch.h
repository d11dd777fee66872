/* launch.h - runs the program as a child, as if rocprofv3 were not there.
 *
 * The child keeps terminal, streams, working directory and process group. Signals sent to rocprofv3
 * are passed on to the child, except those of the terminal, which it gets anyway. */
#ifndef CROCPROF_CLI_LAUNCH_H
#define CROCPROF_CLI_LAUNCH_H

#include <signal.h>
#include <stddef.h>
#include <sys/types.h>

/* Exit statuses as of env(1) and timeout(1); for a failed conversion as in sysexits.h. */
enum {
    CLI_EXIT_USAGE = 2,
    CLI_EXIT_CONVERSION = 74,
    CLI_EXIT_SETUP = 125,
    CLI_EXIT_NOT_EXECUTABLE = 126,
    CLI_EXIT_NOT_FOUND = 127
};

/* Finds the program as the shell does. Returns 0, or the exit status with a line in `why`. */
int cli_find_program(const char *name, char *path, size_t path_bytes, char *why, size_t why_bytes);

/* After this call signals are passed on to the program, or set cli_interrupted while no program
 * runs. Writes to closed pipes or beyond the file size limit fail instead of ending the process.
 * Signals that were ignored stay ignored, as under nohup. */
void cli_take_signals(void);

/* Runs the program and waits for it. `path` is its file; `preload` is its value of LD_PRELOAD, or
 * NULL to leave that unchanged; `shown` is the run directory whose progress is shown meanwhile, or
 * NULL. Returns the exit status: the program's own, 128 + n after signal n, or one of the above
 * with a line in `why`. */
int cli_run(const char *path, char **argv, const char *preload, const char *shown, pid_t *pid,
            char *why, size_t why_bytes);

/* Executes the program in this process, so that rocprofv3 is gone. Returns only if that fails, with
 * the exit status and a line in `why`. */
int cli_become(const char *path, char **argv, const char *preload, char *why, size_t why_bytes);

/* The number of a signal, such as SIGINT, that has arrived while no program was running; 0:
 * none. */
extern volatile sig_atomic_t cli_interrupted;

#endif
