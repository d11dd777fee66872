/* memory.c - the device's page table, a radix tree over 48-bit GPU addresses.
 *
 * A slot of a table is empty, or has an extent that covers the whole slot, or the next table.
 * Writers take a mutex and change slots in place; readers follow the slots without a lock.
 * Therefore a table is freed only with the whole page table. */
#include "softgpu/memory/memory.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

enum {
    PAGE_BITS = 12,
    TABLE_BITS = 9,
    LEVELS = 4, /* 4 * 9 + 12 = 48 address bits, as the GPU's own tables have */
    TABLE_SLOTS = 1 << TABLE_BITS,
    SLOT_IS_TABLE = 1 /* low bit of a slot that points to a table */
};

#define VA_LIMIT (UINT64_C(1) << (PAGE_BITS + LEVELS * TABLE_BITS))

typedef _Atomic uintptr_t slot_t;

typedef struct table {
    slot_t slots[TABLE_SLOTS];
} table_t;

typedef struct extent_node {
    sg_extent_t extent; /* first: extent pointers are node pointers */
    struct extent_node *next, *prev;
    struct extent_node *pieces; /* the parts that trim() has left in the table; linked by next */
    struct extent_node *owner;  /* of a piece: the extent that it is a part of */
} extent_node_t;

struct sg_memory {
    sg_memory_head_t head; /* first, see memory.h */
    table_t *root;
    pthread_mutex_t lock;             /* writers only */
    extent_node_t *mapped;            /* list of live extents */
    _Atomic(extent_node_t *) retired; /* unmapped extents that a reader may still use */
};

static unsigned level_shift(unsigned level)
{
    return PAGE_BITS + TABLE_BITS * (LEVELS - 1 - level);
}

sg_memory_t *sg_memory_create(void)
{
    sg_memory_t *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    m->root = calloc(1, sizeof *m->root);
    if (!m->root) {
        free(m);
        return NULL;
    }
    pthread_mutex_init(&m->lock, NULL);
    atomic_init(&m->head.epoch, 1);
    return m;
}

static void free_table(table_t *t, unsigned level)
{
    for (unsigned i = 0; level + 1 < LEVELS && i < TABLE_SLOTS; i++) {
        uintptr_t slot = atomic_load_explicit(&t->slots[i], memory_order_relaxed);
        if (slot & SLOT_IS_TABLE) free_table((table_t *)(slot - SLOT_IS_TABLE), level + 1);
    }
    free(t);
}

static void free_list(extent_node_t *list)
{
    while (list) {
        extent_node_t *node = list;
        list = node->next;
        free_list(node->pieces);
        free(node);
    }
}

void sg_memory_destroy(sg_memory_t *m)
{
    if (!m) return;
    free_table(m->root, 0);
    free_list(m->mapped);
    free_list(atomic_load(&m->retired));
    pthread_mutex_destroy(&m->lock);
    free(m);
}

/* The function that walk_range() calls for a slot that the range covers wholly and that holds no
 * table. A result other than 0 ends the walk. */
typedef int slot_fn_t(slot_t *slot, uintptr_t value);

/* Visits the slots of [begin, end). Tables are made where a slot is covered in part, so the slots
 * visited depend on the range and on tables made earlier. */
static int walk_range(table_t *t, unsigned level, uint64_t begin, uint64_t end, slot_fn_t *fn,
                      uintptr_t value)
{
    const unsigned shift = level_shift(level);
    const uint64_t span = UINT64_C(1) << shift;
    while (begin < end) {
        slot_t *slot = &t->slots[begin >> shift & (TABLE_SLOTS - 1)];
        const uint64_t slot_begin = begin & ~(span - 1);
        const uint64_t part_end = end - slot_begin < span ? end : slot_begin + span;
        uintptr_t now = atomic_load_explicit(slot, memory_order_relaxed);
        int rc;
        if (!(now & SLOT_IS_TABLE) && part_end - begin == span) {
            rc = fn(slot, value);
        } else {
            if (!(now & SLOT_IS_TABLE)) { /* replaces the slot by a table, all of whose slots have
                                             its old value */
                table_t *sub = calloc(1, sizeof *sub);
                if (!sub) return -ENOMEM;
                for (unsigned i = 0; now && i < TABLE_SLOTS; i++)
                    atomic_init(&sub->slots[i], now);
                now = (uintptr_t)sub | SLOT_IS_TABLE;
                atomic_store_explicit(slot, now, memory_order_release);
            }
            rc =
                walk_range((table_t *)(now - SLOT_IS_TABLE), level + 1, begin, part_end, fn, value);
        }
        if (rc) return rc;
        begin = part_end;
    }
    return 0;
}

static int slot_must_be_empty(slot_t *slot, uintptr_t value)
{
    (void)value;
    return atomic_load_explicit(slot, memory_order_relaxed) ? -EINVAL : 0;
}

static int slot_set(slot_t *slot, uintptr_t value)
{
    atomic_store_explicit(slot, value, memory_order_release);
    return 0;
}

static void enter(sg_memory_t *m, extent_node_t *node)
{
    node->next = m->mapped;
    if (node->next) node->next->prev = node;
    m->mapped = node;
}

static void leave(sg_memory_t *m, extent_node_t *node)
{
    if (node->prev)
        node->prev->next = node->next;
    else
        m->mapped = node->next;
    if (node->next) node->next->prev = node->prev;
}

int sg_memory_map(sg_memory_t *m, uint64_t va, uint64_t size, void *host, uint32_t flags)
{
    const uint64_t page = UINT64_C(1) << PAGE_BITS;
    if (!size || ((va | size) & (page - 1)) || va >= VA_LIMIT || size > VA_LIMIT - va)
        return -EINVAL;
    extent_node_t *node = calloc(1, sizeof *node);
    if (!node) return -ENOMEM;
    node->extent = (sg_extent_t){va, va + size, host, flags};

    pthread_mutex_lock(&m->lock);
    /* The first walk makes every table that the second needs: the second cannot fail. */
    int rc = walk_range(m->root, 0, va, va + size, slot_must_be_empty, 0);
    if (!rc) {
        walk_range(m->root, 0, va, va + size, slot_set, (uintptr_t)node);
        enter(m, node);
    }
    pthread_mutex_unlock(&m->lock);
    if (rc) free(node);
    return rc;
}

static void retire(sg_memory_t *m, extent_node_t *node)
{
    node->prev = NULL;
    node->next = atomic_load_explicit(&m->retired, memory_order_relaxed);
    atomic_store_explicit(&m->retired, node, memory_order_release);
}

/* Under the lock: the extent that was mapped at va, which may have been removed from the table. */
static extent_node_t *mapped_at(const sg_memory_t *m, uint64_t va)
{
    extent_node_t *node = (extent_node_t *)sg_memory_find(m, va);
    if (node) return node->owner ? node->owner : node;
    for (node = m->mapped; node && node->extent.begin != va;)
        node = node->next;
    return node;
}

int sg_memory_unmap(sg_memory_t *m, uint64_t va, uint64_t size)
{
    int rc = -ENOENT;
    pthread_mutex_lock(&m->lock);
    extent_node_t *node = mapped_at(m, va);
    if (!node || node->extent.begin != va || node->extent.end - va != size) goto out;
    walk_range(m->root, 0, va, va + size, slot_set, 0);
    leave(m, node);
    while (node->pieces) {
        extent_node_t *piece = node->pieces;
        node->pieces = piece->next;
        retire(m, piece);
    }
    retire(m, node);
    atomic_fetch_add_explicit(&m->head.epoch, 1, memory_order_acq_rel);
    rc = 0;
out:
    pthread_mutex_unlock(&m->lock);
    return rc;
}

static int slot_stays(slot_t *slot, uintptr_t value)
{
    (void)slot;
    (void)value;
    return 0;
}

/* Under the lock: puts `first` and, unless it is NULL, `second` in the place of an extent, slot by
 * slot. An error changes nothing. */
static int replace(sg_memory_t *m, extent_node_t *old, extent_node_t *first, extent_node_t *second)
{
    extent_node_t *const parts[] = {first, second};
    int rc = 0;
    /* as in sg_memory_map(), the first walk makes the tables */
    for (unsigned k = 0; k < 2 && parts[k] && !rc; k++)
        rc = walk_range(m->root, 0, parts[k]->extent.begin, parts[k]->extent.end, slot_stays, 0);
    if (rc) return rc;
    leave(m, old);
    for (unsigned k = 0; k < 2 && parts[k]; k++) {
        walk_range(m->root, 0, parts[k]->extent.begin, parts[k]->extent.end, slot_set,
                   (uintptr_t)parts[k]);
        enter(m, parts[k]);
    }
    retire(m, old);
    atomic_fetch_add_explicit(&m->head.epoch, 1, memory_order_acq_rel);
    return 0;
}

int sg_memory_split(sg_memory_t *m, uint64_t at)
{
    if (at & ((UINT64_C(1) << PAGE_BITS) - 1)) return -EINVAL;
    extent_node_t *first = calloc(1, sizeof *first), *second = calloc(1, sizeof *second);
    int rc = first && second ? 0 : -ENOMEM;
    bool used = false;
    pthread_mutex_lock(&m->lock);
    extent_node_t *node = (extent_node_t *)sg_memory_find(m, at);
    if (!rc && node && !(node->extent.flags & SG_MEM_REGISTERED) && node->extent.begin < at) {
        const sg_extent_t *e = &node->extent;
        first->extent = (sg_extent_t){e->begin, at, e->host, e->flags};
        second->extent = (sg_extent_t){at, e->end, e->host + (at - e->begin), e->flags};
        rc = replace(m, node, first, second);
        used = !rc;
    }
    pthread_mutex_unlock(&m->lock);
    if (used) return 0;
    free(first);
    free(second);
    return rc;
}

int sg_memory_protect(sg_memory_t *m, uint64_t va, uint64_t size, uint32_t flags)
{
    extent_node_t *changed = calloc(1, sizeof *changed);
    int rc = changed ? -ENOENT : -ENOMEM;
    pthread_mutex_lock(&m->lock);
    extent_node_t *node = changed ? (extent_node_t *)sg_memory_find(m, va) : NULL;
    if (node && !(node->extent.flags & SG_MEM_REGISTERED) && node->extent.begin == va &&
        node->extent.end - va == size) {
        changed->extent = node->extent;
        changed->extent.flags = flags;
        rc = replace(m, node, changed, NULL);
    }
    pthread_mutex_unlock(&m->lock);
    if (rc) free(changed);
    return rc;
}

const sg_extent_t *sg_memory_find(const sg_memory_t *m, uint64_t va)
{
    if (va >= VA_LIMIT) return NULL;
    const table_t *t = m->root;
    for (unsigned level = 0; level < LEVELS; level++) {
        uintptr_t slot = atomic_load_explicit(
            &t->slots[va >> level_shift(level) & (TABLE_SLOTS - 1)], memory_order_acquire);
        if (!(slot & SLOT_IS_TABLE)) return (const sg_extent_t *)slot;
        t = (const table_t *)(slot - SLOT_IS_TABLE);
    }
    return NULL;
}

/* ---- registered memory ---- */

/* Whether all of the host memory is mapped. msync() with MS_ASYNC writes nothing and fails with
 * ENOMEM if a page is not. */
static bool is_mapped(const uint8_t *host, uint64_t bytes)
{
    const uintptr_t page = (uintptr_t)1 << PAGE_BITS, begin = (uintptr_t)host & ~(page - 1);
    return msync((void *)begin, (uintptr_t)host + bytes - begin, MS_ASYNC) == 0 || errno != ENOMEM;
}

/* Replaces [begin, end) of an extent in the table by a piece of its owner. */
static int keep_piece(sg_memory_t *m, const extent_node_t *of, uint64_t begin, uint64_t end)
{
    extent_node_t *owner = of->owner ? of->owner : (extent_node_t *)of;
    extent_node_t *piece = calloc(1, sizeof *piece);
    if (!piece) return -ENOMEM;
    piece->extent = of->extent;
    piece->extent.begin = begin;
    piece->extent.end = end;
    piece->extent.host += begin - of->extent.begin;
    piece->owner = owner;
    piece->next = owner->pieces;
    owner->pieces = piece;
    return walk_range(m->root, 0, begin, end, slot_set, (uintptr_t)piece);
}

/* Under the lock: removes pages that the program has unmapped from the table. A failure leaves some
 * of them. */
static int trim(sg_memory_t *m, const extent_node_t *node)
{
    const uint64_t page = UINT64_C(1) << PAGE_BITS, end = node->extent.end;
    int rc = 0;
    for (uint64_t at = node->extent.begin; at < end && !rc;) {
        const uint8_t *host = node->extent.host + (at - node->extent.begin);
        const bool there = is_mapped(host, page);
        uint64_t n = page;
        while (at + n < end && is_mapped(host + n, page) == there)
            n += page;
        rc = there ? keep_piece(m, node, at, at + n)
                   : walk_range(m->root, 0, at, at + n, slot_set, 0);
        at += n;
    }
    atomic_fetch_add_explicit(&m->head.epoch, 1, memory_order_acq_rel);
    return rc;
}

static bool is_whole(const sg_extent_t *e)
{
    return !(e->flags & SG_MEM_REGISTERED) || is_mapped(e->host, e->end - e->begin);
}

const sg_extent_t *sg_memory_prove(sg_memory_t *m, uint64_t va)
{
    const sg_extent_t *e = sg_memory_find(m, va);
    if (!e || is_whole(e)) return e;
    pthread_mutex_lock(&m->lock);
    e = sg_memory_find(
        m, va); /* looked up again, since another thread may have trimmed it meanwhile */
    int rc = e && !is_whole(e) ? trim(m, (const extent_node_t *)e) : 0;
    e = rc ? NULL : sg_memory_find(m, va);
    pthread_mutex_unlock(&m->lock);
    return e;
}

void *sg_memory_host(const sg_memory_t *m, uint64_t va, uint64_t size, uint32_t flags)
{
    const sg_extent_t *e = sg_memory_find(m, va);
    if (!e || (e->flags & flags) != flags || size > e->end - va) return NULL;
    uint8_t *host = e->host + (va - e->begin);
    return !(e->flags & SG_MEM_REGISTERED) || is_mapped(host, size) ? host : NULL;
}

static bool is_in(const sg_extent_t *e, uintptr_t host, uint64_t *va)
{
    if (host - (uintptr_t)e->host >= e->end - e->begin) return false;
    *va = e->begin + (host - (uintptr_t)e->host);
    return true;
}

static bool find_host(const table_t *t, unsigned level, uintptr_t host, uint64_t *va)
{
    for (unsigned i = 0; i < TABLE_SLOTS; i++) {
        const uintptr_t slot = atomic_load_explicit(&t->slots[i], memory_order_acquire);
        if (slot & SLOT_IS_TABLE) {
            if (find_host((const table_t *)(slot - SLOT_IS_TABLE), level + 1, host, va))
                return true;
            continue;
        }
        if (slot && is_in((const sg_extent_t *)slot, host, va)) return true;
    }
    return false;
}

bool sg_memory_behind(const sg_memory_t *m, const void *host, uint64_t *va)
{
    if (find_host(m->root, 0, (uintptr_t)host, va)) return true;
    for (const extent_node_t *node = atomic_load_explicit(&m->retired, memory_order_acquire); node;
         node = node->next)
        if (is_in(&node->extent, (uintptr_t)host, va)) return true;
    return false;
}
