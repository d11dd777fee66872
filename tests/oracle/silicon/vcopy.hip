// vcopy.hip - launches the kernel of a code object a few times, as the measured program does.
//
// Usage: vcopy CODE_OBJECT N BLOCK TIMES. Fills N doubles by a copy from the host, copies them on
// the GPU, reads them back and says how many are wrong.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define OK(call)                                                                                   \
    do {                                                                                           \
        const hipError_t status = (call);                                                          \
        if (status == hipSuccess) break;                                                           \
        fprintf(stderr, "%s: %s\n", #call, hipGetErrorString(status));                             \
        exit(1);                                                                                   \
    } while (0)

struct arguments_t {
    double *from, *unused, *to;
    int n, filler[4];
    unsigned short block, rest;
};

int main(int argc, char **argv)
{
    if (argc < 5) {
        fprintf(stderr, "usage: vcopy CODE_OBJECT N BLOCK TIMES\n");
        return 2;
    }
    const int n = atoi(argv[2]), block = atoi(argv[3]), times = atoi(argv[4]);
    hipModule_t module;
    hipFunction_t kernel;
    OK(hipModuleLoad(&module, argv[1]));
    OK(hipModuleGetFunction(&kernel, module, "vecCopy"));

    std::vector<double> in(n), out(n);
    for (int i = 0; i < n; i++)
        in[i] = i;
    double *from, *to;
    OK(hipMalloc(&from, n * sizeof *from));
    OK(hipMalloc(&to, n * sizeof *to));
    OK(hipMemcpy(from, in.data(), n * sizeof *from, hipMemcpyHostToDevice));

    arguments_t arguments = {from, nullptr, to, n, {}, (unsigned short)block, 0};
    size_t size = sizeof arguments;
    void *extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &arguments, HIP_LAUNCH_PARAM_BUFFER_SIZE,
                     &size, HIP_LAUNCH_PARAM_END};
    for (int i = 0; i < times; i++) {
        OK(hipModuleLaunchKernel(kernel, (n + block - 1) / block, 1, 1, block, 1, 1, 0, nullptr,
                                 nullptr, extra));
        OK(hipDeviceSynchronize());
    }
    OK(hipMemcpy(out.data(), to, n * sizeof *to, hipMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < n; i++)
        wrong += out[i] != in[i];
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
