/* intern_test.c - equal texts are the same pointer, whoever brings them first.
 *
 * Threads bring the same new texts at the same moment, so that they meet where a text is put into
 * the table. */
#include "base/intern.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { THREADS = 2, ROUNDS = 5000, TEXTS = 16, ROOM = 32 };

static atomic_uint arrived;
static const char *got[THREADS][ROUNDS][TEXTS];

static void text_of(char *text, unsigned round, unsigned i)
{
    snprintf(text, ROOM, "text %u of %u", i, round);
}

/* Waits until all threads have come to the round; spins first, to go on at the same moment. */
static void meet(unsigned round)
{
    atomic_fetch_add(&arrived, 1);
    for (unsigned i = 0; atomic_load(&arrived) < (round + 1) * THREADS; i++)
        if (i > 1000) sched_yield();
}

static void *bring(void *result)
{
    const char *(*mine)[TEXTS] = result;
    for (unsigned round = 0; round < ROUNDS; round++) {
        char texts[TEXTS][ROOM];
        for (unsigned i = 0; i < TEXTS; i++)
            text_of(texts[i], round, i);
        meet(round);
        for (unsigned i = 0; i < TEXTS; i++)
            mine[round][i] = base_intern(texts[i]);
    }
    return NULL;
}

static void threads_get_the_same_pointer(void **state)
{
    (void)state;
    pthread_t threads[THREADS];
    char text[ROOM];
    for (unsigned t = 0; t < THREADS; t++)
        assert_int_equal(pthread_create(&threads[t], NULL, bring, got[t]), 0);
    for (unsigned t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
    for (unsigned round = 0; round < ROUNDS; round++)
        for (unsigned i = 0; i < TEXTS; i++) {
            text_of(text, round, i);
            assert_string_equal(got[0][round][i], text);
            for (unsigned t = 1; t < THREADS; t++)
                assert_ptr_equal(got[t][round][i], got[0][round][i]);
        }
}

static void one_copy_of_each(void **state)
{
    (void)state;
    char text[] = "a kernel";
    const char *kept = base_intern(text);
    assert_ptr_not_equal(kept, text);
    text[0] = 'A';
    assert_string_equal(kept, "a kernel");
    assert_ptr_equal(base_intern("a kernel"), kept);
    assert_ptr_not_equal(base_intern(text), kept);
    assert_string_equal(base_intern(""), "");
    assert_null(base_intern(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_copy_of_each),
        cmocka_unit_test(threads_get_the_same_pointer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
