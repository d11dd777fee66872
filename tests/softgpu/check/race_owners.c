/* race_owners.c - numbers of workgroups for the race check: dispatches that run at the same time
 * never share a number, also when the numbering begins again, and a number leads to its own
 * dispatch. */
#include "base/log.h"
#include "softgpu/check/race.h"
#include "softgpu/check/race_row.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { HUGE_TOTAL = RACE_OWNERS / 4 - 1 };

static race_state_t *state;
static uint64_t serials;

static chk_dispatch_t begin(uint64_t groups)
{
    const chk_dispatch_t d = {
        .serial = ++serials, .groups = groups, .grid = {(uint32_t)groups, 1, 1}};
    race_run_begin(&d);
    return d;
}

/* The owner of the first workgroup; 0: the dispatch has none, and is not looked at. */
static uint32_t first_owner(const chk_dispatch_t *d)
{
    race_run_enter(state, d->serial, 0);
    return state->run ? state->owner : 0;
}

static void assert_apart(const chk_dispatch_t *d, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        const uint64_t a = first_owner(&d[k]), a_end = a + d[k].groups;
        if (!a) continue;
        assert_true(a_end <= RACE_OWNERS);
        for (size_t j = 0; j < k; j++) {
            const uint64_t b = first_owner(&d[j]), b_end = b + d[j].groups;
            assert_true(!b || a_end <= b || b_end <= a);
        }
    }
}

static uint32_t go_by(uint64_t groups)
{
    const chk_dispatch_t d = begin(groups);
    const uint32_t owner = first_owner(&d);
    race_run_end(&d);
    return owner;
}

/* All that are left go by: the next is among the first again. */
static void use_up(void)
{
    uint64_t left = RACE_OWNERS - go_by(1) - 1;
    while (left) {
        const uint64_t groups = left < HUGE_TOTAL ? left : HUGE_TOTAL;
        go_by(groups);
        left -= groups;
    }
}

/* Two run on from before, side by side: what comes then has to find room beside both. */
static void those_that_run_keep_theirs(void **unused)
{
    (void)unused;
    chk_dispatch_t d[16];
    size_t n = 0;
    d[n++] = begin(1000);
    d[n++] = begin(1000);
    use_up();
    for (; n < sizeof d / sizeof *d; n++)
        d[n] = begin(n % 3 ? 700 : 1500);
    assert_apart(d, n);
    for (size_t k = 0; k < n; k++)
        race_run_end(&d[k]);
}

/* There are no more than so many: the last is not looked at. */
static void there_are_enough_or_none(void **unused)
{
    (void)unused;
    chk_dispatch_t d[6];
    use_up();
    for (size_t k = 0; k < sizeof d / sizeof *d; k++)
        d[k] = begin(HUGE_TOTAL);
    assert_apart(d, sizeof d / sizeof *d);
    assert_int_not_equal(first_owner(&d[0]), 0);
    assert_int_equal(first_owner(&d[5]), 0);
    for (size_t k = 0; k < sizeof d / sizeof *d; k++)
        race_run_end(&d[k]);
    const chk_dispatch_t next = begin(5);
    assert_int_not_equal(first_owner(&next), 0);
    race_run_end(&next);
}

/* What has been logged since the file was emptied. */
static const char *logged(const char *path)
{
    static char text[1024];
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    return text;
}

/* The largest gets owners, also right behind another; what is larger gets none, which is said
 * once. */
static void the_largest(void **unused)
{
    (void)unused;
    enum { LARGEST = RACE_OWNERS / 2 - 1 };
    char path[] = "/tmp/crocprof-race-owners-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    use_up();
    base_log_to(path);
    const uint32_t first = go_by(LARGEST);
    assert_int_not_equal(first, 0);
    assert_int_equal(go_by(LARGEST), first + LARGEST);
    /* in the middle of the numbers it leaves room for those of half its size */
    assert_int_not_equal(go_by(LARGEST / 2), 0);
    const chk_dispatch_t large = begin(LARGEST), half = begin(LARGEST / 2);
    assert_apart((chk_dispatch_t[]){large, half}, 2);
    assert_int_not_equal(first_owner(&large), 0);
    assert_int_not_equal(first_owner(&half), 0);
    race_run_end(&large);
    race_run_end(&half);
    assert_int_equal(go_by(LARGEST + 1), 0);
    assert_int_equal(go_by(LARGEST + 2), 0);
    base_log_to(NULL);
    const char *text = logged(path), *at = strstr(text, "a dispatch of 4194304 workgroups is not");
    if (!at || strchr(text, '\n')[1]) fail_msg("\"%s\"", text);
    close(file);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_largest),
                                       cmocka_unit_test(those_that_run_keep_theirs),
                                       cmocka_unit_test(there_are_enough_or_none)};
    state = aligned_alloc(64, (sizeof *state + 63) / 64 * 64);
    return state ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
}
