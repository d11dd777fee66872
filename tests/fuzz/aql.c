/* aql.c - fuzz target: AQL packets of any bytes, the queue's scratch, a kernel and its descriptor.
 *
 * The first byte says how many packets of 64 bytes follow; then 16 bytes of the queue's descriptor
 * (properties, scratch ring, scratch address) and what replaces the kernel, descriptor first. */
#include "packets.h"

enum { PACKETS_MAX = 24, SETTINGS_BYTES = 16, KERNEL_BYTES = 0x1000 };

/* Takes up to `bytes` of the input; what it does not have stays as it is. */
static void take(void *to, size_t bytes, const uint8_t **data, size_t *size)
{
    size_t n = *size < bytes ? *size : bytes;
    memcpy(to, *data, n);
    *data += n;
    *size -= n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size) return 0;
    device_rig_t *r = packets_reset(0);
    amd_queue_t *descriptor = at(r, DESCRIPTOR);
    struct {
        uint32_t properties, scratch_ring;
        uint64_t scratch;
    } settings = {0};
    _Static_assert(sizeof(settings) == SETTINGS_BYTES, "as the seeds have it");
    size_t n = data[0] % (PACKETS_MAX + 1u);
    data++, size--;
    take(at(r, RING), n * PACKET_BYTES, &data, &size);
    take(&settings, sizeof(settings), &data, &size);
    take(at(r, KERNEL), 64, &data, &size);
    take(at(r, CODE), KERNEL_BYTES - 256, &data, &size);
    descriptor->queue_properties = settings.properties;
    descriptor->compute_tmpring_size = settings.scratch_ring;
    descriptor->scratch_backing_memory_location = settings.scratch;
    packets_run_aql(r, n);
    return 0;
}
