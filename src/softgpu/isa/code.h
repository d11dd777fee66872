/* code.h - decoded code pages: what the run loop, branches and faults need of the code cache.
 *
 * A page of 4 KiB of GPU code is an array of slots, one per dword, decoded when first executed.
 * Only code.c and the core's branch instructions look inside. */
#ifndef SOFTGPU_ISA_CODE_H
#define SOFTGPU_ISA_CODE_H

#include "softgpu/isa/isa.h"

enum {
    ISA_PAGE_BYTES = 4096,
    ISA_PAGE_SLOTS = ISA_PAGE_BYTES / 4,
    ISA_PAGE_TAIL = 3 /* an instruction may reach two dwords into the next page */
};

struct isa_page {
    uint64_t va;     /* GPU address of slot 0 */
    uint64_t serial; /* no other page has it, of this cache or another */
    struct isa_code *code;
    const isa_core_t *core;       /* whose handlers the slots point at */
    _Atomic(uint64_t) generation; /* of the code cache when the bytes were last compared */
    _Atomic(isa_page_t *) next;   /* in its hash chain */
    isa_page_t *retired_next;
    unsigned n_words; /* valid words below: the slots' and what follows the page */
    uint32_t words[ISA_PAGE_SLOTS + ISA_PAGE_TAIL];
    isa_inst_t slots[ISA_PAGE_SLOTS + ISA_PAGE_TAIL];
};

/* The page of `va` as this core runs it, NULL if va is not mapped. Lock-free when it is decoded. */
isa_page_t *isa_code_page(struct isa_code *code, const isa_core_t *core, uint64_t va);

/* Decodes slot `index` and publishes its handler. Thread-safe. */
void isa_code_decode(isa_page_t *page, unsigned index);

/* Handlers of slots that hold no instruction: not decoded yet, behind the end of the page. */
isa_handler_t isa_slot_undecoded, isa_slot_behind;

/* Address of the instruction in this slot of the wave's page. */
static inline uint64_t isa_inst_pc(const isa_wave_t *w, const isa_inst_t *i)
{
    return w->page->va + 4u * (uint64_t)(i - w->page->slots);
}

/* Stops the wave at instruction *i; `why` (may be NULL) goes into the message behind its name. */
void isa_stop_unsupported(isa_wave_t *w, const isa_inst_t *i, const char *why);
void isa_stop_illegal(isa_wave_t *w, const isa_inst_t *i);

#endif
