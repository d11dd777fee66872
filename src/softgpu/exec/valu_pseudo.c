/* valu_pseudo.c - transcendental operations on scalar registers (gfx12), with the effect that the
 * vector instruction of the same name has on a lane.
 *
 * The handler of the vector instruction runs on one lane of a row that belongs to no wave, so that
 * modifiers and MODE have the same effect as for vectors. */
#include "softgpu/exec/code.h"
#include "softgpu/exec/valu.h"

#define PSEUDO_SCALAR(name, vector, mask)                                                          \
    ISA_INST(name)                                                                                 \
    {                                                                                              \
        const uint64_t exec = w->exec;                                                             \
        isa_inst_t one;                                                                            \
        memcpy(&one, i, sizeof one);                                                               \
        one.dst = (isa_operand_t){.kind = ISA_OPK_VGPR, .reg = ISA_DUAL_ROW, .bits = 32};          \
        w->exec = 1;                                                                               \
        ISA_HANDLER(vector)(w, &one);                                                              \
        w->exec = exec;                                                                            \
        if (!w->stop) w->sgpr[i->dst.reg] = w->vgpr[ISA_DUAL_ROW][0] & (mask);                     \
    }
#define PSEUDO(operation)                                                                          \
    PSEUDO_SCALAR(v_s_##operation##_f32, v_##operation##_f32, UINT32_MAX)                          \
    PSEUDO_SCALAR(v_s_##operation##_f16, v_##operation##_f16, 0xffff)
PSEUDO(exp)
PSEUDO(log)
PSEUDO(rcp)
PSEUDO(rsq)
PSEUDO(sqrt)
