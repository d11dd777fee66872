/* statements.c - see statements.h. */
#include "db/statements.h"

#include <stdlib.h>
#include <string.h>

#include "db/swap.h"

enum { STATEMENTS_MOST = 64 };

struct db_statements {
    size_t count;
    uint64_t taken;
    struct db_statement rows[STATEMENTS_MOST];
};

struct db_statement *db_statement_find(const db_t *db, const char *sql)
{
    struct db_statements **place = db_swap_statements(db->swap), *list = place ? *place : NULL;
    for (size_t i = 0; list && i < list->count; i++) {
        struct db_statement *row = &list->rows[i];
        if (row->used || strcmp(row->sql, sql) != 0) continue;
        row->used = true;
        row->taken = ++list->taken;
        return row;
    }
    return NULL;
}

/* Returns a row for another statement, if necessary the least recently used one. */
static struct db_statement *free_row(struct db_statements *list)
{
    struct db_statement *oldest = NULL;
    if (list->count < STATEMENTS_MOST) return &list->rows[list->count++];
    for (size_t i = 0; i < list->count; i++)
        if (!list->rows[i].used && (!oldest || list->rows[i].taken < oldest->taken))
            oldest = &list->rows[i];
    if (!oldest) return NULL;
    sqlite3_finalize(oldest->s);
    free(oldest->sql);
    return oldest;
}

struct db_statement *db_statement_keep(const db_t *db, const char *sql, sqlite3_stmt *s)
{
    struct db_statements **place = db_swap_statements(db->swap);
    if (!place || !s) return NULL;
    if (!*place) *place = calloc(1, sizeof(**place));
    char *copy = *place ? strdup(sql) : NULL;
    struct db_statement *row = copy ? free_row(*place) : NULL;
    if (!row) {
        free(copy);
        return NULL;
    }
    *row = (struct db_statement){.sql = copy, .s = s, .used = true, .taken = ++(*place)->taken};
    return row;
}

void db_statement_give_back(struct db_statement *row)
{
    sqlite3_reset(row->s);
    sqlite3_clear_bindings(row->s); /* the texts that are bound do not outlive the cursor */
    row->used = false;
}

void db_statements_forget(const db_t *db)
{
    struct db_statements **place = db_swap_statements(db->swap);
    for (size_t i = 0; place && *place && i < (*place)->count; i++) {
        sqlite3_finalize((*place)->rows[i].s);
        free((*place)->rows[i].sql);
    }
    if (!place) return;
    free(*place);
    *place = NULL;
}

bool db_statements_idle(const db_t *db)
{
    struct db_statements **place = db_swap_statements(db->swap);
    size_t all = 0;
    for (sqlite3_stmt *s = NULL; (s = sqlite3_next_stmt(db->handle, s)); all++)
        ;
    for (size_t i = 0; place && *place && i < (*place)->count; i++, all--)
        if ((*place)->rows[i].used) return false;
    return !all;
}
