/* run_test.c - databases of two runs, made here row by row, read as one; and what is worked out of
 * their kernels. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/log.h"
#include "results/values.h"

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
    run_sql(db, "PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF");
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

#define SYMBOL(id, symbol, name, registers)                                                        \
    "INSERT INTO rocpd_info_kernel_symbol_$ (id, nid, pid, code_object_id, kernel_name, "          \
    "display_name, arch_vgpr_count, accum_vgpr_count, sgpr_count) VALUES (" #id                    \
    ", 1, 1, 1, '" symbol "', '" name "', " registers ");"
#define KERNEL(id, name, registers) SYMBOL(id, name, name, registers)
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
    static const char *const folders[] = {"runs", "runs/below", "cut"};
    char below[64];
    (void)state;
    if (!mkdtemp(directory)) return -1;
    for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
        snprintf(below, sizeof(below), "%s/%s", directory, folders[i]);
        if (mkdir(below, 0700) != 0) return -1;
    }
    make("runs/a.db", "a",
         KERNEL(1, "add", "8, 4, 16") KERNEL(2, "copy", "5, 0, 12")
             DISPATCH(1, 1, "100, 130", "0, 512") DISPATCH(2, 1, "200, 250", "16, 0")
                 DISPATCH(3, 2, "300, 310", "0, 0")
         /* two instances of TCC_HIT in each dispatch of add */
         VALUE(1, 2, 10) VALUE(1, 2, 20) VALUE(2, 2, 5) VALUE(2, 2, 6) VALUE(1, 1, 4));
    make("runs/below/b.db", "b",
         KERNEL(7, "add", "9, 0, 16") DISPATCH(1, 7, "5, 1005", "0, 0") VALUE(1, 1, 2));
    make("cut/c.db", "c",
         SYMBOL(1, "_Z3sumILi1EEvPf.kd", "sum", "10, 0, 16")
             SYMBOL(2, "_Z3sumILi2EEvPf.kd", "sum", "20, 0, 16")
                 SYMBOL(3, "_Z4oncePf.kd", "once", "5, 0, 16") DISPATCH(1, 1, "0, 100", "0, 0")
                     DISPATCH(2, 2, "200, 400", "0, 0") DISPATCH(3, 3, "500, 510", "0, 0")
                         VALUE(1, 1, 7));
    make("cut/d.db", "d",
         SYMBOL(9, "_Z3sumILi2EEvPf.kd", "sum", "20, 0, 16") DISPATCH(1, 9, "0, 50", "0, 0"));
    return 0;
}

static int tear_down(void **state)
{
    static const char *const names[] = {"runs/a.db", "runs/below/b.db", "runs/below", "runs",
                                        "cut/c.db",  "cut/d.db",        "cut",        ""};
    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        char path[256];
        snprintf(path, sizeof(path), "%s/%s", directory, names[i]);
        if (remove(path) != 0) return -1;
    }
    return 0;
}

static void read_values(res_run_t *r, res_values_t *v, const char *below)
{
    char path[256];
    char *const paths[] = {path};
    snprintf(path, sizeof(path), "%s/%s", directory, below);
    assert_int_equal(res_run_open(r, paths, 1), 0);
    assert_int_equal(res_values(r, v), 0);
}

static void let_go(res_run_t *r, res_values_t *v)
{
    res_values_free(v);
    res_run_close(r);
}

static void is_value(const res_values_t *v, size_t kernel, const char *name, uint64_t dispatches,
                     double total, double least, double most)
{
    const res_value_t *value = res_value_find(v, kernel, name);
    assert_non_null(value);
    assert_int_equal(value->dispatches, dispatches);
    if (value->total != total || value->least != least || value->most != most)
        fail_msg("%s: %g, %g to %g", name, value->total, value->least, value->most);
}

static void test_kernels_of_both(void **state)
{
    enum { ADD, COPY };
    res_run_t r;
    res_values_t v;
    (void)state;
    read_values(&r, &v, "runs");
    assert_int_equal(r.files.count, 2);
    assert_int_equal(v.kernel_count, 2);
    assert_string_equal(v.kernels[ADD].name, "add");
    assert_string_equal(v.kernels[COPY].name, "copy");
    assert_string_equal(v.gpu, "gfx90a");
    assert_int_equal(v.kernels[ADD].total_ns, 30 + 50 + 1000);
    is_value(&v, ADD, "dispatches", 2, 3, 1, 2); /* in two processes */
    is_value(&v, ADD, "time", 3, 1080, 30, 1000);
    is_value(&v, ADD, "vgprs", 3, 8 + 8 + 9, 8, 9);
    is_value(&v, ADD, "agprs", 3, 8, 0, 4);
    is_value(&v, ADD, "lds", 3, 512, 0, 512);
    is_value(&v, ADD, "scratch", 3, 16, 0, 16);
    is_value(&v, ADD, "workgroup", 3, 3 * 128, 128, 128);
    is_value(&v, COPY, "dispatches", 1, 1, 1, 1);
    is_value(&v, COPY, "sgprs", 1, 12, 12, 12);
    let_go(&r, &v);
}

static void test_counters_of_both(void **state)
{
    res_run_t r;
    res_values_t v;
    (void)state;
    read_values(&r, &v, "runs");
    is_value(&v, 0, "SQ_WAVES", 2, 6, 2, 4);
    is_value(&v, 0, "TCC_HIT", 2, 41, 11, 30);
    assert_null(res_value_find(&v, 1, "TCC_HIT"));
    let_go(&r, &v);
}

/* Instances of a template are kernels of their own, however their names are cut; the same one of
 * two databases is one. */
static void test_cut_names(void **state)
{
    res_run_t r;
    res_values_t v;
    (void)state;
    read_values(&r, &v, "cut");
    assert_int_equal(v.kernel_count, 3);
    assert_string_equal(v.kernels[0].name, "void sum<2>(float*)");
    assert_string_equal(v.kernels[0].label, "void sum<2>(float*)");
    assert_string_equal(v.kernels[1].name, "void sum<1>(float*)");
    assert_string_equal(v.kernels[2].name, "once");
    assert_string_equal(v.kernels[2].label, "once");
    is_value(&v, 0, "dispatches", 2, 2, 1, 1);
    is_value(&v, 0, "vgprs", 2, 40, 20, 20);
    is_value(&v, 1, "vgprs", 1, 10, 10, 10);
    is_value(&v, 1, "SQ_WAVES", 1, 7, 7, 7);
    assert_null(res_value_find(&v, 0, "SQ_WAVES"));
    let_go(&r, &v);
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
        cmocka_unit_test(test_cut_names),
        cmocka_unit_test(test_what_cannot_be_read),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
