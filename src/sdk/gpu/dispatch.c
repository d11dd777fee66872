/* dispatch.c - see dispatch.h: calls the probes around a dispatch, place by place.
 *
 * It is apart from dispatch tracing because the order of the probes belongs to no service. It runs
 * only for dispatches that are measured. */
#include "sdk/gpu/dispatch.h"

#include "base/log.h"

const sdk_probe_t *sdk_probes[SDK_PROBES];
_Alignas(64) _Atomic uintptr_t sdk_probe_running[SDK_PROBES];
_Thread_local sdk_launch_t *sdk_launch __attribute__((tls_model("initial-exec")));
const sdk_barriers_t *sdk_barriers;
_Atomic unsigned sdk_signals_awaited;

static atomic_uint_fast64_t lost_count[SDK_PROBES];

const sdk_plan_t sdk_measured_plan = {
    .domain = SDK_DOMAIN_KERNEL_DISPATCH,
    .operation = ROCPROFILER_KERNEL_DISPATCH_COMPLETE,
    .request_kind = ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_KERNEL_DISPATCH,
};

/* A context that also follows dispatches has supplied the id already. */
uint64_t sdk_dispatch_external(const sdk_context_t *context, const sdk_operation_t *operation)
{
    const sdk_plan_t *plan = operation->plan;
    for (unsigned i = 0; i < plan->callback_count; i++)
        if (plan->callbacks[i].context == context) return operation->callback_external[i].value;
    for (unsigned i = 0; i < plan->buffer_count; i++)
        if (plan->buffers[i].context == context) return operation->buffer_external[i].value;
    sdk_thread_t *self = sdk_thread_self();
    if (!self) return 0;
    if (context->request && sdk_external_asks(context, &sdk_measured_plan))
        return sdk_external_ask(self, context, &sdk_measured_plan, operation->internal);
    return sdk_external(self, context);
}

bool sdk_probes_wrap(void)
{
    for (unsigned p = 0; p < SDK_PROBES; p++)
        if (sdk_probe_value(p) && sdk_probes[p]->wraps) return true;
    return false;
}

bool sdk_probes_choose(const hsax_item_t *item, void *services[SDK_PROBES])
{
    bool any = false;
    for (unsigned p = 0; p < SDK_PROBES; p++) {
        const uintptr_t running = sdk_probe_value(p);
        services[p] = NULL;
        if (!running || (sdk_probes[p]->wraps && !item->special)) continue;
        services[p] = sdk_probes[p]->of_agent ? sdk_probes[p]->of_agent(hsax_lane_agent(item->lane))
                                              : (void *)running;
        any |= services[p] != NULL;
    }
    return any;
}

bool sdk_probes_begin(void *const services[SDK_PROBES], sdk_dispatch_t *d,
                      const sdk_operation_t *operation)
{
    bool any = false;
    for (unsigned p = 0; p < SDK_PROBES; p++) {
        if (services[p]) d->held[p] = sdk_probes[p]->begin(services[p], d, operation);
        any |= d->held[p] != NULL;
    }
    return any;
}

void sdk_probes_complete(const sdk_dispatch_t *d)
{
    for (unsigned p = 0; p < SDK_PROBES; p++)
        if (d->held[p] && sdk_probes[p]->complete) sdk_probes[p]->complete(d->held[p], d);
}

void sdk_probes_over(sdk_dispatch_t *d)
{
    for (unsigned p = 0; p < SDK_PROBES; p++)
        if (d->held[p] && sdk_probes[p]->over) sdk_probes[p]->over(d->held[p], d);
}

void sdk_probes_lost(const sdk_dispatch_t *d)
{
    for (unsigned p = 0; p < SDK_PROBES; p++) {
        if (!d->held[p] || !sdk_probes[p]->lost) continue;
        atomic_fetch_add(&lost_count[p], 1);
        sdk_probes[p]->lost(d->held[p]);
    }
}

void sdk_probes_tell_lost(void)
{
    for (unsigned p = 0; p < SDK_PROBES; p++)
        if (sdk_probes[p] && sdk_probes[p]->lost_text && atomic_load(&lost_count[p]))
            base_warning("%llu %s", (unsigned long long)atomic_load(&lost_count[p]),
                         sdk_probes[p]->lost_text);
}
