/* command.h - rocprofv3 waits. */
#ifndef CROCPROF_WAITS_COMMAND_H
#define CROCPROF_WAITS_COMMAND_H

/* argv[0] is the sub-command's name. Returns the exit status. */
int wts_command(int argc, char **argv);

#endif
