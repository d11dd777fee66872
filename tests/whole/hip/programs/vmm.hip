// vmm - addresses and memory apart: memory is made without an address, put at addresses, at two at
// once, taken away and put elsewhere, and given to another process as a descriptor.
#include "check.h"

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

__global__ void fill(int *p, size_t count, int value)
{
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        p[i] = value + (int)i;
}

static size_t wrong_in(const int *p, size_t count, int value)
{
    std::vector<int> host(count);
    HIP(hipMemcpy(host.data(), p, count * sizeof(int), hipMemcpyDeviceToHost));
    size_t wrong = 0;
    for (size_t i = 0; i < count; i++) wrong += host[i] != value + (int)i;
    return wrong;
}

static hipMemAllocationProp on_gpu()
{
    hipMemAllocationProp prop = {};
    prop.type = hipMemAllocationTypePinned;
    prop.location.type = hipMemLocationTypeDevice;
    prop.location.id = 0;
    prop.requestedHandleType = hipMemHandleTypePosixFileDescriptor;
    return prop;
}

static void allow(void *p, size_t bytes)
{
    hipMemAccessDesc access = {};
    access.location.type = hipMemLocationTypeDevice;
    access.location.id = 0;
    access.flags = hipMemAccessFlagsProtReadWrite;
    HIP(hipMemSetAccess(p, bytes, &access, 1));
}

static int pass(int socket, int *fd) // sends *fd, or receives it if it is -1
{
    union {
        cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = {};
    char one = 1;
    iovec data = {&one, 1};
    msghdr message = {};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = control.bytes;
    message.msg_controllen = sizeof control.bytes;
    if (*fd < 0) {
        if (recvmsg(socket, &message, 0) != 1 || !CMSG_FIRSTHDR(&message)) return 1;
        memcpy(fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof *fd);
        return 0;
    }
    control.header.cmsg_level = SOL_SOCKET;
    control.header.cmsg_type = SCM_RIGHTS;
    control.header.cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(&control.header), fd, sizeof *fd);
    return sendmsg(socket, &message, 0) != 1;
}

// Puts memory that came as a descriptor at an address of its own.
static int *open_memory(int fd, size_t bytes, hipMemGenericAllocationHandle_t *handle)
{
    void *p;
    void *shared = HIP_VERSION < 70000000 ? &fd : (void *)(intptr_t)fd; // HIP 7 takes it as CUDA does
    HIP(hipMemImportFromShareableHandle(handle, shared, hipMemHandleTypePosixFileDescriptor));
    HIP(hipMemAddressReserve(&p, bytes, 0, nullptr, 0));
    HIP(hipMemMap(p, bytes, 0, *handle, 0));
    allow(p, bytes);
    return (int *)p;
}

static void close_memory(int *p, size_t bytes, hipMemGenericAllocationHandle_t handle)
{
    HIP(hipMemUnmap(p, bytes));
    HIP(hipMemRelease(handle));
    HIP(hipMemAddressFree(p, bytes));
}

static int other(int socket, size_t bytes)
{
    int fd = -1;
    char done = 1;
    if (pass(socket, &fd)) return 3;
    hipMemGenericAllocationHandle_t handle;
    int *p = open_memory(fd, bytes, &handle);
    close(fd);
    size_t wrong = wrong_in(p, bytes / sizeof(int), 300);
    fill<<<64, 256>>>(p, bytes / sizeof(int), 900);
    HIP(hipDeviceSynchronize());
    close_memory(p, bytes, handle);
    if (write(socket, &done, 1) != 1) return 4;
    return wrong != 0;
}

int main()
{
    const size_t guess = 2 << 20;
    int pair[2], status = -1;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair)) return 1;
    pid_t child = fork(); // before either has looked at a GPU
    if (child == 0) {
        close(pair[0]);
        _exit(other(pair[1], 2 * guess));
    }
    close(pair[1]);

    size_t granularity = 0;
    hipMemAllocationProp prop = on_gpu();
    HIP(hipMemGetAllocationGranularity(&granularity, &prop, hipMemAllocationGranularityMinimum));
    report("supported", 1, granularity == 0 || guess % granularity != 0);

    const size_t bytes = 2 * guess, count = bytes / sizeof(int);
    hipMemGenericAllocationHandle_t a, b;
    char *base;
    HIP(hipMemAddressReserve((void **)&base, 3 * bytes, 0, nullptr, 0));
    HIP(hipMemCreate(&a, bytes, &prop, 0));
    HIP(hipMemCreate(&b, bytes, &prop, 0));
    HIP(hipMemMap(base, bytes, 0, a, 0));
    HIP(hipMemMap(base + bytes, bytes, 0, b, 0));
    allow(base, 2 * bytes);
    fill<<<64, 256>>>((int *)base, 2 * count, 100); // one array over two pieces of memory
    HIP(hipDeviceSynchronize());
    report("two pieces in a row", 2 * count, wrong_in((int *)base, 2 * count, 100));

    HIP(hipMemMap(base + 2 * bytes, bytes, 0, a, 0)); // the first piece once more, behind the second
    allow(base + 2 * bytes, bytes);
    report("at a second address", count, wrong_in((int *)(base + 2 * bytes), count, 100));
    fill<<<64, 256>>>((int *)(base + 2 * bytes), count, 200);
    HIP(hipDeviceSynchronize());
    report("written there, read here", count, wrong_in((int *)base, count, 200));

    HIP(hipMemUnmap(base, bytes)); // the second piece takes its place
    HIP(hipMemUnmap(base + bytes, bytes));
    HIP(hipMemMap(base, bytes, 0, b, 0));
    allow(base, bytes);
    report("moved", count, wrong_in((int *)base, count, 100 + (int)count));
    HIP(hipMemRelease(b)); // its mapping keeps it
    report("released", count, wrong_in((int *)base, count, 100 + (int)count));
    HIP(hipMemUnmap(base, bytes));

    int fd = -1;
    fill<<<64, 256>>>((int *)(base + 2 * bytes), count, 300);
    HIP(hipDeviceSynchronize());
    HIP(hipMemExportToShareableHandle(&fd, a, hipMemHandleTypePosixFileDescriptor, 0));
    report("a descriptor", 1, fd < 0 || pass(pair[0], &fd));
    close(fd);
    char done = 0;
    size_t wrong = read(pair[0], &done, 1) != 1;
    wrong += waitpid(child, &status, 0) != child || status != 0;
    report("read by the other", 1, wrong);
    report("written by the other", count, wrong_in((int *)(base + 2 * bytes), count, 900));
    HIP(hipMemUnmap(base + 2 * bytes, bytes));
    HIP(hipMemRelease(a));
    HIP(hipMemAddressFree(base, 3 * bytes));
    return wrong_total;
}
