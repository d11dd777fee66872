/* finding_more.c - the commands that show more of a finding: each can be run as it is printed, in
 * the same working directory, and reads the same databases.
 *
 * Words are quoted for a shell; a kernel's name becomes an expression that matches only this
 * kernel. */
#include "results/findings.h"

#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/log.h"

/* Statements for rocpd query, by res_more_t. */
static const char *const statements[RES_MORE_COUNT] = {
    [RES_MORE_KERNELS] =
        "SELECT name, COUNT(*) AS launches, grid_x, workgroup_x, lds_size, scratch_size, "
        "AVG(duration) AS mean_ns FROM kernels GROUP BY 1, 3, 4, 5, 6 ORDER BY SUM(duration) DESC "
        "LIMIT 20",
    [RES_MORE_CALLS] = "SELECT name, COUNT(*) AS calls, SUM(duration) AS ns, MAX(duration) AS "
                       "longest_ns FROM regions GROUP BY 1 ORDER BY 3 DESC LIMIT 20",
    [RES_MORE_COPIES] = "SELECT name, COUNT(*) AS copies, SUM(size) AS bytes, SUM(duration) AS ns "
                        "FROM memory_copies GROUP BY 1 ORDER BY 4 DESC LIMIT 20",
};

enum { PATHS_FEW = 16 }; /* a wildcard replaces more paths than this, if there is one */

/* Returns the depth of a path below its first `length` bytes. */
static size_t depth_of(const char *path, size_t length)
{
    size_t depth = 0;
    for (const char *c = path + length; *c; c++)
        depth += *c == '/';
    return depth;
}

/* Returns the wildcard that matches just the files of the run, to be freed; NULL if there is
 * none. */
static char *wildcard_of(const res_run_t *r)
{
    const rocpd_files_t *files = &r->files;
    size_t common = strlen(files->paths[0]), bytes;
    for (size_t i = 1; i < files->count; i++) {
        size_t same = 0;
        while (same < common && files->paths[i][same] == files->paths[0][same])
            same++;
        common = same;
    }
    while (common && files->paths[0][common - 1] != '/')
        common--;
    const size_t depth = depth_of(files->paths[0], common);
    for (size_t i = 0; i < files->count; i++)
        if (depth_of(files->paths[i], common) != depth) return NULL;
    char *text = NULL;
    FILE *to = strcspn(files->paths[0], "*?[]\\") < common ? NULL : open_memstream(&text, &bytes);
    if (!to) return NULL;
    fwrite(files->paths[0], 1, common, to);
    for (size_t i = 0; i < depth; i++)
        fputs("*/", to);
    fputs("*.db", to);
    glob_t found = {0};
    const bool just = fclose(to) == 0 && glob(text, GLOB_NOSORT, NULL, &found) == 0 &&
                      found.gl_pathc == files->count;
    globfree(&found);
    if (just) return text;
    free(text);
    return NULL;
}

void res_put_paths(FILE *f, const res_run_t *r)
{
    char *wildcard = r->files.count > PATHS_FEW ? wildcard_of(r) : NULL;
    if (wildcard) {
        base_put_word(f, wildcard);
        free(wildcard);
        return;
    }
    for (size_t i = 0; i < r->files.count; i++) {
        if (i) fputc(' ', f);
        base_put_word(f, r->files.paths[i]);
    }
}

/* Writes a kernel's name as an expression; characters with a special meaning are escaped. */
static void put_expression(FILE *f, const char *name)
{
    char *text = NULL;
    size_t bytes;
    FILE *to = open_memstream(&text, &bytes);
    if (!to) return;
    fputc('^', to);
    for (; *name; name++) {
        /* '.' matches a control character, too */
        if ((unsigned char)*name < ' ' || *name == 0x7f) {
            fputc('.', to);
            continue;
        }
        if (strchr("\\^$.|?*+()[]{}/-", *name)) fputc('\\', to);
        fputc(*name, to);
    }
    fputc('$', to);
    if (fclose(to) == 0) base_put_word(f, text);
    free(text);
}

/* Returns 1 if instructions of a kernel of this name were counted, else 0; -1 after reporting the
 * reason. */
static int counted(res_run_t *r, const char *kernel)
{
    static const char sql[] = "SELECT 1 FROM crocprof_counted C JOIN rocpd_info_kernel_symbol K ON "
                              "K.id = C.kernel_id AND "
                              "K.guid = C.guid WHERE K.display_name = ? LIMIT 1";
    db_cursor_t c;
    if (!kernel || !db_holds(r->db, DB_COUNTED)) return 0;
    db_rows(&c, r->db, sql, "t", kernel);
    const bool found = db_next(&c);
    return db_end(&c, "findings") == 0 ? found : -1;
}

static void put_more(FILE *f, const res_run_t *r, res_more_t more, const char *kernel)
{
    if (more == RES_MORE_LINES) {
        fputs("rocprofv3 annotate --kernel ", f);
        put_expression(f, kernel);
        fputc(' ', f);
        res_put_paths(f, r);
    } else if (more == RES_MORE_WAITS) {
        fputs("rocprofv3 waits ", f);
        res_put_paths(f, r);
    } else {
        fprintf(f, "rocpd %s -i ", statements[more] ? "query" : "summary");
        res_put_paths(f, r);
        if (statements[more]) fprintf(f, " --query \"%s\"", statements[more]);
    }
}

int res_finding_set_more(res_run_t *r, res_finding_t *f)
{
    res_more_t more = res_finding_rule(f->rule)->more;
    size_t bytes;
    if (more == RES_MORE_LINES) {
        const int found = counted(r, f->kernel);
        if (found < 0) return -1;
        if (!found) more = RES_MORE_KERNELS;
    }
    FILE *to = open_memstream(&f->more, &bytes);
    if (to) put_more(to, r, more, f->kernel ? f->kernel : "");
    if (!to || fclose(to) != 0) {
        base_error("findings: %s", strerror(ENOMEM));
        return -1;
    }
    int result = 0;
    for (size_t i = 0; result == 0 && i < f->beneath_count; i++)
        result = res_finding_set_more(r, &f->beneath[i]);
    return result;
}
