/* native.c - a program on HIP 6.4, run with the bridge preloaded: each call is seen exactly once.
 *
 * usage: native stand-in|native linked|opened. The first says whose table the SDK must have been
 * given; "opened" reaches HIP through dlopen alone. HIP's build decides when it registers. */
#include "native.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int failures;
#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition))                                                                          \
            failures++, fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);            \
    } while (0)

enum { THREADS = 4, CALLS = 50 };

static void *hip = RTLD_DEFAULT;
static int (*set_device)(int);
static int (*record)(void *, void *, unsigned);
static int (*get_proc_address)(const char *, void **, int, uint64_t, void *);

/* What calls of the program's own are bound to. */
int hipSetDevice(int device) __attribute__((weak));
int hipEventRecordWithFlags(void *event, void *stream, unsigned flags) __attribute__((weak));
int hipGetProcAddress(const char *, void **, int, uint64_t, void *) __attribute__((weak));

static void *variable(const char *name)
{
    void *found = dlsym(hip, name);
    if (!found) found = dlsym(RTLD_DEFAULT, name);
    return found;
}

static void *call(void *answer)
{
    for (int i = 0; i < CALLS; i++)
        *(int *)answer += set_device(i) != i + 1;
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc != 3) return 2;
    set_device = hipSetDevice;
    record = hipEventRecordWithFlags;
    get_proc_address = hipGetProcAddress;
    if (strcmp(argv[2], "opened") == 0) {
        CHECK(!dlsym(RTLD_DEFAULT, "hipSetDevice") && !set_device); /* the program has no HIP yet */
        hip = dlopen("libamdhip64.so.6", RTLD_NOW | RTLD_LOCAL);
        if (!hip) return 2;
        *(void **)&set_device = dlsym(hip, "hipSetDevice");
        *(void **)&record = dlsym(hip, "hipEventRecordWithFlags");
        *(void **)&get_proc_address = dlsym(hip, "hipGetProcAddress");
    }
    CHECK(!dlsym(hip, "hipGraphUpload") && dlerror()); /* HIP has none, the bridge a trampoline */

    int expected[NATIVE_FUNCTIONS] = {0};
    for (int i = 0; i < 5; i++)
        CHECK(set_device(i) == i + 1);
    CHECK(record(NULL, NULL, 6) == 7);
    expected[NATIVE_SET_DEVICE] += 5;
    expected[NATIVE_RECORD]++;

    pthread_t threads[THREADS];
    int wrong[THREADS] = {0};
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, call, &wrong[i]);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        CHECK(wrong[i] == 0);
    }
    expected[NATIVE_SET_DEVICE] += THREADS * CALLS;

    /* addresses that HIP itself gives out */
    int (*given)(int) = NULL;
    int (*again)(const char *, void **, int, uint64_t, void *) = NULL;
    CHECK(get_proc_address("hipSetDevice", (void **)&given, 60400, 0, NULL) == 0);
    CHECK(given(1) == 2 && given(2) == 3);
    CHECK(get_proc_address("hipGetProcAddress", (void **)&again, 60400, 0, NULL) == 0);
    CHECK(again("hipSetDevice", (void **)&given, 60400, 0, NULL) == 0 && given(3) == 4);
    CHECK(again("hipNothing", (void **)&given, 60400, 0, NULL) == 500);
    int (*found)(int);
    *(void **)&found = dlsym(hip, "hipSetDevice");
    CHECK(found(4) == 5);
    int (*has_upload)(void) = NULL; /* of a library that comes when HIP is known */
    void *asks = dlopen("libtest_asks.so", RTLD_NOW);
    if (asks) *(void **)&has_upload = dlsym(asks, "has_upload");
    CHECK(has_upload && !has_upload());
    expected[NATIVE_SET_DEVICE] += 4;
    expected[NATIVE_GET_PROC_ADDRESS] += 4;

    _Atomic int *made = variable("fake_hip_calls");
    _Atomic int *seen = variable("counting_seen");
    for (int i = 0; i < NATIVE_FUNCTIONS; i++) {
        if (made[i] == expected[i] && (!seen || seen[i] == expected[i])) continue;
        failures++;
        fprintf(stderr, "function %d: %d calls, %d made, %d seen\n", i, expected[i], made[i],
                seen ? seen[i] : -1);
    }
    if (seen) {
        bool native = *(void **)variable("counting_first") == variable("fake_hip_table");
        CHECK(native == (strcmp(argv[1], "native") == 0));
        CHECK(*(int *)variable("counting_tables") == 1);
        CHECK(*(uint64_t *)variable("counting_size") == NATIVE_TABLE_SIZE * sizeof(void *));
        CHECK(*(uint64_t *)variable("counting_version") == 60400);
    }
    return failures != 0;
}
