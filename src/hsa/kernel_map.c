/* kernel_map.c - the hash table of kernel_map.h: open addressing; a key never moves in its table.
 *
 * It is apart from the code objects because only the dispatch path reads it. */
#include "hsa/kernel_map.h"

#include "base/golden.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

typedef struct {
    _Atomic uint64_t object, id;
} entry_t;

typedef struct table {
    struct table *older; /* a thread may still be reading it */
    size_t size, used;   /* size: a power of two */
    entry_t entries[];
} table_t;

static _Atomic(table_t *) current;

static size_t first_slot(uint64_t object, const table_t *table)
{
    /* kernel objects lie at multiples of 64; the multiplier is 2^64 divided by the golden ratio */
    return (size_t)((object >> 6) * BASE_GOLDEN >> 20) & (table->size - 1);
}

/* Returns the entry of the object, or the unused one where it belongs. */
static entry_t *probe(table_t *table, uint64_t object)
{
    for (size_t i = first_slot(object, table);; i = (i + 1) & (table->size - 1)) {
        uint64_t key = atomic_load_explicit(&table->entries[i].object, memory_order_acquire);
        if (key == object || key == 0) return &table->entries[i];
    }
}

uint64_t hsax_kernel_id(uint64_t object)
{
    table_t *table = atomic_load_explicit(&current, memory_order_acquire);
    if (!table || !object) return 0;
    entry_t *entry = probe(table, object);
    if (atomic_load_explicit(&entry->object, memory_order_relaxed) != object) return 0;
    return atomic_load_explicit(&entry->id, memory_order_relaxed);
}

static void store(table_t *table, uint64_t object, uint64_t id)
{
    entry_t *entry = probe(table, object);
    atomic_store_explicit(&entry->id, id, memory_order_relaxed);
    if (atomic_load_explicit(&entry->object, memory_order_relaxed) == object) return;
    atomic_store_explicit(&entry->object, object, memory_order_release);
    table->used++;
}

static bool grow(table_t *table)
{
    size_t size = table ? table->size * 2 : 256;
    table_t *bigger = calloc(1, sizeof *bigger + size * sizeof(entry_t));
    if (!bigger) return false;
    bigger->older = table;
    bigger->size = size;
    for (size_t i = 0; table && i < table->size; i++)
        if (table->entries[i].object && table->entries[i].id)
            store(bigger, table->entries[i].object, table->entries[i].id);
    atomic_store_explicit(&current, bigger, memory_order_release);
    return true;
}

bool hsax_kernel_map_set(uint64_t object, uint64_t id)
{
    table_t *table = atomic_load_explicit(&current, memory_order_relaxed);
    if ((!table || table->used * 2 >= table->size) && !grow(table)) return false;
    store(atomic_load_explicit(&current, memory_order_relaxed), object, id);
    return true;
}
