/* part.h - the interface of a part: the code that looks for one family of findings.
 *
 * A part names the instructions that it wants to see, and group.c calls it for those; if its family
 * is not wanted, it is not called at all. Its state for a workgroup is memory that is zeroed once
 * and kept from one workgroup to the next. State that workgroups share belongs to the part, which
 * guards it. */
#ifndef SOFTGPU_CHECK_PART_H
#define SOFTGPU_CHECK_PART_H

#include "softgpu/cache/reach.h"
#include "softgpu/check/check.h"
#include "softgpu/check/group.h"
#include "isa/table.h"

enum { CHK_PARTS_MAX = 8 };

struct chk_group {
    isa_subscriber_t subscriber; /* must be first: group.c casts it to chk_group_t */
    /* About the instruction that runs: in `after`, watch->seen still has the addresses that
     * chk_reach() returned in `before`. */
    isa_watch_t *watch;
    const chk_dispatch_t *dispatch;
    uint64_t id; /* of the workgroup in its dispatch, counted along x, then y, then z */
    void *state[CHK_PARTS_MAX]; /* of the parts that are wanted */
    /* The barrier: the waves that have come to it, by bit; the address of the instruction by which
     * each of them has. `split`: waves signal and wait by separate instructions; barrier_turn is
     * then the turn of the barrier (exec/barrier.h) that the parts have been told of. */
    bool split;
    uint32_t at_barrier;
    uint64_t barrier_pc[ISA_GROUP_WAVES];
    uint32_t barrier_turn;
};

/* Any function may be NULL. Those with a chk_group_t are called by the one thread that runs the
 * workgroup, the others by any thread. */
typedef struct {
    unsigned family; /* one of CHK_* */
    size_t bytes;    /* size of its state for a workgroup */

    /* Sets ISA_WANTS_BEFORE and ISA_WANTS_AFTER for each ISA_OP_* that the part wants to see.
     * Called once, before all other functions. */
    void (*wants)(uint8_t *wants);

    void (*dispatch_begin)(const chk_dispatch_t *d);
    void (*dispatch_end)(const chk_dispatch_t *d); /* all workgroups have ended */

    void (*start)(chk_group_t *g, void *state,
                  const isa_group_t *group); /* the waves are prepared and have not run */
    /* An instruction is about to run; its operands are unchanged. */
    void (*before)(chk_group_t *g, void *state, isa_wave_t *w, const isa_inst_t *i);
    /* The instruction has run. */
    void (*after)(chk_group_t *g, void *state, isa_wave_t *w, const isa_inst_t *i);
    /* A wave comes to a barrier: at s_barrier, or where it signals. */
    void (*arrive)(chk_group_t *g, void *state, const isa_wave_t *w);
    /* All waves of the workgroup have ended or have come to a barrier; those in `waiting` (by bit)
     * continue. */
    void (*barrier)(chk_group_t *g, void *state, const isa_group_t *group, uint32_t waiting);
    /* A wave has waited at a barrier whose signals and waits are separate instructions, by the one
     * at `pc`; barrier() has been called. */
    void (*waited)(chk_group_t *g, void *state, const isa_wave_t *w, uint64_t pc);
    /* Frees what the state points to; group.c frees the state itself. */
    void (*free)(void *state);

    /* A copy engine is about to read from `from` and write to `to`; an address of 0: it does not
     * read, or not write. */
    void (*transfer)(const struct sg_memory *m, uint64_t from, uint64_t to, uint64_t bytes);
    /* made(): the program has allocated this memory. going(): the program is about to free it. */
    void (*made)(uint64_t begin, uint64_t bytes);
    void (*going)(uint64_t begin, uint64_t bytes);
} chk_part_t;

/* ---- helpers for parts ---- */

/* The addresses of a vector memory instruction's lanes; those of an LDS instruction, by element.
 * Computed once for all parts; a part that needs each lane's address calls sgc_lanes_spread(). Only
 * in `before`: a load may replace its own address register. */
sgc_reach_t *chk_reach(chk_group_t *g, const isa_wave_t *w, const isa_inst_t *i);
sgc_lanes_t *chk_lds_reach(chk_group_t *g, const isa_wave_t *w, const isa_inst_t *i, unsigned *n);

/* A finding at instruction `i`, or (NULL) at none; the part fills in the rest. */
chk_finding_t chk_finding(const chk_group_t *g, const isa_wave_t *w, const isa_inst_t *i,
                          chk_kind_t kind);
/* The same for lanes, at least one. */
chk_finding_t chk_finding_lanes(const chk_group_t *g, const isa_wave_t *w, const isa_inst_t *i,
                                chk_kind_t kind, uint64_t lanes);

extern const chk_part_t chk_memory_part, chk_race_part, chk_sync_part, chk_hazard_part,
    chk_init_part;

#endif
