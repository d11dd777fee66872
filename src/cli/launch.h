/* launch.h - runs the program as a child, as if rocprofv3 were not there.
 *
 * The child keeps terminal, streams, working directory and process group. Signals sent to
 * rocprofv3 go on to the child; those of the terminal reach it by themselves. */
#ifndef CROCPROF_CLI_LAUNCH_H
#define CROCPROF_CLI_LAUNCH_H

#include <signal.h>
#include <stddef.h>
#include <sys/types.h>

/* As env(1) and timeout(1) have it; of sysexits.h, what a conversion ends with. */
enum {
    CLI_EXIT_USAGE = 2,
    CLI_EXIT_CONVERSION = 74,
    CLI_EXIT_SETUP = 125,
    CLI_EXIT_NOT_EXECUTABLE = 126,
    CLI_EXIT_NOT_FOUND = 127
};

/* Finds the program as the shell would. 0, or the exit status with a line in `why`. */
int cli_find_program(const char *name, char *path, size_t path_bytes, char *why, size_t why_bytes);

/* From here on signals are the program's, or set cli_interrupted while there is none; writes to
 * where nothing can be written fail and do not kill. Signals that were ignored stay so, as under
 * nohup. */
void cli_take_signals(void);

/* Starts and awaits the program. `path` is the file, `preload` the value of LD_PRELOAD for it or
 * NULL to leave it, `shown` a run's directory whose progress is shown meanwhile, or NULL. Returns
 * the exit status: the program's own, 128 + n after signal n, or one of the above with a line in
 * `why`. */
int cli_run(const char *path, char **argv, const char *preload, const char *shown, pid_t *pid,
            char *why, size_t why_bytes);

/* Set by SIGINT and its like while no program runs: the number of the signal. */
extern volatile sig_atomic_t cli_interrupted;

#endif
