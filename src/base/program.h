/* program.h - what every program of the project does at its beginning and its end.
 *
 * For programs only: in a library, signals and the end of the process belong to the program. */
#ifndef CROCPROF_BASE_PROGRAM_H
#define CROCPROF_BASE_PROGRAM_H

#include <argp.h>

/* To be called first in main(). Lines of the log get the prefix `name`, and their level from the
 * variable `variable` (see base_log_init). Reaching RLIMIT_FSIZE makes a write fail instead of
 * ending the program by SIGXFSZ; programs that this one starts inherit the signal unchanged. If
 * standard output could not be written completely by the end of the program, one line says so, and
 * an exit status of 0 becomes `trouble`. */
void base_program_begin(const char *name, const char *variable, int trouble);

/* Calls argp_parse() without flags. argp_parse() is silent when out of memory; this reports it.
 * Returns 0, or the error of argp or of the command's parser. */
int base_program_options(const struct argp *command, int argc, char **argv, void *input);

#endif
