// quant - a matrix of 4-bit weights times a vector, as language models are run: weights in blocks
// of 32 with a scale in f16, the vector quantised to 8 bits first, integer dot products, a row for
// as many lanes as a shuffle reaches.
#include "field.h"

enum { ROWS = 2048, COLUMNS = 4096, BLOCK = 32, BLOCKS = COLUMNS / BLOCK, PARTS = 4 };

// 18 bytes: blocks lie at any even address.
struct weights4 {
    _Float16 scale;
    uint8_t nibbles[BLOCK / 2]; // value k in the low, k + 16 in the high half of byte k
};

struct vector8 {
    _Float16 scale, sum; // the sum of the values takes the 8 that each nibble is offset by
    int8_t values[BLOCK];
};

extern "C" __global__ void __launch_bounds__(64) field_quant_vector(vector8 *to, const float *from)
{
    const unsigned i = blockIdx.x * 64 + threadIdx.x, at = threadIdx.x % BLOCK;
    const float x = from[i];
    float most = fabsf(x);
    for (int d = BLOCK / 2; d; d /= 2)
        most = fmaxf(most, __shfl_xor(most, d, BLOCK));
    const float scale = most / 127.0f;
    const int q = most == 0 ? 0 : (int)roundf(x / scale);
    float sum = (float)q;
    for (int d = BLOCK / 2; d; d /= 2)
        sum += __shfl_xor(sum, d, BLOCK);
    to[i / BLOCK].values[at] = (int8_t)q;
    if (at == 0) {
        to[i / BLOCK].scale = (_Float16)scale;
        to[i / BLOCK].sum = (_Float16)(sum * scale);
    }
}

// Two bytes at a time: a block need not be aligned to more.
static __device__ inline int nibbles_at(const weights4 &w, unsigned word)
{
    const uint16_t *p = (const uint16_t *)w.nibbles + 2 * word;
    return p[0] | p[1] << 16;
}

extern "C" __global__ void __launch_bounds__(64 * PARTS)
    field_quant_matvec(float *y, const weights4 *matrix, const vector8 *x)
{
    const unsigned lane = threadIdx.x % FIELD_REACH;
    const unsigned row = blockIdx.x * PARTS + threadIdx.x / FIELD_REACH;
    const unsigned half = lane % 2; // two lanes for each block
    float sum = 0;
    for (unsigned b = lane / 2; b < BLOCKS; b += FIELD_REACH / 2) {
        const weights4 &w = matrix[row * BLOCKS + b];
        const vector8 &v = x[b];
        const int *values = (const int *)v.values;
        int dot = 0;
#pragma unroll
        for (unsigned n = 0; n < 2; n++) {
            const int packed = nibbles_at(w, 2 * half + n);
            dot = field_dot4(packed & 0x0f0f0f0f, values[2 * half + n], dot);
            dot = field_dot4(packed >> 4 & 0x0f0f0f0f, values[2 * half + n + 4], dot);
        }
        sum += (float)w.scale * ((float)dot * (float)v.scale - 4.0f * (float)v.sum);
    }
    for (int d = FIELD_REACH / 2; d; d /= 2)
        sum += __shfl_xor(sum, d);
    if (lane == 0) y[row] = sum;
}

static std::vector<weights4> matrix;
static std::vector<vector8> quantised(BLOCKS);
static std::vector<float> x, y;
static weights4 *device_matrix;
static vector8 *device_quantised;
static float *device_x, *device_y;

static void prepare()
{
    field_random random(10);
    matrix.resize((size_t)ROWS * BLOCKS);
    for (weights4 &w : matrix) {
        w.scale = (_Float16)(0.01 + 0.02 * random.unit());
        for (uint8_t &n : w.nibbles)
            n = (uint8_t)random.next();
    }
    for (unsigned k = 0; k < COLUMNS; k++)
        x.push_back((float)(2 * random.unit() - 1));
    y.resize(ROWS);
    device_matrix = field_upload(matrix);
    device_quantised = field_room<vector8>(BLOCKS);
    device_x = field_upload(x);
    device_y = field_room<float>(ROWS);
}

static void launch()
{
    for (int k = 0; k < 8; k++) {
        field_quant_vector<<<COLUMNS / 64, 64>>>(device_quantised, device_x);
        field_quant_matvec<<<ROWS / PARTS, field_reach() * PARTS>>>(device_y, device_matrix,
                                                                    device_quantised);
    }
}

static void host_quantise()
{
    for (unsigned b = 0; b < BLOCKS; b++) {
        float most = 0;
        int sum = 0;
        for (unsigned k = 0; k < BLOCK; k++)
            most = std::max(most, std::fabs(x[b * BLOCK + k]));
        const float scale = most / 127.0f;
        for (unsigned k = 0; k < BLOCK; k++) {
            const int q = most == 0 ? 0 : (int)std::round(x[b * BLOCK + k] / scale);
            quantised[b].values[k] = (int8_t)q;
            sum += q;
        }
        quantised[b].scale = (_Float16)scale;
        quantised[b].sum = (_Float16)((float)sum * scale);
    }
}

static void host()
{
    static float vector_scale[BLOCKS], vector_sum[BLOCKS];
    for (int k = 0; k < 8; k++) {
        host_quantise();
        for (unsigned b = 0; b < BLOCKS; b++) {
            vector_scale[b] = (float)quantised[b].scale;
            vector_sum[b] = (float)quantised[b].sum;
        }
        for (unsigned row = 0; row < ROWS; row++) {
            float sum = 0;
            for (unsigned b = 0; b < BLOCKS; b++) {
                const weights4 &w = matrix[(size_t)row * BLOCKS + b];
                int dot = 0;
                for (unsigned k = 0; k < BLOCK / 2; k++)
                    dot += (w.nibbles[k] & 15) * quantised[b].values[k] +
                           (w.nibbles[k] >> 4) * quantised[b].values[k + BLOCK / 2];
                sum += (float)w.scale * ((float)dot * vector_scale[b] - 8.0f * vector_sum[b]);
            }
            y[row] = sum;
        }
    }
}

static double error()
{
    return field_distance(field_download(device_y, ROWS), y);
}

field_case field_quant = {
    "4-bit matvec", "weights in blocks of 32, 8-bit vector", prepare, launch, host, error, 1e-4, 0};
