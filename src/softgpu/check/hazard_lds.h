/* hazard_lds.h - finds accesses to LDS that are still outstanding when their wave comes to a
 * barrier: accesses of other waves after the barrier may overtake them. Also finds LDS instructions
 * that conflict with a transfer from memory to LDS, which the hardware does not order with them.
 *
 * The last accesses of each wave are recorded. At a barrier, those for which the wave has not
 * waited mark the dwords that they access; marks last until the next barrier. */
#ifndef SOFTGPU_CHECK_HAZARD_LDS_H
#define SOFTGPU_CHECK_HAZARD_LDS_H

#include "softgpu/check/hazard_wave.h"
#include "softgpu/check/part.h"

enum {
    CHK_LDS_KEPT = 64, /* accesses recorded per wave: more than a counter of any GPU can count, 63.
                          A transfer or FLAT of gfx9, which LDS instructions do not wait for, is
                          forgotten behind 64 others. A power of two */
    CHK_LDS_DWORDS = ISA_GROUP_LDS / 4
};
_Static_assert(CHK_LDS_KEPT <= 64, "chk_lds_wave_t.late has a bit for each");

typedef struct {
    uint8_t flow;
    bool writes, atomic;
    bool fill;       /* it is a transfer from memory, of the bytes from `begin` to `end` */
    uint16_t bytes;  /* of an element */
    uint32_t number; /* number of the access in its flow (chk_flow_t) */
    uint64_t pc, exec;
    uint32_t offset[2]; /* of the elements, for an instruction that has two */
    uint32_t begin, end;
    isa_row_t at; /* addresses of the lanes */
} chk_lds_access_t;

typedef struct {
    uint32_t n, fill; /* fill: number of the last transfer in its flow */
    uint64_t late;    /* accesses in `kept`, by bit, that were outstanding when the wave came to the
                         barrier; valid if its bit in chk_lds_t.late is set */
    chk_lds_access_t kept[CHK_LDS_KEPT];
} chk_lds_wave_t;

/* A mark of a dword of LDS; 0: the dword has none. The low bits are the number of the wave plus 1,
 * the bits above them are the index of the access in the wave's record. ATOMIC: the access is an
 * atomic one, which needs no order with other atomic accesses. SEVERAL: more than one wave has read
 * the dword, and the mark names the last of them. */
enum {
    CHK_LDS_SLOT_SHIFT = 6,
    CHK_LDS_WAVE = (1 << CHK_LDS_SLOT_SHIFT) - 1,
    CHK_LDS_ATOMIC = 1 << 14,
    CHK_LDS_SEVERAL = 1 << 15
};
_Static_assert(ISA_GROUP_WAVES <= (int)CHK_LDS_WAVE, "a mark names each wave");
_Static_assert(CHK_LDS_KEPT << CHK_LDS_SLOT_SHIFT <= CHK_LDS_ATOMIC, "a mark names each access");

typedef struct {
    chk_lds_wave_t wave[ISA_GROUP_WAVES];
    uint32_t late; /* waves, by bit, that came to the barrier with accesses outstanding */
    bool marked;
    uint16_t writer[CHK_LDS_DWORDS], reader[CHK_LDS_DWORDS];
    uint64_t pc[ISA_GROUP_WAVES]
               [CHK_LDS_KEPT]; /* addresses of the instructions whose accesses have left marks */
    uint64_t direct[ISA_GROUP_WAVES]; /* by bit, those of them that are direct loads: expcnt counts
                                         these */
} chk_lds_t;

void chk_lds_start(chk_lds_t *s, const isa_group_t *group);
/* A wave, whose operations in flight are `v`, comes to a barrier. */
void chk_lds_arrive(chk_lds_t *s, unsigned wave, const chk_hazard_wave_t *v);
/* The waves in `waiting` pass it. */
void chk_lds_barrier(chk_lds_t *s, const isa_group_t *group, uint32_t waiting);
/* An instruction that accesses LDS is about to run, with at least one active lane; `v` has counted
 * it already. */
void chk_lds_look(chk_group_t *g, chk_lds_t *s, const chk_hazard_wave_t *v, const isa_wave_t *w,
                  const isa_inst_t *i, const chk_use_t *u);

/* hazard.c: names the other instruction of a finding, in a wave of the same workgroup. */
void chk_hazard_name_other(chk_finding_t *f, const isa_wave_t *w, const char *what, uint64_t pc,
                           unsigned wave);

#endif
