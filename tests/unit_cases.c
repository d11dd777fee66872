/* unit_cases.c - lets a variable choose functions of a unit test: UNIT_CASES='rules*'.
 *
 * It is linked into each unit test, and acts before main(), which need not know of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

__attribute__((constructor)) static void choose(void)
{
    const char *pattern = getenv("UNIT_CASES");
    if (pattern && *pattern) cmocka_set_test_filter(pattern);
}
