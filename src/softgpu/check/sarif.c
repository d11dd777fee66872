/* sarif.c - findings for services that show them beside the code: SARIF 2.1.0.
 *
 * One document for all processes of a run, a line for each process and for each finding. Whoever
 * has something to say reads it, puts his own lines in place of those he wrote before, and renames
 * a new file over it: it is whole at any time. */
#include "softgpu/check/format.h"

#include "base/env.h"
#include "base/log.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SCHEMA "https://json.schemastore.org/sarif-2.1.0.json"
#define ROOT   "%SRCROOT%"
#define MIDDLE "],\"results\":["
#define END    "]}]}"

/* Of this process. */
static struct {
    char **result; /* each without its last member */
    size_t n, room;
    char root[PATH_MAX]; /* where it began, with a slash behind it */
    char *command;       /* as JSON */
    time_t since;
} mine;

/* ---- places ---- */

static void put_escaped(FILE *f, const char *path)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/";
    for (; *path; path++)
        if (strchr(plain, *path))
            fputc(*path, f);
        else
            fprintf(f, "%%%02X", (unsigned char)*path);
}

/* {"uri":...}: below where the program was started, or from the root on. */
static void put_artifact(FILE *f, const char *file)
{
    const size_t root = strlen(mine.root);
    const bool below = root && !strncmp(file, mine.root, root), relative = *file != '/';
    fputs(below || relative ? "{\"uri\":\"" : "{\"uri\":\"file://", f);
    put_escaped(f, below ? file + root : file);
    fputs(below || relative ? "\",\"uriBaseId\":\"" ROOT "\"}" : "\"}", f);
}

static void put_message(FILE *f, const char *text)
{
    fputs("\"message\":{\"text\":", f);
    chk_json_string(f, text);
    fputc('}', f);
}

static void put_region(FILE *f, const char *file, uint32_t line)
{
    fputs("\"physicalLocation\":{\"artifactLocation\":", f);
    put_artifact(f, file);
    if (line) fprintf(f, ",\"region\":{\"startLine\":%u}", line);
    fputc('}', f);
}

/* Where the finding is: a line of a kernel or of a call, or the program, if there is no line. */
static void put_location(FILE *f, const chk_told_t *t)
{
    const char *kernel = t->at.function ? t->at.function : t->at.kernel;
    char program[PATH_MAX] = "";
    fputs("\"locations\":[{", f);
    if (t->at.code.n) {
        put_region(f, t->at.code.file[0], t->at.code.line[0]);
    } else if (t->call.n && t->call.call[0].file) {
        put_region(f, t->call.call[0].file, t->call.call[0].line);
    } else {
        if (readlink("/proc/self/exe", program, sizeof program - 1) < 0) *program = 0;
        put_region(f, *program ? program : "program", 0);
    }
    if (kernel) {
        fputs(",\"logicalLocations\":[{\"fullyQualifiedName\":", f);
        chk_json_string(f, kernel);
        fputs(",\"kind\":\"function\"}]", f);
    }
    fputs("}]", f);
}

/* A list of related locations, each with a number. */
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

static void put_related_code(related_t *r, const chk_code_t *c, uint32_t from, const char *what)
{
    for (uint32_t k = from; k < c->n; k++)
        put_related(r, c->file[k], c->line[k], k ? "inlined into this" : what);
}

static void put_all_related(FILE *f, const chk_told_t *t)
{
    related_t r = {f, 0};
    put_related_code(&r, &t->at.code, 1, "");
    put_related_code(&r, &t->other.code, 0, t->f.other.what);
    if (t->f.call) put_related_calls(&r, &t->call, 1, t->f.call);
    if (t->has_place) put_related_calls(&r, &t->made, 0, t->place.call);
    if (t->has_place && !t->place.live) put_related_calls(&r, &t->gone, 0, t->place.gone_by);
    if (r.n) fputc(']', f);
}

/* The same for the same finding in a program whose lines have moved. */
static void put_fingerprint(FILE *f, const chk_told_t *t)
{
    const char *parts[] = {chk_kinds[t->f.kind].name, t->at.kernel, t->at.function, t->f.call,
                           t->at.code.n                        ? t->at.code.file[0]
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

static void put_rules(FILE *f)
{
    for (unsigned k = 0; k < CHK_KIND_COUNT; k++) {
        const chk_kind_row_t *row = &chk_kinds[k];
        const char *family = chk_family_name(row->family);
        fprintf(f,
                "%s{\"id\":\"%s\",\"shortDescription\":{\"text\":\"%s\"},\"fullDescription\":{"
                "\"text\":\"%s\"},\"help\":{\"text\":\"%s\"},\"defaultConfiguration\":{\"level\":"
                "\"error\"},\"properties\":{\"tags\":[\"%s\",\"gpu\"],\"precision\":\"very-high\","
                "\"problem.severity\":\"error\"}}",
                k ? "," : "", row->name, row->text, row->help, row->help, family);
    }
}

static void put_head(FILE *f)
{
    fputs("{\"$schema\":\"" SCHEMA "\",\"version\":\"2.1.0\",\"runs\":[{\"tool\":{\"driver\":{"
          "\"name\":\"softgpu\",\"version\":",
          f);
    chk_json_string(f, chk_version);
    fputs(",\"rules\":[", f);
    put_rules(f);
    fputs("]}},\"automationDetails\":{\"id\":\"softgpu/\"},\"columnKind\":\"utf16CodeUnits\","
          "\"originalUriBaseIds\":{\"" ROOT "\":{\"uri\":\"file://",
          f);
    put_escaped(f, *mine.root ? mine.root : "/");
    fputs("\"}},\"invocations\":[\n", f);
}

static void put_time(FILE *f, const char *key, time_t when)
{
    char text[32];
    struct tm parts;
    gmtime_r(&when, &parts);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    fprintf(f, ",\"%s\":\"%s\"", key, text);
}

/* `total` is NULL while the process runs. */
static void put_invocation(FILE *f, const chk_total_t *total)
{
    fprintf(f, "{\"processId\":%d,\"executionSuccessful\":%s", (int)getpid(),
            total ? "true" : "false");
    if (total && total->has_status) fprintf(f, ",\"exitCode\":%d", total->status);
    fprintf(f, ",\"arguments\":%s", mine.command ? mine.command : "[]");
    put_time(f, "startTimeUtc", mine.since);
    if (total) put_time(f, "endTimeUtc", time(NULL));
    fputs(",\"workingDirectory\":{\"uri\":\"file://", f);
    put_escaped(f, *mine.root ? mine.root : "/");
    fputs("\"}}", f);
}

/* Copies lines of the list that begins at `at` which are not of `own`; where it ends. */
static const char *copy_others(FILE *f, const char *at, const char *end, const char *own,
                               bool *comma)
{
    while (at < end && *at != ']') {
        const char *line = *at == ',' ? at + 1 : at, *next = memchr(at, '\n', (size_t)(end - at));
        next = next ? next + 1 : end;
        if (strncmp(line, own, strlen(own)) != 0) {
            fputs(*comma ? "," : "", f);
            fwrite(line, 1, (size_t)(next - line), f);
            *comma = true;
        }
        at = next;
    }
    return at;
}

/* The document with the lines of this process in place of those in `old`. False: that is none of
 * ours. */
static bool write_document(FILE *f, const char *old, size_t bytes, const chk_times_t *times,
                           const chk_total_t *total)
{
    char own[64];
    const char *at = old, *end = old + bytes;
    bool comma = false;
    if (bytes && (strncmp(old, "{\"$schema\":\"" SCHEMA, strlen("{\"$schema\":\"" SCHEMA)) != 0 ||
                  !(at = memchr(old, '\n', bytes))))
        return false;
    if (bytes)
        fwrite(old, 1, (size_t)(++at - old), f);
    else
        put_head(f);
    snprintf(own, sizeof own, "{\"processId\":%d,", (int)getpid());
    at = copy_others(f, at, end, own, &comma);
    if (comma) fputc(',', f);
    put_invocation(f, total);
    fputs("\n" MIDDLE "\n", f);
    at = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
    snprintf(own, sizeof own, "{\"properties\":{\"process\":%d,", (int)getpid());
    comma = false;
    if (at) copy_others(f, at + 1, end, own, &comma);
    for (size_t k = 0; k < mine.n; k++) {
        fprintf(f, "%s%s,\"occurrenceCount\":%llu}\n", comma ? "," : "", mine.result[k],
                (unsigned long long)times[k].waves);
        comma = true;
    }
    fputs(END "\n", f);
    return true;
}

/* The file, locked, as it is now; -1 with errno. */
static int open_locked(const char *name)
{
    for (;;) {
        struct stat here, there;
        const int fd = base_file_open(name, O_RDWR | O_CREAT, 0666);
        if (fd < 0) return -1;
        while (flock(fd, LOCK_EX) != 0 && errno == EINTR)
            continue;
        if (fstat(fd, &here) == 0 && stat(name, &there) == 0 && here.st_ino == there.st_ino &&
            here.st_dev == there.st_dev)
            return fd;
        close(fd); /* another process has put a new one in its place */
    }
}

static bool replace(const char *name, const chk_times_t *times, const chk_total_t *total)
{
    char temporary[PATH_MAX + 16];
    size_t bytes = 0;
    struct stat st;
    const int lock = open_locked(name);
    char *old = lock >= 0 ? base_file_read(name, &bytes) : NULL;
    bool good = old;
    snprintf(temporary, sizeof temporary, "%s.XXXXXX", name);
    const int fd = good ? base_file_own(mkostemp(temporary, O_CLOEXEC)) : -1;
    FILE *f = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (f && !write_document(f, old, bytes, times, total)) {
        good = false;
        errno = EEXIST; /* something else */
    }
    if (f && (fstat(lock, &st) != 0 || fchmod(fileno(f), st.st_mode & 07777) != 0)) good = false;
    const int error = errno;
    good = f && fclose(f) == 0 && good && rename(temporary, name) == 0;
    if (fd >= 0 && !good) unlink(temporary);
    if (fd >= 0 && !f) close(fd);
    if (!good && error) errno = error;
    free(old);
    if (lock >= 0) close(lock);
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
    mine.since = time(NULL);
    if (!getcwd(mine.root, sizeof mine.root - 1)) *mine.root = 0;
    const size_t n = strlen(mine.root);
    if (n && mine.root[n - 1] != '/') strcpy(mine.root + n, "/");
    FILE *f = open_memstream(&mine.command, &bytes);
    if (!f) return;
    chk_json_command(f);
    if (fclose(f) != 0) mine.command = NULL;
}

static char *make_result(const chk_told_t *t, const chk_times_t *times)
{
    char *text = NULL, *message = NULL;
    size_t bytes, message_bytes;
    FILE *f = open_memstream(&text, &bytes), *m = open_memstream(&message, &message_bytes);
    if (m) chk_text_write(m, t, times);
    if (m) fclose(m);
    if (f) {
        fprintf(f, "{\"properties\":{\"process\":%d,\"suppression\":", (int)getpid());
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

/* `times` is one of an array of them, by id. */
static void finding(base_lines_t *l, const chk_told_t *t, const chk_times_t *times)
{
    (void)l;
    begin();
    if (mine.n == mine.room) {
        const size_t room = mine.room ? 2 * mine.room : 32;
        char **grown = realloc(mine.result, room * sizeof *grown);
        if (!grown) return;
        mine.result = grown;
        mine.room = room;
    }
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
