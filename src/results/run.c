/* run.c - see run.h. Whatever is in a database is safe input: texts may be missing, numbers too
 * big, and what has no times is shown as it is. */
#include "results/run.h"

#include <errno.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/log.h"
#include "base/text.h"

/* ---- databases ---- */

static int by_name(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

typedef struct {
    char **names;
    size_t count;
} list_t;

static bool add(list_t *l, const char *name)
{
    char **grown = realloc(l->names, (l->count + 1) * sizeof(*grown));
    if (grown) l->names = grown;
    char *copy = grown ? strdup(name) : NULL;
    if (copy) grown[l->count++] = copy;
    return copy;
}

/* Adds the databases below the directory. */
static int search(list_t *l, char *directory)
{
    char *const roots[] = {directory, NULL};
    FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, by_name);
    const size_t before = l->count;
    int problem = tree ? 0 : errno;
    for (FTSENT *e; !problem && (e = fts_read(tree));) {
        if (e->fts_info == FTS_DNR || e->fts_info == FTS_ERR) problem = e->fts_errno;
        if (e->fts_info != FTS_F || !base_ends_with(e->fts_name, ".db")) continue;
        if (!add(l, e->fts_path)) problem = ENOMEM;
    }
    if (tree) fts_close(tree);
    if (problem)
        base_error("%s: %s", directory, strerror(problem));
    else if (l->count == before)
        base_error("%s: holds no database (rocprofv3 -f rocpd writes them)", directory);
    return l->count > before && !problem ? 0 : -1;
}

static int find(res_run_t *r, char *const *paths, size_t count)
{
    static char here[] = ".";
    char *const alone[] = {here};
    rocpd_options_t o = {.command = ROCPD_QUERY};
    list_t found = {0};
    int result = 0;
    if (!count) paths = alone, count = 1;
    for (size_t i = 0; result == 0 && i < count; i++) {
        struct stat st;
        if (stat(paths[i], &st) == 0 && S_ISDIR(st.st_mode))
            result = search(&found, paths[i]);
        else if (!add(&found, paths[i]))
            result = -1;
    }
    o.values[ROCPD_INPUT].words = (const char **)found.names;
    o.values[ROCPD_INPUT].count = found.count;
    if (result == 0) result = rocpd_files_find(&r->files, &o);
    for (size_t i = 0; i < found.count; i++)
        free(found.names[i]);
    free(found.names);
    return result;
}

int res_run_open(res_run_t *r, char *const *paths, size_t count)
{
    static const rocpd_options_t whole; /* no window */
    *r = (res_run_t){0};
    if (find(r, paths, count) != 0 || rocpd_open(&r->base, &r->files, &whole) != 0) {
        rocpd_files_free(&r->files);
        return -1;
    }
    r->db = r->base.db;
    return 0;
}

void res_run_close(res_run_t *r)
{
    rocpd_close(&r->base);
    rocpd_files_free(&r->files);
}

sqlite3_stmt *res_prepare(res_run_t *r, const char *sql, const char *what)
{
    sqlite3_stmt *s = NULL;
    if (sqlite3_prepare_v2(r->db, sql, -1, &s, NULL) == SQLITE_OK) return s;
    base_error("%s: %s: %s", r->files.paths[0], what, sqlite3_errmsg(r->db));
    return NULL;
}

int res_step(sqlite3_stmt *s, const char *what)
{
    const int status = sqlite3_step(s);
    if (status == SQLITE_ROW) return 1;
    if (status == SQLITE_DONE) return 0;
    base_error("%s: %s", what, sqlite3_errmsg(sqlite3_db_handle(s)));
    return -1;
}

/* ---- rows ---- */

static uint64_t unsigned_at(sqlite3_stmt *s, int column)
{
    const sqlite3_int64 value = sqlite3_column_int64(s, column);
    return value < 0 ? 0 : (uint64_t)value;
}

static uint32_t small_at(sqlite3_stmt *s, int column)
{
    const uint64_t value = unsigned_at(s, column);
    return value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

static char *text_at(sqlite3_stmt *s, int column)
{
    const char *text = (const char *)sqlite3_column_text(s, column);
    return strdup(text ? text : "");
}

/* Room for one more row of `bytes`, zeroed; NULL with the reason told. */
static void *one_more(void **rows, size_t count, size_t bytes)
{
    char *grown = realloc(*rows, (count + 1) * bytes);
    if (!grown) {
        base_error("reading results: %s", strerror(ENOMEM));
        return NULL;
    }
    *rows = grown;
    return memset(grown + count * bytes, 0, bytes);
}

static bool read_kernel(sqlite3_stmt *s, res_kernels_t *k)
{
    res_kernel_t *to = one_more((void **)&k->rows, k->count, sizeof(*to));
    int at = 0;
    if (!to) return false;
    k->count++;
    to->name = text_at(s, at++);
    to->agent = text_at(s, at++);
    to->calls = unsigned_at(s, at++);
    to->total_ns = unsigned_at(s, at++);
    to->min_ns = unsigned_at(s, at++);
    to->max_ns = unsigned_at(s, at++);
    to->vgprs = small_at(s, at++);
    to->agprs = small_at(s, at++);
    to->sgprs = small_at(s, at++);
    to->group_bytes = small_at(s, at++);
    to->private_bytes = small_at(s, at++);
    to->workgroup = small_at(s, at++);
    to->variants = small_at(s, at);
    return to->name && to->agent;
}

int res_kernels(res_run_t *r, res_kernels_t *k)
{
    static const char what[] = "reading kernels";
    sqlite3_stmt *s = res_prepare(
        r,
        "SELECT K.display_name AS name, MAX(A.name), COUNT(*), SUM(D.\"end\" - D.start) AS total, "
        "MIN(D.\"end\" - D.start), MAX(D.\"end\" - D.start), MAX(K.arch_vgpr_count), "
        "MAX(K.accum_vgpr_count), MAX(K.sgpr_count), MAX(D.group_segment_size), "
        "MAX(D.private_segment_size), "
        "MAX(D.workgroup_size_x * D.workgroup_size_y * D.workgroup_size_z), "
        "COUNT(DISTINCT json_array(K.kernel_name, K.arch_vgpr_count, K.accum_vgpr_count, "
        "K.sgpr_count, K.group_segment_size, K.private_segment_size)) "
        "FROM rocpd_kernel_dispatch D "
        "JOIN rocpd_info_kernel_symbol K ON K.id = D.kernel_id AND K.guid = D.guid "
        "LEFT JOIN rocpd_info_agent A ON A.id = D.agent_id AND A.guid = D.guid "
        "GROUP BY K.display_name ORDER BY total DESC, K.display_name",
        what);
    int more = s ? 1 : -1;
    *k = (res_kernels_t){0};
    while (more > 0 && (more = res_step(s, what)) > 0)
        if (!read_kernel(s, k)) more = -1;
    sqlite3_finalize(s);
    if (more < 0) res_kernels_free(k);
    return more;
}

void res_kernels_free(res_kernels_t *k)
{
    for (size_t i = 0; i < k->count; i++) {
        free(k->rows[i].name);
        free(k->rows[i].agent);
    }
    free(k->rows);
    *k = (res_kernels_t){0};
}

static bool read_counter(sqlite3_stmt *s, res_counters_t *c)
{
    res_counter_t *to = one_more((void **)&c->rows, c->count, sizeof(*to));
    if (!to) return false;
    c->count++;
    to->name = text_at(s, 0);
    to->dispatches = unsigned_at(s, 1);
    to->sum = sqlite3_column_double(s, 2);
    to->min = sqlite3_column_double(s, 3);
    to->max = sqlite3_column_double(s, 4);
    return to->name;
}

int res_counters(res_run_t *r, const char *kernel, res_counters_t *c)
{
    static const char what[] = "reading counters";
    sqlite3_stmt *s = res_prepare(
        r,
        "SELECT name, COUNT(*), SUM(value), MIN(value), MAX(value) FROM "
        "(SELECT I.name AS name, SUM(P.value) AS value FROM rocpd_info_kernel_symbol K "
        "JOIN rocpd_kernel_dispatch D ON D.kernel_id = K.id AND D.guid = K.guid "
        "JOIN rocpd_pmc_event P ON P.event_id = D.event_id AND P.guid = D.guid "
        "JOIN rocpd_info_pmc I ON I.id = P.pmc_id AND I.guid = P.guid "
        "WHERE K.display_name = ? AND P.sample_id IS NULL GROUP BY D.guid, D.id, I.name) "
        "GROUP BY name ORDER BY name",
        what);
    int more = s && sqlite3_bind_text(s, 1, kernel, -1, SQLITE_STATIC) == SQLITE_OK ? 1 : -1;
    *c = (res_counters_t){0};
    while (more > 0 && (more = res_step(s, what)) > 0)
        if (!read_counter(s, c)) more = -1;
    sqlite3_finalize(s);
    if (more < 0) res_counters_free(c);
    return more;
}

void res_counters_free(res_counters_t *c)
{
    for (size_t i = 0; i < c->count; i++)
        free(c->rows[i].name);
    free(c->rows);
    *c = (res_counters_t){0};
}
