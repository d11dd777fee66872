// stream - 256 loads, multiply-adds and stores of each lane, in workgroups of one wave: 512 of 64 lanes, or
// 1,024 of 32, so that the work is the same.
#include "field.h"

enum { LANES = 512 * 64, TIMES = 256 };

extern "C" __global__ void field_stream_steps(float *to, const float *from)
{
    const size_t first = (size_t)blockIdx.x * TIMES * blockDim.x + threadIdx.x;
    float sum = 0;
    for (unsigned k = 0; k < TIMES; k++) {
        const size_t at = first + k * blockDim.x;
        sum = __builtin_fmaf(sum, 0.5f, from[at]);
        to[at] = sum;
    }
}

static std::vector<float> from, to;
static float *device_from, *device_to;
static unsigned wave, groups;

static void prepare()
{
    field_random random(12);
    wave = field_wave();
    groups = LANES / wave;
    from.resize((size_t)LANES * TIMES);
    to.resize(from.size());
    for (float &x : from)
        x = (float)random.unit();
    device_from = field_upload(from);
    device_to = field_room<float>(to.size());
}

static void launch()
{
    field_stream_steps<<<groups, wave>>>(device_to, device_from);
}

static void host()
{
    std::vector<float> sum(wave);
    for (size_t group = 0; group < groups; group++) {
        std::fill(sum.begin(), sum.end(), 0.0f);
        for (size_t k = 0; k < TIMES; k++)
            for (size_t lane = 0; lane < wave; lane++) {
                const size_t at = (group * TIMES + k) * wave + lane;
                to[at] = sum[lane] = sum[lane] * 0.5f + from[at]; // the product is exact
            }
    }
}

static double error()
{
    return field_download(device_to, to.size()) == to ? 0 : 1;
}

field_case field_stream = {"stream", "32,768 lanes, 256 loads, multiply-adds and stores each",
                           prepare,  launch,
                           host,     error,
                           0,        0};
