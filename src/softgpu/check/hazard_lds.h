/* hazard_lds.h - accesses to LDS that are outstanding when their wave comes to a barrier: what
 * other waves do behind the barrier may be before them. And transfers to LDS, with which nothing is
 * in order that LDS itself does.
 *
 * Each wave keeps its last accesses. At a barrier those that nobody has waited for mark the dwords
 * that they access; marks last until the next barrier. */
#ifndef SOFTGPU_CHECK_HAZARD_LDS_H
#define SOFTGPU_CHECK_HAZARD_LDS_H

#include "softgpu/check/hazard_wave.h"
#include "softgpu/check/part.h"

enum {
    CHK_LDS_KEPT = 32, /* accesses of a wave; the counters hold fewer. A power of two */
    CHK_LDS_DWORDS = ISA_GROUP_LDS / 4
};

typedef struct {
    uint8_t flow;
    bool writes, atomic;
    bool fill;       /* it is a transfer from memory, of the bytes from `begin` to `end` */
    uint16_t bytes;  /* of an element */
    uint32_t number; /* in its flow */
    uint64_t pc, exec;
    uint32_t offset[2]; /* of its elements, for an instruction with two */
    uint32_t begin, end;
    isa_row_t at; /* addresses of the lanes */
} chk_lds_access_t;

typedef struct {
    uint32_t n, fill; /* fill: the number of the last transfer, as its flow counts */
    chk_lds_access_t kept[CHK_LDS_KEPT];
} chk_lds_wave_t;

/* A mark of a dword of LDS; 0: the dword has none. The low bits are the number of the wave plus 1,
 * above them is the index of the access among those that the wave keeps. ATOMIC: the access is an
 * atomic one, which may change places with other atomic accesses. SEVERAL: more than one wave has
 * read the dword, and the mark names the last of them. */
enum {
    CHK_LDS_SLOT_SHIFT = 5,
    CHK_LDS_WAVE = (1 << CHK_LDS_SLOT_SHIFT) - 1,
    CHK_LDS_ATOMIC = 1 << 14,
    CHK_LDS_SEVERAL = 1 << 15
};

typedef struct {
    chk_lds_wave_t wave[ISA_GROUP_WAVES];
    bool marked;
    uint16_t writer[CHK_LDS_DWORDS], reader[CHK_LDS_DWORDS];
    uint64_t pc[ISA_GROUP_WAVES][CHK_LDS_KEPT]; /* of the accesses that have left marks */
} chk_lds_t;

void chk_lds_start(chk_lds_t *s, const isa_group_t *group);
/* The waves in `waiting` go on behind a barrier; hazards[k]: what is under way in wave k. */
void chk_lds_barrier(chk_lds_t *s, const isa_group_t *group, uint32_t waiting,
                     const chk_hazard_wave_t *const hazards[ISA_GROUP_WAVES]);
/* An instruction that accesses LDS, with lanes, is about to run; `v` has counted it. */
void chk_lds_look(chk_group_t *g, chk_lds_t *s, const chk_hazard_wave_t *v, const isa_wave_t *w,
                  const isa_inst_t *i, const chk_use_t *u);

/* hazard.c: names the other instruction of a finding, in a wave of the same workgroup. */
void chk_hazard_name_other(chk_finding_t *f, const isa_wave_t *w, const char *what, uint64_t pc,
                           unsigned wave);

#endif
