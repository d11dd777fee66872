/* search.c - see search.h. It calls functions of the C library that front_library.c has, and no
 * others. */
#include "cli/search.h"

#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Where programs are looked for without PATH. */
#define USUAL_PLACES "/usr/local/bin:/usr/bin:/bin"

static cli_search_t look(const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0) return CLI_SEARCH_NOTHING;
    if (S_ISDIR(st.st_mode)) return CLI_SEARCH_DIRECTORY;
    return access(path, X_OK) == 0 ? CLI_SEARCH_FOUND : CLI_SEARCH_NOT_EXECUTABLE;
}

/* Makes <place>/<name>, or ./<name> of an empty place. Returns false if that is too long. */
static bool join(char *path, size_t path_bytes, const char *place, size_t place_bytes,
                 const char *name)
{
    const size_t name_bytes = strlen(name) + 1;
    if (!place_bytes) {
        place = ".";
        place_bytes = 1;
    }
    if (place_bytes + 1 + name_bytes > path_bytes) return false;
    memcpy(path, place, place_bytes);
    path[place_bytes] = '/';
    memcpy(path + place_bytes + 1, name, name_bytes);
    return true;
}

static cli_search_t search_places(const char *name, const char *places, char *path,
                                  size_t path_bytes)
{
    cli_search_t result = CLI_SEARCH_NOTHING;
    for (const char *at = places;; at++) {
        const size_t bytes = strcspn(at, ":");
        if (join(path, path_bytes, at, bytes, name)) {
            const cli_search_t found = look(path);
            if (found == CLI_SEARCH_FOUND) return found;
            if (found == CLI_SEARCH_NOT_EXECUTABLE) result = found;
        }
        at += bytes;
        if (!*at) return result;
    }
}

cli_search_t cli_search(const char *name, const char *places, char *path, size_t path_bytes)
{
    const size_t bytes = strlen(name) + 1;
    if (!strchr(name, '/'))
        return search_places(name, places ? places : USUAL_PLACES, path, path_bytes);
    if (bytes > path_bytes) return CLI_SEARCH_NOTHING;
    memcpy(path, name, bytes);
    return look(path);
}
