/* mfma_tile.c - computes tiles of matrix instructions: D = A * B + C, with C and D in registers.
 *
 * Tiles of 32 and 16 rows are summed up in host vectors, those of 4 rows element by element.
 * Products are added one k after the other, and each step is rounded once, to nearest even. AMD
 * does not document the order; published measurements of CDNA 3 found sums of several products that
 * are aligned, truncated, and rounded together, whose last bits can differ from these results. */
#include "softgpu/exec/mfma.h"

/* Distance in dwords from row 0 to row i of a tile of 32-bit elements. Four rows lie in four
 * registers, the next four in the same registers m lanes further on; when the lanes are used up,
 * the next four registers follow. */
ISA_VECTOR size_t row_place(const size_t m, size_t i)
{
    const size_t four = i / 4, side_by_side = ISA_LANES / m;
    return (four / side_by_side * 4 + i % 4) * ISA_ROW + four % side_by_side * m;
}

/* Rows of D that are summed up together, each for as many columns as two host vectors hold: all
 * these sums stay in host registers for the whole depth. */
enum { ROWS = ISA_VEC_BYTES == 64 ? 8 : 4 };

ISA_VECTOR isa_vec_t quiet_vec(isa_vec_t x)
{
    return isa_vec_pick((x & 0x7fffffff) > FPU_INF32, isa_vec_all(FPU_NAN32), x);
}

/* Not 0 if an element is a denormal. */
ISA_VECTOR uint32_t denormals_in(isa_vec_t x)
{
#if ISA_VEC_BYTES == 64
    enum { DENORMAL = 0x20 }; /* the class of VFPCLASSPS */
    return _mm512_fpclass_ps_mask((__m512)x, DENORMAL);
#else
    return isa_vec_signs((isa_vec_t)(x + x - 1 < 0xffffff)); /* doubling shifts the sign out */
#endif
}

ISA_VECTOR isa_vec_t step_i8(isa_vec_t x, isa_vec_t y, isa_vec_t z)
{
    return x * y + z;
}

typedef isa_vec_t step_t(isa_vec_t x, isa_vec_t y, isa_vec_t z);

#define FOR_ROWS_AND_COLUMNS                                                                       \
    ISA_UNROLL for (unsigned r = 0; r < ROWS; r++) ISA_UNROLL for (unsigned v = 0; v < columns; v++)

/* ---- a part of a tile: ROWS rows, and columns of `columns` host vectors ---- */

/* Denormals and NaNs are rare: all sums are tested for them together, and replaced one by one only
 * if there are any. */
ISA_VECTOR void load_sums(isa_vec_t (*acc)[2], const mfma_work_t *p, const uint32_t *c,
                          const size_t m, const unsigned columns)
{
    FOR_ROWS_AND_COLUMNS acc[r][v] = isa_vec_load(c + row_place(m, r) + v * ISA_VEC);
    if (p->flush_c) {
        uint32_t unusual = 0;
        FOR_ROWS_AND_COLUMNS unusual |= denormals_in(acc[r][v]);
        if (__builtin_expect(unusual, 0)) FOR_ROWS_AND_COLUMNS acc[r][v] = mfma_flushed(acc[r][v]);
    }
}

ISA_VECTOR void store_sums(isa_vec_t (*acc)[2], const mfma_work_t *p, uint32_t *d, const size_t m,
                           const unsigned columns)
{
    uint32_t unusual = 0;
    if (p->quiet) {
        ISA_UNROLL for (unsigned r = 0; r < ROWS; r += 2)
            ISA_UNROLL for (unsigned v = 0; v < columns; v++) unusual |=
            isa_vec_unordered(acc[r][v], acc[r + 1][v]);
        if (__builtin_expect(unusual, 0)) FOR_ROWS_AND_COLUMNS acc[r][v] = quiet_vec(acc[r][v]);
    }
    if (p->flush_d) {
        unusual = 0;
        FOR_ROWS_AND_COLUMNS unusual |= denormals_in(acc[r][v]);
        if (__builtin_expect(unusual, 0)) FOR_ROWS_AND_COLUMNS acc[r][v] = mfma_flushed(acc[r][v]);
    }
    FOR_ROWS_AND_COLUMNS isa_vec_store(d + row_place(m, r) + v * ISA_VEC, acc[r][v]);
}

/* `c` and `d` point at the part's first element, `a` at its first row's element of depth 0, `b` at
 * its first column's. */
ISA_VECTOR void dense_part(const mfma_work_t *p, uint32_t *d, const uint32_t *c, const uint32_t *a,
                           const uint32_t *b, const size_t m, const unsigned columns, step_t *step)
{
    isa_vec_t acc[ROWS][2];
    load_sums(acc, p, c, m, columns);
    for (size_t k = 0; k < p->depth; k++, a += m, b += m) {
        isa_vec_t y[2];
        ISA_UNROLL for (unsigned v = 0; v < columns; v++) y[v] = isa_vec_load(b + v * ISA_VEC);
        ISA_UNROLL for (unsigned r = 0; r < ROWS; r++)
        {
            const isa_vec_t x = isa_vec_all(a[r]);
            ISA_UNROLL for (unsigned v = 0; v < columns; v++) acc[r][v] = step(x, y[v], acc[r][v]);
        }
    }
    store_sums(acc, p, d, m, columns);
}

ISA_VECTOR void sparse_part(const mfma_work_t *p, uint32_t *d, const uint32_t *c, const uint32_t *a,
                            const uint32_t *b, const uint8_t *at, const size_t m,
                            const unsigned columns, step_t *step)
{
    isa_vec_t acc[ROWS][2];
    load_sums(acc, p, c, m, columns);
    for (size_t k = 0; k < p->depth; k++, a += m, at += m)
        ISA_UNROLL for (unsigned r = 0; r < ROWS; r++)
        {
            const isa_vec_t x = isa_vec_all(a[r]);
            const uint32_t *row = b + at[r] * m;
            ISA_UNROLL for (unsigned v = 0; v < columns; v++) acc[r][v] =
                step(x, isa_vec_load(row + v * ISA_VEC), acc[r][v]);
        }
    store_sums(acc, p, d, m, columns);
}

/* ---- whole tiles ---- */

/* `at`: NULL, or the depths of the elements of a sparse A. */
ISA_VECTOR void tile_of(const mfma_work_t *p, uint32_t *d, const uint32_t *c, const uint32_t *a,
                        const uint32_t *b, const uint8_t *at, const size_t m, step_t *step)
{
    const unsigned columns = m >= 2 * ISA_VEC ? 2 : 1;
    for (size_t first = 0; first < m; first += ROWS)
        for (size_t column = 0; column < m; column += columns * ISA_VEC) {
            const size_t place = row_place(m, first) + column;
            if (at)
                sparse_part(p, d + place, c + place, a + first, b + column, at + first, m, columns,
                            step);
            else
                dense_part(p, d + place, c + place, a + first, b + column, m, columns, step);
        }
}

/* Each is a function of its own, so that the compiler allots the host's registers for one tile at a
 * time. */
#define TILE(name, m, step)                                                                        \
    static __attribute__((noinline)) void name##_##m(const mfma_work_t *p, uint32_t *d,            \
                                                     const uint32_t *c, const uint32_t *a,         \
                                                     const uint32_t *b)                            \
    {                                                                                              \
        tile_of(p, d, c, a, b, NULL, m, step);                                                     \
    }                                                                                              \
    static __attribute__((noinline)) void sparse_##name##_##m(                                     \
        const mfma_work_t *p, uint32_t *d, const uint32_t *c, const uint32_t *a,                   \
        const uint32_t *b, const uint8_t *at)                                                      \
    {                                                                                              \
        tile_of(p, d, c, a, b, at, m, step);                                                       \
    }

TILE(tile_f32, 16, isa_vec_fma)
TILE(tile_f32, 32, isa_vec_fma)
TILE(tile_exact, 16, isa_vec_fma_exact)
TILE(tile_exact, 32, isa_vec_fma_exact)
TILE(tile_i8, 16, step_i8)
TILE(tile_i8, 32, step_i8)

/* Calls the tile of type p->type, by its name, for 16 or 32 rows. */
#define CALL_TILE(prefix, m, ...)                                                                  \
    do {                                                                                           \
        switch (2 * p->type + ((m) == 32)) {                                                       \
        case 2 * MFMA_F32: prefix##tile_f32_16(__VA_ARGS__); break;                                \
        case 2 * MFMA_F32 + 1: prefix##tile_f32_32(__VA_ARGS__); break;                            \
        case 2 * MFMA_F16: prefix##tile_exact_16(__VA_ARGS__); break;                              \
        case 2 * MFMA_F16 + 1: prefix##tile_exact_32(__VA_ARGS__); break;                          \
        case 2 * MFMA_I8: prefix##tile_i8_16(__VA_ARGS__); break;                                  \
        default: prefix##tile_i8_32(__VA_ARGS__); break;                                           \
        }                                                                                          \
    } while (0)

/* ---- tiles of 4 rows: too narrow for host vectors, element by element ---- */

static uint32_t small_step(uint32_t x, uint32_t y, uint32_t z, unsigned type)
{
    if (type == MFMA_I8) return x * y + z;
    return fpu_bits32(__builtin_fmaf(fpu_f32(x), fpu_f32(y), fpu_f32(z)));
}

static __attribute__((noinline)) void small_tile(const mfma_work_t *p, uint32_t *d,
                                                 const uint32_t *c, const uint32_t *a,
                                                 const uint32_t *b)
{
    enum { M = 4 };
    for (size_t i = 0; i < M; i++, d += ISA_ROW, c += ISA_ROW)
        for (size_t j = 0; j < M; j++) {
            uint32_t x = p->flush_c ? fpu_flush32(c[j]) : c[j];
            for (size_t k = 0; k < p->depth; k++)
                x = small_step(a[k * M + i], b[k * M + j], x, p->type);
            if (p->quiet && fpu_nan32(x)) x = FPU_NAN32;
            d[j] = p->flush_d ? fpu_flush32(x) : x;
        }
}

/* ---- tiles whose sums are clamped, element by element: few programs use that ---- */

/* x, or the largest number of its sign if the sum of finite numbers was too large. */
static uint32_t clamped(float x, bool infinite)
{
    if (x != x) return FPU_NAN32;
    if (__builtin_isinf(x) && !infinite) return fpu_bits32(x) - 1;
    return fpu_bits32(x);
}

static uint32_t clamped_float(const mfma_work_t *p, size_t m, uint32_t c, const uint32_t *a,
                              const uint32_t *b, const uint8_t *at)
{
    float x = fpu_f32(c);
    bool infinite = __builtin_isinf(x);
    for (size_t k = 0; k < p->depth; k++) {
        const float y = fpu_f32(a[k * m]), z = fpu_f32(b[m * (at ? at[k * m] : k)]);
        infinite = infinite || __builtin_isinf(y) || __builtin_isinf(z);
        x = __builtin_fmaf(y, z, x);
    }
    return clamped(x, infinite);
}

static uint32_t clamped_int(const mfma_work_t *p, size_t m, uint32_t c, const uint32_t *a,
                            const uint32_t *b, const uint8_t *at)
{
    int64_t x = (int32_t)c;
    for (size_t k = 0; k < p->depth; k++)
        x += (int64_t)(int32_t)a[k * m] * (int32_t)b[m * (at ? at[k * m] : k)];
    return (uint32_t)(x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : x);
}

static __attribute__((noinline)) void clamped_tile(const mfma_work_t *p, size_t m, uint32_t *d,
                                                   const uint32_t *c, const uint32_t *a,
                                                   const uint32_t *b, const uint8_t *at)
{
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < m; j++) {
            const size_t place = (m == 4 ? i * ISA_ROW : row_place(m, i)) + j;
            const uint8_t *depths = at ? at + i : NULL;
            d[place] = p->type == MFMA_I8 ? clamped_int(p, m, c[place], a + i, b + j, depths)
                                          : clamped_float(p, m, c[place], a + i, b + j, depths);
        }
}

/* ---- any tile: these functions only choose a tile function, since a small tile takes little
 * longer than a call ---- */

void mfma_tile(const mfma_work_t *p, size_t m, uint32_t *d, const uint32_t *c, const uint32_t *a,
               const uint32_t *b)
{
    if (p->clamp)
        clamped_tile(p, m, d, c, a, b, NULL);
    else if (m == 4)
        small_tile(p, d, c, a, b);
    else
        CALL_TILE(, m, p, d, c, a, b);
}

void mfma_sparse_tile(const mfma_work_t *p, size_t m, uint32_t *d, const uint32_t *c,
                      const uint32_t *a, const uint32_t *b, const uint8_t *at)
{
    if (p->clamp)
        clamped_tile(p, m, d, c, a, b, at);
    else
        CALL_TILE(sparse_, m, p, d, c, a, b, at);
}

/* ---- scales ---- */

/* Whether all elements of formats with a scale stay normal numbers of f32 with these scales. */
static bool moderate(const uint8_t *scales, size_t n)
{
    enum { FAR = 100 };
    for (size_t i = 0; i < n; i++)
        if (scales[i] < MFMA_SCALE_ONE - FAR || scales[i] > MFMA_SCALE_ONE + FAR) return false;
    return true;
}

static void scale(uint32_t *x, const uint8_t *scales, size_t m, size_t depth)
{
    alignas(64) float row[32];
    for (size_t k = 0; k < depth; k++, x += m) {
        if (k % MFMA_SCALE_DEPTH == 0)
            for (size_t i = 0; i < m; i++)
                row[i] = fpu_f32((uint32_t)scales[k / MFMA_SCALE_DEPTH * m + i] << 23);
        for (size_t i = 0; i < m; i++)
            x[i] = fpu_bits32(fpu_f32(x[i]) * row[i]);
    }
}

static double scaled(uint32_t x, uint8_t exponent)
{
    if (exponent == 255) return __builtin_nan("");
    return (double)fpu_f32(x) * fpu_f64((uint64_t)(1023 + exponent - MFMA_SCALE_ONE) << 52);
}

/* z + product, rounded to an f32. The mantissa of `product` has 8 bits at most, so a double holds
 * the sum exactly, unless one of the two is less than a quarter of the other's last place in an
 * f32. Then, too, rounding twice, to a double and to an f32, has the same result as rounding
 * once. */
static float add_once(float z, double product)
{
    return (float)((double)z + product);
}

/* Any scales: products are exact in double. */
static void extreme_tile(const mfma_work_t *p, size_t m, uint32_t *d, const uint32_t *c,
                         const uint32_t *a, const uint32_t *b, const uint8_t *a_scales,
                         const uint8_t *b_scales)
{
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < m; j++) {
            const size_t place = row_place(m, i) + j;
            float x = fpu_f32(c[place]);
            bool infinite = __builtin_isinf(x) || !p->clamp;
            for (size_t k = 0; k < p->depth; k++) {
                const size_t block = k / MFMA_SCALE_DEPTH * m;
                const double product = scaled(a[k * m + i], a_scales[block + i]) *
                                       scaled(b[k * m + j], b_scales[block + j]);
                infinite = infinite || __builtin_isinf(product);
                x = add_once(x, product);
            }
            d[place] = clamped(x, infinite);
        }
}

void mfma_scaled_tile(const mfma_work_t *p, size_t m, uint32_t *d, const uint32_t *c, uint32_t *a,
                      uint32_t *b, const uint8_t *a_scales, const uint8_t *b_scales)
{
    mfma_work_t work = *p;
    if (!moderate(a_scales, ISA_LANES) || !moderate(b_scales, ISA_LANES)) {
        extreme_tile(p, m, d, c, a, b, a_scales, b_scales);
        return;
    }
    scale(a, a_scales, m, p->depth);
    scale(b, b_scales, m, p->depth);
    work.type = MFMA_F32; /* a product may be too large or small for an f32 */
    mfma_tile(&work, m, d, c, a, b);
}
