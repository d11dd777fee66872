/* grow_test.c - arrays have the room that was asked for, and keep their elements. */
#include "base/grow.h"

#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static void room_at_least_doubles(void **state)
{
    /* room before, elements asked for, room afterwards */
    static const size_t rows[][3] = {{0, 1, 1},    {0, 7, 7}, {4, 3, 4},      {4, 4, 4},
                                     {4, 5, 8},    {4, 8, 8}, {4, 9, 9},      {5, 11, 11},
                                     {16, 17, 32}, {1, 2, 2}, {100, 101, 200}};
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        uint16_t *array = NULL;
        size_t room = 0;
        assert_true(BASE_RESERVE(array, rows[i][0], &room));
        for (size_t k = 0; k < room; k++)
            array[k] = (uint16_t)(k + 7);
        assert_true(BASE_RESERVE(array, rows[i][1], &room));
        assert_int_equal(room, rows[i][2]);
        for (size_t k = 0; k < rows[i][0]; k++)
            assert_int_equal(array[k], k + 7);
        free(array);
    }
}

static void room_is_zeros(void **state)
{
    (void)state;
    uint32_t *array = NULL;
    size_t room = 0;
    for (size_t n = 0; n < 1000; n += 37) {
        const size_t before = room;
        assert_true(BASE_RESERVE_ZEROS(array, n, &room));
        assert_true(room >= n);
        for (size_t k = 0; k < room; k++) {
            assert_int_equal(array[k], k < before ? UINT32_MAX : 0);
            array[k] = UINT32_MAX;
        }
    }
    free(array);
}

static void first_room_is_for_several(void **state)
{
    (void)state;
    char *array = NULL;
    size_t room = 0;
    assert_true(BASE_GROW(array, 0, &room));
    assert_int_equal(room, 16);
    assert_true(BASE_GROW(array, 15, &room));
    assert_int_equal(room, 16);
    assert_true(BASE_GROW(array, 16, &room));
    assert_int_equal(room, 32);
    assert_true(BASE_GROW_ZEROS(array, 32, &room));
    assert_int_equal(room, 64);
    for (size_t k = 32; k < room; k++)
        assert_int_equal(array[k], 0);
    free(array);
    array = NULL;
    room = 0;
    assert_true(BASE_GROW_ZEROS(array, 0, &room));
    assert_int_equal(room, 16);
    for (size_t k = 0; k < room; k++)
        assert_int_equal(array[k], 0);
    free(array);
}

static void what_does_not_fit_leaves_the_array(void **state)
{
    (void)state;
    uint64_t *array = NULL, *kept;
    size_t room = 0;
    assert_true(BASE_RESERVE(array, 3, &room));
    kept = array;
    array[2] = 5;
    assert_false(BASE_RESERVE(array, SIZE_MAX / 8 + 1, &room));
    assert_false(BASE_RESERVE_ZEROS(array, SIZE_MAX / 2, &room));
    assert_false(BASE_RESIZE(array, SIZE_MAX / 4));
    assert_ptr_equal(array, kept);
    assert_int_equal(room, 3);
    assert_int_equal(array[2], 5);
    free(array);
}

static void grows_by_one(void **state)
{
    (void)state;
    uint32_t *array = NULL;
    size_t n = 0;
    for (; n < 1000; n++) {
        assert_true(BASE_GROW_BY_ONE(array, n));
        assert_true(malloc_usable_size(array) >= (n + 1) * sizeof(*array));
        array[n] = (uint32_t)n + 7;
    }
    for (size_t k = 0; k < n; k++)
        assert_int_equal(array[k], k + 7);
    free(array);
}

static void grows_only_at_powers_of_two(void **state)
{
    (void)state;
    uint32_t *array = NULL;
    assert_true(BASE_GROW_BY_ONE(array, 3)); /* an array of three has room for a fourth */
    assert_null(array);
    assert_true(BASE_GROW_BY_ONE(array, 4));
    assert_non_null(array);
    assert_true(malloc_usable_size(array) >= 8 * sizeof(*array));
    free(array);
}

static void texts_are_copies(void **state)
{
    (void)state;
    char **texts = NULL, text[8];
    size_t count = 0;
    for (int i = 0; i < 100; i++) {
        snprintf(text, sizeof(text), "%d", i);
        assert_true(base_add_text(&texts, &count, text));
    }
    assert_int_equal(count, 100);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(atoi(texts[i]), i);
        free(texts[i]);
    }
    free(texts);
}

/* Twice the room is more than there can be, though the elements asked for alone would not be. */
static void doubling_that_does_not_fit(void **state)
{
    (void)state;
    const size_t rooms[] = {PTRDIFF_MAX / 2 + 2, SIZE_MAX / 2 + 1};
    char *kept = strdup("kept"), *array = kept;
    for (size_t i = 0; i < sizeof(rooms) / sizeof(*rooms); i++) {
        size_t room = rooms[i];
        assert_false(BASE_RESERVE(array, room + 1, &room));
        assert_false(BASE_GROW(array, room, &room));
        assert_false(BASE_RESERVE_ZEROS(array, room + 1, &room));
        assert_int_equal(room, rooms[i]);
    }
    assert_false(BASE_GROW_BY_ONE(array, SIZE_MAX / 2 + 1));
    assert_ptr_equal(array, kept);
    assert_string_equal(array, "kept");
    free(array);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(room_at_least_doubles),
        cmocka_unit_test(room_is_zeros),
        cmocka_unit_test(first_room_is_for_several),
        cmocka_unit_test(what_does_not_fit_leaves_the_array),
        cmocka_unit_test(grows_by_one),
        cmocka_unit_test(grows_only_at_powers_of_two),
        cmocka_unit_test(texts_are_copies),
        cmocka_unit_test(doubling_that_does_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
