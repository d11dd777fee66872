// hostatomics - a kernel and the host count in the same words of host memory at the same time, and
// the host sees the kernel's stores while it runs: pinned, registered and managed memory.
#include "check.h"

#include <thread>
#include <atomic>

__global__ void count(unsigned *word, unsigned long long *wide, float *sum, volatile unsigned *progress,
                      volatile unsigned *go_on, int rounds)
{
    for (int r = 0; r < rounds; r++) {
        atomicAdd_system(word, 1u);
        atomicAdd_system(wide, 0x100000001ull);
        if (threadIdx.x % 16 == 0) atomicAdd_system(sum, 1.0f);
        if (blockIdx.x == 0 && threadIdx.x == 0 && r % 50 == 0) {
            *progress = (unsigned)r + 1;
            __threadfence_system();
            while (*go_on < (unsigned)r + 1) {} // the host must answer while the kernel runs
        }
    }
}

__global__ void owner(unsigned *ticket, unsigned *data, int rounds)
{
    // A lock shared with the host, taken by compare and swap of one lane.
    if (threadIdx.x) return;
    for (int r = 0; r < rounds; r++) {
        while (atomicCAS_system(ticket, 0u, 1u) != 0u) __builtin_amdgcn_s_sleep(1);
        unsigned v = __atomic_load_n(data, __ATOMIC_RELAXED);
        __atomic_store_n(data, v + 1, __ATOMIC_RELAXED);
        __threadfence_system();
        __atomic_store_n(ticket, 0u, __ATOMIC_RELEASE);
    }
}

static void run(const char *name, void *host, void *device)
{
    const int groups = 6, rounds = 200, host_adds = 20000;
    memset(host, 0, 4096);
    char *h = (char *)host, *d = (char *)device;
    unsigned *word = (unsigned *)h, *progress = (unsigned *)(h + 256), *go_on = (unsigned *)(h + 512);
    unsigned *ticket = (unsigned *)(h + 768), *data = (unsigned *)(h + 1024);
    unsigned long long *wide = (unsigned long long *)(h + 64);
    hipStream_t s;
    HIP(hipStreamCreateWithFlags(&s, hipStreamNonBlocking));
    count<<<groups, 128, 0, s>>>((unsigned *)d, (unsigned long long *)(d + 64), (float *)(d + 128),
                                 (unsigned *)(d + 256), (unsigned *)(d + 512), rounds);
    size_t seen = 0;
    unsigned last = 0;
    for (int i = 0; i < host_adds; i++) {
        __atomic_fetch_add(word, 1u, __ATOMIC_RELAXED);
        __atomic_fetch_add(wide, 0x100000001ull, __ATOMIC_RELAXED);
    }
    while (last < (unsigned)rounds - 49) {
        unsigned p = __atomic_load_n(progress, __ATOMIC_ACQUIRE);
        if (p == last) continue;
        seen += p == (last ? last + 50 : 1) && hipStreamQuery(s) == hipErrorNotReady;
        __atomic_store_n(go_on, last = p, __ATOMIC_RELEASE);
    }
    HIP(hipStreamSynchronize(s));
    unsigned long long total = (unsigned long long)groups * 128 * rounds + host_adds;
    size_t wrong = *word != total;
    wrong += *wide != total * 0x100000001ull;
    wrong += *(float *)(h + 128) != (float)(groups * 8 * rounds);
    wrong += seen != 4;

    owner<<<4, 64, 0, s>>>((unsigned *)(d + 768), (unsigned *)(d + 1024), 100);
    for (int i = 0; i < 500; i++) {
        unsigned free_now = 0;
        while (!__atomic_compare_exchange_n(ticket, &free_now, 1u, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
            free_now = 0;
            std::this_thread::yield();
        }
        *data = *data + 1;
        __atomic_store_n(ticket, 0u, __ATOMIC_RELEASE);
    }
    HIP(hipStreamSynchronize(s));
    wrong += *data != 900;
    report(name, 5, wrong);
    HIP(hipStreamDestroy(s));
}

int main()
{
    void *host, *device;
    HIP(hipHostMalloc(&host, 4096, hipHostMallocCoherent));
    HIP(hipHostGetDevicePointer(&device, host, 0));
    run("pinned", host, device);
    HIP(hipHostFree(host));

    host = aligned_alloc(4096, 8192);
    HIP(hipHostRegister(host, 8192, hipHostRegisterMapped));
    HIP(hipHostGetDevicePointer(&device, host, 0));
    run("registered", host, device);
    HIP(hipHostUnregister(host));
    free(host);

    HIP(hipMallocManaged(&host, 4096));
    run("managed", host, host);
    HIP(hipFree(host));
    return wrong_total;
}
