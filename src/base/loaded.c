/* loaded.c - see loaded.h. */
#include "base/loaded.h"

#include "base/text.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

bool base_is_file_of(const char *path, const char *library)
{
    return path && strncmp(base_last_part(path), library, strlen(library)) == 0;
}

typedef struct {
    const char *library;
    char *path;
} search_t;

/* Notes only the path: the library is opened after dl_iterate_phdr has returned. dlopen inside of
 * dl_iterate_phdr could wait for a thread that holds the loader's other lock and waits for this
 * thread. */
static int note(struct dl_phdr_info *info, size_t size, void *data)
{
    const search_t *s = data;
    (void)size;
    if (!base_is_file_of(info->dlpi_name, s->library)) return 0;
    snprintf(s->path, 4096, "%s", info->dlpi_name);
    return 1;
}

void *base_find_loaded(const char *library, char path[4096])
{
    search_t s = {library, path};
    return dl_iterate_phdr(note, &s) ? dlopen(path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
}
