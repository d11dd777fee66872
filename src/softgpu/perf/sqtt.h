/* sqtt.h - thread traces: the instructions of waves with their times, as tokens in a buffer for
 * each shader engine.
 *
 * Separate from the counters because a trace has registers, memory and a format of its own. Its
 * times are those of the timing model, so that a dispatch that is traced is modelled. Tokens that
 * are not publicly documented are left out; docs/aqlprofile.md lists those that are written. */
#ifndef SOFTGPU_PERF_SQTT_H
#define SOFTGPU_PERF_SQTT_H

#include "isa/inst.h"
#include "softgpu/exec/wave.h"
#include "softgpu/profile/profile.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct sg_sqtt sg_sqtt_t;
typedef struct sg_sqtt_run sg_sqtt_run_t;     /* of a dispatch */
typedef struct sg_sqtt_group sg_sqtt_group_t; /* of a workgroup */

/* Host address of GPU memory that may be written, or NULL. */
typedef void *sg_sqtt_memory_fn_t(void *user, uint64_t va, uint64_t bytes);

sg_sqtt_t *sg_sqtt_create(const sg_profile_t *profile);
void sg_sqtt_destroy(sg_sqtt_t *s);
void sg_sqtt_set_memory(sg_sqtt_t *s, sg_sqtt_memory_fn_t *memory, void *user);

/* ---- registers; any thread ---- */

/* Whether the register is one of the trace. */
bool sg_sqtt_owns(const sg_sqtt_t *s, uint32_t number);
/* A write of a register. `gfx_index`: the XCC's GRBM_GFX_INDEX, which selects engines of it.
 * `clock`: the time of the timing model, for the token that the write may become. */
void sg_sqtt_write(sg_sqtt_t *s, uint32_t xcc, uint32_t gfx_index, uint32_t number, uint32_t value,
                   uint64_t clock);
/* sg_sqtt_event() writes a token for an event that a packet has raised, sg_sqtt_sync() for a packet
 * that has invalidated or written back caches. */
void sg_sqtt_event(sg_sqtt_t *s, uint32_t number, uint64_t clock);
void sg_sqtt_sync(sg_sqtt_t *s, uint64_t clock);
uint32_t sg_sqtt_read(sg_sqtt_t *s, uint32_t xcc, uint32_t gfx_index, uint32_t number);
/* Whether an engine is traced. */
bool sg_sqtt_on(sg_sqtt_t *s);

/* ---- dispatches; under the model's lock ---- */

typedef struct {
    uint64_t entry;  /* first instruction */
    uint64_t packet; /* of the dispatch, in the GPU's memory */
    uint32_t threads[3];
    uint32_t rsrc1, rsrc2, rsrc3;
    bool narrow; /* waves have 32 lanes */
    const uint32_t
        *user; /* initial registers of waves, n_user of them; valid during sg_sqtt_run_begin() */
    uint32_t n_user;
} sg_sqtt_launch_t;

struct sg_perf;
/* A dispatch begins. NULL: no engine is traced, or memory runs out. */
sg_sqtt_run_t *sg_sqtt_run_begin(struct sg_perf *p, sg_sqtt_t *s, const sg_sqtt_launch_t *launch);
/* Counts that were added since the last call belong to these clocks of the dispatch. */
void sg_sqtt_run_counted(sg_sqtt_run_t *r, uint64_t from, uint64_t to);
/* Writes the tokens; the dispatch began at `clock`. Frees the run. */
void sg_sqtt_run_end(sg_sqtt_run_t *r, uint64_t clock);

/* A workgroup starts; NULL if its engine is not traced. */
sg_sqtt_group_t *sg_sqtt_group_start(sg_sqtt_run_t *r, uint32_t unit, const isa_group_t *group);
/* Wave `index` of the workgroup needed the clocks from `begin` to `end`, counted from the
 * workgroup's start, for the instruction. It executed in the last `issue` of them. */
void sg_sqtt_instruction(sg_sqtt_group_t *g, uint32_t index, const isa_wave_t *w,
                         const isa_inst_t *i, uint64_t pc, uint64_t begin, uint64_t end,
                         uint32_t issue);
/* When the workgroup ran in its dispatch: wave i started at `start` on SIMD simd[i] and ended at
 * end[i]. Without other waves it would have taken alone[i] clocks. */
typedef struct {
    uint64_t start;
    uint64_t alone[ISA_GROUP_WAVES], end[ISA_GROUP_WAVES];
    uint8_t simd[ISA_GROUP_WAVES];
} sg_sqtt_times_t;
/* Frees the group. */
void sg_sqtt_place(sg_sqtt_run_t *r, sg_sqtt_group_t *g, const sg_sqtt_times_t *times);

#endif
