/* memory.h - what the files of the memory check share, and the check of the program's calls that
 * copy and fill. */
#ifndef SOFTGPU_CHECK_MEMORY_H
#define SOFTGPU_CHECK_MEMORY_H

#include "softgpu/check/check.h"

/* The program begins a call that writes to_bytes at `to` and reads from_bytes at `from`; 0 bytes:
 * it does not write or read. An invalid range is reported at once. The call is recorded in
 * request.h, for the copy engines and kernels that do its work; the calling thread is in the call
 * until chk_request_end(). */
void chk_copy_call(uint64_t to, uint64_t to_bytes, uint64_t from, uint64_t from_bytes,
                   const char *call, const chk_stack_t *stack);

/* Whether the kernel is one with which a runtime copies and fills: HIP compiles such kernels for
 * itself, ROCr has some that are in no code object. */
bool chk_copy_kernel(const struct sg_memory *m, uint64_t kernel_object);

/* Reports an invalid access, unless a runtime's own kernel makes it for a call whose error has been
 * reported. */
void chk_memory_report(chk_finding_t *f);

/* Reports a finding about a copy engine, with the call for which the engine works. */
void chk_copy_report(chk_finding_t *f);

/* If a runtime's own kernel made the access for a call that is known, adds that call to the finding
 * and returns true. `stack` has to live as long as the finding. */
bool chk_copy_name(chk_finding_t *f, chk_stack_t *stack);

/* `transfer` of the memory check, see part.h. */
void chk_memory_transfer(const struct sg_memory *m, uint64_t from, uint64_t to, uint64_t bytes);

#endif
