/* mem_image_sample.c - samples: filters, address modes, borders, levels of detail, cubes.
 *
 * References are written here from the definitions: a filter that walks texels one by one, borders
 * and repetitions by counting. All cores run everything. */
#include "image_rig.h"

#include "isa/isa.h"

/* ---- samples ---- */

enum { WRAP, MIRROR, EDGE, ONCE_EDGE, HALF_BORDER, ONCE_HALF_BORDER, BORDER, ONCE_BORDER };

/* The texel that stands at `at`, -1 for the border: as one counts them on paper. */
static int texel_at(unsigned mode, int at, int n)
{
    if ((mode == ONCE_EDGE || mode == ONCE_HALF_BORDER || mode == ONCE_BORDER) && at < 0)
        at = -at - 1;
    switch (mode) {
    case WRAP:
        while (at < 0)
            at += n;
        return at % n;
    case MIRROR:
        for (;;) {
            if (at < 0)
                at = -at - 1;
            else if (at >= n)
                at = 2 * n - 1 - at;
            else
                return at;
        }
    case EDGE:
    case ONCE_EDGE: return at < 0 ? 0 : at >= n ? n - 1 : at;
    default: return at < 0 || at >= n ? -1 : at;
    }
}

/* Where a filter of two texels, or of one, is; `c` in 256ths of a texel. */
static unsigned filter_at(unsigned mode, int c, int n, bool linear, int at[2], double weight[2])
{
    if (mode == ONCE_HALF_BORDER && c < 0) c = -c;
    if (mode == HALF_BORDER || mode == ONCE_HALF_BORDER) {
        const int last = linear ? 256 * n : 256 * n - 1;
        c = c < 0 ? 0 : c > last ? last : c;
    }
    if (linear) c -= 128;
    const int first = (int)floor(c / 256.0);
    const double rest = linear ? c / 256.0 - first : 0;
    at[0] = texel_at(mode, first, n);
    at[1] = texel_at(mode, first + 1, n);
    weight[0] = 1 - rest;
    weight[1] = rest;
    return rest > 0 ? 2 : 1;
}

typedef struct {
    unsigned type, axes;
    const char *text;
} sampled_t;

static const sampled_t sampled[] = {
    {IMG_1D, 1, "image_sample v[12:15], v4, s[16:23], s[24:27] dmask:0xf"},
    {IMG_2D, 2, "image_sample v[12:15], v[4:5], s[16:23], s[24:27] dmask:0xf"},
    {IMG_3D, 3, "image_sample v[12:15], v[4:6], s[16:23], s[24:27] dmask:0xf"},
    {IMG_1D_ARRAY, 1, "image_sample v[12:15], v[4:5], s[16:23], s[24:27] dmask:0xf da"},
    {IMG_2D_ARRAY, 2, "image_sample v[12:15], v[4:6], s[16:23], s[24:27] dmask:0xf da"},
};

enum { SIZE_X = 8, SIZE_Y = 4, SIZE_Z = 2, SLICES = 3, ROW = 64 };

static float texel_value(const sampled_t *s, const int at[3], unsigned slice, unsigned border)
{
    float v = 1;
    for (unsigned k = 0; k < s->axes; k++)
        if (at[k] < 0) return border == 2 ? 1 : 0;
    v += (float)at[0] + (s->axes > 1 ? 10 * (float)at[1] : 0) +
         (s->axes > 2 ? 100 * (float)at[2] : 0);
    return v + 1000 * (float)slice;
}

static void fill_texels(image_rig_t *g, const sampled_t *s)
{
    float *to = (float *)(void *)g->memory;
    const unsigned rows = s->axes > 1 ? SIZE_Y : 1;
    for (unsigned z = 0; z < SLICES; z++)
        for (unsigned y = 0; y < rows; y++)
            for (unsigned x = 0; x < SIZE_X; x++) {
                const int at[3] = {(int)x, (int)y, (int)z};
                to[x + ROW * (y + rows * z)] = texel_value(s, at, s->axes > 2 ? 0 : z, 0);
            }
}

static double reference(const sampled_t *s, const int c[3], unsigned mode, bool linear,
                        bool linear_z, unsigned slice, unsigned border)
{
    static const int size[3] = {SIZE_X, SIZE_Y, SIZE_Z};
    int at[3][2] = {{0}};
    double weight[3][2] = {{1, 0}, {1, 0}, {1, 0}}, sum = 0;
    unsigned n[3] = {1, 1, 1};
    for (unsigned k = 0; k < s->axes; k++)
        n[k] = filter_at(mode, c[k], size[k], k == 2 ? linear_z : linear, at[k], weight[k]);
    for (unsigned z = 0; z < n[2]; z++)
        for (unsigned y = 0; y < n[1]; y++)
            for (unsigned x = 0; x < n[0]; x++)
                sum += weight[0][x] * weight[1][y] * weight[2][z] *
                       texel_value(s, (int[3]){at[0][x], at[1][y], at[2][z]}, slice, border);
    return sum;
}

static void sample_mode(image_rig_t *g, const sampled_t *s, unsigned mode, unsigned filter,
                        bool normalized)
{
    static const int size[3] = {SIZE_X, SIZE_Y, SIZE_Z};
    const bool linear = filter & 1, z_other = filter & 2;
    const bool linear_z = z_other ? !linear : linear;
    const unsigned border = rig_random(g->r) % 3;
    const bool arrays = s->type >= IMG_1D_ARRAY;
    int c[64][3];
    unsigned slice[64];
    set_t(g->r, &(t_sharp_t){.type = s->type,
                             .dfmt = 4,
                             .nfmt = FLOAT,
                             .width = SIZE_X,
                             .height = s->axes > 1 ? SIZE_Y : 1,
                             .depth = arrays ? SLICES : SIZE_Z,
                             .pitch = ROW,
                             .select = X001});
    set_s(g->r, &(s_sharp_t){.clamp = {mode, mode, mode},
                             .unnormalized = !normalized,
                             .mag = linear,
                             .min = linear,
                             .z = z_other ? (linear_z ? 2 : 1) : 0,
                             .border = border});
    for (unsigned l = 0; l < 64; l++) {
        for (unsigned k = 0; k < s->axes; k++) {
            c[l][k] = (int)(rig_random(g->r) % (unsigned)(256 * 5 * size[k])) - 256 * 2 * size[k];
            if (rig_random(g->r) & 1) c[l][k] = c[l][k] / 256 * 256 + 128; /* the middle */
            image_row(g, VADDR + k)[l] =
                f((float)c[l][k] / 256 / (normalized ? (float)size[k] : 1));
        }
        slice[l] = 0;
        if (!arrays) continue;
        const int asked = (int)(rig_random(g->r) % 5) - 1;
        slice[l] = asked < 0 ? 0 : asked > SLICES - 1 ? SLICES - 1 : (unsigned)asked;
        image_row(g, VADDR + s->axes)[l] = f((float)asked + 0.25f);
    }
    image_do(g, s->text);
    for (unsigned l = 0; l < 64; l++) {
        const double want = reference(s, c[l], mode, linear, linear_z, slice[l], border);
        const double have = as_float(image_row(g, VDATA)[l]);
        if (fabs(want - have) > 1e-6 * (1 + fabs(want)))
            fail_msg("type %u, mode %u, filter %u, %s, border %u, %d %d %d of 256: %g, not %g",
                     s->type, mode, filter, normalized ? "normalized" : "texels", border, c[l][0],
                     c[l][1], c[l][2], have, want);
        assert_int_equal(image_row(g, VDATA + 1)[l], 0);
        assert_int_equal(image_row(g, VDATA + 3)[l], f(1));
    }
}

static void sample_everything(image_rig_t *g)
{
    for (unsigned k = 0; k < sizeof sampled / sizeof *sampled; k++) {
        fill_texels(g, &sampled[k]);
        for (unsigned mode = 0; mode < 8; mode++)
            for (unsigned filter = 0; filter < (sampled[k].axes == 3 ? 4 : 2); filter++)
                for (unsigned normalized = 0; normalized < 2; normalized++)
                    sample_mode(g, &sampled[k], mode, filter, normalized);
    }
}

static void samples_follow_filters_and_address_modes(void **state)
{
    (void)state;
    on_every_core(sample_everything);
}

static float sample_once(image_rig_t *g, float x, float y)
{
    for (unsigned l = 0; l < 64; l++) {
        image_row(g, VADDR)[l] = f(x);
        image_row(g, VADDR + 1)[l] = f(y);
    }
    image_do(g, sampled[1].text);
    return as_float(image_row(g, VDATA)[33]);
}

static void use_rounding(image_rig_t *g)
{
    t_sharp_t t = {.type = IMG_2D,
                   .dfmt = 4,
                   .nfmt = FLOAT,
                   .width = SIZE_X,
                   .height = SIZE_Y,
                   .pitch = ROW,
                   .select = X001};
    fill_texels(g, &sampled[1]);
    set_t(g->r, &t);
    /* coordinates have eight bits behind the point: what is less below a texel is in it */
    set_s(g->r, &(s_sharp_t){.clamp = {EDGE, EDGE, EDGE}, .unnormalized = 1});
    assert_true(sample_once(g, 2.999f, 0.5f) == 4);
    assert_true(sample_once(g, 2.99f, 0.5f) == 3);
    set_s(g->r, &(s_sharp_t){.clamp = {EDGE, EDGE, EDGE}, .unnormalized = 1, .truncate = 1});
    assert_true(sample_once(g, 2.999f, 0.5f) == 3);
    /* numbers without a place */
    assert_true(sample_once(g, NAN, NAN) == 1);
    assert_true(sample_once(g, INFINITY, -INFINITY) == 8);
    assert_true(sample_once(g, -1e30f, 1e30f) == 31);
    /* the largest and the smallest of what a filter would take */
    set_s(g->r,
          &(s_sharp_t){
              .clamp = {EDGE, EDGE, EDGE}, .unnormalized = 1, .mag = 1, .min = 1, .reduction = 1});
    assert_true(sample_once(g, 2.25f, 1.75f) == 12);
    set_s(g->r,
          &(s_sharp_t){
              .clamp = {EDGE, EDGE, EDGE}, .unnormalized = 1, .mag = 1, .min = 1, .reduction = 2});
    assert_true(sample_once(g, 2.25f, 1.75f) == 23);
    /* integers are not filtered */
    t.nfmt = UINT;
    set_t(g->r, &t);
    set_s(g->r, &(s_sharp_t){.clamp = {EDGE, EDGE, EDGE}, .unnormalized = 1, .mag = 1, .min = 1});
    assert_true(sample_once(g, 2.25f, 1.75f) == 13);
    /* each axis has its own address mode */
    t.nfmt = FLOAT;
    set_t(g->r, &t);
    set_s(g->r, &(s_sharp_t){.clamp = {EDGE, WRAP, EDGE}, .unnormalized = 1});
    assert_true(sample_once(g, 9.5f, 5.5f) == 18);
    set_s(g->r, &(s_sharp_t){.clamp = {WRAP, MIRROR, EDGE}, .unnormalized = 1});
    assert_true(sample_once(g, 9.5f, 5.5f) == 22);
    /* UNORM of the instruction: coordinates in texels */
    sample_once(g, 2.25f, 1.75f);
    t.nfmt = FLOAT;
    set_t(g->r, &t);
    set_s(g->r, &(s_sharp_t){.clamp = {EDGE, EDGE, EDGE}});
    image_do(g, "image_sample v[12:15], v[4:5], s[16:23], s[24:27] dmask:0xf unorm");
    assert_true(as_float(image_row(g, VDATA)[5]) == 13);
    const s_sharp_t wrong[] = {{.mag = 2, .min = 2}, {.border = 3}, {.reduction = 3}};
    for (unsigned k = 0; k < 3; k++) {
        set_s(g->r, &wrong[k]);
        image_run(g, sampled[1].text);
        assert_int_equal(g->r->wave.stop, ISA_STOP_UNSUPPORTED);
    }
}

static void coordinates_have_eight_bits_behind_the_point(void **state)
{
    (void)state;
    on_every_core(use_rounding);
}

/* Borders are told in the colours' order, and elements have another. */
static void use_borders(image_rig_t *g)
{
    static const struct {
        uint8_t select[4];
        unsigned order;
    } orders[] = {{{SEL_X, SEL_Y, SEL_Z, SEL_W}, 0},
                  {{SEL_Z, SEL_Y, SEL_X, SEL_W}, 4},
                  {{SEL_Y, SEL_Z, SEL_W, SEL_X}, 3},
                  {{SEL_W, SEL_Z, SEL_Y, SEL_X}, 2}};
    static const float colours[3][4] = {{0, 0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1, 1}};
    for (unsigned k = 0; k < 4; k++)
        for (unsigned border = 0; border < 3; border++)
            for (unsigned integer = 0; integer < 2; integer++) {
                t_sharp_t t = {.type = IMG_2D,
                               .dfmt = 10,
                               .nfmt = integer ? UINT : UNORM,
                               .width = 4,
                               .height = 4,
                               .pitch = 64,
                               .border_order = orders[k].order};
                memcpy(t.select, orders[k].select, 4);
                set_t(g->r, &t);
                set_s(g->r, &(s_sharp_t){.clamp = {BORDER, BORDER, BORDER},
                                         .unnormalized = 1,
                                         .border = border});
                sample_once(g, -1, 0);
                for (unsigned c = 0; c < 4; c++)
                    assert_int_equal(image_row(g, VDATA + c)[0], integer
                                                                     ? (uint32_t)colours[border][c]
                                                                     : f(colours[border][c]));
            }
}

static void borders_have_their_colours(void **state)
{
    (void)state;
    on_every_core(use_borders);
}

/* ---- levels of samples ---- */

/* Level k of 16 x 16 texels holds k everywhere. */
static void use_lod(image_rig_t *g)
{
    static const unsigned first_row[] = {0, 16, 24, 28, 30};
    t_sharp_t t = {.type = IMG_2D,
                   .dfmt = 4,
                   .nfmt = FLOAT,
                   .width = 16,
                   .height = 16,
                   .levels = 5,
                   .last_level = 4,
                   .select = X001};
    float *to = (float *)(void *)g->memory;
    for (unsigned level = 0; level < 5; level++)
        for (unsigned k = 0; k < 64 * (16u >> level); k++)
            to[64 * first_row[level] + k] = (float)level;
    set_t(g->r, &t);
    for (unsigned l = 0; l < 64; l++) { /* quads with 1, 2, 4 ... texels between lanes */
        const float step = ldexpf(1 / 16.0f, (int)(l / 8) - 1);
        image_row(g, VADDR)[l] = f(0.5f + (l & 1 ? step : 0));
        image_row(g, VADDR + 1)[l] = f(0.5f + (l & 2 ? step / 2 : 0));
    }
    set_s(g->r, &(s_sharp_t){.mip = 0});
    image_do(g, sampled[1].text);
    for (unsigned l = 0; l < 64; l++)
        assert_true(as_float(image_row(g, VDATA)[l]) == 0);
    set_s(g->r, &(s_sharp_t){.mip = 1});
    image_do(g, sampled[1].text);
    for (unsigned l = 0; l < 64; l++) {
        const int want = (int)(l / 8) - 1;
        assert_true(as_float(image_row(g, VDATA)[l]) == (float)(want < 0   ? 0
                                                                : want > 4 ? 4
                                                                           : want));
    }
    /* half a level more, and no more than 2.25 */
    set_s(g->r, &(s_sharp_t){.mip = 2, .bias = 128, .max_lod = 576});
    image_do(g, sampled[1].text);
    for (unsigned l = 0; l < 64; l++) {
        const float want = (float)(l / 8) - 0.5f;
        assert_true(as_float(image_row(g, VDATA)[l]) == (want < 0       ? 0
                                                         : want > 2.25f ? 2.25f
                                                                        : want));
    }
    /* a view of levels 1 to 3 */
    t.base_level = 1, t.last_level = 3;
    set_t(g->r, &t);
    set_s(g->r, &(s_sharp_t){.mip = 1});
    image_do(g, sampled[1].text);
    assert_true(as_float(image_row(g, VDATA)[0]) == 1);
    assert_true(as_float(image_row(g, VDATA)[63]) == 3);
    set_s(g->r, &(s_sharp_t){.mip = 0});
    image_do(g, sampled[1].text);
    assert_true(as_float(image_row(g, VDATA)[63]) == 1);
    /* the filters for near and far differ */
    t = (t_sharp_t){.type = IMG_2D,
                    .dfmt = 4,
                    .nfmt = FLOAT,
                    .width = SIZE_X,
                    .height = SIZE_Y,
                    .pitch = ROW,
                    .select = X001};
    fill_texels(g, &sampled[1]);
    set_t(g->r, &t);
    set_s(g->r, &(s_sharp_t){.clamp = {EDGE, EDGE, EDGE}, .unnormalized = 1, .mag = 1, .min = 0});
    for (unsigned l = 0; l < 64; l++) {
        image_row(g, VADDR)[l] = f(2.25f + (l & 1 ? l < 32 ? 0.5f : 4 : 0));
        image_row(g, VADDR + 1)[l] = f(0.5f);
    }
    image_do(g, sampled[1].text);
    assert_true(as_float(image_row(g, VDATA)[0]) == 2.75f);
    assert_true(as_float(image_row(g, VDATA)[32]) == 3);
}

static void samples_choose_levels_by_quads(void **state)
{
    (void)state;
    on_every_core(use_lod);
}

/* Instructions of GPUs that can say the level: words of llvm-mc -mcpu=gfx908. */
static void run_gfx908(image_rig_t *g, uint32_t word, const char *text)
{
    const uint32_t words[] = {word, 0x00c40c04};
    const isa_arch_t *arch = isa_arch_named("gfx908");
    isa_inst_t i = {.op = 0};
    char ours[96];
    assert_int_equal(isa_decode(arch, words, 2, &i), 2);
    isa_disassemble(arch, &i, ours, sizeof ours);
    assert_string_equal(ours, text);
    rig_run(g->r, &i, text);
    assert_int_equal(g->r->wave.stop, ISA_RUN);
}

/* The image of use_lod(): the level is in the third dword of the address, or it is 0. */
static void use_level(image_rig_t *g)
{
    static const char with[] = "image_sample_l v[12:15], v4, s[16:23], s[24:27] dmask:0xf";
    static const char zero[] = "image_sample_lz v[12:15], v4, s[16:23], s[24:27] dmask:0xf";
    use_lod(g);
    float *to = (float *)(void *)g->memory;
    static const unsigned first_row[] = {0, 16, 24, 28, 30};
    for (unsigned level = 0; level < 5; level++)
        for (unsigned k = 0; k < 64 * (16u >> level); k++)
            to[64 * first_row[level] + k] = (float)level;
    set_t(g->r, &(t_sharp_t){.type = IMG_2D,
                             .dfmt = 4,
                             .nfmt = FLOAT,
                             .width = 16,
                             .height = 16,
                             .levels = 5,
                             .last_level = 4,
                             .select = X001});
    for (unsigned l = 0; l < 64; l++) {
        image_row(g, VADDR)[l] = f(0.5f + (float)(l & 3)); /* far apart, which does not count */
        image_row(g, VADDR + 1)[l] = f(0.5f);
        image_row(g, VADDR + 2)[l] = f((float)l / 16 - 1);
    }
    set_s(g->r, &(s_sharp_t){.mip = 2, .bias = 128, .max_lod = 576});
    run_gfx908(g, 0xf0900f00, with);
    for (unsigned l = 0; l < 64; l++) {
        const float want = (float)l / 16 - 1;
        assert_true(as_float(image_row(g, VDATA)[l]) == (want < 0       ? 0
                                                         : want > 2.25f ? 2.25f
                                                                        : want));
    }
    run_gfx908(g, 0xf09c0f00, zero);
    for (unsigned l = 0; l < 64; l++)
        assert_true(as_float(image_row(g, VDATA)[l]) == 0);
}

static void samples_take_the_level_that_they_are_told(void **state)
{
    (void)state;
    on_every_core(use_level);
}

/* ---- cubes ---- */

/* A cube whose texels hold a function of their direction that is smooth all over it. */
static double of_direction(double x, double y, double z)
{
    const double n = sqrt(x * x + y * y + z * z);
    return 2 + x / n + 0.5 * y / n + 0.25 * z / n;
}

static void direction(unsigned face, double s, double t, double d[3])
{
    const double a = 2 * s - 1, b = 2 * t - 1;
    const double all[6][3] = {{1, -b, -a}, {-1, -b, a}, {a, 1, b},
                              {a, -1, -b}, {a, -b, 1},  {-a, -b, -1}};
    memcpy(d, all[face], sizeof all[face]);
}

static void use_cube(image_rig_t *g)
{
    enum { N = 64 };
    double d[3];
    const char *text = "image_sample v[12:15], v[4:6], s[16:23], s[24:27] dmask:0xf da";
    float *to = (float *)(void *)g->memory;
    for (unsigned slice = 0; slice < 12; slice++)
        for (unsigned y = 0; y < N; y++)
            for (unsigned x = 0; x < N; x++) {
                direction(slice % 6, (x + 0.5) / (double)N, (y + 0.5) / (double)N, d);
                to[x + N * (y + N * slice)] =
                    (float)of_direction(d[0], d[1], d[2]) + (slice > 5 ? 10 : 0);
            }
    set_t(g->r, &(t_sharp_t){.type = IMG_CUBE,
                             .dfmt = 4,
                             .nfmt = FLOAT,
                             .width = N,
                             .height = N,
                             .depth = 12,
                             .select = X001});
    set_s(g->r, &(s_sharp_t){.mag = 1, .min = 1});
    for (unsigned round = 0; round < 20; round++) {
        double want[64];
        for (unsigned l = 0; l < 64; l++) {
            const unsigned face = rig_random(g->r) % 6, layer = rig_random(g->r) % 2;
            double c[2];
            for (unsigned k = 0; k < 2; k++) {
                c[k] = rig_random(g->r) % 4097 / 4096.0;
                if (rig_random(g->r) % 3 == 0) c[k] = rig_random(g->r) & 1; /* the very edge */
            }
            direction(face, c[0], c[1], d);
            want[l] = of_direction(d[0], d[1], d[2]) + 10 * layer;
            image_row(g, VADDR)[l] = f((float)(1 + c[0]));
            image_row(g, VADDR + 1)[l] = f((float)(1 + c[1]));
            image_row(g, VADDR + 2)[l] = f((float)(8 * layer + face));
        }
        image_do(g, text);
        for (unsigned l = 0; l < 64; l++)
            if (fabs(as_float(image_row(g, VDATA)[l]) - want[l]) > 0.006)
                fail_msg("face %g at %g %g: %g, not %g", as_float(image_row(g, VADDR + 2)[l]),
                         as_float(image_row(g, VADDR)[l]), as_float(image_row(g, VADDR + 1)[l]),
                         as_float(image_row(g, VDATA)[l]), want[l]);
    }
    /* without going on behind the edge it is the face's own texel */
    set_s(g->r, &(s_sharp_t){.mag = 1, .min = 1, .no_cube_wrap = 1});
    for (unsigned l = 0; l < 64; l++) {
        image_row(g, VADDR)[l] = f(1);
        image_row(g, VADDR + 1)[l] = f(1 + 0.5f / (float)N);
        image_row(g, VADDR + 2)[l] = f(3);
    }
    image_do(g, text);
    assert_int_equal(image_row(g, VDATA)[3], f(to[N * N * 3]));
}

static void cubes_have_no_seams(void **state)
{
    (void)state;
    on_every_core(use_cube);
}

int main(void)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(samples_follow_filters_and_address_modes),
        cmocka_unit_test(coordinates_have_eight_bits_behind_the_point),
        cmocka_unit_test(borders_have_their_colours),
        cmocka_unit_test(samples_choose_levels_by_quads),
        cmocka_unit_test(samples_take_the_level_that_they_are_told),
        cmocka_unit_test(cubes_have_no_seams),
    };
    if (!asm_available()) return 77;
    return cmocka_run_group_tests(all, NULL, NULL);
}
