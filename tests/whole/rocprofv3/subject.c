/* subject.c - the program that rocprofv3 runs in the tests: makes known records, then ends in the
 * way its arguments say. */
#include "fake_sdk.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static uint64_t base = 1000000;

/* 2 HSA calls, 3 HIP calls, 2 dispatches, 2 copies; not in the order of time. */
static void records(void)
{
    if (!fake_start) return;
    fake_kernel(7, "_Z9vectoraddPfPKfS1_i.kd");
    fake_kernel(8, "_ZN2ns6reduceIdEEvPT_.kd");
    fake_api(5, 3, 500, 1, base + 100, base + 350);
    fake_api(1, 9, 500, 2, base + 110, base + 120);
    fake_api(2, 4, 501, 3, base + 130, base + 330);
    fake_copy(2, 500, 1, base + 140, base + 240);
    fake_dispatch(500, 4, 1, 7, base + 600, base + 700);
    fake_dispatch(500, 5, 2, 8, base + 750, base + 1050);
    fake_api(5, 5, 500, 4, base + 400, base + 450);
    fake_api(6, 2, 500, 6, base + 360, base + 370);
    fake_copy(3, 500, 7, base + 1100, base + 1200);
}

static void start(void)
{
    if (fake_start) fake_start();
}

static void many(long count)
{
    start();
    for (long i = 0; i < count; i++)
        fake_api(5, (int32_t)(i % 7), 500, (uint64_t)i + 1, (uint64_t)(count - i) * 10,
                 (uint64_t)(count - i) * 10 + 5);
}

static void memory(void)
{
    start();
    if (!fake_start) return;
    fake_allocation(1, 500, 1, 0x7f0000001000, 4096, base + 100, base + 200);
    fake_allocation(3, 500, 2, 0x7f0000001000, 0, base + 300, base + 310);
    fake_scratch(1, 501, 65536, base + 150, base + 160);
    fake_scratch(2, 501, 0, base + 250, base + 260);
}

/* Of libraries beside HIP and HSA: one call of RCCL, two of rocDecode, three of rocJPEG, four of
 * rocSHMEM, five of hipFile. */
static void libraries(void)
{
    static const uint32_t kinds[] = {14, 18, 19, 34, 36};
    uint64_t at = base;
    start();
    if (!fake_start) return;
    for (int i = 0; i < 5; i++)
        for (int call = 0; call <= i; call++, at += 100)
            fake_api(kinds[i], 2, 500, (at - base) / 100 + 1, at, at + 10);
}

/* Waits for so many windows to close, and says how many contexts were started and stopped. */
static void windows(int count)
{
    start();
    if (!fake_start) return;
    while (fake_stops() < count)
        usleep(1000);
    printf("%d %d\n", fake_starts(), fake_stops());
}

/* Of two kernels in turn. */
static void dispatches(long count)
{
    start();
    if (!fake_start) return;
    fake_kernel(7, "_Z9vectoraddPfPKfS1_i.kd");
    fake_kernel(8, "_ZN2ns6reduceIdEEvPT_.kd");
    for (long i = 1; i <= count; i++)
        fake_dispatch(500, (uint64_t)i, (uint64_t)i, i % 2 ? 7 : 8, base + 100 * (uint64_t)i,
                      base + 100 * (uint64_t)i + 50);
}

static void on_user(int signal)
{
    static const char text[] = "got it\n";
    (void)signal;
    if (write(1, text, sizeof(text) - 1) < 0) _exit(9);
}

static struct sigaction found;

/* Puts back what it found and raises the signal again, as LLVM's handlers do. */
static void on_term(int signal)
{
    sigaction(signal, &found, NULL);
    raise(signal);
}

static void chain_and_raise(void)
{
    struct sigaction ours = {.sa_handler = on_term};
    sigaction(SIGTERM, &ours, &found);
    raise(SIGTERM);
}

/* Waits for signals; each of some is told, anything else ends it. */
static void wait_for_signals(void)
{
    const int told[] = {SIGUSR1, SIGALRM, SIGVTALRM, SIGWINCH, SIGURG, SIGIO, SIGRTMIN + 5};
    for (size_t i = 0; i < sizeof(told) / sizeof(*told); i++)
        signal(told[i], on_user);
    puts("ready");
    fflush(stdout);
    for (;;)
        pause();
}

/* Files of this process may have so many bytes. */
static void limit_files(rlim_t bytes)
{
    struct rlimit limit = {bytes, bytes};
    setrlimit(RLIMIT_FSIZE, &limit);
}

/* A kernel whose name has so many letters, launched once. */
static void long_name(uint64_t id, size_t bytes)
{
    char *name = malloc(bytes + 1);
    if (!name) _exit(9);
    memset(name, 'a' + (int)(id % 26), bytes);
    name[bytes] = 0;
    fake_kernel(id, name);
    fake_dispatch(500, id, id, id, base + 10 * id, base + 10 * id + 5);
    free(name);
}

/* Names, but no records, are more than fits. */
static void names_without_room(void)
{
    limit_files(4096 + 256 * 1024);
    start();
    for (uint64_t id = 1; id <= 4; id++)
        long_name(id, 100000);
}

static void quotes(void)
{
    start();
    fake_kernel(7, "say \"hi\", \"");
    fake_dispatch(500, 1, 1, 7, base, base + 5);
}

/* Prints to streams that are closed: an error, as without us. */
static int print_to_closed_streams(void)
{
    start();
    records();
    return write(1, "out", 3) < 0 && write(2, "err", 3) < 0 ? 0 : 1;
}

/* Started without standard error: its file named `name` has that number, and nothing is told into
 * it of a disk that is full. */
static void take_stderr(const char *name)
{
    if (open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0666) != 2) _exit(9);
    limit_files(4096);
    start();
    records();
}

/* Closes what it knows and what it does not, and uses the numbers again for a file named `name`. */
static int close_all(const char *name)
{
    many(20000);
    closefrom(3);
    int mine = open(name, O_RDWR | O_CREAT, 0600);
    for (int fd = 500; fd < 540; fd++)
        if (dup2(mine, fd) != fd) return 9;
    for (long i = 20000; i < 40000; i++)
        fake_api(5, (int32_t)(i % 7), 500, (uint64_t)i + 1, (uint64_t)i, (uint64_t)i + 5);
    return 0;
}

static void fork_and_start(void)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        start();
        records();
        exit(0);
    }
    waitpid(child, NULL, 0);
}

static void fork_after_start(void)
{
    fake_object(1, "what runs", sizeof("what runs"));
    pid_t child = fork();
    if (child == 0) {
        fake_dispatch(502, 90, 9, 7, base + 5000, base + 5100);
        exit(0);
    }
    waitpid(child, NULL, 0);
}

/* Children that leave as the number says, and record nothing. */
static void fork_idle(int way)
{
    for (int i = 0; i < 20; i++) {
        pid_t child = fork();
        if (child == 0 && way) exit(0);
        if (child == 0) _exit(0);
        waitpid(child, NULL, 0);
    }
}

int main(int argc, char **argv)
{
    static char *again[] = {NULL, (char *)"plain", NULL};
    const char *how = argc > 1 ? argv[1] : "plain";
    again[0] = argv[0];
    if (strcmp(how, "nothing") == 0) return 0;
    if (strcmp(how, "many") == 0) return many(atol(argv[2])), 0;
    if (strcmp(how, "wait-many") == 0) return many(atol(argv[2])), wait_for_signals(), 0;
    if (strcmp(how, "memory") == 0) return memory(), 0;
    if (strcmp(how, "libraries") == 0) return libraries(), 0;
    if (strcmp(how, "windows") == 0) return windows(atoi(argv[2])), 0;
    if (strcmp(how, "dispatches") == 0)
        return dispatches(atol(argv[2])), argc > 3 ? atoi(argv[3]) : 0;
    if (strcmp(how, "fork-first") == 0) fork_and_start();
    if (strcmp(how, "names-without-room") == 0) return names_without_room(), 0;
    if (strcmp(how, "long-name") == 0) return start(), long_name(7, strtoul(argv[2], NULL, 10)), 0;
    if (strcmp(how, "closed-streams") == 0) return print_to_closed_streams();
    if (strcmp(how, "take-stderr") == 0) return take_stderr(argv[2]), 0;
    if (strcmp(how, "close-all") == 0) return close_all(argv[2]);
    if (strcmp(how, "wide") == 0) return start(), fake_api(5, 50, 500, 1, base, base + 5), 0;
    if (strcmp(how, "quotes") == 0) return quotes(), 0;
    if (strcmp(how, "no-room") == 0) limit_files(4096);
    start();
    if (strcmp(how, "empty") == 0) return 0;
    if (strcmp(how, "full-disk") == 0) limit_files(4096);
    records();
    if (strcmp(how, "status") == 0) return atoi(argv[2]);
    if (strcmp(how, "_exit") == 0) _exit(5);
    if (strcmp(how, "quick_exit") == 0) quick_exit(6);
    if (strcmp(how, "abort") == 0) abort();
    if (strcmp(how, "raise") == 0) raise(atoi(argv[2]));
    if (strcmp(how, "chain") == 0) chain_and_raise();
    if (strcmp(how, "fault") == 0) *(volatile int *)(size_t)argc = 1; /* near address 0 */
    if (strcmp(how, "int3") == 0) __asm__ volatile("int3");
    if (strcmp(how, "ud2") == 0) __asm__ volatile("ud2");
    if (strcmp(how, "daemon") == 0) return daemon(1, 1) == 0 ? 0 : 9;
    if (strcmp(how, "execveat") == 0) execveat(AT_FDCWD, argv[0], again, environ, 0);
    if (strcmp(how, "execv") == 0) execv(argv[0], again);
    if (strcmp(how, "execlp") == 0) execlp(argv[0], argv[0], "plain", (char *)NULL);
    if (strcmp(how, "fork-after") == 0) fork_after_start();
    if (strcmp(how, "fork-idle") == 0) fork_idle(atoi(argv[2]));
    if (strcmp(how, "lose") == 0) fake_lose(12);
    if (strcmp(how, "unknown") == 0) fake_unknown();
    if (strcmp(how, "wait") == 0) wait_for_signals();
    if (strcmp(how, "kill") == 0) kill(getpid(), SIGKILL);
    if (strcmp(how, "disposition") == 0) {
        struct sigaction now;
        sigaction(SIGTERM, NULL, &now);
        return now.sa_handler == SIG_DFL && signal(SIGINT, SIG_IGN) == SIG_DFL ? 0 : 1;
    }
    return 0;
}
