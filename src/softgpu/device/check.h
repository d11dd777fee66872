/* check.h - the device's calls into the checker: the begin of a dispatch and of its workgroups. */
#ifndef SOFTGPU_DEVICE_CHECK_H
#define SOFTGPU_DEVICE_CHECK_H

#include "softgpu/check/sink.h"
#include "softgpu/device/internal.h"

struct hsa_kernel_dispatch_packet_s;

/* Sets run->checked. Called when the run's shape and user registers are set. `id` is the packet's
 * index; `scalars`, the number of SGPRs that a wave starts with. */
void sg_check_begin(sg_run_t *run, const struct hsa_kernel_dispatch_packet_s *packet, uint64_t id,
                    uint32_t scalars);
/* Workgroup `id` begins; its waves have their registers. */
void sg_check_start(sg_box_t *b, uint64_t id);

#endif
