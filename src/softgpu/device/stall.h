/* stall.h - for the checker: finds waves that wait for ever, since all waves in flight are in such
 * loops.
 *
 * A workgroup is examined only after a turn in which it did not end, so that short workgroups cost
 * nothing. All functions do nothing unless the checker's family sync is enabled. */
#ifndef SOFTGPU_DEVICE_STALL_H
#define SOFTGPU_DEVICE_STALL_H

#include "softgpu/device/internal.h"

/* sg_stall_begin(): a run begins. sg_stall_settled(): `workgroups` workgroups of a run have ended,
 * or will never start. */
void sg_stall_begin(const sg_run_t *run);
void sg_stall_settled(uint64_t workgroups);
/* A workgroup begins in the box, or has ended. */
void sg_stall_start(sg_box_t *b);
void sg_stall_end(sg_box_t *b);
/* The workgroup has had a turn and has not ended; `slept`: its waves only executed s_sleep. */
void sg_stall_turn(sg_box_t *b, bool slept);
/* Adds the subscriber that watches stores, if the next turn of the workgroup is a watched one. */
void sg_stall_watch(const sg_box_t *b, isa_watch_t *watch);
void sg_stall_free(sg_stall_t *s);
/* A queue has made progress with a packet or a copy, so waves may still get what they wait for. */
void sg_stall_moved(void);

#endif
