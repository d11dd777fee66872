/* fork.c - children of a program that is checked: whatever threads of the parent do while it forks,
 * the child can use all of the checker, and ends. */
#include "softgpu/check/check.h"
#include "softgpu/check/group.h"
#include "softgpu/check/init.h"
#include "softgpu/check/leaks.h"
#include "softgpu/check/memory.h"
#include "softgpu/check/order.h"
#include "softgpu/check/places.h"
#include "softgpu/check/race.h"
#include "softgpu/check/sink.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum {
    PLACES = 20000, /* so many that adding and taking back is under the lock nearly always */
    CHILDREN = 12,
    SECONDS = 10, /* until a child is taken to hang, and gets a signal */
    PAGE = 4096
};

static const chk_stack_t nowhere;
static _Atomic bool over;

/* ---- what threads and children do ---- */

static void use_places(void)
{
    const uint64_t serial = chk_place_add(PAGE, 16, "hipMalloc", 0, &nowhere);
    chk_place_end(PAGE, serial, "hipFree", &nowhere, false);
}

static void use_copies(void)
{
    chk_copy_call(PAGE, 16, 0, 0, "hipMemcpy", &nowhere);
}

static void use_bytes(void)
{
    chk_bytes_hold();
    chk_bytes_release();
}

static void use_runs(void)
{
    const chk_dispatch_t d = {.serial = 1, .groups = 1, .grid = {1, 1, 1}};
    race_run_begin(&d);
    race_run_end(&d);
}

static void use_chunks(void)
{
    race_global_forget();
}

static void use_order(void)
{
    const struct softgpu_order_api *order = chk_order_api();
    order->returned(order->called());
}

static void use_code(void)
{
    chk_code_t at;
    chk_where_code(NULL, 0, &at);
    chk_code_add("", 0);
}

static void use_lines(void)
{
    chk_stack_t here;
    chk_calls_t calls;
    chk_stack_take(&here);
    here.n = 0; /* what is looked up of them takes long */
    chk_where_calls(&here, &calls);
    chk_calls_free(&calls);
}

static void use_findings(void)
{
    chk_flush();
}

static void (*const uses[])(void) = {use_places, use_copies, use_bytes, use_runs,    use_chunks,
                                     use_order,  use_code,   use_lines, use_findings};

static void *use_again_and_again(void *use)
{
    while (!atomic_load(&over))
        (*(void (*const *)(void))use)();
    return NULL;
}

static void use_all(void)
{
    for (size_t k = 0; k < sizeof uses / sizeof *uses; k++)
        uses[k]();
    chk_leaks();
}

/* ---- the test ---- */

static void test_children(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof uses / sizeof *uses; k++) {
        pthread_t thread;
        atomic_store(&over, false);
        assert_int_equal(pthread_create(&thread, NULL, use_again_and_again, (void *)&uses[k]), 0);
        for (unsigned n = 0; n < CHILDREN; n++) {
            int status = 0;
            const pid_t child = fork();
            assert_true(child >= 0);
            if (child == 0) {
                alarm(SECONDS);
                use_all();
                _exit(7);
            }
            assert_int_equal(waitpid(child, &status, 0), child);
            assert_true(WIFEXITED(status));
            assert_int_equal(WEXITSTATUS(status), 7);
        }
        atomic_store(&over, true);
        pthread_join(thread, NULL);
    }
}

int main(void)
{
    setenv("SOFTGPU_CHECK", "all", 1);
    if (!chk_wanted()) return 1;
    for (uint64_t k = 0; k < PLACES; k++)
        chk_place_add((4 + 2 * k) * PAGE, 100, "hipMalloc", SOFTGPU_CHECK_INNER, &nowhere);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_children)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
