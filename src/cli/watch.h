/* watch.h - rocprofv3 watch: the kernels of a run while it is going on. */
#ifndef CROCPROF_CLI_WATCH_H
#define CROCPROF_CLI_WATCH_H

/* Arguments from the command's name on; returns the exit status. */
int cli_watch_command(int argc, char **argv);

#endif
