/* hazard_wave.h - what of a wave is still under way when its next instruction comes: registers that
 * loads are going to write, and instructions that the next few must not follow too closely.
 *
 * A register is pending until an s_waitcnt says that its load has returned: for operations that
 * return in order, one that lets no more be outstanding than have been issued behind the load; for
 * the others, one of 0. What may have returned by chance has not. Reports nothing by itself. */
#ifndef SOFTGPU_CHECK_HAZARD_WAVE_H
#define SOFTGPU_CHECK_HAZARD_WAVE_H

#include "softgpu/check/hazard_use.h"

enum { CHK_RECENT = 32, CHK_ISSUES = 64 }; /* powers of two; RECENT > CHK_RULE_STATES_MAX */

typedef struct {
    uint64_t bits[(CHK_REGS + 63) / 64 + 1]; /* room for a read of 64 bits from any byte */
} chk_reg_set_t;

/* The first of a pair that may come. */
typedef struct {
    uint64_t as_first, pc;
    uint32_t first, end; /* end: the states behind it */
    uint16_t op;
    uint8_t hwreg, n;   /* n: of regs */
    chk_regs_t regs[3]; /* written, and what is held; .n is 0 where there is none */
} chk_recent_t;

typedef struct {
    /* of each flow: operations issued, and how many of the first of them have returned for sure;
     * of FLAT also by lgkmcnt, of which `returned` is the lesser */
    uint32_t issued[CHK_FLOWS], returned[CHK_FLOWS], flat_vm, flat_lgkm;
    uint32_t states; /* issued so far */
    uint32_t n_recent, marked_until;
    uint32_t rare_end; /* behind the last first of a pair that leaves no marks and is no VALU */
    bool scc_known;
    chk_reg_set_t pending, locked;
    chk_reg_set_t marked; /* used by matrix instructions, dot products and wide stores of late */
    chk_recent_t recent[CHK_RECENT];
    uint64_t pc[CHK_FLOWS][CHK_ISSUES]; /* of operations issued, by their number */
    uint32_t number[CHK_REGS]; /* of the operation of a pending or locked register, in its flow */
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

void chk_hazard_start(chk_hazard_wave_t *s);
/* An instruction is about to run. Returns how many hazards there are; each is told once. */
unsigned chk_hazard_step(chk_hazard_wave_t *s, const chk_use_t *u, const isa_wave_t *w,
                         const isa_inst_t *i, chk_hazard_t found[CHK_HAZARDS_MAX]);

#endif
