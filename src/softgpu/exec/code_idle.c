/* code_idle.c - see code_idle.h.
 *
 * Not in code.c because the answer depends on the effects of instructions. An instruction that is
 * added to is_idle() must have the same effect for all waves of a dispatch and change neither
 * memory nor EXEC. */
#include "softgpu/exec/code_idle.h"

#include "isa/table.h"

/* True for the instructions that compilers generate, besides s_endpgm, for a kernel without
 * statements: waits, and moves of constants to ordinary scalar registers, which are not read before
 * the wave ends. */
static bool is_idle(const isa_inst_t *i)
{
    if (isa_does_nothing(i)) return true;
    return i->op == ISA_OP_s_mov_b32 && i->src[0].kind == ISA_OPK_CONST &&
           i->dst.reg < ISA_CODE_FLAT_SCRATCH;
}

bool isa_code_idle(struct isa_code *code, const isa_core_t *core, uint64_t pc)
{
    enum { FEW = 16 };
    isa_page_t *page = isa_code_page(code, core, pc);
    unsigned at = (unsigned)(pc % ISA_PAGE_BYTES / 4);
    for (unsigned n = 0; page && n < FEW && at < ISA_PAGE_SLOTS; n++) {
        const isa_inst_t *i = &page->slots[at];
        if (atomic_load_explicit(&i->fn, memory_order_acquire) == isa_slot_undecoded)
            isa_code_decode(page, at);
        isa_handler_t *fn = atomic_load_explicit(&i->fn, memory_order_acquire);
        if (fn != core->handlers[i->op]) return false; /* no instruction, or part of a loop */
        if (i->op == ISA_OP_s_endpgm) return true;
        if (!is_idle(i)) return false;
        at += i->dwords;
    }
    return false;
}
