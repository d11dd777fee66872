/* internal.h - what the files of the attach library share with each other and with rocprofv3.
 *
 * target.c finds addresses in the other process, calls.c makes that process call functions, and
 * rocattach.c has the public interface. */
#ifndef CROCPROF_ROCATTACH_INTERNAL_H
#define CROCPROF_ROCATTACH_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <rocprofiler-sdk-rocattach/rocattach.h>

enum { RAT_WHY_BYTES = 1024 }; /* size of an error message */

/* Returns why the last call of this thread that failed did so: one line for the user. */
const char *rat_why(void);

/* Returns how many processes are attached. */
size_t rat_attached(void);

/* Sets the message that rat_why() returns, and returns the status. */
rocattach_status_t rat_fail(rocattach_status_t status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* ---- target.c ---- */

typedef struct {
    pid_t pid, thread;       /* `thread`: the thread that is made to call */
    uint64_t attach, detach; /* addresses of these functions */
    uint64_t run;            /* address of the code that calls one of them */
} rat_target_t;

/* Finds the thread and the addresses in a process without stopping it. */
rocattach_status_t rat_target_find(rat_target_t *t, pid_t pid);

/* Returns whether the thread waits to be attached; also true if the kernel does not show what it is
 * doing. */
bool rat_target_at_rest(const rat_target_t *t);

/* Returns the address at which the mapping of the thread's stack begins that contains `address`;
 * `address` itself if there is none. */
uint64_t rat_target_stack(const rat_target_t *t, uint64_t address);

/* Returns a text for the user about what the process is doing, as far as the kernel shows it. */
const char *rat_target_doing(const rat_target_t *t);

/* The facts by which the kernel permits ptrace or not. -1: unknown. */
typedef struct {
    int pid, tracer;        /* `tracer`: the process that already traces `pid`, or 0 */
    long user, target_user; /* effective user ids */
    int scope;              /* /proc/sys/kernel/yama/ptrace_scope */
} rat_denial_t;

/* Writes why ptrace was not permitted, and what to do. */
void rat_denial_text(const rat_denial_t *d, char *text, size_t bytes);

/* The same for a process, as an error. */
rocattach_status_t rat_target_denied(const rat_target_t *t);

/* Adds the descendants of a process to a list that is grown with realloc. Returns false if some may
 * be missing, because there was no memory or a file of /proc could not be read. */
bool rat_add_descendants(pid_t **pids, size_t *count, pid_t pid);

/* ---- calls.c ---- */

/* A call of a function with two blocks of bytes: they are copied to the process, and the function
 * gets their addresses. */
typedef struct {
    const char *name; /* name for messages: "attach" */
    uint64_t function;
    unsigned seconds; /* how long to wait, unless ROCPROF_ATTACH_TIMEOUT is set */
    const void *data[2];
    size_t bytes[2];
} rat_request_t;

/* Makes the call. *answer becomes the function's result. The thread is stopped only while the call
 * is prepared, and returns to its wait by itself, even if the wait for the result has timed out. */
rocattach_status_t rat_call(const rat_target_t *t, const rat_request_t *r, int *answer);

#endif
