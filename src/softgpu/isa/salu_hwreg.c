/* salu_hwreg.c - hardware registers, the VGPR indexing mode, and operands that are not registers.
 *
 * Registers that a wave cannot change read as the launch left them; those that only privileged code
 * may write ignore writes, as the hardware does. */
#include "softgpu/isa/handler.h"
#include "softgpu/isa/trap.h"

enum {
    HWREG_MODE = 1,
    HWREG_STATUS = 2,
    HWREG_TRAPSTS = 3,
    HWREG_HW_ID = 4,
    HWREG_GPR_ALLOC = 5,
    HWREG_LDS_ALLOC = 6,
    HWREG_IB_STS = 7,
    HWREG_SH_MEM_BASES = 15,
    HWREG_TBA_LO = 16,
    HWREG_TBA_HI = 17,
    HWREG_TMA_LO = 18,
    HWREG_TMA_HI = 19
};

enum { MODE_GPR_IDX_EN = 1 << 27, MODE_VSKIP = 1 << 28 };

/* VGPR_SIZE 11:6 in granules of 8, ACCV_OFFSET 17:12 in fours, SGPR_SIZE 27:24 in sixteens (112,
 * what every wave has); each field holds the count less one. The bases are 0. */
static uint32_t gpr_alloc(const isa_wave_t *w)
{
    uint32_t n = w->group->dispatch->n_vgpr, acc = w->acc_offset;
    return (n ? (n + 7) / 8 - 1 : 0) << 6 | (acc ? acc / 4 - 1 : 0) << 12 | 6u << 24;
}

/* False if there is no such register. */
static bool read_hwreg(const isa_wave_t *w, unsigned id, uint32_t *value)
{
    const isa_dispatch_t *dispatch = w->group->dispatch;
    switch (id) {
    case HWREG_MODE: *value = w->mode; return true;
    case HWREG_STATUS: *value = isa_status(w); return true;
    case HWREG_HW_ID: *value = w->hw_id; return true;
    case HWREG_GPR_ALLOC: *value = gpr_alloc(w); return true;
    case HWREG_LDS_ALLOC: /* LDS_SIZE 20:12 in 512-byte blocks */
        *value = (w->group->lds_bytes + 511) / 512 << 12;
        return true;
    case HWREG_SH_MEM_BASES:
        *value = (uint32_t)(dispatch->private_base >> 48) | (uint32_t)(dispatch->shared_base >> 48)
                                                                << 16;
        return true;
    case HWREG_TRAPSTS: /* no exception is recorded, nothing is outstanding */
    case HWREG_IB_STS: *value = 0; return true;
    /* addresses of the trap handler, which an ordinary program does not see */
    case HWREG_TBA_LO: *value = w->privileged ? (uint32_t)w->tba : 0; return true;
    case HWREG_TBA_HI: *value = w->privileged ? (uint32_t)(w->tba >> 32) : 0; return true;
    case HWREG_TMA_LO: *value = w->privileged ? (uint32_t)w->tma : 0; return true;
    case HWREG_TMA_HI: *value = w->privileged ? (uint32_t)(w->tma >> 32) : 0; return true;
    default: *value = 0; return false;
    }
}

/* id 5:0, offset 10:6, size 15:11 less one */
static unsigned reg_id(const isa_inst_t *i)
{
    return i->imm & 63;
}

static unsigned reg_offset(const isa_inst_t *i)
{
    return i->imm >> 6 & 31;
}

static uint32_t reg_mask(const isa_inst_t *i)
{
    unsigned size = (i->imm >> 11 & 31) + 1;
    return size == 32 ? ~0u : (1u << size) - 1;
}

ISA_INST(s_getreg_b32)
{
    uint32_t value;
    if (!read_hwreg(w, reg_id(i), &value)) {
        isa_stop_unsupported(w, i, "no such hardware register");
        return;
    }
    w->sgpr[i->dst.reg] = value >> reg_offset(i) & reg_mask(i);
}

static void set_mode(isa_wave_t *w, const isa_inst_t *i, uint32_t mode)
{
    if (mode & MODE_VSKIP)
        isa_stop_unsupported(w, i, "VSKIP mode");
    else
        w->mode = mode;
}

/* What a trap handler restores with it is SCC; all else follows from the wave. */
static void set_status(isa_wave_t *w, const isa_inst_t *i, uint32_t status)
{
    if (!w->privileged) return;
    if (status & ISA_STATUS_HALT)
        isa_stop_unsupported(w, i, "nobody could resume the wave");
    else
        w->scc = status & ISA_STATUS_SCC;
}

static void set_hwreg(isa_wave_t *w, const isa_inst_t *i, uint32_t value)
{
    uint32_t mask = reg_mask(i) << reg_offset(i), old;
    value = value << reg_offset(i) & mask;
    if (!read_hwreg(w, reg_id(i), &old))
        isa_stop_unsupported(w, i, "no such hardware register");
    else if (reg_id(i) == HWREG_MODE)
        set_mode(w, i, (old & ~mask) | value);
    else if (reg_id(i) == HWREG_STATUS)
        set_status(w, i, (old & ~mask) | value);
    else if (reg_id(i) == HWREG_TRAPSTS && value)
        isa_stop_unsupported(w, i, "exceptions cannot be raised by hand");
}

ISA_INST(s_setreg_b32)
{
    set_hwreg(w, i, w->sgpr[i->dst.reg]);
}

ISA_INST(s_setreg_imm32_b32)
{
    set_hwreg(w, i, (uint32_t)i->src[0].k);
}

ISA_INST(s_setvskip)
{
    uint32_t bit = isa_read32(w, &i->src[0]) >> (isa_read32(w, &i->src[1]) & 31) & 1;
    set_mode(w, i, bit ? w->mode | MODE_VSKIP : w->mode & ~(uint32_t)MODE_VSKIP);
}

/* ---- VGPR indexing: M0 holds the index in 7:0 and the operands it applies to in 15:12 ---- */

ISA_INST(s_set_gpr_idx_on)
{
    uint32_t index = isa_read32(w, &i->src[0]) & 0xff;
    w->m0 = (w->m0 & ~0xf0ffu) | index | (uint32_t)(i->imm & 15) << 12;
    w->mode |= MODE_GPR_IDX_EN;
}

ISA_INST(s_set_gpr_idx_idx)
{
    w->m0 = (w->m0 & ~0xffu) | (isa_read32(w, &i->src[0]) & 0xff);
}

ISA_INST(s_set_gpr_idx_mode)
{
    w->m0 = (w->m0 & ~0xf000u) | (uint32_t)(i->imm & 15) << 12;
}

ISA_INST(s_set_gpr_idx_off)
{
    w->mode &= ~(uint32_t)MODE_GPR_IDX_EN;
}

/* ---- operands that are not registers ---- */

enum {
    SRC_SHARED_BASE = 235,
    SRC_SHARED_LIMIT = 236,
    SRC_PRIVATE_BASE = 237,
    SRC_PRIVATE_LIMIT = 238,
    SRC_POPS_EXITING_WAVE_ID = 239,
    SRC_VCCZ = 251,
    SRC_EXECZ = 252,
    SRC_SCC = 253,
    SRC_LDS_DIRECT = 254
};

/* M0: byte address 15:0, type 18:16 (0 ubyte, 1 ushort, 2 dword, 4 sbyte, 5 sshort). */
static uint32_t lds_direct(const isa_wave_t *w)
{
    static const uint8_t sizes[8] = {1, 2, 4, 4, 1, 2, 4, 4};
    unsigned type = w->m0 >> 16 & 7, size = sizes[type];
    uint32_t at = (w->m0 & 0xffff) & ~(size - 1), value = 0;
    if (at + size > w->group->lds_bytes) return 0;
    for (unsigned k = 0; k < size; k++)
        value |= (uint32_t)w->group->lds[at + k] << 8 * k;
    if (type == 4) return (uint32_t)(int32_t)(int8_t)value;
    return type == 5 ? (uint32_t)(int32_t)(int16_t)value : value;
}

uint64_t isa_read_special(isa_wave_t *w, const isa_operand_t *o)
{
    const isa_dispatch_t *dispatch = w->group->dispatch;
    switch (o->reg) {
    case SRC_SHARED_BASE: return dispatch->shared_base;
    case SRC_SHARED_LIMIT: return dispatch->shared_base | 0xffffffff;
    case SRC_PRIVATE_BASE: return dispatch->private_base;
    case SRC_PRIVATE_LIMIT: return dispatch->private_base | 0xffffffff;
    case SRC_VCCZ: return w->vcc == 0;
    case SRC_EXECZ: return w->exec == 0;
    case SRC_SCC: return w->scc;
    case SRC_LDS_DIRECT: return lds_direct(w);
    default: /* SRC_POPS_EXITING_WAVE_ID: graphics only, nobody waits */ return 0;
    }
}
