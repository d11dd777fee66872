/* hazard_use.c - see hazard_use.h: the only file of the hazard check that depends on instruction
 * formats and operations. */
#include "softgpu/check/hazard_use.h"

#include "isa/isa.h"
#include "isa/table.h"
#include "softgpu/exec/bvh.h"
#include "softgpu/exec/interp.h"

#define ISA_ARCH(name) extern const chk_hazard_rules_t chk_hazard_rules_##name;
#include "isa/isa_archs.inc"
#undef ISA_ARCH

const chk_hazard_rules_t *chk_hazard_rules(const isa_arch_t *arch)
{
#define ISA_ARCH(name) [ISA_ARCH_##name] = &chk_hazard_rules_##name,
    static const chk_hazard_rules_t *const rules[ISA_ARCH_COUNT] = {
#include "isa/isa_archs.inc"
    };
#undef ISA_ARCH
    return rules[arch->index];
}

enum { SLEEP_STATES = 16 /* at least: s_sleep counts units of 64 clocks */ };

/* ---- registers ---- */

static void add_regs(chk_use_t *u, unsigned first, unsigned n, unsigned roles)
{
    if (!n) return;
    if (u->n == CHK_USE_REGS) {
        u->left_out = true;
        return;
    }
    u->regs[u->n++] = (chk_regs_t){.first = first & 1023, .n = n & 63, .roles = roles & 255};
}

/* Adds an operand's registers: vector registers with the given roles, scalar ones with the role of
 * scalars. */
static void add_operand(chk_use_t *u, const isa_wave_t *w, const isa_operand_t *o, unsigned roles)
{
    const unsigned n = isa_operand_dwords(o), written = roles & CHK_ROLE_WRITTEN;
    if (isa_is_row(o)) add_regs(u, isa_first_row(w, o), n, roles);
    /* EXEC_HI of a wave of 32 lanes, and NULL, have operand codes above those of all registers */
    if (o->kind == ISA_OPK_SGPR && o->reg < ISA_CODE_ZERO)
        add_regs(u, CHK_REG_SCALAR + o->reg, n,
                 CHK_ROLE_SCALAR | written | (roles & (CHK_ROLE_LANE | CHK_ROLE_MASK)));
}

/* The half of its register that the data of a load or store is. A load that is no D16 one fills the
 * rest of its register; with several components the elements fill whole registers. */
static unsigned half_of_data(const chk_use_t *u, const isa_row_desc_t *row, const isa_operand_t *o,
                             bool written)
{
    const bool is_high = row->marks & ISA_IS_HIGH;
    const bool narrow = (row->memory.bytes && row->memory.bytes <= 2) ||
                        (row->marks & ISA_IS_FORMAT && row->marks & ISA_IS_COMPONENT);
    if (!u->rules->halves || !isa_is_row(o) || isa_operand_dwords(o) != 1) return CHK_WHOLE;
    if (is_high) return CHK_HIGH;
    return narrow && (!written || row->marks & ISA_IS_D16) ? CHK_LOW : CHK_WHOLE;
}

/* Whether the instruction also writes the registers of the origin and the direction of its ray. */
static bool changes_ray(const isa_inst_t *i)
{
    const isa_row_desc_t *row = &isa_table[i->op];
    return isa_tests_rays(row) && row->marks & ISA_IS_TREE;
}

/* Adds the registers of an image's address that need not follow one another. There is room for
 * five groups of registers that do, beside data, result, descriptor and sampler, of which an
 * instruction has three at most: registers in further groups are left out. A ray that is changed is
 * not added here: add_ray() adds it behind all else that is read. */
static void add_spread_address(chk_use_t *u, const isa_inst_t *i, unsigned roles)
{
    enum { GROUPS = CHK_USE_REGS - 3 };
    uint64_t named[ISA_VGPRS / 64] = {0};
    unsigned groups = 0;
    for (unsigned k = 0; k < isa_operand_dwords(&i->src[0]); k++)
        named[isa_image_vgpr(i, k) / 64] |= UINT64_C(1) << isa_image_vgpr(i, k) % 64;
    for (unsigned k = 0; changes_ray(i) && k < 3; k++) {
        const unsigned ray[2] = {isa_bvh_origin(i) + k, isa_bvh_direction(i) + k};
        for (unsigned n = 0; n < 2; n++)
            named[ray[n] / 64] &= ~(UINT64_C(1) << ray[n] % 64);
    }
    for (unsigned first = 0, size; first < ISA_VGPRS; first += size + 1) {
        for (size = 0; first + size < ISA_VGPRS; size++)
            if (!(named[(first + size) / 64] >> (first + size) % 64 & 1)) break;
        if (size && groups++ < GROUPS) add_regs(u, first, size, roles);
    }
    if (groups > GROUPS) u->left_out = true;
}

/* A ray that the instruction reads and may change. */
static void add_ray(chk_use_t *u, const isa_inst_t *i)
{
    enum { COORDINATES = 3 };
    if (!changes_ray(i)) return;
    add_regs(u, isa_bvh_origin(i), COORDINATES, CHK_ROLE_VECTOR);
    add_regs(u, isa_bvh_direction(i), COORDINATES, CHK_ROLE_VECTOR);
    u->changed = 2;
}

static void add_source(chk_use_t *u, const isa_wave_t *w, const isa_inst_t *i, unsigned k,
                       unsigned roles)
{
    const unsigned before = u->n;
    if (!k && i->fmt == ISA_FMT_MIMG && i->image & ISA_IMAGE_NSA)
        add_spread_address(u, i, roles);
    else
        add_operand(u, w, &i->src[k], roles);
    if (u->n != before + 1) return;
    const isa_row_desc_t *row = &isa_table[i->op];
    const unsigned lane = isa_quad_lane(row, k);
    if (k == 1) u->regs[before].half = half_of_data(u, row, &i->src[k], false) & 3;
    if (lane != ISA_OWN_LANE) u->regs[before].quad = (lane + 1) & 7;
}

static bool is_special(const isa_inst_t *i, unsigned code)
{
    for (unsigned k = 0; k < 4; k++)
        if (i->src[k].kind == ISA_OPK_SPECIAL && i->src[k].reg == code) return true;
    return false;
}

static bool writes_scalar(const chk_use_t *u, unsigned code)
{
    for (unsigned k = u->n_reads; k < u->n; k++)
        if (u->regs[k].first <= CHK_REG_SCALAR + code &&
            CHK_REG_SCALAR + code < u->regs[k].first + u->regs[k].n)
            return true;
    return false;
}

/* ---- classes of the rules ---- */

static uint32_t matrix_first(const isa_math_t *m)
{
    const unsigned passes = m->clocks / 4u; /* 2, 4, 8 or 16 */
    const unsigned more = passes <= 2 ? 0 : passes <= 4 ? 1 : passes <= 8 ? 2 : 3;
    if (m->kind == ISA_MATH_MFMA_F64) return m->shape.m == 4 ? CHK_FIRST_F64_4 : CHK_FIRST_F64_16;
    return (m->kind == ISA_MATH_MFMA_F32 ? CHK_FIRST_MF32_2 : CHK_FIRST_MX2) << more;
}

static uint32_t matrix_second(const isa_math_t *m)
{
    const uint32_t first = matrix_first(m);
    return first == CHK_FIRST_F64_4       ? CHK_SECOND_F64_4
           : first == CHK_FIRST_F64_16    ? CHK_SECOND_F64_16
           : m->kind == ISA_MATH_MFMA_F32 ? CHK_SECOND_MF32
                                          : CHK_SECOND_MX;
}

static bool is_trans(const isa_row_desc_t *row)
{
    const unsigned kind = row->math.kind;
    return kind == ISA_MATH_TRANS_F16 || kind == ISA_MATH_TRANS_F32 || kind == ISA_MATH_TRANS_F64;
}

static bool is_permlane_swap(unsigned op)
{
    return op == ISA_OP_v_permlane16_swap_b32 || op == ISA_OP_v_permlane32_swap_b32;
}

/* VOP3 and VOP3P encodings of a dot product add to src2, the short encodings to vdst. */
static void vector_alu(chk_use_t *u, const isa_inst_t *i, const isa_row_desc_t *row,
                       uint32_t *second)
{
    const bool lane = i->op == ISA_OP_v_readlane_b32 || i->op == ISA_OP_v_writelane_b32;
    const bool exec = row->writes & ISA_REG_EXEC || writes_scalar(u, ISA_CODE_EXEC);
    const bool reads_lane = i->op == ISA_OP_v_readlane_b32 || i->op == ISA_OP_v_readfirstlane_b32;
    u->first = CHK_FIRST_VALU | (row->marks & ISA_IS_DOT ? CHK_FIRST_DOT : CHK_FIRST_VALU_PLAIN);
    if (exec) u->first |= CHK_FIRST_VALU_EXEC;
    if (exec && row->writes & ISA_REG_EXEC) u->first |= CHK_FIRST_CMPX;
    if (is_trans(row)) u->first |= CHK_FIRST_TRANS;
    if (i->flags & ISA_F_DSTSEL) u->first |= CHK_FIRST_PART;
    if (i->op == ISA_OP_v_accvgpr_read_b32) u->first |= CHK_FIRST_ACC_READ;
    u->first |= i->op == ISA_OP_v_accvgpr_write_b32 ? CHK_FIRST_ACC_WRITE : CHK_FIRST_VALU_VGPR;
    if (exec || writes_scalar(u, ISA_CODE_VCC)) u->first |= CHK_FIRST_VALU_MASK;
    *second = CHK_SECOND_VALU;
    if (i->flags & ISA_F_DPP) *second |= CHK_SECOND_DPP;
    if (i->op == ISA_OP_v_div_fmas_f32 || i->op == ISA_OP_v_div_fmas_f64)
        *second |= CHK_SECOND_DIV_FMAS;
    if (lane) *second |= CHK_SECOND_LANE;
    if (lane || reads_lane) *second |= CHK_SECOND_LANES;
    if (reads_lane) *second |= CHK_SECOND_READLANE;
    if (is_permlane_swap(i->op)) *second |= CHK_SECOND_PERMLANE;
    if (!is_trans(row)) *second |= CHK_SECOND_NOT_TRANS;
    if (i->op == ISA_OP_v_accvgpr_read_b32) *second |= CHK_SECOND_ACC_READ;
    if (i->op == ISA_OP_v_accvgpr_write_b32) *second |= CHK_SECOND_ACC_WRITE;
    if (row->marks & ISA_IS_ONE_LANE) u->flags |= CHK_USE_ALL_LANES;
    if (i->op == ISA_OP_v_fma_f64 || i->op == ISA_OP_v_fmac_f64) *second |= CHK_SECOND_FMA64;
    if (is_special(i, ISA_CODE_VCCZ) || is_special(i, ISA_CODE_EXECZ)) *second |= CHK_SECOND_USES_Z;
    if (is_special(i, ISA_CODE_LDS_DIRECT)) *second |= CHK_SECOND_LDS_M0;
}

static void scalar_alu(chk_use_t *u, const isa_inst_t *i, const isa_row_desc_t *row,
                       uint32_t *second)
{
    const bool sets = i->op == ISA_OP_s_setreg_b32 || i->op == ISA_OP_s_setreg_imm32_b32;
    const isa_hwreg_t r = isa_hwreg((uint32_t)i->imm);
    if (writes_scalar(u, ISA_CODE_M0)) u->first |= CHK_FIRST_SALU_M0;
    if (i->op == ISA_OP_s_setvskip) u->first |= CHK_FIRST_SETVSKIP;
    if (row->marks & ISA_IS_MOVREL) *second |= CHK_SECOND_MOVREL;
    if (i->op == ISA_OP_s_getreg_b32 || sets) u->hwreg = (uint8_t)r.id;
    if (i->op == ISA_OP_s_getreg_b32)
        *second |= CHK_SECOND_GETREG | (u->hwreg == ISA_HWREG_MODE ? CHK_SECOND_GETREG_MODE : 0);
    if (sets) {
        u->first |= CHK_FIRST_SETREG;
        *second |= CHK_SECOND_SETREG;
        if (u->hwreg == ISA_HWREG_TRAPSTS) u->first |= CHK_FIRST_SETREG_TRAP;
        if (u->hwreg == ISA_HWREG_MODE && r.mask << r.shift & ISA_MODE_VSKIP)
            u->first |= CHK_FIRST_SETREG_SKIP;
    }
}

/* Whether the instruction stores more than 64 bits per lane: its data is read late, except where a
 * buffer's offset is an SGPR, or in image stores. */
static bool is_wide(const isa_inst_t *i)
{
    const bool buffer = i->fmt == ISA_FMT_MUBUF || i->fmt == ISA_FMT_MTBUF;
    if (i->fmt == ISA_FMT_MIMG) return false;
    return i->src[1].bits > 64 && isa_is_row(&i->src[1]) &&
           !(buffer && i->src[3].kind == ISA_OPK_SGPR);
}

/* Whether some register from index `from` on is a scalar one (`scalar`), or a vector one. */
static bool has_regs(const chk_use_t *u, unsigned from, unsigned to, bool scalar)
{
    for (unsigned k = from; k < to; k++)
        if ((u->regs[k].first >= CHK_REG_SCALAR) == scalar) return true;
    return false;
}

/* Whether the instruction has registers of the kind that the row's two instructions must share. */
static bool can_share(const chk_rule_t *r, const chk_use_t *u, unsigned from, unsigned to)
{
    switch ((chk_share_t)r->share) {
    case CHK_SHARE_SCALAR:
    case CHK_SHARE_LANE:
    case CHK_SHARE_CONSTANT:
    case CHK_SHARE_CONSTANT_VCC:
    case CHK_SHARE_VCC: return has_regs(u, from, to, true);
    case CHK_SHARE_VECTOR:
    case CHK_SHARE_VECTOR_F64: return has_regs(u, from, to, false);
    default: return true;
    }
}

static void find_rules(chk_use_t *u, uint32_t second)
{
    if (u->first & CHK_FIRST_RARE) u->flags |= CHK_USE_RARE;
    for (unsigned k = 0; k < u->rules->n; k++) {
        const chk_rule_t *r = &u->rules->rows[k];
        if (r->first & u->first & CHK_FIRST_MARKS) u->flags |= CHK_USE_MARKS;
        if (r->first & u->first && can_share(r, u, u->n_reads, u->n)) u->as_first |= 1ull << k;
        if (!(r->second & second) || !can_share(r, u, 0, u->n_reads)) continue;
        u->as_second |= 1ull << k;
        if (r->share == CHK_SHARE_VECTOR_F64) u->behind_f64 |= 1ull << k;
        if (r->states > u->far) u->far = r->states;
        /* hazard_wave.c finds these rows by the marks on registers, or by CHK_FIRST_RARE */
        if (r->first & (CHK_FIRST_MARKS | CHK_FIRST_RARE) || r->share == CHK_SHARE_VECTOR_F64)
            continue;
        u->flags |= CHK_USE_WALKS;
        if (r->states > u->near) u->near = r->states;
    }
    if (u->as_first) u->flags |= CHK_USE_FIRST;
}

/* ---- instructions ---- */

/* Whether the instruction is issued only when the results of the vector ALU are there: vector
 * memory and LDS, exports, and s_waitcnt_depctr whose field va_vdst is 0. */
static bool waits_for_valu(const chk_use_t *u, const isa_inst_t *i)
{
    const isa_bits_t va_vdst = {12, 4};
    return u->flags & CHK_USE_VECTOR || i->fmt == ISA_FMT_EXP ||
           (i->op == ISA_OP_s_waitcnt_depctr && !isa_bits_get(va_vdst, (uint32_t)i->imm));
}

/* Scalar loads and buffers wait for all writes to SGPRs, and s_wait_alu for those whose field is 0.
 */
static unsigned commits_of(const isa_inst_t *i)
{
    const isa_bits_t sa_sdst = {0, 1}, va_vcc = {1, 1}, va_sdst = {9, 3};
    const uint32_t n = (uint32_t)i->imm;
    if (i->fmt == ISA_FMT_SMEM || i->fmt == ISA_FMT_MUBUF || i->fmt == ISA_FMT_MTBUF)
        return CHK_COMMITS_SALU | CHK_COMMITS_VCC | CHK_COMMITS_VALU;
    if (i->op != ISA_OP_s_wait_alu) return 0;
    return (isa_bits_get(sa_sdst, n) ? 0 : CHK_COMMITS_SALU) |
           (isa_bits_get(va_vcc, n) ? 0 : CHK_COMMITS_VCC) |
           (isa_bits_get(va_sdst, n) ? 0 : CHK_COMMITS_VALU);
}

/* Whether the instruction reads or writes SGPRs, by SALU or VALU, or changes what is known of the
 * vector ALU's copies of these. */
static bool concerns_copies(const chk_use_t *u, const isa_row_desc_t *row)
{
    const bool salu = row->klass == ISA_CLASS_SALU || row->klass == ISA_CLASS_BRANCH ||
                      row->klass == ISA_CLASS_MSG || row->klass == ISA_CLASS_INTERNAL;
    const bool alu = salu || row->klass == ISA_CLASS_VALU || row->klass == ISA_CLASS_MFMA;
    return u->commits || u->op == ISA_OP_ds_nop || (alu && has_regs(u, 0, u->n, true));
}

static unsigned states_of(const chk_use_t *u, const isa_inst_t *i, const isa_row_desc_t *row)
{
    if (u->rules->by_valu) return row->klass == ISA_CLASS_VALU || row->klass == ISA_CLASS_MFMA;
    if (i->op == ISA_OP_s_nop) return isa_nop_count(i) + 1;
    if (i->op == ISA_OP_s_sleep && isa_sleep_clocks((uint32_t)i->imm)) return SLEEP_STATES;
    /* a jump by register fetches code anew, which takes longer than any row requires */
    if (row->klass == ISA_CLASS_BRANCH && row->fmt != ISA_FMT_SOPP) return u->rules->most;
    return 1;
}

static void memory(chk_use_t *u, const isa_inst_t *i, const isa_row_desc_t *row,
                   const isa_arch_t *arch, uint32_t *second)
{
    const bool apart = arch->stores_apart, counted = arch->lds_apart;
    const isa_class_t c = (isa_class_t)row->klass;
    const bool gds = i->flags & ISA_F_GDS;
    switch (c) {
    case ISA_CLASS_SMEM:
    case ISA_CLASS_SMEM_RD:
    case ISA_CLASS_SMEM_WR:
    case ISA_CLASS_SMEM_AT: u->flow = CHK_FLOW_ANY; return;
    case ISA_CLASS_LDS:
    case ISA_CLASS_LDS_RD:
    case ISA_CLASS_LDS_WR:
    case ISA_CLASS_LDS_AT:
    case ISA_CLASS_GWS:
        u->flow = gds ? CHK_FLOW_ANY : i->fmt == ISA_FMT_LDSDIR ? CHK_FLOW_EXP : CHK_FLOW_LDS;
        u->flags |= CHK_USE_VECTOR;
        *second |= CHK_SECOND_DS;
        if (gds) *second |= CHK_SECOND_MESSAGE;
        if (gds) u->flags |= CHK_USE_LOCKS;
        if (i->fmt == ISA_FMT_LDSDIR) u->flags |= CHK_USE_WRITES_QUADS;
        if (row->memory.kind == ISA_ACCESS_LANE) *second |= CHK_SECOND_LDS_M0;
        if (gds || c == ISA_CLASS_LDS) return;
        if (c != ISA_CLASS_LDS_WR && i->dst.kind != ISA_OPK_NONE) u->flags |= CHK_USE_LDS_READ;
        if (c != ISA_CLASS_LDS_RD) u->flags |= CHK_USE_LDS_WRITE | CHK_USE_STORES;
        return;
    case ISA_CLASS_FLAT:
    case ISA_CLASS_FLAT_RD:
    case ISA_CLASS_FLAT_WR:
    case ISA_CLASS_FLAT_AT:
    case ISA_CLASS_VMEM:
    case ISA_CLASS_VMEM_RD:
    case ISA_CLASS_VMEM_WR:
    case ISA_CLASS_VMEM_AT:
        u->flow = i->fmt == ISA_FMT_FLAT ? CHK_FLOW_FLAT : CHK_FLOW_VM;
        if (isa_is_sample(row)) u->flags |= CHK_USE_SAMPLES;
        if (isa_tests_rays(row)) u->flags |= CHK_USE_RAYS;
        if (arch->samples_apart && isa_is_sample(row)) u->flow = CHK_FLOW_SAMPLES;
        if (arch->samples_apart && isa_tests_rays(row)) u->flow = CHK_FLOW_RAYS;
        u->flags |= CHK_USE_VECTOR;
        *second |= CHK_SECOND_VMEM;
        if (c == ISA_CLASS_FLAT_WR || c == ISA_CLASS_FLAT_AT || c == ISA_CLASS_VMEM_WR ||
            c == ISA_CLASS_VMEM_AT)
            u->flags |= CHK_USE_STORES;
        if (apart && u->flow == CHK_FLOW_VM && u->flags & CHK_USE_STORES && u->n == u->n_reads)
            u->flow = CHK_FLOW_STORES;
        if (isa_loads_to_lds(i)) u->flags |= CHK_USE_LDS_FILL;
        if (i->flags & ISA_F_LDS || row->memory.kind == ISA_ACCESS_FROM_LDS)
            *second |= CHK_SECOND_LDS_M0;
        if (is_wide(i)) u->first |= CHK_FIRST_WIDE;
        /* what invalidates the vector L1 no counter counts, or that of loads */
        if (!counted && (row->memory.kind == ISA_ACCESS_INVALIDATE ||
                         row->memory.kind == ISA_ACCESS_ARRAY_INVALIDATE))
            u->flow = CHK_FLOW_NONE;
        if (apart && row->memory.kind == ISA_ACCESS_L2_WRITEBACK) u->flow = CHK_FLOW_STORES;
        return;
    default: return;
    }
}

static void add_reads(chk_use_t *u, const isa_wave_t *w, const isa_inst_t *i)
{
    const isa_row_desc_t *row = &isa_table[i->op];
    const bool vector_alus = row->klass == ISA_CLASS_VALU || row->klass == ISA_CLASS_MFMA;
    const bool adds = vector_alus && row->marks & ISA_IS_TIED; /* to its result */
    /* the last source of a sparse matrix instruction says where elements belong */
    const bool sparse = adds && row->klass == ISA_CLASS_MFMA;
    /* these formats have VCC among their sources */
    const bool names_vcc = row->fmt == ISA_FMT_VOP2 || row->fmt == ISA_FMT_VOPD;
    const isa_dispatch_t *d = w->group->dispatch;
    for (unsigned k = 0; k < 4; k++) {
        unsigned roles = CHK_ROLE_VECTOR;
        if (vector_alus) roles |= k == 2 && !sparse ? CHK_ROLE_C : CHK_ROLE_AB;
        if (k == 1 && (i->op == ISA_OP_v_readlane_b32 || i->op == ISA_OP_v_writelane_b32))
            roles |= CHK_ROLE_LANE;
        if (k == 2 && row->reads & ISA_REG_VCC && names_vcc) roles |= CHK_ROLE_MASK;
        const unsigned before = u->n;
        add_source(u, w, i, k, roles);
        const bool holds = row->klass == ISA_CLASS_MFMA ? k == 2 && !sparse : k == 1 && is_wide(i);
        if (holds && u->n > before) u->held = (uint8_t)before;
    }
    if (sparse) u->held = u->n;
    if (adds) add_operand(u, w, &i->dst, CHK_ROLE_VECTOR | CHK_ROLE_C);
    if (is_permlane_swap(i->op)) add_operand(u, w, &i->dst, CHK_ROLE_VECTOR);
    if (row->reads & ISA_REG_VCC && !names_vcc)
        add_regs(u, CHK_REG_SCALAR + ISA_CODE_VCC, d->narrow ? 1 : 2, CHK_ROLE_SCALAR);
    if (!d->arch->scratch_register && (row->fmt == ISA_FMT_FLAT || row->fmt == ISA_FMT_SCRATCH))
        add_regs(u, CHK_REG_SCALAR + ISA_CODE_FLAT_SCRATCH, 2, CHK_ROLE_SCALAR);
    if (row->marks & ISA_IS_READS_DST) add_operand(u, w, &i->dst, CHK_ROLE_VECTOR);
    add_ray(u, i); /* the last of what is read */
}

static void add_writes(chk_use_t *u, const isa_wave_t *w, const isa_inst_t *i)
{
    const isa_row_desc_t *row = &isa_table[i->op];
    const unsigned before = u->n;
    if (!(row->marks & ISA_IS_READS_DST)) add_operand(u, w, &i->dst, CHK_ROLE_WRITTEN);
    if (u->n == before + 1) u->regs[before].half = half_of_data(u, row, &i->dst, true) & 3;
    add_operand(u, w, &i->dst2, CHK_ROLE_WRITTEN);
    if (row->marks & ISA_IS_SWAPS) add_operand(u, w, &i->src[0], CHK_ROLE_WRITTEN);
}

/* Both operations of a VOPD instruction read before either writes. */
static void add_registers(chk_use_t *u, const isa_wave_t *w, const isa_inst_t *i)
{
    isa_inst_t half[2];
    const bool is_pair = i->fmt == ISA_FMT_VOPD;
    const isa_inst_t *part = is_pair ? half : i;
    const unsigned parts = is_pair ? 2 : 1;
    for (unsigned k = 0; is_pair && k < 2; k++)
        isa_decode_half(i, k, &half[k]);
    for (unsigned k = 0; k < parts; k++)
        add_reads(u, w, &part[k]);
    u->n_reads = u->n;
    for (unsigned k = 0; k < parts; k++)
        add_writes(u, w, &part[k]);
}

uint32_t chk_most_outstanding(unsigned flow, const isa_arch_t *arch)
{
    switch (flow) {
    case CHK_FLOW_VM:
    case CHK_FLOW_STORES:
    case CHK_FLOW_RAYS:
    case CHK_FLOW_SAMPLES: return arch->waits_most.vm;
    case CHK_FLOW_LDS: return arch->waits_most.lgkm;
    case CHK_FLOW_EXP: return arch->waits_most.exp;
    default: return UINT32_MAX;
    }
}

void chk_use_describe(chk_use_t *u, const isa_wave_t *w, const isa_inst_t *i)
{
    const isa_row_desc_t *row = &isa_table[i->op];
    const isa_dispatch_t *d = w->group->dispatch;
    uint32_t second = 0;
    *u = (chk_use_t){.inst = i,
                     .op = i->op,
                     .flow = CHK_FLOW_NONE,
                     .held = CHK_USE_REGS,
                     .rules = chk_hazard_rules(d->arch)};
    add_registers(u, w, i);
    for (unsigned k = 0; k < u->n; k++)
        u->touches |= chk_regs_digest(u->regs[k]);
    if (row->reads & ISA_REG_SCC || is_special(i, ISA_CODE_SCC)) u->flags |= CHK_USE_READS_SCC;
    if (row->writes & ISA_REG_SCC) u->flags |= CHK_USE_WRITES_SCC;
    const bool interpolates = i->fmt == ISA_FMT_VINTERP;
    if (isa_is_wait(i->op)) u->flags |= CHK_USE_WAITCNT;
    if (interpolates) u->flags |= CHK_USE_WAITS_FIRST;
    if (isa_is_wait(i->op) || interpolates) u->waits = isa_wait_limits(d->arch, i);
    u->states = (uint8_t)states_of(u, i, row);

    if (row->klass == ISA_CLASS_VALU) {
        u->flags |= CHK_USE_INDEXED;
        vector_alu(u, i, row, &second);
    } else if (row->klass == ISA_CLASS_MFMA) {
        u->flags |= CHK_USE_ALL_LANES;
        u->first = matrix_first(&row->math);
        second = matrix_second(&row->math);
    } else if (row->klass == ISA_CLASS_SALU) {
        scalar_alu(u, i, row, &second);
    } else if (row->fmt == ISA_FMT_SOPP || row->fmt == ISA_FMT_SOP1 || row->fmt == ISA_FMT_SOP2) {
        if (row->marks & ISA_IS_MESSAGE) second = CHK_SECOND_MESSAGE;
        if (row->marks & ISA_IS_RFE) second = CHK_SECOND_RFE;
        if (row->fmt == ISA_FMT_SOP1 && row->marks & ISA_IS_ANSWERED) u->flow = CHK_FLOW_ANY;
    } else {
        memory(u, i, row, d->arch, &second);
    }
    if (u->flow != CHK_FLOW_NONE) u->flags |= CHK_USE_COUNTED;
    u->most = chk_most_outstanding(u->flow, d->arch);
    if (u->rules->trans && waits_for_valu(u, i)) u->flags |= CHK_USE_ENDS_TRANS;
    if (u->rules->copies) u->commits = (uint8_t)commits_of(i);
    if (u->rules->copies && concerns_copies(u, row)) u->flags |= CHK_USE_COPIES;
    find_rules(u, second);
}
