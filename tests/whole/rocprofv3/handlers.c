/* handlers.c - calls that are traced, and a signal handler that makes the same ones in the middle
 * of them. handlers marks|calls N: so often outside of the handler; how often inside is printed. */
#include <hsa/hsa.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include <rocprofiler-sdk-roctx/roctx.h>

enum { PERIOD_US = 50 };

static volatile unsigned long handled;
static bool marks;

static void call(const char *message)
{
    uint64_t now;
    if (marks)
        roctxMarkA(message);
    else
        hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &now);
}

static void on_alarm(int number)
{
    (void)number;
    call("in the handler");
    handled++;
}

int main(int argc, char **argv)
{
    if (argc != 3) return 2;
    marks = strcmp(argv[1], "marks") == 0;
    struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
    struct itimerval often = {{0, PERIOD_US}, {0, PERIOD_US}}, never = {{0, 0}, {0, 0}};
    /* The runtime's threads inherit the mask, so that this thread alone handles the timer: a
     * handler on another thread could still run, or count, while this one reads the count. */
    sigset_t alarm;
    sigemptyset(&alarm);
    sigaddset(&alarm, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &alarm, NULL);
    if (!marks && hsa_init() != HSA_STATUS_SUCCESS) return 1;
    call("first"); /* what is made once is made outside of the handler */
    sigaction(SIGALRM, &action, NULL);
    pthread_sigmask(SIG_UNBLOCK, &alarm, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    for (long n = atol(argv[2]); n > 0; n--)
        call("outside");
    setitimer(ITIMER_REAL, &never, NULL);
    printf("%lu\n", handled);
    return 0;
}
