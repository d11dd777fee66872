/* vector.c - vector memory instructions: counts of the address and data units, and the division of
 * the lanes among memory, scratch and LDS.
 *
 * memory.c and lds.c have the effect of the accesses on the caches and on LDS. */
#include "softgpu/cache/model.h"

#include "softgpu/exec/exec.h"

void sgc_vector_invalidate(sgc_cu_t *cu)
{
    if (cu->l1_filled) ways_clear(&cu->l1);
    cu->l1_filled = false;
    cu->tcp.writeback_invalidates++;
}

/* Whether an instruction that invalidates or writes back caches does nothing: where instructions
 * have a scope, one of the compute unit alone does not reach past the vector L1, and L2 is written
 * back for the whole system. */
static bool is_out_of_scope(const sgc_t *t, const isa_inst_t *i, const sgc_op_t *op)
{
    if (!t->arch->formats->scopes) return false;
    return isa_scope(i) < (op->kind == ISA_ACCESS_L2_WRITEBACK ? ISA_SCOPE_SYS : ISA_SCOPE_SE);
}

static void cache_operation(sgc_t *t, sgc_cu_t *cu, const isa_inst_t *i, const sgc_op_t *op,
                            sgc_cost_t *cost)
{
    const bool nothing = is_out_of_scope(t, i, op);
    const bool both = i->op == ISA_OP_global_wbinv && isa_scope(i) >= ISA_SCOPE_SYS;
    switch (op->kind) {
    case ISA_ACCESS_INVALIDATE:
        if (!nothing) sgc_vector_invalidate(cu);
        if (both) sgc_l2_write_back(t);
        break;
    case ISA_ACCESS_ARRAY_INVALIDATE:
        if (t->gl1) sgc_gl1_invalidate(&t->gl1[cu->array]);
        break;
    case ISA_ACCESS_L2_WRITEBACK:
        if (!nothing) sgc_l2_write_back(t);
        break;
    case ISA_ACCESS_L2_INVALIDATE: sgc_l2_invalidate(t, false); break;
    default: break;
    }
    const bool of_l2 =
        both || op->kind == ISA_ACCESS_L2_WRITEBACK || op->kind == ISA_ACCESS_L2_INVALIDATE;
    cost->vmem_issue = 1;
    cost->latency = of_l2 && !nothing ? t->profile.l2_latency : 1;
}

/* Counts of the address and data units that every instruction changes. */
static void count_instruction(sgc_cu_t *cu, const sgc_op_t *op)
{
    uint64_t *by = op->buffer ? cu->ta.buffer : cu->ta.flat;
    cu->ta.total_wavefronts++;
    by[0] += !op->image;
    by[1 + op->access] += !op->image;
    /* stores and atomics pass the data unit as loads, too, for their acknowledgement */
    cu->td.load_wavefront++;
    cu->td.store_wavefront += op->access == SGC_WRITE;
    cu->td.atomic_wavefront += op->access == SGC_ATOMIC;
    cu->tcp.state_read++;
}

void sgc_vector(sgc_t *t, sgc_cu_t *cu, isa_watch_t *watch, const isa_wave_t *w,
                const isa_inst_t *i, const sgc_op_t *op, sgc_cost_t *cost)
{
    if (__builtin_expect(isa_is_cache_operation(op->kind), 0)) {
        cache_operation(t, cu, i, op, cost);
        return;
    }
    if (!w->exec) return;
    sgc_reach_t *r = sgc_seen_reach(watch, w, i);
    count_instruction(cu, op);
    /* scratch is swizzled, other memory is not: each has its own look-ups, those of scratch
     * first */
    if (op->flat && r->lds.exec)
        sgc_lds_access(t, cu, w, &r->lds, op, true,
                       op->access == SGC_ATOMIC && i->flags & ISA_F_GLC, cost);
    if (r->own.exec) sgc_memory_access(t, cu, i, op, &r->own, cost);
    for (unsigned k = 0; r->memory.exec && k < sgc_reach_parts(r); k++)
        sgc_memory_access(t, cu, i, op, sgc_reach_part(r, k), cost);
    if (!op->flat && r->lds.exec) sgc_lds_access(t, cu, w, &r->lds, op, false, false, cost);
    if (!cost->vmem_issue && !cost->lds_issue) cost->vmem_issue = 1;
    if (!cost->latency) cost->latency = t->profile.l1_vector_latency;
}
