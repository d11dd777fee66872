/* blocks.c - the counter blocks of each GPU: shapes, registers, and which can be streamed.
 *
 * Data only: all of it is generated from tables of share. */
#include "softgpu/perf/internal.h"

/* clang-format off */
#define SG_TABLE_END };

#define SG_TABLE(gpu) static const struct sg_slot_registers registers_##gpu[] = {
#define SG_REGISTER(block, slot, select, low, high, select1) \
    {SG_BLOCK_##block, slot, select, low, high, select1},
#include "softgpu/perf_tables.inc"
#undef SG_TABLE

#define SG_TABLE(gpu) static const struct sg_streamed streamed_##gpu[] = {
#define SG_STREAMED(block, per_se, number) {SG_BLOCK_##block, per_se, number},
#include "softgpu/perf_tables.inc"
#undef SG_TABLE
#undef SG_TABLE_END

#define SG_TABLE(gpu)                                                       \
    [ISA_ARCH_##gpu] = {.registers = registers_##gpu,                       \
                        .n_registers = sizeof registers_##gpu / sizeof registers_##gpu[0], \
                        .streamed = streamed_##gpu,                         \
                        .n_streamed = sizeof streamed_##gpu / sizeof streamed_##gpu[0],
#define SG_TABLE_END },
#define SG_BLOCK(name, id, instances, scope, slots, select) \
    .shape[SG_BLOCK_##name] = {instances, SG_OF_##scope, slots, select}, .outer[id] = SG_BLOCK_##name + 1,

static const sg_blocks_t blocks[ISA_ARCH_COUNT] = {
#include "softgpu/perf_tables.inc"
};
/* clang-format on */

const sg_blocks_t *sg_perf_blocks(const isa_arch_t *arch)
{
    return &blocks[arch->index];
}
