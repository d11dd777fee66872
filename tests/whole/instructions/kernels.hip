// kernels.hip - kernels whose instructions are counted: the lines marked below have counts that the
// test works out. 4 groups of 256: 16 waves.
#include <hip/hip_runtime.h>

#include <csignal>
#include <cstdio>
#include <vector>

// In assembly, as compilers that compute a product ahead of the branch to it forget its line.
static __device__ inline float inlined(float x)
{
    asm volatile("v_mul_f32 %0, %0, %0" : "+v"(x)); // inlined
    return x;
}

__global__ __launch_bounds__(256) void strides(const float *in, float *out, int step)
{
    __shared__ float tile[256 * 8];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    float x = in[i * step];          // spread
    tile[t * 8] = x;                 // conflict
    __syncthreads();
    x = tile[(255 - t) * 8];
    if (t % 64 < 20)                                   // split
        out[gridDim.x * blockDim.x + i] = inlined(x); // call
    out[i] = x;                      // dense
}

__global__ __launch_bounds__(256) void rounds(float *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = out[i];
    for (int k = 0; k < n; k++)
        x = x * 3 + 1;          // loop
    atomicAdd(&out[i & 63], x); // atomic
}

int main(int argc, char **)
{
    enum { N = 1024, STEP = 32 };
    std::vector<float> host(N * STEP, 1.0f);
    float *in, *out;
    if (hipMalloc(&in, host.size() * sizeof(float)) != hipSuccess) return 1;
    if (hipMalloc(&out, 2 * N * sizeof(float)) != hipSuccess) return 1;
    if (hipMemcpy(in, host.data(), host.size() * sizeof(float), hipMemcpyHostToDevice)) return 1;
    for (int k = 0; k < 2; k++) strides<<<N / 256, 256>>>(in, out, STEP);
    rounds<<<N / 256, 256>>>(out, 5);
    if (hipMemcpy(host.data(), out, N * sizeof(float), hipMemcpyDeviceToHost)) return 1;
    if (argc > 1) raise(SIGKILL);
    printf("%g %g\n", (double)host[0], (double)host[N - 1]);
    return 0;
}
