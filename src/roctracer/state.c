/* state.c - what is enabled: for each operation a callback and a pool.
 *
 * The tool's handlers read this state without a lock; all writes are under one lock. Functions that
 * remove a callback or a pool do not wait for handlers that are using it. */
#include "roctracer/internal.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* What a domain supports. SILENT: enabling it succeeds and has no effect. UNTRACED: enabling it
 * fails as not implemented. */
typedef enum { DOMAIN_NONE, DOMAIN_UNTRACED, DOMAIN_SILENT, DOMAIN_TRACED } ability_t;
static const struct {
    ability_t callbacks, records;
    uint32_t operations;
    const char *name;
} domains[ACTIVITY_DOMAIN_NUMBER] = {
    [ACTIVITY_DOMAIN_HSA_API] = {DOMAIN_TRACED, DOMAIN_TRACED, HSA_API_ID_NUMBER, "HSA_API"},
    [ACTIVITY_DOMAIN_HSA_OPS] = {DOMAIN_SILENT, DOMAIN_TRACED, HSA_OP_ID_NUMBER, "HSA_OPS"},
    [ACTIVITY_DOMAIN_HIP_OPS] = {DOMAIN_SILENT, DOMAIN_TRACED, 3, "HIP_OPS"},
    [ACTIVITY_DOMAIN_HIP_API] = {DOMAIN_TRACED, DOMAIN_TRACED, RTR_OPS, "HIP_API"},
    [ACTIVITY_DOMAIN_KFD_API] = {DOMAIN_NONE, DOMAIN_NONE, 0, "KFD_API"},
    [ACTIVITY_DOMAIN_EXT_API] = {DOMAIN_SILENT, DOMAIN_SILENT, 2, "EXT_API"},
    [ACTIVITY_DOMAIN_ROCTX] = {DOMAIN_TRACED, DOMAIN_TRACED, 5, "ROCTX"},
    [ACTIVITY_DOMAIN_HSA_EVT] = {DOMAIN_TRACED, DOMAIN_UNTRACED, HSA_EVT_ID_NUMBER, "HSA_EVT"},
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static rtr_op_t operations[ACTIVITY_DOMAIN_NUMBER][RTR_OPS];
static bool stopped;
static roctracer_ext_properties_t ext_properties;
static __thread char message[256];

roctracer_status_t rtr_error(roctracer_status_t status, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vsnprintf(message, sizeof message, format, values);
    va_end(values);
    return status;
}

RTR_API const char *roctracer_error_string(void)
{
    return strdup(message);
}

const rtr_op_t *rtr_operation(uint32_t domain, uint32_t op)
{
    return domain < ACTIVITY_DOMAIN_NUMBER && op < RTR_OPS ? &operations[domain][op] : NULL;
}

static bool wanted(uint32_t domain)
{
    for (uint32_t op = 0; op < domains[domain].operations; op++)
        if (operations[domain][op].hook || operations[domain][op].pool) return true;
    return false;
}

void rtr_follow(void)
{
    pthread_mutex_lock(&lock);
    rtr_wishes_t wishes = {
        .calls = !stopped && wanted(ACTIVITY_DOMAIN_HIP_API),
        .hsa_calls = !stopped && wanted(ACTIVITY_DOMAIN_HSA_API),
        .events = !stopped && wanted(ACTIVITY_DOMAIN_HSA_EVT),
        .submits = !stopped && operations[ACTIVITY_DOMAIN_HSA_EVT][HSA_EVT_ID_SUBMIT].hook,
        .operations =
            !stopped && (wanted(ACTIVITY_DOMAIN_HIP_OPS) || wanted(ACTIVITY_DOMAIN_HSA_OPS)),
        .marks = wanted(ACTIVITY_DOMAIN_ROCTX),
    };
    rtr_apply(&wishes);
    pthread_mutex_unlock(&lock);
}

void rtr_forget_pool(const rtr_pool_t *pool)
{
    pthread_mutex_lock(&lock);
    for (uint32_t domain = 0; domain < ACTIVITY_DOMAIN_NUMBER; domain++)
        for (uint32_t op = 0; op < RTR_OPS; op++)
            if (operations[domain][op].pool == pool)
                __atomic_store_n(&operations[domain][op].pool, NULL, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&lock);
    rtr_follow();
}

/* Checks whether the domain supports the request, for operation `op` or for all operations. */
static roctracer_status_t check(uint32_t domain, uint32_t op, bool all, bool records)
{
    ability_t ability = DOMAIN_NONE;
    if (domain < ACTIVITY_DOMAIN_NUMBER)
        ability = records ? domains[domain].records : domains[domain].callbacks;
    if (ability == DOMAIN_NONE)
        return rtr_error(ROCTRACER_STATUS_ERROR_INVALID_DOMAIN_ID, "invalid domain ID (%u)",
                         domain);
    if (!all && op >= domains[domain].operations)
        return rtr_error(ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT,
                         "operation %u of domain %s is not below %u", op, domains[domain].name,
                         domains[domain].operations);
    if (ability == DOMAIN_UNTRACED)
        return rtr_error(ROCTRACER_STATUS_ERROR_NOT_IMPLEMENTED, "domain %s is not traced",
                         domains[domain].name);
    return ROCTRACER_STATUS_SUCCESS;
}

static bool keeps(uint32_t domain, bool records)
{
    return (records ? domains[domain].records : domains[domain].callbacks) == DOMAIN_TRACED;
}

/* Returns the hook of this callback and argument, which is made if there is none; NULL without
 * memory. To be called under the lock. */
static const rtr_hook_t *find_hook(activity_rtapi_callback_t callback, void *arg)
{
    static const rtr_hook_t *hooks;
    for (const rtr_hook_t *h = hooks; h; h = h->next)
        if (h->callback == callback && h->arg == arg) return h;
    rtr_hook_t *made = malloc(sizeof *made);
    if (!made) return NULL;
    *made = (rtr_hook_t){callback, arg, hooks};
    return hooks = made;
}

/* The operations [first, last) of a domain. */
typedef struct {
    uint32_t domain, first, last;
} range_t;

static range_t range_of(uint32_t domain, uint32_t op, bool all)
{
    return (range_t){domain, all ? 0 : op, all ? domains[domain].operations : op + 1};
}

static roctracer_status_t callbacks(uint32_t domain, uint32_t op, bool all,
                                    activity_rtapi_callback_t callback, void *arg)
{
    roctracer_status_t status = check(domain, op, all, false);
    if (status != ROCTRACER_STATUS_SUCCESS || !keeps(domain, false)) return status;
    range_t range = range_of(domain, op, all);
    if (callback && domain == ACTIVITY_DOMAIN_HIP_API) rtr_hip_names();
    pthread_mutex_lock(&lock);
    const rtr_hook_t *hook = callback ? find_hook(callback, arg) : NULL;
    bool found = hook || !callback;
    for (uint32_t i = range.first; found && i < range.last; i++)
        __atomic_store_n(&operations[domain][i].hook, hook, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&lock);
    if (!found) return rtr_error(ROCTRACER_STATUS_ERROR, "no memory for a callback");
    rtr_follow();
    return ROCTRACER_STATUS_SUCCESS;
}

static roctracer_status_t no_callback(void)
{
    return rtr_error(ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT, "the callback is null");
}

RTR_API roctracer_status_t roctracer_enable_op_callback(activity_domain_t domain, uint32_t op,
                                                        activity_rtapi_callback_t callback,
                                                        void *arg)
{
    return callback ? callbacks(domain, op, false, callback, arg) : no_callback();
}

RTR_API roctracer_status_t roctracer_enable_domain_callback(activity_domain_t domain,
                                                            activity_rtapi_callback_t callback,
                                                            void *arg)
{
    return callback ? callbacks(domain, 0, true, callback, arg) : no_callback();
}

RTR_API roctracer_status_t roctracer_disable_op_callback(activity_domain_t domain, uint32_t op)
{
    return callbacks(domain, op, false, NULL, NULL);
}

RTR_API roctracer_status_t roctracer_disable_domain_callback(activity_domain_t domain)
{
    return callbacks(domain, 0, true, NULL, NULL);
}

static void set_pool(range_t range, rtr_pool_t *pool)
{
    pthread_mutex_lock(&lock);
    for (uint32_t i = range.first; i < range.last; i++)
        __atomic_store_n(&operations[range.domain][i].pool, pool, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&lock);
    rtr_follow();
}

static roctracer_status_t enable_records(uint32_t domain, uint32_t op, bool all,
                                         roctracer_pool_t *pool)
{
    roctracer_status_t status = check(domain, op, all, true);
    if (status != ROCTRACER_STATUS_SUCCESS) return status;
    rtr_pool_t *held = rtr_hold(pool);
    if (!held)
        return rtr_error(ROCTRACER_STATUS_ERROR_DEFAULT_POOL_UNDEFINED, "no default pool is open");
    if (domain == ACTIVITY_DOMAIN_HIP_API) rtr_hip_names();
    if (keeps(domain, true)) set_pool(range_of(domain, op, all), held);
    rtr_release(held);
    return ROCTRACER_STATUS_SUCCESS;
}

RTR_API roctracer_status_t roctracer_enable_op_activity_expl(activity_domain_t domain, uint32_t op,
                                                             roctracer_pool_t *pool)
{
    return enable_records(domain, op, false, pool);
}

RTR_API roctracer_status_t roctracer_enable_op_activity(activity_domain_t domain, uint32_t op)
{
    return enable_records(domain, op, false, NULL);
}

RTR_API roctracer_status_t roctracer_enable_domain_activity_expl(activity_domain_t domain,
                                                                 roctracer_pool_t *pool)
{
    return enable_records(domain, 0, true, pool);
}

RTR_API roctracer_status_t roctracer_enable_domain_activity(activity_domain_t domain)
{
    return enable_records(domain, 0, true, NULL);
}

static roctracer_status_t disable_records(uint32_t domain, uint32_t op, bool all)
{
    roctracer_status_t status = check(domain, op, all, true);
    if (status == ROCTRACER_STATUS_SUCCESS && keeps(domain, true))
        set_pool(range_of(domain, op, all), NULL);
    return status;
}

RTR_API roctracer_status_t roctracer_disable_op_activity(activity_domain_t domain, uint32_t op)
{
    return disable_records(domain, op, false);
}

RTR_API roctracer_status_t roctracer_disable_domain_activity(activity_domain_t domain)
{
    return disable_records(domain, 0, true);
}

RTR_API roctracer_status_t roctracer_set_properties(roctracer_domain_t domain, void *properties)
{
    if (domain >= ACTIVITY_DOMAIN_NUMBER || domain == ACTIVITY_DOMAIN_KFD_API ||
        domain == ACTIVITY_DOMAIN_ROCTX)
        return rtr_error(ROCTRACER_STATUS_ERROR_INVALID_DOMAIN_ID, "invalid domain ID (%u)",
                         domain);
    if (domain == ACTIVITY_DOMAIN_EXT_API) {
        if (!properties)
            return rtr_error(ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT, "the properties are null");
        pthread_mutex_lock(&lock);
        ext_properties = *(const roctracer_ext_properties_t *)properties;
        pthread_mutex_unlock(&lock);
    }
    return ROCTRACER_STATUS_SUCCESS;
}

static void set_stopped(bool stop)
{
    pthread_mutex_lock(&lock);
    bool changes = stopped != stop;
    stopped = stop;
    roctracer_ext_properties_t told = ext_properties;
    pthread_mutex_unlock(&lock);
    if (!changes) return;
    rtr_follow();
    if (stop ? !told.stop_cb : !told.start_cb) return;
    if (stop)
        told.stop_cb();
    else
        told.start_cb();
}

RTR_API void roctracer_start(void)
{
    set_stopped(false);
}

RTR_API void roctracer_stop(void)
{
    set_stopped(true);
}
