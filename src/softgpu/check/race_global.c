/* race_global.c - the shadow of global memory: which wave or copy accessed each dword last.
 *
 * The shadow is a directory of chunks of the address space. A chunk is mapped when the program gets
 * memory there, and never unmapped; its pages take host memory when a wave first touches them. A
 * thread that checks dwords and changes their words holds the lock of the block that the dwords are
 * in, so that of two simultaneous accesses one sees the other. */
#include "softgpu/check/race.h"

#include "base/grow.h"
#include "base/log.h"
#include "base/zeros.h"
#include "softgpu/check/request.h"
#include "softgpu/check/fork.h"
#include "softgpu/check/order.h"
#include "softgpu/check/race_row.h"
#include "softgpu/memory/memory.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

enum { CHUNK_SHIFT = 21, ADDRESS_BITS = 48, CHUNK_DWORDS = 1 << (CHUNK_SHIFT - 2) };
enum { PARTS = 3, WRITES = 1 + PARTS }; /* write words of a dword: at most one for each byte */

typedef _Atomic uint64_t word_t;

typedef struct {
    word_t write[CHUNK_DWORDS], read[CHUNK_DWORDS];
    word_t second[CHUNK_DWORDS]; /* reader of another workgroup, where the first has RACE_EXTRA */
    /* used if the write has RACE_EXTRA: earlier writes of bytes that no later one has replaced, or
     * 0. No two write words of a dword have a byte in common */
    word_t parts[CHUNK_DWORDS][PARTS];
} chunk_t;

static struct {
    pthread_mutex_t lock;
    _Atomic(_Atomic(chunk_t *) *) chunks;
    chunk_t **list; /* all chunks */
    size_t n, room;
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

static inline uint64_t get(const word_t *w)
{
    return atomic_load_explicit(w, memory_order_relaxed);
}
static inline void set(word_t *w, uint64_t value)
{
    atomic_store_explicit(w, value, memory_order_relaxed);
}

/* ---- blocks: spin locks for groups of dwords ---- */

enum { BLOCK_DWORDS = 256, BLOCKS = 1 << 10 };

/* Chunks share the locks: one lock is for the same block of every chunk. */
typedef struct {
    _Alignas(64) _Atomic bool held;
} block_t;

static block_t blocks[BLOCKS];

static inline block_t *block_of(size_t d)
{
    return &blocks[d / BLOCK_DWORDS % BLOCKS];
}

static __attribute__((noinline)) void wait_for(const block_t *b)
{
    for (unsigned k = 1; atomic_load_explicit(&b->held, memory_order_relaxed); k++) {
        if (k % 64)
            __builtin_ia32_pause();
        else
            sched_yield(); /* the thread that holds it may need this core */
    }
}

static inline void take(block_t *b)
{
    while (__builtin_expect(atomic_exchange_explicit(&b->held, true, memory_order_acquire), 0))
        wait_for(b);
}

static inline void let_go(block_t **held)
{
    if (*held) atomic_store_explicit(&(*held)->held, false, memory_order_release);
    *held = NULL;
}

/* Takes the lock of the dword's block, and releases *held if that is another block. */
static inline void hold(block_t **held, size_t d)
{
    block_t *b = block_of(d);
    if (b == *held) return;
    let_go(held);
    take(b);
    *held = b;
}

/* Two locks held together, taken in the order of their addresses so that no two threads
 * deadlock. */
typedef struct {
    block_t *first, *second; /* NULL: both dwords are in one block */
} pair_t;

static inline pair_t hold_both(size_t first, size_t last)
{
    block_t *a = block_of(first), *b = block_of(last);
    const pair_t p = {a < b ? a : b, a < b ? b : a > b ? a : NULL};
    take(p.first);
    if (p.second) take(p.second);
    return p;
}

static inline chunk_t *chunk_of(uint64_t va)
{
    _Atomic(chunk_t *) *chunks = atomic_load_explicit(&all.chunks, memory_order_acquire);
    if (!chunks || va >> ADDRESS_BITS) return NULL;
    return atomic_load_explicit(&chunks[va >> CHUNK_SHIFT], memory_order_acquire);
}

/* ---- memory that is allocated and freed ---- */

/* The child has no thread that would release a block's lock: all are released there. */
void race_global_fork(chk_fork_t when)
{
    chk_fork_mutex(&all.lock, when);
    for (unsigned k = 0; k < BLOCKS && when == CHK_FORK_CHILD; k++)
        atomic_store_explicit(&blocks[k].held, false, memory_order_relaxed);
}

static void *map(size_t bytes)
{
    void *p = base_map_zeros(bytes);
    if (!p) base_error("no memory to look for races");
    return p;
}

/* Under the lock. False: out of memory. */
static bool add_chunk(uint64_t va)
{
    const size_t bytes = sizeof(chunk_t *) << (ADDRESS_BITS - CHUNK_SHIFT);
    if (!all.chunks) all.chunks = map(bytes);
    if (!all.chunks) return false;
    _Atomic(chunk_t *) *at = &all.chunks[va >> CHUNK_SHIFT];
    if (*at) return true;
    if (!BASE_GROW(all.list, all.n, &all.room)) return false;
    chunk_t *c = map(sizeof *c);
    if (!c) return false;
    all.list[all.n++] = c;
    *at = c;
    return true;
}

/* Clears the dwords [from, to) of a chunk. */
static void clear_part(chunk_t *c, size_t from, size_t to)
{
    if (to - from == CHUNK_DWORDS) {
        madvise(c, sizeof *c, MADV_DONTNEED);
        return;
    }
    for (size_t d = from; d < to; d++) {
        if (get(&c->write[d])) set(&c->write[d], 0);
        if (get(&c->read[d])) set(&c->read[d], 0);
    }
}

static void clear_range(uint64_t begin, uint64_t end)
{
    for (uint64_t va = begin, stop; va < end; va = stop) {
        chunk_t *c = chunk_of(va);
        stop = ((va >> CHUNK_SHIFT) + 1) << CHUNK_SHIFT;
        if (stop > end) stop = end;
        if (c) clear_part(c, va / 4 % CHUNK_DWORDS, (stop - va + 3) / 4 + va / 4 % CHUNK_DWORDS);
    }
}

void race_global_forget(void)
{
    pthread_mutex_lock(&all.lock);
    for (size_t k = 0; k < all.n; k++)
        madvise(all.list[k], sizeof(chunk_t), MADV_DONTNEED);
    pthread_mutex_unlock(&all.lock);
}

void race_global_made(uint64_t begin, uint64_t bytes)
{
    const uint64_t end = begin + bytes;
    if (!bytes || end < begin || end >> ADDRESS_BITS) return;
    pthread_mutex_lock(&all.lock);
    bool good = true;
    for (uint64_t n = begin >> CHUNK_SHIFT; good && n <= (end - 1) >> CHUNK_SHIFT; n++)
        good = add_chunk(n << CHUNK_SHIFT);
    pthread_mutex_unlock(&all.lock);
    clear_range(begin, end);
}

/* The mappings of code objects that have been seen, the last CODES of them. */
enum { CODES = 1024 };

static struct {
    uint64_t begin[CODES], bytes[CODES];
    unsigned n;
} code;

static bool is_new_code(uint64_t begin, uint64_t bytes)
{
    bool found = false;
    pthread_mutex_lock(&all.lock);
    for (unsigned k = 0; k < CODES && k < code.n && !found; k++)
        found = code.begin[k] == begin && code.bytes[k] == bytes;
    if (!found) {
        code.begin[code.n % CODES] = begin;
        code.bytes[code.n++ % CODES] = bytes;
    }
    pthread_mutex_unlock(&all.lock);
    return !found;
}

void race_global_code(const struct sg_memory *m, uint64_t kernel_object)
{
    const sg_extent_t *e = kernel_object ? sg_memory_find(m, kernel_object) : NULL;
    if (e && is_new_code(e->begin, e->end - e->begin))
        race_global_made(e->begin, e->end - e->begin);
}

/* ---- accesses ---- */

typedef struct {
    uint64_t from, to, bytes; /* from, to: 0 where the copy does not read or write */
} transfer_t;

typedef struct {
    race_access_t race; /* first member: race_global_same() casts a pointer to it to the whole */
    const sg_memory_t *memory;
    transfer_t copy;
    block_t *held;
} access_t;

static inline race_known_t known_before(const race_state_t *s)
{
    return (race_known_t){.floor = (uint64_t)s->floor << RACE_OWNER_SHIFT,
                          .before = (uint64_t)s->before << RACE_OWNER_SHIFT,
                          .n_before = (uint64_t)s->n_before << RACE_OWNER_SHIFT};
}

/* Whether owners between the floor and this dispatch happen before it, so that `before` has to be
 * tested as well. */
static inline bool has_gap(const race_known_t *p)
{
    return p->floor < p->before;
}

/* Whether the access of the word is not known to happen before all accesses of the workgroup. */
static inline bool fresh(const race_access_t *own, uint64_t word)
{
    return word >= own->known.floor && word - own->known.before >= own->known.n_before;
}

/* The same, for the access of another wave. */
static inline bool is_concurrent(const race_access_t *own, uint64_t word)
{
    return fresh(own, word) && (word ^ own->word) >> RACE_WAVE_SHIFT;
}

/* Whether the copy writes the value that is already there. */
static bool copies_same(const access_t *x, uint64_t va)
{
    const transfer_t *t = &x->copy;
    const uint64_t offset = va - t->to, left = t->bytes - offset, n = left < 4 ? left : 4;
    const void *to = sg_memory_host(x->memory, va, n, 0);
    const void *from = t->from ? sg_memory_host(x->memory, t->from + offset, n, 0) : NULL;
    return from && to && memcmp(from, to, n) == 0;
}

/* If the values differ, waits for the workgroup of the word `other`, whose store was checked but
 * may not be executed yet. The block's lock is released before the memory is read: if the program
 * has freed the memory, the read ends the wave and does not return here. */
bool race_global_same(race_access_t *race, uint64_t other, unsigned lane, uint64_t va,
                      uint32_t from, uint32_t bytes)
{
    access_t *x = (access_t *)race;
    const sg_extent_t *e = race->copy ? NULL : sg_memory_find(x->memory, va);
    let_go(&x->held);
    if (race->copy) return copies_same(x, va);
    if (!e || e->flags & SG_MEM_MAILBOXES)
        return true; /* a store to a mailbox changes no other byte */
    const uint8_t *at = e->host + (va - e->begin);
    if (race_same(race, lane, at, from, bytes)) return true;
    race_awaited_t a = race_step_of(race->s, race_owner(other));
    race_turn_t turn;
    bool same;
    do {
        turn = race_step_turn(race->s, &a);
        same = turn == RACE_TURN_ITS || race_same(race, lane, at, from, bytes);
    } while (!same && turn == RACE_TURN_AGAIN);
    race_step_waited(race->s);
    return same;
}

/* Records a read. Two readers are kept: the first, and one of another workgroup. `counts`: the
 * recorded first read is not known to happen before all accesses of this workgroup. */
static inline void keep_read(chunk_t *c, size_t d, uint64_t read, uint64_t word, bool counts)
{
    if (!counts) {
        set(&c->read[d], word);
    } else if (!((read ^ word) >> RACE_OWNER_SHIFT)) {
        set(&c->read[d], race_merged(read, word) | (read & RACE_EXTRA));
    } else if (!(read & RACE_EXTRA)) {
        set(&c->second[d], word);
        set(&c->read[d], read | RACE_EXTRA);
    }
}

/* The parts of a dword with the write word `write`. */
static inline void load_parts(const chunk_t *c, size_t d, uint64_t parts[PARTS], uint64_t write)
{
    for (unsigned k = 0; k < PARTS; k++)
        parts[k] = write & RACE_EXTRA ? get(&c->parts[d][k]) : 0;
}

/* Records a write. Bytes of earlier writes that it does not replace stay recorded in the parts, as
 * each may be another workgroup's flag. */
static inline void keep_write(const race_access_t *own, chunk_t *c, size_t d, uint64_t write,
                              uint64_t word)
{
    const uint64_t replaced = word & RACE_MASK_BITS;
    uint64_t before[WRITES] = {write & ~(uint64_t)RACE_EXTRA};
    unsigned n = 0;
    if (replaced == RACE_MASK_BITS || !fresh(own, write)) {
        set(&c->write[d], word);
        return;
    }
    load_parts(c, d, &before[1], write);
    for (unsigned k = 0; k < WRITES; k++) {
        const uint64_t left = before[k] & ~replaced;
        if (!(left & RACE_MASK_BITS) || !fresh(own, left)) continue;
        const uint64_t merged = race_merged(left, word);
        if (merged == word)
            set(&c->parts[d][n++], left);
        else
            word = merged;
    }
    for (unsigned k = n; n && k < PARTS; k++)
        set(&c->parts[d][k], 0);
    set(&c->write[d], word | (n ? RACE_EXTRA : 0));
}

/* Records the access; `write` and `read` are the dword's recorded words. */
static inline void keep(const race_access_t *own, chunk_t *c, size_t d, uint64_t write,
                        uint64_t read, uint64_t word)
{
    if (own->kind == RACE_LOAD)
        keep_read(c, d, read, word, fresh(own, read));
    else
        keep_write(own, c, d, write, word);
}

/* touch() of a dword that others have accessed, or may have. */
static __attribute__((noinline)) void touch_shared(access_t *x, unsigned lane, chunk_t *c,
                                                   uint64_t va, uint32_t from, uint32_t bytes)
{
    race_access_t *own = &x->race;
    const size_t d = va / 4 % CHUNK_DWORDS;
    const uint64_t write = get(&c->write[d]), read = get(&c->read[d]);
    const uint64_t second = fresh(own, read) && read & RACE_EXTRA ? get(&c->second[d]) : 0;
    uint64_t words[WRITES + 2] = {write};
    load_parts(c, d, &words[1], write);
    words[WRITES] = read;
    words[WRITES + 1] = second;
    keep(own, c, d, write, read, race_word(own, lane, race_mask(va, bytes)));
    for (unsigned k = 0; k < (own->kind == RACE_LOAD ? WRITES : WRITES + 2); k++)
        if (is_concurrent(own, words[k]))
            race_compare(own, words[k], k >= WRITES, lane, va, from, bytes);
}

/* An access to up to four bytes of one dword, from the lane's element's byte `from` on. */
static inline void touch(access_t *x, unsigned lane, chunk_t *c, uint64_t va, uint32_t from,
                         uint32_t bytes)
{
    const race_access_t *own = &x->race;
    const size_t d = va / 4 % CHUNK_DWORDS;
    hold(&x->held, d);
    const uint64_t write = get(&c->write[d]), read = get(&c->read[d]);
    const bool reads = own->kind == RACE_LOAD;
    if (is_concurrent(own, write) || write & RACE_EXTRA ||
        (!reads && (is_concurrent(own, read) || (fresh(own, read) && read & RACE_EXTRA))))
        touch_shared(x, lane, c, va, from, bytes);
    else
        keep(own, c, d, write, read, race_word(own, lane, race_mask(va, bytes)));
}

static void element(access_t *x, unsigned lane, uint64_t va, uint32_t bytes)
{
    chunk_t *c = chunk_of(va);
    for (uint32_t from = 0, n; from < bytes; from += n) {
        const uint64_t at = va + from;
        n = race_in_dword(at, bytes - from);
        if (__builtin_expect(at >> CHUNK_SHIFT != va >> CHUNK_SHIFT, 0)) c = chunk_of(at);
        if (c) touch(x, lane, c, at, from, n);
    }
}

/* race_not_again(), for lanes in the chunk of the first lane. */
static uint64_t not_again(const sgc_lanes_t *a, uint64_t lanes, uint64_t word, uint64_t again)
{
    const uint64_t first = a->va[__builtin_ctzll(lanes)];
    const chunk_t *c = chunk_of(first);
    if (!c) return lanes;
    return race_not_again(a, lanes, (const uint64_t *)(const void *)c->read,
                          first >> CHUNK_SHIFT << CHUNK_SHIFT, UINT64_C(1) << CHUNK_SHIFT, word,
                          again);
}

/* The fast path: whole aligned dwords that no other wave has accessed in conflict. Returns the
 * remaining lanes. *x is copied so that the compiler need not read it again after each store to the
 * shadow. */
static uint64_t touch_whole(const race_access_t *x, const sgc_lanes_t *a, uint64_t lanes)
{
    const race_access_t own = *x;
    const uint64_t mine = own.word | RACE_MASK_BITS;
    const bool reads = own.kind == RACE_LOAD;
    uint64_t others = 0, last = UINT64_MAX, last_chunk = UINT64_MAX;
    block_t *held = NULL;
    chunk_t *c = NULL;
    if (a->bytes % 4) return lanes;
    if (own.again) lanes = not_again(a, lanes, mine, own.again);
    for (; lanes; lanes &= lanes - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(lanes);
        const uint64_t va = a->va[lane];
        if (va == last && reads) continue;
        last = va;
        if (va >> CHUNK_SHIFT != last_chunk) c = chunk_of(va);
        last_chunk = va >> CHUNK_SHIFT;
        if (!c) continue;
        const size_t d = va / 4 % CHUNK_DWORDS, end = d + a->bytes / 4;
        bool near = va % 4 || end > CHUNK_DWORDS;
        for (size_t k = d; k < end && !near; k++) {
            hold(&held, k);
            const uint64_t write = get(&c->write[k]), read = get(&c->read[k]);
            if (own.again && !((read ^ mine) & own.again)) continue;
            near =
                is_concurrent(&own, write) || (fresh(&own, write) && write & RACE_EXTRA) ||
                (!reads && (is_concurrent(&own, read) || (fresh(&own, read) && read & RACE_EXTRA)));
            if (!near) keep(&own, c, k, write, read, race_word(&own, lane, RACE_ALL_BYTES));
        }
        if (near) others |= UINT64_C(1) << lane;
    }
    let_go(&held);
    return others;
}

/* ---- lanes whose dwords are adjacent, four words at a time ---- */

/* fresh() of four words; `gap` is has_gap(). */
RACE_ROW race_row_t fresh_row(const race_known_t *p, race_row_t word, bool gap)
{
    race_row_t is = (race_row_t)(word >= p->floor);
    if (gap) is &= (race_row_t)(word - p->before >= p->n_before);
    return is;
}

/* keep_read() of four words. */
RACE_ROW void keep_reads(race_row_t *reader, race_row_t *second, race_row_t word, race_row_t to_do,
                         race_row_t fresh)
{
    const race_row_t extra = (race_row_t){0} + RACE_EXTRA, r = *reader, seconds = r & fresh & extra;
    const race_row_t theirs = fresh & (race_row_t)((r ^ word) >> RACE_OWNER_SHIFT != 0);
    const race_row_t beside = theirs & (race_row_t)(seconds == 0), mine = to_do & ~theirs;
    if (race_row_any(beside)) {
        race_row_set(second, word, beside);
        race_row_set(reader, r | extra, beside);
    }
    if (race_row_any(mine)) race_row_set(reader, word | seconds, mine);
}

/* Whether all accesses recorded in so many rows, a multiple of four, are known to happen before
 * everything that the workgroup does. */
RACE_ROW bool rows_before(const race_known_t *p, const race_row_t *row, unsigned rows, bool gap)
{
    for (const race_row_t *end = row + rows; row < end; row += 4)
        if (race_row_any(fresh_row(p, row[0], gap) | fresh_row(p, row[1], gap) |
                         fresh_row(p, row[2], gap) | fresh_row(p, row[3], gap)))
            return false;
    return true;
}

/* Records the access of all lanes: `n` dwords each, at a distance of 1 << shift dwords from dword
 * `d` on. Returns the lanes of the rows in which another wave is in conflict; touch() has to
 * compare these. */
RACE_ROW uint64_t touch_rows(const race_access_t *own, chunk_t *c, size_t d, unsigned n,
                             unsigned shift, bool reads, bool gap)
{
    const race_known_t known = own->known; /* as in touch_whole() */
    race_row_t *writers = (race_row_t *)(void *)&c->write[d],
               *readers = (race_row_t *)(void *)&c->read[d];
    race_row_t *seconds = (race_row_t *)(void *)&c->second[d],
               *own_rows = reads ? readers : writers;
    uint64_t others = 0;
    race_rows_t r = race_rows_of(own, readers, n, shift);
    if (race_rows_again(&r)) return 0;
    pair_t held = hold_both(d, d + 4 * r.rows - 1);
    if (n >> shift && rows_before(&known, readers, r.rows, gap) &&
        rows_before(&known, writers, r.rows, gap))
        race_rows_fill(&r, own_rows);
    while (race_rows_next(&r)) {
        const race_row_t w = writers[r.k], read = fresh_row(&known, r.read, gap) & r.to_do,
                         wrote = fresh_row(&known, w, gap) & r.to_do;
        if (__builtin_expect(!race_row_any(read | wrote), 1)) {
            race_row_set(&own_rows[r.k], r.word, r.to_do);
            continue;
        }
        race_row_t in_the_way = wrote & ((w ^ r.mine) >> RACE_WAVE_SHIFT | (w & RACE_EXTRA));
        if (!reads)
            in_the_way |= read & ((r.read ^ r.mine) >> RACE_WAVE_SHIFT | (r.read & RACE_EXTRA));
        if (__builtin_expect(race_row_any(in_the_way), 0))
            others |= race_rows_lanes(&r);
        else if (reads)
            keep_reads(&readers[r.k], &seconds[r.k], r.word, r.to_do, read);
        else
            race_row_set(&writers[r.k], r.word, r.to_do);
    }
    let_go(&held.first);
    let_go(&held.second);
    return others;
}

static __attribute__((target("avx2"))) uint64_t touch_ordered(const race_access_t *x, chunk_t *c,
                                                              size_t d, unsigned n, unsigned shift)
{
    return x->kind == RACE_LOAD ? touch_rows(x, c, d, n, shift, true, false)
                                : touch_rows(x, c, d, n, shift, false, false);
}

static __attribute__((target("avx2"))) uint64_t touch_gap(const race_access_t *x, chunk_t *c,
                                                          size_t d, unsigned n, unsigned shift)
{
    return touch_rows(x, c, d, n, shift, x->kind == RACE_LOAD, true);
}

/* Whether the lanes access dwords of one chunk at an even distance: from dword *d on, 1 << *shift
 * dwords apart. */
static bool is_in_a_row(const sgc_lanes_t *a, size_t *d, unsigned *shift)
{
    *d = a->va[0] / 4 % CHUNK_DWORDS;
    return race_row_even(a, shift) && *d + ISA_LANES * a->step / 4 <= CHUNK_DWORDS;
}

/* Handles all lanes at once if they are at an even distance. Returns the lanes that are left. */
static uint64_t touch_even(const race_access_t *x, const sgc_lanes_t *a)
{
    size_t d;
    unsigned shift;
    if (!is_in_a_row(a, &d, &shift)) return a->exec;
    const unsigned n = a->bytes / 4;
    chunk_t *c = chunk_of(a->va[0]);
    if (!c) return 0;
    return has_gap(&x->known) ? touch_gap(x, c, d, n, shift) : touch_ordered(x, c, d, n, shift);
}

/* race_again(), or 0 if a read may matter although it repeats another: the wave has published
 * since, has stores in flight, or its time has reached RACE_TIME_MAX, which several times share. */
static uint64_t again_of(const race_clock_t *c, unsigned wave, const race_site_t *site,
                         race_kind_t kind, uint64_t word)
{
    const bool told = c->published[wave] == c->own[wave] || c->stored >> wave & 1;
    return told || race_time(word) == RACE_TIME_MAX ? 0 : race_again(site, kind, word);
}

static void begin(access_t *x, race_state_t *s, isa_wave_t *w, const isa_inst_t *i,
                  const race_site_t *site, race_kind_t kind)
{
    const race_clock_t *c = &s->clock;
    const unsigned wave = w->index_in_group;
    race_begin(&x->race, s, w, i, site, kind,
               (uint64_t)s->owner << RACE_OWNER_SHIFT | (uint64_t)race_clock_short(c, c->own[wave])
                                                            << RACE_TIME_SHIFT);
    x->race.known = known_before(s);
    x->race.again = again_of(c, wave, site, kind, x->race.word);
    x->memory = w->group->dispatch->memory;
    x->held = NULL;
}

static uint64_t slots_of(const sgc_lanes_t *a)
{
    uint64_t slots = 0;
    for (uint64_t left = a->exec; left; left &= left - 1)
        slots |= race_run_slot(a->va[__builtin_ctzll(left)]);
    return slots;
}

static void acquire_from_writers_of(race_state_t *s, unsigned wave, const chunk_t *c, size_t d)
{
    uint64_t words[WRITES] = {get(&c->write[d])};
    load_parts(c, d, &words[1], words[0]);
    for (unsigned k = 0; k < WRITES; k++)
        if (!race_run_is_before(s, race_owner(words[k]))) race_run_synchronise(s, wave, words[k]);
}

/* Orders the wave after the waves that last wrote the dwords which its atomic access is about to
 * read, or has read. */
static void acquire_from_writers(race_state_t *s, unsigned wave, const sgc_lanes_t *a)
{
    uint64_t last = UINT64_MAX;
    chunk_t *c = NULL;
    for (uint64_t left = a->exec; left; left &= left - 1) {
        const uint64_t va = a->va[__builtin_ctzll(left)];
        for (uint64_t at = va; at < va + a->bytes; at += 4) {
            if (at >> CHUNK_SHIFT != last) c = chunk_of(at);
            last = at >> CHUNK_SHIFT;
            if (c) acquire_from_writers_of(s, wave, c, at / 4 % CHUNK_DWORDS);
        }
    }
}

/* Whether every write to the dwords of `rows` rows, a multiple of four, happens before all accesses
 * of the workgroup. */
static __attribute__((target("avx2"))) bool all_before(const race_state_t *s, const chunk_t *c,
                                                       size_t d, unsigned rows)
{
    const race_known_t p = known_before(s);
    return rows_before(&p, (const race_row_t *)(const void *)&c->write[d], rows, has_gap(&p));
}

/* A quick test for lanes at an even distance: whether acquire_from_writers() would find no
 * writer. */
static bool has_no_writers(const race_state_t *s, const sgc_lanes_t *a)
{
    size_t d;
    unsigned shift;
    if (!is_in_a_row(a, &d, &shift)) return false;
    const chunk_t *c = chunk_of(a->va[0]);
    return !c || all_before(s, c, d, (ISA_LANES / 4) << shift);
}

/* The access replaces write words in the shadow. The wave is first ordered after their writers,
 * and publishes that order. */
static void acquire_and_publish(race_state_t *s, unsigned wave, const sgc_lanes_t *a)
{
    const uint64_t slots = slots_of(a);
    acquire_from_writers(s, wave, a);
    if (s->meets) race_run_acquire(s, wave, slots);
    race_run_release(s, wave, slots);
}

void race_global_synchronise(race_state_t *s, const isa_wave_t *w, sgc_lanes_t *a)
{
    const bool published = race_run_has_published(s);
    if (!published && has_no_writers(s, a)) return;
    sgc_lanes_spread(a);
    if (published) race_run_acquire(s, w->index_in_group, slots_of(a));
    acquire_from_writers(s, w->index_in_group, a);
}

static bool is_of_program(const isa_wave_t *w, uint64_t va)
{
    const sg_extent_t *e = sg_memory_find(w->group->dispatch->memory, va);
    return e && e->flags & (SG_MEM_HOST | SG_MEM_REGISTERED);
}

static void report(const chk_group_t *g, access_t *x, uint32_t bytes)
{
    let_go(&x->held);
    if (x->race.lanes) race_report(g, CHK_KIND_RACE_GLOBAL, &x->race, bytes, NULL);
}

void race_global(chk_group_t *g, race_state_t *s, isa_wave_t *w, const isa_inst_t *i,
                 const race_site_t *site, race_kind_t kind, sgc_lanes_t *a)
{
    if (!s->run) return;
    access_t x;
    const unsigned wave = w->index_in_group;
    s->meets = kind == RACE_LOAD ? site->atomic : kind == RACE_RMW && i->flags & ISA_F_GLC;
    if (kind == RACE_RMW) {
        sgc_lanes_spread(a);
        acquire_and_publish(s, wave, a);
    }
    if (kind == RACE_STORE || (kind == RACE_RMW && !s->meets)) s->clock.stored |= 1u << wave;
    if (kind != RACE_LOAD && !s->published_to_host &&
        is_of_program(w, a->va[__builtin_ctzll(a->exec)]))
        race_run_publish_to_host(s);
    if (kind != RACE_LOAD) race_step_stores(s);
    begin(&x, s, w, i, site, kind);
    uint64_t lanes = touch_even(&x.race, a);
    if (!lanes) return;
    sgc_lanes_spread(a);
    for (lanes = touch_whole(&x.race, a, lanes); lanes; lanes &= lanes - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(lanes);
        element(&x, lane, a->va[lane], a->bytes);
    }
    report(g, &x, a->bytes);
}

void race_global_scalar(chk_group_t *g, race_state_t *s, isa_wave_t *w, const isa_inst_t *i,
                        const race_site_t *site, uint64_t va, uint32_t bytes)
{
    access_t x;
    if (!s->run) return;
    begin(&x, s, w, i, site, RACE_LOAD);
    element(&x, 0, va, bytes);
    report(g, &x, bytes);
}

/* ---- copies ---- */

/* One side of a copy: the range that it reads, or the one that it writes. */
static void copy_range(const sg_memory_t *m, race_copy_t *copy, transfer_t t, race_kind_t kind)
{
    /* copies do not race with atomic accesses, which may be to flags and counters */
    static const race_site_t passes_atomics = {.tries = true};
    const uint64_t begin = kind == RACE_LOAD ? t.from : t.to, end = begin + t.bytes;
    access_t x = {.race = {.kind = kind,
                           .word = (uint64_t)copy->owner << RACE_OWNER_SHIFT,
                           .known.floor = (uint64_t)copy->floor << RACE_OWNER_SHIFT,
                           .site = &passes_atomics,
                           .copy = copy},
                  .memory = m,
                  .copy = t};
    for (uint64_t va = begin, next; va < end; va = next) {
        next = ((va >> CHUNK_SHIFT) + 1) << CHUNK_SHIFT;
        if (next > end) next = end;
        if (chunk_of(va)) element(&x, 0, va, (uint32_t)(next - va));
    }
    let_go(&x.held);
    if (x.race.lanes) race_report_copy(m, (chk_span_t){begin, end}, &x.race);
}

void race_global_copy(const struct sg_memory *m, uint64_t from, uint64_t to, uint64_t bytes)
{
    race_copy_t c;
    const transfer_t t = {from, to, bytes};
    if (!race_run_copy(&c, chk_order_copying(), chk_request_mover(to, from, bytes))) return;
    if (from) copy_range(m, &c, t, RACE_LOAD);
    if (to) copy_range(m, &c, t, RACE_STORE);
}

/* ---- memory that is freed ---- */

/* Searches for an access to the dword that does not happen before the memory is freed. */
static void find_user(race_access_t *x, uint64_t va)
{
    const chunk_t *chunk = chunk_of(va);
    const size_t d = va / 4 % CHUNK_DWORDS;
    if (!chunk) return;
    uint64_t words[WRITES + 2] = {get(&chunk->write[d])};
    load_parts(chunk, d, &words[1], words[0]);
    words[WRITES] = get(&chunk->read[d]);
    words[WRITES + 1] = words[WRITES] & RACE_EXTRA ? get(&chunk->second[d]) : 0;
    for (unsigned k = 0; k < WRITES + 2; k++)
        if (is_concurrent(x, words[k])) race_compare(x, words[k], k >= WRITES, 0, va, 0, 4);
}

/* Whether HIP allocated the memory at the program's request. HIP frees its own memory when its
 * threads have synchronised, which the checker does not see. */
static bool is_programs_own(uint64_t va)
{
    chk_place_t p;
    return (chk_place_at(va, &p) || chk_place_was(va, &p)) && !strncmp(p.call, "hip", 3);
}

/* Memory that a stream's handler frees is checked: work of other streams may still use it. Before
 * other frees the program has waited for the device. */
void race_global_going(uint64_t begin, uint64_t bytes)
{
    const uint64_t serial = chk_order_handle();
    race_copy_t handler;
    const bool others = serial && race_run_pass(&handler, serial) && is_programs_own(begin);
    race_access_t x = {.kind = RACE_FREE, .copy = &handler};
    if (others) x.known.floor = (uint64_t)handler.floor << RACE_OWNER_SHIFT;
    for (uint64_t va = begin; others && va < begin + bytes && !x.lanes; va += 4)
        find_user(&x, va);
    if (x.lanes) race_report_free(bytes, &x);
    if (serial) chk_order_over(serial);
    clear_range(begin, begin + bytes);
}
