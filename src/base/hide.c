/* hide.c - see hide.h. Changes what the dynamic loader knows and did: this library's own table of
 * symbols, and places of other libraries that the loader filled in. Inside dl_iterate_phdr nothing
 * may be called that takes another lock of the loader's: that is how threads come to wait for each
 * other. */
#include "base/hide.h"

#include "base/loaded.h"
#include "base/log.h"

#include <elf.h>
#include <link.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct {
    uintptr_t base;
    const ElfW(Phdr) * parts;
    unsigned part_count;
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

/* False: what is needed of it is not there. */
static bool read_object(object_t *o, const struct dl_phdr_info *info)
{
    *o = (object_t){
        .base = info->dlpi_addr, .parts = info->dlpi_phdr, .part_count = info->dlpi_phnum};
    for (unsigned i = 0; i < o->part_count; i++)
        if (o->parts[i].p_type == PT_DYNAMIC)
            for (const ElfW(Dyn) *d = (const void *)(o->base + o->parts[i].p_vaddr);
                 d->d_tag != DT_NULL; d++)
                read_entry(o, d);
    return o->symbols && o->strings;
}

/* The part of such a type that an address lies in. */
static const ElfW(Phdr) * part_of(const object_t *o, uint32_t type, uintptr_t at)
{
    for (unsigned i = 0; i < o->part_count; i++)
        if (o->parts[i].p_type == type && at - o->base - o->parts[i].p_vaddr < o->parts[i].p_memsz)
            return &o->parts[i];
    return NULL;
}

static uintptr_t page_of(uintptr_t at)
{
    return at & ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1);
}

/* The pages that a range of addresses lies in. */
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

/* Buckets of the table of hashes begin behind a filter; a chain ends with an odd value. */
typedef struct {
    uint32_t buckets, first;
    const uint32_t *bucket, *chain; /* the chains' first is that of symbol `first` */
} chains_t;

static chains_t chains_of(const uint32_t *hash)
{
    const uint32_t *bucket = hash + 4 + (size_t)hash[2] * (sizeof(ElfW(Addr)) / sizeof *hash);
    return (chains_t){hash[0], hash[1], bucket, bucket + hash[0]};
}

static uint32_t count_symbols(const object_t *o)
{
    const chains_t c = chains_of(o->hash);
    uint32_t last = 0;
    for (uint32_t i = 0; i < c.buckets; i++)
        if (c.bucket[i] > last) last = c.bucket[i];
    if (last < c.first) return c.first;
    while (!(c.chain[last - c.first] & 1))
        last++;
    return last + 1;
}

static bool defines(const object_t *o, const char *name)
{
    const chains_t c = chains_of(o->hash);
    uint32_t hash = 5381; /* as the format has it */
    for (const char *at = name; *at; at++)
        hash = 33 * hash + (unsigned char)*at;
    for (uint32_t i = c.buckets ? c.bucket[hash % c.buckets] : 0; i >= c.first && i; i++) {
        const uint32_t of_this = c.chain[i - c.first];
        if ((of_this | 1) == (hash | 1) && o->symbols[i].st_shndx != SHN_UNDEF &&
            strcmp(o->strings + o->symbols[i].st_name, name) == 0)
            return true;
        if (of_this & 1) break;
    }
    return false;
}

/* ---- hiding ---- */

typedef struct {
    const char *runtime;
    const char *const *prefixes;
    object_t own;
    uint32_t count; /* of its symbols */
    bool has_runtime;
} hiding_t;

static int find_own(struct dl_phdr_info *info, size_t size, void *data)
{
    hiding_t *h = data;
    (void)size;
    if (!read_object(&h->own, info) || !h->own.hash ||
        !part_of(&h->own, PT_LOAD, (uintptr_t)find_own))
        return 0;
    h->count = count_symbols(&h->own);
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

static void hide_behind(const hiding_t *h, const object_t *runtime)
{
    const uintptr_t symbols = (uintptr_t)h->own.symbols,
                    end = (uintptr_t)(h->own.symbols + h->count);
    const ElfW(Phdr) *part = part_of(&h->own, PT_LOAD, symbols);
    if (!part || !protect(symbols, end, protection_of(part) | PROT_WRITE)) return;
    for (ElfW(Sym) *s = (ElfW(Sym) *)symbols; s < (ElfW(Sym) *)end; s++)
        if (stands_before(h, s) && !defines(runtime, h->own.strings + s->st_name))
            __atomic_store_n(&s->st_name, 0, __ATOMIC_RELAXED); /* who has found it goes on */
    protect(symbols, end, protection_of(part));
}

static int hide(struct dl_phdr_info *info, size_t size, void *data)
{
    hiding_t *h = data;
    object_t runtime;
    (void)size;
    if (!base_is_file_of(info->dlpi_name, h->runtime)) return 0;
    h->has_runtime = true;
    if (read_object(&runtime, info) && runtime.hash) hide_behind(h, &runtime);
    return 1;
}

/* ---- unbinding ---- */

static bool is_lacking(const hiding_t *h, uintptr_t function)
{
    for (uint32_t i = 0; i < h->count; i++) {
        const ElfW(Sym) *s = &h->own.symbols[i];
        if (s->st_shndx == SHN_UNDEF || h->own.base + s->st_value != function) continue;
        return h->has_runtime ? s->st_name == 0 : stands_before(h, s);
    }
    return false;
}

static void unbind_place(const hiding_t *h, const object_t *o, const ElfW(Rela) * place)
{
    const unsigned type = ELF64_R_TYPE(place->r_info);
    if (type != R_X86_64_GLOB_DAT && type != R_X86_64_64 && type != R_X86_64_JUMP_SLOT) return;
    if (ELF64_ST_BIND(o->symbols[ELF64_R_SYM(place->r_info)].st_info) != STB_WEAK) return;
    const uintptr_t added = type == R_X86_64_64 ? (uintptr_t)place->r_addend : 0;
    uintptr_t *at = (uintptr_t *)(o->base + place->r_offset);
    const ElfW(Phdr) *part = part_of(o, PT_LOAD, (uintptr_t)at);
    if (!part || !(part->p_flags & PF_W) || !is_lacking(h, *at - added)) return;
    /* the loader made it read-only when it had filled it in, but not the page that it ends in */
    const ElfW(Phdr) *sealed = part_of(o, PT_GNU_RELRO, (uintptr_t)at);
    if (sealed && (uintptr_t)at >= page_of(o->base + sealed->p_vaddr + sealed->p_memsz))
        sealed = NULL;
    if (sealed && !protect((uintptr_t)at, (uintptr_t)(at + 1), PROT_READ | PROT_WRITE)) return;
    *at = added;
    if (sealed) protect((uintptr_t)at, (uintptr_t)(at + 1), PROT_READ);
}

static int unbind_object(struct dl_phdr_info *info, size_t size, void *data)
{
    const hiding_t *h = data;
    object_t o;
    (void)size;
    if (!read_object(&o, info) || o.symbols == h->own.symbols) return 0;
    for (int i = 0; i < 2; i++)
        for (size_t k = o.places[i].plain; k < o.places[i].bytes / sizeof(ElfW(Rela)); k++)
            unbind_place(h, &o, &o.places[i].first[k]);
    return 0;
}

/* One thread at a time; another has nothing to wait for. */
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
