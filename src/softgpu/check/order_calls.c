/* order_calls.c - the calls by which programs wait for signals, set them, and ring doorbells.
 *
 * Preloaded like those of calls.c: each calls the runtime's function and reports to the checker the
 * value that the program has read or set. A signal's handle is the address of AMD's
 * amd_signal_t. */
#include "softgpu/check/calls.h"

#include <hsa/amd_hsa_queue.h>
#include <hsa/amd_hsa_signal.h>
#include <hsa/hsa_ext_amd.h>
#include <hsa/hsa_ext_image.h>
#include <stdlib.h>

static const softgpu_order_api_t *order(void)
{
    const softgpu_check_api_t *a = api();
    return a ? a->order : NULL;
}

static amd_signal_t *at(hsa_signal_t signal)
{
    return (amd_signal_t *)(uintptr_t)signal.handle;
}

static uint64_t value_at(hsa_signal_t signal)
{
    return signal.handle + offsetof(amd_signal_t, value);
}

static void seen(hsa_signal_t signal, hsa_signal_value_t value, bool waited)
{
    const softgpu_order_api_t *o = order();
    if (o && signal.handle) o->seen(value_at(signal), value, waited);
}

static bool holds(hsa_signal_condition_t condition, hsa_signal_value_t value,
                  hsa_signal_value_t compare)
{
    switch (condition) {
    case HSA_SIGNAL_CONDITION_EQ: return value == compare;
    case HSA_SIGNAL_CONDITION_NE: return value != compare;
    case HSA_SIGNAL_CONDITION_LT: return value < compare;
    default: return value >= compare;
    }
}

/* ---- values that the program reads ---- */

#define LOADS(X) X(hsa_signal_load_relaxed) X(hsa_signal_load_scacquire) X(hsa_signal_load_acquire)

#define X(name)                                                                                    \
    EXPORT hsa_signal_value_t name(hsa_signal_t signal)                                            \
    {                                                                                              \
        NEXT(name);                                                                                \
        const hsa_signal_value_t value = next(signal);                                             \
        seen(signal, value, false);                                                                \
        return value;                                                                              \
    }
LOADS(X)
#undef X

#define WAITS(X) X(hsa_signal_wait_relaxed) X(hsa_signal_wait_scacquire) X(hsa_signal_wait_acquire)

#define X(name)                                                                                    \
    EXPORT hsa_signal_value_t name(hsa_signal_t signal, hsa_signal_condition_t condition,          \
                                   hsa_signal_value_t compare, uint64_t timeout,                   \
                                   hsa_wait_state_t how)                                           \
    {                                                                                              \
        NEXT(name);                                                                                \
        const hsa_signal_value_t value = next(signal, condition, compare, timeout, how);           \
        seen(signal, value, holds(condition, value, compare));                                     \
        return value;                                                                              \
    }
WAITS(X)
#undef X

EXPORT uint32_t hsa_amd_signal_wait_any(uint32_t n, hsa_signal_t *signals,
                                        hsa_signal_condition_t *conditions,
                                        hsa_signal_value_t *compare, uint64_t timeout,
                                        hsa_wait_state_t how, hsa_signal_value_t *value)
{
    hsa_signal_value_t found = 0;
    NEXT_OR(hsa_amd_signal_wait_any, UINT32_MAX);
    const uint32_t index = next(n, signals, conditions, compare, timeout, how, &found);
    if (index < n) {
        if (value) *value = found;
        seen(signals[index], found, true);
    }
    return index;
}

/* Some versions of HSA's headers do not declare this function. */
CALL(uint32_t, hsa_amd_signal_wait_all,
     (uint32_t n, hsa_signal_t *signals, hsa_signal_condition_t *conditions,
      hsa_signal_value_t *compare, uint64_t timeout, hsa_wait_state_t how,
      hsa_signal_value_t *values))
{
    NEXT_OR(hsa_amd_signal_wait_all, UINT32_MAX);
    const uint32_t status = next(n, signals, conditions, compare, timeout, how, values);
    for (uint32_t k = 0; order() && status != UINT32_MAX && k < n; k++)
        seen(signals[k], __atomic_load_n(&at(signals[k])->value, __ATOMIC_ACQUIRE), true);
    return status;
}

void calls_behind(uint32_t n, const void *signals, bool begins)
{
    const hsa_signal_t *all = signals;
    for (uint32_t k = 0; order() && all && k < n; k++)
        if (all[k].handle) {
            seen(all[k], __atomic_load_n(&at(all[k])->value, __ATOMIC_ACQUIRE), false);
            order()->looking(value_at(all[k]), begins);
        }
}

static uint64_t begin_of(const hsa_pitched_ptr_t *p, const hsa_dim3_t *at)
{
    return (uint64_t)(uintptr_t)p->base + at->z * p->slice + at->y * p->pitch + at->x;
}

static uint64_t extent_of(const hsa_pitched_ptr_t *p, const hsa_dim3_t *n)
{
    return n->x && n->y && n->z ? (n->z - 1) * p->slice + (n->y - 1) * p->pitch + n->x : 0;
}

/* Reports the copy that is given to a copy engine. */
static void moves(const hsa_pitched_ptr_t *to, const hsa_dim3_t *to_offset,
                  const hsa_pitched_ptr_t *from, const hsa_dim3_t *from_offset,
                  const hsa_dim3_t *range)
{
    const softgpu_check_api_t *a = api();
    if (!a || !a->moves || !to || !to_offset || !from || !from_offset || !range) return;
    a->moves(begin_of(to, to_offset), extent_of(to, range), begin_of(from, from_offset),
             extent_of(from, range), (uint64_t)range->x * range->y * range->z);
}

/* This function is not in calls_copies.c, since its ranges are not checked in the call: the
 * engine's accesses are. */
EXPORT hsa_status_t hsa_amd_memory_async_copy_rect(const hsa_pitched_ptr_t *to,
                                                   const hsa_dim3_t *to_offset,
                                                   const hsa_pitched_ptr_t *from,
                                                   const hsa_dim3_t *from_offset,
                                                   const hsa_dim3_t *range, hsa_agent_t agent,
                                                   hsa_amd_copy_direction_t direction, uint32_t n,
                                                   const hsa_signal_t *signals, hsa_signal_t signal)
{
    NEXT_OR(hsa_amd_memory_async_copy_rect, HSA_STATUS_ERROR);
    calls_behind(n, signals, true);
    moves(to, to_offset, from, from_offset, range);
    const hsa_status_t status =
        next(to, to_offset, from, from_offset, range, agent, direction, n, signals, signal);
    calls_behind(n, signals, false);
    return status;
}

/* ---- handlers that the runtime calls when a signal has its value ---- */

typedef struct {
    hsa_signal_t signal;
    hsa_amd_signal_handler handler;
    void *argument;
} handled_t;

static bool on_signal(hsa_signal_value_t value, void *argument)
{
    handled_t *h = argument;
    const softgpu_order_api_t *o = order();
    seen(h->signal, value, true);
    if (o) o->handling(value_at(h->signal), value);
    const bool again = h->handler(value, h->argument);
    if (o) o->handling(0, 0);
    if (!again) free(h);
    return again;
}

EXPORT hsa_status_t hsa_amd_signal_async_handler(hsa_signal_t signal,
                                                 hsa_signal_condition_t condition,
                                                 hsa_signal_value_t compare,
                                                 hsa_amd_signal_handler handler, void *argument)
{
    NEXT_OR(hsa_amd_signal_async_handler, HSA_STATUS_ERROR);
    handled_t *h = order() && handler && signal.handle ? malloc(sizeof *h) : NULL;
    if (!h) return next(signal, condition, compare, handler, argument);
    *h = (handled_t){signal, handler, argument};
    const hsa_status_t status = next(signal, condition, compare, on_signal, h);
    if (status != HSA_STATUS_SUCCESS) free(h);
    return status;
}

/* ---- values that the program sets ---- */

/* The value written to a doorbell is the index of a packet, and at most the last one that was
 * reserved. The type of a signal's queue has another name in newer headers of HSA, hence the void
 * pointer. */
static void ring(const softgpu_order_api_t *o, const void *queue, hsa_signal_value_t value)
{
    const amd_queue_t *q = queue;
    const uint64_t end = __atomic_load_n(&q->write_dispatch_id, __ATOMIC_ACQUIRE);
    if (!end || !q->hsa_queue.size) return;
    const uint64_t packet = (uint64_t)value < end ? (uint64_t)value : end - 1;
    o->rung((uint64_t)(uintptr_t)q, packet, q->hsa_queue.base_address, q->hsa_queue.size);
}

static void stored(hsa_signal_t signal, hsa_signal_value_t value)
{
    const softgpu_order_api_t *o = order();
    if (!o || !signal.handle) return;
    const amd_signal_t *s = at(signal);
    if (s->kind != AMD_SIGNAL_KIND_DOORBELL)
        o->stored(value_at(signal), value);
    else if (s->queue_ptr)
        ring(o, s->queue_ptr, value);
}

static void added(hsa_signal_t signal, hsa_signal_value_t more)
{
    const softgpu_order_api_t *o = order();
    if (!o || !signal.handle) return;
    o->added(value_at(signal), __atomic_load_n(&at(signal)->value, __ATOMIC_ACQUIRE), more);
}

/* X(name, the call of softgpu_order_api) */
#define SETS(X)                                                                                    \
    X(hsa_signal_store_relaxed, stored(signal, value))                                             \
    X(hsa_signal_store_screlease, stored(signal, value))                                           \
    X(hsa_signal_store_release, stored(signal, value))                                             \
    X(hsa_signal_silent_store_relaxed, stored(signal, value))                                      \
    X(hsa_signal_silent_store_screlease, stored(signal, value))                                    \
    X(hsa_signal_add_relaxed, added(signal, value))                                                \
    X(hsa_signal_add_scacquire, added(signal, value))                                              \
    X(hsa_signal_add_screlease, added(signal, value))                                              \
    X(hsa_signal_add_scacq_screl, added(signal, value))                                            \
    X(hsa_signal_subtract_relaxed, added(signal, -value))                                          \
    X(hsa_signal_subtract_scacquire, added(signal, -value))                                        \
    X(hsa_signal_subtract_screlease, added(signal, -value))                                        \
    X(hsa_signal_subtract_scacq_screl, added(signal, -value))

#define X(name, tell)                                                                              \
    EXPORT void name(hsa_signal_t signal, hsa_signal_value_t value)                                \
    {                                                                                              \
        NEXT_OR(name, );                                                                           \
        tell;                                                                                      \
        next(signal, value);                                                                       \
    }
SETS(X)
#undef X

/* ---- new signals ---- */

/* X(name, parameters, arguments) */
#define CREATES(X)                                                                                 \
    X(hsa_signal_create,                                                                           \
      (hsa_signal_value_t value, uint32_t n, const hsa_agent_t *consumers, hsa_signal_t *signal),  \
      (value, n, consumers, signal))                                                               \
    X(hsa_amd_signal_create,                                                                       \
      (hsa_signal_value_t value, uint32_t n, const hsa_agent_t *consumers, uint64_t attributes,    \
       hsa_signal_t *signal),                                                                      \
      (value, n, consumers, attributes, signal))

#define X(name, parameters, arguments)                                                             \
    EXPORT hsa_status_t name parameters                                                            \
    {                                                                                              \
        NEXT_OR(name, HSA_STATUS_ERROR);                                                           \
        const hsa_status_t status = next arguments;                                                \
        if (status == HSA_STATUS_SUCCESS) stored(*signal, value);                                  \
        return status;                                                                             \
    }
CREATES(X)
#undef X

/* ---- calls that wait for copies of their own, or for kernels ---- */

/* X(name, parameters, arguments) */
#define RETURNS(X)                                                                                 \
    X(hsa_executable_freeze, (hsa_executable_t executable, const char *options),                   \
      (executable, options))                                                                       \
    X(hsa_executable_load_agent_code_object,                                                       \
      (hsa_executable_t executable, hsa_agent_t agent, hsa_code_object_reader_t reader,            \
       const char *options, hsa_loaded_code_object_t *code),                                       \
      (executable, agent, reader, options, code))                                                  \
    X(hsa_ext_image_import,                                                                        \
      (hsa_agent_t agent, const void *from, size_t row, size_t slice, hsa_ext_image_t image,       \
       const hsa_ext_image_region_t *region),                                                      \
      (agent, from, row, slice, image, region))                                                    \
    X(hsa_ext_image_export,                                                                        \
      (hsa_agent_t agent, hsa_ext_image_t image, void *to, size_t row, size_t slice,               \
       const hsa_ext_image_region_t *region),                                                      \
      (agent, image, to, row, slice, region))                                                      \
    X(hsa_ext_image_copy,                                                                          \
      (hsa_agent_t agent, hsa_ext_image_t from, const hsa_dim3_t *from_offset, hsa_ext_image_t to, \
       const hsa_dim3_t *to_offset, const hsa_dim3_t *range),                                      \
      (agent, from, from_offset, to, to_offset, range))                                            \
    X(hsa_ext_image_clear,                                                                         \
      (hsa_agent_t agent, hsa_ext_image_t image, const void *colour,                               \
       const hsa_ext_image_region_t *region),                                                      \
      (agent, image, colour, region))

#define X(name, parameters, arguments)                                                             \
    EXPORT hsa_status_t name parameters                                                            \
    {                                                                                              \
        NEXT_OR(name, HSA_STATUS_ERROR);                                                           \
        const uint64_t number = called();                                                          \
        const hsa_status_t status = next arguments;                                                \
        returned(number);                                                                          \
        return status;                                                                             \
    }
RETURNS(X)
#undef X
