/* snapshot.h - stochastic PC sampling: what waves do in the clocks in which their compute unit
 * looks.
 *
 * Apart from the clock because it runs only while a program samples. Every `interval` clocks a unit
 * looks at one of its waves, one after the other, so that a wave is looked at once in as many
 * intervals as the unit has waves. In which part of an instruction that clock falls says whether
 * the wave has issued it, or why not. */
#ifndef SOFTGPU_PERF_SNAPSHOT_H
#define SOFTGPU_PERF_SNAPSHOT_H

#include "softgpu/perf/model.h"

/* What has been seen of a wave and is not in its registers yet: one instruction, in the order in
 * which its clocks pass. */
typedef struct {
    uint64_t due;        /* the next clock that is looked at, since the workgroup started */
    uint64_t pc, behind; /* of the instruction, and of the one behind it */
    struct {
        uint32_t n, data; /* how often; SQ_PERF_SNAPSHOT_DATA */
    } part[3];
} sg_snapshot_wave_t;

typedef struct {
    uint64_t period; /* clocks between two looks at a wave; 0: nobody samples */
    uint32_t waves;  /* of the unit */
    sg_snapshot_wave_t wave[ISA_GROUP_WAVES];
} sg_snapshots_t;

/* A workgroup starts on its unit, at `clock` of the GPU. `interval` 0: nobody samples. */
void sg_snapshots_start(sg_snapshots_t *s, const sg_perf_t *p, const sg_perf_launch_t *launch,
                        const isa_group_t *group, uint64_t clock);
/* The wave issues *i: takes a step of its clock, as sg_wave_clock_step(), and looks at it. */
void sg_snapshots_step(sg_snapshots_t *s, sg_wave_clock_t *c, const sg_clock_of_t *of,
                       isa_watch_t *watch, isa_wave_t *w, const isa_inst_t *i,
                       const sg_traits_t *t);
/* The wave, which has executed s_barrier, has waited for the others until clock `until`. */
void sg_snapshots_barrier(sg_snapshots_t *s, isa_wave_t *w, uint64_t until);
/* Moves what was seen next to the wave's registers; false: nothing. */
bool sg_snapshots_take(sg_snapshots_t *s, isa_wave_t *w);

#endif
