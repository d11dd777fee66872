/* occupancy.h - how many waves of a kernel a unit can hold, and what limits their number.
 *
 * It is computed from sizes alone: registers, LDS, the workgroup's size. A table (gpus.c) has the
 * GPUs that are supported. */
#ifndef CROCPROF_INSIGHT_OCCUPANCY_H
#define CROCPROF_INSIGHT_OCCUPANCY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Resources of a kernel. Registers are as in rocpd_info_kernel_symbol, the rest as in its dispatch:
 * LDS includes the dynamic part of the launch. */
typedef struct {
    uint32_t arch_vgprs, accum_vgprs, sgprs;
    uint32_t lds_bytes;
    uint32_t group_size; /* in work-items; 0: not known, then only registers are considered */
} ins_resources_t;

/* How a kernel was compiled, where its GPU leaves a choice. All 0: not known, which suffices for
 * GPUs whose waves have one size. */
typedef struct {
    uint32_t items; /* work-items of a wave */
    bool whole_wgp; /* a workgroup may be on both compute units of a WGP */
} ins_waves_t;

/* Where a workgroup is placed: on a compute unit or, from gfx10 on, on both of a pair (WGP). Sizes
 * of registers and slots are those of a SIMD. */
typedef struct {
    uint32_t wave_items, simds, waves, vgprs, vgpr_granule;
    uint32_t sgprs, sgpr_granule; /* 0: they limit nothing */
    uint32_t lds, lds_granule;    /* in bytes */
    uint32_t barriers;            /* number of workgroups with more than one wave */
    bool unified;                 /* VGPRs and AGPRs share one register file */
} ins_unit_t;

/* gpus.c: finds the unit on which a GPU places workgroups whose waves have `wave_items` work-items,
 * over the whole WGP or not. For GPUs with waves of one size, `wave_items` may be 0. Returns false
 * if the GPU is not known, or has no such waves. */
bool ins_unit_find(const char *gpu, uint32_t wave_items, bool whole_wgp, ins_unit_t *unit);

/* Limits of the number of waves: X(id, name). */
#define INS_LIMITS(X)                                                                              \
    X(SLOTS, "wave slots")                                                                         \
    X(VGPRS, "VGPRs")                                                                              \
    X(SGPRS, "SGPRs")                                                                              \
    X(LDS, "LDS")                                                                                  \
    X(GROUPS, "workgroups")

typedef enum {
#define X(id, name) INS_LIMIT_##id,
    INS_LIMITS(X)
#undef X
        INS_LIMIT_COUNT
} ins_limit_t;

typedef struct {
    bool known;           /* the GPU is in the table, and the size of waves is known if the GPU has
                           * several; else all other members are 0 */
    uint32_t waves;       /* on the fullest SIMD, as compilers print it; 0: the kernel cannot run */
    uint32_t unit_waves;  /* waves on a unit, which is a pair of compute units if the kernel's
                           * workgroups are on both */
    uint32_t waves_max;   /* wave slots of a SIMD */
    uint32_t unit_max;    /* wave slots of a unit */
    uint32_t group_waves; /* waves of a workgroup */
    uint32_t vgprs;       /* of a wave, as allocated: both kinds in one file, or the larger of the
                           * two if each has its own file */
    /* waves of a unit that each limit alone would allow */
    uint32_t by_limit[INS_LIMIT_COUNT];
    uint32_t limiters; /* bit set of 1 << ins_limit_t: what has to change for a SIMD to hold more */
    /* The next step up: a SIMD would hold `next_waves` if every resource with a value in `next`
     * were reduced to that value and the others stayed as they are. 0: there is no such step. The
     * value of LDS is in bytes, that of workgroups is the fewest work-items of one. */
    uint32_t next_waves, next[INS_LIMIT_COUNT];
} ins_occupancy_t;

ins_occupancy_t ins_occupancy_on(const ins_unit_t *unit, const ins_resources_t *r);

/* The same on the unit of a GPU, if that is known. */
ins_occupancy_t ins_occupancy(const char *gpu, ins_waves_t waves, const ins_resources_t *r);

/* Returns true if the GPU has waves of several sizes: its occupancy is then known only with the
 * size of the kernel's waves, and INS_NO_WAVES is why it is not. */
bool ins_occupancy_needs_waves(const char *gpu);
#define INS_NO_WAVES "the database lacks the size of the kernel's waves"

/* Writes the limiters as a text, for example "VGPRs and LDS". If the occupancy is not known, writes
 * the reason: the GPU is not in the table, or the size of the kernel's waves is missing. */
void ins_occupancy_limiter(const char *gpu, const ins_occupancy_t *o, char *text, size_t room);

/* Writes what the next step up needs, for example "one wave more with 96 VGPRs or fewer"; "" if
 * there is none. */
void ins_occupancy_advice(const ins_occupancy_t *o, char *text, size_t room);

#endif
