/* init.c - the init check: reports an undefined value where it matters: as an address, where a wave
 * branches, which lanes are active, or in the memory that an atomic operation changes; in strict
 * mode also where it is stored in memory that other lanes or the host can read.
 *
 * Copies and sums of undefined values are no error, since compilers generate them. A reported value
 * counts as defined from then on, so that it is reported once. */
#include "softgpu/check/init.h"

#include "base/round.h"
#include "softgpu/check/memory.h"
#include "softgpu/exec/code.h"
#include "softgpu/exec/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum {
    UNIT_NONE,
    UNIT_ALU,
    UNIT_DUAL, /* two operations of the ALU: VOPD */
    UNIT_BRANCH,
    UNIT_INDEX, /* register numbers computed with M0 */
    UNIT_VECTOR,
    UNIT_LDS,
    UNIT_LANES,
    UNIT_SCALAR
} unit_t;

static uint8_t units[ISA_OP_COUNT]; /* unit_t */
static const isa_core_t *cores[2];  /* on which the lab runs instructions; [true]: of 32 lanes */

/* ---- instructions ---- */

static unit_t unit_of(unsigned op)
{
    const sgc_op_t *o = &sgc_ops_table[op];
    const isa_row_desc_t *row = &isa_table[op];
    const bool invalidates = isa_is_cache_operation(o->kind);
    if (row->klass == ISA_CLASS_BRANCH && (row->fmt == ISA_FMT_SOPP || row->fmt == ISA_FMT_SOP1))
        return UNIT_BRANCH;
    if (invalidates) return UNIT_NONE;
    if (op == ISA_OP_s_set_gpr_idx_on || op == ISA_OP_s_set_gpr_idx_idx ||
        chk_alu_table[op].quick & CHK_QUICK_MOVREL)
        return UNIT_INDEX;
    switch (o->unit) {
    case ISA_UNIT_VECTOR: return UNIT_VECTOR;
    case ISA_UNIT_LDS: return o->kind == ISA_ACCESS_CROSS ? UNIT_LANES : UNIT_LDS;
    case ISA_UNIT_SCALAR: return UNIT_SCALAR;
    default: break;
    }
    if (row->fmt == ISA_FMT_SMEM && isa_field(row, ISA_ROLE_SDST)) return UNIT_ALU;
    if (chk_alu_table[op].of.rule == ISA_DATA_NONE) return UNIT_NONE;
    return row->fmt == ISA_FMT_VOPD ? UNIT_DUAL : UNIT_ALU;
}

static void wants(uint8_t *wants)
{
    cores[false] = isa_core_select();
    cores[true] = cores[false] ? isa_core_narrow(cores[false]) : NULL;
    chk_alu_rules(cores[false]);
    chk_access_rules();
    for (unsigned op = 1; op < ISA_OP_COUNT; op++) {
        units[op] = (uint8_t)unit_of(op);
        if (units[op] != UNIT_NONE) wants[op] = ISA_WANTS_BEFORE;
    }
}

/* ---- findings ---- */

static void name_scalar(unsigned code, char *more, size_t room)
{
    const char *const name = code == ISA_CODE_SCC           ? "SCC"
                             : code == ISA_CODE_M0          ? "M0"
                             : code / 2 * 2 == ISA_CODE_VCC ? "VCC"
                                                            : NULL;
    if (name)
        snprintf(more, room, "the wave has never written %s", name);
    else
        snprintf(more, room, "the wave has never written s%u", code);
}

/* The report's words about the origin of the value, such as "the wave has never written v5", and
 * where the value was loaded. */
static void describe(chk_finding_t *f, const isa_wave_t *w, const chk_origin_t *from, char *more,
                     size_t room)
{
    const uint64_t slot = (from->pc - w->page->va) / 4;
    isa_vector_register_t reg;
    switch (from->from) {
    case CHK_FROM_VGPR:
        reg = isa_register_of_row(w, (unsigned)from->at);
        snprintf(more, room, "the wave has never written %c%u", reg.file, reg.number);
        break;
    case CHK_FROM_SGPR: name_scalar((unsigned)from->at, more, room); break;
    case CHK_FROM_MEMORY:
        snprintf(more, room, "nobody has written the value that was there");
        f->at_address = true;
        f->va = from->at;
        break;
    case CHK_FROM_LDS:
        snprintf(more, room, "the workgroup has not written offset %u of its LDS",
                 (unsigned)from->at);
        break;
    case CHK_FROM_SCRATCH:
        snprintf(more, room, "the lane has not written its private memory there");
        break;
    default: snprintf(more, room, "nobody has written the value"); break;
    }
    f->more = more;
    if (!from->pc || from->pc == f->pc) return;
    f->other = (chk_other_t){.what = "the value was read",
                             .pc = from->pc,
                             .kernel_object = f->kernel_object,
                             .group = {f->group[0], f->group[1], f->group[2]},
                             .wave = from->wave,
                             .lane = from->lane,
                             .whole_wave = from->lane == CHK_NO_LANE};
    if (slot >= ISA_PAGE_SLOTS) return;
    f->other.n_words = w->page->slots[slot].dwords;
    memcpy(f->other.words, &w->page->words[slot], sizeof f->other.words);
}

static void report(const chk_group_t *g, const isa_wave_t *w, const isa_inst_t *i, chk_kind_t kind,
                   uint64_t lanes, const chk_origin_t *from)
{
    char more[96];
    chk_stack_t stack;
    chk_finding_t f = lanes ? chk_finding_lanes(g, w, i, kind, lanes) : chk_finding(g, w, i, kind);
    describe(&f, w, from, more, sizeof more);
    if (kind == CHK_KIND_INIT_STORE && chk_copy_name(&f, &stack)) f.kind = CHK_KIND_INIT_COPY;
    chk_report(&f);
}

/* ---- where values matter ---- */

static void check_address(const chk_group_t *g, chk_shadow_t *h, const isa_wave_t *w,
                          const isa_inst_t *i, const isa_operand_t *o, unsigned dwords)
{
    isa_operand_t part = *o;
    part.bits = (uint16_t)(32 * dwords);
    if (o->kind == ISA_OPK_NONE || o->kind == ISA_OPK_CONST) return;
    const uint64_t lanes = chk_operand_some(h, &part) & (isa_is_row(o) ? w->exec : ISA_ALL_LANES);
    if (!lanes) return;
    report(g, w, i, CHK_KIND_INIT_ADDRESS, isa_is_row(o) ? lanes : 0,
           chk_operand_from(h, &part, lanes));
    chk_operand_define(h, &part, lanes);
}

static const isa_operand_t m0 = {.kind = ISA_OPK_SGPR, .bits = 32, .reg = ISA_CODE_M0};

/* Checks an index. Some instructions put it into M0, other ones (s_movrel) take it from there. */
static void check_index(const chk_group_t *g, chk_shadow_t *h, const isa_wave_t *w,
                        const isa_inst_t *i)
{
    const bool takes = chk_alu_table[i->op].quick & CHK_QUICK_MOVREL;
    check_address(g, h, w, i, takes ? &m0 : &i->src[0], 1);
    if (!takes) h->scalar[ISA_CODE_M0] &= i->op == ISA_OP_s_set_gpr_idx_on ? ~0xf0ffu : ~0xffu;
}

/* The address's registers need not follow one another (NSA). */
static void check_image_address(const chk_group_t *g, chk_shadow_t *h, const isa_wave_t *w,
                                const isa_inst_t *i)
{
    const unsigned n = isa_image_address_dwords(w, i);
    isa_operand_t one = i->src[0];
    if (!(i->image & ISA_IMAGE_NSA)) {
        check_address(g, h, w, i, &i->src[0], n);
        return;
    }
    for (unsigned k = 0; k < n; k++) {
        one.reg = (uint16_t)isa_image_vgpr(i, k);
        check_address(g, h, w, i, &one, 1);
    }
}

static void check_addresses(const chk_group_t *g, chk_shadow_t *h, const isa_wave_t *w,
                            const isa_inst_t *i)
{
    const bool saddr = i->flags & ISA_F_SADDR;
    switch (i->fmt) {
    case ISA_FMT_MUBUF:
    case ISA_FMT_MTBUF:
        if (i->flags & (ISA_F_IDXEN | ISA_F_OFFEN))
            check_address(g, h, w, i, &i->src[0],
                          (i->flags & ISA_F_IDXEN && i->flags & ISA_F_OFFEN) ? 2 : 1);
        check_address(g, h, w, i, &i->src[2], 4);
        check_address(g, h, w, i, &i->src[3], 1);
        if (i->flags & ISA_F_LDS) check_address(g, h, w, i, &m0, 1);
        break;
    case ISA_FMT_MIMG:
        check_address(g, h, w, i, &i->src[2], isa_operand_dwords(&i->src[2]));
        check_address(g, h, w, i, &i->src[3], 4);
        check_image_address(g, h, w, i);
        break;
    case ISA_FMT_SCRATCH:
        if (saddr)
            check_address(g, h, w, i, &i->src[2], 1);
        else
            check_address(g, h, w, i, &i->src[0], 1);
        break;
    case ISA_FMT_GLOBAL:
        check_address(g, h, w, i, &i->src[0], saddr ? 1 : 2);
        if (saddr) check_address(g, h, w, i, &i->src[2], 2);
        break;
    case ISA_FMT_FLAT: check_address(g, h, w, i, &i->src[0], 2); break;
    case ISA_FMT_LDSDIR: check_address(g, h, w, i, &m0, 1); break;
    case ISA_FMT_SMEM:
        check_address(g, h, w, i, &i->src[0], sgc_ops_table[i->op].buffer ? 4 : 2);
        if (i->flags & ISA_F_SOE) check_address(g, h, w, i, &i->src[1], 1);
        break;
    default: /* DS: one dword of address for each lane, if there is an address at all */
        if (sgc_ops_table[i->op].kind == ISA_ACCESS_PLAIN ||
            sgc_ops_table[i->op].kind == ISA_ACCESS_PAIR)
            check_address(g, h, w, i, &i->src[0], 1);
        break;
    }
}

static void check_access(const chk_group_t *g, const isa_wave_t *w, const isa_inst_t *i,
                         const chk_access_t *a)
{
    const bool lanes = i->fmt != ISA_FMT_SMEM;
    if (a->changed.lanes)
        report(g, w, i, CHK_KIND_INIT_ATOMIC, lanes ? a->changed.lanes : 0, &a->changed.from);
    if (a->stored.lanes && chk_strict(CHK_INIT))
        report(g, w, i, CHK_KIND_INIT_STORE, lanes ? a->stored.lanes : 0, &a->stored.from);
}

static uint64_t scalar64(const uint32_t *s, unsigned reg)
{
    return s[reg] | (uint64_t)s[reg + 1] << 32;
}

static void check_branch(const chk_group_t *g, chk_shadow_t *h, const isa_wave_t *w,
                         const isa_inst_t *i)
{
    const isa_row_desc_t *op = &isa_table[i->op];
    const uint64_t vcc = chk_vcc_some(h);
    if (op->fmt == ISA_FMT_SOP1) { /* jumps to an address in registers */
        check_address(g, h, w, i, &i->src[0], 2);
        chk_operand_define(h, &i->dst, 0);
    } else if (op->reads & ISA_REG_SCC && h->scc) {
        report(g, w, i, CHK_KIND_INIT_BRANCH, 0, &h->scc_from);
        h->scc = 0;
    } else if (op->reads & ISA_REG_VCC && vcc && !(w->vcc & ~vcc)) {
        report(g, w, i, CHK_KIND_INIT_BRANCH, vcc, &h->scalar_from[ISA_CODE_VCC + !(uint32_t)vcc]);
        chk_vcc_define(h);
    }
}

static void check_exec(const chk_group_t *g, chk_shadow_t *h, const isa_wave_t *w,
                       const isa_inst_t *i)
{
    const uint64_t exec = scalar64(h->scalar, ISA_CODE_EXEC);
    if (__builtin_expect(!exec, 1)) return;
    report(g, w, i, CHK_KIND_INIT_EXEC, exec, &h->scalar_from[ISA_CODE_EXEC + !(uint32_t)exec]);
    h->scalar[ISA_CODE_EXEC] = h->scalar[ISA_CODE_EXEC + 1] = 0;
}

static void check_memory(chk_group_t *g, chk_init_t *s, chk_shadow_t *h, const isa_wave_t *w,
                         const isa_inst_t *i, unit_t unit)
{
    chk_access_t found = {0};
    check_addresses(g, h, w, i);
    if (unit == UNIT_VECTOR)
        chk_access_vector(g, s, h, w, i, &found);
    else if (unit == UNIT_LDS)
        chk_access_lds(g, s, h, w, i, &found);
    else
        chk_access_scalar(s, h, w, i, &found);
    check_access(g, w, i, &found);
}

static void before(chk_group_t *g, void *state, isa_wave_t *w, const isa_inst_t *i)
{
    chk_init_t *s = state;
    const unit_t unit = units[i->op];
    if (w->index_in_group >= s->n_waves) return; /* out of memory: the wave has no shadow */
    chk_shadow_t *h = &s->wave[w->index_in_group];
    if (__builtin_expect(unit == UNIT_ALU, 1)) {
        chk_alu_step(&s->lab, h, w, i);
        check_exec(g, h, w, i);
    } else if (unit == UNIT_DUAL) {
        chk_alu_dual(&s->lab, h, w, i);
        check_exec(g, h, w, i);
    } else if (unit == UNIT_BRANCH) {
        check_branch(g, h, w, i);
    } else if (unit == UNIT_INDEX) {
        check_index(g, h, w, i);
        if (chk_alu_table[i->op].of.rule != ISA_DATA_NONE) chk_alu_step(&s->lab, h, w, i);
    } else if (unit != UNIT_SCALAR && !w->exec) {
        return;
    } else if (unit == UNIT_LANES) {
        if (chk_alu_table[i->op].of.control & 1) check_address(g, h, w, i, &i->src[0], 1);
        chk_alu_step(&s->lab, h, w, i);
    } else {
        check_memory(g, s, h, w, i, unit);
    }
}

/* ---- workgroups ---- */

static void free_waves(chk_init_t *s)
{
    for (uint32_t k = 0; k < s->n_waves; k++) {
        free(s->wave[k].bits);
        free(s->wave[k].scratch);
        free(s->wave[k].scratch_page);
        free(s->wave[k].scratch_from);
        free(s->wave[k].scratch_from_page);
    }
    free(s->wave);
    s->wave = NULL;
    s->n_waves = s->room = s->scratch_room = 0;
}

static bool make_wave(chk_shadow_t *h, uint32_t rows, uint32_t scratch)
{
    h->bits = aligned_alloc(64, rows * sizeof *h->bits);
    if (!scratch) return h->bits;
    h->scratch = malloc(scratch);
    h->scratch_from = malloc(scratch);
    h->scratch_page = calloc(scratch / CHK_SCRATCH_PAGE, sizeof *h->scratch_page);
    h->scratch_from_page = calloc(scratch / CHK_SCRATCH_PAGE, sizeof *h->scratch_from_page);
    return h->bits && h->scratch && h->scratch_from && h->scratch_page && h->scratch_from_page;
}

/* Allocates the shadows of `waves` waves; later workgroups use them again. */
static bool make_waves(chk_init_t *s, uint32_t waves, uint32_t rows, uint32_t scratch)
{
    if (waves <= s->n_waves && rows <= s->room && scratch <= s->scratch_room) return true;
    if (rows < s->room) rows = s->room;
    if (scratch < s->scratch_room) scratch = s->scratch_room;
    if (waves < s->n_waves) waves = s->n_waves;
    free_waves(s);
    s->wave = calloc(waves, sizeof *s->wave);
    if (!s->wave) return false;
    s->n_waves = waves;
    s->room = rows;
    s->scratch_room = scratch;
    for (uint32_t k = 0; k < waves; k++)
        if (!make_wave(&s->wave[k], rows, scratch)) {
            free_waves(s);
            return false;
        }
    return true;
}

static bool make_lds(chk_init_t *s, uint32_t bytes)
{
    if (bytes > s->lds_room) {
        free(s->lds);
        free(s->lds_from);
        s->lds = malloc(bytes);
        s->lds_from = malloc(base_round_up(bytes, 4));
        s->lds_room = s->lds && s->lds_from ? bytes : 0;
    }
    s->lds_bytes = bytes <= s->lds_room ? bytes : 0;
    if (s->lds_bytes) memset(s->lds, 0xff, s->lds_bytes);
    s->lds_clear = s->lds_bytes ? 0 : UINT32_MAX;
    s->lds_named = false;
    return s->lds_bytes == bytes;
}

static void start(chk_group_t *g, void *state, const isa_group_t *group)
{
    chk_init_t *s = state;
    const isa_dispatch_t *d = group->dispatch;
    uint32_t scratch = group->n_waves ? group->waves[0]->scratch_bytes : 0;
    scratch = (uint32_t)base_round_up(scratch, CHK_SCRATCH_PAGE);
    if (!s->lab.rows && !chk_lab_make(&s->lab)) return;
    s->lab.core = cores[d->narrow];
    if (!make_waves(s, group->n_waves, d->n_vgpr, scratch)) return;
    make_lds(s, group->lds_bytes);
    s->n_origins = 0;
    memset(s->nodes, 0, sizeof s->nodes); /* a worker's other workgroups have no say */
    for (uint32_t k = 0; k < group->n_waves; k++)
        chk_shadow_start(&s->wave[k], d, g->dispatch->scalars);
}

/* Finds how many bytes from the beginning of LDS are defined by now. The count holds until an
 * undefined value is stored in LDS, which sets it back to 0. */
static void barrier(chk_group_t *g, void *state, const isa_group_t *group, uint32_t waiting)
{
    chk_init_t *s = state;
    uint64_t x = 0;
    (void)g;
    (void)group;
    (void)waiting;
    if (s->lds_clear == UINT32_MAX) return;
    while (!x && s->lds_clear + sizeof x <= s->lds_bytes) {
        memcpy(&x, s->lds + s->lds_clear, sizeof x);
        if (!x) s->lds_clear += sizeof x;
    }
    if (x) return;
    while (s->lds_clear < s->lds_bytes && !s->lds[s->lds_clear])
        s->lds_clear++;
    if (s->lds_clear == s->lds_bytes) s->lds_clear = UINT32_MAX;
}

static void free_state(void *state)
{
    chk_init_t *s = state;
    free_waves(s);
    chk_lab_free(&s->lab);
    free(s->lds);
    free(s->lds_from);
}

static void dispatch_begin(const chk_dispatch_t *d)
{
    (void)d;
    chk_bytes_hold();
}

static void dispatch_end(const chk_dispatch_t *d)
{
    (void)d;
    chk_bytes_release();
}

const chk_part_t chk_init_part = {.family = CHK_INIT,
                                  .bytes = sizeof(chk_init_t),
                                  .wants = wants,
                                  .dispatch_begin = dispatch_begin,
                                  .dispatch_end = dispatch_end,
                                  .start = start,
                                  .before = before,
                                  .barrier = barrier,
                                  .free = free_state,
                                  .transfer = chk_bytes_transfer,
                                  .made = chk_bytes_made,
                                  .going = chk_bytes_going};
