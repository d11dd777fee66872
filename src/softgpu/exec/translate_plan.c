/* translate_plan.c - what becomes of each instruction: see translate_internal.h.
 *
 * A loop is the code between the head and the branch that goes back to it, with all branches inside
 * it; a stretch is the code from an instruction on to one that writes MODE, or to the program's or
 * the page's end. What is not known to be safe is left to the interpreter: a step of the kind
 * LEAVE. */
#include "softgpu/exec/translate_internal.h"

#include <stdio.h>
#include <string.h>

const char *isa_library_name(char *name, const isa_inst_t *i, isa_function_t kind)
{
    static const char *const kinds[] = {"scalar", "chunk", "quick"};
    snprintf(name, ISA_LIBRARY_NAME, "isa_%s_%s", kinds[kind],
             isa_table[isa_table[i->op].body].mnemonic);
    return name;
}

static bool in_library(const isa_inst_t *i, isa_function_t kind)
{
    char name[ISA_LIBRARY_NAME];
    return isa_compiler_has(isa_library_name(name, i, kind));
}

isa_function_t isa_chunk_function(const isa_inst_t *i, bool nans)
{
    if (!in_library(i, ISA_FUNCTION_QUICK)) return ISA_FUNCTION_CHUNK;
    return nans && in_library(i, ISA_FUNCTION_CHUNK) ? ISA_FUNCTION_CHUNK : ISA_FUNCTION_QUICK;
}

bool isa_chunk_has_both(const isa_inst_t *i)
{
    return in_library(i, ISA_FUNCTION_QUICK) && in_library(i, ISA_FUNCTION_CHUNK);
}

/* Whether the scalar registers of an operand are ordinary ones, with codes up to that of EXEC. In a
 * wave of 32 lanes EXEC is no pair: its high half has another place (wave.h). */
static bool is_ordinary(const isa_page_t *page, const isa_operand_t *o)
{
    if (isa_page_lanes(page) == 32 && o->reg == ISA_CODE_EXEC && o->bits > 32) return false;
    return o->kind == ISA_OPK_SGPR && o->reg + o->bits / 32u <= ISA_CODE_EXEC + 2u;
}

bool isa_plan_writes_exec(const isa_inst_t *i)
{
    const isa_operand_t *const written[] = {&i->dst, &i->dst2};
    bool writes = isa_table[i->op].writes & ISA_REG_EXEC;
    for (unsigned k = 0; k < 2; k++)
        if (written[k]->kind == ISA_OPK_SGPR && written[k]->reg < ISA_CODE_EXEC + 2 &&
            written[k]->reg + (written[k]->bits + 31u) / 32u > ISA_CODE_EXEC)
            writes = true;
    return writes;
}

/* ---- scalar instructions ---- */

/* Whether the instruction takes EXEC for a pair that it is not: the library's functions work with
 * 64 lanes. */
static bool takes_wide_exec(const isa_page_t *page, const isa_inst_t *i)
{
    const isa_row_desc_t *row = &isa_table[i->op];
    return isa_page_lanes(page) == 32 && (row->reads | row->writes) & ISA_REG_EXEC &&
           (i->dst.bits > 32 || i->src[0].bits > 32);
}

static bool is_scalar(const isa_page_t *page, const isa_inst_t *i)
{
    const isa_row_desc_t *row = &isa_table[i->op];
    if (takes_wide_exec(page, i)) return false;
    if (row->klass != ISA_CLASS_SALU || row->marks & ISA_IS_MOVREL ||
        !in_library(i, ISA_FUNCTION_SCALAR))
        return false;
    if ((row->reads | row->writes) & ~(ISA_REG_EXEC | ISA_REG_VCC | ISA_REG_SCC)) return false;
    if (i->dst.kind != ISA_OPK_NONE && !is_ordinary(page, &i->dst)) return false;
    for (unsigned n = 0; n < 2; n++) {
        const isa_operand_t *o = &i->src[n];
        if (o->kind != ISA_OPK_NONE && o->kind != ISA_OPK_CONST && !is_ordinary(page, o))
            return false;
    }
    return i->dst.bits <= 64;
}

/* ---- vector instructions ---- */

static bool is_half(unsigned type)
{
    return type == ISA_T_B16 || type == ISA_T_F16 || type == ISA_T_BF16;
}

bool isa_plan_mixes(const isa_inst_t *i)
{
    const unsigned body = isa_table[i->op].body;
    return body == ISA_OP_v_fma_mix_f32 || body == ISA_OP_v_fma_mixlo_f16 ||
           body == ISA_OP_v_fma_mixhi_f16;
}

/* Whether the segment can apply the source's modifiers: signs of numbers of 32 and 64 bits, parts
 * of a register (SDWA), dwords of pairs. */
static bool source_is_plain(const isa_inst_t *i, unsigned n)
{
    const isa_operand_t *o = &i->src[n];
    const isa_field_t *field = isa_field(&isa_table[i->op], ISA_ROLE_SRC0 + n);
    const unsigned type = field ? field->type : ISA_T_BITS;
    if (isa_plan_mixes(i)) return true;
    if (i->fmt == ISA_FMT_VOP3P) return type == ISA_T_V2F32;
    if (!(i->flags & ISA_F_SDWA) && o->sel & 1) return false;
    if (o->mods & ISA_MOD_SEXT) return i->flags & ISA_F_SDWA && o->mods == ISA_MOD_SEXT;
    return !o->mods || type == ISA_T_F32 || type == ISA_T_F64;
}

/* Whether the segment can apply all modifiers: those of sources, at most. Other modifiers are left
 * to the handler. */
static bool sources_only(const isa_inst_t *i)
{
    if (i->flags & (ISA_F_DPP | ISA_F_OMOD | ISA_F_CLAMP | ISA_F_DSTSEL)) return false;
    if (i->flags & ISA_F_SDWA) {
        const isa_field_t *dst = isa_field(&isa_table[i->op], ISA_ROLE_VDST);
        if (dst && is_half(dst->type)) return false;
    }
    for (unsigned n = 0; i->flags & ISA_F_SRCMOD && n < 3; n++)
        if (i->src[n].kind != ISA_OPK_NONE && !source_is_plain(i, n)) return false;
    return true;
}

/* Whether the instruction is v_mbcnt of less than all lanes: functions of the library do not know
 * the lane's number. */
static bool needs_lane(const isa_inst_t *i)
{
    const unsigned body = isa_table[i->op].body;
    if (body != ISA_OP_v_mbcnt_lo_u32_b32 && body != ISA_OP_v_mbcnt_hi_u32_b32) return false;
    return i->src[0].kind != ISA_OPK_CONST || (uint32_t)i->src[0].k != UINT32_MAX;
}

/* Whether LLVM may leave the instruction out of a segment: it takes a conversion that undoes the
 * one before it for no operation, so that a signalling NaN would not become a quiet one. */
static bool undoes_another(const isa_inst_t *i)
{
    return isa_table[i->op].body == ISA_OP_v_cvt_f32_f64;
}

/* Whether translate_segment.c writes the instruction itself: it moves rows. */
static bool moves_rows(const isa_inst_t *i)
{
    return isa_table[i->op].body == ISA_OP_v_pk_mov_b32 && !i->src[0].mods && !i->src[1].mods &&
           !(i->flags & ISA_F_CLAMP);
}

bool isa_plan_takes_mask(const isa_inst_t *i)
{
    const unsigned body = isa_table[i->op].body;
    return body == ISA_OP_v_cndmask_b32 || body == ISA_OP_v_addc_co_u32 ||
           body == ISA_OP_v_subb_co_u32 || body == ISA_OP_v_subbrev_co_u32;
}

/* Whether the operand is a scalar register that a segment can read. A handler that is called for
 * some of the lanes finds these in EXEC, and would take them for the operand (translate_rest.c). */
static bool is_scalar_of_segment(const isa_page_t *page, const isa_operand_t *o)
{
    return is_ordinary(page, o) && o->reg + (o->bits + 31u) / 32u <= ISA_CODE_EXEC;
}

static bool source_fits(const isa_page_t *page, const isa_operand_t *o)
{
    if (o->kind == ISA_OPK_VGPR) return o->bits <= 128;
    return o->bits <= 64 && (o->kind == ISA_OPK_CONST || is_scalar_of_segment(page, o));
}

/* Finds the lane masks that the instruction reads and writes. */
static bool find_masks(const isa_page_t *page, isa_step_t *s)
{
    const isa_inst_t *i = s->i;
    const isa_row_desc_t *row = &isa_table[i->op];
    const bool mask = isa_plan_takes_mask(i);
    s->in = mask || row->reads & ISA_REG_VCC ? ISA_CODE_VCC : -1;
    if (mask && i->src[2].kind != ISA_OPK_NONE) {
        if (!is_scalar_of_segment(page, &i->src[2])) return false;
        s->in = (int16_t)i->src[2].reg;
    }
    s->out = -1;
    if (i->dst2.kind == ISA_OPK_SGPR) {
        if (!is_ordinary(page, &i->dst2)) return false;
        s->out = (int16_t)i->dst2.reg;
    } else if (i->dst.kind == ISA_OPK_SGPR) {
        s->out = (int16_t)i->dst.reg;
    } else if (row->writes & ISA_REG_VCC) {
        s->out = ISA_CODE_VCC;
    }
    return true;
}

static bool is_chunk(const isa_page_t *page, isa_step_t *s)
{
    const isa_inst_t *i = s->i;
    const isa_row_desc_t *row = &isa_table[i->op];
    const bool mask = isa_plan_takes_mask(i);
    if (row->klass != ISA_CLASS_VALU || needs_lane(i) || undoes_another(i) ||
        isa_plan_writes_exec(i) || i->dst.mods & ~ISA_MOD_KEEP)
        return false;
    if (!moves_rows(i) && (!sources_only(i) || !in_library(i, isa_chunk_function(i, false))))
        return false;
    if (i->dst.kind != ISA_OPK_VGPR && i->dst.kind != ISA_OPK_NONE && !is_ordinary(page, &i->dst))
        return false;
    if (i->dst.kind == ISA_OPK_VGPR && i->dst.bits > 128) return false;
    for (unsigned n = 0; n < (mask ? 2 : 3); n++)
        if (i->src[n].kind != ISA_OPK_NONE && !source_fits(page, &i->src[n])) return false;
    if (i->src[3].kind != ISA_OPK_NONE) return false;
    return find_masks(page, s);
}

static const isa_dual_t *pair_of(const isa_inst_t *i)
{
    return (const isa_dual_t *)(uintptr_t)i->dst.k;
}

isa_halves_t isa_plan_halves(const isa_page_t *page, const isa_inst_t *i)
{
    const isa_dual_t *pair = pair_of(i);
    const bool swapped = pair->order == ISA_DUAL_SECOND_FIRST;
    isa_halves_t h = {{{.i = &pair->half[swapped]}, {.i = &pair->half[!swapped]}}};
    for (unsigned k = 0; k < 2; k++)
        find_masks(page, &h.half[k]);
    return h;
}

/* Whether both operations of a VOPD instruction are functions of the library. A pair of which each
 * reads what the other writes is left to its handler. */
static bool is_dual(const isa_page_t *page, const isa_inst_t *i)
{
    if (pair_of(i)->order == ISA_DUAL_ASIDE) return false;
    isa_halves_t h = isa_plan_halves(page, i);
    return is_chunk(page, &h.half[0]) && is_chunk(page, &h.half[1]);
}

static bool is_vector(const isa_page_t *page, isa_step_t *s)
{
    if (isa_plan_reads_lanes(isa_library_for(page->core), s->i)) {
        s->in = s->out = -1;
        return true;
    }
    return s->i->fmt == ISA_FMT_VOPD ? is_dual(page, s->i) : is_chunk(page, s);
}

/* ---- moves of one lane's dword ---- */

static bool is_scalar_value(const isa_page_t *page, const isa_operand_t *o)
{
    return o->kind == ISA_OPK_CONST || is_ordinary(page, o);
}

static bool moves_lane(const isa_page_t *page, const isa_inst_t *i)
{
    const bool reads = i->src[0].kind == ISA_OPK_VGPR && is_ordinary(page, &i->dst);
    if (isa_plan_writes_exec(i)) return false;
    switch (isa_table[i->op].body) {
    case ISA_OP_v_readfirstlane_b32: return reads;
    case ISA_OP_v_readlane_b32: return reads && is_scalar_value(page, &i->src[1]);
    case ISA_OP_v_writelane_b32:
        return i->dst.kind == ISA_OPK_VGPR && is_scalar_value(page, &i->src[0]) &&
               is_scalar_value(page, &i->src[1]);
    default: return false;
    }
}

/* ---- other instructions ---- */

bool isa_plan_ends_turn(const isa_inst_t *i)
{
    return i->op == ISA_OP_s_barrier || i->op == ISA_OP_s_endpgm;
}

/* Whether the handler can be called from translated code: the wave continues at the next
 * instruction or stops, and MODE does not change. */
static bool can_be_called(const isa_inst_t *i)
{
    const isa_row_desc_t *row = &isa_table[i->op];
    if (isa_plan_ends_turn(i)) return true;
    if (row->writes & ISA_REG_MODE || row->fmt == ISA_FMT_SOPP) return false;
    switch (row->klass) {
    case ISA_CLASS_BRANCH:
    case ISA_CLASS_MSG:
    case ISA_CLASS_INTERNAL: return false;
    default: return true;
    }
}

bool isa_plan_depends_on_mode(const isa_inst_t *i)
{
    if (i->fmt == ISA_FMT_VOPD) return true;
    const isa_row_desc_t *row = &isa_table[i->op];
    bool floats = row->reads & ISA_REG_MODE;
    for (unsigned k = 0; k < ISA_MAX_FIELDS; k++) {
        const unsigned type = row->fields[k].type;
        floats |= type == ISA_T_F16 || type == ISA_T_BF16 || type == ISA_T_F32 ||
                  type == ISA_T_F64 || type == ISA_T_V2F16 || type == ISA_T_V2BF16 ||
                  type == ISA_T_V2F32;
    }
    return floats;
}

bool isa_plan_leaves(const isa_inst_t *i)
{
    return !isa_does_nothing(i) && !isa_is_branch(i) && !can_be_called(i);
}

static isa_step_kind_t call_or_leave(const isa_plan_t *plan, const isa_inst_t *i)
{
    return plan->calls && can_be_called(i) ? ISA_STEP_CALL : ISA_STEP_LEAVE;
}

static void choose(const isa_plan_t *plan, isa_step_t *s)
{
    const isa_inst_t *i = s->i;
    /* what is counted of the access depends on the lanes' addresses, or on the instruction: the
       core's function, called beside the handler, counts it */
    const bool only_called = plan->bucket && !isa_count_is_plain(i);
    if (isa_does_nothing(i))
        s->kind = ISA_STEP_NOTHING;
    else if (isa_is_branch(i))
        s->kind = ISA_STEP_BRANCH;
    else if (only_called)
        s->kind = call_or_leave(plan, i);
    else if (is_scalar(plan->page, i))
        s->kind = ISA_STEP_SCALAR;
    else if (moves_lane(plan->page, i))
        s->kind = ISA_STEP_LANE;
    else if ((plan->plain || !isa_plan_depends_on_mode(i)) && is_vector(plan->page, s))
        s->kind = i->fmt == ISA_FMT_VOPD ? ISA_STEP_DUAL : ISA_STEP_CHUNK;
    else
        s->kind = call_or_leave(plan, i);
}

/* The decoded instruction of a slot, NULL if there is none that can be executed. */
static const isa_inst_t *decoded(isa_page_t *page, unsigned at)
{
    const isa_inst_t *i = &page->slots[at];
    if (atomic_load_explicit(&i->fn, memory_order_acquire) == isa_slot_undecoded)
        isa_code_decode(page, at);
    isa_handler_t *fn = atomic_load_explicit(&i->fn, memory_order_acquire);
    return isa_translate_owns(fn) || (i->op && fn == isa_own_handler(page, i)) ? i : NULL;
}

void isa_plan_decode(isa_page_t *page, unsigned first, unsigned last)
{
    const isa_inst_t *i;
    for (unsigned at = first; at <= last; at += i->dwords)
        if (!(i = decoded(page, at))) return;
}

/* The instruction's branch target as a slot, which may be in another page. */
static int64_t target_slot(const isa_page_t *page, const isa_inst_t *i)
{
    return (int64_t)isa_slot_index(page, isa_next_pc(i)) + i->imm;
}

/* Whether the code behind the instruction is only reached by a branch. */
static bool ends(const isa_inst_t *i)
{
    return i->op == ISA_OP_s_endpgm || i->op == ISA_OP_s_branch || i->op == ISA_OP_s_setpc_b64;
}

/* Whether MODE may be another one behind the instruction: code is translated for one MODE. */
static bool writes_mode(const isa_inst_t *i)
{
    return isa_table[i->op].writes & ISA_REG_MODE;
}

isa_reach_t isa_plan_reach(isa_page_t *page, unsigned first)
{
    isa_reach_t reach = {first, false};
    int64_t farthest = first;
    for (unsigned n = 0, at = first; n < ISA_PLAN_STEPS && at < ISA_PAGE_SLOTS; n++) {
        const isa_inst_t *i = decoded(page, at);
        if (!i || at + i->dwords > ISA_PAGE_SLOTS) break;
        reach.last = at;
        at += i->dwords;
        const int64_t to = isa_is_branch(i) ? target_slot(page, i) : 0;
        if (to > farthest && to < ISA_PAGE_SLOTS) farthest = to;
        const bool comes_behind = isa_is_branch(i) || !ends(i) || at <= farthest;
        reach.goes_on = at < ISA_PAGE_SLOTS && comes_behind;
        if (writes_mode(i) || (ends(i) && at > farthest)) break;
    }
    return reach;
}

/* Finds the steps that branches go to. */
static bool connect(isa_plan_t *plan, const int16_t *step_of, unsigned first, unsigned behind)
{
    for (unsigned k = 0; k < plan->n; k++) {
        isa_step_t *s = &plan->step[k];
        if (s->kind != ISA_STEP_BRANCH) continue;
        const int64_t to = target_slot(plan->page, s->i);
        s->to = -1;
        if (k + 1 < plan->n) plan->step[k + 1].leads = true;
        if (to < 0 || to >= ISA_PAGE_SLOTS)
            s->kind = ISA_STEP_LEAVE; /* the handler looks the page up */
        else if (to >= first && to < behind && step_of[to] < 0)
            return false;
        else if (to >= first && to < behind)
            plan->step[s->to = step_of[to]].leads = true;
    }
    return true;
}

/* Whether the handler may stop the wave for others to go first, so that it runs again: a store to
 * LDS (lds.h). Atomic operations stop a wave at most once in a dispatch, which is worth no
 * entry. */
static bool may_wait(const isa_step_t *s)
{
    const unsigned klass = isa_table[s->i->op].klass;
    return s->kind == ISA_STEP_CALL &&
           (klass == ISA_CLASS_LDS_WR || klass == ISA_CLASS_FLAT_WR || isa_loads_to_lds(s->i));
}

bool isa_plan_goes_on_behind(const isa_inst_t *i)
{
    return isa_plan_leaves(i) || i->op == ISA_OP_s_barrier;
}

/* Waves enter at the first step, where the interpreter comes back from what it does, behind a
 * barrier, where a slice may have ended, and at instructions that are tried again. Returns how many
 * entries there are. */
static unsigned find_entries(isa_plan_t *plan)
{
    unsigned n = 0;
    for (unsigned k = 0; k < plan->n; k++) {
        isa_step_t *s = &plan->step[k];
        if (s->kind == ISA_STEP_BRANCH && s->to >= 0 && s->to <= (int)k)
            plan->step[s->to].enters = true;
        const isa_step_t *before = k ? s - 1 : NULL;
        if (!before || before->kind == ISA_STEP_LEAVE || isa_plan_goes_on_behind(before->i) ||
            may_wait(s))
            s->enters = true;
    }
    for (unsigned k = 0; k < plan->n; k++) {
        isa_step_t *s = &plan->step[k];
        if (s->kind == ISA_STEP_LEAVE) s->enters = false;
        s->leads |= s->enters;
        n += s->enters;
    }
    return n;
}

/* A VOPD instruction without its own handler lacked memory when it was decoded: that is not said of
 * the code. */
static isa_refused_t why_not_decoded(const isa_inst_t *slot)
{
    return slot->fmt == ISA_FMT_VOPD ? ISA_REFUSED_FAILED : ISA_REFUSED_SHAPE;
}

isa_refused_t isa_plan_make(isa_plan_t *plan, unsigned first, unsigned last)
{
    int16_t step_of[ISA_PAGE_SLOTS];
    if (plan->mode & (ISA_MODE_GPR_IDX | ISA_MODE_VSKIP)) return ISA_REFUSED_MODE;
    plan->n = 0;
    plan->plain = !((plan->mode ^ ISA_MODE_FLOAT_PLAIN) & (ISA_MODE_FLOAT | ISA_MODE_FP16_OVFL));
    memset(step_of, 0xff, sizeof step_of);
    for (unsigned at = first; at <= last;) {
        if (plan->n == ISA_PLAN_STEPS) return ISA_REFUSED_LENGTH;
        isa_step_t *s = &plan->step[plan->n];
        *s = (isa_step_t){.i = decoded(plan->page, at), .leads = at == first};
        if (!s->i) return why_not_decoded(&plan->page->slots[at]);
        if (at + s->i->dwords > ISA_PAGE_SLOTS) return ISA_REFUSED_SHAPE;
        choose(plan, s);
        if (isa_plan_writes_exec(s->i) && s->kind != ISA_STEP_LEAVE) plan->masked = true;
        step_of[at] = (int16_t)plan->n++;
        at += s->i->dwords;
    }
    /* an instruction that reaches over `last` is not wholly in the key of translations on disk */
    if (step_of[last] < 0 || !connect(plan, step_of, first, last + 1)) return ISA_REFUSED_SHAPE;
    return find_entries(plan) ? ISA_REFUSED_NOT : ISA_REFUSED_HEAD;
}
