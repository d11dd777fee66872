/* left_out.h - whether a command line and an environment plainly say that this rank is not
 * profiled.
 *
 * It is the decision of the front of rocprofv3 (front.c), made without the C library. "Plainly"
 * means that the launcher, which reads everything, would become the program without changing its
 * environment or printing a line; where that is not certain, the launcher has to decide. One thing
 * differs: of a variable that is in the environment more than once, the launcher's C library may
 * leave one, and the front leaves all. */
#ifndef CROCPROF_CLI_LEFT_OUT_H
#define CROCPROF_CLI_LEFT_OUT_H

/* Returns the program and its arguments, which are the end of argv, if the rank is plainly left
 * out; else NULL. Whether there is a GPU is not looked at. */
char **cli_left_out(int argc, char **argv, char **environment);

/* Returns the value of the variable `name` in `environment`, a NULL-terminated array of texts
 * NAME=VALUE; NULL if it has no such variable. */
const char *cli_variable(const void *environment, const char *name);

#endif
