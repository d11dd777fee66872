// stencil - five-point Jacobi steps in double between two buffers, bit-equal to the host.
#include "check.h"

__host__ __device__ inline double point(double c, double n, double s, double e, double w)
{
    return __builtin_fma(0.2, c, 0.2 * ((n + s) + (e + w)));
}

__global__ void step(const double *in, double *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    size_t i = (size_t)y * width + x;
    if (x == 0 || y == 0 || x == width - 1 || y == height - 1)
        out[i] = in[i];
    else
        out[i] = point(in[i], in[i - width], in[i + width], in[i + 1], in[i - 1]);
}

int main()
{
    const int width = 130, height = 70, steps = 10;
    std::vector<double> a((size_t)width * height), b(a.size());
    uint32_t seed = 11;
    for (auto &x : a) x = (double)next_random(seed) / 1e9;
    device_array<double> da(a), db(a.size());
    for (int s = 0; s < steps; s++)
        step<<<dim3(9, 9), dim3(16, 8)>>>(s % 2 ? db.data : da.data, s % 2 ? da.data : db.data, width,
                                          height);
    for (int s = 0; s < steps; s++) {
        for (int y = 0; y < height; y++)
            for (int x = 0; x < width; x++) {
                size_t i = (size_t)y * width + x;
                b[i] = (x == 0 || y == 0 || x == width - 1 || y == height - 1)
                           ? a[i]
                           : point(a[i], a[i - width], a[i + width], a[i + 1], a[i - 1]);
            }
        std::swap(a, b);
    }
    auto got = (steps % 2 ? db : da).host();
    size_t wrong = 0;
    for (size_t i = 0; i < a.size(); i++) wrong += got[i] != a[i];
    report("stencil", a.size(), wrong);
    return wrong_total;
}
