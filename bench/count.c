/* count.c - what counting costs a kernel: plain, exact counters, each instruction by itself, caches
 * and clocks.
 *
 * Whole dispatches through an AQL queue of the device, one worker, the best of several runs: the
 * CPU time of a dispatch is then a matter of its work alone. bench_count [--json FILE] */
#include "counting.h"

#include "asm.h"
#include "softgpu/instruction_counts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* kernels as compilers make them keep denormals of f32 too */
#define MODE "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 4), 15\n "
enum { ENGINES = 4, CUS = 2, BEST_OF = 15, DATA = 8 << 20 };

/* s[8:9]: 8 MiB of data; v1: 4 * global id */
#define HEAD                                                                                       \
    "s_load_dwordx2 s[8:9], s[0:1], 0x0\n s_lshl_b32 s10, s2, 8\n v_lshl_add_u32 v1, v0, 0, s10\n" \
    "v_lshlrev_b32 v1, 2, v1\n s_waitcnt lgkmcnt(0)\n"

static const struct {
    const char *name, *text;
    uint32_t groups, lds;
} kernels[] = {
    {"arithmetic, long",
     MODE "s_movk_i32 s12, 2000\n"
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
     MODE "v_mov_b32 v10, 0\n v_mov_b32 v11, 0x400\n s_movk_i32 s12, 500\n again:\n"
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
};
enum { KERNELS = sizeof kernels / sizeof kernels[0] };

static double clock_ms(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* CPU time of the device's threads: this one only waits, which is not what is asked about. The
 * clock of a process lags behind while its threads run, so they are given time to fall asleep. */
static double now(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    return clock_ms(CLOCK_PROCESS_CPUTIME_ID) - clock_ms(CLOCK_THREAD_CPUTIME_ID);
}

static void time_one(counting_t *c, const rig_dispatch_t *d, double *least)
{
    const double start = now();
    counting_dispatch(c, d);
    const double ms = now() - start;
    if (ms < *least) *least = ms;
}

/* Selects stay as they are: what the model was asked for last must not be asked for again. */
static void unwanted(counting_t *c)
{
    enum { NOTHING = 0x3ff };
    counting_set(c, REG_GRBM_GFX_INDEX, EVERYWHERE);
    counting_set(c, counting_select_reg(TCP, 0), NOTHING);
    counting_send(c);
}

typedef enum { PLAIN, EXACT, CENSUS, MODEL, CENSUS_MODEL, HOWS } how_t;

static void time_census(counting_t *c, const rig_dispatch_t *d, uint32_t level, double *least)
{
    const softgpu_instruction_counts_api_t *api = sg_census_api(SOFTGPU_INSTRUCTION_COUNTS_VERSION);
    const softgpu_instruction_options_t options = {.size = sizeof options, .level = level};
    if (api->start(&options)) return;
    time_one(c, d, least);
    api->stop();
}

/* Milliseconds. */
static void measure(counting_t *c, unsigned k, double ms[HOWS])
{
    static const unsigned exact[] = {4, 25, 26, 54, 55, 56, 60, 113};
    uint64_t args = rig_alloc(c->rig, 8), data = rig_alloc(c->rig, DATA);
    memcpy(rig_ptr(c->rig, args), &data, 8);
    rig_dispatch_t d = {.kernel = rig_kernel(c->rig, kernels[k].text, NULL),
                        .args = args,
                        .lds = kernels[k].lds,
                        .grid = {256 * kernels[k].groups},
                        .group = {256}};
    for (unsigned how = 0; how < HOWS; how++)
        ms[how] = 1e30;
    for (unsigned round = 0; round < BEST_OF; round++) { /* in turns: the host's load is the same */
        time_one(c, &d, &ms[PLAIN]);
        time_census(c, &d, SOFTGPU_INSTRUCTION_EXACT_LEVEL, &ms[CENSUS]);
        time_census(c, &d, SOFTGPU_INSTRUCTION_MODEL_LEVEL, &ms[CENSUS_MODEL]);
        counting_clear(c);
        for (unsigned i = 0; i < 8; i++)
            counting_want(c, SQ, exact[i]);
        unwanted(c);
        counting_start(c);
        time_one(c, &d, &ms[EXACT]);
        counting_stop(c);
        counting_clear(c);
        counting_want(c, SQ, 74);
        counting_want(c, TCP, 29);
        counting_start(c);
        time_one(c, &d, &ms[MODEL]);
        counting_stop(c);
    }
}

int main(int argc, char **argv)
{
    const char *json = NULL;
    for (int i = 1; i + 1 < argc; i++)
        if (!strcmp(argv[i], "--json")) json = argv[i + 1];
    if (!asm_available()) {
        printf("no assembler\n");
        return 0;
    }
    setenv("SOFTGPU_THREADS", "1", 1);
    FILE *out = json ? fopen(json, "w") : NULL;
    if (out) fprintf(out, "{");
    printf("%-20s %10s %8s %14s %8s %20s\n", "kernel", "plain ms", "exact", "instructions", "model",
           "instructions, model");
    for (unsigned k = 0; k < KERNELS; k++) {
        counting_t *c = counting_create(ENGINES, CUS);
        double ms[HOWS];
        measure(c, k, ms);
        printf("%-20s %10.3f %7.2fx %13.2fx %7.2fx %19.2fx\n", kernels[k].name, ms[PLAIN],
               ms[EXACT] / ms[PLAIN], ms[CENSUS] / ms[PLAIN], ms[MODEL] / ms[PLAIN],
               ms[CENSUS_MODEL] / ms[PLAIN]);
        if (out)
            fprintf(out,
                    "%s\"%s\":{\"plain_ms\":%.4f,\"exact\":%.3f,\"instructions\":%.3f,"
                    "\"model\":%.3f,\"instructions_model\":%.3f}",
                    k ? "," : "", kernels[k].name, ms[PLAIN], ms[EXACT] / ms[PLAIN],
                    ms[CENSUS] / ms[PLAIN], ms[MODEL] / ms[PLAIN], ms[CENSUS_MODEL] / ms[PLAIN]);
    }
    if (out) {
        fprintf(out, "}\n");
        fclose(out);
    }
    return 0;
}
