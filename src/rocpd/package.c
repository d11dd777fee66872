/* package.c - rocpd package: collects databases in a folder with an index, which is then read as
 * one input. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "base/text.h"
#include "output/file.h"
#include "rocpd/commands.h"
#include "trace/store.h"

/* Chooses the folder: --output-path with .rpdb appended, or a name made from the time, or the
 * working directory. */
static int choose_folder(const rocpd_options_t *o, char folder[PATH_MAX])
{
    const char *given = rocpd_word(o, ROCPD_OUTPUT_PATH, NULL);
    bool moves = rocpd_given(o, ROCPD_CONSOLIDATE) || rocpd_given(o, ROCPD_COPY);
    if (given) {
        snprintf(folder, PATH_MAX, "%s%s", given, base_ends_with(given, ".rpdb") ? "" : ".rpdb");
    } else if (moves) {
        time_t now = time(NULL);
        struct tm tm;
        strftime(folder, PATH_MAX, "./rocpd-%Y%m%d-%H%M%S.rpdb", localtime_r(&now, &tm));
    } else {
        snprintf(folder, PATH_MAX, ".");
    }
    char whole[PATH_MAX];
    if (trace_make_directories(folder) == 0 && realpath(folder, whole)) {
        snprintf(folder, PATH_MAX, "%s", whole);
        return 0;
    }
    base_error("%s: %s", folder, strerror(errno));
    return -1;
}

static int copy_file(const char *from, const char *to)
{
    char why[512];
    out_file_t *out = out_file_open(to, why, sizeof(why));
    int result = out ? out_copy(out, from, why, sizeof(why)) : -1;
    if (result == 0)
        result = out_file_close(out, why, sizeof(why));
    else
        out_file_abandon(out);
    if (result != 0) base_error("%s", why);
    return result;
}

/* Finds an unused name in the folder: the database's own, or that preceded by a number. Existing
 * files are never overwritten. */
static int free_place(const char *path, size_t number, const char *folder, char place[PATH_MAX])
{
    enum { TRIES = 10000 };
    char name[NAME_MAX + 32];
    trace_join(place, PATH_MAX, folder, base_last_part(path));
    for (size_t n = number; n < number + TRIES; n++) {
        if (access(place, F_OK) != 0 && errno == ENOENT) return 0;
        snprintf(name, sizeof(name), "%zu-%s", n, base_last_part(path));
        trace_join(place, PATH_MAX, folder, name);
    }
    base_error("%s: %s has %d files of this name", path, folder, TRIES);
    return -1;
}

/* As rename(), but fails if the new name is in use. */
static int move(const char *from, const char *to)
{
    return link(from, to) == 0 ? unlink(from) : -1;
}

/* Moves or copies a database into the folder under its own name, or preceded by a number if the
 * name is in use. */
static int take(const rocpd_options_t *o, const char *path, size_t number, const char *folder,
                char place[PATH_MAX])
{
    trace_join(place, PATH_MAX, folder, base_last_part(path));
    if (strcmp(place, path) == 0) return 0;
    if (free_place(path, number, folder, place) != 0) return -1;
    if (rocpd_given(o, ROCPD_COPY)) return copy_file(path, place);
    if (move(path, place) == 0) return 0;
    /* the folder is on another file system, or on one without hard links */
    if (errno == EXDEV || errno == EPERM || errno == EOPNOTSUPP)
        return copy_file(path, place) == 0 ? unlink(path) : -1;
    base_error("%s: %s", path, strerror(errno));
    return -1;
}

/* Writes the relative path from the folder to a file. */
static void relative(const char *folder, const char *path, char *out, size_t room)
{
    size_t same = 0;
    for (size_t i = 0; folder[i] == path[i] || (!folder[i] && path[i] == '/'); i++) {
        if (path[i] == '/') same = i + 1;
        if (!folder[i] || !path[i]) break;
    }
    const char *rest = strlen(folder) < same ? "" : folder + same;
    size_t used = 0;
    out[0] = 0;
    for (bool more = *rest; more && used + 4 < room;) {
        used += (size_t)snprintf(out + used, room - used, "../");
        rest = strchr(rest, '/');
        more = rest && *++rest;
    }
    snprintf(out + used, room - used, "%s", path + same);
}

int rocpd_package(const rocpd_options_t *o, const rocpd_files_t *f)
{
    char folder[PATH_MAX], index[PATH_MAX + 16], why[512];
    bool moves = rocpd_given(o, ROCPD_CONSOLIDATE) || rocpd_given(o, ROCPD_COPY);
    for (size_t i = 0; i < f->count; i++) {
        char *version = rocpd_metadata(f->paths[i], "schema_version");
        if (!version) return -1;
        free(version);
    }
    if (choose_folder(o, folder) != 0) return -1;
    snprintf(index, sizeof(index), "%s/index.yaml", folder);
    out_file_t *y = out_file_open(index, why, sizeof(why));
    if (!y) {
        base_error("%s", why);
        return -1;
    }
    out_text(y, "rocprofiler-sdk:\n  rocpd:\n    rocpd_package_version: \"1.0\"\n    path: \".\"\n"
                "    files:\n");
    int result = 0;
    for (size_t i = 0; i < f->count && result == 0; i++) {
        char place[PATH_MAX], shown[2 * PATH_MAX];
        snprintf(place, sizeof(place), "%s", f->paths[i]);
        if (moves) result = take(o, f->paths[i], i, folder, place);
        relative(folder, place, shown, sizeof(shown));
        out_text(y, "      - \"");
        out_escaped(y, BASE_JSON, shown); /* YAML's double quotes allow all of JSON's escapes */
        out_text(y, "\"\n");
    }
    if (result != 0) {
        out_file_abandon(y);
        return -1;
    }
    if (out_file_close(y, why, sizeof(why)) == 0) {
        printf("%s\n", index);
        return 0;
    }
    base_error("%s", why);
    return -1;
}
