// matmul - tiles in LDS, two barriers per tile; sums in the same order on the host.
#include "check.h"

constexpr int tile = 16;

__global__ void multiply(const float *a, const float *b, float *c, int n)
{
    __shared__ float ta[tile][tile], tb[tile][tile];
    int row = blockIdx.y * tile + threadIdx.y, column = blockIdx.x * tile + threadIdx.x;
    float sum = 0;
    for (int t = 0; t < n; t += tile) {
        ta[threadIdx.y][threadIdx.x] = a[row * n + t + threadIdx.x];
        tb[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * n + column];
        __syncthreads();
        for (int k = 0; k < tile; k++) sum = fmaf(ta[threadIdx.y][k], tb[k][threadIdx.x], sum);
        __syncthreads();
    }
    c[row * n + column] = sum;
}

int main()
{
    const int n = 96;
    std::vector<float> a(n * n), b(n * n);
    uint32_t seed = 7;
    for (auto &x : a) x = (float)(next_random(seed) % 2000) / 999.0f - 1.0f;
    for (auto &x : b) x = (float)(next_random(seed) % 2000) / 999.0f - 1.0f;
    device_array<float> da(a), db(b), dc(n * n);
    multiply<<<dim3(n / tile, n / tile), dim3(tile, tile)>>>(da.data, db.data, dc.data, n);
    auto c = dc.host();
    size_t wrong = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            float sum = 0;
            for (int k = 0; k < n; k++) sum = std::fmaf(a[i * n + k], b[k * n + j], sum);
            wrong += c[i * n + j] != sum;
        }
    report("matmul", n * n, wrong);
    return wrong_total;
}
