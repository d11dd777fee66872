/* watch.h - rocprofv3 watch: the kernels of a run while it is going on. */
#ifndef CROCPROF_CLI_WATCH_H
#define CROCPROF_CLI_WATCH_H

/* Runs the command; the arguments begin with its name. Returns the exit status. */
int cli_watch_command(int argc, char **argv);

#endif
