/* handlers.c - the core's table from instruction to function.
 *
 * The references are weak: an instruction that nobody has written is NULL here and becomes
 * `unsupported` when it is decoded. Nothing to change when an instruction is added. */
#include "softgpu/isa/core.h"

#define ISA_OP(name, ...)                                                                          \
    extern isa_handler_t ISA_HANDLER(name) __attribute__((weak, visibility("hidden")));
#include "isa/isa_ops.inc"
#undef ISA_OP

#define ISA_OP(name, ...) [ISA_OP_##name] = ISA_HANDLER(name),

isa_handler_t *const isa_core_handlers[ISA_OP_COUNT] = {
#include "isa/isa_ops.inc"
};
