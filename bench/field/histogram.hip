// histogram - of bytes, a workgroup's own in LDS by atomics, added to the whole one at the end.
#include "field.h"

enum { BINS = 256, GROUP = 256, GROUPS = 64, WORDS = 1 << 22 };

extern "C" __global__ void __launch_bounds__(GROUP)
    field_histogram_bytes(unsigned *bins, const uint32_t *words)
{
    __shared__ unsigned own[BINS];
    own[threadIdx.x] = 0;
    __syncthreads();
    for (unsigned k = blockIdx.x * GROUP + threadIdx.x; k < WORDS; k += GROUP * GROUPS) {
        const uint32_t w = words[k];
        atomicAdd(&own[w & 255], 1u);
        atomicAdd(&own[w >> 8 & 255], 1u);
        atomicAdd(&own[w >> 16 & 255], 1u);
        atomicAdd(&own[w >> 24], 1u);
    }
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

static std::vector<uint32_t> words;
static std::vector<unsigned> result;
static uint32_t *device_words;
static unsigned *device_bins;

// Bytes as text has them: some far more often than others.
static void prepare()
{
    field_random random(7);
    words.resize(WORDS);
    for (uint32_t &w : words)
        for (int k = 0; k < 4; k++)
            w = w << 8 | (random.below(256) & random.below(256));
    device_words = field_upload(words);
    device_bins = field_room<unsigned>(BINS);
}

static void launch()
{
    field_demand(hipMemsetAsync(device_bins, 0, BINS * sizeof(unsigned), nullptr), "set");
    field_histogram_bytes<<<GROUPS, GROUP>>>(device_bins, device_words);
}

static void host()
{
    result.assign(BINS, 0);
    for (uint32_t w : words)
        for (int k = 0; k < 4; k++)
            result[w >> 8 * k & 255]++;
}

static double error()
{
    return field_download(device_bins, BINS) == result ? 0 : 1;
}

field_case field_histogram = {
    "LDS histogram", "256 bins, atomics in LDS", prepare, launch, host, error, 0, 0};
