/* translate_kept.c - translations on disk: what was translated once is taken from there, by this
 * process and by others, and nothing that is damaged or another user's is run. */
#include "translate_rig.h"

#include "softgpu/exec/translate_object.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PLENTY = 64 << 20 };

static char home[] = "/tmp/translate-kept-XXXXXX";
static char folder[sizeof home + 32];

/* A loop of its own for each n. */
static void put_numbered(pair_t *p, unsigned n)
{
    char text[400];
    snprintf(text, sizeof text,
             "again: v_add_u32 v1, %u, v1\n v_rcp_f32 v2, v2\n v_fma_f32 v2, v2, v3, v4\n"
             "v_mov_b32 v10, 0\n ds_read_b32 v11, v10\n s_waitcnt lgkmcnt(0)\n"
             "v_cmp_lt_f32 vcc, v2, v3\n v_cndmask_b32 v5, v1, v2, vcc\n s_sub_u32 s98, s98, 1\n"
             "s_cmp_lg_u32 s98, 0\n s_cbranch_scc1 again\n s_endpgm\n",
             1 + n % 60);
    put_pair(p, text);
}

typedef struct {
    uint64_t made, kept;
} counts_t;

/* Runs loop n from one state, both ways, on a page that was never seen; returns how many
 * translations were made and how many taken from disk. */
static counts_t run_numbered(unsigned n, bool full)
{
    const isa_translate_stats_t begin = isa_translate_stats();
    pair_t p = make_pair("avx2");
    before_t b;
    make_state(&b, full, 0x2f0);
    put_numbered(&p, n);
    run_pair(&p, &b, RIG_SLICE, "a loop");
    free_pair(&p);
    const isa_translate_stats_t end = isa_translate_stats();
    assert_true(end.instructions > begin.instructions);
    return (counts_t){end.loops[0] - begin.loops[0], end.kept - begin.kept};
}

/* Calls `each` for the files of the folder; returns how many there are. */
static unsigned each_file(void (*each)(const char *path))
{
    unsigned n = 0;
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));) {
        char path[400];
        if (*e->d_name == '.') continue;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (each) each(path);
        n++;
    }
    if (d) closedir(d);
    return n;
}

static void remove_file(const char *path)
{
    unlink(path);
}

/* An empty folder, which is open. */
static int begin_empty(void **state)
{
    (void)state;
    chmod(folder, 0700);
    each_file(remove_file);
    isa_translate_keep(PLENTY);
    return 0;
}

static void assert_made(counts_t c, unsigned made, const char *what)
{
    const unsigned kept = made ? 0 : 1;
    if (c.made != made || c.kept != kept)
        fail_msg("%s: %u translated, %u taken from disk", what, (unsigned)c.made, (unsigned)c.kept);
}

static void second_run(void **state)
{
    struct stat st;
    (void)state;
    assert_made(run_numbered(0, true), 1, "the first run");
    assert_int_equal(stat(folder, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0700);
    assert_made(run_numbered(0, true), 0, "the second run");
    assert_made(run_numbered(1, true), 1, "other code");
    assert_made(run_numbered(0, false), 1, "another EXEC");
    assert_made(run_numbered(0, false), 0, "another EXEC again");
    isa_translate_keep(0);
    assert_made(run_numbered(0, true), 1, "nothing is kept");
}

/* ---- damaged files ---- */

static unsigned at_percent;
static bool cut;

static void damage(const char *path)
{
    struct stat st;
    char byte;
    assert_int_equal(stat(path, &st), 0);
    const off_t at = st.st_size * (off_t)at_percent / 100;
    const int fd = open(path, O_RDWR);
    assert_true(fd >= 0);
    if (cut) {
        assert_int_equal(ftruncate(fd, at), 0);
    } else {
        assert_int_equal(pread(fd, &byte, 1, at), 1);
        byte = (char)(byte ^ 0x40);
        assert_int_equal(pwrite(fd, &byte, 1, at), 1);
    }
    close(fd);
}

static void damaged(void **state)
{
    (void)state;
    run_numbered(0, true);
    for (unsigned k = 0; k < 2; k++) {
        cut = k != 0;
        for (at_percent = 0; at_percent < 100; at_percent += 9) {
            assert_int_equal(each_file(damage), 1);
            assert_made(run_numbered(0, true), 1, cut ? "a cut file" : "a changed file");
        }
    }
    assert_made(run_numbered(0, true), 0, "a file in place of the damaged one");
}

/* ---- folders that are not used ---- */

static void others_folder(void **state)
{
    (void)state;
    run_numbered(0, true);
    assert_int_equal(chmod(folder, 0750), 0);
    isa_translate_keep(PLENTY);
    assert_made(run_numbered(0, true), 1, "others can read the folder");
    assert_int_equal(chmod(folder, 0700), 0);
    isa_translate_keep(PLENTY);
    assert_made(run_numbered(0, true), 0, "only the user can");
    if (geteuid() != 0) return; /* who cannot give a folder away */
    assert_int_equal(chown(folder, 12345, (gid_t)-1), 0);
    isa_translate_keep(PLENTY);
    const counts_t c = run_numbered(0, true);
    assert_int_equal(chown(folder, 0, (gid_t)-1), 0);
    assert_made(c, 1, "the folder is another user's");
}

/* ---- processes ---- */

enum { CODES = 4, PROCESSES = 3 };

static void run_all(void)
{
    for (unsigned n = 0; n < CODES; n++)
        run_numbered(n, true);
}

static void at_once(void **state)
{
    pid_t child[PROCESSES];
    (void)state;
    fflush(NULL);
    for (unsigned k = 0; k < PROCESSES; k++) {
        child[k] = fork();
        assert_true(child[k] >= 0);
        if (child[k]) continue;
        run_all();
        _exit(0);
    }
    for (unsigned k = 0; k < PROCESSES; k++) {
        int status;
        assert_int_equal(waitpid(child[k], &status, 0), child[k]);
        assert_int_equal(status, 0);
    }
    assert_int_equal(each_file(NULL), CODES);
    for (unsigned n = 0; n < CODES; n++)
        assert_made(run_numbered(n, true), 0, "what another process has kept");
}

static void killed(void **state)
{
    (void)state;
    for (unsigned k = 0; k < 6; k++) {
        fflush(NULL);
        const pid_t child = fork();
        assert_true(child >= 0);
        if (!child) {
            for (;;) {
                each_file(remove_file);
                run_all();
            }
        }
        usleep(20000 + 17000 * k);
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, NULL, 0), child);
    }
    run_all();
    for (unsigned n = 0; n < CODES; n++)
        assert_made(run_numbered(n, true), 0, "after processes were killed");
}

/* ---- the limit ---- */

static uint64_t bytes;

static void add_bytes(const char *path)
{
    struct stat st;
    if (stat(path, &st) == 0) bytes += (uint64_t)st.st_size;
}

static void limited(void **state)
{
    (void)state;
    run_numbered(0, true);
    bytes = 0;
    each_file(add_bytes);
    const uint64_t most = 4 * bytes + bytes / 2;
    isa_translate_keep(most);
    for (unsigned n = 1; n < 12; n++) {
        run_numbered(n, true);
        assert_made(run_numbered(0, true), 0, "the code that was used last");
        bytes = 0;
        each_file(add_bytes);
        assert_true(bytes <= most);
    }
    assert_made(run_numbered(1, true), 1, "the code that was used first");
}

/* ---- object files ---- */

static void load(const char *path)
{
    static unsigned char file[1 << 20];
    const int fd = open(path, O_RDONLY);
    assert_true(fd >= 0);
    const ssize_t n = read(fd, file, sizeof file);
    close(fd);
    unsigned char *elf = n > 0 ? memmem(file, (size_t)n, "\177ELF", 4) : NULL;
    assert_non_null(elf);
    const size_t size = (size_t)(file + n - elf);
    isa_object_t o;
    assert_true(isa_object_load(&o, elf, size, "translated"));
    assert_true(o.run >= (uintptr_t)o.at && o.run < (uintptr_t)o.at + o.size);
    isa_object_free(&o);
    assert_false(isa_object_load(&o, elf, size, "other"));
    for (size_t cut_at = 0; cut_at < size; cut_at += 1 + size / 97)
        assert_false(isa_object_load(&o, elf, cut_at, "translated"));
    for (unsigned k = 0; k < 20000; k++) { /* whatever it says, nothing outside is touched */
        const size_t at = k % 4 ? random32() % 64 : random32() % size;
        const size_t where = k % 2 ? at : size - 1 - random32() % (size < 2048 ? size : 2048);
        const unsigned char was = elf[where];
        elf[where] = (unsigned char)random32();
        if (isa_object_load(&o, elf, size, "translated")) isa_object_free(&o);
        elf[where] = was;
    }
}

static void objects(void **state)
{
    (void)state;
    run_numbered(0, true);
    assert_int_equal(each_file(load), 1);
}

static int clean_up(void **state)
{
    char path[sizeof folder];
    begin_empty(state);
    rmdir(folder);
    snprintf(path, sizeof path, "%s/softgpu", home);
    rmdir(path);
    rmdir(home);
    return 0;
}

int main(void)
{
    if (!asm_available() || !isa_core_by_name("avx2")) return 77;
    if (!mkdtemp(home)) return 1;
    setenv("XDG_CACHE_HOME", home, 1);
    snprintf(folder, sizeof folder, "%s/softgpu/translated", home);
    isa_translate_limit(UINT64_MAX);
    pair_t p = make_pair("avx2");
    before_t b;
    make_state(&b, true, 0x2f0);
    put_numbered(&p, 0);
    run_pair(&p, &b, RIG_SLICE, "the first");
    free_pair(&p);
    if (!isa_translate_stats().loops[0]) {
        fprintf(stderr, "nothing is translated here: no library, or no LLVM\n");
        rmdir(home);
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(second_run, begin_empty),
        cmocka_unit_test_setup(damaged, begin_empty),
        cmocka_unit_test_setup(others_folder, begin_empty),
        cmocka_unit_test_setup(at_once, begin_empty),
        cmocka_unit_test_setup(killed, begin_empty),
        cmocka_unit_test_setup(limited, begin_empty),
        cmocka_unit_test_setup(objects, begin_empty),
    };
    return cmocka_run_group_tests(tests, NULL, clean_up);
}
