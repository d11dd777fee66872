/* translate_lines.h - instructions of LLVM's lists, and loops of some of them in two rigs.
 *
 * For tests of the translator, besides translate_rig.h: what a loop computes is of no interest, but
 * interpreted and translated it must be the same. */
#ifndef TESTS_ISA_TRANSLATE_LINES_H
#define TESTS_ISA_TRANSLATE_LINES_H

#include "translate_rig.h"

#include "isa/table.h"
#include "softgpu/exec/translate_internal.h"

enum {
    LINES = 8192,
    BODY = 24 /* instructions of a loop at most */
};

typedef struct {
    uint32_t word[ASM_DWORDS];
    unsigned dwords;
} line_t;

static line_t lines[LINES];
static unsigned n_lines;

/* Whether the instruction can be in a loop of these tests: it computes, and leaves what counts the
 * rounds, MODE and the place alone. */
static inline bool is_wanted(const isa_inst_t *i)
{
    const isa_row_desc_t *row = &isa_table[i->op];
    if (row->klass != ISA_CLASS_VALU && row->klass != ISA_CLASS_SALU) return false;
    if (row->writes & ISA_REG_MODE || row->marks & ISA_IS_MOVREL) return false;
    return !(i->dst.kind == ISA_OPK_SGPR && i->dst.reg >= COUNTER - 2 && i->dst.reg <= COUNTER);
}

/* Reads the list of a GPU: what waves of so many lanes have of it, which are `least` lines or more.
 */
static inline void read_lines(const char *file, const isa_arch_t *arch, unsigned lanes,
                              unsigned least)
{
    char text[512];
    FILE *f = fopen(file, "r");
    assert_non_null(f);
    n_lines = 0;
    while (n_lines < LINES && fgets(text, sizeof text, f)) {
        line_t *line = &lines[n_lines];
        uint8_t *bytes = (uint8_t *)line->word;
        unsigned n = 0, byte;
        isa_inst_t i;
        memset(line, 0, sizeof *line);
        while (text[0] != '#' && n < sizeof line->word && sscanf(text + 2 * n, "%2x", &byte) == 1 &&
               text[2 * n] != '\t')
            bytes[n++] = (uint8_t)byte;
        line->dwords = n / 4;
        if (n && isa_decode_lanes(arch, lanes, line->word, line->dwords, &i) > 0 && is_wanted(&i))
            n_lines++;
    }
    fclose(f);
    assert_true(n_lines >= least);
}

/* The words of two instructions that have others on gfx11: s_cbranch_scc1, s_endpgm. */
typedef struct {
    uint32_t branch, end;
} flow_t;

static const flow_t gfx9_flow = {0xbf850000, 0xbf810000};

/* A loop around these instructions in both rigs. */
static inline void put_loop(pair_t *p, const line_t *const *body, unsigned n, flow_t flow)
{
    /* s_addc_u32 s97, s97, s97 keeps SCC; s_sub_u32 s98, s98, 1; s_cmp_lg_u32 s98, 0 */
    static const uint32_t end[] = {0x82616161, 0x80e28162, 0xbf078062};
    rig_t *const rig[2] = {p->interpreted, p->translated};
    for (unsigned k = 0; k < 2; k++) {
        uint32_t *code = rig[k]->code;
        unsigned at = 0;
        for (unsigned j = 0; j < n; j++) {
            memcpy(code + at, body[j]->word, 4 * body[j]->dwords);
            at += body[j]->dwords;
        }
        memcpy(code + at, end, sizeof end);
        at += 3;
        code[at] = flow.branch | (uint16_t) - (int)(at + 1); /* to the first */
        code[at + 1] = flow.end;
    }
}

/* Plans the line's instruction; NULL if it can be no part of a segment. */
static inline const isa_inst_t *plan_alone(rig_t *r, const before_t *b)
{
    static isa_plan_t plan;
    isa_code_invalidate(r->cache);
    isa_code_quiesce(r->cache);
    set_state(r, b);
    assert_true(r->core->set_pc(&r->wave, RIG_CODE));
    plan = (isa_plan_t){.page = r->wave.page, .mode = b->mode, .masked = true, .calls = true};
    if (isa_plan_make(&plan, 0, 0)) return NULL;
    const isa_step_t *s = plan.step;
    return s->kind == ISA_STEP_CHUNK || s->kind == ISA_STEP_DUAL ? s->i : NULL;
}

/* Lanes that a segment leaves to the handlers must not stop the wave, which is not looked at there:
 * of the list, whatever can be a part of a segment does not stop it. `least`: so many lines can. */
static inline void assert_none_stops(pair_t *p, flow_t flow, unsigned least)
{
    rig_t *r = p->translated;
    unsigned tried = 0;
    assert_int_equal(isa_compiler_open(isa_library_for(r->core)), ISA_REFUSED_NOT);
    for (unsigned k = 0; k < n_lines; k++) {
        const line_t *body = &lines[k];
        before_t b;
        make_state(&b, k & 1, 0x2f0);
        put_loop(p, &body, 1, flow);
        const isa_inst_t *i = plan_alone(r, &b), *ip = r->wave.ip;
        if (!i) continue;
        isa_own_handler(r->wave.page, i)(&r->wave, i);
        if (r->wave.stop || r->wave.ip != ip)
            fail_msg("%s, line %u, %s: stop %u, %s", r->core->name, k, isa_table[i->op].mnemonic,
                     r->wave.stop, r->wave.message);
        tried++;
    }
    if (tried < least) fail_msg("%s: only %u instructions of segments", r->core->name, tried);
}

#endif
