// init.hip - programs that use what nobody has written; see corpus.h.
#include "corpus.h"

#include <hsa/hsa_ext_amd.h>

// Values of which the compiler knows nothing, and which a kernel of the twin writes first.
__global__ void fill(int *at, int n, int step)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && i % step == 0) at[i] = i;
}

__global__ void mark(const int *from, int *to, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (from[i] > 3) to[i] = 1; // bug: condition
}

static int *from, *to;

static void make()
{
    allocate(&from, N);
    allocate(&to, N);
    (void)hipMemset(to, 0, N * sizeof(int));
}

static void end()
{
    (void)hipDeviceSynchronize();
    (void)hipFree(from);
    (void)hipFree(to);
}

static void condition()
{
    make();
    if (right) (void)hipMemset(from, 0, N * sizeof(int));
    mark<<<GROUPS, GROUP>>>(from, to, N);
    end();
}

// 996 to 999 are not written
static void condition_end()
{
    make();
    (void)hipMemset(from, 0, (right ? N : N - 4) * sizeof(int));
    mark<<<GROUPS, GROUP>>>(from, to, N);
    end();
}

// every second one
static void condition_gaps()
{
    make();
    fill<<<GROUPS, GROUP>>>(from, N, right ? 1 : 2);
    mark<<<GROUPS, GROUP>>>(from, to, N);
    end();
}

// what is given out again has nobody's values in it
static void given_again()
{
    make();
    fill<<<GROUPS, GROUP>>>(from, N, 1);
    (void)hipDeviceSynchronize();
    (void)hipFree(from);
    allocate(&from, N);
    if (right) fill<<<GROUPS, GROUP>>>(from, N, 1);
    mark<<<GROUPS, GROUP>>>(from, to, N);
    end();
}

__global__ void copy(const int *from, int *to, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = from[i];
}

// the value is written, and is worth nothing still
static void copied()
{
    int *between;
    make();
    allocate(&between, N);
    if (right) (void)hipMemset(from, 0, N * sizeof(int));
    copy<<<GROUPS, GROUP>>>(from, between, N);
    mark<<<GROUPS, GROUP>>>(between, to, N);
    end();
    (void)hipFree(between);
}

static void transferred()
{
    int *between;
    make();
    allocate(&between, N);
    if (right) (void)hipMemset(from, 0, N * sizeof(int));
    (void)hipMemcpy(between, from, N * sizeof(int), hipMemcpyDeviceToDevice);
    mark<<<GROUPS, GROUP>>>(between, to, N);
    end();
    (void)hipFree(between);
}

// what the host writes is written
static void from_host()
{
    static int host[N];
    make();
    (void)hipMemcpy(from, host, (right ? N : N / 2) * sizeof(int), hipMemcpyHostToDevice);
    mark<<<GROUPS, GROUP>>>(from, to, N);
    end();
}

__global__ void scatter(const int *from, int *to, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[from[i] & 15] = i; // bug: address
}

static void address()
{
    make();
    if (right) (void)hipMemset(from, 0, N * sizeof(int));
    scatter<<<GROUPS, GROUP>>>(from, to, N);
    end();
}

// one value for all lanes
__global__ void choose(const int *flag, int *to)
{
    if (flag[0] > 3) // bug: branch
        asm volatile("s_nop 0");
    to[threadIdx.x] = 1;
}

static void branch()
{
    make();
    if (right) (void)hipMemset(from, 0, N * sizeof(int));
    choose<<<1, 64>>>(from, to);
    end();
}

struct pair_t {
    int a, b;
};

__global__ void halves(pair_t *at, int n, bool both)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    at[i].a = i;
    if (both) at[i].b = i;
}

__global__ void second(const pair_t *at, int *to, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && at[i].b > 3) to[i] = at[i].a; // bug: member
}

static void member()
{
    make();
    halves<<<GROUPS, GROUP>>>((pair_t *)from, N / 2, right);
    second<<<GROUPS, GROUP>>>((pair_t *)from, to, N / 2);
    end();
}

__global__ void counter(int *at)
{
    if (threadIdx.x < 5) atomicAdd(at + threadIdx.x, 1); // bug: counter
}

static void count()
{
    make();
    if (right) (void)hipMemset(from, 0, N * sizeof(int));
    counter<<<1, 64>>>(from);
    end();
}

__global__ void local(int *to, int first)
{
    __shared__ int tile[64 + 2];
    tile[threadIdx.x + 1] = threadIdx.x;
    if (threadIdx.x < 2 && !first) tile[threadIdx.x * 65] = 0;
    __syncthreads();
    if (tile[threadIdx.x] > 3) to[threadIdx.x] = 1; // bug: local
}

// the first cell of the border
static void border()
{
    make();
    local<<<1, 64>>>(to, !right);
    end();
}

__global__ void histogram(const int *from, int *to, bool clear)
{
    __shared__ int bin[64];
    if (clear) bin[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&bin[from[threadIdx.x] & 63], 1); // bug: bins
    __syncthreads();
    to[threadIdx.x] = bin[threadIdx.x];
}

static void bins()
{
    make();
    fill<<<GROUPS, GROUP>>>(from, N, 1);
    histogram<<<1, 64>>>(from, to, right);
    end();
}

template <int room> __global__ void array(const int *from, int *to, int n)
{
    volatile int own[room];
    for (int k = 0; k < n; k++)
        own[from[k] & 15] = k;
    if (own[from[threadIdx.x] & 15] > 3) to[threadIdx.x] = 1; // bug: array
}

// from[k] is k: the last of sixteen is not written
template <int room> static void privately()
{
    make();
    fill<<<GROUPS, GROUP>>>(from, N, 1);
    array<room><<<1, 64>>>(from, to, right ? 16 : 15);
    end();
}

// The lane's own memory has what was in another's: that is where it is from.
__global__ void keep(const int *from, int *to, int n)
{
    volatile int own[4];
    for (int k = 0; k < n; k++)
        own[k & 3] = from[threadIdx.x + k];
    if (own[n & 3] > 3) to[threadIdx.x] = 1; // bug: kept
}

static void kept()
{
    make();
    if (right) fill<<<GROUPS, GROUP>>>(from, N, 1);
    keep<<<1, 64>>>(from, to, 4);
    end();
}

// So does LDS, from another wave.
__global__ void turn(const int *from, int *to)
{
    __shared__ int tile[128];
    tile[threadIdx.x] = from[threadIdx.x];
    __syncthreads();
    if (tile[127 - threadIdx.x] > 3) to[threadIdx.x] = 1; // bug: tile
}

// 100 to 127 are not written: what the lanes 0 to 27 of wave 0 use has been read by wave 1
static void tile()
{
    make();
    (void)hipMemset(from, 0, (right ? N : 100) * sizeof(int));
    turn<<<1, 128>>>(from, to);
    end();
}

// A register that no instruction writes: in C++ the compiler may do as it likes with one.
__global__ void vector(int *to, bool write)
{
    int x;
    asm volatile("" : "=v"(x));
    if (write) asm volatile("v_mov_b32 %0, 0" : "=v"(x));
    asm volatile("v_cmp_lt_i32 vcc, 3, %0\n\t" // bug: vector
                 "s_and_saveexec_b64 vcc, vcc\n\t"
                 "s_mov_b64 exec, vcc" ::"v"(x)
                 : "vcc");
    to[threadIdx.x] = 1;
}

static void registers()
{
    make();
    vector<<<1, 64>>>(to, right);
    end();
}

__global__ void skip(int *to, bool write)
{
    if (write) asm volatile("s_mov_b64 vcc, 0" ::: "vcc");
    asm volatile("s_cbranch_vccz 1\n\t" // bug: vcc
                 "s_nop 0");
    to[threadIdx.x] = 1;
}

static void carry_flag()
{
    make();
    skip<<<1, 64>>>(to, right);
    end();
}

__global__ void choose_register(const int *from, int *to)
{
    int x;
    asm volatile("s_set_gpr_idx_on %1, gpr_idx(SRC0)\n\t" // bug: index
                 "v_mov_b32 %0, v0\n\t"
                 "s_set_gpr_idx_off"
                 : "=v"(x)
                 : "s"(from[0] & 1));
    to[threadIdx.x] = x;
}

static void index()
{
    make();
    if (right) fill<<<GROUPS, GROUP>>>(from, N, 1);
    choose_register<<<1, 64>>>(from, to);
    end();
}

// ---- memory of other calls ----

__global__ void mark_bytes(const unsigned char *from, int *to, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && from[i] > 3) to[i / 4] = 1; // bug: bytes
}

// of the last dword the host, or a kernel of its, has written three
static void last_byte()
{
    make();
    (void)hipMemset(from, 0, N * sizeof(int) - !right);
    mark_bytes<<<16, 256>>>((unsigned char *)from, to, N * sizeof(int));
    end();
}

// what was written before the memory went back to the pool is not there any more
static void pool()
{
    int *at;
    hipStream_t stream;
    make();
    (void)hipStreamCreate(&stream);
    for (int again = 0; again < 3; again++) {
        if (hipMallocAsync((void **)&at, N * sizeof(int), stream) != hipSuccess) return; // made: pool
        if (again < 2 || right) fill<<<GROUPS, GROUP, 0, stream>>>(at, N, 1);
        mark<<<GROUPS, GROUP, 0, stream>>>(at, to, N);
        (void)hipFreeAsync(at, stream);
        (void)hipStreamSynchronize(stream);
        size_t left, all;
        (void)hipMemGetInfo(&left, &all); // it is given back to the pool at once
    }
    end();
}

static void box()
{
    hipPitchedPtr at;
    const hipExtent extent = {N, 2, 2};
    make();
    if (hipMalloc3D(&at, extent) != hipSuccess) return; // made: box
    if (right) (void)hipMemset3D(at, 0, extent);
    mark<<<1, GROUP>>>((int *)at.ptr, to, N / 4);
    end();
}

static hsa_status_t take_gpu(hsa_agent_t agent, void *to)
{
    hsa_device_type_t type;
    (void)hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type);
    if (type != HSA_DEVICE_TYPE_GPU) return HSA_STATUS_SUCCESS;
    *(hsa_agent_t *)to = agent;
    return HSA_STATUS_INFO_BREAK;
}

static hsa_status_t take_pool(hsa_amd_memory_pool_t pool, void *to)
{
    bool can_allocate;
    (void)hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED, &can_allocate);
    if (!can_allocate) return HSA_STATUS_SUCCESS;
    *(hsa_amd_memory_pool_t *)to = pool;
    return HSA_STATUS_INFO_BREAK;
}

// The program asks HSA by itself, and writes the GPU's memory by itself.
static void of_hsa()
{
    hsa_agent_t gpu;
    hsa_amd_memory_pool_t pool;
    int *at;
    make();
    (void)hsa_iterate_agents(take_gpu, &gpu);
    (void)hsa_amd_agent_iterate_memory_pools(gpu, take_pool, &pool);
    if (hsa_amd_memory_pool_allocate(pool, N * sizeof(int), 0, (void **)&at) != HSA_STATUS_SUCCESS) return; // made: hsa
    for (int k = 0; k < (right ? N : 64); k++)
        at[k] = 0;
    mark<<<GROUPS, GROUP>>>(at, to, N);
    end();
    (void)hsa_amd_memory_pool_free(at);
}

// A result of which the kernel has left out the end.
static void brought_back()
{
    static int there[N];
    make();
    fill<<<GROUPS, GROUP>>>(from, right ? N : N - 100, 1);
    (void)hipMemcpy(there, from, sizeof there, hipMemcpyDeviceToHost); // bug: brought-back
    end();
}

int main(int argc, char **argv)
{
    static const row_t programs[] = {
        {"condition", condition}, {"condition-end", condition_end}, {"condition-gaps", condition_gaps},
        {"given-again", given_again}, {"copied", copied}, {"transferred", transferred},
        {"from-host", from_host}, {"address", address}, {"branch", branch}, {"member", member},
        {"counter", count}, {"border", border}, {"bins", bins}, {"array", privately<16>},
        {"array-large", privately<5000>}, {"kept", kept}, {"tile", tile}, {"register", registers},
        {"vcc", carry_flag}, {"index", index},
        {"last-byte", last_byte}, {"pool", pool}, {"box", box}, {"hsa", of_hsa},
        {"brought-back", brought_back}};
    return run(programs, argc, argv);
}
