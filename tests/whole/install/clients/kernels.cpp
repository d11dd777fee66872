/* Two kernels, between marks. */
#include <hip/hip_runtime.h>
#include <rocprofiler-sdk-roctx/roctx.h>

#include <cstdio>

__global__ void add(int *data)
{
    data[threadIdx.x] += 1;
}

int main()
{
    int *data = nullptr;
    int host[64] = {};
    roctxRangePush("both");
    if (hipMalloc(reinterpret_cast<void **>(&data), sizeof host) != hipSuccess) return 1;
    if (hipMemcpy(data, host, sizeof host, hipMemcpyHostToDevice) != hipSuccess) return 1;
    for (int i = 0; i < 2; i++)
        add<<<1, 64>>>(data);
    if (hipMemcpy(host, data, sizeof host, hipMemcpyDeviceToHost) != hipSuccess) return 1;
    if (hipFree(data) != hipSuccess) return 1;
    roctxRangePop();
    std::printf("%d\n", host[63]);
    return host[63] != 2;
}
