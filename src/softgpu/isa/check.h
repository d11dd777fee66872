/* check.h - looking at instructions for what is wrong with the program.
 *
 * A core has a run loop for it (run_loop.h), so that it costs nothing where nobody checks. Which
 * instructions are looked at, and for what, is the owner's. */
#ifndef SOFTGPU_ISA_CHECK_H
#define SOFTGPU_ISA_CHECK_H

#include "softgpu/isa/wave.h"

enum { ISA_CHECK_BEFORE = 1, ISA_CHECK_AFTER = 2 };

/* Belongs to a workgroup in flight: used by one thread at a time. */
typedef struct isa_check isa_check_t;
struct isa_check {
    const uint8_t *looks; /* by ISA_OP_*: ISA_CHECK_* */
    bool idle;            /* at none: the plain loop will do */
    void (*before)(isa_check_t *c, isa_wave_t *w, const isa_inst_t *i);
    void (*after)(isa_check_t *c, isa_wave_t *w, const isa_inst_t *i);
};

#endif
