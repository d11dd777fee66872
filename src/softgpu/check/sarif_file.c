/* sarif_file.c - see sarif_file.h: reads the document, replaces lines, and renames a new file over
 * the old one. */
#include "softgpu/check/sarif_file.h"

#include "base/file.h"
#include "base/text.h"
#include "softgpu/check/json_text.h"
#include "softgpu/check/kinds.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define SCHEMA "https://json.schemastore.org/sarif-2.1.0.json"
#define BEGIN  "{\"$schema\":\"" SCHEMA "\""
#define BASE   "\"originalUriBaseIds\":{\"" CHK_SARIF_ROOT "\":{\"uri\":\"file://"
#define MIDDLE "],\"results\":[\n"
#define END    "]}]}\n"

/* ---- paths ---- */

void chk_sarif_put_path(FILE *f, const char *path)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/";
    for (; *path; path++)
        if (strchr(plain, *path))
            fputc(*path, f);
        else
            fprintf(f, "%%%02X", (unsigned char)*path);
}

static void current_folder(char *root, size_t room)
{
    if (!getcwd(root, room - 1)) *root = 0;
    const size_t n = strlen(root);
    if (n && root[n - 1] != '/') strcpy(root + n, "/");
}

/* Decodes what chk_sarif_put_path() has written, up to a quote. */
static void read_path(const char *text, char *path, size_t room)
{
    char *end = path + room - 1, digits[3] = "";
    for (; path < end && *text && *text != '"'; text++) {
        *path = *text;
        if (*text == '%' && text[1] && text[2]) {
            memcpy(digits, text + 1, 2);
            *path = (char)strtoul(digits, NULL, 16);
            text += 2;
        }
        path++;
    }
    *path = 0;
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
                k ? "," : "", row->name, row->text, row->help, row->repair, family);
    }
}

/* Writes the head in one line; the list of invocations begins on the next one. */
static void put_head(FILE *f)
{
    char root[PATH_MAX];
    current_folder(root, sizeof root);
    fputs(BEGIN ",\"version\":\"2.1.0\",\"runs\":[{\"tool\":{\"driver\":{"
                "\"name\":\"softgpu\",\"version\":",
          f);
    base_put_json(f, chk_version);
    fputs(",\"rules\":[", f);
    put_rules(f);
    fputs("]}},\"automationDetails\":{\"id\":\"softgpu/\"},\"columnKind\":\"utf16CodeUnits\"," BASE,
          f);
    chk_sarif_put_path(f, *root ? root : "/");
    fputs("\"}},\"invocations\":[\n", f);
}

static void put_empty(FILE *f)
{
    put_head(f);
    fputs(MIDDLE END, f);
}

/* Copies the lines of the list at `at`, except those that begin with `own`, this process's mark.
 * Returns the end of the list. */
static const char *copy_others(FILE *f, const char *at, const char *end, const char *own,
                               bool *comma)
{
    while (at < end && *at != ']') {
        const char *line = *at == ',' ? at + 1 : at, *next = memchr(at, '\n', (size_t)(end - at));
        next = next ? next + 1 : end;
        if (!base_begins_with(line, own)) {
            fputs(*comma ? "," : "", f);
            fwrite(line, 1, (size_t)(next - line), f);
            *comma = true;
        }
        at = next;
    }
    return at;
}

/* Writes the document `old` with this program's lines replaced. `old` is a whole document. */
static void put_document(FILE *f, const char *old, const chk_sarif_lines_t *lines)
{
    char own[128];
    const char *at = strchr(old, '\n'), *end = old + strlen(old);
    bool comma = false;
    snprintf(own, sizeof own, CHK_SARIF_LINE "%s", lines->mark);
    fwrite(old, 1, (size_t)(++at - old), f);
    at = copy_others(f, at, end, own, &comma);
    fprintf(f, "%s%s\n" MIDDLE, comma ? "," : "", lines->invocation);
    at = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
    comma = false;
    if (at) copy_others(f, at + 1, end, own, &comma);
    fprintf(f, "%s%s" END, comma && *lines->results ? "," : "", lines->results);
}

/* ---- the file ---- */

enum { NAMES = 100 }; /* names tried for a temporary file: killed runs may have left some */

/* Writes a new file in the folder of `name`, with the permissions of `like`, or default ones if
 * that is NULL. False with errno. */
static bool write_beside(const char *name, const char *text, const struct stat *like,
                         char temporary[PATH_MAX])
{
    int fd = -1;
    errno = EEXIST;
    for (unsigned k = 0; fd < 0 && errno == EEXIST && k < NAMES; k++)
        if (snprintf(temporary, PATH_MAX, "%s.%d-%u", name, (int)getpid(), k) < PATH_MAX)
            fd = base_file_open(temporary, O_WRONLY | O_CREAT | O_EXCL, 0666);
        else
            errno = ENAMETOOLONG;
    if (fd < 0) return false;
    FILE *f = fdopen(fd, "w");
    bool good = f && fputs(text, f) >= 0 && (!like || fchmod(fd, like->st_mode & 07777) == 0);
    int error = errno;
    if ((f ? fclose(f) : close(fd)) != 0 && good) {
        error = errno;
        good = false;
    }
    if (!good) unlink(temporary);
    errno = error;
    return good;
}

/* The document with the lines added to `old`; `old` NULL: an empty document. Returns NULL if out of
 * memory. */
static char *text_of(const char *old, const chk_sarif_lines_t *lines)
{
    char *text = NULL;
    size_t bytes;
    FILE *f = open_memstream(&text, &bytes);
    if (!f) return NULL;
    if (old)
        put_document(f, old, lines);
    else
        put_empty(f);
    return fclose(f) == 0 ? text : NULL;
}

/* Writes a document without findings. `replace`: replaces an existing file; otherwise a file is
 * written only if none exists. */
static bool write_empty(const char *name, bool replace)
{
    char temporary[PATH_MAX], *text = text_of(NULL, NULL);
    bool good = text && write_beside(name, text, NULL, temporary);
    free(text);
    if (!good) return false;
    good = (replace ? rename(temporary, name) : link(temporary, name)) == 0;
    const int error = errno;
    if (!good || !replace) unlink(temporary);
    errno = error;
    return good || (!replace && error == EEXIST);
}

/* Follows symbolic links, since a new file would replace the link itself. False with errno if the
 * name exists and is no regular file. */
static bool find_file(const char *name, char path[PATH_MAX])
{
    struct stat st;
    if (!realpath(name, path)) return snprintf(path, PATH_MAX, "%s", name) < PATH_MAX;
    errno = ENOTSUP;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

bool chk_sarif_begin(const char *name)
{
    char path[PATH_MAX];
    return find_file(name, path) && write_empty(path, true);
}

/* Opens the current file and locks it; makes one if there is none. Returns -1 with errno on
 * failure. */
static int open_locked(const char *name)
{
    for (;;) {
        struct stat here, there;
        const int fd = base_file_open(name, O_RDWR, 0);
        if (fd < 0 && (errno != ENOENT || !write_empty(name, false))) return -1;
        if (fd < 0) continue;
        while (flock(fd, LOCK_EX) != 0 && errno == EINTR)
            continue;
        if (fstat(fd, &here) == 0 && stat(name, &there) == 0 && here.st_ino == there.st_ino &&
            here.st_dev == there.st_dev)
            return fd;
        close(fd); /* another process has replaced it meanwhile */
    }
}

/* Reads the document; an empty file counts as an empty document. NULL with errno. */
static char *read_document(const char *name)
{
    size_t bytes;
    char *text = base_file_read(name, SIZE_MAX, &bytes);
    if (!text || (bytes && base_begins_with(text, BEGIN) && strchr(text, '\n'))) return text;
    free(text);
    if (!bytes) return text_of(NULL, NULL);
    errno = EEXIST; /* the file is no SARIF document of the checker */
    return NULL;
}

bool chk_sarif_replace(const char *name, const chk_sarif_lines_t *lines)
{
    char path[PATH_MAX], temporary[PATH_MAX];
    struct stat st;
    const int lock = find_file(name, path) ? open_locked(path) : -1;
    char *old = lock >= 0 ? read_document(path) : NULL;
    char *text = old ? text_of(old, lines) : NULL;
    bool good = text && fstat(lock, &st) == 0 && write_beside(path, text, &st, temporary);
    if (good && rename(temporary, path) != 0) {
        good = false;
        unlink(temporary);
    }
    const int error = errno;
    free(text);
    free(old);
    if (lock >= 0) close(lock);
    errno = error;
    return good;
}

void chk_sarif_root(const char *name, char *root, size_t room)
{
    char path[PATH_MAX], *text = name && find_file(name, path) ? read_document(path) : NULL;
    const char *base = text ? strstr(text, BASE) : NULL;
    if (base)
        read_path(base + strlen(BASE), root, room);
    else
        current_folder(root, room);
    free(text);
}
