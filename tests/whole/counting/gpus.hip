// gpus.hip - the same kernels on every GPU at the same time, more of them on the later ones.
// A thread for each GPU, so that kernels of one are counted while those of another run.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <thread>
#include <vector>

enum { LAUNCHES = 20, GROUP = 100 };

extern "C" __global__ void fill(unsigned *out, unsigned value)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

static void use(int gpu, int *wrong)
{
    unsigned *out, host[GROUP];
    *wrong = hipSetDevice(gpu) || hipMalloc((void **)&out, 64 * GROUP * sizeof *out);
    for (unsigned i = 1; i <= LAUNCHES && !*wrong; i++) {
        fill<<<(gpu + 1) * i, GROUP>>>(out, i);
        *wrong = hipMemcpy(host, out, sizeof host, hipMemcpyDeviceToHost) || host[GROUP - 1] != i;
    }
}

int main()
{
    int gpus = 0, wrong = 0;
    if (hipGetDeviceCount(&gpus)) return 1;
    std::vector<int> of_gpu(gpus);
    std::vector<std::thread> threads;
    for (int i = 0; i < gpus; i++) threads.emplace_back(use, i, &of_gpu[i]);
    for (auto &thread : threads) thread.join();
    for (int w : of_gpu) wrong += w;
    std::printf("gpus: %d, %d wrong\n", gpus, wrong);
    return wrong != 0;
}
