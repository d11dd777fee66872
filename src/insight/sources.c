/* sources.c - see sources.h. */
#include "insight/sources.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

bool ins_sources_each(const ins_set_t *set, bool (*each)(void *to, const char *path), void *to)
{
    size_t room = 0, n = 0;
    bool good = true;
    for (size_t i = 0; i < set->count; i++)
        room += 1 + set->items[i].inlined_count;
    const char **paths = calloc(room + 1, sizeof(*paths));
    if (!paths) return false;
    for (size_t i = 0; i < set->count; i++) {
        const ins_instruction_t *item = &set->items[i];
        if (*item->file && (!n || paths[n - 1] != item->file)) paths[n++] = item->file;
        for (size_t k = 0; k < item->inlined_count; k++)
            if (*item->inlined[k].file) paths[n++] = item->inlined[k].file;
    }
    if (n) qsort(paths, n, sizeof(*paths), by_text);
    for (size_t i = 0; good && i < n; i++)
        if (!i || strcmp(paths[i - 1], paths[i]) != 0) good = each(to, paths[i]);
    free(paths);
    return good;
}

bool ins_source_is_header(const char *path)
{
    static const char *const begins[] = {"/usr/include/",   "/usr/lib",   "/usr/local/include/",
                                         "/usr/local/lib/", "/opt/rocm/", "/opt/rocm-"};
    static const char *const parts[] = {
        "/include/hip/",     "/include/hiprand/", "/include/hipcub/",
        "/include/rocprim/", "/include/rocrand/", "/include/rocwmma/",
        "/include/thrust/",  "/include/c++/",     "/lib/clang/"};
    for (size_t i = 0; i < sizeof(begins) / sizeof(*begins); i++)
        if (strncmp(path, begins[i], strlen(begins[i])) == 0) return true;
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
        if (strstr(path, parts[i])) return true;
    return false;
}

/* Returns the rest of `path` if it is `old` or lies below it; else NULL. */
static const char *below(const char *path, const char *old, size_t length)
{
    while (length && old[length - 1] == '/')
        length--;
    if (strncmp(path, old, length) != 0) return NULL;
    return path[length] == '/' || !path[length] ? path + length : NULL;
}

static void find_place(const char *path, const char *moved, char place[PATH_MAX])
{
    snprintf(place, PATH_MAX, "%s", path);
    for (const char *at = moved; at && *at; at += strcspn(at, "\n"), at += *at == '\n') {
        const size_t end = strcspn(at, "\n"), equals = strcspn(at, "=");
        if (equals >= end) continue;
        const char *rest = below(path, at, equals);
        if (!rest) continue;
        snprintf(place, PATH_MAX, "%.*s%s", (int)(end - equals - 1), at + equals + 1, rest);
        return;
    }
}

char *ins_source_read(const char *path, const char *moved)
{
    char place[PATH_MAX], why[64];
    struct stat is;
    size_t size;
    find_place(path, moved, place);
    /* only regular files are opened, since opening a pipe, for example, could wait for ever */
    if (stat(place, &is) != 0 || !S_ISREG(is.st_mode)) return NULL;
    return base_file_text(place, INS_SOURCE_BYTES_MAX, &size, why, sizeof(why));
}
