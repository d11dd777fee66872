/* query.c - rocpd query, and functions that show the rows of any statement. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/text.h"
#include "rocpd/clipboard.h"
#include "rocpd/commands.h"

static sqlite3_stmt *prepare(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *s = NULL;
    const char *rest = "";
    if (sqlite3_prepare_v2(db, sql, -1, &s, &rest) != SQLITE_OK) {
        base_error("%s: %s", sql, sqlite3_errmsg(db));
        return NULL;
    }
    if (!s) base_error("'%s' is no statement", sql);
    if (s && rest[strspn(rest, " \t\n;")]) {
        base_error("one statement is run, and another follows: %s (--script runs several)", rest);
        sqlite3_finalize(s);
        return NULL;
    }
    return s;
}

/* Closes the file, or removes it if there were no rows. 0; 1 without rows; -1 with the reason
 * told. */
static int finish(sqlite3 *db, out_file_t *f, long long rows, const char *sql)
{
    char why[512];
    if (rows <= 0) {
        out_file_abandon(f);
        if (rows == ROCPD_OF_SQLITE) base_error("%s: %s", sql, sqlite3_errmsg(db));
        return rows < 0 ? -1 : 1;
    }
    if (out_file_close(f, why, sizeof(why)) == 0) return 0;
    base_error("%s", why);
    return -1;
}

static int write_rows(sqlite3 *db, const char *sql, rocpd_form_t form, const char *path)
{
    char why[512];
    sqlite3_stmt *s = prepare(db, sql);
    if (!s) return -1;
    out_file_t *f = out_file_open(path, why, sizeof(why));
    int result = -1;
    if (f)
        result = finish(db, f, rocpd_table_write(f, s, form), sql);
    else
        base_error("%s", why);
    sqlite3_finalize(s);
    return result;
}

static int print_rows(sqlite3 *db, const char *sql, const char *title)
{
    sqlite3_stmt *s = prepare(db, sql);
    if (!s) return -1;
    out_file_t *memory = out_file_memory();
    long long rows = memory ? rocpd_table_write(memory, s, ROCPD_CONSOLE) : -1;
    const char *text = rows > 0 ? out_file_memory_text(memory) : "";
    if (rows > 0 && title) printf("\n%s:\n", title);
    if (rows > 0) fputs(text ? text : "", stdout);
    int result = rows > 0 && !text ? -1 : rows < 0 ? -1 : !rows;
    if (rows < 0) base_error("%s: %s", sql, sqlite3_errmsg(db));
    out_file_abandon(memory);
    sqlite3_finalize(s);
    return result;
}

static int copy_rows(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *s = prepare(db, sql);
    if (!s) return -1;
    out_file_t *memory = out_file_memory();
    const long long rows = memory ? rocpd_table_write(memory, s, ROCPD_CLIPBOARD) : ROCPD_TOLD;
    size_t bytes = 0;
    const char *text = rows > 0 ? out_file_memory_bytes(memory, &bytes) : NULL;
    int result = rows ? -1 : 1;
    if (rows == ROCPD_OF_SQLITE)
        base_error("%s: %s", sql, sqlite3_errmsg(db));
    else if (rows && !text)
        base_error("out of memory");
    else if (rows)
        result = rocpd_clipboard(text, bytes);
    if (result == 0) printf("%lld row%s in the clipboard\n", rows, base_plural((uint64_t)rows));
    out_file_abandon(memory);
    sqlite3_finalize(s);
    return result;
}

int rocpd_show(sqlite3 *db, const rocpd_options_t *o, const char *sql, const char *title,
               const char *suffix)
{
    char name[NAME_MAX], path[PATH_MAX];
    const char *env = getenv("ROCPD_OUTPUT_NAME");
    rocpd_form_t form = rocpd_form(rocpd_word(o, ROCPD_FORMAT, "console"));
    if (form == ROCPD_CONSOLE) return print_rows(db, sql, title);
    if (form == ROCPD_CLIPBOARD) return copy_rows(db, sql);
    snprintf(name, sizeof(name), "%s%s.%s",
             rocpd_word(o, ROCPD_OUTPUT_FILE, env && *env ? env : "out"), suffix,
             rocpd_form_end(form));
    if (rocpd_output(o, name, path, sizeof(path)) != 0) return -1;
    int result = write_rows(db, sql, form, path);
    if (result == 0) printf("%s\n", path);
    return result;
}

int rocpd_save_csv(sqlite3 *db, const char *sql, const char *path)
{
    return write_rows(db, sql, ROCPD_CSV, path);
}

int rocpd_query(const rocpd_options_t *o, const rocpd_files_t *f)
{
    const char *sql = rocpd_word(o, ROCPD_SQL, ""), *script = rocpd_word(o, ROCPD_SCRIPT, NULL);
    rocpd_base_t base;
    int result = rocpd_open(&base, f, o);
    if (result != 0) return result;
    char *text = script ? rocpd_read_file(script) : NULL;
    if (script) result = text ? rocpd_run(base.db, text, script) : -1;
    if (result == 0) result = rocpd_show(base.db, o, sql, NULL, "");
    if (result == 1) {
        fprintf(stderr, "No results found for query: %s\n", sql);
        result = 0;
    }
    free(text);
    rocpd_close(&base);
    return result;
}
