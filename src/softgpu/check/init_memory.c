/* init_memory.c - records which bytes of the program's GPU memory have been written, by kernels,
 * copies or the host.
 *
 * An allocation of hipMalloc or its like is filled with a pattern that depends on the address, and
 * has a bit for every byte. Kernels and copy engines set the bits. The checker does not see writes
 * by the host, but these destroy the pattern: a byte counts as never written while its bit is 0 and
 * the dword around it is unchanged, that is, still the pattern or an undefined value that was
 * stored. All other memory counts as written. */
#include "softgpu/check/init.h"

#include "base/grow.h"
#include "base/zeros.h"
#include "softgpu/check/check.h"
#include "softgpu/check/fork.h"
#include "softgpu/check/group.h"
#include "softgpu/check/memory.h"
#include "softgpu/check/sink.h"
#include "softgpu/memory/guard.h"
#include "softgpu/memory/memory.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD = 64 }; /* bytes of an allocation whose bits are in one word of `written` */

/* Allocations beyond this total count as written: the pattern takes host memory for every page. */
static const uint64_t MOST = UINT64_C(4) << 30;

static struct {
    pthread_rwlock_t lock;
    chk_bytes_t **place; /* watched allocations, by address */
    size_t n, room;
    _Atomic uint64_t epoch;
    chk_bytes_t *gone; /* allocations removed from `place`; waves may still have pointers to them */
    unsigned holders;  /* dispatches and transfers that are running */
    uint64_t bytes;    /* sum of the allocations' sizes */
} all = {.lock = PTHREAD_RWLOCK_INITIALIZER, .epoch = 1};

/* In the child no dispatch and no copy is running. */
void chk_bytes_fork(chk_fork_t when)
{
    chk_fork_rwlock(&all.lock, when);
    if (when == CHK_FORK_CHILD) all.holders = 0;
}

/* Whether the allocation is watched: the checker has to see all writers except the host, and no
 * earlier work may still use the memory. A pool may give out memory that work on its stream still
 * uses (IDLE): then the allocation replaces a live one whose end was not announced (p->over). HSA
 * allocations are watched if the program itself made them (OWN). */
static bool is_watched(const chk_place_t *p)
{
    static const struct {
        const char *call;
        enum { ALWAYS, IDLE, OWN } when;
    } calls[] = {{"hipMalloc", ALWAYS},
                 {"hipMallocPitch", ALWAYS},
                 {"hipMalloc3D", ALWAYS},
                 {"hipMemAllocPitch", ALWAYS},
                 {"hipExtMallocWithFlags", ALWAYS},
                 {"hipMallocAsync", IDLE},
                 {"hipMallocFromPoolAsync", IDLE},
                 {"hsa_memory_allocate", OWN},
                 {"hsa_amd_memory_pool_allocate", OWN}};
    for (size_t k = 0; k < sizeof calls / sizeof *calls; k++) {
        if (strcmp(p->call, calls[k].call) != 0) continue;
        return calls[k].when == ALWAYS || (calls[k].when == IDLE && !p->over) ||
               (calls[k].when == OWN && !(p->flags & SOFTGPU_CHECK_INNER) &&
                chk_called_by_program(&p->made));
    }
    return false;
}

static uint32_t pattern(uint64_t va)
{
    return (uint32_t)(va >> 2) * UINT32_C(0x9e3779b1) ^ UINT32_C(0xd1b54a33);
}

/* ---- places ---- */

static uint64_t end_of(const void *of, size_t k)
{
    (void)of;
    return all.place[k]->end;
}

/* Index of the first allocation that ends after `va`. */
static size_t first_ending_after(uint64_t va)
{
    return chk_first_ending_after(all.n, va, end_of, NULL);
}

static size_t bits_bytes(const chk_bytes_t *b)
{
    /* one word in reserve: a mapping must not be empty */
    return ((b->end - b->begin + WORD - 1) / WORD + 1) * sizeof(uint64_t);
}

static size_t held_bytes(const chk_bytes_t *b)
{
    /* one dword for a tail of one to three bytes, one in reserve */
    return ((b->end - b->begin) / 4 + 2) * 4;
}

static void give_back(chk_bytes_t *b)
{
    if (b->written) munmap((void *)b->written, bits_bytes(b));
    if (b->held) munmap((void *)b->held, held_bytes(b));
    free(b);
}

/* Under the lock: stops watching the allocations in the range. Waves may still have pointers to
 * them, so they are freed later. */
static void take_out(uint64_t begin, uint64_t end)
{
    const size_t at = first_ending_after(begin);
    size_t n = 0;
    while (at + n < all.n && all.place[at + n]->begin < end) {
        chk_bytes_t *b = all.place[at + n++];
        b->next = all.gone;
        all.gone = b;
        all.bytes -= b->end - b->begin;
    }
    if (!n) return;
    all.n -= n;
    memmove(all.place + at, all.place + at + n, (all.n - at) * sizeof(*all.place));
    atomic_fetch_add_explicit(&all.epoch, 1, memory_order_release);
}

static void free_ended(void)
{
    if (all.holders) return;
    while (all.gone) {
        chk_bytes_t *b = all.gone;
        all.gone = b->next;
        give_back(b);
    }
}

static chk_bytes_t *make(uint64_t begin, uint64_t bytes, uint8_t *host)
{
    chk_bytes_t *b = calloc(1, sizeof *b);
    if (!b) return NULL;
    *b = (chk_bytes_t){.begin = begin, .end = begin + bytes, .host = host};
    b->written = base_map_zeros(bits_bytes(b));
    b->held = base_map_zeros(held_bytes(b));
    if (b->written && b->held) return b;
    give_back(b);
    return NULL;
}

static bool has_room(uint64_t bytes)
{
    pthread_rwlock_rdlock(&all.lock);
    const bool room = all.bytes + bytes <= MOST;
    pthread_rwlock_unlock(&all.lock);
    return room;
}

static bool add(chk_bytes_t *b)
{
    if (!BASE_GROW(all.place, all.n, &all.room)) return false;
    const size_t at = first_ending_after(b->begin);
    memmove(all.place + at + 1, all.place + at, (all.n - at) * sizeof(*all.place));
    all.place[at] = b;
    all.n++;
    all.bytes += b->end - b->begin;
    atomic_fetch_add_explicit(&all.epoch, 1, memory_order_release);
    return true;
}

void chk_bytes_made(uint64_t begin, uint64_t bytes)
{
    chk_place_t place;
    const sg_memory_t *m = chk_memory_of(begin);
    const sg_extent_t *e = m ? sg_memory_find(m, begin) : NULL;
    const bool watched = e && !(e->flags & SG_MEM_HOST) && !(begin & 3) && has_room(bytes) &&
                         chk_place_near(begin, &place) && place.begin == begin &&
                         is_watched(&place);
    uint32_t *host = watched ? sg_memory_host(m, begin, bytes, SG_MEM_WRITABLE) : NULL;
    chk_bytes_t *b = host ? make(begin, bytes, (uint8_t *)host) : NULL;
    for (uint64_t k = 0; b && k < bytes / 4; k++)
        host[k] = pattern(begin + 4 * k);
    pthread_rwlock_wrlock(&all.lock);
    take_out(begin, begin + bytes);
    if (b && !add(b)) give_back(b);
    free_ended();
    pthread_rwlock_unlock(&all.lock);
}

void chk_bytes_going(uint64_t begin, uint64_t bytes)
{
    pthread_rwlock_wrlock(&all.lock);
    take_out(begin, begin + bytes);
    free_ended();
    pthread_rwlock_unlock(&all.lock);
}

void chk_bytes_hold(void)
{
    pthread_rwlock_wrlock(&all.lock);
    all.holders++;
    pthread_rwlock_unlock(&all.lock);
}

void chk_bytes_release(void)
{
    pthread_rwlock_wrlock(&all.lock);
    all.holders--;
    free_ended();
    pthread_rwlock_unlock(&all.lock);
}

chk_bytes_t *chk_bytes_find(chk_bytes_memo_t *memo, uint64_t va)
{
    const uint64_t epoch = atomic_load_explicit(&all.epoch, memory_order_acquire);
    if (memo->epoch != epoch) {
        memset(memo, 0, sizeof *memo);
        memo->epoch = epoch;
    }
    for (unsigned k = 0; k < 4; k++)
        if (va - memo->span[k].begin < memo->span[k].end - memo->span[k].begin)
            return memo->span[k].bytes;
    pthread_rwlock_rdlock(&all.lock);
    const size_t at = first_ending_after(va);
    uint64_t begin = at ? all.place[at - 1]->end : 0, end = UINT64_MAX;
    chk_bytes_t *b = at < all.n ? all.place[at] : NULL;
    if (b && b->begin <= va) {
        begin = b->begin;
        end = b->end;
    } else {
        if (b) end = b->begin;
        b = NULL;
    }
    pthread_rwlock_unlock(&all.lock);
    const unsigned slot = memo->next++ % 4;
    memo->span[slot].begin = begin;
    memo->span[slot].end = end;
    memo->span[slot].bytes = b;
    return b;
}

bool chk_bytes_none(chk_bytes_memo_t *memo, const sgc_lanes_t *l)
{
    for (uint64_t left = l->exec; left; left &= left - 1)
        if (chk_bytes_find(memo, l->va[__builtin_ctzll(left)])) return false;
    return true;
}

/* ---- bytes ---- */

/* The bits of up to 64 bytes within one word. */
static uint64_t some_bits(uint64_t first, uint64_t n)
{
    return (n >= WORD ? ~UINT64_C(0) : (UINT64_C(1) << n) - 1) << first % WORD;
}

static void set(chk_bytes_t *b, uint64_t word, uint64_t bits)
{
    _Atomic uint64_t *at = &b->written[word];
    if (bits & ~atomic_load_explicit(at, memory_order_relaxed))
        atomic_fetch_or_explicit(at, bits, memory_order_relaxed);
}

bool chk_bytes_whole(const chk_bytes_t *b, uint64_t va, uint64_t bytes)
{
    uint64_t at = va - b->begin;
    if (va + bytes > b->end) return false;
    while (bytes) {
        const uint64_t n = WORD - at % WORD < bytes ? WORD - at % WORD : bytes;
        const uint64_t want = some_bits(at, n);
        if (want & ~atomic_load_explicit(&b->written[at / WORD], memory_order_relaxed))
            return false;
        at += n;
        bytes -= n;
    }
    return true;
}

void chk_bytes_write(chk_bytes_t *b, uint64_t va, uint64_t bytes)
{
    uint64_t at = va - b->begin;
    if (va + bytes > b->end) bytes = b->end - va;
    while (bytes) {
        const uint64_t n = WORD - at % WORD < bytes ? WORD - at % WORD : bytes;
        set(b, at / WORD, some_bits(at, n));
        at += n;
        bytes -= n;
    }
}

static uint32_t dword_at(const chk_bytes_t *b, uint64_t dword)
{
    return __atomic_load_n((const uint32_t *)b->host + dword, __ATOMIC_RELAXED);
}

/* Whether the host has written the dword: its value then differs from the recorded one. If so, the
 * bytes of the dword are marked as written. A tail of one to three bytes at the allocation's end
 * has no pattern, and counts as written. */
static bool was_written(chk_bytes_t *b, uint64_t dword)
{
    const uint64_t va = b->begin + 4 * dword;
    if (va + 4 <= b->end &&
        dword_at(b, dword) ==
            (atomic_load_explicit(&b->held[dword], memory_order_relaxed) ^ pattern(va)))
        return false;
    set(b, 4 * dword / WORD, UINT64_C(15) << 4 * dword % WORD);
    return true;
}

uint32_t chk_bytes_unwritten(chk_bytes_t *b, uint64_t va, uint32_t bytes)
{
    uint32_t unwritten = 0;
    if (va + bytes > b->end) bytes = va < b->end ? (uint32_t)(b->end - va) : 0;
    for (uint32_t k = 0; k < bytes; k++) {
        const uint64_t at = va - b->begin + k;
        if (!(atomic_load_explicit(&b->written[at / WORD], memory_order_relaxed) >> at % WORD & 1))
            unwritten |= 1u << k;
    }
    for (uint32_t k = 0; unwritten && k < bytes; k++)
        if (unwritten >> k & 1 && was_written(b, (va - b->begin + k) / 4)) unwritten &= ~(1u << k);
    return unwritten;
}

/* For each dword with an unwritten byte, records the value that it is going to hold: the bytes of
 * `data` among those it held last. The value is not read from memory, since stores of other lanes
 * may not have been executed yet. */
void chk_bytes_store(chk_bytes_t *b, uint64_t va, const uint8_t *data, uint32_t bytes,
                     uint32_t undefined)
{
    const uint64_t begin = va - b->begin;
    if (va + bytes > b->end) return;
    for (uint64_t dword = begin / 4; dword <= (begin + bytes - 1) / 4; dword++) {
        const uint32_t marks = pattern(b->begin + 4 * dword);
        uint32_t bits =
            (uint32_t)(atomic_load_explicit(&b->written[4 * dword / WORD], memory_order_relaxed) >>
                       4 * dword % WORD) &
            15;
        uint32_t now = atomic_load_explicit(&b->held[dword], memory_order_relaxed) ^ marks,
                 known = 0, unknown = 0;
        if (bits == 15) now = b->begin + 4 * dword + 4 <= b->end ? dword_at(b, dword) : 0;
        for (unsigned k = 0; k < 4; k++) {
            const uint64_t at = 4 * dword + k - begin; /* wraps for bytes below `va` */
            if (at >= bytes) continue;
            if (undefined >> at & 1)
                unknown |= 1u << k;
            else
                known |= 1u << k;
            now = (now & ~(0xffu << 8 * k)) | (uint32_t)data[at] << 8 * k;
        }
        bits = (bits | known) & ~unknown;
        if (bits != 15) atomic_store_explicit(&b->held[dword], now ^ marks, memory_order_relaxed);
        if (unknown)
            atomic_fetch_and_explicit(&b->written[4 * dword / WORD],
                                      ~((uint64_t)unknown << 4 * dword % WORD),
                                      memory_order_relaxed);
        if (known) set(b, 4 * dword / WORD, (uint64_t)known << 4 * dword % WORD);
    }
}

/* ---- copy engines ---- */

/* Copies the state of defined bytes. The dwords at both ends may also have bytes outside the copy,
 * whose state does not change. */
static void copy_state(const sg_memory_t *m, uint64_t source, chk_bytes_t *to, uint64_t target,
                       uint64_t bytes)
{
    const uint8_t *data = NULL;
    uint64_t head = -target & 3;
    if (head > bytes) head = bytes;
    const uint32_t tail = (bytes - head) & 3;
    if (source && (head || tail)) data = sg_memory_host(m, source, bytes, 0);
    if (!data) {
        chk_bytes_write(to, target, bytes);
        return;
    }
    chk_bytes_write(to, target + head, bytes - head - tail);
    if (head) chk_bytes_store(to, target, data, (uint32_t)head, 0);
    if (tail) chk_bytes_store(to, target + bytes - tail, data + bytes - tail, tail, 0);
}

enum { STEP = 16 }; /* bytes per step where not all are defined */

/* In strict mode, reports undefined bytes that are copied to memory that counts as written: the
 * host's, or another GPU's. */
static void check_leaving(const sg_memory_t *m, chk_bytes_t *from, uint64_t source, uint64_t bytes)
{
    uint64_t n = 0, first = 0;
    char more[96];
    if (!chk_strict(CHK_INIT) || chk_bytes_whole(from, source, bytes)) return;
    for (uint64_t done = 0; done < bytes; done += STEP) {
        const uint32_t undefined = chk_bytes_unwritten(
            from, source + done, bytes - done < STEP ? (uint32_t)(bytes - done) : STEP);
        if (undefined && !n) first = source + done + (uint64_t)__builtin_ctz(undefined);
        n += (uint64_t)__builtin_popcount(undefined);
    }
    if (!n) return;
    snprintf(more, sizeof more, "nobody has written %llu of these bytes, from there on",
             (unsigned long long)n);
    chk_finding_t f = {.kind = CHK_KIND_INIT_COPY,
                       .bytes = bytes,
                       .memory = m,
                       .at_address = true,
                       .va = first,
                       .more = more};
    chk_copy_report(&f);
}

/* Copies the state of one piece; on each side it lies in one watched allocation, or in none. */
static void carry(const sg_memory_t *m, chk_bytes_t *from, uint64_t source, chk_bytes_t *to,
                  uint64_t target, uint64_t bytes)
{
    if (!to) {
        if (from) check_leaving(m, from, source, bytes);
        return;
    }
    if (!from || chk_bytes_whole(from, source, bytes)) {
        copy_state(m, source, to, target, bytes);
        return;
    }
    for (uint64_t done = 0; done < bytes; done += STEP) {
        const uint32_t n = bytes - done < STEP ? (uint32_t)(bytes - done) : STEP;
        const uint32_t undefined = chk_bytes_unwritten(from, source + done, n);
        if (undefined)
            chk_bytes_store(to, target + done, from->host + (source + done - from->begin), n,
                            undefined);
        else
            copy_state(m, source + done, to, target + done, n);
    }
}

static void transfer(const sg_memory_t *m, uint64_t from, uint64_t to, uint64_t bytes)
{
    chk_bytes_memo_t memo = {0};
    while (bytes) {
        chk_bytes_t *b = chk_bytes_find(&memo, to);
        uint64_t n = bytes;
        chk_bytes_t *a = from ? chk_bytes_find(&memo, from) : NULL;
        for (unsigned k = 0; k < 4; k++) {
            const uint64_t begin = memo.span[k].begin, end = memo.span[k].end;
            if (to - begin < end - begin && n > end - to) n = end - to;
            if (from && from - begin < end - begin && n > end - from) n = end - from;
        }
        carry(m, a, from, b, to, n);
        bytes -= n;
        to += n;
        if (from) from += n;
    }
}

/* If the program frees the memory meanwhile, the guard ends the transfer of bits; the copy itself
 * reports the error. */
void chk_bytes_transfer(const struct sg_memory *m, uint64_t from, uint64_t to, uint64_t bytes)
{
    sg_guard_t g;
    if (!to) return;
    chk_bytes_hold();
    if (!sg_guard_enter(&g, m)) {
        transfer(m, from, to, bytes);
    } else if (!sigsetjmp(g.back, 0)) {
        transfer(m, from, to, bytes);
        sg_guard_leave(&g);
    }
    chk_bytes_release();
}
