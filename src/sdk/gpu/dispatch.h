/* dispatch.h - what services do around a kernel dispatch: where dispatch tracing, counters, thread
 * trace, PC sampling, HIP's graphs and events meet without knowing each other.
 *
 * A service that measures dispatches has a probe, at one of three places. Dispatch tracing
 * (kernel_dispatch/), which sees all packets, calls the probes:
 *
 *     at the launch      begin(), in the order of the places, inside the ENQUEUE callbacks
 *     in the queue       AROUND's packets, INSIDE's packets, the dispatch, INSIDE's, AROUND's
 *     while it runs      its MARK tells samples which dispatch they are of
 *     when it is over    complete(), in the order of the places
 *                        the COMPLETE callbacks and records
 *                        over(), in the order of the places; then the correlation id is released
 *
 * The packets of the counters are the inner ones: what the packets of a trace make the GPU do is
 * not counted, and if the dispatch runs several times, each run has its INSIDE packets, the last
 * one has the trace's, too (hsax_wrap_t). */
#ifndef CROCPROF_SDK_DISPATCH_H
#define CROCPROF_SDK_DISPATCH_H

#include "hsa/queues.h"
#include "sdk/core/context.h"

typedef enum {
    SDK_PROBE_INSIDE, /* packets directly around the dispatch */
    SDK_PROBE_AROUND, /* packets around these */
    SDK_PROBE_MARK,   /* no packets, but the dispatch's place in the queue */
    SDK_PROBES
} sdk_probe_place_t;

/* A dispatch from its launch to its end. */
typedef struct {
    rocprofiler_callback_tracing_kernel_dispatch_data_t data; /* its times are set at the end */
    hsax_item_t *item;
    uint64_t queue;
    sdk_reference_t *reference; /* to its correlation id; over() may take it, and set NULL */
    hsax_mark_t mark;
    void *held[SDK_PROBES]; /* what begin() has returned; NULL: not measured there */
} sdk_dispatch_t;

typedef struct sdk_probe {
    sdk_probe_place_t place;
    /* It puts packets around dispatches: only around those with room for them
     * (hsax_item_t.special), and kernels run one at a time while it is running. */
    bool wraps;
    /* What measures the agent; NULL: nothing. Without the function: the running value. */
    void *(*of_agent)(hsa_agent_t agent);
    /* Asks the tool whether to measure the dispatch, whose operation has begun, and sets what the
     * probe needs of d->item. `service` is what of_agent() has returned, or the running value.
     * NULL: the dispatch is not measured. On the thread that launches. */
    void *(*begin)(void *service, sdk_dispatch_t *d, const sdk_operation_t *operation);
    /* On the collector's thread; each may be NULL. lost: its end will never be seen. */
    void (*complete)(void *held, const sdk_dispatch_t *d);
    void (*over)(void *held, sdk_dispatch_t *d);
    void (*lost)(void *held);
    const char *lost_text; /* what is said of the number of lost dispatches at the end; or NULL */
    /* For a MARK: see hsax_dispatch_client_t. */
    void (*placed)(const hsax_mark_t *mark, const hsa_queue_t *queue, uint64_t packet);
} sdk_probe_t;

/* By place; set when HSA starts, before the first dispatch. NULL: no service has it. */
extern const sdk_probe_t *sdk_probes[SDK_PROBES];

/* 0 while the probe has nothing to measure. Set by its service when contexts start and stop: a
 * pointer to the running service, or how many of its sessions are running. */
extern _Atomic uintptr_t sdk_probe_running[SDK_PROBES];

static inline uintptr_t sdk_probe_value(sdk_probe_place_t place)
{
    return atomic_load_explicit(&sdk_probe_running[place], memory_order_acquire);
}

static inline void sdk_probe_run(sdk_probe_place_t place, const void *service)
{
    atomic_store_explicit(&sdk_probe_running[place], (uintptr_t)service, memory_order_release);
}

/* Is any probe running, or any that wraps? */
static inline bool sdk_probes_running(void)
{
    return sdk_probe_value(SDK_PROBE_INSIDE) || sdk_probe_value(SDK_PROBE_AROUND) ||
           sdk_probe_value(SDK_PROBE_MARK);
}
bool sdk_probes_wrap(void);

/* Fills in what measures the dispatch at each place; false if nothing does. */
bool sdk_probes_choose(const hsax_item_t *item, void *services[SDK_PROBES]);
/* Asks all of these; true if one wants the dispatch. d->held has been zeroed. */
bool sdk_probes_begin(void *const services[SDK_PROBES], sdk_dispatch_t *d,
                      const sdk_operation_t *operation);
/* At its end. */
void sdk_probes_complete(const sdk_dispatch_t *d);
void sdk_probes_over(sdk_dispatch_t *d);
void sdk_probes_lost(const sdk_dispatch_t *d);
/* Says how many dispatches were lost. */
void sdk_probes_tell_lost(void);

/* The plan for dispatches that nobody follows but that are measured: gives them correlation ids. */
extern const sdk_plan_t sdk_measured_plan;

/* The context's external id for a dispatch that has begun. */
uint64_t sdk_dispatch_external(const sdk_context_t *context, const sdk_operation_t *operation);

/* ---- Launches that count their kernels: HIP's graphs ---- */

/* A launch under way; on the launching function's stack. */
typedef struct sdk_launch {
    struct sdk_launch *outer; /* the launch around this one, by a host function */
    uint64_t kernels;
    rocprofiler_agent_id_t agent; /* of the first kernel; handle 0: none yet */
} sdk_launch_t;

/* The launch in which the thread is; NULL: none whose kernels are counted. */
extern _Thread_local sdk_launch_t *sdk_launch __attribute__((tls_model("initial-exec")));

/* ---- Barrier packets: HIP's events ---- */

/* Who follows barrier packets. */
typedef struct sdk_barriers {
    sdk_domain_t domain; /* packets are looked at while a running context follows it */
    /* On the thread that writes a packet: is the barrier followed? */
    bool (*wants)(const void *packet);
    /* If so: the barrier, for the functions below; NULL when out of memory. */
    void *(*begin)(const void *packet, rocprofiler_agent_id_t agent, uint64_t queue);
    void (*submitted)(void *barrier);
    /* On the collector's thread: the GPU has processed the barrier, or its end will never be
     * seen. */
    void (*complete)(void *barrier, uint64_t start, uint64_t end);
    void (*lost)(void *barrier);
    /* A dispatch will complete this signal. Called only if sdk_signal_awaited(). */
    void (*signal_used)(hsa_signal_t signal);
} sdk_barriers_t;

extern const sdk_barriers_t *sdk_barriers; /* set when HSA starts; NULL: nobody */

/* How many of the follower's signals may be completed by packets that are still to come. */
extern _Atomic unsigned sdk_signals_awaited;

static inline bool sdk_signal_awaited(hsa_signal_t signal)
{
    return signal.handle && atomic_load_explicit(&sdk_signals_awaited, memory_order_relaxed);
}

#endif
