/* hazard.c - the hazard check: finds missing waits for loads, missing wait states, and accesses to
 * LDS that are not waited for before a barrier. The hardware leaves all of these to software.
 *
 * hazard_use.h derives what matters of an instruction, hazard_wave.h tracks the operations in
 * flight of a wave, hazard_lds.h a workgroup's accesses to LDS. This file connects them to part.h
 * and writes the reports. */
#include "softgpu/check/part.h"

#include "base/text.h"
#include "isa/waits.h"
#include "softgpu/check/hazard_lds.h"
#include "softgpu/exec/code.h"

#include <stdio.h>
#include <string.h>

enum {
    USES = 8192, /* entries of the cache of chk_use_t, indexed by dword of code; a power of two */
};

typedef struct {
    chk_use_t use[USES];
    chk_hazard_wave_t wave[ISA_GROUP_WAVES];
    chk_lds_t lds;
} state_t;

/* group.c allocates the memory with a smaller alignment than state_t needs: the state begins at the
 * first cache line inside that memory. */
static state_t *state_in(void *memory)
{
    const uintptr_t at = (uintptr_t)memory, line = _Alignof(state_t);
    return (state_t *)((at + line - 1) / line * line);
}

static void wants(uint8_t *wants)
{
    memset(wants, ISA_WANTS_BEFORE, ISA_OP_COUNT);
}

static void start(chk_group_t *g, void *state, const isa_group_t *group)
{
    state_t *s = state_in(state);
    (void)g;
    for (unsigned k = 0; k < group->n_waves && k < ISA_GROUP_WAVES; k++)
        chk_hazard_start(&s->wave[k]);
    chk_lds_start(&s->lds, group);
}

/* ---- reports ---- */

static void name_register(char *text, size_t room, const isa_wave_t *w, unsigned reg)
{
    static const struct {
        uint8_t code;
        const char *name;
    } special[] = {{ISA_CODE_FLAT_SCRATCH, "flat_scratch_lo"},
                   {ISA_CODE_FLAT_SCRATCH + 1, "flat_scratch_hi"},
                   {ISA_CODE_VCC, "vcc_lo"},
                   {ISA_CODE_VCC + 1, "vcc_hi"},
                   {ISA_CODE_M0, "m0"},
                   {ISA_CODE_EXEC, "exec_lo"},
                   {ISA_CODE_EXEC + 1, "exec_hi"}};
    const unsigned code = reg - CHK_REG_SCALAR;
    if (reg >= CHK_REG_SCALAR) {
        snprintf(text, room, "s%u", code);
        for (size_t k = 0; k < sizeof special / sizeof *special; k++)
            if (special[k].code == code && code >= w->group->dispatch->arch->formats->sgprs)
                snprintf(text, room, "%s", special[k].name);
    } else {
        const isa_vector_register_t v = isa_register_of_row(w, reg);
        snprintf(text, room, "%c%u", v.file, v.number);
    }
}

/* The instruction that would have waited for the operation, where each counter has one of its own.
 */
static void name_wait_apart(char *text, size_t room, const chk_hazard_t *h)
{
    if (h->flow == CHK_FLOW_ANY)
        snprintf(text, room, "s_wait_kmcnt 0x0");
    else if (h->flow == CHK_FLOW_FLAT_MEMORY)
        snprintf(text, room, "s_wait_loadcnt 0x0");
    else if (h->flow == CHK_FLOW_FLAT || h->flow == CHK_FLOW_FLAT_MIXED)
        snprintf(text, room, "s_wait_loadcnt_dscnt 0x0");
    else
        snprintf(text, room, "%s 0x%x",
                 h->flow == CHK_FLOW_VM        ? "s_wait_loadcnt"
                 : h->flow == CHK_FLOW_SAMPLES ? "s_wait_samplecnt"
                 : h->flow == CHK_FLOW_RAYS    ? "s_wait_bvhcnt"
                 : h->flow == CHK_FLOW_LDS     ? "s_wait_dscnt"
                                               : "s_wait_expcnt",
                 h->behind);
}

/* The same of any GPU. */
static void name_wait(char *text, size_t room, const isa_arch_t *arch, const chk_hazard_t *h)
{
    static const char *const counters[CHK_FLOWS] = {
        [CHK_FLOW_VM] = "vmcnt", [CHK_FLOW_LDS] = "lgkmcnt", [CHK_FLOW_EXP] = "expcnt"};
    if (arch->lds_apart) {
        name_wait_apart(text, room, h);
        return;
    }
    if (h->flow == CHK_FLOW_ANY)
        snprintf(text, room, "s_waitcnt lgkmcnt(0)");
    else if (h->flow == CHK_FLOW_FLAT_MEMORY)
        snprintf(text, room, "s_waitcnt vmcnt(0)");
    else if (h->flow == CHK_FLOW_FLAT || h->flow == CHK_FLOW_FLAT_MIXED)
        snprintf(text, room, "s_waitcnt vmcnt(0) lgkmcnt(0)");
    else
        snprintf(text, room, "s_waitcnt %s(%u)", counters[h->flow], h->behind);
}

static chk_finding_t finding(const chk_group_t *g, const isa_wave_t *w, const isa_inst_t *i,
                             const chk_use_t *u, chk_kind_t kind)
{
    return u->flags & CHK_USE_VECTOR && w->exec ? chk_finding_lanes(g, w, i, kind, w->exec)
                                                : chk_finding(g, w, i, kind);
}

void chk_hazard_name_other(chk_finding_t *f, const isa_wave_t *w, const char *what, uint64_t pc,
                           unsigned wave)
{
    if (!pc) return;
    f->other = (chk_other_t){.what = what,
                             .pc = pc,
                             .kernel_object = f->kernel_object,
                             .wave = wave,
                             .whole_wave = true,
                             .n_words = 2};
    memcpy(f->other.group, f->group, sizeof f->group);
    const isa_page_t *page = isa_code_page(w->page->code, w->page->core, pc);
    if (page)
        memcpy(f->other.words, &page->words[pc % ISA_PAGE_BYTES / 4], 2 * sizeof *page->words);
    else
        f->other.n_words = 0;
}

static void report(const chk_group_t *g, const isa_wave_t *w, const isa_inst_t *i,
                   const chk_use_t *u, const chk_hazard_t *h)
{
    static const char *const verbs[] = {
        [CHK_HAZARD_READ] = "read", [CHK_HAZARD_OVERWRITE] = "written"};
    static const char *const halves[] = {[CHK_WHOLE] = "",
                                         [CHK_LOW] = ", whose lower half is being loaded,",
                                         [CHK_HIGH] = ", whose upper half is being loaded,"};
    char more[256], reg[24] = "", wait[48];
    chk_finding_t f;
    if (h->reg < CHK_REGS) name_register(reg, sizeof reg, w, h->reg);
    switch (h->kind) {
    case CHK_HAZARD_READ:
    case CHK_HAZARD_OVERWRITE:
        f = finding(g, w, i, u, CHK_KIND_HAZARD_WAIT);
        name_wait(wait, sizeof wait, w->group->dispatch->arch, h);
        snprintf(more, sizeof more,
                 "%s%s is %s; of %u operation%s outstanding %u came after its own: "
                 "%s waits for it",
                 reg, halves[h->half], verbs[h->kind], h->outstanding, base_plural(h->outstanding),
                 h->behind, wait);
        chk_hazard_name_other(&f, w, "outstanding", h->pc, w->index_in_group);
        break;
    case CHK_HAZARD_STATES:
        f = finding(g, w, i, u, CHK_KIND_HAZARD_NOP);
        snprintf(more, sizeof more, "%s%s%s: %u wait state%s needed, %u had (%s)", h->rule->text,
                 *reg ? ", " : "", reg, h->needed, base_plural(h->needed), h->had, h->rule->source);
        chk_hazard_name_other(&f, w, "after", h->pc, w->index_in_group);
        break;
    case CHK_HAZARD_COPY:
        f = finding(g, w, i, u, CHK_KIND_HAZARD_ALU);
        snprintf(more, sizeof more,
                 "%s is read, and the vector ALU has a copy of its old value: s_wait_alu "
                 "depctr_%s(0) waits for the new one (LLVM)",
                 reg, h->wait);
        chk_hazard_name_other(&f, w, "written", h->pc, w->index_in_group);
        break;
    default:
        f = finding(g, w, i, u, CHK_KIND_HAZARD_SCC);
        snprintf(more, sizeof more, "a wave starts with any SCC");
    }
    f.more = more;
    chk_report(&f);
}

/* ---- barriers ---- */

static void arrive(chk_group_t *g, void *state, const isa_wave_t *w)
{
    state_t *s = state_in(state);
    const unsigned k = w->index_in_group;
    (void)g;
    if (k < ISA_GROUP_WAVES) chk_lds_arrive(&s->lds, k, &s->wave[k]);
}

static void barrier(chk_group_t *g, void *state, const isa_group_t *group, uint32_t waiting)
{
    (void)g;
    chk_lds_barrier(&state_in(state)->lds, group, waiting);
}

/* ---- instructions ---- */

static chk_use_t *use_at(state_t *s, const isa_inst_t *i)
{
    return &s->use[(uintptr_t)i / sizeof *i % USES];
}

static bool is_current(const chk_group_t *g, const chk_use_t *u, const isa_inst_t *i)
{
    return u->inst == i && u->dispatch == g->dispatch->serial;
}

static void report_idle(const chk_group_t *g, const isa_wave_t *w, const isa_inst_t *i)
{
    chk_finding_t f = chk_finding(g, w, i, CHK_KIND_HAZARD_EXEC);
    f.more = "EXEC is 0: nothing is changed, a jump might have left it out";
    chk_report(&f);
}

/* The slow path of before(). Not inlined, so that the usual case needs no stack frame. */
__attribute__((noinline)) static void check_closely(chk_group_t *g, state_t *s, isa_wave_t *w,
                                                    const isa_inst_t *i, chk_hazard_wave_t *v,
                                                    chk_use_t *u)
{
    chk_hazard_t found[CHK_HAZARDS_MAX];
    if (!is_current(g, u, i)) {
        chk_use_describe(u, w, i);
        u->dispatch = g->dispatch->serial;
        u->pc = i->pc;
    }
    const unsigned n = chk_hazard_look(v, u, w, i, found);
    for (unsigned k = 0; k < n; k++)
        report(g, w, i, u, &found[k]);
    if (!w->exec) {
        if (u->flags & CHK_USE_STORES && chk_strict(CHK_HAZARD)) report_idle(g, w, i);
        return;
    }
    if (u->flags & (CHK_USE_LDS_READ | CHK_USE_LDS_WRITE | CHK_USE_LDS_FILL) ||
        (u->flow == CHK_FLOW_FLAT && w->group->lds_bytes))
        chk_lds_look(g, &s->lds, v, w, i, u);
}

static void before(chk_group_t *g, void *state, isa_wave_t *w, const isa_inst_t *i)
{
    state_t *s = state_in(state);
    if (w->index_in_group >= ISA_GROUP_WAVES || w->privileged) return;
    chk_hazard_wave_t *v = &s->wave[w->index_in_group];
    chk_use_t *u = use_at(s, i);
    if (is_current(g, u, i) && chk_hazard_is_usual(v, u, w))
        chk_hazard_pass(v, u);
    else
        check_closely(g, s, w, i, v, u);
}

const chk_part_t chk_hazard_part = {.family = CHK_HAZARD,
                                    .bytes = sizeof(state_t) + _Alignof(state_t),
                                    .wants = wants,
                                    .start = start,
                                    .before = before,
                                    .arrive = arrive,
                                    .barrier = barrier};
