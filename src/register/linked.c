/* linked.c - see linked.h. */
#include "register/linked.h"

#include "base/text.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

bool reg_is_file_of(const char *path, const char *library)
{
    return path && strncmp(base_last_part(path), library, strlen(library)) == 0;
}

typedef struct {
    const char *library;
    char *path;
} search_t;

static int note(struct dl_phdr_info *info, size_t size, void *data)
{
    const search_t *s = data;
    (void)size;
    if (!reg_is_file_of(info->dlpi_name, s->library)) return 0;
    snprintf(s->path, 4096, "%s", info->dlpi_name);
    return 1;
}

void *reg_find_library(const char *library, char path[4096])
{
    search_t s = {library, path};
    return dl_iterate_phdr(note, &s) ? dlopen(path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
}

bool reg_registers_itself(const struct link_map *library)
{
    static const char name[] = "librocprofiler-register.so";
    const char *strings = NULL;
    for (const ElfW(Dyn) *d = library->l_ld; d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_STRTAB) strings = (const char *)d->d_un.d_ptr;
    for (const ElfW(Dyn) *d = library->l_ld; strings && d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_NEEDED && strncmp(strings + d->d_un.d_val, name, strlen(name)) == 0)
            return true;
    return false;
}
