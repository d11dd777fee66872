// order.hip - a program that starts HSA and HIP in a given order and opens a library in between.
//
// usage: order hsa|hip [LIBRARY start|middle|end]. With "hsa" it starts HSA itself and HIP after
// that, with "hip" it lets HIP do it and uses HSA then. LIBRARY is opened before both, between
// them or when both have run; a second round of the same work follows "end".
// A second round has a new queue: its stream is new, and the first one, whose queue newer HIP would
// use again, stays.
#include <hip/hip_runtime.h>
#include <hsa/hsa.h>

#include <cstdio>
#include <cstring>
#include <dlfcn.h>

__global__ void add_one(int *x) { x[threadIdx.x]++; }

static bool use_hip(bool keep_stream = false)
{
    int *device, host[16384] = {}, wrong = 0; // less HIP may copy in ways of its own
    hipStream_t stream;
    if (hipStreamCreate(&stream) || hipMalloc(&device, sizeof host)) return false;
    if (hipMemcpy(device, host, sizeof host, hipMemcpyHostToDevice)) return false;
    add_one<<<1, 64, 0, stream>>>(device);
    if (hipStreamSynchronize(stream)) return false;
    if (hipMemcpy(host, device, sizeof host, hipMemcpyDeviceToHost)) return false;
    for (int i = 0; i < 64; i++) wrong += host[i] != 1;
    return !hipFree(device) && (keep_stream || !hipStreamDestroy(stream)) && !wrong;
}

static bool use_hsa()
{
    uint16_t minor = 0;
    return hsa_init() == HSA_STATUS_SUCCESS &&
           hsa_system_get_info(HSA_SYSTEM_INFO_VERSION_MINOR, &minor) == HSA_STATUS_SUCCESS;
}

static void open_at(const char *when, int argc, char **argv)
{
    if (argc < 4 || strcmp(argv[3], when)) return;
    if (!dlopen(argv[2], RTLD_NOW | RTLD_GLOBAL)) fprintf(stderr, "%s\n", dlerror());
}

int main(int argc, char **argv)
{
    if (argc < 2) return 2;
    bool hsa_first = !strcmp(argv[1], "hsa"), twice = argc > 3 && !strcmp(argv[3], "end");
    open_at("start", argc, argv);
    bool right = hsa_first ? use_hsa() : use_hip(twice);
    open_at("middle", argc, argv);
    right = (hsa_first ? use_hip(twice) : use_hsa()) && right;
    open_at("end", argc, argv);
    if (twice) right = use_hip() && right;
    puts(right ? "right" : "wrong");
    return right ? 0 : 1;
}
