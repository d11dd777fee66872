/* report.c - see report.h. It writes the page around the packed bytes. */
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "output/file.h"
#include "report/findings.h"
#include "report/pack.h"
#include "report/ranks.h"
#include "report/read.h"

extern const char report_page_head[], report_page_tail[]; /* files of page/ as strings, made by the
                                                           * build */

static void put_base64(out_file_t *f, const rep_bytes_t *b)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < b->count; i += 3) {
        size_t left = b->count - i;
        uint32_t bits = (uint32_t)b->rows[i] << 16 | (left > 1 ? b->rows[i + 1] << 8 : 0) |
                        (left > 2 ? b->rows[i + 2] : 0);
        char *at = out_reserve(f, 4);
        for (int k = 0; k < 4; k++)
            *at++ = (size_t)k <= left ? letters[bits >> (18 - 6 * k) & 63] : '=';
        out_commit(f, at);
    }
}

static int write_page(const rep_bytes_t *bytes, const char *path)
{
    char why[PATH_MAX + 256] = "";
    sigset_t before;
    out_signals_hold(&before);
    out_file_t *f = out_file_open(path, why, sizeof(why));
    if (f) {
        out_text(f, report_page_head);
        put_base64(f, bytes);
        out_text(f, report_page_tail);
    }
    const bool done = f && out_file_close(f, why, sizeof(why)) == 0;
    if (!done) base_error("%s", why);
    out_signals_release(&before);
    return done ? 0 : -1;
}

/* Reads a run: first the facts about all its processes, then the records. */
static int read_run(rep_run_t *run, rep_names_t *names, const rep_request_t *request,
                    const rep_input_t *input)
{
    rep_found_t found;
    rep_input_t chosen = *input;
    if (rep_find(&found, input) != 0) return -1;
    char **paths = calloc(found.databases.files.count, sizeof(*paths));
    int result = paths ? 0 : -1;
    if (!paths) base_error("out of memory");
    if (result == 0) {
        chosen.paths = paths;
        chosen.count = rep_ranks_choose(&found, paths);
        result = rep_read(run, names, request, &chosen);
    }
    if (result == 0) result = rep_add_findings(run, names, &found);
    if (result == 0) result = rep_ranks_add(run, names, &found);
    free(paths);
    rep_found_close(&found);
    return result;
}

int rep_write(const rep_request_t *request, const char *path)
{
    int result = 0;
    rep_part_t parts[REP_RUNS_MAX] = {0};
    rep_names_t names = {0};
    rep_bytes_t bytes = {0};
    for (size_t i = 0; result == 0 && i < request->run_count; i++) {
        result = read_run(&parts[i].run, &names, request, &request->runs[i]);
        if (result == 0 && !rep_lanes_make(&parts[i].lanes, &parts[i].run)) {
            base_error("%s: out of memory", path);
            result = -1;
        }
    }
    if (result == 0 && !rep_pack(&bytes, parts, request->run_count, &names, request)) {
        base_error("%s: out of memory", path);
        result = -1;
    }
    if (result == 0) result = write_page(&bytes, path);
    for (size_t i = 0; i < REP_RUNS_MAX; i++) {
        rep_run_free(&parts[i].run);
        rep_lanes_free(&parts[i].lanes);
    }
    rep_names_free(&names);
    free(bytes.rows);
    return result;
}
