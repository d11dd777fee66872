// exits - ways to end a program, or a part of it, while kernels run: each child's status is what the
// program asked for, it ends soon and says nothing of its own accord.
#include "scene.h"

#include <csignal>
#include <pthread.h>
#include <thread>

__global__ void spin(volatile int *flag)
{
    flag[1] = 1;
    while (*flag == 0) {}
}
__global__ void add(int *x, int n) { x[threadIdx.x] += n; }

static int *words;

// A kernel that never ends, seen to run, and work queued behind it.
static void start_endless()
{
    HIP(hipHostMalloc((void **)&words, 4096));
    memset(words, 0, 4096);
    spin<<<4, 64>>>(words);
    int *x;
    HIP(hipMalloc(&x, 4096));
    add<<<1, 64>>>(x, 1);
    while (__atomic_load_n(words + 1, __ATOMIC_RELAXED) == 0) usleep(100);
}

static int check_add()
{
    device_array<int> x(std::vector<int>(64, 40));
    add<<<1, 64>>>(x.data, 2);
    for (int v : x.host())
        if (v != 42) return 1;
    return 0;
}

static int finite()
{
    int *x;
    HIP(hipMalloc(&x, 4096));
    for (int i = 0; i < 300; i++) add<<<1, 64>>>(x, i);
    return 11;
}
static int exit_now() { start_endless(); _exit(12); }
static int quick() { start_endless(); quick_exit(13); }
static int second_thread()
{
    start_endless();
    std::thread([] { _exit(14); }).join();
    return 1;
}
[[maybe_unused]] static int second_thread_exit()
{
    int *x;
    HIP(hipMalloc(&x, 4096));
    for (int i = 0; i < 300; i++) add<<<1, 64>>>(x, i);
    std::thread([] { std::exit(15); }).detach();
    HIP(hipDeviceSynchronize());
    for (;;) pause();
}
static int main_thread_ends()
{
    static pthread_t first;
    first = pthread_self();
    std::thread([] {
        pthread_join(first, nullptr);
        _exit(check_add() ? 1 : 16);
    }).detach();
    start_endless();
    words[0] = 1;
    pthread_exit(nullptr);
}
static int interrupted()
{
    signal(SIGINT, SIG_DFL); // shells start programs in the background with SIGINT ignored
    start_endless();
    raise(SIGINT);
    return 1;
}
static int handled()
{
    signal(SIGTERM, [](int) { _exit(17); });
    start_endless();
    kill(getpid(), SIGTERM);
    for (;;) pause();
}
static int aborted() { start_endless(); abort(); }
static int host_crash() { start_endless(); *(volatile int *)8 = 1; return 1; }
static int replaced()
{
    start_endless();
    execlp("sh", "sh", "-c", "exit 18", nullptr);
    return 1;
}
static int replaced_by_hip()
{
    start_endless();
    execl("/proc/self/exe", "exits", "again", nullptr);
    return 1;
}
static int children()
{
    start_endless();
    for (int i = 0; i < 3; i++) { // a child of a program with a kernel running: ends, is replaced
        pid_t child = fork();
        if (child == 0 && i == 0) _exit(3);
        if (child == 0 && i == 1) execlp("sh", "sh", "-c", "exit 3", nullptr);
        if (child == 0) execl("/proc/self/exe", "exits", "again", nullptr);
        int status = 0;
        waitpid(child, &status, 0);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != (i == 2 ? 20 : 3)) return 1;
    }
    words[0] = 1;
    HIP(hipDeviceSynchronize());
    return check_add() ? 1 : 19;
}
static int reset()
{
    for (int i = 0; i < 3; i++) {
        if (check_add()) return 1;
        HIP(hipDeviceReset());
    }
    return check_add() ? 1 : 21;
}
static int streams_destroyed()
{
    // a stream may be destroyed with work in it: that work is done all the same
    int *x;
    HIP(hipHostMalloc((void **)&x, 4096));
    memset(x, 0, 4096);
    for (int i = 0; i < 12; i++) {
        hipStream_t s;
        HIP(hipStreamCreate(&s));
        for (int k = 0; k < 20; k++) add<<<1, 64, 0, s>>>(x + 64 * i, 1);
        HIP(hipStreamDestroy(s));
    }
    HIP(hipDeviceSynchronize());
    for (int i = 0; i < 12 * 64; i++)
        if (x[i] != 20) return 1;
    return 22;
}

static const struct {
    const char *name;
    int (*body)();
} scenes[] = {
    {"main returns with kernels queued", finite},
    {"_exit", exit_now},
    {"quick_exit", quick},
    {"_exit of a second thread", second_thread},
#if HIP_VERSION_MAJOR < 6 // HIP 6 frees its objects then, beneath the main thread's hipDeviceSynchronize
    {"exit of a second thread", second_thread_exit},
#endif
    {"main thread ends first", main_thread_ends},
    {"SIGINT", interrupted},
    {"SIGTERM with a handler", handled},
    {"abort", aborted},
    {"crash of the host", host_crash},
    {"exec", replaced},
    {"exec of itself", replaced_by_hip},
    {"children", children},
    {"hipDeviceReset", reset},
    {"streams destroyed", streams_destroyed},
};

int main(int argc, char **)
{
    if (argc > 1) return check_add() ? 1 : 20;
    for (auto &s : scenes) {
        scene_end end = scene_run(s.body);
        std::printf("%s: status %d%s%s\n", s.name, end.status, end.out.empty() ? "" : ", says: ", end.out.c_str());
    }
    return 0;
}
