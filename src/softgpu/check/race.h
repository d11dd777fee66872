/* race.h - what the files of the race check share: words of the shadow, sites, clocks of a
 * workgroup.
 *
 * A word of the shadow says who accessed a dword: one for the last write, one or two for reads. It
 * is read and written as a whole, by any thread, without a lock.
 *
 *      63     40 39  36 35    26 25    12 11    6 5    2     1        0
 *     +---------+------+--------+--------+-------+------+--------+--------+
 *     |  owner  | wave |  time  |  site  |  lane | mask | atomic |  extra |
 *     +---------+------+--------+--------+-------+------+--------+--------+
 *
 * Owner: of global memory the workgroup, numbered through all dispatches; of LDS the time, since
 * each workgroup has a shadow of its own. Owners grow, and all below some owner are in order with
 * whoever looks: one comparison tells. Mask: bytes. Atomic: no race with an atomic access. Extra:
 * of a write to LDS, that it waits in a loop (race_site_t); of a read of global memory, that there
 * is a second reader. */
#ifndef SOFTGPU_CHECK_RACE_H
#define SOFTGPU_CHECK_RACE_H

#include "softgpu/check/part.h"

enum {
    RACE_OWNER_SHIFT = 40,
    RACE_WAVE_SHIFT = 36,
    RACE_TIME_SHIFT = 26,
    RACE_SITE_SHIFT = 12,
    RACE_LANE_SHIFT = 6,
    RACE_MASK_SHIFT = 2,
    RACE_ATOMIC = 2,
    RACE_EXTRA = 1,
    RACE_WAVES = 1 << (RACE_OWNER_SHIFT - RACE_WAVE_SHIFT),
    RACE_TIME_MAX = (1 << (RACE_WAVE_SHIFT - RACE_TIME_SHIFT)) - 1, /* this late, or later */
    RACE_SITES = 1 << (RACE_TIME_SHIFT - RACE_SITE_SHIFT),
    RACE_OWNERS = 1 << (64 - RACE_OWNER_SHIFT),
    RACE_ALL_BYTES = 15,
    RACE_LDS_DWORDS = (64 << 10) / 4
};

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

typedef enum { RACE_LOAD, RACE_STORE, RACE_RMW, RACE_KINDS } race_kind_t;

/* What an instruction does, and the race that it is in: what there is first, by lane. */
typedef struct {
    race_kind_t kind;
    uint64_t word;      /* of the shadow, without lane and mask */
    uint64_t lanes;     /* that are in a race; of the first: */
    uint64_t va;        /* where, */
    uint64_t other;     /* with whom, */
    bool other_is_read; /* and what that does */
} race_access_t;

static inline void race_found(race_access_t *a, unsigned lane, uint64_t va, uint64_t other,
                              bool other_is_read)
{
    if (!a->lanes) {
        a->va = va;
        a->other = other;
        a->other_is_read = other_is_read;
    }
    a->lanes |= UINT64_C(1) << lane;
}

/* Bytes of a dword at `va`, of which `left` are accessed from there on. */
static inline uint32_t race_mask(uint64_t va, uint32_t left)
{
    const uint32_t low = va & 3;
    return (left >= 4 ? RACE_ALL_BYTES : (1u << left) - 1) << low & RACE_ALL_BYTES;
}

/* ---- race_site.c: instructions that have accessed something ---- */

typedef struct {
    uint64_t pc;
    _Atomic uint64_t page; /* serial of the code page it was seen in last: another may have other
                              code around the same instruction */
    uint32_t words[3];
    uint16_t id; /* 0: there is no room for more */
    uint8_t n_words;
    uint8_t data_shift; /* of a store below a dword: where its bits are in the register */
    bool rmw;
    bool atomic; /* an atomic access, or a load that is one: it bypasses the L1 cache, or `waits` */
    bool waits;  /* in a loop that stores nothing and never changes its address: compilers would
                    have moved a load out of it if its value could not change */
    bool tries;  /* a load of what an atomic access to the same address is going to change */
} race_site_t;

/* Bits in which an earlier read of the wave is equal to this one, with `word`, that has nothing to
 * add then: both are of one time, and who has changed the dword in between has met the earlier one.
 * A plain read stands for an atomic one too. 0: there are none. */
static inline uint64_t race_again(const race_site_t *site, race_kind_t kind, uint64_t word)
{
    const bool passes = site->tries && !site->atomic; /* by stores, but they do not pass by it */
    if (kind != RACE_LOAD || passes) return 0;
    return (~UINT64_C(0) << RACE_TIME_SHIFT | RACE_MASK_BITS | RACE_ATOMIC) & ~(word & RACE_ATOMIC);
}

const race_site_t *race_site(const isa_wave_t *w, const isa_inst_t *i, const sgc_op_t *op);
const race_site_t *race_site_of(uint64_t word);

/* ---- race_clock.c: what waves of a workgroup know of each other ---- */

/* Where waves meet by atomic accesses to LDS: by dword, which some share. */
enum { RACE_MEETINGS = 256 };
typedef struct {
    uint32_t time; /* of the last of them */
    uint32_t waves;
    uint32_t when[RACE_WAVES];
} race_meeting_t;

/* Times of a workgroup's waves. What a wave does has the time that it is in; a wave knows of each
 * other up to which time all is before what it does now. */
typedef struct {
    uint32_t now;     /* the last time given out */
    uint32_t barrier; /* all know of all up to it */
    uint32_t begin;   /* when the workgroup began */
    uint32_t own[RACE_WAVES];
    uint32_t done[RACE_WAVES]; /* stores up to this time have reached memory */
    uint32_t known[RACE_WAVES][RACE_WAVES];
    uint32_t told[RACE_WAVES]; /* when it last published something for other workgroups */
    uint32_t stored;           /* waves with stores under way */
    uint32_t met;              /* when a wave has published something by an atomic access to LDS */
    race_meeting_t meeting[RACE_MEETINGS];
} race_clock_t;

/* A workgroup begins. True: the clock has been set back, words of its times mean nothing. */
bool race_clock_begin(race_clock_t *c);
void race_clock_barrier(race_clock_t *c);
/* The wave has waited until its stores have reached memory. */
void race_clock_wait(race_clock_t *c, unsigned wave);
/* An atomic access of the wave to a dword of LDS. */
void race_clock_release(race_clock_t *c, unsigned wave, uint32_t dword);
void race_clock_acquire(race_clock_t *c, unsigned wave, uint32_t dword);
/* The wave has read, and means it, what another has written at `time`. */
void race_clock_meet(race_clock_t *c, unsigned wave, unsigned other, uint32_t time);
/* What the wave knows of another, and of its own stores. */
static inline uint32_t race_clock_knows(const race_clock_t *c, unsigned wave, unsigned other)
{
    if (other == wave) return c->stored >> wave & 1 ? c->done[wave] : c->own[wave] - 1;
    return c->known[wave][other] > c->barrier ? c->known[wave][other] : c->barrier;
}
/* As words of global memory have it. */
static inline uint32_t race_clock_short(const race_clock_t *c, uint32_t time)
{
    const uint32_t t = time < c->begin ? 0 : time - c->begin;
    return t < RACE_TIME_MAX ? t : RACE_TIME_MAX;
}

/* ---- a workgroup ---- */

enum { RACE_SLOTS = 64 }; /* of places where workgroups meet: race_run_slot() */
typedef struct race_run race_run_t;
typedef struct race_worker race_worker_t;

/* What is known of another dispatch or copy, for as long as the workgroup runs. */
enum { RACE_MEMOS = 16 };
typedef struct {
    uint32_t base, end; /* its owners */
    bool ordered;
} race_memo_t;

typedef struct {
    race_clock_t clock;
    /* LDS */
    uint32_t second_time; /* when a second one was written last */
    struct {
        uint64_t write[RACE_LDS_DWORDS], read[RACE_LDS_DWORDS];
    } lds, second;
    /* global memory */
    race_worker_t *worker; /* race_step.c's; NULL: none */
    race_run_t *run;       /* NULL: it is not looked at */
    uint32_t owner;
    /* Owners below the floor are before all that the workgroup does, and so are these. */
    uint32_t floor, before, n_before;
    race_memo_t memo[RACE_MEMOS];
    unsigned next_memo;
    bool meets; /* the instruction that is looked at is an atomic access that reads */
    bool shown; /* it has written to memory of the program's own */
    /* When each wave last read each slot: a wave may learn there of other waves of its workgroup. A
     * row counts once its wave is in read_by. */
    uint32_t read_by; /* waves */
    uint32_t read[RACE_WAVES][RACE_SLOTS];
} race_state_t;

/* ---- race_step.c: how far the workgroups are that run ---- */

/* A workgroup begins; its state is given back. */
void race_step_enter(race_state_t *s);
void race_step_leave(race_state_t *s);
/* All that the workgroup has looked at has been made; it is about to look at a store. */
void race_step(race_state_t *s);
void race_step_stores(race_state_t *s);

/* What another workgroup is about to make. */
typedef struct {
    const race_worker_t *worker; /* NULL: nothing, or it is the asking one */
    uint32_t owner, step;
    unsigned turns;
} race_awaited_t;
typedef enum {
    RACE_TURN_AGAIN,
    RACE_TURN_OVER, /* it has been made, or the wait is too long */
    RACE_TURN_ITS   /* the other waits for this one, and will see for both */
} race_turn_t;
race_awaited_t race_step_of(const race_state_t *s, uint32_t owner);
/* Waits for a short while, unless it is over; when that has been told, or nobody waits any more,
 * race_step_waited(). */
race_turn_t race_step_turn(race_state_t *s, race_awaited_t *a);
void race_step_waited(race_state_t *s);

/* ---- race_lds.c ---- */

/* `element`: of an instruction with two. */
void race_lds(chk_group_t *g, race_state_t *s, isa_wave_t *w, const isa_inst_t *i,
              const race_site_t *site, race_kind_t kind, sgc_lanes_t *a, unsigned element);

/* ---- race_global.c ---- */

void race_global(chk_group_t *g, race_state_t *s, isa_wave_t *w, const isa_inst_t *i,
                 const race_site_t *site, race_kind_t kind, sgc_lanes_t *a);
/* What a wave reads for all its lanes. */
void race_global_scalar(chk_group_t *g, race_state_t *s, isa_wave_t *w, const isa_inst_t *i,
                        const race_site_t *site, uint64_t va, uint32_t bytes);
/* Nobody has accessed it. The first also: from now on it is looked at. */
void race_global_made(uint64_t begin, uint64_t bytes);
/* The same of the mapping that a kernel's code object has, once. */
void race_global_code(const struct sg_memory *m, uint64_t kernel_object);
void race_global_going(uint64_t begin, uint64_t bytes);
void race_global_forget(void); /* all of it */
/* A copy is about to read from there and to write to there; 0: it does one of them only. */
void race_global_copy(const struct sg_memory *m, uint64_t from, uint64_t to, uint64_t bytes);
/* After an atomic access that the wave waits for: who wrote what it has read. */
void race_global_met(race_state_t *s, const isa_wave_t *w, sgc_lanes_t *a);

/* ---- race_run.c: dispatches, and what their workgroups know of each other ---- */

void race_run_begin(const chk_dispatch_t *d);
void race_run_end(const chk_dispatch_t *d);
/* A workgroup begins: its run, NULL where there is none or it has too many workgroups. */
void race_run_enter(race_state_t *s, uint64_t serial, uint64_t group);
/* Is what the word says before what the wave does now? The word is not of this wave, and not below
 * the floor. */
bool race_run_ordered(race_state_t *s, unsigned wave, uint64_t word, bool is_read);
/* Slots of places where workgroups meet: a bit of 64. */
static inline uint64_t race_run_slot(uint64_t va)
{
    return UINT64_C(1) << ((va >> 2) * UINT64_C(0x9e3779b97f4a7c15) >> 58);
}
void race_run_release(race_state_t *s, unsigned wave, uint64_t slots);
void race_run_acquire(race_state_t *s, unsigned wave, uint64_t slots);
/* Has anyone in the dispatch published anything? */
bool race_run_has_met(const race_state_t *s);
/* Are what the owner has done, and what nobody has, known to be before all that the workgroup does?
 */
static inline bool race_run_is_before(const race_state_t *s, uint32_t owner)
{
    return owner < s->floor || owner - s->before < s->n_before;
}
/* The workgroup has read, and means it, what the word says was written. */
void race_run_meet(race_state_t *s, unsigned wave, uint64_t word);
/* The workgroup writes to memory of the program's own, which may wait for that. */
void race_run_show(race_state_t *s);
/* Fills in group, kernel, dispatch and call of the workgroup; no kernel where it was a copy.
 * Returns the memory of its GPU, or NULL. */
const struct sg_memory *race_run_tell(uint64_t word, chk_other_t *o);

/* A copy is an owner too, for as long as it has the same serial and is made for the same call.
 * False: it is not looked at. */
typedef struct {
    uint64_t serial, call;
    uint32_t owner, floor;
    race_memo_t memo[RACE_MEMOS];
    unsigned next_memo;
} race_copy_t;
bool race_run_copy(race_copy_t *c, uint64_t serial, uint64_t call);
/* The same of an actor that accesses nothing itself. False: all is in order of it. */
bool race_run_pass(race_copy_t *c, uint64_t serial);
bool race_run_copy_ordered(race_copy_t *c, uint64_t word);

/* ---- race.c ---- */

/* Reports what *a has found. `more`: another line, or NULL. */
void race_report(const chk_group_t *g, const isa_wave_t *w, const isa_inst_t *i, chk_kind_t kind,
                 const race_access_t *a, uint32_t bytes, const char *more);
/* The same of a copy, which reads all of a span or writes it, and is in a race with the word, of
 * the dword at `va`. */
void race_report_copy(const struct sg_memory *m, const race_copy_t *c, bool writes, chk_span_t all,
                      uint64_t va, uint64_t other, bool other_is_read);
/* Memory has been taken back, which is in a race with the word. */
void race_report_free(uint64_t va, uint64_t bytes, uint64_t other, bool other_is_read);
/* Whether the lane stores what is there: `at` is where, on the host, `from` the first byte of its
 * element that is meant. */
bool race_same(const isa_wave_t *w, const isa_inst_t *i, const race_site_t *site, unsigned element,
               unsigned lane, const uint8_t *at, uint32_t from, uint32_t bytes);

#endif
