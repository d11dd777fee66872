/* translate_emit.h - what the files that write LLVM's assembly share. translate_emit.c writes the
 * function, scalar instructions, branches and calls, and translate_segment.c vector instructions;
 * translate_internal.h says what the other files do. */
#ifndef SOFTGPU_EXEC_TRANSLATE_EMIT_H
#define SOFTGPU_EXEC_TRANSLATE_EMIT_H

#include "softgpu/exec/translate_internal.h"
#include "softgpu/exec/translate_layout.h"
#include "softgpu/exec/translate_text.h"

enum {
    ISA_EMIT_SCC = ISA_CODE_EXEC + 2, /* SCC comes after the registers with codes up to EXEC's */
    ISA_EMIT_MASKS = 32,              /* lane masks that a segment writes, at most */
    ISA_EMIT_OFFERS = 8               /* reads of other lanes' registers in a segment, at most */
};

/* The library's function that widens halves in rows. */
#define ISA_EMIT_WIDEN "fpu_widen_row"

/* A chunk is computed by functions that only note the lanes of rare cases; which cases those are,
 * NaNs or not, chunk.h says. If there is such a lane, nothing of the chunk is stored, and it and
 * those behind it are left to the handlers (translate_rest.c). Code for any EXEC has a loop of its
 * own for a full one. In code for a full EXEC, the ways are chunks beside each other, which one
 * loop computes abreast (translate_abreast.c). */
enum { ISA_EMIT_QUICK, ISA_EMIT_WHOLE, ISA_EMIT_WAYS = 4 };

/* A lane mask that the segment has written to scalar registers from `reg` on. */
typedef struct {
    int reg;
    unsigned variable; /* in which the segment's loop collects the mask's bits */
    /* The chunk's part of the mask, one row a way: dwords are negative in lanes of the mask, and
     * mean nothing in lanes that are not active. */
    unsigned row[ISA_EMIT_WAYS];
} isa_emit_mask_t;

typedef struct {
    isa_text_t text;
    unsigned row[ISA_VGPR_ROWS]; /* the value of each row, 0: not loaded */
    unsigned base, lane;         /* the chunk's first lane: its address in row 0, its number */
    unsigned active;             /* EXEC's bits of the chunk; 0: all lanes are active */
    unsigned active_row;         /* the active lanes as a row, 0: not made yet */
    unsigned rare;               /* negative elements: lanes with rare cases; 0: none */
} isa_emit_way_t;

/* ---- what is known when code is translated (translate_known.c) ---- */

typedef struct isa_known isa_known_t;

/* NULL if out of memory; to be freed. Nothing is known at first. */
isa_known_t *isa_known_new(const isa_plan_t *plan);

/* Nothing is known any more. */
void isa_known_forget(isa_known_t *k);

/* What the instruction writes is not known. */
void isa_known_lose(isa_known_t *k, const isa_inst_t *i);

/* If all that the step, a function of the library on chunks, reads is known, and what it writes
 * does not depend on what was there before, so is what it writes from now on; else false. */
bool isa_known_run(isa_known_t *k, const isa_step_t *s);

/* The dwords of a row, in active lanes; NULL: they are not known. */
const uint32_t *isa_known_row(const isa_known_t *k, unsigned row);

/* The lane mask from scalar register `reg` on, which is known, but for inactive lanes. */
uint64_t isa_known_mask(const isa_known_t *k, unsigned reg);

/* A read of other lanes' dwords in terms of the host's vectors, whose lanes each read from one or
 * two vectors of the row. */
typedef struct {
    uint32_t lane[ISA_ROW]; /* in its vector */
    bool second[ISA_ROW];   /* the lane reads from the second vector */
    uint32_t from[ISA_ROW]; /* of the vector that begins at lane l: [l] is the first lane of the
                               first vector, [l + 1] that of the second one */
    bool two;               /* some vector reads from two */
    bool moves;             /* vectors are moved whole */
    bool back;              /* a lane reads from an earlier chunk */
} isa_exchange_t;

/* Describes the read of lanes `lane`; false if a vector's lanes read from more than two vectors. */
bool isa_known_exchange(isa_exchange_t *x, const uint32_t *lane, unsigned lanes, unsigned vector,
                        unsigned chunk);

/* A row whose dwords other lanes read, and the number of the value that is its address. */
typedef struct {
    unsigned row, variable;
    /* The lanes that are read are known: numbers of two tables, of lanes in their vectors and of
     * the vectors (isa_exchange_t); 0: they are not. */
    unsigned lanes, vectors;
    bool two, moves, ahead; /* isa_exchange_t; ahead: no lane reads from an earlier chunk */
} isa_emit_offer_t;

/* A row of a number that an instruction's quick function has tested for a NaN. */
typedef struct {
    unsigned value; /* of the quick way; 0: none, or a later test is enough */
    uint16_t by;    /* number of the instruction: isa_emitter_t.vectors */
    uint8_t part;   /* of the number (translate_nans.c) */
} isa_emit_noted_t;

/* What translate_abreast.c finds of the segments. */
typedef struct {
    unsigned segment;                    /* number of the current one */
    uint8_t abreast[2 * ISA_PLAN_STEPS]; /* chunks, of each one in the next round */
    /* of the current one: the rows that it uses, chains of instructions to each and the longest;
     * whether it has instructions that are several blocks */
    bool used[ISA_VGPR_ROWS], blocks;
    uint8_t depth[ISA_VGPR_ROWS];
    unsigned longest;
} isa_emit_pace_t;

/* Instructions that are counted at once: so many, from `first` on, of isa_emitter_t.in_groups. */
typedef struct {
    uint16_t first, n;
} isa_emit_group_t;

typedef struct {
    const isa_plan_t *plan;
    const isa_library_t *library;
    isa_text_t entry, code, tail;  /* variables; the blocks; the ways out */
    isa_text_t before, begin, end; /* the segment: before its loop over chunks; around a chunk */
    isa_text_t rest;               /* the segment's instructions as calls of their handlers */
    isa_text_t tables;             /* constants, a dword for each lane */
    isa_known_t *known;
    unsigned next; /* number of the next value or label */
    /* Instructions since the count of those that have run was last brought up to date. */
    unsigned counted;
    const isa_inst_t *ran[ISA_PLAN_STEPS];
    unsigned groups; /* of instructions that are counted at once, so far */
    isa_emit_group_t group[ISA_GROUPS];
    uint8_t in_groups[ISA_PLAN_STEPS]; /* the buckets of their instructions */
    /* Scalar registers: those of the code; those that it uses alone, not only as a half of a pair;
     * pairs that are one variable, by the first register; those whose value the wave has now, as
     * far as the block knows. */
    bool used[ISA_EMIT_SCC + 1], written[ISA_EMIT_SCC + 1];
    bool single[ISA_EMIT_SCC + 1], wide[ISA_EMIT_SCC + 1], stored[ISA_EMIT_SCC + 1];
    /* Vector instructions of the function so far; how many numbers of each one's result no later
     * test shows, and, from the round before, whether a later one shows all of them. */
    unsigned vectors;
    uint8_t unseen[2 * ISA_PLAN_STEPS];
    bool seen[2 * ISA_PLAN_STEPS];
    isa_emit_noted_t noted[ISA_VGPR_ROWS];
    /* the current segment */
    unsigned n;       /* instructions */
    unsigned abreast; /* chunks in one round of the loop */
    isa_emit_pace_t pace;
    isa_emit_way_t way[ISA_EMIT_WAYS], *now; /* the way that is written now */
    bool changed[ISA_VGPR_ROWS];             /* the row has to be stored */
    unsigned exec;                           /* EXEC, of code for any EXEC */
    unsigned n_masks;
    isa_emit_mask_t mask[ISA_EMIT_MASKS];
    bool noted_nans; /* functions that code for NaNs does not call have noted lanes */
    unsigned n_offers;
    isa_emit_offer_t offer[ISA_EMIT_OFFERS];
} isa_emitter_t;

static inline unsigned isa_emit_fresh(isa_emitter_t *e)
{
    return ++e->next;
}

/* ---- scalar registers: values are numbers of LLVM's ---- */

unsigned isa_emit_read(isa_emitter_t *e, isa_text_t *t, unsigned scalar);
void isa_emit_write(isa_emitter_t *e, isa_text_t *t, unsigned scalar, unsigned value);

/* A pair as 64 bits. */
unsigned isa_emit_read_pair(isa_emitter_t *e, isa_text_t *t, unsigned scalar);
void isa_emit_write_pair(isa_emitter_t *e, isa_text_t *t, unsigned scalar, unsigned value);

/* A set of lanes as 64 bits. */
unsigned isa_emit_read_mask(isa_emitter_t *e, isa_text_t *t, unsigned scalar);
void isa_emit_write_mask(isa_emitter_t *e, isa_text_t *t, unsigned scalar, unsigned value);

/* ---- counts by buckets ---- */

/* Makes ran[0] to ran[n - 1], which waves have run since the last group, a group of their own, and
 * emits code that counts a run of it for w->counter. EXEC is as it was for all of them. */
void isa_emit_sums(isa_emitter_t *e, isa_text_t *t, unsigned n);

/* What code that counts needs once: after everything else has been emitted. */
void isa_emit_declare_sums(const isa_emitter_t *e, isa_text_t *t);
void isa_emit_find_sums(const isa_emitter_t *e, isa_text_t *t);

/* ---- segments ---- */

/* Emits a vector instruction in the current segment, or in a new one. */
void isa_emit_chunk(isa_emitter_t *e, const isa_step_t *s);

/* Ends the segment: its rows and lane masks are known to whoever comes after it. */
void isa_emit_close(isa_emitter_t *e);

/* Scalar registers of a lane mask. */
static inline unsigned isa_emit_mask_size(const isa_emitter_t *e)
{
    return isa_page_lanes(e->plan->page) / 32;
}

/* The mask that the segment has written to scalar registers `reg` to `reg` + n - 1 or a part of
 * them; NULL if none. */
const isa_emit_mask_t *isa_emit_pending(const isa_emitter_t *e, unsigned reg, unsigned n);

/* Ends the segment if it has written a mask that the operand reads or replaces. */
void isa_emit_settle(isa_emitter_t *e, const isa_operand_t *o);

/* The chunk's part of row r, as a value of the way that is written now. */
unsigned isa_emit_row(isa_emitter_t *e, unsigned r);

/* Writes a table of a dword for each lane and returns its number. */
unsigned isa_emit_table(isa_emitter_t *e, const uint32_t *dwords);

/* The place in a table of the chunk's lane `ahead`: the number of a pointer. */
unsigned isa_emit_in_table(isa_emitter_t *e, unsigned table, unsigned ahead);

/* The chunk's part of a table, as a row; from lane `ahead` of the chunk on `lanes` elements. */
unsigned isa_emit_from_table(isa_emitter_t *e, unsigned table, unsigned ahead, unsigned lanes);

/* ---- lanes that are left to the handlers ---- */

/* Writes the instruction as a call of its handler: for every instruction of a segment that writes a
 * row or a mask in it, behind its reads of other lanes, and before the mask that it writes is
 * written. */
void isa_emit_rest(isa_emitter_t *e, const isa_step_t *s);

/* Ends the segment's calls; not `rare`: no lane comes to them. `l`: number of the segment. */
void isa_emit_close_rest(isa_emitter_t *e, unsigned l, bool rare);

/* Writes to `rest` that n scalar registers from `first` on are stored to the wave. Their values are
 * read in `before`, as they are now, before the segment's loop. EXEC is none of them. */
void isa_emit_save(isa_emitter_t *e, unsigned first, unsigned n);

/* The address of the instruction's slot in the page, and of its handler. */
unsigned isa_emit_slot(isa_emitter_t *e, isa_text_t *t, const isa_inst_t *slot);
unsigned isa_emit_handler(isa_emitter_t *e, isa_text_t *t, const isa_inst_t *i);

/* The address of a scalar register in the wave. */
unsigned isa_emit_member(isa_emitter_t *e, isa_text_t *t, unsigned s);

/* ---- NaNs ---- */

/* Called before a vector instruction is written: its test will show NaNs of its sources. */
void isa_emit_pass_nans(isa_emitter_t *e, const isa_inst_t *i);

/* Called after it is written: its result is tested. */
void isa_emit_note_nans(isa_emitter_t *e, const isa_inst_t *i);

/* Whether the instruction that is written needs no test, because later ones are enough. */
bool isa_emit_is_seen(const isa_emitter_t *e);

/* Begins a round, which uses what the one before has found. */
void isa_emit_begin_nans(isa_emitter_t *e);

/* ---- loops over chunks ---- */

/* Whether the segment is of code for any EXEC and has a loop of its own for a full one. */
bool isa_emit_is_short(const isa_emitter_t *e);

/* Writes the loops of segment number `l`, which goes on at its block `behind`. */
void isa_emit_loops(isa_emitter_t *e, unsigned l);

/* ---- chunks abreast ---- */

/* Called for each vector instruction of a segment, and when the segment ends. */
void isa_emit_pace(isa_emitter_t *e, const isa_inst_t *i);

/* Whether the result is also a source. */
static inline bool isa_emit_reads_result(const isa_inst_t *i)
{
    return isa_table[isa_table[i->op].body].marks & ISA_IS_TIED;
}
void isa_emit_end_pace(isa_emitter_t *e);

/* ---- loads from LDS, reads of other lanes ---- */

/* Writes the instruction, the way that is written now; false if it is neither. */
bool isa_emit_lanes(isa_emitter_t *e, const isa_inst_t *i);

/* Writes a read of other lanes' registers for the lanes in the variable %left, those that are left
 * to the handlers: a handler would take them for the only active ones. False if it is none. */
bool isa_emit_rest_lanes(isa_emitter_t *e, const isa_inst_t *i);

/* Moves one lane's dword from or to a scalar register. */
void isa_emit_move_lane(isa_emitter_t *e, const isa_inst_t *i);

/* Whether it can be a part of the current segment: lanes read what others had before it. */
bool isa_emit_offer_fits(const isa_emitter_t *e, const isa_inst_t *i);

/* Writes what the segment's reads of other lanes need before its loop. */
void isa_emit_offers(isa_emitter_t *e);

/* Declares LLVM's functions that they call. */
void isa_emit_declare_reads(isa_text_t *t);

#endif
