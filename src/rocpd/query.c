/* query.c - rocpd query, and functions that write the rows of any statement. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/text.h"
#include "rocpd/clipboard.h"
#include "rocpd/clocks.h"
#include "rocpd/commands.h"

/* Begins the only statement in the text. Returns false after reporting the reason and ending the
 * cursor. */
static bool begin(const db_t *db, db_cursor_t *c, const char *sql)
{
    db_rows(c, db, sql, "");
    const char *rest = c->rest;
    const bool any = c->s;
    if (any && !rest[strspn(rest, " \t\n;")]) return true;
    if (db_end(c, sql) != 0) return false;
    if (any)
        base_error("one statement is run, and another follows: %s (--script runs several)", rest);
    else
        base_error("'%s' is no statement", sql);
    return false;
}

/* Writes the rows and ends the cursor. Returns the number of rows, or -1 after reporting the
 * reason. */
static long long put_rows(out_file_t *f, db_cursor_t *c, rocpd_form_t form, const char *sql)
{
    const long long rows = f ? rocpd_table_write(f, c, form) : -1;
    if (!f) base_error("out of memory");
    return db_end(c, sql) == 0 ? rows : -1;
}

/* Writes the rows to a file; a file that would be empty is not made. */
static int write_rows(const db_t *db, const char *sql, rocpd_form_t form, const char *path)
{
    char why[512];
    db_cursor_t c;
    out_file_t *f = out_file_open(path, why, sizeof(why));
    if (!f) {
        base_error("%s", why);
        return -1;
    }
    const long long rows = begin(db, &c, sql) ? put_rows(f, &c, form, sql) : -1;
    if (rows <= 0) {
        out_file_abandon(f);
        return rows < 0 ? -1 : 1;
    }
    if (out_file_close(f, why, sizeof(why)) == 0) return 0;
    base_error("%s", why);
    return -1;
}

static int print_rows(const db_t *db, const char *sql, const char *title)
{
    db_cursor_t c;
    if (!begin(db, &c, sql)) return -1;
    out_file_t *memory = out_file_memory();
    const long long rows = put_rows(memory, &c, ROCPD_CONSOLE, sql);
    const char *text = rows > 0 ? out_file_memory_text(memory) : "";
    if (rows > 0 && title) printf("\n%s:\n", title);
    if (rows > 0) fputs(text ? text : "", stdout);
    out_file_abandon(memory);
    return !text || rows < 0 ? -1 : !rows;
}

static int copy_rows(const db_t *db, const char *sql)
{
    db_cursor_t c;
    if (!begin(db, &c, sql)) return -1;
    out_file_t *memory = out_file_memory();
    const long long rows = put_rows(memory, &c, ROCPD_CLIPBOARD, sql);
    size_t bytes = 0;
    const char *text = rows > 0 ? out_file_memory_bytes(memory, &bytes) : NULL;
    int result = rows ? -1 : 1;
    if (rows > 0 && !text)
        base_error("out of memory");
    else if (rows > 0)
        result = rocpd_clipboard(text, bytes);
    if (result == 0) printf("%lld row%s in the clipboard\n", rows, base_plural((uint64_t)rows));
    out_file_abandon(memory);
    return result;
}

int rocpd_show(const db_t *db, const rocpd_options_t *o, const char *sql, const char *title,
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

int rocpd_append_csv(const db_t *db, const char *sql, out_file_t *f, long long *rows)
{
    db_cursor_t c;
    if (!begin(db, &c, sql)) return -1;
    const long long more = (*rows ? rocpd_table_go_on : rocpd_table_write)(f, &c, ROCPD_CSV);
    if (db_end(&c, sql) != 0 || more < 0) return -1;
    *rows += more;
    return 0;
}

/* Converts the times of processes of several nodes to one clock, and reports that. */
static int use_one_clock(rocpd_base_t *b, rocpd_clocks_t *clocks)
{
    char said[256];
    int result = rocpd_clocks_begin(clocks, b);
    if (result != 0 || !clocks->any) return result;
    result = rocpd_clocks_function(clocks, &b->db);
    if (result == 0) result = rocpd_change_times(b, "rocpd_time");
    rocpd_clocks_say(clocks, said, sizeof(said));
    if (result == 0 && base_log_level >= BASE_LOG_WARNING) fprintf(stderr, "rocpd: %s\n", said);
    return result;
}

int rocpd_query(const rocpd_options_t *o, const rocpd_files_t *f)
{
    const char *sql = rocpd_word(o, ROCPD_SQL, ""), *script = rocpd_word(o, ROCPD_SCRIPT, NULL);
    rocpd_base_t base;
    int result = rocpd_open(&base, f, o);
    if (result != 0) return result;
    rocpd_clocks_t clocks = {0};
    result = use_one_clock(&base, &clocks);
    char *text = script && result == 0 ? rocpd_read_file(script) : NULL;
    if (script && result == 0) result = text ? db_run(&base.db, text, script) : -1;
    if (result == 0) result = rocpd_show(&base.db, o, sql, NULL, "");
    if (result == 1) {
        fprintf(stderr, "No results found for query: %s\n", sql);
        result = 0;
    }
    free(text);
    rocpd_close(&base);
    rocpd_clocks_end(&clocks);
    return result;
}
