// transpose - a matrix transposed through LDS twice: the second kernel's tile has a column more, so
// that a column of it lies in other banks. What that is worth, each instruction says.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <vector>

constexpr int TILE = 32, ROWS = 8;

__global__ __launch_bounds__(TILE *ROWS) void transpose(const float *in, float *out, int n)
{
    __shared__ float tile[TILE][TILE];
    const int x = blockIdx.x * TILE, y = blockIdx.y * TILE, i = threadIdx.x;
    for (int j = threadIdx.y; j < TILE; j += ROWS)
        tile[j][i] = in[(y + j) * n + x + i];
    __syncthreads();
    for (int j = threadIdx.y; j < TILE; j += ROWS)
        out[(x + j) * n + y + i] = tile[i][j];
}

__global__ __launch_bounds__(TILE *ROWS) void transpose_padded(const float *in, float *out, int n)
{
    __shared__ float tile[TILE][TILE + 1];
    const int x = blockIdx.x * TILE, y = blockIdx.y * TILE, i = threadIdx.x;
    for (int j = threadIdx.y; j < TILE; j += ROWS)
        tile[j][i] = in[(y + j) * n + x + i];
    __syncthreads();
    for (int j = threadIdx.y; j < TILE; j += ROWS)
        out[(x + j) * n + y + i] = tile[i][j];
}

int main()
{
    constexpr int N = 256;
    std::vector<float> host(N * N), back(N * N);
    for (int i = 0; i < N * N; i++) host[i] = (float)i;
    const size_t bytes = host.size() * sizeof(float);
    float *in, *out;
    if (hipMalloc(&in, bytes) != hipSuccess || hipMalloc(&out, bytes) != hipSuccess) return 1;
    if (hipMemcpy(in, host.data(), bytes, hipMemcpyHostToDevice) != hipSuccess) return 1;
    const dim3 groups(N / TILE, N / TILE), group(TILE, ROWS);
    for (int padded = 0; padded < 2; padded++) {
        if (padded)
            transpose_padded<<<groups, group>>>(in, out, N);
        else
            transpose<<<groups, group>>>(in, out, N);
        if (hipMemcpy(back.data(), out, bytes, hipMemcpyDeviceToHost) != hipSuccess) return 1;
        for (int i = 0; i < N * N; i++)
            if (back[i % N * N + i / N] != host[i]) return 1;
    }
    std::puts("transposed twice");
    return 0;
}
