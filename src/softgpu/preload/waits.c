/* waits.c - an hsa_signal_wait_scacquire() that sleeps until softgpu has signalled.
 *
 * HIP asks the runtime to poll for as long as a kernel or a copy takes: a real GPU works meanwhile,
 * but softgpu works on the same processors, and a thread that polls keeps one from it. How to wait
 * is a hint, so the program gets the same result. */
#include "base/look_up.h"
#include "softgpu/preload/redirect.h"

#include <hsa/hsa.h>

#include <string.h>

/* 100 ms on the runtime's clock. A kernel may store into a signal without the interrupt that wakes
 * a thread which sleeps, and a program that polls would see that. */
static const uint64_t most_at_once = 100000000;

typedef hsa_signal_value_t (*wait_t)(hsa_signal_t, hsa_signal_condition_t, hsa_signal_value_t,
                                     uint64_t, hsa_wait_state_t);

static bool holds(hsa_signal_condition_t condition, hsa_signal_value_t is, hsa_signal_value_t value)
{
    switch (condition) {
    case HSA_SIGNAL_CONDITION_EQ: return is == value;
    case HSA_SIGNAL_CONDITION_NE: return is != value;
    case HSA_SIGNAL_CONDITION_LT: return is < value;
    case HSA_SIGNAL_CONDITION_GTE: return is >= value;
    }
    return true;
}

__attribute__((visibility("default"))) hsa_signal_value_t
hsa_signal_wait_scacquire(hsa_signal_t signal, hsa_signal_condition_t condition,
                          hsa_signal_value_t value, uint64_t timeout, hsa_wait_state_t how)
{
    static _Atomic(void *) next;
    void *const found = base_next_definition(&next, "hsa_signal_wait_scacquire");
    wait_t wait;
    if (!found) return 0; /* without the runtime there are no signals */
    memcpy(&wait, &found, sizeof wait);
    if (how != HSA_WAIT_STATE_ACTIVE || !redirect_in_use())
        return wait(signal, condition, value, timeout, how);
    for (;;) {
        const uint64_t part = timeout < most_at_once ? timeout : most_at_once;
        const hsa_signal_value_t is = wait(signal, condition, value, part, HSA_WAIT_STATE_BLOCKED);
        if (part == timeout || holds(condition, is, value)) return is;
        if (timeout != UINT64_MAX) timeout -= part;
    }
}
