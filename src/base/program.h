/* program.h - what each program of the project begins with, and what its end looks after.
 *
 * For programs only: a library must leave signals and the end of the process to their owner. */
#ifndef CROCPROF_BASE_PROGRAM_H
#define CROCPROF_BASE_PROGRAM_H

/* First call of main(). Lines of the log get the prefix `name`, and their level from `variable`
 * (see base_log_init). A file that may not grow (RLIMIT_FSIZE) becomes an error of the write
 * instead of the program's end by SIGXFSZ; programs that this one starts find the signal as it was.
 * When the program ends and standard output has not taken all of it, one line says so, and a status
 * of 0 becomes `trouble`. */
void base_program_begin(const char *name, const char *variable, int trouble);

#endif
