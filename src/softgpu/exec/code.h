/* code.h - decoded code: the part of the code cache that run loops, branches and faults use.
 *
 * An isa_page_t has the decoded instructions of 4 KiB of GPU code. It has a slot for each dword,
 * since an instruction may begin at any of them. A slot is decoded when a wave first executes
 * it. */
#ifndef SOFTGPU_EXEC_CODE_H
#define SOFTGPU_EXEC_CODE_H

#include "softgpu/exec/exec.h"

enum {
    ISA_PAGE_BYTES = 4096,
    ISA_PAGE_SLOTS = ISA_PAGE_BYTES / 4,
    ISA_PAGE_TAIL = ISA_MAX_DWORDS /* all but one dword of an instruction may be in the next page */
};

typedef struct isa_dual isa_dual_t;

struct isa_page {
    uint64_t va;     /* GPU address of slot 0 */
    uint64_t serial; /* unique among all pages of the process, freed ones included */
    struct isa_code *code;
    const isa_core_t *core;       /* whose handlers the slots point at */
    _Atomic(uint64_t) generation; /* isa_code_t.generation when `words` last agreed with memory */
    _Atomic(isa_page_t *) next;   /* in its hash chain */
    isa_page_t *retired_next;
    isa_dual_t *pairs;
    struct isa_page_loops *loops; /* the translator's (translate.c), or NULL; __atomic access */
    unsigned n_words; /* valid words below: those of the page and up to ISA_PAGE_TAIL after it */
    uint32_t words[ISA_PAGE_SLOTS + ISA_PAGE_TAIL];
    isa_inst_t slots[ISA_PAGE_SLOTS + ISA_PAGE_TAIL];
};

/* The two operations of a VOPD instruction, each as an instruction of its own, and an order of
 * execution with the same result as if both ran at once. If each writes a register that the other
 * reads, the first one's result is kept in the row ISA_DUAL_ROW until both have run. The slot of
 * the instruction has the pair's address in dst.k; pairs are freed with their page. */
enum { ISA_DUAL_ROW = ISA_VGPR_ROWS - 1 };
typedef enum { ISA_DUAL_FIRST_FIRST, ISA_DUAL_SECOND_FIRST, ISA_DUAL_ASIDE } isa_dual_order_t;

struct isa_dual {
    isa_inst_t half[2];
    isa_dual_order_t order;
    isa_dual_t *next; /* the next pair of the page */
};

/* The decoded page of `va` with this core's handlers; NULL if va is not mapped for execution.
 * Takes no lock if the cache has the page and the code has not been invalidated since. */
isa_page_t *isa_code_page(struct isa_code *code, const isa_core_t *core, uint64_t va);

/* Decodes slot `index` and publishes its handler. Thread-safe. */
void isa_code_decode(isa_page_t *page, unsigned index);

/* Handlers of slots that hold no instruction: of slots that are not decoded yet, and of those after
 * the page's end, which continue in the next page. */
isa_handler_t isa_slot_undecoded, isa_slot_behind;

/* The slot, in the page, of the instruction at `pc`. */
static inline unsigned isa_slot_index(const isa_page_t *page, uint64_t pc)
{
    return (unsigned)((pc - page->va) / 4);
}

/* The words of an instruction of the wave's page. */
static inline const uint32_t *isa_inst_words(const isa_wave_t *w, const isa_inst_t *i)
{
    return &w->page->words[isa_slot_index(w->page, i->pc)];
}

/* Stops the wave at *i with ISA_STOP_UNSUPPORTED. `why`, if not NULL, is added to the message. */
void isa_stop_unsupported(isa_wave_t *w, const isa_inst_t *i, const char *why);
void isa_stop_illegal(isa_wave_t *w, const isa_inst_t *i);

#endif
