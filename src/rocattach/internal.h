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

enum { RAT_WHY_BYTES = 1024 }; /* of a line that says what went wrong */

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
    uint64_t attach, detach; /* the functions' addresses */
    uint64_t run;            /* of the code that calls one of them */
} rat_target_t;

/* Looks at a process without stopping it. */
rocattach_status_t rat_target_find(rat_target_t *t, pid_t pid);

/* Does its thread wait for who attaches? Yes, also where the kernel does not tell. */
bool rat_target_at_rest(const rat_target_t *t);

/* Where the mapping begins that has this address of the thread's stack; the address itself if there
 * is none. */
uint64_t rat_target_stack(const rat_target_t *t, uint64_t address);

/* For people: what keeps the process from an answer, as far as the kernel tells. */
const char *rat_target_doing(const rat_target_t *t);

/* Why the kernel permits no ptrace. What is not known is -1. */
typedef struct {
    int pid, tracer;        /* the process that traces it already, or 0 */
    long user, target_user; /* effective ones */
    int scope;              /* /proc/sys/kernel/yama/ptrace_scope */
} rat_denial_t;

/* The reason, and what to do. */
void rat_denial_text(const rat_denial_t *d, char *text, size_t bytes);

/* The same of a process, as an error. */
rocattach_status_t rat_target_denied(const rat_target_t *t);

/* Adds the children of a process, and theirs, to a list that is grown with realloc. False if some
 * may be missing: no memory, or no files. */
bool rat_add_descendants(pid_t **pids, size_t *count, pid_t pid);

/* ---- calls.c ---- */

/* A call of a function with two blocks of bytes, which are copied; it gets their addresses. */
typedef struct {
    const char *name; /* for people: "attach" */
    uint64_t function;
    unsigned seconds; /* that an answer may take; ROCPROF_ATTACH_TIMEOUT is another limit */
    const void *data[2];
    size_t bytes[2];
} rat_request_t;

/* *answer is what the function returns, an int. The thread is stopped only while the call is
 * prepared, and comes back to its place by itself, also when no answer was awaited any longer. */
rocattach_status_t rat_call(const rat_target_t *t, const rat_request_t *r, int *answer);

#endif
