// use.hip - programs that show how findings are told and counted; see corpus.h.
#include "corpus.h"

#include <csignal>
#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>

// Twelve waves write behind the end, each with lanes 0 to 2, four in each of three dispatches.
__global__ void spill(int *to, int n)
{
    if (threadIdx.x % 64 < 3) to[n + threadIdx.x / 64 * 4 + threadIdx.x % 64] = 1; // bug: spill
}

static void counted()
{
    int *to;
    allocate(&to, N);
    for (int times = 0; times < 3; times++)
        spill<<<1, GROUP>>>(to, right ? 0 : N);
    (void)hipDeviceSynchronize();
}

// A child that does nothing, and one that is another program; ends without destructors.
static void forked()
{
    counted();
    if (fork() == 0) std::exit(0);
    if (fork() == 0) execl("/proc/self/exe", "use", "counted", right ? "right" : nullptr, nullptr);
    while (wait(nullptr) > 0)
        continue;
    std::quick_exit(3);
}

namespace deep
{
namespace inside
{
__device__ __forceinline__ void put(int *to, int n)
{
    to[n] = 1; // bug: put
}

__global__ void through(int *to, int n)
{
    put(to, n); // made: through
}
} // namespace inside
} // namespace deep

static void inlined()
{
    int *to;
    allocate(&to, N);
    deep::inside::through<<<1, 1>>>(to, right ? 0 : N);
    (void)hipDeviceSynchronize();
}

__global__ void tally(int *to, int n)
{
    atomicAdd(&to[n], 1); // bug: tally
}

// The instruction is of HIP's header.
static void header()
{
    int *to;
    allocate(&to, N);
    tally<<<1, 1>>>(to, right ? 0 : N);
    (void)hipDeviceSynchronize();
}

__global__ void forever(int *to, int n, volatile int *end)
{
    to[n] = 1; // bug: forever
    while (!*end)
        continue;
}

// Whoever waits for the kernel waits for long.
static void endless()
{
    int *to, *end;
    allocate(&to, N);
    if (hipHostMalloc((void **)&end, sizeof *end) != hipSuccess) return;
    *end = right;
    forever<<<1, 1>>>(to, right ? 0 : N, end);
    (void)hipDeviceSynchronize();
}

// Ends without destructors, behind children that end like that, of which one has its memory.
static void left()
{
    counted();
    if (vfork() == 0) _exit(0);
    const pid_t child = fork();
    if (child == 0) _exit(0);
    while (waitpid(child, nullptr, 0) == -1)
        continue;
    _exit(4);
}

static void aborted()
{
    counted();
    std::abort();
}

static void handled()
{
    std::signal(SIGABRT, [](int) { _exit(5); });
    aborted();
}

static const row_t rows[] = {
    {"counted", counted}, {"forked", forked}, {"inlined", inlined}, {"header", header},
    {"endless", endless}, {"left", left},     {"aborted", aborted}, {"handled", handled},
};

int main(int argc, char **argv)
{
    return run(rows, argc, argv);
}
