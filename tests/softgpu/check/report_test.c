/* report_test.c - how findings are written: names that would break a format, equal findings, more
 * than there is room for, several processes, forks. */
#include "softgpu/check/check.h"
#include "softgpu/check/format.h"
#include "softgpu/check/sarif_file.h"

#include <errno.h>
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/log.h"

static char name[] = "/tmp/softgpu-report-XXXXXX";

static char *written(void)
{
    size_t bytes;
    char *text = base_file_read(name, SIZE_MAX, &bytes);
    assert_non_null(text);
    return text;
}

static chk_details_t hostile(char *kernel, char *file)
{
    chk_details_t t = {
        .f = {.kind = CHK_KIND_WRITE, .bytes = 4, .lanes = 3, .at_address = true, .va = 16},
        .message = (char *)"invalid write of 4 bytes",
        .at = {.kernel = kernel, .pc = 256, .group = {5, 0, 0}, .wave = 2, .lane = 17}};
    t.at.code = (chk_code_t){.n = 1, .file = {file}, .line = {14}};
    return t;
}

/* What is no UTF-8 is a sign that says so; all else comes back as it was. */
static const struct {
    const char *name, *read;
} names[] = {
    {"a\"b\\c", "a\"b\\c"},
    {"line\nline\r\t\x01\x7f", "line\nline\r\t\x01\x7f"},
    {"\xff", "\xef\xbf\xbd"},
    {"a\xc3", "a\xef\xbf\xbd"},
    {"\xc3\xbc\xe2\x82\xac\xf0\x9f\x98\x80", "\xc3\xbc\xe2\x82\xac\xf0\x9f\x98\x80"},
    {"\xc0\x80\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
    {"\xf4\x90\x80\x80z", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdz"},
    {"</script>]]>%s%n", "</script>]]>%s%n"},
};

enum { NAMES = sizeof names / sizeof *names };

static const char *text_at(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    assert_non_null(text);
    return text;
}

/* Names cannot make lines of their own. */
static void test_hostile_text(void **state)
{
    (void)state;
    base_lines_t l;
    base_lines_open(&l, chk_variables[CHK_VARIABLE_OUTPUT], "");
    chk_details_t t = hostile((char *)"a\nsoftgpu: error: b\x1b[2J", (char *)"x\r\n.hip");
    t.more = (char *)"of c\nsoftgpu: error: d\x1b[2J\n  and more";
    const chk_times_t times = {1, 12, 36};
    assert_int_equal(truncate(name, 0), 0);
    chk_text_writer.finding(&l, &t, &times);
    char *text = written();
    assert_string_equal(
        text, "softgpu: error: invalid write of 4 bytes, lane 17 of wave 2, group (5,0,0)\n"
              "  a?softgpu: error: b?[2J at x??.hip:14\n"
              "  address 0x10 is in no allocation\n"
              "  of c?softgpu: error: d?[2J\n  and more\n");
    free(text);
}

/* One of a thing is one, where there is no line there is the offset in the function, and who wants
 * to know more reads the rule that suppresses it. */
static void test_few(void **state)
{
    (void)state;
    base_lines_t l;
    base_lines_open(&l, chk_variables[CHK_VARIABLE_OUTPUT], "");
    const chk_place_t place = {.begin = 4096, .end = 4097, .call = "hipMalloc", .live = true};
    chk_details_t t = hostile((char *)"a(int)", (char *)"");
    t.f.lanes = 1;
    t.at.code = (chk_code_t){.symbol = "_Z1ai", .offset = 0x9c};
    strcpy(t.at.instruction, "s_nop 0");
    t.has_place = true;
    t.place = place;
    t.side = CHK_AFTER;
    t.distance = 1;
    const chk_times_t times = {1, 1, 1};
    assert_int_equal(truncate(name, 0), 0);
    const base_log_level_t level = base_log_level;
    base_log_level = BASE_LOG_INFO;
    chk_text_writer.finding(&l, &t, &times);
    base_log_level = level;
    char *text = written();
    assert_string_equal(
        text, "softgpu: error: invalid write of 4 bytes, lane 17 of wave 2, group (5,0,0)\n"
              "  a(int)+0x9c\n"
              "    s_nop 0                                          1 lane of this wave, 1 wave so "
              "far\n"
              "  address 0x10 is 1 byte after the 1 byte that hipMalloc gave out\n"
              "  suppressed by: invalid-write kernel=\"^a\\\\(int\\\\)$\"\n");
    free(text);
}

static void test_hostile_json(void **state)
{
    (void)state;
    base_lines_t l;
    base_lines_open(&l, chk_variables[CHK_VARIABLE_OUTPUT], "");
    for (size_t k = 0; k < NAMES; k++) {
        assert_int_equal(truncate(name, 0), 0);
        const chk_details_t t = hostile((char *)names[k].name, (char *)names[k].name);
        const chk_times_t times = {k + 1, 12, 36};
        if (chk_json_writer.forked) chk_json_writer.forked();
        chk_json_writer.finding(&l, &t, &times);
        char *text = written(), *line = strchr(text, '\n');
        assert_non_null(line);
        json_t *j = json_loads(line + 1, 0, NULL);
        assert_non_null(j);
        const json_t *at = json_object_get(j, "at");
        assert_string_equal(text_at(at, "kernel"), names[k].read);
        assert_string_equal(text_at(json_array_get(json_object_get(at, "frames"), 0), "file"),
                            names[k].read);
        assert_int_equal(json_integer_value(json_object_get(j, "waves")), 12);
        json_decref(j);
        free(text);
    }
}

static void test_hostile_sarif(void **state)
{
    (void)state;
    chk_times_t times[NAMES];
    assert_int_equal(truncate(name, 0), 0);
    for (size_t k = 0; k < NAMES; k++) {
        const chk_details_t t = hostile((char *)names[k].name, (char *)names[k].name);
        times[k] = (chk_times_t){k + 1, k + 2, 36};
        chk_sarif_writer.finding(NULL, &t, &times[k]);
    }
    char *text = written();
    json_t *j = json_loads(text, 0, NULL);
    assert_non_null(j);
    const json_t *results =
        json_object_get(json_array_get(json_object_get(j, "runs"), 0), "results");
    assert_int_equal(json_array_size(results), NAMES);
    for (size_t k = 0; k < NAMES; k++) {
        const json_t *r = json_array_get(results, k);
        const json_t *at = json_array_get(json_object_get(r, "locations"), 0);
        const json_t *logical = json_array_get(json_object_get(at, "logicalLocations"), 0);
        const json_t *physical = json_object_get(at, "physicalLocation");
        assert_string_equal(text_at(logical, "fullyQualifiedName"), names[k].read);
        const char *uri = text_at(json_object_get(physical, "artifactLocation"), "uri");
        assert_int_equal(strspn(uri, "%0123456789ABCDEFabcdefghijklmnopqrstuvwxyz./-_~"),
                         strlen(uri));
        assert_int_equal(json_integer_value(json_object_get(r, "occurrenceCount")), k + 2);
    }
    json_decref(j);
    free(text);
    chk_sarif_writer.forked();
}

/* A document is in a file, and nobody waits for who reads a pipe. */
static void test_no_file(void **state)
{
    (void)state;
    static const chk_sarif_lines_t lines = {"\"process\":1", CHK_SARIF_LINE "\"process\":1}}", ""};
    char pipe[sizeof name + 8], root[4096], here[4096];
    snprintf(pipe, sizeof pipe, "%s.pipe", name);
    assert_int_equal(mkfifo(pipe, 0600), 0);
    alarm(20);
    errno = 0;
    assert_false(chk_sarif_replace(pipe, &lines));
    assert_int_equal(errno, ENOTSUP);
    chk_sarif_root(pipe, root, sizeof root);
    alarm(0);
    unlink(pipe);
    assert_non_null(getcwd(here, sizeof here - 1));
    assert_string_equal(root, strcat(here, "/"));
}

static unsigned count_of(const char *text, const char *word)
{
    unsigned n = 0;
    for (; (text = strstr(text, word)); text += strlen(word))
        n++;
    return n;
}

/* Of the calls of the program, which need no GPU. */
static void report(uint64_t place)
{
    static const chk_stack_t nowhere = {0};
    const chk_finding_t f = {.kind = CHK_KIND_FREE,
                             .at_address = true,
                             .va = place << 32,
                             .call = "hipFree",
                             .stack = &nowhere};
    chk_report(&f);
}

static void test_equal_ones(void **state)
{
    (void)state;
    enum { MORE = 1100, MOST = 1000 };
    int status;
    assert_int_equal(truncate(name, 0), 0);
    for (unsigned k = 1; k <= MORE; k++) {
        chk_place_add((uint64_t)k << 32, 16, "hipMalloc", 0, &(chk_stack_t){0});
        report(k);
        report(k);
    }
    char *text = written();
    assert_int_equal(count_of(text, "softgpu: error: free of what has not been given out\n"), MOST);
    free(text);
    assert_int_equal(truncate(name, 0), 0);
    const pid_t child = fork();
    if (!child) { /* begins with nothing */
        report(1);
        chk_summary();
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    chk_summary();
    text = written();
    char end[512];
    snprintf(end, sizeof end,
             "softgpu[%d]: 1 error\nsoftgpu[%d]:   invalid-free         1 different, 1 time\n"
             "softgpu: 1000 errors, and 200 findings for which there was no room\n"
             "softgpu:   invalid-free         1000 different, 2000 times\n",
             child, child);
    assert_non_null(strstr(text, end));
    assert_int_equal(count_of(text, "]: error: "), 1);
    free(text);
}

int main(void)
{
    const int fd = mkstemp(name);
    if (fd < 0) return 77;
    close(fd);
    setenv("SOFTGPU_CHECK", "memory", 1);
    setenv("SOFTGPU_LOG", "none", 1);
    setenv(chk_variables[CHK_VARIABLE_OUTPUT], name, 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hostile_text), cmocka_unit_test(test_few),
        cmocka_unit_test(test_hostile_json), cmocka_unit_test(test_hostile_sarif),
        cmocka_unit_test(test_no_file),      cmocka_unit_test(test_equal_ones),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(name);
    return failed;
}
