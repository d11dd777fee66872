/* run_test.c - databases of two runs, made here row by row, read as one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/log.h"
#include "results/run.h"

extern const char rocpd_schema[];

static char directory[] = "/tmp/results-XXXXXX";

/* The schema's text with its two words filled in. */
static char *fill_in(const char *uuid, const char *guid)
{
    char *text = NULL;
    size_t bytes;
    FILE *f = open_memstream(&text, &bytes);
    for (const char *at = rocpd_schema; *at;) {
        const bool is_uuid = strncmp(at, "{uuid}", 6) == 0, is_guid = strncmp(at, "{guid}", 6) == 0;
        if (is_uuid || is_guid)
            fputs(is_uuid ? uuid : guid, f);
        else
            fputc(*at, f);
        at += is_uuid || is_guid ? 6 : 1;
    }
    fclose(f);
    return text;
}

static void run_sql(sqlite3 *db, const char *sql)
{
    char *problem = NULL;
    if (sqlite3_exec(db, sql, NULL, NULL, &problem) != SQLITE_OK) fail_msg("%s: %s", problem, sql);
}

/* A database with one process, one agent, and these rows. $ stands for the id of the run. */
static void make(const char *name, const char *id, const char *rows)
{
    static const char begin[] =
        "INSERT INTO rocpd_metadata_$ (tag, value) VALUES ('schema_version', '3.0.3');"
        "INSERT INTO rocpd_info_node_$ (id, hash, machine_id) VALUES (1, 1, 'm');"
        "INSERT INTO rocpd_info_process_$ (id, nid, pid) VALUES (1, 1, 1);"
        "INSERT INTO rocpd_info_agent_$ (id, nid, pid, type, name) VALUES (1, 1, 1, 'GPU', "
        "'gfx90a');"
        "INSERT INTO rocpd_info_queue_$ (id, nid, pid) VALUES (1, 1, 1);"
        "INSERT INTO rocpd_info_stream_$ (id, nid, pid) VALUES (1, 1, 1);"
        "INSERT INTO rocpd_info_code_object_$ (id, nid, pid) VALUES (1, 1, 1);"
        "INSERT INTO rocpd_info_pmc_$ (id, nid, pid, agent_id, name, symbol) VALUES "
        "(1, 1, 1, 1, 'SQ_WAVES', 'SQ_WAVES'), (2, 1, 1, 1, 'TCC_HIT', 'TCC_HIT');";
    char path[256], uuid[16], *sql = NULL;
    size_t bytes;
    sqlite3 *db;
    snprintf(path, sizeof(path), "%s/%s", directory, name);
    snprintf(uuid, sizeof(uuid), "_%s", id);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    char *schema = fill_in(uuid, id);
    run_sql(db, schema);
    free(schema);
    FILE *f = open_memstream(&sql, &bytes);
    for (int part = 0; part < 2; part++)
        for (const char *at = part ? rows : begin; *at; at++)
            fprintf(f, *at == '$' ? "%s" : "%.1s", *at == '$' ? id : at);
    fclose(f);
    run_sql(db, sql);
    free(sql);
    sqlite3_close(db);
}

#define KERNEL(id, name, registers)                                                                \
    "INSERT INTO rocpd_info_kernel_symbol_$ (id, nid, pid, code_object_id, kernel_name, "          \
    "display_name, arch_vgpr_count, accum_vgpr_count, sgpr_count) VALUES (" #id                    \
    ", 1, 1, 1, '" name "', '" name "', " registers ");"
#define DISPATCH(id, kernel, times, bytes)                                                         \
    "INSERT INTO rocpd_event_$ (id) VALUES (" #id "); INSERT INTO rocpd_kernel_dispatch_$ "        \
    "(id, nid, pid, agent_id, kernel_id, dispatch_id, queue_id, stream_id, start, \"end\", "       \
    "private_segment_size, group_segment_size, workgroup_size_x, workgroup_size_y, "               \
    "workgroup_size_z, grid_size_x, grid_size_y, grid_size_z, event_id) VALUES (" #id              \
    ", 1, 1, 1, " #kernel ", " #id ", 1, 1, " times ", " bytes ", 64, 2, 1, 64, 2, 1, " #id ");"
#define VALUE(event, counter, value)                                                               \
    "INSERT INTO rocpd_pmc_event_$ (event_id, pmc_id, value) VALUES (" #event ", " #counter        \
    ", " #value ");"

static int set_up(void **state)
{
    char below[64];
    (void)state;
    if (!mkdtemp(directory)) return -1;
    snprintf(below, sizeof(below), "%s/below", directory);
    if (mkdir(below, 0700) != 0) return -1;
    make("a.db", "a",
         KERNEL(1, "add", "8, 4, 16") KERNEL(2, "copy", "5, 0, 12")
             DISPATCH(1, 1, "100, 130", "0, 512") DISPATCH(2, 1, "200, 250", "16, 0")
                 DISPATCH(3, 2, "300, 310", "0, 0")
         /* two instances of TCC_HIT in each dispatch of add */
         VALUE(1, 2, 10) VALUE(1, 2, 20) VALUE(2, 2, 5) VALUE(2, 2, 6) VALUE(1, 1, 4));
    make("below/b.db", "b",
         KERNEL(7, "add", "9, 0, 16") DISPATCH(1, 7, "5, 1005", "0, 0") VALUE(1, 1, 2));
    return 0;
}

static int tear_down(void **state)
{
    static const char *const names[] = {"a.db", "below/b.db", "below", ""};
    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        char path[256];
        snprintf(path, sizeof(path), "%s/%s", directory, names[i]);
        if (remove(path) != 0) return -1;
    }
    return 0;
}

static void test_kernels_of_both(void **state)
{
    char *const paths[] = {directory};
    res_run_t r;
    res_kernels_t k;
    (void)state;
    assert_int_equal(res_run_open(&r, paths, 1), 0);
    assert_int_equal(r.files.count, 2);
    assert_int_equal(res_kernels(&r, &k), 0);
    assert_int_equal(k.count, 2);
    const res_kernel_t *add = &k.rows[0], *copy = &k.rows[1];
    assert_string_equal(add->name, "add");
    assert_string_equal(add->agent, "gfx90a");
    assert_int_equal(add->calls, 3);
    assert_int_equal(add->total_ns, 30 + 50 + 1000);
    assert_int_equal(add->min_ns, 30);
    assert_int_equal(add->max_ns, 1000);
    assert_int_equal(add->vgprs, 9);
    assert_int_equal(add->agprs, 4);
    assert_int_equal(add->sgprs, 16);
    assert_int_equal(add->group_bytes, 512);
    assert_int_equal(add->private_bytes, 16);
    assert_int_equal(add->workgroup, 128);
    assert_string_equal(copy->name, "copy");
    assert_int_equal(copy->calls, 1);
    assert_int_equal(copy->variants, 1);
    assert_int_equal(add->variants, 2);
    res_kernels_free(&k);
    res_run_close(&r);
}

static void test_counters_of_both(void **state)
{
    char *const paths[] = {directory};
    res_run_t r;
    res_counters_t c;
    (void)state;
    assert_int_equal(res_run_open(&r, paths, 1), 0);
    assert_int_equal(res_counters(&r, "add", &c), 0);
    assert_int_equal(c.count, 2);
    assert_string_equal(c.rows[0].name, "SQ_WAVES");
    assert_int_equal(c.rows[0].dispatches, 2);
    assert_true(c.rows[0].sum == 6 && c.rows[0].min == 2 && c.rows[0].max == 4);
    assert_string_equal(c.rows[1].name, "TCC_HIT");
    assert_int_equal(c.rows[1].dispatches, 2);
    assert_true(c.rows[1].sum == 41 && c.rows[1].min == 11 && c.rows[1].max == 30);
    res_counters_free(&c);
    assert_int_equal(res_counters(&r, "copy", &c), 0);
    assert_int_equal(c.count, 0);
    res_counters_free(&c);
    res_run_close(&r);
}

static void refused(const char *path, const char *text)
{
    char name[256], log[] = "/tmp/results-log-XXXXXX", told[1024] = "";
    char *const paths[] = {name};
    res_run_t r;
    snprintf(name, sizeof(name), "%s", path);
    int fd = mkstemp(log);
    base_log_to(log);
    assert_int_equal(res_run_open(&r, paths, 1), -1);
    base_log_to(NULL);
    assert_true(read(fd, told, sizeof(told) - 1) > 0);
    close(fd);
    unlink(log);
    if (!strstr(told, path) || !strstr(told, text)) fail_msg("%s", told);
}

static void test_what_cannot_be_read(void **state)
{
    char empty[] = "/tmp/results-XXXXXX";
    (void)state;
    assert_non_null(mkdtemp(empty));
    refused(empty, "holds no database");
    assert_int_equal(rmdir(empty), 0);
    refused(empty, "No such file or directory");
    refused("/etc/passwd", "is no rocpd database");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kernels_of_both),
        cmocka_unit_test(test_counters_of_both),
        cmocka_unit_test(test_what_cannot_be_read),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
