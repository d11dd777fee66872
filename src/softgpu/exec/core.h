/* core.h - what the sources of one executor core share: its name, its handlers, branches.
 *
 * The same sources are compiled once for each core (base, avx2, avx512), and again for waves of 32
 * lanes (base_32, avx2_32). Each core is linked into
 * one object in which all names but isa_core_<variant> become local, so that the cores do not
 * clash. */
#ifndef SOFTGPU_EXEC_CORE_H
#define SOFTGPU_EXEC_CORE_H

#include "softgpu/exec/handler.h"

extern isa_handler_t *const isa_core_handlers[ISA_OP_COUNT];
extern isa_handler_t isa_core_dual;

#define ISA_CORE_NAME_(variant) isa_core_##variant
#define ISA_CORE_NAME(variant)  ISA_CORE_NAME_(variant)
#define ISA_THIS_CORE           ISA_CORE_NAME(ISA_VARIANT)

extern const isa_core_t ISA_THIS_CORE;

/* Makes the instruction at `pc` the wave's next one. False: the address is not mapped, and the wave
 * is stopped with ISA_STOP_MEMORY. */
bool isa_go_to(isa_wave_t *w, uint64_t pc);

/* Counts a taken branch: the wave may take a limited number before it yields. */
static inline void isa_count_branch(isa_wave_t *w)
{
    if (__builtin_expect(--w->budget < 0, 0)) isa_stop(w, ISA_STOP_YIELD);
}

/* A taken branch to `pc`. */
static inline void isa_jump(isa_wave_t *w, uint64_t pc)
{
    const isa_page_t *page = w->page;
    isa_count_branch(w);
    if (pc - page->va < ISA_PAGE_BYTES && !(pc & 3))
        w->ip = &page->slots[isa_slot_index(page, pc)];
    else
        isa_go_to(w, pc);
}

/* A taken branch to the slot `dwords` away from the next instruction. Within the decoded page it is
 * pointer arithmetic, since the time until the next slot's address is known limits the speed of the
 * run loop. */
static inline void isa_jump_relative(isa_wave_t *w, int32_t dwords)
{
    const isa_page_t *page = w->page;
    uintptr_t first = (uintptr_t)page->slots;
    uintptr_t target =
        (uintptr_t)w->ip + (uintptr_t)((intptr_t)dwords * (intptr_t)sizeof(isa_inst_t));
    isa_count_branch(w);
    if (__builtin_expect(target - first < sizeof(isa_inst_t) * ISA_PAGE_SLOTS, 1))
        w->ip = (const isa_inst_t *)target;
    else
        isa_go_to(w,
                  page->va + 4 * (uint64_t)(w->ip - page->slots) + 4 * (uint64_t)(int64_t)dwords);
}

#endif
