/* exec.h - the executor's interface for the other rooms: the code cache, the cores.
 *
 * The executor core is compiled several times from the same sources (baseline x86-64, AVX2,
 * AVX-512); isa_core_select() picks the best one for the host. Each is for waves of 64 lanes;
 * isa_core_narrow() has the corresponding one for waves of 32. All cores give the same results, bit
 * for bit. */
#ifndef SOFTGPU_EXEC_EXEC_H
#define SOFTGPU_EXEC_EXEC_H

#include "isa/isa.h"
#include "softgpu/exec/wave.h"

/* ---- code cache ---- */

typedef struct isa_code isa_code_t;

/* The cache of the code in a GPU's memory. */
isa_code_t *isa_code_create(const isa_arch_t *arch, struct sg_memory *memory);

/* Destroys the cache; waves that have run its code must not run again. */
void isa_code_destroy(isa_code_t *code);

/* From now on each decoded page is compared with memory again before a wave enters it. Called when
 * the program invalidates the instruction cache or memory is unmapped. O(1). Waves that are running
 * keep their pages until they next look a page up. */
void isa_code_invalidate(isa_code_t *code);

/* True if enough pages have been made since the last isa_code_quiesce() to make another call worth
 * its time. */
bool isa_code_crowded(const isa_code_t *code);

/* Frees the decoded pages whose code has changed or is no longer mapped. The caller makes sure that
 * no wave is in flight. */
void isa_code_quiesce(isa_code_t *code);

/* ---- execution ---- */

struct isa_watch;

typedef struct {
    const char *name; /* "base", "avx2", "avx512"; for waves of 32 lanes "base_32", "avx2_32" */
    unsigned lanes;   /* of the waves that it runs */
    /* Points the wave at `pc`. False, with the fault fields set, if pc is not mapped. */
    bool (*set_pc)(isa_wave_t *w, uint64_t pc);
    /* Runs until the wave stops; `slice` bounds the taken branches before a yield. The reason is
     * also in w->stop; call again to continue after BARRIER or YIELD. Leaves the thread's float
     * mode at the host's default. */
    isa_stop_t (*run)(isa_wave_t *w, int32_t slice);
    /* As run(), and calls the subscribers of the watch (watch.h). `slice` is ISA_SLICE_MOST at most
     * if the watch has a counter. */
    isa_stop_t (*run_watched)(isa_wave_t *w, int32_t slice, struct isa_watch *watch);
    isa_handler_t *const *handlers; /* by ISA_OP_*; NULL where an instruction is not implemented */
    isa_handler_t *dual; /* of VOPD instructions: runs the two of an isa_dual_t (code.h) */
    /* Counts for w->counter what there is to count of the instruction besides its run and its
     * lanes: isa_count_access() of watch.h. Translated code calls this function before it calls the
     * instruction's handler, which may change the registers that have the addresses. */
    isa_handler_t *count_access;
} isa_core_t;

/* A core by name, NULL if it is not built in or this host cannot run it. */
const isa_core_t *isa_core_by_name(const char *name);

/* Best core for this host, or the one that the environment variable SOFTGPU_CORE names (base, avx2,
 * avx512): NULL if there is none of that name, or this host cannot run it. */
const isa_core_t *isa_core_select(void);

/* The core for waves of 32 lanes that goes with a core for 64: of the same kind, or the best below
 * that. */
const isa_core_t *isa_core_narrow(const isa_core_t *core);

/* Address of the instruction that the wave executes next. */
uint64_t isa_wave_pc(const isa_wave_t *w);

#endif
