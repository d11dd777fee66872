// registered - memory of the program's own, registered: kernels reach it by the pointer that
// hipHostGetDevicePointer() gives. From ROCm 6 on that is the host's own pointer; before, the thunk gives the memory
// another address on the GPU, and the host's own is out of reach, on a real MI200 as well.
#include "scene.h"

#include <vector>

__global__ void add(int *p, int count, int value)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) p[i] += value;
}

enum { N = 100000, GROUPS = (N + 255) / 256 };

static size_t wrong_after(std::vector<int> &own, int *by)
{
    size_t wrong = 0;
    for (int i = 0; i < N; i++) own[i] = i;
    add<<<GROUPS, 256>>>(by, N, 7);
    HIP(hipDeviceSynchronize());
    for (int i = 0; i < N; i++) wrong += own[i] != i + 7;
    return wrong;
}

static int by_host_pointer()
{
    std::vector<int> own(N);
    HIP(hipHostRegister(own.data(), N * sizeof(int), hipHostRegisterDefault));
    return wrong_after(own, own.data()) != 0;
}

int main()
{
    scene_end end = scene_run(by_host_pointer);
    const bool fault = end.status && (end.out.find("Memory access fault by GPU node-1") != std::string::npos ||
                                      end.out.find("illegal memory access") != std::string::npos);
    const bool same = HIP_VERSION >= 60000000;
    report("host pointer", 1, same ? end.status != 0 : !fault);

    std::vector<int> own(N);
    int *device = nullptr;
    HIP(hipHostRegister(own.data(), N * sizeof(int), hipHostRegisterDefault));
    HIP(hipHostGetDevicePointer((void **)&device, own.data(), 0));
    report("device pointer", N, wrong_after(own, device));
    report("pointers", 1, same != (device == own.data()));
    HIP(hipHostUnregister(own.data()));
    return 0;
}
