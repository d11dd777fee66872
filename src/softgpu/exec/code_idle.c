/* code_idle.c - see code_idle.h.
 *
 * Not in code.c because the answer depends on the effects of instructions. An instruction that is
 * added to is_idle() must have the same effect for all waves of a dispatch and change neither
 * memory nor EXEC. */
#include "softgpu/exec/code_idle.h"

#include "softgpu/exec/translate.h"
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

/* Whether only such instructions stand between a slot and the program's end. */
static bool only_ends(isa_page_t *page, unsigned at)
{
    enum { FEW = 16 };
    const isa_core_t *core = page->core;
    for (unsigned n = 0; n < FEW && at < ISA_PAGE_SLOTS; n++) {
        const isa_inst_t *i = &page->slots[at];
        if (atomic_load_explicit(&i->fn, memory_order_acquire) == isa_slot_undecoded)
            isa_code_decode(page, at);
        isa_handler_t *fn = atomic_load_explicit(&i->fn, memory_order_acquire);
        if (fn != core->handlers[i->op] && !isa_translate_owns(fn)) return false;
        if (i->op == ISA_OP_s_endpgm) return true;
        if (!is_idle(i)) return false;
        at += i->dwords;
    }
    return false;
}

bool isa_code_idle(struct isa_code *code, const isa_core_t *core, uint64_t pc)
{
    isa_page_t *page = isa_code_page(code, core, pc);
    const unsigned at = (unsigned)(pc % ISA_PAGE_BYTES / 4);
    if (!page) return false;
    if (only_ends(page, at)) return true;
    isa_translate_arrived(page, &page->slots[at]);
    return false;
}
