/* census.h - the census of a dispatch: how often each single instruction of its code is executed.
 *
 * Separate from internal.h because without a profiler that wants a census, the device calls only
 * sg_census_run_begin(), at the cost of one load. */
#ifndef SOFTGPU_DEVICE_CENSUS_H
#define SOFTGPU_DEVICE_CENSUS_H

#include "softgpu/device/internal.h"
#include "softgpu/exec/census.h"

/* The dispatch is about to start: sets run->census, to NULL if it is not to be counted. True if the
 * profiler wants costs by the models of caches and time. */
bool sg_census_run_begin(sg_run_t *run, uint64_t kernel_object);

/* All functions below are called only for runs whose `census` is set. */

/* The models could not be made, since memory ran out: marks the census as incomplete. */
void sg_census_run_unmodelled(sg_run_t *run);

/* Each workgroup that the calling thread starts from now on counts `times` times, since it stands
 * for identical workgroups that are not run; 0 ends this. */
void sg_census_stands(sg_run_t *run, uint64_t times);

/* A turn of the workgroup begins: sets b->census to the calling thread's counts, NULL if out of
 * memory. `starts`: it is the workgroup's first turn, and its waves are counted. */
void sg_census_turn(sg_box_t *b, bool starts);
/* All workgroups have ended. */
void sg_census_run_end(sg_run_t *run, uint64_t end_ts, const sg_perf_contention_t *contention);
void sg_census_run_free(sg_census_run_t *r);

#endif
