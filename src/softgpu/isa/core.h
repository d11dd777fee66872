/* core.h - what the sources of one core variant share with each other.
 *
 * Names with external linkage here are local to the variant once it is linked together. */
#ifndef SOFTGPU_ISA_CORE_H
#define SOFTGPU_ISA_CORE_H

#include "softgpu/isa/handler.h"

extern isa_handler_t *const isa_core_handlers[ISA_OP_COUNT];

#define ISA_CORE_NAME_(variant) isa_core_##variant
#define ISA_CORE_NAME(variant)  ISA_CORE_NAME_(variant)
#define ISA_THIS_CORE           ISA_CORE_NAME(ISA_VARIANT)

extern const isa_core_t ISA_THIS_CORE;

/* Continues at `pc`; false and ISA_STOP_MEMORY if nothing is mapped there. */
bool isa_go_to(isa_wave_t *w, uint64_t pc);

/* A taken branch to the slot `dwords` away from the next instruction. Within the page it is pointer
 * arithmetic; it counts against the wave's slice. */
static inline void isa_branch(isa_wave_t *w, int32_t dwords)
{
    const isa_page_t *page = w->page;
    uintptr_t first = (uintptr_t)page->slots;
    uintptr_t target =
        (uintptr_t)w->ip + (uintptr_t)((intptr_t)dwords * (intptr_t)sizeof(isa_inst_t));
    if (__builtin_expect(--w->budget < 0, 0)) w->stop = ISA_STOP_YIELD;
    if (__builtin_expect(target - first < sizeof(isa_inst_t) * ISA_PAGE_SLOTS, 1))
        w->ip = (const isa_inst_t *)target;
    else
        isa_go_to(w,
                  page->va + 4 * (uint64_t)(w->ip - page->slots) + 4 * (uint64_t)(int64_t)dwords);
}

#endif
