// shows - a kernel for each thing that findings are about, bad_NAME, and one that does the same
// well, good_NAME; and a host that handles copies and memory badly or well: shows kernels|bad|small|good|slow FILE
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
#include <vector>

#define HIP(call)                                                                                  \
    do {                                                                                           \
        hipError_t error_ = (call);                                                                \
        if (error_ != hipSuccess) {                                                                \
            std::fprintf(stderr, "%s: %s\n", #call, hipGetErrorString(error_));                    \
            std::exit(1);                                                                          \
        }                                                                                          \
    } while (0)

constexpr int FLOATS = 1 << 20;

__device__ int item() { return blockIdx.x * blockDim.x + threadIdx.x; }

__global__ void bad_stride(float *p) { p[item() * 64 % FLOATS] = 1; }
__global__ void good_stride(float *p) { p[item()] = 1; }

template <int PAD> __device__ void columns(float *p)
{
    __shared__ float tile[64][8 + PAD];
    int lane = threadIdx.x;
    for (int i = 0; i < 64; i++)
        tile[i][lane & 7] = p[lane + i];
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < 8; i++)
        sum += tile[lane][i];
    p[item()] = sum;
}
__global__ void bad_banks(float *p) { columns<0>(p); }
__global__ void good_banks(float *p) { columns<1>(p); }

__device__ float work(float x, int n)
{
    for (int i = 0; i < n; i++)
        x = x * x + 0.5f;
    return x;
}
__global__ void bad_branch(float *p)
{
    if (threadIdx.x % 8 == 0) p[item()] = work(p[item()], 200);
}
__global__ void good_branch(float *p) { p[item()] = work(p[item()], 200); }

// an array that is indexed by what is in memory
__global__ void bad_array(float *p)
{
    float a[64];
    for (int i = 0; i < 64; i++)
        a[i] = p[item() + i];
    p[item()] = a[(int)p[item() + 1] & 63] + a[(int)p[item() + 2] & 63];
}
__global__ void good_array(float *p) { p[item()] = p[item() + ((int)p[item() + 1] & 63)]; }

__global__ void any_size(float *p) { p[item()] = 2; }
__global__ void bad_waves(float *p) { p[item()] = 3; }
__global__ void bad_tail(float *p) { p[item()] = 4; }
__global__ void bad_group(float *p) { p[item()] = 5; }

__global__ __launch_bounds__(256) void bad_registers(float *p)
{
    asm volatile("v_mov_b32 v200, 0" ::: "v200");
    p[item()] = 6;
}

template <int BYTES> __device__ void share(float *p)
{
    __shared__ float data[BYTES / 4];
    data[threadIdx.x] = p[item()];
    __syncthreads();
    p[item()] = data[255 - threadIdx.x];
}
__global__ void bad_lds(float *p) { share<32768>(p); }
__global__ void good_lds(float *p) { share<1024>(p); }

__global__ void bad_atomic(float *p) { atomicAdd((int *)p + item() % 1024, 1); }
__global__ void good_atomic(float *p) { p[item()] = 7; }

__global__ void bad_half(__half2 *p)
{
    __half2 x = p[item()], y = x;
    for (int i = 0; i < 64; i++)
        y = __hfma2(y, x, y);
    p[item()] = y;
}

template <int STEP> __device__ void table(float *p, const float *__restrict__ t)
{
    float sum = 0;
    for (int i = 0; i < 64; i++)
        sum += t[(blockIdx.x + i) * STEP % FLOATS];
    p[item()] = sum;
}
__global__ void bad_table(float *p, const float *__restrict__ t) { table<4096>(p, t); }
__global__ void good_table(float *p, const float *__restrict__ t) { table<1>(p, t); }

static void kernels(float *p, const float *t)
{
    for (auto k : {bad_stride, good_stride, bad_branch, good_branch, bad_array, good_array, bad_registers, bad_lds,
                   good_lds, bad_atomic, good_atomic, any_size})
        k<<<64, 256>>>(p);
    bad_banks<<<128, 64>>>(p);
    good_banks<<<128, 64>>>(p);
    bad_waves<<<1, 64>>>(p);
    bad_tail<<<65, 256>>>(p);
    bad_group<<<64, 96>>>(p);
    bad_half<<<64, 256>>>((__half2 *)p);
    bad_table<<<64, 64>>>(p, t);
    good_table<<<64, 64>>>(p, t);
    HIP(hipDeviceSynchronize());
}

// copies that wait, from memory that is not pinned, on one stream; memory that comes and goes
static void bad_host(float *p)
{
    std::vector<float> host(FLOATS);
    for (int i = 0; i < 8; i++) {
        HIP(hipMemcpy(p, host.data(), FLOATS * sizeof(float), hipMemcpyHostToDevice));
        any_size<<<64, 256>>>(p);
    }
    for (int i = 0; i < 30; i++) {
        void *more;
        HIP(hipMalloc(&more, 4096));
        any_size<<<64, 256>>>(p);
        HIP(hipDeviceSynchronize());
        HIP(hipFree(more));
    }
    any_size<<<64, 256>>>(p);
    HIP(hipDeviceSynchronize());
}

static void small_copies(float *p)
{
    float *host;
    HIP(hipHostMalloc((void **)&host, 60 * sizeof(float), 0));
    for (int i = 0; i < 60; i++)
        HIP(hipMemcpyAsync(host + i, p + i, sizeof(float), hipMemcpyDeviceToHost, 0));
    HIP(hipDeviceSynchronize());
    HIP(hipHostFree(host));
}

// kernels now and then, told of, until the file is there
static void slow(float *p, const char *file)
{
    for (int i = 0; access(file, F_OK) != 0; i++) {
        any_size<<<64, 256>>>(p);
        HIP(hipDeviceSynchronize());
        std::printf("step %d \033[1mof many\033[0m\n", i);
        std::fflush(stdout);
        usleep(20000);
    }
}

static void good_host(float *p)
{
    float *host;
    hipStream_t streams[2];
    HIP(hipHostMalloc((void **)&host, FLOATS * sizeof(float), 0));
    for (auto &s : streams)
        HIP(hipStreamCreate(&s));
    for (int i = 0; i < 8; i++) {
        HIP(hipMemcpyAsync(p, host, FLOATS * sizeof(float), hipMemcpyHostToDevice, streams[i & 1]));
        any_size<<<64, 256, 0, streams[i & 1]>>>(p);
    }
    for (auto &s : streams)
        HIP(hipStreamSynchronize(s));
    HIP(hipHostFree(host));
}

int main(int argc, char **argv)
{
    float *p, *t;
    if (argc < 2) return 2;
    HIP(hipMalloc(&p, 2 * FLOATS * sizeof(float)));
    HIP(hipMalloc(&t, FLOATS * sizeof(float)));
    if (std::strcmp(argv[1], "kernels") == 0)
        kernels(p, t);
    else if (std::strcmp(argv[1], "bad") == 0)
        bad_host(p);
    else if (std::strcmp(argv[1], "small") == 0)
        small_copies(p);
    else if (std::strcmp(argv[1], "slow") == 0 && argc == 3)
        slow(p, argv[2]);
    else
        good_host(p);
    std::puts("done");
    return 0;
}
