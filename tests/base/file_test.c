/* file_test.c - descriptors of ours leave the program's numbers alone.
 *
 * Each test runs with standard input, output and error closed, in a process of its own; the state
 * comes back as its exit status. */
#include "base/lines.h"
#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/base-file-XXXXXX";

static const char *path_of(const char *name)
{
    static char path[64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

/* Runs `check` in a child without standard descriptors; it returns 0 or the number of what failed.
 */
static void run_closed(int (*check)(void))
{
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        close(0);
        close(1);
        close(2);
        _exit(check());
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static int is_closed(int fd)
{
    return fcntl(fd, F_GETFD) < 0 && errno == EBADF;
}

/* 0 where the descriptor is high and closed on exec, and the standard ones are as they were. */
static int is_ours(int fd, int lowest)
{
    if (fd < lowest) return 1;
    if (fcntl(fd, F_GETFD) != FD_CLOEXEC) return 2;
    return is_closed(0) && is_closed(1) && is_closed(2) ? 0 : 3;
}

static int check_files(void)
{
    int fd = base_file_open(path_of("file"), O_WRONLY | O_CREAT | O_EXCL, 0600);
    if (is_ours(fd, BASE_FILE_LOWEST) || write(fd, "text\n", 5) != 5) return 10;
    FILE *stream = base_file_stream(path_of("file"), "re");
    char line[16];
    if (!stream || is_ours(fileno(stream), BASE_FILE_LOWEST)) return 11;
    if (!fgets(line, sizeof line, stream) || strcmp(line, "text\n") != 0) return 12;
    DIR *list = base_file_folder(folder);
    int entries = 0;
    if (!list || is_ours(dirfd(list), BASE_FILE_LOWEST)) return 13;
    while (readdir(list))
        entries++;
    if (entries != 3) return 14;
    return closedir(list) || fclose(stream) || close(fd) ? 15 : 0;
}

static void test_no_standard_descriptor_is_used(void **state)
{
    (void)state;
    run_closed(check_files);
}

static int check_pipe(void)
{
    int ends[2];
    if (pipe(ends)) return 10; /* 0 and 1 */
    int in = base_file_own(ends[0]), out = base_file_own(ends[1]);
    if (is_ours(in, BASE_FILE_LOWEST) || is_ours(out, BASE_FILE_LOWEST)) return 11;
    char c = 'x';
    return write(out, &c, 1) == 1 && read(in, &c, 1) == 1 ? 0 : 12;
}

static void test_made_elsewhere(void **state)
{
    (void)state;
    run_closed(check_pipe);
}

/* Below a limit that leaves no high number, any above 2; and none at all is an error, not a 0. */
static int check_limit(void)
{
    struct rlimit low = {16, 16}; /* three of them, and what was inherited, are not ours */
    int fd[16], n = 0;
    if (setrlimit(RLIMIT_NOFILE, &low)) return 10;
    while (n < 16 && (fd[n] = base_file_open("/dev/null", O_RDONLY, 0)) >= 0)
        n++;
    if (errno != EMFILE || n < 1 || n > 13 || is_ours(fd[n - 1], 3)) return 11;
    if (base_file_stream("/dev/null", "r") || errno != EMFILE) return 12;
    return is_closed(0) && is_closed(1) && is_closed(2) ? 0 : 13;
}

static void test_few_descriptors(void **state)
{
    (void)state;
    run_closed(check_limit);
}

/* A program that would die of SIGPIPE does not because of us, and gets the one that it has earned.
 */
static int check_nobody_reads(void)
{
    int ends[2];
    sigset_t pipe, before;
    base_file_limit_t limit;
    base_lines_t lines = {.variable = "NONE"};
    if (pipe2(ends, 0) != 0 || close(ends[0]) != 0) return 20;
    base_file_limit_begin(&limit, false);
    if (write(ends[1], "x", 1) != -1 || errno != EPIPE) return 21;
    base_file_limit_end(&limit);
    lines.fd = ends[1];
    base_lines_write(&lines, "x\n", 2);
    if (dup2(ends[1], STDERR_FILENO) < 0) return 22;
    base_log_set_stderr(true);
    base_error("nobody reads this");
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    sigprocmask(SIG_BLOCK, &pipe, NULL);
    if (sigpending(&before) != 0 || sigismember(&before, SIGPIPE)) return 23;
    raise(SIGPIPE);
    base_file_limit_begin(&limit, false);
    base_file_limit_end(&limit);
    return sigpending(&before) == 0 && sigismember(&before, SIGPIPE) ? 0 : 24;
}

static void test_nobody_reads(void **state)
{
    (void)state;
    run_closed(check_nobody_reads);
}

/* A file that takes no more is told of, once. */
static int check_full(void)
{
    char text[128] = "";
    int ends[2];
    base_lines_t lines;
    if (pipe2(ends, O_NONBLOCK) != 0 || dup2(ends[1], STDERR_FILENO) < 0) return 30;
    base_log_set_stderr(true);
    setenv("LINES_FILE", "/dev/full", 1);
    base_lines_open(&lines, "LINES_FILE", "lines go");
    base_lines_write(&lines, "x\n", 2);
    base_lines_write(&lines, "x\n", 2);
    if (read(ends[0], text, sizeof text - 1) < 0) return 31;
    const char *told = strstr(text, "/dev/full: No space left on device\n");
    return told && !strstr(told + 1, "/dev/full") ? 0 : 32;
}

static void test_full(void **state)
{
    (void)state;
    run_closed(check_full);
}

static int lowest_free(void)
{
    int fd = fcntl(STDERR_FILENO, F_DUPFD, BASE_FILE_LOWEST);
    close(fd);
    return fd;
}

/* The program closes the file, which has been replaced by another of its name meanwhile: that one
 * is opened, and stays open. */
static int check_replaced(void)
{
    char text[8] = "";
    base_lines_t lines;
    if (dup2(open("/dev/null", O_WRONLY), STDERR_FILENO) < 0) return 40;
    setenv("LINES_FILE", path_of("replaced"), 1);
    base_lines_open(&lines, "LINES_FILE", "lines go");
    int kept = open(path_of("replaced"), O_RDONLY); /* lest its number is given to the next file */
    close(lines.fd);
    if (kept < 0 || unlink(path_of("replaced")) != 0) return 41;
    int next = open(path_of("replaced"), O_RDWR | O_CREAT, 0600);
    base_lines_write(&lines, "a\n", 2);
    const int free_after_one = lowest_free();
    base_lines_write(&lines, "b\n", 2);
    base_lines_write(&lines, "c\n", 2);
    if (lowest_free() != free_after_one) return 42;
    return read(next, text, sizeof text) == 6 && memcmp(text, "a\nb\nc\n", 6) == 0 ? 0 : 43;
}

static void test_replaced(void **state)
{
    (void)state;
    run_closed(check_replaced);
}

static void test_errors_and_modes(void **state)
{
    (void)state;
    assert_int_equal(base_file_own(-1), -1);
    assert_int_equal(base_file_open(path_of("none"), O_RDONLY, 0), -1);
    assert_int_equal(errno, ENOENT);
    assert_null(base_file_stream(path_of("none"), "r"));
    assert_int_equal(errno, ENOENT);
    assert_null(base_file_folder(path_of("file")));
    assert_int_equal(errno, ENOTDIR);
    assert_null(base_file_stream(path_of("file"), "wx"));
    assert_int_equal(errno, EEXIST);

    static const char *const steps[][3] = {/* mode, what is written, what the file holds then */
                                           {"w", "one", "one"},
                                           {"a", "two", "onetwo"},
                                           {"r+", "O", "Onetwo"},
                                           {"a+", "3", "Onetwo3"},
                                           {"w+", "new", "new"}};
    for (unsigned i = 0; i < sizeof steps / sizeof *steps; i++) {
        char text[16] = "";
        FILE *f = base_file_stream(path_of("file"), steps[i][0]);
        assert_non_null(f);
        assert_true(fputs(steps[i][1], f) >= 0);
        assert_int_equal(fclose(f), 0);
        f = base_file_stream(path_of("file"), "r");
        assert_non_null(f);
        assert_non_null(fgets(text, sizeof text, f));
        assert_string_equal(text, steps[i][2]);
        assert_true(fputs("x", f) < 0 || fflush(f) != 0);
        fclose(f);
    }
}

static void put(const char *name, const char *bytes, size_t count)
{
    FILE *f = base_file_stream(path_of(name), "w");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, count, f), count);
    assert_int_equal(fclose(f), 0);
}

/* Files are read whole up to the limit, and not at all above it; so is what knows no size. */
static void test_whole(void **state)
{
    (void)state;
    static char bytes[100000];
    memset(bytes, 'x', sizeof bytes);
    static const size_t sizes[] = {0, 1, 4094, 4095, 4096, 4097, sizeof bytes};
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        size_t size;
        put("file", bytes, sizes[i]);
        char *data = base_file_read(path_of("file"), sizes[i], &size);
        assert_non_null(data);
        assert_int_equal(size, sizes[i]);
        assert_memory_equal(data, bytes, size);
        assert_int_equal(data[size], 0);
        free(data);
        if (!sizes[i]) continue;
        assert_null(base_file_read(path_of("file"), sizes[i] - 1, &size));
        assert_int_equal(errno, EFBIG);
        int ends[2];
        char path[64];
        for (size_t most = sizes[i] - 1; sizes[i] < 60000 && most <= sizes[i]; most++) {
            assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
            assert_int_equal(write(ends[1], bytes, sizes[i]), sizes[i]);
            close(ends[1]);
            snprintf(path, sizeof path, "/proc/self/fd/%d", ends[0]);
            data = base_file_read(path, most, &size);
            assert_int_equal(data != NULL, most == sizes[i]);
            assert_true(data ? size == sizes[i] : errno == EFBIG);
            free(data);
            close(ends[0]);
        }
    }
    size_t size;
    assert_null(base_file_read(folder, SIZE_MAX, &size));
    assert_int_equal(errno, EISDIR);
}

static void test_texts(void **state)
{
    (void)state;
    size_t size;
    char why[128], expected[128];
    put("file", "a\0b", 3);
    assert_null(base_file_text(path_of("file"), 3, &size, why, sizeof why));
    snprintf(expected, sizeof expected, "%s: not a text: it holds a zero byte", path_of("file"));
    assert_string_equal(why, expected);
    assert_null(base_file_text(path_of("file"), 2, &size, why, sizeof why));
    snprintf(expected, sizeof expected, "%s: longer than 2 bytes", path_of("file"));
    assert_string_equal(why, expected);
    assert_null(base_file_text(path_of("none"), 2, &size, why, sizeof why));
    snprintf(expected, sizeof expected, "%s: No such file or directory", path_of("none"));
    assert_string_equal(why, expected);
    put("file", "text", 4);
    char *text = base_file_text(path_of("file"), 4, &size, why, sizeof why);
    assert_string_equal(text, "text");
    free(text);
}

/* A line that fills its room is cut, and a zero byte ends it; where there is no line the text is
 * empty, whatever it was. */
static void test_first_lines(void **state)
{
    (void)state;
    static const char *const cases[][2] = {{"one\ntwo\n", "one"},
                                           {"no end", "no end"},
                                           {"\nsecond", ""},
                                           {"", ""},
                                           {"12345678", "1234567"}};
    char line[8];
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        put("file", cases[i][0], strlen(cases[i][0]));
        strcpy(line, "before");
        assert_string_equal(base_file_line(path_of("file"), line, sizeof line), cases[i][1]);
    }
    put("file", "a\0b\n", 4);
    assert_string_equal(base_file_line(path_of("file"), line, sizeof line), "a");
    put("file", "\0b\n", 3);
    assert_string_equal(base_file_line(path_of("file"), line, sizeof line), "");
    const char *const unread[] = {path_of("none"), folder};
    for (unsigned i = 0; i < sizeof unread / sizeof *unread; i++) {
        strcpy(line, "before");
        assert_string_equal(base_file_line(unread[i], line, sizeof line), "");
    }
    assert_string_equal(base_file_line(path_of("file"), line, 1), "");
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path_of("file"));
    unlink(path_of("replaced"));
    return rmdir(folder);
}

static void test_whole_paths(void **state)
{
    char before[PATH_MAX], wanted[PATH_MAX + 16];
    (void)state;
    assert_non_null(getcwd(before, sizeof before));
    char *path = base_file_whole_path("./a/../b");
    snprintf(wanted, sizeof wanted, "%s/./a/../b", before);
    assert_string_equal(path, wanted);
    free(path);
    path = base_file_whole_path("/proc/self/cwd/b"); /* links stay */
    assert_string_equal(path, "/proc/self/cwd/b");
    free(path);

    /* a folder that is gone has no path */
    char gone[] = "/tmp/file-test-XXXXXX";
    assert_non_null(mkdtemp(gone));
    assert_int_equal(chdir(gone), 0);
    assert_int_equal(rmdir(gone), 0);
    errno = 0;
    assert_null(base_file_whole_path("b"));
    assert_int_equal(errno, ENOENT);
    assert_int_equal(chdir(before), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_standard_descriptor_is_used),
        cmocka_unit_test(test_made_elsewhere),
        cmocka_unit_test(test_few_descriptors),
        cmocka_unit_test(test_nobody_reads),
        cmocka_unit_test(test_full),
        cmocka_unit_test(test_replaced),
        cmocka_unit_test(test_errors_and_modes),
        cmocka_unit_test(test_whole),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_first_lines),
        cmocka_unit_test(test_whole_paths),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
