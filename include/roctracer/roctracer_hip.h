/* roctracer_hip.h - operations of HIP. Those of ACTIVITY_DOMAIN_HIP_API, and hip_api_data_t that
 * their callbacks get, are in HIP's own <hip/amd_detail/hip_prof_str.h>. */
#ifndef ROCTRACER_HIP_H_
#define ROCTRACER_HIP_H_

#include "roctracer.h"

#if !defined(__HIP_PLATFORM_AMD__) && !defined(__HIP_PLATFORM_NVIDIA__)
#define __HIP_PLATFORM_AMD__ 1
#endif
#include <hip/hip_runtime.h>
/* With HIP_PROF_HIP_API_STRING, HIP's header needs these operators to write structures. */
#include "hip_ostream_ops.h"
#include <hip/amd_detail/hip_prof_str.h>

/** Operations of ACTIVITY_DOMAIN_HIP_OPS. */
typedef enum {
    HIP_OP_ID_DISPATCH = 0,
    HIP_OP_ID_COPY = 1,
    HIP_OP_ID_BARRIER = 2, /**< not written by this library */
    HIP_OP_ID_NUMBER = 3
} hip_op_id_t;

#endif
