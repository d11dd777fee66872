/* texts_test.c - numbers for texts: one for each, whichever thread asks, and what is beyond. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tool/texts.h"

enum { TEXTS = 20000, THREADS = 4 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint32_t numbers[THREADS][TEXTS];

static uint32_t number_of(const char *text)
{
    uint32_t number = tool_text_find(text);
    if (number) return number;
    pthread_mutex_lock(&lock);
    number = tool_text_find(text);
    if (!number) number = tool_text_add(text);
    pthread_mutex_unlock(&lock);
    return number;
}

static void *number_all(void *data)
{
    uint32_t *mine = data;
    char text[32];
    for (int i = 0; i < TEXTS; i++) {
        snprintf(text, sizeof(text), "text %d", i);
        mine[i] = number_of(text);
    }
    return NULL;
}

static int by_value(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static void one_number_each(void **state)
{
    (void)state;
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, number_all, numbers[i]), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 1; i < THREADS; i++)
        assert_memory_equal(numbers[0], numbers[i], sizeof(numbers[0]));
    qsort(numbers[0], TEXTS, sizeof(**numbers), by_value);
    for (int i = 0; i < TEXTS; i++)
        assert_int_equal(numbers[0][i], i + 1);
}

static void any_text(void **state)
{
    (void)state;
    assert_int_equal(tool_text_find("not there"), 0);
    uint32_t empty = number_of("");
    assert_int_not_equal(empty, 0);
    assert_int_equal(number_of(""), empty);
    assert_int_not_equal(number_of("\xff\n\""), empty);
}

/* A text that is not kept still gets numbers. */
static void beyond_the_limit(void **state)
{
    (void)state;
    char *huge = malloc(TOOL_TEXT_BYTES_MAX + 1);
    assert_non_null(huge);
    memset(huge, 'x', TOOL_TEXT_BYTES_MAX);
    huge[TOOL_TEXT_BYTES_MAX] = 0;
    uint32_t first = tool_text_add(huge), second = tool_text_add(huge);
    assert_int_not_equal(first, 0);
    assert_int_equal(second, first + 1);
    assert_int_equal(tool_text_find(huge), 0);
    free(huge);
    assert_int_equal(number_of("text 7"), number_of("text 7"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_number_each),
        cmocka_unit_test(any_text),
        cmocka_unit_test(beyond_the_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
