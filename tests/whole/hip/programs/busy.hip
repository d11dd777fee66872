// busy - a crowded GPU: a million workgroups, thousands of dispatches in flight on many queues,
// workgroups of 1024 at barriers, grids that wait for themselves, streams with priorities and masks.
#include "check.h"
#include <hip/hip_cooperative_groups.h>
#include <hip/hip_ext.h>

#include <set>

__global__ void count_groups(unsigned *total, unsigned *seen, unsigned n)
{
    if (threadIdx.x == 0) {
        atomicAdd(total, 1);
        if (blockIdx.x % 1009 == 0 && blockIdx.x < n) atomicAdd(&seen[blockIdx.x / 1009], 1);
    }
}

static void a_million_groups()
{
    const unsigned n = 1000003;
    std::vector<unsigned> zero(n / 1009 + 2);
    device_array<unsigned> total(std::vector<unsigned>(1)), seen(zero);
    count_groups<<<n, 64>>>(total.data, seen.data, n);
    size_t wrong = total.host()[0] != n;
    auto s = seen.host();
    for (unsigned g = 0; g < n; g += 1009) wrong += s[g / 1009] != 1;
    report("a million workgroups", n, wrong);
}

__global__ void bump(int *x, int step) { x[threadIdx.x] = x[threadIdx.x] * 3 + step; }

static void dispatches_in_flight()
{
    const int streams = 12, launches = 500;
    hipStream_t stream[streams];
    int least = 0, greatest = 0;
    HIP(hipDeviceGetStreamPriorityRange(&least, &greatest));
    report("priority range", 1, !(greatest < least));
    device_array<int> x(std::vector<int>(streams * 64));
    for (int s = 0; s < streams; s++) {
        int want = greatest + s % (least - greatest + 1), got = -100;
        HIP(hipStreamCreateWithPriority(&stream[s], hipStreamNonBlocking, want));
        HIP(hipStreamGetPriority(stream[s], &got));
        if (got != want) report("priority", 1, 1);
    }
    for (int k = 0; k < launches; k++)
        for (int s = 0; s < streams; s++) bump<<<1, 64, 0, stream[s]>>>(x.data + 64 * s, k + s);
    HIP(hipDeviceSynchronize());
    auto got = x.host();
    size_t wrong = 0;
    for (int s = 0; s < streams; s++) {
        unsigned want = 0;
        for (int k = 0; k < launches; k++) want = want * 3 + (unsigned)(k + s);
        for (int i = 0; i < 64; i++) wrong += (unsigned)got[64 * s + i] != want;
        HIP(hipStreamDestroy(stream[s]));
    }
    report("dispatches in flight", streams * launches, wrong);
}

// Prefix sum of 1024 numbers: twenty barriers of sixteen waves each time.
__global__ __launch_bounds__(1024) void prefix(const int *in, int *out, int rounds)
{
    __shared__ int row[1024];
    int t = (int)threadIdx.x, v = in[blockIdx.x * 1024 + t];
    for (int r = 0; r < rounds; r++) {
        row[t] = v;
        __syncthreads();
        for (int d = 1; d < 1024; d *= 2) {
            int left = t >= d ? row[t - d] : 0;
            __syncthreads();
            row[t] += left;
            __syncthreads();
        }
        v = row[t];
        __syncthreads();
    }
    out[blockIdx.x * 1024 + t] = v;
}

static void barriers()
{
    const int groups = 40, rounds = 3;
    std::vector<int> in(groups * 1024);
    uint32_t seed = 5;
    for (auto &x : in) x = (int)(next_random(seed) % 100);
    device_array<int> a(in), b(in.size());
    prefix<<<groups, 1024>>>(a.data, b.data, rounds);
    auto got = b.host();
    for (int g = 0; g < groups; g++)
        for (int r = 0; r < rounds; r++)
            for (int i = 1; i < 1024; i++)
                in[g * 1024 + i] = (int)((unsigned)in[g * 1024 + i] + (unsigned)in[g * 1024 + i - 1]);
    size_t wrong = 0;
    for (size_t i = 0; i < in.size(); i++) wrong += got[i] != in[i];
    report("barriers of 1024", in.size(), wrong);
}

// A barrier of all workgroups made by hand, spinning without a pause.
__global__ __launch_bounds__(256) void global_barrier(unsigned *arrived, unsigned *data, int rounds)
{
    unsigned n = gridDim.x, *mine = data + blockIdx.x, *other = data + (blockIdx.x + 1) % n;
    for (int r = 0; r < rounds; r++) {
        __syncthreads();
        if (threadIdx.x == 0) {
            unsigned next = __atomic_load_n(other + r % 2 * n, __ATOMIC_RELAXED) + 1;
            __atomic_store_n(mine + (r + 1) % 2 * n, next, __ATOMIC_RELAXED);
            __threadfence();
            atomicAdd(arrived, 1);
            while (__atomic_load_n(arrived, __ATOMIC_ACQUIRE) < n * (unsigned)(r + 1)) {}
        }
        __syncthreads();
    }
}

__global__ __launch_bounds__(256) void sync_grid(unsigned *data, int rounds)
{
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    unsigned n = gridDim.x;
    for (int r = 0; r < rounds; r++) {
        if (threadIdx.x == 0) data[blockIdx.x + (r + 1) % 2 * n] = data[(blockIdx.x + 1) % n + r % 2 * n] + 1;
        grid.sync();
    }
}

static size_t count_wrong(const std::vector<unsigned> &got, unsigned n, unsigned rounds)
{
    size_t wrong = 0;
    for (unsigned i = 0; i < n; i++) wrong += got[i + rounds % 2 * n] != rounds;
    return wrong;
}

static void whole_grids()
{
    int rounds = 10, per_unit = 0;
    hipDeviceProp_t p;
    HIP(hipGetDeviceProperties(&p, 0));
    HIP(hipOccupancyMaxActiveBlocksPerMultiprocessor(&per_unit, sync_grid, 256, 0));
    unsigned full = (unsigned)(per_unit * p.multiProcessorCount);
    report("occupancy", 1, per_unit < 1 || !p.cooperativeLaunch);

    device_array<unsigned> arrived(std::vector<unsigned>(1)), data(std::vector<unsigned>(2 * full));
    global_barrier<<<full, 256>>>(arrived.data, data.data, rounds);
    report("global barrier by hand", full, count_wrong(data.host(), full, rounds));

    HIP(hipMemset(data.data, 0, 2 * full * sizeof(unsigned)));
    void *args[] = {&data.data, &rounds};
    HIP(hipLaunchCooperativeKernel((void *)sync_grid, dim3(full), dim3(256), args, 0, 0));
    report("cooperative grid", full, count_wrong(data.host(), full, rounds));
    hipError_t e = hipLaunchCooperativeKernel((void *)sync_grid, dim3(full + 1), dim3(256), args, 0, 0);
    std::printf("one workgroup too many: %s\n", hipGetErrorName(e));
    (void)hipGetLastError();
}

// Compute unit (id, array, engine) of each workgroup, from HW_ID, and its XCC on GPUs that have several.
__global__ void where(unsigned *out)
{
    unsigned id;
    asm volatile("s_getreg_b32 %0, hwreg(HW_REG_HW_ID)" : "=s"(id));
    id = id >> 8 & 0xff;
#if defined(__gfx942__) || defined(__gfx950__)
    unsigned xcc;
    asm volatile("s_getreg_b32 %0, hwreg(HW_REG_XCC_ID)" : "=s"(xcc));
    id |= (xcc & 0xf) << 8;
#endif
    if (threadIdx.x == 0) out[blockIdx.x] = id;
}

static std::set<unsigned> units_of(hipStream_t s)
{
    device_array<unsigned> out(512);
    where<<<512, 64, 0, s>>>(out.data);
    HIP(hipStreamSynchronize(s));
    auto got = out.host();
    return std::set<unsigned>(got.begin(), got.end());
}

static void masks()
{
    hipDeviceProp_t p;
    HIP(hipGetDeviceProperties(&p, 0));
    auto all = units_of(0);
    report("units in use", all.size(), all.size() != (size_t)p.multiProcessorCount);
    std::set<unsigned> sum;
    size_t wrong = 0;
    uint32_t masks[] = {0x01, 0x06, 0xf8}; // together all eight, each unit once
    for (uint32_t mask : masks) {
        hipStream_t s;
        uint32_t got = 0;
        HIP(hipExtStreamCreateWithCUMask(&s, 1, &mask));
        HIP(hipExtStreamGetCUMask(s, 1, &got));
        auto units = units_of(s);
        wrong += got != mask || units.size() != (size_t)__builtin_popcount(mask);
        for (unsigned u : units) wrong += !sum.insert(u).second || !all.count(u);
        HIP(hipStreamDestroy(s));
    }
    report("units by mask", 3, wrong || sum != all);
}

int main()
{
    a_million_groups();
    dispatches_in_flight();
    barriers();
    whole_grids();
    masks();
    return wrong_total;
}
