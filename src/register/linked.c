/* linked.c - see linked.h. */
#include "register/linked.h"

#include <string.h>

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
