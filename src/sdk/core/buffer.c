/* buffer.c - chunks, rings and delivery: the parts of the protocol in buffer.h that are not on the
 * hot path.
 *
 * The helper threads, which only decide when to deliver, are in helper.c. The order of stores must
 * stay as buffer.h states it. */
#include "sdk/core/buffer.h"
#include "base/log.h"
#include "base/zeros.h"
#include "sdk/core/clock.h"
#include "sdk/core/context.h"
#include "sdk/core/registration.h"

#include <stdlib.h>
#include <string.h>

#include <sys/mman.h>

enum {
    DELIVERY_BATCH = 256, /* headers per callback: 6 KiB on the delivering thread's stack */
    LOSSLESS_TRIES = 64,  /* deliveries by a writer before it takes an extra page */
};

sdk_buffer_t *sdk_buffer_create(size_t size, size_t watermark, bool lossless)
{
    if (size > (size_t)1 << 40) return NULL;
    sdk_buffer_t *buffer = aligned_alloc(64, (sizeof *buffer + 63) & ~(size_t)63);
    if (!buffer) return NULL;
    memset(buffer, 0, sizeof *buffer);
    size_t chunks = (size + SDK_CHUNK_SIZE - 1) / SDK_CHUNK_SIZE;
    buffer->pages = base_map_zeros(chunks * SDK_CHUNK_SIZE);
    if (!buffer->pages) {
        free(buffer);
        return NULL;
    }
    buffer->chunk_count = (uint32_t)chunks;
    buffer->lossless = lossless;
    buffer->direct = !watermark;
    if (!watermark || watermark > size) watermark = size;
    buffer->watermark_chunks = watermark / SDK_CHUNK_SIZE ? watermark / SDK_CHUNK_SIZE : 1;
    buffer->soft_limit = watermark < SDK_CHUNK_SIZE - SDK_CHUNK_HEADER
                             ? SDK_CHUNK_HEADER + (uint32_t)watermark
                             : SDK_CHUNK_SIZE;
    pthread_mutex_init(&buffer->delivery_lock, NULL);
    pthread_mutex_init(&buffer->rings_lock, NULL);
    return buffer;
}

/* ---- Chunks ---- */

/* Returns the chunk in a head of the stack of free chunks. A chunk's address is page-aligned and
 * below 2^48, which leaves 28 bits for a tag that changes with every push and pop, so that a
 * compare-and-swap with a stale head fails. */
static sdk_chunk_t *stack_chunk(uint64_t head)
{
    return (sdk_chunk_t *)(uintptr_t)((head >> 28) << 12);
}

static uint64_t stack_head(const sdk_chunk_t *chunk, uint64_t old)
{
    return ((uint64_t)(uintptr_t)chunk >> 12) << 28 | ((old + 1) & 0xfffffff);
}

static void put_chunk(sdk_buffer_t *buffer, sdk_chunk_t *chunk)
{
    uint64_t head = atomic_load_explicit(&buffer->free_chunks, memory_order_relaxed);
    do {
        atomic_store_explicit(&chunk->next, stack_chunk(head), memory_order_relaxed);
    } while (!atomic_compare_exchange_weak_explicit(&buffer->free_chunks, &head,
                                                    stack_head(chunk, head), memory_order_release,
                                                    memory_order_relaxed));
    atomic_fetch_sub_explicit(&buffer->used_chunks, 1, memory_order_relaxed);
}

static sdk_chunk_t *new_page(void)
{
    void *page =
        mmap(NULL, SDK_CHUNK_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return page == MAP_FAILED ? NULL : page;
}

/* Takes a chunk within the buffer's limits, or, with `beyond`, even above them; NULL if there is
 * none. */
static sdk_chunk_t *take_chunk(sdk_buffer_t *buffer, bool beyond)
{
    uint64_t head = atomic_load_explicit(&buffer->free_chunks, memory_order_acquire);
    sdk_chunk_t *chunk;
    while ((chunk = stack_chunk(head))) {
        /* Another thread may pop the chunk meanwhile: its memory stays mapped, and the tag makes
         * the exchange fail. */
        sdk_chunk_t *below = atomic_load_explicit(&chunk->next, memory_order_relaxed);
        if (atomic_compare_exchange_weak_explicit(&buffer->free_chunks, &head,
                                                  stack_head(below, head), memory_order_acquire,
                                                  memory_order_acquire))
            break;
    }
    if (!chunk &&
        atomic_load_explicit(&buffer->fresh_pages, memory_order_relaxed) < buffer->chunk_count) {
        uint32_t page = atomic_fetch_add_explicit(&buffer->fresh_pages, 1, memory_order_relaxed);
        if (page < buffer->chunk_count)
            chunk = (sdk_chunk_t *)(void *)(buffer->pages + (size_t)page * SDK_CHUNK_SIZE);
        else
            atomic_fetch_sub_explicit(&buffer->fresh_pages, 1, memory_order_relaxed);
    }
    if (!chunk) {
        uint32_t extra = atomic_load_explicit(&buffer->extra_pages, memory_order_relaxed);
        while (beyond || extra < atomic_load_explicit(&buffer->ring_count, memory_order_relaxed)) {
            if (!atomic_compare_exchange_weak_explicit(&buffer->extra_pages, &extra, extra + 1,
                                                       memory_order_relaxed, memory_order_relaxed))
                continue;
            chunk = new_page();
            if (!chunk) atomic_fetch_sub_explicit(&buffer->extra_pages, 1, memory_order_relaxed);
            break;
        }
    }
    if (!chunk) return NULL;
    atomic_store_explicit(&chunk->next, NULL, memory_order_relaxed);
    atomic_store_explicit(&chunk->complete, SDK_CHUNK_HEADER, memory_order_relaxed);
    uint32_t used = atomic_fetch_add_explicit(&buffer->used_chunks, 1, memory_order_relaxed) + 1;
    if (used >= buffer->watermark_chunks &&
        used > atomic_load_explicit(&buffer->ring_count, memory_order_relaxed))
        sdk_helper_wake(buffer);
    return chunk;
}

/* ---- Writers ---- */

static void set_cursor(sdk_cursor_t *cursor, sdk_ring_t *ring, sdk_chunk_t *chunk, uint32_t limit)
{
    char *base = (char *)chunk;
    cursor->ring = ring;
    cursor->publish = &chunk->complete;
    cursor->position = base + atomic_load_explicit(&chunk->complete, memory_order_relaxed);
    cursor->limit = base + limit;
}

static sdk_ring_t *open_ring(sdk_buffer_t *buffer)
{
    sdk_ring_t *ring = calloc(1, sizeof *ring);
    if (!ring) return NULL;
    ring->buffer = buffer;
    atomic_fetch_add_explicit(&buffer->ring_count, 1, memory_order_relaxed);
    pthread_mutex_lock(&buffer->rings_lock);
    ring->next = buffer->rings;
    buffer->rings = ring;
    pthread_mutex_unlock(&buffer->rings_lock);
    return ring;
}

void sdk_ring_close(sdk_ring_t *ring)
{
    sdk_buffer_t *buffer = ring->buffer;
    pthread_mutex_lock(&buffer->rings_lock);
    atomic_store_explicit(&ring->closed, true, memory_order_release);
    pthread_mutex_unlock(&buffer->rings_lock);
    /* The thread's page no longer raises the limit: otherwise threads that begin and end between
     * two deliveries would make the buffer grow without bound. */
    atomic_fetch_sub_explicit(&buffer->ring_count, 1, memory_order_relaxed);
    /* the ended thread holds a page until its records are delivered */
    sdk_helper_wake(buffer);
}

static void deliver_locked(sdk_buffer_t *buffer, sdk_thread_t *self);

/* Waits for the delivery lock, but gives up when the buffer's tool is being finalised: the
 * finalising thread waits for this one, perhaps inside a callback of this buffer. */
static bool lock_delivery(sdk_buffer_t *buffer)
{
    do {
        struct timespec until;
        if (!pthread_mutex_trylock(&buffer->delivery_lock)) return true;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 10000000;
        if (until.tv_nsec >= 1000000000) {
            until.tv_sec++;
            until.tv_nsec -= 1000000000;
        }
        if (!pthread_mutex_timedlock(&buffer->delivery_lock, &until)) return true;
    } while (sdk_context_accepts(buffer->context));
    return false;
}

/* Makes the writer deliver and take a chunk: a free one, or its own one that delivery has emptied.
 * Returns NULL if there is no room and the thread must not wait. */
static sdk_chunk_t *deliver_for_room(sdk_thread_t *self, sdk_buffer_t *buffer, sdk_ring_t *ring)
{
    for (int i = 0; i < LOSSLESS_TRIES; i++) {
        if (self->delivering) {
            if (self->delivering_mask >> buffer->slot & 1) return NULL;
            if (pthread_mutex_trylock(&buffer->delivery_lock)) return NULL;
        } else if (!lock_delivery(buffer)) {
            return NULL;
        }
        deliver_locked(buffer, self);
        sdk_chunk_t *chunk = take_chunk(buffer, false);
        sdk_chunk_t *own = ring->write_chunk;
        if (!chunk && own && ring->read.chunk == own &&
            ring->read.offset == atomic_load_explicit(&own->complete, memory_order_relaxed)) {
            ring->read.offset = SDK_CHUNK_HEADER;
            ring->ahead = ring->read;
            atomic_store_explicit(&own->complete, SDK_CHUNK_HEADER, memory_order_relaxed);
            chunk = own;
        }
        pthread_mutex_unlock(&buffer->delivery_lock);
        if (chunk) return chunk;
    }
    return NULL;
}

static void *reserve_slow(sdk_thread_t *self, sdk_buffer_t *buffer, size_t size)
{
    sdk_cursor_t *cursor = &self->cursors[buffer->slot];
    sdk_ring_t *ring = cursor->ring;
    if (!ring && !(ring = open_ring(buffer))) {
        atomic_fetch_add_explicit(&buffer->unringed_drops, 1, memory_order_relaxed);
        return NULL;
    }
    cursor->ring = ring;
    sdk_chunk_t *full = ring->write_chunk;
    if (full && !atomic_load_explicit(&buffer->closed, memory_order_relaxed)) {
        char *end = (char *)full + SDK_CHUNK_SIZE;
        if (cursor->limit < end) { /* the limit was the watermark, not the chunk's end */
            sdk_helper_wake(buffer);
            cursor->limit = end;
            if ((size_t)(end - cursor->position) >= size + SDK_RECORD_PREFIX)
                return cursor->position + SDK_RECORD_PREFIX;
        }
    }
    sdk_chunk_t *chunk = NULL;
    bool nested = full && buffer->direct; /* the callback runs right now for the records in the
                                           * chunk */
    if (!atomic_load_explicit(&buffer->closed, memory_order_relaxed) && size <= SDK_RECORD_MAX &&
        !nested) {
        chunk = take_chunk(buffer, false);
        if (!chunk && buffer->lossless && !buffer->direct) {
            chunk = deliver_for_room(self, buffer, ring);
            /* Chunks beyond the limits are taken, too, while the tool is finalised: its last
             * delivery waits for this thread. */
            if (!chunk) chunk = take_chunk(buffer, true);
        }
    }
    if (!chunk) {
        if (!atomic_load_explicit(&buffer->closed, memory_order_relaxed)) sdk_helper_wake(buffer);
        atomic_store_explicit(&ring->dropped,
                              atomic_load_explicit(&ring->dropped, memory_order_relaxed) + 1,
                              memory_order_relaxed);
        /* makes the next record call this function again */
        if (!nested) cursor->limit = cursor->position;
        return NULL;
    }
    /* write_chunk is read again here: if deliver_for_room has run this buffer's callback, the
     * callback may have written to this buffer and so moved the ring to another chunk. */
    sdk_chunk_t *last = ring->write_chunk;
    if (chunk != last) {
        if (last) atomic_store_explicit(&last->next, chunk, memory_order_release);
        ring->write_chunk = chunk;
        if (!last) {
            /* the reader ignores a ring that has no chunk yet */
            pthread_mutex_lock(&buffer->rings_lock);
            ring->read = ring->ahead = (sdk_place_t){chunk, SDK_CHUNK_HEADER};
            pthread_mutex_unlock(&buffer->rings_lock);
        }
    }
    bool soft = size + SDK_RECORD_PREFIX + SDK_CHUNK_HEADER <= buffer->soft_limit;
    set_cursor(cursor, ring, chunk, soft ? buffer->soft_limit : SDK_CHUNK_SIZE);
    return cursor->position + SDK_RECORD_PREFIX;
}

void *sdk_buffer_reserve_slow(sdk_thread_t *self, sdk_buffer_t *buffer, size_t size)
{
    if (sdk_is_reserved(self)) {
        atomic_fetch_add_explicit(&buffer->unringed_drops, 1, memory_order_relaxed);
        return NULL;
    }
    void *room = reserve_slow(self, buffer, size);
    if (room) sdk_set_reserved(self, 1);
    return room;
}

bool sdk_buffer_emit(sdk_buffer_t *buffer, uint32_t category, uint32_t kind, const void *record,
                     size_t size)
{
    sdk_thread_t *self = sdk_thread_needed("a record of a buffer is dropped");
    if (!self) {
        if (!sdk_is_forked_child() && sdk_context_accepts(buffer->context))
            atomic_fetch_add_explicit(&buffer->unringed_drops, 1, memory_order_relaxed);
        return false;
    }
    sdk_emit_begin(self);
    bool written = false;
    if (sdk_context_accepts(buffer->context)) {
        void *room = sdk_buffer_reserve(self, buffer, (size + 7) & ~(size_t)7);
        if (room) {
            memcpy(room, record, size);
            sdk_buffer_commit(self, buffer,
                              sdk_record_word((size + 7) & ~(size_t)7, category, kind, false));
            written = true;
        }
    }
    sdk_emit_end(self);
    return written;
}

/* ---- Delivery ---- */

typedef struct {
    sdk_buffer_t *buffer;
    sdk_thread_t *self;
    size_t count;
    rocprofiler_record_header_t headers[DELIVERY_BATCH];
    rocprofiler_record_header_t *pointers[DELIVERY_BATCH];
} batch_t;

/* Passes the batch to the callback. Returns false if the callback has ended the buffer: rings and
 * chunks must not be used then. */
static bool hand_over(batch_t *batch)
{
    sdk_buffer_t *buffer = batch->buffer;
    uint64_t dropped = buffer->dropped_pending;
    if (!batch->count && !dropped) return true;
    buffer->dropped_pending = 0;
    sdk_buffer_call_tool(buffer, batch->self, batch->pointers, batch->count, dropped);
    batch->count = 0;
    return !buffer->ended;
}

static void add_to_batch(batch_t *batch, char *at)
{
    rocprofiler_record_header_t *header = &batch->headers[batch->count];
    sdk_record_finish(header, *(uint64_t *)(void *)at, at + SDK_RECORD_PREFIX);
    batch->pointers[batch->count++] = header;
}

static bool is_retirement(uint64_t word)
{
    return sdk_record_word(word & 0xffff, ROCPROFILER_BUFFER_CATEGORY_TRACING,
                           ROCPROFILER_BUFFER_TRACING_CORRELATION_ID_RETIREMENT, false) == word;
}

typedef enum { ALL_RECORDS, ALL_BUT_RETIREMENTS, RETIREMENTS } wanted_t;

/* Delivers the records of a ring from *from up to *to, or to the end if `to` is NULL. A full batch
 * is passed on at once. A partial batch is passed on before the chunk with its records is freed.
 * With ALL_BUT_RETIREMENTS no chunk is freed, since chunks may contain retirements. */
static bool deliver_from(batch_t *batch, sdk_place_t *from, const sdk_place_t *to, wanted_t wanted)
{
    for (sdk_chunk_t *chunk = from->chunk, *next; chunk; chunk = next) {
        bool last = to && to->chunk == chunk;
        next = last ? NULL : atomic_load_explicit(&chunk->next, memory_order_acquire);
        uint32_t end =
            last ? to->offset : atomic_load_explicit(&chunk->complete, memory_order_acquire);
        while (from->offset < end) {
            char *at = (char *)chunk + from->offset;
            uint64_t word = *(uint64_t *)(void *)at;
            from->offset += (uint32_t)(word & 0xffff) + SDK_RECORD_PREFIX;
            if (wanted != ALL_RECORDS && (wanted == RETIREMENTS) != is_retirement(word)) continue;
            add_to_batch(batch, at);
            if (batch->count == DELIVERY_BATCH && !hand_over(batch)) return false;
        }
        if (!next) return true;
        if (wanted != ALL_BUT_RETIREMENTS && !hand_over(batch)) return false;
        *from = (sdk_place_t){next, SDK_CHUNK_HEADER};
        if (wanted != ALL_BUT_RETIREMENTS) put_chunk(batch->buffer, chunk);
    }
    return true;
}

static void count_drops(sdk_buffer_t *buffer, sdk_ring_t *ring)
{
    uint64_t dropped = atomic_load_explicit(&ring->dropped, memory_order_relaxed);
    buffer->dropped_pending += dropped - ring->dropped_seen;
    ring->dropped_seen = dropped;
}

/* Removes a closed, empty ring from the list and frees its chunk. */
static void remove_ring(sdk_buffer_t *buffer, sdk_ring_t *ring)
{
    pthread_mutex_lock(&buffer->rings_lock);
    sdk_ring_t **link = &buffer->rings;
    while (*link != ring)
        link = &(*link)->next;
    *link = ring->next;
    pthread_mutex_unlock(&buffer->rings_lock);
    if (ring->read.chunk) put_chunk(buffer, ring->read.chunk);
    free(ring);
}

/* Returns the first ring of the list. Rings that are opened later are put before it: they have only
 * newer records. */
static sdk_ring_t *first_ring(sdk_buffer_t *buffer)
{
    pthread_mutex_lock(&buffer->rings_lock);
    sdk_ring_t *ring = buffer->rings;
    pthread_mutex_unlock(&buffer->rings_lock);
    return ring;
}

static bool has_begun(sdk_buffer_t *buffer, const sdk_ring_t *ring)
{
    pthread_mutex_lock(&buffer->rings_lock);
    bool begun = ring->read.chunk != NULL;
    pthread_mutex_unlock(&buffer->rings_lock);
    return begun;
}

static void cut_rings(sdk_buffer_t *buffer)
{
    for (sdk_ring_t *ring = first_ring(buffer); ring; ring = ring->next) {
        ring->ending = atomic_load_explicit(&ring->closed, memory_order_acquire);
        if (!has_begun(buffer, ring)) continue;
        sdk_chunk_t *chunk = ring->ahead.chunk, *next;
        while ((next = atomic_load_explicit(&chunk->next, memory_order_acquire)))
            chunk = next;
        ring->cut =
            (sdk_place_t){chunk, atomic_load_explicit(&chunk->complete, memory_order_acquire)};
    }
}

/* Removes the ring if its thread has ended; false if a callback has ended the buffer. */
static bool end_ring(batch_t *batch, sdk_ring_t *ring)
{
    if (!ring->ending) return true;
    if (!hand_over(batch)) return false;
    remove_ring(batch->buffer, ring);
    return true;
}

static bool deliver_rings(batch_t *batch)
{
    sdk_buffer_t *buffer = batch->buffer;
    for (sdk_ring_t *ring = first_ring(buffer), *next; ring; ring = next) {
        next = ring->next;
        ring->ending = atomic_load_explicit(&ring->closed, memory_order_acquire);
        if (has_begun(buffer, ring)) {
            if (!deliver_from(batch, &ring->read, NULL, ALL_RECORDS)) return false;
            ring->ahead = ring->read;
        }
        count_drops(buffer, ring);
        if (!end_ring(batch, ring)) return false;
    }
    return true;
}

static bool deliver_retirements_last(batch_t *batch)
{
    sdk_buffer_t *buffer = batch->buffer;
    cut_rings(buffer);
    sdk_ring_t *rings = first_ring(buffer); /* rings opened since cut_rings have no cut */
    for (sdk_ring_t *ring = rings; ring; ring = ring->next) {
        if (has_begun(buffer, ring) &&
            !deliver_from(batch, &ring->ahead, NULL, ALL_BUT_RETIREMENTS))
            return false;
        count_drops(buffer, ring);
    }
    for (sdk_ring_t *ring = rings, *next; ring; ring = next) {
        next = ring->next;
        if (ring->cut.chunk && !deliver_from(batch, &ring->read, &ring->cut, RETIREMENTS))
            return false;
        if (!end_ring(batch, ring)) return false;
    }
    return true;
}

static void deliver_locked(sdk_buffer_t *buffer, sdk_thread_t *self)
{
    if (buffer->ended) return;
    batch_t batch;
    batch.buffer = buffer;
    batch.self = self;
    batch.count = 0;
    sdk_clock_discipline();
    uint64_t unringed = atomic_exchange_explicit(&buffer->unringed_drops, 0, memory_order_relaxed);
    buffer->dropped_pending += unringed;
    bool there = atomic_load_explicit(&buffer->has_retirements, memory_order_relaxed)
                     ? deliver_retirements_last(&batch)
                     : deliver_rings(&batch);
    if (there) hand_over(&batch);
}

sdk_delivery_t sdk_buffer_deliver(sdk_buffer_t *buffer)
{
    sdk_thread_t *self = sdk_thread_self();
    if (self && self->delivering) {
        if (self->delivering_mask >> buffer->slot & 1) return SDK_DELIVERY_BUSY;
        if (pthread_mutex_trylock(&buffer->delivery_lock)) return SDK_DELIVERY_BUSY;
    } else if (!lock_delivery(buffer)) {
        return SDK_DELIVERY_BUSY;
    }
    deliver_locked(buffer, self);
    pthread_mutex_unlock(&buffer->delivery_lock);
    return SDK_DELIVERED;
}

void sdk_buffer_deliver_last(sdk_buffer_t *buffer)
{
    sdk_thread_t *self = sdk_thread_self();
    bool inside = self && self->delivering_mask >> buffer->slot & 1;
    if (!inside) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += 2;
        if (pthread_mutex_timedlock(&buffer->delivery_lock, &until)) {
            base_warning("a buffer callback has not returned for 2 s: the records that are left in "
                         "its buffer are lost");
            return;
        }
    }
    deliver_locked(buffer, self);
    buffer->ended = true;
    if (!inside) pthread_mutex_unlock(&buffer->delivery_lock);
}

/* ---- Fork ---- */

bool sdk_buffer_fork_prepare(sdk_buffer_t *buffer, const struct timespec *until)
{
    if (pthread_mutex_timedlock(&buffer->delivery_lock, until)) return false;
    pthread_mutex_lock(&buffer->rings_lock);
    return true;
}

static void free_extra_page(const sdk_buffer_t *buffer, sdk_chunk_t *chunk)
{
    uintptr_t at = (uintptr_t)chunk - (uintptr_t)buffer->pages;
    if (at >= (size_t)buffer->chunk_count * SDK_CHUNK_SIZE) munmap(chunk, SDK_CHUNK_SIZE);
}

static void free_chunks(const sdk_buffer_t *buffer, sdk_chunk_t *chunk)
{
    while (chunk) {
        sdk_chunk_t *next = atomic_load_explicit(&chunk->next, memory_order_relaxed);
        free_extra_page(buffer, chunk);
        chunk = next;
    }
}

static void make_new(sdk_buffer_t *buffer)
{
    for (sdk_ring_t *ring = buffer->rings; ring;) {
        sdk_ring_t *next = ring->next;
        free_chunks(buffer, ring->read.chunk);
        free(ring);
        ring = next;
    }
    buffer->rings = NULL;
    free_chunks(buffer,
                stack_chunk(atomic_load_explicit(&buffer->free_chunks, memory_order_relaxed)));
    madvise(buffer->pages, (size_t)buffer->chunk_count * SDK_CHUNK_SIZE, MADV_DONTNEED);
    atomic_store(&buffer->free_chunks, 0);
    atomic_store(&buffer->fresh_pages, 0);
    atomic_store(&buffer->extra_pages, 0);
    atomic_store(&buffer->ring_count, 0);
    atomic_store(&buffer->used_chunks, 0);
    atomic_store(&buffer->unringed_drops, 0);
    buffer->dropped_pending = 0;
}

void sdk_buffer_fork_done(sdk_buffer_t *buffer, bool in_child)
{
    if (in_child) make_new(buffer);
    pthread_mutex_unlock(&buffer->rings_lock);
    pthread_mutex_unlock(&buffer->delivery_lock);
}
