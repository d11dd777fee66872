/* futex.h - sleeping on a word and waking, for the threads of the device, within the process.
 *
 * A wait may return for any reason (the value differs, a wake, a time-out, a signal): callers check
 * their condition again.
 *
 * The rule, for every sleep of the device:
 *   the sleeper  reads the word, then checks every reason not to sleep (work, room, an answer, its
 *                own end), then waits on the value that it has read;
 *   the waker    makes a reason true, then changes the word, then wakes.
 * A reason that is checked before the word is read may become true in between. The sleeper then
 * reads the new word, after the wake, and sleeps for ever. The same happens if a thread makes a
 * reason true (by freeing room as well as by adding work) without a wake. A waker may skip the wake
 * if a counter of sleepers is 0: the counter is raised before the wait and read after the word has
 * changed, all of it seq_cst. If a reason can become true without a waker (by a store of the
 * program), the wait needs a time-out. */
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

/* Changes the word and wakes all its sleepers. The word must outlive the call. */
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
