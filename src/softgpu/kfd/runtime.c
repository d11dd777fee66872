/* runtime.c - checks whether the HSA runtime that the program has loaded supports the GPU.
 *
 * A runtime has a list of the architectures for which it loads code. If the GPU's is not in it, the
 * runtime fails in various ways, often without a message; so softgpu looks the name up in the
 * runtime's memory, and a program whose runtime is too old is refused with one line. */
#include "softgpu/kfd/kfd.h"

#include "base/log.h"
#include "isa/arch.h"

#include <link.h>
#include <string.h>

typedef struct {
    const char *wanted; /* an architecture's name */
    bool known;         /* the runtime has it */
    bool any; /* the runtime has some architecture that softgpu has: the search can be trusted */
    char path[256];
} look_t;

static bool has_text(const struct dl_phdr_info *info, const char *text)
{
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        const void *at = (const void *)(info->dlpi_addr + part->p_vaddr);
        if (part->p_type == PT_LOAD && part->p_flags & PF_R && !(part->p_flags & PF_W) &&
            memmem(at, part->p_memsz, text, strlen(text)))
            return true;
    }
    return false;
}

static int inspect_library(struct dl_phdr_info *info, size_t size, void *user)
{
    look_t *l = user;
    (void)size;
    if (!info->dlpi_name || !strstr(info->dlpi_name, "libhsa-runtime64")) return 0;
    strncpy(l->path, info->dlpi_name, sizeof(l->path) - 1);
    l->known = has_text(info, l->wanted);
    for (unsigned i = 0; i < ISA_ARCH_COUNT && !l->any; i++)
        l->any = has_text(info, isa_archs[i].name);
    return 1;
}

bool kfd_runtime_knows(const sg_profile_t *p)
{
    look_t l = {.wanted = isa_arch_find(p->gfx_target_version)->name};
    if (!p->runtime[0]) return true;
    dl_iterate_phdr(inspect_library, &l);
    if (!l.path[0] || l.known || !l.any) return true;
    base_error("%s is a %s, which %s does not know: %s or later is needed", p->name, l.wanted,
               l.path, p->runtime);
    return false;
}
