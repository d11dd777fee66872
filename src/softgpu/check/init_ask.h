/* init_ask.h - an instruction with undefined operands, and what it makes of other values of them:
 * for the rules of init_alu.c alone.
 *
 * One frame is one instruction of a wave; `from` is the origin of the first undefined operand that
 * has been looked at. The shadows are the wave's, and nothing of the wave itself changes. */
#ifndef SOFTGPU_CHECK_INIT_ASK_H
#define SOFTGPU_CHECK_INIT_ASK_H

#include "softgpu/check/init.h"

enum {
    CHK_VARIABLES = 6,
    CHK_RESULTS = 8, /* rows */
    CHK_FRESH = 520  /* rows of our own wave that no kernel has */
};

/* What the instruction reads: registers that vary together. */
typedef struct {
    enum { CHK_VARY_ROWS, CHK_VARY_SCALARS, CHK_VARY_SCC } kind;
    unsigned at, n;
} chk_variable_t;

typedef struct {
    isa_row_t row[CHK_RESULTS];
    uint32_t scalar[4], exec[2], scc; /* scalar: dst or dst2 */
} chk_result_t;

typedef struct {
    chk_lab_t *lab;
    chk_shadow_t *s;
    const isa_wave_t *w;
    const isa_inst_t *i;
    const chk_alu_t *a;
    const isa_row_desc_t *op;
    bool scalar;         /* an instruction without lanes */
    bool with_old;       /* a part of the destination may be left alone */
    unsigned rows, mask; /* of dst; scalar register of the result that is no row, 0: none */
    unsigned mask_dwords;
    uint64_t lanes; /* that are written */
    chk_variable_t variable[CHK_VARIABLES];
    unsigned variables;
    chk_origin_t from;
    chk_result_t first, differ;
} chk_ask_t;

typedef struct {
    isa_row_t row[4];
    unsigned rows;
    bool packed; /* two halves, or two dwords, for the two of the result */
} chk_view_t;

/* The scalar register that takes what is not for rows: a lane mask, or the result. */
void chk_ask_results(chk_ask_t *f);

static inline bool chk_ask_has_mask(const chk_ask_t *f)
{
    return f->mask || f->i->dst.kind == ISA_OPK_SGPR || f->i->dst2.kind == ISA_OPK_SGPR;
}

/* Our wave as the program's is; and the instruction on it. False: it does not run. */
void chk_ask_prepare(chk_ask_t *f);
bool chk_ask_run(chk_ask_t *f, const isa_inst_t *i);

/* All that is undefined of what it reads; not the sources of `without`, by bit. */
void chk_ask_variables(chk_ask_t *f, unsigned without);
/* Where the results of all combinations of the variables differ. False: it does not run. */
bool chk_ask_all(chk_ask_t *f);

bool chk_ask_is_half(const isa_field_t *field);
/* The shadow of source `n`, or its value, behind its selects. */
void chk_ask_look(chk_ask_t *f, unsigned n, bool values, chk_view_t *v);
/* Lanes of which a control has an undefined bit that counts. */
uint64_t chk_ask_controls(chk_ask_t *f);

/* The shadows of the results: of scalar registers, of the lane mask, of SCC, of rows, of which the
 * bits that the instruction leaves alone stay as they are. */
void chk_ask_set_scalars(chk_ask_t *f, unsigned reg, const uint32_t *bits, unsigned n);
void chk_ask_set_mask(chk_ask_t *f, uint64_t lanes);
void chk_ask_set_scc(chk_ask_t *f, bool undefined);
void chk_ask_set_rows(chk_ask_t *f, const isa_row_t *u);

#endif
