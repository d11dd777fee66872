// faults - every kind of access to memory that is not there ends the program with the
// runtime's report of the right page; what hardware lets pass
// (reads beyond a buffer's end) passes.
#include "scene.h"

#include <sys/mman.h>

static const uint64_t BAD = 0x123456789000; // nothing is ever mapped here

__global__ void load(uint64_t a, int *out) { *out = ((volatile int *)a)[threadIdx.x]; }
__global__ void load_wide(uint64_t a, int *out)
{
    int4 v;
    asm volatile("global_load_dwordx4 %0, %1, off\n s_waitcnt vmcnt(0)" : "=v"(v) : "v"(a + 16 * threadIdx.x));
    *out = v.w;
}
__global__ void store(uint64_t a, int *) { ((volatile int *)a)[threadIdx.x] = 1; }
__global__ void one_lane(uint64_t a, int *out)
{
    volatile int *p = threadIdx.x == 41 ? (volatile int *)a : (volatile int *)out;
    *p = 1;
}
__global__ void atomic_add(uint64_t a, int *) { atomicAdd((int *)a, 1); }
__global__ void atomic_swap(uint64_t a, int *out) { *out = atomicCAS((int *)a, 1, 2); }
__global__ void atomic_f64(uint64_t a, int *) { unsafeAtomicAdd((double *)a, 1.0); }
__global__ void scalar_load(uint64_t a, int *out)
{
    int v;
    asm volatile("s_load_dword %0, %1, 0x0\n s_waitcnt lgkmcnt(0)" : "=s"(v) : "s"(a));
    *out = v;
}
__global__ void fetch(uint64_t a, int *) { asm volatile("s_setpc_b64 %0" : : "s"(a)); }
__global__ void flat_load(uint64_t a, int *out)
{
    int v;
    asm volatile("flat_load_dword %0, %1\n s_waitcnt vmcnt(0) lgkmcnt(0)" : "=v"(v) : "v"(a));
    *out = v;
}
__global__ void flat_store(uint64_t a, int *) { asm volatile("flat_store_dword %0, %1" : : "v"(a), "v"(1)); }
__global__ void flat_atomic(uint64_t a, int *) { asm volatile("flat_atomic_add %0, %1" : : "v"(a), "v"(1)); }

typedef uint32_t resource __attribute__((ext_vector_type(4)));
__device__ static int buffer_load(uint64_t base, uint32_t bytes, uint32_t offset)
{
    resource r = {(uint32_t)base, (uint32_t)(base >> 32), bytes, 0x00027000};
    int v;
    asm volatile("buffer_load_dword %0, %1, %2, 0 offen\n s_waitcnt vmcnt(0)" : "=v"(v) : "v"(offset), "s"(r));
    return v;
}
__global__ void buffer(uint64_t a, int *out) { *out = buffer_load(a, 4096, 4 * threadIdx.x); }
__global__ void buffer_end(uint64_t, int *out) { *out = 7 + buffer_load(BAD, 64, 64 + 4 * threadIdx.x); }
__global__ void scratch(uint64_t, int *out)
{
    volatile int mine[8];
    for (int i = 0; i < 8; i++) mine[i] = i + *out;
    int far_away = 0x3ffff000; // beyond the scratch of all waves together
    asm volatile("scratch_store_dword %0, %1, off\n s_waitcnt vmcnt(0)" : : "v"(far_away), "v"(mine[*out & 7]));
}

typedef void kernel_t(uint64_t, int *);

// Runs the kernel on `address` in a child; 0 stands for an address that the child finds itself.
static void scene(const char *name, kernel_t *kernel, uint64_t (*find)(void), bool faults, bool any = false)
{
    scene_end end = scene_run([&] {
        uint64_t a = find();
        int *out = nullptr;
        HIP(hipMalloc(&out, 4096));
        HIP(hipMemset(out, 0, 4096));
        std::printf("page=%#llx\n", (unsigned long long)(a & ~4095ull));
        kernel<<<1, 64>>>(a, out);
        HIP(hipDeviceSynchronize());
        int v = 0;
        HIP(hipMemcpy(&v, out, 4, hipMemcpyDeviceToHost));
        std::printf("out=%d\n", v);
        return 0;
    });
    unsigned long long page = 0, at = 1;
    std::sscanf(end.out.c_str(), "page=%llx", &page);
    size_t where = end.out.find("Memory access fault by GPU node-1");
    size_t address = where == std::string::npos ? where : end.out.find("on address 0x", where);
    if (address != std::string::npos) at = std::stoull(end.out.substr(address + 11), nullptr, 16);
    size_t why = end.out.find("Reason: ");
    std::string reason = why == std::string::npos ? "none" : end.out.substr(why + 8, end.out.find('\n', why) - why - 8);
    bool right = faults ? end.status == 134 && (at == page || any) : end.status == 0;
    std::printf("%s: status %d, %s, %s\n", name, end.status, reason.c_str(), right ? "right page" : "WRONG");
    if (!right) {
        std::printf("%s\n", end.out.c_str());
        wrong_total = 1;
    }
}

static uint64_t bad() { return BAD; }
static uint64_t freed()
{
    char *p;
    HIP(hipMalloc(&p, 64 << 20));
    HIP(hipFree(p));
    return (uint64_t)p;
}
static uint64_t past_the_end()
{
    char *p;
    HIP(hipMalloc(&p, 64 << 20));
    return (uint64_t)p + (1ull << 40);
}
static uint64_t unregistered()
{
    void *p = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return (uint64_t)p;
}
// Three pages are registered and the middle one is unmapped: the GPU's address of that of `page`.
static uint64_t registered(int page)
{
    char *p = (char *)mmap(nullptr, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    void *gpu;
    HIP(hipHostRegister(p, 3 * 4096, hipHostRegisterDefault));
    HIP(hipHostGetDevicePointer(&gpu, p, 0));
    munmap(p + 4096, 4096);
    return (uint64_t)gpu + 4096 * page;
}
static uint64_t unmapped() { return registered(1); }
static uint64_t left_over() { return registered(2); }
// Its kernel has been there before.
static uint64_t unmapped_later()
{
    char *p = (char *)mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    void *gpu;
    int *out;
    HIP(hipHostRegister(p, 4096, hipHostRegisterDefault));
    HIP(hipHostGetDevicePointer(&gpu, p, 0));
    HIP(hipMalloc(&out, 4096));
    load<<<1, 64>>>((uint64_t)gpu, out);
    HIP(hipDeviceSynchronize());
    munmap(p, 4096);
    return (uint64_t)gpu;
}
int main()
{
    scene("load", load, bad, true);
    scene("load of 16 bytes", load_wide, bad, true);
    scene("store", store, bad, true);
    scene("store of one lane", one_lane, bad, true);
    scene("atomic", atomic_add, bad, true);
    scene("returning atomic", atomic_swap, bad, true);
    scene("f64 atomic", atomic_f64, bad, true);
    scene("scalar load", scalar_load, bad, true);
    scene("instruction fetch", fetch, bad, true);
    scene("flat load", flat_load, bad, true);
    scene("flat store", flat_store, bad, true);
    scene("flat atomic", flat_atomic, bad, true);
    scene("buffer", buffer, bad, true);
    scene("end of a buffer", buffer_end, bad, false);
    scene("scratch", scratch, bad, true, true);
    scene("freed memory", load, freed, true);
    scene("beyond an allocation", store, past_the_end, true);
    scene("host memory not registered", load, unregistered, true);
    scene("host memory unmapped", load, unmapped, true);
    scene("host memory unmapped, store", store, unmapped, true);
    scene("host memory unmapped, scalar load", scalar_load, unmapped, true);
    scene("host memory unmapped later", load, unmapped_later, true);
    scene("host memory still mapped", load, left_over, false);
    return wrong_total;
}
