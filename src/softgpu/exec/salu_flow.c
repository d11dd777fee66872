/* salu_flow.c - control flow: branches, jumps, ends, barriers, messages, traps.
 *
 * A taken branch inside the decoded page is pointer arithmetic (core.h); other jumps look their
 * page up. */
#include "isa/waits.h"
#include "softgpu/exec/barrier.h"
#include "softgpu/exec/clock.h"
#include "softgpu/exec/core.h"
#include "softgpu/exec/lds.h"
#include "softgpu/exec/trap.h"

/* ---- branches ---- */

#define BRANCH_IF(name, condition)                                                                 \
    ISA_INST(name)                                                                                 \
    {                                                                                              \
        if (condition) isa_jump_relative(w, i->imm);                                               \
    }
BRANCH_IF(s_branch, true)
BRANCH_IF(s_cbranch_scc0, !w->scc)
BRANCH_IF(s_cbranch_scc1, w->scc)
BRANCH_IF(s_cbranch_vccz, !isa_vcc(w))
BRANCH_IF(s_cbranch_vccnz, isa_vcc(w))
BRANCH_IF(s_cbranch_execz, !w->exec)
BRANCH_IF(s_cbranch_execnz, w->exec)

ISA_INST(s_getpc_b64)
{
    isa_set_sgpr64(w, i->dst.reg, isa_next_pc(i));
}

ISA_INST(s_setpc_b64)
{
    isa_jump(w, isa_read64(w, &i->src[0]));
}

ISA_INST(s_swappc_b64)
{
    uint64_t target = isa_read64(w, &i->src[0]);
    isa_set_sgpr64(w, i->dst.reg, isa_next_pc(i));
    isa_jump(w, target);
}

ISA_INST(s_call_b64)
{
    isa_set_sgpr64(w, i->dst.reg, isa_next_pc(i));
    isa_jump_relative(w, i->imm);
}

/* ---- s_subvector_loop: a block of code runs for the low half of a wave of 64 lanes, then for the
 * high half, if they have active lanes. While one half runs, a register holds the other half of
 * EXEC; it is 0 if the block runs only once. ---- */

ISA_INST(s_subvector_loop_begin)
{
    const uint32_t low = (uint32_t)w->exec;
    if (!w->exec) {
        isa_jump_relative(w, i->imm);
        return;
    }
    w->sgpr[i->dst.reg] = low ? (uint32_t)(w->exec >> 32) : 0;
    if (low) w->exec = low;
}

ISA_INST(s_subvector_loop_end)
{
    const uint32_t low = (uint32_t)w->exec, kept = w->sgpr[i->dst.reg];
    if (w->exec >> 32) {
        w->exec = (w->exec & ~(uint64_t)UINT32_MAX) | kept;
    } else if (kept) {
        w->sgpr[i->dst.reg] = low;
        w->exec = (uint64_t)kept << 32;
        isa_jump_relative(w, i->imm);
    }
}

/* Returns from a trap handler; outside of one it is only a jump. The upper bits of the address hold
 * the trap's cause. */
static void return_from_trap(isa_wave_t *w, uint64_t pc)
{
    if (!w->privileged) {
        isa_jump(w, pc);
        return;
    }
    w->privileged = false;
    if (isa_go_to(w, pc & ISA_PC_MASK)) isa_stop(w, ISA_STOP_RETURN);
}

ISA_INST(s_rfe_b64)
{
    return_from_trap(w, isa_read64(w, &i->src[0]));
}

/* The second source, which selects an address translation, is ignored: there is only one here. */
ISA_INST(s_rfe_restore_b64)
{
    return_from_trap(w, isa_read64(w, &i->src[0]));
}

/* ---- fork and join: a stack of {EXEC, PC} in SGPRs, MODE.CSP points past its top ---- */

enum { CSP_SHIFT = 29, CSP_MASK = 7 };

static void push_path(isa_wave_t *w, uint64_t exec, uint64_t pc)
{
    uint32_t csp = w->mode >> CSP_SHIFT;
    isa_set_sgpr64(w, 4 * csp, exec);
    isa_set_sgpr64(w, 4 * csp + 2, pc);
    w->mode = (w->mode & ~((uint32_t)CSP_MASK << CSP_SHIFT)) | ((csp + 1) & CSP_MASK) << CSP_SHIFT;
}

/* Lanes of `mask` go to `target`, the other lanes continue. The smaller half runs first. */
static void fork_paths(isa_wave_t *w, const isa_inst_t *i, uint64_t mask, uint64_t target)
{
    uint64_t pass = mask & w->exec, fail = ~mask & w->exec;
    if (pass == w->exec) {
        isa_jump(w, target);
    } else if (fail == w->exec) {
        return;
    } else if (isa_lane_count(fail) < isa_lane_count(pass)) {
        push_path(w, pass, target);
        w->exec = fail;
    } else {
        push_path(w, fail, isa_next_pc(i));
        w->exec = pass;
        isa_jump(w, target);
    }
}

ISA_INST(s_cbranch_g_fork)
{
    fork_paths(w, i, isa_read64(w, &i->src[0]), isa_read64(w, &i->src[1]));
}

ISA_INST(s_cbranch_i_fork)
{
    fork_paths(w, i, isa_sgpr64(w, i->dst.reg), isa_next_pc(i) + 4 * (uint64_t)(int64_t)i->imm);
}

ISA_INST(s_cbranch_join)
{
    uint32_t csp = w->mode >> CSP_SHIFT;
    if (csp == (isa_read32(w, &i->src[0]) & CSP_MASK)) return;
    csp = (csp - 1) & CSP_MASK;
    w->mode = (w->mode & ~((uint32_t)CSP_MASK << CSP_SHIFT)) | csp << CSP_SHIFT;
    w->exec = isa_sgpr64(w, 4 * csp);
    isa_jump(w, isa_sgpr64(w, 4 * csp + 2));
}

/* ---- ends, barriers, sleep ---- */

static void end_wave(isa_wave_t *w)
{
    isa_barrier_leave(w);
    isa_stop(w, ISA_STOP_END);
}

ISA_INST(s_endpgm)
{
    end_wave(w);
}

ISA_INST(s_endpgm_saved)
{
    end_wave(w);
}

ISA_INST(s_endpgm_ordered_ps_done)
{
    end_wave(w);
}

ISA_INST(s_setkill)
{
    if (i->imm & 1) end_wave(w);
}

ISA_INST(s_barrier)
{
    isa_ds_barrier(w);
    if (w->group->n_waves > 1) isa_stop(w, ISA_STOP_BARRIER);
}

ISA_INST(s_sleep)
{
    w->nap = isa_sleep_clocks((uint32_t)i->imm);
    isa_stop(w, ISA_STOP_YIELD);
}

ISA_INST(s_sleep_var)
{
    w->nap = isa_sleep_clocks(isa_read32(w, &i->src[0]));
    isa_stop(w, ISA_STOP_YIELD);
}

ISA_INST(s_sethalt)
{
    if (i->imm & 1) isa_stop_unsupported(w, i, "nobody could resume the wave");
}

/* The handler of all instructions that the tables mark `nothing`, too: waits, as memory operations
 * complete when they execute; hints; branches on the debugger's condition bits of STATUS, which are
 * never set in this implementation. */
ISA_INST(s_nop) {}

/* Only thread traces see these. */
ISA_INST(s_ttracedata) {}
ISA_INST(s_ttracedata_imm) {}

ISA_INST(s_icache_inv)
{
    isa_code_invalidate(w->group->dispatch->code);
    isa_go_to(w, isa_next_pc(i));
}

/* ---- messages and traps ---- */

enum { MSG_INTERRUPT = 1, DOORBELL_ID_MASK = 0x3ff };

static void refuse_message(isa_wave_t *w, const isa_inst_t *i)
{
    isa_stop_unsupported(w, i, "message of graphics or of the context switch");
}

ISA_INST(s_sendmsg)
{
    isa_dispatch_t *dispatch = w->group->dispatch;
    const isa_formats_t *formats = dispatch->arch->formats;
    const unsigned id = isa_bits_get(formats->message, (uint32_t)i->imm);
    if (id == MSG_INTERRUPT) {
        if (dispatch->on_message) dispatch->on_message(dispatch, w, (uint16_t)i->imm);
    } else if (formats->message_doorbell && id == formats->message_doorbell) {
        /* The answer replaces EXEC_LO: code polls bit 31 of it until the bit is clear. */
        w->sgpr[ISA_CODE_EXEC] = dispatch->doorbell_id & DOORBELL_ID_MASK;
    } else if (!formats->message_free_vgprs || id != formats->message_free_vgprs) {
        refuse_message(w, i);
    } /* otherwise the wave releases its VGPRs before it ends: here it keeps them */
}

/* ---- messages with an answer ---- */

enum { RTN_DOORBELL = 128, RTN_TMA = 130, RTN_REALTIME = 131, RTN_TBA = 133 };

/* False: the message gets no answer here. Outside a trap handler, the addresses of the trap handler
 * read as 0. */
static bool answer(const isa_wave_t *w, unsigned message, uint64_t *value)
{
    switch (message) {
    case RTN_DOORBELL: *value = w->group->dispatch->doorbell_id & DOORBELL_ID_MASK; return true;
    case RTN_TMA: *value = w->privileged ? w->tma : 0; return true;
    case RTN_TBA: *value = w->privileged ? w->tba : 0; return true;
    case RTN_REALTIME: *value = isa_clock_ns(); return true;
    default: return false;
    }
}

ISA_INST(s_sendmsg_rtn_b32)
{
    uint64_t value;
    if (answer(w, (unsigned)i->imm, &value))
        w->sgpr[i->dst.reg] = (uint32_t)value;
    else
        refuse_message(w, i);
}

ISA_INST(s_sendmsg_rtn_b64)
{
    uint64_t value;
    if (answer(w, (unsigned)i->imm, &value))
        isa_set_sgpr64(w, i->dst.reg, value);
    else
        refuse_message(w, i);
}

/* llvm.debugtrap: without a debugger the trap handler returns at once. */
enum { TRAP_DEBUG = 3 };

ISA_INST(s_trap)
{
    if ((i->imm & 0xff) == TRAP_DEBUG) return;
    isa_stop(w, ISA_STOP_TRAP);
    w->trap_id = i->imm & 0xff;
    w->fault_addr = i->pc;
}

/* It fills what is behind a program, which no wave ought to execute. */
ISA_INST(s_code_end)
{
    isa_stop_illegal(w, i);
}
