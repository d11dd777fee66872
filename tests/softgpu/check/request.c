/* request.c - which call of the program's a copy is made for: found by number, by the work that
 * copy engines were given, by addresses. */
#include "softgpu/check/request.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { BYTES = 0x1000, KEPT = 4096 };

static chk_span_t span(uint64_t begin)
{
    return (chk_span_t){begin, begin ? begin + BYTES : 0};
}

/* Its number; the thread stays in it. */
static uint64_t begin(const char *call, uint64_t to, uint64_t from)
{
    const chk_request_t c = {.call = call, .to = span(to), .from = span(from)};
    chk_request_begin(&c);
    return chk_request_now();
}

static uint64_t make(const char *call, uint64_t to, uint64_t from)
{
    const uint64_t number = begin(call, to, from);
    chk_request_end();
    return number;
}

static void calls_within_each_other(void **state)
{
    (void)state;
    chk_request_t c;
    assert_int_equal(chk_request_now(), 0);
    const uint64_t outer = begin("hipGraphLaunch", 0, 0), inner = make("inner", 1 << 20, 2 << 20);
    assert_int_equal(chk_request_now(), outer);
    chk_request_end();
    assert_int_equal(chk_request_now(), 0);
    assert_true(chk_request_find(inner, &c) && c.outer == outer);
    /* what a runtime calls has the name of what the program has called */
    assert_true(chk_request_name(inner, 1 << 20, true, 0, &c));
    assert_string_equal(c.call, "hipGraphLaunch");
}

/* Two calls for the same bytes, in two moves each: engines do them in that order. */
static void engines_take_the_oldest(void **state)
{
    (void)state;
    const uint64_t to = 3 << 20, from = 4 << 20;
    uint64_t number[2];
    for (int k = 0; k < 2; k++) {
        number[k] = begin("hipMemcpyAsync", to, from);
        chk_request_move(span(to), span(from), BYTES);
        chk_request_end();
    }
    for (int k = 0; k < 2; k++) {
        assert_int_equal(chk_request_mover(to, from, BYTES / 2), number[k]);
        assert_int_equal(chk_request_mover(to + BYTES / 2, from + BYTES / 2, BYTES / 2), number[k]);
    }
    /* nothing is left: who does it all the same does it for the latest that means both sides */
    assert_int_equal(chk_request_mover(to, from, BYTES), number[1]);
    assert_int_equal(chk_request_mover(to, 5 << 20, BYTES), 0);
    assert_int_equal(chk_request_mover(to, 0, BYTES), 0); /* a fill is no copy */
}

static void graphs_do_what_was_asked_for_before(void **state)
{
    (void)state;
    const uint64_t at = 6 << 20, host = 7 << 20;
    chk_request_t c;
    const uint64_t fill = make("hipGraphAddMemsetNode", at, 0);
    const uint64_t copy = make("hipGraphAddMemcpyNode1D", host, at);
    const uint64_t launch = begin("hipGraphLaunch", 0, 0);
    chk_request_move(span(host), span(at), BYTES);
    chk_request_end();
    assert_int_equal(chk_request_mover(host, at, BYTES), copy);
    assert_true(chk_request_name(launch, at + 8, true, copy, &c) && c.number == fill);
    assert_true(chk_request_name(launch, at + 8, false, fill, &c) && c.number == copy);
    assert_true(chk_request_name(launch, at - 8, true, 0, &c) && c.number == launch);
    assert_false(chk_request_name(0, at - 8, true, 0, &c));
}

/* A number says it, whatever later calls there are for the same bytes. */
static void numbers_go_before_addresses(void **state)
{
    (void)state;
    const uint64_t at = 8 << 20;
    chk_request_t c;
    const uint64_t one = make("hipMemsetAsync", at, 0), two = make("hipMemcpyAsync", at, 9 << 20);
    assert_true(chk_request_name(one, at, true, 0, &c) && c.number == one);
    assert_true(chk_request_name(two, at, true, 0, &c) && c.number == two);
    assert_true(chk_request_name(0, at, true, 0, &c) && c.number == two);
    assert_true(chk_request_name(0, at, true, two, &c) && c.number == one);
    assert_true(chk_request_latest(at, &c) && c.number == two);
}

static void old_calls_are_forgotten(void **state)
{
    (void)state;
    chk_request_t c;
    const uint64_t first = make("first", 10 << 20, 0);
    for (unsigned k = 1; k < KEPT; k++)
        make("other", 11 << 20, 0);
    assert_true(chk_request_find(first, &c));
    make("other", 11 << 20, 0);
    assert_false(chk_request_find(first, &c));
    assert_false(chk_request_find(0, &c));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_within_each_other),
        cmocka_unit_test(engines_take_the_oldest),
        cmocka_unit_test(numbers_go_before_addresses),
        cmocka_unit_test(old_calls_are_forgotten),
        cmocka_unit_test(graphs_do_what_was_asked_for_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
