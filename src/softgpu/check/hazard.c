/* hazard.c - the hazard check: finds missing waits for loads, missing wait states, and LDS writes
 * that are not waited for before a barrier. The hardware leaves all of these to software.
 *
 * hazard_use.h says what an instruction means, hazard_wave.h keeps what is under way in a wave.
 * Here are workgroups, LDS, and the reports. */
#include "softgpu/check/part.h"

#include "base/text.h"
#include "softgpu/check/hazard_wave.h"
#include "softgpu/exec/code.h"

#include <stdio.h>
#include <string.h>

enum {
    USES = 8192, /* entries of the cache of instructions' meanings, one per dword of code; a power
                    of two */
    WRITES = 8,  /* how many of a wave's writes to LDS are kept */
    LDS_DWORDS = ISA_GROUP_LDS / 4,
    BY_ATOMIC = 0x80 /* a bit of state_t.writer: the write is atomic, so another atomic access may
                        come in any order */
};

/* One of a wave's last operations that changed LDS. */
typedef struct {
    uint8_t flow;
    uint32_t number;
    uint64_t pc, exec;
    uint16_t op;
    uint32_t offset[2];  /* of its elements, for an instruction with two */
    uint32_t begin, end; /* of a transfer to LDS: the range that it fills */
    isa_row_t at;        /* of other writes: the addresses of the lanes */
} lds_write_t;

typedef struct {
    chk_hazard_wave_t hazards;
    uint32_t n_writes;
    uint32_t fill; /* the number of the last transfer to LDS, as hazards.issued counts them */
    lds_write_t write[WRITES];
} wave_t;

typedef struct {
    chk_use_t use[USES];
    wave_t wave[ISA_GROUP_WAVES];
    /* For each dword of LDS: the wave, from 1 on, whose write to it was outstanding at the last
     * barrier; 0: none. */
    bool unwaited;
    uint8_t writer[LDS_DWORDS];
    uint64_t writer_pc[ISA_GROUP_WAVES]; /* by wave: where the first of these writes is */
} state_t;

/* The memory that group.c gives is aligned less than a state_t has to be: the state begins at the
 * first cache line in it. */
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
    for (unsigned k = 0; k < group->n_waves && k < ISA_GROUP_WAVES; k++) {
        chk_hazard_start(&s->wave[k].hazards);
        s->wave[k].n_writes = s->wave[k].fill = 0;
    }
    if (s->unwaited) memset(s->writer, 0, sizeof s->writer);
    s->unwaited = false;
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
            if (special[k].code == code) snprintf(text, room, "%s", special[k].name);
    } else {
        const isa_vector_register_t v = isa_register_of_row(w, reg);
        snprintf(text, room, "%c%u", v.file, v.number);
    }
}

/* The s_waitcnt that would have waited for the operation. */
static void name_wait(char *text, size_t room, const chk_hazard_t *h)
{
    static const char *const counters[CHK_FLOWS] = {
        [CHK_FLOW_VM] = "vmcnt", [CHK_FLOW_LDS] = "lgkmcnt", [CHK_FLOW_EXP] = "expcnt"};
    if (h->flow == CHK_FLOW_ANY)
        snprintf(text, room, "lgkmcnt(0)");
    else if (h->flow == CHK_FLOW_FLAT_MEMORY)
        snprintf(text, room, "vmcnt(0)");
    else if (h->flow == CHK_FLOW_FLAT)
        snprintf(text, room, "vmcnt(0) lgkmcnt(0)");
    else
        snprintf(text, room, "%s(%u)", counters[h->flow], h->behind);
}

static chk_finding_t finding(const chk_group_t *g, const isa_wave_t *w, const isa_inst_t *i,
                             const chk_use_t *u, chk_kind_t kind)
{
    return u->flags & CHK_USE_VECTOR && w->exec ? chk_finding_lanes(g, w, i, kind, w->exec)
                                                : chk_finding(g, w, i, kind);
}

/* Names the other instruction of the hazard, in a wave of the same workgroup. */
static void name_other(chk_finding_t *f, const isa_wave_t *w, const char *what, uint64_t pc,
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

static void tell(const chk_group_t *g, const isa_wave_t *w, const isa_inst_t *i, const chk_use_t *u,
                 const chk_hazard_t *h)
{
    static const char *const verbs[] = {
        [CHK_HAZARD_READ] = "read", [CHK_HAZARD_OVERWRITE] = "written"};
    char more[256], reg[24] = "", wait[48];
    chk_finding_t f;
    if (h->reg < CHK_REGS) name_register(reg, sizeof reg, w, h->reg);
    switch (h->kind) {
    case CHK_HAZARD_READ:
    case CHK_HAZARD_OVERWRITE:
        f = finding(g, w, i, u, CHK_KIND_HAZARD_WAIT);
        name_wait(wait, sizeof wait, h);
        snprintf(more, sizeof more,
                 "%s is %s; of %u operation%s outstanding %u came after its own: "
                 "s_waitcnt %s waits for it",
                 reg, verbs[h->kind], h->outstanding, base_plural(h->outstanding), h->behind, wait);
        name_other(&f, w, "outstanding", h->pc, w->index_in_group);
        break;
    case CHK_HAZARD_STATES:
        f = finding(g, w, i, u, CHK_KIND_HAZARD_NOP);
        snprintf(more, sizeof more, "%s%s%s: %u wait state%s needed, %u had (%s)", h->rule->text,
                 *reg ? ", " : "", reg, h->needed, base_plural(h->needed), h->had, h->rule->source);
        name_other(&f, w, "after", h->pc, w->index_in_group);
        break;
    default:
        f = finding(g, w, i, u, CHK_KIND_HAZARD_SCC);
        snprintf(more, sizeof more, "a wave starts with any SCC");
    }
    f.more = more;
    chk_report(&f);
}

/* ---- LDS ---- */

static bool is_outstanding(const wave_t *v, const lds_write_t *x)
{
    return (int32_t)(x->number - v->hazards.returned[x->flow]) > 0;
}

/* Keeps a write to LDS that is being issued. */
static void keep_write(wave_t *v, const isa_wave_t *w, const isa_inst_t *i, const chk_use_t *u)
{
    const sgc_op_t *op = &sgc_ops_table[i->op];
    lds_write_t *x = &v->write[v->n_writes % WRITES];
    if (op->kind != ISA_ACCESS_PLAIN && op->kind != ISA_ACCESS_PAIR) return;
    v->n_writes++;
    x->flow = CHK_FLOW_LDS;
    x->number = v->hazards.issued[CHK_FLOW_LDS];
    x->pc = u->pc;
    x->exec = w->exec;
    x->op = i->op;
    x->offset[0] = op->kind == ISA_ACCESS_PAIR ? i->offset0 * op->step : (uint32_t)i->imm;
    x->offset[1] = op->kind == ISA_ACCESS_PAIR ? i->offset1 * op->step : x->offset[0];
    memcpy(x->at, w->vgpr[i->src[0].reg], sizeof x->at);
}

static void keep_fill(chk_group_t *g, wave_t *v, const isa_wave_t *w, const isa_inst_t *i,
                      const chk_use_t *u)
{
    sgc_lanes_t *to = &chk_reach(g, w, i)->lds;
    lds_write_t *x = &v->write[v->n_writes++ % WRITES];
    sgc_lanes_spread(to);
    x->flow = CHK_FLOW_VM;
    x->number = v->fill = v->hazards.issued[CHK_FLOW_VM];
    x->pc = u->pc;
    x->exec = to->exec;
    x->op = i->op;
    x->begin = UINT32_MAX;
    x->end = 0;
    for (uint64_t left = to->exec; left; left &= left - 1) {
        const uint32_t at = (uint32_t)to->va[__builtin_ctzll(left)];
        if (at < x->begin) x->begin = at;
        if (at + to->bytes > x->end) x->end = at + to->bytes;
    }
}

static void mark(state_t *s, unsigned writer, uint32_t begin, uint32_t end)
{
    for (uint32_t k = begin / 4; k < LDS_DWORDS && 4 * k < end; k++)
        s->writer[k] = (uint8_t)writer;
}

static void mark_write(state_t *s, unsigned wave, const lds_write_t *x)
{
    if (!s->unwaited || !s->writer_pc[wave]) s->writer_pc[wave] = x->pc;
    s->unwaited = true;
    if (x->flow == CHK_FLOW_VM) {
        mark(s, wave + 1, x->begin, x->end);
        return;
    }
    const sgc_op_t *op = &sgc_ops_table[x->op];
    const unsigned writer = wave + 1 + (op->access == SGC_ATOMIC ? BY_ATOMIC : 0);
    for (uint64_t left = x->exec; left; left &= left - 1)
        for (unsigned k = 0; k < 2; k++) {
            const uint32_t at = x->at[__builtin_ctzll(left)] + x->offset[k];
            mark(s, writer, at, at + op->bytes);
        }
}

/* At a barrier, marks the dwords whose writes nobody has waited for: other waves rely on them.
 * Compiled code waits before such a barrier, so nothing is marked. */
static void barrier(chk_group_t *g, void *state, const isa_group_t *group, uint32_t waiting)
{
    state_t *s = state_in(state);
    (void)g;
    if (s->unwaited) memset(s->writer, 0, sizeof s->writer);
    s->unwaited = false;
    for (uint32_t left = waiting; left && group->n_waves > 1; left &= left - 1) {
        const unsigned wave = (unsigned)__builtin_ctz(left);
        if (wave >= ISA_GROUP_WAVES) return;
        const wave_t *v = &s->wave[wave];
        const uint32_t n = v->n_writes < WRITES ? v->n_writes : WRITES;
        s->writer_pc[wave] = 0;
        for (uint32_t back = n; back; back--) {
            const lds_write_t *x = &v->write[(v->n_writes - back) % WRITES];
            if (is_outstanding(v, x)) mark_write(s, wave, x);
        }
    }
}

static void tell_lds(const chk_group_t *g, const isa_wave_t *w, const isa_inst_t *i, uint64_t lanes,
                     uint64_t pc, unsigned wave, const char *more)
{
    chk_finding_t f = chk_finding_lanes(g, w, i, CHK_KIND_HAZARD_LDS, lanes);
    name_other(&f, w, "outstanding", pc, wave);
    f.more = more;
    chk_report(&f);
}

/* The lanes whose access overlaps the range. */
static uint64_t lanes_in(const sgc_lanes_t *a, uint32_t begin, uint32_t end)
{
    uint64_t lanes = 0;
    for (uint64_t left = a->exec; left; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctzll(left);
        if (a->va[l] < end && begin < a->va[l] + a->bytes) lanes |= 1ull << l;
    }
    return lanes;
}

static void check_fills(const chk_group_t *g, wave_t *v, const isa_wave_t *w, const isa_inst_t *i,
                        const sgc_lanes_t *a)
{
    const uint32_t n = v->n_writes < WRITES ? v->n_writes : WRITES;
    for (uint32_t back = 1; back <= n; back++) {
        const lds_write_t *x = &v->write[(v->n_writes - back) % WRITES];
        if (x->flow != CHK_FLOW_VM || !is_outstanding(v, x)) continue;
        const uint64_t lanes = lanes_in(a, x->begin, x->end);
        if (!lanes) continue;
        tell_lds(g, w, i, lanes, x->pc, w->index_in_group,
                 "a transfer to LDS is outstanding: s_waitcnt vmcnt waits for it");
        return;
    }
}

static void check_writers(const chk_group_t *g, state_t *s, const isa_wave_t *w,
                          const isa_inst_t *i, const sgc_lanes_t *a)
{
    const bool atomic = sgc_ops_table[i->op].access == SGC_ATOMIC;
    uint64_t lanes = 0;
    unsigned found = 0;
    for (uint64_t left = a->exec; left; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctzll(left);
        const uint64_t end = a->va[l] + a->bytes;
        for (uint64_t k = a->va[l] / 4; k < LDS_DWORDS && 4 * k < end; k++) {
            const unsigned writer = s->writer[k] & (BY_ATOMIC - 1u);
            if (!writer || writer == w->index_in_group + 1 || (atomic && s->writer[k] & BY_ATOMIC))
                continue;
            lanes |= 1ull << l;
            found = writer;
        }
    }
    if (!lanes) return;
    tell_lds(g, w, i, lanes, s->writer_pc[found - 1], found - 1,
             "the write was outstanding when its wave came to the barrier: s_waitcnt before "
             "s_barrier waits for it");
}

static void check_lds_read(chk_group_t *g, state_t *s, wave_t *v, const isa_wave_t *w,
                           const isa_inst_t *i)
{
    const bool fills = (int32_t)(v->fill - v->hazards.returned[CHK_FLOW_VM]) > 0;
    unsigned n;
    if (!fills && !s->unwaited) return;
    sgc_lanes_t *lanes = chk_lds_reach(g, w, i, &n);
    for (unsigned k = 0; k < n; k++) {
        sgc_lanes_spread(&lanes[k]);
        if (fills) check_fills(g, v, w, i, &lanes[k]);
        if (s->unwaited) check_writers(g, s, w, i, &lanes[k]);
    }
}

/* ---- instructions ---- */

static chk_use_t *use_at(state_t *s, const isa_inst_t *i)
{
    return &s->use[(uintptr_t)i / sizeof *i % USES];
}

static bool is_known(const chk_group_t *g, const chk_use_t *u, const isa_inst_t *i)
{
    return u->inst == i && u->dispatch == g->dispatch->serial;
}

static void tell_idle(const chk_group_t *g, const isa_wave_t *w, const isa_inst_t *i)
{
    chk_finding_t f = chk_finding(g, w, i, CHK_KIND_HAZARD_EXEC);
    f.more = "EXEC is 0: nothing is changed, a jump might have left it out";
    chk_report(&f);
}

/* Not inlined, so that the usual case in before() needs no stack frame. */
__attribute__((noinline)) static void look(chk_group_t *g, state_t *s, isa_wave_t *w,
                                           const isa_inst_t *i)
{
    wave_t *v = &s->wave[w->index_in_group];
    chk_use_t *u = use_at(s, i);
    chk_hazard_t found[CHK_HAZARDS_MAX];
    if (!is_known(g, u, i)) {
        chk_use_describe(u, w, i);
        u->dispatch = g->dispatch->serial;
        u->pc = i->pc;
    }
    const unsigned n = chk_hazard_look(&v->hazards, u, w, i, found);
    for (unsigned k = 0; k < n; k++)
        tell(g, w, i, u, &found[k]);
    if (!w->exec) {
        if (u->flags & CHK_USE_STORES && chk_strict(CHK_HAZARD)) tell_idle(g, w, i);
        return;
    }
    if (u->flags & CHK_USE_LDS_READ) check_lds_read(g, s, v, w, i);
    if (u->flags & CHK_USE_LDS_WRITE) keep_write(v, w, i, u);
    if (u->flags & CHK_USE_LDS_FILL) keep_fill(g, v, w, i, u);
}

static void before(chk_group_t *g, void *state, isa_wave_t *w, const isa_inst_t *i)
{
    state_t *s = state_in(state);
    if (w->index_in_group >= ISA_GROUP_WAVES || w->privileged) return;
    chk_hazard_wave_t *hazards = &s->wave[w->index_in_group].hazards;
    const chk_use_t *u = use_at(s, i);
    if (is_known(g, u, i) && chk_hazard_is_usual(hazards, u, w))
        chk_hazard_pass(hazards, u);
    else
        look(g, s, w, i);
}

const chk_part_t chk_hazard_part = {.family = CHK_HAZARD,
                                    .bytes = sizeof(state_t) + _Alignof(state_t),
                                    .wants = wants,
                                    .start = start,
                                    .before = before,
                                    .barrier = barrier};
