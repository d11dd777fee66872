/* translate_known.c - rows and lane masks whose contents are known when code is translated.
 *
 * Sums over a wave exchange registers by ds_bpermute_b32 with lane numbers that follow from
 * v_mbcnt and constants alone. What instructions make of these is found here by their own
 * handlers, in a wave that only this file sees. It holds from such an instruction on, in the lanes
 * that are active there: until EXEC may change, branches come in, or a handler is called. */
#include "softgpu/exec/code.h"
#include "softgpu/exec/translate_emit.h"

#include <stdlib.h>
#include <string.h>

enum { TRIES = 2 };

struct isa_known {
    /* The wave's: the dwords of rows that are known; behind them, results that are tried. */
    isa_row_t rows[ISA_VGPR_ROWS + TRIES];
    const isa_plan_t *plan;
    isa_wave_t wave;
    bool row[ISA_VGPR_ROWS], scalar[ISA_SCALARS]; /* which registers are known */
};

isa_known_t *isa_known_new(const isa_plan_t *plan)
{
    enum { ALIGNED = 64 };
    const size_t bytes = (sizeof(isa_known_t) + ALIGNED - 1) / ALIGNED * ALIGNED;
    isa_known_t *k = aligned_alloc(ALIGNED, bytes);
    if (!k) return NULL;
    memset(k, 0, bytes);
    k->plan = plan;
    k->wave.vgpr = k->rows;
    k->wave.exec = isa_page_full(plan->page);
    k->wave.mode = plan->mode;
    return k;
}

void isa_known_forget(isa_known_t *k)
{
    memset(k->row, 0, sizeof k->row);
    memset(k->scalar, 0, sizeof k->scalar);
}

/* Says of the operand's registers whether they are known. */
static void set(isa_known_t *k, const isa_operand_t *o, bool known)
{
    for (unsigned n = 0; n < (o->bits + 31u) / 32u; n++) {
        if (o->kind == ISA_OPK_VGPR && o->reg + n < ISA_VGPR_ROWS) k->row[o->reg + n] = known;
        if (o->kind == ISA_OPK_SGPR && o->reg + n < ISA_SCALARS) k->scalar[o->reg + n] = known;
    }
}

static unsigned mask_size(const isa_known_t *k)
{
    return isa_page_lanes(k->plan->page) / 32;
}

static void set_mask(isa_known_t *k, int reg, bool known)
{
    for (unsigned n = 0; reg >= 0 && n < mask_size(k); n++)
        k->scalar[(unsigned)reg + n] = known;
}

void isa_known_lose(isa_known_t *k, const isa_inst_t *i)
{
    set(k, &i->dst, false);
    set(k, &i->dst2, false);
    if (isa_table[i->op].writes & ISA_REG_VCC) set_mask(k, ISA_CODE_VCC, false);
    if (isa_plan_writes_exec(i)) isa_known_forget(k);
}

static bool source_is_known(const isa_known_t *k, const isa_operand_t *o)
{
    if (o->kind == ISA_OPK_NONE) return true;
    if (o->kind == ISA_OPK_CONST) return o->bits <= 32;
    return o->kind == ISA_OPK_VGPR && o->bits == 32 && k->row[o->reg];
}

static bool mask_is_known(const isa_known_t *k, int reg)
{
    bool known = true;
    for (unsigned n = 0; reg >= 0 && n < mask_size(k); n++)
        known &= k->scalar[(unsigned)reg + n];
    return known;
}

/* Whether the result depends on nothing but sources of a dword, the lane's number, and what the
 * register had before (has_result()). What takes a mask chooses or adds, whatever MODE is, though
 * the table calls what v_cndmask_b32 chooses from numbers, since they may have a sign changed. */
static bool is_plain(const isa_inst_t *i)
{
    enum { OTHER = ISA_F_DPP | ISA_F_SDWA | ISA_F_OMOD | ISA_F_CLAMP | ISA_F_DSTSEL };
    const isa_row_desc_t *row = &isa_table[i->op];
    if (row->klass != ISA_CLASS_VALU || row->marks & (ISA_IS_READS_DST | ISA_IS_TIED)) return false;
    if (i->flags & OTHER) return false;
    if (!isa_plan_takes_mask(i) && isa_plan_depends_on_mode(i)) return false;
    return i->dst.kind != ISA_OPK_VGPR || i->dst.bits == 32;
}

/* Executes the instruction twice, on a row of zeros and on a row of ones: a result of 16 bits,
 * which may leave the other half of the register, is found by the difference. The masks that it
 * writes are the wave's then, its row is that of the first try. False if it has stopped the wave,
 * or if its row depends on what was in it before. */
static bool has_result(isa_known_t *k, const isa_inst_t *i)
{
    isa_row_t *const tried = &k->rows[ISA_VGPR_ROWS];
    isa_inst_t to_row = *i;
    uint32_t sgpr[ISA_SCALARS]; /* a mask may be a source and a result */
    memcpy(sgpr, k->wave.sgpr, sizeof sgpr);
    for (unsigned n = 0; n < TRIES; n++) {
        memcpy(k->wave.sgpr, sgpr, sizeof sgpr);
        memset(tried[n], n ? 0xff : 0, sizeof tried[n]);
        if (i->dst.kind == ISA_OPK_VGPR) to_row.dst.reg = (uint16_t)(ISA_VGPR_ROWS + n);
        k->plan->page->core->handlers[i->op](&k->wave, &to_row);
    }
    const bool stopped = k->wave.stop;
    k->wave.stop = 0;
    const size_t bytes = isa_page_lanes(k->plan->page) * sizeof **tried; /* that handlers write */
    return !stopped && (i->dst.kind != ISA_OPK_VGPR || !memcmp(tried[0], tried[1], bytes));
}

bool isa_known_run(isa_known_t *k, const isa_step_t *s)
{
    const isa_inst_t *i = s->i;
    if (!is_plain(i) || !mask_is_known(k, s->in)) return false;
    for (unsigned n = 0; n < (isa_plan_takes_mask(i) ? 2 : 3); n++)
        if (!source_is_known(k, &i->src[n])) return false;
    if (!has_result(k, i)) return false;
    if (i->dst.kind == ISA_OPK_VGPR)
        memcpy(k->rows[i->dst.reg], k->rows[ISA_VGPR_ROWS], sizeof *k->rows);
    set(k, &i->dst, i->dst.kind == ISA_OPK_VGPR);
    set_mask(k, s->out, true);
    return true;
}

const uint32_t *isa_known_row(const isa_known_t *k, unsigned row)
{
    return k->row[row] ? k->rows[row] : NULL;
}

uint64_t isa_known_mask(const isa_known_t *k, unsigned reg)
{
    const uint64_t high = mask_size(k) > 1 ? k->wave.sgpr[reg + 1] : 0;
    return high << 32 | k->wave.sgpr[reg];
}

/* ---- exchanges between lanes ---- */

/* Finds the one or two vectors of `n` lanes, from which the lanes of a vector read that begins at
 * lane `at`; false if there are more. */
static bool find_vectors(isa_exchange_t *x, const uint32_t *lane, unsigned at, unsigned n)
{
    uint32_t *first = &x->from[at], *second = &x->from[at + 1];
    *first = *second = lane[at] & ~(n - 1);
    for (unsigned l = at; l < at + n; l++) {
        const uint32_t from = lane[l] & ~(n - 1);
        if (from == *first) continue;
        if (*second != *first && from != *second) return false;
        *second = from;
    }
    x->two |= *second != *first;
    return true;
}

bool isa_known_exchange(isa_exchange_t *x, const uint32_t *lane, unsigned lanes, unsigned vector,
                        unsigned chunk)
{
    *x = (isa_exchange_t){.moves = true};
    for (unsigned at = 0; at < lanes; at += vector)
        if (!find_vectors(x, lane, at, vector)) return false;
    for (unsigned l = 0; l < lanes; l++) {
        const unsigned begin = l & ~(vector - 1);
        x->lane[l] = lane[l] & (vector - 1);
        x->second[l] = (lane[l] & ~(vector - 1)) != x->from[begin];
        x->moves &= !x->second[l] && x->lane[l] == l - begin;
        x->back |= lane[l] / chunk < l / chunk;
    }
    x->moves &= !x->two;
    return true;
}
