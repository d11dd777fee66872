// papi_tests.hip - linked with PAPI's tests of its component rocm: their PAPI_start comes here
// first (ld --wrap), and with LOAD_CODE in the environment the kernel's code is on every GPU before
// counting starts.
#include <hip/hip_runtime.h>

#include <cstdlib>

__global__ void matmul(float *, float *, float *, int);

extern "C" {
int __real_PAPI_start(int events);
int __wrap_PAPI_start(int events);
}

// One work-item of the kernel, of an empty matrix: HIP sets itself up with it, its own kernels too.
static void load_code()
{
    int before = 0, count = 0;
    if (hipGetDevice(&before) || hipGetDeviceCount(&count)) abort();
    for (int device = 0; device < count; device++) {
        if (hipSetDevice(device)) abort();
        hipLaunchKernelGGL(matmul, 1, 1, 0, 0, NULL, NULL, NULL, 0);
        if (hipDeviceSynchronize()) abort();
    }
    if (hipSetDevice(before)) abort();
}

int __wrap_PAPI_start(int events)
{
    if (getenv("LOAD_CODE")) load_code();
    return __real_PAPI_start(events);
}
