/* ranges.c - see ranges.h. */
#include "sdk/marker/ranges.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/grow.h"

/* Size of the hash table before it first grows. */
enum { CHAINS_FIRST = 64 };

typedef struct sdk_ranges {
    sdk_range_t **open;
    size_t depth, room; /* depth > room if there was no memory: the ranges above are not followed */
    sdk_range_t *free;
} sdk_ranges_t;

static _Atomic(sdk_range_t *) slots[SDK_RANGE_SLOTS];

/* Ranges whose slot was taken by another range: a hash table by number, with about as many chains
 * as ranges. */
static struct {
    pthread_mutex_t lock;
    sdk_range_t **chains;
    size_t size; /* a power of two */
    _Atomic size_t count;
    sdk_range_t *first[CHAINS_FIRST];
} others = {PTHREAD_MUTEX_INITIALIZER, others.first, CHAINS_FIRST, 0, {NULL}};

static sdk_ranges_t *ranges_of(sdk_thread_t *self)
{
    if (!self->ranges) self->ranges = calloc(1, sizeof *self->ranges);
    return self->ranges;
}

sdk_range_t *sdk_range_new(sdk_thread_t *self)
{
    sdk_ranges_t *ranges = ranges_of(self);
    if (!ranges) return NULL;
    sdk_range_t *range = ranges->free;
    if (!range) return calloc(1, sizeof *range);
    ranges->free = range->next;
    return range;
}

void sdk_range_recycle(sdk_thread_t *self, sdk_range_t *range)
{
    sdk_ranges_t *ranges = ranges_of(self);
    if (!ranges) return; /* without a list for the thread the range's memory cannot be used again */
    range->next = ranges->free;
    ranges->free = range;
}

static bool make_room(sdk_ranges_t *ranges)
{
    return ranges->depth <= ranges->room && BASE_GROW(ranges->open, ranges->depth, &ranges->room);
}

size_t sdk_ranges_push(sdk_thread_t *self)
{
    sdk_ranges_t *ranges = ranges_of(self);
    if (!ranges) return 0;
    bool room = make_room(ranges);
    size_t at = ranges->depth++;
    if (!room) return 0;
    ranges->open[at] = NULL;
    return at + 1;
}

void sdk_ranges_set(sdk_thread_t *self, size_t place, sdk_range_t *range)
{
    self->ranges->open[place - 1] = range;
}

sdk_range_t *sdk_ranges_pop(sdk_thread_t *self)
{
    sdk_ranges_t *ranges = self->ranges;
    if (!ranges || !ranges->depth) return NULL;
    ranges->depth--;
    return ranges->depth < ranges->room ? ranges->open[ranges->depth] : NULL;
}

void sdk_ranges_close(sdk_thread_t *self)
{
    sdk_ranges_t *ranges = self->ranges;
    while (ranges && ranges->depth) {
        sdk_range_t *range = sdk_ranges_pop(self);
        if (range) sdk_range_recycle(self, range);
    }
}

static uint64_t number_of(const sdk_range_t *range)
{
    return atomic_load_explicit(&range->id, memory_order_relaxed);
}

static sdk_range_t **chain_of(uint64_t id)
{
    return &others.chains[id & (others.size - 1)];
}

/* To be called with the lock held. If there is no memory, chains become longer, and nothing is
 * lost. */
static void grow_others(void)
{
    size_t size = others.size;
    sdk_range_t **old = others.chains, **chains = calloc(size * 2, sizeof *chains);
    if (!chains) return;
    others.chains = chains;
    others.size = size * 2;
    for (size_t i = 0; i < size; i++)
        for (sdk_range_t *range = old[i], *next; range; range = next) {
            sdk_range_t **chain = chain_of(number_of(range));
            next = range->next;
            range->next = *chain;
            *chain = range;
        }
    if (old != others.first) free(old);
}

void sdk_ranges_put(sdk_thread_t *self, uint64_t id, sdk_range_t *range)
{
    atomic_store_explicit(&range->id, id, memory_order_relaxed);
    sdk_range_t *empty = NULL;
    if (atomic_compare_exchange_strong_explicit(&slots[id % SDK_RANGE_SLOTS], &empty, range,
                                                memory_order_release, memory_order_relaxed))
        return;
    sdk_emit_begin(self);
    pthread_mutex_lock(&others.lock);
    if (atomic_load_explicit(&others.count, memory_order_relaxed) == others.size) grow_others();
    sdk_range_t **chain = chain_of(id);
    range->next = *chain;
    *chain = range;
    atomic_fetch_add_explicit(&others.count, 1, memory_order_relaxed);
    pthread_mutex_unlock(&others.lock);
    sdk_emit_end(self);
}

static sdk_range_t *take_from_others(sdk_thread_t *self, uint64_t id)
{
    sdk_emit_begin(self);
    pthread_mutex_lock(&others.lock);
    sdk_range_t **link = chain_of(id);
    while (*link && number_of(*link) != id)
        link = &(*link)->next;
    sdk_range_t *range = *link;
    if (range) {
        *link = range->next;
        atomic_fetch_sub_explicit(&others.count, 1, memory_order_relaxed);
    }
    pthread_mutex_unlock(&others.lock);
    sdk_emit_end(self);
    return range;
}

/* While this thread reads the range in a slot, another thread may take that range out and reuse its
 * memory for another number; it cannot do so if the range has the number `id`, since only the
 * thread that ends a range takes it. But a program may end one number twice at the same time, so
 * the number is compared again after the exchange. */
sdk_range_t *sdk_ranges_take(sdk_thread_t *self, uint64_t id)
{
    _Atomic(sdk_range_t *) *slot = &slots[id % SDK_RANGE_SLOTS];
    sdk_range_t *range = atomic_load_explicit(slot, memory_order_acquire);
    if (range && atomic_load_explicit(&range->id, memory_order_relaxed) == id &&
        atomic_compare_exchange_strong_explicit(slot, &range, NULL, memory_order_acquire,
                                                memory_order_relaxed)) {
        uint64_t found = atomic_load_explicit(&range->id, memory_order_relaxed);
        if (found == id) return range;
        sdk_ranges_put(self, found, range);
        return NULL;
    }
    if (!atomic_load_explicit(&others.count, memory_order_relaxed)) return NULL;
    return take_from_others(self, id);
}
