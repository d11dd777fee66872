// split.hip - what is wrong in code of gfx12 (RDNA 4), and nearly right: see corpus.h.
//
// Apart from dual.hip, whose programs gfx11 has, too: each counter has an instruction that waits for it, waves signal at a
// barrier and wait there by separate instructions, and the vector ALU keeps copies of SGPRs.
#include "corpus.h"

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

// LDS has a counter of its own.
template <bool ok> __global__ void other_counter(int *from, int *)
{
    asm volatile("global_load_b32 v40, %0, off" ::"v"(from) : "v40"); // first: other-counter
    if (ok)
        asm volatile("s_wait_loadcnt 0x0");
    else
        asm volatile("s_wait_dscnt 0x0\n\ts_wait_kmcnt 0x0\n\ts_wait_storecnt 0x0");
    asm volatile("v_mov_b32 v41, v40" ::: "v41"); // bug: other-counter
    asm volatile("s_wait_loadcnt 0x0");
}

// So have scalars.
template <bool ok> __global__ void other_scalar(int *from, int *)
{
    asm volatile("s_load_b32 s40, %0, 0x0" ::"s"(from) : "s40"); // first: other-scalar
    if (ok)
        asm volatile("s_wait_kmcnt 0x0");
    else
        asm volatile("s_wait_loadcnt_dscnt 0x0");
    asm volatile("s_mov_b32 s41, s40" ::: "s41"); // bug: other-scalar
    asm volatile("s_wait_kmcnt 0x0");
}

// One of two loads may be left: the second.
template <bool ok> __global__ void of_two(int *from, int *)
{
    __shared__ int held[WAVE];
    held[threadIdx.x] = 1;
    asm volatile("global_load_b32 v40, %0, off\n\tds_load_b32 v41, %1" ::"v"(from), "v"(threadIdx.x * 4), "v"(held) : "v40", "v41", "memory");
    asm volatile("ds_load_b32 v42, %0" ::"v"(threadIdx.x * 4) : "v42", "memory"); // first: of-two
    if (ok)
        asm volatile("s_wait_loadcnt_dscnt 0x0");
    else
        asm volatile("s_wait_loadcnt_dscnt 0x1");
    asm volatile("v_mov_b32 v43, v41" ::: "v43");
    asm volatile("v_mov_b32 v43, v42" ::: "v43"); // bug: of-two
    asm volatile("s_wait_loadcnt_dscnt 0x0");
}

// ---- barriers ----

// The wait comes behind the signal: others may be past the barrier by then.
template <bool ok> __global__ void signal_early(int *, int *to)
{
    __shared__ int held[4 * WAVE];
    asm volatile("ds_store_b32 %0, %1" ::"v"(threadIdx.x * 4), "v"(1), "v"(held) : "memory"); // first: signal-early
    if (ok)
        asm volatile("s_wait_dscnt 0x0\n\ts_barrier_signal -1");
    else
        asm volatile("s_barrier_signal -1\n\ts_wait_dscnt 0x0");
    asm volatile("s_barrier_wait -1");
    int x;
    asm volatile("ds_load_b32 %0, %1\n\t" // bug: signal-early
                 "s_wait_dscnt 0x0"
                 : "=v"(x)
                 : "v"((threadIdx.x + WAVE) % (4 * WAVE) * 4));
    to[threadIdx.x] = x;
}

// Who signals and does not wait goes on before the others have come.
template <bool ok> __global__ void no_wait(int *, int *to)
{
    __shared__ int held[2 * WAVE];
    held[threadIdx.x] = threadIdx.x; // also: no-wait
    asm volatile("s_wait_dscnt 0x0\n\ts_barrier_signal -1" ::: "memory");
    if (ok) asm volatile("s_barrier_wait -1" ::: "memory");
    to[threadIdx.x] = held[2 * WAVE - 1 - threadIdx.x]; // bug: no-wait
    if (!ok) asm volatile("s_barrier_wait -1" ::: "memory");
}

// ---- copies of SGPRs ----

// The vector ALU has read s41, and has a copy of s40, too.
template <bool ok> __global__ void copy_salu(int *, int *)
{
    asm volatile("v_mov_b32 v40, s41" ::: "v40");
    asm volatile("s_mov_b32 s40, 1" ::: "s40"); // first: copy-salu
    if (ok) asm volatile("s_wait_alu 0xfffe");
    asm volatile("v_mov_b32 v41, s40" ::: "v41"); // bug: copy-salu
}

template <bool ok> __global__ void copy_valu(int *, int *)
{
    asm volatile("v_mov_b32 v40, s40" ::: "v40");
    asm volatile("v_readfirstlane_b32 s40, v0" ::: "s40"); // first: copy-valu
    if (ok)
        asm volatile("s_wait_alu 0xf1ff");
    else
        asm volatile("s_wait_alu 0xfffc");
    asm volatile("v_mov_b32 v41, s40" ::: "v41"); // bug: copy-valu
}

template <bool ok> __global__ void copy_vcc(int *, int *)
{
    asm volatile("v_cmp_eq_u32 vcc_lo, 0, v0\n\tv_cndmask_b32 v40, 0, v0, vcc_lo" ::: "v40", "vcc");
    asm volatile("v_cmp_eq_u32 vcc_lo, 1, v0" ::: "vcc"); // first: copy-vcc
    if (ok)
        asm volatile("s_wait_alu 0xfffd");
    else
        asm volatile("s_wait_alu 0xf1fe");
    asm volatile("v_cndmask_b32 v40, 0, v0, vcc_lo" ::: "v40"); // bug: copy-vcc
}

template <void (*with)(int *, int *), void (*without)(int *, int *), int size> static void launch()
{
    make();
    if (right)
        with<<<1, size>>>(from, to);
    else
        without<<<1, size>>>(from, to);
    end();
}

#define PROGRAM(kernel, size) launch<kernel<true>, kernel<false>, size>

static const row_t programs[] = {
    {"other-counter", PROGRAM(other_counter, WAVE)},
    {"other-scalar", PROGRAM(other_scalar, WAVE)},
    {"of-two", PROGRAM(of_two, WAVE)},
    {"signal-early", PROGRAM(signal_early, 4 * WAVE)},
    {"no-wait", PROGRAM(no_wait, 2 * WAVE)},
    {"copy-salu", PROGRAM(copy_salu, WAVE)},
    {"copy-valu", PROGRAM(copy_valu, WAVE)},
    {"copy-vcc", PROGRAM(copy_vcc, WAVE)},
};

int main(int argc, char **argv)
{
    return run(programs, argc, argv);
}
