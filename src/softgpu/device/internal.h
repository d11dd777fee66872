/* internal.h - what the files of the device share: device, queue, dispatch in flight, workgroup.
 *
 * Apart because device.h is for the driver front end only. Who may touch a field, and under which
 * lock, is said beside it; nothing here is freed while one of the device's threads may look. */
#ifndef SOFTGPU_DEVICE_INTERNAL_H
#define SOFTGPU_DEVICE_INTERNAL_H

#include "softgpu/check/group.h"
#include "softgpu/check/order.h"
#include "softgpu/device/device.h"
#include "softgpu/isa/isa.h"
#include "softgpu/isa/observe.h"
#include "softgpu/perf/perf.h"

#include "base/file.h"

#include <pthread.h>

enum {
    SG_GROUP_WAVES = 16, /* 1024 work-items, HSA's limit for this GPU */
    SG_GROUP_ITEMS = 1024,
    SG_IN_FLIGHT = 32, /* packets of one queue between being read and being retired */
    SG_USER_SGPRS = 16,
    SG_SCRATCH_SLOTS = 4096, /* COMPUTE_TMPRING_SIZE.WAVES has 12 bits */
    SG_CU_MAX = 1024,        /* limits of profile.h multiplied */
    SG_LDS_GRANULE = 512,
    SG_VGPR_GRANULE = 8,
    SG_THREADS_MAX = 256,  /* workers of the pool */
    SG_REGISTERS = 0x10000 /* dword addresses of the register windows, pm4.c */
};

typedef struct sg_run sg_run_t;
typedef struct sg_box sg_box_t;
typedef struct sg_pool sg_pool_t;
typedef struct sg_watch sg_watch_t;
typedef struct sg_worker sg_worker_t;
typedef struct sg_observed sg_observed_t; /* observe.h */
typedef struct sg_sight sg_sight_t;
typedef struct sg_stall sg_stall_t;           /* stall.h */
typedef struct sg_census_run sg_census_run_t; /* census.h */

/* ---- host traps: sampling.c ---- */

typedef struct {
    _Atomic uint64_t tba, tma; /* the program's trap handler and its memory */
    _Atomic bool on;
    uint64_t interval_ns;    /* of the thread */
    _Atomic uint64_t period; /* in instructions of a wave, by model time */
    pthread_t thread;        /* while on, unless by model time */
    _Alignas(64) _Atomic uint32_t tick;
    _Alignas(64) _Atomic uint32_t stop; /* futex */
} sg_sampling_t;

/* ---- device ---- */

struct sg_device {
    sg_profile_t profile;
    sg_host_ops_t ops;
    sg_memory_t *memory;
    isa_code_t *code;
    const isa_core_t *core;
    pthread_mutex_t lock;            /* creation of pool and watch, the list of queues */
    _Atomic(sg_pool_t *) pool;       /* made by the first dispatch */
    _Atomic(sg_pool_t *) model_pool; /* made by the first modelled dispatch */
    sg_watch_t *watch;               /* made by the first queue */
    sg_queue_t *queues;
    _Atomic uint64_t *doorbells;
    size_t doorbell_bytes;
    base_file_id_t doorbell_file;
    uint64_t doorbell_offset;
    /* Bumped when a packet completes: what queues with a dependency wait for. */
    _Atomic uint32_t activity;
    _Atomic uint32_t activity_waiters;
    _Atomic uint32_t *registers;  /* SG_REGISTERS words that PM4 packets set and read */
    sg_perf_t *perf;              /* the performance counters and their registers */
    _Atomic uint64_t model_until; /* the last kernel's end in model time */
    isa_gws_t gws;                /* global wave sync, for cooperative launches */
    bool observed;                /* dispatches are traced or counted */
    sg_sampling_t sampling;
};

/* ---- a dispatch in flight ---- */

typedef struct {
    uint64_t begin, end;
} sg_range_t;

/* Where the waves of a workgroup sit on the modelled GPU. */
typedef struct {
    int32_t cu; /* -1: beyond the model, see sg_place_take() */
    uint32_t n_waves, vgprs, lds;
    uint8_t simd[SG_GROUP_WAVES], slot[SG_GROUP_WAVES];
    uint16_t scratch[SG_GROUP_WAVES]; /* scratch slots of the queue */
    bool has_scratch;
} sg_place_t;

struct sg_run {
    isa_dispatch_t isa; /* first: handlers get back to the run from it */
    sg_device_t *device;
    sg_queue_t *queue;
    uint64_t signal_va, start_ts;
    uint32_t packet; /* index in the queue's ring */
    bool profiled;
    sg_observed_t *observed;      /* NULL: neither traced nor part of the statistics */
    sg_perf_run_t *counted;       /* NULL: no counter is programmed */
    sg_census_run_t *census;      /* NULL: its instructions are not counted one by one */
    sg_census_run_t *census_kept; /* for the next dispatch of which they are */
    bool checked;                 /* for what is wrong with the program */
    chk_dispatch_t check;         /* of those */
    bool looked_at;               /* any of them */
    bool modelled;                /* counted, with caches and clocks */
    sg_pool_t *pool;              /* that runs it */
    /* shape */
    uint32_t size[3]; /* of a full workgroup */
    uint32_t grid[3];
    uint32_t groups[3];
    uint64_t total; /* workgroups */
    uint32_t waves; /* of a full workgroup */
    uint32_t lds_bytes;
    /* launch state */
    uint32_t user[SG_USER_SGPRS], n_user;
    uint32_t rsrc1, rsrc2, rsrc3;
    uint32_t kernarg_bytes; /* 0: the descriptor does not say */
    uint64_t packet_va;
    uint64_t scratch_base, scratch_wave_bytes; /* 0 bytes: the kernel uses none */
    bool scratch_once;                         /* the runtime wants this scratch back */
    uint32_t id_mask;                          /* fields of v0 that the kernel asks for */
    isa_row_t *v0;  /* packed work-item ids of a full workgroup, one row for each wave */
    uint64_t chunk; /* workgroup ids fetched at once */
    /* under the pool's lock */
    sg_run_t *next_active, **link_active;
    _Atomic uint32_t resident;            /* workgroups in flight; others may look */
    sg_range_t spare[SG_THREADS_MAX + 1]; /* ids fetched and handed back */
    uint32_t n_spare;
    /* progress */
    _Alignas(64) _Atomic uint64_t next; /* first id not fetched; may run past total */
    _Alignas(64) _Atomic uint64_t left; /* workgroups not finished */
    _Alignas(64) _Atomic uint32_t cancelled;
    _Atomic uint32_t done; /* set last, by whoever finishes the last group */
};

/* ---- a workgroup in flight; pooled with its registers and LDS ---- */

typedef enum { SG_BOX_DONE, SG_BOX_YIELDED, SG_BOX_SLEEPY, SG_BOX_FAILED } sg_box_result_t;

struct sg_box {
    isa_group_t group;
    sg_run_t *run;
    sg_box_t *next; /* ready list or free list */
    sg_place_t place;
    uint32_t live, at_barrier; /* waves that have not ended; of those, at the barrier */
    uint32_t nap_clocks;       /* in the last slice, if every wave only slept: the shortest sleep */
    uint32_t sleepy;           /* slices in a row in which every wave only slept */
    uint64_t slept_since;      /* the first of them: nanoseconds of the device clock */
    uint64_t asked_ns;         /* how long in all of them the waves wanted to sleep */
    uint32_t sleeping;         /* bit set of waves at the barrier */
    uint32_t ended;            /* bit set of waves that have ended */
    isa_wave_t *wave[SG_GROUP_WAVES];
    uint32_t unit; /* compute unit that its counts belong to, see sg_perf_group_start() */
    sg_perf_group_t *counting; /* its counts, behind the box */
    sg_sight_t *sight;         /* made when the first observed workgroup starts */
    struct chk_group *check;   /* made when the first checked workgroup starts */
    sg_stall_t *stall;         /* made when the first of those has a second turn */
    struct isa_census *census; /* run->census: of the thread whose turn it is, or NULL */
    isa_wave_t *running;       /* or the last that has */
    isa_wave_t *failed;        /* the wave that ended the run with an error */
    _Alignas(64) isa_wave_t waves[SG_GROUP_WAVES];
};

/* idle.c */
/* Whether the run's waves end as they begin, and nobody has to see each of them do so. Under the
 * pool's lock, or while a workgroup has its place. */
bool sg_idle(const sg_run_t *run);
/* For such runs, where they are looked at: counts all workgroups. */
void sg_idle_count(sg_box_t *b, sg_run_t *run);

/* group.c */
/* Workgroups go round so many compute units; that of workgroup `id`, by its place. */
uint32_t sg_units_in_turn(const sg_run_t *run);
uint32_t sg_unit_of(const sg_run_t *run, uint64_t id);
sg_box_t *sg_box_create(void);
void sg_box_destroy(sg_box_t *b);
/* Packed work-item ids of lanes first..first+63. Work-items of a workgroup at the edge of the grid
 * are numbered within what exists of it: `size` is the size that exists. */
void sg_pack_ids(isa_row_t row, const uint32_t size[3], uint32_t first, uint32_t mask);
/* Prepares workgroup `id` of the run; place is filled. False: the entry point is not mapped. */
bool sg_box_start(sg_box_t *b, sg_run_t *run, uint64_t id);
/* Runs every wave until it ends, waits or has used its slice. */
sg_box_result_t sg_box_run(sg_box_t *b, int32_t slice);
/* The same for whoever has taken care of what looks at the workgroup. */
sg_box_result_t sg_box_turn(sg_box_t *b, int32_t slice);

/* count.c: all but the first two are called for runs that are `looked_at` only */
void sg_look_begin(sg_run_t *run, const void *packet, uint64_t id);
/* All workgroups have left: counters are final before anybody learns of the end. */
/* The run has ended at *end_ts. By model time, that and run->start_ts are the model's then. */
void sg_look_end(sg_run_t *run, uint64_t *end_ts);
/* The waves of workgroup `id` are prepared. */
void sg_look_start(sg_box_t *b, uint64_t id);
/* Whether single instructions are looked at in this turn; otherwise the plain loop will do. */
bool sg_look_steps(const sg_box_t *b);
/* `interrupt`, which may be NULL, may stop the wave. */
isa_stop_t sg_look_run(sg_box_t *b, isa_wave_t *w, int32_t slice, const isa_interrupt_t *interrupt);
/* All waves are at a barrier or have ended. */
void sg_look_barrier(sg_box_t *b);
sg_box_result_t sg_look_turn(sg_box_t *b, int32_t slice);

/* sampling.c */
/* What interrupts the waves of a turn that begins now: `own`, or NULL where nobody samples. One
 * load. */
isa_interrupt_t *sg_sampling_turn(sg_device_t *d, isa_interrupt_t *own);
/* Runs the wave; when it is interrupted it takes a host trap and goes on. */
isa_stop_t sg_sampling_run(sg_box_t *b, isa_wave_t *w, int32_t slice, isa_interrupt_t *interrupt);

/* place.c: all under the pool's lock */
typedef struct sg_place_model sg_place_model_t;
sg_place_model_t *sg_place_model_create(const sg_profile_t *profile);
/* Room for one more workgroup of the run, or false. A run with no workgroup in flight always gets
 * one, on CU -1 if need be, unless its queue's scratch is used up or the queue's waves in flight
 * fill as many wave slots as the GPU has; so does any run with `beyond`. */
bool sg_place_take(sg_place_model_t *m, sg_run_t *run, bool beyond, sg_place_t *out);
void sg_place_give(sg_place_model_t *m, sg_run_t *run, const sg_place_t *place);
/* No workgroup is in flight. */
bool sg_place_all_free(const sg_place_model_t *m);

/* ---- worker pool: sched.c ---- */

struct sg_worker {
    sg_pool_t *pool;
    sg_box_t *free; /* idle boxes, linked by next */
    uint32_t n_free;
};

sg_pool_t *sg_pool_of(sg_device_t *d);
/* One worker that runs modelled dispatches, one after the other, their workgroups in the order of
 * their ids: what the model sees does not depend on the host. NULL: out of memory. */
sg_pool_t *sg_pool_of_model(sg_device_t *d);
/* Runs the dispatch: small ones on the calling thread as far as they go, the rest on the workers.
 */
void sg_pool_submit(sg_pool_t *p, sg_worker_t *self, sg_run_t *run);
/* Gives up the run: what has not started never will, what runs stops at its next yield. */
void sg_run_cancel(sg_run_t *run);
void sg_worker_release(sg_worker_t *w);

/* dispatch.c */
typedef enum { SG_SETUP_OK, SG_SETUP_SCRATCH, SG_SETUP_ERROR } sg_setup_t;
sg_setup_t sg_run_setup(sg_run_t *run, sg_queue_t *q, uint64_t packet_id, const void *packet);
void sg_run_failed(sg_run_t *run, isa_wave_t *w);
/* Called by whoever finished the last workgroup. */
void sg_run_complete(sg_run_t *run);

/* observe.c: all but the first are called for runs with `observed` only */
void sg_observe_begin(sg_run_t *run, uint64_t kernel_object, uint64_t packet);
/* The workgroup's waves are prepared. */
void sg_observe_start(sg_box_t *b);
/* The box leaves its run, which has not completed; what it has seen counts so many times. */
void sg_observe_leave(sg_box_t *b, uint64_t times);
void sg_observe_end(sg_run_t *run, uint64_t end_ts);
void sg_observed_free(sg_observed_t *o);
void sg_sight_free(sg_sight_t *s);

/* ---- queues ---- */

/* What a queue's step came to, and so how its thread waits. */
typedef enum {
    SG_STEP_WORKED, /* something was done: step again */
    SG_STEP_IDLE,   /* no packet: the doorbell will tell */
    SG_STEP_BUSY,   /* packets in flight: their completion or the doorbell will tell */
    SG_STEP_POLL,   /* depends on memory that anybody may change: look again and again */
    SG_STEP_DEAD    /* the queue has failed: only destruction is left */
} sg_step_t;

struct sg_queue {
    sg_device_t *device;
    sg_queue_params_t params;
    void *user;
    sg_queue_t *next_queue; /* device->lock */
    pthread_t thread;
    _Atomic uint32_t refs; /* the creator's and one for each run not done */
    _Atomic uint32_t wake; /* futex: doorbell, completion, destruction */
    _Atomic bool stop, failed;
    _Atomic bool waiting;           /* under the doorbell watch */
    _Atomic uint64_t doorbell_seen; /* written before `waiting` is set, read while it is */
    _Atomic uint64_t ring_va, ring_bytes;
    _Atomic uint32_t percent; /* 0: suspended */
    _Atomic uint64_t cu_mask[SG_CU_MAX / 64];
    _Atomic bool cu_masked;
    /* the queue's own thread only */
    sg_step_t (*step)(sg_queue_t *q);
    uint64_t next, retired; /* AQL: packet indices; SDMA: byte offset in `next` */
    uint64_t head_start;    /* when the head packet was first looked at */
    bool inactive_wait;     /* until the runtime has set queue_inactive_signal back to 0 */
    bool scratch_asked;     /* for the head packet */
    chk_line_t *order;      /* NULL: nobody asks what happens before what; also for runs */
    uint64_t pm4_returned;  /* by the last atomic operation of a PM4 packet */
    sg_perf_queue_t counting;
    sg_run_t *runs; /* AQL: SG_IN_FLIGHT of them, packet i uses i % SG_IN_FLIGHT */
    sg_worker_t worker;
    /* under the pool's lock: scratch slots in use, waves in flight */
    uint64_t scratch_used[SG_SCRATCH_SLOTS / 64];
    uint32_t scratch_slots;
    uint32_t waves;
};

/* queue.c */
void sg_queue_unref(sg_queue_t *q);
void sg_queue_notify(sg_queue_t *q);
/* Stops the queue and tells the host, once; later errors of the same queue are dropped. */
void sg_queue_fail(sg_queue_t *q, sg_queue_error_t what, uint64_t hsa_code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void sg_queue_fault(sg_queue_t *q, uint64_t va, uint32_t flags);
bool sg_queue_stopping(const sg_queue_t *q);
/* Waits a little for something that nobody announces; false when the queue is to stop. The caller
 * begins with zeros and looks after each call. */
typedef struct {
    uint64_t since;
    uint32_t activity; /* of the device, before the caller looked last */
} sg_patience_t;
bool sg_queue_pause(sg_queue_t *q, sg_patience_t *p);

/* aql.c, sdma.c, pm4.c */
/* Whether a queue of AQL packets may have its ring there. */
bool sg_aql_ring_fits(const sg_device_t *d, uint64_t va, uint64_t bytes);
int sg_aql_init(sg_queue_t *q);
void sg_aql_free(sg_queue_t *q);
/* Gives up what is in flight and waits until no thread works for the queue. */
void sg_aql_stop(sg_queue_t *q);
/* GPU address of the amd_queue_t that the queue belongs to. */
uint64_t sg_aql_descriptor(const sg_queue_t *q);
sg_step_t sg_aql_step(sg_queue_t *q);
/* Waits until all runs of the queue are done; false when the queue is to stop. */
bool sg_aql_drain(sg_queue_t *q);
sg_step_t sg_sdma_step(sg_queue_t *q);
/* Executes `dwords` words of PM4 at a GPU address. False after the queue has failed or must stop.
 */
bool sg_pm4_run(sg_queue_t *q, uint64_t va, uint32_t dwords);

/* The comparison that waiting packets of PM4 and SDMA name by number; others are always true. */
static inline bool sg_holds(uint32_t function, uint32_t value, uint32_t reference)
{
    switch (function) {
    case 1: return value < reference;
    case 2: return value <= reference;
    case 3: return value == reference;
    case 4: return value != reference;
    case 5: return value >= reference;
    case 6: return value > reference;
    default: return true;
    }
}

/* transfer.c */
enum { SG_ATOMIC_WIDE = 32 }; /* in an operation's code: 64 bits */
/* Fails the queue with a memory fault at the address. */
void sg_transfer_fault(sg_queue_t *q, uint64_t va, bool write);
/* Host address of the longest piece of [va, va + *bytes) in one extent, or NULL; shortens *bytes.
 */
uint8_t *sg_transfer_piece(const sg_device_t *d, uint64_t va, uint64_t *bytes, bool write);
/* The queue is about to change a word at the address, for which others may wait, and has; it has
 * waited for one. */
void sg_transfer_tell(sg_queue_t *q, uint64_t va);
void sg_transfer_told(sg_queue_t *q, uint64_t va);
void sg_transfer_met(sg_queue_t *q, uint64_t va);
/* The queue is about to copy, or with from = 0 to fill. */
void sg_transfer_begin(sg_queue_t *q, uint64_t from, uint64_t to, uint64_t bytes);
/* False after a fault of the queue. */
bool sg_transfer_copy(sg_queue_t *q, uint64_t src, uint64_t dst, uint64_t bytes);
/* One of the L2's operations on mapped, aligned memory; *old is what was there. False: the code is
 * none of an integer operation that returns. */
bool sg_transfer_atomic(uint32_t code, void *at, uint64_t source, uint64_t compare, uint64_t *old);

/* Host address of a structure of the program's, `align` a power of two: NULL too where it is not
 * aligned as its readers and writers expect. */
static inline void *sg_object_at(const sg_device_t *d, uint64_t va, size_t bytes, size_t align,
                                 uint32_t flags)
{
    return va & (align - 1) ? NULL : sg_memory_host(d->memory, va, bytes, flags);
}
#define SG_OBJECT_AT(d, va, type, flags)                                                           \
    ((type *)sg_object_at(d, va, sizeof(type), _Alignof(type), flags))

/* signal.c */
/* Raises what an interrupt with this context id raises; partial ids (8 bits) raise all that match.
 */
void sg_signal_interrupt(sg_device_t *d, uint32_t context);
/* A signal that is not mapped, or not aligned, is none: all three are false then.
 * Writes the times if `profiled`, decrements the signal, tells its event: `run` is over, or where
 * it is NULL a packet of the queue. */
bool sg_signal_complete(sg_queue_t *q, const sg_run_t *run, uint64_t va, bool profiled,
                        uint64_t start, uint64_t end);
/* Stores a value in a signal and tells its event. */
bool sg_signal_store(sg_device_t *d, uint64_t va, int64_t value);
/* Value of a signal. */
bool sg_signal_load(sg_device_t *d, uint64_t va, int64_t *value);
/* Tells queues that wait for memory that some has changed. */
void sg_device_stir(sg_device_t *d);

/* watch.c */
sg_watch_t *sg_watch_create(sg_device_t *d);
/* Sleeps until the queue's doorbell changes or its `wake` word differs from `seen`. */
void sg_watch_wait(sg_watch_t *w, sg_queue_t *q, uint32_t seen);
/* Puts the queue's doorbell under the watch without sleeping, and takes it off. */
void sg_watch_add(sg_watch_t *w, sg_queue_t *q);
void sg_watch_remove(sg_watch_t *w, sg_queue_t *q);
/* A queue has come or gone: the program may have mapped the doorbells anew. */
void sg_watch_changed(sg_watch_t *w);
/* The queue's doorbell, 0 without doorbells. */
uint64_t sg_queue_doorbell(const sg_queue_t *q);

/* thread.c */
/* A detached or joinable thread that blocks all signals and bears `name`. 0 or an errno value. */
int sg_thread_start(pthread_t *out, const char *name, void *(*body)(void *), void *arg);

/* The calling process ends without the handlers of exit: what has to be done before is done when
 * this returns, or cannot be. Takes no lock and allocates nothing. */
void sg_leave(int status);

#endif
