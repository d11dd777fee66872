/* race.h - what the files of the race check share: the shadow word, code sites, and the vector
 * clocks of a workgroup.
 *
 * A shadow word describes one access to a dword: its last write, or one of its last reads. Words of
 * global memory are read and written as a whole, by any thread, so that no reader sees half of one.
 *
 *      63     41 40  36 35    26 25    12 11    6 5    2     1        0
 *     +---------+------+--------+--------+-------+------+--------+--------+
 *     |  owner  | wave |  time  |  site  |  lane | mask | atomic |  extra |
 *     +---------+------+--------+--------+-------+------+--------+--------+
 *
 * Owner: for global memory the workgroup, numbered through all dispatches; for LDS the time of the
 * access, since each workgroup has its own LDS shadow; the lowest bit of `time` is RACE_FIRST
 * there, its other bits are 0. Owners only grow, so that one comparison with a floor shows whether
 * an access is old enough to be ordered for sure. Mask: the bytes of the dword. Atomic: the access
 * cannot race with an atomic access. Extra: on a write to LDS, the access waits in a loop
 * (race_site_t.waits); on a read of global memory, a second reader is recorded; on a write to it,
 * earlier writes of other bytes of the dword are. */
#ifndef SOFTGPU_CHECK_RACE_H
#define SOFTGPU_CHECK_RACE_H

#include "base/golden.h"
#include "softgpu/check/part.h"

enum {
    RACE_OWNER_SHIFT = 41,
    RACE_WAVE_SHIFT = 36,
    RACE_TIME_SHIFT = 26,
    RACE_SITE_SHIFT = 12,
    RACE_LANE_SHIFT = 6,
    RACE_MASK_SHIFT = 2,
    RACE_ATOMIC = 2,
    RACE_EXTRA = 1,
    /* On a write to LDS: no other wave of the workgroup had written the dword before. A wave that
       waits at the dword may have read the value from before this write, and is then not ordered
       after it. */
    RACE_FIRST = 1 << 26,
    RACE_WAVES = 1 << (RACE_OWNER_SHIFT - RACE_WAVE_SHIFT),
    RACE_TIME_MAX = (1 << (RACE_WAVE_SHIFT - RACE_TIME_SHIFT)) -
                    1, /* the greatest time of a word, which all later times share */
    RACE_SITES = 1 << (RACE_TIME_SHIFT - RACE_SITE_SHIFT),
    RACE_OWNERS = 1 << (64 - RACE_OWNER_SHIFT),
    RACE_ALL_BYTES = 15,
    RACE_LDS_DWORDS = ISA_GROUP_LDS / 4
};
_Static_assert(RACE_WAVES == (int)ISA_GROUP_WAVES,
               "a shadow word can name each wave of a workgroup");

#define RACE_MASK_BITS ((uint64_t)RACE_ALL_BYTES << RACE_MASK_SHIFT)
#define RACE_WAVE_BITS ((uint64_t)(RACE_WAVES - 1) << RACE_WAVE_SHIFT)

static inline uint32_t race_owner(uint64_t word)
{
    return (uint32_t)(word >> RACE_OWNER_SHIFT);
}
static inline unsigned race_wave(uint64_t word)
{
    return word >> RACE_WAVE_SHIFT & (RACE_WAVES - 1);
}
static inline uint32_t race_time(uint64_t word)
{
    return word >> RACE_TIME_SHIFT & RACE_TIME_MAX;
}

typedef enum {
    RACE_LOAD,
    RACE_STORE,
    RACE_RMW,
    RACE_KINDS,
    RACE_FREE = RACE_KINDS /* memory is freed; not in shadow words */
} race_kind_t;

/* The mask of the bytes that an access of `left` bytes from `va` on covers in the dword around
 * `va`. */
static inline uint32_t race_mask(uint64_t va, uint32_t left)
{
    const uint32_t low = va & 3;
    return (left >= 4 ? RACE_ALL_BYTES : (1u << left) - 1) << low & RACE_ALL_BYTES;
}

/* ---- race_site.c: code sites, instructions that have accessed memory ---- */

typedef struct {
    uint64_t pc;
    _Atomic uint64_t page; /* serial of the code page where it was last seen: another page may have
                              other code around the same instruction */
    uint32_t words[3];
    uint16_t id; /* 0: the table of sites is full: this site has no number */
    uint8_t n_words;
    uint8_t data_shift; /* of a store below a dword: where its bits are in the register */
    bool rmw;
    bool atomic; /* an atomic access, or a load that counts as one: it bypasses the L1 cache, or
                    `waits` */
    bool waits;  /* a load in a loop that stores nothing and never changes the address: a compiler
                    would have moved it out of the loop if the value could not change */
    bool tries;  /* a load whose value an atomic access to the same address is going to replace */
} race_site_t;

/* Mask of the bits that must match the stored read for this read to be redundant: same wave, same
 * time, same bytes. A later writer has already been compared with the stored read. A plain read
 * makes an atomic one redundant too. 0: the read is never redundant. */
static inline uint64_t race_again(const race_site_t *site, race_kind_t kind, uint64_t word)
{
    /* the stored read is marked atomic, so a plain store in between was not reported: compare */
    const bool passes = site->tries && !site->atomic;
    if (kind != RACE_LOAD || passes) return 0;
    return (~UINT64_C(0) << RACE_TIME_SHIFT | RACE_MASK_BITS | RACE_ATOMIC) & ~(word & RACE_ATOMIC);
}

const race_site_t *race_site(const isa_wave_t *w, const isa_inst_t *i, const sgc_op_t *op);
const race_site_t *race_site_of(uint64_t word);

/* ---- race_clock.c: vector clocks of the waves of a workgroup ---- */

/* Releases and acquires through atomic accesses to LDS. Dwords are hashed to this many entries; two
 * that share an entry count as one, so that accesses are rather taken for ordered than for a
 * race. */
enum { RACE_MEETINGS = 256 };
typedef struct {
    uint32_t time; /* of the last release */
    uint32_t waves;
    uint32_t when[RACE_WAVES];
} race_meeting_t;

/* Vector clocks of a workgroup's waves. Each access has the time of its wave. A wave's clock has,
 * for each other wave, the time up to which the accesses of that wave happened before its own. */
typedef struct {
    uint32_t now;     /* the last time given to any wave */
    uint32_t barrier; /* time of the last barrier: all accesses up to it happened before those of
                         every wave now */
    uint32_t begin;   /* the time at which the workgroup began */
    uint32_t waves;   /* how many the workgroup has: entries of the arrays below that are in use */
    uint32_t own[RACE_WAVES];
    uint32_t done[RACE_WAVES]; /* stores of the wave up to this time have reached memory */
    uint32_t known[RACE_WAVES][RACE_WAVES];
    uint32_t published[RACE_WAVES]; /* the wave's time when it last published to other workgroups */
    uint32_t stored; /* waves with stores that may not have reached memory yet, by bit */
    uint32_t met;    /* time of the last release through LDS */
    uint32_t ahead;  /* waves whose last access to LDS was a release, by bit */
    race_meeting_t meeting[RACE_MEETINGS];
} race_clock_t;

/* A workgroup of so many waves, at most RACE_WAVES, begins. True: the clock was reset, so times in
 * the LDS shadow are invalid and the caller has to clear it. */
bool race_clock_begin(race_clock_t *c, uint32_t waves);
void race_clock_barrier(race_clock_t *c);
/* The wave has waited (vmcnt 0) until its stores have reached memory. */
void race_clock_wait(race_clock_t *c, unsigned wave);
/* The wave does an atomic access to that dword of LDS: release publishes its time there, acquire
 * joins the times published there to the wave's clock. */
void race_clock_release(race_clock_t *c, unsigned wave, uint32_t dword);
void race_clock_acquire(race_clock_t *c, unsigned wave, uint32_t dword);
/* Another wave's store has replaced, in the shadow, the flag that `wave` stored in the dword at
 * `time`, although its bytes remain: waves that synchronise at the dword are still ordered after
 * that flag. */
void race_clock_leave(race_clock_t *c, unsigned wave, uint32_t dword, uint32_t time);
/* The wave is about to access LDS by a plain load or store: its earlier publications do not cover
 * that access. */
void race_clock_pass(race_clock_t *c, unsigned wave);
/* Whether the wave's store at `time` may release a lock: the wave has accessed the dword by an
 * atomic access before. */
bool race_clock_gives_back(race_clock_t *c, unsigned wave, uint32_t dword, uint32_t time);
/* The wave has read, by an access that synchronises, what `other` wrote at `time`. */
void race_clock_synchronise(race_clock_t *c, unsigned wave, unsigned other, uint32_t time);
/* The time up to which the accesses of `other` happened before the wave's own; for the wave itself,
 * the time up to which its stores have reached memory. */
static inline uint32_t race_clock_knows(const race_clock_t *c, unsigned wave, unsigned other)
{
    if (other == wave) return c->stored >> wave & 1 ? c->done[wave] : c->own[wave] - 1;
    return c->known[wave][other] > c->barrier ? c->known[wave][other] : c->barrier;
}
/* A time in the form of global memory's shadow words: counted from the workgroup's begin, and
 * limited to RACE_TIME_MAX. */
static inline uint32_t race_clock_short(const race_clock_t *c, uint32_t time)
{
    const uint32_t t = time < c->begin ? 0 : time - c->begin;
    return t < RACE_TIME_MAX ? t : RACE_TIME_MAX;
}

/* ---- a workgroup ---- */

enum { RACE_SLOTS = 64 }; /* addresses of synchronising accesses, hashed: race_run_slot() */
typedef struct race_run race_run_t;
typedef struct race_worker race_worker_t;

/* A cached answer: whether the actor (dispatch or copy) with these owners is ordered before this
 * one. Dropped when the order of the workgroup changes. */
enum { RACE_MEMOS = 16 };
typedef struct {
    uint32_t base, end; /* the owners of the actor */
    bool ordered;
} race_memo_t;

/* A copy, or a handler that frees memory. `call`: number of the program's call, or 0. */
typedef struct {
    uint64_t serial, call;
    uint32_t owner, floor;
    race_memo_t memo[RACE_MEMOS];
    unsigned next_memo;
} race_copy_t;

typedef struct {
    race_clock_t clock;
    /* LDS */
    uint32_t second_time; /* the time at which `second` was last written */
    struct {
        uint64_t write[RACE_LDS_DWORDS], read[RACE_LDS_DWORDS];
    } lds, second;
    /* global memory */
    race_worker_t *worker; /* race_step.c's entry for the thread; NULL: none was free */
    race_run_t *run;       /* NULL: the workgroup is not checked */
    uint32_t owner;
    /* Owners below the floor, and `n_before` owners from `before` on, happen before all accesses of
     * the workgroup. */
    uint32_t floor, before, n_before;
    race_memo_t memo[RACE_MEMOS];
    unsigned next_memo;
    bool meets; /* the instruction being checked is an atomic access that returns a value to the
                   wave */
    bool published_to_host; /* the workgroup has written to host memory, and
                               race_run_publish_to_host() has been called */
    /* The stamp at which each wave last read each slot, by which it may be ordered after other
     * waves of its own workgroup. A row is valid only if its wave is in read_by. */
    uint32_t read_by; /* waves, by bit */
    uint32_t read[RACE_WAVES][RACE_SLOTS];
} race_state_t;

/* ---- race_step.c: whether a store that was checked has been executed, too ---- */

/* race_step_enter(): a workgroup begins on the thread. race_step_leave(): its state is about to be
 * freed. */
void race_step_enter(race_state_t *s);
void race_step_leave(race_state_t *s);
/* race_step(): all accesses that the workgroup has checked have been executed. race_step_stores():
 * the workgroup is about to check a store. */
void race_step(race_state_t *s);
void race_step_stores(race_state_t *s);

/* A store of another workgroup that has been checked and may not have been executed yet. */
typedef struct {
    const race_worker_t *worker; /* NULL: no store is awaited */
    uint32_t owner, step;
    unsigned turns;
} race_awaited_t;
typedef enum {
    RACE_TURN_AGAIN,
    RACE_TURN_OVER, /* the store has been executed, or the wait took too long */
    RACE_TURN_ITS   /* the other workgroup waits for this one and compares the values for both */
} race_turn_t;
race_awaited_t race_step_of(const race_state_t *s, uint32_t owner);
/* Waits a short while for the store; the caller compares values after each wait. The caller calls
 * race_step_waited() when it has stopped waiting, whatever the answer was. */
race_turn_t race_step_turn(race_state_t *s, race_awaited_t *a);
void race_step_waited(race_state_t *s);

/* ---- race_rule.c: which two accesses are in a race ---- */

/* Shadow words whose accesses are known to happen before all accesses of the one that is being
 * checked: words below `floor`, and `n_before` from `before` on. */
typedef struct {
    uint64_t floor, before, n_before;
} race_known_t;

/* An access that is being checked, and the result: the lanes that are in a race, with the details
 * of the first of them. */
typedef struct {
    race_kind_t kind;
    bool in_lds;
    uint64_t word; /* shadow word of the access, without lane and mask */
    race_known_t known;
    uint64_t again; /* the mask of race_again() */
    const race_site_t *site;
    /* of a wave: */
    race_state_t *s;
    const isa_wave_t *w;
    const isa_inst_t *i;
    unsigned wave, element; /* element: which of an instruction with two */
    /* of a copy, or of a handler that frees memory; NULL for waves */
    race_copy_t *copy;
    /* result: */
    uint64_t lanes;     /* the lanes that are in a race; the rest is about the first: */
    uint64_t va;        /* address of its access, */
    uint64_t other;     /* shadow word of the other access, */
    bool other_is_read; /* and whether that other access is a read */
} race_access_t;

/* Makes *x the access of a wave, except for `known`, `again` and the members of the result. `when`:
 * owner and time, as in a shadow word. The fields are set one by one: clearing *x first would take
 * as long as some checks. */
static inline void race_begin(race_access_t *x, race_state_t *s, const isa_wave_t *w,
                              const isa_inst_t *i, const race_site_t *site, race_kind_t kind,
                              uint64_t when)
{
    const uint64_t wave = w->index_in_group;
    const bool atomic = kind == RACE_RMW || site->tries || (kind == RACE_LOAD && site->atomic);
    x->kind = kind;
    x->in_lds = false;
    x->word = when | wave << RACE_WAVE_SHIFT | (uint64_t)site->id << RACE_SITE_SHIFT |
              (atomic ? RACE_ATOMIC : 0);
    x->site = site;
    x->s = s;
    x->w = w;
    x->i = i;
    x->wave = (unsigned)wave;
    x->element = 0;
    x->copy = NULL;
    x->lanes = 0;
}

/* The rule. Compares an access with a recorded one that is not known to happen before it, and
 * records the lane if the two are in a race. The access is to `bytes` bytes at `va`, which are in
 * one dword and begin at byte `from` of the lane's element. */
void race_compare(race_access_t *x, uint64_t word, bool is_read, unsigned lane, uint64_t va,
                  uint32_t from, uint32_t bytes);

/* Shadow word of a lane's access to the bytes `mask` of a dword. */
static inline uint64_t race_word(const race_access_t *x, unsigned lane, uint32_t mask)
{
    return x->word | (uint64_t)lane << RACE_LANE_SHIFT | (uint64_t)mask << RACE_MASK_SHIFT;
}

/* The word to store after an access: the bytes that the same wave accessed at the same time stay in
 * the mask. */
static inline uint64_t race_merged(uint64_t old, uint64_t word)
{
    return (old ^ word) >> RACE_TIME_SHIFT ? word : word | (old & RACE_MASK_BITS);
}

/* Of `left` bytes from `va` on, how many are in the first dword. */
static inline uint32_t race_in_dword(uint64_t va, uint32_t left)
{
    const uint32_t to_next = 4 - (uint32_t)va % 4;
    return left < to_next ? left : to_next;
}

/* ---- race_lds.c ---- */

/* `element`: which of its elements, for an instruction with two (ds_write2 and its like). */
void race_lds(chk_group_t *g, race_state_t *s, isa_wave_t *w, const isa_inst_t *i,
              const race_site_t *site, race_kind_t kind, sgc_lanes_t *a, unsigned element);

/* ---- race_global.c ---- */

/* Whether the bytes that the lane or the copy stores are in memory already, or will be when the
 * store of the shadow word `other` has been executed. */
bool race_global_same(race_access_t *x, uint64_t other, unsigned lane, uint64_t va, uint32_t from,
                      uint32_t bytes);

void race_global(chk_group_t *g, race_state_t *s, isa_wave_t *w, const isa_inst_t *i,
                 const race_site_t *site, race_kind_t kind, sgc_lanes_t *a);
/* A scalar load: one access for the whole wave. */
void race_global_scalar(chk_group_t *g, race_state_t *s, isa_wave_t *w, const isa_inst_t *i,
                        const race_site_t *site, uint64_t va, uint32_t bytes);
/* race_global_made(): the program has allocated this memory: it has no accesses yet, and they are
 * recorded from now on. race_global_going(): the memory is about to be freed. */
void race_global_made(uint64_t begin, uint64_t bytes);
/* As race_global_made(), for the mapping of the kernel's code object when it is first seen: the
 * mapping holds its variables, which no call announces. */
void race_global_code(const struct sg_memory *m, uint64_t kernel_object);
void race_global_going(uint64_t begin, uint64_t bytes);
void race_global_forget(void); /* clears the whole shadow */
/* A copy is about to read from `from` and to write to `to`; an address of 0: it does not read, or
 * not write. */
void race_global_copy(const struct sg_memory *m, uint64_t from, uint64_t to, uint64_t bytes);
/* After an atomic access that returns a value: orders the wave after the waves that wrote the
 * value. */
void race_global_synchronise(race_state_t *s, const isa_wave_t *w, sgc_lanes_t *a);

/* ---- race_run.c: dispatches, and the order between their workgroups ---- */

void race_run_begin(const chk_dispatch_t *d);
void race_run_end(const chk_dispatch_t *d);
/* A workgroup begins. Sets s->run; NULL if the dispatch is not checked or had too many
 * workgroups. */
void race_run_enter(race_state_t *s, uint64_t serial, uint64_t group);
/* Whether the access of the word happens before the wave's present access. Not to be called for
 * words of the wave itself, or below the floor. */
bool race_run_ordered(race_state_t *s, unsigned wave, uint64_t word, bool is_read);
/* The slot of an address at which waves synchronise, as a bit of 64. */
static inline uint64_t race_run_slot(uint64_t va)
{
    return UINT64_C(1) << ((va >> 2) * BASE_GOLDEN >> 58);
}
void race_run_release(race_state_t *s, unsigned wave, uint64_t slots);
void race_run_acquire(race_state_t *s, unsigned wave, uint64_t slots);
/* Whether any wave of the dispatch has published. */
bool race_run_has_published(const race_state_t *s);
/* Whether all accesses of the owner happen before all accesses of the workgroup. Also true of owner
 * 0, that of memory without accesses. */
static inline bool race_run_is_before(const race_state_t *s, uint32_t owner)
{
    return owner < s->floor || owner - s->before < s->n_before;
}
/* The workgroup has read, by an access that synchronises, the value that the access of the shadow
 * word has written. */
void race_run_synchronise(race_state_t *s, unsigned wave, uint64_t word);
/* The workgroup writes to host memory: the program may poll for it, and is ordered after the
 * dispatch from then on. */
void race_run_publish_to_host(race_state_t *s);
/* Fills in the workgroup, kernel, dispatch and call of the access that the word describes;
 * kernel_object is 0 for a copy. Returns the memory of the dispatch's GPU; NULL for a copy, or if
 * the owner is no longer recorded. */
const struct sg_memory *race_run_describe(uint64_t word, chk_other_t *o);

/* A copy has one owner for each pair of serial and program call. False: it is not checked. */
bool race_run_copy(race_copy_t *c, uint64_t serial, uint64_t call);
/* race_run_pass(): the same for a handler that frees memory, an actor that makes no access itself.
 * False: every access so far happens before it. */
bool race_run_pass(race_copy_t *c, uint64_t serial);
bool race_run_copy_ordered(race_copy_t *c, uint64_t word);

/* ---- race.c ---- */

/* Reports the race that *a has found. `more`: one more line of text, or NULL. */
void race_report(const chk_group_t *g, chk_kind_t kind, const race_access_t *a, uint32_t bytes,
                 const char *more);
/* The same for a copy, which reads or writes all of a span. */
void race_report_copy(const struct sg_memory *m, chk_span_t all, const race_access_t *a);
/* Reports that `bytes` bytes were freed although the access that *a has found may still use one of
 * them. */
void race_report_free(uint64_t bytes, const race_access_t *a);
/* Whether the bytes that the lane stores are in memory already. `at`: those bytes, on the host;
 * `from`: the first byte of the lane's element that is compared with them. */
bool race_same(const race_access_t *x, unsigned lane, const uint8_t *at, uint32_t from,
               uint32_t bytes);

#endif
