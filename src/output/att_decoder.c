/* att_decoder.c - finds and loads the decoder of thread traces: AMD's if it is installed, or this
 * project's.
 *
 * It is apart because rocprofv3 searches the decoder before the program runs, and uses it after the
 * program has ended. */
#define _XOPEN_SOURCE 700
#include "output/att.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/installation.h"
#include "base/symbol.h"
#include "base/text.h"

#define LIBRARY "librocprof-trace-decoder.so"

static _Thread_local char *found; /* a variable because nftw() has no user data */

static int look(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st;
    if (type == FTW_D || type == FTW_DNR || !strstr(path + at->base, LIBRARY)) return 0;
    snprintf(found, PATH_MAX, "%s", path);
    return 1;
}

static bool find_below(const char *folder, char path[PATH_MAX])
{
    enum { DESCRIPTORS = 16 };
    found = path;
    return nftw(folder, look, DESCRIPTORS, FTW_PHYS) == 1;
}

static bool find_in(const char *folder, char path[PATH_MAX])
{
    return snprintf(path, PATH_MAX, "%s/" LIBRARY, folder) < PATH_MAX && access(path, R_OK) == 0;
}

/* Calls `find` for the folders of a colon-separated list, in turn, until it succeeds. */
static bool find_first(const char *list, bool (*find)(const char *, char *), char path[PATH_MAX])
{
    char *folders = list ? strdup(list) : NULL;
    bool good = false;
    for (char *rest = folders, *folder; !good && (folder = strsep(&rest, ":"));)
        good = *folder && find(folder, path);
    free(folders);
    return good;
}

/* Searches lib beside the folder of this program. */
static bool find_beside(char path[PATH_MAX])
{
    char program[PATH_MAX], folder[PATH_MAX + 8];
    if (!base_program_path(program)) return false;
    snprintf(folder, sizeof(folder), "%.*s../lib", (int)(base_last_part(program) - program),
             program);
    return find_in(folder, path);
}

bool out_decoder_find(const char *paths, char path[PATH_MAX], char *why, size_t why_bytes)
{
    static const char rocm[] = "/opt/rocm/lib";
    const char *loader = getenv("LD_LIBRARY_PATH");
    if (paths && *paths) {
        if (find_first(paths, find_below, path)) return true;
        snprintf(why, why_bytes, "no " LIBRARY " in or below %s", paths);
        return false;
    }
    if (find_first(loader, find_in, path) || find_in(rocm, path) || find_beside(path)) return true;
    snprintf(why, why_bytes,
             "no " LIBRARY " in %s%s%s or beside rocprofv3: --att-library-path says "
             "where it is",
             loader ? loader : "", loader && *loader ? ":" : "", rocm);
    return false;
}

#define GET(d, member, name) base_symbol((d)->library, "rocprof_trace_decoder_" name, &(d)->member)

bool out_decoder_open(out_decoder_t *d, const char *path, char *why, size_t why_bytes)
{
    memset(d, 0, sizeof(*d));
    snprintf(d->path, sizeof(d->path), "%s", path);
    d->library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    if (!d->library) {
        snprintf(why, why_bytes, "the decoder of thread traces: %s", dlerror());
        return false;
    }
    if (!GET(d, parse_data, "parse_data") || !GET(d, info_string, "get_info_string") ||
        !GET(d, status_string, "get_status_string")) {
        snprintf(why, why_bytes, "%s is no decoder of thread traces: %s", path, dlerror());
        out_decoder_close(d);
        return false;
    }
    if (!GET(d, create, "create_handle") || !GET(d, destroy, "destroy_handle") ||
        !GET(d, set_isa, "set_isa_callback") || !GET(d, parse, "parse"))
        d->create = NULL;
    return true;
}

void out_decoder_close(out_decoder_t *d)
{
    if (d->library) dlclose(d->library);
    d->library = NULL;
}
