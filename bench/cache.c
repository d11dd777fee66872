/* cache.c - what the model of the memory pipes costs, per memory instruction.
 *
 * Small loops of loads, stores and LDS reads run plain and with the model told of every
 * instruction, by turns in one process: the ratio is the figure, the times depend on the machine.
 * bench_cache [--json FILE] [--core base|avx2|avx512] [--only KEY] */
#include "softgpu/cache/cache.h"
#include "softgpu/memory/memory.h"
#include "softgpu/exec/exec.h"
#include "softgpu/cache/reach.h"
#include "tests/isa/asm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum {
    CODE_VA = 0x10000000,
    BUFFER = 1 << 24, /* bytes: more than L2 holds */
    ACCESSES = 4,     /* memory instructions of a loop's body */
    ROUNDS = 5,
    MODEL_CU = 0
};
#define BUFFER_VA UINT64_C(0x7f0000000000)

typedef enum { LANES_UNIT, LANES_STRIDE2, LANES_RANDOM } lanes_t;

static const struct {
    const char *name, *key, *body;
    lanes_t lanes;
    uint32_t width; /* bytes between lanes of unit stride */
    int iterations;
} loops[] = {
#define LOADS                                                                                      \
    ".rept 4\n global_load_dword v2, v0, s[2:3]\n v_add_u32 v0, 0x100, v0\n v_and_b32 v0, v0, "    \
    "v9\n"                                                                                         \
    " s_waitcnt vmcnt(0)\n v_fma_f32 v3, v2, v2, v3\n v_fma_f32 v4, v2, v3, v4\n .endr\n"
    {"loads, unit stride", "unit", LOADS, LANES_UNIT, 4, 100000},
    {"loads, stride 2", "stride2", LOADS, LANES_STRIDE2, 4, 100000},
    {"loads, random", "random", LOADS, LANES_RANDOM, 4, 10000},
    {"copy, 16 bytes per lane", "copy16",
     ".rept 2\n global_load_dwordx4 v[4:7], v0, s[2:3]\n s_waitcnt vmcnt(0)\n"
     " global_store_dwordx4 v0, v[4:7], s[2:3]\n v_add_u32 v0, 0x400, v0\n"
     " v_and_b32 v0, v0, v9\n .endr\n",
     LANES_UNIT, 16, 50000},
    {"LDS reads, unit stride", "lds",
     ".rept 4\n ds_read_b32 v2, v1\n s_waitcnt lgkmcnt(0)\n v_fma_f32 v3, v2, v2, v3\n"
     " v_fma_f32 v4, v2, v3, v4\n .endr\n",
     LANES_UNIT, 4, 100000},
    {"LDS reads, stride 3", "lds3",
     ".rept 4\n ds_read_b32 v2, v8\n s_waitcnt lgkmcnt(0)\n v_fma_f32 v3, v2, v2, v3\n"
     " v_fma_f32 v4, v2, v3, v4\n .endr\n",
     LANES_UNIT, 4, 100000},
};
enum { LOOPS = sizeof loops / sizeof *loops };

typedef struct {
    const isa_core_t *core;
    sg_memory_t *memory;
    isa_code_t *code;
    isa_row_t *rows;
    isa_wave_t *wave;
    isa_dispatch_t dispatch;
    isa_group_t group;
    sgc_t *model;
} bench_t;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

typedef struct {
    isa_subscriber_t subscriber; /* first, so that tell_model() can cast it */
    sgc_t *model;
} teller_t;

static void tell_model(isa_subscriber_t *s, isa_watch_t *watch, isa_wave_t *w, const isa_inst_t *i)
{
    sgc_before(((teller_t *)s)->model, MODEL_CU, watch, w, i);
}

static void start_registers(bench_t *b, int which)
{
    uint32_t random = 1;
    memset(b->rows, 0, ISA_VGPR_ROWS * sizeof(isa_row_t));
    for (unsigned l = 0; l < ISA_LANES; l++) {
        random = random * 1664525u + 1013904223u;
        const uint32_t unit = loops[which].width * l;
        b->rows[0][l] = loops[which].lanes == LANES_UNIT      ? unit
                        : loops[which].lanes == LANES_STRIDE2 ? 2 * unit
                                                              : random % BUFFER / 4 * 4;
        b->rows[1][l] = 4 * l;
        b->rows[8][l] = 12 * l;
        b->rows[9][l] = BUFFER - 1;
    }
    b->wave->sgpr[2] = (uint32_t)BUFFER_VA;
    b->wave->sgpr[3] = (uint32_t)(BUFFER_VA >> 32);
    b->wave->exec = ~UINT64_C(0);
}

/* Nanoseconds per memory instruction, 0 on failure. */
static double run(bench_t *b, int which, bool modelled)
{
    static sgc_seen_t seen;
    uint8_t wants[ISA_OP_COUNT];
    teller_t teller = {{.wants = wants, .issue = tell_model}, b->model};
    isa_watch_t watch = {.seen = &seen};
    memset(wants, ISA_WANTS_ISSUE, sizeof wants);
    isa_watch_add(&watch, &teller.subscriber);
    isa_stop_t stop;
    start_registers(b, which);
    if (!b->core->set_pc(b->wave, CODE_VA)) return 0;
    const double start = now();
    do {
        stop = modelled ? b->core->run_watched(b->wave, 1 << 20, &watch)
                        : b->core->run(b->wave, 1 << 20);
    } while (stop == ISA_STOP_YIELD);
    if (stop != ISA_STOP_END) {
        fprintf(stderr, "%s stopped for %d: %s\n", loops[which].name, (int)stop, b->wave->message);
        return 0;
    }
    return (now() - start) * 1e9 / ((double)loops[which].iterations * (int)ACCESSES);
}

static bool load_loop(bench_t *b, void *page, int which)
{
    char text[4096];
    uint32_t *words;
    snprintf(text, sizeof text,
             "s_mov_b32 s0, %d\nloop:\n%s\n s_sub_u32 s0, s0, 1\n s_cmp_lg_u32 s0, 0\n"
             " s_cbranch_scc1 loop\n s_endpgm\n",
             loops[which].iterations, loops[which].body);
    const size_t n = asm_words(text, &words);
    if (!n || n > 1024) return false;
    memcpy(page, words, n * 4);
    free(words);
    isa_code_invalidate(b->code);
    return true;
}

static void *host_memory(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE,
                   -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

int main(int argc, char **argv)
{
    static sg_profile_t profile = {
#define ROW(key, otherwise, lo, hi) .key = otherwise,
        SG_PROFILE_KEYS(ROW)
#undef ROW
    };
    const char *json = NULL, *core = NULL, *only = NULL;
    for (int k = 1; k + 1 < argc; k += 2) {
        if (!strcmp(argv[k], "--json")) json = argv[k + 1];
        if (!strcmp(argv[k], "--core")) core = argv[k + 1];
        if (!strcmp(argv[k], "--only")) only = argv[k + 1];
    }
    if (!asm_available()) {
        fprintf(stderr, "bench_cache: llvm-mc-15 is not installed\n");
        return 1;
    }
    bench_t b = {.core = core ? isa_core_by_name(core) : isa_core_select()};
    void *page = host_memory(4096), *buffer = host_memory(BUFFER + 4096);
    b.memory = sg_memory_create();
    b.code = isa_code_create(ASM_ARCH, b.memory);
    b.rows = aligned_alloc(64, ISA_VGPR_ROWS * sizeof(isa_row_t));
    b.wave = aligned_alloc(64, (sizeof(isa_wave_t) + 63) / 64 * 64);
    b.group = (isa_group_t){.n_waves = 1, .lds_bytes = 65536};
    b.group.lds = aligned_alloc(64, b.group.lds_bytes);
    b.model = sgc_create(ASM_ARCH, &profile, sgc_page_of_memory, b.memory);
    if (!b.core || !page || !buffer || !b.memory || !b.code || !b.rows || !b.wave || !b.group.lds ||
        !b.model) {
        fprintf(stderr, "bench_cache: no memory, or no such core\n");
        return 1;
    }
    b.dispatch =
        (isa_dispatch_t){.arch = ASM_ARCH, .memory = b.memory, .code = b.code, .n_vgpr = 64};
    b.group.dispatch = &b.dispatch;
    b.group.waves = &b.wave;
    memset(b.group.lds, 0, b.group.lds_bytes);
    memset(b.wave, 0, sizeof *b.wave);
    b.wave->vgpr = b.rows;
    b.wave->group = &b.group;
    b.wave->mode = 0xf0; /* round to nearest even, denormals kept */
    if (sg_memory_map(b.memory, CODE_VA, 4096, page, SG_MEM_EXECUTABLE) ||
        sg_memory_map(b.memory, BUFFER_VA, BUFFER + 4096, buffer, SG_MEM_WRITABLE))
        return 1;

    FILE *out = json ? fopen(json, "w") : NULL;
    int printed = 0;
    if (out) fprintf(out, "{");
    printf("core %s; nanoseconds of CPU per memory instruction and its share of the loop\n",
           b.core->name);
    for (int which = 0; which < LOOPS; which++) {
        double plain = 0, modelled = 0;
        if (only && strcmp(only, loops[which].key) != 0) continue;
        if (!load_loop(&b, page, which)) return 1;
        for (int round = 0; round < ROUNDS; round++) {
            const double p = run(&b, which, false), m = run(&b, which, true);
            if (p <= 0 || m <= 0) return 1;
            if (round == 0 || p < plain) plain = p;
            if (round == 0 || m < modelled) modelled = m;
        }
        printf("  %-24s %8.1f plain %8.1f modelled %6.2f times\n", loops[which].name, plain,
               modelled, modelled / plain);
        if (out)
            fprintf(out, "%s\"%s_plain_ns\": %.1f, \"%s_model_ns\": %.1f, \"%s_ratio\": %.2f",
                    printed++ ? ", " : "", loops[which].key, plain, loops[which].key, modelled,
                    loops[which].key, modelled / plain);
    }
    if (out) {
        fprintf(out, "}\n");
        fclose(out);
    }
    return 0;
}
