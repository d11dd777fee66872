/* translate.h - translates hot loops and stretches of GPU code to code of the host.
 *
 * The interpreter's handlers define instructions here, too: translated code consists of copies of
 * their bitcode (chunk.h) and of calls of the handlers themselves.
 * docs/translator.md describes how code is translated and which code is not. */
#ifndef SOFTGPU_EXEC_TRANSLATE_H
#define SOFTGPU_EXEC_TRANSLATE_H

#include "isa/table.h"
#include "softgpu/exec/code.h"

typedef enum {
    ISA_TRANSLATE_OFF,
    ISA_TRANSLATE_ON,
    /* As ON, but handlers are not called from translated code, which runs interpreted as well: both
     * must agree. */
    ISA_TRANSLATE_VERIFY
} isa_translate_t;

enum {
    ISA_TRANSLATE_AFTER = 1000, /* waves or branches that come to code, then it is hot */
    ISA_TRANSLATE_MS = 2000,    /* for translating, if nobody says else */
    /* Translating may take this percentage of the time that waves have run. Translated code takes
     * about half the time, so that a translation pays for itself where code runs for twice as long
     * as translating it takes; and code that has run so long is likely to run as long again. */
    ISA_TRANSLATE_SHARE = 50,
    ISA_TRANSLATE_KEPT = 256 /* MiB on disk */
};

/* Sets the mode. Called before code is decoded: pages that are decoded already are not affected. */
void isa_translate_setup(isa_translate_t how, unsigned after);

/* The mode that was set. */
isa_translate_t isa_translate_mode(void);

/* The time that the process may spend on translating, in milliseconds of the processor. */
void isa_translate_limit(uint64_t milliseconds);

/* The share of the processor time of the threads that run waves which translating may take, in
 * percent; 0, as at first: any. */
void isa_translate_share(uint32_t percent);

/* Whether a thread of its own translates, while waves go on interpreted; if not, as at first, the
 * thread that comes to hot code does. */
void isa_translate_aside(bool aside);

/* Lets translations be kept on disk, `bytes` at most; 0, as at first: none. */
void isa_translate_keep(uint64_t bytes);

/* Why a loop or a stretch is left to the interpreter. ORDER: isa_translate_reason(). */
typedef enum {
    ISA_REFUSED_NOT, /* translated */
    ISA_REFUSED_CORE,
    ISA_REFUSED_PROCESS, /* softgpu-translator */
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
    uint64_t kept;                /* loops whose code was on disk */
    uint64_t seconds_e6;          /* time that translating has taken, in microseconds */
    uint64_t entries;             /* entries into translated loops */
    uint64_t instructions;        /* instructions that have run in translated loops */
    uint64_t declined;            /* entries left to the interpreter: another EXEC or MODE */
    uint64_t verified;            /* instructions that have run both ways */
    uint64_t rests; /* how often lanes with NaNs and other rare cases were left to the handlers */
    uint64_t nans;  /* loops that were translated anew, because NaNs were frequent */
} isa_translate_stats_t;

isa_translate_stats_t isa_translate_stats(void);

/* How waves have run their instructions. */
typedef struct {
    uint64_t translated;
    uint64_t cold;     /* interpreted: the code was not hot, or a translation was refused */
    uint64_t declined; /* interpreted: the code is translated for another EXEC or MODE */
    uint64_t without[ISA_OP_COUNT]; /* interpreted: there is no translation for the instruction */
} isa_ran_t;

/* As the core's run(), and adds to *ran how the wave's instructions have run. */
isa_stop_t isa_translate_run(isa_wave_t *w, int32_t slice, isa_ran_t *ran);

/* Adds counts, each `times` times. */
void isa_ran_add(isa_ran_t *to, const isa_ran_t *from, uint64_t times);

/* ---- for the code cache and the run loop ---- */

/* Publishes a slot, whose other fields are set, with the instruction's own handler `fn`, or with
 * one that counts: for a branch, and where waves come from code that is not translated. The caller
 * holds the cache's lock. */
void isa_translate_decoded(isa_page_t *page, isa_inst_t *slot, isa_handler_t *fn);

/* Waves come to slot *i of the page from another page, or begin there. */
void isa_translate_arrived(isa_page_t *page, const isa_inst_t *i);

/* The GPU whose code it is (code.c). */
const isa_arch_t *isa_code_arch(const struct isa_code *code);

/* Frees what belongs to a page. No wave is in its code. */
void isa_translate_forget(isa_page_t *page);

/* Handlers of slots: a branch that is counted, an instruction at which the waves are counted that
 * come to it, an entry of translated code. If the wave has observers besides a counter by buckets,
 * they do no more than the instruction's own handler. */
isa_handler_t isa_slot_counted, isa_slot_entered, isa_slot_translated;

static inline bool isa_translate_owns(isa_handler_t *fn)
{
    return fn == isa_slot_counted || fn == isa_slot_entered || fn == isa_slot_translated;
}

#endif
