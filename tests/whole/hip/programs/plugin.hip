// plugin - a library with a kernel, opened by loader.c with dlopen.
#include "check.h"

__global__ void triple(int *x) { x[threadIdx.x] *= 3; }

extern "C" __attribute__((visibility("default"))) int plugin_run()
{
    std::vector<int> in(128);
    for (int i = 0; i < 128; i++) in[i] = i - 50;
    device_array<int> d(in);
    triple<<<1, 128>>>(d.data);
    auto out = d.host();
    size_t wrong = 0;
    for (int i = 0; i < 128; i++) wrong += out[i] != 3 * (i - 50);
    report("plugin", 128, wrong);
    return wrong_total;
}
