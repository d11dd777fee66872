/* hazard_wave.h - a wave's operations in flight when its next instruction is issued: registers that
 * loads are going to write, and recent instructions that need wait states before the next one.
 *
 * A register is pending until an s_waitcnt guarantees that its load has returned. For operations
 * that return in order, such an s_waitcnt leaves no more outstanding than were issued after the
 * load; for all other operations, it leaves none. A load that may have returned by chance stays
 * pending. Only the lanes that the load writes are pending. Nothing is reported here. */
#ifndef SOFTGPU_CHECK_HAZARD_WAVE_H
#define SOFTGPU_CHECK_HAZARD_WAVE_H

#include "softgpu/check/hazard_copies.h"
#include "softgpu/check/hazard_use.h"

enum { CHK_RECENT = 32, CHK_ISSUES = 64 }; /* powers of two; CHK_RECENT > most states of any row */

typedef struct {
    uint64_t digest; /* of the set, or of a larger one: 0 only if the set is empty */
    /* one word more than the registers need, so that 64 bits can be read from any byte */
    uint64_t bits[(CHK_REGS + 63) / 64 + 1];
} chk_reg_set_t;

/* An instruction that may be the first of a pair. The cache entry `use` may hold another
 * instruction by now; then use->inst differs from `inst`. */
typedef struct {
    const chk_use_t *use;
    const isa_inst_t *inst;
    uint32_t end; /* value of `states` after it */
} chk_recent_t;

/* An operation on a register. */
typedef struct {
    uint64_t lanes; /* that it covers */
    uint32_t number;
    uint8_t flow;
    uint8_t kind; /* chk_use_kind() of its instruction */
} chk_in_flight_t;

typedef struct {
    uint32_t states;     /* wait states issued so far */
    uint32_t look_until; /* while `states` is below it, vector instructions search back */
    bool scc_known;
    uint16_t only_dot; /* the dot product, if only that has marked registers; 0: other instructions
                          have marked some, too */
    uint32_t n_recent, marked_until, matrix_end;
    uint32_t rare_end; /* value of `states` after the last instruction of CHK_FIRST_RARE */
    /* By flow: how many operations were issued, and how many of the first of them have returned for
     * sure. For FLAT, vmcnt and lgkmcnt each have a count; `returned` is the lesser of the two. */
    uint32_t issued[CHK_FLOWS], returned[CHK_FLOWS], flat_vm, flat_lgkm;
    uint32_t trans_from; /* value of n_recent behind the last instruction of CHK_USE_ENDS_TRANS */
    chk_reg_set_t pending, locked;
    chk_reg_set_t marked; /* registers that matrix instructions, dot products and wide stores have
                             used recently */
    chk_recent_t recent[CHK_RECENT];
    uint64_t pc[CHK_FLOWS][CHK_ISSUES]; /* of issued operations, by number */
    /* Of operations of FLAT_MIXED, by number: their numbers in the flows that count them. */
    struct {
        uint32_t vm, lds;
    } mixed[CHK_ISSUES];
    /* Of a pending or locked register: the part that operations cover, and for each half of that
     * the operation. That of the whole register is in place 0, as that of the lower half. */
    chk_in_flight_t of[2][CHK_REGS];
    uint8_t half[CHK_REGS]; /* CHK_WHOLE, CHK_LOW, CHK_HIGH or CHK_LOW | CHK_HIGH */
    chk_copies_t copies;
} chk_hazard_wave_t;

typedef enum {
    CHK_HAZARD_READ,
    CHK_HAZARD_OVERWRITE,
    CHK_HAZARD_STATES,
    CHK_HAZARD_COPY, /* of an SGPR */
    CHK_HAZARD_UNSET
} chk_hazard_kind_t;

typedef struct {
    chk_hazard_kind_t kind;
    uint16_t reg; /* the first register concerned, numbered as in chk_regs_t */
    uint8_t flow; /* chk_flow_t */
    uint8_t half; /* of CHK_HAZARD_READ and _OVERWRITE: the half of it that is being loaded;
                     CHK_WHOLE: all of it, or both halves by operations of their own */
    const chk_rule_t *rule;
    uint32_t outstanding; /* operations outstanding in its flow, itself included */
    uint32_t behind;      /* of these, issued after it: s_waitcnt with this count waits for it */
    uint32_t needed, had; /* of CHK_HAZARD_STATES: wait states */
    const char *wait;     /* of CHK_HAZARD_COPY: the field of s_wait_alu that waits for it */
    uint64_t pc;          /* of the earlier instruction; 0: it was too long ago */
} chk_hazard_t;

enum { CHK_HAZARDS_MAX = 4 };

/* A wave begins. The memory has to be zeroed before the first use. */
void chk_hazard_start(chk_hazard_wave_t *s);
/* Checks an instruction that is about to run. Returns the number of hazards; each one is found
 * once. */
unsigned chk_hazard_look(chk_hazard_wave_t *s, const chk_use_t *u, const isa_wave_t *w,
                         const isa_inst_t *i, chk_hazard_t found[CHK_HAZARDS_MAX]);

/* Whether the instruction uses other VGPRs than it names, by the indexing mode. */
static inline bool chk_is_indexed(const isa_wave_t *w, const chk_use_t *u)
{
    return w->mode & ISA_MODE_GPR_IDX && u->flags & CHK_USE_INDEXED;
}

/* Whether some register of the instruction may have an operation in flight. */
static inline bool chk_hazard_touches(const chk_hazard_wave_t *s, const chk_use_t *u)
{
    return u->touches & (s->pending.digest | s->locked.digest);
}

/* Whether the instruction needs no check: none of its registers has an operation in flight, and it
 * starts none; it may be the first of a pair. */
static inline bool chk_hazard_is_usual(const chk_hazard_wave_t *s, const chk_use_t *u,
                                       const isa_wave_t *w)
{
    enum {
        SCC = CHK_USE_READS_SCC | CHK_USE_WRITES_SCC,
        ALWAYS = CHK_USE_COUNTED | CHK_USE_WAITCNT | CHK_USE_WALKS | CHK_USE_MARKS | CHK_USE_RARE |
                 CHK_USE_ENDS_TRANS | CHK_USE_COPIES | CHK_USE_WAITS_FIRST
    };
    return !chk_hazard_touches(s, u) && !(u->flags & (s->scc_known ? ALWAYS : ALWAYS | SCC)) &&
           (int32_t)(s->look_until - s->states) <= 0 && !chk_is_indexed(w, u);
}

/* Records an instruction for which chk_hazard_is_usual() is true. */
static inline void chk_hazard_pass(chk_hazard_wave_t *s, const chk_use_t *u)
{
    const uint32_t end = s->states + u->states;
    if (u->flags & CHK_USE_FIRST)
        s->recent[s->n_recent++ % CHK_RECENT] =
            (chk_recent_t){.use = u, .inst = u->inst, .end = end};
    s->states = end;
}

#endif
