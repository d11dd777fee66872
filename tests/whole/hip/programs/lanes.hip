// lanes - shuffles, ballot, any/all, popcount of lanes: what a wave exchanges without memory, of 64 lanes or 32.
#include "check.h"

__global__ void exchange(const int *in, int *out, unsigned long long *votes)
{
    int lane = threadIdx.x & (warpSize - 1), i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    int x = in[i];
    out[i] = __shfl(x, (lane * 7 + 3) & (warpSize - 1));
    out[n + i] = __shfl_up(x, 3);
    out[2 * n + i] = __shfl_down(x, 5);
    out[3 * n + i] = __shfl_xor(x, 17);
    out[4 * n + i] = __shfl(x, lane & 3, 8);
    int sum = x;
    for (int d = warpSize / 2; d; d /= 2) sum += __shfl_xor(sum, d);
    out[5 * n + i] = sum;
    unsigned long long vote = __ballot(x & 1);
    if (lane == 0) votes[i / warpSize] = vote;
    out[6 * n + i] = __popcll(vote & ((1ull << lane) - 1));
    out[7 * n + i] = __any(x == 42) + 2 * __all(x > -1000000);
    if (x & 1) // inactive lanes must not vote
        out[8 * n + i] = __popcll(__ballot(x & 2));
    else
        out[8 * n + i] = -__popcll(__ballot(x & 4));
    out[9 * n + i] = __ffsll(vote) + __clz(x) + __brev(x) % 1000 + __ffs(x);
}

int main()
{
    const int n = 512;
    hipDeviceProp_t properties;
    HIP(hipGetDeviceProperties(&properties, 0));
    const int lanes = properties.warpSize;
    std::vector<int> in(n);
    uint32_t seed = 29;
    for (auto &x : in) x = (int)(next_random(seed) % 100000);
    device_array<int> din(in), dout(10 * n);
    device_array<unsigned long long> dvotes(n / lanes);
    exchange<<<n / 128, 128>>>(din.data, dout.data, dvotes.data);
    auto out = dout.host();
    auto votes = dvotes.host();
    size_t wrong = 0;
    for (int w = 0; w < n; w += lanes) {
        const int *x = &in[w];
        unsigned long long vote = 0;
        int sum = 0, any = 0;
        for (int l = 0; l < lanes; l++) vote |= (unsigned long long)(x[l] & 1) << l, sum += x[l], any |= x[l] == 42;
        int odd = 0, even = 0;
        for (int l = 0; l < lanes; l++) odd += (x[l] & 3) == 3, even += (x[l] & 5) == 4;
        wrong += votes[w / lanes] != vote;
        for (int l = 0; l < lanes; l++) {
            unsigned reversed = 0;
            for (int b = 0; b < 32; b++) reversed |= ((unsigned)x[l] >> b & 1u) << (31 - b);
            int expected[10] = {x[(l * 7 + 3) & (lanes - 1)], x[l >= 3 ? l - 3 : l], x[l + 5 < lanes ? l + 5 : l], x[l ^ 17],
                                x[(l & ~7) + (l & 3)], sum, __builtin_popcountll(vote & ((1ull << l) - 1)),
                                any + 2, x[l] & 1 ? odd : -even,
                                (int)((unsigned)__builtin_ffsll((long long)vote) +
                                      (unsigned)(x[l] ? __builtin_clz((unsigned)x[l]) : 32) + reversed % 1000u +
                                      (unsigned)__builtin_ffs(x[l]))};
            for (int k = 0; k < 10; k++) wrong += out[k * n + w + l] != expected[k];
        }
    }
    report("lanes", 10 * n + n / 64, wrong); // sets are counted by 64 lanes
    return wrong_total;
}
