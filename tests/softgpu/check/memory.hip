// memory.hip - programs whose accesses or frees are wrong; see corpus.h.
#include "corpus.h"
#include "asm_waits.h"

#include <hsa/hsa_ext_amd.h>
#include <sys/wait.h>
#include <unistd.h>

__global__ void fill(int *to, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = i; // bug: write
}

static void write_behind()
{
    int *to;
    allocate(&to, N);
    fill<<<GROUPS, GROUP>>>(to, right ? N : N + 5);
    (void)hipDeviceSynchronize();
    (void)hipFree(to);
}

__global__ void sum(const int *from, int *to, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, s = 0;
    if (i < n) s = from[i]; // bug: read
    if (s) atomicAdd(to, s);
}

static void read_behind()
{
    int *from, *to;
    allocate(&from, N);
    allocate(&to, 1);
    (void)hipMemset(from, 0, N * sizeof(int));
    (void)hipMemset(to, 0, sizeof(int));
    sum<<<GROUPS, GROUP>>>(right ? from : from + 8, to, N);
    (void)hipDeviceSynchronize();
    (void)hipFree(from);
    (void)hipFree(to);
}

__global__ void count(int *at, int offset)
{
    atomicAdd((int *)((char *)at + offset), 1); // bug: atomic
}

static void atomic_behind()
{
    int *at;
    allocate(&at, 4);
    (void)hipMemset(at, 0, 4 * sizeof(int));
    count<<<1, 64>>>(at, right ? 12 : 16);
    (void)hipDeviceSynchronize();
    (void)hipFree(at);
}

static void used_freed()
{
    int *from, *to;
    allocate(&from, N);
    allocate(&to, 1);
    (void)hipMemset(from, 0, N * sizeof(int));
    if (!right) (void)hipFree(from); // bug: freed
    sum<<<GROUPS, GROUP>>>(from, to, N);
    (void)hipDeviceSynchronize(); // where the runtime ends the program
}

static void freed_twice()
{
    int *at;
    allocate(&at, N);
    (void)hipFree(at);
    if (right) return;
    (void)hipFree(at); // bug: double-free
    if (hipGetLastError() != hipErrorInvalidValue) std::puts("not refused");
}

static void freed_inside()
{
    int *at;
    allocate(&at, N);
    if (!right) (void)hipFree(at + 4); // bug: free
    (void)hipFree(at);
}

// ---- LDS ----

__global__ void turn(int *to, int shift)
{
    extern __shared__ int held[];
    int i = threadIdx.x;
    held[i] = i; // bug: lds-write
    __syncthreads();
    to[blockIdx.x * blockDim.x + i] = held[blockDim.x - 1 - i + shift]; // bug: lds-read
}

// Who loads from where no workgroup has LDS gets 0, and generators of assembly make use of it.
__global__ void zero(int *to)
{
    int value;
    asm volatile("ds_read_b32 %0, %1\n " WAIT_LDS(0) : "=v"(value) : "v"(0xf00000) : "memory");
    to[threadIdx.x] = value;
}

static void lds_nowhere()
{
    int *to, first = 1;
    allocate(&to, GROUP);
    zero<<<1, GROUP, GROUP>>>(to);
    (void)hipMemcpy(&first, to, sizeof first, hipMemcpyDeviceToHost);
    if (first) std::puts("not 0");
    (void)hipFree(to);
}

static void lds_short()
{
    int *to;
    allocate(&to, GROUPS * GROUP);
    turn<<<GROUPS, GROUP, GROUP * sizeof(int) - (right ? 0 : 64)>>>(to, 0);
    (void)hipDeviceSynchronize();
    (void)hipFree(to);
}

static void lds_shifted()
{
    int *to;
    allocate(&to, GROUPS * GROUP);
    turn<<<GROUPS, GROUP, GROUP * sizeof(int)>>>(to, right ? 0 : 2);
    (void)hipDeviceSynchronize();
    (void)hipFree(to);
}

// ---- scalar loads, arguments, scratch, code ----

__global__ void broadcast(const int *from, int *to, int at)
{
    to[blockIdx.x * blockDim.x + threadIdx.x] = from[at]; // bug: scalar
}

typedef int three_t __attribute__((ext_vector_type(3)));

// compilers read four where three are and a page cannot end behind them
__global__ void three(const three_t *from, int *to, int a, int b, int c)
{
    three_t v = *from;
    to[threadIdx.x] = v.x * a + v.y * b + v.z * c;
}

static void scalar_behind()
{
    int *from, *to, *tiny;
    allocate(&tiny, 3);
    allocate(&to, GROUP);
    (void)hipMemset(tiny, 0, 3 * sizeof(int));
    three<<<1, GROUP>>>((const three_t *)tiny, to, 1, 2, 3);
    (void)hipFree(tiny);
    (void)hipFree(to);
    allocate(&from, N);
    allocate(&to, GROUP);
    (void)hipMemset(from, 0, N * sizeof(int));
    broadcast<<<1, GROUP>>>(from, to, right ? N - 1 : N + 1);
    (void)hipDeviceSynchronize();
    (void)hipFree(from);
    (void)hipFree(to);
}

typedef const __attribute__((address_space(4))) int argument_t;
typedef int four_t __attribute__((ext_vector_type(4)));

template <int at> __global__ void arguments(int *to)
{
    argument_t *all = (argument_t *)__builtin_amdgcn_kernarg_segment_ptr();
    *to = all[at]; // bug: arguments
}

static void arguments_behind()
{
    int *to;
    allocate(&to, 1);
    if (right)
        arguments<1><<<1, 1>>>(to);
    else
        arguments<256><<<1, 1>>>(to);
    (void)hipDeviceSynchronize();
    (void)hipFree(to);
}

typedef const __attribute__((address_space(4))) four_t arguments_t;

// 40 bytes: compilers load the 16 at 32, of which 8 are there, as a whole
template <int at> __global__ void wide_arguments(int *to, long, long, long, long)
{
    arguments_t *all = (arguments_t *)__builtin_amdgcn_kernarg_segment_ptr();
    four_t v = all[at]; // bug: wide-arguments
    *to = v.x * v.y * v.z * v.w;
}

static void wide_arguments_behind()
{
    int *to;
    allocate(&to, 1);
    if (right)
        wide_arguments<2><<<1, 1>>>(to, 1, 2, 3, 4);
    else
        wide_arguments<3><<<1, 1>>>(to, 1, 2, 3, 4);
    (void)hipDeviceSynchronize();
    (void)hipFree(to);
}

__global__ void own_array(int *to, const int *index, int n)
{
    volatile int own[32]; // else compilers keep it in registers
    for (int k = 0; k < 32; k++)
        own[k] = index[k];
    own[index[threadIdx.x] + n] = n; // bug: scratch-write
    int s = 0;
    for (int k = 0; k < 32; k++)
        s += own[k ^ (index[k] & 1)];
    to[threadIdx.x] = s;
}

static void scratch_behind()
{
    int *to, *index;
    allocate(&to, 64);
    allocate(&index, 64);
    (void)hipMemset(index, 0, 64 * sizeof(int));
    own_array<<<1, 64>>>(to, index, right ? 31 : 100);
    (void)hipDeviceSynchronize();
    (void)hipFree(to);
    (void)hipFree(index);
}

__device__ __attribute__((noinline)) int deeper(const int *add, int depth)
{
    int own[64];
    for (int k = 0; k < 64; k++)
        own[k] = add[k] + depth; // bug: stack
    return depth ? deeper(own, depth - 1) : own[depth + 1];
}

__global__ void recurse(int *to, const int *add, int depth)
{
    *to = deeper(add, depth);
}

static void stack_overflow()
{
    int *to, *add;
    allocate(&to, 1);
    allocate(&add, 64);
    (void)hipMemset(add, 0, 64 * sizeof(int));
    recurse<<<1, 1>>>(to, add, right ? 1 : 100); // HIP 6 has a stack of 1 KiB for it
    (void)hipDeviceSynchronize();
    (void)hipFree(to);
    (void)hipFree(add);
}

__device__ __attribute__((noinline, used)) int never(int k)
{
    return k * 3;
}

__global__ void patch(int *to, int where)
{
    int (*volatile code)(int) = never;
    int *at = where ? (int *)code : to;
    *at = where; // bug: code
}

static void code_written()
{
    int *to;
    allocate(&to, 1);
    patch<<<1, 1>>>(to, right ? 0 : 1);
    (void)hipDeviceSynchronize();
    (void)hipFree(to);
}

__global__ void wide_count(unsigned long long *at, int offset)
{
    atomicAdd((unsigned long long *)((char *)at + offset), 1ull); // bug: misaligned
}

static void misaligned()
{
    int *at;
    allocate(&at, 8);
    (void)hipMemset(at, 0, 8 * sizeof(int));
    wide_count<<<1, 1>>>((unsigned long long *)at, right ? 8 : 4);
    (void)hipDeviceSynchronize();
    (void)hipFree(at);
}

__global__ void sum_up(float *sum)
{
    unsafeAtomicAdd(&sum[threadIdx.x % 2], 1.0f); // bug: float-atomic
}

static void float_atomic()
{
    float *sum;
    (void)hipHostMalloc((void **)&sum, 2 * sizeof *sum, right ? hipHostMallocNonCoherent : hipHostMallocCoherent); // made: sum
    sum[0] = sum[1] = 0;
    sum_up<<<1, 64>>>(sum);
    (void)hipDeviceSynchronize();
    (void)hipHostFree(sum);
}

// ---- addresses of no allocation ----

static void fill_at(int *wrong)
{
    int *at = wrong;
    fill<<<1, GROUP>>>(right ? allocate(&at, GROUP) : wrong, GROUP);
    (void)hipDeviceSynchronize();
}

static void null_pointer()
{
    fill_at((int *)16);
}

static void own_memory()
{
    static int own[GROUP];
    fill_at(own);
}

// What an index of 32 bits that has wrapped around, or one that was never set, leads to.
static void far_away()
{
    int *at;
    fill_at(allocate(&at, N) - ((ptrdiff_t)1 << 38));
}

// ---- other kinds of allocations ----

static void fill_all(int *to, int n)
{
    fill<<<(n + GROUP - 1) / GROUP, GROUP>>>(to, n);
    (void)hipDeviceSynchronize();
}

static void host_behind()
{
    int *to;
    if (hipHostMalloc((void **)&to, N * sizeof(int), 0) != hipSuccess) return; // made: host
    fill_all(to, right ? N : N + 5);
    (void)hipHostFree(to);
}

static void managed_behind()
{
    int *to;
    if (hipMallocManaged((void **)&to, N * sizeof(int), hipMemAttachGlobal) != hipSuccess) return; // made: managed
    fill_all(to, right ? N : N + 5);
    (void)hipFree(to);
}

// Pages that are full: what is behind them would be the next allocation's.
static void managed_side_by_side()
{
    enum { FULL = 4096 };
    int *to[3];
    for (int *&at : to)
        if (hipMallocManaged((void **)&at, FULL * sizeof(int), hipMemAttachGlobal) != hipSuccess) return; // made: full
    for (int *at : to)
        fill_all(at, right ? FULL : FULL + 5);
    for (int *at : to)
        (void)hipFree(at);
}

static void pitch_behind()
{
    char *to;
    size_t pitch;
    if (hipMallocPitch((void **)&to, &pitch, 400, 5) != hipSuccess) return; // made: pitch
    const int n = (int)(5 * pitch / sizeof(int));
    fill_all((int *)to, right ? n : n + 1);
    (void)hipFree(to);
}

static void box_behind()
{
    hipPitchedPtr to;
    if (hipMalloc3D(&to, {256, 3, 2}) != hipSuccess) return; // made: box
    const int n = (int)(6 * to.pitch / sizeof(int));
    fill_all((int *)to.ptr, right ? n : n + 1);
    (void)hipFree(to.ptr);
}

// What was asked of the stream is over. The stream of HIP 5.2 stays: once memory was given back by hipFreeAsync, its
// hipStreamDestroy does not return (its pools go through a list without a step), on every GPU. --check keeps such
// memory from HIP's pools, so that the programs end either way with it; without it, or beside a profiler, they would not.
static void finish(hipStream_t stream)
{
    (void)hipStreamSynchronize(stream);
    if (HIP_VERSION >= 50300000) (void)hipStreamDestroy(stream);
}

static void pool_behind()
{
    int *to;
    hipStream_t stream;
    (void)hipStreamCreate(&stream);
    if (hipMallocAsync((void **)&to, N * sizeof(int), stream) != hipSuccess) return; // made: pool
    fill_all(to, right ? N : N + 5);
    (void)hipFreeAsync(to, stream);
    finish(stream);
}

static void extended_behind()
{
    int *to;
    if (hipExtMallocWithFlags((void **)&to, N * sizeof(int), hipDeviceMallocDefault) != hipSuccess) return; // made: extended
    fill_all(to, right ? N : N + 5);
    (void)hipFree(to);
}

static void own_pool_behind()
{
    hipMemPoolProps properties = {};
    hipMemPool_t pool;
    hipStream_t stream;
    int *to;
    properties.allocType = hipMemAllocationTypePinned;
    properties.location.type = hipMemLocationTypeDevice;
    (void)hipStreamCreate(&stream);
    if (hipMemPoolCreate(&pool, &properties) != hipSuccess) return;
    if (hipMallocFromPoolAsync((void **)&to, N * sizeof(int), pool, stream) != hipSuccess) return; // made: own-pool
    fill_all(to, right ? N : N + 5);
    (void)hipFreeAsync(to, stream);
    finish(stream);
    (void)hipMemPoolDestroy(pool);
}

// handles of its own for addresses and memory
static void mapped_behind()
{
    hipMemAllocationProp properties = {};
    hipMemGenericAllocationHandle_t memory;
    size_t bytes = 0;
    void *to;
    properties.type = hipMemAllocationTypePinned;
    properties.location.type = hipMemLocationTypeDevice;
    hipMemAccessDesc access = {properties.location, hipMemAccessFlagsProtReadWrite};
    (void)hipMemGetAllocationGranularity(&bytes, &properties, hipMemAllocationGranularityMinimum);
    if (hipMemAddressReserve(&to, 2 * bytes, 0, nullptr, 0) != hipSuccess ||
        hipMemCreate(&memory, bytes, &properties, 0) != hipSuccess ||
        hipMemMap(to, bytes, 0, memory, 0) != hipSuccess || // made: mapped
        hipMemSetAccess(to, bytes, &access, 1) != hipSuccess)
        return;
    const int n = (int)(bytes / sizeof(int));
    fill_all((int *)to, right ? n : n + 1);
    (void)hipMemUnmap(to, bytes);
    (void)hipMemRelease(memory);
    (void)hipMemAddressFree(to, 2 * bytes);
}

// another process's memory: it waits until that is closed
static void other_behind()
{
    hipIpcMemHandle_t handle;
    int there[2], back[2], *memory, byte = 0;
    if (pipe(there) != 0 || pipe(back) != 0) return;
    const pid_t other = fork();
    if (!other) {
        allocate(&memory, N);
        if (hipIpcGetMemHandle(&handle, memory) != hipSuccess ||
            write(there[1], &handle, sizeof handle) != sizeof handle || read(back[0], &byte, 1) != 1)
            _exit(1);
        int last = 0;
        (void)hipMemcpy(&last, memory + N - 1, sizeof last, hipMemcpyDeviceToHost);
        _exit(last != N - 1);
    }
    close(there[1]);
    if (read(there[0], &handle, sizeof handle) != sizeof handle ||
        hipIpcOpenMemHandle((void **)&memory, handle, hipIpcMemLazyEnablePeerAccess) != hipSuccess) // made: other
        return;
    fill_all(memory, right ? N : N + 5);
    (void)hipIpcCloseMemHandle(memory);
    int status = 1;
    if (write(back[1], &byte, 1) != 1 || waitpid(other, &status, 0) != other || status) std::puts("not written");
}

// two of whole pages, next to each other as far as a runtime lays them so
static void neighbours()
{
    int *to[4];
    for (int *&at : to)
        allocate(&at, 1024);
    for (int *at : to)
        fill_all(at, right ? 1024 : 1025);
    for (int *at : to)
        (void)hipFree(at);
}

static char pages[4 * 4096] __attribute__((aligned(4096)));

static void registered(bool use_after)
{
    int *to = (int *)(pages + 4096 + 16), *at;
    if (hipHostRegister(to, N * sizeof(int), hipHostRegisterDefault) != hipSuccess || // made: registered
        hipHostGetDevicePointer((void **)&at, to, 0) != hipSuccess)
        return;
    fill_all(at, right || use_after ? N : N + 5);
    if (!use_after || !right) (void)hipHostUnregister(to); // bug: unregistered
    if (use_after) fill_all(at, N);
    if (use_after && right) (void)hipHostUnregister(to);
}

// From ROCm 6.1 on the two addresses are one: then it is no error.
static void registered_by_host_address()
{
    int *to = (int *)(pages + 4096 + 16), *at;
    if (hipHostRegister(to, N * sizeof(int), hipHostRegisterDefault) != hipSuccess ||
        hipHostGetDevicePointer((void **)&at, to, 0) != hipSuccess)
        return;
    if (right)
        fill_all(at, N);
    else
        fill_at(to);
    (void)hipHostUnregister(to);
}

static hsa_agent_t find_gpu()
{
    hsa_agent_t gpu = {};
    (void)hipFree(nullptr);
    (void)hsa_iterate_agents(
        [](hsa_agent_t agent, void *to) {
            hsa_device_type_t type;
            (void)hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type);
            if (type == HSA_DEVICE_TYPE_GPU) *(hsa_agent_t *)to = agent;
            return HSA_STATUS_SUCCESS;
        },
        &gpu);
    return gpu;
}

// of the GPU's first pool, and of its region
static void hsa_behind()
{
    int *of_pool, *of_region;
    hsa_amd_memory_pool_t pool = {};
    hsa_region_t region = {};
    hsa_agent_t gpu = find_gpu();
    (void)hsa_amd_agent_iterate_memory_pools(
        gpu,
        [](hsa_amd_memory_pool_t p, void *to) {
            *(hsa_amd_memory_pool_t *)to = p;
            return HSA_STATUS_INFO_BREAK;
        },
        &pool);
    (void)hsa_agent_iterate_regions(
        gpu,
        [](hsa_region_t r, void *to) {
            bool good = false;
            (void)hsa_region_get_info(r, HSA_REGION_INFO_RUNTIME_ALLOC_ALLOWED, &good);
            if (good) *(hsa_region_t *)to = r;
            return good ? HSA_STATUS_INFO_BREAK : HSA_STATUS_SUCCESS;
        },
        &region);
    if (hsa_amd_memory_pool_allocate(pool, N * sizeof(int), 0, (void **)&of_pool) != HSA_STATUS_SUCCESS ||
        hsa_memory_allocate(region, N * sizeof(int), (void **)&of_region) != HSA_STATUS_SUCCESS) // made: region
        return;
    fill_all(of_pool, right ? N : N + 5);
    fill_all(of_region, right ? N : N + 5);
    (void)hsa_amd_memory_pool_free(of_pool);
    (void)hsa_memory_free(of_region);
}

// locked twice, in part and as a whole: it stays so until the last lock is gone
static void locked_behind()
{
    int *all, *part, *again;
    hsa_agent_t gpu = find_gpu();
    if (hsa_amd_memory_lock(pages, 2 * N * sizeof(int), &gpu, 1, (void **)&all) != HSA_STATUS_SUCCESS ||
        hsa_amd_memory_lock(pages + N, N * sizeof(int), &gpu, 1, (void **)&part) != HSA_STATUS_SUCCESS)
        return;
    fill_all(all, 2 * N);
    fill_all(part, N);
    (void)hsa_amd_memory_unlock(pages + N);
    fill_all(all, 2 * N);
    if (hsa_amd_memory_lock(pages, 2 * N * sizeof(int), &gpu, 1, (void **)&again) != HSA_STATUS_SUCCESS) return;
    (void)hsa_amd_memory_unlock(pages);
    fill_all(all, right ? 2 * N : 2 * N + 1);
    (void)hsa_amd_memory_unlock(pages);
}

static void registered_behind()
{
    registered(false);
}

static void used_unregistered()
{
    registered(true);
}

// ---- in the order of streams ----

static void used_freed_async()
{
    int *from, *to;
    hipStream_t stream;
    (void)hipStreamCreate(&stream);
    allocate(&to, 1);
    if (hipMallocAsync((void **)&from, N * sizeof(int), stream) != hipSuccess) return; // made: async
    (void)hipMemsetAsync(from, 0, N * sizeof(int), stream);
    sum<<<GROUPS, GROUP, 0, stream>>>(from, to, N);
    (void)hipFreeAsync(from, stream); // bug: freed-async
    if (!right) sum<<<GROUPS, GROUP, 0, stream>>>(from, to, N);
    finish(stream);
    (void)hipFree(to);
}

static void freed_async_twice()
{
    int *at;
    hipStream_t stream;
    (void)hipStreamCreate(&stream);
    if (hipMallocAsync((void **)&at, N * sizeof(int), stream) != hipSuccess) return; // made: async-twice
    (void)hipFreeAsync(at, stream);
    if (!right) (void)hipFreeAsync(at, stream); // bug: double-free-async
    if (!right && hipGetLastError() != hipErrorInvalidValue) std::puts("not refused");
    finish(stream);
}

// ---- copies and fills ----

static void copied_behind()
{
    int *from;
    static int to[N + 5];
    allocate(&from, N);
    (void)hipMemset(from, 0, N * sizeof(int));
    (void)hipMemcpy(to, from, (right ? N : N + 5) * sizeof(int), hipMemcpyDeviceToHost); // bug: copy
    (void)hipFree(from);
}

static void filled_behind()
{
    int *to;
    allocate(&to, N);
    (void)hipMemsetD32((hipDeviceptr_t)to, 7, right ? N : N + 1); // bug: set
    (void)hipFree(to);
}

static void copied_2d_behind()
{
    int *to;
    static int from[N];
    allocate(&to, N); // 10 rows of 100
    (void)hipMemcpy2D(to, 400, from, 400, 396, right ? 10 : 11, hipMemcpyHostToDevice); // bug: copy-2d
    (void)hipFree(to);
}

static void copied_3d_behind()
{
    hipMemcpy3DParms p = {};
    static int from[N];
    int *to;
    allocate(&to, N); // 2 of 10 rows of 50
    p.srcPtr = {from, 200, 50, 10};
    p.dstPtr = {to, 200, 50, 10};
    p.dstPos = {right ? 0u : 40u, 0, 0};
    p.extent = {200, 10, 2};
    p.kind = hipMemcpyHostToDevice;
    (void)hipMemcpy3D(&p); // bug: copy-3d
    (void)hipFree(to);
}

static void copied_freed()
{
    int *from;
    static int to[N];
    allocate(&from, N);
    if (!right) (void)hipFree(from); // bug: copy-freed-free
    (void)hipMemcpy(to, from, sizeof to, hipMemcpyDeviceToHost); // bug: copy-freed
    if (right) (void)hipFree(from);
}

__global__ void wait_for(volatile int *flag)
{
    while (!*flag)
        __builtin_amdgcn_s_sleep(1);
}

// right when it is asked for, but another stream takes the memory back before it is done
static void copied_late()
{
    enum { MANY = 1 << 20 };
    hipStream_t copies, other;
    int *from, *flag;
    char *to;
    (void)hipStreamCreate(&copies);
    (void)hipStreamCreate(&other);
    (void)hipHostMalloc((void **)&flag, sizeof *flag, 0);
    (void)hipHostMalloc((void **)&to, MANY, 0);
    *flag = 0;
    if (hipMallocAsync((void **)&from, MANY, other) != hipSuccess) return; // made: late
    (void)hipMemsetAsync(from, 0, MANY, other);
    (void)hipStreamSynchronize(other);
    wait_for<<<1, 1, 0, copies>>>(flag);
    (void)hipMemcpyAsync(to, from, MANY, hipMemcpyDeviceToHost, copies); // bug: late
    (void)hipFreeAsync(from, right ? copies : other); // bug: late-free
    (void)hipStreamSynchronize(other);
    *flag = 1;
    (void)hipStreamSynchronize(copies);
    (void)hipStreamDestroy(copies);
    (void)hipStreamDestroy(other);
    (void)hipHostFree(flag);
    (void)hipHostFree(to);
}

// takes all that there is, by so much, and gives it back: how often
static int fill_up()
{
    static void *at[256];
    int n = 0;
    while (n < 256 && hipMalloc(&at[n], 200 << 20) == hipSuccess)
        n++;
    for (int k = 0; k < n; k++)
        (void)hipFree(at[k]);
    return n;
}

// more than is kept back: given out, filled, taken back; whoever asks finds it taken back
static void many_freed()
{
    enum { BLOCK = 1 << 20, TIMES = 40 };
    hipStream_t stream;
    size_t before, after, total;
    int *at;
    (void)hipStreamCreate(&stream);
    (void)hipMemGetInfo(&before, &total);
    (void)hipMalloc((void **)&at, BLOCK);
    (void)hipFree(at);
    (void)hipMalloc((void **)&at, BLOCK);
    (void)hipFree(at);
    (void)hipMemGetInfo(&after, &total);
    if (before != after) std::puts("not given back");
    if (fill_up() != fill_up()) std::puts("there was more before");
    for (int k = 0; k < TIMES; k++) {
        if (hipMalloc((void **)&at, BLOCK) != hipSuccess) return;
        fill_all(at, BLOCK / sizeof(int));
        (void)hipFree(at);
        if (hipMallocAsync((void **)&at, BLOCK, stream) != hipSuccess) return;
        fill<<<GROUPS, GROUP, 0, stream>>>(at, N);
        (void)hipFreeAsync(at, stream);
    }
    (void)hipStreamSynchronize(stream);
    (void)hipStreamDestroy(stream);
    allocate(&at, N);
    fill_all(at, right ? N : N + 5);
    (void)hipFree(at);
}

// ---- leaks ----

// the graph's, and no leak; HIP 5 waits for ever
static void captured()
{
    hipStream_t stream;
    hipGraph_t graph;
    int *at;
    (void)hipStreamCreate(&stream);
    (void)hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed);
    if (hipMallocAsync((void **)&at, N * sizeof(int), stream) == hipSuccess) (void)hipFreeAsync(at, stream);
    if (hipStreamEndCapture(stream, &graph) == hipSuccess) (void)hipGraphDestroy(graph);
    (void)hipStreamDestroy(stream);
}

static void leaked()
{
    volatile int n = 3; // the compiler would call three times
    int *at[3], *host, *pool;
    hipStream_t stream;
    (void)hipStreamCreate(&stream);
    for (int k = 0; k < n; k++)
        (void)hipMalloc((void **)&at[k], 1000); // made: leaked
    (void)hipHostMalloc((void **)&host, 512, 0); // made: leaked-host
    (void)hipMallocAsync((void **)&pool, 100, stream);
    (void)hipFreeAsync(pool, stream);
    (void)hipStreamDestroy(stream);
    for (int *a : at)
        if (right) (void)hipFree(a);
    if (right) (void)hipHostFree(host);
}

static const row_t rows[] = {
    {"write-behind", write_behind},
    {"read-behind", read_behind},
    {"atomic-behind", atomic_behind},
    {"used-freed", used_freed},
    {"freed-twice", freed_twice},
    {"freed-inside", freed_inside},
    {"lds-short", lds_short},
    {"lds-shifted", lds_shifted},
    {"lds-nowhere", lds_nowhere},
    {"scalar-behind", scalar_behind},
    {"arguments-behind", arguments_behind},
    {"wide-arguments-behind", wide_arguments_behind},
    {"scratch-behind", scratch_behind},
    {"stack-overflow", stack_overflow},
    {"code-written", code_written},
    {"misaligned", misaligned},
    {"float-atomic", float_atomic},
    {"null-pointer", null_pointer},
    {"own-memory", own_memory},
    {"far-away", far_away},
    {"host-behind", host_behind},
    {"managed-behind", managed_behind},
    {"managed-side-by-side", managed_side_by_side},
    {"pitch-behind", pitch_behind},
    {"box-behind", box_behind},
    {"pool-behind", pool_behind},
    {"extended-behind", extended_behind},
    {"own-pool-behind", own_pool_behind},
    {"mapped-behind", mapped_behind},
    {"other-behind", other_behind},
    {"hsa-behind", hsa_behind},
    {"neighbours", neighbours},
    {"registered-behind", registered_behind},
    {"used-unregistered", used_unregistered},
    {"registered-by-host-address", registered_by_host_address},
    {"locked-behind", locked_behind},
    {"used-freed-async", used_freed_async},
    {"freed-async-twice", freed_async_twice},
    {"copied-behind", copied_behind},
    {"filled-behind", filled_behind},
    {"copied-2d-behind", copied_2d_behind},
    {"copied-3d-behind", copied_3d_behind},
    {"copied-freed", copied_freed},
    {"copied-late", copied_late},
    {"many-freed", many_freed},
    {"leaked", leaked},
    {"captured", captured},
};

int main(int argc, char **argv)
{
    return run(rows, argc, argv);
}
