/* sarif.c - writes findings in SARIF 2.1.0, for services that show them beside the source code.
 *
 * This file makes the lines of the document; sarif_file.h puts them into a file. */
#include "softgpu/check/format.h"

#include "base/env.h"
#include "base/grow.h"
#include "base/installation.h"
#include "base/log.h"
#include "base/text.h"
#include "softgpu/check/json_text.h"
#include "softgpu/check/sarif_file.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* State of this process while it runs this program. */
static struct {
    char **result; /* each one without its last member, the count, and its closing brace */
    size_t n, room;
    char root[PATH_MAX]; /* the folder that the document's paths are below, with a slash at its
                          * end */
    char *command;       /* the command line as JSON */
    char mark[64];       /* the members that mark this process's lines */
    time_t since;
} mine;

/* ---- places in the code ---- */

/* Writes {"uri":...}: relative to the document's folder, or absolute. */
static void put_artifact(FILE *f, const char *file)
{
    const size_t root = strlen(mine.root);
    const bool below = root && !strncmp(file, mine.root, root), relative = *file != '/';
    fputs(below || relative ? "{\"uri\":\"" : "{\"uri\":\"file://", f);
    chk_sarif_put_path(f, below ? file + root : file);
    fputs(below || relative ? "\",\"uriBaseId\":\"" CHK_SARIF_ROOT "\"}" : "\"}", f);
}

static void put_message(FILE *f, const char *text)
{
    fputs("\"message\":{\"text\":", f);
    base_put_json(f, text);
    fputc('}', f);
}

static void put_region(FILE *f, const char *file, uint32_t line)
{
    fputs("\"physicalLocation\":{\"artifactLocation\":", f);
    put_artifact(f, file);
    if (line) fprintf(f, ",\"region\":{\"startLine\":%u}", line);
    fputc('}', f);
}

/* Where the finding is: a line of a kernel or of a call; the program's file if no line is known. */
static void put_location(FILE *f, const chk_details_t *t)
{
    const char *kernel = t->at.function ? t->at.function : t->at.kernel;
    char program[PATH_MAX];
    fputs("\"locations\":[{", f);
    if (t->at.code.n) {
        put_region(f, t->at.code.file[t->at.code.own], t->at.code.line[t->at.code.own]);
    } else if (t->call.n && t->call.call[0].file) {
        put_region(f, t->call.call[0].file, t->call.call[0].line);
    } else {
        put_region(f, base_program_path(program) ? program : "program", 0);
    }
    if (kernel) {
        fputs(",\"logicalLocations\":[{\"fullyQualifiedName\":", f);
        base_put_json(f, kernel);
        fputs(",\"kind\":\"function\"}]", f);
    }
    fputs("}]", f);
}

/* A list of related locations, numbered from 1. */
typedef struct {
    FILE *f;
    unsigned n;
} related_t;

static void put_related(related_t *r, const char *file, uint32_t line, const char *what)
{
    fputs(r->n ? ",{" : ",\"relatedLocations\":[{", r->f);
    fprintf(r->f, "\"id\":%u,", ++r->n);
    put_region(r->f, file, line);
    fputc(',', r->f);
    put_message(r->f, what);
    fputc('}', r->f);
}

static void put_related_calls(related_t *r, const chk_calls_t *calls, uint32_t from,
                              const char *call)
{
    char what[256];
    for (uint32_t k = from; k < calls->n; k++) {
        snprintf(what, sizeof what, k ? "from where %s was called" : "%s", call);
        if (calls->call[k].file) put_related(r, calls->call[k].file, calls->call[k].line, what);
    }
}

/* `what` NULL: the line of the finding itself is already written. */
static void put_related_code(related_t *r, const chk_code_t *c, const char *what)
{
    for (uint32_t k = 0; k < c->n; k++)
        if (k != c->own)
            put_related(r, c->file[k], c->line[k],
                        k < c->own ? "what was inlined" : "inlined into this");
        else if (what)
            put_related(r, c->file[k], c->line[k], what);
}

static void put_all_related(FILE *f, const chk_details_t *t)
{
    related_t r = {f, 0};
    put_related_code(&r, &t->at.code, NULL);
    put_related_code(&r, &t->other.code, t->f.other.what);
    if (t->f.other.call) put_related_calls(&r, &t->other_call, 0, t->f.other.call);
    if (t->f.call) put_related_calls(&r, &t->call, !t->at.code.n, t->f.call);
    if (t->has_place) put_related_calls(&r, &t->made, 0, t->variable ? t->variable : t->place.call);
    if (t->has_place && !t->place.live) put_related_calls(&r, &t->gone, 0, t->place.gone_by);
    if (r.n) fputc(']', f);
}

/* Writes a fingerprint, which stays the same if lines of the program move: it does not depend on
 * line numbers. */
static void put_fingerprint(FILE *f, const chk_details_t *t)
{
    const char *parts[] = {chk_kinds[t->f.kind].name, t->at.kernel, t->at.function, t->f.call,
                           t->at.code.n                        ? t->at.code.file[t->at.code.own]
                           : t->call.n && t->call.call[0].file ? t->call.call[0].file
                                                               : NULL};
    fputs(",\"partialFingerprints\":{\"softgpu/1\":\"", f);
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        const char *part = parts[k] ? base_last_part(parts[k]) : "";
        fprintf(f, "%08x", base_hash(part, strlen(part)));
    }
    fputs("\"}", f);
}

/* ---- the document ---- */

static void put_time(FILE *f, const char *key, time_t when)
{
    char text[32];
    struct tm parts;
    gmtime_r(&when, &parts);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    fprintf(f, ",\"%s\":\"%s\"", key, text);
}

/* `total`: NULL while the process runs. */
static void put_invocation(FILE *f, const chk_total_t *total)
{
    char folder[PATH_MAX];
    fprintf(f, CHK_SARIF_LINE "%s},\"processId\":%d,\"executionSuccessful\":%s", mine.mark,
            (int)getpid(), total && !total->aborts ? "true" : "false");
    if (total && total->aborts) fputs(",\"exitSignalName\":\"SIGABRT\"", f);
    if (total && total->has_status) fprintf(f, ",\"exitCode\":%d", total->status);
    fprintf(f, ",\"arguments\":%s", mine.command ? mine.command : "[]");
    put_time(f, "startTimeUtc", mine.since);
    if (total) put_time(f, "endTimeUtc", time(NULL));
    if (getcwd(folder, sizeof folder)) {
        fputs(",\"workingDirectory\":{\"uri\":\"file://", f);
        chk_sarif_put_path(f, folder);
        fputs("\"}", f);
    }
    fputc('}', f);
}

static void put_results(FILE *f, const chk_times_t *times)
{
    for (size_t k = 0; k < mine.n; k++)
        fprintf(f, "%s%s,\"occurrenceCount\":%llu}\n", k ? "," : "", mine.result[k],
                (unsigned long long)times[k].waves);
}

static bool replace(const char *name, const chk_times_t *times, const chk_total_t *total)
{
    char *invocation = NULL, *results = NULL;
    size_t bytes;
    FILE *i = open_memstream(&invocation, &bytes), *r = open_memstream(&results, &bytes);
    if (i) put_invocation(i, total);
    if (r) put_results(r, times);
    const bool first = i && fclose(i) == 0, both = r && fclose(r) == 0 && first;
    const chk_sarif_lines_t lines = {mine.mark, invocation, results};
    const bool good = both && chk_sarif_replace(name, &lines);
    const int error = errno;
    free(invocation);
    free(results);
    errno = error;
    return good;
}

static void update(const chk_times_t *times, const chk_total_t *total)
{
    static bool told;
    const char *name = base_env(chk_variables[CHK_VARIABLE_OUTPUT]);
    base_file_limit_t limit;
    base_file_limit_begin(&limit, false);
    const bool good = name && replace(name, times, total);
    base_file_limit_end(&limit);
    if (!good && !told) base_error("%s: %s", name ? name : "no file for findings", strerror(errno));
    told = told || !good;
}

/* ---- a process ---- */

static void begin(void)
{
    size_t bytes;
    if (mine.since) return;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    mine.since = now.tv_sec;
    snprintf(mine.mark, sizeof mine.mark, "\"process\":%d,\"began\":\"%lld.%09ld\"", (int)getpid(),
             (long long)now.tv_sec, now.tv_nsec);
    chk_sarif_root(base_env(chk_variables[CHK_VARIABLE_OUTPUT]), mine.root, sizeof mine.root);
    FILE *f = open_memstream(&mine.command, &bytes);
    if (!f) return;
    chk_json_command(f);
    if (fclose(f) != 0) mine.command = NULL;
}

static char *make_result(const chk_details_t *t, const chk_times_t *times)
{
    char *text = NULL, *message = NULL;
    size_t bytes, message_bytes;
    FILE *f = open_memstream(&text, &bytes), *m = open_memstream(&message, &message_bytes);
    if (m) chk_text_write(m, t, times);
    if (m) fclose(m);
    if (f) {
        fprintf(f, CHK_SARIF_LINE "%s,\"suppression\":", mine.mark);
        chk_json_rule(f, t);
        fprintf(f, "},\"ruleId\":\"%s\",\"ruleIndex\":%u,\"level\":\"error\",",
                chk_kinds[t->f.kind].name, (unsigned)t->f.kind);
        put_message(f, message ? message : chk_kinds[t->f.kind].text);
        fputc(',', f);
        put_location(f, t);
        put_all_related(f, t);
        put_fingerprint(f, t);
        fclose(f);
    }
    free(message);
    return text;
}

/* `times` points into an array of them, indexed by id - 1. */
static void finding(base_lines_t *l, const chk_details_t *t, const chk_times_t *times)
{
    (void)l;
    begin();
    if (!BASE_GROW(mine.result, mine.n, &mine.room)) return;
    char *text = make_result(t, times);
    if (!text) return;
    mine.result[mine.n++] = text;
    update(times - (times->id - 1), NULL);
}

static void summary(base_lines_t *l, const chk_total_t *total)
{
    (void)l;
    begin();
    update(total->times, total);
}

static void forked(void)
{
    for (size_t k = 0; k < mine.n; k++)
        free(mine.result[k]);
    free(mine.command);
    free(mine.result);
    memset(&mine, 0, sizeof mine);
}

const chk_writer_t chk_sarif_writer = {.finding = finding, .summary = summary, .forked = forked};
