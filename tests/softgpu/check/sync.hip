// sync.hip - programs whose waves do not meet; see corpus.h.
//
// Those that wait for ever say so where they would wait for the GPU: a line on standard input lets them go.
#include "corpus.h"

#include <hip/hip_cooperative_groups.h>

#include <cstdlib>
#include <unistd.h>

// ---- barriers of a workgroup ----

__global__ void leave(int *to, int n)
{
    __shared__ int held[GROUP];
    int i = threadIdx.x;
    if (i >= n) return;
    held[i] = i;
    __syncthreads(); // bug: barrier-exit
    to[i] = held[n - 1 - i];
}

static void left_early()
{
    int *to;
    allocate(&to, GROUP);
    leave<<<1, GROUP>>>(to, right ? GROUP : GROUP - 64);
    (void)hipDeviceSynchronize();
    (void)hipFree(to);
}

__global__ void part(int *to, int first)
{
    __shared__ int held[GROUP];
    int i = threadIdx.x;
    held[i] = i;
    if (i < first) {
        __syncthreads(); // bug: barrier-place
        to[i] = held[first - 1 - i];
    } else {
        held[i] *= 3;
        __syncthreads(); // other: barrier-place
        to[i] = held[i] + 1;
    }
}

static void different_barriers()
{
    int *to;
    allocate(&to, GROUP);
    part<<<1, GROUP>>>(to, right ? GROUP : 64);
    (void)hipDeviceSynchronize();
    (void)hipFree(to);
}

__global__ void rounds(int *to, int more)
{
    __shared__ int held[GROUP];
    int i = threadIdx.x, n = 2 + (i >= 64 ? more : 0);
    held[i] = 0;
    for (int k = 0; k < n; k++) {
        held[i] += k;
        __syncthreads(); // bug: barrier-loop
        to[i] += held[GROUP - 1 - i];
    }
}

static void different_rounds()
{
    int *to;
    allocate(&to, GROUP);
    (void)hipMemset(to, 0, GROUP * sizeof(int));
    rounds<<<1, GROUP>>>(to, right ? 0 : 1);
    (void)hipDeviceSynchronize();
    (void)hipFree(to);
}

// ---- waits without an end ----

// Ends the program in the middle of it: there is no other way.
static void give_up()
{
    (void)std::getchar();
    std::puts("done");
    std::fflush(stdout);
    _exit(0);
}

__global__ void await(volatile int *flag, int *to)
{
    while (!*flag); // bug: flag
    to[threadIdx.x] = *flag;
}

__global__ void set(volatile int *flag)
{
    *flag = 1;
}

// The program goes on when another stream sets the flag after all.
static void flag_never()
{
    int *flag, *to;
    hipStream_t other;
    (void)hipStreamCreateWithFlags(&other, hipStreamNonBlocking);
    allocate(&flag, 1);
    allocate(&to, GROUP);
    (void)hipMemset(flag, 0, sizeof(int));
    if (right) set<<<1, 1>>>(flag);
    (void)hipDeviceSynchronize();
    await<<<1, GROUP>>>(flag, to);
    if (!right) {
        (void)std::getchar();
        set<<<1, 1, 0, other>>>(flag);
    }
    (void)hipDeviceSynchronize();
    (void)hipStreamDestroy(other);
    (void)hipFree(flag);
    (void)hipFree(to);
}

__device__ void lock(int *at)
{
    while (atomicCAS(at, 0, 1)); // bug: lock
}

__global__ void count(int *at, int *to, bool twice)
{
    if (threadIdx.x) return;
    lock(at);
    if (twice) lock(at);
    *to += 1;
    __threadfence();
    atomicExch(at, 0);
}

static void lock_twice()
{
    int *at;
    allocate(&at, 2);
    (void)hipMemset(at, 0, 2 * sizeof(int));
    count<<<GROUPS, 64>>>(at, at + 1, !right);
    if (!right) give_up();
    (void)hipDeviceSynchronize();
    (void)hipFree(at);
}

// Wave 1 spins in front of the barrier at which wave 0 waits.
__global__ void hand_over(int *to, bool early)
{
    __shared__ volatile int ready;
    if (threadIdx.x == 0) ready = 0;
    __syncthreads();
    if (threadIdx.x == 0 && early) ready = 1;
    if (threadIdx.x >= 64)
        while (!ready); // bug: spin
    __syncthreads(); // other: spin
    if (threadIdx.x == 0 && !early) ready = 1;
    to[threadIdx.x] = ready;
}

static void spin_before_barrier()
{
    int *to;
    allocate(&to, 128);
    hand_over<<<1, 128>>>(to, right);
    if (!right) give_up();
    (void)hipDeviceSynchronize();
    (void)hipFree(to);
}

// Each workgroup waits for the other to begin.
__global__ void exchange(volatile int *flags, bool first)
{
    int me = blockIdx.x;
    if (first) flags[me] = 1;
    while (!flags[1 - me]) // bug: exchange
        __builtin_amdgcn_s_sleep(1);
    flags[me] = 1;
}

static void wait_for_each_other()
{
    int *flags;
    allocate(&flags, 2);
    (void)hipMemset(flags, 0, 2 * sizeof(int));
    exchange<<<2, 64>>>(flags, right);
    if (!right) give_up();
    (void)hipDeviceSynchronize();
    (void)hipFree(flags);
}

// Each workgroup waits for all. A compute unit has LDS for one of them, and 64 begin that it has no room for.
__global__ void gather(int *come, int n)
{
    atomicAdd(come, threadIdx.x == 0);
    while (*(volatile int *)come < n) // bug: gather
        __builtin_amdgcn_s_sleep(1);
}

static void more_than_fit()
{
    int *come, groups = 4, lds = 0;
    (void)hipDeviceGetAttribute(&lds, hipDeviceAttributeMaxSharedMemoryPerBlock, 0); // all that a unit has
    if (!right) { // all units have one, softgpu runs 64 more side by side
        (void)hipDeviceGetAttribute(&groups, hipDeviceAttributeMultiprocessorCount, 0);
        groups += 64 + 4;
    }
    allocate(&come, 1);
    (void)hipMemset(come, 0, sizeof(int));
    gather<<<groups, 64, lds>>>(come, groups);
    if (!right) give_up();
    (void)hipDeviceSynchronize();
    (void)hipFree(come);
}

__global__ void meet(int *to, int n)
{
    if (int(blockIdx.x) >= n) return;
    to[blockIdx.x] = 1;
    cooperative_groups::this_grid().sync(); // bug: grid
    to[blockIdx.x] += to[(blockIdx.x + 1) % n];
}

static void left_grid()
{
    int *to, n = right ? GROUPS : GROUPS - 1;
    allocate(&to, GROUPS);
    void *arguments[] = {&to, &n};
    (void)hipLaunchCooperativeKernel((void *)meet, dim3(GROUPS), dim3(64), arguments, 0, 0);
    if (!right) give_up();
    (void)hipDeviceSynchronize();
    (void)hipFree(to);
}

// ---- long waits that end ----

// The program sets the flag when it likes.
static void program_sets()
{
    int *flag, *to;
    (void)hipHostMalloc((void **)&flag, sizeof(int), 0);
    *flag = 0;
    allocate(&to, GROUP);
    await<<<1, GROUP>>>(flag, to);
    usleep(2500000); // long: what waits for the program is not stuck
    *(volatile int *)flag = 1;
    (void)hipDeviceSynchronize();
    (void)hipHostFree(flag);
    (void)hipFree(to);
}

// One wave counts, another looks whether it is enough, all others wait: no register is any different from one time
// round to the next, only memory.
__global__ void produce(volatile int *flag, int *counted, int n)
{
    if (threadIdx.x) return;
    if (blockIdx.x == 0)
        while (!*flag) __hip_atomic_fetch_add(counted, 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    else if (blockIdx.x == 1)
        for (bool enough = false; !enough;) {
            int found = *(volatile int *)counted;
            enough = found >= n;
            asm volatile("v_mov_b32 %0, 0" : "+v"(found));
        }
    else
        while (!*flag);
    *flag = 1;
}

static void slow_producer()
{
    int *at;
    allocate(&at, 2);
    (void)hipMemset(at, 0, 2 * sizeof(int));
    produce<<<GROUPS, 64>>>(at, at + 1, 2000000);
    (void)hipDeviceSynchronize();
    (void)hipFree(at);
}

static const row_t rows[] = {
    {"left-early", left_early}, {"different-barriers", different_barriers}, {"different-rounds", different_rounds},
    {"flag-never", flag_never}, {"lock-twice", lock_twice}, {"spin-before-barrier", spin_before_barrier},
    {"wait-for-each-other", wait_for_each_other}, {"more-than-fit", more_than_fit}, {"left-grid", left_grid}, {"program-sets", program_sets},
    {"slow-producer", slow_producer},
};

int main(int argc, char **argv)
{
    return run(rows, argc, argv);
}
