// idioms.hip - programs that are right in ways that a check may take for wrong: no check says
// anything of them
//
// A row is a program; all of them run one after the other, and those with a wrong result are named.
// Programs that are right as far as one family of findings goes are in that family's own file.
#include "corpus.h"

#include <numeric>
#include <thread>
#include <vector>

enum { WAVE = 64 };

static std::vector<int> from_one(int n)
{
    std::vector<int> v(n);
    std::iota(v.begin(), v.end(), 1);
    return v;
}

static int *on_gpu(const std::vector<int> &v)
{
    int *at;
    (void)hipMemcpy(allocate(&at, v.size()), v.data(), v.size() * sizeof(int),
                    hipMemcpyHostToDevice);
    return at;
}

static int *zeroed(int n)
{
    return on_gpu(std::vector<int>(n, 0));
}

static std::vector<int> taken(int *at, int n)
{
    std::vector<int> v(n);
    (void)hipMemcpy(v.data(), at, n * sizeof(int), hipMemcpyDeviceToHost);
    (void)hipFree(at);
    return v;
}

// ---- between workgroups ----

// Each wave of flags looks back over 64 workgroups at a time; flags are volatile, sums beside them.
__global__ void look_back(const int *from, int *to, volatile int *flag, volatile int *sum)
{
    __shared__ int row[WAVE], before;
    int i = threadIdx.x, b = blockIdx.x;
    int own = from[b * WAVE + i];
    for (int o = 1; o < WAVE; o *= 2) {
        int other = __shfl_up(own, o);
        if (i >= o) own += other;
    }
    row[i] = own;
    __syncthreads();
    if (!i) {
        before = 0;
        sum[2 * b] = row[WAVE - 1];
        __threadfence();
        flag[b] = 1;
    }
    for (int last = b - 1, more = 1; last >= 0 && more; last -= WAVE) {
        int k = last - i, state = 2, part = 0;
        if (k >= 0) {
            while (!(state = flag[k]))
                __threadfence();
            __threadfence();
            part = sum[2 * k + (state == 2)];
        }
        unsigned long long whole = __ballot(state == 2);
        int end = whole ? __ffsll(static_cast<long long>(whole)) - 1 : WAVE;
        part = i > end ? 0 : part;
        for (int o = WAVE / 2; o; o /= 2)
            part += __shfl_xor(part, o);
        if (!i) before += part;
        more = !whole;
    }
    __syncthreads();
    to[b * WAVE + i] = before + own;
    if (i) return;
    sum[2 * b + 1] = before + row[WAVE - 1];
    __threadfence();
    flag[b] = 2;
}

static bool scanned()
{
    const int groups = 70;
    std::vector<int> v = from_one(groups * WAVE);
    int *from = on_gpu(v), *to, *flags = zeroed(groups), *sums;
    look_back<<<groups, WAVE>>>(from, allocate(&to, v.size()), flags, allocate(&sums, 2 * groups));
    std::partial_sum(v.begin(), v.end(), v.begin());
    for (int *at : {from, flags, sums})
        (void)hipFree(at);
    return taken(to, v.size()) == v;
}

// A ring of places with turns; half of the workgroups put in, the others take out.
struct place_t {
    unsigned turn;
    int value;
};

__global__ void ring(place_t *places, unsigned *in, unsigned *out, int *to, int each)
{
    const unsigned n = 8;
    const bool puts_in = blockIdx.x % 2;
    unsigned *next = puts_in ? in : out;
    for (int k = 0; k < each && !threadIdx.x; k++) {
        unsigned at = __hip_atomic_load(next, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
        for (;;) {
            unsigned turn =
                __hip_atomic_load(&places[at % n].turn, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT);
            if (turn == at + !puts_in && atomicCAS(next, at, at + 1) == at) break;
            __builtin_amdgcn_s_sleep(1);
            at = __hip_atomic_load(next, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
        }
        place_t *p = &places[at % n];
        if (puts_in)
            p->value = static_cast<int>(at) + 1;
        else
            to[at] = p->value;
        __hip_atomic_store(&p->turn, at + (puts_in ? 1 : n), __ATOMIC_RELEASE,
                           __HIP_MEMORY_SCOPE_AGENT);
    }
}

static bool queued()
{
    const int each = 20;
    std::vector<int> places(16, 0);
    for (int k = 0; k < 8; k++)
        places[2 * k] = k;
    int *at = on_gpu(places), *counts = zeroed(64), *to;
    allocate(&to, 2 * each);
    ring<<<4, WAVE>>>(reinterpret_cast<place_t *>(at), reinterpret_cast<unsigned *>(counts),
                      reinterpret_cast<unsigned *>(counts + 32), to, each);
    bool good = taken(to, 2 * each) == from_one(2 * each);
    (void)hipFree(at);
    (void)hipFree(counts);
    return good;
}

// Readers and a writer under a lock that counts; workgroups in turns, who writes what the other has
// read.
__global__ void turns(int *lock, int *data, int *to)
{
    int b = blockIdx.x, i = threadIdx.x;
    for (int pass = 0; pass < 4; pass++) {
        if (!i) {
            if (b) {
                for (int n;;) {
                    n = __hip_atomic_load(lock, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
                    if (n >= 0 && atomicCAS(lock, n, n + 1) == n) break;
                }
            } else {
                while (atomicCAS(lock, 0, -1))
                    __builtin_amdgcn_s_sleep(1);
            }
            __threadfence();
        }
        __syncthreads();
        if (b)
            to[b * WAVE + i] = data[i] - data[(i + 1) % WAVE];
        else
            data[i]++;
        __threadfence();
        __syncthreads();
        if (!i) atomicAdd(lock, b ? -1 : 1);
    }
}

static bool locked()
{
    int *lock = zeroed(1), *data = zeroed(WAVE), *to = zeroed(4 * WAVE);
    turns<<<4, WAVE>>>(lock, data, to);
    bool good = taken(data, WAVE) == std::vector<int>(WAVE, 4);
    (void)hipFree(lock);
    return taken(to, 4 * WAVE) == std::vector<int>(4 * WAVE, 0) && good;
}

// ---- in a workgroup ----

// One wave loads, the other computes; flags in LDS say which of two buffers is full, and which is
// empty.
__global__ void two_buffers(const int *from, int *to, int tiles)
{
    __shared__ int buffer[2][WAVE], full[2], empty[2];
    int wave = threadIdx.x / WAVE, i = threadIdx.x % WAVE, sum = 0;
    if (threadIdx.x < 2) full[i] = empty[i] = 0;
    __syncthreads();
    for (int k = 0; k < tiles; k++) {
        int *flag = wave ? &full[k % 2] : &empty[k % 2], want = k / 2 + wave;
        while (__hip_atomic_load(flag, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_WORKGROUP) < want)
            __builtin_amdgcn_s_sleep(1);
        if (wave)
            sum += buffer[k % 2][WAVE - 1 - i];
        else
            buffer[k % 2][i] = from[k * WAVE + i];
        __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "workgroup");
        if (!i)
            __hip_atomic_fetch_add(wave ? &empty[k % 2] : &full[k % 2], 1, __ATOMIC_RELEASE,
                                   __HIP_MEMORY_SCOPE_WORKGROUP);
    }
    if (wave) to[i] = sum;
}

static bool pipelined()
{
    int *from = on_gpu(from_one(6 * WAVE)), *to;
    two_buffers<<<1, 2 * WAVE>>>(from, allocate(&to, WAVE), 6);
    (void)hipFree(from);
    return taken(to, WAVE)[0] == 6 * WAVE + 15 * WAVE;
}

// The sum of a wave: in LDS without a barrier, by other lanes' registers, by rows of lanes.
__global__ void sums(const int *from, int *to)
{
    __shared__ volatile int held[GROUP];
    int i = threadIdx.x, lane = i % WAVE, wave = i / WAVE, sum = from[i];
    held[i] = sum;
    for (int o = WAVE / 2; o; o /= 2)
        if (lane < o) held[i] += held[i + o];
    for (int o = 1; o < WAVE; o *= 2)
        sum += __builtin_amdgcn_ds_bpermute(4 * (lane ^ o), sum);
    int rows = from[i];
    rows += __builtin_amdgcn_update_dpp(0, rows, 0x111, 0xf, 0xf,
                                        false); // from 1, 2, 4, 8 lanes below,
    rows += __builtin_amdgcn_update_dpp(0, rows, 0x112, 0xf, 0xf, false);
    rows += __builtin_amdgcn_update_dpp(0, rows, 0x114, 0xf, 0xf, false);
    rows += __builtin_amdgcn_update_dpp(0, rows, 0x118, 0xf, 0xf, false);
    rows += __builtin_amdgcn_update_dpp(0, rows, 0x142, 0xa, 0xf, false); // and rows' last ones
    rows += __builtin_amdgcn_update_dpp(0, rows, 0x143, 0xc, 0xf, false);
    if (lane == WAVE - 1) to[wave] = rows - sum;
    if (!lane) to[4 + wave] = held[i] - sum;
}

static bool summed()
{
    int *from = on_gpu(from_one(GROUP)), *to;
    sums<<<1, GROUP>>>(from, allocate(&to, 8));
    (void)hipFree(from);
    return taken(to, 8) == std::vector<int>(8, 0);
}

// Loads past the registers into LDS, and loads that are waited for one after the other.
__global__ void by_hand(const int *from, int *to)
{
    typedef int words_t __attribute__((ext_vector_type(4)));
    __shared__ int held[GROUP];
    int i = threadIdx.x, first, second;
    unsigned long long at = reinterpret_cast<unsigned long long>(from);
    words_t range = {static_cast<int>(at), static_cast<int>(at >> 32), GROUP * 4, 0x00020000};
    auto place = (__attribute__((address_space(3))) int *)&held[i & -WAVE];
    unsigned base =
        __builtin_amdgcn_readfirstlane(static_cast<unsigned>(reinterpret_cast<uintptr_t>(place)));
    asm volatile(
        "s_mov_b32 m0, %0\n s_nop 0\n buffer_load_dword %1, %2, 0 offen lds\n s_waitcnt vmcnt(0)" ::
            "s"(base),
        "v"(4 * i), "s"(range)
        : "memory");
    __syncthreads();
    asm volatile(
        "global_load_dword %0, %2, off\n global_load_dword %1, %3, off\n s_waitcnt vmcnt(1)\n"
        "v_add_u32 %0, 1, %0\n s_waitcnt vmcnt(0)\n v_add_u32 %0, %0, %1"
        : "=&v"(first), "=&v"(second)
        : "v"(from + i), "v"(from + GROUP - 1 - i)
        : "memory");
    to[i] = first - held[i] - held[GROUP - 1 - i];
}

static bool assembled()
{
    int *from = on_gpu(from_one(GROUP)), *to;
    by_hand<<<1, GROUP>>>(from, allocate(&to, GROUP));
    (void)hipFree(from);
    return taken(to, GROUP) == std::vector<int>(GROUP, 1);
}

// Structures with gaps, arrays that are filled where they are used, loads beside what is wanted.
struct gaps_t {
    char kind;
    int number;
    short more;
};

__global__ void partly(const int *from, gaps_t *gaps, int *to, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, some[8], value;
    for (int k = 0; k < 8; k++)
        if (i >> k & 1) some[k] = k;
    if (i < n) value = from[i];
    gaps_t gap;
    gap.kind = 1, gap.number = i, gap.more = 2;
    gaps[i] = gap;
    gap = gaps[i];
    int sum = gap.kind + gap.number + gap.more;
    for (int k = 0; k < 8; k++)
        if (i >> k & 1) sum += some[k];
    if (i < n && value > 10) sum++;
    to[i] = sum > 100 ? sum : 100;
}

static bool partial()
{
    int *from = on_gpu(from_one(100)), *to;
    gaps_t *gaps, *copy;
    (void)hipMalloc(&gaps, GROUP * sizeof *gaps);
    (void)hipMalloc(&copy, GROUP * sizeof *copy);
    partly<<<GROUP / WAVE, WAVE>>>(from, gaps, allocate(&to, GROUP), 100);
    (void)hipMemcpy(copy, gaps, GROUP * sizeof *gaps, hipMemcpyDeviceToDevice);
    (void)hipFree(gaps);
    (void)hipFree(copy);
    (void)hipFree(from);
    return taken(to, GROUP)[0] == 100;
}

// ---- between the program and its kernels ----

__global__ void add(const int *from, int *to, int value)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = from[i] + value;
}

__global__ void serve(volatile int *door, volatile int *answer, const int *from, int *to,
                      int rounds)
{
    for (int round = 1; round <= rounds; round++) {
        if (!threadIdx.x)
            while (*door < round)
                __builtin_amdgcn_s_sleep(1);
        __syncthreads();
        __threadfence_system();
        to[threadIdx.x] = from[threadIdx.x] + round;
        __threadfence_system();
        __syncthreads();
        if (!threadIdx.x) *answer = round;
    }
}

static hipStream_t stream()
{
    hipStream_t s;
    (void)hipStreamCreateWithFlags(&s, hipStreamNonBlocking);
    return s;
}

// A kernel that stays, and does what the program asks for by flags in the program's memory.
static bool served()
{
    int *shared, wrong = 0;
    (void)hipHostMalloc(reinterpret_cast<void **>(&shared), 4 * WAVE * sizeof *shared);
    int *door = shared, *answer = shared + WAVE, *from = shared + 2 * WAVE, *to = shared + 3 * WAVE;
    *door = *answer = 0;
    hipStream_t s = stream();
    serve<<<1, WAVE, 0, s>>>(door, answer, from, to, 3);
    for (int round = 1; round <= 3; round++) {
        for (int i = 0; i < WAVE; i++)
            from[i] = round * i;
        __atomic_store_n(door, round, __ATOMIC_RELEASE);
        while (__atomic_load_n(answer, __ATOMIC_ACQUIRE) < round)
            std::this_thread::yield();
        wrong += to[WAVE - 1] != round * WAVE;
    }
    (void)hipStreamSynchronize(s);
    (void)hipStreamDestroy(s);
    (void)hipHostFree(shared);
    return !wrong;
}

// Around three streams by events that are recorded again and again; memory of pools goes with the
// work.
static bool around()
{
    hipStream_t s[3] = {stream(), stream(), stream()};
    hipEvent_t done;
    (void)hipEventCreateWithFlags(&done, hipEventDisableTiming);
    int *at = zeroed(GROUPS * GROUP);
    for (int k = 0; k < 6; k++) {
        hipStream_t to = s[(k + 1) % 3];
        int *part;
        (void)hipMallocAsync(reinterpret_cast<void **>(&part), GROUPS * GROUP * sizeof *part,
                             s[k % 3]);
        add<<<GROUPS, GROUP, 0, s[k % 3]>>>(at, part, k);
        (void)hipEventRecord(done, s[k % 3]);
        (void)hipStreamWaitEvent(to, done, 0);
        add<<<GROUPS, GROUP, 0, to>>>(part, at, 1);
        (void)hipFreeAsync(part, to);
    }
    (void)hipStreamSynchronize(s[0]);
    (void)hipEventDestroy(done);
    for (hipStream_t each : s)
        (void)hipStreamDestroy(each);
    return taken(at, 1)[0] == 6 + 15;
}

int main()
{
    static const struct {
        const char *name;
        bool (*good)();
    } rows[] = {{"scanned", scanned},     {"queued", queued}, {"locked", locked},
                {"pipelined", pipelined}, {"summed", summed}, {"assembled", assembled},
                {"partial", partial},     {"served", served}, {"around", around}};
    for (const auto &row : rows)
        if (!row.good()) std::printf("%s is wrong\n", row.name);
    std::puts("done");
}
