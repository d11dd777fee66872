// limits - what is too much is refused by name and the GPU goes on: memory, LDS, workgroups, scratch.
#include "scene.h"

template <int WORDS> __global__ void deep(int *out, int n)
{
    int mine[WORDS]; // in scratch: indexed at run time
    for (int i = 0; i < WORDS; i += 64) mine[i] = i + (int)threadIdx.x;
    mine[(n * 64) % WORDS] += 5;
    out[blockIdx.x * blockDim.x + threadIdx.x] = mine[(n * 64 + 64) % WORDS] + mine[(n * 64) % WORDS];
}

template <int WORDS> static int run_deep()
{
    const int threads = 512, n = 3;
    device_array<int> out(std::vector<int>(threads, -1));
    deep<WORDS><<<threads / 64, 64>>>(out.data, n);
    HIP(hipGetLastError());
    HIP(hipDeviceSynchronize());
    auto got = out.host();
    size_t wrong = 0;
    for (int i = 0; i < threads; i++) wrong += got[i] != 64 * n + 64 + 64 * n + 5 + 2 * (i % 64);
    return wrong ? 1 : 0;
}

__global__ void whole_lds(int *out)
{
    extern __shared__ int row[];
    for (int i = (int)threadIdx.x; i < 16384; i += 256) row[i] = i * 7;
    __syncthreads();
    int sum = 0;
    for (int i = 0; i < 16384; i += 256) sum += row[(i + 255 - (int)threadIdx.x) % 16384];
    out[threadIdx.x] = sum;
}

static void lds()
{
    device_array<int> out(256);
    whole_lds<<<1, 256, 65536>>>(out.data);
    std::printf("64 KB of LDS: %s\n", hipGetErrorName(hipGetLastError()));
    auto got = out.host();
    size_t wrong = 0;
    for (int t = 0; t < 256; t++) {
        int want = 0;
        for (int i = 0; i < 16384; i += 256) want += (i + 255 - t) * 7;
        wrong += got[t] != want;
    }
    report("whole LDS", 256, wrong);
    whole_lds<<<1, 256, 65540>>>(out.data);
    std::printf("more LDS: %s\n", hipGetErrorName(hipGetLastError()));
    whole_lds<<<1, 1025, 4096>>>(out.data);
    std::printf("1025 work-items: %s\n", hipGetErrorName(hipGetLastError()));
    HIP(hipDeviceSynchronize());
}

// Takes memory in pieces until there is none, gives it back, and takes it again.
static void memory()
{
    const size_t piece = 256u << 20;
    size_t total = 0, before = 0, after = 0, back = 0, count[2];
    HIP(hipMemGetInfo(&before, &total));
    std::printf("total %zu MB\n", total >> 20);
    hipDeviceProp_t p;
    HIP(hipGetDeviceProperties(&p, 0));
    report("properties", 1, p.totalGlobalMem != total);
    // runtimes take some for themselves: HIP 5 less than 64 MB, HIP 6 less than 512 MB
    report("free", 1, before > total || before < total - (512u << 20));
    for (int round = 0; round < 2; round++) {
        std::vector<char *> pieces;
        char *q;
        hipError_t e;
        while ((e = hipMalloc(&q, piece)) == hipSuccess) pieces.push_back(q);
        if (round == 0) std::printf("at the end: %s\n", hipGetErrorName(e));
        count[round] = pieces.size();
        HIP(hipMemGetInfo(&after, &total));
        if (after >= piece) report("free at the end", 1, 1);
        HIP(hipMemset(pieces.back() + piece - 4096, 0x5a, 4096));
        unsigned char byte = 0;
        HIP(hipMemcpy(&byte, pieces.back() + piece - 1, 1, hipMemcpyDeviceToHost));
        if (byte != 0x5a) report("last byte", 1, 1);
        for (char *x : pieces) HIP(hipFree(x));
    }
    HIP(hipMemGetInfo(&back, &total));
    report("again", 1, count[0] != count[1] || count[0] < before / piece - 1);
    report("free again", 1, back + (64u << 20) < before);
    char *all;
    std::printf("more than all: %s\n", hipGetErrorName(hipMalloc(&all, total + 4096)));
    (void)hipGetLastError();
}

// Scratch comes from the memory that the program has taken: the runtime ends the queue by name.
static int without_memory()
{
    char *q;
    device_array<int> out(1024);
    HIP(hipMemset(out.data, 0, 4096));
    whole_lds<<<1, 256, 65536>>>(out.data); // queues and all are there
    HIP(hipDeviceSynchronize());
    for (size_t piece = 1u << 30; piece >= 2u << 20; piece /= 2)
        while (hipMalloc(&q, piece) == hipSuccess) {}
    (void)hipGetLastError();
    return run_deep<30720>();
}

static void scene(const char *name, int (*body)())
{
    scene_end end = scene_run(body);
    bool named = end.out.find("HSA_STATUS_ERROR_OUT_OF_RESOURCES") != std::string::npos;
    std::printf("%s: status %d%s\n", name, end.status, named ? ", out of resources" : "");
    if (!end.out.empty() && !named) std::fprintf(stderr, "%s: %s\n", name, end.out.c_str());
}

int main()
{
    scene("4 KB of scratch", run_deep<1024>);
    scene("64 KB of scratch", run_deep<16384>);
    scene("120 KB of scratch", run_deep<30720>);
    scene("scratch without memory", without_memory);
    lds();
    memory();
    return wrong_total;
}
