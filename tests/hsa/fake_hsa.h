/* fake_hsa.h - an HSA runtime of a few functions, for tests of src/hsa without a GPU.
 *
 * Queues are intercept queues whose "GPU" is one thread: it completes dispatches, barriers and
 * copies in order, at once, or only when the test says so. Timestamps are fake: start 1000 * n and
 * end 1000 * n + 500 for the n-th piece of work. */
#ifndef FAKE_HSA_H
#define FAKE_HSA_H

#include "hsa/tables/tables.h"

#include <hsa/amd_hsa_signal.h>

#define FAKE_CPU ((hsa_agent_t){0x1000})
#define FAKE_GPU ((hsa_agent_t){0x2000})

/* A fresh table as the runtime hands it over; `old`: the layout of ROCr 1.5. */
hsax_api_table_t *fake_table(bool old);

/* What a program does: calls through the table. */
extern hsax_api_table_t *fake_current;
hsa_queue_t *fake_queue_create(uint32_t size);
hsa_queue_t *fake_cooperative_queue_create(uint32_t size);
void fake_queue_destroy(hsa_queue_t *queue);

/* How often an intercept queue was made over the agent's own queue for cooperative launches, and
 * how often that was freed below the runtime, which frees it itself at its end. */
extern unsigned fake_agents_queue_wraps, fake_agents_queue_frees, fake_agents_queue_shares;

/* Puts packets of 64 bytes on a queue and rings. */
void fake_submit(hsa_queue_t *queue, const void *packets, uint64_t count);

/* How often the handler called the writer for the last submission. ROCr 5 crashes at two. */
extern _Thread_local unsigned fake_writes;

/* What arrived on the queue's hardware side, in order. */
uint64_t fake_received(hsa_queue_t *queue);
const unsigned char *fake_packet(hsa_queue_t *queue, uint64_t index);

hsa_signal_t fake_signal(hsa_signal_value_t value);
int64_t fake_signal_value(hsa_signal_t signal);
static inline amd_signal_t *fake_block(hsa_signal_t signal)
{
    return (amd_signal_t *)(uintptr_t)signal.handle;
}

/* While held, the GPU completes nothing by itself. */
void fake_gpu_hold(bool hold);

/* Completes one piece of work by hand: timestamps, then the decrement. */
void fake_complete(hsa_signal_t signal, uint64_t start, uint64_t end);

/* Stamp work with CLOCK_BOOTTIME instead; each lasts 1 us. */
extern bool fake_real_time;

/* Signals that exist now. */
long fake_signals_alive(void);

/* Makes the next copies fail. */
extern hsa_status_t fake_copy_status;

/* The signal that the last copy was given. */
extern hsa_signal_t fake_copy_signal;

/* Code objects of every executable: one, with `fake_kernels` kernels. */
extern unsigned fake_kernels;

#endif
