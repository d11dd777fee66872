/* hide.c - see hide.h. Changes what the dynamic loader knows and did: this library's own table of
 * symbols, and places of other libraries that the loader filled in. */
#include "register/hide.h"

#include "base/log.h"

#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct {
    uintptr_t base, start, end;   /* of what is mapped */
    uintptr_t sealed, sealed_end; /* the loader made it read-only when it had filled it in */
    const ElfW(Sym) * symbols;
    const char *strings;
    const uint32_t *hash;
    struct {
        const ElfW(Rela) * first;
        size_t bytes, plain; /* the first of them, which name no symbol */
    } places[2];
} object_t;

/* The loader has made most of these addresses, but not those of what the kernel maps. */
static const void *address(const object_t *o, uintptr_t value)
{
    return (const void *)(value < o->base ? value + o->base : value);
}

static void read_entry(object_t *o, const ElfW(Dyn) * entry)
{
    switch (entry->d_tag) {
    case DT_SYMTAB: o->symbols = address(o, entry->d_un.d_ptr); break;
    case DT_STRTAB: o->strings = address(o, entry->d_un.d_ptr); break;
    case DT_GNU_HASH: o->hash = address(o, entry->d_un.d_ptr); break;
    case DT_RELA: o->places[0].first = address(o, entry->d_un.d_ptr); break;
    case DT_RELASZ: o->places[0].bytes = entry->d_un.d_val; break;
    case DT_RELACOUNT: o->places[0].plain = entry->d_un.d_val; break;
    case DT_JMPREL: o->places[1].first = address(o, entry->d_un.d_ptr); break;
    case DT_PLTRELSZ: o->places[1].bytes = entry->d_un.d_val; break;
    default: break;
    }
}

static object_t read_object(const struct dl_phdr_info *info)
{
    object_t o = {.base = info->dlpi_addr, .start = UINTPTR_MAX};
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        const uintptr_t at = o.base + part->p_vaddr;
        if (part->p_type == PT_LOAD) {
            if (at < o.start) o.start = at;
            if (at + part->p_memsz > o.end) o.end = at + part->p_memsz;
        } else if (part->p_type == PT_GNU_RELRO) {
            o.sealed = at;
            o.sealed_end = at + part->p_memsz;
        } else if (part->p_type == PT_DYNAMIC) {
            for (const ElfW(Dyn) *d = (const void *)at; d->d_tag != DT_NULL; d++)
                read_entry(&o, d);
        }
    }
    return o;
}

static bool is_in(const object_t *o, uintptr_t at)
{
    return at >= o->start && at < o->end;
}

/* The pages that a range of addresses lies in. */
static bool protect(const void *first, const void *end, int how)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t from = (uintptr_t)first & ~(page - 1);
    const uintptr_t to = ((uintptr_t)end + page - 1) & ~(page - 1);
    if (mprotect((void *)from, to - from, how) == 0) return true;
    base_warning("functions that a library lacks seem to be there: its pages cannot be changed");
    return false;
}

static int find_own(struct dl_phdr_info *info, size_t size, void *found)
{
    (void)size;
    const object_t o = read_object(info);
    if (!is_in(&o, (uintptr_t)find_own)) return 0;
    *(object_t *)found = o;
    return 1;
}

/* ---- hiding ---- */

/* Buckets of the table of hashes begin behind a filter; a chain ends with an odd value. */
static size_t count_symbols(const uint32_t *hash)
{
    const uint32_t buckets = hash[0], first = hash[1], filter = hash[2];
    const uint32_t *bucket = hash + 4 + (size_t)filter * (sizeof(ElfW(Addr)) / sizeof *hash);
    const uint32_t *chain = bucket + buckets;
    uint32_t last = 0;
    for (uint32_t i = 0; i < buckets; i++)
        if (bucket[i] > last) last = bucket[i];
    if (last < first) return first;
    while (!(chain[last - first] & 1))
        last++;
    return last + 1;
}

void reg_hide(reg_lacks_t lacks)
{
    object_t own = {0};
    if (!dl_iterate_phdr(find_own, &own) || !own.symbols || !own.strings || !own.hash) return;
    const size_t count = count_symbols(own.hash);
    const ElfW(Sym) *end = own.symbols + count;
    if (!protect(own.symbols, end, PROT_READ | PROT_WRITE)) return;
    for (ElfW(Sym) *s = (ElfW(Sym) *)(uintptr_t)own.symbols; s < end; s++)
        if (s->st_shndx != SHN_UNDEF && s->st_name && lacks(own.strings + s->st_name))
            __atomic_store_n(&s->st_name, 0, __ATOMIC_RELAXED); /* who has found it goes on */
    protect(own.symbols, end, PROT_READ);
}

/* ---- unbinding ---- */

typedef struct {
    object_t own;
    reg_lacks_t lacks;
} unbinding_t;

static void unbind_place(const unbinding_t *u, const object_t *o, const ElfW(Rela) * place)
{
    const unsigned type = ELF64_R_TYPE(place->r_info);
    if (type != R_X86_64_GLOB_DAT && type != R_X86_64_64 && type != R_X86_64_JUMP_SLOT) return;
    const ElfW(Sym) *symbol = &o->symbols[ELF64_R_SYM(place->r_info)];
    if (ELF64_ST_BIND(symbol->st_info) != STB_WEAK) return;
    const uintptr_t added = type == R_X86_64_64 ? (uintptr_t)place->r_addend : 0;
    uintptr_t *at = (uintptr_t *)(o->base + place->r_offset);
    if (!is_in(&u->own, *at - added) || !u->lacks(o->strings + symbol->st_name)) return;
    const bool sealed = (uintptr_t)at >= o->sealed && (uintptr_t)at < o->sealed_end;
    if (sealed && !protect(at, at + 1, PROT_READ | PROT_WRITE)) return;
    *at = added;
    if (sealed) protect(at, at + 1, PROT_READ);
}

static int unbind_object(struct dl_phdr_info *info, size_t size, void *data)
{
    const unbinding_t *u = data;
    const object_t o = read_object(info);
    (void)size;
    if (o.start == u->own.start || !o.symbols || !o.strings) return 0;
    for (int i = 0; i < 2; i++)
        for (size_t k = o.places[i].plain; k < o.places[i].bytes / sizeof(ElfW(Rela)); k++)
            unbind_place(u, &o, &o.places[i].first[k]);
    return 0;
}

void reg_unbind(reg_lacks_t lacks)
{
    unbinding_t u = {.lacks = lacks};
    if (dl_iterate_phdr(find_own, &u.own)) dl_iterate_phdr(unbind_object, &u);
}
