/* guard.h - faults of the device's threads on memory that the program has taken away.
 *
 * Host memory may be unmapped, protected or truncated while a GPU uses it; what a real GPU reports
 * as a memory fault is SIGSEGV or SIGBUS here. Installed when the first memory of the program's own
 * is mapped on a GPU; before that nothing is guarded and no signal handler exists. */
#ifndef SOFTGPU_MEMORY_GUARD_H
#define SOFTGPU_MEMORY_GUARD_H

#include "softgpu/memory/memory.h"

#include <setjmp.h>
#include <signal.h>

/* An access in progress, on the stack of whoever makes it. */
typedef struct sg_guard {
    const sg_memory_t *memory;
    struct sg_guard *outer;
    uint64_t va; /* after a fault: the GPU's address */
    bool write;
    sigjmp_buf back; /* by sigsetjmp(back, 0) */
} sg_guard_t;

/* Takes over the two signals. Their handlers stay the program's: all but the faults of guarded
 * threads on GPU-mapped memory go there, as if nothing stood in between. */
void sg_guard_install(void);

/* What sigaction() does with a signal that has been taken over, as the program shall see it. False:
 * it has not, ask the C library. Async-signal-safe. */
bool sg_guard_action(int number, const struct sigaction *action, struct sigaction *old,
                     int *result);

/* False: there is nothing to guard against yet. Else the caller goes on with sigsetjmp(g->back, 0):
 * 0 now, and 1 after a fault, when the guard has been left. No lock may be held at an access. */
bool sg_guard_enter(sg_guard_t *g, const sg_memory_t *memory);
void sg_guard_leave(const sg_guard_t *g);

#endif
