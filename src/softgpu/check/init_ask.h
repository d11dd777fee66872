/* init_ask.h - for the rules in init_alu.c: one instruction with undefined operands, and
 * experiments that run it on other values of them.
 *
 * A frame (chk_ask_t) is one instruction of a wave; `from` becomes the origin of the operand that
 * is undefined in most lanes. The frame's shadows are those of the wave and are updated; the wave
 * itself does not change. */
#ifndef SOFTGPU_CHECK_INIT_ASK_H
#define SOFTGPU_CHECK_INIT_ASK_H

#include "softgpu/check/init.h"

enum {
    CHK_VARIABLES = 6,
    CHK_RESULTS = 8, /* rows of a result */
    CHK_FRESH = 520  /* rows of the lab's wave from this one on are no register of any kernel */
};

/* Registers that the instruction reads and whose undefined bits are set to 0 or to 1 together. */
typedef struct {
    enum { CHK_VARY_ROWS, CHK_VARY_SCALARS, CHK_VARY_SCC } kind;
    unsigned at, n;
} chk_variable_t;

typedef struct {
    isa_row_t row[CHK_RESULTS];
    uint32_t scalar[4], exec[2], scc; /* scalar: of dst or dst2 */
} chk_result_t;

typedef struct {
    chk_lab_t *lab;
    chk_shadow_t *s;
    const isa_wave_t *w;
    const isa_inst_t *i;
    const chk_alu_t *a;
    const isa_row_desc_t *op;
    bool scalar;         /* an instruction of the scalar unit */
    bool with_old;       /* a part of the destination may be unchanged */
    unsigned rows, mask; /* rows: of dst; mask: the scalar register that gets a lane mask or the
                            result, 0: none */
    unsigned mask_dwords;
    uint64_t lanes; /* the lanes that are written */
    uint64_t reads; /* those whose operands the instruction reads */
    chk_variable_t variable[CHK_VARIABLES];
    unsigned variables;
    chk_origin_t from;
    unsigned named; /* how much of the operand that `from` is of is undefined; 0: none yet */
    chk_result_t first, differ;
} chk_ask_t;

typedef struct {
    isa_row_t row[4];
    unsigned rows;
    bool packed; /* two halves, or two dwords, of a packed operand */
} chk_view_t;

/* Sets rows, mask and mask_dwords. */
void chk_ask_results(chk_ask_t *f);

static inline bool chk_ask_has_mask(const chk_ask_t *f)
{
    return f->mask || f->i->dst.kind == ISA_OPK_SGPR || f->i->dst2.kind == ISA_OPK_SGPR;
}

/* chk_ask_prepare() copies the registers of the program's wave to the lab's wave. chk_ask_run()
 * runs the instruction on the lab's wave; false: the instruction cannot run there. */
void chk_ask_prepare(chk_ask_t *f);
bool chk_ask_run(chk_ask_t *f, const isa_inst_t *i);

/* Names an operand as an origin of the result. A result has one origin, whatever it is made of:
 * that of the operand which is undefined in most of the lanes that are read or, of the scalar unit,
 * in most bits; of equal ones the first. So a register of which a few lanes are padding does not
 * hide that all lanes of the other operand are undefined. */
void chk_ask_name(chk_ask_t *f, const isa_operand_t *o, uint64_t lanes);
/* The same for an origin that is no operand's; `much`: how many lanes or bits are undefined. */
void chk_ask_name_from(chk_ask_t *f, const chk_origin_t *from, unsigned much);

/* Collects the undefined registers that the instruction reads, except those of the sources in
 * `without`, by bit. */
void chk_ask_variables(chk_ask_t *f, unsigned without);
/* Runs all combinations; f->differ gets the bits in which the results differ. False: the
 * instruction cannot run in the lab. */
bool chk_ask_all(chk_ask_t *f);

bool chk_ask_is_half(const isa_field_t *field);
/* Whether the instruction adds a product of 16 bits to one half of its destination. */
bool chk_ask_is_half_sum(const chk_ask_t *f);
/* Source `n` as the instruction sees it, after selects and DPP: its value, or its shadow. */
void chk_ask_look(chk_ask_t *f, unsigned n, bool values, chk_view_t *v);
/* The lanes in which a controlling operand (of.control), such as a count of bits to shift, has an
 * undefined bit that matters. */
uint64_t chk_ask_controls(chk_ask_t *f);

/* Set the shadows of the results: scalar registers, the lane mask, SCC, and rows; in rows, bits
 * that the instruction does not write keep their shadow. */
void chk_ask_set_scalars(chk_ask_t *f, unsigned reg, const uint32_t *bits, unsigned n);
void chk_ask_set_mask(chk_ask_t *f, uint64_t lanes);
void chk_ask_set_scc(chk_ask_t *f, bool undefined);
void chk_ask_set_rows(chk_ask_t *f, const isa_row_t *u);

#endif
