/* group.h - what a workgroup does, looked at instruction by instruction.
 *
 * A workgroup in flight has a state of its own, used by one thread at a time; what it needs of its
 * dispatch it is told when it starts. */
#ifndef SOFTGPU_CHECK_GROUP_H
#define SOFTGPU_CHECK_GROUP_H

#include "softgpu/isa/check.h"

typedef struct chk_group chk_group_t;

/* Of a dispatch, for the whole of it. */
typedef struct {
    uint64_t kernel_object;
    uint32_t lds_bytes; /* as the packet asks for it */
} chk_dispatch_t;

/* NULL: out of memory. */
chk_group_t *chk_group_create(void);
void chk_group_free(chk_group_t *g);
/* The waves of a workgroup are prepared. */
void chk_group_start(chk_group_t *g, const chk_dispatch_t *dispatch);
/* For the run loop. */
isa_check_t *chk_group_isa(chk_group_t *g);
/* All waves wait at a barrier, in `waiting`, or have ended. */
void chk_group_barrier(chk_group_t *g, const isa_group_t *group, uint32_t waiting);

#endif
