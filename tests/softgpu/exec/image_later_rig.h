/* image_later_rig.h - a bench for image instructions of gfx1030 and gfx1100.
 *
 * Included by the mem_image_later*.c programs. Descriptors are put together here once more from
 * their fields' places, and texels say where they are. Every core is tested, with waves of 64 and
 * of 32 lanes. */
#ifndef TESTS_ISA_IMAGE_LATER_RIG_H
#define TESTS_ISA_IMAGE_LATER_RIG_H

#include "mem_rig.h"

#include "isa/format.h"
#include "softgpu/exec/code.h"
#include "softgpu/exec/image.h"

#include <math.h>

enum { IMG_1D = 8, IMG_2D, IMG_3D, IMG_CUBE, IMG_1D_ARRAY, IMG_2D_ARRAY };
enum { SEL_0, SEL_1, SEL_X = 4, SEL_Y, SEL_Z, SEL_W };
enum { WRAP, MIRROR, EDGE };
enum { VADDR = 4, VDATA = 20, SRSRC = 16, SSAMP = 24, IMAGE_BYTES = 8 << 20 };
#define IMAGE_VA UINT64_C(0x7e0000000000)

/* A GPU, and the numbers of formats that its descriptors have. */
typedef struct {
    const char *name;
    unsigned uint_8, float_32, uint_32, uint_32_32, unorm_8_8_8_8, uint_32_32_32_32, srgb_8_8_8_8,
        unorm_5_6_5, clamped_32;
    unsigned sizes[5]; /* of integers with 1 to 16 bytes */
} gpu_t;
static const gpu_t gpus[] = {
    {"gfx1030", 5, 22, 20, 62, 56, 75, 130, 133, 140, {5, 11, 20, 62, 75}},
    {"gfx1100", 5, 22, 20, 48, 42, 61, 66, 68, 75, {5, 11, 20, 48, 61}},
};

typedef struct {
    rig_t *r;
    const gpu_t *gpu;
    uint8_t *memory; /* IMAGE_BYTES */
} bench_t;

typedef struct {
    unsigned type, format, layout, width, height, depth, pitch, base_slice, levels, last_level;
    uint8_t select[4];
} t_sharp_t;

static inline uint32_t f(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, 4);
    return bits;
}

static inline float number(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, 4);
    return x;
}

static inline bool is_gfx11(const bench_t *b)
{
    return b->gpu == &gpus[1];
}

static inline void set_t(bench_t *b, const t_sharp_t *t)
{
    uint32_t *w = &b->r->wave.sgpr[SRSRC];
    static const uint8_t plain[4] = {SEL_X, SEL_Y, SEL_Z, SEL_W};
    const uint8_t *select = t->select[0] | t->select[3] ? t->select : plain;
    const unsigned width = t->width - 1, most = t->levels ? t->levels - 1 : 0;
    const bool slices = t->type >= IMG_3D;
    memset(w, 0, 32);
    w[0] = (uint32_t)(IMAGE_VA >> 8);
    w[1] = (uint32_t)(IMAGE_VA >> 40) | t->format << 20 | (width & 3) << 30;
    w[2] = width >> 2 | (t->height ? t->height - 1 : 0) << 14;
    for (unsigned c = 0; c < 4; c++)
        w[3] |= (uint32_t)select[c] << 3 * c;
    w[3] |= t->last_level << 16 | t->layout << 20 | t->type << 28;
    w[4] = (slices ? t->depth - 1 : t->pitch ? t->pitch - 1 : 0) | t->base_slice << 16;
    if (is_gfx11(b))
        w[1] |= most << 16;
    else
        w[5] = most << 4;
}

/* mag, min: 0 nearest, 1 linear. */
static inline void set_s(bench_t *b, unsigned clamp, unsigned mag, unsigned min, unsigned compare)
{
    uint32_t *w = &b->r->wave.sgpr[SSAMP];
    w[0] = clamp | clamp << 3 | clamp << 6 | compare << 12 | 1u << 15;
    w[1] = 0xfff << 12;
    w[2] = mag << 20 | min << 22;
    w[3] = 0;
}

static inline uint32_t *row(bench_t *b, unsigned n)
{
    return b->r->rows[n];
}

static inline unsigned lanes(const bench_t *b)
{
    return b->r->dispatch.narrow ? 32 : 64;
}

/* ---- instructions ---- */

typedef struct {
    const char *gpu, *text;
    isa_inst_t inst;
} known_t;

static inline const isa_inst_t *assembled(const bench_t *b, const char *text)
{
    static known_t known[256];
    unsigned k = 0;
    uint32_t *words = NULL;
    while (known[k].text && (strcmp(known[k].text, text) || known[k].gpu != b->gpu->name))
        k++;
    assert_true(k < 255);
    if (known[k].text) return &known[k].inst;
    asm_set_gpu(b->gpu->name);
    const size_t n = asm_words(text, &words);
    if (!n || isa_decode(b->r->dispatch.arch, words, (unsigned)n, &known[k].inst) != (int)n)
        fail_msg("%s: %s is no instruction", b->gpu->name, text);
    free(words);
    known[k].gpu = b->gpu->name;
    known[k].text = strdup(text);
    return &known[k].inst;
}

/* False: the wave is stopped. */
static inline bool tried(bench_t *b, const char *text)
{
    rig_run(b->r, assembled(b, text), text);
    return !b->r->wave.stop;
}

static inline void run(bench_t *b, const char *text)
{
    if (!tried(b, text))
        fail_msg("%s: %s: stopped for %u: %s", b->gpu->name, text, b->r->wave.stop,
                 b->r->wave.message);
}

static inline void refused(bench_t *b, const char *text, const char *why)
{
    assert_false(tried(b, text));
    if (!strstr(b->r->wave.message, why))
        fail_msg("%s: %s: \"%s\" lacks \"%s\"", b->gpu->name, text, b->r->wave.message, why);
}

static inline void on_one(bench_t *b, void (*check)(bench_t *b))
{
    memset(b->memory, 0, IMAGE_BYTES);
    b->r->wave.exec = lanes(b) == 64 ? UINT64_MAX : UINT32_MAX;
    b->r->dispatch.arch = isa_arch_named(b->gpu->name);
    check(b);
}

static inline void on_core(rig_t *r, void (*check)(bench_t *b))
{
    bench_t b = {.r = r, .memory = aligned_alloc(65536, IMAGE_BYTES)};
    assert_int_equal(sg_memory_map(r->memory, IMAGE_VA, IMAGE_BYTES, b.memory, SG_MEM_WRITABLE), 0);
    r->wave.page = calloc(1, sizeof(isa_page_t));
    for (unsigned g = 0; g < sizeof gpus / sizeof *gpus; g++) {
        b.gpu = &gpus[g];
        on_one(&b, check);
    }
    free(r->wave.page);
    free(b.memory);
}

static inline void everywhere(void (*check)(bench_t *b))
{
    unsigned tested = 0;
    for (unsigned k = 0; k < 2 * RIG_CORES; k++) {
        rig_t *r = rig_create(rig_cores[k / 2]);
        if (!r) continue;
        r->dispatch.narrow = k & 1;
        if (k & 1) r->core = isa_core_narrow(r->core);
        on_core(r, check);
        rig_destroy(r);
        tested++;
    }
    assert_true(tested);
}

/* Texel (x, y, z) of 32 bits holds x + 16 * y + 256 * z. */
enum { WIDE = 16, HIGH = 16, DEEP = 4, ROW_DWORDS = 64 };

static inline void fill_texels(bench_t *b)
{
    uint32_t *to = (uint32_t *)(void *)b->memory;
    for (uint32_t z = 0; z < DEEP; z++)
        for (uint32_t y = 0; y < HIGH; y++)
            for (uint32_t x = 0; x < WIDE; x++)
                to[x + ROW_DWORDS * (y + HIGH * z)] = x + 16 * y + 256 * z;
}

static inline t_sharp_t filled(const bench_t *b, unsigned type)
{
    const bool line = type == IMG_1D || type == IMG_1D_ARRAY;
    return (t_sharp_t){.type = type,
                       .format = b->gpu->uint_32,
                       .width = WIDE,
                       .height = line ? 1 : HIGH,
                       .depth = DEEP,
                       .select = {SEL_X, SEL_0, SEL_0, SEL_1}};
}

static inline void expect(bench_t *b, const char *what, unsigned reg, uint32_t (*want)(unsigned l))
{
    for (unsigned l = 0; l < lanes(b); l++)
        if (row(b, reg)[l] != want(l))
            fail_msg("%s: %s: v%u of lane %u is 0x%x, not 0x%x", b->gpu->name, what, reg, l,
                     row(b, reg)[l], want(l));
}

static inline void all_lanes(bench_t *b, unsigned reg, uint32_t value)
{
    for (unsigned l = 0; l < 64; l++)
        row(b, reg)[l] = value;
}

static inline uint32_t want_zero(unsigned l)
{
    (void)l;
    return 0;
}

#endif
