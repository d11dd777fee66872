/* run.c - see run.h. A database is untrusted: texts may be missing and numbers too large. Runs
 * without times are shown, too. */
#include "results/run.h"

#include <stdlib.h>
#include <string.h>

#include "results/gather.h"

/* ---- databases ---- */

static int find(res_run_t *r, char *const *paths, size_t count)
{
    static char here[] = ".";
    char *const alone[] = {here};
    rocpd_options_t o = {.command = ROCPD_QUERY};
    char **found = NULL;
    size_t found_count = 0;
    int result = 0;
    if (!count) paths = alone, count = 1;
    for (size_t i = 0; result == 0 && i < count; i++)
        result = rocpd_files_search(&found, &found_count, paths[i]);
    o.values[ROCPD_INPUT].words = (const char **)found;
    o.values[ROCPD_INPUT].count = found_count;
    if (result == 0) result = rocpd_files_find(&r->files, &o);
    for (size_t i = 0; i < found_count; i++)
        free(found[i]);
    free(found);
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
