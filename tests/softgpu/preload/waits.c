/* waits.c - a thread that asks HSA to poll for a signal sleeps on softgpu, which needs the
 * processor, and gets the signal's value, also if it is stored without an interrupt, as a kernel
 * may do; a wait that nothing ends has its time. */
#include <hsa/amd_hsa_signal.h>
#include <hsa/hsa.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "line %d: not %s\n", __LINE__, #condition);                            \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

/* longer than the stub sleeps at once */
static const struct timespec later = {.tv_nsec = 250000000};

static void *store_later(void *signal)
{
    nanosleep(&later, NULL);
    hsa_signal_store_screlease(*(hsa_signal_t *)signal, 0);
    return NULL;
}

static void *store_silently_later(void *signal)
{
    amd_signal_t *s = (amd_signal_t *)((hsa_signal_t *)signal)->handle;
    nanosleep(&later, NULL);
    __atomic_store_n(&s->value, 0, __ATOMIC_RELEASE);
    return NULL;
}

/* How often this thread has gone to sleep by itself. */
static long sleeps(void)
{
    struct rusage usage;
    CHECK(getrusage(RUSAGE_THREAD, &usage) == 0);
    return usage.ru_nvcsw;
}

/* Polls for the value that another thread stores. */
static void wait_for(void *(*store)(void *))
{
    hsa_signal_t signal;
    pthread_t thread;
    CHECK(hsa_signal_create(1, 0, NULL, &signal) == HSA_STATUS_SUCCESS);
    CHECK(hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_LT, 1, 1000000,
                                    HSA_WAIT_STATE_ACTIVE) == 1);
    CHECK(pthread_create(&thread, NULL, store, &signal) == 0);
    const long before = sleeps();
    CHECK(hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX,
                                    HSA_WAIT_STATE_ACTIVE) == 0);
    CHECK(sleeps() > before);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(hsa_signal_destroy(signal) == HSA_STATUS_SUCCESS);
}

int main(void)
{
    CHECK(hsa_init() == HSA_STATUS_SUCCESS);
    wait_for(store_later);
    wait_for(store_silently_later);
    CHECK(hsa_shut_down() == HSA_STATUS_SUCCESS);
    return 0;
}
