/* init.h - which bits of registers and memory have never been written: shared by the files of the
 * init check.
 *
 * The shadow of a register has a 1 for every undefined bit. A VGPR also has a mask of the lanes
 * with undefined bits, which is tested first and is 0 for most registers. init_alu.c derives the
 * shadow of a result from those of the operands, init_memory.c records which bytes of memory have
 * been written, init_access.c moves shadows between registers and memory, and init.c reports
 * undefined values where they matter. */
#ifndef SOFTGPU_CHECK_INIT_H
#define SOFTGPU_CHECK_INIT_H

#include "softgpu/check/part.h"

#include "softgpu/exec/exec.h"

/* ---- where undefined bits come from ---- */

typedef enum {
    CHK_FROM_NOWHERE,
    CHK_FROM_VGPR, /* `at`: its row in the vector file */
    CHK_FROM_SGPR, /* `at`: its operand code */
    CHK_FROM_MEMORY,
    CHK_FROM_LDS, /* `at`: the offset */
    CHK_FROM_SCRATCH
} chk_from_t;

typedef struct {
    uint64_t at;
    uint64_t pc; /* of the load that read it; 0: none */
    chk_from_t from;
    uint16_t wave; /* the wave that loaded it, */
    uint8_t lane;  /* and the lane whose address `at` is; CHK_NO_LANE: a scalar load */
} chk_origin_t;

enum { CHK_NO_LANE = 0xff };

/* ---- shadows of a wave ---- */

enum { CHK_SCRATCH_PAGE = 4096 };

typedef struct {
    uint64_t some[ISA_VGPR_ROWS]; /* lanes with an undefined bit */
    uint64_t part[ISA_VGPR_ROWS]; /* of these, the lanes whose undefined bits are in `bits`; in
                                     lanes of `some` alone all bits are undefined */
    /* row_from is the origin of the undefined bits of the lanes in row_lanes, which got theirs
     * last; row_before is that of most other lanes. A row has two origins because an instruction
     * that runs with some lanes off leaves these lanes their old values, whose origin is another
     * one. */
    chk_origin_t row_from[ISA_VGPR_ROWS], row_before[ISA_VGPR_ROWS];
    uint64_t row_lanes[ISA_VGPR_ROWS];
    uint32_t scalar[ISA_SCALARS];
    chk_origin_t scalar_from[ISA_SCALARS];
    chk_origin_t scc_from;
    uint32_t scc; /* shadow of SCC: 0 or 1 */
    /* Lanes whose scales of A and of B, which v_mfma_ld_scale_b32 has read, are undefined. */
    uint64_t scales[2];
    chk_origin_t scales_from;
    uint32_t n_rows;
    uint32_t acc_offset;
    uint32_t mask_dwords; /* SGPRs of a set of lanes: 2, or 1 in waves of 32 lanes */
    /* Registers whose origin is still "never written", as at the start of a wave: the first
     * `rows_named` rows, and all SGPRs if scalars_named is true. */
    uint32_t rows_named;
    bool scalars_named;
    bool any_part; /* `part` is not all 0 */
    isa_row_t *bits;
    /* The shadow of the wave's scratch, a byte for each byte. A page of scratch is all undefined
     * while its element of scratch_page differs from page_number. */
    uint8_t *scratch;
    uint32_t *scratch_page, page_number;
    /* By dword of scratch: the number in chk_init_t.origin of the undefined value that was stored
     * there last. Valid in pages whose scratch_from_page is page_number. */
    uint32_t *scratch_from, *scratch_from_page;
} chk_shadow_t;

/* A wave begins; *s is zeroed, or has the state of an earlier wave. Defined are `scalars` SGPRs
 * from s0 on, the rows of work-item ids, and all other registers that the command processor sets;
 * the rest is undefined. */
void chk_shadow_start(chk_shadow_t *s, const isa_dispatch_t *d, uint32_t scalars);

static inline unsigned chk_row_of(const chk_shadow_t *s, const isa_operand_t *o)
{
    return isa_row_number(s->acc_offset, o);
}

/* The undefined bits of VCC. */
static inline uint64_t chk_vcc_some(const chk_shadow_t *s)
{
    const uint64_t high = s->mask_dwords == 2 ? s->scalar[ISA_CODE_VCC + 1] : 0;
    return s->scalar[ISA_CODE_VCC] | high << 32;
}

static inline void chk_vcc_define(chk_shadow_t *s)
{
    s->scalar[ISA_CODE_VCC] = 0;
    if (s->mask_dwords == 2) s->scalar[ISA_CODE_VCC + 1] = 0;
}

/* The undefined bits of all lanes of a row. */
void chk_row_get(const chk_shadow_t *s, unsigned row, uint32_t *bits);
/* Sets the undefined bits of these lanes of a row; `from` is their origin. NULL: they keep it. */
void chk_row_set(chk_shadow_t *s, unsigned row, uint64_t lanes, const uint32_t *bits,
                 const chk_origin_t *from);

/* What a row's shadow was, to be brought back. */
typedef struct {
    isa_row_t bits;
    chk_origin_t from, before;
    uint64_t lanes;
} chk_row_shadow_t;
void chk_row_keep(const chk_shadow_t *s, unsigned row, chk_row_shadow_t *kept);
void chk_row_bring(chk_shadow_t *s, unsigned row, const chk_row_shadow_t *kept);

/* The lanes in which an operand's registers have an undefined bit; all lanes (~0) if a scalar has
 * one. */
static inline uint64_t chk_operand_some(const chk_shadow_t *s, const isa_operand_t *o)
{
    uint64_t some = 0;
    const unsigned n = isa_operand_dwords(o);
    if (isa_is_row(o)) {
        const unsigned row = chk_row_of(s, o);
        some = s->some[row];
        for (unsigned k = 1; k < n; k++)
            some |= s->some[row + k];
    } else if (o->kind == ISA_OPK_SGPR) {
        for (unsigned k = 0; k < n; k++)
            some |= s->scalar[o->reg + k];
        some = some ? ~UINT64_C(0) : 0;
    } else if (o->kind == ISA_OPK_SPECIAL && o->reg == ISA_CODE_SCC) {
        some = s->scc ? ~UINT64_C(0) : 0;
    }
    return some;
}

/* The origin of most of the undefined lanes of a row among `lanes`. */
const chk_origin_t *chk_row_from(const chk_shadow_t *s, unsigned row, uint64_t lanes);
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

/* chk_alu_t.quick: the properties of an instruction that chk_alu_step() tests. */
enum {
    CHK_QUICK_LANES = 1 << 0,     /* a lane's result depends on its own operands alone */
    CHK_QUICK_ALL_LANES = 1 << 1, /* writes all lanes, whatever EXEC is */
    CHK_QUICK_OLD = 1 << 2,       /* the result depends on the old value of the destination */
    CHK_QUICK_OF_SCC = 1 << 3,
    CHK_QUICK_OF_VCC = 1 << 4,
    CHK_QUICK_TO_SCC = 1 << 5,
    CHK_QUICK_TO_VCC = 1 << 6,
    CHK_QUICK_KNOWN = 1 << 7, /* the result does not depend on the operands */
    CHK_QUICK_MOVREL = 1 << 8,
    CHK_QUICK_SCALED = 1 << 9, /* a matrix instruction that can have scales */
    CHK_QUICK_IMPLICIT = CHK_QUICK_OF_SCC | CHK_QUICK_OF_VCC | CHK_QUICK_SCALED,
    CHK_PARTIAL_FLAGS = ISA_F_DPP | ISA_F_DSTSEL /* as CHK_QUICK_OLD */
};

typedef struct {
    uint16_t quick;
    isa_data_t of; /* how the result depends on the operands */
    bool old;      /* the result depends on the old destination: a part of it is unchanged, or */
    bool tied;     /* it is an operand as well */
    bool swaps;    /* the first source is written, too */
    bool truth;    /* SCC says whether the result is not 0 */
} chk_alu_t;

extern chk_alu_t chk_alu_table[];
/* Fills in chk_alu_table, once; runs instructions on the core to find the bits that they leave
 * unchanged. */
void chk_alu_rules(const isa_core_t *core);

/* The lab: a wave that belongs to the checker, on which it runs instructions with other values of
 * their operands. */
typedef struct {
    isa_wave_t wave;
    const isa_core_t *core;
    isa_row_t *rows; /* ISA_VGPR_ROWS; no kernel has registers in the rows from CHK_FRESH on
                        (init_ask.h) */
} chk_lab_t;

/* False: out of memory. */
bool chk_lab_make(chk_lab_t *l);
void chk_lab_free(chk_lab_t *l);

/* Whether the instruction's encoding says that a part of its destination stays unchanged. SDWA does
 * so if its result is a part of the register, unless it fills the rest. */
static inline bool chk_keeps_part(const isa_inst_t *i)
{
    if (i->flags & ISA_F_SDWA)
        return i->dst_sel != ISA_SEL_DWORD && i->dst_unused == ISA_UNUSED_KEEP;
    return i->flags & CHK_PARTIAL_FLAGS;
}

/* Whether a part of its destination may stay: ISA_MOD_KEEP is set for some results of 32 bits, too.
 */
static inline bool chk_is_partial(const isa_inst_t *i)
{
    const bool keeps = isa_is_row(&i->dst) && i->dst.mods & ISA_MOD_KEEP;
    return chk_keeps_part(i) || (keeps && !(i->flags & ISA_F_SDWA));
}

/* Updates the shadows of registers for an instruction that is about to run: init_shadow.c. The same
 * for one with an undefined operand is chk_alu_slow(), and for an instruction that is two (VOPD),
 * on its page, chk_alu_dual(). */
void chk_alu_step(chk_lab_t *l, chk_shadow_t *s, const isa_wave_t *w, const isa_inst_t *i);
void chk_alu_slow(chk_lab_t *l, chk_shadow_t *s, const isa_wave_t *w, const isa_inst_t *i);
void chk_alu_dual(chk_lab_t *l, chk_shadow_t *s, const isa_wave_t *w, const isa_inst_t *i);

/* ---- memory: init_memory.c ---- */

/* An allocation for which writes to each byte are recorded. */
typedef struct chk_bytes {
    uint64_t begin, end;
    uint8_t *host;
    _Atomic uint64_t *written; /* a bit for each byte */
    _Atomic uint32_t
        *held; /* by dword: the last known value of an unwritten one, XOR its pattern */
    struct chk_bytes *next; /* in the list of allocations that are freed once no dispatch runs */
} chk_bytes_t;

typedef struct {
    uint64_t epoch;
    struct {
        uint64_t begin, end;
        chk_bytes_t *bytes; /* NULL: every byte of the span counts as written */
    } span[4];
    unsigned next;
} chk_bytes_memo_t;

/* The watched allocation of an address; NULL: the memory there counts as written. */
chk_bytes_t *chk_bytes_find(chk_bytes_memo_t *memo, uint64_t va);
/* Whether all of [va, va + bytes) is known to be written; `va` is in the allocation. */
bool chk_bytes_whole(const chk_bytes_t *b, uint64_t va, uint64_t bytes);
/* The same for up to 16 bytes at any address, in line. */
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
/* Whether no lane's address is in a watched allocation. */
bool chk_bytes_none(chk_bytes_memo_t *memo, const sgc_lanes_t *lanes);
/* chk_bytes_unwritten(): the bytes, of up to 16, that have never been written, as a bit mask. Also
 * detects writes by the host. */
uint32_t chk_bytes_unwritten(chk_bytes_t *b, uint64_t va, uint32_t bytes);
void chk_bytes_write(chk_bytes_t *b, uint64_t va, uint64_t bytes);
/* `data` is about to be stored there; the bytes in `undefined`, by bit, have no value. */
void chk_bytes_store(chk_bytes_t *b, uint64_t va, const uint8_t *data, uint32_t bytes,
                     uint32_t undefined);

void chk_bytes_made(uint64_t begin, uint64_t bytes);
void chk_bytes_going(uint64_t begin, uint64_t bytes);
/* A dispatch or a transfer begins and ends: no allocation's state is freed in between. */
void chk_bytes_hold(void);
void chk_bytes_release(void);
void chk_bytes_transfer(const struct sg_memory *m, uint64_t from, uint64_t to, uint64_t bytes);

/* ---- instructions that access memory: init_access.c ---- */

enum { CHK_ORIGINS = 4096, CHK_NODES = 256 /* a power of two */ };

/* What a workgroup's tests have shown of the nodes that a lane tests its ray against, by a digest
 * of their addresses, of what is read of them and of the bytes that nobody has written: for how
 * many lanes these bytes had no effect, one after the other. */
typedef struct {
    uint64_t digest;
    uint32_t clean;
} chk_nodes_t;

typedef struct {
    chk_lab_t lab;
    chk_bytes_memo_t memo;
    chk_shadow_t *wave;
    uint32_t n_waves, room; /* rows of chk_shadow_t.bits that each wave has room for */
    uint32_t scratch_room;
    uint8_t *lds;
    uint32_t lds_room, lds_bytes;
    /* The bytes below this offset of LDS are all defined, so accesses to them need no look-up.
     * UINT32_MAX: all of LDS is defined. */
    uint32_t lds_clear;
    /* By dword of LDS: as chk_shadow_t.scratch_from. Valid only if lds_named; otherwise all count
     * as 0. */
    uint32_t *lds_from;
    bool lds_named;
    /* The origins of undefined values that were stored in LDS and scratch, numbered from 1 on. When
     * the table is full, further values get its last number, which says "from nowhere". */
    chk_origin_t origin[CHK_ORIGINS];
    uint32_t n_origins;
    chk_nodes_t nodes[CHK_NODES]; /* init_rays.c */
} chk_init_t;

/* An error of an access other than its address: the lanes concerned, and the origin of the first
 * lane's value. */
typedef struct {
    uint64_t lanes;
    chk_origin_t from;
} chk_wrong_t;

typedef struct {
    chk_wrong_t
        stored; /* undefined values are stored in memory that other lanes or the host can read */
    chk_wrong_t changed; /* an atomic operation changes memory that has never been written */
} chk_access_t;

void chk_access_rules(void);
void chk_access_vector(chk_group_t *g, chk_init_t *s, chk_shadow_t *h, const isa_wave_t *w,
                       const isa_inst_t *i, chk_access_t *a);
void chk_access_lds(chk_group_t *g, chk_init_t *s, chk_shadow_t *h, const isa_wave_t *w,
                    const isa_inst_t *i, chk_access_t *a);
void chk_access_scalar(chk_init_t *s, chk_shadow_t *h, const isa_wave_t *w, const isa_inst_t *i,
                       chk_access_t *a);

/* Tests of rays against nodes of trees: init_rays.c. */
void chk_access_rays(chk_init_t *s, chk_shadow_t *h, const isa_wave_t *w, const isa_inst_t *i);

#endif
