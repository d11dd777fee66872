/* product.c - describes a product that this machine does not have as an agent, as the driver would
 * do.
 *
 * It is apart because the rest of this room gets agents from its callers. Properties that follow
 * from no fact about the product, such as its position on the bus, stay 0. */
#include "counters/counters.h"

enum { WORKGROUP_MAX = 1024, KILOBYTE = 1024 };

ctr_agent_t ctr_agent_of_product(const gpus_product_t *product)
{
    const gpus_arch_t *arch = product->arch;
    const uint32_t arrays = product->engines * product->arrays;
    return (ctr_agent_t){
        .simd_count = product->units * arch->simds,
        .max_waves_per_simd = arch->slots,
        .lds_size_in_kb = arch->lds_group / KILOBYTE,
        .wave_front_size = arch->wave,
        .num_xcc = product->xccs,
        .cu_count = product->units,
        .array_count = arrays,
        .num_shader_banks = product->engines,
        .simd_arrays_per_engine = product->arrays,
        .cu_per_simd_array = (product->units + arrays - 1) / arrays,
        .simd_per_cu = arch->simds,
        .gfx_target_version = arch->target,
        .max_engine_clk_fcompute = product->clock_mhz,
        .cu_per_engine = product->units / product->engines,
        .max_waves_per_cu = arch->slots * arch->simds,
        .workgroup_max_size = WORKGROUP_MAX,
        .grid_max_size = UINT32_MAX,
    };
}
