// hazard.hip - assembly that does not wait where it has to; see corpus.h.
//
// The instruction to wait for and the one that comes too early are statements of their own, so that
// each has its line. The registers are fixed: the compiler knows nothing of the loads, and waits for none.
#include "corpus.h"

// ---- loads ----

template <bool ok> __global__ void vector_load(int *from)
{
    asm volatile("global_load_dword v40, %0, off" ::"v"(from) : "v40"); // first: vector-load
    if (ok) asm volatile("s_waitcnt vmcnt(0)");
    asm volatile("v_add_u32 v41, v40, v40" ::: "v41"); // bug: vector-load
}

template <bool ok> __global__ void scalar_load(int *from)
{
    asm volatile("s_load_dword s40, %0, 0x0" ::"s"(from) : "s40"); // first: scalar-load
    if (ok) asm volatile("s_waitcnt lgkmcnt(0)");
    asm volatile("s_add_u32 s41, s40, 1" ::: "s41", "scc"); // bug: scalar-load
}

template <bool ok> __global__ void lds_load(int *)
{
    __shared__ int held[64];
    held[threadIdx.x] = 1;
    asm volatile("ds_read_b32 v40, %0" ::"v"(threadIdx.x * 4) : "v40", "memory"); // first: lds-load
    if (ok) asm volatile("s_waitcnt lgkmcnt(0)");
    asm volatile("v_add_u32 v41, v40, v40" ::"v"(held) : "v41"); // bug: lds-load
}

template <bool ok> __global__ void one_too_many(int *from)
{
    asm volatile("global_load_dword v40, %0, off" ::"v"(from) : "v40");
    asm volatile("global_load_dword v41, %0, off" ::"v"(from) : "v41"); // first: one-too-many
    if (ok)
        asm volatile("s_waitcnt vmcnt(0)");
    else
        asm volatile("s_waitcnt vmcnt(1)");
    asm volatile("v_mov_b32 v42, v40" ::: "v42");
    asm volatile("v_mov_b32 v42, v41" ::: "v42"); // bug: one-too-many
}

// Scalar loads return in any order.
template <bool ok> __global__ void no_order(int *from)
{
    asm volatile("s_load_dword s40, %0, 0x0" ::"s"(from) : "s40"); // first: no-order
    asm volatile("s_load_dword s41, %0, 0x4" ::"s"(from) : "s41");
    if (ok)
        asm volatile("s_waitcnt lgkmcnt(0)");
    else
        asm volatile("s_waitcnt lgkmcnt(1)");
    asm volatile("s_mov_b32 s42, s40" ::: "s42"); // bug: no-order
}

template <bool ok> __global__ void written_over(int *from)
{
    asm volatile("global_load_dword v40, %0, off" ::"v"(from) : "v40"); // first: written-over
    if (ok) asm volatile("s_waitcnt vmcnt(0)");
    asm volatile("v_mov_b32 v40, 0" ::: "v40"); // bug: written-over
}

// A generic address in LDS: vmcnt says nothing of it.
template <bool ok> __global__ void flat_load(int *)
{
    __shared__ int held[64];
    int *from = &held[threadIdx.x];
    asm volatile("flat_load_dword v40, %0" ::"v"(from) : "v40"); // first: flat-load
    asm volatile("s_waitcnt vmcnt(0)");
    if (ok) asm volatile("s_waitcnt lgkmcnt(0)");
    asm volatile("v_mov_b32 v41, v40" ::: "v41"); // bug: flat-load
}

// ---- LDS ----

// Each of two waves reads what the other has written.
template <bool ok> __global__ void barrier_early(int *)
{
    __shared__ int held[128];
    const unsigned at = threadIdx.x * 4, other = at ^ 256;
    asm volatile("" ::"v"(held));
    asm volatile("ds_write_b32 %0, %0" ::"v"(at) : "memory"); // first: barrier-early
    if (ok) asm volatile("s_waitcnt lgkmcnt(0)");
    asm volatile("s_barrier");
    asm volatile("ds_read_b32 v40, %0" ::"v"(other) : "v40"); // bug: barrier-early
}

// Each of two waves writes over what the other has read, or written; by FLAT, too.
template <bool ok> __global__ void read_late(int *)
{
    __shared__ int held[128];
    const unsigned at = threadIdx.x * 4, other = at ^ 256;
    asm volatile("" ::"v"(held));
    asm volatile("ds_read_b32 v40, %0" ::"v"(at) : "v40", "memory"); // first: read-late
    if (ok) asm volatile("s_waitcnt lgkmcnt(0)");
    asm volatile("s_barrier");
    asm volatile("ds_write_b32 %0, %0" ::"v"(other) : "memory"); // bug: read-late
    asm volatile("s_waitcnt lgkmcnt(0)");
}

template <bool ok> __global__ void write_late(int *)
{
    __shared__ int held[128];
    const unsigned at = threadIdx.x * 4, other = at ^ 256;
    asm volatile("" ::"v"(held));
    asm volatile("ds_write2_b32 %0, %1, %1 offset1:1" ::"v"(at & ~7u), "v"(at) : "memory"); // first: write-late
    if (ok) asm volatile("s_waitcnt lgkmcnt(0)");
    asm volatile("s_barrier");
    asm volatile("ds_write_b32 %0, %0" ::"v"(other) : "memory"); // bug: write-late
}

template <bool ok> __global__ void flat_early(int *)
{
    __shared__ int held[128];
    int *at = &held[threadIdx.x], *other = &held[threadIdx.x ^ 64];
    asm volatile("flat_store_dword %0, %1" ::"v"(at), "v"(threadIdx.x + 1) : "memory"); // first: flat-early
    asm volatile("s_waitcnt vmcnt(0)");
    if (ok) asm volatile("s_waitcnt lgkmcnt(0)");
    asm volatile("s_barrier");
    asm volatile("flat_load_dword v40, %0" ::"v"(other) : "v40"); // bug: flat-early
    asm volatile("s_waitcnt vmcnt(0) lgkmcnt(0)");
}

// A transfer to LDS is in order with nothing: the wave's own write may come before it, or after it.
template <bool ok> __global__ void transfer_late(int *from)
{
    __shared__ int held[64];
    const unsigned at = threadIdx.x * 4;
    asm volatile("s_mov_b64 s[40:41], %0\n s_mov_b32 s42, -1\n s_mov_b32 s43, 0x27000\n s_mov_b32 m0, 0\n s_nop 0"
                 ::"s"(from), "v"(held) : "s40", "s41", "s42", "s43");
    asm volatile("buffer_load_dword %0, s[40:43], 0 offen lds" ::"v"(at)); // first: transfer-late
    if (ok) asm volatile("s_waitcnt vmcnt(0)");
    asm volatile("ds_write_b32 %0, %0" ::"v"(at)); // bug: transfer-late
}

// What a wave reads of itself is in order, and sums are whatever the order is: no bugs.
__global__ void own_lds(int *)
{
    __shared__ int held[128];
    const unsigned at = threadIdx.x * 4;
    asm volatile("" ::"v"(held));
    asm volatile("ds_write_b32 %0, %0\n s_barrier\n ds_read_b32 v40, %0" ::"v"(at) : "v40", "memory");
}

__global__ void sum_lds(int *)
{
    __shared__ int held[1];
    asm volatile("" ::"v"(held));
    asm volatile("ds_add_u32 %0, %1\n s_barrier\n ds_add_rtn_u32 v40, %0, %1" ::"v"(0), "v"(1) : "v40", "memory");
}

// A store of LDS to memory, where GPUs have one, is no transfer to LDS: reads need not wait for it.
__global__ void store_lds(int *to)
{
    __shared__ int held[64];
    const unsigned at = threadIdx.x * 4;
    asm volatile("ds_write_b32 %0, %0\n s_waitcnt lgkmcnt(0)" ::"v"(at), "v"(held) : "memory");
#if defined __gfx908__ || defined __gfx90a__
    asm volatile("s_mov_b64 s[40:41], %0\n s_mov_b32 s42, -1\n s_mov_b32 s43, 0x27000\n s_mov_b32 m0, 0\n s_nop 0\n"
                 "buffer_store_lds_dword s[40:43], 0 lds" ::"s"(to)
                 : "s40", "s41", "s42", "s43", "memory");
#endif
    asm volatile("ds_read_b32 v40, %0" ::"v"(at) : "v40", "memory");
}

template <bool ok> __global__ void transfer(int *from)
{
    __shared__ int held[64];
    const unsigned at = threadIdx.x * 4;
    asm volatile("s_mov_b64 s[40:41], %0\n s_mov_b32 s42, -1\n s_mov_b32 s43, 0x27000\n s_mov_b32 m0, 0\n s_nop 0"
                 ::"s"(from), "v"(held) : "s40", "s41", "s42", "s43");
    asm volatile("buffer_load_dword %0, s[40:43], 0 offen lds" ::"v"(at)); // first: transfer
    if (ok) asm volatile("s_waitcnt vmcnt(0)");
    asm volatile("ds_read_b32 v40, %0" ::"v"(at) : "v40"); // bug: transfer
}

// ---- wait states ----

template <bool ok> __global__ void scalar_address(int *from)
{
    const unsigned long long at = (unsigned long long)from;
    asm volatile("v_mov_b32 v40, 0" ::: "v40");
    asm volatile("s_nop 0\n v_readfirstlane_b32 s40, %0" ::"v"((unsigned)at) : "s40");
    asm volatile("v_readfirstlane_b32 s41, %0" ::"v"((unsigned)(at >> 32)) : "s41"); // first: scalar-address
    if (ok) asm volatile("s_nop 4");
    asm volatile("global_load_dword v41, v40, s[40:41]" ::: "v41"); // bug: scalar-address
}

template <bool ok> __global__ void lane_shift(int *)
{
    asm volatile("v_mov_b32 v40, 1" ::: "v40"); // first: lane-shift
    if (ok) asm volatile("s_nop 1");
    asm volatile("v_mov_b32_dpp v41, v40 row_shr:1" ::: "v41"); // bug: lane-shift
}

#ifdef __gfx908__ // has results of matrix instructions in AGPRs alone, and no constant for C
#define RESULT "a[44:47]"
#define ADDEND RESULT
#define CLEAR_ADDEND asm volatile("v_accvgpr_write_b32 a44, 0\n v_accvgpr_write_b32 a45, 0\n v_accvgpr_write_b32 a46, 0\n v_accvgpr_write_b32 a47, 0" ::: RESULT_CHANGES)
#define RESULT_CHANGES "a44", "a45", "a46", "a47"
#define READ_RESULT "v_accvgpr_read_b32 v48, a47"
#else
#define RESULT "v[44:47]"
#define ADDEND "0"
#define CLEAR_ADDEND
#define RESULT_CHANGES "v44", "v45", "v46", "v47"
#define READ_RESULT "v_mov_b32 v48, v47"
#endif

template <bool ok> __global__ void matrix_source(int *)
{
    CLEAR_ADDEND;
    asm volatile("v_mov_b32 v40, 1.0" ::: "v40"); // first: matrix-source
    if (ok) asm volatile("s_nop 1");
    asm volatile("v_mfma_f32_4x4x1f32 " RESULT ", v40, v40, " ADDEND ::: RESULT_CHANGES); // bug: matrix-source
}

template <bool ok> __global__ void matrix_result(int *)
{
    CLEAR_ADDEND;
    asm volatile("v_mov_b32 v40, 1.0\n s_nop 1" ::: "v40");
    asm volatile("v_mfma_f32_16x16x4f32 " RESULT ", v40, v40, " ADDEND ::: RESULT_CHANGES); // first: matrix-result
    asm volatile("s_nop 8");
    if (ok) asm volatile("s_nop 1");
    asm volatile(READ_RESULT ::: "v48"); // bug: matrix-result
}

template <bool ok> __global__ void wide_store(int *to)
{
    asm volatile("v_mov_b32 v40, 1\n v_mov_b32 v41, 2\n v_mov_b32 v42, 3\n v_mov_b32 v43, 4" ::: "v40", "v41", "v42", "v43");
    asm volatile("global_store_dwordx4 %0, v[40:43], off" ::"v"(to) : "memory"); // first: wide-store
    if (ok) asm volatile("s_nop 0");
    asm volatile("v_mov_b32 v43, 0" ::: "v43"); // bug: wide-store
}

// ---- SCC ----

template <bool ok> __global__ void any_scc(int *)
{
    if (ok) asm volatile("s_cmp_eq_u32 s40, s40" ::: "scc");
    asm volatile("s_cselect_b32 s40, 1, 2" ::: "s40"); // bug: any-scc
}

// ---- EXEC ----

template <bool ok> __global__ void idle_store(int *to)
{
    asm volatile("s_mov_b64 s[40:41], exec\n s_mov_b64 exec, 0" ::: "s40", "s41");
    if (ok) asm volatile("s_mov_b64 exec, s[40:41]");
    asm volatile("global_store_dword %0, %1, off" ::"v"(to), "v"(1)); // bug: idle-store
    asm volatile("s_mov_b64 exec, s[40:41]");
}

template <void (*wrong)(int *), void (*mended)(int *), int group = 64> static void launch()
{
    int *memory;
    allocate(&memory, N);
    (void)hipMemset(memory, 0, N * sizeof(int));
    (right ? mended : wrong)<<<1, group>>>(memory);
    (void)hipDeviceSynchronize();
    (void)hipFree(memory);
}

static const row_t rows[] = {
    {"vector-load", launch<vector_load<false>, vector_load<true>>},
    {"scalar-load", launch<scalar_load<false>, scalar_load<true>>},
    {"lds-load", launch<lds_load<false>, lds_load<true>>},
    {"one-too-many", launch<one_too_many<false>, one_too_many<true>>},
    {"no-order", launch<no_order<false>, no_order<true>>},
    {"written-over", launch<written_over<false>, written_over<true>>},
    {"flat-load", launch<flat_load<false>, flat_load<true>>},
    {"barrier-early", launch<barrier_early<false>, barrier_early<true>, 128>},
    {"read-late", launch<read_late<false>, read_late<true>, 128>},
    {"write-late", launch<write_late<false>, write_late<true>, 128>},
    {"flat-early", launch<flat_early<false>, flat_early<true>, 128>},
    {"transfer-late", launch<transfer_late<false>, transfer_late<true>>},
    {"own-lds", launch<own_lds, own_lds, 128>},
    {"sum-lds", launch<sum_lds, sum_lds, 128>},
    {"store-lds", launch<store_lds, store_lds>},
    {"transfer", launch<transfer<false>, transfer<true>>},
    {"scalar-address", launch<scalar_address<false>, scalar_address<true>>},
    {"lane-shift", launch<lane_shift<false>, lane_shift<true>>},
    {"matrix-source", launch<matrix_source<false>, matrix_source<true>>},
    {"matrix-result", launch<matrix_result<false>, matrix_result<true>>},
    {"wide-store", launch<wide_store<false>, wide_store<true>>},
    {"idle-store", launch<idle_store<false>, idle_store<true>>},
    {"any-scc", launch<any_scc<false>, any_scc<true>>},
};

int main(int argc, char **argv)
{
    return run(rows, argc, argv);
}
