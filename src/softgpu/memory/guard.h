/* guard.h - turns SIGSEGV and SIGBUS of the device's threads into memory faults of the GPU.
 *
 * The program may unmap, protect or truncate its own memory while the GPU uses it. On a real GPU
 * such an access is a memory fault; here it raises one of these signals. The handlers are installed
 * when memory of the program (registered or SVM) is first mapped on a GPU; until then nothing is
 * guarded. */
#ifndef SOFTGPU_MEMORY_GUARD_H
#define SOFTGPU_MEMORY_GUARD_H

#include "softgpu/memory/memory.h"

#include <setjmp.h>
#include <signal.h>

/* A guarded stretch of code, on the stack of the thread that runs it. Guards may nest. */
typedef struct sg_guard {
    const sg_memory_t *memory;
    struct sg_guard *outer;
    uint64_t va; /* after a fault: the GPU address that was accessed */
    bool write;
    sigjmp_buf back; /* by sigsetjmp(back, 0) */
} sg_guard_t;

/* Installs handlers for the two signals. All signals but faults of guarded threads on memory that
 * is mapped on the GPU are passed to the program's own handlers, as if the device had none. */
void sg_guard_install(void);

/* sigaction() for the two signals, as the program calls it: sets and reads the program's handler,
 * not that of the device. False: the signal is neither of them, or no handlers are installed, and
 * the C library's sigaction() is to be called. Async-signal-safe. */
bool sg_guard_action(int number, const struct sigaction *action, struct sigaction *old,
                     int *result);

/* False: no handlers are installed, and no guard is needed. Else the caller calls
 * sigsetjmp(g->back, 0) next, which returns 0 now, and 1 after a fault; the guard has then been
 * left already. The thread must hold no lock while it accesses memory, since a fault jumps away. */
bool sg_guard_enter(sg_guard_t *g, const sg_memory_t *memory);
void sg_guard_leave(const sg_guard_t *g);

#endif
