/* hide.c - see hide.h.
 *
 * It changes memory that the dynamic loader has filled in: the symbol table of this library, and
 * pointers to functions in other libraries. Inside dl_iterate_phdr it calls nothing that takes
 * another lock of the loader, since two threads that hold the two locks could wait for each other
 * for ever. */
#include "base/hide.h"

#include "base/loaded.h"
#include "base/log.h"
#include "base/object.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static uintptr_t page_of(uintptr_t at)
{
    return at & ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1);
}

/* Changes the protection of all pages that the range of addresses touches. */
static bool protect(uintptr_t first, uintptr_t end, int how)
{
    const uintptr_t from = page_of(first), to = page_of(end - 1) + (uintptr_t)sysconf(_SC_PAGESIZE);
    if (mprotect((void *)from, to - from, how) == 0) return true;
    base_warning("functions that a runtime lacks seem to be there: pages cannot be changed");
    return false;
}

static int protection_of(const ElfW(Phdr) * part)
{
    return (part->p_flags & PF_R ? PROT_READ : 0) | (part->p_flags & PF_W ? PROT_WRITE : 0) |
           (part->p_flags & PF_X ? PROT_EXEC : 0);
}

/* ---- hiding ---- */

typedef struct {
    const char *runtime;
    const char *const *prefixes;
    base_object_t own;
    uint32_t count; /* number of symbols */
    bool has_runtime;
} hiding_t;

static int find_own(struct dl_phdr_info *info, size_t size, void *data)
{
    hiding_t *h = data;
    (void)size;
    if (!base_object_read(&h->own, info) || !h->own.hash ||
        !base_object_part(&h->own, PT_LOAD, (uintptr_t)find_own))
        return 0;
    h->count = base_object_symbols(&h->own);
    return 1;
}

static bool stands_before(const hiding_t *h, const ElfW(Sym) * symbol)
{
    const char *name = h->own.strings + symbol->st_name;
    for (size_t i = 0; h->prefixes[i]; i++)
        if (strncmp(name, h->prefixes[i], strlen(h->prefixes[i])) == 0)
            return symbol->st_shndx != SHN_UNDEF;
    return false;
}

static void hide_behind(const hiding_t *h, const base_object_t *runtime)
{
    const uintptr_t symbols = (uintptr_t)h->own.symbols,
                    end = (uintptr_t)(h->own.symbols + h->count);
    const ElfW(Phdr) *part = base_object_part(&h->own, PT_LOAD, symbols);
    if (!part || !protect(symbols, end, protection_of(part) | PROT_WRITE)) return;
    for (ElfW(Sym) *s = (ElfW(Sym) *)symbols; s < (ElfW(Sym) *)end; s++)
        if (stands_before(h, s) && !base_object_definition(runtime, h->own.strings + s->st_name))
            /* A thread that has already found the symbol may go on using it. */
            __atomic_store_n(&s->st_name, 0, __ATOMIC_RELAXED);
    protect(symbols, end, protection_of(part));
}

static int hide(struct dl_phdr_info *info, size_t size, void *data)
{
    hiding_t *h = data;
    base_object_t runtime;
    (void)size;
    if (!base_is_file_of(info->dlpi_name, h->runtime)) return 0;
    h->has_runtime = true;
    if (base_object_read(&runtime, info) && runtime.hash) hide_behind(h, &runtime);
    return 1;
}

/* ---- unbinding ---- */

static bool is_lacking(const hiding_t *h, uintptr_t function)
{
    /* Libraries of C++ have thousands of weak symbols, nearly all of which lead elsewhere. */
    if (!base_object_part(&h->own, PT_LOAD, function)) return false;
    for (uint32_t i = 0; i < h->count; i++) {
        const ElfW(Sym) *s = &h->own.symbols[i];
        if (s->st_shndx == SHN_UNDEF || h->own.base + s->st_value != function) continue;
        return h->has_runtime ? s->st_name == 0 : stands_before(h, s);
    }
    return false;
}

static void unbind_place(const hiding_t *h, const base_object_t *o, const ElfW(Rela) * place)
{
    const unsigned type = ELF64_R_TYPE(place->r_info);
    if (type != R_X86_64_GLOB_DAT && type != R_X86_64_64 && type != R_X86_64_JUMP_SLOT) return;
    if (ELF64_ST_BIND(o->symbols[ELF64_R_SYM(place->r_info)].st_info) != STB_WEAK) return;
    const uintptr_t added = type == R_X86_64_64 ? (uintptr_t)place->r_addend : 0;
    uintptr_t *at = (uintptr_t *)(o->base + place->r_offset);
    const ElfW(Phdr) *part = base_object_part(o, PT_LOAD, (uintptr_t)at);
    if (!part || !(part->p_flags & PF_W) || !is_lacking(h, *at - added)) return;
    /* The loader makes the RELRO region read-only after filling it in, except for a last page that
     * the region covers only partly. */
    const ElfW(Phdr) *sealed = base_object_part(o, PT_GNU_RELRO, (uintptr_t)at);
    if (sealed && (uintptr_t)at >= page_of(o->base + sealed->p_vaddr + sealed->p_memsz))
        sealed = NULL;
    if (sealed && !protect((uintptr_t)at, (uintptr_t)(at + 1), PROT_READ | PROT_WRITE)) return;
    *at = added;
    if (sealed) protect((uintptr_t)at, (uintptr_t)(at + 1), PROT_READ);
}

static int unbind_object(struct dl_phdr_info *info, size_t size, void *data)
{
    const hiding_t *h = data;
    base_object_t o;
    (void)size;
    if (!base_object_read(&o, info) || o.symbols == h->own.symbols) return 0;
    for (int i = 0; i < 2; i++)
        for (size_t k = o.places[i].plain; k < o.places[i].bytes / sizeof(ElfW(Rela)); k++)
            unbind_place(h, &o, &o.places[i].first[k]);
    return 0;
}

/* Only one thread at a time makes changes. A second thread returns at once instead of waiting,
 * because hide.h promises to take no lock but the loader's. */
static atomic_flag busy = ATOMIC_FLAG_INIT;

static void change(const char *runtime, const char *const *prefixes, bool bound)
{
    hiding_t h = {.runtime = runtime, .prefixes = prefixes};
    if (atomic_flag_test_and_set(&busy)) return;
    if (dl_iterate_phdr(find_own, &h)) {
        dl_iterate_phdr(hide, &h);
        if (bound) dl_iterate_phdr(unbind_object, &h);
    }
    atomic_flag_clear(&busy);
}

void base_hide(const char *runtime, const char *const *prefixes)
{
    change(runtime, prefixes, false);
}

void base_hide_at_start(const char *runtime, const char *const *prefixes)
{
    change(runtime, prefixes, true);
}
