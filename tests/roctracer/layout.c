/* layout.c - arguments that callbacks of HIP_API get against HIP's own header, for the calls that
 * readers look into. A call whose signature HIP has changed has that of HIP 7 here, so it is not
 * among them. */
#include "hip_args.c"

#include <hip/amd_detail/hip_prof_str.h>
#include <stddef.h>
#include <stdio.h>

#define SAME_SIZE(call)                                                                            \
    _Static_assert(sizeof(((hip_api_data_t *)0)->args.call) == sizeof(args_##call##_t), #call)
#define SAME(call, member)                                                                         \
    SAME_SIZE(call);                                                                               \
    _Static_assert(offsetof(hip_api_data_t, args.call.member) ==                                   \
                       offsetof(hip_api_data_t, args) + offsetof(args_##call##_t, member),         \
                   #call "." #member)

_Static_assert(offsetof(hip_api_data_t, phase) == 8 && offsetof(hip_api_data_t, args) == 16,
               "head");
SAME(hipMalloc, ptr__val);
SAME(hipMalloc, size);
SAME(hipFree, ptr);
SAME(hipMemcpy, kind);
SAME(hipMemcpyAsync, stream);
SAME(hipMemcpyWithStream, stream);
SAME(hipMemcpy2DAsync, stream);
SAME(hipMemcpyPeerAsync, stream);
SAME(hipMemsetAsync, stream);
SAME(hipLaunchKernel, dimBlocks);
SAME(hipLaunchKernel, stream);
SAME(hipExtLaunchKernel, stream);
SAME(hipLaunchCooperativeKernel, stream);
SAME(hipModuleLaunchKernel, sharedMemBytes);
SAME(hipModuleLaunchKernel, extra__val);
SAME(hipExtModuleLaunchKernel, flags);
SAME(hipStreamCreateWithFlags, stream__val);
SAME(hipStreamWaitEvent, event);
SAME(hipEventRecord, stream);
SAME(hipEventElapsedTime, stop);
SAME(hipHostMalloc, ptr__val);
SAME(hipMallocManaged, size);
SAME(hipGraphLaunch, stream);

int main(void)
{
    puts("laid out alike");
    return 0;
}
