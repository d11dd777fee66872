/* log_test.c - lines of the log are whole however long they are, and say so where they are not. */
#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

/* What happens when the log asks the kernel for pages of a long line. */
static bool no_pages;
static void (*meanwhile)(void);
static int unmapped;

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);

long __wrap_syscall(long number, ...)
{
    long a[6];
    va_list args;
    va_start(args, number);
    for (int i = 0; i < (number == SYS_munmap ? 2 : 6); i++)
        a[i] = va_arg(args, long);
    va_end(args);
    if (number == SYS_munmap) {
        unmapped++;
        return __real_syscall(number, a[0], a[1]);
    }
    assert_int_equal(number, SYS_mmap);
    if (meanwhile) meanwhile();
    if (!no_pages) return __real_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    errno = ENOMEM;
    return -1;
}

/* The software GPU's stub has functions of these names, which take locks: the log must not call
 * them. */
void *__wrap_mmap(void *at, size_t bytes, int protection, int flags, int fd, off_t offset);
int __wrap_munmap(void *at, size_t bytes);

void *__wrap_mmap(void *at, size_t bytes, int protection, int flags, int fd, off_t offset)
{
    (void)at, (void)bytes, (void)protection, (void)flags, (void)fd, (void)offset;
    fail_msg("mmap() is called");
    return MAP_FAILED;
}

int __wrap_munmap(void *at, size_t bytes)
{
    (void)at, (void)bytes;
    fail_msg("munmap() is called");
    return -1;
}

enum { LONGEST = 100000, ON_STACK = 2048 /* bytes of a line that needs no pages */ };

static char path[] = "/tmp/log-test-XXXXXX", letters[LONGEST + 1];

static int begin(void **state)
{
    (void)state;
    const int fd = mkstemp(path);
    if (fd < 0) return -1;
    close(fd);
    for (size_t i = 0; i < LONGEST; i++)
        letters[i] = (char)('a' + i % 26);
    base_log_to(path);
    return 0;
}

static int end(void **state)
{
    (void)state;
    base_log_to(NULL);
    return unlink(path);
}

/* What the log has now; then the log is empty. */
static size_t logged(char *text, size_t room)
{
    const int fd = open(path, O_RDWR);
    const ssize_t n = read(fd, text, room - 1);
    assert_true(n >= 0);
    text[n] = 0;
    assert_int_equal(ftruncate(fd, 0), 0);
    close(fd);
    return (size_t)n;
}

static const char head[] = "crocprof: warning: of ";

/* Around the size of the buffer on the stack each length counts. */
static void lines_are_whole(void **state)
{
    static char text[LONGEST + 100];
    (void)state;
    for (int length = 1; length <= LONGEST; length += length < 4200 ? 1 : 10007) {
        errno = EDOM;
        base_warning("of %.*s", length, letters);
        assert_int_equal(errno, EDOM);
        assert_int_equal(logged(text, sizeof text), sizeof head - 1 + (size_t)length + 1);
        assert_memory_equal(text, head, sizeof head - 1);
        assert_memory_equal(text + sizeof head - 1, letters, (size_t)length);
        assert_string_equal(text + sizeof head - 1 + length, "\n");
    }
}

/* The bytes that are there and those that are said to be missing are all of them. */
static void a_cut_is_told(void **state)
{
    static char text[LONGEST + 100];
    (void)state;
    for (int length = 1900; length < 2300; length++) {
        size_t more = 0;
        int used = 0;
        no_pages = true;
        base_warning("of %.*s", length, letters);
        no_pages = false;
        logged(text, sizeof text);
        char *mark = strchr(text, '[');
        const size_t there = mark ? (size_t)(mark - 1 - text) : strlen(text) - 1;
        if (mark) assert_int_equal(sscanf(mark, "[%zu bytes more]%n", &more, &used), 1);
        assert_string_equal(mark ? mark + used : text + there, "\n");
        assert_int_equal(there + more, sizeof head - 1 + (size_t)length);
        assert_memory_equal(text + sizeof head - 1, letters, there - (sizeof head - 1));
        assert_int_equal(mark != NULL, sizeof head + (size_t)length > ON_STACK);
    }
}

/* Another thread may lengthen a text between the counting of its bytes and the writing: the line
 * ends where its pages do. */
static char growing[LONGEST + 1];

static void grow(void)
{
    memcpy(growing, letters, sizeof growing);
}

static void a_text_may_grow(void **state)
{
    static char text[LONGEST + 100];
    size_t more = 0;
    (void)state;
    snprintf(growing, sizeof growing, "%.*s", 2 * ON_STACK, letters);
    meanwhile = grow;
    unmapped = 0;
    base_warning("of %s", growing);
    meanwhile = NULL;
    assert_int_equal(unmapped, 1);
    assert_in_range(logged(text, sizeof text), ON_STACK, sizeof head + 2 * ON_STACK);
    const char *mark = strchr(text, '[');
    assert_non_null(mark);
    assert_int_equal(sscanf(mark, "[%zu bytes more]", &more), 1);
    assert_int_equal((size_t)(mark - 1 - text) + more, sizeof head - 1 + LONGEST);
}

/* ---- a pipe as standard error ---- */

typedef struct {
    int ends[2], before; /* `before`: what standard error was */
    char text[2 * LONGEST];
    size_t bytes;
} pipe_t;

static void pipe_begin(pipe_t *p, int flags)
{
    p->bytes = 0;
    assert_int_equal(pipe2(p->ends, O_CLOEXEC | flags), 0);
    assert_int_equal(fcntl(p->ends[1], F_SETPIPE_SZ, 4096), 4096);
    assert_int_equal(fcntl(p->ends[0], F_SETFL, 0), 0); /* the reader waits */
    p->before = dup(STDERR_FILENO);
    assert_true(dup2(p->ends[1], STDERR_FILENO) >= 0);
    close(p->ends[1]);
    base_log_to(NULL);
}

static void pipe_restore(const pipe_t *p)
{
    dup2(p->before, STDERR_FILENO);
    close(p->before);
    base_log_to(path);
}

/* Reads what is there, or all until the pipe is closed. */
static void *read_slowly(void *user)
{
    pipe_t *p = user;
    ssize_t n;
    while ((n = read(p->ends[0], p->text + p->bytes, sizeof p->text - 1 - p->bytes)) > 0) {
        p->bytes += (size_t)n;
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    }
    p->text[p->bytes] = 0;
    return NULL;
}

static void a_slow_reader_gets_all(int flags)
{
    static pipe_t p;
    pthread_t reader;
    pipe_begin(&p, flags);
    assert_int_equal(pthread_create(&reader, NULL, read_slowly, &p), 0);
    base_warning("of %s", letters);
    pipe_restore(&p);
    pthread_join(reader, NULL);
    close(p.ends[0]);
    assert_int_equal(p.bytes, sizeof head - 1 + LONGEST + 1);
    assert_memory_equal(p.text + sizeof head - 1, letters, LONGEST);
    assert_int_equal(p.text[p.bytes - 1], '\n');
}

static void a_slow_reader_of_a_pipe(void **state)
{
    (void)state;
    a_slow_reader_gets_all(0);
}

static void a_slow_reader_of_a_pipe_that_does_not_block(void **state)
{
    (void)state;
    a_slow_reader_gets_all(O_NONBLOCK);
}

/* Once the pipe is read again, the next line tells what is missing of those before. Only the first
 * line waits. */
static void nobody_reads(void **state)
{
    static pipe_t p;
    struct timespec begin, end;
    size_t more = 0;
    int used = 0;
    (void)state;
    pipe_begin(&p, O_NONBLOCK);
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (int i = 0; i < 10; i++)
        base_warning("of %.*s", 10000, letters);
    clock_gettime(CLOCK_MONOTONIC, &end);
    const ssize_t there = read(p.ends[0], p.text, sizeof p.text);
    assert_in_range(there, 1, 4096);
    base_warning("again");
    pipe_restore(&p);
    p.bytes = (size_t)there;
    read_slowly(&p);
    close(p.ends[0]);
    assert_int_equal(sscanf(p.text + there, " [%zu bytes more]%n", &more, &used), 1);
    assert_int_equal((size_t)there + more, 10 * (sizeof head - 1 + 10000 + 1));
    assert_string_equal(p.text + there + used, "\ncrocprof: warning: again\n");
    assert_in_range(end.tv_sec - begin.tv_sec, 0, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_whole),
        cmocka_unit_test(a_cut_is_told),
        cmocka_unit_test(a_text_may_grow),
        cmocka_unit_test(a_slow_reader_of_a_pipe),
        cmocka_unit_test(a_slow_reader_of_a_pipe_that_does_not_block),
        cmocka_unit_test(nobody_reads),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
