// ipc - two processes, each with GPUs of its own, share memory: what kernels of one write, kernels and
// copies of the other read, both ways; it stays while anybody uses it.
#include "check.h"

#include <sys/wait.h>
#include <unistd.h>

static const int n = 70000, groups = (n + 255) / 256;

__global__ void fill(int *p, int count, int value)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) p[i] = value + 3 * i;
}
__global__ void add(int *p, int count, int value)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) p[i] += value;
}
__global__ void count_wrong(const int *p, int count, int value, unsigned *wrong)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count && p[i] != value + 3 * i) atomicAdd(wrong, 1u);
}

struct parcel {
    hipIpcMemHandle_t memory[2];
};

static void put(int fd, const void *data, size_t bytes)
{
    if (write(fd, data, bytes) != (ssize_t)bytes) std::exit(3);
}
static void get(int fd, void *data, size_t bytes)
{
    for (size_t done = 0; done < bytes;) {
        ssize_t got = read(fd, (char *)data + done, bytes - done);
        if (got <= 0) std::exit(4);
        done += (size_t)got;
    }
}

static unsigned wrong_on_gpu(const int *p, int value)
{
    unsigned *counter, wrong = 0;
    HIP(hipMalloc(&counter, sizeof wrong));
    HIP(hipMemcpy(counter, &wrong, sizeof wrong, hipMemcpyHostToDevice));
    count_wrong<<<groups, 256>>>(p, n, value, counter);
    HIP(hipMemcpy(&wrong, counter, sizeof wrong, hipMemcpyDeviceToHost));
    HIP(hipFree(counter));
    return wrong;
}

// The other process: answers with the number of values that are not as they should be.
static int other(int in, int out)
{
    parcel p;
    int *first, *second;
    unsigned wrong = 0;
    get(in, &p, sizeof p);
    HIP(hipIpcOpenMemHandle((void **)&first, p.memory[0], hipIpcMemLazyEnablePeerAccess));
    HIP(hipIpcOpenMemHandle((void **)&second, p.memory[1], hipIpcMemLazyEnablePeerAccess));
    wrong = wrong_on_gpu(first, 1000); // read by a kernel
    put(out, &wrong, sizeof wrong);

    std::vector<int> host(n);
    HIP(hipMemcpy(host.data(), second, n * sizeof(int), hipMemcpyDeviceToHost)); // and by a copy
    wrong = 0;
    for (int i = 0; i < n; i++) wrong += host[i] != 5000 + 3 * i;
    put(out, &wrong, sizeof wrong);

    add<<<groups, 256>>>(first, n, 70); // written by a kernel
    HIP(hipMemcpy(second, first, n * sizeof(int), hipMemcpyDeviceToDevice));
    HIP(hipDeviceSynchronize());
    put(out, &wrong, sizeof wrong);

    get(in, &wrong, sizeof wrong); // the owner has freed the second: it is still here
    wrong = wrong_on_gpu(second, 1070);
    put(out, &wrong, sizeof wrong);
    HIP(hipIpcCloseMemHandle(second));
    HIP(hipIpcCloseMemHandle(first));
    wrong = hipIpcCloseMemHandle(first) == hipSuccess;
    put(out, &wrong, sizeof wrong);
    (void)hipGetLastError();
    get(in, &wrong, sizeof wrong);
    return 0;
}

int main()
{
    int to[2], from[2], status = -1;
    if (pipe(to) || pipe(from)) return 1;
    pid_t child = fork(); // before either has looked at a GPU
    if (child == 0) {
        close(to[1]), close(from[0]);
        _exit(other(to[0], from[1]));
    }
    close(to[0]), close(from[1]);

    auto answer = [&] {
        unsigned wrong = ~0u;
        get(from[0], &wrong, sizeof wrong);
        return wrong;
    };
    int *first, *second;
    parcel p;
    HIP(hipMalloc(&first, n * sizeof(int)));
    HIP(hipMalloc(&second, 40 << 20));
    fill<<<groups, 256>>>(first, n, 1000);
    fill<<<groups, 256>>>(second, n, 5000);
    HIP(hipDeviceSynchronize());
    HIP(hipIpcGetMemHandle(&p.memory[0], first));
    HIP(hipIpcGetMemHandle(&p.memory[1], second));
    put(to[1], &p, sizeof p);
    report("read by a kernel of the other", n, answer());
    report("copied by the other", n, answer());
    answer();
    report("written by a kernel of the other", n, wrong_on_gpu(first, 1070));
    std::vector<int> host(n);
    HIP(hipMemcpy(host.data(), second, n * sizeof(int), hipMemcpyDeviceToHost));
    size_t wrong = 0;
    for (int i = 0; i < n; i++) wrong += host[i] != 1070 + 3 * i;
    report("copied there by the other", n, wrong);

    HIP(hipFree(second));
    int *taken; // would be the same memory if it were free
    HIP(hipMalloc(&taken, 40 << 20));
    fill<<<groups, 256>>>(taken, n, -1); // no first use of anything that the runtime allocates for
    HIP(hipDeviceSynchronize());
    put(to[1], &status, sizeof status);
    report("used after the owner has freed it", n, answer());
    report("closed twice", 1, answer());
    HIP(hipFree(taken));
    put(to[1], &status, sizeof status);
    report("the other's end", 1, waitpid(child, &status, 0) != child || status != 0);
    return wrong_total;
}
