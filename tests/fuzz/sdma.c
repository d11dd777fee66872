/* sdma.c - fuzz target: a ring full of SDMA packets of any words, worked through more than once.
 *
 * The first byte says how many dwords of them are read again, so that packets go round the end. */
#include "packets.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 5) return 0;
    device_rig_t *r = packets_reset(0);
    const size_t bytes = (size - 1 < RING_BYTES ? size - 1 : RING_BYTES) & ~(size_t)3;
    const uint64_t end = bytes + 4u * data[0];
    const sg_queue_params_t params = {.kind = SG_QUEUE_SDMA,
                                      .ring_va = RING,
                                      .ring_bytes = bytes,
                                      .read_ptr_va = DESCRIPTOR,
                                      .write_ptr_va = DESCRIPTOR + 8,
                                      .percent = 100};
    memcpy(at(r, RING), data + 1, bytes);
    memcpy(at(r, DESCRIPTOR + 8), &end, sizeof(end));
    packets_run(r, &params, end);
    return 0;
}
