/* occupancy.h - how many waves of a kernel a compute unit can hold, and what holds it back.
 *
 * Theory from sizes alone: registers, LDS, the workgroup's size. What they are is known for the
 * GPUs of a table; of others nothing is said. */
#ifndef CROCPROF_INSIGHT_OCCUPANCY_H
#define CROCPROF_INSIGHT_OCCUPANCY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a kernel takes. Registers as rocpd_info_kernel_symbol has them, the rest as its dispatch:
 * LDS with what was asked for at the launch. */
typedef struct {
    uint32_t arch_vgprs, accum_vgprs, sgprs;
    uint32_t lds_bytes;
    uint32_t group_size; /* work-items; 0: not known, registers alone are looked at */
} ins_resources_t;

/* What can hold a kernel back: X(id, name). */
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
    bool known;           /* the GPU is; else all is 0 */
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
    /* The next step up: waves of a SIMD there would be if every limiter with a value here were
     * brought down to it, the others being as they are. 0: there is none. For LDS bytes, for
     * workgroups the fewest work-items of one. */
    uint32_t next_waves, next[INS_LIMIT_COUNT];
} ins_occupancy_t;

ins_occupancy_t ins_occupancy(const char *gpu, const ins_resources_t *r);

/* The limiters, "VGPRs and LDS"; "not known for gfx1100". */
void ins_occupancy_limiter(const char *gpu, const ins_occupancy_t *o, char *text, size_t room);

/* What the next step up needs, "one wave more with 96 VGPRs or fewer"; "" if there is none. */
void ins_occupancy_advice(const ins_occupancy_t *o, char *text, size_t room);

#endif
