/* pm4.c - fuzz target: an indirect buffer of any words, before and after a kernel.
 *
 * What the words program is then counted or traced: registers of counters and of thread traces are
 * reached this way alone. The bytes behind the last whole word say by their number which GPU has to
 * read the words. */
#include "packets.h"

#include <hsa/hsa.h>

enum { INDIRECT_BUFFER = 0xc0023f00u, VENDOR_PM4 = 1, BARRIER = 1 << HSA_PACKET_HEADER_BARRIER };

static void put_buffer(const device_rig_t *r, unsigned slot, uint32_t dwords)
{
    const uint32_t words[] = {HSA_PACKET_TYPE_VENDOR_SPECIFIC | BARRIER | VENDOR_PM4 << 16,
                              INDIRECT_BUFFER, INPUT, 0, dwords};
    memcpy(at(r, RING + slot * PACKET_BYTES), words, sizeof(words));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    device_rig_t *r = packets_reset(size % 4 < PACKETS_GPUS ? size % 4 : 0);
    const hsa_kernel_dispatch_packet_t dispatch = {.header =
                                                       HSA_PACKET_TYPE_KERNEL_DISPATCH | BARRIER,
                                                   .setup = 1,
                                                   .workgroup_size_x = 64,
                                                   .workgroup_size_y = 1,
                                                   .workgroup_size_z = 1,
                                                   .grid_size_x = 200,
                                                   .grid_size_y = 1,
                                                   .grid_size_z = 1,
                                                   .kernel_object = KERNEL,
                                                   .kernarg_address = (void *)(uintptr_t)FIXED};
    if (size > INPUT_BYTES) size = INPUT_BYTES;
    memcpy(at(r, INPUT), data, size);
    put_buffer(r, 0, (uint32_t)size / 4);
    memcpy(at(r, RING + PACKET_BYTES), &dispatch, sizeof(dispatch));
    put_buffer(r, 2, (uint32_t)size / 4);
    packets_run_aql(r, 3);
    return 0;
}
