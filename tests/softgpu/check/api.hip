// api.hip - programs that do not look at what HIP returns; see corpus.h.
#include "corpus.h"

__global__ void fill(int *to)
{
    to[threadIdx.x] = 1;
}

__global__ __launch_bounds__(64) void fill_little(int *to)
{
    to[threadIdx.x] = 1;
}

extern __shared__ int shared[];

__global__ void swap(int *at)
{
    shared[threadIdx.x] = at[threadIdx.x];
    __syncthreads();
    at[threadIdx.x] = shared[blockDim.x - 1 - threadIdx.x];
}

static void too_wide()
{
    int *at;
    fill<<<1, right ? GROUP : 2 * 1024>>>(allocate(&at, 2 * 1024)); // bug: too-wide
    (void)hipDeviceSynchronize();
}

static void above_bounds()
{
    int *at;
    fill_little<<<1, right ? 64 : GROUP>>>(allocate(&at, GROUP)); // bug: above-bounds
    (void)hipDeviceSynchronize();
}

static void too_much_lds()
{
    int *at;
    allocate(&at, GROUP);
    if (hipMemset(at, 0, GROUP * sizeof *at) != hipSuccess) return;
    swap<<<1, GROUP, right ? GROUP * sizeof *at : 200000>>>(at); // bug: too-much-lds
    (void)hipDeviceSynchronize();
}

static void too_many_groups()
{
    int *at;
    void *list[] = {allocate(&at, GROUP) ? &at : nullptr};
    const dim3 wide(right ? 1 : 1 << 20);
    (void)hipLaunchCooperativeKernel(fill, wide, GROUP, list, 0, nullptr); // bug: too-many-groups
    (void)hipDeviceSynchronize();
}

// The first call of all; what HIP says of it afterwards is the program's.
static void too_large()
{
    void *at;
    const hipError_t wanted = right ? hipSuccess : hipErrorOutOfMemory;
    const hipError_t status = hipMalloc(&at, right ? N : (size_t)1 << 50); // bug: too-large
    if (status != wanted || hipGetLastError() != wanted) std::puts("another error");
}

// A stream that is not done is no error.
static void nowhere()
{
    int *at;
    allocate(&at, N);
    fill<<<1, GROUP>>>(at);
    (void)hipStreamQuery(nullptr);
    (void)hipMemcpy(right ? at : nullptr, at + N / 2, N, hipMemcpyDeviceToDevice); // bug: nowhere
}

static void no_device()
{
    int devices = 0;
    if (hipGetDeviceCount(&devices) != hipSuccess) return;
    (void)hipSetDevice(right ? 0 : devices); // bug: no-device
    (void)hipDeviceSynchronize();
}

static const row_t rows[] = {
    {"too-wide", too_wide},         {"above-bounds", above_bounds},
    {"too-much-lds", too_much_lds}, {"too-many-groups", too_many_groups},
    {"too-large", too_large},       {"nowhere", nowhere},
    {"no-device", no_device},
};

int main(int argc, char **argv)
{
    return run(rows, argc, argv);
}
