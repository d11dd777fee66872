/* object.h - reads the dynamic loader's tables of a library that the process has loaded.
 *
 * The tables are read in memory, without calling the loader: these functions may be used inside
 * dl_iterate_phdr, where nothing may take another lock of the loader, and in constructors. */
#ifndef CROCPROF_BASE_OBJECT_H
#define CROCPROF_BASE_OBJECT_H

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    uintptr_t base;
    const ElfW(Phdr) * parts;
    unsigned part_count;
    const ElfW(Sym) * symbols;
    const char *strings;
    const uint32_t *hash; /* NULL: there is no DT_GNU_HASH, so the definitions are not known */
    struct {
        const ElfW(Rela) * first;
        size_t bytes, plain; /* `plain`: number of entries at the beginning that are relative,
                              * without a symbol */
    } places[2];
} base_object_t;

/* Fills in `o` from the argument of dl_iterate_phdr's callback. Returns false if the library has no
 * table of symbols. */
bool base_object_read(base_object_t *o, const struct dl_phdr_info *info);

/* Returns the segment of this type that contains the address; NULL if there is none. */
const ElfW(Phdr) * base_object_part(const base_object_t *o, uint32_t type, uintptr_t at);

/* Returns the number of the library's symbols. Only for an object with a `hash`. */
uint32_t base_object_symbols(const base_object_t *o);

/* Returns the first symbol of this name, in any version, that the library defines and not only
 * uses; NULL if there is none. */
const ElfW(Sym) * base_object_definition(const base_object_t *o, const char *name);

#endif
