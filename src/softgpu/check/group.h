/* group.h - dispatches and workgroups that are checked. The device calls these functions; they call
 * the parts (part.h) whose families are wanted.
 *
 * Each workgroup in flight has its own state (chk_group_t), which one thread at a time uses. */
#ifndef SOFTGPU_CHECK_GROUP_H
#define SOFTGPU_CHECK_GROUP_H

#include "softgpu/exec/watch.h"

typedef struct chk_group chk_group_t;

/* The properties of a dispatch that parts read. */
typedef struct {
    uint64_t serial; /* unique among the dispatches of the process */
    uint64_t call;   /* number of the program's call that launched it (request.h), or 0 */
    uint64_t kernel_object;
    struct sg_memory *memory;
    uint32_t lds_bytes;     /* as the packet says */
    uint32_t scratch_bytes; /* for each lane, as the packet says */
    uint64_t kernarg;       /* address of the kernel's arguments */
    uint32_t kernarg_bytes; /* as the kernel's descriptor says; 0: it does not say */
    uint32_t scalars;       /* number of SGPRs that are set when a wave starts, from s0 on */
    uint64_t groups;        /* number of workgroups */
    uint32_t grid[3];       /* workgroups along x, y and z */
} chk_dispatch_t;

/* Only called for dispatches that are checked. */
void chk_dispatch_begin(const chk_dispatch_t *d);
void chk_dispatch_end(const chk_dispatch_t *d);

/* NULL: out of memory. */
chk_group_t *chk_group_create(void);
void chk_group_free(chk_group_t *g);
/* The waves of workgroup `id` are prepared. `dispatch` has to live until they have ended. */
void chk_group_start(chk_group_t *g, const chk_dispatch_t *dispatch, const isa_group_t *group,
                     uint64_t id);
/* Adds the parts that want to see instructions to the subscribers of the workgroup. */
void chk_group_watch(chk_group_t *g, isa_watch_t *watch);
/* All waves have ended or wait at s_barrier; `waiting`: those that wait, by bit. Barriers of
 * separate instructions (isa_formats_t.split_barrier) are seen as these run. */
void chk_group_barrier(chk_group_t *g, const isa_group_t *group, uint32_t waiting);

/* Copies and allocations: `transfer`, `made` and `going` of part.h. Nothing happens unless
 * something is checked. */
void chk_transfer(const struct sg_memory *m, uint64_t from, uint64_t to, uint64_t bytes);
void chk_made(uint64_t begin, uint64_t bytes);
void chk_going(uint64_t begin, uint64_t bytes);

/* Announces a GPU and its memory, which lives as long as the process. */
void chk_memory_add(const struct sg_memory *m, const isa_arch_t *arch);
/* The GPU with this memory; the first one, if there is no such memory. NULL: there is no GPU. */
const isa_arch_t *chk_arch_of(const struct sg_memory *m);
/* The GPU memory in which the address is mapped, or NULL. */
const struct sg_memory *chk_memory_of(uint64_t va);

#endif
