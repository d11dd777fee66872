/* times.c - see times.h and rocpd_change_times() in base.h: converts the columns that have
 * times. */
#include "rocpd/times.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"

/* Returns SQL for the columns with times of one of AMD's tables: each becomes `form`, with the
 * function, "guid" and the column's name twice. *any says whether there are such columns. Returns
 * NULL after reporting the reason. */
static char *time_columns(const rocpd_base_t *b, const db_t *db, const char *part,
                          const char *table, bool all, bool *any)
{
    static const char *const times[] = {"start", "end", "timestamp", "init", "fini"};
    rocpd_columns_t columns = {0};
    bool found, guid = false;
    sqlite3_str *sql = sqlite3_str_new(db->handle);
    *any = false;
    const bool good = rocpd_columns_add(db, &columns, part, table, &found);
    for (size_t i = 0; good && i < columns.count; i++)
        guid |= strcmp(columns.names[i], "guid") == 0;
    for (size_t i = 0; good && i < columns.count; i++) {
        bool is = false;
        for (size_t j = 0; guid && j < sizeof(times) / sizeof(*times); j++)
            is |= strcmp(columns.names[i], times[j]) == 0;
        if (!is && !all) continue;
        if (sqlite3_str_length(sql)) sqlite3_str_appendall(sql, ", ");
        if (is && all)
            sqlite3_str_appendf(sql, "%s(guid, \"%w\") AS \"%w\"", b->time, columns.names[i],
                                columns.names[i]);
        else if (is)
            sqlite3_str_appendf(sql, "\"%w\" = %s(guid, \"%w\")", columns.names[i], b->time,
                                columns.names[i]);
        else
            sqlite3_str_appendf(sql, "\"%w\"", columns.names[i]);
        *any |= is;
    }
    rocpd_columns_free(&columns);
    char *text = sqlite3_str_finish(sql);
    if (good && (text || !*any)) return text ? text : sqlite3_mprintf("%s", "");
    sqlite3_free(text);
    if (good) base_error("changing times: %s", strerror(ENOMEM));
    return NULL;
}

int rocpd_times_change(const rocpd_base_t *b, const char *table, char why[DB_WHY_BYTES])
{
    bool any;
    if (!base_begins_with(table, "rocpd_")) return 0;
    char *set = time_columns(b, &b->db, "main", table, false, &any);
    int result = set ? 0 : -1;
    if (set && any) result = db_runf(&b->db, table, "UPDATE main.\"%w\" SET %s", table, set);
    sqlite3_free(set);
    if (result != 0) snprintf(why, DB_WHY_BYTES, "%.200s: its times cannot be changed", table);
    return result;
}

int rocpd_change_times(rocpd_base_t *b, const char *time)
{
    int result = 0;
    b->time = time;
    if (b->files->count > 1) return 0; /* times are converted when the tables are filled */
    for (size_t i = 0; result == 0 && i < b->view_count; i++) {
        bool any;
        const char *name = b->views[i].name;
        char *columns = b->views[i].plain ? time_columns(b, &b->db, "db0", name, true, &any) : NULL;
        char *where = rocpd_window_condition(&b->window, name);
        if (b->views[i].plain && !columns) result = -1;
        if (columns && any)
            result = db_runf(&b->db, name,
                             "DROP VIEW IF EXISTS temp.\"%w\"; CREATE TEMP VIEW \"%w\" AS SELECT "
                             "%s FROM db0.\"%w\"%s",
                             name, name, columns, name, where ? where : " WHERE 0");
        sqlite3_free(where);
        sqlite3_free(columns);
    }
    return result;
}
