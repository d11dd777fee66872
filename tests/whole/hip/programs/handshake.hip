// handshake - two kernels on two streams wait for each other through memory; a third one spins on
// a flag that the host sets while it runs. Nobody may starve.
#include "check.h"

__global__ void ping(volatile int *mine, volatile int *other, int rounds)
{
    if (threadIdx.x) return;
    for (int r = 1; r <= rounds; r++) {
        *mine = r;
        __threadfence_system();
        while (*other < r) __builtin_amdgcn_s_sleep(1);
    }
}

__global__ void wait_for_host(volatile int *flag, int *out)
{
    while (*flag == 0) {}
    out[blockIdx.x * blockDim.x + threadIdx.x] = *flag + (int)threadIdx.x;
}

int main()
{
    const int rounds = 50;
    hipStream_t a, b;
    HIP(hipStreamCreateWithFlags(&a, hipStreamNonBlocking));
    HIP(hipStreamCreateWithFlags(&b, hipStreamNonBlocking));
    int *words;
    HIP(hipHostMalloc((void **)&words, 4096, hipHostMallocCoherent));
    memset(words, 0, 4096);
    ping<<<1, 64, 0, a>>>(words, words + 16, rounds);
    ping<<<1, 64, 0, b>>>(words + 16, words, rounds);
    HIP(hipStreamSynchronize(a));
    HIP(hipStreamSynchronize(b));
    report("two kernels", 2, (words[0] != rounds) + (words[16] != rounds));

    device_array<int> out(1024);
    wait_for_host<<<16, 64, 0, a>>>(words + 32, out.data);
    ping<<<1, 64, 0, b>>>(words + 48, words + 16, rounds); // the other queue still works meanwhile
    HIP(hipStreamSynchronize(b));
    words[32] = 1000;
    HIP(hipStreamSynchronize(a));
    auto o = out.host();
    size_t wrong = 0;
    for (int i = 0; i < 1024; i++) wrong += o[i] != 1000 + i % 64;
    report("host flag", 1024, wrong);
    return wrong_total;
}
