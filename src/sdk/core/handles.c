/* handles.c - see handles.h. A hash table with open addressing that only grows. Tables that were
 * replaced are kept, since other threads may still be reading them. */
#include "sdk/core/handles.h"

#include "base/golden.h"
#include "sdk/core/thread.h"

#include <pthread.h>
#include <stdlib.h>

typedef struct {
    _Atomic uintptr_t object; /* 0: the row is free */
    _Atomic uint64_t id;
} place_t;

typedef struct sdk_handle_table {
    size_t size; /* a power of 2 */
    size_t used; /* number of rows in use; written under the lock */
    place_t places[];
} table_t;

enum { FIRST_SIZE = 256 };

/* This lock is taken only between sdk_emit_begin and sdk_emit_end. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Returns the row that has the object, or the free row where it belongs. */
static place_t *look_up(table_t *table, uintptr_t object)
{
    size_t at = (size_t)(object * BASE_GOLDEN >> 20) & (table->size - 1);
    for (;; at = (at + 1) & (table->size - 1)) {
        uintptr_t there = atomic_load_explicit(&table->places[at].object, memory_order_acquire);
        if (there == object || !there) return &table->places[at];
    }
}

static table_t *make_table(size_t size)
{
    table_t *table = calloc(1, sizeof *table + size * sizeof(place_t));
    if (table) table->size = size;
    return table;
}

static void put(table_t *table, uintptr_t object, uint64_t id)
{
    place_t *place = look_up(table, object);
    atomic_store_explicit(&place->id, id, memory_order_relaxed);
    if (atomic_load_explicit(&place->object, memory_order_relaxed) == object) return;
    table->used++;
    atomic_store_explicit(&place->object, object, memory_order_release);
}

/* Returns the table after making room for one more object; NULL when out of memory. To be called
 * under the lock. */
static table_t *room(sdk_handles_t *h)
{
    table_t *table = atomic_load_explicit(&h->table, memory_order_relaxed);
    if (table && table->used < table->size / 2) return table;
    table_t *larger = make_table(table ? table->size * 2 : FIRST_SIZE);
    if (!larger) return NULL;
    for (size_t i = 0; table && i < table->size; i++)
        if (table->places[i].object) put(larger, table->places[i].object, table->places[i].id);
    atomic_store_explicit(&h->table, larger, memory_order_release);
    return larger;
}

uint64_t sdk_handle_find(const sdk_handles_t *h, const void *object)
{
    table_t *table = atomic_load_explicit(&h->table, memory_order_acquire);
    const place_t *place = table ? look_up(table, (uintptr_t)object) : NULL;
    if (!place || !atomic_load_explicit(&place->object, memory_order_acquire)) return 0;
    return atomic_load_explicit(&place->id, memory_order_relaxed);
}

uint64_t sdk_handle_add(sdk_handles_t *h, const void *object, bool created, bool *made)
{
    sdk_thread_t *self = sdk_thread_self();
    uint64_t id = 0;
    *made = false;
    if (!self) return 0;
    sdk_emit_begin(self);
    pthread_mutex_lock(&lock);
    table_t *table = room(h);
    if (table) {
        const place_t *place = look_up(table, (uintptr_t)object);
        *made = created || !place->object;
        if (*made)
            put(table, (uintptr_t)object, id = ++h->last);
        else
            id = place->id; /* another thread has added the object meanwhile */
    }
    pthread_mutex_unlock(&lock);
    sdk_emit_end(self);
    return id;
}
