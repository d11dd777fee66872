/* wave.h - the state of one wave, of its workgroup and of its dispatch, and the ways in which a
 * handler leaves.
 *
 * The command processor prepares a wave, the executor runs it until it has a reason to stop, and
 * the scheduler decides what happens next. One worker thread at a time uses a wave; waves of one
 * workgroup may run on several at once (isa_group_t.spread). */
#ifndef SOFTGPU_EXEC_WAVE_H
#define SOFTGPU_EXEC_WAVE_H

#include "isa/arch.h"
#include "isa/inst.h"

#include <stddef.h>

/* Lanes of a wave. Each core of the executor is made for waves of 64 or of 32 lanes (exec.h). In
 * files that belong to no core and work with both, it is 64, the most that a wave can have: a wave
 * of 32 lanes never has the bits of the other lanes set in its sets of lanes. */
#ifndef ISA_LANES
#define ISA_LANES 64
#endif

enum {
    ISA_ROW = 64, /* dwords of a register's row, of which waves of 32 lanes use the first half */
    /* Handlers do not check whether a tuple of registers ends inside the register file: the arrays
       of vector and scalar registers have room after the last register for the widest tuple. */
    ISA_VGPR_ROWS = ISA_WAVE_VGPRS + 32,
    ISA_EXEC_HI_32 = ISA_CODE_ZERO,    /* EXEC_HI of waves of 32 lanes, a register like any other */
    ISA_NULL_SINK = ISA_CODE_ZERO + 2, /* destination of writes to NULL */
    ISA_SCALARS = ISA_CODE_ZERO + 18
};

/* Why a wave stopped. */
typedef enum {
    ISA_RUN = 0,          /* not stopped */
    ISA_STOP_END,         /* s_endpgm */
    ISA_STOP_BARRIER,     /* s_barrier: waits for the other waves of its workgroup */
    ISA_STOP_YIELD,       /* it has used up its slice, or s_sleep: other waves may run */
    ISA_STOP_STEP,        /* other waves of the workgroup have to run first: isa_ds_waits() */
    ISA_STOP_ALONE,       /* no other wave of the workgroup may run meanwhile: isa_alone() */
    ISA_STOP_MEMORY,      /* memory fault: fault_addr, fault_flags */
    ISA_STOP_ILLEGAL,     /* unknown instruction: fault_addr = its address */
    ISA_STOP_UNSUPPORTED, /* an instruction that is known but not implemented: `message` names it */
    ISA_STOP_TRAP,        /* s_trap: fault_addr = address, trap_id */
    ISA_STOP_INTERRUPT,   /* between two instructions, by isa_interrupt_t: watch.h */
    ISA_STOP_RETURN       /* a trap handler has returned: the program continues at `ip` */
} isa_stop_t;

enum { ISA_FAULT_READ = 1, ISA_FAULT_WRITE = 2, ISA_FAULT_EXEC = 4, ISA_FAULT_RDONLY = 8 };

/* ---- lanes: bit l of a set of lanes, as EXEC is one, stands for lane l ----
 *
 * Only this folder depends on the number of lanes, on the 64 bits of a set and on the 64 dwords of
 * a register's row. Code of other folders uses these names. */

#define ISA_ALL_LANES (UINT64_MAX >> (64 - ISA_LANES))

typedef uint32_t isa_row_t[ISA_ROW]; /* one VGPR: a dword for each lane */

/* The first n lanes; all of them if n is greater. */
static inline uint64_t isa_first_lanes(unsigned n)
{
    return n < ISA_LANES ? (UINT64_C(1) << n) - 1 : ISA_ALL_LANES;
}

/* Counts the lanes of a set. Full sets are tested first: most sets are full, and baseline x86-64
 * has no instruction that counts bits. */
static inline unsigned isa_lane_count(uint64_t lanes)
{
    return lanes == ISA_ALL_LANES ? (unsigned)ISA_LANES : (unsigned)__builtin_popcountll(lanes);
}

/* The number of waves of `lanes` lanes for `items` work-items. */
static inline uint64_t isa_wave_count(uint64_t items, unsigned lanes)
{
    return (items + lanes - 1) / lanes;
}

typedef struct isa_page isa_page_t;
typedef struct isa_group isa_group_t;
struct sg_memory;
struct sg_extent;

/* Global wave sync (GWS): barriers and semaphores between workgroups. Their state outlives a
 * dispatch. There is one isa_gws_t per device, zeroed when the device is made; only lds_gws.c reads
 * or changes it. */
enum { ISA_GWS_RESOURCES = 64 };
typedef struct isa_gws {
    _Atomic uint64_t state[ISA_GWS_RESOURCES];
} isa_gws_t;

enum { ISA_PROVEN = 8 }; /* a power of two */

/* The state that all waves of a dispatch share; it lives as long as the dispatch. */
typedef struct isa_dispatch {
    const isa_arch_t *arch;
    bool narrow; /* its waves have 32 lanes, not 64 */
    struct sg_memory *memory;
    struct isa_code *code; /* the device's code cache */
    uint64_t entry_pc;
    uint32_t n_vgpr;             /* VGPRs and AGPRs allocated for a wave */
    uint32_t acc_offset;         /* row of AGPR a0 */
    uint32_t last_id_row;        /* the last of the first rows, which have the work-items' ids */
    uint32_t mode;               /* initial MODE */
    uint32_t scratch_wave_bytes; /* scratch of one wave (all lanes) */
    uint64_t shared_base, private_base; /* aperture bases; limits are base | 0xffffffff */
    uint32_t engine_clock_mhz;          /* of the clock that s_memtime counts and s_sleep waits */
    uint32_t doorbell_id;               /* s_sendmsg(MSG_GET_DOORBELL) */
    isa_gws_t *gws;                     /* NULL: ds_gws_* are unsupported */
    /* Called for s_sendmsg(MSG_INTERRUPT): raises the interrupt with the wave's M0. May be NULL. */
    void (*on_message)(struct isa_dispatch *d, isa_wave_t *w, uint32_t simm16);
    void *user;
    /* Extents of registered host memory that were accessible when a wave of this dispatch first
     * accessed them: they are not tested again (mem.c). */
    _Atomic(const struct sg_extent *) proven[ISA_PROVEN];
} isa_dispatch_t;

/* A workgroup in flight. */
struct isa_group {
    isa_dispatch_t *dispatch;
    uint8_t *lds; /* lds_bytes bytes, aligned to 16, with undefined contents at first */
    uint32_t lds_bytes;
    uint32_t n_waves;
    uint32_t id[3]; /* workgroup ids */
    /* The barrier of gfx12, at which waves signal and wait by separate instructions (barrier.h):
     * the waves that have signalled, the waves that have ended, and how often the barrier has
     * completed. All 0 when the workgroup starts. */
    struct {
        _Atomic uint32_t signalled, ended, turn;
    } barrier;
    isa_wave_t **waves;
    bool spread; /* its waves run on several threads now; changes only while none runs */
};

/* A snapshot of a wave by stochastic PC sampling: the registers SQ_PERF_SNAPSHOT_*. */
typedef struct {
    uint64_t pc;
    uint32_t data[2];
    bool due;     /* the wave is to take a trap for snapshots that are not in the registers yet */
    bool trapped; /* TRAPSTS.PERF_SNAPSHOT, until the trap handler clears it */
} isa_snapshot_t;

struct isa_wave {
    const isa_inst_t *ip; /* next instruction slot (inside `page`) */
    isa_row_t *vgpr;      /* ISA_VGPR_ROWS rows, 64-byte aligned */
    uint32_t stop;        /* isa_stop_t: anything but ISA_RUN ends the run loop; isa_stop() */
    int32_t budget;       /* decremented by taken branches; < 0 makes the wave yield */
    union {
        uint32_t sgpr[ISA_SCALARS];
        struct {
            uint32_t s_plain[ISA_CODE_FLAT_SCRATCH];
            uint64_t flat_scratch;
            uint64_t xnack_mask;
            uint64_t vcc;
            uint32_t ttmp[ISA_CODE_M0 - ISA_CODE_TTMP];
            uint32_t m0;
            uint32_t s_reserved;
            uint64_t exec;
        };
    };
    uint32_t scc;        /* 0 or 1 */
    uint32_t mode;       /* MODE register */
    uint32_t acc_offset; /* copy of that of the dispatch */
    uint32_t index_in_group;
    uint32_t nap;      /* clocks that the last s_sleep requested */
    bool watched;      /* the run loop has observers (watch.h) besides `counter` */
    bool host_trapped; /* EXCP_FLAG_PRIV of gfx12: the driver's trap, until the handler clears it */
    isa_page_t *page;  /* decoded code page of `ip` */
    isa_group_t *group;
    struct isa_counter *counter; /* the run loop's only observer counts by buckets; else NULL */
    uint64_t scratch_base;       /* GPU address of this wave's scratch: on hardware the sum of
                                    FLAT_SCRATCH and the wave's offset */
    uint32_t scratch_bytes;      /* of the wave */
    uint64_t scratch_register;   /* FLAT_SCRATCH, on GPUs where it is a hardware register */
    uint32_t hw_id;              /* HW_ID register: SE, CU, SIMD, wave slot */
    /* the last extents that this wave has accessed, see mem.h; valid for mem_epoch only */
    const struct sg_extent *extent_cache[4];
    uint64_t mem_epoch;
    /* The instruction at `ip` stopped the wave to wait, and runs again when the wave continues. It
     * must not be counted twice. This member and those below are 0 when a wave starts. */
    bool repeats;
    uint32_t barrier_turn; /* turn of the workgroup's barrier for which the wave waits next */
    uint8_t lds_turn;      /* the wave's accesses to LDS since the last barrier: lds.h */
    uint32_t gws_turn;     /* the GWS resource's turn when a ds_gws_* began to wait: lds_gws.c */
    /* Whether the wave is in a trap handler, and its registers TBA and TMA (trap.h). */
    bool privileged;
    uint64_t tba, tma;
    uint64_t until_interrupt; /* instructions, see watch.h; 0: not determined yet */
    /* Since translated code was entered last: how often it has left lanes to the handlers, and how
     * many instructions these then ran of segments that code for NaNs may not leave: it has other
     * functions for some of their instructions. */
    uint32_t rests, rest_nans;
    isa_snapshot_t snapshot;
    /* Scales of A and B that v_mfma_ld_scale_b32 has read for the instruction at this address, with
     * its lowest bit set. */
    uint64_t scaled_pc;
    uint8_t scales[2][ISA_ROW];
    /* fault or trap */
    uint64_t fault_addr;
    uint32_t fault_flags;
    uint32_t trap_id;
    char message[96];
};

/* Lanes of each wave of a dispatch. */
static inline unsigned isa_dispatch_lanes(const isa_dispatch_t *d)
{
    return d->narrow ? 32 : 64;
}

/* The set of all these lanes. */
static inline uint64_t isa_dispatch_full(const isa_dispatch_t *d)
{
    return UINT64_MAX >> (64 - isa_dispatch_lanes(d));
}

/* ---- how a handler leaves ----
 *
 * A handler that does not end at the next instruction calls one of these, or a jump of core.h. It
 * changes neither `stop` nor `ip`, `budget` and `repeats` itself. */

/* Stops the wave after this instruction. */
static inline void isa_stop(isa_wave_t *w, isa_stop_t why)
{
    w->stop = why;
}

/* Stops the wave with a memory fault; the first fault of an instruction counts. */
static inline void isa_mem_fault(isa_wave_t *w, uint64_t va, uint32_t flags)
{
    if (w->stop == ISA_STOP_MEMORY) return;
    isa_stop(w, ISA_STOP_MEMORY);
    w->fault_addr = va;
    w->fault_flags = flags;
}

/* Stops the wave before this instruction, which is tried again when the wave continues. The try
 * that succeeds calls isa_retried(). */
static inline void isa_retry(isa_wave_t *w, const isa_inst_t *i, isa_stop_t why)
{
    w->repeats = true;
    w->ip -= i->dwords;
    isa_stop(w, why);
}

static inline void isa_retried(isa_wave_t *w)
{
    w->repeats = false;
}

/* FLAT_SCRATCH: SGPRs, or a hardware register. */
static inline uint64_t isa_flat_scratch(const isa_wave_t *w)
{
    return w->group->dispatch->arch->scratch_register ? w->scratch_register : w->flat_scratch;
}

/* The value of a source of the kind ISA_OPK_SPECIAL with this code, except for LDS_DIRECT. Only
 * apertures have bits above 31. POPS_EXITING_WAVE_ID, which is 0, is for graphics: no wave
 * waits. */
static inline uint64_t isa_special(const isa_wave_t *w, unsigned code)
{
    const isa_dispatch_t *d = w->group->dispatch;
    switch (code) {
    case ISA_CODE_SHARED_BASE: return d->shared_base;
    case ISA_CODE_SHARED_LIMIT: return d->shared_base | 0xffffffff;
    case ISA_CODE_PRIVATE_BASE: return d->private_base;
    case ISA_CODE_PRIVATE_LIMIT: return d->private_base | 0xffffffff;
    case ISA_CODE_VCCZ: return !(w->vcc & isa_dispatch_full(d));
    case ISA_CODE_EXECZ: return !w->exec;
    case ISA_CODE_SCC: return w->scc;
    default: return 0;
    }
}

/* ---- rows: VGPRs and, from `acc_offset` on, AGPRs ---- */

/* The number of a vector operand's first row. */
static inline unsigned isa_row_number(uint32_t acc_offset, const isa_operand_t *o)
{
    return o->reg + (o->kind == ISA_OPK_AGPR ? acc_offset : 0);
}

static inline unsigned isa_first_row(const isa_wave_t *w, const isa_operand_t *o)
{
    return isa_row_number(w->acc_offset, o);
}

/* A vector operand's rows, one for each dword of the tuple. */
static inline isa_row_t *isa_row_of(const isa_wave_t *w, const isa_operand_t *o)
{
    return w->vgpr + isa_first_row(w, o);
}

/* The register that has this row: v or a, and its number. */
typedef struct {
    char file;
    unsigned number;
} isa_vector_register_t;

static inline isa_vector_register_t isa_register_of_row(const isa_wave_t *w, unsigned row)
{
    const bool acc = row >= w->acc_offset;
    return (isa_vector_register_t){acc ? 'a' : 'v', acc ? row - w->acc_offset : row};
}

_Static_assert(offsetof(struct isa_wave, flat_scratch) - offsetof(struct isa_wave, sgpr) ==
                   4 * ISA_CODE_FLAT_SCRATCH,
               "FLAT_SCRATCH has its scalar code");
_Static_assert(offsetof(struct isa_wave, vcc) - offsetof(struct isa_wave, sgpr) == 4 * ISA_CODE_VCC,
               "VCC has its scalar code");
_Static_assert(offsetof(struct isa_wave, m0) - offsetof(struct isa_wave, sgpr) == 4 * ISA_CODE_M0,
               "M0 has its scalar code");
_Static_assert(offsetof(struct isa_wave, exec) - offsetof(struct isa_wave, sgpr) ==
                   4 * ISA_CODE_EXEC,
               "EXEC has its scalar code");

#endif
