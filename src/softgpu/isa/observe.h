/* observe.h - looking at every instruction a wave runs: exact counts, and hooks for a trace.
 *
 * A core has its run loop twice (run_loop.h); the second one reports here, the first knows nothing
 * of it and costs nothing. Who wants more of an instruction than how often it ran hangs in a hook.
 */
#ifndef SOFTGPU_ISA_OBSERVE_H
#define SOFTGPU_ISA_OBSERVE_H

#include "softgpu/isa/table.h"
#include "softgpu/isa/wave.h"

/* Indexed by ISA_OP_*: classes and all else that counters group by are columns of isa_table. */
typedef struct {
    uint64_t runs[ISA_OP_COUNT];  /* wave instructions */
    uint64_t lanes[ISA_OP_COUNT]; /* the sum of their active lanes, before each of them */
} isa_tally_t;

typedef struct isa_observer isa_observer_t;

/* Called on the wave's thread right after instruction *i at `pc`; it may read everything. An
 * instruction that stopped the wave is reported too. */
typedef void isa_observe_fn_t(isa_observer_t *o, isa_wave_t *w, const isa_inst_t *i, uint64_t pc);

/* Used by one wave at a time. A tally may be shared by the observers of one thread. */
struct isa_observer {
    isa_tally_t *tally;
    isa_observe_fn_t *after; /* or NULL */
};

#endif
