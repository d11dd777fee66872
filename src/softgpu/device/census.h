/* census.h - dispatches of which each instruction is counted by itself.
 *
 * Apart from internal.h because a device of which nobody asks that calls only
 * sg_census_run_begin(), which is one load. */
#ifndef SOFTGPU_DEVICE_CENSUS_H
#define SOFTGPU_DEVICE_CENSUS_H

#include "softgpu/device/internal.h"
#include "softgpu/isa/census.h"

/* The dispatch is about to start: run->census is what counts it, or NULL. Whether caches and clocks
 * are asked for. */
bool sg_census_run_begin(sg_run_t *run, uint64_t kernel_object);

/* All others for runs with `census` only. */

/* There is no memory for caches and clocks: the counts have gaps. */
void sg_census_run_unmodelled(sg_run_t *run);

/* The workgroups that the calling thread starts from now on count `times` times each; 0: what it
 * does next for the run counts once again. */
void sg_census_stands(sg_run_t *run, uint64_t times);

/* Takes the calling thread's census for the workgroup, whose turn begins: b->census, NULL without
 * memory. `starts`: its waves are counted. */
void sg_census_turn(sg_box_t *b, bool starts);
/* All workgroups have left. */
void sg_census_run_end(sg_run_t *run, uint64_t end_ts, const sg_perf_contention_t *contention);
void sg_census_run_free(sg_census_run_t *r);

#endif
