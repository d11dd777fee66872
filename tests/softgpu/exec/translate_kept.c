/* translate_kept.c - translations on disk: what was translated once is taken from there, by this
 * process and by others, and nothing that is damaged or another user's is run. */
#include "softgpu/exec/translate_kept.c"
#include "softgpu/exec/translate_object.h"

#include "translate_rig.h"

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

enum { LOOP = 12 /* instructions of the loop */ };

/* A loop of its own for each n, with a call of a handler in it. */
static void put_numbered(pair_t *p, unsigned n)
{
    char text[400];
    snprintf(text, sizeof text,
             "again: v_add_u32 v1, %u, v1\n v_rcp_f32 v2, v2\n v_fma_f32 v2, v2, v3, v4\n"
             "v_mov_b32 v10, 0\n ds_read_b32 v11, v10\n ds_swizzle_b32 v12, v2 offset:0x401f\n"
             "s_waitcnt lgkmcnt(0)\n"
             "v_cmp_lt_f32 vcc, v2, v3\n v_cndmask_b32 v5, v1, v2, vcc\n s_sub_u32 s98, s98, 1\n"
             "s_cmp_lg_u32 s98, 0\n s_cbranch_scc1 again\n s_endpgm\n",
             1 + n % 60);
    put_pair(p, text);
}

typedef struct {
    uint64_t made, kept, entries, instructions;
} counts_t;

/* Runs loop n from one state, both ways, on a page that was never seen; returns how many
 * translations were made and how many taken from disk, and what has run of them. */
static counts_t run_numbered(unsigned n, bool full)
{
    const isa_translate_stats_t begin = isa_translate_stats();
    pair_t p = make_pair("avx2");
    before_t b;
    make_state(&b, full, 0x2f0);
    /* numbers between 1 and 2: for NaNs the loop would be translated twice */
    for (unsigned l = 0; l < 64 * 64; l++)
        b.row[l / 64][l % 64] = 0x3f800000 | (b.row[l / 64][l % 64] & 0x7fffff);
    put_numbered(&p, n);
    run_pair(&p, &b, RIG_SLICE, "a loop");
    free_pair(&p);
    const isa_translate_stats_t end = isa_translate_stats();
    assert_true(end.instructions > begin.instructions);
    return (counts_t){end.loops[0] - begin.loops[0], end.kept - begin.kept,
                      end.entries - begin.entries, end.instructions - begin.instructions};
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
    const unsigned taken = made ? 0 : 1;
    if (c.made != made || c.kept != taken)
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

/* Who only looks for code on disk makes no folder. */
static void looks(void **state)
{
    struct stat st;
    pair_t p = make_pair("avx2");
    before_t b;
    (void)state;
    rmdir(folder);
    isa_translate_share(1);
    make_state(&b, true, 0x2f0);
    put_numbered(&p, 0);
    run_pair(&p, &b, RIG_SLICE, "code that is hot");
    free_pair(&p);
    assert_int_equal(stat(folder, &st), -1);
    isa_translate_share(0);
    assert_made(run_numbered(0, true), 1, "code that is worth it");
    assert_int_equal(stat(folder, &st), 0);
}

/* What is on disk is taken at once, also while translating takes more time than it may. */
static void costs_nothing(void **state)
{
    (void)state;
    assert_made(run_numbered(0, true), 1, "the first run");
    isa_translate_share(1);
    assert_made(run_numbered(0, true), 0, "the second run");
    isa_translate_share(0);
}

/* Code from disk calls a handler: it runs the whole loop, of which code that may not call one is
 * left in each round. */
static void calls_handlers(void **state)
{
    pair_t p = make_pair("avx2");
    before_t b;
    (void)state;
    run_numbered(0, true);
    const counts_t c = run_numbered(0, true);
    assert_made(c, 0, "the second run");
    assert_int_equal(c.entries, 1); /* behind the first round */
    assert_int_equal(c.instructions, LOOP * (ROUNDS - 1));
    make_state(&b, true, 0x2f0);
    put_numbered(&p, 0);
    run_verified(p.translated, &b, "no calls");
    const uint64_t begin = isa_translate_stats().entries;
    assert_int_equal(run_verified(p.translated, &b, "no calls"), (LOOP - 1) * ROUNDS);
    assert_int_equal(isa_translate_stats().entries - begin, 1 + ROUNDS);
    free_pair(&p);
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

/* ---- keys ---- */

static isa_page_t *page_at(rig_t *r, unsigned offset)
{
    const before_t b = {.mode = 0x2f0};
    set_state(r, &b);
    assert_true(r->core->set_pc(&r->wave, RIG_CODE + offset));
    return r->wave.page;
}

/* Each thing that a translation depends on is in its key, the place in memory is not. */
static void keys_differ(void **state)
{
    enum { KEYS = 12 };
    static const uint8_t one_bucket[ISA_OP_COUNT], two_buckets[ISA_OP_COUNT] = {[7] = 1};
    pair_t p = make_pair("avx2"), gfx1030 = make_pair("avx2"), narrow = make_pair("avx2");
    const isa_arch_t *other = isa_arch_named("gfx1030");
    isa_kept_key_t key[KEYS], same;
    (void)state;
    set_gpu(gfx1030.translated, other, isa_core_by_name("avx2"));
    set_gpu(narrow.translated, other, isa_core_narrow(isa_core_by_name("avx2")));
    put_numbered(&p, 0);
    memcpy(p.translated->code + ISA_PAGE_SLOTS, p.translated->code, 4 * ISA_PAGE_SLOTS);
    memcpy(gfx1030.translated->code, p.translated->code, 4 * ISA_PAGE_SLOTS);
    memcpy(narrow.translated->code, p.translated->code, 4 * ISA_PAGE_SLOTS);
    const isa_wanted_t w = {page_at(p.translated, 0), 0, 8, 0x2f0, false, true, false, NULL};
    isa_wanted_t each[KEYS];
    for (unsigned k = 0; k < KEYS; k++)
        each[k] = w;
    each[1].first++;
    each[2].last--;
    each[3].mode = 0xf0;
    each[4].masked = true;
    each[5].calls = false; /* verify */
    each[6].page = page_at(gfx1030.translated, 0);
    each[7].page = page_at(narrow.translated, 0);
    each[8].first++;
    each[8].last++;
    each[9].bucket = one_bucket;
    each[10].bucket = two_buckets;
    each[11].nans = true;
    for (unsigned k = 0; k < KEYS; k++) {
        assert_true(key_of(&each[k], &key[k]));
        for (unsigned j = 0; j < k; j++)
            if (key[j].low == key[k].low && key[j].high == key[k].high)
                fail_msg("keys %u and %u are the same", j, k);
    }
    each[0].page = page_at(p.translated, ISA_PAGE_BYTES);
    assert_true(each[0].page != w.page && key_of(&each[0], &same));
    assert_true(same.low == key[0].low && same.high == key[0].high);
    free_pair(&p);
    free_pair(&gfx1030);
    free_pair(&narrow);
}

/* ---- whole files that are not used ---- */

static void change(const char *path, void (*how)(header_t *h, char *rest))
{
    static _Alignas(header_t) char file[1 << 20];
    header_t h;
    const int fd = open(path, O_RDWR);
    assert_true(fd >= 0);
    const ssize_t n = read(fd, file, sizeof file);
    assert_true(n > (ssize_t)sizeof h);
    memcpy(&h, file, sizeof h);
    char *rest = file + sizeof h;
    how(&h, rest);
    h.checksum = checksum_of(&h, rest, rest + h.entries * sizeof(uint16_t));
    memcpy(file, &h, sizeof h);
    assert_int_equal(pwrite(fd, file, (size_t)n, 0), n);
    close(fd);
}

static void as_it_is(header_t *h, char *rest)
{
    (void)h;
    (void)rest;
}

static void older_llvm(header_t *h, char *rest)
{
    (void)rest;
    h->llvm.mtime--;
}

static void shorter_llvm(header_t *h, char *rest)
{
    (void)rest;
    h->llvm.size--;
}

static void no_llvm(header_t *h, char *rest)
{
    (void)rest;
    snprintf(h->llvm.path, sizeof h->llvm.path, "%s/none", home);
}

static void no_object(header_t *h, char *rest)
{
    rest[h->entries * sizeof(uint16_t)] ^= 1;
}

static void (*how_changed)(header_t *h, char *rest);

static void change_file(const char *path)
{
    change(path, how_changed);
}

/* Files whose checksum is right, but that another LLVM has made, or that do not load. */
static void changed(void **state)
{
    static void (*const misses[])(header_t *, char *) = {older_llvm, shorter_llvm, no_llvm,
                                                         no_object};
    (void)state;
    run_numbered(0, true);
    how_changed = as_it_is;
    assert_int_equal(each_file(change_file), 1);
    assert_made(run_numbered(0, true), 0, "a file with a checksum of the test's");
    for (unsigned k = 0; k < sizeof misses / sizeof *misses; k++) {
        how_changed = misses[k];
        assert_int_equal(each_file(change_file), 1);
        assert_made(run_numbered(0, true), 1, "a changed file with a right checksum");
        assert_made(run_numbered(0, true), 0, "a file in place of the changed one");
    }
}

static void let_others_write(const char *path)
{
    assert_int_equal(chmod(path, 0620), 0);
}

static void give_away(const char *path)
{
    assert_int_equal(chown(path, 12345, (gid_t)-1), 0);
}

static void make_link(const char *path)
{
    char to[sizeof home + 8];
    snprintf(to, sizeof to, "%s/target", home);
    assert_int_equal(rename(path, to), 0);
    assert_int_equal(symlink(to, path), 0);
}

static void remove_target(void)
{
    char to[sizeof home + 8];
    snprintf(to, sizeof to, "%s/target", home);
    unlink(to);
}

/* Files that are not the user's alone. */
static void others_files(void **state)
{
    (void)state;
    run_numbered(0, true);
    each_file(let_others_write);
    assert_made(run_numbered(0, true), 1, "others can write the file");
    each_file(make_link);
    assert_made(run_numbered(0, true), 1, "the file is a link");
    remove_target();
    assert_made(run_numbered(0, true), 0, "only the user can write the file");
    if (geteuid() != 0) return; /* who cannot give a file away */
    each_file(give_away);
    assert_made(run_numbered(0, true), 1, "the file is another user's");
}

/* ---- refusals ---- */

static struct stat seen;

static void make_old(const char *path)
{
    const struct timespec times[2] = {{.tv_sec = 1}, {.tv_sec = 1}};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    assert_int_equal(stat(path, &seen), 0);
}

static void assert_read(const char *path)
{
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_ino, seen.st_ino); /* not written anew, */
    assert_true(st.st_mtim.tv_sec > 1);       /* but used */
}

/* A loop that is too long; the page of code was never seen. */
static void run_long(void)
{
    before_t b;
    pair_t p = make_pair("avx2");
    make_state(&b, true, 0x2f0);
    put_pair(&p, "again: .rept 520\n v_mov_b32 v1, v2\n .endr\n s_sub_u32 s98, s98, 1\n"
                 "s_cmp_lg_u32 s98, 0\n s_cbranch_scc1 again\n s_endpgm\n");
    run_pair(&p, &b, RIG_SLICE, "a long loop");
    free_pair(&p);
}

/* That code is too long is kept, too, but not that there is no time. */
static void refused(void **state)
{
    isa_made_t made;
    pair_t p = make_pair("avx2");
    (void)state;
    const uint64_t begin = isa_translate_stats().loops[ISA_REFUSED_LENGTH];
    run_long();
    assert_int_equal(each_file(make_old), 1);
    run_long();
    assert_int_equal(each_file(assert_read), 1);
    assert_int_equal(isa_translate_stats().loops[ISA_REFUSED_LENGTH] - begin, 2);
    put_numbered(&p, 0);
    const isa_wanted_t w = {page_at(p.translated, 0), 0, 0, 0x2f0, false, true, false, NULL};
    isa_kept_write(&w, &(isa_made_t){.why = ISA_REFUSED_TIME});
    assert_false(isa_kept_read(&w, &made));
    isa_kept_write(&w, &(isa_made_t){.why = ISA_REFUSED_HEAD});
    assert_true(isa_kept_read(&w, &made));
    assert_int_equal(made.why, ISA_REFUSED_HEAD);
    free_pair(&p);
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
        cmocka_unit_test_setup(looks, begin_empty),
        cmocka_unit_test_setup(costs_nothing, begin_empty),
        cmocka_unit_test_setup(calls_handlers, begin_empty),
        cmocka_unit_test_setup(damaged, begin_empty),
        cmocka_unit_test_setup(keys_differ, begin_empty),
        cmocka_unit_test_setup(changed, begin_empty),
        cmocka_unit_test_setup(others_files, begin_empty),
        cmocka_unit_test_setup(refused, begin_empty),
        cmocka_unit_test_setup(others_folder, begin_empty),
        cmocka_unit_test_setup(at_once, begin_empty),
        cmocka_unit_test_setup(killed, begin_empty),
        cmocka_unit_test_setup(limited, begin_empty),
        cmocka_unit_test_setup(objects, begin_empty),
    };
    return cmocka_run_group_tests(tests, NULL, clean_up);
}
