/* watch.h - rocprofv3 watch: kernels of a run that goes on. */
#ifndef CROCPROF_CLI_WATCH_H
#define CROCPROF_CLI_WATCH_H

/* Words from the command's name on; the exit status. */
int cli_watch_command(int argc, char **argv);

#endif
