/* trap.c - a host trap's way into the runtime's handler: the registers that the handler finds.
 *
 * Not part of the core because it runs only once for each trap, on behalf of the driver. */
#include "softgpu/isa/trap.h"

/* TTMP registers on entry, gfx9 before 9.4.3. The others keep what they had. */
enum {
    TTMP_PC_LOW = 0,
    TTMP_PC_HIGH = 1, /* PC 47:32 in 15:0, trap id 23:16, host trap 24 */
    TTMP_PACKET = 6,  /* 24:0 */
    TTMP_GROUP = 8,   /* x, y, z */
    TTMP_WAVE = 11,   /* wave in its workgroup 5:0, no scratch 6, debugger 23, IB_STS 31:26 */
    TTMP_STATUS = 12,
    TTMP_TMA = 14
};

enum {
    TRAP_ID_SHIFT = 16,
    TRAP_ID_HOST = 1, /* any number but 0, which a handler takes for no trap */
    TRAP_HOST = 1 << 24,
    PACKET_MASK = 0x1ffffff,
    WAVE_MASK = 0x3f,
    WAVE_NO_SCRATCH = 1 << 6
};

bool isa_trap_host(isa_wave_t *w, const isa_core_t *core, const isa_trap_t *trap)
{
    const uint64_t pc = isa_wave_pc(w);
    if (!core->set_pc(w, trap->tba)) return false;
    w->privileged = true;
    w->tba = trap->tba;
    w->tma = trap->tma;
    w->ttmp[TTMP_PC_LOW] = (uint32_t)pc;
    w->ttmp[TTMP_PC_HIGH] =
        (uint32_t)(pc >> 32 & 0xffff) | TRAP_ID_HOST << TRAP_ID_SHIFT | TRAP_HOST;
    w->ttmp[TTMP_PACKET] = trap->packet & PACKET_MASK;
    for (unsigned axis = 0; axis < 3; axis++)
        w->ttmp[TTMP_GROUP + axis] = w->group->id[axis];
    w->ttmp[TTMP_WAVE] = (w->index_in_group & WAVE_MASK) | (w->scratch_bytes ? 0 : WAVE_NO_SCRATCH);
    w->ttmp[TTMP_STATUS] = isa_status(w);
    w->ttmp[TTMP_TMA] = (uint32_t)trap->tma;
    w->ttmp[TTMP_TMA + 1] = (uint32_t)(trap->tma >> 32);
    return true;
}
