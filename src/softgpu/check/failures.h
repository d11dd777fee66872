/* failures.h - findings of the family api: calls of HIP or HSA that have returned an error. */
#ifndef SOFTGPU_CHECK_FAILURES_H
#define SOFTGPU_CHECK_FAILURES_H

#include "softgpu/check/sink.h"

/* Reports a failed launch, and with --api=strict any failed call. Takes the caller's stack. */
void chk_call_failed(const softgpu_check_failure_t *f);

#endif
