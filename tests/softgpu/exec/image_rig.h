/* image_rig.h - a bench for image instructions: descriptors by field, some memory, one wave.
 *
 * Included by the mem_image*.c programs. Fields are put into words here once more, by the bits of
 * gfx9's descriptors, so that a wrong table in the executor shows. */
#ifndef TESTS_ISA_IMAGE_RIG_H
#define TESTS_ISA_IMAGE_RIG_H

#include "mem_rig.h"
#include "softgpu/exec/code.h"

#include <math.h>

enum { UNORM, SNORM, USCALED, SSCALED, UINT, SINT, FLOAT = 7, SRGB = 9 };
enum { IMG_1D = 8, IMG_2D, IMG_3D, IMG_CUBE, IMG_1D_ARRAY, IMG_2D_ARRAY };
enum { SEL_0, SEL_1, SEL_X = 4, SEL_Y, SEL_Z, SEL_W };
enum { VADDR = 4, VDATA = 12, SRSRC = 16, SSAMP = 24, IMAGE_BYTES = 1 << 20 };
#define X001                                                                                       \
    {                                                                                              \
        SEL_X, SEL_0, SEL_0, SEL_1                                                                 \
    } /* one component, as the runtime selects it */
#define IMAGE_VA UINT64_C(0x7e0000000000)

static inline uint32_t f(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, 4);
    return bits;
}

static inline float as_float(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, 4);
    return x;
}

typedef struct {
    unsigned type, dfmt, nfmt, layout;
    unsigned width, height, depth; /* of arrays: slices */
    unsigned pitch;                /* 0: the width */
    unsigned base_level, last_level, levels, base_slice;
    uint8_t select[4];
    unsigned border_order;
} t_sharp_t;

typedef struct {
    unsigned clamp[3], unnormalized, truncate, no_cube_wrap, reduction;
    unsigned min_lod, max_lod, bias, mag, min, z, mip, border;
} s_sharp_t;

static inline void set_t(rig_t *r, const t_sharp_t *t)
{
    uint32_t *w = &r->wave.sgpr[SRSRC];
    memset(w, 0, 32);
    const uint8_t plain[4] = {SEL_X, SEL_Y, SEL_Z, SEL_W};
    const uint8_t *select = t->select[0] | t->select[1] | t->select[3] ? t->select : plain;
    w[0] = (uint32_t)(IMAGE_VA >> 8);
    w[1] = (uint32_t)(IMAGE_VA >> 40) | t->dfmt << 20 | t->nfmt << 26;
    w[2] = (t->width - 1) | ((t->height ? t->height : 1) - 1) << 14;
    for (unsigned c = 0; c < 4; c++)
        w[3] |= (uint32_t)select[c] << 3 * c;
    w[3] |= t->base_level << 12 | t->last_level << 16 | t->layout << 20 | t->type << 28;
    w[4] = ((t->depth ? t->depth : 1) - 1) | ((t->pitch ? t->pitch : t->width) - 1) << 13 |
           t->border_order << 29;
    w[5] = t->base_slice | ((t->levels ? t->levels : 1) - 1) << 28;
}

static inline void set_s(rig_t *r, const s_sharp_t *s)
{
    uint32_t *w = &r->wave.sgpr[SSAMP];
    w[0] = s->clamp[0] | s->clamp[1] << 3 | s->clamp[2] << 6 | s->unnormalized << 15 |
           s->truncate << 27 | s->no_cube_wrap << 28 | s->reduction << 29;
    w[1] = s->min_lod | (s->max_lod ? s->max_lod : 0xfff) << 12;
    w[2] = s->bias | s->mag << 20 | s->min << 22 | s->z << 24 | s->mip << 26;
    w[3] = s->border << 30;
}

typedef struct {
    rig_t *r;
    uint8_t *memory; /* IMAGE_BYTES */
} image_rig_t;

static inline image_rig_t image_rig(const char *core)
{
    image_rig_t g = {rig_create(core), NULL};
    if (!g.r) return g;
    g.memory = aligned_alloc(65536, IMAGE_BYTES);
    memset(g.memory, 0, IMAGE_BYTES);
    assert_int_equal(sg_memory_map(g.r->memory, IMAGE_VA, IMAGE_BYTES, g.memory, SG_MEM_WRITABLE),
                     0);
    rig_fill(g.r);
    rig_load(g.r);
    g.r->wave.exec = UINT64_MAX;
    g.r->wave.page =
        calloc(1, sizeof(isa_page_t)); /* an instruction that stops it has an address */
    return g;
}

static inline void image_rig_free(image_rig_t *g)
{
    free(g->r->wave.page);
    rig_destroy(g->r);
    free(g->memory);
}

static inline void image_run(image_rig_t *g, const char *text)
{
    static rig_program_t known[128];
    unsigned k = 0;
    while (known[k].n && strcmp(known[k].line[0], text))
        k++;
    assert_true(k < 127);
    if (!known[k].n) {
        rig_add(&known[k], "%s", text);
        rig_assemble(&known[k]);
    }
    rig_met[known[k].inst[0].op] = true;
    rig_run(g->r, &known[k].inst[0], text);
}

/* The instruction must not have stopped the wave. */
static inline void image_do(image_rig_t *g, const char *text)
{
    image_run(g, text);
    if (g->r->wave.stop)
        fail_msg("%s: stopped for %u at 0x%llx: %s", text, g->r->wave.stop,
                 (unsigned long long)g->r->wave.fault_addr, g->r->wave.message);
}

static inline uint32_t *image_row(image_rig_t *g, unsigned n)
{
    return g->r->rows[n];
}

static inline void on_every_core(void (*check)(image_rig_t *g))
{
    for (unsigned c = 0; c < RIG_CORES; c++) {
        image_rig_t g = image_rig(rig_cores[c]);
        if (!g.r) continue;
        check(&g);
        image_rig_free(&g);
    }
}

#endif
