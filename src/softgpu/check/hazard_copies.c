/* hazard_copies.c - see hazard_copies.h.
 *
 * LLVM inserts waits by what may have happened on any path to an instruction, and this file looks
 * at the path that a wave has taken. Where LLVM drops a wait because of another path, because of
 * the other half of VCC, or because a called function does not know its caller, this file drops it,
 * too: compiled code has no findings. */
#include "softgpu/check/hazard_copies.h"

#include "isa/table.h"

/* So many successive ds_nop make the vector ALU forget its copies. */
enum { NOPS_NARROW = 4, NOPS_WIDE = 8, NOP_BYTES = 8 };

/* ---- sets ---- */

static bool has(const chk_scalar_set_t *s, unsigned code)
{
    return s->bits[code / 64] >> code % 64 & 1;
}

static void change(chk_scalar_set_t *s, unsigned code, bool on)
{
    const uint64_t bit = 1ull << code % 64;
    s->bits[code / 64] = on ? s->bits[code / 64] | bit : s->bits[code / 64] & ~bit;
}

static bool is_vcc(unsigned code)
{
    return code >> 1 == ISA_CODE_VCC >> 1;
}

static bool is_kept(const chk_copies_t *c, unsigned code)
{
    return c->kept >> code / 2 & 1;
}

/* Empties the set of VCC alone, or of all else. */
static void forget(chk_scalar_set_t *s, bool vcc)
{
    const uint64_t both = 3ull << ISA_CODE_VCC % 64;
    if (!vcc) s->bits[0] = 0;
    s->bits[ISA_CODE_VCC / 64] &= vcc ? ~both : both;
}

/* Nothing has to be waited for any more to read the register: of VCC, either half. */
static void settle(chk_copies_t *c, unsigned code)
{
    const bool vcc = is_vcc(code);
    change(&c->by_salu, code, false);
    change(&c->by_valu, code, false);
    if (vcc) forget(&c->by_salu, true);
    if (vcc) forget(&c->by_valu, true);
}

/* ---- instructions ---- */

static void wait(chk_copies_t *c, unsigned waits)
{
    if (waits & CHK_COMMITS_SALU) c->by_salu = (chk_scalar_set_t){{0}};
    if (waits & CHK_COMMITS_VALU) forget(&c->by_valu, false);
    if (waits & CHK_COMMITS_VCC) forget(&c->by_valu, true);
}

static void count_nop(chk_copies_t *c, uint64_t pc, bool narrow)
{
    c->n_nops = pc == c->nops_end ? c->n_nops + 1 : 1;
    c->nops_end = pc + NOP_BYTES;
    if (c->n_nops < (narrow ? NOPS_NARROW : NOPS_WIDE)) return;
    c->kept = 0;
    c->by_salu = c->by_valu = (chk_scalar_set_t){{0}};
}

/* SALU that reads a register has waited for all that VALU has written: of VCC, or of all else. For
 * LLVM that is so if VALU has read the register on any path, which is not known here; nor is
 * whether VALU has written VCC on another path, in which case LLVM takes SALU's own value for read,
 * too. */
static bool read_one(chk_copies_t *c, unsigned code, bool valu, chk_copy_t *out)
{
    if (!valu) forget(&c->by_valu, is_vcc(code));
    if (!valu && is_vcc(code)) forget(&c->by_salu, true);
    if (!is_kept(c, code)) return false;
    const bool of_salu = has(&c->by_salu, code), of_valu = has(&c->by_valu, code);
    if (!of_salu && !of_valu) return false;
    *out = (chk_copy_t){.reg = (uint16_t)(CHK_REG_SCALAR + code),
                        .wait = of_salu        ? "sa_sdst"
                                : is_vcc(code) ? "va_vcc"
                                               : "va_sdst",
                        .pc = c->written_at[code]};
    return true;
}

static void write_one(chk_copies_t *c, unsigned code, bool valu, uint64_t pc)
{
    if (!is_kept(c, code)) return;
    change(valu ? &c->by_valu : &c->by_salu, code, true);
    c->written_at[code] = pc;
}

/* The operand code of the first of the registers; a greater one than any that has copies, if they
 * are vector registers. */
static unsigned code_of(chk_regs_t r)
{
    return r.first - (unsigned)CHK_REG_SCALAR;
}

static void settle_all(chk_copies_t *c, chk_regs_t r)
{
    unsigned code = code_of(r);
    for (unsigned n = 0; n < r.n && code < ISA_CODE_M0; n++, code++)
        settle(c, code);
}

/* A value of several registers is found once. */
static bool read_all(chk_copies_t *c, const chk_use_t *u, bool valu, chk_copy_t *out)
{
    for (unsigned k = 0; k < u->n_reads; k++) {
        unsigned code = code_of(u->regs[k]);
        for (unsigned n = 0; n < u->regs[k].n && code < ISA_CODE_M0; n++, code++) {
            if (!read_one(c, code, valu, out)) continue;
            settle_all(c, u->regs[k]);
            return true;
        }
    }
    return false;
}

/* Calls, returns and jumps to an address in registers. LLVM has waited for all values in front of
 * them without a look at their operands, and takes nothing to be outstanding where a function
 * begins: not the address to return to, either. */
static bool jumps(const chk_use_t *u)
{
    const isa_row_desc_t *row = &isa_table[u->op];
    return row->klass == ISA_CLASS_BRANCH && row->fmt != ISA_FMT_SOPP;
}

static void keep_all(chk_copies_t *c, const chk_use_t *u)
{
    for (unsigned k = 0; k < u->n_reads; k++) {
        const unsigned code = code_of(u->regs[k]);
        if (code < ISA_CODE_M0) c->kept |= 1ull << code / 2;
    }
}

static void write_all(chk_copies_t *c, const chk_use_t *u, bool valu)
{
    for (unsigned k = u->n_reads; k < u->n; k++) {
        unsigned code = code_of(u->regs[k]);
        settle_all(c, u->regs[k]);
        if (jumps(u)) continue;
        for (unsigned n = 0; n < u->regs[k].n && code < ISA_CODE_M0; n++, code++)
            write_one(c, code, valu, u->pc);
    }
}

bool chk_copies_look(chk_copies_t *c, const chk_use_t *u, bool narrow, chk_copy_t *out)
{
    const bool valu = u->first & (CHK_FIRST_VALU | CHK_FIRST_MATRIX);
    if (u->op == ISA_OP_ds_nop) count_nop(c, u->pc, narrow);
    if (u->op == ISA_OP_ds_nop || u->commits) {
        wait(c, u->commits);
        return false;
    }
    const bool found = !jumps(u) && read_all(c, u, valu, out);
    if (valu) keep_all(c, u);
    write_all(c, u, valu);
    return found;
}
