/* log_test.c - lines of the log are whole however long they are, and say so where they are not. */
#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

static bool no_pages;
void *__real_mmap(void *at, size_t bytes, int protection, int flags, int fd, off_t offset);
void *__wrap_mmap(void *at, size_t bytes, int protection, int flags, int fd, off_t offset);

void *__wrap_mmap(void *at, size_t bytes, int protection, int flags, int fd, off_t offset)
{
    if (!no_pages) return __real_mmap(at, bytes, protection, flags, fd, offset);
    errno = ENOMEM;
    return MAP_FAILED;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_whole),
        cmocka_unit_test(a_cut_is_told),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
