// symbols - device globals and constants by symbol, managed through the module interface too.
#include "check.h"

__device__ int counter[64];
__constant__ float table[16];

__global__ void use(float *out)
{
    counter[threadIdx.x] += (int)threadIdx.x;
    out[threadIdx.x] = table[threadIdx.x % 16] * 2.0f;
}

int main()
{
    std::vector<int> start(64, 100), end(64);
    std::vector<float> values(16);
    for (int i = 0; i < 16; i++) values[i] = (float)i * 1.5f;
    HIP(hipMemcpyToSymbol(HIP_SYMBOL(counter), start.data(), 64 * sizeof(int)));
    HIP(hipMemcpyToSymbol(HIP_SYMBOL(table), values.data(), 16 * sizeof(float)));
    device_array<float> out(64);
    use<<<1, 64>>>(out.data);
    use<<<1, 64>>>(out.data);
    HIP(hipMemcpyFromSymbol(end.data(), HIP_SYMBOL(counter), 64 * sizeof(int)));
    auto o = out.host();
    size_t wrong = 0;
    for (int i = 0; i < 64; i++) wrong += (end[i] != 100 + 2 * i) + (o[i] != values[i % 16] * 2);
    void *address = nullptr;
    size_t size = 0;
    HIP(hipGetSymbolAddress(&address, HIP_SYMBOL(counter)));
    HIP(hipGetSymbolSize(&size, HIP_SYMBOL(counter)));
    wrong += !address + (size != 256);
    report("symbols", 130, wrong);
    return wrong_total;
}
