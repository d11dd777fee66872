// peers - two GPUs: each runs kernels on its own memory, on the other's, and copies between them.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <vector>

static int failures;
#define OK(call)                                                                                  \
    do {                                                                                          \
        hipError_t error = (call);                                                                \
        if (error != hipSuccess) {                                                                \
            printf("line %d: %s: %s\n", __LINE__, #call, hipGetErrorString(error));               \
            failures++;                                                                           \
        }                                                                                         \
    } while (0)

__global__ void add(int *p, int n, int value)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] += value;
}

static void expect(const char *what, const int *device, int n, int value)
{
    std::vector<int> host(n);
    OK(hipMemcpy(host.data(), device, n * sizeof(int), hipMemcpyDeviceToHost));
    int wrong = 0;
    for (int x : host) wrong += x != value;
    printf("%s: %d wrong\n", what, wrong);
    failures += wrong != 0;
}

int main()
{
    const int n = 100000;
    std::vector<int> ones(n, 1);
    int count = 0, access = 0, *p[2];
    OK(hipGetDeviceCount(&count));
    if (count != 2) {
        printf("%d devices\n", count);
        return 1;
    }
    for (int d = 0; d < 2; d++) {
        OK(hipSetDevice(d));
        OK(hipMalloc(&p[d], n * sizeof(int)));
        OK(hipMemcpy(p[d], ones.data(), n * sizeof(int), hipMemcpyHostToDevice));
        add<<<(n + 255) / 256, 256>>>(p[d], n, d + 1);
        OK(hipDeviceSynchronize());
    }
    expect("own memory of 0", p[0], n, 2);
    expect("own memory of 1", p[1], n, 3);
    OK(hipMemcpyPeer(p[0], 0, p[1], 1, n * sizeof(int)));
    expect("copied from 1 to 0", p[0], n, 3);

    OK(hipDeviceCanAccessPeer(&access, 0, 1));
    printf("access: %d\n", access);
    OK(hipSetDevice(0));
    OK(hipDeviceEnablePeerAccess(1, 0));
    add<<<(n + 255) / 256, 256>>>(p[1], n, 10); // device 0 in the memory of device 1
    OK(hipDeviceSynchronize());
    expect("memory of 1, changed by 0", p[1], n, 13);
    return failures != 0 || !access;
}
