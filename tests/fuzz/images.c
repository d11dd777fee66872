/* images.c - fuzz target: image instructions with any descriptor, sampler and address, and rays
 * with any trees and nodes.
 *
 * The first byte chooses the GPU, the next 20 are the instruction's words, whose encoding is set to
 * that of an image's; the rest fills scalar and vector registers, again and again. The instruction
 * is described or refused, no VGPR beside the wave's is read, which are on the heap, and the texels
 * are those of lanes that take part, none in front of the image. */
#include "isa/isa.h"
#include "softgpu/exec/bvh.h"
#include "softgpu/exec/image.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { WORDS = 5, HEAD = 1 + 4 * WORDS, MIMG = 0x3c, SCALARS = 128 };

static const uint8_t gpus[] = {ISA_ARCH_gfx90a, ISA_ARCH_gfx1030, ISA_ARCH_gfx1100,
                               ISA_ARCH_gfx1201};
enum { GPUS = sizeof gpus / sizeof *gpus };

/* Copies what stands behind the head, from byte `from` of it on, again and again. */
static void fill(void *to, size_t bytes, const uint8_t *data, size_t size, size_t from)
{
    uint8_t *p = to;
    memset(to, 0, bytes);
    for (size_t k = 0; k < bytes && size > HEAD;) {
        const size_t at = (from + k) % (size - HEAD), left = size - HEAD - at;
        const size_t n = left < bytes - k ? left : bytes - k;
        memcpy(p + k, data + HEAD + at, n);
        k += n;
    }
}

/* Each texel of a lane is in memory or is the border, and only lanes with an image have some.
 * Blocks have up to 256 KiB, and the address is mixed with the offset in one. */
static void check_access(const isa_wave_t *w, const isa_image_access_t *x)
{
    if (x->n > ISA_TEXELS_MAX) abort();
    for (unsigned k = 0; k < x->n; k++) {
        const isa_texels_t *t = &x->texel[k];
        if ((t->lanes | t->border) & ~w->exec || t->lanes & t->border) abort();
        if (x->image.type == ISA_IMAGE_NONE && t->lanes) abort();
        for (uint64_t left = t->lanes; left; left &= left - 1)
            if (t->va[__builtin_ctzll(left)] < x->image.field[ISA_T_BASE] << 8 >> 18 << 18) abort();
    }
}

/* Rays: nodes are those of lanes that take part, and any words are nodes. */
static void use_rays(const isa_wave_t *w, const isa_inst_t *i)
{
    static isa_bvh_access_t x;
    uint32_t result[ISA_BVH_RESULTS], nodes[ISA_BVH_NODES][ISA_BVH_DWORDS];
    if (isa_bvh_access(w, i, &x)) return;
    memcpy(nodes, w->sgpr, sizeof nodes / 2);
    memcpy(nodes[1], w->sgpr, sizeof nodes / 2);
    for (unsigned n = 0; n < x.n; n++)
        if ((x.node[n].lanes[0] | x.node[n].lanes[1]) & ~w->exec) abort();
    for (uint64_t left = w->exec; left; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctzll(left);
        isa_ray_t ray;
        isa_bvh_ray(w, i, l, &ray);
        isa_bvh_test(&x, l, (const uint32_t(*)[ISA_BVH_DWORDS])nodes, &ray, result);
    }
}

static void use(isa_wave_t *w, const isa_inst_t *i)
{
    static isa_image_access_t x;
    float clamped[ISA_ROW], raw[ISA_ROW];
    uint32_t numbers[4];
    const uint32_t marks = isa_table[i->op].marks;
    if (isa_tests_rays(&isa_table[i->op])) {
        use_rays(w, i);
        isa_image_address_dwords(w, i);
        return;
    }
    if (!isa_image_access(w, i, &x)) check_access(w, &x);
    isa_image_address_dwords(w, i);
    if (marks & ISA_IS_SIZE) isa_image_size(w, i, 0, numbers);
    if (marks & ISA_IS_LOD) isa_image_lod(w, i, clamped, raw);
    if (isa_table[i->op].klass == ISA_CLASS_VMEM_WR &&
        !isa_image_decode(w->group->dispatch->arch, &w->sgpr[i->src[2].reg], &x.image))
        isa_image_element(w, i, &x.image, 0, numbers);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static isa_dispatch_t dispatch;
    static isa_group_t group;
    static isa_wave_t w;
    isa_inst_t i = {.op = 0};
    uint32_t words[WORDS];
    char text[512];
    if (size < HEAD) return 0;
    const isa_arch_t *arch = &isa_archs[gpus[data[0] % GPUS]];
    const isa_formats_t *formats = arch->formats;
    memcpy(words, data + 1, sizeof words);
    const uint32_t top = !formats->vimage ? MIMG
                         : data[0] & 128  ? formats->vsample
                                          : formats->vimage;
    words[0] = (words[0] & 0x03ffffff) | top << 26;
    if (isa_decode(arch, words, WORDS, &i) <= 0) return 0;
    isa_disassemble(arch, &i, text, sizeof text);
    isa_row_t *rows = aligned_alloc(64, sizeof(isa_row_t) * ISA_VGPR_ROWS);
    if (!rows) abort();
    fill(rows, sizeof(isa_row_t) * ISA_VGPR_ROWS, data, size, 4 * SCALARS);
    dispatch.arch = arch;
    group.dispatch = &dispatch;
    w = (isa_wave_t){.group = &group, .vgpr = rows, .exec = UINT64_C(0x8000000100000001)};
    fill(w.sgpr, 4 * SCALARS, data, size, 0);
    use(&w, &i);
    free(rows);
    return 0;
}
