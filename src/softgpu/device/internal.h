/* internal.h - what the files of the device share: device, queue, dispatch and workgroup in flight.
 *
 * Separate from device.h, which is for the driver's front end only. A comment beside a field says
 * which thread may use it, or under which lock. No object is freed while a thread of the device may
 * still read it. */
#ifndef SOFTGPU_DEVICE_INTERNAL_H
#define SOFTGPU_DEVICE_INTERNAL_H

#include "softgpu/check/group.h"
#include "softgpu/check/order.h"
#include "softgpu/device/device.h"
#include "softgpu/device/team.h"
#include "softgpu/exec/exec.h"
#include "softgpu/exec/watch.h"
#include "softgpu/perf/perf.h"

#include "base/file.h"

#include <pthread.h>

enum {
    SG_GROUP_ITEMS = 1024,
    SG_IN_FLIGHT = 32, /* packets of one queue that are read and not yet retired */
    SG_USER_SGPRS = 16,
    SG_SCRATCH_SLOTS = 32768, /* COMPUTE_TMPRING_SIZE.WAVES has 12 bits, for each of 8 XCCs */
    SG_CU_MAX = 2048,         /* 8 * 8 * 2 * 16, the limits of profile.h and HW_ID */
    SG_THREADS_MAX = 256,     /* workers of the pool */
    SG_REGISTERS = 0x10000    /* dword addresses of the register windows, pm4.c */
};

/* SGPRs that the hardware sets when a wave starts, in the order of their bits in compute_pgm_rsrc2,
 * except that the scratch offset comes last. */
enum {
    SG_SYSTEM_SCRATCH_OFFSET = 1 << 0,
    SG_SYSTEM_ID_X = 1 << 7, /* the workgroup's ids: the next two bits are y and z */
    SG_SYSTEM_INFO = 1 << 10,
    SG_SYSTEM = 15 * SG_SYSTEM_ID_X /* all but the scratch offset, which not all GPUs have */
};

typedef struct sg_watch sg_watch_t;
typedef struct sg_worker sg_worker_t;
typedef struct sg_observed sg_observed_t; /* observe.h */
typedef struct sg_sight sg_sight_t;
typedef struct sg_stall sg_stall_t;           /* stall.h */
typedef struct sg_census_run sg_census_run_t; /* census.h */

/* ---- PC sampling: sampling.c ---- */

typedef struct {
    _Atomic uint64_t tba, tma; /* the program's trap handler and its memory */
    _Atomic bool on;           /* host traps */
    _Atomic uint64_t clocks;   /* between two snapshots of a unit; 0: none are taken */
    uint64_t interval_ns;      /* between two ticks of `thread` */
    _Atomic uint64_t period;   /* in model time: instructions of a wave between two traps */
    pthread_t thread;          /* exists while `on`, except in model time */
    _Alignas(64) _Atomic uint32_t tick; /* when it changes, running waves take a trap */
    _Alignas(64) _Atomic uint32_t stop; /* futex: 1 ends the thread */
} sg_sampling_t;

/* ---- device ---- */

/* A compute unit, or a workgroup processor. `unit` counts the units of all XCCs, those of one XCC
 * in a row; `simd` is its first SIMD, `place` what isa_place() says, without SIMD and wave slot. */
typedef struct {
    uint32_t unit, simd, place;
} sg_location_t;

struct sg_device {
    sg_profile_t profile;
    const isa_arch_t *arch;   /* the profile's */
    uint32_t n_units;         /* compute units, among which workgroups are dealt in turn, */
    sg_location_t *locations; /* and each of them, in that order: made with `pool` */
    sg_host_ops_t ops;
    sg_memory_t *memory;
    isa_code_t *code;
    const isa_core_t *core, *narrow; /* for waves of 64 lanes, and of 32 */
    pthread_mutex_t lock;            /* guards creation of pools and watch, and `queues` */
    _Atomic(sg_pool_t *) pool;       /* made by the first dispatch */
    _Atomic(sg_pool_t *) model_pool; /* made by the first modelled dispatch */
    sg_watch_t *watch;               /* doorbell watch, made by the first queue */
    sg_queue_t *queues;              /* list, linked by next_queue */
    _Atomic uint64_t *doorbells;
    size_t doorbell_bytes;
    base_file_id_t doorbell_file;
    uint64_t doorbell_offset;
    /* Futex: changes when a packet completes; queues whose packet waits for memory sleep on it. */
    _Atomic uint32_t activity;
    _Atomic uint32_t activity_waiters;
    _Atomic uint32_t *registers;  /* SG_REGISTERS words that PM4 packets set and read */
    sg_perf_t *perf;              /* the performance counters and their registers */
    _Atomic uint64_t model_until; /* the last kernel's end in model time */
    isa_gws_t gws;                /* global wave sync, for cooperative launches */
    bool observed;                /* --trace or --stats is on: observe.h */
    sg_sampling_t sampling;
};

/* ---- a dispatch in flight ---- */

typedef struct {
    uint64_t begin, end;
} sg_range_t;

/* The place of a workgroup's waves on the modelled GPU. */
typedef struct {
    int32_t unit; /* -1: on none, since the modelled GPU had no room, see sg_place_take() */
    uint32_t n_waves, vgprs, lds; /* vgprs: rows of a wave; lds: bytes */
    uint8_t simd[ISA_GROUP_WAVES], slot[ISA_GROUP_WAVES];
    uint16_t scratch[ISA_GROUP_WAVES]; /* each wave's slot of the queue's scratch memory */
    bool has_scratch;
} sg_place_t;

struct sg_run {
    isa_dispatch_t isa; /* first, so that instruction handlers can cast it to the run */
    sg_device_t *device;
    sg_queue_t *queue;
    const isa_core_t *core; /* the core on which its waves run */
    uint64_t signal_va, start_ts;
    uint32_t packet;              /* index in the queue's ring */
    bool profiled;                /* the kernel's times are written to the completion signal */
    sg_observed_t *observed;      /* NULL: the run is neither traced nor part of the statistics */
    sg_perf_run_t *counted;       /* NULL: no counter is programmed */
    sg_census_run_t *census;      /* NULL: executions of each instruction are not counted */
    sg_census_run_t *census_kept; /* allocated once, for later dispatches with a census */
    bool checked;                 /* the checker checks the run */
    chk_dispatch_t check;         /* valid if `checked` */
    bool unwatched;               /* observed, but only for how much of it runs translated */
    bool instrumented;            /* observed, counted, checked, or with a census */
    bool modelled;                /* the run is counted, by the models of caches and time */
    sg_pool_t *pool;              /* the pool that runs it */
    /* shape */
    uint32_t size[3];   /* work-items of a full workgroup */
    uint32_t grid[3];   /* work-items */
    uint32_t groups[3]; /* workgroups */
    uint64_t total;     /* workgroups on all axes */
    uint32_t waves;     /* of a full workgroup */
    uint32_t lds_bytes;
    /* launch state */
    uint32_t user[SG_USER_SGPRS], n_user;
    uint32_t rsrc1, rsrc2, rsrc3;
    uint32_t system;        /* SG_SYSTEM_*: SGPRs that the kernel requests, after the user SGPRs */
    uint32_t kernarg_bytes; /* 0: the descriptor does not say */
    uint64_t packet_va;
    uint64_t scratch_base, scratch_wave_bytes; /* 0 bytes: the kernel uses none */
    bool scratch_once; /* the runtime reclaims the scratch after this dispatch */
    uint32_t
        id_axes; /* number of axes (x, y, z) for which the kernel requests the ids of work-items */
    isa_row_t (*ids)[ISA_GROUP_WAVES]; /* ids of the work-items in a full workgroup: [row][wave] */
    uint64_t parts; /* a thread fetches one of so many parts of the ids that are left; 0: one id */
    /* under the pool's lock */
    sg_run_t *next_active, **link_active;
    _Atomic uint32_t resident;            /* workgroups in flight; read without the lock, too */
    sg_range_t spare[SG_THREADS_MAX + 2]; /* ids that threads have fetched and handed back: room for
                                             all that spare_ids() counts */
    _Atomic uint32_t n_spare; /* changes under the pool's lock; read without it as a hint, too */
    /* progress */
    _Alignas(64) _Atomic uint64_t next; /* first id not fetched; may run past total */
    _Alignas(64) _Atomic uint64_t left; /* workgroups not finished */
    _Alignas(64) _Atomic uint32_t cancelled;
    _Atomic(sg_alone_t) alone; /* not 0: its workgroups have shown that they cannot be spread */
    _Atomic uint32_t done;     /* set last, by the thread that finishes the last workgroup */
};

/* ---- a workgroup in flight: a box, used again with its registers and LDS ---- */

typedef enum { SG_BOX_DONE, SG_BOX_YIELDED, SG_BOX_SLEEPY, SG_BOX_FAILED } sg_box_result_t;

struct sg_box {
    isa_group_t group;
    sg_run_t *run;
    sg_box_t *next; /* ready list or free list */
    sg_place_t place;
    uint32_t nap_clocks;  /* if every wave only slept (s_sleep) in the last turn: the shortest
                             sleep */
    uint32_t sleepy;      /* number of consecutive turns in which every wave only slept */
    uint64_t slept_since; /* start of the first of these turns, by the device clock */
    uint64_t asked_ns;    /* sum of the sleeps that the waves requested in these turns */
    uint32_t sleeping;    /* bit set of waves at the barrier */
    uint32_t ended;       /* bit set of waves that have ended */
    isa_wave_t *wave[ISA_GROUP_WAVES];
    uint32_t unit; /* compute unit that its counts belong to, see sg_perf_group_start() */
    sg_perf_group_t *counting; /* its counts; their memory follows the box's registers */
    struct sgc_seen *
        seen; /* for `watch`: addresses of the present instruction; its memory follows the counts */
    sg_sight_t *sight;         /* made when the first observed workgroup starts */
    struct chk_group *check;   /* made when the first checked workgroup starts */
    sg_stall_t *stall;         /* made when a checked workgroup first has a second turn */
    struct isa_census *census; /* if run->census: counts of the thread that runs the box, or NULL */
    isa_watch_t watch;         /* the subscribers with which the waves are run in this turn */
    isa_wave_t *running;       /* the wave that runs or was the last to run */
    isa_wave_t *failed;        /* the wave that ended the run with an error */
    bool submitting;           /* the thread that runs it has packets to process soon */
    sg_team_t team;            /* the threads that run its waves, if they are several */
    _Alignas(64) isa_wave_t waves[ISA_GROUP_WAVES];
};

/* idle.c */
/* Whether the kernel's waves end at once without any effect, so that the workgroups need not run.
 * Called under the pool's lock, or while a workgroup of the run is in flight. */
bool sg_idle(const sg_run_t *run);
/* Counts all workgroups of such a run without running them all; for runs with `instrumented`. */
void sg_idle_count(sg_box_t *b, sg_run_t *run);

/* dispatch.c */
/* Rows of 64 lanes that a wave occupies in a SIMD's register file. */
uint32_t sg_run_rows(const sg_run_t *run);

/* group.c */
/* Fills in d->n_units and d->locations. False: out of memory. */
bool sg_locate_units(sg_device_t *d);
/* Number of compute units, of all XCCs, among which workgroups are dealt in turn. */
uint32_t sg_units_in_turn(const sg_run_t *run);
/* The compute unit of workgroup `id`; those of one XCC have numbers in a row. */
uint32_t sg_unit_of(const sg_run_t *run, uint64_t id);
sg_box_t *sg_box_create(void);
void sg_box_destroy(sg_box_t *b);
/* Writes the rows with the ids of the work-items from `first` on of a workgroup; the rows of x, y
 * and z have a distance of `step`. A workgroup at the grid's edge may be cut off; `size` is its
 * actual size, within which its work-items are numbered. */
void sg_write_ids(const sg_run_t *run, isa_row_t *rows, uint32_t step, const uint32_t size[3],
                  uint32_t first);
/* Gives the waves of workgroup `id` their registers; b->place must be set. False: the entry point
 * is not mapped. */
bool sg_box_start(sg_box_t *b, sg_run_t *run, uint64_t id);

/* turn.c */
/* One turn: runs every wave until it ends, waits or has used its slice. */
sg_box_result_t sg_box_run(sg_box_t *b, int32_t slice);
/* Calls body(arg), which runs waves of the box, *wave at any time. If that one accesses memory that
 * the program has taken away, body() ends there, and the wave has a fault: the result is false. */
bool sg_box_guarded(const sg_box_t *b, isa_wave_t *const *wave, void (*body)(void *), void *arg);
/* As sg_box_run(), without the preparations for counters and census, which the caller has made. */
sg_box_result_t sg_box_turn(sg_box_t *b, int32_t slice);

/* count.c: sg_instrument_begin() sets `instrumented`; the other functions, except
 * sg_instrument_watch(), are called only for runs that have it set. */
void sg_instrument_begin(sg_run_t *run, const void *packet, uint64_t id);
/* All workgroups have ended, at *end_ts. Called before the completion signal, so that a thread that
 * waits for the signal reads final counters. In model time, sets *end_ts and run->start_ts to the
 * model's. */
void sg_instrument_end(sg_run_t *run, uint64_t *end_ts);
/* Workgroup `id` begins; its waves have their registers. */
void sg_instrument_start(sg_box_t *b, uint64_t id);
/* Fills in b->watch for a turn; `interrupt`, which may be NULL, may stop its waves. False: no
 * subscriber sees single instructions, and the plain loop is enough. */
bool sg_instrument_watch(sg_box_t *b, const isa_interrupt_t *interrupt);
/* All waves are at a barrier or have ended; those at the barrier are about to continue. */
void sg_instrument_barrier(sg_box_t *b);
/* sg_box_run() for runs with `instrumented`. */
sg_box_result_t sg_instrument_turn(sg_box_t *b, int32_t slice);

/* sampling.c */
/* A turn begins: fills and returns `own`, which says when waves are to be interrupted; NULL, at the
 * cost of two loads, if sampling is off. */
isa_interrupt_t *sg_sampling_turn(sg_device_t *d, isa_interrupt_t *own);
/* Clocks between two snapshots; 0: none are taken. */
uint64_t sg_sampling_clocks(sg_device_t *d);
/* Runs the wave; when it is interrupted, it takes a trap and continues. */
isa_stop_t sg_sampling_run(sg_box_t *b, isa_wave_t *w, int32_t slice, isa_interrupt_t *interrupt);

/* place.c: all under the pool's lock */
typedef struct sg_place_model sg_place_model_t;
sg_place_model_t *sg_place_model_create(const sg_device_t *d);
/* Takes room on the modelled GPU for one more workgroup of the run; false if there is none. A run
 * with no workgroup in flight, and any run with `beyond`, gets a place on CU -1 instead of none,
 * unless its queue's scratch is used up or its queue has as many waves in flight as the GPU has
 * wave slots. */
bool sg_place_take(sg_place_model_t *m, sg_run_t *run, bool beyond, sg_place_t *out);
void sg_place_give(sg_place_model_t *m, sg_run_t *run, const sg_place_t *place);
/* Whether no workgroup is in flight. */
bool sg_place_all_free(const sg_place_model_t *m);

/* ---- worker pool: sched.c ---- */

struct sg_worker {
    sg_pool_t *pool;
    sg_box_t *free; /* idle boxes, linked by next */
    uint32_t n_free;
};

sg_pool_t *sg_pool_of(sg_device_t *d);
/* The pool for modelled dispatches. Its single worker runs one dispatch after the other and starts
 * workgroups in the order of their ids, so that the model's results do not depend on the host.
 * NULL: out of memory. */
sg_pool_t *sg_pool_of_model(sg_device_t *d);
/* Starts the dispatch. A small one begins on the calling thread and goes to the workers if it does
 * not end soon; a larger one goes to them at once, unless it need not run (idle.c). */
void sg_pool_submit(sg_pool_t *p, sg_worker_t *self, sg_run_t *run);
/* Cancels the run: workgroups that have not started never start, and those in flight stop at the
 * end of their turn. */
void sg_run_cancel(sg_run_t *run);
void sg_worker_release(sg_worker_t *w);
/* Wakes up to n sleeping workers, since a team (team.h) has waves for them. */
void sg_pool_call(sg_pool_t *p, uint32_t n);
/* Whether workgroups or dispatches wait for a worker. A hint, read without a lock. */
bool sg_pool_busy(const sg_pool_t *p);
/* Whether workers sleep, and nothing waits for them. A hint, too. */
bool sg_pool_idle(const sg_pool_t *p);
sg_teams_t *sg_pool_teams(sg_pool_t *p);

/* dispatch.c */
typedef enum { SG_SETUP_OK, SG_SETUP_SCRATCH, SG_SETUP_ERROR } sg_setup_t;
sg_setup_t sg_run_setup(sg_run_t *run, sg_queue_t *q, uint64_t packet_id, const void *packet);
void sg_run_failed(sg_run_t *run, isa_wave_t *w);
/* Called by the thread that finished the last workgroup. */
void sg_run_complete(sg_run_t *run);

/* observe.c: all but the first are called for runs with `observed` only */
void sg_observe_begin(sg_run_t *run, uint64_t kernel_object, uint64_t packet);
/* A workgroup begins; its waves have their registers. */
void sg_observe_start(sg_box_t *b);
/* Whether the run is observed for --stats alone while code is translated. Its waves are counted as
 * they run then, instead of instruction by instruction, for which all of it would be interpreted.
 */
bool sg_observe_needs_no_watch(const sg_run_t *run);
/* Runs a wave of such a run, and counts in `ran` how its instructions have run; NULL: nowhere. */
isa_stop_t sg_observe_run(const sg_box_t *b, isa_wave_t *w, int32_t slice, isa_ran_t *ran);
/* The box's own counts for that; NULL: it has none. */
isa_ran_t *sg_observe_ran(const sg_box_t *b);
/* Adds to the watch the subscriber that counts and traces the box's instructions. */
void sg_observe_watch(sg_box_t *b, isa_watch_t *watch);
/* The box leaves its run, which has not completed yet: adds the box's counts to the run's, `times`
 * times. */
void sg_observe_leave(sg_box_t *b, uint64_t times);
/* Adds to the run's counts those of a helper's waves, and those of a box's team. */
void sg_observe_helped(sg_run_t *run, const isa_ran_t *ran);
void sg_observe_spread(sg_run_t *run, const sg_spread_t *counts);
void sg_observe_end(sg_run_t *run, uint64_t end_ts);
void sg_observed_free(sg_observed_t *o);
void sg_sight_free(sg_sight_t *s);

/* ---- queues ---- */

/* The result of a queue's step. It decides what the queue's thread waits for. */
typedef enum {
    SG_STEP_WORKED, /* progress was made: step again */
    SG_STEP_IDLE,   /* no packet: wait for the doorbell */
    SG_STEP_BUSY,   /* packets are in flight: wait for a completion or the doorbell */
    SG_STEP_POLL,   /* a packet waits for memory, which changes without notice: poll */
    SG_STEP_DEAD    /* the queue has failed or is suspended: wait for an update or destruction */
} sg_step_t;

struct sg_queue {
    sg_device_t *device;
    sg_queue_params_t params;
    void *user;
    sg_queue_t *next_queue; /* device->lock */
    pthread_t thread;
    _Atomic uint32_t refs; /* one of the creator, and one for each run that has not ended */
    _Atomic uint32_t wake; /* futex: doorbell, completion, destruction */
    _Atomic bool stop, failed;
    _Atomic bool waiting; /* the doorbell watch wakes this queue */
    _Atomic uint64_t
        doorbell_seen; /* written before `waiting` is set, read while `waiting` is set */
    _Atomic uint64_t ring_va, ring_bytes;
    _Atomic uint32_t percent; /* 0: suspended */
    _Atomic uint64_t cu_mask[SG_CU_MAX / 64];
    _Atomic bool cu_masked;
    /* the queue's own thread only */
    sg_step_t (*step)(sg_queue_t *q);
    uint64_t next, retired; /* AQL: packet indices; SDMA: byte offset in `next` */
    uint64_t head_start;    /* time of the first attempt to process the head packet */
    bool inactive_wait;     /* waiting until the runtime sets queue_inactive_signal back to 0 */
    bool scratch_asked;     /* scratch for the head packet has been requested from the runtime */
    chk_line_t *order;      /* the checker's order of actors; NULL: not checked. Threads that run
                               the queue's dispatches use it, too */
    uint64_t pm4_returned;  /* by the last atomic operation of a PM4 packet */
    sg_perf_queue_t counting;
    sg_run_t *runs; /* AQL: SG_IN_FLIGHT of them, packet i uses i % SG_IN_FLIGHT */
    sg_worker_t worker;
    /* under the pool's lock: scratch slots in use, waves in flight */
    uint64_t scratch_used[SG_SCRATCH_SLOTS / 64];
    uint32_t scratch_slots;
    uint32_t waves;
};

/* Whether the queue's mask of compute units, which must be set, has this one. */
static inline bool sg_queue_has_cu(const sg_queue_t *q, uint32_t cu)
{
    return atomic_load_explicit(&q->cu_mask[cu / 64], memory_order_relaxed) >> cu % 64 & 1;
}

/* queue.c */
void sg_queue_unref(sg_queue_t *q);
void sg_queue_notify(sg_queue_t *q);
/* Values of queue_inactive_signal, whose bits ROCr turns into statuses of the queue's error
 * callback. */
enum {
    SG_CODE_DIMENSIONS = 0x2,
    SG_CODE_GROUP_MEMORY = 0x4, /* also for memory that the host or the runtime does not have */
    SG_CODE_KERNEL_OBJECT = 0x8,
    SG_CODE_PACKET = 0x20,
    SG_CODE_GROUP_SIZE = 0x40,
    SG_CODE_REGISTERS = 0x80,
    SG_CODE_VENDOR_PACKET = 0x100,
    SG_CODE_ILLEGAL = 0x40000000
};
#define SG_CODE_TRAP UINT64_C(0x80000000)
/* Stops the queue and calls sg_host_ops_t.queue_error, once; later errors of the same queue are
 * dropped. hsa_code: SG_CODE_*. */
void sg_queue_fail(sg_queue_t *q, sg_queue_error_t what, uint64_t hsa_code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void sg_queue_fault(sg_queue_t *q, uint64_t va, uint32_t flags);
bool sg_queue_stopping(const sg_queue_t *q);
/* For a loop that polls memory, whose changes are not announced: sg_queue_pause() waits a little,
 * longer each time. The loop starts with a zeroed sg_patience_t and reads the memory after each
 * call. False: the queue is to stop. */
typedef struct {
    uint64_t since;
    uint32_t activity; /* value of device->activity before the caller last read the memory */
} sg_patience_t;
bool sg_queue_pause(sg_queue_t *q, sg_patience_t *p);

/* aql.c, sdma.c, pm4.c */
/* Whether an AQL queue may have its ring at these addresses. */
bool sg_aql_ring_fits(const sg_device_t *d, uint64_t va, uint64_t bytes);
int sg_aql_init(sg_queue_t *q);
void sg_aql_free(sg_queue_t *q);
/* Cancels all dispatches in flight and waits until no thread works for the queue. */
void sg_aql_stop(sg_queue_t *q);
/* GPU address of the queue's amd_queue_t. */
uint64_t sg_aql_descriptor(const sg_queue_t *q);
sg_step_t sg_aql_step(sg_queue_t *q);
/* Waits until all runs of the queue are done; false when the queue is to stop. */
bool sg_aql_drain(sg_queue_t *q);
sg_step_t sg_sdma_step(sg_queue_t *q);
/* Executes `dwords` words of PM4 at a GPU address. False after the queue has failed or must
 * stop. */
bool sg_pm4_run(sg_queue_t *q, uint64_t va, uint32_t dwords);

/* The comparison by which a PM4 or SDMA packet waits for memory; `function` is its number in the
 * packet. Unknown numbers are always true. */
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
enum { SG_ATOMIC_WIDE = 32 }; /* bit of an operation's code: 64 bits */
/* Fails the queue with a memory fault at the address. */
void sg_transfer_fault(sg_queue_t *q, uint64_t va, bool write);
/* Host address of the longest piece of [va, va + *bytes) in one extent, or NULL; shortens
 * *bytes. */
uint8_t *sg_transfer_piece(const sg_device_t *d, uint64_t va, uint64_t *bytes, bool write);
/* Report to the checker that the queue is about to change a word for which other queues or the
 * program may wait (change_begin), has changed it (change_end), or has itself waited for such a
 * word (waited). */
void sg_transfer_change_begin(sg_queue_t *q, uint64_t va);
void sg_transfer_change_end(sg_queue_t *q, uint64_t va);
void sg_transfer_waited(sg_queue_t *q, uint64_t va);
/* Reports to the checker that the queue is about to copy, or, with from = 0, to fill. */
void sg_transfer_begin(sg_queue_t *q, uint64_t from, uint64_t to, uint64_t bytes);
/* Copies memory; false: the queue has a fault. */
bool sg_transfer_copy(sg_queue_t *q, uint64_t src, uint64_t dst, uint64_t bytes);
/* Executes one of the L2 cache's atomic operations on mapped, aligned memory; *old is the value
 * before. False: `code` is not an integer operation that returns the old value. */
bool sg_transfer_atomic(uint32_t code, void *at, uint64_t source, uint64_t compare, uint64_t *old);

/* Host address of a structure in the program's memory. NULL if it is not mapped with `flags`, or
 * not aligned to `align`, a power of two. */
static inline void *sg_object_at(const sg_device_t *d, uint64_t va, size_t bytes, size_t align,
                                 uint32_t flags)
{
    return va & (align - 1) ? NULL : sg_memory_host(d->memory, va, bytes, flags);
}
#define SG_OBJECT_AT(d, va, type, flags)                                                           \
    ((type *)sg_object_at(d, va, sizeof(type), _Alignof(type), flags))

/* signal.c */
/* Raises the event of an interrupt with this context id. An id of 8 bits or less may be only the
 * low bits of an event's id: it raises every event that has these low bits. */
void sg_signal_interrupt(sg_device_t *d, uint32_t context);
/* The next three functions return false for a signal that is not mapped or not aligned. */
/* Completes a signal because `run`, or (NULL) a packet of the queue, is over: writes the times if
 * `profiled`, decrements the value and raises the signal's event. */
bool sg_signal_complete(sg_queue_t *q, const sg_run_t *run, uint64_t va, bool profiled,
                        uint64_t start, uint64_t end);
/* Stores a value in a signal and raises its event. */
bool sg_signal_store(sg_device_t *d, uint64_t va, int64_t value);
/* Reads the value of a signal. */
bool sg_signal_load(sg_device_t *d, uint64_t va, int64_t *value);
/* Wakes the queues that wait until memory changes. */
void sg_device_stir(sg_device_t *d);

/* watch.c */
sg_watch_t *sg_watch_create(sg_device_t *d);
/* Sleeps until the queue's doorbell changes or its `wake` word differs from `seen`. */
void sg_watch_wait(sg_watch_t *w, sg_queue_t *q, uint32_t seen);
/* sg_watch_add() makes the watch wake the queue when its doorbell changes, and does not sleep;
 * sg_watch_remove() ends that. */
void sg_watch_add(sg_watch_t *w, sg_queue_t *q);
void sg_watch_remove(sg_watch_t *w, sg_queue_t *q);
/* A queue was created or destroyed: the watch has to search again for the program's mappings of the
 * doorbells. */
void sg_watch_changed(sg_watch_t *w);
/* The queue's doorbell, 0 without doorbells. */
uint64_t sg_queue_doorbell(const sg_queue_t *q);

/* thread.c */
/* Starts a joinable thread that blocks all signals and has the given name. 0 or an errno value. */
int sg_thread_start(pthread_t *out, const char *name, void *(*body)(void *), void *arg);

/* leave.c: the calling process is about to end without running exit handlers. Returns when the
 * reports are written, or after ten seconds. Takes no lock and allocates nothing. */
void sg_leave(int status);

#endif
