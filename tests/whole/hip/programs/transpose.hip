// transpose - padded LDS tile, sizes that are no multiple of the tile, several element widths.
#include "check.h"

template <typename T> __global__ void transpose(const T *in, T *out, int width, int height)
{
    __shared__ T tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x;
    for (int y = threadIdx.y; y < 32; y += blockDim.y) {
        int row = blockIdx.y * 32 + y;
        if (x < width && row < height) tile[y][threadIdx.x] = in[(size_t)row * width + x];
    }
    __syncthreads();
    int tx = blockIdx.y * 32 + threadIdx.x;
    for (int y = threadIdx.y; y < 32; y += blockDim.y) {
        int row = blockIdx.x * 32 + y;
        if (tx < height && row < width) out[(size_t)row * height + tx] = tile[threadIdx.x][y];
    }
}

template <typename T> void run(const char *name, int width, int height)
{
    std::vector<T> in((size_t)width * height);
    uint32_t seed = 5;
    for (auto &x : in) x = (T)next_random(seed);
    device_array<T> din(in), dout(in.size());
    transpose<T><<<dim3((width + 31) / 32, (height + 31) / 32), dim3(32, 8)>>>(din.data, dout.data,
                                                                               width, height);
    auto out = dout.host();
    size_t wrong = 0;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            wrong += out[(size_t)x * height + y] != in[(size_t)y * width + x];
    report(name, in.size(), wrong);
}

int main()
{
    run<uint8_t>("transpose u8", 70, 45);
    run<uint16_t>("transpose u16", 33, 64);
    run<float>("transpose float", 200, 123);
    run<double>("transpose double", 65, 31);
    return wrong_total;
}
