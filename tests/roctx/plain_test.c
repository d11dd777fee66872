/* plain_test.c - the marker libraries without a tool: levels, numbers, layouts, the old callback.
 */
#include <rocprofiler-sdk-roctx/api_trace.h>
#include <rocprofiler-sdk-roctx/roctx.h>

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>
#include <dlfcn.h>

/* Layout of AMD's tables. */
_Static_assert(sizeof(roctxCoreApiTable_t) == 56, "core");
_Static_assert(sizeof(roctxControlApiTable_t) == 24, "control");
_Static_assert(sizeof(roctxNameApiTable_t) == 40, "name");
_Static_assert(offsetof(roctxCoreApiTable_t, roctxRangePop_fn) == 24, "pop");
_Static_assert(offsetof(roctxCoreApiTable_t, roctxGetThreadId_fn) == 48, "thread id");
_Static_assert(offsetof(roctxControlApiTable_t, roctxProfilerResume_fn) == 16, "resume");
_Static_assert(offsetof(roctxNameApiTable_t, roctxNameHipStream_fn) == 32, "stream");
_Static_assert(ROCTX_VERSION == 10000, "version");

static void levels(void **state)
{
    (void)state;
    assert_int_equal(roctxRangePop(), -1);
    assert_int_equal(roctxRangePush("a"), 0);
    assert_int_equal(roctxRangePush("b"), 1);
    assert_int_equal(roctxRangePush(NULL), 2);
    assert_int_equal(roctxRangePop(), 2);
    assert_int_equal(roctxRangePop(), 1);
    assert_int_equal(roctxRangePush("c"), 1);
    assert_int_equal(roctxRangePop(), 1);
    assert_int_equal(roctxRangePop(), 0);
    assert_int_equal(roctxRangePop(), -1);
    assert_int_equal(roctxRangePop(), -1);
}

static void *levels_of_a_thread(void *data)
{
    int *result = data;
    result[0] = roctxRangePush("inner");
    result[1] = roctxRangePop();
    result[2] = roctxRangePop();
    return NULL;
}

static void levels_are_per_thread(void **state)
{
    (void)state;
    int result[3];
    pthread_t thread;
    assert_int_equal(roctxRangePush("outer"), 0);
    assert_int_equal(pthread_create(&thread, NULL, levels_of_a_thread, result), 0);
    pthread_join(thread, NULL);
    assert_int_equal(result[0], 0);
    assert_int_equal(result[1], 0);
    assert_int_equal(result[2], -1);
    assert_int_equal(roctxRangePop(), 0);
}

enum { THREADS = 8, NUMBERS = 5000 };

static void *take_numbers(void *data)
{
    roctx_range_id_t *numbers = data;
    for (int i = 0; i < NUMBERS; i++) {
        numbers[i] = roctxRangeStart("x");
        roctxRangeStop(numbers[i]);
    }
    return NULL;
}

static int by_number(const void *a, const void *b)
{
    roctx_range_id_t x = *(const roctx_range_id_t *)a, y = *(const roctx_range_id_t *)b;
    return x < y ? -1 : x > y;
}

static void numbers_are_unique(void **state)
{
    (void)state;
    static roctx_range_id_t numbers[THREADS * NUMBERS];
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, take_numbers, &numbers[i * NUMBERS]), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    qsort(numbers, THREADS * NUMBERS, sizeof *numbers, by_number);
    assert_int_not_equal(numbers[0], 0);
    for (int i = 1; i < THREADS * NUMBERS; i++)
        assert_int_not_equal(numbers[i - 1], numbers[i]);
}

static void the_rest_succeeds(void **state)
{
    (void)state;
    roctx_thread_id_t tid = 0;
    assert_int_equal(roctxGetThreadId(&tid), 0);
    assert_int_equal(tid, syscall(SYS_gettid));
    assert_int_equal(roctxGetThreadId(NULL), -1);
    assert_int_equal(roctxProfilerPause(0), 0);
    assert_int_equal(roctxProfilerResume(tid), 0);
    assert_int_equal(roctxNameOsThread("n"), 0);
    assert_int_equal(roctxNameHsaAgent("n", NULL), 0);
    assert_int_equal(roctxNameHipDevice("n", 0), 0);
    assert_int_equal(roctxNameHipStream("n", NULL), 0);
    roctxMark("here");
    roctxMark(NULL);
    roctxRangeStop(12345678);
}

static char reports[256];

static int tracer(uint32_t domain, uint32_t operation, void *data)
{
    const struct {
        const char *message;
        uint64_t id;
    } *arguments = data;
    char line[64];
    snprintf(line, sizeof line, "%u.%u %s %d;", domain, operation,
             arguments->message ? arguments->message : "-", arguments->id != 0);
    strncat(reports, line, sizeof reports - strlen(reports) - 1);
    return 0;
}

/* libroctx64 by dlopen, as Python modules find it: other symbols, the same levels. */
static void old_library(void **state)
{
    (void)state;
    void *library = dlopen(ROCTX64, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(library);
    void (*register_tracer)(int (*)(uint32_t, uint32_t, void *));
    uint32_t (*major)(void), (*minor)(void);
    int (*push)(const char *), (*pop)(void);
    uint64_t (*start)(const char *);
    void (*finish)(uint64_t), (*mark)(const char *);
    *(void **)&register_tracer = dlvsym(library, "roctxRegisterTracerCallback", "ROCTX_4.1");
    *(void **)&major = dlvsym(library, "roctx_version_major", "ROCTX_4.1");
    *(void **)&minor = dlvsym(library, "roctx_version_minor", "ROCTX_4.1");
    *(void **)&push = dlvsym(library, "roctxRangePushA", "ROCTX_4.1");
    *(void **)&pop = dlvsym(library, "roctxRangePop", "ROCTX_4.1");
    *(void **)&start = dlvsym(library, "roctxRangeStartA", "ROCTX_4.1");
    *(void **)&finish = dlvsym(library, "roctxRangeStop", "ROCTX_4.1");
    *(void **)&mark = dlvsym(library, "roctxMarkA", "ROCTX_4.1");
    assert_true(register_tracer && major && minor && push && pop && start && finish && mark);
    assert_ptr_not_equal((void *)push, (void *)roctxRangePushA);
    assert_int_equal(major(), 4);
    assert_int_equal(minor(), 1);
    assert_int_equal(roctxRangePush("new"), 0);
    assert_int_equal(push("old"), 1);
    assert_int_equal(roctxRangePop(), 1);
    assert_int_equal(pop(), 0);
    assert_int_equal(pop(), -1);
    uint64_t first = start("a"), second = roctxRangeStart("b");
    assert_int_not_equal(first, second);
    register_tracer(tracer);
    mark("m");
    push("p");
    pop();
    finish(start("s"));
    register_tracer(NULL);
    mark("unseen");
    assert_string_equal(reports, "6.0 m 0;6.1 p 0;6.2 - 0;6.3 s 1;6.4 - 1;");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels),
        cmocka_unit_test(levels_are_per_thread),
        cmocka_unit_test(numbers_are_unique),
        cmocka_unit_test(the_rest_succeeds),
        cmocka_unit_test(old_library),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
