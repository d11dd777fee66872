/* gemm.c - products of 1024 cubed on the executor: f16, 8-bit and 4-bit floats, a sparse matrix.
 *
 * One thread runs the waves one after the other, each for a tile of 64 x 64, which it reads from
 * memory. The result is compared with the host's, which takes floats and its own loop; its time
 * stands beside. bench_gemm [--json FILE] [--core base|avx2|avx512] */
#include "softgpu/memory/memory.h"
#include "softgpu/exec/exec.h"
#include "softgpu/exec/wave.h"
#include "tests/isa/asm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum {
    SIZE = 1024,
    TILE = 64,
    MATRIX = SIZE * SIZE * 2, /* bytes of A or B in the widest elements */
    CODE_VA = 0x10000000,
    CODE_BYTES = 8192,
    A_VA = 0x20000000,
    B_VA = 0x30000000,
    D_VA = 0x40000000
};

/* A matrix instruction of 32 rows and columns, whose registers of A begin at v8 and v12, of B at
 * v16 and v20, of C and D at v64, v80, v96 and v112; v3 has the index of a sparse A. With
 * `agprs` C and D are a0 to a63, and copied at the end: gfx908's instructions have them nowhere
 * else. */
typedef struct {
    const char *name, *gpu;
    int bits;               /* of an element */
    int k;                  /* of an instruction */
    int a_shift, b_shift;   /* log2 of the bytes of a row of A, of a column of B */
    int a_dwords, b_dwords; /* that a lane holds */
    bool agprs;
    const char *body;
} gemm_t;

#define FP8_BODY                                                                                   \
    "v_mfma_f32_32x32x16_fp8_fp8 v[64:79], v[8:9], v[16:17], v[64:79]\n"                           \
    "v_mfma_f32_32x32x16_fp8_fp8 v[80:95], v[8:9], v[20:21], v[80:95]\n"                           \
    "v_mfma_f32_32x32x16_fp8_fp8 v[96:111], v[12:13], v[16:17], v[96:111]\n"                       \
    "v_mfma_f32_32x32x16_fp8_fp8 v[112:127], v[12:13], v[20:21], v[112:127]\n"

#define F16_BODY                                                                                   \
    "v_mfma_f32_32x32x8f16 a[0:15], v[8:9], v[16:17], a[0:15]\n"                                   \
    "v_mfma_f32_32x32x8f16 a[16:31], v[8:9], v[20:21], a[16:31]\n"                                 \
    "v_mfma_f32_32x32x8f16 a[32:47], v[12:13], v[16:17], a[32:47]\n"                               \
    "v_mfma_f32_32x32x8f16 a[48:63], v[12:13], v[20:21], a[48:63]\n"
#define ALL_AGPRS(instruction) ".set i, 0\n .rept 64\n " instruction "\n .set i, i+1\n .endr\n"

static const gemm_t gemms[] = {
    {"f16", "gfx908", 16, 8, 11, 11, 2, 2, true, F16_BODY},
    {"f16", "gfx90a", 16, 8, 11, 11, 2, 2, true, F16_BODY},
    {"f16", "gfx942", 16, 8, 11, 11, 2, 2, true, F16_BODY},
    {"f16", "gfx950", 16, 8, 11, 11, 2, 2, true, F16_BODY},
    {"fp8", "gfx942", 8, 16, 10, 10, 2, 2, false, FP8_BODY},
    {"fp8 ocp", "gfx950", 8, 16, 10, 10, 2, 2, false, FP8_BODY},
    {"fp8, sparse A", "gfx942", 8, 32, 9, 10, 2, 4, false,
     "v_smfmac_f32_32x32x32_fp8_fp8 v[64:79], v[8:9], v[16:19], v3\n"
     "v_smfmac_f32_32x32x32_fp8_fp8 v[80:95], v[8:9], v[20:23], v3\n"
     "v_smfmac_f32_32x32x32_fp8_fp8 v[96:111], v[12:13], v[16:19], v3\n"
     "v_smfmac_f32_32x32x32_fp8_fp8 v[112:127], v[12:13], v[20:23], v3\n"},
    /* v_mfma_f32_32x32x64_f8f6f4 ... cbsz:4 blgp:4, which the assembler may not know */
    {"fp4", "gfx950", 4, 64, 9, 9, 4, 4, false,
     ".long 0xd3ae0440, 0x85022108\n .long 0xd3ae0450, 0x85422908\n"
     ".long 0xd3ae0460, 0x8582210c\n .long 0xd3ae0470, 0x85c2290c\n"},
};
enum { GEMMS = sizeof gemms / sizeof *gemms };

static double now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- the kernel ---- */

/* s2, s3: bytes to the tile's first row of A and column of B; s10: to its first element of D. */
static void kernel(char *text, size_t size, const gemm_t *g)
{
    const char *width[] = {"", "dword", "dwordx2", "dwordx3", "dwordx4"};
    snprintf(
        text, size,
        "v_and_b32 v1, 31, v0\n v_lshrrev_b32 v2, 5, v0\n"
        "v_lshlrev_b32 v4, %d, v1\n v_lshl_add_u32 v4, v2, %d, v4\n"
        "v_lshlrev_b32 v6, %d, v1\n v_lshl_add_u32 v6, v2, %d, v6\n"
        "v_add_u32 v4, s2, v4\n v_add_u32 v5, 0x%x, v4\n"
        "v_add_u32 v6, s3, v6\n v_add_u32 v7, 0x%x, v6\n"
        "v_mov_b32 v3, 0x44444444\n .set i, 64\n"
        ".rept 64\n v_mov_b32 v[i], 0\n .set i, i+1\n .endr\n s_mov_b32 s4, %d\n%s"
        "loop:\n"
        "global_load_%s v[8:%d], v4, s[0:1]\n global_load_%s v[12:%d], v5, s[0:1]\n"
        "global_load_%s v[16:%d], v6, s[6:7]\n global_load_%s v[20:%d], v7, s[6:7]\n"
        "v_add_u32 v4, %d, v4\n v_add_u32 v5, %d, v5\n v_add_u32 v6, %d, v6\n"
        "v_add_u32 v7, %d, v7\n s_waitcnt vmcnt(0)\n%s"
        "s_sub_u32 s4, s4, 1\n s_cmp_lg_u32 s4, 0\n s_cbranch_scc1 loop\n%s"
        /* D: registers are rows, four and four of them 8 apart; lanes are columns */
        "v_lshlrev_b32 v24, 2, v1\n v_lshl_add_u32 v24, v2, 14, v24\n v_add_u32 v24, s10, v24\n"
        ".set i, 64\n"
        ".rept 2\n .rept 2\n v_mov_b32 v25, v24\n"
        ".rept 4\n .rept 4\n global_store_dword v25, v[i], s[8:9]\n"
        "v_add_u32 v25, 0x1000, v25\n .set i, i+1\n .endr\n v_add_u32 v25, 0x4000, v25\n .endr\n"
        "v_add_u32 v24, 0x80, v24\n .endr\n v_add_u32 v24, 0x1ff00, v24\n .endr\n"
        "s_endpgm\n",
        g->a_shift, g->a_dwords == 2 ? 3 : 4, g->b_shift, g->b_dwords == 2 ? 3 : 4,
        32 << g->a_shift, 32 << g->b_shift, SIZE / g->k,
        g->agprs ? ALL_AGPRS("v_accvgpr_write_b32 a[i], 0") : "", width[g->a_dwords],
        7 + g->a_dwords, width[g->a_dwords], 11 + g->a_dwords, width[g->b_dwords], 15 + g->b_dwords,
        width[g->b_dwords], 19 + g->b_dwords, 8 * g->a_dwords, 8 * g->a_dwords, 8 * g->b_dwords,
        8 * g->b_dwords, g->body, g->agprs ? ALL_AGPRS("v_accvgpr_read_b32 v[i+64], a[i]") : "");
}

/* ---- the matrices ---- */

typedef struct {
    uint8_t *a, *b; /* packed; B by columns */
    float *d, *host_a, *host_b, *host_d;
} data_t;

/* Codes of 0, 0.5, 1, 2 and their negatives: every sum is exact. */
static unsigned code(const gemm_t *g, unsigned n, float *value)
{
    static const float values[] = {0, 0.5f, 1, 2, 0, -0.5f, -1, -2};
    static const uint8_t fp8[] = {0, 0x30, 0x38, 0x40, 0, 0xb0, 0xb8, 0xc0};
    static const uint8_t fp4[] = {0, 1, 2, 4, 0, 9, 10, 12};
    static const uint16_t f16[] = {0, 0x3800, 0x3c00, 0x4000, 0, 0xb800, 0xbc00, 0xc000};
    *value = values[n];
    if (g->bits == 16) return f16[n];
    if (g->bits == 4) return fp4[n];
    /* The bias of gfx942's FP8 is one higher. */
    return strcmp(g->gpu, "gfx942") || !fp8[n] ? fp8[n] : fp8[n] + 8u;
}

/* Stores the code of element k of a packed row. */
static void store(const gemm_t *g, uint8_t *row, int k, unsigned c)
{
    switch (g->bits) {
    case 4: row[k / 2] |= (uint8_t)(c << 4 * (k % 2)); break;
    case 8: row[k] = (uint8_t)c; break;
    default: row[2 * k] = (uint8_t)c; row[2 * k + 1] = (uint8_t)(c >> 8);
    }
}

static void make(const gemm_t *g, data_t *x)
{
    unsigned state = 1;
    memset(x->host_a, 0, sizeof(float) * SIZE * SIZE);
    for (int which = 0; which < 2; which++) {
        uint8_t *packed = which ? x->b : x->a;
        const int shift = which ? g->b_shift : g->a_shift;
        const bool sparse = !which && g->a_dwords < g->b_dwords;
        memset(packed, 0, (size_t)SIZE << shift);
        for (int i = 0; i < SIZE; i++)
            for (int k = 0; k < (sparse ? SIZE / 2 : SIZE); k++) {
                float value;
                state = state * 1664525 + 1013904223;
                const unsigned c = code(g, state >> 29, &value);
                uint8_t *row = packed + ((size_t)i << shift);
                store(g, row, k, c);
                /* the first two of each four are stored: what v3 says */
                const int depth = sparse ? k / 2 * 4 + k % 2 : k;
                if (which)
                    x->host_b[(size_t)depth * SIZE + (size_t)i] = value;
                else
                    x->host_a[(size_t)i * SIZE + (size_t)depth] = value;
            }
    }
}

/* ---- a run ---- */

static double on_host(data_t *x)
{
    const double begin = now(CLOCK_THREAD_CPUTIME_ID);
    memset(x->host_d, 0, sizeof(float) * SIZE * SIZE);
    for (size_t i = 0; i < SIZE; i++)
        for (size_t k = 0; k < SIZE; k++) {
            const float a = x->host_a[i * SIZE + k], *b = x->host_b + k * SIZE;
            float *d = x->host_d + i * SIZE;
            for (size_t j = 0; j < SIZE; j++)
                d[j] += a * b[j];
        }
    return now(CLOCK_THREAD_CPUTIME_ID) - begin;
}

static bool run_wave(const isa_core_t *core, isa_wave_t *wave, uint32_t row, uint32_t column,
                     const gemm_t *g)
{
    isa_stop_t stop;
    for (uint32_t l = 0; l < ISA_LANES; l++)
        wave->vgpr[0][l] = l;
    wave->sgpr[0] = A_VA;
    wave->sgpr[2] = row << g->a_shift;
    wave->sgpr[3] = column << g->b_shift;
    wave->sgpr[6] = B_VA;
    wave->sgpr[8] = D_VA;
    wave->sgpr[10] = (row * SIZE + column) * 4;
    wave->sgpr[1] = wave->sgpr[7] = wave->sgpr[9] = 0;
    wave->exec = ISA_ALL_LANES;
    wave->mode = 0xf0;
    wave->stop = 0;
    if (!core->set_pc(wave, CODE_VA)) return false;
    while ((stop = core->run(wave, 1 << 20)) == ISA_STOP_YIELD) {
    }
    if (stop != ISA_STOP_END)
        fprintf(stderr, "%s, %s: stopped for %d: %s\n", g->name, g->gpu, (int)stop, wave->message);
    return stop == ISA_STOP_END;
}

/* Seconds of CPU; below 0 on failure. */
static double on_softgpu(const isa_core_t *core, const gemm_t *g, data_t *x, void *page)
{
    sg_memory_t *memory = sg_memory_create();
    const isa_arch_t *arch = isa_arch_named(g->gpu);
    sg_memory_map(memory, CODE_VA, CODE_BYTES, page, SG_MEM_EXECUTABLE);
    sg_memory_map(memory, A_VA, MATRIX, x->a, 0);
    sg_memory_map(memory, B_VA, MATRIX, x->b, 0);
    sg_memory_map(memory, D_VA, SIZE * SIZE * sizeof(float), x->d, SG_MEM_WRITABLE);
    isa_dispatch_t dispatch = {.arch = arch,
                               .memory = memory,
                               .code = isa_code_create(arch, memory),
                               .n_vgpr = 192,
                               .acc_offset = 128};
    isa_row_t *rows = aligned_alloc(64, ISA_VGPR_ROWS * sizeof(isa_row_t));
    isa_wave_t *wave = aligned_alloc(64, (sizeof(isa_wave_t) + 63) / 64 * 64);
    isa_group_t group = {.dispatch = &dispatch, .n_waves = 1, .waves = &wave};
    bool ok = rows && wave;
    const double begin = now(CLOCK_THREAD_CPUTIME_ID);
    if (ok) memset(wave, 0, sizeof *wave);
    for (uint32_t t = 0; ok && t < SIZE / TILE * (SIZE / TILE); t++) {
        wave->vgpr = rows;
        wave->group = &group;
        wave->acc_offset = dispatch.acc_offset;
        ok = run_wave(core, wave, t / (SIZE / TILE) * TILE, t % (SIZE / TILE) * TILE, g);
    }
    const double seconds = now(CLOCK_THREAD_CPUTIME_ID) - begin;
    isa_code_destroy(dispatch.code);
    sg_memory_destroy(memory);
    free(wave);
    free(rows);
    return ok ? seconds : -1;
}

/* Has the assembler take the GPU's text. Some know gfx942 as gfx940 alone, whose words for these
 * instructions gfx950 has, too. */
static void set_assembler(const char *gpu)
{
    asm_set_gpu(gpu);
    if (asm_knows_gpu(gpu)) return;
    asm_set_gpu("gfx940");
    if (!asm_knows_gpu("gfx940")) asm_set_gpu("gfx942");
}

static bool assemble(const gemm_t *g, void *page)
{
    set_assembler(g->gpu);
    char text[8192];
    uint32_t *words;
    kernel(text, sizeof text, g);
    const size_t n = asm_words(text, &words);
    if (!n) {
        fprintf(stderr, "%s, %s: the assembler does not take the kernel\n", g->name, g->gpu);
        return false;
    }
    const bool fits = n * 4 <= CODE_BYTES;
    if (fits)
        memcpy(page, words, n * 4);
    else
        fprintf(stderr, "%s, %s: the kernel has %zu bytes, of at most %d\n", g->name, g->gpu, n * 4,
                CODE_BYTES);
    free(words);
    return fits;
}

static void *pages(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

int main(int argc, char **argv)
{
    const char *json = NULL;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--json")) json = argv[i + 1];
        if (!strcmp(argv[i], "--core")) setenv("SOFTGPU_CORE", argv[i + 1], 1);
    }
    const isa_core_t *core = isa_core_select();
    const size_t bytes = SIZE * SIZE * sizeof(float);
    data_t x = {pages(MATRIX), pages(MATRIX), pages(bytes),
                pages(bytes),  pages(bytes),  pages(bytes)};
    void *page = pages(CODE_BYTES);
    if (!core || !page || !x.a || !x.b || !x.d || !x.host_a || !x.host_b || !x.host_d) return 1;
    FILE *out = json ? fopen(json, "w") : NULL;
    if (out) fprintf(out, "{\"core\": \"%s\"", core->name);
    printf("core %s, products of %d cubed, seconds of one CPU: softgpu, the host in f32\n",
           core->name, SIZE);
    for (const gemm_t *g = gemms; g < gemms + GEMMS; g++) {
        if (!assemble(g, page)) return 1;
        make(g, &x);
        const double first = on_softgpu(core, g, &x, page), again = on_softgpu(core, g, &x, page);
        const double seconds = again < first ? again : first, host = on_host(&x);
        const bool same = !memcmp(x.d, x.host_d, bytes);
        if (first < 0 || again < 0 || !same) {
            fprintf(stderr, "%s, %s: %s\n", g->name, g->gpu,
                    same ? "stopped" : "not the host's result");
            return 1;
        }
        printf("%-16s %-8s %8.3f %8.3f\n", g->name, g->gpu, seconds, host);
        if (out)
            fprintf(out, ", \"%s, %s\": {\"softgpu\": %.3f, \"host\": %.3f}", g->name, g->gpu,
                    seconds, host);
    }
    if (out) {
        fprintf(out, "}\n");
        fclose(out);
    }
    return 0;
}
