/* range_test.c - the allocator of file ranges against a bitmap that knows the truth. */
#include "softgpu/kfd/range.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void takes_first_fit_and_aligns(void **state)
{
    (void)state;
    kfd_ranges_t r;
    uint64_t a, b, c;
    assert_int_equal(kfd_ranges_init(&r, 0, 64), 0);
    assert_int_equal(kfd_ranges_take(&r, 3, 1, &a), 0);
    assert_int_equal(kfd_ranges_take(&r, 16, 16, &b), 0);
    assert_int_equal(kfd_ranges_take(&r, 5, 1, &c), 0);
    assert_int_equal(a, 0);
    assert_int_equal(b, 16);
    assert_int_equal(c, 3);
    assert_int_equal(kfd_ranges_take(&r, 33, 1, &a), -ENOMEM);
    kfd_ranges_give(&r, 0, 3);
    kfd_ranges_give(&r, b, 16);
    kfd_ranges_give(&r, c, 5);
    assert_int_equal(kfd_ranges_take(&r, 64, 1, &a), 0); /* all of it: the list is empty */
    assert_null(r.free);
}

/* Random takes and gives: nothing is handed out twice, and in the end all is one piece again. */
static void never_overlaps_and_joins_up(void **state)
{
    (void)state;
    enum { SIZE = 256, MAX_HELD = 64, STEPS = 20000 };
    struct {
        uint64_t offset, size;
    } held[MAX_HELD];
    bool taken[SIZE] = {false};
    unsigned n = 0, seed = 1;
    uint64_t offset;
    kfd_ranges_t r;
    assert_int_equal(kfd_ranges_init(&r, 0, SIZE), 0);
    for (int step = 0; step < STEPS; step++) {
        uint64_t size = (uint64_t)rand_r(&seed) % 20 + 1, align = 1u << rand_r(&seed) % 5;
        if (n < MAX_HELD && rand_r(&seed) % 2 && kfd_ranges_take(&r, size, align, &offset) == 0) {
            assert_int_equal(offset % align, 0);
            for (uint64_t i = offset; i < offset + size; i++) {
                assert_false(taken[i]);
                taken[i] = true;
            }
            held[n].offset = offset;
            held[n++].size = size;
        } else if (n) {
            unsigned k = (unsigned)rand_r(&seed) % n;
            kfd_ranges_give(&r, held[k].offset, held[k].size);
            memset(&taken[held[k].offset], 0, held[k].size);
            held[k] = held[--n];
        }
    }
    while (n--)
        kfd_ranges_give(&r, held[n].offset, held[n].size);
    assert_int_equal(kfd_ranges_take(&r, SIZE, 1, &offset), 0);
    assert_null(r.free);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_first_fit_and_aligns),
        cmocka_unit_test(never_overlaps_and_joins_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
