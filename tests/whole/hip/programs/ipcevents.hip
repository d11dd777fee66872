// ipcevents - an event of one process that another waits for: on the host, and in a stream of its
// own.
#include "check.h"

#include <sys/wait.h>
#include <unistd.h>

__global__ void count(int *p)
{
    for (int i = 0; i < 1000; i++)
        atomicAdd(p, 1);
}

static bool give(int fd, const void *data, size_t bytes)
{
    return write(fd, data, bytes) == (ssize_t)bytes;
}
static bool take(int fd, void *data, size_t bytes)
{
    return read(fd, data, bytes) == (ssize_t)bytes;
}

// The other process: says that it has the event, hears that it is recorded, waits for it.
static int other(int in, int out)
{
    hipIpcEventHandle_t handle;
    hipEvent_t event;
    hipStream_t stream;
    char go = 1;
    if (!take(in, &handle, sizeof handle)) return 1;
    HIP(hipIpcOpenEventHandle(&event, handle));
    if (!give(out, &go, 1) || !take(in, &go, 1)) return 1;
    HIP(hipEventSynchronize(event));
    HIP(hipEventQuery(event));
    HIP(hipStreamCreate(&stream));
    HIP(hipStreamWaitEvent(stream, event, 0));
    HIP(hipStreamSynchronize(stream));
    HIP(hipEventDestroy(event));
    return 0;
}

int main()
{
    int there[2], back[2], status = -1;
    if (pipe(there) || pipe(back)) return 1;
    pid_t child = fork(); // before either has looked at a GPU
    if (child == 0) {
        close(there[1]);
        _exit(other(there[0], back[1]));
    }
    close(back[1]); // so that nobody waits for one that is gone

    hipEvent_t event;
    hipIpcEventHandle_t handle;
    char go;
    HIP(hipEventCreateWithFlags(&event, hipEventInterprocess | hipEventDisableTiming));
    HIP(hipIpcGetEventHandle(&handle, event));
    if (!give(there[1], &handle, sizeof handle) || !take(back[0], &go, 1)) return 1;
    device_array<int> sum(std::vector<int>(1, 0));
    count<<<1, 64>>>(sum.data);
    HIP(hipEventRecord(event, 0));
    if (!give(there[1], &go, 1)) return 1;
    waitpid(child, &status, 0);
    report("waited for by the other", 1, status != 0);
    report("counted", 1, sum.host()[0] != 64000);
    return wrong_total;
}
