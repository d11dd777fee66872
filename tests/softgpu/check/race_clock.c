/* race_clock.c - clocks of a workgroup, step by step, and owners that are used up. */
#include "softgpu/check/race.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static race_state_t s;

static race_clock_t *begun(void)
{
    static race_clock_t c;
    memset(&c, 0, sizeof c);
    assert_false(race_clock_begin(&c, 4));
    return &c;
}

static bool knows(const race_clock_t *c, unsigned wave, unsigned other, uint32_t time)
{
    return time <= race_clock_knows(c, wave, other);
}

static void test_barrier(void **state)
{
    (void)state;
    race_clock_t *c = begun();
    const uint32_t first = c->own[1];
    assert_false(knows(c, 0, 1, first));
    race_clock_barrier(c);
    assert_true(knows(c, 0, 1, first));
    assert_true(c->own[1] > first);
    assert_false(knows(c, 0, 1, c->own[1]));
}

/* Who acquires knows what was done before the release, and what that wave knew; no other does. */
static void test_release_and_acquire(void **state)
{
    (void)state;
    race_clock_t *c = begun();
    const uint32_t first = c->own[0], second = c->own[1];
    race_clock_acquire(c, 1, 5);
    race_clock_release(c, 0, 5);
    assert_false(knows(c, 1, 0, first));
    race_clock_acquire(c, 2, 6);
    race_clock_acquire(c, 1, 5);
    assert_true(knows(c, 1, 0, first));
    assert_false(knows(c, 2, 0, first));
    assert_false(knows(c, 0, 1, second));
    assert_false(knows(c, 1, 0, c->own[0])); /* what comes now */
    race_clock_release(c, 1, 7);
    race_clock_acquire(c, 2, 7);
    assert_true(knows(c, 2, 0, first));
    assert_true(knows(c, 2, 1, second));

    race_clock_barrier(c);
    race_clock_acquire(c, 3, 5); /* what was released before says nothing of what came after */
    assert_false(knows(c, 3, 0, c->own[0]));
}

static void test_meeting(void **state)
{
    (void)state;
    race_clock_t *c = begun();
    const uint32_t first = c->own[0];
    race_clock_synchronise(c, 1, 0, first);
    assert_true(knows(c, 1, 0, first));
    assert_false(knows(c, 2, 0, first));
    assert_false(knows(c, 1, 0, c->own[0]));
}

/* A wave's own stores are under way until it has waited for them. */
static void test_wait(void **state)
{
    (void)state;
    race_clock_t *c = begun();
    const uint32_t first = c->own[0];
    race_clock_wait(c, 0); /* for nothing */
    assert_int_equal(c->own[0], first);
    c->stored |= 1;
    assert_false(knows(c, 0, 0, first));
    race_clock_wait(c, 0);
    assert_true(c->own[0] > first);
    assert_true(knows(c, 0, 0, first));
    c->stored |= 1;
    assert_true(knows(c, 0, 0, first));
    assert_false(knows(c, 0, 0, c->own[0]));
}

/* As words of global memory have it; a clock that has come to its end takes all to be in order,
 * and the next workgroup has it set back. */
static void test_end_of_time(void **state)
{
    (void)state;
    race_clock_t *c = begun();
    assert_int_equal(race_clock_short(c, c->begin + 3), 3);
    assert_int_equal(race_clock_short(c, c->begin - 1), 0);
    assert_int_equal(race_clock_short(c, c->begin + RACE_TIME_MAX + 1), RACE_TIME_MAX);
    c->now = RACE_OWNERS - 1;
    race_clock_barrier(c);
    assert_true(knows(c, 0, 1, c->own[1]));
    assert_true(race_clock_begin(c, 4));
    assert_false(knows(c, 0, 1, c->own[1]));
    assert_false(race_clock_begin(c, 4));
}

/* A workgroup of as many waves as there may be: the last and the first know each other as any two
 * do, and a shadow word of the last leads to it, and to its workgroup. */
static void test_last_wave(void **state)
{
    enum { LAST = ISA_GROUP_WAVES - 1, OWNER = 5 };
    (void)state;
    race_clock_t *c = begun();
    race_clock_begin(c, ISA_GROUP_WAVES);
    const uint32_t first = c->own[0], last = c->own[LAST];
    assert_int_equal(last, first);
    race_clock_release(c, LAST, 5);
    race_clock_acquire(c, 0, 5);
    assert_true(knows(c, 0, LAST, last));
    assert_false(knows(c, 0, LAST - RACE_WAVES / 2, last));
    assert_false(knows(c, LAST, 0, first));
    race_clock_barrier(c);
    assert_true(knows(c, LAST, 0, first));
    assert_false(knows(c, LAST, 0, c->own[0]));

    const isa_wave_t w = {.index_in_group = LAST};
    const race_site_t site = {.id = 7};
    race_access_t x;
    race_begin(&x, &s, &w, NULL, &site, RACE_STORE, (uint64_t)OWNER << RACE_OWNER_SHIFT);
    assert_int_equal(race_wave(race_word(&x, 3, RACE_ALL_BYTES)), LAST);
    assert_int_equal(race_owner(race_word(&x, 3, RACE_ALL_BYTES)), OWNER);
}

static uint32_t owner_of(const chk_dispatch_t *d)
{
    race_run_begin(d);
    race_run_enter(&s, d->serial, 0);
    assert_non_null(s.run);
    return s.owner;
}

/* They begin anew, but for those of a dispatch that is not over. */
static void test_owners(void **state)
{
    (void)state;
    chk_dispatch_t d = {.serial = 1, .groups = RACE_OWNERS / 4 - 1, .grid = {1, 1, 1}};
    const chk_dispatch_t lasting = d;
    const uint32_t total = (uint32_t)d.groups, kept = owner_of(&lasting);
    uint32_t last = kept;
    bool again = false;
    for (d.serial = 2; d.serial < 12; d.serial++) {
        const uint32_t owner = owner_of(&d);
        assert_true(owner - kept >= total && kept - owner >= total);
        assert_true(owner > 0 && owner + total <= RACE_OWNERS);
        again |= owner < last;
        last = owner;
        race_run_end(&d);
    }
    assert_true(again);
    race_run_end(&lasting);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_barrier),     cmocka_unit_test(test_release_and_acquire),
        cmocka_unit_test(test_meeting),     cmocka_unit_test(test_wait),
        cmocka_unit_test(test_end_of_time), cmocka_unit_test(test_last_wave),
        cmocka_unit_test(test_owners),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
