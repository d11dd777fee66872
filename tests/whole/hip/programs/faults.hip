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

__global__ void load_on(uint64_t a, int *alive)
{
    for (;;) {
        *(volatile int *)alive = 1;
        (void)*(volatile int *)a;
    }
}
__global__ void store_on(uint64_t a, int *alive)
{
    for (;;) {
        *(volatile int *)alive = 1;
        ((volatile int *)a)[threadIdx.x] = 1;
    }
}
__global__ void atomic_on(uint64_t a, int *alive)
{
    for (;;) {
        *(volatile int *)alive = 1;
        atomicAdd((int *)a, 1);
    }
}

typedef void kernel_t(uint64_t, int *);

// What a child that ended like this means. `any`: the page is not known.
static void judge(const char *name, const scene_end &end, bool faults, bool any)
{
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
    judge(name, end, faults, any);
}

enum { TAKEN = 1 << 20 };

// Host memory, a page of it or all, is taken away while a kernel uses it or before a copy does.
static char *host_memory(uint64_t *gpu, int fd = -1)
{
    const int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
    char *p = (char *)mmap(nullptr, TAKEN, PROT_READ | PROT_WRITE, flags, fd, 0);
    void *there;
    HIP(hipHostRegister(p, TAKEN, hipHostRegisterDefault));
    HIP(hipHostGetDevicePointer(&there, p, 0));
    *gpu = (uint64_t)there;
    return p;
}

static int file_of_zeros()
{
    int fd = memfd_create("faults", 0);
    if (ftruncate(fd, TAKEN) != 0) std::exit(3);
    return fd;
}

static void scene_meanwhile(const char *name, kernel_t *kernel, void (*take)(char *, int))
{
    judge(name, scene_run([&] {
        uint64_t gpu;
        int fd = file_of_zeros();
        char *p = host_memory(&gpu, fd);
        volatile int *alive;
        HIP(hipHostMalloc((void **)&alive, 4096));
        *alive = 0;
        std::printf("page=%#llx\n", (unsigned long long)gpu);
        kernel<<<1, 64>>>(gpu, (int *)alive);
        while (!*alive) usleep(100);
        take(p, fd);
        HIP(hipDeviceSynchronize());
        return 0;
    }), true, false);
}

static void scene_copy(const char *name, void (*take)(char *, int))
{
    judge(name, scene_run([&] {
        uint64_t gpu;
        int fd = file_of_zeros();
        char *p = host_memory(&gpu, fd), *out;
        HIP(hipMalloc(&out, TAKEN));
        std::printf("page=%#llx\n", (unsigned long long)gpu);
        take(p, fd);
        HIP(hipMemcpyAsync(out, p, TAKEN, hipMemcpyHostToDevice, 0));
        HIP(hipDeviceSynchronize());
        return 0;
    }), true, false);
}

static void unmap_it(char *p, int) { munmap(p, TAKEN); }
static void forbid_it(char *p, int) { mprotect(p, TAKEN, PROT_NONE); }
static void forbid_stores(char *p, int) { mprotect(p, TAKEN, PROT_READ); }
static void cut_the_file(char *, int fd) { if (ftruncate(fd, 0) != 0) std::exit(3); }

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
    scene_meanwhile("unmapped meanwhile", load_on, unmap_it);
    scene_meanwhile("forbidden meanwhile", load_on, forbid_it);
    scene_meanwhile("forbidden to store to meanwhile", store_on, forbid_stores);
    scene_meanwhile("forbidden meanwhile, atomic", atomic_on, forbid_it);
    scene_meanwhile("its file cut meanwhile", store_on, cut_the_file);
    scene_copy("forbidden, copy", forbid_it);
    scene_copy("its file cut, copy", cut_the_file);
    return wrong_total;
}
