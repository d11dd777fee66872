/* attached.hip - works when it is told to, so that a test knows what happened in which window.
 *
 * A line "K" launches K kernels of K blocks and is answered when they are done; "hold" has another
 * thread wait for the GPU, and "release" ends that; the end of the input ends the program with status
 * 7. With an argument it has a process of the same kind do everything too. */
#include <hip/hip_runtime.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

__global__ void add(unsigned *sum)
{
    atomicAdd(sum, 1);
}

static void check(hipError_t error)
{
    if (error == hipSuccess) return;
    fprintf(stderr, "%s\n", hipGetErrorString(error));
    exit(1);
}

/* Variables of a profiler: this program was given none. */
static int foreign()
{
    int count = 0;
    for (char **line = environ; *line; line++)
        count += strncmp(*line, "ROCPROF_", 8) == 0 || strncmp(*line, "ROCP_TOOL_LIB", 13) == 0;
    return count;
}

std::atomic<bool> waits;

/* A call that lasts from after `waits` until `go` is not 0. A callback that blocks its stream would
 * not do: since HIP 6 one thread runs all callbacks and ends all waiting. */
static void hold(unsigned *go)
{
    hipStream_t stream;
    hipEvent_t event;
    check(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    check(hipEventCreate(&event));
    check(hipStreamWaitValue32(stream, go, 1, hipStreamWaitValueGte));
    check(hipEventRecord(event, stream));
    waits = true;
    check(hipEventSynchronize(event));
}

struct child_t {
    FILE *to, *from;
    pid_t pid;
};

static child_t start_child(char *program)
{
    int down[2], up[2];
    if (pipe(down) != 0 || pipe(up) != 0) exit(1);
    pid_t pid = fork();
    if (pid == 0) {
        dup2(down[0], 0);
        dup2(up[1], 1);
        for (int fd : {down[0], down[1], up[0], up[1]})
            close(fd);
        execl("/proc/self/exe", program, (char *)nullptr);
        _exit(127);
    }
    close(down[0]);
    close(up[1]);
    return {fdopen(down[1], "w"), fdopen(up[0], "r"), pid};
}

int main(int argc, char **argv)
{
    char line[128], answer[128];
    unsigned total = 0, *sum, *go;
    child_t child = {};
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
    if (argc > 1) {
        child = start_child(argv[0]);
        if (!fgets(answer, sizeof answer, child.from)) return 1;
    }
    check(hipMalloc((void **)&sum, sizeof *sum));
    check(hipMemset(sum, 0, sizeof *sum));
    check(hipExtMallocWithFlags((void **)&go, 8, hipMallocSignalMemory)); /* it has this size */
    __atomic_store_n(go, 0, __ATOMIC_RELEASE);
    check(hipDeviceSynchronize());
    printf("ready %d\n", (int)getpid());
    fflush(stdout);
    std::thread holder;
    while (fgets(line, sizeof line, stdin)) {
        if (strcmp(line, "hold\n") == 0) {
            holder = std::thread(hold, go);
            while (!waits)
                usleep(1000);
            usleep(100000); /* it is inside, or the test shows nothing */
        } else if (strcmp(line, "release\n") == 0) {
            __atomic_store_n(go, 1, __ATOMIC_RELEASE);
            holder.join();
        }
        unsigned k = (unsigned)atoi(line);
        for (unsigned i = 0; i < k; i++)
            add<<<k, 64>>>(sum);
        check(hipGetLastError());
        check(hipStreamSynchronize(nullptr));
        total += k * k * 64;
        if (child.to) {
            fputs(line, child.to);
            fflush(child.to);
            if (!fgets(answer, sizeof answer, child.from)) return 1;
        }
        printf("done %u, %d foreign variables\n", k, foreign());
        fflush(stdout);
    }
    int status = 0;
    if (child.to) {
        fclose(child.to);
        waitpid(child.pid, &status, 0);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 7) return 1;
    }
    unsigned got;
    check(hipMemcpy(&got, sum, sizeof got, hipMemcpyDeviceToHost));
    printf("sum %u of %u\n", got, total);
    return 7;
}
