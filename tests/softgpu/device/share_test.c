/* share_test.c - workgroups that one thread has fetched and not started go to threads that are
 * idle.
 *
 * Whether another thread gets a processor in time is the host's matter, so a test repeats its
 * dispatch until workgroups have run at the same time, and fails if they never do. */
#include "rig.h"

#include "asm.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { THREADS = 4, TRIES = 60 };

/* Workgroups below args[1] add 1 to args[0][0], keep the largest value that it had before in
 * args[0][1], work for about a millisecond, without using up a turn, and take the 1 back. */
static const char text[] = "s_load_dwordx4 s[8:11], s[0:1], 0x0\n"
                           "v_mov_b32 v1, 0\n"
                           "v_mov_b32 v2, 1\n"
                           "s_mov_b64 exec, 1\n"
                           "s_waitcnt lgkmcnt(0)\n"
                           "s_cmp_ge_u32 s2, s10\n"
                           "s_cbranch_scc1 over\n"
                           "global_atomic_add v3, v1, v2, s[8:9] glc\n"
                           "s_waitcnt vmcnt(0)\n"
                           "global_atomic_umax v1, v3, s[8:9] offset:4\n"
                           "s_movk_i32 s12, 1500\n"
                           "again: s_sub_u32 s12, s12, 1\n"
                           ".rept 128\n"
                           "v_sqrt_f32 v4, v4\n"
                           ".endr\n"
                           "s_cmp_lg_u32 s12, 0\n"
                           "s_cbranch_scc1 again\n"
                           "v_mov_b32 v2, -1\n"
                           "global_atomic_add v1, v2, s[8:9]\n"
                           "over: s_endpgm\n";

/* Runs `groups` workgroups, the first `slow` of which take long, until some of these have run at
 * the same time. */
static void run_together(uint32_t groups, uint32_t slow)
{
    rig_t *r = rig_create(2);
    rig_queue_t q;
    assert_true(rig_aql(r, &q));
    const uint64_t cells = rig_alloc(r, 8), args = rig_alloc(r, 16);
    const uint64_t kernel = rig_kernel(r, text, NULL);
    const uint32_t *most_before = (uint32_t *)rig_ptr(r, cells) + 1;
    memcpy(rig_ptr(r, args), (uint64_t[]){cells, slow}, 16);
    for (int k = 0; k < TRIES && !*most_before; k++) {
        const uint64_t signal = rig_signal(r, 1);
        rig_dispatch(&q, &(rig_dispatch_t){.kernel = kernel,
                                           .signal = signal,
                                           .args = args,
                                           .grid = {groups * 64},
                                           .group = {64}});
        assert_true(rig_wait(r, signal, 0));
    }
    assert_true(*most_before > 0);
    rig_close(&q);
}

/* A worker fetches one of 8 * THREADS parts of the workgroups, and all of the slow ones are in the
 * first part. */
static void test_of_a_part(void **state)
{
    enum { PART = 20 };
    (void)state;
    run_together(8 * THREADS * PART, PART);
}

/* A dispatch that begins on the queue's thread hands all its workgroups to the workers at once. */
static void test_of_a_small_dispatch(void **state)
{
    (void)state;
    run_together(16, 16);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_of_a_part),
        cmocka_unit_test(test_of_a_small_dispatch),
    };
    if (!asm_available()) return 77;
    setenv("SOFTGPU_THREADS", "4", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
