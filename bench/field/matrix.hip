// matrix - 512 workgroups of one wave, each with 128 x 4 matrix instructions of 16 x 16 x 16 f16,
// and nothing else in their loop.
#include "field.h"

enum { GROUPS = 512, TIMES = 128, TILES = 4, N = 16 };

#if defined __GFX12__
enum { WAVE = 32, INPUTS = 8, SUMS = 8 };
#define MULTIPLY(a, b, c) __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(a, b, c)
#elif defined __GFX11__
enum { WAVE = 32, INPUTS = 16, SUMS = 8 };
#define MULTIPLY(a, b, c) __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(a, b, c)
#else
enum { WAVE = 64, INPUTS = 4, SUMS = 4 };
#define MULTIPLY(a, b, c) __builtin_amdgcn_mfma_f32_16x16x16f16(a, b, c, 0, 0, 0)
#endif

typedef _Float16 inputs_t __attribute__((ext_vector_type(INPUTS)));
typedef float sums_t __attribute__((ext_vector_type(SUMS)));

// Lanes that have a row of A have its elements in the order of their depth, as those with a column
// of B have: sums do not depend on which depth is whose.
extern "C" __global__ void __launch_bounds__(WAVE)
    field_matrix_products(float *d, const _Float16 *a, const _Float16 *b)
{
#if FIELD_HAS & FIELD_MATRIX
    const unsigned lane = threadIdx.x, n = lane % N, part = INPUTS == N ? 0 : lane / N * INPUTS;
    inputs_t x[TILES], y;
    sums_t sum[TILES] = {};
    for (unsigned k = 0; k < INPUTS; k++) {
        y[k] = b[n * N + part + k];
        for (unsigned t = 0; t < TILES; t++)
            x[t][k] = a[((blockIdx.x * TILES + t) * N + n) * N + part + k];
    }
    for (unsigned k = 0; k < TIMES; k++)
        for (unsigned t = 0; t < TILES; t++)
            sum[t] = MULTIPLY(x[t], y, sum[t]);
    for (unsigned t = 0; t < TILES; t++)
        for (unsigned r = 0; r < SUMS; r++) {
            const unsigned m = INPUTS == N ? 2 * r + lane / N : lane / N * SUMS + r;
            d[((blockIdx.x * TILES + t) * N + m) * N + n] = sum[t][r];
        }
#else
    (void)d, (void)a, (void)b;
#endif
}

static std::vector<_Float16> a, b;
static std::vector<float> d;
static _Float16 *device_a, *device_b;
static float *device_d;

// Small integers: every sum is exact.
static void prepare()
{
    field_random random(11);
    a.resize(GROUPS * TILES * N * N);
    b.resize(N * N);
    d.resize(GROUPS * TILES * N * N);
    for (_Float16 &x : a)
        x = (_Float16)((int)random.below(5) - 2);
    for (_Float16 &x : b)
        x = (_Float16)((int)random.below(5) - 2);
    device_a = field_upload(a);
    device_b = field_upload(b);
    device_d = field_room<float>(GROUPS * TILES * N * N);
}

static void launch()
{
    field_matrix_products<<<GROUPS, field_wave()>>>(device_d, device_a, device_b);
}

static void host()
{
    float turned[N][N]; // B by rows
    for (unsigned k = 0; k < N; k++)
        for (unsigned n = 0; n < N; n++)
            turned[k][n] = (float)b[n * N + k];
    for (unsigned m = 0; m < GROUPS * TILES * N; m++) {
        float sum[N] = {}, row[N];
        for (unsigned k = 0; k < N; k++)
            row[k] = (float)a[m * N + k];
        for (unsigned times = 0; times < TIMES; times++)
            for (unsigned k = 0; k < N; k++)
                for (unsigned n = 0; n < N; n++)
                    sum[n] += row[k] * turned[k][n];
        for (unsigned n = 0; n < N; n++)
            d[m * N + n] = sum[n];
    }
}

static double error()
{
    return field_download(device_d, d.size()) == d ? 0 : 1;
}

field_case field_matrix = {
    "f16 matrices", "512 waves, 128 x 4 matrix instructions each", prepare, launch, host, error, 0,
    FIELD_MATRIX};
