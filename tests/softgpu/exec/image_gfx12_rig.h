/* image_gfx12_rig.h - a bench for image instructions of gfx12.
 *
 * Included by the mem_image_gfx12*.c programs. llvm-mc 15 does not know gfx12: words are recorded,
 * and our disassembler has to give their text back. Descriptors are put together here once more
 * from their fields' places. Every core is tested, with waves of 64 and of 32 lanes. */
#ifndef TESTS_ISA_IMAGE_GFX12_RIG_H
#define TESTS_ISA_IMAGE_GFX12_RIG_H

#include "mem_rig.h"

#include "softgpu/exec/code.h"
#include "softgpu/exec/image.h"

#include <math.h>

enum { IMG_1D = 8, IMG_2D, IMG_3D, IMG_CUBE, IMG_1D_ARRAY, IMG_2D_ARRAY };
enum { SEL_0, SEL_1, SEL_X = 4, SEL_Y, SEL_Z, SEL_W };
enum { UNORM_8 = 1, UINT_8 = 5, SINT_8 = 6, UINT_32 = 20, FLOAT_32 = 22, UNORM_8_8_8_8 = 42 };
enum { UINT_32_32 = 48, UINT_32_32_32_32 = 61, SRGB_8_8_8_8 = 66, UNORM_5_6_5 = 68 };
enum { EDGE = 2, VADDR = 4, VDATA = 20, SRSRC = 16, SSAMP = 24, IMAGE_BYTES = 8 << 20 };
#define IMAGE_VA    UINT64_C(0x7e0000000000)
#define LEFT_AND_UP (0x3f | 0x3e << 8) /* -1 and -2, six bits each */

static const unsigned sizes[5] = {5, 11, 20, 48, 61}; /* of integers with 1 to 16 bytes */

typedef struct {
    const char *text;
    uint32_t words[3];
} text_t;
static const text_t texts[] = {
#define TEXTS
#include "mem_image_gfx12.inc"
#undef TEXTS
};

typedef struct {
    unsigned type, format, layout, width, height, depth, pitch, base_slice, most_level, last_level,
        base_level;
    uint8_t select[4];
} t_sharp_t;

static uint8_t *memory; /* IMAGE_BYTES */

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

static inline unsigned lanes(const rig_t *r)
{
    return r->dispatch.narrow ? 32 : 64;
}

static inline void set_t(rig_t *r, const t_sharp_t *t)
{
    static const uint8_t plain[4] = {SEL_X, SEL_Y, SEL_Z, SEL_W};
    const uint8_t *select = t->select[0] | t->select[3] ? t->select : plain;
    const unsigned width = t->width - 1, height = t->height ? t->height - 1 : 0;
    uint32_t *w = &r->wave.sgpr[SRSRC];
    memset(w, 0, 32);
    w[0] = (uint32_t)(IMAGE_VA >> 8);
    w[1] = (uint32_t)(IMAGE_VA >> 40) | t->most_level << 12 | t->format << 17 |
           t->base_level << 25 | (width & 3) << 30;
    w[2] = width >> 2 | height << 14;
    for (unsigned c = 0; c < 4; c++)
        w[3] |= (uint32_t)select[c] << 3 * c;
    w[3] |= t->last_level << 15 | t->layout << 20 | t->type << 28;
    w[4] = (t->type >= IMG_3D ? t->depth - 1 : t->pitch ? t->pitch - 1 : 0) | t->base_slice << 16;
}

/* mag, min: 0 nearest, 1 linear. Coordinates count texels. */
static inline void set_s(rig_t *r, unsigned clamp, unsigned mag, unsigned min, unsigned compare)
{
    uint32_t *w = &r->wave.sgpr[SSAMP];
    w[0] = clamp | clamp << 3 | clamp << 6 | compare << 12 | 1u << 15;
    w[1] = 0xfff << 13; /* MAX_LOD */
    w[2] = mag << 20 | min << 22;
    w[3] = 0;
}

static inline uint32_t *row(rig_t *r, unsigned n)
{
    return r->rows[n];
}

static inline void all_lanes(rig_t *r, unsigned reg, uint32_t value)
{
    for (unsigned l = 0; l < 64; l++)
        row(r, reg)[l] = value;
}

/* ---- instructions ---- */

static inline void try_words(rig_t *r, const char *text, const uint32_t words[3])
{
    char ours[160];
    isa_inst_t inst = {.op = 0};
    if (isa_decode_lanes(r->dispatch.arch, lanes(r), words, 3, &inst) != 3)
        fail_msg("%s is no instruction", text);
    isa_disassemble(r->dispatch.arch, &inst, ours, sizeof ours);
    assert_string_equal(ours, text);
    rig_run(r, &inst, text);
    rig_met[inst.op] |= !r->wave.stop;
}

static inline void run_words(rig_t *r, const char *text, const uint32_t words[3])
{
    try_words(r, text, words);
    if (r->wave.stop) fail_msg("%s: stopped for %u: %s", text, r->wave.stop, r->wave.message);
}

static const text_t *named(const char *text)
{
    for (unsigned k = 0; k < sizeof texts / sizeof *texts; k++)
        if (!strcmp(texts[k].text, text)) return &texts[k];
    fail_msg("no words of %s", text);
    return NULL;
}

static inline void run(rig_t *r, const char *text)
{
    run_words(r, text, named(text)->words);
}

static inline void refused(rig_t *r, const char *text, const char *why)
{
    try_words(r, text, named(text)->words);
    assert_int_not_equal(r->wave.stop, 0);
    if (!strstr(r->wave.message, why))
        fail_msg("%s: \"%s\" lacks \"%s\"", text, r->wave.message, why);
}

static inline void on_core(rig_t *r, void (*check)(rig_t *r))
{
    memory = aligned_alloc(65536, IMAGE_BYTES);
    memset(memory, 0, IMAGE_BYTES);
    assert_int_equal(sg_memory_map(r->memory, IMAGE_VA, IMAGE_BYTES, memory, SG_MEM_WRITABLE), 0);
    r->wave.page = calloc(1, sizeof(isa_page_t));
    r->wave.exec = UINT64_MAX >> (64 - lanes(r));
    r->dispatch.arch = isa_arch_named("gfx1201");
    check(r);
    free(r->wave.page);
    free(memory);
}

static inline void everywhere(void (*check)(rig_t *r))
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

/* Texel (x, y, z) of 32 bits is x + 16 * y + 256 * z. Rows of 16 dwords begin at multiples of 128
 * bytes, but a slice of more than one has room for rows at multiples of 256. */
enum { WIDE = 16, HIGH = 16, DEEP = 4, ROW_DWORDS = 32, SLICE_DWORDS = 64 * HIGH, CELLS = 6 };

static inline void fill_texels(rig_t *r, bool floats)
{
    uint32_t *to = (uint32_t *)(void *)memory;
    (void)r;
    for (uint32_t z = 0; z < CELLS; z++)
        for (uint32_t y = 0; y < HIGH; y++)
            for (uint32_t x = 0; x < WIDE; x++) {
                const uint32_t n = x + 16 * y + 256 * z;
                to[x + ROW_DWORDS * y + SLICE_DWORDS * z] = floats ? f((float)n) : n;
            }
}

static inline t_sharp_t filled(unsigned type, unsigned format)
{
    const bool line = type == IMG_1D || type == IMG_1D_ARRAY;
    return (t_sharp_t){.type = type,
                       .format = format,
                       .width = WIDE,
                       .height = line ? 1 : HIGH,
                       .depth = type == IMG_CUBE ? CELLS : DEEP,
                       .select = {SEL_X, SEL_0, SEL_0, SEL_1}};
}

static inline void use(rig_t *r, unsigned type, unsigned format)
{
    const t_sharp_t t = filled(type, format);
    set_t(r, &t);
}

static inline void floats_of(rig_t *r, unsigned type)
{
    fill_texels(r, true);
    use(r, type, FLOAT_32);
}

static inline void expect(rig_t *r, const char *what, unsigned reg, uint32_t (*want)(unsigned l))
{
    for (unsigned l = 0; l < lanes(r); l++)
        if (row(r, reg)[l] != want(l))
            fail_msg("%s: v%u of lane %u is 0x%x, not 0x%x", what, reg, l, row(r, reg)[l], want(l));
}

static inline uint32_t want_zero(unsigned l)
{
    (void)l;
    return 0;
}

/* After the tests of a program: every image instruction that takes a sampler was run, or every one
 * that does not, but for the two that are not executed. */
static inline void all_were_run(bool samples, unsigned number)
{
    const isa_arch_t *arch = isa_arch_named("gfx1201");
    unsigned seen = 0;
    for (unsigned code = 0; code < ISA_OPCODES; code++) {
        const unsigned op = isa_op_by_code(arch, ISA_FMT_MIMG, code);
        if (op == ISA_OP_NONE || isa_is_sample(&isa_table[op]) != samples) continue;
        if (isa_tests_rays(&isa_table[op])) continue; /* mem_rays*.c */
        const char *name = isa_table[op].mnemonic;
        const bool is_run = strcmp(name, "image_msaa_load") && strcmp(name, "image_gather4h");
        if (rig_met[op] != is_run) fail_msg("%s", name);
        seen += is_run;
    }
    assert_int_equal(seen, number);
}

#endif
