/* occupancy.h - how many waves of a kernel a compute unit can hold, and what limits their number.
 *
 * Computed from sizes alone: registers, LDS, the workgroup's size. A table (gpus.c) has the GPUs
 * for which that is known. */
#ifndef CROCPROF_INSIGHT_OCCUPANCY_H
#define CROCPROF_INSIGHT_OCCUPANCY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a kernel takes. Registers are as in rocpd_info_kernel_symbol, the rest as in its dispatch:
 * LDS includes what was asked for at the launch. */
typedef struct {
    uint32_t arch_vgprs, accum_vgprs, sgprs;
    uint32_t lds_bytes;
    uint32_t group_size; /* work-items; 0: not known, only registers are looked at */
} ins_resources_t;

/* Where workgroups are placed: a compute unit or, from gfx10 on, both of a pair (WGP). Sizes of
 * registers and slots are those of a SIMD. */
typedef struct {
    uint32_t wave_items, simds, waves, vgprs, vgpr_granule;
    uint32_t sgprs, sgpr_granule; /* 0: they limit nothing */
    uint32_t lds, lds_granule;    /* bytes */
    uint32_t barriers;            /* workgroups of more than one wave */
    bool unified;                 /* VGPRs and AGPRs are in one register file */
} ins_unit_t;

/* gpus.c: the unit on which a GPU places workgroups whose waves have so many work-items, over the
 * whole WGP or not. GPUs with waves of one size need not be told it: 0. False: not known. */
bool ins_unit_find(const char *gpu, uint32_t wave_items, bool whole_wgp, ins_unit_t *unit);

/* What can limit the number of waves: X(id, name). */
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
    bool known;           /* the GPU is in the table; else all is 0 */
    uint32_t waves;       /* on the fullest SIMD, as compilers print it; 0: it cannot run */
    uint32_t unit_waves;  /* on a compute unit */
    uint32_t waves_max;   /* slots of a SIMD */
    uint32_t unit_max;    /* of a compute unit */
    uint32_t group_waves; /* of a workgroup */
    uint32_t vgprs;       /* of a wave, as they are allocated: both kinds in one file, or the larger
                             of the two where each has its own */
    /* waves of a compute unit that each limit alone would let in */
    uint32_t by_limit[INS_LIMIT_COUNT];
    uint32_t limiters; /* bits, 1 << ins_limit_t: what has to change for a SIMD to hold more */
    /* The next step up: a SIMD would hold `next_waves` if every resource with a value in `next`
     * were reduced to that value and the others stayed as they are. 0: there is no such step. The
     * value of LDS is in bytes, that of workgroups is the fewest work-items of one. */
    uint32_t next_waves, next[INS_LIMIT_COUNT];
} ins_occupancy_t;

ins_occupancy_t ins_occupancy_on(const ins_unit_t *unit, const ins_resources_t *r);

/* The same for a GPU all of whose waves have one size. */
ins_occupancy_t ins_occupancy(const char *gpu, const ins_resources_t *r);

/* The limiters as a text, for example "VGPRs and LDS" or "not known for gfx1100". */
void ins_occupancy_limiter(const char *gpu, const ins_occupancy_t *o, char *text, size_t room);

/* What the next step up needs, for example "one wave more with 96 VGPRs or fewer"; "" if there is
 * none. */
void ins_occupancy_advice(const ins_occupancy_t *o, char *text, size_t room);

#endif
