/* memory.h - what the files of the memory family tell each other, and what is told to them of the
 * program's calls that read and write memory. */
#ifndef SOFTGPU_CHECK_MEMORY_H
#define SOFTGPU_CHECK_MEMORY_H

#include "softgpu/check/check.h"

/* The program calls something that writes bytes at `to` and reads some at `from`; 0 bytes: it does
 * not. What is wrong is reported at once. The call is kept for those who do what it asks for, and
 * is the calling thread's until chk_asked_over(). */
void chk_copy_call(uint64_t to, uint64_t to_bytes, uint64_t from, uint64_t from_bytes,
                   const char *call, const chk_stack_t *stack);

/* Whether it is one of the copies and fills that HIP compiles for itself, or of those that ROCr has
 * without a code object. */
bool chk_copy_kernel(const struct sg_memory *m, uint64_t kernel_object);

/* Reports an access to memory, unless a kernel of the runtimes' own makes it for a call of which
 * the same has been said. */
void chk_memory_report(chk_finding_t *f);

/* Reports what a copy engine does, with the call that it is done for. */
void chk_copy_report(chk_finding_t *f);

/* Names the call, if a kernel of the runtimes' own has found that; `stack` stays as long as the
 * finding. */
bool chk_copy_name(chk_finding_t *f, chk_stack_t *stack);

/* Of part.h. */
void chk_memory_transfer(const struct sg_memory *m, uint64_t from, uint64_t to, uint64_t bytes);

#endif
