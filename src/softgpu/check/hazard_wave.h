/* hazard_wave.h - what of a wave is still under way when its next instruction comes: registers that
 * loads are going to write, and instructions that the next few must not follow too closely.
 *
 * A register is pending until an s_waitcnt says that its load has returned: for operations that
 * return in order, one that lets no more be outstanding than have been issued behind the load; for
 * the others, one of 0. What may have returned by chance has not. A load writes its own lanes:
 * others of the register are not pending. Reports nothing by itself. */
#ifndef SOFTGPU_CHECK_HAZARD_WAVE_H
#define SOFTGPU_CHECK_HAZARD_WAVE_H

#include "softgpu/check/hazard_use.h"

enum { CHK_RECENT = 32, CHK_ISSUES = 64 }; /* powers of two; RECENT > CHK_RULE_STATES_MAX */

typedef struct {
    uint64_t bits[(CHK_REGS + 63) / 64 + 1]; /* room for a read of 64 bits from any byte */
} chk_reg_set_t;

/* The first of a pair that may come. What it means may have made room for another instruction. */
typedef struct {
    const chk_use_t *use;
    const isa_inst_t *inst;
    uint32_t end; /* the states behind it */
} chk_recent_t;

typedef struct {
    uint32_t states;     /* issued so far */
    uint32_t look_until; /* states: before them vector instructions look back */
    bool scc_known, any_pending, any_locked;
    uint16_t only_dot; /* the one whose registers alone are marked; 0: there are others */
    uint32_t n_recent, marked_until, matrix_end;
    uint32_t rare_end; /* behind the last first of a pair that leaves no marks and is no VALU */
    /* of each flow: operations issued, and how many of the first of them have returned for sure;
     * of FLAT also by vmcnt and by lgkmcnt, of which `returned` is the lesser */
    uint32_t issued[CHK_FLOWS], returned[CHK_FLOWS], flat_vm, flat_lgkm;
    /* empty unless any_pending, any_locked */
    chk_reg_set_t pending, locked;
    chk_reg_set_t marked; /* used by matrix instructions, dot products and wide stores of late */
    chk_recent_t recent[CHK_RECENT];
    uint64_t pc[CHK_FLOWS][CHK_ISSUES]; /* of operations issued, by their number */
    /* of a pending or locked register: its operation, in its flow; the lanes that it is of */
    uint32_t number[CHK_REGS];
    uint64_t lanes[CHK_REGS];
    uint8_t flow[CHK_REGS];
} chk_hazard_wave_t;

typedef enum {
    CHK_HAZARD_READ,
    CHK_HAZARD_OVERWRITE,
    CHK_HAZARD_STATES,
    CHK_HAZARD_UNSET
} chk_hazard_kind_t;

typedef struct {
    chk_hazard_kind_t kind;
    uint16_t reg; /* the first of those concerned: the number of chk_regs_t */
    uint8_t flow; /* chk_flow_t */
    uint8_t rule;
    uint32_t outstanding; /* with it, of its flow */
    uint32_t behind;      /* issued behind it: s_waitcnt of so many waits for it */
    uint32_t needed, had; /* wait states */
    uint64_t pc;          /* of the first instruction, 0: it is too long ago */
} chk_hazard_t;

enum { CHK_HAZARDS_MAX = 3 };

/* A wave begins; the memory is zeroed at first. */
void chk_hazard_start(chk_hazard_wave_t *s);
/* Any instruction that is about to run. Returns how many hazards there are; each is told once. */
unsigned chk_hazard_look(chk_hazard_wave_t *s, const chk_use_t *u, const isa_wave_t *w,
                         const isa_inst_t *i, chk_hazard_t found[CHK_HAZARDS_MAX]);

/* In this mode VGPRs are others than those that the instruction names. */
static inline bool chk_is_indexed(const isa_wave_t *w, const chk_use_t *u)
{
    return w->mode & ISA_MODE_GPR_IDX && u->flags & CHK_USE_INDEXED;
}

/* Whether there is nothing to look at: nothing under way that it could meet, nothing that it
 * begins but what may be the first of a pair. */
static inline bool chk_hazard_is_usual(const chk_hazard_wave_t *s, const chk_use_t *u,
                                       const isa_wave_t *w)
{
    enum {
        SCC = CHK_USE_READS_SCC | CHK_USE_WRITES_SCC,
        ALWAYS = CHK_USE_WAITCNT | CHK_USE_WALKS | CHK_USE_MARKS | CHK_USE_RARE
    };
    return !s->any_pending && !s->any_locked && u->flow == CHK_FLOW_NONE &&
           !(u->flags & (s->scc_known ? ALWAYS : ALWAYS | SCC)) &&
           (int32_t)(s->look_until - s->states) <= 0 && !chk_is_indexed(w, u);
}

/* What is usual passes. */
static inline void chk_hazard_pass(chk_hazard_wave_t *s, const chk_use_t *u)
{
    const uint32_t end = s->states + u->states;
    if (u->flags & CHK_USE_FIRST)
        s->recent[s->n_recent++ % CHK_RECENT] =
            (chk_recent_t){.use = u, .inst = u->inst, .end = end};
    s->states = end;
}

#endif
