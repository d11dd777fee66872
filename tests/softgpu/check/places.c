/* places.c - allocations and their surroundings: which of them own addresses, which are forgotten,
 * and which ranges a call may name. */
#include "softgpu/check/places.h"
#include "softgpu/check/sink.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static const chk_stack_t nowhere;

/* Stands in for the C library's; there is no memory while `scarce` is set. */
void *__libc_calloc(size_t count, size_t bytes);
static bool scarce;
void *calloc(size_t count, size_t bytes)
{
    return scarce ? NULL : __libc_calloc(count, bytes);
}

enum { PAGE = 4096, BEGIN = 16 * PAGE, END = 32 * PAGE };

static chk_where_t find(uint64_t va, uint64_t begin, uint64_t end)
{
    chk_span_t span;
    const chk_where_t where = chk_place_find(va, BEGIN, END, false, &span);
    assert_int_equal(span.begin, begin);
    assert_int_equal(span.end, end);
    return where;
}

/* A mapping is the runtimes' own until something in it is given out, and again when that has been
 * unmapped: what is mapped there then is another's. While it is held it is nobody's. */
static void test_what_counts(void **state)
{
    (void)state;
    assert_int_equal(find(BEGIN, BEGIN, END), CHK_OTHERS);
    const uint64_t serial = chk_place_add(BEGIN + PAGE, 100, "hipMalloc", 0, &nowhere);
    assert_int_equal(find(BEGIN + PAGE + 99, BEGIN + PAGE, BEGIN + PAGE + 100), CHK_INSIDE);
    assert_int_equal(find(BEGIN + PAGE + 100, BEGIN + PAGE + 100, END), CHK_OUTSIDE);
    assert_int_equal(find(BEGIN, BEGIN, BEGIN + PAGE), CHK_OUTSIDE);
    assert_int_equal(chk_place_end(BEGIN + PAGE, serial, "hipFree", &nowhere, true), 100);
    assert_int_equal(find(BEGIN + PAGE, BEGIN + PAGE, BEGIN + PAGE + 100), CHK_OUTSIDE);
    chk_place_released(BEGIN + PAGE, serial);
    assert_int_equal(find(BEGIN + PAGE, BEGIN, END), CHK_OTHERS);
    chk_place_t was;
    assert_true(chk_place_was(BEGIN + PAGE, &was));
    assert_string_equal(was.gone_by, "hipFree");

    /* two that have gone do not hide the live ones around them */
    const uint64_t first = chk_place_add(BEGIN, PAGE, "a", 0, &nowhere);
    const uint64_t gone = chk_place_add(BEGIN + 2 * PAGE, PAGE, "b", 0, &nowhere);
    const uint64_t last = chk_place_add(BEGIN + 4 * PAGE, PAGE, "c", 0, &nowhere);
    chk_place_end(BEGIN + 2 * PAGE, gone, "hipFree", &nowhere, false);
    assert_int_equal(find(BEGIN + 2 * PAGE, BEGIN + PAGE, BEGIN + 4 * PAGE), CHK_OUTSIDE);
    chk_place_end(BEGIN, first, "hipFree", &nowhere, false);
    chk_place_end(BEGIN + 4 * PAGE, last, "hipFree", &nowhere, false);
}

/* What is unlocked of the program's own memory may stay mapped where it is: nobody may use it until
 * it is locked anew, or shared. */
static void test_unlocked(void **state)
{
    (void)state;
    chk_span_t span;
    const uint64_t at = BEGIN + 2 * PAGE,
                   serial = chk_place_add(at, 8, "hipHostRegister", SOFTGPU_CHECK_HOST, &nowhere);
    assert_int_equal(chk_place_find(at, BEGIN, END, true, &span), CHK_INSIDE);
    chk_place_end(at, serial, "hipHostUnregister", &nowhere, false);
    assert_int_equal(chk_place_find(at, BEGIN, END, true, &span), CHK_OUTSIDE);
    assert_int_equal(chk_place_find(at, BEGIN, END, false, &span), CHK_OTHERS);
    const uint64_t before = chk_places_epoch();
    chk_places_shared(at - PAGE, PAGE);
    assert_int_equal(chk_place_find(at, BEGIN, END, true, &span), CHK_OUTSIDE);
    chk_places_shared(BEGIN, END - BEGIN);
    assert_int_equal(chk_place_find(at, BEGIN, END, true, &span), CHK_OTHERS);
    assert_true(chk_places_epoch() > before);
}

/* What a stream is to take back is live until it gets there, and cannot be taken back twice. */
static void test_ending(void **state)
{
    (void)state;
    chk_place_t p;
    const uint64_t at = BEGIN + 8 * PAGE,
                   serial = chk_place_add(at, 8, "hipMallocAsync", 0, &nowhere);
    assert_true(chk_place_at(at, &p));
    chk_place_ending(at, serial, "hipFreeAsync", &nowhere);
    assert_false(chk_place_at(at, &p));
    assert_true(chk_place_was(at, &p));
    assert_int_equal(find(at, at, at + 8), CHK_INSIDE);
    assert_int_equal(chk_place_end(at, serial + 1, NULL, &nowhere, true), 0); /* another */
    assert_int_equal(chk_place_end(at, serial, NULL, &nowhere, true), 8);
    assert_int_equal(find(at, at, at + 8), CHK_OUTSIDE);
    assert_true(chk_place_near(at, &p));
    assert_string_equal(p.gone_by, "hipFreeAsync");
    chk_place_released(at, serial);
}

static bool beyond(uint64_t va, uint64_t bytes, uint64_t first)
{
    uint64_t bad = 0;
    const bool is = chk_place_beyond(va, bytes, &bad);
    if (is) assert_int_equal(bad, first);
    return is;
}

/* Calls name addresses of the program's, of which most are in no allocation. */
static void test_beyond(void **state)
{
    (void)state;
    const uint64_t at = END + PAGE, end = at + 100, host = END + 8 * PAGE;
    const uint64_t serial = chk_place_add(at, 100, "hipMalloc", 0, &nowhere);
    chk_place_add(host, 100, "hipHostRegister", SOFTGPU_CHECK_HOST, &nowhere);
    assert_false(beyond(at, 100, 0));
    assert_false(beyond(at + 100, 0, 0));
    assert_true(beyond(at, 101, end));
    assert_true(beyond(at + 50, 51, end));
    assert_true(beyond(end, 1, end));       /* its last page is nobody else's */
    assert_false(beyond(at + PAGE, 1, 0));  /* the next may be the program's */
    assert_true(beyond(at - 8, 9, at - 8)); /* from outside into it */
    assert_false(beyond(at - 8, 8, 0));
    assert_false(beyond(host, 200, 0)); /* the program's own goes on */
    assert_false(beyond(host - 8, 20, 0));
    assert_false(beyond(UINT64_MAX - 4, 8, 0)); /* no such range */
    chk_place_end(at, serial, "hipFree", &nowhere, true);
    assert_true(beyond(at, 1, at));
    chk_place_released(at, serial);
    assert_false(beyond(at, 1, 0)); /* by now it may be anything */
}

/* A program maps pieces one behind the other, and uses them as one. */
static void test_pieces(void **state)
{
    (void)state;
    const uint64_t at = END + 16 * PAGE, other = at + 3 * PAGE;
    chk_place_add(at, PAGE, "hipMemMap", 0, &nowhere);
    const uint64_t second = chk_place_add(at + PAGE, 2 * PAGE, "hipMemMap", 0, &nowhere);
    chk_place_add(other, PAGE, "hipMalloc", 0, &nowhere);
    assert_false(beyond(at, 3 * PAGE, 0));
    assert_false(beyond(at + PAGE - 8, 16, 0));
    assert_true(beyond(at, 3 * PAGE + 1, other)); /* the next is another allocation */
    assert_true(beyond(other - 8, 16, other));
    chk_place_end(at + PAGE, second, "hipMemUnmap", &nowhere, false);
    assert_true(beyond(at, PAGE + 1, at + PAGE));
}

/* An allocation without memory to keep it: what was there before is not told of accesses to it, and
 * no access is outside any more. The last test, since that is so for good. */
static void test_lost(void **state)
{
    (void)state;
    chk_place_t was;
    chk_place_add(BEGIN + PAGE, 100, "hipMalloc", 0, &nowhere);
    assert_int_equal(find(BEGIN + PAGE + 200, BEGIN + PAGE + 100, END), CHK_OUTSIDE);
    scarce = true;
    assert_int_equal(chk_place_add(BEGIN + PAGE, 4096, "hipMalloc", 0, &nowhere), 0);
    scarce = false;
    assert_false(chk_place_was(BEGIN + PAGE, &was));
    assert_int_equal(find(BEGIN + PAGE + 200, BEGIN, END), CHK_INSIDE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unlocked), cmocka_unit_test(test_what_counts),
        cmocka_unit_test(test_ending),   cmocka_unit_test(test_beyond),
        cmocka_unit_test(test_pieces),   cmocka_unit_test(test_lost)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
