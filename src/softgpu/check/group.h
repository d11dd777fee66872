/* group.h - what dispatches and workgroups do, looked at by the parts whose families are wanted.
 *
 * A workgroup in flight has a state of its own, used by one thread at a time. */
#ifndef SOFTGPU_CHECK_GROUP_H
#define SOFTGPU_CHECK_GROUP_H

#include "softgpu/isa/check.h"

typedef struct chk_group chk_group_t;

/* Of a dispatch, for the whole of it. */
typedef struct {
    uint64_t serial; /* no two dispatches of the process have the same */
    uint64_t call;   /* of the program's that has asked for it (asked.h), or 0 */
    uint64_t kernel_object;
    struct sg_memory *memory;
    uint32_t lds_bytes;     /* as the packet asks for it */
    uint32_t scratch_bytes; /* of a lane, the same */
    uint64_t kernarg;       /* its address */
    uint32_t kernarg_bytes; /* as the kernel's descriptor says; 0: it does not */
    uint32_t scalars;       /* that are set when a wave starts: s0 and those behind it */
    uint64_t groups;        /* workgroups */
    uint32_t grid[3];       /* those along x, y and z */
} chk_dispatch_t;

/* Called for dispatches that are checked only. */
void chk_dispatch_begin(const chk_dispatch_t *d);
void chk_dispatch_end(const chk_dispatch_t *d);

/* NULL: out of memory. */
chk_group_t *chk_group_create(void);
void chk_group_free(chk_group_t *g);
/* The waves of a workgroup are prepared. The dispatch stays until they have ended. */
void chk_group_start(chk_group_t *g, const chk_dispatch_t *dispatch, const isa_group_t *group,
                     uint64_t id);
/* For the run loop. */
isa_check_t *chk_group_isa(chk_group_t *g);
/* All waves wait at a barrier, in `waiting`, or have ended. */
void chk_group_barrier(chk_group_t *g, const isa_group_t *group, uint32_t waiting);

/* What others do to memory; see part.h. Nothing happens unless something is checked. */
void chk_transfer(const struct sg_memory *m, uint64_t from, uint64_t to, uint64_t bytes);
void chk_made(uint64_t begin, uint64_t bytes);
void chk_going(uint64_t begin, uint64_t bytes);

/* A GPU's memory, which stays as long as the process. */
void chk_memory_add(const struct sg_memory *m);
/* That in which the address is mapped, or NULL. */
const struct sg_memory *chk_memory_of(uint64_t va);

#endif
