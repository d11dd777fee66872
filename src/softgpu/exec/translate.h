/* translate.h - translates hot loops of GPU code to code of the host.
 *
 * Off by default. The interpreter's handlers define instructions here, too: a translated loop
 * consists of copies of their bitcode (chunk.h) and of calls of the handlers themselves.
 * docs/translator.md describes how a loop is translated and which loops are not. */
#ifndef SOFTGPU_EXEC_TRANSLATE_H
#define SOFTGPU_EXEC_TRANSLATE_H

#include "softgpu/exec/code.h"

typedef enum {
    ISA_TRANSLATE_OFF,
    ISA_TRANSLATE_ON,
    /* as ON; loops without memory instructions are also interpreted, and both results must be
     * equal */
    ISA_TRANSLATE_VERIFY
} isa_translate_t;

enum {
    ISA_TRANSLATE_AFTER =
        1000,               /* taken branches back to a loop's head after which the loop is hot */
    ISA_TRANSLATE_MS = 2000 /* default of isa_translate_limit() */
};

/* Sets the mode. Called before code is decoded: pages that are decoded already are not affected. */
void isa_translate_setup(isa_translate_t how, unsigned after);

/* The time that the process may spend on translating, in milliseconds of the processor. */
void isa_translate_limit(uint64_t milliseconds);

/* Why a loop, or an entry into a translated loop, is left to the interpreter. ORDER:
 * isa_translate_reason(). */
typedef enum {
    ISA_REFUSED_NOT, /* translated */
    ISA_REFUSED_CORE,
    ISA_REFUSED_LLVM,
    ISA_REFUSED_TIME,
    ISA_REFUSED_LENGTH,
    ISA_REFUSED_SHAPE,
    ISA_REFUSED_MODE,
    ISA_REFUSED_HEAD,
    ISA_REFUSED_FAILED,
    ISA_REFUSALS
} isa_refused_t;

const char *isa_translate_reason(isa_refused_t why);

/* Statistics of the whole process so far. */
typedef struct {
    uint64_t loops[ISA_REFUSALS]; /* by reason; [ISA_REFUSED_NOT]: translated loops */
    uint64_t seconds_e6;          /* time that translating has taken, in microseconds */
    uint64_t entries;             /* entries into translated loops */
    uint64_t instructions;        /* instructions that have run in translated loops */
    uint64_t declined;            /* entries left to the interpreter: another EXEC or MODE */
    uint64_t verified;            /* instructions that have run both ways */
} isa_translate_stats_t;

isa_translate_stats_t isa_translate_stats(void);

/* ---- for the code cache and the run loop ---- */

/* The handler that a slot gets for an instruction whose own handler is `fn`: it is `fn`, or for a
 * branch back one that counts. The caller holds the cache's lock. */
isa_handler_t *isa_translate_decoded(isa_page_t *page, const isa_inst_t *slot, isa_handler_t *fn);

/* Frees the translator's data of a page. No wave may be in its code. */
void isa_translate_forget(isa_page_t *page);

/* Handlers of slots: a branch that is counted, the head of a translated loop. If somebody watches
 * the wave, both do no more than the instruction's own handler. */
isa_handler_t isa_slot_counted, isa_slot_translated;

static inline bool isa_translate_owns(isa_handler_t *fn)
{
    return fn == isa_slot_counted || fn == isa_slot_translated;
}

#endif
