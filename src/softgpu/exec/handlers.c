/* handlers.c - the core's table of handlers, indexed by ISA_OP_*.
 *
 * The references are weak: an instruction without a handler has NULL here, and stops its wave with
 * ISA_STOP_UNSUPPORTED (code.c). When a handler is added, nothing changes here. */
#include "softgpu/exec/core.h"

#define ISA_OP(name, ...)                                                                          \
    extern isa_handler_t ISA_HANDLER(name) __attribute__((weak, visibility("hidden")));
#include "isa/isa_ops.inc"
#undef ISA_OP

#define ISA_OP(name, body, ...) [ISA_OP_##name] = ISA_HANDLER(body),

isa_handler_t *const isa_core_handlers[ISA_OP_COUNT] = {
#include "isa/isa_ops.inc"
};
