/* dispatch.h - what services do around a kernel dispatch. Dispatch tracing, counters, thread trace,
 * PC sampling, HIP's graphs and HIP's events work together through this interface and do not
 * include each other.
 *
 * A service that measures dispatches has a probe, at one of three places. Dispatch tracing
 * (kernel_dispatch/), which sees all packets, calls the probes:
 *
 *     at the launch      begin(), in the order of the places, inside the ENQUEUE callbacks
 *     in the queue       AROUND's packets, INSIDE's packets, the dispatch, INSIDE's, AROUND's
 *     while it runs      its MARK says to which dispatch samples belong
 *     when it is over    complete(), in the order of the places
 *                        the COMPLETE callbacks and records
 *                        over(), in the order of the places; then the correlation id is released
 *
 * The packets of the counters are the inner ones, so that the counters do not count the work of the
 * trace's packets. If the dispatch runs several times, each run has its INSIDE packets, and the
 * last run has the trace's, too (hsax_wrap_t). */
#ifndef CROCPROF_SDK_DISPATCH_H
#define CROCPROF_SDK_DISPATCH_H

#include "hsa/queues.h"
#include "sdk/core/context.h"

typedef enum {
    SDK_PROBE_INSIDE, /* packets directly around the dispatch */
    SDK_PROBE_AROUND, /* packets around those of INSIDE */
    SDK_PROBE_MARK,   /* no packets, but a note of where in the queue the dispatch is */
    SDK_PROBES
} sdk_probe_place_t;

/* A dispatch from its launch to its end. */
typedef struct {
    rocprofiler_callback_tracing_kernel_dispatch_data_t data; /* its times are set at the end */
    hsax_item_t *item;
    uint64_t queue;
    sdk_reference_t *reference; /* reference to its correlation id; over() may take the reference
                                 * and set this to NULL */
    hsax_mark_t mark;
    void *held[SDK_PROBES]; /* result of begin(); NULL: not measured at this place */
} sdk_dispatch_t;

typedef struct sdk_probe {
    sdk_probe_place_t place;
    /* The probe puts packets around dispatches: only around those with room for packets
     * (hsax_item_t.special), and while the probe is running, kernels run one at a time. */
    bool wraps;
    /* Returns the object that measures the agent; NULL if there is none. If this function is NULL,
     * the object is the running value. */
    void *(*of_agent)(hsa_agent_t agent);
    /* Lets the tool decide whether to measure the dispatch, whose operation has begun, and sets the
     * fields of d->item that the probe needs. `service` is the result of of_agent(), or the running
     * value. Returns NULL if the dispatch is not measured. Runs on the thread that launches. */
    void *(*begin)(void *service, sdk_dispatch_t *d, const sdk_operation_t *operation);
    /* These run on the collector's thread; each may be NULL. lost: the end of the dispatch will
     * never be seen. */
    void (*complete)(void *held, const sdk_dispatch_t *d);
    void (*over)(void *held, sdk_dispatch_t *d);
    void (*lost)(void *held);
    const char *lost_text; /* message about the number of lost dispatches, written at the end; or
                            * NULL */
    /* For a MARK, see hsax_dispatch_client_t. */
    void (*placed)(const hsax_mark_t *mark, const hsa_queue_t *queue, uint64_t packet);
} sdk_probe_t;

/* The probe at each place, set when HSA starts, before the first dispatch. NULL: no service has a
 * probe there. */
extern const sdk_probe_t *sdk_probes[SDK_PROBES];

/* 0 while the probe has nothing to measure. The probe's service sets it when contexts start and
 * stop: to a pointer to the running service, or to the number of its sessions that are running. */
extern _Atomic uintptr_t sdk_probe_running[SDK_PROBES];

static inline uintptr_t sdk_probe_value(sdk_probe_place_t place)
{
    return atomic_load_explicit(&sdk_probe_running[place], memory_order_acquire);
}

static inline void sdk_probe_run(sdk_probe_place_t place, const void *service)
{
    atomic_store_explicit(&sdk_probe_running[place], (uintptr_t)service, memory_order_release);
}

/* Returns whether any probe is running, or any that wraps. */
static inline bool sdk_probes_running(void)
{
    return sdk_probe_value(SDK_PROBE_INSIDE) || sdk_probe_value(SDK_PROBE_AROUND) ||
           sdk_probe_value(SDK_PROBE_MARK);
}
bool sdk_probes_wrap(void);

/* Fills in the objects that measure the dispatch, by place; returns false if there is none. */
bool sdk_probes_choose(const hsax_item_t *item, void *services[SDK_PROBES]);
/* Calls begin() of all of these; returns true if at least one of them measures the dispatch.
 * d->held must be zero. */
bool sdk_probes_begin(void *const services[SDK_PROBES], sdk_dispatch_t *d,
                      const sdk_operation_t *operation);
/* Calls complete() of the probes that measure the dispatch. */
void sdk_probes_complete(const sdk_dispatch_t *d);
void sdk_probes_over(sdk_dispatch_t *d);
void sdk_probes_lost(const sdk_dispatch_t *d);
/* Reports how many dispatches were lost. */
void sdk_probes_tell_lost(void);

/* The plan for dispatches that no context follows but that are measured: it gives them correlation
 * ids. */
extern const sdk_plan_t sdk_measured_plan;

/* Returns the context's external id for a dispatch that has begun. */
uint64_t sdk_dispatch_external(const sdk_context_t *context, const sdk_operation_t *operation);

/* ---- Launches that count their kernels: HIP's graphs ---- */

/* A launch that has not returned yet; on the launching function's stack. */
typedef struct sdk_launch {
    struct sdk_launch *outer; /* the launch that encloses this one, if a host function of that one
                               * has launched it */
    uint64_t kernels;
    rocprofiler_agent_id_t agent; /* agent of the first kernel; handle 0: no kernel yet */
} sdk_launch_t;

/* The launch in which the thread is; NULL: the thread is in no launch whose kernels are counted. */
extern _Thread_local sdk_launch_t *sdk_launch __attribute__((tls_model("initial-exec")));

/* ---- Barrier packets: HIP's events ---- */

/* The service that follows barrier packets. */
typedef struct sdk_barriers {
    sdk_domain_t domain; /* packets are examined while a running context follows this domain */
    /* Whether the barrier is followed. Runs on the thread that writes the packet. */
    bool (*wants)(const void *packet);
    /* Returns the service's object for such a barrier, for the functions below; NULL when out of
     * memory. */
    void *(*begin)(const void *packet, rocprofiler_agent_id_t agent, uint64_t queue);
    void (*submitted)(void *barrier);
    /* Run on the collector's thread: the GPU has processed the barrier, or its end will never be
     * seen. */
    void (*complete)(void *barrier, uint64_t start, uint64_t end);
    void (*lost)(void *barrier);
    /* A dispatch will complete this signal. This is called only if sdk_signal_awaited(). */
    void (*signal_used)(hsa_signal_t signal);
} sdk_barriers_t;

extern const sdk_barriers_t *sdk_barriers; /* set when HSA starts; NULL: no service follows
                                            * barriers */

/* How many signals that the service waits for may be completed by packets that are still to
 * come. */
extern _Atomic unsigned sdk_signals_awaited;

static inline bool sdk_signal_awaited(hsa_signal_t signal)
{
    return signal.handle && atomic_load_explicit(&sdk_signals_awaited, memory_order_relaxed);
}

#endif
