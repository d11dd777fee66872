/* translate_internal.h - what the files of the translator share, translate_*.c. translate.c finds
 * hot code; then come _kept (on disk?), _share (does it pay?), _plan (what becomes of each
 * instruction), _emit with its helpers (LLVM's assembly), _compiler and _process (which have it
 * compiled), _object (loads it), _count (counts who runs it). */
#ifndef SOFTGPU_EXEC_TRANSLATE_INTERNAL_H
#define SOFTGPU_EXEC_TRANSLATE_INTERNAL_H

/* The helpers of translate_emit.c: _segment (vector instructions), _loops (loops over chunks),
 * _lanes (loads from LDS, reads of other lanes), _abreast (chunks abreast), _rest (handlers for
 * lanes that are left), _known (what is known when code is translated), _nans (which NaNs need no
 * test), _sums (counts by buckets), _text and _library. */

#include "softgpu/exec/translate.h"
#include "softgpu/exec/watch.h"
#include "softgpu/translator/protocol.h"

/* ---- the library of bitcode, and LLVM ---- */

/* The library for one kind of host. A chunk is one vector of a host with AVX2, and two of a host
 * with AVX-512, whose registers are twice as many: there are then two independent chains of
 * operations. */
typedef struct {
    const char *core; /* name of the core whose code is translated with it */
    const char *cpu;  /* LLVM's name of the processor */
    unsigned bits;    /* of a vector */
    unsigned chunk;   /* lanes */
    bool masks;       /* the host has masks of lanes, and what takes them: AVX-512 */
    bool pairs;       /* segments have loads of two elements from LDS; else they are calls */
    const char *bitcode, *behind;
} isa_library_t;

/* The library for a core; NULL if there is none. */
const isa_library_t *isa_library_for(const isa_core_t *core);

/* A number of the library's bitcode, below TRANSLATOR_LIBRARIES. */
uint32_t isa_library_number(const isa_library_t *library);

/* The passes by which LLVM optimises code that is linked with a library. */
extern const char isa_library_passes[];
extern const uint32_t isa_library_level; /* of LLVM's code generation */

/* Translated code: runs it for a wave from one of its entries on, returns how many instructions
 * have run. */
typedef uint64_t isa_translated_t(isa_wave_t *w, uint32_t entry);

/* ---- the process that compiles ----
 *
 * The thread that translates alone calls these functions, without the translator's lock, since they
 * wait for that process. */

/* translate_process.c. Notes what starts need, before other threads use this. */
void isa_process_setup(void);

/* Starts the process, unless it runs; *begun: it has just begun. */
isa_refused_t isa_process_begin(bool *begun);

/* The process id; 0: the process does not run, as far as is known. */
int isa_process_id(void);

/* Sends and receives all of the bytes; false: the process has ended, or does not answer. */
bool isa_process_send(const void *from, size_t bytes);
bool isa_process_receive(void *to, size_t bytes);

/* Closes the socket, by which the process ends. */
void isa_process_end(void);

/* Called around a fork of the program, on any thread: a child has no such process at first. */
void isa_process_before_fork(void);
void isa_process_after_fork(bool in_child);

/* translate_compiler.c. Sees to it that the process runs and has the library. */
isa_refused_t isa_compiler_open(const isa_library_t *library);

/* Whether the library that was opened last has a function of this name. */
bool isa_compiler_has(const char *name);

/* Compiles LLVM's assembly, with the functions of the library, which is open, to an object file
 * with the function ISA_TRANSLATED. Returns the file's bytes, to be freed; NULL on failure. */
#define ISA_TRANSLATED "translated"
void *isa_compiler_compile(const isa_library_t *library, const char *text, size_t *size);

/* The file from which LLVM was loaded, as it was then. Its path is empty if there is none. */
const translator_llvm_t *isa_process_llvm(void);

/* ---- plans ---- */

/* How an instruction is translated. */
typedef enum {
    ISA_STEP_NOTHING, /* the instruction has no effect */
    ISA_STEP_SCALAR,  /* a function of the library, on scalars */
    ISA_STEP_CHUNK,   /* a function of the library, on chunks of lanes */
    ISA_STEP_DUAL,    /* two of these, a VOPD instruction's (isa_plan_halves()) */
    ISA_STEP_LANE,    /* one lane's dword is moved from or to a scalar register */
    ISA_STEP_BRANCH,
    ISA_STEP_CALL, /* the handler is called */
    ISA_STEP_LEAVE /* translated code is left before the instruction, which the interpreter executes
                    */
} isa_step_kind_t;

typedef struct {
    const isa_inst_t *i;
    uint8_t kind; /* isa_step_kind_t */
    bool leads;   /* branches come here, or waves enter here */
    bool enters;  /* waves enter the code here */
    /* chunk: first scalar registers of the lane masks read and written, or -1; branch: the step
     * that it goes to, or -1 */
    int16_t in, out, to;
} isa_step_t;

enum { ISA_PLAN_STEPS = 512 };

typedef struct {
    isa_page_t *page;
    unsigned n;
    isa_step_t step[ISA_PLAN_STEPS];
    uint32_t mode; /* MODE that the code is for */
    bool plain;    /* MODE rounds to nearest and keeps denormals: the library's functions do */
    bool masked;   /* the code is for any EXEC, not only a full one */
    bool calls;    /* handlers may be called; otherwise the code is left in front of them */
    bool nans;     /* NaNs are computed in segments, by functions that are no quick ones */
    const uint8_t *bucket; /* instructions are counted by these buckets (watch.h); NULL: not */
} isa_plan_t;

/* Lanes of the waves that run the page's code, and the set of all of them. */
static inline unsigned isa_page_lanes(const isa_page_t *page)
{
    return page->core->lanes;
}

static inline uint64_t isa_page_full(const isa_page_t *page)
{
    return UINT64_MAX >> (64 - isa_page_lanes(page));
}

/* The instruction's own handler, whichever its slot has now. */
static inline isa_handler_t *isa_own_handler(const isa_page_t *page, const isa_inst_t *i)
{
    return i->fmt == ISA_FMT_VOPD ? page->core->dual : page->core->handlers[i->op];
}

/* Decodes the loop from slot `first` to the branch in slot `last`. Called without the translator's
 * lock, since decoding takes the cache's. */
void isa_plan_decode(isa_page_t *page, unsigned first, unsigned last);

/* Where a stretch of code ends: its last slot, and whether waves may come to the slot behind that.
 */
typedef struct {
    unsigned last;
    bool goes_on;
} isa_reach_t;

/* Decodes the code that may follow slot `first` in its page, to the program's end or to an
 * instruction that writes MODE, or as far as a plan reaches. Called without the translator's lock.
 */
isa_reach_t isa_plan_reach(isa_page_t *page, unsigned first);

/* Plans the decoded code from slot `first` to the instruction in slot `last`. The caller has set
 * the page, MODE, whether waves come without all lanes (`masked`), `calls`, and `bucket`. */
isa_refused_t isa_plan_make(isa_plan_t *plan, unsigned first, unsigned last);

/* The two operations of a VOPD instruction as steps, in the order in which they run. */
typedef struct {
    isa_step_t half[2];
} isa_halves_t;
isa_halves_t isa_plan_halves(const isa_page_t *page, const isa_inst_t *i);

/* Whether translated code is always left in front of the instruction. */
bool isa_plan_leaves(const isa_inst_t *i);

/* Whether a wave's turn mostly ends at the instruction, which uses no registers: a barrier, or the
 * program's end. */
bool isa_plan_ends_turn(const isa_inst_t *i);

/* Whether waves that have left translated code at the instruction go on behind it. */
bool isa_plan_goes_on_behind(const isa_inst_t *i);

bool isa_plan_writes_exec(const isa_inst_t *i);

/* Whether the instruction may depend on the rounding and denormals in MODE. */
bool isa_plan_depends_on_mode(const isa_inst_t *i);

/* Whether the instruction reads a lane mask besides two sources: its third source, or VCC in an
 * encoding without a third source. */
bool isa_plan_takes_mask(const isa_inst_t *i);

/* Whether the instruction's sources are numbers of 32 bits or halves, which one by one its
 * modifiers say: v_fma_mix and its like. */
bool isa_plan_mixes(const isa_inst_t *i);

/* Whether the instruction is a load from LDS, or a read of other lanes' registers, that
 * translate_lanes.c writes. */
bool isa_plan_reads_lanes(const isa_library_t *library, const isa_inst_t *i);

/* The library's functions for an instruction (chunk.h). */
typedef enum {
    ISA_FUNCTION_SCALAR,
    ISA_FUNCTION_CHUNK,
    ISA_FUNCTION_QUICK /* as the one before, but it notes lanes that have NaNs or are rare */
} isa_function_t;

/* The name of a function. */
enum { ISA_LIBRARY_NAME = 64 };
const char *isa_library_name(char *name, const isa_inst_t *i, isa_function_t kind);

/* Which of the two code takes for an instruction. `nans`: isa_plan_t. */
isa_function_t isa_chunk_function(const isa_inst_t *i, bool nans);

/* Whether the instruction has both. */
bool isa_chunk_has_both(const isa_inst_t *i);

/* ---- what a translation makes ---- */

typedef struct {
    isa_refused_t why; /* not ISA_REFUSED_NOT: nothing else is set */
    bool masked;       /* isa_plan_t */
    unsigned n;
    uint16_t entry[ISA_PLAN_STEPS]; /* slots of the entries, which are numbered in this order */
    void *object;                   /* bytes of an object file, on the heap */
    size_t size;
} isa_made_t;

/* ---- translations on disk ---- */

/* What a translation depends on, besides the program that makes it. */
typedef struct {
    isa_page_t *page;
    unsigned first, last; /* slots */
    uint32_t mode;
    bool masked;           /* of the waves */
    bool calls, nans;      /* isa_plan_t */
    const uint8_t *bucket; /* isa_plan_t */
} isa_wanted_t;

/* Lets translations be kept, `bytes` at most. */
void isa_kept_setup(uint64_t bytes);

/* The kept translation; false if there is none. `object` is then to be freed. */
bool isa_kept_read(const isa_wanted_t *wanted, isa_made_t *made);

/* Keeps the translation on disk; or, if there is none for a reason that is in the code itself, that
 * reason, so that another process does not try again. Nothing is kept if LLVM has not been loaded.
 */
void isa_kept_write(const isa_wanted_t *wanted, const isa_made_t *made);

/* Reads a file's contents: false if they are not a whole file, of this key, whose LLVM is the one
 * on this machine. */
typedef struct {
    uint64_t low, high;
} isa_kept_key_t;
bool isa_kept_parse(const void *bytes, size_t size, isa_kept_key_t key, isa_made_t *made);

/* ---- counts ---- */

/* Counts of one thread, written only by that thread. */
typedef struct isa_translate_counts {
    _Atomic(uint64_t) entries, instructions, declined, verified, rests;
    /* Microseconds of the processor: for which the thread had worked, without translating, when it
     * last came to hot code; and for which it has translated. */
    _Atomic(uint64_t) worked_e6, translating_e6;
    struct isa_translate_counts *next;
} isa_translate_counts_t;

/* Those of this thread; NULL if memory has run out. */
isa_translate_counts_t *isa_translate_counts(void);

/* The list of those of all threads. */
const isa_translate_counts_t *isa_translate_all_counts(void);

/* Adds to a count of this thread. */
static inline void isa_translate_add(_Atomic(uint64_t) *to, uint64_t n)
{
    atomic_store_explicit(to, atomic_load_explicit(to, memory_order_relaxed) + n,
                          memory_order_relaxed);
}

/* ---- what translating may take (isa_translate_share()) ---- */

/* This thread's processor time, in microseconds. */
uint64_t isa_share_now(void);

/* Adds the time of this thread since `begin`, and that of another process, to what translating has
 * taken. */
void isa_share_spend(uint64_t begin);
void isa_share_add(uint64_t microseconds);
uint64_t isa_share_spent(void);

/* The next translation is expected to take as long as the mean of those that were made. */
void isa_share_expect(uint64_t translations);

/* Whether waves have run for so long that the next translation stays within its share. */
bool isa_share_allows(void);

/* ---- comparison of both ways to run code ---- */

/* Runs translated code without calls (isa_plan_t), and the same instructions interpreted from a
 * copy of the wave, and stops the wave at the first difference. Returns how many have run. */
uint64_t isa_translate_verify(isa_wave_t *w, const isa_inst_t *head, isa_translated_t *run,
                              uint32_t entry);

/* ---- LLVM's assembly ---- */

/* The text for a plan, to be freed; NULL if out of memory. */
char *isa_emit(const isa_plan_t *plan, const isa_library_t *library);

#endif
