/* check.h - how a run loop calls the checker (src/softgpu/check).
 *
 * A core has a run loop of its own for checked waves (run.c), so that the checker costs nothing
 * where it is off. Whoever fills in an isa_check_t decides which instructions it wants to see. */
#ifndef SOFTGPU_ISA_CHECK_H
#define SOFTGPU_ISA_CHECK_H

#include "softgpu/isa/wave.h"

enum { ISA_CHECK_BEFORE = 1, ISA_CHECK_AFTER = 2 };

/* Of one workgroup in flight, so that one thread at a time uses it. */
typedef struct isa_check isa_check_t;
struct isa_check {
    const uint8_t *looks; /* by ISA_OP_*: ISA_CHECK_* */
    bool idle;            /* no instruction is looked at: the plain loop will do */
    void (*before)(isa_check_t *c, isa_wave_t *w, const isa_inst_t *i);
    void (*after)(isa_check_t *c, isa_wave_t *w, const isa_inst_t *i);
};

#endif
