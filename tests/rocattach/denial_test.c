/* denial_test.c - who may not attach is told which rule forbids it, and what to do. */
#include "rocattach/internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void each_reason(void **state)
{
    static const struct {
        rat_denial_t facts;
        const char *says[3];
    } cases[] = {
        {{7, 99, 5, 6, 1}, {"being traced by process 99", "end that first"}},
        {{7, 0, 5, 6, 1}, {"it is of user 6, you are user 5", "as that user or as root"}},
        {{7, 0, 5, 5, 1},
         {"/proc/sys/kernel/yama/ptrace_scope is 1", "sudo sysctl kernel.yama.ptrace_scope=0",
          "PR_SET_PTRACER_ANY"}},
        {{7, 0, 5, 5, 2}, {"ptrace_scope is 2", "Run rocprofv3 as root"}},
        {{7, 0, 0, 5, 3}, {"ptrace_scope is 3", "under 'rocprofv3 --' instead"}},
        {{7, 0, 5, 5, 4}, {"nobody may trace"}},
        {{7, 0, 5, 5, 0}, {"set-user-ID", "--cap-add=SYS_PTRACE"}},
        {{7, 0, 0, 6, -1}, {"set-user-ID", "--cap-add=SYS_PTRACE"}},
        {{7, -1, 5, -1, -1}, {"set-user-ID", "--cap-add=SYS_PTRACE"}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[RAT_WHY_BYTES];
        rat_denial_text(&cases[i].facts, text, sizeof text);
        assert_ptr_equal(strstr(text, "process 7: ptrace is not permitted: "), text);
        for (const char *const *says = cases[i].says; says < cases[i].says + 3 && *says; says++)
            if (!strstr(text, *says)) fail_msg("'%s' does not say '%s'", text, *says);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_reason)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
