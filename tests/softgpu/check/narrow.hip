// narrow.hip - what is wrong in waves of 32 lanes, of gfx10 (RDNA) and later, and nearly right: see corpus.h.
//
// Apart from the other families, whose programs are for waves of 64 lanes: stores have a counter of their own here, VCC is
// one register, a result of 16 bits leaves the other half of its register alone, registers are numbered relative to M0.
#include "corpus.h"
#include "asm_waits.h"

enum { WAVE = 32 };

static int *from, *to;

static void make()
{
    allocate(&from, N);
    allocate(&to, N);
    (void)hipMemset(from, 0, N * sizeof *from);
    (void)hipMemset(to, 0, N * sizeof *to);
}

static void end()
{
    (void)hipDeviceSynchronize();
    (void)hipFree(from);
    (void)hipFree(to);
}

// ---- waits ----

// The store behind the load does not count in vmcnt.
template <bool ok> __global__ void counted_apart(int *from, int *to)
{
    asm volatile("global_load_dword v40, %0, off" ::"v"(from) : "v40"); // first: counted-apart
    asm volatile("global_store_dword %0, %1, off" ::"v"(to), "v"(0) : "memory");
    if (ok)
        asm volatile(WAIT_LOADS(0));
    else
        asm volatile(WAIT_LOADS(1));
    asm volatile("v_add_nc_u32 v41, v40, v40" ::: "v41"); // bug: counted-apart
}

// An atomic operation that returns counts as a load.
template <bool ok> __global__ void returned(int *, int *to)
{
    asm volatile("global_atomic_add v40, %0, %1, off " RETURNS ::"v"(to), "v"(1) : "v40", "memory"); // first: returned
    asm volatile(WAIT_STORES);
    if (ok) asm volatile(WAIT_LOADS_ALONE);
    asm volatile("v_add_nc_u32 v41, v40, v40" ::: "v41"); // bug: returned
}

template <bool ok> __global__ void scalar_count(int *from, int *)
{
    asm volatile("s_load_dword s40, %0, 0x0" ::"s"(from) : "s40"); // first: scalar-count
    if (ok) asm volatile(WAIT_SCALARS);
    asm volatile("s_add_u32 s41, s40, 1" ::: "s41", "scc"); // bug: scalar-count
}

// More LDS operations than gfx9's counter has numbers for.
template <bool ok> __global__ void sixteen(int *, int *)
{
    __shared__ int held[WAVE];
    held[threadIdx.x] = 1;
    asm volatile(WAIT_LDS(0) "\n\tds_read_b32 v40, %0" ::"v"(threadIdx.x * 4), "v"(held) : "v40", "memory"); // first: sixteen
    for (int k = 0; k < 16; k++) asm volatile("ds_read_b32 v41, %0" ::"v"(threadIdx.x * 4) : "v41", "memory");
    if (ok)
        asm volatile(WAIT_LDS(16));
    else
        asm volatile(WAIT_LDS(17));
    asm volatile("v_mov_b32 v42, v40" ::: "v42"); // bug: sixteen
    asm volatile(WAIT_LDS(0));
}

// VCC_HI is a register like any other: a load into it does not concern who uses VCC.
template <bool ok> __global__ void high_half(int *from, int *)
{
    asm volatile("v_cmp_gt_u32 vcc_lo, 4, v0" ::: "vcc");
    asm volatile("s_load_dword vcc_hi, %0, 0x0" ::"s"(from) : "vcc"); // first: high-half
    asm volatile("v_cndmask_b32 v41, 0, v0, vcc_lo" ::: "v41");
    if (ok) asm volatile(WAIT_SCALARS);
    asm volatile("s_mov_b32 s40, vcc_hi" ::: "s40"); // bug: high-half
    asm volatile(WAIT_SCALARS);
}

template <bool ok> __global__ void barrier_early(int *, int *to)
{
    __shared__ int held[4 * WAVE];
    asm volatile("ds_write_b32 %0, %1" ::"v"(threadIdx.x * 4), "v"(1), "v"(held) : "memory"); // first: barrier-early
    if (ok) asm volatile(WAIT_LDS(0));
    asm volatile(BARRIER);
    int x;
    asm volatile("ds_read_b32 %0, %1\n\t" // bug: barrier-early
                 WAIT_LDS(0)
                 : "=v"(x)
                 : "v"((threadIdx.x + WAVE) % (4 * WAVE) * 4));
    to[threadIdx.x] = x;
}

// ---- values that nobody has written ----

// Lanes go on by a register that M0 chooses: v40 is written, v41 is not.
template <bool ok> __global__ void relative(int *, int *to)
{
    int x;
    asm volatile("v_mov_b32 v40, 1\n\t" // bug: relative
                 "s_mov_b32 m0, %1\n\t"
                 "v_movrels_b32 %0, v40\n\t"
                 "v_cmp_eq_u32 vcc_lo, 1, %0\n\t"
                 "s_and_b32 exec_lo, exec_lo, vcc_lo"
                 : "=v"(x)
                 : "s"(ok ? 0 : 1)
                 : "v40", "v41", "vcc");
    to[threadIdx.x] = x;
}

// And where M0 says what is written.
template <bool ok> __global__ void relative_to(int *, int *to)
{
    asm volatile("s_mov_b32 m0, %0\n\t" // bug: relative-to
                 "v_movreld_b32 v40, 1\n\t"
                 "v_cmp_eq_u32 vcc_lo, 1, v41\n\t"
                 "s_and_b32 exec_lo, exec_lo, vcc_lo" ::"s"(ok ? 1 : 0)
                 : "v40", "v41", "vcc");
    to[threadIdx.x] = 1;
}

// The upper half of v40 stays what nobody has written. Lane 0 alone has a 0 in the lower one, so that the comparison
// depends on it.
template <bool ok> __global__ void half_kept(int *, int *to)
{
    if (ok) asm volatile("v_mov_b32 v40, 0" ::: "v40");
    asm volatile("v_cvt_f16_u16 v40, %0\n\t" // bug: half-kept
                 "v_cmp_eq_u32 vcc_lo, 0, v40\n\t"
                 "s_and_b32 exec_lo, exec_lo, vcc_lo" ::"v"((int)threadIdx.x)
                 : "v40", "vcc");
    to[threadIdx.x] = 1;
}

// VCC_LO alone is the condition.
template <bool ok> __global__ void low_half(int *, int *to)
{
    if (ok)
        asm volatile("s_mov_b32 vcc_lo, 0" ::: "vcc");
    else
        asm volatile("s_mov_b32 vcc_hi, 0" ::: "vcc");
    asm volatile("s_cbranch_vccz 1\n\t" // bug: low-half
                 "s_nop 0");
    to[threadIdx.x] = 1;
}

// Lanes of a select by one SGPR, whose neighbour nobody has written.
template <bool ok> __global__ void one_register(int *, int *to)
{
    int x;
    if (ok)
        asm volatile("s_mov_b32 s40, 5" ::: "s40");
    else
        asm volatile("s_mov_b32 s41, 5" ::: "s41");
    asm volatile("v_cndmask_b32 %0, 0, 1, s40\n\t" // bug: one-register
                 "v_cmp_eq_u32 vcc_lo, 1, %0\n\t"
                 "s_and_b32 exec_lo, exec_lo, vcc_lo"
                 : "=v"(x)::"vcc");
    to[threadIdx.x] = x;
}

// ---- memory and races ----

template <bool ok> __global__ void beyond(int *, int *to)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (!ok || i < N) to[i] = i; // bug: beyond
}

// Two waves of 32 where a wave of 64 would have both halves.
template <bool ok> __global__ void two_waves(int *, int *to)
{
    __shared__ int held[2 * WAVE];
    held[threadIdx.x] = threadIdx.x; // also: two-waves
    if (ok) __syncthreads();
    to[threadIdx.x] = held[2 * WAVE - 1 - threadIdx.x]; // bug: two-waves
}

// The store has to be known to be there before the flag says so.
template <bool ok> __global__ void published(int *, int *to)
{
    if (blockIdx.x == 0) {
        if (threadIdx.x == 0) to[1] = 7; // also: published
        if (ok) __threadfence();
        if (threadIdx.x == 0) atomicExch(to, 1);
    } else if (threadIdx.x == 0) {
        while (!atomicAdd(to, 0)) {
        }
        to[2] = to[1]; // bug: published
    }
}

template <void (*with)(int *, int *), void (*without)(int *, int *), int groups, int size> static void launch()
{
    make();
    if (right)
        with<<<groups, size>>>(from, to);
    else
        without<<<groups, size>>>(from, to);
    end();
}

#define PROGRAM(kernel, groups, size) launch<kernel<true>, kernel<false>, groups, size>

static const row_t programs[] = {
    {"counted-apart", PROGRAM(counted_apart, 1, WAVE)},
    {"returned", PROGRAM(returned, 1, WAVE)},
    {"scalar-count", PROGRAM(scalar_count, 1, WAVE)},
    {"sixteen", PROGRAM(sixteen, 1, WAVE)},
    {"high-half", PROGRAM(high_half, 1, WAVE)},
    {"barrier-early", PROGRAM(barrier_early, 1, 4 * WAVE)},
    {"relative", PROGRAM(relative, 1, WAVE)},
    {"relative-to", PROGRAM(relative_to, 1, WAVE)},
    {"half-kept", PROGRAM(half_kept, 1, WAVE)},
    {"low-half", PROGRAM(low_half, 1, WAVE)},
    {"one-register", PROGRAM(one_register, 1, WAVE)},
    {"beyond", PROGRAM(beyond, GROUPS, GROUP)},
    {"two-waves", PROGRAM(two_waves, 1, 2 * WAVE)},
    {"published", PROGRAM(published, 2, WAVE)},
};

int main(int argc, char **argv)
{
    return run(programs, argc, argv);
}
