/* internal.h - what the files of the attach library share with each other and with rocprofv3.
 *
 * target.c finds out where things are in the other process, calls.c makes it call functions,
 * rocattach.c is the interface. */
#ifndef CROCPROF_ROCATTACH_INTERNAL_H
#define CROCPROF_ROCATTACH_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <rocprofiler-sdk-rocattach/rocattach.h>

/* What went wrong in the last call of this thread that was not a success: one line for people. */
const char *rat_why(void);

/* How many processes are attached. */
size_t rat_attached(void);

/* Sets that line and returns the status. */
rocattach_status_t rat_fail(rocattach_status_t status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* ---- target.c ---- */

typedef struct {
    pid_t pid, thread;       /* the thread that is made to call */
    uint64_t entry;          /* where the program began, code that is over */
    uint64_t attach, detach; /* the functions' addresses */
} rat_target_t;

/* Looks at a process without stopping it. */
rocattach_status_t rat_target_find(rat_target_t *t, pid_t pid);

/* Adds the children of a process, and theirs, to a list that is grown with realloc. False if some
 * may be missing: no memory, or no files. */
bool rat_add_descendants(pid_t **pids, size_t *count, pid_t pid);

/* ---- calls.c ---- */

/* The thread is stopped by ptrace from begin to end, and has its registers and its code back then.
 */
typedef struct {
    const rat_target_t *target;
    unsigned char code[16]; /* the program's own */
    struct rat_registers *before;
} rat_call_t;

rocattach_status_t rat_call_begin(rat_call_t *c, const rat_target_t *t);
void rat_call_end(rat_call_t *c);

/* Copies bytes to new memory of the process, of at least that size; *at is where. */
rocattach_status_t rat_call_push(rat_call_t *c, const void *bytes, size_t count, uint64_t *at);
void rat_call_pop(rat_call_t *c, uint64_t at, size_t count);

/* Calls a function with two arguments; *answer is what it returns, an int. */
rocattach_status_t rat_call_function(rat_call_t *c, uint64_t function, uint64_t first,
                                     uint64_t second, int *answer);

#endif
