// gemm - a product of f16 matrices by matrix instructions, f32 sums: 64 x 64 a workgroup, a quarter
// for each of its four waves, tiles in LDS.
#include "field.h"

enum { SIZE = 512, TILE = 64, DEPTH = 32, PITCH = DEPTH + 8, GROUP = 256 };

typedef _Float16 half4 __attribute__((ext_vector_type(4)));
typedef _Float16 half8 __attribute__((ext_vector_type(8)));
typedef float float16 __attribute__((ext_vector_type(16)));

// a is SIZE x SIZE, b its partner's transpose.
extern "C" __global__ void __launch_bounds__(GROUP)
    field_gemm_f16(float *c, const _Float16 *a, const _Float16 *b)
{
#if FIELD_HAS & FIELD_MFMA
    __shared__ __attribute__((aligned(16))) _Float16 as[TILE][PITCH], bs[TILE][PITCH];
    const unsigned lane = threadIdx.x % 64, wave = threadIdx.x / 64;
    const unsigned row = blockIdx.y * TILE, col = blockIdx.x * TILE;
    const unsigned mine_i = wave / 2 * 32, mine_j = wave % 2 * 32;
    const unsigned from_row = threadIdx.x / 4, from_k = threadIdx.x % 4 * 8;
    float16 sum = {};
    for (unsigned k = 0; k < SIZE; k += DEPTH) {
        *(half8 *)&as[from_row][from_k] = *(const half8 *)&a[(row + from_row) * SIZE + k + from_k];
        *(half8 *)&bs[from_row][from_k] = *(const half8 *)&b[(col + from_row) * SIZE + k + from_k];
        __syncthreads();
        for (unsigned d = 0; d < DEPTH; d += 8) {
            const half4 x = *(const half4 *)&as[mine_i + lane % 32][d + lane / 32 * 4];
            const half4 y = *(const half4 *)&bs[mine_j + lane % 32][d + lane / 32 * 4];
            sum = __builtin_amdgcn_mfma_f32_32x32x8f16(x, y, sum, 0, 0, 0);
        }
        __syncthreads();
    }
    for (unsigned n = 0; n < 16; n++) {
        const unsigned i = row + mine_i + n / 4 * 8 + lane / 32 * 4 + n % 4;
        c[i * SIZE + col + mine_j + lane % 32] = sum[n];
    }
#else
    (void)c, (void)a, (void)b;
#endif
}

static std::vector<_Float16> a, b;
static std::vector<float> c, wide_a, wide_b;
static _Float16 *device_a, *device_b;
static float *device_c;

static void prepare()
{
    field_random random(9);
    a.resize(SIZE * SIZE);
    b.resize(SIZE * SIZE);
    c.resize(SIZE * SIZE);
    for (_Float16 &x : a)
        wide_a.push_back((float)(x = (_Float16)(random.unit() - 0.5)));
    for (_Float16 &x : b)
        wide_b.push_back((float)(x = (_Float16)(random.unit() - 0.5)));
    device_a = field_upload(a);
    device_b = field_upload(b);
    device_c = field_room<float>(SIZE * SIZE);
}

static void launch()
{
    for (int k = 0; k < 2; k++)
        field_gemm_f16<<<dim3(SIZE / TILE, SIZE / TILE), GROUP>>>(device_c, device_a, device_b);
}

// The host has no halves of its own: the same numbers as floats, eight sums side by side.
static void host()
{
    for (int k = 0; k < 2; k++)
        for (unsigned i = 0; i < SIZE; i++)
            for (unsigned j = 0; j < SIZE; j++) {
                float sum[8] = {};
                for (unsigned k = 0; k < SIZE; k += 8)
                    for (unsigned n = 0; n < 8; n++)
                        sum[n] += wide_a[i * SIZE + k + n] * wide_b[j * SIZE + k + n];
                c[i * SIZE + j] =
                    sum[0] + sum[1] + sum[2] + sum[3] + sum[4] + sum[5] + sum[6] + sum[7];
            }
}

static double error()
{
    return field_distance(field_download(device_c, SIZE * SIZE), c);
}

field_case field_gemm = {
    "f16 MFMA gemm", "512 cubed, 32x32x8 matrix instructions", prepare, launch, host, error, 1e-5,
    FIELD_MFMA};
