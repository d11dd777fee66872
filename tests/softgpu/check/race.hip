// race.hip - programs with accesses that nothing orders; see corpus.h.
//
// The two accesses of a race are on the lines "bug: NAME" and "also: NAME"; which of the two is reported as
// the race and which as the other access may be chance.
#include "corpus.h"

enum { ALL = GROUP * GROUPS, TILE = 16, BINS = 8, PASSES = 3 };

static int *numbers(size_t count, int factor)
{
    int *at, *host = new int[count];
    for (size_t k = 0; k < count; k++)
        host[k] = factor * (int)k;
    allocate(&at, count);
    (void)hipMemcpy(at, host, count * sizeof(int), hipMemcpyHostToDevice);
    delete[] host;
    return at;
}

// A kernel with `from` and `to` of so many numbers each; the rest is zeroed.
template <class kernel_t> static void two(kernel_t kernel, int groups, int size)
{
    int *from = numbers(ALL, 7), *to = numbers(ALL, 0);
    kernel<<<groups, size>>>(from, to, right);
    (void)hipDeviceSynchronize();
    (void)hipFree(from);
    (void)hipFree(to);
}

// ---- LDS ----

__global__ void sum_tree(const int *from, int *to, bool right)
{
    __shared__ int part[GROUP];
    int i = threadIdx.x;
    part[i] = from[i];
    __syncthreads();
#pragma nounroll
    for (int half = GROUP / 2; half; half /= 2) {
        int other = 0;
        if (i < half) other = part[i + half]; // bug: reduction
        if (i < half) part[i] += other; // also: reduction
        if (right) __syncthreads();
    }
    if (!i) *to = part[0];
}

__global__ void transpose(const int *from, int *to, bool right)
{
    __shared__ int tile[TILE][TILE + 1];
    int x = threadIdx.x % TILE, y = threadIdx.x / TILE;
    tile[y][x] = from[threadIdx.x]; // also: transpose
    if (right) __syncthreads();
    to[threadIdx.x] = tile[x][y]; // bug: transpose
}

__global__ void scan(const int *from, int *to, bool right)
{
    __shared__ int buffer[2][GROUP];
    int i = threadIdx.x, now = 0;
    buffer[0][i] = from[i];
    __syncthreads();
#pragma nounroll
    for (int step = 1; step < GROUP; step *= 2) {
        int sum = buffer[now][i];
        if (i >= step) sum += buffer[now][i - step]; // bug: scan
        now = !now;
        buffer[now][i] = sum; // also: scan
        if (right) __syncthreads();
    }
    to[i] = buffer[now][i];
}

__global__ void hand_over(const int *from, int *to, bool right)
{
    __shared__ int box[64];
    int i = threadIdx.x;
    if (i < 64) box[i] = from[i]; // also: producer
    if (right) __syncthreads();
    if (i >= 64) to[i] = box[i % 64]; // bug: producer
}

__global__ void tiles(const int *from, int *to, bool right)
{
    __shared__ int tile[GROUP];
    int i = threadIdx.x, sum = 0;
#pragma nounroll
    for (int pass = 0; pass < GROUPS; pass++) {
        tile[i] = from[pass * GROUP + i]; // bug: reuse
        __syncthreads();
        sum += tile[GROUP - 1 - i]; // also: reuse
        if (right) __syncthreads();
    }
    to[i] = sum;
}

__global__ void two_tiles(const int *from, int *to, bool right)
{
    __shared__ int tile[2][GROUP];
    int i = threadIdx.x, sum = 0;
    tile[0][i] = from[i];
    __syncthreads();
#pragma nounroll
    for (int pass = 0; pass < PASSES; pass++) {
        tile[(pass + 1) % 2][i] = from[(pass + 1) * GROUP + i]; // bug: double-buffer
        if (right) __syncthreads();
        sum += tile[pass % 2][GROUP - 1 - i]; // also: double-buffer
        if (right || pass % 2) __syncthreads();
    }
    to[i] = sum;
}

__global__ void count_plain(const int *from, int *to, bool right)
{
    __shared__ int bin[BINS];
    int i = threadIdx.x;
    if (i < BINS) bin[i] = 0;
    __syncthreads();
    if (right)
        atomicAdd(&bin[from[i] % BINS], 1);
    else
        bin[from[i] % BINS] += 1; // bug: lds-histogram
    __syncthreads();
    if (i < BINS) to[i] = bin[i];
}

__global__ void count_atomic(const int *from, int *to, bool right)
{
    __shared__ int bin[BINS];
    int i = threadIdx.x;
    if (i < BINS) bin[i] = 0;
    __syncthreads();
    atomicAdd(&bin[from[i] % BINS], 1); // bug: lds-atomic
    if (right) __syncthreads();
    if (i < BINS) to[i] = bin[i]; // also: lds-atomic
}

__global__ void clear_count(const int *from, int *to, bool right)
{
    __shared__ int bin[BINS];
    int i = threadIdx.x;
    if (i >= GROUP - BINS) bin[i % BINS] = 0; // bug: lds-clear
    if (right) __syncthreads();
    atomicAdd(&bin[from[i] % BINS], 1); // also: lds-clear
    __syncthreads();
    if (i < BINS) to[i] = bin[i];
}

__global__ void found(const int *from, int *to, bool right)
{
    __shared__ int flag;
    int i = threadIdx.x;
    if (!i) flag = 0;
    __syncthreads();
    if (from[i] == 7 * 100) flag = 1; // also: lds-flag
    if (right) __syncthreads();
    to[i] = flag; // bug: lds-flag
}

__global__ void broadcast(const int *from, int *to, bool right)
{
    __shared__ int value;
    int i = threadIdx.x, sum = 0;
#pragma nounroll
    for (int pass = 0; pass < PASSES; pass++) {
        if (!i) value = from[pass]; // bug: broadcast
        __syncthreads();
        sum += value * i; // also: broadcast
        if (right) __syncthreads();
    }
    to[i] = sum;
}

// A flag that is volatile: of LDS, and yet compilers take FLAT for it.
__global__ void volatile_flag(const int *from, int *to, bool right)
{
    __shared__ int value;
    __shared__ volatile int ready;
    int i = threadIdx.x;
    if (!i) ready = 0;
    __syncthreads();
    if (i == GROUP - 1) {
        value = from[i]; // also: volatile-flag
        __threadfence_block();
        ready = 1;
    }
    if (i) return;
    if (right)
        while (!ready) __builtin_amdgcn_s_sleep(1);
    __threadfence_block();
    to[0] = value; // bug: volatile-flag
}

// Counts that one wave sets, and counts in itself before the others do.
__global__ void begun(const int *from, int *to, bool right)
{
    __shared__ int bins[16];
    int i = threadIdx.x;
    if (i < 16) bins[i] = 0; // also: lds-begun
    if (right) __syncthreads();
    atomicAdd(&bins[(from[i] & 0) + i % 16], 1); // bug: lds-begun
    __syncthreads();
    to[i] = bins[i % 16];
}

// A lock that other waves may look at before it has its first value.
__global__ void lock_begun(const int *from, int *to, bool right)
{
    __shared__ int lock, sum;
    int i = threadIdx.x;
    if (!i) lock = sum = 0; // also: lds-lock
    if (right) __syncthreads();
    if (i % 64 == 0) {
        while (atomicCAS(&lock, 0, 1)) __builtin_amdgcn_s_sleep(1); // bug: lds-lock
        sum += from[i];
        to[i] = sum;
        __hip_atomic_store(&lock, 0, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_WORKGROUP);
    }
}

// From memory to LDS, past the registers.
__global__ void straight(const int *from, int *to, bool right)
{
    typedef int descriptor_t __attribute__((ext_vector_type(4)));
    __shared__ int tile[GROUP];
    int i = threadIdx.x;
    unsigned long long at = reinterpret_cast<unsigned long long>(from);
    descriptor_t all = {(int)at, (int)(at >> 32), ALL * 4, 0x20000};
    int wave = __builtin_amdgcn_readfirstlane(i / 64 * 256);
#if !defined __GFX11__ && !defined __GFX12__ // which have no such loads
    asm volatile("s_mov_b32 m0, %0\n s_nop 0\n buffer_load_dword %1, %2, 0 offen lds\n s_waitcnt vmcnt(0)" // also: straight
                 : : "s"(wave), "v"(i * 4), "s"(all), "v"(tile) : "memory");
#endif
    if (right) __syncthreads();
    to[i] = tile[GROUP - 1 - i]; // bug: straight
}

// ---- global memory, within a workgroup ----

__global__ void through_memory(const int *from, int *to, bool right)
{
    int i = threadIdx.x;
    to[i] = from[i]; // also: through-memory
    if (right) __syncthreads();
    int other = to[GROUP - 1 - i]; // bug: through-memory
    __syncthreads();
    to[GROUP + i] = other;
}

// ---- between workgroups ----

__global__ void smooth(const int *from, int *to, bool right)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int *source = right ? const_cast<int *>(from) : to;
    int before = i ? source[i - 1] : 0; // bug: stencil
    int after = i + 1 < ALL ? source[i + 1] : 0;
    __syncthreads();
    to[i] = before + after + i; // also: stencil
}

__global__ void count_global(const int *from, int *to, bool right)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (right)
        atomicAdd(&to[from[i] % BINS], 1);
    else
        to[from[i] % BINS] += 1; // bug: histogram
}

__global__ void edges(const int *from, int *to, bool right)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = blockDim.x + (right ? 0 : 1);
    for (int k = threadIdx.x; k < n; k += blockDim.x)
        to[blockIdx.x * blockDim.x + k] = from[i] + 1; // bug: boundary
}

// The last workgroup to come adds up what all have left behind.
__global__ void last_adds(const int *from, int *to, bool right)
{
    __shared__ int last;
    int *part = to + 1, *came = to + 1 + GROUPS;
    if (!threadIdx.x) {
        part[blockIdx.x] = from[blockIdx.x] + 1; // also: last-block
        if (right) __threadfence();
        last = atomicAdd(came, 1) == GROUPS - 1;
    }
    __syncthreads();
    if (!last || threadIdx.x) return;
    __threadfence();
    int sum = 0;
    for (int k = 0; k < GROUPS; k++)
        sum += part[k]; // bug: last-block
    *to = sum;
}

// Each workgroup waits for the one before it.
__global__ void look_back(const int *from, int *to, bool right)
{
    int *sum = to, *ready = to + GROUPS, b = blockIdx.x;
    if (threadIdx.x) return;
    if (right && b)
        while (!__hip_atomic_load(&ready[b - 1], __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT))
            __builtin_amdgcn_s_sleep(1);
    int before = b ? sum[b - 1] : 0; // bug: look-back
    sum[b] = before + from[b] + 1; // also: look-back
    if (right) __hip_atomic_store(&ready[b], 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
}

// All workgroups meet, and go on with what the others have written.
__global__ void grid_steps(const int *from, int *to, bool right)
{
    int i = threadIdx.x, b = blockIdx.x, *came = to + 3 * ALL / 4;
    to[b * 64 + i] = from[b * 64 + i] + 1;
    for (int pass = 1; pass <= 2; pass++) {
        __syncthreads();
        if (!i && (right || pass == 1)) {
            __threadfence();
            atomicAdd(came, 1);
            while (__hip_atomic_load(came, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT) < pass * GROUPS)
                __builtin_amdgcn_s_sleep(1);
            __threadfence();
        }
        __syncthreads();
        int other = to[(pass - 1) * 256 + (b + 1) % GROUPS * 64 + i]; // bug: grid
        to[pass * 256 + b * 64 + i] = other + pass; // also: grid
    }
}

// A lock: who comes has a number, and waits until it is called.
__global__ void numbered(const int *from, int *to, bool right)
{
    if (threadIdx.x) return;
    for (int pass = 0; pass < PASSES; pass++) {
        int mine = atomicAdd(&to[0], 1);
        if (right)
            while (__hip_atomic_load(&to[1], __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) != mine)
                __builtin_amdgcn_s_sleep(1);
        to[2] += from[blockIdx.x] + 1; // bug: ticket
        if (right) __hip_atomic_store(&to[1], mine + 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
    }
}

// A lock that is given back by an exchange, of which compilers make a store.
__global__ void exchanged(const int *from, int *to, bool right)
{
    if (threadIdx.x) return;
    for (int pass = 0; pass < PASSES; pass++) {
        while (atomicExch(&to[0], 1)) __builtin_amdgcn_s_sleep(1);
        __threadfence();
        to[1] += from[blockIdx.x] + 1; // bug: unlock
        if (right) __threadfence();
        atomicExch(&to[0], 0);
    }
}

__global__ void progress(const int *from, int *to, bool right)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) atomicAdd(&to[0], from[i] + 1); // bug: atomic-plain
    if (threadIdx.x != 1) return;
    int seen = right ? __hip_atomic_load(&to[0], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT) : to[0]; // also: atomic-plain
    to[1 + blockIdx.x] = seen;
}

__device__ int total;

// What workgroups share is a variable.
__global__ void add_up(const int *from, int *to, bool right)
{
    if (threadIdx.x) return;
    if (right)
        atomicAdd(&total, from[blockIdx.x]);
    else
        total += from[blockIdx.x]; // bug: variable
    to[blockIdx.x] = right;
}

// ---- between dispatches ----

// Not before the program has begun what follows.
__global__ void fill(int *to, int value, const int *go)
{
    while (!__hip_atomic_load(go, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM))
        __builtin_amdgcn_s_sleep(1);
    to[blockIdx.x * blockDim.x + threadIdx.x] = value + threadIdx.x; // also: streams
}

__global__ void take(const int *from, int *to)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = from[i]; // bug: streams
}

// Two streams; the second one waits for the first, or does not.
static void streams()
{
    int *from = numbers(ALL, 0), *to = numbers(ALL, 0), *go;
    (void)hipHostMalloc(reinterpret_cast<void **>(&go), sizeof *go);
    *go = 0;
    hipStream_t one, other;
    hipEvent_t filled;
    (void)hipStreamCreateWithFlags(&one, hipStreamNonBlocking);
    (void)hipStreamCreateWithFlags(&other, hipStreamNonBlocking);
    (void)hipEventCreateWithFlags(&filled, hipEventDisableTiming);
    fill<<<GROUPS, GROUP, 0, one>>>(from, 5, go);
    (void)hipEventRecord(filled, one);
    if (right) (void)hipStreamWaitEvent(other, filled, 0);
    take<<<GROUPS, GROUP, 0, other>>>(from, to);
    __atomic_store_n(go, 1, __ATOMIC_RELEASE);
    (void)hipDeviceSynchronize();
    (void)hipFree(from);
    (void)hipFree(to);
    (void)hipHostFree(go);
}

// Rows of a picture, one for each workgroup; or all of them in the first.
__global__ void paint(hipSurfaceObject_t to, bool right)
{
#ifndef __HIP_NO_IMAGE_SUPPORT
    int y = right ? blockIdx.x : 0;
    surf2Dwrite(static_cast<float>(blockIdx.x), to, static_cast<int>(threadIdx.x) * 4, y); // bug: surface
#endif
}

// All workgroups give the picture one colour, which is not in memory as it is in registers: no race.
__global__ void same_colour(hipSurfaceObject_t to, bool)
{
#ifndef __HIP_NO_IMAGE_SUPPORT
    surf2Dwrite(make_ushort4(1, 2, 3, 4), to, static_cast<int>(threadIdx.x) * 8, 0);
#endif
}

template <class texel_t, class kernel_t> static void picture(kernel_t kernel)
{
    const hipChannelFormatDesc format = hipCreateChannelDesc<texel_t>();
    hipResourceDesc resource = {};
    hipSurfaceObject_t to;
    resource.resType = hipResourceTypeArray;
    (void)hipMallocArray(&resource.res.array.array, &format, GROUP, GROUPS, 0); // made: surface
    (void)hipCreateSurfaceObject(&to, &resource);
    kernel<<<GROUPS, GROUP>>>(to, right);
    (void)hipDeviceSynchronize();
    (void)hipDestroySurfaceObject(to);
    (void)hipFreeArray(resource.res.array.array);
}

// ---- what is right, and easily taken for a race ----

// A lock: taken by compare and swap, given back by an atomic store, which looks like any other.
__global__ void locked(const int *from, int *to, bool)
{
    if (threadIdx.x) return;
    for (int pass = 0; pass < PASSES; pass++) {
        while (atomicCAS(&to[0], 0, 1)) __builtin_amdgcn_s_sleep(1);
        __threadfence();
        to[1] += from[blockIdx.x];
        __threadfence();
        __hip_atomic_store(&to[0], 0, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
    }
}

// A lock and a flag in LDS.
__global__ void locked_waves(const int *from, int *to, bool)
{
    __shared__ int lock, sum, ready;
    int i = threadIdx.x;
    if (!i) lock = sum = ready = 0;
    __syncthreads();
    if (i % 64 == 0) {
        while (atomicCAS(&lock, 0, 1)) __builtin_amdgcn_s_sleep(1);
        sum += from[i];
        __hip_atomic_store(&lock, 0, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_WORKGROUP);
        if (__hip_atomic_fetch_add(&ready, 1, __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_WORKGROUP) == GROUP / 64 - 1)
            to[0] = sum;
    }
}

__global__ void waiting_wave(const int *from, int *to, bool)
{
    __shared__ int value, ready;
    int i = threadIdx.x;
    if (!i) ready = 0;
    __syncthreads();
    if (i == GROUP - 1) {
        value = from[i];
        __hip_atomic_store(&ready, 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_WORKGROUP);
    }
    if (i) return;
    while (!__hip_atomic_load(&ready, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_WORKGROUP)) __builtin_amdgcn_s_sleep(1);
    to[0] = value;
}

// The largest of all, of floats, by compare and swap after a first look.
__global__ void largest(const int *from, int *to, bool)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, seen = to[0];
    float mine = (float)from[i];
    while (__int_as_float(seen) < mine) {
        int before = seen;
        seen = atomicCAS(&to[0], before, __float_as_int(mine));
        if (seen == before) break;
    }
}

// The same of sums. Between the first look and the loop the compiler has placed divisions.
__global__ void sum_far(const int *from, int *to, bool)
{
    double *sums = reinterpret_cast<double *>(to);
    unsigned long long mine = from[blockIdx.x * blockDim.x + threadIdx.x] * 0x9e3779b97f4a7c15u;
    atomicAdd(sums + blockIdx.x % 2, static_cast<double>(mine % 100001 * mine % 1009) / 8);
}

// Everybody says the same.
__global__ void found_by_many(const int *from, int *to, bool)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (from[i] % 2) to[0] = 1;
}

// What fits between two waves of a dword: bytes.
__global__ void bytes(const int *from, int *to, bool)
{
    __shared__ char held[GROUP];
    int i = threadIdx.x, at = i % 64 * 4 + i / 64;
    held[at] = (char)from[i];
    reinterpret_cast<char *>(to)[blockIdx.x * GROUP + at] = held[at];
}

// Flags of one byte, which are in one dword, of all workgroups.
__global__ void byte_flags(const int *from, int *to, bool)
{
    unsigned char *ready = reinterpret_cast<unsigned char *>(to + GROUPS);
    unsigned b = blockIdx.x, n = gridDim.x;
    int sum = 0;
    if (threadIdx.x) return;
    to[b] = from[b];
    __threadfence();
    __hip_atomic_store(&ready[b], (unsigned char)1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    for (unsigned k = 0; k < n; k++)
        while (!__hip_atomic_load(&ready[k], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)) __builtin_amdgcn_s_sleep(1);
    __threadfence();
    for (unsigned k = 0; k < n; k++) sum += to[k];
    to[2 * GROUPS + b] = sum;
}

// The same of the waves of a workgroup.
__global__ void byte_flags_of_waves(const int *from, int *to, bool)
{
    __shared__ unsigned char ready[GROUP / 64];
    __shared__ int part[GROUP / 64];
    int i = threadIdx.x, w = i / 64, sum = 0;
    if (!i)
        for (unsigned char &r : ready) r = 0;
    __syncthreads();
    if (i % 64) return;
    part[w] = from[i];
    __hip_atomic_store(&ready[w], (unsigned char)1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_WORKGROUP);
    for (int k = 0; k < GROUP / 64; k++)
        while (!__hip_atomic_load(&ready[k], __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_WORKGROUP)) __builtin_amdgcn_s_sleep(1);
    for (int p : part) sum += p;
    to[w] = sum;
}

// All waves replace a row by the same, at a place that they have read in LDS.
__global__ void same_row(const int *from, int *to, bool)
{
    __shared__ int row[64 + 1];
    int i = threadIdx.x;
    if (!i) row[64] = 0;
    __syncthreads();
    row[row[64] + i % 64] = from[i % 64] + 1;
    __syncthreads();
    to[i] = row[63 - i % 64];
}

// All waves store the same row of LDS to memory, without registers between, while others load it.
__global__ void stored_straight(const int *from, int *to, bool)
{
    __shared__ int row[64];
    int i = threadIdx.x;
    if (i < 64) row[i] = from[i];
    __syncthreads();
#if defined __gfx908__ || defined __gfx90a__ // which have such stores
    typedef int descriptor_t __attribute__((ext_vector_type(4)));
    unsigned long long at = reinterpret_cast<unsigned long long>(to);
    descriptor_t all = {(int)at, (int)(at >> 32) | 4 << 16, ALL, 1 << 23}; // by the lane's number
    int wave = __builtin_amdgcn_readfirstlane(i / 64 * 256);
    asm volatile("s_mov_b32 m0, 0\n s_nop 0\n buffer_store_lds_dword %0, %1 lds\n s_waitcnt vmcnt(0)" ::"s"(all),
                 "s"(wave), "v"(row)
                 : "memory");
#else
    to[i] = row[i % 64];
#endif
    to[GROUP + i] = row[63 - i % 64];
}

#define RUN(name, kernel, groups, size)                                                                                \
    {                                                                                                                  \
        name, [] { two(kernel, groups, size); }                                                                        \
    }

static const row_t rows[] = {
    RUN("reduction", sum_tree, 1, GROUP),
    RUN("transpose", transpose, 1, GROUP),
    RUN("scan", scan, 1, GROUP),
    RUN("producer", hand_over, 1, GROUP),
    RUN("reuse", tiles, 1, GROUP),
    RUN("double-buffer", two_tiles, 1, GROUP),
    RUN("lds-histogram", count_plain, 1, GROUP),
    RUN("lds-atomic", count_atomic, 1, GROUP),
    RUN("lds-clear", clear_count, 1, GROUP),
    RUN("lds-flag", found, 1, GROUP),
    RUN("broadcast", broadcast, 1, GROUP),
    RUN("volatile-flag", volatile_flag, 1, GROUP),
    RUN("lds-begun", begun, 1, GROUP),
    RUN("lds-lock", lock_begun, 1, GROUP),
    RUN("straight", straight, 1, GROUP),
    RUN("through-memory", through_memory, 1, GROUP),
    RUN("stencil", smooth, GROUPS, GROUP),
    RUN("histogram", count_global, GROUPS, GROUP),
    RUN("boundary", edges, GROUPS, 64),
    RUN("last-block", last_adds, GROUPS, GROUP),
    RUN("look-back", look_back, GROUPS, 64),
    RUN("grid", grid_steps, GROUPS, 64),
    RUN("ticket", numbered, GROUPS, 64),
    RUN("unlock", exchanged, GROUPS, 64),
    RUN("atomic-plain", progress, GROUPS, 64),
    RUN("variable", add_up, GROUPS, 64),
    {"streams", streams},
    {"surface", [] { picture<float>(paint); }},
    {"same-colour", [] { picture<ushort4>(same_colour); }},
    RUN("locked", locked, GROUPS, 64),
    RUN("locked-waves", locked_waves, 1, GROUP),
    RUN("waiting-wave", waiting_wave, 1, GROUP),
    RUN("largest", largest, GROUPS, GROUP),
    RUN("sum-far", sum_far, GROUPS, GROUP),
    RUN("found-by-many", found_by_many, GROUPS, GROUP),
    RUN("bytes", bytes, GROUPS, GROUP),
    RUN("byte-flags", byte_flags, 4, 64),
    RUN("byte-flags-of-waves", byte_flags_of_waves, 1, GROUP),
    RUN("same-row", same_row, 1, GROUP),
    RUN("stored-straight", stored_straight, 1, GROUP),
};

int main(int argc, char **argv)
{
    return run(rows, argc, argv);
}
