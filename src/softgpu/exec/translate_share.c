/* translate_share.c - whether a translation pays for itself: translating may take a share of the
 * time for which threads have run waves.
 *
 * Each thread keeps its own times, so that no two threads write the same cache line. */
#include "softgpu/exec/translate_internal.h"

#include <stdlib.h>
#include <time.h>

typedef isa_translate_counts_t counts_t;

enum { FIRST_MS = 150 /* what the first translation takes, for which LLVM is loaded */ };

static _Atomic(counts_t *) all_counts;
static _Thread_local counts_t *own_counts;

static _Atomic(uint32_t) share; /* percent; 0: translating may take any time */
/* Microseconds that all translating has taken, and what is to be expected of the next translation.
 */
static _Atomic(uint64_t) spent_e6, next_e6 = FIRST_MS * UINT64_C(1000);

counts_t *isa_translate_counts(void)
{
    if (own_counts) return own_counts;
    counts_t *c = calloc(1, sizeof *c);
    if (!c) return NULL;
    c->next = atomic_load(&all_counts);
    while (!atomic_compare_exchange_weak(&all_counts, &c->next, c)) {
    }
    return own_counts = c;
}

const counts_t *isa_translate_all_counts(void)
{
    return atomic_load(&all_counts);
}

void isa_translate_share(uint32_t percent)
{
    atomic_store(&share, percent);
}

uint64_t isa_share_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

uint64_t isa_share_spent(void)
{
    return atomic_load(&spent_e6);
}

void isa_share_add(uint64_t microseconds)
{
    atomic_fetch_add(&spent_e6, microseconds);
}

void isa_share_spend(uint64_t begin)
{
    const uint64_t took = isa_share_now() - begin;
    counts_t *own = isa_translate_counts();
    isa_share_add(took);
    if (own) isa_translate_add(&own->translating_e6, took);
}

void isa_share_expect(uint64_t translations)
{
    atomic_store(&next_e6, isa_share_spent() / translations);
}

/* How long the threads that run waves have worked, but for translating, as far as it is known: a
 * thread writes its time when it comes to hot code, as the caller does. */
static uint64_t worked_e6(void)
{
    counts_t *own = isa_translate_counts();
    uint64_t sum = 0;
    if (own)
        atomic_store_explicit(&own->worked_e6, isa_share_now() - atomic_load(&own->translating_e6),
                              memory_order_relaxed);
    for (const counts_t *c = isa_translate_all_counts(); c; c = c->next)
        sum += atomic_load_explicit(&c->worked_e6, memory_order_relaxed);
    return sum;
}

bool isa_share_allows(void)
{
    const uint64_t percent = atomic_load_explicit(&share, memory_order_relaxed);
    return !percent || 100 * (isa_share_spent() + atomic_load(&next_e6)) <= percent * worked_e6();
}
