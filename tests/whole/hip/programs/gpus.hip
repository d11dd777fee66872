// gpus - four GPUs: each computes, all together too; copies and kernels reach their neighbours, events
// order work across them, and memory that was not shared stays private.
#include "scene.h"

#include <set>
#include <string>
#include <thread>

static const int N = 4;

__global__ void fill(int *p, int n, int value)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = value + i;
}
__global__ void gather(int *to, const int *a, const int *b, const int *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = a[i] + 3 * b[n - 1 - i] + 5 * c[i];
}
__global__ void count(unsigned *where, int rounds)
{
    for (int r = 0; r < rounds; r++) atomicAdd_system(where, 1u);
}
// GPU `me` waits for its turn in memory that all of them see.
__global__ void relay(volatile int *turn, int me, int n, int rounds)
{
    if (threadIdx.x) return;
    for (int r = 0; r < rounds; r++) {
        while (*turn != r * n + me) __builtin_amdgcn_s_sleep(1);
        *turn = *turn + 1;
        __threadfence_system();
    }
}

static int touch_a_stranger()
{
    int *theirs;
    HIP(hipSetDevice(2));
    HIP(hipMalloc(&theirs, 1 << 20));
    HIP(hipSetDevice(1));
    fill<<<1, 64>>>(theirs, 64, 1);
    HIP(hipDeviceSynchronize());
    return 0;
}

static size_t count_wrong(const int *device, int n, int value)
{
    std::vector<int> host(n);
    HIP(hipMemcpy(host.data(), device, n * sizeof(int), hipMemcpyDefault));
    size_t wrong = 0;
    for (int i = 0; i < n; i++) wrong += host[i] != value + i;
    return wrong;
}

int main()
{
    const int n = 50000, groups = (n + 255) / 256;
    scene_end end = scene_run(touch_a_stranger);
    bool fault = end.out.find("Memory access fault by GPU node-2") != std::string::npos;
    std::printf("memory of a stranger: status %d%s\n", end.status, fault ? ", fault of the right GPU" : end.out.c_str());

    int found = 0, *p[N], *q[N];
    hipStream_t s[N];
    std::set<std::string> buses;
    HIP(hipGetDeviceCount(&found));
    if (found != N) return std::printf("%d devices\n", found), 1;
    size_t wrong = 0;
    for (int d = 0; d < N; d++) {
        char bus[32];
        size_t before, after, total;
        HIP(hipDeviceGetPCIBusId(bus, sizeof bus, d));
        buses.insert(bus);
        HIP(hipSetDevice(d));
        HIP(hipMemGetInfo(&before, &total));
        HIP(hipMalloc(&p[d], 64 << 20));
        HIP(hipMalloc(&q[d], n * sizeof(int)));
        HIP(hipMemGetInfo(&after, &total));
        wrong += before - after < (64u << 20) || total != (size_t)8 << 30; // each has memory of its own
        HIP(hipStreamCreateWithFlags(&s[d], hipStreamNonBlocking));
    }
    report("devices", N, wrong + (buses.size() != N));

    wrong = 0;
    for (int a = 0; a < N; a++)
        for (int b = 0; b < N; b++) {
            int can = -1;
            HIP(hipDeviceCanAccessPeer(&can, a, b));
            wrong += can != (a != b);
            if (a == b) continue;
            HIP(hipSetDevice(a));
            HIP(hipDeviceEnablePeerAccess(b, 0));
            wrong += hipDeviceEnablePeerAccess(b, 0) != hipErrorPeerAccessAlreadyEnabled;
            (void)hipGetLastError();
        }
    report("peer access", N * N, wrong);

    wrong = 0;
    std::vector<std::thread> threads;
    for (int d = 0; d < N; d++)
        threads.emplace_back([&, d] {
            HIP(hipSetDevice(d));
            for (int r = 0; r < 20; r++) fill<<<groups, 256, 0, s[d]>>>(p[d], n, 1000 * d + r);
            HIP(hipStreamSynchronize(s[d]));
        });
    for (auto &t : threads) t.join();
    for (int d = 0; d < N; d++) wrong += count_wrong(p[d], n, 1000 * d + 19);
    report("all at once", N * n, wrong);

    // a ring of copies, each after the kernel of its source
    hipEvent_t filled[N];
    wrong = 0;
    for (int d = 0; d < N; d++) {
        HIP(hipSetDevice(d));
        HIP(hipEventCreateWithFlags(&filled[d], hipEventDisableTiming));
        fill<<<groups, 256, 0, s[d]>>>(p[d], n, 7000 * d);
        HIP(hipEventRecord(filled[d], s[d]));
    }
    for (int d = 0; d < N; d++) {
        int from = (d + 1) % N;
        HIP(hipSetDevice(d));
        HIP(hipStreamWaitEvent(s[d], filled[from], 0));
        HIP(hipMemcpyPeerAsync(q[d], d, p[from], from, n * sizeof(int), s[d]));
    }
    for (int d = 0; d < N; d++) HIP(hipStreamSynchronize(s[d]));
    for (int d = 0; d < N; d++) wrong += count_wrong(q[d], n, 7000 * ((d + 1) % N));
    report("ring of copies", N * n, wrong);

    wrong = 0;
    for (int d = 0; d < N; d++) { // kernels that read the three others and write a fourth
        int a = (d + 1) % N, b = (d + 2) % N, c = (d + 3) % N;
        HIP(hipSetDevice(d));
        gather<<<groups, 256, 0, s[d]>>>(q[a], p[a], p[b], p[c], n);
        HIP(hipStreamSynchronize(s[d]));
        std::vector<int> host(n);
        HIP(hipMemcpy(host.data(), q[a], n * sizeof(int), hipMemcpyDefault));
        for (int i = 0; i < n; i++)
            wrong += host[i] != 7000 * a + i + 3 * (7000 * b + n - 1 - i) + 5 * (7000 * c + i);
    }
    report("kernels in peer memory", N * n, wrong);

    unsigned zero = 0, *counter = (unsigned *)q[0];
    HIP(hipMemcpy(counter, &zero, sizeof zero, hipMemcpyHostToDevice));
    for (int d = 0; d < N; d++) {
        HIP(hipSetDevice(d));
        count<<<4, 256, 0, s[d]>>>(counter, 20);
    }
    for (int d = 0; d < N; d++) HIP(hipStreamSynchronize(s[d]));
    unsigned got = 0;
    HIP(hipMemcpy(&got, counter, sizeof got, hipMemcpyDeviceToHost));
    report("atomics of all on one", 1, got != N * 4 * 256 * 20);

    int *turn;
    HIP(hipHostMalloc((void **)&turn, 4096, hipHostMallocCoherent | hipHostMallocPortable));
    *turn = 0;
    for (int d = 0; d < N; d++) {
        HIP(hipSetDevice(d));
        relay<<<1, 64, 0, s[d]>>>(turn, d, N, 25);
    }
    for (int d = 0; d < N; d++) HIP(hipStreamSynchronize(s[d]));
    report("relay", 1, *turn != N * 25);

    HIP(hipSetDevice(0));
    HIP(hipDeviceDisablePeerAccess(3));
    report("disabled twice", 1, hipDeviceDisablePeerAccess(3) != hipErrorPeerAccessNotEnabled);
    return wrong_total;
}
