// forks.hip - threads that use the GPU and fork all the while; the children never touch it.
//
// usage: forks NUMBER [THREADS]. A third of the children each leave by exit (before HIP 6), quick_exit and _exit.
// exit has HIP's handlers run, which wait for ever where another thread of the parent held HIP's lock when
// it forked: while calls are traced, a fork waits until nobody is inside one. Every child has to end, with its
// own status, as it would without a profiler. One that has not ended after a minute is killed and counted.
#include <hip/hip_runtime.h>

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int number, left, hung, wrong;

__global__ void add_one(int *to)
{
    atomicAdd(to, 1);
}

static int await(pid_t child)
{
    const struct timespec step = {0, 1000000};
    for (int waited = 0;; waited++) {
        int status;
        pid_t got = waitpid(child, &status, WNOHANG);
        if (got == child) return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        if (got < 0) return -1;
        if (waited == 60000) {
            fprintf(stderr, "child %d hangs\n", (int)child);
            kill(child, SIGKILL);
            __atomic_fetch_add(&hung, 1, __ATOMIC_RELAXED);
        }
        nanosleep(&step, NULL);
    }
}

static void child(int way)
{
    char *memory = (char *)malloc(100000 + way);
    memset(memory, way, 100000);
    int status = memory[way % 1000] == (char)way ? 40 + way % 8 : 1;
    free(memory);
#if HIP_VERSION_MAJOR < 6 // later ones crash or wait for ever in such a child, without a profiler, too
    if (way % 3 == 0) exit(status);
#endif
    if (way % 3 == 1) quick_exit(status);
    _exit(status);
}

static void *work(void *)
{
    int *counter;
    hipStream_t stream;
    if (hipStreamCreate(&stream) != hipSuccess || hipMalloc(&counter, 4) != hipSuccess ||
        hipMemset(counter, 0, 4) != hipSuccess)
        exit(2);
    for (int i; (i = __atomic_sub_fetch(&left, 1, __ATOMIC_RELAXED)) >= 0;) {
        hipLaunchKernelGGL(add_one, dim3(1), dim3(64), 0, stream, counter);
        pid_t pid = fork();
        if (pid == 0) child(i);
        int status = await(pid);
        if (status != 40 + i % 8) {
            fprintf(stderr, "child %d of %d: status %d\n", i, number, status);
            __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
        }
        if (hipStreamSynchronize(stream) != hipSuccess) exit(3);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    enum { THREADS_MAX = 64 };
    pthread_t threads[THREADS_MAX];
    number = left = argc > 1 ? atoi(argv[1]) : 100;
    int count = argc > 2 ? atoi(argv[2]) : 8;
    if (count > THREADS_MAX) count = THREADS_MAX;
    if (hipFree(NULL) != hipSuccess) return 2;
    for (int i = 0; i < count; i++)
        if (pthread_create(&threads[i], NULL, work, NULL) != 0) return 2;
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    printf("%d children, %d hung, %d ended otherwise\n", number, hung, wrong);
    return hung || wrong;
}
