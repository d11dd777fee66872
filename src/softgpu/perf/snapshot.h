/* snapshot.h - stochastic PC sampling: the state of waves at the clocks at which their compute unit
 * samples them.
 *
 * Separate from the clock because it runs only while a program samples. Every `interval` clocks a
 * unit samples one of its waves, in turn, so that a wave is sampled once in as many intervals as
 * the unit has waves. The part of an instruction in which that clock falls says whether the wave
 * has issued the instruction, or why not. */
#ifndef SOFTGPU_PERF_SNAPSHOT_H
#define SOFTGPU_PERF_SNAPSHOT_H

#include "softgpu/perf/model.h"

/* Samples of a wave that are not in its registers yet: those of one instruction, in the order of
 * its clocks. */
typedef struct {
    uint64_t due;        /* the clock of the next sample, since the workgroup started */
    uint64_t pc, behind; /* address of the instruction, and of the next one */
    struct {
        uint32_t n, data; /* number of samples; SQ_PERF_SNAPSHOT_DATA */
    } part[3];
} sg_snapshot_wave_t;

typedef struct {
    uint64_t period; /* clocks between two samples of a wave; 0: no sampling */
    uint32_t waves;  /* of the unit */
    sg_snapshot_wave_t wave[ISA_GROUP_WAVES];
} sg_snapshots_t;

/* A workgroup starts on its unit, at `clock` of the GPU. `interval` 0: no sampling. */
void sg_snapshots_start(sg_snapshots_t *s, const sg_perf_t *p, const sg_perf_launch_t *launch,
                        const isa_group_t *group, uint64_t clock);
/* The wave issues *i: steps its clock, as sg_wave_clock_step() does, and takes the samples that
 * fall into the instruction. */
void sg_snapshots_step(sg_snapshots_t *s, sg_wave_clock_t *c, const sg_clock_of_t *of,
                       isa_watch_t *watch, isa_wave_t *w, const isa_inst_t *i,
                       const sg_traits_t *t);
/* The wave, which has executed s_barrier, has waited for other waves until clock `until`. */
void sg_snapshots_barrier(sg_snapshots_t *s, isa_wave_t *w, uint64_t until);
/* Moves the next sample to the wave's registers; false: there is none. */
bool sg_snapshots_take(sg_snapshots_t *s, isa_wave_t *w);

#endif
