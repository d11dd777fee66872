/* snapshot.h - stochastic PC sampling: the state of waves at the clocks at which their compute unit
 * samples them.
 *
 * A unit samples one of its waves every `interval` clocks, in turn. The part of an instruction in
 * which that clock falls says whether the wave has issued the instruction, or why not. */
#ifndef SOFTGPU_PERF_SNAPSHOT_H
#define SOFTGPU_PERF_SNAPSHOT_H

#include "softgpu/perf/model.h"

enum { SG_SNAPSHOT_PARTS = 5 };

/* Samples of a wave that are not in its registers yet: those of one instruction, in the order of
 * its clocks.
 *
 * A wave's clock is that of a wave alone; what it loses to other waves is known when its workgroup
 * is placed, after its samples. So the waves beside it are taken to use pipes as it has done so
 * far, and where they need more than a pipe has, its samples are taken by a clock that is late by
 * that. */
typedef struct {
    uint64_t due;               /* the clock of the next sample, since the workgroup started */
    uint64_t pc, behind;        /* address of the instruction, and of the next one */
    uint64_t late;              /* clocks by which pipes have held it up */
    uint64_t late_alone;        /* the same, if there were no other waves: not more than `late` */
    uint8_t slot;               /* of its SIMD */
    uint16_t turn;              /* of the unit's slots, which are numbered across its SIMDs */
    uint32_t result, n_results; /* rows of the last matrix instruction's result: first, how many */
    struct {
        uint32_t n, data; /* number of samples; SQ_PERF_SNAPSHOT_DATA */
    } part[SG_SNAPSHOT_PARTS];
} sg_snapshot_wave_t;

typedef struct {
    uint64_t period;           /* clocks between two samples of a wave; 0: no sampling */
    uint32_t waves;            /* of the unit */
    uint32_t beside[SG_PIPES]; /* waves that share a pipe, with the wave itself */
    sg_snapshot_wave_t wave[ISA_GROUP_WAVES];
} sg_snapshots_t;

/* A workgroup starts on its unit, at `clock` of the GPU. */
void sg_snapshots_start(sg_snapshots_t *s, const sg_perf_t *p, const sg_perf_launch_t *launch,
                        const isa_group_t *group, uint64_t clock);
/* The wave issues *i: steps its clock, as sg_wave_clock_step() does, and takes the samples that
 * fall into the instruction. */
void sg_snapshots_step(sg_snapshots_t *s, sg_wave_clock_t *c, const sg_clock_of_t *of,
                       isa_watch_t *watch, isa_wave_t *w, const isa_inst_t *i,
                       const sg_traits_t *t);
/* The waves of the workgroup that have not ended meet at s_barrier. Each clock still stands where
 * its wave has arrived; all clocks go on at `last`, the latest of these. */
void sg_snapshots_barrier(sg_snapshots_t *s, const isa_group_t *group, const sg_wave_clock_t *clock,
                          uint64_t last);
/* Moves the next sample to the wave's registers; false: there is none. */
bool sg_snapshots_take(sg_snapshots_t *s, isa_wave_t *w);

#endif
