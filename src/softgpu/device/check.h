/* check.h - dispatches whose instructions are checked, and what the program's calls tell of memory.
 */
#ifndef SOFTGPU_DEVICE_CHECK_H
#define SOFTGPU_DEVICE_CHECK_H

#include "softgpu/check/sink.h"
#include "softgpu/device/internal.h"

struct hsa_kernel_dispatch_packet_s;

/* Sets run->checked; the shape and the scalars of the run are known. `id`: of the packet. */
void sg_check_begin(sg_run_t *run, const struct hsa_kernel_dispatch_packet_s *packet, uint64_t id,
                    uint32_t scalars);
/* Workgroup `id` has its waves prepared. */
void sg_check_start(sg_box_t *b, uint64_t id);

#endif
