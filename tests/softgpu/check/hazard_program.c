/* hazard_program.c - see hazard_program.h. */
#include "hazard_program.h"

#include "softgpu/exec/exec.h"
#include "isa/table.h"

#include <stdio.h>
#include <string.h>

enum { PROGRAM = 32, LDS_HIGH = 0x10000 };

const isa_arch_t *hazard_arch = ASM_ARCH;

void hazard_use(unsigned arch, const char *cpu, const char *older)
{
    hazard_arch = &isa_archs[arch];
    asm_set_gpu(older && !asm_knows_gpu(cpu) ? older : cpu);
}

const char *seen_text(const seen_t *seen)
{
    return seen->last.rule ? seen->last.rule->text : "";
}

programs_t *programs_create(void)
{
    programs_t *p = calloc(1, sizeof *p);
    assert_non_null(p);
    return p;
}

void programs_add(programs_t *p, const char *text)
{
    p->used +=
        (size_t)snprintf(p->text + p->used, sizeof p->text - p->used, "%s\ns_endpgm\n", text);
    assert_true(p->used < sizeof p->text);
}

seen_t programs_step(programs_t *p, const isa_wave_t *from, bool scc_known)
{
    isa_wave_t own = *from, *const w = &own;
    static chk_hazard_wave_t wave;
    static isa_inst_t insts[PROGRAM];
    static chk_use_t uses[PROGRAM];
    seen_t seen = {0};
    if (!p->words) p->n_words = asm_words(p->text, &p->words);
    chk_hazard_start(&wave);
    wave.scc_known = scc_known;
    const size_t begin = p->at;
    for (unsigned k = 0;; k++) {
        isa_inst_t *i = &insts[k];
        chk_hazard_t found[CHK_HAZARDS_MAX];
        assert_in_range(k, 0, PROGRAM - 1);
        const int size =
            isa_decode(hazard_arch, p->words + p->at, (unsigned)(p->n_words - p->at), i);
        assert_true(size > 0);
        chk_use_describe(&uses[k], w, i);
        if (uses[k].left_out) fail_msg("%s has too many registers", isa_table[i->op].mnemonic);
        uses[k].pc = HAZARD_CODE + 4 * (p->at - begin);
        p->at += (size_t)size;
        if (i->op == ISA_OP_s_endpgm) return seen;
        if (i->op == ISA_OP_s_mov_b64 && i->dst.reg == ISA_CODE_EXEC) w->exec = i->src[0].k;
        unsigned n = 0;
        if (chk_hazard_is_usual(&wave, &uses[k], w))
            chk_hazard_pass(&wave, &uses[k]);
        else
            n = chk_hazard_look(&wave, &uses[k], w, i, found);
        seen.at_end = n;
        seen.n += n;
        if (n) seen.last = found[n - 1];
    }
}

void programs_free(programs_t *p)
{
    assert_int_equal(p->at, p->n_words);
    free(p->words);
    free(p);
}

seen_t program_step(const char *text, const isa_wave_t *w, bool scc_known)
{
    programs_t *p = programs_create();
    programs_add(p, text);
    const seen_t seen = programs_step(p, w, scc_known);
    programs_free(p);
    return seen;
}

static isa_row_t rows[ISA_VGPR_ROWS];

isa_wave_t hazard_wave(void)
{
    static isa_dispatch_t dispatch = {.shared_base = (uint64_t)LDS_HIGH << 32};
    static isa_group_t group = {.dispatch = &dispatch};
    dispatch.arch = hazard_arch;
    memset(rows, 0, sizeof rows);
    rows[11][63] = LDS_HIGH;                 /* a lane that v[10:11] have in LDS */
    for (unsigned l = 0; l < ISA_LANES; l++) /* v[12:13] have all lanes there */
        rows[13][l] = LDS_HIGH;
    return (isa_wave_t){
        .exec = UINT64_MAX, .acc_offset = HAZARD_ACC_OFFSET, .vgpr = rows, .group = &group};
}
