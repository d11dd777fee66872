/* db_test.c - the door to databases: what a connection may do, and that an error is told from the
 * end of the rows. The databases are made here by SQLite itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/log.h"
#include "db/db.h"
#include "db/peek.h"
#include "db/scan.h"
#include "db/schema.h"

/* The first name has bytes that mean something in a URI. */
static char directory[] = "/tmp/db-XXXXXX";
static char first[64], second[64], text[64];

static void make(const char *path, const char *sql)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static int set_up(void **state)
{
    (void)state;
    if (!mkdtemp(directory)) return -1;
    snprintf(first, sizeof(first), "%s/a?mode=rwc&b#c%%41.db", directory);
    snprintf(second, sizeof(second), "%s/b.db", directory);
    snprintf(text, sizeof(text), "%s/text.db", directory);
    make(first, "CREATE TABLE t (id INTEGER, real REAL, word TEXT); INSERT INTO t VALUES (1, 0.5, "
                "'one'), (2, 1.5, NULL), (-3, 'no number', 'three'); CREATE TABLE j (list TEXT); "
                "INSERT INTO j VALUES ('[1,2]'), ('[3'), ('[4]'); CREATE TABLE u (id INTEGER)");
    make(second, "CREATE TABLE u (id INTEGER); INSERT INTO u VALUES (7)");
    FILE *f = fopen(text, "w");
    if (!f || fputs("This is no database, but long enough to have a header of one: ", f) < 0)
        return -1;
    for (int i = 0; i < 100; i++)
        fputs("more and more ", f);
    fclose(f);
    base_log_to("/dev/null");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    unlink(first);
    unlink(second);
    unlink(text);
    return rmdir(directory);
}

static void open_first(db_t *db)
{
    char why[DB_WHY_BYTES];
    assert_int_equal(db_open(db, first, why), 0);
}

static void reads_rows(void **state)
{
    db_t db;
    db_cursor_t c;
    (void)state;
    open_first(&db);
    assert_true(db_rows(&c, &db, "SELECT id, real, word FROM db0.t WHERE id < ?1 AND real < ?2",
                        "ir", INT64_C(2), 1.0));
    assert_true(db_next(&c));
    assert_int_equal(db_int(&c, 0), 1);
    assert_true(db_real(&c, 1) == 0.5);
    assert_string_equal(db_text(&c, 2), "one");
    assert_false(db_null(&c, 2));
    assert_false(db_next(&c));
    assert_false(db_next(&c)); /* the rows do not begin anew by themselves */
    assert_true(db_again(&c, "ir", INT64_C(3), 2.0));
    assert_true(db_next(&c));
    assert_true(db_next(&c));
    assert_string_equal(db_text(&c, 2), "");
    assert_true(db_null(&c, 2));
    assert_int_equal(db_end(&c, "rows"), 0); /* left early: no error */
    assert_true(
        db_rows(&c, &db, "SELECT id FROM t WHERE word = ? OR word = ?", "tt", "three", NULL));
    assert_true(db_next(&c));
    assert_int_equal(db_int(&c, 0), -3);
    assert_int_equal(db_small(&c, 0), 0);
    assert_int_equal(db_end(&c, "rows"), 0);
    assert_true(db_rows(&c, &db, "SELECT 4294967295, 4294967296, 4294967301, -4294967291", ""));
    assert_true(db_next(&c));
    assert_true(db_small(&c, 0) == UINT32_MAX && db_small(&c, 1) == UINT32_MAX);
    assert_int_equal(db_small(&c, 2), UINT32_MAX); /* and not 5, its lower half */
    assert_int_equal(db_small(&c, 3), 0);
    assert_int_equal(db_end(&c, "rows"), 0);
    assert_true(db_has(&db, "u", "id"));
    assert_false(db_has(&db, "u", "word"));
    assert_false(db_has(&db, "w", "id"));
    assert_int_equal(db_close(&db), 0);
}

/* The second list is no JSON: its row is an error behind rows that are good. */
static void tells_errors_from_the_end(void **state)
{
    db_t db;
    db_cursor_t c;
    int rows = 0;
    (void)state;
    open_first(&db);
    db_rows(&c, &db, "SELECT E.value FROM j, json_each(j.list) E", "");
    while (db_next(&c))
        rows++;
    assert_int_equal(rows, 2);
    assert_string_equal(c.why, "malformed JSON");
    assert_false(db_again(&c, "")); /* the error stays */
    assert_false(db_next(&c));
    assert_int_equal(db_end(&c, "lists"), -1);
    assert_int_equal(db_end(&c, "lists"), 0);
    assert_false(db_rows(&c, &db, "SELECT absent FROM t", ""));
    assert_string_equal(c.why, "no such column: absent");
    assert_false(db_next(&c));
    assert_int_equal(db_end(&c, "rows"), -1);
    assert_false(db_rows(&c, &db, NULL, ""));
    assert_int_equal(db_end(&c, "rows"), -1);
    assert_false(db_rows(&c, &db, "SELECT 1", "i", INT64_C(1))); /* it has no parameter */
    assert_int_equal(db_end(&c, "rows"), -1);
    c = (db_cursor_t){0};
    assert_false(db_next(&c));
    assert_int_equal(db_end(&c, "rows"), 0);
    db_close(&db);
}

static void ends_early_after_a_signal(void **state)
{
    db_t db;
    db_cursor_t c;
    (void)state;
    open_first(&db);
    db_rows(&c, &db,
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000) "
            "SELECT COUNT(*) FROM n",
            "");
    db_interrupted = 2;
    assert_false(db_next(&c));
    db_interrupted = 0;
    assert_string_equal(c.why, "interrupted");
    assert_int_equal(db_end(&c, "numbers"), -1);
    db_close(&db);
}

/* What the statement returns when it is run. */
static int run(const db_t *db, const char *sql)
{
    db_cursor_t c;
    db_rows(&c, db, sql, "");
    while (db_next(&c))
        ;
    return db_end(&c, sql);
}

static void only_reads(void **state)
{
    static const char *const denied[] = {
        "ATTACH ':memory:' AS more",
        "DETACH db0",
        "INSERT INTO db0.t VALUES (4, 0, '')",
        "UPDATE db0.u SET id = 8",
        "DELETE FROM db0.u",
        "DROP TABLE db0.t",
        "CREATE TABLE db0.w (id)",
        "PRAGMA db0.user_version = 3",
        "PRAGMA writable_schema = ON",
        "SELECT load_extension('/nowhere')",
    };
    static const char *const allowed[] = {
        "CREATE TEMP VIEW v AS SELECT id FROM db0.t UNION ALL SELECT id FROM db0.u",
        "CREATE TEMP TABLE w AS SELECT id FROM v",
        "INSERT INTO w VALUES (1)",
        "SELECT name FROM pragma_table_info('t', 'db0')",
        "DROP VIEW v",
        "CREATE TABLE main.x (id)",
    };
    db_t db;
    (void)state;
    open_first(&db);
    for (size_t i = 0; i < sizeof(denied) / sizeof(*denied); i++) {
        if (run(&db, denied[i]) == 0) fail_msg("%s", denied[i]);
        if (db_run(&db, denied[i], "denied") == 0) fail_msg("%s", denied[i]);
    }
    for (size_t i = 0; i < sizeof(allowed) / sizeof(*allowed); i++)
        if (run(&db, allowed[i]) != 0) fail_msg("%s", allowed[i]);
    assert_int_equal(db_runf(&db, "format", "SELECT * FROM \"%w\"", "t"), 0);
    /* a view of a file changes nothing in it */
    assert_true(db_view(&db, "good", "CREATE VIEW good AS SELECT * FROM t", true, false));
    assert_false(db_view(&db, "bad", "CREATE VIEW bad AS SELECT 1; ATTACH 'x' AS x", true, false));
    assert_false(db_view(&db, "bad", "ATTACH 'x' AS x", true, false));
    assert_false(db_view(&db, "bad", "CREATE VIEW other AS SELECT 1", true, false));
    assert_int_not_equal(run(&db, denied[0]), 0); /* as before the views */
    db_close(&db);
}

static void says_why_it_cannot_open(void **state)
{
    char why[DB_WHY_BYTES];
    db_t db;
    (void)state;
    assert_int_equal(db_open(&db, "/nowhere/x.db", why), -1);
    assert_string_equal(why, "unable to open database file");
    assert_int_equal(db_open(&db, text, why), -1);
    assert_string_equal(why, "file is not a database");
    assert_int_equal(db_make(&db, "/nowhere/x.db"), -1);
    assert_int_equal(access("/nowhere", F_OK), -1);
}

/* A database of our own attaches others one after the other, until it is locked. */
static void copies_then_locks(void **state)
{
    db_t db;
    (void)state;
    assert_int_equal(db_make(&db, ""), 0);
    assert_int_equal(db_attach(&db, "/nowhere/x.db"), -1);
    assert_int_equal(db_attach(&db, first), 0);
    assert_int_equal(db_run(&db, "INSERT INTO part.t VALUES (4, 0, '')", "read-only"), -1);
    assert_int_equal(db_run(&db, "CREATE TABLE t AS SELECT * FROM part.t; DETACH part", "copy"), 0);
    assert_int_equal(db_attach(&db, second), 0);
    assert_int_equal(db_run(&db, "ATTACH ':memory:' AS more", "a second one"), -1);
    assert_int_equal(db_run(&db, "DETACH part", "end"), 0);
    db_lock(&db);
    assert_int_equal(db_attach(&db, second), -1);
    assert_int_equal(run(&db, "SELECT * FROM main.t"), 0);
    db_close(&db);
}

/* ---- tables that are filled late ---- */

static unsigned filled; /* how many tables were filled, over all calls */
static bool refuses;

/* Fills the tables from both files. */
static int fill(void *data, char why[DB_WHY_BYTES])
{
    const db_t *to = data;
    const char *const paths[] = {first, second};
    int result = 0;
    if (refuses) snprintf(why, DB_WHY_BYTES, "refused");
    if (refuses) return -1;
    for (size_t f = 0; f < 2; f++) {
        db_t from;
        assert_int_equal(db_open(&from, paths[f], why), 0);
        for (size_t i = 0; i < to->late->count && result == 0; i++)
            if (to->late->states[i] == DB_WANTED && db_has(&from, to->late->tables[i], "id"))
                result = db_copy(to, to->late->tables[i], &from, why);
        db_close(&from);
    }
    for (size_t i = 0; i < to->late->count; i++) {
        if (to->late->states[i] != DB_WANTED) continue;
        to->late->states[i] = DB_FILLED;
        filled++;
    }
    return result;
}

static int64_t number_of(const db_t *db, const char *sql)
{
    db_cursor_t c;
    db_rows(&c, db, sql, "");
    const int64_t number = db_next(&c) ? db_int(&c, 0) : -1;
    return db_end(&c, sql) == 0 ? number : -2;
}

/* A statement finds the rows of both files, and nothing is copied that no statement reads. */
static void fills_what_is_read(void **state)
{
    enum { T, U };
    db_t db;
    const char *tables[] = {"t", "u"};
    db_state_t states[2] = {DB_EMPTY, DB_EMPTY};
    db_late_t late = {tables, 2, states, fill, &db};
    db_cursor_t c;
    (void)state;
    assert_int_equal(db_make(&db, ""), 0);
    assert_int_equal(db_run(&db,
                            "CREATE TABLE t (id INTEGER, real REAL, word TEXT); CREATE TABLE u (id "
                            "INTEGER); CREATE TEMP VIEW v AS SELECT id FROM u",
                            "tables"),
                     0);
    db.late = &late;
    db_lock(&db);
    assert_int_equal(number_of(&db, "SELECT 5"), 5);
    assert_true(db_has(&db, "v", "id")); /* asks for no rows */
    assert_int_equal(filled, 0);
    refuses = true;
    assert_int_equal(number_of(&db, "SELECT COUNT(*) FROM t"), -2);
    refuses = false;
    db_rows(&c, &db, "SELECT id FROM v", "");
    assert_true(db_next(&c));
    assert_int_equal(db_int(&c, 0), 7);
    assert_int_equal(states[T], DB_EMPTY);
    assert_int_equal(states[U], DB_FILLED);
    /* while other rows are read, and in statements that follow each other */
    assert_int_equal(db_run(&db,
                            "CREATE TEMP TABLE w AS SELECT word FROM t WHERE id = 1; INSERT INTO w "
                            "SELECT id FROM u",
                            "several"),
                     0);
    assert_false(db_next(&c));
    assert_int_equal(db_end(&c, "rows"), 0);
    assert_int_equal(number_of(&db, "SELECT COUNT(*) FROM w WHERE word IN ('one', '7')"), 2);
    assert_int_equal(number_of(&db, "SELECT COUNT(*) FROM t"), 3);
    assert_int_equal(filled, 2);
    db_close(&db);
}

/* ---- records with their events ---- */

#define G "0123-45"
static const db_wanted_t record_columns[] = {{.name = "guid", .text = true},
                                             {.name = "event_id"},
                                             {.name = "id"},
                                             {.name = "start"},
                                             {.name = "later", .optional = true}};
static const db_wanted_t of_event[] = {
    {.name = "guid", .text = true}, {.name = "stack_id"}, {.name = "extdata", .text = true}};
static const db_records_t unordered = {"rocpd_region",   record_columns, of_event, 5, 3,
                                       .by_event = false};
static const db_records_t ordered = {"rocpd_region",  record_columns, of_event, 5, 3,
                                     .by_event = true};

/* 3,000 records, each with the event of three times its number; some have none. */
static const char many_records[] =
    "PRAGMA synchronous = OFF; CREATE TABLE r_1 (id INTEGER PRIMARY KEY, guid TEXT, start INTEGER, "
    "event_id INTEGER, x TEXT);"
    "CREATE TABLE e_1 (id INTEGER PRIMARY KEY, guid TEXT, stack_id INTEGER, extdata TEXT);"
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)"
    "INSERT INTO r_1 SELECT i, '" G "', (i - 1500) * 1000000007, 3 * i, 'x' FROM n;"
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9000)"
    "INSERT INTO e_1 SELECT i, '" G "', i % 300, iif(i % 1000, '{}', hex(zeroblob(9000 + i))) FROM "
    "n WHERE i % 33 <> 0; INSERT INTO r_1 VALUES (4000, '" G "', 1, NULL, NULL);"
    "CREATE VIEW rocpd_event AS SELECT * FROM e_1;";
static const char usual_view[] = "CREATE VIEW \"rocpd_region\" AS SELECT * FROM \"r_1\"";

/* Whether the rows of both cursors are the same; `numbers`: where the values of columns are. */
static void compare_rows(db_cursor_t *got, db_cursor_t *wanted, int rows)
{
    static const bool is_text[] = {true, false, false, false, false, true, false, true};
    for (; rows; rows--) {
        assert_true(db_next(got));
        assert_true(db_next(wanted));
        for (int i = 0; i < 8; i++) {
            assert_int_equal(db_null(got, i), db_null(wanted, i));
            assert_int_equal(db_type(got, i), db_type(wanted, i));
            assert_int_equal(db_int(got, i) * !is_text[i], db_int(wanted, i) * !is_text[i]);
            if (is_text[i]) assert_string_equal(db_text(got, i), db_text(wanted, i));
        }
    }
    assert_false(db_next(got));
    assert_false(db_next(wanted));
    assert_int_equal(db_end(got, "rows"), 0);
    assert_int_equal(db_end(wanted, "rows"), 0);
}

/* Removes a database, and what a journal of another kind leaves beside it. */
static void remove_database(const char *path)
{
    static const char *const ends[] = {"", "-wal", "-shm"};
    for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
        char name[80];
        snprintf(name, sizeof(name), "%s%s", path, ends[i]);
        unlink(name);
    }
}

/* Reads the records of a database that these statements make; `pages`: whether they are read from
 * its pages at first, and (`to_end`) to their end. */
static void read_records(const char *more, int rows, bool pages, bool to_end)
{
    char path[64], why[DB_WHY_BYTES], sql[512];
    snprintf(path, sizeof(path), "%s/records.db", directory);
    make(path, many_records);
    make(path, more);
    for (int i = 0; i < 4; i++) {
        const db_records_t *which = i / 2 ? &ordered : &unordered;
        db_t db;
        db_cursor_t got, wanted;
        assert_int_equal(db_open(&db, path, why), 0);
        snprintf(sql, sizeof(sql),
                 "SELECT R.guid, R.event_id, R.id, R.start, %s, E.guid, E.stack_id, E.extdata FROM "
                 "rocpd_region R JOIN rocpd_event E ON E.id = R.event_id AND E.guid = R.guid WHERE "
                 "R.guid = ?1 OR ?1 IS NULL ORDER BY %s",
                 db_has(&db, "rocpd_region", "later") ? "R.later" : "0",
                 i / 2 ? "R.event_id" : "R.id");
        db_rows(&wanted, &db, sql, "t", i % 2 ? G : NULL);
        db_records(&got, &db, which, i % 2 ? G : NULL);
        /* to find the order, the events of all records were read */
        if (i / 2 && !to_end)
            assert_false(got.joined && !pages);
        else
            assert_int_equal(got.joined != NULL, pages);
        compare_rows(&got, &wanted, rows);
        db_records(&got, &db, which, G);
        assert_true(db_next(&got));
        assert_int_equal(db_end(&got, "rows"), 0); /* left early */
        db_records(&got, &db, which, G);
        int taken = 0;
        while (db_next(&got) && got.joined)
            taken++;
        assert_int_equal(pages && taken == rows, pages && to_end);
        assert_int_equal(db_end(&got, "rows"), 0);
        assert_true(sqlite3_get_autocommit(db.handle));
        assert_int_equal(db_close(&db), 0);
    }
    remove_database(path);
}

static void reads_records_from_pages(void **state)
{
    enum { ROWS = 3000 - 3000 / 11 };
    char sql[512];
    (void)state;
    read_records(usual_view, ROWS, true, true);
    /* another order than that of their events, and a column more, of half of the rows */
    snprintf(
        sql, sizeof(sql),
        "UPDATE r_1 SET event_id = 9003 - event_id WHERE id < 3000; DELETE FROM r_1 WHERE id = "
        "3000; ALTER TABLE r_1 ADD COLUMN later INTEGER; UPDATE r_1 SET later = 7; %s",
        usual_view);
    read_records(sql, 2727, true, true);
}

static const db_records_t with_any_event = {"rocpd_region", record_columns, of_event, 5, 3,
                                            .alone = true};
static const db_records_t without_events = {"rocpd_region", record_columns, NULL, 5, 0,
                                            .alone = true};

/* Records without an event are there, too, and no event is looked for if nothing of it is wanted.
 */
static void reads_records_alone(void **state)
{
    static const char *const odd[] = {"SELECT 1", "UPDATE e_1 SET guid = NULL WHERE id = 6000",
                                      "UPDATE e_1 SET guid = 'other' WHERE id = 6000",
                                      "UPDATE r_1 SET guid = NULL WHERE id = 2000",
                                      "UPDATE r_1 SET event_id = 6000.5 WHERE id = 2000"};
    (void)state;
    for (size_t i = 0; i < sizeof(odd) / sizeof(*odd); i++)
        for (int events = 0; events < 2; events++) {
            char path[64], why[DB_WHY_BYTES];
            db_t db;
            db_cursor_t got, wanted;
            int rows = 0;
            snprintf(path, sizeof(path), "%s/alone.db", directory);
            make(path, many_records);
            make(path, usual_view);
            make(path, odd[i]);
            assert_int_equal(db_open(&db, path, why), 0);
            db_rows(&wanted, &db,
                    "SELECT R.guid, R.event_id, R.id, R.start, 0, E.guid, E.stack_id, E.extdata "
                    "FROM rocpd_region R LEFT JOIN rocpd_event E ON E.id = R.event_id AND E.guid = "
                    "R.guid ORDER BY R.id",
                    "");
            db_records(&got, &db, events ? &with_any_event : &without_events, NULL);
            assert_non_null(got.joined);
            for (; db_next(&wanted); rows++) {
                assert_true(db_next(&got));
                assert_int_equal(db_null(&got, 0), db_null(&wanted, 0));
                assert_int_equal(db_int(&got, 2), db_int(&wanted, 2));
                for (int column = 5; events && column < 8; column++) {
                    assert_int_equal(db_null(&got, column), db_null(&wanted, column));
                    if (column == 6)
                        assert_int_equal(db_int(&got, column), db_int(&wanted, column));
                    else
                        assert_string_equal(db_text(&got, column), db_text(&wanted, column));
                }
            }
            assert_false(db_next(&got));
            assert_int_equal(rows, 3001);
            assert_int_equal(db_end(&got, "rows"), 0);
            assert_int_equal(db_end(&wanted, "rows"), 0);
            assert_int_equal(db_close(&db), 0);
            unlink(path);
        }
}

/* SQLite reads what is not as usual, from where it is not on. */
static void leaves_odd_records_to_statements(void **state)
{
    enum { NEVER, PARTLY, WHOLLY };
    static const struct {
        const char *sql, *view;
        int less, pages; /* fewer rows; read from pages */
    } cases[] = {
        {"UPDATE r_1 SET start = 'x17' WHERE id = 2000", usual_view, 0, PARTLY},
        {"UPDATE r_1 SET start = 1.5 WHERE id = 2000", usual_view, 0, PARTLY},
        {"UPDATE e_1 SET stack_id = 'x' WHERE id = 6000", usual_view, 0, PARTLY},
        {"UPDATE r_1 SET event_id = 6000.5 WHERE id = 2000", usual_view, 1, PARTLY},
        {"UPDATE e_1 SET extdata = x'4142' WHERE id = 6000", usual_view, 0, PARTLY},
        {"UPDATE e_1 SET guid = 'other' WHERE id = 6000", usual_view, 1, PARTLY},
        {"UPDATE r_1 SET guid = NULL WHERE id = 2001", usual_view, 1, WHOLLY},
        {"SELECT 1", "CREATE VIEW rocpd_region AS SELECT * FROM r_1 WHERE id <> 2000", 1, NEVER},
        {"SELECT 1",
         "CREATE VIEW rocpd_region AS SELECT id + 1 AS id, guid, start, event_id, x "
         "FROM r_1",
         0, NEVER},
        {"CREATE VIEW v AS SELECT * FROM r_1", "CREATE VIEW rocpd_region AS SELECT * FROM v", 0,
         NEVER},
        {"ALTER TABLE r_1 ADD COLUMN later INTEGER DEFAULT 7", usual_view, 0, PARTLY},
        {"ALTER TABLE r_1 ADD COLUMN later AS (start + 1)", usual_view, 0, NEVER},
        {"PRAGMA journal_mode = WAL", usual_view, 0, NEVER},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        char sql[512];
        snprintf(sql, sizeof(sql), "%s; %s", cases[i].sql, cases[i].view);
        read_records(sql, 2728 - cases[i].less, cases[i].pages, cases[i].pages == WHOLLY);
    }
}

/* ---- files of one schema ---- */

static const char guids[][37] = {"01234567-89ab-7cde-8f01-23456789abcd",
                                 "11111111-2222-7333-8444-555555555555"};

/* Makes a file with the tables of one process, and then what `more` says. */
static void make_process(const char *path, int which, const char *more)
{
    char guid[37], sql[2048];
    for (int i = 0; i < 37; i++)
        guid[i] = guids[which][i] == '-' ? '_' : guids[which][i];
    snprintf(sql, sizeof(sql),
             "CREATE TABLE rocpd_metadata_%s (id INTEGER PRIMARY KEY, tag TEXT, value TEXT);"
             "INSERT INTO rocpd_metadata_%s VALUES (1, 'version', '%d'), (2, 'boot_id', 'b%d');"
             "CREATE TABLE rocpd_info_process_%s (id INTEGER PRIMARY KEY, guid TEXT, pid INTEGER, "
             "init INTEGER, fini INTEGER, x TEXT DEFAULT '%s');"
             "INSERT INTO rocpd_info_process_%s VALUES (1, '%s', %d, 5, NULL, '');"
             "CREATE VIEW rocpd_metadata AS SELECT * FROM rocpd_metadata_%s;"
             "CREATE VIEW rocpd_info_process AS SELECT * FROM rocpd_info_process_%s;%s",
             guid, guid, which, which, guid, guids[which], guid, guids[which], 100 + which, guid,
             guid, more);
    make(path, sql);
}

static char heard[256];

static bool hear_fact(void *data, const char *tag, const char *value)
{
    const size_t length = strlen(heard);
    snprintf(heard + length, sizeof(heard) - length, "%s=%s ", tag, value);
    return !data;
}

static bool hear_process(void *data, const char *guid, uint32_t pid, uint64_t begin, uint64_t end)
{
    const size_t length = strlen(heard);
    snprintf(heard + length, sizeof(heard) - length, "%s %u %d %d", guid, pid, (int)begin,
             (int)end);
    return !data;
}

static void looks_into_files_that_are_alike(void **state)
{
#define PROCESSES "rocpd_info_process_11111111_2222_7333_8444_555555555555"
    static const char *const others[] = {
        "CREATE VIEW v AS SELECT 1", "INSERT INTO " PROCESSES " (guid) VALUES ('other')",
        "INSERT INTO " PROCESSES " (pid) VALUES (5)", "PRAGMA journal_mode = WAL"};
    char one[64], other[64], why[DB_WHY_BYTES];
    const db_listener_t to = {hear_fact, hear_process, NULL},
                        deaf = {hear_fact, hear_process, other};
    db_t db;
    (void)state;
    snprintf(one, sizeof(one), "%s/one.db", directory);
    snprintf(other, sizeof(other), "%s/other.db", directory);
    make_process(one, 0, "");
    make_process(other, 1, "");
    assert_int_equal(db_open(&db, one, why), 0);
    db_likeness_t *l = db_likeness_of(&db, one);
    assert_non_null(l);
    assert_int_equal(db_close(&db), 0);
    assert_true(db_peek(l, other, &to));
    assert_string_equal(heard, "version=1 boot_id=b1 11111111-2222-7333-8444-555555555555 101 5 0");
    assert_false(db_peek(l, other, &deaf));
    assert_false(db_peek(l, text, &to));
    assert_false(db_peek(l, directory, &to));
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
        remove_database(other);
        make_process(other, 1, others[i]);
        assert_false(db_peek(l, other, &to));
    }
    db_likeness_free(l);
    remove_database(one);
    remove_database(other);
}

/* What the file's tables say, by SQLite and, unless it has a write-ahead log, by pages. */
static void says(const db_t *db, int which, bool pages)
{
    static const db_wanted_t columns[] = {{.name = "guid", .text = true}, {.name = "pid"}};
    char table[DB_TABLE_BYTES], sql[DB_TABLE_BYTES + 64];
    db_cell_t cells[2];
    db_cursor_t c;
    db_rows(&c, db, "SELECT value FROM rocpd_metadata WHERE tag = ?", "t", "version");
    assert_true(db_next(&c));
    assert_int_equal(db_int(&c, 0), which);
    assert_int_equal(db_end(&c, "test"), 0);
    assert_true(db_own_table(db, "rocpd_info_process", guids[which], table));
    snprintf(sql, sizeof(sql), "SELECT pid FROM \"%s\"", table);
    db_rows(&c, db, sql, "");
    assert_true(db_next(&c));
    assert_int_equal(db_int(&c, 0), 100 + which);
    assert_false(db_next(&c));
    assert_int_equal(db_end(&c, "test"), 0);
    assert_int_equal(sqlite3_exec(db->handle, "BEGIN; SELECT 1 FROM rocpd_metadata", 0, 0, 0), 0);
    /* the first column alone, then both: what is known of one must not be taken for the other */
    db_scan_close(db_scan_open(db, "rocpd_info_process", columns, 1, cells));
    db_scan_t *scan = db_scan_open(db, "rocpd_info_process", columns, 2, cells);
    assert_int_equal(scan != NULL, pages);
    assert_int_equal(scan && db_scan_next(scan), pages);
    if (pages) assert_memory_equal(cells[0].text, guids[which], 36);
    if (pages) assert_int_equal(cells[1].number, 100 + which);
    assert_false(scan && (db_scan_next(scan) || db_scan_odd(scan)));
    db_scan_close(scan);
    assert_int_equal(sqlite3_exec(db->handle, "COMMIT", 0, 0, 0), 0);
}

/* A connection goes on to a file with the same schema, and reads what is there; whatever was added
 * to it has gone, and no other file gets it. */
static void goes_on_to_files_that_are_alike(void **state)
{
    static const char *const others[] = {"CREATE VIEW v AS SELECT 1",
                                         "CREATE TABLE t (a)",
                                         "CREATE INDEX i ON " PROCESSES " (pid)",
                                         "PRAGMA user_version = 7",
                                         "PRAGMA journal_mode = WAL",
                                         "ANALYZE"};
    static const char *const touch[] = {
        "UPDATE rocpd_metadata_01234567_89ab_7cde_8f01_23456789abcd SET tag = tag",
        "UPDATE rocpd_metadata_11111111_2222_7333_8444_555555555555 SET tag = tag"};
    char one[64], other[64], why[DB_WHY_BYTES];
    db_t db;
    db_cursor_t c;
    (void)state;
    snprintf(one, sizeof(one), "%s/one.db", directory);
    snprintf(other, sizeof(other), "%s/other.db", directory);
    make_process(one, 0, "");
    make_process(other, 1, "");
    assert_int_equal(db_open(&db, one, why), 0);
    sqlite3 *const kept = db.handle;
    says(&db, 0, true);
    assert_int_equal(db_run(&db, "CREATE TEMP VIEW rocpd_metadata AS SELECT 9 AS value", "test"),
                     0);
    assert_int_equal(db_close(&db), 0);
    for (int i = 0; i < 6; i++) { /* there and back again */
        assert_int_equal(db_open(&db, i % 2 ? one : other, why), 0);
        assert_ptr_equal(db.handle, kept);
        says(&db, !(i % 2), true);
        assert_int_equal(db_run(&db, "CREATE TEMP TABLE x (a)", "test"), 0);
        assert_int_equal(db_close(&db), 0);
    }
    /* files that have changed more or less often than the one before are no less told apart */
    for (int i = 0; i < 40; i++) {
        for (int n = 0; n < i % 7; n++)
            make(i % 3 ? other : one, touch[i % 3 ? 1 : 0]);
        assert_int_equal(db_open(&db, i % 2 ? one : other, why), 0);
        assert_ptr_equal(db.handle, kept);
        says(&db, !(i % 2), true);
        assert_int_equal(db_close(&db), 0);
    }
    /* rows that another program adds meanwhile are seen; so is another schema */
    make(one, "INSERT INTO rocpd_metadata_01234567_89ab_7cde_8f01_23456789abcd VALUES (9, 'n', 4)");
    assert_int_equal(db_open(&db, one, why), 0);
    assert_ptr_equal(db.handle, kept);
    make(one, "ALTER TABLE rocpd_metadata_01234567_89ab_7cde_8f01_23456789abcd ADD COLUMN more");
    db_rows(&c, &db, "SELECT value, more FROM rocpd_metadata WHERE tag = 'n'", "");
    assert_true(db_next(&c));
    assert_int_equal(db_int(&c, 0), 4);
    assert_int_equal(db_end(&c, "test"), 0);
    assert_int_equal(db_close(&db), 0);
    says((db_open(&db, other, why), &db), 1, true);
    assert_int_equal(db_close(&db), 0);
    /* what is in main, and functions with data, are left with a connection of their own */
    for (int i = 0; i < 2; i++) {
        assert_int_equal(db_open(&db, other, why), 0);
        if (i)
            db_spoil(&db);
        else
            assert_int_equal(db_run(&db, "CREATE TABLE main.y (a)", "test"), 0);
        assert_int_equal(db_close(&db), 0);
        assert_int_equal(db_open(&db, other, why), 0);
        assert_true(i || !db_has(&db, "y", "a"));
        says(&db, 1, true);
        assert_int_equal(db_close(&db), 0);
    }
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
        assert_int_equal(db_open(&db, other, why), 0);
        sqlite3 *const usual = db.handle;
        assert_int_equal(db_close(&db), 0);
        remove_database(one);
        make_process(one, 1, others[i]);
        assert_int_equal(db_open(&db, one, why), 0);
        assert_ptr_not_equal(db.handle, usual);
        says(&db, 1, !strstr(others[i], "WAL"));
        assert_int_equal(db_close(&db), 0);
    }
    remove_database(one);
    remove_database(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_rows),
        cmocka_unit_test(tells_errors_from_the_end),
        cmocka_unit_test(ends_early_after_a_signal),
        cmocka_unit_test(only_reads),
        cmocka_unit_test(says_why_it_cannot_open),
        cmocka_unit_test(copies_then_locks),
        cmocka_unit_test(fills_what_is_read),
        cmocka_unit_test(reads_records_from_pages),
        cmocka_unit_test(reads_records_alone),
        cmocka_unit_test(leaves_odd_records_to_statements),
        cmocka_unit_test(looks_into_files_that_are_alike),
        cmocka_unit_test(goes_on_to_files_that_are_alike),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
