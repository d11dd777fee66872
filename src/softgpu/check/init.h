/* init.h - what of a wave's registers nobody has given a value: inside the part init alone.
 *
 * The shadow of a register has a 1 for every bit that is undefined. Of a VGPR only a mask of lanes
 * is looked at as long as it is 0, and most masks are. init_alu.c knows what instructions make of
 * undefined operands, init_memory.c which bytes of memory have been written, init_access.c
 * carries shadows between the two, init.c says where an undefined value matters. */
#ifndef SOFTGPU_CHECK_INIT_H
#define SOFTGPU_CHECK_INIT_H

#include "softgpu/check/part.h"

#include "softgpu/isa/isa.h"

/* ---- where undefined bits come from ---- */

typedef enum {
    CHK_FROM_NOWHERE,
    CHK_FROM_VGPR, /* `at`: its row */
    CHK_FROM_SGPR, /* `at`: its code */
    CHK_FROM_MEMORY,
    CHK_FROM_LDS, /* `at`: an offset */
    CHK_FROM_SCRATCH
} chk_from_t;

typedef struct {
    uint64_t at;
    uint64_t pc; /* of the load; 0: none */
    chk_from_t from;
    uint16_t wave; /* that has loaded it, */
    uint8_t lane;  /* of which this is the address; CHK_NO_LANE: a scalar load */
} chk_origin_t;

enum { CHK_NO_LANE = 0xff };

/* ---- shadows of a wave ---- */

enum { CHK_SCRATCH_PAGE = 4096 };

typedef struct {
    uint64_t some[ISA_VGPR_ROWS]; /* lanes with an undefined bit */
    uint64_t
        part[ISA_VGPR_ROWS]; /* of these, lanes whose bits are in `bits`; all of the others' are */
    chk_origin_t row_from[ISA_VGPR_ROWS];
    uint32_t scalar[ISA_SCALARS];
    chk_origin_t scalar_from[ISA_SCALARS];
    chk_origin_t scc_from;
    uint32_t scc; /* 0 or 1 */
    uint32_t n_rows;
    uint32_t acc_offset;
    /* origins that are as a wave starts: of the first rows; of the SGPRs */
    uint32_t rows_named;
    bool scalars_named;
    bool any_part; /* `part` is not all 0 */
    isa_row_t *bits;
    /* the wave's scratch, a byte for each; a page that has another number is all undefined */
    uint8_t *scratch;
    uint32_t *scratch_page, page_number;
    /* by its dwords: chk_init_t.origin of the undefined value that was stored there last; in pages
     * that have the number */
    uint32_t *scratch_from, *scratch_from_page;
    uint32_t scratch_bytes;
} chk_shadow_t;

/* Of zeros, or of another wave: everything is undefined but `scalars` SGPRs from s0, the row of
 * work-item ids, and what the command processor sets besides. */
void chk_shadow_start(chk_shadow_t *s, const isa_dispatch_t *d, uint32_t scalars);

static inline unsigned chk_row_of(const chk_shadow_t *s, const isa_operand_t *o)
{
    return o->reg + (o->kind == ISA_OPK_AGPR ? s->acc_offset : 0);
}

static inline bool chk_is_row(const isa_operand_t *o)
{
    return o->kind == ISA_OPK_VGPR || o->kind == ISA_OPK_AGPR;
}

static inline unsigned chk_dwords(const isa_operand_t *o)
{
    return o->bits > 32 ? o->bits / 32u : 1;
}

/* The undefined bits of all lanes of a row. */
void chk_row_get(const chk_shadow_t *s, unsigned row, uint32_t *bits);
/* Gives the lanes these bits. */
void chk_row_set(chk_shadow_t *s, unsigned row, uint64_t lanes, const uint32_t *bits,
                 const chk_origin_t *from);

enum { CHK_CODE_SCC = 253 }; /* of a source operand */

/* Lanes of an operand's registers with an undefined bit; ~0 where a scalar has one. */
static inline uint64_t chk_operand_some(const chk_shadow_t *s, const isa_operand_t *o)
{
    uint64_t some = 0;
    const unsigned n = chk_dwords(o);
    if (chk_is_row(o)) {
        const unsigned row = chk_row_of(s, o);
        some = s->some[row];
        for (unsigned k = 1; k < n; k++)
            some |= s->some[row + k];
    } else if (o->kind == ISA_OPK_SGPR) {
        for (unsigned k = 0; k < n; k++)
            some |= s->scalar[o->reg + k];
        some = some ? ~UINT64_C(0) : 0;
    } else if (o->kind == ISA_OPK_SPECIAL && o->reg == CHK_CODE_SCC) {
        some = s->scc ? ~UINT64_C(0) : 0;
    }
    return some;
}

const chk_origin_t *chk_operand_from(const chk_shadow_t *s, const isa_operand_t *o, uint64_t lanes);
void chk_operand_define(chk_shadow_t *s, const isa_operand_t *o, uint64_t lanes);

static inline void chk_scalar_set(chk_shadow_t *s, unsigned code, uint32_t bits,
                                  const chk_origin_t *from)
{
    s->scalar[code] = bits;
    if (!bits) return;
    s->scalar_from[code] = *from;
    s->scalars_named = false;
}

/* ---- instructions between registers: init_alu.c, by the rules of init_rules.c ---- */

/* What chk_alu_step() has to know. */
enum {
    CHK_QUICK_LANES = 1 << 0,     /* a lane's result is of its own operands alone */
    CHK_QUICK_ALL_LANES = 1 << 1, /* EXEC does not choose what is written */
    CHK_QUICK_OLD = 1 << 2,       /* what the destination holds has a part in the result */
    CHK_QUICK_OF_SCC = 1 << 3,
    CHK_QUICK_OF_VCC = 1 << 4,
    CHK_QUICK_TO_SCC = 1 << 5,
    CHK_QUICK_TO_VCC = 1 << 6,
    CHK_QUICK_KNOWN = 1 << 7, /* the result does not depend on the operands */
    CHK_QUICK_MOVREL = 1 << 8,
    CHK_PARTIAL_FLAGS = ISA_F_SDWA | ISA_F_DPP | ISA_F_DSTSEL /* the same as OLD */
};

typedef struct {
    uint16_t quick;
    isa_data_t of; /* what the result comes of */
    bool old;      /* CHK_QUICK_OLD: a part of the destination is left alone, or */
    bool tied;     /* it is an operand */
    bool swaps;    /* the first source is written too */
    bool truth;    /* SCC: the result is not 0 */
} chk_alu_t;

extern chk_alu_t chk_alu_table[];
/* Once, with a core to ask. */
void chk_alu_rules(const isa_core_t *core);

/* A wave of our own, on which instructions show what they make of other operands. */
typedef struct {
    isa_wave_t wave;
    const isa_core_t *core;
    isa_row_t *rows; /* ISA_VGPR_ROWS, and as many for results */
} chk_lab_t;

/* False: out of memory. */
bool chk_lab_make(chk_lab_t *l);
void chk_lab_free(chk_lab_t *l);

/* The same, with an undefined operand. */
void chk_alu_slow(chk_lab_t *l, chk_shadow_t *s, const isa_wave_t *w, const isa_inst_t *i);
/* What the instruction is going to make of the shadows of registers; the wave is as before it. */
void chk_alu_step(chk_lab_t *l, chk_shadow_t *s, const isa_wave_t *w, const isa_inst_t *i);

/* ---- memory: init_memory.c ---- */

/* A place whose bytes are watched. */
typedef struct chk_bytes {
    uint64_t begin, end;
    uint8_t *host;
    _Atomic uint64_t *written; /* a bit for each byte */
    _Atomic uint32_t *held;    /* by dword: what an unwritten one holds, less its pattern */
    struct chk_bytes *next;    /* of those that are gone */
} chk_bytes_t;

typedef struct {
    uint64_t epoch;
    struct {
        uint64_t begin, end;
        chk_bytes_t *bytes; /* NULL: they count as written */
    } span[4];
    unsigned next;
} chk_bytes_memo_t;

/* The place of an address, NULL: all there counts as written. */
chk_bytes_t *chk_bytes_find(chk_bytes_memo_t *memo, uint64_t va);
/* Whether all of [va, va + bytes), of which the first is in the place, is known to be written. */
bool chk_bytes_whole(const chk_bytes_t *b, uint64_t va, uint64_t bytes);
/* The same for the element of a lane, of up to 16 bytes, wherever it is. */
static inline bool chk_bytes_has(const chk_bytes_t *b, uint64_t va, uint32_t bytes)
{
    const uint64_t at = va - b->begin, mask = (UINT64_C(1) << bytes) - 1;
    if (va < b->begin || va + bytes > b->end) return false;
    uint64_t unwritten =
        ~atomic_load_explicit(&b->written[at / 64], memory_order_relaxed) >> at % 64;
    if (at % 64 + bytes > 64)
        unwritten |= ~atomic_load_explicit(&b->written[at / 64 + 1], memory_order_relaxed)
                     << (64 - at % 64);
    return !(unwritten & mask);
}
/* None of the lanes is in a place that is watched. */
bool chk_bytes_none(chk_bytes_memo_t *memo, const sgc_lanes_t *lanes);
/* Of up to 16 bytes those, by bit, that nobody has written. */
uint32_t chk_bytes_unwritten(chk_bytes_t *b, uint64_t va, uint32_t bytes);
void chk_bytes_write(chk_bytes_t *b, uint64_t va, uint64_t bytes);
/* `data` is going to be there; of its bytes, those of `undefined` have no value. */
void chk_bytes_store(chk_bytes_t *b, uint64_t va, const uint8_t *data, uint32_t bytes,
                     uint32_t undefined);

void chk_bytes_made(uint64_t begin, uint64_t bytes);
void chk_bytes_going(uint64_t begin, uint64_t bytes);
void chk_bytes_dispatch(int change); /* +1: a dispatch has begun, -1: it has ended */
void chk_bytes_transfer(const struct sg_memory *m, uint64_t from, uint64_t to, uint64_t bytes);

/* ---- instructions that access memory: init_access.c ---- */

enum { CHK_ORIGINS = 4096 };

typedef struct {
    chk_lab_t lab;
    chk_bytes_memo_t memo;
    chk_shadow_t *wave;
    uint32_t n_waves, room; /* rows of the bits of each wave */
    uint32_t scratch_room;
    uint8_t *lds;
    uint32_t lds_room, lds_bytes;
    /* so many bytes from its beginning have nothing undefined: nobody need look; UINT32_MAX: none
     * has */
    uint32_t lds_clear;
    /* by dword: as chk_shadow_t.scratch_from; all 0 and not looked at as long as it is not named */
    uint32_t *lds_from;
    bool lds_named;
    /* of undefined values that were stored in LDS and scratch, from 1 on; the last one, which all
     * beyond share, is nowhere */
    chk_origin_t origin[CHK_ORIGINS];
    uint32_t n_origins;
} chk_init_t;

/* What a load or store finds wrong besides its address: lanes, and where it is from. */
typedef struct {
    uint64_t lanes;
    chk_origin_t from;
} chk_wrong_t;

typedef struct {
    chk_wrong_t stored;  /* undefined values go to memory that others see */
    chk_wrong_t changed; /* an atomic operation changes what nobody has written */
} chk_access_t;

void chk_access_rules(void);
void chk_access_vector(chk_group_t *g, chk_init_t *s, chk_shadow_t *h, const isa_wave_t *w,
                       const isa_inst_t *i, chk_access_t *a);
void chk_access_lds(chk_group_t *g, chk_init_t *s, chk_shadow_t *h, const isa_wave_t *w,
                    const isa_inst_t *i, chk_access_t *a);
void chk_access_scalar(chk_init_t *s, chk_shadow_t *h, const isa_wave_t *w, const isa_inst_t *i,
                       chk_access_t *a);

#endif
