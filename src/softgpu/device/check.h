/* check.h - dispatches whose instructions are checked, and what the program's calls tell of memory.
 */
#ifndef SOFTGPU_DEVICE_CHECK_H
#define SOFTGPU_DEVICE_CHECK_H

#include "softgpu/check/sink.h"
#include "softgpu/device/internal.h"

/* Sets run->checked. */
void sg_check_begin(sg_run_t *run, uint64_t kernel_object, uint32_t lds_bytes);
/* The workgroup's waves are prepared. */
void sg_check_start(sg_box_t *b);

#endif
