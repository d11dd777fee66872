/* translate_compiler.c - the process that compiles: the program does not notice it, it ends with
 * the program, and whatever happens to it, or to the socket, waves compute the same. */
#include "translate_rig.h"

#include "softgpu/exec/translate_internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 20 }; /* seconds that a process may need to end */

static bool ends(int process)
{
    for (unsigned n = 0; n < MOST * 100; n++) {
        if (kill(process, 0) != 0 && errno == ESRCH) return true;
        usleep(10000);
    }
    return false;
}

/* ---- code ---- */

/* A loop of its own for each n. */
static void run_numbered(unsigned n)
{
    pair_t p = make_pair("avx2");
    before_t b;
    char text[400];
    snprintf(text, sizeof text,
             "again: v_add_u32 v1, %u, v1\n v_fma_f32 v2, v2, v3, v4\n v_mul_f64 v[6:7], v[6:7], "
             "v[8:9]\n s_sub_u32 s98, s98, 1\n s_cmp_lg_u32 s98, 0\n s_cbranch_scc1 again\n"
             "s_endpgm\n",
             1 + n % 60);
    make_state(&b, true, 0x2f0);
    put_pair(&p, text);
    run_pair(&p, &b, RIG_SLICE, text);
    free_pair(&p);
}

/* How many pieces of code are translated when loop n runs. */
static uint64_t translated_in(unsigned n)
{
    const uint64_t before = isa_translate_stats().loops[0];
    run_numbered(n);
    return isa_translate_stats().loops[0] - before;
}

/* ---- tests ---- */

/* The program has no child that it did not make, and is not told of the end of one. */
static void not_noticed(void **state)
{
    (void)state;
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, NULL);
    assert_true(translated_in(0) > 0);
    const int process = isa_process_id();
    assert_true(process > 0);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
    kill(process, SIGKILL);
    assert_true(ends(process));
    assert_int_equal(waitpid(-1, NULL, WNOHANG | __WALL), -1);
    sigpending(&child);
    assert_false(sigismember(&child, SIGCHLD));
}

/* A process that has ended is started again, twice, and no code suffers from it; code is
 * interpreted then. */
static void is_killed(void **state)
{
    (void)state;
    unsigned n = 2;
    for (int process; (process = isa_process_id()); n++) {
        const uint64_t before = isa_translate_stats().loops[ISA_REFUSED_FAILED];
        kill(process, SIGKILL);
        assert_true(ends(process));
        assert_true(translated_in(n) > 0 || !isa_process_id());
        if (isa_process_id())
            assert_int_equal(isa_translate_stats().loops[ISA_REFUSED_FAILED], before);
        assert_true(n < 10);
    }
    assert_true(n > 3);
    assert_int_equal(translated_in(58), 0);
    assert_true(isa_translate_stats().loops[ISA_REFUSED_PROCESS] > 0);
}

/* Runs a test in a child of the process, which has a process of its own that compiles. */
static void in_child(void (*test)(void))
{
    int status = -1;
    fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        test();
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void require(bool condition, int line)
{
    if (condition) return;
    fprintf(stderr, "line %d\n", line);
    _exit(1);
}
#define REQUIRE(condition) require(condition, __LINE__)

/* The program closes all descriptors that it does not know, and opens files of its own in their
 * place: nothing is written to these. */
static void closes_all(void)
{
    char name[] = "/tmp/translate-XXXXXX";
    struct stat st;
    REQUIRE(translated_in(40) > 0);
    closefrom(3);
    const int file = mkstemp(name);
    REQUIRE(file >= 0 && unlink(name) == 0);
    for (int k = file + 1; k < 300; k++)
        REQUIRE(dup2(file, k) == k);
    REQUIRE(translated_in(41) > 0);
    REQUIRE(fstat(file, &st) == 0 && st.st_size == 0);
}

static void without_descriptors(void **state)
{
    (void)state;
    in_child(closes_all);
}

/* The process holds its socket alone, besides /dev/null, and none of the program's files. */
static void opens_pipe(void)
{
    int end[2], files = 0;
    char path[64];
    REQUIRE(pipe(end) == 0);
    REQUIRE(translated_in(1) > 0 && isa_process_id() > 0);
    snprintf(path, sizeof path, "/proc/%d/fd", isa_process_id());
    DIR *d = opendir(path);
    REQUIRE(d != NULL);
    for (struct dirent *e; (e = readdir(d));)
        files += *e->d_name != '.';
    closedir(d);
    REQUIRE(files == 3);
}

static void holds_nothing(void **state)
{
    (void)state;
    in_child(opens_pipe);
}

static int told[2]; /* a pipe */

static void tells_process(void)
{
    REQUIRE(translated_in(50) > 0);
    const int process = isa_process_id();
    REQUIRE(write(told[1], &process, sizeof process) == sizeof process);
}

/* The process ends with the program. */
static void ends_with_program(void **state)
{
    (void)state;
    int process = 0;
    assert_int_equal(pipe(told), 0);
    in_child(tells_process);
    assert_int_equal(read(told[0], &process, sizeof process), sizeof process);
    assert_true(process > 0 && ends(process));
    close(told[0]);
    close(told[1]);
}

/* Where orphans become this process's children, nothing is started. */
static void as_subreaper(void)
{
    REQUIRE(prctl(PR_SET_CHILD_SUBREAPER, 1) == 0);
    REQUIRE(translated_in(51) == 0);
    REQUIRE(isa_translate_stats().loops[ISA_REFUSED_PROCESS] > 0);
}

static void subreaper(void **state)
{
    (void)state;
    in_child(as_subreaper);
}

/* Signals of the terminal go to the program's group alone. */
static void interrupts_group(void)
{
    REQUIRE(setpgid(0, 0) == 0);
    REQUIRE(translated_in(52) > 0);
    const int process = isa_process_id();
    REQUIRE(process > 0 && getpgid(process) != getpgrp() && getsid(process) != getsid(0));
}

static void has_no_terminal(void **state)
{
    (void)state;
    in_child(interrupts_group);
}

int main(void)
{
    if (!asm_available() || !isa_core_by_name("avx2")) return 77;
    isa_translate_limit(UINT64_MAX);
    hot = 1;
    run_numbered(59);
    const isa_translate_stats_t s = isa_translate_stats();
    if (!s.loops[ISA_REFUSED_NOT]) {
        fprintf(stderr, "nothing is translated here: no library, or no LLVM\n");
        return 77;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(without_descriptors),
                                       cmocka_unit_test(ends_with_program),
                                       cmocka_unit_test(holds_nothing),
                                       cmocka_unit_test(subreaper),
                                       cmocka_unit_test(has_no_terminal),
                                       cmocka_unit_test(not_noticed),
                                       cmocka_unit_test(is_killed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
