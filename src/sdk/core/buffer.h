/* buffer.h - record buffers: many writing threads, one delivering thread at a time.
 *
 * Protocol. A buffer owns chunks of one page. A thread writes to a chunk of its own through its
 * cursor; the chunks of one thread and buffer form a ring (sdk_ring), a queue with one writer and
 * one reader:
 *
 *     writer:  write the record behind the complete bytes; store-release complete += its size
 *              chunk full: take another, store-release chunk.next = it, go on there
 *     reader:  load-acquire complete; deliver the records below it; when next is set (acquire) and
 *              nothing is left below a fresh load of complete, free the chunk and go on in next
 *
 * Writing a record is wait-free: no lock, no allocation, no store to a line that another writer
 * stores to. Once per chunk the writer takes one from the buffer's stack (lock-free) or, if there
 * is none, follows the policy: DISCARD counts the record as dropped; LOSSLESS makes the writer
 * deliver. Reading happens under the buffer's delivery lock. A thread that is inside a buffer
 * callback never waits for that lock: it gets an extra page instead, so no cycle of waiting threads
 * can arise.
 *
 * Records of different rings have no order, with one exception: the retirement of a correlation id
 * is delivered after all records that have the id and were written before it. A delivery first
 * notes how far each ring goes (the cut). Then it delivers everything but retirements, as far as
 * the rings go by then, and at last the retirements before the cuts. So any record that was written
 * before one of these retirements is in its ring when the second step reads that ring. Retirements
 * behind the cut wait for the next delivery, and so do the pages that they are in.
 *
 * A direct buffer (watermark 0) has no reader: the writer passes each record to the callback at
 * once, from its own chunk, and then uses the same bytes for the next record. Records that the
 * callback itself causes are placed behind that record; if the chunk has no room for them, they are
 * dropped.
 *
 * Memory: size, rounded up to pages, plus a page for each thread that writes. A record is either
 * delivered or counted as dropped; the callback gets the number of dropped records. */
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
    _Atomic uint32_t complete; /* bytes from the chunk's beginning, header included */
    /* In a ring: the thread's next chunk; on the stack of free chunks: the chunk below. */
    struct sdk_chunk *_Atomic next;
} sdk_chunk_t;

/* A place in a ring; the offset counts from the chunk's beginning. */
typedef struct {
    sdk_chunk_t *chunk;
    uint32_t offset;
} sdk_place_t;

struct sdk_ring {
    sdk_buffer_t *buffer;
    sdk_chunk_t *write_chunk; /* written by the writer */
    sdk_place_t read;         /* written by the reader: all records before it are delivered. The
                               * writer sets its first chunk, under rings_lock */
    sdk_place_t ahead, cut;   /* written by the reader, for buffers with retirements: before `ahead`
                               * everything but retirements is delivered; before `cut`, if that has
                               * a chunk, retirements may be delivered, too */
    bool ending;              /* written by the reader: the ring was closed when the delivery
                               * began */
    _Atomic bool closed;      /* the writer's thread has ended */
    _Atomic uint64_t dropped; /* written by the writer: records dropped so far */
    uint64_t dropped_seen;    /* written by the reader: how many of those are reported */
    struct sdk_ring *next;    /* next ring of the same buffer */
};

struct sdk_buffer {
    /* Fields that writers read. */
    uint32_t slot;
    bool lossless, direct;
    _Atomic bool has_retirements; /* set before the first retirement is written */
    _Atomic bool closed;          /* the tool has destroyed the buffer: records are dropped */
    uint32_t chunk_count;         /* pages of the size that the tool asked for */
    /* The helper is woken when this many bytes of a chunk are complete. */
    uint32_t soft_limit;
    uint64_t watermark_chunks;
    char *pages; /* chunk_count pages; they are used in order until all have been used once */
    sdk_context_t *context;
    uint64_t context_handle, handle;
    rocprofiler_buffer_tracing_cb_t callback;
    void *callback_data;
    struct sdk_helper *helper;
    /* Fields that writers write, once per chunk. */
    /* Top of the stack: address << 16 | tag of 28 bits. */
    _Alignas(64) _Atomic uint64_t free_chunks;
    _Atomic uint32_t fresh_pages; /* number of `pages` that have been used */
    _Atomic uint32_t extra_pages; /* pages in addition to `pages` */
    _Atomic uint32_t ring_count;  /* number of threads that write at present */
    _Atomic uint32_t used_chunks;
    /* Fields for delivery. */
    _Alignas(64) pthread_mutex_t delivery_lock;
    pthread_mutex_t rings_lock; /* guards the list of rings; taken inside delivery_lock or alone */
    sdk_ring_t *rings;
    bool ended;               /* the last delivery is over; the callback may still be running */
    uint64_t dropped_pending; /* dropped records that are not reported yet */
    /* Dropped records that no ring counts: there was no memory for the ring or the thread, or the
     * record was written in a signal handler. */
    _Atomic uint64_t unringed_drops;
};

/* The word before each record: payload size, category, kind, and whether its times are raw
 * stamps. */
static inline uint64_t sdk_record_word(size_t size, uint32_t category, uint32_t kind,
                                       bool raw_times)
{
    return (uint64_t)size | (uint64_t)category << 16 | (uint64_t)raw_times << 31 |
           (uint64_t)kind << 32;
}

/* The slow path of sdk_buffer_reserve: takes a new chunk, or follows the policy. Returns NULL if
 * the record is dropped; it is counted then. */
void *sdk_buffer_reserve_slow(sdk_thread_t *self, sdk_buffer_t *buffer, size_t size);

/* Marks that a record is being filled in: until it is committed, signal handlers of this thread get
 * no room, and their records are dropped. */
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
 * then committed before anything else is reserved in this buffer by this thread. Returns NULL if
 * the record is dropped; it is counted then. To be called between sdk_emit_begin and
 * sdk_emit_end. */
static inline void *sdk_buffer_reserve(sdk_thread_t *self, sdk_buffer_t *buffer, size_t size)
{
    sdk_cursor_t *cursor = &self->cursors[buffer->slot];
    size_t left = (size_t)(cursor->limit - cursor->position);
    if (__builtin_expect(left < size + SDK_RECORD_PREFIX || sdk_is_reserved(self), 0))
        return sdk_buffer_reserve_slow(self, buffer, size);
    sdk_set_reserved(self, 1);
    return cursor->position + SDK_RECORD_PREFIX;
}

/* Calls the buffer's callback. Runs tool code. */
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

/* sdk_record_finish() relies on this: all API records have their times at the same offset. */
_Static_assert(offsetof(rocprofiler_buffer_tracing_hip_api_record_t, start_timestamp) ==
                   offsetof(rocprofiler_buffer_tracing_hsa_api_record_t, start_timestamp),
               "API records differ");

/* Converts the record's times if they are raw, and makes its header from the word before it. */
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

/* Passes the record that was reserved in a direct buffer to the callback: runs tool code. */
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

/* Publishes the record that was reserved. `word` is its sdk_record_word(). */
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

/* Makes a buffer, a direct one if the watermark is 0; NULL when out of memory. */
sdk_buffer_t *sdk_buffer_create(size_t size, size_t watermark, bool lossless);

/* To be called when the ring's thread ends: its records will still be delivered. */
void sdk_ring_close(sdk_ring_t *ring);

typedef enum { SDK_DELIVERED, SDK_DELIVERY_BUSY } sdk_delivery_t;

/* Delivers all records that were committed before the call. The result is BUSY only if another
 * thread, or the caller, is delivering this buffer, and the caller is inside a buffer callback or
 * the tool is being finalised. */
sdk_delivery_t sdk_buffer_deliver(sdk_buffer_t *buffer);

/* The last delivery: nothing is written or delivered afterwards. May be called inside a callback of
 * the same buffer, by a tool that finalises there. Waits at most 2 s for another thread that
 * delivers, then warns that records are lost. */
void sdk_buffer_deliver_last(sdk_buffer_t *buffer);

/* To be called around a fork. prepare waits until no thread delivers and locks the buffer; it
 * returns false if that has not succeeded by `until` (CLOCK_REALTIME). done unlocks the buffer; in
 * the child it also discards the records, which are the parent's. */
bool sdk_buffer_fork_prepare(sdk_buffer_t *buffer, const struct timespec *until);
void sdk_buffer_fork_done(sdk_buffer_t *buffer, bool in_child);

/* ---- Threads that deliver ---- */

typedef struct sdk_helper sdk_helper_t;

/* Makes a thread that delivers. The thread is started by sdk_helpers_start, or at once if that has
 * been called before. Returns NULL if there are too many. */
sdk_helper_t *sdk_helper_create(void);
sdk_helper_t *sdk_helper_get(uint64_t handle); /* the handle 0 is the default helper's */
uint64_t sdk_helper_handle(const sdk_helper_t *helper);

/* Starts the threads of helpers that have a buffer; stops and joins all threads. */
void sdk_helpers_start(void);
void sdk_helpers_stop(void);

/* For the child of a fork, which has no threads: each helper's thread is started when the helper is
 * woken next. */
void sdk_helpers_forked(void);

/* Asks the buffer's thread to deliver. It takes no lock, and makes a system call only if the thread
 * sleeps. */
void sdk_helper_wake(sdk_buffer_t *buffer);

#endif
