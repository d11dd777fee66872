/* salu_hwreg.c - hardware registers, the VGPR indexing mode, and operands that are not registers.
 *
 * Registers that a wave cannot change read as at the launch; registers that only privileged code
 * may write ignore writes, as on hardware. */
#include "softgpu/exec/address.h"
#include "softgpu/exec/clock.h"
#include "softgpu/exec/handler.h"
#include "softgpu/exec/hwreg.h"
#include "softgpu/exec/lds.h"
#include "softgpu/exec/trap.h"

/* The register GPR_ALLOC: VGPR_SIZE 11:6 and ACCV_OFFSET 17:12 in granules, SGPR_SIZE 27:24 in
 * units of 16 (every wave has 112); each field holds the count less one. The fields of the first
 * registers are 0. */
static uint32_t gpr_alloc(const isa_wave_t *w)
{
    const isa_arch_t *a = w->group->dispatch->arch;
    const uint32_t n = w->group->dispatch->n_vgpr, acc = w->acc_offset;
    return (n ? (n + a->vgpr_granule - 1) / a->vgpr_granule - 1 : 0) << 6 |
           (acc && a->acc_granule ? acc / a->acc_granule - 1 : 0) << 12 | 6u << 24;
}

/* The register with this number: ISA_HWREG_*; ISA_HWREG_NONE if there is none. */
static unsigned hwreg_of(const isa_wave_t *w, unsigned number)
{
    const isa_arch_t *a = w->group->dispatch->arch;
    return number < a->hwregs ? a->formats->hwregs[number].id : ISA_HWREG_NONE;
}

static uint64_t shader_clock(const isa_dispatch_t *dispatch)
{
    return isa_clock_ns() * dispatch->engine_clock_mhz / 1000;
}

/* Reads a hardware register; false if there is no such register. */
static bool read_hwreg(const isa_wave_t *w, unsigned id, uint32_t *value)
{
    const isa_dispatch_t *dispatch = w->group->dispatch;
    *value = 0;
    if (id == ISA_HWREG_NONE) return false;
    switch (id) {
    case ISA_HWREG_FLAT_SCR_LO: *value = (uint32_t)w->scratch_register; return true;
    case ISA_HWREG_FLAT_SCR_HI: *value = (uint32_t)(w->scratch_register >> 32); return true;
    case ISA_HWREG_HW_ID1: *value = isa_place_hw_id(w->hw_id); return true;
    case ISA_HWREG_HW_ID2: /* its fields queue, pipe and state are 0, as on gfx9 */
    case ISA_HWREG_POPS_PACKER: return true;
    case ISA_HWREG_SHADER_CYCLES: /* 20 bits of the clock */
        *value = (uint32_t)shader_clock(dispatch) & 0xfffff;
        return true;
    case ISA_HWREG_MODE: *value = w->mode & ~dispatch->arch->mode_absent; return true;
    case ISA_HWREG_STATUS: *value = isa_status(w); return true;
    case ISA_HWREG_WAVE_STATUS: *value = isa_status(w) & ~(uint32_t)ISA_STATUS_SCC; return true;
    case ISA_HWREG_WAVE_STATE_PRIV: *value = w->scc << ISA_STATE_PRIV_SCC_SHIFT; return true;
    case ISA_HWREG_WAVE_EXCP_FLAG_PRIV: /* no exception is recorded */
        *value = w->host_trapped ? ISA_EXCP_FLAG_HOST_TRAP : 0;
        return true;
    case ISA_HWREG_WAVE_EXCP_FLAG:
    case ISA_HWREG_WAVE_TRAP_CTRL: /* no exception is enabled */
    case ISA_HWREG_WAVE_SCHED_MODE: return true;
    case ISA_HWREG_SHADER_CYCLES_LO: *value = (uint32_t)shader_clock(dispatch); return true;
    case ISA_HWREG_SHADER_CYCLES_HI: *value = (uint32_t)(shader_clock(dispatch) >> 32); return true;
    case ISA_HWREG_HW_ID: *value = isa_place_hw_id(w->hw_id); return true;
    case ISA_HWREG_XCC_ID: *value = isa_place_xcc(w->hw_id); return true;
    case ISA_HWREG_GPR_ALLOC: *value = gpr_alloc(w); return true;
    case ISA_HWREG_LDS_ALLOC: /* LDS_SIZE 20:12 in granules */
        *value =
            (w->group->lds_bytes + dispatch->arch->lds_granule - 1) / dispatch->arch->lds_granule
            << 12;
        return true;
    case ISA_HWREG_SH_MEM_BASES:
        *value = (uint32_t)(dispatch->private_base >> 48) | (uint32_t)(dispatch->shared_base >> 48)
                                                                << 16;
        return true;
    case ISA_HWREG_TRAPSTS: /* no exception is recorded */
        *value = w->snapshot.trapped ? ISA_TRAPSTS_PERF_SNAPSHOT : 0;
        return true;
    case ISA_HWREG_IB_STS:
        *value = 0;
        return true; /* nothing is outstanding */
    /* the addresses of the trap handler read as 0 outside of it */
    case ISA_HWREG_TBA_LO: *value = w->privileged ? (uint32_t)w->tba : 0; return true;
    case ISA_HWREG_TBA_HI: *value = w->privileged ? (uint32_t)(w->tba >> 32) : 0; return true;
    case ISA_HWREG_TMA_LO: *value = w->privileged ? (uint32_t)w->tma : 0; return true;
    case ISA_HWREG_TMA_HI: *value = w->privileged ? (uint32_t)(w->tma >> 32) : 0; return true;
    case ISA_HWREG_SQ_PERF_SNAPSHOT_DATA:
    case ISA_HWREG_SQ_PERF_SNAPSHOT_DATA1:
        *value = w->snapshot.data[id - ISA_HWREG_SQ_PERF_SNAPSHOT_DATA];
        return true;
    case ISA_HWREG_SQ_PERF_SNAPSHOT_PC_LO: *value = (uint32_t)w->snapshot.pc; return true;
    case ISA_HWREG_SQ_PERF_SNAPSHOT_PC_HI: *value = (uint32_t)(w->snapshot.pc >> 32); return true;
    default: *value = 0; return false;
    }
}

ISA_INST(s_getreg_b32)
{
    const isa_hwreg_t r = isa_hwreg((uint32_t)i->imm);
    uint32_t value;
    if (!read_hwreg(w, hwreg_of(w, r.id), &value)) {
        isa_stop_unsupported(w, i, "no such hardware register");
        return;
    }
    w->sgpr[i->dst.reg] = value >> r.shift & r.mask;
}

static void set_mode(isa_wave_t *w, const isa_inst_t *i, uint32_t mode)
{
    const uint32_t absent = w->group->dispatch->arch->mode_absent;
    mode = (mode & ~absent) | (w->mode & absent);
    if (mode & ISA_MODE_VSKIP)
        isa_stop_unsupported(w, i, "VSKIP mode");
    else
        w->mode = mode;
}

/* A write of STATUS, by which a trap handler restores SCC. The other bits follow from the wave's
 * state and are not written. */
static void set_status(isa_wave_t *w, const isa_inst_t *i, uint32_t status)
{
    if (!w->privileged) return;
    if (status & ISA_STATUS_HALT)
        isa_stop_unsupported(w, i, "nobody could resume the wave");
    else
        w->scc = status & ISA_STATUS_SCC;
}

/* The same of gfx12, whose STATUS has no SCC. */
static void set_state(isa_wave_t *w, const isa_inst_t *i, uint32_t state)
{
    if (!w->privileged) return;
    if (state & ISA_STATE_PRIV_HALT)
        isa_stop_unsupported(w, i, "nobody could resume the wave");
    else
        w->scc = state >> ISA_STATE_PRIV_SCC_SHIFT & 1;
}

/* A write of the bits `mask` of TRAPSTS, or of EXCP_FLAG_PRIV of gfx12: trap handlers clear the bit
 * that has brought them up. */
static void set_flags(isa_wave_t *w, const isa_inst_t *i, unsigned id, uint32_t mask,
                      uint32_t value)
{
    if (value)
        isa_stop_unsupported(w, i, "exceptions cannot be raised by hand");
    else if (id == ISA_HWREG_TRAPSTS && mask & ISA_TRAPSTS_PERF_SNAPSHOT)
        w->snapshot.trapped = false;
    else if (id == ISA_HWREG_WAVE_EXCP_FLAG_PRIV && mask & ISA_EXCP_FLAG_HOST_TRAP)
        w->host_trapped = false;
}

static void set_flat_scratch(isa_wave_t *w, bool high, uint32_t value)
{
    const unsigned shift = high ? 32 : 0;
    w->scratch_register &= ~((uint64_t)UINT32_MAX << shift);
    w->scratch_register |= (uint64_t)value << shift;
}

/* Of the register with this `id`, sets the bits `mask` to those of `value`. */
static __attribute__((noinline)) void set_other(isa_wave_t *w, const isa_inst_t *i, unsigned id,
                                                uint32_t mask, uint32_t value)
{
    uint32_t old;
    if (!read_hwreg(w, id, &old))
        isa_stop_unsupported(w, i, "no such hardware register");
    else if (id == ISA_HWREG_STATUS)
        set_status(w, i, (old & ~mask) | value);
    else if (id == ISA_HWREG_FLAT_SCR_LO || id == ISA_HWREG_FLAT_SCR_HI)
        set_flat_scratch(w, id == ISA_HWREG_FLAT_SCR_HI, (old & ~mask) | value);
    else if (id == ISA_HWREG_WAVE_STATE_PRIV)
        set_state(w, i, (old & ~mask) | value);
    else if (id == ISA_HWREG_TRAPSTS || (id == ISA_HWREG_WAVE_EXCP_FLAG_PRIV && w->privileged))
        set_flags(w, i, id, mask, value);
}

/* Nearly all writes are to MODE, which each kernel makes when it begins. */
static inline void set_hwreg(isa_wave_t *w, const isa_inst_t *i, uint32_t value)
{
    const isa_hwreg_t r = isa_hwreg((uint32_t)i->imm);
    const unsigned id = hwreg_of(w, r.id);
    const uint32_t mask = r.mask << r.shift;
    value = value << r.shift & mask;
    if (__builtin_expect(id == ISA_HWREG_MODE, 1))
        set_mode(w, i, (w->mode & ~mask) | value);
    else
        set_other(w, i, id, mask, value);
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
    set_mode(w, i, bit ? w->mode | ISA_MODE_VSKIP : w->mode & ~(uint32_t)ISA_MODE_VSKIP);
}

/* ---- VGPR indexing: M0 holds the index in 7:0 and the operands it applies to in 15:12 ---- */

ISA_INST(s_set_gpr_idx_on)
{
    uint32_t index = isa_read32(w, &i->src[0]) & 0xff;
    w->m0 = (w->m0 & ~0xf0ffu) | index | (uint32_t)(i->imm & 15) << 12;
    w->mode |= ISA_MODE_GPR_IDX;
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
    w->mode &= ~(uint32_t)ISA_MODE_GPR_IDX;
}

/* ---- operands that are not registers ---- */

static uint32_t lds_direct(isa_wave_t *w)
{
    const isa_lds_direct_t d = isa_address_lds_direct(w->m0);
    uint32_t value = 0;
    isa_ds_reads(w);
    if (d.at + d.bytes > w->group->lds_bytes) return 0;
    for (unsigned k = 0; k < d.bytes; k++)
        value |= (uint32_t)w->group->lds[d.at + k] << 8 * k;
    if (!d.is_signed) return value;
    return (uint32_t)(d.bytes == 1 ? (int32_t)(int8_t)value : (int32_t)(int16_t)value);
}

uint64_t isa_read_special(isa_wave_t *w, const isa_operand_t *o)
{
    return o->reg == ISA_CODE_LDS_DIRECT ? lds_direct(w) : isa_special(w, o->reg);
}
