// handlers - the program's signal handlers are its own while kernels run: they stay installed, run on
// the program's threads only, and a crash on the host is seen by the program's handler alone.
#include "check.h"

#include <csetjmp>
#include <csignal>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <thread>
#include <atomic>
#include <unistd.h>

static std::atomic<int> alarms, users, on_device_threads;
static sigjmp_buf again;

static void note_thread()
{
    char name[16] = "";
    prctl(PR_GET_NAME, name);
    if (strncmp(name, "sg-", 3) == 0) on_device_threads++;
}
static void on_alarm(int) { alarms++; note_thread(); }
static void on_user(int) { users++; note_thread(); }
static void on_crash(int, siginfo_t *, void *) { note_thread(); siglongjmp(again, 1); }

static const int caught[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGUSR1, SIGUSR2, SIGALRM, SIGINT, SIGTERM, SIGCHLD};
static const int n_caught = sizeof caught / sizeof caught[0];

static void install(struct sigaction *set)
{
    for (int i = 0; i < n_caught; i++) {
        struct sigaction a = {};
        if (caught[i] == SIGALRM) a.sa_handler = on_alarm;
        else if (caught[i] == SIGUSR1 || caught[i] == SIGUSR2) a.sa_handler = on_user;
        else if (caught[i] == SIGSEGV || caught[i] == SIGBUS) { a.sa_sigaction = on_crash; a.sa_flags = SA_SIGINFO | SA_NODEFER; }
        else a.sa_handler = SIG_IGN;
        if (i % 2) a.sa_flags |= SA_RESTART;
        sigaction(caught[i], &a, nullptr);
        sigaction(caught[i], nullptr, &set[i]);
    }
}

static size_t changed(const struct sigaction *set)
{
    size_t wrong = 0;
    for (int i = 0; i < n_caught; i++) {
        struct sigaction now;
        sigaction(caught[i], nullptr, &now);
        wrong += now.sa_sigaction != set[i].sa_sigaction || now.sa_flags != set[i].sa_flags;
    }
    return wrong;
}

__global__ void until(volatile int *flag, volatile int *alive)
{
    while (*flag == 0) *alive = *alive + 1;
}
__global__ void twist(int *x)
{
    int v = x[threadIdx.x];
    for (int i = 0; i < 300; i++) v = v * 5 + i;
    x[threadIdx.x] = v;
}

static struct sigaction set[n_caught];

// A handler of one kind or the other, set while the GPU has its own: what was there comes back, and
// a crash gets there once or always.
static void on_crash_plain(int) { on_crash(0, nullptr, nullptr); }

static size_t other_handlers()
{
    size_t wrong = 0;
    for (int number : {SIGSEGV, SIGBUS}) {
        wrong += (void *)signal(number, on_crash_plain) != (void *)on_crash;
        for (int i = 0; i < 2; i++)
            if (sigsetjmp(again, 1) == 0) raise(number), wrong++;
        wrong += sysv_signal(number, on_crash_plain) != on_crash_plain;
        if (sigsetjmp(again, 1) == 0) raise(number), wrong++;
        struct sigaction now;
        sigaction(number, nullptr, &now);
        wrong += now.sa_handler != SIG_DFL;
    }
    install(set);
    return wrong;
}

static size_t ends_by_default(int number)
{
    signal(SIGCHLD, SIG_DFL); // an ignored one leaves no status
    pid_t child = fork();
    if (child == 0) {
        struct rlimit no_core = {0, 0};
        setrlimit(RLIMIT_CORE, &no_core);
        signal(number, SIG_DFL);
        if (number == SIGSEGV) *(volatile int *)(uintptr_t)16 = 1;
        kill(getpid(), number);
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    install(set);
    return !WIFSIGNALED(status) || WTERMSIG(status) != number;
}

// Signals from outside find the only threads that listen: those of the GPU among others, which pass them on.
static size_t from_outside()
{
    std::atomic<bool> done{false};
    std::thread reader([&] { // the program's own, so that they arrive at all
        while (!done) usleep(100);
    });
    for (int number : {SIGSEGV, SIGBUS}) signal(number, on_user);
    sigset_t both, before;
    sigemptyset(&both);
    sigaddset(&both, SIGSEGV);
    sigaddset(&both, SIGBUS);
    pthread_sigmask(SIG_BLOCK, &both, &before);
    const int arrived = users;
    for (int i = 0; i < 100; i++) {
        kill(getpid(), i % 2 ? SIGSEGV : SIGBUS);
        usleep(300);
    }
    while (users == arrived) usleep(100);
    done = true;
    reader.join();
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    install(set);
    return (size_t)on_device_threads;
}

int main()
{
    install(set);
    sigset_t mask_before = {}, mask_after = {};
    sigprocmask(SIG_SETMASK, nullptr, &mask_before);

    int *words;
    HIP(hipHostMalloc((void **)&words, 4096));
    memset(words, 0, 4096);
    HIP(hipHostRegister(calloc(2, 4096), 4096, hipHostRegisterDefault)); // the GPU may fault on it
    hipStream_t s;
    HIP(hipStreamCreateWithFlags(&s, hipStreamNonBlocking));
    until<<<1, 64, 0, s>>>(words, words + 64);
    while (__atomic_load_n(words + 64, __ATOMIC_RELAXED) == 0) usleep(100); // the kernel runs
    report("handlers in place", n_caught, changed(set));
    sigprocmask(SIG_SETMASK, nullptr, &mask_after);
    report("other handlers", 12, other_handlers());
    report("from outside", 100, from_outside());
    report("ends by default", 2, ends_by_default(SIGSEGV) + ends_by_default(SIGBUS));
    report("signal mask", 1, memcmp(&mask_before, &mask_after, sizeof mask_after) != 0);

    // crashes of the host, also on memory that only the GPU has
    volatile int crashes = 0;
    for (volatile int i = 0; i < 20; i++) {
        if (sigsetjmp(again, 1) == 0)
            *(volatile int *)(uintptr_t)(16 + i) = 1;
        else
            crashes = crashes + 1;
    }
    report("crashes caught", 20, crashes != 20);

    // a timer and signals from outside interrupt every wait of the runtime
    struct itimerval t = {{0, 700}, {0, 700}};
    setitimer(ITIMER_REAL, &t, nullptr);
    std::thread other([] {
        for (int i = 0; i < 200; i++) {
            kill(getpid(), i % 2 ? SIGUSR1 : SIGUSR2);
            usleep(300);
        }
    });
    device_array<int> x(std::vector<int>(64));
    int launches = 0;
    while (launches < 400 || alarms < 50) {
        twist<<<1, 64>>>(x.data);
        if (++launches % 10 == 0) HIP(hipStreamSynchronize(0));
    }
    other.join();
    auto got = x.host();
    t = {};
    setitimer(ITIMER_REAL, &t, nullptr);
    unsigned want = 0;
    for (int k = 0; k < launches; k++)
        for (int i = 0; i < 300; i++) want = want * 5 + (unsigned)i;
    size_t wrong = 0;
    for (int i = 0; i < 64; i++) wrong += (unsigned)got[i] != want;
    report("kernels under signals", 64, wrong);

    __atomic_store_n(words, 1, __ATOMIC_RELEASE);
    HIP(hipStreamSynchronize(s));
    report("signals arrived", 1, alarms < 50 || users < 2);
    report("on the GPU's threads", 1, on_device_threads != 0);
    report("handlers still in place", n_caught, changed(set));
    return wrong_total;
}
