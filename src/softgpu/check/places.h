/* places.h - the allocations ("places") of the program: their GPU addresses, and the calls that
 * made and freed them.
 *
 * Filled by the program's calls (sink.h), read by waves. A mapping in which no allocation was
 * announced belongs to the runtimes. */
#ifndef SOFTGPU_CHECK_PLACES_H
#define SOFTGPU_CHECK_PLACES_H

#include "base/sorted.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CHK_FRAMES = 24 };

/* The return addresses of a call, innermost first. */
typedef struct {
    uint32_t n;
    void *at[CHK_FRAMES];
} chk_stack_t;

typedef struct {
    uint64_t begin, end; /* GPU addresses */
    uint64_t host;       /* of host memory: the program's own address of it; else 0 */
    uint64_t serial;     /* unique among allocations */
    unsigned flags;      /* SOFTGPU_CHECK_HOST, SOFTGPU_CHECK_INNER */
    bool live;
    bool held;            /* freed, but still mapped */
    bool over;            /* it replaced a live allocation whose end was not announced */
    const char *call;     /* that made it, such as "hipMalloc"; lives as long as the process */
    const char *variable; /* the symbol, if it is a variable; lives as long as the process */
    const char *gone_by;  /* that freed it, or will free it when its stream gets there; or NULL */
    chk_stack_t made, gone;
} chk_place_t;

/* A range of addresses for which one answer holds. */
typedef struct {
    uint64_t begin, end;
} chk_span_t;

/* Of `n` ranges, sorted and without overlaps, the index of the first that ends after `va`; n: there
 * is none. */
static inline size_t chk_first_ending_after(size_t n, uint64_t va,
                                            uint64_t (*end_of)(const void *of, size_t k),
                                            const void *of)
{
    size_t k;
    BASE_SEARCH(k, n, end_of(of, k) <= va);
    return k;
}

typedef enum {
    CHK_INSIDE, /* in a live allocation */
    CHK_OTHERS, /* in a mapping with no allocations: it belongs to the runtimes */
    CHK_OUTSIDE /* in a mapping with allocations, and in none of them */
} chk_where_t;

/* Adds an allocation. It replaces the allocations that it overlaps: memory that was given out
 * again, or a block that a runtime had allocated and now divides. Returns its serial; 0: out of
 * memory, the allocation is not recorded. From then on every mapping counts as the program's and no
 * free as wrong; one line in the report says so. */
uint64_t chk_place_add(uint64_t begin, uint64_t bytes, const char *call, unsigned flags,
                       const chk_stack_t *made);

/* Whether all allocations are recorded. */
bool chk_places_all(void);
/* Records that the allocation is the variable with this symbol. */
void chk_place_name(uint64_t begin, uint64_t serial, const char *variable);
/* Records that the allocation is host memory, at the program's address `host`. */
void chk_place_own(uint64_t begin, uint64_t host);
/* Copies the live allocation that begins there; false: there is none, or its end has been
 * announced. */
bool chk_place_at(uint64_t begin, chk_place_t *out);
/* chk_place_ending(): the allocation will be freed later. chk_place_end(): it is freed; returns its
 * size, or 0 if another one has replaced it. `by` NULL: the call that chk_place_ending() named. */
void chk_place_ending(uint64_t begin, uint64_t serial, const char *by, const chk_stack_t *gone);
uint64_t chk_place_end(uint64_t begin, uint64_t serial, const char *by, const chk_stack_t *gone,
                       bool held);
/* A freed allocation is not mapped any more. */
void chk_place_released(uint64_t begin, uint64_t serial);
/* Host memory in the range may be used by the GPU again, whatever was unlocked there. */
void chk_places_shared(uint64_t begin, uint64_t bytes);

/* Changes whenever an answer of chk_place_find() may have changed. A caller that caches an answer
 * reads the epoch before the look-up. */
uint64_t chk_places_epoch(void);
/* Whether `va` is in an allocation, given its mapping [begin, end); *span is the range around it
 * with the same answer. `shared`: the mapping is host memory at its own address, which stays mapped
 * when it is unlocked. */
chk_where_t chk_place_find(uint64_t va, uint64_t begin, uint64_t end, bool shared,
                           chk_span_t *span);

/* Whether a range that a call names goes beyond an allocation, and the first address that does. The
 * range has the program's addresses, most of which are in no GPU allocation. False also for host
 * memory, and for freed memory that is not mapped any more. */
bool chk_place_beyond(uint64_t va, uint64_t bytes, uint64_t *bad);

/* Calls `see` for every allocation. In a forked child there are none. */
void chk_places_each(void (*see)(const chk_place_t *p, void *to), void *to);

/* How many bytes the address lies outside of the allocation. */
static inline uint64_t chk_place_distance(const chk_place_t *p, uint64_t va)
{
    return va < p->begin ? p->begin - va : va >= p->end ? va - p->end + 1 : 0;
}

/* The allocation that the address is in or next to; live ones first. False: there is none within
 * CHK_NEAR_BYTES. */
enum { CHK_NEAR_BYTES = 1 << 20 };
bool chk_place_near(uint64_t va, chk_place_t *out);
/* Whether an allocation that began there has been freed; copies it. */
bool chk_place_was(uint64_t begin, chk_place_t *out);

#endif
