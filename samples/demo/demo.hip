// demo - a small HIP program with several kernels, streams and asynchronous copies, made to look
// at with a profiler. It checks its own results and prints one line for each part.
#include <hip/hip_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define HIP(call)                                                                                  \
    do {                                                                                           \
        hipError_t error_ = (call);                                                                \
        if (error_ != hipSuccess) {                                                                \
            std::fprintf(stderr, "%s: %s\n", #call, hipGetErrorString(error_));                    \
            std::exit(1);                                                                          \
        }                                                                                          \
    } while (0)

constexpr int TILE = 16;

__global__ void matmul_tiled(const float *a, const float *b, float *c, int n)
{
    __shared__ float ta[TILE][TILE], tb[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0;
    for (int t = 0; t < n; t += TILE) {
        ta[threadIdx.y][threadIdx.x] = a[row * n + t + threadIdx.x];
        tb[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * n + column];
        __syncthreads();
        for (int k = 0; k < TILE; k++) sum = fmaf(ta[threadIdx.y][k], tb[k][threadIdx.x], sum);
        __syncthreads();
    }
    c[row * n + column] = sum;
}

__global__ void reduce_sum(const int *in, int *out, int n)
{
    __shared__ int part[256];
    int sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int half = 128; half; half /= 2) {
        if ((int)threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(out, part[0]);
}

__global__ void transpose(const float *in, float *out, int n)
{
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * n + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x, y = blockIdx.x * TILE + threadIdx.y;
    out[y * n + x] = tile[threadIdx.x][threadIdx.y];
}

__global__ void jacobi_step(const double *in, double *out, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
    int i = y * n + x;
    out[i] = 0.25 * (in[i - 1] + in[i + 1] + in[i - n] + in[i + n]);
}

template <typename T> T *device(size_t n)
{
    void *p;
    HIP(hipMalloc(&p, n * sizeof(T)));
    return static_cast<T *>(p);
}

template <typename T> T *pinned(size_t n)
{
    void *p;
    HIP(hipHostMalloc(&p, n * sizeof(T)));
    return static_cast<T *>(p);
}

static bool ok = true;
static void check(const char *part, bool right)
{
    std::printf("%-10s %s\n", part, right ? "right" : "WRONG");
    ok = ok && right;
}

int main()
{
    const int n = 128, count = 1 << 18, steps = 50;
    hipStream_t compute, copies;
    hipEvent_t ready;
    HIP(hipStreamCreate(&compute));
    HIP(hipStreamCreate(&copies));
    HIP(hipEventCreateWithFlags(&ready, hipEventDisableTiming));

    // matmul and transpose on one stream, fed by copies on another
    float *a = pinned<float>(n * n), *b = pinned<float>(n * n), *c = pinned<float>(n * n);
    for (int i = 0; i < n * n; i++) a[i] = (float)(i % 13) - 6, b[i] = (float)(i % 7) - 3;
    float *da = device<float>(n * n), *db = device<float>(n * n), *dc = device<float>(n * n), *dt = device<float>(n * n);
    HIP(hipMemcpyAsync(da, a, n * n * sizeof(float), hipMemcpyHostToDevice, copies));
    HIP(hipMemcpyAsync(db, b, n * n * sizeof(float), hipMemcpyHostToDevice, copies));
    HIP(hipEventRecord(ready, copies));
    HIP(hipStreamWaitEvent(compute, ready, 0));
    dim3 tiles(n / TILE, n / TILE), tile(TILE, TILE);
    matmul_tiled<<<tiles, tile, 0, compute>>>(da, db, dc, n);
    transpose<<<tiles, tile, 0, compute>>>(dc, dt, n);
    HIP(hipMemcpyAsync(c, dt, n * n * sizeof(float), hipMemcpyDeviceToHost, compute));

    // a reduction on the other stream meanwhile
    int *in = pinned<int>(count), *sum = pinned<int>(1);
    long expected = 0;
    for (int i = 0; i < count; i++) expected += in[i] = i % 101;
    int *din = device<int>(count), *dsum = device<int>(1);
    HIP(hipMemcpyAsync(din, in, count * sizeof(int), hipMemcpyHostToDevice, copies));
    HIP(hipMemsetAsync(dsum, 0, sizeof(int), copies));
    reduce_sum<<<64, 256, 0, copies>>>(din, dsum, count);
    HIP(hipMemcpyAsync(sum, dsum, sizeof(int), hipMemcpyDeviceToHost, copies));

    // heat flowing into a plate, double precision
    double *plate = pinned<double>(n * n);
    for (int i = 0; i < n * n; i++) plate[i] = i < n ? 100.0 : 0.0;
    double *from = device<double>(n * n), *to = device<double>(n * n);
    HIP(hipMemcpyAsync(from, plate, n * n * sizeof(double), hipMemcpyHostToDevice, compute));
    HIP(hipMemcpyAsync(to, from, n * n * sizeof(double), hipMemcpyDeviceToDevice, compute));
    for (int s = 0; s < steps; s++) {
        jacobi_step<<<dim3(n / 32, n / 8), dim3(32, 8), 0, compute>>>(from, to, n);
        std::swap(from, to);
    }
    HIP(hipMemcpyAsync(plate, from, n * n * sizeof(double), hipMemcpyDeviceToHost, compute));
    HIP(hipStreamSynchronize(compute));
    HIP(hipStreamSynchronize(copies));

    bool right = true;
    for (int y = 0; y < n; y += 9)
        for (int x = 0; x < n; x += 5) {
            float s = 0;
            for (int k = 0; k < n; k++) s = std::fmaf(a[x * n + k], b[k * n + y], s);
            right = right && c[y * n + x] == s;
        }
    check("matmul", right);
    check("reduction", *sum == expected);
    std::vector<double> p(n * n), q(n * n);
    for (int i = 0; i < n * n; i++) p[i] = q[i] = i < n ? 100.0 : 0.0;
    for (int s = 0; s < steps; s++, std::swap(p, q))
        for (int y = 1; y < n - 1; y++)
            for (int x = 1; x < n - 1; x++) {
                int i = y * n + x;
                q[i] = 0.25 * (p[i - 1] + p[i + 1] + p[i - n] + p[i + n]);
            }
    right = true;
    for (int i = 0; i < n * n; i++) right = right && std::fabs(plate[i] - p[i]) < 1e-9;
    check("stencil", right);
    HIP(hipDeviceSynchronize());
    return ok ? 0 : 1;
}
