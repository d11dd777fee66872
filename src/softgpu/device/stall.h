/* stall.h - waves that wait for what never comes: all there are go round and round.
 *
 * A workgroup is looked at when it has had its turn and is not done, which nothing pays for that
 * ends at once. Functions do nothing unless the family sync is checked. */
#ifndef SOFTGPU_DEVICE_STALL_H
#define SOFTGPU_DEVICE_STALL_H

#include "softgpu/device/internal.h"

/* A run begins; so many of its workgroups have ended, or never will begin. */
void sg_stall_begin(const sg_run_t *run);
void sg_stall_settled(uint64_t workgroups);
/* A workgroup begins in the box, or is done. */
void sg_stall_start(sg_box_t *b);
void sg_stall_end(sg_box_t *b);
/* It has had a turn and goes on; `slept`: in s_sleep alone. */
void sg_stall_turn(sg_box_t *b, bool slept);
/* What looks at its instructions in the next turn, in the place of `check`. */
isa_check_t *sg_stall_watch(const sg_box_t *b, isa_check_t *check);
void sg_stall_free(sg_stall_t *s);
/* Somebody else has done something: a packet, a copy. */
void sg_stall_moved(void);

#endif
