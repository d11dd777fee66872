// histogram - LDS atomics per workgroup, then global atomics; also atomics with returned values.
#include "check.h"

__global__ void count(const unsigned char *in, unsigned *bins, int n)
{
    __shared__ unsigned local[256];
    local[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&local[in[i]], 1u);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

// Each work-item takes a ticket; all tickets must come out once.
__global__ void tickets(unsigned *next, unsigned *taken) { taken[atomicAdd(next, 1u)]++; }

__global__ void extremes(const int *in, int n, int *low, int *high, unsigned *either)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    atomicMin(low, in[i]);
    atomicMax(high, in[i]);
    atomicOr(either, (unsigned)in[i]);
    atomicCAS(&either[1], 0u, 77u);
    atomicXor(&either[2], 1u << (i % 32));
    atomicExch(&either[3], 5u);
}

int main()
{
    const int n = 50000;
    std::vector<unsigned char> in(n);
    std::vector<unsigned> expected(256);
    uint32_t seed = 3;
    for (auto &x : in) expected[x = (unsigned char)(next_random(seed) >> 9)]++;
    device_array<unsigned char> din(in);
    device_array<unsigned> bins(std::vector<unsigned>(256));
    count<<<20, 256>>>(din.data, bins.data, n);
    auto got = bins.host();
    size_t wrong = 0;
    for (int i = 0; i < 256; i++) wrong += got[i] != expected[i];
    report("histogram", 256, wrong);

    const int m = 4096;
    device_array<unsigned> next(std::vector<unsigned>(1)), taken((std::vector<unsigned>(m)));
    tickets<<<m / 128, 128>>>(next.data, taken.data);
    wrong = next.host()[0] != m;
    for (unsigned t : taken.host()) wrong += t != 1;
    report("tickets", m + 1, wrong);

    std::vector<int> values(3000);
    int low = INT32_MAX, high = INT32_MIN;
    unsigned either = 0;
    for (auto &v : values) {
        v = (int)next_random(seed) / 3;
        low = std::min(low, v), high = std::max(high, v), either |= (unsigned)v;
    }
    device_array<int> dv(values), dlow(std::vector<int>{INT32_MAX}), dhigh(std::vector<int>{INT32_MIN});
    device_array<unsigned> deither((std::vector<unsigned>(4)));
    extremes<<<12, 256>>>(dv.data, 3000, dlow.data, dhigh.data, deither.data);
    auto e = deither.host();
    unsigned flips = 0;
    for (int i = 0; i < 3000; i++) flips ^= 1u << (i % 32);
    wrong = (dlow.host()[0] != low) + (dhigh.host()[0] != high) + (e[0] != either) + (e[1] != 77) +
            (e[2] != flips) + (e[3] != 5);
    report("atomics", 6, wrong);
    return wrong_total;
}
