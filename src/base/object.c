/* object.c - see object.h. */
#include "base/object.h"

#include <string.h>

/* Returns a pointer from the dynamic section: the loader has added the base to most of these
 * pointers, but not in objects that the kernel maps (the vDSO). */
static const void *address(const base_object_t *o, uintptr_t value)
{
    return (const void *)(value < o->base ? value + o->base : value);
}

static void read_entry(base_object_t *o, const ElfW(Dyn) * entry)
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

bool base_object_read(base_object_t *o, const struct dl_phdr_info *info)
{
    *o = (base_object_t){
        .base = info->dlpi_addr, .parts = info->dlpi_phdr, .part_count = info->dlpi_phnum};
    for (unsigned i = 0; i < o->part_count; i++)
        if (o->parts[i].p_type == PT_DYNAMIC)
            for (const ElfW(Dyn) *d = (const void *)(o->base + o->parts[i].p_vaddr);
                 d->d_tag != DT_NULL; d++)
                read_entry(o, d);
    return o->symbols && o->strings;
}

const ElfW(Phdr) * base_object_part(const base_object_t *o, uint32_t type, uintptr_t at)
{
    for (unsigned i = 0; i < o->part_count; i++)
        if (o->parts[i].p_type == type && at - o->base - o->parts[i].p_vaddr < o->parts[i].p_memsz)
            return &o->parts[i];
    return NULL;
}

/* DT_GNU_HASH: four words of header, a Bloom filter, then the buckets, then the chains. In the last
 * entry of a chain bit 0 is set. */
typedef struct {
    uint32_t buckets, first;
    const uint32_t *bucket, *chain; /* chain[0] belongs to symbol `first` */
} chains_t;

static chains_t chains_of(const uint32_t *hash)
{
    const uint32_t *bucket = hash + 4 + (size_t)hash[2] * (sizeof(ElfW(Addr)) / sizeof *hash);
    return (chains_t){hash[0], hash[1], bucket, bucket + hash[0]};
}

uint32_t base_object_symbols(const base_object_t *o)
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

const ElfW(Sym) * base_object_definition(const base_object_t *o, const char *name)
{
    if (!o->hash) return NULL;
    const chains_t c = chains_of(o->hash);
    uint32_t hash = 5381; /* the hash function of DT_GNU_HASH */
    for (const char *at = name; *at; at++)
        hash = 33 * hash + (unsigned char)*at;
    for (uint32_t i = c.buckets ? c.bucket[hash % c.buckets] : 0; i >= c.first && i; i++) {
        const uint32_t of_this = c.chain[i - c.first];
        if ((of_this | 1) == (hash | 1) && o->symbols[i].st_shndx != SHN_UNDEF &&
            strcmp(o->strings + o->symbols[i].st_name, name) == 0)
            return &o->symbols[i];
        if (of_this & 1) break;
    }
    return NULL;
}
