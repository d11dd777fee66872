/* bridge.c - a program linked with a HIP that has no table, run with the bridge preloaded.
 *
 * Checks that arguments survive the trampolines, that the SDK is given a table with the claimed
 * size and can replace an entry, and that absent functions are null in it. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int hipInit(unsigned flags);
int hipGraphUpload(void) __attribute__((weak));
int hipGetDeviceCount(void) __attribute__((weak));
double hipMemcpy3DAsync(int, int, int, int, int, int, int, int, double, double);

static int failures;
#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition))                                                                          \
            failures++, fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);            \
    } while (0)

/* As many programs ask: calls by way of a table of functions that HIP may have. */
static int (*const optional[])(void) = {hipGraphUpload, hipGetDeviceCount};

static void *init_in_thread(void *answer)
{
    *(int *)answer = hipInit(1);
    return NULL;
}

int main(void)
{
    pthread_t threads[4];
    int answers[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, init_in_thread, &answers[i]);
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        CHECK(answers[i] == 2);
    }
    double sum = 0, values[] = {1, 2, 3, 4, 5, 6, 7, 8, 0.5, 0.25};
    for (int i = 0; i < 10; i++)
        sum += (i + 1) * values[i];
    CHECK(hipMemcpy3DAsync(1, 2, 3, 4, 5, 6, 7, 8, 0.5, 0.25) == sum);
    const char *expected = getenv("BRIDGE_EXPECTS");
    int *seen = dlsym(RTLD_DEFAULT, "fake_sdk_seen");
    CHECK((seen != NULL) == (expected && *expected));
    if (seen) CHECK(*seen == 1 && !strcmp(dlsym(RTLD_DEFAULT, "fake_sdk_name"), expected));
    /* what HIP lacks is not there, however the program asks, and whenever */
    CHECK(!dlsym(RTLD_DEFAULT, "hipGraphUpload") && dlerror());
    CHECK(dlsym(RTLD_DEFAULT, "hipInit"));
    CHECK(!hipGraphUpload && !optional[0] && optional[1] && optional[1]() == 3);
    int (*lacked)(void);
    void *opened = dlopen("libtest_asks.so", RTLD_NOW);
    *(void **)&lacked = opened ? dlsym(opened, "lacked") : NULL;
    CHECK(lacked && lacked() == 1);
    return failures != 0;
}
