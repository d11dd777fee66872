// bugs - programs with one performance bug each, and the same programs repaired: bugs NAME
// bad|good. Kernels and sizes are those of ordinary small programs, so that what findings say of
// them has to come from the bug alone.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define HIP(call)                                                                                  \
    do {                                                                                           \
        hipError_t error_ = (call);                                                                \
        if (error_ != hipSuccess) {                                                                \
            std::fprintf(stderr, "%s: %s\n", #call, hipGetErrorString(error_));                    \
            std::exit(1);                                                                          \
        }                                                                                          \
    } while (0)

// fills the GPU several times, in whole rounds
constexpr int N = 1 << 18, GROUP = 256, GROUPS = N / GROUP;

static __device__ int item()
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

static float *device_floats(int count)
{
    float *p;
    HIP(hipMalloc(&p, count * sizeof(float)));
    HIP(hipMemset(p, 0, count * sizeof(float)));
    return p;
}

static float *pinned_floats(int count)
{
    float *p;
    HIP(hipHostMalloc((void **)&p, count * sizeof(float), 0));
    for (int i = 0; i < count; i++)
        p[i] = (float)(i & 255);
    return p;
}

// ---- many launches that do next to nothing ----

__global__ void relax(float *p, int n)
{
    int i = item();
    if (i < n) p[i] = p[i] * 0.5f + 1;
}
__global__ void relax_often(float *p, int n, int times)
{
    int i = item();
    if (i >= n) return;
    float x = p[i];
    for (int k = 0; k < times; k++)
        x = x * 0.5f + 1;
    p[i] = x;
}

static void launches(bool bad)
{
    float *p = device_floats(N);
    if (bad)
        for (int i = 0; i < 1000; i++)
            relax<<<4, GROUP>>>(p, 4 * GROUP);
    else
        relax_often<<<GROUPS, GROUP>>>(p, N, 1000);
    HIP(hipDeviceSynchronize());
}

// ---- the host waits after each kernel ----

__global__ void step(float *p)
{
    int i = item();
    float x = p[i];
    for (int k = 0; k < 8; k++)
        x = x * 0.9f + 0.1f;
    p[i] = x;
}

// long enough that its launch does not count
__global__ void long_step(float *p)
{
    int i = item();
    float x = p[i];
    for (int k = 0; k < 600; k++)
        x = x * 0.9f + 0.1f;
    p[i] = x;
}

static void waits(bool bad)
{
    float *p = device_floats(N);
    for (int i = 0; i < (bad ? 100 : 10); i++) {
        if (bad)
            step<<<64, GROUP>>>(p);
        else
            long_step<<<64, GROUP>>>(p);
        if (bad) HIP(hipDeviceSynchronize());
    }
    HIP(hipDeviceSynchronize());
}

// ---- copies of pageable memory, one after the other, with a wait for each ----

static void copies(bool bad)
{
    constexpr int PARTS = 16, PART = 1 << 17;
    float *p = device_floats(PARTS * PART);
    std::vector<float> pageable(PARTS * PART, 1);
    float *pinned = bad ? nullptr : pinned_floats(PARTS * PART);
    hipStream_t streams[2];
    for (auto &s : streams)
        HIP(hipStreamCreate(&s));
    for (int i = 0; i < PARTS; i++) {
        if (bad) {
            HIP(hipMemcpy(p + i * PART, pageable.data() + i * PART, PART * sizeof(float),
                          hipMemcpyHostToDevice));
            step<<<PART / GROUP, GROUP>>>(p + i * PART);
            HIP(hipMemcpy(pageable.data() + i * PART, p + i * PART, PART * sizeof(float),
                          hipMemcpyDeviceToHost));
        } else {
            hipStream_t s = streams[i & 1];
            HIP(hipMemcpyAsync(p + i * PART, pinned + i * PART, PART * sizeof(float),
                               hipMemcpyHostToDevice, s));
            step<<<PART / GROUP, GROUP, 0, s>>>(p + i * PART);
            HIP(hipMemcpyAsync(pinned + i * PART, p + i * PART, PART * sizeof(float),
                               hipMemcpyDeviceToHost, s));
        }
    }
    HIP(hipDeviceSynchronize());
}

// ---- copies and kernels of independent parts on one stream ----

static void overlap(bool bad)
{
    constexpr int PARTS = 16, PART = 1 << 17;
    float *p = device_floats(PARTS * PART), *pinned = pinned_floats(PARTS * PART);
    hipStream_t streams[4];
    for (auto &s : streams)
        HIP(hipStreamCreate(&s));
    for (int i = 0; i < PARTS; i++) {
        hipStream_t s = streams[bad ? 0 : i & 3];
        HIP(hipMemcpyAsync(p + i * PART, pinned + i * PART, PART * sizeof(float),
                           hipMemcpyHostToDevice, s));
        step<<<PART / GROUP, GROUP, 0, s>>>(p + i * PART);
        HIP(hipMemcpyAsync(pinned + i * PART, p + i * PART, PART * sizeof(float),
                           hipMemcpyDeviceToHost, s));
    }
    HIP(hipDeviceSynchronize());
}

// ---- one small copy for each row ----

static void rows(bool bad)
{
    constexpr int ROWS = 256, ROW = 256;
    float *p = device_floats(N), *pinned = pinned_floats(ROWS * ROW);
    if (bad)
        for (int i = 0; i < ROWS; i++)
            HIP(hipMemcpyAsync(p + i * ROW, pinned + i * ROW, ROW * sizeof(float),
                               hipMemcpyHostToDevice, 0));
    else
        HIP(hipMemcpyAsync(p, pinned, ROWS * ROW * sizeof(float), hipMemcpyHostToDevice, 0));
    step<<<GROUPS, GROUP>>>(p);
    HIP(hipDeviceSynchronize());
}

// ---- memory that is allocated for each step ----

static void buffers(bool bad)
{
    float *p = device_floats(N), *scratch = device_floats(N);
    for (int i = 0; i < 24; i++) {
        float *mine = scratch;
        if (bad) HIP(hipMalloc(&mine, N * sizeof(float)));
        long_step<<<64, GROUP>>>(mine);
        if (bad) HIP(hipFree(mine));
    }
    step<<<64, GROUP>>>(p);
    HIP(hipDeviceSynchronize());
}

// ---- a sum to which every work-item adds by itself ----

__global__ void sum_each(const float *p, int *sum)
{
    atomicAdd(sum, (int)p[item()] + 1);
}
__global__ void sum_groups(const float *p, int *sum)
{
    __shared__ int part[GROUP];
    int t = threadIdx.x;
    part[t] = (int)p[item()] + 1;
    __syncthreads();
    for (int half = GROUP / 2; half >= 64; half /= 2) {
        if (t < half) part[t] += part[t + half];
        __syncthreads();
    }
    if (t >= 64) return;
    int x = part[t];
    for (int half = 32; half; half /= 2)
        x += __shfl_down(x, half);
    if (t == 0) atomicAdd(sum, x);
}

static void atomics(bool bad)
{
    float *p = device_floats(N);
    int *sum = (int *)device_floats(64);
    for (int i = 0; i < 4; i++)
        if (bad)
            sum_each<<<GROUPS, GROUP>>>(p, sum);
        else
            sum_groups<<<GROUPS, GROUP>>>(p, sum);
    HIP(hipDeviceSynchronize());
}

// ---- a transposed tile whose columns lie in one bank of LDS ----

template <int PAD> static __device__ void turn(const float *in, float *out, int n)
{
    __shared__ float tile[32][32 + PAD];
    const int x = blockIdx.x * 32, y = blockIdx.y * 32, i = threadIdx.x;
    for (int j = threadIdx.y; j < 32; j += 8)
        tile[j][i] = in[(y + j) * n + x + i];
    __syncthreads();
    for (int j = threadIdx.y; j < 32; j += 8)
        out[(x + j) * n + y + i] = tile[i][j];
}
__global__ void turn_tiles(const float *in, float *out, int n)
{
    turn<0>(in, out, n);
}
__global__ void turn_padded_tiles(const float *in, float *out, int n)
{
    turn<1>(in, out, n);
}

static void banks(bool bad)
{
    float *p = device_floats(N), *q = device_floats(N);
    dim3 groups(16, 16), group(32, 8);
    for (int i = 0; i < 4; i++)
        if (bad)
            turn_tiles<<<groups, group>>>(p, q, 512);
        else
            turn_padded_tiles<<<groups, group>>>(p, q, 512);
    HIP(hipDeviceSynchronize());
}

// ---- lanes that read columns ----

__global__ void scale_columns(const float *in, float *out, int n)
{
    int i = item();
    out[i % n * n + i / n] = 2 * in[i % n * n + i / n];
}
__global__ void scale_rows(const float *in, float *out, int n)
{
    int i = item();
    out[i / n * n + i % n] = 2 * in[i / n * n + i % n];
}

static void columns(bool bad)
{
    float *p = device_floats(N), *q = device_floats(N);
    for (int i = 0; i < 4; i++)
        if (bad)
            scale_columns<<<GROUPS, GROUP>>>(p, q, 512);
        else
            scale_rows<<<GROUPS, GROUP>>>(p, q, 512);
    HIP(hipDeviceSynchronize());
}

// ---- an array of structures of which one member is read ----

struct particle {
    float x, y, z, vx, vy, vz, mass, charge, more[8];
};
__global__ void sum_particles(const particle *p, float *out)
{
    out[item()] = p[item()].mass * 2;
}
__global__ void sum_masses(const float *mass, float *out)
{
    out[item()] = mass[item()] * 2;
}

static void structures(bool bad)
{
    constexpr int COUNT = 1 << 17;
    float *p = device_floats(COUNT * 16), *q = device_floats(COUNT);
    for (int i = 0; i < 4; i++)
        if (bad)
            sum_particles<<<COUNT / GROUP, GROUP>>>((particle *)p, q);
        else
            sum_masses<<<COUNT / GROUP, GROUP>>>(p, q);
    HIP(hipDeviceSynchronize());
}

// ---- neighbouring lanes that take different ways ----

static __device__ float long_way(float x, int n)
{
    for (int k = 0; k < n; k++)
        x = x * x + 0.5f;
    return x;
}
__global__ void mixed(float *p, int wide)
{
    int i = item(), kind = (wide ? i / 64 : i) % 8;
    float x = p[i];
    if (kind == 0)
        x = long_way(x, 64);
    else if (kind == 1)
        x = long_way(x + 1, 80) * 2;
    else if (kind == 2)
        x = long_way(x + 2, 72) - 1;
    else if (kind == 3)
        x = long_way(x + 3, 88) * 3;
    else if (kind == 4)
        x = long_way(x + 4, 64) + 4;
    else if (kind == 5)
        x = long_way(x + 5, 60) * 5;
    else if (kind == 6)
        x = long_way(x + 6, 76) - 6;
    else
        x = long_way(x + 7, 84) * 7;
    p[i] = x;
}

static void branches(bool bad)
{
    float *p = device_floats(N);
    mixed<<<GROUPS / 2, GROUP>>>(p, bad ? 0 : 1);
    HIP(hipDeviceSynchronize());
}

// ---- more registers than the work needs ----

static __device__ void gather_from(const float *p, float *q)
{
    int i = item();
    float x = 0;
    for (int k = 0; k < 16; k++)
        x += p[(i + k * 4096) % N] * 0.25f;
    q[i] = x;
}
__global__ __launch_bounds__(256) void gather_wide(const float *p, float *q)
{
    asm volatile("v_mov_b32 v200, 0" ::: "v200");
    gather_from(p, q);
}
__global__ void gather(const float *p, float *q)
{
    gather_from(p, q);
}

static void registers(bool bad)
{
    float *p = device_floats(N), *q = device_floats(N);
    if (bad)
        gather_wide<<<GROUPS, GROUP>>>(p, q);
    else
        gather<<<GROUPS, GROUP>>>(p, q);
    HIP(hipDeviceSynchronize());
}

// ---- more LDS than the work needs ----

template <int FLOATS> static __device__ void blur_from(const float *p, float *q)
{
    __shared__ float tile[FLOATS];
    int t = threadIdx.x, i = item();
    tile[t] = p[i];
    __syncthreads();
    float x = 0;
    for (int k = 0; k < 16; k++)
        x += tile[(t + k) % GROUP] * p[(i + k * 4096) % N];
    q[i] = x;
}
__global__ void blur_large(const float *p, float *q)
{
    blur_from<8192>(p, q);
}
__global__ void blur(const float *p, float *q)
{
    blur_from<GROUP>(p, q);
}

static void lds(bool bad)
{
    float *p = device_floats(N), *q = device_floats(N);
    if (bad)
        blur_large<<<GROUPS, GROUP>>>(p, q);
    else
        blur<<<GROUPS, GROUP>>>(p, q);
    HIP(hipDeviceSynchronize());
}

// ---- values for which there are no registers ----

template <int VALUES> static __device__ void keep(float *p, int n)
{
    float a[VALUES];
#pragma unroll
    for (int i = 0; i < VALUES; i++)
        a[i] = p[(item() + i * 1024) % N];
    for (int k = 0; k < n; k++)
#pragma unroll
        for (int i = 0; i < VALUES; i++)
            a[i] = a[i] * a[(i + 7) % VALUES] + a[(i + 1) % VALUES];
#pragma unroll
    for (int i = 1; i < VALUES; i++)
        a[0] += a[i];
    p[item()] = a[0];
}
__global__ __attribute__((amdgpu_num_vgpr(24))) void mix_in_few(float *p, int n)
{
    keep<48>(p, n);
}
__global__ __launch_bounds__(256) void mix(float *p, int n)
{
    keep<48>(p, n);
}

static void spills(bool bad)
{
    float *p = device_floats(N);
    if (bad)
        mix_in_few<<<GROUPS / 8, GROUP>>>(p, 8);
    else
        mix<<<GROUPS / 8, GROUP>>>(p, 8);
    HIP(hipDeviceSynchronize());
}

// ---- an array that is indexed by data ----

__global__ void count_in_array(const float *p, float *q)
{
    float bins[64]; // LLVM keeps up to 32 in registers
    int i = item();
    for (int k = 0; k < 64; k++)
        bins[k] = (float)k;
    for (int k = 0; k < 16; k++)
        bins[(int)(p[(i + k * 64) % N] + k) & 63] += 1;
    float x = 0;
    for (int k = 0; k < 64; k++)
        x += bins[((int)p[i] + k) & 63] * k;
    q[i] = x;
}
__global__ void count_in_mask(const float *p, float *q)
{
    int i = item();
    unsigned long long bins = 0;
    for (int k = 0; k < 16; k++)
        bins |= 1ull << ((int)(p[(i + k * 64) % N] + k) & 63);
    q[i] = __popcll(bins);
}

static void arrays(bool bad)
{
    float *p = device_floats(N), *q = device_floats(N);
    if (bad)
        count_in_array<<<GROUPS / 4, GROUP>>>(p, q);
    else
        count_in_mask<<<GROUPS / 4, GROUP>>>(p, q);
    HIP(hipDeviceSynchronize());
}

// ---- a grid that is smaller than the GPU ----

__global__ void add_up(const float *p, float *q, int n)
{
    int all = gridDim.x * blockDim.x;
    float x = 0;
    for (int i = item(); i < n; i += all)
        x += p[i];
    q[item()] = x;
}

static void grid(bool bad)
{
    float *p = device_floats(N), *q = device_floats(N);
    for (int i = 0; i < 4; i++)
        add_up<<<bad ? 1 : 64, GROUP>>>(p, q, N);
    HIP(hipDeviceSynchronize());
}

// ---- workgroups that fill half of a wave ----

static void groups(bool bad)
{
    float *p = device_floats(N);
    int group = bad ? 32 : GROUP;
    for (int i = 0; i < 4; i++)
        step<<<N / group, group>>>(p);
    HIP(hipDeviceSynchronize());
}

// ---- work of the host while the GPU waits ----

static void host(bool bad)
{
    float *p = device_floats(N), *pinned = pinned_floats(N);
    HIP(hipMemcpyAsync(p, pinned, N * sizeof(float), hipMemcpyHostToDevice, 0));
    for (int i = 0; i < 16; i++) {
        long_step<<<64, GROUP>>>(p);
        if (!bad) continue;
        HIP(hipDeviceSynchronize());
        for (int k = 0; k < 1 << 25; k++)
            pinned[k & 1023] = pinned[k & 1023] * 0.5f + 1;
    }
    HIP(hipDeviceSynchronize());
}

static const struct {
    const char *name;
    void (*run)(bool bad);
} programs[] = {
    {"launches", launches}, {"waits", waits},
    {"copies", copies},     {"overlap", overlap},
    {"rows", rows},         {"buffers", buffers},
    {"atomics", atomics},   {"banks", banks},
    {"columns", columns},   {"structures", structures},
    {"branches", branches}, {"registers", registers},
    {"lds", lds},           {"spills", spills},
    {"arrays", arrays},     {"grid", grid},
    {"groups", groups},     {"host", host},
};

int main(int argc, char **argv)
{
    if (argc != 3) return 2;
    for (const auto &p : programs) {
        if (std::strcmp(p.name, argv[1]) != 0) continue;
        p.run(std::strcmp(argv[2], "bad") == 0);
        return 0;
    }
    return 2;
}
