/* work.cpp - see work.h. */
#include "work.h"

#include <hip/hip_runtime_api.h>
#include <rocprofiler-sdk-roctx/roctx.h>

#include <cstdlib>
#include <vector>

static const size_t words = std::getenv("WORK_WORDS") ? std::atoi(std::getenv("WORK_WORDS")) : 4096;

static hipError_t fill(int *memory, int value)
{
    return hipMemsetD32(memory, value, words);
}

bool work(unsigned fills)
{
    std::vector<int> host(words);
    void *memory;
    if (hipMalloc(&memory, words * sizeof(int))) return false;
    roctxMarkA("fill");
    for (unsigned i = 1; i <= fills; i++)
        if (fill(static_cast<int *>(memory), static_cast<int>(i))) return false;
    if (hipDeviceSynchronize() || hipMemcpy(host.data(), memory, words * sizeof(int), hipMemcpyDeviceToHost) ||
        hipFree(memory))
        return false;
    for (int word : host)
        if (word != static_cast<int>(fills)) return false;
    return true;
}

bool fill_once()
{
    static void *memory;
    if (!memory && hipMalloc(&memory, words * sizeof(int))) return false;
    return fill(static_cast<int *>(memory), 1) == hipSuccess &&
           hipDeviceSynchronize() == hipSuccess;
}
