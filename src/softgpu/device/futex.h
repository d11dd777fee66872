/* futex.h - how the threads of the device sleep on a word and are woken, within the process.
 *
 * A wait may return for any reason (value differs, woken, time-out, signal): callers check again.
 *
 * The rule, for every sleep of the device:
 *   the sleeper  reads the word, then checks every reason not to sleep (work, room, an answer, its
 *                own end), then waits on the value that it has read;
 *   the waker    makes a reason true, then changes the word, then wakes.
 * A reason checked before the word is read may become true in between. The sleeper then reads the
 * new word, after the wake, and sleeps for ever. The same happens if something makes a reason true
 * (freed room is one as much as new work) and wakes nobody. A waker may skip the wake if a counter
 * says that nobody sleeps: the counter goes up before the wait and is read after the word has
 * changed, all of it seq_cst. Where nobody announces a reason (a store of the program), the wait
 * needs a time-out. */
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
