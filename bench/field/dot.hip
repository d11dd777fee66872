// dot - a product of int8 matrices, four products an instruction: tiles in LDS, sixteen sums a
// lane.
#include "field.h"

enum { M = 256, N = 256, K = 1024, TILE = 64, DEPTH = 16, GROUP = 256, EACH = 4 };

// a is M x K, b is N x K (the transpose), four int8 a word; c is M x N.
extern "C" __global__ void __launch_bounds__(GROUP)
    field_dot_gemm(int *c, const int *a, const int *b)
{
    __shared__ int as[DEPTH][TILE + 1], bs[DEPTH][TILE + 1];
    const unsigned tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    const unsigned row = blockIdx.y * TILE, col = blockIdx.x * TILE;
    int sum[EACH][EACH] = {};
    for (unsigned k = 0; k < K / 4; k += DEPTH) {
        for (unsigned n = threadIdx.x; n < TILE * DEPTH; n += GROUP) {
            as[n % DEPTH][n / DEPTH] = a[(row + n / DEPTH) * (K / 4) + k + n % DEPTH];
            bs[n % DEPTH][n / DEPTH] = b[(col + n / DEPTH) * (K / 4) + k + n % DEPTH];
        }
        __syncthreads();
#pragma unroll
        for (unsigned d = 0; d < DEPTH; d++) {
            int x[EACH], y[EACH];
            for (unsigned n = 0; n < EACH; n++)
                x[n] = as[d][ty * EACH + n], y[n] = bs[d][tx * EACH + n];
            for (unsigned i = 0; i < EACH; i++)
                for (unsigned j = 0; j < EACH; j++)
                    sum[i][j] = field_dot4(x[i], y[j], sum[i][j]);
        }
        __syncthreads();
    }
    for (unsigned i = 0; i < EACH; i++)
        for (unsigned j = 0; j < EACH; j++)
            c[(row + ty * EACH + i) * N + col + tx * EACH + j] = sum[i][j];
}

static std::vector<int8_t> a, b;
static std::vector<int> c;
static int8_t *device_a, *device_b;
static int *device_c;

static void prepare()
{
    field_random random(8);
    a.resize(M * K);
    b.resize(N * K);
    c.resize(M * N);
    for (int8_t &x : a)
        x = (int8_t)random.next();
    for (int8_t &x : b)
        x = (int8_t)random.next();
    device_a = field_upload(a);
    device_b = field_upload(b);
    device_c = field_room<int>(M * N);
}

static void launch()
{
    for (int k = 0; k < 4; k++)
        field_dot_gemm<<<dim3(N / TILE, M / TILE), GROUP>>>(device_c, (const int *)device_a,
                                                            (const int *)device_b);
}

static void host()
{
    for (int k = 0; k < 4; k++)
        for (unsigned i = 0; i < M; i++)
            for (unsigned j = 0; j < N; j++) {
                int sum = 0;
                for (unsigned k = 0; k < K; k++)
                    sum += a[i * K + k] * b[j * K + k];
                c[i * N + j] = sum;
            }
}

static double error()
{
    return field_download(device_c, M * N) == c ? 0 : 1;
}

field_case field_dot = {
    "int8 dot", "matrix product, four int8 a step", prepare, launch, host, error, 0, 0};
