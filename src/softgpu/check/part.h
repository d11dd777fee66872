/* part.h - what looks at a program for one family of findings: a row of chk_parts for each.
 *
 * A part names the instructions it wants to see; group.c calls it for those, and for nothing where
 * its family is not wanted. Its state for a workgroup is zeroed memory that is kept from one
 * workgroup to the next; what is shared between workgroups is the part's own affair. */
#ifndef SOFTGPU_CHECK_PART_H
#define SOFTGPU_CHECK_PART_H

#include "softgpu/cache/reach.h"
#include "softgpu/check/check.h"
#include "softgpu/check/group.h"
#include "softgpu/isa/table.h"

enum { CHK_PARTS_MAX = 8 };

struct chk_group {
    isa_check_t isa; /* first */
    const chk_dispatch_t *dispatch;
    uint64_t id;                /* of the workgroup, counted along x, y and z */
    void *state[CHK_PARTS_MAX]; /* by part */
    /* of the instruction that is looked at */
    bool has_reach, has_lds;
    unsigned n_lds;
    sgc_reach_t reach;
    sgc_lanes_t lds[2];
};

/* All functions may be NULL. Those with a workgroup are called by the one thread that runs it,
 * the others by any. */
typedef struct {
    unsigned family; /* CHK_* */
    size_t bytes;    /* of its state for a workgroup */

    /* Which instructions it looks at: adds ISA_CHECK_* by ISA_OP_*. Once, before all else. */
    void (*looks)(uint8_t *looks);

    void (*dispatch_begin)(const chk_dispatch_t *d);
    void (*dispatch_end)(const chk_dispatch_t *d); /* all workgroups have left */

    void (*start)(chk_group_t *g, void *state, const isa_group_t *group); /* waves are prepared */
    /* An instruction is about to run, with its operands as it finds them. */
    void (*before)(chk_group_t *g, void *state, isa_wave_t *w, const isa_inst_t *i);
    /* It has run. */
    void (*after)(chk_group_t *g, void *state, isa_wave_t *w, const isa_inst_t *i);
    /* All waves wait at a barrier, in `waiting`, or have ended; those are let go. */
    void (*barrier)(chk_group_t *g, void *state, const isa_group_t *group, uint32_t waiting);
    /* Its state is given back to the heap; the state itself is group.c's to free. */
    void (*free)(void *state);

    /* A copy engine is about to read and to write; 0: it does one of them only. */
    void (*transfer)(const struct sg_memory *m, uint64_t from, uint64_t to, uint64_t bytes);
    /* The program has got memory, and is about to give it back. */
    void (*made)(uint64_t begin, uint64_t bytes);
    void (*going)(uint64_t begin, uint64_t bytes);
} chk_part_t;

/* ---- for parts ---- */

/* Where the lanes of a vector memory instruction go, and those of an LDS instruction by element:
 * worked out once for all parts. The addresses may be spread by whoever needs them. Before the
 * instruction has run: a load may replace its own address. */
sgc_reach_t *chk_reach(chk_group_t *g, const isa_wave_t *w, const isa_inst_t *i);
sgc_lanes_t *chk_lds_reach(chk_group_t *g, const isa_wave_t *w, const isa_inst_t *i, unsigned *n);

/* A finding at an instruction, or with NULL at none; the rest of it is the part's to fill in. */
chk_finding_t chk_finding(const chk_group_t *g, const isa_wave_t *w, const isa_inst_t *i,
                          chk_kind_t kind);
/* The same for lanes, of which there is at least one. */
chk_finding_t chk_finding_lanes(const chk_group_t *g, const isa_wave_t *w, const isa_inst_t *i,
                                chk_kind_t kind, uint64_t lanes);

extern const chk_part_t chk_memory_part, chk_race_part, chk_sync_part, chk_hazard_part,
    chk_init_part;

#endif
