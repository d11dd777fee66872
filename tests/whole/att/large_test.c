/* large_test.c - a raw thread trace is converted in less memory than it is long, and whoever
 * interrupts its conversion does not wait for the end of it. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "output/convert.h"
#include "trace/store.h"
#include "trace/writer.h"

enum { RAW_BYTES = 40 << 20, ROOM = 24 << 20 };

static const char decoder[] = DECODER;

static const char *variable(const void *from, const char *name)
{
    (void)from;
    if (strcmp(name, "ROCPROF_ATT_LIBRARY_PATH") == 0) return decoder;
    return strcmp(name, "ROCPROF_OUTPUT_FORMAT") == 0 ? "json" : NULL;
}

static void put_process(const char *store, const char *directory)
{
    char why[256];
    const char *facts[][2] = {{TRACE_INFO_DIRECTORY, directory}, {TRACE_INFO_NAME, "x"}};
    trace_writer_t *w =
        trace_writer_open(store, TRACE_META_FILE, TRACE_CONTENTS_META, 0, why, sizeof(why));
    if (!w) fail_msg("%s", why);
    for (size_t i = 0; i < sizeof(facts) / sizeof(*facts); i++) {
        trace_head_t head = trace_head(TRACE_INFO, 0, 0, 0, sizeof(head));
        assert_true(trace_writer_put_texts(w, &head, sizeof(head), facts[i], 2));
    }
    trace_writer_close(w);
}

/* Bytes that say nothing, but for the last. */
static void put_raw(const char *store)
{
    char path[160];
    snprintf(path, sizeof(path), "%s/att-1-0-1.raw", store);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, RAW_BYTES - 1), 0);
    assert_int_equal(pwrite(fd, "x", 1, RAW_BYTES - 1), 1);
    close(fd);
}

static void longer_than_memory(void **state)
{
    (void)state;
    char directory[] = "/tmp/att-large-XXXXXX", store[64], path[128], why[512] = "", last;
    out_config_t config;
    out_result_t result;
    out_conversion_t c = {.config = &config};
    assert_non_null(mkdtemp(directory));
    snprintf(store, sizeof(store), "%s/store", directory);
    assert_int_equal(mkdir(store, 0700), 0);
    put_process(store, directory);
    put_raw(store);
    assert_int_equal(out_config_read(&config, variable, NULL, why, sizeof(why)), 0);
    const struct rlimit room = {ROOM, ROOM};
    assert_int_equal(setrlimit(RLIMIT_DATA, &room), 0);
    if (out_convert(&c, store, &result, why, sizeof(why)) != 0) fail_msg("%s", why);
    snprintf(path, sizeof(path), "%s/ui_output_agent_1_dispatch_1/occupancy.json", directory);
    assert_int_equal(access(path, F_OK), 0); /* it was decoded */
    out_conversion_free(&c);
    out_config_free(&config);
    snprintf(path, sizeof(path), "%s/x_1_shader_engine_0_1.att", directory);
    int fd = open(path, O_RDONLY);
    assert_int_equal(pread(fd, &last, 1, RAW_BYTES - 1), 1);
    assert_int_equal(last, 'x');
    close(fd);
    assert_int_equal(trace_remove(directory), 0);
}

static volatile sig_atomic_t stop;

/* Somebody interrupts when traces are about to be decoded. */
static const char *variable_and_stop(const void *from, const char *name)
{
    const char *value = variable(from, name);
    if (value == decoder) stop = SIGINT;
    return value;
}

static void ends_when_it_is_interrupted(void **state)
{
    (void)state;
    char directory[] = "/tmp/att-stop-XXXXXX", store[64], why[512] = "";
    out_config_t config;
    out_result_t result;
    out_conversion_t c = {.config = &config, .stop = &stop};
    assert_non_null(mkdtemp(directory));
    snprintf(store, sizeof(store), "%s/store", directory);
    assert_int_equal(mkdir(store, 0700), 0);
    put_process(store, directory);
    put_raw(store);
    assert_int_equal(out_config_read(&config, variable_and_stop, NULL, why, sizeof(why)), 0);
    assert_int_equal(out_convert(&c, store, &result, why, sizeof(why)), -1);
    assert_string_equal(why, "conversion was interrupted");
    out_conversion_free(&c);
    out_config_free(&config);
    assert_int_equal(trace_remove(store), 0);
    assert_int_equal(rmdir(directory), 0); /* nothing else is there */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ends_when_it_is_interrupted),
                                       cmocka_unit_test(longer_than_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
