/* front.h - what front.c needs of front_library.c beside functions of the C library. */
#ifndef CROCPROF_CLI_FRONT_H
#define CROCPROF_CLI_FRONT_H

#include <stddef.h>

/* The program's first function in C: `stack` is where the kernel has put the number of arguments,
 * the arguments, the environment and its own rows. */
__attribute__((noreturn, used)) void front_begin(long *stack);

/* Writes without a look at what becomes of it. */
void front_write(int fd, const char *bytes, size_t count);

__attribute__((noreturn)) void front_exit(int status);

#endif
