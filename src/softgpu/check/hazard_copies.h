/* hazard_copies.h - SGPRs whose new value a wave may not see yet, on GPUs whose vector ALU keeps
 * copies of SGPRs (chk_hazard_rules_t.copies).
 *
 * The vector ALU has a copy of each pair of SGPRs that it has read. When such a register is written
 * anew, software has to wait until the copy follows: s_wait_alu with sa_sdst(0) after SALU, with
 * va_sdst(0) after VALU, with va_vcc(0) after VALU that writes VCC. Source: LLVM. */
#ifndef SOFTGPU_CHECK_HAZARD_COPIES_H
#define SOFTGPU_CHECK_HAZARD_COPIES_H

#include "softgpu/check/hazard_use.h"

/* Registers by operand code, of those that have copies: all below M0. */
typedef struct {
    uint64_t bits[2];
} chk_scalar_set_t;
_Static_assert(ISA_CODE_M0 <= 128, "a bit for each");

/* What a wave has read and written. A wave begins with zeroes, but for the last member. */
typedef struct {
    uint64_t kept;                     /* pairs of which there is a copy, by bit */
    chk_scalar_set_t by_salu, by_valu; /* registers of these that were written since, by whom, and
                                          that nothing has waited for */
    uint64_t nops_end;                 /* address behind a sequence of ds_nop, */
    uint32_t n_nops;                   /* and how many these are */
    uint64_t written_at[ISA_CODE_M0];  /* the instruction that has written a register of the sets */
} chk_copies_t;

/* A register that is read too early. */
typedef struct {
    uint16_t reg;     /* as in chk_regs_t */
    const char *wait; /* the field of s_wait_alu that would have waited for its value */
    uint64_t pc;      /* of the instruction that has written it */
} chk_copy_t;

/* Checks an instruction of CHK_USE_COPIES that is about to run, in a wave of 32 lanes (`narrow`) or
 * of 64, and records it. Returns whether it reads a register too early; each value is found once.
 */
bool chk_copies_look(chk_copies_t *c, const chk_use_t *u, bool narrow, chk_copy_t *out);

#endif
