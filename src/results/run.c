/* run.c - see run.h. A database is untrusted: texts may be missing and numbers too large. Runs
 * without times are shown, too. */
#include "results/run.h"

#include <errno.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/grow.h"
#include "base/log.h"
#include "base/text.h"
#include "results/gather.h"

/* ---- databases ---- */

static int by_name(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

typedef struct {
    char **names;
    size_t count;
} list_t;

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
        if (!base_add_text(&l->names, &l->count, e->fts_path)) problem = ENOMEM;
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
        else if (!base_add_text(&found.names, &found.count, paths[i]))
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
    static const rocpd_options_t whole; /* the whole time */
    rocpd_files_t alike = {0};
    *r = (res_run_t){0};
    int result = find(r, paths, count);
    if (result == 0 && r->files.count > 1) result = res_sieve(&r->files, &alike, &r->absents);
    if (result == 0)
        result = rocpd_open_alike(&r->base, &r->files, alike.count ? &alike : &r->files, &whole);
    rocpd_files_free(&alike);
    if (result != 0) {
        rocpd_files_free(&r->files);
        res_absents_free(&r->absents);
        return -1;
    }
    r->base.db.name = r->files.paths[0];
    r->db = &r->base.db;
    return 0;
}

void res_run_close(res_run_t *r)
{
    res_gather_forget(r);
    rocpd_close(&r->base);
    rocpd_files_free(&r->files);
    res_absents_free(&r->absents);
}
