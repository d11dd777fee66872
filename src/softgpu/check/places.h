/* places.h - the allocations of the program: where they lie on the GPU, who made them and who took
 * them back.
 *
 * Filled by the calls that the program makes (sink.h), read by waves. Memory of which nobody has
 * told is the runtimes' own, as long as nothing in the same mapping has been given out. */
#ifndef SOFTGPU_CHECK_PLACES_H
#define SOFTGPU_CHECK_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CHK_FRAMES = 24 };

/* Return addresses of a call of the program's, innermost first. */
typedef struct {
    uint32_t n;
    void *at[CHK_FRAMES];
} chk_stack_t;

typedef struct {
    uint64_t begin, end; /* GPU addresses */
    uint64_t host;       /* where the program has it, of the program's own memory; else 0 */
    uint64_t serial;     /* no two places have the same */
    unsigned flags;      /* SOFTGPU_CHECK_HOST, SOFTGPU_CHECK_INNER */
    bool live;
    bool held;        /* taken back, but still mapped */
    bool over;        /* a live one was there: its end was not told */
    const char *call; /* that gave it out, "hipMalloc"; as long as the process */
    const char
        *variable; /* the symbol of the variable that it is; as long as the process, or NULL */
    const char *gone_by; /* that took it back, or will when its stream gets there, or NULL */
    chk_stack_t made, gone;
} chk_place_t;

/* A part of the address space of which one answer holds. */
typedef struct {
    uint64_t begin, end;
} chk_span_t;

/* Of `n` ranges in order and without overlaps the first that ends behind `va`; n: none does. */
static inline size_t chk_first_behind(size_t n, uint64_t va,
                                      uint64_t (*end_of)(const void *of, size_t k), const void *of)
{
    size_t low = 0, high = n;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (end_of(of, middle) <= va)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

typedef enum {
    CHK_INSIDE, /* of a live place */
    CHK_OTHERS, /* of a mapping in which there are none: the runtimes' own */
    CHK_OUTSIDE /* of all places of its mapping */
} chk_where_t;

/* A new one takes the place of what it overlaps: of memory given out again, or of what a runtime
 * has asked for to divide it. The serial; 0: out of memory, nothing is known of it then. */
uint64_t chk_place_add(uint64_t begin, uint64_t bytes, const char *call, unsigned flags,
                       const chk_stack_t *made);
/* It is that variable. */
void chk_place_name(uint64_t begin, uint64_t serial, const char *variable);
/* The program has it at that address. */
void chk_place_own(uint64_t begin, uint64_t host);
/* The live place that begins there, copied; false: there is none, or it is about to be gone. */
bool chk_place_at(uint64_t begin, chk_place_t *out);
/* It will be taken back, or is: its size; nothing if it is another by now. `by` NULL: as has been
 * said. */
void chk_place_ending(uint64_t begin, uint64_t serial, const char *by, const chk_stack_t *gone);
uint64_t chk_place_end(uint64_t begin, uint64_t serial, const char *by, const chk_stack_t *gone,
                       bool held);
/* It is not mapped any more. */
void chk_place_released(uint64_t begin, uint64_t serial);
/* What was unlocked of the program's own memory there may be used. */
void chk_places_shared(uint64_t begin, uint64_t bytes);

/* Changes whenever an answer may have. Read before the look-up that is to be kept. */
uint64_t chk_places_epoch(void);
/* Where `va` is, which lies in the mapping [begin, end), and how far around it that holds.
 * `shared`: the program's own memory is mapped there where it is, and stays so when it is unlocked.
 */
chk_where_t chk_place_find(uint64_t va, uint64_t begin, uint64_t end, bool shared,
                           chk_span_t *span);

/* Whether a range that a call names goes beyond an allocation, and the first address that does: by
 * the program's own addresses, of which most are in none. Where memory that was taken back is not
 * mapped any more, or the program's own, nothing is said. */
bool chk_place_beyond(uint64_t va, uint64_t bytes, uint64_t *bad);

/* All of them, in the process that made them: a fork has none. */
void chk_places_each(void (*see)(const chk_place_t *p, void *to), void *to);

/* How many bytes the address is outside of it. */
static inline uint64_t chk_place_distance(const chk_place_t *p, uint64_t va)
{
    return va < p->begin ? p->begin - va : va >= p->end ? va - p->end + 1 : 0;
}

/* The place that the address is in, or next to which it is: live ones first. False: there is none
 * within CHK_NEAR_BYTES. */
enum { CHK_NEAR_BYTES = 1 << 20 };
bool chk_place_near(uint64_t va, chk_place_t *out);
/* Was there a place that began here and has been taken back? */
bool chk_place_was(uint64_t begin, chk_place_t *out);

#endif
