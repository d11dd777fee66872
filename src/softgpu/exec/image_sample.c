/* image_sample.c - samples: computes the texels and weights of a filter from coordinates.
 *
 * The hardware first rounds coordinates to the nearest 256th of a texel, so that weights of a
 * filter have eight bits. Levels of detail come from the instruction, from gradients in the
 * address, or from the differences within quads of lanes. */
#include "softgpu/exec/image.h"
#include "softgpu/exec/image_address.h"

#include <math.h>
#include <string.h>

typedef struct {
    uint8_t bit, bits; /* place in the sampler's 128 bits */
} row_t;

/* ISA_S_MIN_LOD and ISA_S_MAX_LOD fill the second dword from bit 0 on, of a width that differs
 * (isa_image_t.lod_bits). */
static const row_t fields[ISA_S_COUNT] = {
    [ISA_S_COMPARE] = {12, 3},      [ISA_S_CLAMP_X] = {0, 3},       [ISA_S_CLAMP_Y] = {3, 3},
    [ISA_S_CLAMP_Z] = {6, 3},       [ISA_S_UNNORMALIZED] = {15, 1}, [ISA_S_DEGAMMA] = {20, 1},
    [ISA_S_TRUNCATE] = {27, 1},     [ISA_S_NO_CUBE_WRAP] = {28, 1}, [ISA_S_REDUCTION] = {29, 2},
    [ISA_S_SKIP_DEGAMMA] = {31, 1}, [ISA_S_LOD_BIAS] = {64, 14},    [ISA_S_MAG_FILTER] = {84, 2},
    [ISA_S_MIN_FILTER] = {86, 2},   [ISA_S_Z_FILTER] = {88, 2},     [ISA_S_MIP_FILTER] = {90, 2},
    [ISA_S_BORDER] = {126, 2}};

typedef enum {
    WRAP,
    MIRROR,
    LAST_TEXEL,
    MIRROR_ONCE_LAST_TEXEL,
    HALF_BORDER,
    MIRROR_ONCE_HALF_BORDER,
    BORDER,
    MIRROR_ONCE_BORDER,
    BESIDE /* no mode of the hardware; for cubes: texels may lie beside the face */
} clamp_t;

enum { POINT, BILINEAR, FIRST_ANISOTROPIC };       /* XY filters */
enum { Z_AS_XY, Z_POINT, Z_LINEAR };               /* Z filters */
enum { MIP_NONE, MIP_POINT, MIP_LINEAR };          /* filters between levels */
enum { BORDER_CLEAR, BORDER_BLACK, BORDER_WHITE }; /* border colours; 3: from a table */
enum { UNITS = 256, LOD_UNITS = 256, FACES = 6, CUBE_ARRAY_STEP = 8 };

/* The parts of the address, by lane. */
typedef struct {
    float coordinate[ISA_IMAGE_AXES + 1][ISA_LANES]; /* the image's axes, then the slice or face */
    float gradient[2][ISA_IMAGE_AXES][ISA_LANES];    /* to the right, below */
    float level[ISA_LANES];                          /* or the least level */
    float bias[ISA_LANES];
    uint32_t offset[ISA_LANES]; /* texels: six bits of each axis, a byte each */
} parts_t;

typedef struct {
    const isa_image_t *m;
    uint32_t field[ISA_S_COUNT];
    bool normalized;
    bool integer;   /* elements are not filtered */
    uint32_t marks; /* of the instruction */
    const parts_t *parts;
    isa_image_access_t *x;
} sampler_t;

/* ---- one coordinate ---- */

/* The one or two texels that a filter uses along one axis. `inside`: the texel is in the image, not
 * in its border. */
typedef struct {
    unsigned n;
    int32_t at[2];
    bool inside[2];
    uint32_t weight[2]; /* of UNITS */
} pick_t;

static double limited(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

static int64_t floor_mod(int64_t a, int64_t n)
{
    const int64_t r = a % n;
    return r < 0 ? r + n : r;
}

static int32_t clamped(int64_t at, int64_t n)
{
    return (int32_t)(at < 0 ? 0 : at >= n ? n - 1 : at);
}

/* Finds the texel of the image for coordinate `at` on an axis of n texels, by the addressing mode.
 * False if it is the border. */
static bool place(clamp_t mode, int64_t at, int64_t n, int32_t *out)
{
    const bool once = mode == MIRROR_ONCE_LAST_TEXEL || mode == MIRROR_ONCE_HALF_BORDER ||
                      mode == MIRROR_ONCE_BORDER;
    if (once && at < 0) at = -1 - at;
    if (mode == BESIDE) {
        *out = (int32_t)at;
        return true;
    }
    if (mode == WRAP) at = floor_mod(at, n);
    if (mode == MIRROR) {
        at = floor_mod(at, 2 * n);
        if (at >= n) at = 2 * n - 1 - at;
    }
    *out = clamped(at, n);
    return *out == at || mode == LAST_TEXEL || mode == MIRROR_ONCE_LAST_TEXEL;
}

/* A number of texels in UNITS, rounded to nearest. Limited to the range of an integer, which is far
 * beyond any image. */
static int64_t to_units(double c)
{
    const double most = 1e12;
    if (!(c == c)) return 0;
    return (int64_t)floor((c < -most ? -most : c > most ? most : c) * (double)UNITS + 0.5);
}

static double scaled(const sampler_t *s, clamp_t mode, float c, uint32_t n)
{
    double x = (double)c;
    if (!s->normalized) return x;
    /* if the image is repeated, only the position within one repetition counts */
    if (mode == WRAP && isfinite(c)) x -= floor(x);
    if (mode == MIRROR && isfinite(c)) x -= 2 * floor(x / 2);
    return x * n;
}

/* In the modes with half a border, coordinates beyond the edge are moved to the edge: there a
 * linear filter takes half of the border's colour. */
static int64_t at_edge(clamp_t mode, int64_t units, int64_t n, bool linear)
{
    if (mode == MIRROR_ONCE_HALF_BORDER && units < 0) units = -units;
    if (mode != HALF_BORDER && mode != MIRROR_ONCE_HALF_BORDER) return units;
    const int64_t last = n * UNITS - (linear ? 0 : 1);
    return units < 0 ? 0 : units > last ? last : units;
}

/* `by`: texels that the instruction adds. */
static void pick(const sampler_t *s, clamp_t mode, float c, int by, uint32_t n, bool linear,
                 pick_t *p)
{
    const double texels = scaled(s, mode, c, n);
    int64_t units = to_units(texels);
    if (!linear && s->field[ISA_S_TRUNCATE]) units = to_units(floor(texels));
    units = at_edge(mode, units + (int64_t)by * UNITS, n, linear);
    if (linear) units -= UNITS / 2;
    const int64_t first = units >> 8, rest = units & (UNITS - 1);
    p->n = linear && (rest || s->x->gathers) ? 2 : 1;
    for (unsigned k = 0; k < p->n; k++)
        p->inside[k] = place(mode, first + k, n, &p->at[k]);
    p->weight[0] = (uint32_t)(p->n == 2 ? UNITS - rest : UNITS);
    p->weight[1] = (uint32_t)rest;
}

/* ---- cubes ---- */

/* The direction of a face's right side, its lower side and its middle: axis + 1, with a sign. */
static const int8_t faces[FACES][3] = {{-3, -2, 1}, {3, -2, -1}, {1, 3, 2},
                                       {1, -3, -2}, {1, -2, 3},  {-1, -2, -3}};

static void set_axis(double d[3], int8_t axis, double value)
{
    d[axis < 0 ? -axis - 1 : axis - 1] = axis < 0 ? -value : value;
}

static double get_axis(const double d[3], int8_t axis)
{
    return axis < 0 ? -d[-axis - 1] : d[axis - 1];
}

/* Replaces a texel beside a face by the texel of the adjacent face at that place. */
static void turn_corner(uint32_t *face, int32_t at[2], int32_t n)
{
    double d[3];
    unsigned best = 0;
    for (unsigned k = 0; k < 2; k++)
        set_axis(d, faces[*face][k], (2.0 * at[k] + 1) / n - 1);
    set_axis(d, faces[*face][2], 1);
    for (unsigned f = 1; f < FACES; f++)
        if (get_axis(d, faces[f][2]) > get_axis(d, faces[best][2])) best = f;
    for (unsigned k = 0; k < 2; k++) {
        const double c = get_axis(d, faces[best][k]) / get_axis(d, faces[best][2]);
        at[k] = clamped((int64_t)floor((c + 1) / 2 * n), n);
    }
    *face = best;
}

/* ---- texels ---- */

/* A lane's texels of one level, and their share of the result. */
typedef struct {
    unsigned lane, first; /* first: index of the first one's isa_texels_t */
    isa_level_t level;
    float share;
    uint32_t slice;
    bool linear, linear_z;
} footprint_t;

static void put_texel(const sampler_t *s, const footprint_t *f, unsigned corner, bool inside,
                      const uint32_t at[ISA_IMAGE_AXES], float weight)
{
    isa_texels_t *t = &s->x->texel[f->first + corner];
    const uint64_t bit = UINT64_C(1) << f->lane;
    t->weight[f->lane] = weight * f->share;
    if (inside) {
        t->va[f->lane] = isa_image_address(s->m, &f->level, at);
        t->lanes |= bit;
    } else {
        t->border |= bit;
    }
}

static void put_footprint(const sampler_t *s, const footprint_t *f, const pick_t *p)
{
    for (unsigned corner = 0; corner < 1u << s->m->axes; corner++) {
        uint32_t at[ISA_IMAGE_AXES] = {0, 0, f->slice};
        float weight = 1;
        bool inside = true, there = true;
        for (unsigned k = 0; k < s->m->axes; k++) {
            const unsigned side = corner >> k & 1;
            there &= side < p[k].n;
            if (!there) break;
            at[k] = (uint32_t)p[k].at[side];
            inside &= p[k].inside[side];
            weight *= (float)p[k].weight[side] / (float)UNITS;
        }
        if (there) put_texel(s, f, corner, inside, at, weight);
    }
}

/* At an edge of a face the filter continues on the next face. At a corner only three texels meet:
 * they share the weight of the missing fourth. */
static void put_cube(const sampler_t *s, const footprint_t *f, const pick_t *p, uint32_t layer,
                     uint32_t face)
{
    const int32_t n = (int32_t)f->level.size[0];
    float weight[4], lost = 0;
    unsigned there = 0;
    for (unsigned corner = 0; corner < 4; corner++) {
        const unsigned a = corner & 1, b = corner >> 1;
        weight[corner] = 0;
        if (a >= p[0].n || b >= p[1].n) continue;
        weight[corner] = (float)(p[0].weight[a] * p[1].weight[b]) / (UNITS * UNITS);
        const bool vertex =
            (p[0].at[a] < 0 || p[0].at[a] >= n) && (p[1].at[b] < 0 || p[1].at[b] >= n);
        if (vertex) {
            lost = weight[corner];
            weight[corner] = 0;
        } else {
            there++;
        }
    }
    for (unsigned corner = 0; corner < 4; corner++) {
        if (weight[corner] == 0) continue;
        int32_t at[2] = {p[0].at[corner & 1], p[1].at[corner >> 1]};
        uint32_t on = face;
        if (at[0] < 0 || at[1] < 0 || at[0] >= n || at[1] >= n) turn_corner(&on, at, n);
        const uint32_t texel[ISA_IMAGE_AXES] = {(uint32_t)at[0], (uint32_t)at[1],
                                                (uint32_t)s->m->field[ISA_T_BASE_SLICE] +
                                                    FACES * layer + on};
        put_texel(s, f, corner, true, texel, weight[corner] + lost / (float)there);
    }
}

static uint32_t nearest_slice(float c, uint32_t slices)
{
    if (!(c > 0) || slices < 2) return 0;
    return c >= (float)(slices - 1) ? slices - 1 : (uint32_t)rintf(c);
}

static void put_cube_level(const sampler_t *s, footprint_t *f)
{
    /* the first two coordinates go from 1 to 2 across a face; the third is the number of the face
     * plus eight times that of the layer */
    const uint32_t layers = s->m->slices / FACES;
    const float(*part)[ISA_LANES] = s->parts->coordinate;
    const uint32_t id = nearest_slice(part[2][f->lane], layers * CUBE_ARRAY_STEP);
    const uint32_t face = id % CUBE_ARRAY_STEP < FACES ? id % CUBE_ARRAY_STEP : FACES - 1;
    const bool beside = f->linear && !s->field[ISA_S_NO_CUBE_WRAP];
    pick_t p[2];
    if (!layers) return;
    for (unsigned k = 0; k < 2; k++)
        pick(s, beside ? BESIDE : LAST_TEXEL, (float)limited(part[k][f->lane] - 1.0, 0, 1), 0,
             f->level.size[0], f->linear, &p[k]);
    put_cube(s, f, p, id / CUBE_ARRAY_STEP, face);
}

/* The offset in texels that the instruction adds on an axis: six bits with a sign. */
static int texel_offset(const sampler_t *s, unsigned axis, unsigned lane)
{
    return (int)(s->parts->offset[lane] >> 8 * axis << 26) >> 26;
}

static void put_level(const sampler_t *s, footprint_t *f)
{
    const float(*part)[ISA_LANES] = s->parts->coordinate;
    pick_t p[ISA_IMAGE_AXES];
    if (s->m->type == ISA_IMAGE_CUBE) {
        put_cube_level(s, f);
        return;
    }
    for (unsigned k = 0; k < s->m->axes; k++)
        pick(s, (clamp_t)s->field[ISA_S_CLAMP_X + k], part[k][f->lane], texel_offset(s, k, f->lane),
             f->level.size[k], k == 2 ? f->linear_z : f->linear, &p[k]);
    f->slice = (uint32_t)s->m->field[ISA_T_BASE_SLICE];
    if (s->m->sliced) f->slice += nearest_slice(part[s->m->axes][f->lane], s->m->slices);
    put_footprint(s, f, p);
}

/* ---- levels of detail ---- */

static bool needs_lod(const sampler_t *s)
{
    return s->field[ISA_S_MIP_FILTER] != MIP_NONE ||
           s->field[ISA_S_MAG_FILTER] != s->field[ISA_S_MIN_FILTER];
}

/* The change of a coordinate to the lane on the right (side 0) or below (side 1): a gradient of the
 * address, or the difference within the quad of lanes. */
static double slope(const sampler_t *s, unsigned side, unsigned axis, unsigned lane)
{
    const float *c = s->parts->coordinate[axis];
    const unsigned quad = lane & ~3u;
    if (s->marks & ISA_IS_GRADIENTS) return (double)s->parts->gradient[side][axis][lane];
    return (double)c[quad + 1 + side] - (double)c[quad];
}

/* Distance between neighbouring lanes in texels of the largest level, as a logarithm to base 2. */
static double distance_lod(const sampler_t *s, unsigned lane)
{
    const uint64_t sizes[] = {s->m->field[ISA_T_WIDTH], s->m->field[ISA_T_HEIGHT],
                              s->m->field[ISA_T_LAST_SLICE] + 1};
    double most = 0;
    for (unsigned side = 0; side < 2; side++) {
        double square = 0;
        for (unsigned k = 0; k < s->m->axes; k++) {
            const double d = slope(s, side, k, lane);
            const double texels = s->normalized ? d * (double)sizes[k] : d;
            square += texels * texels;
        }
        if (square > most) most = square;
    }
    return most > 0 ? log2(most) / 2 : -LOD_UNITS;
}

/* Before the sampler's limits: the address's level, or what follows from distances and biases. */
static double raw_lod(const sampler_t *s, unsigned lane)
{
    const int32_t bias = (int32_t)(s->field[ISA_S_LOD_BIAS] << 18) >> 18;
    if (s->marks & ISA_IS_LEVEL_0) return 0;
    if (s->marks & ISA_IS_LEVEL) return (double)s->parts->level[lane];
    return distance_lod(s, lane) + (double)bias / (double)LOD_UNITS + (double)s->parts->bias[lane];
}

static double limited_lod(const sampler_t *s, double lod, unsigned lane)
{
    const double limits = limited(lod, s->field[ISA_S_MIN_LOD] / (double)LOD_UNITS,
                                  s->field[ISA_S_MAX_LOD] / (double)LOD_UNITS);
    const double least = (double)s->parts->level[lane];
    return s->marks & ISA_IS_LOD_CLAMP && limits < least ? least : limits;
}

/* The level of detail within the image, as it counts its levels. It is never beyond the last level
 * in memory, whatever the descriptor names as the first one or as the least level of detail. */
static double lod_in_image(const sampler_t *s, double lod)
{
    const double levels = (double)s->m->field[ISA_T_LEVELS];
    const double last = fmin((double)s->m->field[ISA_T_LAST_LEVEL], levels - 1);
    const double first = fmin((double)s->m->field[ISA_T_BASE_LEVEL], last);
    const double least = fmin((double)s->m->field[ISA_T_MIN_LOD] / (double)LOD_UNITS, last);
    return limited(s->field[ISA_S_MIP_FILTER] == MIP_NONE ? first : first + (lod > 0 ? lod : 0),
                   least > first ? least : first, last);
}

/* Finds the level to sample, or two levels and their shares of LOD_UNITS. Returns their number. */
static unsigned find_levels(const sampler_t *s, double lod, unsigned level[2], uint32_t share[2])
{
    const bool linear = s->field[ISA_S_MIP_FILTER] == MIP_LINEAR && !s->integer && !s->x->gathers;
    const uint32_t units = (uint32_t)(lod_in_image(s, lod) * (double)LOD_UNITS + 0.5);
    level[0] = linear ? units / LOD_UNITS : (units + LOD_UNITS / 2) / LOD_UNITS;
    level[1] = level[0] + 1;
    share[1] = linear ? units % LOD_UNITS : 0;
    share[0] = LOD_UNITS - share[1];
    return share[1] ? 2 : 1;
}

static void sample_lane(const sampler_t *s, unsigned lane)
{
    const double lod = needs_lod(s) ? limited_lod(s, raw_lod(s, lane), lane) : 0;
    const uint32_t xy = s->field[lod > 0 ? ISA_S_MIN_FILTER : ISA_S_MAG_FILTER];
    const uint32_t z = s->field[ISA_S_Z_FILTER];
    unsigned level[2];
    uint32_t share[2];
    footprint_t f = {.lane = lane,
                     .linear = (xy == BILINEAR && !s->integer) || s->x->gathers,
                     .linear_z = (z == Z_AS_XY ? xy == BILINEAR : z == Z_LINEAR) && !s->integer};
    const unsigned n = find_levels(s, lod, level, share);
    for (unsigned k = 0; k < n; k++) {
        f.first = k << s->m->axes;
        f.share = (float)share[k] / (float)LOD_UNITS;
        isa_image_level(s->m, level[k], &f.level);
        put_level(s, &f);
    }
}

/* ---- samplers ---- */

/* Sets the border colour as the components of an element, from which the descriptor selects. Black
 * has an alpha of 1; drivers set the number of the alpha component in the field BORDER_ORDER. */
static void set_border(const sampler_t *s)
{
    static const uint8_t orders[8][4] = {{0, 1, 2, 3}, {0, 3, 1, 2}, {3, 2, 1, 0}, {3, 0, 1, 2},
                                         {2, 1, 0, 3}, {1, 0, 3, 2}, {0, 1, 2, 3}, {0, 1, 2, 3}};
    const uint32_t colour = s->field[ISA_S_BORDER], one = isa_format_one(&s->m->format);
    const uint8_t *order = orders[s->m->field[ISA_T_BORDER_ORDER]];
    for (unsigned c = 0; c < 4; c++) {
        const bool set = colour == BORDER_WHITE || (colour == BORDER_BLACK && order[c] == 3);
        s->x->border[c] = set ? one : 0;
    }
}

/* The reason why the level of detail cannot be computed, or NULL. */
static const char *refuse_lod(const sampler_t *s)
{
    const uint32_t *f = s->field;
    if (f[ISA_S_MAG_FILTER] >= FIRST_ANISOTROPIC || f[ISA_S_MIN_FILTER] >= FIRST_ANISOTROPIC)
        return "anisotropic filter";
    return s->m->sliced && !s->m->slices ? "image without slices" : NULL;
}

/* The reason why texels cannot be filtered, or NULL. */
static const char *refuse_filter(const sampler_t *s)
{
    const uint32_t *f = s->field;
    if (f[ISA_S_BORDER] > BORDER_WHITE) return "border colour of a table";
    if (f[ISA_S_DEGAMMA]) return "sRGB by a sampler";
    if (s->x->gathers && (s->m->axes != 2 || s->m->type == ISA_IMAGE_CUBE))
        return "gathered texels of an image that is not flat";
    return f[ISA_S_REDUCTION] > ISA_REDUCE_MAX ? "undefined filter" : NULL;
}

/* ---- parts of the address ---- */

static void read_coordinates(const isa_wave_t *w, const isa_inst_t *i, const isa_image_parts_t *p,
                             unsigned axes, parts_t *out, unsigned l)
{
    out->coordinate[0][l] = isa_image_float_part(w, i, p, 0, l);
    if (axes > 1 && p->y != ISA_IMAGE_ABSENT)
        out->coordinate[1][l] = isa_image_float_part(w, i, p, p->y, l);
    if (p->third != ISA_IMAGE_ABSENT)
        out->coordinate[axes == ISA_IMAGE_AXES ? 2 : axes][l] =
            isa_image_float_part(w, i, p, p->third, l);
}

static void read_parts(const isa_wave_t *w, const isa_inst_t *i, isa_image_access_t *x,
                       parts_t *out)
{
    const isa_image_parts_t p = isa_image_parts(&x->image, i);
    memset(out, 0, sizeof *out);
    for (unsigned l = 0; l < ISA_LANES; l++) {
        read_coordinates(w, i, &p, x->image.axes, out, l);
        if (p.level != ISA_IMAGE_ABSENT) out->level[l] = isa_image_float_part(w, i, &p, p.level, l);
        if (p.bias != ISA_IMAGE_ABSENT) out->bias[l] = isa_image_float(w, i, p.bias, l);
        if (p.offset != ISA_IMAGE_ABSENT) out->offset[l] = isa_image_dword(w, i, p.offset, l);
        if (p.compare != ISA_IMAGE_ABSENT)
            memcpy(&x->reference[l], &w->vgpr[isa_image_vgpr(i, p.compare)][l], sizeof(float));
        if (p.gradients == ISA_IMAGE_ABSENT) continue;
        for (unsigned k = 0; k < 2u * p.slopes; k++)
            out->gradient[k & 1][k / 2][l] = isa_image_gradient(w, i, &p, k & 1, k / 2, l);
    }
}

/* ---- entries ---- */

/* Of coarse gradients it is not documented which lane's a quad takes: a quad whose lanes would take
 * different levels is refused. */
static const char *refuse_quads(const sampler_t *s, uint64_t exec)
{
    if (!(s->marks & ISA_IS_COARSE) || !needs_lod(s)) return NULL;
    for (uint64_t left = exec; left; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctzll(left);
        const unsigned first = (l & ~3u) + (unsigned)__builtin_ctzll(exec >> (l & ~3u));
        if (limited_lod(s, raw_lod(s, l), l) != limited_lod(s, raw_lod(s, first), first))
            return "coarse gradients that differ in a quad";
    }
    return NULL;
}

/* Sets *s and x->reduce, gathers, compares. Returns the reason why the level of detail is refused,
 * or NULL. */
static const char *begin(const isa_wave_t *w, const isa_inst_t *i, sampler_t *s)
{
    isa_image_access_t *x = s->x;
    const uint32_t *words = &w->sgpr[i->src[3].reg];
    s->m = &x->image;
    for (unsigned k = 0; k < ISA_S_COUNT; k++)
        s->field[k] =
            words[fields[k].bit / 32] >> fields[k].bit % 32 & ((1u << fields[k].bits) - 1);
    s->field[ISA_S_MIN_LOD] = words[1] & ((1u << s->m->lod_bits) - 1);
    s->field[ISA_S_MAX_LOD] = words[1] >> s->m->lod_bits & ((1u << s->m->lod_bits) - 1);
    s->marks = isa_table[i->op].marks;
    s->integer = isa_format_is_integer(&x->image.format);
    s->normalized = !s->field[ISA_S_UNNORMALIZED] && !(i->image & ISA_IMAGE_UNORM);
    x->gathers = s->marks & ISA_IS_GATHER;
    x->compares = s->marks & ISA_IS_COMPARE;
    x->compare = s->field[ISA_S_COMPARE];
    x->reduce = (isa_reduce_t)s->field[ISA_S_REDUCTION];
    if (s->field[ISA_S_SKIP_DEGAMMA] && s->m->skips_degamma && x->image.format.num == ISA_NUM_SRGB)
        x->image.format.num = ISA_NUM_UNORM;
    return refuse_lod(s);
}

const char *isa_image_sample(const isa_wave_t *w, const isa_inst_t *i, isa_image_access_t *x)
{
    parts_t parts;
    sampler_t s = {.parts = &parts, .x = x};
    const char *why = begin(w, i, &s);
    if (!why) why = refuse_filter(&s);
    if (why) return why;
    read_parts(w, i, x, &parts);
    why = refuse_quads(&s, w->exec);
    if (why) return why;
    set_border(&s);
    x->n = 2u << x->image.axes;
    for (unsigned k = 0; k < x->n; k++)
        x->texel[k].lanes = x->texel[k].border = 0;
    for (uint64_t left = w->exec; left; left &= left - 1)
        sample_lane(&s, (unsigned)__builtin_ctzll(left));
    return NULL;
}

const char *isa_image_sample_lod(const isa_wave_t *w, const isa_inst_t *i, isa_image_access_t *x,
                                 float clamped[ISA_ROW], float raw[ISA_ROW])
{
    parts_t parts;
    sampler_t s = {.parts = &parts, .x = x};
    const char *why = begin(w, i, &s);
    if (why) return why;
    read_parts(w, i, x, &parts);
    for (unsigned l = 0; l < ISA_LANES; l++) {
        const double lod = raw_lod(&s, l);
        raw[l] = (float)lod;
        clamped[l] = (float)(lod_in_image(&s, limited_lod(&s, lod, l)) -
                             (double)s.m->field[ISA_T_BASE_LEVEL]);
    }
    return NULL;
}
