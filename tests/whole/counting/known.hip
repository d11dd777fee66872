// known.hip - kernels whose counters can be worked out by hand (proof.py does): a copy of 1 MiB, LDS
// accesses a fixed distance apart, workgroups whose last wave is not full.
// Apart from tests/whole/hip since nothing else may be in it that counts.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        if ((call) != hipSuccess) {                                                                \
            std::fprintf(stderr, "%s failed\n", #call);                                            \
            std::exit(1);                                                                          \
        }                                                                                          \
    } while (0)

enum { WORDS = 1 << 18, GROUP = 256, LDS_GROUPS = 10 };

extern "C" __global__ void copy_dwords(const unsigned *in, unsigned *out)
{
    const unsigned i = blockIdx.x * GROUP + threadIdx.x;
    out[i] = in[i];
}

// One write and one read of LDS by each lane, STRIDE dwords from its neighbour's.
template <int STRIDE> __global__ void lds_stride(unsigned *out)
{
    __shared__ volatile unsigned cells[64 * STRIDE];
    cells[threadIdx.x * STRIDE] = threadIdx.x;
    out[blockIdx.x * 64 + threadIdx.x] = cells[threadIdx.x * STRIDE];
}

extern "C" __global__ void shape(unsigned *out)
{
    const unsigned item = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    const unsigned group = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    out[group * blockDim.x * blockDim.y * blockDim.z + item] = item;
}

template <int STRIDE> static void strided(unsigned *out)
{
    lds_stride<STRIDE><<<LDS_GROUPS, 64>>>(out);
    CHECK(hipDeviceSynchronize());
}

int main()
{
    unsigned *in, *out, *host = (unsigned *)std::malloc(WORDS * sizeof *host);
    size_t wrong = 0;
    CHECK(hipMalloc((void **)&in, WORDS * sizeof *in));
    CHECK(hipMalloc((void **)&out, WORDS * sizeof *out));
    for (unsigned i = 0; i < WORDS; i++) host[i] = i * 2654435761u;
    CHECK(hipMemcpy(in, host, WORDS * sizeof *in, hipMemcpyHostToDevice));
    for (int i = 0; i < 2; i++) {
        copy_dwords<<<WORDS / GROUP, GROUP>>>(in, out);
        CHECK(hipDeviceSynchronize());
    }
    CHECK(hipMemcpy(host, out, WORDS * sizeof *out, hipMemcpyDeviceToHost));
    for (unsigned i = 0; i < WORDS; i++) wrong += host[i] != i * 2654435761u;
    strided<1>(out);
    strided<2>(out);
    strided<3>(out);
    strided<4>(out);
    strided<8>(out);
    strided<16>(out);
    strided<32>(out);
    const dim3 shapes[][2] = {{dim3(3), dim3(1)},           {dim3(5), dim3(63)},
                              {dim3(5), dim3(64)},          {dim3(7), dim3(65)},
                              {dim3(4, 3, 2), dim3(5, 7, 3)}, {dim3(2, 2), dim3(16, 16, 4)},
                              {dim3(1), dim3(1000)}};
    for (auto &s : shapes) {
        shape<<<s[0], s[1]>>>(out);
        CHECK(hipDeviceSynchronize());
    }
    std::printf("known: %zu wrong\n", wrong);
    return wrong != 0;
}
