// known.hip - a HIP program whose kernels and copies are known exactly; see known.txt.
#include <hip/hip_runtime.h>

#include <cstdio>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        hipError_t e = (call);                                                                     \
        if (e != hipSuccess) {                                                                     \
            fprintf(stderr, "line %d: %s\n", __LINE__, hipGetErrorString(e));                      \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)

__global__ void scale(float *a, float f) { a[blockIdx.x * blockDim.x + threadIdx.x] *= f; }

__global__ void tile(float *out)
{
    __shared__ float t[256];
    unsigned i = threadIdx.y * 16 + threadIdx.x;
    t[i] = (float)i;
    __syncthreads();
    out[(blockIdx.y * gridDim.x + blockIdx.x) * 256 + i] = t[255 - i];
}

int main()
{
    const int n = 4096;
    float *host, *a, *b;
    CHECK(hipHostMalloc(&host, n * sizeof *host, 0));
    CHECK(hipMalloc(&a, n * sizeof *a));
    CHECK(hipMalloc(&b, n * sizeof *b));
    for (int i = 0; i < n; i++) host[i] = (float)i;

    CHECK(hipMemcpy(a, host, n * sizeof *a, hipMemcpyHostToDevice));
    for (int i = 0; i < 3; i++) scale<<<n / 256, 256>>>(a, 2);
    tile<<<dim3(2, 3), dim3(16, 16)>>>(b);
    CHECK(hipMemcpy(host, a, n * sizeof *a, hipMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        if (host[i] != 8 * (float)i) return 2;

    hipStream_t stream;
    hipEvent_t before, after;
    CHECK(hipStreamCreate(&stream));
    CHECK(hipEventCreate(&before));
    CHECK(hipEventCreate(&after));
    CHECK(hipMemcpyAsync(b, host, 1024, hipMemcpyHostToDevice, stream));
    CHECK(hipEventRecord(before, stream));
    scale<<<4, 64, 0, stream>>>(b, 0.5f);
    CHECK(hipEventRecord(after, stream));
    CHECK(hipMemcpyAsync(host, b, 1024, hipMemcpyDeviceToHost, stream));
    CHECK(hipStreamSynchronize(stream));
    float ms = -1;
    CHECK(hipEventElapsedTime(&ms, before, after));
    for (int i = 0; i < 256; i++)
        if (host[i] != 4 * (float)i) return 3;
    CHECK(hipStreamDestroy(stream));
    printf("elapsed time %s\n", ms > 0 && ms < 60000 ? "sensible" : "wrong");
    return ms > 0 && ms < 60000 ? 0 : 4;
}
