/* buffer.h - record buffers: many writing threads, one delivering thread at a time.
 *
 * Protocol. A buffer owns chunks of one page. A thread writes to a chunk of its own through its
 * cursor; the chunks of one thread and buffer form a ring_t, a queue with one writer and one
 * reader:
 *
 *     writer:  write the record behind the complete bytes; store-release complete += its size
 *              chunk full: take another, store-release chunk.next = it, go on there
 *     reader:  load-acquire complete; deliver the records below it; when next is set (acquire) and
 *              nothing is left below a fresh load of complete, put the chunk back and go on in next
 *
 * Writing a record is wait-free: no lock, no allocation, no store to a line that another writer
 * stores to. Once per chunk the writer takes one from the buffer's stack (lock-free) or, failing
 * that, follows the policy: DISCARD counts the record as dropped; LOSSLESS makes the writer
 * deliver. Reading happens under the buffer's delivery lock. A thread that is inside a buffer
 * callback never waits for that lock: it gets a page more instead, so no cycle of waiting threads
 * can arise.
 *
 * Records of a buffer come from several rings, in no order between those, but one: the retirement
 * of a correlation id comes after all records that have the id and were written before it. A
 * delivery first marks how far each ring goes (the cut), then delivers everything but retirements,
 * as far as the rings go by then, and at last the retirements before the cuts. What was written
 * before one of those had been written when its ring was read the second time. Retirements behind
 * the cut wait for the next delivery, and the pages that they are in.
 *
 * A direct buffer (watermark 0) has no reader: the writer hands each record to the callback before
 * it goes on, in its own chunk, and takes its place back. What the callback itself has recorded
 * lies behind it meanwhile; where no place is left the record is dropped.
 *
 * Memory: size, rounded up to pages, plus a page for each thread that writes. A record is either
 * delivered or counted as dropped; the callback is told how many were. */
#ifndef CROCPROF_SDK_BUFFER_H
#define CROCPROF_SDK_BUFFER_H

#include "sdk/core/clock.h"
#include "sdk/core/thread.h"

#include <pthread.h>

enum {
    SDK_CHUNK_SIZE = 4096,
    SDK_CHUNK_HEADER = 64,
    SDK_RECORD_PREFIX = 8, /* see sdk_record_word */
    SDK_RECORD_MAX = SDK_CHUNK_SIZE - SDK_CHUNK_HEADER - SDK_RECORD_PREFIX,
};

typedef struct sdk_chunk {
    _Atomic uint32_t complete;      /* bytes from here, header included; first in the chunk */
    struct sdk_chunk *_Atomic next; /* in the ring: the thread's next; on the stack: below */
} sdk_chunk_t;

/* A place in a ring: bytes of the chunk, header included. */
typedef struct {
    sdk_chunk_t *chunk;
    uint32_t offset;
} sdk_place_t;

struct sdk_ring {
    sdk_buffer_t *buffer;
    sdk_chunk_t *write_chunk; /* writer's */
    sdk_place_t read;         /* reader's: delivered up to here; the writer sets the first chunk,
                               * under rings_lock */
    sdk_place_t ahead, cut;   /* reader's, of buffers with retirements: what else is delivered up to
                               * here; retirements go up to there, no chunk: none */
    bool ending;              /* reader's: closed when the delivery began */
    _Atomic bool closed;      /* the writer has gone */
    _Atomic uint64_t dropped; /* writer's count */
    uint64_t dropped_seen;    /* reader's */
    struct sdk_ring *next;    /* rings of the buffer */
};

struct sdk_buffer {
    /* read by writers */
    uint32_t slot;
    bool lossless, direct;
    _Atomic bool has_retirements; /* set before the first */
    _Atomic bool closed;          /* destroyed: records are dropped */
    uint32_t chunk_count;         /* N: pages of the size asked for */
    uint32_t soft_limit;          /* complete bytes at which a chunk calls for delivery */
    uint64_t watermark_chunks;
    char *pages; /* N pages, given out in order the first time */
    sdk_context_t *context;
    uint64_t context_handle, handle;
    rocprofiler_buffer_tracing_cb_t callback;
    void *callback_data;
    struct sdk_helper *helper;
    /* written by writers, once per chunk */
    _Alignas(64) _Atomic uint64_t free_chunks; /* stack: address << 16 | 28 bits of a tag */
    _Atomic uint32_t fresh_pages;              /* pages given out */
    _Atomic uint32_t extra_pages;              /* pages beyond N */
    _Atomic uint32_t ring_count;               /* threads that write now */
    _Atomic uint32_t used_chunks;
    /* delivery */
    _Alignas(64) pthread_mutex_t delivery_lock;
    pthread_mutex_t rings_lock; /* the list; taken inside delivery_lock or alone */
    sdk_ring_t *rings;
    bool ended; /* the last delivery is over; its callback may run further up the stack */
    uint64_t dropped_pending; /* counted, not yet reported */
    /* records for which, or for whose thread, no memory was, or of signal handlers */
    _Atomic uint64_t unringed_drops;
};

/* The word before each record: payload size, category, kind, and how its times are written. */
static inline uint64_t sdk_record_word(size_t size, uint32_t category, uint32_t kind,
                                       bool raw_times)
{
    return (uint64_t)size | (uint64_t)category << 16 | (uint64_t)raw_times << 31 |
           (uint64_t)kind << 32;
}

/* Slow half of sdk_buffer_reserve: new chunk, policy. NULL: dropped and counted. */
void *sdk_buffer_reserve_slow(sdk_thread_t *self, sdk_buffer_t *buffer, size_t size);

/* Between the two a signal handler of the thread gets no room: its records are dropped. */
static inline void sdk_set_reserved(sdk_thread_t *self, uint32_t reserved)
{
    atomic_signal_fence(memory_order_seq_cst);
    atomic_store_explicit(&self->reserved, reserved, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);
}

static inline bool sdk_is_reserved(const sdk_thread_t *self)
{
    return atomic_load_explicit(&self->reserved, memory_order_relaxed);
}

/* Room for a record of `size` bytes (a multiple of 8, at most SDK_RECORD_MAX), to be filled and
 * then committed before anything else is reserved in this buffer by this thread. NULL: the record
 * is dropped and counted. Inside sdk_emit_begin/end. */
static inline void *sdk_buffer_reserve(sdk_thread_t *self, sdk_buffer_t *buffer, size_t size)
{
    sdk_cursor_t *cursor = &self->cursors[buffer->slot];
    size_t left = (size_t)(cursor->limit - cursor->position);
    if (__builtin_expect(left < size + SDK_RECORD_PREFIX || sdk_is_reserved(self), 0))
        return sdk_buffer_reserve_slow(self, buffer, size);
    sdk_set_reserved(self, 1);
    return cursor->position + SDK_RECORD_PREFIX;
}

/* Runs tool code. */
static inline void sdk_buffer_call_tool(sdk_buffer_t *buffer, sdk_thread_t *self,
                                        rocprofiler_record_header_t **headers, size_t count,
                                        uint64_t dropped)
{
    uint64_t bit = (uint64_t)1 << buffer->slot, outer = self ? self->delivering_mask : 0;
    if (self) {
        self->delivering++;
        self->delivering_mask |= bit;
    }
    buffer->callback((rocprofiler_context_id_t){.handle = buffer->context_handle},
                     (rocprofiler_buffer_id_t){.handle = buffer->handle}, headers, count,
                     buffer->callback_data, dropped);
    if (self) {
        self->delivering--;
        self->delivering_mask = outer;
    }
}

/* All API records have their times at the same place. */
_Static_assert(offsetof(rocprofiler_buffer_tracing_hip_api_record_t, start_timestamp) ==
                   offsetof(rocprofiler_buffer_tracing_hsa_api_record_t, start_timestamp),
               "API records differ");

/* Times as the tool reads them, and what the word before the record says of it. */
static inline void sdk_record_finish(rocprofiler_record_header_t *header, uint64_t word,
                                     char *payload)
{
    if (word >> 31 & 1) {
        rocprofiler_buffer_tracing_hip_api_record_t *record = (void *)payload;
        sdk_clock_ns_both(&record->start_timestamp, &record->end_timestamp);
    }
    header->category = word >> 16 & 0x7fff;
    header->kind = (uint32_t)(word >> 32);
    header->payload = payload;
}

/* The record that was reserved in a direct buffer goes to the callback. Runs tool code. */
static inline __attribute__((always_inline)) void
sdk_buffer_hand_over(sdk_thread_t *self, sdk_buffer_t *buffer, uint64_t word)
{
    sdk_cursor_t *cursor = &self->cursors[buffer->slot];
    char *at = cursor->position;
    rocprofiler_record_header_t header, *pointer = &header;
    sdk_record_finish(&header, word, at + SDK_RECORD_PREFIX);
    cursor->position += (word & 0xffff) + SDK_RECORD_PREFIX;
    sdk_set_reserved(self, 0);
    sdk_buffer_call_tool(buffer, self, &pointer, 1, 0);
    cursor->position = at;
}

/* Publishes the record that was reserved. `word`: sdk_record_word() of it. */
static inline void sdk_buffer_commit(sdk_thread_t *self, sdk_buffer_t *buffer, uint64_t word)
{
    sdk_cursor_t *cursor = &self->cursors[buffer->slot];
    if (__builtin_expect(buffer->direct, 0)) {
        sdk_buffer_hand_over(self, buffer, word);
        return;
    }
    *(uint64_t *)(void *)cursor->position = word;
    cursor->position += (word & 0xffff) + SDK_RECORD_PREFIX;
    atomic_store_explicit(cursor->publish, (uint32_t)(cursor->position - (char *)cursor->publish),
                          memory_order_release);
    sdk_set_reserved(self, 0);
}

/* A new buffer, a direct one if the watermark is 0; NULL without memory. */
sdk_buffer_t *sdk_buffer_create(size_t size, size_t watermark, bool lossless);

/* The thread of the ring ends: what it wrote stays to be delivered. */
void sdk_ring_close(sdk_ring_t *ring);

typedef enum { SDK_DELIVERED, SDK_DELIVERY_BUSY } sdk_delivery_t;

/* Delivers all records that were committed before the call. BUSY only if another thread (or the
 * caller) is delivering this buffer, and the caller is inside a buffer callback or the tool is
 * being finalised. */
sdk_delivery_t sdk_buffer_deliver(sdk_buffer_t *buffer);

/* The last delivery: nothing is written any more, and nothing is delivered afterwards. May be
 * called inside a callback of the same buffer (a tool that finalises there). Waits 2 s for another
 * thread that delivers; then says what is left and gives up. */
void sdk_buffer_deliver_last(sdk_buffer_t *buffer);

/* While the process forks: waits until nobody delivers and holds the buffer still; false if that
 * takes longer than until `until` (CLOCK_REALTIME). Done in the child: the records, which are the
 * parent's, and the memory they lie in are given up, the buffer is as new. */
bool sdk_buffer_fork_prepare(sdk_buffer_t *buffer, const struct timespec *until);
void sdk_buffer_fork_done(sdk_buffer_t *buffer, bool in_child);

/* ---- Threads that deliver ---- */

typedef struct sdk_helper sdk_helper_t;

/* A delivering thread, started by sdk_helpers_start or, after that, at once. NULL: none left. */
sdk_helper_t *sdk_helper_create(void);
sdk_helper_t *sdk_helper_get(uint64_t handle); /* 0 is the default one */
uint64_t sdk_helper_handle(const sdk_helper_t *helper);

/* Starts the threads of helpers that have a buffer; stops and joins all of them. */
void sdk_helpers_start(void);
void sdk_helpers_stop(void);

/* In the child of a fork there are no threads: each is started when it is called first. */
void sdk_helpers_forked(void);

/* Asks the buffer's thread to deliver. No lock, no call into the kernel unless it sleeps. */
void sdk_helper_wake(sdk_buffer_t *buffer);

#endif
