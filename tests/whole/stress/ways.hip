// ways.hip - a HIP program that leaves in many ways, with its work done or in the middle of it.
//
// usage: ways HOW. First four threads make API calls and launches; then it ends as HOW says. In
// the ways called "busy" the threads are still at it. Statuses are fixed: see stress.py.
#include <hip/hip_runtime.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

constexpr int THREADS = 4, ROUNDS = 40;

static std::atomic<int> failed{0}, busy_threads{0};
static std::atomic<bool> busy{false}, at_end{false}, stop{false};

__global__ void add_one(int *x) { x[threadIdx.x]++; }

static void check(hipError_t error)
{
    if (error != hipSuccess) failed++;
}

static void work(int rounds)
{
    int *device, host[64] = {};
    hipStream_t stream;
    check(hipStreamCreate(&stream));
    check(hipMalloc(&device, sizeof host));
    check(hipMemcpy(device, host, sizeof host, hipMemcpyHostToDevice));
    for (int i = 0; i < rounds; i++) {
        add_one<<<1, 64, 0, stream>>>(device);
        check(hipGetLastError());
        if (i % 8 == 7) check(hipStreamSynchronize(stream));
    }
    check(hipStreamSynchronize(stream));
    check(hipMemcpy(host, device, sizeof host, hipMemcpyDeviceToHost));
    for (int x : host) failed += x != rounds;
    check(hipFree(device));
    check(hipStreamDestroy(stream));
}

static void *run(void *)
{
    if (!busy) {
        work(ROUNDS);
        return nullptr;
    }
    for (busy_threads++; !stop;) {
        (void)hipGetLastError();
        (void)hipPeekAtLastError();
    }
    busy_threads--;
    for (;;) pause();
}

static std::vector<pthread_t> start_threads()
{
    std::vector<pthread_t> threads(THREADS);
    for (pthread_t &t : threads) pthread_create(&t, nullptr, run, nullptr);
    return threads;
}

// Registered before any tool is: runs after the tools' end and before that of HIP, whose functions
// crash from then on.
static void stop_busy()
{
    stop = true;
    while (busy_threads) usleep(1000);
}

__attribute__((constructor(101))) static void stop_last()
{
    atexit(stop_busy);
}

static void start_busy()
{
    busy = true;
    start_threads();
    while (busy_threads < THREADS) usleep(1000);
    usleep(20000); // so that they are in the midst of their calls
}

static void late_calls()
{
    int count = 0;
    if (at_end && (hipGetDeviceCount(&count) != hipSuccess || count < 1)) _exit(90);
    if (at_end && hipDeviceSynchronize() != hipSuccess) _exit(91);
}

// Constructed before main: destroyed after what main registered with atexit.
struct late_user {
    ~late_user() { late_calls(); }
};
static late_user in_destructor;

static void *leave(void *)
{
    exit(23);
}

static int fork_and_wait(bool child_works, void (*end)(int))
{
    pid_t child = fork();
    if (!child) {
        alarm(60);
        if (child_works) work(8);
        end(failed ? 92 : 31);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int, char **argv)
{
    const char *how = argv[1] ? argv[1] : "return";
    auto is = [how](const char *name) { return !strcmp(how, name); };
    int forked = 31;
    if (is("fork-before")) forked = fork_and_wait(true, exit);
    if (is("fork-before-_exit")) forked = fork_and_wait(true, _exit);
    for (pthread_t t : start_threads()) pthread_join(t, nullptr);
    if (failed) return 93;
    if (is("fork-after-_exit")) forked = fork_and_wait(false, _exit);
    if (forked != 31) {
        fprintf(stderr, "the child ended with %d\n", forked);
        return 94;
    }
    if (is("fork-busy")) {
        start_busy();
        for (int i = 0; i < 10; i++)
            if (fork_and_wait(false, _exit) != 31) _exit(95); // ROCr cannot exit() in a child
        exit(24);
    }
    if (strstr(how, "busy")) start_busy();
    if (is("_exit") || is("_exit-busy")) _exit(21);
    if (is("quick_exit")) quick_exit(22);
    if (is("thread") || is("thread-busy")) {
        pthread_t t;
        pthread_create(&t, nullptr, leave, nullptr);
        pause();
    }
    if (is("exit-busy")) exit(24);
    if (is("abort") || is("abort-busy")) abort();
    if (is("kill") || is("kill-busy")) raise(SIGKILL);
    if (is("term") || is("term-busy")) raise(SIGTERM);
    if (is("exec") || is("exec-busy")) execl("/bin/sh", "sh", "-c", "exit 25", (char *)nullptr);
    if (is("late")) {
        at_end = true;
        atexit(late_calls);
    }
    return 20;
}
