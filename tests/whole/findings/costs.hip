// costs - like shows, of what needs times, memory or code of its own: costs kernels|bad|good
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <fstream>
#include <iterator>
#include <string>
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

constexpr int FLOATS = 1 << 18, PLACES = 128, PLACE_FLOATS = 1024;

__device__ int item()
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

__global__ void work(float *p, int n)
{
    float x = p[item()];
    for (int i = 0; i < n; i++)
        x = x * x + 0.5f;
    p[item()] = x;
}

// a loop of 48 KiB of code
__global__ void bad_code(float *p)
{
    float x = p[item()];
    for (int i = 0; i < 4; i++)
        asm volatile(".rept 12000\n v_add_f32_e32 %0, %0, %0\n .endr" : "+v"(x));
    p[item()] = x;
}
__global__ void good_code(float *p)
{
    float x = p[item()];
    for (int i = 0; i < 400; i++)
        asm volatile(".rept 120\n v_add_f32_e32 %0, %0, %0\n .endr" : "+v"(x));
    p[item()] = x;
}

// one load after the other, each from where the last one says
__global__ void bad_latency(int *p)
{
    int at = threadIdx.x;
    for (int i = 0; i < 1000; i++)
        at = p[at];
    p[item()] = at;
}

// values that are kept through the loop: more than there are registers, or so few that each compiler has enough
template <int VALUES> __device__ void keep(float *p, int n)
{
    float a[VALUES];
#pragma unroll
    for (int i = 0; i < VALUES; i++)
        a[i] = p[item() + i];
    for (int k = 0; k < n; k++)
#pragma unroll
        for (int i = 0; i < VALUES; i++)
            a[i] = a[i] * a[(i + 7) % VALUES] + a[(i + 1) % VALUES];
#pragma unroll
    for (int i = 1; i < VALUES; i++)
        a[0] += a[i];
    p[item()] = a[0];
}
__global__ __attribute__((amdgpu_num_vgpr(32))) void bad_spill(float *p, int n)
{
    keep<96>(p, n);
}
__global__ __launch_bounds__(64) void good_spill(float *p, int n)
{
    keep<24>(p, n);
}

// each wave goes through all places: pages of the host, which have translations of their own
__device__ void go_through(float *const *where, int count, float *p)
{
    float sum = 0;
    for (int i = 0; i < 1024; i++)
        sum += where[(i * 37 + blockIdx.x) % count][threadIdx.x];
    p[item()] = sum;
}
__global__ void bad_places(float *const *where, int count, float *p)
{
    go_through(where, count, p);
}
__global__ void good_places(float *const *where, int count, float *p)
{
    go_through(where, count, p);
}

// all workgroups read the same, in order, again and again
__device__ void read_again(float *p, int floats, int times)
{
    float sum = 0;
    for (int k = 0; k < times; k++)
        for (int i = threadIdx.x; i < floats; i += blockDim.x)
            sum += p[i];
    p[item()] = sum;
}
__global__ void bad_reuse(float *p, int floats, int times)
{
    read_again(p, floats, times);
}
__global__ void good_reuse(float *p, int floats, int times)
{
    read_again(p, floats, times);
}

static void kernels(float *p)
{
    std::vector<float *> where(PLACES);
    float **places, *pages;
    HIP(hipHostMalloc((void **)&pages, PLACES * PLACE_FLOATS * sizeof(float), 0));
    for (int i = 0; i < PLACES; i++)
        where[i] = pages + i * PLACE_FLOATS;
    HIP(hipMalloc(&places, PLACES * sizeof(*places)));
    HIP(hipMemcpy(places, where.data(), PLACES * sizeof(*places), hipMemcpyHostToDevice));
    bad_code<<<4, 64>>>(p);
    good_code<<<4, 64>>>(p);
    HIP(hipMemset(p, 0, FLOATS * sizeof(float)));
    bad_latency<<<1, 64>>>((int *)p);
    work<<<64, 256>>>(p, 400);
    bad_spill<<<16, 64>>>(p, 20);
    good_spill<<<16, 64>>>(p, 20);
    bad_places<<<16, 64>>>(places, PLACES, p);
    good_places<<<16, 64>>>(places, 4, p);
    bad_reuse<<<1, 256>>>(p, FLOATS, 200);
    good_reuse<<<1, 256>>>(p, FLOATS / 16, 200);
    HIP(hipDeviceSynchronize());
}

// this program's code for the GPU, as the compiler has packed it
static std::string code()
{
    std::ifstream in("/proc/self/exe", std::ios::binary);
    std::string file((std::istreambuf_iterator<char>(in)), {});
    auto *head = (const Elf64_Ehdr *)file.data();
    auto *sections = (const Elf64_Shdr *)(file.data() + head->e_shoff);
    for (int i = 0; i < head->e_shnum; i++)
        if (std::strcmp(file.data() + sections[head->e_shstrndx].sh_offset + sections[i].sh_name,
                        ".hip_fatbin") == 0)
            return file.substr(sections[i].sh_offset, sections[i].sh_size);
    std::exit(1);
}

// code that is loaded again and again, a first run that takes longer, a host that sleeps
static void bad_host(float *p)
{
    const std::string all = code();
    for (int i = 0; i < 100; i++) {
        hipModule_t module;
        HIP(hipModuleLoadData(&module, all.data()));
        HIP(hipModuleUnload(module));
    }
    for (int i = 0; i < 8; i++) {
        work<<<8, 64>>>(p, i ? 10 : 120000);
        HIP(hipDeviceSynchronize());
        usleep(60000);
    }
}

// the same work at once
static void good_host(float *p)
{
    work<<<8, 64>>>(p, 30000);
    work<<<8, 64>>>(p, 70);
    HIP(hipDeviceSynchronize());
}

int main(int argc, char **argv)
{
    const std::string what = argc > 1 ? argv[1] : "";
    float *p;
    HIP(hipMalloc(&p, FLOATS * sizeof(float)));
    if (what == "kernels")
        kernels(p);
    else if (what == "bad")
        bad_host(p);
    else
        good_host(p);
    return 0;
}
