// gpu - what softgpu costs a program: a copy kernel beside the host's memcpy, the way of an empty
// kernel from its launch to its end, and what idle queues take. Prints one JSON object; gpu.py adds
// the time of a whole program. CPU seconds are given beside the time that passed: on a busy machine
// they alone say what the work costs.
#include <hip/hip_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <thread>
#include <unistd.h>
#include <vector>

enum { THREADS = 256, UNROLL = 16, LAUNCHES = 3000, ROUNDS = 5 };
constexpr size_t BYTES = 256ul << 20;

// Each wave copies 16 KB in a row.
__global__ void __launch_bounds__(THREADS) copy(float4 *to, const float4 *from)
{
    const unsigned lane = threadIdx.x % 64, wave = blockIdx.x * (THREADS / 64) + threadIdx.x / 64;
    const unsigned first = wave * 64 * UNROLL + lane;
#pragma unroll
    for (unsigned k = 0; k < UNROLL; k++) to[first + k * 64] = from[first + k * 64];
}

__global__ void stride(float4 *to, const float4 *from, unsigned n)
{
    for (unsigned i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS)
        to[i] = from[i];
}

__global__ void nothing() {}

struct moment {
    double wall, cpu;
    static double read(clockid_t clock)
    {
        timespec t;
        clock_gettime(clock, &t);
        return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
    }
    moment() : wall(read(CLOCK_MONOTONIC)), cpu(read(CLOCK_PROCESS_CPUTIME_ID)) {}
};

struct cost {
    double wall = 1e9, cpu = 1e9;
};

// The best of some rounds after one that warms up.
template <typename F> static cost measure(F work)
{
    cost best;
    work();
    for (int round = 0; round < ROUNDS; round++) {
        moment from;
        work();
        moment to;
        best.wall = std::min(best.wall, to.wall - from.wall);
        best.cpu = std::min(best.cpu, to.cpu - from.cpu);
    }
    return best;
}

static void print_rate(const char *name, cost c)
{
    printf("\"%s\": {\"gb_per_second\": %.2f, \"gb_per_cpu_second\": %.2f}, ", name,
           BYTES / c.wall / 1e9, BYTES / c.cpu / 1e9);
}

static void host_copy(char *to, const char *from)
{
    const unsigned n = std::max(1u, std::thread::hardware_concurrency());
    const size_t part = BYTES / n;
    std::vector<std::thread> team;
    for (unsigned t = 0; t < n; t++)
        team.emplace_back([=] { memcpy(to + t * part, from + t * part, part); });
    for (auto &t : team) t.join();
}

static void copies()
{
    float4 *from, *to;
    char *host_from = (char *)malloc(BYTES), *host_to = (char *)malloc(BYTES);
    if (!host_from || !host_to || hipMalloc(&from, BYTES) != hipSuccess ||
        hipMalloc(&to, BYTES) != hipSuccess)
        exit(1);
    (void)hipMemset(from, 1, BYTES);
    memset(host_from, 1, BYTES);
    const unsigned n = BYTES / sizeof(float4);
    print_rate("copy kernel", measure([=] {
        copy<<<n / THREADS / UNROLL, THREADS>>>(to, from);
        (void)hipDeviceSynchronize();
    }));
    print_rate("copy kernel, grid stride", measure([=] {
        stride<<<1024, THREADS>>>(to, from, n);
        (void)hipDeviceSynchronize();
    }));
    print_rate("host memcpy, all cores", measure([=] { host_copy(host_to, host_from); }));
    (void)hipMemcpy(host_to, to, BYTES, hipMemcpyDeviceToHost);
    if (memcmp(host_to, host_from, BYTES)) exit(1);
    free(host_from);
    free(host_to);
    (void)hipFree(from);
    (void)hipFree(to);
}

static void launches()
{
    std::vector<double> us;
    for (int i = 0; i < LAUNCHES; i++) {
        moment from;
        nothing<<<1, 64>>>();
        (void)hipDeviceSynchronize();
        us.push_back((moment().wall - from.wall) * 1e6);
    }
    std::sort(us.begin(), us.end());
    printf("\"launch to completion\": {\"us_median\": %.1f, \"us_best\": %.1f, \"us_99\": %.1f}, ",
           us[LAUNCHES / 2], us[0], us[LAUNCHES * 99 / 100]);
}

static void idle()
{
    sleep(1); // let the queues fall asleep
    moment from;
    sleep(2);
    moment to;
    printf("\"idle queues\": {\"percent_of_a_core\": %.3f}",
           100 * (to.cpu - from.cpu) / (to.wall - from.wall));
}

int main(int argc, char **)
{
    // Without an argument: waiting without spinning, so that kernels have all cores, as memcpy has.
    // With one: HIP's default, which spins.
    if (argc == 1 && hipSetDeviceFlags(hipDeviceScheduleBlockingSync) != hipSuccess) return 1;
    printf("{");
    if (argc == 1) copies();
    launches();
    idle();
    printf("}\n");
    return 0;
}
