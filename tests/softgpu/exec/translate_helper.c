/* translate_helper.c - a thread of its own translates: what waves compute meanwhile and afterwards
 * is the same, and neither the end of a page nor a fork or the end of the process finds it at work.
 */
#include "translate_rig.h"

#include <dirent.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

/* For builds with the race detector: children of a fork have threads of their own here. */
const char *__tsan_default_options(void);
__attribute__((visibility("default"))) const char *__tsan_default_options(void)
{
    return "die_after_fork=0";
}

/* A loop of its own for each n. */
static void put_numbered(pair_t *p, unsigned n)
{
    char text[400];
    snprintf(text, sizeof text,
             "again: v_add_u32 v1, %u, v1\n v_fma_f32 v2, v2, v3, v4\n v_mul_f64 v[6:7], v[6:7], "
             "v[8:9]\n v_cmp_lt_f32 vcc, v2, v3\n v_cndmask_b32 v5, v1, v2, vcc\n"
             "s_sub_u32 s98, s98, 1\n s_cmp_lg_u32 s98, 0\n s_cbranch_scc1 again\n s_endpgm\n",
             1 + n % 60);
    put_pair(p, text);
}

/* Runs the rig's code, without its pages being thrown away before as run_pair() does. */
static isa_stop_t run_on(rig_t *r, const before_t *b)
{
    isa_translate_setup(ISA_TRANSLATE_ON, 1);
    set_state(r, b);
    assert_true(r->core->set_pc(&r->wave, RIG_CODE));
    return r->core->run(&r->wave, RIG_SLICE);
}

static unsigned threads_named(const char *name)
{
    unsigned found = 0;
    DIR *d = opendir("/proc/self/task");
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));) {
        char path[300], text[32] = "";
        snprintf(path, sizeof path, "/proc/self/task/%s/comm", e->d_name);
        FILE *f = fopen(path, "r");
        if (f && fgets(text, sizeof text, f)) found += !strncmp(text, name, strlen(name));
        if (f) fclose(f);
    }
    closedir(d);
    return found;
}

/* Runs waves until one runs translated code: true, or false after half a minute. */
static bool becomes_translated(rig_t *r, const before_t *b)
{
    const uint64_t begin = translated_instructions();
    for (unsigned n = 0; n < 3000; n++) {
        if (run_on(r, b) != ISA_STOP_END) return false;
        if (translated_instructions() > begin) return true;
        usleep(10000);
    }
    return false;
}

static void takes_over(void **state)
{
    pair_t p = make_pair("avx2");
    before_t b;
    (void)state;
    make_state(&b, true, 0x2f0);
    put_numbered(&p, 0);
    run_pair(&p, &b, RIG_SLICE, "the first wave");
    assert_int_equal(threads_named("sg-translate"), 1);
    assert_true(becomes_translated(p.translated, &b));
    assert_same(p.interpreted, p.translated, "a translated wave");
    free_pair(&p);
}

/* While translating would take more of this thread's time than it may, hot code stays interpreted;
 * it is asked again, at the same places, and translated once it may. */
static void put_off(void **state)
{
    pair_t p = make_pair("avx2");
    before_t b;
    (void)state;
    isa_translate_share(1);
    for (unsigned full = 0; full < 2; full++) {
        make_state(&b, full, 0x2f0);
        put_numbered(&p, full);
        isa_translate_setup(ISA_TRANSLATE_OFF, 1);
        set_state(p.interpreted, &b);
        assert_int_equal(rig_run_from(p.interpreted, RIG_CODE), ISA_STOP_END);
        const isa_translate_stats_t begin = isa_translate_stats();
        for (unsigned n = 0; n < 10; n++)
            assert_int_equal(run_on(p.translated, &b), ISA_STOP_END);
        assert_int_equal(isa_translate_stats().instructions, begin.instructions);
        assert_int_equal(isa_translate_stats().loops[0], begin.loops[0]);
        assert_memory_equal(p.interpreted->rows, p.translated->rows, sizeof p.translated->rows);
        isa_translate_share(0);
        assert_true(becomes_translated(p.translated, &b));
        assert_memory_equal(p.interpreted->rows, p.translated->rows, sizeof p.translated->rows);
        isa_translate_share(1);
        isa_code_invalidate(p.translated->cache);
        isa_code_quiesce(p.translated->cache);
    }
    isa_translate_share(100000); /* a thousand times as much time as there was */
    put_numbered(&p, 2);
    assert_true(becomes_translated(p.translated, &b));
    isa_translate_share(0);
    free_pair(&p);
}

/* ---- two workers ---- */

enum { WAVES = 60 };

typedef struct {
    rig_t *rig;
    const before_t *before;
    const rig_t *expected;
    bool wrong;
} worker_t;

static void *run_waves(void *arg)
{
    worker_t *w = arg;
    for (unsigned n = 0; n < WAVES; n++) {
        set_state(w->rig, w->before);
        w->wrong |= !w->rig->core->set_pc(&w->rig->wave, RIG_CODE) ||
                    w->rig->core->run(&w->rig->wave, RIG_SLICE) != ISA_STOP_END ||
                    memcmp(w->rig->rows, w->expected->rows, sizeof w->rig->rows) != 0;
        usleep(500);
    }
    return NULL;
}

/* Two threads run waves of one page of code while a third translates it. */
static void two_workers(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 4; n++) {
        pair_t p = make_pair("avx2");
        rig_t *second = rig_create();
        before_t b;
        make_state(&b, n & 1, 0x2f0);
        put_numbered(&p, 10 + n);
        isa_translate_setup(ISA_TRANSLATE_OFF, 1);
        set_state(p.interpreted, &b);
        assert_int_equal(rig_run_from(p.interpreted, RIG_CODE), ISA_STOP_END);
        isa_translate_setup(ISA_TRANSLATE_ON, 1);
        second->core = p.translated->core;
        second->dispatch.code = p.translated->cache;
        const uint64_t begin = translated_instructions();
        worker_t worker[2] = {{p.translated, &b, p.interpreted, false},
                              {second, &b, p.interpreted, false}};
        pthread_t thread[2];
        for (unsigned k = 0; k < 2; k++)
            assert_int_equal(pthread_create(&thread[k], NULL, run_waves, &worker[k]), 0);
        for (unsigned k = 0; k < 2; k++)
            assert_int_equal(pthread_join(thread[k], NULL), 0);
        assert_false(worker[0].wrong || worker[1].wrong);
        assert_true(translated_instructions() > begin || becomes_translated(p.translated, &b));
        rig_destroy(second);
        free_pair(&p);
    }
}

/* ---- ends ---- */

/* Pages are thrown away while their code waits to be translated, or is. */
static void pages_end(void **state)
{
    pair_t p = make_pair("avx2");
    before_t b;
    (void)state;
    for (unsigned n = 0; n < 40; n++) {
        make_state(&b, n & 1, 0x2f0);
        put_numbered(&p, n);
        run_pair(&p, &b, RIG_SLICE, "a page that ends");
        if (n % 4 == 0) usleep(1000 * n);
    }
    free_pair(&p);
    p = make_pair("avx2");
    put_numbered(&p, 0);
    assert_true(becomes_translated(p.translated, &b));
    free_pair(&p);
}

/* Ends the test in a child of the process: no check of the others runs there. */
static int status_of(pid_t child)
{
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* A child that is made while the thread translates has a thread of its own. */
static void forks(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 4; n++) {
        pair_t p = make_pair("avx2");
        before_t b;
        make_state(&b, true, 0x2f0);
        put_numbered(&p, n);
        run_on(p.translated, &b);
        usleep(1000 * n);
        fflush(NULL);
        const pid_t child = fork();
        assert_true(child >= 0);
        if (!child) _exit(becomes_translated(p.translated, &b) ? 0 : 1);
        assert_int_equal(status_of(child), 0);
        assert_true(becomes_translated(p.translated, &b));
        free_pair(&p);
    }
}

/* The process may end while the thread translates. */
static void process_ends(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 8; n++) {
        pair_t p = make_pair("avx2");
        before_t b;
        make_state(&b, true, 0x2f0);
        put_numbered(&p, n);
        fflush(NULL);
        const pid_t child = fork();
        assert_true(child >= 0);
        if (!child) {
            run_on(p.translated, &b);
            usleep(2000 * n);
            exit(0);
        }
        assert_int_equal(status_of(child), 0);
        free_pair(&p);
    }
}

int main(void)
{
    if (!asm_available() || !isa_core_by_name("avx2")) return 77;
    isa_translate_limit(UINT64_MAX);
    pair_t p = make_pair("avx2");
    before_t b;
    make_state(&b, true, 0x2f0);
    put_numbered(&p, 0);
    run_on(p.translated, &b);
    const isa_translate_stats_t s = isa_translate_stats();
    free_pair(&p);
    isa_translate_aside(true);
    if (!s.loops[ISA_REFUSED_NOT]) {
        fprintf(stderr, "nothing is translated here: no library, or no LLVM\n");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_over), cmocka_unit_test(put_off), cmocka_unit_test(two_workers),
        cmocka_unit_test(pages_end),  cmocka_unit_test(forks),   cmocka_unit_test(process_ends)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
