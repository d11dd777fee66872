/* find.c - a dlopen() that gives HIP, in place of its compiler libamd_comgr, a library that opens
 * the compiler only if it has to (compiled/compiled.h).
 *
 * HIP opens libamd_comgr by this name when the program first uses a GPU. Every other call is passed
 * on to the next definition of dlopen() by a jump, so that the program still is the caller: the
 * folders that the loader searches depend on it. */
#include "base/look_up.h"
#include "base/symbol.h"
#include "base/text.h"
#include "softgpu/preload/redirect.h"

typedef void *(*dlopen_t)(const char *, int);

base_looked_up_t find_library(const char *name, int flags, void *ignored, const void *caller);

/* Whether the code is that of HIP 5, of whatever version behind the 5. */
static bool is_hip(const void *code)
{
    static const char hip[] = "libamdhip64.so.5";
    Dl_info info;
    if (!dladdr(code, &info) || !info.dli_fname) return false;
    const char *name = base_last_part(info.dli_fname);
    if (!base_begins_with(name, hip)) return false;
    return name[strlen(hip)] == '\0' || name[strlen(hip)] == '.';
}

/* Opens the library that stands in for the compiler, which is beside this one. NULL: it does not.
 * Once HIP has it, it stands in for all, as dlopen() would give to all the libamd_comgr that HIP
 * has: without it, our disassembler would search a compiler of its own. */
static void *open_stand_in(dlopen_t open, int flags, const void *caller)
{
    static _Atomic bool stands_in_for_all;
    bool (*stands_in)(const void *, bool);
    char path[PATH_MAX];
    const bool for_all = stands_in_for_all;
    const bool special = flags & (RTLD_NOLOAD | RTLD_GLOBAL | RTLD_DEEPBIND);
    if (!for_all && (special || !is_hip(caller))) return NULL;
    if (!redirect_beside("libsoftgpu-comgr.so", path)) return NULL;
    void *library = open(path, for_all ? flags : RTLD_LAZY | RTLD_LOCAL);
    if (for_all || !library) return library;
    if (!base_symbol(library, "softgpu_comgr_stands_in", &stands_in) ||
        !stands_in(caller, redirect_has_stderr()))
        return NULL;
    stands_in_for_all = true;
    return library;
}

__attribute__((visibility("hidden"))) base_looked_up_t
find_library(const char *name, int flags, void *ignored, const void *caller)
{
    static _Atomic(void *) next;
    base_looked_up_t result = {.onward = base_next_definition(&next, "dlopen")};
    (void)ignored;
    if (!name || strcmp(name, "libamd_comgr.so.2") != 0 || !redirect_in_use()) return result;
    dlopen_t open;
    memcpy(&open, &result.onward, sizeof open);
    void *library = open_stand_in(open, flags, caller);
    if (library) result = (base_looked_up_t){.answer = library};
    return result;
}

BASE_LOOK_UP_FIRST(dlopen, find_library);
