// dual.hip - what is wrong in code of gfx11 (RDNA 3) and later, and nearly right: see corpus.h.
//
// Apart from narrow.hip, whose programs gfx10 has, too: two operations are one instruction here, halves of registers are operands,
// and the results of the transcendental unit (of gfx1100) and of the matrix unit have to be waited for.
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

// Elements of 16 bits take half as many registers on gfx12: a lane has half of a row of A. Row 5 of a product is another
// register there.
#ifdef __GFX12__
#define WAIT_VALU "s_wait_alu 0xfff"
#define MATRIX(d, a, b) "v_wmma_f32_16x16x16_f16 v[" d "], v[" a ":" a "+3], v[" b ":" b "+3], v[" d "]"
#define ROW_5 "v45"
#else
#define WAIT_VALU "s_waitcnt_depctr 0xfff"
#define MATRIX(d, a, b) "v_wmma_f32_16x16x16_f16 v[" d "], v[" a ":" a "+7], v[" b ":" b "+7], v[" d "]"
#define ROW_5 "v42"
#endif

// Lanes go on by the condition that the instructions before have left in VCC_LO.
#define GO_ON "\n\ts_and_b32 exec_lo, exec_lo, vcc_lo"

// ---- waits ----

// The second operation reads what is being loaded.
template <bool ok> __global__ void second_reads(int *from, int *)
{
    asm volatile("global_load_b32 v40, %0, off" ::"v"(from) : "v40"); // first: second-reads
    if (ok) asm volatile(WAIT_LOADS(0));
    asm volatile("v_dual_mov_b32 v42, 0 :: v_dual_add_f32 v43, v40, v0" ::: "v42", "v43"); // bug: second-reads
    asm volatile(WAIT_LOADS(0));
}

template <bool ok> __global__ void second_writes(int *from, int *)
{
    asm volatile("global_load_b32 v41, %0, off" ::"v"(from) : "v41"); // first: second-writes
    if (ok) asm volatile(WAIT_LOADS(0));
    asm volatile("v_dual_mov_b32 v42, 0 :: v_dual_mov_b32 v41, 0" ::: "v41", "v42"); // bug: second-writes
    asm volatile(WAIT_LOADS(0));
}

// It says when results of VALU are needed, and waits for no load.
template <bool ok> __global__ void delayed(int *from, int *)
{
    asm volatile("global_load_b32 v40, %0, off" ::"v"(from) : "v40"); // first: delayed
    if (ok)
        asm volatile(WAIT_LOADS(0));
    else
        asm volatile("s_delay_alu instid0(VALU_DEP_1)");
    asm volatile("v_mov_b32 v42, v40" ::: "v42"); // bug: delayed
    asm volatile(WAIT_LOADS(0));
}

// The vector ALU reads the lower half of a register while the upper half is being loaded.
template <bool ok> __global__ void other_half(int *from, int *)
{
    asm volatile("v_mov_b32 v40, 0\n\tglobal_load_d16_hi_b16 v40, %0, off" ::"v"(from) : "v40"); // first: other-half
    if (ok) asm volatile(WAIT_LOADS(0));
    asm volatile("v_cvt_f32_f16 v41, v40.l" ::: "v41"); // bug: other-half
    asm volatile(WAIT_LOADS(0));
}

template <bool ok> __global__ void transcendental(int *, int *)
{
    asm volatile("v_rcp_f32 v40, v0" ::: "v40"); // first: transcendental
    if (ok)
        asm volatile(WAIT_VALU);
    else
        asm volatile("s_nop 7");
    asm volatile("v_dual_mov_b32 v42, 0 :: v_dual_add_f32 v43, v40, v0" ::: "v42", "v43"); // bug: transcendental
}

template <bool ok> __global__ void matrix(int *, int *)
{
    asm volatile(MATRIX("40:47", "48", "48") // first: matrix
                 ::: "v40", "v41", "v42", "v43", "v44", "v45", "v46", "v47", "v48", "v49", "v50", "v51", "v52", "v53", "v54", "v55");
    if (ok) asm volatile("v_nop");
    asm volatile(MATRIX("56:63", "40", "48") // bug: matrix
                 ::: "v56", "v57", "v58", "v59", "v60", "v61", "v62", "v63");
}

// ---- values that nobody has written ----

template <bool ok> __global__ void second_unwritten(int *, int *to)
{
    if (ok) asm volatile("v_mov_b32 v41, 1" ::: "v41");
    asm volatile("v_dual_mov_b32 v42, 0 :: v_dual_mov_b32 v43, v41\n\t" // bug: second-unwritten
                 "v_cmp_eq_u32 vcc_lo, 1, v43" GO_ON ::: "v42", "v43", "vcc");
    to[threadIdx.x] = 1;
}

// Each of the two reads what the other writes: they read first.
template <bool ok> __global__ void exchanged(int *, int *to)
{
    if (ok)
        asm volatile("v_mov_b32 v41, 1" ::: "v41");
    else
        asm volatile("v_mov_b32 v40, 1" ::: "v40");
    asm volatile("v_dual_mov_b32 v40, v41 :: v_dual_mov_b32 v41, v40\n\t" // bug: exchanged
                 "v_cmp_eq_u32 vcc_lo, 1, v40" GO_ON ::: "v40", "v41", "vcc");
    to[threadIdx.x] = 1;
}

// What is read is the upper half alone.
template <bool ok> __global__ void upper_half(int *, int *to)
{
    if (ok)
        asm volatile("v_mov_b16 v40.h, 1.0" ::: "v40");
    else
        asm volatile("v_mov_b16 v40.l, 1.0" ::: "v40");
    asm volatile("v_cvt_f32_f16 v41, v40.h\n\t" // bug: upper-half
                 "v_cmp_eq_f32 vcc_lo, 1.0, v41" GO_ON ::: "v41", "vcc");
    to[threadIdx.x] = 1;
}

// A sum in one half leaves the other one as nobody has written it.
template <bool ok> __global__ void half_sum(int *, int *to)
{
    asm volatile("v_mov_b16 v40.l, 0\n\tv_mov_b16 v41.l, 1.0\n\tv_fmac_f16 v40.l, v41.l, v41.l" ::: "v40", "v41");
    if (ok)
        asm volatile("v_cmp_eq_f16 vcc_lo, 1.0, v40.l" GO_ON ::: "vcc");
    else
        asm volatile("v_cmp_eq_f16 vcc_lo, 1.0, v40.h" GO_ON ::: "vcc"); // bug: half-sum
    to[threadIdx.x] = 1;
}

// Row 5 of A, which lanes 5 and 21 have, is not written: so is row 5 of the product, which lanes 16 to 31 have in their third
// register, or of gfx12 lanes 0 to 15 in their sixth.
template <bool ok> __global__ void matrix_unwritten(int *, int *to)
{
    int x;
    asm volatile("v_mov_b32 v40, 0\n\tv_mov_b32 v41, 0\n\tv_mov_b32 v42, 0\n\tv_mov_b32 v43, 0\n\t"
                 "v_mov_b32 v44, 0\n\tv_mov_b32 v45, 0\n\tv_mov_b32 v46, 0\n\tv_mov_b32 v47, 0\n\t"
                 "v_mov_b32 v48, 0\n\tv_mov_b32 v49, 0\n\tv_mov_b32 v50, 0\n\tv_mov_b32 v51, 0\n\t"
                 "v_mov_b32 v52, 0\n\tv_mov_b32 v53, 0\n\tv_mov_b32 v54, 0\n\tv_mov_b32 v55, 0"
                 ::: "v40", "v41", "v42", "v43", "v44", "v45", "v46", "v47", "v48", "v49", "v50", "v51", "v52", "v53", "v54", "v55");
    if (ok) asm volatile("v_mov_b32 v64, 0" ::: "v64");
    asm volatile("v_mov_b32 v65, 0\n\tv_mov_b32 v66, 0\n\tv_mov_b32 v67, 0\n\tv_mov_b32 v68, 0\n\t" // bug: matrix-unwritten
                 "v_mov_b32 v69, 0\n\tv_mov_b32 v70, 0\n\tv_mov_b32 v71, 0\n\t"
                 "s_mov_b32 s40, exec_lo\n\ts_bitset0_b32 exec_lo, 5\n\ts_bitset0_b32 exec_lo, 21\n\t"
                 "v_mov_b32 v64, 0\n\ts_mov_b32 exec_lo, s40\n\t"
                 MATRIX("40:47", "64", "48") "\n\t"
                 "v_mov_b32 %0, " ROW_5 "\n\t"
                 "v_cmp_eq_f32 vcc_lo, 0, %0" GO_ON
                 : "=v"(x)::"v40", "v41", "v42", "v43", "v44", "v45", "v46", "v47", "v65", "v66", "v67", "v68", "v69", "v70", "v71",
                   "s40", "vcc");
    to[threadIdx.x] = x;
}

template <void (*with)(int *, int *), void (*without)(int *, int *)> static void launch()
{
    make();
    if (right)
        with<<<1, WAVE>>>(from, to);
    else
        without<<<1, WAVE>>>(from, to);
    end();
}

#define PROGRAM(kernel) launch<kernel<true>, kernel<false>>

static const row_t programs[] = {
    {"second-reads", PROGRAM(second_reads)},
    {"second-writes", PROGRAM(second_writes)},
    {"delayed", PROGRAM(delayed)},
    {"other-half", PROGRAM(other_half)},
    {"transcendental", PROGRAM(transcendental)},
    {"matrix", PROGRAM(matrix)},
    {"second-unwritten", PROGRAM(second_unwritten)},
    {"exchanged", PROGRAM(exchanged)},
    {"upper-half", PROGRAM(upper_half)},
    {"half-sum", PROGRAM(half_sum)},
    {"matrix-unwritten", PROGRAM(matrix_unwritten)},
};

int main(int argc, char **argv)
{
    return run(programs, argc, argv);
}
