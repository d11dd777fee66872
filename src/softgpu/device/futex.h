/* futex.h - sleeping on a word and waking its sleepers, private to the process.
 *
 * Apart because command processors, workers and the doorbell watch all sleep this way. Waits return
 * for any reason (value differs, woken, time-out, signal): callers look at the world again. */
#ifndef SOFTGPU_DEVICE_FUTEX_H
#define SOFTGPU_DEVICE_FUTEX_H

#include <limits.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { SG_FUTEX_ALL = INT_MAX };

/* Sleeps while *word == seen, at most timeout_ns (0 = for ever). */
static inline void sg_futex_wait(_Atomic uint32_t *word, uint32_t seen, uint64_t timeout_ns)
{
    struct timespec t = {.tv_sec = (time_t)(timeout_ns / 1000000000u),
                         .tv_nsec = (long)(timeout_ns % 1000000000u)};
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, seen, timeout_ns ? &t : NULL, NULL, 0);
}

static inline void sg_futex_wake(_Atomic uint32_t *word, int count)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0);
}

/* Changes the word and wakes everybody. The word must outlive the call. */
static inline void sg_futex_bump(_Atomic uint32_t *word)
{
    atomic_fetch_add_explicit(word, 1, memory_order_release);
    sg_futex_wake(word, SG_FUTEX_ALL);
}

static inline void sg_cpu_relax(void)
{
    __builtin_ia32_pause();
}

#endif
