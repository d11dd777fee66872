/* isa.c - how many wave instructions per second the executor core runs.
 *
 * Its loops, in waves of 64 lanes and of 32, also on GPUs that have those of 64 alone.
 * bench_isa [--json FILE] [--core base|avx2|avx512] [--gpu gfx90a]; --loop N --iterations N
 * [--lanes 32|64] [--translate off|on]: one loop once, which bench/host_instructions.py counts */
#include "softgpu/memory/memory.h"
#include "softgpu/exec/exec.h"
#include "softgpu/exec/translate.h"
#include "tests/isa/asm.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

static struct {
    const char *name, *setup, *body;
    int per_iteration; /* instructions of `body`, counted by hand, without the three of the loop */
    int iterations;
} loops[] = {
    {"f32 fma", "", /* each instruction depends on the one before */
     ".rept 32\n v_fma_f32 v2, v2, v3, v4\n .endr\n", 32, 1000000},
    {"matmul inner loop", /* 8 steps of k: two rows of A and four columns of B from LDS */
     "v_mov_b32 v10, 0\n v_mov_b32 v11, 0x400\n",
     ".rept 4\n ds_read2_b32 v[12:13], v10 offset0:0 offset1:16\n ds_read_b128 v[16:19], v11\n"
     " wait_for_lds\n"
     " v_fma_f32 v2, v12, v16, v2\n v_fma_f32 v3, v12, v17, v3\n v_fma_f32 v4, v12, v18, v4\n"
     " v_fma_f32 v5, v12, v19, v5\n v_fma_f32 v6, v13, v16, v6\n v_fma_f32 v7, v13, v17, v7\n"
     " v_fma_f32 v8, v13, v18, v8\n v_fma_f32 v9, v13, v19, v9\n .endr\n",
     44, 500000},
    {"sums, one NaN", "v_mov_b32 v2, 0\n v_writelane_b32 v2, -1, 5\n",
     "v_fma_f32 v2, v2, v3, v4\n v_add_f32 v5, v2, v5\n v_mul_f32 v6, v5, v3\n"
     "v_sub_f32 v7, v6, v2\n v_max_f32 v8, v8, v7\n v_fma_f32 v9, v8, v5, v9\n",
     6, 500000},
};
enum {
    LOOPS = sizeof loops / sizeof *loops,
    CODE_VA = 0x10000000,
    LOOP_OVERHEAD = 3,
    SLICE = 20000 /* branches, as in turns of a busy device (sched.c) */
};

typedef struct {
    const isa_core_t *core;
    sg_memory_t *memory;
    isa_code_t *code;
    bool ok;
} worker_t;

static double now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static const isa_arch_t *arch = ASM_ARCH;

static void *work(void *argument)
{
    worker_t *worker = argument;
    isa_row_t *rows = aligned_alloc(64, ISA_VGPR_ROWS * sizeof(isa_row_t));
    isa_wave_t *wave = aligned_alloc(64, (sizeof(isa_wave_t) + 63) / 64 * 64);
    isa_dispatch_t dispatch = {.arch = arch,
                               .narrow = worker->core->lanes == 32,
                               .memory = worker->memory,
                               .code = worker->code,
                               .n_vgpr = 64};
    isa_group_t group = {.dispatch = &dispatch, .n_waves = 1, .lds_bytes = 65536, .waves = &wave};
    group.lds = aligned_alloc(64, group.lds_bytes);
    if (!rows || !wave || !group.lds) return NULL;
    memset(rows, 0, ISA_VGPR_ROWS * sizeof(isa_row_t));
    memset(wave, 0, sizeof *wave);
    memset(group.lds, 0, group.lds_bytes);
    wave->vgpr = rows;
    wave->group = &group;
    wave->exec = isa_dispatch_full(&dispatch);
    wave->mode = 0xf0; /* round to nearest even, denormals kept */
    wave->mem_epoch = sg_memory_epoch(worker->memory);
    if (worker->core->set_pc(wave, CODE_VA)) {
        isa_stop_t stop;
        while ((stop = worker->core->run(wave, SLICE)) == ISA_STOP_YIELD) {
        }
        worker->ok = stop == ISA_STOP_END;
        if (!worker->ok) fprintf(stderr, "stopped for %d: %s\n", (int)stop, wave->message);
    }
    free(group.lds);
    free(wave);
    free(rows);
    return NULL;
}

/* Millions of instructions per second over all workers, and per second of CPU time, which tells the
 * cost on a machine that does other things too. */
typedef struct {
    double wall, cpu;
} rate_t;

/* The rates of a loop, interpreted or translated; 0 on failure. */
static rate_t rate(const isa_core_t *core, int which, int workers, isa_translate_t how)
{
    isa_translate_setup(how, ISA_TRANSLATE_AFTER);
    char text[4096];
    snprintf(text, sizeof text,
             ".macro wait_for_lds\n %s\n .endm\n"
             "%s\n s_mov_b32 s0, %d\nloop:\n%s\n s_sub_u32 s0, s0, 1\n"
             " s_cmp_lg_u32 s0, 0\n s_cbranch_scc1 loop\n s_endpgm\n",
             arch->lds_apart ? "s_wait_dscnt 0" : "s_waitcnt lgkmcnt(0)", loops[which].setup,
             loops[which].iterations, loops[which].body);
    uint32_t *words;
    size_t n = asm_words(text, &words);
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (!n || n > 1024 || page == MAP_FAILED) return (rate_t){0};
    memcpy(page, words, n * 4);
    free(words);
    sg_memory_t *memory = sg_memory_create();
    sg_memory_map(memory, CODE_VA, 4096, page, SG_MEM_EXECUTABLE);
    isa_code_t *code = isa_code_create(arch, memory);
    worker_t team[2];
    pthread_t threads[2];
    double begin = now(CLOCK_MONOTONIC), cpu_begin = now(CLOCK_PROCESS_CPUTIME_ID);
    for (int i = 0; i < workers; i++) {
        team[i] = (worker_t){core, memory, code, false};
        pthread_create(&threads[i], NULL, work, &team[i]);
    }
    bool ok = true;
    for (int i = 0; i < workers; i++) {
        pthread_join(threads[i], NULL);
        ok = ok && team[i].ok;
    }
    double seconds = now(CLOCK_MONOTONIC) - begin;
    double cpu_seconds = now(CLOCK_PROCESS_CPUTIME_ID) - cpu_begin;
    double total = (double)loops[which].iterations * (loops[which].per_iteration + LOOP_OVERHEAD);
    if (!ok) return (rate_t){0};
    return (rate_t){total * workers / seconds / 1e6, total * workers / cpu_seconds / 1e6};
}

/* Measures and prints all loops; `lanes` is added to their names. */
static void measure_as(const isa_core_t *core, const char *lanes, FILE *out, isa_translate_t how)
{
    printf("%s:\n", how ? "translated" : "interpreted");
    for (int which = 0; which < LOOPS; which++) {
        rate(core, which, 1, how); /* warms caches and clocks */
        rate_t one = rate(core, which, 1, how), two = rate(core, which, 2, how);
        printf("%-20s %8.1f one worker %8.1f two workers (x%.2f) %8.1f per CPU second\n",
               loops[which].name, one.wall, two.wall, one.wall > 0 ? two.wall / one.wall : 0,
               one.cpu);
        if (out)
            fprintf(out, ", \"%s%s%s\": {\"one\": %.1f, \"two\": %.1f, \"per_cpu_second\": %.1f}",
                    loops[which].name, lanes, how ? ", translated" : "", one.wall, two.wall,
                    one.cpu);
    }
}

static void measure(const isa_core_t *core, const char *lanes, FILE *out)
{
    measure_as(core, lanes, out, ISA_TRANSLATE_OFF);
    measure_as(core, lanes, out, ISA_TRANSLATE_ON);
}

/* One loop, once, by one worker: something outside counts what that takes. Prints the instructions
 * of an iteration. */
static int run_alone(const isa_core_t *core, unsigned which, int iterations, isa_translate_t how)
{
    if (which >= LOOPS) {
        fprintf(stderr, "bench_isa: there are %d loops, from 0 on\n", LOOPS);
        return 1;
    }
    if (iterations < 1) {
        fprintf(stderr, "bench_isa: --iterations is a number from 1 on\n");
        return 1;
    }
    loops[which].iterations = iterations;
    printf("%d %s\n", loops[which].per_iteration + LOOP_OVERHEAD, loops[which].name);
    return rate(core, (int)which, 1, how).cpu > 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
    const char *json = NULL;
    unsigned loop = 0;
    int iterations = 0;
    bool alone = false;
    const char *lanes = "64", *translate = "off";
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--json")) json = argv[i + 1];
        if (!strcmp(argv[i], "--loop")) loop = (unsigned)atoi(argv[i + 1]);
        if (!strcmp(argv[i], "--iterations")) iterations = atoi(argv[i + 1]), alone = true;
        if (!strcmp(argv[i], "--translate")) translate = argv[i + 1];
        if (!strcmp(argv[i], "--lanes")) lanes = argv[i + 1];
        if (!strcmp(argv[i], "--core")) setenv("SOFTGPU_CORE", argv[i + 1], 1);
        if (!strcmp(argv[i], "--gpu")) arch = isa_arch_named(argv[i + 1]);
    }
    if (!arch) {
        fprintf(stderr, "bench_isa: no such GPU\n");
        return 1;
    }
    const bool narrow = !strcmp(lanes, "32");
    if (!narrow && strcmp(lanes, "64")) {
        fprintf(stderr, "bench_isa: --lanes is 32 or 64, not %s\n", lanes);
        return 1;
    }
    const isa_translate_t how = strcmp(translate, "on") ? ISA_TRANSLATE_OFF : ISA_TRANSLATE_ON;
    if (how == ISA_TRANSLATE_OFF && strcmp(translate, "off")) {
        fprintf(stderr, "bench_isa: --translate is off or on, not %s\n", translate);
        return 1;
    }
    if (!asm_available()) {
        fprintf(stderr, "bench_isa needs llvm-mc-15\n");
        return 1;
    }
    if (!asm_takes_gpu(arch->name)) { /* it would assemble for another GPU, with a warning */
        fprintf(stderr, "bench_isa: the assembler does not know %s (LLVM_MC names another)\n",
                arch->name);
        return 1;
    }
    asm_set_gpu(arch->name);
    const isa_core_t *core = isa_core_select();
    if (alone) return run_alone(narrow ? isa_core_narrow(core) : core, loop, iterations, how);
    FILE *out = json ? fopen(json, "w") : NULL;
    if (out) fprintf(out, "{\"core\": \"%s\"", core->name);
    printf("core %s, millions of wave64 instructions per second\n", core->name);
    measure(core, "", out);
    printf("core %s, instructions of waves of 32 lanes\n", isa_core_narrow(core)->name);
    measure(isa_core_narrow(core), ", 32 lanes", out);
    const isa_translate_stats_t stats = isa_translate_stats();
    printf("translated %llu loops in %.1f ms\n", (unsigned long long)stats.loops[ISA_REFUSED_NOT],
           (double)stats.seconds_e6 / 1e3);
    if (out) {
        fprintf(out, "}\n");
        fclose(out);
    }
    return 0;
}
