/* kernels.h - kernels for what is measured of them: counting, checking.
 *
 * Workgroups of 256; each kernel has 8 MiB of data. What they read has been written, since a
 * checker has more to do where it was not. A kernel more is a row. */
#ifndef BENCH_KERNELS_H
#define BENCH_KERNELS_H

#include <stdint.h>
#include <time.h>

enum { ENGINES = 4, CUS = 2, DATA = 8 << 20 };

/* kernels as compilers make them keep denormals of f32 too */
#define MODE "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 4), 15\n "

/* s[8:9]: 8 MiB of data; v1: 4 * global id */
#define HEAD                                                                                       \
    "s_load_dwordx2 s[8:9], s[0:1], 0x0\n s_lshl_b32 s10, s2, 8\n v_lshl_add_u32 v1, v0, 0, s10\n" \
    "v_lshlrev_b32 v1, 2, v1\n s_waitcnt lgkmcnt(0)\n"

static const struct {
    const char *name, *text;
    uint32_t groups, lds;
} kernels[] = {
    {"arithmetic, long",
     MODE "s_movk_i32 s12, 2000\n v_mov_b32 v2, 0\n v_mov_b32 v3, 1.0\n v_mov_b32 v4, 0.5\n"
          "again:\n .rept 16\n v_fma_f32 v2, v2, v3, v4\n .endr\n"
          "s_sub_u32 s12, s12, 1\n s_cmp_lg_u32 s12, 0\n s_cbranch_scc1 again\n"
          "s_endpgm\n",
     16, 0},
    {"vector add",
     MODE HEAD "global_load_dword v2, v1, s[8:9]\n global_load_dword v3, v1, s[8:9]\n"
               "s_waitcnt vmcnt(0)\n v_add_f32 v2, v2, v3\n"
               "global_store_dword v1, v2, s[8:9]\n s_endpgm\n",
     4096, 0},
    {"matmul inner loop",
     MODE ".irp k,2,3,4,5,6,7,8,9\n v_mov_b32 v\\k, 0\n .endr\n v_lshlrev_b32 v10, 4, v0\n"
          "ds_write_b128 v10, v[2:5]\n s_waitcnt lgkmcnt(0)\n s_barrier\n"
          "v_mov_b32 v10, 0\n v_mov_b32 v11, 0x400\n s_movk_i32 s12, 500\n again:\n"
          ".rept 4\n ds_read2_b32 v[12:13], v10 offset0:0 offset1:16\n ds_read_b128 v[16:19], v11\n"
          " s_waitcnt lgkmcnt(0)\n"
          " v_fma_f32 v2, v12, v16, v2\n v_fma_f32 v3, v12, v17, v3\n v_fma_f32 v4, v12, v18, v4\n"
          " v_fma_f32 v5, v12, v19, v5\n v_fma_f32 v6, v13, v16, v6\n v_fma_f32 v7, v13, v17, v7\n"
          " v_fma_f32 v8, v13, v18, v8\n v_fma_f32 v9, v13, v19, v9\n .endr\n"
          "s_sub_u32 s12, s12, 1\n s_cmp_lg_u32 s12, 0\n s_cbranch_scc1 again\n s_endpgm\n",
     16, 4096},
    {"strided reads",
     MODE HEAD "v_lshlrev_b32 v1, 1, v1\n s_movk_i32 s12, 100\n again:\n"
               "global_load_dword v2, v1, s[8:9]\n"
               "global_load_dword v3, v1, s[8:9] offset:64\n s_waitcnt vmcnt(0)\n"
               "v_add_f32 v4, v2, v3\n s_sub_u32 s12, s12, 1\n s_cmp_lg_u32 s12, 0\n"
               "s_cbranch_scc1 again\n s_endpgm\n",
     64, 0},
    {"tiled gemm",
     MODE HEAD "v_lshlrev_b32 v10, 2, v0\n v_and_b32 v11, 0x3f0, v10\n"
               ".irp k,2,3,4,5,6,7,8,9\n v_mov_b32 v\\k, 0\n .endr\n s_movk_i32 s12, 20\n again:\n"
               "global_load_dword v20, v1, s[8:9]\n global_load_dword v21, v1, s[8:9] offset:1024\n"
               "s_waitcnt vmcnt(0)\n ds_write_b32 v10, v20\n ds_write_b32 v10, v21 offset:1024\n"
               "s_waitcnt lgkmcnt(0)\n s_barrier\n"
               ".rept 16\n ds_read2_b32 v[12:13], v10 offset0:0 offset1:16\n"
               " ds_read_b128 v[16:19], v11\n s_waitcnt lgkmcnt(0)\n"
               " v_fma_f32 v2, v12, v16, v2\n v_fma_f32 v3, v12, v17, v3\n"
               " v_fma_f32 v4, v12, v18, v4\n v_fma_f32 v5, v12, v19, v5\n"
               " v_fma_f32 v6, v13, v16, v6\n v_fma_f32 v7, v13, v17, v7\n"
               " v_fma_f32 v8, v13, v18, v8\n v_fma_f32 v9, v13, v19, v9\n .endr\n"
               "s_barrier\n s_sub_u32 s12, s12, 1\n s_cmp_lg_u32 s12, 0\n s_cbranch_scc1 again\n"
               "s_add_u32 s10, s8, 0x400000\n s_addc_u32 s11, s9, 0\n"
               "global_store_dword v1, v2, s[10:11]\n s_endpgm\n",
     32, 4096},
    {"reduction",
     MODE HEAD "v_lshlrev_b32 v10, 2, v0\n global_load_dword v2, v1, s[8:9]\n"
               "s_waitcnt vmcnt(0)\n ds_write_b32 v10, v2\n s_waitcnt lgkmcnt(0)\n s_barrier\n"
               ".irp half,128,64,32,16,8,4,2,1\n"
               " v_cmp_gt_u32 vcc, \\half, v0\n s_and_saveexec_b64 s[14:15], vcc\n"
               " ds_read_b32 v2, v10\n ds_read_b32 v3, v10 offset:4*\\half\n"
               " s_waitcnt lgkmcnt(0)\n v_add_f32 v2, v2, v3\n ds_write_b32 v10, v2\n"
               " s_mov_b64 exec, s[14:15]\n s_waitcnt lgkmcnt(0)\n s_barrier\n .endr\n"
               "v_cmp_eq_u32 vcc, 0, v0\n s_and_saveexec_b64 s[14:15], vcc\n"
               "global_store_dword v1, v2, s[8:9]\n s_endpgm\n",
     1024, 1024},
    {"stencil",
     MODE HEAD "s_add_u32 s10, s8, 0x400000\n s_addc_u32 s11, s9, 0\n"
               "global_load_dword v2, v1, s[8:9]\n global_load_dword v3, v1, s[8:9] offset:4\n"
               "global_load_dword v4, v1, s[8:9] offset:8\n"
               "global_load_dword v5, v1, s[8:9] offset:2048\n"
               "s_waitcnt vmcnt(0)\n v_add_f32 v2, v2, v3\n v_fma_f32 v2, v4, v5, v2\n"
               "global_store_dword v1, v2, s[10:11]\n s_endpgm\n",
     2048, 0},
};
enum { KERNELS = sizeof kernels / sizeof kernels[0] };

static inline double clock_ms(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* CPU time of the device's threads: this one only waits, which is not what is asked about. The
 * clock of a process lags behind while its threads run, so they are given time to fall asleep. */
static inline double now(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    return clock_ms(CLOCK_PROCESS_CPUTIME_ID) - clock_ms(CLOCK_THREAD_CPUTIME_ID);
}

#endif
