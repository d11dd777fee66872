/* signal.c - HSA signals: a value in memory, and an event of the driver that the GPU raises when it
 * changes the value.
 *
 * The layout is AMD's amd_signal_t. The program may free a signal as soon as it sees the value that
 * it waits for, so everything needed later is read before the value is written. */
#include "softgpu/device/futex.h"
#include "softgpu/device/internal.h"

#include <hsa/amd_hsa_signal.h>

enum {
    PARTIAL_ID_BITS = 8, /* bits of an event id that s_sendmsg carries on gfx9 */
    EVENT_IDS = 4096     /* slots of the driver's event page */
};

typedef struct {
    uint64_t mailbox;
    uint32_t id;
} event_t;

static amd_signal_t *signal_at(const sg_device_t *d, uint64_t va)
{
    return SG_OBJECT_AT(d, va, amd_signal_t, SG_MEM_WRITABLE);
}

void sg_device_stir(sg_device_t *d)
{
    atomic_fetch_add(&d->activity, 1);
    if (atomic_load(&d->activity_waiters)) sg_futex_wake(&d->activity, SG_FUTEX_ALL);
}

static void raise_event(sg_device_t *d, uint32_t id)
{
    d->ops.raise_event(d->ops.user, id);
}

void sg_signal_interrupt(sg_device_t *d, uint32_t context)
{
    if (context >> PARTIAL_ID_BITS) {
        raise_event(d, context);
        return;
    }
    for (uint32_t id = context; id < EVENT_IDS; id += 1u << PARTIAL_ID_BITS)
        if (id) raise_event(d, id);
}

static void notify(sg_device_t *d, const event_t *event)
{
    if (event->mailbox) {
        uint64_t *box = SG_OBJECT_AT(d, event->mailbox, uint64_t, SG_MEM_WRITABLE);
        if (box) __atomic_store_n(box, (uint64_t)event->id, __ATOMIC_RELEASE);
        raise_event(d, event->id);
    }
    sg_device_stir(d);
}

bool sg_signal_complete(sg_queue_t *q, const sg_run_t *run, uint64_t va, bool profiled,
                        uint64_t start, uint64_t end)
{
    sg_device_t *d = q->device;
    amd_signal_t *s = signal_at(d, va);
    if (!s) return false;
    event_t event = {s->event_mailbox_ptr, s->event_id};
    if (profiled) {
        s->start_ts = start;
        s->end_ts = end;
    }
    int64_t *value = (int64_t *)&s->value;
    const uint64_t value_va = va + offsetof(amd_signal_t, value);
    if (q->order)
        chk_order_change_begin(q->order, run ? run->check.serial : 0, value_va,
                               __atomic_load_n(value, __ATOMIC_SEQ_CST));
    const int64_t old = __atomic_fetch_sub(value, 1, __ATOMIC_SEQ_CST);
    chk_order_change_end(q->order, value_va, old - 1);
    notify(d, &event);
    return true;
}

bool sg_signal_store(sg_device_t *d, uint64_t va, int64_t value)
{
    amd_signal_t *s = signal_at(d, va);
    if (!s) return false;
    event_t event = {s->event_mailbox_ptr, s->event_id};
    __atomic_store_n((int64_t *)&s->value, value, __ATOMIC_SEQ_CST);
    notify(d, &event);
    return true;
}

bool sg_signal_load(sg_device_t *d, uint64_t va, int64_t *value)
{
    amd_signal_t *s = signal_at(d, va);
    if (!s) return false;
    *value = __atomic_load_n((int64_t *)&s->value, __ATOMIC_ACQUIRE);
    return true;
}
