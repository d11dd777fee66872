/* pages_test.c - tables that are copied as pages: to a file of more than 1 GB, where SQLite leaves
 * a page out, and from files whose pages are read together or one by one. SQLite makes the source
 * and reads the copy; the copy's file has a hole where no page is. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/log.h"
#include "db/pages.h"

static char directory[] = "/tmp/db-pages-XXXXXX";
static char from[64], to[64];

static int set_up(void **state)
{
    (void)state;
    if (!mkdtemp(directory)) return -1;
    snprintf(from, sizeof(from), "%s/from.db", directory);
    snprintf(to, sizeof(to), "%s/to.db", directory);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    return rmdir(directory);
}

static void run(sqlite3 *db, const char *sql)
{
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
}

/* Expects the first row of the statement to begin with one of the two texts. */
static void expect_either(sqlite3 *db, const char *sql, const char *text, const char *other)
{
    sqlite3_stmt *s;
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &s, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(s), SQLITE_ROW);
    const char *got = (const char *)sqlite3_column_text(s, 0);
    assert_non_null(got);
    if (strncmp(got, other, strlen(other)) != 0 && strncmp(got, text, strlen(text)) != 0)
        assert_string_equal(got, text);
    sqlite3_finalize(s);
}

static void expect(sqlite3 *db, const char *sql, const char *text)
{
    expect_either(db, sql, text, text);
}

static sqlite3 *open_database(const char *path)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    return db;
}

static uint32_t root_of(sqlite3 *db, const char *name)
{
    sqlite3_stmt *s;
    char *sql = sqlite3_mprintf("SELECT rootpage FROM sqlite_master WHERE name = %Q", name);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &s, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(s), SQLITE_ROW);
    const uint32_t root = (uint32_t)sqlite3_column_int64(s, 0);
    sqlite3_finalize(s);
    sqlite3_free(sql);
    return root;
}

#define TABLE "CREATE TABLE t (id INTEGER PRIMARY KEY, event_id INTEGER, word TEXT)"
#define INDEX "CREATE INDEX by_event ON t (event_id)"

/* Makes a table of rows some of which go on on further pages, and an index. */
static void make_source(uint32_t page_bytes, unsigned rows, db_tree_t trees[2])
{
    sqlite3 *db = open_database(from);
    char *sql = sqlite3_mprintf(
        "PRAGMA page_size = %u; BEGIN; " TABLE
        "; WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT "
        "i + 1 FROM n WHERE i < %u) INSERT INTO t SELECT i, i * 7919 %% 1009, hex(randomblob("
        "iif(i %% 16, 20, %u))) FROM n; " INDEX "; COMMIT",
        page_bytes, rows, page_bytes);
    run(db, sql);
    sqlite3_free(sql);
    trees[0] = (db_tree_t){.root = root_of(db, "t"), .columns = 3, .key = 1};
    trees[1] = (db_tree_t){.root = root_of(db, "by_event")};
    sqlite3_close(db);
}

/* Copies the trees to the pages from `next` on, and returns the number of the last one. */
static uint32_t copy(const db_tree_t trees[2], uint32_t page_bytes, uint32_t next, bool together)
{
    static const char *const names[2][3] = {{"table", "t", TABLE}, {"index", "by_event", INDEX}};
    uint32_t counted = 1, roots[2];
    db_pages_t pages;
    db_schema_t schema;
    assert_true(db_pages_open(&pages, from));
    assert_int_equal(pages.whole != NULL, together);
    for (int i = 0; i < 2; i++)
        assert_true(db_pages_copy(&pages, &trees[i], -1, &counted));
    db_pages_close(&pages);
    const uint32_t last = next + counted - 2;
    close(open(to, O_CREAT | O_WRONLY, 0600));
    assert_int_equal(db_pages_begin(to, page_bytes, last), 0);
    const int fd = open(to, O_WRONLY);
    assert_true(fd >= 0);
    assert_true(db_pages_open(&pages, from));
    for (int i = 0; i < 2; i++)
        assert_true(roots[i] = db_pages_copy(&pages, &trees[i], fd, &next));
    assert_true(db_pages_write(&pages, fd));
    db_pages_close(&pages);
    close(fd);
    assert_int_equal(next, last + 1);
    assert_int_equal(db_schema_begin(&schema, to), 0);
    for (int i = 0; i < 2; i++)
        assert_int_equal(db_schema_add(&schema, names[i][0], names[i][1], "t",
                                       db_pages_number(page_bytes, roots[i]), names[i][2]),
                         0);
    assert_int_equal(db_schema_end(&schema, 0), 0);
    return last;
}

/* The copy has the rows of the source, by its table and by its index. */
static void expect_same(uint32_t last)
{
    char text[32];
    sqlite3 *db = open_database(to);
    char *sql = sqlite3_mprintf("ATTACH %Q AS a", from);
    run(db, sql);
    sqlite3_free(sql);
    expect(db, "SELECT (SELECT COUNT(*) FROM t) = (SELECT COUNT(*) FROM a.t)", "1");
    expect(db, "SELECT COUNT(*) FROM (SELECT * FROM a.t EXCEPT SELECT * FROM main.t)", "0");
    expect(
        db,
        "SELECT COUNT(*) FROM (SELECT rowid, event_id FROM a.t EXCEPT SELECT rowid, event_id FROM "
        "main.t INDEXED BY by_event WHERE event_id >= 0)",
        "0");
    snprintf(text, sizeof(text), "%u", last);
    expect(db, "PRAGMA main.page_count", text);
    /* pages in front of the trees have nothing; what is wrong with trees would be told before that
     */
    expect_either(db, "PRAGMA main.integrity_check(1)", /* the second: newer releases of SQLite */
                  "*** in database main ***\nPage 2 is never used",
                  "*** in database main ***\nPage 2: never used");
    sqlite3_close(db);
    unlink(from);
    unlink(to);
}

static void leaves_a_page_out(void **state)
{
    static const struct {
        uint32_t page_bytes;
        unsigned rows;
        bool together;
    } cases[] = {{8192, 2000, true}, {512, 3000, true}, {65536, 100, true}, {4096, 20000, false}};
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const uint32_t page_bytes = cases[i].page_bytes, left_out = (1u << 30) / page_bytes + 1;
        db_tree_t trees[2];
        make_source(page_bytes, cases[i].rows, trees);
        expect_same(copy(trees, page_bytes, left_out - 5, cases[i].together) + 1);
        make_source(page_bytes, cases[i].rows, trees);
        expect_same(copy(trees, page_bytes, left_out, cases[i].together) + 1);
    }
}

static void counts_without_it(void **state)
{
    (void)state;
    assert_int_equal(db_pages_number(4096, 262144), 262144);
    assert_int_equal(db_pages_number(4096, 262145), 262146);
    assert_int_equal(db_pages_number(65536, 16384), 16384);
    assert_int_equal(db_pages_number(65536, 16385), 16386);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_without_it),
        cmocka_unit_test(leaves_a_page_out),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
