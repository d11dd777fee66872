/* observe.h - the device's part of --trace and --stats: selects the kernels that are observed, and
 * counts the instructions that they execute.
 *
 * Separate from internal.h because without --trace and --stats the device calls only
 * sg_observe_begin(). The counts are exact: every instruction of every wave, by opcode. */
#ifndef SOFTGPU_DEVICE_OBSERVE_H
#define SOFTGPU_DEVICE_OBSERVE_H

#include "softgpu/device/internal.h"
#include "softgpu/exec/translate.h"
#include "softgpu/memory/code_object.h"
#include "softgpu/exec/watch.h"

/* Counts by instruction. Sums by class are computed from these with the help of isa_table. */
typedef struct {
    uint64_t runs[ISA_OP_COUNT];  /* how often waves have executed it */
    uint64_t lanes[ISA_OP_COUNT]; /* lanes that were active before the instruction, summed over the
                                     runs */
} sg_tally_by_op_t;

/* A kernel that was dispatched, by its name; lives as long as the process. */
typedef struct sg_seen {
    struct sg_seen *next;
    char *name;
    uint64_t dispatches, waves, ns;
    unsigned lanes; /* of its waves; of kernels of one name that differ, of the wider ones */
    sg_tally_by_op_t tally;
    isa_ran_t ran;
    sg_spread_t spread;
} sg_seen_t;

/* A dispatch that is observed; belongs to its sg_run_t and is used again with it. */
struct sg_observed {
    pthread_mutex_t lock;
    sg_tally_by_op_t tally; /* under the lock: counts of boxes that have left the run */
    isa_ran_t ran;          /* under the lock: of those that nobody watched */
    sg_spread_t spread;     /* under the lock: of those that had helpers, or could have had */
    uint64_t waves;         /* under the lock: their waves */
    uint64_t packet;
    bool trace;
    sg_seen_t *kernel; /* NULL: out of memory, nothing is counted */
};

/* Counts of a workgroup in flight; belongs to its sg_box_t. */
typedef struct sg_trace sg_trace_t;
struct sg_sight {
    isa_subscriber_t subscriber; /* first, so that its functions can cast it to the sight */
    sg_box_t *box;
    sg_tally_by_op_t tally;
    isa_ran_t ran; /* how waves have run that are counted and not watched */
    uint64_t waves;
    sg_trace_t *trace; /* made by the first trace */
    bool traced;       /* this workgroup is traced */
};

/* Whether the environment enables a trace or statistics; the environment is read once. */
bool sg_observe_wanted(void);

/* Whether statistics say what ran translated, instead of instructions by class, for which code
 * would be interpreted. To be called before the first device is made. */
void sg_observe_translated(bool translated);

/* Writes whole lines to the trace, never mixed with those of another thread. */
void sg_observe_write(const char *text, size_t length);

/* trace.c */
/* The workgroup of the sight's box begins; its waves have their registers. False: out of memory. */
bool sg_trace_start(sg_sight_t *s);
void sg_trace_free(sg_trace_t *t);
/* The wave has run *i, which was at `pc`. */
void sg_trace_instruction(sg_sight_t *s, const isa_wave_t *w, const isa_inst_t *i, uint64_t pc);

#endif
