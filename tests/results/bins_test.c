/* bins_test.c - the parts of a process's time that pictures are drawn of: what is in each, where
 * they begin, and pieces without others. What should be is counted here nanosecond by nanosecond.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "results/bins.h"

enum { SPAN = 40000, PIECES = 3000, LONG = 511, SHORT = 31 };

/* What is at each nanosecond: a kernel's number plus one, or 0. */
static void paint(uint8_t *line, const res_pieces_t *p, int64_t first)
{
    for (size_t i = 0; i < p->count; i++)
        for (int64_t t = p->rows[i].start; t < p->rows[i].end; t++)
            line[t - first] = (uint8_t)(p->rows[i].kernel + 1);
}

static uint8_t shown(uint64_t time, unsigned shift)
{
    const double part = (double)time / (double)(1u << shift) * (double)RES_BIN_FULL;
    return time && part < 1 ? 1 : (uint8_t)(part + 0.5);
}

/* Pieces one behind the other, between which there is some time or none; `longest` has all bits. */
static size_t scatter(res_piece_t *to, int64_t first, unsigned seed, unsigned longest,
                      unsigned kernels)
{
    int64_t at = first;
    size_t count = 0;
    while (count < PIECES) {
        seed = seed * 1103515245 + 12345;
        at += seed >> 16 & longest / 2;
        seed = seed * 1103515245 + 12345;
        const int64_t end = at + 1 + (seed >> 16 & longest);
        if (end > first + SPAN) break;
        to[count++] = (res_piece_t){at, end, (uint8_t)(kernels ? seed >> 8 & (kernels - 1) : 0)};
        at = end;
    }
    return count;
}

static void test_bins(void **state)
{
    (void)state;
    /* times below and above 0: databases may hold any */
    static const int64_t begins[] = {0, 7, 1000003, -12345, (int64_t)1 << 52};
    for (size_t b = 0; b < sizeof(begins) / sizeof(*begins); b++) {
        const int64_t first = begins[b];
        static res_piece_t rows[3][PIECES];
        res_pieces_t pieces[3];
        static uint8_t lines[3][SPAN + 1024];
        memset(lines, 0, sizeof(lines));
        for (unsigned i = 0; i < 3; i++) {
            pieces[i] = (res_pieces_t){rows[i], scatter(rows[i], first, 17 * i + 3, LONG, 1)};
            paint(lines[i], &pieces[i], first);
        }
        res_bins_t bins;
        assert_true(res_bins_make(&bins, first, first + SPAN, &pieces[0], &pieces[1], &pieces[2]));
        assert_in_range(bins.count, RES_BINS / 4, RES_BINS);
        const int64_t width = (int64_t)1 << bins.shift;
        assert_true(bins.first * width <= first && (bins.first + 1) * width > first);
        for (size_t i = 0; i < bins.count; i++) {
            uint64_t time[3] = {0};
            for (int64_t t = (bins.first + (int64_t)i) * width;
                 t < (bins.first + (int64_t)i + 1) * width; t++)
                for (int k = 0; k < 3; k++)
                    time[k] += t >= first && lines[k][t - first];
            assert_int_equal(bins.rows[i].kernel, shown(time[0], bins.shift));
            assert_int_equal(bins.rows[i].copy, shown(time[1], bins.shift));
            assert_int_equal(bins.rows[i].waiting, shown(time[2], bins.shift));
            assert_int_equal(bins.rows[i].most, time[0] ? 0 : RES_BIN_NO_KERNEL);
        }
        res_bins_free(&bins);
    }
}

/* The kernel that has more of a bin than all others together is its kernel. */
static void test_most(void **state)
{
    (void)state;
    static res_piece_t rows[PIECES];
    const res_pieces_t kernels = {rows, scatter(rows, 0, 5, SHORT, 4)}, none = {rows, 0};
    static uint8_t line[SPAN + 1024];
    res_bins_t bins;
    unsigned certain = 0;
    paint(line, &kernels, 0);
    assert_true(res_bins_make(&bins, 0, SPAN, &kernels, &none, &none));
    for (size_t i = 0; i < bins.count; i++) {
        unsigned times[256] = {0}, all = 0;
        for (size_t t = i << bins.shift; t < (i + 1) << bins.shift && t < SPAN; t++)
            if (line[t]) times[line[t] - 1]++, all++;
        for (unsigned k = 0; k < 4; k++)
            if (2 * times[k] > all) {
                assert_int_equal(bins.rows[i].most, k);
                certain++;
            }
    }
    assert_true(certain > 50);
    res_bins_free(&bins);
}

static void test_without(void **state)
{
    (void)state;
    static res_piece_t from[PIECES], others[PIECES], left[2 * PIECES];
    const res_pieces_t a = {from, scatter(from, 0, 1, LONG, 1)},
                       b = {others, scatter(others, 0, 2, LONG, 1)};
    static uint8_t is[SPAN + 1024], should[SPAN + 1024], cut[SPAN + 1024];
    const res_pieces_t rest = {left, res_pieces_without(left, &a, &b)};
    int64_t time = 0;
    paint(is, &rest, 0);
    paint(should, &a, 0);
    paint(cut, &b, 0);
    for (size_t t = 0; t < SPAN; t++) {
        assert_int_equal(is[t], should[t] && !cut[t]);
        time += is[t];
    }
    assert_int_equal(res_pieces_time(&rest), time);
    assert_true(time > 0);
    for (size_t i = 1; i < rest.count; i++)
        assert_true(rest.rows[i].start >= rest.rows[i - 1].end);
}

/* Nothing at all, a moment, and times that cannot be. */
static void test_ends(void **state)
{
    (void)state;
    const res_pieces_t none = {NULL, 0};
    res_bins_t bins;
    assert_true(res_bins_make(&bins, 5, 5, &none, &none, &none));
    assert_int_equal(bins.count, 1);
    assert_int_equal(bins.rows[0].kernel, 0);
    res_bins_free(&bins);
    assert_true(res_bins_make(&bins, INT64_MIN, INT64_MAX, &none, &none, &none));
    assert_int_equal(bins.count, 0);
    res_bins_free(&bins);
}

/* Any number there is, and mostly one near the ends of what a number can be. */
static int64_t odd_time(unsigned *seed)
{
    static const int64_t ends[] = {
        INT64_MIN,        -((int64_t)1 << 62), -1,       0, 1, 511, 512, 513, (int64_t)1 << 32,
        (int64_t)1 << 61, (int64_t)1 << 62,    INT64_MAX};
    *seed = *seed * 1103515245 + 12345;
    const uint64_t end = (uint64_t)ends[(*seed >> 16) % (sizeof(ends) / sizeof(*ends))];
    *seed = *seed * 1103515245 + 12345;
    const unsigned shift = *seed >> 16 & 63;
    *seed = *seed * 1103515245 + 12345;
    return (int64_t)(end + ((uint64_t)(*seed >> 16) << shift) - ((uint64_t)(*seed >> 20) << shift));
}

/* Whatever the times are, also those that no process can have, no bin outside of the rows is
 * filled: they stand between others that keep a pattern. */
static void test_odd_times(void **state)
{
    (void)state;
    unsigned seed = 4711, made = 0;
    for (unsigned round = 0; round < 20000; round++) {
        res_piece_t rows[3][8];
        res_pieces_t pieces[3];
        res_bins_t bins;
        for (unsigned k = 0; k < 3; k++) {
            pieces[k] = (res_pieces_t){rows[k], round % 9};
            for (size_t i = 0; i < pieces[k].count; i++)
                rows[k][i] = (res_piece_t){odd_time(&seed), odd_time(&seed), (uint8_t)i};
        }
        const int64_t first = odd_time(&seed), last = odd_time(&seed);
        assert_true(res_bins_make(&bins, first, last, &pieces[0], &pieces[1], &pieces[2]));
        assert_in_range(bins.count, 0, RES_BINS);
        assert_true(!bins.count == !bins.rows);
        made += bins.count > 1;
        for (size_t i = 0; i < bins.count; i++)
            assert_true(bins.rows[i].most < 8 || bins.rows[i].most == RES_BIN_NO_KERNEL);
        res_bins_free(&bins);
    }
    assert_true(made > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bins),      cmocka_unit_test(test_most),
        cmocka_unit_test(test_without),   cmocka_unit_test(test_ends),
        cmocka_unit_test(test_odd_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
